// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Conditions of selectors: names, and regular expressions.
 *
 * An expression is one of POSIX, extended, and must match the whole name.
 */
#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "compare/rule.h"

/* Whether a text means little as an expression, but much as a pattern of a shell. */
static bool like_glob(const char *text)
{
	bool wild = false;

	if (text[strcspn(text, ".|()[]{}+\\^$")])
		return false;
	for (const char *c = text; *c; c++)
		wild |= *c == '*' || *c == '?';
	return wild;
}

char *lt_glob_as_regex(const char *glob)
{
	struct lt_str s = { .s = NULL };

	for (const char *c = glob; *c; c++) {
		if (*c == '*')
			lt_str_add(&s, ".*");
		else if (*c == '?')
			lt_str_add(&s, ".");
		else if (strchr(".|()+{}^$", *c))
			lt_str_add(&s, "\\%c", *c);
		else
			lt_str_add(&s, "%c", *c == '!' && c > glob && c[-1] == '[' ? '^' : *c);
	}
	return s.s ? s.s : lt_strdup("");
}

static char *hint_for(const char *text)
{
	char *regex = lt_glob_as_regex(text);
	struct lt_str s = { .s = NULL };

	lt_str_add(&s, "any text is '.*', any character '.', as in \"%s\"", regex);
	free(regex);
	return s.s;
}

bool lt_matcher_compile(struct lt_matcher *m, char *why, size_t size, char **hint)
{
	struct lt_str anchored = { .s = NULL };
	regex_t alone;
	int err;

	*hint = like_glob(m->text) ? hint_for(m->text) : NULL;
	/* Alone first: a parenthesis too many must not close that of the anchors. */
	err = regcomp(&alone, m->text, REG_EXTENDED | REG_NOSUB);
	if (err) {
		regerror(err, &alone, why, size);
		return false;
	}
	regfree(&alone);
	m->regex = lt_alloc(sizeof(*m->regex));
	lt_str_add(&anchored, "^(%s)$", m->text);
	err = regcomp(m->regex, anchored.s, REG_EXTENDED | REG_NOSUB);
	if (err) {
		regerror(err, m->regex, why, size);
		free(m->regex);
		m->regex = NULL;
	}
	free(anchored.s);
	return !err;
}

void lt_matcher_free(struct lt_matcher *m)
{
	if (m->regex)
		regfree(m->regex);
	free(m->regex);
	free(m->text);
}

bool lt_matches(const struct lt_matcher *m, const char *name)
{
	bool is = m->regex ? !regexec(m->regex, name, 0, NULL, 0) : !strcmp(m->text, name);

	return is != m->negated;
}

bool lt_matches_as_glob(const struct lt_matcher *m, const char *name)
{
	return m->regex && !fnmatch(m->text, name, 0);
}

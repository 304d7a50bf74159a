// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The words of a spec.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fetch/spec_parser.h"

void lt_parser_skip(struct lt_parser *p)
{
	while (p->text[p->at] == ' ')
		p->at++;
}

bool lt_parser_wrong(struct lt_parser *p, uint32_t at, const char *fmt, ...)
{
	char what[140];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	lt_why_set(p->why, "character %u: %s", at + 1, what);
	return false;
}

bool lt_parser_expected(struct lt_parser *p, const char *what)
{
	lt_parser_skip(p);
	if (!p->text[p->at])
		return lt_parser_wrong(p, p->at, "expected %s, found the end", what);
	return lt_parser_wrong(p, p->at, "expected %s, found '%.20s'", what, p->text + p->at);
}

bool lt_parser_take(struct lt_parser *p, const char *token)
{
	size_t len = strlen(token);
	const char *s;

	lt_parser_skip(p);
	s = p->text + p->at;
	if (strncmp(s, token, len))
		return false;
	/* A word ends where the text's word ends. */
	if (isalnum((unsigned char)token[len - 1]) &&
	    (isalnum((unsigned char)s[len]) || s[len] == '_'))
		return false;
	p->at += (uint32_t)len;
	return true;
}

bool lt_parser_name(struct lt_parser *p, struct lt_spec_word *w)
{
	const char *s;

	lt_parser_skip(p);
	s = p->text + p->at;
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	w->at = p->at;
	while (isalnum((unsigned char)*s) || *s == '_')
		s++;
	w->len = (uint32_t)(s - p->text) - w->at;
	p->at += w->len;
	return true;
}

bool lt_parser_number(struct lt_parser *p, uint64_t max, uint64_t *number)
{
	const char *s;

	lt_parser_skip(p);
	s = p->text + p->at;
	if (!isdigit((unsigned char)*s))
		return lt_parser_expected(p, "a number");
	*number = 0;
	for (; isdigit((unsigned char)*s); s++) {
		*number = 10 * *number + (uint64_t)(*s - '0');
		if (*number > max)
			return lt_parser_wrong(p, p->at, "the number is greater than %llu",
					       (unsigned long long)max);
	}
	p->at = (uint32_t)(s - p->text);
	return true;
}

bool lt_spec_is(const struct lt_spec *s, struct lt_spec_word w, const char *text)
{
	return strlen(text) == w.len && !strncmp(s->text + w.at, text, w.len);
}

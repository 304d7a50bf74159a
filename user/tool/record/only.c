// SPDX-License-Identifier: GPL-2.0
/*
 * Filters of births by code: the addresses of functions and modules, from /proc/kallsyms.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/text.h"
#include "record/internal.h"

#define MAX_KALLSYMS	(256U << 20)
#define MAX_NAMES	32

/* The last function of a module ends with the next symbol of any kind, or here. */
#define MAX_LAST	(64U << 10)

/* How far the module takes a list. */
#define MAX_TEXT	255

/**
 * struct code - a function or module that is looked for
 * @name: of it
 * @len: length of @name
 * @from, @last: addresses of its first and last function
 * @end: the next function behind @last
 * @found: whether any was seen
 */
struct code {
	const char *name;
	size_t len;
	uint64_t from;
	uint64_t last;
	uint64_t end;
	bool found;
};

/**
 * struct symbol - a line "ADDRESS TYPE NAME [MODULE]" of /proc/kallsyms
 */
struct symbol {
	uint64_t address;
	char type;
	char name[512];
	char module[72];
};

static bool parse(const char *line, size_t len, struct symbol *s)
{
	char word[32];

	if (!lt_word(&line, &len, word, sizeof(word)) || !lt_number(word, 16, &s->address) ||
	    !lt_word(&line, &len, word, sizeof(word)) ||
	    !lt_word(&line, &len, s->name, sizeof(s->name)))
		return false;
	s->type = word[0];
	if (!lt_word(&line, &len, s->module, sizeof(s->module)))
		s->module[0] = 0;
	return true;
}

static bool is_named(const struct code *c, const struct symbol *s)
{
	size_t n = strlen(s->module);

	return (strlen(s->name) == c->len && !memcmp(s->name, c->name, c->len)) ||
	       (n == c->len + 2 && s->module[0] == '[' && !memcmp(s->module + 1, c->name, c->len));
}

static void find(const char *text, struct code *codes, size_t n)
{
	struct symbol s;
	const char *line;
	size_t len;

	for (const char *pos = text; lt_line(&pos, &line, &len);) {
		if (!parse(line, len, &s) || (s.type != 't' && s.type != 'T'))
			continue;
		for (size_t i = 0; i < n; i++) {
			struct code *c = &codes[i];

			if (!is_named(c, &s))
				continue;
			c->from = !c->found || s.address < c->from ? s.address : c->from;
			c->last = !c->found || s.address > c->last ? s.address : c->last;
			c->found = true;
		}
	}
}

/* Symbols are not in order. */
static void find_ends(const char *text, struct code *codes, size_t n)
{
	struct symbol s;
	const char *line;
	size_t len;

	for (size_t i = 0; i < n; i++)
		codes[i].end = codes[i].last + MAX_LAST;
	for (const char *pos = text; lt_line(&pos, &line, &len);) {
		if (!parse(line, len, &s))
			continue;
		for (size_t i = 0; i < n; i++) {
			if (s.address > codes[i].last && s.address < codes[i].end)
				codes[i].end = s.address;
		}
	}
}

static char *ranges_of(const struct code *codes, size_t n)
{
	struct lt_str text = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (!codes[i].found) {
			lt_error("--only-code: no function and no loaded module is called '%.*s'",
				 (int)codes[i].len, codes[i].name);
			free(text.s);
			return NULL;
		}
		if (!codes[i].from) {
			lt_error("--only-code: /proc/kallsyms shows no addresses (kernel.kptr_restrict?)");
			free(text.s);
			return NULL;
		}
		lt_str_add(&text, "%s0x%" PRIx64 "-0x%" PRIx64, i ? "," : "", codes[i].from,
			   codes[i].end);
	}
	if (text.n <= MAX_TEXT)
		return text.s;
	lt_error("--only-code: %zu functions and modules are too many for the module", n);
	free(text.s);
	return NULL;
}

/**
 * lt_record_code_ranges() - the addresses of functions and modules
 * @names: separated by commas
 *
 * Return: for the parameter only_code, to be freed; NULL after lt_error().
 */
char *lt_record_code_ranges(const char *names)
{
	struct code codes[MAX_NAMES] = { 0 };
	char *text, *ranges;
	size_t n = 0;

	for (const char *p = names; *p; p += strspn(p, ",")) {
		size_t len = strcspn(p, ",");

		if (len && n == MAX_NAMES) {
			lt_error("--only-code: expected %d names at the most", MAX_NAMES);
			return NULL;
		}
		if (len)
			codes[n++] = (struct code) { .name = p, .len = len };
		p += len;
	}
	text = lt_read_text_file("/proc/kallsyms", MAX_KALLSYMS, NULL);
	if (!text) {
		lt_error("--only-code: /proc/kallsyms cannot be read, so addresses are not known");
		return NULL;
	}
	find(text, codes, n);
	find_ends(text, codes, n);
	ranges = ranges_of(codes, n);
	free(text);
	return ranges;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parser of specs: what its files share.
 */
#ifndef LT_FETCH_SPEC_PARSER_H
#define LT_FETCH_SPEC_PARSER_H

#include "fetch/spec.h"

/**
 * struct lt_parser - a text that is parsed
 * @at: where
 * @depth: parentheses and stars that are open
 */
struct lt_parser {
	const char *text;
	uint32_t at;
	unsigned int depth;
	struct lt_spec *spec;
	struct lt_why *why;
};

/* spec_words.c */

/* Sets why the text is wrong at @p->at: what was expected. Return: false. */
bool lt_parser_expected(struct lt_parser *p, const char *what);

/* Sets why what begins at @at is wrong. Return: false. */
bool lt_parser_wrong(struct lt_parser *p, uint32_t at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

void lt_parser_skip(struct lt_parser *p);

/* Takes a token, after spaces. Return: false: something else stands there. */
bool lt_parser_take(struct lt_parser *p, const char *token);

/* Takes a word of letters, digits and _; not beginning with a digit. */
bool lt_parser_name(struct lt_parser *p, struct lt_spec_word *w);
bool lt_parser_number(struct lt_parser *p, uint64_t max, uint64_t *number);

/* spec_value.c */

bool lt_parser_value(struct lt_parser *p, struct lt_spec_value *v);

#endif /* LT_FETCH_SPEC_PARSER_H */

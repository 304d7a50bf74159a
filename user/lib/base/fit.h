/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines of text for people that are too long for the width that they have.
 */
#ifndef LT_LIB_FIT_H
#define LT_LIB_FIT_H

#include <stdbool.h>
#include <stddef.h>

/* What is left of a line; private. */
struct lt_fit {
	const char *line;
	size_t len;
	size_t room;
	size_t hang;
	unsigned int width;
	bool cut;
	bool begun;
};

/**
 * struct lt_fit_piece - what is written as one line
 * @text: @len bytes
 * @indent: blanks in front of it
 * @cut: it ends with "…"
 */
struct lt_fit_piece {
	const char *text;
	size_t len;
	size_t indent;
	bool cut;
};

/**
 * lt_fit_begin() - make a line fit
 * @line: @len bytes of UTF-8 without a newline; "\033[…m" has no width
 * @width: characters, at least 20
 * @cut: a longer line is cut. Otherwise it is folded between words, and goes on below the
 *	place where its text begins: behind the last two blanks of its left part, or a bit more to
 *	the right than its first character
 */
void lt_fit_begin(struct lt_fit *f, const char *line, size_t len, unsigned int width, bool cut);

/* The next piece; one at least. Return: false: there is no other. */
bool lt_fit_next(struct lt_fit *f, struct lt_fit_piece *piece);

#endif /* LT_LIB_FIT_H */

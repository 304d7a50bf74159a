/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The columns of a lifetime in text for people, and which of them a line has room for.
 */
#ifndef LT_PRINT_LIFETIME_COLUMNS_H
#define LT_PRINT_LIFETIME_COLUMNS_H

#include <stddef.h>

#include "base/out.h"

enum lt_text_column {
	T_BIRTH, T_LIFETIME, T_CERTAINTY, T_ENDED_BY, T_ADDRESS, T_CACHE, T_BYTES_REQ,
	T_BYTES_ALLOC, T_BIRTH_SITE, T_TID, T_COMM, T_DEATH_SITE, T_WHY, N_TEXT,
};

/* Characters of T_LIFETIME, which is always shown, and of the digits of an address. */
#define LT_TEXT_LIFETIME	10
#define LT_TEXT_ADDRESS		18

/**
 * struct lt_text_columns - what a line has
 * @birth: characters of the first column, a time
 * @hidden: bit n: the column n has no room
 */
struct lt_text_columns {
	unsigned int birth;
	unsigned int hidden;
};

/* @width: characters of a line; 0: any number. */
void lt_text_columns_init(struct lt_text_columns *c, unsigned int birth, unsigned int width);

/* A cell, whose text has @width characters. Return: where it ends. */
char *lt_text_cell(const struct lt_text_columns *c, char *p, enum lt_text_column col,
		   const char *text, size_t len, size_t width);

/* The heads of the columns; @birth: that of the first one. */
char *lt_text_heads(const struct lt_text_columns *c, char *p, const char *birth);

/* The names of those without room, as the last lines. */
void lt_text_no_room(const struct lt_text_columns *c, struct lt_out *o);

#endif /* LT_PRINT_LIFETIME_COLUMNS_H */

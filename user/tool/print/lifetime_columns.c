// SPDX-License-Identifier: GPL-2.0
/*
 * The columns of a lifetime in text for people, and which of them a line has room for.
 */
#include <stdbool.h>
#include <string.h>

#include "forms/table.h"
#include "out/width.h"
#include "print/lifetime_columns.h"

#define SITE_LEAST	24	/* characters of a call site that is cut */

static const struct {
	const char *header;
	unsigned int width;
	bool left;
} columns[N_TEXT] = {
	/* Of times of the wall clock another header and width. */
	{ "birth [s]", 14, false }, { "lifetime", LT_TEXT_LIFETIME, false },
		{ "certainty", 9, true },
	{ "ended by", 15, true }, { "address", LT_TEXT_ADDRESS, false }, { "cache", 20, true },
	{ "requested", 9, false }, { "allocated", 9, false }, { "birth site", 32, true },
	{ "tid", 6, false }, { "comm", 15, true }, { "death site", 32, true },
	{ "why not exact", 13, true },
};

/* What has no room first. The other columns are always there. */
static const enum lt_text_column order[] = {
	T_WHY, T_DEATH_SITE, T_ENDED_BY, T_BYTES_ALLOC, T_ADDRESS, T_COMM, T_CACHE, T_TID,
	T_BYTES_REQ, T_CERTAINTY,
};

static bool shows(const struct lt_text_columns *c, unsigned int col)
{
	return !(c->hidden & 1U << col);
}

static unsigned int width_of(const struct lt_text_columns *c, unsigned int col)
{
	return col == T_BIRTH && c->birth > columns[col].width ? c->birth : columns[col].width;
}

/* The characters that a line needs. If the birth site is the last column, it may be cut. */
static unsigned int least(const struct lt_text_columns *c)
{
	unsigned int sum = 0, last = T_BIRTH;

	for (unsigned int i = T_BIRTH; i < N_TEXT; i++) {
		if (!shows(c, i))
			continue;
		sum += (i ? 2 : 0) + width_of(c, i);
		last = i;
	}
	return last == T_BIRTH_SITE ? sum - columns[last].width + SITE_LEAST : sum;
}

void lt_text_columns_init(struct lt_text_columns *c, unsigned int birth, unsigned int width)
{
	*c = (struct lt_text_columns){ .birth = birth };
	for (size_t i = 0; width && i < sizeof(order) / sizeof(order[0]) && least(c) > width; i++)
		c->hidden |= 1U << order[i];
}

/* Writes 16 bytes at least, which takes less than a call. */
static inline char *put_spaces(char *p, size_t n)
{
	memset(p, ' ', 16);
	if (n > 16)
		memset(p + 16, ' ', n - 16);
	return p + n;
}

char *lt_text_cell(const struct lt_text_columns *c, char *p, enum lt_text_column col,
		   const char *text, size_t len, size_t width)
{
	size_t room = width_of(c, col), fill = width < room ? room - width : 0;

	if (!shows(c, col))
		return p;
	if (col)
		p = put_spaces(p, 2);
	if (!columns[col].left)
		p = put_spaces(p, fill);
	memcpy(p, text, len);
	p += len;
	/* The last column is not padded. */
	return columns[col].left && col + 1 < N_TEXT ? put_spaces(p, fill) : p;
}

char *lt_text_heads(const struct lt_text_columns *c, char *p, const char *birth)
{
	for (unsigned int i = T_BIRTH; i < N_TEXT; i++) {
		const char *head = i ? columns[i].header : birth ? birth : columns[i].header;
		size_t n = strlen(head);

		p = lt_text_cell(c, p, (enum lt_text_column)i, head, n, n);
	}
	while (c->hidden && p[-1] == ' ')
		p--;
	return p;
}

void lt_text_no_room(const struct lt_text_columns *c, struct lt_out *o)
{
	const char *names[N_TEXT];
	size_t n = 0;

	for (unsigned int i = T_BIRTH; i < N_TEXT; i++) {
		if (!shows(c, i))
			names[n++] = columns[i].header;
	}
	lt_no_room(o, 0, o->width, names, n);
}

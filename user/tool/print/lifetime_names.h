/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names in the line of a lifetime, and source lines and stacks as CSV and JSON. The results are
 * valid until the next call of the same function, with the same @which.
 */
#ifndef LT_PRINT_LIFETIME_NAMES_H
#define LT_PRINT_LIFETIME_NAMES_H

#include <string.h>

#include "print/lifetime_row.h"

/* Numbers of the columns of a lifetime. */
#define LT_ROW_NUMBER(id, ...)	C_##id,
enum lt_row_column { LT_ROW_LIFETIME(LT_ROW_NUMBER) N_COLUMNS };

_Static_assert(N_COLUMNS <= LT_ROW_COLUMNS, "room for all columns");

static inline char *lt_piece_put(char *p, const struct lt_piece *piece)
{
	/* Copies the whole buffer: a constant size is faster than the size of the text. */
	memcpy(p, piece->text, sizeof(piece->text));
	return p + piece->len;
}

/* A text in the format of the writer, in w->scratch. */
const struct lt_out *lt_row_render(struct lt_row_writer *w, const char *text);

const struct lt_cell *lt_row_site(struct lt_row_writer *w, uint64_t site);
const struct lt_cell *lt_row_gfp(struct lt_row_writer *w, uint32_t gfp);

/* Why a lifetime is not exact. */
const struct lt_cell *lt_row_why_cell(struct lt_row_writer *w, const struct lt_row *row);

/* NULL: not known. */
const struct lt_cell *lt_row_cache_cell(struct lt_row_writer *w, const struct lt_row *row);

/**
 * lt_row_source() - file, line and inlined functions of a call site
 * @w: a writer with source lines
 * @keys: what stands before each of the three columns
 * @m: birth or death
 * @which: 0: of a birth, 1: of a death
 */
const struct lt_cell *lt_row_source(struct lt_row_writer *w, const struct lt_piece *keys,
				    const struct lt_moment *m, unsigned int which);

/**
 * lt_row_stack() - the frames of a stack
 * @w: the writer
 * @before: what stands before the column
 * @stack: as in struct lt_row
 * @which: 0: of a birth, 1: of a death
 */
const struct lt_cell *lt_row_stack(struct lt_row_writer *w, const struct lt_piece *before,
				   const struct lt_stack *stack, unsigned int which);

/* A text of what rows have in common. */
static inline char *lt_kept_put(char *p, const struct lt_kept *k, unsigned int i)
{
	return lt_piece_copy(p, k->pieces[i].text, k->pieces[i].len);
}

/* Keeps what was rendered. Return: @end. */
char *lt_kept_keep(struct lt_kept *k, unsigned int i, const char *from, char *end);

/* A lifetime with the traits of others, for the functions above. */
void lt_kept_row(const struct lt_kept *k, struct lt_row *row);

/* lifetime_fields.c: a line of CSV or JSON, at @p. @stacks: the columns of stacks, NULL: none */
char *lt_row_fields(struct lt_row_writer *w, char *p, const struct lt_row *row,
		    const struct lt_cell *const stacks[2]);

/* Of a stack; @which: as for lt_row_stack(). */
void lt_kept_make_stack(struct lt_row_writer *w, struct lt_kept *stack, unsigned int which);

/*
 * lifetime_fields.c: the columns of stacks of a short row: makes their texts, which
 * lt_row_plain_fields() needs. Return: their bytes
 */
size_t lt_row_plain_stacks(struct lt_row_writer *w, const struct lt_plain_row *row);

/* lifetime_fields.c: a line of CSV or JSON of a short row. */
char *lt_row_plain_fields(struct lt_row_writer *w, char *p, const struct lt_plain_row *row);

/*
 * lifetime_fields.c: lines of rows without stacks, at @p, from *@rows on, which moves on: up to
 * @end, or to one that is no short row, and as long as they begin at @last at most.
 */
char *lt_row_many_fields(struct lt_row_writer *w, char *p, const char *last,
			 const struct lt_plain_row **rows, const struct lt_plain_row *end);

#endif /* LT_PRINT_LIFETIME_NAMES_H */

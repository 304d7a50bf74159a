/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A lifetime as a line of CSV, JSON or text.
 */
#ifndef LT_PRINT_LIFETIME_ROW_H
#define LT_PRINT_LIFETIME_ROW_H

#include "forms/table.h"
#include "lifetimes/kmalloc.h"
#include "lifetimes/lifetime.h"
#include "lines/lines.h"
#include "out/address.h"
#include "out/cells.h"
#include "out/memo.h"
#include "print/lifetime_columns.h"
#include "print/lifetime_plain.h"
#include "print/times.h"
#include "rows/lifetime.h"
#include "trace/trace.h"

/**
 * struct lt_row - a lifetime with everything that its line shows
 * @l: the lifetime
 * @tasks: copies of the tasks of birth and death, made when the lifetime ended
 * @gap: with LT_WHY_LOST: a number of the gap, 0: not known
 * @gap_cpu, @gap_begin, @gap_end: as in struct lt_gap
 * @stacks: of birth and death, with frames that stay; without frames: not recorded
 * @cache: name of the slab cache, which does not move; NULL: none, or one of kmalloc's
 *
 * A row points to nothing that changes while the trace is read.
 */
struct lt_row {
	struct lt_lifetime l;
	struct lt_task tasks[2];
	uint64_t gap;
	uint64_t gap_begin;
	uint64_t gap_end;
	uint32_t gap_cpu;
	struct lt_stack stacks[2];
	const char *cache;
};

/* Ready text: a constant, or what stands before a value. */
struct lt_piece {
	uint32_t len;
	char text[28];
};

#define LT_ROW_COLUMNS	64	/* at most */
#define LT_ROW_WHERES	4096
#define LT_ROW_ENDS	32	/* twice a power of two above all endings */

/**
 * struct lt_row_span - times that differ in their last digits alone
 * @begin: ns; lt_times_ns() of the first one
 * @len: of @text; 0: there is none
 * @text: all of the column that stands before these digits
 */
struct lt_row_span {
	uint64_t begin;
	uint32_t len;
	char text[32];
};

/* The caller sets the first six members; the rest is private. */
struct lt_row_writer {
	const struct lt_trace *trace;
	struct lt_times times;
	struct lt_lines *lines;		/* NULL: without source lines */
	struct lt_kmalloc kmalloc;
	enum lt_format format;
	bool stacks;			/* the trace may have stacks */
	const struct lt_column **columns;	/* those that are printed, @n_columns of them */
	size_t n_columns;
	struct lt_lifetime_ctx ctx;
	struct lt_piece keys[LT_ROW_COLUMNS];
	struct lt_text_columns text;
	struct lt_piece none;
	struct lt_piece kinds[LT_N_LIFETIME_KINDS];
	struct lt_piece certainties[LT_N_CERTAINTIES];
	struct lt_piece endings[LT_N_ENDINGS];
	struct lt_piece contexts[4];
	struct lt_cells sites;
	struct lt_cells sources[2];	/* the columns of lines, of birth and death */
	struct lt_cells stack_cells[2];	/* the columns of stacks, of birth and death */
	struct lt_cells gfps;
	struct lt_cells caches;
	struct lt_cells whys;
	struct lt_cells losts;
	struct lt_memo objects;		/* of CSV and JSON */
	struct lt_memo moments;		/* columns with sites */
	struct lt_memo tasks;
	struct lt_memo ends;		/* certainty and ending */
	struct lt_memo wheres;		/* of CSV and JSON: CPU and context, by these and the end */
	struct lt_address_text address;	/* of short rows; so are all that follow */
	struct lt_memo plain_ends;	/* of text: certainty and ending */
	struct lt_row_span second;	/* of text: of births; nine digits */
	/* of CSV and JSON: of deaths, which come in order; six digits */
	struct lt_row_span milli;
	struct lt_row_span tenth;	/* of births; eight digits */
	struct lt_kept alive;		/* the end of the line of an object that is alive */
	struct lt_kept no_stack;	/* of its death */
	/* why lifetimes are not exact that are unsure, see struct lt_plain_row */
	struct lt_row unsure;
	struct lt_out scratch;
	struct lt_out frames;
};

void lt_row_writer_init(struct lt_row_writer *w);
void lt_row_writer_destroy(struct lt_row_writer *w);

/* To be called when the trace has new symbols. */
void lt_row_new_symbols(struct lt_row_writer *w);

/* Columns that have no room in a line of @o are named by lt_row_end(). */
void lt_row_header(struct lt_row_writer *w, struct lt_out *o);
void lt_row_end(const struct lt_row_writer *w, struct lt_out *o);
void lt_row_write(struct lt_row_writer *w, struct lt_out *o, const struct lt_row *row);

/* Whether lines can be made of short rows. They have all columns but those of source lines. */
bool lt_row_takes_plain(const struct lt_row_writer *w);

/* Whether short rows show stacks. */
static inline bool lt_row_shows_stacks(const struct lt_row_writer *w)
{
	return w->alive.stack;
}

/* Writes the lines of @n rows at most, up to one that is not short. Return: their number */
size_t lt_row_write_plain(struct lt_row_writer *w, struct lt_out *o,
			  const struct lt_plain_row *rows, size_t n);

/* The name of the object's cache, in buf or elsewhere; NULL: not known. */
const char *lt_row_cache(const struct lt_row_writer *w, const struct lt_row *row, char *buf,
			 size_t size);

/* What was lost during a lifetime, in buf; NULL: not known. */
const char *lt_row_lost(const struct lt_row_writer *w, const struct lt_row *row, char *buf,
			size_t size);

#endif /* LT_PRINT_LIFETIME_ROW_H */

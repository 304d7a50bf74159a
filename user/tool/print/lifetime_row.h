/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One lifetime as a line: as CSV, JSON or text.
 */
#ifndef LT_LIB_LIFETIME_ROW_H
#define LT_LIB_LIFETIME_ROW_H

#include "print/cells.h"
#include "lifetimes/kmalloc.h"
#include "lifetimes/lifetime.h"
#include "print/table.h"
#include "trace/trace.h"

/**
 * struct lt_row - a lifetime with all that its line needs
 * @l: the lifetime; its tasks point to @tasks
 * @tasks: of birth and death, as they were when it ended
 * @cache: name of its slab cache, which stays where it is; NULL: there is none,
 *	or it is one of kmalloc's
 *
 * It refers to nothing that a trace changes while it is read.
 */
struct lt_row {
	struct lt_lifetime l;
	struct lt_task tasks[2];
	const char *cache;
};

/* Ready text: of a constant, or in front of a value. */
struct lt_piece {
	uint32_t len;
	char text[28];
};

#define LT_ROW_COLUMNS	29
#define LT_ROW_TASKS	256

/* What a task looks like, as birth and as death. */
struct lt_row_task {
	struct lt_task task;
	uint32_t len[2];
	char text[2][228];
};

/* The first three are to be set; the rest is private. */
struct lt_row_writer {
	const struct lt_trace *trace;
	struct lt_kmalloc kmalloc;
	enum lt_format format;
	struct lt_piece keys[LT_ROW_COLUMNS];
	struct lt_piece none;
	struct lt_piece kinds[6];
	struct lt_piece certainties[LT_N_CERTAINTIES];
	struct lt_piece endings[LT_N_ENDINGS];
	struct lt_piece contexts[4];
	struct lt_cells sites;
	struct lt_cells gfps;
	struct lt_cells caches;
	struct lt_row_task *tasks;
	struct lt_out scratch;
};

void lt_row_writer_init(struct lt_row_writer *w);
void lt_row_writer_destroy(struct lt_row_writer *w);

/* The trace has more symbols now. */
void lt_row_new_symbols(struct lt_row_writer *w);

void lt_row_header(struct lt_row_writer *w, struct lt_out *o);
void lt_row_write(struct lt_row_writer *w, struct lt_out *o, const struct lt_row *row);

/* The name of the object's cache, in buf or elsewhere; NULL: not known. */
const char *lt_row_cache(const struct lt_row_writer *w, const struct lt_row *row, char *buf,
			 size_t size);

#endif /* LT_LIB_LIFETIME_ROW_H */

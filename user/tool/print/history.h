/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The history of addresses, and of those in a report of the kernel.
 */
#ifndef LT_PRINT_HISTORY_H
#define LT_PRINT_HISTORY_H

#include "lifetimes/history.h"
#include "lifetimes/read.h"
#include "lines/lines.h"
#include "oops/oops.h"
#include "forms/columns.h"
#include "print/times.h"

/**
 * struct lt_history_view - what is printed
 * @h: was read
 * @oops: the values; without reports they are addresses of the command line
 * @file: name of the trace
 * @at: "at 2.5 s", as the user wrote it; NULL: the end of the trace
 * @lines: source lines; NULL: none
 * @columns: of --columns: text is a table of them, too; NULL: those of the format
 * The rest is private.
 */
struct lt_history_view {
	struct lt_history *h;
	const struct lt_oops *oops;
	const char *file;
	const char *at;
	struct lt_lines *lines;
	struct lt_times times;
	enum lt_format format;
	const char *columns;
	struct lt_out *out;
	char text[512];
	struct lt_kmalloc kmalloc;
	struct lt_out frames;
	unsigned int ptr_size;
	char machine[32];
};

/* What a value is. */
enum lt_meaning {
	LT_MEANING_HASHED,
	LT_MEANING_NO_ADDRESS,
	LT_MEANING_MEMORY,	/* has lifetimes */
	LT_MEANING_CODE,
	LT_MEANING_STACK,
	LT_MEANING_UNKNOWN,
	LT_N_MEANINGS,
};

/* history_meaning.c */

const char *lt_meaning_name(enum lt_meaning m);

/**
 * lt_history_meaning() - what a value is
 * @at: its history; NULL: it is no address
 * @note: a sentence, perhaps in @buf; NULL: there is nothing to say
 */
enum lt_meaning lt_history_meaning(const struct lt_history_view *v,
				   const struct lt_oops_value *value,
				   const struct lt_place_history **at, const char **note, char *buf,
				   size_t size);

/* Adds to @h the values that may be addresses; before it is read. */
void lt_history_take(struct lt_history *h, const struct lt_oops *oops);

/**
 * lt_history_refuses() - whether a report cannot be of the kernel of a trace
 * @name: of the report's file, for messages
 * Return: true after reporting why: another release, or the kernel at another address.
 */
bool lt_history_refuses(const struct lt_trace *t, const struct lt_oops *oops, const char *name);

/* history.c */

/* Prints all in @format; the caller sets the members that are not private. */
void lt_history_print(struct lt_history_view *v);

/* history_rows.c: all other forms, and text with --columns */

extern const struct lt_row_kind lt_rows_of_history;

void lt_history_rows(struct lt_history_view *v);

/* history_text.c: for people */
void lt_history_text(struct lt_history_view *v);

#endif /* LT_PRINT_HISTORY_H */

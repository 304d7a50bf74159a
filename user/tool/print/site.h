/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call sites with their source lines, for people and for CSV and JSON.
 */
#ifndef LT_PRINT_SITE_H
#define LT_PRINT_SITE_H

#include "forms/table.h"
#include "rows/place.h"
#include "lines/lines.h"
#include "trace/trace.h"

#define LT_SITE_TEXT	1024	/* bytes for lt_site_chain() */

/**
 * lt_site_source() - where a function calls, for people: "fs/namei.c:143", "…/my/file.c:7"
 * Return: @buf; NULL: not known.
 */
const char *lt_site_source(const struct lt_place *p, char *buf, size_t size);

/**
 * lt_site_chain() - a call site in one word, for lines of events
 * "kmalloc@include/linux/slab.h:600<do_it+0x2b@fs/namei.c:143": inlined functions first.
 * Without a place the symbol alone.
 */
const char *lt_site_chain(const struct lt_trace *t, uint64_t site, const struct lt_place *p,
			  char *buf, size_t size);

/* The values of the three columns file, line, inlined; @p: NULL: not known. */
void lt_site_file(const struct lt_place *p, struct lt_value *v);
void lt_site_line(const struct lt_place *p, struct lt_value *v);
void lt_site_list(const struct lt_place *p, struct lt_value *v, char *buf, size_t size);

/* These columns of rows @w, with place(w, c), and the text c->buf; C and G as in forms/screen.h. */
#define LT_SITE_IF	(LT_COLUMN_LINES | LT_COLUMN_IF_LINES)
#define LT_SITE_COLUMNS(G)	\
	G(file, "file", "file", TEXT, LT_SITE_IF, lt_site_file(place(w, c), v), "source file")	\
	G(line, "line", "line", COUNT, LT_SITE_IF, lt_site_line(place(w, c), v), "line in it")	\
	G(inlined, "inlined", "inlined", LIST, LT_SITE_IF,	\
	  lt_site_list(place(w, c), v, c->buf, sizeof(c->buf)), "functions that are inlined there")
/* For people, with these behind it. */
#define LT_SITE_SOURCE(C, G)	\
	C(source, "source", "source", TEXT, LT_COLUMN_IF_LINES, true,	\
	  lt_site_source(place(w, c), c->buf, sizeof(c->buf)), "source file and line")	\
	LT_SITE_COLUMNS(G)

#endif /* LT_PRINT_SITE_H */

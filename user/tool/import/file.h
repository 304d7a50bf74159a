/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trace that an import writes: packets as they come, and the texts around them.
 */
#ifndef LT_TOOL_IMPORT_FILE_H
#define LT_TOOL_IMPORT_FILE_H

#include "format/block.h"
#include "import/import.h"
#include "logs/logs.h"

/**
 * struct lt_import_file - a trace in the making
 * @w: the file
 * @symbols: lines of SYMBOLS, of the code that the source names
 * @live: EVENTS stands at the begin
 * @info, @stats: lines that these texts have, too, until begin and end; NULL: none
 * @clocks: CLOCK at the begin and at the end of what is imported; NULL: not known
 * @recorded: a recording of this process is imported, which has asked for the events
 * @begun: since when that records, ns; 0: not known
 * @others: what @path has, and is not taken in: events of other kinds, or calls
 * @chains: events with a call chain, which is not taken in
 * @cut: the last line has no end, and is left out
 */
struct lt_import_file {
	struct lt_writer *w;
	struct lt_import *im;
	struct lt_str symbols;
	const char *info;
	const char *stats;
	const char *clocks[2];
	bool live;
	bool recorded;
	uint64_t begun;
	uint64_t others;
	uint64_t chains;
	bool cut;
};

/* Begins the trace. Return: -1: w->error is set. */
int lt_import_file_begin(struct lt_import_file *f, const struct lt_import_source *source);

/* Ends it: all events are in. */
int lt_import_file_end(struct lt_import_file *f);

void lt_import_file_destroy(struct lt_import_file *f);

/* Takes line number @n of a text, without its end. Return: not 0: no further one is wanted. */
typedef int lt_import_line_fn(void *arg, const char *line, size_t len, uint64_t n);

/*
 * Hands out the lines of a text, but for one without a newline at the end: of what is cut off
 * there, each value may have been longer. @cut: whether there is one. Return: 0, or -1 after
 * lt_error().
 */
int lt_import_each_line(const char *path, lt_import_line_fn *take, void *arg, bool *cut);

/* readers: read @path into @f. Return: 0, or -1 after lt_error(). */
int lt_import_trace_dat(struct lt_import_file *f, const char *path);
/* Whether a trace.dat can be read here. Return: -1 after lt_error(), about @what. */
int lt_import_trace_dat_check(const char *what);
int lt_import_lines(struct lt_import_file *f, const char *path, enum lt_log_format format);
int lt_import_strace_log(struct lt_import_file *f, const char *path);

#endif /* LT_TOOL_IMPORT_FILE_H */

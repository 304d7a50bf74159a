/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls as text for people, in the form of strace, as CSV and JSON; and sums of them.
 */
#ifndef LT_PRINT_SYSCALLS_H
#define LT_PRINT_SYSCALLS_H

#include "base/out.h"
#include "forms/columns.h"
#include "print/resolve.h"
#include "print/times.h"
#include "rows/syscall.h"
#include "syscalls/syscall.h"

/**
 * struct lt_syscalls_view - what to print of calls, and how
 * @columns: of --columns; NULL: all, and in text a line as strace has it
 * @raw: arguments as hexadecimal numbers
 * @times: of the trace
 * The rest is private and starts as zero.
 */
struct lt_syscalls_view {
	struct lt_out *out;
	enum lt_format format;
	const char *columns;
	bool raw;
	struct lt_times times;
	bool lines;
	struct lt_table table;
	struct lt_resolver resolver;
	struct lt_syscall_ctx ctx;
};

/* The head of CSV. */
void lt_syscalls_begin(struct lt_syscalls_view *v);

/* One call, one line. */
void lt_syscalls_print(struct lt_syscalls_view *v, const struct lt_syscall *call);

/* Frees what the first one allocated. */
void lt_syscalls_end(struct lt_syscalls_view *v);

/* Sums by call, as strace -c: calls, errors, time, percentiles. */
struct lt_syscalls_sums;

struct lt_syscalls_sums *lt_syscalls_sums_new(void);
void lt_syscalls_sums_free(struct lt_syscalls_sums *s);
void lt_syscalls_sums_add(struct lt_syscalls_sums *s, const struct lt_syscall *call);

extern const struct lt_row_kind lt_rows_of_syscall_sum;

/* @sort: NULL: the calls that took the longest come first. @columns: of --columns */
void lt_syscalls_sums_print(struct lt_syscalls_sums *s, const struct lt_column *sort,
			    const char *columns, struct lt_out *out, enum lt_format format);

/* Sums by process, each below its parent. */
struct lt_syscalls_tree;

struct lt_syscalls_tree *lt_syscalls_tree_new(void);
void lt_syscalls_tree_free(struct lt_syscalls_tree *c);
void lt_syscalls_tree_add(struct lt_syscalls_tree *c, const struct lt_syscall *call);

extern const struct lt_row_kind lt_rows_of_syscall_tree;

/*
 * Processes with calls, or with such below them. @path: the trace, which is read for its tasks.
 * @columns: of --columns. Return: 0, or -1, after saying why: it has no tasks, or cannot be read to
 * its end.
 */
int lt_syscalls_tree_print(const struct lt_syscalls_tree *c, const char *path, const char *columns,
			   struct lt_out *out, enum lt_format format);

#endif /* LT_PRINT_SYSCALLS_H */

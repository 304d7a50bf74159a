/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows that come from one pass over a trace, for all exports that have tables: a kind of row is
 * made here, and nowhere else. Sums by minute and the row of the trace itself are export/fleet's.
 */
#ifndef LT_EXPORT_ROW_SOURCE_H
#define LT_EXPORT_ROW_SOURCE_H

#include "export/export.h"
#include "lifetimes/kmalloc.h"
#include "rows/call.h"
#include "rows/lifetime.h"
#include "rows/syscall.h"
#include "rows/task.h"
#include "sums/own.h"
#include "syscalls/syscall.h"
#include "syscalls/uring.h"

/**
 * struct lt_row_source - rows of one trace
 * @e: the export, with the kinds that it takes
 * @x: its exporter, which gets them
 * @failed: a row could not be put
 */
struct lt_row_source {
	struct lt_export *e;
	const struct lt_exporter *x;
	bool failed;
	/* The rest is row_source.c's. */
	struct lt_own *own;
	struct lt_kmalloc kmalloc;
	struct lt_lifetime_ctx of_lifetime;
	struct lt_syscall_ctx of_syscall;
	struct lt_call_ctx of_call;
	struct lt_syscalls *syscalls;
	struct lt_requests *requests;
	struct lt_calls *calls;
};

void lt_row_source_begin(struct lt_row_source *s, struct lt_export *e,
			 const struct lt_exporter *x);
void lt_row_source_free(struct lt_row_source *s);

/* Does the export take a kind that is made of lifetimes, tasks, events that the trace has? */
bool lt_row_source_needs_events(const struct lt_export *e);
bool lt_row_source_needs_lifetimes(const struct lt_export *e);
bool lt_row_source_needs_tasks(const struct lt_export *e);

/* As callbacks of an exporter. Return: 0, or -1: a row could not be put, now or before. */
int lt_row_source_task(struct lt_row_source *s, const struct lt_task_inst *t);
int lt_row_source_event(struct lt_row_source *s, const struct lt_event *ev);
/* After lt_row_source_needs_lifetimes(). */
int lt_row_source_lifetime(struct lt_row_source *s, const struct lt_lifetime *l);
/* The rows that only the end decides. */
int lt_row_source_finish(struct lt_row_source *s);

#endif /* LT_EXPORT_ROW_SOURCE_H */

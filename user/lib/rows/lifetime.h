/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows of lifetimes; the row is a struct lt_lifetime.
 */
#ifndef LT_ROWS_LIFETIME_H
#define LT_ROWS_LIFETIME_H

#include "lifetimes/kmalloc.h"
#include "lifetimes/lifetime.h"
#include "lines/lines.h"
#include "rows/column.h"
#include "sums/own.h"
#include "trace/trace.h"

/**
 * struct lt_lifetime_ctx - what the getters need
 * @common: with @addresses
 * @trace: the trace
 * @kmalloc: of it
 * @own: of it, for the column recorder
 * @lines: source lines, for their columns; NULL: none
 * @lost: what to say of a lifetime with LT_WHY_LOST, with @arg; NULL: the reason alone
 * @text: of the latest value
 * @why: the reason for the last lifetime that has an event that was not watched: @why_unwatched,
 *	with @why_cause
 */
struct lt_lifetime_ctx {
	struct lt_row_ctx common;
	const struct lt_trace *trace;
	const struct lt_kmalloc *kmalloc;
	struct lt_own *own;
	struct lt_lines *lines;
	const char *(*lost)(void *arg, const struct lt_lifetime *l);
	void *arg;
	char text[1024];
	const char *why_unwatched;
	unsigned int why_cause;
	char why[256];
};

extern const struct lt_row_kind lt_rows_of_lifetime;

/*
 * The columns, of which the writer of CSV takes the numbers; rows/internal.h says what the words
 * mean. A column that is added comes last: the writer prints it without knowing it.
 */
#define LT_ROW_MOMENT(C, which)	\
	C(which##_cpu, #which "_cpu", COUNT, L | F | Q | N, l->which.known, l->which.cpu, "CPU")	\
	C(which##_ctx, #which "_ctx", TEXT, L | F | Q | N, l->which.known, lt_context_name(l->which.context), \
	  "task, or an interrupt")	\
	C(which##_site, #which "_site", SITE, L | F | Q | N, l->which.known && l->which.call_site, \
	  l->which.call_site, "call site")	\
	C(which##_task, #which "_task", TASK, Q | N, l->which.known, \
	  LT_ROW_BOTH(l->which.task, l->which.time), "the task that ran")	\
	C(which##_tid, #which "_tid", COUNT, L | F | N, l->which.known && l->which.task, \
	  l->which.task->tid, "thread that ran")	\
	C(which##_tgid, #which "_tgid", COUNT, L | F | N, l->which.known && l->which.task, \
	  l->which.task->tgid, "its process")	\
	C(which##_start, #which "_task_start_ns", TIME, L | F | N, l->which.known && l->which.task, \
	  l->which.task->start, "when the thread was born, since boot")	\
	C(which##_comm, #which "_comm", NAME, L | F | N, l->which.known && l->which.task, \
	  lt_task_comm_at(l->which.task, l->which.time), "its name then")	\
	C(which##_stack, #which "_stack", STACK, L | F | Q | N | LT_COLUMN_IF_STACKS, \
	  lt_row_has_stack(c, &l->which), l->which.stack, "call stack, the inner frames first")	\
	C(which##_file, #which "_file", TEXT, L | N | LT_COLUMN_IF_LINES, true, \
	  lt_place_file(lt_row_place(c, &l->which)), "source file of the call site")	\
	C(which##_line, #which "_line", COUNT, L | N | LT_COLUMN_IF_LINES, \
	  lt_place_file(lt_row_place(c, &l->which)), lt_place_line(lt_row_place(c, &l->which)), \
	  "line in it")	\
	C(which##_inlined, #which "_inlined", LIST, L | N | LT_COLUMN_IF_LINES, \
	  lt_row_place(c, &l->which), lt_row_inlined(c, lt_row_place(c, &l->which)), \
	  "functions that are inlined there, the inner ones first")

#define LT_ROW_LIFETIME(C)	\
	C(space, "space", TEXT, F | Q, true, lt_space_words(l->space)->name, "kind of memory")	\
	C(kind, "kind", TEXT, L | F | Q, true, lt_kind_name(lt_lifetime_kind(l)), "how it was allocated")	\
	C(address, "address", HEX, L | F | N | LT_COLUMN_SECRET, true, l->ptr, "address of the object")	\
	C(cache, "cache", CACHE, L | F | Q | N, true, lt_lifetime_cache_key(c->kmalloc, l), "its cache, or device")	\
	C(bytes_req, "bytes_req", BYTES, L | F | Q | N, l->birth.known && l->bytes_req, l->bytes_req, \
	  "bytes requested")	\
	C(bytes_alloc, "bytes_alloc", BYTES, L | F | Q | N, l->birth.known && l->bytes_alloc, \
	  l->bytes_alloc, "bytes given")	\
	C(gfp, "gfp", GFP, L | F | Q | N, l->birth.known, l->gfp, "flags of the allocation")	\
	C(node, "node", SIGNED, L | F | Q | N, lt_lifetime_has_node(l), l->node, \
	  "node of NUMA that was asked for; -1: none")	\
	C(order, "page_order", COUNT, L | F | Q | N, l->space == LT_SPACE_PAGE, l->order, \
	  "order of a block of pages")	\
	C(birth, "birth_ns", INSTANT, L | F | Q | N, l->birth.known, l->birth.time, \
	  "when it was allocated")	\
	C(death, "death_ns", INSTANT, L | F | Q | N, l->ending != LT_END_ALIVE, l->death.time, \
	  "when it was freed")	\
	C(lifetime, "lifetime_ns", NS, L | F | Q | N, l->birth.known, lt_lifetime_ns(l), \
	  "how long it lived")	\
	C(certainty, "certainty", TEXT, L | F | Q, true, \
	  lt_certainty_name((enum lt_certainty)l->certainty), "how sure that is")	\
	C(ended_by, "ended_by", TEXT, L | F | Q, true, lt_ending_name((enum lt_ending)l->ending), \
	  "what ended it")	\
	C(rcu_request, "rcu_request_ns", INSTANT, L | F | N, l->ending == LT_END_RCU, l->death.time, \
	  "when kfree_rcu was called")	\
	C(rcu_limbo, "rcu_limbo_ns", NS, L | F | Q | N, l->ending == LT_END_RCU && \
	  l->rcu_confirmed >= l->death.time, l->rcu_confirmed - l->death.time, \
	  "how long from that to the free")	\
	C(recorder, "recorder", COUNT, F | Q, true, lt_own_lifetime(c->own, l), "lifetrace itself made it")	\
	LT_ROW_MOMENT(C, birth)	\
	LT_ROW_MOMENT(C, death)	\
	C(why, "why", NAME, L | F | Q | N, l->why, lt_row_why(c, l), "why the lifetime is not exact")	\
	C(bytes_last, "bytes_last", BYTES, L | F | Q | N, l->resized, l->bytes_last, \
	  "bytes requested last, of an object that was resized")

#endif /* LT_ROWS_LIFETIME_H */

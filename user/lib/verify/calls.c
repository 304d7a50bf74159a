// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Function calls: those of one thread and context lie in each other or apart; each is described,
 * and has the bytes of its values; and the module's counts of each function close, and agree with
 * the packets.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "calls/tree.h"
#include "trace/pass.h"
#include "verify/internal.h"

/* Calls of which it is open whether others lie around them; further ones are looked at anew. */
#define MOST_KEPT	(1U << 18)
#define MOST_NOTES	3	/* of one kind */

/* What was found. */
struct found {
	uint64_t calls;
	uint64_t crossing;
	uint64_t nowhere;	/* that began before the clock */
	uint64_t unknown;	/* of functions that are not described */
	uint64_t shorter;	/* than their values */
	uint64_t sums;		/* that do not close, or contradict the packets */
};

static void name_call(struct lt_checker *c, const struct lt_call *call, uint64_t n,
		      const char *what)
{
	char label[LT_CALL_LABEL];

	if (n <= MOST_NOTES)
		lt_check_note(c, LT_NO_OFFSET, "call of %s by thread %u on cpu %u, from %" PRIu64 " to %"
			      PRIu64 " ns: %s", lt_call_label(call, label), call->tid, call->cpu,
			      call->begin, call->end, what);
}

/* Values of a fixed size must be there. */
static bool has_bytes(const struct lt_call *call)
{
	uint32_t size = 0;

	for (unsigned int i = 0; i < call->function->n_values; i++) {
		const struct lt_call_form *form = &call->function->values[i];

		size += form->kind == LT_CALL_OF_TEXT ? 1 : form->size;
	}
	return size <= call->size;
}

static void check_call(struct lt_checker *c, struct found *f, const struct lt_call *call)
{
	f->calls++;
	if (!call->has_begin)
		name_call(c, call, ++f->nowhere, "expected a begin before its end, found one that is "
			  "before the clock's, or after the end");
	if (!call->function)
		name_call(c, call, ++f->unknown, "FUNCTIONS does not describe it");
	else if (!call->why && !has_bytes(call))
		name_call(c, call, ++f->shorter, "the record is shorter than its values");
}

static void check_nest(struct lt_checker *c, struct found *f, struct lt_call_trees *trees,
		       const struct lt_call *call, uint64_t ordered_from)
{
	const struct lt_call_node *node;

	/* Before that the clocks of CPUs were apart. */
	if (!call->has_begin || call->begin < ordered_from)
		return;
	node = lt_call_trees_add(trees, call);
	if (node && node->crosses)
		name_call(c, call, ++f->crossing, "the call before it in its thread ended after it "
			  "began, and does not lie in it");
	if (lt_call_trees_kept(trees) >= MOST_KEPT)
		lt_call_trees_release(trees);
}

/* What a pass over the trace looks at. */
struct pass {
	struct lt_checker *c;
	struct found *f;
	struct lt_calls *calls;
	struct lt_call_trees *trees;
	uint64_t ordered_from;
};

static int pass_event(void *arg, const struct lt_event *ev)
{
	struct pass *p = arg;
	struct lt_call call;

	if (!lt_calls_event(p->calls, ev, &call))
		return 0;
	check_call(p->c, p->f, &call);
	check_nest(p->c, p->f, p->trees, &call, p->ordered_from);
	return 0;
}

static void check_trace(struct lt_checker *c, struct found *f, struct lt_trace *t,
			struct lt_calls *calls)
{
	struct pass p = { .c = c, .f = f, .calls = calls, .trees = lt_call_trees_new(false),
			  .ordered_from = lt_trace_unordered_until(t) };

	lt_trace_pass(t, &(const struct lt_pass){ .event = pass_event, .arg = &p });
	lt_call_trees_free(p.trees);
}

/* ------------------------------------------------------------------------
 * Counts
 */

static void check_sum(struct lt_checker *c, struct found *f, const char *what, uint64_t least,
		      uint64_t most, uint64_t found)
{
	if (found >= least && found <= most)
		return;
	f->sums++;
	lt_check_note(c, LT_NO_OFFSET, "function calls that %s: expected %" PRIu64 " to %" PRIu64
		      " in the packets' counters, by the counts of the functions, found %" PRIu64,
		      what, least, most, found);
}

/*
 * Calls that were left out at their begin are not among those that returned; packets count both
 * kinds as filtered.
 */
static uint64_t check_counts(struct lt_checker *c, struct found *f,
			     const struct lt_functions *functions)
{
	const struct lt_function *fn = NULL;
	uint64_t n = 0, returned = 0, filtered = 0, open = 0;

	while ((fn = lt_function_next(functions, fn))) {
		const struct lt_function_counts *k = &fn->counts;

		if (!k->known)
			continue;
		n++;
		returned += k->returned;
		filtered += k->filtered;
		open += k->open + k->died;
		if (lt_function_closes(k))
			continue;
		if (++f->sums <= MOST_NOTES)
			lt_check_note(c, LT_NO_OFFSET, "%.64s: %" PRIu64 " calls entered, but %"
				      PRIu64 " returned, %" PRIu64 " ended inside and %" PRIu64 " were open",
				      fn->name, k->entered, k->returned, k->died, k->open);
	}
	/* In snapshots, and parts that have a later one, they are later than the packets. */
	if (!n || lt_check_goes_on(c))
		return n;
	check_sum(c, f, "returned", returned, returned + filtered,
		  lt_check_seen(c, LT_CLASS_CALL));
	check_sum(c, f, "did not return", 0, open, lt_check_seen(c, LT_CLASS_CALL_OPEN));
	return n;
}

void lt_check_calls(struct lt_checker *c)
{
	struct lt_trace *t = lt_trace_open(c->f->path);
	struct lt_calls *calls = NULL;
	struct found f = { 0 };
	uint64_t counted = 0;

	if (!t || !lt_trace_has_channel(t, LT_CHANNEL_CALL)) {
		lt_trace_close(t);
		return;
	}
	calls = lt_calls_new(t);
	if (!calls) {
		lt_check_fail(c, LT_CHECK_CALLS);
		lt_check_say(c, LT_CHECK_CALLS, "not checked: FUNCTIONS, which describes them, is not "
			     "valid");
		lt_trace_close(t);
		return;
	}
	check_trace(c, &f, t, calls);
	if (!c->newer)
		counted = check_counts(c, &f, lt_calls_functions(calls));
	c->v->checks[LT_CHECK_CALLS].failures += f.crossing + f.nowhere + f.unknown + f.shorter +
						 f.sums;
	lt_check_say(c, LT_CHECK_CALLS, "%" PRIu64 " function calls: in parts within another one %"
		     PRIu64 ", without a begin %" PRIu64 ", not described %" PRIu64
		     ", shorter than their values %" PRIu64 "; counts of %" PRIu64
		     " functions, which do not close %" PRIu64, f.calls, f.crossing, f.nowhere,
		     f.unknown, f.shorter, counted, f.sums);
	lt_calls_free(calls);
	lt_trace_close(t);
}

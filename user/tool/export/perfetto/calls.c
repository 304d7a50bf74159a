// SPDX-License-Identifier: GPL-2.0
/*
 * Perfetto: function calls, as slices in each other on a track below that of their thread; those in
 * interrupts, and those of threads without a track, on tracks of their own.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "calls/losses.h"
#include "calls/memory.h"
#include "calls/text.h"
#include "export/perfetto/perfetto.h"
#include "syscalls/syscall.h"

/**
 * struct lt_pf_calls - the calls of a trace
 * @tb: NULL: the trace has no tasks
 * @style: of arguments and results
 * @memory: NULL: the trace has no allocations
 * @losses: while trees are written
 * @text: arguments or a result
 * @others: some have no thread with a track, so that there is one above theirs
 * @begun: by number of the group: it has a track
 * @n: length of @begun
 */
struct lt_pf_calls {
	struct lt_pf_out *o;
	const struct lt_trace *t;
	const struct lt_tasks *tb;
	struct lt_calls *calls;
	struct lt_call_trees *trees;
	struct lt_call_memory *memory;
	struct lt_call_losses *losses;
	struct lt_call_style style;
	struct lt_str text;
	bool others;
	bool *begun;
	size_t n;
};

static void put_notes(struct lt_pf_calls *c, const struct lt_call_node *node)
{
	const struct lt_call *call = &node->call;
	struct lt_pf_out *o = c->o;

	c->text.n = 0;
	lt_str_put(&c->text, "");
	lt_call_put_args(&c->text, call, &c->style);
	lt_pf_note_printable(o, "args", c->text.s);
	c->text.n = 0;
	lt_str_put(&c->text, "");
	if (call->why)
		lt_pf_note(o, "ended", lt_call_end_name(call->why));
	else if (lt_call_put_result(&c->text, call, &c->style))
		lt_pf_note_printable(o, "result", c->text.s);
	if (lt_call_error(call))
		lt_pf_note(o, "error", lt_error_name(lt_call_error(call)));
	if (call->function && call->function->module)
		lt_pf_note(o, "module", call->function->module);
	if (call->has_memory && call->allocated.objects) {
		lt_pf_note_number(o, "objects allocated", call->allocated.objects);
		lt_pf_note_number(o, "bytes allocated", call->allocated.bytes);
	}
	if (!call->has_begin)
		lt_pf_note(o, "begin", "before the trace, or not known");
	if (lt_call_node_uncertain(c->losses, node))
		lt_pf_note(o, "uncertain", "calls in it may be missing");
}

static uint64_t track_of(struct lt_pf_calls *c, const struct lt_call_group *g, size_t number)
{
	static const struct lt_pf_track others = {
		.id = LT_PF_TRACK(LT_PF_ROOT, LT_PF_OTHER_CALLS),
		.name = "Function calls in interrupts, and of other threads",
	};
	bool in_task = g->context == LT_CTX_TASK;
	uint32_t inst = c->tb && in_task && g->tid ? lt_tasks_find(c->tb, g->tid, g->start) : 0;
	const char *comm = g->task ? lt_task_comm_at(g->task, g->roots[0]->call.begin) : NULL;
	struct lt_pf_track track = { .id = LT_PF_TRACK(LT_PF_CALLS, number) };
	char name[64];

	if (number >= c->n)
		c->begun = lt_extend(c->begun, &c->n, number + 1, sizeof(*c->begun));
	if (c->begun[number])
		return track.id;
	track.parent = inst ? LT_PF_TRACK(LT_PF_THREAD, inst) : others.id;
	if (inst)
		snprintf(name, sizeof(name), "Function calls");
	else if (g->cpu != LT_ANY_CPU)
		snprintf(name, sizeof(name), "%s on cpu %u", in_task ? "idle" :
			 lt_context_name(g->context), g->cpu);
	else
		snprintf(name, sizeof(name), "%s-%u", comm ? comm : "(unknown)", g->tid);
	track.name = name;
	if (!inst && !c->others)
		lt_pf_track(c->o, &others);
	c->others |= !inst;
	lt_pf_track(c->o, &track);
	c->begun[number] = true;
	return track.id;
}

/* A track, and when the latest slice on it ends that has ended. */
struct drawn {
	uint64_t track;
	uint64_t last;
};

static void put_edge(struct lt_pf_calls *c, struct drawn *d, const struct lt_call_node *node,
		     bool end)
{
	const struct lt_call *call = &node->call;
	uint64_t time = end || !call->has_begin ? call->end : call->begin;
	char label[LT_CALL_LABEL];
	uint64_t late;

	/* Without an end the slice is drawn up to the end of the trace, and later ones in it. */
	if (end && call->why == LT_CALL_AT_END)
		return;
	/* A jump at a function's end: both return at once, and the inner one has the time of it. */
	if (node->up && !node->up->call.why && time > node->up->call.end)
		time = node->up->call.end;
	/* Of an open call its frame may say that it is not around what began in it: a loss. */
	late = time < d->last ? d->last - time : 0;
	d->last = time + late;
	if (!end)
		put_notes(c, node);
	if (!end && late)
		lt_pf_note_number(c->o, "ns drawn late", late);
	lt_pf_event(c->o, end ? LT_PF_END : LT_PF_BEGIN, d->track, d->last,
		    end ? NULL : lt_call_label(call, label));
}

/*
 * Each call begins before those in it, and ends after them: of equal times the order in the file is
 * what counts.
 */
static void put_tree(struct lt_pf_calls *c, struct drawn *d, const struct lt_call_node *root)
{
	const struct lt_call_node *node = root, *next;
	uint32_t left;

	for (; node; node = next) {
		next = lt_call_node_next(root, node, &left);
		put_edge(c, d, node, false);
		for (; left; left--, node = node->up)
			put_edge(c, d, node, true);
	}
}

static void put_trees(struct lt_pf_calls *c)
{
	const struct lt_call_group *const *groups;
	size_t n = lt_call_trees_groups(c->trees, &groups);

	c->losses = lt_call_losses_new(c->t);
	for (size_t i = 0; i < n; i++) {
		struct drawn d = { .last = 0 };

		if (!groups[i]->n)
			continue;
		d.track = track_of(c, groups[i], i);
		for (size_t k = 0; k < groups[i]->n; k++)
			put_tree(c, &d, groups[i]->roots[k]);
	}
	lt_call_losses_free(c->losses);
}

struct lt_pf_calls *lt_pf_calls_new(struct lt_pf_out *o, const struct lt_export *e)
{
	struct lt_calls *calls = lt_calls_new(e->trace);
	struct lt_pf_calls *c;

	if (!calls)
		return NULL;
	c = lt_alloc(sizeof(*c));
	c->o = o;
	c->t = e->trace;
	c->tb = e->tasks;
	c->calls = calls;
	c->trees = lt_call_trees_new(true);
	c->memory = lt_call_memory_new(e->trace);
	c->style = (struct lt_call_style){ .t = e->trace, .hidden = !e->opts->addresses };
	return c;
}

void lt_pf_calls_event(struct lt_pf_calls *c, const struct lt_event *ev)
{
	struct lt_call call;

	if (c->memory)
		lt_call_memory_event(c->memory, ev);
	if (!lt_calls_event(c->calls, ev, &call))
		return;
	if (c->memory)
		lt_call_memory_take(c->memory, &call);
	lt_call_trees_add(c->trees, &call);
	if (lt_call_trees_kept(c->trees) < LT_CALL_TREES_MOST)
		return;
	put_trees(c);
	lt_call_trees_release(c->trees);
}

void lt_pf_calls_finish(struct lt_pf_calls *c)
{
	if (!c)
		return;
	lt_call_trees_finish(c->trees);
	put_trees(c);
	lt_call_trees_free(c->trees);
	lt_call_memory_free(c->memory);
	lt_calls_free(c->calls);
	free(c->text.s);
	free(c->begun);
	free(c);
}

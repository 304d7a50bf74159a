// SPDX-License-Identifier: GPL-2.0
/*
 * Trees of calls, as ftrace's function_graph has them: a call without others in it is one line, of
 * others the result stands on the closing brace.
 */
#include <inttypes.h>
#include <string.h>

#include "calls/text.h"
#include "lifetimes/lifetime.h"
#include "print/calls.h"

#define MAX_INDENT	60	/* levels; a chain of a million calls must not fill a disk */

/**
 * struct graph - printing
 * @any: something was printed
 * @below: of an interrupt's group: that of the task; NULL: not known
 */
struct graph {
	struct lt_calls_view *v;
	const struct lt_call_trees *trees;
	const struct lt_call_losses *losses;
	const struct lt_call_group *below;
	struct lt_call_style style;
	bool any;
};

/* As function_graph marks them: from 10 us, 100 us, 1 ms, 10 ms, 100 ms, 1 s on. */
static char mark_of(uint64_t ns)
{
	static const char marks[] = " +!#*@$";
	uint64_t limit = 10000;
	unsigned int i = 0;

	for (; i < 6 && ns > limit; i++)
		limit *= 10;
	return marks[i];
}

/* Time, CPU and, at the end of a call, how long it took; then as far as the level goes. */
static void put_margin(struct graph *g, const struct lt_call *call, uint64_t time, bool ended,
		       uint32_t level)
{
	uint64_t ns = lt_call_duration(call);
	struct lt_out *o = g->v->out;

	lt_times_column(&g->v->times, o, time);
	lt_outf(o, " %3u) ", call->cpu);
	if (ended && call->has_begin && !call->why)
		lt_outf(o, "%c %7" PRIu64 ".%03" PRIu64 " us |  ", mark_of(ns), ns / 1000,
			ns % 1000);
	else
		lt_out_str(o, "                 |  ");
	for (uint32_t i = 0; i < level && i < MAX_INDENT; i++)
		lt_out_str(o, "  ");
}

static void put_text(struct graph *g)
{
	lt_out_text(g->v->out, g->v->text.s, g->v->text.n);
}

static void put_name(struct graph *g, const struct lt_call *call)
{
	char label[LT_CALL_LABEL];

	g->v->text.n = 0;
	lt_str_put(&g->v->text, lt_call_label(call, label));
	lt_str_put(&g->v->text, "(");
}

static void put_result(struct graph *g, const struct lt_call *call)
{
	lt_str_put(&g->v->text, " = ");
	if (!lt_call_put_result(&g->v->text, call, &g->style))
		g->v->text.s[g->v->text.n -= 3] = 0;
}

/* What an interrupt has come into. */
static void put_interrupted(struct graph *g, const struct lt_call *call)
{
	const struct lt_call_node *in = g->below ? lt_call_group_at(g->below, call->begin) : NULL;
	struct lt_out *o = g->v->out;
	char label[LT_CALL_LABEL];
	const char *name;

	lt_out_str(o, " /* in ");
	lt_calls_put_task(o, call->task, call->tid, call->begin);
	if (in) {
		name = lt_call_label(&in->call, label);
		lt_out_str(o, ", in ");
		lt_out_text(o, name, strlen(name));
	}
	lt_out_str(o, " */");
}

static void put_remarks(struct graph *g, const struct lt_call_node *node)
{
	struct lt_out *o = g->v->out;

	if (node->tail)
		lt_out_str(o, " /* by a jump */");
	if (!node->up && node->call.context != LT_CTX_TASK)
		put_interrupted(g, &node->call);
	if (lt_call_node_uncertain(g->losses, node))
		lt_out_str(o, " /* uncertain: calls in it may be missing */");
	if (node->call.why == LT_CALL_DIED)
		lt_out_str(o, " /* its thread ended inside */");
	else if (node->call.why)
		lt_out_str(o, " /* open at the end */");
	lt_out_char(o, '\n');
}

/* What its task allocated in it, and in all that it called. */
static void put_memory(struct graph *g, const struct lt_call *call)
{
	if (call->has_memory && call->allocated.objects)
		lt_outf(g->v->out, " /* %" PRIu64 " objects, %" PRIu64 " bytes */",
			call->allocated.objects, call->allocated.bytes);
}

static void put_leaf(struct graph *g, const struct lt_call_node *node, uint32_t level)
{
	put_margin(g, &node->call, node->call.begin, true, level);
	put_name(g, &node->call);
	lt_call_put_args(&g->v->text, &node->call, &g->style);
	lt_str_put(&g->v->text, ")");
	put_result(g, &node->call);
	lt_str_put(&g->v->text, ";");
	put_text(g);
	put_memory(g, &node->call);
	put_remarks(g, node);
}

static void put_opening(struct graph *g, const struct lt_call_node *node, uint32_t level)
{
	put_margin(g, &node->call, node->call.begin, false, level);
	put_name(g, &node->call);
	if (node->call.function && !node->call.system)
		lt_call_put_values(&g->v->text, &node->call, LT_CALL_AT_ENTRY, &g->style);
	else
		lt_call_put_args(&g->v->text, &node->call, &g->style);
	lt_str_put(&g->v->text, ") {");
	put_text(g);
	put_remarks(g, node);
}

/* Values of the return stand with the result. */
static void put_closing(struct graph *g, const struct lt_call_node *node, uint32_t level)
{
	struct lt_str *text = &g->v->text;
	size_t before;

	put_margin(g, &node->call, node->call.end, true, level);
	text->n = 0;
	lt_str_put(text, "} (");
	before = text->n;
	lt_call_put_values(text, &node->call, LT_CALL_AT_RETURN, &g->style);
	if (text->n == before)
		text->s[text->n -= 2] = 0;
	else
		lt_str_put(text, ")");
	put_result(g, &node->call);
	put_text(g);
	put_memory(g, &node->call);
	lt_out_char(g->v->out, '\n');
}

static void put_tree(struct graph *g, const struct lt_call_node *root)
{
	const struct lt_call_node *node = root, *next;
	uint32_t level = 0, left;

	for (; node; node = next) {
		next = lt_call_node_next(root, node, &left);
		if (!left) {
			put_opening(g, node, level++);
			continue;
		}
		put_leaf(g, node, level);
		for (; --left; node = node->up)
			put_closing(g, node->up, --level);
	}
}

static void put_head(struct graph *g, const struct lt_call_group *group)
{
	struct lt_out *o = g->v->out;

	lt_out_str(o, g->any ? "\n" : "");
	g->any = true;
	if (group->context != LT_CTX_TASK)
		lt_outf(o, "%s on cpu %u, in ", lt_context_name(group->context), group->cpu);
	lt_calls_put_task(o, group->task, group->tid, group->roots[0]->call.begin);
	if (group->tgid && group->tgid != group->tid)
		lt_outf(o, ", process %u", group->tgid);
	if (group->context == LT_CTX_TASK && group->cpu != LT_ANY_CPU)
		lt_outf(o, " of cpu %u", group->cpu);
	lt_out_str(o, ":\n");
}

static void put_group(struct graph *g, const struct lt_call_group *group)
{
	bool headed = false;

	g->below = lt_call_group_below(g->trees, group);
	for (size_t i = 0; i < group->n; i++) {
		const struct lt_call_node *root = group->roots[i], *node = root;
		bool behind = false;

		while ((node = lt_call_node_chosen(root, node, behind, &g->v->choice))) {
			if (!headed)
				put_head(g, group);
			put_tree(g, node);
			headed = behind = true;
		}
	}
}

void lt_calls_graph(struct lt_calls_view *v, const struct lt_call_trees *c,
		    const struct lt_call_losses *l)
{
	struct graph g = { .v = v, .trees = c, .losses = l, .style = { .t = v->t } };
	const struct lt_call_group *const *groups;
	size_t n = lt_call_trees_groups(c, &groups);

	for (size_t i = 0; i < n; i++)
		put_group(&g, groups[i]);
}

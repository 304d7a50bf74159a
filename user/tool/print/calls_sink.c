// SPDX-License-Identifier: GPL-2.0
/*
 * Which function calls are printed.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/quantity.h"
#include "calls/memory.h"
#include "calls/outer.h"
#include "out/log.h"
#include "print/calls.h"
#include "print/calls_sink.h"
#include "print/self.h"

/**
 * struct calls_sink - printing
 * @t: NULL: begin() was not called
 * @trees: NULL: lines are printed
 * @outer: system calls, around function calls; NULL: they are not wanted, or there are none
 * @memory: what was allocated in calls; NULL: the trace does not have it
 * @own: calls of the recorder that were left out
 * @in_parts: trees were printed before the end
 */
struct calls_sink {
	struct lt_sink sink;
	struct lt_calls_options o;
	struct lt_trace *t;
	struct lt_out out;
	struct lt_calls_view view;
	struct lt_calls *calls;
	struct lt_call_trees *trees;
	struct lt_call_outer *outer;
	struct lt_call_memory *memory;
	struct lt_calls_sums *sums;
	struct lt_calls_flame *flame;
	uint32_t recorder;
	uint64_t own;
	bool in_parts;
};

static bool is_listed(const char *list, const char *name)
{
	char word[128];

	while (list) {
		size_t n = strcspn(list, ",");

		if (n < sizeof(word)) {
			memcpy(word, list, n);
			word[n] = 0;
			if (!fnmatch(word, name, 0))
				return true;
		}
		list = list[n] ? list + n + 1 : NULL;
	}
	return false;
}

/* A misspelled name is an error: printing nothing would look like 'there was no such call'. */
static bool check_names(const struct calls_sink *s)
{
	const struct lt_functions *f = lt_calls_functions(s->calls);
	char *copy, *rest, *word, hint[2 * LT_NEAREST_SIZE];
	bool good = true;

	if (!s->o.functions)
		return true;
	copy = rest = lt_strdup(s->o.functions);
	while (good && (word = strsep(&rest, ","))) {
		const struct lt_function *fn = NULL;
		struct lt_nearest nearest;

		lt_nearest_init(&nearest, word);
		good = false;
		while (!good && (fn = lt_function_next(f, fn))) {
			good = is_listed(word, fn->name);
			lt_nearest_try(&nearest, fn->name);
		}
		if (!good)
			lt_error("%s: --function: no function '%s' was recorded%s",
				 lt_trace_path(s->t), word,
				 lt_nearest_hint(&nearest, "", hint, sizeof(hint)));
	}
	free(copy);
	return good;
}

static bool is_wanted(void *arg, const struct lt_call *call)
{
	const struct lt_task who = { .tid = call->tid, .start = call->start };
	struct calls_sink *s = arg;
	const struct lt_calls_options *o = &s->o;
	char label[LT_CALL_LABEL];

	/* First, since the filter looks at all names of the trace. */
	if (o->filter && !lt_filter_act(o->filter, call->task ? call->task : &who,
					lt_call_comm(call), call->context, call->begin, call->cpu,
					call->end))
		return false;
	return (!o->failed || lt_call_error(call)) &&
	       (!o->min || (call->has_begin && lt_call_duration(call) >= o->min)) &&
	       (!o->functions || is_listed(o->functions, lt_call_label(call, label)));
}

static bool is_of_recorder(const struct calls_sink *s, const struct lt_call *call)
{
	if (!s->recorder || s->o.self || call->context != LT_CTX_TASK)
		return false;
	return call->tgid ? call->tgid == s->recorder : call->tid == s->recorder;
}

/* ------------------------------------------------------------------------
 * Trees
 */

static void print_trees(struct calls_sink *s)
{
	struct lt_call_losses *l;

	if (s->o.what == LT_CALLS_FLAME) {
		lt_calls_flame_add(s->flame, s->trees, &s->view.choice);
		return;
	}
	l = lt_call_losses_new(s->t);
	lt_calls_graph(&s->view, s->trees, l);
	lt_call_losses_free(l);
}

static void take(struct calls_sink *s, const struct lt_call *call)
{
	const struct lt_call_node *node = s->trees ? lt_call_trees_add(s->trees, call) : NULL;

	if (s->o.what == LT_CALLS_LINES && is_wanted(s, call))
		lt_calls_print(&s->view, call);
	else if (s->o.what == LT_CALLS_SUMMARY && is_wanted(s, call))
		lt_calls_sums_add(s->sums, call, node ? lt_call_node_self(node) : 0);
	if (!s->trees || lt_call_trees_kept(s->trees) < LT_CALL_TREES_MOST)
		return;
	if (s->o.what != LT_CALLS_SUMMARY)
		print_trees(s);
	s->in_parts = true;
	lt_call_trees_release(s->trees);
}

static void take_outer(void *arg, const struct lt_call *call)
{
	struct calls_sink *s = arg;

	if (!is_of_recorder(s, call))
		lt_call_trees_add(s->trees, call);
}

/* ------------------------------------------------------------------------
 * The sink
 */

static int begin(struct lt_sink *sink, struct lt_trace *t)
{
	struct calls_sink *s = (struct calls_sink *)sink;

	s->t = t;
	if (!lt_trace_has_channel(t, LT_CHANNEL_CALL)) {
		lt_error("%s: function calls were not recorded: record --call=NAME records those of NAME",
			 lt_trace_path(t));
		return -1;
	}
	s->calls = lt_calls_new(t);
	if (!s->calls)
		return -1;
	if (lt_text_is_damaged(t, LT_BLOCK_FUNCTIONS))
		lt_warn("%s: a block FUNCTIONS is damaged: functions may not be described",
			lt_trace_path(t));
	if (!check_names(s))
		return -1;
	s->recorder = lt_trace_recorder(t);
	s->view = (struct lt_calls_view){
		.out = &s->out, .format = s->o.format, .columns = s->o.columns, .t = t,
		.choice = { is_wanted, s },
	};
	if (lt_times_init(&s->view.times, s->o.times, t))
		return -1;
	if (s->o.what != LT_CALLS_LINES)
		s->trees = lt_call_trees_new(s->o.what != LT_CALLS_SUMMARY);
	if (s->o.what == LT_CALLS_GRAPH || s->o.what == LT_CALLS_FLAME)
		s->outer = lt_call_outer_new(t, take_outer, s);
	s->memory = lt_call_memory_new(t);
	s->sums = lt_calls_sums_new(lt_calls_functions(s->calls));
	s->flame = lt_calls_flame_new();
	if (s->o.what == LT_CALLS_LINES)
		lt_calls_begin(&s->view);
	return 0;
}

static int event(struct lt_sink *sink, const struct lt_event *ev)
{
	struct calls_sink *s = (struct calls_sink *)sink;
	struct lt_call call;

	lt_times_begin(&s->view.times);
	if (s->outer)
		lt_call_outer_event(s->outer, ev);
	if (s->memory)
		lt_call_memory_event(s->memory, ev);
	if (!lt_calls_event(s->calls, ev, &call))
		return 0;
	if (s->memory)
		lt_call_memory_take(s->memory, &call);
	if (is_of_recorder(s, &call))
		s->own++;
	else
		take(s, &call);
	return s->out.error ? -1 : 0;
}

static int step(struct lt_sink *sink)
{
	struct calls_sink *s = (struct calls_sink *)sink;

	return s->out.used && lt_out_flush(&s->out) ? -1 : 0;
}

/* Whether the sums are those of all calls, so that the module's counts are beside them. */
static bool are_all(const struct lt_calls_options *o)
{
	return !o->filter && !o->functions && !o->failed && !o->min;
}

static void say_lost(const struct calls_sink *s)
{
	struct lt_class_counts n = lt_trace_counts(s->t, LT_CLASS_CALL);
	uint64_t inside = n.lost_nested + n.lost_nmi, lost = lt_lost(&n) - inside;

	if (lost)
		lt_warn("%s: %" PRIu64 " function calls were lost: the buffers were full; larger ones: "
			"the module's parameter call_n_subbufs", lt_trace_path(s->t), lost);
	if (inside)
		lt_warn("%s: %" PRIu64 " function calls are counted and not printed: the module made them "
			"while it wrote a record, or an NMI did", lt_trace_path(s->t), inside);
	if (s->memory && lt_call_memory_lacking(s->memory))
		lt_warn("%s: what was allocated in a call lacks a part for %" PRIu64 " calls, in which a "
			"thread allocated very often", lt_trace_path(s->t),
			lt_call_memory_lacking(s->memory));
	if (s->in_parts && s->o.what == LT_CALLS_SUMMARY)
		lt_warn("%s: there are more than %u calls of which it was open whether others have made "
			"them: the time that callers took by themselves may be too great",
			lt_trace_path(s->t), LT_CALL_TREES_MOST);
	else if (s->in_parts)
		lt_warn("%s: there are more than %u calls: trees are made of that many at a time, and "
			"calls around them are uncertain", lt_trace_path(s->t), LT_CALL_TREES_MOST);
}

static int finish(struct calls_sink *s)
{
	char self[128];

	if (s->outer)
		lt_call_outer_finish(s->outer);
	if (s->trees)
		lt_call_trees_finish(s->trees);
	if (s->o.what == LT_CALLS_SUMMARY)
		lt_calls_sums_print(s->sums, s->o.sort, s->o.columns, are_all(&s->o), &s->out,
				    s->o.format);
	else if (s->trees)
		print_trees(s);
	if (s->o.what == LT_CALLS_FLAME)
		lt_calls_flame_print(s->flame, &s->out);
	if (s->own)
		lt_warn("%s", lt_self_text(s->own, "call", self, sizeof(self)));
	say_lost(s);
	return s->out.error ? -1 : 0;
}

static int end(struct lt_sink *sink)
{
	struct calls_sink *s = (struct calls_sink *)sink;
	bool begun = s->sums;
	int err = begun ? finish(s) : 0;

	if (lt_out_close(&s->out))
		err = -1;
	/* What is being recorded need not have every name. */
	if (begun && s->o.filter && !err && !lt_trace_is_live(s->t))
		err = lt_filter_finish(s->o.filter, s->t);
	lt_calls_end(&s->view);
	lt_call_outer_free(s->outer);
	lt_call_memory_free(s->memory);
	lt_call_trees_free(s->trees);
	lt_calls_sums_free(s->sums);
	lt_calls_flame_free(s->flame);
	lt_calls_free(s->calls);
	free(s);
	return err;
}

struct lt_sink *lt_calls_sink_new(const struct lt_calls_options *o, int fd)
{
	struct calls_sink *s = lt_alloc(sizeof(*s));

	s->sink = (struct lt_sink){ .begin = begin, .event = event, .end = end, .step = step,
				    .fd = -1 };
	s->o = *o;
	s->out = (struct lt_out)LT_OUT_INIT(fd);
	return &s->sink;
}

void lt_calls_sink_width(struct lt_sink *sink, unsigned int width)
{
	((struct calls_sink *)sink)->out.width = width;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Which system calls are printed, of a trace or of a running session.
 */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/pool.h"
#include "out/log.h"
#include "print/self.h"
#include "print/syscalls.h"
#include "print/syscalls_sink.h"
#include "syscalls/paths.h"
#include "syscalls/syscall.h"
#include "syscalls/uring.h"
#include "tasks/event.h"

/* A task that the command is, or has created. @shown: its calls are printed. */
struct member {
	uint32_t tid;
	uint64_t start;
	bool shown;
};

/**
 * struct syscalls_sink - printing
 * @t: NULL: begin() was not called
 * @members: tasks of the command that have not been released, struct member. @map has their
 *	numbers.
 * @own: calls of the recorder that were left out
 */
struct syscalls_sink {
	struct lt_sink sink;
	struct lt_syscalls_options o;
	struct lt_trace *t;
	struct lt_out out;
	struct lt_syscalls_view view;
	struct lt_syscalls *calls;
	struct lt_requests *requests;
	struct lt_syscall_paths *paths;
	struct lt_syscalls_sums *sums;
	struct lt_syscalls_tree *tree;
	struct lt_task_decoder *decoder;
	uint32_t recorder;
	uint64_t own;
	struct lt_pool members;
	struct lt_map map;
	uint64_t seed;
};

/* ------------------------------------------------------------------------
 * The tasks of the command
 */

static uint32_t hash_of(const struct syscalls_sink *s, uint32_t tid, uint64_t start)
{
	return (uint32_t)lt_hash64(tid ^ start << 22, s->seed);
}

/* Return: the number of the member; 0: it is none. */
static uint32_t find(const struct syscalls_sink *s, uint32_t tid, uint64_t start)
{
	uint32_t number;

	lt_map_for_each(number, at, &s->map, hash_of(s, tid, start)) {
		const struct member *m = lt_pool_at(&s->members, number);

		if (m->tid == tid && m->start == start)
			return number;
	}
	return 0;
}

static void add(struct syscalls_sink *s, uint32_t tid, uint64_t start, bool shown)
{
	uint32_t number;

	if (find(s, tid, start))
		return;
	number = lt_pool_get(&s->members);
	*(struct member *)lt_pool_at(&s->members, number) = (struct member){ tid, start, shown };
	lt_map_add(&s->map, hash_of(s, tid, start), number);
}

static void forget(struct syscalls_sink *s, uint32_t tid, uint64_t start)
{
	uint32_t number = find(s, tid, start);

	if (!number)
		return;
	lt_map_remove(&s->map, hash_of(s, tid, start), number);
	lt_pool_put(&s->members, number);
}

/*
 * A member executes a program: from now on its calls are its own. Where the thread was not the
 * leader, it has the leader's number afterwards.
 */
static void show(struct syscalls_sink *s, const struct lt_task_event *e)
{
	if (!find(s, e->tid, e->start) && !find(s, e->old_tid, e->old_start))
		return;
	forget(s, e->old_tid, e->old_start);
	forget(s, e->tid, e->start);
	add(s, e->tid, e->start, true);
}

/*
 * The command is what the recorder creates, but for its own threads: seen when it is created, or
 * in the first snapshot.
 */
static void on_member(struct syscalls_sink *s, const struct lt_task_event *e)
{
	uint32_t creator;

	switch (e->id) {
	case LT_EV_STATE:
		if (e->parent == s->recorder && e->tgid != s->recorder)
			add(s, e->tid, e->start, false);
		break;
	case LT_EV_TASK_NEW:
		creator = find(s, e->creator, e->creator_start);
		if (creator)
			add(s, e->tid, e->start,
			    ((struct member *)lt_pool_at(&s->members, creator))->shown);
		else if (e->creator == s->recorder && e->tgid != s->recorder)
			add(s, e->tid, e->start, false);
		break;
	case LT_EV_EXEC:
		show(s, e);
		break;
	case LT_EV_RELEASE:
		forget(s, e->tid, e->start);
		break;
	}
}

/* A process inherits descriptors from its creator. */
static void on_descriptors(struct syscalls_sink *s, const struct lt_task_event *e)
{
	switch (e->id) {
	case LT_EV_STATE:
		lt_syscall_paths_task(s->paths, e->tid, e->tgid);
		break;
	case LT_EV_TASK_NEW:
		lt_syscall_paths_born(s->paths, e->time, e->creator, e->tid, e->tgid,
				      e->clone_flags);
		break;
	case LT_EV_RELEASE:
		lt_syscall_paths_gone(s->paths, e->tid);
		break;
	}
}

static void on_task(struct syscalls_sink *s, const struct lt_event *ev)
{
	struct lt_task_event e;

	if (lt_task_decode(s->decoder, lt_trace_packet(s->t), lt_trace_desc(s->t), ev, &e) <= 0)
		return;
	if (s->recorder)
		on_member(s, &e);
	if (s->paths)
		on_descriptors(s, &e);
}

/* Calls of the command before it is executed are the recorder's. */
static bool is_of_command(struct syscalls_sink *s, const struct lt_syscall *call)
{
	const char *name = lt_syscall_name(call->abi, call->nr);
	uint32_t number = find(s, call->tid, call->start);
	struct member *m;

	if (!number)
		return false;
	m = lt_pool_at(&s->members, number);
	if (name && !strncmp(name, "execve", strlen("execve")) &&
	    call->how == LT_SYSCALL_RETURNED &&
	    !call->result)
		m->shown = true;
	return m->shown;
}

/*
 * Its threads, and what its children do before they execute the command. Where events were lost,
 * that may be one of them: then a child is not the recorder.
 */
static bool is_of_recorder(const struct syscalls_sink *s, const struct lt_syscall *call)
{
	uint32_t number;

	if (!s->recorder || s->o.self)
		return false;
	if (call->tgid ? call->tgid == s->recorder : call->tid == s->recorder)
		return true;
	number = lt_trace_n_gaps(s->t) ? 0 : find(s, call->tid, call->start);
	return number && !((const struct member *)lt_pool_at(&s->members, number))->shown;
}

/* ------------------------------------------------------------------------
 * Calls
 */

/*
 * Whether a call is one of a list of names, patterns and numbers.
 * Numbers are not those of requests.
 */
static bool is_listed(const char *list, const struct lt_abi *abi, int32_t nr)
{
	char word[64], buf[LT_SYSCALL_LABEL], number[LT_SYSCALL_LABEL];
	const char *name = lt_syscall_label(abi, nr, buf);

	snprintf(number, sizeof(number), "%" PRId32, nr);
	while (list) {
		size_t n = strcspn(list, ",");

		if (n < sizeof(word)) {
			memcpy(word, list, n);
			word[n] = 0;
			if (!fnmatch(word, name, 0) ||
			    (abi != lt_abi_of_requests() && !strcmp(word, number)))
				return true;
		}
		list = list[n] ? list + n + 1 : NULL;
	}
	return false;
}

static void take(void *arg, const struct lt_syscall *call);

/* With the paths of its descriptors. */
static void take_with_paths(void *arg, const struct lt_syscall *call)
{
	struct syscalls_sink *s = arg;
	struct lt_syscall copy = *call;

	lt_syscall_paths_show(s->paths, &copy);
	take(s, &copy);
	lt_syscall_paths_update(s->paths, &copy);
}

/* Of the call itself: when it is decided, any event may be the trace's latest. */
static bool passes(struct syscalls_sink *s, const struct lt_syscall *call)
{
	const struct lt_task who = { .tid = call->tid, .start = call->start };
	const char *comm = lt_syscall_comm(call);

	return !s->o.filter ||
	       lt_filter_act(s->o.filter, call->task ? call->task : &who, comm,
			     LT_CTX_TASK, lt_syscall_named(call), call->cpu, call->end);
}

static void take(void *arg, const struct lt_syscall *call)
{
	struct syscalls_sink *s = arg;
	const struct lt_syscalls_options *o = &s->o;

	/* It looks at each call, to know when the command begins. */
	if (o->only_command && !is_of_command(s, call))
		return;
	/* First, since the filter looks at all names of the trace. */
	if (!passes(s, call) || (o->errors && !lt_syscall_error(call)) ||
	    (o->min && (!call->has_begin || lt_syscall_duration(call) < o->min)) ||
	    (o->calls && !is_listed(o->calls, call->abi, call->nr)))
		return;
	if (is_of_recorder(s, call)) {
		s->own++;
		return;
	}
	if (o->tree)
		lt_syscalls_tree_add(s->tree, call);
	else if (o->summary)
		lt_syscalls_sums_add(s->sums, call);
	else
		lt_syscalls_print(&s->view, call);
}

/* A misspelled name is an error: printing nothing would look like 'there was no such call'. */
static bool check_names(const struct lt_syscalls_options *o, const struct lt_trace *t)
{
	const struct lt_abi *abi = lt_abi_of(lt_trace_info(t, "machine"), false);
	const struct lt_abi *abi32 = lt_abi_of(lt_trace_info(t, "machine"), true);
	char *copy, *rest, *word;
	bool good = true;
	int32_t number;

	if (!o->calls)
		return true;
	copy = rest = lt_strdup(o->calls);
	while (good && (word = strsep(&rest, ","))) {
		good = lt_syscall_is_number(word, &number);
		for (int32_t nr = 0; nr < LT_ABOVE_NAMES && !good; nr++)
			good = is_listed(word, abi, nr) || is_listed(word, abi32, nr) ||
			       is_listed(word, lt_abi_of_requests(), nr);
		if (!good && !abi)
			lt_error("%s: --calls: the names of its machine's system calls are not known",
				 lt_trace_path(t));
		else if (!good)
			lt_error("%s: --calls: its machine has no system call '%s'",
				 lt_trace_path(t), word);
	}
	free(copy);
	return good;
}

/* Without a sign of it, "no path" would look like "no file". */
static bool check_paths(const struct lt_trace *t)
{
	const char *missing = lt_syscall_paths_missing(t),
		   *strings = lt_trace_info(t, "call_texts");

	if (missing) {
		lt_error("%s: --paths: the calls that open and close files are not all there: it was recorded with %s",
			 lt_trace_path(t), missing);
		return false;
	}
	if (strings && !strcmp(strings, "0"))
		lt_warn("%s: --paths: no path is known, since strings were not recorded: record --strings records them",
			lt_trace_path(t));
	return true;
}

/* ------------------------------------------------------------------------
 * The sink
 */

static int begin(struct lt_sink *sink, struct lt_trace *t)
{
	struct syscalls_sink *s = (struct syscalls_sink *)sink;

	s->t = t;
	if (!lt_trace_has_channel(t, LT_CHANNEL_SYSCALL)) {
		lt_error("%s: system calls were not recorded: record -e syscall records them",
			 lt_trace_path(t));
		return -1;
	}
	if (!check_names(&s->o, t))
		return -1;
	if (s->o.paths && !check_paths(t))
		return -1;
	s->recorder = lt_trace_recorder(t);
	s->decoder = lt_task_decoder_new();
	s->sums = lt_syscalls_sums_new();
	s->tree = lt_syscalls_tree_new();
	s->view = (struct lt_syscalls_view){
		.out = &s->out, .format = s->o.format, .columns = s->o.columns, .raw = s->o.raw,
	};
	if (lt_times_init(&s->view.times, s->o.times, t))
		return -1;
	if (s->o.paths)
		s->paths = lt_syscall_paths_new(t);
	s->calls = lt_syscalls_new(t, s->o.raw, s->paths ? take_with_paths : take, s);
	s->requests = lt_requests_new(t, take, s);
	if (!s->o.summary && !s->o.tree)
		lt_syscalls_begin(&s->view);
	return 0;
}

static int event(struct lt_sink *sink, const struct lt_event *ev)
{
	struct syscalls_sink *s = (struct syscalls_sink *)sink;

	lt_times_begin(&s->view.times);
	if ((s->recorder || s->paths) && ev->channel == LT_CHANNEL_PID)
		on_task(s, ev);
	lt_syscalls_event(s->calls, ev);
	lt_requests_event(s->requests, ev);
	return s->out.error ? -1 : 0;
}

/* A line is written when it is there, not when there are many. */
static int step(struct lt_sink *sink)
{
	struct syscalls_sink *s = (struct syscalls_sink *)sink;

	return s->out.used && lt_out_flush(&s->out) ? -1 : 0;
}

static void say_lost(const struct lt_trace *t, unsigned int class, const char *what)
{
	struct lt_class_counts n = lt_trace_counts(t, class);
	const char *engine = lt_trace_info(t, "engine");
	uint64_t lost = lt_lost(&n);

	/* Of the losses of an import it is not known which events they were. */
	if (lost && engine && !strncmp(engine, "import of ", 10))
		lt_warn("%s: up to %" PRIu64 " %s were lost when %s recorded", lt_trace_path(t),
			lost, what, engine + 10);
	else if (lost)
		lt_warn("%s: %" PRIu64 " %s were lost: the buffers were full; larger ones: "
			"the module's parameter syscall_n_subbufs", lt_trace_path(t), lost, what);
}

/* Return: 0, or -1: the output could not be written, or the tasks not be read. */
static int finish(struct syscalls_sink *s)
{
	char self[128];
	int err = 0;

	lt_syscalls_finish(s->calls);
	lt_requests_finish(s->requests);
	if (s->o.tree)
		err = lt_syscalls_tree_print(s->tree, lt_trace_path(s->t), s->o.columns, &s->out,
					     s->o.format);
	else if (s->o.summary)
		lt_syscalls_sums_print(s->sums, s->o.sort, s->o.columns, &s->out, s->o.format);
	if (s->own)
		lt_warn("%s", lt_self_text(s->own, "call", self, sizeof(self)));
	say_lost(s->t, LT_CLASS_SYS, "system calls");
	say_lost(s->t, LT_CLASS_URING, "events of io_uring");
	return s->out.error ? -1 : err;
}

static int end(struct lt_sink *sink)
{
	struct syscalls_sink *s = (struct syscalls_sink *)sink;
	int err = s->calls ? finish(s) : 0;

	if (lt_out_close(&s->out))
		err = -1;
	/* What is being recorded need not have every name. */
	if (s->calls && s->o.filter && !err && !lt_trace_is_live(s->t))
		err = lt_filter_finish(s->o.filter, s->t);
	lt_syscalls_end(&s->view);
	lt_syscalls_free(s->calls);
	lt_requests_free(s->requests);
	lt_syscall_paths_free(s->paths);
	lt_syscalls_sums_free(s->sums);
	lt_syscalls_tree_free(s->tree);
	lt_task_decoder_free(s->decoder);
	lt_map_destroy(&s->map);
	lt_pool_destroy(&s->members);
	free(s);
	return err;
}

struct lt_sink *lt_syscalls_sink_new(const struct lt_syscalls_options *o, int fd)
{
	struct syscalls_sink *s = lt_alloc(sizeof(*s));

	s->sink = (struct lt_sink){ .begin = begin, .event = event, .end = end, .step = step,
				    .fd = -1 };
	s->o = *o;
	s->seed = lt_hash_seed();
	lt_map_init(&s->map);
	lt_pool_init(&s->members, sizeof(struct member));
	s->out = (struct lt_out)LT_OUT_INIT(fd);
	return &s->sink;
}

void lt_syscalls_sink_width(struct lt_sink *sink, unsigned int width)
{
	((struct syscalls_sink *)sink)->out.width = width;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The engine "ptrace": the command and all that it creates stop at each fork, exec and exit, until
 * this process has written it down. It needs no privilege and loses nothing, and is slow: each
 * event takes some switches between processes.
 *
 * What the kernel does not promise:
 *
 * - A child may stop before the event of the fork arrives that has its number, and that event may
 *   have no number, or never arrive, where its creator is killed in the fork. So a child without
 *   a creator waits, stopped. If the creator has gone, its birth is written with what /proc says.
 * - A creator that is killed goes on to its exit, and has its exit code where the number was: it
 *   may look like one. So a number counts only if it is a task that we trace and do not know yet.
 * - A task that is killed has no event of its exit: then wait() says how it ended.
 * - A thread that executes a program takes the number of its leader, whose exit may have no event.
 * - Numbers are used again, while the end of the task before was not delivered.
 *
 * No descriptor is kept for a task, but for those of its counters (--counters).
 */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/now.h"
#include "out/log.h"
#include "watch/internal.h"

#define OPTIONS	(PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |	\
		 PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT)
#define BATCH		1024	/* stops between two looks at the signals */
#define HELD_NS		(1000 * NSEC_PER_MSEC)
#define DETACH_NS	(5000 * NSEC_PER_MSEC)

/**
 * struct tracee - what has a number now; all zero: nothing of ours
 * @tgid: its process
 * @ppid: of one that is held, the process of its parent
 * @here: it is traced
 * @held: it is stopped, and its birth is not written
 * @stopped: with that: its group is stopped by a signal
 * @exited: its exit is written
 * @counts: number of its counters; 0: none
 */
struct tracee {
	int32_t tgid;
	int32_t ppid;
	bool here : 1;
	bool held : 1;
	bool stopped : 1;
	bool exited : 1;
	uint32_t counts;
};

/**
 * struct tracer - all of them
 * @by_tid: by number; memory is taken where there are some
 * @last: the highest number so far
 * @n: how many there are
 * @held: numbers of the children that wait for their creator
 * @held_since: since when one did
 * @gone: a creator may be gone since the held ones were looked at
 * @detaching: each task goes on alone from its next stop on
 * @unnumbered, @early, @unclaimed, @no_exit: what STATS counts
 */
struct tracer {
	struct lt_watch *w;
	struct tracee *by_tid;
	pid_t last;
	size_t n;
	pid_t *held;
	size_t n_held;
	size_t cap_held;
	uint64_t held_since;
	bool gone;
	bool detaching;
	uint64_t unnumbered;
	uint64_t early;
	uint64_t unclaimed;
	uint64_t no_exit;
	uint64_t left;
};

static void source(struct lt_import_source *s)
{
	*s = (struct lt_import_source){
		.tool = "ptrace", .live = true, .clock = "mono", .exit_has_code = true,
		.kinds = 1U << LT_IMPORT_FORK | 1U << LT_IMPORT_EXEC | 1U << LT_IMPORT_EXIT |
			 1U << LT_IMPORT_RENAME,
	};
	s->partly[LT_IMPORT_RENAME] = "names are read when a program is executed, and at the end";
}

static struct tracee *tracee(struct tracer *r, pid_t tid)
{
	if (tid > r->last)
		r->last = tid;
	return &r->by_tid[tid];
}

static void end_counts(struct tracer *r, pid_t tid, struct tracee *t)
{
	if (t->counts)
		lt_watch_counters_end(&r->w->counters, t->counts, tid, r->w->file.im);
	t->counts = 0;
}

/* It has not begun yet, or is the command before its program. */
static void know(struct tracer *r, pid_t tid)
{
	struct tracee *t = tracee(r, tid);

	end_counts(r, tid, t);
	r->n += !t->here;
	*t = (struct tracee){ .here = true };
	t->counts = lt_watch_counters_begin(&r->w->counters, tid, tid == r->w->command.pid);
}

static void forget(struct tracer *r, pid_t tid)
{
	struct tracee *t = tracee(r, tid);

	end_counts(r, tid, t);
	r->n -= t->here;
	*t = (struct tracee){ 0 };
}

/* ------------------------------------------------------------------------
 * Going on
 */

/* That the task is gone is no error: its end will be delivered. */
static void go_on(struct tracer *r, pid_t tid, int signal)
{
	if (r->detaching) {
		if (!ptrace(PTRACE_DETACH, tid, NULL, (long)signal))
			forget(r, tid);
		return;
	}
	ptrace(PTRACE_CONT, tid, NULL, (long)signal);
}

/* It stays stopped, as its group, and reports when that ends. */
static void stay(struct tracer *r, pid_t tid)
{
	if (r->detaching)
		go_on(r, tid, 0);
	else
		ptrace(PTRACE_LISTEN, tid, NULL, NULL);
}

/* ------------------------------------------------------------------------
 * Births
 */

/* @creator: 0: not known; @flags: of clone() */
static void write_birth(struct tracer *r, pid_t tid, pid_t creator, uint32_t flags)
{
	struct tracee *t = tracee(r, tid);
	struct lt_import_event ev = {
		.kind = LT_IMPORT_FORK, .time = lt_now_ns(), .pid = creator ? creator : -1,
		.old_tid = creator, .tid = tid, .tgid = t->tgid, .ppid = t->ppid,
		.group_dead = -1, .flags_known = true, .clone_flags = flags,
	};

	if (t->tgid != tid)
		ev.clone_flags |= CLONE_THREAD;
	lt_watch_proc_comm(tid, ev.name);
	lt_import_event(r->w->file.im, &ev);
}

static void let_go(struct tracer *r, pid_t tid)
{
	struct tracee *t = tracee(r, tid);
	bool stopped = t->stopped;

	t->held = false;
	if (stopped)
		stay(r, tid);
	else
		go_on(r, tid, 0);
}

static void unhold(struct tracer *r, pid_t tid)
{
	for (size_t i = 0; i < r->n_held; i++) {
		if (r->held[i] == tid) {
			r->held[i] = r->held[--r->n_held];
			return;
		}
	}
}

/* The first stop of a child whose creator is not known yet. */
static void hold(struct tracer *r, pid_t tid, bool stopped)
{
	struct tracee *t;
	int32_t tracer;

	know(r, tid);
	t = tracee(r, tid);
	t->held = true;
	t->stopped = stopped;
	if (!lt_watch_proc_ids(tid, &t->tgid, &t->ppid, &tracer))
		t->tgid = tid;
	r->early++;
	if (!r->n_held)
		r->held_since = lt_now_ns();
	r->held = lt_grow(r->held, &r->cap_held, r->n_held, sizeof(*r->held));
	r->held[r->n_held++] = tid;
}

/* Whether an event with its number may still come. */
static bool may_be_claimed(struct tracer *r, const struct tracee *t, pid_t tid)
{
	pid_t process = t->tgid != tid ? t->tgid : t->ppid;

	return process > 0 && process <= r->last && r->by_tid[process].here &&
	       !r->by_tid[process].exited;
}

/* All that was reported is taken in. */
static void look_at_held(struct tracer *r)
{
	bool late = lt_now_ns() - r->held_since > HELD_NS;

	for (size_t i = r->n_held; (r->gone || late) && i-- > 0;) {
		pid_t tid = r->held[i];
		struct tracee *t = tracee(r, tid);
		bool known = may_be_claimed(r, t, tid);

		if (known && !late)
			continue;
		/* What has taken the child of a dead parent over is not its parent at the birth. */
		if (!known && t->tgid == tid)
			t->ppid = 0;
		unhold(r, tid);
		r->unclaimed++;
		write_birth(r, tid, 0, 0);
		let_go(r, tid);
	}
	r->gone = false;
}

/* The number of a child that is not known yet; 0: the event has none. */
static pid_t child_of(struct tracer *r, pid_t creator, int32_t *tgid, int32_t *ppid)
{
	unsigned long number = 0;
	int32_t tracer;

	if (ptrace(PTRACE_GETEVENTMSG, creator, NULL, &number) || !number ||
	    number > LT_IMPORT_MAX_TID)
		return 0;
	if (r->by_tid[number].here)
		return r->by_tid[number].held ? (pid_t)number : 0;
	/* Until its end is waited for it is there, and ours. */
	if (!lt_watch_proc_ids((pid_t)number, tgid, ppid, &tracer) || tracer != getpid())
		return 0;
	return (pid_t)number;
}

static void take_fork(struct tracer *r, pid_t creator, int event)
{
	uint32_t flags = event == PTRACE_EVENT_VFORK ? CLONE_VFORK | CLONE_VM : 0;
	int32_t tgid = 0, ppid = 0;
	pid_t child = child_of(r, creator, &tgid, &ppid);

	if (!child) {
		r->unnumbered++;
		r->gone = true;
		return;
	}
	if (tracee(r, child)->held) {
		unhold(r, child);
		write_birth(r, child, creator, flags);
		let_go(r, child);
		return;
	}
	know(r, child);
	tracee(r, child)->tgid = tgid;
	tracee(r, child)->ppid = ppid;
	write_birth(r, child, creator, flags);
}

/* ------------------------------------------------------------------------
 * Programs and ends
 */

static void take_exec(struct tracer *r, pid_t tid)
{
	struct lt_import_event ev = {
		.kind = LT_IMPORT_RENAME, .time = lt_now_ns(), .pid = tid, .tid = tid,
		.group_dead = -1,
	};
	unsigned long before = 0;
	char *program = lt_watch_proc_program(tid);
	struct tracee *t;

	if (ptrace(PTRACE_GETEVENTMSG, tid, NULL, &before) || !before ||
	    before > LT_IMPORT_MAX_TID || r->by_tid[before].tgid != tid)
		before = (unsigned long)tid;
	t = tracee(r, tid);
	if (!t->here)
		know(r, tid);
	if ((pid_t)before != tid) {
		/* What the leader did before it died here counts, as its times do. */
		t->counts = lt_watch_counters_join(&r->w->counters, t->counts,
						   tracee(r, (pid_t)before)->counts);
		tracee(r, (pid_t)before)->counts = 0;
		forget(r, (pid_t)before);
	}
	t->tgid = tid;
	t->exited = false;
	ev.kind = LT_IMPORT_EXEC;
	ev.old_tid = (int32_t)before;
	ev.path = program;
	lt_import_event(r->w->file.im, &ev);
	ev.kind = LT_IMPORT_RENAME;
	lt_watch_proc_comm(tid, ev.name);
	lt_import_event(r->w->file.im, &ev);
	free(program);
	if (tid == r->w->command.pid)
		lt_record_started(&r->w->command, r->w->o->command[0]);
}

static void write_exit(struct tracer *r, pid_t tid, unsigned long code)
{
	struct lt_import_event ev = {
		.kind = LT_IMPORT_EXIT, .time = lt_now_ns(), .pid = tid, .tid = tid,
		.group_dead = -1, .code_known = true, .code = (uint32_t)code & 0xffff,
	};

	if (tracee(r, tid)->exited)
		return;
	tracee(r, tid)->exited = true;
	lt_watch_counters_exit(&r->w->counters, tracee(r, tid)->counts, tid, r->w->file.im);
	lt_watch_proc_comm(tid, ev.name);
	lt_import_event(r->w->file.im, &ev);
	r->gone = true;
}

static void take_exit(struct tracer *r, pid_t tid)
{
	unsigned long code = 0;

	/* What cannot be asked for, wait() says. */
	if (!ptrace(PTRACE_GETEVENTMSG, tid, NULL, &code))
		write_exit(r, tid, code);
}

/* It is gone. */
static void take_end(struct tracer *r, pid_t tid, int status)
{
	struct tracee *t = tracee(r, tid);

	if (t->held) {
		unhold(r, tid);
		r->unclaimed++;
		write_birth(r, tid, 0, 0);
	}
	if (t->here && !t->exited) {
		r->no_exit++;
		write_exit(r, tid, (unsigned long)status);
	}
	forget(r, tid);
	r->gone = true;
	if (tid != r->w->command.pid)
		return;
	lt_record_started(&r->w->command, r->w->o->command[0]);
	lt_watch_ended(r->w, status);
}

/* ------------------------------------------------------------------------
 * Stops
 */

static void take_stop(struct tracer *r, pid_t tid, int signal, int event)
{
	bool group = event == PTRACE_EVENT_STOP && signal != SIGTRAP;

	if (!tracee(r, tid)->here) {
		hold(r, tid, group);
		return;
	}
	switch (event) {
	case 0:
		go_on(r, tid, signal);
		return;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		take_fork(r, tid, event);
		break;
	case PTRACE_EVENT_EXEC:
		take_exec(r, tid);
		break;
	case PTRACE_EVENT_EXIT:
		take_exit(r, tid);
		break;
	default:
		break;
	}
	if (group)
		stay(r, tid);
	else
		go_on(r, tid, 0);
}

/* Takes in what is reported. Return: false: nothing is, now. */
static bool take_some(struct tracer *r)
{
	for (unsigned int i = 0; i < BATCH; i++) {
		int status;
		pid_t tid = waitpid(-1, &status, __WALL | WNOHANG);

		if (tid <= 0)
			return false;
		if (WIFSTOPPED(status))
			take_stop(r, tid, WSTOPSIG(status), status >> 16);
		else
			take_end(r, tid, status);
	}
	return true;
}

/* ------------------------------------------------------------------------
 * The engine
 */

static int begin(struct lt_watch *w)
{
	struct tracer *r = lt_alloc(sizeof(*r));
	int32_t tgid, ppid, tracer;
	pid_t pid = w->command.pid;

	w->own = r;
	r->w = w;
	r->by_tid = lt_alloc(((size_t)LT_IMPORT_MAX_TID + 1) * sizeof(*r->by_tid));
	if (!lt_watch_proc_is_ours()) {
		lt_error("/proc has other numbers of processes than this one sees; mount the /proc of this pid namespace");
		return -1;
	}
	if (!ptrace(PTRACE_SEIZE, pid, NULL, (long)OPTIONS)) {
		know(r, pid);
		tracee(r, pid)->tgid = pid;
		return 0;
	}
	lt_watch_proc_ids(pid, &tgid, &ppid, &tracer);
	if (tracer) {
		char comm[16];

		lt_watch_proc_comm(tracer, comm);
		lt_error("process %d (%s) traces the command already, and a task has one tracer; end that one, or take another engine",
			 (int)tracer, comm);
	} else {
		lt_error("ptrace: %s; kernel.yama.ptrace_scope or a seccomp filter may forbid it",
			 strerror(errno));
	}
	return -1;
}

static void go(struct lt_watch *w)
{
	/* Whether it can be executed is seen later: it may stop before. */
	lt_record_let_go(&w->command, w->o->command[0]);
}

static int step(struct lt_watch *w, int timeout_ms)
{
	struct tracer *r = w->own;

	if (take_some(r)) {
		lt_watch_wait(w, -1, 0);
		return lt_import_ret(w->file.im) ? -1 : 0;
	}
	if (r->n_held) {
		look_at_held(r);
		if (timeout_ms > 100)
			timeout_ms = 100;
	}
	lt_watch_wait(w, -1, timeout_ms);
	return lt_import_ret(w->file.im) ? -1 : 0;
}

/*
 * Whatever they do, all tasks stop once more, and go on alone. What is reported already is not
 * taken in first: while tasks are busy there is always more. A task that is let go creates no task
 * that is traced, so their number falls.
 */
static int end(struct lt_watch *w)
{
	struct tracer *r = w->own;
	uint64_t until = lt_now_ns() + DETACH_NS;

	r->detaching = true;
	for (pid_t tid = 1; tid <= r->last; tid++) {
		if (r->by_tid[tid].here)
			ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	}
	while (r->n && lt_now_ns() < until) {
		if (take_some(r))
			continue;
		look_at_held(r);
		if (r->n)
			lt_watch_wait(w, -1, 10);
	}
	r->gone = true;
	r->held_since = 0;
	look_at_held(r);
	r->left = r->n;
	if (r->n)
		lt_warn("%zu tasks do not stop; they go on alone when this process ends", r->n);
	return 0;
}

static void stats(const struct lt_watch *w, struct lt_str *text)
{
	const struct tracer *r = w->own;

	lt_str_add(text, "ptrace unnumbered %" PRIu64 " early %" PRIu64 " unclaimed %" PRIu64
		   " no_exit %" PRIu64 " left %" PRIu64 "\n", r->unnumbered, r->early, r->unclaimed,
		   r->no_exit, r->left);
}

static void close_ptrace(struct lt_watch *w)
{
	struct tracer *r = w->own;

	if (!r)
		return;
	free(r->by_tid);
	free(r->held);
	free(r);
	w->own = NULL;
}

const struct lt_watch_ops lt_watch_ptrace = {
	.name = "ptrace",
	.needs_command = true,
	.counts = true,
	.source = source,
	.begin = begin,
	.go = go,
	.step = step,
	.end = end,
	.stats = stats,
	.close = close_ptrace,
};

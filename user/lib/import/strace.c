// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lines of strace:
 *
 *	1234 1795973325.778035 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 1235
 *	1234 1795973325.778035 vfork( <unfinished ...>
 *	1236 1795973325.778040 execve("/bin/ls", ["ls"], 0x7ffd) = 0
 *	1234 1795973325.779000 <... vfork resumed>) = 1236
 *	1236 1795973325.780000 +++ exited with 3 +++
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "import/strace.h"

#define MAX_WAITING	65536U
#define MAX_PATH	4096U
#define REAL_TIME	32U	/* the first such signal */

enum call {
	CALL_OTHER,
	CALL_BIRTH,
	CALL_EXEC,
	CALL_NAME,
};

/* A task that has had a line. */
struct lt_import_strace_task {
	uint32_t tid;
	enum call pending;
	uint64_t flags;
	char *path;
};

/* An event that waits; its path is its own. */
struct lt_import_strace_wait {
	struct lt_import_event ev;
	char *path;
};

void lt_import_strace_init(struct lt_import_strace *s, lt_import_strace_fn *fn, void *arg)
{
	static const struct lt_log_options o = { .unit = LT_LOG_UNIT_AUTO };

	memset(s, 0, sizeof(*s));
	lt_log_parser_init(&s->parser, LT_LOG_STRACE, &o);
	lt_map_init(&s->map);
	s->seed = lt_hash_seed();
	s->fn = fn;
	s->arg = arg;
}

void lt_import_strace_destroy(struct lt_import_strace *s)
{
	for (size_t i = 0; i < s->n_tasks; i++)
		free(s->tasks[i].path);
	for (size_t i = 0; i < s->n_waiting; i++)
		free(s->waiting[i].path);
	free(s->tasks);
	free(s->free);
	free(s->waiting);
	lt_map_destroy(&s->map);
}

/* ------------------------------------------------------------------------
 * Tasks that are known
 */

static struct lt_import_strace_task *find(struct lt_import_strace *s, uint32_t tid)
{
	uint32_t number;

	lt_map_for_each(number, at, &s->map, (uint32_t)lt_hash64(tid, s->seed)) {
		if (s->tasks[number - 1].tid == tid)
			return &s->tasks[number - 1];
	}
	return NULL;
}

static struct lt_import_strace_task *know(struct lt_import_strace *s, uint32_t tid)
{
	struct lt_import_strace_task *task = find(s, tid);
	uint32_t number;

	if (task)
		return task;
	if (s->n_free) {
		number = s->free[--s->n_free];
	} else {
		s->tasks = lt_grow(s->tasks, &s->cap_tasks, s->n_tasks, sizeof(*s->tasks));
		number = (uint32_t)(++s->n_tasks);
	}
	lt_map_add(&s->map, (uint32_t)lt_hash64(tid, s->seed), number);
	s->tasks[number - 1] = (struct lt_import_strace_task){ .tid = tid };
	return &s->tasks[number - 1];
}

static void set_pending(struct lt_import_strace *s, struct lt_import_strace_task *task,
			enum call call)
{
	s->n_pending -= task->pending == CALL_BIRTH;
	s->n_pending += call == CALL_BIRTH;
	task->pending = call;
	if (call == CALL_OTHER) {
		free(task->path);
		task->path = NULL;
	}
}

static void forget(struct lt_import_strace *s, struct lt_import_strace_task *task)
{
	uint32_t number = (uint32_t)(task - s->tasks) + 1;

	set_pending(s, task, CALL_OTHER);
	lt_map_remove(&s->map, (uint32_t)lt_hash64(task->tid, s->seed), number);
	task->tid = 0;
	s->free = lt_grow(s->free, &s->cap_free, s->n_free, sizeof(*s->free));
	s->free[s->n_free++] = number;
}

/* ------------------------------------------------------------------------
 * Events, in their order
 */

static void hand_out(struct lt_import_strace *s, const struct lt_import_event *ev)
{
	struct lt_import_strace_task *task;

	know(s, (uint32_t)ev->tid);
	s->fn(s->arg, ev);
	task = find(s, (uint32_t)ev->tid);
	if (ev->kind == LT_IMPORT_EXIT && task)
		forget(s, task);
}

static void hand_out_waiting(struct lt_import_strace *s)
{
	size_t n = s->n_waiting;

	for (size_t i = 0; i < n; i++) {
		s->waiting[i].ev.path = s->waiting[i].path;
		hand_out(s, &s->waiting[i].ev);
		free(s->waiting[i].path);
	}
	s->n_waiting = 0;
}

static void wait_for(struct lt_import_strace *s, const struct lt_import_event *ev, size_t at)
{
	s->waiting = lt_grow(s->waiting, &s->cap_waiting, s->n_waiting, sizeof(*s->waiting));
	memmove(&s->waiting[at + 1], &s->waiting[at], (s->n_waiting - at) * sizeof(*s->waiting));
	s->waiting[at].ev = *ev;
	s->waiting[at].path = ev->path ? lt_strdup(ev->path) : NULL;
	s->n_waiting++;
}

/* A birth of a task that has events already comes before these, with the time of the first. */
static void put_birth(struct lt_import_strace *s, struct lt_import_event *ev)
{
	for (size_t i = 0; i < s->n_waiting; i++) {
		if (s->waiting[i].ev.pid == ev->tid) {
			ev->time = s->waiting[i].ev.time;
			wait_for(s, ev, i);
			return;
		}
	}
	if (s->n_waiting)
		wait_for(s, ev, s->n_waiting);
	else
		hand_out(s, ev);
}

static bool is_born_here(const struct lt_import_strace *s, int32_t tid)
{
	for (size_t i = 0; i < s->n_waiting; i++) {
		if (s->waiting[i].ev.kind == LT_IMPORT_NEWTASK && s->waiting[i].ev.tid == tid)
			return true;
	}
	return false;
}

static void put(struct lt_import_strace *s, struct lt_import_event *ev)
{
	bool unknown = !find(s, (uint32_t)ev->pid) && !is_born_here(s, ev->pid);

	if (ev->kind == LT_IMPORT_NEWTASK)
		put_birth(s, ev);
	else if (s->n_waiting || (unknown && s->n_pending))
		wait_for(s, ev, s->n_waiting);
	else
		hand_out(s, ev);
	/* Nothing is known any more of who makes them. */
	if (!s->n_pending || s->n_waiting > MAX_WAITING)
		hand_out_waiting(s);
}

void lt_import_strace_end(struct lt_import_strace *s)
{
	hand_out_waiting(s);
}

/* ------------------------------------------------------------------------
 * Calls
 */

static bool begins(const char *text, size_t len, const char *with)
{
	return len >= strlen(with) && !memcmp(text, with, strlen(with));
}

static enum call call_of(const char *text, size_t len)
{
	static const char *const births[] = { "clone(", "clone3(", "fork(", "vfork(" };

	for (size_t i = 0; i < sizeof(births) / sizeof(births[0]); i++) {
		if (begins(text, len, births[i]))
			return CALL_BIRTH;
	}
	if (begins(text, len, "execve(") || begins(text, len, "execveat("))
		return CALL_EXEC;
	if (begins(text, len, "prctl(PR_SET_NAME, "))
		return CALL_NAME;
	return CALL_OTHER;
}

static uint64_t flags_of(const char *text, size_t len)
{
	static const struct {
		const char *name;
		uint64_t flag;
	} flags[] = {
		{ "CLONE_VM", 0x100 }, { "CLONE_FS", 0x200 }, { "CLONE_FILES", 0x400 },
		{ "CLONE_SIGHAND", 0x800 }, { "CLONE_VFORK", 0x4000 }, { "CLONE_PARENT", 0x8000 },
		{ "CLONE_THREAD", 0x10000 }, { "CLONE_SYSVSEM", 0x40000 },
		{ "CLONE_SETTLS", 0x80000 }, { "CLONE_PARENT_SETTID", 0x100000 },
		{ "CLONE_CHILD_CLEARTID", 0x200000 }, { "CLONE_CHILD_SETTID", 0x1000000 },
	};
	uint64_t sum = begins(text, len, "vfork(") ? 0x4100 : 0;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		size_t n = strlen(flags[i].name);
		const char *p = text, *end = text + len;

		while ((p = memmem(p, (size_t)(end - p), flags[i].name, n))) {
			p += n;
			/* CLONE_PARENT is the begin of another one. */
			if (p == end || *p != '_') {
				sum |= flags[i].flag;
				break;
			}
		}
	}
	return sum;
}

/* The first text in quotes, to be freed; NULL: there is none, or strace has cut it. */
static char *path_of(const char *text, size_t len)
{
	const char *from = memchr(text, '"', len), *to;

	to = from ? memchr(from + 1, '"', (size_t)(text + len - from - 1)) : NULL;
	if (!to || to - from > (ptrdiff_t)MAX_PATH ||
	    begins(to, (size_t)(text + len - to), "\"..."))
		return NULL;
	return lt_strndup(from + 1, (size_t)(to - from - 1));
}

/* What stands behind the last " = "; false: the call has not returned in this line. */
static bool result_of(const char *text, size_t len, long *result)
{
	char buf[32] = "", *rest;
	size_t n;

	for (size_t at = len; at >= 3; at--) {
		if (memcmp(text + at - 3, " = ", 3))
			continue;
		n = len - at < sizeof(buf) - 1 ? len - at : sizeof(buf) - 1;
		memcpy(buf, text + at, n);
		*result = strtol(buf, &rest, 10);
		return rest != buf;
	}
	return false;
}

/*
 * A task calls itself @name, or executes a program, whose path's last part is its name: a script's,
 * too.
 */
static void put_name(struct lt_import_strace *s, const struct lt_import_event *at, const char *name)
{
	struct lt_import_event ev = *at;
	const char *slash = at->kind == LT_IMPORT_EXEC && name ? strrchr(name, '/') : NULL;

	if (!name)
		return;
	ev.kind = LT_IMPORT_RENAME;
	ev.path = NULL;
	snprintf(ev.name, sizeof(ev.name), "%s", slash ? slash + 1 : name);
	put(s, &ev);
}

static void finish(struct lt_import_strace *s, struct lt_import_strace_task *task,
		   struct lt_import_event *ev, long result)
{
	enum call call = task->pending;
	char *path = task->path;

	task->path = NULL;
	ev->clone_flags = task->flags;
	set_pending(s, task, CALL_OTHER);
	if (call == CALL_BIRTH && result > 0 && result <= (long)LT_IMPORT_MAX_TID) {
		ev->kind = LT_IMPORT_NEWTASK;
		ev->flags_known = true;
		ev->tid = (int32_t)result;
		put(s, ev);
	} else if (call == CALL_EXEC && !result) {
		ev->kind = LT_IMPORT_EXEC;
		ev->path = path;
		put(s, ev);
		put_name(s, ev, path);
	} else if (call == CALL_NAME && !result) {
		put_name(s, ev, path);
	}
	if (!s->n_pending)
		hand_out_waiting(s);
	free(path);
}

/* A task is known from the first line on in which it may be a creator. */
static void take_call(struct lt_import_strace *s, struct lt_import_event *ev, const char *text,
		      size_t len)
{
	bool resumed = begins(text, len, "<... ");
	struct lt_import_strace_task *task;
	enum call call = resumed ? CALL_OTHER : call_of(text, len);
	struct lt_import_strace_task once = { .pending = call };
	long result = 0;
	bool returned = result_of(text, len, &result);

	task = find(s, (uint32_t)ev->pid);
	if (call == CALL_OTHER) {
		s->others += !resumed && !begins(text, len, "--- ");
		if (resumed && task && task->pending != CALL_OTHER && returned)
			finish(s, task, ev, result);
		return;
	}
	/* A task whose birth is still to come does not become known by an exec. */
	if (call == CALL_EXEC && returned && !task) {
		once.path = path_of(text, len);
		once.tid = (uint32_t)ev->pid;
		finish(s, &once, ev, result);
		return;
	}
	task = know(s, (uint32_t)ev->pid);
	set_pending(s, task, call);
	task->flags = call == CALL_BIRTH ? flags_of(text, len) : 0;
	free(task->path);
	task->path = call == CALL_EXEC || call == CALL_NAME ? path_of(text, len) : NULL;
	if (returned)
		finish(s, task, ev, result);
}

/* ------------------------------------------------------------------------
 * Ends
 */

static uint32_t signal_of(const char *name, size_t len)
{
	static const char *const names[] = {
		"", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1",
		"SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP",
		"TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR",
		"SYS",
	};
	unsigned long real = 0;
	char *rest = NULL;

	for (uint32_t i = 1; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i]) == len && !memcmp(names[i], name, len))
			return i;
	}
	/* "RT_2" is 2 behind the first one of real time. */
	if (begins(name, len, "RT_"))
		real = strtoul(name + 3, &rest, 10);
	return rest == name + len && real <= 32 ? REAL_TIME + (uint32_t)real : 0;
}

/* "+++ exited with 3 +++", "+++ killed by SIGSEGV (core dumped) +++" */
static bool take_end(struct lt_import_strace *s, struct lt_import_event *ev, const char *text,
		     size_t len)
{
	char buf[80];
	unsigned long code;
	char *rest;
	size_t n;

	if (len >= sizeof(buf))
		return false;
	memcpy(buf, text, len);
	buf[len] = 0;
	ev->kind = LT_IMPORT_EXIT;
	ev->code_known = true;
	if (begins(buf, len, "+++ exited with ")) {
		code = strtoul(buf + 16, &rest, 10);
		if (strcmp(rest, " +++"))
			return false;
		ev->code = (uint32_t)(code & 0xff) << 8;
	} else if (begins(buf, len, "+++ killed by SIG")) {
		n = strcspn(buf + 17, " ");
		ev->code = signal_of(buf + 17, n) | (strstr(buf, "core dumped") ? 0x80 : 0);
		if (!(ev->code & 0x7f))
			return false;
	} else {
		/* A leader whose thread executes a program. */
		return begins(buf, len, "+++ superseded by execve");
	}
	put(s, ev);
	return true;
}

bool lt_import_strace_line(struct lt_import_strace *s, const char *line, size_t len,
			   struct lt_why *why)
{
	struct lt_import_event ev = { .group_dead = -1 };
	struct lt_log_line l;
	enum lt_log_said said = lt_log_parse(&s->parser, line, len, &l, why);

	if (said != LT_LOG_TASK)
		return said == LT_LOG_NO_TASK;
	if (!l.rest || l.pid > LT_IMPORT_MAX_TID || l.clock != LT_LOG_REAL || l.n_times != 1) {
		lt_why_set(why, "expected seconds since 1970; record with strace -f -ttt");
		return false;
	}
	ev.pid = (int32_t)l.pid;
	ev.tid = ev.pid;
	ev.time = l.times[0];
	if (!begins(l.rest, l.rest_len, "+++ ")) {
		take_call(s, &ev, l.rest, l.rest_len);
		return true;
	}
	if (take_end(s, &ev, l.rest, l.rest_len))
		return true;
	lt_why_set(why, "the end of a task cannot be read");
	return false;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Performance counters of tasks, by perf_event_open().
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/now.h"
#include "out/log.h"
#include "tasks/counters.h"
#include "watch/counters.h"

/* Descriptors that no counter takes: what a new task is, and who made it, is read from /proc. */
#define KEPT_FREE	32

/* A counter of this recording. @user: in user mode alone */
struct lt_watch_counter {
	uint8_t counter;
	bool user;
};

/* As the kernel gives it for the read_format below. */
struct reading {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

/**
 * struct lt_watch_counted - a task
 * @fds: by counter of this recording; -1: none
 * @before: by these: of a leader whose place a thread took
 * @start: its identity, if @exited
 */
struct lt_watch_counted {
	int fds[LT_N_COUNTERS];
	struct reading before[LT_N_COUNTERS];
	uint64_t start;
	bool exited;
};

static const struct {
	uint32_t type;
	uint64_t config;
} events[LT_N_COUNTERS] = {
	[LT_COUNTER_INSTRUCTIONS] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	[LT_COUNTER_CYCLES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	[LT_COUNTER_CACHE_REFERENCES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	[LT_COUNTER_CACHE_MISSES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	[LT_COUNTER_BRANCHES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	[LT_COUNTER_BRANCH_MISSES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	[LT_COUNTER_TASK_CLOCK] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	[LT_COUNTER_PAGE_FAULTS] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	[LT_COUNTER_CONTEXT_SWITCHES] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	[LT_COUNTER_CPU_MIGRATIONS] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
};

/* ------------------------------------------------------------------------
 * What this machine has
 */

/* Return: a descriptor; -1 with errno set. */
static int open_counter(const struct lt_watch_counter *which, pid_t tid, bool from_exec)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = events[which->counter].type,
		.config = events[which->counter].config, .disabled = from_exec,
		.enable_on_exec = from_exec, .exclude_kernel = which->user,
		.exclude_hv = which->user,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int try(const struct lt_watch_counter *which)
{
	int fd = open_counter(which, 0, true), err = errno;

	if (fd < 0)
		return err;
	close(fd);
	return 0;
}

static const char *reason_of(int err)
{
	switch (err) {
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return "this machine has no such counter, as virtual machines without a PMU";
	case EACCES:
	case EPERM:
		return "not permitted: see /proc/sys/kernel/perf_event_paranoid";
	case ENOSYS:
		return "this kernel has no performance counters";
	default:
		return strerror(err);
	}
}

static void init_one(struct lt_watch_counters *c, struct lt_watch_counter which)
{
	const char *name = lt_counter_name(which.counter), *reason = NULL;
	bool asked = which.user;
	int err = try(&which);

	if ((err == EACCES || err == EPERM) && !which.user) {
		which.user = true;
		err = try(&which);
		if (!err)
			lt_warn("--counters: %s are counted in user mode alone: the kernel's are not permitted (/proc/sys/kernel/perf_event_paranoid)",
				name);
	}
	if (err) {
		which.user = asked;
		reason = reason_of(err);
		lt_warn("--counters: %s are not counted: %s", name, reason);
	} else {
		c->which[c->n++] = which;
	}
	lt_str_add(&c->events, "counter/%s%s\tperf\t%s\t%s\n", name, which.user ? ":u" : "",
		   reason ? "not watched" : "watched", reason ? reason : "-");
}

/*
 * Each task that is alive has some descriptors. The command was made before, and keeps its limit.
 * Return: as many as this process may have.
 */
static uint64_t raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur;
}

void lt_watch_counters_init(struct lt_watch_counters *c, const struct lt_record_options *o)
{
	c->which = lt_alloc_array(LT_N_COUNTERS, sizeof(*c->which));
	for (unsigned int i = 1; i < LT_N_COUNTERS; i++) {
		struct lt_watch_counter which = {
			.counter = (uint8_t)i, .user = o->counters_user & 1U << i,
		};

		if (o->counters & 1U << i)
			init_one(c, which);
	}
	if (c->n)
		c->limit = raise_limit();
}

void lt_watch_counters_destroy(struct lt_watch_counters *c)
{
	free(c->which);
	free(c->events.s);
	free(c->tasks);
	free(c->free);
}

/* ------------------------------------------------------------------------
 * Tasks
 */

static uint32_t new_task(struct lt_watch_counters *c)
{
	if (c->n_free)
		return c->free[--c->n_free];
	c->tasks = lt_grow(c->tasks, &c->cap_tasks, c->n_tasks, sizeof(*c->tasks));
	return (uint32_t)(++c->n_tasks);
}

static void free_task(struct lt_watch_counters *c, uint32_t number)
{
	c->free = lt_grow(c->free, &c->cap_free, c->n_free, sizeof(*c->free));
	c->free[c->n_free++] = number;
}

/* The lowest free one is given, so those below it are in use. Return: @fd; -1 with errno set. */
static int keep_some_free(const struct lt_watch_counters *c, int fd)
{
	if (fd < 0 || (uint64_t)fd + KEPT_FREE < c->limit)
		return fd;
	close(fd);
	errno = EMFILE;
	return -1;
}

uint32_t lt_watch_counters_begin(struct lt_watch_counters *c, pid_t tid, bool from_exec)
{
	struct lt_watch_counted *t;
	unsigned int begun = 0;
	uint32_t number;

	if (!c->n)
		return 0;
	number = new_task(c);
	t = &c->tasks[number - 1];
	*t = (struct lt_watch_counted){ .exited = false };
	for (unsigned int i = 0; i < c->n; i++) {
		t->fds[i] = keep_some_free(c, open_counter(&c->which[i], tid, from_exec));
		begun += t->fds[i] >= 0;
		if (t->fds[i] < 0 && !c->error)
			c->error = errno;
	}
	c->counted += begun == c->n;
	c->uncounted += begun < c->n;
	return number;
}

/* Return: whether there is something to add. */
static bool take(struct lt_watch_counted *t, unsigned int i, struct reading *sum)
{
	struct reading now;

	if (t->fds[i] < 0)
		return false;
	if (read(t->fds[i], &now, sizeof(now)) == sizeof(now)) {
		sum->value += now.value;
		sum->enabled += now.enabled;
		sum->running += now.running;
	}
	close(t->fds[i]);
	t->fds[i] = -1;
	return true;
}

uint32_t lt_watch_counters_join(struct lt_watch_counters *c, uint32_t leader, uint32_t thread)
{
	struct lt_watch_counted *to, *from;

	if (!leader || !thread)
		return leader ? leader : thread;
	to = &c->tasks[leader - 1];
	from = &c->tasks[thread - 1];
	for (unsigned int i = 0; i < c->n; i++) {
		/* A sum of which a part is missing is none. */
		if (!take(to, i, &to->before[i]) && from->fds[i] >= 0) {
			close(from->fds[i]);
			from->fds[i] = -1;
		}
		to->fds[i] = from->fds[i];
	}
	to->exited = false;
	free_task(c, thread);
	return leader;
}

void lt_watch_counters_exit(struct lt_watch_counters *c, uint32_t number, pid_t tid,
			    struct lt_import *im)
{
	struct lt_watch_counted *t;

	if (!number)
		return;
	t = &c->tasks[number - 1];
	t->exited = lt_import_identity(im, tid, &t->start);
}

void lt_watch_counters_end(struct lt_watch_counters *c, uint32_t number, pid_t tid,
			   struct lt_import *im)
{
	struct lt_watch_counted *t = &c->tasks[number - 1];
	bool known = t->exited || lt_import_identity(im, tid, &t->start);

	for (unsigned int i = 0; i < c->n; i++) {
		struct reading sum = t->before[i];
		struct lt_rec_COUNTER rec = {
			.tid = (uint32_t)tid, .start = t->start, .counter = c->which[i].counter,
			.user = c->which[i].user,
		};

		if (!take(t, i, &sum) || !known)
			continue;
		rec.value = sum.value;
		rec.enabled = sum.enabled;
		rec.running = sum.running;
		lt_import_counter(im, lt_now_ns(), &rec);
	}
	free_task(c, number);
}

/* ------------------------------------------------------------------------
 * What was counted
 */

void lt_watch_counters_stats(const struct lt_watch_counters *c, struct lt_str *text)
{
	if (c->events.s)
		lt_str_add(text, "counters counted %" PRIu64 " uncounted %" PRIu64 "\n", c->counted,
			   c->uncounted);
}

void lt_watch_counters_say(const struct lt_watch_counters *c)
{
	if (!c->uncounted)
		return;
	if (c->error == EMFILE || c->error == ENFILE)
		lt_warn("--counters: %" PRIu64 " of %" PRIu64 " tasks were not counted: too few descriptors for so many at once; raise the hard limit (ulimit -Hn), or take fewer counters",
			c->uncounted, c->counted + c->uncounted);
	else
		lt_warn("--counters: %" PRIu64 " of %" PRIu64 " tasks were not counted: %s",
			c->uncounted, c->counted + c->uncounted, strerror(c->error));
}

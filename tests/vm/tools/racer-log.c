// SPDX-License-Identifier: GPL-2.0
/*
 * The racer's log.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "racer.h"

#define LOG_FD	100		/* stays open in what is executed */

struct log *log_;

uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void die(const char *what)
{
	fprintf(stderr, "racer: %s: %s\n", what, strerror(errno));
	exit(2);
}

void log_attach(void)
{
	log_ = mmap(NULL, sizeof(*log_), PROT_READ | PROT_WRITE, MAP_SHARED, LOG_FD, 0);
	if (log_ == MAP_FAILED)
		die("mapping the log");
}

void log_create(void)
{
	int fd = memfd_create("racer", 0);

	if (fd < 0 || ftruncate(fd, sizeof(*log_)) || dup2(fd, LOG_FD) < 0)
		die("the log's memory");
	close(fd);
	log_attach();
}

/* Nobody begins anything new once the log is full: so it has all that happened. */
static bool out_of(unsigned int n, unsigned int max)
{
	if (n < max)
		return false;
	__atomic_store_n(&log_->full, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&log_->stop, 1, __ATOMIC_RELAXED);
	return true;
}

/* The serial of a task that is about to be made, -1: not to be made. */
int log_task(int creator, enum kind kind, int parent)
{
	struct task *t;
	unsigned int n;

	if (__atomic_load_n(&log_->stop, __ATOMIC_RELAXED))
		return -1;
	n = __atomic_fetch_add(&log_->n_tasks, 1, __ATOMIC_RELAXED);
	if (out_of(n, MAX_TASKS))
		return -1;
	t = &log_->tasks[n];
	t->creator = creator;
	t->kind = kind;
	t->parent = parent;
	t->process = kind == THREAD ? log_->tasks[creator].process : (int)n;
	if (kind != THREAD && creator >= 0)
		t->link = log_->tasks[log_->tasks[creator].process].link;
	log_mark(&t->born[0]);
	return (int)n;
}

/* A change that is about to be made, NULL: not to be made. */
struct change *log_change(const struct actor *a, int task, enum attr attr, int value,
			  const char *text)
{
	struct change *c;
	unsigned int n;

	if (__atomic_load_n(&log_->stop, __ATOMIC_RELAXED))
		return NULL;
	n = __atomic_fetch_add(&log_->n_changes, 1, __ATOMIC_RELAXED);
	if (out_of(n, MAX_CHANGES))
		return NULL;
	c = &log_->changes[n];
	c->task = task;
	c->by = a->self;
	c->attr = attr;
	c->value = value;
	if (text)
		strncpy(c->text, text, sizeof(c->text) - 1);
	log_mark(&c->before);
	return c;
}

void log_done(struct change *c, bool ok)
{
	log_mark(&c->after);
	__atomic_store_n(&c->status, ok ? DONE : FAILED, __ATOMIC_RELEASE);
}

/* The first one to know of it says when. */
void log_mark(uint64_t *time)
{
	uint64_t none = 0;

	__atomic_compare_exchange_n(time, &none, now(), false, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
}

static unsigned int count(const unsigned int *n, unsigned int max)
{
	unsigned int v = __atomic_load_n(n, __ATOMIC_RELAXED);

	return v < max ? v : max;
}

/* The task that has this number, -1: none of the racer. No number is used again so soon. */
int log_find(pid_t tid)
{
	for (int i = (int)count(&log_->n_tasks, MAX_TASKS) - 1; i >= 0; i--) {
		if (log_->tasks[i].tid == tid)
			return i;
	}
	return -1;
}

/*
 * link N PATH
 * task SERIAL TID PROCESS CREATOR PARENT KIND BORN BORN EXIT EXIT GONE GONE
 * change TASK BY ATTR BEFORE AFTER STATUS VALUE TEXT
 * full 0|1
 */
void log_dump(const char *path)
{
	unsigned int n = count(&log_->n_tasks, MAX_TASKS);
	FILE *f = fopen(path, "w");

	if (!f)
		die(path);
	for (int i = 0; i < N_LINKS; i++)
		fprintf(f, "link %d %s\n", i, log_->links[i]);
	for (unsigned int i = 0; i < n; i++) {
		const struct task *t = &log_->tasks[i];

		fprintf(f, "task %u %d %d %d %d %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
			" %" PRIu64 " %" PRIu64 "\n", i, t->tid, t->process, t->creator, t->parent,
			t->kind, t->born[0], t->born[1], t->exit[0], t->exit[1], t->gone[0],
			t->gone[1]);
	}
	n = count(&log_->n_changes, MAX_CHANGES);
	for (unsigned int i = 0; i < n; i++) {
		const struct change *c = &log_->changes[i];

		if (c->before)
			fprintf(f, "change %d %d %d %" PRIu64 " %" PRIu64 " %d %d %s\n", c->task,
				c->by, c->attr, c->before, c->after, c->status, c->value, c->text);
	}
	fprintf(f, "full %d\n", log_->full);
	if (fclose(f))
		die(path);
}

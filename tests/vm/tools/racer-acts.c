// SPDX-License-Identifier: GPL-2.0
/*
 * What the racer's tasks do to themselves and to each other.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "racer.h"

unsigned int any(struct actor *a, unsigned int n)
{
	a->seed = a->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)(a->seed >> 33) % n;
}

void nap(struct actor *a, unsigned int us)
{
	struct timespec t = { .tv_nsec = (long)any(a, us) * 1000 };

	nanosleep(&t, NULL);
}

/* No two names are the same, nor are two values that follow each other. */
static void new_name(int target, char *name)
{
	struct task *t = &log_->tasks[target];

	snprintf(name, 16, "r%d.%u", target,
		 __atomic_fetch_add(&t->names, 1, __ATOMIC_RELAXED));
}

static int new_value(void)
{
	return (int)(__atomic_fetch_add(&log_->n_values, 1, __ATOMIC_RELAXED) % 1999);
}

static bool write_file(const char *path, const char *text)
{
	ssize_t len = (ssize_t)strlen(text), n;
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	n = write(fd, text, (size_t)len);
	close(fd);
	return n == len;
}

void rename_self(struct actor *a)
{
	struct change *c;
	char name[16];

	new_name(a->self, name);
	c = log_change(a, a->self, COMM, 0, name);
	if (c)
		log_done(c, !prctl(PR_SET_NAME, name));
}

void rename_by_file(struct actor *a, int target)
{
	struct change *c;
	char path[64], name[16];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm",
		 log_->tasks[log_->tasks[target].process].tid, log_->tasks[target].tid);
	new_name(target, name);
	c = log_change(a, target, COMM, 0, name);
	if (c)
		log_done(c, write_file(path, name));
}

static bool lives(const struct task *t)
{
	return t->tid && t->born[1] && !t->exit[0] && !t->gone[0];
}

/* A task for which WANTED holds, -1: none found. Those that live long came first. */
static int any_task(struct actor *a, bool (*wanted)(const struct task *t, const struct task *me))
{
	unsigned int n = log_->n_tasks < MAX_TASKS ? log_->n_tasks : MAX_TASKS;
	unsigned int few = n < 64 ? n : 64;

	for (int tries = 0; tries < 30; tries++) {
		unsigned int i = any(a, few);

		if (tries & 1)
			i = n - 1 - i;
		if (lives(&log_->tasks[i]) && wanted(&log_->tasks[i], &log_->tasks[a->self]))
			return (int)i;
	}
	return -1;
}

static bool is_sibling(const struct task *t, const struct task *me)
{
	return t->process == me->process;
}

static bool is_process(const struct task *t, const struct task *me)
{
	(void)me;
	return t->kind == PROCESS && t->creator >= 0;
}

void rename_sibling(struct actor *a)
{
	int target = any_task(a, is_sibling);

	if (target >= 0)
		rename_by_file(a, target);
}

static bool write_oom(int target, int value)
{
	char path[64], text[16];

	snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", log_->tasks[target].tid);
	snprintf(text, sizeof(text), "%d", value);
	return write_file(path, text);
}

void set_oom(struct actor *a, int target)
{
	int value = new_value() - 999;
	struct change *c = log_change(a, target, OOM, value, NULL);

	if (c)
		log_done(c, write_oom(target, value));
}

void set_oom_of_any(struct actor *a)
{
	int target = any_task(a, is_process);

	if (target >= 0)
		set_oom(a, target);
}

/* The kernel gives the other process the same value, and has no event for it. */
void set_oom_shared(struct actor *a, int target, int other)
{
	int value = new_value() - 999;
	struct change *c = log_change(a, target, OOM, value, NULL);
	struct change *d = log_change(a, other, OOM_SHARED, value, NULL);
	bool ok;

	if (!c || !d)
		return;
	ok = write_oom(target, value);
	log_done(c, ok);
	log_done(d, ok);
}

static unsigned int new_id(void)
{
	return 1000 + (unsigned int)new_value();
}

static void set_id(struct actor *a, enum attr attr, long call, unsigned int id, unsigned int others)
{
	struct change *c = log_change(a, a->self, attr, (int)id, NULL);

	if (c)
		log_done(c, !syscall(call, id, others, others));
}

/* Of this thread alone: libc's functions would do it to its siblings, too. */
void set_ids(struct actor *a)
{
	unsigned int id = new_id();

	set_id(a, GID, SYS_setresgid, id, id);
	id = new_id();
	set_id(a, UID, SYS_setresuid, id, id);
}

/* Stays privileged, to be able to do it again. */
void set_real_ids(struct actor *a)
{
	set_id(a, GID, SYS_setresgid, new_id(), (unsigned int)-1);
	set_id(a, UID, SYS_setresuid, new_id(), (unsigned int)-1);
}

/*
 * Go on as another program, which is this one by another name; main() there
 * ends the change. Two threads that try at once would kill each other.
 */
void run_program(struct actor *a, const char *role)
{
	int process = log_->tasks[a->self].process, free = 0;
	int link = strcmp(role, "idler") ? 1 + (int)any(a, N_LINKS - 1) : N_LINKS - 1;
	char number[16], change[16];
	struct change *c;

	/* From a program to the same one could not be seen. */
	if (link == log_->tasks[process].link ||
	    !__atomic_compare_exchange_n(&log_->tasks[process].execing, &free, 1, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return;
	c = log_change(a, process, EXEC, link, NULL);
	if (c) {
		char *argv[] = { log_->links[link], (char *)role, number, change, NULL };
		char *envp[] = { NULL };

		snprintf(number, sizeof(number), "%d", process);
		snprintf(change, sizeof(change), "%d", (int)(c - log_->changes));
		execve(log_->links[link], argv, envp);
		log_done(c, false);
	}
	__atomic_store_n(&log_->tasks[process].execing, 0, __ATOMIC_RELEASE);
}

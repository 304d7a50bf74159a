// SPDX-License-Identifier: GPL-2.0
/*
 * The open calls of each thread, so that those which do not return have a name: a place for each
 * thread number, in leaves that are made when a thread of theirs is there.
 *
 * A leaf is made when the session begins, or when a thread is born. A function that is called may
 * be any, one of the allocator included: there nothing can be allocated. Leaves stay until the
 * session ends. Where there are as many as there may be, open calls of further threads have no
 * name.
 */
#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "call/internal.h"
#include "core/threads.h"

#define N_LEAVES	DIV_ROUND_UP((size_t)PID_MAX_LIMIT, LT_CALL_LEAF)

/* A leaf is a page, and users choose how many numbers are used: one page in so many is a leaf's. */
#define MEMORY_PART	64

static atomic_long_t n_leaves;

struct lt_channel lt_channel_call __read_mostly;

struct lt_call_thread **lt_call_leaves __read_mostly;

/* That of calls that are not counted: no thread was started at that time. */
struct lt_call_thread lt_call_no_thread = { .start = U64_MAX };

DEFINE_PER_CPU(struct lt_call_last, lt_call_last);

/**
 * lt_call_thread_look_up() - the place of the running thread, which is not that of the last call
 * @task: the running thread
 *
 * An interrupt on top finds the same, or what was there before: the task is stored last, and taken
 * away first.
 *
 * Context: any but NMI, with preemption off; a session is open.
 * Return: NULL: it has none.
 */
struct lt_call_thread *lt_call_thread_look_up(struct task_struct *task)
{
	/* Another thread that executes a program may change it meanwhile. */
	pid_t tid = READ_ONCE(task->pid);
	struct lt_call_thread *t;

	/* The idle threads of all CPUs have one number. */
	t = tid ? lt_call_thread_find(tid) : NULL;
	if (!t)
		return NULL;
	this_cpu_write(lt_call_last.task, NULL);
	barrier();
	this_cpu_write(lt_call_last.tid, tid);
	this_cpu_write(lt_call_last.thread, t);
	barrier();
	this_cpu_write(lt_call_last.task, task);
	return t;
}

/**
 * lt_call_thread_make() - make the place of a thread
 * @task: the thread, which has not run yet, or runs since before the session
 *
 * Context: any in which GFP_NOWAIT is allowed.
 */
void lt_call_thread_make(struct task_struct *task)
{
	struct lt_call_thread **at = &lt_call_leaves[(u32)task->pid >> LT_CALL_LEAF_BITS];
	struct lt_call_thread *leaf;

	if (READ_ONCE(*at) || atomic_long_read(&n_leaves) >= totalram_pages() / MEMORY_PART)
		return;
	leaf = kcalloc(LT_CALL_LEAF, sizeof(*leaf), GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT);
	if (!leaf)
		return;
	/* Who reads the pointer reads the zeros. */
	if (cmpxchg_release(at, NULL, leaf))
		kfree(leaf);	/* another one was faster */
	else
		atomic_long_inc(&n_leaves);
}

static void make_of(struct task_struct *task, void *unused)
{
	lt_call_thread_make(task);
}

/**
 * lt_call_threads_open() - make the table, with places for all threads that there are
 *
 * Context: process, sleeps; no function is attached, and births of threads are watched afterwards:
 * a thread that is born in between has no place, and its open calls have no name.
 * Return: 0 or -ENOMEM.
 */
int lt_call_threads_open(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(lt_call_last, cpu) = (struct lt_call_last) { };
	lt_call_leaves = vzalloc(array_size(N_LEAVES, sizeof(*lt_call_leaves)));
	if (!lt_call_leaves)
		return -ENOMEM;
	BUILD_BUG_ON(LT_CALL_LEAF * sizeof(struct lt_call_thread) > SZ_4K);
	atomic_long_set(&n_leaves, 0);
	lt_each_thread(make_of, NULL);
	return 0;
}

/* Context: process, sleeps; no function is attached, and no probe runs. */
void lt_call_threads_close(void)
{
	size_t i;

	if (!lt_call_leaves)
		return;
	for (i = 0; i < N_LEAVES; i++)
		kfree(lt_call_leaves[i]);
	vfree(lt_call_leaves);
	lt_call_leaves = NULL;
}

/**
 * lt_call_thread_moved() - a thread has got another number, by executing a program
 * @tid: its former number
 *
 * It was not the leader of its process, and has the leader's number and start time from here on: so
 * the calls that it is in will not be taken off its former place when they return. They are taken
 * off now: their records and counts are right, and if they are open at the end they have no name.
 * If another thread has that number already, its open calls have no name until an outer one of
 * them returns.
 *
 * Context: process, the thread itself.
 */
void lt_call_thread_moved(pid_t tid)
{
	struct lt_call_thread *t = lt_call_thread_find(tid);

	if (t)
		WRITE_ONCE(t->n, 0);
}

static void write_later(const struct lt_call_thread *t, struct task_struct *task, u32 tid)
{
	unsigned int i;

	for (i = 0; i < lt_call_kept_of(t); i++) {
		struct lt_rec_CALL_OPEN rec;

		lt_call_fill_open(&rec, t, &t->open[i], task, tid);
		rec.why = LT_CALL_AT_END;
		lt_write_later(&lt_channel_call, LT_CLASS_CALL_OPEN, LT_EV_CALL_OPEN, &rec,
			       sizeof(rec));
	}
}

static void write_of(struct task_struct *task, void *unused)
{
	struct lt_call_thread *t = lt_call_thread_find(task->pid);

	if (!t || t->start != task->start_boottime)
		return;
	write_later(t, task, task->pid);
	t->n = 0;
}

/**
 * lt_call_threads_write_open() - write the calls that are open at the end of the session
 *
 * Their records wait for room, see lt_write_later().
 *
 * Context: process, sleeps; no function is attached any more, the packets are still open.
 */
void lt_call_threads_write_open(void)
{
	unsigned int k;
	size_t i;

	lt_each_thread(write_of, NULL);
	/* Threads that ended since the probe on ends was detached. */
	for (i = 0; i < N_LEAVES; i++) {
		for (k = 0; lt_call_leaves[i] && k < LT_CALL_LEAF; k++)
			if (lt_call_leaves[i][k].n)
				write_later(&lt_call_leaves[i][k], NULL,
					    i * LT_CALL_LEAF + k);
		cond_resched();
	}
}

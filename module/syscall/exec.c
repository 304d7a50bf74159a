// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of execve by threads that are not leaders.
 *
 * Such a thread gets number and start time of its leader within the call, and its number is
 * free for another thread long before the call returns. So what is kept of the call is not
 * left in the slot of its number, but stands here meanwhile, found by the thread itself.
 * There is at most one for each thread, charged to the thread's cgroup.
 */
#include <linux/hashtable.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "syscall/internal.h"

/**
 * struct aside - an execve of a thread that is not the leader
 * @node: in @asides
 * @task: the thread
 * @tid: of it, when it called
 * @tgid: the same
 * @start: the same
 * @leader_start: when its leader was started
 * @slot: as it was
 */
struct aside {
	struct hlist_node node;
	const struct task_struct *task;
	u32 tid;
	u32 tgid;
	u64 start;
	u64 leader_start;
	struct lt_slot slot;
};

static DEFINE_HASHTABLE(asides, 8);
static DEFINE_RAW_SPINLOCK(asides_lock);	/* the table; taken in process context alone */

unsigned int lt_execs_aside;

/* A thread that was freed unseen may have another one at its address. Under the lock. */
static struct aside *find(const struct task_struct *task)
{
	struct aside *a;

	hash_for_each_possible(asides, a, node, (unsigned long)task)
		if (a->task == task && (a->start == task->start_boottime ||
					a->leader_start == task->start_boottime))
			return a;
	return NULL;
}

/**
 * lt_exec_set_aside() - keep the open call of the running thread, which may lose its number
 * @s: its slot
 * @task: the running thread, not a leader
 *
 * Without memory the call is left in its slot. If the thread changes its number then, the end
 * of the call has no begin.
 *
 * Context: a probe on the begin of a call.
 */
void lt_exec_set_aside(struct lt_slot *s, struct task_struct *task)
{
	struct aside *a = kmalloc(sizeof(*a), GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT);

	if (!a)
		return;
	a->task = task;
	a->tid = task->pid;
	a->tgid = task->tgid;
	a->start = task->start_boottime;
	/* It is not freed before its group has another leader, which is this thread's doing. */
	a->leader_start = task->group_leader->start_boottime;
	a->slot = *s;
	s->state = LT_SLOT_SEEN;
	raw_spin_lock(&asides_lock);
	hash_add(asides, &a->node, (unsigned long)task);
	WRITE_ONCE(lt_execs_aside, lt_execs_aside + 1);
	raw_spin_unlock(&asides_lock);
}

/* lt_exec_take_back() where there are any. */
struct lt_slot *lt_exec_take_back_slow(struct task_struct *task)
{
	struct lt_slot *s;
	struct aside *a;

	raw_spin_lock(&asides_lock);
	a = find(task);
	if (a) {
		hash_del(&a->node);
		WRITE_ONCE(lt_execs_aside, lt_execs_aside - 1);
	}
	raw_spin_unlock(&asides_lock);
	if (!a)
		return NULL;
	s = lt_slot_make(task->pid);
	if (s) {
		*s = a->slot;
		s->start = (u32)task->start_boottime;
	} else {
		this_cpu_inc(lt_syscall_counts.lost_slot);
	}
	kfree(a);
	return s;
}

/* Is the thread in such a call? Context: any but interrupts. */
bool lt_exec_is_aside(const struct task_struct *task)
{
	bool is;

	raw_spin_lock(&asides_lock);
	is = find(task);
	raw_spin_unlock(&asides_lock);
	return is;
}

/**
 * lt_execs_each() - call a function for each that is open
 * @fn: with its slot, and the thread as it was when it called
 *
 * Context: process; no probe of the channel runs.
 */
void lt_execs_each(void (*fn)(const struct lt_slot *s, u32 tid, u32 tgid, u64 start))
{
	struct hlist_node *next;
	struct aside *a;
	unsigned int i;

	hash_for_each_safe(asides, i, next, a, node)
		fn(&a->slot, a->tid, a->tgid, a->start);
}

/* Forget all. Context: process; no probe of the channel runs. */
void lt_execs_clear(void)
{
	struct hlist_node *next;
	struct aside *a;
	unsigned int i;

	hash_for_each_safe(asides, i, next, a, node) {
		hash_del(&a->node);
		kfree(a);
	}
	lt_execs_aside = 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The holders of numbers, in each namespace, during a session.
 *
 * Kept in chunks, for the numbers that are used. A task whose number has no place, since there was
 * no memory, or none left in its user's share, is counted as untracked, and so is the next one with
 * that number: if the number was held before, that is not recorded. Each counts as a lost
 * number_reused: one too many rather than one too few.
 */
#include <linux/idr.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "pid/internal.h"

#define CHUNK	(LT_HOLDERS_CHUNK / sizeof(struct lt_number))

/* Numbers that are marked, and chunks that are freed, with interrupts off or under RCU. */
#define HOLD_BATCH	256
#define FORGET_BATCH	32

/* Under lt_pid_lock. */
static u64 untracked;
static bool blind;	/* there was a number without a namespace */
static bool counting;	/* all numbers that were held at the start have @held set */

static struct lt_number *find(struct lt_pidns *n, u32 nr)
{
	struct lt_number *chunk = xa_load(&n->holders, nr / CHUNK);

	return chunk ? &chunk[nr % CHUNK] : NULL;
}

static struct lt_number *get(struct lt_pidns *n, u32 nr)
{
	struct lt_number *number = find(n, nr), *chunk = NULL;

	if (number)
		return number;
	if (lt_share_take(n->share, LT_BUDGET_HOLDERS, LT_HOLDERS_CHUNK)) {
		chunk = kcalloc(CHUNK, sizeof(*chunk), GFP_NOWAIT | __GFP_NOWARN);
		if (chunk && !xa_err(xa_store(&n->holders, nr / CHUNK, chunk,
					      GFP_NOWAIT | __GFP_NOWARN)))
			return &chunk[nr % CHUNK];
		kfree(chunk);
		lt_share_give_back(n->share, LT_BUDGET_HOLDERS, LT_HOLDERS_CHUNK);
	}
	n->incomplete = true;
	return NULL;
}

/* Whether another task has held the number of a new one is not known. Context: lt_pid_lock held. */
static void untrack(struct lt_pidns *n)
{
	n->untracked++;
	untracked++;
	lt_pid_count_lost(LT_CLASS_REUSE);
}

static bool holds(const struct lt_number *number, const struct task_struct *p)
{
	return number->tid == p->pid && number->start == p->start_boottime;
}

/* A task is about to get a number. Context: lt_pid_lock held, recording. */
void lt_numbers_given(struct lt_pidns *n, u32 nr)
{
	struct lt_number *number = get(n, nr);

	if (!number)
		return;
	number->generation = n->generation;
	number->pending = true;
	number->held = true;
}

/*
 * A number is taken back: from a task, or from a fork that took it and then failed.
 * Context: lt_pid_lock held, recording.
 */
void lt_numbers_freed(struct lt_pidns *n, u32 nr)
{
	struct lt_number *number = get(n, nr);

	if (!number)
		return;
	/* Where memory was short, @held may be missing for a number that was held. */
	if (!number->held && counting && !n->incomplete && !blind) {
		n->burned++;
		n->allocated++;
	}
	/* A thread that became its group's leader by exec never exits by its old number. */
	if (number->held && number->holders && !number->death)
		number->death = ktime_get_boot_fast_ns();
	number->held = false;
	number->pending = false;
}

static bool has_task(const struct pid *pid)
{
	int type;

	for (type = 0; type < PIDTYPE_MAX; type++)
		if (!hlist_empty(&pid->tasks[type]))
			return true;
	return false;
}

/**
 * lt_numbers_hold() - mark all numbers that are held
 *
 * Until this is done, a number that is freed may have been burned or held: none is
 * counted as burned. A number is marked as long as it is found, also without a task: its
 * free_pid(), which takes the lock, may have come already or come later (since 6.15 much
 * later). It may also belong to a fork under way; if that fails, the number is not
 * counted as burned. Nor is the first burning of a number whose free_pid() has just come.
 * So the count of burned numbers may be too low, and is never too high.
 *
 * Context: process; numbers are watched and recorded.
 */
void lt_numbers_hold(void)
{
	unsigned long flags;
	unsigned int n_held = 0;
	struct pid *pid;
	int nr = 1;

	rcu_read_lock();
	for (; (pid = idr_get_next(&init_pid_ns.idr, &nr)) != NULL; nr++) {
		unsigned int i;

		/* By how many there are: a user could leave out the numbers of a pattern. */
		if (!(++n_held % HOLD_BATCH)) {
			rcu_read_unlock();
			cond_resched();
			rcu_read_lock();
			pid = idr_get_next(&init_pid_ns.idr, &nr);
			if (!pid)
				break;
		}

		spin_lock_irqsave(&lt_pid_lock, flags);
		for (i = 0; i <= pid->level; i++) {
			/* A namespace that ended with its last task is not made known again. */
			struct lt_pidns *n = has_task(pid) ?
					     lt_pidns_get(pid->numbers[i].ns, i) :
					     lt_pidns_find(pid->numbers[i].ns);
			struct lt_number *number = n ? get(n, pid->numbers[i].nr) : NULL;

			if (number)
				number->held = true;
		}
		spin_unlock_irqrestore(&lt_pid_lock, flags);
	}
	rcu_read_unlock();
	spin_lock_irqsave(&lt_pid_lock, flags);
	counting = true;
	spin_unlock_irqrestore(&lt_pid_lock, flags);
}

static void write_number(const struct task_struct *p, const struct lt_pidns *n, u32 nr,
			 u64 generation)
{
	struct lt_rec_TASK_NUMBER *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	if (!n->id) {
		lt_pid_count_lost(LT_CLASS_NUMBER);
		return;
	}
	c = lt_enter(&lt_channel_pid, LT_CLASS_NUMBER, &flags);
	if (!c)
		return;
	rec = lt_reserve_no_task(&lt_channel_pid, c, LT_CLASS_NUMBER, LT_EV_TASK_NUMBER,
				 sizeof(*rec));
	if (rec) {
		rec->tid = p->pid;
		rec->start = p->start_boottime;
		rec->ns = n->id;
		rec->nr = nr;
		rec->generation = generation;
	}
	lt_leave(c, LT_CLASS_NUMBER, flags);
}

static void write_reused(const struct task_struct *p, const struct lt_pidns *n, u32 nr,
			 const struct lt_number *old, u64 generation)
{
	struct lt_rec_NUMBER_REUSED *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	if (!n->id) {
		lt_pid_count_lost(LT_CLASS_REUSE);
		return;
	}
	c = lt_enter(&lt_channel_pid, LT_CLASS_REUSE, &flags);
	if (!c)
		return;
	rec = lt_reserve_no_task(&lt_channel_pid, c, LT_CLASS_REUSE, LT_EV_NUMBER_REUSED,
				 sizeof(*rec));
	if (rec) {
		rec->ns = n->id;
		rec->nr = nr;
		rec->generation = generation;
		rec->holders = old->holders + 1;
		rec->old_tid = old->tid;
		rec->old_start = old->start;
		rec->old_death = old->death;
		rec->tid = p->pid;
		rec->start = p->start_boottime;
	}
	lt_leave(c, LT_CLASS_REUSE, flags);
}

/* The task becomes the holder of the number. */
static void take(const struct task_struct *p, u32 tid, u64 start, struct lt_pidns *n,
		 struct lt_number *number)
{
	n->born += number->pending;
	number->pending = false;
	number->tid = tid;
	number->start = start;
	number->death = 0;
	number->holders++;
	number->oom_score_adj = p->signal->oom_score_adj;
}

/**
 * lt_numbers_born() - write a birth, with all about its numbers
 * @p: the new task, which cannot run yet
 * @clone_flags: of the call
 *
 * Writes its numbers in inner namespaces, then the birth, then the earlier holders.
 *
 * Context: any.
 */
void lt_numbers_born(struct task_struct *p, u64 clone_flags)
{
	struct pid *pid = task_pid(p);
	struct lt_task_number own = { 0 };
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&lt_pid_lock, flags);
	for (i = 0; i <= pid->level; i++) {
		struct lt_number *number;
		struct lt_pidns *n;
		u64 generation;

		if (!lt_pid_exact)
			lt_pidns_begins(pid->numbers[i].ns, i, pid->numbers[i].nr);
		n = lt_pidns_get(pid->numbers[i].ns, i);
		if (!n) {
			lt_numbers_untrack();
			if (i)
				lt_pid_count_lost(LT_CLASS_NUMBER);
			continue;
		}
		if (!lt_pid_exact)
			lt_pidns_sample(n);
		number = get(n, pid->numbers[i].nr);
		generation = number && number->pending ? number->generation : n->generation;
		own.ns = n->id;
		own.nr = pid->numbers[i].nr;
		if (!i)
			own.generation = generation;
		if (i && own.nr == 1) {
			n->init_tid = p->pid;
			n->init_start = p->start_boottime;
		}
		if (i)
			write_number(p, n, own.nr, generation);
	}
	lt_task_write_new(p, clone_flags, &own);
	for (i = 0; i <= pid->level; i++) {
		struct lt_pidns *n = lt_pidns_get(pid->numbers[i].ns, i);
		struct lt_number *number = n ? find(n, pid->numbers[i].nr) : NULL;

		/* In a sampled namespace a snapshot may have made it the holder already. */
		/* An earlier holder may have had no place, when there was none. */
		if (n && (!number || (!number->holders && n->incomplete)))
			untrack(n);
		if (!n)
			lt_pid_count_lost(LT_CLASS_REUSE);
		if (!number || (number->holders && holds(number, p)))
			continue;
		if (number->holders)
			write_reused(p, n, pid->numbers[i].nr, number,
				     number->pending ? number->generation : n->generation);
		take(p, p->pid, p->start_boottime, n, number);
	}
	spin_unlock_irqrestore(&lt_pid_lock, flags);
}

/**
 * lt_numbers_seed() - a task that a snapshot found holds its numbers
 * @p: the task
 * @pid: its struct pid; the task may have lost it meanwhile
 * @tid: its tid when the snapshot read it
 * @start: when it was started, as the snapshot read it
 * @ns: id of its own namespace; 0: not known
 * @nr: its number there
 *
 * Does nothing for a number whose holder is known, or whose birth is about to come.
 *
 * Context: process.
 */
void lt_numbers_seed(struct task_struct *p, struct pid *pid, u32 tid, u64 start, u16 *ns,
		     u32 *nr)
{
	unsigned long flags;
	unsigned int i;

	*ns = 0;
	*nr = pid->numbers[pid->level].nr;
	rcu_read_lock();	/* for pid_task() */
	spin_lock_irqsave(&lt_pid_lock, flags);
	/* While the task has its number, free_pid() has not come: its namespaces are alive. */
	for (i = 0; i <= pid->level && lt_pid_recording; i++) {
		struct lt_number *number;
		struct lt_pidns *n;

		if (pid_task(pid, PIDTYPE_PID) != p)
			break;
		n = lt_pidns_get(pid->numbers[i].ns, i);
		number = n ? get(n, pid->numbers[i].nr) : NULL;
		if (!n)
			continue;
		if (i == pid->level)
			*ns = n->id;
		if (i && pid->numbers[i].nr == 1 && !n->init_tid) {
			n->init_tid = tid;
			n->init_start = start;
		}
		if (number && !number->holders && !number->pending)
			take(p, tid, start, n, number);
	}
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	rcu_read_unlock();
}

/* A task exits: note when. Context: any. */
void lt_numbers_died(struct task_struct *p)
{
	struct pid *pid = task_pid(p);
	unsigned long flags;
	unsigned int i;

	if (!pid)
		return;
	spin_lock_irqsave(&lt_pid_lock, flags);
	for (i = 0; i <= pid->level; i++) {
		struct lt_pidns *n = lt_pidns_get(pid->numbers[i].ns, i);
		struct lt_number *number = n ? find(n, pid->numbers[i].nr) : NULL;

		if (number && holds(number, p))
			number->death = ktime_get_boot_fast_ns();
	}
	spin_unlock_irqrestore(&lt_pid_lock, flags);
}

/**
 * lt_number_exchanged() - a thread is about to take over its leader's number
 * @tid: the leader's number
 * @old_tid: the thread's own number, which it still has
 *
 * Remembers the thread's start: later its number may have another holder.
 *
 * Context: any.
 */
void lt_number_exchanged(u32 tid, u32 old_tid)
{
	struct lt_number *leader, *thread;
	unsigned long flags;
	struct lt_pidns *n;

	spin_lock_irqsave(&lt_pid_lock, flags);
	n = lt_pid_recording ? lt_pidns_get(&init_pid_ns, 0) : NULL;
	leader = n ? find(n, tid) : NULL;
	thread = n ? find(n, old_tid) : NULL;
	if (leader && thread && thread->holders) {
		leader->from = old_tid;
		leader->from_start = thread->start;
	}
	spin_unlock_irqrestore(&lt_pid_lock, flags);
}

/**
 * lt_number_passed_on() - a thread has taken over its leader's number, by exec
 * @tid: the leader's number, whose exit does not count now
 * @old_tid: the thread's own before
 *
 * Return: when the thread was started, 0: not known.
 */
u64 lt_number_passed_on(u32 tid, u32 old_tid)
{
	struct lt_number *leader;
	unsigned long flags;
	struct lt_pidns *n;
	u64 start = 0;

	spin_lock_irqsave(&lt_pid_lock, flags);
	n = lt_pidns_get(&init_pid_ns, 0);
	leader = n ? find(n, tid) : NULL;
	if (leader) {
		leader->death = 0;
		if (leader->from == old_tid)
			start = leader->from_start;
		leader->from = 0;
	}
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	return start;
}

/**
 * lt_number_oom() - a thread group gets another oom_score_adj
 * @tgid: its number
 * @start: when its leader was started
 * @now: the new value
 * Return: the value before, as far as known; else the new one.
 */
s16 lt_number_oom(u32 tgid, u64 start, s16 now)
{
	struct lt_number *number;
	unsigned long flags;
	struct lt_pidns *n;
	s16 old = now;

	spin_lock_irqsave(&lt_pid_lock, flags);
	n = lt_pidns_get(&init_pid_ns, 0);
	number = n ? find(n, tgid) : NULL;
	if (number && number->holders && number->start == start) {
		old = number->oom_score_adj;
		number->oom_score_adj = now;
	}
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	return old;
}

/* Take up to FORGET_BATCH chunks of holders out. Context: lt_pid_lock held. */
static unsigned int take_chunks(struct lt_pidns *n, void **chunks)
{
	unsigned int k = 0;
	unsigned long i;
	void *chunk;

	xa_for_each(&n->holders, i, chunk) {
		if (k == FORGET_BATCH)
			break;
		xa_erase(&n->holders, i);
		chunks[k++] = chunk;
	}
	lt_share_give_back(n->share, LT_BUDGET_HOLDERS, k * LT_HOLDERS_CHUNK);
	return k;
}

/**
 * lt_numbers_forget() - free what is known of holders
 *
 * Frees FORGET_BATCH chunks at a time, so that interrupts are not off for long.
 *
 * Context: process; no probe of the table is attached any more, events are not written.
 */
void lt_numbers_forget(void)
{
	unsigned long flags, index = 0, next = 0;
	void *chunks[FORGET_BATCH];
	struct lt_pidns *n;
	unsigned int i, k, steps;

	do {
		spin_lock_irqsave(&lt_pid_lock, flags);
		k = 0;
		/* The last one may have more. */
		for (steps = 0; !k && steps < LT_PIDNS_BATCH; steps++) {
			next = index;
			n = lt_pidns_next(&next);
			if (!n)
				break;
			k = take_chunks(n, chunks);
			if (!k)
				index = next;
		}
		spin_unlock_irqrestore(&lt_pid_lock, flags);
		for (i = 0; i < k; i++)
			kfree(chunks[i]);
		cond_resched();
	} while (n);
}

/* ------------------------------------------------------------------------
 * Numbers that are not recorded, and a new session
 */

u64 lt_numbers_untracked(void)
{
	/* For people; the self-test reads it when nothing changes it. */
	return data_race(READ_ONCE(untracked));
}

/* Count a number of no known namespace, as there was no memory. Context: lt_pid_lock held. */
void lt_numbers_untrack(void)
{
	blind = true;
	untracked++;
}

/* Begin anew; the holders are forgotten already. Context: lt_pid_lock held. */
void lt_numbers_reset(void)
{
	untracked = 0;
	blind = false;
	counting = false;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Pid namespaces in a session: the moment at which events begin to be written and that at
 * which they end, and the counts in the file "stats".
 */
#include <linux/idr.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/smp.h>

#include "pid/internal.h"

/* A machine may have thousands of namespaces; "stats" is read often. */
#define STATS_NAMESPACES	64

static void barrier_on_cpu(void *unused)
{
	/* The interrupt itself is the barrier. */
}

/**
 * lt_pidgen_record() - from now on events of the channel are written
 *
 * At one moment on all CPUs: if the birth of a task is written, so is its death. After
 * this function, a birth that was not written is that of a task which a walk over all
 * numbers finds: a CPU that reads the flag after the interrupt sees it set; what a CPU
 * did before the interrupt, such as attaching a task to its number, is visible here.
 *
 * Context: process, sleeps; the channel is open, all its probes are attached,
 * and numbers are watched.
 */
void lt_pidgen_record(void)
{
	unsigned long flags;
	struct lt_pidns *n;

	lt_pidns_clear_ids();
	spin_lock_irqsave(&lt_pid_lock, flags);
	lt_numbers_reset();
	lt_pidns_begin_session();
	WRITE_ONCE(lt_pid_recording, true);
	/* The others are announced by the first snapshot, which waits for room. */
	n = lt_pidns_get(&init_pid_ns, 0);
	if (n && !n->announced)
		lt_pidns_write(n);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	on_each_cpu(barrier_on_cpu, NULL, 1);
	/*
	 * The probes of names and credentials run before the change. A task that passed
	 * such a probe just before the flag was set, without an event, has most
	 * probably made its change when this wait ends: names are changed under a lock
	 * (before 6.14), credentials some instructions later. A task that is preempted
	 * there, or waits for a keyring, is written by the snapshot with the old value.
	 */
	synchronize_rcu();
	lt_numbers_hold();
}

/* Undo lt_pidgen_record(): events are not written from now on. Context: process. */
void lt_pidgen_pause(void)
{
	unsigned long flags;

	spin_lock_irqsave(&lt_pid_lock, flags);
	WRITE_ONCE(lt_pid_recording, false);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
}

/**
 * lt_pidgen_announce() - announce the namespaces, with their counts
 * @index: 0 at the beginning; where to go on
 *
 * Context: process, sleeps; recording.
 * Return: true: there is no room for all, call it again later.
 */
bool lt_pidgen_announce(unsigned long *index)
{
	bool room = true;
	struct lt_pidns *n;
	unsigned long flags;
	unsigned int i;

	do {
		spin_lock_irqsave(&lt_pid_lock, flags);
		for (i = 0; i < LT_PIDNS_BATCH; i++) {
			unsigned long here = *index;

			n = lt_pid_recording ? lt_pidns_next(index) : NULL;
			if (!n)
				break;
			lt_pidns_touch(n);
			room = lt_pidns_write_if_room(n);
			if (!room) {
				*index = here;
				break;
			}
		}
		spin_unlock_irqrestore(&lt_pid_lock, flags);
		cond_resched();
	} while (n && room);
	return !room;
}

/* Read cursor and generation of the initial namespace. Context: any. */
void lt_pidgen_cursor(u32 *cursor, u64 *generation)
{
	unsigned long flags;
	struct lt_pidns *n;

	spin_lock_irqsave(&lt_pid_lock, flags);
	n = lt_pidns_find(&init_pid_ns);
	*cursor = idr_get_cursor(&init_pid_ns.idr);
	*generation = n ? n->generation : 0;
	spin_unlock_irqrestore(&lt_pid_lock, flags);
}

/* The channel's lines in the file "stats". Context: process. */
void lt_pidgen_show_stats(struct seq_file *m)
{
	unsigned long flags, index = 0;
	unsigned int i;
	u64 without_id;

	/* The initial namespace is the first. */
	for (i = 0; i < STATS_NAMESPACES; i++) {
		struct lt_pidns copy, *n;

		spin_lock_irqsave(&lt_pid_lock, flags);
		n = lt_pidns_next(&index);
		if (n) {
			lt_pidns_touch(n);
			copy = *n;
		}
		spin_unlock_irqrestore(&lt_pid_lock, flags);
		if (!n)
			break;
		seq_printf(m, "pid_ns %u level %u inum %u generation %llu wraps %llu allocated %llu born %llu burned %llu untracked %llu\n",
			   copy.id, copy.level, copy.inum, copy.generation, copy.wraps,
			   copy.allocated, copy.born, copy.burned, copy.untracked);
	}
	spin_lock_irqsave(&lt_pid_lock, flags);
	without_id = lt_pidns_without_id();
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	seq_printf(m, "pid_namespaces %lu\n", lt_pidns_known());
	seq_printf(m, "pid_ns_without_id %llu\n", without_id);
	seq_printf(m, "untracked %llu\n", lt_numbers_untracked());
}

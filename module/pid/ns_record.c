// SPDX-License-Identifier: GPL-2.0
/*
 * The records of pid namespaces; and the lock and the state that all files of the channel
 * share.
 */
#include "pid/internal.h"

DEFINE_SPINLOCK(lt_pid_lock);
bool lt_pid_recording;
bool lt_pid_snapshot;
bool lt_pid_exact;
u32 lt_pid_session;

/*
 * Count an event that cannot be written, as there is no id of its namespace, or as memory was
 * short, as lost. Context: any; recording.
 */
void lt_pid_count_lost(unsigned int class)
{
	this_cpu_inc(lt_channel_pid.cpu->nested[LT_CLASS_INDEX(class)]);
}

/* A generation has begun. Context: lt_pid_lock held, recording. */
void lt_pidns_write_wrap(const struct lt_pidns *n, u8 why, u32 nr, u32 old_cursor)
{
	struct lt_rec_WRAP *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	if (!n->id) {
		lt_pid_count_lost(LT_CLASS_WRAP);
		return;
	}
	c = lt_enter(&lt_channel_pid, LT_CLASS_WRAP, &flags);
	if (!c)
		return;
	rec = lt_reserve_no_task(&lt_channel_pid, c, LT_CLASS_WRAP, LT_EV_WRAP, sizeof(*rec));
	if (rec) {
		rec->ns = n->id;
		rec->generation = n->generation;
		rec->wraps = n->wraps;
		rec->why = why;
		rec->nr = nr;
		rec->old_cursor = old_cursor;
		rec->cursor = n->cursor;
		rec->allocated = n->allocated;
		rec->burned = n->burned;
	}
	lt_leave(c, LT_CLASS_WRAP, flags);
}

static void fill(struct lt_rec_PID_NS *rec, const struct lt_pidns *n)
{
	rec->ns = n->id;
	/* A parent that was gone before the session began has no id in it. */
	rec->parent = n->parent && n->parent->session == lt_pid_session ? n->parent->id : 0;
	rec->level = n->level;
	rec->exact = lt_pid_exact;
	rec->inum = n->inum;
	rec->ns_id = n->ns_id;
	rec->init_tid = n->init_tid;
	rec->init_start = n->init_start;
	rec->cursor = n->cursor;
	rec->generation = n->generation;
	rec->wraps = n->wraps;
	rec->allocated = n->allocated;
	rec->born = n->born;
	rec->burned = n->burned;
	rec->untracked = n->untracked;
}

/**
 * lt_pidns_write() - announce a namespace, with its counts
 * @n: the namespace, which has an id of this session
 *
 * Context: lt_pid_lock held, recording.
 */
void lt_pidns_write(struct lt_pidns *n)
{
	struct lt_rec_PID_NS *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	if (!n->id) {
		lt_pid_count_lost(LT_CLASS_WRAP);
		return;
	}
	n->announced = true;
	c = lt_enter(&lt_channel_pid, LT_CLASS_WRAP, &flags);
	if (!c)
		return;
	rec = lt_reserve_no_task(&lt_channel_pid, c, LT_CLASS_WRAP, LT_EV_PID_NS, sizeof(*rec));
	if (rec)
		fill(rec, n);
	lt_leave(c, LT_CLASS_WRAP, flags);
}

/**
 * lt_pidns_write_if_room() - lt_pidns_write(), if there is room
 * @n: the namespace, which was touched in this session
 *
 * The record is in the order of time with the others of the namespace: reserved and filled
 * in under the lock under which its counts change.
 *
 * Context: process; lt_pid_lock held, recording.
 * Return: false: nothing was written or counted, try again later.
 */
bool lt_pidns_write_if_room(struct lt_pidns *n)
{
	struct lt_rec_PID_NS *rec = NULL;
	struct lt_channel_cpu *c;
	unsigned long flags;

	if (!n->id)
		return true;
	c = lt_enter(&lt_channel_pid, LT_CLASS_WRAP, &flags);
	if (!c)
		return false;
	/* As with a snapshot's records: half of the buffer is for events. */
	if (!lt_half_full(&lt_channel_pid))
		rec = lt_reserve_uncounted(&lt_channel_pid, c, LT_EV_PID_NS, sizeof(*rec));
	if (!rec) {
		lt_cancel(c, flags);
		return false;
	}
	fill(rec, n);
	n->announced = true;
	lt_leave(c, LT_CLASS_WRAP, flags);
	return true;
}

/* The namespace is gone. Context: lt_pid_lock held, recording. */
void lt_pidns_write_gone(const struct lt_pidns *n)
{
	struct lt_rec_PID_NS_GONE *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	if (!n->id) {
		lt_pid_count_lost(LT_CLASS_WRAP);
		return;
	}
	c = lt_enter(&lt_channel_pid, LT_CLASS_WRAP, &flags);
	if (!c)
		return;
	rec = lt_reserve_no_task(&lt_channel_pid, c, LT_CLASS_WRAP, LT_EV_PID_NS_GONE,
				 sizeof(*rec));
	if (rec) {
		rec->ns = n->id;
		rec->generation = n->generation;
		rec->wraps = n->wraps;
		rec->allocated = n->allocated;
		rec->born = n->born;
		rec->burned = n->burned;
		rec->untracked = n->untracked;
	}
	lt_leave(c, LT_CLASS_WRAP, flags);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Pid namespaces and their generations.
 *
 * A generation is an interval in which no number of a namespace has two holders that
 * are visible in /proc. It ends
 *
 * - when the cursor of the numbering went back: it wrapped, or ns_last_pid was
 *   written;
 * - when a number is given that was visible in this generation, though the
 *   cursor did not go back: by clone3() with set_tid; or because a task lived
 *   through a wrap, and its number was free when the cursor came to it again.
 *
 * Both are decided before a task is attached to its number, under the kernel's
 * tasklist_lock, and so before /proc can show it: of a process in attach_pid(),
 * of a thread in task_join_group_stop(), since it is in the list of its group's
 * threads a little earlier than it is attached. A process that sees a number's new
 * holder finds the new generation. A number is given back in free_pid(), when no task is
 * attached to it any more; so is one that fork took and then failed, in
 * copy_process(), without a task. At each of these the cursor is read. Between two
 * readings it moves by the numbers of the forks that are under way, so a whole
 * revolution cannot go unnoticed. (alloc_pid() itself can fail after
 * it has taken numbers: in a namespace that is ending, or if set_tid cannot be
 * had in an outer one. Those numbers move the cursor only.)
 *
 * What alloc_pid() calls, the functions of idr, cannot be probed by ftrace in the
 * kernels of distributions.
 *
 * Where functions cannot be probed, the cursor is sampled instead: at each
 * birth, at each reading, and by a timer. Then only generations that show in the cursor
 * are noticed; field "exact" of the record "pid_ns" is 0.
 */
#include <linux/idr.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "pid/internal.h"

/*
 * Bits of a chunk, with the generation that they are of: so small that a namespace with few
 * numbers takes little of its user's share.
 */
#define USED_CHUNK	512
#define USED_WORDS	((USED_CHUNK - sizeof(u64)) / sizeof(long))
#define USED_BITS	(USED_WORDS * BITS_PER_LONG)

struct used {
	u64 generation;
	unsigned long bits[USED_WORDS];
};

/* All under lt_pid_lock. */
static DEFINE_XARRAY_FLAGS(table, XA_FLAGS_LOCK_IRQ);
static unsigned long known;

/* How long an id rests: one second at least. See ids.c. */
#define REST		(HZ + 1)

static LIST_HEAD(dead);
static LIST_HEAD(resting);
static void free_dead(struct work_struct *work);
static void free_rested(struct work_struct *work);
static DECLARE_WORK(burial, free_dead);
static DECLARE_DELAYED_WORK(rest, free_rested);

/* A generation is at least @base; @highest: of all that there were. */
static u64 base, highest;

/* ------------------------------------------------------------------------
 * The table of namespaces
 *
 * By inode number, of which the kernel gives the lowest that is free: the table is dense,
 * and nobody can make its paths long. A namespace that is alive is the only one with its
 * number. A walk goes from number to number, and lets go of lt_pid_lock now and then.
 */

/* Small also for namespaces whose number is in the kernel's range for them. */
static unsigned long index_of(u32 inum)
{
	return (u32)(inum - init_pid_ns.ns.inum);
}

/* What the first look at a namespace in a session does. */
static void enroll(struct lt_pidns *n)
{
	lt_pidns_drop_id(n);
	n->session = lt_pid_session;
	lt_pidns_first_id(n);
	n->announced = false;
	n->wraps = 0;
	n->allocated = 0;
	n->born = 0;
	n->burned = 0;
	n->untracked = 0;
	n->incomplete = false;
	n->freed = false;
}

/*
 * An id that meant another namespace is announced before it is used, as it is in the record of an
 * inner one: the outermost first. They are 32 at most, the kernel's limit.
 */
static void announce_again(struct lt_pidns *n)
{
	if (n->parent)
		announce_again(n->parent);
	if (n->session == lt_pid_session && n->id && n->again && !n->announced)
		lt_pidns_write(n);
}

/**
 * lt_pidns_touch() - bring a namespace up to date before it is used
 * @n: the namespace
 *
 * A session does not begin with a walk over all namespaces: each gets its id, and counts
 * from zero, with its first event, or when the first snapshot announces it.
 *
 * Context: lt_pid_lock held.
 */
void lt_pidns_touch(struct lt_pidns *n)
{
	struct lt_pidns *outer;

	if (n->generation < base) {
		n->generation = base;
		lt_view_wake(n->view);
	}
	if (!lt_pid_recording)
		return;
	if (n->session == lt_pid_session) {
		/* There was no id for it: perhaps there is one now. */
		if (unlikely(!n->id && lt_pidns_late_id(n)))
			lt_pidns_write(n);
		return;
	}
	/* At most 32, the kernel's limit. */
	for (outer = n->parent; outer && outer->session != lt_pid_session; outer = outer->parent)
		if (!outer->gone)
			enroll(outer);
	enroll(n);
	announce_again(n);
}

/**
 * lt_pidns_find() - look a namespace up
 * @ns: alive
 *
 * Context: lt_pid_lock held.
 * Return: NULL if it is not known.
 */
struct lt_pidns *lt_pidns_find(const struct pid_namespace *ns)
{
	struct lt_pidns *n = xa_load(&table, index_of(ns->ns.inum));

	if (!n || n->ns != ns)
		return NULL;
	lt_pidns_touch(n);
	return n;
}

/**
 * lt_pidns_next() - the next namespace of a walk
 * @index: 0 at the beginning; between two calls the table may change
 *
 * Context: lt_pid_lock held; let go of it after LT_PIDNS_BATCH calls.
 * Return: NULL: there are no more.
 */
struct lt_pidns *lt_pidns_next(unsigned long *index)
{
	struct lt_pidns *n = xa_find(&table, index, ULONG_MAX, XA_PRESENT);

	*index += !!n;
	return n;
}

/*
 * Where ends of namespaces are not seen, another namespace may have address and inode
 * number by now. An open file keeps the namespace, which prevents that.
 */
static bool is_stale(const struct lt_pidns *n, struct pid_namespace *ns)
{
	return !lt_pid_exact && !n->view && n->ns_id != lt_pidns_id(ns);
}

static struct lt_pidns *make(struct pid_namespace *ns, unsigned int level,
			     struct lt_pidns *parent)
{
	struct lt_pidns *n = kzalloc(sizeof(*n), GFP_NOWAIT | __GFP_NOWARN);

	if (!n)
		return NULL;
	n->share = lt_share_get(ns, parent);
	if (!n->share)
		goto free;
	n->ns = ns;
	n->refs = 1;
	n->level = level;
	n->inum = ns->ns.inum;
	n->ns_id = lt_pidns_id(ns);
	n->cursor = idr_get_cursor(&ns->idr);
	n->generation = base;
	xa_init_flags(&n->used, XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&n->holders, XA_FLAGS_LOCK_IRQ);
	if (xa_err(xa_store(&table, index_of(n->inum), n, GFP_NOWAIT | __GFP_NOWARN)))
		goto put;
	n->parent = parent;
	if (parent)
		parent->refs++;
	WRITE_ONCE(known, known + 1);
	return n;

put:
	lt_share_put(n->share);
free:
	kfree(n);
	return NULL;
}

/**
 * lt_pidns_get() - look a namespace up, and make it known if it is not
 * @ns: alive
 * @level: its level
 *
 * Context: lt_pid_lock held.
 * Return: NULL when there was no memory.
 */
struct lt_pidns *lt_pidns_get(struct pid_namespace *ns, unsigned int level)
{
	struct lt_pidns *n = xa_load(&table, index_of(ns->ns.inum)), *parent = NULL;

	if (n && n->ns == ns && !is_stale(n, ns)) {
		lt_pidns_touch(n);
		return n;
	}
	/* The inode number is that of @ns now: the end of the other one was not seen. */
	if (n)
		lt_pidns_retire(n);
	/* Recursion ends after 32 levels, the kernel's limit. */
	if (ns->parent)
		parent = lt_pidns_get(ns->parent, level - 1);
	n = make(ns, level, parent);
	if (!n)
		return NULL;
	lt_pidns_touch(n);
	return n;
}

/* Return: how many chunks there were. */
static unsigned long free_chunks(struct xarray *xa)
{
	unsigned long i, n = 0;
	void *chunk;

	xa_for_each(xa, i, chunk) {
		kfree(chunk);
		n++;
		cond_resched();
	}
	xa_destroy(xa);
	return n;
}

/* Context: lt_pid_lock held; not more than 32 deep, the kernel's limit. */
static void put(struct lt_pidns *n)
{
	struct lt_pidns *parent;

	for (; n && !--n->refs; n = parent) {
		parent = n->parent;
		kfree(n);
	}
}

static struct lt_pidns *first_of(struct list_head *list)
{
	return list_first_entry_or_null(list, struct lt_pidns, dead);
}

/* The end of a namespace: nothing refers to its id any more. Context: lt_pid_lock held. */
static void release(struct lt_pidns *n)
{
	lt_pidns_drop_id(n);
	lt_share_put(n->share);
	n->share = NULL;
	put(n);
}

static void free_dead(struct work_struct *work)
{
	unsigned long flags, used, holders;
	struct lt_pidns *n;

	spin_lock_irqsave(&lt_pid_lock, flags);
	while ((n = first_of(&dead)) != NULL) {
		list_del(&n->dead);
		spin_unlock_irqrestore(&lt_pid_lock, flags);
		used = free_chunks(&n->used);
		holders = free_chunks(&n->holders);
		cond_resched();
		spin_lock_irqsave(&lt_pid_lock, flags);
		/* Not before it is free, or a user could take more than there is. */
		if (n->level)
			lt_share_give_back(n->share, LT_BUDGET_USED, used * sizeof(struct used));
		lt_share_give_back(n->share, LT_BUDGET_HOLDERS, holders * LT_HOLDERS_CHUNK);
		if (!n->id) {
			release(n);
			continue;
		}
		/* Its user has the id until it may be given again. */
		n->since = jiffies;
		list_add_tail(&n->dead, &resting);
		schedule_delayed_work(&rest, REST);
	}
	spin_unlock_irqrestore(&lt_pid_lock, flags);
}

static bool is_rested(const struct lt_pidns *n)
{
	/* No session, or another one, writes the id. */
	if (!lt_pid_recording || n->session != lt_pid_session)
		return true;
	/* Acquire: pairs with the release in snapshot(). One that begins now has nothing of it. */
	return !smp_load_acquire(&lt_pid_snapshot) && time_after_eq(jiffies, n->since + REST);
}

static void free_rested(struct work_struct *work)
{
	unsigned long flags;
	struct lt_pidns *n;

	spin_lock_irqsave(&lt_pid_lock, flags);
	while ((n = first_of(&resting)) != NULL && is_rested(n)) {
		list_del(&n->dead);
		release(n);
		spin_unlock_irqrestore(&lt_pid_lock, flags);
		cond_resched();
		spin_lock_irqsave(&lt_pid_lock, flags);
	}
	if (n)
		schedule_delayed_work(&rest, REST / 8);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
}

/**
 * lt_pidns_retire() - remove a namespace, which has ended, from the table
 * @n: not found any more; all that is known of it is freed, but what its children need to
 *	say who their parent was, and the last generation, in a view
 *
 * Context: lt_pid_lock held.
 */
void lt_pidns_retire(struct lt_pidns *n)
{
	if (lt_pid_recording && n->session == lt_pid_session) {
		/* The record that announced it may be overwritten. */
		if (!n->announced || lt_channel_pid.overwrite)
			lt_pidns_write(n);
		lt_pidns_write_gone(n);
	}
	xa_erase(&table, index_of(n->inum));
	WRITE_ONCE(known, known - 1);
	n->gone = true;
	if (n->view)
		lt_view_detach(n->view);
	n->view = NULL;
	list_add_tail(&n->dead, &dead);
	queue_work(system_highpri_wq, &burial);
}

/*
 * Wait until all that is known of retired namespaces is freed, but, while a session records, for
 * their ids. Context: process, sleeps.
 */
void lt_pidns_flush(void)
{
	flush_work(&burial);
	if (READ_ONCE(lt_pid_recording))
		return;
	cancel_delayed_work_sync(&rest);
	free_rested(NULL);
}

/**
 * lt_pidns_forget() - retire all namespaces that no file shows
 *
 * What they are is not known any more: others may have come in their place unseen. A
 * generation that is noted from now on is none that was shown before.
 *
 * Context: process, sleeps; nothing watches numbers.
 */
void lt_pidns_forget(void)
{
	unsigned long flags, index = 0;
	struct lt_pidns *n;
	unsigned int i;

	do {
		spin_lock_irqsave(&lt_pid_lock, flags);
		for (i = 0; i < LT_PIDNS_BATCH && (n = lt_pidns_next(&index)) != NULL; i++)
			if (!n->view)
				lt_pidns_retire(n);
		/* Before a namespace of this batch can be noted anew. */
		lt_pidns_new_base();
		spin_unlock_irqrestore(&lt_pid_lock, flags);
		cond_resched();
	} while (n);
	lt_pidns_flush();
}

/**
 * lt_pidns_new_base() - end the generation of every namespace
 *
 * The namespaces get their new one when they are looked at: see lt_pidns_touch().
 *
 * Context: lt_pid_lock held.
 */
void lt_pidns_new_base(void)
{
	/* Without a reader there is nobody who could compare. */
	if (lt_views_opened())
		base = ++highest;
}

/**
 * lt_pidns_unshown() - no file shows a namespace any more
 * @n: its memory is still kept by the last file
 *
 * Context: lt_pid_lock held.
 */
void lt_pidns_unshown(struct lt_pidns *n)
{
	/* It was opened after its last number was freed: nothing else would retire it. */
	if (!READ_ONCE(n->ns->pid_allocated))
		lt_pidns_retire(n);
}

/* Begin a session: ids from 1 on, counts from 0. Context: lt_pid_lock held. */
void lt_pidns_begin_session(void)
{
	lt_pid_session++;
	lt_pidns_begin_ids();
}

/* How many namespaces there are in the table, as far as they were seen. */
unsigned long lt_pidns_known(void)
{
	return READ_ONCE(known);
}

/**
 * lt_pidns_begins() - make a new namespace known, and retire an earlier one in its place
 * @ns: its address
 * @level: of the namespace
 * @nr: number that is given; 1 is given once, to the first task: else nothing is done
 *
 * A namespace that was there before the session is announced by the first snapshot, which
 * waits for room; this one has its record like any event.
 *
 * Context: lt_pid_lock held.
 */
void lt_pidns_begins(struct pid_namespace *ns, unsigned int level, u32 nr)
{
	struct lt_pidns *n;

	if (!level || nr != 1)
		return;
	n = lt_pidns_find(ns);
	if (n)
		lt_pidns_retire(n);
	n = lt_pidns_get(ns, level);
	if (n && lt_pid_recording && !n->announced)
		lt_pidns_write(n);
}

/* ------------------------------------------------------------------------
 * Generations
 */

enum used_before {
	NOT_USED,
	USED,
	NOT_KNOWN,	/* no memory, or too much, to note it */
};

/* The initial namespace is not limited: there is one. */
static struct used *new_chunk(struct lt_pidns *n, unsigned long i)
{
	struct used *u;

	if (n->level && !lt_share_take(n->share, LT_BUDGET_USED, sizeof(*u)))
		return NULL;
	u = kzalloc(sizeof(*u), GFP_NOWAIT | __GFP_NOWARN);
	if (u && !xa_err(xa_store(&n->used, i, u, GFP_NOWAIT | __GFP_NOWARN)))
		return u;
	kfree(u);
	if (n->level)
		lt_share_give_back(n->share, LT_BUDGET_USED, sizeof(*u));
	return NULL;
}

/* Note that a number is, or was, visible in this generation. */
static enum used_before mark_used(struct lt_pidns *n, u32 nr)
{
	struct used *u = xa_load(&n->used, nr / USED_BITS);

	if (!u) {
		u = new_chunk(n, nr / USED_BITS);
		if (!u)
			return NOT_KNOWN;
	}
	if (u->generation != n->generation) {
		memset(u->bits, 0, sizeof(u->bits));
		u->generation = n->generation;
	}
	return __test_and_set_bit(nr % USED_BITS, u->bits) ? USED : NOT_USED;
}

static void next_generation(struct lt_pidns *n, u8 why, u32 nr, u32 cursor)
{
	u32 old_cursor = n->cursor;

	n->generation++;
	highest = max(highest, n->generation);
	n->wraps += why == LT_WRAP_CURSOR;
	n->cursor = cursor;
	if (lt_pid_recording)
		lt_pidns_write_wrap(n, why, nr, old_cursor);
	lt_view_wake(n->view);
}

/**
 * lt_pidns_sample() - read the cursor, and note that it went back
 * @n: the namespace, alive
 *
 * Context: lt_pid_lock held.
 */
void lt_pidns_sample(struct lt_pidns *n)
{
	u32 cursor = idr_get_cursor(&n->ns->idr);

	lt_pidns_touch(n);
	if (cursor < n->cursor)
		next_generation(n, LT_WRAP_CURSOR, 0, cursor);
	n->cursor = cursor;
}

/**
 * lt_pidns_given() - note that a task is about to get a number
 * @ns: its namespace, alive
 * @level: of the namespace
 * @nr: the number
 *
 * Context: lt_pid_lock held.
 * Return: the namespace; NULL: there was no memory, nothing was noted.
 */
struct lt_pidns *lt_pidns_given(struct pid_namespace *ns, unsigned int level, u32 nr)
{
	enum used_before used = NOT_USED;
	struct lt_pidns *n;
	u32 cursor;

	lt_pidns_begins(ns, level, nr);
	n = lt_pidns_get(ns, level);
	if (!n)
		return NULL;
	cursor = idr_get_cursor(&ns->idr);
	n->allocated += lt_pid_recording;
	/*
	 * One generation too many is harmless, one too few is not: what is not
	 * known counts as used.
	 */
	if (cursor < n->cursor)
		next_generation(n, LT_WRAP_CURSOR, nr, cursor);
	else
		used = mark_used(n, nr);
	if (used != NOT_USED)
		next_generation(n, used == USED ? LT_WRAP_AGAIN : LT_WRAP_NOT_KNOWN, nr, cursor);
	mark_used(n, nr);
	n->cursor = cursor;
	return n;
}

/**
 * lt_pidns_freed() - note that a number is taken back
 * @n: its namespace; retired with its last number
 * @level: of the namespace
 * @nr: the number
 *
 * Context: lt_pid_lock held.
 */
void lt_pidns_freed(struct lt_pidns *n, unsigned int level, u32 nr)
{
	lt_pidns_sample(n);
	if (mark_used(n, nr) == NOT_KNOWN)
		next_generation(n, LT_WRAP_NOT_KNOWN, nr, n->cursor);
	/* The namespace's init waits for all its tasks, so it is empty now. */
	if (level && nr == 1)
		lt_pidns_retire(n);
}

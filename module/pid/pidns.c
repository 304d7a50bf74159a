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
#include <linux/hashtable.h>
#include <linux/idr.h>
#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "pid/internal.h"

/* Bits of a chunk: a page with the generation that they are of. */
#define USED_WORDS	((PAGE_SIZE - sizeof(u64)) / sizeof(long))
#define USED_BITS	(USED_WORDS * BITS_PER_LONG)

struct used {
	u64 generation;
	unsigned long bits[USED_WORDS];
};

DEFINE_SPINLOCK(lt_pid_lock);
bool lt_pid_recording;
bool lt_pid_exact;

/* Under lt_pid_lock. */
DEFINE_HASHTABLE(lt_pidns_table, LT_PIDNS_TABLE_BITS);
static u16 last_id;
/* Pages of holders, over all namespaces; numbers.c limits them. */
unsigned long lt_pidns_holder_chunks;

/*
 * All chunks of inner namespaces together take at most this share of the machine's memory
 * (1/256): any user that may make namespaces could make them take any number, for as long
 * as the namespaces live.
 */
unsigned long lt_pidns_memory_share = 256;
static atomic_long_t inner_chunks = ATOMIC_LONG_INIT(0);

/* ------------------------------------------------------------------------
 * Records
 */

static void write_wrap(const struct lt_pidns *n, u8 why, u32 nr, u32 old_cursor)
{
	struct lt_rec_WRAP *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

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

/**
 * lt_pidns_write() - announce a namespace, with its counts
 * @n: the namespace
 *
 * Context: lt_pid_lock held, recording.
 */
void lt_pidns_write(const struct lt_pidns *n)
{
	struct lt_rec_PID_NS *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	c = lt_enter(&lt_channel_pid, LT_CLASS_WRAP, &flags);
	if (!c)
		return;
	rec = lt_reserve_no_task(&lt_channel_pid, c, LT_CLASS_WRAP, LT_EV_PID_NS, sizeof(*rec));
	if (rec) {
		rec->ns = n->id;
		rec->parent = n->parent;
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
	}
	lt_leave(c, LT_CLASS_WRAP, flags);
}

static void write_gone(const struct lt_pidns *n)
{
	struct lt_rec_PID_NS_GONE *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

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
	}
	lt_leave(c, LT_CLASS_WRAP, flags);
}

/* ------------------------------------------------------------------------
 * The table of namespaces
 */

/**
 * lt_pidns_find() - look a namespace up
 * @ns: its address, only compared
 *
 * Context: lt_pid_lock held.
 * Return: NULL if it is not known.
 */
struct lt_pidns *lt_pidns_find(const struct pid_namespace *ns)
{
	struct lt_pidns *n;

	hash_for_each_possible(lt_pidns_table, n, node, (unsigned long)ns)
		if (n->ns == ns)
			return n;
	return NULL;
}

/* 0: there were too many in this session. */
static u16 next_id(void)
{
	return last_id == U16_MAX ? 0 : ++last_id;
}

/*
 * Where ends of namespaces are not seen, another namespace may have the address by now.
 * An open file holds a reference, which prevents that.
 */
static bool is_stale(const struct lt_pidns *n, struct pid_namespace *ns)
{
	return !lt_pid_exact && !n->files &&
	       (n->inum != ns->ns.inum || n->ns_id != lt_pidns_id(ns));
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
	struct lt_pidns *n = lt_pidns_find(ns), *parent = NULL;

	if (n && !is_stale(n, ns))
		return n;
	if (n)
		lt_pidns_retire(n);
	/* Recursion ends after 32 levels, the kernel's limit. */
	if (ns->parent)
		parent = lt_pidns_get(ns->parent, level - 1);
	n = kzalloc(sizeof(*n), GFP_NOWAIT | __GFP_NOWARN);
	if (!n)
		return NULL;
	n->ns = ns;
	n->outer = ns->parent;
	n->level = level;
	n->inum = ns->ns.inum;
	n->ns_id = lt_pidns_id(ns);
	n->cursor = idr_get_cursor(&ns->idr);
	xa_init_flags(&n->used, XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&n->holders, XA_FLAGS_LOCK_IRQ);
	n->id = next_id();
	n->parent = parent ? parent->id : 0;
	hash_add(lt_pidns_table, &n->node, (unsigned long)ns);
	if (lt_pid_recording)
		lt_pidns_write(n);
	return n;
}

static LLIST_HEAD(dead);

/* Return: how many chunks there were. */
static long free_chunks(struct xarray *xa)
{
	unsigned long i;
	void *chunk;
	long n = 0;

	xa_for_each(xa, i, chunk) {
		kfree(chunk);
		n++;
	}
	xa_destroy(xa);
	return n;
}

static void free_dead(struct work_struct *work)
{
	struct lt_pidns *n, *next;
	long used;

	llist_for_each_entry_safe(n, next, llist_del_all(&dead), dead) {
		used = free_chunks(&n->used);
		if (n->level)
			atomic_long_sub(used, &inner_chunks);
		free_chunks(&n->holders);
		kfree(n);
	}
}

static DECLARE_WORK(burial, free_dead);

/* Free it, later: nothing refers to it any more. Context: any. */
static void bury(struct lt_pidns *n)
{
	if (llist_add(&n->dead, &dead))
		schedule_work(&burial);
}

/**
 * lt_pidns_retire() - remove a namespace, which has ended, from the table
 * @n: not found any more; an open file goes on showing its last generation
 *
 * Context: lt_pid_lock held.
 */
void lt_pidns_retire(struct lt_pidns *n)
{
	if (lt_pid_recording)
		write_gone(n);
	hash_del(&n->node);
	/* What is known of its holders is about to be freed. */
	lt_pidns_holder_chunks -= n->chunks;
	n->chunks = 0;
	n->gone = true;
	if (!n->files)
		bury(n);
}

/* Wait until all retired namespaces are freed. Context: process, sleeps. */
void lt_pidns_flush(void)
{
	flush_work(&burial);
}

/* Give new ids, from 1 on, to all namespaces. Context: lt_pid_lock held. */
void lt_pidns_renumber(void)
{
	struct lt_pidns *n, *parent;
	int i;

	last_id = 0;
	hash_for_each(lt_pidns_table, i, n, node)
		n->id = next_id();
	hash_for_each(lt_pidns_table, i, n, node) {
		parent = n->level ? lt_pidns_find(n->outer) : NULL;
		n->parent = parent ? parent->id : 0;
	}
}

/**
 * lt_pidns_begins() - retire an earlier namespace at the address of a new one
 * @ns: the address
 * @level: of the namespace
 * @nr: number that is given; 1 is given once, to the first task
 *
 * Context: lt_pid_lock held.
 */
void lt_pidns_begins(struct pid_namespace *ns, unsigned int level, u32 nr)
{
	struct lt_pidns *n = level && nr == 1 ? lt_pidns_find(ns) : NULL;

	if (n)
		lt_pidns_retire(n);
}

/* ------------------------------------------------------------------------
 * Waking the pollers of /proc/pid_gen
 */

DECLARE_WAIT_QUEUE_HEAD(lt_pidns_waiters);

/*
 * Waking takes two steps: irq_work can be queued under any lock, and the work wakes any
 * number of pollers with interrupts on.
 */
static void wake(struct work_struct *work)
{
	wake_up_interruptible_all(&lt_pidns_waiters);
}

static DECLARE_WORK(wake_work, wake);

static void wake_later(struct irq_work *work)
{
	schedule_work(&wake_work);
}

static struct irq_work wakeup;

/* There is a new generation. Context: lt_pid_lock held, perhaps tasklist_lock, too. */
static void wake_waiters(void)
{
	/*
	 * Without the queue's lock: a poller is in the queue before it takes
	 * lt_pid_lock to read the generation. Either it had the lock before this call,
	 * and is seen in the queue; or it gets the lock later, and sees the generation.
	 */
	if (waitqueue_active(&lt_pidns_waiters))
		irq_work_queue(&wakeup);
}

/* Context: process; before /proc/pid_gen can be opened. */
void lt_pidns_init_wakeup(void)
{
	init_irq_work(&wakeup, wake_later);
}

/*
 * Wait until no wakeup runs. A session may still watch numbers: without a poller, no
 * wakeup is queued. Context: process, sleeps; /proc/pid_gen is removed, no file is open.
 */
void lt_pidns_sync_wakeup(void)
{
	irq_work_sync(&wakeup);
	cancel_work_sync(&wake_work);
}

/* ------------------------------------------------------------------------
 * Generations
 */

enum used_before {
	NOT_USED,
	USED,
	NOT_KNOWN,	/* no memory, or too much, to note it */
};

/* Note that a number is, or was, visible in this generation. */
static enum used_before mark_used(struct lt_pidns *n, u32 nr)
{
	struct used *u = xa_load(&n->used, nr / USED_BITS);

	if (!u) {
		unsigned long limit = totalram_pages() / lt_pidns_memory_share;

		if (n->level && atomic_long_read(&inner_chunks) >= (long)limit)
			return NOT_KNOWN;
		u = kzalloc(sizeof(*u), GFP_NOWAIT | __GFP_NOWARN);
		if (!u)
			return NOT_KNOWN;
		if (xa_err(xa_store(&n->used, nr / USED_BITS, u,
				    GFP_NOWAIT | __GFP_NOWARN))) {
			kfree(u);
			return NOT_KNOWN;
		}
		if (n->level)
			atomic_long_inc(&inner_chunks);
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
	n->wraps += why == LT_WRAP_CURSOR;
	n->cursor = cursor;
	if (lt_pid_recording)
		write_wrap(n, why, nr, old_cursor);
	wake_waiters();
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

/* ------------------------------------------------------------------------
 * Namespaces that a file shows
 */

/**
 * lt_pidns_open() - keep a namespace known as long as a file shows it
 * @ns: alive
 *
 * Context: process, between lt_pidgen_watch() and lt_pidgen_unwatch().
 * Return: for lt_pidns_close(); NULL: no memory.
 */
struct lt_pidns *lt_pidns_open(struct pid_namespace *ns)
{
	unsigned long flags;
	struct lt_pidns *n;

	spin_lock_irqsave(&lt_pid_lock, flags);
	n = lt_pidns_get(ns, ns->level);
	if (n) {
		get_pid_ns(ns);	/* lt_pidns_generation() reads the cursor */
		n->files++;
	}
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	return n;
}

/* Undo lt_pidns_open(). Context: process. */
void lt_pidns_close(struct lt_pidns *n)
{
	struct pid_namespace *ns = n->ns;
	unsigned long flags;

	spin_lock_irqsave(&lt_pid_lock, flags);
	if (!--n->files && n->gone)
		bury(n);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	put_pid_ns(ns);
}

/* The generation now. Context: process, after lt_pidns_open(). */
u64 lt_pidns_generation(struct lt_pidns *n)
{
	unsigned long flags;
	u64 generation;

	spin_lock_irqsave(&lt_pid_lock, flags);
	/*
	 * The cursor has moved before a number that was given again can be visible.
	 * Where numbers are watched, that has been noted, but for numbers that
	 * alloc_pid() gave and took back itself. The file holds the namespace.
	 */
	if (!n->gone)
		lt_pidns_sample(n);
	generation = n->generation;
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	return generation;
}

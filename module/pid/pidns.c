// SPDX-License-Identifier: GPL-2.0
/*
 * Pid namespaces and their generations.
 *
 * A generation is a stretch of time in which no number of a namespace has two
 * holders that anybody could see. It ends
 *
 * - when the cursor of the numbering went back: it wrapped, or somebody wrote
 *   to ns_last_pid;
 * - when a number is given that was visible in this generation, though the
 *   cursor did not go back: by clone3() with set_tid; or because a task lived
 *   through a wrap, and its number was free when the cursor came to it again.
 *
 * Both are decided before a task is attached to its number, under the kernel's
 * tasklist_lock, and so before /proc can show it: of a process in attach_pid(),
 * of a thread in task_join_group_stop(), since it is in the list of its group's
 * threads a little earlier than it is attached. Who sees a number's new holder
 * finds the new generation. A number is given back in free_pid(), when no task is
 * attached to it any more; so is one that fork took and then failed, in
 * copy_process(), without a task. At each of these the cursor is looked at.
 * Between two looks it moves by the numbers of the forks that are under way, and
 * a whole revolution cannot hide in between. (alloc_pid() itself can fail after
 * it has taken numbers: in a namespace that is ending, or if set_tid cannot be
 * had in an outer one. Those numbers move the cursor only.)
 *
 * What alloc_pid() calls, the functions of idr, cannot be probed by ftrace in the
 * kernels of distributions.
 *
 * Where functions cannot be probed, the cursor is sampled instead: at each
 * birth, at each reading, and by a timer. Then generations are only those that
 * show in the cursor, which the record "pid_ns" says.
 */
#include <linux/hashtable.h>
#include <linux/idr.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "pid/pidgen.h"
#include "pid/task.h"

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

/*
 * Of all chunks of inner namespaces together, of the machine's memory: whoever may make
 * a namespace could take any number of them, and keep them for as long as it lives.
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

	c = lt_enter(&lt_pid, LT_CLASS_WRAP, &flags);
	if (!c)
		return;
	rec = lt_reserve_plain(&lt_pid, c, LT_CLASS_WRAP, LT_EV_WRAP, sizeof(*rec));
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

/* What a namespace is, and its counts. Context: lt_pid_lock held, recording. */
void lt_pidns_write(const struct lt_pidns *n)
{
	struct lt_rec_PID_NS *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	c = lt_enter(&lt_pid, LT_CLASS_WRAP, &flags);
	if (!c)
		return;
	rec = lt_reserve_plain(&lt_pid, c, LT_CLASS_WRAP, LT_EV_PID_NS, sizeof(*rec));
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

	c = lt_enter(&lt_pid, LT_CLASS_WRAP, &flags);
	if (!c)
		return;
	rec = lt_reserve_plain(&lt_pid, c, LT_CLASS_WRAP, LT_EV_PID_NS_GONE, sizeof(*rec));
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

/* What is known of a namespace, NULL: nothing. Context: lt_pid_lock held. */
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
 * Where ends of namespaces are not seen, its address may be another one's by now.
 * Who has it open keeps it.
 */
static bool is_stale(const struct lt_pidns *n, struct pid_namespace *ns)
{
	return !lt_pid_exact && !n->files &&
	       (n->inum != ns->ns.inum || n->ns_id != lt_pidns_id(ns));
}

/**
 * lt_pidns_get() - what is known of a namespace
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
	/* Not deeper than there are levels, 32. */
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

/* Return: how many there were. */
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

static void bury(struct work_struct *work)
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

static DECLARE_WORK(burial, bury);

/* Free it, later: nobody has it any more. Context: any. */
void lt_pidns_bury(struct lt_pidns *n)
{
	if (llist_add(&n->dead, &dead))
		schedule_work(&burial);
}

/*
 * Nobody finds it any more; who has it open goes on reading its last value.
 * Context: lt_pid_lock held.
 */
void lt_pidns_retire(struct lt_pidns *n)
{
	if (lt_pid_recording)
		write_gone(n);
	hash_del(&n->node);
	lt_numbers_retire(n);
	n->gone = true;
	if (!n->files)
		lt_pidns_bury(n);
}

/* Wait until all are freed. Context: process, sleeps. */
void lt_pidns_flush(void)
{
	flush_work(&burial);
}

/* Ids begin anew: all that are known get others. Context: lt_pid_lock held. */
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

/*
 * Number 1 is given once: if the namespace is known, it is another one, whose
 * address this one has got. Context: lt_pid_lock held.
 */
void lt_pidns_begins(struct pid_namespace *ns, unsigned int level, u32 nr)
{
	struct lt_pidns *n = level && nr == 1 ? lt_pidns_find(ns) : NULL;

	if (n)
		lt_pidns_retire(n);
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
	lt_pidgen_wake();
}

/* Look at the cursor alone. Context: lt_pid_lock held. */
void lt_pidns_sample(struct lt_pidns *n)
{
	u32 cursor = idr_get_cursor(&n->ns->idr);

	if (cursor < n->cursor)
		next_generation(n, LT_WRAP_CURSOR, 0, cursor);
	n->cursor = cursor;
}

/* A task is about to get a number. Context: lt_pid_lock held. */
void lt_pidns_given(struct pid_namespace *ns, unsigned int level, u32 nr)
{
	struct lt_pidns *n;
	u32 cursor;

	enum used_before used = NOT_USED;

	lt_pidns_begins(ns, level, nr);
	n = lt_pidns_get(ns, level);
	if (!n) {
		lt_numbers_untrack();
		return;
	}
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
	if (lt_pid_recording)
		lt_numbers_given(n, nr);
}

/* A number is taken back. Context: lt_pid_lock held. */
void lt_pidns_freed(struct pid_namespace *ns, unsigned int level, u32 nr)
{
	struct lt_pidns *n = lt_pidns_find(ns);

	/* One that is not known, or was retired, has nothing to be noted of. */
	if (!n)
		return;
	if (lt_pid_recording)
		lt_numbers_freed(n, nr);
	lt_pidns_sample(n);
	if (mark_used(n, nr) == NOT_KNOWN)
		next_generation(n, LT_WRAP_NOT_KNOWN, nr, n->cursor);
	/* Its init waits for all others, so nobody is in it any more. */
	if (level && nr == 1)
		lt_pidns_retire(n);
}

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
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "pidgen.h"
#include "task.h"

#define SAMPLE_MS	10
#define FORGET_BATCH	32

/* Bits of a chunk: a page with the generation that they are of. */
#define USED_WORDS	((PAGE_SIZE - sizeof(u64)) / sizeof(long))
#define USED_BITS	(USED_WORDS * BITS_PER_LONG)

struct used {
	u64 generation;
	unsigned long bits[USED_WORDS];
};

DEFINE_SPINLOCK(lt_pid_lock);
bool lt_pid_recording;

/* Under lt_pid_lock. */
static DEFINE_HASHTABLE(namespaces, 6);
static u16 last_id;
static bool exact;

static DEFINE_MUTEX(watch_lock);	/* the two below, and attaching */
static unsigned int watchers;
static int watch_error;			/* why generations are not exact */

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

static void write_ns(const struct lt_pidns *n)
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
		rec->exact = exact;
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

static struct lt_pidns *find(const struct pid_namespace *ns)
{
	struct lt_pidns *n;

	hash_for_each_possible(namespaces, n, node, (unsigned long)ns)
		if (n->ns == ns)
			return n;
	return NULL;
}

/* 0: there were too many in this session. */
static u16 next_id(void)
{
	return last_id == U16_MAX ? 0 : ++last_id;
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
	struct lt_pidns *n = find(ns), *parent = NULL;

	if (n)
		return n;
	/* Not deeper than there are levels, 32. */
	if (ns->parent)
		parent = lt_pidns_get(ns->parent, level - 1);
	n = kzalloc(sizeof(*n), GFP_NOWAIT | __GFP_NOWARN);
	if (!n)
		return NULL;
	n->ns = ns;
	n->level = level;
	n->inum = ns->ns.inum;
	n->ns_id = lt_pidns_id(ns);
	n->cursor = idr_get_cursor(&ns->idr);
	xa_init_flags(&n->used, XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&n->holders, XA_FLAGS_LOCK_IRQ);
	n->id = next_id();
	n->parent = parent ? parent->id : 0;
	hash_add(namespaces, &n->node, (unsigned long)ns);
	if (lt_pid_recording)
		write_ns(n);
	return n;
}

static LLIST_HEAD(dead);

static void free_chunks(struct xarray *xa)
{
	unsigned long i;
	void *chunk;

	xa_for_each(xa, i, chunk)
		kfree(chunk);
	xa_destroy(xa);
}

static void bury(struct work_struct *work)
{
	struct lt_pidns *n, *next;

	llist_for_each_entry_safe(n, next, llist_del_all(&dead), dead) {
		free_chunks(&n->used);
		free_chunks(&n->holders);
		kfree(n);
	}
}

static DECLARE_WORK(burial, bury);

/* Nobody finds it any more; who has it open goes on reading its last value. */
static void retire(struct lt_pidns *n)
{
	if (lt_pid_recording)
		write_gone(n);
	hash_del(&n->node);
	lt_numbers_retire(n);
	n->gone = true;
	if (!n->files && llist_add(&n->dead, &dead))
		schedule_work(&burial);
}

/*
 * Number 1 is given once: if the namespace is known, it is another one, whose
 * address this one has got. Context: lt_pid_lock held.
 */
void lt_pidns_begins(struct pid_namespace *ns, unsigned int level, u32 nr)
{
	struct lt_pidns *n = level && nr == 1 ? find(ns) : NULL;

	if (n)
		retire(n);
}

/* ------------------------------------------------------------------------
 * Generations
 */

enum used_before {
	NOT_USED,
	USED,
	NOT_KNOWN,	/* no memory to note it */
};

/* Note that a number is, or was, visible in this generation. */
static enum used_before mark_used(struct lt_pidns *n, u32 nr)
{
	struct used *u = xa_load(&n->used, nr / USED_BITS);

	if (!u) {
		u = kzalloc(sizeof(*u), GFP_NOWAIT | __GFP_NOWARN);
		if (!u)
			return NOT_KNOWN;
		if (xa_err(xa_store(&n->used, nr / USED_BITS, u,
				    GFP_NOWAIT | __GFP_NOWARN))) {
			kfree(u);
			return NOT_KNOWN;
		}
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
	struct lt_pidns *n = find(ns);

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
		retire(n);
}

static void all_given(struct task_struct *p)
{
	struct pid *pid = task_pid(p);
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&lt_pid_lock, flags);
	for (i = 0; i <= pid->level; i++)
		lt_pidns_given(pid->numbers[i].ns, i, pid->numbers[i].nr);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
}

/*
 * void attach_pid(struct task_struct *, enum pid_type)
 *
 * The first call for a process is that for its group; later ones are for itself,
 * for process groups and sessions.
 */
static void on_attach_pid(struct pt_regs *regs, unsigned long call_site)
{
	struct task_struct *p = (void *)lt_arg(regs, 0);

	if ((u32)lt_arg(regs, 1) == PIDTYPE_TGID && thread_group_leader(p))
		all_given(p);
}

LT_FUNCTION_PROBE(lt_on_number_given, on_attach_pid);

/* void task_join_group_stop(struct task_struct *), of a thread that is being made */
static void on_join(struct pt_regs *regs, unsigned long call_site)
{
	all_given((void *)lt_arg(regs, 0));
}

LT_FUNCTION_PROBE(lt_on_thread_joins, on_join);

/*
 * void exchange_tids(struct task_struct *thread, struct task_struct *leader), on
 * exec by the thread: it has its own number still, and the leader's start already
 */
static void on_exchange_tids(struct pt_regs *regs, unsigned long call_site)
{
	const struct task_struct *thread = (void *)lt_arg(regs, 0);
	const struct task_struct *leader = (void *)lt_arg(regs, 1);

	lt_number_exchanged(leader->pid, thread->pid);
}

LT_FUNCTION_PROBE(lt_on_exchange, on_exchange_tids);

/* void free_pid(struct pid *) */
static void on_free_pid(struct pt_regs *regs, unsigned long call_site)
{
	struct pid *pid = (void *)lt_arg(regs, 0);
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&lt_pid_lock, flags);
	for (i = 0; i <= pid->level; i++)
		lt_pidns_freed(pid->numbers[i].ns, i, pid->numbers[i].nr);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
}

LT_FUNCTION_PROBE(lt_on_number_freed, on_free_pid);

/* ------------------------------------------------------------------------
 * Watching
 */

static void sample_all(struct work_struct *work);
static DECLARE_DELAYED_WORK(sampling, sample_all);

/*
 * Where their ends are not seen, only of those that somebody has open is it known
 * that they are there.
 */
static void sample_all(struct work_struct *work)
{
	unsigned long flags;
	struct lt_pidns *n;
	int i;

	spin_lock_irqsave(&lt_pid_lock, flags);
	hash_for_each(namespaces, i, n, node)
		if (n->files || n->ns == &init_pid_ns)
			lt_pidns_sample(n);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	schedule_delayed_work(&sampling, msecs_to_jiffies(SAMPLE_MS));
}

static const struct {
	struct lt_function *function;
	const char *symbol;
} functions[] = {
	{ &lt_on_number_freed, "free_pid" },
	{ &lt_on_exchange, "exchange_tids" },
	{ &lt_on_thread_joins, "task_join_group_stop" },
	{ &lt_on_number_given, "attach_pid" },
};

static void detach(unsigned int n)
{
	while (n--)
		lt_function_detach(functions[n].function);
}

/* All, or none. */
static int attach(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		err = lt_function_attach(functions[i].function, functions[i].symbol);
		if (err)
			goto undo;
	}
	return 0;

undo:
	detach(i);
	return err;
}

/**
 * lt_pidgen_watch() - watch numbers from now on
 *
 * Once for each lt_pidgen_unwatch().
 *
 * Context: process, sleeps.
 * Return: 0 or -ENOMEM. That numbers cannot be watched exactly is no error.
 */
int lt_pidgen_watch(void)
{
	unsigned long flags;
	int err = 0;

	mutex_lock(&watch_lock);
	if (!watchers) {
		spin_lock_irqsave(&lt_pid_lock, flags);
		if (!lt_pidns_get(&init_pid_ns, 0))
			err = -ENOMEM;
		spin_unlock_irqrestore(&lt_pid_lock, flags);
		if (err)
			goto out;
		watch_error = attach();
		exact = !watch_error;
		if (!exact)
			schedule_delayed_work(&sampling, 0);
	}
	watchers++;
out:
	mutex_unlock(&watch_lock);
	return err;
}

void lt_pidgen_unwatch(void)
{
	struct hlist_node *next;
	unsigned long flags;
	struct lt_pidns *n;
	int i;

	mutex_lock(&watch_lock);
	if (!--watchers) {
		if (exact)
			detach(ARRAY_SIZE(functions));
		else
			cancel_delayed_work_sync(&sampling);
		spin_lock_irqsave(&lt_pid_lock, flags);
		hash_for_each_safe(namespaces, i, next, n, node)
			retire(n);
		last_id = 0;
		spin_unlock_irqrestore(&lt_pid_lock, flags);
		flush_work(&burial);
	}
	mutex_unlock(&watch_lock);
}

bool lt_pidgen_exact(void)
{
	return exact;
}

/*
 * Was a number seen to be given to a task, in this session? For the self-test: a
 * function that the compiler has made part of another is attached, and not hit.
 */
bool lt_pidgen_works(void)
{
	unsigned long flags;
	struct lt_pidns *n;
	bool works;

	spin_lock_irqsave(&lt_pid_lock, flags);
	n = find(&init_pid_ns);
	works = !exact || (n && n->born && n->allocated >= n->born);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	return works;
}

static void barrier_on_cpu(void *unused)
{
	/* The interrupt itself is what it is about. */
}

/**
 * lt_pidgen_record() - from now on events of the channel are written
 *
 * All at once, on all CPUs: whose birth is written, its death is, too. After
 * this, a birth that is not written is that of a task which anybody can see. A
 * CPU that looks at the flag after the interrupt sees it; if it did before,
 * what it did still before, attaching the task to its number, is visible here.
 *
 * Context: process, sleeps; the channel is open, all its probes are attached,
 * and numbers are watched.
 */
void lt_pidgen_record(void)
{
	unsigned long flags;
	struct lt_pidns *n;
	int i;

	spin_lock_irqsave(&lt_pid_lock, flags);
	lt_numbers_reset();
	WRITE_ONCE(lt_pid_recording, true);
	last_id = 0;
	hash_for_each(namespaces, i, n, node) {
		n->id = next_id();
		n->chunks = 0;
		n->wraps = 0;
		n->allocated = 0;
		n->born = 0;
		n->burned = 0;
	}
	hash_for_each(namespaces, i, n, node) {
		struct lt_pidns *parent = n->level ? find(n->ns->parent) : NULL;

		n->parent = parent ? parent->id : 0;
		write_ns(n);
	}
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	on_each_cpu(barrier_on_cpu, NULL, 1);
	/*
	 * Names and credentials are told of before they change. Who came by a
	 * moment ago, and was not told of, has most probably changed them after
	 * this: names are changed under a lock (before 6.14), credentials some
	 * instructions later. Who is preempted, or waits for a keyring, there, is
	 * written as it was.
	 */
	synchronize_rcu();
	lt_numbers_hold();
}

/* From now on they are not. Context: process. */
void lt_pidgen_pause(void)
{
	unsigned long flags;

	spin_lock_irqsave(&lt_pid_lock, flags);
	WRITE_ONCE(lt_pid_recording, false);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
}

/* Say again what each namespace is, with its counts. Context: process. */
void lt_pidgen_announce_all(void)
{
	unsigned long flags;
	struct lt_pidns *n;
	int i;

	spin_lock_irqsave(&lt_pid_lock, flags);
	if (lt_pid_recording)
		hash_for_each(namespaces, i, n, node)
			write_ns(n);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
}

/**
 * lt_numbers_forget() - free what is known of holders
 *
 * Some at a time, so that interrupts are not off for long.
 *
 * Context: process; no probe is attached any more.
 */
void lt_numbers_forget(void)
{
	void *chunks[FORGET_BATCH];
	unsigned long flags;
	unsigned int k;

	do {
		struct lt_pidns *n;
		unsigned long i;
		int bucket;

		k = 0;
		spin_lock_irqsave(&lt_pid_lock, flags);
		hash_for_each(namespaces, bucket, n, node) {
			void *chunk;

			xa_for_each(&n->holders, i, chunk) {
				if (k == FORGET_BATCH)
					break;
				xa_erase(&n->holders, i);
				chunks[k++] = chunk;
			}
		}
		spin_unlock_irqrestore(&lt_pid_lock, flags);
		for (i = 0; i < k; i++)
			kfree(chunks[i]);
	} while (k);
}

/* ------------------------------------------------------------------------
 * For readers of /proc/pid_gen, and for snapshots
 */

/**
 * lt_pidns_open() - keep what is known of a namespace
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
		get_pid_ns(ns);	/* the cursor is looked at */
		n->files++;
	}
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	return n;
}

void lt_pidns_close(struct lt_pidns *n)
{
	struct pid_namespace *ns = n->ns;
	unsigned long flags;

	spin_lock_irqsave(&lt_pid_lock, flags);
	if (!--n->files && n->gone && llist_add(&n->dead, &dead))
		schedule_work(&burial);
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
	 * The cursor has moved before a number that was given again can be
	 * visible. Where numbers are seen, this has been noted, but for numbers
	 * that alloc_pid() gave and took back itself. The file holds the namespace.
	 */
	if (!n->gone)
		lt_pidns_sample(n);
	generation = n->generation;
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	return generation;
}

/* Cursor and generation of the initial namespace. */
void lt_pidgen_cursor(u32 *cursor, u64 *generation)
{
	unsigned long flags;
	struct lt_pidns *n;

	spin_lock_irqsave(&lt_pid_lock, flags);
	n = find(&init_pid_ns);
	*cursor = idr_get_cursor(&init_pid_ns.idr);
	*generation = n ? n->generation : 0;
	spin_unlock_irqrestore(&lt_pid_lock, flags);
}

/* Two lines as those of lt_probes_show(). */
void lt_pidgen_show_events(struct seq_file *m, bool wanted)
{
	static const char * const names[] = { "number", "number_free" };
	const char *why = "not recording";
	unsigned int i;

	mutex_lock(&watch_lock);
	if (!wanted)
		why = "not asked for";
	else if (watch_error == -EOPNOTSUPP)
		why = "this kernel cannot probe functions; the cursor is sampled";
	else if (watch_error == -EBUSY)
		why = "ftrace is switched off (kernel.ftrace_enabled); the cursor is sampled";
	else if (watch_error)
		why = "could not be attached; the cursor is sampled";
	for (i = 0; i < ARRAY_SIZE(names); i++)
		seq_printf(m, "%s\tfunction\t%s\t%s\n", names[i],
			   watchers && wanted && exact ? "watched" : "not watched",
			   watchers && wanted && exact ? "-" : why);
	mutex_unlock(&watch_lock);
}

void lt_pidgen_show_stats(struct seq_file *m)
{
	unsigned long flags;
	struct lt_pidns *n;
	int i;

	spin_lock_irqsave(&lt_pid_lock, flags);
	hash_for_each(namespaces, i, n, node)
		seq_printf(m, "pid_ns %u level %u inum %u generation %llu wraps %llu allocated %llu born %llu burned %llu\n",
			   n->id, n->level, n->inum, n->generation, n->wraps, n->allocated,
			   n->born, n->burned);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	seq_printf(m, "untracked %llu\n", lt_numbers_untracked());
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Watching the numbers: probes where the kernel gives a number to a task and takes it
 * back, as long as a session records or /proc/pid_gen was opened. They pass what they see
 * on to pidns.c (generations) and numbers.c (holders).
 */
#include <linux/binfmts.h>
#include <linux/hashtable.h>
#include <linux/idr.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "pid/internal.h"

#define SAMPLE_MS	10

static DEFINE_MUTEX(watch_lock);	/* attaching, and the next two */
static unsigned int watchers;
static int watch_error;			/* why generations are not exact */

/* ------------------------------------------------------------------------
 * The functions
 */

/**
 * lt_pidgen_given() - a task is about to get a number
 * @ns: its namespace, alive
 * @level: of the namespace
 * @nr: the number
 *
 * Context: lt_pid_lock held.
 */
void lt_pidgen_given(struct pid_namespace *ns, unsigned int level, u32 nr)
{
	struct lt_pidns *n = lt_pidns_given(ns, level, nr);

	if (!n)
		lt_numbers_untrack();
	else if (lt_pid_recording)
		lt_numbers_given(n, nr);
}

/**
 * lt_pidgen_freed() - a number is taken back
 * @ns: its namespace
 * @level: of the namespace
 * @nr: the number
 *
 * Context: lt_pid_lock held.
 */
void lt_pidgen_freed(struct pid_namespace *ns, unsigned int level, u32 nr)
{
	struct lt_pidns *n = lt_pidns_find(ns);

	/* A namespace that is not known, or was retired, has nothing to be noted of. */
	if (!n)
		return;
	/* Before the generation may change, in which the number was held. */
	if (lt_pid_recording)
		lt_numbers_freed(n, nr);
	lt_pidns_freed(n, level, nr);
}

static void all_given(struct task_struct *p)
{
	struct pid *pid = task_pid(p);
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&lt_pid_lock, flags);
	for (i = 0; i <= pid->level; i++)
		lt_pidgen_given(pid->numbers[i].ns, i, pid->numbers[i].nr);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
}

/*
 * void attach_pid(struct task_struct *, enum pid_type)
 *
 * The first call for a process has PIDTYPE_TGID; later calls are for PIDTYPE_PID, process
 * groups and sessions.
 */
static void on_attach_pid(struct lt_entry *entry, unsigned long call_site)
{
	struct task_struct *p = (void *)lt_entry_arg(entry, 0);

	if ((u32)lt_entry_arg(entry, 1) == PIDTYPE_TGID && thread_group_leader(p))
		all_given(p);
}

LT_CHECK_FUNCTION(attach_pid, void (struct task_struct *, enum pid_type));
LT_FUNCTION_PROBE(lt_on_number_given, on_attach_pid);

/* void task_join_group_stop(struct task_struct *), of a thread that is being made */
static void on_join(struct lt_entry *entry, unsigned long call_site)
{
	all_given((void *)lt_entry_arg(entry, 0));
}

LT_CHECK_FUNCTION(task_join_group_stop, void (struct task_struct *));
LT_FUNCTION_PROBE(lt_on_thread_joins, on_join);

/*
 * void exchange_tids(struct task_struct *thread, struct task_struct *leader), on exec by
 * the thread, which still has its own number, and already the leader's start.
 */
static void on_exchange_tids(struct lt_entry *entry, unsigned long call_site)
{
	const struct task_struct *thread = (void *)lt_entry_arg(entry, 0);
	const struct task_struct *leader = (void *)lt_entry_arg(entry, 1);

	lt_number_exchanged(leader->pid, thread->pid);
}

LT_CHECK_FUNCTION(exchange_tids, void (struct task_struct *, struct task_struct *));
LT_FUNCTION_PROBE(lt_on_exchange, on_exchange_tids);

/*
 * int begin_new_exec(struct linux_binprm *): the last moment at which a thread that
 * becomes its group's leader has its own start. A thread that was born before the session,
 * and was in no snapshot yet, would later be known by its number alone.
 */
static void on_begin_new_exec(struct lt_entry *entry, unsigned long call_site)
{
	struct task_struct *leader, *p = current;
	struct pid *pid;
	u32 nr;
	u16 ns;

	if (thread_group_leader(p))
		return;
	lt_numbers_seed(p, task_pid(p), p->pid, p->start_boottime, &ns, &nr);
	rcu_read_lock();	/* a leader that is dead may be released */
	leader = READ_ONCE(p->group_leader);
	pid = READ_ONCE(leader->thread_pid);
	if (pid)
		lt_numbers_seed(leader, pid, leader->pid, leader->start_boottime, &ns, &nr);
	rcu_read_unlock();
}

LT_CHECK_FUNCTION(begin_new_exec, int (struct linux_binprm *));
LT_FUNCTION_PROBE(lt_on_new_exec, on_begin_new_exec);

/* void free_pid(struct pid *) */
static void on_free_pid(struct lt_entry *entry, unsigned long call_site)
{
	struct pid *pid = (void *)lt_entry_arg(entry, 0);
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&lt_pid_lock, flags);
	for (i = 0; i <= pid->level; i++)
		lt_pidgen_freed(pid->numbers[i].ns, i, pid->numbers[i].nr);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
}

LT_CHECK_FUNCTION(free_pid, void (struct pid *));
LT_FUNCTION_PROBE(lt_on_number_freed, on_free_pid);

/* ------------------------------------------------------------------------
 * Watching
 */

static void sample_all(struct work_struct *work);
static DECLARE_DELAYED_WORK(sampling, sample_all);

/*
 * Where the ends of namespaces are not seen, only a namespace that a file holds, and the
 * initial one, are known to be alive.
 */
static void sample_all(struct work_struct *work)
{
	unsigned long flags;
	struct lt_pidns *n;
	int i;

	spin_lock_irqsave(&lt_pid_lock, flags);
	hash_for_each(lt_pidns_table, i, n, node)
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
	{ &lt_on_new_exec, "begin_new_exec" },
	{ &lt_on_thread_joins, "task_join_group_stop" },
	{ &lt_on_number_given, "attach_pid" },
};

static void detach(unsigned int n)
{
	while (n--)
		lt_function_detach(functions[n].function);
}

/* Return: 0: all are attached, or an errno: none is. */
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

/* Forget all namespaces. Context: process, sleeps; nothing watches numbers. */
static void retire_all(void)
{
	struct hlist_node *next;
	unsigned long flags;
	struct lt_pidns *n;
	int i;

	spin_lock_irqsave(&lt_pid_lock, flags);
	hash_for_each_safe(lt_pidns_table, i, next, n, node)
		lt_pidns_retire(n);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	lt_pidns_flush();
}

/**
 * lt_pidgen_watch() - watch numbers until lt_pidgen_unwatch()
 *
 * Calls are counted: the first one attaches, the last lt_pidgen_unwatch() detaches.
 *
 * Context: process, sleeps.
 * Return: 0 or -ENOMEM. If this kernel does not allow to watch numbers exactly, the
 * cursor is sampled, without an error. If there was no memory to attach it is an error:
 * later callers would get the sampling, too.
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
		if (watch_error == -ENOMEM) {
			err = -ENOMEM;
			retire_all();
			goto out;
		}
		lt_pid_exact = !watch_error;
		if (!lt_pid_exact)
			schedule_delayed_work(&sampling, 0);
	}
	watchers++;
out:
	mutex_unlock(&watch_lock);
	return err;
}

/* Undo one lt_pidgen_watch(). Context: process, sleeps. */
void lt_pidgen_unwatch(void)
{
	mutex_lock(&watch_lock);
	if (!--watchers) {
		if (lt_pid_exact)
			detach(ARRAY_SIZE(functions));
		else
			cancel_delayed_work_sync(&sampling);
		retire_all();
	}
	mutex_unlock(&watch_lock);
}

/**
 * lt_pidgen_works() - was a number seen to be given to a task, in this session?
 * @births: births are recorded, too
 *
 * For the self-test: a function that the compiler has inlined is attached, and not hit.
 *
 * Context: process.
 * Return: also true where numbers are sampled, and where memory was short.
 */
bool lt_pidgen_works(bool births)
{
	unsigned long flags;
	struct lt_pidns *n;
	bool works;

	spin_lock_irqsave(&lt_pid_lock, flags);
	n = lt_pidns_find(&init_pid_ns);
	works = !lt_pid_exact || lt_numbers_untracked() ||
		(n && n->allocated && n->allocated >= n->born && (n->born || !births));
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	return works;
}

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
	int i;

	spin_lock_irqsave(&lt_pid_lock, flags);
	lt_numbers_reset();
	WRITE_ONCE(lt_pid_recording, true);
	lt_pidns_renumber();
	hash_for_each(lt_pidns_table, i, n, node) {
		n->chunks = 0;
		n->wraps = 0;
		n->allocated = 0;
		n->born = 0;
		n->burned = 0;
		lt_pidns_write(n);
	}
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

/* Announce each namespace again, with its counts. Context: process. */
void lt_pidgen_announce_all(void)
{
	unsigned long flags;
	struct lt_pidns *n;
	int i;

	spin_lock_irqsave(&lt_pid_lock, flags);
	if (lt_pid_recording)
		hash_for_each(lt_pidns_table, i, n, node)
			lt_pidns_write(n);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
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

/**
 * lt_pidgen_show_events() - lines "number" and "number_free", like lt_probes_show()
 * @m: where to
 * @wanted: the running, or last, session records tasks
 *
 * Context: process.
 */
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
			   watchers && wanted && lt_pid_exact ? "watched" : "not watched",
			   watchers && wanted && lt_pid_exact ? "-" : why);
	mutex_unlock(&watch_lock);
}

/* The channel's lines in the file "stats". Context: process. */
void lt_pidgen_show_stats(struct seq_file *m)
{
	unsigned long flags;
	struct lt_pidns *n;
	int i;

	spin_lock_irqsave(&lt_pid_lock, flags);
	hash_for_each(lt_pidns_table, i, n, node)
		seq_printf(m, "pid_ns %u level %u inum %u generation %llu wraps %llu allocated %llu born %llu burned %llu\n",
			   n->id, n->level, n->inum, n->generation, n->wraps, n->allocated,
			   n->born, n->burned);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	seq_printf(m, "untracked %llu\n", lt_numbers_untracked());
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Watching the numbers: probes where the kernel gives a number to a task and takes it
 * back, as long as a session records or /proc/pid_gen was opened. They pass what they see
 * on to pidns.c (generations) and numbers.c (holders).
 */
#include <linux/binfmts.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/sysctl.h>
#include <linux/workqueue.h>

#include "pid/internal.h"

#define SAMPLE_MS	10
#define RETRY_MS	1000

/* Under watch_lock. */
static DEFINE_MUTEX(watch_lock);	/* attaching, and the next five */
static unsigned int watchers;
static unsigned int sessions;		/* of @watchers: 0 or 1 */
static bool attached;			/* all that generations need */
static bool pinned;			/* what else a session needs: keeps ftrace on */
static int watch_error;			/* why generations are not exact */

static unsigned long next_retry;	/* to decide anew, in jiffies; a hint */
static bool keeps_ftrace;	/* as @pinned, under lt_pid_lock */

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
	if (lt_pid_recording) {
		n->freed = true;
		lt_numbers_freed(n, nr);
	}
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
 * ftrace, switched off and on again
 *
 * While a session records, ftrace cannot be switched off: two of its functions are
 * permanent, as ftrace calls it. A reader of /proc/pid_gen must not have that power. Its
 * functions are not called any more when ftrace is off, so the attempt is watched: by
 * proc_dointvec(), which the kernel calls for kernel.ftrace_enabled, under ftrace's lock,
 * just before it switches. From then on the cursor is sampled, and a worker tries to attach
 * anew until ftrace is back.
 */

static void sample_all(struct work_struct *work);
static DECLARE_DELAYED_WORK(sampling, sample_all);

/*
 * That a session holds ftrace is noted after it does, and is forgotten before it ends to do
 * so, which takes ftrace's lock: an attempt that is ignored here does fail.
 */
static void ftrace_may_go(void)
{
	unsigned long flags;
	bool goes;

	spin_lock_irqsave(&lt_pid_lock, flags);
	goes = lt_pid_exact && !keeps_ftrace;
	if (goes) {
		lt_pid_exact = false;
		lt_pidns_new_base();
	}
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	if (goes) {
		WRITE_ONCE(next_retry, jiffies + msecs_to_jiffies(RETRY_MS));
		schedule_delayed_work(&sampling, 0);
	}
}

/* int proc_dointvec(const struct ctl_table *table, int write, …) */
static void on_dointvec(struct lt_entry *entry, unsigned long call_site)
{
	const struct ctl_table *table = (void *)lt_entry_arg(entry, 0);

	if ((u32)lt_entry_arg(entry, 1) && table->procname &&
	    !strcmp(table->procname, "ftrace_enabled"))
		ftrace_may_go();
}

LT_CHECK_DOINTVEC;
LT_FUNCTION_PROBE(lt_on_sysctl, on_dointvec);

/* ------------------------------------------------------------------------
 * Attaching
 */

struct function {
	struct lt_function *function;
	const char *symbol;
};

/* What generations need. */
static const struct function functions[] = {
	{ &lt_on_sysctl, "proc_dointvec" },
	{ &lt_on_number_freed, "free_pid" },
	{ &lt_on_thread_joins, "task_join_group_stop" },
	{ &lt_on_number_given, "attach_pid" },
};

/* What a session needs besides. */
static const struct function permanent[] = {
	{ &lt_on_exchange, "exchange_tids" },
	{ &lt_on_new_exec, "begin_new_exec" },
};

static void detach(const struct function *f, unsigned int n)
{
	while (n--)
		lt_function_detach(f[n].function);
}

/* Return: 0: all are attached, or an errno: none is. */
static int attach(const struct function *f, unsigned int n)
{
	unsigned int i;
	int err;

	for (i = 0; i < n; i++) {
		err = lt_function_attach(f[i].function, f[i].symbol);
		if (err) {
			detach(f, i);
			return err;
		}
	}
	return 0;
}

static void unpin(void)
{
	unsigned long flags;

	if (!pinned)
		return;
	spin_lock_irqsave(&lt_pid_lock, flags);
	keeps_ftrace = false;
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	detach(permanent, ARRAY_SIZE(permanent));
	pinned = false;
}

/* For a session. Return: 0 or an errno. Context: watch_lock held. */
static int pin(void)
{
	unsigned long flags;
	int err;

	err = pinned ? 0 : attach(permanent, ARRAY_SIZE(permanent));
	if (err)
		return err;
	pinned = true;
	spin_lock_irqsave(&lt_pid_lock, flags);
	keeps_ftrace = true;
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	return 0;
}

static void unattach(void)
{
	if (attached)
		detach(functions, ARRAY_SIZE(functions));
	attached = false;
}

/*
 * Decide whether numbers are exact: attach everything, or sample. What is permanent comes
 * first: only these functions fail when ftrace is off.
 *
 * Return: 0: also when they are not exact, or -ENOMEM: then nothing is attached.
 * Context: watch_lock held, nothing is attached.
 */
static int decide(void)
{
	unsigned long flags;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(functions); i++)
		lt_function_yields(functions[i].function);
	watch_error = pin();
	if (!watch_error) {
		watch_error = attach(functions, ARRAY_SIZE(functions));
		attached = !watch_error;
	}
	spin_lock_irqsave(&lt_pid_lock, flags);
	lt_pid_exact = attached;
	/* What was noted until now may be wrong: another generation begins. */
	if (attached)
		lt_pidns_new_base();
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	if (attached)
		return 0;
	unpin();
	WRITE_ONCE(next_retry, jiffies + msecs_to_jiffies(RETRY_MS));
	return watch_error == -ENOMEM ? -ENOMEM : 0;
}

/*
 * Decide once more, if ftrace was off or may have been. Context: watch_lock held; no
 * session.
 */
static int decide_again(void)
{
	unsigned long flags;
	int err;

	if (lt_pid_exact || !watchers || (watch_error && watch_error != -EBUSY &&
					  watch_error != -ENOMEM))
		return 0;
	unattach();
	unpin();
	err = decide();
	/*
	 * Ends of namespaces were not seen; those that a file shows are alive. As long as the
	 * cursor is sampled, nothing is forgotten: its last value shows the next wrap.
	 */
	if (lt_pid_exact)
		lt_pidns_forget();
	spin_lock_irqsave(&lt_pid_lock, flags);
	lt_pidns_get(&init_pid_ns, 0);	/* or when it is needed, if there is no memory */
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	return err;
}

/* ------------------------------------------------------------------------
 * Watching
 */

/*
 * Where the ends of namespaces are not seen, only a namespace that a file shows, and the
 * initial one, are known to be alive.
 */
static void sample(void)
{
	unsigned long flags, index = 0;
	struct lt_pidns *n;
	unsigned int i;

	do {
		spin_lock_irqsave(&lt_pid_lock, flags);
		for (i = 0; i < LT_PIDNS_BATCH && (n = lt_pidns_next(&index)) != NULL; i++)
			if (n->view || n->ns == &init_pid_ns)
				lt_pidns_sample(n);
		spin_unlock_irqrestore(&lt_pid_lock, flags);
		cond_resched();
	} while (n);
}

static void sample_all(struct work_struct *work)
{
	sample();
	/* The task that has the lock may wait for this work to end. */
	if (time_after_eq(jiffies, READ_ONCE(next_retry)) && mutex_trylock(&watch_lock)) {
		if (!sessions) {
			decide_again();
			unpin();
		}
		mutex_unlock(&watch_lock);
		sample();
	}
	if (!READ_ONCE(lt_pid_exact))
		schedule_delayed_work(&sampling, msecs_to_jiffies(SAMPLE_MS));
}

/* The first watcher. Return: 0 or -ENOMEM. Context: watch_lock held. */
static int begin(void)
{
	unsigned long flags;
	bool known;

	spin_lock_irqsave(&lt_pid_lock, flags);
	known = lt_pidns_get(&init_pid_ns, 0);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	if (known && !decide())
		return 0;
	lt_pidns_forget();
	return -ENOMEM;
}

/*
 * For a session that finds numbers watched. ftrace may be switched until it is pinned.
 * Return: 0 or -ENOMEM. Context: watch_lock held.
 */
static int pin_or_decide(void)
{
	unsigned long flags;
	int err = pin();

	if (err == -ENOMEM)
		return err;
	if (err) {
		spin_lock_irqsave(&lt_pid_lock, flags);
		lt_pid_exact = false;
		spin_unlock_irqrestore(&lt_pid_lock, flags);
	}
	return decide_again();
}

/* Context: watch_lock held. */
static int watch(bool session)
{
	int err = 0;

	if (!watchers)
		err = begin();
	else if (session)
		err = decide_again();
	if (!err && session && lt_pid_exact)
		err = pin_or_decide();
	if (err)
		return err;
	watchers++;
	sessions += session;
	if (!sessions)
		unpin();
	if (!lt_pid_exact)
		schedule_delayed_work(&sampling, 0);
	return 0;
}

static void unwatch(bool session)
{
	sessions -= session;
	if (!sessions)
		unpin();
	if (--watchers)
		return;
	unattach();
	cancel_delayed_work_sync(&sampling);
	lt_pidns_forget();
}

/**
 * lt_pidgen_watch() - watch numbers for a session, until lt_pidgen_unwatch()
 *
 * Watchers are counted: the first one attaches, the last one detaches. Whether numbers are
 * exact is decided anew for a session, and does not change while it lasts.
 *
 * Context: process, sleeps.
 * Return: 0 or -ENOMEM. If this kernel does not allow to watch numbers exactly, the
 * cursor is sampled, without an error. If there was no memory to attach it is an error.
 */
int lt_pidgen_watch(void)
{
	int err;

	mutex_lock(&watch_lock);
	err = watch(true);
	mutex_unlock(&watch_lock);
	return err;
}

/* Undo lt_pidgen_watch(). Context: process, sleeps. */
void lt_pidgen_unwatch(void)
{
	mutex_lock(&watch_lock);
	unwatch(true);
	mutex_unlock(&watch_lock);
}

/* As lt_pidgen_watch(), for /proc/pid_gen: ftrace may be switched off. */
int lt_pidgen_show(void)
{
	int err;

	mutex_lock(&watch_lock);
	err = watch(false);
	mutex_unlock(&watch_lock);
	return err;
}

/* Undo lt_pidgen_show(). Context: process, sleeps. */
void lt_pidgen_unshow(void)
{
	mutex_lock(&watch_lock);
	unwatch(false);
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

/**
 * lt_pidgen_frees() - was a number seen to be taken back, in this session?
 *
 * For the self-test, as lt_pidgen_works(). Where the ends of numbers are not seen, a number
 * that is given again is not seen to be another one.
 *
 * Context: process.
 * Return: also true where numbers are sampled, and where memory was short.
 */
bool lt_pidgen_frees(void)
{
	unsigned long flags;
	struct lt_pidns *n;
	bool frees;

	spin_lock_irqsave(&lt_pid_lock, flags);
	n = lt_pidns_find(&init_pid_ns);
	frees = !lt_pid_exact || lt_numbers_untracked() || (n && n->freed);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	return frees;
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

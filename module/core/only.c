// SPDX-License-Identifier: GPL-2.0
/*
 * Whose work a session keeps: that of a tree of tasks, or of a cgroup. What is left out the
 * channels count as filtered.
 */
#include <linux/cgroup.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/vmalloc.h>
#include <trace/events/task.h>

#include "core/only.h"
#include "core/probe.h"
#include "core/threads.h"

bool lt_only_on __read_mostly;
struct cgroup *lt_only_cgroup __read_mostly;

/* As the parameters say it, for the file "info". */
static struct lt_only used;

/* ------------------------------------------------------------------------
 * The tree
 */

/*
 * A bit for each number: its task is one of the tree. A task is marked, or not, when it is
 * born, by its parent, before it can run; so a number that is used again has no mark of its
 * former task.
 */
unsigned long *lt_only_tree __read_mostly;

/* @p is new, and @current its creator. */
static void on_newtask(struct task_struct *p, u64 clone_flags)
{
	if (p->pid <= 0 || p->pid >= PID_MAX_LIMIT)
		return;
	if (test_bit(current->pid, lt_only_tree))
		set_bit(p->pid, lt_only_tree);
	else
		clear_bit(p->pid, lt_only_tree);
}

LT_PROBE_NEWTASK(probe_newtask, on_newtask)
LT_CHECK_TRACEPOINT(task_newtask, LT_NEWTASK_PROBE(probe_newtask));

static struct lt_probe tree_probe[] = {
	{ .name = "tree", .kind = LT_TRACEPOINT, .symbols = { "task_newtask" },
	  .fn = LT_NEWTASK_PROBE(probe_newtask) },
};

static const struct lt_probes tree_probes = { tree_probe, ARRAY_SIZE(tree_probe) };

static bool has_marked_parent(struct task_struct *t)
{
	struct task_struct *p = rcu_dereference(t->real_parent);

	return p && test_bit(p->tgid, lt_only_tree);
}

/* @pid: of the process at the top of the tree; @more: a thread was marked */
struct walk {
	unsigned int pid;
	bool more;
};

static void mark_thread(struct task_struct *t, void *arg)
{
	struct walk *walk = arg;

	if (test_bit(t->pid, lt_only_tree) ||
	    (t->tgid != walk->pid && !test_bit(t->tgid, lt_only_tree) && !has_marked_parent(t)))
		return;
	set_bit(t->pid, lt_only_tree);
	walk->more = true;
}

/*
 * Marks the threads of marked processes, and their children. Return: was one new?
 *
 * A thread that is born meanwhile may not be in the list yet. If its creator was marked
 * before, it has been marked at birth; so after a walk that found nothing new nobody is left but
 * those whose birth was under way: see open_tree().
 */
static bool mark_more(unsigned int pid)
{
	struct walk walk = { .pid = pid };

	lt_each_thread(mark_thread, &walk);
	return walk.more;
}

/*
 * The number of a process in the first namespace, by that in the caller's; 0: there is none. A
 * thread that is not the leader of its process has none.
 */
static unsigned int global_number(unsigned int pid)
{
	struct pid *p = find_get_pid(pid);
	unsigned int nr = 0;

	rcu_read_lock();
	if (pid_task(p, PIDTYPE_TGID))
		nr = pid_nr(p);
	rcu_read_unlock();
	put_pid(p);
	return nr;
}

static int open_tree(unsigned int number)
{
	unsigned int pid;

	if (!number)
		return 0;
	pid = global_number(number);
	if (!pid)
		return -ESRCH;
	lt_only_tree = vzalloc(BITS_TO_LONGS(PID_MAX_LIMIT) * sizeof(long));
	if (!lt_only_tree)
		return -ENOMEM;
	lt_probes_find(&tree_probes);
	lt_probes_unchoose(&tree_probes);
	/* Before the walk: from here on all births are marked that have a marked creator. */
	if (!lt_probes_attach(&tree_probes))
		return -ENODEV;
	/*
	 * A probe that has looked at its creator before that one was marked may take the mark of
	 * the new task away. After the wait none does; the next walk finds what it has taken.
	 */
	do {
		while (mark_more(pid))
			cond_resched();
		lt_probes_wait();
	} while (mark_more(pid));
	return 0;
}

static void close_tree(void)
{
	if (!lt_only_tree)
		return;
	lt_probes_detach(&tree_probes);
	lt_probes_wait();
	vfree(lt_only_tree);
	lt_only_tree = NULL;
}

/* ------------------------------------------------------------------------
 * The cgroup
 */

static struct cgroup *get_cgroup(const char *text)
{
	char path[LT_ONLY_TEXT];

	strscpy(path, text, sizeof(path));
#ifdef CONFIG_CGROUPS
	return cgroup_get_from_path(strim(path));
#else
	return ERR_PTR(-EOPNOTSUPP);
#endif
}

static void put_cgroup(struct cgroup *c)
{
#ifdef CONFIG_CGROUPS
	if (!IS_ERR_OR_NULL(c))
		cgroup_put(c);
#endif
}

static int open_cgroup(const char *text)
{
	struct cgroup *c;

	if (lt_text_is_empty(text))
		return 0;
	c = get_cgroup(text);
	if (IS_ERR(c))
		return PTR_ERR(c);
	lt_only_cgroup = c;
	return 0;
}

/* ------------------------------------------------------------------------
 * Both
 */

/* Does it leave anything out? */
bool lt_only_is_set(const struct lt_only *only)
{
	return only->pid || !lt_text_is_empty(only->cgroup);
}

/**
 * lt_only_refused() - what is wrong with a choice
 * @only: the choice
 *
 * Context: process, sleeps.
 * Return: NULL: nothing.
 */
const char *lt_only_refused(const struct lt_only *only)
{
	struct cgroup *c;

	if (only->pid && !global_number(only->pid))
		return "only_pid: there is no such process";
	if (lt_text_is_empty(only->cgroup))
		return NULL;
	c = get_cgroup(only->cgroup);
	if (IS_ERR(c))
		return "only_cgroup: there is no such cgroup of version 2";
	put_cgroup(c);
	return NULL;
}

/**
 * lt_only_open() - prepare the choice of a session
 * @only: a choice that was not refused
 *
 * Context: process, sleeps; no channel is open.
 * Return: 0, -ENOMEM, -ENODEV, or, if process or cgroup have ended since, -ESRCH, -ENOENT. Then
 *	nothing is open.
 */
int lt_only_open(const struct lt_only *only)
{
	int err = open_cgroup(only->cgroup) ?: open_tree(only->pid);

	used = *only;
	if (err)
		lt_only_close();
	else
		lt_only_on = lt_only_is_set(only);
	return err;
}

/* Its lines in the file "info"; none where all is kept. */
void lt_only_show_info(struct seq_file *m)
{
	if (!lt_only_on)
		return;
	if (used.pid)
		seq_printf(m, "only_pid=%u\n", used.pid);
	/* The kernel keeps the newline of a text that was written to a parameter. */
	if (!lt_text_is_empty(used.cgroup))
		seq_printf(m, "only_cgroup=%.*s\n", (int)strcspn(used.cgroup, "\n"), used.cgroup);
}

/* Context: process, sleeps; no probe of a channel runs. */
void lt_only_close(void)
{
	lt_only_on = false;
	close_tree();
	put_cgroup(lt_only_cgroup);
	lt_only_cgroup = NULL;
}

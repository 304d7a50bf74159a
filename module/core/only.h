/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose work a session keeps: that of a tree of tasks, or of a cgroup.
 */
#ifndef LT_ONLY_H
#define LT_ONLY_H

#include <linux/bitops.h>
#include <linux/cgroup.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>

struct seq_file;

#define LT_ONLY_TEXT	256

/**
 * struct lt_only - whose work is kept, as the parameters say it
 * @cgroup: path of a cgroup of version 2, with all below it; "": any
 * @pid: number of a process, with all that it and these create; 0: any
 */
struct lt_only {
	char cgroup[LT_ONLY_TEXT];
	unsigned int pid;
};

/* These change while no probe is attached and no channel is open. */
extern bool lt_only_on;
extern unsigned long *lt_only_tree;	/* a bit for each number; NULL: any */
extern struct cgroup *lt_only_cgroup;	/* NULL: any */

/* Has a parameter's text no word? The kernel keeps the newline that was written with it. */
static inline bool lt_text_is_empty(const char *text)
{
	return !text[strspn(text, " ,\n")];
}

bool lt_only_is_set(const struct lt_only *only);
const char *lt_only_refused(const struct lt_only *only);
int lt_only_open(const struct lt_only *only);
void lt_only_close(void);
void lt_only_show_info(struct seq_file *m);

/**
 * lt_only_kept() - is this the work of a task that is kept?
 *
 * Not that of an interrupt, which serves anybody. What is called here is inline: a function that
 * is watched would come here again.
 *
 * Context: any, NMI included, with preemption off or in rcu_read_lock(): css_set and cgroup are
 * freed after a grace period. lt_only_on.
 */
static __always_inline bool lt_only_kept(void)
{
	if (!in_task() || (lt_only_tree && !test_bit(current->pid, lt_only_tree)))
		return false;
#ifdef CONFIG_CGROUPS
	if (lt_only_cgroup)
		return cgroup_is_descendant(task_css_set_check(current, true)->dfl_cgrp,
					    lt_only_cgroup);
#endif
	return true;
}

#endif /* LT_ONLY_H */

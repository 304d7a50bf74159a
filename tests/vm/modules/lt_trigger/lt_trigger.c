// SPDX-License-Identifier: GPL-2.0
/*
 * A thread that hangs, or that dies of a bug: written to the parameter "act" are "hang SECONDS"
 * and "bug". The parameter "tid" is the number of the last thread.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>

static int tid;
module_param(tid, int, 0444);

static int hang(void *seconds)
{
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_timeout((unsigned long)seconds * HZ);
	return 0;
}

static int bug(void *unused)
{
	BUG();
	return 0;
}

static int act(const char *text, const struct kernel_param *unused)
{
	struct task_struct *thread;
	unsigned int seconds;

	if (sscanf(text, "hang %u", &seconds) == 1)
		thread = kthread_create(hang, (void *)(unsigned long)seconds, "lt_hangs");
	else if (sysfs_streq(text, "bug"))
		thread = kthread_create(bug, NULL, "lt_bug");
	else
		return -EINVAL;
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	tid = thread->pid;
	wake_up_process(thread);
	return 0;
}

static const struct kernel_param_ops act_ops = { .set = act };
module_param_cb(act, &act_ops, NULL, 0200);

MODULE_DESCRIPTION("Test: a task that hangs, and one that dies of a bug of the kernel");
MODULE_LICENSE("GPL");
MODULE_AUTHOR("The lifetrace authors");

// SPDX-License-Identifier: GPL-2.0
/*
 * A thread that hangs, or that dies of a bug: written to the parameter "act" are "hang SECONDS"
 * and "bug". The parameter "tid" is the number of the last thread.
 *
 * "worker" makes a thread of the kernel in the process that writes it, as vhost does since 6.4 (in
 * this form since 6.10); "rest" ends it.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/version.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0) && IS_ENABLED(CONFIG_VHOST_TASK)
#include <linux/sched/vhost_task.h>
#define HAVE_WORKER
#endif

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

#ifdef HAVE_WORKER
static struct vhost_task *worker;

/* Return: whether there was something to do; if not, it sleeps. */
static bool work(void *unused)
{
	return false;
}

static void killed(void *unused)
{
}

static int make_worker(void)
{
	struct vhost_task *w = worker ? NULL : vhost_task_create(work, killed, NULL, "lt_worker");

	if (IS_ERR_OR_NULL(w))
		return w ? PTR_ERR(w) : -EBUSY;
	worker = w;
	vhost_task_start(w);
	return 0;
}

static int end_worker(void)
{
	if (!worker)
		return -ESRCH;
	vhost_task_stop(worker);
	worker = NULL;
	return 0;
}
#else
static int make_worker(void)
{
	return -EOPNOTSUPP;
}

static int end_worker(void)
{
	return -EOPNOTSUPP;
}
#endif

static int act(const char *text, const struct kernel_param *unused)
{
	struct task_struct *thread;
	unsigned int seconds;

	if (sysfs_streq(text, "worker"))
		return make_worker();
	if (sysfs_streq(text, "rest"))
		return end_worker();
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

MODULE_DESCRIPTION("Test: a task that hangs, one that dies of a bug, and a thread of the kernel in a process");
MODULE_LICENSE("GPL");
MODULE_AUTHOR("The lifetrace authors");

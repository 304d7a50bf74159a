// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/pid_gen: the generation of the reader's own pid namespace.
 *
 * Read it, scan /proc, read it again: if both are the same, no number had two
 * holders in between, and all that was read of a number is of one task. It can
 * be polled for the next generation.
 *
 * Numbers are watched from the first opening on until the module is unloaded.
 */
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "uapi/lifetrace_file.h"
#include "pid/pidgen.h"

static DECLARE_WAIT_QUEUE_HEAD(waiters);

/*
 * In two steps: the first is possible under any lock, the second does not keep
 * interrupts off for all who wait.
 */
static void wake(struct work_struct *work)
{
	wake_up_interruptible_all(&waiters);
}

static DECLARE_WORK(wake_work, wake);

static void wake_later(struct irq_work *work)
{
	schedule_work(&wake_work);
}

static struct irq_work wakeup;

/* A new generation. Context: lt_pid_lock held, perhaps the kernel's tasklist_lock. */
void lt_pidgen_wake(void)
{
	/*
	 * Without the queue's lock: who polls is in the queue before it takes
	 * lt_pid_lock to look at the generation. Either it had it before us, then
	 * we see it in the queue; or it comes after us, and sees the generation.
	 */
	if (waitqueue_active(&waiters))
		irq_work_queue(&wakeup);
}

/**
 * struct pid_gen_file - an open /proc/pid_gen
 * @lock: the rest
 * @n: the namespace of who opened it
 * @read: something was read, namely
 * @seen: this generation, and
 * @text: this line
 */
struct pid_gen_file {
	struct mutex lock;	/* read, seen, text */
	struct lt_pidns *n;
	bool read;
	u64 seen;
	char text[24];
};

static DEFINE_MUTEX(watch_lock);
static bool watching;		/* under watch_lock */
static struct proc_dir_entry *entry;

static int pid_gen_open(struct inode *inode, struct file *file)
{
	struct pid_gen_file *f;
	int err = 0;

	/*
	 * An open file keeps the module loaded: who polls it is in our queue,
	 * and a file under /proc does not do that by itself. While it is being
	 * removed, no one comes here any more.
	 */
	if (!try_module_get(THIS_MODULE))
		return -ENODEV;
	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f) {
		err = -ENOMEM;
		goto put;
	}
	mutex_init(&f->lock);
	mutex_lock(&watch_lock);
	if (!watching) {
		err = lt_pidgen_watch();
		watching = !err;
	}
	mutex_unlock(&watch_lock);
	if (err)
		goto free;
	f->n = lt_pidns_open(task_active_pid_ns(current));
	if (!f->n) {
		err = -ENOMEM;
		goto free;
	}
	file->private_data = f;
	return 0;

free:
	kfree(f);
put:
	module_put(THIS_MODULE);
	return err;
}

static int pid_gen_release(struct inode *inode, struct file *file)
{
	struct pid_gen_file *f = file->private_data;

	lt_pidns_close(f->n);
	kfree(f);
	module_put(THIS_MODULE);
	return 0;
}

/* From the start of the file it is the generation of this moment. */
static ssize_t pid_gen_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	struct pid_gen_file *f = file->private_data;
	ssize_t n;

	mutex_lock(&f->lock);
	if (!*pos || !f->read) {
		f->seen = lt_pidns_generation(f->n);
		snprintf(f->text, sizeof(f->text), "%llu\n", f->seen);
		f->read = true;
	}
	n = simple_read_from_buffer(to, count, pos, f->text, strlen(f->text));
	mutex_unlock(&f->lock);
	return n;
}

static __poll_t pid_gen_poll(struct file *file, poll_table *wait)
{
	struct pid_gen_file *f = file->private_data;
	bool changed;

	poll_wait(file, &waiters, wait);
	/*
	 * The generation is read after we are in the queue, under the lock
	 * under which it changes and the queue is looked at.
	 */
	mutex_lock(&f->lock);
	changed = !f->read || lt_pidns_generation(f->n) != f->seen;
	mutex_unlock(&f->lock);
	return changed ? EPOLLIN | EPOLLRDNORM | EPOLLPRI : 0;
}

static const struct proc_ops pid_gen_ops = {
	.proc_open = pid_gen_open,
	.proc_read = pid_gen_read,
	.proc_poll = pid_gen_poll,
	.proc_lseek = default_llseek,
	.proc_release = pid_gen_release,
};

/* The module is loaded already, and does without the file if it must. */
void lt_pidgen_proc_init(void)
{
	init_irq_work(&wakeup, wake_later);
	entry = proc_create(LT_PROC_PID_GEN, 0444, NULL, &pid_gen_ops);
	if (!entry)
		pr_err("lifetrace: /proc/%s could not be made\n", LT_PROC_PID_GEN);
}

/* No file is open: they keep the module. */
void lt_pidgen_proc_exit(void)
{
	if (!entry)
		return;
	proc_remove(entry);
	if (watching)
		lt_pidgen_unwatch();
	irq_work_sync(&wakeup);
	cancel_work_sync(&wake_work);
}

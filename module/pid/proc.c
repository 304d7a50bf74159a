// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/pid_gen: the generation of the reader's own pid namespace.
 *
 * Read it, scan /proc, read it again: if both values are equal, no number had two
 * holders in between, and all that was read of a number is of one task. It can
 * be polled for the next generation.
 *
 * Numbers are watched from the first opening on until the module is unloaded.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "uapi/lifetrace_file.h"
#include "pid/internal.h"

/**
 * struct pid_gen_file - an open /proc/pid_gen
 * @lock: protects @read, @seen and @text
 * @n: the namespace of the process that opened it
 * @read: the file was read
 * @seen: generation that was read last
 * @text: line that was read last
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
	 * An open file must keep the module loaded, since its pollers are in the module's
	 * queue; a file under /proc does not do that by itself. While the file is being
	 * removed it cannot be opened.
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

/* A read from the start of the file gets the current generation. */
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

	poll_wait(file, &lt_pidns_waiters, wait);
	/*
	 * The generation is read after this poller is in the queue, under the lock under
	 * which it changes and the queue is checked: see wake_waiters().
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

/* A failure is not one of the module, which is loaded already: the file is missing. */
void lt_pid_proc_init(void)
{
	lt_pidns_init_wakeup();
	entry = proc_create(LT_PROC_PID_GEN, 0444, NULL, &pid_gen_ops);
	if (!entry)
		pr_err("lifetrace: /proc/%s could not be made\n", LT_PROC_PID_GEN);
}

/* Context: unloading; no file is open, since files keep the module. */
void lt_pid_proc_exit(void)
{
	if (!entry)
		return;
	proc_remove(entry);
	if (watching)
		lt_pidgen_unwatch();
	lt_pidns_sync_wakeup();
}

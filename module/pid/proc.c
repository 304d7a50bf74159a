// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/pid_gen: the generation of the pid namespace whose tasks this /proc shows. Which
 * /proc the file is in counts, and not who opens it.
 *
 * Read it, scan /proc, read it again: if both values are equal, no number had two
 * holders in between, and all that was read of a number is of one task. It can
 * be polled for the next generation.
 *
 * Numbers are watched from the first opening on until the module is unloaded. An open file
 * does not keep the module: when the file is removed, procfs waits for calls in progress,
 * releases the open files and lets no later call in. What of its pollers is left is in
 * view.c.
 */
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "uapi/lifetrace_file.h"
#include "pid/internal.h"

enum access {
	ACCESS_OFF,
	ACCESS_ROOT,
	ACCESS_ALL,
};

static const char * const access_names[] = {
	[ACCESS_OFF] = "off",
	[ACCESS_ROOT] = "root",
	[ACCESS_ALL] = "all",
};

static int access = ACCESS_ROOT;

static int set_access(const char *text, const struct kernel_param *kp)
{
	int found = sysfs_match_string(access_names, text);

	if (found < 0)
		return found;
	access = found;
	return 0;
}

static int get_access(char *buffer, const struct kernel_param *kp)
{
	return sprintf(buffer, "%s\n", access_names[access]);
}

static const struct kernel_param_ops access_ops = {
	.set = set_access,
	.get = get_access,
};

/*
 * Only read later: to change it, the file would have to be removed, which waits for programs
 * that read it, as long as these like.
 */
module_param_cb(pid_gen, &access_ops, NULL, 0444);
MODULE_PARM_DESC(pid_gen, "who may read /proc/pid_gen: off (there is no file), root, or all (root)");

/**
 * struct pid_gen_file - an open /proc/pid_gen
 * @lock: protects @read, @seen and @text
 * @view: of the namespace
 * @read: the file was read
 * @seen: generation that was read last
 * @text: line that was read last
 */
struct pid_gen_file {
	struct mutex lock;	/* read, seen, text */
	struct lt_view *view;
	bool read;
	u64 seen;
	char text[24];
};

static DEFINE_MUTEX(watch_lock);
static bool watching;		/* under watch_lock */
static struct proc_dir_entry *entry;

static int pid_gen_open(struct inode *inode, struct file *file)
{
	struct pid_gen_file *f = kzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);
	int err = 0;

	if (!f)
		return -ENOMEM;
	mutex_init(&f->lock);
	mutex_lock(&watch_lock);
	if (!watching) {
		err = lt_pidgen_show();
		watching = !err;
	}
	mutex_unlock(&watch_lock);
	if (err)
		goto free;
	/* The open file keeps the mount, and that the namespace. */
	f->view = lt_view_open(proc_pid_ns(inode->i_sb));
	if (!f->view) {
		err = -ENOMEM;
		goto free;
	}
	file->private_data = f;
	return 0;

free:
	kfree(f);
	return err;
}

static int pid_gen_release(struct inode *inode, struct file *file)
{
	struct pid_gen_file *f = file->private_data;

	lt_view_close(f->view);
	kfree(f);
	return 0;
}

/* A read from the start of the file gets the current generation. */
static ssize_t pid_gen_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	struct pid_gen_file *f = file->private_data;
	ssize_t n;

	mutex_lock(&f->lock);
	if (!*pos || !f->read) {
		f->seen = lt_view_generation(f->view);
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

	poll_wait(file, lt_view_queue(f->view), wait);
	/*
	 * The generation is read after this poller is in the queue, under the lock under
	 * which it changes and the queue is checked: see lt_view_wake().
	 */
	mutex_lock(&f->lock);
	changed = !f->read || lt_view_generation(f->view) != f->seen;
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
	if (access == ACCESS_OFF)
		return;
	lt_views_init();
	entry = proc_create(LT_PROC_PID_GEN, access == ACCESS_ALL ? 0444 : 0400, NULL,
			    &pid_gen_ops);
	if (!entry)
		pr_err("lifetrace: /proc/%s could not be made\n", LT_PROC_PID_GEN);
}

/* Context: unloading. */
void lt_pid_proc_exit(void)
{
	if (!entry)
		return;
	/* After this no file is open, as far as the module is concerned. */
	proc_remove(entry);
	if (watching)
		lt_pidgen_unshow();
	lt_views_exit();
}

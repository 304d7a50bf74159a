// SPDX-License-Identifier: GPL-2.0
/*
 * The file "calls": hands over the functions of the next session, and shows those of the latest.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "call/internal.h"

/*
 * Steps read any memory of the kernel: who may not do so by a kprobe, or not read what was
 * recorded, may not by these.
 */
static int calls_open(struct inode *inode, struct file *file)
{
	int err = security_locked_down(LOCKDOWN_KPROBES) ?: security_locked_down(LOCKDOWN_TRACEFS);

	return err ?: single_open(file, lt_call_show, NULL);
}

static int calls_release(struct inode *inode, struct file *file)
{
	return file->private_data ? single_release(inode, file) : 0;
}

/* One write is a whole set: it is taken over whole, or not at all. */
static ssize_t calls_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	struct lt_call_fns *fns;
	void *bytes;

	/* Who may use the file need not be one who may read all memory. */
	if (!perfmon_capable())
		return -EPERM;
	if (count > LT_CALL_MOST_BYTES)
		return -E2BIG;
	if (count < sizeof(struct lt_call_set))
		return -EINVAL;
	bytes = kvmalloc(count, GFP_KERNEL_ACCOUNT);
	if (!bytes)
		return -ENOMEM;
	if (copy_from_user(bytes, from, count)) {
		kvfree(bytes);
		return -EFAULT;
	}
	fns = lt_call_fns_make(bytes, count);
	if (IS_ERR(fns))
		return PTR_ERR(fns);
	lt_call_fns_set_next(fns);
	return count;
}

const struct file_operations lt_call_fops = {
	.owner = THIS_MODULE,
	.open = calls_open,
	.read = seq_read,
	.write = calls_write,
	.llseek = seq_lseek,
	.release = calls_release,
};

/* Context: process, sleeps; unloading: no session, and no file is open. */
void lt_call_exit(void)
{
	lt_call_fns_set_next(NULL);
	lt_call_use(NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The files under debugfs. Their contents are described in
 * Documentation/abi.rst; the packet files are in channel.c.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "uapi/lifetrace.h"
#include "uapi/lifetrace_file.h"
#include "session/channels.h"
#include "session/control.h"
#include "session/schema.h"
#include "session/session.h"

static struct dentry *dir;

/**
 * struct control - the open control file
 * @lock: protects the fields below
 * @flushed: there was a flush
 * @until: time of the last flush, in clock units
 */
struct control {
	struct mutex lock;	/* flushed, until */
	bool flushed;
	u64 until;
};

static int enable_open(struct inode *inode, struct file *file)
{
	struct control *c;
	int err;

	/* Opening it makes the caller the owner; the file "stats" shows the state to others. */
	c = kzalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return -ENOMEM;
	mutex_init(&c->lock);
	err = lt_session_own();
	if (err) {
		kfree(c);
		return err;
	}
	file->private_data = c;
	return 0;
}

static int enable_release(struct inode *inode, struct file *file)
{
	lt_session_disown();
	kfree(file->private_data);
	return 0;
}

static ssize_t enable_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	struct control *c = file->private_data;
	char text[64];
	int len;

	mutex_lock(&c->lock);
	len = scnprintf(text, sizeof(text), "%s\n", lt_session_state_name());
	if (c->flushed)
		len += scnprintf(text + len, sizeof(text) - len, "flushed %llu\n", c->until);
	mutex_unlock(&c->lock);
	return simple_read_from_buffer(to, count, pos, text, len);
}

static int enable_command(struct control *c, const char *word)
{
	u64 until;
	int err;

	if (!strcmp(word, "1"))
		return lt_session_start();
	if (!strcmp(word, "0")) {
		lt_session_stop();
		return 0;
	}
	if (strcmp(word, "flush"))
		return -EINVAL;
	err = lt_session_flush(&until);
	if (err)
		return err;
	mutex_lock(&c->lock);
	c->flushed = true;
	c->until = until;
	mutex_unlock(&c->lock);
	return 0;
}

static ssize_t enable_write(struct file *file, const char __user *from, size_t count,
			    loff_t *pos)
{
	char word[16];
	int err;

	if (count >= sizeof(word))
		return -EINVAL;
	if (copy_from_user(word, from, count))
		return -EFAULT;
	word[count] = 0;
	err = enable_command(file->private_data, strim(word));
	return err ? err : count;
}

static const struct file_operations enable_fops = {
	.owner = THIS_MODULE,
	.open = enable_open,
	.read = enable_read,
	.write = enable_write,
	.release = enable_release,
	.llseek = default_llseek,
};

/* One write is one marker, without its newline; a longer line is refused, not cut. */
static ssize_t marker_write(struct file *file, const char __user *from, size_t count,
			    loff_t *pos)
{
	char text[sizeof(((struct lt_rec_MARKER *)0)->text)];
	size_t len = count;
	int err;

	if (count > sizeof(text))
		return -E2BIG;
	if (copy_from_user(text, from, count))
		return -EFAULT;
	if (len && text[len - 1] == '\n')
		len--;
	if (len >= sizeof(text))
		return -E2BIG;
	err = lt_session_mark(text, len);
	return err ? err : count;
}

static const struct file_operations marker_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = marker_write,
	.llseek = noop_llseek,
};

/* Writing begins a snapshot; reading shows its progress. */
static ssize_t snapshot_write(struct file *file, const char __user *from, size_t count,
			      loff_t *pos)
{
	char text[16], *word;
	int err;

	if (count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, count))
		return -EFAULT;
	text[count] = 0;
	word = strim(text);
	if (!strcmp(word, "1"))
		err = lt_session_snapshot(LT_SNAPSHOT_DEMAND);
	else if (!strcmp(word, "final"))
		err = lt_session_snapshot(LT_SNAPSHOT_FINAL);
	else
		err = -EINVAL;
	return err ? err : count;
}

static int snapshot_show(struct seq_file *m, void *unused)
{
	lt_session_show_snapshot(m);
	return 0;
}

static int snapshot_open(struct inode *inode, struct file *file)
{
	return single_open(file, snapshot_show, NULL);
}

static const struct file_operations snapshot_fops = {
	.owner = THIS_MODULE,
	.open = snapshot_open,
	.read = seq_read,
	.write = snapshot_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* The files that can only be read: one function each. */
static int abi_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "%u.%u\n", LT_VERSION_MAJOR, LT_VERSION_MINOR);
	return 0;
}

static int mode_show(struct seq_file *m, void *unused)
{
	seq_puts(m, "stream\n");
	return 0;
}

static int schema_show(struct seq_file *m, void *unused)
{
	lt_schema_show(m);
	return 0;
}

static int info_show(struct seq_file *m, void *unused)
{
	lt_session_show_info(m);
	return 0;
}

static int clock_show(struct seq_file *m, void *unused)
{
	lt_session_show_clock(m);
	return 0;
}

static int events_show(struct seq_file *m, void *unused)
{
	lt_session_show_events(m);
	return 0;
}

static int stats_show(struct seq_file *m, void *unused)
{
	lt_session_show_stats(m);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(abi);
DEFINE_SHOW_ATTRIBUTE(mode);
DEFINE_SHOW_ATTRIBUTE(schema);
DEFINE_SHOW_ATTRIBUTE(info);
DEFINE_SHOW_ATTRIBUTE(clock);
DEFINE_SHOW_ATTRIBUTE(events);
DEFINE_SHOW_ATTRIBUTE(stats);

/**
 * lt_control_init() - make the directories and files
 *
 * debugfs may be absent or switched off; then the module cannot be used, and does not
 * load. A failure is noticed before the first file is there, so no file can be open.
 *
 * Context: process, sleeps; loading.
 *
 * Return: 0 or an errno.
 */
int lt_control_init(void)
{
	unsigned int i;

	dir = debugfs_create_dir(LT_DEBUGFS_DIR, NULL);
	if (IS_ERR(dir)) {
		pr_err("lifetrace: debugfs is not available: error %ld\n", PTR_ERR(dir));
		return PTR_ERR(dir);
	}
	for_each_channel(i) {
		struct dentry *d = debugfs_create_dir(lt_channels[i].name, dir);

		if (IS_ERR(d)) {
			debugfs_remove(dir);	/* all in it are empty */
			return PTR_ERR(d);
		}
		lt_session_set_dir(i, d);
	}
	debugfs_create_file(LT_FILE_ABI, 0400, dir, NULL, &abi_fops);
	debugfs_create_file(LT_FILE_MODE, 0400, dir, NULL, &mode_fops);
	debugfs_create_file(LT_FILE_SCHEMA, 0400, dir, NULL, &schema_fops);
	debugfs_create_file(LT_FILE_INFO, 0400, dir, NULL, &info_fops);
	debugfs_create_file(LT_FILE_CLOCK, 0400, dir, NULL, &clock_fops);
	debugfs_create_file(LT_FILE_EVENTS, 0400, dir, NULL, &events_fops);
	debugfs_create_file(LT_FILE_STATS, 0400, dir, NULL, &stats_fops);
	debugfs_create_file(LT_FILE_MARKER, 0200, dir, NULL, &marker_fops);
	debugfs_create_file(LT_FILE_SNAPSHOT, 0600, dir, NULL, &snapshot_fops);
	debugfs_create_file(LT_FILE_ENABLE, 0600, dir, NULL, &enable_fops);
	return 0;
}

/* Waits for calls in progress. Context: process, sleeps; the session has ended. */
void lt_control_exit(void)
{
	debugfs_remove(dir);
}

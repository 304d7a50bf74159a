// SPDX-License-Identifier: GPL-2.0
/*
 * The files that control the module and show its state, by their names under debugfs and for
 * the device. Their contents are described in Documentation/abi.rst; the packet files are in
 * core/read.c.
 *
 * A kernel that is locked down so that tracefs is closed (lockdown=confidentiality) closes
 * these files, too: debugfs itself lets root open files that can only be read, and through
 * the device nothing else forbids it.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "uapi/lifetrace.h"
#include "uapi/lifetrace_file.h"
#include "call/call.h"
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
	int err = security_locked_down(LOCKDOWN_TRACEFS);
	struct control *c;

	if (err)
		return err;
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
	if (!file->private_data)	/* it could not be opened */
		return 0;
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
	unsigned int one_in;
	u64 until;
	int err;

	if (!strcmp(word, "1"))
		return lt_session_start();
	if (!strcmp(word, "0")) {
		lt_session_stop();
		return 0;
	}
	if (!strcmp(word, "thaw"))
		return lt_session_thaw();
	if (strstarts(word, "sample="))
		return kstrtouint(word + strlen("sample="), 10, &one_in) ?: !one_in ? -EINVAL :
			lt_session_resample(one_in);
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

static int marker_open(struct inode *inode, struct file *file)
{
	return security_locked_down(LOCKDOWN_TRACEFS);
}

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
	.open = marker_open,
	.write = marker_write,
	.llseek = noop_llseek,
};

/* ------------------------------------------------------------------------
 * Text, made when the file is read
 */

static int text_open(struct file *file, int (*show)(struct seq_file *m, void *unused))
{
	return security_locked_down(LOCKDOWN_TRACEFS) ?: single_open(file, show, NULL);
}

static int text_release(struct inode *inode, struct file *file)
{
	return file->private_data ? single_release(inode, file) : 0;
}

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
	return text_open(file, snapshot_show);
}

static const struct file_operations snapshot_fops = {
	.owner = THIS_MODULE,
	.open = snapshot_open,
	.read = seq_read,
	.write = snapshot_write,
	.llseek = seq_lseek,
	.release = text_release,
};

/* The files that can only be read: one function each. */
static int abi_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "%u.%u\n", LT_VERSION_MAJOR, LT_VERSION_MINOR);
	return 0;
}

static int mode_show(struct seq_file *m, void *unused)
{
	lt_session_show_mode(m);
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

static int caches_show(struct seq_file *m, void *unused)
{
	lt_session_show_caches(m);
	return 0;
}

static int code_show(struct seq_file *m, void *unused)
{
	lt_session_show_code(m);
	return 0;
}

static int functions_show(struct seq_file *m, void *unused)
{
	lt_call_show_text(m);
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

#define TEXT_FILE(name)							\
	static int name##_open(struct inode *inode, struct file *file)	\
	{								\
		return text_open(file, name##_show);			\
	}								\
	static const struct file_operations name##_fops = {		\
		.owner = THIS_MODULE,					\
		.open = name##_open,					\
		.read = seq_read,					\
		.llseek = seq_lseek,					\
		.release = text_release,				\
	}

TEXT_FILE(abi);
TEXT_FILE(mode);
TEXT_FILE(schema);
TEXT_FILE(info);
TEXT_FILE(clock);
TEXT_FILE(caches);
TEXT_FILE(code);
TEXT_FILE(functions);
TEXT_FILE(events);
TEXT_FILE(stats);

/* ------------------------------------------------------------------------
 * All files
 */

const struct lt_control_file lt_control_files[] = {
	{ LT_FILE_ABI, 0400, &abi_fops },
	{ LT_FILE_MODE, 0400, &mode_fops },
	{ LT_FILE_SCHEMA, 0400, &schema_fops },
	{ LT_FILE_INFO, 0400, &info_fops },
	{ LT_FILE_CLOCK, 0400, &clock_fops },
	{ LT_FILE_CACHES, 0400, &caches_fops },
	{ LT_FILE_CODE, 0400, &code_fops },
	{ LT_FILE_EVENTS, 0400, &events_fops },
	{ LT_FILE_STATS, 0400, &stats_fops },
	{ LT_FILE_MARKER, 0200, &marker_fops },
	{ LT_FILE_SNAPSHOT, 0600, &snapshot_fops },
	{ LT_FILE_TRIGGER, 0600, &lt_trigger_fops },
	{ LT_FILE_CALLS, 0600, &lt_call_fops },
	{ LT_FILE_FUNCTIONS, 0400, &functions_fops },
	{ LT_FILE_PANIC, 0600, &lt_panic_fops },
	{ LT_FILE_ENABLE, 0600, &enable_fops },
	{ NULL }
};

static int make_dirs(void)
{
	unsigned int i;

	dir = debugfs_create_dir(LT_DEBUGFS_DIR, NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	for_each_channel(i) {
		struct dentry *d = debugfs_create_dir(lt_channels[i].name, dir);

		if (IS_ERR(d))
			return PTR_ERR(d);
		lt_session_set_dir(i, d);
	}
	return 0;
}

/**
 * lt_control_init() - make the directories and files under debugfs
 *
 * debugfs may be absent or switched off. That is noticed before the first file is there, so
 * no file can be open.
 *
 * Context: process, sleeps; loading.
 *
 * Return: 0 or an errno, then there are no files.
 */
int lt_control_init(void)
{
	const struct lt_control_file *f;
	int err = make_dirs();
	unsigned int i;

	if (err) {
		pr_notice("lifetrace: debugfs is not available: error %d\n", err);
		for_each_channel(i)
			lt_session_set_dir(i, NULL);
		debugfs_remove(dir);	/* all in it are empty */
		dir = NULL;
		return err;
	}
	for (f = lt_control_files; f->name; f++)
		debugfs_create_file(f->name, f->mode, dir, NULL, f->fops);
	return 0;
}

/* Waits for calls in progress. Context: process, sleeps; the session has ended. */
void lt_control_exit(void)
{
	debugfs_remove(dir);
}

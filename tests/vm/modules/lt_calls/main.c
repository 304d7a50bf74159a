// SPDX-License-Identifier: GPL-2.0
/*
 * The files of the module, in debugfs: written to "act" are "types N", "contexts N",
 * "deep DEPTH N", "falls DEPTH", "sleep MS", "jumps N", "flood N", "kprobe N" and "refuse N"; "log"
 * has a line for each call since the last "clear".
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "calls.h"

#define LINES	20000

struct line {
	const char *function;
	const char *context;
	pid_t tid;
	char text[236];
};

static struct line *lines;
static atomic_t n_lines;

__printf(2, 3) void notrace truth(const char *function, const char *format, ...)
{
	unsigned int n = atomic_inc_return(&n_lines) - 1;
	va_list args;

	if (n >= LINES)
		return;		/* the count says so */
	lines[n].function = function;
	lines[n].context = hardirq_count() ? "hardirq" : in_serving_softirq() ? "softirq" : "task";
	lines[n].tid = current->pid;
	va_start(args, format);
	vsnprintf(lines[n].text, sizeof(lines[n].text), format, args);
	va_end(args);
}

static int log_show(struct seq_file *m, void *unused)
{
	unsigned int i, n = atomic_read(&n_lines);

	for (i = 0; i < min_t(unsigned int, n, LINES); i++)
		seq_printf(m, "%s\t%s\t%d\t%s\n", lines[i].function, lines[i].context, lines[i].tid,
			   lines[i].text);
	seq_printf(m, "end\t%u\n", n);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(log);

static ssize_t notrace act_write(struct file *file, const char __user *from, size_t count,
				 loff_t *pos)
{
	unsigned int a = 0, b = 0;
	int err = 0;
	char text[40] = "", what[16] = "";

	if (count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, count))
		return -EFAULT;
	if (sscanf(text, "%15s %u %u", what, &a, &b) < 1)
		return -EINVAL;
	if (!strcmp(what, "types"))
		call_types(a);
	else if (!strcmp(what, "contexts"))
		call_contexts(a);
	else if (!strcmp(what, "deep"))
		call_deep(a, b);
	else if (!strcmp(what, "falls"))
		err = call_falling(a);
	else if (!strcmp(what, "sleep"))
		call_sleeping(a);
	else if (!strcmp(what, "jumps"))
		call_jumps(a);
	else if (!strcmp(what, "flood"))
		call_flood(a);
	else if (!strcmp(what, "kprobe"))
		err = call_in_kprobe(a);
	else if (!strcmp(what, "refuse"))
		err = refuse_memory(a);
	else if (!strcmp(what, "clear"))
		atomic_set(&n_lines, 0);
	else
		return -EINVAL;
	return err ?: count;
}

static const struct file_operations act_fops = {
	.owner = THIS_MODULE,
	.write = act_write,
};

static struct dentry *dir;

static int __init notrace lt_calls_init(void)
{
	int err;

	lines = vzalloc(array_size(LINES, sizeof(*lines)));
	if (!lines)
		return -ENOMEM;
	err = contexts_init();
	if (err) {
		vfree(lines);
		return err;
	}
	call_init(7);
	dir = debugfs_create_dir("lt_calls", NULL);
	debugfs_create_file("act", 0200, dir, NULL, &act_fops);
	debugfs_create_file("log", 0400, dir, NULL, &log_fops);
	return 0;
}

static void __exit notrace lt_calls_exit(void)
{
	debugfs_remove_recursive(dir);
	kprobes_exit();
	contexts_exit();
	vfree(lines);
}

module_init(lt_calls_init);
module_exit(lt_calls_exit);
MODULE_DESCRIPTION("Test: functions of every kind of type, and a log of their calls");
MODULE_LICENSE("GPL");
MODULE_AUTHOR("The lifetrace authors");

// SPDX-License-Identifier: GPL-2.0
/*
 * A channel of the module, with writers that go as fast as they can, and two
 * ways to read it: the module's own, and relay's.
 *
 * Everything but the writers is the module's code: channel.c, context.c and
 * clock.c are compiled into this one. Files in /sys/kernel/debug/lt_packets:
 *
 * run		write "start KEY=VALUE..." or "stop"; close it to end. Keys: stock,
 *		overwrite, thread, timer, cpu, subbuf_size, n_subbufs, flush_ms, period_us,
 *		burst, hold_ns, pause_us. Reads as "stored N refused N hardirq N".
 * cpuN		own: whole packets
 * stockN	stock: the same buffer, read by relay_file_operations
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/relay.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "writer.h"

/**
 * struct setup - the keys of "start"
 * @stock: files of relay, not of the module
 * @overwrite: a buffer that is full is overwritten
 * @subbuf_size: bytes
 * @n_subbufs: of them, for each CPU
 * @flush_ms: between two flushes, 0: none
 * @writer: who writes, and how
 */
struct setup {
	bool stock;
	bool overwrite;
	unsigned int subbuf_size;
	unsigned int n_subbufs;
	unsigned int flush_ms;
	struct writer_setup writer;
};

static struct dentry *dir;
static struct lt_channel ch;

/* The lock is for these three. */
static DEFINE_MUTEX(lock);
static bool open_for_writing;
static bool started;
static struct dentry *stock_files[NR_CPUS];

static unsigned int flush_ms;
static void flush(struct work_struct *work);
static DECLARE_DELAYED_WORK(periodic_flush, flush);

/* As the module does, and as a user may ask for it, in turns. */
static void flush(struct work_struct *work)
{
	static bool quiet;

	quiet = !quiet;
	lt_channel_flush(&ch, quiet);
	schedule_delayed_work(&periodic_flush, msecs_to_jiffies(flush_ms));
}

enum {
	OPT_STOCK, OPT_OVERWRITE, OPT_THREAD, OPT_TIMER, OPT_CPU, OPT_SUBBUF_SIZE, OPT_N_SUBBUFS,
	OPT_FLUSH_MS, OPT_PERIOD_US, OPT_BURST, OPT_HOLD_NS, OPT_PAUSE_US, N_OPTS
};

static const char * const opt_names[] = {
	[OPT_STOCK] = "stock",
	[OPT_OVERWRITE] = "overwrite",
	[OPT_THREAD] = "thread",
	[OPT_TIMER] = "timer",
	[OPT_CPU] = "cpu",
	[OPT_SUBBUF_SIZE] = "subbuf_size",
	[OPT_N_SUBBUFS] = "n_subbufs",
	[OPT_FLUSH_MS] = "flush_ms",
	[OPT_PERIOD_US] = "period_us",
	[OPT_BURST] = "burst",
	[OPT_HOLD_NS] = "hold_ns",
	[OPT_PAUSE_US] = "pause_us",
};

/* Parse "name=value" into @values. Return: 0 or -EINVAL. */
static int parse_word(char *word, unsigned int values[N_OPTS])
{
	char *value = strchr(word, '=');
	int i;

	if (!value)
		return -EINVAL;
	*value++ = 0;
	i = match_string(opt_names, ARRAY_SIZE(opt_names), word);
	if (i < 0)
		return -EINVAL;
	return kstrtouint(value, 0, &values[i]);
}

static int parse(char *text, struct setup *s)
{
	unsigned int v[N_OPTS] = { [OPT_SUBBUF_SIZE] = 4096, [OPT_N_SUBBUFS] = 4,
				   [OPT_PERIOD_US] = 100, [OPT_BURST] = 16 };
	char *word;
	int err;

	while ((word = strsep(&text, "\n ")) != NULL) {
		err = *word ? parse_word(word, v) : 0;
		if (err)
			return err;
	}
	if (v[OPT_CPU] >= nr_cpu_ids || !cpu_online(v[OPT_CPU]) || !v[OPT_PERIOD_US])
		return -EINVAL;
	*s = (struct setup){
		.stock = v[OPT_STOCK],
		.overwrite = v[OPT_OVERWRITE],
		.subbuf_size = v[OPT_SUBBUF_SIZE],
		.n_subbufs = v[OPT_N_SUBBUFS],
		.flush_ms = v[OPT_FLUSH_MS],
		.writer = {
			.thread = v[OPT_THREAD],
			.timer = v[OPT_TIMER],
			.cpu = v[OPT_CPU],
			.period_us = v[OPT_PERIOD_US],
			.burst = v[OPT_BURST],
			.hold_ns = v[OPT_HOLD_NS],
			.pause_us = v[OPT_PAUSE_US],
		},
	};
	return 0;
}

/* The buffers again, with the file operations of relay. */
static void make_stock_files(void)
{
	unsigned int cpu;
	char name[16];

	for_each_online_cpu(cpu) {
		snprintf(name, sizeof(name), "stock%u", cpu);
		stock_files[cpu] = debugfs_create_file(name, 0400, dir,
						       *per_cpu_ptr(ch.rchan->buf, cpu),
						       &relay_file_operations);
	}
}

static void remove_stock_files(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		debugfs_remove(stock_files[cpu]);
		stock_files[cpu] = NULL;
	}
}

static int start(char *text)
{
	struct setup s;
	int err;

	if (started)
		return -EBUSY;
	err = parse(text, &s);
	if (err)
		return err;
	ch.overwrite = s.overwrite;
	err = lt_channel_open(&ch, s.stock ? NULL : dir, s.subbuf_size, s.n_subbufs, 1);
	if (err)
		return err;
	if (s.stock)
		make_stock_files();
	started = true;
	flush_ms = s.flush_ms;
	if (flush_ms)
		schedule_delayed_work(&periodic_flush, msecs_to_jiffies(flush_ms));
	return writer_start(&ch, &s.writer);
}

static void stop(void)
{
	if (!started)
		return;
	cancel_delayed_work_sync(&periodic_flush);
	writer_stop();
	lt_channel_finish(&ch);
}

static void end(void)
{
	stop();
	remove_stock_files();
	lt_channel_close(&ch);
	started = false;
}

static int run_open(struct inode *inode, struct file *file)
{
	int err = 0;

	mutex_lock(&lock);
	if (open_for_writing)
		err = -EBUSY;
	open_for_writing = true;
	mutex_unlock(&lock);
	return err;
}

static int run_release(struct inode *inode, struct file *file)
{
	mutex_lock(&lock);
	end();
	open_for_writing = false;
	mutex_unlock(&lock);
	return 0;
}

static ssize_t run_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	char *text;
	int err = 0;

	if (count > 1000)
		return -EINVAL;
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	mutex_lock(&lock);
	if (!strncmp(text, "start ", 6))
		err = start(text + 6);
	else if (!strcmp(strim(text), "stop"))
		stop();
	else
		err = -EINVAL;
	mutex_unlock(&lock);
	kfree(text);
	return err ? err : count;
}

static ssize_t run_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	struct writer_counts n = writer_counts();
	char text[100];
	int len;

	len = scnprintf(text, sizeof(text), "stored %llu refused %llu hardirq %llu\n",
			n.stored, n.refused, n.in_hardirq);
	return simple_read_from_buffer(to, count, pos, text, len);
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.open = run_open,
	.read = run_read,
	.write = run_write,
	.release = run_release,
	.llseek = default_llseek,
};

static int __init packets_init(void)
{
	int err = lt_channel_init(&ch, LT_CHANNEL_KMEM);

	if (err)
		return err;
	dir = debugfs_create_dir("lt_packets", NULL);
	if (IS_ERR(dir)) {
		lt_channel_destroy(&ch);
		return PTR_ERR(dir);
	}
	debugfs_create_file("run", 0600, dir, NULL, &run_fops);
	return 0;
}

static void __exit packets_exit(void)
{
	debugfs_remove(dir);
	lt_channel_destroy(&ch);
}

module_init(packets_init);
module_exit(packets_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The lifetrace authors");
MODULE_DESCRIPTION("Test: every packet is read once, whole and in order");

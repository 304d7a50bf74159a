// SPDX-License-Identifier: GPL-2.0
/*
 * lt_cost: what an event costs in the kernel.
 *
 * Files in /sys/kernel/debug/lt_cost:
 *
 * mode		write "MODE GROUP": which of this module's own probes are attached
 *		(none, empty, floor-counter, floor-mono, cmpxchg-counter,
 *		cmpxchg-mono, kmemtrace-56, kmemtrace-48-24), and to which events
 *		(slab, tasks, all; calls, with none and empty alone)
 * run		write "LOAD N CHUNKS": CHUNKS times N rounds of a load (kmalloc,
 *		sizes, batch, cache, kthread, function). Reads as "N CHUNKS MEDIAN MEAN MIN MAX
 *		KHZ": ticks of the CPU's counter for a chunk, and its frequency.
 *
 * Everything else that may be attached meanwhile is the business of who writes.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "cost.h"
#include "uapi/lifetrace.h"

#define RECORD(NAME)	(LT_REC_WORD + sizeof(struct lt_rec_##NAME))

/* The form that nearly all events of these have. */
#if defined(LT_FIELDS_KMALLOC_TIGHT) && defined(CONFIG_64BIT)
#define USUAL(NAME)	RECORD(NAME##_TIGHT)
#elif defined(LT_FIELDS_KMALLOC_SHORT)
#define USUAL(NAME)	RECORD(NAME##_SHORT)
#else
#define USUAL(NAME)	RECORD(NAME)
#endif

/* What the floor stores for an event: as much as lifetrace does. */
unsigned int record_bytes[N_POINTS] = {
	[POINT_KMALLOC] = USUAL(KMALLOC),
	[POINT_KFREE] = USUAL(KFREE),
	[POINT_CACHE_ALLOC] = USUAL(CACHE_ALLOC),
	[POINT_CACHE_FREE] = USUAL(CACHE_FREE),
	[POINT_BIRTH] = RECORD(TASK_NEW),
	[POINT_EXIT] = RECORD(EXIT),
	[POINT_RELEASE] = RECORD(RELEASE),
};

module_param_named(kmalloc_bytes, record_bytes[POINT_KMALLOC], uint, 0444);
module_param_named(kfree_bytes, record_bytes[POINT_KFREE], uint, 0444);
module_param_named(cache_alloc_bytes, record_bytes[POINT_CACHE_ALLOC], uint, 0444);
module_param_named(cache_free_bytes, record_bytes[POINT_CACHE_FREE], uint, 0444);
module_param_named(birth_bytes, record_bytes[POINT_BIRTH], uint, 0444);
module_param_named(exit_bytes, record_bytes[POINT_EXIT], uint, 0444);
module_param_named(release_bytes, record_bytes[POINT_RELEASE], uint, 0444);

unsigned int buffer_mb = 32;
module_param(buffer_mb, uint, 0444);
MODULE_PARM_DESC(buffer_mb, "size of this module's own buffers, MiB");

static struct dentry *dir;
static u64 counter_khz;

static DEFINE_MUTEX(lock);	/* one run at a time, no other mode meanwhile */
static struct cost latest;

static ssize_t mode_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	char line[48], name[32], group[8];
	int err;

	if (count >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, count))
		return -EFAULT;
	line[count] = 0;
	if (sscanf(line, "%31s %7s", name, group) != 2)
		return -EINVAL;
	mutex_lock(&lock);
	err = probes_set(name, group);
	mutex_unlock(&lock);
	return err ? err : count;
}

static ssize_t mode_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	char text[40];
	int len;

	mutex_lock(&lock);
	len = scnprintf(text, sizeof(text), "%s\n", probes_name());
	mutex_unlock(&lock);
	return simple_read_from_buffer(to, count, pos, text, len);
}

static const struct file_operations mode_fops = {
	.owner = THIS_MODULE,
	.read = mode_read,
	.write = mode_write,
};

static ssize_t run_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	unsigned int per_chunk, chunks;
	char line[64], load[16];
	int err;

	if (count >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, count))
		return -EFAULT;
	line[count] = 0;
	if (sscanf(line, "%15s %u %u", load, &per_chunk, &chunks) != 3)
		return -EINVAL;
	mutex_lock(&lock);
	err = loads_run(load, per_chunk, chunks, &latest);
	mutex_unlock(&lock);
	return err ? err : count;
}

static ssize_t run_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	char text[128];
	int len;

	mutex_lock(&lock);
	len = scnprintf(text, sizeof(text), "%u %u %llu %llu %llu %llu %llu\n", latest.per_chunk,
			latest.chunks, latest.median, latest.mean, latest.min, latest.max,
			counter_khz);
	mutex_unlock(&lock);
	return simple_read_from_buffer(to, count, pos, text, len);
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.read = run_read,
	.write = run_write,
};

static u64 measure_counter(void)
{
	u64 ticks = cost_counter(), ns = ktime_get_ns();

	msleep(200);
	ticks = cost_counter() - ticks;
	ns = ktime_get_ns() - ns;
	return div64_u64(ticks * 1000000, ns);
}

static int __init cost_init(void)
{
	int err = loads_init();

	if (err)
		return err;
	counter_khz = measure_counter();
	dir = debugfs_create_dir("lt_cost", NULL);
	debugfs_create_file("mode", 0600, dir, NULL, &mode_fops);
	debugfs_create_file("run", 0600, dir, NULL, &run_fops);
	return 0;
}

static void __exit cost_exit(void)
{
	debugfs_remove(dir);
	probes_set("none", "all");
	loads_exit();
}

module_init(cost_init);
module_exit(cost_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("What an event of the allocators costs");

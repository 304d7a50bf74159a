// SPDX-License-Identifier: GPL-2.0
/*
 * Allocations at a given rate: one thread on each CPU, each with its share.
 *
 *	echo PAIRS_PER_SECOND MILLISECONDS >/sys/kernel/debug/lt_rate/run
 *
 * returns when it is over; "result" then says how many pairs of kmalloc and kfree
 * there were, and how long that took. A thread that falls behind goes on without
 * a pause, so a rate that cannot be reached shows as fewer pairs. Rate 0: as fast
 * as it goes. The parameter "live" is how many objects a thread holds, from the begin of
 * the time on; each is freed so many pairs later.
 */
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#define FILL	4096	/* objects made without a pause, before the time begins */
#define BATCH	64	/* pairs between two looks at the clock */
#define MAX_MS	60000

struct generator {
	struct task_struct *task;
	u64 rate;		/* pairs a second, 0: all it can */
	u64 duration_ns;
	u64 pairs;		/* done */
	u64 ns;			/* taken */
	unsigned int n_live;
	void **live;
};

static unsigned int live = 64;
module_param(live, uint, 0644);

/* As in a busy kernel: mostly small ones. */
static const unsigned short sizes[16] = {
	16, 32, 32, 64, 64, 64, 96, 128, 128, 192, 256, 256, 512, 512, 1024, 2048,
};

static DEFINE_MUTEX(lock);
static struct dentry *dir;
static u64 total_pairs, longest_ns;

static void *make(u64 n)
{
	return kmalloc(sizes[(n * 7 + (n >> 4)) % 16], GFP_KERNEL);
}

static void batch(struct generator *g)
{
	unsigned int i;

	for (i = 0; i < BATCH; i++, g->pairs++) {
		void **slot = &g->live[g->pairs % g->n_live];

		kfree(*slot);
		*slot = make(g->pairs);
	}
}

/* Slowly: a recorder is to see each birth. */
static void fill(struct generator *g)
{
	unsigned int i;

	for (i = 0; i < g->n_live; i++) {
		g->live[i] = make(i);
		if (i % FILL == FILL - 1)
			usleep_range(2000, 3000);
	}
}

static int generate(void *arg)
{
	struct generator *g = arg;
	u64 begin, now;
	unsigned int i;

	fill(g);
	begin = ktime_get_ns();
	now = begin;
	while (now - begin < g->duration_ns) {
		u64 due = mul_u64_u64_div_u64(now - begin, g->rate, NSEC_PER_SEC);

		if (g->rate && g->pairs >= due) {
			usleep_range(500, 1000);
		} else {
			batch(g);
			cond_resched();
		}
		now = ktime_get_ns();
	}
	for (i = 0; i < g->n_live; i++)
		kfree(g->live[i]);
	smp_store_release(&g->ns, now - begin);	/* done, see run() */
	/* The task's end is waited for: it stays until kthread_stop(). */
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* Context: lock held. */
static int run(u64 rate, unsigned int ms)
{
	struct generator *all = kcalloc(nr_cpu_ids, sizeof(*all), GFP_KERNEL);
	unsigned int cpu, n;
	int err = 0;

	if (!all)
		return -ENOMEM;
	total_pairs = 0;
	longest_ns = 0;
	cpus_read_lock();
	n = num_online_cpus();
	for_each_online_cpu(cpu) {
		struct generator *g = &all[cpu];

		g->rate = div_u64(rate + n - 1, n);
		g->duration_ns = (u64)ms * NSEC_PER_MSEC;
		g->n_live = max(READ_ONCE(live), 1U);
		g->live = kvcalloc(g->n_live, sizeof(*g->live), GFP_KERNEL);
		if (!g->live) {
			err = -ENOMEM;
			break;
		}
		g->task = kthread_create_on_cpu(generate, g, cpu, "lt_rate/%u");
		if (IS_ERR(g->task)) {
			err = PTR_ERR(g->task);
			g->task = NULL;
			break;
		}
	}
	for_each_online_cpu(cpu) {
		if (all[cpu].task && !err)
			wake_up_process(all[cpu].task);
	}
	cpus_read_unlock();
	if (!err)
		msleep(ms);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		struct generator *g = &all[cpu];

		/* Not kthread_stop() yet: it would end a thread that never ran. */
		while (g->task && !err && !smp_load_acquire(&g->ns))
			usleep_range(1000, 2000);
		if (g->task)
			kthread_stop(g->task);
		kvfree(g->live);
		total_pairs += g->pairs;
		longest_ns = max(longest_ns, g->ns);
	}
	kfree(all);
	return err;
}

static ssize_t run_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	unsigned int ms;
	char line[48];
	u64 rate;
	int err;

	if (count >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, count))
		return -EFAULT;
	line[count] = 0;
	if (sscanf(line, "%llu %u", &rate, &ms) != 2 || !ms || ms > MAX_MS)
		return -EINVAL;
	mutex_lock(&lock);
	err = run(rate, ms);
	mutex_unlock(&lock);
	return err ?: count;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.open = nonseekable_open,
	.write = run_write,
};

static int result_show(struct seq_file *m, void *unused)
{
	mutex_lock(&lock);
	seq_printf(m, "%llu pairs %llu ns\n", total_pairs, longest_ns);
	mutex_unlock(&lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(result);

static int __init lt_rate_init(void)
{
	dir = debugfs_create_dir("lt_rate", NULL);
	debugfs_create_file("run", 0200, dir, NULL, &run_fops);
	debugfs_create_file("result", 0400, dir, NULL, &result_fops);
	return 0;
}

static void __exit lt_rate_exit(void)
{
	debugfs_remove(dir);
}

module_init(lt_rate_init);
module_exit(lt_rate_exit);
MODULE_DESCRIPTION("allocations at a given rate");
MODULE_LICENSE("GPL");

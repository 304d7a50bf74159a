// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/lt_truth/: commands go into "do", the truth comes out of
 * "objects" (struct truth_header and rows), "caches" and "counts" (text).
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "truth.h"

static unsigned int max_objects = 200000;
module_param(max_objects, uint, 0400);
MODULE_PARM_DESC(max_objects, "rows in the table; no object is made after that");

static struct dentry *dir;

/* Commands that use what there is only once. Steps of tasks need no lock. */
static DEFINE_MUTEX(special);

static void steps(unsigned int n, unsigned int sleep_us, bool pairs)
{
	struct truth_actor a = { .rng = current->pid * 2654435761U | 1 };

	if (pairs) {
		truth_pairs(&a, n, sleep_us);
		return;
	}
	while (n--) {
		truth_step(&a);
		if (sleep_us)
			usleep_range(sleep_us, sleep_us + 50);
		else
			cond_resched();
	}
}

static void fill(unsigned int n)
{
	struct truth_actor a = { .rng = 0x12345671 };

	truth_fill(&a, n);
}

static int special_command(const char *what, unsigned int a, unsigned int b)
{
	if (!strcmp(what, "phase")) {
		WRITE_ONCE(truth_phase, a);
		return 0;
	}
	if (!strcmp(what, "fill")) {
		fill(a);
		return 0;
	}
	if (!strcmp(what, "kthreads"))
		return truth_run_kthreads(a, b ?: 1, true);
	if (!strcmp(what, "quiet"))	/* kthreads, without interrupts */
		return truth_run_kthreads(a, b ?: 1, false);
	if (!strcmp(what, "cycle"))
		return truth_cycle_caches(a);
	if (!strcmp(what, "edge")) {
		truth_edge_cases(a);
		return 0;
	}
	if (!strcmp(what, "exhaust"))
		return truth_exhaust();
	if (!strcmp(what, "mark"))	/* 0: begin, 1: end */
		return truth_mark_cpus(!a);
	return -EINVAL;
}

/* "steps N [us]", "pairs N [us]", "kthreads N [per CPU]" and the other words of run(). */
static ssize_t do_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	unsigned int a = 0, b = 0;
	char line[64], what[16];
	int err = 0;

	if (count >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, count))
		return -EFAULT;
	line[count] = 0;
	if (sscanf(line, "%15s %u %u", what, &a, &b) < 1)
		return -EINVAL;
	if (!strcmp(what, "steps") || !strcmp(what, "pairs")) {
		steps(a, b, what[0] == 'p');
		return count;
	}
	mutex_lock(&special);
	err = special_command(what, a, b);
	mutex_unlock(&special);
	return err ?: count;
}

static const struct file_operations do_fops = {
	.owner = THIS_MODULE,
	.open = nonseekable_open,
	.write = do_write,
};

static ssize_t objects_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	return simple_read_from_buffer(to, count, pos, truth_table(), truth_table_bytes());
}

static const struct file_operations objects_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = objects_read,
	.llseek = default_llseek,
};

static int caches_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	for (i = 0; i < truth_n_caches; i++)
		seq_printf(m, "%u %u 0x%lx %s\n", i, truth_caches[i].size,
			   truth_caches[i].address, truth_caches[i].name);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(caches);

static int counts_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "objects %u\n", truth_n_objects());
	seq_printf(m, "max_objects %u\n", max_objects);
	seq_printf(m, "failed_kmalloc %d\n", atomic_read(&truth_counts.failed_kmalloc));
	seq_printf(m, "failed_cache %d\n", atomic_read(&truth_counts.failed_cache));
	seq_printf(m, "failed_pages %d\n", atomic_read(&truth_counts.failed_pages));
	seq_printf(m, "null_frees %d\n", atomic_read(&truth_counts.null_frees));
	seq_printf(m, "irq_steps %d\n", atomic_read(&truth_counts.irq_steps));
	seq_printf(m, "softirq_steps %d\n", atomic_read(&truth_counts.softirq_steps));
	seq_printf(m, "page_gfp 0x%x\n", (__force u32)TRUTH_PAGE_GFP);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counts);

static int __init lt_truth_init(void)
{
	int err = truth_table_init(max_objects);

	if (err)
		return err;
	err = truth_caches_init();
	if (err) {
		truth_table_exit();
		return err;
	}
	dir = debugfs_create_dir("lt_truth", NULL);
	debugfs_create_file("do", 0200, dir, NULL, &do_fops);
	debugfs_create_file("objects", 0400, dir, NULL, &objects_fops);
	debugfs_create_file("caches", 0400, dir, NULL, &caches_fops);
	debugfs_create_file("counts", 0400, dir, NULL, &counts_fops);
	return 0;
}

static void __exit lt_truth_exit(void)
{
	debugfs_remove(dir);
	truth_free_all();
	/* The kernel may still hold objects that were given to kfree_rcu(). */
	rcu_barrier();
	truth_caches_exit();
	truth_table_exit();
}

module_init(lt_truth_init);
module_exit(lt_truth_exit);
MODULE_DESCRIPTION("allocations whose truth is known, to hold a trace against");
MODULE_LICENSE("GPL");

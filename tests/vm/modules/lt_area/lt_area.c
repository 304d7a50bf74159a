// SPDX-License-Identifier: GPL-2.0
/*
 * vmalloc areas and per-CPU memory that are known: reading debugfs/lt_area makes OBJECTS of
 * each, gives two of three back, and prints a line for each:
 *
 *	vmalloc|vzalloc|kvmalloc|percpu ADDRESS BYTES freed|alive
 *
 * BYTES are those that were requested, of per-CPU memory those of one CPU.
 */
#include <linux/debugfs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

#define OBJECTS		300

static struct dentry *file;
static void *areas[OBJECTS];
static void __percpu *parts[OBJECTS];

/* Above what kmalloc takes, so that kvmalloc() comes to vmalloc, too. */
static unsigned long size_of(unsigned int i)
{
	return i % 3 == 2 ? (8 << 20) + 4096 * (i % 7) + 1 : 1 + 1237 * i;
}

static noinline void *make_area(unsigned int i)
{
	switch (i % 3) {
	case 0:
		return vmalloc(size_of(i));
	case 1:
		return vzalloc(size_of(i));
	default:
		return kvmalloc(size_of(i), GFP_KERNEL | __GFP_NORETRY);
	}
}

static noinline void __percpu *make_part(unsigned int i)
{
	return __alloc_percpu(1 + 13 * i, 8);
}

static void put_back(unsigned int i)
{
	kvfree(areas[i]);
	areas[i] = NULL;
	free_percpu(parts[i]);
	parts[i] = NULL;
}

static int truth_show(struct seq_file *m, void *unused)
{
	static const char * const kinds[] = { "vmalloc", "vzalloc", "kvmalloc" };
	unsigned int i;

	/* seq_file calls this again with a larger buffer where the first is too small. */
	for (i = 0; i < OBJECTS; i++)
		put_back(i);
	for (i = 0; i < OBJECTS; i++) {
		bool freed = i % 9 < 6;
		unsigned long area, part;

		areas[i] = make_area(i);
		parts[i] = make_part(i);
		area = (unsigned long)areas[i];
		part = (__force unsigned long)parts[i];
		if (freed)
			put_back(i);
		if (area)
			seq_printf(m, "%s %#lx %lu %s\n", kinds[i % 3], area, size_of(i),
				   freed ? "freed" : "alive");
		if (part)
			seq_printf(m, "percpu %#lx %u %s\n", part, 1 + 13 * i,
				   freed ? "freed" : "alive");
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth);

static int __init lt_area_init(void)
{
	file = debugfs_create_file("lt_area", 0400, NULL, NULL, &truth_fops);
	return 0;
}

static void __exit lt_area_exit(void)
{
	unsigned int i;

	debugfs_remove(file);
	for (i = 0; i < OBJECTS; i++)
		put_back(i);
}

module_init(lt_area_init);
module_exit(lt_area_exit);
MODULE_DESCRIPTION("vmalloc areas and per-CPU memory that are known");
MODULE_LICENSE("GPL");

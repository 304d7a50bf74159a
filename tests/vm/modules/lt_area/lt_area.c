// SPDX-License-Identifier: GPL-2.0
/*
 * vmalloc areas, per-CPU memory and coherent memory of two devices that are known: reading
 * debugfs/lt_area makes OBJECTS of each, gives two of three back, and prints a line for each:
 *
 *	vmalloc|vzalloc|kvmalloc|percpu ADDRESS BYTES freed|alive
 *	dma ADDRESS BYTES freed|alive DEVICE
 *	vrealloc ADDRESS BYTES freed|alive LAST
 *
 * BYTES are those that were requested, of per-CPU memory those of one CPU. LAST: of an area to
 * which vrealloc() gave other sizes in its place, the last one.
 */
#include <linux/debugfs.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/platform_device.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

#include "compat.h"

#define OBJECTS		300
#define RESIZED		60

static struct dentry *file;
static void *areas[OBJECTS];
static void __percpu *parts[OBJECTS];
static struct platform_device *devices[2];
static struct buffer {
	void *at;
	dma_addr_t handle;
} buffers[OBJECTS];

/* Machines of 32 bits have no room for all of the large ones at once. */
static bool is_large(unsigned int i)
{
	return i % 3 == 2 && (IS_ENABLED(CONFIG_64BIT) || i % 9 < 6);
}

/* Above what kmalloc takes, so that kvmalloc() comes to vmalloc, too. */
static unsigned long size_of(unsigned int i)
{
	return is_large(i) ? (8 << 20) + 4096 * (i % 7) + 1 : 1 + 1237 * i;
}

static noinline void *make_area(unsigned int i)
{
	switch (i % 3) {
	case 0:
		return vmalloc(size_of(i));
	case 1:
		return vzalloc(size_of(i));
	default:
		if (!is_large(i))
			return vmalloc(size_of(i));
		return kvmalloc(size_of(i), GFP_KERNEL | __GFP_NORETRY);
	}
}

static noinline void __percpu *make_part(unsigned int i)
{
	return __alloc_percpu(1 + 13 * i, 8);
}

static struct device *device_of(unsigned int i)
{
	return &devices[i % ARRAY_SIZE(devices)]->dev;
}

static size_t dma_size_of(unsigned int i)
{
	return 1 + 151 * i;
}

static noinline void make_buffer(unsigned int i)
{
	buffers[i].at = dma_alloc_coherent(device_of(i), dma_size_of(i), &buffers[i].handle,
					   GFP_KERNEL);
}

static void put_back(unsigned int i)
{
	if (buffers[i].at)
		dma_free_coherent(device_of(i), dma_size_of(i), buffers[i].at, buffers[i].handle);
	buffers[i].at = NULL;
	kvfree(areas[i]);
	areas[i] = NULL;
	free_percpu(parts[i]);
	parts[i] = NULL;
}

#ifdef resize_area
static void *resized[RESIZED];

static void line_resized(struct seq_file *m, const void *area, size_t first, size_t last,
			 bool freed)
{
	seq_printf(m, "vrealloc %#lx %zu %s %zu\n", (unsigned long)area, first,
		   freed ? "freed" : "alive", last);
}

/* Smaller, most of them larger again, and some larger than there is room for, which moves them. */
static noinline void make_resized(struct seq_file *m, unsigned int i)
{
	size_t first = 40000 + 17 * i, small = 9000 + 11 * i, larger = 30000 + 13 * i;
	size_t large = 90000 + i;
	void *area = vmalloc(first), *again;

	again = area ? resize_area(area, small) : NULL;
	if (again != area) {
		kvfree(again ?: area);
		return;
	}
	again = i % 4 ? resize_area(area, larger) : NULL;
	if (again == area) {
		small = larger;
	} else if (again) {		/* there is no room any more */
		line_resized(m, area, first, small, true);
		area = again;
		first = larger;
		small = larger;
	}
	if (i % 3 == 2) {
		again = resize_area(area, large);
		if (again && again != area) {
			line_resized(m, area, first, small, true);
			area = again;
			first = large;
			small = large;
		}
	}
	line_resized(m, area, first, small, i % 2);
	if (i % 2)
		kvfree(area);
	else
		resized[i] = area;
}

static void put_back_resized(void)
{
	unsigned int i;

	for (i = 0; i < RESIZED; i++) {
		kvfree(resized[i]);
		resized[i] = NULL;
	}
}
#else
static void make_resized(struct seq_file *m, unsigned int i)
{
}

static void put_back_resized(void)
{
}
#endif

static int truth_show(struct seq_file *m, void *unused)
{
	static const char * const kinds[] = { "vmalloc", "vzalloc", "kvmalloc" };
	unsigned int i;

	/* seq_file calls this again with a larger buffer where the first is too small. */
	for (i = 0; i < OBJECTS; i++)
		put_back(i);
	put_back_resized();
	for (i = 0; i < RESIZED; i++)
		make_resized(m, i);
	for (i = 0; i < OBJECTS; i++) {
		bool freed = i % 9 < 6;
		unsigned long area, part, buffer;

		areas[i] = make_area(i);
		parts[i] = make_part(i);
		make_buffer(i);
		area = (unsigned long)areas[i];
		part = (__force unsigned long)parts[i];
		buffer = (unsigned long)buffers[i].at;
		if (freed)
			put_back(i);
		if (area)
			seq_printf(m, "%s %#lx %lu %s\n", kinds[i % 3], area, size_of(i),
				   freed ? "freed" : "alive");
		if (part)
			seq_printf(m, "percpu %#lx %u %s\n", part, 1 + 13 * i,
				   freed ? "freed" : "alive");
		if (buffer)
			seq_printf(m, "dma %#lx %zu %s %s\n", buffer, dma_size_of(i),
				   freed ? "freed" : "alive", dev_name(device_of(i)));
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth);

static void drop_devices(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(devices) && !IS_ERR_OR_NULL(devices[i]); i++)
		platform_device_unregister(devices[i]);
}

static int make_devices(void)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(devices) && !err; i++) {
		devices[i] = platform_device_register_simple("lt_area", i, NULL, 0);
		err = PTR_ERR_OR_ZERO(devices[i]);
		if (!err)
			err = dma_coerce_mask_and_coherent(&devices[i]->dev, DMA_BIT_MASK(32));
	}
	if (err)
		drop_devices();
	return err;
}

static int __init lt_area_init(void)
{
	int err = make_devices();

	if (err)
		return err;
	file = debugfs_create_file("lt_area", 0400, NULL, NULL, &truth_fops);
	return 0;
}

static void __exit lt_area_exit(void)
{
	unsigned int i;

	debugfs_remove(file);
	for (i = 0; i < OBJECTS; i++)
		put_back(i);
	put_back_resized();
	drop_devices();
}

module_init(lt_area_init);
module_exit(lt_area_exit);
MODULE_DESCRIPTION("vmalloc areas, per-CPU memory and coherent memory that are known");
MODULE_LICENSE("GPL");

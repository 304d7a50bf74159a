// SPDX-License-Identifier: GPL-2.0
/*
 * vmalloc areas, per-CPU memory and coherent memory of two devices that are known: reading
 * debugfs/lt_area makes OBJECTS of each, gives two of three back, and prints a line for each:
 *
 *	vmalloc|vzalloc|kvmalloc|percpu ADDRESS BYTES freed|alive
 *	dma ADDRESS BYTES freed|alive DEVICE
 *
 * BYTES are those that were requested, of per-CPU memory those of one CPU.
 */
#include <linux/debugfs.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/platform_device.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

#define OBJECTS		300

static struct dentry *file;
static void *areas[OBJECTS];
static void __percpu *parts[OBJECTS];
static struct platform_device *devices[2];
static struct buffer {
	void *at;
	dma_addr_t handle;
} buffers[OBJECTS];

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

static int truth_show(struct seq_file *m, void *unused)
{
	static const char * const kinds[] = { "vmalloc", "vzalloc", "kvmalloc" };
	unsigned int i;

	/* seq_file calls this again with a larger buffer where the first is too small. */
	for (i = 0; i < OBJECTS; i++)
		put_back(i);
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
	drop_devices();
}

module_init(lt_area_init);
module_exit(lt_area_exit);
MODULE_DESCRIPTION("vmalloc areas, per-CPU memory and coherent memory that are known");
MODULE_LICENSE("GPL");

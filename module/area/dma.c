// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on coherent memory of devices: dma_alloc_coherent() and its kin, which are inline and
 * come to one pair of functions in all versions.
 *
 * Since 6.12 there are tracepoints, which do not pass the caller: functions are probed on all.
 */
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "area/area.h"
#include "core/write.h"

/* A call of dma_alloc_attrs(). The device is that of the caller, which holds it. */
struct dma_call {
	const struct device *dev;
	size_t size;
	gfp_t gfp;
	unsigned long call_site;
};

/* void *dma_alloc_attrs(dev, size, dma_addr_t *handle, gfp, attrs) */
static int dma_alloc_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct dma_call *d = (void *)ri->data;

	d->dev = (void *)lt_arg(regs, 0);
	d->size = lt_arg(regs, 1);
	d->gfp = (__force gfp_t)lt_arg(regs, 3);
	d->call_site = lt_return_address(regs);
	return 0;
}

NOKPROBE_SYMBOL(dma_alloc_entry);

/* Text of at most @size bytes, with zeros behind it where it is shorter. */
static void copy_device(char *to, size_t size, const struct device *dev)
{
	const char *name = dev ? dev_name(dev) : NULL;

	memset(to, 0, size);
	if (name)
		memcpy(to, name, strnlen(name, size));
}

NOKPROBE_SYMBOL(copy_device);

static int dma_alloc_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct dma_call *d = (void *)ri->data;
	unsigned long ptr = regs_return_value(regs), flags;
	struct lt_rec_DMA_ALLOC *rec;
	struct lt_channel_cpu *c;

	/* A request that fails makes no object, and no event. */
	if (!ptr)
		return 0;
	c = lt_enter(&lt_channel_area, LT_CLASS_DMA_ALLOC, &flags);
	if (!c)
		return 0;
	rec = lt_reserve(&lt_channel_area, c, LT_CLASS_DMA_ALLOC, LT_EV_DMA_ALLOC, sizeof(*rec));
	if (rec) {
		rec->ptr = ptr;
		rec->call_site = d->call_site;
		rec->gfp_flags = (__force u32)d->gfp;
		rec->bytes_req = d->size;
		rec->bytes_alloc = PAGE_ALIGN((u64)d->size);
		copy_device(rec->device, sizeof(rec->device), d->dev);
	}
	lt_leave(c, LT_CLASS_DMA_ALLOC, flags);
	return 0;
}

NOKPROBE_SYMBOL(dma_alloc_return);

struct kretprobe lt_rp_dma_alloc = {
	.entry_handler = dma_alloc_entry,
	.handler = dma_alloc_return,
	.data_size = sizeof(struct dma_call),
	/* As vmalloc: it may sleep. */
	.maxactive = 256,
};

/* void dma_free_attrs(dev, size, cpu_addr, handle, attrs); with no address it does nothing. */
static __always_inline void dma_free_entry(struct lt_entry *entry, unsigned long caller)
{
	unsigned long ptr = lt_entry_arg(entry, 2), flags;
	struct lt_rec_DMA_FREE *rec;
	struct lt_channel_cpu *c;

	if (!ptr)
		return;
	c = lt_enter(&lt_channel_area, LT_CLASS_DMA_FREE, &flags);
	if (!c)
		return;
	rec = lt_reserve(&lt_channel_area, c, LT_CLASS_DMA_FREE, LT_EV_DMA_FREE, sizeof(*rec));
	if (rec) {
		rec->ptr = ptr;
		rec->call_site = caller;
	}
	lt_leave(c, LT_CLASS_DMA_FREE, flags);
}

LT_CHECK_FUNCTION(dma_alloc_attrs, void *(struct device *, size_t, dma_addr_t *, gfp_t,
					  unsigned long));
LT_CHECK_FUNCTION(dma_free_attrs, void (struct device *, size_t, void *, dma_addr_t,
					unsigned long));
LT_FUNCTION_PROBE(lt_on_dma_free, dma_free_entry);

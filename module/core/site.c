// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of sites and tasks: which of them a CPU has announced in its open packet.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "core/context.h"
#include "core/site.h"

/**
 * lt_sites_alloc() - allocate the tables of sites and tasks, for every possible CPU
 * @ch: channel
 *
 * Context: process, sleeps; before any probe is attached.
 * Return: 0 or -ENOMEM.
 */
int lt_sites_alloc(struct lt_channel *ch)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct lt_channel_cpu *c = per_cpu_ptr(ch->cpu, cpu);
		int node = cpu_to_node(cpu);

		/* The node of a CPU that is not online yet may not be online, either. */
		if (node != NUMA_NO_NODE && !node_online(node))
			node = NUMA_NO_NODE;
		c->sites = kvzalloc_node(LT_SITES * sizeof(*c->sites) + LT_TASKS_BYTES, GFP_KERNEL,
					 node);
		if (!c->sites) {
			lt_sites_free(ch);
			return -ENOMEM;
		}
		c->tasks = (void *)(c->sites + LT_SITES);
		/* An entry that was never written must not be valid. */
		atomic_long_set(&c->stamp, 1);
	}
	return 0;
}

/* Context: process, after the last probe is gone. */
void lt_sites_free(struct lt_channel *ch)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct lt_channel_cpu *c = per_cpu_ptr(ch->cpu, cpu);

		kvfree(c->sites);
		c->sites = NULL;
		c->tasks = NULL;
	}
}

/**
 * lt_sites_new_packet() - forget what is announced: a packet decodes alone
 * @c: state of this CPU
 *
 * Context: on the CPU that writes.
 */
void lt_sites_new_packet(struct lt_channel_cpu *c)
{
	unsigned long stamp = atomic_long_inc_return(&c->stamp);

	/* 32 bits may wrap: an old entry must not have the new stamp. */
	if (unlikely(stamp < c->open_stamp) && c->sites) {
		memset(c->sites, 0, LT_SITES * sizeof(*c->sites));
		stamp = atomic_long_inc_return(&c->stamp);
	}
	c->open_stamp = stamp;
	memset(c->sizes, 0, sizeof(c->sizes));
	c->more_sizes = min_t(size_t, c->size >> LT_SIZES_SHIFT, LT_SITES / LT_SIZES_SHARE);
}

/**
 * lt_sites_admit() - may a size that a call site asks for get an entry in this packet?
 * @c: state of this CPU
 * @call_site: the caller
 *
 * A user who lets the sizes of one call site vary would otherwise fill the table, each
 * entry for one event. The places of all others would then be written in full until the
 * end of the packet, and those events themselves take more bytes with an announcement
 * (31) than in full (22). Real programs use some few sizes at a call site.
 *
 * Call sites that share a counter share its entries. Counts the entry if it is admitted.
 *
 * Context: on the CPU that writes.
 * Return: false: the event is to be written in full.
 */
bool lt_sites_admit(struct lt_channel_cpu *c, unsigned long call_site)
{
	u8 *sizes = &c->sizes[hash_long(call_site, LT_SIZES_BITS)];

	if (*sizes < LT_SIZES_EACH)
		(*sizes)++;
	else if (c->more_sizes)
		c->more_sizes--;
	else
		return false;
	return true;
}

/**
 * lt_sites_forget() - make all entries invalid, since the id of a cache has changed
 * @ch: channel
 *
 * The caller has removed the old id, so that it is not found any more. An allocation
 * from another cache at that address happens after this call, ordered by the
 * allocator's own locks, and so finds all entries invalid.
 *
 * Context: any.
 */
void lt_sites_forget(struct lt_channel *ch)
{
	unsigned int cpu;

	/*
	 * Pairs with smp_rmb() in write_object(): a CPU that still finds the old id
	 * has read the old stamp.
	 */
	smp_wmb();
	for_each_possible_cpu(cpu)
		atomic_long_inc(&per_cpu_ptr(ch->cpu, cpu)->stamp);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of sites: where a CPU keeps what it has told in its packet.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "kmem/object.h"

/**
 * lt_sites_alloc() - the tables of sites, for every CPU that may come
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

		/* That of a CPU that is yet to come may not be there, either. */
		if (node != NUMA_NO_NODE && !node_online(node))
			node = NUMA_NO_NODE;
		c->sites = kvzalloc_node(LT_SITES * sizeof(*c->sites), GFP_KERNEL, node);
		if (!c->sites) {
			lt_sites_free(ch);
			return -ENOMEM;
		}
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
	}
}

/* A packet decodes alone: all is told again. Context: on the CPU that writes. */
void lt_sites_new_packet(struct lt_channel_cpu *c)
{
	unsigned long stamp = atomic_long_inc_return(&c->stamp);

	/* Of 32 bits all values may come to be used up, and old ones valid again. */
	if (unlikely(stamp < c->told) && c->sites) {
		memset(c->sites, 0, LT_SITES * sizeof(*c->sites));
		stamp = atomic_long_inc_return(&c->stamp);
	}
	c->told = stamp;
}

/**
 * lt_sites_forget() - what an address of a cache means is about to change
 * @ch: channel
 *
 * The caller has seen to it that the old meaning is not found any more. Whoever
 * allocates from another cache at that address does so after this: the
 * allocator's own locks lie between. So he finds all entries invalid.
 *
 * Context: any.
 */
void lt_sites_forget(struct lt_channel *ch)
{
	unsigned int cpu;

	/*
	 * Pairs with the one in write_object(): who still finds the old meaning has
	 * read the old stamp.
	 */
	smp_wmb();
	for_each_possible_cpu(cpu)
		atomic_long_inc(&per_cpu_ptr(ch->cpu, cpu)->stamp);
}

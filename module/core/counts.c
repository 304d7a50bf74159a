// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the counters of a channel while its CPUs go on counting.
 */
#include "core/channel.h"

static u64 glance(const u64 *counter)
{
	/* Its CPU may count meanwhile: the value of some moment is enough. */
	return data_race(READ_ONCE(*counter));
}

/**
 * lt_channel_counts() - the loss counters of a CPU
 * @ch: channel
 * @cpu: possible CPU
 * @counts: LT_N_CLASSES entries
 *
 * Exact when the CPU cannot write meanwhile: on that CPU with interrupts off,
 * or after the session stopped. An NMI in between cannot break the sum, since
 * each counter is read once. Otherwise each counter is of some moment during the call.
 */
void lt_channel_counts(struct lt_channel *ch, unsigned int cpu,
		       struct lt_class_counts *counts)
{
	struct lt_channel_cpu *c = per_cpu_ptr(ch->cpu, cpu);
	int i;

	for (i = 0; i < LT_N_CLASSES; i++) {
		u64 nmi = glance(&c->nmi[i]);
		u64 nested = glance(&c->nested[i]);
		u64 filtered = glance(&c->filtered[i]);

		counts[i].lost_full = glance(&c->full[i]);
		counts[i].lost_nobuf = glance(&c->nobuf[i]);
		counts[i].lost_nmi = nmi;
		counts[i].lost_nested = nested;
		counts[i].filtered = filtered;
		counts[i].seen = glance(&c->tried[i]) + nmi + nested + filtered;
	}
}

/**
 * lt_packet_end() - fill in what a packet's header has of its end
 * @ch: channel
 * @cpu: whose packet it is
 * @h: the header
 * @time: clock units, not before its last record
 * @content: bytes of the packet
 *
 * Context: any. The counts are exact as those of lt_channel_counts() are.
 */
void lt_packet_end(struct lt_channel *ch, unsigned int cpu, struct lt_packet_header *h, u64 time,
		   size_t content)
{
	int i;

	h->timestamp_end = time;
	h->content_bits = content * 8;
	h->packet_bits = content * 8;
	lt_channel_counts(ch, cpu, h->counts);
	for (i = 0; i < LT_N_CLASSES; i++)
		h->discarded += h->counts[i].lost_full + h->counts[i].lost_nmi +
				h->counts[i].lost_nested + h->counts[i].lost_nobuf;
}

/**
 * lt_channel_lost() - events lost so far, over all classes and CPUs
 * @ch: channel
 *
 * Context: any. Each counter is of some moment during the call.
 */
u64 lt_channel_lost(struct lt_channel *ch)
{
	unsigned int cpu, i;
	u64 lost = 0;

	for_each_possible_cpu(cpu) {
		struct lt_channel_cpu *c = per_cpu_ptr(ch->cpu, cpu);

		for (i = 0; i < LT_N_CLASSES; i++)
			lost += glance(&c->full[i]) + glance(&c->nobuf[i]) +
				glance(&c->nested[i]) + glance(&c->nmi[i]);
	}
	return lost;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The sample of addresses, changed while probes run.
 *
 * The two samples are nested: one has all addresses of the other. What both have is recorded at
 * any time, whatever a probe on another CPU sees of the change. A reader takes the events at the
 * addresses that only one of them has up to the time of the record, or from it on:
 *
 * - A smaller one: first the record, then the change. An event with an earlier time was decided by
 *   the old sample: a probe that sees the new one reads the clock after the record was written.
 *   Events with a later time may be missing, and the reader leaves out those that are not.
 * - A larger one: first the change, then a wait for all probes that may have seen the old one, then
 *   the record. An event with a later time was decided by the new sample. Events with an earlier
 *   time may be missing, and the reader leaves out those that are not.
 *
 * A probe that waits for no grace period, on a function, cannot make a life too long: what it frees
 * was born before it ran, so by the older sample, and without a record.
 */
#include "kmem/kmem.h"

static int write_record(unsigned int one_in, unsigned int before)
{
	struct lt_rec_SAMPLE *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	c = lt_enter(&lt_channel_kmem, LT_CLASS_MARKER, &flags);
	if (!c)
		return -ENOSPC;
	rec = lt_reserve(&lt_channel_kmem, c, LT_CLASS_MARKER, LT_EV_SAMPLE, sizeof(*rec));
	if (rec) {
		rec->one_in = one_in;
		rec->before = before;
	}
	lt_leave(c, LT_CLASS_MARKER, flags);
	return rec ? 0 : -ENOSPC;
}

/**
 * lt_kmem_resample() - change the sample of addresses, and write a record of it
 * @one_in: keep one address in so many; 1: all
 *
 * Context: process, sleeps; recording, with sample_changes; under the session's lock.
 * Return: 0; -ENOSPC: the buffer is full, and nothing has changed.
 */
int lt_kmem_resample(unsigned int one_in)
{
	unsigned int before = lt_sample_one_in;
	int err;

	if (one_in == before)
		return 0;
	if (one_in > before) {
		err = write_record(one_in, before);
		if (err)
			return err;
		/* No CPU sees the new sample before the record has its time. */
		smp_mb();
		lt_set_sample(one_in);
		return 0;
	}
	lt_set_sample(one_in);
	/* After it each event was decided by the new sample. */
	lt_probes_wait();
	err = write_record(one_in, before);
	if (err)
		lt_set_sample(before);
	return err;
}

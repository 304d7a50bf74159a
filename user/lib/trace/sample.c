// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The sample of addresses of a trace.
 */
#include "trace/internal.h"
#include "trace/narrow.h"
#include "trace/pass.h"

static bool is_change(void *arg, const struct lt_event_desc *d)
{
	(void)arg;
	return d->event == LT_EV_SAMPLE;
}

static int pass_over(void *arg, const struct lt_event *ev)
{
	(void)arg;
	(void)ev;
	return 0;
}

/* The records are taken where they are read, see lt_entities_record(). */
static void search(struct lt_trace *known, const char *path)
{
	struct lt_trace *t = lt_trace_open_mute(path);

	if (!t)
		return;
	lt_trace_narrow(t, &(struct lt_narrow){ .to = UINT64_MAX, .wants = is_change });
	lt_trace_pass(t, &(struct lt_pass){ .event = pass_over });
	for (size_t i = 0; i < t->sample.n; i++)
		lt_sample_change(known, t->sample.periods[i].one_in, t->sample.periods[i].time);
	lt_trace_close(t);
}

unsigned int lt_trace_sample(const struct lt_trace *t)
{
	struct lt_trace *known = (struct lt_trace *)(uintptr_t)t;
	uint64_t begin;

	if (!t->sample.known) {
		known->sample.known = true;
		known->sample.narrow = lt_sample_option(t, "size_long", 8) < 8;
		known->sample.page_shift = lt_trace_page_shift(t);
		begin = lt_sample_option(t, "sample", 1);
		known->sample.begin = begin && begin <= UINT32_MAX ? (unsigned int)begin : 1;
		lt_sample_take(known, begin);
		if (t->file && lt_trace_sample_changes(t))
			search(known, t->file->path);
	}
	return t->sample.most ? t->sample.most : 1;
}

bool lt_trace_sample_shrank(const struct lt_trace *t)
{
	uint64_t before = lt_sample_option(t, "sample", 1);

	return lt_trace_sample(t) > (before ? before : 1);
}

/* hash_64(addr >> 3, 32) of the kernel: on machines of 32 bits it is another one. */
static uint32_t hash(const struct lt_trace *t, uint64_t addr)
{
	if (!t->sample.narrow)
		return (uint32_t)((addr >> 3) * 0x61c8864680b583ebULL >> 32);
	addr >>= 3;
	return ((uint32_t)addr ^ (uint32_t)(addr >> 32) * 0x61c88647U) * 0x61c88647U;
}

static unsigned int one_in_of(const struct lt_trace *t, size_t period)
{
	return period ? t->sample.periods[period - 1].one_in : t->sample.begin;
}

size_t lt_trace_sample_period(const struct lt_trace *t, uint64_t time)
{
	size_t low = 0, high = t->sample.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->sample.periods[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	/* Events at the time of a larger sample may have been decided by the one before. */
	if (low && t->sample.periods[low - 1].time == time &&
	    one_in_of(t, low) < one_in_of(t, low - 1))
		low--;
	return low;
}

uint64_t lt_trace_sample_until(const struct lt_trace *t, size_t period)
{
	return period < t->sample.n ? t->sample.periods[period].time : UINT64_MAX;
}

unsigned int lt_trace_sample_over(const struct lt_trace *t, size_t from, size_t to)
{
	unsigned int most = one_in_of(t, from);

	for (size_t i = from + 1; i <= to; i++) {
		unsigned int one_in = one_in_of(t, i);

		most = one_in > most ? one_in : most;
	}
	return most;
}

bool lt_trace_sample_has(const struct lt_trace *t, enum lt_space space, uint64_t ptr,
			 unsigned int one_in)
{
	if (one_in <= 1 || (space != LT_SPACE_SLAB && space != LT_SPACE_PAGE))
		return true;
	return hash(t, space == LT_SPACE_PAGE ? ptr << t->sample.page_shift : ptr) <
	       UINT32_MAX / one_in;
}

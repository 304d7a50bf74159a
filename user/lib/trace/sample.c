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
static unsigned int search(const char *path)
{
	struct lt_trace *t = lt_trace_open_mute(path);
	unsigned int most = 1;

	if (!t)
		return 1;
	lt_trace_narrow(t, &(struct lt_narrow){ .to = UINT64_MAX, .wants = is_change });
	lt_trace_pass(t, &(struct lt_pass){ .event = pass_over });
	most = t->sample.most;
	lt_trace_close(t);
	return most;
}

unsigned int lt_trace_sample(const struct lt_trace *t)
{
	struct lt_trace *known = (struct lt_trace *)(uintptr_t)t;

	if (!t->sample.known) {
		known->sample.known = true;
		known->sample.narrow = lt_sample_option(t, "size_long", 8) < 8;
		known->sample.page_shift = lt_trace_page_shift(t);
		lt_sample_take(known, lt_sample_option(t, "sample", 1));
		if (t->file && lt_trace_sample_changes(t))
			lt_sample_take(known, search(t->file->path));
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

bool lt_trace_sample_has(const struct lt_trace *t, enum lt_space space, uint64_t ptr)
{
	unsigned int one_in = lt_trace_sample(t);

	if (one_in <= 1 || (space != LT_SPACE_SLAB && space != LT_SPACE_PAGE))
		return true;
	return hash(t, space == LT_SPACE_PAGE ? ptr << t->sample.page_shift : ptr) <
	       UINT32_MAX / one_in;
}

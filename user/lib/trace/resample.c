// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Changes of the sample of addresses, as they are read.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "trace/internal.h"

uint64_t lt_sample_option(const struct lt_trace *t, const char *key, uint64_t otherwise)
{
	const char *value = lt_trace_info(t, key);
	uint64_t n;

	return value && lt_number(value, 10, &n) ? n : otherwise;
}

bool lt_trace_sample_changes(const struct lt_trace *t)
{
	return lt_sample_option(t, "sample_changes", 0);
}

void lt_sample_take(struct lt_trace *t, uint64_t one_in)
{
	if (one_in > t->sample.most && one_in <= UINT32_MAX)
		t->sample.most = (unsigned int)one_in;
}

/* A change that is known already, since the file was searched, stays one. */
void lt_sample_change(struct lt_trace *t, uint64_t one_in, uint64_t time)
{
	struct lt_sample *s = &t->sample;
	size_t at = s->n;

	if (!lt_trace_sample_changes(t) || !one_in || one_in > UINT32_MAX)
		return;
	lt_sample_take(t, one_in);
	while (at && s->periods[at - 1].time > time)
		at--;
	if (at && s->periods[at - 1].time == time && s->periods[at - 1].one_in == one_in)
		return;
	s->periods = lt_grow(s->periods, &s->cap, s->n, sizeof(*s->periods));
	memmove(s->periods + at + 1, s->periods + at, (s->n++ - at) * sizeof(*s->periods));
	s->periods[at] = (struct lt_sample_period){ .time = time, .one_in = (unsigned int)one_in };
}

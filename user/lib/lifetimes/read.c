// SPDX-License-Identifier: GPL-2.0
/*
 * All lifetimes of a trace, for those who need nothing else of it.
 */
#include "lifetimes/read.h"
#include "lifetimes/carry.h"

#define LOOK_AHEAD	32	/* events */

int lt_lifetimes_read(struct lt_trace *t, const struct lt_lifetime_ops *ops)
{
	uint64_t gap_end[LT_N_MEMORY] = { 0 }, end = lt_trace_end(t);
	struct lt_event evs[LOOK_AHEAD];
	struct lt_lifetime_config config;
	struct lt_lifetimes *lf;
	size_t n;
	int ret;

	lt_lifetime_config_init(&config, t);
	lf = lt_lifetimes_new(&config, ops);
	lt_lifetimes_restore(lf, t);
	do {
		ret = lt_trace_next_some(t, evs, LOOK_AHEAD, &n);
		lt_lifetimes_prefetch(lf, evs, n);
		for (size_t i = 0; i < n; i++) {
			if (evs[i].time <= end)
				lt_lifetimes_event(lf, &evs[i],
						   lt_trace_gap_end(t, lt_event_space(&evs[i])));
		}
	} while (ret > 0);
	for (int i = LT_SPACE_SLAB; i < LT_N_MEMORY; i++)
		gap_end[i] = lt_trace_gap_end(t, (enum lt_space)i);
	lt_lifetimes_finish(lf, end, gap_end);
	lt_lifetimes_free(lf);
	return ret;
}

const char *lt_lifetime_cache_name(const struct lt_trace *t, const struct lt_kmalloc *k,
				   const struct lt_lifetime *l, char *buf, size_t size)
{
	const struct lt_cache *cache = lt_trace_cache(t, l->cache);
	uint64_t key;

	if (l->cache && cache && cache->name[0])
		return cache->name;
	key = lt_cache_key(k, l->kind, l->cache, l->bytes_req, l->bytes_alloc, l->gfp);
	return key ? lt_cache_key_name(t, key, buf, size) : NULL;
}

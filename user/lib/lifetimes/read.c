// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The lifetimes of a trace: its events are paired.
 */
#include "lifetimes/read.h"
#include "lifetimes/carry.h"
#include "trace/pass.h"

struct pairing {
	const struct lt_lifetime_pass *pass;
	struct lt_trace *t;
	struct lt_lifetimes *lf;
	uint64_t end;
};

static int pair(const struct pairing *p, const struct lt_event *evs, size_t n)
{
	int (*event)(void *arg, const struct lt_event *ev) = p->pass->event;
	const bool *stop = p->pass->stop;
	const uint64_t end = p->end;
	const uint64_t *gap_end = lt_trace_gap_table(p->t);
	struct lt_lifetimes *lf = p->lf;

	for (const struct lt_event *ev = evs; ev < evs + n; ev++) {
		int ret = event ? event(p->pass->ops.arg, ev) : 0;

		if (ret)
			return ret;
		if (ev->time <= end)
			lt_lifetimes_event(lf, ev, gap_end[lt_event_space(ev)]);
	}
	return stop && *stop ? -1 : 0;
}

static int take(void *arg, const struct lt_event *ev)
{
	return pair(arg, ev, 1);
}

static int take_some(void *arg, const struct lt_event *evs, size_t n)
{
	const struct pairing *p = arg;

	lt_lifetimes_prefetch(p->lf, evs, n);
	return pair(p, evs, n);
}

int lt_lifetimes_take_plain(struct lt_lifetimes *lf, struct lt_trace *t,
			    const struct lt_plain_event *evs, size_t n,
			    int (*careful)(void *arg, const struct lt_event *ev), void *arg)
{
	const uint64_t *gap_end = lt_trace_gap_table(t);
	const bool all = evs[n - 1].time <= lt_trace_end(t);
	struct lt_objtable_place places[LT_PLAIN_MAX];
	int ret = 0;

	lt_lifetimes_prepare(lf, evs, n, places);
	for (size_t i = 0; i < n && !ret; i++) {
		struct lt_event ev;

		if (all)
			i += lt_lifetimes_plain(lf, evs + i, places + i, n - i,
						gap_end[LT_SPACE_SLAB]);
		if (i == n)
			break;
		lt_trace_whole_event(t, &evs[i], &ev);
		ret = careful(arg, &ev);
	}
	return ret;
}

/* Those that leave no doubt; the others one by one. */
static int take_plain(void *arg, const struct lt_plain_event *evs, size_t n)
{
	const struct pairing *p = arg;

	if (p->pass->plain)
		p->pass->plain(p->pass->ops.arg, evs, n);
	return lt_lifetimes_take_plain(p->lf, p->t, evs, n, take, arg);
}

int lt_lifetimes_pass(struct lt_trace *t, const struct lt_lifetime_pass *pass)
{
	struct pairing p = {
		.pass = pass, .t = t, .lf = lt_lifetimes_of(t, &pass->ops), .end = lt_trace_end(t),
	};
	const struct lt_pass events = {
		.event = take, .some = pass->bytes ? NULL : take_some,
		.plain = pass->bytes || (pass->event && !pass->plain) ? NULL : take_plain,
		.slow = true, .arg = &p,
	};
	int ret;

	if (pass->begin)
		pass->begin(pass->ops.arg, p.lf);
	lt_lifetimes_restore(p.lf, t);
	ret = lt_trace_pass(t, &events);
	if (!ret)
		lt_lifetimes_end(p.lf, t);
	if (pass->end)
		pass->end(pass->ops.arg);
	lt_lifetimes_free(p.lf);
	return ret;
}

void lt_lifetimes_read(struct lt_trace *t, const struct lt_lifetime_ops *ops)
{
	lt_lifetimes_pass(t, &(struct lt_lifetime_pass){ .ops = *ops });
}

void lt_lifetimes_end(struct lt_lifetimes *lf, const struct lt_trace *t)
{
	uint64_t gap_end[LT_N_MEMORY];

	lt_trace_gap_ends(t, gap_end);
	lt_lifetimes_finish(lf, lt_trace_end(t), gap_end);
}

const char *lt_lifetime_cache_name(const struct lt_trace *t, const struct lt_kmalloc *k,
				   const struct lt_lifetime *l, char *buf, size_t size)
{
	const struct lt_cache *cache = lt_trace_cache(t, l->cache);
	uint64_t key;

	if (l->cache && cache && cache->name[0])
		return cache->name;
	key = lt_lifetime_cache_key(k, l);
	return key ? lt_cache_key_name(t, key, buf, size) : NULL;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Columns of sums by minute. What a recording does not distinguish is an empty text.
 */
#include <string.h>

#include "lifetimes/read.h"
#include "rows/internal.h"
#include "rows/minute.h"

static const char *comm(struct lt_minute_ctx *c, const struct lt_minute_key *k)
{
	const char *name;
	size_t len;

	if (!k->comm)
		return "";
	name = lt_names_get(&c->minutes->names, k->comm, &len);
	len = len < sizeof(c->text) ? len : sizeof(c->text) - 1;
	memcpy(c->text, name, len);
	c->text[len] = 0;
	return c->text;
}

static const char *cgroup(struct lt_minute_ctx *c, const struct lt_minute_key *k)
{
	return k->cgroup ? lt_cgroups_label(c->cgroups, k->cgroup, c->text, sizeof(c->text)) : "";
}

static void put_cache(struct lt_value *v, const struct lt_minute_ctx *c,
		      const struct lt_minute_row *r)
{
	if (r->key.cache)
		lt_value_u(v, LT_VALUE_CACHE, r->key.cache);
	else
		lt_value_str(v, LT_VALUE_TEXT, c->minutes->opts.cache ? "(unknown)" : "");
}

static void put_site(struct lt_value *v, const struct lt_minute_ctx *c,
		     const struct lt_minute_row *r, enum lt_value_type type)
{
	if (c->minutes->opts.site)
		lt_value_u(v, type, r->key.site);
	else
		lt_value_str(v, LT_VALUE_TEXT, "");
}

#define GETTER(id, name, TYPE, marks, known, value, meaning)			\
	LT_ROW_GETTER(id, struct lt_minute_row, r, struct lt_minute_ctx, c, TYPE, known, value)

/* These are empty where rows are not distinguished by them. */
#undef LT_ROW_SET_CACHE
#undef LT_ROW_SET_SITE
#undef LT_ROW_SET_FUNCTION
#define LT_ROW_SET_CACHE(v, x)		put_cache(v, c, x)
#define LT_ROW_SET_SITE(v, x)		put_site(v, c, x, LT_VALUE_SITE)
#define LT_ROW_SET_FUNCTION(v, x)	put_site(v, c, x, LT_VALUE_FUNCTION)

#define MINUTE(C)	\
	C(space, "space", TEXT, F, true, lt_space_words(r->key.space)->name, "kind of memory")	\
	C(cache, "cache", CACHE, F, true, r, "cache, or device")	\
	C(site, "site", SITE, F, true, r, "call site of the births")	\
	C(function, "function", FUNCTION, F, true, r, "its function")	\
	C(comm, "comm", NAME, F, true, comm(c, &r->key), "name of the task that allocated")	\
	C(context, "context", TEXT, F, true, c->minutes->opts.task ? lt_context_name(r->key.context) : "", \
	  "task, or an interrupt")	\
	C(cgroup, "cgroup", NAME, F, true, cgroup(c, &r->key), "cgroup of the task")	\
	C(recorder, "recorder", COUNT, F, true, r->key.recorder, "lifetrace itself made them")	\
	C(allocations, "allocations", COUNT, F, true, r->births, "allocated in the minute")	\
	C(bytes, "bytes", BYTES, F, true, r->bytes, "bytes of these")	\
	C(slack, "slack_bytes", BYTES, F, true, r->waste, "bytes given and not requested")	\
	C(exact, "exact", COUNT, F, true, r->exact, "ended in the minute, with an exact lifetime")	\
	C(bounded, "bounded", COUNT, F, true, r->bounded, "ended in the minute at the latest")	\
	C(uncertain, "uncertain", COUNT, F, true, r->uncertain, "ended in the minute, with an uncertain lifetime") \
	C(ended, "ended_bytes", BYTES, F, true, r->ended_bytes, "bytes of all that ended")	\
	C(before, "before", COUNT, F, true, r->before, "ended, and made before the trace")	\
	C(ns, "lifetime_ns", NS, F, true, r->exact_ns, "sum of the exact lifetimes")	\
	C(log2, "lifetime_log2", COUNTS, F, true, LT_ROW_BOTH(r->powers, r->n_powers), \
	  "how many of them were of 2^n ns and more")	\
	C(alive, "alive", COUNT, F, true, r->open, "allocated in the minute, and alive at the end")	\
	C(alive_bytes, "alive_bytes", BYTES, F, true, r->open_bytes, "bytes of these")	\
	C(maybe, "maybe_alive", COUNT, F, true, r->maybe, "the same, unless their end was not seen")	\
	C(maybe_bytes, "maybe_alive_bytes", BYTES, F, true, r->maybe_bytes, "bytes of these")	\
	C(lost, "lost", COUNT, F, true, c->lost, "events that were lost in the minute")	\
	C(gaps, "gaps", COUNT, F, true, c->gaps, "intervals of a CPU in which some were")	\
	C(unwatched, "not_watched", TEXT, F, true, c->unwatched[r->key.space], \
	  "events that bear on lifetimes and were not watched")	\
	C(sample, "sample", COUNT, F, true, c->sample, "objects at one address in so many were recorded")	\
	C(min_size, "min_size", BYTES, F, true, c->min_size, "and of so many bytes at least")

MINUTE(GETTER)

static const struct lt_column minute_columns[] = { MINUTE(LT_ROW_COLUMN) };

LT_ROW_KIND(minute, "site_minute", "the sum of a minute, call site, cache, task name, context and cgroup");

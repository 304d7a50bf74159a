// SPDX-License-Identifier: GPL-2.0
/*
 * Perfetto: the longest lifetimes of each cache, as slices.
 *
 * Slices of one track must lie within each other or apart: else the reader swaps their ends without
 * a word. So a cache has lanes, and a lifetime lies on the first lane that is free at its birth.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/mem.h"
#include "export/perfetto/perfetto.h"

#define MOST		100	/* of each cache: ended, and as many that are alive */
#define MOST_CACHES	1024	/* further ones have no slices */

enum { ENDED, ALIVE };

/* A lifetime in a heap: the shortest one is the first. */
struct place {
	uint64_t ns;
	uint64_t birth;
	uint32_t slot;
};

/**
 * struct pile - the longest lifetimes of a cache that have ended, or that are alive
 * @heap: by length
 * @lives: the lifetimes, by slot; NULL: none yet
 * @n: their number
 */
struct pile {
	struct place heap[MOST];
	struct lt_lifetime *lives;
	unsigned int n;
};

/* Of a cache. */
struct lt_pf_kept {
	struct pile piles[2];
};

static bool is_shorter(const void *a, const void *b, const void *arg)
{
	const struct place *x = a, *y = b;

	(void)arg;
	if (x->ns != y->ns)
		return x->ns < y->ns;
	return x->birth > y->birth;
}

static void keep(struct pile *kept, const struct lt_lifetime *life)
{
	struct place place = { .ns = lt_lifetime_ns(life), .birth = life->birth.time };

	if (!kept->lives)
		kept->lives = lt_alloc_array(MOST, sizeof(*kept->lives));
	if (kept->n < MOST) {
		place.slot = kept->n;
		kept->heap[kept->n] = place;
		lt_heap_up(kept->heap, sizeof(place), kept->n++, is_shorter, NULL);
	} else {
		if (!is_shorter(&kept->heap[0], &place, NULL))
			return;
		place.slot = kept->heap[0].slot;
		kept->heap[0] = place;
		lt_heap_down(kept->heap, kept->n, sizeof(place), 0, is_shorter, NULL);
	}
	kept->lives[place.slot] = *life;
}

void lt_pf_long_add(struct lt_pf_long *l, uint32_t cache, const struct lt_lifetime *life)
{
	l->all++;
	if (cache >= MOST_CACHES)
		return;
	if (cache >= l->n)
		l->kept = lt_extend(l->kept, &l->n, cache + 1, sizeof(*l->kept));
	keep(&l->kept[cache].piles[life->ending == LT_END_ALIVE ? ALIVE : ENDED], life);
}

void lt_pf_long_destroy(struct lt_pf_long *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->kept[i].piles[ENDED].lives);
		free(l->kept[i].piles[ALIVE].lives);
	}
	free(l->kept);
}

/* ------------------------------------------------------------------------
 * Slices
 */

/* Who did it; @name: what they did. */
static void note_task(struct lt_pf_out *o, const char *name, const struct lt_moment *m)
{
	char text[64];

	if (!m->known)
		return;
	if (m->context != LT_CTX_TASK) {
		snprintf(text, sizeof(text), "interrupt (%s)", lt_context_name(m->context));
		lt_pf_note(o, name, text);
	} else if (m->task) {
		snprintf(text, sizeof(text), "%s (%u)", lt_task_comm_at(m->task, m->time),
			 m->task->tid);
		lt_pf_note(o, name, text);
	}
}

static void note_site(struct lt_pf_out *o, const struct lt_trace *t, const char *name,
		      uint64_t site)
{
	char text[256];

	if (site)
		lt_pf_note(o, name, lt_trace_symbol(t, site, true, text, sizeof(text)));
}

static void put_slice(struct lt_pf_out *o, const struct lt_profile *p, uint64_t lane,
		      const struct lt_lifetime *life)
{
	char text[256];
	const char *name = life->birth.call_site ?
		lt_trace_symbol(p->trace, life->birth.call_site, false, text, sizeof(text)) :
		"(unknown site)";

	note_site(o, p->trace, "site", life->birth.call_site);
	note_task(o, "task", &life->birth);
	lt_pf_note_number(o, "bytes", lt_lifetime_bytes(life));
	lt_pf_note(o, "certainty", lt_certainty_name(life->certainty));
	if (life->certainty != LT_EXACT && life->why < LT_N_WHYS)
		lt_pf_note(o, "why", lt_cause_text(life->why));
	if (life->ending != LT_END_ALIVE) {
		note_site(o, p->trace, "freed at", life->death.call_site);
		note_task(o, "freed by", &life->death);
	}
	lt_pf_event(o, LT_PF_BEGIN, lane, life->birth.time, name);
	/* Without an end the slice is drawn up to the end of the trace, as one that goes on. */
	if (life->ending != LT_END_ALIVE)
		lt_pf_event(o, LT_PF_END, lane, life->birth.time + lt_lifetime_ns(life), NULL);
}

static int by_birth(const void *a, const void *b)
{
	const struct lt_lifetime *x = a, *y = b;

	if (x->birth.time != y->birth.time)
		return x->birth.time < y->birth.time ? -1 : 1;
	if (lt_lifetime_ns(x) != lt_lifetime_ns(y))
		return lt_lifetime_ns(x) < lt_lifetime_ns(y) ? -1 : 1;
	return x->ptr < y->ptr ? -1 : x->ptr > y->ptr;
}

const char *lt_pf_cache_name(const struct lt_profile *p, uint64_t key, char *buf, size_t size)
{
	enum lt_space space = p->report->opts.space;

	if (!lt_space_has_caches(space))
		return lt_space_words(space)->objects;
	return key ? lt_cache_key_name(p->report->trace, key, buf, size) : "(unknown)";
}

static void put_lane(struct lt_pf_out *o, uint64_t id, uint64_t parent, size_t number)
{
	struct lt_pf_track track = {
		.id = id, .parent = parent, .name = "lane", .rank = (uint32_t)number + 1,
	};

	lt_pf_track(o, &track);
}

/* The slices of a cache, on lanes of their own. Return: the number of the next lane. */
static size_t put_cache(struct lt_pf_long *l, struct lt_pf_out *o, const struct lt_profile *p,
			uint32_t cache, size_t first)
{
	const struct pile *kept = l->kept[cache].piles;
	uint64_t parent = LT_PF_TRACK(LT_PF_LONG, cache);
	struct lt_pf_lanes lanes = { .n = 0 };
	struct lt_lifetime *lives = lt_alloc_array((size_t)2 * MOST, sizeof(*lives));
	size_t n = 0;

	for (int kind = ENDED; kind <= ALIVE; kind++) {
		if (kept[kind].n)
			memcpy(lives + n, kept[kind].lives, kept[kind].n * sizeof(*lives));
		n += kept[kind].n;
	}
	qsort(lives, n, sizeof(*lives), by_birth);
	for (size_t i = 0; i < n; i++) {
		bool alive = lives[i].ending == LT_END_ALIVE;
		size_t known = lanes.n, lane;
		uint64_t id;

		lane = lt_pf_lane(&lanes, lives[i].birth.time,
				  alive ? UINT64_MAX :
				  lives[i].birth.time + lt_lifetime_ns(&lives[i]));
		id = LT_PF_TRACK(LT_PF_LANE, first + lane);
		if (lanes.n != known)
			put_lane(o, id, parent, lane);
		put_slice(o, p, id, &lives[i]);
	}
	l->written += n;
	first += lanes.n;
	free(lanes.ends);
	free(lives);
	return first;
}

void lt_pf_long_write(struct lt_pf_long *l, struct lt_pf_out *o, const struct lt_profile *p,
		      const struct lt_intern *caches)
{
	struct lt_pf_track group = {
		.id = LT_PF_TRACK(LT_PF_ROOT, LT_PF_SLICES),
		.parent = LT_PF_TRACK(LT_PF_ROOT, LT_PF_MEMORY), .name = "Longest lifetimes",
		.rank = 4,
	};
	char buf[128], about[160];
	size_t lane = 1;

	for (uint32_t i = 0; i < l->n; i++) {
		uint64_t key = lt_intern_value(caches, i);
		struct lt_pf_track track = {
			.id = LT_PF_TRACK(LT_PF_LONG, i), .parent = group.id,
			.name = lt_pf_cache_name(p, key, buf, sizeof(buf)),
		};

		if (!l->kept[i].piles[ENDED].n && !l->kept[i].piles[ALIVE].n)
			continue;
		lt_pf_track(o, &track);
		lane = put_cache(l, o, p, i, lane);
	}
	snprintf(about, sizeof(about), "%llu of %llu lifetimes: of each cache the %d longest that "
		 "have ended, and as many that have not.", (unsigned long long)l->written,
		 (unsigned long long)l->all, MOST);
	group.about = about;
	lt_pf_track(o, &group);
}

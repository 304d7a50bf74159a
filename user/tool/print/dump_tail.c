// SPDX-License-Identifier: GPL-2.0
/*
 * The ends of lines that are alike.
 */
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/mem.h"
#include "format/record.h"
#include "print/dump.h"

#define TAILS	4096

/**
 * struct lt_dump_meaning - what the numbers of a tail meant when it was made
 * @code, @site: the call site, and what lt_trace_site() made of it
 * @id, @cache, @cache_name: the cache; NULL: not known
 */
struct lt_dump_meaning {
	uint64_t code;
	uint64_t site;
	uint64_t id;
	const struct lt_cache *cache;
	char cache_name[sizeof(((struct lt_cache *)NULL)->name)];
};

/* After so many lines of an event, tails of which most were new are given up. */
#define TRIAL	1024

void lt_dump_tails_init(struct lt_dump *d)
{
	lt_memo_init(&d->tails, TAILS);
	d->meanings = lt_alloc_array(TAILS, sizeof(*d->meanings));
}

void lt_dump_tails_destroy(struct lt_dump *d)
{
	lt_memo_destroy(&d->tails);
	free(d->meanings);
}

void lt_dump_plan_tail(const struct lt_dump *d, struct lt_dump_plan *plan,
		       const struct lt_event_desc *desc)
{
	uint32_t bytes;

	/* Lines of source have no limit here. */
	if (desc->n_fields < 2 || plan->n_simple < desc->n_fields || (d->json && d->lines))
		return;
	plan->tail_at = desc->fields[1].offset;
	bytes = desc->size - plan->tail_at;
	for (unsigned int i = 1; i < desc->n_fields; i++) {
		const struct lt_field *f = &desc->fields[i];
		const struct lt_field **one = f->kind == LT_KIND_CODE ? &plan->code :
					      f->kind == LT_KIND_CACHE ? &plan->cache : NULL;

		if (f->offset < plan->tail_at || (one && *one))
			return;
		if (one)
			*one = f;
	}
	if (bytes > 8 * LT_DUMP_TAIL_WORDS)
		return;
	plan->tail_words = (bytes + 7) / 8;
	plan->tail_mask = UINT64_MAX;
	if (bytes % 8)
		plan->tail_mask = lt_get64(&(uint64_t){ (1ULL << 8 * (bytes % 8)) - 1 }, false);
}

static inline struct lt_memo_text *tail_of(const struct lt_dump *d, const struct lt_dump_plan *plan,
					   const uint8_t *payload)
{
	const uint8_t *from = payload + plan->tail_at;
	uint64_t words[1 + LT_DUMP_TAIL_WORDS], last;
	unsigned int i;

	/* The payload has LT_SLACK bytes behind it. */
	for (i = 0; i + 1 < plan->tail_words; i++)
		memcpy(&words[i], from + 8 * (size_t)i, 8);
	memcpy(&last, from + 8 * (size_t)i, 8);
	words[i] = last & plan->tail_mask;
	words[i + 1] = (uintptr_t)plan;
	return lt_memo_find(&d->tails, words, i + 2);
}

/* All packets of a machine say the same of the bytes of a payload. */
static inline void check_packet(struct lt_dump *d, const struct lt_packet *p)
{
	if (d->text_base == p->text_base && d->ptr_base == p->ptr_base && d->big == p->big)
		return;
	lt_memo_clear(&d->tails);
	d->text_base = p->text_base;
	d->ptr_base = p->ptr_base;
	d->big = p->big;
}

static inline struct lt_dump_meaning *meaning_of(const struct lt_dump *d,
						 const struct lt_memo_text *tail)
{
	return &d->meanings[tail - d->tails.texts];
}

/* Whether the numbers still mean the same. */
static bool same_meaning(const struct lt_dump *d, const struct lt_dump_plan *plan,
			 const struct lt_dump_meaning *m, uint64_t time)
{
	const struct lt_cache *cache;

	if (plan->code && lt_trace_site(d->t, m->code) != m->site)
		return false;
	if (!plan->cache)
		return true;
	cache = lt_trace_cache_at(d->t, m->id, time);
	return cache == m->cache && (!cache || !strcmp(cache->name, m->cache_name));
}

/* Where nearly each event is another one, keeping them would only take time. */
static void judge(struct lt_dump_plan *plan)
{
	if (plan->misses > plan->hits)
		plan->tail_words = 0;
	plan->hits = 0;
	plan->misses = 0;
}

struct lt_memo_text *lt_dump_find_tail(struct lt_dump *d, struct lt_dump_plan *plan,
				       const struct lt_packet *p, const struct lt_event *ev)
{
	struct lt_memo_text *tail;

	if (!plan->tail_words)
		return NULL;
	check_packet(d, p);
	tail = tail_of(d, plan, ev->raw);
	if (tail->len && same_meaning(d, plan, meaning_of(d, tail), ev->time)) {
		plan->hits++;
		return tail;
	}
	tail->len = 0;
	if (++plan->misses >= TRIAL)
		judge(plan);
	return tail;
}

void lt_dump_keep_tail(struct lt_dump *d, const struct lt_dump_plan *plan,
		       const struct lt_packet *p, const struct lt_event *ev,
		       struct lt_memo_text *tail, const char *from, char *end)
{
	struct lt_dump_meaning *m = meaning_of(d, tail);

	lt_memo_keep(tail, from, end);
	if (plan->code) {
		m->code = lt_field_value(p, plan->code, ev->raw);
		m->site = lt_trace_site(d->t, m->code);
	}
	if (plan->cache) {
		m->id = lt_field_value(p, plan->cache, ev->raw);
		m->cache = lt_trace_cache_at(d->t, m->id, ev->time);
		if (m->cache)
			strcpy(m->cache_name, m->cache->name);
	}
}

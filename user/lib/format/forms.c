// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The forms of a trace: what all events of a call site have in common.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "format/forms.h"

void lt_forms_init(struct lt_forms *f)
{
	memset(f, 0, sizeof(*f));
	lt_map_init(&f->by_hash);
	f->seed = lt_hash_seed();
	/* Nothing has the number 0. */
	f->all = lt_grow(NULL, &f->cap, 0, sizeof(*f->all));
	memset(f->all, 0, sizeof(*f->all));
	f->n = 1;
}

void lt_forms_destroy(struct lt_forms *f)
{
	lt_map_destroy(&f->by_hash);
	free(f->all);
	lt_recall_destroy(&f->recall);
	memset(f, 0, sizeof(*f));
}

void lt_forms_stay(struct lt_forms *f)
{
	if (f->cap >= LT_MAX_FORMS)
		return;
	f->all = lt_realloc_array(f->all, LT_MAX_FORMS, sizeof(*f->all));
	f->cap = LT_MAX_FORMS;
}

uint16_t lt_forms_find_base(struct lt_forms *f, const struct lt_form_base *base)
{
	unsigned int i = 0;

	while (i < f->n_bases && (f->bases[i].text != base->text || f->bases[i].ptr != base->ptr ||
				  f->bases[i].channel != base->channel ||
				  f->bases[i].big != base->big))
		i++;
	if (i == LT_FORM_BASES)
		return LT_NO_BASE;
	f->bases[i] = *base;
	f->n_bases += i == f->n_bases;
	return (uint16_t)(i + 1);
}

/* The members of a form: a struct may have bytes between its members. */
struct key {
	uint64_t words[8];
};

static struct key key_of(const struct lt_event *ev)
{
	return (struct key){ {
		ev->call_site, ev->bytes_req, ev->bytes_alloc,
		(uint64_t)ev->gfp << 32 | (uint32_t)ev->node, (uint64_t)ev->cache << 32 | ev->stack,
		(uint64_t)ev->id << 16 | (uint64_t)ev->channel << 8 | ev->class,
		(uint64_t)ev->order << 16 | (uint64_t)ev->migratetype << 8 | ev->single,
		ev->raw_size,
	} };
}

static uint32_t hash_of(const struct key *key, uint64_t seed)
{
	uint64_t h = seed;

	for (size_t i = 0; i < sizeof(key->words) / sizeof(key->words[0]); i++)
		h = lt_hash64(h ^ key->words[i], seed);
	return (uint32_t)h;
}

uint32_t lt_forms_number(struct lt_forms *f, const struct lt_event *ev, size_t most)
{
	const struct key key = key_of(ev);
	uint32_t hash = hash_of(&key, f->seed), number;
	struct lt_event *form;

	lt_map_for_each(number, at, &f->by_hash, hash) {
		const struct key other = key_of(&f->all[number]);

		if (!memcmp(&key, &other, sizeof(key)))
			return number;
	}
	if (f->n >= most)
		return 0;
	/* Not written where it stays: another thread may read it. */
	if (f->n == f->cap)
		f->all = lt_grow(f->all, &f->cap, f->n, sizeof(*f->all));
	form = &f->all[f->n];
	*form = *ev;
	form->time = form->seq = form->ptr = 0;
	form->task = NULL;
	form->raw = NULL;
	form->cpu = 0;
	form->context = 0;
	lt_map_add(&f->by_hash, hash, (uint32_t)f->n);
	return (uint32_t)f->n++;
}

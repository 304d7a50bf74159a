/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What events of a form mean, and which callbacks get objects. For plain.c.
 */
#ifndef LT_LIFETIMES_PLAIN_FORMS_H
#define LT_LIFETIMES_PLAIN_FORMS_H

#include "base/mem.h"
#include "lifetimes/internal.h"
#include "lifetimes/objtable_internal.h"
#include "trace/pass.h"

enum act { CAREFUL, BIRTH, FREE, NOTHING };

/* Which callbacks get objects with the same traits. */
enum way { NOT_ASKED, STEPS, UNSURE_STEPS, OTHERS, UNSIZED };

/**
 * struct lt_form_meaning - what an event of a form means
 * @stamp: as long as stamp_now() is this; 0: nothing is known
 * @traits: of a birth: the number of its traits
 * @site: of a free: the number of its call site, once an object has ended there (@numbered)
 * @act: enum act
 * @way: of a birth: enum way
 * @ending: of a free
 */
struct lt_form_meaning {
	uint64_t stamp;
	uint32_t traits;
	uint32_t site;
	uint8_t act;
	uint8_t way;
	uint8_t ending;
	bool numbered;
};

/* Caches may be described anew, and traits get other numbers. */
static inline uint64_t stamp_now(const struct lt_lifetimes *lf)
{
	return (uint64_t)lf->live[LT_SPACE_SLAB].renewals << 32 |
	       (uint32_t)(lt_trace_cache_changes(lf->trace) + 1);
}

/* way_of() of traits that were not asked for before. */
enum way lt_plain_ask(struct lt_lifetimes *lf, uint32_t number);

static inline enum way way_of(struct lt_lifetimes *lf, uint32_t number)
{
	if (number < lf->n_plain_ways && lf->plain_ways[number])
		return (enum way)lf->plain_ways[number];
	return lt_plain_ask(lf, number);
}

/* Finds out what the events of the form of @plain mean. */
void lt_plain_look(struct lt_lifetimes *lf, const struct lt_plain_event *plain,
		   struct lt_form_meaning *m);

static inline struct lt_form_meaning *meaning_of(struct lt_lifetimes *lf, uint64_t stamp,
						 const struct lt_plain_event *ev)
{
	struct lt_form_meaning *m;

	if (ev->form >= lf->n_forms)
		lf->forms = lt_extend(lf->forms, &lf->n_forms, (size_t)ev->form * 2 + 1,
				      sizeof(*lf->forms));
	m = &lf->forms[ev->form];
	if (m->stamp != stamp)
		lt_plain_look(lf, ev, m);
	return m;
}

#endif /* LT_LIFETIMES_PLAIN_FORMS_H */

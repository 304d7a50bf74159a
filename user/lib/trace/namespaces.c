// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Numbers of pid namespaces whose ids are used again.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "trace/namespaces.h"

#define NO_NUMBER	UINT32_MAX	/* all were given */

/**
 * struct lt_ns_id - the namespace that an id means
 * @later: its number; 0: the id
 */
struct lt_ns_id {
	struct lt_ns_identity is;
	uint32_t later;
	bool announced;
	bool gone;
};

void lt_ns_numbers_destroy(struct lt_ns_numbers *n)
{
	free(n->ids);
}

uint32_t lt_ns_number_now(const struct lt_ns_numbers *n, uint16_t id)
{
	uint32_t later = id < n->n_ids ? n->ids[id].later : 0;

	return later == NO_NUMBER ? 0 : later ? later : id;
}

static struct lt_ns_id *get_id(struct lt_ns_numbers *n, uint16_t id)
{
	if (id >= n->n_ids)
		n->ids = lt_extend(n->ids, &n->n_ids, id + 1U, sizeof(*n->ids));
	return &n->ids[id];
}

static bool is_another(const struct lt_ns_id *x, const struct lt_ns_identity *as)
{
	return x->gone || (x->announced && (x->is.inum != as->inum || x->is.ns_id != as->ns_id ||
					    x->is.level != as->level));
}

void lt_ns_number_announce(struct lt_ns_numbers *n, uint16_t id, const struct lt_ns_identity *as)
{
	struct lt_ns_id *x;

	if (!id)
		return;
	x = get_id(n, id);
	if (is_another(x, as))
		x->later = n->n_later < LT_MOST_LATER_NS ? LT_FIRST_LATER_NS + n->n_later++ :
							   NO_NUMBER;
	x->is = *as;
	x->announced = true;
	x->gone = false;
}

void lt_ns_number_gone(struct lt_ns_numbers *n, uint16_t id)
{
	if (id)
		get_id(n, id)->gone = true;
}

const struct lt_ns_identity *lt_ns_identity_now(const struct lt_ns_numbers *n, uint16_t id)
{
	return id < n->n_ids && n->ids[id].announced ? &n->ids[id].is : NULL;
}

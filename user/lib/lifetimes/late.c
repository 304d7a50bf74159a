// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses of which a free may still come, late.
 *
 * Where kmem_cache_free is traced after the release (late_free), an object whose
 * free was not seen until its address was born again may yet be freed, on paper: by
 * then its address may have had several holders, each made and freed by one task and
 * so beyond doubt. Who holds it when that free comes must not be ended by it. So what
 * is remembered is remembered of the address, and not of the objects that come and go.
 *
 * Once events were lost, or when some are left out by a filter, an unseen holder may
 * have been at every address: then whoever is born has OBJ_LATE anyway, see
 * lt_late_flag(), and nothing needs to be kept.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lifetimes/internal.h"

void lt_late_mark(struct lt_lifetimes *lf, uint64_t ptr, uint64_t since)
{
	struct late_queue *q = &lf->late_queue;
	struct lt_obj mark;

	if (lt_may_be_unseen(lf))
		return;
	if (q->n == q->size) {
		size_t size = q->size ? q->size * 2 : 64;
		struct late *ring = lt_alloc_array(size, sizeof(*ring));

		for (size_t i = 0; i < q->n; i++)
			ring[i] = q->ring[(q->head + i) & (q->size - 1)];
		free(q->ring);
		q->ring = ring;
		q->size = size;
		q->head = 0;
	}
	q->ring[(q->head + q->n++) & (q->size - 1)] = (struct late){ ptr, since };

	if (lt_objtable_find(&lf->late, ptr, &mark)) {
		mark.time = since;
		lt_objtable_put(&lf->late, &mark);
		return;
	}
	memset(&mark, 0, sizeof(mark));
	mark.ptr = ptr;
	mark.time = since;
	lt_objtable_add(&lf->late, &mark);
}

bool lt_late_is_marked(const struct lt_lifetimes *lf, uint64_t ptr)
{
	struct lt_obj mark;

	return lf->late.n && lt_objtable_find(&lf->late, ptr, &mark);
}

uint8_t lt_late_flag(const struct lt_lifetimes *lf, enum lt_space space, uint64_t ptr)
{
	return lf->config.late_free && space == LT_SPACE_SLAB &&
	       (lt_may_be_unseen(lf) || lt_late_is_marked(lf, ptr)) ? OBJ_LATE : 0;
}

void lt_late_expire(struct lt_lifetimes *lf, uint64_t now)
{
	struct late_queue *q = &lf->late_queue;

	while (q->n) {
		const struct late *head = &q->ring[q->head];
		struct lt_obj mark;

		if (now - head->since <= LATE_NS)
			return;
		/* Else it was marked again since. */
		if (lt_objtable_find(&lf->late, head->ptr, &mark) && mark.time == head->since)
			lt_objtable_remove(&lf->late, &mark);
		q->head = (q->head + 1) & (q->size - 1);
		q->n--;
	}
}

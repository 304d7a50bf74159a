// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Marked addresses: a free of a former holder may still come, late.
 *
 * Where kmem_cache_free is traced after the release (config.late_free), the free of an
 * object may still be recorded although the address was born again before it. By then
 * the address may have had several holders, each made and freed by one task and so
 * beyond doubt. The holder at the time of that free must not be ended by it. So the
 * address is marked, and not the objects that come and go there.
 *
 * Once events were lost, or when some are left out by a filter, every address may have
 * had a holder of which nothing was seen: then every object that is born has LT_OBJ_LATE
 * anyway, and no address needs to be marked.
 */
#include <string.h>

#include "lifetimes/internal.h"

void lt_late_mark(struct lt_lifetimes *lf, uint64_t ptr, uint64_t since)
{
	struct lt_obj mark;

	if (lt_late_is_usual(lf))
		return;
	lt_ring_push(&lf->late_queue, ptr, since);
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

/* In the queue, of no address: what a trace does not carry of the time before it. */
#define ALL_ADDRESSES	UINT64_MAX

void lt_late_unseen(struct lt_lifetimes *lf, uint64_t since)
{
	lf->unseen = true;
	lt_ring_push(&lf->late_queue, ALL_ADDRESSES, since);
}

bool lt_late_is_expected(const struct lt_lifetimes *lf, uint64_t ptr)
{
	struct lt_obj mark;

	return lf->unseen || lt_late_is_usual(lf) ||
	       (lf->late.n && lt_objtable_find(&lf->late, ptr, &mark));
}

uint64_t lt_late_until(const struct lt_lifetimes *lf)
{
	uint64_t stamp = lt_ring_first(&lf->late_queue)->stamp;

	return stamp < UINT64_MAX - LT_LATE_NS ? stamp + LT_LATE_NS : UINT64_MAX;
}

void lt_late_expire(struct lt_lifetimes *lf, uint64_t now)
{
	while (lf->late_queue.n) {
		const struct lt_ring_entry *head = lt_ring_first(&lf->late_queue);
		struct lt_obj mark;

		/* What a trace carries is older than its begin, from which on all is unseen. */
		if (now < head->stamp || now - head->stamp <= LT_LATE_NS)
			return;
		if (head->what == ALL_ADDRESSES)
			lf->unseen = false;
		/* If the stamps differ, the address was marked again since. */
		if (lt_objtable_find(&lf->late, head->what, &mark) && mark.time == head->stamp)
			lt_objtable_remove(&lf->late, &mark);
		lt_ring_pop(&lf->late_queue);
	}
}

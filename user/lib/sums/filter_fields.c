// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What filters ask of an event that is no lifetime: see filter_fields.h.
 */
#include <stdio.h>

#include "format/record.h"
#include "sums/filter_fields.h"

bool lt_event_task(const struct lt_trace *t, const struct lt_event *ev, struct lt_task *task)
{
	const struct lt_event_desc *d = lt_trace_desc(t);
	const struct lt_packet *p = lt_trace_packet(t);
	const struct lt_field *tid = lt_schema_field(d, "tid"), *start, *name;

	if (!tid)
		return false;
	start = lt_schema_field(d, "start");
	name = lt_schema_field(d, "comm");
	*task = (struct lt_task){
		.tid = (uint32_t)lt_field_value(p, tid, ev->raw),
		.start = start ? lt_field_value(p, start, ev->raw) : 0,
	};
	if (name && name->type == LT_TYPE_CHARS)
		snprintf(task->comm, sizeof(task->comm), "%.*s", (int)name->size,
			 (const char *)ev->raw + name->offset);
	return true;
}

uint64_t lt_event_bytes(const struct lt_trace *t, const struct lt_event *ev)
{
	const struct lt_cache *cache;

	switch (ev->class) {
	case LT_CLASS_KMALLOC:
	case LT_CLASS_RESIZE:
	case LT_CLASS_VMALLOC:
	case LT_CLASS_VRESIZE:
	case LT_CLASS_PERCPU_ALLOC:
	case LT_CLASS_DMA_ALLOC:
		return ev->bytes_req;
	case LT_CLASS_CACHE_ALLOC:
	case LT_CLASS_BULK_ALLOC:
		cache = lt_trace_cache(t, ev->cache);
		return cache ? cache->object_size : 0;
	case LT_CLASS_PAGE_ALLOC:
	case LT_CLASS_PAGE_BULK:
		return 1ULL << (lt_trace_page_shift(t) + ev->order);
	default:
		return 0;
	}
}

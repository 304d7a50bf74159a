/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The task that the record describes which a stream is at, and what that says of it.
 */
#ifndef LT_TRACE_ENTITY_FIND_H
#define LT_TRACE_ENTITY_FIND_H

#include <string.h>

#include "base/hash.h"
#include "trace/internal.h"

static inline struct lt_task_entry *entry_at(const struct lt_entities *e, uint32_t number)
{
	return lt_pool_at(&e->tasks, number);
}

/* The seed is mixed in twice, so that nobody can choose identities that collide. */
static inline uint32_t hash(const struct lt_entities *e, const struct lt_task_id *id)
{
	uint64_t number = id->tid ? id->tid : (uint64_t)id->idle_cpu << 32;

	return (uint32_t)lt_hash64(lt_hash64(id->start, e->seed) + number, e->seed);
}

static inline struct lt_task *find_task(const struct lt_entities *e, const struct lt_task_id *id)
{
	uint32_t number;

	lt_map_for_each(number, at, &e->by_id, hash(e, id)) {
		struct lt_task_entry *entry = entry_at(e, number);

		if (entry->task.tid == id->tid && entry->task.start == id->start &&
		    entry->idle_cpu == id->idle_cpu)
			return &entry->task;
	}
	return NULL;
}

/* A field of the record that the stream is at. */
static inline uint64_t num(const struct lt_trace *t, const struct lt_stream *s,
			   enum lt_entity_field i)
{
	const struct lt_entity_fields *f = t->entities.fields[s->rec.desc->id];

	return f->f[i] ? lt_field_value(&s->packet, f->f[i], s->rec.payload) : 0;
}

static inline void copy_text(const struct lt_trace *t, const struct lt_stream *s,
			     enum lt_entity_field i, char *to, size_t size)
{
	const struct lt_field *f = t->entities.fields[s->rec.desc->id]->f[i];
	size_t n;

	/* All of it, so that names can be compared as a whole. */
	memset(to, 0, size);
	if (!f)
		return;
	n = f->size < size - 1 ? f->size : size - 1;
	n = strnlen((const char *)s->rec.payload + f->offset, n);
	memcpy(to, s->rec.payload + f->offset, n);
}

/* The task that the record describes; an idle task is that of the CPU of the record. */
static inline struct lt_task_id identity(const struct lt_trace *t, const struct lt_stream *s)
{
	struct lt_task_id id = {
		.start = num(t, s, LT_F_START), .tid = (uint32_t)num(t, s, LT_F_TID),
	};

	if (!id.tid)
		id.idle_cpu = s->cpu;
	return id;
}

#endif /* LT_TRACE_ENTITY_FIND_H */

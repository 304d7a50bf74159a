/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * caches.c: what the ids of slab caches mean, and when.
 */
#ifndef LT_TRACE_CACHES_H
#define LT_TRACE_CACHES_H

#include "trace/internal.h"

/* Takes the caches that the texts CACHES announce; that such a text announces. */
void lt_entities_texts(struct lt_trace *t);
void lt_entities_text(struct lt_trace *t, const char *text);
/* What an id means at a time. Reports one that is used for two caches at once. */
void lt_entities_set_cache(struct lt_trace *t, const struct lt_cache *new, uint64_t time);
/* The cache that an id means is about to be destroyed. */
void lt_entities_cache_gone(struct lt_trace *t, uint32_t id, uint64_t time);
/* The number of the cache that an id means at a time; 0: not known. */
uint32_t lt_entities_cache_at(struct lt_trace *t, uint32_t id, uint64_t time);

#endif /* LT_TRACE_CACHES_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * What the ids of slab caches mean: by their records, and by the text CACHES of a trace whose
 * oldest packets were overwritten.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "trace/internal.h"

void lt_entities_set_cache(struct lt_trace *t, const struct lt_cache *new)
{
	struct lt_entities *e = &t->entities;
	struct lt_cache *old;

	if (new->id >= e->n_caches)
		e->caches = lt_extend(e->caches, &e->n_caches, (size_t)new->id + 1,
				      sizeof(*e->caches));
	old = e->caches[new->id];
	if (old && (old->ptr != new->ptr || strcmp(old->name, new->name)) && !e->redefined) {
		e->redefined = true;
		lt_trace_note(t, LT_NO_OFFSET, "the cache id %u is used for two caches, '%s' and "
			      "'%s'", new->id, old->name, new->name);
	}
	if (!old)
		old = e->caches[new->id] = lt_alloc(sizeof(*old));
	*old = *new;
}

/* Copies a name in which a byte may stand as a backslash and three octal digits. */
static void copy_name(char *to, size_t size, const char *from, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len && n < size - 1; i++) {
		unsigned int byte;

		if (from[i] == '\\' && len - i >= 4 && sscanf(from + i + 1, "%3o", &byte) == 1) {
			to[n++] = (char)byte;
			i += 3;
		} else {
			to[n++] = from[i];
		}
	}
	to[n] = 0;
}

/* "cache ID ptr 0xPTR object_size N size N gone N name NAME" */
static void take_line(struct lt_trace *t, const char *line, size_t len)
{
	unsigned long long ptr;
	struct lt_cache new = { 0 };
	unsigned int gone;
	int used = 0;
	char buf[512];

	if (len >= sizeof(buf))
		return;
	memcpy(buf, line, len);
	buf[len] = 0;
	if (sscanf(buf, "cache %u ptr %llx object_size %u size %u gone %u name %n", &new.id, &ptr,
		   &new.object_size, &new.size, &gone, &used) != 5 || !used)
		return;
	/* The blank before an empty name may be missing. */
	if ((size_t)used > len || !new.id || new.id >= LT_FIRST_DEVICE)
		return;
	new.ptr = ptr;
	copy_name(new.name, sizeof(new.name), line + used, len - (size_t)used);
	lt_entities_set_cache(t, &new);
}

void lt_entities_texts(struct lt_trace *t)
{
	const char *text, *line;
	size_t len;

	for (size_t n = 0; (text = lt_trace_text(t, LT_BLOCK_CACHES, n)); n++) {
		while (lt_line(&text, &line, &len))
			take_line(t, line, len);
	}
}

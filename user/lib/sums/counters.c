// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The kernel's own counters of slab objects, as the recorder wrote them down.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "sums/counters.h"

/* No machine has more objects, slots or nodes; a text with larger numbers is damaged. */
#define MAX_COUNT	(1ULL << 40)
#define MAX_SLOTS	(1ULL << 20)
#define MAX_SIZE	(1ULL << 30)
#define MAX_NODES	1024

/* The entry of a name, to be read or set. */
static uint32_t *place(struct lt_counters *r, struct lt_places *p, const char *name)
{
	uint32_t id = lt_names_add(&r->names, name, strlen(name));

	while (p->n <= id) {
		p->at = lt_grow(p->at, &p->cap, p->n, sizeof(*p->at));
		p->at[p->n++] = 0;
	}
	return &p->at[id];
}

static void read_cache_line(struct lt_counters *r, const char *line)
{
	struct lt_counted x = { .name = "" };
	uint32_t *at;

	if (sscanf(line, "cache %71s active %" SCNu64
		   " total %" SCNu64 " objsize %" SCNu64 " slots_per_slab %" SCNu64,
		   x.name, &x.active, &x.total, &x.size, &x.slots) != 5)
		return;
	at = place(r, &r->by_name, x.name);
	if (*at || x.active > MAX_COUNT || x.total > MAX_COUNT || x.size > MAX_SIZE ||
	    x.slots > MAX_SLOTS)
		return;
	r->caches = lt_grow(r->caches, &r->cap, r->n, sizeof(*r->caches));
	r->caches[r->n++] = x;
	*at = (uint32_t)r->n;
}

/*
 * Attributes belong to directories in sysfs, to which the names of merged caches are
 * links. slabinfo lists merged caches once, under one of their names.
 */
static void read_alias_line(struct lt_counters *r, const char *line)
{
	char name[72], target[72];
	uint32_t cache, *at;

	if (sscanf(line, "alias %71s %71s", name, target) != 2)
		return;
	cache = *place(r, &r->by_name, name);
	at = place(r, &r->by_dir, target);
	if (!*at)
		*at = cache;
}

static void read_attribute_line(struct lt_counters *r, const char *line)
{
	char dir[72], attribute[24];
	uint64_t value, nodes = 0;
	uint32_t cache;

	if (sscanf(line, "slabattr %71s %23s %" SCNu64, dir, attribute, &value) != 3 ||
	    value > MAX_COUNT)
		return;
	/* A value of each node follows the sum: "12 N0=5 N1=7". */
	for (const char *at = line; (at = strstr(at, " N")); at++)
		nodes++;
	if (nodes > r->nodes && nodes <= MAX_NODES)
		r->nodes = nodes;
	cache = *place(r, &r->by_name, dir);
	if (!cache)
		cache = *place(r, &r->by_dir, dir);
	if (cache && !strcmp(attribute, "cpu_slabs"))
		r->caches[cache - 1].cpu_slabs = value;
	if (cache && !strcmp(attribute, "sheaf_capacity") && value < MAX_SLOTS)
		r->caches[cache - 1].sheaf = value;
}

static void read_lines(struct lt_counters *r, const char *text,
		       void (*fn)(struct lt_counters *r, const char *line))
{
	char line[256];

	while (lt_line_text(&text, line, sizeof(line)))
		fn(r, line);
}

bool lt_counters_read(struct lt_counters *r, const char *text, const char *when)
{
	lt_counters_free(r);
	lt_names_init(&r->names);
	r->nodes = 1;
	if (!text || strncmp(text, "when=", 5) || strncmp(text + 5, when, strlen(when)))
		return false;
	read_lines(r, text, read_cache_line);
	read_lines(r, text, read_alias_line);
	read_lines(r, text, read_attribute_line);
	return r->n > 0;
}

void lt_counters_free(struct lt_counters *r)
{
	free(r->caches);
	free(r->by_name.at);
	free(r->by_dir.at);
	lt_names_destroy(&r->names);
	memset(r, 0, sizeof(*r));
}

bool lt_counters_have_sheaves(const char *text)
{
	uint64_t capacity;
	char buf[256];

	while (lt_line_text(&text, buf, sizeof(buf))) {
		if (sscanf(buf, "slabattr %*s sheaf_capacity %" SCNu64, &capacity) == 1 && capacity)
			return true;
	}
	return false;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Coverage: the trace against the kernel's own counters.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "lifetimes/coverage.h"
#include "base/mem.h"
#include "base/intern.h"
#include "base/names.h"
#include "base/text.h"

#define MARKER_SIZE	sizeof(((struct lt_rec_MARKER *)NULL)->text)

/* No machine has more objects or slots; a text with larger numbers is damaged. */
#define MAX_COUNT	(1ULL << 40)
#define MAX_SLOTS	(1ULL << 20)

/* The position of the current event relative to the two readings. */
enum phase { BEFORE_START, AT_START, BETWEEN, AT_END, AFTER_END };

/* A cache in the trace. */
struct traced {
	int64_t net;		/* births minus releases between the readings */
	uint64_t fuzzy;		/* events at the time of a reading */
};

/* A cache in a reading. */
struct counted {
	char name[72];
	uint64_t active;
	uint64_t slots;		/* in a slab of it */
	uint64_t cpu_slabs;	/* slabs in use by CPUs when it was read */
};

/* Indices into an array, plus 1, by the number of a name; 0: none. */
struct places {
	uint32_t *at;
	size_t n;
	size_t cap;
};

struct reading {
	struct counted *caches;
	size_t n;
	size_t cap;
	struct places by_name;
	struct places by_dir;	/* by directory in sysfs, where that differs */
};

struct lt_coverage {
	const struct lt_trace *t;
	struct lt_kmalloc kmalloc;
	enum phase phase;
	struct lt_intern keys;
	struct traced *traced;	/* by number of the key */
	size_t n_traced;
	size_t cap_traced;
	uint64_t unknown_frees;
	struct reading start;
	struct reading end;
	struct lt_names names;
	struct lt_coverage_row *rows;
	size_t n_rows;
	size_t cap_rows;
	struct places rows_by_name;
};

struct lt_coverage *lt_coverage_new(const struct lt_trace *t)
{
	struct lt_coverage *c = lt_alloc(sizeof(*c));

	c->t = t;
	lt_kmalloc_init(&c->kmalloc, t);
	lt_intern_init(&c->keys);
	lt_names_init(&c->names);
	return c;
}

static void free_reading(struct reading *r)
{
	free(r->caches);
	free(r->by_name.at);
	free(r->by_dir.at);
}

void lt_coverage_free(struct lt_coverage *c)
{
	lt_intern_destroy(&c->keys);
	free(c->traced);
	free_reading(&c->start);
	free_reading(&c->end);
	lt_names_destroy(&c->names);
	free(c->rows_by_name.at);
	free(c->rows);
	free(c);
}

/* ------------------------------------------------------------------------
 * The trace
 */

void lt_coverage_event(struct lt_coverage *c, const struct lt_event *ev)
{
	char text[MARKER_SIZE + 1] = { 0 };
	size_t size = ev->raw_size < MARKER_SIZE ? ev->raw_size : MARKER_SIZE;

	if (ev->id != LT_EV_MARKER || !ev->raw)
		return;
	memcpy(text, ev->raw, size);
	if (!strcmp(text, "lifetrace: slab start") && c->phase < BETWEEN)
		c->phase++;
	if (!strcmp(text, "lifetrace: slab end") && c->phase >= BETWEEN && c->phase < AFTER_END)
		c->phase++;
}

static void count(struct lt_coverage *c, const struct lt_obj *obj, int change)
{
	uint64_t key = lt_cache_key(&c->kmalloc, obj->kind, obj->cache, obj->bytes_req,
				    obj->bytes_alloc, obj->gfp);
	uint32_t id = lt_intern_number(&c->keys, key);

	while (c->n_traced <= id) {
		c->traced = lt_grow(c->traced, &c->cap_traced, c->n_traced, sizeof(*c->traced));
		c->traced[c->n_traced++] = (struct traced){ 0, 0 };
	}
	if (c->phase == BETWEEN) {
		c->traced[id].net += change;
		if (!key && change < 0)
			c->unknown_frees++;
	} else if (c->phase == AT_START || c->phase == AT_END) {
		c->traced[id].fuzzy++;
	}
}

void lt_coverage_born(struct lt_coverage *c, const struct lt_obj *obj)
{
	count(c, obj, 1);
}

void lt_coverage_released(struct lt_coverage *c, const struct lt_obj *obj)
{
	count(c, obj, -1);
}

/* ------------------------------------------------------------------------
 * The kernel's counters
 */

/* The entry of a name, to be read or set. */
static uint32_t *place(struct lt_coverage *c, struct places *p, const char *name)
{
	uint32_t id = lt_names_add(&c->names, name, strlen(name));

	while (p->n <= id) {
		p->at = lt_grow(p->at, &p->cap, p->n, sizeof(*p->at));
		p->at[p->n++] = 0;
	}
	return &p->at[id];
}

static void read_cache_line(struct lt_coverage *c, struct reading *r, const char *line)
{
	struct counted x = { .name = "" };
	uint32_t *at;

	if (sscanf(line, "cache %71s active %" SCNu64
		   " total %*u objsize %*u slots_per_slab %" SCNu64,
		   x.name, &x.active, &x.slots) != 3)
		return;
	at = place(c, &r->by_name, x.name);
	if (*at || x.active > MAX_COUNT || x.slots > MAX_SLOTS)
		return;
	r->caches = lt_grow(r->caches, &r->cap, r->n, sizeof(*r->caches));
	r->caches[r->n++] = x;
	*at = (uint32_t)r->n;
}

/*
 * Attributes belong to directories in sysfs, to which the names of merged caches are
 * links. slabinfo lists merged caches once, under one of their names.
 */
static void read_alias_line(struct lt_coverage *c, struct reading *r, const char *line)
{
	char name[72], target[72];
	uint32_t cache, *at;

	if (sscanf(line, "alias %71s %71s", name, target) != 2)
		return;
	cache = *place(c, &r->by_name, name);
	at = place(c, &r->by_dir, target);
	if (!*at)
		*at = cache;
}

static void read_attribute_line(struct lt_coverage *c, struct reading *r, const char *line)
{
	uint64_t value;
	uint32_t cache;
	char dir[72];

	if (sscanf(line, "slabattr %71s cpu_slabs %" SCNu64, dir, &value) != 2 ||
	    value > MAX_COUNT)
		return;
	cache = *place(c, &r->by_name, dir);
	if (!cache)
		cache = *place(c, &r->by_dir, dir);
	if (cache)
		r->caches[cache - 1].cpu_slabs = value;
}

static void read_lines(struct lt_coverage *c, struct reading *r, const char *text,
		       void (*fn)(struct lt_coverage *c, struct reading *r, const char *line))
{
	const char *line;
	size_t len;

	while (lt_line(&text, &line, &len)) {
		char buf[256];

		snprintf(buf, sizeof(buf), "%.*s", (int)(len < 250 ? len : 250), line);
		fn(c, r, buf);
	}
}

static bool read_reading(struct lt_coverage *c, struct reading *r, const char *text,
			 const char *when)
{
	if (!text || strncmp(text, "when=", 5) || strncmp(text + 5, when, strlen(when)))
		return false;
	read_lines(c, r, text, read_cache_line);
	read_lines(c, r, text, read_alias_line);
	read_lines(c, r, text, read_attribute_line);
	return r->n > 0;
}

/* ------------------------------------------------------------------------
 * The comparison
 */

static struct lt_coverage_row *row_of(struct lt_coverage *c, const char *name)
{
	uint32_t *at = place(c, &c->rows_by_name, name);
	struct lt_coverage_row *row;

	if (*at)
		return &c->rows[*at - 1];
	c->rows = lt_grow(c->rows, &c->cap_rows, c->n_rows, sizeof(*c->rows));
	row = &c->rows[c->n_rows++];
	*at = (uint32_t)c->n_rows;
	memset(row, 0, sizeof(*row));
	snprintf(row->name, sizeof(row->name), "%s", name);
	row->kmalloc = !strncmp(name, "kmalloc-", 8) || !strncmp(name, "dma-kmalloc-", 12);
	return row;
}

static void add_reading(struct lt_coverage *c, struct reading *r, int sign)
{
	for (size_t i = 0; i < r->n; i++) {
		struct counted *x = &r->caches[i];
		struct lt_coverage_row *row = row_of(c, x->name);

		row->real += sign * (int64_t)x->active;
		/* All objects of a CPU's slab count as active, also the free ones. */
		row->error += x->cpu_slabs * x->slots;
	}
}

/* Names end at the first blank, as in slabinfo. */
static void add_traced(struct lt_coverage *c)
{
	for (size_t id = 1; id < c->n_traced; id++) {
		uint64_t key = lt_intern_value(&c->keys, (uint32_t)id);
		struct lt_coverage_row *row;
		char buf[72], name[72];

		if (lt_cache_key_large(key))
			continue;	/* not from a slab */
		snprintf(name, sizeof(name), "%s", lt_cache_key_name(c->t, key, buf, sizeof(buf)));
		name[strcspn(name, " \t\n")] = 0;
		row = row_of(c, name);
		row->traced += c->traced[id].net;
		row->error += c->traced[id].fuzzy;
	}
}

static uint64_t distance(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static int by_difference(const void *a, const void *b)
{
	const struct lt_coverage_row *x = a, *y = b;
	uint64_t dx = distance(x->real, x->traced), dy = distance(y->real, y->traced);

	if (dx != dy)
		return dx < dy ? 1 : -1;
	return strcmp(x->name, y->name);
}

/*
 * Where the kernel has fewer objects in kmalloc caches than the trace has, frees of
 * unknown caches explain the difference, up to their number. The remaining ones explain
 * nothing: then the kernel has more objects than the trace, which is a difference, too.
 */
static void sum_up(const struct lt_coverage *c, struct lt_coverage_sum *sum)
{
	uint64_t unknown = c->unknown_frees, slack = 0;

	memset(sum, 0, sizeof(*sum));
	sum->unknown_frees = unknown;
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct lt_coverage_row *row = &c->rows[i];
		uint64_t apart = distance(row->real, row->traced);

		sum->change += distance(row->real, 0);
		sum->error += row->error;
		if (row->kmalloc && row->traced > row->real) {
			uint64_t explained = apart < unknown ? apart : unknown;

			unknown -= explained;
			apart -= explained;
		}
		sum->apart += apart;
		if (row->kmalloc && row->error > apart)
			slack += row->error - apart;
		if (apart > row->error)
			sum->beyond += apart - row->error;
	}
	sum->apart += unknown;
	/* Their caches are not known, only the family: the family has one error. */
	if (unknown > slack)
		sum->beyond += unknown - slack;
}

const struct lt_coverage_row *lt_coverage_rows(struct lt_coverage *c, size_t *n,
					       struct lt_coverage_sum *sum, const char **why)
{
	*why = NULL;
	if (!read_reading(c, &c->start, lt_trace_text(c->t, LT_BLOCK_SLAB, 0), "start") ||
	    !read_reading(c, &c->end, lt_trace_text(c->t, LT_BLOCK_SLAB, SIZE_MAX), "end"))
		*why = "the slab counters were not read at start and end";
	else if (c->phase != AFTER_END)
		*why = "the markers around the readings are not in the trace";
	if (*why)
		return NULL;
	/* A report may need the rows more than once. */
	if (!c->n_rows) {
		add_reading(c, &c->start, -1);
		add_reading(c, &c->end, 1);
		add_traced(c);
		qsort(c->rows, c->n_rows, sizeof(*c->rows), by_difference);
	}
	sum_up(c, sum);
	*n = c->n_rows;
	return c->rows;
}

double lt_coverage_percent(const struct lt_coverage_sum *sum, bool beyond_error)
{
	uint64_t missing = beyond_error ? sum->beyond : sum->apart;

	if (!sum->change)
		return missing ? 0 : 100;
	return missing >= sum->change ? 0 :
	       100.0 * (double)(sum->change - missing) / (double)sum->change;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Coverage: the trace against the kernel's own counters.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/text.h"
#include "format/plain.h"
#include "sums/counters.h"
#include "sums/coverage.h"
#include "sums/coverage_sum.h"

#define MARKER_SIZE	sizeof(((struct lt_rec_MARKER *)NULL)->text)

/*
 * Sheaves (6.18 and later) are arrays of free objects that count as active: each CPU has up
 * to three of a cache (main, spare, and one that kfree_rcu fills), each node ten full ones.
 */
#define SHEAVES_OF_CPU	3
#define SHEAVES_OF_NODE	10

/* ns; a sheaf that kfree_rcu has filled is released after a grace period and a callback. */
#define RELEASE_NS	1000000000ULL

/* Which pages of slabs hold objects of one cache, as log2 of their bytes. */
#define SLAB_SHIFT	12

/* The position of the current event relative to the two readings. */
enum phase { BEFORE_START, AT_START, BETWEEN, AT_END, AFTER_END };

/*
 * Births minus releases while the counters are read: the reading is of one moment of it, not
 * known which, so of one of the values from @low to @high.
 */
struct window {
	int64_t net;
	int64_t low;
	int64_t high;
};

/* Calls of kfree_rcu in the current second and in the one before. */
struct recent {
	uint64_t second;
	uint64_t now;
	uint64_t before;
};

/* A cache in the trace. */
struct traced {
	int64_t net;		/* births minus releases between the readings */
	uint64_t events;	/* up to the end of the second reading */
	uint64_t reborn;	/* releases that may have come before a reading, or after it */
	struct window at[2];	/* at the two readings */
	struct recent requests;
	uint64_t pending[2];	/* requests that may not yet have been released then */
};

/* A page of memory in which objects of a cache that is not yet known were released. */
struct page {
	uint64_t number;
	uint64_t requests;
};

struct lt_coverage {
	const struct lt_trace *t;
	struct lt_kmalloc kmalloc;
	enum phase phase;
	uint64_t since[AFTER_END + 1];	/* time at which a phase began */
	uint64_t now;
	uint64_t cpus;
	bool unseen_release;	/* after a call of kfree_rcu, the release has no event */
	struct lt_intern keys;
	struct traced *traced;	/* by number of the key */
	size_t n_traced;
	size_t cap_traced;
	struct lt_map page_map;	/* to indices into @pages, plus 1 */
	uint64_t page_seed;
	struct page *pages;
	size_t n_pages;
	size_t cap_pages;
	uint64_t unknown_frees;
	uint64_t unknown_cache_frees;
	uint64_t unknown_requests;
	uint64_t births;
	uint64_t releases;
	struct lt_counters start;
	struct lt_counters end;
	struct lt_names names;		/* of rows: a name has the number of its row, plus 1 */
	struct lt_coverage_row *rows;
	size_t n_rows;
	size_t cap_rows;
};

/*
 * Whether the release of what was given to kfree_rcu cannot be seen: it goes through a sheaf,
 * or the function that frees many objects at once is not watched.
 */
static bool release_is_unseen(const struct lt_trace *t)
{
	const char *events = lt_trace_text(t, LT_BLOCK_EVENTS, SIZE_MAX), *line;
	char why[32];
	size_t len;

	if (lt_counters_have_sheaves(lt_trace_text(t, LT_BLOCK_SLAB, 0)))
		return true;
	while (events && lt_line(&events, &line, &len)) {
		if (lt_line_unwatched(line, len, "bulk_free", why, sizeof(why)))
			return true;
	}
	return false;
}

struct lt_coverage *lt_coverage_new(const struct lt_trace *t)
{
	struct lt_coverage *c = lt_alloc(sizeof(*c));

	c->t = t;
	lt_kmalloc_init(&c->kmalloc, t);
	lt_intern_init(&c->keys);
	lt_map_init(&c->page_map);
	c->page_seed = lt_hash_seed();
	lt_names_init(&c->names);
	c->unseen_release = release_is_unseen(t);
	return c;
}

void lt_coverage_free(struct lt_coverage *c)
{
	lt_intern_destroy(&c->keys);
	free(c->traced);
	lt_map_destroy(&c->page_map);
	free(c->pages);
	lt_counters_free(&c->start);
	lt_counters_free(&c->end);
	lt_names_destroy(&c->names);
	free(c->rows);
	free(c);
}

/* ------------------------------------------------------------------------
 * The trace
 */

static uint64_t recent(const struct recent *r, uint64_t time)
{
	uint64_t second = time / RELEASE_NS;

	if (r->second == second)
		return r->now + r->before;
	return r->second + 1 == second ? r->now : 0;
}

/* A reading begins: what was given to kfree_rcu shortly before may count as active. */
static void keep_pending(struct lt_coverage *c, unsigned int reading)
{
	for (size_t i = 0; i < c->n_traced; i++)
		c->traced[i].pending[reading] = recent(&c->traced[i].requests, c->now);
}

static void next_phase(struct lt_coverage *c)
{
	c->phase++;
	c->since[c->phase] = c->now;
	if (c->phase == AT_START || c->phase == AT_END)
		keep_pending(c, c->phase == AT_END);
}

static void take_marker(struct lt_coverage *c, const struct lt_event *ev)
{
	char text[MARKER_SIZE + 1] = { 0 };
	size_t size = ev->raw_size < MARKER_SIZE ? ev->raw_size : MARKER_SIZE;

	memcpy(text, ev->raw, size);
	if (!strcmp(text, LT_COVERAGE_START) && c->phase < BETWEEN)
		next_phase(c);
	if (!strcmp(text, LT_COVERAGE_END) && c->phase >= BETWEEN && c->phase < AFTER_END)
		next_phase(c);
}

void lt_coverage_event(struct lt_coverage *c, const struct lt_event *ev)
{
	c->now = ev->time;
	if (ev->cpu >= c->cpus)
		c->cpus = (uint64_t)ev->cpu + 1;
	if (ev->id == LT_EV_MARKER && ev->raw)
		take_marker(c, ev);
}

/* Some releases are decided later than they happened. */
static enum phase phase_at(const struct lt_coverage *c, uint64_t time)
{
	enum phase p = c->phase;

	while (p > BEFORE_START && time < c->since[p])
		p--;
	return p;
}

/* A change that comes @late may belong before any of those that are in the window. */
static void change_window(struct window *w, int change, bool late)
{
	w->net += change;
	if (late && change < 0)
		w->low += change;
	else if (late)
		w->high += change;
	if (w->net < w->low)
		w->low = w->net;
	if (w->net > w->high)
		w->high = w->net;
}

static struct traced *traced_of(struct lt_coverage *c, uint64_t key)
{
	uint32_t id = lt_intern_number(&c->keys, key);

	while (c->n_traced <= id) {
		c->traced = lt_grow(c->traced, &c->cap_traced, c->n_traced, sizeof(*c->traced));
		c->traced[c->n_traced++] = (struct traced){ .net = 0 };
	}
	return &c->traced[id];
}

static uint64_t key_of(const struct lt_coverage *c, const struct lt_obj *obj)
{
	return lt_obj_cache_key(&c->kmalloc, obj);
}

static struct traced *count(struct lt_coverage *c, uint64_t key, uint64_t time, int change)
{
	struct traced *x = traced_of(c, key);
	enum phase phase = phase_at(c, time);

	if (phase < AFTER_END)
		x->events++;
	if (phase == BETWEEN) {
		x->net += change;
		c->births += change > 0 && !lt_cache_key_large(key);
		c->releases += change < 0 && !lt_cache_key_large(key);
	} else if (phase == AT_START || phase == AT_END) {
		change_window(&x->at[phase == AT_END], change, time < c->now);
	}
	return x;
}

void lt_coverage_plain(struct lt_coverage *c, const struct lt_plain_event *evs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (evs[i].cpu >= c->cpus)
			c->cpus = (uint64_t)evs[i].cpu + 1;
	}
}

uint32_t lt_coverage_number(struct lt_coverage *c, const struct lt_obj *obj)
{
	uint64_t key = key_of(c, obj);

	if (!key)
		return UINT32_MAX;
	traced_of(c, key);
	return lt_intern_number(&c->keys, key);
}

bool lt_coverage_is_plain(const struct lt_coverage *c)
{
	return !c->unknown_requests && c->phase != AT_START && c->phase != AT_END;
}

bool lt_coverage_is_of_phase(const struct lt_coverage *c, uint64_t born)
{
	return born >= c->since[c->phase];
}

void lt_coverage_count(struct lt_coverage *c, uint32_t number, uint64_t births, uint64_t releases)
{
	struct traced *x = &c->traced[number];

	if (c->phase < AFTER_END)
		x->events += births + releases;
	if (c->phase != BETWEEN)
		return;
	x->net += (int64_t)(births - releases);
	if (lt_cache_key_large(lt_intern_value(&c->keys, number)))
		return;
	c->births += births;
	c->releases += releases;
}

static struct page *find_page(const struct lt_coverage *c, uint64_t number)
{
	uint32_t found;

	lt_map_for_each(found, at, &c->page_map, (uint32_t)lt_hash64(number, c->page_seed)) {
		if (c->pages[found - 1].number == number)
			return &c->pages[found - 1];
	}
	return NULL;
}

/* It may also be memory of vmalloc, in whose pages no object will be born. */
static void request_unknown(struct lt_coverage *c, uint64_t ptr)
{
	uint64_t number = ptr >> SLAB_SHIFT;
	struct page *page = find_page(c, number);

	if (!page) {
		if (c->n_pages == UINT32_MAX - 1)
			return;
		c->pages = lt_grow(c->pages, &c->cap_pages, c->n_pages, sizeof(*c->pages));
		page = &c->pages[c->n_pages++];
		*page = (struct page){ .number = number };
		lt_map_add(&c->page_map, (uint32_t)lt_hash64(number, c->page_seed),
			   (uint32_t)c->n_pages);
	}
	page->requests++;
	c->unknown_requests++;
}

/* The objects that were released in the page of a new one were of its cache, @key. */
static void name_requests(struct lt_coverage *c, uint64_t ptr, uint64_t key)
{
	struct page *page = find_page(c, ptr >> SLAB_SHIFT);

	if (!page || !page->requests)
		return;
	traced_of(c, key)->net -= (int64_t)page->requests;
	c->unknown_requests -= page->requests;
	page->requests = 0;
}

void lt_coverage_born(struct lt_coverage *c, const struct lt_obj *obj)
{
	uint64_t key = key_of(c, obj);

	count(c, key, obj->time, 1);
	if (c->unknown_requests)
		name_requests(c, obj->ptr, key);
}

void lt_coverage_requested(struct lt_coverage *c, const struct lt_obj *obj, uint64_t time)
{
	struct recent *r;
	uint64_t key;

	if (!c->unseen_release)
		return;
	key = key_of(c, obj);
	if (!key) {
		if (phase_at(c, time) == BETWEEN)
			request_unknown(c, obj->ptr);
		return;
	}
	r = &count(c, key, time, -1)->requests;
	if (r->second != time / RELEASE_NS) {
		r->before = r->second + 1 == time / RELEASE_NS ? r->now : 0;
		r->now = 0;
		r->second = time / RELEASE_NS;
	}
	r->now++;
}

void lt_coverage_released(struct lt_coverage *c, const struct lt_obj *obj, uint64_t time,
			  enum lt_ending ending, bool rcu)
{
	struct traced *x;
	uint64_t key;

	if (rcu && c->unseen_release)
		return;		/* the request was counted */
	key = key_of(c, obj);
	x = count(c, key, time, -1);
	if (!key && phase_at(c, time) == BETWEEN) {
		if (ending == LT_END_CACHE_FREE)
			c->unknown_cache_frees++;
		else
			c->unknown_frees++;
	}
	/* It may have happened at any time of its life. */
	if ((ending == LT_END_REBORN || ending == LT_END_LOST) && obj->kind != LT_CLASS_NONE &&
	    phase_at(c, obj->time) != phase_at(c, time))
		x->reborn++;
}

/* ------------------------------------------------------------------------
 * The comparison
 */

static struct lt_coverage_row *row_of(struct lt_coverage *c, const char *name)
{
	struct lt_coverage_row *row;
	uint32_t id;

	/* The empty name has no number of its own. */
	if (!*name)
		name = "(unnamed)";
	id = lt_names_add(&c->names, name, strlen(name));
	if (id <= c->n_rows)
		return &c->rows[id - 1];
	c->rows = lt_grow(c->rows, &c->cap_rows, c->n_rows, sizeof(*c->rows));
	row = &c->rows[c->n_rows++];
	memset(row, 0, sizeof(*row));
	snprintf(row->name, sizeof(row->name), "%s", name);
	row->kmalloc = !strncmp(name, "kmalloc-", 8) || !strncmp(name, "dma-kmalloc-", 12);
	return row;
}

/*
 * Free objects that count as active. The change of the counters has at most the error of one
 * reading: of both, only the difference counts.
 */
static uint64_t idle_objects(const struct lt_coverage *c, const struct lt_counted *x,
			     uint64_t nodes)
{
	/* All objects of a CPU's slab count as active, also the free ones. */
	return x->cpu_slabs * x->slots +
	       x->sheaf * (c->cpus * SHEAVES_OF_CPU + nodes * SHEAVES_OF_NODE);
}

/*
 * Caches that a kmalloc() may choose by more than its size and flags, which is all that its
 * event has: buckets of one user (6.11 and later), and the copies of CONFIG_RANDOM_KMALLOC_CACHES.
 * They are counted together with the cache that has the name that follows from the event.
 */
static const char *event_name(const char *name, char *buf, size_t size)
{
	static const struct {
		const char *begin;
		const char *to;
	} families[] = {
		{ "msg_msg-", "kmalloc-cg-" }, { "memdup_user-", "kmalloc-" },
		{ "kmalloc-rnd-", "kmalloc-" },
	};

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		const char *last = strrchr(name, '-');

		if (strncmp(name, families[i].begin, strlen(families[i].begin)))
			continue;
		snprintf(buf, size, "%s%s", families[i].to, last + 1);
		return buf;
	}
	return name;
}

static void add_reading(struct lt_coverage *c, const struct lt_counters *r, int sign)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct lt_counted *x = &r->caches[i];
		uint64_t most = x->slots > x->sheaf ? x->slots : x->sheaf;
		struct lt_coverage_row *row;
		char buf[72];

		row = row_of(c, event_name(x->name, buf, sizeof(buf)));
		row->real += sign * (int64_t)x->active;
		row->places += sign * (int64_t)x->total;
		row->size = x->size;
		row->idle_in[sign > 0] += idle_objects(c, x, r->nodes);
		if (most > row->most)
			row->most = most;
	}
}

/* What the trace says of the change between the two moments: a middle value and an error. */
static void add_windows(struct lt_coverage_row *row, const struct traced *x)
{
	const struct window *a = &x->at[0], *b = &x->at[1];
	int64_t low = a->net - a->high + b->low, high = a->net - a->low + b->high;

	row->traced += x->net + low + (high - low) / 2;
	row->error += (uint64_t)(high - low + 1) / 2 + x->reborn +
		      (x->pending[0] > x->pending[1] ? x->pending[0] : x->pending[1]);
	row->events += x->events;
}

/* Names end at the first blank, as in slabinfo. */
static void add_traced(struct lt_coverage *c)
{
	for (size_t id = 1; id < c->n_traced; id++) {
		uint64_t key = lt_intern_value(&c->keys, (uint32_t)id);
		char buf[72], name[72];

		if (lt_cache_key_large(key))
			continue;	/* not from a slab */
		snprintf(name, sizeof(name), "%s", lt_cache_key_name(c->t, key, buf, sizeof(buf)));
		name[strcspn(name, " \t\n")] = 0;
		add_windows(row_of(c, name), &c->traced[id]);
	}
}

/* An event fills or empties at most one slab or sheaf: what is quiet has no error. */
static void add_idle(struct lt_coverage *c)
{
	for (size_t i = 0; i < c->n_rows; i++) {
		struct lt_coverage_row *row = &c->rows[i];
		uint64_t a = row->idle_in[0], b = row->idle_in[1], idle = a > b ? a : b;
		uint64_t moved = row->events < UINT32_MAX ? row->events * row->most : idle;

		row->error += idle < moved ? idle : moved;
	}
}

static int by_difference(const void *a, const void *b)
{
	const struct lt_coverage_row *x = a, *y = b;
	uint64_t dx = lt_coverage_distance(x->real, x->traced);
	uint64_t dy = lt_coverage_distance(y->real, y->traced);

	if (dx != dy)
		return dx < dy ? 1 : -1;
	return strcmp(x->name, y->name);
}

const struct lt_coverage_row *lt_coverage_rows(struct lt_coverage *c, size_t *n,
					       struct lt_coverage_sum *sum, const char **why)
{
	*why = NULL;
	if (!lt_counters_read(&c->start, lt_trace_text(c->t, LT_BLOCK_SLAB, 0), "start") ||
	    !lt_counters_read(&c->end, lt_trace_text(c->t, LT_BLOCK_SLAB, SIZE_MAX), "end"))
		*why = "the slab counters were not read at start and end";
	else if (lt_trace_end(c->t) < lt_trace_whole_end(c->t))
		*why = "the slab counters were read at start and end only";
	else if (c->phase != AFTER_END)
		*why = "the markers around the readings are not in the trace";
	if (*why)
		return NULL;
	/* A report may need the rows more than once. */
	if (!c->n_rows) {
		add_reading(c, &c->start, -1);
		add_reading(c, &c->end, 1);
		add_traced(c);
		add_idle(c);
		if (c->n_rows)
			qsort(c->rows, c->n_rows, sizeof(*c->rows), by_difference);
	}
	*sum = (struct lt_coverage_sum){
		.unknown_frees = c->unknown_frees, .unknown_cache_frees = c->unknown_cache_frees,
		.unknown_requests = c->unknown_requests, .births = c->births,
		.releases = c->releases,
	};
	lt_coverage_sum_up(c->t, c->rows, c->n_rows, sum);
	*n = c->n_rows;
	return c->rows;
}

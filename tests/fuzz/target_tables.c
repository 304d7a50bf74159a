// SPDX-License-Identifier: GPL-2.0
/*
 * Parsers of the texts of a trace and of /proc, and the tables of pages and objects. The first
 * byte of the input selects one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "base/crc32c.h"
#include "format/clock.h"
#include "sums/coverage.h"
#include "fuzz.h"
#include "lifetimes/kmalloc.h"
#include "lifetimes/lifetime.h"
#include "lifetimes/objtable.h"
#include "lifetimes/pagemap.h"
#include "lines/builds.h"
#include "lines/cache.h"
#include "ps/ps.h"
#include "base/text.h"
#include "tasks/read.h"
#include "trace/symbols.h"
#include "trace/trace.h"
#include "words.h"

static uint64_t take(const uint8_t **data, size_t *size, size_t n)
{
	uint64_t v = 0;

	n = n < *size ? n : *size;
	memcpy(&v, *data, n);
	*data += n;
	*size -= n;
	return v;
}

/* Symbols, modules, and addresses to look up. */
static void symbols(const uint8_t *data, size_t size)
{
	struct lt_symbols *s = lt_symbols_new();
	char *first = fuzz_cut(&data, &size), *modules = fuzz_cut(&data, &size);
	char *second = fuzz_cut(&data, &size);

	lt_symbols_add(s, first);
	lt_symbols_modules(s, modules);
	lt_symbols_ready(s);
	for (unsigned int i = 0; i < 64 && size; i++) {
		uint64_t addr = take(&data, &size, 8), offset = 0;
		const char *module = NULL, *name = lt_symbols_find(s, addr, &offset, &module);

		if (name && (!*name || offset > addr))
			fuzz_wrong("a symbol that cannot be");
		if (i == 8) {
			lt_symbols_add(s, second);
			lt_symbols_ready(s);
		}
	}
	lt_symbols_free(s);
	free(first);
	free(second);
	free(modules);
}

/* Takes a line of the input, if it is a reading. */
static void add_reading(struct lt_clock *c, const uint8_t **data, size_t *size)
{
	char *text = fuzz_cut(data, size);
	struct lt_clock_reading r;

	if (lt_clock_parse(text, &r))
		lt_clock_add(c, &r);
	free(text);
}

/* Readings of the clocks and a frequency: times never decrease, also if readings come between. */
static void clocks(const uint8_t *data, size_t size)
{
	struct lt_clock_change change = { 0 };
	uint64_t freq, last = 0, last_ns = 0;
	struct lt_clock c;
	bool live;

	freq = take(&data, &size, 8);
	live = freq & 2;
	lt_clock_init(&c, freq & 1 ? "counter" : "raw", freq >> 2, live);
	for (unsigned int i = 0; i < 2 + (freq & 1); i++)
		add_reading(&c, &data, &size);
	lt_clock_settle(&c);
	for (unsigned int i = 0; i < 64 && size; i++) {
		uint64_t units = take(&data, &size, 8), ns = lt_clock_ns(&c, units);

		if (i && (units < last ? ns > last_ns : ns < last_ns))
			fuzz_wrong("the clock's time runs backwards");
		lt_clock_realtime(&c, ns);
		last = units;
		last_ns = ns;
		if (live && i % 8 == 7)
			add_reading(&c, &data, &size);
		if (lt_clock_ns(&c, units) != ns)
			fuzz_wrong("a time has changed that was given");
	}
	while (lt_clock_next_change(&c, &change))
		;
	lt_clock_deviation(&c);
	lt_clock_destroy(&c);
}

/* All texts of a trace; a byte before each has its type. */
static void texts(const uint8_t *data, size_t size)
{
	char *info = fuzz_cut(&data, &size), buf[300];
	struct lt_trace *t = lt_trace_live(info, fuzz_schema_text());
	struct lt_coverage_sum sum;
	struct lt_coverage *c;
	struct lt_kmalloc k;
	const char *why;
	size_t n;

	free(info);
	if (!t)
		return;
	while (size) {
		unsigned int type = (unsigned int)take(&data, &size, 1) % (LT_BLOCK_CGROUPS + 1);
		char *text = fuzz_cut(&data, &size);

		lt_trace_add_text(t, type, text);
		free(text);
	}
	lt_kmalloc_init(&k, t);
	c = lt_coverage_new(t);
	for (unsigned int i = 0; i < 4; i++) {
		static const char *const marks[] = {
			"lifetrace: slab start", "lifetrace: slab end",
		};
		struct lt_event ev = { .id = LT_EV_MARKER, .raw_size = sizeof(buf) };
		struct lt_obj obj = { .kind = LT_CLASS_KMALLOC, .bytes_alloc = 64 };

		memset(buf, 0, sizeof(buf));
		strcpy(buf, marks[i / 2]);
		ev.raw = (const uint8_t *)buf;
		lt_coverage_event(c, &ev);
		lt_coverage_born(c, &obj);
	}
	if (lt_coverage_rows(c, &n, &sum, &why))
		lt_coverage_percent(&sum);
	lt_coverage_free(c);
	lt_tasks_unwatched(t, buf, sizeof(buf));
	lt_trace_has_channel(t, LT_CHANNEL_PID);
	for (uint64_t i = 0; i < 4; i++)
		lt_trace_symbol(t, 0xffffffff81000000ULL + i * 0x1000, true, buf, sizeof(buf));
	for (unsigned int i = 0; i < 32; i++)
		lt_trace_gfp(t, 1U << i | 0xcc0, buf, 1 + i * 9);
	lt_trace_close(t);
}

/* The name of a task in /proc can have any bytes. */
static void stat_line(const uint8_t *data, size_t size)
{
	uint64_t ticks = take(&data, &size, 2) + 1, page = take(&data, &size, 2) + 1;
	char *text = fuzz_text(data, size);
	struct lt_ps_row row = { 0 };

	if (lt_ps_parse_stat(text, ticks, page, &row) && strlen(row.comm) >= sizeof(row.comm))
		fuzz_wrong("a name without an end");
	free(text);
}

#define N_CHUNKS	64	/* chunks of pages that are compared */

/* Compares the map of pages with an array. */
static void pages(const uint8_t *data, size_t size)
{
	uint64_t expected[N_CHUNKS] = { 0 };
	struct lt_pagemap map;

	lt_pagemap_init(&map);
	while (size) {
		uint64_t op = take(&data, &size, 1), bits = take(&data, &size, op & 3);
		uint64_t chunk = op >> 2;

		/* Some chunks differ in their high bits only. */
		lt_pagemap_change(&map, chunk << (chunk & 31), UINT64_MAX, bits);
		for (uint64_t i = 0; i < N_CHUNKS; i++) {
			if (i << (i & 31) == chunk << (chunk & 31))
				expected[i] = bits;
		}
		for (uint64_t i = 0; i < N_CHUNKS; i++) {
			if (lt_pagemap_get(&map, i << (i & 31)) != expected[i])
				fuzz_wrong("the map of pages has lost something");
		}
	}
	lt_pagemap_destroy(&map);
}

#define N_OBJECTS	32
#define FIRST_OBJECT	0xffff888000000000ULL

/* What a walk over all objects has met. */
struct walked {
	const struct lt_obj *expected;
	size_t n;
	bool ordered;
	uint64_t time;
};

static void walk_one(void *arg, struct lt_obj *obj)
{
	struct walked *w = arg;
	uint64_t i = (obj->ptr - FIRST_OBJECT) / 8;

	if (i >= N_OBJECTS || w->expected[i].ptr != obj->ptr || w->expected[i].time != obj->time)
		fuzz_wrong("a walk meets an object that was not put there");
	if (w->ordered && obj->time < w->time)
		fuzz_wrong("a walk by time goes back");
	w->time = obj->time;
	w->n++;
}

/* Walks over the open table, then over the closed one, in both orders by turns. */
static void walk_objects(struct lt_objtable *t, const struct lt_obj *expected, size_t n)
{
	struct walked open = { .expected = expected };
	struct walked closed = { .expected = expected, .ordered = n & 1 };

	lt_objtable_each(t, walk_one, &open);
	lt_objtable_close(t, 0, closed.ordered, NULL, NULL);
	lt_objtable_walk(t, walk_one, &closed);
	if (open.n != n || closed.n != n || t->n != n)
		fuzz_wrong("another number of objects than were put there");
}

/* Compares the table of objects with an array. */
static void objects(const uint8_t *data, size_t size)
{
	struct lt_obj expected[N_OBJECTS] = { { 0 } }, obj;
	struct lt_objtable t;
	size_t n = 0;

	lt_objtable_init(&t);
	while (size) {
		uint64_t op = take(&data, &size, 1);
		struct lt_obj *e = &expected[op % N_OBJECTS];
		uint64_t ptr = FIRST_OBJECT + op % N_OBJECTS * 8;

		if (lt_objtable_find(&t, ptr, &obj) != (e->ptr != 0))
			fuzz_wrong("an object is there that should not be, or not there");
		if (e->ptr && (obj.time != e->time || obj.bytes_req != e->bytes_req ||
			       obj.site != e->site || obj.cpu != e->cpu || obj.gfp != e->gfp ||
			       obj.node != e->node || obj.bytes_alloc != e->bytes_alloc ||
			       obj.cache != e->cache || obj.order != e->order))
			fuzz_wrong("an object is not what it was");
		if (e->ptr && op & 0x80) {
			lt_objtable_remove(&t, &obj);
			e->ptr = 0;
			n--;
			continue;
		}
		if (e->ptr) {
			obj.bytes_req = e->bytes_req = take(&data, &size, 3);
			lt_objtable_put(&t, &obj);
			continue;
		}
		*e = (struct lt_obj){
			.ptr = ptr, .time = take(&data, &size, op >> 5 & 7),
			.bytes_req = take(&data, &size, op >> 6), .cpu = (uint32_t)op & 3,
			.bytes_alloc = take(&data, &size, op >> 6) << 3, .node = (int32_t)op - 1,
			.site = (uint32_t)take(&data, &size, 1), .cache = (uint16_t)op,
		};
		obj = *e;
		lt_objtable_add(&t, &obj);
		n++;
	}
	walk_objects(&t, expected, n);
	lt_objtable_destroy(&t);
}

/* The block BUILDS, and a file of the cache of lines, with the right sum. */
static void lines(const uint8_t *data, size_t size)
{
	char *builds = fuzz_cut(&data, &size), *body = fuzz_text(data, size), *text;
	struct lt_line_cache c;
	struct lt_builds b = { .n = 0 };
	size_t len = strlen(body);

	lt_builds_add(&b, builds);
	for (size_t i = 0; i < b.n; i++) {
		if ((*b.builds[i].id && !lt_build_id_valid(b.builds[i].id)) ||
		    strchr(b.builds[i].name, '/'))
			fuzz_wrong("a name or id that leads to another file");
	}
	lt_builds_destroy(&b);
	lt_line_cache_init(&c, NULL, "");
	strcpy(c.id, "0123");
	text = malloc(len + 64);
	if (!text)
		abort();
	len = (size_t)sprintf(text, "lifetrace-lines 1 0123 %08x\n%s",
			      lt_crc32c(0, body, len), body);
	if (!lt_line_cache_parse(&c, text, len) && c.n)
		fuzz_wrong("a damaged cache has lines");
	for (size_t i = 0; i < c.n; i++) {
		const struct lt_cached *e = &c.entries[i];

		if (lt_line_cache_find(&c, e->where, e->offset) != e)
			fuzz_wrong("a line is not where it was put");
	}
	lt_line_cache_destroy(&c);
	free(text);
	free(body);
	free(builds);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parts[])(const uint8_t *data, size_t size) = {
		symbols, clocks, texts, stat_line, pages, objects, lines,
	};

	if (!size)
		return 0;
	fuzz_memory_begin();
	parts[data[0] % (sizeof(parts) / sizeof(parts[0]))](data + 1, size - 1);
	fuzz_memory_end((8U << 20) + 128 * size);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return fuzz_text_mutate(data, size, max, seed);
}

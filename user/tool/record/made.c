// SPDX-License-Identifier: GPL-2.0
/*
 * Where the code that the kernel makes while it runs is, from when to when.
 *
 * What is gone is kept for the begin of later files. Of the ranges that are there, no two have an
 * address in common: one that comes where another is shows that the record of the other's end was
 * lost.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "base/str.h"
#include "record/made.h"

/* What is gone is forgotten beyond so many, the oldest first: some hundred bytes each. */
#define MOST_RANGES	8192
#define FORGET_AT_ONCE	(MOST_RANGES / 4)

#define NSEC_PER_SEC	1000000000ULL

uint64_t lt_made_units(const struct lt_clock_reading *first, const struct lt_clock_reading *last,
		       uint64_t freq, uint64_t ns)
{
	bool later = ns > last->monotonic;
	uint64_t span = last->monotonic - first->monotonic;
	uint64_t ago = later ? ns - last->monotonic : last->monotonic - ns;
	double rate = (double)freq / NSEC_PER_SEC, units;

	/* Close to each other they give the rate worse than the frequency does. */
	if (last->monotonic > first->monotonic && (span >= NSEC_PER_SEC || !freq))
		rate = (double)(last->clock - first->clock) / (double)span;
	units = (double)ago * rate;
	if (!(rate > 0) || units > (double)(later ? UINT64_MAX / 2 : last->clock))
		return 0;
	return later ? last->clock + (uint64_t)units : last->clock - (uint64_t)units;
}

/* ------------------------------------------------------------------------
 * Those that are there
 */

/* Index in @there of the first that ends behind an address. */
static size_t find(const struct lt_made *m, uint64_t addr)
{
	return lt_first_not(m->n_there, i, m->ranges[m->there[i]].end <= addr);
}

static void end(struct lt_made *m, size_t at, uint64_t units)
{
	struct lt_made_range *r = &m->ranges[m->there[at]];

	r->to = units > r->from ? units : r->from + 1;
	r->shown = false;
	m->n_there--;
	memmove(m->there + at, m->there + at + 1, (m->n_there - at) * sizeof(*m->there));
}

/* Forgets the oldest that are gone. */
static void forget(struct lt_made *m)
{
	size_t *moved = lt_realloc_array(NULL, m->n, sizeof(*moved)), kept = 0;

	for (size_t i = 0, most = FORGET_AT_ONCE; i < m->n; i++) {
		struct lt_made_range *r = &m->ranges[i];

		if (r->to && most) {
			most--;
			m->forgotten += !r->shown;
			free(r->name);
			continue;
		}
		moved[i] = kept;
		m->ranges[kept++] = *r;
	}
	m->n = kept;
	for (size_t i = 0; i < m->n_there; i++)
		m->there[i] = moved[m->there[i]];
	free(moved);
}

/* Adds a range that is there since @from, or was there until @to. */
static void add(struct lt_made *m, const struct lt_ksymbol *s, uint64_t from, uint64_t to)
{
	size_t at = find(m, s->addr);

	if (m->n - m->n_there >= MOST_RANGES)
		forget(m);
	m->ranges = lt_grow(m->ranges, &m->cap, m->n, sizeof(*m->ranges));
	m->ranges[m->n] = (struct lt_made_range){
		.begin = s->addr, .end = s->addr + s->len, .from = from, .to = to, .bpf = s->bpf,
		.name = lt_strdup(s->name),
	};
	if (!to) {
		m->there = lt_grow(m->there, &m->cap_there, m->n_there, sizeof(*m->there));
		memmove(m->there + at + 1, m->there + at, (m->n_there - at) * sizeof(*m->there));
		m->there[at] = m->n;
		m->n_there++;
	}
	m->n++;
}

void lt_made_take(struct lt_made *m, const struct lt_ksymbol *s, uint64_t units)
{
	uint64_t last = s->addr + s->len;
	bool known = false;
	size_t at;

	if (!units || last < s->addr)
		return;
	at = find(m, s->addr);
	while (at < m->n_there && m->ranges[m->there[at]].begin < last) {
		const struct lt_made_range *r = &m->ranges[m->there[at]];

		known |= r->begin == s->addr && !strcmp(r->name, s->name);
		end(m, at, units);
	}
	if (!s->gone)
		add(m, s, units, 0);
	else if (!known)
		add(m, s, 0, units);
	free(m->text);
	m->text = NULL;
}

/* ------------------------------------------------------------------------
 * The text
 */

/* What /proc/kallsyms has in brackets behind the name. */
static const char *module_of(const struct lt_made_range *r)
{
	if (r->bpf)
		return "bpf";
	return strncmp(r->name, "kprobe", 6) ? "__builtin__ftrace" : "__builtin__kprobes";
}

const char *lt_made_text(struct lt_made *m)
{
	struct lt_str text = { 0 };

	if (m->text || !m->n)
		return m->text ? m->text : "";
	for (size_t i = 0; i < m->n; i++) {
		struct lt_made_range *r = &m->ranges[i];

		lt_str_add(&text, "code %s begin 0x%" PRIx64 " size %" PRIu64 " from %" PRIu64
			   " to %" PRIu64 " build -\n0x%" PRIx64 " t %s\n", module_of(r),
			   r->begin, r->end - r->begin, r->from, r->to, r->begin, r->name);
		r->shown = true;
	}
	m->text = text.s;
	return m->text;
}

void lt_made_destroy(struct lt_made *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->ranges[i].name);
	free(m->ranges);
	free(m->there);
	free(m->text);
	*m = (struct lt_made){ 0 };
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The code of modules, and what came or went while a trace was recorded.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/str.h"
#include "base/text.h"
#include "trace/code.h"

void lt_code_init(struct lt_code *c)
{
	*c = (struct lt_code){ .seed = lt_hash_seed() };
	lt_map_init(&c->by_key);
	lt_later_init(&c->later);
}

void lt_code_destroy(struct lt_code *c)
{
	for (size_t i = 0; i < c->n; i++) {
		lt_symbols_free(c->ranges[i].symbols);
		free(c->ranges[i].text);
	}
	lt_map_destroy(&c->by_key);
	free(c->ranges);
	free(c->order);
	free(c->reach);
	lt_later_destroy(&c->later);
	*c = (struct lt_code){ 0 };
}

/* ------------------------------------------------------------------------
 * The text
 */

/* "key value" at the begin of a line. */
static bool take_number(const char **line, size_t *len, const char *key, uint64_t *value)
{
	char word[32];

	return lt_word(line, len, word, sizeof(word)) && !strcmp(word, key) &&
	       lt_word(line, len, word, sizeof(word)) &&
	       lt_number(strncmp(word, "0x", 2) ? word : word + 2,
			 strncmp(word, "0x", 2) ? 10 : 16, value);
}

/* "NAME begin 0xADDRESS size BYTES from UNITS to UNITS build ID" */
static bool parse(struct lt_code_range *r, const char *line, size_t len)
{
	char word[8];
	uint64_t size;

	*r = (struct lt_code_range){ 0 };
	if (!lt_word(&line, &len, r->name, sizeof(r->name)) ||
	    !take_number(&line, &len, "begin", &r->begin) ||
	    !take_number(&line, &len, "size", &size) ||
	    !take_number(&line, &len, "from", &r->from) ||
	    !take_number(&line, &len, "to", &r->to) ||
	    !lt_word(&line, &len, word, sizeof(word)) || strcmp(word, "build") ||
	    !lt_word(&line, &len, r->build, sizeof(r->build)))
		return false;
	if (!strcmp(r->build, "-"))
		*r->build = 0;
	r->end = r->begin + size;
	return r->begin && size && r->end > r->begin && (!r->to || r->to >= r->from);
}

/* Of what was there before the session, the time at which it went says which it is. */
static uint64_t time_of(const struct lt_code_range *r)
{
	return r->from ? r->from : r->to;
}

static bool is_same_entry(const struct lt_code_range *a, const struct lt_code_range *b)
{
	return a->begin == b->begin && !a->from == !b->from && time_of(a) == time_of(b) &&
	       !strcmp(a->name, b->name);
}

static uint32_t hash_of(const struct lt_code *c, uint64_t begin, uint64_t time)
{
	return (uint32_t)lt_hash64(lt_hash64(begin, c->seed) + time, c->seed);
}

static struct lt_code_range *find_same(struct lt_code *c, const struct lt_code_range *like)
{
	uint32_t number;

	lt_map_for_each(number, at, &c->by_key, hash_of(c, like->begin, time_of(like))) {
		if (is_same_entry(&c->ranges[number - 1], like))
			return &c->ranges[number - 1];
	}
	return NULL;
}

/* The first that was there before the session, whether it has gone or not. */
static struct lt_code_range *find_early(struct lt_code *c, const struct lt_code_range *like)
{
	uint32_t number;

	lt_map_for_each(number, at, &c->by_key, hash_of(c, like->begin, 0)) {
		struct lt_code_range *r = &c->ranges[number - 1];

		if (!r->from && r->begin == like->begin && !strcmp(r->name, like->name))
			return r;
	}
	return NULL;
}

static void add_key(struct lt_code *c, const struct lt_code_range *r, uint64_t time)
{
	lt_map_add(&c->by_key, hash_of(c, r->begin, time), (uint32_t)(r - c->ranges) + 1);
}

/*
 * One text has a module of before the session as being there, a later one when it went: that is one
 * entry. It has two keys.
 */
static struct lt_code_range *entry_of(struct lt_code *c, const struct lt_code_range *new)
{
	struct lt_code_range *r = find_same(c, new), *early = NULL;

	if (r)
		return r;
	if (!new->from)
		early = find_early(c, new);
	if (early && !new->to)
		return early;
	if (early && !early->to) {
		add_key(c, early, new->to);
		return early;
	}
	c->ranges = lt_grow(c->ranges, &c->cap, c->n, sizeof(*c->ranges));
	c->ranges[c->n++] = *new;
	r = &c->ranges[c->n - 1];
	add_key(c, r, time_of(new));
	if (!new->from && new->to && !early)
		add_key(c, r, 0);
	c->sorted = false;
	return r;
}

/* Whether a range came or went. */
static bool changed(const struct lt_code_range *r)
{
	return r->from || r->to;
}

/* Takes a range whose symbols are @symbols, or has none. */
static void take(struct lt_code *c, const struct lt_code_range *new, struct lt_str *symbols)
{
	struct lt_code_range *r = entry_of(c, new);

	if (new->end > r->end || (new->to && !r->to))
		c->sorted = false;
	r->end = new->end;
	/* What went does not come back: then it is another entry. */
	if (new->to)
		r->to = new->to;
	c->changing |= changed(r);
	strcpy(r->build, new->build);
	if (!symbols->n)
		return;
	free(r->text);
	lt_symbols_free(r->symbols);
	r->symbols = NULL;
	r->text = symbols->s;
	*symbols = (struct lt_str){ 0 };
}

size_t lt_code_add(struct lt_code *c, const char *text)
{
	struct lt_code_range r = { 0 };
	struct lt_str symbols = { 0 };
	size_t len, number = 0, bad = 0;
	bool any = false, right;
	const char *line;

	while (lt_line(&text, &line, &len)) {
		number++;
		if (len > 2 && !memcmp(line, "0x", 2)) {
			lt_str_add(&symbols, "%.*s\n", (int)len, line);
			continue;
		}
		if (any)
			take(c, &r, &symbols);
		free(symbols.s);
		symbols = (struct lt_str){ 0 };
		any = len > 5 && !memcmp(line, "code ", 5);
		right = any ? parse(&r, line + 5, len - 5) :
			len > 8 && !memcmp(line, "changes ", 8);
		any = any && right;
		if (!right && !bad)
			bad = number;
	}
	if (any)
		take(c, &r, &symbols);
	free(symbols.s);
	return bad;
}

/* ------------------------------------------------------------------------
 * Ranges of an address
 */

struct begin {
	uint64_t begin;
	uint32_t number;
};

static int by_begin(const void *a, const void *b)
{
	const struct begin *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void sort(struct lt_code *c)
{
	struct begin *b = lt_realloc_array(NULL, c->n ? c->n : 1, sizeof(*b));

	for (size_t i = 0; i < c->n; i++)
		b[i] = (struct begin){ c->ranges[i].begin, (uint32_t)i + 1 };
	if (c->n)
		qsort(b, c->n, sizeof(*b), by_begin);
	c->order = lt_realloc_array(c->order, c->n ? c->n : 1, sizeof(*c->order));
	c->reach = lt_realloc_array(c->reach, c->n ? c->n : 1, sizeof(*c->reach));
	c->low = c->n ? b[0].begin : 0;
	c->high = 0;
	c->changing_low = 0;
	c->changing_high = 0;
	for (size_t i = 0; i < c->n; i++) {
		const struct lt_code_range *r = &c->ranges[b[i].number - 1];

		if (r->end > c->high)
			c->high = r->end;
		if (changed(r) && !c->changing_high)
			c->changing_low = r->begin;
		if (changed(r) && r->end > c->changing_high)
			c->changing_high = r->end;
		c->order[i] = b[i].number;
		c->reach[i] = c->high;
	}
	free(b);
	c->sorted = true;
}

/* Whether no range has the address at any time: nearly all are of the kernel. */
static bool is_outside(const struct lt_code *c, uint64_t addr)
{
	return addr - c->low >= c->high - c->low;
}

/* Where the search for the ranges of an address begins: behind the last that begins before. */
static size_t search(struct lt_code *c, uint64_t addr)
{
	if (!c->sorted)
		sort(c);
	return lt_first_not(c->n, i, c->ranges[c->order[i] - 1].begin <= addr);
}

/* The next range of an address, from @at backward; 0: there is none. */
static uint32_t next_range(const struct lt_code *c, uint64_t addr, size_t *at)
{
	while (*at && c->reach[*at - 1] > addr) {
		uint32_t number = c->order[--*at];

		if (c->ranges[number - 1].end > addr)
			return number;
	}
	return 0;
}

static bool is_during(const struct lt_code_range *r, uint64_t units)
{
	return r->from <= units && (!r->to || units < r->to);
}

static struct lt_symbols *symbols_of(struct lt_code_range *r)
{
	if (!r->symbols) {
		r->symbols = lt_symbols_new();
		if (r->text)
			lt_symbols_add(r->symbols, r->text);
		lt_symbols_ready(r->symbols);
	}
	return r->symbols;
}

/* Whether two ranges of an address have the same code: a module that was loaded again. */
static bool same_code(struct lt_code *c, uint32_t a, uint32_t b)
{
	struct lt_code_range *x = &c->ranges[a - 1], *y = &c->ranges[b - 1];

	return a == b || (x->begin == y->begin && x->end == y->end && !strcmp(x->name, y->name) &&
			  !strcmp(x->build, y->build) &&
			  lt_symbols_are_equal(symbols_of(x), symbols_of(y)));
}

/* The first range that an address was in. */
static uint32_t first_of(struct lt_code *c, uint64_t addr)
{
	size_t at = search(c, addr);
	uint32_t number, first = 0;

	while ((number = next_range(c, addr, &at))) {
		const struct lt_code_range *r = &c->ranges[number - 1];

		if (!first || r->from < c->ranges[first - 1].from ||
		    (r->from == c->ranges[first - 1].from && number < first))
			first = number;
	}
	return first;
}

bool lt_code_is_made(const struct lt_code_range *r)
{
	return !strcmp(r->name, "bpf") || !strncmp(r->name, "__builtin__", 11);
}

/*
 * The range that has the address at a time. Code that the kernel has made loses its name first, and
 * its memory when no CPU can be in it any more: until other code comes it is what it was.
 */
static uint32_t range_at(struct lt_code *c, uint64_t addr, uint64_t units)
{
	size_t at = search(c, addr);
	uint32_t number, last = 0;

	while ((number = next_range(c, addr, &at))) {
		const struct lt_code_range *r = &c->ranges[number - 1];

		if (is_during(r, units))
			return number;
		if (r->to && r->to <= units && (!last || r->to > c->ranges[last - 1].to))
			last = number;
	}
	return last && lt_code_is_made(&c->ranges[last - 1]) ? last : 0;
}

/* Of all ranges of an address with the same code, the one with the least number. */
static uint32_t least_of(struct lt_code *c, uint64_t addr, uint32_t like)
{
	size_t at = search(c, addr);
	uint32_t number, least = like;

	while ((number = next_range(c, addr, &at))) {
		if (number < least && same_code(c, number, like))
			least = number;
	}
	return least;
}

/* ------------------------------------------------------------------------
 * Sites
 */

bool lt_code_stays(struct lt_code *c, uint64_t addr)
{
	uint32_t number;
	size_t at;

	if (!c->sorted)
		sort(c);
	if (addr - c->changing_low >= c->changing_high - c->changing_low)
		return true;
	at = search(c, addr);
	while ((number = next_range(c, addr, &at))) {
		if (changed(&c->ranges[number - 1]))
			return false;
	}
	return true;
}

uint64_t lt_code_site(struct lt_code *c, uint64_t addr, uint64_t units)
{
	uint32_t first, now;

	first = lt_code_stays(c, addr) ? 0 : first_of(c, addr);
	if (!first)
		return addr;
	now = range_at(c, addr, units);
	if (now && same_code(c, now, first))
		return addr;
	return lt_later_site(&c->later, addr, now ? least_of(c, addr, now) : 0);
}

uint64_t lt_code_address(const struct lt_code *c, uint64_t site)
{
	const struct lt_later_site *a = lt_later_of(&c->later, site);

	return a ? a->addr : site;
}

uint64_t lt_code_before(struct lt_code *c, uint64_t site)
{
	const struct lt_later_site *a = lt_later_of(&c->later, site);

	return a ? lt_later_site(&c->later, a->addr - 1, a->range) : site - 1;
}

static uint32_t number_of(struct lt_code *c, uint64_t site)
{
	const struct lt_later_site *a = lt_later_of(&c->later, site);

	if (a)
		return a->range;
	if (!c->sorted)
		sort(c);
	return is_outside(c, site) ? 0 : first_of(c, site);
}

const struct lt_code_range *lt_code_of(struct lt_code *c, uint64_t site)
{
	uint32_t number = number_of(c, site);

	if (!number)
		return NULL;
	symbols_of(&c->ranges[number - 1]);
	return &c->ranges[number - 1];
}

static bool is_during_ns(const struct lt_code_range *r, uint64_t time, const struct lt_clock *clock)
{
	return (!r->from || lt_clock_peek(clock, r->from) <= time) &&
	       (!r->to || time < lt_clock_peek(clock, r->to));
}

const struct lt_code_range *lt_code_at(struct lt_code *c, uint64_t site, uint64_t time,
				       const struct lt_clock *clock)
{
	uint32_t like = number_of(c, site), number;
	uint64_t addr = lt_code_address(c, site);
	size_t at = search(c, addr);

	while (like && (number = next_range(c, addr, &at))) {
		if (is_during_ns(&c->ranges[number - 1], time, clock) &&
		    same_code(c, number, like))
			return &c->ranges[number - 1];
	}
	return NULL;
}

bool lt_code_has(struct lt_code *c, const char *name, uint64_t addr)
{
	size_t at = search(c, addr);
	uint32_t number;

	while ((number = next_range(c, addr, &at))) {
		if (!strcmp(c->ranges[number - 1].name, name))
			return true;
	}
	return false;
}

uint64_t lt_code_unloaded(const struct lt_code *c, const struct lt_code_range *r)
{
	uint64_t last = r->to;

	/* What ran but once at its begin is gone long before the rest. */
	for (size_t i = 0; r->from && last && i < c->n; i++) {
		const struct lt_code_range *o = &c->ranges[i];

		if (o->from != r->from || strcmp(o->name, r->name))
			continue;
		if (!o->to || o->to > last)
			last = o->to;
	}
	return last;
}

/* ------------------------------------------------------------------------
 * Symbols
 */

void lt_code_forget_symbols(struct lt_code *c)
{
	for (size_t i = 0; i < c->n; i++) {
		lt_symbols_free(c->ranges[i].symbols);
		c->ranges[i].symbols = NULL;
	}
}

/* A line of /proc/kallsyms, for all ranges that it is of. */
static void fill_line(struct lt_code *c, struct lt_str *texts, const char *line, size_t len)
{
	const char *name = memchr(line, '[', len), *end;
	uint64_t addr = strtoull(line, NULL, 16);
	uint32_t number;
	size_t at;

	if (!name || is_outside(c, addr))
		return;
	name++;
	end = memchr(name, ']', (size_t)(line + len - name));
	at = search(c, addr);
	while (end && (number = next_range(c, addr, &at))) {
		const struct lt_code_range *r = &c->ranges[number - 1];

		if (!r->text && strlen(r->name) == (size_t)(end - name) &&
		    !memcmp(r->name, name, (size_t)(end - name)))
			lt_str_add(&texts[number - 1], "%.*s\n", (int)len, line);
	}
}

void lt_code_fill(struct lt_code *c, const char *kallsyms)
{
	struct lt_str *texts;
	const char *line;
	bool any = false;
	size_t len;

	for (size_t i = 0; i < c->n; i++)
		any |= !c->ranges[i].text;
	if (!any)
		return;
	if (!c->sorted)
		sort(c);
	texts = lt_realloc_array(NULL, c->n, sizeof(*texts));
	memset(texts, 0, c->n * sizeof(*texts));
	while (lt_line(&kallsyms, &line, &len))
		fill_line(c, texts, line, len);
	for (size_t i = 0; i < c->n; i++) {
		if (texts[i].n)
			lt_symbols_add(symbols_of(&c->ranges[i]), texts[i].s);
		free(texts[i].s);
	}
	free(texts);
}

void lt_code_ready(struct lt_code *c)
{
	if (!c->sorted)
		sort(c);
	for (size_t i = 0; i < c->n; i++)
		lt_symbols_ready(symbols_of(&c->ranges[i]));
}

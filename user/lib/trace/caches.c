// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the ids of slab caches mean, each at its time: by their records, and by the text CACHES of a
 * trace whose oldest packets were overwritten.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "trace/caches.h"
#include "trace/internal.h"

/*
 * Half of the time that an id rests between two caches. The events of the next cache may stand a
 * little before the record that announces it, which another CPU has written; those of the one
 * before, a little behind its end.
 */
#define HALF_REST	500000000ULL	/* ns */

static struct lt_cache_use *add_use(struct lt_entities *e, uint32_t id, uint64_t begin)
{
	struct lt_cache_id *x;
	struct lt_cache_use *u;
	size_t at;

	if (id >= e->n_cache_ids)
		e->cache_ids = lt_extend(e->cache_ids, &e->n_cache_ids, (size_t)id + 1,
					 sizeof(*e->cache_ids));
	x = &e->cache_ids[id];
	x->uses = lt_grow(x->uses, &x->cap, x->n, sizeof(*x->uses));
	/* Texts have the latest use of an id first. */
	for (at = x->n++; at && x->uses[at - 1].begin > begin; at--)
		x->uses[at] = x->uses[at - 1];
	u = &x->uses[at];
	*u = (struct lt_cache_use){ .number = id, .begin = begin, .gone = UINT64_MAX };
	if (x->n == 1)
		return u;
	e->later_ids = lt_grow(e->later_ids, &e->cap_later, e->n_later, sizeof(*e->later_ids));
	u->number = LT_FIRST_LATER_CACHE + (uint32_t)e->n_later;
	e->later_ids[e->n_later++] = (uint16_t)id;
	return u;
}

/* The use of an id at a time; NULL: none. Behind the end of the last one there is a next one. */
static struct lt_cache_use *use_at(struct lt_trace *t, uint32_t id, uint64_t time)
{
	struct lt_entities *e = &t->entities;
	struct lt_cache_id *x = id < e->n_cache_ids ? &e->cache_ids[id] : NULL;
	size_t i = x ? x->n : 0;
	struct lt_cache_use *last = i ? &x->uses[i - 1] : NULL;

	if (last && last->gone <= time && time - last->gone >= HALF_REST && t->cache_ids_again &&
	    e->n_later < LT_FIRST_DEVICE - LT_FIRST_LATER_CACHE)
		return add_use(e, id, last->gone + HALF_REST);
	while (i && x->uses[i - 1].begin > time)
		i--;
	return i ? &x->uses[i - 1] : NULL;
}

uint32_t lt_entities_cache_at(struct lt_trace *t, uint32_t id, uint64_t time)
{
	const struct lt_cache_use *u;

	if (!id || id >= LT_FIRST_LATER_CACHE || id >= t->entities.n_cache_ids ||
	    !t->entities.cache_ids[id].n)
		return id;
	u = t->entities.cache_ids[id].uses;
	/* Mostly the id has meant one cache, which is there for ever. */
	if (t->entities.cache_ids[id].n > 1 || u->gone != UINT64_MAX || u->begin > time)
		u = use_at(t, id, time);
	return u ? u->number : 0;
}

void lt_entities_cache_gone(struct lt_trace *t, uint32_t id, uint64_t time)
{
	struct lt_cache_use *u;

	t->entities.cache_changes++;
	if (!id || id >= LT_FIRST_LATER_CACHE)
		return;
	u = use_at(t, id, time);
	if (!u)
		u = add_use(&t->entities, id, 0);
	if (time < u->gone)
		u->gone = time;
}

/* Describes a use of an id by another cache than the one that it is known to mean. */
static struct lt_cache_use *used_twice(struct lt_trace *t, const struct lt_cache *old,
				       const struct lt_cache *new, uint64_t time)
{
	if (!t->entities.redefined)
		lt_trace_note(t, LT_NO_OFFSET, "the cache id %u is used for two caches, '%s' and "
			      "'%s', and the end of the first one is missing", new->id, old->name,
			      new->name);
	t->entities.redefined = true;
	/* Of earlier versions, whose ids have one meaning, the last one counts. */
	return t->cache_ids_again ? add_use(&t->entities, new->id, time) : NULL;
}

void lt_entities_set_cache(struct lt_trace *t, const struct lt_cache *new, uint64_t time)
{
	struct lt_entities *e = &t->entities;
	const struct lt_cache_use *u = use_at(t, new->id, time);
	uint32_t number = u ? u->number : add_use(e, new->id, 0)->number;
	struct lt_cache *old;

	e->cache_changes++;
	old = number < e->n_caches ? e->caches[number] : NULL;
	if (old && (old->ptr != new->ptr || strcmp(old->name, new->name))) {
		u = used_twice(t, old, new, time);
		number = u ? u->number : number;
	}
	if (number >= e->n_caches)
		e->caches = lt_extend(e->caches, &e->n_caches,
				      number + (number < LT_FIRST_LATER_CACHE ? 1U : 1024U),
				      sizeof(*e->caches));
	if (!e->caches[number])
		e->caches[number] = lt_alloc(sizeof(*new));
	*e->caches[number] = *new;
	e->caches[number]->id = number;
}

uint64_t lt_trace_cache_changes(const struct lt_trace *t)
{
	return t->entities.cache_changes;
}

uint64_t lt_trace_task_changes(const struct lt_trace *t)
{
	return t->entities.task_changes;
}

bool lt_trace_form(const struct lt_trace *t, uint32_t form, uint64_t time, struct lt_event *ev)
{
	const struct lt_cache_id *x;

	*ev = t->forms.all[form];
	if (!ev->cache || !t->cache_ids_again || ev->cache >= LT_FIRST_LATER_CACHE ||
	    ev->cache >= t->entities.n_cache_ids)
		return true;
	x = &t->entities.cache_ids[ev->cache];
	if (!x->n)
		return true;
	if (x->n > 1 || x->uses[0].gone != UINT64_MAX || x->uses[0].begin > time)
		return false;
	ev->cache = x->uses[0].number;
	return true;
}

const struct lt_event *lt_trace_form_recorded(const struct lt_trace *t, uint32_t form,
					      const struct lt_event_desc **desc)
{
	const struct lt_event *ev = &t->forms.all[form];
	const struct lt_plain *plain = t->schema->plain[ev->channel - 1];

	for (unsigned int id = 0; desc && id <= LT_ID_MASK; id++) {
		if (plain[id].brief && plain[id].desc && plain[id].desc->event == ev->id)
			*desc = plain[id].desc;
	}
	return ev;
}

const struct lt_cache *lt_trace_cache(const struct lt_trace *t, uint32_t id)
{
	const struct lt_entities *e = &t->entities;

	if (id >= LT_FIRST_DEVICE)
		return id - LT_FIRST_DEVICE < e->n_devices ?
		       e->devices[id - LT_FIRST_DEVICE] : NULL;
	return id < e->n_caches ? e->caches[id] : NULL;
}

size_t lt_trace_n_caches(const struct lt_trace *t)
{
	return t->entities.n_caches;
}

const struct lt_cache *lt_trace_cache_at(const struct lt_trace *t, uint64_t id, uint64_t time)
{
	const struct lt_entities *e = &t->entities;
	const struct lt_cache_id *x = id < e->n_cache_ids ? &e->cache_ids[id] : NULL;
	size_t i = x ? x->n : 0;

	while (i && x->uses[i - 1].begin > time)
		i--;
	if (!i || (t->cache_ids_again && x->uses[i - 1].gone <= time &&
		   time - x->uses[i - 1].gone >= HALF_REST))
		return NULL;
	return lt_trace_cache(t, x->uses[i - 1].number);
}

uint32_t lt_trace_cache_id(const struct lt_trace *t, uint32_t number)
{
	const struct lt_entities *e = &t->entities;

	if (number < LT_FIRST_LATER_CACHE || number - LT_FIRST_LATER_CACHE >= e->n_later)
		return number;
	return e->later_ids[number - LT_FIRST_LATER_CACHE];
}

uint64_t lt_trace_cache_begin(const struct lt_trace *t, uint32_t number, uint64_t *gone)
{
	uint32_t id = lt_trace_cache_id(t, number);
	const struct lt_cache_id *x = id < t->entities.n_cache_ids ? &t->entities.cache_ids[id] :
								     NULL;

	*gone = UINT64_MAX;
	for (size_t i = 0; x && i < x->n; i++) {
		if (x->uses[i].number != number)
			continue;
		*gone = x->uses[i].gone;
		return x->uses[i].begin;
	}
	return 0;
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

/**
 * struct period - when an id had the meaning that the next line of CACHES says
 * @id: 0: no line says that
 * @from, @until: ns; @until UINT64_MAX: to the end
 */
struct period {
	unsigned int id;
	uint64_t from;
	uint64_t until;
};

/* "cache_time ID from CLOCK until CLOCK" */
static bool take_period(const struct lt_trace *t, const char *line, struct period *p)
{
	uint64_t from, until;

	if (sscanf(line, "cache_time %u from %" SCNu64 " until %" SCNu64, &p->id, &from,
		   &until) != 3)
		return false;
	p->from = lt_trace_ns(t, from);
	p->until = until ? lt_trace_ns(t, until) : UINT64_MAX;
	return true;
}

/* The cache of a line CACHES had its id in a period; before and after that it had another one. */
static void set_cache_in(struct lt_trace *t, const struct lt_cache *new, const struct period *p)
{
	uint64_t begin = p->from > HALF_REST ? p->from - HALF_REST : 0;
	struct lt_cache_use *u = use_at(t, new->id, p->from);

	if (!u || u->begin < begin)
		add_use(&t->entities, new->id, begin);
	lt_entities_set_cache(t, new, p->from);
	if (p->until != UINT64_MAX)
		lt_entities_cache_gone(t, new->id, p->until);
}

/* "cache ID ptr 0xPTR object_size N size N gone N name NAME" */
static void take_line(struct lt_trace *t, const char *line, size_t len, struct period *period)
{
	struct period p = *period;
	unsigned long long ptr;
	struct lt_cache new = { 0 };
	unsigned int gone;
	int used = 0;
	char buf[512];

	if (len >= sizeof(buf))
		return;
	memcpy(buf, line, len);
	buf[len] = 0;
	if (take_period(t, buf, period))
		return;
	period->id = 0;
	if (sscanf(buf, "cache %u ptr %llx object_size %u size %u gone %u name %n", &new.id, &ptr,
		   &new.object_size, &new.size, &gone, &used) != 5 || !used)
		return;
	/* The blank before an empty name may be missing. */
	if ((size_t)used > len || !new.id || new.id >= LT_FIRST_LATER_CACHE)
		return;
	new.ptr = ptr;
	copy_name(new.name, sizeof(new.name), line + used, len - (size_t)used);
	if (p.id == new.id)
		set_cache_in(t, &new, &p);
	else
		lt_entities_set_cache(t, &new, 0);
}

void lt_entities_text(struct lt_trace *t, const char *text)
{
	struct period period = { 0 };
	const char *line;
	size_t len;

	while (lt_line(&text, &line, &len))
		take_line(t, line, len, &period);
}

void lt_entities_texts(struct lt_trace *t)
{
	const char *text;

	for (size_t n = 0; (text = lt_trace_text(t, LT_BLOCK_CACHES, n)); n++)
		lt_entities_text(t, text);
}

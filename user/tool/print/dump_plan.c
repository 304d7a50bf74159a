// SPDX-License-Identifier: GPL-2.0
/*
 * What stands before the values of an event, made once.
 */
#include <string.h>

#include "base/mem.h"
#include "print/dump.h"
#include "print/site.h"

static bool has_field(const struct lt_event_desc *d, const char *name)
{
	return lt_schema_field(d, name) != NULL;
}

static void make_key(struct lt_dump_key *key, const char *begin, const char *name, const char *end)
{
	key->len = (size_t)(stpcpy(stpcpy(stpcpy(key->text, begin), name), end) - key->text);
}

size_t lt_dump_field_room(const struct lt_field *f)
{
	switch (f->kind) {
	case LT_KIND_CODE:
		return 4 * LT_SITE_TEXT + LT_PIECE;
	case LT_KIND_GFP:
		return LT_DUMP_GFP + LT_PIECE;
	case LT_KIND_CACHE:
		/* Escaped, a byte becomes six in JSON. */
		return LT_DIGITS + 6 * sizeof(((struct lt_cache *)NULL)->name) + 32;
	default:
		return LT_DIGITS + LT_NAME_SIZE;
	}
}

/* The fields at the begin, up to the first array or text, as far as they have room. */
static void find_simple(struct lt_dump_plan *plan, const struct lt_event_desc *desc)
{
	const size_t key = sizeof(plan->keys[0].text);
	unsigned int i = 0;

	plan->room = LT_DUMP_HEAD + key;
	for (; i < desc->n_fields; i++) {
		const struct lt_field *f = &desc->fields[i];

		if (f->type == LT_TYPE_CHARS || f->count != 1 ||
		    plan->room + key + lt_dump_field_room(f) > LT_DUMP_ROOM)
			break;
		plan->room += key + lt_dump_field_room(f);
	}
	plan->n_simple = i;
}

/* Whether a field is printed as the number that it is. */
static bool is_own_number(const struct lt_field *f)
{
	return f->kind == LT_KIND_SITE || f->kind == LT_KIND_STACK;
}

/*
 * Whether the number of the record is the first field, that of the stack the last one, and the
 * others are what the key has.
 */
static bool is_kept(const struct lt_event_desc *d)
{
	const unsigned int last = lt_dump_key_end(d);
	const size_t end = d->has_stack ? d->stack : d->size;

	if (!d->has_key || !last || d->fields[0].offset != d->site ||
	    !is_own_number(&d->fields[0]) || (d->has_stack && (d->fields[last].offset != d->stack ||
							       !is_own_number(&d->fields[last]))))
		return false;
	for (unsigned int i = 1; i < last; i++) {
		const struct lt_field *f = &d->fields[i];

		if (f->offset < LT_KEY_FROM || f->offset + (size_t)f->size * f->count > end)
			return false;
	}
	return true;
}

struct lt_dump_plan *lt_dump_make_plan(struct lt_dump *d, const struct lt_event_desc *desc)
{
	struct lt_dump_plan *plan = lt_alloc(sizeof(*plan) +
					     desc->n_fields * sizeof(plan->keys[0]));

	plan->has_tid = has_field(desc, "tid");
	plan->has_tgid = has_field(desc, "tgid");
	plan->has_comm = has_field(desc, "comm");
	plan->has_name = has_field(desc, "name");
	plan->start = lt_schema_field(desc, "start");
	find_simple(plan, desc);
	lt_dump_plan_tail(d, plan, desc);
	plan->is_kept = is_kept(desc);
	make_key(&plan->name, " ", desc->name, ":");
	make_key(&plan->channel, ",\"channel\":\"", lt_channel_name(desc->channel), "\",\"seq\":");
	for (unsigned int i = 0; i < desc->n_fields; i++)
		make_key(&plan->keys[i], d->json ? LT_JSON_KEY_BEGIN : " ", desc->fields[i].name,
			 d->json ? LT_JSON_KEY_END : "=");
	d->plans[desc->id] = plan;
	return plan;
}

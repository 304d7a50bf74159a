// SPDX-License-Identifier: GPL-2.0
/*
 * What stands before the values of an event, made once.
 */
#include <string.h>

#include "base/mem.h"
#include "print/dump.h"

static bool has_field(const struct lt_event_desc *d, const char *name)
{
	return lt_schema_field(d, name) != NULL;
}

static void make_key(struct lt_dump_key *key, const char *begin, const char *name, const char *end)
{
	key->len = (size_t)(stpcpy(stpcpy(stpcpy(key->text, begin), name), end) - key->text);
}

const struct lt_dump_plan *lt_dump_make_plan(struct lt_dump *d, const struct lt_event_desc *desc)
{
	struct lt_dump_plan *plan = lt_alloc(sizeof(*plan) +
					     desc->n_fields * sizeof(plan->keys[0]));

	plan->has_tid = has_field(desc, "tid");
	plan->has_tgid = has_field(desc, "tgid");
	plan->has_comm = has_field(desc, "comm");
	plan->has_name = has_field(desc, "name");
	make_key(&plan->name, " ", desc->name, ":");
	for (unsigned int i = 0; i < desc->n_fields; i++)
		make_key(&plan->keys[i], d->json ? LT_JSON_KEY_BEGIN : " ", desc->fields[i].name,
			 d->json ? LT_JSON_KEY_END : "=");
	d->plans[desc->id] = plan;
	return plan;
}

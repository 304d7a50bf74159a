/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the events of a schema have the fields of certain names: looked up once for each event.
 */
#ifndef LT_FORMAT_PICKS_H
#define LT_FORMAT_PICKS_H

#include "format/record.h"
#include "format/schema.h"

/**
 * struct lt_picks - where events have certain fields; all is private
 * @names: of the fields
 * @n: number of @names
 * @arrays: a bit for each of the first 64 names: an array of bytes or characters; the others are
 *	single numbers. A field of another type is missing.
 * @of: fields by id of the event; NULL: not looked up yet
 */
struct lt_picks {
	const char *const *names;
	unsigned int n;
	uint64_t arrays;
	struct lt_picked *of[LT_SCHEMA_IDS];
};

/* The fields of an event, one for each name; NULL: the event does not have it. */
struct lt_picked {
	const struct lt_event_desc *desc;
	const struct lt_field *fields[];
};

/* @names must remain. */
void lt_picks_init(struct lt_picks *p, const char *const *names, unsigned int n, uint64_t arrays);
void lt_picks_destroy(struct lt_picks *p);

/* The fields of an event. */
const struct lt_picked *lt_picks_of(struct lt_picks *p, const struct lt_event_desc *d);

/* The value of the field with name @i, a number; 0 if the event does not have it. */
static inline uint64_t lt_picked_value(const struct lt_packet *p, const struct lt_picked *at,
				       unsigned int i, const uint8_t *raw)
{
	const struct lt_field *f = at->fields[i];

	return f ? lt_field_value(p, f, raw) : 0;
}

#endif /* LT_FORMAT_PICKS_H */

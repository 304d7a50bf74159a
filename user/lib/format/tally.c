// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records of a packet that are counted, or looked for, and not decoded.
 */
#include "base/byteorder.h"
#include "base/mem.h"
#include "format/record.h"

static void add_found(struct lt_found *found, size_t pos, uint64_t time)
{
	found->list = lt_grow(found->list, &found->cap, found->n, sizeof(*found->list));
	found->list[found->n++] = (struct lt_found_record){ pos, time, found->records };
}

/* A record, in a walk that only counts. */
struct walked {
	uint32_t id;
	uint8_t index;		/* as in struct lt_plain */
	uint64_t time;
};

/* As walk_record(), with a long head. */
static size_t walk_long(const struct lt_packet *p, const struct lt_schema *schema,
			const uint8_t *rec, size_t left, struct walked *w)
{
	const struct lt_event_desc *d;
	uint64_t time;

	if (left < LT_REC_LONG)
		return 0;
	time = lt_get64(rec + LT_LONG_TIME, p->big);
	w->id = lt_get16(rec + LT_LONG_ID, p->big);
	d = w->id <= LT_EV_ID(UINT32_MAX) ? lt_schema_event(schema, LT_EV(p->channel, w->id)) :
					    NULL;
	if (!d || time < w->time || d->size > left - LT_REC_LONG)
		return 0;
	w->time = time;
	w->index = d->class == LT_CLASS_NONE ? LT_N_CLASSES : LT_CLASS_INDEX(d->class);
	return LT_REC_LONG + d->size;
}

/* Return: the size of the record; 0: it is damaged. */
static inline size_t walk_record(const struct lt_packet *p, const struct lt_schema *schema,
				 const uint8_t *rec, size_t left, struct walked *w)
{
	const struct lt_plain *plain = schema->plain[p->channel - 1];
	uint32_t word, low;

	if (left < LT_REC_WORD)
		return 0;
	word = lt_get32(rec, p->big);
	w->id = p->big ? word >> 26 : word & LT_ID_MASK;
	low = (p->big ? word >> 2 : word >> 6) & LT_TIME_MASK;
	if (w->id == LT_EV_LONG)
		return walk_long(p, schema, rec, left, w);
	w->time += (low - (uint32_t)w->time) & LT_TIME_MASK;
	w->index = plain[w->id].index;
	return plain[w->id].bytes <= left ? plain[w->id].bytes : 0;
}

/* @found: NULL, or what is looked for; a constant where this is inlined. */
static inline __attribute__((always_inline)) bool
walk(const struct lt_packet *p, const struct lt_schema *schema, uint64_t n[LT_N_CLASSES],
     struct lt_found *found)
{
	const uint8_t *rec = p->data + p->header_size, *end = p->data + p->size;
	uint64_t counts[LT_N_CLASSES + 1] = { 0 };
	struct walked w = { .time = p->begin };

	while (rec < end) {
		size_t bytes = walk_record(p, schema, rec, (size_t)(end - rec), &w);

		if (!bytes || w.time > p->end)
			break;
		counts[w.index]++;
		if (found && found->marks[LT_EV(p->channel, w.id)])
			add_found(found, (size_t)(rec - p->data), w.time);
		if (found)
			found->records++;
		rec += bytes;
	}
	for (unsigned int i = 0; i < LT_N_CLASSES; i++)
		n[i] += counts[i];
	return rec == end;
}

/*
 * walk() that only counts, of a packet in which nothing is wrong, for one byte order. Return: whether
 * nothing is. Times only grow, so the last one decides for all of them.
 */
static inline __attribute__((always_inline)) bool
tally(const struct lt_packet *p, const struct lt_schema *schema, uint64_t counts[LT_N_CLASSES + 1],
      const bool big)
{
	const struct lt_plain *plain = schema->plain[p->channel - 1];
	const uint8_t *rec = p->data + p->header_size, *end = p->data + p->size;
	struct walked w = { .time = p->begin };

	while (rec < end) {
		/* Behind the last record there is room for it (LT_SLACK). */
		uint32_t word = lt_get32(rec, big), id = big ? word >> 26 : word & LT_ID_MASK;
		size_t bytes = plain[id].bytes;

		if (bytes) {
			w.time += ((big ? word >> 2 : word >> 6) - (uint32_t)w.time) & LT_TIME_MASK;
			w.index = plain[id].index;
		} else {
			bytes = id == LT_EV_LONG ?
				walk_long(p, schema, rec, (size_t)(end - rec), &w) : 0;
			if (!bytes)
				return false;
		}
		counts[w.index]++;
		rec += bytes;
	}
	/* Too near to 2^64 it might have gone round. */
	return rec == end && w.time <= p->end && !(p->end >> 63);
}

bool lt_packet_tally(const struct lt_packet *p, const struct lt_schema *schema,
		     uint64_t n[LT_N_CLASSES])
{
	uint64_t counts[LT_N_CLASSES + 1] = { 0 };

	if (!(p->big ? tally(p, schema, counts, true) : tally(p, schema, counts, false)))
		return walk(p, schema, n, NULL);
	for (unsigned int i = 0; i < LT_N_CLASSES; i++)
		n[i] += counts[i];
	return true;
}

bool lt_packet_find(const struct lt_packet *p, const struct lt_schema *schema,
		    uint64_t n[LT_N_CLASSES], struct lt_found *found)
{
	found->n = 0;
	found->records = 0;
	return walk(p, schema, n, found);
}

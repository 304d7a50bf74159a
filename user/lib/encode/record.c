// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records of any event, from their structs, in either byte order.
 */
#include <stdlib.h>
#include <string.h>

#include "encode/internal.h"
#include "format/schema.h"

/* A field. @count: elements of @size bytes, 0: its bytes do not depend on the byte order. */
struct field {
	const char *name;
	uint16_t offset;
	uint8_t size;
	uint16_t count;
};

/* Texts, and bytes as they are in memory, have one order. */
#define SIZE_u8		1, 0
#define SIZE_s8		1, 0
#define SIZE_u16	2, 1
#define SIZE_s16	2, 1
#define SIZE_u24	3, 1
#define SIZE_u32	4, 1
#define SIZE_s32	4, 1
#define SIZE_u40	5, 1
#define SIZE_u48	6, 1
#define SIZE_s48	6, 1
#define SIZE_u56	7, 1
#define SIZE_u64	8, 1
#define SIZE_s64	8, 1
#define SIZE_u32x8	4, 8
#define SIZE_u32x16	4, 16
#define SIZE_u32x32	4, 32
#define SIZE_u64x32	8, 32
#define SIZE_u8x2	1, 0
#define SIZE_u8x4	1, 0
#define SIZE_u8x6	1, 0
#define SIZE_u8x8	1, 0
#define SIZE_u8x10	1, 0
#define SIZE_u8x12	1, 0
#define SIZE_u8x14	1, 0
#define SIZE_u8x16	1, 0
#define SIZE_u8x18	1, 0
#define SIZE_u8x20	1, 0
#define SIZE_u8x22	1, 0
#define SIZE_u8x24	1, 0
#define SIZE_u8x26	1, 0
#define SIZE_u8x28	1, 0
#define SIZE_u8x30	1, 0
#define SIZE_u8x32	1, 0
#define SIZE_u8x34	1, 0
#define SIZE_u8x36	1, 0
#define SIZE_u8x38	1, 0
#define SIZE_u8x40	1, 0
#define SIZE_u8x42	1, 0
#define SIZE_u8x44	1, 0
#define SIZE_u8x46	1, 0
#define SIZE_u8x48	1, 0
#define SIZE_u8x50	1, 0
#define SIZE_u8x52	1, 0
#define SIZE_u8x54	1, 0
#define SIZE_u8x56	1, 0
#define SIZE_u8x58	1, 0
#define SIZE_u8x60	1, 0
#define SIZE_u8x64	1, 0
#define SIZE_u8x80	1, 0
#define SIZE_u8x96	1, 0
#define SIZE_u8x128	1, 0
#define SIZE_u8x192	1, 0
#define SIZE_u8x256	1, 0
#define SIZE_char1	1, 0
#define SIZE_char8	1, 0
#define SIZE_char16	1, 0
#define SIZE_char32	1, 0
#define SIZE_char56	1, 0
#define SIZE_char64	1, 0
#define SIZE_char120	1, 0
#define SIZE_char128	1, 0
#define SIZE_char256	1, 0
#define SIZE_char4096	1, 0

#define FIELD(type, name, kind, text)	{ #name, offsetof(rec, name), SIZE_##type },

/* One table an event: offsetof() needs its struct by one name. */
#define FIELDS(CHANNEL, id, NAME, name, CLASS, text)				\
	static const struct field *fields_of_##NAME(unsigned int *n)		\
	{									\
		typedef struct lt_rec_##NAME rec;				\
		static const struct field fields[] = { LT_FIELDS_##NAME(FIELD) };	\
										\
		*n = sizeof(fields) / sizeof(fields[0]);			\
		return fields;							\
	}

LT_EVENTS(FIELDS)

struct event {
	const struct field *(*fields)(unsigned int *n);
	const char *name;
	uint16_t size;
	uint8_t class;
};

#define EVENT(CHANNEL, id, NAME, name, CLASS, text)				\
	[LT_CHANNEL_##CHANNEL - 1][id] = {					\
		fields_of_##NAME, #NAME, sizeof(struct lt_rec_##NAME), LT_CLASS_##CLASS },

static const struct event events[LT_N_CHANNELS][LT_ID_MASK] = { LT_EVENTS(EVENT) };

/* Of an event of uapi/ alone. */
static const struct event *find(unsigned int event)
{
	return &events[LT_EV_CHANNEL(event) - 1][LT_EV_ID(event)];
}

unsigned int lt_encode_class(unsigned int event)
{
	return find(event)->class;
}

size_t lt_encode_size(unsigned int event)
{
	return find(event)->size;
}

const char *lt_encode_event_name(unsigned int event)
{
	return find(event)->name;
}

static void reverse(uint8_t *p, size_t size)
{
	for (size_t i = 0; i < size / 2; i++) {
		uint8_t byte = p[i];

		p[i] = p[size - 1 - i];
		p[size - 1 - i] = byte;
	}
}

static void turn(const struct event *ev, uint8_t *payload)
{
	unsigned int n;
	const struct field *fields = ev->fields(&n);

	for (unsigned int i = 0; i < n; i++) {
		for (unsigned int k = 0; k < fields[i].count; k++)
			reverse(payload + fields[i].offset + k * fields[i].size, fields[i].size);
	}
}

/* ------------------------------------------------------------------------
 * The schema of a trace
 */

enum layout {
	LAYOUT_UNKNOWN,
	LAYOUT_SAME,
	LAYOUT_OTHER,
};

/* Whether a trace has the fields of an event where this version has them, as far as it has them. */
static bool has_layout(const struct lt_event_desc *d, const struct event *ev)
{
	unsigned int n;
	const struct field *fields = ev->fields(&n);

	if (!d || d->size > ev->size + LT_ENCODE_LONGER)
		return false;
	for (unsigned int i = 0; i < n; i++) {
		const struct lt_field *f = lt_schema_field(d, fields[i].name);

		/* An earlier version lacks the last ones. */
		if (!f && fields[i].offset >= d->size)
			continue;
		/* Its field has the bytes of both that it was taken apart to. */
		if (d->is_tight)
			return d->size == ev->size;
		if (!f || f->offset != fields[i].offset ||
		    (fields[i].count && lt_field_bytes(f) != fields[i].size * fields[i].count))
			return false;
	}
	return true;
}

static bool is_zero(const uint8_t *p, size_t n)
{
	while (n && !*p) {
		p++;
		n--;
	}
	return !n;
}

bool lt_encode_has(struct lt_encoder *e, unsigned int event)
{
	uint8_t *layout = &e->layouts[LT_EV_CHANNEL(event) - 1][LT_EV_ID(event)];

	if (!e->machine.schema)
		return true;
	if (*layout == LAYOUT_UNKNOWN)
		*layout = has_layout(lt_schema_event(e->machine.schema, event), find(event)) ?
			  LAYOUT_SAME : LAYOUT_OTHER;
	return *layout == LAYOUT_SAME;
}

/*
 * The size of a record in the trace; 0: it cannot be written. Fields that the trace does not have
 * must be 0.
 */
static size_t size_in(struct lt_encoder *e, unsigned int event, const struct event *ev,
		      const void *rec)
{
	const struct lt_event_desc *d;

	if (!e->machine.schema)
		return ev->size;
	if (!lt_encode_has(e, event))
		return 0;
	d = lt_schema_event(e->machine.schema, event);
	if (d->size < ev->size && !is_zero((const uint8_t *)rec + d->size, ev->size - d->size))
		return 0;
	return d->size;
}

void lt_encode_put(struct lt_encoder *e, uint64_t time, unsigned int context, unsigned int event,
		   const void *rec)
{
	const struct event *ev = find(event);
	size_t size = size_in(e, event, ev, rec);
	uint8_t *p;

	if (!size) {
		e->refused = event;
		return;
	}
	p = lt_encode_head(e, LT_EV_ID(event), context, time, size);
	/* There is room for the record of this version; what the trace has less is overwritten. */
	memcpy(p, rec, ev->size);
	if (size > ev->size)
		memset(p + ev->size, 0, size - ev->size);
	if (!lt_encode_same_order(e))
		turn(ev, p);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields to members of struct lt_event, by the steps that lt_schema_parse() has prepared. For the
 * files that decode records.
 */
#ifndef LT_FORMAT_DECODE_H
#define LT_FORMAT_DECODE_H

#include "format/plain.h"

/* lt_field_raw() */
static inline uint64_t lt_load_field(const struct lt_packet *p, const struct lt_field *f,
				     const uint8_t *payload)
{
	return lt_load(payload + (p->big ? f->offset_big : f->offset), p->big, 64 - 8 * f->size,
		       f->type == LT_TYPE_SINT) & f->mask;
}

static inline void lt_copy_fields(const struct lt_packet *p, const struct lt_copy *copies,
				  unsigned int n, const uint8_t *from, uint8_t *full)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct lt_copy *c = &copies[i];

		lt_put_uint(full + c->to, c->to_size,
			    lt_add_base(p, c->base,
					lt_load(from + (p->big ? c->from_big : c->from), p->big,
						64 - 8U * c->from_size, c->is_signed) & c->mask),
			    p->big);
	}
}

/*
 * What announces a site or a task, in the layout of the form with the most bytes. @whole: room for
 * it; fields that a narrow form lacks are 0, and so are texts.
 */
static inline const uint8_t *lt_widen(const struct lt_packet *p, const struct lt_event_desc *d,
				      const uint8_t *payload, uint8_t whole[LT_FULL_MAX + LT_SLACK])
{
	if (!d->n_copies)
		return payload;
	memset(whole, 0, LT_FULL_MAX + LT_SLACK);
	lt_copy_fields(p, d->copies, d->n_copies, payload, whole);
	return whole;
}

static inline void lt_decode_values(const struct lt_packet *p, const struct lt_event_desc *d,
				    const uint8_t *payload, uint64_t *v)
{
	for (unsigned int i = 0; i < d->n_steps; i++) {
		const struct lt_step *s = &d->steps[i];

		v[s->target] = lt_add_base(p, s->base,
					   lt_load(payload + s->offset, p->big, s->shift,
						   s->is_signed));
	}
}

static inline void lt_set_desc(const struct lt_packet *p, const struct lt_event_desc *d,
			       struct lt_event *ev)
{
	ev->cpu = p->cpu;
	ev->id = d->event;
	ev->channel = d->channel;
	ev->class = d->class;
	ev->raw_size = d->size;
}

#endif /* LT_FORMAT_DECODE_H */

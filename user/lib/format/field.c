// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The values of single fields.
 */
#include <string.h>

#include "format/decode.h"

const struct lt_field *lt_schema_field(const struct lt_event_desc *d, const char *name)
{
	for (unsigned int i = 0; i < d->n_fields; i++) {
		if (!strcmp(d->fields[i].name, name))
			return &d->fields[i];
	}
	return NULL;
}

uint64_t lt_field_raw(const struct lt_packet *p, const struct lt_field *f,
		      const uint8_t *payload)
{
	return lt_load_field(p, f, payload);
}

uint64_t lt_field_value(const struct lt_packet *p, const struct lt_field *f,
			const uint8_t *payload)
{
	return lt_add_base(p, lt_field_base(f), lt_field_raw(p, f, payload));
}

uint64_t lt_field_element(const struct lt_packet *p, const struct lt_field *f,
			  const uint8_t *payload, unsigned int i)
{
	return lt_add_base(p, lt_field_base(f),
			lt_load(payload + f->offset + (size_t)i * f->size, p->big, 64 - 8 * f->size,
				f->type == LT_TYPE_SINT));
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Markers in a packet.
 */
#include <string.h>

#include "flight/marker.h"
#include "format/record.h"

#define MARKER_MAX	255	/* bytes of a text; this version writes 120 */

void lt_packet_markers(const struct lt_packet *p, const struct lt_schema *schema,
		       void (*fn)(void *arg, const char *text, uint64_t clock), void *arg)
{
	struct lt_sites sites = { .n = 0 };
	char text[MARKER_MAX + 1];
	const struct lt_field *f;
	struct lt_records it;
	struct lt_record r;
	struct lt_why why;

	lt_records_begin(&it, p, schema, &sites);
	while (lt_records_next(&it, &r, &why) > 0) {
		if (r.desc->id != LT_EV_MARKER)
			continue;
		f = lt_schema_field(r.desc, "text");
		if (!f || f->size > MARKER_MAX)
			continue;
		memcpy(text, r.payload + f->offset, f->size);
		text[f->size] = 0;
		fn(arg, text, r.time);
	}
	lt_sites_free(&sites);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The beginnings of records: a word with id, time and context, or the long form.
 */
#include "base/byteorder.h"
#include "encode/internal.h"

static uint8_t *put(const struct lt_encoder *e, uint8_t *p, unsigned int size, uint64_t v)
{
	lt_put_uint(p, size, v, e->machine.big);
	return p + size;
}

uint8_t *lt_encode_head(struct lt_encoder *e, unsigned int id, unsigned int context,
			uint64_t time, size_t size)
{
	uint32_t low = (uint32_t)time & LT_TIME_MASK;
	uint8_t *p = e->buf + e->len;
	bool big = e->machine.big;

	if ((time - e->last) >> LT_TIME_BITS || id >= LT_EV_LONG) {
		p = put(e, p, 1, big ? LT_EV_LONG << 2 : LT_EV_LONG);
		p = put(e, p, 2, id);
		p = put(e, p, 8, time);
		p = put(e, p, 1, big ? context << 6 : context);
	} else if (big) {
		p = put(e, p, 4, id << 26 | low << 2 | context);
	} else {
		p = put(e, p, 4, id | low << LT_ID_BITS | (uint32_t)context << 30);
	}
	e->len = (size_t)(p - e->buf) + size;
	e->last = time;
	return p;
}

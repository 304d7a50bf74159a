/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tight form of an event of an object by a few stores, for nearly all of them: its place is
 * announced, and so is the task; the time is not far from the last one, and there is room.
 *
 * For callers that have the place of an event in its parts, and else call lt_encode_object().
 */
#ifndef LT_ENCODE_FAST_H
#define LT_ENCODE_FAST_H

#include <string.h>

#include "encode/internal.h"

static inline void lt_encode_put_u40(uint8_t *p, uint64_t v)
{
	for (unsigned int i = 0; i < 5; i++)
		p[i] = (uint8_t)(v >> 8 * (LT_BIG_ENDIAN ? 4 - i : i));
}

static inline bool lt_encode_is_announced(const struct lt_encoder *e,
					  const struct lt_encode_site *s,
					  const struct lt_encode_place *place)
{
	return s->stamp == e->stamp && !s->stack && lt_encode_is_place(&s->place, place);
}

#define LT_ENCODE_BRIEF	(LT_REC_WORD + sizeof(struct lt_rec_KMALLOC_TIGHT))

/* Do the number of a site, and an address less ptr_base, fit the tight form? */
static inline bool lt_encode_is_tight(uint64_t low, uint32_t site)
{
	return !(low & ~LT_TIGHT_ADDRESS) && site < LT_TIGHT_SITES;
}

/**
 * lt_encode_fast() - write an event in its tight form, without a stack
 * @e: the encoder
 * @time, @context: of the event
 * @event: enum lt_event_id of the tight form
 * @ptr: the object
 * @place: the place
 *
 * The caller counts it. Return: false: nothing was done.
 */
static inline __attribute__((always_inline)) bool
lt_encode_fast(struct lt_encoder *e, uint64_t time, unsigned int context, unsigned int event,
	       uint64_t ptr, const struct lt_encode_place *place)
{
	uint64_t low = ptr - e->machine.ptr_base;
	const struct lt_encode_site *s;
	uint8_t *p = e->buf + e->len;
	uint32_t word;

	if ((low & ~LT_TIGHT_ADDRESS) | (time - e->last) >> LT_TIME_BITS |
	    (e->len + LT_ENCODE_BRIEF >= e->fast_limit))
		return false;
	s = &e->sites->table[lt_encode_site_slot(place)];
	/* Few places have a third entry. */
	if (!lt_encode_is_announced(e, s, place) && !lt_encode_is_announced(e, ++s, place))
		return false;
	if (s->number >= LT_TIGHT_SITES)
		return false;
	word = LT_WORD(LT_EV_ID(event), context, time);
	memcpy(p, &word, sizeof(word));
	low = low << LT_TIGHT_SHIFT | s->number;
	/* Six bytes of eight. */
	if (LT_BIG_ENDIAN)
		low <<= 16;
	memcpy(p + LT_REC_WORD, &low, sizeof(low));
	e->len += LT_ENCODE_BRIEF;
	e->last = time;
	return true;
}

#endif /* LT_ENCODE_FAST_H */

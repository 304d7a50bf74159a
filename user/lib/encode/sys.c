// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * System calls, and what their arguments point to.
 */
#include <string.h>

#include "encode/internal.h"

#define MAX_ARGS	6U

/* An argument must fit 48 bits, the highest of which is the sign. */
static bool is_narrow(const struct lt_encode_sys *s, unsigned int n)
{
	uint64_t over = s->duration >> 32;

	for (unsigned int i = 0; i < n; i++)
		over |= (s->args[i] + (1ULL << 47)) >> 48;
	return !over && s->result == (int32_t)s->result && s->nr == (uint16_t)s->nr;
}

static void put_s48(uint8_t *p, uint64_t v)
{
	for (unsigned int i = 0; i < 6; i++)
		p[i] = (uint8_t)(v >> 8 * (LT_BIG_ENDIAN ? 5 - i : i));
}

/* The forms for more arguments begin as those for fewer. */
static void put_narrow(struct lt_encoder *e, uint64_t time, unsigned int context,
		       const struct lt_encode_sys *s, unsigned int n, uint8_t flags)
{
	struct lt_rec_SYS_6 rec = {
		.nr = (uint16_t)s->nr, .flags = flags, .duration = (uint32_t)s->duration,
		.result = (int32_t)s->result,
	};

	for (unsigned int i = 0; i < n; i++)
		put_s48(rec.arg0 + i * sizeof(rec.arg0), s->args[i]);
	lt_encode_put(e, time, context, LT_EV_SYS_0 + n, &rec);
}

static void put_wide(struct lt_encoder *e, uint64_t time, unsigned int context,
		     const struct lt_encode_sys *s, unsigned int n, uint8_t flags)
{
	struct lt_rec_SYS_WIDE_6 rec = {
		.nr = s->nr, .flags = flags, .duration = s->duration, .result = s->result,
	};

	memcpy(&rec.arg0, s->args, n * sizeof(s->args[0]));
	lt_encode_put(e, time, context, LT_EV_SYS_WIDE_0 + n, &rec);
}

/* ------------------------------------------------------------------------
 * Texts
 */

static unsigned int text_event(const struct lt_encode_text *t)
{
	if (t->addr)
		return t->size <= 32 ? LT_EV_SYS_ADDR : LT_EV_SYS_ADDR_128;
	if (t->size <= 32)
		return t->size <= 16 ? LT_EV_SYS_STR : LT_EV_SYS_STR_32;
	if (t->size <= 128)
		return t->size <= 64 ? LT_EV_SYS_STR_64 : LT_EV_SYS_STR_128;
	return LT_EV_SYS_STR_256;
}

/* How many of them a call may have; @size: result: bytes of their records. */
static size_t texts_that_fit(const struct lt_encoder *e, const struct lt_encode_text *texts,
			     size_t n, size_t *size)
{
	*size = 0;
	for (size_t i = 0; i < n; i++) {
		size_t more = lt_encode_room(e, 1, lt_encode_size(text_event(&texts[i])));

		if (*size + more > LT_ENCODE_TEXT_BYTES)
			return i;
		*size += more;
	}
	return n;
}

static void put_text(struct lt_encoder *e, uint64_t time, unsigned int context,
		     const struct lt_encode_text *t, bool more)
{
	/* The forms differ in the size of the text at the end. */
	struct lt_rec_SYS_STR_256 rec = {
		.arg = t->arg, .element = t->element,
		.flags = (uint8_t)((t->flags & ~LT_SYS_TEXT_MORE) | (more ? LT_SYS_TEXT_MORE : 0)),
		.size = t->size,
	};

	if (t->addr && rec.size > sizeof(((struct lt_rec_SYS_ADDR_128 *)0)->bytes))
		rec.size = sizeof(((struct lt_rec_SYS_ADDR_128 *)0)->bytes);
	memcpy(rec.text, t->bytes, rec.size);
	lt_encode_put(e, time, context, text_event(t), &rec);
	lt_encode_count(e, LT_CLASS_SYS_STR);
}

/* Those that follow their call; @n_all: with those for which there is no room. */
static void put_texts(struct lt_encoder *e, uint64_t time, unsigned int context,
		      const struct lt_encode_text *texts, size_t n, size_t n_all)
{
	for (size_t i = 0; i < n; i++)
		put_text(e, time, context, &texts[i], i + 1 < n);
	lt_encode_lost(e, LT_CLASS_SYS_STR, LT_ENCODE_FILTERED, n_all - n);
}

/* ------------------------------------------------------------------------
 * Calls
 */

void lt_encode_sys(struct lt_encoder *e, uint64_t time, unsigned int context,
		   const struct lt_encode_sys *sys)
{
	unsigned int n = sys->n < MAX_ARGS ? sys->n : MAX_ARGS;
	size_t size, n_texts = texts_that_fit(e, sys->texts, sys->n_texts, &size);
	uint8_t flags = (uint8_t)((sys->flags & ~LT_SYS_TEXTS) | (n_texts ? LT_SYS_TEXTS : 0));

	time = lt_encode_ready(e, time, context,
			       lt_encode_room(e, 1, sizeof(struct lt_rec_SYS_WIDE_6)) + size);
	if (is_narrow(sys, n))
		put_narrow(e, time, context, sys, n, flags);
	else
		put_wide(e, time, context, sys, n, flags);
	lt_encode_count(e, LT_CLASS_SYS);
	put_texts(e, time, context, sys->texts, n_texts, sys->n_texts);
}

void lt_encode_sys_begin(struct lt_encoder *e, uint64_t time, unsigned int context,
			 const struct lt_rec_SYS_BEGIN *begin, const struct lt_encode_text *texts,
			 size_t n_texts)
{
	size_t size, n = texts_that_fit(e, texts, n_texts, &size);
	struct lt_rec_SYS_BEGIN rec = *begin;

	rec.flags = (uint8_t)((rec.flags & ~LT_SYS_TEXTS) | (n ? LT_SYS_TEXTS : 0));
	time = lt_encode_ready(e, time, context, lt_encode_room(e, 1, sizeof(rec)) + size);
	lt_encode_put(e, time, context, LT_EV_SYS_BEGIN, &rec);
	lt_encode_count(e, LT_CLASS_SYS_BEGIN);
	put_texts(e, time, context, texts, n, n_texts);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The short form of a record: each value in as many bytes as it needs, see LT_FIELDS_CALL_SHORT_0.
 */
#ifndef LT_CALL_PACK_H
#define LT_CALL_PACK_H

#include <linux/bitops.h>

#include "call/internal.h"

#define LT_CALL_SHORT_HEAD	(LT_REC_WORD + sizeof(struct lt_rec_CALL_SHORT_0))
/* With what the store of the last value has too much. */
#define LT_CALL_SHORT_MOST	(LT_REC_WORD + sizeof(struct lt_rec_CALL_SHORT_60) + 8)

static_assert(sizeof_field(struct lt_rec_CALL_SHORT_60, packed) >= 3 + LT_CALL_SHORT_VALUES * 8);
static_assert(LT_EV_ID(LT_EV_CALL_SHORT_60) == LT_EV_ID(LT_EV_CALL_SHORT_0) + 30);

/* The event of a short record with so many bytes of values, an even number. */
static __always_inline unsigned int lt_call_short_id(size_t bytes)
{
	return LT_EV_ID(LT_EV_CALL_SHORT_0) + bytes / 2;
}

static __always_inline unsigned long lt_call_last_bit(u64 value)
{
#if BITS_PER_LONG == 64
	return __fls(value);
#else
	return fls64(value) - 1;
#endif
}

/*
 * Stores a value and counts its bytes in @sizes, without a branch: 8 bytes are written, of which
 * the next value overwrites what is too much.
 * Return: where the next one goes.
 */
static __always_inline u8 *lt_call_pack(u8 *to, u64 raw, unsigned int shift, u32 *sizes)
{
	/* A mask that changes nothing: the compiler need not know that it is below 64. */
	u64 value = (s64)(raw << (shift & 63)) >> (shift & 63);
	/* The highest bit that differs from the one below is the last one that is needed. */
	unsigned long more = lt_call_last_bit((value ^ (value + value)) | 1) / 8;

#ifdef __BIG_ENDIAN
	put_unaligned(value << (56 - 8 * more), (u64 *)to);
#else
	put_unaligned(value, (u64 *)to);
#endif
	*sizes = *sizes * 8 + more;
	return to + more + 1;
}

/* The integer with the sizes, in so many bytes: 0 to 3. */
static __always_inline void lt_call_put_sizes(u8 *to, u32 sizes, unsigned int bytes)
{
	unsigned int i;

	for (i = 0; i < bytes; i++)
#ifdef __BIG_ENDIAN
		to[i] = sizes >> 8 * (bytes - 1 - i);
#else
		to[i] = sizes >> 8 * i;
#endif
}

#endif /* LT_CALL_PACK_H */

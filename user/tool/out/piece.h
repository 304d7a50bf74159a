/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies of short texts, of which lines are made.
 */
#ifndef LT_OUT_PIECE_H
#define LT_OUT_PIECE_H

#include <stddef.h>
#include <string.h>

#define LT_PIECE	32	/* bytes that are copied at once: a few instructions, and no call */

/* Copies @len bytes, and up to LT_PIECE further ones. Return: the end of the text. */
static inline __attribute__((always_inline)) char *lt_piece_copy(char *p, const char *text,
								 size_t len)
{
	memcpy(p, text, LT_PIECE);
	if (len > LT_PIECE) {
		memcpy(p + LT_PIECE, text + LT_PIECE, LT_PIECE);
		for (size_t at = 2 * (size_t)LT_PIECE; at < len; at += LT_PIECE)
			memcpy(p + at, text + at, LT_PIECE);
	}
	return p + len;
}

#endif /* LT_OUT_PIECE_H */

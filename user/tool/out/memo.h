/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pieces of lines that are alike: rendered once, and copied into each line that has them. A piece
 * depends on a few numbers, its words; where these are others, the piece is another one.
 */
#ifndef LT_OUT_MEMO_H
#define LT_OUT_MEMO_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "out/piece.h"

#define LT_MEMO_WORDS	9
#define LT_MEMO_TEXT	(11 * LT_PIECE)	/* a longer piece is not kept */

/**
 * struct lt_memo_text - a piece
 * @words: what it depends on
 * @len: bytes of @text; 0: it is not known
 */
struct lt_memo_text {
	uint64_t words[LT_MEMO_WORDS];
	uint32_t len;
	char text[LT_MEMO_TEXT];
};

/**
 * struct lt_memo - pieces of one kind
 * @texts: by a part of the hash of their words; a new one takes the place of the one before
 * @n: their number, a power of two
 */
struct lt_memo {
	struct lt_memo_text *texts;
	uint32_t n;
};

void lt_memo_init(struct lt_memo *m, uint32_t n);
void lt_memo_destroy(struct lt_memo *m);

/* Forgets all pieces. */
void lt_memo_clear(struct lt_memo *m);

/* lt_memo_find() that looks at one place alone, below the number of pieces. */
static inline __attribute__((always_inline)) struct lt_memo_text *
lt_memo_at(const struct lt_memo *m, uint32_t place, const uint64_t *words, unsigned int n)
{
	struct lt_memo_text *t = &m->texts[place];
	uint64_t differ = 0;

#pragma GCC unroll 8
	for (unsigned int i = 0; i < n; i++)
		differ |= t->words[i] ^ words[i];
	if (differ) {
		memcpy(t->words, words, n * sizeof(*words));
		t->len = 0;
	}
	return t;
}

/**
 * lt_memo_find() - the piece of some words
 * @n: their number, the same in all calls for @m, at most LT_MEMO_WORDS
 *
 * Return: the piece. Where its @len is 0, the caller renders it and calls lt_memo_keep().
 */
static inline __attribute__((always_inline)) struct lt_memo_text *
lt_memo_find(const struct lt_memo *m, const uint64_t *words, unsigned int n)
{
	uint64_t sum = 0;

#pragma GCC unroll 8
	for (unsigned int i = 0; i < n; i++)
		sum = (sum ^ words[i]) * 0x9e3779b97f4a7c15ULL;
	return lt_memo_at(m, sum >> 32 & (m->n - 1), words, n);
}

/* Copies a piece that is known, and up to LT_PIECE bytes behind it. Return: its end. */
static inline char *lt_memo_put(char *p, const struct lt_memo_text *t)
{
	return lt_piece_copy(p, t->text, t->len);
}

/* Keeps what was rendered. Return: @end. */
static inline char *lt_memo_keep(struct lt_memo_text *t, const char *from, char *end)
{
	size_t len = (size_t)(end - from);

	if (len <= LT_MEMO_TEXT) {
		memcpy(t->text, from, len);
		t->len = (uint32_t)len;
	}
	return end;
}

/*
 * The words of a name of 17 bytes, as struct lt_task has it; the last of the three has room for
 * another number below 2^56.
 */
static inline void lt_memo_name(uint64_t words[3], const char name[17], uint64_t number)
{
	memcpy(words, name, 16);
	words[2] = (uint8_t)name[16] | number << 8;
}

#endif /* LT_OUT_MEMO_H */

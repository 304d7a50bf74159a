/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * By what an announcement of a site or a stack is known again: the bytes of its record, but for the
 * numbers that it has in its packet.
 */
#ifndef LT_FORMAT_KEY_H
#define LT_FORMAT_KEY_H

#include <string.h>

#include "base/byteorder.h"
#include "base/recall.h"
#include "format/schema.h"

static inline uint64_t lt_key_word(const uint8_t *from)
{
	uint64_t word;

	memcpy(&word, from, sizeof(word));
	return le64toh(word);
}

/*
 * Takes the words of an announcement, of an event that has a key. Two at once: the word behind them
 * is written, too, and is to be written again. Return: the bytes behind them. Behind a packet there
 * is room (LT_SLACK).
 */
static inline __attribute__((always_inline)) uint64_t
lt_key_take(uint64_t **to, const struct lt_event_desc *d, const uint8_t *payload)
{
	const uint8_t *from = payload + LT_KEY_FROM;
	const size_t n = d->key_words;
	uint64_t *words = *to;

	for (size_t i = 0; i < n; i += 2)
		memcpy(&words[i], from + i * sizeof(*words), 2 * sizeof(*words));
	*to = words + n;
	return lt_key_word(from + n * sizeof(*words)) & ((1ULL << 8 * d->key_tail) - 1);
}

/* Fills the last line of a key up. Return: its words */
static inline uint32_t lt_key_end(uint64_t *to, const uint64_t *key)
{
	while ((to - key) % LT_RECALL_LINE)
		*to++ = 0;
	return (uint32_t)(to - key);
}

#endif /* LT_FORMAT_KEY_H */

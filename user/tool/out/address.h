/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Addresses as digits. The upper half of one is mostly that of the address before, whose digits
 * are kept.
 */
#ifndef LT_OUT_ADDRESS_H
#define LT_OUT_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/digits.h"

/**
 * struct lt_address_text - the upper half of addresses
 * @high: the half, which has all eight digits
 * @text: the digits of an address with it
 */
struct lt_address_text {
	uint32_t high;
	char text[LT_DIGITS];
};

void lt_address_init(struct lt_address_text *t);

/* Of another upper half, which is kept if it has all eight digits. */
char *lt_address_put_other(struct lt_address_text *t, char *p, uint64_t ptr);

/* Whether an address has the upper half that is kept. */
static inline bool lt_address_has(const struct lt_address_text *t, uint64_t ptr)
{
	return (uint32_t)(ptr >> 32) == t->high;
}

/* As lt_put_hex(), of an address that has it. */
static inline char *lt_address_put_low(const struct lt_address_text *t, char *p, uint64_t ptr)
{
	const uint64_t low = lt_hex_8((uint32_t)ptr);

	memcpy(p, t->text, 16);
	memcpy(p + 10, &low, sizeof(low));
	return p + 18;
}

/* As lt_put_hex(). */
static inline char *lt_address_put(struct lt_address_text *t, char *p, uint64_t ptr)
{
	return lt_address_has(t, ptr) ? lt_address_put_low(t, p, ptr) :
	       lt_address_put_other(t, p, ptr);
}

#endif /* LT_OUT_ADDRESS_H */

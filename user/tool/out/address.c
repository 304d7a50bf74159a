// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses as digits.
 */
#include "out/address.h"

void lt_address_init(struct lt_address_text *t)
{
	t->high = UINT32_MAX;
	lt_put_hex(t->text, UINT64_MAX);
}

char *lt_address_put_other(struct lt_address_text *t, char *p, uint64_t ptr)
{
	if (ptr >> 60) {
		t->high = (uint32_t)(ptr >> 32);
		lt_put_hex(t->text, ptr);
	}
	return lt_put_hex(p, ptr);
}

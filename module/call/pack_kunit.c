// SPDX-License-Identifier: GPL-2.0
/*
 * Short records, read in another way than they are written.
 */
#include "call/call_kunit.h"

/* The bytes that a value takes, the long way. */
static unsigned int bytes_needed(s64 value)
{
	unsigned int n = 1;

	while (n < 8 && (s64)((u64)value << (64 - 8 * n)) >> (64 - 8 * n) != value)
		n++;
	return n;
}

/* @values: so many of @sizes bytes each, without padding, as the other forms have them. */
void lt_test_expect_short(struct kunit *test, const struct lt_test_record *r, const u8 *values,
			  const u8 *sizes, unsigned int n)
{
	const u8 *packed = r->payload + sizeof(struct lt_rec_CALL_SHORT_0);
	unsigned int i, k, head = DIV_ROUND_UP(3 * n, 8), at = head;
	u32 codes = 0;

	for (i = 0; i < head; i++)
		codes |= packed[i] << 8 * i;
	for (i = 0; i < n; values += sizes[i++]) {
		unsigned int bits = 8 * sizes[i], len;
		u64 raw = 0, got = 0;
		s64 value;

		memcpy(&raw, values, sizes[i]);
		value = (s64)(raw << (64 - bits)) >> (64 - bits);
		len = (codes >> 3 * (n - 1 - i) & 7) + 1;
		KUNIT_EXPECT_EQ_MSG(test, len, bytes_needed(value), "value %u", i);
		for (k = 0; k < len; k++)
			got |= (u64)packed[at + k] << 8 * k;
		at += len;
		KUNIT_EXPECT_EQ_MSG(test, (s64)(got << (64 - 8 * len)) >> (64 - 8 * len), value,
				    "value %u", i);
	}
	KUNIT_EXPECT_EQ(test, r->id, LT_EV_CALL_SHORT_0 + DIV_ROUND_UP(at, 2));
	KUNIT_EXPECT_EQ(test, r->size, sizeof(struct lt_rec_CALL_SHORT_0) + round_up(at, 2));
	if (at & 1)
		KUNIT_EXPECT_EQ(test, packed[at], 0);
}

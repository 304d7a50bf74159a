// SPDX-License-Identifier: GPL-2.0
/*
 * Narrow and wide forms, bytes in order, sampling.
 */
#include "kmem/kmem.h"
#include "core/kunit.h"

static void u40_is_in_machine_order(struct kunit *test)
{
	u8 p[7] = { 0xee, 0, 0, 0, 0, 0, 0xee };
	u64 whole = 0;
	int i;

	lt_put_u40(p + 1, 0xab0123456789ULL);	/* the top byte does not fit */
	for (i = 0; i < 5; i++) {
#ifdef __BIG_ENDIAN
		whole = whole << 8 | p[1 + i];
#else
		whole |= (u64)p[1 + i] << 8 * i;
#endif
	}
	KUNIT_EXPECT_EQ(test, whole, 0x0123456789ULL);
	KUNIT_EXPECT_EQ(test, p[0], (u8)0xee);
	KUNIT_EXPECT_EQ(test, p[6], (u8)0xee);
}

static void narrow_ends_where_it_must(struct kunit *test)
{
	unsigned long base = lt_ptr_base();

	KUNIT_EXPECT_TRUE(test, lt_ptr_narrow((void *)base));
#ifdef CONFIG_64BIT
	KUNIT_EXPECT_TRUE(test, lt_ptr_narrow((void *)(base + (1UL << 40) - 1)));
	KUNIT_EXPECT_FALSE(test, lt_ptr_narrow((void *)(base + (1UL << 40))));
	if (base)
		KUNIT_EXPECT_FALSE(test, lt_ptr_narrow((void *)(base - 1)));
	KUNIT_EXPECT_TRUE(test, lt_code_narrow(lt_text_base() + U32_MAX));
	KUNIT_EXPECT_FALSE(test, lt_code_narrow(lt_text_base() - 1));
#endif
	KUNIT_EXPECT_EQ(test, lt_code(0), 0U);
	KUNIT_EXPECT_EQ(test, lt_code(lt_text_base() + 0x1234), 0x1234U);
}

static void word_holds_its_parts(struct kunit *test)
{
	u32 word = LT_WORD(21, LT_CTX_HARDIRQ, 0x1abcdef | 1ULL << 40);

#ifdef __BIG_ENDIAN
	KUNIT_EXPECT_EQ(test, word >> 26, 21U);
	KUNIT_EXPECT_EQ(test, word & 3, 2U);
	KUNIT_EXPECT_EQ(test, word >> 2 & 0xffffff, 0xabcdefU);
#else
	KUNIT_EXPECT_EQ(test, word & 63, 21U);
	KUNIT_EXPECT_EQ(test, word >> 30, 2U);
	KUNIT_EXPECT_EQ(test, word >> 6 & 0xffffff, 0xabcdefU);
#endif
}

/* One in n, of addresses as they come: neighbours in a slab. */
static void sample_keeps_its_share(struct kunit *test)
{
	unsigned int n, i, kept;

	lt_set_sample(0);
	KUNIT_EXPECT_FALSE(test, lt_sampled_out(4096));
	lt_set_sample(1);
	KUNIT_EXPECT_FALSE(test, lt_sampled_out(4096));
	for (n = 2; n <= 64; n *= 2) {
		lt_set_sample(n);
		for (i = 0, kept = 0; i < 65536; i++)
			kept += !lt_sampled_out(0xffff888000000000ULL + 64 * i);
		KUNIT_EXPECT_GT(test, kept, 65536 / n * 3 / 4);
		KUNIT_EXPECT_LT(test, kept, 65536 / n * 5 / 4);
	}
	lt_set_sample(0);
}

static struct kunit_case kmem_cases[] = {
	KUNIT_CASE(u40_is_in_machine_order),
	KUNIT_CASE(narrow_ends_where_it_must),
	KUNIT_CASE(word_holds_its_parts),
	KUNIT_CASE(sample_keeps_its_share),
	{}
};

struct kunit_suite lt_kmem_suite = {
	.name = "lifetrace_kmem",
	.test_cases = kmem_cases,
};

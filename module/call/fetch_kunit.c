// SPDX-License-Identifier: GPL-2.0
/*
 * What steps fetch of registers and memory that are made up.
 */
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "call/call_kunit.h"

static struct pt_regs regs;

/* Elsewhere than on x86-64 the registers cannot be made up. */
static int fetch_test_init(struct kunit *test)
{
	if (lt_call_arg_offset(0) < 0)
		kunit_skip(test, "no registers are made up for this machine");
	memset(&regs, 0, sizeof(regs));
	return 0;
}

static void set_arg(unsigned int n, unsigned long value)
{
	lt_test_set_arg(&regs, n, value);
}

static void set_result(unsigned int n, unsigned long value)
{
	lt_test_set_result(&regs, n, value);
}

/**
 * struct fetched - what steps made
 * @v: values; @v.to is @to
 * @kept: words
 * @held: all tests hold
 * @to: the bytes
 */
struct fetched {
	struct lt_call_values v;
	u64 kept[LT_CALL_MAX_KEPT];
	bool held;
	u8 to[LT_CALL_MAX_BYTES];
};

/* Runs steps, all at the entry or all at the return. */
static struct fetched *fetch(struct kunit *test, struct lt_test_steps s)
{
	struct fetched *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	struct lt_call_fn fn = { .n_entry = s.n_entry, .n_return = s.n_return };

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, f);
	KUNIT_ASSERT_EQ(test, lt_call_check(&fn, s.step), 0);
	f->v.to = f->to;
	memset(f->to, 0xee, sizeof(f->to));
	preempt_disable();
	f->held = lt_call_fetch(s.step, fn.n_entry + fn.n_return, &regs, f->kept, &f->v);
	preempt_enable();
	return f;
}

/* The one value of steps, sign-extended to none. */
static u64 value_of(struct kunit *test, struct lt_test_steps s)
{
	struct fetched *f = fetch(test, s);
	u64 value = 0;

	KUNIT_EXPECT_EQ(test, f->v.value, 1U);
	KUNIT_EXPECT_EQ(test, f->v.unread, 0U);
	memcpy(&value, f->to, min_t(u32, f->v.bytes, sizeof(value)));
	KUNIT_EXPECT_EQ(test, f->to[f->v.bytes], 0xee);
	return value;
}

#define EXPECT_VALUE(test, value, ...)					\
	KUNIT_EXPECT_EQ(test, value_of(test, (struct lt_test_steps)__VA_ARGS__), (u64)(value))

static void arguments_and_results_are_registers(struct kunit *test)
{
	unsigned long *stack = kunit_kcalloc(test, 16, sizeof(*stack), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, stack);
	for (i = 0; i < LT_CALL_REG_ARGS; i++)
		set_arg(i, 0x1111111111111111UL * (i + 1));
	for (i = 0; i < 16; i++)
		stack[i] = 0x5000 + i;
	for (i = 0; i < LT_CALL_REG_ARGS; i++)
		EXPECT_VALUE(test, 0x1111111111111111UL * (i + 1), ENTRY_STEPS(ARG(i), STORE(8)));
#ifdef CONFIG_UML
	/* Behind the return address. */
	PT_REGS_SP(&regs) = (unsigned long)stack;
	EXPECT_VALUE(test, 0x5001, ENTRY_STEPS(ARG(6), STORE(8)));
	EXPECT_VALUE(test, 0x5008, ENTRY_STEPS(ARG(13), STORE(8)));
	PT_REGS_SP(&regs) = 8;
	EXPECT_VALUE(test, 0, ENTRY_STEPS(ARG(6), STORE(8)));
#endif
	set_result(0, 77);
	set_result(1, 88);
	EXPECT_VALUE(test, 77, RETURN_STEPS(RESULT(0), STORE(8)));
	EXPECT_VALUE(test, 88, RETURN_STEPS(RESULT(1), STORE(8)));
	EXPECT_VALUE(test, (unsigned long)current, RETURN_STEPS(S(TASK, 0, 0, 0), STORE(8)));
}

static void values_have_sizes_signs_and_bits(struct kunit *test)
{
	set_arg(0, 0xfedcba9876543210UL);
	EXPECT_VALUE(test, 0x10, ENTRY_STEPS(ARG(0), STORE(1)));
	EXPECT_VALUE(test, 0x3210, ENTRY_STEPS(ARG(0), STORE(2)));
	EXPECT_VALUE(test, 0x76543210, ENTRY_STEPS(ARG(0), STORE(4)));
	/* With a step between them: by the general path. */
	EXPECT_VALUE(test, 0x0f, ENTRY_STEPS(ARG(0), S(ADD, 0, 0, -1), STORE(1)));
	EXPECT_VALUE(test, 0x320f, ENTRY_STEPS(ARG(0), S(ADD, 0, 0, -1), STORE(2)));
	EXPECT_VALUE(test, 0x7654320f, ENTRY_STEPS(ARG(0), S(ADD, 0, 0, -1), STORE(4)));
	EXPECT_VALUE(test, 0xfedcba987654320f, ENTRY_STEPS(ARG(0), S(ADD, 0, 0, -1), STORE(8)));
	EXPECT_VALUE(test, 0x543, ENTRY_STEPS(ARG(0), S(BITS, 12, 12, 0), STORE(8)));
	EXPECT_VALUE(test, 0xfedcba9876543210, ENTRY_STEPS(ARG(0), S(BITS, 64, 0, 0), STORE(8)));
	EXPECT_VALUE(test, 1, ENTRY_STEPS(ARG(0), S(BITS, 1, 63, 0), STORE(8)));
	EXPECT_VALUE(test, -2, ENTRY_STEPS(ARG(0), S(BITS, 2, 4, 0), S(ADD, 0, 0, 1),
					S(SIGN, 2, 0, 0), STORE(8)));
	EXPECT_VALUE(test, 0x10, ENTRY_STEPS(ARG(0), S(SIGN, 8, 0, 0), STORE(8)));
	set_arg(0, 0x80);
	EXPECT_VALUE(test, -128, ENTRY_STEPS(ARG(0), S(SIGN, 8, 0, 0), STORE(8)));
	EXPECT_VALUE(test, -1, ENTRY_STEPS(CONST(-1), STORE(8)));
	EXPECT_VALUE(test, 0x7fffffff, ENTRY_STEPS(CONST(0x7fffffff), STORE(8)));
	EXPECT_VALUE(test, 0x80000001ffffffff,
		     ENTRY_STEPS(CONST(-1), S(HIGH, 0, 0, (s32)0x80000001), STORE(8)));
	EXPECT_VALUE(test, 0xffffffff, ENTRY_STEPS(CONST(-1), S(HIGH, 0, 0, 0), STORE(8)));
}

static void memory_is_read_in_its_sizes(struct kunit *test)
{
	u8 *bytes = kunit_kzalloc(test, 64, GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bytes);
	for (i = 0; i < 64; i++)
		bytes[i] = 0xf0 + i;
	set_arg(0, (unsigned long)bytes);
	EXPECT_VALUE(test, 0xf3, ENTRY_STEPS(ARG(0), S(READ, 1, 0, 3), STORE(8)));
	EXPECT_VALUE(test, 0xf4f3, ENTRY_STEPS(ARG(0), S(READ, 2, 0, 3), STORE(8)));
	EXPECT_VALUE(test, 0xf6f5f4f3, ENTRY_STEPS(ARG(0), S(READ, 4, 0, 3), STORE(8)));
	EXPECT_VALUE(test, 0xfaf9f8f7f6f5f4f3, ENTRY_STEPS(ARG(0), S(READ, 8, 0, 3), STORE(8)));
	EXPECT_VALUE(test, 0xf2f1f0, ENTRY_STEPS(ARG(0), S(BYTES, 3, 0, 0)));
	set_arg(0, (unsigned long)(bytes + 16));
	EXPECT_VALUE(test, 0xf4, ENTRY_STEPS(ARG(0), S(READ, 1, 0, -12), STORE(8)));
	/* A pointer to a pointer, and behind the second one. */
	*(unsigned long *)(bytes + 8) = (unsigned long)(bytes + 32);
	EXPECT_VALUE(test, 0x15,
		     ENTRY_STEPS(ARG(0), S(READ, 8, 0, -8), S(READ, 1, 0, 5), STORE(1)));
}

/* What is not there is 0, and marked; what comes behind it is not. */
static void memory_may_be_gone(struct kunit *test)
{
	u8 *bytes = kunit_kzalloc(test, 8, GFP_KERNEL);
	struct fetched *f;
	unsigned int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bytes);
	set_arg(0, 16);
	set_arg(1, (unsigned long)bytes);
	bytes[0] = 7;
	f = fetch(test, (struct lt_test_steps)
		  ENTRY_STEPS(ARG(0), STORE(8), ARG(0), S(READ, 8, 0, 0), S(ADD, 0, 0, 1), STORE(2),
			   ARG(1), S(READ, 1, 0, 0), STORE(1), ARG(0), S(BYTES, 3, 0, 0)));
	KUNIT_EXPECT_EQ(test, f->v.unread, 0xaU);
	KUNIT_EXPECT_EQ(test, f->v.value, 4U);
	KUNIT_EXPECT_EQ(test, f->v.bytes, 14U);
	KUNIT_EXPECT_EQ(test, f->to[8], 1);	/* of 0, which was read in its place */
	KUNIT_EXPECT_EQ(test, f->to[10], 7);
	for (i = 11; i < 14; i++)
		KUNIT_EXPECT_EQ(test, f->to[i], 0);
	/* A register behind it, of which two values are made, could be read. */
	f = fetch(test, (struct lt_test_steps)
		  ENTRY_STEPS(ARG(0), S(READ, 8, 0, 0), STORE(8), ARG(1), STORE(8), STORE(4)));
	KUNIT_EXPECT_EQ(test, f->v.unread, 1U);
	/* The kernel's memory is no user's. */
	f = fetch(test, (struct lt_test_steps)
		  ENTRY_STEPS(CONST(16), S(READU, 4, 0, 0), STORE(4), ARG(1), STORE(8)));
	KUNIT_EXPECT_EQ(test, f->v.unread, 1U);
}

/*
 * An address that is made of what is not there is none: what it leads to is not there either, even
 * if it happens to be memory.
 */
static void nothing_is_behind_what_is_gone(struct kunit *test)
{
	u8 *bytes = kunit_kzalloc(test, 8, GFP_KERNEL);
	struct fetched *f;
	unsigned long at = (unsigned long)bytes;
	unsigned int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bytes);
	memset(bytes, 'x', 7);
#define AT_BYTES	CONST(16), S(READ, 8, 0, 0), S(ADD, 0, 0, (s32)at), S(HIGH, 0, 0, at >> 32)
	f = fetch(test, (struct lt_test_steps)ENTRY_STEPS(AT_BYTES, S(BYTES, 4, 0, 0)));
	KUNIT_EXPECT_EQ(test, f->v.unread, 1U);
	f = fetch(test, (struct lt_test_steps)
		  ENTRY_STEPS(AT_BYTES, S(READ, 8, 0, 0), STORE(8)));
	KUNIT_EXPECT_EQ(test, f->v.unread, 1U);
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, f->to[i], 0);
	f = fetch(test, (struct lt_test_steps)RETURN_STEPS(AT_BYTES, S(TEXT, 8, 0, 0)));
	KUNIT_EXPECT_EQ(test, f->v.unread, 1U);
	KUNIT_EXPECT_EQ(test, f->v.cut, 0U);
	KUNIT_EXPECT_EQ(test, f->v.bytes, 1U);
	KUNIT_EXPECT_EQ(test, f->to[0], 0);
#undef AT_BYTES
}

static void words_are_kept(struct kunit *test)
{
	struct lt_test_steps s = BOTH_STEPS(7, ARG(0), S(KEEP, 0, 3, 0), CONST(16),
					 S(READ, 8, 0, 0),
					 S(KEEP, 0, 1, 0), ARG(1), STORE(8),
					 S(LOADK, 0, 3, 0), STORE(8), S(LOADK, 0, 1, 0), STORE(8));
	struct fetched f = { .v.to = f.to };
	struct lt_call_fn fn = { .n_entry = s.n_entry, .n_return = s.n_return };

	set_arg(0, 0x1234);
	set_arg(1, 0x5678);
	KUNIT_ASSERT_EQ(test, lt_call_check(&fn, s.step), 0);
	KUNIT_ASSERT_TRUE(test, lt_call_fetch(fn.steps, fn.n_entry, &regs, f.kept, &f.v));
	set_arg(0, 0);
	KUNIT_ASSERT_TRUE(test, lt_call_fetch(fn.steps + fn.n_entry, fn.n_return, &regs, f.kept,
					      &f.v));
	KUNIT_EXPECT_EQ(test, f.v.bytes, 24U);
	KUNIT_EXPECT_EQ(test, get_unaligned((u64 *)f.to), 0x5678ULL);
	KUNIT_EXPECT_EQ(test, get_unaligned((u64 *)(f.to + 8)), 0x1234ULL);
	/* What could not be read when it was kept was not read. */
	KUNIT_EXPECT_EQ(test, get_unaligned((u64 *)(f.to + 16)), 0ULL);
	KUNIT_EXPECT_EQ(test, f.v.unread & (BIT(LT_CALL_MAX_VALUES) - 1), 4U);
}

/* With nothing in the page behind it. */
static void texts_end_where_they_end(struct kunit *test)
{
	static const struct lt_test_steps steps = RETURN_STEPS(RESULT(0), S(TEXT, 20, 0, 0));
	static const struct {
		unsigned int text, bytes, unread, cut;
	} all[] = {
		/* before the page's end, with a zero in it or none */
		{ 100, 20, 0, 1 }, { 20, 20, 0, 1 }, { 19, 20, 1, 0 }, { 1, 2, 1, 0 },
		{ 18, 19, 1, 0 }, { 0, 1, 1, 0 },
	};
	char *page = vmalloc(PAGE_SIZE), *end = page + PAGE_SIZE;
	struct fetched *f;
	unsigned int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, page);
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		memset(page, 'x', PAGE_SIZE);
		set_result(0, (unsigned long)(end - all[i].text));
		f = fetch(test, steps);
		KUNIT_EXPECT_EQ_MSG(test, f->v.bytes, all[i].bytes, "%u", all[i].text);
		KUNIT_EXPECT_EQ_MSG(test, f->v.unread, all[i].unread, "%u", all[i].text);
		KUNIT_EXPECT_EQ_MSG(test, f->v.cut, all[i].cut, "%u", all[i].text);
		KUNIT_EXPECT_EQ(test, f->to[f->v.bytes - 1], 0);
	}
	/* Whole ones, as long as may be; the last one ends with the page. */
	for (i = 1; i <= 20; i++) {
		memset(page, 'y', PAGE_SIZE);
		end[-1] = 0;
		set_result(0, (unsigned long)(end - i));
		f = fetch(test, steps);
		KUNIT_EXPECT_EQ(test, f->v.bytes, i);
		KUNIT_EXPECT_EQ(test, f->v.unread | f->v.cut, 0U);
		KUNIT_EXPECT_EQ(test, strlen(f->to), (size_t)i - 1);
	}
	vfree(page);
}

/* A pointer that is NULL, and one that could not be read. */
static void texts_of_null_have_marks(struct kunit *test)
{
	static const struct lt_test_steps s = BOTH_STEPS(5, CONST(0), S(KEEP, 0, 0, 0),
		CONST(16), S(READ, 8, 0, 0), S(KEEP, 0, 1, 0),
		S(LOADK, 0, 0, 0), S(TEXT, 8, 0, 0), S(LOADK, 0, 1, 0), S(TEXT, 8, 0, 0),
		S(LOADK, 0, 0, 0), S(TEXT, 8, 0, 24));
	struct fetched *f = fetch(test, s);

	KUNIT_EXPECT_EQ(test, f->v.value, 3U);
	KUNIT_EXPECT_EQ(test, f->v.unread & LT_CALL_VALUES_UNREAD, 7UL);
	KUNIT_EXPECT_EQ(test, f->v.cut, 1U);
	KUNIT_EXPECT_EQ(test, f->v.bytes, 3U);
	KUNIT_EXPECT_EQ(test, memcmp(f->to, "\0\0\0", 3), 0);
}

static bool holds(struct kunit *test, unsigned int kind, s32 value, s32 limit)
{
	struct lt_test_steps s = ENTRY_STEPS(CONST(limit), LIMIT, CONST(value), S(TEST, 0, 0, 0));

	s.step[3].arg = kind;
	return fetch(test, s)->held;
}

static void tests_hold_or_do_not(struct kunit *test)
{
	static const s32 of[][2] = { { -5, 3 }, { 3, 3 }, { 3, -5 }, { 4, 3 } };
	static const u8 expected[LT_CALL_N_TESTS] = {
		/* a bit for each pair, the first one the lowest */
		[LT_CALL_EQ] = 2, [LT_CALL_NE] = 13, [LT_CALL_LT] = 1, [LT_CALL_LE] = 3,
		[LT_CALL_GT] = 12, [LT_CALL_GE] = 14, [LT_CALL_BELOW] = 4, [LT_CALL_ABOVE] = 9,
		[LT_CALL_AND] = 7,
	};
	unsigned int kind, i;

	for (kind = 0; kind < LT_CALL_N_TESTS; kind++)
		for (i = 0; i < ARRAY_SIZE(of); i++)
			KUNIT_EXPECT_EQ_MSG(test, holds(test, kind, of[i][0], of[i][1]),
					    !!(expected[kind] & BIT(i)), "test %u, pair %u",
					    kind, i);
}

static struct kunit_case fetch_cases[] = {
	KUNIT_CASE(arguments_and_results_are_registers),
	KUNIT_CASE(values_have_sizes_signs_and_bits),
	KUNIT_CASE(memory_is_read_in_its_sizes),
	KUNIT_CASE(memory_may_be_gone),
	KUNIT_CASE(nothing_is_behind_what_is_gone),
	KUNIT_CASE(words_are_kept),
	KUNIT_CASE(texts_end_where_they_end),
	KUNIT_CASE(texts_of_null_have_marks),
	KUNIT_CASE(tests_hold_or_do_not),
	{}
};

struct kunit_suite lt_call_fetch_suite = {
	.name = "lifetrace_call_fetch",
	.init = fetch_test_init,
	.test_cases = fetch_cases,
};

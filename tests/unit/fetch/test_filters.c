// SPDX-License-Identifier: GPL-2.0
/*
 * Conditions: which calls are recorded, at the edges of each type.
 */
#include "testlib.h"

#ifdef LT_HAVE_LIBBPF

#include "btfmake.h"

static struct btfmake m;
static struct lt_fetch *f;

static int setup(void **state)
{
	(void)state;
	make_types(&m, 8);
	make_function(&m, "f", T_S32, T_S32, "i", T_U32, "u", T_S64, "l", T_U64, "ul", m.color, "color",
		      m.bits, "flags", -1);
	make_function(&m, "g", m.node_ptr, T_U8, "b", m.node_ptr, "n", T_BOOL, "on", T_CHAR, "c",
		      m.u32_ptr, "pos", -1);
	f = make_kernel(&m, "x86_64");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	lt_fetch_free(f);
	btf__free(m.btf);
	return 0;
}

/* A condition, an argument word, and whether the call is recorded then. */
struct filter_case {
	const char *spec;
	unsigned int arg;
	uint64_t value;
	bool recorded;
};

#define HIGH	0xdeadbeef00000000ULL	/* garbage above 32 bits */

static const struct filter_case cases[] = {
	{ "f() if i == -5", 0, HIGH | 0xfffffffb, true },
	{ "f() if i == -5", 0, HIGH | 5, false },
	{ "f() if i < 0", 0, HIGH | 0x80000000, true },
	{ "f() if i < 0", 0, 0xffffffff00000000ULL, false },
	{ "f() if i <= -1", 0, 0xffffffff, true },
	{ "f() if i <= -1", 0, 0, false },
	{ "f() if i >= 2147483647", 0, 0x7fffffff, true },
	{ "f() if i > 2147483646", 0, 0x7ffffffe, false },
	{ "f() if i != 0", 0, HIGH, false },
	{ "f() if u < 4096", 1, HIGH | 4095, true },
	{ "f() if u < 4096", 1, 4096, false },
	{ "f() if u > 0x7fffffff", 1, HIGH | 0x80000000, true },
	{ "f() if u == 0xffffffff", 1, HIGH | 0xffffffff, true },
	{ "f() if l < -1", 2, (uint64_t)-2, true },
	{ "f() if l < -1", 2, 0, false },
	{ "f() if l == -9223372036854775808", 2, 1ULL << 63, true },
	{ "f() if ul > 0x7fffffffffffffff", 3, 1ULL << 63, true },
	{ "f() if ul > 0x7fffffffffffffff", 3, 5, false },
	{ "f() if ul < 18446744073709551615", 3, UINT64_MAX - 1, true },
	{ "f() if ul < 18446744073709551615", 3, UINT64_MAX, false },
	{ "f() if ul <= 7", 3, 7, true },
	{ "f() if ul <= 7", 3, 8, false },
	{ "f() if ul <= 7", 3, UINT64_MAX, false },
	{ "f() if ul >= 8", 3, 8, true },
	{ "f() if ul >= 8", 3, 7, false },
	{ "f() if ul >= 8", 3, UINT64_MAX, true },
	{ "f() if ul >= 0", 3, 0, true },
	{ "f() if ul <= 0xffffffffffffffff", 3, UINT64_MAX, true },
	{ "f() if ul == 0x123456789abcdef0", 3, 0x123456789abcdef0, true },
	{ "f() if ul == 0x123456789abcdef0", 3, 0x9abcdef0, false },
	{ "f() if ul == 0x80000000", 3, 0xffffffff80000000ULL, false },
	{ "f() if ul == 0x80000000", 3, 0x80000000, true },
	{ "f() if color == BLUE", 4, HIGH | 5, true },
	{ "f() if color == BLUE", 4, HIGH | 2, false },
	{ "f() if color == NOWHERE", 4, 0xffffffff, true },
	{ "f() if flags & BIT_B|BIT_D", 5, 0x100, true },
	{ "f() if flags & BIT_B | BIT_D", 5, 2, true },
	{ "f() if flags & BIT_B|BIT_D", 5, HIGH | 5, false },
	{ "f() if flags & 4", 5, 4, true },
	{ "f() if u:bits & BIT_C", 1, 4, true },
	{ "f() if u:bits & BIT_C", 1, 3, false },
	{ "f() if i & 0x80000000", 0, 0x80000000, true },
	{ "f() if i:u8 == 200", 0, HIGH | 0x12c8, true },
	{ "f() if i:s8 == -56", 0, 0xc8, true },
	{ "f() if $reg4 == 7", 3, 7, true },
	{ "g() if b == 255", 0, 0xabff, true },
	{ "g() if n == NULL", 1, 0, true },
	{ "g() if n == NULL", 1, 1, false },
	{ "g() if n != NULL", 1, 1, true },
	{ "g() if n >= -4095", 1, (uint64_t)-12, true },
	{ "g() if n >= -4095", 1, 0xffff888000000000ULL, false },
	{ "g() if on == true", 2, 0xff01, true },
	{ "g() if on == false", 2, 0xff00, true },
	{ "g() if c == 'x'", 3, 'x', true },
	{ "g() if c == 'x'", 3, 'y', false },
};

static void conditions_on_arguments(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct filter_case *c = &cases[i];
		struct lt_fetch_set *set = must_compile(f, c->spec);
		struct steprun r = { .word = 8 };

		r.args[c->arg] = c->value;
		run_entry(set, &r);
		/* Nothing but the entry is needed for it. */
		assert_int_equal(set->functions[0].n_return, 0);
		if (r.left_out == c->recorded)
			fail_msg("%s, 0x%llx: %s", c->spec, (unsigned long long)c->value,
				 r.left_out ? "left out" : "recorded");
		lt_fetch_set_free(set);
	}
}

/* Both ends in one condition, and several of them. */
static bool recorded(const char *spec, uint64_t first, uint64_t second, uint64_t result)
{
	struct lt_fetch_set *set = must_compile(f, spec);
	struct steprun r = { .word = 8 };
	uint32_t pos = 10;

	steprun_memory(&r, 0xffff888000009000ULL, &pos, sizeof(pos), false);
	r.args[0] = first;
	r.args[1] = second;
	r.args[4] = 0xffff888000009000ULL;
	run_entry(set, &r);
	pos = 30;
	r.args[0] = r.args[1] = 0xbad;
	r.result[0] = result;
	run_return(set, &r);
	lt_fetch_set_free(set);
	return !r.left_out;
}

static void conditions_at_return(void **state)
{
	(void)state;
	assert_true(recorded("f() = ret if ret < 0", 0, 0, HIGH | 0xfffffff4));
	assert_false(recorded("f() = ret if ret < 0", 0, 0, 0xffffffff00000000ULL));
	assert_true(recorded("f() = <0", 0, 0, 0xfffffff4));
	assert_false(recorded("f() = <0", 0, 0, 4));
	assert_true(recorded("f(i) = ret if i > 3 && ret == 7", 4, 0, 7));
	assert_false(recorded("f(i) = ret if i > 3 && ret == 7", 3, 0, 7));
	assert_false(recorded("f(i) = ret if i > 3 && ret == 7", 4, 0, 8));
	/* A short read: the result is less than what was asked for. */
	assert_true(recorded("f() if ret < i", 100, 0, 50));
	assert_false(recorded("f() if ret < i", 100, 0, 100));
	assert_true(recorded("f() if ret < i", HIGH | 100, 0, HIGH | 0xffffffff));
	assert_true(recorded("f() if i == u", 5, HIGH | 5, 0));
	assert_false(recorded("f() if i == u", 5, 6, 0));
	/* Of the entry and of the return, of the same memory. */
	assert_true(recorded("g() if *pos == 10 && *pos@ret == 30", 0, 0, 0));
	assert_false(recorded("g() if *pos == 30", 0, 0, 0));
	assert_false(recorded("g() if *pos@ret == 10", 0, 0, 0));
	assert_true(recorded("g() if *pos@ret > *pos", 0, 0, 0));
	assert_false(recorded("g() if *pos > *pos@ret", 0, 0, 0));
	assert_true(recorded("g() if ret >= -4095", 0, 0, (uint64_t)-2));
	assert_false(recorded("g() if ret >= -4095", 0, 0, 0xffff888000000000ULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions_on_arguments),
		cmocka_unit_test(conditions_at_return),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

#else

#include "needs_libbpf.h"

#endif /* LT_HAVE_LIBBPF */

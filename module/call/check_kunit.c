// SPDX-License-Identifier: GPL-2.0
/*
 * What is refused of a function's steps, and of a set of functions.
 */
#include <linux/slab.h>

#include "call/call_kunit.h"

/**
 * struct rule - steps that break one rule, or keep to all
 * @name: which
 * @error: 0: they are accepted
 * @s: they
 */
struct rule {
	const char *name;
	int error;
	struct lt_test_steps s;
};

#define BAD(text, steps)	{ text, -EINVAL, steps }
#define GOOD(text, steps)	{ text, 0, steps }
#define RESERVED		{ LT_CALL_ARG, 0, 0, 1, 0 }
#define KEEP(n)			S(KEEP, 0, n, 0)
#define LOADK(n)		S(LOADK, 0, n, 0)
#define TEST(n)			S(TEST, 0, n, 0)
#define IF_64(n)		(sizeof(long) == 8 ? (n) : 4)

static const struct rule rules[] = {
	GOOD("nothing", { }),
	BAD("no operation", ENTRY_STEPS({ .op = 0 })),
	BAD("an operation behind the last one", ENTRY_STEPS(ARG(0), { .op = 19 })),
	BAD("an operation of the module's own",
	    ENTRY_STEPS(ARG(0), { .op = LT_CALL_PUT, .size = 8 })),
	BAD("an operation of the module's own, as a TEST",
	    ENTRY_STEPS(CONST(3), LIMIT, { .op = LT_CALL_PUT })),
	BAD("a reserved byte", ENTRY_STEPS(RESERVED)),

	GOOD("ARG 13, the last one", ENTRY_STEPS(ARG(13), STORE(8))),
	BAD("ARG 14", ENTRY_STEPS(ARG(14))),
	BAD("ARG at the return", RETURN_STEPS(ARG(0))),
	BAD("ARG of 4 bytes", ENTRY_STEPS(S(ARG, 4, 0, 0))),
	BAD("ARG in two words, on 64 bits", ENTRY_STEPS(S(ARG, IF_64(8), 0, 0))),
	BAD("ARG with an offset", ENTRY_STEPS(S(ARG, 0, 0, 8))),
	GOOD("RESULT 1, the second register", RETURN_STEPS(RESULT(1), STORE(8))),
	BAD("RESULT 2", RETURN_STEPS(RESULT(2))),
	BAD("RESULT at the entry", ENTRY_STEPS(RESULT(0))),
	BAD("RESULT of 4 bytes", RETURN_STEPS(S(RESULT, 4, 0, 0))),
	BAD("RESULT with an offset", RETURN_STEPS(S(RESULT, 0, 0, 1))),
	BAD("CONST with a size", ENTRY_STEPS(S(CONST, 4, 0, 1))),
	BAD("CONST with an argument", ENTRY_STEPS(S(CONST, 0, 1, 1))),
	GOOD("TASK", BOTH_STEPS(2, S(TASK, 0, 0, 0), STORE(8), S(TASK, 0, 0, 0), STORE(8))),
	BAD("TASK with a size", ENTRY_STEPS(S(TASK, 8, 0, 0))),
	BAD("TASK with an argument", ENTRY_STEPS(S(TASK, 0, 1, 0))),
	BAD("TASK with an offset", ENTRY_STEPS(S(TASK, 0, 0, 8))),

	GOOD("LOADK of what was kept", BOTH_STEPS(2, ARG(0), KEEP(7), LOADK(7), STORE(8))),
	BAD("LOADK of what was not", BOTH_STEPS(2, ARG(0), KEEP(6), LOADK(7))),
	BAD("LOADK of a word that there is not", BOTH_STEPS(2, ARG(0), KEEP(0), LOADK(32))),
	BAD("LOADK of word 64, whose bit is none", BOTH_STEPS(2, ARG(0), KEEP(0), LOADK(64))),
	BAD("LOADK at the entry", ENTRY_STEPS(ARG(0), KEEP(0), LOADK(0))),
	BAD("LOADK with a size", BOTH_STEPS(2, ARG(0), KEEP(0), S(LOADK, 8, 0, 0))),
	BAD("LOADK with an offset", BOTH_STEPS(2, ARG(0), KEEP(0), S(LOADK, 0, 0, 8))),
	BAD("KEEP at the return", RETURN_STEPS(RESULT(0), KEEP(0))),
	BAD("KEEP of word 8", ENTRY_STEPS(ARG(0), KEEP(8))),
	BAD("KEEP of nothing", ENTRY_STEPS(KEEP(0))),
	BAD("KEEP with a size", ENTRY_STEPS(ARG(0), S(KEEP, 8, 0, 0))),
	BAD("KEEP with an offset", ENTRY_STEPS(ARG(0), S(KEEP, 0, 0, 8))),

	BAD("ADD to nothing", ENTRY_STEPS(S(ADD, 0, 0, 8))),
	BAD("ADD with a size", ENTRY_STEPS(ARG(0), S(ADD, 8, 0, 8))),
	BAD("ADD with an argument", ENTRY_STEPS(ARG(0), S(ADD, 0, 1, 8))),
	BAD("HIGH of nothing", ENTRY_STEPS(S(HIGH, 0, 0, 8))),
	BAD("HIGH with a size", ENTRY_STEPS(CONST(1), S(HIGH, 4, 0, 8))),
	BAD("HIGH with an argument", ENTRY_STEPS(CONST(1), S(HIGH, 0, 1, 8))),
	BAD("READ at nothing", ENTRY_STEPS(S(READ, 8, 0, 0))),
	BAD("READ of no byte", ENTRY_STEPS(ARG(0), S(READ, 0, 0, 0))),
	BAD("READ of 3 bytes", ENTRY_STEPS(ARG(0), S(READ, 3, 0, 0))),
	BAD("READ of 16 bytes", ENTRY_STEPS(ARG(0), S(READ, 16, 0, 0))),
	BAD("READ with an argument", ENTRY_STEPS(ARG(0), S(READ, 8, 1, 0))),
	BAD("READU of 5 bytes", ENTRY_STEPS(ARG(0), S(READU, 5, 0, 0))),
	GOOD("BITS, all of them", ENTRY_STEPS(ARG(0), S(BITS, 64, 0, 0))),
	GOOD("BITS, the last one", ENTRY_STEPS(ARG(0), S(BITS, 1, 63, 0))),
	BAD("BITS, none", ENTRY_STEPS(ARG(0), S(BITS, 0, 0, 0))),
	BAD("BITS behind the last one", ENTRY_STEPS(ARG(0), S(BITS, 2, 63, 0))),
	BAD("BITS from bit 64 on", ENTRY_STEPS(ARG(0), S(BITS, 255, 64, 0))),
	BAD("BITS with an offset", ENTRY_STEPS(ARG(0), S(BITS, 1, 0, 1))),
	GOOD("SIGN of 64 bits", ENTRY_STEPS(ARG(0), S(SIGN, 64, 0, 0))),
	BAD("SIGN of no bit", ENTRY_STEPS(ARG(0), S(SIGN, 0, 0, 0))),
	BAD("SIGN of 65 bits", ENTRY_STEPS(ARG(0), S(SIGN, 65, 0, 0))),
	BAD("SIGN with an argument", ENTRY_STEPS(ARG(0), S(SIGN, 8, 1, 0))),
	BAD("SIGN with an offset", ENTRY_STEPS(ARG(0), S(SIGN, 8, 0, 1))),

	GOOD("TEST", ENTRY_STEPS(CONST(3), LIMIT, ARG(0), TEST(LT_CALL_AND))),
	BAD("TEST without a limit", ENTRY_STEPS(ARG(0), TEST(LT_CALL_EQ))),
	BAD("TEST with the limit of the entry",
	    BOTH_STEPS(2, CONST(3), LIMIT, RESULT(0), TEST(LT_CALL_EQ))),
	BAD("TEST of no kind", ENTRY_STEPS(CONST(3), LIMIT, TEST(LT_CALL_N_TESTS))),
	BAD("TEST with a size", ENTRY_STEPS(CONST(3), LIMIT, S(TEST, 1, 0, 0))),
	BAD("TEST with an offset", ENTRY_STEPS(CONST(3), LIMIT, S(TEST, 0, 0, 1))),
	BAD("LIMIT of nothing", ENTRY_STEPS(LIMIT)),
	BAD("LIMIT with a size", ENTRY_STEPS(CONST(3), S(LIMIT, 8, 0, 0))),
	BAD("LIMIT with an argument", ENTRY_STEPS(CONST(3), S(LIMIT, 0, 1, 0))),
	BAD("LIMIT with an offset", ENTRY_STEPS(CONST(3), S(LIMIT, 0, 0, 1))),

	BAD("STORE of nothing", ENTRY_STEPS(STORE(8))),
	BAD("STORE of the entry's value at the return", BOTH_STEPS(1, ARG(0), STORE(8))),
	BAD("STORE of 3 bytes", ENTRY_STEPS(ARG(0), STORE(3))),
	BAD("STORE of no byte", ENTRY_STEPS(ARG(0), STORE(0))),
	BAD("STORE with an argument", ENTRY_STEPS(ARG(0), S(STORE, 8, 1, 0))),
	BAD("STORE with an offset", ENTRY_STEPS(ARG(0), S(STORE, 8, 0, 1))),
	BAD("BYTES, none", ENTRY_STEPS(ARG(0), S(BYTES, 0, 0, 0))),
	BAD("BYTES, 65", ENTRY_STEPS(ARG(0), S(BYTES, 65, 0, 0))),
	BAD("BYTES with an argument", ENTRY_STEPS(ARG(0), S(BYTES, 8, 1, 0))),
	BAD("TEXT at the entry", ENTRY_STEPS(ARG(0), S(TEXT, 16, 0, 0))),
	BAD("TEXT of a zero alone", RETURN_STEPS(RESULT(0), S(TEXT, 1, 0, 0))),
	BAD("TEXT of 65 bytes", RETURN_STEPS(RESULT(0), S(TEXT, 65, 0, 0))),
	BAD("TEXT with an argument", RETURN_STEPS(RESULT(0), S(TEXT, 64, 1, 0))),
	GOOD("TEXTU behind a TEXT", RETURN_STEPS(RESULT(0), S(TEXT, 64, 0, 0), S(TEXTU, 2, 0, 0))),
	BAD("STORE behind a TEXT", RETURN_STEPS(RESULT(0), S(TEXT, 64, 0, 0), STORE(8))),
	BAD("BYTES behind a TEXT", RETURN_STEPS(RESULT(0), S(TEXTU, 64, 0, 0), S(BYTES, 8, 0, 0))),

	BAD("a return of what does not return",
	    ((struct lt_test_steps) { .n_return = 1, .flags = LT_CALL_NO_RETURN,
				      .step = { RESULT(0) } })),
	{ "80 bytes at the entry, and a word",
	  -E2BIG, ENTRY_STEPS(ARG(0), KEEP(0), S(BYTES, 64, 0, 0), S(BYTES, 16, 0, 0)) },
	GOOD("80 bytes at the entry", ENTRY_STEPS(ARG(0), S(BYTES, 64, 0, 0), S(BYTES, 16, 0, 0))),
	{ "81 bytes at the entry", -E2BIG,
	  ENTRY_STEPS(ARG(0), S(BYTES, 64, 0, 0), S(BYTES, 16, 0, 0), STORE(1)) },
	{ "a word kept as number 7, and 17 bytes", -E2BIG,
	  ENTRY_STEPS(ARG(0), KEEP(7), S(BYTES, 17, 0, 0)) },
	GOOD("256 bytes", RETURN_STEPS(RESULT(0), S(BYTES, 64, 0, 0), S(BYTES, 64, 0, 0),
				    S(BYTES, 64, 0, 0), S(BYTES, 64, 0, 0))),
	BAD("257 bytes", RETURN_STEPS(RESULT(0), S(BYTES, 64, 0, 0), S(BYTES, 64, 0, 0),
				   S(BYTES, 64, 0, 0), S(BYTES, 64, 0, 0), STORE(1))),
};

static void name_of_rule(const struct rule *rule, char *name)
{
	strscpy(name, rule->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(rule, rules, name_of_rule);

static void steps_keep_to_each_rule(struct kunit *test)
{
	const struct rule *rule = test->param_value;
	struct lt_test_steps s = rule->s;
	struct lt_call_fn fn = {
		.n_entry = s.n_entry, .n_return = s.n_return, .flags = s.flags,
	};

	KUNIT_EXPECT_EQ(test, lt_call_check(&fn, s.step), rule->error);
}

/* As many of one step, behind a source. */
static int check_many(struct kunit *test, struct lt_call_step step, unsigned int n,
		      unsigned int n_entry)
{
	struct lt_call_step *steps = kunit_kcalloc(test, n + 1, sizeof(*steps), GFP_KERNEL);
	struct lt_call_fn fn = { .n_entry = n_entry, .n_return = n + 1 - n_entry };
	unsigned int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, steps);
	steps[0] = (struct lt_call_step)CONST(1);
	for (i = 1; i <= n; i++)
		steps[i] = step;
	return lt_call_check(&fn, steps);
}

static void there_may_be_only_so_many(struct kunit *test)
{
	const struct lt_call_step add = S(ADD, 0, 0, 1), store = STORE(1);

	KUNIT_EXPECT_EQ(test, check_many(test, add, LT_CALL_MAX_STEPS - 1, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, check_many(test, add, LT_CALL_MAX_STEPS - 1, LT_CALL_MAX_STEPS), 0);
	KUNIT_EXPECT_EQ(test, check_many(test, add, LT_CALL_MAX_STEPS, 3), -E2BIG);
	KUNIT_EXPECT_EQ(test, check_many(test, store, LT_CALL_MAX_VALUES, 0), 0);
	KUNIT_EXPECT_EQ(test, check_many(test, store, LT_CALL_MAX_VALUES + 1, 0), -EINVAL);
}

static void sizes_are_found(struct kunit *test)
{
	struct lt_test_steps s = BOTH_STEPS(6, ARG(0), STORE(4), ARG(1), KEEP(2), S(BYTES, 7, 0, 0),
					 STORE(8), LOADK(2), S(READ, 8, 0, 0), STORE(8),
					 S(TEXT, 20, 0, 0));
	struct lt_call_fn fn = { .n_entry = s.n_entry, .n_return = s.n_return };

	KUNIT_ASSERT_EQ(test, lt_call_check(&fn, s.step), 0);
	KUNIT_EXPECT_EQ(test, fn.entry_values, 3);
	KUNIT_EXPECT_EQ(test, fn.entry_bytes, 19);
	KUNIT_EXPECT_EQ(test, fn.most_bytes, 47);
	KUNIT_EXPECT_EQ(test, fn.n_kept, 3);
	KUNIT_EXPECT_TRUE(test, fn.texts);
	KUNIT_EXPECT_FALSE(test, fn.plain);
}

/* Registers as they are, and one result: what is changed in between is not plain. */
static void what_is_plain_is_found(struct kunit *test)
{
	static const struct {
		bool plain;
		struct lt_test_steps s;
	} all[] = {
		{ true, BOTH_STEPS(4, ARG(0), STORE(8), ARG(5), STORE(2), RESULT(0), STORE(8)) },
		{ true, { } },
		{ false, ENTRY_STEPS(ARG(0), STORE(8), STORE(4)) },
		{ false, ENTRY_STEPS(ARG(0), STORE(8), S(ADD, 0, 0, 4)) },
		{ false, ENTRY_STEPS(ARG(0), S(SIGN, 8, 0, 0), STORE(8)) },
		{ false, ENTRY_STEPS(ARG(6), STORE(8)) },
		{ false, ENTRY_STEPS(ARG(0)) },
		{ false, { .n_return = 1, .step = { RESULT(0), STORE(8) } } }, /* it is behind */
		{ false, RETURN_STEPS(RESULT(0), STORE(8), RESULT(1), STORE(8)) },
		{ false, { .n_entry = 2, .flags = LT_CALL_NO_RETURN,
			   .step = { ARG(0), STORE(8) } } },
	};
	unsigned int i;

	if (lt_call_arg_offset(0) < 0)
		kunit_skip(test, "nothing is plain on this machine");
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct lt_test_steps s = all[i].s;
		struct lt_call_fn fn = {
			.n_entry = s.n_entry, .n_return = s.n_return, .flags = s.flags,
		};

		KUNIT_ASSERT_EQ(test, lt_call_check(&fn, s.step), 0);
		KUNIT_EXPECT_EQ_MSG(test, fn.plain, all[i].plain, "of number %u", i);
	}
}

/* ------------------------------------------------------------------------
 * Sets
 */

struct one {
	struct lt_call_set set;
	struct lt_call_function fn[2];
	struct lt_call_step step[2];
} __packed;

/* A set of two functions, the second with steps. */
static struct one *two_functions(void)
{
	static const struct lt_call_step steps[] = { RESULT(0), STORE(8) };
	struct one *one = kvzalloc(sizeof(*one), GFP_KERNEL);

	if (!one)
		return NULL;
	one->set = (struct lt_call_set) {
		.magic = LT_CALL_MAGIC, .version = LT_CALL_VERSION, .functions = 2,
		.bytes = sizeof(*one) - sizeof(one->set),
	};
	one->fn[0].address = 0x1000;
	strscpy(one->fn[0].name, "one", sizeof(one->fn[0].name));
	strscpy(one->fn[1].module, "some_module", sizeof(one->fn[1].module));
	strscpy(one->fn[1].name, "another", sizeof(one->fn[1].name));
	one->fn[1].n_return = 2;
	memcpy(one->step, steps, sizeof(steps));
	return one;
}

/* The error of a set of @size bytes that @change made of one that is good. */
static long error_of(struct kunit *test, void (*change)(struct one *), size_t size)
{
	struct one *one = two_functions();
	struct lt_call_fns *fns;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, one);
	if (change)
		change(one);
	fns = lt_call_fns_make(one, size);
	if (IS_ERR(fns))
		return PTR_ERR(fns);
	lt_call_fns_put(fns);
	return 0;
}

#define CHANGE(name, statement)						\
	static void name(struct one *one) { statement; }

CHANGE(other_magic, one->set.magic++)
CHANGE(other_version, one->set.version++)
CHANGE(other_bytes, one->set.bytes++)
CHANGE(bytes_overflow, one->set.bytes = ~0U)
CHANGE(too_many, one->set.functions = LT_CALL_MAX_FUNCTIONS + 1)
CHANGE(far_too_many, one->set.functions = ~0U)
CHANGE(more_than_there_are, one->set.functions++)
CHANGE(fewer_than_there_are, one->set.functions--)
CHANGE(no_name, one->fn[1].name[0] = 0)
CHANGE(name_without_end, memset(one->fn[0].name, 'a', sizeof(one->fn[0].name)))
CHANGE(module_without_end, memset(one->fn[1].module, 'a', sizeof(one->fn[1].module)))
CHANGE(name_with_blank, one->fn[0].name[1] = ' ')
CHANGE(name_not_ascii, one->fn[0].name[1] = '\xe4')
CHANGE(module_with_newline, one->fn[1].module[3] = '\n')
CHANGE(by_name, one->fn[0].address = 0)
CHANGE(address_and_module, one->fn[1].address = 0x2000)
CHANGE(unknown_flag, one->fn[0].flags = 2)
CHANGE(high_flag, one->fn[0].flags = 0x10000)
CHANGE(steps_behind_the_end, one->fn[1].n_entry = 1)
CHANGE(steps_overflow, one->fn[1].n_entry = one->fn[1].n_return = 0xffff)
CHANGE(bad_step, one->step[1].size = 3)

static void sets_keep_to_each_rule(struct kunit *test)
{
	static void (* const refused[])(struct one *) = {
		other_magic, other_version, other_bytes, bytes_overflow,
		more_than_there_are, fewer_than_there_are, no_name, name_without_end,
		module_without_end, name_with_blank, name_not_ascii, module_with_newline,
		address_and_module, unknown_flag, high_flag,
		steps_behind_the_end, steps_overflow, bad_step,
	};
	unsigned int i;

	KUNIT_EXPECT_EQ(test, error_of(test, NULL, sizeof(struct one)), 0);
	KUNIT_EXPECT_EQ(test, error_of(test, by_name, sizeof(struct one)), 0);
	for (i = 0; i < ARRAY_SIZE(refused); i++)
		KUNIT_EXPECT_EQ_MSG(test, error_of(test, refused[i], sizeof(struct one)),
				    -EINVAL, "%ps", refused[i]);
	KUNIT_EXPECT_EQ(test, error_of(test, too_many, sizeof(struct one)), -E2BIG);
	KUNIT_EXPECT_EQ(test, error_of(test, far_too_many, sizeof(struct one)), -E2BIG);
}

/* Whatever is missing at the end, and whether its header says so. */
static void a_part_of_a_set_is_refused(struct kunit *test)
{
	size_t size;

	for (size = 0; size < sizeof(struct one); size++) {
		struct one *one = two_functions();
		void *part = kvmalloc(size ?: 1, GFP_KERNEL);

		KUNIT_ASSERT_TRUE(test, one && part);
		KUNIT_EXPECT_EQ(test, error_of(test, NULL, size), -EINVAL);
		if (size >= sizeof(one->set))
			one->set.bytes = size - sizeof(one->set);
		memcpy(part, one, size);
		kvfree(one);
		KUNIT_EXPECT_EQ(test, PTR_ERR(lt_call_fns_make(part, size)), -EINVAL);
	}
}

static void a_set_has_what_was_written(struct kunit *test)
{
	struct lt_call_fns *fns = lt_call_fns_make(two_functions(), sizeof(struct one));

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, fns);
	KUNIT_EXPECT_EQ(test, fns->n, 2U);
	KUNIT_EXPECT_EQ(test, fns->fn[1].number, 1);
	KUNIT_EXPECT_EQ(test, fns->fn[0].address, 0x1000UL);
	KUNIT_EXPECT_STREQ(test, fns->fn[0].name, "one");
	KUNIT_EXPECT_STREQ(test, fns->fn[1].module, "some_module");
	lt_call_fns_put(fns);
}

static struct kunit_case check_cases[] = {
	KUNIT_CASE_PARAM(steps_keep_to_each_rule, rule_gen_params),
	KUNIT_CASE(there_may_be_only_so_many),
	KUNIT_CASE(sizes_are_found),
	KUNIT_CASE(what_is_plain_is_found),
	KUNIT_CASE(sets_keep_to_each_rule),
	KUNIT_CASE(a_part_of_a_set_is_refused),
	KUNIT_CASE(a_set_has_what_was_written),
	{}
};

struct kunit_suite lt_call_check_suite = {
	.name = "lifetrace_call_check",
	.test_cases = check_cases,
};

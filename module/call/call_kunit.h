/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the KUnit suites of the channel call share: steps as constants, and functions of them.
 */
#ifndef LT_CALL_KUNIT_H
#define LT_CALL_KUNIT_H

#include "call/internal.h"
#include "core/kunit.h"

#define S(NAME, size_, arg_, offset_)					\
	{ .op = LT_CALL_##NAME, .size = size_, .arg = arg_, .offset = offset_ }

#define ARG(n)		S(ARG, 0, n, 0)
#define RESULT(n)	S(RESULT, 0, n, 0)
#define CONST(value)	S(CONST, 0, 0, value)
#define STORE(size)	S(STORE, size, 0, 0)
#define LIMIT		S(LIMIT, 0, 0, 0)

#define N_STEPS(...)	(sizeof((struct lt_call_step[]) { __VA_ARGS__ }) /	\
			 sizeof(struct lt_call_step))

/**
 * struct lt_test_steps - a function's steps
 * @n_entry: steps at the entry
 * @n_return: steps at the return
 * @flags: of the function
 * @name: of the function; NULL: any
 * @step: both
 */
struct lt_test_steps {
	unsigned int n_entry;
	unsigned int n_return;
	unsigned int flags;
	const char *name;
	struct lt_call_step step[12];
};

#define ENTRY_STEPS(...)	{ .n_entry = N_STEPS(__VA_ARGS__), .step = { __VA_ARGS__ } }
#define RETURN_STEPS(...)	{ .n_return = N_STEPS(__VA_ARGS__), .step = { __VA_ARGS__ } }
#define BOTH_STEPS(entry, ...)						\
	{ .n_entry = entry, .n_return = N_STEPS(__VA_ARGS__) - (entry), .step = { __VA_ARGS__ } }

/* call_kunit.c: a test of calls begins and ends with the first two, and stays on CPU 0 */
int lt_test_call_init(struct kunit *test);
void lt_test_call_exit(struct kunit *test);
struct lt_call_fn *lt_test_call_begin(struct kunit *test, const struct lt_test_steps *s, u64 min,
				      unsigned int depth);
struct lt_class_counts lt_test_call_counted(void);

/* pack_kunit.c */
void lt_test_expect_short(struct kunit *test, const struct lt_test_record *r, const u8 *values,
			  const u8 *sizes, unsigned int n);

static inline void lt_test_set_arg(struct pt_regs *regs, unsigned int n, unsigned long value)
{
	*(unsigned long *)((u8 *)regs + lt_call_arg_offset(n)) = value;
}

static inline void lt_test_set_result(struct pt_regs *regs, unsigned int n, unsigned long value)
{
	*(unsigned long *)((u8 *)regs + lt_call_result_offset(n)) = value;
}

#endif /* LT_CALL_KUNIT_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Which of the return addresses on a stack is the caller of the allocator, of a module and of what
 * is built into the kernel.
 */
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/kunit.h"
#include "kmem/caller.h"

/* In the first instructions of a function, as a return address is behind a call. */
#define IN(function)	((unsigned long)(function) + 4)

/* The name begins as those of lifetrace's probes do. It is a function of this module. */
static noinline int probe_of_another_tracer(struct kunit *test)
{
	return test ? 1 : 0;
}

static unsigned long outside(const struct module *own, bool frees, unsigned long first,
			     unsigned long second, unsigned long third)
{
	struct lt_unwound *u = kzalloc(sizeof(*u), GFP_KERNEL);
	unsigned long address = 0;

	/* No test expects it. */
	if (!u)
		return 1;
	u->frames[0] = first;
	u->frames[1] = second;
	u->frames[2] = third;
	address = lt_first_outside(u, 3, frees, own);
	kfree(u);
	return address;
}

/* The probe, the allocator, its caller. */
static void the_caller_is_behind_the_allocator(struct kunit *test)
{
	const unsigned long probe = IN(probe_of_another_tracer);

	KUNIT_EXPECT_EQ(test, outside(THIS_MODULE, true, probe, IN(kfree), IN(schedule)),
			IN(schedule));
	KUNIT_EXPECT_EQ(test, outside(NULL, true, probe, IN(kfree), IN(schedule)), IN(schedule));
	/* To allocate, kfree() is no allocator. */
	KUNIT_EXPECT_EQ(test, outside(THIS_MODULE, false, probe, IN(kfree), IN(schedule)),
			IN(kfree));
	/* A function of a module is a caller like others. */
	KUNIT_EXPECT_EQ(test, outside(NULL, true, IN(kfree), probe, IN(schedule)), probe);
}

/*
 * The allocator has returned: the first function is the caller that is no tracer's. Those of
 * lifetrace are known by the module's memory; built in, where there is no module, by their names,
 * which those of another tracer's module may have, too.
 */
static void own_functions_are_no_callers(struct kunit *test)
{
	const unsigned long probe = IN(probe_of_another_tracer);
	const struct module *own = THIS_MODULE;

	KUNIT_EXPECT_EQ(test, outside(own, false, probe, IN(schedule), 0), IN(schedule));
	/* To what is built in, the functions of this module are those of another one. */
	KUNIT_EXPECT_EQ(test, outside(NULL, false, probe, IN(schedule), 0),
			own ? probe : IN(schedule));
}

/* Behind what has no name there may be a caller. A trampoline is none. */
static void code_without_a_name_is_skipped(struct kunit *test)
{
	const struct lt_trampolines before = lt_trampolines;

	KUNIT_EXPECT_EQ(test, outside(NULL, false, 0x1234, IN(schedule), 0), IN(schedule));
	KUNIT_EXPECT_EQ(test, outside(NULL, false, 0x1234, 0x5678, 0), 0UL);
	lt_trampolines.graph = IN(schedule);
	KUNIT_EXPECT_EQ(test, outside(NULL, true, IN(kfree), IN(schedule), 0), 0UL);
	lt_trampolines = before;
}

static struct kunit_case caller_cases[] = {
	KUNIT_CASE(the_caller_is_behind_the_allocator),
	KUNIT_CASE(own_functions_are_no_callers),
	KUNIT_CASE(code_without_a_name_is_skipped),
	{}
};

struct kunit_suite lt_caller_suite = {
	.name = "lifetrace_caller",
	.test_cases = caller_cases,
};

// SPDX-License-Identifier: GPL-2.0
/*
 * The file that has the functions of a boot: what it holds is taken over, and nothing of one that
 * is damaged, or of another kernel.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "call/call_kunit.h"

static const char text[] = "function\t0\tone\t-\t0x0\tvoid one(void)\n";

struct boot_file {
	struct lt_call_boot head;
	struct lt_call_set set;
	struct lt_call_function fn;
	struct lt_call_step step[2];
	char text[sizeof(text) - 1];
} __packed;

static void sum_up(struct boot_file *f, size_t size)
{
	const size_t behind = offsetofend(struct lt_call_boot, sum);
	size_t i;

	f->head.sum = LT_CALL_BOOT_SUM_BEGIN;
	for (i = behind; i < size; i++)
		f->head.sum = LT_CALL_BOOT_SUM(f->head.sum, ((u8 *)f)[i]);
}

/* A file of one function that goes by its name. */
static void make_good(struct boot_file *f)
{
	static const struct lt_call_step steps[] = { RESULT(0), STORE(8) };

	memset(f, 0, sizeof(*f));
	f->head = (struct lt_call_boot) {
		.magic = LT_CALL_BOOT_MAGIC, .version = LT_CALL_BOOT_VERSION,
		.set = sizeof(f->set) + sizeof(f->fn) + sizeof(f->step), .text = sizeof(f->text),
		.release = "6.1.0-1", .build = "#1 SMP 2026",
	};
	f->set = (struct lt_call_set) {
		.magic = LT_CALL_MAGIC, .version = LT_CALL_VERSION, .functions = 1,
		.bytes = sizeof(f->fn) + sizeof(f->step),
	};
	strscpy(f->fn.name, "one", sizeof(f->fn.name));
	f->fn.n_return = 2;
	memcpy(f->step, steps, sizeof(steps));
	memcpy(f->text, text, sizeof(f->text));
	sum_up(f, sizeof(*f));
}

/* Return: what is wrong with a file; NULL: nothing. */
static const char *fault_of(const void *data, size_t size, const char *release, const char *build)
{
	const char *why = NULL;
	struct lt_call_fns *fns = lt_call_boot_make(data, size, release, build, &why);

	if (IS_ERR(fns))
		return why ?: "no reason";
	lt_call_fns_put(fns);
	return NULL;
}

static const char *fault(const struct boot_file *f, size_t size)
{
	return fault_of(f, size, "6.1.0-1", "#1 SMP 2026");
}

static void a_file_has_a_set_and_its_text(struct kunit *test)
{
	struct boot_file f;
	const char *why = NULL;
	struct lt_call_fns *fns;

	make_good(&f);
	fns = lt_call_boot_make(&f, sizeof(f), "6.1.0-1", "#1 SMP 2026", &why);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, fns);
	KUNIT_EXPECT_EQ(test, fns->n, 1U);
	KUNIT_EXPECT_STREQ(test, fns->fn[0].name, "one");
	KUNIT_EXPECT_EQ(test, fns->fn[0].address, 0UL);
	KUNIT_ASSERT_EQ(test, fns->text_size, sizeof(text) - 1);
	KUNIT_EXPECT_EQ(test, memcmp(fns->text, text, sizeof(text) - 1), 0);
	lt_call_fns_put(fns);
}

static void no_part_of_a_file_is_taken(struct kunit *test)
{
	struct boot_file *f = kunit_kzalloc(test, sizeof(*f) + 1, GFP_KERNEL);
	size_t size;

	KUNIT_ASSERT_NOT_NULL(test, f);
	make_good(f);
	for (size = 0; size < sizeof(*f); size++) {
		/* In memory of its own, so that a read behind its end is seen. */
		void *part = kmemdup(f, size, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, part);
		KUNIT_EXPECT_NOT_NULL_MSG(test, fault(part, size), "%zu bytes", size);
		kfree(part);
	}
	KUNIT_EXPECT_STREQ(test, fault(f, sizeof(*f) + 1), "it is not whole");
	KUNIT_EXPECT_NULL(test, fault(f, sizeof(*f)));
}

static void each_changed_bit_is_seen(struct kunit *test)
{
	struct boot_file f;
	size_t bit;

	make_good(&f);
	for (bit = 0; bit < 8 * sizeof(f); bit++) {
		((u8 *)&f)[bit / 8] ^= BIT(bit % 8);
		KUNIT_EXPECT_NOT_NULL_MSG(test, fault(&f, sizeof(f)), "bit %zu", bit);
		((u8 *)&f)[bit / 8] ^= BIT(bit % 8);
	}
	KUNIT_EXPECT_NULL(test, fault(&f, sizeof(f)));
}

static void only_its_kernel_takes_a_file(struct kunit *test)
{
	struct boot_file f;

	make_good(&f);
	KUNIT_EXPECT_STREQ(test, fault_of(&f, sizeof(f), "6.1.0-2", "#1 SMP 2026"),
			   "it is of another kernel");
	KUNIT_EXPECT_STREQ(test, fault_of(&f, sizeof(f), "6.1.0-1", "#2 SMP 2026"),
			   "it is of another kernel");
	memset(f.head.release, 'a', sizeof(f.head.release));
	sum_up(&f, sizeof(f));
	KUNIT_EXPECT_STREQ(test, fault(&f, sizeof(f)), "it names no kernel");
	make_good(&f);
	memset(f.head.build, 'a', sizeof(f.head.build));
	sum_up(&f, sizeof(f));
	KUNIT_EXPECT_STREQ(test, fault(&f, sizeof(f)), "it names no kernel");
}

/* The sum finds damage alone. The set is checked as one that is written to "calls". */
static void a_set_with_a_right_sum_is_checked(struct kunit *test)
{
	struct boot_file f;

	make_good(&f);
	f.step[1].size = 3;
	sum_up(&f, sizeof(f));
	KUNIT_EXPECT_STREQ(test, fault(&f, sizeof(f)), "its set of functions is none");
	make_good(&f);
	f.fn.n_entry = 0xffff;
	sum_up(&f, sizeof(f));
	KUNIT_EXPECT_STREQ(test, fault(&f, sizeof(f)), "its set of functions is none");
	make_good(&f);
	f.head.set -= 8;
	f.head.text += 8;
	sum_up(&f, sizeof(f));
	KUNIT_EXPECT_STREQ(test, fault(&f, sizeof(f)), "its set of functions is none");
	make_good(&f);
	f.head.text += f.head.set;
	f.head.set = 0;
	sum_up(&f, sizeof(f));
	KUNIT_EXPECT_STREQ(test, fault(&f, sizeof(f)), "its set of functions is none");
	make_good(&f);
	f.head.text -= 8;
	sum_up(&f, sizeof(f));
	KUNIT_EXPECT_STREQ(test, fault(&f, sizeof(f)), "it is not whole");
}

/* Before anything behind the head is read. */
static void sizes_have_limits(struct kunit *test)
{
	struct boot_file f;

	make_good(&f);
	f.head.set = LT_CALL_MOST_BYTES + 1;
	f.head.text = -f.head.set;
	KUNIT_EXPECT_STREQ(test, fault(&f, sizeof(f)), "it is too large");
	make_good(&f);
	f.head.text = LT_CALL_BOOT_MOST_TEXT + 1;
	KUNIT_EXPECT_STREQ(test, fault(&f, sizeof(f)), "it is too large");
	f.head.text = LT_CALL_BOOT_MOST_TEXT;
	f.head.set = LT_CALL_MOST_BYTES;
	KUNIT_EXPECT_STREQ(test, fault(&f, sizeof(f)), "it is not whole");
}

/* A session that comes later must not have the functions of the boot, but those handed over. */
static void the_boots_set_is_taken_back_alone(struct kunit *test)
{
	struct boot_file f;
	const char *why;
	struct lt_call_fns *boot, *other, *next;

	make_good(&f);
	boot = lt_call_boot_make(&f, sizeof(f), "6.1.0-1", "#1 SMP 2026", &why);
	other = lt_call_boot_make(&f, sizeof(f), "6.1.0-1", "#1 SMP 2026", &why);
	KUNIT_ASSERT_FALSE(test, IS_ERR(boot) || IS_ERR(other));
	refcount_inc(&boot->refs);
	lt_call_fns_set_next(boot);
	lt_call_fns_take_back(boot);
	KUNIT_EXPECT_NULL(test, lt_call_fns_next());
	lt_call_fns_set_next(other);
	lt_call_fns_take_back(boot);
	next = lt_call_fns_next();
	KUNIT_EXPECT_PTR_EQ(test, next, other);
	lt_call_fns_put(next);
	lt_call_fns_set_next(NULL);
	lt_call_fns_put(boot);
}

static struct kunit_case boot_cases[] = {
	KUNIT_CASE(a_file_has_a_set_and_its_text),
	KUNIT_CASE(no_part_of_a_file_is_taken),
	KUNIT_CASE(each_changed_bit_is_seen),
	KUNIT_CASE(only_its_kernel_takes_a_file),
	KUNIT_CASE(a_set_with_a_right_sum_is_checked),
	KUNIT_CASE(sizes_have_limits),
	KUNIT_CASE(the_boots_set_is_taken_back_alone),
	{}
};

struct kunit_suite lt_call_boot_suite = {
	.name = "lifetrace_call_boot",
	.test_cases = boot_cases,
};

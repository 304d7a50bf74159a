// SPDX-License-Identifier: GPL-2.0
/*
 * Filters of births: what the parameters mean, and what of them is refused.
 */
#include <linux/slab.h>

#include "kmem/cache.h"
#include "kmem/caller.h"
#include "kmem/filter.h"
#include "core/kunit.h"
#include "core/only.h"

static void filter_test_exit(struct kunit *test)
{
	lt_births_close();
	lt_only_close();
}

static bool is_left_out(unsigned long call_site, const struct kmem_cache *s, size_t bytes_req,
			size_t bytes_alloc)
{
	return lt_object_left_out(&call_site, s, bytes_req, bytes_alloc);
}

static bool keeps_kmalloc(size_t bytes)
{
	return !is_left_out(0, NULL, bytes, bytes);
}

static void no_filter_keeps_all(struct kunit *test)
{
	static const struct lt_birth_filter none = {
		.caches = "\n", .code = " ,\n",
	};
	static const struct lt_only nobody = { .cgroup = "\n" };

	KUNIT_EXPECT_FALSE(test, lt_birth_filter_is_set(&none));
	KUNIT_EXPECT_FALSE(test, lt_only_is_set(&nobody));
	KUNIT_ASSERT_EQ(test, lt_only_open(&nobody), 0);
	KUNIT_ASSERT_EQ(test, lt_births_open(&none), 0);
	KUNIT_EXPECT_FALSE(test, lt_births_on);
}

static void kmalloc_goes_by_its_sizes(struct kunit *test)
{
	static const struct lt_birth_filter some = {
		.caches = "dentry, kmalloc-96,kmalloc-1k,kmalloc-2M\n",
	};
	static const struct lt_birth_filter all = { .caches = "kmalloc*" };
	static const struct lt_birth_filter one = { .caches = "kmalloc-1*" };

	KUNIT_ASSERT_EQ(test, lt_births_open(&some), 0);
	KUNIT_EXPECT_TRUE(test, lt_births_on);
	KUNIT_EXPECT_TRUE(test, keeps_kmalloc(96));
	KUNIT_EXPECT_TRUE(test, keeps_kmalloc(1024));
	KUNIT_EXPECT_TRUE(test, keeps_kmalloc(2 << 20));
	KUNIT_EXPECT_FALSE(test, keeps_kmalloc(64));
	KUNIT_EXPECT_FALSE(test, keeps_kmalloc(192));
	KUNIT_EXPECT_FALSE(test, keeps_kmalloc(100));
	lt_births_close();
	KUNIT_ASSERT_EQ(test, lt_births_open(&all), 0);
	KUNIT_EXPECT_TRUE(test, keeps_kmalloc(8));
	KUNIT_EXPECT_TRUE(test, keeps_kmalloc(192));
	lt_births_close();
	KUNIT_ASSERT_EQ(test, lt_births_open(&one), 0);
	KUNIT_EXPECT_TRUE(test, keeps_kmalloc(16));
	KUNIT_EXPECT_TRUE(test, keeps_kmalloc(192));
	KUNIT_EXPECT_TRUE(test, keeps_kmalloc(16384));
	KUNIT_EXPECT_FALSE(test, keeps_kmalloc(32));
}

static void some_ctor(void *object)
{
}

/* A constructor keeps caches from being merged. */
static void caches_go_by_their_names(struct kunit *test)
{
	static const struct lt_birth_filter f = { .caches = "lt_filter_a*" };
	struct kmem_cache *a, *b;

	KUNIT_ASSERT_EQ(test, lt_cache_prove(), 0);
	KUNIT_ASSERT_TRUE(test, lt_cache_proven());
	a = kmem_cache_create("lt_filter_a1", 200, 0, 0, some_ctor);
	b = kmem_cache_create("lt_filter_b1", 200, 0, 0, some_ctor);
	KUNIT_ASSERT_TRUE(test, a && b);
	KUNIT_ASSERT_EQ(test, lt_births_open(&f), 0);
	/* The second time it is known. */
	KUNIT_EXPECT_FALSE(test, is_left_out(0, a, 200, 0));
	KUNIT_EXPECT_FALSE(test, is_left_out(0, a, 200, 0));
	KUNIT_EXPECT_TRUE(test, is_left_out(0, b, 200, 0));
	KUNIT_EXPECT_TRUE(test, is_left_out(0, b, 200, 0));
	lt_births_forget_cache(a);
	lt_births_forget_cache(NULL);
	KUNIT_EXPECT_FALSE(test, is_left_out(0, a, 200, 0));
	lt_births_forget_cache(a);
	lt_births_forget_cache(b);
	kmem_cache_destroy(a);
	kmem_cache_destroy(b);
}

static void callers_and_sizes_have_limits(struct kunit *test)
{
	static const struct lt_birth_filter f = {
		.code = "0x1000-0x2000,12288-0x4000", .max_size = 100,
	};

	KUNIT_ASSERT_EQ(test, lt_births_open(&f), 0);
	KUNIT_EXPECT_TRUE(test, is_left_out(0xfff, NULL, 1, 8));
	KUNIT_EXPECT_FALSE(test, is_left_out(0x1000, NULL, 1, 8));
	KUNIT_EXPECT_FALSE(test, is_left_out(0x1fff, NULL, 1, 8));
	KUNIT_EXPECT_TRUE(test, is_left_out(0x2000, NULL, 1, 8));
	KUNIT_EXPECT_FALSE(test, is_left_out(0x3000, NULL, 100, 128));
	KUNIT_EXPECT_TRUE(test, is_left_out(0x3000, NULL, 101, 128));
	KUNIT_EXPECT_TRUE(test, lt_pages_left_out(0));
}

/* The caller behind a trampoline is looked for once, and only where the filter asks for it. */
static void a_trampoline_is_replaced_once(struct kunit *test)
{
	static const struct lt_birth_filter code = { .code = "0x1000-0x2000", .max_size = 100 };
	static const struct lt_birth_filter size = { .max_size = 100 };
	const struct lt_trampolines before = lt_trampolines;
	unsigned long site = 0x5000;
	struct lt_krealloc *call;

	lt_trampolines.kretprobe = site;
	call = lt_krealloc_begin(0x1800);
	KUNIT_EXPECT_EQ(test, lt_births_open(&size), 0);
	KUNIT_EXPECT_FALSE(test, lt_object_left_out(&site, NULL, 1, 8));
	KUNIT_EXPECT_EQ(test, site, 0x5000UL);
	lt_births_close();
	KUNIT_EXPECT_EQ(test, lt_births_open(&code), 0);
	KUNIT_EXPECT_TRUE(test, lt_object_left_out(&site, NULL, 101, 128));
	KUNIT_EXPECT_EQ(test, site, 0x5000UL);
	KUNIT_EXPECT_FALSE(test, lt_object_left_out(&site, NULL, 1, 8));
	KUNIT_EXPECT_EQ(test, site, 0x1800UL);
	lt_krealloc_end(call);
	lt_trampolines = before;
}

static void tasks_go_by_their_tree(struct kunit *test)
{
	static const struct lt_birth_filter none;
	const struct lt_only own = { .pid = task_tgid_vnr(current) };
	static const struct lt_only other = { .pid = 1 };

	KUNIT_ASSERT_EQ(test, lt_only_open(&own), 0);
	KUNIT_ASSERT_EQ(test, lt_births_open(&none), 0);
	KUNIT_EXPECT_TRUE(test, lt_births_on);
	KUNIT_EXPECT_TRUE(test, keeps_kmalloc(64));
	KUNIT_EXPECT_FALSE(test, lt_pages_left_out(0));
	/* What this task does with bottom halves off is its own; an interrupt's is not. */
	local_bh_disable();
	KUNIT_EXPECT_TRUE(test, keeps_kmalloc(64));
	local_bh_enable();
	lt_births_close();
	lt_only_close();
	KUNIT_EXPECT_FALSE(test, lt_births_on);
	KUNIT_EXPECT_FALSE(test, lt_only_on);
	/* Threads of the kernel are no children of its first process. */
	if (find_vpid(1)) {
		KUNIT_ASSERT_EQ(test, lt_only_open(&other), 0);
		KUNIT_ASSERT_EQ(test, lt_births_open(&none), 0);
		KUNIT_EXPECT_FALSE(test, keeps_kmalloc(64));
	}
}

static void nonsense_is_refused(struct kunit *test)
{
	static const struct lt_birth_filter bad[] = {
		{ .code = "0x1000" }, { .code = "0x2000-0x1000" }, { .code = "-" },
		{ .code = "0x10000000000000000000000000-1" }, { .code = "a-b" },
		{ .caches = "a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a" },
	};
	static const struct lt_birth_filter slab = { .caches = "dentry" };
	static const struct lt_only nobody[] = {
		{ .pid = PID_MAX_LIMIT }, { .cgroup = "/lt/no/such" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_TRUE(test, lt_birth_filter_refused(&bad[i], false));
	for (i = 0; i < ARRAY_SIZE(nobody); i++)
		KUNIT_EXPECT_TRUE(test, lt_only_refused(&nobody[i]));
	/* With KASAN a slot has more than its object. */
	KUNIT_EXPECT_EQ(test, !!lt_birth_filter_refused(&slab, false), IS_ENABLED(CONFIG_KASAN));
	KUNIT_EXPECT_TRUE(test, lt_birth_filter_refused(&slab, true));
}

static struct kunit_case filter_cases[] = {
	KUNIT_CASE(no_filter_keeps_all),
	KUNIT_CASE(kmalloc_goes_by_its_sizes),
	KUNIT_CASE(caches_go_by_their_names),
	KUNIT_CASE(callers_and_sizes_have_limits),
	KUNIT_CASE(a_trampoline_is_replaced_once),
	KUNIT_CASE(tasks_go_by_their_tree),
	KUNIT_CASE(nonsense_is_refused),
	{}
};

struct kunit_suite lt_filter_suite = {
	.name = "lifetrace_filter",
	.exit = filter_test_exit,
	.test_cases = filter_cases,
};

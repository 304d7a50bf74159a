// SPDX-License-Identifier: GPL-2.0
/*
 * Traces whose oldest packets were overwritten: what was in them is counted, what is missing
 * elsewhere is still a damage, and ids that they announced are known.
 */
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "trace/trace.h"
#include "verify/check.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000001000ULL
#define SITE	0xffffffff81000100ULL

/* CPU 0 has lost 2 packets with 3 kmalloc and 2 kfree, CPU 1 none. */
static struct tg *make(bool flight)
{
	struct tg *g = tg_new(&(struct tg_options){ .flight = flight });

	TG_KMALLOC(g, 0, 1000, .ptr = PTR, .call_site = SITE, .bytes_req = 8, .bytes_alloc = 8,
		   .gfp = 0, .node = -1);
	TG_KMALLOC(g, 0, 1010, .ptr = PTR + 64, .call_site = SITE, .bytes_req = 8, .bytes_alloc = 8,
		   .gfp = 0, .node = -1);
	tg_drop(g, 0, 1100);
	TG_KMALLOC(g, 0, 1200, .ptr = PTR + 128, .call_site = SITE, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	tg_kfree(g, 0, 1210, PTR, SITE);
	tg_kfree(g, 0, 1220, PTR + 64, SITE);
	tg_drop(g, 0, 1300);
	tg_kfree(g, 0, 1400, PTR + 128, SITE);
	TG_KMALLOC(g, 0, 1410, .ptr = PTR, .call_site = SITE, .bytes_req = 8, .bytes_alloc = 8,
		   .gfp = 0, .node = -1);
	tg_close(g, 0, 1500);
	TG_KMALLOC(g, 1, 500, .ptr = PTR + 256, .call_site = SITE, .bytes_req = 8, .bytes_alloc = 8,
		   .gfp = 0, .node = -1);
	tg_close(g, 1, 600);
	return g;
}

static struct lt_verify_result *verify(struct tg *g)
{
	struct lt_verify_result *v;

	assert_int_equal(tg_write(g, test_path("overwritten.lt"), 0), 0);
	v = lt_verify(test_path("overwritten.lt"));
	assert_non_null(v);
	tg_free(g);
	return v;
}

static const struct lt_check *check(const struct lt_verify_result *v, enum lt_check_id id)
{
	return &v->checks[id];
}

static void test_sum(void **state)
{
	struct tg *g = make(true);
	struct lt_verify_result *v;

	(void)state;
	tg_finish(g, 2000);
	v = verify(g);
	assert_true(v->flight);
	assert_true(lt_verify_result_good(v));
	assert_int_equal(v->streams[0]->overwritten_packets, 2);
	assert_int_equal(v->streams[0]->overwritten[LT_CLASS_KMALLOC], 3);
	assert_int_equal(v->streams[0]->overwritten[LT_CLASS_KFREE], 2);
	assert_int_equal(v->streams[lt_stream_number(LT_CHANNEL_KMEM, 1)]->overwritten_packets, 0);
	assert_non_null(strstr(check(v, LT_CHECK_CONSERVATION)->text, "overwritten 5, unacc"));
	assert_non_null(strstr(check(v, LT_CHECK_SEQUENCE)->text, "overwritten 2"));
	lt_verify_result_free(v);
}

/* In another mode, and behind the first packet that is kept, it is a damage. */
static void test_elsewhere(void **state)
{
	struct tg *g = make(false);
	struct lt_verify_result *v;

	(void)state;
	tg_finish(g, 2000);
	v = verify(g);
	assert_false(v->flight);
	assert_int_equal(check(v, LT_CHECK_SEQUENCE)->failures, 1);
	assert_true(check(v, LT_CHECK_CONSERVATION)->failures > 0);
	lt_verify_result_free(v);

	g = make(true);
	TG_KMALLOC(g, 0, 1600, .ptr = PTR + 512, .call_site = SITE, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	tg_drop(g, 0, 1700);
	tg_finish(g, 2000);
	v = verify(g);
	assert_int_equal(check(v, LT_CHECK_SEQUENCE)->failures, 1);
	assert_true(check(v, LT_CHECK_CONSERVATION)->failures > 0);
	lt_verify_result_free(v);
}

/* A first packet counts fewer events than it has, or a stream that is whole counts more. */
static void test_impossible(void **state)
{
	struct lt_verify_result *v;
	struct tg *g;

	(void)state;
	for (int i = 0; i < 2; i++) {
		g = tg_new(&(struct tg_options){ .flight = true });
		TG_KMALLOC(g, 0, 1000, .ptr = PTR, .call_site = SITE, .bytes_req = 8,
			   .bytes_alloc = 8, .gfp = 0, .node = -1);
		if (!i)
			tg_drop(g, 0, 1100);
		TG_KMALLOC(g, 0, 1200, .ptr = PTR + 64, .call_site = SITE, .bytes_req = 8,
			   .bytes_alloc = 8, .gfp = 0, .node = -1);
		tg_counts(g, 0)[LT_CLASS_KMALLOC].seen = i ? 7 : 0;
		tg_finish(g, 2000);
		v = verify(g);
		assert_true(check(v, LT_CHECK_CONSERVATION)->failures > 0);
		lt_verify_result_free(v);
	}
}

static void test_trace(void **state)
{
	struct tg *g = make(true);
	struct lt_trace *t;
	struct lt_event ev;

	(void)state;
	tg_finish(g, 2000);
	assert_int_equal(tg_write(g, test_path("overwritten.lt"), 0), 0);
	tg_free(g);
	t = lt_trace_open(test_path("overwritten.lt"));
	assert_non_null(t);
	assert_true(lt_trace_overwrites(t));
	assert_int_equal(lt_trace_overwritten(t, LT_CLASS_KMALLOC), 3);
	assert_int_equal(lt_trace_overwritten(t, LT_CLASS_KFREE), 2);
	assert_int_equal(lt_trace_overwritten(t, LT_CLASS_MARKER), 0);
	assert_int_equal(lt_trace_begin(t), 500);
	assert_int_equal(lt_trace_window_begin(t), 1400);
	while (lt_trace_next(t, &ev) > 0)
		assert_true(ev.time < 600 || lt_trace_gap_end(t, LT_SPACE_SLAB) == 1400);
	assert_int_equal(lt_trace_missing(t), 0);
	lt_trace_close(t);
}

static void expect_cache(const struct lt_trace *t, uint32_t id, uint64_t ptr, uint32_t size,
			 const char *name)
{
	const struct lt_cache *c = lt_trace_cache(t, id);

	assert_non_null(c);
	assert_int_equal(c->ptr, ptr);
	assert_int_equal(c->size, size);
	assert_string_equal(c->name, name);
}

static void test_caches(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .flight = true });
	struct lt_trace *t;
	struct lt_event ev;

	(void)state;
	TG_CACHE(g, 0, 900, .id = 7, .ptr = 0xffff888000100000, .object_size = 96, .size = 128,
		 .name = "dentry");
	tg_drop(g, 0, 950);
	/* Its line in CACHES says the same: that is no contradiction. */
	TG_CACHE(g, 0, 1000, .id = 8, .ptr = 0xffff888000200000, .object_size = 24, .size = 32,
		 .name = "a b");
	TG_CACHE_ALLOC(g, 0, 1010, .ptr = PTR, .call_site = SITE, .gfp = 0, .cache = 7, .node = -1);
	tg_text(g, LT_BLOCK_CACHES,
		"cache 7 ptr 0xffff888000100000 object_size 96 size 128 gone 0 name dentry\n"
		"cache 8 ptr 0xffff888000200000 object_size 24 size 32 gone 1 name a b\n"
		"cache 9 ptr 0xffff888000300000 object_size 1 size 2 gone 0 name x\\012y\\134z\n"
		"cache 10 ptr 0xffff888000400000 object_size 1 size 2 gone 0 name \n"
		"cache 0 ptr 0x1 object_size 1 size 1 gone 0 name null\n"
		"cache 4000000000 ptr 0x1 object_size 1 size 1 gone 0 name far\n"
		"cache 11 ptr 0x1 object_size 1\n"
		"another line\n");
	tg_finish(g, 2000);
	assert_int_equal(tg_write(g, test_path("overwritten.lt"), 0), 0);
	tg_free(g);
	t = lt_trace_open(test_path("overwritten.lt"));
	assert_non_null(t);
	expect_cache(t, 7, 0xffff888000100000, 128, "dentry");
	expect_cache(t, 9, 0xffff888000300000, 2, "x\ny\\z");
	expect_cache(t, 10, 0xffff888000400000, 2, "");
	assert_null(lt_trace_cache(t, 0));
	assert_null(lt_trace_cache(t, 11));
	assert_int_equal(lt_trace_n_caches(t), 11);
	test_stderr_begin();
	while (lt_trace_next(t, &ev) > 0)
		;
	assert_string_equal(test_stderr_end(), "");
	expect_cache(t, 8, 0xffff888000200000, 32, "a b");
	lt_trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sum), cmocka_unit_test(test_elsewhere),
		cmocka_unit_test(test_impossible), cmocka_unit_test(test_trace),
		cmocka_unit_test(test_caches),
	};

	return cmocka_run_group_tests_name("overwritten", tests, NULL, NULL);
}

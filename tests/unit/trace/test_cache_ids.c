// SPDX-License-Identifier: GPL-2.0
/*
 * Ids of slab caches that are announced again: an event means the cache of its time.
 */
#include "uapi/lifetrace_file.h"
#include "trace/trace.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000001000ULL
#define CACHE	0xffff888000100000ULL
#define SITE	0xffffffff81000100ULL
#define S	1000000000ULL

/* The name of the cache of each event of an object, in order; "-": not known. */
static void expect(struct lt_trace *t, const char *const *names, size_t n)
{
	const struct lt_cache *c;
	struct lt_event ev;
	uint64_t last = 0;
	size_t i = 0;

	while (lt_trace_next(t, &ev) > 0) {
		if (ev.id != LT_EV_CACHE_ALLOC && ev.id != LT_EV_CACHE_FREE)
			continue;
		assert_true(i < n && ev.time >= last);
		last = ev.time;
		c = lt_trace_cache(t, ev.cache);
		assert_string_equal(c ? c->name : "-", names[i]);
		assert_true(lt_trace_cache_id(t, ev.cache) == 3 || !ev.cache);
		i++;
	}
	assert_int_equal(i, n);
}

/* The names as they are known at the end, of the numbers that the events had. */
static void expect_at_end(struct lt_trace *t, const char *const *names, size_t n)
{
	struct lt_event ev;
	uint32_t numbers[16];
	size_t i = 0;

	while (lt_trace_next(t, &ev) > 0) {
		if (ev.id == LT_EV_CACHE_ALLOC || ev.id == LT_EV_CACHE_FREE)
			numbers[i++] = ev.cache;
	}
	assert_int_equal(i, n);
	for (i = 0; i < n; i++) {
		const struct lt_cache *c = lt_trace_cache(t, numbers[i]);

		assert_string_equal(c ? c->name : "-", names[i]);
	}
}

static struct lt_trace *opened(struct tg *g)
{
	struct lt_trace *t;

	assert_int_equal(tg_write(g, test_path("x.lt"), 0), 0);
	t = lt_trace_open(test_path("x.lt"));
	assert_non_null(t);
	return t;
}

static void one(struct tg *g, unsigned int cpu, uint64_t time)
{
	TG_CACHE_ALLOC(g, cpu, time, .ptr = PTR, .call_site = SITE, .gfp = 0xcc0, .cache = 3,
		       .node = -1);
}

static void test_each_has_the_name_of_its_time(void **state)
{
	static const char *const names[] = { "first", "first", "second", "second", "third" };
	struct tg *g = tg_new(NULL);
	struct lt_trace *t;

	(void)state;
	tg_auto_task(g, true);
	TG_CACHE(g, 0, 1 * S, .id = 3, .ptr = CACHE, .object_size = 192, .size = 200,
		 .name = "first");
	one(g, 0, 1 * S + 1);
	one(g, 1, 2 * S);
	tg_cache_gone(g, 0, 2 * S + 10, 3);
	/* On another CPU an event may stand a little before the announcement that it means. */
	one(g, 1, 4 * S - 5);
	TG_CACHE(g, 0, 4 * S, .id = 3, .ptr = CACHE, .object_size = 64, .size = 64,
		 .name = "second");
	one(g, 0, 4 * S + 1);
	tg_cache_gone(g, 1, 4 * S + 10, 3);
	TG_CACHE(g, 0, 6 * S, .id = 3, .ptr = CACHE, .object_size = 64, .size = 64,
		 .name = "third");
	one(g, 0, 6 * S + 1);
	tg_finish(g, 7 * S);
	t = opened(g);
	expect_at_end(t, names, 5);
	assert_string_equal(lt_trace_cache_at(t, 3, 1 * S)->name, "first");
	assert_string_equal(lt_trace_cache_at(t, 3, 4 * S)->name, "second");
	assert_string_equal(lt_trace_cache_at(t, 3, 7 * S)->name, "third");
	lt_trace_close(t);
	tg_free(g);
}

/* Records that come behind the end of a cache by little are of that cache. */
static void test_a_late_event_has_the_old_name(void **state)
{
	static const char *const names[] = { "first", "second" };
	struct tg *g = tg_new(NULL);
	struct lt_trace *t;

	(void)state;
	tg_auto_task(g, true);
	TG_CACHE(g, 0, 1 * S, .id = 3, .ptr = CACHE, .object_size = 192, .size = 200,
		 .name = "first");
	tg_cache_gone(g, 0, 2 * S, 3);
	one(g, 1, 2 * S + 1000);
	TG_CACHE(g, 0, 4 * S, .id = 3, .ptr = CACHE, .object_size = 64, .size = 64,
		 .name = "second");
	one(g, 1, 5 * S);
	tg_finish(g, 7 * S);
	t = opened(g);
	expect(t, names, 2);
	lt_trace_close(t);
	tg_free(g);
}

/* The record of the end is lost: the announcement ends the first meaning. */
static void test_a_lost_end(void **state)
{
	static const char *const names[] = { "first", "second" };
	struct tg *g = tg_new(NULL);
	struct lt_trace *t;

	(void)state;
	tg_auto_task(g, true);
	TG_CACHE(g, 0, 1 * S, .id = 3, .ptr = CACHE, .object_size = 192, .size = 200,
		 .name = "first");
	one(g, 0, 2 * S);
	TG_CACHE(g, 0, 4 * S, .id = 3, .ptr = CACHE, .object_size = 64, .size = 64,
		 .name = "second");
	one(g, 0, 5 * S);
	tg_finish(g, 7 * S);
	t = opened(g);
	expect(t, names, 2);
	lt_trace_close(t);
	tg_free(g);
}

/* What CACHES says of overwritten packets has its time, too; what it lacks is not known. */
static void test_text(void **state)
{
	static const char *const names[] = { "-", "first", "second", "second" };
	struct tg *g = tg_new(NULL);
	struct lt_trace *t;

	(void)state;
	tg_text(g, LT_BLOCK_CACHES,
		"cache_time 3 from 2000000000 until 3000000000\n"
		"cache 3 ptr 0x1000 object_size 8 size 8 gone 1 name first\n"
		"cache_time 3 from 5000000000 until 0\n"
		"cache 3 ptr 0x1000 object_size 8 size 8 gone 0 name second\n");
	tg_auto_task(g, true);
	one(g, 0, 1 * S);
	one(g, 0, 2 * S + 1);
	one(g, 0, 5 * S - 1);
	one(g, 0, 6 * S);
	tg_finish(g, 7 * S);
	t = opened(g);
	expect(t, names, 4);
	lt_trace_close(t);
	tg_free(g);
}

/* The latest cache of an id stands first; the one before it has no time of its own. */
static void test_text_of_the_latest_first(void **state)
{
	static const char *const names[] = { "first", "second" };
	struct tg *g = tg_new(NULL);
	struct lt_trace *t;

	(void)state;
	tg_text(g, LT_BLOCK_CACHES,
		"cache_time 3 from 5000000000 until 0\n"
		"cache 3 ptr 0x1000 object_size 8 size 8 gone 0 name second\n"
		"cache 3 ptr 0x1000 object_size 8 size 8 gone 1 name first\n");
	tg_auto_task(g, true);
	one(g, 0, 2 * S);
	one(g, 0, 6 * S);
	tg_finish(g, 7 * S);
	t = opened(g);
	expect(t, names, 2);
	lt_trace_close(t);
	tg_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_has_the_name_of_its_time),
		cmocka_unit_test(test_a_late_event_has_the_old_name),
		cmocka_unit_test(test_a_lost_end),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_text_of_the_latest_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers on what is alive: which objects their rules choose, by cache, site and task, at any
 * time of a trace.
 */
#include "flight/alive.h"
#include "shorttasks.h"
#include "testlib.h"
#include "trace/part.h"
#include "tracegen.h"

#define PTR(n)	(0xffff888000001000ULL + (uint64_t)(n) * 64)
#define A	0xffffffff81000110ULL
#define B	0xffffffff81000210ULL

static const char *const rules[] = {
	"live>1", "live_bytes>1", "live{comm=\"filler\"}>1", "live{cache=\"kmalloc-64\"}>1",
	"live{cache=~\"d.*\"}>1", "live{site=\"first\"}>1", "live{comm!=\"filler\",site=\"second\"}>1",
};

#define N_RULES	(sizeof(rules) / sizeof(rules[0]))

static struct tg *make_trace(void)
{
	struct tg *g = tg_new(&(struct tg_options){ .kmem_only = true });

	tg_text(g, LT_BLOCK_SYMBOLS, "ffffffff81000100 T first\nffffffff81000200 T second\n"
		"ffffffff81000300 T third\n");
	TG_CACHE(g, 0, 500, .id = 7, .ptr = 0xffff888100000000ULL, .object_size = 190, .size = 192,
		 .name = "dentry");
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	TG_KMALLOC(g, 0, 1010, .ptr = PTR(0), .call_site = A, .bytes_req = 60, .bytes_alloc = 64,
		   .gfp = 0xcc0, .node = -1);
	TG_KMALLOC(g, 0, 1020, .ptr = PTR(1), .call_site = B, .bytes_req = 60, .bytes_alloc = 64,
		   .gfp = 0xcc0, .node = -1);
	TG_TASK(g, 0, 1030, .tid = 18, .tgid = 18, .start = 600, .comm = "filler");
	TG_KMALLOC(g, 0, 1040, .ptr = PTR(2), .call_site = B, .bytes_req = 60, .bytes_alloc = 64,
		   .gfp = 0xcc0, .node = -1);
	TG_CACHE_ALLOC(g, 0, 1050, .ptr = PTR(3), .call_site = A, .gfp = 0xcc0, .cache = 7,
		       .node = -1);
	tg_kfree(g, 0, 2000, PTR(2), A);
	tg_finish(g, 3000);
	return g;
}

/* The sums after all events up to a time. */
static void check_at(uint64_t time, const double expected[N_RULES])
{
	struct lt_alive_sum sums[LT_TRIGGERS] = { { 0 } };
	struct lt_triggers triggers = { .n = 0 };
	struct lt_alive_watch *w;
	struct tg *g = make_trace();
	struct lt_event ev;
	struct lt_trace *t;

	for (size_t i = 0; i < N_RULES; i++)
		assert_int_equal(lt_trigger_add(&triggers, rules[i]), 0);
	assert_int_equal(tg_write(g, test_path("alive.lt"), 0), 0);
	t = lt_trace_open(test_path("alive.lt"));
	w = lt_alive_watch_new(t, &triggers);
	while (lt_trace_next(t, &ev) > 0 && ev.time <= time) {
		lt_alive_watch_event(w, &ev);
		lt_alive_watch_sums(w, sums);
	}
	for (size_t i = 0; i < N_RULES; i++) {
		if (sums[i].value != expected[i])
			fail_msg("%s: %f, expected %f", rules[i], sums[i].value, expected[i]);
		assert_true(sums[i].unsure == 0);
	}
	lt_alive_watch_free(w);
	lt_trace_close(t);
	lt_triggers_free(&triggers);
	tg_free(g);
}

static void test_sums(void **state)
{
	static const double expected[][N_RULES] = {
		{ 2, 128, 0, 2, 0, 1, 1 }, { 4, 384, 2, 3, 1, 2, 1 }, { 3, 320, 1, 2, 1, 2, 1 },
	};

	(void)state;
	check_at(1035, expected[0]);
	check_at(1060, expected[1]);
	check_at(2500, expected[2]);
}

/* What counts is known, whichever tasks are forgotten. */
static void test_many_tasks(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .tasks = true, .subbuf_size = 131072 });
	struct lt_alive_sum sums[LT_TRIGGERS] = { { 0 } };
	struct lt_triggers triggers = { .n = 0 };
	struct lt_alive_watch *w;
	struct lt_event ev;
	struct lt_trace *t;
	size_t most = 0;

	(void)state;
	tg_text(g, LT_BLOCK_CGROUPS, "7 /seven\n8 /eight\n9 /nine\n");
	tg_finish(g, short_tasks(g, 80000, true));
	assert_int_equal(tg_write(g, test_path("tasks.lt"), 0), 0);
	tg_free(g);
	assert_int_equal(lt_trigger_add(&triggers, "live{comm=~\"w.*\"}>1"), 0);
	assert_int_equal(lt_trigger_add(&triggers, "live{comm=\"l3\"}>1"), 0);
	assert_int_equal(lt_trigger_add(&triggers, "live{cgroup=\"/eight\"}>1"), 0);
	t = lt_trace_open(test_path("tasks.lt"));
	w = lt_alive_watch_new(t, &triggers);
	while (lt_trace_next(t, &ev) > 0) {
		lt_alive_watch_event(w, &ev);
		most = lt_trace_n_known(t) > most ? lt_trace_n_known(t) : most;
	}
	lt_alive_watch_sums(w, sums);
	/* Of 800 that stay, 150 were freed by then: those of the tasks 0, 200, …, 29800 */
	assert_int_equal((int)sums[0].value, 800 - 150);
	/* Changes at 500, 1500, …: the name l3 at 3500, 10500, …, 73500 */
	assert_int_equal((int)sums[1].value, 11);
	/*
	 * Of the tasks 100 k whose number has the rest 1 by 3, all but those that were freed; and
	 * the long-lived task's objects of the steps 1500, 4500, …, 79500.
	 */
	assert_int_equal((int)sums[2].value, 267 - 50 + 27);
	assert_in_range(most, 16384, 55000);
	lt_alive_watch_free(w);
	lt_trace_close(t);
	lt_triggers_free(&triggers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums), cmocka_unit_test(test_many_tasks),
	};

	return cmocka_run_group_tests_name("alive", tests, NULL, NULL);
}

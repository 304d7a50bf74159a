// SPDX-License-Identifier: GPL-2.0
/* Advice, from traces of which it is known what could be better. */
#include <string.h>

#include "sums/advice.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000100000ULL
#define SITE	0xffffffff81000100ULL
#define OTHER	0xffffffff81002100ULL	/* in another function */
#define FREE	0xffffffff81000900ULL	/* in the function of SITE */
#define BEGIN	1000ULL
#define END	1000000ULL
#define N	200			/* objects */
#define GFP	0xcc0U

static const char functions[] =
	"ffffffff81000000 T first\nffffffff81002000 T second\nffffffff81003000 T end\n";

/* What is expected of a trace: at most one piece of advice, and its numbers. */
struct result {
	size_t n;
	struct lt_advice advice;
	struct lt_advice_site site;
	struct lt_advice_site waiting[LT_ADVICE_WAITING];
	size_t n_waiting;
	size_t n_waiting_all;
};

static struct tg *begin(void)
{
	struct tg *g = tg_new(NULL);

	tg_auto_task(g, true);
	tg_text(g, LT_BLOCK_SYMBOLS, functions);
	TG_TASK(g, 0, BEGIN, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
	TG_TASK(g, 1, BEGIN, .tid = 18, .tgid = 18, .start = 60, .comm = "dog");
	return g;
}

static struct result advise_of(struct tg *g, enum lt_space space)
{
	struct lt_leak_options o = { .no_recorder = true, .space = space };
	struct result result = { 0 };
	struct lt_advisor *a;
	struct lt_trace *t;

	tg_finish(g, END);
	assert_int_equal(tg_write(g, test_path("a.lt"), 0), 0);
	t = lt_trace_open(test_path("a.lt"));
	assert_non_null(t);
	a = lt_advisor_make(t, &o);
	assert_non_null(a);
	result.n = a->n_rows;
	if (a->n_rows) {
		result.advice = a->rows[0];
		result.site = *a->rows[0].site;
	}
	result.n_waiting = a->n_waiting;
	result.n_waiting_all = a->n_waiting_all;
	for (size_t i = 0; i < a->n_waiting; i++)
		result.waiting[i] = *a->waiting[i];
	lt_advisor_free(a);
	lt_trace_close(t);
	tg_free(g);
	return result;
}

static struct result advise(struct tg *g)
{
	return advise_of(g, LT_SPACE_NONE);
}

static uint64_t address(uint64_t i)
{
	return PTR + 0x1000 * i;
}

/* @n objects, each freed @life ns later; of @req bytes, in a slot of @alloc. */
static void pairs(struct tg *g, uint64_t n, uint64_t life, uint64_t req, uint64_t alloc,
		  uint64_t site)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t time = BEGIN + 2000 * i;

		TG_KMALLOC(g, 0, time, .ptr = address(i), .call_site = site, .bytes_req = req,
			   .bytes_alloc = alloc, .gfp = GFP, .node = -1);
		tg_kfree(g, 0, time + life, address(i), FREE);
	}
}

static void test_at_once(void **state)
{
	struct tg *g = begin();
	struct result r;

	(void)state;
	pairs(g, N, 10, 200, 256, SITE);
	r = advise(g);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.advice.kind, LT_ADVICE_ON_STACK);
	assert_int_equal(r.advice.objects, N);
	assert_int_equal(r.advice.of, N);
	assert_int_equal(r.advice.bytes, N * 256);
	assert_int_equal(r.advice.ns, 10);
	assert_true(r.advice.part > 0.999);
	assert_int_equal(r.site.site, SITE);
	/* Too large for a stack; and made by a function that does not free it. */
	g = begin();
	pairs(g, N, 10, 500, 512, SITE);
	r = advise(g);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.advice.kind, LT_ADVICE_AT_ONCE_FREED);
	g = begin();
	pairs(g, N, 10, 200, 256, OTHER);
	r = advise(g);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.advice.kind, LT_ADVICE_AT_ONCE_FREED);
	assert_int_equal(r.site.same_function, 0);
}

/* No advice: too few, some of them live on, or another task frees them. */
static void test_not_at_once(void **state)
{
	struct tg *g = begin();

	(void)state;
	pairs(g, LT_ADVICE_LEAST_OBJECTS - 1, 10, 200, 256, SITE);
	assert_int_equal(advise(g).n, 0);
	g = begin();
	for (uint64_t i = 0; i < N; i++) {
		TG_KMALLOC(g, 0, BEGIN + 2000 * i, .ptr = address(i), .call_site = SITE,
			   .bytes_req = 200, .bytes_alloc = 256, .gfp = GFP, .node = -1);
		if (i % 8)
			tg_kfree(g, 0, BEGIN + 2000 * i + 10, address(i), FREE);
	}
	assert_int_equal(advise(g).n, 0);
	g = begin();
	for (uint64_t i = 0; i < N; i++) {
		TG_KMALLOC(g, 0, BEGIN + 2000 * i, .ptr = address(i), .call_site = SITE,
			   .bytes_req = 200, .bytes_alloc = 256, .gfp = GFP, .node = -1);
		TG_TASK(g, 0, BEGIN + 2000 * i + 1, .tid = 18, .tgid = 18, .start = 60,
			.comm = "dog");
		tg_kfree(g, 0, BEGIN + 2000 * i + 10, address(i), FREE);
		TG_TASK(g, 0, BEGIN + 2000 * i + 11, .tid = 17, .tgid = 17, .start = 50,
			.comm = "cat");
	}
	assert_int_equal(advise(g).n, 0);
	/* A hundred objects are less than 1 % of 12,000, which are freed late. */
	g = begin();
	for (uint64_t i = 0; i < 12000; i++)
		TG_KMALLOC(g, 0, BEGIN + i, .ptr = address(1000 + i), .call_site = OTHER,
			   .bytes_req = 64, .bytes_alloc = 64, .gfp = GFP, .node = -1);
	for (uint64_t i = 0; i < 100; i++) {
		TG_KMALLOC(g, 0, BEGIN + 20000 + 100 * i, .ptr = address(i), .call_site = SITE,
			   .bytes_req = 200, .bytes_alloc = 256, .gfp = GFP, .node = -1);
		tg_kfree(g, 0, BEGIN + 20010 + 100 * i, address(i), FREE);
	}
	assert_int_equal(advise(g).n, 0);
}

static void test_slack(void **state)
{
	struct tg *g = begin();
	struct result r;

	(void)state;
	for (uint64_t i = 0; i < N; i++)
		TG_KMALLOC(g, 0, BEGIN + i, .ptr = address(i), .call_site = SITE, .bytes_req = 70,
			   .bytes_alloc = 128, .gfp = GFP, .node = -1);
	r = advise(g);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.advice.kind, LT_ADVICE_SLACK);
	assert_int_equal(r.site.slack, N * 58);
	assert_true(r.advice.part > 0.45 && r.advice.part < 0.46);
	/* On average nearly all, since they live from the begin on. */
	assert_true(r.advice.bytes > N * 57 && r.advice.bytes <= N * 58);
	/* Less than a third; and a third of what is there for a short time. */
	g = begin();
	for (uint64_t i = 0; i < N; i++)
		TG_KMALLOC(g, 0, BEGIN + i, .ptr = address(i), .call_site = SITE, .bytes_req = 90,
			   .bytes_alloc = 128, .gfp = GFP, .node = -1);
	assert_int_equal(advise(g).n, 0);
	g = begin();
	pairs(g, N, 1000, 70, 128, OTHER);
	r = advise(g);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.advice.kind, LT_ADVICE_AT_ONCE_FREED);
}

/* Made on CPU 0, freed on another one, but for every n-th. */
static struct result elsewhere(uint64_t n)
{
	struct tg *g = begin();

	for (uint64_t i = 0; i < N; i++) {
		TG_KMALLOC(g, 0, BEGIN + 2000 * i, .ptr = address(i), .call_site = SITE,
			   .bytes_req = 64, .bytes_alloc = 64, .gfp = GFP, .node = -1);
		tg_kfree(g, i % n != 0, BEGIN + 2000 * i + 500, address(i), FREE);
	}
	return advise(g);
}

static void test_other_cpu(void **state)
{
	struct result r = elsewhere(4);

	(void)state;
	assert_int_equal(r.n, 1);
	assert_int_equal(r.advice.kind, LT_ADVICE_OTHER_CPU);
	assert_int_equal(r.advice.objects, N * 3 / 4);
	assert_int_equal(r.advice.of, N);
	assert_int_equal(elsewhere(2).n, 0);
}

/* Nobody can make anything of it: what it holds meanwhile is not in the trace. */
static void test_other_context(void **state)
{
	struct tg *g = begin();

	(void)state;
	for (uint64_t i = 0; i < N; i++) {
		tg_context(g, 0, LT_CTX_TASK);
		TG_KMALLOC(g, 0, BEGIN + 2000 * i, .ptr = address(i), .call_site = SITE,
			   .bytes_req = 64, .bytes_alloc = 64, .gfp = GFP, .node = -1);
		tg_context(g, 0, LT_CTX_SOFTIRQ);
		tg_kfree(g, 0, BEGIN + 2000 * i + 500, address(i), FREE);
	}
	assert_int_equal(advise(g).n, 0);
}

/* Each object waits for half of the trace. */
static void test_rcu(void **state)
{
	struct tg *g = begin();
	struct result r;

	(void)state;
	for (uint64_t i = 0; i < N; i++)
		TG_KMALLOC(g, 0, BEGIN + 10 * i, .ptr = address(i), .call_site = SITE,
			   .bytes_req = 128, .bytes_alloc = 128, .gfp = GFP, .node = -1);
	for (uint64_t i = 0; i < N; i++)
		tg_rcu_free(g, 0, 100000 + 10 * i, address(i), FREE);
	for (uint64_t i = 0; i < N; i++)
		tg_kfree(g, 0, 600000 + 10 * i, address(i), FREE);
	r = advise(g);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.advice.kind, LT_ADVICE_RCU);
	assert_int_equal(r.advice.objects, N);
	assert_int_equal(r.advice.ns, 500000);
	/* 128 bytes of each, half of the 999,000 ns. */
	assert_true(r.advice.bytes >= N * 64 && r.advice.bytes <= N * 65);
	/* Before, each was alive for a fifth of that time. */
	assert_true(r.advice.part > 0.83 && r.advice.part < 0.84);
}

/* Of many sites there is one piece, which names those that hold the most. */
static void test_rcu_sites(void **state)
{
	static const uint64_t sizes[] = { 64, 256, 128, 32 };
	struct tg *g = begin();
	struct result r;

	(void)state;
	for (uint64_t i = 0; i < 4 * N; i++)
		TG_KMALLOC(g, 0, BEGIN + 10 * i, .ptr = address(i),
			   .call_site = SITE + 16 * (i % 4), .bytes_req = sizes[i % 4],
			   .bytes_alloc = sizes[i % 4], .gfp = GFP, .node = -1);
	for (uint64_t i = 0; i < 4 * N; i++)
		tg_rcu_free(g, 0, 100000 + 10 * i, address(i), FREE);
	for (uint64_t i = 0; i < 4 * N; i++)
		tg_kfree(g, 0, 600000 + 10 * i, address(i), FREE);
	r = advise(g);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.advice.kind, LT_ADVICE_RCU);
	assert_int_equal(r.advice.objects, 4 * N);
	assert_int_equal(r.site.site, SITE + 16);
	assert_int_equal(r.n_waiting, 3);
	assert_int_equal(r.n_waiting_all, 4);
	assert_int_equal(r.waiting[1].site, SITE + 32);
	assert_int_equal(r.waiting[2].site, SITE);
}

static struct result orphans(const char *symbols, bool exits)
{
	struct tg *g = tg_new(NULL);

	tg_text(g, LT_BLOCK_SYMBOLS, symbols);
	TG_TASK(g, 0, BEGIN, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
	for (uint64_t i = 0; i < N; i++)
		TG_KMALLOC(g, 0, BEGIN + 10 * i, .ptr = address(i), .call_site = SITE,
			   .bytes_req = 64, .bytes_alloc = 64, .gfp = GFP, .node = -1);
	if (exits)
		tg_task_exit(g, 0, 500000, 17, 17, 50, 1);
	return advise(g);
}

static void test_outlives(void **state)
{
	struct result r = orphans(functions, true);

	(void)state;
	assert_int_equal(r.n, 1);
	assert_int_equal(r.advice.kind, LT_ADVICE_OUTLIVES);
	assert_int_equal(r.advice.objects, N);
	assert_int_equal(r.advice.bytes, N * 64);
	assert_int_equal(orphans(functions, false).n, 0);
	/* A cache of files keeps what it has. */
	assert_int_equal(orphans("ffffffff81000000 T alloc_inode\n", true).n, 0);
}

/* One of fifty is forgotten: first, although few bytes. Uncertain lifetimes say nothing. */
static void leak(struct tg *g, bool lossy)
{
	for (uint64_t i = 0; i < 9900; i++) {
		uint64_t time = BEGIN + 100 * i;

		TG_KMALLOC(g, 0, time, .ptr = address(i), .call_site = SITE, .bytes_req = 64,
			   .bytes_alloc = 64, .gfp = GFP, .node = -1);
		if (i % 50)
			tg_kfree(g, 0, time + 50, address(i), FREE);
	}
	if (lossy) {
		tg_close(g, 0, END - 5000);
		tg_lost(g, 0, LT_CLASS_KFREE, TG_FULL, 3);
	}
}

static void test_leak(void **state)
{
	struct tg *g = begin();
	struct result r;

	(void)state;
	leak(g, false);
	r = advise(g);
	assert_int_equal(r.n, 2);
	assert_int_equal(r.advice.kind, LT_ADVICE_LEAK);
	assert_int_equal(r.advice.of, 9900);
	assert_int_equal(r.site.live, 198);
	g = begin();
	leak(g, true);
	tg_kfree(g, 0, END - 10, PTR - 0x1000, FREE);
	r = advise(g);
	assert_int_equal(r.site.live, 0);
	assert_int_equal(r.advice.kind, LT_ADVICE_ON_STACK);
	assert_int_equal(r.n, 1);
}

/* The module's own objects are nobody's fault. */
static void test_own(void **state)
{
	struct tg *g = tg_new(NULL);

	(void)state;
	tg_text(g, LT_BLOCK_SYMBOLS, "ffffffff81000000 t get\t[lifetrace]\n");
	TG_TASK(g, 0, BEGIN, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
	pairs(g, N, 10, 200, 256, SITE);
	assert_int_equal(advise(g).n, 0);
}

static void test_names(void **state)
{
	(void)state;
	for (int i = 0; i < LT_N_ADVICE; i++) {
		assert_non_null(lt_advice_name((enum lt_advice_kind)i));
		assert_non_null(lt_advice_whole_name((enum lt_advice_kind)i));
		assert_non_null(lt_advice_whole_text((enum lt_advice_kind)i));
	}
}

/*
 * Areas of vmalloc() that their task frees at once, beside objects that have advice of their own.
 */
static struct tg *areas(uint64_t bytes)
{
	struct tg *g = begin();

	for (uint64_t i = 0; i < N; i++)
		TG_KMALLOC(g, 0, BEGIN + i, .ptr = address(i), .call_site = SITE, .bytes_req = 70,
			   .bytes_alloc = 128, .gfp = GFP, .node = -1);
	TG_PUT(g, TG_AREA(0), BEGIN, AREA_TASK, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
	for (uint64_t i = 0; i < N; i++) {
		uint64_t time = BEGIN + 2000 * i;

		TG_PUT(g, TG_AREA(0), time, VMALLOC, .ptr = address(i), .call_site = OTHER,
		       .bytes_req = bytes, .bytes_alloc = bytes, .node = -1);
		TG_PUT(g, TG_AREA(0), time + 500, VFREE, .ptr = address(i));
	}
	return g;
}

/* One kind of memory at a time; advice about slab caches is for slab memory alone. */
static void test_space(void **state)
{
	struct result r = advise_of(areas(200), LT_SPACE_VMALLOC);

	(void)state;
	assert_int_equal(r.n, 1);
	assert_int_equal(r.advice.kind, LT_ADVICE_AT_ONCE_FREED);
	assert_int_equal(r.site.site, OTHER);
	assert_int_equal(r.site.births, N);
	r = advise_of(areas(4096), LT_SPACE_SLAB);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.advice.kind, LT_ADVICE_SLACK);
	assert_int_equal(r.site.site, SITE);
	r = advise_of(areas(4096), LT_SPACE_PERCPU);
	assert_int_equal(r.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_once), cmocka_unit_test(test_not_at_once),
		cmocka_unit_test(test_slack), cmocka_unit_test(test_other_cpu),
		cmocka_unit_test(test_other_context), cmocka_unit_test(test_rcu),
		cmocka_unit_test(test_rcu_sites),
		cmocka_unit_test(test_outlives), cmocka_unit_test(test_leak),
		cmocka_unit_test(test_own), cmocka_unit_test(test_names),
		cmocka_unit_test(test_space),
	};

	return cmocka_run_group_tests_name("advice", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Gaps: where loss counters and packet numbers say that events are missing, and
 * when the reader knows.
 */
#include "uapi/lifetrace_file.h"
#include "trace/trace.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000001000ULL
#define SITE	0xffffffff81000100ULL

static struct lt_trace *open_trace(struct tg *g, unsigned int flags)
{
	struct lt_trace *t;

	assert_int_equal(tg_write(g, test_path("gap.lt"), flags), 0);
	test_stderr_begin();
	t = lt_trace_open(test_path("gap.lt"));
	test_stderr_end();
	assert_non_null(t);
	tg_free(g);
	return t;
}

/* Steps to the event of a time; the gap end that is known then. */
static uint64_t at(struct lt_trace *t, uint64_t time, enum lt_space space)
{
	struct lt_event ev;

	do {
		assert_int_equal(lt_trace_next(t, &ev), 1);
	} while (ev.time != time);
	return lt_trace_gap_end(t, space);
}

static size_t drain(struct lt_trace *t, const struct lt_gap **gaps)
{
	struct lt_event ev;

	test_stderr_begin();
	while (lt_trace_next(t, &ev) > 0)
		;
	test_stderr_end();
	return lt_trace_gaps(t, gaps);
}

/* Losses for want of room lie between the packets. */
static void test_full(void **state)
{
	struct tg *g = tg_new(NULL);
	const struct lt_gap *gaps;
	struct lt_trace *t;

	(void)state;
	tg_kfree(g, 0, 1000, PTR, SITE);
	tg_close(g, 0, 1100);
	tg_lost(g, 0, LT_CLASS_KMALLOC, TG_FULL, 7);
	tg_lost(g, 0, LT_CLASS_KFREE, TG_NOBUF, 2);
	tg_open(g, 0, 2000);
	tg_kfree(g, 0, 2050, PTR, SITE);
	tg_kfree(g, 1, 1050, PTR, SITE);
	tg_kfree(g, 1, 1100, PTR, SITE);
	tg_kfree(g, 1, 1500, PTR, SITE);
	tg_finish(g, 3000);
	t = open_trace(g, 0);
	assert_int_equal(at(t, 1000, LT_SPACE_SLAB), 0);
	assert_int_equal(at(t, 1050, LT_SPACE_SLAB), 0);
	assert_int_equal(at(t, 1100, LT_SPACE_SLAB), 0);
	assert_int_equal(at(t, 1500, LT_SPACE_SLAB), 2000);
	assert_int_equal(lt_trace_gap_end(t, LT_SPACE_PAGE), 0);
	assert_int_equal(at(t, 2050, LT_SPACE_SLAB), 2000);
	assert_int_equal(drain(t, &gaps), 1);
	assert_int_equal(gaps[0].begin, 1100);
	assert_int_equal(gaps[0].end, 2000);
	assert_int_equal(gaps[0].cpu, 0);
	assert_int_equal(gaps[0].lost[LT_CLASS_KMALLOC], 7);
	assert_int_equal(gaps[0].lost[LT_CLASS_KFREE], 2);
	lt_trace_close(t);
}

/* The other losses may have happened within the packet whose counters show them. */
static void test_within(void **state)
{
	(void)state;
	for (enum tg_reason reason = TG_NMI; reason <= TG_NESTED; reason++) {
		struct tg *g = tg_new(NULL);
		const struct lt_gap *gaps;
		struct lt_trace *t;

		tg_page_free(g, 0, 1000, 1, 0);
		tg_close(g, 0, 1100);
		tg_page_free(g, 0, 1200, 1, 0);
		tg_lost(g, 0, LT_CLASS_PAGE_ALLOC, reason, 1);
		tg_close(g, 0, 1300);
		tg_page_free(g, 0, 1400, 1, 0);
		tg_finish(g, 1500);
		t = open_trace(g, 0);
		assert_int_equal(at(t, 1000, LT_SPACE_PAGE), 0);
		assert_int_equal(at(t, 1200, LT_SPACE_PAGE), 1300);
		assert_int_equal(at(t, 1400, LT_SPACE_PAGE), 1300);
		assert_int_equal(lt_trace_gap_end(t, LT_SPACE_SLAB), 0);
		assert_int_equal(drain(t, &gaps), 1);
		assert_int_equal(gaps[0].begin, 1100);
		assert_int_equal(gaps[0].lost[LT_CLASS_PAGE_ALLOC], 1);
		lt_trace_close(t);
	}
}

/* Losses of classes that are in no space concern no object. */
static void test_no_space(void **state)
{
	struct tg *g = tg_new(NULL);
	const struct lt_gap *gaps;
	struct lt_trace *t;

	(void)state;
	tg_kfree(g, 0, 1000, PTR, SITE);
	tg_close(g, 0, 1100);
	tg_lost(g, 0, LT_CLASS_MARKER, TG_FULL, 1);
	tg_lost(g, 0, LT_CLASS_TASK_EXIT, TG_FULL, 1);
	tg_lost(g, 0, LT_CLASS_ALLOC_FAILED, TG_FULL, 1);
	tg_kfree(g, 0, 2000, PTR, SITE);
	tg_finish(g, 3000);
	t = open_trace(g, 0);
	assert_int_equal(drain(t, &gaps), 1);
	assert_int_equal(lt_trace_gap_end(t, LT_SPACE_SLAB), 0);
	assert_int_equal(lt_trace_gap_end(t, LT_SPACE_PAGE), 0);
	assert_int_equal(lt_trace_gap_end(t, LT_SPACE_NONE), 2000);
	lt_trace_close(t);
}

/* What says that a module came or went is of no space; all classes of the channel are known. */
static void test_lost_module(void **state)
{
	struct tg *g = tg_new(NULL);
	const struct lt_gap *gaps;
	struct lt_trace *t;

	(void)state;
	tg_kfree(g, 0, 1000, PTR, SITE);
	tg_close(g, 0, 1100);
	tg_lost(g, 0, LT_CLASS_MODULE, TG_FULL, 1);
	tg_kfree(g, 0, 2000, PTR, SITE);
	tg_finish(g, 3000);
	t = open_trace(g, 0);
	assert_int_equal(drain(t, &gaps), 1);
	assert_int_equal(lt_trace_gap_end(t, LT_SPACE_SLAB), 0);
	assert_int_equal(lt_trace_gap_end(t, LT_SPACE_PAGE), 0);
	assert_int_equal(lt_trace_gap_end(t, LT_SPACE_NONE), 2000);
	lt_trace_close(t);
}

/* Of a missing packet nothing is known but its place. */
static void test_missing(void **state)
{
	struct tg *g = tg_new(NULL);
	const struct lt_gap *gaps;
	struct lt_trace *t;

	(void)state;
	tg_kfree(g, 0, 1000, PTR, SITE);
	tg_close(g, 0, 1100);
	tg_kfree(g, 0, 1200, PTR, SITE);
	tg_lost(g, 0, LT_CLASS_KFREE, TG_NMI, 3);
	tg_drop(g, 0, 1300);
	tg_kfree(g, 0, 1400, PTR, SITE);
	tg_close(g, 0, 1500);
	/* A number left out, and nothing lost by the counters. */
	tg_skip_seq(g, 0, 2);
	tg_kfree(g, 0, 1600, PTR, SITE);
	tg_finish(g, 1700);
	t = open_trace(g, TG_NO_STATS);
	assert_int_equal(drain(t, &gaps), 2);
	assert_int_equal(gaps[0].begin, 1100);
	assert_int_equal(gaps[0].end, 1500);	/* the loss in NMI has no place */
	assert_int_equal(gaps[0].lost[LT_CLASS_KFREE], 0);
	assert_int_equal(gaps[1].begin, 1500);
	assert_int_equal(gaps[1].end, 1600);
	assert_int_equal(lt_trace_gap_end(t, LT_SPACE_PAGE), 1600);
	lt_trace_close(t);
}

/* A stream whose first packet is not number 0. */
static void test_no_first(void **state)
{
	struct tg *g = tg_new(NULL);
	const struct lt_gap *gaps;
	struct lt_trace *t;

	(void)state;
	tg_kfree(g, 0, 500, PTR, SITE);
	tg_skip_seq(g, 1, 1);
	tg_kfree(g, 1, 1000, PTR, SITE);
	tg_finish(g, 2000);
	t = open_trace(g, TG_NO_STATS);
	/* Known from the first event on. */
	assert_int_equal(at(t, 500, LT_SPACE_SLAB), 1000);
	assert_int_equal(drain(t, &gaps), 1);
	assert_int_equal(gaps[0].begin, 0);
	assert_int_equal(gaps[0].cpu, 1);
	lt_trace_close(t);
}

/* A stream without its last packet, and a CPU that no packet came from. */
static void test_no_last(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .info = "cpus_online=0-1,3\n" });
	const struct lt_gap *gaps;
	struct lt_trace *t;

	(void)state;
	tg_kfree(g, 0, 1000, PTR, SITE);
	tg_close(g, 0, 1100);
	tg_kfree(g, 1, 1200, PTR, SITE);
	tg_last(g, 1, 2000);
	t = open_trace(g, TG_NO_TRAILER);
	assert_int_equal(at(t, 1000, LT_SPACE_SLAB), UINT64_MAX);	/* CPU 3 */
	assert_int_equal(drain(t, &gaps), 3);
	assert_int_equal(gaps[0].cpu, 3);
	assert_int_equal(gaps[0].begin, 0);
	/* That of CPU 1 is there, but not when the probes were detached. */
	assert_int_equal(gaps[1].cpu, 1);
	assert_int_equal(gaps[1].begin, 1200);
	assert_int_equal(gaps[1].end, UINT64_MAX);
	assert_int_equal(gaps[2].cpu, 0);
	assert_int_equal(gaps[2].begin, 1100);
	assert_int_equal(gaps[2].end, UINT64_MAX);
	lt_trace_close(t);
}

/* Lists that are meant to keep the reader busy. */
static void test_hostile_list(void **state)
{
	static const char *const lists[] = {
		"cpus_online=0-4294967295,0-4294967295,0-4294967295\n",
		"cpus_online=99999999999999999999-5,-,,7-\n", "cpus_online=\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct tg *g = tg_new(&(struct tg_options){ .info = lists[i] });
		const struct lt_gap *gaps;
		struct lt_trace *t;

		tg_kfree(g, 0, 1000, PTR, SITE);
		tg_finish(g, 1100);
		t = open_trace(g, TG_NO_TRAILER);
		/* And one for the time of the stop, which is not in the file. */
		assert_true(drain(t, &gaps) <= 65536 * LT_N_CHANNELS + 1);
		lt_trace_close(t);
	}
}

/* A damaged packet: its events up to the damage are read, the rest is a gap. */
static void test_damaged(void **state)
{
	struct tg *g = tg_new(NULL);
	const struct lt_gap *gaps;
	struct lt_trace *t;

	(void)state;
	tg_kfree(g, 0, 1000, PTR, SITE);
	tg_raw(g, 0, 1050, 29, LT_CLASS_NONE, "", 0);
	tg_kfree(g, 0, 1100, PTR, SITE);
	tg_close(g, 0, 1200);
	tg_kfree(g, 0, 1300, PTR, SITE);
	tg_finish(g, 1400);
	t = open_trace(g, 0);
	/* What came before the damage need not be right, either. */
	assert_int_equal(at(t, 1000, LT_SPACE_SLAB), 1300);
	test_stderr_begin();
	assert_int_equal(at(t, 1300, LT_SPACE_SLAB), 1300);
	assert_non_null(strstr(test_stderr_end(), "the rest of the packet"));
	assert_int_equal(drain(t, &gaps), 1);
	assert_int_equal(gaps[0].end, 1300);
	lt_trace_close(t);
}

/* While recording, too, nothing is a gap before it is known to be one. */
static void test_live(void **state)
{
	struct tg *g = tg_new(NULL);
	const struct lt_gap *gaps;
	struct tg_packet *p;
	struct lt_trace *t;
	struct lt_event ev;
	size_t n;

	(void)state;
	tg_kfree(g, 0, 1000, PTR, SITE);
	tg_close(g, 0, 1100);
	tg_lost(g, 0, LT_CLASS_KFREE, TG_FULL, 4);
	tg_kfree(g, 0, 1200, PTR, SITE);
	tg_close(g, 0, 1300);
	t = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	p = tg_packets(g, &n);
	assert_int_equal(lt_trace_push(t, p[0].data, p[0].size), 0);
	assert_int_equal(lt_trace_next(t, &ev), 0);	/* no promise yet */
	lt_trace_watermark(t, 1100);
	assert_int_equal(lt_trace_next(t, &ev), 1);
	assert_int_equal(lt_trace_next(t, &ev), 0);
	assert_int_equal(lt_trace_gaps(t, &gaps), 0);
	assert_int_equal(lt_trace_push(t, p[1].data, p[1].size), 0);
	lt_trace_watermark(t, 1250);
	assert_int_equal(lt_trace_next(t, &ev), 1);
	assert_int_equal(ev.time, 1200);
	assert_int_equal(lt_trace_gap_end(t, LT_SPACE_SLAB), 1200);
	assert_int_equal(lt_trace_next(t, &ev), 0);
	assert_int_equal(lt_trace_gaps(t, &gaps), 1);
	/* That was all, although the last packet did not say so. */
	lt_trace_watermark(t, UINT64_MAX);
	assert_int_equal(lt_trace_next(t, &ev), 0);
	assert_int_equal(lt_trace_gaps(t, &gaps), 2);
	assert_int_equal(gaps[1].end, UINT64_MAX);
	lt_trace_close(t);
	tg_free(g);
}

/* A trace that never ends keeps none of the gaps that it has passed. */
static void test_forgotten(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_trace *t = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	struct lt_trace *all = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	const struct lt_gap *gaps;
	struct lt_event ev;
	struct tg_packet *p;
	size_t n, most = 0;

	(void)state;
	for (uint64_t i = 0; i < 5000; i++) {
		for (uint32_t cpu = 0; cpu < 2; cpu++) {
			tg_lost(g, cpu, LT_CLASS_KFREE, TG_FULL, 1);
			tg_kfree(g, cpu, 1000 * (i + 1) + cpu, PTR, SITE);
			tg_close(g, cpu, 1000 * (i + 1) + 100 + cpu);
		}
	}
	p = tg_packets(g, &n);
	lt_trace_forget_gaps(t);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(lt_trace_push(t, p[i].data, p[i].size), 0);
		assert_int_equal(lt_trace_push(all, p[i].data, p[i].size), 0);
		if (i % 50 != 49)
			continue;
		lt_trace_watermark(t, p[i].begin - 1);
		lt_trace_watermark(all, p[i].begin - 1);
		while (lt_trace_next(t, &ev) > 0) {
			uint64_t time = ev.time;

			assert_int_equal(lt_trace_next(all, &ev), 1);
			assert_int_equal(ev.time, time);
			assert_int_equal(lt_trace_gap_end(t, LT_SPACE_SLAB),
					 lt_trace_gap_end(all, LT_SPACE_SLAB));
		}
		most = lt_trace_gaps(t, &gaps) > most ? lt_trace_gaps(t, &gaps) : most;
	}
	assert_true(lt_trace_gaps(all, &gaps) > 9000);
	assert_true(most <= 1024);
	lt_trace_close(t);
	lt_trace_close(all);
	tg_free(g);
}

/* They are handed out once each, in the order of their discovery, before they are forgotten. */
static void test_taken(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_trace *t = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	struct lt_trace *all = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	const struct lt_gap *gaps, *expected;
	struct lt_event ev;
	struct tg_packet *p;
	size_t n, most = 0, taken = 0;

	(void)state;
	for (uint64_t i = 0; i < 10000; i++) {
		tg_lost(g, i % 2, LT_CLASS_KFREE, TG_FULL, 1 + (unsigned int)i % 5);
		tg_kfree(g, i % 2, 1000 * (i + 1), PTR, SITE);
		tg_close(g, i % 2, 1000 * (i + 1) + 100);
	}
	p = tg_packets(g, &n);
	lt_trace_forget_gaps(t);
	assert_int_equal(lt_trace_new_gaps(t, &gaps), 0);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(lt_trace_push(t, p[i].data, p[i].size), 0);
		assert_int_equal(lt_trace_push(all, p[i].data, p[i].size), 0);
		lt_trace_watermark(t, p[i].begin - 1);
		lt_trace_watermark(all, p[i].begin - 1);
		while (lt_trace_next(t, &ev) > 0)
			assert_int_equal(lt_trace_next(all, &ev), 1);
		most = lt_trace_gaps(t, &gaps) > most ? lt_trace_gaps(t, &gaps) : most;
		/* Once no one has asked for so long that there are more than are kept. */
		if (i % 100 != 99 || (i > 3000 && i < 6000))
			continue;
		for (size_t k = lt_trace_new_gaps(t, &gaps); k; k--, gaps++) {
			assert_true(lt_trace_gaps(all, &expected) > taken);
			assert_memory_equal(gaps, &expected[taken++], sizeof(*gaps));
		}
		assert_int_equal(lt_trace_gaps(all, &expected), taken);
		assert_int_equal(lt_trace_n_gaps(t), taken);
	}
	assert_true(taken > 9000);
	assert_in_range(most, 3000, 7000);
	assert_true(lt_trace_gaps(t, &gaps) < 1100);
	assert_int_equal(lt_trace_gap_end(t, LT_SPACE_SLAB), lt_trace_gap_end(all, LT_SPACE_SLAB));
	lt_trace_close(t);
	lt_trace_close(all);
	tg_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full), cmocka_unit_test(test_within),
		cmocka_unit_test(test_no_space), cmocka_unit_test(test_lost_module),
		cmocka_unit_test(test_missing), cmocka_unit_test(test_no_first),
		cmocka_unit_test(test_no_last), cmocka_unit_test(test_hostile_list),
		cmocka_unit_test(test_damaged), cmocka_unit_test(test_live),
		cmocka_unit_test(test_forgotten), cmocka_unit_test(test_taken),
	};

	return cmocka_run_group_tests_name("gap", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Reports: the task of a row, and lifetimes whose birth or death was not seen.
 */
#include "uapi/lifetrace_file.h"
#include "reporttest.h"


static void test_outlives(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	for (unsigned int i = 0; i < 6; i++)
		born(g, 1000 + i, i, A, 64);
	freed(g, 1500, 0);		/* before */
	tg_task_exit(g, 0, 2000, 17, 17, 50, 1);
	freed(g, 2010, 1);		/* by the task itself, while it exits */
	born(g, 2020, 9, B, 64);	/* allocated while the task exits */
	tg_kfree(g, 1, 2030, PTR + 0x20000, F);	/* by another task */
	tg_context(g, 1, LT_CTX_SOFTIRQ);
	tg_kfree(g, 1, 2040, PTR + 0x30000, F);	/* by an interrupt elsewhere */
	tg_rcu_free(g, 1, 2050, PTR + 0x40000, F);
	/* One object of the dead task is left. An object of a living task does not count. */
	tg_context(g, 1, LT_CTX_TASK);
	TG_KMALLOC(g, 1, 2060, .ptr = PTR + 0x1000000, .call_site = F, .bytes_req = 64,
		   .bytes_alloc = 64, .gfp = KERNEL, .node = -1);
	tg_finish(g, 3000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(at(r, A)->outlived, 4);
	assert_int_equal(at(r, B)->outlived, 0);
	assert_int_equal(at(r, F)->outlived, 0);
	assert_int_equal(r->all.outlived, 4);
	done(r, g);
}

/* An interrupt's object belongs to no task; a bounded death may precede the exit. */
static void test_outlives_not(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	tg_context(g, 0, LT_CTX_HARDIRQ);
	born(g, 1000, 1, A, 64);
	tg_context(g, 0, LT_CTX_TASK);
	born(g, 1001, 2, B, 64);
	tg_task_exit(g, 0, 2000, 17, 17, 50, 1);
	TG_KMALLOC(g, 1, 2500, .ptr = PTR + 0x20000, .call_site = F, .bytes_req = 64,
		   .bytes_alloc = 64, .gfp = KERNEL, .node = -1);
	tg_finish(g, 30000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(at(r, A)->outlived, 0);
	assert_int_equal(at(r, B)->outlived, 0);
	done(r, g);
}

static void test_by_task(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_report *r;

	(void)state;
	/* task not known */
	TG_KMALLOC(g, 1, 900, .ptr = PTR + 0x900000, .call_site = A, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = KERNEL, .node = -1);
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	born(g, 1001, 1, A, 64);
	born(g, 1002, 2, B, 64);
	/* PID reuse */
	TG_TASK(g, 0, 2000, .tid = 17, .tgid = 17, .start = 1900, .comm = "cat");
	born(g, 2001, 3, A, 64);
	tg_context(g, 0, LT_CTX_SOFTIRQ);
	born(g, 2002, 4, A, 32);
	tg_context(g, 0, LT_CTX_HARDIRQ);
	born(g, 2003, 5, A, 16);
	TG_TASK(g, 0, 2004, .tid = 0, .tgid = 0, .start = 0, .comm = "swapper/0");
	born(g, 2005, 6, A, 16);
	tg_context(g, 0, LT_CTX_TASK);
	TG_TASK(g, 0, 2006, .tid = 17, .tgid = 17, .start = 500,
		.comm = "tac");	/* the first task, renamed */
	freed(g, 2007, 1);
	tg_finish(g, 3000);
	r = report(g, LT_BY_TASK);
	assert_int_equal(count_rows(r), 5);
	assert_int_equal(named(r, "17@500 tac")->births, 2);
	assert_int_equal(named(r, "17@500 tac")->live, 1);
	assert_int_equal(named(r, "17@500 tac")->task->start, 500);
	assert_int_equal(named(r, "17@1900 cat")->births, 1);
	assert_int_equal(named(r, "17@1900 cat")->task->start, 1900);
	assert_int_equal(named(r, "[softirq]")->births, 1);
	assert_int_equal(named(r, "[hardirq]")->births, 2);
	assert_int_equal(named(r, "(unknown)")->births, 1);
	done(r, g);

	/* The new holder also has the name of the old one. */
	g = tg_new(NULL);
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	born(g, 1001, 1, A, 64);
	TG_TASK(g, 0, 2000, .tid = 17, .tgid = 17, .start = 1900, .comm = "cat");
	born(g, 2001, 3, A, 64);
	tg_finish(g, 3000);
	r = report(g, LT_BY_TASK);
	assert_int_equal(named(r, "17@500 cat")->births, 1);
	assert_int_equal(named(r, "17@1900 cat")->births, 1);
	done(r, g);
}

/* The instances of a program are the tasks that have its name at last. */
static void test_by_process(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_report *r;

	(void)state;
	/* task not known */
	TG_KMALLOC(g, 1, 900, .ptr = PTR + 0x900000, .call_site = A, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = KERNEL, .node = -1);
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "sh");
	born(g, 1001, 1, A, 64);
	TG_TASK(g, 0, 1500, .tid = 17, .tgid = 17, .start = 500,
		.comm = "find");	/* the task runs another program */
	born(g, 1501, 2, A, 32);
	freed(g, 1600, 1);
	TG_TASK(g, 0, 2000, .tid = 18, .tgid = 18, .start = 1900, .comm = "find");
	born(g, 2001, 3, A, 64);
	freed(g, 2002, 3);
	TG_TASK(g, 0, 2500, .tid = 19, .tgid = 19, .start = 1950,
		.comm = "find");	/* allocates nothing */
	TG_TASK(g, 0, 2600, .tid = 20, .tgid = 20, .start = 1960, .comm = "sh");
	born(g, 2601, 4, B, 16);
	tg_context(g, 0, LT_CTX_SOFTIRQ);
	born(g, 2700, 5, A, 32);
	tg_finish(g, 3000);
	r = report(g, LT_BY_PROCESS);
	assert_int_equal(count_rows(r), 4);
	assert_int_equal(named(r, "find")->births, 3);
	assert_int_equal(named(r, "find")->tasks, 2);
	assert_int_equal(named(r, "find")->live, 1);
	assert_int_equal(named(r, "find")->live_bytes, 32);
	assert_int_equal(named(r, "find")->life.n, 2);
	assert_int_equal(named(r, "find")->ages.n, 1);
	assert_int_equal(named(r, "sh")->births, 1);
	assert_int_equal(named(r, "sh")->tasks, 1);
	assert_int_equal(named(r, "[softirq]")->births, 1);
	assert_int_equal(named(r, "(unknown)")->births, 1);
	done(r, g);
}

static void test_exact_only(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	for (unsigned int i = 0; i < 100; i++) {
		born(g, 1000 + i * 100, 1, A, 64);
		freed(g, 1000 + i * 100 + 10, 1);
	}
	born(g, 20000, 2, A, 64);		/* open */
	born(g, 20001, 3, A, 64);
	born(g, 500000, 3, A, 64);		/* bounds the object before */
	born(g, 500001, 4, A, 64);
	tg_close(g, 0, 500002);
	tg_open(g, 0, 500003);
	tg_lost(g, 0, LT_CLASS_KFREE, TG_FULL, 1);
	freed(g, 900000, 4);			/* uncertain */
	tg_finish(g, 1000000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(at(r, A)->births, 104);
	assert_int_equal(at(r, A)->life.n, 100);
	assert_int_equal(at(r, A)->life.max, 10);
	assert_int_equal(lt_hist_percentile(&at(r, A)->life, 99), 10);
	assert_int_equal(r->all.life.n, 100);
	assert_int_equal(r->stats.certainty[LT_SPACE_SLAB][LT_EXACT], 100);
	assert_int_equal(r->stats.certainty[LT_SPACE_SLAB][LT_BOUNDED], 1);
	assert_true(r->stats.certainty[LT_SPACE_SLAB][LT_UNCERTAIN] >= 1);
	done(r, g);
}

/* While probes are detached one by one, frees come of objects whose birth was not seen. */
static void test_stopped(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	born(g, 1000, 1, A, 64);
	born(g, 1001, 2, A, 64);
	born(g, 1002, 3, A, 64);
	freed(g, 1999, 1);
	freed(g, 2000, 2);		/* at the time of the stop */
	freed(g, 2001, 3);
	born(g, 2002, 4, B, 4096);
	freed(g, 2003, 99);
	tg_finish(g, 90000);
	tg_text(g, LT_BLOCK_STATS, "state idle\nstopped 2000\n");
	r = report(g, LT_BY_SITE);
	assert_int_equal(count_rows(r), 1);
	assert_int_equal(at(r, A)->births, 3);
	assert_int_equal(at(r, A)->live, 1);
	assert_int_equal(at(r, A)->life.n, 2);
	assert_int_equal(at(r, A)->longs, 0);	/* alive at 2000; 90000 is after the stop */
	assert_int_equal(r->peak_bytes, 192);
	assert_int_equal(r->stats.certainty[LT_SPACE_SLAB][LT_BEFORE], 0);
	done(r, g);
}

/* Some kernels trace a large kmalloc twice; the second event has the caller. */
static void test_traced_twice(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	TG_KMALLOC(g, 0, 1000, .ptr = PTR, .call_site = A, .bytes_req = 20000, .bytes_alloc = 32768,
		   .gfp = KERNEL, .node = -1);
	TG_KMALLOC(g, 0, 1001, .ptr = PTR, .call_site = B, .bytes_req = 20000, .bytes_alloc = 32768,
		   .gfp = KERNEL, .node = -1);
	TG_KMALLOC(g, 0, 1100, .ptr = PTR + 0x100000, .call_site = A, .bytes_req = 20000,
		   .bytes_alloc = 32768, .gfp = KERNEL, .node = -1);
	TG_KMALLOC(g, 1, 1100, .ptr = PTR + 0x200000, .call_site = F, .bytes_req = 64,
		   .bytes_alloc = 64, .gfp = KERNEL, .node = -1);
	TG_KMALLOC(g, 0, 1101, .ptr = PTR + 0x100000, .call_site = B, .bytes_req = 20000,
		   .bytes_alloc = 32768, .gfp = KERNEL, .node = -1);
	tg_kfree(g, 0, 1500, PTR, F);
	tg_finish(g, 3000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(r->peak_bytes, 65600);
	assert_int_equal(r->peak_time, 1100);
	assert_int_equal(r->all.births, 3);
	assert_int_equal(at(r, B)->births, 2);
	assert_int_equal(at(r, B)->bytes, 65536);
	assert_int_equal(at(r, B)->waste, 2 * 12768);
	assert_int_equal(at(r, B)->live, 1);
	assert_int_equal(at(r, B)->live_bytes, 32768);
	assert_int_equal(at(r, B)->peak, 2);
	assert_int_equal(at(r, B)->peak_bytes, 65536);
	assert_int_equal(at(r, F)->peak, 1);
	assert_int_equal(count_rows(r), 2);
	done(r, g);
}

/*
 * All idle tasks have the number 0, and may have equal starts: they differ by their CPU. Each
 * keeps its name on its CPU.
 */
static void test_idle(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_report *r;

	(void)state;
	TG_TASK(g, 0, 100, .tid = 0, .tgid = 0, .start = 0, .comm = "swapper/0");
	TG_TASK(g, 1, 100, .tid = 0, .tgid = 0, .start = 0, .comm = "swapper/1");
	TG_KMALLOC(g, 0, 1000, .ptr = PTR, .call_site = A, .bytes_req = 64, .bytes_alloc = 64,
		   .gfp = KERNEL, .node = -1);
	TG_KMALLOC(g, 1, 1001, .ptr = PTR + 64, .call_site = A, .bytes_req = 64, .bytes_alloc = 64,
		   .gfp = KERNEL, .node = -1);
	TG_TASK(g, 1, 1002, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
	TG_KMALLOC(g, 1, 1003, .ptr = PTR + 128, .call_site = A, .bytes_req = 64, .bytes_alloc = 64,
		   .gfp = KERNEL, .node = -1);
	TG_TASK(g, 0, 1004, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
	TG_KMALLOC(g, 0, 1005, .ptr = PTR + 192, .call_site = A, .bytes_req = 64, .bytes_alloc = 64,
		   .gfp = KERNEL, .node = -1);
	TG_TASK(g, 1, 1006, .tid = 0, .tgid = 0, .start = 0, .comm = "swapper/1");
	TG_KMALLOC(g, 1, 1007, .ptr = PTR + 256, .call_site = A, .bytes_req = 64, .bytes_alloc = 64,
		   .gfp = KERNEL, .node = -1);
	tg_finish(g, 3000);
	r = report(g, LT_BY_TASK);
	assert_int_equal(count_rows(r), 3);
	assert_int_equal(named(r, "0@0 swapper/0")->births, 1);
	assert_int_equal(named(r, "0@0 swapper/1")->births, 2);
	assert_int_equal(named(r, "17@50 cat")->births, 2);
	done(r, g);
}

/* If a page block is freed in parts, each part is alive on its own. */
static void test_page_split(void **state)
{
	static const enum lt_report_by bys[] = { LT_BY_SITE, LT_BY_SIZE };
	struct lt_report_options o = usual;

	(void)state;
	o.space = LT_SPACE_PAGE;
	for (size_t i = 0; i < 2; i++) {
		struct tg *g = new_trace();
		struct lt_report *r;

		tg_page_alloc(g, 0, 1000, 0x100, KERNEL, 2, 0);
		tg_page_free(g, 0, 1001, 0x101, 0);	/* 0, 1, 2-3 */
		tg_page_alloc(g, 0, 1002, 0x200, KERNEL, 3, 0);	/* peak: 3 + 8 pages */
		tg_page_free(g, 0, 1003, 0x102, 1);
		tg_page_free(g, 0, 1004, 0x100, 0);
		tg_finish(g, 3000);
		o.by = bys[i];
		r = report_with(g, &o);
		assert_int_equal(r->peak_bytes, 11 * 4096);
		assert_int_equal(r->peak_time, 1002);
		assert_int_equal(r->all.peak, 3);
		assert_int_equal(r->all.births, 2);
		assert_int_equal(r->all.bytes, 12 * 4096);
		assert_int_equal(r->all.life.n, 3);
		assert_int_equal(r->all.live, 1);
		assert_int_equal(r->all.live_bytes, 8 * 4096);
		count_rows(r);
		if (o.by == LT_BY_SIZE) {
			assert_int_equal(named(r, "<= 4096")->peak, 1);
			assert_int_equal(named(r, "<= 4096")->peak_bytes, 4096);
			assert_int_equal(named(r, "<= 8192")->peak, 1);
			assert_int_equal(named(r, "<= 8192")->births, 0);
			assert_int_equal(named(r, "<= 8192")->bytes, 0);
			assert_int_equal(named(r, "<= 16384")->births, 1);
			assert_int_equal(named(r, "<= 16384")->bytes, 16384);
			assert_int_equal(named(r, "<= 32768")->peak, 1);
		}
		done(r, g);
	}
}

/* A block that was alive at the peak may have been split since, so that it never ended. */
static void test_split_after_peak(void **state)
{
	struct lt_report_options o = usual;
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	o.space = LT_SPACE_PAGE;
	o.by = LT_BY_SIZE;
	tg_page_alloc(g, 0, 1000, 0x100, KERNEL, 2, 0);
	tg_page_free(g, 0, 1001, 0x100, 0);	/* 1, 2-3 */
	tg_page_alloc(g, 0, 1002, 0x200, KERNEL, 3, 0);	/* peak: 3 + 8 pages */
	tg_page_free(g, 0, 1003, 0x102, 0);	/* 1, 3 */
	tg_finish(g, 3000);
	r = report_with(g, &o);
	assert_int_equal(r->peak_time, 1002);
	assert_int_equal(named(r, "<= 8192")->peak, 1);
	assert_int_equal(named(r, "<= 8192")->live, 0);
	assert_int_equal(named(r, "<= 4096")->live, 2);
	assert_int_equal(count_rows(r), 4);
	done(r, g);
}

static void test_split_count(void **state)
{
	struct lt_report_options o = usual;
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	o.space = LT_SPACE_PAGE;
	tg_page_alloc(g, 0, 1000, 0x200, KERNEL, 9, 0);
	for (unsigned int i = 0; i < 512; i++)
		tg_page_free(g, 0, 1001 + i, 0x200 + i, 0);
	/* Two blocks that are freed as one remain two lifetimes. */
	tg_page_alloc(g, 0, 1600, 0x800, KERNEL, 0, 0);
	tg_page_alloc(g, 0, 1601, 0x801, KERNEL, 0, 0);
	tg_page_free(g, 0, 1602, 0x800, 1);
	tg_finish(g, 3000);
	r = report_with(g, &o);
	assert_int_equal(r->stats.births[LT_SPACE_PAGE], 3);
	assert_int_equal(at(r, 0)->births, 3);
	assert_int_equal(at(r, 0)->bytes, 514 * 4096);
	/* Each part has had a lifetime of its own. */
	assert_int_equal(at(r, 0)->life.n, 514);
	assert_int_equal(count_rows(r), 1);
	done(r, g);
}

static void test_spaces_apart(void **state)
{
	struct lt_report_options o = usual;
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	tg_page_alloc(g, 0, 1000, 0x100, KERNEL, 2, 0);
	born(g, 1001, 1, A, 64);
	tg_page_free(g, 0, 1002, 0x100, 2);
	tg_finish(g, 3000);
	r = report_with(g, &o);
	assert_int_equal(r->peak_bytes, 64);
	assert_int_equal(r->all.births, 1);
	lt_report_free(r);
	o.space = LT_SPACE_PAGE;
	r = report_with(g, &o);
	assert_int_equal(r->peak_bytes, 16384);
	assert_int_equal(r->all.births, 1);
	assert_int_equal(r->all.live, 0);
	done(r, g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outlives),
		cmocka_unit_test(test_outlives_not),
		cmocka_unit_test(test_by_task),
		cmocka_unit_test(test_by_process),
		cmocka_unit_test(test_exact_only),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_traced_twice),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_page_split),
		cmocka_unit_test(test_split_after_peak),
		cmocka_unit_test(test_split_count),
		cmocka_unit_test(test_spaces_apart),
	};

	return cmocka_run_group_tests_name("report_tasks", tests, NULL, NULL);
}

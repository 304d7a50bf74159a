// SPDX-License-Identifier: GPL-2.0
/*
 * Reports: every sum of a row, at the places where it could be off by one.
 */
#include "../../uapi/lifetrace_file.h"
#include "../../user/lib/report.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000100000ULL
#define A	0xffffffff81000100ULL
#define B	0xffffffff81000200ULL
#define F	0xffffffff81000900ULL
#define KERNEL	0xcc0U

static const struct lt_report_options usual = {
	.by = LT_BY_SITE, .short_ns = 1000, .within = 2, .long_ns = 5000,
};

static struct lt_report *report_with(struct tg *g, const struct lt_report_options *o)
{
	struct lt_report *r;

	assert_int_equal(tg_write(g, test_path("r.lt"), 0), 0);
	r = lt_report_make(test_path("r.lt"), o);
	assert_non_null(r);
	return r;
}

static struct lt_report *report(struct tg *g, enum lt_report_by by)
{
	struct lt_report_options o = usual;

	o.by = by;
	return report_with(g, &o);
}

static void done(struct lt_report *r, struct tg *g)
{
	lt_report_free(r);
	tg_free(g);
}

/* The row of a call site. */
static const struct lt_report_row *at(const struct lt_report *r, uint64_t site)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		if (r->rows[i].births && r->rows[i].site == site)
			return &r->rows[i];
	}
	fail_msg("there is no row of 0x%llx", (unsigned long long)site);
	return NULL;
}

/* The n-th row with a name; NULL: there are not so many. */
static const struct lt_report_row *named_n(const struct lt_report *r, const char *name, size_t n)
{
	char buf[256];

	for (size_t i = 0; i < r->n_rows; i++) {
		const struct lt_report_row *row = &r->rows[i];

		if (row->births && !strcmp(lt_report_label(r, row, buf, sizeof(buf)), name) &&
		    !n--)
			return row;
	}
	return NULL;
}

static const struct lt_report_row *named(const struct lt_report *r, const char *name)
{
	const struct lt_report_row *row = named_n(r, name, 0);

	if (!row)
		fail_msg("there is no row '%s'", name);
	return row;
}

/* Rows with allocations; and that all rows add up to the sum. */
static size_t count_rows(const struct lt_report *r)
{
	struct lt_report_row sum = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < r->n_rows; i++) {
		const struct lt_report_row *row = &r->rows[i];

		n += row->births != 0;
		sum.births += row->births;
		sum.bytes += row->bytes;
		sum.live_bytes += row->live_bytes;
		sum.peak += row->peak;
		sum.peak_bytes += row->peak_bytes;
		/* Nobody would see it: such a row is not printed. */
		if (!row->births)
			assert_int_equal(row->peak, 0);
	}
	assert_int_equal(sum.births, r->all.births);
	assert_int_equal(sum.bytes, r->all.bytes);
	assert_int_equal(sum.live_bytes, r->all.live_bytes);
	assert_int_equal(sum.peak, r->all.peak);
	assert_int_equal(sum.peak_bytes, r->peak_bytes);
	assert_int_equal(r->all.peak_bytes, r->peak_bytes);
	return n;
}

static struct tg *new_trace(void)
{
	struct tg *g = tg_new(NULL);

	tg_task(g, 0, 100, 17, 17, 50, 0, "cat");
	tg_task(g, 1, 100, 18, 18, 60, 0, "dog");
	return g;
}

static void born(struct tg *g, uint64_t time, unsigned int n, uint64_t site, uint64_t bytes)
{
	tg_kmalloc(g, 0, time, PTR + n * 0x10000ULL, site, bytes, bytes, KERNEL, -1);
}

static void freed(struct tg *g, uint64_t time, unsigned int n)
{
	tg_kfree(g, 0, time, PTR + n * 0x10000ULL, F);
}

/* ------------------------------------------------------------------------
 * Peak and end
 */

static void test_peak(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	born(g, 1010, 1, A, 128);
	born(g, 1020, 2, A, 128);
	born(g, 1030, 3, B, 64);	/* 320, the first time */
	freed(g, 1040, 1);
	born(g, 1050, 4, B, 64);
	born(g, 1060, 5, B, 64);	/* 320 again: two of the others */
	freed(g, 1070, 99);		/* never seen before */
	tg_finish(g, 2000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(r->peak_bytes, 320);
	assert_int_equal(r->peak_time, 1030);
	assert_int_equal(at(r, A)->peak, 2);
	assert_int_equal(at(r, A)->peak_bytes, 256);
	assert_int_equal(at(r, B)->peak, 1);
	assert_int_equal(at(r, B)->peak_bytes, 64);
	assert_int_equal(at(r, A)->live, 1);
	assert_int_equal(at(r, A)->live_bytes, 128);
	assert_int_equal(at(r, B)->live, 3);
	assert_int_equal(at(r, B)->live_bytes, 192);
	assert_int_equal(at(r, A)->births, 2);
	assert_int_equal(at(r, A)->bytes, 256);
	assert_int_equal(count_rows(r), 2);
	assert_int_equal(r->stats.certainty[LT_SPACE_SLAB][LT_BEFORE], 1);
	done(r, g);
}

/* What is given to kfree_rcu is not its user's any more, for peak and end. */
static void test_peak_rcu(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	born(g, 1010, 1, A, 1024);
	tg_rcu_free(g, 0, 1020, PTR + 0x10000, F);
	born(g, 1030, 2, B, 1024);
	freed(g, 1040, 1);		/* the end of the grace period */
	tg_finish(g, 2000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(r->peak_bytes, 1024);
	assert_int_equal(r->peak_time, 1010);
	assert_int_equal(at(r, A)->peak, 1);
	assert_int_equal(at(r, B)->peak, 0);
	assert_int_equal(at(r, A)->live, 0);
	assert_int_equal(at(r, B)->live, 1);
	assert_int_equal(lt_hist_percentile(&at(r, A)->life, 50), 10);
	done(r, g);
}

/* An address born again is one object alive, not two. */
static void test_reborn(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	born(g, 1000, 1, A, 128);
	born(g, 21000, 1, B, 64);
	tg_finish(g, 40000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(r->peak_bytes, 128);
	assert_int_equal(at(r, A)->live, 0);
	assert_int_equal(at(r, A)->births, 1);
	assert_int_equal(at(r, A)->life.n, 0);
	/* It may have died at once: neither its length nor who survived whom is known. */
	assert_int_equal(at(r, A)->longs, 0);
	assert_int_equal(at(r, A)->shorts, 0);
	assert_int_equal(at(r, A)->other_cpu, 0);
	assert_int_equal(at(r, B)->live, 1);
	assert_int_equal(at(r, B)->longs, 1);
	count_rows(r);
	done(r, g);
}

/*
 * Events were lost in its life: its birth and its end need not be of the same
 * object, so nothing is said of the time between.
 */
static void test_uncertain(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	born(g, 1000, 1, A, 64);
	tg_close(g, 0, 1001);
	tg_lost(g, 0, LT_CLASS_KFREE, TG_FULL, 1);
	tg_open(g, 0, 1100);
	freed(g, 21000, 1);
	tg_finish(g, 40000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(r->stats.certainty[LT_SPACE_SLAB][LT_UNCERTAIN], 1);
	assert_int_equal(at(r, A)->births, 1);
	assert_int_equal(at(r, A)->longs, 0);
	assert_int_equal(at(r, A)->within, 0);
	assert_int_equal(at(r, A)->other_cpu, 0);
	assert_int_equal(at(r, A)->life.n, 0);
	count_rows(r);
	done(r, g);
}

static void test_empty(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	tg_finish(g, 2000);
	r = report(g, LT_BY_CACHE);
	assert_int_equal(count_rows(r), 0);
	assert_int_equal(r->peak_bytes, 0);
	assert_int_equal(r->all.births, 0);
	done(r, g);
	test_stderr_begin();
	assert_null(lt_report_make(test_path("there-is-none"), &usual));
	assert_non_null(strstr(test_stderr_end(), "there-is-none"));
}

static void test_limits(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	born(g, 1000, 1, A, 64);
	freed(g, 2000, 1);		/* 1000: short still */
	born(g, 3000, 2, A, 64);
	freed(g, 4001, 2);		/* 1001: no more */
	born(g, 5000, 3, B, 64);
	freed(g, 9999, 3);		/* 4999: not long */
	born(g, 10000, 4, B, 64);
	freed(g, 15000, 4);		/* 5000: long */
	born(g, 16000, 5, B, 64);	/* alive for 5001 */
	born(g, 16002, 6, B, 64);	/* alive for 4999 */
	tg_finish(g, 21001);
	r = report(g, LT_BY_SITE);
	assert_int_equal(at(r, A)->shorts, 1);
	assert_int_equal(at(r, A)->longs, 0);
	assert_int_equal(at(r, B)->shorts, 0);
	assert_int_equal(at(r, B)->longs, 2);
	assert_int_equal(r->all.shorts, 1);
	assert_int_equal(r->all.longs, 2);
	done(r, g);
}

/* Further allocations count, of any site, and not its own. */
static void test_within(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	born(g, 1000, 1, A, 64);
	born(g, 1001, 2, B, 64);
	born(g, 1002, 3, B, 64);
	freed(g, 90000, 1);		/* two more: within */
	born(g, 90001, 4, A, 64);
	born(g, 90002, 5, B, 64);
	born(g, 90003, 6, B, 64);
	born(g, 90004, 7, B, 64);
	freed(g, 90005, 4);		/* three more */
	freed(g, 90006, 7);		/* none */
	tg_finish(g, 100000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(at(r, A)->within, 1);
	assert_int_equal(at(r, B)->within, 1);
	assert_int_equal(at(r, A)->births, 2);
	done(r, g);
}

static void test_elsewhere(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	for (unsigned int i = 0; i < 5; i++)
		born(g, 1000 + i, i, A, 64);
	freed(g, 5000, 0);
	tg_kfree(g, 1, 5001, PTR + 0x10000, F);
	tg_context(g, 0, LT_CTX_SOFTIRQ);
	freed(g, 5002, 2);
	tg_context(g, 1, LT_CTX_HARDIRQ);
	tg_kfree(g, 1, 5003, PTR + 0x30000, F);
	/* The request counts, not who gives the memory back. */
	tg_context(g, 0, LT_CTX_TASK);
	tg_rcu_free(g, 0, 5004, PTR + 0x40000, F);
	tg_kfree(g, 1, 5005, PTR + 0x40000, F);
	tg_finish(g, 6000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(at(r, A)->births, 5);
	assert_int_equal(at(r, A)->other_cpu, 2);
	assert_int_equal(at(r, A)->other_context, 2);
	assert_int_equal(at(r, A)->live, 0);
	done(r, g);
}

static void test_waste(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	tg_cache(g, 0, 1000, 3, 0xffff888000900000ULL, 192, 200, "dentry");
	tg_kmalloc(g, 0, 1001, PTR, A, 60, 64, KERNEL, -1);
	tg_kmalloc(g, 0, 1002, PTR + 64, A, 64, 64, KERNEL, -1);
	tg_cache_alloc(g, 0, 1003, PTR + 0x1000, B, KERNEL, 3, -1);
	tg_bulk_alloc(g, 0, 1004, PTR + 0x2000, B, KERNEL, 3, -1);
	/* A cache of which nothing is known wastes nothing that we could tell. */
	tg_cache_alloc(g, 0, 1005, PTR + 0x3000, F, KERNEL, 4, -1);
	tg_finish(g, 6000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(at(r, A)->waste, 4);
	assert_int_equal(at(r, A)->bytes, 128);
	assert_int_equal(at(r, B)->waste, 16);
	assert_int_equal(at(r, B)->bytes, 400);
	assert_int_equal(at(r, F)->waste, 0);
	assert_int_equal(at(r, F)->bytes, 0);
	assert_int_equal(r->all.waste, 20);
	done(r, g);
}

/* ------------------------------------------------------------------------
 * Tasks
 */

static void test_outlives(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	for (unsigned int i = 0; i < 6; i++)
		born(g, 1000 + i, i, A, 64);
	freed(g, 1500, 0);		/* before */
	tg_task_exit(g, 0, 2000, 17, 17, 50, 1);
	freed(g, 2010, 1);		/* by itself, on its way out */
	born(g, 2020, 9, B, 64);	/* made on its way out */
	tg_kfree(g, 1, 2030, PTR + 0x20000, F);	/* by another one */
	tg_context(g, 1, LT_CTX_SOFTIRQ);
	tg_kfree(g, 1, 2040, PTR + 0x30000, F);	/* by an interrupt elsewhere */
	tg_rcu_free(g, 1, 2050, PTR + 0x40000, F);
	/* One is left over. One of a task that lives is not. */
	tg_context(g, 1, LT_CTX_TASK);
	tg_kmalloc(g, 1, 2060, PTR + 0x1000000, F, 64, 64, KERNEL, -1);
	tg_finish(g, 3000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(at(r, A)->outlived, 4);
	assert_int_equal(at(r, B)->outlived, 0);
	assert_int_equal(at(r, F)->outlived, 0);
	assert_int_equal(r->all.outlived, 4);
	done(r, g);
}

/* What an interrupt made belongs to nobody; what nobody saw end may have died first. */
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
	tg_kmalloc(g, 1, 2500, PTR + 0x20000, F, 64, 64, KERNEL, -1);
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
	tg_kmalloc(g, 1, 900, PTR + 0x900000, A, 8, 8, KERNEL, -1);	/* whose? */
	tg_task(g, 0, 1000, 17, 17, 500, 0, "cat");
	born(g, 1001, 1, A, 64);
	born(g, 1002, 2, B, 64);
	tg_task(g, 0, 2000, 17, 17, 1900, 0, "cat");	/* the number again */
	born(g, 2001, 3, A, 64);
	tg_context(g, 0, LT_CTX_SOFTIRQ);
	born(g, 2002, 4, A, 32);
	tg_context(g, 0, LT_CTX_HARDIRQ);
	born(g, 2003, 5, A, 16);
	tg_task(g, 0, 2004, 0, 0, 0, 0, "swapper/0");
	born(g, 2005, 6, A, 16);
	tg_context(g, 0, LT_CTX_TASK);
	tg_task(g, 0, 2006, 17, 17, 500, 0, "tac");	/* the first one, by another name */
	freed(g, 2007, 1);
	tg_finish(g, 3000);
	r = report(g, LT_BY_TASK);
	assert_int_equal(count_rows(r), 5);
	assert_int_equal(named(r, "tac-17")->births, 2);
	assert_int_equal(named(r, "tac-17")->live, 1);
	assert_int_equal(named(r, "tac-17")->task->start, 500);
	assert_int_equal(named(r, "cat-17")->births, 1);
	assert_int_equal(named(r, "cat-17")->task->start, 1900);
	assert_int_equal(named(r, "[softirq]")->births, 1);
	assert_int_equal(named(r, "[hardirq]")->births, 2);
	assert_int_equal(named(r, "(unknown)")->births, 1);
	done(r, g);

	/* The same name, too. */
	g = tg_new(NULL);
	tg_task(g, 0, 1000, 17, 17, 500, 0, "cat");
	born(g, 1001, 1, A, 64);
	tg_task(g, 0, 2000, 17, 17, 1900, 0, "cat");
	born(g, 2001, 3, A, 64);
	tg_finish(g, 3000);
	r = report(g, LT_BY_TASK);
	assert_non_null(named_n(r, "cat-17", 0));
	assert_non_null(named_n(r, "cat-17", 1));
	assert_ptr_not_equal(named_n(r, "cat-17", 0)->task, named_n(r, "cat-17", 1)->task);
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
	born(g, 500000, 3, A, 64);		/* the one before: bounded */
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

/* When the probes go one by one, frees come to objects that nobody saw born. */
static void test_stopped(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	born(g, 1000, 1, A, 64);
	born(g, 1001, 2, A, 64);
	born(g, 1002, 3, A, 64);
	freed(g, 1999, 1);
	freed(g, 2000, 2);		/* the very last */
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
	assert_int_equal(at(r, A)->longs, 0);	/* it is alive at 2000, not at 90000 */
	assert_int_equal(r->peak_bytes, 192);
	assert_int_equal(r->stats.certainty[LT_SPACE_SLAB][LT_BEFORE], 0);
	done(r, g);
}

/* Some kernels trace a large kmalloc twice; the second has the caller. */
static void test_traced_twice(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	tg_kmalloc(g, 0, 1000, PTR, A, 20000, 32768, KERNEL, -1);
	tg_kmalloc(g, 0, 1001, PTR, B, 20000, 32768, KERNEL, -1);
	tg_kmalloc(g, 0, 1100, PTR + 0x100000, A, 20000, 32768, KERNEL, -1);
	tg_kmalloc(g, 1, 1100, PTR + 0x200000, F, 64, 64, KERNEL, -1);
	tg_kmalloc(g, 0, 1101, PTR + 0x100000, B, 20000, 32768, KERNEL, -1);
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

/* Of a block of pages that is freed in parts, each part is alive on its own. */
static void test_page_split(void **state)
{
	static const enum lt_report_by bys[] = { LT_BY_SITE, LT_BY_SIZE };
	struct lt_report_options o = usual;

	(void)state;
	o.pages = true;
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
		assert_int_equal(r->all.births, 4);
		assert_int_equal(r->all.live, 1);
		assert_int_equal(r->all.live_bytes, 8 * 4096);
		count_rows(r);
		if (o.by == LT_BY_SIZE) {
			assert_int_equal(named(r, "<= 4096")->peak, 1);
			assert_int_equal(named(r, "<= 4096")->peak_bytes, 4096);
			assert_int_equal(named(r, "<= 8192")->peak, 1);
			assert_int_equal(named(r, "<= 32768")->peak, 1);
		}
		done(r, g);
	}
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
	o.pages = true;
	r = report_with(g, &o);
	assert_int_equal(r->peak_bytes, 16384);
	assert_int_equal(r->all.births, 1);
	assert_int_equal(r->all.live, 0);
	done(r, g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_peak), cmocka_unit_test(test_peak_rcu),
		cmocka_unit_test(test_reborn), cmocka_unit_test(test_empty),
		cmocka_unit_test(test_limits), cmocka_unit_test(test_within),
		cmocka_unit_test(test_elsewhere), cmocka_unit_test(test_waste),
		cmocka_unit_test(test_outlives), cmocka_unit_test(test_outlives_not),
		cmocka_unit_test(test_uncertain), cmocka_unit_test(test_by_task), cmocka_unit_test(test_exact_only),
		cmocka_unit_test(test_stopped), cmocka_unit_test(test_traced_twice),
		cmocka_unit_test(test_page_split), cmocka_unit_test(test_spaces_apart),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}

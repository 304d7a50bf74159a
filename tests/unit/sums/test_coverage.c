// SPDX-License-Identifier: GPL-2.0
/*
 * Coverage: changes in the trace compared with those of the kernel's own slab counters.
 */
#include "uapi/lifetrace_file.h"
#include "sums/report.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000100000ULL
#define SITE	0xffffffff81000100ULL
#define KERNEL	0xcc0U

#define DENTRY(active)	"cache dentry active " #active " total 900 objsize 192 slots_per_slab 21\n"
#define KM64(active)	"cache kmalloc-64 active " #active " total 900 objsize 64 slots_per_slab 64\n"
#define START		"when=start clock=1000\nshrunk 2 of 2\n"
#define END		"when=end clock=5000\nshrunk 2 of 2\n"

/*
 * Between the readings two dentries and one kmalloc-64 are born, and one of the dentries dies.
 * While the first reading is taken two more dentries are born; while the second is, a kmalloc
 * is freed. Other objects are born before and die after the readings.
 */
static struct tg *some_trace(const char *start)
{
	struct tg *g = tg_new(NULL);

	if (start)
		tg_text(g, LT_BLOCK_SLAB, start);
	tg_cache(g, 0, 900, 3, 0xffff888000900000ULL, 192, 192, "dentry");
	TG_CACHE_ALLOC(g, 0, 901, .ptr = PTR, .call_site = SITE, .gfp = KERNEL, .cache = 3,
		       .node = -1);
	tg_kmalloc(g, 0, 902, PTR + 0x1000, SITE, 60, 64, KERNEL, -1);
	tg_marker(g, 0, 1000, "lifetrace: slab start");
	TG_CACHE_ALLOC(g, 0, 1001, .ptr = PTR + 0x100, .call_site = SITE, .gfp = KERNEL, .cache = 3,
		       .node = -1);
	TG_CACHE_ALLOC(g, 1, 1002, .ptr = PTR + 0x200, .call_site = SITE, .gfp = KERNEL, .cache = 3,
		       .node = -1);
	tg_marker(g, 0, 1010, "lifetrace: slab start");
	TG_CACHE_ALLOC(g, 0, 2000, .ptr = PTR + 0x300, .call_site = SITE, .gfp = KERNEL, .cache = 3,
		       .node = -1);
	TG_CACHE_ALLOC(g, 1, 2001, .ptr = PTR + 0x400, .call_site = SITE, .gfp = KERNEL, .cache = 3,
		       .node = -1);
	tg_cache_free(g, 0, 2002, PTR + 0x400, SITE, 3);
	tg_kmalloc(g, 0, 2003, PTR + 0x2000, SITE, 60, 64, KERNEL, -1);
	tg_kmalloc(g, 0, 2004, PTR + 0x10000, SITE, 20000, 32768, KERNEL, -1);
	tg_marker(g, 0, 2005, "lifetrace: something else");
	tg_marker(g, 0, 5000, "lifetrace: slab end");
	tg_kfree(g, 0, 5001, PTR + 0x1000, SITE);
	tg_marker(g, 0, 5010, "lifetrace: slab end");
	tg_kfree(g, 0, 5011, PTR + 0x2000, SITE);
	tg_marker(g, 0, 5012, "lifetrace: slab end");
	tg_kfree(g, 0, 5013, PTR + 0x10000, SITE);
	tg_finish(g, 6000);
	return g;
}

static struct lt_report *report(struct tg *g, const char *end)
{
	static const struct lt_report_options o = { .by = LT_BY_CACHE };
	struct lt_report *r;

	if (end)
		tg_text(g, LT_BLOCK_SLAB, end);
	assert_int_equal(tg_write(g, test_path("c.lt"), 0), 0);
	tg_free(g);
	r = lt_report_make(test_path("c.lt"), &o);
	assert_non_null(r);
	return r;
}

static const struct lt_coverage_row *rows_of(struct lt_report *r, size_t *n,
					     struct lt_coverage_sum *sum)
{
	const struct lt_coverage_row *rows;
	const char *why;

	rows = lt_coverage_rows(r->coverage, n, sum, &why);
	assert_null(why);
	assert_non_null(rows);
	return rows;
}

static const struct lt_coverage_row *named(struct lt_report *r, const char *name)
{
	const struct lt_coverage_row *rows;
	struct lt_coverage_sum sum;
	size_t n;

	rows = rows_of(r, &n, &sum);
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	}
	fail_msg("there is no row of '%s'", name);
	return NULL;
}

static void test_markers(void **state)
{
	const struct lt_coverage_row *row;
	struct lt_coverage_sum sum;
	struct lt_report *r;
	size_t n;

	(void)state;
	r = report(some_trace(START DENTRY(100) KM64(50)), END DENTRY(102) KM64(50));
	row = named(r, "dentry");
	/* From 1 to 3, as the first reading was before, between or after the two births. */
	assert_int_equal(row->real, 2);
	assert_int_equal(row->traced, 2);
	assert_int_equal(row->error, 1);
	assert_false(row->kmalloc);
	/* 0 or 1, as the second reading was before or after the free. */
	row = named(r, "kmalloc-64");
	assert_int_equal(row->real, 0);
	assert_int_equal(row->traced, 0);
	assert_int_equal(row->error, 1);
	assert_true(row->kmalloc);
	rows_of(r, &n, &sum);
	/* The large kmalloc has no slab cache, and so no row. */
	assert_int_equal(n, 2);
	assert_int_equal(sum.change, 2);
	assert_int_equal(sum.apart, 0);
	assert_int_equal(sum.beyond, 0);
	assert_int_equal(sum.error, 2);
	assert_int_equal(sum.births, 3);
	assert_int_equal(sum.releases, 1);
	assert_int_equal(sum.unknown_frees, 0);
	lt_report_free(r);
}

/* The summary gets the rows, and then the table gets them once more. */
static void test_rows_twice(void **state)
{
	struct lt_report *r = report(some_trace(START DENTRY(100)), END DENTRY(107));
	struct lt_coverage_sum a, b;
	size_t na, nb;

	(void)state;
	rows_of(r, &na, &a);
	rows_of(r, &nb, &b);
	assert_int_equal(na, nb);
	assert_int_equal(a.change, 7);
	assert_memory_equal(&a, &b, sizeof(a));
	assert_int_equal(named(r, "dentry")->real, 7);
	assert_int_equal(named(r, "dentry")->traced, 2);
	lt_report_free(r);
}

static void no_coverage(struct tg *g, const char *end, const char *expected)
{
	struct lt_report *r = report(g, end);
	struct lt_coverage_sum sum;
	const char *why;
	size_t n;

	assert_null(lt_coverage_rows(r->coverage, &n, &sum, &why));
	assert_non_null(why);
	assert_non_null(strstr(why, expected));
	/* The second call gives the reason, too. */
	assert_null(lt_coverage_rows(r->coverage, &n, &sum, &why));
	assert_non_null(why);
	lt_report_free(r);
}

static void test_why(void **state)
{
	struct tg *g;

	(void)state;
	no_coverage(some_trace(NULL), NULL, "not read");
	no_coverage(some_trace(START DENTRY(1)), NULL, "not read");
	no_coverage(some_trace(NULL), END DENTRY(1), "not read");
	no_coverage(some_trace(START), END, "not read");
	no_coverage(some_trace("when=s"), "nonsense", "not read");

	/* The counters were read, but the markers do not show when. */
	g = tg_new(NULL);
	tg_text(g, LT_BLOCK_SLAB, START DENTRY(1));
	tg_marker(g, 0, 1000, "lifetrace: slab start");
	tg_marker(g, 0, 1001, "lifetrace: slab start");
	tg_marker(g, 0, 1002, "lifetrace: slab end");
	tg_marker(g, 0, 1003, "lifetrace: slab ended");
	tg_finish(g, 2000);
	no_coverage(g, END DENTRY(1), "markers");
}

/*
 * The counters may be wrong by the objects of CPU slabs, and their change by as much, since
 * neither of two errors is below 0.
 */
static void test_cpu_slabs(void **state)
{
	struct lt_report *r;

	(void)state;
	r = report(some_trace(START DENTRY(100) KM64(50)
			      "alias dentry :0000192\nalias kmalloc-64 :0000064\n"
			      "slabattr :0000192 cpu_slabs 2 N0=2\n"
			      "slabattr :0000192 objects 77\n"
			      "slabattr kmalloc-64 cpu_slabs 1\n"
			      "slabattr nobody cpu_slabs 5\n"),
		   END DENTRY(100) KM64(50)
		   "slabattr dentry cpu_slabs 1 N0=1\nslabattr :0000064 cpu_slabs 3\n"
		   "alias other :0000064\nalias kmalloc-64 :0000064\n");
	assert_int_equal(named(r, "dentry")->error, 1 + 2 * 21);
	assert_int_equal(named(r, "kmalloc-64")->error, 1 + 3 * 64);
	lt_report_free(r);
}

/* Nothing was made in or freed from the cache, so its slabs are as they were. */
static void test_quiet_cache(void **state)
{
	struct lt_report *r;

	(void)state;
	r = report(some_trace(START DENTRY(100) "cache quiet active 5 total 9 objsize 8 slots_per_slab 9\n"
			      "slabattr quiet cpu_slabs 7\n"),
		   END DENTRY(100) "cache quiet active 3 total 9 objsize 8 slots_per_slab 9\n"
		   "slabattr quiet cpu_slabs 9\n");
	assert_int_equal(named(r, "quiet")->real, -2);
	assert_int_equal(named(r, "quiet")->error, 0);
	lt_report_free(r);
}

/*
 * Objects come and go while the counters are read: the error is how far their number moved,
 * not how many there were.
 */
static void test_busy_reading(void **state)
{
	struct tg *g = tg_new(NULL);
	const struct lt_coverage_row *row;
	struct lt_report *r;

	(void)state;
	tg_text(g, LT_BLOCK_SLAB, START KM64(50));
	tg_marker(g, 0, 1000, "lifetrace: slab start");
	for (unsigned int i = 0; i < 100; i++) {
		tg_kmalloc(g, 0, 1001 + 4 * i, PTR, SITE, 64, 64, KERNEL, -1);
		tg_kmalloc(g, 0, 1002 + 4 * i, PTR + 64, SITE, 64, 64, KERNEL, -1);
		tg_kfree(g, 0, 1003 + 4 * i, PTR, SITE);
		tg_kfree(g, 0, 1004 + 4 * i, PTR + 64, SITE);
	}
	tg_marker(g, 0, 2000, "lifetrace: slab start");
	tg_marker(g, 0, 5000, "lifetrace: slab end");
	tg_marker(g, 0, 5001, "lifetrace: slab end");
	tg_finish(g, 6000);
	r = report(g, END KM64(49));
	row = named(r, "kmalloc-64");
	assert_int_equal(row->real, -1);
	assert_int_equal(row->traced, -1);
	assert_int_equal(row->error, 1);
	lt_report_free(r);
}
/* A kfree of an object older than the trace counts for one kmalloc cache, not known which. */
static void test_unknown_frees(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_coverage_sum sum;
	struct lt_report *r;
	size_t n;

	(void)state;
	tg_text(g, LT_BLOCK_SLAB, START DENTRY(100) KM64(50));
	tg_cache(g, 0, 900, 3, 0xffff888000900000ULL, 192, 192, "dentry");
	tg_marker(g, 0, 1000, "lifetrace: slab start");
	tg_marker(g, 0, 1001, "lifetrace: slab start");
	for (unsigned int i = 0; i < 3; i++)
		tg_kfree(g, 0, 1100 + i, PTR + i * 64, SITE);
	/* kmem_cache_free names the cache. */
	tg_cache_free(g, 0, 1200, PTR + 0x9000, SITE, 3);
	/* Of two kfree_rcu one may be vmalloc's; of the other the memory is given back. */
	tg_rcu_free(g, 0, 1300, 0xffffc90000000000ULL, SITE);
	tg_rcu_free(g, 0, 1301, PTR + 0xa000, SITE);
	tg_kfree(g, 0, 1302, PTR + 0xa000, SITE);
	tg_marker(g, 0, 5000, "lifetrace: slab end");
	tg_marker(g, 0, 5001, "lifetrace: slab end");
	tg_finish(g, 6000);
	r = report(g, END DENTRY(98) KM64(44));
	rows_of(r, &n, &sum);
	assert_int_equal(named(r, "dentry")->traced, -1);
	assert_int_equal(named(r, "kmalloc-64")->traced, 0);
	assert_int_equal(sum.unknown_frees, 4);
	assert_int_equal(sum.change, 2 + 6);
	assert_int_equal(sum.apart, 1 + 2);
	assert_int_equal(sum.beyond, 3);
	lt_report_free(r);
}

/* More frees of unknown caches than the counters confirm: the rest is not explained. */
static void test_unknown_frees_left_over(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_coverage_sum sum;
	struct lt_report *r;
	size_t n;

	(void)state;
	tg_text(g, LT_BLOCK_SLAB, START DENTRY(100) KM64(50));
	tg_marker(g, 0, 1000, "lifetrace: slab start");
	tg_marker(g, 0, 1001, "lifetrace: slab start");
	for (unsigned int i = 0; i < 10; i++)
		tg_kfree(g, 0, 1100 + i, PTR + i * 64, SITE);
	tg_marker(g, 0, 5000, "lifetrace: slab end");
	tg_marker(g, 0, 5001, "lifetrace: slab end");
	tg_finish(g, 6000);
	r = report(g, END DENTRY(100) KM64(46));
	rows_of(r, &n, &sum);
	assert_int_equal(sum.unknown_frees, 10);
	assert_int_equal(sum.change, 4);
	assert_int_equal(sum.apart, 6);
	assert_int_equal(sum.beyond, 6);
	lt_report_free(r);
}

/* The counters change when the grace period is over, not when kfree_rcu is called. */
static void test_rcu(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_report *r;

	(void)state;
	tg_text(g, LT_BLOCK_SLAB, START KM64(50));
	tg_marker(g, 0, 1000, "lifetrace: slab start");
	tg_marker(g, 0, 1001, "lifetrace: slab start");
	for (unsigned int i = 0; i < 3; i++)
		tg_kmalloc(g, 0, 1100 + i, PTR + i * 64, SITE, 64, 64, KERNEL, -1);
	for (unsigned int i = 0; i < 3; i++)
		tg_rcu_free(g, 0, 1200 + i, PTR + i * 64, SITE);
	tg_kfree(g, 0, 1300, PTR, SITE);
	tg_marker(g, 0, 5000, "lifetrace: slab end");
	tg_kfree(g, 0, 5001, PTR + 64, SITE);
	tg_marker(g, 0, 5002, "lifetrace: slab end");
	tg_kfree(g, 0, 5003, PTR + 128, SITE);
	tg_finish(g, 6000);
	r = report(g, END KM64(52));
	assert_int_equal(named(r, "kmalloc-64")->traced, 1);
	assert_int_equal(named(r, "kmalloc-64")->error, 1);
	lt_report_free(r);
}

#define SHEAF		"slabattr kmalloc-64 sheaf_capacity 4 N0=0\n"
#define SECOND		1000000000ULL

/* A kernel with sheaves has no event of the release: the request is the free. */
static void test_rcu_unseen(void **state)
{
	struct tg *g = tg_new(NULL);
	const struct lt_coverage_row *row;
	struct lt_report *r;

	(void)state;
	tg_text(g, LT_BLOCK_SLAB, START KM64(50) SHEAF);
	tg_marker(g, 0, 1000, "lifetrace: slab start");
	tg_marker(g, 0, 1001, "lifetrace: slab start");
	for (unsigned int i = 0; i < 40; i++)
		tg_kmalloc(g, 0, 1100 + i, PTR + i * 64, SITE, 64, 64, KERNEL, -1);
	for (unsigned int i = 0; i < 40; i++)
		tg_rcu_free(g, 0, 1200 + i, PTR + i * 64, SITE);
	/* One is released by kfree after all, the address of one is used again. */
	tg_kfree(g, 0, 1300, PTR, SITE);
	tg_kmalloc(g, 0, 1301, PTR + 64, SITE, 64, 64, KERNEL, -1);
	/* In the last second before the reading: perhaps not yet released. */
	tg_rcu_free(g, 0, 4 * SECOND + 5, PTR + 64, SITE);
	tg_marker(g, 0, 4 * SECOND + 10, "lifetrace: slab end");
	tg_marker(g, 0, 4 * SECOND + 11, "lifetrace: slab end");
	tg_finish(g, 5 * SECOND);
	r = report(g, END KM64(50) SHEAF);
	row = named(r, "kmalloc-64");
	assert_int_equal(row->real, 0);
	assert_int_equal(row->traced, 0);
	/* Three sheaves of the CPU, ten of the node; and the last request. */
	assert_int_equal(row->error, (3 + 10) * 4 + 1);
	lt_report_free(r);
}

/*
 * Of requests for objects from before the trace the cache is that of the next object in the
 * page; of the others, any, or none.
 */
static void test_rcu_unknown(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_coverage_sum sum;
	struct lt_report *r;
	size_t n;

	(void)state;
	tg_text(g, LT_BLOCK_SLAB, START DENTRY(100) KM64(50) SHEAF);
	tg_cache(g, 0, 900, 3, 0xffff888000900000ULL, 192, 192, "dentry");
	tg_rcu_free(g, 0, 901, PTR + 0x80, SITE);
	tg_marker(g, 0, 1000, "lifetrace: slab start");
	tg_marker(g, 0, 1001, "lifetrace: slab start");
	tg_rcu_free(g, 0, 1100, PTR, SITE);
	tg_rcu_free(g, 0, 1101, PTR + 64, SITE);
	tg_rcu_free(g, 0, 1102, 0xffffc90000000000ULL, SITE);
	tg_rcu_free(g, 0, 1103, PTR + 0x8000, SITE);
	TG_CACHE_ALLOC(g, 0, 1200, .ptr = PTR + 192, .call_site = SITE, .gfp = KERNEL, .cache = 3,
		       .node = -1);
	tg_marker(g, 0, 5000, "lifetrace: slab end");
	tg_marker(g, 0, 5001, "lifetrace: slab end");
	tg_finish(g, 6000);
	r = report(g, END DENTRY(99) KM64(49) SHEAF);
	rows_of(r, &n, &sum);
	assert_int_equal(named(r, "dentry")->traced, -1);
	assert_int_equal(named(r, "kmalloc-64")->traced, 0);
	assert_int_equal(sum.unknown_requests, 2);
	assert_int_equal(sum.apart, 0);
	assert_int_equal(sum.beyond, 0);
	lt_report_free(r);
}

/* An event of kmalloc does not say from which of several caches of one size it was. */
static void test_buckets(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_coverage_sum sum;
	struct lt_report *r;
	size_t n;

	(void)state;
	tg_text(g, LT_BLOCK_SLAB, START KM64(50)
		"cache msg_msg-64 active 1 total 9 objsize 64 slots_per_slab 64\n"
		"cache kmalloc-rnd-07-64 active 5 total 9 objsize 64 slots_per_slab 64\n");
	tg_marker(g, 0, 1000, "lifetrace: slab start");
	tg_marker(g, 0, 1001, "lifetrace: slab start");
	tg_kmalloc(g, 0, 1100, PTR, SITE, 64, 64, KERNEL | 0x400000U, -1);
	tg_kmalloc(g, 0, 1101, PTR + 64, SITE, 64, 64, KERNEL, -1);
	tg_marker(g, 0, 5000, "lifetrace: slab end");
	tg_marker(g, 0, 5001, "lifetrace: slab end");
	tg_finish(g, 6000);
	r = report(g, END KM64(50)
		   "cache msg_msg-64 active 2 total 9 objsize 64 slots_per_slab 64\n"
		   "cache kmalloc-rnd-07-64 active 6 total 9 objsize 64 slots_per_slab 64\n");
	rows_of(r, &n, &sum);
	assert_int_equal(named(r, "kmalloc-64")->real, 1);
	assert_int_equal(named(r, "kmalloc-64")->traced, 1);
	assert_int_equal(named(r, "kmalloc-cg-64")->real, 1);
	assert_int_equal(named(r, "kmalloc-cg-64")->traced, 1);
	assert_int_equal(n, 2);
	assert_int_equal(sum.apart, 0);
	lt_report_free(r);
}

/* One allocation that the kernel traces twice is one object. */
static void test_traced_twice(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_report *r;

	(void)state;
	tg_text(g, LT_BLOCK_SLAB, START KM64(50));
	tg_marker(g, 0, 1000, "lifetrace: slab start");
	tg_marker(g, 0, 1001, "lifetrace: slab start");
	tg_kmalloc(g, 0, 1100, PTR, SITE, 64, 64, KERNEL, -1);
	tg_kmalloc(g, 0, 1101, PTR, SITE + 0x40, 64, 64, KERNEL, -1);
	tg_marker(g, 0, 5000, "lifetrace: slab end");
	tg_marker(g, 0, 5001, "lifetrace: slab end");
	tg_finish(g, 6000);
	r = report(g, END KM64(51));
	assert_int_equal(named(r, "kmalloc-64")->traced, 1);
	lt_report_free(r);
}

/* slabinfo ends a name at a blank. A cache that slabinfo lacks has a row, too. */
static void test_names(void **state)
{
	struct tg *g = some_trace(START DENTRY(100) "cache my active 5 total 5 objsize 8 "
				  "slots_per_slab 9\n");
	const struct lt_coverage_row *rows;
	struct lt_coverage_sum sum;
	struct lt_report *r;
	size_t n;

	(void)state;
	r = report(g, END DENTRY(100) "cache my active 6 total 6 objsize 8 slots_per_slab 9\n");
	rows = rows_of(r, &n, &sum);
	assert_int_equal(n, 3);
	assert_int_equal(named(r, "my")->real, 1);
	assert_int_equal(named(r, "kmalloc-64")->real, 0);
	for (size_t i = 0; i < n; i++)
		assert_int_not_equal(rows[i].name[0], 0);
	lt_report_free(r);

	g = tg_new(NULL);
	tg_text(g, LT_BLOCK_SLAB, START "cache my active 5 total 5 objsize 8 slots_per_slab 9\n");
	tg_cache(g, 0, 900, 3, 0xffff888000900000ULL, 8, 8, "my own cache");
	tg_marker(g, 0, 1000, "lifetrace: slab start");
	tg_marker(g, 0, 1001, "lifetrace: slab start");
	TG_CACHE_ALLOC(g, 0, 1002, .ptr = PTR, .call_site = SITE, .gfp = KERNEL, .cache = 3,
		       .node = -1);
	tg_marker(g, 0, 5000, "lifetrace: slab end");
	tg_marker(g, 0, 5001, "lifetrace: slab end");
	tg_finish(g, 6000);
	r = report(g, END "cache my active 6 total 6 objsize 8 slots_per_slab 9\n");
	assert_int_equal(named(r, "my")->real, 1);
	assert_int_equal(named(r, "my")->traced, 1);
	lt_report_free(r);
}

/* The text of a file may hold any numbers, and no numbers. */
static void test_hostile(void **state)
{
	static char line[1200];
	struct lt_coverage_sum sum;
	struct lt_report *r;
	size_t n;

	(void)state;
	r = report(some_trace(START DENTRY(100) DENTRY(90)
			      "cache a active 9223372036854775807 total 1 objsize 1 slots_per_slab 1\n"
			      "cache b active 9223372036854775808 total 1 objsize 1 slots_per_slab 1\n"
			      "cache c active -1 total 1 objsize 1 slots_per_slab 1\n"
			      "cache d active 1 total 1 objsize 1 slots_per_slab 18446744073709551615\n"
			      "cache\ncache x\ncache x active\nslabattr\nslabattr dentry cpu_slabs\n"
			      "slabattr dentry cpu_slabs 18446744073709551615\n"
			      "alias\nalias dentry\n\n \n"),
		   END DENTRY(101)
		   "cache a active 9223372036854775808 total 1 objsize 1 slots_per_slab 1\n"
		   "cache b active 9223372036854775807 total 1 objsize 1 slots_per_slab 1\n");
	assert_int_equal(named(r, "dentry")->real, 1);
	assert_int_equal(named(r, "dentry")->error, 1);
	rows_of(r, &n, &sum);
	assert_true(sum.error < 1ULL << 40);
	assert_true(sum.change < 1ULL << 62);
	lt_report_free(r);

	memset(line, 'n', sizeof(line) - 1);
	memcpy(line, START "cache ", sizeof(START "cache ") - 1);
	no_coverage(some_trace(line), line, "not read");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_markers), cmocka_unit_test(test_rows_twice),
		cmocka_unit_test(test_why), cmocka_unit_test(test_cpu_slabs),
		cmocka_unit_test(test_quiet_cache), cmocka_unit_test(test_busy_reading),
		cmocka_unit_test(test_unknown_frees),
		cmocka_unit_test(test_unknown_frees_left_over), cmocka_unit_test(test_rcu),
		cmocka_unit_test(test_rcu_unseen), cmocka_unit_test(test_rcu_unknown),
		cmocka_unit_test(test_traced_twice), cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_names), cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests_name("coverage", tests, NULL, NULL);
}

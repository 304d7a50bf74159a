/* SPDX-License-Identifier: GPL-2.0 */
/* Reports of made-up traces, and their rows, for tests. */
#ifndef REPORTTEST_H
#define REPORTTEST_H

#include "sums/report.h"
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

static inline struct lt_report *report_with(struct tg *g, const struct lt_report_options *o)
{
	struct lt_report *r;

	assert_int_equal(tg_write(g, test_path("r.lt"), 0), 0);
	r = lt_report_make(test_path("r.lt"), o);
	assert_non_null(r);
	return r;
}

static inline struct lt_report *report(struct tg *g, enum lt_report_by by)
{
	struct lt_report_options o = usual;

	o.by = by;
	return report_with(g, &o);
}

static inline void done(struct lt_report *r, struct tg *g)
{
	lt_report_free(r);
	tg_free(g);
}

/* The row of a call site. */
static inline const struct lt_report_row *at(const struct lt_report *r, uint64_t site)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		if (lt_report_row_counts(&r->rows[i]) && r->rows[i].site == site)
			return &r->rows[i];
	}
	fail_msg("there is no row of 0x%llx", (unsigned long long)site);
	return NULL;
}

/* The n-th row with a name; NULL: there are not so many. */
static inline const struct lt_report_row *named_n(const struct lt_report *r, const char *name,
						  size_t n)
{
	char buf[256];

	for (size_t i = 0; i < r->n_rows; i++) {
		const struct lt_report_row *row = &r->rows[i];

		if (lt_report_row_counts(row) &&
		    !strcmp(lt_report_label(r, row, buf, sizeof(buf)), name) && !n--)
			return row;
	}
	return NULL;
}

static inline const struct lt_report_row *named(const struct lt_report *r, const char *name)
{
	const struct lt_report_row *row = named_n(r, name, 0);

	if (!row)
		fail_msg("there is no row '%s'", name);
	return row;
}

/* Rows that are printed; and that all of them add up to the sum. */
static inline size_t count_rows(const struct lt_report *r)
{
	struct lt_report_row sum = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < r->n_rows; i++) {
		const struct lt_report_row *row = &r->rows[i];

		if (!lt_report_row_counts(row))
			continue;
		n++;
		sum.births += row->births;
		sum.bytes += row->bytes;
		sum.live += row->live;
		sum.live_bytes += row->live_bytes;
		sum.peak += row->peak;
		sum.peak_bytes += row->peak_bytes;
	}
	assert_int_equal(sum.births, r->all.births);
	assert_int_equal(sum.bytes, r->all.bytes);
	assert_int_equal(sum.live, r->all.live);
	assert_int_equal(sum.live_bytes, r->all.live_bytes);
	assert_int_equal(sum.peak, r->all.peak);
	assert_int_equal(sum.peak_bytes, r->peak_bytes);
	assert_int_equal(r->all.peak_bytes, r->peak_bytes);
	return n;
}

static inline struct tg *new_trace(void)
{
	struct tg *g = tg_new(NULL);

	TG_TASK(g, 0, 100, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
	TG_TASK(g, 1, 100, .tid = 18, .tgid = 18, .start = 60, .comm = "dog");
	return g;
}

static inline void born(struct tg *g, uint64_t time, unsigned int n, uint64_t site, uint64_t bytes)
{
	TG_KMALLOC(g, 0, time, .ptr = PTR + n * 0x10000ULL, .call_site = site, .bytes_req = bytes,
		   .bytes_alloc = bytes, .gfp = KERNEL, .node = -1);
}

static inline void freed(struct tg *g, uint64_t time, unsigned int n)
{
	tg_kfree(g, 0, time, PTR + n * 0x10000ULL, F);
}

#endif /* REPORTTEST_H */

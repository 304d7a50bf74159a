// SPDX-License-Identifier: GPL-2.0
/*
 * Reports by stack: which stacks are one row, and what lifetimes say of theirs.
 */
#include <fcntl.h>
#include <unistd.h>

#include "print/lifetimes.h"
#include "print/report.h"
#include "sums/wrappers.h"
#include "reporttest.h"

#define TEXT	0xffffffff80000000ULL	/* text_base of tracegen */
#define HEAP	0xffff888000000000ULL	/* its ptr_base */

static void put_site(struct tg *g, uint64_t time, uint16_t number, uint64_t site, uint16_t stack)
{
	TG_PUT(g, 0, time, SITE, .site = number, .call_site = (uint32_t)(site - TEXT),
	       .bytes_req = 60, .bytes_alloc = 64, .gfp_flags = KERNEL, .node = -1, .stack = stack);
}

static void put_birth(struct tg *g, uint64_t time, uint16_t site, uint64_t ptr)
{
	uint64_t v = ptr - HEAP;
	uint8_t rec[7] = { (uint8_t)site, (uint8_t)(site >> 8), (uint8_t)v, (uint8_t)(v >> 8),
			   (uint8_t)(v >> 16), (uint8_t)(v >> 24), (uint8_t)(v >> 32) };

	tg_raw(g, 0, time, LT_EV_KMALLOC_SHORT, LT_CLASS_KMALLOC, rec, sizeof(rec));
}

/*
 * From A three births by A < B < F, two by A < B and no more, one by A < B that was cut
 * there, one without a stack; and one by B < A.
 */
static struct tg *stacks_trace(void)
{
	struct tg *g = tg_new(&(struct tg_options){ .info = "stacks=1\n" });
	const uint32_t a = (uint32_t)(A - TEXT), b = (uint32_t)(B - TEXT), f = (uint32_t)(F - TEXT);

	TG_PUT(g, 0, 1000, STACK, .stack = 1, .n_frames = 3, .frames = { a, b, f });
	TG_PUT(g, 0, 1000, STACK, .stack = 2, .n_frames = 2, .frames = { a, b });
	TG_PUT(g, 0, 1000, STACK, .stack = 3, .n_frames = 2, .flags = LT_STACK_CUT,
	       .frames = { a, b });
	TG_PUT(g, 0, 1000, STACK, .stack = 4, .n_frames = 2, .frames = { b, a });
	put_site(g, 1000, 1, A, 1);
	put_site(g, 1000, 2, A, 2);
	put_site(g, 1000, 3, A, 3);
	put_site(g, 1000, 4, B, 4);
	put_site(g, 1000, 5, A, 0);
	put_birth(g, 1010, 1, PTR);
	put_birth(g, 1020, 1, PTR + 0x1000);
	put_birth(g, 1030, 2, PTR + 0x2000);
	put_birth(g, 1040, 3, PTR + 0x3000);
	put_birth(g, 1050, 4, PTR + 0x4000);
	put_birth(g, 1060, 5, PTR + 0x5000);
	tg_kfree(g, 0, 1070, PTR, F);
	tg_close(g, 0, 1080);
	/* Stacks of the first packet have other numbers in the next one. */
	TG_PUT(g, 0, 1090, STACK, .stack = 1, .n_frames = 2, .frames = { a, b });
	TG_PUT(g, 0, 1090, STACK, .stack = 2, .n_frames = 3, .frames = { a, b, f });
	put_site(g, 1090, 1, A, 1);
	put_site(g, 1090, 2, A, 2);
	put_birth(g, 1100, 1, PTR + 0x6000);
	put_birth(g, 1110, 2, PTR + 0x7000);
	tg_finish(g, 5000);
	return g;
}

static struct lt_report *by_stack(struct tg *g, unsigned int depth)
{
	struct lt_report_options o = usual;

	o.by = LT_BY_STACK;
	o.depth = depth;
	return report_with(g, &o);
}

/* The row of a stack has so many allocations, of which so many are alive. */
static void expect(const struct lt_report *r, unsigned int n, const uint64_t *frames,
		   unsigned int flags, uint64_t births, uint64_t live)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		struct lt_stack stack = lt_report_stack(r, &r->rows[i]);

		if (stack.n != n || stack.flags != flags ||
		    memcmp(stack.frames, frames, n * sizeof(*frames)))
			continue;
		assert_int_equal(r->rows[i].births, births);
		assert_int_equal(r->rows[i].live, live);
		assert_int_equal(r->rows[i].live_bytes, 64 * live);
		assert_int_equal(r->rows[i].site, frames[0]);
		return;
	}
	fail_msg("there is no row with this stack");
}

/* All rows whose first frame is at @site have so many allocations, of which so many are alive. */
static void expect_site(const struct lt_report *r, const uint64_t *site, uint64_t births,
			uint64_t live)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		if (!lt_report_stack(r, &r->rows[i]).n ||
		    lt_report_stack(r, &r->rows[i]).frames[0] != *site)
			continue;
		births -= r->rows[i].births;
		live -= r->rows[i].live;
	}
	assert_int_equal(births, 0);
	assert_int_equal(live, 0);
}

/* Rows that are printed. */
static size_t n_rows(const struct lt_report *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_rows; i++)
		n += lt_report_row_counts(&r->rows[i]);
	return n;
}

static void test_rows(void **state)
{
	const uint64_t abf[] = { A, B, F }, ba[] = { B, A };
	struct tg *g = stacks_trace();
	struct lt_report *r = by_stack(g, 0);

	(void)state;
	assert_int_equal(n_rows(r), 5);
	expect(r, 3, abf, 0, 3, 2);
	expect(r, 2, abf, 0, 2, 2);
	expect(r, 2, abf, LT_STACK_CUT, 1, 1);
	expect(r, 1, abf, LT_STACK_UNKNOWN, 1, 1);
	expect(r, 2, ba, 0, 1, 1);
	lt_report_free(r);

	/* Two frames: what comes behind them is one, but it is known that they are there. */
	r = by_stack(g, 2);
	assert_int_equal(n_rows(r), 3);
	expect(r, 2, abf, 0, 6, 5);
	expect(r, 1, abf, LT_STACK_UNKNOWN, 1, 1);
	expect(r, 2, ba, 0, 1, 1);
	lt_report_free(r);

	/* One frame: the call site. */
	r = by_stack(g, 1);
	assert_int_equal(n_rows(r), 2);
	expect(r, 1, abf, 0, 7, 6);
	expect(r, 1, ba, 0, 1, 1);
	lt_report_free(r);

	/* Stacks change nothing in other reports, and without names there are no wrappers. */
	r = report(g, LT_BY_SITE);
	assert_int_equal(n_rows(r), 2);
	assert_int_equal(at(r, A)->births, 7);
	assert_int_equal(at(r, B)->births, 1);
	done(r, g);
}

static void test_wrapper_names(void **state)
{
	static const char *const some[] = {
		"kmemdup", "kmemdup_noprof", "kmemdup.part.0", "kstrndup", "__kvmalloc_node_noprof",
		"ext4_alloc_inode", "alloc_inode", "__alloc_skb", "mempool_alloc", "devm_kzalloc",
	};
	static const char *const none[] = {
		"", "kmemdu", "kstrndup2", "xkmemdup", "alloc_inode_sb", "mempool_free", "vfs_read",
		"mas_alloc_nodesx", "ext4_alloc_inodes",
	};
	char long_name[600];

	(void)state;
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		assert_true(lt_is_wrapper(some[i]));
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_false(lt_is_wrapper(none[i]));
	memset(long_name, 'k', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = 0;
	assert_false(lt_is_wrapper(long_name));
}

/* A is in kmemdup(), B and F in functions that are no wrappers. */
static void test_wrappers(void **state)
{
	struct tg *g = stacks_trace();
	const uint64_t a[] = { A }, b[] = { B }, f[] = { F };
	struct lt_report_options o = usual;
	struct lt_report *r;
	char buf[128];

	(void)state;
	tg_text(g, LT_BLOCK_SYMBOLS, "ffffffff81000100 T kmemdup\nffffffff81000200 T caller\n"
		"ffffffff81000900 T other\n");
	o.by = LT_BY_STACK;
	o.depth = 1;
	o.skip_wrappers = true;
	r = report_with(g, &o);
	assert_int_equal(n_rows(r), 2);
	/* A < B, whatever comes behind, and B < A. */
	expect_site(r, b, 7, 6);
	/* Of one only the wrapper is known. */
	expect_site(r, a, 1, 1);
	for (size_t i = 0; i < r->n_rows; i++) {
		struct lt_stack stack = lt_report_stack(r, &r->rows[i]);
		const char *label = lt_report_label(r, &r->rows[i], buf, sizeof(buf));

		if (!stack.n)
			continue;
		assert_string_equal(label, stack.frames[0] == A ? "kmemdup+0x0 (wrapper)" :
							 "caller+0x0");
	}
	lt_report_free(r);
	/* Whole stacks begin behind it. */
	o.depth = 0;
	r = report_with(g, &o);
	assert_int_equal(n_rows(r), 5);
	expect_site(r, f, 0, 0);
	done(r, g);
}

/* What a function writes to a file, valid until the next call. */
static const char *read_back(int fd)
{
	static char text[1 << 16];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	assert_true(n >= 0);
	text[n] = 0;
	close(fd);
	return text;
}

static int new_file(void)
{
	int fd = open(test_path("out"), O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	return fd;
}

static const char *printed(struct lt_report *r, struct lt_report_view p)
{
	int fd = new_file();
	struct lt_out out = LT_OUT_INIT(fd);

	p.file = "r.lt";
	p.out = &out;
	lt_report_print(r, &p);
	assert_int_equal(lt_out_close(&out), 0);
	return read_back(fd);
}

static void test_print(void **state)
{
	struct tg *g = stacks_trace();
	struct lt_report *r = by_stack(g, 0);
	const char *text = printed(r, (struct lt_report_view){ .format = LT_FORMAT_JSON });

	(void)state;
	assert_non_null(strstr(text, "\"by\":\"stack\""));
	assert_non_null(strstr(text, "\"stack\":[\"0xffffffff81000100\",\"0xffffffff81000200\","
			       "\"0xffffffff81000900\"],\"allocations\":3,"));
	assert_non_null(strstr(text, "\"stack\":[\"0xffffffff81000100\",\"0xffffffff81000200\","
			       "\"...\"],\"allocations\":1,"));
	assert_non_null(strstr(text, "\"stack\":null,\"allocations\":1,"));
	text = printed(r, (struct lt_report_view){ .format = LT_FORMAT_CSV });
	assert_int_equal(strncmp(text, "site,cache,stack,allocations,", 29), 0);
	assert_non_null(strstr(text, "0xffffffff81000100 < 0xffffffff81000200 < ...,1,"));
	text = printed(r, (struct lt_report_view){ .list = "alive" });
	assert_non_null(strstr(text, "\n    ← 0xffffffff81000200\n    ← 0xffffffff81000900\n"));
	assert_non_null(strstr(text, "0xffffffff81000100 (no stack)"));
	lt_report_free(r);
	r = by_stack(g, 2);
	text = printed(r, (struct lt_report_view){ .list = "alive" });
	assert_non_null(strstr(text, "0xffffffff81000100 ← 0xffffffff81000200 "));
	assert_null(strstr(text, "\n    ←"));
	done(r, g);
	/* The names of all kinds of rows. */
	g = new_trace();
	tg_finish(g, 5000);
	r = report(g, LT_BY_STACK);
	r->opts.by = LT_BY_CGROUP;
	assert_non_null(strstr(printed(r, (struct lt_report_view){ .format = LT_FORMAT_JSON }),
			       "\"by\":\"cgroup\""));
	done(r, g);
}

static const char *lifetimes(enum lt_format format)
{
	struct lt_trace *t = lt_trace_open(test_path("r.lt"));
	int fd = new_file();
	struct lt_sink *sink = lt_lifetime_sink_new(fd, false, format, NULL);
	struct lt_event ev;

	assert_non_null(t);
	assert_int_equal(sink->begin(sink, t), 0);
	while (lt_trace_next(t, &ev) > 0)
		assert_int_equal(sink->event(sink, &ev), 0);
	assert_int_equal(sink->end(sink), 0);
	lt_trace_close(t);
	return read_back(fd);
}

static void test_lifetimes(void **state)
{
	struct tg *g = stacks_trace();
	const char *text;

	(void)state;
	assert_int_equal(tg_write(g, test_path("r.lt"), 0), 0);
	tg_free(g);
	text = lifetimes(LT_FORMAT_JSON);
	assert_non_null(strstr(text, "\"birth_stack\":[\"0xffffffff81000200\","
			       "\"0xffffffff81000100\"],\"death_stack\":null}\n"));
	assert_non_null(strstr(text, "\"birth_stack\":[\"0xffffffff81000100\","
			       "\"0xffffffff81000200\",\"...\"],\"death_stack\":null}\n"));
	assert_non_null(strstr(text, "\"birth_stack\":null,\"death_stack\":null}\n"));
	text = lifetimes(LT_FORMAT_CSV);
	assert_non_null(strstr(text, ",why,bytes_last,birth_stack,death_stack\n"));
	assert_non_null(strstr(text, ",0xffffffff81000200 < 0xffffffff81000100,\n"));

	/* A trace without stacks has no columns of them. */
	g = new_trace();
	born(g, 1000, 0, A, 64);
	tg_finish(g, 5000);
	assert_int_equal(tg_write(g, test_path("r.lt"), 0), 0);
	tg_free(g);
	assert_null(strstr(lifetimes(LT_FORMAT_CSV), "stack"));
	assert_null(strstr(lifetimes(LT_FORMAT_JSON), "stack"));
}

/* Whether something was left out behind the entry of an interrupt makes no other row. */
static void test_interrupts(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .info = "stacks=1\n" });
	const uint32_t a = (uint32_t)(A - TEXT), b = (uint32_t)(B - TEXT);
	struct lt_report *r;

	(void)state;
	TG_PUT(g, 0, 1000, STACK, .stack = 1, .n_frames = 2, .frames = { a, b });
	TG_PUT(g, 0, 1000, STACK, .stack = 2, .n_frames = 2, .flags = LT_STACK_IRQ,
	       .frames = { a, b });
	put_site(g, 1000, 1, A, 1);
	put_site(g, 1000, 2, A, 2);
	put_birth(g, 1010, 1, PTR);
	put_birth(g, 1020, 2, PTR + 0x1000);
	tg_finish(g, 5000);
	r = by_stack(g, 0);
	assert_int_equal(n_rows(r), 1);
	expect(r, 2, (const uint64_t[]){ A, B }, 0, 2, 2);
	lt_report_free(r);
	tg_free(g);
}

/* The path to a call site is its most frequent stack, with its share where there are others. */
static void test_site_path(void **state)
{
	struct tg *g = stacks_trace();
	struct lt_report *r = by_stack(g, 0);
	struct lt_para t = { .n = 0 };
	char want[128];

	(void)state;
	assert_true(lt_report_path(r, A, "allocations", &t));
	snprintf(want, sizeof(want), "50 %%: ← 0x%llx ← 0x%llx", B, F);
	assert_string_equal(t.s, want);
	/* Percentiles are no sums: then allocations decide. */
	t.n = 0;
	assert_true(lt_report_path(r, A, "p50_ns", &t));
	assert_string_equal(t.s, want);
	/* One path alone has no share. */
	t.n = 0;
	assert_true(lt_report_path(r, B, "alive_bytes", &t));
	snprintf(want, sizeof(want), "← 0x%llx", A);
	assert_string_equal(t.s, want);
	/* No stack, no site, nothing of the column. */
	t.n = 0;
	assert_false(lt_report_path(r, F, "allocations", &t));
	assert_false(lt_report_path(r, 0, "allocations", &t));
	assert_false(lt_report_path(r, B, "short_lived", &t));
	assert_false(lt_report_path(NULL, A, "allocations", &t));
	assert_int_equal(t.n, 0);
	done(r, g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_site_path),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_interrupts),
		cmocka_unit_test(test_wrapper_names),
		cmocka_unit_test(test_wrappers),
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_lifetimes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

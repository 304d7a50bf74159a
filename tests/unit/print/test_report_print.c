// SPDX-License-Identifier: GPL-2.0
/*
 * Printed reports: the text, and the sums over the rows of CSV and JSON.
 */
#include <fcntl.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "print/report.h"
#include "reporttest.h"

/* The printed report, valid until the next call. */
static const char *printed(struct lt_report *r, enum lt_format format, const char *sort)
{
	static char text[1 << 16];
	int fd = open(test_path("out"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct lt_out out = LT_OUT_INIT(fd);
	struct lt_report_view p = {
		.file = "r.lt", .out = &out, .format = format, .sort = sort,
	};
	ssize_t n;

	assert_true(fd >= 0);
	lt_report_print(r, &p);
	assert_int_equal(lt_out_close(&out), 0);
	n = pread(fd, text, sizeof(text) - 1, 0);
	assert_true(n >= 0);
	text[n] = 0;
	close(fd);
	return text;
}

static size_t count(const char *text, const char *word)
{
	size_t n = 0;

	while ((text = strstr(text, word))) {
		text += strlen(word);
		n++;
	}
	return n;
}

/* Objects of a cache without a record have no bytes, but their births are counted. */
static void test_rows_without_bytes(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	tg_cache_alloc(g, 0, 1010, PTR, A, KERNEL, 0, -1);
	tg_cache_alloc(g, 0, 1020, PTR + 64, A, KERNEL, 0, -1);
	born(g, 1030, 5, B, 64);
	tg_finish(g, 5000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(r->all.births, 3);
	assert_int_equal(count(printed(r, LT_FORMAT_JSON, NULL), "\"count\":"), 2);
	assert_int_equal(count(printed(r, LT_FORMAT_JSON, "p50"), "\"count\":2"), 1);
	assert_int_equal(count(printed(r, LT_FORMAT_CSV, "outlives"), "\n"), 3);
	/* A list for people has only the rows with a value in its column. */
	assert_int_equal(count(printed(r, LT_FORMAT_TEXT, "bytes"), "0xffffffff81000"), 1);
	assert_int_equal(count(printed(r, LT_FORMAT_TEXT, "count"), "0xffffffff81000"), 2);
	done(r, g);
}

/* If no byte was ever live there is no time of the peak. */
static void test_no_births(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;
	const char *text;

	(void)state;
	tg_kfree(g, 0, 1000000, PTR, F);
	tg_finish(g, 3000000);
	r = report(g, LT_BY_SITE);
	text = printed(r, LT_FORMAT_TEXT, NULL);
	assert_non_null(strstr(text, "  alive        at the end 0 with 0 B\n"));
	assert_null(strstr(text, "18446744"));
	text = printed(r, LT_FORMAT_JSON, NULL);
	assert_non_null(strstr(text, "\"peak_bytes\":0,\"peak_ns\":null,"));
	done(r, g);
}

/* Probe hits that the kernel did not deliver are not lost by the module, but are reported. */
static void test_missed(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	born(g, 1010, 1, A, 64);
	tg_finish(g, 9000);
	tg_text(g, LT_BLOCK_STATS, "state draining\nmissed bulk_alloc 1200\nmissed cred 7\n"
		"missed bulk_free 34\n");
	r = report(g, LT_BY_SITE);
	assert_non_null(strstr(printed(r, LT_FORMAT_TEXT, NULL),
			       "  missed       1,234 hits of functions"));
	assert_non_null(strstr(printed(r, LT_FORMAT_JSON, NULL), "\"lost\":0,\"missed\":1234,"));
	done(r, g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_without_bytes),
		cmocka_unit_test(test_no_births),
		cmocka_unit_test(test_missed),
	};

	return cmocka_run_group_tests_name("report print", tests, NULL, NULL);
}

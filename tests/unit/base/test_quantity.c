// SPDX-License-Identifier: GPL-2.0
/*
 * Durations, sizes, and the nearest name: what people type on a command line.
 */
#include "base/quantity.h"
#include "testlib.h"

#define BAD	UINT64_MAX

static void test_duration(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} rows[] = {
		{ "10", 10000000000 }, { "10s", 10000000000 }, { "1.5ms", 1500000 },
		{ "500us", 500000 }, { "20ns", 20 }, { "1m", 60000000000 },
		{ "2min", 120000000000 }, { "1h", 3600000000000 }, { "1d", 86400000000000 },
		{ "0", 0 }, { "0.5", 500000000 }, { ".5", 500000000 }, { "1.", 1000000000 },
		{ "0.123456789", 123456789 }, { "0.1234567899", 123456789 },
		{ "12345.678901234", 12345678901234 },
		{ "0.00000000000000000000000000001s", 0 },
		{ "9223372036", 9223372036000000000 }, { "9223372037", BAD },
		{ "", BAD }, { ".", BAD }, { "s", BAD }, { "1.916 s", 1916000000 }, { "10 ", BAD },
		{ "10  s", BAD }, { " 10", BAD },
		{ "-1", BAD }, { "+1", BAD }, { "1e3", BAD }, { "inf", BAD }, { "nan", BAD },
		{ "0x10", BAD }, { "10sec", BAD }, { "10S", BAD }, { "1,5", BAD },
		{ "99999999999999999999999", BAD },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t ns = BAD;

		if (lt_parse_duration(rows[i].text, &ns) != (rows[i].ns != BAD) ||
		    (rows[i].ns != BAD && ns != rows[i].ns))
			fail_msg("'%s' is %llu", rows[i].text, (unsigned long long)ns);
	}
}

static void test_size(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} rows[] = {
		{ "65536", 65536 }, { "64K", 65536 }, { "64k", 65536 }, { "64KiB", 65536 },
		{ "64kB", 65536 }, { "1.5G", 1610612736 }, { "2M", 2097152 }, { "1T", 1099511627776 },
		{ "8B", 8 }, { "0", 0 },
		{ "", BAD }, { "K", BAD }, { "1X", BAD }, { "1KK", BAD }, { "-1", BAD },
		{ "1e3", BAD }, { "1i", BAD }, { "9999999999T", BAD },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t bytes = BAD;

		if (lt_parse_size(rows[i].text, &bytes) != (rows[i].bytes != BAD) ||
		    (rows[i].bytes != BAD && bytes != rows[i].bytes))
			fail_msg("'%s' is %llu", rows[i].text, (unsigned long long)bytes);
	}
}

static void test_nearest(void **state)
{
	static const char *const names[] = { "inode_cache", "dentry", "kmalloc-64", "kmalloc-96", "" };
	static const struct {
		const char *wanted;
		const char *best;
	} rows[] = {
		{ "dentri", "dentry" }, { "dent", "dentry" }, { "entry", "dentry" },
		{ "inode", "inode_cache" }, { "kmalloc-65", "kmalloc-64" }, { "xyz", NULL },
		{ "", NULL }, { "kmalloc", "kmalloc-64" },
	};
	char buf[2 * LT_NEAREST_SIZE], want[LT_NEAREST_SIZE], longer[2 * LT_NEAREST_SIZE] = "";

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lt_nearest n;

		lt_nearest_init(&n, rows[i].wanted);
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			lt_nearest_try(&n, names[k]);
		if (rows[i].best)
			snprintf(want, sizeof(want), "; did you mean '%s'?", rows[i].best);
		else
			snprintf(want, sizeof(want), "none");
		assert_string_equal(lt_nearest_hint(&n, "none", buf, sizeof(buf)), want);
	}
	/* A name from a trace may be longer than any that is compared. */
	memset(longer, 'x', sizeof(longer) - 1);
	for (int wanted = 0; wanted < 2; wanted++) {
		struct lt_nearest n;

		lt_nearest_init(&n, wanted ? longer : "xxx");
		lt_nearest_try(&n, wanted ? "xxx" : longer);
		assert_string_equal(lt_nearest_hint(&n, "none", buf, sizeof(buf)), "none");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

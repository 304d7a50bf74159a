// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of lifetrace top: cells of few characters, which columns have room, names that are
 * hostile or too long, search.
 */
#include "top/print.h"
#include "testlib.h"

static void expect(const char *(*text)(double v, char *buf), double v, const char *wanted)
{
	char buf[LT_TOP_CELL];

	assert_string_equal(text(v, buf), wanted);
	assert_true(strlen(buf) <= 5);
}

static void test_short(void **state)
{
	(void)state;
	expect(lt_top_short_bytes, 0, "0");
	expect(lt_top_short_bytes, 999, "999");
	expect(lt_top_short_bytes, 1000, "1.0K");
	expect(lt_top_short_bytes, 8448, "8.2K");
	expect(lt_top_short_bytes, 1023 * 1024, "1.0M");
	expect(lt_top_short_bytes, 18e18, "15.6E");
	expect(lt_top_short_count, 12345, "12.3k");
	expect(lt_top_short_count, 999950, "1.0M");
	expect(lt_top_short_ns, 0, "0ns");
	expect(lt_top_short_ns, 1500, "1.5us");
	expect(lt_top_short_ns, 999.6e6, "1.0s");
	expect(lt_top_short_ns, 154e9, "2m34s");
	expect(lt_top_short_ns, 3599e9, "59m");
	expect(lt_top_short_ns, 3600e9, "1h00m");
	expect(lt_top_short_ns, 36000e9, "10h");
	expect(lt_top_short_ns, 90000e9, "1d01h");
	expect(lt_top_short_ns, 864000e9, "10d");
}

/* Whatever the width, cells and name fill the line and no more, and the first column stays. */
static void test_fit(void **state)
{
	(void)state;
	for (unsigned int width = 20; width <= 300; width++) {
		unsigned int name, fit = lt_top_fit(width, &name), sum = name;

		assert_true(fit & 1U << LT_TOP_ALIVE);
		for (enum lt_top_column c = 0; c < LT_TOP_NAME; c++)
			sum += (fit & 1U << c) ? lt_top_column_width(c) + 1 : 0;
		assert_int_equal(sum, width);
	}
}

static void test_cells(void **state)
{
	struct lt_top_cell cell = { .v = 8448, .known = true, .unsure = true };
	char buf[LT_TOP_CELL];

	(void)state;
	assert_string_equal(lt_top_cell_text(&cell, LT_TOP_ALIVE, buf), "8.2K~");
	cell = (struct lt_top_cell){ .v = -8448, .known = true };
	assert_string_equal(lt_top_cell_text(&cell, LT_TOP_GROWTH, buf), "-8.2K");
	cell = (struct lt_top_cell){ .v = 2e9, .known = true, .over = true };
	assert_string_equal(lt_top_cell_text(&cell, LT_TOP_P99, buf), ">2.0s");
	cell.known = false;
	assert_string_equal(lt_top_cell_text(&cell, LT_TOP_P99, buf), "-");
}

static size_t characters(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void test_line(void **state)
{
	static char names[][64] = { "short", "a name that is longer than what a line has", "žluťoučký kůň úpěl" };
	char buf[1024];

	(void)state;
	for (unsigned int width = 20; width < 120; width++) {
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			struct lt_top_row row = { .label = names[i] };

			lt_top_line(&row, LT_BY_SITE, width, buf, sizeof(buf));
			assert_true(characters(buf) <= width);
		}
	}
}

static void test_search(void **state)
{
	static char names[][8] = { "alpha", "beta", "Alps" };
	static struct lt_top_row rows[] = {
		{ .key = 1, .label = names[0] }, { .key = 2, .label = names[1] }, { .key = 3, .label = names[2] },
	};
	struct lt_top_view v = { .rows = rows, .n = 3 };

	(void)state;
	assert_true(lt_top_view_search(&v, "al", 0));
	assert_int_equal(v.selected, 0);
	assert_true(lt_top_view_search(&v, "al", 1));
	assert_int_equal(v.selected, 2);
	assert_true(lt_top_view_search(&v, "al", 1));
	assert_int_equal(v.selected, 0);
	assert_true(lt_top_view_search(&v, "BET", -1));
	assert_int_equal(v.selected, 1);
	assert_false(lt_top_view_search(&v, "gamma", 1));
	assert_int_equal(v.selected, 1);
	lt_top_view_select(&v, 100);
	assert_int_equal(v.selected, 2);
	lt_top_view_select(&v, -100);
	assert_int_equal(v.selected, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_fit),
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_search),
	};

	return cmocka_run_group_tests_name("top", tests, NULL, NULL);
}

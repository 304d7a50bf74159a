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

#define MOST	32	/* columns */

/* The columns of names; NULL: those that people see. Return: their number. */
static size_t columns_of(enum lt_report_by by, const char *names, const struct lt_column **columns)
{
	struct lt_table t = { .format = LT_FORMAT_TEXT };

	lt_table_columns(&t, lt_top_kind(by), 0, names);
	assert_true(t.n_columns < MOST);
	memcpy(columns, t.owned, t.n_columns * sizeof(*columns));
	free(t.owned);
	return t.n_columns;
}

/* Whatever the width, cells and name fill the line and no more, and the first column stays. */
static void test_fit(void **state)
{
	const struct lt_column *columns[MOST];
	size_t n = columns_of(LT_BY_SITE, NULL, columns);
	unsigned int widths[MOST];

	(void)state;
	assert_string_equal(columns[0]->name, "alive_bytes");
	for (unsigned int width = 20; width <= 300; width++) {
		unsigned int sum = 0;

		lt_top_fit(columns, n, true, width, widths);
		assert_true(widths[0]);
		for (size_t i = 0; i < n; i++) {
			assert_true(!widths[i] || !lt_top_look(columns[i])->width ||
				    widths[i] == lt_top_look(columns[i])->width);
			sum += widths[i] ? widths[i] + 1 : 0;
		}
		assert_int_equal(sum, width + 1);
	}
}

/* Columns that somebody chose have room from the left on; texts share the rest. */
static void test_fit_chosen(void **state)
{
	const struct lt_column *columns[MOST];
	size_t n = columns_of(LT_BY_TASK, "comm,frees_per_s,alive_bytes,context,exact", columns);
	unsigned int widths[MOST];

	(void)state;
	assert_int_equal(n, 5);
	for (unsigned int width = 2; width <= 300; width++) {
		unsigned int sum = 0;

		lt_top_fit(columns, n, false, width, widths);
		for (size_t i = 0; i < n; i++)
			sum += widths[i] ? widths[i] + 1 : 0;
		assert_in_range(sum, width, width + 1);
		assert_true(widths[1] >= widths[2] && widths[2] >= widths[4]);
	}
	assert_int_equal(widths[1] + widths[2] + widths[4], 18);
}

static const char *cell_text(struct lt_top_cell cell, enum lt_top_form form)
{
	static char buf[LT_TOP_CELL];

	return lt_top_cell_text(&cell, form, buf);
}

static void test_cells(void **state)
{
	(void)state;
	assert_string_equal(cell_text((struct lt_top_cell){ LT_VALUE_BYTES, .v = 8448, .unsure = true },
				      LT_TOP_SHORT), "8.2K~");
	assert_string_equal(cell_text((struct lt_top_cell){ LT_VALUE_RATE, .v = -8448 }, LT_TOP_CHANGE),
			    "-8.2K");
	assert_string_equal(cell_text((struct lt_top_cell){ LT_VALUE_OVER_NS, .v = 2e9 }, LT_TOP_SHORT),
			    ">2.0s");
	assert_string_equal(cell_text((struct lt_top_cell){ LT_VALUE_COUNT, .v = 12345 }, LT_TOP_WHOLE),
			    "12345");
	assert_string_equal(cell_text((struct lt_top_cell){ LT_VALUE_NONE }, LT_TOP_SHORT), "-");
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
	const struct lt_column *columns[MOST];
	struct lt_top_view v = { .columns = columns };
	struct lt_top_cell cells[MOST] = { 0 };
	struct lt_top_row row = { .cells = cells };
	char buf[1024];

	(void)state;
	v.n_shown = columns_of(LT_BY_SITE, NULL, columns);
	for (unsigned int width = 20; width < 120; width++) {
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			cells[v.n_shown - 1].text = names[i];
			lt_top_line(&v, &row, width, buf, sizeof(buf));
			assert_true(characters(buf) <= width);
		}
	}
	/* A text that is not last is as wide as its column. */
	v.names = "name,alive";
	v.n_shown = columns_of(LT_BY_SITE, v.names, columns);
	cells[0].text = names[0];
	cells[1] = (struct lt_top_cell){ LT_VALUE_COUNT, .v = 7 };
	assert_string_equal(lt_top_line(&v, &row, 30, buf, sizeof(buf)), "short                        7");
	cells[0].text = names[1];
	assert_string_equal(lt_top_line(&v, &row, 30, buf, sizeof(buf)), "a name that is longer +      7");
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
		cmocka_unit_test(test_fit_chosen),
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_search),
	};

	return cmocka_run_group_tests_name("top", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/* Rows in the order of a column. */
#include <string.h>

#include "forms/columns.h"
#include "forms/sort.h"
#include "testlib.h"

struct row {
	const char *name;	/* NULL: not known */
	uint64_t n;
};

/* As a column does whose text is made for the row: the next call overwrites it. */
static void get_name(const void *row, void *ctx, struct lt_value *v)
{
	const struct row *r = row;
	char *buf = ctx;

	if (!r->name)
		return;
	strcpy(buf, r->name);
	lt_value_text(v, buf, strlen(buf));
}

static void get_n(const void *row, void *ctx, struct lt_value *v)
{
	const struct row *r = row;

	(void)ctx;
	lt_value_u(v, LT_VALUE_NS, r->n);
}

static const struct lt_column columns[] = {
	{ .name = "name", .header = "", .left = true, .get = get_name },
	{ .name = "life_ns", .header = "how long", .get = get_n },
};
static const struct lt_row_kind kind = { .name = "row", .columns = columns, .n = 2 };

static void assert_order(const struct lt_column *by, const char *expected)
{
	static const struct row all[] = {
		{ "c", 1 }, { "ab", 3 }, { NULL, 2 }, { "a", 3 }, { "c", 7 },
	};
	const void *rows[] = { &all[0], &all[1], &all[2], &all[3], &all[4] };
	char buf[16], got[6] = "";

	lt_sort_rows(rows, 5, by, buf);
	for (size_t i = 0; i < 5; i++)
		got[i] = (char)('0' + ((const struct row *)rows[i] - all));
	assert_string_equal(got, expected);
}

static void test_order(void **state)
{
	(void)state;
	/* From A to Z, what is not known last; those that are equal stay as they were. */
	assert_order(&columns[0], "31042");
	assert_order(&columns[1], "41320");
}

/* The order of rows would say what is secret. */
static void test_secret(void **state)
{
	static const struct lt_column secret = {
		.name = "address", .header = "", .marks = LT_COLUMN_SECRET, .get = get_n,
	};
	static const struct row all[] = { { "a", 1 }, { "b", 3 } };
	struct lt_row_ctx ctx = { .addresses = false };
	const void *rows[] = { &all[0], &all[1] };

	(void)state;
	lt_sort_rows(rows, 2, &secret, &ctx);
	assert_ptr_equal(rows[0], &all[0]);
	ctx.addresses = true;
	lt_sort_rows(rows, 2, &secret, &ctx);
	assert_ptr_equal(rows[0], &all[1]);
}

static void test_column(void **state)
{
	(void)state;
	assert_ptr_equal(lt_columns_sort(&kind, "life_ns"), &columns[1]);
	assert_ptr_equal(lt_columns_sort(&kind, "life"), &columns[1]);
	test_stderr_begin();
	assert_null(lt_columns_sort(&kind, "nam"));
	assert_non_null(strstr(test_stderr_end(), "there is no column 'nam'; did you mean 'name'?"));
	assert_null(lt_columns_find(&kind, 0, "life_"));
	assert_ptr_equal(lt_columns_find(&kind, 0, "how long"), &columns[1]);
	/* The header of the first one is empty. */
	assert_null(lt_columns_find(&kind, 0, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order), cmocka_unit_test(test_secret),
		cmocka_unit_test(test_column),
	};

	return cmocka_run_group_tests_name("sort", tests, NULL, NULL);
}

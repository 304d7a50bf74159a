// SPDX-License-Identifier: GPL-2.0
#include "base/library.h"
#include "testlib.h"

static struct {
	double (*floor)(double x);
	double (*ceil)(double x);
} functions;

static bool load(const char *file, const char *second, const char *version, struct lt_why *why)
{
	const char *const names[] = { "floor", second };
	const struct lt_library l = {
		.file = file, .package = "pack", .version = version, .names = names, .n = 2,
	};

	memset(&functions, 0, sizeof(functions));
	return lt_library_load(&l, &functions, why);
}

static void test_loads(void **state)
{
	struct lt_why why;

	(void)state;
	assert_true(load("libm.so.6", "ceil", NULL, &why));
	assert_true(functions.floor(1.5) == 1 && functions.ceil(1.5) == 2);
}

static void test_says_why(void **state)
{
	struct lt_why why;

	(void)state;
	assert_false(load("libnone.so.9", "ceil", NULL, &why));
	assert_string_equal(why.text, "libnone.so.9 cannot be loaded (Debian: apt install pack)");
	assert_false(load("libm.so.6", "no_such", NULL, &why));
	assert_string_equal(why.text, "libm.so.6 has no function no_such");
	assert_null(functions.floor);
	assert_false(load("libm.so.6", "no_such", "7.1", &why));
	assert_string_equal(why.text, "libm.so.6 has no function no_such: version 7.1 or later is needed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loads),
		cmocka_unit_test(test_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

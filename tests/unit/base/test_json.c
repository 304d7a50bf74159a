// SPDX-License-Identifier: GPL-2.0
/*
 * The writer of JSON: the bytes that it writes, which no parser of JSON may refuse.
 */
#include <math.h>

#include "base/json.h"
#include "testlib.h"

static struct lt_out out = LT_OUT_INIT(-1);
static struct lt_json j = LT_JSON_INIT(&out);

static void expect(const char *text)
{
	lt_out_char(&out, 0);
	assert_string_equal(out.buf, text);
	assert_int_equal(j.depth, 0);
	free(out.buf);
	out = (struct lt_out)LT_OUT_INIT(-1);
}

static void test_values(void **state)
{
	(void)state;
	lt_json_object(&j, NULL);
	lt_json_u64(&j, "u", UINT64_MAX);
	lt_json_s64(&j, "s", INT64_MIN);
	lt_json_hex(&j, "h", UINT64_MAX);
	lt_json_str(&j, "t", "a\"b\n\xff");
	lt_json_str(&j, "n", NULL);
	lt_json_word(&j, "w", "slab");
	lt_json_text(&j, "c", "cut off", 3);
	lt_json_bool(&j, "yes", true);
	lt_json_bool(&j, "no", false);
	lt_json_null(&j, "null");
	lt_json_fixed(&j, "d", 2.5, 3);
	lt_json_fixed(&j, "r", 2.5, 0);
	lt_out_str(lt_json_value(&j, "own"), "1e3");
	lt_json_end(&j);
	expect("{\"u\":18446744073709551615,\"s\":-9223372036854775808,\"h\":\"0xffffffffffffffff\","
	       "\"t\":\"a\\\"b\\u000a\\\\xff\",\"n\":null,\"w\":\"slab\",\"c\":\"cut\",\"yes\":true,\"no\":false,"
	       "\"null\":null,\"d\":2.500,\"r\":2,\"own\":1e3}");
}

/* JSON has no such numbers. */
static void test_no_number(void **state)
{
	(void)state;
	lt_json_array(&j, NULL);
	lt_json_fixed(&j, NULL, INFINITY, 1);
	lt_json_fixed(&j, NULL, -INFINITY, 1);
	lt_json_fixed(&j, NULL, NAN, 1);
	lt_json_u64_if(&j, NULL, false, 1);
	lt_json_u64_if(&j, NULL, true, 1);
	lt_json_s64_if(&j, NULL, false, -1);
	lt_json_s64_if(&j, NULL, true, -1);
	lt_json_end(&j);
	expect("[null,null,null,null,1,null,-1]");
}

/* A comma stands between two values and nowhere else, at every level. */
static void test_commas(void **state)
{
	(void)state;
	lt_json_object(&j, NULL);
	lt_json_array(&j, "none");
	lt_json_end(&j);
	lt_json_object(&j, "empty");
	lt_json_end(&j);
	lt_json_array(&j, "some");
	lt_json_u64(&j, NULL, 1);
	lt_json_array(&j, NULL);
	lt_json_array(&j, NULL);
	lt_json_end(&j);
	lt_json_u64(&j, NULL, 2);
	lt_json_end(&j);
	lt_json_u64(&j, NULL, 3);
	lt_json_end(&j);
	lt_json_u64(&j, "last", 4);
	lt_json_end(&j);
	expect("{\"none\":[],\"empty\":{},\"some\":[1,[[],2],3],\"last\":4}");
}

/* Names that no program chose, and names that the caller has put out. */
static void test_names(void **state)
{
	(void)state;
	lt_json_object(&j, NULL);
	lt_json_name(&j, "a\"b\\", 4);
	lt_json_u64(&j, NULL, 1);
	lt_json_name(&j, "", 0);
	lt_json_object(&j, NULL);
	lt_json_end(&j);
	lt_out_str(&out, LT_JSON_KEY_BEGIN "made" LT_JSON_KEY_END);
	lt_json_named(&j);
	lt_json_u64(&j, NULL, 2);
	lt_json_u64(&j, "c", 3);
	lt_json_end(&j);
	expect("{\"a\\\"b\\\\\\\\\":1,\"\":{},\"made\":2,\"c\":3}");
}

/* Rows on lines of their own, and objects each on a line. */
static void test_lines(void **state)
{
	(void)state;
	lt_json_object(&j, NULL);
	lt_json_array(&j, "rows");
	for (unsigned int i = 0; i < 2; i++) {
		lt_json_break(&j);
		lt_json_object(&j, NULL);
		lt_json_u64(&j, "i", i);
		lt_json_end(&j);
	}
	lt_json_line(&j);
	lt_json_object(&j, NULL);
	lt_json_array(&j, "rows");
	lt_json_line(&j);
	expect("{\"rows\":[\n{\"i\":0},\n{\"i\":1}]}\n{\"rows\":[]}\n");
}

static void test_deep(void **state)
{
	char text[2 * LT_JSON_LEVELS + 1];

	(void)state;
	for (unsigned int i = 0; i < LT_JSON_LEVELS; i++) {
		lt_json_array(&j, NULL);
		text[i] = '[';
		text[LT_JSON_LEVELS + i] = ']';
	}
	for (unsigned int i = 0; i < LT_JSON_LEVELS; i++)
		lt_json_end(&j);
	text[sizeof(text) - 1] = 0;
	expect(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_no_number),
		cmocka_unit_test(test_commas),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

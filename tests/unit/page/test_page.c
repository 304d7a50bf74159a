// SPDX-License-Identifier: GPL-2.0
/*
 * Texts and data of the page: nothing of a trace becomes markup.
 */
#include <stdlib.h>
#include <string.h>

#include "page/internal.h"
#include "testlib.h"

static void expect(struct lt_out *o, const char *text)
{
	assert_int_equal(o->used, strlen(text));
	assert_memory_equal(o->buf, text, o->used);
	o->used = 0;
}

static void test_text(void **state)
{
	struct lt_out o = LT_OUT_INIT(-1);

	(void)state;
	lt_html_str(&o, "<script>alert(1)</script>");
	expect(&o, "&lt;script&gt;alert(1)&lt;/script&gt;");
	lt_html_str(&o, "\" onload=\"x\"&amp;");
	expect(&o, "&quot; onload=&quot;x&quot;&amp;amp;");
	lt_html_text(&o, "a\0b\n\377\xc3\xa4\xc3", 8);
	expect(&o, "a\\x00b\\x0a\\xff\xc3\xa4\\xc3");
	lt_html_text(&o, "", 0);
	assert_int_equal(o.used, 0);
	free(o.buf);
}

static void test_values(void **state)
{
	struct lt_value v = { .type = LT_VALUE_NONE };
	struct lt_out o = LT_OUT_INIT(-1);

	(void)state;
	lt_html_value(&o, &v);
	assert_int_equal(o.used, 0);
	lt_value_text(&v, "<i>", 3);
	lt_html_value(&o, &v);
	expect(&o, "&lt;i&gt;");
	lt_value_u(&v, LT_VALUE_BYTES, 2048);
	lt_html_value(&o, &v);
	expect(&o, "2.0 KiB");
	lt_value_u(&v, LT_VALUE_OVER_NS, 5);
	lt_html_value(&o, &v);
	expect(&o, "not reached");
	free(o.buf);
}

static void test_data(void **state)
{
	static const char json[] = "{\"a\":\"</script><!--<script>\\u003c\"}";
	struct lt_out o = LT_OUT_INIT(-1);
	FILE *data = tmpfile();

	(void)state;
	assert_non_null(data);
	fputs(json, data);
	assert_int_equal(lt_html_data(&o, data), 0);
	expect(&o, "{\"a\":\"\\u003c/script>\\u003c!--\\u003cscript>\\u003c\"}");
	fclose(data);
	free(o.buf);
}

static void test_tasks(void **state)
{
	struct lt_page_task row = {
		.depth = 2, .tid = 7, .name = "<script>alert(1", .len = 15, .own = { 1, 8, 0, 0 },
		.sum = { 3, 2048, 1, 8 }, .count = 1,
	};
	struct lt_page_tasks t = {
		.rows = &row, .n = 1, .total = 5, .processes = 8, .idle = 3, .rest = { 9, 72, 0, 0 },
	};
	struct lt_out o = LT_OUT_INIT(-1);

	(void)state;
	lt_page_tasks_html(&o, &t);
	lt_out_char(&o, 0);
	assert_null(strstr(o.buf, "<script"));
	assert_non_null(strstr(o.buf, "the 1 of 5 rows whose trees"));
	assert_non_null(strstr(o.buf, "3 of 8 processes allocated nothing"));
	assert_non_null(strstr(o.buf, "&lt;script&gt;alert(1 [7]</td><td>3</td><td>2.0 KiB</td>"));
	assert_non_null(strstr(o.buf, "without a row)</td><td>9</td>"));
	assert_null(strstr(o.buf, "interrupts"));
	o.used = 0;
	t.rows[0].count = 1234;
	lt_page_tasks_html(&o, &t);
	lt_out_char(&o, 0);
	assert_non_null(strstr(o.buf, "alert(1 \xc3\x97 1,234</td><td>3</td>"));
	o.used = 0;
	t.processes = 0;
	lt_page_tasks_html(&o, &t);
	expect(&o, "<p>The trace was recorded without tasks.</p>\n");
	free(o.buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text), cmocka_unit_test(test_values),
		cmocka_unit_test(test_data), cmocka_unit_test(test_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

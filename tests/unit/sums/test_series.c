// SPDX-License-Identifier: GPL-2.0
/*
 * Series: what is alive at the end of each part of the time, the most in it, and its plot.
 */
#include "base/log.h"
#include "print/plot.h"
#include "sums/series.h"
#include "reporttest.h"

/*
 * From 1000 to 9000 ns, in four parts of 2000: 128 bytes are born at once; 64 in the first part,
 * freed in it; 64 in the third part, which stay.
 */
static struct lt_series *usual_series(void)
{
	struct tg *g = new_trace();
	struct lt_series *s;

	born(g, 1000, 1, A, 128);
	born(g, 1500, 2, B, 64);
	freed(g, 1600, 2);
	born(g, 6000, 3, B, 64);
	tg_finish(g, 9000);
	assert_int_equal(tg_write(g, test_path("series.lt"), 0), 0);
	tg_free(g);
	s = lt_series_make(test_path("series.lt"), &usual, 4);
	assert_non_null(s);
	return s;
}

static void expect(const uint64_t *values, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	assert_int_equal(values[0], a);
	assert_int_equal(values[1], b);
	assert_int_equal(values[2], c);
	assert_int_equal(values[3], d);
}

static void test_series(void **state)
{
	struct lt_series *s = usual_series();

	(void)state;
	assert_int_equal(s->begin, 1000);
	assert_int_equal(s->length, 8000);
	assert_int_equal(lt_series_time(s, 0), 3000);
	assert_int_equal(lt_series_time(s, 3), 9000);
	assert_int_equal(s->n_lines, 2);
	assert_int_equal(s->all.peak, 192);
	expect(s->all.bytes, 128, 128, 192, 192);
	expect(s->all.max_bytes, 192, 128, 192, 192);
	expect(s->all.objects, 1, 1, 2, 2);
	/* The greatest peak comes first. */
	assert_int_equal(s->lines[0].peak, 128);
	expect(s->lines[0].bytes, 128, 128, 128, 128);
	assert_int_equal(s->lines[1].peak, 64);
	expect(s->lines[1].bytes, 0, 0, 64, 64);
	expect(s->lines[1].max_bytes, 64, 0, 64, 64);
	lt_series_free(s);
}

static char *printed(const struct lt_series *s, struct lt_plot_view *view, int wanted)
{
	struct lt_out out = LT_OUT_INIT(-1);

	view->out = &out;
	assert_int_equal(lt_times_init(&view->times, LT_TIMES_BEGIN, s->profile->trace), 0);
	assert_int_equal(lt_plot_print(s, view), wanted);
	lt_out_char(&out, 0);
	view->out = NULL;
	return out.buf;
}

static void test_plot(void **state)
{
	static const char *const one[] = { "kmalloc-64" }, *const none[] = { "kmalloc-65" };
	struct lt_plot_view view = { .height = 2, .top = 5 };
	struct lt_series *s = usual_series();
	char *text;

	(void)state;
	text = printed(s, &view, 0);
	assert_string_equal(text, "all: at most 192 B, at the end 192 B in 2 objects\n"
				  "    192 B |#:##\n"
				  "        0 |####\n"
				  "           ----\n"
				  "           900 ns 8.9 us\n"
				  "    128 B  ####  kmalloc-128\n"
				  "     64 B  # ##  kmalloc-64\n");
	free(text);
	view.utf8 = true;
	view.caches = one;
	view.n_caches = 1;
	text = printed(s, &view, 0);
	assert_string_equal(text, "kmalloc-64: at most 64 B, at the end 64 B in 1 objects\n"
				  "     64 B │█ ██\n"
				  "        0 │█ ██\n"
				  "           ────\n"
				  "           900 ns 8.9 us\n");
	free(text);
	view.format = LT_FORMAT_CSV;
	text = printed(s, &view, 0);
	assert_string_equal(text, "cache,time_ns,alive,alive_bytes,max_bytes\nkmalloc-64,2900,0,0,64\n"
				  "kmalloc-64,4900,0,0,0\nkmalloc-64,6900,1,64,64\nkmalloc-64,8900,1,64,64\n");
	free(text);
	view.caches = none;
	lt_set_log(NULL, NULL);
	text = printed(s, &view, -1);
	assert_string_equal(text, "");
	free(text);
	lt_series_free(s);
}

/* A trace without an allocation is flat. */
static void test_empty(void **state)
{
	struct lt_plot_view view = { .height = 1, .top = 5 };
	struct tg *g = new_trace();
	struct lt_series *s;
	char *text;

	(void)state;
	freed(g, 1600, 2);
	tg_finish(g, 9000);
	assert_int_equal(tg_write(g, test_path("empty.lt"), 0), 0);
	tg_free(g);
	s = lt_series_make(test_path("empty.lt"), &usual, 3);
	assert_non_null(s);
	assert_int_equal(s->n_lines, 0);
	assert_int_equal(s->all.peak, 0);
	text = printed(s, &view, 0);
	assert_non_null(strstr(text, "      0 B |   \n"));
	free(text);
	lt_series_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_series),
		cmocka_unit_test(test_plot),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests_name("series", tests, NULL, NULL);
}

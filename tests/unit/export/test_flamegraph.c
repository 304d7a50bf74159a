// SPDX-License-Identifier: GPL-2.0
/*
 * Flame graphs: what is too small to be drawn, an empty one, and names that XML cannot have.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/cmd.h"
#include "export/export.h"
#include "out/log.h"
#include "reporttest.h"

#define TEXT_SIZE	(1U << 20)

static const struct lt_export_options by_task = {
	.profile = { .report = { .short_ns = 1000000, .within = 16, .long_ns = 1000000000 },
		     .levels = { LT_LEVEL_TASK, LT_LEVEL_SITE }, .n_levels = 2 },
	.metric = LT_METRIC_CHURN,
};

/* The text of the export of a trace, to be freed. */
static char *export_of(struct tg *g)
{
	char *text = lt_alloc(TEXT_SIZE), svg[256];
	size_t n;
	FILE *f;

	snprintf(svg, sizeof(svg), "%s", test_path("f.svg"));
	assert_int_equal(tg_write(g, test_path("f.lt"), 0), 0);
	tg_free(g);
	assert_int_equal(lt_export_run(&lt_export_flamegraph, test_path("f.lt"), svg, &by_task),
			 LT_EXIT_OK);
	f = fopen(svg, "r");
	assert_non_null(f);
	n = fread(text, 1, TEXT_SIZE - 1, f);
	fclose(f);
	text[n] = 0;
	return text;
}

static unsigned int count(const char *text, const char *part)
{
	unsigned int n = 0;

	for (text = strstr(text, part); text; text = strstr(text + 1, part))
		n++;
	return n;
}

static void test_small(void **state)
{
	struct tg *g = new_trace();
	char *text;

	(void)state;
	tg_auto_task(g, true);
	for (unsigned int i = 0; i < 50000; i++) {
		born(g, 1000 + 10 * i, 0, i % 2 ? A : B + i, 64);
		freed(g, 1005 + 10 * i, 0);
	}
	tg_finish(g, 1000000);
	text = export_of(g);
	assert_int_equal(count(text, "<g class=\"n\""), 3);	/* all, cat, A */
	assert_int_equal(count(text, "data-v=\"50000\""), 2);
	assert_int_equal(count(text, "data-v=\"25000\""), 1);
	assert_int_equal(count(text, "25000 frames of less than 4 allocations are not drawn"), 2);
	free(text);
}

static void test_empty(void **state)
{
	struct tg *g = new_trace();
	char *text;

	(void)state;
	tg_finish(g, 1000);
	text = export_of(g);
	assert_int_equal(count(text, "<g class=\"n\" data-v=\"0\">"), 1);
	assert_int_equal(count(text, "<g class"), 1);
	free(text);
}

static void test_names(void **state)
{
	struct tg *g = new_trace();
	char *text;

	(void)state;
	TG_TASK(g, 0, 200, .tid = 17, .tgid = 17, .start = 50,
		.comm = "<&>\xef\xbf\xbf\xef\xbf\xbd'\"");
	born(g, 1000, 0, A, 64);
	tg_finish(g, 2000);
	text = export_of(g);
	assert_int_equal(count(text, "task &lt;&amp;&gt;\xef\xbf\xbd\xef\xbf\xbd'\"\n"), 1);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * DHAT: units of time that JavaScript can hold the sums of, and the age of what is alive.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "export/export.h"
#include "out/log.h"
#include "reporttest.h"

#define DAY	(86400ULL * 1000000000)

static const struct lt_export_options by_site = {
	.profile = { .report = { .short_ns = 2000000, .within = 16, .long_ns = 1000000000 },
		     .levels = { LT_LEVEL_SITE }, .n_levels = 1 },
};

/* The text of the export of a trace. */
static const char *export_of(struct tg *g)
{
	static char text[8192];
	char json[256];
	size_t n;
	FILE *f;

	snprintf(json, sizeof(json), "%s", test_path("d.json"));
	assert_int_equal(tg_write(g, test_path("d.lt"), 0), 0);
	tg_free(g);
	assert_int_equal(lt_export_run(&lt_export_dhat, test_path("d.lt"), json, &by_site), LT_EXIT_OK);
	f = fopen(json, "r");
	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	return text;
}

static void expect(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("there is no %s in %s", part, text);
}

static void test_units(void **state)
{
	static const struct { uint64_t days; const char *units, *sum, *short_; } rows[] = {
		{ 104, "\"tu\":\"ns\",\n\"Mtu\":\"ms\"", "\"tl\":8985600000000000,", "\"tuth\":2000000," },
		{ 105, "\"tu\":\"us\",\n\"Mtu\":\"s\"", "\"tl\":9072000000000,", "\"tuth\":2000," },
		{ 110000, "\"tu\":\"ms\",\n\"Mtu\":\"1000 s\"", "\"tl\":9504000000000,", "\"tuth\":2," },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tg *g = new_trace();
		const char *text;

		born(g, 1000, 0, A, 100);
		freed(g, 1000 + rows[i].days * DAY, 0);
		tg_finish(g, 1000 + rows[i].days * DAY);
		text = export_of(g);
		expect(text, rows[i].units);
		expect(text, rows[i].sum);
		expect(text, rows[i].short_);
	}
}

/* What is alive at the end adds its age. */
static void test_ages(void **state)
{
	struct tg *g = new_trace();
	const char *text;

	(void)state;
	born(g, 1000, 0, A, 100);
	born(g, 1100, 1, A, 60);
	freed(g, 1300, 0);
	tg_finish(g, 5000);
	text = export_of(g);
	expect(text, "\"te\":4000,\"tg\":100,");
	expect(text, "{\"tb\":160,\"tbk\":2,\"tl\":4200,\"mb\":160,\"mbk\":2,\"gb\":160,\"gbk\":2,"
		     "\"eb\":60,\"ebk\":1,\"fs\":[1]}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_ages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

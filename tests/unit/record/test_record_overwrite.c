// SPDX-License-Identifier: GPL-2.0
/*
 * Recording with --overwrite, from a directory that looks like the module's: the parameters, the
 * text CACHES, and the stop by a trigger.
 */
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "base/text.h"
#include "recordtest.h"

/* As make_module(), of a session that is overwritten. */
static void make_flight(const char *control)
{
	struct tg *g = tg_new(&(struct tg_options){ .subbuf_size = 4096, .flight = true });

	make_module(control, "");
	put_text("info", tg_info_text(g));
	put_text("caches", "cache 5 ptr 0x10 object_size 1 size 2 gone 0 name five\n");
	put_text("parameters/mode", "stream\n");
	put_text("parameters/freeze", "N\n");
	tg_free(g);
}

/* Where one was started at load, its own mode counts. */
static void test_taken_over(void **state)
{
	char path[400];
	struct lt_record_options o = { .duration_ns = 200000000, .output = path,
				       .coverage = true };
	struct lt_trace *t;
	const char *said;

	(void)state;
	make_flight(RECORDING);
	snprintf(path, sizeof(path), "%s", test_path("o.lt"));
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_non_null(strstr(said, "overwritten: 0 packets"));
	check_file(path, EVENTS);
	t = lt_trace_open(path);
	assert_true(lt_trace_overwrites(t));
	assert_non_null(lt_trace_cache(t, 5));
	assert_string_equal(lt_trace_cache(t, 5)->name, "five");
	/* The counters of slab caches are of another time than the events. */
	assert_null(lt_trace_text(t, LT_BLOCK_SLAB, 0));
	lt_trace_close(t);
}

static void test_freeze(void **state)
{
	struct lt_record_options o = { .overwrite = true, .freeze = true };
	const char *said;

	(void)state;
	make_flight("idle\n");
	put_text("stats", "state recording\nfrozen 1\nstopped 4000\n");
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_non_null(strstr(said, "a trigger came"));
	/* They were set, and are what they were. */
	assert_true(begins("parameters/mode", "stream"));
	assert_true(begins("parameters/freeze", "N"));
}

/* In another mode no file "caches" is asked for, which an older module does not have. */
static void test_stream(void **state)
{
	struct lt_record_options o = { .duration_ns = 1000000 };
	const char *said;

	(void)state;
	make_module("idle\n", "");
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_null(strstr(said, "overwritten"));
	assert_null(strstr(said, "caches"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken_over), cmocka_unit_test(test_freeze),
		cmocka_unit_test(test_stream),
	};

	return cmocka_run_group_tests_name("record_overwrite", tests, NULL, NULL);
}

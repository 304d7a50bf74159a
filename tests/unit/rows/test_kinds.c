// SPDX-License-Identifier: GPL-2.0
/*
 * What the list of kinds of rows says of each.
 */
#include "rows/kinds.h"
#include "testlib.h"
#include "tracegen.h"

/*
 * The names of the kinds that are made of one channel, and of which a trace with these channels can
 * have rows. Of kinds that are made of something else every trace can.
 */
static const char *possible(const char *channels)
{
	const struct tg_options o = { .kmem_only = true, .info = channels };
	struct tg *g = tg_new(&o);
	const char *path = test_path("kinds.lt");
	static char names[128];
	struct lt_trace *t;

	tg_kfree(g, 0, 1000, 0xffff888000001000, 0xffffffff81000200);
	tg_finish(g, 3000);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	t = lt_trace_open(path);
	assert_non_null(t);
	*names = 0;
	for (size_t i = 0; i < LT_N_ROW_KINDS; i++) {
		if (!lt_row_kinds[i].channel)
			assert_true(lt_row_kind_recorded(&lt_row_kinds[i], t));
		if (!lt_row_kinds[i].channel || !lt_row_kind_recorded(&lt_row_kinds[i], t))
			continue;
		strcat(names, lt_row_kinds[i].kind->name);
		strcat(names, " ");
	}
	lt_trace_close(t);
	return names;
}

/* Kinds that are made of events of one channel need it, and no others. */
static void test_needs(void **state)
{
	(void)state;
	assert_string_equal(possible("channels=kmem\n"), "");
	assert_string_equal(possible("channels=kmem,syscall\n"), "syscall request ");
	assert_string_equal(possible("channels=kmem,pid,call\n"), "call ");
}

/* A message says why there are no rows of such a kind. */
static void test_absent(void **state)
{
	(void)state;
	for (size_t i = 0; i < LT_N_ROW_KINDS; i++)
		assert_int_equal(!lt_row_kinds[i].channel, !lt_row_kinds[i].absent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_needs),
		cmocka_unit_test(test_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

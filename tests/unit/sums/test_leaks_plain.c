// SPDX-License-Identifier: GPL-2.0
/*
 * Leaks and advice of what leaves no doubt: they are the same as those for which each event is
 * taken with care.
 */
#include "plaintest.h"
#include "sums/advice.h"

static const uint64_t ages[] = { 0, 2000, 3000000 };

static void check_row(const char *path, const struct lt_leak_row *a, const struct lt_leak_row *b)
{
	SAME(site);
	SAME(cache);
	SAME(births);
	SAME(live);
	SAME(live_bytes);
	SAME(old);
	SAME(old_bytes);
	SAME(maybe);
	SAME(maybe_bytes);
	SAME(late);
	SAME(gone);
	SAME(gone_bytes);
	SAME(sure_old);
	SAME(sure_maybe);
	SAME(sure_late);
	SAME(doubt);
	assert_memory_equal(a->born, b->born, sizeof(a->born));
	assert_memory_equal(a->entered, b->entered, sizeof(a->entered));
	assert_memory_equal(a->left, b->left, sizeof(a->left));
	assert_memory_equal(&a->growth, &b->growth, sizeof(a->growth));
	assert_memory_equal(&a->steady, &b->steady, sizeof(a->steady));
	check_hist("an age", path, &a->ages, &b->ages);
}

static void check_leaks(const char *path, const struct lt_leaks *a, const struct lt_leaks *b)
{
	check_number("rows", path, a->n_rows, b->n_rows);
	for (size_t i = 0; i < a->n_rows; i++)
		check_row(path, &a->rows[i], &b->rows[i]);
	check_number("age", path, a->opts.older_ns, b->opts.older_ns);
	SAME(n_sure);
	SAME(n_modules);
	SAME(window);
	SAME(watched_ns);
	SAME(own_births);
	assert_memory_equal(&a->stats, &b->stats, sizeof(a->stats));
}

/* Sums of fractions are added up in one order, so that they are equal, too. */
static void check_site(const char *path, const struct lt_advice_site *a, const struct lt_advice_site *b)
{
	SAME(site);
	SAME(cache);
	SAME(of_files);
	SAME(births);
	SAME(bytes);
	SAME(slack);
	SAME(largest);
	SAME(frees);
	SAME(at_once);
	SAME(same_function);
	SAME(at_once_ns);
	SAME(other_cpu);
	SAME(rcu);
	SAME(rcu_ns);
	SAME(live);
	SAME(live_bytes);
	SAME(orphans);
	SAME(orphan_bytes);
	assert_memory_equal(&a->rcu_byte_ns, &b->rcu_byte_ns, sizeof(a->rcu_byte_ns));
	assert_memory_equal(&a->byte_ns, &b->byte_ns, sizeof(a->byte_ns));
	assert_memory_equal(&a->slack_ns, &b->slack_ns, sizeof(a->slack_ns));
}

static void check_advice(const char *path, const struct lt_advisor *a, const struct lt_advisor *b)
{
	check_number("sites", path, a->n_sites, b->n_sites);
	for (size_t i = 0; i < a->n_sites; i++)
		check_site(path, &a->sites[i], &b->sites[i]);
	check_site(path, &a->all, &b->all);
	check_number("pieces of advice", path, a->n_rows, b->n_rows);
	for (size_t i = 0; i < a->n_rows; i++) {
		check_number("kind", path, a->rows[i].kind, b->rows[i].kind);
		check_number("objects", path, a->rows[i].objects, b->rows[i].objects);
	}
	check_leaks(path, a->leaks, b->leaks);
	SAME(length);
	SAME(uncertain);
}

static void check_with(const char *path, const struct lt_leak_options *opts)
{
	struct lt_advisor *advice[2];
	struct lt_leaks *leaks[2];
	struct lt_trace *traces[4];

	test_stderr_begin();
	for (int i = 0; i < 2; i++) {
		careful = i;
		traces[i] = lt_trace_open(path);
		leaks[i] = lt_leaks_make(traces[i], opts);
		traces[i + 2] = lt_trace_open(path);
		advice[i] = lt_advisor_make(traces[i + 2], opts);
	}
	test_stderr_end();
	check_leaks(path, leaks[0], leaks[1]);
	check_advice(path, advice[0], advice[1]);
	for (int i = 0; i < 2; i++) {
		lt_leaks_free(leaks[i]);
		lt_advisor_free(advice[i]);
	}
	for (int i = 0; i < 4; i++)
		lt_trace_close(traces[i]);
}

static void check_file(const char *name)
{
	char path[512];

	/* Another path may be asked for meanwhile. */
	snprintf(path, sizeof(path), "%s", name);
	for (size_t i = 0; i < sizeof(ages) / sizeof(ages[0]); i++) {
		struct lt_leak_options opts = { .older_ns = ages[i], .no_recorder = i % 2 };

		check_with(path, &opts);
		opts.space = LT_SPACE_PAGE;
		check_with(path, &opts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLAIN_TESTS,
	};

	return cmocka_run_group_tests_name("leaks_plain", tests, NULL, NULL);
}

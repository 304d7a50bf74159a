// SPDX-License-Identifier: GPL-2.0
/*
 * What performance counters have of tasks.
 */
#include "tasks/counters.h"
#include "taskproof.h"

#define COUNTER(p, time, t, n, v, ...)	\
	ev((p)->tb, COUNTER, time, .tid = t, .start = 100, .counter = n, .value = v, __VA_ARGS__)

static const struct lt_task_counts *of(const struct proof *p, uint32_t tid, uint64_t start)
{
	return lt_tasks_counts(p->tb, lt_tasks_get(p->tb, lt_tasks_find(p->tb, tid, start)));
}

/* Behind the exit, and by identity: another task may have the number by then. */
static void test_values(void **state)
{
	const struct lt_task_counts *c;
	struct proof p;

	(void)state;
	begin(&p, NULL);
	born(p.tb, 100, 200, 100, 4);
	assert_null(of(&p, 200, 100));
	died(p.tb, 150, 200, 100);
	born(p.tb, 160, 200, 100, 4);
	COUNTER(&p, 170, 200, LT_COUNTER_CYCLES, 5000, .enabled = 10, .running = 10);
	COUNTER(&p, 170, 200, LT_COUNTER_BRANCHES, 300, .enabled = 10, .running = 4, .user = 1);
	/* It was never on a CPU while it was to be counted. */
	COUNTER(&p, 170, 200, LT_COUNTER_INSTRUCTIONS, 0, .enabled = 10, .running = 0);
	/* A counter of a later version, and of a task that is not known. */
	COUNTER(&p, 170, 200, LT_N_COUNTERS, 7, .enabled = 10, .running = 10);
	COUNTER(&p, 170, 201, LT_COUNTER_CYCLES, 7, .enabled = 10, .running = 10);
	/* More than there are numbers, if it is scaled. */
	COUNTER(&p, 170, 200, LT_COUNTER_PAGE_FAULTS, UINT64_MAX, .enabled = 10, .running = 4);
	c = of(&p, 200, 100);
	assert_non_null(c);
	assert_true(lt_task_count(c, LT_COUNTER_PAGE_FAULTS) == UINT64_MAX);
	assert_true(lt_task_counted(c, LT_COUNTER_CYCLES));
	assert_true(lt_task_counted(c, LT_COUNTER_BRANCHES));
	assert_false(lt_task_counted(c, LT_COUNTER_INSTRUCTIONS));
	assert_int_equal(lt_task_count(c, LT_COUNTER_CYCLES), 5000);
	assert_int_equal(lt_task_count(c, LT_COUNTER_BRANCHES), 750);
	assert_int_equal(c->user, 1U << LT_COUNTER_BRANCHES);
	assert_true(lt_task_counted_percent(c) == 40);
	assert_null(of(&p, 200, 160));
	finish(&p, 1000);
	end(&p);
}

static bool none_is_used(const void *arg, uint32_t tid, uint64_t start)
{
	(void)arg;
	(void)tid;
	(void)start;
	return false;
}

/* They stay with their task, which gets another place. */
static void test_forget(void **state)
{
	const struct lt_task_use use = { .before = 200, .is_used = none_is_used };
	struct proof p;

	(void)state;
	begin(&p, NULL);
	born(p.tb, 100, 200, 100, 4);
	died(p.tb, 110, 200, 100);
	COUNTER(&p, 111, 200, LT_COUNTER_CYCLES, 1, .enabled = 1, .running = 1);
	born(p.tb, 100, 300, 100, 4);
	died(p.tb, 310, 300, 100);
	COUNTER(&p, 311, 300, LT_COUNTER_CYCLES, 2, .enabled = 1, .running = 1);
	lt_tasks_forget(p.tb, &use);
	assert_int_equal(lt_tasks_find(p.tb, 200, 100), 0);
	assert_int_equal(lt_task_count(of(&p, 300, 100), LT_COUNTER_CYCLES), 2);
	finish(&p, 1000);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values), cmocka_unit_test(test_forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

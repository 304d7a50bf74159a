// SPDX-License-Identifier: GPL-2.0
/*
 * Births and ends that are not in the trace: their times, and how certain they are.
 */
#include "tasktest.h"

#define TOTALS(tb, member)	(lt_tasks_totals(tb)->member)

static struct lt_tasks_config boot(uint64_t begin)
{
	return (struct lt_tasks_config){ .begin_boot = begin, .begin = begin };
}

/* A task whose exit was lost ends when its number is given again. */
static void test_lost_exit(void **state)
{
	struct lt_tasks *tb = world(NULL);
	struct lt_task_gap gap = { .begin = 105, .end = 115, .what = LT_LOST_ENDS, .ends = 1 };
	const struct lt_task_inst *t;

	(void)state;
	born(tb, 100, 200, 100, 4);
	ev(tb, RENAME, 104, .tid = 200, .start = 100, .old_comm = T("sh"), .comm = T("b"));
	lt_tasks_gap(tb, &gap);
	born(tb, 120, 200, 100, 4);
	lt_tasks_finish(tb, 1000);
	t = inst_of(tb, 200, 100);
	assert_int_equal(t->ending, LT_TASK_END_NUMBER_REUSED);
	assert_int_equal(t->death_is, LT_BOUNDED);
	assert_int_equal(t->end, 120);
	assert_int_equal(lt_task_last_seen(t), 104);
	/* A task that was not seen since the gap may have died in it. */
	assert_int_equal(inst_of(tb, 3, 3)->death_is, LT_UNCERTAIN);
	/* The parent forked after the gap. */
	assert_int_equal(inst_of(tb, 100, 4)->death_is, LT_OPEN);
	assert_int_equal(inst_of(tb, 200, 120)->death_is, LT_OPEN);
	lt_tasks_free(tb);
}

/* Events of a task come when its number has another holder already. */
static void test_late_events(void **state)
{
	struct lt_tasks *tb = world(NULL);

	(void)state;
	born(tb, 120, 200, 100, 4);
	ev(tb, RENAME, 130, .tid = 200, .start = 90, .old_comm = T("a"), .comm = T("b"));
	assert_int_equal(inst_of(tb, 200, 90)->ending, LT_TASK_END_NUMBER_REUSED);
	assert_ptr_equal(lt_tasks_get(tb, lt_tasks_holder(tb, 200)), inst_of(tb, 200, 120));
	/* The exit replaces the bounded end. */
	ev(tb, EXIT, 140, .tid = 200, .tgid = 200, .start = 90, .group_dead = 1, .code = 0x100);
	lt_tasks_finish(tb, 1000);
	assert_int_equal(inst_of(tb, 200, 90)->ending, LT_TASK_END_EXITED);
	assert_int_equal(inst_of(tb, 200, 90)->death_is, LT_EXACT);
	assert_int_equal(inst_of(tb, 200, 90)->end, 140);
	assert_false(lt_task_ended(inst_of(tb, 200, 120)));
	lt_tasks_free(tb);
}

/* task_new is lost, the number in an inner namespace is not. */
static void test_number_only(void **state)
{
	struct lt_tasks *tb = world(NULL);

	(void)state;
	ev(tb, TASK_NUMBER, 110, .tid = 200, .start = 110, .ns = 2, .nr = 1);
	lt_tasks_finish(tb, 1000);
	assert_true(inst_of(tb, 200, 110)->marks & LT_TASK_MARK_SEEN);
	assert_int_equal(inst_of(tb, 200, 110)->birth_is, LT_UNCERTAIN);
	assert_int_equal(inst_of(tb, 200, 110)->death_is, LT_OPEN);
	lt_tasks_free(tb);
}

/* A thread does not belong to a group that ended before its birth. */
static void test_leaders(void **state)
{
	struct lt_tasks *tb = lt_tasks_new(NULL);

	(void)state;
	/* A snapshot is in the order of numbers. */
	ev(tb, SNAP_BEGIN, 10, .epoch = 1);
	ev(tb, STATE, 11, .epoch = 1, .tid = 30, .tgid = 400, .start = 9, .comm = T("t"));
	ev(tb, STATE, 12, .epoch = 1, .tid = 400, .tgid = 400, .start = 8, .comm = T("l"));
	ev(tb, SNAP_END, 20, .epoch = 1, .complete = 1);
	assert_ptr_equal(lt_tasks_get(tb, inst_of(tb, 30, 9)->leader), inst_of(tb, 400, 8));
	born(tb, 100, 200, 400, 8);
	died(tb, 110, 200, 100);
	/* The births of the next 200 and of this thread's creator are lost. */
	ev(tb, TASK_NEW, 130, .tid = 300, .tgid = 200, .start = 130, .creator = 301,
	   .creator_start = 125, .clone_flags = 0x10000, .comm = T("t"));
	ev(tb, EXIT, 140, .tid = 300, .tgid = 200, .start = 130, .comm = T("t"));
	/* The exit is the first record of this thread. */
	ev(tb, EXIT, 150, .tid = 31, .tgid = 400, .start = 9, .comm = T("t"));
	lt_tasks_finish(tb, 1000);
	assert_int_equal(inst_of(tb, 300, 130)->leader, 0);
	assert_ptr_equal(lt_tasks_get(tb, inst_of(tb, 31, 9)->leader), inst_of(tb, 400, 8));
	lt_tasks_free(tb);
}

/* A number of an inner namespace is reused: only number_reused shows the end. */
static void test_lost_exit_inner(void **state)
{
	struct lt_tasks *tb = world(NULL);

	(void)state;
	born(tb, 100, 200, 100, 4);
	born(tb, 120, 300, 100, 4);
	ev(tb, NUMBER_REUSED, 120, .ns = 2, .nr = 5, .holders = 2, .old_tid = 200,
	   .old_start = 100, .tid = 300, .start = 120);
	lt_tasks_finish(tb, 1000);
	assert_int_equal(inst_of(tb, 200, 100)->ending, LT_TASK_END_NUMBER_REUSED);
	assert_int_equal(inst_of(tb, 200, 100)->end, 120);
	lt_tasks_free(tb);
}

/* The exit is lost, the release is not. */
static void test_lost_exit_released(void **state)
{
	struct lt_tasks *tb = world(NULL);
	const struct lt_task_inst *t;

	(void)state;
	born(tb, 100, 200, 100, 4);
	ev(tb, RELEASE, 130, .tid = 200, .start = 100);
	ev(tb, RELEASE, 131, .tid = 999, .start = 1);
	lt_tasks_finish(tb, 1000);
	t = inst_of(tb, 200, 100);
	assert_int_equal(t->ending, LT_TASK_END_RELEASED);
	assert_int_equal(t->death_is, LT_BOUNDED);
	assert_int_equal(t->end, 130);
	assert_int_equal(lt_task_last_seen(t), 100);
	assert_int_equal(TOTALS(tb, stray), 1);
	assert_int_equal(lt_tasks_find(tb, 999, 1), 0);
	lt_tasks_free(tb);
}

/* A task that a snapshot lacks acts later: it was alive. */
static void test_missing(void **state)
{
	struct lt_tasks *tb = world(NULL);

	(void)state;
	born(tb, 100, 200, 100, 4);
	born(tb, 105, 300, 100, 4);
	final_begin(tb, 500);
	/* A task that is born while the snapshot is taken need not be in it. */
	born(tb, 505, 400, 100, 4);
	final_end(tb, 510);
	ev(tb, RENAME, 520, .tid = 300, .start = 105, .old_comm = T("sh"), .comm = T("b"));
	lt_tasks_finish(tb, 1000);
	assert_int_equal(inst_of(tb, 200, 100)->ending, LT_TASK_END_MISSING);
	assert_int_equal(inst_of(tb, 200, 100)->death_is, LT_BOUNDED);
	assert_int_equal(inst_of(tb, 200, 100)->end, 510);
	assert_false(lt_task_ended(inst_of(tb, 300, 105)));
	assert_int_equal(lt_task_last_seen(inst_of(tb, 300, 105)), 520);
	assert_int_equal(TOTALS(tb, alive_again), 1);
	assert_false(lt_task_ended(inst_of(tb, 400, 505)));
	/* The end of a task in the final snapshot is open, even if ends were lost before. */
	assert_int_equal(inst_of(tb, 3, 3)->death_is, LT_OPEN);
	lt_tasks_free(tb);
}

/* The initial snapshot meets a zombie. */
static void test_zombie(void **state)
{
	struct lt_tasks *tb = lt_tasks_new(NULL);

	(void)state;
	ev(tb, SNAP_BEGIN, 10, .epoch = 1);
	ev(tb, STATE, 11, .epoch = 1, .tid = 1, .tgid = 1, .start = 1, .comm = T("init"));
	ev(tb, STATE, 12, .epoch = 1, .tid = 50, .tgid = 50, .start = 3, INIT, .flags = 8,
	   .comm = T("gone"), .state = T("Z"));
	/* The parent of a released task is unknown. */
	ev(tb, STATE, 13, .epoch = 1, .tid = 60, .tgid = 60, .start = 3, .flags = 8,
	   .comm = T("gone"), .state = T("X"));
	ev(tb, SNAP_END, 20, .epoch = 1, .complete = 1);
	ev(tb, RELEASE, 40, .tid = 50, .start = 3);
	lt_tasks_finish(tb, 1000);
	assert_int_equal(inst_of(tb, 50, 3)->ending, LT_TASK_END_FOUND_EXITING);
	assert_int_equal(inst_of(tb, 50, 3)->birth_is, LT_BEFORE);
	assert_int_equal(inst_of(tb, 50, 3)->death_is, LT_BOUNDED);
	assert_true(name_is(tb, inst_of(tb, 50, 3)->comm, "gone"));
	assert_false(inst_of(tb, 60, 3)->marks & LT_TASK_MARK_TOP);
	assert_int_equal(TOTALS(tb, orphans), 1);
	assert_int_equal(TOTALS(tb, alive_again), 0);
	lt_tasks_free(tb);
}

/* A task that a snapshot found exiting may still act; its exit may come much later. */
static void test_exiting_for_long(void **state)
{
	struct lt_tasks *tb = world(NULL);
	const struct lt_task_inst *t;

	(void)state;
	born(tb, 100, 200, 100, 4);
	final_begin(tb, 500);
	ev(tb, STATE, 502, .epoch = 9, .tid = 200, .tgid = 200, .start = 100, .flags = 8,
	   .comm = T("sh"), .oom_score_adj = 200);
	final_end(tb, 510);
	t = inst_of(tb, 200, 100);
	assert_int_equal(t->ending, LT_TASK_END_FOUND_EXITING);
	ev(tb, RENAME, 600, .tid = 200, .start = 100, .old_comm = T("sh"), .comm = T("x"));
	assert_int_equal(t->ending, LT_TASK_END_ALIVE);
	died(tb, 700, 200, 100);
	lt_tasks_finish(tb, 1000);
	assert_int_equal(t->ending, LT_TASK_END_EXITED);
	assert_int_equal(t->death_is, LT_EXACT);
	assert_int_equal(t->end, 700);
	assert_int_equal(TOTALS(tb, alive_again), 0);
	assert_int_equal(TOTALS(tb, deaths), 1);
	lt_tasks_free(tb);
}

/* A task whose birth was lost is a placeholder for its child's link until it acts. */
static void test_lost_birth(void **state)
{
	struct lt_tasks_config config = boot(10);
	struct lt_tasks *tb = world(&config);
	const struct lt_task_inst *t;

	(void)state;
	ev(tb, TASK_NEW, 120, .tid = 300, .tgid = 300, .start = 120, .creator = 200,
	   .creator_start = 100, .parent = 200, .parent_start = 100, .comm = T("x"));
	ev(tb, TASK_NEW, 121, .tid = 301, .tgid = 301, .start = 121, .creator = 250,
	   .creator_start = 110, .parent = 250, .parent_start = 110, .comm = T("x"));
	ev(tb, EXIT, 130, .tid = 250, .tgid = 250, .start = 110, .group_dead = 1, INIT,
	   .comm = T("seen"));
	lt_tasks_finish(tb, 1000);
	t = inst_of(tb, 200, 100);
	assert_false(t->marks & LT_TASK_MARK_SEEN);
	assert_int_equal(t->birth_is, LT_UNCERTAIN);
	assert_int_equal(t->death_is, LT_OPEN);
	assert_int_equal(t->tgid, 200);
	assert_ptr_equal(lt_tasks_get(tb, inst_of(tb, 300, 120)->parent), t);
	t = inst_of(tb, 250, 110);
	assert_true(t->marks & LT_TASK_MARK_SEEN);
	assert_int_equal(t->birth_is, LT_UNCERTAIN);
	assert_int_equal(t->ending, LT_TASK_END_EXITED);
	assert_int_equal(lt_tasks_get(tb, t->parent)->tid, 1);
	assert_int_equal(TOTALS(tb, placeholders), 1);
	/* The placeholder's parent is unknown. */
	assert_int_equal(TOTALS(tb, orphans), 1);
	lt_tasks_free(tb);
}

/* A placeholder that was started before the trace. */
static void test_placeholder_before(void **state)
{
	struct lt_tasks_config config = boot(50);
	struct lt_tasks *tb = lt_tasks_new(&config);

	(void)state;
	born(tb, 100, 200, 40, 30);
	lt_tasks_finish(tb, 1000);
	assert_int_equal(inst_of(tb, 40, 30)->birth_is, LT_BEFORE);
	assert_int_equal(inst_of(tb, 200, 100)->birth_is, LT_EXACT);
	lt_tasks_free(tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lost_exit),
		cmocka_unit_test(test_late_events),
		cmocka_unit_test(test_number_only),
		cmocka_unit_test(test_leaders),
		cmocka_unit_test(test_lost_exit_inner),
		cmocka_unit_test(test_lost_exit_released),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_zombie),
		cmocka_unit_test(test_exiting_for_long),
		cmocka_unit_test(test_lost_birth),
		cmocka_unit_test(test_placeholder_before),
	};

	return cmocka_run_group_tests_name("task_lost", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Ends that are uncertain: tasks that seem dead and act, and tasks that seem alive where
 * their end may have been missed. And a name that no task ever had.
 */
#include "taskproof.h"

static void renames(struct proof *p, uint64_t at, uint32_t tid, uint64_t start)
{
	ev(p->tb, RENAME, at, .tid = tid, .start = start, .old_comm = T("a"), .comm = T("b"));
}

static void is_not_sure(struct proof *p, uint32_t tid, uint64_t start)
{
	const struct lt_task_inst *t = inst_of(p->tb, tid, start);

	assert_int_equal(t->ending, LT_TASK_END_ALIVE);
	assert_int_equal(t->death_is, LT_UNCERTAIN);
}

/*
 * A leader exits first, and the exec by which a thread took its place is not in the trace, or
 * comes later. Events that the process causes then show that it lives.
 */
static void test_leader_that_lives_on(void **state)
{
	enum { EXECUTES, FORKS, IS_FOUND, CHANGES_USER, RENAMED, DEAD, N };

	(void)state;
	for (unsigned int what = 0; what < N; what++) {
		struct proof p;

		begin_group(&p);
		leader_exits(&p, 140, 200, 100);
		if (what == EXECUTES)
			ev(p.tb, EXEC, 300, .tid = 200, .start = 100, .old_tid = 200,
			   .old_start = 100, .file = T("/y"));
		else if (what == FORKS)
			born(p.tb, 310, 300, 200, 100);
		else if (what == CHANGES_USER)
			ev(p.tb, CRED, 320, .tid = 200, .start = 100, .uid = 1, .gid = 1);
		else if (what == RENAMED)
			renames(&p, 330, 200, 100);
		final_begin(p.tb, 500);
		if (what == IS_FOUND)
			final_state(p.tb, 502, 200, 100);
		final_end(p.tb, 510);
		finish(&p, 1000);
		if (what >= RENAMED) {
			/* Its thread may have renamed it. */
			assert_int_equal(inst_of(p.tb, 200, 100)->death_is, LT_EXACT);
			assert_int_equal(inst_of(p.tb, 200, 100)->end, 140);
		} else {
			is_not_sure(&p, 200, 100);
			assert_true(inst_of(p.tb, 200, 100)->marks & LT_TASK_MARK_LIVES_ON);
		}
		end(&p);
	}
}

/* The release is the end of a leader that was seen after its exit. */
static void test_leader_lives_on_and_ends(void **state)
{
	struct proof p;

	(void)state;
	begin_group(&p);
	leader_exits(&p, 140, 200, 100);
	born(p.tb, 310, 300, 200, 100);
	ev(p.tb, RELEASE, 400, .tid = 200, .start = 100);
	finish(&p, 1000);
	assert_int_equal(inst_of(p.tb, 200, 100)->ending, LT_TASK_END_RELEASED);
	assert_int_equal(inst_of(p.tb, 200, 100)->death_is, LT_BOUNDED);
	assert_int_equal(inst_of(p.tb, 200, 100)->end, 400);
	end(&p);
}

/* Exits are lost after the snapshot's look at the task. */
static void test_lost_behind_final_look(void **state)
{
	struct lt_task_gap gap = { .begin = 503, .end = 507, .what = LT_LOST_ENDS, .ends = 1 };
	struct proof p;

	(void)state;
	begin(&p, NULL);
	final_begin(p.tb, 500);
	lt_tasks_gap(p.tb, &gap);
	final_end(p.tb, 510);
	finish(&p, 1000);
	is_not_sure(&p, 100, 4);
	end(&p);
}

/*
 * The births of a new 200 and of its thread's creator are lost. The old 200, which was
 * released before, does not lead the thread.
 */
static void test_released_leads_no_thread(void **state)
{
	struct lt_task_gap gap = { .begin = 160, .end = 180, .what = LT_LOST_BIRTHS, .births = 2 };

	(void)state;
	for (unsigned int exits = 0; exits < 2; exits++) {
		struct proof p;

		begin_group(&p);
		if (exits) {
			leader_exits(&p, 140, 200, 100);
			ev(p.tb, EXIT, 150, .tid = 201, .tgid = 200, .start = 130,
			   .group_dead = 1, INIT, .comm = T("thread"));
		}
		ev(p.tb, RELEASE, 151, .tid = 201, .start = 130);
		ev(p.tb, RELEASE, 152, .tid = 200, .start = 100);
		lt_tasks_gap(p.tb, &gap);
		ev(p.tb, TASK_NEW, 190, .tid = 302, .tgid = 200, .start = 190, .creator = 301,
		   .creator_start = 175, INIT, .clone_flags = 0x10000, .comm = T("t"));
		finish(&p, 1000);
		assert_int_equal(inst_of(p.tb, 302, 190)->leader, 0);
		assert_int_not_equal(inst_of(p.tb, 201, 130)->leader, 0);
		end(&p);
	}
}

/* A thread becomes leader when exec says so, though its number was given again before. */
static void test_end_is_that_of_exec(void **state)
{
	struct proof p;

	(void)state;
	begin_group(&p);
	leader_exits(&p, 140, 200, 100);
	born(p.tb, 150, 201, 100, 4);
	ev(p.tb, EXEC, 300, .tid = 200, .start = 100, .old_tid = 201, .old_start = 130,
	   .file = T("/x"));
	finish(&p, 1000);
	assert_int_equal(inst_of(p.tb, 201, 130)->ending, LT_TASK_END_BECAME_LEADER);
	assert_int_equal(inst_of(p.tb, 201, 130)->death_is, LT_EXACT);
	assert_int_equal(inst_of(p.tb, 201, 130)->end, 300);
	end(&p);
}

/*
 * A snapshot reads a name while it is being overwritten: the beginning of the new name, and
 * the rest of the old one. The event came just before the snapshot began.
 */
static void test_torn_name(void **state)
{
	static const struct { const char *read; bool torn; } names[] = {
		{ "c12ben-scan", true }, { "c1dgen-scan", true }, { "pidgen-scan", true },
		{ "c12b", true }, { "c12ben-scax", false }, { "c12bn-scan", false },
		{ "c12ben-sca", false }, { "c12ben-scans", false },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct lt_tasks *tb = world(NULL);

		ev(tb, RENAME, 99, .tid = 100, .start = 4, .old_comm = T("pidgen-scan"),
		   .comm = T("c12b"));
		ev(tb, SNAP_BEGIN, 100, .epoch = 2, .purpose = 1);
		ev(tb, STATE, 105, .epoch = 2, .tid = 100, .tgid = 100, .start = 4,
		   .comm = { names[i].read, strlen(names[i].read) });
		ev(tb, SNAP_END, 110, .epoch = 2);
		lt_tasks_finish(tb, 1000);
		assert_int_equal(name_is(tb, inst_of(tb, 100, 4)->comm, "c12b"), names[i].torn);
		lt_tasks_free(tb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leader_that_lives_on),
		cmocka_unit_test(test_leader_lives_on_and_ends),
		cmocka_unit_test(test_lost_behind_final_look),
		cmocka_unit_test(test_released_leads_no_thread),
		cmocka_unit_test(test_end_is_that_of_exec),
		cmocka_unit_test(test_torn_name),
	};

	return cmocka_run_group_tests_name("task_doubt", tests, NULL, NULL);
}

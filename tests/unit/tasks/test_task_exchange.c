// SPDX-License-Identifier: GPL-2.0
/*
 * A thread takes its leader's number some time before the event exec. What may come in
 * between: ends of snapshots and of traces, births, changes made by other tasks.
 */
#include "taskproof.h"

static void renamed(struct proof *p, uint64_t at, uint32_t tid, uint64_t start)
{
	ev(p->tb, RENAME, at, .tid = tid, .start = start, .old_comm = T("thread"),
	   .comm = T("new"));
}

static void executed(struct proof *p, uint64_t at, uint32_t old_tid, uint64_t old_start)
{
	ev(p->tb, EXEC, at, .tid = 50, .start = 2, .old_tid = old_tid, .old_start = old_start,
	   .file = T("/x"));
}

static void met(struct proof *p, uint64_t at, uint32_t epoch, uint32_t tid, uint64_t start,
		uint32_t flags)
{
	ev(p->tb, STATE, at, .epoch = epoch, .tid = tid, .tgid = tid == 1 ? 1 : 50,
	   .start = start, .flags = flags);
}

static void first_begins(struct proof *p)
{
	ev(p->tb, SNAP_BEGIN, 10, .epoch = 1);
	met(p, 11, 1, 1, 1, 0);
}

static void first_ends(struct proof *p)
{
	ev(p->tb, SNAP_END, 20, .epoch = 1, .complete = 1);
}

static void last_begins(struct proof *p)
{
	ev(p->tb, SNAP_BEGIN, 100, .epoch = 2, .purpose = 2);
	met(p, 101, 2, 1, 1, 0);
}

static void last_ends(struct proof *p)
{
	ev(p->tb, SNAP_END, 110, .epoch = 2, .complete = 1);
	finish(p, 1000);
}

/* The group of 50: its leader is dead in the first snapshot, its thread 51 is not. */
static void begin_zombie(struct proof *p, const struct lt_tasks_config *config)
{
	begin_bare(p, config);
	first_begins(p);
	met(p, 12, 1, 50, 2, LT_TASK_FLAG_EXITING);
	met(p, 13, 1, 51, 3, 0);
	first_ends(p);
}

/* The group of 200, born in the trace, whose leader exits. */
static void begin_led_by_dead(struct proof *p)
{
	begin_group(p);
	leader_exits(p, 140, 200, 100);
}

/* The dead leader is in the final snapshot. */
static void dead_leader_met(struct proof *p, uint64_t at)
{
	ev(p->tb, STATE, at, .epoch = 9, .tid = 200, .tgid = 200, .start = 100,
	   .flags = LT_TASK_FLAG_EXITING, .comm = T("sh"), .uid = 1000, .gid = 1000,
	   .cgroup = 77, .oom_score_adj = 200);
}

static void holds(struct proof *p)
{
	assert_int_equal(p->v.n_notes, 0);
	assert_true(lt_task_proofs_good(&p->v));
	end(p);
}

/* The proofs name one task, and no other one. */
static void names_only(struct proof *p, const char *task)
{
	assert_int_equal(p->v.n_notes, 1);
	assert_true(has_note(p, task));
	assert_false(lt_task_proofs_good(&p->v));
	end(p);
}

/* A thread has its leader's place in both snapshots, and there is no event exec. */
static void test_in_exec_at_two_looks(void **state)
{
	struct proof p;

	(void)state;
	begin_bare(&p, NULL);
	thread_born(p.tb, 5, 51, 50, 2);
	leader_exits(&p, 8, 50, 2);
	first_begins(&p);
	renamed(&p, 12, 51, 5);
	met(&p, 13, 1, 50, 2, LT_TASK_FLAG_IN_EXEC);
	first_ends(&p);
	ev(p.tb, RELEASE, 25, .tid = 51, .start = 2);
	renamed(&p, 29, 50, 2);
	last_begins(&p);
	met(&p, 102, 2, 50, 2, LT_TASK_FLAG_IN_EXEC);
	last_ends(&p);
	says(&p, POPULATION, "1 becoming leader");
	holds(&p);
}

enum first_look { AS_LEADER, LEADER_DEAD, LEADER_DEAD_LATE, N_FIRST_LOOKS };

/*
 * The leader exits before the trace or in it. The first snapshot meets the leader's number
 * after the exchange; or before it, and then the thread has no number when its own is met.
 */
static void test_exit_before_first_snapshot(void **state)
{
	struct lt_tasks_config config = { .begin = 5, .begin_boot = 5 };

	(void)state;
	for (unsigned int look = 0; look < N_FIRST_LOOKS; look++) {
		struct proof p = { 0 };

		begin_bare(&p, &config);
		if (look != LEADER_DEAD_LATE)
			leader_exits(&p, 8, 50, 2);
		first_begins(&p);
		if (look == LEADER_DEAD_LATE)
			renamed(&p, 12, 50, 2);
		met(&p, 13, 1, 50, 2,
		    look == AS_LEADER ? LT_TASK_FLAG_IN_EXEC : LT_TASK_FLAG_EXITING);
		first_ends(&p);
		if (look != LEADER_DEAD_LATE)
			renamed(&p, 29, 50, 2);
		executed(&p, 30, 51, 3);
		last_begins(&p);
		met(&p, 102, 2, 50, 2, 0);
		last_ends(&p);
		assert_int_equal(inst_of(p.tb, 51, 3)->birth_is, LT_BEFORE);
		assert_int_equal(inst_of(p.tb, 51, 3)->ending, LT_TASK_END_BECAME_LEADER);
		holds(&p);
	}
}

/* The first snapshot cannot have met a thread that was started after it. */
static void test_started_later(void **state)
{
	struct lt_tasks_config config = { .begin = 5, .begin_boot = 5 };
	struct lt_task_gap gap = {
		.begin = 50, .end = 130, .what = LT_LOST_BIRTHS | LT_LOST_ENDS, .births = 1,
		.ends = 1,
	};
	struct proof p = { 0 };

	(void)state;
	/* The birth of the thread and the exit of its leader were lost. */
	begin(&p, &config);
	lt_tasks_gap(p.tb, &gap);
	ev(p.tb, EXEC, 140, .tid = 100, .start = 4, .old_tid = 101, .old_start = 60,
	   .file = T("/x"));
	final_begin(p.tb, 500);
	final_end(p.tb, 510);
	finish(&p, 1000);
	assert_int_equal(inst_of(p.tb, 101, 60)->birth_is, LT_UNCERTAIN);
	holds(&p);

	/* The birth of the thread is missing, and nothing was lost. */
	begin_zombie(&p, &config);
	ev(p.tb, EXIT, 70, .tid = 51, .tgid = 50, .start = 3, INIT, .comm = T("sh"));
	renamed(&p, 79, 50, 2);
	executed(&p, 80, 52, 60);
	last_begins(&p);
	met(&p, 102, 2, 50, 2, 0);
	last_ends(&p);
	names_only(&p, "task 52");
}

/* Exec fails after the exchange, or was lost: the process ends with its second exit. */
static void test_second_exit(void **state)
{
	struct lt_task_gap gap = {
		.begin = 141, .end = 145, .what = LT_LOST_ENDS | LT_LOST_CHANGES, .ends = 1,
	};

	(void)state;
	for (unsigned int lost = 0; lost < 2; lost++) {
		const struct lt_task_inst *t;
		struct proof p;

		begin_led_by_dead(&p);
		if (lost)
			lt_tasks_gap(p.tb, &gap);
		renamed(&p, 150, 200, 100);
		ev(p.tb, EXIT, 300, .tid = 200, .tgid = 200, .start = 100, .group_dead = 1,
		   .code = 9, INIT, .comm = T("new"), .oom_score_adj = 200);
		ev(p.tb, RELEASE, 310, .tid = 200, .start = 100);
		final_begin(p.tb, 500);
		final_end(p.tb, 510);
		finish(&p, 1000);
		t = inst_of(p.tb, 200, 100);
		assert_int_equal(t->end, 300);
		assert_int_equal(t->code, 9);
		assert_int_equal(t->death_is, LT_EXACT);
		assert_true(t->marks & LT_TASK_MARK_LIVES_ON);
		assert_int_equal(lt_tasks_totals(p.tb)->twice, 0);
		if (lost)
			holds(&p);
		else
			names_only(&p, "task 201");
	}
}

/*
 * The leader is dead in the first snapshot already. In the final one the thread is met; or it
 * is not; or it has only been renamed so far.
 */
static void test_exec_of_zombie_in_snapshot(void **state)
{
	(void)state;
	for (unsigned int what = 0; what < 3; what++) {
		struct proof p = { 0 };

		begin_zombie(&p, NULL);
		last_begins(&p);
		met(&p, 102, 2, 50, 2, LT_TASK_FLAG_EXITING);
		if (what != 1)
			met(&p, 103, 2, 51, 3, 0);
		renamed(&p, 105, 50, 2);
		if (what != 2)
			executed(&p, 106, 51, 3);
		last_ends(&p);
		assert_false(lt_task_ended(inst_of(p.tb, 50, 2)));
		holds(&p);
	}
}

/* The trace ends before exec; the thread had no number when the snapshot came to it. */
static void test_trace_ends_between(void **state)
{
	struct proof p;

	(void)state;
	begin_led_by_dead(&p);
	final_begin(p.tb, 500);
	dead_leader_met(&p, 502);
	renamed(&p, 503, 200, 100);
	final_end(p.tb, 510);
	finish(&p, 1000);
	says(&p, POPULATION, "1 becoming leader");
	holds(&p);

	/* The thread's number has a new holder already. */
	begin_led_by_dead(&p);
	born(p.tb, 150, 201, 100, 4);
	final_begin(p.tb, 500);
	final_state(p.tb, 501, 200, 100);
	final_state(p.tb, 502, 201, 150);
	final_end(p.tb, 510);
	finish(&p, 1000);
	says(&p, POPULATION, "1 becoming leader");
	holds(&p);
}

/*
 * The final snapshot comes to the leader before the exchange, and to the thread's number
 * after it. In the cases after DEAD no exec can explain that the thread is missing.
 */
static void test_trace_ends_amid_look(void **state)
{
	enum { ABOUT_TO_EXIT, ACTIVE, DEAD, DEAD_LATER, ALIVE, THREAD_LIVES, RELEASED, NOT_MET,
	       TWO_GONE, NOT_FINAL, N };

	(void)state;
	for (unsigned int what = 0; what < N; what++) {
		struct proof p;

		begin_group(&p);
		if (what == THREAD_LIVES || what == TWO_GONE)
			thread_born(p.tb, 131, 202, 200, 100);
		if (what == DEAD)
			leader_exits(&p, 499, 200, 100);
		final_begin(p.tb, 500);
		if (what == DEAD)
			dead_leader_met(&p, 502);
		else if (what != NOT_MET)
			final_state(p.tb, 502, 200, 100);
		/* The thread acts after the snapshot began. */
		if (what == ACTIVE)
			ev(p.tb, RENAME, 502, .tid = 201, .start = 130, .old_comm = T("thread"),
			   .comm = T("x"));
		if (what != DEAD && what != DEAD_LATER && what != ALIVE)
			leader_exits(&p, 503, 200, 100);
		if (what == RELEASED)
			ev(p.tb, RELEASE, 504, .tid = 200, .start = 100);
		if (what == THREAD_LIVES)
			final_state(p.tb, 505, 202, 131);
		final_end(p.tb, 510);
		if (what == DEAD_LATER)
			leader_exits(&p, 511, 200, 100);
		if (what == NOT_FINAL) {
			ev(p.tb, SNAP_BEGIN, 600, .epoch = 10, .purpose = 1);
			for (uint32_t i = 0; i < 4; i++)
				ev(p.tb, STATE, 601, .epoch = 10, .tid = i < 3 ? i + 1 : 100,
				   .tgid = i < 3 ? i + 1 : 100, .start = i + 1);
			ev(p.tb, STATE, 602, .epoch = 10, .tid = 200, .tgid = 200, .start = 100,
			   .flags = LT_TASK_FLAG_EXITING);
			ev(p.tb, SNAP_END, 610, .epoch = 10, .complete = 1);
		}
		finish(&p, 1000);
		if (what == TWO_GONE || what <= DEAD)
			says(&p, POPULATION, "1 becoming leader");
		if (what <= DEAD)
			holds(&p);
		else
			names_only(&p, what == TWO_GONE ? "task 202" : "task 201");
	}
}

/* Numbers have wrapped: the snapshot meets the thread's before its leader's. */
static void test_thread_of_lower_number(void **state)
{
	struct proof p;

	(void)state;
	begin(&p, NULL);
	born(p.tb, 100, 200, 100, 4);
	thread_born(p.tb, 130, 150, 200, 100);
	leader_exits(&p, 140, 200, 100);
	final_begin(p.tb, 500);
	dead_leader_met(&p, 502);
	final_end(p.tb, 510);
	finish(&p, 1000);
	names_only(&p, "task 150");
}

/* A thread can rename its dead leader: no sign of an exec while another thread lives. */
static void test_renamed_by_thread(void **state)
{
	(void)state;
	for (unsigned int ends = 0; ends < 2; ends++) {
		struct proof p;

		begin_group(&p);
		thread_born(p.tb, 131, 202, 200, 100);
		leader_exits(&p, 140, 200, 100);
		renamed(&p, 150, 200, 100);
		final_begin(p.tb, 500);
		dead_leader_met(&p, 502);
		final_state(p.tb, 503, 202, 131);
		final_end(p.tb, 510);
		if (ends)
			ev(p.tb, EXIT, 515, .tid = 202, .tgid = 200, .start = 131, INIT,
			   .comm = T("thread"));
		finish(&p, 1000);
		names_only(&p, "task 201");
	}
}

/* A dead leader of the first snapshot is renamed: by a thread, or as the new leader. */
static void test_zombie_renamed(void **state)
{
	(void)state;
	for (unsigned int acts = 0; acts < 2; acts++) {
		struct proof p = { 0 };
		const struct lt_task_inst *t;

		begin_zombie(&p, NULL);
		renamed(&p, 60, 50, 2);
		if (acts)
			ev(p.tb, CRED, 70, .tid = 50, .start = 2, .uid = 1, .gid = 1);
		finish(&p, 1000);
		t = inst_of(p.tb, 50, 2);
		assert_int_equal(t->ending, LT_TASK_END_ALIVE);
		assert_int_equal(t->death_is, acts ? LT_OPEN : LT_UNCERTAIN);
		end(&p);
	}
}

/* A record of a snapshot is written after events that are newer than the look. */
static void test_late_states(void **state)
{
	struct proof p;

	(void)state;
	/* The thread's record comes after the birth of the next holder of its number. */
	begin_bare(&p, NULL);
	first_begins(&p);
	met(&p, 12, 1, 50, 2, 0);
	leader_exits(&p, 13, 50, 2);
	ev(p.tb, TASK_NEW, 14, .tid = 51, .tgid = 51, .start = 14, .creator = 1,
	   .creator_start = 1, INIT, .comm = T("n"));
	met(&p, 15, 1, 51, 3, 0);
	first_ends(&p);
	executed(&p, 30, 51, 3);
	last_begins(&p);
	met(&p, 102, 2, 50, 2, 0);
	ev(p.tb, STATE, 103, .epoch = 2, .tid = 51, .tgid = 51, .start = 14);
	last_ends(&p);
	holds(&p);

	/* The dead leader's record comes after the exec, by which the process lives on. */
	begin_led_by_dead(&p);
	final_begin(p.tb, 500);
	renamed(&p, 503, 200, 100);
	ev(p.tb, EXEC, 504, .tid = 200, .start = 100, .old_tid = 201, .old_start = 130,
	   .file = T("/x"));
	dead_leader_met(&p, 505);
	final_end(p.tb, 510);
	finish(&p, 1000);
	assert_false(lt_task_ended(inst_of(p.tb, 200, 100)));
	assert_true(inst_of(p.tb, 200, 100)->marks & LT_TASK_MARK_FINAL);
	holds(&p);
}

/* The event of a group's move to another cgroup names the leader, which may be dead. */
static void test_cgroup_of_zombie(void **state)
{
	(void)state;
	for (unsigned int dropped = 0; dropped < 2; dropped++) {
		struct proof p = { 0 };

		begin_zombie(&p, NULL);
		last_begins(&p);
		met(&p, 102, 2, 50, 2, LT_TASK_FLAG_EXITING);
		if (!dropped)
			ev(p.tb, STATE, 103, .epoch = 2, .tid = 51, .tgid = 50, .start = 3,
			   .cgroup = 99);
		ev(p.tb, CGROUP, 105, .tid = 50, .start = 2, .group = 1, .cgroup = 99);
		last_ends(&p);
		assert_int_equal(inst_of(p.tb, 50, 2)->ending, LT_TASK_END_FOUND_EXITING);
		assert_int_equal(lt_tasks_cgroup(p.tb, inst_of(p.tb, 51, 3)), 99);
		if (dropped)
			names_only(&p, "task 51");
		else
			holds(&p);
	}
}

/* A change of the group's oom_score_adj does not show that its leader is alive. */
static void test_oom_before_first_snapshot(void **state)
{
	struct proof p = { 0 };

	(void)state;
	begin_bare(&p, NULL);
	ev(p.tb, OOM, 6, .tgid = 50, .start = 2, .old = 1, .oom_score_adj = 2, .by = 1,
	   .by_start = 1);
	ev(p.tb, EXIT, 7, .tid = 51, .tgid = 50, .start = 3, .group_dead = 1, INIT,
	   .comm = T("x"));
	first_begins(&p);
	first_ends(&p);
	ev(p.tb, RELEASE, 21, .tid = 51, .start = 3);
	ev(p.tb, RELEASE, 22, .tid = 50, .start = 2);
	last_begins(&p);
	last_ends(&p);
	holds(&p);
}

/* The snapshot reads the new oom_score_adj before the event is written. */
static void test_oom_read_early(void **state)
{
	struct lt_tasks_config config = { .history = true };
	struct proof p = { 0 };
	struct lt_task_value v;

	(void)state;
	begin_bare(&p, &config);
	first_begins(&p);
	ev(p.tb, STATE, 12, .epoch = 1, .tid = 50, .tgid = 50, .start = 2, .oom_score_adj = -900);
	ev(p.tb, OOM, 13, .tgid = 50, .start = 2, .old = -999, .oom_score_adj = -900, .by = 1,
	   .by_start = 1);
	first_ends(&p);
	finish(&p, 1000);
	v = lt_tasks_at(p.tb, lt_tasks_find(p.tb, 50, 2), LT_ATTR_OOM, 11);
	assert_false(v.known && v.certain && v.i == -900);
	v = lt_tasks_at(p.tb, lt_tasks_find(p.tb, 50, 2), LT_ATTR_OOM, 14);
	assert_int_equal(v.i, -900);
	end(&p);
}

/* After the leader's exit, a move of the leader to a cgroup is that of the thread. */
static void test_cgroup_between(void **state)
{
	struct proof p;

	(void)state;
	begin_led_by_dead(&p);
	ev(p.tb, CGROUP, 141, .tid = 200, .start = 100, .cgroup = 99);
	ev(p.tb, EXEC, 142, .tid = 200, .start = 100, .old_tid = 201, .old_start = 130,
	   .file = T("/x"));
	finish(&p, 1000);
	assert_int_equal(lt_tasks_cgroup(p.tb, inst_of(p.tb, 200, 100)), 99);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_exec_at_two_looks),
		cmocka_unit_test(test_exit_before_first_snapshot),
		cmocka_unit_test(test_started_later),
		cmocka_unit_test(test_second_exit),
		cmocka_unit_test(test_exec_of_zombie_in_snapshot),
		cmocka_unit_test(test_trace_ends_between),
		cmocka_unit_test(test_trace_ends_amid_look),
		cmocka_unit_test(test_thread_of_lower_number),
		cmocka_unit_test(test_renamed_by_thread),
		cmocka_unit_test(test_zombie_renamed),
		cmocka_unit_test(test_late_states),
		cmocka_unit_test(test_cgroup_of_zombie),
		cmocka_unit_test(test_oom_before_first_snapshot),
		cmocka_unit_test(test_cgroup_between),
		cmocka_unit_test(test_oom_read_early),
	};

	return cmocka_run_group_tests_name("task_exchange", tests, NULL, NULL);
}

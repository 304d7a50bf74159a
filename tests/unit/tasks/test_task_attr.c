// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of tasks at any time: events against dumped values.
 */
#include "task_script.h"

static const struct task_scenario scenarios[] = {
	/* A snapshot reads the path of a program in the middle of an exec, before its event. */
	{ .name = "dumped in exec", .text =
	  "world -> 100/4 file 50 /bin/sh |"
	  "150 exec task 100/4 old_task 100/4 file /bin/sh -> 100/4 file 50 unknown; "
	  "100/4 file 150 /bin/sh" },
	/*
	 * A snapshot reads the path in the middle of an exec, and the trace ends before the event.
	 * Since when the path holds is not known, and a known path stays.
	 */
	{ .name = "in exec", .text =
	  "world | 40 snap_begin epoch 2 purpose 1 |"
	  "41 state epoch 2 task 100/4 tgid 100 flags 16 comm new file /bin/new |"
	  "42 state epoch 2 task 60/5 tgid 60 flags 16 comm first file /bin/first |"
	  "49 snap_end epoch 2 complete 0 -> 100/4 comm 45 sh; 100/4 file 45 /bin/sh; "
	  "60/5 comm 41 unknown; 60/5 file 41 unknown; 60/5 comm 42 first; "
	  "60/5 file 42 /bin/first |"
	  "60 exec task 60/5 old_task 60/5 file /bin/second -> 60/5 file 59 /bin/first; "
	  "60/5 file 60 /bin/second; silent comm 0; silent file 0" },
	{ .name = "born and changed", .text =
	  "world | 100 born 200 of 100/4 | 110 rename task 200/100 old_comm sh comm two |"
	  "111 exec task 200/100 old_task 200/100 file /bin/two |"
	  "115 cred task 200/100 old_uid 1000 uid 0 old_gid 1000 gid 1000 |"
	  "120 rename task 200/100 old_comm two comm three |"
	  "125 oom_score_adj tgid 200 start 100 old 200 oom_score_adj -900 |"
	  "126 cgroup task 200/100 hierarchy 4 cgroup 5 | 127 cgroup task 200/100 cgroup 88 |"
	  "150 exit task 200/100 tgid 200 group_dead 1 parent 1/1 comm three oom_score_adj -900 |"
	  "end 1000 -> 200/100 comm 99 unknown; 200/100 comm 100 sh; 200/100 comm 109 sh; "
	  "200/100 comm 110 two; 200/100 comm 119 two; 200/100 comm 150 three; "
	  "200/100 comm 151 unknown; 200/100 file 105 /bin/sh?; 200/100 file 111 /bin/two; "
	  "200/100 uid 114 1000; 200/100 uid 115 0; 200/100 gid 120 1000; 200/100 oom 124 200; "
	  "200/100 oom 130 -900; 200/100 cgroup 126 77; 200/100 cgroup 127 88; "
	  "200/100 parent 149 100/4; 200/100 parent 150 1/1; silent all 0; silent parent 0" },
	/* Values of the initial snapshot hold from the trace's begin on. */
	{ .name = "initial", .text =
	  "world | 100 oom_score_adj tgid 100 start 4 old 200 oom_score_adj 300 |"
	  "end 1000 -> 100/4 oom 50 200; 100/4 oom 100 300; 100/4 uid 14 1000; 100/4 comm 50 sh" },
	/*
	 * An event outranks a value that was read before it and is recorded after it: the snapshot
	 * reads the value, the event is written, then the record of the snapshot.
	 */
	{ .name = "event outranks", .text =
	  "10 snap_begin epoch 1 | 12 oom_score_adj tgid 50 start 3 old 0 oom_score_adj 500 |"
	  "13 rename task 50/3 old_comm old comm new | 13 cgroup task 50/3 cgroup 66 |"
	  "14 state epoch 1 task 50/3 tgid 50 comm old oom_score_adj 0 cgroup 55 uid 7 |"
	  "20 snap_end epoch 1 complete 1 |"
	  "end 1000 -> 50/3 oom 11 0; 50/3 oom 12 500; 50/3 oom 100 500; 50/3 comm 12 old; "
	  "50/3 comm 100 new; 50/3 cgroup 12 55; 50/3 cgroup 100 66; 50/3 uid 100 7; "
	  "silent oom 0; silent comm 0; silent cgroup 0" },
	/* In a requested snapshot: an event before its begin does not outrank its values. */
	{ .name = "dump outranks, 1", .text =
	  "world | 50 oom_score_adj tgid 100 start 4 old 200 oom_score_adj 300 |"
	  "100 snap_begin epoch 2 purpose 1 |"
	  "105 state epoch 2 task 100/4 tgid 100 parent 1/1 file /bin/sh gid 1000 cgroup 77 ns 1 "
	  "nr 100 uid 1000 comm sh oom_score_adj 400 | 109 snap_end epoch 2 complete 0 |"
	  "end 1000 -> silent oom 1; 100/4 oom 60 300?; 100/4 oom 105 400; 100/4 oom now 400" },
	{ .name = "dump outranks, 2", .text =
	  "world | 50 oom_score_adj tgid 100 start 4 old 200 oom_score_adj 300 |"
	  "100 snap_begin epoch 2 purpose 1 |"
	  "102 oom_score_adj tgid 100 start 4 old 300 oom_score_adj 350 |"
	  "105 state epoch 2 task 100/4 tgid 100 parent 1/1 file /bin/sh gid 1000 cgroup 77 ns 1 "
	  "nr 100 uid 1000 comm sh oom_score_adj 300 | 110 snap_end epoch 2 |"
	  "end 1000 -> silent oom 0; 100/4 oom 200 350" },
	/* A snapshot changes each attribute. */
	{ .name = "dumped values", .text =
	  "world | 100 snap_begin epoch 2 purpose 1 |"
	  "105 state epoch 2 task 100/4 tgid 100 parent 2/2 file /other uid 1 gid 2 cgroup 3 comm "
	  "c oom_score_adj 5 | 110 snap_end epoch 2 |"
	  "end 1000 -> 100/4 uid 105 1; 100/4 gid 105 2; 100/4 cgroup 105 3; "
	  "100/4 file 105 /other; 100/4 parent 105 2/2; reparented 1; silent all 1" },
	/* Outside of a snapshot no event outranks the values of a record. */
	{ .name = "dump behind end", .text =
	  "world | 50 oom_score_adj tgid 100 start 4 old 200 oom_score_adj 300 |"
	  "60 state epoch 1 task 100/4 tgid 100 parent 1/1 comm sh uid 1000 gid 1000 cgroup 77 "
	  "oom_score_adj 400 | end 1000 -> 100/4 oom 70 400" },
	/* A tracepoint fires ahead of the change: a snapshot may still read the value before. */
	{ .name = "old value, 1", .text =
	  "world | 99 rename task 100/4 old_comm sh comm new | 100 snap_begin epoch 2 purpose 1 |"
	  "105 state epoch 2 task 100/4 tgid 100 parent 1/1 file /bin/sh gid 1000 cgroup 77 ns 1 "
	  "nr 100 uid 1000 comm sh oom_score_adj 200 | 109 snap_end epoch 2 complete 0 |"
	  "end 1000 -> silent comm 0; 100/4 comm 500 new" },
	{ .name = "old value, 2", .text =
	  "world | 99 rename task 100/4 old_comm sh comm new | 100 snap_begin epoch 2 purpose 1 |"
	  "105 state epoch 2 task 100/4 tgid 100 parent 1/1 file /bin/sh gid 1000 cgroup 77 ns 1 "
	  "nr 100 uid 1000 comm other oom_score_adj 200 | 109 snap_end epoch 2 complete 0 |"
	  "end 1000 -> silent comm 1; 100/4 comm 500 other" },
	/* The exit has the value at the end: copy_oom_score_adj() changes it without an event. */
	{ .name = "exit closes", .text =
	  "world | 100 born 200 of 100/4 |"
	  "150 exit task 200/100 tgid 200 group_dead 1 parent 1/1 comm sh oom_score_adj 999 |"
	  "end 1000 -> silent oom 1; 200/100 oom 120 200?; 200/100 oom 150 999" },
	/* The value before an event reveals an earlier change without an event. */
	{ .name = "event reveals silent change", .text =
	  "world | 100 cred task 100/4 old_uid 1001 uid 0 old_gid 1000 gid 1000 |"
	  "end 1000 -> silent uid 1; 100/4 uid 99 1000?; 100/4 uid 100 0" },
	/* Where events were lost, a difference counts as unseen, and no value is certain. */
	{ .name = "losses", .text =
	  "world | 50 oom_score_adj tgid 100 start 4 old 200 oom_score_adj 300 |"
	  "lost changes 60..70 | 100 snap_begin epoch 2 purpose 1 |"
	  "105 state epoch 2 task 100/4 tgid 100 parent 1/1 file /bin/sh gid 1000 cgroup 77 ns 1 "
	  "nr 100 uid 1000 comm sh oom_score_adj 400 | 109 snap_end epoch 2 complete 0 |"
	  "end 1000 -> silent oom 0; unseen oom 1; 100/4 uid 55 1000; 100/4 uid 65 1000?; "
	  "100/4 uid 105 1000; 3/3 uid 900 0?" },
	/* oom_score_adj belongs to the group: threads have their leader's. */
	{ .name = "threads, 1", .text =
	  "world | 100 thread 201 of 100/4 | 101 thread 202 of 100/4 | 102 thread 203 of 100/4 |"
	  "110 oom_score_adj tgid 100 start 4 old 200 oom_score_adj 300 |"
	  "120 cgroup task 100/4 group 1 cgroup 88 | 130 cgroup task 202/101 cgroup 99 |"
	  "140 exit task 201/100 tgid 100 parent 1/1 comm thread |"
	  "end 1000 -> 201/100 oom 105 200; 201/100 oom 115 300; 201/100 cgroup 119 0; "
	  "201/100 cgroup 120 88; 202/101 cgroup 125 88; 202/101 cgroup 130 99; "
	  "201/100 cgroup now 88; 202/101 cgroup now 99; 203/102 cgroup now 88; "
	  "100/4 cgroup now 88" },
	{ .name = "threads, 2", .text =
	  "world | 100 thread 201 of 100/4 | 120 cgroup task 100/4 group 1 cgroup 88 |"
	  "130 snap_begin epoch 2 purpose 1 |"
	  "131 state epoch 2 task 201/100 tgid 100 cgroup 88 comm thread | 132 snap_end epoch 2 |"
	  "140 born 201 of 1/1 | end 1000 -> silent cgroup 0; 201/100 cgroup now 88" },
	{ .name = "threads, 3", .latest = true, .text =
	  "world | 100 thread 201 of 100/4 | 120 cgroup task 100/4 group 1 cgroup 88 |"
	  "140 born 201 of 1/1 | end 1000 -> 201/100 cgroup now 88" },
	/* A leader gets user and cgroup of the thread that takes its place. */
	{ .name = "thread exec", .text =
	  "world | 100 born 200 of 100/4 | 110 thread 201 of 200/100 |"
	  "112 cred task 201/110 old_uid 0 uid 33 old_gid 0 gid 34 |"
	  "120 exit task 200/100 tgid 200 parent 1/1 comm sh oom_score_adj 200 |"
	  "122 exec task 200/100 old_task 201/110 file /bin/new |"
	  "end 1000 -> 200/100 uid 121 1000; 200/100 uid 122 33; 200/100 gid 122 34; "
	  "200/100 cgroup 122 0" },
	/*
	 * Exec renames a thread that has its leader's place already, before the event exec: the
	 * name before was the thread's. The leader's own exit may be older than the trace.
	 */
	{ .name = "thread exec name, 1", .text =
	  "world | 121 rename task 200/100 old_comm thread comm new |"
	  "122 exec task 200/100 old_task 201/110 file /bin/busybox |"
	  "end 1000 -> 200/100 comm 119 unknown; 200/100 comm 121 new; 201/110 comm 119 thread; "
	  "silent comm 0" },
	{ .name = "thread exec name, 2", .text =
	  "world | 100 born 200 of 100/4 | 121 rename task 200/100 old_comm thread comm new |"
	  "122 exec task 200/100 old_task 201/110 file /bin/busybox |"
	  "end 1000 -> 200/100 comm 119 sh; 200/100 comm 121 new; 201/110 comm 119 thread; "
	  "silent comm 0" },
	/*
	 * A snapshot meets the thread that has taken its dead leader's place, before the event
	 * exec: the thread's program was never that of the leader before.
	 */
	{ .name = "thread exec dumped", .text =
	  "100 born 200 of 100/4 | 110 thread 201 of 200/100 |"
	  "120 exit task 200/100 tgid 200 parent 1/1 comm sh oom_score_adj 200 |"
	  "130 snap_begin epoch 2 purpose 1 |"
	  "131 state epoch 2 task 200/100 tgid 200 comm thread file /bin/new |"
	  "140 snap_end epoch 2 complete 1 |"
	  "end 1000 -> 200/100 file 115 unknown; 200/100 comm 115 sh" },
	/*
	 * Where the module cannot read the value before, it writes the new one in its place. A
	 * snapshot's value that was read between two events does not hold before the first one.
	 */
	{ .name = "unknown before", .text =
	  "10 snap_begin epoch 1 | 12 oom_score_adj tgid 50 start 3 old 500 oom_score_adj 500 |"
	  "13 oom_score_adj tgid 50 start 3 old 600 oom_score_adj 600 |"
	  "12 cgroup task 50/3 cgroup 66 | 13 cgroup task 50/3 cgroup 67 |"
	  "14 state epoch 1 task 50/3 tgid 50 comm old oom_score_adj 500 cgroup 66 |"
	  "20 snap_end epoch 1 complete 1 |"
	  "end 1000 -> 50/3 oom 11 unknown; 50/3 cgroup 11 unknown; 50/3 oom 12 500; "
	  "50/3 oom 100 600; 50/3 cgroup 100 67" },
	/*
	 * A parent that is first recorded after other processes have died may be the new parent of
	 * an orphan. Only a process that is not younger than the task can have been its parent
	 * before.
	 */
	{ .name = "parent recorded late", .text =
	  "10 snap_begin epoch 1 | 11 state epoch 1 task 1/1 tgid 1 | 12 died 40/4 |"
	  "13 state epoch 1 task 50/5 tgid 50 parent 1/1 | 14 died 70/7 |"
	  "15 state epoch 1 task 60/6 tgid 60 parent 1/1 | 20 snap_end epoch 1 complete 1 tasks 3 |"
	  "end 1000 -> 50/5 parent 11 1/1?; 50/5 parent 13 1/1; 50/5 parent 14 1/1; "
	  "60/6 parent 12 1/1?; 60/6 parent 13 1/1" },
	/* No event says when a task gets another parent: it does when the old one is dead. */
	{ .name = "parents", .text =
	  "world | 100 born 200 of 100/4 | 110 born 300 of 200/100 | 111 born 301 of 200/100 |"
	  "150 died 200/100 | 180 died 300/110 |"
	  "end 1000 -> 300/110 parent 150 200/100; 300/110 parent 180 1/1; "
	  "301/111 parent 160 unknown; 300/110 parent 160 1/1?" },
	/* Without histories the latest values do not differ. */
	{ .name = "no history", .latest = true, .text =
	  "world | 50 oom_score_adj tgid 100 start 4 old 200 oom_score_adj 300 |"
	  "100 snap_begin epoch 2 purpose 1 |"
	  "105 state epoch 2 task 100/4 tgid 100 parent 1/1 file /bin/sh gid 1000 cgroup 77 ns 1 "
	  "nr 100 uid 1000 comm sh oom_score_adj 400 | 109 snap_end epoch 2 complete 0 |"
	  "200 rename task 100/4 old_comm sh comm last |"
	  "end 1000 -> 100/4 oom now 400; silent oom 1; 100/4 comm 300 unknown" },
	/* What an event says of the value before it, where nothing else does. */
	{ .name = "the value before the first event", .text =
	  "world | 50 rename task 70/5 old_comm was comm is | end 1000 ->"
	  "70/5 comm 49 was; 70/5 comm 50 is; silent comm 0" },
	/* As a name, any other value may still be read as it was before the event. */
	{ .name = "old value of a number", .text =
	  "world | 99 oom_score_adj tgid 100 start 4 old 200 oom_score_adj 300 |"
	  "100 snap_begin epoch 2 purpose 1 | 105 state epoch 2 task 100/4 tgid 100 parent 1/1 "
	  "file /bin/sh uid 1000 gid 1000 cgroup 77 ns 1 nr 100 comm sh oom_score_adj 200 |"
	  "109 snap_end epoch 2 complete 1 | end 1000 -> silent oom 0; 100/4 oom 500 300" },
};

/* Values that are not as expected, and texts that are no events of tasks. */
static void test_planted(void **state)
{
	static const struct {
		const char *text;
		const char *error;
	} planted[] = {
		{ "world -> 100/4 comm 50 sh; 100/4 oom 50 200; silent all 0", NULL },
		{ "world", "nothing is expected" },
		{ "world -> 100/4 comm 50 cat",
		  "expected: 100/4 comm 50 cat\nfound:    100/4 comm 50 sh\n" },
		{ "world -> 100/4 comm 50 sh?", "found:    100/4 comm 50 sh\n" },
		{ "world -> 100/4 oom 50 -200", "found:    100/4 oom 50 200\n" },
		{ "world -> 100/4 parent 50 2/2", "found:    100/4 parent 50 1/1\n" },
		{ "world -> 100/4 cgroup now 78", "found:    100/4 cgroup now 77\n" },
		{ "world -> silent oom 1", "found:    silent oom 0\n" },
		{ "world -> 100/5 comm 50 sh", "the task is not known" },
		{ "world -> 100/4 size 50 sh", "no attribute: 'size'" },
		{ "world -> 100 comm 50 sh", "TID/START is missing in '100'" },
		{ "50 exits task 1/1 -> silent all 0", "no event: 'exits'" },
		{ "50 exit tasks 1/1 -> silent all 0", "something is left in '1/1'" },
		{ "50 exit taks 1/1 -> silent all 0", "no member of an event: 'taks'" },
		{ "world 5", "neither | nor -> before '5'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(planted) / sizeof(planted[0]); i++) {
		const char *error = task_scenario_error(&(struct task_scenario){
			.text = planted[i].text });

		if (planted[i].error ? !error || !strstr(error, planted[i].error) : error != NULL)
			fail_msg("%s\n%s", planted[i].text, error ? error : "no error");
	}
}

static const struct lt_tasks_config with_history = { .history = true };

static struct lt_task_value at(struct lt_tasks *tb, uint32_t tid, uint64_t start,
			       enum lt_task_attr a, uint64_t time)
{
	return lt_tasks_at(tb, lt_tasks_find(tb, tid, start), a, time);
}

static void check_name(struct lt_tasks *tb, uint32_t tid, uint64_t start,
		       enum lt_task_attr a, uint64_t time, const char *name)
{
	struct lt_task_value v = at(tb, tid, start, a, time);

	assert_true(v.known);
	assert_true(name_is(tb, (uint32_t)v.u, name));
}

/* A name that changes often is found at each time. */
static void test_long_history(void **state)
{
	struct lt_tasks *tb = world(&with_history);
	char old[16] = "sh", new[16];

	(void)state;
	for (uint64_t i = 0; i < 2000; i++) {
		snprintf(new, sizeof(new), "name %u", (unsigned int)i);
		ev(tb, RENAME, 100 + i, .tid = 100, .start = 4, .old_comm = { old, strlen(old) },
		   .comm = { new, strlen(new) });
		strcpy(old, new);
	}
	lt_tasks_finish(tb, 5000);
	check_name(tb, 100, 4, LT_ATTR_COMM, 99, "sh");
	check_name(tb, 100, 4, LT_ATTR_COMM, 100, "name 0");
	check_name(tb, 100, 4, LT_ATTR_COMM, 1100, "name 1000");
	check_name(tb, 100, 4, LT_ATTR_COMM, 4000, "name 1999");
	assert_int_equal(lt_tasks_totals(tb)->silent[LT_ATTR_COMM], 0);
	lt_tasks_free(tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_planted), cmocka_unit_test(test_long_history),
	};

	return task_scenarios_main("task_attr", scenarios, sizeof(scenarios) / sizeof(scenarios[0]),
				   tests, sizeof(tests) / sizeof(tests[0]));
}

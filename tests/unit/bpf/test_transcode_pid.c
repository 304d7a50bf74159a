// SPDX-License-Identifier: GPL-2.0
/*
 * Raw records of tasks, system calls and areas become packets: see test_transcode.c.
 */
#include "transcodetest.h"

/* ------------------------------------------------------------------------
 * pid
 */

static void birth(struct session *s, uint32_t cpu, uint64_t time, uint32_t tid, uint32_t cursor)
{
	GIVE(PID(s, cpu), lt_raw_birth, .time = time, .kind = LT_RAW_BIRTH, .nr = tid,
	     .task = { tid, tid, time - 5 }, .creator = { 1, 1, 2 }, .ns = INITIAL,
	     .cursor = cursor, .clone_flags = 0x11,
	     .attr = { .parent = 9, .parent_start = 8, .ino = 7, .uid = 1000, .gid = 100,
		       .cgroup = 6, .oom_score_adj = -17, .flags = 2, .comm = "bash" });
}

static void test_births(void **state)
{
	struct session *s = *state;
	struct lt_record got;
	uint16_t initial;

	birth(s, 0, 1000, 500, 501);
	lt_transcode_last(s->tc, 2000);
	got = next(s, "pid_ns");
	CHECK(s, got, "inum", INITIAL);
	CHECK(s, got, "level", 0);
	initial = (uint16_t)value(s, &got, "ns");
	got = next(s, "task_new");
	CHECK(s, got, "tid", 500);
	CHECK(s, got, "start", 995);
	CHECK(s, got, "creator", 1);
	CHECK(s, got, "creator_start", 2);
	CHECK(s, got, "parent", 9);
	CHECK(s, got, "clone_flags", 0x11);
	CHECK(s, got, "ns", initial);
	CHECK(s, got, "nr", 500);
	CHECK(s, got, "generation", 1);
	CHECK(s, got, "ino", 7);
	CHECK(s, got, "uid", 1000);
	CHECK(s, got, "oom_score_adj", -17);
	et_assert_text(&got, "comm", "bash");
	et_assert_conserved(&s->t);
}

/* The cursor goes back; a ring that is read later has births of the generation before. */
static void test_wrap(void **state)
{
	struct session *s = *state;
	struct lt_record got;

	birth(s, 0, 1000, 32000, 32001);
	birth(s, 0, 1100, 301, 302);
	birth(s, 0, 1200, 300, 301);	/* read at one moment on two CPUs */
	birth(s, 1, 1050, 32050, 32051);
	birth(s, 1, 1150, 303, 304);
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	got = next(s, "task_new");
	CHECK(s, got, "generation", 1);
	got = next(s, "wrap");
	CHECK(s, got, "generation", 2);
	CHECK(s, got, "old_cursor", 32001);
	CHECK(s, got, "cursor", 302);
	CHECK(s, got, "nr", 301);
	for (unsigned int i = 0; i < 2; i++) {
		got = next(s, "task_new");
		CHECK(s, got, "generation", 2);
	}
	got = next(s, "task_new");
	CHECK(s, got, "generation", 1);
	got = next(s, "task_new");
	CHECK(s, got, "generation", 2);
}

static void number(struct session *s, uint32_t cpu, uint64_t time, uint32_t nr)
{
	GIVE(PID(s, cpu), lt_raw_number, .time = time, .kind = LT_RAW_NUMBER, .level = 1,
	     .nr = nr, .task = { 700, 700, time }, .ns = 4026532000U, .parent_ns = INITIAL,
	     .cursor = nr + 1);
}

static uint16_t next_number(struct session *s, uint32_t nr)
{
	struct lt_record got = next(s, "task_number");

	CHECK(s, got, "nr", nr);
	return (uint16_t)value(s, &got, "ns");
}

/* An inode number is used again: the first task of a namespace has the number 1. */
static void test_namespaces(void **state)
{
	struct session *s = *state;
	struct lt_record got;
	uint16_t first;

	birth(s, 0, 900, 600, 601);
	number(s, 0, 1001, 2);		/* its first task is in a ring that is read later */
	number(s, 1, 1000, 1);
	number(s, 1, 1002, 3);
	number(s, 1, 5000, 1);		/* another namespace */
	number(s, 1, 5001, 2);
	lt_transcode_last(s->tc, 9000);

	next(s, "pid_ns");
	next(s, "task_new");
	got = next(s, "pid_ns");
	CHECK(s, got, "level", 1);
	CHECK(s, got, "parent", 1);
	first = next_number(s, 2);
	assert_int_equal(value(s, &got, "ns"), first);
	assert_int_equal(next_number(s, 1), first);
	assert_int_equal(next_number(s, 3), first);
	got = next(s, "pid_ns");
	CHECK(s, got, "init_tid", 700);
	CHECK(s, got, "init_start", 5000);
	assert_int_not_equal(value(s, &got, "ns"), first);
	assert_int_equal(next_number(s, 1), value(s, &got, "ns"));
	assert_int_equal(next_number(s, 2), value(s, &got, "ns"));
}

/* ------------------------------------------------------------------------
 * Holders of numbers
 */

static void died(struct session *s, uint64_t time, uint32_t tid, uint64_t start)
{
	GIVE(PID(s, 0), lt_raw_exit, .time = time, .kind = LT_RAW_EXIT, .task = { tid, tid, start },
	     .boot = time + 7);
}

static void check_reused(struct session *s, uint32_t nr, uint32_t holders, uint64_t old,
			 uint64_t death, uint64_t start)
{
	struct lt_record got = next(s, "number_reused");

	CHECK(s, got, "nr", nr);
	CHECK(s, got, "holders", holders);
	CHECK(s, got, "old_start", old);
	CHECK(s, got, "old_death", death);
	CHECK(s, got, "start", start);
}

/* Behind the birth; who was found by a snapshot held the number before who is born later. */
static void test_reused(void **state)
{
	struct session *s = *state;
	struct lt_record got;

	lt_transcode_seed(s->tc, 900, lt_transcode_namespace(PID(s, 0), 900, INITIAL, 0, 0), 500,
			  500, 800);
	birth(s, 0, 850, 500, 501);	/* its exit, and the birth of who was found, are lost */
	birth(s, 0, 805, 500, 501);	/* the one that was found */
	died(s, 950, 500, 800);	/* and its number has had another task since */
	birth(s, 1, 1000, 500, 501);
	died(s, 1100, 500, 995);
	birth(s, 0, 1200, 500, 501);
	birth(s, 1, 1300, 501, 502);	/* nobody had it */
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	next(s, "task_new");
	check_reused(s, 500, 2, 800, 0, 845);
	next(s, "task_new");
	next(s, "exit");
	next(s, "exit");
	got = next(s, "task_new");
	CHECK(s, got, "start", 1195);
	check_reused(s, 500, 4, 995, 1107, 1195);
	next(s, "task_new");
	check_reused(s, 500, 3, 845, 0, 995);
	next(s, "task_new");
	et_assert_conserved(&s->t);
}

/* Who held a number before is given later: that it was given again is lost, and counted. */
static void test_reused_unseen(void **state)
{
	struct session *s = *state;
	struct lt_class_counts c;

	birth(s, 1, 1100, 500, 501);
	birth(s, 0, 1000, 500, 501);
	lt_transcode_last(s->tc, 2000);
	next(s, "task_new");
	next(s, "pid_ns");
	next(s, "task_new");
	c = lt_packet_counts(&s->t.packets[0], LT_CLASS_INDEX(LT_CLASS_REUSE));
	assert_int_equal(c.lost_nested, 1);
	et_assert_conserved(&s->t);
}

static void oom(struct session *s, uint64_t time, uint32_t tgid, int16_t value)
{
	GIVE(PID(s, 0), lt_raw_oom, .time = time, .kind = LT_RAW_OOM, .oom_score_adj = value,
	     .task = { tgid, tgid, 995 });
}

/* The value before is that of the birth, or of the last change. */
static void test_oom(void **state)
{
	struct session *s = *state;
	static const int old[] = { -17, 100 };
	struct lt_record got;

	birth(s, 0, 1000, 500, 501);
	oom(s, 1100, 500, 100);
	oom(s, 1200, 500, 200);
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	next(s, "task_new");
	for (unsigned int i = 0; i < 2; i++) {
		got = next(s, "oom_score_adj");
		CHECK(s, got, "old", old[i]);
		CHECK(s, got, "oom_score_adj", 100 + 100 * i);
	}
}

/* The death of a task is known in its inner namespace, too. */
static void test_reused_inside(void **state)
{
	struct session *s = *state;

	for (unsigned int i = 0; i < 2; i++) {
		GIVE(PID(s, 0), lt_raw_number, .time = 1000 + 100 * i, .kind = LT_RAW_NUMBER,
		     .level = 1, .nr = 5, .task = { 700 + i, 700 + i, 995 + 100 * i },
		     .ns = 4026532000U, .parent_ns = INITIAL, .cursor = 6);
		birth(s, 0, 1000 + 100 * i, 700 + i, 702);
		died(s, 1050 + 100 * i, 700 + i, 995 + 100 * i);
	}
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	next(s, "task_number");
	next(s, "pid_ns");
	next(s, "task_new");
	next(s, "exit");
	next(s, "task_number");
	next(s, "task_new");
	check_reused(s, 5, 2, 995, 1057, 1095);
	next(s, "exit");
	et_assert_conserved(&s->t);
}

static void given_on(struct session *s, uint32_t cpu, uint64_t time, unsigned int kind,
		     uint16_t level, uint32_t nr)
{
	GIVE(PID(s, cpu), lt_raw_given, .time = time, .kind = (uint8_t)kind, .level = level, .nr = nr,
	     .ns = level ? 4026532000U : INITIAL, .parent_ns = level ? INITIAL : 0,
	     .cursor = nr + 1, .boot = time);
}

static void given(struct session *s, uint64_t time, unsigned int kind, uint16_t level, uint32_t nr)
{
	given_on(s, 0, time, kind, level, nr);
}

static struct lt_record check_wrap(struct session *s, unsigned int why, uint64_t generation)
{
	struct lt_record got = next(s, "wrap");

	CHECK(s, got, "why", why);
	CHECK(s, got, "generation", generation);
	return got;
}

/* A number that is given twice ends a generation; one that no task gets is burned. */
static void test_exact(void **state)
{
	struct session *s = *state;
	struct lt_record got;

	lt_transcode_exact(s->tc);
	given(s, 1000, LT_RAW_GIVEN, 0, 500);
	birth(s, 0, 1001, 500, 501);
	given(s, 1002, LT_RAW_GIVEN, 0, 501);
	given(s, 1003, LT_RAW_FREED, 0, 501);
	died(s, 1004, 500, 996);
	given(s, 1005, LT_RAW_FREED, 0, 500);
	given(s, 1006, LT_RAW_GIVEN, 0, 500);
	birth(s, 0, 1007, 500, 501);
	birth(s, 0, 1008, 500, 501);	/* that it was given is lost, and so is an exit */
	given(s, 1009, LT_RAW_GIVEN, 0, 301);
	given(s, 1010, LT_RAW_GIVEN, 1, 1);
	given(s, 1011, LT_RAW_FREED, 1, 1);
	given(s, 1012, LT_RAW_GIVEN, 1, 1);
	lt_transcode_last(s->tc, 2000);
	got = next(s, "pid_ns");
	CHECK(s, got, "exact", 1);
	next(s, "task_new");
	next(s, "exit");
	got = check_wrap(s, LT_WRAP_AGAIN, 2);
	CHECK(s, got, "allocated", 3);
	CHECK(s, got, "burned", 1);
	got = next(s, "task_new");
	CHECK(s, got, "generation", 2);
	check_reused(s, 500, 2, 996, 1011, 1002);
	check_wrap(s, LT_WRAP_AGAIN, 3);
	next(s, "task_new");
	check_reused(s, 500, 3, 1002, 0, 1003);
	next(s, "pid_ns");
	got = next(s, "pid_ns_gone");
	CHECK(s, got, "burned", 1);
	got = next(s, "pid_ns");
	CHECK(s, got, "ns", 3);
	et_assert_conserved(&s->t);
}

/* Ends the namespace of level 1, so that a record has its counts. */
static void check_counts(struct session *s, uint64_t generation, uint64_t allocated,
			 uint64_t burned)
{
	struct lt_record got = next(s, "pid_ns_gone");

	CHECK(s, got, "generation", generation);
	CHECK(s, got, "allocated", allocated);
	CHECK(s, got, "burned", burned);
	CHECK(s, got, "wraps", 0);
}

static void birth_inside(struct session *s, uint32_t cpu, uint64_t time, uint32_t nr)
{
	GIVE(PID(s, cpu), lt_raw_number, .time = time, .kind = LT_RAW_NUMBER, .level = 1,
	     .nr = nr, .task = { 700 + nr, 700 + nr, time - 5 }, .ns = 4026532000U,
	     .parent_ns = INITIAL, .cursor = nr + 1);
}

/* A ring that was held up: a task's birth, or its end, is read before its number is given. */
static void test_exact_late(void **state)
{
	struct session *s = *state;

	lt_transcode_exact(s->tc);
	given(s, 1000, LT_RAW_GIVEN, 1, 1);
	birth_inside(s, 0, 1001, 1);
	birth_inside(s, 1, 1011, 2);
	given_on(s, 0, 1010, LT_RAW_GIVEN, 1, 2);
	given_on(s, 1, 1023, LT_RAW_FREED, 1, 3);
	given_on(s, 0, 1020, LT_RAW_GIVEN, 1, 3);
	birth_inside(s, 0, 1021, 3);
	given(s, 1030, LT_RAW_FREED, 1, 2);
	given(s, 1031, LT_RAW_GIVEN, 1, 4);
	given(s, 1032, LT_RAW_FREED, 1, 4);
	given(s, 1040, LT_RAW_FREED, 1, 1);
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	for (unsigned int i = 0; i < 2; i++)
		next(s, "task_number");
	check_counts(s, 1, 4, 1);
	next(s, "task_number");
}

/* The end of a short life comes first: the number is given once, and its next holder knows when. */
static void test_exact_end_first(void **state)
{
	struct session *s = *state;
	struct lt_record got;

	lt_transcode_exact(s->tc);
	birth(s, 0, 990, 400, 401);
	died(s, 1003, 500, 996);
	given_on(s, 0, 1004, LT_RAW_FREED, 0, 500);
	given_on(s, 0, 1000, LT_RAW_GIVEN, 0, 500);
	birth(s, 0, 1001, 500, 501);
	given_on(s, 0, 1010, LT_RAW_GIVEN, 0, 500);
	birth(s, 0, 1011, 500, 501);
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	next(s, "task_new");
	next(s, "exit");
	got = next(s, "task_new");
	CHECK(s, got, "generation", 1);
	got = check_wrap(s, LT_WRAP_AGAIN, 2);
	CHECK(s, got, "allocated", 3);
	next(s, "task_new");
	check_reused(s, 500, 2, 996, 1010, 1006);
}

/* A cursor of a time before that of the last one says nothing. */
static void test_exact_late_wrap(void **state)
{
	struct session *s = *state;
	struct lt_record got;

	lt_transcode_exact(s->tc);
	given_on(s, 0, 1000, LT_RAW_GIVEN, 0, 32000);
	given_on(s, 0, 1100, LT_RAW_GIVEN, 0, 301);
	given_on(s, 1, 1050, LT_RAW_GIVEN, 0, 32050);
	birth(s, 1, 1051, 32050, 32051);
	given_on(s, 1, 1150, LT_RAW_GIVEN, 0, 303);
	birth(s, 1, 1151, 303, 304);
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	got = check_wrap(s, LT_WRAP_CURSOR, 2);
	CHECK(s, got, "nr", 301);
	got = next(s, "task_new");
	CHECK(s, got, "generation", 1);
	got = next(s, "task_new");
	CHECK(s, got, "generation", 2);
	et_assert_conserved(&s->t);
}

static uint64_t lost(struct session *s, unsigned int class)
{
	const struct lt_packet *p = &s->t.packets[0];

	return lt_packet_counts(p, LT_CLASS_INDEX(class)).lost_nested;
}

/*
 * A task whose birth is lost had its number all the same: its exit says so. That is no number that
 * no task got, and who comes next had it from that task.
 */
static void test_lost_birth(void **state)
{
	struct session *s = *state;
	struct lt_record got;

	lt_transcode_exact(s->tc);
	birth(s, 0, 1000, 500, 501);
	died(s, 1010, 500, 995);
	given(s, 1011, LT_RAW_FREED, 0, 500);
	given(s, 1020, LT_RAW_GIVEN, 0, 500);
	died(s, 1030, 500, 1016);	/* who was born at 1021 */
	given(s, 1031, LT_RAW_FREED, 0, 500);
	birth(s, 0, 1040, 500, 501);
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	next(s, "task_new");
	next(s, "exit");
	check_wrap(s, LT_WRAP_AGAIN, 2);
	next(s, "exit");
	got = check_wrap(s, LT_WRAP_AGAIN, 3);
	CHECK(s, got, "burned", 0);
	next(s, "task_new");
	check_reused(s, 500, 3, 1016, 1037, 1035);
	assert_int_equal(lost(s, LT_CLASS_REUSE), 1);
	et_assert_conserved(&s->t);
}

/* The programs count lost births: each is a number that another may have had, once. */
static void test_lost_births(void **state)
{
	struct lt_class_counts counts[LT_N_CLASSES] = { { 0 } };
	struct session *s = *state;

	birth(s, 0, 1000, 500, 501);
	counts[LT_CLASS_INDEX(LT_CLASS_BIRTH)] = (struct lt_class_counts){ .seen = 3, .lost_full = 2 };
	counts[LT_CLASS_INDEX(LT_CLASS_NUMBER)] = (struct lt_class_counts){ .seen = 1, .lost_full = 1 };
	lt_transcode_begin(PID(s, 0), counts);
	died(s, 1030, 500, 1016);
	birth(s, 0, 1040, 500, 501);
	counts[LT_CLASS_INDEX(LT_CLASS_BIRTH)].seen++;
	lt_transcode_end(PID(s, 0), 1050);
	lt_transcode_last(s->tc, 2000);
	next(s, "pid_ns");
	next(s, "task_new");
	next(s, "exit");
	next(s, "task_new");
	check_reused(s, 500, 3, 1016, 1037, 1035);
	assert_int_equal(lt_packet_counts(&s->t.packets[1], LT_CLASS_INDEX(LT_CLASS_REUSE)).lost_nested, 3);
	et_assert_conserved(&s->t);
}

static void exec(struct session *s, const char *names, size_t n, uint32_t flags)
{
	uint64_t raw[(sizeof(struct lt_raw_exec) + 128) / 8] = { 0 };
	struct lt_raw_exec *e = (struct lt_raw_exec *)raw;

	*e = (struct lt_raw_exec){
		.time = 1000, .kind = LT_RAW_EXEC, .flags = flags, .task = { 5, 5, 50 },
		.old_tid = 6, .old_start = 60, .length = (uint32_t)n,
		.size = (uint16_t)((sizeof(*e) + n + 7) / 8 * 8),
	};
	memcpy((char *)raw + sizeof(*e), names, n);
	lt_transcode_record(PID(s, 0), (const struct lt_raw *)e);
}

static void test_exec(void **state)
{
	static const char *const want[] = {
		"/usr/bin/ls", ".../bin/ls", "./a.out", "/", "/x", ".../ls",
	};
	struct session *s = *state;
	struct lt_record got;

	exec(s, "ls\0bin\0usr", 11, 0);
	exec(s, "ls\0bin", 7, LT_RAW_EXEC_CUT);
	exec(s, "./a.out", 8, LT_RAW_EXEC_GIVEN);
	exec(s, "", 1, 0);
	exec(s, "x", 1, 0);		/* the zero is missing */
	exec(s, "ls", 3, LT_RAW_EXEC_CUT);
	exec(s, "", 0, 0);
	lt_transcode_last(s->tc, 2000);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		got = next(s, "exec");
		CHECK(s, got, "tid", 5);
		CHECK(s, got, "old_start", 60);
		et_assert_text(&got, "file", want[i]);
	}
	got = next(s, "exec");
	et_assert_text(&got, "file", "");
}

static void test_changes(void **state)
{
	struct session *s = *state;
	struct lt_transcode_ring *r = PID(s, 0);
	struct lt_record got;

	GIVE(r, lt_raw_rename, .time = 1000, .kind = LT_RAW_RENAME, .task = { 5, 5, 50 },
	     .old = "a", .comm = "b");
	GIVE(r, lt_raw_oom, .time = 1001, .kind = LT_RAW_OOM, .oom_score_adj = -500,
	     .task = { 5, 6, 50 }, .by = { 8, 8, 80 });
	GIVE(r, lt_raw_cred, .time = 1002, .kind = LT_RAW_CRED, .task = { 5, 5, 50 },
	     .old = { 1, 2, 3, 4 }, .now = { 11, 12, 13, 14 });
	GIVE(r, lt_raw_cgroup, .time = 1003, .kind = LT_RAW_CGROUP, .task = { 5, 5, 50 },
	     .group = 1, .hierarchy = 2, .cgroup = 3);
	GIVE(r, lt_raw_exit, .time = 1004, .kind = LT_RAW_EXIT, .task = { 5, 4, 50 },
	     .group_dead = 1, .code = 9, .maxrss = 3, .utime = 1, .nvcsw = 7,
	     .attr = { .parent = 2, .comm = "b", .oom_score_adj = 4 });
	GIVE(r, lt_raw_release, .time = 1005, .kind = LT_RAW_RELEASE, .task = { 5, 4, 50 },
	     .runtime = 99);
	lt_transcode_last(s->tc, 2000);
	got = next(s, "rename");
	et_assert_text(&got, "old", "a");
	et_assert_text(&got, "comm", "b");
	got = next(s, "oom_score_adj");
	CHECK(s, got, "tgid", 6);
	CHECK(s, got, "old", -500);	/* twice one value: not known */
	CHECK(s, got, "oom_score_adj", -500);
	CHECK(s, got, "by", 8);
	got = next(s, "cred");
	CHECK(s, got, "old_euid", 2);
	CHECK(s, got, "gid", 13);
	CHECK(s, got, "egid", 14);
	got = next(s, "cgroup");
	CHECK(s, got, "cgroup", 3);
	CHECK(s, got, "group", 1);
	got = next(s, "exit");
	CHECK(s, got, "tgid", 4);
	CHECK(s, got, "code", 9);
	CHECK(s, got, "maxrss", 3 * 4096);
	CHECK(s, got, "nvcsw", 7);
	CHECK(s, got, "oom_score_adj", 4);
	got = next(s, "release");
	CHECK(s, got, "runtime", 99);
	et_assert_conserved(&s->t);
}

/* ------------------------------------------------------------------------
 * syscall and area
 */

static void test_calls(void **state)
{
	/* read, getpid, a number that has no name, read of 32 bits, one that was cancelled */
	static const struct { int32_t nr; uint16_t flags; unsigned int n; } calls[] = {
		{ 0, 0, 3 }, { 39, 0, 0 }, { 9999, 0, 6 }, { 3, LT_SYS_COMPAT, 3 }, { -1, 0, 0 },
		{ 0, LT_SYS_BEGUN, 0 }, { 0, LT_SYS_NO_ARGS, 0 },
	};
	struct session *s = *state;
	struct lt_transcode_ring *r = ring(s, LT_CHANNEL_SYSCALL, 0);
	struct lt_record got;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		GIVE(r, lt_raw_sys, .time = 1000 + i, .kind = LT_RAW_SYS, .nr = calls[i].nr,
		     .flags = calls[i].flags, .duration = 50, .result = -2,
		     .args = { 1, 2, UINT64_MAX, 4, 5, 6 });
	GIVE(r, lt_raw_sys, .time = 2000, .kind = LT_RAW_SYS_BEGIN, .nr = 59,
	     .args = { 1, 2, 3, 4, 5, 6 });
	GIVE(r, lt_raw_sys_open, .time = 2001, .kind = LT_RAW_SYS_OPEN, .nr = 60, .why = 1,
	     .begin = 1990, .task = { 5, 4, 50 }, .args = { 9 });
	lt_transcode_last(s->tc, 3000);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		char name[8];

		got = next(s, "sys");
		assert_int_equal((int32_t)value(s, &got, "nr"), calls[i].nr);
		CHECK(s, got, "duration", 50);
		CHECK(s, got, "result", -2);
		for (unsigned int k = 0; k < 6; k++) {
			snprintf(name, sizeof(name), "arg%u", k);
			assert_int_equal(!!lt_schema_field(got.desc, name), k < calls[i].n);
			if (k < calls[i].n)
				CHECK(s, got, name, k == 2 ? UINT64_MAX : k + 1);
		}
	}
	got = next(s, "sys_begin");
	CHECK(s, got, "nr", 59);
	CHECK(s, got, "arg5", 6);
	got = next(s, "sys_open");
	CHECK(s, got, "why", 1);
	CHECK(s, got, "begin", 1990);
	CHECK(s, got, "start", 50);
	CHECK(s, got, "arg0", 9);
	et_assert_conserved(&s->t);
}

static void test_areas(void **state)
{
	struct session *s = *state;
	struct lt_transcode_ring *r = ring(s, LT_CHANNEL_AREA, 0);
	struct lt_record got;

	GIVE(r, lt_raw_area, .time = 1000, .kind = LT_RAW_VMALLOC, .ptr = 4096, .site = SITE,
	     .gfp = 5, .bytes_req = 100, .bytes_alloc = 4096, .node = -1);
	GIVE(r, lt_raw_area, .time = 1001, .kind = LT_RAW_VFREE, .ptr = 4096);
	GIVE(r, lt_raw_area, .time = 1002, .kind = LT_RAW_PERCPU_ALLOC, .ptr = 64, .bytes_req = 8,
	     .bytes_alloc = 8);
	GIVE(r, lt_raw_area, .time = 1003, .kind = LT_RAW_PERCPU_FREE, .ptr = 64);
	lt_transcode_last(s->tc, 2000);
	got = next(s, "vmalloc");
	CHECK(s, got, "bytes_alloc", 4096);
	CHECK(s, got, "node", -1);
	CHECK(s, got, "call_site", SITE);
	got = next(s, "vfree");
	CHECK(s, got, "ptr", 4096);
	next(s, "percpu_alloc");
	got = next(s, "percpu_free");
	CHECK(s, got, "ptr", 64);
	et_assert_conserved(&s->t);
}

int main(void)
{
#define T(test)	cmocka_unit_test_setup_teardown(test, begin, end)
	const struct CMUnitTest tests[] = {
		T(test_births), T(test_wrap), T(test_namespaces), T(test_reused),
		T(test_reused_unseen), T(test_oom), T(test_reused_inside), T(test_exact),
		T(test_exact_late), T(test_exact_end_first), T(test_exact_late_wrap),
		T(test_lost_birth), T(test_lost_births), T(test_exec),
		T(test_changes), T(test_calls), T(test_areas),
	};

	return cmocka_run_group_tests_name("transcode_pid", tests, NULL, NULL);
}

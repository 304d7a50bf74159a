// SPDX-License-Identifier: GPL-2.0
/*
 * Raw records of tasks, system calls and areas become packets: see test_transcode.c.
 */
#include "transcodetest.h"

/* ------------------------------------------------------------------------
 * pid
 */

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

/* Of a snapshot, it may be the value behind changes that are read later. */
static void test_oom_found(void **state)
{
	struct session *s = *state;
	static const int old[] = { 100, 100 };
	struct lt_record got;

	birth(s, 0, 1000, 500, 501);
	lt_transcode_found_oom(s->tc, 500, 995, -17);
	lt_transcode_found_oom(s->tc, 500, 995, 200);
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
		T(test_births), T(test_oom), T(test_oom_found), T(test_exec), T(test_changes),
		T(test_calls), T(test_areas),
	};

	return cmocka_run_group_tests_name("transcode_pid", tests, NULL, NULL);
}

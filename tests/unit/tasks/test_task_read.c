// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks from trace files: decoding on machines of either byte order, both channels in one
 * file, losses, and events that were not watched.
 */
#include "uapi/lifetrace_file.h"
#include "verify/tasks.h"
#include "tasks/read.h"
#include "trace/trace.h"
#include "tasktest.h"
#include "tracegen.h"

#define C0	TG_PID(0)
#define C1	TG_PID(1)

static void put_state(struct tg *g, uint64_t at, uint32_t epoch, uint32_t tid, uint64_t start)
{
	TG_PUT(g, C0, at, STATE, .epoch = epoch, .tid = tid, .tgid = tid, .start = start,
	       .parent = tid > 1, .parent_start = tid > 1, .ns = 1, .nr = tid, .state = "S",
	       .comm = "task", .oom_score_adj = -17, .file = "/bin/task");
}

/* A small session on two CPUs, with allocations beside it. */
static struct tg *session(const struct tg_options *o)
{
	struct tg *g = tg_new(o);

	tg_clock(g, 1000, 5000000, 6000, 1000, 1000);
	TG_PUT(g, C0, 1000, PID_NS, .ns = 1, .exact = 1, .cursor = 11);
	TG_PUT(g, C0, 1001, SNAP_BEGIN, .epoch = 1, .purpose = 0);
	put_state(g, 1002, 1, 1, 1);
	put_state(g, 1003, 1, 10, 500);
	TG_PUT(g, C0, 1004, SNAP_END, .epoch = 1, .complete = 1, .tasks = 2);
	tg_kmalloc(g, 0, 1005, 0xffff888000001000, 0xffffffff81000100, 60, 64, 0xcc0, -1);
	TG_PUT(g, C1, 1100, TASK_NEW, .tid = 20, .tgid = 20, .start = 6100, .creator = 10,
	       .creator_start = 500, .parent = 10, .parent_start = 500, .clone_flags = 17,
	       .ns = 1, .nr = 20, .ino = 0x1122334455667788, .uid = 1000, .gid = 100,
	       .cgroup = 0x99, .oom_score_adj = -17, .comm = "sixteen_bytes_ok");
	TG_PUT(g, C1, 1110, EXEC, .tid = 20, .start = 6100, .old_tid = 20, .old_start = 6100,
	       .file = "/bin/short");
	TG_PUT(g, C1, 1111, EXEC_WIDE, .tid = 20, .start = 6100, .old_tid = 20,
	       .old_start = 6100,
	       .file = "/a/path/that/is/longer/than/the/short/form/has/room/for/program");
	tg_kfree(g, 0, 1150, 0xffff888000001000, 0xffffffff81000200);
	TG_PUT(g, C0, 1200, EXIT, .tid = 20, .tgid = 20, .start = 6100, .group_dead = 1,
	       .code = 0x200, .parent = 1, .parent_start = 1, .utime = 0x1000000002, .stime = 3,
	       .runtime = 4, .maxrss = 1 << 20, .oom_score_adj = -17, .comm = "sixteen_bytes_ok");
	TG_PUT(g, C1, 1210, RELEASE, .tid = 20, .start = 6100);
	TG_PUT(g, C0, 1300, SNAP_BEGIN, .epoch = 2, .purpose = 2);
	put_state(g, 1301, 2, 1, 1);
	put_state(g, 1302, 2, 10, 500);
	TG_PUT(g, C0, 1303, SNAP_END, .epoch = 2, .complete = 1, .tasks = 2);
	TG_PUT(g, C0, 1304, PID_NS, .ns = 1, .exact = 1, .cursor = 21, .allocated = 1, .born = 1);
	return g;
}

static struct tg *end(struct tg *g, const char *path)
{
	tg_finish(g, 2000);
	assert_int_equal(tg_write(g, path, 0), 0);
	return g;
}

static struct lt_tasks *read_tasks(const char *path)
{
	struct lt_trace *t = lt_trace_open(path);
	struct lt_tasks *tb;

	assert_non_null(t);
	tb = lt_tasks_for(t, false);
	assert_non_null(tb);
	assert_int_equal(lt_tasks_read(t, tb), 0);
	lt_trace_close(t);
	return tb;
}

static void test_both_byte_orders(void **state)
{
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("x.lt"));
	for (int big = 0; big < 2; big++) {
		struct tg_options o = { .big_endian = big, .tasks = true };
		const struct lt_task_inst *t;
		struct lt_tasks *tb;

		tg_free(end(session(&o), path));
		tb = read_tasks(path);
		assert_int_equal(lt_tasks_count(tb), 3);
		t = inst_of(tb, 20, 6100);
		assert_int_equal(t->birth, 1100);
		assert_int_equal(t->end, 1200);
		assert_int_equal(t->release, 1210);
		assert_int_equal(t->code, 0x200);
		assert_int_equal(t->utime, 0x1000000002);
		assert_int_equal(t->ino, 0x1122334455667788);
		assert_int_equal(t->oom_score_adj, -17);
		assert_int_equal(t->uid, 1000);
		assert_int_equal(t->gid, 100);
		assert_int_equal(t->n_exec, 2);
		/* A text of its field's size has no zero behind it. */
		assert_true(name_is(tb, t->comm, "sixteen_bytes_ok"));
		assert_true(name_is(tb, t->first_file, "/bin/short"));
		assert_true(name_is(tb, t->file, "/a/path/that/is/longer/than/the/short/form/has/"
				    "room/for/program"));
		assert_int_equal(lt_tasks_get(tb, t->creator)->tid, 10);
		assert_int_equal(lt_tasks_totals(tb)->silent[LT_ATTR_OOM], 0);
		assert_int_equal(lt_tasks_totals(tb)->silent[LT_ATTR_COMM], 0);
		/* The clocks are 5000 ns apart. */
		assert_int_equal(lt_tasks_boot_time(tb, 1500), 6500);
		assert_int_equal(inst_of(tb, 10, 500)->death_is, LT_OPEN);
		lt_tasks_free(tb);
	}
}

static void test_verify(void **state)
{
	struct tg_options o = { .tasks = true };
	struct lt_task_proofs v;
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("x.lt"));
	tg_free(end(session(&o), path));
	assert_int_equal(lt_verify_tasks(path, &v), 0);
	assert_true(lt_task_proofs_good(&v));
	assert_string_equal(v.checks[LT_TASK_CHECK_POPULATION].text,
			    "initial 2 + births 1 - deaths 1 = 2; final 2");
	assert_string_equal(v.checks[LT_TASK_CHECK_NUMBERS].text,
			    "allocated 1 = born 1 + burned 0 + in flight 0");
	lt_task_proofs_destroy(&v);
}

/* One exit more, or one birth less, than the final snapshot says. */
static void test_verify_fails(void **state)
{
	struct tg_options o = { .tasks = true };
	struct lt_task_proofs v;
	char path[256];
	struct tg *g;

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("x.lt"));
	for (int lost = 0; lost < 2; lost++) {
		g = session(&o);
		TG_PUT(g, C0, 1400, SNAP_BEGIN, .epoch = 3, .purpose = 1);
		put_state(g, 1401, 3, 1, 1);
		put_state(g, 1402, 3, 30, 6200);
		TG_PUT(g, C0, 1403, SNAP_END, .epoch = 3, .complete = 1, .tasks = 2);
		if (lost) {
			/* The counters show both losses. */
			tg_close(g, C1, 1250);
			tg_lost(g, C1, LT_CLASS_BIRTH, TG_FULL, 3);
			tg_lost(g, C1, LT_CLASS_EXIT, TG_FULL, 1);
			tg_lost(g, C1, LT_CLASS_EXEC, TG_FULL, 4);
			tg_lost(g, C1, LT_CLASS_RELEASE, TG_FULL, 9);
			TG_PUT(g, C1, 1450, RELEASE, .tid = 1, .start = 99);
		}
		tg_free(end(g, path));
		assert_int_equal(lt_verify_tasks(path, &v), 0);
		assert_int_equal(v.checks[LT_TASK_CHECK_POPULATION].failures, lost ? 0 : 2);
		assert_int_equal(v.excused[LT_TASK_CHECK_POPULATION], lost ? 2 : 0);
		assert_int_equal(lt_task_proofs_good(&v), lost);
		if (lost)
			assert_non_null(strstr(v.checks[LT_TASK_CHECK_POPULATION].text,
					       "2 uncertain, for events were lost (3 births, "
					       "5 ends)"));
		lt_task_proofs_destroy(&v);
	}
}

/* A missing packet may have contained any event. */
static void test_missing_packet(void **state)
{
	struct tg_options o = { .tasks = true };
	struct lt_task_proofs v;
	char path[256];
	struct tg *g = session(&o);

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("x.lt"));
	tg_close(g, C1, 1250);
	TG_PUT(g, C1, 1260, EXIT, .tid = 10, .tgid = 10, .start = 500, .group_dead = 1);
	tg_drop(g, C1, 1270);
	TG_PUT(g, C0, 1400, SNAP_BEGIN, .epoch = 3, .purpose = 2);
	put_state(g, 1401, 3, 1, 1);
	TG_PUT(g, C0, 1403, SNAP_END, .epoch = 3, .complete = 1, .tasks = 1);
	TG_PUT(g, C1, 1450, RELEASE, .tid = 10, .start = 500);
	tg_free(end(g, path));
	assert_int_equal(lt_verify_tasks(path, &v), 0);
	assert_int_equal(v.excused[LT_TASK_CHECK_POPULATION], 1);
	assert_true(lt_task_proofs_good(&v));
	lt_task_proofs_destroy(&v);
}

/* A task that the final snapshot lacks has not ended if records of it were lost. */
static void test_missing_packet_of_snapshot(void **state)
{
	struct tg_options o = { .tasks = true };
	struct lt_task_proofs v;
	struct lt_tasks *tb;
	char path[256];
	struct tg *g = session(&o);

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("x.lt"));
	TG_PUT(g, C0, 1400, SNAP_BEGIN, .epoch = 3, .purpose = 2);
	put_state(g, 1401, 3, 1, 1);
	tg_close(g, C0, 1402);
	put_state(g, 1403, 3, 10, 500);
	tg_drop(g, C0, 1404);
	TG_PUT(g, C0, 1405, SNAP_END, .epoch = 3, .complete = 1, .tasks = 2);
	tg_free(end(g, path));
	tb = read_tasks(path);
	assert_int_equal(inst_of(tb, 10, 500)->ending, LT_TASK_END_ALIVE);
	assert_int_equal(inst_of(tb, 10, 500)->death_is, LT_UNCERTAIN);
	lt_tasks_free(tb);
	assert_int_equal(lt_verify_tasks(path, &v), 0);
	assert_true(lt_task_proofs_good(&v));
	assert_int_equal(v.excused[LT_TASK_CHECK_POPULATION], 1);
	lt_task_proofs_destroy(&v);
}

static void test_no_channel(void **state)
{
	struct tg_options o = { .kmem_only = true };
	struct lt_task_proofs v;
	struct lt_trace *t;
	char path[256];
	struct tg *g = tg_new(&o);

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("x.lt"));
	tg_kmalloc(g, 0, 1005, 0xffff888000001000, 0xffffffff81000100, 60, 64, 0xcc0, -1);
	tg_free(end(g, path));
	t = lt_trace_open(path);
	assert_non_null(t);
	test_stderr_begin();
	assert_null(lt_tasks_for(t, false));
	assert_non_null(strstr(test_stderr_end(), "the channel pid was not recorded"));
	lt_trace_close(t);
	assert_int_equal(lt_verify_tasks(path, &v), 0);
	for (unsigned int i = 0; i < LT_N_TASK_CHECKS; i++)
		assert_true(v.checks[i].absent);
	assert_true(lt_task_proofs_good(&v));
	lt_task_proofs_destroy(&v);
}

/* Births and ends that were not watched may have happened: nothing is certain. */
static void test_unwatched(void **state)
{
	struct tg_options o = { .tasks = true };
	struct tg *g = session(&o);
	struct lt_tasks *tb;
	struct lt_task_proofs v;
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("x.lt"));
	tg_text(g, LT_BLOCK_EVENTS, "kmalloc\ttracepoint\tnot watched\tnot asked for\n"
		"task_new\ttracepoint\twatched\t-\n"
		"exit\ttracepoint\tnot watched\tanother prototype\n");
	tg_free(end(g, path));
	assert_int_equal(lt_verify_tasks(path, &v), 0);
	assert_true(v.checks[LT_TASK_CHECK_POPULATION].absent);
	assert_string_equal(v.checks[LT_TASK_CHECK_POPULATION].text,
			    "the event exit was not watched: another prototype");
	lt_task_proofs_destroy(&v);
	tb = read_tasks(path);
	assert_int_equal(inst_of(tb, 10, 500)->death_is, LT_UNCERTAIN);
	assert_int_equal(inst_of(tb, 20, 6100)->birth_is, LT_EXACT);
	lt_tasks_free(tb);
}

/* A schema whose events lack needed fields is refused. */
static void test_poor_schema(void **state)
{
	static const char schema[] =
		"lifetrace-schema 1.0\nchannel 1 kmem\nchannel 2 pid\nclass 26 release r\n"
		"event 2 15 release release 8 gone\nfield tid u32 tid 0 t\n"
		"field tgid u32 tgid 4 t\n";
	struct tg_options o = { .tasks = true, .schema = schema };
	uint8_t payload[8] = { 1 };
	struct lt_tasks *tb;
	struct lt_task_proofs v;
	struct lt_trace *t;
	char path[256];
	struct tg *g = tg_new(&o);

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("x.lt"));
	tg_raw(g, C0, 1000, LT_EV_RELEASE, LT_CLASS_RELEASE, payload, sizeof(payload));
	tg_free(end(g, path));
	t = lt_trace_open(path);
	assert_non_null(t);
	tb = lt_tasks_for(t, false);
	assert_non_null(tb);
	test_stderr_begin();
	assert_int_equal(lt_tasks_read(t, tb), -1);
	assert_int_equal(lt_verify_tasks(path, &v), -1);
	assert_non_null(strstr(test_stderr_end(), "'release' has no field 'start'"));
	lt_tasks_free(tb);
	lt_trace_close(t);
}

/* The schema of a newer module: other offsets, more fields, an unknown event. */
static void test_newer_schema(void **state)
{
	static const char schema[] =
		"lifetrace-schema 1.7\nchannel 2 pid\nclass 16 birth b\n"
		"event 2 1 task_new birth 40 born\nfield new u64 num 0 ?\n"
		"field start u64 nsec 8 t\n"
		"field tgid u64 tgid 16 t\nfield tid u64 tid 24 t\nfield comm char8 text 32 t\n"
		"field flags u8 bits 0 f\n"
		"event 2 29 party - 4 new\nfield tid u32 tid 0 t\n";
	/* The record is in this machine's byte order. */
	struct tg_options o = {
		.tasks = true, .schema = schema,
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
	};
	struct { uint8_t flags[8]; uint64_t start, tgid, tid; char comm[8]; } rec = {
		{ 2 }, 77, 5, 6, "abcdefgh"
	};
	struct lt_tasks *tb;
	uint32_t unknown = 3;
	char path[256];
	struct tg *g = tg_new(&o);

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("x.lt"));
	tg_raw(g, C0, 1000, LT_EV(LT_CHANNEL_PID, 29), LT_CLASS_NONE, &unknown, 4);
	tg_raw(g, C0, 1001, LT_EV_TASK_NEW, LT_CLASS_BIRTH, &rec, sizeof(rec));
	tg_free(end(g, path));
	test_stderr_begin();
	tb = read_tasks(path);
	test_stderr_end();
	assert_int_equal(lt_tasks_count(tb), 1);
	assert_int_equal(inst_of(tb, 6, 77)->tgid, 5);
	assert_int_equal(inst_of(tb, 6, 77)->flags, LT_TASK_FLAG_IO_WORKER);
	assert_true(name_is(tb, inst_of(tb, 6, 77)->comm, "abcdefgh"));
	lt_tasks_free(tb);
}

/* What ends behind the end of the trace was alive then; and each doubt has its reason. */
static void test_end(void **state)
{
	const struct tg_options o = { .tasks = true };
	struct lt_tasks *tb;
	char path[256], buf[96];
	struct tg *g = session(&o);

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("x.lt"));
	tg_finish(g, 2000);
	tg_text(g, LT_BLOCK_STATS, "state idle\nstopped 1190\n");
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	tb = read_tasks(path);
	assert_int_equal(inst_of(tb, 20, 6100)->death_is, LT_OPEN);
	assert_int_equal(inst_of(tb, 20, 6100)->end, 1190);
	assert_int_equal(inst_of(tb, 10, 500)->end, 1190);
	assert_string_equal(lt_task_end_why(tb, inst_of(tb, 20, 6100), buf, sizeof(buf)),
			    "alive at the end");
	assert_string_equal(lt_task_birth_why(tb, inst_of(tb, 20, 6100), buf, sizeof(buf)), "");
	assert_string_equal(lt_task_birth_why(tb, inst_of(tb, 10, 500), buf, sizeof(buf)),
			    "in the initial snapshot");
	assert_int_equal(lt_task_birth_cause(tb, inst_of(tb, 10, 500)), LT_TASK_WHY_BEFORE);
	lt_tasks_free(tb);

	g = tg_new(&o);
	TG_PUT(g, C0, 1000, EXIT, .tid = 7, .tgid = 7, .start = 5);
	TG_PUT(g, C1, 1000, TASK_NEW, .tid = 9, .tgid = 9, .start = 6);
	tg_close(g, C1, 1100);
	tg_lost(g, C1, LT_CLASS_EXIT, TG_FULL, 1);
	TG_PUT(g, C1, 1200, TASK_NEW, .tid = 10, .tgid = 10, .start = 7);
	tg_free(end(g, path));
	tb = read_tasks(path);
	assert_int_equal(inst_of(tb, 9, 6)->death_is, LT_UNCERTAIN);
	assert_string_equal(lt_task_end_why(tb, inst_of(tb, 9, 6), buf, sizeof(buf)),
			    "exits lost on cpu 1 at 0.000001 s");
	assert_int_equal(lt_task_end_cause(tb, inst_of(tb, 9, 6)), LT_TASK_WHY_LOST);
	assert_int_equal(lt_task_end_cause(tb, inst_of(tb, 10, 7)), LT_TASK_WHY_ALIVE);
	assert_int_equal(lt_task_end_cause(tb, inst_of(tb, 7, 5)), LT_TASK_WHY_NONE);
	assert_int_equal(lt_task_birth_cause(tb, inst_of(tb, 9, 6)), LT_TASK_WHY_NONE);
	assert_string_equal(lt_task_end_why(tb, inst_of(tb, 10, 7), buf, sizeof(buf)),
			    "alive at the end");
	assert_string_equal(lt_task_end_why(tb, inst_of(tb, 7, 5), buf, sizeof(buf)), "");
	lt_tasks_free(tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_byte_orders),
		cmocka_unit_test(test_verify),
		cmocka_unit_test(test_verify_fails),
		cmocka_unit_test(test_missing_packet),
		cmocka_unit_test(test_missing_packet_of_snapshot),
		cmocka_unit_test(test_no_channel),
		cmocka_unit_test(test_unwatched),
		cmocka_unit_test(test_poor_schema),
		cmocka_unit_test(test_newer_schema), cmocka_unit_test(test_end),
	};

	return cmocka_run_group_tests_name("task_read", tests, NULL, NULL);
}

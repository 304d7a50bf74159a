// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks from trace files: decoding on machines of either byte order, both channels in one
 * file, losses, and events that were not watched.
 */
#include "uapi/lifetrace_file.h"
#include "verify/tasks.h"
#include "tasks/read.h"
#include "trace/trace.h"
#include "task_script.h"
#include "tracegen.h"

#define STATE(epoch, task)							\
	"state epoch " #epoch " " task						\
	" ns 1 state S comm task oom_score_adj -17 file /bin/task |"
#define FIRST_TASK	"task 1/1 tgid 1 nr 1"
#define TASK(n, start)								\
	"task " #n "/" #start " tgid " #n " nr " #n " parent 1/1"
#define LONG_PATH	"/a/path/that/is/longer/than/the/short/form/has/room/for/program"

/* A small session on two CPUs, with allocations beside it. The clocks are 5000 ns apart. */
#define SESSION									\
	"clock 1000 6000 | c0 1000 pid_ns ns 1 exact 1 cursor 11 |"		\
	"c0 1001 snap_begin epoch 1 purpose 0 | c0 1002 " STATE(1, FIRST_TASK)		\
	"c0 1003 " STATE(1, TASK(10, 500)) "c0 1004 snap_end epoch 1 complete 1 tasks 2 |" \
	"c0 1005 kmalloc |"							\
	"c1 1100 task_new task 20/6100 tgid 20 creator 10/500 parent 10/500 clone_flags 17 " \
	"ns 1 nr 20 ino 0x1122334455667788 uid 1000 gid 100 cgroup 0x99 oom_score_adj -17 " \
	"comm sixteen_bytes_ok |"						\
	"c1 1110 exec task 20/6100 old_task 20/6100 file /bin/short |"		\
	"c1 1111 wide exec task 20/6100 old_task 20/6100 file " LONG_PATH " |"	\
	"c0 1150 kfree |"							\
	"c0 1200 exit task 20/6100 tgid 20 group_dead 1 code 0x200 parent 1/1 "	\
	"utime 0x1000000002 stime 3 runtime 4 maxrss 1048576 oom_score_adj -17 " \
	"comm sixteen_bytes_ok |"						\
	"c1 1210 release task 20/6100 | c0 1300 snap_begin epoch 2 purpose 2 |"	\
	"c0 1301 " STATE(2, FIRST_TASK) "c0 1302 " STATE(2, TASK(10, 500))		\
	"c0 1303 snap_end epoch 2 complete 1 tasks 2 |"				\
	"c0 1304 pid_ns ns 1 exact 1 cursor 21 allocated 1 born 1 |"

/* A text of its field's size has no zero behind it. */
#define DECODED	SESSION "end 2000 ->"						\
	"tasks 3; 20/6100 is birth 1100; 20/6100 is end 1200; 20/6100 is release 1210;" \
	"20/6100 is code 0x200; 20/6100 is utime 0x1000000002;"			\
	"20/6100 is ino 0x1122334455667788; 20/6100 is oom_score_adj -17;"	\
	"20/6100 is uid 1000; 20/6100 is gid 100; 20/6100 is n_exec 2;"		\
	"20/6100 is comm sixteen_bytes_ok; 20/6100 is first_file /bin/short;"	\
	"20/6100 is file " LONG_PATH "; 20/6100 is creator 10/500; silent oom 0;" \
	"silent comm 0; boot_time 1500 6500; 10/500 is death_is open"

/* One exit more, or one birth less, than the final snapshot says. */
#define UNLIKE									\
	"c0 1400 snap_begin epoch 3 purpose 1 | c0 1401 " STATE(3, FIRST_TASK)		\
	"c0 1402 " STATE(3, TASK(30, 6200)) "c0 1403 snap_end epoch 3 complete 1 tasks 2 |"

static const struct task_trace_scenario scenarios[] = {
	{ .name = "little endian", .text = DECODED },
	{ .name = "big endian", .big_endian = true, .text = DECODED },
	{ .name = "proofs", .text = SESSION "end 2000 ->"
	  "good; population is `initial 2 + births 1 - deaths 1 = 2; final 2`;"
	  "numbers is `allocated 1 = born 1 + burned 0 + in flight 0`" },
	{ .name = "proofs fail", .text = SESSION UNLIKE "end 2000 ->"
	  "population fails 2; population excused 0; bad" },
	/* The counters show both losses. */
	{ .name = "losses excuse", .text = SESSION UNLIKE
	  "c1 close 1250 | c1 lost birth 3 | c1 lost exit 1 | c1 lost exec 4 | c1 lost release 9 |"
	  "c1 1450 release task 1/99 | end 2000 ->"
	  "population fails 0; population excused 2; good;"
	  "population says `2 uncertain, for events were lost (3 births, 5 ends)`" },
	/* A missing packet may have contained any event. */
	{ .name = "a packet is missing", .text = SESSION
	  "c1 close 1250 | c1 1260 exit task 10/500 tgid 10 group_dead 1 | c1 drop 1270 |"
	  "c0 1400 snap_begin epoch 3 purpose 2 | c0 1401 " STATE(3, FIRST_TASK)
	  "c0 1403 snap_end epoch 3 complete 1 tasks 1 | c1 1450 release task 10/500 |"
	  "end 2000 -> population excused 1; good" },
	/* A task that the final snapshot lacks has not ended if records of it were lost. */
	{ .name = "a packet of a snapshot is missing", .text = SESSION
	  "c0 1400 snap_begin epoch 3 purpose 2 | c0 1401 " STATE(3, FIRST_TASK)
	  "c0 close 1402 | c0 1403 " STATE(3, TASK(10, 500)) "c0 drop 1404 |"
	  "c0 1405 snap_end epoch 3 complete 1 tasks 2 | end 2000 ->"
	  "10/500 is ending alive; 10/500 is death_is uncertain; good; population excused 1" },
	{ .name = "no channel", .no_tasks = true, .text = "c0 1005 kmalloc | end 2000 ->"
	  "population absent; reuse absent; generations absent; numbers absent; good" },
	/* Births and ends that were not watched may have happened: nothing is certain. */
	{ .name = "unwatched", .events =
	  "kmalloc\ttracepoint\tnot watched\tnot asked for\n"
	  "task_new\ttracepoint\twatched\t-\n"
	  "exit\ttracepoint\tnot watched\tanother prototype\n", .text = SESSION "end 2000 ->"
	  "population absent;"
	  "population is `the event exit was not watched: another prototype`;"
	  "10/500 is death_is uncertain; 20/6100 is birth_is exact" },
	/* What ends behind the end of the trace was alive then. */
	{ .name = "stopped before an end", .stats = "state idle\nstopped 1190\n",
	  .text = SESSION "end 2000 ->"
	  "20/6100 is death_is open; 20/6100 is end 1190; 10/500 is end 1190;"
	  "20/6100 is end_why `alive at the end`; 20/6100 is birth_why ``;"
	  "10/500 is birth_why `in the initial snapshot`; 10/500 is birth_cause before" },
	{ .name = "each doubt has its reason", .text =
	  "c0 1000 exit task 7/5 tgid 7 | c1 1000 task_new task 9/6 tgid 9 | c1 close 1100 |"
	  "c1 lost exit 1 | c1 1200 task_new task 10/7 tgid 10 | end 2000 ->"
	  "9/6 is death_is uncertain; 9/6 is end_why `exits lost on cpu 1 at 0.000001 s`;"
	  "9/6 is end_cause lost; 10/7 is end_cause alive; 7/5 is end_cause none;"
	  "9/6 is birth_cause none; 10/7 is end_why `alive at the end`; 7/5 is end_why ``" },
};

/*
 * Records of another schema are bytes: their events and members have no names in the notation.
 */

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
	tg_raw(g, TG_PID(0), 1000, LT_EV_RELEASE, LT_CLASS_RELEASE, payload, sizeof(payload));
	tg_finish(g, 2000);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
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
	struct lt_trace *t;
	uint32_t unknown = 3;
	char path[256];
	struct tg *g = tg_new(&o);

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("x.lt"));
	tg_raw(g, TG_PID(0), 1000, LT_EV(LT_CHANNEL_PID, 29), LT_CLASS_NONE, &unknown, 4);
	tg_raw(g, TG_PID(0), 1001, LT_EV_TASK_NEW, LT_CLASS_BIRTH, &rec, sizeof(rec));
	tg_finish(g, 2000);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	test_stderr_begin();
	t = lt_trace_open(path);
	assert_non_null(t);
	tb = lt_tasks_for(t, false);
	assert_non_null(tb);
	assert_int_equal(lt_tasks_read(t, tb), 0);
	lt_trace_close(t);
	test_stderr_end();
	assert_int_equal(lt_tasks_count(tb), 1);
	assert_int_equal(inst_of(tb, 6, 77)->tgid, 5);
	assert_int_equal(inst_of(tb, 6, 77)->flags, LT_TASK_FLAG_IO_WORKER);
	assert_true(name_is(tb, inst_of(tb, 6, 77)->comm, "abcdefgh"));
	lt_tasks_free(tb);
}

/* Tasks that are not as expected, and texts that are no trace of tasks. */
static void test_planted(void **state)
{
	static const struct {
		const char *text;
		const char *error;
	} planted[] = {
		{ SESSION "end 2000 -> tasks 3; 10/500 is comm task; good", NULL },
		{ SESSION "end 2000 -> tasks 2", "expected: tasks 2\nfound:    tasks 3\n" },
		{ SESSION "end 2000 -> 20/6100 is utime 2", "is utime 68719476738\n" },
		{ SESSION "end 2000 -> 20/6100 is comm other", "is comm sixteen_bytes_ok\n" },
		{ SESSION "end 2000 -> 20/6100 is oom_score_adj 17", "oom_score_adj -17\n" },
		{ SESSION "end 2000 -> 20/6100 is death_is open", "death_is exact\n" },
		{ SESSION "end 2000 -> 20/6100 is creator 1/1", "is creator 10/500\n" },
		{ SESSION "end 2000 -> numbers is `allocated 1`", "numbers is allocated 1 = born" },
		{ SESSION "end 2000 -> 21/1 is end 1", "the task is not known" },
		{ SESSION "end 2000 -> 10/500 is old 1", "no member of a task: 'old'" },
		{ SESSION "end 2000 -> tasks 3 4", "no ; before '4'" },
		{ "c0 1000 exit size 4 | end 1 -> tasks 0", "no member of the record: 'size'" },
		{ "c0 1000 exits | end 1 -> tasks 0", "no event: 'exits'" },
		{ "c0 lost kfree 1 | end 1 -> tasks 0", "no class of events: 'kfree'" },
		{ "c0 1000 exit comm a_name_of_17_byte | end 1 -> tasks 0", "too long for" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(planted) / sizeof(planted[0]); i++) {
		const char *error = task_trace_scenario_error(&(struct task_trace_scenario){
			.text = planted[i].text });

		if (planted[i].error ? !error || !strstr(error, planted[i].error) : error != NULL)
			fail_msg("%s\n%s", error ? error : "no error", planted[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_poor_schema), cmocka_unit_test(test_newer_schema),
		cmocka_unit_test(test_planted),
	};

	return task_trace_scenarios_main("task_read", scenarios,
					 sizeof(scenarios) / sizeof(scenarios[0]), tests, 3);
}

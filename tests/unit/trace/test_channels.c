// SPDX-License-Identifier: GPL-2.0
/*
 * Two channels in one trace: merged into one sequence, each with numbers, counters
 * and losses of its own.
 */
#include "uapi/lifetrace_file.h"
#include "trace/internal.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000001000ULL
#define SITE	0xffffffff81000100ULL
#define LONG	(1ULL << 40)

static struct lt_trace *open_trace(struct tg *g, unsigned int flags)
{
	struct lt_trace *t;

	assert_int_equal(tg_write(g, test_path("two.lt"), flags), 0);
	test_stderr_begin();
	t = lt_trace_open(test_path("two.lt"));
	test_stderr_end();
	assert_non_null(t);
	tg_free(g);
	return t;
}

/* The value of a field of the event that came last. */
static uint64_t value(struct lt_trace *t, const struct lt_event *ev, const char *name)
{
	const struct lt_field *f = lt_schema_field(lt_trace_desc(t), name);

	assert_non_null(f);
	return lt_field_value(lt_trace_packet(t), f, ev->raw);
}

static void check_text(struct lt_trace *t, const struct lt_event *ev, const char *name,
		       const char *expected, size_t size)
{
	const struct lt_field *f = lt_schema_field(lt_trace_desc(t), name);

	assert_non_null(f);
	assert_int_equal(f->type, LT_TYPE_CHARS);
	assert_int_equal(f->size, size);
	assert_int_equal(strnlen((const char *)ev->raw + f->offset, f->size), strlen(expected));
	assert_memory_equal(ev->raw + f->offset, expected, strlen(expected));
}

/* ------------------------------------------------------------------------
 * Every event of the channel pid once
 */

/* A path that fills its field: no zero byte ends it. */
static const char *full_path(size_t size)
{
	static char path[4097];

	memset(path, 'p', size);
	path[0] = '/';
	path[size] = 0;
	return path;
}

static void put_exec(struct tg *g)
{
	struct lt_rec_EXEC_WIDE wide = { .tid = 17, .start = 500, .old_tid = 18,
					 .old_start = 600 };
	struct lt_rec_EXEC_HUGE huge = { .tid = 17, .start = 500, .old_tid = 17,
					 .old_start = 500 };
	struct lt_rec_STATE_HUGE state = { .epoch = 1, .tid = 17, .tgid = 17, .start = 500,
					   .oom_score_adj = -1000, .state = "S" };

	memcpy(wide.file, full_path(256), 256);
	memcpy(huge.file, full_path(4096), 4096);
	memcpy(state.file, full_path(4096), 4096);
	TG_PUT(g, TG_PID(1), 2007, EXEC, .tid = 18, .start = 600, .old_tid = 18,
	       .old_start = 600, .file = "/bin/true");
	tg_put(g, TG_PID(1), 2008, LT_EV_EXEC_WIDE, &wide);
	tg_put(g, TG_PID(1), 2009, LT_EV_EXEC_HUGE, &huge);
	TG_PUT(g, TG_PID(0), 2017, STATE, .epoch = 1, .tid = 1, .tgid = 1, .start = 5,
	       .flags = 8, .state = "Z", .file = "/sbin/init");
	TG_PUT(g, TG_PID(0), 2018, STATE_WIDE, .epoch = 1, .tid = 2, .tgid = 2, .start = 6,
	       .state = "I", .file = "/wide");
	tg_put(g, TG_PID(0), 2019, LT_EV_STATE_HUGE, &state);
}

static struct tg *every_event(const struct tg_options *o)
{
	struct tg *g = tg_new(o);

	tg_auto_task(g, true);
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	TG_PUT(g, TG_PID(0), 2001, TASK_NEW, .tid = 18, .tgid = 17, .start = 600, .creator = 17,
	       .creator_start = 500, .parent = 1, .parent_start = 5,
	       .clone_flags = 0x123456789abcdefULL, .flags = 2, .ns = 0x1234, .nr = 3,
	       .generation = 77, .ino = 88, .uid = 1000, .gid = 1001, .cgroup = 99,
	       .oom_score_adj = -500, .comm = "sixteen letters!");
	TG_PUT(g, TG_PID(0), 2002, TASK_NUMBER, .tid = 18, .start = 600, .ns = 2, .nr = 3,
	       .generation = 4);
	TG_PUT(g, TG_PID(0), 2003, NUMBER_REUSED, .ns = 1, .nr = 18, .holders = 2,
	       .old_tid = 18, .old_start = 100, .old_death = 200, .tid = 18, .start = 600);
	TG_PUT(g, TG_PID(1), 2004, WRAP, .ns = 1, .generation = 5, .wraps = 4, .why = 2, .nr = 9);
	TG_PUT(g, TG_PID(1), 2005, PID_NS, .ns = 2, .parent = 1, .level = 1, .exact = 1,
	       .inum = 0xf0000001, .born = 6);
	TG_PUT(g, TG_PID(1), 2006, PID_NS_GONE, .ns = 2, .generation = 3, .burned = 1);
	put_exec(g);
	TG_PUT(g, TG_PID(1), 2010, RENAME, .tid = 17, .start = 500, .old = "cat", .comm = "dog");
	TG_PUT(g, TG_PID(1), 2011, OOM, .tgid = 17, .start = 500, .old = 0,
	       .oom_score_adj = -17, .by = 1, .by_start = 5);
	TG_PUT(g, TG_PID(1), 2012, CRED, .tid = 17, .start = 500, .uid = 65534, .egid = 3);
	TG_PUT(g, TG_PID(1), 2013, CGROUP, .tid = 17, .start = 500, .group = 1, .cgroup = 12);
	TG_PUT(g, TG_PID(1), 2014, EXIT, .tid = 18, .tgid = 17, .start = 600, .code = 0x0900,
	       .runtime = 1234567, .oom_score_adj = 1000, .comm = "cat");
	TG_PUT(g, TG_PID(1), 2015, RELEASE, .tid = 18, .start = 600, .runtime = 1234568);
	TG_PUT(g, TG_PID(1), 2016, SNAP_BEGIN, .epoch = 1, .purpose = 2, .cursor = 19,
	       .generation = 5, .lost = 1ULL << 33);
	/* More than 2^25 units later: the long form. */
	TG_PUT(g, TG_PID(0), LONG, SNAP_END, .epoch = 1, .complete = 1, .tasks = 3);
	TG_PUT(g, TG_PID(0), LONG + 1, COUNTER, .tid = 18, .start = 600, .counter = 2, .user = 1,
	       .value = 1ULL << 40, .enabled = 5, .running = 4);
	tg_kfree(g, 1, LONG + 2, PTR, SITE);
	tg_finish(g, LONG + 3);
	return g;
}

static void check_fields(struct lt_trace *t, const struct lt_event *ev)
{
	switch (ev->time) {
	case 2001:
		assert_int_equal(value(t, ev, "clone_flags"), 0x123456789abcdefULL);
		assert_int_equal(value(t, ev, "ns"), 0x1234);
		assert_int_equal((int64_t)value(t, ev, "oom_score_adj"), -500);
		check_text(t, ev, "comm", "sixteen letters!", 16);
		break;
	case 2005:
		assert_int_equal(value(t, ev, "inum"), 0xf0000001);
		break;
	case 2008:
		assert_int_equal(value(t, ev, "old_start"), 600);
		check_text(t, ev, "file", full_path(256), 256);
		break;
	case 2009:
		check_text(t, ev, "file", full_path(4096), 4096);
		break;
	case 2014:
		assert_int_equal(value(t, ev, "code"), 0x0900);
		assert_int_equal(value(t, ev, "runtime"), 1234567);
		break;
	case 2016:
		assert_int_equal(value(t, ev, "lost"), 1ULL << 33);
		break;
	case LONG + 1:
		assert_int_equal(value(t, ev, "value"), 1ULL << 40);
		assert_int_equal(value(t, ev, "running"), 4);
		break;
	case 2017:
		check_text(t, ev, "state", "Z", 1);
		check_text(t, ev, "file", "/sbin/init", 56);
		break;
	case 2019:
		assert_int_equal((int64_t)value(t, ev, "oom_score_adj"), -1000);
		check_text(t, ev, "file", full_path(4096), 4096);
		break;
	}
}

static void check_every_event(struct lt_trace *t)
{
	static const uint16_t ids[] = {
		LT_EV_TASK_NEW, LT_EV_TASK_NUMBER, LT_EV_NUMBER_REUSED, LT_EV_WRAP, LT_EV_PID_NS,
		LT_EV_PID_NS_GONE, LT_EV_EXEC, LT_EV_EXEC, LT_EV_EXEC, LT_EV_RENAME, LT_EV_OOM,
		LT_EV_CRED, LT_EV_CGROUP, LT_EV_EXIT, LT_EV_RELEASE, LT_EV_SNAP_BEGIN,
		LT_EV_STATE, LT_EV_STATE, LT_EV_STATE, LT_EV_SNAP_END, LT_EV_COUNTER,
	};
	struct lt_event ev;
	unsigned int n = 0;

	while (lt_trace_next(t, &ev) > 0) {
		if (ev.channel != LT_CHANNEL_PID) {
			assert_true(ev.id == LT_EV_TASK || ev.id == LT_EV_KFREE);
			continue;
		}
		assert_true(n < sizeof(ids) / sizeof(ids[0]));
		assert_int_equal(ev.time, n < 19 ? 2001 + n : LONG + n - 19);
		assert_int_equal(ev.id, ids[n]);
		assert_null(ev.task);
		check_fields(t, &ev);
		n++;
	}
	assert_int_equal(n, 21);
	assert_int_equal(lt_trace_records(t, LT_CLASS_STATE), 3);
	assert_int_equal(lt_trace_records(t, LT_CLASS_EXEC), 3);
	assert_int_equal(lt_trace_counts(t, LT_CLASS_STATE).seen, 3);
	assert_int_equal(lt_trace_counts(t, LT_CLASS_KFREE).seen, 1);
	assert_int_equal(lt_trace_counts(t, LT_CLASS_BIRTH).seen, 1);
	assert_int_equal(lt_trace_gap_end(t, LT_SPACE_NONE), 0);
	assert_string_equal(lt_trace_class_name(t, LT_CLASS_STATE), "state");
	assert_string_equal(lt_trace_event_name(t, LT_EV_SNAP_END), "snap_end");
}

static void test_every_event(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		struct tg_options o = { .big_endian = i & 1, .subbuf_size = i & 2 ? 5200 : 0 };
		struct lt_trace *t = open_trace(every_event(&o), i & 4 ? TG_ZSTD : TG_NO_INDEX);

		check_every_event(t);
		lt_trace_close(t);
	}
}

static void test_live(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		struct tg *g = every_event(&(struct tg_options){ .big_endian = i,
								 .subbuf_size = 5200 });
		struct tg_packet *p;
		struct lt_trace *t;
		size_t n;

		t = lt_trace_live(tg_info_text(g), tg_schema_text(g));
		assert_non_null(t);
		p = tg_packets(g, &n);
		for (size_t k = 0; k < n; k++)
			assert_int_equal(lt_trace_push(t, p[k].data, p[k].size), 0);
		lt_trace_watermark(t, UINT64_MAX);
		check_every_event(t);
		lt_trace_close(t);
		tg_free(g);
	}
}

/* Of the same time: frees last; by CPU, then channel, then as they were written. */
static void test_order(void **state)
{
	static const struct {
		uint32_t cpu;
		uint8_t channel;
		uint64_t seq;
	} expected[] = {
		{ 0, LT_CHANNEL_KMEM, 0 }, { 0, LT_CHANNEL_PID, 0 }, { 0, LT_CHANNEL_PID, 1 },
		{ 1, LT_CHANNEL_PID, 0 }, { 0, LT_CHANNEL_KMEM, 1 }, { 1, LT_CHANNEL_KMEM, 0 },
	};
	struct tg *g = tg_new(NULL);
	struct lt_trace *t;
	struct lt_event ev;

	(void)state;
	TG_PUT(g, TG_PID(1), 1000, RELEASE, .tid = 1, .start = 1);
	TG_PUT(g, TG_PID(0), 1000, RELEASE, .tid = 2, .start = 2);
	TG_PUT(g, TG_PID(0), 1000, RELEASE, .tid = 3, .start = 3);
	tg_kfree(g, 1, 1000, PTR, SITE);
	TG_KMALLOC(g, 0, 1000, .ptr = PTR, .call_site = SITE, .bytes_req = 8, .bytes_alloc = 8,
		   .gfp = 0, .node = -1);
	tg_kfree(g, 0, 1000, PTR, SITE);
	tg_finish(g, 2000);
	t = open_trace(g, 0);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		assert_int_equal(lt_trace_next(t, &ev), 1);
		assert_int_equal(ev.cpu, expected[i].cpu);
		assert_int_equal(ev.channel, expected[i].channel);
		assert_int_equal(ev.seq, expected[i].seq);
	}
	assert_int_equal(lt_trace_next(t, &ev), 0);
	lt_trace_close(t);
}

/* An id has another meaning in the other channel. */
static void test_ids(void **state)
{
	struct tg *model = tg_new(NULL);
	struct lt_trace *t;
	struct lt_event ev;
	char *schema;
	struct tg *g;

	(void)state;
	assert_true(asprintf(&schema, "%sclass 30 novel x\nevent 2 200 rare novel 4 x\n"
			     "field what u32 num 0 x\nevent 1 200 scarce - 2 x\n",
			     tg_schema_text(model)) > 0);
	g = tg_new(&(struct tg_options){ .schema = schema });
	tg_raw(g, 0, 1000, 200, LT_CLASS_NONE, "12", 2);
	tg_raw(g, TG_PID(0), 1001, LT_EV(LT_CHANNEL_PID, 200), 30, "\0\0\0\7", 4);
	tg_raw(g, TG_PID(0), 1002, LT_EV(LT_CHANNEL_PID, 200), 30, "\0\0\0\7", 4);
	tg_finish(g, 1100);
	t = open_trace(g, 0);
	assert_int_equal(lt_trace_next(t, &ev), 1);
	assert_string_equal(lt_trace_desc(t)->name, "scarce");
	assert_int_equal(lt_trace_next(t, &ev), 1);
	assert_string_equal(lt_trace_desc(t)->name, "rare");
	assert_int_equal(ev.id, LT_EV(LT_CHANNEL_PID, 200));
	assert_int_equal(ev.class, 30);
	assert_int_equal(value(t, &ev, "what"), 7U << 24);
	assert_int_equal(lt_trace_next(t, &ev), 1);
	assert_int_equal(lt_trace_next(t, &ev), 0);
	assert_int_equal(lt_trace_records(t, 30), 2);
	assert_int_equal(lt_trace_counts(t, 30).seen, 2);
	assert_int_equal(lt_trace_gap_end(t, LT_SPACE_NONE), 0);
	lt_trace_close(t);
	free(schema);
	tg_free(model);
}

/* From a module that had no other channel. */
static void test_kmem_only(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .kmem_only = true });
	struct lt_trace *t;
	struct lt_event ev;

	(void)state;
	tg_kfree(g, 0, 1000, PTR, SITE);
	tg_finish(g, 1100);
	t = open_trace(g, 0);
	assert_int_equal(lt_trace_next(t, &ev), 1);
	assert_int_equal(ev.channel, LT_CHANNEL_KMEM);
	assert_int_equal(lt_trace_next(t, &ev), 0);
	assert_int_equal(lt_trace_gap_end(t, LT_SPACE_NONE), 0);
	assert_true(lt_trace_has_channel(t, LT_CHANNEL_KMEM));
	assert_false(lt_trace_has_channel(t, LT_CHANNEL_PID));
	assert_null(lt_trace_class_name(t, LT_CLASS_EXIT));
	lt_trace_close(t);
	/* A packet of a channel that the schema does not describe. */
	g = tg_new(&(struct tg_options){ .kmem_only = true });
	tg_kfree(g, 0, 1000, PTR, SITE);
	TG_PUT(g, TG_PID(0), 1001, RELEASE, .tid = 1);
	tg_finish(g, 1100);
	t = open_trace(g, 0);
	test_stderr_begin();
	assert_int_equal(lt_trace_next(t, &ev), 1);
	assert_int_equal(lt_trace_next(t, &ev), 0);
	assert_non_null(strstr(test_stderr_end(), "cpu 0 of channel pid, byte 864: an event id"));
	assert_int_equal(lt_trace_gap_end(t, LT_SPACE_SLAB), 0);
	assert_true(lt_trace_has_channel(t, LT_CHANNEL_PID));
	lt_trace_close(t);
}

/* ------------------------------------------------------------------------
 * What the channel pid records of tasks that run in kmem
 */

static const struct lt_task *last_task(struct lt_trace *t)
{
	const struct lt_task *task = NULL;
	struct lt_event ev;

	while (lt_trace_next(t, &ev) > 0) {
		if (ev.task)
			task = ev.task;
	}
	return task;
}

static void test_exit(void **state)
{
	struct tg *g = tg_new(NULL);
	const struct lt_task *task;
	struct lt_trace *t;

	(void)state;
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	TG_PUT(g, TG_PID(0), 1001, RENAME, .tid = 17, .start = 500, .old = "cat", .comm = "dog");
	TG_PUT(g, TG_PID(0), 1002, RENAME, .tid = 17, .start = 501, .comm = "other");
	/* What a snapshot says was read before. */
	TG_PUT(g, TG_PID(0), 1003, STATE, .tid = 17, .tgid = 18, .start = 500, .comm = "cat");
	TG_PUT(g, TG_PID(0), 1004, EXIT, .tid = 17, .tgid = 17, .start = 501);
	TG_PUT(g, TG_PID(0), 1005, EXIT, .tid = 17, .tgid = 17, .start = 500);
	TG_PUT(g, TG_PID(0), 1006, EXIT, .tid = 17, .tgid = 17, .start = 500);
	tg_finish(g, 2000);
	t = open_trace(g, 0);
	task = last_task(t);
	assert_non_null(task);
	assert_int_equal(task->exit, 1005);
	assert_int_equal(task->tgid, 17);
	assert_string_equal(task->comm, "dog");
	lt_trace_close(t);
}

/* The leader's exit is not that of the process, when a thread goes on as it. */
static void test_exec_by_thread(void **state)
{
	struct tg *g = tg_new(NULL);
	const struct lt_task *task;
	struct lt_trace *t;

	(void)state;
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	tg_task_exit(g, 0, 1001, 17, 17, 500, 0);
	TG_PUT(g, TG_PID(0), 1001, EXIT, .tid = 17, .tgid = 17, .start = 500);
	TG_PUT(g, TG_PID(0), 1002, EXEC, .tid = 17, .start = 500, .old_tid = 18, .old_start = 600);
	tg_finish(g, 2000);
	t = open_trace(g, 0);
	task = last_task(t);
	assert_int_equal(task->exit, UINT64_MAX);
	lt_trace_close(t);
	g = tg_new(NULL);
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	TG_PUT(g, TG_PID(0), 1001, EXEC_WIDE, .tid = 17, .start = 500, .old_tid = 18);
	TG_PUT(g, TG_PID(0), 1002, EXIT, .tid = 17, .tgid = 17, .start = 500);
	/* By the leader: nobody takes it over. */
	TG_PUT(g, TG_PID(0), 1003, EXEC_HUGE, .tid = 17, .start = 500, .old_tid = 17);
	tg_finish(g, 2000);
	t = open_trace(g, 0);
	assert_int_equal(last_task(t)->exit, 1002);
	lt_trace_close(t);
}

/* Tasks that do not run in kmem take no memory. */
static void test_many_tasks(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_trace *t;

	(void)state;
	TG_PUT(g, TG_PID(0), 900, EXIT, .tid = 5, .start = 5);
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	for (uint32_t i = 0; i < 20000; i++) {
		TG_PUT(g, TG_PID(0), 1001 + i, TASK_NEW, .tid = i + 100, .tgid = i + 100,
		       .start = i, .comm = "short");
		TG_PUT(g, TG_PID(0), 1001 + i, EXIT, .tid = i + 100, .tgid = i + 100, .start = i);
	}
	tg_finish(g, 50000);
	t = open_trace(g, 0);
	assert_int_equal(last_task(t)->exit, UINT64_MAX);
	assert_int_equal(t->entities.tasks.used, 1);
	lt_trace_close(t);
}

/*
 * A second form of an event that this version knows, too short for the fields of
 * the first, must have its own, or it describes nothing.
 */
static void test_short_form(void **state)
{
	static const char *const forms[] = {
		"event 1 55 task - 1 x\nfield tid u8 tid 0 x\n",
		"event 2 50 exit exit 1 x\nfield tid u8 tid 0 x\n",
		"event 1 55 cache - 0 x\n",
		/* Known fields at other places are fine. */
		"event 2 50 exit exit 5 x\nfield start u32 nsec 0 x\nfield tid u8 tid 4 x\n",
	};
	struct tg *model = tg_new(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct lt_trace *t;
		struct lt_event ev;
		const char *said;
		char *schema;
		struct tg *g;

		assert_true(asprintf(&schema, "%s%s", tg_schema_text(model), forms[i]) > 0);
		g = tg_new(&(struct tg_options){ .schema = schema });
		TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
		tg_raw(g, TG_PID(0), 1001, LT_EV(LT_CHANNEL_PID, 50), LT_CLASS_EXIT,
		       "\364\1\0\0\21", i == 1 ? 1 : 5);
		tg_finish(g, 1100);
		assert_int_equal(tg_write(g, test_path("short.lt"), 0), 0);
		test_stderr_begin();
		t = lt_trace_open(test_path("short.lt"));
		said = test_stderr_end();
		assert_non_null(t);
		assert_int_equal(strstr(said, "has no field") != NULL, i < 3);
		assert_int_equal(lt_trace_next(t, &ev), 1);
		assert_int_equal(ev.id, LT_EV_TASK);
		assert_string_equal(ev.task->comm, "cat");
		assert_int_equal(lt_trace_next(t, &ev), i == 1 || i == 3);
		assert_int_equal(lt_trace_next(t, &ev), 0);
		lt_trace_close(t);
		tg_free(g);
		free(schema);
	}
	tg_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_event), cmocka_unit_test(test_live),
		cmocka_unit_test(test_order), cmocka_unit_test(test_ids),
		cmocka_unit_test(test_kmem_only), cmocka_unit_test(test_exit),
		cmocka_unit_test(test_exec_by_thread), cmocka_unit_test(test_many_tasks),
		cmocka_unit_test(test_short_form),
	};

	return cmocka_run_group_tests_name("channels", tests, NULL, NULL);
}

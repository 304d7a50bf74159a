// SPDX-License-Identifier: GPL-2.0
/*
 * Which task a line of another tool means: a million lines in eight formats, over thirty wraps of
 * the numbers, by clocks that drift, are set and stop, against what the generator knows; and the
 * reasons why a line is undecided, one by one.
 */
#include <inttypes.h>
#include <time.h>

#include "tests/bench/chance.h"
#include "tasks/read.h"
#include "testlib.h"
#include "tracegen.h"
#include "whose/whose.h"

#define US	UINT64_C(1000)
#define MS	UINT64_C(1000000)
#define S	UINT64_C(1000000000)

#define FIRST	300U
#define LAST	2300U
#define BEGIN	(1000 * S)
#define SLEPT	(BEGIN + 203 * S)	/* the machine slept for 100 s */
#define SET	(BEGIN + 305 * S)	/* the wall clock was set back by 3 s */
#define EPOCH	(1700000000 * S)
#define WRAPS	30U
#define LINES	1000000U

/* The clocks of the machine, at a time of the trace. */
static uint64_t real(uint64_t t)
{
	return EPOCH + t - (t >= SET ? 3 * S : 0);
}

static uint64_t boot(uint64_t t)
{
	return t + (t >= SLEPT ? 100 * S : 0);
}

static uint64_t raw(uint64_t t)
{
	return t + t / 2000;
}

/* A line, and what it means. */
struct said {
	uint64_t stamp;
	uint64_t start;
	uint32_t tid;
	enum lt_log_format format;
	bool renamed;
};

struct task {
	uint32_t tid;
	uint64_t start;
	uint64_t rename;
	bool renamed;
};

static struct {
	struct tg *g;
	uint64_t now;
	uint64_t next_reading;
	bool taken[LAST];
	struct task live[64];
	unsigned int n_live;
	uint32_t cursor;
	uint32_t freed;		/* the number that ended last; 0: it has another holder */
	unsigned int wraps;
	struct said *lines;
	size_t n_lines;
} m;

static void read_clocks(void)
{
	tg_clock(m.g, m.now, real(m.now), boot(m.now), m.now, raw(m.now));
	m.next_reading = m.now + 10 * S;
}

static void step(void)
{
	m.now += MS + rnd() % (9 * MS);
	if (m.now >= m.next_reading)
		read_clocks();
}

/* Mostly the next one; now and then the one that has just ended. */
static uint32_t next_number(void)
{
	if (m.freed && rnd() % 20 == 0)
		return m.freed;
	do {
		if (++m.cursor == LAST) {
			m.cursor = FIRST;
			m.wraps++;
		}
	} while (m.taken[m.cursor]);
	return m.cursor;
}

static void birth(void)
{
	struct task *t = &m.live[m.n_live++];

	t->tid = next_number();
	if (t->tid == m.freed)
		m.freed = 0;
	t->start = boot(m.now - rnd() % MS);
	t->rename = m.now + rnd() % (20 * MS);
	t->renamed = false;
	m.taken[t->tid] = true;
	TG_PUT(m.g, TG_PID(rnd() % 2), m.now, TASK_NEW, .tid = t->tid, .tgid = t->tid, .start = t->start,
	       .creator = 100, .creator_start = 4, .parent = 100, .parent_start = 4, .clone_flags = 17,
	       .ns = 1, .nr = t->tid, .uid = 1000, .gid = 1000, .cgroup = 77, .comm = "make");
}

static void rename_tasks(void)
{
	for (unsigned int i = 0; i < m.n_live; i++) {
		struct task *t = &m.live[i];

		if (t->renamed || t->rename > m.now)
			continue;
		t->renamed = true;
		TG_PUT(m.g, TG_PID(0), m.now, RENAME, .tid = t->tid, .start = t->start, .old = "make",
		       .comm = "cc1");
	}
}

static void death(void)
{
	unsigned int i = (unsigned int)(rnd() % m.n_live);
	struct task t = m.live[i];
	unsigned int cpu = TG_PID(rnd() % 2);
	struct lt_rec_EXIT rec = {
		.tid = t.tid, .tgid = t.tid, .start = t.start, .group_dead = 1, .parent = 100,
		.parent_start = 4,
	};

	strcpy(rec.comm, t.renamed ? "cc1" : "make");
	tg_put(m.g, cpu, m.now, LT_EV_EXIT, &rec);
	TG_PUT(m.g, cpu, m.now + US, RELEASE, .tid = t.tid, .start = t.start);
	m.taken[t.tid] = false;
	m.freed = t.tid;
	m.live[i] = m.live[--m.n_live];
}

/* The stamp that a tool of this format puts on what happens now. */
static uint64_t stamp(enum lt_log_format f)
{
	switch (f) {
	case LT_LOG_STRACE:
	case LT_LOG_JSON:
		return real(m.now);
	case LT_LOG_SYSLOG:
	case LT_LOG_JOURNAL:
		return real(m.now + rnd() % (1900 * MS));
	case LT_LOG_AUDIT:
		return real(m.now - rnd() % (10 * MS));
	case LT_LOG_DMESG:
		/* The scheduler's clock of a guest … */
		return m.now - 900 * MS;
	default:
		/* … and of a machine. */
		return raw(m.now) + 900 * MS;
	}
}

static void say(size_t lines)
{
	for (size_t i = 0; i < lines && m.n_live && m.n_lines < LINES; i++) {
		const struct task *t = &m.live[rnd() % m.n_live];
		enum lt_log_format f = (enum lt_log_format)(m.n_lines % LT_N_LOG_FORMATS);

		m.lines[m.n_lines++] = (struct said){ stamp(f), t->start, t->tid, f, t->renamed };
	}
}

static void put_state(uint32_t epoch, uint32_t tid, uint64_t start, const char *comm)
{
	struct lt_rec_STATE rec = {
		.epoch = epoch, .tid = tid, .tgid = tid, .start = start, .parent = tid > 1,
		.parent_start = tid > 1, .ns = 1, .nr = tid, .cgroup = 77, .state = "S", .file = "/bin/sh",
	};

	strcpy(rec.comm, comm);
	step();
	tg_put(m.g, TG_PID(0), m.now, LT_EV_STATE, &rec);
}

static void snapshot(uint32_t epoch, uint8_t purpose)
{
	step();
	TG_PUT(m.g, TG_PID(0), m.now, SNAP_BEGIN, .epoch = epoch, .purpose = purpose);
	put_state(epoch, 1, 1, "init");
	put_state(epoch, 100, 4, "sh");
	for (unsigned int i = 0; i < m.n_live; i++)
		put_state(epoch, m.live[i].tid, m.live[i].start, m.live[i].renamed ? "cc1" : "make");
	step();
	TG_PUT(m.g, TG_PID(0), m.now, SNAP_END, .epoch = epoch, .complete = 1, .tasks = m.n_live + 2);
}

/* @lose: of every so many packets one is lost; 0: none. */
static void make(unsigned int lose)
{
	struct tg_packet *packets;
	size_t n, kept = 0;

	memset(&m, 0, sizeof(m));
	m.g = tg_new(&(struct tg_options){ .tasks = true, .subbuf_size = lose ? 4096 : 65536,
					   .info = "hostname=here\n" });
	m.lines = calloc(LINES, sizeof(*m.lines));
	m.now = BEGIN;
	m.cursor = FIRST - 1;
	read_clocks();
	snapshot(1, 0);
	while (m.wraps < WRAPS || m.n_lines < LINES) {
		step();
		rename_tasks();
		if (m.n_live < 40 && (m.n_live < 5 || rnd() % 2))
			birth();
		else
			death();
		/* A line stands between the records, not at the time of one. */
		m.now += 10 * US;
		say(LINES / (WRAPS * (LAST - FIRST)) / 2 + 1);
	}
	snapshot(2, 2);
	read_clocks();
	tg_finish(m.g, m.now + 1);
	packets = tg_packets(m.g, &n);
	for (size_t i = 0; lose && i < n; i++) {
		if (i % lose == lose - 1 && i + 4 < n)
			free(packets[i].data);
		else
			packets[kept++] = packets[i];
	}
	if (lose)
		tg_set_n_packets(m.g, kept);
	assert_int_equal(tg_write(m.g, test_path("storm.lt"), 0), 0);
	tg_free(m.g);
}

/* The line as the tool writes it. */
static void write_line(const struct said *s, uint64_t at, char text[256])
{
	char iso[32];
	time_t seconds = (time_t)(at / S);
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(iso, sizeof(iso), "%Y-%m-%dT%H:%M:%S", &tm);
#define LINE(...)	snprintf(text, 256, __VA_ARGS__)
#define SECONDS(unit)	at / S, at % S / (unit)
	switch (s->format) {
	case LT_LOG_STRACE:
		LINE("%-5u %" PRIu64 ".%06" PRIu64 " getpid() = %u", s->tid, SECONDS(US), s->tid);
		break;
	case LT_LOG_SYSLOG:
		LINE("%s.%06" PRIu64 "+0000 here make[%u]: x", iso, at % S / US, s->tid);
		break;
	case LT_LOG_JOURNAL:
		LINE("{\"__REALTIME_TIMESTAMP\":\"%" PRIu64 "\",\"_HOSTNAME\":\"here\",\"_PID\":\"%u\"}", at / US,
		     s->tid);
		break;
	case LT_LOG_AUDIT:
		LINE("type=SYSCALL msg=audit(%" PRIu64 ".%03" PRIu64 ":7): ppid=1 pid=%u uid=0", SECONDS(MS),
		     s->tid);
		break;
	case LT_LOG_PERF:
		LINE("%16s %5u [001] %5" PRIu64 ".%06" PRIu64 ": cycles: x", s->renamed ? "cc1" : "make",
		     s->tid, SECONDS(US));
		break;
	case LT_LOG_DMESG:
		LINE("[%5" PRIu64 ".%06" PRIu64 "] [ T%u] x", SECONDS(US), s->tid);
		break;
	case LT_LOG_FTRACE:
		at += 500;
		LINE("%16s-%-7u [001] d..2. %5" PRIu64 ".%06" PRIu64 ": x", s->renamed ? "cc1" : "make",
		     s->tid, SECONDS(US));
		break;
	default:
		LINE("{\"time\":\"%s.%03" PRIu64 "Z\",\"pid\":%u}", iso, at % S / MS, s->tid);
		break;
	}
#undef SECONDS
#undef LINE
}

struct outcome {
	uint64_t decided[LT_N_LOG_FORMATS];
	uint64_t wrong;
	uint64_t wrong_name;
	uint64_t doubts[LT_N_WHOSE_DOUBTS];
};

struct world {
	struct lt_trace *t;
	struct lt_tasks *tb;
	struct lt_whose *w;
};

static struct world open_world(const char *path)
{
	const struct lt_whose_options o = {
		.clock = LT_N_LOG_CLOCKS, .late = UINT64_MAX, .uncertain = UINT64_MAX,
	};
	struct world x = { .t = lt_trace_open(path) };

	assert_non_null(x.t);
	x.tb = lt_tasks_for(x.t, true);
	assert_non_null(x.tb);
	assert_int_equal(lt_tasks_read(x.t, x.tb), 0);
	x.w = lt_whose_new(x.t, x.tb, &o);
	return x;
}

static void close_world(struct world *x)
{
	lt_whose_free(x->w);
	lt_tasks_free(x->tb);
	lt_trace_close(x->t);
}

static bool is_name(const struct lt_tasks *tb, uint32_t name, const char *text)
{
	size_t len;
	const char *s = lt_tasks_name(tb, name, &len);

	return len == strlen(text) && !memcmp(s, text, len);
}

static void judge(const struct world *x, const struct said *s, const struct lt_log_line *line,
		  struct outcome *o)
{
	struct lt_whose_answer a;
	struct lt_whose_task task;
	const struct lt_task_inst *t;

	lt_whose_find(x->w, line, &a);
	o->doubts[a.doubt]++;
	if (a.doubt != LT_WHOSE_DECIDED)
		return;
	o->decided[s->format]++;
	t = lt_tasks_get(x->tb, a.inst[0]);
	o->wrong += t->tid != s->tid || t->start != s->start;
	lt_whose_task(x->w, a.inst[0], &a.span, &task);
	o->wrong_name += task.comm && !is_name(x->tb, task.comm, s->renamed ? "cc1" : "make");
}

/* All lines, with their stamps moved by so much. */
static struct outcome run(uint64_t moved)
{
	struct world x = open_world(test_path("storm.lt"));
	struct lt_log_parser p[LT_N_LOG_FORMATS];
	struct outcome o = { 0 };

	for (unsigned int f = 0; f < LT_N_LOG_FORMATS; f++)
		lt_log_parser_init(&p[f], (enum lt_log_format)f, NULL);
	for (size_t i = 0; i < m.n_lines; i++) {
		const struct said *s = &m.lines[i];
		struct lt_log_line line;
		struct lt_why why;
		char text[256];

		write_line(s, s->stamp + moved, text);
		if (lt_log_parse(&p[s->format], text, strlen(text), &line, &why) != LT_LOG_TASK)
			fail_msg("%s: %s", lt_log_format_name(s->format), text);
		judge(&x, s, &line, &o);
	}
	close_world(&x);
	return o;
}

static void test_storm(void **state)
{
	struct outcome o;

	(void)state;
	make(0);
	assert_true(m.wraps >= WRAPS);
	assert_int_equal(m.n_lines, LINES);
	o = run(0);
	for (unsigned int f = 0; f < LT_N_LOG_FORMATS; f++) {
		print_message("%s: %" PRIu64 " of %u decided\n", lt_log_format_name((enum lt_log_format)f),
			      o.decided[f], LINES / LT_N_LOG_FORMATS);
		/*
		 * Not those while a number was used again at once, nor about a second of the
		 * clock's step.
		 */
		assert_true(o.decided[f] > LINES / LT_N_LOG_FORMATS / 2);
	}
	print_message("%u lines, %u wraps: %" PRIu64 " wrong\n", LINES, m.wraps, o.wrong);
	assert_int_equal(o.wrong, 0);
	assert_int_equal(o.wrong_name, 0);
	assert_true(o.doubts[LT_WHOSE_OWNERS] > 0);
	/* The fault of a clock that nobody knows of is seen by this test. */
	o = run(20 * S);
	assert_true(o.wrong > 1000);
	free(m.lines);
}

/* Where packets are lost, fewer lines are decided, and none wrongly. */
static void test_losses(void **state)
{
	struct outcome o;

	(void)state;
	make(7);
	o = run(0);
	print_message("%" PRIu64 " lines undecided, for events were lost\n", o.doubts[LT_WHOSE_LOST]);
	assert_int_equal(o.wrong, 0);
	assert_int_equal(o.wrong_name, 0);
	assert_true(o.doubts[LT_WHOSE_DECIDED] > LINES / 10);
	assert_true(o.doubts[LT_WHOSE_LOST] > 100);
	free(m.lines);
}

/* ------------------------------------------------------------------------
 * One by one
 */

/*
 * Between 100 and 200 s: 17 from 50 s on, to the end; 20 from 110 to 120 s, and another one from
 * 120.1 to 130 s; 21, and two kernel threads, 22 and 23, from 110 s on. The wall clock is 1000 s
 * ahead, and is set by -10 s between 150 and 160 s.
 */
static void save_small(bool lost)
{
	struct tg *g = tg_new(&(struct tg_options){ .tasks = true, .info = "hostname=here.domain\n" });
	struct lt_rec_EXIT first = { .tid = 20, .tgid = 20, .start = 110 * S, .group_dead = 1, .comm = "a" };
	struct lt_rec_EXIT second = { .tid = 20, .tgid = 20, .start = 120100 * MS, .group_dead = 1, .comm = "b" };
	struct lt_rec_STATE state = { .epoch = 1, .tid = 17, .tgid = 17, .start = 50 * S, .ns = 1, .nr = 17,
				      .state = "S", .comm = "old" };

	tg_clock(g, 100 * S, 1100 * S, 100 * S, 100 * S, 100 * S);
	tg_clock(g, 150 * S, 1150 * S, 150 * S, 150 * S, 150 * S);
	TG_PUT(g, TG_PID(0), 100 * S, SNAP_BEGIN, .epoch = 1);
	tg_put(g, TG_PID(0), 100 * S + 1, LT_EV_STATE, &state);
	TG_PUT(g, TG_PID(0), 100 * S + 2, SNAP_END, .epoch = 1, .complete = 1, .tasks = 1);
	TG_PUT(g, TG_PID(0), 110 * S, TASK_NEW, .tid = 20, .tgid = 20, .start = 110 * S, .ns = 1, .nr = 20,
	       .comm = "a");
	TG_PUT(g, TG_PID(0), 110 * S, TASK_NEW, .tid = 21, .tgid = 21, .start = 110 * S, .ns = 1, .nr = 21,
	       .comm = "c");
	TG_PUT(g, TG_PID(0), 110 * S, TASK_NEW, .tid = 22, .tgid = 22, .start = 110 * S, .ns = 1, .nr = 22,
	       .flags = LT_TASK_FLAG_KTHREAD, .comm = "kworker/0:1");
	TG_PUT(g, TG_PID(0), 110 * S, TASK_NEW, .tid = 23, .tgid = 23, .start = 110 * S, .ns = 1, .nr = 23,
	       .flags = LT_TASK_FLAG_KTHREAD, .comm = "a_thread_of_15b");
	tg_put(g, TG_PID(0), 120 * S, LT_EV_EXIT, &first);
	TG_PUT(g, TG_PID(0), 120 * S, RELEASE, .tid = 20, .start = 110 * S);
	TG_PUT(g, TG_PID(0), 120100 * MS, TASK_NEW, .tid = 20, .tgid = 20, .start = 120100 * MS, .ns = 1,
	       .nr = 20, .comm = "b");
	tg_put(g, TG_PID(0), 130 * S, LT_EV_EXIT, &second);
	TG_PUT(g, TG_PID(0), 130 * S, RELEASE, .tid = 20, .start = 120100 * MS);
	if (lost) {
		tg_close(g, TG_PID(0), 140 * S);
		tg_open(g, TG_PID(0), 140 * S);
		tg_lost(g, TG_PID(0), LT_CLASS_BIRTH, TG_FULL_WITHIN, 1);
		tg_lost(g, TG_PID(0), LT_CLASS_EXIT, TG_FULL_WITHIN, 1);
		TG_PUT(g, TG_PID(0), 145 * S, RENAME, .tid = 21, .start = 110 * S, .old = "c", .comm = "d");
		tg_close(g, TG_PID(0), 146 * S);
	}
	tg_clock(g, 160 * S, 1150 * S, 160 * S, 160 * S, 160 * S);
	tg_clock(g, 200 * S, 1190 * S, 200 * S, 200 * S, 200 * S);
	TG_PUT(g, TG_PID(0), 200 * S, RENAME, .tid = 21, .start = 110 * S, .old = "c", .comm = "d");
	tg_finish(g, 200 * S);
	assert_int_equal(tg_write(g, test_path("small.lt"), 0), 0);
	tg_free(g);
}

struct question {
	const char *name;
	struct lt_log_line line;
	enum lt_whose_doubt doubt;
	unsigned int n;
	uint64_t start;		/* of the first candidate */
	bool lost;		/* in the trace with a loss */
};

#define AT(seconds, number)	.line = { .pid = number, .clock = LT_LOG_MONO, .times = { seconds }, .n_times = 1
#define WALL(seconds, number)	.line = { .pid = number, .clock = LT_LOG_REAL, .times = { seconds }, .n_times = 1
#define EITHER(a, b, number)	.line = { .pid = number, .clock = LT_LOG_REAL, .times = { a, b }, .n_times = 2
#define NAMED(text)		.comm = text, .comm_len = sizeof(text) - 1
#define ON(text)		.host = text, .host_len = sizeof(text) - 1

static const struct question questions[] = {
	{ "a task of all the trace", AT(150 * S, 17) }, LT_WHOSE_DECIDED, 1, 50 * S, false },
	{ "one that is older, late", AT(100 * S, 17), .late = 5 * S }, LT_WHOSE_DECIDED, 1, 50 * S, false },
	{ "the first of two", AT(115 * S, 20) }, LT_WHOSE_DECIDED, 1, 110 * S, false },
	{ "the second of two", AT(125 * S, 20) }, LT_WHOSE_DECIDED, 1, 120100 * MS, false },
	{ "near the change, by a clock that is too coarse", AT(120050 * MS, 20), .span = S },
	  LT_WHOSE_OWNERS, 2, 110 * S, false },
	{ "behind the change, perhaps late", AT(121 * S, 20), .late = 2 * S }, LT_WHOSE_OWNERS, 2, 110 * S,
	  false },
	{ "behind the change, not so late", AT(122 * S, 20), .late = S }, LT_WHOSE_DECIDED, 1, 120100 * MS,
	  false },
	{ "between both", AT(120050 * MS, 20) }, LT_WHOSE_NOBODY, 0, 0, false },
	{ "a number that nobody has", AT(150 * S, 99) }, LT_WHOSE_NOBODY, 0, 0, false },
	{ "before the trace", AT(90 * S, 17) }, LT_WHOSE_BEFORE, 0, 0, false },
	{ "perhaps before the trace", AT(111 * S, 20), .late = 20 * S }, LT_WHOSE_BEFORE, 1, 110 * S, false },
	{ "before the machine was booted", WALL(900 * S, 17) }, LT_WHOSE_BEFORE, 0, 0, false },
	{ "after the trace", AT(201 * S, 17) }, LT_WHOSE_AFTER, 0, 0, false },
	{ "perhaps after the trace", AT(200 * S, 21), .span = S }, LT_WHOSE_AFTER, 1, 110 * S, false },
	{ "by the wall clock", WALL(1115 * S, 20) }, LT_WHOSE_DECIDED, 1, 110 * S, false },
	{ "after the wall clock was set", WALL(1185 * S, 17) }, LT_WHOSE_DECIDED, 1, 50 * S, false },
	{ "the wall clock showed it twice, one task", WALL(1145 * S, 17) }, LT_WHOSE_DECIDED, 1, 50 * S,
	  false },
	{ "before the wall clock was set", WALL(1129 * S, 20) }, LT_WHOSE_DECIDED, 1,
	  120100 * MS, false },
	{ "one of its names", AT(150 * S, 21), NAMED("c") }, LT_WHOSE_DECIDED, 1, 110 * S, false },
	{ "not one of its names", AT(150 * S, 21), NAMED("x") }, LT_WHOSE_NAME, 1, 110 * S, false },
	{ "a worker of the kernel", AT(150 * S, 22), NAMED("kworker/0:1") }, LT_WHOSE_DECIDED, 1, 110 * S, false },
	{ "a worker, and what it does", AT(150 * S, 22), NAMED("kworker/0:1-events") }, LT_WHOSE_DECIDED, 1,
	  110 * S, false },
	{ "another worker", AT(150 * S, 22), NAMED("kworker/0:12") }, LT_WHOSE_NAME, 1, 110 * S, false },
	{ "no worker", AT(150 * S, 22), NAMED("") }, LT_WHOSE_NAME, 1, 110 * S, false },
	{ "a long name of a kernel thread", AT(150 * S, 23), NAMED("a_thread_of_15bytes_and_more") },
	  LT_WHOSE_DECIDED, 1, 110 * S, false },
	{ "one of two days, of which one is in the trace", EITHER(1125 * S, (1125 + 86400) * S, 20) },
	  LT_WHOSE_DECIDED, 1, 120100 * MS, false },
	{ "an hour that is there twice, once after the trace", EITHER(1125 * S, (1125 + 3600) * S, 20) },
	  LT_WHOSE_AFTER, 1, 120100 * MS, false },
	{ "this machine", AT(150 * S, 21), ON("here") }, LT_WHOSE_DECIDED, 1, 110 * S, false },
	{ "this machine, whole", AT(150 * S, 21), ON("here.domain") }, LT_WHOSE_DECIDED, 1, 110 * S, false },
	{ "another machine", AT(150 * S, 21), ON("hereabouts") }, LT_WHOSE_HOST, 1, 110 * S, false },
	{ "in a loss, one that was not seen again", AT(142 * S, 17) }, LT_WHOSE_LOST, 1, 50 * S, true },
	{ "in a loss, one that was met later", AT(142 * S, 21) }, LT_WHOSE_DECIDED, 1, 110 * S, true },
	{ "in a loss, a number whose owner died", AT(142 * S, 20) }, LT_WHOSE_LOST, 0, 0, true },
	{ "before a loss", AT(115 * S, 20) }, LT_WHOSE_DECIDED, 1, 110 * S, true },
};

static void test_question(void **state)
{
	const struct question *q = *state;
	struct lt_whose_answer a;
	struct world x;

	save_small(q->lost);
	x = open_world(test_path("small.lt"));
	lt_whose_find(x.w, &q->line, &a);
	if (a.doubt != q->doubt || a.n != q->n)
		fail_msg("%s: %s, %u candidates", q->name, lt_whose_doubt_name(a.doubt), a.n);
	if (a.n)
		assert_int_equal(lt_tasks_get(x.tb, a.inst[0])->start, q->start);
	close_world(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_storm),
		cmocka_unit_test(test_losses),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return test_table_main("whose", test_question, questions, sizeof(questions) / sizeof(questions[0]),
			       sizeof(questions[0]), tests, sizeof(tests) / sizeof(tests[0]));
}

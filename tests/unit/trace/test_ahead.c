// SPDX-License-Identifier: GPL-2.0
/*
 * A pass whose events a second thread reads ahead hands out what one in a single thread does, in
 * the same order, with the same messages, and what a callback may ask of the trace is the same at
 * each of them: random recordings, such with damage, and long ones of some packets. One that takes
 * each event for itself gets the same events.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/threads.h"
#include "cuttest.h"
#include "encode/encode.h"
#include "trace/ahead.h"
#include "trace/narrow.h"
#include "trace/pass.h"

#define RANDOM_RUNS	8
#define BASE		0xffff888000000000ULL
#define TEXT		0xffffffff81000000ULL

/* Whether a second thread was there in the last pass, and one that reads first packets. */
static bool was_fed, was_loaded;

/* When a task was named last within a packet of long_trace(). */
static uint64_t task_time;

/* What is read of a file; @to 0: all. */
static struct { uint64_t from, to; } window;

/* How many calls were for an event that needs care. */
static size_t n_careful;

/*
 * @ASKS: stacks are asked for, too, while the second thread adds to them
 * @EVENTS: what is about nothing is left out
 * @EACH: each event is taken for itself
 */
enum { ASKS = 1, EVENTS = 2, EACH = 4 };

/* What was handed out, as text. @how: of these */
struct seen {
	struct lt_trace *t;
	char *text;
	size_t size;
	FILE *f;
	int how;
	size_t n_plain;
	size_t n_left;
};

static void print_event(struct seen *s, const struct lt_event *ev)
{
	const struct lt_cache *cache = lt_trace_cache(s->t, ev->cache);
	const struct lt_stack stack = s->how & ASKS ? lt_trace_stack(s->t, ev->stack) :
						      (struct lt_stack){ 0 };
	/* One that says of a task what is known is about nothing, as one that announces a site. */
	const bool is_task = lt_is_about_task(ev->id);
	const unsigned int class = is_task ? LT_CLASS_NONE : ev->class;

	if (s->how & EVENTS && class == LT_CLASS_NONE)
		return;
	fprintf(s->f, "%llu %u.%u %u %u %llx %llx %llu %llu %x %d %u %s", (unsigned long long)ev->time,
		ev->cpu, ev->context, is_task ? LT_EV_SITE : ev->id, class, (unsigned long long)ev->ptr,
		(unsigned long long)ev->call_site, (unsigned long long)ev->bytes_req,
		(unsigned long long)ev->bytes_alloc, ev->gfp, is_task ? 0 : ev->node, s->how & EVENTS ? 0 : ev->stack,
		cache ? cache->name : "-");
	if (class != LT_CLASS_NONE)
		fprintf(s->f, " %u %u %u", ev->order, ev->migratetype, ev->single);
	fprintf(s->f, " %s", ev->task ? ev->task->comm : "-");
	for (unsigned int i = 0; i < stack.n; i++)
		fprintf(s->f, " %llx", (unsigned long long)stack.frames[i]);
	for (int space = 0; space < LT_N_SPACES; space++)
		fprintf(s->f, " %llu", (unsigned long long)lt_trace_gap_table(s->t)[space]);
	fputs("\n", s->f);
}

static int take_each(void *arg, const struct lt_event *ev)
{
	print_event(arg, ev);
	return 0;
}

static int take_some(void *arg, const struct lt_event *evs, size_t n)
{
	n_careful++;
	for (size_t i = 0; i < n; i++)
		print_event(arg, &evs[i]);
	return 0;
}

static int take_plain(void *arg, const struct lt_plain_event *evs, size_t n)
{
	struct seen *s = arg;

	s->n_plain += n;
	was_fed |= s->t->feeder != NULL;
	was_loaded |= s->t->loader != NULL;
	for (size_t i = 0; i < n; i++) {
		struct lt_event ev;

		lt_trace_whole_event(s->t, &evs[i], &ev);
		print_event(s, &ev);
	}
	if (s->n_left && s->n_left <= s->n_plain)
		return 1;
	return 0;
}

/*
 * @left: ends when so many plain events were seen, if it is not 0. Return: what was seen and said,
 * to be freed.
 */
static char *read_file(const char *name, enum lt_threads threads, int how, size_t left)
{
	struct seen s = { .how = how, .n_left = left };
	const bool each = how & EACH;
	char *path = lt_strdup(name), *all;	/* test_path() has one buffer */
	int ret;

	was_fed = was_loaded = false;
	n_careful = 0;
	lt_set_threads(threads);
	test_stderr_begin();
	s.t = lt_trace_open(path);
	if (!s.t) {
		free(path);
		return lt_strdup(test_stderr_end());
	}
	s.f = open_memstream(&s.text, &s.size);
	assert_non_null(s.f);
	if (window.to)
		lt_trace_narrow(s.t, &(struct lt_narrow){ .from = window.from, .to = window.to });
	ret = lt_trace_pass(s.t, &(struct lt_pass){
		.event = take_each, .some = each ? NULL : take_some, .plain = each ? NULL : take_plain,
		.slow = true, .arg = &s,
	});
	assert_null(s.t->feeder);
	if (!left) {
		for (unsigned int i = 0; i < LT_MAX_CLASSES; i++)
			fprintf(s.f, "%llu ", (unsigned long long)lt_trace_records(s.t, i));
		fprintf(s.f, "%llu gaps, %llu packets", (unsigned long long)lt_trace_n_gaps(s.t),
			(unsigned long long)s.t->packets_read);
	}
	fclose(s.f);
	lt_trace_close(s.t);
	all = lt_format("%d\n%s\n%s", ret, s.text, test_stderr_end());
	free(s.text);
	free(path);
	lt_set_threads(LT_THREADS_NEVER);
	return all;
}

/* Two texts that are long: the line in which they differ. */
static void check_same(const char *path, const char *a, const char *b)
{
	size_t line = 0;

	for (size_t i = 0; a[i] == b[i] && a[i]; i++)
		line = a[i] == '\n' ? i + 1 : line;
	if (strcmp(a, b))
		fail_msg("%s: alone\n%.300s\nwith a second thread\n%.300s", path, a + line, b + line);
}

static void check_file(const char *name)
{
	char *path = lt_strdup(name);
	static const enum lt_threads ways[] = { LT_THREADS_IF_FASTER, LT_THREADS_ALWAYS };

	/* Stacks get their numbers when they are announced, or when they are first needed. */
	for (int how = 0; how <= (ASKS | EVENTS); how++) {
		char *alone = read_file(path, LT_THREADS_NEVER, how & EVENTS ? how | EACH : how, 0);

		for (size_t i = 0; i < 2; i++) {
			char *ahead = read_file(path, ways[i], how, 0);

			check_same(path, alone, ahead);
			free(ahead);
		}
		free(alone);
	}
	free(path);
}

static void test_random(void **state)
{
	(void)state;
	cut_random_files(RANDOM_RUNS, check_file);
}

/* One byte of each file is another one: packets are left out, or end early, or are in doubt. */
static void check_damaged(const char *name)
{
	static unsigned int seed = 1;
	char *path = lt_strdup(name);
	struct stat st;
	int fd = open(path, O_RDWR);
	char byte;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	for (int i = 0; i < 4; i++) {
		off_t at = st.st_size / 8 + (off_t)(seed = seed * 1103515245U + 12345U) %
						      (st.st_size - st.st_size / 8);

		assert_int_equal(pread(fd, &byte, 1, at), 1);
		byte ^= 0x10;
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		check_file(path);
	}
	close(fd);
	free(path);
}

static void test_damaged(void **state)
{
	(void)state;
	cut_random_files(RANDOM_RUNS, check_damaged);
}

/* Of the task 40, and of one that makes nothing: most of them change nothing. */
static void put_changes(struct tg *g, uint32_t cpu, uint64_t now, unsigned int n)
{
	const uint32_t tid = n % 2 ? 40 : 42;

	TG_PUT(g, TG_PID(cpu), now, TASK_NEW, .tid = tid, .tgid = 40, .start = 9, .comm = "other");
	TG_PUT(g, TG_PID(cpu), now, EXEC, .tid = tid, .start = 9, .old_tid = tid);
	if (n % 16 == 7)
		TG_PUT(g, TG_PID(cpu), now, RENAME, .tid = tid, .start = 9, .comm = "new name");
	else
		TG_PUT(g, TG_PID(cpu), now, RENAME, .tid = tid, .start = 9, .comm = "other");
	if (n > 50)
		TG_PUT(g, TG_PID(cpu), now, EXIT, .tid = tid, .start = 9);
}

/*
 * Two CPUs, packets of some thousand events, so that the second thread reads several of them on its
 * own, more forms than there is room for at first, and stacks. One task a CPU, which each packet
 * names. Records in the full form, and of pages.
 */
static struct tg *long_trace(unsigned int events, unsigned int lose_every)
{
	struct tg *g = tg_new(&(struct tg_options){ .brief = true });
	uint64_t now = 1000;

	for (unsigned int i = 1; i < events; i++) {
		const uint64_t frames[] = { TEXT + i % 700 * 16, TEXT + 0x100000 + i % 90 };
		const struct lt_encode_stack stack = { .frames = frames, .n = 2 };
		uint32_t cpu = i / 7 % 2;

		now += 5 + i % 3;
		if (i % 4096 < 2)
			TG_TASK(g, i % 2, now, .tid = 40 + i % 2, .tgid = 40, .start = 9,
				.comm = i % 2 ? "shell" : "other");
		/* Again within a packet, at a time of its own. */
		if (i % 900 == 7) {
			task_time = now += 2;
			TG_TASK(g, cpu, now, .tid = 40 + cpu, .tgid = 40, .start = 9,
				.comm = cpu ? "shell" : "other");
			now += 2;
		}
		if (i % 1000 == 9)
			put_changes(g, cpu, now += 2, i / 1000);
		if (i % 11 == 0)
			TG_PUT(g, cpu, now, KFREE_WIDE, .ptr = BASE + 64 * (uint64_t)(i % 999),
			       .call_site = TEXT + i % 50);
		else if (i % 13 == 0)
			tg_page_free(g, cpu, now, i % 70, i % 4);
		else if (i % 17 == 0)
			tg_page_alloc_by(g, cpu, now, i % 70, i % 4, i % 5 ? &stack : NULL);
		else if (i % 3)
			TG_KMALLOC(g, cpu, now, .ptr = BASE + 64 * (uint64_t)(i % 999),
				   .call_site = TEXT + i % 700 * 16, .bytes_req = 60, .bytes_alloc = 64,
				   .gfp = 0xcc0, .node = -1, .stack = i % 5 ? NULL : &stack);
		else
			tg_kfree(g, cpu, now, BASE + 64 * (uint64_t)(i % 999), TEXT + i % 50);
		if (lose_every && i % lose_every == 0)
			tg_lost(g, cpu, LT_CLASS_KFREE, TG_FULL, 3);
		if (i % 4096 == 0) {
			tg_close(g, 0, now + 1);
			tg_close(g, 1, now + 1);
		}
	}
	tg_finish(g, now + 10);
	return g;
}

static void check_long(unsigned int lose_every)
{
	struct tg *g = long_trace(60000, lose_every);
	char *alone, *ahead;

	assert_int_equal(tg_write(g, test_path("long.lt"), 0), 0);
	tg_free(g);
	check_file(test_path("long.lt"));
	assert_true(was_fed);
	/* Neither stacks nor records in the full form stop the second thread. */
	free(read_file(test_path("long.lt"), LT_THREADS_ALWAYS, ASKS, 0));
	assert_true(n_careful < 100);
	for (size_t left = 300; left < 60000; left *= 7) {
		alone = read_file(test_path("long.lt"), LT_THREADS_NEVER, 0, left);
		ahead = read_file(test_path("long.lt"), LT_THREADS_ALWAYS, 0, left);
		/* Batches end elsewhere: both have the same begin. */
		assert_true(strlen(alone) > 200 && strlen(ahead) > 200);
		alone[200] = ahead[200] = 0;
		check_same("long.lt", alone, ahead);
		free(alone);
		free(ahead);
	}
}

static void test_long(void **state)
{
	(void)state;
	check_long(0);
}

static void test_lossy(void **state)
{
	(void)state;
	check_long(9000);
}

/* Many CPUs, whose first packets are read by two threads. Some have one packet, others several. */
static void test_wide(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .brief = true });
	uint64_t now = 1000;

	(void)state;
	for (unsigned int i = 1; i < 12000; i++) {
		const uint32_t cpu = i / 3 % 40 * 3;

		now += 5 + i % 3;
		if (i % 4)
			TG_KMALLOC(g, cpu, now, .ptr = BASE + 64 * (uint64_t)(i % 999),
				   .call_site = TEXT + i % 70 * 16, .bytes_req = 60, .bytes_alloc = 64,
				   .gfp = 0xcc0, .node = -1);
		else
			tg_kfree(g, cpu, now, BASE + 64 * (uint64_t)(i % 999), TEXT + i % 50);
		if (i % 1500 == 0)
			for (unsigned int k = 0; k < 30; k++)
				tg_close(g, 3 * k, now + 1);
	}
	tg_finish(g, now + 10);
	assert_int_equal(tg_write(g, test_path("wide.lt"), 0), 0);
	tg_free(g);
	check_file(test_path("wide.lt"));
	assert_true(was_fed && was_loaded);
	check_damaged(test_path("wide.lt"));
	check_damaged(test_path("wide.lt"));
}

/* Windows that begin and end within packets, with records of tasks before and behind them. */
static void test_windows(void **state)
{
	struct tg *g = long_trace(60000, 0);

	(void)state;
	assert_int_equal(tg_write(g, test_path("window.lt"), 0), 0);
	tg_free(g);
	for (uint64_t from = 2000; from < 360000; from += 80009) {
		window.from = from;
		window.to = from + 30011;
		check_file(test_path("window.lt"));
		assert_true(was_fed);
	}
	window.to = 0;
}

/*
 * A part ends where a packet names a task: that is an event of the next part, which has the packet,
 * too.
 */
static void test_part(void **state)
{
	struct tg *g = long_trace(60000, 0);
	uint64_t cut = task_time;

	(void)state;
	cut_only(g, &cut, 1);
	assert_int_equal(cut, task_time);
	tg_free(g);
	check_file(test_path("part.0"));
	check_file(test_path("part.1"));
}

#define N_SITES		24
#define N_STACKS	12

static unsigned int at_random(unsigned int n)
{
	static uint64_t state = 7;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)(state >> 33) % n;
}

/* Of any number of frames in the form for 8 of them; @hostile: also of such that cannot be. */
static void put_stack(struct tg *g, uint64_t now, unsigned int number, bool hostile)
{
	const unsigned int way = at_random(4);

	if (way == 3) {
		TG_PUT(g, 0, now, STACK_WIDE, .stack = number, .n_frames = 2, .frames = { TEXT + 64, BASE + at_random(3) });
		return;
	}
	TG_PUT(g, 0, now, STACK, .stack = hostile && !at_random(2) ? 0 : number,
	       .n_frames = hostile ? at_random(2) * 9 : 1 + at_random(8),
	       .frames = { 64 + way, 80 + at_random(40), 3, 4, 5, 6, 7, 8 });
}

/*
 * Packets in which stacks, sites and events follow each other in all ways that may be, in all of
 * which an event means the site that had its number last, as that had its stack; @hostile: and in
 * ways that may not be.
 */
static void put_announcements(bool hostile)
{
	struct tg *g = tg_new(&(struct tg_options){ .brief = false });
	const unsigned int rare = hostile ? 400 : UINT32_MAX;
	bool has_site[N_SITES + 1] = { false }, has_stack[N_STACKS + 1] = { false };
	uint64_t now = 1000;

	for (unsigned int i = 0; i < 30000; i++) {
		unsigned int site = at_random(N_SITES), stack = 1 + at_random(N_STACKS);
		const bool odd = hostile && !at_random(rare);

		now += at_random(4) ? 1 : 1000;
		if (!at_random(4)) {
			put_stack(g, now, stack, odd);
			has_stack[stack] = true;
		}
		stack = at_random(4) ? stack : at_random(N_STACKS + 1);
		stack = has_stack[stack] || odd ? stack : 0;
		if (!has_site[site] || !at_random(5)) {
			now += at_random(2);
			TG_PUT(g, 0, now, SITE, .site = site, .call_site = 64 + at_random(3), .node = -1,
			       .bytes_req = 60, .bytes_alloc = 64, .stack = stack);
			has_site[site] = true;
		}
		site = at_random(6) ? site : at_random(N_SITES + (odd ? 1 : 0));
		if (has_site[site] || odd)
			TG_PUT(g, 0, now, KMALLOC_SHORT, .site = site, .ptr = { 64, (uint8_t)at_random(90) });
		if (at_random(1500))
			continue;
		tg_close(g, 0, now + 1);
		memset(has_site, 0, sizeof(has_site));
		memset(has_stack, 0, sizeof(has_stack));
	}
	tg_finish(g, now + 10);
	assert_int_equal(tg_write(g, test_path("announced.lt"), 0), 0);
	tg_free(g);
}

static void test_announcements(void **state)
{
	(void)state;
	put_announcements(false);
	check_file(test_path("announced.lt"));
	assert_true(was_fed);
	put_announcements(true);
	check_file(test_path("announced.lt"));
	check_damaged(test_path("announced.lt"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_lossy),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_part),
		cmocka_unit_test(test_announcements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

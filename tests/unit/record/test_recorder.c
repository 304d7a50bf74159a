// SPDX-License-Identifier: GPL-2.0
/*
 * Recording from a directory that looks like the module's: plain files, in which a session is
 * recording and all packets exist from the start.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "base/text.h"
#include "recordtest.h"

/* A session that is already recording is taken over, with what its buffers hold. */
static void test_attach(void **state)
{
	char path[400];
	struct lt_record_options o = { .duration_ns = 200000000, .output = path,
				       .command_line = "record\nthis" };
	struct lt_trace *t;
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	snprintf(path, sizeof(path), "%s", test_path("r.lt"));
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_non_null(strstr(said, "3,000 events"));
	assert_non_null(strstr(said, "LOST 3"));
	assert_non_null(strstr(said, "not watched: rcu_free (no such function)"));
	check_file(path, EVENTS);
	t = lt_trace_open(path);
	assert_string_equal(lt_trace_info(t, "command"), "record this");
	assert_non_null(lt_trace_info(t, "hostname"));
	assert_non_null(lt_trace_info(t, "recorder_tgid"));
	assert_non_null(lt_trace_text(t, LT_BLOCK_EVENTS, 0));
	assert_null(lt_trace_text(t, LT_BLOCK_EVENTS, 1));	/* did not change */
	assert_non_null(lt_trace_text(t, LT_BLOCK_CLOCK, 1));
	assert_non_null(lt_trace_text(t, LT_BLOCK_STATS, 0));
	lt_trace_close(t);
	/* The parameters of such a session cannot be changed. */
	put_text("enable", RECORDING);
	o.events = "all";
	assert_int_equal(record(&o, NULL, &said), 2);
	assert_non_null(strstr(said, "cannot be changed"));
}

/* The module stops on its own, which its packets and its state show. */
static void test_module_stops(void **state)
{
	struct lt_record_options o = { .quiet = true };
	const char *said;
	char path[400];

	(void)state;
	make_module(RECORDING, "");
	put_text("stats", "state draining\nstopped 3990\nmissed rcu_free 0\n");
	snprintf(path, sizeof(path), "%s", test_path("r.lt"));
	o.output = path;
	assert_int_equal(record(&o, NULL, &said), 2);
	assert_non_null(strstr(said, "the module has stopped the session"));
	check_file(path, EVENTS);
}

static void test_no_module(void **state)
{
	struct lt_record_options o = { .quiet = true };
	const char *said;

	(void)state;
	snprintf(module_dir, sizeof(module_dir), "/nonexistent");
	assert_int_equal(record(&o, NULL, &said), 2);
	assert_non_null(strstr(said, "doctor"));
}

/* A sink gets every event, in order of time, and then end(). */
struct counter {
	struct lt_sink sink;
	uint64_t last;
	unsigned int begun, events, ended;
	unsigned int fail_at;
	const struct lt_trace *t;
};

static int count_begin(struct lt_sink *sink, struct lt_trace *t)
{
	struct counter *c = (struct counter *)sink;

	c->begun++;
	c->t = t;
	assert_non_null(lt_trace_text(t, LT_BLOCK_EVENTS, 0));
	assert_non_null(lt_trace_text(t, LT_BLOCK_CLOCK, 0));
	return 0;
}

static int count_event(struct lt_sink *sink, const struct lt_event *ev)
{
	struct counter *c = (struct counter *)sink;

	assert_true(ev->time >= c->last);
	c->last = ev->time;
	return ++c->events == c->fail_at ? -1 : 0;
}

static int count_end(struct lt_sink *sink)
{
	struct counter *c = (struct counter *)sink;

	c->ended++;
	return 0;
}

static void test_sink(void **state)
{
	struct counter c = { .sink = { count_begin, count_event, count_end } };
	struct lt_record_options o = { .duration_ns = 600000000, .quiet = true };
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	assert_int_equal(record(&o, &c.sink, &said), 0);
	assert_int_equal(c.begun, 1);
	assert_int_equal(c.ended, 1);
	assert_int_equal(c.events, EVENTS);
	/* A sink that fails stops the recording. */
	c = (struct counter){ .sink = c.sink, .fail_at = 100 };
	make_module(RECORDING, "");
	o.duration_ns = 0;
	assert_int_equal(record(&o, &c.sink, &said), 2);
	assert_int_equal(c.events, 100);
	assert_int_equal(c.ended, 1);
}

/* Lifetimes end where the module cannot flush any more: the recording fails. */
static void test_flush_fails(void **state)
{
	struct counter c = { .sink = { count_begin, count_event, count_end } };
	struct lt_record_options o = { .duration_ns = 5000000000ULL };
	const char *said;

	(void)state;
	make_module("recording\n", "");
	assert_int_equal(record(&o, &c.sink, &said), 2);
	assert_non_null(strstr(said, "flush: "));
	/* The error is reported once. */
	assert_null(strstr(strstr(said, "flush: ") + 1, "flush: "));
	assert_non_null(strstr(said, "the module cannot flush its packets"));
	/* The sink still gets the events that were recorded. */
	assert_int_equal(c.events, EVENTS);
	assert_int_equal(c.ended, 1);
}

/* Bytes that are no packet are reported, and the packets before them are kept. */
static void test_junk(void **state)
{
	char path[400];
	struct lt_record_options o = { .duration_ns = 100000000, .output = path };
	const char *said;

	(void)state;
	make_module(RECORDING, "this is no packet");
	snprintf(path, sizeof(path), "%s", test_path("junk.lt"));
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_non_null(strstr(said, "cpu1: the bytes that were read do not end with a whole packet"));
	check_file(path, EVENTS);
}

/* A signal stops the recording in order. */
static void test_signal(void **state)
{
	char path[400];
	struct lt_record_options o = { .output = path };
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	snprintf(path, sizeof(path), "%s", test_path("signal.lt"));
	/* The recorder has blocked the signal, so its loop takes it. */
	kill(getpid(), SIGTERM);
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_non_null(strstr(said, "stopped by a signal"));
	check_file(path, EVENTS);
}

/* ------------------------------------------------------------------------
 * With the channel pid
 */

#define TASKS	500

/* Adds the channel pid to a directory of make_module(). */
static void add_tasks(void)
{
	struct tg *g = tg_new(&(struct tg_options){ .tasks = true, .subbuf_size = 4096 });

	make_dir("pid");
	for (uint64_t i = 0; i < TASKS; i++)
		TG_PUT(g, TG_PID(i % 2), 1000 + i, RELEASE, .tid = (uint32_t)i + 1, .start = i);
	tg_lost(g, TG_PID(1), LT_CLASS_EXIT, TG_FULL, 7);
	tg_finish(g, 1000 + EVENTS);
	put_cpu(g, LT_CHANNEL_PID, 0, "");
	put_cpu(g, LT_CHANNEL_PID, 1, "");
	put_text("info", tg_info_text(g));
	put_text("parameters/pid_subbuf_size", "65536");
	put_text("parameters/pid_n_subbufs", "16");
	put_text("snapshot", "epoch 1 initial done tasks 3\n");
	tg_free(g);
}

static void remove_tasks(void)
{
	static const char *const names[] = { "pid/cpu0", "pid/cpu1", "snapshot" };
	char path[400];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", module_dir, names[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/pid", module_dir);
	rmdir(path);
}

/*
 * Plays the module's file "snapshot": a snapshot that is requested runs for a while and then
 * ends.
 */
struct player {
	pthread_t thread;
	atomic_bool stop;
	const char *outcome;
	bool initial;		/* the initial snapshot is running */
	unsigned int demands, finals;
	unsigned int enough;	/* requests after which the recorder gets a signal */
	bool stopped_early;	/* the recorder stopped before the final snapshot ended */
};

static void wait_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

/* Replaces the file at once, so that no reader sees half of it. */
static void say_snapshot(const char *text)
{
	char from[400], to[400];

	put_text("snapshot.new", text);
	snprintf(from, sizeof(from), "%s/snapshot.new", module_dir);
	snprintf(to, sizeof(to), "%s/snapshot", module_dir);
	rename(from, to);
}

static void *play(void *arg)
{
	struct player *p = arg;
	char text[100];
	sigset_t term;

	/* The signal is for the recorder. */
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &term, NULL);
	if (p->initial) {
		wait_ms(300);
		p->stopped_early |= begins("enable", "0") || begins("snapshot", "final");
		say_snapshot("epoch 1 initial done tasks 3\n");
	}
	while (!p->stop) {
		wait_ms(1);
		if (begins("snapshot", "1")) {
			say_snapshot("epoch 2 demand done tasks 3\n");
			if (++p->demands == p->enough)
				kill(getpid(), SIGTERM);
		}
		if (!begins("snapshot", "final"))
			continue;
		p->finals++;
		for (int i = 0; i < 20; i++) {
			snprintf(text, sizeof(text), "epoch 3 final running tasks %d\n", i);
			say_snapshot(text);
			wait_ms(5);
			p->stopped_early |= begins("enable", "0");
		}
		snprintf(text, sizeof(text), "epoch 3 final %s tasks 20\n", p->outcome);
		say_snapshot(text);
	}
	return NULL;
}

static int record_tasks(struct lt_record_options *o, struct lt_sink *sink, struct player *p,
			const char **said)
{
	int status;

	make_module(RECORDING, "");
	add_tasks();
	if (p->initial)
		put_text("snapshot", "epoch 1 initial running tasks 1\n");
	p->stop = false;
	assert_int_equal(pthread_create(&p->thread, NULL, play, p), 0);
	status = record(o, sink, said);
	p->stop = true;
	pthread_join(p->thread, NULL);
	return status;
}

static void test_tasks(void **state)
{
	char path[400], *yes[] = { (char *)"/bin/true", NULL };
	struct lt_record_options o = { .output = path, .command = yes };
	struct player p = { .outcome = "done", .initial = true };
	const char *said;
	struct lt_trace *t;

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("tasks.lt"));
	assert_int_equal(record_tasks(&o, NULL, &p, &said), 0);
	assert_int_equal(p.finals, 1);
	assert_int_equal(p.demands, 0);
	assert_false(p.stopped_early);
	assert_non_null(strstr(said, "3,500 events in"));
	assert_non_null(strstr(said, "of 2 CPUs"));
	assert_non_null(strstr(said, "LOST 3 events:"));
	assert_non_null(strstr(said, "LOST 7 events of tasks: larger buffers (--pid-n-subbufs"));
	assert_non_null(strstr(said, "\n  release "));
	assert_null(strstr(said, "snapshot"));
	check_file(path, EVENTS + TASKS);
	t = lt_trace_open(path);
	assert_int_equal(lt_trace_counts(t, LT_CLASS_RELEASE).seen, TASKS);
	assert_int_equal(lt_trace_counts(t, LT_CLASS_EXIT).lost_full, 7);
	lt_trace_close(t);
	/* A snapshot that the module gave up. */
	p = (struct player){ .outcome = "aborted" };
	assert_int_equal(record_tasks(&o, NULL, &p, &said), 0);
	assert_int_equal(p.finals, 1);
	assert_non_null(strstr(said, "the final snapshot of tasks was not finished"));
	remove_tasks();
}

/* The events of both channels reach the sink in order of time. */
static void test_tasks_sink(void **state)
{
	struct counter c = { .sink = { count_begin, count_event, count_end } };
	struct lt_record_options o = { .duration_ns = 600000000, .quiet = true };
	struct player p = { .outcome = "done" };
	const char *said;

	(void)state;
	assert_int_equal(record_tasks(&o, &c.sink, &p, &said), 0);
	assert_int_equal(c.events, EVENTS + TASKS);
	remove_tasks();
}

static void test_snapshots(void **state)
{
	struct lt_record_options o = { .duration_ns = 20000000000ULL, .snapshot_ns = 50000000 };
	struct player p = { .outcome = "done", .enough = 3 };
	const char *said;

	(void)state;
	assert_int_equal(record_tasks(&o, NULL, &p, &said), 0);
	assert_non_null(strstr(said, "stopped by a signal"));
	assert_true(p.demands >= 3);
	assert_int_equal(p.finals, 1);
	assert_null(strstr(said, "snapshot"));
	remove_tasks();
	/* A module without the file is reported once. */
	make_module(RECORDING, "");
	o.duration_ns = 300000000;
	assert_int_equal(record(&o, NULL, &said), 0);
	said = strstr(said, "/snapshot: No such file");
	assert_non_null(said);
	assert_null(strstr(said + 1, "/snapshot"));
}

static void test_pid_parameters(void **state)
{
	struct lt_record_options o = { .duration_ns = 1000000, .pid_n_subbufs = "64",
				       .pid_subbuf_size = "131072", .quiet = true };
	const char *said;

	(void)state;
	make_module("idle\n", "");
	add_tasks();
	put_text("snapshot", "");
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_true(begins("parameters/pid_n_subbufs", "16"));
	assert_true(begins("parameters/pid_subbuf_size", "65536"));
	remove_tasks();
}

/*
 * The module has stopped on its own, at 3990. While the recorder waits after that (here for a
 * snapshot), events after 3990 must not reach the sink as if everything was watched.
 */
struct stop_sink {
	struct lt_sink sink;
	const struct lt_trace *t;
	unsigned int watched;
};

static int stop_begin(struct lt_sink *sink, struct lt_trace *t)
{
	((struct stop_sink *)sink)->t = t;
	return 0;
}

static int stop_event(struct lt_sink *sink, const struct lt_event *ev)
{
	struct stop_sink *c = (struct stop_sink *)sink;

	c->watched += ev->time <= lt_trace_end(c->t);	/* as print/lifetimes.c does */
	return 0;
}

static int stop_end(struct lt_sink *sink)
{
	(void)sink;
	return 0;
}

static void test_module_stops_sink(void **state)
{
	struct stop_sink c = { .sink = { stop_begin, stop_event, stop_end } };
	struct lt_record_options o = { .quiet = true };
	struct player p = { .initial = true, .outcome = "done" };
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	add_tasks();
	put_text("stats", "state draining\nstopped 3990\nmissed rcu_free 0\n");
	put_text("snapshot", "epoch 1 initial running tasks 3\n");
	assert_int_equal(pthread_create(&p.thread, NULL, play, &p), 0);
	assert_int_equal(record(&o, &c.sink, &said), 2);
	p.stop = true;
	pthread_join(p.thread, NULL);
	assert_non_null(strstr(said, "the module has stopped the session"));
	/* Events from 1000 to 3990, and those of the channel pid: none from 3991 to 3999. */
	assert_int_equal(c.watched, 2991 + TASKS);
	remove_tasks();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attach),
		cmocka_unit_test(test_no_module), cmocka_unit_test(test_sink),
		cmocka_unit_test(test_flush_fails),
		cmocka_unit_test(test_junk),
		cmocka_unit_test(test_signal), cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_tasks_sink), cmocka_unit_test(test_snapshots),
		cmocka_unit_test(test_pid_parameters), cmocka_unit_test(test_module_stops),
		cmocka_unit_test(test_module_stops_sink),
	};

	return cmocka_run_group_tests_name("recorder", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A flight recorder on a directory that looks like the module's, and what happens while it runs;
 * for tests.
 */
#ifndef FLIGHTTEST_H
#define FLIGHTTEST_H

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "flight/flight.h"
#include "flight/trigger.h"
#include "recordtest.h"
#include "trace/trace.h"

#define MS	1000000L

static char prefix[400], control[400];

/* What a test may set for the recorders that it runs; @base: the last part of their prefix. */
static uint64_t window_ns = 1000 * MS;
static const char *base = "f";
static bool quiet;

/* The answer to the latest request. */
static char answered[4096];

/* The directory that the files are to be in. */
static inline void make_place(void)
{
	char dir[400];

	snprintf(dir, sizeof(dir), "%s", prefix);
	*strrchr(dir, '/') = 0;
	mkdir(dir, 0700);
}

static inline void wait_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * MS }, NULL);
}

/* What the recorder reads after its next flush; in one piece, since it may be reading. */
static inline void set_flushed(uint64_t clock)
{
	char path[400], text[64];
	int fd, n;

	snprintf(path, sizeof(path), "%s/enable", module_dir);
	n = snprintf(text, sizeof(text), "recording\nflushed %llu\n", (unsigned long long)clock);
	fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, text, (size_t)n, 0), n);
	close(fd);
}

/* Waits until the recorder has read this clock and what was flushed: it flushes once more. */
static inline void flush_at(uint64_t clock)
{
	for (int n = 0; n < 2; n++) {
		set_flushed(clock);
		for (int i = 0; i < 600 && !begins("enable", "flush"); i++)
			wait_ms(50);
		assert_true(begins("enable", "flush"));
	}
}

/* Packets that come later, of CPU 0. */
static char *later;
static size_t later_size;

static inline void put_later(void)
{
	char path[400];
	FILE *f;

	snprintf(path, sizeof(path), "%s/kmem/cpu0", module_dir);
	f = fopen(path, "a");
	assert_non_null(f);
	assert_int_equal(fwrite(later, 1, later_size, f), later_size);
	assert_int_equal(fclose(f), 0);
}

/* After the recorder has chosen its first number. */
static inline void plant_links(void)
{
	char path[500];

	snprintf(path, sizeof(path), "%s.000001.lt.part", prefix);
	assert_int_equal(symlink(test_path("victim"), path), 0);
	snprintf(path, sizeof(path), "%s.000002.lt", prefix);
	assert_int_equal(symlink(test_path("victim"), path), 0);
}

/* Children hang at once; for test_flight_end. */
static volatile bool hangs __attribute__((unused));

/* What happens while the recorder runs. @script: a letter for each deed. */
static inline void *deeds(void *arg)
{
	char *file;

	for (int i = 0; i < 100 && access(control, F_OK); i++)
		wait_ms(100);
	for (const char *c = arg; *c; c++) {
		switch (*c) {
		case 'r':	/* a request, which is granted */
			file = NULL;
			for (int i = 0; i < 100; i++) {
				if (!lt_flight_request(control, "why not", &file))
					break;
				wait_ms(100);
			}
			assert_non_null(file);
			snprintf(answered, sizeof(answered), "%s", file);
			free(file);
			break;
		case 'b':	/* a request that comes too soon */
			assert_int_equal(lt_flight_request(control, "again", &file), 1);
			break;
		case 'x':	/* a request whose snapshot fails */
			assert_int_equal(lt_flight_request(control, "in vain", &file), -1);
			break;
		case 'm':
			make_place();
			break;
		case 'e':	/* an early flush, and later ones */
			flush_at(3000);
			break;
		case 'f':
			flush_at(4000);
			break;
		case 'E':
			flush_at(600000);
			break;
		case 'F':
			flush_at(999000000);
			break;
		case 'k':	/* the kernel kills, and somebody writes to the file */
			put_text("trigger", "count 4\nwoken 3\n1 100 oom_kill 7 before\n"
				 "2 2500 oom_kill 42 hog\n3 2600 oops 14 die\n4 2700 user 0 look at it\n");
			break;
		case 's':
			kill(getpid(), SIGUSR2);
			break;
		case 'l':
			put_later();
			break;
		case 'p':
			plant_links();
			break;
		case 'h':	/* children no longer hang */
			hangs = false;
			break;
		case 'q':	/* the end */
			kill(getpid(), SIGINT);
			break;
		default:
			wait_ms(100);
		}
	}
	return NULL;
}

/* Runs a flight recorder for @ms; triggers are separated by blanks. */
static inline int fly(struct lt_flight_options *o, const char *triggers, const char *script,
		      long ms, const char **said)
{
	struct lt_record_options r = {
		.duration_ns = (uint64_t)ms * MS, .dir = module_dir, .command_line = "test",
		.quiet = quiet,
	};
	char *copy = lt_strdup(triggers), *rest = copy, *word;
	pthread_t thread;
	sigset_t set;
	int status;

	snprintf(prefix, sizeof(prefix), "%s", test_path(base));
	snprintf(control, sizeof(control), "%s", test_path("control"));
	o->prefix = o->prefix ? o->prefix : prefix;
	o->control = control;
	o->window_ns = window_ns;
	o->memory = o->memory ? o->memory : 8 << 20;
	o->triggers = lt_alloc(sizeof(*o->triggers));
	while ((word = strsep(&rest, " "))) {
		if (*word)
			assert_int_equal(lt_trigger_add(o->triggers, word), 0);
	}
	free(copy);
	/* A signal of the test before. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigtimedwait(&set, NULL, &(struct timespec){ 0 });
	test_stderr_begin();
	pthread_create(&thread, NULL, deeds, (void *)(uintptr_t)script);
	status = lt_flight_run(&r, o);
	pthread_join(thread, NULL);
	*said = test_stderr_end();
	return status;
}

static inline char *part_of(const char *path)
{
	struct lt_trace *t = lt_trace_open(path);
	char *part;

	assert_non_null(t);
	part = lt_strdup(lt_trace_text(t, LT_BLOCK_PART, 0));
	lt_trace_close(t);
	return part;
}

/* In all threads, also before the recorder does so: for main(). */
static inline void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

#endif /* FLIGHTTEST_H */

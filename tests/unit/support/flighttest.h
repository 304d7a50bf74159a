/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A flight recorder on a directory that looks like the module's, and what happens while it runs;
 * for tests.
 */
#ifndef FLIGHTTEST_H
#define FLIGHTTEST_H

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
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

/**
 * struct shared - memory of the recorder, of its children, and of the process of the deeds
 * @answered: the answer to the latest request
 * @threads: how many the recorder's process is to have
 * @hangs: its children hang at once
 * @ends: its other thread is to end
 * @runs: the recorder does
 * @child: the latest child of the recorder; 0: none since one was waited for
 */
struct shared {
	char answered[4096];
	volatile unsigned int threads;
	volatile bool hangs;
	volatile bool ends;
	volatile bool runs;
	volatile pid_t child;
};

static struct shared *shared;

/* In the recorder's process, once that of the deeds was forked, and in the recorder's children. */
static bool flying;

/* Called in the recorder's process at that time; NULL: nothing is. */
static void (*at_start)(void);

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
	if (!later)
		fail();
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

/* A line of /proc/PID/status: a number in this base. */
static inline uint64_t status_of(pid_t pid, const char *key, int number_base)
{
	char path[64], name[32], *text, *at;
	uint64_t n;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	snprintf(name, sizeof(name), "\n%s:", key);
	text = lt_read_text_file(path, 1 << 20, NULL);
	at = text ? strstr(text, name) : NULL;
	assert_non_null(at);
	n = strtoull(at + strlen(name), NULL, number_base);
	free(text);
	return n;
}

static inline unsigned int threads_of(pid_t pid)
{
	return (unsigned int)status_of(pid, "Threads", 10);
}

/* The recorder takes a signal: until then the next one would be the same to it. */
static inline void send_signal(void)
{
	kill(getppid(), SIGUSR2);
	while (shared->runs && status_of(getppid(), "ShdPnd", 16) >> (SIGUSR2 - 1) & 1)
		wait_ms(20);
}

static inline void end_thread(void)
{
	shared->ends = true;
	for (int i = 0; i < 100 && threads_of(getppid()) != 1; i++)
		wait_ms(50);
	shared->threads = 1;
}

/* Until the recorder has had a child, which has ended and was waited for. */
static inline void await_child(void)
{
	for (int i = 0; i < 600 && (!shared->child || !kill(shared->child, 0)); i++)
		wait_ms(50);
	assert_int_not_equal(shared->child, 0);
	assert_int_equal(kill(shared->child, 0), -1);
	shared->child = 0;
}

/* A request that is granted. */
static inline void ask(void)
{
	char *file = NULL;

	for (int i = 0; i < 100 && lt_flight_request(control, "why not", &file); i++)
		wait_ms(100);
	assert_non_null(file);
	snprintf(shared->answered, sizeof(shared->answered), "%s", file);
	free(file);
}

/* So many in a row; the files are not kept. SNAPSHOTS: how many. */
#define SNAPSHOTS	20

static inline void ask_often(void)
{
	for (uint64_t n = test_number("SNAPSHOTS", SNAPSHOTS); n; n--) {
		ask();
		assert_int_equal(unlink(shared->answered), 0);
	}
}

/* A request that is answered so. */
static inline void ask_in_vain(const char *why, int answer)
{
	char *file;

	assert_int_equal(lt_flight_request(control, why, &file), answer);
}

/* Return: false: it is no request. */
static inline bool request(char letter)
{
	switch (letter) {
	case 'r':	/* it is granted */
		ask();
		return true;
	case 'R':	/* many of them */
		ask_often();
		return true;
	case 'b':	/* it comes too soon */
		ask_in_vain("again", 1);
		return true;
	case 'x':	/* its snapshot fails */
		ask_in_vain("in vain", -1);
		return true;
	default:
		return false;
	}
}

/* What happens while the recorder, the parent, runs. @script: a letter for each deed. */
static inline void deeds(const char *script)
{
	for (int i = 0; i < 100 && access(control, F_OK); i++)
		wait_ms(100);
	for (const char *c = script; *c; c++) {
		/* The recorder starts none. */
		assert_int_equal(threads_of(getppid()), shared->threads);
		if (request(*c))
			continue;
		switch (*c) {
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
			send_signal();
			break;
		case 'l':
			put_later();
			break;
		case 'p':
			plant_links();
			break;
		case 'h':	/* children no longer hang */
			shared->hangs = false;
			break;
		case 'w':
			await_child();
			break;
		case 't':	/* the recorder's process has one thread from here on */
			end_thread();
			break;
		case 'q':	/* the end */
			kill(getppid(), SIGINT);
			break;
		default:
			wait_ms(100);
		}
	}
}

/*
 * A process of its own, so that the recorder's has one thread, as where users run it. An assertion
 * that fails there must not go on with the tests of the parent: it aborts.
 */
static inline pid_t fork_deeds(const char *script)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setenv("CMOCKA_TEST_ABORT", "1", 1);
	deeds(script);
	_exit(0);
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
	int status, done;
	sigset_t set;
	pid_t pid;

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
	shared->runs = true;
	pid = fork_deeds(script);
	flying = true;
	if (at_start)
		at_start();
	status = lt_flight_run(&r, o);
	flying = false;
	shared->runs = false;
	assert_int_equal(waitpid(pid, &done, 0), pid);
	*said = test_stderr_end();
	if (done)
		print_error("%s", *said);
	assert_int_equal(done, 0);
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

/* For main(): the signals are blocked also before the recorder does so. */
static inline void begin_tests(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		abort();
	shared->threads = 1;
}

#endif /* FLIGHTTEST_H */

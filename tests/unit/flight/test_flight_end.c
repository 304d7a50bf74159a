// SPDX-License-Identifier: GPL-2.0
/*
 * The flight recorder on a directory that looks like the module's: the command after a snapshot,
 * what ends a recording, and the processes that write snapshots. SNAPSHOTS (20): how many in a row.
 */
#include <pthread.h>

#include "flighttest.h"
#include "base/now.h"
#include "record/internal.h"

/* The command gets the names; the file is complete by then. The recorder ends after the command. */
static void test_exec(void **state)
{
	char path[300], command[1200], *text;
	struct lt_flight_options o = { .max_snapshots = 1 };
	const char *said;

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("exec"));
	snprintf(command, sizeof(command), "sleep 0.5; echo \"$LIFETRACE_TRIGGER\" >%s; "
		 "tail -c 4 \"$LIFETRACE_SNAPSHOT\" | wc -c >>%s; exit 3", path, path);
	o.exec = command;
	make_module(RECORDING, "");
	assert_int_equal(fly(&o, "", "..s", 20000, &said), 0);
	assert_non_null(strstr(said, "--exec: the command has ended with exit status 3\n"));
	text = lt_read_text_file(path, 1000, NULL);
	assert_non_null(text);
	assert_string_equal(text, "signal\n4\n");
	free(text);
}

/* Who asks, and the command, may be in another directory than the recorder. */
static void test_relative(void **state)
{
	struct lt_flight_options o = {
		.max_snapshots = 1, .prefix = "nearby",
		.exec = "echo $LIFETRACE_SNAPSHOT >named",
	};
	int here = open(".", O_RDONLY | O_DIRECTORY);
	char path[4096], *dir, *text;
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	snprintf(path, sizeof(path), "%s", test_path(""));
	assert_int_equal(chdir(path), 0);
	assert_int_equal(fly(&o, "", "..r", 20000, &said), 0);
	assert_string_equal(o.prefix, "nearby");
	dir = getcwd(NULL, 0);
	assert_non_null(dir);
	snprintf(path, sizeof(path), "%s/nearby.000001.lt", dir);
	assert_string_equal(shared->answered, path);
	text = lt_read_text_file("named", 4096, NULL);
	assert_non_null(text);
	text[strcspn(text, "\n")] = 0;
	assert_string_equal(text, path);
	free(text);
	free(dir);
	assert_int_equal(unlink("nearby.000001.lt"), 0);
	assert_int_equal(fchdir(here), 0);
	close(here);
}

/* A trigger comes while the last snapshot is written, and is seen when that is found to be done. */
static bool slow_to_fork;

/* How long its children may do nothing is the default from the first one on that does not hang. */
static struct lt_flight_options *patient;

/* Until the file is written, however long that takes; who has forked will ask for its status. */
static void wait_for_child(void)
{
	siginfo_t info;

	while (!shared->child)
		wait_ms(10);
	assert_int_equal(waitid(P_PID, (id_t)shared->child, &info, WEXITED | WNOWAIT), 0);
}

static void after_fork(void)
{
	if (flying && patient && !shared->hangs)
		patient->stuck_ns = 0;
	if (!flying || !slow_to_fork)
		return;
	put_text("trigger", "count 1\nwoken 1\n1 2500 user 0 too late\n");
	wait_ms(1300);
	wait_for_child();
}

static void test_limit(void **state)
{
	struct lt_flight_options o = { .max_snapshots = 1 };
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	put_text("trigger", "count 0\nwoken 0\n");
	slow_to_fork = true;
	shared->child = 0;
	assert_int_equal(fly(&o, "", "..s", 20000, &said), 0);
	slow_to_fork = false;
	assert_non_null(strstr(said, "snapshots: 1\n"));
}

/* A service whose output nobody has wanted says why it is no longer there. */
static void test_limit_quiet(void **state)
{
	struct lt_flight_options o = { .max_snapshots = 1 };
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	quiet = true;
	assert_int_equal(fly(&o, "", "..s", 20000, &said), 0);
	quiet = false;
	assert_null(strstr(said, "snapshots: 1"));
	assert_non_null(strstr(said, "limit of --max-snapshots (1) reached; the recorder ends\n"));
}

/* A file that cannot be written is no end of the recording. */
static void test_no_room(void **state)
{
	struct lt_flight_options o = { .max_snapshots = 1 };
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	base = "place/f";
	assert_int_equal(fly(&o, "", "..s..........ms", 20000, &said), 0);
	base = "f";
	assert_non_null(strstr(said, "the snapshot was not written"));
	assert_non_null(strstr(said, "snapshots: 1\n"));
}

/* A lock that the child takes, as that of an allocator would be which fork() does not release. */
static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;

static void in_child(void)
{
	if (flying)
		shared->child = getpid();
	while (flying && shared->hangs)
		pause();
	pthread_mutex_lock(&library);
	pthread_mutex_unlock(&library);
}

/* The recorder ends, and says what it gave up. Each trigger while it writes is counted. */
static void test_stuck(void **state)
{
	struct lt_flight_options o = { .stuck_ns = 400 * MS };
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	shared->hangs = true;
	assert_int_equal(fly(&o, "", "..s..q", 20000, &said), 0);
	shared->hangs = false;
	assert_non_null(strstr(said, "has done nothing for"));
	assert_non_null(strstr(said, "the snapshot was not written: its process was killed"));
	assert_non_null(strstr(said, "snapshots: 0; triggers that caused none: 1"));
	/* Also while it records: the next one is written. */
	make_module(RECORDING, "");
	shared->hangs = true;
	shared->child = 0;
	patient = &o;
	assert_int_equal(fly(&o, "", "..swhswq", 60000, &said), 0);
	patient = NULL;
	assert_non_null(strstr(said, "has done nothing for"));
	/* That one has counted the trigger of the other. */
	assert_non_null(strstr(said, "snapshots: 1\n"));
}

static unsigned int forks;

static void before_fork(void)
{
	forks += flying;
}

static pthread_t thread;
static pthread_barrier_t has_lock;

/* As one of a preloaded library. */
static void *hold_lock(void *arg)
{
	pthread_mutex_lock(&library);
	pthread_barrier_wait(&has_lock);
	while (!shared->ends)
		wait_ms(10);
	pthread_mutex_unlock(&library);
	return arg;
}

static void start_thread(void)
{
	pthread_barrier_init(&has_lock, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, hold_lock, NULL), 0);
	pthread_barrier_wait(&has_lock);
}

/*
 * A process with another thread is not forked: the child would wait for its lock. Each trigger is
 * answered and counted, the recording goes on, and when the thread has ended the file is written.
 */
static void test_threads(void **state)
{
	struct lt_flight_options o = { .max_snapshots = 1, .stuck_ns = 20000 * MS };
	char path[500], *part;
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	shared->threads = 2;
	at_start = start_thread;
	forks = 0;
	assert_int_equal(fly(&o, "", "..xxtr", 60000, &said), 0);
	at_start = NULL;
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&has_lock);
	assert_int_equal(forks, 1);
	assert_non_null(strstr(said, "no snapshot can be written: this process has 2 threads"));
	assert_non_null(strstr(said, ".lt: not written: this process has 2 threads"));
	assert_null(strstr(said, "has done nothing for"));
	assert_non_null(strstr(said, "snapshots: 1\n"));
	snprintf(path, sizeof(path), "%s", strstr(said, "\nsnapshot: ") + 11);
	path[strcspn(path, " ")] = 0;
	part = part_of(path);
	assert_non_null(strstr(part, "\ntriggers_missed=2\n"));
	free(part);
	unlink(path);
}

/* Snapshot after snapshot, compressed, none of which hangs. */
static void test_often(void **state)
{
	uint64_t n = test_number("SNAPSHOTS", SNAPSHOTS), began = lt_now_ns();
	struct lt_flight_options o = { .max_snapshots = n, .zstd = true };
	char sum[64];
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	quiet = true;
	forks = 0;
	assert_int_equal(fly(&o, "", "R", 0, &said), 0);
	quiet = false;
	assert_int_equal(forks, n);
	assert_null(strstr(said, "has done nothing for"));
	snprintf(sum, sizeof(sum), "--max-snapshots (%llu) reached", (unsigned long long)n);
	assert_non_null(strstr(said, sum));
	print_message("%llu snapshots in %llu ms\n", (unsigned long long)n,
		      (unsigned long long)((lt_now_ns() - began) / MS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_relative),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_limit_quiet),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_stuck),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_often),
	};

	if (pthread_atfork(before_fork, after_fork, in_child))
		return 1;
	begin_tests();
	return cmocka_run_group_tests_name("flight_end", tests, NULL, NULL);
}

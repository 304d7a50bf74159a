// SPDX-License-Identifier: GPL-2.0
/*
 * The command after a snapshot: its environment, what it has of the recorder's protection, and how
 * long the recorder waits for it.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/now.h"
#include "base/text.h"
#include "flight/internal.h"
#include "testlib.h"

#define MS	1000000ULL

static char path[] = "/srv/flight.000007.lt", output[400];

/* Runs a command as after a snapshot, up to its end. Return: what it has printed, to be freed. */
static char *run(const char *command, const char *score)
{
	struct lt_recording r = { .signal_fd = -1 };
	char script[1000], *text;
	struct lt_flight_options o = { .exec = script };
	struct lt_flight f = { .r = &r, .opts = &o, .path = path, .cause = "signal" };
	int status;

	snprintf(output, sizeof(output), "%s", test_path("output"));
	snprintf(script, sizeof(script), "exec >%s\n%s", output, command);
	snprintf(f.oom_score_adj, sizeof(f.oom_score_adj), "%s", score);
	lt_flight_exec(&f);
	assert_true(f.execs[0] > 0);
	assert_int_equal(waitpid(f.execs[0], &status, 0), f.execs[0]);
	assert_int_equal(status, 0);
	text = lt_read_text_file(output, 4096, NULL);
	assert_non_null(text);
	return text;
}

/* A recorder that a command of another recorder has started, for example. */
static void test_environment(void **state)
{
	char *text;

	(void)state;
	setenv("LIFETRACE_SNAPSHOT", "/srv/old.lt", 1);
	setenv("LIFETRACE_TRIGGER", "old", 1);
	setenv("LIFETRACE_SNAPSHOTS", "other", 1);
	text = run("echo $LIFETRACE_SNAPSHOT $LIFETRACE_TRIGGER $LIFETRACE_SNAPSHOTS\n"
		   "tr '\\0' '\\n' </proc/$$/environ | grep -c '^LIFETRACE_[A-Z]*='", "0");
	assert_string_equal(text, "/srv/flight.000007.lt signal other\n3\n");
	free(text);
}

static void set_score(const char *score)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY);

	assert_int_equal(write(fd, score, strlen(score)), strlen(score));
	close(fd);
}

/* A command must not have the protection of the recorder, even if that was started with it. */
static void test_score(void **state)
{
	static const char *const before[][2] = {
		{ "", "0\n" }, { "0", "0\n" }, { "300", "300\n" }, { "-1000", "0\n" },
	};
	char *text;

	(void)state;
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		set_score("500");
		text = run("cat /proc/self/oom_score_adj", before[i][0]);
		set_score("0");
		assert_string_equal(text, before[i][1]);
		free(text);
	}
}

/* Waits for these commands. Return: the time, in ms; what was said stays valid. */
static uint64_t end(const char *const *commands, size_t n, uint64_t limit_ms, const char **said)
{
	struct lt_recording r = { .signal_fd = -1 };
	struct lt_flight_options o = { 0 };
	struct lt_flight f = { .r = &r, .opts = &o, .path = path, .cause = "signal" };
	uint64_t began = lt_now_ns(), took;

	test_stderr_begin();
	for (size_t i = 0; i < n; i++) {
		o.exec = commands[i];
		lt_flight_exec(&f);
	}
	lt_flight_end_execs(&f, limit_ms * MS, false);
	took = (lt_now_ns() - began) / MS;
	*said = test_stderr_end();
	for (size_t i = 0; i < LT_FLIGHT_EXECS; i++) {
		if (f.execs[i]) {
			assert_int_equal(kill(f.execs[i], SIGKILL), 0);
			assert_int_equal(waitpid(f.execs[i], NULL, 0), f.execs[i]);
		}
	}
	return took;
}

/* All are awaited, whether they succeed or fail, but not for ever, nor against a second ^C. */
static void test_end(void **state)
{
	static const char *const ending[] = { "exec sleep 0.2", "sleep 0.4; exit 3", "kill -9 $$" };
	static const char *const lasting[] = { "exec sleep 100", "exec sleep 0.1" };
	const char *said;
	sigset_t set;

	(void)state;
	lt_record_stop_set(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	end(NULL, 0, 60000, &said);
	assert_string_equal(said, "");
	assert_in_range(end(ending, 3, 60000, &said), 400, 50000);
	assert_non_null(strstr(said, "waiting for the command"));
	assert_non_null(strstr(said, "has ended with exit status 3\n"));
	assert_non_null(strstr(said, "has ended with signal 9\n"));
	assert_null(strstr(said, "without it"));
	assert_in_range(end(lasting, 2, 700, &said), 700, 50000);
	assert_non_null(strstr(said, "has not ended; the recorder ends without it\n"));
	assert_null(strstr(strstr(said, "without it") + 1, "without it"));
	kill(getpid(), SIGTERM);
	assert_in_range(end(lasting, 1, 60000, &said), 0, 50000);
	assert_non_null(strstr(said, "has not ended; the recorder ends without it\n"));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_score),
		cmocka_unit_test(test_end),
	};

	return cmocka_run_group_tests_name("exec", tests, NULL, NULL);
}

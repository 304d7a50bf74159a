// SPDX-License-Identifier: GPL-2.0
/*
 * The command after a snapshot: its environment, and what it has of the recorder's protection.
 */
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "flight/internal.h"
#include "testlib.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_score),
	};

	return cmocka_run_group_tests_name("exec", tests, NULL, NULL);
}

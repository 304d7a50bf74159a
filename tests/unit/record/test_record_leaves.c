// SPDX-License-Identifier: GPL-2.0
/*
 * What a recording leaves behind: its file and the one before, the module's parameters, the
 * exit status of the command.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "base/mem.h"
#include "recordtest.h"

/* What was written to parameters of the module: "NAME=VALUE;" each. */
static char written[1000];
/* The process is killed when it has written this: "NAME=VALUE;"; "": it is not. */
static char killed_at[64];

ssize_t write(int fd, const void *data, size_t size)
{
	char link[64], path[4096];
	const char *name;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = 0;
	name = strstr(path, "/parameters/");
	if (name)
		snprintf(written + strlen(written), sizeof(written) - strlen(written), "%s=%.*s;",
			 name + strlen("/parameters/"), (int)size, (const char *)data);
	n = syscall(SYS_write, fd, data, size);
	if (*killed_at && strstr(written, killed_at))
		raise(SIGKILL);
	return n;
}

static bool member;	/* one who may use the device, and not set parameters */

int faccessat(int dir, const char *path, int mode, int flags)
{
	if (member && strstr(path, "/parameters/")) {
		errno = EACCES;
		return -1;
	}
	return (int)syscall(SYS_faccessat2, dir, path, mode, flags);
}

/* A member of the group lifetrace: what was not asked for stays as it is, and that is said. */
static void test_member(void **state)
{
	struct lt_record_options o = { .duration_ns = 100000000, .quiet = true };
	const char *said;

	(void)state;
	make_module("idle\n", "");
	put_text("parameters/clock", "mono\n");
	member = true;
	written[0] = 0;
	assert_int_equal(record(&o, NULL, &said), 0);
	member = false;
	assert_string_equal(written, "");
	assert_non_null(strstr(said, "clock=mono, as the module was loaded: root alone can set its parameters"));
}

/* They are set for the session, and restored when it has begun or has failed. */
static void test_parameters(void **state)
{
	struct lt_record_options o = { .duration_ns = 100000000, .events = "pages",
				       .n_subbufs = "64", .quiet = true };
	const char *said;

	(void)state;
	make_module("idle\n", "");
	written[0] = 0;
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_string_equal(written, "events=pages;n_subbufs=64;events=slab\n;n_subbufs=32\n;");
	/* --quiet does not hide a loss. */
	assert_non_null(strstr(said, "lifetrace: note: 3 events were lost\n"));
	assert_null(strstr(said, "kfree"));
	/* A parameter that the module does not have. */
	o.pid_n_subbufs = "2";
	written[0] = 0;
	assert_int_equal(record(&o, NULL, &said), 2);
	assert_non_null(strstr(said, "parameters/pid_n_subbufs"));
	assert_string_equal(written, "events=pages;n_subbufs=64;events=slab\n;n_subbufs=32\n;");
}

/*
 * Stacks of a sample where the module says that a stack costs little, unless an option says
 * otherwise or no object is watched.
 */
static void test_default_stacks(void **state)
{
	static const struct {
		struct lt_record_options o;
		const char *steps;
		const char *stacks;	/* what is written; NULL: nothing */
	} rows[] = {
		{ { .events = "slab" }, "stack_steps=1\n", "stacks=64;" },
		{ { .events = "pages,all" }, "stack_steps=1\n", "stacks=64;" },
		{ { .events = "slab" }, "stack_steps=0\n", NULL },
		{ { .events = "slab" }, "", NULL },
		{ { .events = "pages,tasks" }, "stack_steps=1\n", NULL },
		{ { .events = "slab", .no_stacks = true }, "stack_steps=1\n", NULL },
		{ { .events = "slab", .stack_min = "4096" }, "stack_steps=1\n", NULL },
		{ { .events = "slab", .stacks = "8" }, "stack_steps=1\n", "stacks=8;" },
	};
	char path[400], *info, *with;
	const char *said;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lt_record_options o = rows[i].o;

		o.duration_ns = 10000000;
		o.quiet = true;
		make_module("idle\n", "");
		put_text("parameters/stacks", "0");
		put_text("parameters/stack_min", "0");
		snprintf(path, sizeof(path), "%s/info", module_dir);
		info = lt_read_text_file(path, 65536, NULL);
		with = lt_format("%s%s", info, rows[i].steps);
		put_text("info", with);
		free(with);
		free(info);
		written[0] = 0;
		assert_int_equal(record(&o, NULL, &said), 0);
		assert_int_equal(strstr(written, "stacks=") != NULL, rows[i].stacks != NULL);
		if (rows[i].stacks)
			assert_non_null(strstr(written, rows[i].stacks));
	}
}

/* What an earlier user has left in the parameters does not decide what is recorded. */
static void test_parameters_left(void **state)
{
	struct lt_record_options o = { .duration_ns = 100000000 };
	char schema[400];
	const char *said;

	(void)state;
	make_module("idle\n", "");
	put_text("parameters/events", "kmalloc,kfree\n\n");
	put_text("parameters/clock", "sundial\n");
	put_text("parameters/sample", "10\n");
	put_text("parameters/min_size", "0\n");
	written[0] = 0;
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_string_equal(written, "events=slab,tasks;clock=auto;sample=1;"
			    "events=kmalloc,kfree\n;clock=sundial\n;sample=10\n;");
	assert_non_null(strstr(said, "parameters: events slab,tasks, clock mono"));
	/* A session that does not begin. */
	make_module("idle\n", "");
	put_text("parameters/events", "kfree\n");
	snprintf(schema, sizeof(schema), "%s/schema", module_dir);
	unlink(schema);
	written[0] = 0;
	assert_int_equal(record(&o, NULL, &said), 2);
	assert_non_null(strstr(written, "events=kfree\n;"));
	for (size_t i = 0; i < 3; i++) {
		static const char *const names[] = { "clock", "sample", "min_size" };

		snprintf(schema, sizeof(schema), "%s/parameters/%s", module_dir, names[i]);
		unlink(schema);
	}
}

/* A recorder that is killed while it sets the parameters @o; they stay set. */
static void killed(const struct lt_record_options *o, const char *at)
{
	struct lt_record_options copy = *o;
	const char *said;
	pid_t child;
	int status;

	make_module("idle\n", "");
	put_text("parameters/clock", "auto\n");
	child = fork();
	if (!child) {
		written[0] = 0;
		snprintf(killed_at, sizeof(killed_at), "%s", at);
		record(&copy, NULL, &said);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* What a recorder that was killed has set does not stay. */
static void test_parameters_killed(void **state)
{
	struct lt_record_options o = { .events = "pages", .clock = "raw", .n_subbufs = "4" };
	struct lt_record_options plain = { .duration_ns = 100000000, .quiet = true };
	const char *said;
	char kept[400];

	(void)state;
	killed(&o, "n_subbufs=4;");
	snprintf(kept, sizeof(kept), "%s/parameters.kept", module_dir);
	assert_true(begins("parameters/n_subbufs", "4"));
	assert_true(begins("parameters/events", "pages"));
	assert_int_equal(access(kept, F_OK), 0);
	written[0] = 0;
	assert_int_equal(record(&plain, NULL, &said), 0);
	assert_string_equal(written, "events=slab\n;clock=auto\n;n_subbufs=32\n;"
			    "events=slab,tasks;events=slab\n;");
	assert_non_null(strstr(said, "a recorder was killed"));
	assert_int_equal(access(kept, F_OK), -1);
	/* That is not said twice. */
	put_text("enable", "idle\n");
	assert_int_equal(record(&plain, NULL, &said), 0);
	assert_null(strstr(said, "a recorder was killed"));

	/* Before the other values were written; one of the first has been changed since. */
	killed(&o, "clock=raw;");
	assert_true(begins("parameters/n_subbufs", "32"));
	put_text("parameters/events", "kfree\n");
	written[0] = 0;
	assert_int_equal(record(&plain, NULL, &said), 0);
	assert_string_equal(written, "clock=auto\n;events=slab,tasks;events=kfree\n;");

	/* A file that no recorder has written. */
	put_text("enable", "idle\n");
	put_text("parameters.kept", "no\nn_subbufs\nn_subbufs\t32\nnonsense\t32\t7\n\t\t\n\n");
	written[0] = 0;
	assert_int_equal(record(&plain, NULL, &said), 0);
	assert_string_equal(written, "events=slab,tasks;events=kfree\n;");
	snprintf(kept, sizeof(kept), "%s/parameters/clock", module_dir);
	unlink(kept);
}

/* A recording that does not begin leaves the previous trace alone; the next one keeps it. */
static void test_keeps_old(void **state)
{
	char path[400], old[410], part[410], schema[400];
	struct lt_record_options o = { .duration_ns = 100000000, .output = path };
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	snprintf(path, sizeof(path), "%s", test_path("keep.lt"));
	snprintf(old, sizeof(old), "%s.old", path);
	snprintf(part, sizeof(part), "%s.part", path);
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_null(strstr(said, ".old"));
	check_file(path, EVENTS);
	snprintf(schema, sizeof(schema), "%s/schema", module_dir);
	assert_int_equal(unlink(schema), 0);
	assert_int_equal(record(&o, NULL, &said), 2);
	assert_null(strstr(said, "next:"));
	check_file(path, EVENTS);
	assert_int_equal(access(part, F_OK), -1);
	assert_int_equal(access(old, F_OK), -1);
	make_module(RECORDING, "");
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_non_null(strstr(said, "keep.lt.old\n"));
	check_file(path, EVENTS);
	check_file(old, EVENTS);
	assert_int_equal(access(part, F_OK), -1);
}

static void test_command(void **state)
{
	char *yes[] = { (char *)"/bin/sh", (char *)"-c", (char *)"exit 3", NULL };
	char *no[] = { (char *)"/nonexistent/command", NULL };
	char *slow[] = { (char *)"/bin/sleep", (char *)"100", NULL };
	char *killed[] = { (char *)"sh", (char *)"-c", (char *)"kill -9 $$", NULL };
	char script_path[400], *script[] = { script_path, NULL };
	struct lt_record_options o = { .command = yes };
	const char *said;

	(void)state;
	snprintf(script_path, sizeof(script_path), "%s", test_path("script"));
	make_module(RECORDING, "");
	assert_int_equal(record(&o, NULL, &said), 3);
	assert_non_null(strstr(said, "exit status 3"));
	o.command = killed;
	make_module(RECORDING, "");
	assert_int_equal(record(&o, NULL, &said), 128 + SIGKILL);
	assert_non_null(strstr(said, "ended by signal 9"));
	/* What cannot be started is found before the session begins. */
	o.command = no;
	make_module("idle\n", "");
	assert_int_equal(record(&o, NULL, &said), 2);
	assert_non_null(strstr(said, "/nonexistent/command: No such file"));
	assert_true(begins("enable", "idle"));
	o.command = script;
	assert_int_equal(tg_save(test_path("script"), "#!/nonexistent/sh -e\n", 21), 0);
	chmod(test_path("script"), 0700);
	assert_int_equal(record(&o, NULL, &said), 2);
	assert_non_null(strstr(said, "script: No such file"));
	assert_true(begins("enable", "idle"));
	chmod(test_path("script"), 0600);
	assert_int_equal(record(&o, NULL, &said), 2);
	assert_non_null(strstr(said, "script: Permission denied"));
	/* A command that outlives the recording gets SIGTERM. */
	o.command = slow;
	o.duration_ns = 100000000;
	make_module(RECORDING, "");
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_non_null(strstr(said, "ended by signal 15"));
}

/*
 * The disk is full: the file is readable up to there. How much a whole file takes depends on
 * the symbols of the machine.
 */
static void test_full_disk(void **state)
{
	char path[400];
	struct lt_record_options o = { .duration_ns = 5000000000ULL, .output = path };
	struct rlimit old, small;
	struct lt_verify_result *v;
	const char *said, *cannot;
	struct stat st;
	int status;

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("full.lt"));
	make_module(RECORDING, "");
	o.duration_ns = 100000000;
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_int_equal(stat(path, &st), 0);
	make_module(RECORDING, "");
	o.duration_ns = 5000000000ULL;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = (struct rlimit){ (rlim_t)st.st_size - 15000, old.rlim_max };
	setrlimit(RLIMIT_FSIZE, &small);
	status = record(&o, NULL, &said);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(status, 2);
	cannot = strstr(said, "File too large");
	assert_non_null(cannot);
	assert_non_null(strstr(cannot, "next: "));
	v = lt_verify(path);
	assert_non_null(v);
	assert_int_equal(v->checks[LT_CHECK_BLOCKS].failures, 0);
	assert_false(lt_verify_result_good(v));
	lt_verify_result_free(v);
}

/* Whether the sums of a copy of the file close, in whose last STATS the words were replaced. */
static void check_forged(const char *path, const char *words, const char *other, bool good)
{
	struct lt_trace *t = lt_trace_open(path);
	const char *stats = lt_trace_text(t, LT_BLOCK_STATS, SIZE_MAX), *at = strstr(stats, words);
	struct lt_verify_result *v;
	char *text, copy[400];
	uint8_t *data;
	size_t size;

	if (!at)
		fail_msg("no '%s' in: %s", words, stats);
	assert_true(asprintf(&text, "%.*s%s%s", (int)(at - stats), stats, other,
			     at + strlen(words)) > 0);
	lt_trace_close(t);
	data = (uint8_t *)lt_read_text_file(path, 1 << 24, &size);
	assert_non_null(data);
	/* Behind the trailer: the file is torn then, and STATS is the last one. */
	tg_append_block(&data, &size, LT_BLOCK_STATS, 0, text, strlen(text));
	snprintf(copy, sizeof(copy), "%s.forged", path);
	assert_int_equal(tg_save(copy, data, size), 0);
	v = lt_verify(copy);
	assert_int_equal(!v->checks[LT_CHECK_STATS].failures && !v->checks[LT_CHECK_LAST].failures,
			 good);
	lt_verify_result_free(v);
	free(data);
	free(text);
}

/* The file has the size, but for texts; the packets that have no room are counted. */
static void test_max_size(void **state)
{
	char path[400];
	struct lt_record_options o = { .output = path, .duration_ns = 100000000 };
	struct lt_verify_result *v;
	struct lt_trace *t;
	struct lt_left_out left_out;
	const char *said;
	struct stat st;

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("max.lt"));
	make_module(RECORDING, "");
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_int_equal(stat(path, &st), 0);
	o.max_size = (uint64_t)st.st_size - 20000;
	o.duration_ns = 0;
	make_module(RECORDING, "");
	assert_int_equal(record(&o, NULL, &said), 0);
	assert_non_null(strstr(said, "limit of --max-size"));
	assert_non_null(strstr(said, "has no room for the last "));
	assert_int_equal(stat(path, &st), 0);
	/* A packet of 4096 bytes, and the texts. */
	assert_in_range(st.st_size, o.max_size - 6000, o.max_size + 2000);
	v = lt_verify(path);
	/* What is in the file and what was left out add up to what the module has counted. */
	for (unsigned int i = 0; i < LT_N_CHECKS; i++)
		assert_int_equal(v->checks[i].failures, 0);
	assert_true(v->checks[LT_CHECK_LAST].limited);
	assert_int_equal(v->left_out.max_size, o.max_size);
	assert_in_range(v->left_out.packets, 2, 9);
	assert_in_range(v->records, 100, EVENTS - 100);
	t = lt_trace_open(path);
	left_out = lt_trace_left_out(t);
	assert_memory_equal(&left_out, &v->left_out, sizeof(left_out));
	lt_trace_close(t);
	lt_verify_result_free(v);
	/* The texts alone are larger: nothing is recorded, and what was there stays. */
	o.max_size = 1000;
	make_module(RECORDING, "");
	assert_int_equal(record(&o, NULL, &said), 2);
	assert_non_null(strstr(said, "--max-size: the symbols and other texts"));
	t = lt_trace_open(path);
	assert_int_equal(lt_trace_left_out(t).packets, left_out.packets);
	lt_trace_close(t);
	/* Without the lines, or with other numbers, something is missing. */
	check_forged(path, "limited ", "limited ", true);
	check_forged(path, "limited ", "limitid ", false);
	check_forged(path, "left_out cpu 0 packets ", "left_out cpu 1 packets ", false);
	check_forged(path, "left_out cpu 0 class kfree seen ", "left_out cpu 0 class nothing seen ", false);
	check_forged(path, "left_out cpu 0 class kfree seen ", "left_out cpu 0 class kfree seen 1", false);
}

/* Standard output is a pipe; what the command prints does not get into the trace. */
static void test_stdout(void **state)
{
	char *echo[] = { (char *)"/bin/echo", (char *)"hello", NULL };
	struct lt_record_options o = { .output = "-", .command = echo };
	int saved = dup(STDOUT_FILENO), pipes[2], status;
	char *data = malloc(64 << 20);
	const char *said;
	ssize_t n;

	(void)state;
	make_module(RECORDING, "");
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	if (!fork()) {
		/* The reader of the pipe. */
		FILE *f = fopen(test_path("piped.lt"), "w");

		close(pipes[1]);
		while ((n = syscall(SYS_read, pipes[0], data, 64 << 20)) > 0)
			fwrite(data, 1, (size_t)n, f);
		fclose(f);
		_exit(0);
	}
	fflush(stdout);
	dup2(pipes[1], STDOUT_FILENO);
	close(pipes[0]);
	close(pipes[1]);
	status = record(&o, NULL, &said);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	assert_int_equal(status, 0);
	assert_non_null(strstr(said, "hello\n"));
	assert_null(strstr(said, "next:"));
	while (wait(NULL) > 0)
		;
	check_file(test_path("piped.lt"), EVENTS);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parameters), cmocka_unit_test(test_member),
		cmocka_unit_test(test_parameters_left),
		cmocka_unit_test(test_parameters_killed), cmocka_unit_test(test_default_stacks),
		cmocka_unit_test(test_keeps_old), cmocka_unit_test(test_command),
		cmocka_unit_test(test_full_disk), cmocka_unit_test(test_max_size),
		cmocka_unit_test(test_stdout),
	};

	return cmocka_run_group_tests_name("record_leaves", tests, NULL, NULL);
}

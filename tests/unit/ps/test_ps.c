// SPDX-License-Identifier: GPL-2.0
/*
 * The list of running tasks, from a /proc of a few files, and from the real /proc.
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ps/ps.h"
#include "testlib.h"

#define TAIL	"0 0 0 -1 4194560 10 20 0 0 5 6 0 0 20 0 1 0"
#define STATUS	"Name:\tx\nUmask:\t0022\nUid:\t1000\t0\t0\t0\nGid:\t7\t7\t7\t7\n"

static char root[512];

static void make_path(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", root, name);
	for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(path, 0700);
		*p = '/';
	}
}

static void put(const char *name, const char *text)
{
	test_put(root, name, text, strlen(text));
}

static void put_link(const char *name, const char *target)
{
	char path[1024];

	make_path(path, sizeof(path), name);
	unlink(path);
	assert_int_equal(symlink(target, path), 0);
}

static void put_task(const char *dir, unsigned int tid, const char *comm, unsigned int ppid,
		     unsigned long long ticks)
{
	char name[256], text[512];

	snprintf(name, sizeof(name), "%s/stat", dir);
	snprintf(text, sizeof(text), "%u (%s) S %u " TAIL " %llu 8192 3 18446744073709551615\n",
		 tid, comm, ppid, ticks);
	put(name, text);
	snprintf(name, sizeof(name), "%s/status", dir);
	put(name, STATUS);
}

/* Two processes, one of them with two threads; a kernel thread. */
static int fake_proc(void **state)
{
	char command[600];

	(void)state;
	snprintf(root, sizeof(root), "%s", test_path("proc"));
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	assert_int_equal(system(command), 0);
	assert_int_equal(mkdir(root, 0700), 0);
	put("pid_gen", "17\n");
	put("version", "not a process\n");
	put("sys/kernel/x", "neither\n");
	put_task("1", 1, "init", 0, 0);
	put_link("1/exe", "/sbin/init");
	put_task("1/task/1", 1, "init", 0, 0);
	put_task("20", 20, "a) b (c) S 9", 1, 123);
	put_link("20/exe", "/bin/with space\nand line");
	put_task("20/task/20", 20, "a) b (c) S 9", 1, 123);
	put_task("20/task/21", 21, "worker", 1, 456);
	put_task("3", 3, "kworker/0:1", 2, 7);
	put_task("3/task/3", 3, "kworker/0:1", 2, 7);
	return 0;
}

static void test_list(void **state)
{
	uint64_t tick = 1000000000ULL / (uint64_t)sysconf(_SC_CLK_TCK);
	struct lt_ps ps;

	(void)state;
	lt_ps_init(&ps, root);
	assert_int_equal(lt_ps_list(&ps, 3), LT_PS_OK);
	assert_true(ps.proven);
	assert_int_equal(ps.generation, 17);
	assert_int_equal(ps.scans, 1);
	assert_int_equal(ps.n, 3);
	assert_int_equal(ps.rows[0].pid, 1);
	assert_string_equal(ps.rows[0].exe, "/sbin/init");
	assert_int_equal(ps.rows[1].pid, 3);
	assert_null(ps.rows[1].exe);
	assert_int_equal(ps.rows[1].ppid, 2);
	assert_int_equal(ps.rows[2].pid, 20);
	assert_int_equal(ps.rows[2].tid, 20);
	assert_int_equal(ps.rows[2].ppid, 1);
	assert_int_equal(ps.rows[2].uid, 1000);
	assert_int_equal(ps.rows[2].state, 'S');
	assert_string_equal(ps.rows[2].comm, "a) b (c) S 9");
	assert_string_equal(ps.rows[2].exe, "/bin/with space\nand line");
	assert_int_equal(ps.rows[2].start_ns, 123 * tick);
	assert_int_equal(ps.rows[2].rss, 3 * sysconf(_SC_PAGESIZE));
	lt_ps_free(&ps);
}

static void test_threads(void **state)
{
	struct lt_ps ps;

	(void)state;
	lt_ps_init(&ps, root);
	ps.threads = true;
	assert_int_equal(lt_ps_list(&ps, 1), LT_PS_OK);
	assert_int_equal(ps.n, 4);
	assert_int_equal(ps.rows[2].tid, 20);
	assert_int_equal(ps.rows[3].tid, 21);
	assert_int_equal(ps.rows[3].pid, 20);
	assert_string_equal(ps.rows[3].comm, "worker");
	lt_ps_free(&ps);
}

/* The generation at each reading; the last one is repeated. */
struct readings {
	uint64_t values[8];
	unsigned int n;
	unsigned int next;
	int err;
};

static int reading(void *arg, const char *proc, uint64_t *generation)
{
	struct readings *r = arg;

	(void)proc;
	errno = r->err;
	if (r->next >= r->n && r->err)
		return -1;
	*generation = r->values[r->next < r->n ? r->next : r->n - 1];
	r->next++;
	return 0;
}

static void test_generations(void **state)
{
	struct readings r = { .values = { 5, 6, 8, 8 }, .n = 4 };
	struct lt_ps ps;

	(void)state;
	lt_ps_init(&ps, root);
	ps.generation_fn = reading;
	ps.arg = &r;
	/* The reading after a scan is also the reading before the next scan. */
	assert_int_equal(lt_ps_list(&ps, 20), LT_PS_OK);
	assert_true(ps.proven);
	assert_int_equal(ps.scans, 3);
	assert_int_equal(ps.generation, 8);
	assert_int_equal(r.next, 4);
	assert_int_equal(ps.n, 3);
	lt_ps_free(&ps);

	/* After the last try the list is kept. */
	r = (struct readings){ .values = { 1, 2, 3, 4 }, .n = 4 };
	lt_ps_init(&ps, root);
	ps.generation_fn = reading;
	ps.arg = &r;
	assert_int_equal(lt_ps_list(&ps, 3), LT_PS_OK);
	assert_false(ps.proven);
	assert_int_equal(ps.scans, 3);
	assert_int_equal(ps.n, 3);
	lt_ps_free(&ps);

	/* The module was unloaded between two readings. */
	r = (struct readings){ .values = { 1 }, .n = 1, .err = ENOENT };
	lt_ps_init(&ps, root);
	ps.generation_fn = reading;
	ps.arg = &r;
	assert_int_equal(lt_ps_list(&ps, 3), LT_PS_NO_GENERATION);
	assert_int_equal(errno, ENOENT);
	lt_ps_free(&ps);
}

static void test_no_generation(void **state)
{
	char path[600];
	struct lt_ps ps;
	uint64_t v;

	(void)state;
	put("pid_gen", "seventeen\n");
	assert_int_equal(lt_ps_read_generation(NULL, root, &v), -1);
	assert_int_equal(errno, EBADMSG);
	put("pid_gen", "");
	assert_int_equal(lt_ps_read_generation(NULL, root, &v), -1);
	put("pid_gen", "18446744073709551615\n");
	assert_int_equal(lt_ps_read_generation(NULL, root, &v), 0);
	assert_true(v == UINT64_MAX);
	snprintf(path, sizeof(path), "%s/pid_gen", root);
	assert_int_equal(unlink(path), 0);
	lt_ps_init(&ps, root);
	assert_int_equal(lt_ps_list(&ps, 3), LT_PS_NO_GENERATION);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(ps.n, 0);
	/* The tasks can be listed without a proof. */
	assert_int_equal(lt_ps_scan(&ps), LT_PS_OK);
	assert_int_equal(ps.n, 3);
	assert_false(ps.proven);
	lt_ps_free(&ps);
}

/* A task that ends while it is read is left out, and counted. */
static void test_vanished(void **state)
{
	char path[600];
	struct lt_ps ps;

	(void)state;
	snprintf(path, sizeof(path), "%s/20/status", root);
	assert_int_equal(unlink(path), 0);
	lt_ps_init(&ps, root);
	assert_int_equal(lt_ps_list(&ps, 1), LT_PS_OK);
	assert_int_equal(ps.n, 2);
	assert_int_equal(ps.vanished, 1);
	lt_ps_free(&ps);
}

static void expect_bad(const char *file, const char *text, const char *message)
{
	struct lt_ps ps;
	const char *err;

	put(file, text);
	lt_ps_init(&ps, root);
	test_stderr_begin();
	assert_int_equal(lt_ps_list(&ps, 1), LT_PS_BAD);
	err = test_stderr_end();
	if (!strstr(err, message))
		print_error("'%s': expected '%s', found: %s\n", text, message, err);
	assert_non_null(strstr(err, message));
	lt_ps_free(&ps);
}

static void test_malformed(void **state)
{
	static const char *const bad[] = {
		"", "20", "20 (x", "20 x) S", "20 (x) S", "(x) S 1 " TAIL " 1 2 3",
		"20 )x( S 1 " TAIL " 1 2 3", "20(x) S 1 " TAIL " 1 2 3",
		"20 (x)S 1 " TAIL " 1 2 3", "20 (x) SS 1 " TAIL " 1 2 3",
		"20 (x) S -1 " TAIL " 1 2 3", "20 (x) S 4294967296 " TAIL " 1 2 3",
		"20 (x) S 1 " TAIL " 18446744073709551615 2 3", "20 (x) S 1 " TAIL " 1 2",
		"20 (x) S 1 " TAIL " 1 2 18446744073709551615", "21 (x) S 1 " TAIL " 1 2 3",
		"0 (x) S 1 " TAIL " 1 2 3", "4294967316 (x) S 1 " TAIL " 1 2 3",
		"20 (xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx) S 1 "
		TAIL " 1 2 3",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		expect_bad("20/stat", bad[i], "20/stat");
	put_task("20", 20, "x", 1, 1);
	expect_bad("20/status", "Name:\tx\n", "20/status");
	expect_bad("20/status", "Uid:\tx\n", "20/status");
	expect_bad("20/status", "Uid:\t4294967296\t0\t0\t0\n", "20/status");
}

/* The real /proc has this process, once, with its name and program. */
static void test_real(void **state)
{
	char exe[4096];
	unsigned int found = 0;
	struct lt_ps ps;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	(void)state;
	assert_true(n > 0);
	exe[n] = 0;
	lt_ps_init(&ps, "/proc");
	ps.threads = true;
	assert_int_equal(lt_ps_scan(&ps), LT_PS_OK);
	for (size_t i = 0; i < ps.n; i++) {
		const struct lt_ps_row *r = &ps.rows[i];

		assert_true(!i || r[-1].pid < r->pid || r[-1].tid < r->tid);
		if (r->tid != (uint32_t)getpid())
			continue;
		found++;
		assert_int_equal(r->ppid, getppid());
		assert_int_equal(r->uid, getuid());
		/* In /proc an emulated program is the emulator. */
		if (!getenv("RUNNER"))
			assert_string_equal(r->exe, exe);
		assert_true(r->rss > 0 && r->start_ns > 0);
	}
	assert_int_equal(found, 1);
	lt_ps_free(&ps);
}

#define TEST(name)	cmocka_unit_test_setup(name, fake_proc)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_list), TEST(test_threads), TEST(test_generations),
		TEST(test_no_generation), TEST(test_vanished), TEST(test_malformed),
		TEST(test_real),
	};

	return cmocka_run_group_tests_name("ps", tests, NULL, NULL);
}

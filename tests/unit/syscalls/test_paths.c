// SPDX-License-Identifier: GPL-2.0
/* Descriptors with the paths by which they were opened. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "syscalls/args.h"
#include "syscalls/paths.h"
#include "testlib.h"
#include "tracegen.h"

#define C0	TG_SYSCALL(0)
#define C1	TG_SYSCALL(1)
#define CLOEXEC	02000000
#define CWD	0xffffff9c
enum { READ = 0, CLOSE = 3, DUP = 32, DUP2 = 33, SOCKET = 41, EXECVE = 59, CHDIR = 80,
       RENAME = 82, CHROOT = 161, OPENAT = 257, RENAMEAT = 264, URING_SETUP = 425, CLOSE_RANGE = 436,
       OPENAT2 = 437 };

/* What the next calls must be shown as: "argument 0 -> result", without a path "-". */
struct expected {
	const char *const *texts;
	size_t n;
	struct lt_syscall_paths *paths;
	/* A process is created so many ns @before the end of the call number @at. */
	size_t at;
	uint64_t before;
	uint32_t child;
	uint64_t flags;
};

static void take(void *arg, const struct lt_syscall *call)
{
	struct expected *e = arg;
	struct lt_syscall copy = *call;
	char text[256];

	assert_non_null(e->texts[e->n]);
	if (e->child && e->at == e->n)
		lt_syscall_paths_born(e->paths, call->end - e->before, 17, e->child, e->child,
				      e->flags);
	lt_syscall_paths_show(e->paths, &copy);
	snprintf(text, sizeof(text), "%s %s", copy.paths[0] ? copy.paths[0] : "-", copy.made ? copy.made : "-");
	assert_string_equal(text, e->texts[e->n]);
	e->n++;
	lt_syscall_paths_update(e->paths, &copy);
}

static struct tg *begin(void)
{
	struct tg *g = tg_new(&(struct tg_options){ .machine = "x86_64" });

	TG_TASK(g, C0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "sh");
	TG_TASK(g, C1, 1000, .tid = 18, .tgid = 17, .start = 600, .comm = "sh");
	return g;
}

/* A call of 10 ns that ends at @t. */
static void put(struct tg *g, uint32_t cpu, uint64_t t, int nr, uint64_t arg0, uint64_t arg1, int64_t result)
{
	TG_PUT(g, cpu, t, SYS_WIDE_3, .nr = nr, .duration = 10, .result = result, .arg0 = arg0, .arg1 = arg1);
}

static void put_open(struct tg *g, uint32_t cpu, uint64_t t, uint32_t directory, uint64_t flags,
		     const char *path, int64_t result)
{
	struct lt_rec_SYS_STR_32 str = { .arg = 1, .size = (uint8_t)strlen(path) };

	memcpy(str.text, path, strlen(path));
	TG_PUT(g, cpu, t, SYS_WIDE_4, .nr = OPENAT, .flags = LT_SYS_TEXTS, .duration = 10, .result = result,
	       .arg0 = directory, .arg1 = 0x1000, .arg2 = flags);
	tg_put(g, cpu, t, LT_EV_SYS_STR_32, &str);
}

static void put_chdir(struct tg *g, uint64_t t, const char *path)
{
	struct lt_rec_SYS_STR_32 str = { .size = (uint8_t)strlen(path) };

	memcpy(str.text, path, strlen(path));
	TG_PUT(g, C0, t, SYS_WIDE_1, .nr = CHDIR, .flags = LT_SYS_TEXTS, .duration = 10, .arg0 = 0x1000);
	tg_put(g, C0, t, LT_EV_SYS_STR_32, &str);
}

static void compare(struct tg *g, struct expected *e)
{
	struct lt_syscalls *calls;
	struct lt_trace *t;
	struct lt_event ev;

	tg_finish(g, 100000);
	assert_int_equal(tg_write(g, test_path("paths.lt"), 0), 0);
	tg_free(g);
	t = lt_trace_open(test_path("paths.lt"));
	assert_non_null(t);
	assert_null(lt_syscall_paths_missing(t));
	e->paths = lt_syscall_paths_new(t);
	calls = lt_syscalls_new(t, false, take, e);
	while (lt_trace_next(t, &ev) > 0)
		lt_syscalls_event(calls, &ev);
	lt_syscalls_finish(calls);
	assert_null(e->texts[e->n]);
	lt_syscalls_free(calls);
	lt_syscall_paths_free(e->paths);
	lt_trace_close(t);
}

/* The file that was opened may be another one than that of a path which was read at the return. */
static void test_late(void **state)
{
	static const char *const texts[] = { "- -", "- -", NULL };
	struct lt_rec_SYS_STR str = { .arg = 1, .size = 2, .flags = LT_SYS_TEXT_LATE, .text = "/a" };
	struct expected e = { .texts = texts };
	struct tg *g = begin();

	(void)state;
	TG_PUT(g, C0, 1100, SYS_WIDE_4, .nr = OPENAT, .flags = LT_SYS_TEXTS, .duration = 10, .result = 3,
	       .arg0 = (uint32_t)-100, .arg1 = 0x1000);
	tg_put(g, C0, 1100, LT_EV_SYS_STR, &str);
	put(g, C0, 1200, READ, 10, 3, 0);
	compare(g, &e);
}

/* From open to close; copies; what an execve closes. */
static void test_life(void **state)
{
	static const char *const texts[] = {
		"- /a", "/a -", "/a /a", "- /b", "/a /a", "/a -", "- -", "/a -", "/b -", "- -", "- -", "/a -",
		"- -", "- -", NULL
	};
	struct expected e = { .texts = texts };
	struct tg *g = begin();

	(void)state;
	put_open(g, C0, 2000, CWD, 0, "/a", 3);
	put(g, C0, 2100, READ, 3, 0, 5);
	put(g, C0, 2200, DUP, 3, 0, 4);
	put_open(g, C0, 2300, CWD, CLOEXEC, "/b", 5);
	put(g, C0, 2400, DUP2, 3, 6, 6);
	put(g, C0, 2500, CLOSE, 3, 0, 0);
	put(g, C0, 2600, READ, 3, 0, 5);
	put(g, C0, 2700, READ, 4, 0, 5);
	put(g, C0, 2800, READ, 5, 0, 5);
	put(g, C0, 2900, EXECVE, 0x1000, 0, 0);
	put(g, C0, 3000, READ, 5, 0, 5);
	put(g, C0, 3100, READ, 6, 0, 5);
	put(g, C0, 3200, CLOSE_RANGE, 3, 0xffffffff, 0);
	put(g, C0, 3300, READ, 6, 0, 5);
	compare(g, &e);
}

/* Joined to directories; one that is not known; a number that became a socket's. */
static void test_directories(void **state)
{
	static const char *const texts[] = {
		"- -", "- -", "/d /d/x", "/d/x /d/x/y", "/d/x -", "/d -", "/d /d", "- -", "- -", "/d/x/y -", NULL
	};
	struct expected e = { .texts = texts };
	struct tg *g = begin();

	(void)state;
	put_open(g, C0, 2000, CWD, 0, "x", 3);
	put_chdir(g, 2100, "/d");
	put_open(g, C0, 2200, CWD, 0, "./x", 4);
	put_open(g, C0, 2300, 4, 0, "y", 5);
	put(g, C0, 2400, READ, 4, 0, -21);
	/* A file without a name. */
	put_open(g, C0, 2500, CWD, 020200000, "z", 6);
	put_open(g, C0, 2600, CWD, 0, ".", 7);
	put(g, C0, 2700, SOCKET, 1, 1, 4);
	put(g, C0, 2800, READ, 4, 0, 1);
	put(g, C0, 2900, READ, 5, 0, 1);
	compare(g, &e);
}

/* Another thread closes and opens while a call lasts. */
static void test_threads(void **state)
{
	static const char *const texts[] = {
		"- /a", "/a -", "- /b", "- -", "- -", "/b -", "/b -", NULL
	};
	struct expected e = { .texts = texts };
	struct tg *g = begin();

	(void)state;
	put_open(g, C0, 2000, CWD, 0, "/a", 3);
	put(g, C0, 2100, CLOSE, 3, 0, 0);
	put_open(g, C0, 2200, CWD, 0, "/b", 3);
	/* Which of the two files these had is not known. */
	TG_PUT(g, C1, 2300, SYS_WIDE_3, .nr = READ, .duration = 280, .result = 1, .arg0 = 3);
	TG_PUT(g, C1, 2400, SYS_WIDE_1, .nr = CLOSE, .duration = 300, .result = 0, .arg0 = 3);
	put(g, C1, 2500, READ, 3, 0, 1);
	put(g, C1, 2600, CLOSE, 3, 0, -4);
	compare(g, &e);
}

/*
 * A process has copies, unless it shares them with its creator; or was made while they were closed,
 * by another thread.
 */
static void inherit(uint64_t flags, uint64_t before, const char *parent, const char *child)
{
	const char *const texts[] = { "- /a", parent, child, child, "- /c", NULL };
	struct expected e = { .texts = texts, .at = 1, .before = before, .child = 30, .flags = flags };
	struct tg *g = begin();

	put_open(g, C0, 2000, CWD, 0, "/a", 3);
	put(g, C0, 2100, CLOSE, 3, 0, 0);
	TG_TASK(g, C0, 2200, .tid = 30, .tgid = 30, .start = 2095, .comm = "sh");
	put(g, C0, 2300, READ, 3, 0, 1);
	put(g, C0, 2400, CLOSE, 3, 0, 0);
	put_open(g, C0, 2500, CWD, 0, "/c", 3);
	compare(g, &e);
}

static void test_processes(void **state)
{
	(void)state;
	inherit(0, 15, "/a -", "/a -");
	inherit(0, 5, "/a -", "- -");
	inherit(0x400, 15, "- -", "- -");
}

/* A call of which the first two texts are arguments @arg and @arg + @step. */
static void put_two(struct tg *g, uint64_t t, const struct lt_rec_SYS_WIDE_6 *call, uint8_t arg, uint8_t step,
		    const char *one, const char *two)
{
	const char *const texts[] = { one, two };
	struct lt_rec_SYS_WIDE_6 rec = *call;

	rec.flags = LT_SYS_TEXTS;
	rec.duration = 10;
	tg_put(g, C0, t, LT_EV_SYS_WIDE_6, &rec);
	for (unsigned int i = 0; i < 2 && texts[i]; i++) {
		struct lt_rec_SYS_STR_32 str = {
			.arg = (uint8_t)(arg + i * step), .size = (uint8_t)strlen(texts[i]),
			.flags = !i && two ? LT_SYS_TEXT_MORE : 0,
		};

		memcpy(str.text, texts[i], strlen(texts[i]));
		tg_put(g, C0, t, LT_EV_SYS_STR_32, &str);
	}
}

static void put_rename(struct tg *g, uint64_t t, const char *from, const char *to, int64_t result)
{
	put_two(g, t, &(struct lt_rec_SYS_WIDE_6){ .nr = RENAME, .result = result }, 0, 1, from, to);
}

/* What was opened by a path before it was renamed has it no more; nor has what is in it. */
static void test_renames(void **state)
{
	static const char *const texts[] = {
		"- -", "/c /d", "/d /d/x", "/c /e", "- -", "/d -", "- -", "- -", "- -", "/e -", "/c /d", "/d /d/x",
		"- -", "- -", "- -", "/e -", NULL
	};
	struct expected e = { .texts = texts };
	struct tg *g = begin();

	(void)state;
	put_chdir(g, 1950, "/c");
	put_open(g, C0, 2000, CWD, 0, "/d", 3);
	put_open(g, C0, 2100, 3, 0, "x", 4);
	put_open(g, C0, 2200, CWD, 0, "/e", 5);
	put_rename(g, 2300, "/d", "/f", -13);
	put(g, C0, 2400, READ, 3, 0, 1);
	put_rename(g, 2500, "/d/", "/f", 0);
	put_open(g, C0, 2600, 3, 0, "y", 6);
	put(g, C0, 2700, READ, 4, 0, 1);
	put(g, C0, 2800, READ, 5, 0, 1);
	/* Another directory with the name. */
	put_open(g, C0, 2900, CWD, 0, "/d", 7);
	put_open(g, C0, 3000, 7, 0, "x", 8);
	/* By a thread whose directory is not known: one of these names in any directory. */
	put_two(g, 3100, &(struct lt_rec_SYS_WIDE_6){ .nr = RENAMEAT, .arg0 = 99, .arg2 = 99 }, 1, 2, "a/x", "z");
	put(g, C0, 3200, READ, 8, 0, 1);
	put_rename(g, 3300, "/d", "/z", 0);
	put(g, C0, 3400, READ, 5, 0, 1);
	compare(g, &e);
}

/* Paths of a process that has changed its root begin there. */
static void test_roots(void **state)
{
	static const char *const texts[] = {
		"- /a", "- -", "- /r/a", "/r/a -", "/a -", "- /r", "- -", "- /r/q/b", "- -", "- -", "- -", NULL
	};
	struct expected e = { .texts = texts };
	struct tg *g = begin();

	(void)state;
	put_open(g, C0, 2000, CWD, 0, "/a", 3);
	put_two(g, 2100, &(struct lt_rec_SYS_WIDE_6){ .nr = CHROOT }, 0, 1, "/r", NULL);
	put_open(g, C0, 2200, CWD, 0, "/a", 4);
	put(g, C0, 2300, READ, 4, 0, 1);
	put(g, C0, 2400, READ, 3, 0, 1);
	put_open(g, C0, 2500, CWD, 0, "/", 5);
	put_two(g, 2600, &(struct lt_rec_SYS_WIDE_6){ .nr = CHROOT }, 0, 1, "/q", NULL);
	put_open(g, C0, 2700, CWD, 0, "/b", 6);
	/* Where that is is not known. */
	put_two(g, 2800, &(struct lt_rec_SYS_WIDE_6){ .nr = CHROOT }, 0, 1, "s", NULL);
	put_open(g, C0, 2900, CWD, 0, "/b", 7);
	put(g, C0, 3000, READ, 7, 0, 1);
	compare(g, &e);
}

static void put_openat2(struct tg *g, uint64_t t, uint32_t directory, const char *path, int64_t result)
{
	put_two(g, t, &(struct lt_rec_SYS_WIDE_6){ .nr = OPENAT2, .arg0 = directory, .arg3 = 24,
						   .result = result }, 1, 1, path, NULL);
}

/*
 * Its flags are not recorded: they may say that / is the directory,
 * and that execve closes the file.
 */
static void test_openat2(void **state)
{
	static const char *const texts[] = {
		"- /a", "/a -", "- /d", "/d /d/x", "/d -", "/d/x -", "- -", "- -", NULL
	};
	struct expected e = { .texts = texts };
	struct tg *g = begin();

	(void)state;
	put_openat2(g, 2000, CWD, "/a", 3);
	put(g, C0, 2100, READ, 3, 0, 1);
	put_open(g, C0, 2200, CWD, 0, "/d", 4);
	put_openat2(g, 2300, 4, "x", 5);
	put_openat2(g, 2400, 4, "/x", 6);
	put(g, C0, 2500, READ, 5, 0, 1);
	put(g, C0, 2600, EXECVE, 0x1000, 0, 0);
	put(g, C0, 2700, READ, 5, 0, 1);
	compare(g, &e);
}

/* What is lost, or done by requests, may have closed any of them. */
static void test_losses(void **state)
{
	static const char *const texts[] = { "- /a", "/a -", "- -", "- /b", "/b -", "- -", "- -", "- /d", "- -", NULL };
	struct expected e = { .texts = texts };
	struct tg *g = begin();

	(void)state;
	put_open(g, C0, 2000, CWD, 0, "/a", 3);
	put(g, C0, 2100, READ, 3, 0, 1);
	tg_close(g, C0, 2150);
	tg_lost(g, C0, LT_CLASS_SYS, TG_FULL, 1);
	TG_TASK(g, C0, 2150, .tid = 17, .tgid = 17, .start = 500, .comm = "sh");
	put(g, C0, 2200, READ, 3, 0, 1);
	put_open(g, C0, 2300, CWD, 0, "/b", 3);
	put(g, C0, 2400, READ, 3, 0, 1);
	put(g, C0, 2500, URING_SETUP, 8, 0x1000, 4);
	put(g, C0, 2600, READ, 3, 0, 1);
	put_open(g, C0, 2700, CWD, 0, "/d", 5);
	put(g, C0, 2800, READ, 5, 0, 1);
	compare(g, &e);
}

/* Calls that were left out cannot be taken for calls that were not made. */
static void test_missing(void **state)
{
	static const char *const infos[] = {
		"calls=0,257\n", "calls32=3\n", "call_errors=Y\n", "call_min=1000\n",
		"calls=\ncalls32=\ncall_errors=N\ncall_min=0\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(infos) / sizeof(infos[0]); i++) {
		struct tg *g = tg_new(&(struct tg_options){ .machine = "x86_64", .info = infos[i] });
		struct lt_trace *t;

		TG_TASK(g, C0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "sh");
		tg_finish(g, 2000);
		assert_int_equal(tg_write(g, test_path("paths.lt"), 0), 0);
		tg_free(g);
		t = lt_trace_open(test_path("paths.lt"));
		assert_non_null(t);
		assert_int_equal(!lt_syscall_paths_missing(t), i == 4);
		lt_trace_close(t);
	}
}

/* As strace writes them. */
static void test_text(void **state)
{
	struct lt_syscall call = {
		.abi = lt_abi_of("x86_64", false), .nr = CLOSE, .n_args = 1, .args = { 3 },
		.paths = { "/a <b>\n0\\\"" },
	};
	char buf[LT_SYSCALL_TEXT];

	(void)state;
	assert_string_equal(lt_syscall_args_text(&call, LT_SYSCALL_ARGS_NAMED, buf),
			    "3</a \\74b\\76\\n0\\\\\\\">");
	assert_string_equal(lt_syscall_args_text(&call, LT_SYSCALL_ARGS_RAW, buf), "0x3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_life), cmocka_unit_test(test_directories),
		cmocka_unit_test(test_threads), cmocka_unit_test(test_processes),
		cmocka_unit_test(test_renames), cmocka_unit_test(test_roots),
		cmocka_unit_test(test_openat2), cmocka_unit_test(test_losses), cmocka_unit_test(test_missing), cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

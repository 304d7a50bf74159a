// SPDX-License-Identifier: GPL-2.0
/* Numbers of tasks in arguments and results, of callers in inner pid namespaces. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "syscalls/args.h"
#include "syscalls/numbers.h"
#include "testlib.h"
#include "tracegen.h"

#define C0	TG_SYSCALL(0)
#define P0	TG_PID(0)

enum { FORK = 57, WAIT4 = 61, KILL = 62, GETPRIORITY = 140, WAITID = 247 };

/* @texts: of each call, arguments and mark of the result; NULL: no further call. */
struct expected {
	const char *const *texts;
	size_t n;
};

static void take(void *arg, const struct lt_syscall *call)
{
	struct expected *e = arg;
	char args[LT_SYSCALL_TEXT], mark[64] = "", *text;

	if (call->ns && lt_syscall_made_number(call))
		lt_syscall_put_number(call, call->made_outside, mark, sizeof(mark));
	lt_syscall_args_text(call, LT_SYSCALL_ARGS_NAMED, args);
	text = lt_format("%s =%s", args, mark);
	assert_non_null(e->texts[e->n]);
	assert_string_equal(text, e->texts[e->n]);
	e->n++;
	free(text);
}

static void compare(struct tg *g, const char *const *texts)
{
	struct expected e = { .texts = texts };
	struct lt_syscalls *calls;
	struct lt_trace *t;
	struct lt_event ev;

	tg_finish(g, 100000);
	assert_int_equal(tg_write(g, test_path("numbers.lt"), 0), 0);
	tg_free(g);
	t = lt_trace_open(test_path("numbers.lt"));
	assert_non_null(t);
	calls = lt_syscalls_new(t, false, take, &e);
	while (lt_trace_next(t, &ev) > 0)
		lt_syscalls_event(calls, &ev);
	lt_syscalls_finish(calls);
	assert_null(e.texts[e.n]);
	lt_syscalls_free(calls);
	lt_trace_close(t);
}

static void put(struct tg *g, uint64_t t, int nr, uint64_t arg0, uint64_t arg1, int64_t result)
{
	TG_PUT(g, C0, t, SYS_WIDE_2, .nr = nr, .duration = 100, .result = result, .arg0 = arg0,
	       .arg1 = arg1);
}

/* A namespace with two tasks, 100 and 101, which are 1 and 2 there;. */
static struct tg *begin(uint8_t level)
{
	struct tg *g = tg_new(&(struct tg_options){ .machine = "x86_64", .tasks = true });

	TG_PUT(g, P0, 1000, PID_NS, .ns = 1, .exact = 1, .inum = 7, .init_tid = 1);
	if (level)
		TG_PUT(g, P0, 1001, PID_NS, .ns = 3, .parent = 1, .level = level, .exact = 1, .inum = 8,
		       .init_tid = 100);
	TG_PUT(g, P0, 1010, STATE, .tid = 100, .tgid = 100, .start = 500, .ns = 3, .nr = 1, .comm = "a");
	TG_PUT(g, P0, 1020, STATE, .tid = 101, .tgid = 101, .start = 600, .ns = 3, .nr = 2, .comm = "b");
	TG_PUT(g, P0, 1030, STATE, .tid = 50, .tgid = 50, .start = 400, .ns = 1, .nr = 50, .comm = "c");
	TG_TASK(g, C0, 1100, .tid = 100, .tgid = 100, .start = 500, .comm = "a");
	return g;
}

/* A number that is known, a group, one that is not known, and what is no number of a task. */
static void test_args(void **state)
{
	static const char *const texts[] = {
		"2 [pid namespace 3: 101], SIGTERM =", "-2 [pid namespace 3: 101], SIGTERM =",
		"9 [pid namespace 3], SIGTERM =", "0, SIGTERM =", "-1, SIGTERM =",
		"1, 2 [pid namespace 3: 101] =", "0, 2 =", "0, 2 [pid namespace 3: 101] =", "2, 2 =",
		NULL,
	};
	struct tg *g = begin(1);

	(void)state;
	put(g, 2000, KILL, 2, 15, 0);
	put(g, 2200, KILL, (uint64_t)-2, 15, 0);
	put(g, 2400, KILL, 9, 15, 0);
	put(g, 2600, KILL, 0, 15, 0);
	put(g, 2800, KILL, UINT64_MAX, 15, 0);
	put(g, 3000, WAITID, 1, 2, 0);
	put(g, 3200, WAITID, 0, 2, 0);
	put(g, 3400, GETPRIORITY, 0, 2, 20);
	put(g, 3600, GETPRIORITY, 2, 2, 20);
	compare(g, texts);
}

/*
 * A child is made, is waited for, which releases it, and its number is given to another one, also
 * in a namespace within.
 */
static void test_results(void **state)
{
	static const char *const texts[] = {
		" = [pid namespace 3: 200]",
		"7 [pid namespace 3: 200], NULL = [pid namespace 3: 200]",
		"7 [pid namespace 3], SIGHUP =", "7 [pid namespace 3: 201], SIGHUP =",
		"7 [pid namespace 3], SIGHUP =", "-1, NULL =", NULL,
	};
	struct tg *g = begin(1);

	(void)state;
	TG_PUT(g, P0, 1950, TASK_NEW, .tid = 200, .tgid = 200, .start = 1940, .creator = 100,
	       .creator_start = 500, .ns = 3, .nr = 7, .comm = "a");
	TG_PUT(g, C0, 2000, SYS_0, .nr = FORK, .duration = 100, .result = 7);
	TG_PUT(g, P0, 2180, RELEASE, .tid = 200, .start = 1940);
	put(g, 2200, WAIT4, 7, 0, 7);
	/* It has gone. */
	put(g, 2400, KILL, 7, 1, -3);
	TG_PUT(g, P0, 2500, TASK_NUMBER, .tid = 201, .start = 2490, .ns = 3, .nr = 7);
	TG_PUT(g, P0, 2501, TASK_NEW, .tid = 201, .tgid = 201, .start = 2490, .ns = 4, .nr = 1,
	       .comm = "d");
	put(g, 2700, KILL, 7, 1, 0);
	TG_PUT(g, P0, 2880, RELEASE, .tid = 201, .start = 2490);
	TG_PUT(g, P0, 2890, TASK_NEW, .tid = 202, .tgid = 202, .start = 2885, .ns = 3, .nr = 7,
	       .comm = "e");
	/* It had two holders during the call. */
	put(g, 2900, KILL, 7, 1, 0);
	put(g, 3100, WAIT4, UINT64_MAX, 0, -10);
	compare(g, texts);
}

/* Of the initial namespace, and where nothing is known of the caller's, or after a loss. */
static void test_unknown(void **state)
{
	static const char *const initial[] = { "2, SIGTERM =", NULL };
	static const char *const unknown[] = { "2, SIGTERM =", NULL };
	struct tg *g = begin(1);

	(void)state;
	TG_TASK(g, C0, 1200, .tid = 50, .tgid = 50, .start = 400, .comm = "c");
	put(g, 2000, KILL, 2, 15, 0);
	compare(g, initial);
	/* It was not announced. */
	g = begin(0);
	put(g, 2000, KILL, 2, 15, 0);
	compare(g, unknown);
	/* Tasks were not recorded. */
	g = tg_new(&(struct tg_options){ .machine = "x86_64" });
	TG_TASK(g, C0, 1000, .tid = 100, .tgid = 100, .start = 500, .comm = "a");
	put(g, 2000, KILL, 2, 15, 0);
	compare(g, unknown);
}

/* A thread that executes a program gets its leader's number, which its leader does not free. */
static void test_exec(void **state)
{
	static const char *const texts[] = {
		"2 [pid namespace 3: 101], SIGTERM =", "8 [pid namespace 3], SIGTERM =", NULL,
	};
	struct tg *g = begin(1);

	(void)state;
	TG_PUT(g, P0, 1300, TASK_NEW, .tid = 300, .tgid = 101, .start = 1290, .ns = 3, .nr = 8,
	       .comm = "b");
	TG_PUT(g, P0, 1400, RELEASE, .tid = 300, .start = 600);
	TG_PUT(g, P0, 1410, EXEC, .tid = 101, .start = 600, .old_tid = 300);
	put(g, 2000, KILL, 2, 15, 0);
	put(g, 2200, KILL, 8, 15, -3);
	compare(g, texts);
}

/* An id that is used again has another number. */
static void test_again(void **state)
{
	static const char *const texts[] = { "2 [pid namespace 65536: 101], SIGTERM =", NULL };
	struct tg *g = begin(1);

	(void)state;
	TG_PUT(g, P0, 1300, PID_NS_GONE, .ns = 3);
	TG_PUT(g, P0, 1400, PID_NS, .ns = 3, .parent = 1, .level = 1, .exact = 1, .inum = 9);
	put(g, 2000, KILL, 2, 15, 0);
	compare(g, texts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_args),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_again),
	};

	return cmocka_run_group_tests_name("numbers", tests, NULL, NULL);
}

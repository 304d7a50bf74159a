// SPDX-License-Identifier: GPL-2.0
/* In which call a task was when it allocated. */
#include "syscalls/where.h"
#include "testlib.h"
#include "tracegen.h"
#include "trace/trace.h"

#define C0	TG_SYSCALL(0)
#define PTR	0xffff888000001000ULL
#define SITE	0xffffffff81000100ULL

static void put_call(struct tg *g, uint64_t end, int32_t nr, uint8_t flags, uint32_t duration)
{
	TG_PUT(g, C0, end, SYS_0, .nr = (uint16_t)nr, .flags = flags, .duration = duration);
}

static const char *at(const struct lt_syscall_places *c, uint32_t tid, uint64_t time, char buf[64])
{
	const struct lt_task task = { .tid = tid, .start = 500 };
	uint64_t number = lt_syscall_places_at(c, &task, time);

	return number ? lt_syscall_places_name(c, number, buf, 64) : "";
}

static struct lt_syscall_places *read_places(struct tg *g)
{
	struct lt_syscall_places *c;

	tg_finish(g, 100000);
	assert_int_equal(tg_write(g, test_path("where.lt"), 0), 0);
	tg_free(g);
	c = lt_syscall_places_read(test_path("where.lt"));
	assert_non_null(c);
	return c;
}

static void test_places(void **state)
{
	const struct tg_options o = { .machine = "x86_64", .info = "channels=kmem,syscall\n" };
	struct tg *g = tg_new(&o);
	struct lt_syscall_places *c;
	char buf[64];

	(void)state;
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "sh");
	TG_TASK(g, C0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "sh");
	/* Before the trace; in getpid; between; in close of the ABI of 32 bits; in an interrupt. */
	TG_KMALLOC(g, 0, 1500, .ptr = PTR, .call_site = SITE, .bytes_req = 8, .bytes_alloc = 8,
		   .gfp = 0, .node = -1);
	put_call(g, 2000, 0, LT_SYS_BEFORE, 0);
	TG_KMALLOC(g, 0, 2950, .ptr = PTR + 64, .call_site = SITE, .bytes_req = 8, .bytes_alloc = 8,
		   .gfp = 0, .node = -1);
	put_call(g, 3000, 39, 0, 100);
	TG_KMALLOC(g, 0, 3500, .ptr = PTR + 128, .call_site = SITE, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	tg_kfree(g, 0, 3950, PTR + 128, SITE);
	put_call(g, 4000, 6, LT_SYS_COMPAT, 100);
	put_call(g, 5000, 39, 0, 500);
	TG_KMALLOC(g, 0, 5900, .ptr = PTR + 192, .call_site = SITE, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	put_call(g, 6000, 400, 0, 500);
	tg_context(g, 0, LT_CTX_SOFTIRQ);
	TG_KMALLOC(g, 0, 6900, .ptr = PTR + 256, .call_site = SITE, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0, .node = -1);
	put_call(g, 7000, 39, 0, 500);
	c = read_places(g);
	assert_string_equal(at(c, 17, 1500, buf), "read");
	assert_string_equal(at(c, 17, 2950, buf), "getpid");
	assert_string_equal(at(c, 17, 2900, buf), "getpid");
	assert_string_equal(at(c, 17, 3000, buf), "getpid");
	assert_string_equal(at(c, 17, 3500, buf), "");
	assert_string_equal(at(c, 17, 3950, buf), "close [32 bits]");
	/* Nothing happened in this one, so it is not remembered. */
	assert_string_equal(at(c, 17, 4700, buf), "");
	assert_string_equal(at(c, 17, 5900, buf), "call_400");
	/* The first return of a thread has no number on some machines: ((u32)-1) + 1. */
	assert_string_equal(lt_syscall_places_name(c, 1ULL << 32, buf, sizeof(buf)), "no number");
	assert_string_equal(at(c, 17, 6900, buf), "");
	assert_string_equal(at(c, 18, 2950, buf), "");
	lt_syscall_places_free(c);
}

/* A thread allocates after its exit, before it is gone: in the call that ends it. */
static void test_exit(void **state)
{
	const struct tg_options o = { .machine = "x86_64", .info = "channels=kmem,syscall\n" };
	struct tg *g = tg_new(&o);
	struct lt_syscall_places *c;
	char buf[64];

	(void)state;
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "sh");
	TG_TASK(g, C0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "sh");
	put_call(g, 2000, 39, 0, 100);
	TG_PUT(g, C0, 4000, SYS_OPEN, .tid = 17, .tgid = 17, .start = 500, .nr = 231, .why = LT_SYS_DIED,
	       .begin = 3000);
	TG_KMALLOC(g, 0, 5000, .ptr = PTR, .call_site = SITE, .bytes_req = 8, .bytes_alloc = 8,
		   .gfp = 0, .node = -1);
	c = read_places(g);
	assert_string_equal(at(c, 17, 2950, buf), "");
	assert_string_equal(at(c, 17, 3500, buf), "exit_group");
	assert_string_equal(at(c, 17, 5000, buf), "exit_group");
	lt_syscall_places_free(c);
}

static void test_not_recorded(void **state)
{
	struct tg *g = tg_new(NULL);

	(void)state;
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "sh");
	tg_finish(g, 2000);
	assert_int_equal(tg_write(g, test_path("where.lt"), 0), 0);
	tg_free(g);
	test_stderr_begin();
	assert_null(lt_syscall_places_read(test_path("where.lt")));
	assert_non_null(strstr(test_stderr_end(), "system calls were not recorded"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_exit),
		cmocka_unit_test(test_not_recorded),
	};

	return cmocka_run_group_tests_name("places of calls", tests, NULL, NULL);
}

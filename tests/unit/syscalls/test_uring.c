// SPDX-License-Identifier: GPL-2.0
/* Requests of io_uring from trace files: which completion is whose. */
#include "syscalls/uring.h"
#include "testlib.h"
#include "tracegen.h"

#define C0	TG_SYSCALL(0)
#define C1	TG_SYSCALL(1)
#define RING	0xffff888000001000
#define MAX	16

struct read {
	struct lt_syscall calls[MAX];
	size_t n;
};

static void take(void *arg, const struct lt_syscall *call)
{
	struct read *r = arg;

	assert_true(r->n < MAX);
	r->calls[r->n++] = *call;
}

static struct tg *begin(void)
{
	struct tg *g = tg_new(&(struct tg_options){ .machine = "x86_64" });

	TG_TASK(g, C0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "io");
	TG_TASK(g, C1, 1000, .tid = 18, .tgid = 17, .start = 600, .comm = "iou-wrk-17");
	return g;
}

static void submit(struct tg *g, uint64_t time, uint64_t address, uint64_t user_data, uint8_t opcode)
{
	TG_PUT(g, C0, time, URING_SUBMIT, .ring = RING, .request = address, .user_data = user_data,
	       .opcode = opcode);
}

static void complete(struct tg *g, uint64_t time, uint64_t address, uint64_t user_data, int32_t result,
		     uint32_t flags)
{
	TG_PUT(g, C1, time, URING_COMPLETE, .ring = RING, .request = address, .user_data = user_data,
	       .result = result, .flags = flags);
}

static void read_requests(struct tg *g, struct read *r)
{
	struct lt_requests *requests;
	struct lt_trace *t;
	struct lt_event ev;

	tg_finish(g, 100000);
	assert_int_equal(tg_write(g, test_path("uring.lt"), 0), 0);
	tg_free(g);
	t = lt_trace_open(test_path("uring.lt"));
	assert_non_null(t);
	r->n = 0;
	requests = lt_requests_new(t, take, r);
	while (lt_trace_next(t, &ev) > 0)
		lt_requests_event(requests, &ev);
	lt_requests_finish(requests);
	lt_requests_free(requests);
	lt_trace_close(t);
}

/* The task that submitted it, the CPU of the completion; in order of completion. */
static void test_requests(void **state)
{
	struct tg *g = begin();
	struct read r;

	(void)state;
	submit(g, 2000, 0x1000, 7, 22);
	submit(g, 2100, 0x2000, 7, 23);
	TG_PUT(g, C0, 2200, URING_QUEUE, .request = 0x1000);
	TG_PUT(g, C0, 2200, URING_QUEUE, .request = 0x9000);
	complete(g, 2300, 0x2000, 7, 64, 0);
	complete(g, 2500, 0x1000, 7, -2, 0);
	read_requests(g, &r);
	assert_int_equal(r.n, 2);
	assert_string_equal(lt_syscall_name(r.calls[0].abi, r.calls[0].nr), "IORING_OP_WRITE");
	assert_int_equal(r.calls[0].begin, 2100);
	assert_int_equal(lt_syscall_duration(&r.calls[0]), 200);
	assert_int_equal(r.calls[0].result, 64);
	assert_int_equal(r.calls[0].tid, 17);
	assert_int_equal(r.calls[0].cpu, 1);
	assert_false(r.calls[0].queued);
	assert_true(r.calls[1].queued);
	assert_int_equal(lt_syscall_error(&r.calls[1]), 2);
	assert_int_equal(r.calls[1].args[0], 7);
	assert_false(r.calls[1].uncertain);
}

/* Kernels that do not say which request completes. */
static void test_names(void **state)
{
	struct tg *g = begin();
	struct read r;

	(void)state;
	submit(g, 2000, 0x1000, 7, 1);
	submit(g, 2100, 0x2000, 7, 2);
	submit(g, 2200, 0x3000, 8, 3);
	complete(g, 2300, 0, 7, 1, 0);
	complete(g, 2400, 0, 7, 2, 0);
	complete(g, 2500, 0, 8, 3, 0);
	complete(g, 2600, 0, 8, 4, 0);
	read_requests(g, &r);
	assert_int_equal(r.n, 4);
	assert_int_equal(r.calls[0].nr, 1);
	assert_true(r.calls[0].uncertain);
	assert_int_equal(r.calls[1].nr, 2);
	assert_false(r.calls[1].uncertain);
	assert_int_equal(r.calls[2].nr, 3);
	assert_int_equal(r.calls[3].flags, LT_SYS_BEFORE);
	assert_false(r.calls[3].has_begin);
	assert_int_equal(r.calls[3].nr, -1);
	assert_int_equal(r.calls[3].tid, 18);
}

/* One that goes on; one whose address is another's without a completion; one that is open. */
static void test_ends(void **state)
{
	struct tg *g = begin();
	struct read r;

	(void)state;
	submit(g, 2000, 0x1000, 7, 13);
	complete(g, 2100, 0x1000, 7, 5, LT_URING_MORE);
	complete(g, 2200, 0, 7, 6, LT_URING_MORE);
	complete(g, 2300, 0x1000, 7, -125, 0);
	submit(g, 3000, 0x1000, 8, 0);
	submit(g, 3100, 0x1000, 9, 0);
	/* Of another name: the completion is that of a request before the trace. */
	complete(g, 3200, 0x1000, 10, 0, 0);
	read_requests(g, &r);
	assert_int_equal(r.n, 6);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(r.calls[i].begin, 2000);
		assert_int_equal(r.calls[i].how, LT_SYSCALL_RETURNED);
		assert_int_equal(r.calls[i].goes_on, i < 2);
	}
	assert_int_equal(r.calls[1].result, 6);
	assert_int_equal(r.calls[2].end, 2300);
	assert_int_equal(r.calls[3].how, LT_SYSCALL_OVERTAKEN);
	assert_int_equal(r.calls[3].args[0], 8);
	assert_int_equal(r.calls[4].flags, LT_SYS_BEFORE);
	assert_int_equal(r.calls[5].how, LT_SYSCALL_AT_END);
	assert_int_equal(r.calls[5].args[0], 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

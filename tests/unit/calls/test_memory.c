// SPDX-License-Identifier: GPL-2.0
/* What tasks allocate within calls, compared with a count of each allocation. */
#include "calls/memory.h"
#include "testlib.h"
#include "tracegen.h"

#define C0	TG_CALL(0)
#define MOST	400

static uint64_t seed;

static unsigned int below(unsigned int n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)(seed >> 33) % n;
}

struct made {
	uint64_t begin;
	uint64_t end;
	uint64_t objects;
	uint64_t bytes;
};

/* @at: times of allocations, of @bytes each */
struct machine {
	struct tg *g;
	uint64_t now;
	struct made calls[MOST];
	size_t n_calls;
	uint64_t at[MOST];
	uint64_t bytes[MOST];
	size_t n;
};

static void allocate(struct machine *m, bool counts)
{
	uint64_t bytes = 8U << below(8);

	m->now++;
	TG_KMALLOC(m->g, 0, m->now, .ptr = 0xffff888000001000 + 64 * m->now,
		   .call_site = 0xffffffff81000100, .bytes_req = bytes - 1, .bytes_alloc = bytes,
		   .gfp = 0xcc0, .node = -1);
	if (!counts)
		return;
	m->at[m->n] = m->now;
	m->bytes[m->n++] = bytes;
}

static void call(struct machine *m, unsigned int level)
{
	uint64_t begin = ++m->now;

	for (unsigned int i = below(5); i && m->n + 8 < MOST && m->n_calls + 8 < MOST; i--) {
		if (below(2) && level < 6) {
			call(m, level + 1);
		} else if (!below(6)) {
			tg_context(m->g, 0, LT_CTX_HARDIRQ);
			allocate(m, false);
			tg_context(m->g, 0, LT_CTX_TASK);
		} else {
			allocate(m, true);
		}
	}
	m->now += 1 + below(2);
	m->calls[m->n_calls++] = (struct made){ .begin = begin, .end = m->now };
	tg_call(m->g, C0, m->now, &(struct tg_call){ .duration = m->now - begin,
						     .depth = (uint16_t)(10 + level) });
}

static void count(struct machine *m)
{
	for (size_t i = 0; i < m->n_calls; i++) {
		for (size_t k = 0; k < m->n; k++) {
			if (m->at[k] < m->calls[i].begin || m->at[k] > m->calls[i].end)
				continue;
			m->calls[i].objects++;
			m->calls[i].bytes += m->bytes[k];
		}
	}
}

/* The calls of a trace, with what was allocated in them. */
struct reader {
	struct lt_trace *t;
	struct lt_calls *calls;
	struct lt_call_memory *memory;
};

/* Takes @g over. */
static struct reader reader_of(struct tg *g)
{
	struct reader r;

	assert_int_equal(tg_write(g, test_path("memory.lt"), 0), 0);
	tg_free(g);
	r.t = lt_trace_open(test_path("memory.lt"));
	r.calls = lt_calls_new(r.t);
	r.memory = lt_call_memory_new(r.t);
	return r;
}

static bool next_call(struct reader *r, struct lt_call *call)
{
	struct lt_event ev;

	while (lt_trace_next(r->t, &ev) > 0) {
		lt_call_memory_event(r->memory, &ev);
		if (!lt_calls_event(r->calls, &ev, call))
			continue;
		lt_call_memory_take(r->memory, call);
		return true;
	}
	return false;
}

static void close_reader(struct reader *r)
{
	lt_call_memory_free(r->memory);
	lt_calls_free(r->calls);
	lt_trace_close(r->t);
}

static void check(const struct machine *m)
{
	struct reader r = reader_of(m->g);
	struct lt_call found;
	size_t i = 0;

	while (next_call(&r, &found)) {
		assert_true(found.has_memory);
		assert_int_equal(found.end, m->calls[i].end);
		assert_int_equal(found.allocated.objects, m->calls[i].objects);
		assert_int_equal(found.allocated.bytes, m->calls[i++].bytes);
	}
	assert_int_equal(i, m->n_calls);
	assert_int_equal(lt_call_memory_lacking(r.memory), 0);
	close_reader(&r);
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < 20; round++) {
		struct machine m = { .g = tg_new(NULL), .now = 1000 };

		seed = round;
		TG_TASK(m.g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
		TG_TASK(m.g, C0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
		while (m.n + 16 < MOST && m.n_calls + 16 < MOST) {
			call(&m, 0);
			allocate(&m, true);
		}
		count(&m);
		tg_finish(m.g, m.now + 10);
		check(&m);
	}
}

/* Interrupts, and calls that did not return, have none; other tasks have their own. */
static void test_others(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_call call;
	struct reader r;
	unsigned int n = 0;

	(void)state;
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	TG_TASK(g, C0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	TG_KMALLOC(g, 0, 1100, .ptr = 0xffff888000001000, .call_site = 0xffffffff81000100,
		   .bytes_req = 60, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	tg_context(g, C0, LT_CTX_SOFTIRQ);
	tg_call(g, C0, 1200, &(struct tg_call){ .duration = 150 });
	tg_context(g, C0, LT_CTX_TASK);
	TG_TASK(g, C0, 1300, .tid = 18, .tgid = 18, .start = 600, .comm = "other");
	tg_call(g, C0, 1310, &(struct tg_call){ .duration = 300 });
	tg_finish(g, 2000);
	r = reader_of(g);
	while (next_call(&r, &call)) {
		assert_int_equal(call.has_memory, call.context == LT_CTX_TASK);
		assert_int_equal(call.allocated.objects, 0);
		n++;
	}
	assert_int_equal(n, 2);
	close_reader(&r);
}

/* Of 66,000 allocations 32,768 are kept as one: calls around all or none of those are exact. */
static void test_many(void **state)
{
	static const struct {
		uint64_t first;
		uint64_t objects;
		uint64_t lacking;
	} calls_of[] = { { 40000, 26000, 0 }, { 32768, 33232, 0 }, { 10, 33232, 1 }, { 0, 66000, 1 } };
	const uint64_t begin = 2000, end = begin + 70000;
	struct tg *g = tg_new(NULL);
	struct lt_call call;
	struct reader r;
	unsigned int n = 0;

	(void)state;
	tg_auto_task(g, true);
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	TG_TASK(g, C0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	for (uint64_t i = 0; i < 66000; i++)
		TG_KMALLOC(g, 0, begin + i, .ptr = 0xffff888000001000 + 64 * i,
			   .call_site = 0xffffffff81000100, .bytes_req = 60, .bytes_alloc = 64,
			   .gfp = 0xcc0, .node = -1);
	for (unsigned int i = 0; i < 4; i++)
		tg_call(g, C0, end + i, &(struct tg_call){
			.duration = end + i - (begin + calls_of[i].first), .depth = (uint16_t)(9 - i) });
	tg_finish(g, end + 10);
	r = reader_of(g);
	while (next_call(&r, &call)) {
		assert_int_equal(call.allocated.objects, calls_of[n].objects);
		assert_int_equal(lt_call_memory_lacking(r.memory), calls_of[n].lacking);
		n++;
	}
	assert_int_equal(n, 4);
	close_reader(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests_name("memory of calls", tests, NULL, NULL);
}

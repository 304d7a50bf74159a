// SPDX-License-Identifier: GPL-2.0
/*
 * Records of several rings and polls, in the order of their times.
 */
#include "bpf/merge.h"
#include "testlib.h"

struct got {
	struct lt_bpf_merge m;
	unsigned int n;
	uint64_t times[16];
	uint32_t cpus[16];
};

static void take(void *arg, uint32_t cpu, const struct lt_raw *raw)
{
	struct got *g = arg;

	assert_int_equal(((const struct lt_raw_given *)raw)->nr, raw->time * 10 + cpu);
	g->times[g->n] = raw->time;
	g->cpus[g->n++] = cpu;
}

static void read_one(struct got *g, uint32_t cpu, uint64_t time)
{
	const struct lt_raw_given raw = {
		.time = time, .kind = LT_RAW_GIVEN, .nr = (uint32_t)time * 10 + cpu,
	};

	g->m.cpu = cpu;
	lt_bpf_merge_keep(&g->m, (const struct lt_raw *)&raw);
}

static void check(const struct got *g, unsigned int n, const uint64_t *times, const uint32_t *cpus)
{
	assert_int_equal(g->n, n);
	for (unsigned int i = 0; i < n; i++) {
		assert_int_equal(g->times[i], times[i]);
		assert_int_equal(g->cpus[i], cpus[i]);
	}
}

/* What came to a ring behind the look at it is not later than what was read of the next ring. */
static void test_polls(void **state)
{
	static const uint64_t times[] = { 5, 6, 11, 12, 12, 13, 30 };
	static const uint32_t cpus[] = { 0, 1, 0, 1, 0, 1, 1 };
	struct got g = { 0 };

	(void)state;
	read_one(&g, 0, 5);
	read_one(&g, 1, 6);
	read_one(&g, 1, 12);
	read_one(&g, 1, 13);
	lt_bpf_merge_give(&g.m, 10, take, &g);
	check(&g, 2, times, cpus);
	read_one(&g, 0, 11);
	read_one(&g, 0, 12);
	read_one(&g, 1, 30);
	lt_bpf_merge_give(&g.m, 20, take, &g);
	check(&g, 6, times, cpus);
	lt_bpf_merge_give(&g.m, 30, take, &g);
	check(&g, 6, times, cpus);
	lt_bpf_merge_give(&g.m, UINT64_MAX, take, &g);
	check(&g, 7, times, cpus);
	lt_bpf_merge_free(&g.m);
}

/* A record that is not whole: the others wait for what is behind it. */
static void test_held(void **state)
{
	static const uint64_t times[] = { 3, 5, 6, 8, 9 };
	static const uint32_t cpus[] = { 1, 0, 0, 1, 1 };
	struct got g = { 0 };

	(void)state;
	read_one(&g, 1, 3);
	assert_int_equal(lt_bpf_merge_until(&g.m, 0, 10), 0);
	lt_bpf_merge_give(&g.m, 0, take, &g);
	assert_int_equal(g.n, 0);
	read_one(&g, 0, 5);
	read_one(&g, 1, 8);
	read_one(&g, 1, 9);
	assert_int_equal(lt_bpf_merge_until(&g.m, 0, 4), 4);
	assert_int_equal(lt_bpf_merge_until(&g.m, 0, 10), 5);
	lt_bpf_merge_give(&g.m, 5, take, &g);
	check(&g, 1, times, cpus);
	read_one(&g, 0, 6);
	lt_bpf_merge_give(&g.m, 20, take, &g);
	check(&g, 5, times, cpus);
	/* The last of each ring is known, also if it was given long ago. */
	assert_int_equal(lt_bpf_merge_until(&g.m, 0, 40), 6);
	lt_bpf_merge_free(&g.m);
}

/* The clock never goes back, and waits no longer than a second for a ring. */
static void test_clock(void **state)
{
	const uint64_t held = LT_BPF_HELD_NS;

	(void)state;
	assert_int_equal(lt_bpf_merge_clock(0, 100, 200), 100);
	assert_int_equal(lt_bpf_merge_clock(150, 100, 200), 150);
	assert_int_equal(lt_bpf_merge_clock(UINT64_MAX, 100, 200), 200);
	assert_int_equal(lt_bpf_merge_clock(50, 100, 50 + held), 100);
	assert_int_equal(lt_bpf_merge_clock(50, 100, 150 + held), 150);
	assert_int_equal(lt_bpf_merge_clock(0, held, 3 * held), 2 * held);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_polls), cmocka_unit_test(test_held),
		cmocka_unit_test(test_clock),
	};

	return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}

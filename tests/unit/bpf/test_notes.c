// SPDX-License-Identifier: GPL-2.0
/*
 * Which copy of a program writes an event, by the programs' own code: one does, and only one,
 * whatever comes between two copies.
 */
#include "testlib.h"
#include "bpf/shared.h"

#define AI		static inline __attribute__((unused))
#define NO_UNROLL

typedef __u64 u64;
typedef __u32 u32;

struct run {
	u32 level;
	struct lt_bpf_cpu *s;
};

static struct lt_bpf_config config;
static u64 notes[1U << LT_BPF_NOTES_BITS];
static u64 jiffies;
static struct lt_bpf_cpu cpus[2];

static u64 once(const u64 *p)
{
	return *p;
}

static u64 *look_up(u64 (*map)[1U << LT_BPF_NOTES_BITS], const u32 *at)
{
	return &(*map)[*at];
}

#define bpf_map_lookup_elem	look_up
#define bpf_jiffies64()		jiffies

#include "bpf/prog/notes.h"

#define EVENT	LT_BPF_RCU_FREE

typedef bool mine_fn(struct run *r, u32 event, u64 key, u32 copy);

/* A copy runs on a CPU. Return: 1: it writes the event. */
static unsigned int copy_on(mine_fn *fn, unsigned int cpu, u32 level, u64 key, u32 copy)
{
	struct run r = { .level = level, .s = &cpus[cpu] };

	return fn(&r, EVENT, key, copy);
}

static int setup(void **state)
{
	(void)state;
	memset(notes, 0, sizeof(notes));
	memset(cpus, 0, sizeof(cpus));
	config = (struct lt_bpf_config){ .copies = 2, .function_copies = 3, .notes_by_cpu = 1 };
	jiffies = 0;
	return 0;
}

/* An interrupt comes between two copies of a tracepoint's program, and has such an event, too. */
static void test_interrupt(void **state)
{
	unsigned int a, b;

	(void)state;
	a = copy_on(mine, 0, 0, 0x1000, 0);
	b = copy_on(mine, 0, 1, 0x2000, 0);
	b += copy_on(mine, 0, 1, 0x2000, 1);
	a += copy_on(mine, 0, 0, 0x1000, 1);
	assert_int_equal(a, 1);
	assert_int_equal(b, 1);
	/* Copy 0 was skipped. */
	assert_int_equal(copy_on(mine, 0, 0, 0x3000, 1), 1);
	assert_int_equal(cpus[0].runs[0][EVENT], 2);
	assert_int_equal(cpus[0].runs[1][EVENT], 1);
}

/*
 * Between two programs of a function the task is preempted, another one calls the function, and the
 * task goes on on another CPU.
 */
static void test_preempted(void **state)
{
	unsigned int a = 0, b = 0;

	(void)state;
	a += copy_on(mine_of_function, 0, 0, 0x1000, 0);
	for (u32 copy = 0; copy < 3; copy++)
		b += copy_on(mine_of_function, 0, 0, 0x2000, copy);
	for (u32 copy = 1; copy < 3; copy++)
		a += copy_on(mine_of_function, 1, 0, 0x1000, copy);
	assert_int_equal(a, 1);
	assert_int_equal(b, 1);
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
		assert_int_equal(notes[i], 0);
}

/* The task is preempted within a copy: the kernel skips that copy for all others on this CPU. */
static void test_skipped(void **state)
{
	static const u32 left[][3] = { { 1, 2, 9 }, { 0, 2, 9 }, { 0, 1, 9 }, { 2, 9, 9 } };

	(void)state;
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		unsigned int n = 0;

		for (size_t k = 0; left[i][k] < 3; k++)
			n += copy_on(mine_of_function, 0, 0, 0x1000 + 0x100 * i, left[i][k]);
		assert_int_equal(n, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_interrupt, setup),
		cmocka_unit_test_setup(test_preempted, setup),
		cmocka_unit_test_setup(test_skipped, setup),
	};

	return cmocka_run_group_tests_name("notes", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * 128 bits in parts: what a 32-bit machine computes is what a 64-bit one does.
 */
#include "testlib.h"
#include "base/wide.h"

static const uint64_t edges[] = {
	0, 1, 2, 3, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x100000001, 1000000000,
	0x7fffffffffffffff, 0x8000000000000000, 0xffffffff00000000, 0xfffffffffffffffe, UINT64_MAX,
};

#define N_EDGES	(sizeof(edges) / sizeof(edges[0]))

static uint64_t draw(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	/* of any length */
	return (*state ^ *state >> 29) >> (*state >> 58);
}

static void check_mul(uint64_t a, uint64_t b)
{
	struct lt_wide p = lt_mul(a, b), q = lt_mul_by_parts(a, b);

	assert_int_equal(p.hi, q.hi);
	assert_int_equal(p.lo, q.lo);
	assert_int_equal(p.lo, a * b);
}

/* n = q d + r with r < d, in 128 bits, is what a quotient is. */
static void check_div(struct lt_wide n, uint64_t d)
{
	uint64_t q, r;
	struct lt_wide p;

	if (!d)
		return;
	q = lt_div(n, d);
	if (n.hi >= d) {
		assert_int_equal(q, UINT64_MAX);
		return;
	}
	assert_int_equal(lt_div_by_bits(n, d), q);
	p = lt_mul_by_parts(q, d);
	r = n.lo - p.lo;
	assert_int_equal(n.hi, p.hi + (p.lo > n.lo));
	assert_true(r < d);
}

static void test_edges(void **state)
{
	size_t i, j, k;

	(void)state;
	for (i = 0; i < N_EDGES; i++)
		for (j = 0; j < N_EDGES; j++) {
			check_mul(edges[i], edges[j]);
			for (k = 0; k < N_EDGES; k++)
				check_div((struct lt_wide){ edges[i], edges[j] }, edges[k]);
		}
}

static void test_drawn(void **state)
{
	uint64_t seed = 20;
	int i;

	(void)state;
	for (i = 0; i < 100000; i++) {
		uint64_t a = draw(&seed), b = draw(&seed), d = draw(&seed);

		check_mul(a, b);
		check_div((struct lt_wide){ a, b }, d);
	}
}

static void test_known(void **state)
{
	(void)state;
	assert_int_equal(lt_mul_by_parts(UINT64_MAX, UINT64_MAX).hi, UINT64_MAX - 1);
	assert_int_equal(lt_mul_by_parts(UINT64_MAX, UINT64_MAX).lo, 1);
	assert_int_equal(lt_mul_div(10000000000000000000ULL, 7, 10), 7000000000000000000ULL);
	assert_int_equal(lt_mul_div(UINT64_MAX, UINT64_MAX, UINT64_MAX), UINT64_MAX);
	assert_int_equal(lt_mul_div(UINT64_MAX, 3, 2), UINT64_MAX);
	assert_int_equal(lt_mul_div(5, 0, 3), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_drawn),
		cmocka_unit_test(test_known),
	};

	return cmocka_run_group_tests_name("wide", tests, NULL, NULL);
}

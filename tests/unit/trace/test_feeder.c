// SPDX-License-Identifier: GPL-2.0
/*
 * Batches from one thread to another: all of them come, in order, however fast each thread is, and
 * the second thread does nothing while it is held.
 */
#include <stdatomic.h>
#include <unistd.h>

#include "base/now.h"
#include "trace/feeder.h"
#include "testlib.h"

#define ROUNDS	300

/* What makes: a row of numbers; what the taker may use while the maker is held has no lock. */
struct source {
	uint64_t made;
	uint64_t stop_at;
	unsigned int seed;
	unsigned int pause_us;
	unsigned int spin_us;
	atomic_int within;
};

static unsigned int below(unsigned int *seed, unsigned int n)
{
	*seed = *seed * 1103515245U + 12345U;
	return (*seed >> 16) % n;
}

static bool make(void *arg, struct lt_fed *batch)
{
	struct source *s = arg;
	const uint64_t begin = lt_now_ns();

	s->within = 1;
	batch->n = below(&s->seed, LT_PASS_MAX + 1);
	for (size_t i = 0; i < batch->n; i++)
		batch->evs[i] = (struct lt_plain_event){ .time = s->made, .ptr = ~s->made++ };
	if (s->pause_us)
		usleep(s->pause_us);
	while (s->spin_us && lt_now_ns() - begin < 1000 * (uint64_t)s->spin_us)
		;
	s->within = 0;
	return batch->n && s->made < s->stop_at;
}

/* Takes until the maker stops, and holds it now and then. @pause_us: between two batches */
static void take_all(struct lt_feeder *f, struct source *s, uint64_t *taken, unsigned int *seed,
		     unsigned int pause_us)
{
	const struct lt_fed *batch;
	uint64_t made;

	while ((batch = lt_feeder_next(f))) {
		assert_in_range(batch->n, 1, LT_PASS_MAX);
		for (size_t i = 0; i < batch->n; i++) {
			assert_int_equal(batch->evs[i].time, *taken);
			assert_int_equal(batch->evs[i].ptr, ~*taken);
			++*taken;
		}
		if (pause_us)
			usleep(pause_us);
		if (below(seed, 40))
			continue;
		lt_feeder_hold(f);
		assert_false(s->within);
		made = s->made;
		assert_true(made >= *taken);
	}
	assert_int_equal(*taken, s->made);
}

static void run(unsigned int maker_us, unsigned int taker_us, unsigned int rounds, unsigned int length)
{
	struct source s = { .seed = rounds, .pause_us = maker_us };
	struct lt_feeder *f = lt_feeder_new(make, &s);
	unsigned int seed = length;
	uint64_t taken = 0;

	assert_non_null(f);
	for (unsigned int i = 0; i < rounds; i++) {
		s.stop_at = s.made + below(&seed, length);
		lt_feeder_start(f);
		take_all(f, &s, &taken, &seed, taker_us);
	}
	assert_true(taken > rounds);
	lt_feeder_free(f);
}

static void test_order(void **state)
{
	(void)state;
	run(0, 0, ROUNDS, 20000);
}

static void test_short_stretches(void **state)
{
	(void)state;
	run(0, 0, 10 * ROUNDS, 200);
}

/* The taker sleeps until something is made, and the maker until something is taken. */
static void test_slow_maker(void **state)
{
	(void)state;
	run(30, 0, 3, 20000);
}

static void test_slow_taker(void **state)
{
	(void)state;
	run(0, 300, 3, 80000);
}

/* The ring is full, and a batch is in use: the maker waits, and ends. */
static void test_early_end(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 20; i++) {
		struct source s = { .seed = i, .stop_at = UINT64_MAX };
		struct lt_feeder *f = lt_feeder_new(make, &s);

		assert_non_null(f);
		lt_feeder_start(f);
		if (i % 2)
			lt_feeder_next(f);
		usleep(i * 300);
		lt_feeder_free(f);
		assert_false(s.within);
	}
}

static void test_counts_sleeps(void **state)
{
	struct source s = { .seed = 1, .pause_us = 20000, .stop_at = 1 };
	struct lt_feeder *f = lt_feeder_new(make, &s);

	(void)state;
	assert_non_null(f);
	lt_feeder_start(f);
	while (lt_feeder_next(f))
		;
	assert_true(lt_feeder_sleeps(f) > 0);
	lt_feeder_free(f);
}

#define PATIENCE_NS	30000000000ULL

/*
 * Whether it is said at last, by looks that cover 3 to 9 ms, that the maker lacks a CPU, or has
 * one. On a busy machine that may take a while.
 */
static bool is_said(bool lacks, unsigned int pause_us, unsigned int spin_us)
{
	struct source s = { .seed = 1, .pause_us = pause_us, .spin_us = spin_us, .stop_at = UINT64_MAX };
	struct lt_feeder *f = lt_feeder_new(make, &s);
	const uint64_t begin = lt_now_ns();
	bool said = false;

	assert_non_null(f);
	lt_feeder_start(f);
	while (!said && lt_now_ns() - begin < PATIENCE_NS) {
		const uint64_t from = lt_now_ns();

		lt_feeder_lacks_cpu(f);
		while (lt_now_ns() - from < 3000000) {
			/* It stops where it makes nothing. */
			if (!lt_feeder_next(f))
				break;
		}
		if (lt_now_ns() - from < 3000000) {
			lt_feeder_start(f);
			continue;
		}
		said = lt_feeder_lacks_cpu(f) == lacks && lt_now_ns() - from < 9000000;
	}
	lt_feeder_free(f);
	return said;
}

static void test_lacks_cpu(void **state)
{
	(void)state;
	assert_true(is_said(true, 200, 0));
	assert_true(is_said(false, 0, 200));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_short_stretches),
		cmocka_unit_test(test_slow_maker),
		cmocka_unit_test(test_slow_taker),
		cmocka_unit_test(test_early_end),
		cmocka_unit_test(test_counts_sleeps),
		cmocka_unit_test(test_lacks_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

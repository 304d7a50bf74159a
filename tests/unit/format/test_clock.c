// SPDX-License-Identifier: GPL-2.0
/*
 * From clock units to ns and to wall-clock time, by readings; which readings a file gets.
 * What long readings give is compared with a model of a counter that drifts, under a kernel
 * that corrects its clock and sets it.
 */
#include <math.h>
#include <stdlib.h>

#include "format/clock.h"
#include "testlib.h"

static void add(struct lt_clock *c, uint64_t clock, uint64_t mono, enum lt_clock_taken expected)
{
	struct lt_clock_reading r = { .clock = clock, .monotonic = mono, .realtime = mono + 5000,
				      .boottime = mono };

	assert_int_equal(lt_clock_add(c, &r), expected);
}

static void test_parse(void **state)
{
	struct lt_clock_reading r;

	(void)state;
	assert_true(lt_clock_parse("clock=1 realtime=2 boottime=3 monotonic=4 raw=5\n", &r));
	assert_int_equal(r.raw, 5);
	assert_int_equal(r.took, 0);
	assert_false(r.kept);
	assert_true(lt_clock_parse("clock=1 realtime=2 boottime=3 monotonic=4 raw=5 took=6 gap=7 "
				   "kept=1\n", &r));
	assert_int_equal(r.gap, 7);
	assert_int_equal(r.took, 6);
	assert_true(r.kept);
	assert_false(lt_clock_parse("clock=1 realtime=2 boottime=3 monotonic=4\n", &r));
	assert_false(lt_clock_parse("clock=-1 realtime=2 boottime=3 monotonic=4 raw=1\n", &r));
	assert_false(lt_clock_parse("", &r));
}

static void test_one_reading(void **state)
{
	const uint64_t first = 1ULL << 40;
	uint64_t last = 0;
	struct lt_clock c;

	(void)state;
	/* Three units a ns, far from the start: no error grows. */
	lt_clock_init(&c, "counter", 3000000000ULL, false);
	add(&c, first, 1000, LT_CLOCK_TAKEN);
	assert_true(lt_clock_settle(&c));
	assert_int_equal(lt_clock_ns(&c, first), 1000);
	assert_int_equal(lt_clock_ns(&c, first + 3000000000ULL * 86400 * 365),
			 1000 + 1000000000ULL * 86400 * 365);
	assert_int_equal(lt_clock_ns(&c, first - 3), 999);
	assert_int_equal(lt_clock_ns(&c, 0), 0);
	assert_int_equal(lt_clock_ns(&c, UINT64_MAX), UINT64_MAX);
	for (uint64_t u = first - 20; u < first + 20; u++) {
		assert_true(lt_clock_ns(&c, u) >= last);
		last = lt_clock_ns(&c, u);
	}
	lt_clock_destroy(&c);
	/* Slow counters, and a scale that overflows, saturate. */
	lt_clock_init(&c, "counter", 1, false);
	add(&c, first, 1000, LT_CLOCK_TAKEN);
	assert_true(lt_clock_settle(&c));
	assert_int_equal(lt_clock_ns(&c, UINT64_MAX - 1), UINT64_MAX - 1);
	lt_clock_destroy(&c);
	/* Neither a frequency nor a second reading. */
	lt_clock_init(&c, "counter", 0, false);
	add(&c, first, 1000, LT_CLOCK_TAKEN);
	assert_false(lt_clock_settle(&c));
	assert_int_equal(lt_clock_ns(&c, 77), 77);
	lt_clock_destroy(&c);
	/* Readings without a frequency do. */
	lt_clock_init(&c, "counter", 0, false);
	add(&c, 0, 1000, LT_CLOCK_TAKEN);
	add(&c, 1000000000, 2000001000, LT_CLOCK_TAKEN);
	assert_true(lt_clock_settle(&c));
	assert_int_equal(lt_clock_ns(&c, 77), 1154);
	lt_clock_destroy(&c);
}

/* Readings that cannot be are left out, and the others count. */
static void test_hostile(void **state)
{
	struct lt_clock c;

	(void)state;
	lt_clock_init(&c, "counter", 1000000000ULL, false);
	add(&c, 1000, 5000, LT_CLOCK_TAKEN);
	add(&c, 999, 6000000, LT_CLOCK_BACKWARDS);
	add(&c, 2000000000, 4999, LT_CLOCK_BACKWARDS);
	add(&c, 1000, 6000000000, LT_CLOCK_TAKEN);	/* no time between: says nothing */
	add(&c, 2000, 5000000000, LT_CLOCK_IMPLAUSIBLE);
	add(&c, 5000000000, 2000000, LT_CLOCK_IMPLAUSIBLE);
	add(&c, UINT64_MAX, UINT64_MAX, LT_CLOCK_TAKEN);
	add(&c, UINT64_MAX, UINT64_MAX, LT_CLOCK_TAKEN);
	assert_int_equal(c.n_points, 2);
	assert_true(lt_clock_settle(&c));
	assert_int_equal(lt_clock_ns(&c, 1000), 5000);
	assert_in_range(lt_clock_ns(&c, 1000001000), 1000004999, 1000005000);
	assert_true(lt_clock_ns(&c, UINT64_MAX - 1) <= UINT64_MAX - 1);
	lt_clock_destroy(&c);

	/* Without a frequency each scale is possible, but none of more than a second a unit. */
	lt_clock_init(&c, "counter", 0, false);
	add(&c, 0, 0, LT_CLOCK_TAKEN);
	add(&c, 2, 1ULL << 40, LT_CLOCK_IMPLAUSIBLE);
	add(&c, 3, UINT64_MAX, LT_CLOCK_IMPLAUSIBLE);
	add(&c, 1ULL << 40, 1ULL << 22, LT_CLOCK_TAKEN);
	add(&c, (1ULL << 40) + 1, UINT64_MAX - 1, LT_CLOCK_IMPLAUSIBLE);
	assert_true(lt_clock_settle(&c));
	assert_int_equal(lt_clock_ns(&c, 1ULL << 39), 1ULL << 21);
	lt_clock_destroy(&c);
}

static void test_realtime(void **state)
{
	struct lt_clock_reading a = { .clock = 1000, .realtime = 5000000, .boottime = 1000,
				      .monotonic = 1000 };
	struct lt_clock_reading b = { .clock = 1001000, .realtime = 6000500,
				      .boottime = 1001000, .monotonic = 1001000 };
	struct lt_clock_change change = { 0 };
	struct lt_clock c;

	(void)state;
	lt_clock_init(&c, NULL, 0, false);
	assert_int_equal(lt_clock_realtime(&c, 5), 0);
	assert_false(lt_clock_next_change(&c, &change));
	lt_clock_add(&c, &a);
	assert_int_equal(lt_clock_realtime(&c, 1500), 5000500);
	assert_int_equal(lt_clock_realtime(&c, 0), 4999000);
	assert_int_equal(lt_clock_realtime(&c, 2000000), 6999000);
	/* Between two readings evenly. */
	lt_clock_add(&c, &b);
	assert_int_equal(lt_clock_realtime(&c, 1001000), 6000500);
	assert_int_equal(lt_clock_realtime(&c, 501000), 5500250);
	assert_int_equal(lt_clock_realtime(&c, 2001000), 7000500);
	assert_false(lt_clock_next_change(&c, &change));
	/* Somebody sets the clock back by 5 ms, and an hour later the machine sleeps for a day. */
	b.clock += 1000000;
	b.monotonic += 1000000;
	b.boottime += 1000000;
	b.realtime -= 4000000;
	lt_clock_add(&c, &b);
	assert_int_equal(lt_clock_realtime(&c, 2000999), 7000499);
	assert_int_equal(lt_clock_realtime(&c, 2001000), 2000500);
	assert_int_equal(lt_clock_realtime(&c, 2001500), 2001000);
	b.clock += 3600000000000ULL;
	b.monotonic += 3600000000000ULL;
	b.boottime += 90000000000000ULL;
	b.realtime += 90000000000000ULL;
	lt_clock_add(&c, &b);
	assert_int_equal(lt_clock_realtime(&c, b.clock - 500), 2000500 + 3600000000000ULL - 500);
	assert_int_equal(lt_clock_realtime(&c, b.clock), b.realtime);
	assert_int_equal(lt_clock_boottime(&c, b.clock - 500), 2001000 + 3600000000000ULL - 500);
	assert_int_equal(lt_clock_boottime(&c, b.clock + 5), b.boottime + 5);
	assert_true(lt_clock_next_change(&c, &change));
	assert_int_equal(change.point, 2);
	assert_int_equal(change.set, -5000000);
	assert_int_equal(change.slept, 0);
	assert_true(lt_clock_next_change(&c, &change));
	assert_int_equal(change.point, 3);
	assert_int_equal(change.set, 0);
	assert_int_equal(change.slept, 86400000000000ULL);
	assert_false(lt_clock_next_change(&c, &change));
	lt_clock_destroy(&c);
}

/* ------------------------------------------------------------------------
 * The model: steps of 10 ms, within which all clocks pass evenly.
 */

#define STEP_UNITS	25000000ULL	/* 2.5 GHz */
#define STEP_NS		1e7
#define STEPS		(4 * 360000)	/* four hours */
#define BASE_UNITS	(1ULL << 50)
#define BASE_NS		123456789012ULL

static struct model {
	double ns[STEPS + 1];		/* CLOCK_MONOTONIC behind BASE_NS */
	double real[STEPS + 1];		/* CLOCK_REALTIME less that */
	uint64_t rng;
} m;

static double chance(void)
{
	m.rng = m.rng * 6364136223846793005ULL + 1442695040888963407ULL;
	return (double)(m.rng >> 11) / 0x1p53;
}

/**
 * make_model() - four hours
 * @walk: ppm, the drift of the counter, which goes at random within 50 ppm
 * @slew: ppm; from time to time the kernel lets its clock run so much faster or slower
 * @steps: the wall clock is set from time to time
 */
static void make_model(double walk, double slew, bool steps)
{
	double drift = 20, correction = 0, offset = 1.7e18;
	int until = 0, last_step = 0;

	m.rng = 42;
	for (int i = 0; i < STEPS; i++) {
		/* The sum of many small steps, which the square root makes one of a second. */
		drift += (chance() - 0.5) * 2 * walk / 10;
		drift = drift > 50 ? 50 : drift < -50 ? -50 : drift;
		if (slew && i >= until && chance() < 0.0002) {
			correction = (chance() - 0.5) * 2 * slew;
			until = i + 300 + (int)(chance() * 10000);
		} else if (i == until) {
			correction = 0;
			until = i + 300;
		}
		if (steps && i > last_step + 500 && chance() < 0.00005) {
			last_step = i;
			offset += (chance() - 0.5) * 7.2e12;
		}
		m.real[i] = offset;
		m.ns[i + 1] = m.ns[i] + STEP_NS * (1 + (drift + correction) / 1e6);
	}
	m.real[STEPS] = offset;
}

static double true_ns(double units)
{
	double at = units / (double)STEP_UNITS;
	int i = (int)at;

	return m.ns[i] + (at - i) * (m.ns[i + 1] - m.ns[i]);
}

/* What the module reads, with an error of up to half of what it took. */
static struct lt_clock_reading reading(double units)
{
	double took = 60 + chance() * 60, ns = true_ns(units) + (chance() - 0.5) * took / 2;
	double real = true_ns(units) + (chance() - 0.5) * took;

	return (struct lt_clock_reading){
		.clock = BASE_UNITS + (uint64_t)units, .monotonic = BASE_NS + (uint64_t)ns,
		.boottime = BASE_NS + (uint64_t)ns + 777, .took = (uint64_t)took,
		.realtime = BASE_NS + (uint64_t)real +
			    (uint64_t)m.real[(int)(units / (double)STEP_UNITS)],
	};
}

/* A recording of four hours: a reading each second, of which the file gets some. */
static void record(struct lt_clock *c)
{
	struct lt_clock_thin thin = { 0 };
	struct lt_clock_reading r, out[2];
	double units = 0;

	lt_clock_init(c, "counter", 2499900000ULL, false);
	while (units < (double)STEP_UNITS * (STEPS - 200)) {
		unsigned int n;

		r = reading(units);
		n = lt_clock_thin_add(&thin, &r, out);
		for (unsigned int i = 0; i < n; i++)
			assert_int_equal(lt_clock_add(c, &out[i]), LT_CLOCK_TAKEN);
		units += 2.5e9 * (1 + chance() * 0.1);
	}
	r = reading((double)STEP_UNITS * (STEPS - 100));
	lt_clock_thin_add(&thin, &r, out);
	assert_int_equal(lt_clock_add(c, &r), LT_CLOCK_TAKEN);
	assert_true(lt_clock_settle(c));
}

/* The greatest error of a time, ns; @wall: … and of wall-clock time but for the steps. */
static double greatest_error(const struct lt_clock *c, double *wall)
{
	double most = 0;
	uint64_t last = 0;

	*wall = 0;
	for (int i = 0; i < STEPS - 100; i++) {
		double units = (i + chance()) * (double)STEP_UNITS, error;
		uint64_t ns = lt_clock_ns(c, BASE_UNITS + (uint64_t)units);

		assert_true(ns >= last);
		last = ns;
		error = fabs((double)(ns - BASE_NS) - true_ns(units));
		most = error > most ? error : most;
		/* A step is within a second of where it was found. */
		if (i < 200 || m.real[i - 200] != m.real[i + 100])
			continue;
		error = fabs((double)(int64_t)(lt_clock_realtime(c, ns) - ns -
					       (uint64_t)m.real[i]));
		*wall = error > *wall ? error : *wall;
	}
	return most;
}

static void check_model(const char *what, double limit)
{
	struct lt_clock_change change = { 0 };
	double error, wall;
	struct lt_clock c;
	int steps = 0, found = 0;

	record(&c);
	error = greatest_error(&c, &wall);
	for (int i = 0; i < STEPS - 200; i++)
		steps += m.real[i] != m.real[i + 1];
	while (lt_clock_next_change(&c, &change))
		found++;
	print_message("# %s: %zu readings in %u h, error at most %.0f ns, said %llu ns; %d of %d "
		      "steps, wall clock within %.0f ns\n", what, c.n_points, STEPS / 360000,
		      error, (unsigned long long)lt_clock_deviation(&c), found, steps, wall);
	assert_true(error <= limit);
	assert_true(error <= (double)lt_clock_deviation(&c));
	assert_in_range(c.n_points, 240, 1200);
	assert_true(wall <= 50000);
	assert_int_equal(found, steps);
	lt_clock_destroy(&c);
}

static void test_drift(void **state)
{
	(void)state;
	make_model(0.02, 0, false);
	check_model("drift", 1000);
}

static void test_slews(void **state)
{
	(void)state;
	make_model(0.02, 500, false);
	check_model("drift, slews of 500 ppm", 1000);
}

static void test_steps(void **state)
{
	(void)state;
	make_model(0.02, 50, true);
	check_model("drift, slews of 50 ppm, steps", 1000);
}

/* The model is one in which it matters: the first and the last reading are not enough. */
static void test_two_readings(void **state)
{
	struct lt_clock c, two;
	double error, wall;

	(void)state;
	make_model(0.02, 0, false);
	record(&c);
	lt_clock_init(&two, "counter", 2499900000ULL, false);
	lt_clock_add(&two, &c.points[0].r);
	lt_clock_add(&two, &c.points[c.n_points - 1].r);
	lt_clock_settle(&two);
	error = greatest_error(&two, &wall);
	print_message("# two readings: error %.0f ns\n", error);
	assert_true(error > 100000);
	assert_int_equal(lt_clock_deviation(&two), UINT64_MAX);
	lt_clock_destroy(&two);
	lt_clock_destroy(&c);
}

/*
 * A reading each second; of what comes between, times are given at once, and stay. Return: the
 * greatest error, ns.
 */
static double live_error(void)
{
	static uint64_t given[STEPS];
	struct lt_clock_reading r = reading(0);
	double most = 0, error;
	struct lt_clock c;

	lt_clock_init(&c, "counter", 2499950000ULL, true);	/* it begins with 20 ppm */
	assert_int_equal(lt_clock_add(&c, &r), LT_CLOCK_TAKEN);
	assert_true(lt_clock_settle(&c));
	for (int i = 0; i < STEPS - 100; i++) {
		double units = (i + 0.5) * (double)STEP_UNITS;

		if (i && !(i % 100)) {
			/* Some come before, and some behind what was given. */
			r = reading((i - chance()) * (double)STEP_UNITS);
			assert_int_equal(lt_clock_add(&c, &r), LT_CLOCK_TAKEN);
		}
		given[i] = lt_clock_ns(&c, BASE_UNITS + (uint64_t)units);
		assert_true(!i || given[i] >= given[i - 1]);
		error = fabs((double)(given[i] - BASE_NS) - true_ns(units));
		most = error > most ? error : most;
	}
	for (int i = 0; i < STEPS - 100; i += 7)
		assert_int_equal(lt_clock_ns(&c, BASE_UNITS + (uint64_t)((i + 0.5) *
					     (double)STEP_UNITS)), given[i]);
	print_message("# live: error at most %.0f ns, %zu readings kept\n", most, c.n_points);
	assert_true(c.n_points < STEPS / 100 / 2);
	lt_clock_destroy(&c);
	return most;
}

static void test_live(void **state)
{
	(void)state;
	make_model(0.02, 0, false);
	assert_true(live_error() <= 1000);
	make_model(0.02, 500, true);
	assert_in_range((uint64_t)live_error(), 10000, 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse), cmocka_unit_test(test_one_reading),
		cmocka_unit_test(test_hostile), cmocka_unit_test(test_realtime),
		cmocka_unit_test(test_drift), cmocka_unit_test(test_slews),
		cmocka_unit_test(test_steps), cmocka_unit_test(test_two_readings),
		cmocka_unit_test(test_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

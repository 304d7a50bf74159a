// SPDX-License-Identifier: GPL-2.0
/*
 * What verify says of the readings of the clocks.
 */
#include <string.h>

#include "testlib.h"
#include "tracegen.h"
#include "verify/check.h"

#define PTR	0xffff888000001000ULL
#define GHZ	1000000000ULL

/* A trace of a counter, with readings of which the last one is at @last, or none. */
static struct tg *trace(uint64_t last)
{
	struct tg *g = tg_new(&(struct tg_options){ .clock = "counter", .clock_freq = GHZ });

	for (uint64_t i = 0; last && i < 3; i++)
		tg_clock(g, 1000 + i * 60 * GHZ, 1, i * 60 * GHZ, 5000 + i * 60 * GHZ, 1);
	if (last)
		tg_clock(g, last, 1, last, 4000 + last, 1);
	tg_kfree(g, 0, 2000, PTR, 0);
	tg_finish(g, 3000);
	return g;
}

/* Return: how many failures; what is said is in @text. */
static uint64_t verify(struct tg *g, struct lt_check *found, const char *note)
{
	struct lt_verify_result *v;
	bool noted = false;

	tg_write(g, test_path("clocks.lt"), 0);
	v = lt_verify(test_path("clocks.lt"));
	assert_non_null(v);
	*found = v->checks[LT_CHECK_CLOCKS];
	for (size_t i = 0; i < v->n_notes; i++)
		noted = noted || (note && strstr(v->notes[i].text, note));
	assert_int_equal(noted, note != NULL);
	lt_verify_result_free(v);
	tg_free(g);
	return found->failures;
}

static void test_good(void **state)
{
	struct lt_check c;

	(void)state;
	assert_int_equal(verify(trace(1000 + 180 * GHZ), &c, NULL), 0);
	assert_string_equal(c.name, "clocks");
	assert_non_null(strstr(c.text, "4 readings agree, left out 0; times are within 100 ns"));
	assert_int_equal(verify(trace(0), &c, NULL), 0);
	assert_true(c.absent);
}

/* Behind the last reading of a file that is cut off the rate is not known. */
static void test_behind(void **state)
{
	struct tg *g = trace(1000 + 180 * GHZ);
	struct lt_check c;

	(void)state;
	tg_kfree(g, 0, 1000 + 182 * GHZ, PTR + 64, 0);
	tg_finish(g, 1000 + 183 * GHZ);
	assert_int_equal(verify(g, &c, NULL), 0);
	assert_non_null(strstr(c.text, "but for those of the 3.000000 s behind the last one"));
}

static void test_bad(void **state)
{
	struct lt_check c;

	(void)state;
	assert_int_equal(verify(trace(1000 + 90 * GHZ), &c, "a clock has gone back"), 1);
	assert_non_null(strstr(c.text, "3 readings agree, left out 1"));
}

/* Readings each 600 ms, with one that is @add off in one of its clocks. */
static struct tg *short_trace(const char *clock, unsigned int n, unsigned int which, int64_t add)
{
	struct tg *g = tg_new(&(struct tg_options){ .clock = clock, .clock_freq = GHZ });

	for (uint64_t i = 0; i < 4; i++) {
		uint64_t v[5];

		for (unsigned int k = 0; k < 5; k++)
			v[k] = (k == 1 ? 1700000000 * GHZ : 0) + 5 * GHZ + i * 600000000 +
			       (i == n && k == which ? (uint64_t)add : 0);
		tg_clock(g, v[0], v[1], v[2], v[3], v[4]);
	}
	tg_kfree(g, 0, 5 * GHZ, PTR, 0);
	tg_finish(g, 5 * GHZ + 1000);
	return g;
}

/* A reading that is 100 ms off is none that the others bear out, whichever clock it is. */
static void test_off(void **state)
{
	static const struct {
		const char *clock;
		unsigned int n, which;
		int64_t ms;
		const char *note;
	} rows[] = {
		{ "counter", 1, 0, 100, "the counter has not passed" },
		{ "counter", 3, 0, 100, "the counter has not passed" },
		{ "counter", 2, 0, -100, "the counter has not passed" },
		{ "counter", 1, 3, 100, "CLOCK_BOOTTIME has lost time" },
		{ "counter", 3, 3, 100, "CLOCK_BOOTTIME has lost time" },
		{ "counter", 2, 3, -100, "the machine cannot have slept" },
		{ "counter", 2, 2, 100, "the machine cannot have slept" },
		{ "counter", 2, 1, 100, "CLOCK_REALTIME differs" },
		{ "mono", 1, 0, 100, "expected the time of the trace's clock, mono" },
		{ "mono", 3, 3, 100, "expected the time of the trace's clock, mono" },
		{ "mono", 3, 2, 100, "CLOCK_REALTIME was not advanced by the sleep" },
		{ "mono", 2, 1, -100, "CLOCK_REALTIME differs" },
		{ "raw", 2, 4, 100, "expected the time of the trace's clock, raw" },
		{ "boot", 2, 0, -100, "expected the time of the trace's clock, boot" },
	};
	struct lt_check c;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(verify(short_trace(rows[i].clock, 9, 0, 0), &c, NULL), 0);
		assert_true(verify(short_trace(rows[i].clock, rows[i].n, rows[i].which,
					       rows[i].ms * 1000000), &c, rows[i].note));
		assert_non_null(strstr(c.text, "how exact times are is not known"));
	}
}

/* What clocks do: one is slewed, the wall clock is set, the machine sleeps, one is read late. */
static void test_lawful(void **state)
{
	static const struct {
		const char *clock;
		int64_t add[5][5];	/* by reading, ms */
	} rows[] = {
		/* NTP slews all but the raw clock, chrony by 8 %. */
		{ "counter", { { 0 }, { 0, 48, 48, 48 }, { 0, 96, 96, 96 }, { 0, 96, 96, 96 } } },
		/* A hypervisor took the CPU before the raw clock was read. */
		{ "counter", { { 0 }, { 0, 0, 0, 0, 50 }, { 0 }, { 0 } } },
		{ "mono", { { 0 }, { 0, 900 }, { 0, 900 }, { 0, 900 } } },
		{ "mono", { { 0 }, { 0, 3000, 3000 }, { 0, 3000, 3000 }, { 0, 5000, 3000 } } },
		{ "boot", { { 0 }, { 3000, 3000, 3000 }, { 3000, 3000, 3000 },
			    { 3000, 3000, 3000 } } },
	};
	struct lt_check c;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tg *g = tg_new(&(struct tg_options){ .clock = rows[i].clock,
							    .clock_freq = GHZ });

		for (uint64_t n = 0; n < 4; n++) {
			uint64_t v[5];

			for (unsigned int k = 0; k < 5; k++)
				v[k] = (k == 1 ? 1700000000 * GHZ : 0) + 5 * GHZ + n * 600000000 +
				       (uint64_t)(rows[i].add[n][k] * 1000000);
			tg_clock(g, v[0], v[1], v[2], v[3], v[4]);
		}
		tg_kfree(g, 0, 5 * GHZ, PTR, 0);
		tg_finish(g, 5 * GHZ + 1000);
		assert_int_equal(verify(g, &c, NULL), 0);
	}
}

static void test_given_up(void **state)
{
	struct tg *g = trace(1000 + 180 * GHZ);
	struct lt_check c;

	(void)state;
	tg_text(g, LT_BLOCK_STATS, "state draining\nstopped 4000\nleft_counter 3000 suspend\n");
	assert_int_equal(verify(g, &c, NULL), 0);
	g = trace(1000 + 180 * GHZ);
	tg_text(g, LT_BLOCK_STATS, "state draining\nstopped 4000\nleft_counter 90000003000 unstable\n");
	assert_int_equal(verify(g, &c, "at 90.000001000 s the kernel declared the CPU's counter "
				"unstable"), 1);
	assert_non_null(strstr(c.text, "4 readings agree, left out 0; how exact times are is not known"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good), cmocka_unit_test(test_behind),
		cmocka_unit_test(test_bad), cmocka_unit_test(test_off),
		cmocka_unit_test(test_lawful), cmocka_unit_test(test_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

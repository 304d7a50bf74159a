// SPDX-License-Identifier: GPL-2.0
/*
 * A trace by the CPU's counter, which the kernel later declared unstable: until then the order of
 * events of different CPUs is not known, and nothing is certain.
 */
#include <string.h>

#include "lifetimes/read.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000001000ULL
#define SITE	0xffffffff81000100ULL
#define GHZ	1000000000ULL
#define LEFT	(2 * GHZ)

#define UNSTABLE "state idle\nstopped 5000000000\nleft_counter 2000000000 unstable\n"
#define SUSPEND "state idle\nstopped 5000000000\nleft_counter 2000000000 suspend\n"

/* Certainties by the address of the object; and why. */
struct found {
	enum lt_certainty certainty[8];
	uint8_t why[8];
	unsigned int n;
};

static void ended(void *arg, const struct lt_lifetime *l)
{
	unsigned int i = (unsigned int)((l->ptr - PTR) / 64);
	struct found *f = arg;

	assert_true(i < 8);
	f->certainty[i] = (enum lt_certainty)l->certainty;
	f->why[i] = l->why;
	f->n++;
}

static void birth(struct tg *g, unsigned int cpu, uint64_t time, unsigned int i)
{
	TG_KMALLOC(g, cpu, time, .ptr = PTR + 64 * i, .call_site = SITE, .bytes_req = 60,
		   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
}

/* 0: ended before; 1: ended later; 2: alive; 3: older, ended before; 4: ended since; 5: alive. */
static struct tg *trace(const char *cpus)
{
	struct tg *g = tg_new(&(struct tg_options){ .clock = "counter", .clock_freq = GHZ,
						    .info = cpus });

	tg_clock(g, 1, 1, 1, 1, 1);
	birth(g, 0, GHZ, 0);
	birth(g, 0, GHZ + 1, 1);
	birth(g, 0, GHZ + 2, 2);
	tg_kfree(g, 0, GHZ + 3, PTR, SITE);
	tg_kfree(g, 0, GHZ + 4, PTR + 64 * 3, SITE);
	tg_kfree(g, 0, LEFT + 1, PTR + 64, SITE);
	birth(g, 0, LEFT + 2, 4);
	birth(g, 0, LEFT + 3, 5);
	tg_kfree(g, 0, LEFT + 4, PTR + 64 * 4, SITE);
	tg_finish(g, 5 * GHZ);
	return g;
}

static struct found read_all(struct tg *g, unsigned int flags)
{
	struct found f = { .n = 0 };
	struct lt_lifetime_ops ops = { .ended = ended, .arg = &f };
	struct lt_trace *t;

	assert_int_equal(tg_write(g, test_path("unordered.lt"), flags), 0);
	test_stderr_begin();
	t = lt_trace_open(test_path("unordered.lt"));
	assert_non_null(t);
	lt_lifetimes_read(t, &ops);
	test_stderr_end();
	lt_trace_close(t);
	tg_free(g);
	assert_int_equal(f.n, 6);
	return f;
}

static void none_is_certain(const struct found *f)
{
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(f->certainty[i], LT_UNCERTAIN);
		assert_int_equal(f->why[i], LT_WHY_ORDER);
	}
	assert_int_equal(f->certainty[4], LT_EXACT);
	assert_int_equal(f->certainty[5], LT_OPEN);
}

static void all_are_certain(const struct found *f)
{
	static const enum lt_certainty expected[] = {
		LT_EXACT, LT_EXACT, LT_OPEN, LT_BEFORE, LT_EXACT, LT_OPEN,
	};

	assert_memory_equal(f->certainty, expected, sizeof(expected));
}

static void test_unstable(void **state)
{
	struct tg *g = trace("cpus_online=0\n");
	struct found f;

	(void)state;
	tg_text(g, LT_BLOCK_STATS, UNSTABLE);
	f = read_all(g, 0);
	all_are_certain(&f);
	g = trace("cpus_online=0-3\n");
	tg_text(g, LT_BLOCK_STATS, SUSPEND);
	f = read_all(g, TG_NO_STATS);
	all_are_certain(&f);
	g = trace("cpus_online=0-3\n");
	tg_text(g, LT_BLOCK_STATS, UNSTABLE);
	f = read_all(g, TG_NO_STATS);
	none_is_certain(&f);
}

/* The recorder was killed, and why the counter was given up is not in the file. */
static void test_killed(void **state)
{
	struct tg *g = trace("cpus_online=0-3\n");
	struct found f;

	(void)state;
	tg_text(g, LT_BLOCK_CLOCK, "clock=2000000000 realtime=2000000000 boottime=2000000000 "
		"monotonic=2000000000 raw=2000000000 kept=1\n");
	f = read_all(g, TG_NO_STATS);
	none_is_certain(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unstable), cmocka_unit_test(test_killed),
	};

	return cmocka_run_group_tests_name("a counter not to be trusted", tests, NULL, NULL);
}

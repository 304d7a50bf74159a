// SPDX-License-Identifier: GPL-2.0
/*
 * Reports by stack where only some births have their stack: against those of the same births,
 * all with their stacks.
 */
#include <math.h>

#include "sums/weights.h"
#include "reporttest.h"

#define TEXT	0xffffffff80000000ULL	/* text_base of tracegen */
#define HEAP	0xffff888000000000ULL	/* its ptr_base */
#define STACKS	100
#define SLOTS	600		/* addresses of a stack */
#define BIRTHS	150000
#define ONE_IN	16
#define LARGE	2000		/* bytes: --stack-min */
#define NO_STACK 1024		/* added to the number of a site: the same without its stack */

static uint32_t random_of(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)((*state >> 33) * below >> 31);
}

static void put_site(struct tg *g, uint16_t number, uint16_t stack)
{
	unsigned int of = number % NO_STACK;

	TG_PUT(g, 0, 1000, SITE, .site = number, .call_site = (uint32_t)(A - TEXT),
	       .bytes_req = of % 10 ? 20 * of : LARGE + of, .bytes_alloc = 4096,
	       .gfp_flags = KERNEL, .node = -1, .stack = stack);
}

static void put_birth(struct tg *g, uint64_t time, unsigned int stack, uint64_t ptr, bool known)
{
	uint64_t v = ptr - HEAP;
	unsigned int site = stack + (known ? 0 : NO_STACK);
	uint8_t rec[7] = { (uint8_t)site, (uint8_t)(site >> 8), (uint8_t)v, (uint8_t)(v >> 8),
			   (uint8_t)(v >> 16), (uint8_t)(v >> 24), (uint8_t)(v >> 32) };

	tg_raw(g, 0, time, LT_EV_KMALLOC_SHORT, LT_CLASS_KMALLOC, rec, sizeof(rec));
}

/*
 * Births of some stacks at addresses of their own, of which a few are used again and again, as
 * allocators do. Every tenth stack is of large ones. @one_in: of so many addresses.
 */
static struct tg *load(unsigned int one_in)
{
	static uint8_t alive[STACKS + 1][SLOTS];
	struct tg *g = tg_new(&(struct tg_options){
		.subbuf_size = 16 << 20,	/* one packet */
		.info = one_in == 1 ? "stacks=1\nstack_min=0\n" :
				      "stacks=16\nstack_min=2000\n" });
	uint64_t state = 1, time = 1000;

	memset(alive, 0, sizeof(alive));
	for (uint16_t i = 1; i <= STACKS; i++) {
		TG_PUT(g, 0, 1000, STACK, .stack = i, .n_frames = 2,
		       .frames = { (uint32_t)(A - TEXT), 0x1000U * i });
		put_site(g, i, i);
		put_site(g, (uint16_t)(i + NO_STACK), 0);
	}
	for (unsigned int i = 0; i < BIRTHS; i++) {
		unsigned int stack = 1 + random_of(&state, STACKS);
		unsigned int slot = random_of(&state, 1 + random_of(&state, SLOTS));
		uint64_t ptr = PTR + 4096ULL * (stack * SLOTS + slot);

		time += 10;
		if (alive[stack][slot])
			tg_kfree(g, 0, time++, ptr, F);
		alive[stack][slot] = random_of(&state, 4) > 0;
		put_birth(g, time, stack, ptr, one_in == 1 || !(stack % 10) ||
			  LT_STACK_HASH(ptr) < (1ULL << 32) / one_in);
		if (!alive[stack][slot])
			tg_kfree(g, 0, ++time, ptr, F);
	}
	tg_finish(g, time + 1000);
	return g;
}

static struct lt_report *by_stack(struct tg *g)
{
	struct lt_report_options o = usual;

	o.by = LT_BY_STACK;
	return report_with(g, &o);
}

/* The row of this stack; NULL: there is none. */
static const struct lt_report_row *row_like(const struct lt_report *r, struct lt_stack stack)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		struct lt_stack s = lt_report_stack(r, &r->rows[i]);

		if (s.n && s.n == stack.n && s.flags == stack.flags &&
		    !memcmp(s.frames, stack.frames, s.n * sizeof(*s.frames)))
			return &r->rows[i];
	}
	return NULL;
}

struct tally {
	unsigned int n, within_1, within_3;
};

static void compare(struct tally *t, uint64_t exact, uint64_t estimate, double variance)
{
	double off = fabs((double)estimate - (double)exact) / sqrt(variance);

	t->n++;
	t->within_1 += off <= 1;
	t->within_3 += off <= 3;
}

/* The true numbers are within three standard errors, and two of three within one. */
static void test_estimates(void **state)
{
	struct tg *all = load(1), *some = load(ONE_IN);
	struct lt_report *exact = by_stack(all), *r = by_stack(some);
	struct tally t = { 0 };
	unsigned int n_rows = 0;
	uint64_t sum = 0;

	(void)state;
	assert_int_equal(exact->stacks_one_in, 0);
	assert_int_equal(r->stacks_one_in, ONE_IN);
	for (size_t i = 0; i < exact->n_rows; i++) {
		const struct lt_report_row *e = &exact->rows[i], *s;

		if (!lt_report_row_counts(e))
			continue;
		n_rows++;
		s = row_like(r, lt_report_stack(exact, e));
		assert_non_null(s);
		sum += s->births;
		assert_true(e->births_off.var == 0);
		if (s->births_off.var == 0) {
			/* A large one: each has its stack. */
			assert_int_equal(s->births, e->births);
			assert_int_equal(s->live_bytes, e->live_bytes);
			assert_int_equal(s->peak, e->peak);
			assert_int_equal(s->life.n, e->life.n);
			assert_true(s->live_bytes_off.var == 0);
			continue;
		}
		assert_int_equal(s->births % ONE_IN, 0);
		compare(&t, e->births, s->births, s->births_off.var);
		compare(&t, e->bytes, s->bytes, s->bytes_off.var);
		compare(&t, e->live, s->live, s->live_off.var);
		compare(&t, e->live_bytes, s->live_bytes, s->live_bytes_off.var);
	}
	/* One row for each stack, none for births without one. */
	assert_int_equal(n_rows, STACKS);
	assert_int_equal(r->n_rows, exact->n_rows);
	print_message("of %u estimates %u within 1, %u within 3 standard errors\n", t.n, t.within_1,
		      t.within_3);
	assert_int_equal(t.n, 4 * (STACKS - STACKS / 10));
	assert_true(t.within_3 * 100 >= t.n * 98);
	assert_in_range(t.within_1 * 100 / t.n, 50, 85);
	/* The sum of all is counted, and the rows come near to it. */
	assert_int_equal(r->all.births, BIRTHS);
	assert_int_equal(r->all.peak, exact->all.peak);
	assert_int_equal(r->peak_bytes, exact->peak_bytes);
	assert_in_range(sum, BIRTHS * 9 / 10, BIRTHS * 11 / 10);
	lt_report_free(exact);
	tg_free(all);
	done(r, some);
}

/* In other reports each birth counts once. */
static void test_other_reports(void **state)
{
	struct tg *g = load(ONE_IN);
	struct lt_report *r = report(g, LT_BY_SITE);

	(void)state;
	assert_int_equal(r->stacks_one_in, 0);
	assert_int_equal(at(r, A)->births, BIRTHS);
	assert_true(at(r, A)->births_off.var == 0);
	done(r, g);
}

static void add_squares(void *arg, uint32_t row, const struct lt_spread *births,
			const struct lt_spread *bytes)
{
	double (*sum)[2] = arg;

	assert_in_range(row, 1, 2);
	assert_true(bytes->var == 100 * births->var);
	assert_true(births->drawn == 4 * births->recorded);
	sum[0][0] += births->var;
	sum[0][1] += births->recorded;
}

/* A sum of squares by address, in rows; with too many addresses it is too large, if anything. */
static void test_bound(void **state)
{
	struct lt_weights w = { .seed = 7, .most = 1000 }, few = { .seed = 7, .most = 3 };
	double sum[2][2] = { 0 }, squares = 4.0 * 3 * 20 * 30 * 30;

	(void)state;
	lt_map_init(&w.by_hash);
	lt_map_init(&few.by_hash);
	for (unsigned int i = 0; i < 600; i++) {
		lt_weights_add(&w, 1 + i % 2, 1000 + i % 20, 4, 10);
		lt_weights_add(&few, 1 + i % 2, 1000 + i % 20, 4, 10);
	}
	/* 20 addresses, each in one of the rows. */
	assert_int_equal(w.n, 20);
	lt_weights_each(&w, add_squares, &sum[0]);
	lt_weights_each(&few, add_squares, &sum[1]);
	assert_true(sum[0][0] == squares);
	assert_true(sum[1][0] >= squares);
	assert_true(sum[0][1] == 600 && sum[1][1] == 600);
	lt_weights_destroy(&w);
	lt_weights_destroy(&few);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_estimates),
		cmocka_unit_test(test_other_reports),
		cmocka_unit_test(test_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

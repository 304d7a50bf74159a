// SPDX-License-Identifier: GPL-2.0
/*
 * Programs at random: what is accepted stays within its buffers, whatever registers and memory
 * hold.
 */
#include <linux/preempt.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "call/call_kunit.h"

/* make LT_KUNIT=m LT_CALL_PROGRAMS=1000000: suites run before parameters are read. */
#ifndef LT_CALL_PROGRAMS
#define LT_CALL_PROGRAMS	200000
#endif
#ifndef LT_CALL_SEED
#define LT_CALL_SEED		1
#endif

static const unsigned int call_programs = LT_CALL_PROGRAMS;
static const unsigned int call_seed = LT_CALL_SEED;

#define MARGIN		64
#define CANARY		0xa5
#define MAX_RECORDS	8192

/**
 * struct fuzz - a run
 * @rnd: of it
 * @fn: the function that the latest program is of
 * @n: its steps
 * @step: they
 * @before: their form before they were checked
 * @regs: registers
 * @page: memory that steps can read, nothing behind it
 * @data: what a call keeps, between canaries
 * @to: values of a record, between canaries
 * @accepted: programs so far
 * @held: of these, those of which no test failed
 * @unread: values that could not be read
 */
struct fuzz {
	struct rnd_state rnd;
	struct lt_call_fn fn;
	unsigned int n;
	struct lt_call_step step[LT_CALL_MAX_STEPS + 2];
	struct lt_call_step before[LT_CALL_MAX_STEPS + 2];
	struct pt_regs regs;
	u8 *page;
	u8 data[MARGIN + LT_CALL_DATA_MOST + MARGIN] __aligned(8);
	u8 to[MARGIN + LT_CALL_MAX_BYTES + MARGIN] __aligned(8);
	unsigned int accepted;
	unsigned int held;
	unsigned int unread;
};

static struct fuzz *z;

static u32 below(u32 n)
{
	return n ? prandom_u32_state(&z->rnd) % n : 0;
}

static s32 some_offset(void)
{
	switch (below(4)) {
	case 0:
		return prandom_u32_state(&z->rnd);
	case 1:
		return PAGE_SIZE - 32 + below(64);
	default:
		return (s32)below(128) - 32;
	}
}

static struct lt_call_step a_source(bool at_return, bool kept)
{
	switch (below(5)) {
	case 0:
		return (struct lt_call_step)CONST(some_offset());
	case 1:
		return (struct lt_call_step)S(TASK, 0, 0, 0);
	case 2:
		if (at_return && kept)
			return (struct lt_call_step)S(LOADK, 0, below(LT_CALL_MAX_KEPT), 0);
		fallthrough;
	default:
		return at_return ? (struct lt_call_step)RESULT(below(LT_CALL_RESULTS)) :
				   (struct lt_call_step)ARG(below(LT_CALL_ARGS));
	}
}

/* Most of them would be accepted where there is a source. */
static struct lt_call_step a_step(bool at_return)
{
	u8 size = 1 << below(4), from = below(64);

	switch (below(11)) {
	case 0:
		return (struct lt_call_step)S(ADD, 0, 0, some_offset());
	case 1:
	case 2:
		return (struct lt_call_step)S(READ, size, 0, some_offset());
	case 3:
		return (struct lt_call_step)S(READU, size, 0, some_offset());
	case 4:
		return (struct lt_call_step)S(BITS, 1 + below(64 - from), from, 0);
	case 5:
		return (struct lt_call_step)S(SIGN, 1 + below(64), 0, 0);
	case 6:
		return at_return ? (struct lt_call_step)LIMIT :
				   (struct lt_call_step)S(KEEP, 0, below(LT_CALL_MAX_KEPT), 0);
	case 7:
		return (struct lt_call_step)S(BYTES, 1 + below(at_return ? 64 : 16), 0,
					      some_offset());
	case 8:
		return (struct lt_call_step)S(HIGH, 0, 0, some_offset());
	default:
		return (struct lt_call_step)STORE(size);
	}
}

static void add_step(struct lt_call_step step)
{
	if (z->n < LT_CALL_MAX_STEPS + 2)
		z->step[z->n++] = step;
}

static void make_steps(unsigned int n, bool at_return, bool kept)
{
	while (n--) {
		unsigned int k = below(4);

		add_step(a_source(at_return, kept));
		if (!below(12)) {
			add_step((struct lt_call_step)LIMIT);
			add_step((struct lt_call_step)S(TEST, 0, below(LT_CALL_N_TESTS), 0));
		}
		while (k--)
			add_step(a_step(at_return));
	}
}

static void make_program(void)
{
	unsigned int texts = below(4) ? 0 : below(3);
	bool all_kept = below(2);
	unsigned int i;

	memset(&z->fn.flags, 0, sizeof(z->fn.flags));
	z->n = 0;
	if (all_kept) {	/* so that words can be used at the return */
		add_step((struct lt_call_step)ARG(below(6)));
		for (i = below(3); i < LT_CALL_MAX_KEPT; i++)
			add_step((struct lt_call_step)S(KEEP, 0, i, 0));
	}
	make_steps(below(below(8) ? 4 : 16), false, false);
	z->fn.n_entry = z->n;
	make_steps(below(below(8) ? 6 : 40), true, all_kept);
	if (texts)
		add_step((struct lt_call_step)RESULT(0));
	while (texts--)
		add_step((struct lt_call_step){ below(2) ? LT_CALL_TEXT : LT_CALL_TEXTU,
						2 + below(63), 0, 0, some_offset() });
	z->fn.n_return = z->n - z->fn.n_entry;
	if (!below(16)) {
		z->fn.flags = LT_CALL_NO_RETURN;
		z->fn.n_return = 0;
	}
	/* Some bits of it are others. */
	if (!below(3))
		for (i = 1 + below(2); z->n && i; i--)
			((u8 *)z->step)[below(z->n * sizeof(*z->step))] ^= 1 << below(8);
	memcpy(z->before, z->step, sizeof(z->before));
}

/* Registers hold addresses of the page, of nothing, and numbers. */
static void make_registers(void)
{
	unsigned long *word = (unsigned long *)&z->regs;
	unsigned int i;

	for (i = 0; i < sizeof(z->regs) / sizeof(*word); i++) {
		unsigned long at = (unsigned long)z->page + below(PAGE_SIZE);

		word[i] = below(3) ? at :
			  below(2) ? below(5) : (unsigned long)some_offset() << below(33);
	}
	for (i = 0; i < 8; i++)
		z->page[below(PAGE_SIZE)] = prandom_u32_state(&z->rnd);
}

static bool is_whole(const u8 *margin)
{
	return !memchr_inv(margin, CANARY, MARGIN);
}

/* The values of a short record, as check.c has found them. Return: as run_steps(). */
static const char *look_at_packs(const struct lt_call_fn *fn)
{
	unsigned int i, bytes = 0, at;

	if (fn->plain && !fn->packs)
		return "plain, and without a short record";
	for (i = 0; fn->packs && i < fn->n_pack; i++) {
		bytes += 8 - fn->pack[i].shift / 8;
		at = fn->pack[i].at;
		if (fn->plain && at != offsetof(struct lt_call_data, result) &&
		    (at < sizeof(struct lt_call_data) || at + 8 > lt_call_data_size(fn)))
			return "a register that is not kept";
	}
	if (fn->packs && (bytes != fn->most_bytes || fn->sizes != DIV_ROUND_UP(3 * fn->n_pack, 8)))
		return "other values in a short record";
	return NULL;
}

/* Both parts, as call.c runs them. Return: what is wrong; NULL: nothing. */
static const char *run_steps(void)
{
	const struct lt_call_fn *fn = &z->fn;
	size_t size = LT_CALL_DATA_BYTES(fn->n_kept * sizeof(u64) + fn->entry_bytes);
	struct lt_call_data *d = (struct lt_call_data *)(z->data + MARGIN);
	struct lt_call_values v = { .to = (u8 *)(d->words + fn->n_kept) };

	if (size > LT_CALL_DATA_MOST || fn->most_bytes > LT_CALL_MAX_BYTES ||
	    fn->entry_bytes > LT_CALL_MAX_ENTRY || fn->n_kept > LT_CALL_MAX_KEPT)
		return "sizes";
	memset(z->data, CANARY, sizeof(z->data));
	memset(z->to, CANARY, sizeof(z->to));
	if (lt_call_fetch(fn->steps, fn->n_entry, &z->regs, d->words, &v)) {
		if (v.bytes != fn->entry_bytes || v.value != fn->entry_values || v.cut)
			return "values of the entry";
		memcpy(z->to + MARGIN, d->words + fn->n_kept, fn->entry_bytes);
		v.to = z->to + MARGIN;
		z->held += lt_call_fetch(fn->steps + fn->n_entry, fn->n_return, &z->regs,
					 d->words, &v);
		if (v.bytes > fn->most_bytes || v.value > LT_CALL_MAX_VALUES)
			return "more values than were announced";
		if (!is_whole(z->to) || !is_whole(z->to + MARGIN + fn->most_bytes))
			return "values beyond their room";
		z->unread += hweight32(v.unread & (BIT(LT_CALL_MAX_VALUES) - 1));
	}
	if (!is_whole(z->data) || !is_whole(z->data + MARGIN + size))
		return "what is kept, beyond its room";
	return look_at_packs(fn);
}

/* And a whole call of it, with a record. */
static const char *run_call(void)
{
	struct lt_call_data *d = (struct lt_call_data *)(z->data + MARGIN);
	size_t size = lt_call_data_size(&z->fn);

	memset(z->data, CANARY, sizeof(z->data));
	if (!lt_call_enter(&z->fn, d, &z->regs, (unsigned long)z->data)) {
		if (z->fn.flags & LT_CALL_NO_RETURN)
			return "a return that does not come";
		lt_call_return(d, &z->regs);
	}
	if (!is_whole(z->data) || !is_whole(z->data + MARGIN + size))
		return "a call beyond its room";
	return NULL;
}

static int fuzz_test_init(struct kunit *test)
{
	if (lt_call_arg_offset(0) < 0)
		kunit_skip(test, "no registers are made up for this machine");
	z = kunit_kzalloc(test, sizeof(*z), GFP_KERNEL);
	if (!z || lt_test_stay_on(0) || lt_channel_init(&lt_channel_call, LT_CHANNEL_CALL))
		return -ENOMEM;
	z->page = vzalloc(PAGE_SIZE);
	z->fn.counts = alloc_percpu(struct lt_call_counts);
	lt_channel_call.overwrite = true;
	if (!z->page || !z->fn.counts || lt_call_threads_open())
		return -ENOMEM;
	prandom_seed_state(&z->rnd, call_seed);
	return lt_channel_open(&lt_channel_call, NULL, 65536, LT_MIN_OVERWRITTEN, 5);
}

static void fuzz_test_exit(struct kunit *test)
{
	if (!z)
		return;
	lt_call_threads_close();
	lt_channel_close(&lt_channel_call);
	lt_channel_destroy(&lt_channel_call);
	lt_channel_call.overwrite = false;
	free_percpu(z->fn.counts);
	vfree(z->page);
	z = NULL;
}

static void show_program(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < z->n; i++)
		kunit_info(test, "%s step %u: op %u size %u arg %u offset %d\n",
			   i < z->fn.n_entry ? "entry" : "return", i, z->before[i].op,
			   z->before[i].size, z->before[i].arg, z->before[i].offset);
}

static void accepted_programs_stay_in_their_room(struct kunit *test)
{
	struct lt_test_record *records = kunit_kcalloc(test, MAX_RECORDS, sizeof(*records),
						       GFP_KERNEL);
	const char *wrong = NULL;
	struct lt_call_counts c;
	unsigned int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, records);
	for (i = 0; i < call_programs && !wrong; i++) {
		cond_resched();
		z->fn.texts = false;
		make_program();
		if (lt_call_check(&z->fn, z->step))
			continue;
		z->accepted++;
		make_registers();
		preempt_disable();
		wrong = run_steps() ?: run_call();
		preempt_enable();
	}
	if (wrong)
		show_program(test);
	KUNIT_EXPECT_PTR_EQ_MSG(test, wrong, (const char *)NULL, "program %u: %s", i, wrong);
	c = lt_call_counts_sum(&z->fn);
	kunit_info(test, "%u programs from %u on, %u accepted, %u ran to their end, %u values not read; %llu calls entered\n",
		   i, call_seed, z->accepted, z->held, z->unread, c.entered);
	KUNIT_EXPECT_GT(test, z->accepted, call_programs / 5);
	KUNIT_EXPECT_GT(test, z->held, z->accepted / 3);
	KUNIT_EXPECT_EQ(test, c.missed, 0ULL);
	KUNIT_EXPECT_EQ(test, c.entered, c.returned);
	/* Each record of what is still there can be read. */
	lt_channel_finish(&lt_channel_call);
	KUNIT_EXPECT_GT(test, lt_test_records(test, &lt_channel_call, records, MAX_RECORDS),
			(size_t)100);
}

static struct kunit_case fuzz_cases[] = {
	KUNIT_CASE(accepted_programs_stay_in_their_room),
	{}
};

struct kunit_suite lt_call_fuzz_suite = {
	.name = "lifetrace_call_fuzz",
	.init = fuzz_test_init,
	.exit = fuzz_test_exit,
	.test_cases = fuzz_cases,
};

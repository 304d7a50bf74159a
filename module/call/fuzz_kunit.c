// SPDX-License-Identifier: GPL-2.0
/*
 * Programs at random, and accepted ones that are changed: what is accepted stays within its
 * buffers, whatever registers and memory hold, and makes what a second opinion says. Each buffer is
 * an allocation of its own, as large as it must be and no larger, so that KASAN sees what the
 * canaries do not.
 */
#include <linux/preempt.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "call/call_kunit.h"
#include "call/second_kunit.h"

/* make LT_KUNIT=m LT_CALL_PROGRAMS=1000000: suites run before parameters are read. */
#ifndef LT_CALL_PROGRAMS
#define LT_CALL_PROGRAMS	200000
#endif
#ifndef LT_CALL_SEED
#define LT_CALL_SEED		1
#endif

/* KUnit ends a case after 300 s, in which a slow machine runs so many with KASAN. */
#define SLICE			20000U

/* A slice is an element, its programs are those of its index. */
static const u8 slices[DIV_ROUND_UP(LT_CALL_PROGRAMS, SLICE)];

/* Canaries about a buffer; KASAN has marks of its own there. */
#define MARGIN		(IS_ENABLED(CONFIG_KASAN) ? 0 : 64)
#define CANARY		0xa5
#define MAX_RECORDS	8192
#define POOL		64	/* accepted programs that may be changed */

/* A program as user space writes it. */
struct program {
	unsigned int n_entry;
	unsigned int n_return;
	unsigned int flags;
	struct lt_call_step step[LT_CALL_MAX_STEPS + 2];
};

/**
 * struct fuzz - a run
 * @rnd: of it
 * @fn: the function that the latest program is of
 * @p: that program
 * @n: its steps so far
 * @step: they, as check.c has changed them
 * @regs: registers
 * @page: memory that steps can read, nothing behind it
 * @second: what another reader of the program says
 * @pool: accepted programs
 * @in_pool: how many
 * @accepted: programs so far
 * @changed: of these, those that another accepted one was made into
 * @held: of these, those of which no test failed
 * @values: of these
 * @doubtful: of these, values that the second reader does not know
 * @unread: values that could not be read
 */
struct fuzz {
	struct rnd_state rnd;
	struct lt_call_fn fn;
	struct program p;
	unsigned int n;
	struct lt_call_step *step;
	struct pt_regs *regs;
	u8 *page;
	struct lt_second second;
	struct program pool[POOL];
	unsigned int in_pool;
	unsigned int accepted;
	unsigned int changed;
	unsigned int held;
	unsigned int values;
	unsigned int doubtful;
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
		z->p.step[z->n++] = step;
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

/* Some bits of it are others. */
static void flip_bits(unsigned int n)
{
	unsigned int size = (z->p.n_entry + z->p.n_return) * sizeof(*z->p.step);

	while (size && n--)
		((u8 *)z->p.step)[below(size)] ^= 1 << below(8);
}

static void new_program(void)
{
	unsigned int texts = below(4) ? 0 : below(3);
	bool all_kept = below(2);
	unsigned int i;

	z->p.flags = 0;
	z->n = 0;
	if (all_kept) {	/* so that words can be used at the return */
		add_step((struct lt_call_step)ARG(below(6)));
		for (i = below(3); i < LT_CALL_MAX_KEPT; i++)
			add_step((struct lt_call_step)S(KEEP, 0, i, 0));
	}
	make_steps(below(below(8) ? 4 : 16), false, false);
	z->p.n_entry = z->n;
	make_steps(below(below(8) ? 6 : 40), true, all_kept);
	if (texts)
		add_step((struct lt_call_step)RESULT(0));
	while (texts--)
		add_step((struct lt_call_step){ below(2) ? LT_CALL_TEXT : LT_CALL_TEXTU,
						2 + below(63), 0, 0, some_offset() });
	z->p.n_return = z->n - z->p.n_entry;
	if (!below(16)) {
		z->p.flags = LT_CALL_NO_RETURN;
		z->p.n_return = 0;
	}
	if (!below(3))
		flip_bits(1 + below(2));
}

/* What was accepted, with a step moved, left out, doubled, taken from another one, or changed. */
static void change_program(void)
{
	const struct program *other = &z->pool[below(z->in_pool)];
	struct lt_call_step *step = z->p.step;
	unsigned int n, at, k;

	z->p = z->pool[below(z->in_pool)];
	for (k = 1 + below(3); k; k--) {
		n = z->p.n_entry + z->p.n_return;
		at = below(n);
		switch (below(7)) {
		case 0:
			if (n)
				swap(step[at], step[below(n)]);
			break;
		case 1:
			if (at < z->p.n_entry && z->p.n_return) {
				z->p.n_entry--;	/* the bound moves with it */
				z->p.n_return++;
			} else if (z->p.n_return) {
				z->p.n_entry++;
				z->p.n_return--;
			}
			break;
		case 2:
			if (!z->p.n_return)
				break;
			memmove(step + at, step + at + 1, (n - at - 1) * sizeof(*step));
			z->p.n_return--;
			break;
		case 3:
			if (n > LT_CALL_MAX_STEPS)
				break;
			memmove(step + at + 1, step + at, (n - at) * sizeof(*step));
			z->p.n_return++;
			break;
		case 4:
			step[at] = other->step[below(other->n_entry + other->n_return)];
			break;
		case 5:
			step[at].offset = some_offset();
			break;
		default:
			flip_bits(1);
		}
	}
}

/* Return: false: there is no memory for it. */
static bool make_program(bool *changed)
{
	*changed = z->in_pool && below(2);
	if (*changed)
		change_program();
	else
		new_program();
	z->fn.flags = z->p.flags;
	z->fn.n_entry = z->p.n_entry;
	z->fn.n_return = z->p.n_return;
	z->fn.texts = false;
	z->step = kmemdup(z->p.step, (z->p.n_entry + z->p.n_return) * sizeof(*z->step) ?: 1,
			  GFP_KERNEL);
	return z->step;
}

/* Registers hold addresses of the page, of nothing, and numbers. */
static void make_registers(void)
{
	unsigned long *word = (unsigned long *)z->regs;
	unsigned int i;

	for (i = 0; i < sizeof(*z->regs) / sizeof(*word); i++) {
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

/* A buffer of so many bytes. Return: it, with canaries about it; NULL: there is no memory. */
static u8 *make_buffer(size_t size)
{
	u8 *buffer = kmalloc(MARGIN + size + MARGIN ?: 1, GFP_ATOMIC);

	if (!buffer)
		return NULL;
	memset(buffer, CANARY, MARGIN + size + MARGIN);
	return buffer + MARGIN;
}

/* Return: whether nobody wrote beside it. It is freed. */
static bool end_buffer(u8 *buffer, size_t size)
{
	bool whole = is_whole(buffer - MARGIN) && is_whole(buffer + size);

	kfree(buffer - MARGIN);
	return whole;
}

/* Both parts, as call.c runs them. Return: as run_steps(). */
static const char *run_both(struct lt_call_data *d, u8 *to)
{
	const struct lt_call_fn *fn = &z->fn;
	const struct lt_second *s = &z->second;
	struct lt_call_values v = { .to = (u8 *)(d->words + fn->n_kept) };

	if (!lt_call_fetch(fn->steps, fn->n_entry, z->regs, d->words, &v))
		return s->entry_out || s->entry_open ? NULL : "a test at the entry that holds";
	if (s->entry_out)
		return "a test at the entry that does not hold";
	if (v.bytes != fn->entry_bytes || v.value != fn->entry_values || v.cut)
		return "values of the entry";
	memcpy(to, d->words + fn->n_kept, fn->entry_bytes);
	v.to = to;
	if (!lt_call_fetch(fn->steps + fn->n_entry, fn->n_return, z->regs, d->words, &v))
		return s->out || s->open ? NULL : "a test that holds";
	if (s->out)
		return "a test that does not hold";
	if (v.bytes > fn->most_bytes || v.value > LT_CALL_MAX_VALUES)
		return "more values than were announced";
	z->held++;
	z->values += v.value;
	z->doubtful += hweight32(s->doubtful);
	z->unread += hweight32(v.unread & LT_CALL_VALUES_UNREAD);
	return lt_second_compare(s, &v);
}

/* Return: what is wrong; NULL: nothing. */
static const char *run_steps(void)
{
	const struct lt_call_fn *fn = &z->fn;
	size_t size = LT_CALL_DATA_BYTES(fn->n_kept * sizeof(u64) + fn->entry_bytes);
	const char *wrong = NULL;
	u8 *data, *to;

	if (size > LT_CALL_DATA_MOST || fn->most_bytes > LT_CALL_MAX_BYTES ||
	    fn->entry_bytes > LT_CALL_MAX_ENTRY || fn->n_kept > LT_CALL_MAX_KEPT)
		return "sizes";
	if (fn->most_bytes != z->second.most_bytes || fn->entry_bytes != z->second.entry_bytes ||
	    fn->entry_values != z->second.entry_values)
		return "other sizes than the second opinion has";
	data = make_buffer(size);
	to = make_buffer(fn->most_bytes);
	if (data && to)
		wrong = run_both((struct lt_call_data *)data, to);
	else
		wrong = "no memory";
	if (to && !end_buffer(to, fn->most_bytes))
		wrong = "values beyond their room";
	if (data && !end_buffer(data, size))
		wrong = "what is kept, beyond its room";
	return wrong ?: look_at_packs(fn);
}

/* And a whole call of it, with a record. */
static const char *run_call(void)
{
	size_t size = lt_call_data_size(&z->fn);
	u8 *data = make_buffer(size);
	struct lt_call_data *d = (struct lt_call_data *)data;
	const char *wrong = NULL;

	if (!d)
		return "no memory";
	if (!lt_call_enter(&z->fn, d, z->regs, (unsigned long)d)) {
		if (z->fn.flags & LT_CALL_NO_RETURN)
			wrong = "a return that does not come";
		else
			lt_call_return(d, z->regs);
	}
	return end_buffer(data, size) ? wrong : "a call beyond its room";
}

/* An accepted program. Return: as run_steps(). */
static const char *try_program(bool changed)
{
	const char *wrong;

	z->accepted++;
	z->changed += changed;
	z->pool[z->in_pool < POOL ? z->in_pool++ : below(POOL)] = z->p;
	make_registers();
	memset(&z->second, 0, sizeof(z->second));
	z->second.page = z->page;
	z->second.regs = z->regs;
	preempt_disable();
	wrong = lt_second_read(&z->second, z->p.step, z->p.n_entry, z->p.n_return, z->p.flags);
	if (!wrong)
		wrong = run_steps() ?: run_call();
	preempt_enable();
	return wrong;
}

static int fuzz_test_init(struct kunit *test)
{
	if (lt_call_arg_offset(0) < 0)
		kunit_skip(test, "no registers are made up for this machine");
	z = kunit_kzalloc(test, sizeof(*z), GFP_KERNEL);
	if (!z || lt_test_stay_on(0) || lt_channel_init(&lt_channel_call, LT_CHANNEL_CALL))
		return -ENOMEM;
	z->page = vzalloc(PAGE_SIZE);
	z->regs = kunit_kzalloc(test, sizeof(*z->regs), GFP_KERNEL);
	z->fn.counts = alloc_percpu(struct lt_call_counts);
	lt_channel_call.overwrite = true;
	if (!z->page || !z->regs || !z->fn.counts || lt_call_threads_open())
		return -ENOMEM;
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

	for (i = 0; i < z->p.n_entry + z->p.n_return; i++)
		kunit_info(test, "%s step %u: op %u size %u arg %u offset %d\n",
			   i < z->p.n_entry ? "entry" : "return", i, z->p.step[i].op,
			   z->p.step[i].size, z->p.step[i].arg, z->p.step[i].offset);
}

static void describe_slice(const u8 *slice, char *text)
{
	snprintf(text, KUNIT_PARAM_DESC_SIZE, "%u", LT_CALL_SEED + (unsigned int)(slice - slices));
}
KUNIT_ARRAY_PARAM(slice, slices, describe_slice);

static void accepted_programs_stay_in_their_room(struct kunit *test)
{
	const unsigned int slice = (const u8 *)test->param_value - slices;
	const unsigned int n = min(SLICE, LT_CALL_PROGRAMS - slice * SLICE);
	struct lt_test_record *records = kunit_kcalloc(test, MAX_RECORDS, sizeof(*records),
						       GFP_KERNEL);
	const char *wrong = NULL;
	struct lt_call_counts c;
	unsigned int i;
	bool changed;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, records);
	prandom_seed_state(&z->rnd, LT_CALL_SEED + slice);
	for (i = 0; i < n && !wrong; i++) {
		cond_resched();
		if (!make_program(&changed))
			break;
		if (!lt_call_check(&z->fn, z->step))
			wrong = try_program(changed);
		kfree(z->step);
	}
	if (wrong)
		show_program(test);
	KUNIT_EXPECT_TRUE(test, wrong || i == n);
	KUNIT_EXPECT_PTR_EQ_MSG(test, wrong, (const char *)NULL, "program %u: %s", i, wrong);
	c = lt_call_counts_sum(&z->fn);
	kunit_info(test, "%u programs from %u on, %u accepted (%u of them changed ones), %u ran to their end; of %u values %u not read, %u unknown to the second opinion; %llu calls entered\n",
		   i, LT_CALL_SEED + slice, z->accepted, z->changed, z->held, z->values, z->unread,
		   z->doubtful, c.entered);
	KUNIT_EXPECT_GT(test, z->accepted, n / 5);
	KUNIT_EXPECT_GT(test, z->changed, z->accepted / 5);
	KUNIT_EXPECT_GT(test, z->held, z->accepted / 3);
	/* Else nothing was compared. */
	KUNIT_EXPECT_LT(test, z->doubtful, z->values / 2);
	KUNIT_EXPECT_EQ(test, c.missed, 0ULL);
	KUNIT_EXPECT_EQ(test, c.entered, c.returned);
	/* Each record of what is still there can be read. */
	lt_channel_finish(&lt_channel_call);
	KUNIT_EXPECT_GT(test, lt_test_records(test, &lt_channel_call, records, MAX_RECORDS),
			(size_t)100);
}

static struct kunit_case fuzz_cases[] = {
	KUNIT_CASE_PARAM(accepted_programs_stay_in_their_room, slice_gen_params),
	{}
};

struct kunit_suite lt_call_fuzz_suite = {
	.name = "lifetrace_call_fuzz",
	.init = fuzz_test_init,
	.exit = fuzz_test_exit,
	.test_cases = fuzz_cases,
};

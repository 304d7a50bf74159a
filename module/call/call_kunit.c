// SPDX-License-Identifier: GPL-2.0
/*
 * Calls from entry to record: on registers that are made up, to a channel without files.
 */
#include <linux/preempt.h>
#include <linux/slab.h>

#include "call/call_kunit.h"
#include "core/clock.h"
#include "core/write.h"

#define SUBBUF_SIZE	65536
#define N_SUBBUFS	4
#define MAX_RECORDS	1024

static struct lt_test_record *records;
static size_t n_records;
static struct pt_regs regs;

/* A channel without files. */
int lt_test_call_init(struct kunit *test)
{
	if (lt_call_arg_offset(0) < 0)
		kunit_skip(test, "no registers are made up for this machine");
	if (lt_test_stay_on(0) || lt_channel_init(&lt_channel_call, LT_CHANNEL_CALL))
		return -ENOMEM;
	return lt_channel_open(&lt_channel_call, NULL, SUBBUF_SIZE, N_SUBBUFS, 5);
}

static int call_test_init(struct kunit *test)
{
	memset(&regs, 0, sizeof(regs));
	records = kunit_kcalloc(test, MAX_RECORDS, sizeof(*records), GFP_KERNEL);
	return records ? lt_test_call_init(test) : -ENOMEM;
}

void lt_test_call_exit(struct kunit *test)
{
	if (!lt_channel_call.cpu)
		return;
	lt_call_close();
	lt_channel_close(&lt_channel_call);
	lt_channel_destroy(&lt_channel_call);
	lt_call_use(NULL);
	lt_call_fns_set_next(NULL);
	/* As it is at load: there is a suite that opens nothing. */
	lt_call_gate = 0;
}

/* Begins with a set of one function. Return: the function. */
struct lt_call_fn *lt_test_call_begin(struct kunit *test, const struct lt_test_steps *s, u64 min,
				      unsigned int depth)
{
	size_t steps = (s->n_entry + s->n_return) * sizeof(struct lt_call_step);
	size_t size = sizeof(struct lt_call_set) + sizeof(struct lt_call_function) + steps;
	struct lt_call_set *set = kvzalloc(size, GFP_KERNEL);
	struct lt_call_function *f = (void *)(set + 1);
	struct lt_call_fns *fns;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, set);
	*set = (struct lt_call_set) {
		.magic = LT_CALL_MAGIC, .version = LT_CALL_VERSION, .functions = 1,
		.bytes = size - sizeof(*set), .depth = depth,
	};
	*f = (struct lt_call_function) {
		.address = 0x1000, .n_entry = s->n_entry, .n_return = s->n_return,
		.flags = s->flags, .min_duration = min,
	};
	strscpy(f->name, s->name ?: "f", sizeof(f->name));
	memcpy(f + 1, s->step, steps);
	fns = lt_call_fns_make(set, size);
	KUNIT_ASSERT_FALSE(test, IS_ERR(fns));
	lt_call_fns_set_next(fns);
	KUNIT_ASSERT_EQ(test, lt_call_open(), 0);
	return &lt_call_used->fn[0];
}

static struct lt_call_fn *begin(struct kunit *test, const struct lt_test_steps *s, u64 min)
{
	return lt_test_call_begin(test, s, min, 0);
}

static struct lt_call_data *data_of(struct kunit *test, const struct lt_call_fn *fn)
{
	struct lt_call_data *d = kunit_kzalloc(test, lt_call_data_size(fn), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, d);
	return d;
}

static bool enter(struct lt_call_fn *fn, struct lt_call_data *d, unsigned long sp)
{
	bool awaited;

	preempt_disable();
	awaited = !lt_call_enter(fn, d, &regs, sp);
	preempt_enable();
	return awaited;
}

/* As if it had begun so many units of the clock before. */
static void leave_after(struct lt_call_data *d, u64 units)
{
	preempt_disable();
	d->begin = lt_clock() - units;	/* whatever the test has done since */
	lt_call_return(d, &regs);
	preempt_enable();
}

/* The records so far, but those of tasks. */
static void read_records(struct kunit *test)
{
	size_t i, n;

	lt_channel_finish(&lt_channel_call);
	n = lt_test_records(test, &lt_channel_call, records, MAX_RECORDS);
	for (i = n_records = 0; i < n; i++)
		if (records[i].id != LT_EV_CALL_TASK)
			records[n_records++] = records[i];
}

/* What the packets say of calls: the latest of CPU 0, whose packets come first. */
struct lt_class_counts lt_test_call_counted(void)
{
	size_t n = per_cpu_ptr(lt_channel_call.cpu, 0)->ready;

	return lt_test_packet(&lt_channel_call, n - 1)->counts[LT_CLASS_INDEX(LT_CLASS_CALL)];
}

/* Steps at the return whose values are so many bytes. */
static void bytes_at_return(struct lt_test_steps *s, unsigned int bytes)
{
	*s = (struct lt_test_steps) { .n_return = 1, .step = { RESULT(0) } };
	while (bytes) {
		unsigned int n = min_t(unsigned int, bytes, LT_CALL_MAX_TEXT);

		s->step[s->n_return++] =
			(struct lt_call_step)S(BYTES, n, 0, LT_CALL_MAX_BYTES - bytes);
		bytes -= n;
	}
}

static void expect_values(struct kunit *test, const struct lt_test_record *r, size_t head,
			  unsigned int bytes, const u8 *from)
{
	const u8 *values = r->payload + head;

	KUNIT_ASSERT_GE(test, r->size, head + bytes);
	KUNIT_EXPECT_EQ_MSG(test, memcmp(values, from, bytes), 0, "%u bytes", bytes);
	/* Zeros behind them, and no form that is too large. */
	KUNIT_EXPECT_TRUE_MSG(test, r->size == head + bytes ||
			      !memchr_inv(values + bytes, 0, r->size - head - bytes),
			      "%u bytes", bytes);
}

/* Values of each size, in the smallest form that holds them; by the general path. */
static void each_size_has_its_form(struct kunit *test)
{
	static const u16 forms[] = { 0, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64, 80, 96, 128, 192,
				     256 };
	static const u16 wide[] = { 0, 32, 64, 128, 256 };
	u8 *memory = kunit_kzalloc(test, LT_CALL_MAX_BYTES, GFP_KERNEL);
	struct lt_test_steps s;
	unsigned int bytes, i, f, w;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, memory);
	for (i = 0; i < LT_CALL_MAX_BYTES; i++)
		memory[i] = i | 1;
	lt_test_set_result(&regs, 0, (unsigned long)memory);
	for (bytes = f = w = 0; bytes <= LT_CALL_MAX_BYTES; bytes++) {
		const u8 *from = memory + LT_CALL_MAX_BYTES - bytes;
		struct lt_call_fn *fn;
		struct lt_call_data *d;

		bytes_at_return(&s, bytes);
		fn = begin(test, &s, 0);
		d = data_of(test, fn);
		KUNIT_ASSERT_TRUE(test, enter(fn, d, 0x8000));
		/* It begins after its return, which is no time, however slow the machine is. */
		leave_after(d, -BIT_ULL(30));
		KUNIT_ASSERT_TRUE(test, enter(fn, d, 0x8000));
		leave_after(d, BIT_ULL(31));
		read_records(test);
		KUNIT_ASSERT_EQ(test, n_records, (size_t)2);
		f += bytes > forms[f];
		w += bytes > wide[w];
		KUNIT_EXPECT_EQ(test, records[0].id,	/* no integers have no short form */
				bytes ? LT_EV_CALL_0 + f : LT_EV_CALL_SHORT_0);
		KUNIT_EXPECT_EQ(test, records[1].id, LT_EV_CALL_WIDE_0 + w);
		if (bytes)
			expect_values(test, &records[0], sizeof(struct lt_rec_CALL_0), bytes, from);
		expect_values(test, &records[1], sizeof(struct lt_rec_CALL_WIDE_0), bytes, from);
		lt_call_close();
		lt_channel_close(&lt_channel_call);
		KUNIT_ASSERT_EQ(test, lt_channel_open(&lt_channel_call, NULL, SUBBUF_SIZE,
						      N_SUBBUFS, 5), 0);
	}
}

/* Registers alone: the fast path, and the general one where a record begins a packet. */
static void plain_values_are_registers(struct kunit *test)
{
	static const u8 sizes[] = { 1, 2, 4, 8, 1, 4 };
	struct lt_test_steps s = { };
	struct lt_call_fn *fn;
	struct lt_call_data *d;
	unsigned int i, bytes = 0;
	u8 expected[64] = "";

	for (i = 0; i < 6; i++) {
		u64 value = 0x0807060504030201ULL + i * 0x1010101010101010ULL;
		unsigned int size = sizes[i];

		lt_test_set_arg(&regs, i, value);
		s.step[s.n_entry++] = (struct lt_call_step)ARG(i);
		s.step[s.n_entry++] = (struct lt_call_step)STORE(size);
		memcpy(expected + bytes, &value, size);
		bytes += size;
		if (s.n_entry == 10)
			break;	/* room for the result */
	}
	s.step[s.n_entry] = (struct lt_call_step)RESULT(0);
	s.step[s.n_entry + 1] = (struct lt_call_step)STORE(4);
	s.n_return = 2;
	memcpy(expected + bytes, "wxyz", 4);
	lt_test_set_result(&regs, 0, 0x557a797877UL);
	fn = begin(test, &s, 0);
	KUNIT_ASSERT_TRUE(test, fn->plain);
	d = data_of(test, fn);
	for (i = 0; i < 3; i++) {
		KUNIT_ASSERT_TRUE(test, enter(fn, d, 0x8000));
		leave_after(d, 1000);
	}
	read_records(test);
	KUNIT_ASSERT_EQ(test, n_records, (size_t)3);
	for (i = 0; i < 3; i++) {
		const struct lt_rec_CALL_SHORT_0 *r = records[i].payload;

		lt_test_expect_short(test, &records[i], expected, sizes, ARRAY_SIZE(sizes));
		KUNIT_EXPECT_EQ(test, r->function, 0);
		KUNIT_EXPECT_EQ(test, r->depth, (u16)-(0x8000 / 8));
		KUNIT_EXPECT_GE(test, r->duration, 1000U);
		KUNIT_EXPECT_LE(test, (u64)r->duration, lt_clock());
	}
	KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).entered, 3ULL);
	KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).returned, 3ULL);
	KUNIT_EXPECT_EQ(test, lt_test_call_counted().seen, 3ULL);
}

/* Numbers around each size, with either sign; kept or not, by the fast path and the general one. */
static void short_records_hold_all_values(struct kunit *test)
{
	static const u8 sizes[5] = { 8, 8, 4, 8, 4 };
	static const struct lt_test_steps kinds[] = {
		BOTH_STEPS(8, ARG(1), STORE(8), ARG(5), STORE(8), ARG(0), STORE(4), ARG(5),
			   STORE(8), RESULT(0), STORE(4)),
		BOTH_STEPS(9, ARG(1), S(ADD, 0, 0, 0), STORE(8), ARG(5), STORE(8), ARG(0), STORE(4),
			   ARG(5), STORE(8), RESULT(0), STORE(4)),
	};
	unsigned int kind, bit, i;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		struct lt_call_fn *fn = begin(test, &kinds[kind], 0);
		struct lt_call_data *d = data_of(test, fn);
		u8 (*expected)[32] = kunit_kcalloc(test, 64, sizeof(*expected), GFP_KERNEL);

		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, expected);
		KUNIT_ASSERT_EQ(test, fn->plain, !kind);
		for (bit = 0; bit < 64; bit++) {
			u64 one = (bit & 1 ? -1ULL : 1ULL) << bit, other = BIT_ULL(bit) - 1;
			u32 result = ~other;

			lt_test_set_arg(&regs, 0, one);
			lt_test_set_arg(&regs, 1, one);
			lt_test_set_arg(&regs, 5, other);
			memcpy(expected[bit], &one, 8);
			memcpy(expected[bit] + 8, &other, 8);
			memcpy(expected[bit] + 16, &one, 4);
			memcpy(expected[bit] + 20, &other, 8);
			memcpy(expected[bit] + 28, &result, 4);
			lt_test_set_result(&regs, 0, ~other);
			KUNIT_ASSERT_TRUE(test, enter(fn, d, 0x8000));
			leave_after(d, 1);
		}
		read_records(test);
		KUNIT_ASSERT_EQ(test, n_records, (size_t)64);
		for (i = 0; i < 64; i++)
			lt_test_expect_short(test, &records[i], expected[i], sizes, 5);
		lt_call_close();
		lt_channel_close(&lt_channel_call);
		KUNIT_ASSERT_EQ(test, lt_channel_open(&lt_channel_call, NULL, SUBBUF_SIZE,
						      N_SUBBUFS, 5), 0);
	}
}

static const struct lt_test_steps plain = BOTH_STEPS(2, ARG(0), STORE(8), RESULT(0), STORE(8));
static const struct lt_test_steps slow = BOTH_STEPS(3, ARG(0), S(ADD, 0, 0, 1), STORE(8), RESULT(0),
						 STORE(8));

/* Of one call that took so many units: its duration. */
static u64 duration_after(struct kunit *test, const struct lt_test_steps *s, u64 min, u64 units)
{
	struct lt_call_fn *fn = begin(test, s, min);
	struct lt_call_data *d = data_of(test, fn);
	u64 duration = 0;

	KUNIT_ASSERT_TRUE(test, enter(fn, d, 0x8000));
	leave_after(d, units);
	read_records(test);
	KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).returned, 1ULL);
	KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).filtered, (u64)!n_records);
	if (n_records && records[0].id >= LT_EV_CALL_SHORT_0)
		duration = ((const struct lt_rec_CALL_SHORT_0 *)records[0].payload)->duration;
	else if (n_records && records[0].id < LT_EV_CALL_WIDE_0)
		duration = ((const struct lt_rec_CALL_0 *)records[0].payload)->duration;
	else if (n_records)
		duration = ((const struct lt_rec_CALL_WIDE_0 *)records[0].payload)->duration;
	lt_call_close();
	lt_channel_close(&lt_channel_call);
	KUNIT_ASSERT_EQ(test, lt_channel_open(&lt_channel_call, NULL, SUBBUF_SIZE, N_SUBBUFS, 5),
			0);
	return duration;
}

static void durations_are_whole(struct kunit *test)
{
	static const u64 some[] = { 0, BIT_ULL(15), BIT_ULL(16) - 1, BIT_ULL(16), 3 * BIT_ULL(29),
				    BIT_ULL(31), BIT_ULL(32) - 1, BIT_ULL(32), BIT_ULL(50) };
	/* Below 2^32 and so near that a call which is not much longer has more than 32 bits. */
	u64 min = lt_mul_div(BIT_ULL(32) - 1000, NSEC_PER_SEC, lt_clock_freq());
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(some); i++) {
		u64 d = duration_after(test, &plain, 0, some[i]);
		u64 of_slow = duration_after(test, &slow, 0, some[i]);

		KUNIT_EXPECT_GE(test, d, some[i]);
		KUNIT_EXPECT_LT(test, d, some[i] + BIT_ULL(30));
		KUNIT_EXPECT_GE(test, of_slow, some[i]);
		KUNIT_EXPECT_LT(test, of_slow, some[i] + BIT_ULL(30));
	}
	KUNIT_EXPECT_GE(test, duration_after(test, &plain, min, BIT_ULL(32)), BIT_ULL(32));
}

static void short_calls_are_left_out(struct kunit *test)
{
	static const struct lt_test_steps * const kinds[] = { &plain, &slow };
	u64 second = lt_clock_freq();
	unsigned int i;

	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, duration_after(test, kinds[i], 100 * NSEC_PER_SEC,
						     50 * second), 0ULL);
		KUNIT_EXPECT_GE(test, duration_after(test, kinds[i], 100 * NSEC_PER_SEC,
						     101 * second), 101 * second);
		KUNIT_EXPECT_EQ(test, duration_after(test, kinds[i], U64_MAX, 50 * second), 0ULL);
		/* A clock that has gone back: it took no time, which is less. */
		KUNIT_EXPECT_EQ(test, duration_after(test, kinds[i], 1000, -BIT_ULL(40)), 0ULL);
	}
}

static void what_tests_leave_out_is_counted(struct kunit *test)
{
	static const struct lt_test_steps s = BOTH_STEPS(4,
		CONST(3), LIMIT, ARG(0), S(TEST, 0, LT_CALL_EQ, 0),
		CONST(0), LIMIT, RESULT(0), S(TEST, 0, LT_CALL_LT, 0), STORE(4));
	struct lt_call_fn *fn = begin(test, &s, 0);
	struct lt_call_data *d = data_of(test, fn);
	struct lt_call_counts c;
	int i;

	for (i = 0; i < 6; i++) {
		lt_test_set_arg(&regs, 0, i);
		KUNIT_EXPECT_EQ(test, enter(fn, d, 0x8000), i == 3);
	}
	lt_test_set_arg(&regs, 0, 3);
	for (i = -2; i < 2; i++) {
		lt_test_set_result(&regs, 0, i);
		KUNIT_ASSERT_TRUE(test, enter(fn, d, 0x8000));
		leave_after(d, 1);
	}
	read_records(test);
	c = lt_call_counts_sum(fn);
	KUNIT_EXPECT_EQ(test, n_records, (size_t)2);
	KUNIT_EXPECT_EQ(test, c.entered, 5ULL);	/* one of the first six did not return */
	KUNIT_EXPECT_EQ(test, c.returned, 4ULL);
	KUNIT_EXPECT_EQ(test, c.filtered, 7ULL);
	KUNIT_EXPECT_EQ(test, c.missed, 0ULL);
	KUNIT_EXPECT_EQ(test, lt_test_call_counted().filtered, 7ULL);
	KUNIT_EXPECT_EQ(test, lt_test_call_counted().seen, 9ULL);
}

static void a_call_that_does_not_return_is_written(struct kunit *test)
{
	static const struct lt_test_steps s = {
		.n_entry = 2, .flags = LT_CALL_NO_RETURN, .step = { ARG(0), STORE(4) },
	};
	static const u8 four = 4;
	struct lt_call_fn *fn = begin(test, &s, 0);
	struct lt_call_data *d = data_of(test, fn);

	lt_test_set_arg(&regs, 0, 0x77);
	KUNIT_EXPECT_FALSE(test, enter(fn, d, 0x8000));
	read_records(test);
	KUNIT_ASSERT_EQ(test, n_records, (size_t)1);
	lt_test_expect_short(test, &records[0], (const u8 *)"\x77\0\0", &four, 1);
	KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).entered, 1ULL);
	KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).returned, 1ULL);
}

/* What could not be read, of entry and return, and texts that are cut. */
static void marks_come_into_the_wide_form(struct kunit *test)
{
	static const struct lt_test_steps s = BOTH_STEPS(6,
		CONST(16), S(KEEP, 0, 0, 0), S(READ, 4, 0, 0), STORE(4), S(KEEP, 0, 7, 0), STORE(1),
		RESULT(0), S(TEXT, 4, 0, 0), S(LOADK, 0, 0, 0), S(TEXT, 4, 0, 0));
	struct lt_call_fn *fn = begin(test, &s, 0);
	struct lt_call_data *d = data_of(test, fn);
	const struct lt_rec_CALL_WIDE_32 *r;
	static const char text[] = "a longer text";

	lt_test_set_result(&regs, 0, (unsigned long)text);
	KUNIT_ASSERT_TRUE(test, enter(fn, d, 0x8000));
	leave_after(d, 5);
	read_records(test);
	KUNIT_ASSERT_EQ(test, n_records, (size_t)1);
	KUNIT_ASSERT_EQ(test, records[0].id, LT_EV_CALL_WIDE_32);
	r = records[0].payload;
	KUNIT_EXPECT_EQ(test, r->unread, 0xbU);
	KUNIT_EXPECT_EQ(test, r->cut, 4U);
	KUNIT_EXPECT_EQ(test, memcmp(r->values, "\0\0\0\0\0a l\0\0", 10), 0);
}

/* ------------------------------------------------------------------------
 * Which calls are let in
 */

/* In a context that must not be interrupted by the channel itself. */
static void after_the_stop_nothing_is_let_in(struct kunit *test)
{
	struct lt_call_fn *fn = begin(test, &plain, 0);
	struct lt_call_data *a = data_of(test, fn), *b = data_of(test, fn);

	KUNIT_ASSERT_TRUE(test, enter(fn, a, 0x8000));
	lt_call_stopping();
	KUNIT_EXPECT_FALSE(test, enter(fn, b, 0x7000));
	leave_after(a, 1);
	read_records(test);
	KUNIT_EXPECT_EQ(test, n_records, (size_t)1);
	KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).entered, 1ULL);
}

static void calls_in_nmi_are_missed(struct kunit *test)
{
	struct lt_call_fn *fn = begin(test, &plain, 0);
	struct lt_call_data *d = data_of(test, fn);
	bool awaited;

	preempt_disable();
	preempt_count_add(NMI_OFFSET);
	awaited = !lt_call_in_nmi(fn) && !lt_call_enter(fn, d, &regs, 0x8000);
	preempt_count_sub(NMI_OFFSET);
	preempt_enable();
	KUNIT_EXPECT_FALSE(test, awaited);
	KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).missed, 1ULL);
	KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).entered, 0ULL);
}

/* A bit for each context: an interrupt on top of the channel is not the channel. */
static void the_channel_does_not_let_itself_in(struct kunit *test)
{
	struct lt_call_fn *fn = begin(test, &slow, 0);
	struct lt_call_data *d = data_of(test, fn);
	bool in_task, in_clock, in_hardirq;
	unsigned long flags;

	local_irq_save(flags);
	this_cpu_write(lt_call_inside, 1);
	in_task = !lt_call_enter(fn, d, &regs, 0x8000);
	fn->plain = true;	/* called where the clock is read */
	this_cpu_write(lt_call_clocks, 3);
	in_clock = !lt_call_enter(fn, d, &regs, 0x8000);
	this_cpu_write(lt_call_clocks, 0);
	fn->plain = false;
	preempt_count_add(HARDIRQ_OFFSET);
	in_hardirq = !lt_call_enter(fn, d, &regs, 0x8000);
	preempt_count_sub(HARDIRQ_OFFSET);
	KUNIT_EXPECT_EQ(test, this_cpu_read(lt_call_inside), 1);
	this_cpu_write(lt_call_inside, 0);
	local_irq_restore(flags);
	KUNIT_EXPECT_FALSE(test, in_task);
	KUNIT_EXPECT_FALSE(test, in_clock);
	KUNIT_EXPECT_TRUE(test, in_hardirq);
	KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).missed, 2ULL);
	KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).entered, 1ULL);
}

static void without_a_set_nothing_is_attached(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, lt_call_open(), 0);
	KUNIT_EXPECT_PTR_EQ(test, lt_call_used, NULL);
	KUNIT_EXPECT_EQ(test, lt_call_attach(), -ENODATA);
	lt_call_close();
}

static struct kunit_case call_cases[] = {
	KUNIT_CASE(each_size_has_its_form),
	KUNIT_CASE(plain_values_are_registers),
	KUNIT_CASE(short_records_hold_all_values),
	KUNIT_CASE(durations_are_whole),
	KUNIT_CASE(short_calls_are_left_out),
	KUNIT_CASE(what_tests_leave_out_is_counted),
	KUNIT_CASE(a_call_that_does_not_return_is_written),
	KUNIT_CASE(marks_come_into_the_wide_form),
	KUNIT_CASE(after_the_stop_nothing_is_let_in),
	KUNIT_CASE(calls_in_nmi_are_missed),
	KUNIT_CASE(the_channel_does_not_let_itself_in),
	KUNIT_CASE(without_a_set_nothing_is_attached),
	{}
};

struct kunit_suite lt_call_suite = {
	.name = "lifetrace_call",
	.init = call_test_init,
	.exit = lt_test_call_exit,
	.test_cases = call_cases,
};

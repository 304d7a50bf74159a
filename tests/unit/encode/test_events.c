// SPDX-License-Identifier: GPL-2.0
/*
 * Every event of every channel, in both byte orders: what is given to the encoder is what the
 * reader's decoder finds in each field. System calls, paths and the values of calls in all forms.
 */
#include "base/byteorder.h"
#include "encode/internal.h"
#include "encodetest.h"

#define PACKET	(64 << 10)

static const bool host_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
static uint64_t state;

static uint64_t rnd(void)
{
	return et_random(&state);
}

struct run {
	struct et t;
	struct lt_encoder e;
};

static void begin(struct run *run, unsigned int channel, bool big)
{
	const struct lt_encode_machine machine = et_machine(big);

	et_init(&run->t);
	lt_encoder_init(&run->e, &machine, channel, 2, PACKET, et_take, &run->t);
}

static void end(struct run *run)
{
	struct lt_record r, task = { 0 };

	assert_false(et_next_event(&run->t, &r, &task));
	et_assert_conserved(&run->t);
	lt_encoder_destroy(&run->e);
	et_free(&run->t);
}

/* ------------------------------------------------------------------------
 * Events with one form
 */

/* Those that refer to nothing in their packet, and are no announcement of a task. */
static bool is_plain(const struct lt_event_desc *d)
{
	return !d->has_site && !d->has_task;
}

/* A field has the value that the struct had, which was in this machine's byte order. */
static void check_field(const struct et *t, const struct lt_record *r, const struct lt_field *f,
			const uint8_t *rec)
{
	if (f->type == LT_TYPE_CHARS) {
		assert_memory_equal(r->payload + f->offset, rec + f->offset, f->size);
		return;
	}
	for (unsigned int i = 0; i < f->count; i++) {
		uint32_t at = f->offset + i * f->size;

		assert_int_equal(lt_get_uint(r->payload + at, f->size, et_packet(t)->big),
				 lt_get_uint(rec + at, f->size, host_big));
	}
}

static void all_events(unsigned int channel, bool big)
{
	static uint8_t recs[64][8192];
	struct lt_record r, task = { 0 };
	uint64_t time = 1000;
	struct run run;

	begin(&run, channel, big);
	for (unsigned int id = 1; id < 63; id++) {
		const struct lt_event_desc *d = lt_schema_event(run.t.schema, LT_EV(channel, id));

		if (!d || !is_plain(d))
			continue;
		assert_int_equal(d->size, lt_encode_size(LT_EV(channel, id)));
		for (size_t i = 0; i < d->size; i++)
			recs[id][i] = (uint8_t)rnd();
		time += rnd() % 2 ? 10 : 1U << 25;
		lt_encode_record(&run.e, time, id % 3, LT_EV(channel, id), recs[id]);
	}
	lt_encode_last(&run.e, time);
	while (et_next_event(&run.t, &r, &task)) {
		assert_int_equal(r.context, LT_EV_ID(r.desc->id) % 3);
		for (unsigned int i = 0; i < r.desc->n_fields; i++)
			check_field(&run.t, &r, &r.desc->fields[i], recs[LT_EV_ID(r.desc->id)]);
	}
	end(&run);
}

static void test_all(void **arg)
{
	(void)arg;
	state = 7;
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++)
		for (unsigned int i = 0; i < 20; i++)
			all_events(channel, i % 2);
}

/* ------------------------------------------------------------------------
 * System calls
 */

#define CALLS	3000

static uint64_t argument(void)
{
	static const uint64_t values[] = {
		0, UINT64_MAX, (1ULL << 47) - 1, 1ULL << 47, -(1ULL << 47), -(1ULL << 47) - 1, 5,
	};

	return rnd() % 4 ? rnd() % 1000 : values[rnd() % 7];
}

static void make_sys(struct lt_encode_sys *s)
{
	static const int32_t numbers[] = { -1, 0, UINT16_MAX, UINT16_MAX + 1, INT32_MIN };
	static const int64_t results[] = { 0, -4, INT32_MAX, INT32_MAX + 1LL, INT64_MIN };

	*s = (struct lt_encode_sys){
		.nr = rnd() % 8 ? (int32_t)(rnd() % 400) : numbers[rnd() % 5],
		.flags = (uint8_t)(rnd() & 0x7f),
		.duration = rnd() % 8 ? rnd() % 5000 : rnd() % 2 ? UINT32_MAX : 1ULL << 32,
		.result = rnd() % 8 ? (int64_t)(rnd() % 400) : results[rnd() % 5],
		.n = (unsigned int)(rnd() % 7),
	};
	for (unsigned int i = 0; i < s->n; i++)
		s->args[i] = argument();
}

static void check_sys(const struct et *t, const struct lt_record *r, const struct lt_encode_sys *s,
		      bool *wide)
{
	char name[8];

	assert_string_equal(r->desc->name, "sys");
	assert_int_equal((int32_t)et_value(t, r, "nr"), s->nr);
	assert_int_equal(et_value(t, r, "flags"), s->flags);
	assert_int_equal(et_value(t, r, "duration"), s->duration);
	assert_int_equal(et_value(t, r, "result"), s->result);
	for (unsigned int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "arg%u", i);
		assert_int_equal(!!lt_schema_field(r->desc, name), i < s->n);
		if (i < s->n)
			assert_int_equal(et_value(t, r, name), s->args[i]);
	}
	wide[LT_EV_ID(r->desc->id) >= LT_EV_ID(LT_EV_SYS_WIDE_0)] = true;
}

static void test_sys(void **arg)
{
	static struct lt_encode_sys calls[CALLS];
	bool wide[2] = { false };

	(void)arg;
	state = 5;
	for (unsigned int big = 0; big < 2; big++) {
		const struct lt_encode_task task = { .tid = 5, .tgid = 4, .start = 3, .comm = "sh" };
		struct lt_record r, got = { 0 };
		struct run run;

		begin(&run, LT_CHANNEL_SYSCALL, big);
		lt_encode_run(&run.e, &task);
		for (unsigned int i = 0; i < CALLS; i++) {
			make_sys(&calls[i]);
			lt_encode_sys(&run.e, 1000 + 7 * i, LT_CTX_TASK, &calls[i]);
		}
		lt_encode_last(&run.e, 1000 + 7 * CALLS);
		assert_true(run.t.n > 1);
		for (unsigned int i = 0; i < CALLS; i++) {
			assert_true(et_next_event(&run.t, &r, &got));
			assert_int_equal(r.time, 1000 + 7 * i);
			check_sys(&run.t, &r, &calls[i], wide);
			assert_string_equal(got.desc->name, "syscall_task");
			assert_int_equal(et_value(&run.t, &got, "tid"), 5);
		}
		end(&run);
	}
	assert_true(wide[0] && wide[1]);
}

static void check_text(const struct et *t, const struct lt_record *r,
		       const struct lt_encode_text *want, bool more)
{
	const struct lt_field *f = lt_schema_field(r->desc, want->addr ? "bytes" : "text");

	assert_string_equal(r->desc->name, want->addr ? "sys_addr" : "sys_str");
	assert_int_equal(et_value(t, r, "arg"), want->arg);
	assert_int_equal(et_value(t, r, "element"), want->element);
	assert_int_equal(et_value(t, r, "size"), want->size);
	assert_int_equal(et_value(t, r, "flags"), want->flags | (more ? LT_SYS_TEXT_MORE : 0));
	assert_non_null(f);
	assert_memory_equal(r->payload + f->offset, want->bytes, want->size);
}

/* Texts of each size stand behind their call, in its packet and with its time. */
static void test_texts(void **arg)
{
	static const uint8_t sizes[] = { 0, 16, 17, 32, 33, 64, 65, 128, 129, 255 };
	struct lt_encode_text texts[10];
	struct lt_encode_sys sys = { .nr = 1, .flags = LT_SYS_FIRST, .texts = texts };
	struct lt_rec_SYS_BEGIN exec = { .nr = 59, .arg5 = 9 };
	uint8_t bytes[255];
	struct lt_record r, task = { 0 };
	struct run run;

	(void)arg;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i + 1);
	for (unsigned int i = 0; i < 10; i++)
		texts[i] = (struct lt_encode_text){
			.arg = (uint8_t)(i % 6), .element = (uint8_t)i, .flags = LT_SYS_TEXT_CUT,
			.addr = i % 3 == 1 && sizes[i] <= 128, .size = sizes[i], .bytes = bytes,
		};
	begin(&run, LT_CHANNEL_SYSCALL, false);
	for (unsigned int i = 0; i < 200; i++) {
		sys.n_texts = i % 11;
		lt_encode_sys(&run.e, 1000 + i, LT_CTX_TASK, &sys);
		lt_encode_sys_begin(&run.e, 1000 + i, LT_CTX_TASK, &exec, texts, sys.n_texts);
	}
	lt_encode_last(&run.e, 2000);
	assert_true(run.t.n > 1);
	for (unsigned int i = 0; i < 400; i++) {
		size_t n = i / 2 % 11, packet;

		assert_true(et_next_event(&run.t, &r, &task));
		packet = run.t.at;
		assert_string_equal(r.desc->name, i % 2 ? "sys_begin" : "sys");
		assert_int_equal(et_value(&run.t, &r, "flags"), (i % 2 ? 0 : LT_SYS_FIRST) |
				 (n ? LT_SYS_TEXTS : 0));
		for (size_t k = 0; k < n; k++) {
			assert_true(et_next_event(&run.t, &r, &task));
			assert_int_equal(r.time, 1000 + i / 2);
			assert_int_equal(run.t.at, packet);
			check_text(&run.t, &r, &texts[k], k + 1 < n);
		}
	}
	end(&run);
}

/* More texts than a call may have: the others are left out, and counted so. */
static void test_many_texts(void **arg)
{
	static struct lt_encode_text texts[100];
	const struct lt_encode_sys sys = { .nr = 1, .texts = texts, .n_texts = 100 };
	struct lt_record r, task = { 0 };
	struct lt_class_counts c;
	unsigned int n = 0;
	struct run run;

	(void)arg;
	for (unsigned int i = 0; i < 100; i++)
		texts[i] = (struct lt_encode_text){ .size = 200, .bytes = texts };
	begin(&run, LT_CHANNEL_SYSCALL, false);
	lt_encode_sys(&run.e, 1000, LT_CTX_TASK, &sys);
	lt_encode_last(&run.e, 2000);
	assert_true(et_next_event(&run.t, &r, &task));
	while (et_next_event(&run.t, &r, &task))
		n++;
	assert_int_equal(n, LT_ENCODE_TEXT_BYTES / (4 + sizeof(struct lt_rec_SYS_STR_256)));
	c = lt_packet_counts(&run.t.packets[0], LT_CLASS_INDEX(LT_CLASS_SYS_STR));
	assert_int_equal(c.seen, 100);
	assert_int_equal(c.filtered, 100 - n);
	end(&run);
}

/* ------------------------------------------------------------------------
 * Paths, and values of function calls
 */

static void test_paths(void **arg)
{
	static const size_t lengths[] = { 0, 1, 55, 56, 57, 255, 256, 257, 4095, 4096, 5000 };
	static const uint16_t forms[] = { 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2 };
	char path[5001];
	struct lt_record r, task = { 0 };

	(void)arg;
	for (unsigned int big = 0; big < 2; big++) {
		struct run run;

		begin(&run, LT_CHANNEL_PID, big);
		for (size_t i = 0; i < 11; i++) {
			memset(path, 'x', lengths[i]);
			path[lengths[i]] = 0;
			lt_encode_exec(&run.e, 1000, LT_CTX_TASK, &(struct lt_rec_EXEC){
				       .tid = 1, .start = 2, .old_tid = 3, .old_start = 4,
				       .file = "not this one" }, path);
			lt_encode_state(&run.e, 1000, LT_CTX_TASK, &(struct lt_rec_STATE){
					.epoch = 5, .tid = 6, .cgroup = 7, .comm = "sh" }, path);
		}
		lt_encode_last(&run.e, 1000);
		for (size_t i = 0; i < 11; i++) {
			memset(path, 'x', lengths[i]);
			path[lengths[i] < 4096 ? lengths[i] : 4096] = 0;
			assert_true(et_next_event(&run.t, &r, &task));
			assert_int_equal(r.desc->id, LT_EV_EXEC + forms[i]);
			assert_int_equal(et_value(&run.t, &r, "old_start"), 4);
			et_assert_text(&r, "file", path);
			assert_true(et_next_event(&run.t, &r, &task));
			assert_int_equal(r.desc->id, LT_EV_STATE + forms[i]);
			assert_int_equal(et_value(&run.t, &r, "cgroup"), 7);
			et_assert_text(&r, "comm", "sh");
			et_assert_text(&r, "file", path);
		}
		end(&run);
	}
}

/* The smallest form that has room for the values, with zeros behind them. */
static void test_calls(void **arg)
{
	struct lt_record r, task = { 0 };
	uint8_t bytes[256];
	struct run run;

	(void)arg;
	memset(bytes, 0xaa, sizeof(bytes));
	begin(&run, LT_CHANNEL_CALL, true);
	for (unsigned int i = 0; i <= 2 * 256 + 1; i++)
		lt_encode_call(&run.e, 1000 + i, LT_CTX_SOFTIRQ, &(struct lt_encode_call){
			       .function = 7, .depth = 8, .duration = i % 2 ? 1ULL << 32 : 9,
			       .bytes = bytes, .size = i / 2 });
	lt_encode_last(&run.e, 9000);
	for (unsigned int i = 0; i <= 2 * 256 + 1; i++) {
		const struct lt_field *f;

		assert_true(et_next_event(&run.t, &r, &task));
		f = lt_schema_field(r.desc, "values");
		assert_int_equal(et_value(&run.t, &r, "function"), 7);
		assert_int_equal(et_value(&run.t, &r, "duration"), i % 2 ? 1ULL << 32 : 9);
		assert_int_equal(!!f, i / 2 != 0);
		for (unsigned int k = 0; f && k < f->count; k++)
			assert_int_equal(r.payload[f->offset + k], k < i / 2 ? 0xaa : 0);
		/* The next smaller form would not do. */
		assert_true(!f || i % 2 || f->count < 8 || f->count - i / 2 < 64);
	}
	end(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all), cmocka_unit_test(test_sys),
		cmocka_unit_test(test_texts), cmocka_unit_test(test_many_texts),
		cmocka_unit_test(test_paths), cmocka_unit_test(test_calls),
	};

	return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The encoder chooses the smallest form of what announces a task or a site, and of the event of an
 * exit.
 */
#include "encodetest.h"

struct run {
	struct lt_encoder e;
	struct et t;
};

static void begin(struct run *r, bool big)
{
	const struct lt_encode_machine machine = et_machine(big);

	et_init(&r->t);
	lt_encoder_init(&r->e, &machine, LT_CHANNEL_KMEM, 0, LT_ENCODE_MIN_PACKET, et_take, &r->t);
}

static void end(struct run *r)
{
	struct lt_record rec;

	assert_false(et_next(&r->t, &rec));
	et_assert_conserved(&r->t);
	lt_encoder_destroy(&r->e);
	et_free(&r->t);
}

/* The id by which the next record was written. */
static unsigned int next(struct run *r, struct lt_record *rec)
{
	assert_true(et_next(&r->t, rec));
	return (rec->brief ? rec->brief : rec->desc)->id;
}

static void expect_task(struct run *r, const struct lt_encode_task *task, unsigned int id)
{
	struct lt_record rec;
	char comm[17] = "";

	memcpy(comm, task->comm, 16);
	assert_int_equal(next(r, &rec), id);
	assert_int_equal(et_value(&r->t, &rec, "tid"), task->tid);
	assert_int_equal(et_value(&r->t, &rec, "tgid"), task->tgid);
	assert_int_equal(et_value(&r->t, &rec, "start"), task->start);
	assert_int_equal(et_value(&r->t, &rec, "flags"), task->flags);
	et_assert_text(&rec, "comm", comm);
	assert_int_equal(next(r, &rec), LT_EV_MARKER);
}

/* Values at the bounds of the narrow form, and one beyond each. */
static void test_tasks(void **state)
{
	static const struct {
		struct lt_encode_task task;
		unsigned int id;
	} all[] = {
		{ { 0xffffff, 0xffffff, 0xffffffffffffffULL, 3, "eight..8" }, LT_EV_TASK_NARROW },
		{ { 1, 1, 0, 0, "" }, LT_EV_TASK_NARROW },
		{ { 0x1000000, 5, 5, 0, "a" }, LT_EV_TASK },
		{ { 5, 0x1000000, 5, 0, "a" }, LT_EV_TASK },
		{ { 5, 5, 0x100000000000000ULL, 0, "a" }, LT_EV_TASK },
		{ { 5, 5, 5, 0, "nine....9" }, LT_EV_TASK },
		{ { 5, 5, 5, 0, "sixteen.......16" }, LT_EV_TASK },
	};

	(void)state;
	for (int big = 0; big < 2; big++) {
		struct run r;

		begin(&r, big);
		for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
			lt_encode_run(&r.e, &all[i].task);
			LT_ENCODE(&r.e, 1000 + i, LT_CTX_TASK, MARKER, .text = "x");
		}
		lt_encode_last(&r.e, 1100);
		for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
			expect_task(&r, &all[i].task, all[i].id);
		end(&r);
	}
}

static void put_exit(struct run *r, uint64_t time, const struct lt_encode_task *task)
{
	LT_ENCODE(&r->e, time, LT_CTX_TASK, TASK_EXIT, .tid = task->tid, .tgid = task->tgid,
		  .start = task->start, .group_dead = 1);
}

static void expect_exit(struct run *r, const struct lt_encode_task *task, unsigned int id)
{
	struct lt_record rec;

	assert_int_equal(next(r, &rec), id);
	assert_int_equal(rec.desc->id, LT_EV_TASK_EXIT);
	assert_int_equal(et_value(&r->t, &rec, "tid"), task->tid);
	assert_int_equal(et_value(&r->t, &rec, "tgid"), task->tgid);
	assert_int_equal(et_value(&r->t, &rec, "start"), task->start);
	assert_int_equal(et_value(&r->t, &rec, "group_dead"), 1);
}

/* The number is enough of the running task, and of no other one, in a new packet, too. */
static void test_exits(void **state)
{
	static const struct lt_encode_task a = { 17, 16, 500, 0, "short" };
	static const struct lt_encode_task b = { 18, 18, 600, 0, "a longer name" };
	static const struct lt_encode_task others[] = {
		{ 18, 16, 500, 0, "" }, { 17, 17, 500, 0, "" }, { 17, 16, 501, 0, "" },
	};

	(void)state;
	for (int big = 0; big < 2; big++) {
		struct lt_record rec;
		struct run r;

		begin(&r, big);
		put_exit(&r, 999, &a);
		for (unsigned int k = 0; k < 2; k++) {
			lt_encode_run(&r.e, &b);
			put_exit(&r, 1000, &b);
			lt_encode_run(&r.e, &a);
			put_exit(&r, 1001, &a);
			for (size_t i = 0; i < 3; i++)
				put_exit(&r, 1002, &others[i]);
			lt_encode_end(&r.e, 1003);
		}
		lt_encode_last(&r.e, 1100);
		expect_exit(&r, &a, LT_EV_TASK_EXIT);
		for (unsigned int k = 0; k < 2; k++) {
			assert_int_equal(next(&r, &rec), LT_EV_TASK);
			expect_exit(&r, &b, LT_EV_TASK_EXIT_SHORT);
			assert_int_equal(next(&r, &rec), LT_EV_TASK_NARROW);
			expect_exit(&r, &a, LT_EV_TASK_EXIT_SHORT);
			for (size_t i = 0; i < 3; i++)
				expect_exit(&r, &others[i], LT_EV_TASK_EXIT);
		}
		end(&r);
	}
}

static void expect_object(struct run *r, const struct lt_encode_object *o, unsigned int id)
{
	struct lt_record rec;
	struct lt_event ev;

	assert_int_equal(next(r, &rec), id);
	next(r, &rec);
	lt_decode(et_packet(&r->t), &rec, &ev);
	assert_int_equal(ev.class, o->class);
	assert_int_equal(ev.ptr, o->ptr);
	assert_int_equal(ev.call_site, o->call_site);
	assert_int_equal(ev.bytes_req, o->bytes_req);
	assert_int_equal(ev.bytes_alloc, o->bytes_alloc);
	assert_int_equal(ev.gfp, o->gfp);
	assert_int_equal(ev.cache, o->cache);
	if (o->class == LT_CLASS_KMALLOC || o->class == LT_CLASS_CACHE_ALLOC)
		assert_int_equal(ev.node, o->node);
}

#define BIRTH(...)	{ .class = LT_CLASS_KMALLOC, .ptr = PTR + 64, .call_site = TEXT + 64,	\
			  .gfp = 0xffffffff, __VA_ARGS__ }
#define OF(CLASS, ...)	{ .class = LT_CLASS_##CLASS, .ptr = PTR + 64, .call_site = TEXT + 64,	\
			  __VA_ARGS__ }

static void test_sites(void **state)
{
	static const struct {
		struct lt_encode_object o;
		unsigned int id;
	} all[] = {
		{ BIRTH(.bytes_req = 65535, .bytes_alloc = 65535, .node = 127), LT_EV_SITE_NARROW },
		{ BIRTH(.bytes_req = 1, .bytes_alloc = 8, .node = -128), LT_EV_SITE_NARROW },
		{ BIRTH(.bytes_req = 65535, .bytes_alloc = 65536, .node = -1), LT_EV_SITE },
		{ BIRTH(.bytes_req = 65536, .bytes_alloc = 65535, .node = -1), LT_EV_SITE },
		{ BIRTH(.bytes_req = 1, .bytes_alloc = 8, .node = 128), LT_EV_SITE },
		{ BIRTH(.bytes_req = 1, .bytes_alloc = 8, .node = -129), LT_EV_SITE },
		{ OF(CACHE_ALLOC, .cache = 65535, .gfp = 0xcc0, .node = -1), LT_EV_SITE_NARROW },
		{ OF(KFREE, .cache = 0), LT_EV_SITE_FREE },
		{ OF(CACHE_FREE, .cache = 65535), LT_EV_SITE_FREE },
		/* A birth of which all is 0 has a site that a free may have. */
		{ OF(CACHE_ALLOC, .cache = 7), LT_EV_SITE_FREE },
	};

	(void)state;
	for (int big = 0; big < 2; big++) {
		struct run r;

		begin(&r, big);
		for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
			lt_encode_object(&r.e, 1000 + i, LT_CTX_TASK, &all[i].o);
		lt_encode_last(&r.e, 1100);
		for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
			expect_object(&r, &all[i].o, all[i].id);
		end(&r);
	}
}

/* With a stack, a site is written whole. */
static void test_stacks(void **state)
{
	const uint64_t frames[] = { TEXT + 64, TEXT + 128 };
	const struct lt_encode_stack stack = { .n = 2, .frames = frames };
	const struct lt_encode_object o = OF(KFREE, .stack = &stack);
	struct lt_record rec;
	struct run r;

	(void)state;
	begin(&r, false);
	lt_encode_object(&r.e, 1000, LT_CTX_TASK, &o);
	lt_encode_last(&r.e, 1100);
	assert_int_equal(next(&r, &rec), LT_EV_STACK);
	expect_object(&r, &o, LT_EV_SITE);
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_exits),
		cmocka_unit_test(test_sites),
		cmocka_unit_test(test_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

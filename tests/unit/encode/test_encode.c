// SPDX-License-Identifier: GPL-2.0
/*
 * What the encoder writes, the reader's decoder reads: random events of objects in all forms, with
 * tasks and stacks, in both byte orders; losses, and the limits of packets.
 */
#include "base/byteorder.h"
#include "encodetest.h"

#define EVENTS		20000
#define CPU		3
#define PACKET		(16 << 10)

/* An event of the model. @frames: of its stack. */
struct model {
	struct lt_encode_object o;
	uint64_t time;
	unsigned int context;
	struct lt_encode_task task;
	bool has_task;
	struct lt_encode_stack stack;
	uint64_t frames[LT_STACK_FRAMES];
};

static uint64_t state;

static uint64_t rnd(void)
{
	return et_random(&state);
}

static uint64_t one_of(const uint64_t *values, size_t n)
{
	return values[rnd() % n];
}

#define ONE_OF(...)	one_of((const uint64_t[]){ __VA_ARGS__ },			\
			       sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static unsigned int class_of_random(void)
{
	return (unsigned int)ONE_OF(LT_CLASS_KMALLOC, LT_CLASS_CACHE_ALLOC, LT_CLASS_BULK_ALLOC,
				    LT_CLASS_KFREE, LT_CLASS_CACHE_FREE, LT_CLASS_BULK_FREE,
				    LT_CLASS_RCU_FREE, LT_CLASS_PAGE_ALLOC, LT_CLASS_PAGE_BULK,
				    LT_CLASS_PAGE_FREE, LT_CLASS_PAGE_BATCHED);
}

static bool of_pages(unsigned int class)
{
	return class == LT_CLASS_PAGE_ALLOC || class == LT_CLASS_PAGE_BULK ||
	       class == LT_CLASS_PAGE_FREE || class == LT_CLASS_PAGE_BATCHED;
}

static bool has_request(unsigned int class)
{
	return class == LT_CLASS_KMALLOC || class == LT_CLASS_CACHE_ALLOC ||
	       class == LT_CLASS_BULK_ALLOC || class == LT_CLASS_PAGE_ALLOC ||
	       class == LT_CLASS_PAGE_BULK;
}

static bool has_cache(unsigned int class)
{
	return class == LT_CLASS_CACHE_ALLOC || class == LT_CLASS_BULK_ALLOC ||
	       class == LT_CLASS_CACHE_FREE || class == LT_CLASS_BULK_FREE;
}

/* Mostly of a few places, as in a kernel; else at the limits of each form. */
static void make_values(struct lt_encode_object *o)
{
	o->call_site = TEXT + 64 * (rnd() % 200) + 64;
	o->ptr = PTR + rnd() % (1ULL << 40);
	if (rnd() % 4)
		o->ptr &= ~7ULL;
	o->bytes_req = 8 * (o->call_site / 64 % 16);
	o->bytes_alloc = o->bytes_req + 8;
	o->gfp = 0xcc0;
	o->node = -1;
	o->cache = (uint16_t)(o->call_site / 64 % 50);
	if (rnd() % 8)
		return;
	o->ptr = ONE_OF(PTR, PTR - 1, PTR + (1ULL << 40) - 1, PTR + (1ULL << 40), 0, 16, UINT64_MAX);
	o->call_site = ONE_OF(0, TEXT, TEXT + 1, TEXT - 1, TEXT + UINT32_MAX, 5,
			      TEXT + UINT32_MAX + 1ULL);
	o->bytes_req = ONE_OF(0, 1, UINT16_MAX, UINT16_MAX + 1, UINT32_MAX, UINT32_MAX + 1ULL);
	o->bytes_alloc = ONE_OF(0, 1, UINT16_MAX, UINT16_MAX + 1, UINT32_MAX, 1ULL << 40);
	o->gfp = (uint32_t)rnd();
	o->node = (int32_t)ONE_OF(-1U, 127, 128, -128U, -129U, INT16_MAX, INT16_MAX + 1, INT32_MAX,
				  (uint32_t)INT16_MIN, INT16_MIN - 1U, (uint32_t)INT32_MIN);
	o->cache = (uint16_t)ONE_OF(0, 1, UINT16_MAX);
}

static void make_object(struct model *m)
{
	struct lt_encode_object *o = &m->o;

	memset(o, 0, sizeof(*o));
	o->class = class_of_random();
	make_values(o);
	if (of_pages(o->class)) {
		/* The free of a page has 40 bits of its number. */
		o->ptr = o->ptr % (1ULL << 41);
		if (!has_request(o->class))
			o->ptr = o->ptr % (1ULL << 40);
		o->order = (uint8_t)(rnd() % 12);
		o->last = (uint8_t)(rnd() % 3);
		if (o->class == LT_CLASS_PAGE_ALLOC && rnd() % 2)
			o->call_site = 0;
	}
}

static void make_stack(struct model *m)
{
	m->stack.n = 1 + (unsigned int)(m->o.call_site / 64 % LT_STACK_FRAMES);
	m->stack.flags = (unsigned int)(rnd() % 4);
	for (unsigned int i = 0; i < m->stack.n; i++)
		m->frames[i] = m->o.call_site + 16ULL * i;
	/* Two stacks of a place, one with code that is far away. */
	if (rnd() % 8 == 0)
		m->frames[m->stack.n - 1] = 7;
	m->frames[0] = m->o.call_site;
	m->stack.frames = m->frames;
	m->o.stack = &m->stack;
}

static void make(struct model *models, size_t n, bool stacks)
{
	uint64_t time = 5000;
	struct lt_encode_task task = { .comm = "" };
	bool has_task = false;

	for (size_t i = 0; i < n; i++) {
		struct model *m = &models[i];

		make_object(m);
		time += rnd() % 100 ? rnd() % 1000 :
			ONE_OF(0, LT_TIME_MASK, LT_TIME_MASK + 1ULL, LT_TIME_MASK + 2ULL, 1ULL << 40);
		if (rnd() % 50 == 0) {
			has_task = rnd() % 10;
			task = (struct lt_encode_task){
				.tid = (uint32_t)(rnd() % 5), .tgid = 4, .start = rnd() % 3,
				.flags = (uint8_t)(rnd() % 4),
			};
			snprintf(task.comm, sizeof(task.comm), "task %u", (unsigned int)(rnd() % 2));
		}
		m->time = time;
		m->context = (unsigned int)(rnd() % 3);
		m->task = task;
		m->has_task = has_task;
		if (stacks && rnd() % 4 == 0 && m->o.call_site)
			make_stack(m);
	}
}

static void encode(struct lt_encoder *e, const struct model *m, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		lt_encode_run(e, m[i].has_task ? &m[i].task : NULL);
		lt_encode_object(e, m[i].time, m[i].context, &m[i].o);
	}
	lt_encode_last(e, m[n - 1].time + 1);
}

/* The first event of the class, by which an event is called in any form. */
static const char *name_of(unsigned int class)
{
	const struct { unsigned int class; const char *name; } names[] = {
		{ LT_CLASS_KMALLOC, "kmalloc" }, { LT_CLASS_CACHE_ALLOC, "kmem_cache_alloc" },
		{ LT_CLASS_BULK_ALLOC, "bulk_alloc" }, { LT_CLASS_KFREE, "kfree" },
		{ LT_CLASS_CACHE_FREE, "kmem_cache_free" }, { LT_CLASS_BULK_FREE, "bulk_free" },
		{ LT_CLASS_RCU_FREE, "rcu_free" }, { LT_CLASS_PAGE_ALLOC, "page_alloc" },
		{ LT_CLASS_PAGE_BULK, "page_bulk" }, { LT_CLASS_PAGE_FREE, "page_free" },
		{ LT_CLASS_PAGE_BATCHED, "page_free_batched" },
	};
	size_t i = 0;

	while (names[i].class != class)
		i++;
	return names[i].name;
}

static void check_task(const struct et *t, const struct model *m, struct lt_record *task)
{
	assert_true(!m->has_task == !task->payload);
	if (!m->has_task)
		return;
	assert_int_equal(et_value(t, task, "tid"), m->task.tid);
	assert_int_equal(et_value(t, task, "tgid"), m->task.tgid);
	assert_int_equal(et_value(t, task, "start"), m->task.start);
	assert_int_equal(et_value(t, task, "flags"), m->task.flags);
	et_assert_text(task, "comm", m->task.comm);
}

/* A stack is written with a short form alone. @ev: decoded. */
static void check_stack(const struct et *t, const struct model *m, const struct lt_record *r,
			const struct lt_event *ev)
{
	struct lt_stack stack = lt_stacks_get(&t->stacks, ev->stack);

	if (!m->o.stack || !r->brief) {
		assert_int_equal(stack.n, 0);
		return;
	}
	assert_int_equal(stack.n, m->stack.n);
	assert_int_equal(stack.flags, m->stack.flags);
	assert_memory_equal(stack.frames, m->frames, stack.n * sizeof(*stack.frames));
}

static void check_event(const struct et *t, const struct model *m, const struct lt_record *r)
{
	const struct lt_encode_object *o = &m->o;
	struct lt_event ev = { 0 };

	assert_string_equal(r->desc->name, name_of(o->class));
	assert_int_equal(r->time, m->time);
	assert_int_equal(r->context, m->context);
	lt_decode(et_packet(t), r, &ev);
	assert_int_equal(ev.class, o->class);
	assert_int_equal(ev.ptr, o->ptr);
	if (o->class != LT_CLASS_PAGE_FREE && o->class != LT_CLASS_PAGE_BATCHED)
		assert_int_equal(ev.call_site, o->call_site);
	if (o->class == LT_CLASS_KMALLOC) {
		assert_int_equal(ev.bytes_req, o->bytes_req);
		assert_int_equal(ev.bytes_alloc, o->bytes_alloc);
	}
	if (has_request(o->class))
		assert_int_equal(ev.gfp, o->gfp);
	if (has_request(o->class) && !of_pages(o->class))
		assert_int_equal(ev.node, o->node);
	if (has_cache(o->class))
		assert_int_equal(ev.cache, o->cache);
	if (of_pages(o->class) && o->class != LT_CLASS_PAGE_BATCHED)
		assert_int_equal(ev.order, o->order);
	if (o->class == LT_CLASS_PAGE_ALLOC)
		assert_int_equal(ev.migratetype, o->last);
	if (o->class == LT_CLASS_PAGE_BULK)
		assert_int_equal(ev.single, o->last);
	check_stack(t, m, r, &ev);
}

/* Which forms have occurred: by their ids. */
static void check_forms(const bool seen[64], bool plain)
{
	static const unsigned int full[] = {
		LT_EV_KMALLOC, LT_EV_KMALLOC_WIDE, LT_EV_CACHE_ALLOC, LT_EV_CACHE_ALLOC_WIDE,
		LT_EV_KFREE, LT_EV_KFREE_WIDE, LT_EV_CACHE_FREE, LT_EV_CACHE_FREE_WIDE,
		LT_EV_PAGE_ALLOC, LT_EV_PAGE_FREE, LT_EV_PAGE_BATCHED, LT_EV_BULK_ALLOC,
		LT_EV_BULK_ALLOC_WIDE, LT_EV_BULK_FREE, LT_EV_BULK_FREE_WIDE, LT_EV_RCU_FREE,
		LT_EV_RCU_FREE_WIDE, LT_EV_PAGE_ALLOC_WIDE, LT_EV_PAGE_BULK_WIDE,
	}, brief[] = {
		LT_EV_KMALLOC_SHORT, LT_EV_CACHE_ALLOC_SHORT, LT_EV_KFREE_SHORT,
		LT_EV_CACHE_FREE_SHORT, LT_EV_BULK_ALLOC_SHORT, LT_EV_BULK_FREE_SHORT,
		LT_EV_RCU_FREE_SHORT, LT_EV_PAGE_ALLOC_SHORT, LT_EV_PAGE_BULK_SHORT,
		LT_EV_KMALLOC_TIGHT, LT_EV_CACHE_ALLOC_TIGHT, LT_EV_KFREE_TIGHT,
		LT_EV_CACHE_FREE_TIGHT, LT_EV_BULK_ALLOC_TIGHT, LT_EV_BULK_FREE_TIGHT,
		LT_EV_RCU_FREE_TIGHT,
	};

	for (size_t i = 0; i < sizeof(full) / sizeof(full[0]) && plain; i++)
		assert_true(seen[full[i]]);
	for (size_t i = 0; i < sizeof(brief) / sizeof(brief[0]); i++)
		assert_int_equal(seen[brief[i]], !plain);
}

static void round_trip(bool big, bool plain, bool stacks)
{
	struct model *models = calloc(EVENTS, sizeof(*models));
	const struct lt_encode_machine machine = et_machine(big);
	struct lt_record r, task = { 0 };
	bool seen[64] = { false };
	struct lt_encoder e;
	struct et t;

	state = 1 + big + 2U * plain + 4U * stacks;
	et_init(&t);
	make(models, EVENTS, stacks);
	lt_encoder_init(&e, &machine, LT_CHANNEL_KMEM, CPU, PACKET, et_take, &t);
	e.plain = plain;
	encode(&e, models, EVENTS);
	assert_int_equal(e.ret, 0);
	assert_int_equal(e.refused, 0);
	assert_int_equal(e.clamped, 0);
	for (size_t i = 0; i < EVENTS; i++) {
		assert_true(et_next_event(&t, &r, &task));
		check_task(&t, &models[i], &task);
		check_event(&t, &models[i], &r);
		seen[LT_EV_ID((r.brief ? r.brief : r.desc)->id)] = true;
	}
	assert_false(et_next_event(&t, &r, &task));
	check_forms(seen, plain);
	et_assert_conserved(&t);
	assert_true(t.packets[t.n - 1].flags & LT_PACKET_LAST);
	for (size_t i = 0; i < t.n; i++)
		assert_true(t.packets[i].size <= PACKET && t.packets[i].big == big);
	lt_encoder_destroy(&e);
	et_free(&t);
	free(models);
}

static void test_round_trip(void **arg)
{
	(void)arg;
	for (unsigned int i = 0; i < 8; i++)
		round_trip(i & 1, i & 2, i & 4);
}

/* ------------------------------------------------------------------------
 * Packets, time and losses
 */

struct stream {
	struct lt_encoder e;
	struct et t;
};

static int open_stream(void **arg)
{
	struct stream *s = calloc(1, sizeof(*s));
	const struct lt_encode_machine machine = et_machine(false);

	et_init(&s->t);
	lt_encoder_init(&s->e, &machine, LT_CHANNEL_KMEM, CPU, PACKET, et_take, &s->t);
	*arg = s;
	return 0;
}

static int close_stream(void **arg)
{
	struct stream *s = *arg;

	lt_encoder_destroy(&s->e);
	et_free(&s->t);
	free(s);
	return 0;
}

static void kfree_at(struct stream *s, uint64_t time)
{
	lt_encode_object(&s->e, time, LT_CTX_TASK, &(struct lt_encode_object){
			 .class = LT_CLASS_KFREE, .ptr = PTR + 64, .call_site = TEXT + 64 });
}

/* Time that goes back is counted, and becomes that of the record before: across packets, too. */
static void test_clamped(void **arg)
{
	static const uint64_t times[] = { 1000, 1000, 900, 1001, 1, 2000, 1999 };
	static const uint64_t want[] = { 1000, 1000, 1000, 1001, 1001, 2500, 2500 };
	struct stream *s = *arg;
	struct lt_record r, task = { 0 };

	for (size_t i = 0; i < 7; i++) {
		if (i == 5)
			lt_encode_end(&s->e, 2500);
		kfree_at(s, times[i]);
	}
	assert_int_equal(s->e.clamped, 4);
	lt_encode_last(&s->e, 0);
	assert_int_equal(s->e.clamped, 5);
	for (size_t i = 0; i < 7; i++) {
		assert_true(et_next_event(&s->t, &r, &task));
		assert_int_equal(r.time, want[i]);
	}
	et_assert_conserved(&s->t);
}

/* A reader takes lost_full to be between two packets, and lost_nested within. */
static void test_lost(void **arg)
{
	struct stream *s = *arg;
	struct lt_class_counts c;

	kfree_at(s, 1000);
	lt_encode_lost(&s->e, LT_CLASS_KFREE, LT_ENCODE_NESTED, 2);
	lt_encode_lost(&s->e, LT_CLASS_KFREE, LT_ENCODE_NMI, 4);
	lt_encode_lost(&s->e, LT_CLASS_KFREE, LT_ENCODE_FILTERED, 8);
	lt_encode_lost(&s->e, LT_CLASS_KFREE, LT_ENCODE_FULL, 0);
	kfree_at(s, 1010);
	assert_int_equal(s->t.n, 0);
	lt_encode_lost(&s->e, LT_CLASS_KFREE, LT_ENCODE_FULL, 16);
	assert_int_equal(s->t.n, 1);
	lt_encode_lost(&s->e, LT_CLASS_KMALLOC, LT_ENCODE_NOBUF, 32);
	kfree_at(s, 2000);
	lt_encode_last(&s->e, 3000);
	assert_int_equal(s->t.n, 2);
	assert_int_equal(s->t.packets[0].end, 1010);
	assert_int_equal(s->t.packets[1].begin, 2000);
	c = lt_packet_counts(&s->t.packets[0], LT_CLASS_INDEX(LT_CLASS_KFREE));
	assert_int_equal(c.seen, 2 + 2 + 4 + 8);
	assert_int_equal(c.lost_nested, 2);
	assert_int_equal(c.lost_nmi, 4);
	assert_int_equal(c.filtered, 8);
	assert_int_equal(c.lost_full, 0);
	c = lt_packet_counts(&s->t.packets[1], LT_CLASS_INDEX(LT_CLASS_KFREE));
	assert_int_equal(c.seen, 3 + 2 + 4 + 8 + 16);
	assert_int_equal(c.lost_full, 16);
	c = lt_packet_counts(&s->t.packets[1], LT_CLASS_INDEX(LT_CLASS_KMALLOC));
	assert_int_equal(c.seen, 32);
	assert_int_equal(c.lost_nobuf, 32);
	et_assert_conserved(&s->t);
}

/* A flush makes a packet where there is something to report, and no other. */
static void test_flush(void **arg)
{
	struct stream *s = *arg;

	lt_encode_flush(&s->e, 500);
	assert_int_equal(s->t.n, 0);
	kfree_at(s, 1000);
	lt_encode_flush(&s->e, 1500);
	lt_encode_flush(&s->e, 1600);
	assert_int_equal(s->t.n, 1);
	assert_int_equal(s->t.packets[0].end, 1500);
	lt_encode_lost(&s->e, LT_CLASS_KFREE, LT_ENCODE_NESTED, 1);
	lt_encode_flush(&s->e, 1700);
	lt_encode_flush(&s->e, 1800);
	assert_int_equal(s->t.n, 2);
	assert_int_equal(s->t.packets[1].begin, 1700);
	assert_int_equal(s->t.packets[1].size, sizeof(struct lt_packet_header));
	lt_encode_last(&s->e, 1900);
	assert_int_equal(s->t.n, 3);
	et_assert_conserved(&s->t);
}

static int refuse(void *arg, const struct lt_encode_packet *packet)
{
	(void)packet;
	++*(int *)arg;
	return 5;
}

/* The first result that is not 0 stays, and no packet is handed out behind it. */
static void test_refused(void **arg)
{
	struct stream *s = *arg;
	int calls = 0;

	s->e.take = refuse;
	s->e.arg = &calls;
	kfree_at(s, 1000);
	lt_encode_end(&s->e, 1000);
	assert_int_equal(s->e.ret, 5);
	kfree_at(s, 1001);
	lt_encode_last(&s->e, 1002);
	assert_int_equal(s->e.ret, 5);
	assert_int_equal(calls, 1);
}

/* A task that is not known ends a packet in which another one was announced, and only that. */
static void test_unknown_task(void **arg)
{
	const struct lt_encode_task a = { .tid = 1, .comm = "a" }, b = { .tid = 2, .comm = "b" };
	struct stream *s = *arg;

	kfree_at(s, 1000);
	lt_encode_run(&s->e, NULL);
	lt_encode_run(&s->e, &a);
	lt_encode_run(&s->e, NULL);
	kfree_at(s, 1001);
	assert_int_equal(s->t.n, 0);
	lt_encode_run(&s->e, &a);
	kfree_at(s, 1002);
	lt_encode_run(&s->e, &b);
	lt_encode_run(&s->e, NULL);
	assert_int_equal(s->t.n, 1);
	assert_int_equal(s->t.packets[0].end, 1002);
	kfree_at(s, 1003);
	lt_encode_last(&s->e, 1003);
	/* Header and one record, with its site. */
	assert_int_equal(s->t.packets[1].size, sizeof(struct lt_packet_header) + 10 + 4 +
			 sizeof(struct lt_rec_SITE_FREE));
}

/* An event of a class that is not of objects is neither written nor counted. */
static void test_other_class(void **arg)
{
	struct stream *s = *arg;

	lt_encode_object(&s->e, 1000, LT_CTX_TASK, &(struct lt_encode_object){
			 .class = LT_CLASS_MARKER });
	lt_encode_object(&s->e, 1000, LT_CTX_TASK, &(struct lt_encode_object){
			 .class = LT_CLASS_BIRTH });
	lt_encode_last(&s->e, 1000);
	assert_int_equal(s->t.packets[0].size, sizeof(struct lt_packet_header));
	et_assert_conserved(&s->t);
}

/*
 * Sizes that a user chooses at one call site take some entries alone: the events behind them are
 * written in full, and take less room so. Other places have theirs.
 */
static void test_many_sizes(void **arg)
{
	struct stream *s = *arg;
	struct lt_record r, task = { 0 };
	unsigned int brief = 0, others = 0;

	for (unsigned int i = 0; i < 600; i++) {
		lt_encode_object(&s->e, 1000 + i, LT_CTX_TASK, &(struct lt_encode_object){
				 .class = LT_CLASS_KMALLOC, .ptr = PTR + 64, .node = -1,
				 .call_site = TEXT + 64, .bytes_req = 1 + i, .bytes_alloc = 512 });
		kfree_at(s, 1000 + i);
	}
	lt_encode_last(&s->e, 2000);
	while (et_next_event(&s->t, &r, &task)) {
		others += r.brief && !strcmp(r.desc->name, "kfree");
		brief += r.brief && !strcmp(r.desc->name, "kmalloc");
	}
	assert_int_equal(others, 600);
	/* 8, and one for each 512 bytes of a packet. */
	assert_int_equal(brief, s->t.n * (8 + PACKET / 512));
}

/* More stacks and sites than a table has entries: each event still has its own. */
static void test_many_stacks(void **arg)
{
	struct stream *s = *arg;
	struct lt_record r, task = { 0 };
	uint64_t frames[3];

	for (unsigned int i = 0; i < 20000; i++) {
		uint64_t code = TEXT + 64 * (1 + i * 7919ULL % 6000);
		const struct lt_encode_stack stack = { .n = 3, .frames = frames };

		frames[0] = code;
		frames[1] = code + 1;
		frames[2] = code + 2;
		lt_encode_object(&s->e, 1000 + i, LT_CTX_TASK, &(struct lt_encode_object){
				 .class = LT_CLASS_KMALLOC, .ptr = PTR + i, .node = -1,
				 .call_site = code, .stack = &stack });
	}
	lt_encode_last(&s->e, 30000);
	for (unsigned int i = 0; i < 20000; i++) {
		struct lt_stack stack;
		struct lt_event ev;

		assert_true(et_next_event(&s->t, &r, &task));
		lt_decode(et_packet(&s->t), &r, &ev);
		stack = lt_stacks_get(&s->t.stacks, ev.stack);
		assert_int_equal(ev.call_site, TEXT + 64 * (1 + i * 7919ULL % 6000));
		assert_int_equal(stack.n, 3);
		assert_int_equal(stack.frames[2], ev.call_site + 2);
	}
}

int main(void)
{
#define STREAM(test)	cmocka_unit_test_setup_teardown(test, open_stream, close_stream)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		STREAM(test_clamped), STREAM(test_lost), STREAM(test_flush), STREAM(test_refused),
		STREAM(test_unknown_task), STREAM(test_other_class), STREAM(test_many_sizes),
		STREAM(test_many_stacks),
	};

	return cmocka_run_group_tests_name("encode", tests, NULL, NULL);
}

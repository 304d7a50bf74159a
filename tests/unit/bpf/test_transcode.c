// SPDX-License-Identifier: GPL-2.0
/*
 * Raw records as the BPF programs write them become packets that the reader's decoder reads: with
 * the same values, with losses where they may have been, and with ids that mean one thing.
 */
#include "transcodetest.h"

/* ------------------------------------------------------------------------
 * kmem
 */

static void test_objects(void **state)
{
	struct session *s = *state;
	struct lt_transcode_ring *r = KMEM(s, 0);
	struct lt_record got;

	GIVE(r, lt_raw_object, .time = 1000, .kind = LT_RAW_KMALLOC, .context = LT_CTX_SOFTIRQ,
	     .node = -1, .gfp = 0xcc0, .ptr = PTR + 64, .site = SITE, .bytes_req = 60,
	     .bytes_alloc = 64);
	GIVE(r, lt_raw_free, .time = 1001, .kind = LT_RAW_KFREE,
	     .context = LT_CTX_HARDIRQ | 2 << LT_RAW_COPY_SHIFT, .ptr = PTR + 64, .site = SITE + 8);
	GIVE(r, lt_raw_free, .time = 1002, .kind = LT_RAW_RCU_FREE, .ptr = 5, .site = 7);
	GIVE(r, lt_raw_failed, .time = 1003, .kind = LT_RAW_FAILED, .what = LT_RAW_PAGE_ALLOC,
	     .bytes_req = 4096, .gfp = 1, .node = 3);
	GIVE(r, lt_raw_resize, .time = 1004, .kind = LT_RAW_RESIZE, .ptr = PTR, .site = SITE,
	     .bytes_req = 99);
	GIVE(r, lt_raw_gone, .time = 1005, .kind = LT_RAW_TASK_EXIT, .tid = 5, .tgid = 4,
	     .start = 77, .group_dead = 1);
	lt_transcode_last(s->tc, 2000);

	got = next(s, "kmalloc");
	assert_int_equal(got.time, 1000);
	assert_int_equal(got.context, LT_CTX_SOFTIRQ);
	assert_non_null(got.site);
	{
		struct lt_event ev;

		lt_decode(et_packet(&s->t), &got, &ev);
		assert_int_equal(ev.ptr, PTR + 64);
		assert_int_equal(ev.call_site, SITE);
		assert_int_equal(ev.bytes_req, 60);
		assert_int_equal(ev.bytes_alloc, 64);
		assert_int_equal(ev.gfp, 0xcc0);
		assert_int_equal(ev.node, -1);
	}
	got = next(s, "kfree");
	assert_int_equal(got.context, LT_CTX_HARDIRQ);
	got = next(s, "rcu_free");
	CHECK(s, got, "ptr", 5);
	CHECK(s, got, "call_site", 7);
	got = next(s, "alloc_failed");
	CHECK(s, got, "what", LT_CLASS_PAGE_ALLOC);
	CHECK(s, got, "bytes_req", 4096);
	CHECK(s, got, "node", 3);
	got = next(s, "resize");
	CHECK(s, got, "bytes_req", 99);
	got = next(s, "task_exit");
	CHECK(s, got, "tid", 5);
	CHECK(s, got, "group_dead", 1);
	et_assert_conserved(&s->t);
}

static void test_pages(void **state)
{
	struct session *s = *state;
	struct lt_transcode_ring *r = KMEM(s, 0);
	struct lt_class_counts c;
	struct lt_record got;

	GIVE(r, lt_raw_page, .time = 1000, .kind = LT_RAW_PAGE_ALLOC, .order = 3,
	     .migratetype = 1, .gfp = 0xcc0, .page = PAGES + 64 * 5);
	GIVE(r, lt_raw_page, .time = 1001, .kind = LT_RAW_PAGE_FREE, .order = 2,
	     .page = PAGES + 64 * 6);
	GIVE(r, lt_raw_page, .time = 1002, .kind = LT_RAW_PAGE_BATCHED, .page = PAGES + 64 * 7);
	GIVE(r, lt_raw_page_bulk, .time = 1003, .kind = LT_RAW_PAGE_BULK, .page = PAGES + 64 * 8,
	     .site = SITE, .single = 1, .gfp = 5);
	/* Without a number: lost. */
	GIVE(r, lt_raw_page, .time = 1004, .kind = LT_RAW_PAGE_FREE, .page = 64);
	lt_transcode_last(s->tc, 2000);

	got = next(s, "page_alloc");
	CHECK(s, got, "pfn", 5);
	CHECK(s, got, "order", 3);
	CHECK(s, got, "migratetype", 1);
	got = next(s, "page_free");
	CHECK(s, got, "pfn", 6);
	CHECK(s, got, "order", 2);
	got = next(s, "page_free_batched");
	CHECK(s, got, "pfn", 7);
	got = next(s, "page_bulk");
	assert_non_null(got.site);
	c = lt_packet_counts(&s->t.packets[0], LT_CLASS_INDEX(LT_CLASS_PAGE_FREE));
	assert_int_equal(c.seen, 2);
	assert_int_equal(c.lost_nested, 1);
	assert_int_equal(lt_transcode_odd(s->tc).pages, 1);
	et_assert_conserved(&s->t);
}

/* The first event has a task in front of it, which holds until the next one. */
static void test_tasks(void **state)
{
	struct session *s = *state;
	struct lt_transcode_ring *r = KMEM(s, 0);
	struct lt_record got, task = { 0 };
	static const uint32_t want[] = { 0, 7, 7, 8, 0 };

	kfree_at(r, 999);
	GIVE(r, lt_raw_task, .time = 1000, .kind = LT_RAW_TASK, .tid = 7, .tgid = 7, .start = 5,
	     .flags = 1, .comm = "sh");
	kfree_at(r, 1000);
	GIVE(r, lt_raw_task, .time = 1001, .kind = LT_RAW_TASK, .tid = 7, .tgid = 7, .start = 5,
	     .flags = 1, .comm = "sh");
	kfree_at(r, 1001);
	GIVE(r, lt_raw_task, .time = 1002, .kind = LT_RAW_TASK, .tid = 8, .tgid = 7, .start = 6,
	     .comm = "0123456789abcde");
	kfree_at(r, 1002);
	/* The idle task. */
	GIVE(r, lt_raw_task, .time = 1003, .kind = LT_RAW_TASK, .flags = 1, .comm = "swapper/0");
	kfree_at(r, 1003);
	lt_transcode_last(s->tc, 2000);
	for (size_t i = 0; i < 5; i++) {
		assert_true(et_next_event(&s->t, &got, &task));
		assert_int_equal(!task.payload, i == 0);
		if (!task.payload)
			continue;
		CHECK(s, task, "tid", want[i]);
		if (i == 3)
			et_assert_text(&task, "comm", "0123456789abcde");
	}
	et_assert_conserved(&s->t);
}

/* The frames from the caller on; a stack without the caller is none. */
static void test_stacks(void **state)
{
	struct session *s = *state;
	struct lt_transcode_ring *r = KMEM(s, 0);
	uint64_t raw[2 + 48] = { 0 };
	struct lt_raw_stack *stack = (struct lt_raw_stack *)raw;
	struct lt_record got;
	struct lt_event ev;
	struct lt_stack read;

	*stack = (struct lt_raw_stack){ .time = 1000, .kind = LT_RAW_STACK, .n = 40 };
	for (unsigned int i = 0; i < 40; i++)
		raw[2 + i] = TEXT + 0x100 + i;
	for (unsigned int i = 0; i < 3; i++) {
		lt_transcode_record(r, (const struct lt_raw *)stack);
		GIVE(r, lt_raw_object, .time = 1000 + i, .kind = LT_RAW_KMALLOC,
		     .ptr = PTR + 64, .site = i == 1 ? SITE : TEXT + 0x102, .bytes_req = 8);
	}
	kfree_at(r, 1010);
	/* The caller of a page is its first frame. */
	stack->n = 2;
	lt_transcode_record(r, (const struct lt_raw *)stack);
	GIVE(r, lt_raw_page, .time = 1011, .kind = LT_RAW_PAGE_ALLOC, .page = PAGES);
	lt_transcode_last(s->tc, 2000);
	for (unsigned int i = 0; i < 3; i++) {
		got = next(s, "kmalloc");
		lt_decode(et_packet(&s->t), &got, &ev);
		read = lt_stacks_get(&s->t.stacks, ev.stack);
		assert_int_equal(read.n, i == 1 ? 0 : LT_STACK_FRAMES);
		assert_int_equal(read.flags, i == 1 ? 0 : LT_STACK_CUT);
		assert_true(i == 1 || read.frames[0] == TEXT + 0x102);
	}
	got = next(s, "kfree");
	lt_decode(et_packet(&s->t), &got, &ev);
	assert_int_equal(ev.stack, 0);
	got = next(s, "page_alloc");
	lt_decode(et_packet(&s->t), &got, &ev);
	assert_int_equal(ev.call_site, TEXT + 0x100);
	assert_int_equal(lt_stacks_get(&s->t.stacks, ev.stack).n, 2);
	assert_int_equal(lt_transcode_odd(s->tc).stacks, 1);
}

/* ------------------------------------------------------------------------
 * Caches
 */

static void alloc_at(struct lt_transcode_ring *r, uint64_t time, uint64_t cache)
{
	GIVE(r, lt_raw_object, .time = time, .kind = LT_RAW_CACHE_ALLOC, .ptr = PTR + 64,
	     .site = SITE, .cache = cache, .node = -1);
}

static uint16_t next_cache(struct session *s, uint64_t time)
{
	struct lt_record got = next(s, "kmem_cache_alloc");
	struct lt_event ev;

	assert_int_equal(got.time, time);
	lt_decode(et_packet(&s->t), &got, &ev);
	return (uint16_t)ev.cache;
}

/* Named by the record of another ring, which is read later; and by the kernel. */
static void test_cache_names(void **state)
{
	struct session *s = *state;
	struct lt_record got;
	uint16_t id;

	alloc_at(KMEM(s, 0), 1005, CACHE + 64);
	GIVE(KMEM(s, 1), lt_raw_cache, .time = 1000, .kind = LT_RAW_CACHE, .cache = CACHE + 64,
	     .object_size = 100, .size = 128, .name = "dentry");
	alloc_at(KMEM(s, 1), 1000, CACHE + 64);
	s->describes = true;
	alloc_at(KMEM(s, 1), 1001, CACHE + 128);
	alloc_at(KMEM(s, 1), 1002, 0);
	lt_transcode_last(s->tc, 2000);

	id = next_cache(s, 1005);
	assert_true(id);
	got = next(s, "cache");
	CHECK(s, got, "cache", id);
	CHECK(s, got, "ptr", CACHE + 64);
	CHECK(s, got, "object_size", 100);
	et_assert_text(&got, "name", "dentry");
	assert_int_equal(next_cache(s, 1000), id);
	got = next(s, "cache");
	et_assert_text(&got, "name", "described");
	CHECK(s, got, "object_size", 128);
	assert_int_equal(next_cache(s, 1001), value(s, &got, "cache"));
	assert_int_not_equal(value(s, &got, "cache"), id);
	assert_int_equal(next_cache(s, 1002), 0);
}

/*
 * A cache is named before its first event in time, also where the ring with that is read after the
 * one that names it; and once in a ring.
 */
static void test_cache_named_earlier(void **state)
{
	struct session *s = *state;
	struct lt_record got;
	uint16_t id;

	s->describes = true;
	alloc_at(KMEM(s, 0), 1010, CACHE + 64);
	s->describes = false;
	alloc_at(KMEM(s, 0), 1011, CACHE + 64);
	alloc_at(KMEM(s, 1), 1003, CACHE + 64);
	alloc_at(KMEM(s, 1), 1004, CACHE + 64);
	alloc_at(KMEM(s, 2), 1003, CACHE + 64);
	alloc_at(KMEM(s, 2), 1020, CACHE + 64);
	lt_transcode_last(s->tc, 2000);

	got = next(s, "cache");
	id = (uint16_t)value(s, &got, "cache");
	assert_int_equal(got.time, 1010);
	assert_int_equal(next_cache(s, 1010), id);
	assert_int_equal(next_cache(s, 1011), id);
	got = next(s, "cache");
	assert_int_equal(got.time, 1003);
	CHECK(s, got, "cache", id);
	CHECK(s, got, "ptr", CACHE + 64);
	CHECK(s, got, "object_size", 64);
	et_assert_text(&got, "name", "described");
	assert_int_equal(next_cache(s, 1003), id);
	assert_int_equal(next_cache(s, 1004), id);
	assert_int_equal(next_cache(s, 1003), id);
	assert_int_equal(next_cache(s, 1020), id);
}

/* One address, two caches: a ring that is read later has events of both. */
static void test_cache_gone(void **state)
{
	struct session *s = *state;
	struct lt_record got;
	uint16_t first, second;

	alloc_at(KMEM(s, 0), 1000, CACHE);
	GIVE(KMEM(s, 0), lt_raw_cache, .time = 1010, .kind = LT_RAW_CACHE_GONE, .cache = CACHE);
	alloc_at(KMEM(s, 0), 1020, CACHE);
	alloc_at(KMEM(s, 1), 1001, CACHE);
	alloc_at(KMEM(s, 1), 1030, CACHE);
	alloc_at(KMEM(s, 0), 1040, CACHE);
	/* Of a cache that nobody used. */
	GIVE(KMEM(s, 0), lt_raw_cache, .time = 1041, .kind = LT_RAW_CACHE_GONE,
	     .cache = CACHE + 640);
	lt_transcode_last(s->tc, 2000);

	first = next_cache(s, 1000);
	got = next(s, "cache_gone");
	CHECK(s, got, "cache", first);
	second = next_cache(s, 1020);
	assert_int_not_equal(second, first);
	assert_int_equal(next_cache(s, 1040), second);
	assert_int_equal(next_cache(s, 1001), first);
	assert_int_equal(next_cache(s, 1030), second);
}

static void gone_at(struct lt_transcode_ring *r, uint64_t time, const char *name)
{
	struct lt_raw_cache raw = {
		.time = time, .kind = LT_RAW_CACHE_GONE, .cache = CACHE, .object_size = 24,
		.size = 32,
	};

	strcpy(raw.name, name);
	lt_transcode_record(r, (const struct lt_raw *)&raw);
}

/* The end of a cache is in a ring that is read before that of its use: it says what it was. */
static void test_cache_gone_first(void **state)
{
	struct session *s = *state;
	struct lt_record got;
	uint16_t ids[3];

	gone_at(KMEM(s, 0), 1030, "second");
	gone_at(KMEM(s, 1), 1010, "first");
	alloc_at(KMEM(s, 1), 1010, CACHE);
	alloc_at(KMEM(s, 1), 1020, CACHE);
	alloc_at(KMEM(s, 1), 90000, CACHE);
	alloc_at(KMEM(s, 2), 1005, CACHE);
	alloc_at(KMEM(s, 2), 1025, CACHE);
	lt_transcode_last(s->tc, 99999);
	got = next(s, "cache");
	et_assert_text(&got, "name", "first");
	CHECK(s, got, "object_size", 24);
	CHECK(s, got, "size", 32);
	ids[0] = next_cache(s, 1010);
	got = next(s, "cache");
	et_assert_text(&got, "name", "second");
	ids[1] = next_cache(s, 1020);
	ids[2] = next_cache(s, 90000);
	assert_int_equal(ids[0], 1);	/* no id is spent on what nobody used */
	assert_int_equal(ids[1], 2);
	assert_int_equal(ids[2], 3);
	next(s, "cache");
	assert_int_equal(next_cache(s, 1005), ids[0]);
	assert_int_equal(next_cache(s, 1025), ids[1]);
}

/* Where the end of a cache may be lost, the kernel is asked again. */
static void test_cache_doubted(void **state)
{
	struct session *s = *state;
	struct lt_record got;
	uint16_t first;

	s->describes = true;
	alloc_at(KMEM(s, 0), 1000, CACHE + 64);
	s->grown = 8;
	alloc_at(KMEM(s, 0), 1001, CACHE + 64);
	s->grown = 0;
	lt_transcode_doubt_caches(s->tc, 1002);
	alloc_at(KMEM(s, 0), 1002, CACHE + 64);
	lt_transcode_doubt_caches(s->tc, 1003);
	s->describes = false;
	alloc_at(KMEM(s, 0), 1003, CACHE + 64);
	s->describes = true;
	s->grown = 8;
	lt_transcode_doubt_caches(s->tc, 1004);
	alloc_at(KMEM(s, 0), 1004, CACHE + 64);
	alloc_at(KMEM(s, 0), 1005, CACHE + 64);
	alloc_at(KMEM(s, 1), 1003, CACHE + 64);
	lt_transcode_last(s->tc, 2000);
	got = next(s, "cache");
	CHECK(s, got, "object_size", 64);
	first = next_cache(s, 1000);
	for (unsigned int i = 1; i < 4; i++)
		assert_int_equal(next_cache(s, 1000 + i), first);
	got = next(s, "cache");
	CHECK(s, got, "object_size", 72);
	assert_int_not_equal(next_cache(s, 1004), first);
	assert_int_not_equal(next_cache(s, 1005), first);
	assert_int_equal(next_cache(s, 1003), first);
}

/* A record of before the doubt does not decide it; and what had no name is another cache then. */
static void test_cache_doubted_later(void **state)
{
	struct session *s = *state;
	struct lt_record got;
	uint16_t first;

	alloc_at(KMEM(s, 0), 1000, CACHE + 64);
	lt_transcode_doubt_caches(s->tc, 1500);
	s->describes = true;
	alloc_at(KMEM(s, 0), 1400, CACHE + 64);
	alloc_at(KMEM(s, 0), 1401, CACHE + 64);
	alloc_at(KMEM(s, 0), 1600, CACHE + 64);
	lt_transcode_last(s->tc, 2000);
	first = next_cache(s, 1000);
	assert_int_equal(next_cache(s, 1400), first);
	assert_int_equal(next_cache(s, 1401), first);
	got = next(s, "cache");
	CHECK(s, got, "object_size", 64);
	assert_int_not_equal(next_cache(s, 1600), first);
}

/* ------------------------------------------------------------------------
 * Losses
 */

static struct lt_class_counts *at(struct lt_class_counts *counts, unsigned int class)
{
	return &counts[LT_CLASS_INDEX(class)];
}

static void test_losses(void **state)
{
	struct lt_class_counts counts[LT_N_CLASSES] = { { 0 } }, c;
	struct session *s = *state;
	struct lt_transcode_ring *r = KMEM(s, 0);

	at(counts, LT_CLASS_KFREE)->seen = 2;
	lt_transcode_begin(r, counts);
	kfree_at(r, 1000);
	kfree_at(r, 1001);
	assert_int_equal(lt_transcode_end(r, 1050), 0);
	assert_int_equal(s->t.n, 0);

	/* Many more records than a packet holds: all are in the one that has the losses. */
	*at(counts, LT_CLASS_KFREE) = (struct lt_class_counts){
		.seen = 5002 + 7, .lost_full = 3, .lost_nested = 4 };
	*at(counts, LT_CLASS_KMALLOC) = (struct lt_class_counts){
		.seen = 9, .filtered = 8, .lost_full = 1 };
	lt_transcode_begin(r, counts);
	for (unsigned int i = 0; i < 5000; i++)
		kfree_at(r, 1100 + i);
	assert_int_equal(lt_transcode_end(r, 9000), 0);
	assert_int_equal(s->t.n, 2);
	assert_int_equal(s->t.packets[0].end, 1001);
	assert_int_equal(s->t.packets[0].flags, 0);
	assert_int_equal(s->t.packets[1].begin, 1100);
	assert_int_equal(s->t.packets[1].end, 9000);
	assert_int_equal(s->t.packets[1].flags, LT_PACKET_WITHIN);
	assert_true(s->t.packets[1].size > 5000 * 10);
	c = lt_packet_counts(&s->t.packets[1], LT_CLASS_INDEX(LT_CLASS_KFREE));
	assert_int_equal(c.seen, 5009);
	assert_int_equal(c.lost_full, 3);
	assert_int_equal(c.lost_nested, 4);
	c = lt_packet_counts(&s->t.packets[1], LT_CLASS_INDEX(LT_CLASS_KMALLOC));
	assert_int_equal(c.filtered, 8);

	/* No losses more: packets are as long as they should be again. */
	at(counts, LT_CLASS_KFREE)->seen += 5000;
	lt_transcode_begin(r, counts);
	for (unsigned int i = 0; i < 5000; i++)
		kfree_at(r, 10000 + i);
	assert_int_equal(lt_transcode_end(r, 20000), 0);
	lt_transcode_last(s->tc, 20000);
	assert_true(s->t.n > 4);
	for (size_t i = 2; i < s->t.n; i++)
		assert_true(s->t.packets[i].size <= 16384 && !(s->t.packets[i].flags & LT_PACKET_WITHIN));
	et_assert_conserved(&s->t);
}

/* Losses without a record make a packet of their own; records that nobody counted are reported. */
static void test_odd_losses(void **state)
{
	struct lt_class_counts counts[LT_N_CLASSES] = { { 0 } };
	struct session *s = *state;
	struct lt_transcode_ring *r = KMEM(s, 0);

	*at(counts, LT_CLASS_KFREE) = (struct lt_class_counts){ .seen = 3, .lost_nested = 3 };
	lt_transcode_begin(r, counts);
	assert_int_equal(lt_transcode_end(r, 1000), 0);
	assert_int_equal(s->t.n, 1);
	assert_int_equal(s->t.packets[0].size, s->t.packets[0].header_size);
	lt_transcode_begin(r, counts);
	kfree_at(r, 1100);
	assert_int_equal(lt_transcode_end(r, 1200), 1);
	at(counts, LT_CLASS_KFREE)->seen = 6;
	lt_transcode_begin(r, counts);
	assert_int_equal(lt_transcode_end(r, 1200), 2);
	GIVE(r, lt_raw, .time = 1300, .kind = LT_RAW_BIRTH);
	GIVE(r, lt_raw, .time = 1300, .kind = 200);
	GIVE(PID(s, 0), lt_raw, .time = 1300, .kind = LT_RAW_KMALLOC);
	assert_int_equal(lt_transcode_odd(s->tc).unknown, 3);
	kfree_at(r, 1099);
	assert_int_equal(lt_transcode_odd(s->tc).late, 1);
	lt_transcode_flush(s->tc, 1400);
	assert_int_equal(s->t.packets[s->t.n - 1].end, 1400);
	et_assert_conserved(&s->t);
}

int main(void)
{
#define T(test)	cmocka_unit_test_setup_teardown(test, begin, end)
	const struct CMUnitTest tests[] = {
		T(test_objects), T(test_pages), T(test_tasks), T(test_stacks),
		T(test_cache_names), T(test_cache_named_earlier), T(test_cache_gone),
		T(test_cache_gone_first), T(test_cache_doubted), T(test_cache_doubted_later), T(test_losses),
		T(test_odd_losses),
	};

	return cmocka_run_group_tests_name("transcode", tests, NULL, NULL);
}

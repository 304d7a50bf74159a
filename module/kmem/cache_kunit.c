// SPDX-License-Identifier: GPL-2.0
/*
 * Ids of slab caches.
 */
#include <linux/delay.h>

#include "kmem/cache.h"
#include "core/kunit.h"

#define N_CACHES	40

static struct lt_channel ch;

static int cache_test_init(struct kunit *test)
{
	int err = lt_test_stay_on(0) ?: lt_channel_init(&ch, LT_CHANNEL_KMEM);

	lt_cache_reset(false);
	return err ? err : lt_channel_open(&ch, NULL, 1 << 16, 8, 1);
}

static void cache_test_exit(struct kunit *test)
{
	lt_channel_close(&ch);
	lt_channel_destroy(&ch);
}

/* The id that an event on this cache would carry. */
static u16 id_of(const void *s)
{
	struct lt_channel_cpu *c;
	unsigned long flags;
	u16 id;

	c = lt_enter(&ch, LT_CLASS_CACHE_FREE, &flags);
	id = lt_cache_id(&ch, c, s);
	lt_leave(c, LT_CLASS_CACHE_FREE, flags);
	return id;
}

static size_t count(struct kunit *test, unsigned int id, u16 cache)
{
	struct lt_test_record *r = kunit_kcalloc(test, 4096, sizeof(*r), GFP_KERNEL);
	size_t i, n, found = 0;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, r);
	n = lt_test_records(test, &ch, r, 4096);
	for (i = 0; i < n; i++)
		if (r[i].id == id && get_unaligned((u16 *)r[i].payload) == cache)
			found++;
	kunit_kfree(test, r);
	return found;
}

static struct kmem_cache *make(struct kunit *test, const char *name, unsigned int size)
{
	struct kmem_cache *s = kmem_cache_create(name, size, 0, 0, NULL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, s);
	return s;
}

static void offsets_are_proven(struct kunit *test)
{
	static const char name[] =
		"lifetrace kunit: a long name with spaces in it, over 64 bytes in all";
	struct lt_cache_desc d;
	struct kmem_cache *s;

	KUNIT_ASSERT_EQ(test, lt_cache_prove(), 0);
	KUNIT_EXPECT_TRUE(test, lt_cache_proven());
	s = make(test, name, 999);
	lt_cache_describe(s, &d);
	KUNIT_EXPECT_EQ(test, d.object_size, 999U);
	/* With KASAN, ksize() is less than the slot's size, which proves nothing. */
	KUNIT_EXPECT_EQ(test, d.size, IS_ENABLED(CONFIG_KASAN_GENERIC) ? 0U : 1000U);
	KUNIT_EXPECT_EQ(test, memcmp(d.name, name, sizeof(d.name)), 0);
	kmem_cache_destroy(s);
}

/* A specimen that is merged with another cache has its name, and proves nothing. */
static void offsets_are_proven_where_specimens_merge(struct kunit *test)
{
	static const char * const names[] = {
		"lifetrace_kunit_1496", "lifetrace_kunit_1504", "lifetrace_kunit_1512",
		"lifetrace_kunit_1520", "lifetrace_kunit_1528", "lifetrace_kunit_1536",
	};
	struct kmem_cache *s[ARRAY_SIZE(names)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		s[i] = make(test, names[i], 1496 + 8 * i);
	KUNIT_EXPECT_EQ(test, lt_cache_prove(), 0);
	KUNIT_EXPECT_TRUE(test, lt_cache_proven());
	for (i = 0; i < ARRAY_SIZE(names); i++)
		kmem_cache_destroy(s[i]);
}

static void id_is_announced_once(struct kunit *test)
{
	struct kmem_cache *s = make(test, "lifetrace_kunit_a", 333);
	u16 id = id_of(s);

	KUNIT_EXPECT_NE(test, id, (u16)LT_CACHE_UNKNOWN);
	KUNIT_EXPECT_NE(test, id, (u16)LT_CACHE_LOST);
	KUNIT_EXPECT_EQ(test, id_of(s), id);
	lt_channel_finish(&ch);
	KUNIT_EXPECT_EQ(test, count(test, LT_EV_CACHE, id), (size_t)1);
	kmem_cache_destroy(s);
}

static void no_cache_has_no_id(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, id_of(NULL), (u16)LT_CACHE_UNKNOWN);
}

/* Slots on a page that look like caches: only their addresses matter here. */
static void collisions_get_their_own_ids(struct kunit *test)
{
	static u64 fake[N_CACHES * 64];
	u16 ids[N_CACHES], near = (hash_ptr(&fake[0], LT_CACHE_BITS) + 20) % LT_CACHE_SLOTS;
	unsigned int i, j;

	near += !near;	/* 0 is no id */

	for (i = 0; i < N_CACHES; i++)
		ids[i] = id_of(&fake[i * 64]);
	for (i = 0; i < N_CACHES; i++) {
		KUNIT_EXPECT_EQ(test, id_of(&fake[i * 64]), ids[i]);
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_NE(test, ids[i], ids[j]);
	}
	/* And where all land in one slot. */
	lt_cache_reset(false);
	for (i = 1; i < LT_CACHE_SLOTS; i++)
		lt_cache_slots[i] = i == near ? 0 : 0x1000 + 8 * i;
	KUNIT_EXPECT_EQ(test, id_of(&fake[0]), near);
	KUNIT_EXPECT_EQ(test, id_of(&fake[0]), near);
	KUNIT_EXPECT_EQ(test, id_of(&fake[64]), (u16)LT_CACHE_UNKNOWN);
	KUNIT_EXPECT_EQ(test, lt_cache_overflow(), 1ULL);
}

static void id_is_not_reused_for_another_cache(struct kunit *test)
{
	struct kmem_cache *s = make(test, "lifetrace_kunit_b", 345);
	u16 first = id_of(s), second;

	lt_cache_forget(&ch, s);
	lt_cache_forget(&ch, s);	/* of a cache that is not known */
	second = id_of(s);		/* the address means something else now */
	KUNIT_EXPECT_NE(test, first, second);
	lt_channel_finish(&ch);
	KUNIT_EXPECT_EQ(test, count(test, LT_EV_CACHE_GONE, first), (size_t)1);
	KUNIT_EXPECT_EQ(test, count(test, LT_EV_CACHE_GONE, second), (size_t)0);
	KUNIT_EXPECT_EQ(test, count(test, LT_EV_CACHE, second), (size_t)1);
	kmem_cache_destroy(s);
}

/* Caches come and go at one address: an id rests before it is used for another one. */
static void ids_are_used_again_after_a_rest(struct kunit *test)
{
	unsigned long *seen = kunit_kcalloc(test, BITS_TO_LONGS(1 << 16), sizeof(*seen),
					    GFP_KERNEL);
	static u64 fake;
	unsigned int n = 0;
	u16 id, first = id_of(&fake);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, seen);
	for (id = first; id != LT_CACHE_UNKNOWN && n < 2000; id = id_of(&fake)) {
		KUNIT_ASSERT_NE(test, id, (u16)LT_CACHE_LOST);
		KUNIT_ASSERT_FALSE(test, test_and_set_bit(id, seen));
		KUNIT_EXPECT_EQ(test, id_of(&fake), id);
		lt_cache_forget(&ch, (void *)&fake);
		n++;
	}
	/* 64 slots, or 63 where number 0 is one of them, of 15 turns each. */
	KUNIT_EXPECT_TRUE(test, n == 64 * LT_CACHE_TURNS || n == 63 * LT_CACHE_TURNS);
	KUNIT_EXPECT_EQ(test, lt_cache_overflow(), 1ULL);
	msleep(1100);
	id = id_of(&fake);
	KUNIT_EXPECT_TRUE(test, test_bit(id, seen));
	KUNIT_EXPECT_EQ(test, lt_cache_overflow(), 1ULL);
}

/* No id is used again whose end is not in the trace. */
static void end_without_room_is_written_later(struct kunit *test)
{
	static u64 fake;
	u16 first = id_of(&fake), second;

	while (lt_test_write(&ch, 0))
		;
	lt_cache_forget(&ch, (void *)&fake);
	relay_subbufs_consumed(ch.rchan, raw_smp_processor_id(), 4);
	second = id_of(&fake);
	KUNIT_EXPECT_NE(test, second, first);
	KUNIT_EXPECT_EQ(test, second % LT_CACHE_SLOTS, first % LT_CACHE_SLOTS);
	lt_channel_finish(&ch);
	KUNIT_EXPECT_EQ(test, count(test, LT_EV_CACHE_GONE, first), (size_t)1);
	KUNIT_EXPECT_EQ(test, count(test, LT_EV_CACHE, second), (size_t)1);
}

static void full_buffer_announces_later(struct kunit *test)
{
	struct kmem_cache *s = make(test, "lifetrace_kunit_c", 357);
	u16 id;

	while (lt_test_write(&ch, 0))
		;
	KUNIT_EXPECT_EQ(test, id_of(s), (u16)LT_CACHE_LOST);
	KUNIT_EXPECT_EQ(test, id_of(s), (u16)LT_CACHE_LOST);
	relay_subbufs_consumed(ch.rchan, raw_smp_processor_id(), 4);
	id = id_of(s);
	KUNIT_EXPECT_NE(test, id, (u16)LT_CACHE_LOST);
	KUNIT_EXPECT_NE(test, id, (u16)LT_CACHE_UNKNOWN);
	KUNIT_EXPECT_EQ(test, id_of(s), id);
	kmem_cache_destroy(s);
}

static struct kunit_case cache_cases[] = {
	KUNIT_CASE(offsets_are_proven),
	KUNIT_CASE(offsets_are_proven_where_specimens_merge),
	KUNIT_CASE(id_is_announced_once),
	KUNIT_CASE(no_cache_has_no_id),
	KUNIT_CASE(collisions_get_their_own_ids),
	KUNIT_CASE(id_is_not_reused_for_another_cache),
	KUNIT_CASE(ids_are_used_again_after_a_rest),
	KUNIT_CASE(end_without_room_is_written_later),
	KUNIT_CASE(full_buffer_announces_later),
	{}
};

struct kunit_suite lt_cache_suite = {
	.name = "lifetrace_cache",
	.init = cache_test_init,
	.exit = cache_test_exit,
	.test_cases = cache_cases,
};

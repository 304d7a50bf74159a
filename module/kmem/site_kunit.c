// SPDX-License-Identifier: GPL-2.0
/*
 * Sites: fields of events that are announced once a packet, and again when necessary.
 */
#include <linux/slab.h>

#include "core/context.h"
#include "kmem/caller.h"
#include "kmem/site_kunit.h"

struct lt_test_record *site_records;
size_t site_n_records;
static struct lt_rec_SITE *sites_said;	/* by the numbers of their records */

const struct lt_forms site_kmalloc = LT_FORMS(KMALLOC, KMALLOC);
const struct lt_forms site_cache_alloc = LT_FORMS(CACHE_ALLOC, CACHE_ALLOC);
const struct lt_forms site_kfree = LT_FORMS(FREE, KFREE);
const struct lt_forms site_cache_free = LT_FORMS(CACHE_FREE, CACHE_FREE);

int site_test_init(struct kunit *test)
{
	int err = lt_test_stay_on(0) ?: lt_channel_init(&lt_channel_kmem, LT_CHANNEL_KMEM);

	if (err)
		return err;
	lt_cache_reset(false);
	site_records = kunit_kcalloc(test, SITE_MAX_RECORDS, sizeof(*site_records), GFP_KERNEL);
	sites_said = kunit_kcalloc(test, SITE_MAX_RECORDS, sizeof(*sites_said), GFP_KERNEL);
	err = !site_records || !sites_said ? -ENOMEM :
	      lt_channel_open(&lt_channel_kmem, NULL, SITE_SUBBUF_SIZE, SITE_N_SUBBUFS, 5);
	if (err)
		lt_channel_destroy(&lt_channel_kmem);
	return err;
}

void site_test_exit(struct kunit *test)
{
	if (lt_channel_kmem.rchan) {
		lt_channel_close(&lt_channel_kmem);
		lt_channel_destroy(&lt_channel_kmem);
	}
}

struct lt_channel_cpu *site_cpu(void)
{
	return raw_cpu_ptr(lt_channel_kmem.cpu);
}

void *site_object(unsigned int i)
{
	return (void *)(unsigned long)(lt_ptr_base() + 0x10000 + 64 * i);
}

struct lt_place site_place(unsigned long code, size_t req, size_t alloc, int node)
{
	return (struct lt_place) {
		lt_text_base() + code, lt_what_sizes(req, alloc), lt_how(GFP_KERNEL, node),
	};
}

/* As a probe does it. */
void site_put(const struct lt_forms *forms, const void *ptr, const struct kmem_cache *s,
	      struct lt_place place)
{
	lt_object_event(&lt_channel_kmem, forms, LT_ANY, ptr, s, place);
}

void site_put_kmalloc(unsigned int i, struct lt_place place)
{
	site_put(&site_kmalloc, site_object(i), NULL, place);
}

/* The fast path alone. Return: true if it wrote the record. */
bool site_put_fast(const void *ptr, struct lt_place place, u64 now)
{
	unsigned long flags;
	bool done;

	local_irq_save(flags);
	done = lt_object_fast(site_cpu(), &site_kmalloc, now, LT_CTX_TASK, ptr, &place);
	local_irq_restore(flags);
	return done;
}

/* At the time of the last event: a virtual CPU may pause longer than 24 bits of time. */
bool site_put_fast_now(unsigned int i, struct lt_place place)
{
	return site_put_fast(site_object(i), place, site_cpu()->last);
}

void site_close_packet(void)
{
	lt_channel_flush(&lt_channel_kmem, false);
}

void site_read_all(struct kunit *test)
{
	lt_channel_finish(&lt_channel_kmem);
	site_n_records = lt_test_records(test, &lt_channel_kmem, site_records, SITE_MAX_RECORDS);
	KUNIT_ASSERT_LT(test, site_n_records, (size_t)SITE_MAX_RECORDS);
}

/* What the site of a brief form means there: the last record of it before. */
const struct lt_rec_SITE *site_of(size_t i)
{
	unsigned int number = lt_brief_site(site_records[i].payload);
	const struct lt_packet_header *packet = site_records[i].packet;

	while (i-- && site_records[i].packet == packet) {
		struct lt_rec_SITE *site = &sites_said[i];

		if (lt_site_said(site_records[i].id, site_records[i].payload, site) &&
		    site->site == number)
			return site;
	}
	return NULL;
}

u64 site_u40(const u8 *p)
{
#ifdef __BIG_ENDIAN
	return (u64)p[0] << 32 | get_unaligned((u32 *)(p + 1));
#else
	return get_unaligned((u32 *)p) | (u64)p[4] << 32;
#endif
}

/* The object of a brief or narrow form. */
void *site_object_of(size_t i)
{
	const u8 *payload = site_records[i].payload;

	if (lt_is_brief(site_records[i].id))
		return (void *)(unsigned long)lt_brief_ptr(payload);
	return (void *)(unsigned long)(lt_ptr_base() + site_u40(payload));
}

/* Record i is a brief form that says all this. */
void site_expect(struct kunit *test, size_t i, unsigned int obj, struct lt_place p, u16 cache)
{
	const struct lt_rec_SITE *site = site_of(i);
	bool sizes = site_records[i].id == LT_EV_BRIEF(KMALLOC);

	KUNIT_EXPECT_PTR_EQ(test, site_object_of(i), site_object(obj));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, site);
	KUNIT_EXPECT_EQ(test, site->call_site, lt_code(p.call_site));
	KUNIT_EXPECT_EQ(test, site->gfp_flags, (u32)p.how);
	KUNIT_EXPECT_EQ(test, site->bytes_req, sizes ? (u32)p.what : 0);
	KUNIT_EXPECT_EQ(test, site->bytes_alloc, sizes ? (u32)(p.what >> 32) : 0);
	KUNIT_EXPECT_EQ(test, site->node, (int)(p.how >> 32));
	KUNIT_EXPECT_EQ(test, site->cache, cache);
}

/* Seen is what was written, lost, and left out. */
void site_expect_sum(struct kunit *test, unsigned int class, u64 written)
{
	struct lt_class_counts counts[LT_N_CLASSES], *c = &counts[LT_CLASS_INDEX(class)];

	lt_channel_counts(&lt_channel_kmem, raw_smp_processor_id(), counts);
	KUNIT_EXPECT_EQ(test, c->seen, written + c->lost_full + c->lost_nmi + c->lost_nested +
			c->lost_nobuf + c->filtered);
}

u64 site_count(unsigned int id)
{
	u64 n = 0;
	size_t i;

	for (i = 0; i < site_n_records; i++)
		n += site_records[i].id == id;
	return n;
}

/* @ids ends with 0. */
void site_expect_ids(struct kunit *test, size_t from, const unsigned int *ids, bool all)
{
	for (; *ids; ids++, from++) {
		KUNIT_ASSERT_LT(test, from, site_n_records);
		KUNIT_EXPECT_EQ(test, site_records[from].id, *ids);
	}
	if (all)
		KUNIT_EXPECT_EQ(test, from, site_n_records);
}

/* ------------------------------------------------------------------------
 * The cases
 */

static void place_is_announced_once_a_packet(struct kunit *test)
{
	struct lt_place p = site_place(0x1234, 100, 128, 3);

	site_put_kmalloc(1, p);
	site_put_kmalloc(2, p);
	site_put_kmalloc(3, p);
	site_close_packet();
	KUNIT_EXPECT_FALSE(test, site_put_fast_now(4, p));
	site_put_kmalloc(4, p);
	site_put_kmalloc(5, p);
	site_read_all(test);
	/* One was closed, and each CPU has a last one. */
	KUNIT_EXPECT_EQ(test, lt_test_packets(&lt_channel_kmem), (size_t)num_possible_cpus() + 1);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC),
			LT_EV_BRIEF(KMALLOC),
			LT_EV_BRIEF(KMALLOC), LT_EV_TASK, LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC),
			LT_EV_BRIEF(KMALLOC));
	site_expect(test, 2, 1, p, 0);
	site_expect(test, 4, 3, p, 0);
	site_expect(test, 7, 4, p, 0);
	site_expect(test, 8, 5, p, 0);
	site_expect_sum(test, LT_CLASS_KMALLOC, 5);
}

/* Places that are looked for at the slot of the first; @n of them, the first included. */
static void find_colliding(struct kunit *test, struct lt_place *p, unsigned int n,
			   unsigned int flip)
{
	unsigned int slot, found = 1;
	unsigned long code = 0x1000;

	p[0] = site_place(code, 100, 128, NUMA_NO_NODE);
	slot = lt_site_slot(&p[0]) ^ flip;
	while (found < n && code < 0x1000000) {
		p[found] = site_place(++code, 100, 128, NUMA_NO_NODE);
		if (lt_site_slot(&p[found]) == slot)
			found++;
	}
	KUNIT_ASSERT_EQ(test, found, n);
}

static void neighbour_is_taken_and_no_other(struct kunit *test)
{
	const struct lt_rec_KMALLOC *full;
	struct lt_place p[3], q[2];
	unsigned int i, round;

	find_colliding(test, p, 3, 0);
	find_colliding(test, q, 2, 1);	/* q[1] has its own where p[1] comes to be */
	for (round = 0; round < 2; round++) {
		for (i = 0; i < 3; i++)
			site_put_kmalloc(10 * round + i, p[i]);
		site_put_kmalloc(10 * round + 3, q[1]);
	}
	/* In another packet it is another's turn. */
	site_close_packet();
	site_put_kmalloc(50, p[2]);
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC),
			LT_EV_SITE_NARROW,
			LT_EV_BRIEF(KMALLOC), LT_EV_KMALLOC, LT_EV_KMALLOC,
			LT_EV_BRIEF(KMALLOC), LT_EV_BRIEF(KMALLOC), LT_EV_KMALLOC, LT_EV_KMALLOC,
			LT_EV_TASK, LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC));
	site_expect(test, 2, 0, p[0], 0);
	site_expect(test, 4, 1, p[1], 0);
	site_expect(test, 7, 10, p[0], 0);
	site_expect(test, 8, 11, p[1], 0);
	site_expect(test, 13, 50, p[2], 0);
	KUNIT_EXPECT_EQ(test, site_of(2)->site ^ site_of(4)->site, 1);
	KUNIT_EXPECT_EQ(test, site_of(2)->site, lt_site_slot(&p[0]));
	for (i = 0; i < 4; i++) {
		full = site_records[i < 2 ? 5 + i : 7 + i].payload;
		KUNIT_EXPECT_EQ(test, full->call_site,
				lt_code(i % 2 ? q[1].call_site : p[2].call_site));
		KUNIT_EXPECT_EQ(test, full->bytes_req, 100);
		KUNIT_EXPECT_EQ(test, full->bytes_alloc, 128);
		KUNIT_EXPECT_EQ(test, full->gfp_flags, (__force u32)GFP_KERNEL);
		KUNIT_EXPECT_EQ(test, full->node, NUMA_NO_NODE);
	}
	KUNIT_EXPECT_PTR_EQ(test, site_object_of(5), site_object(2));
	KUNIT_EXPECT_PTR_EQ(test, site_object_of(10), site_object(13));
	site_expect_sum(test, LT_CLASS_KMALLOC, 9);
}

/* One caller, all kinds of events: each has a site of its own. */
static void kinds_of_events_never_share(struct kunit *test)
{
	struct kmem_cache *s = kmem_cache_create("lifetrace_kunit_site", 200, 0, 0, NULL);
	unsigned long code = lt_text_base() + 0x4321;
	struct lt_place a, b, f, g;
	unsigned int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, s);
	a = site_place(0x4321, 1, 8, NUMA_NO_NODE);
	b = (struct lt_place){ code, lt_what_cache(s, false), lt_how(GFP_KERNEL, -1) };
	f = (struct lt_place){ code, LT_WHAT_FREED, 0 };
	g = (struct lt_place){ code, lt_what_cache(s, true), 0 };
	for (i = 0; i < 2; i++) {
		site_put(&site_kmalloc, site_object(i), NULL, a);
		site_put(&site_cache_alloc, site_object(i), s, b);
		site_put(&site_kfree, site_object(i), NULL, f);
		site_put(&site_cache_free, site_object(i), s, g);
	}
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC), LT_EV_CACHE,
			LT_EV_SITE_NARROW, LT_EV_BRIEF(CACHE_ALLOC), LT_EV_SITE_FREE,
			LT_EV_BRIEF(KFREE),
			LT_EV_SITE_FREE, LT_EV_BRIEF(CACHE_FREE), LT_EV_BRIEF(KMALLOC),
			LT_EV_BRIEF(CACHE_ALLOC), LT_EV_BRIEF(KFREE), LT_EV_BRIEF(CACHE_FREE));
	for (i = 0; i < 2; i++) {
		u16 id = ((struct lt_rec_CACHE *)site_records[3].payload)->cache;

		KUNIT_EXPECT_NE(test, id, 0);
		site_expect(test, i ? 10 : 2, i, a, 0);
		site_expect(test, i ? 11 : 5, i, b, id);
		site_expect(test, i ? 12 : 7, i, f, 0);
		site_expect(test, i ? 13 : 9, i, g, id);
	}
	kmem_cache_destroy(s);
}

/* The bits by which layouts differ, as far as they are fixed on this machine. */
static void what_never_collides(struct kunit *test)
{
	struct kmem_cache *s = kmem_cache_create("lifetrace_kunit_what", 200, 0, 0, NULL);
	u64 smallest = lt_what_sizes(0, 1), largest = lt_what_sizes(KMALLOC_MAX_SIZE,
								    KMALLOC_MAX_SIZE);
	u64 of_cache = lt_what_cache(s, false);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, s);
	KUNIT_EXPECT_TRUE(test, of_cache < smallest || of_cache > largest);
	KUNIT_EXPECT_EQ(test, of_cache & 1, 0ULL);
	KUNIT_EXPECT_EQ(test, lt_what_cache(s, true), of_cache | 1);
	KUNIT_EXPECT_LT(test, LT_WHAT_FREED, smallest);
	/* Without a cache: the site says the same, so they may be one. */
	KUNIT_EXPECT_EQ(test, lt_what_cache(NULL, true), LT_WHAT_FREED);
	KUNIT_EXPECT_NE(test, lt_what_cache(NULL, false), LT_WHAT_FREED);
	KUNIT_EXPECT_NE(test, lt_what_sizes(128, 64), lt_what_sizes(64, 128));
	KUNIT_EXPECT_NE(test, lt_how(0, -1), lt_how((__force gfp_t)-1, 0));
	KUNIT_EXPECT_EQ(test, (int)(lt_how(GFP_ATOMIC, -1) >> 32), -1);
	kmem_cache_destroy(s);
}

/* Only what is in all parts the same is the same place. */
static void parts_of_a_place_count(struct kunit *test)
{
	struct lt_place p = site_place(0x1234, 100, 128, 0), other[5];
	struct lt_site *entry;
	unsigned int i;

	site_put_kmalloc(0, p);
	entry = &site_cpu()->sites[lt_site_slot(&p)];
	for (i = 0; i < ARRAY_SIZE(other); i++)
		other[i] = p;
	other[0].call_site++;
	other[1].what++;
	other[2].what += 1ULL << 32;
	other[3].how ^= (__force u32)__GFP_ZERO;
	other[4].how += 1ULL << 32;
	for (i = 0; i < ARRAY_SIZE(other); i++) {
		/* As if it fell on the same entry. */
		site_cpu()->sites[lt_site_slot(&other[i])] = *entry;
		KUNIT_EXPECT_FALSE(test, site_put_fast_now(i, other[i]));
	}
	KUNIT_EXPECT_TRUE(test, site_put_fast_now(1, p));
}

static void forgotten_cache_is_announced_again(struct kunit *test)
{
	struct kmem_cache *s = kmem_cache_create("lifetrace_kunit_gone", 200, 0, 0, NULL);
	const struct lt_rec_CACHE *first, *second;
	struct lt_place p;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, s);
	p = (struct lt_place) {
		lt_text_base() + 0x99, lt_what_cache(s, false), lt_how(GFP_KERNEL, 0),
	};
	site_put(&site_cache_alloc, site_object(0), s, p);
	site_put(&site_cache_alloc, site_object(1), s, p);
	lt_cache_forget(&lt_channel_kmem, s);
	site_put(&site_cache_alloc, site_object(2), s, p);
	site_put(&site_cache_alloc, site_object(3), s, p);
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_CACHE, LT_EV_SITE_NARROW, LT_EV_BRIEF(CACHE_ALLOC),
			LT_EV_BRIEF(CACHE_ALLOC), LT_EV_CACHE_GONE, LT_EV_CACHE, LT_EV_SITE_NARROW,
			LT_EV_BRIEF(CACHE_ALLOC), LT_EV_BRIEF(CACHE_ALLOC));
	first = site_records[1].payload;
	second = site_records[6].payload;
	KUNIT_EXPECT_NE(test, first->cache, second->cache);
	site_expect(test, 3, 0, p, first->cache);
	site_expect(test, 4, 1, p, first->cache);
	site_expect(test, 8, 2, p, second->cache);
	site_expect(test, 9, 3, p, second->cache);
	kmem_cache_destroy(s);
}

/* Each event without an id of its cache is counted: none shares a site. */
static void cache_without_id_has_no_site(struct kunit *test)
{
	struct kmem_cache *s = kmem_cache_create("lifetrace_kunit_none", 200, 0, 0, NULL);
	const struct lt_rec_CACHE_ALLOC *r;
	struct lt_place p;
	unsigned int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, s);
	p = (struct lt_place) {
		lt_text_base() + 0x99, lt_what_cache(s, false), lt_how(GFP_KERNEL, 0),
	};
	for (i = 1; i < LT_CACHE_SLOTS; i++)
		lt_cache_slots[i] = 0x1000 + 8 * i;
	site_put(&site_cache_alloc, site_object(0), s, p);
	site_put(&site_cache_alloc, site_object(1), s, p);
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_CACHE_ALLOC, LT_EV_CACHE_ALLOC);
	r = site_records[2].payload;
	KUNIT_EXPECT_EQ(test, r->cache, (u16)LT_CACHE_UNKNOWN);
	KUNIT_EXPECT_EQ(test, lt_cache_overflow(), 2ULL);
	lt_cache_reset(false);
	kmem_cache_destroy(s);
}

/* One caller behind a trampoline is not found: the next one is looked for all the same. */
static void a_trampoline_has_no_site(struct kunit *test)
{
	struct lt_place behind = site_place(0x1234, 100, 128, 0);
	struct lt_place found = site_place(0x5678, 100, 128, 0);
	const struct lt_trampolines before = lt_trampolines;
	const struct lt_rec_KMALLOC *r;
	unsigned long unwound;
	struct lt_krealloc *call;
	unsigned int i;

	lt_trampolines.kretprobe = behind.call_site;
	unwound = lt_real_caller(behind.call_site, false);
	for (i = 0; i < 3; i++) {
		call = i == 1 ? lt_krealloc_begin(found.call_site) : NULL;
		site_put_kmalloc(i, behind);
		lt_krealloc_end(call);
	}
	lt_trampolines = before;
	site_read_all(test);
	if (unwound != behind.call_site) {
		/* The unwinder gets to who runs the case. */
		SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC),
				LT_EV_SITE_NARROW,
				LT_EV_BRIEF(KMALLOC), LT_EV_BRIEF(KMALLOC));
		behind.call_site = unwound;
		site_expect(test, 2, 0, behind, 0);
		site_expect(test, 4, 1, found, 0);
		return;
	}
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_KMALLOC, LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC),
			LT_EV_KMALLOC);
	r = site_records[1].payload;
	KUNIT_EXPECT_EQ(test, r->call_site, lt_code(behind.call_site));
	site_expect(test, 3, 1, found, 0);
}

/* A user lets sizes vary: they do not take the table from other places. */
static void sizes_that_vary_are_written_in_full(struct kunit *test)
{
	struct lt_place freed = { lt_text_base() + 0x1234, LT_WHAT_FREED, 0 };
	unsigned int announced = LT_SIZES_EACH + (SITE_SUBBUF_SIZE >> LT_SIZES_SHIFT);
	unsigned int i, round;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < announced + 20; i++)
			site_put_kmalloc(i, site_place(0x1234, 100 + i, 256, NUMA_NO_NODE));
		/* What was announced goes on being brief, and so does what is no size. */
		site_put_kmalloc(i, site_place(0x1234, 100, 256, NUMA_NO_NODE));
		site_put(&site_kfree, site_object(i), NULL, freed);
		/* In the next packet others may be announced. */
		site_close_packet();
	}
	site_read_all(test);
	KUNIT_EXPECT_EQ(test, site_count(LT_EV_SITE_NARROW), 2ULL * announced);
	KUNIT_EXPECT_EQ(test, site_count(LT_EV_SITE_FREE), 2ULL);
	KUNIT_EXPECT_EQ(test, site_count(LT_EV_BRIEF(KMALLOC)), 2 * (announced + 1ULL));
	KUNIT_EXPECT_EQ(test, site_count(LT_EV_BRIEF(KFREE)), 2ULL);
	KUNIT_EXPECT_EQ(test, site_count(LT_EV_KMALLOC), 40ULL);
	site_expect_sum(test, LT_CLASS_KMALLOC, 2 * (announced + 21ULL));
}

/* Stamps are used up: what was valid a round ago must not come to be so again. */
static void stamps_may_wrap(struct kunit *test)
{
	struct lt_place p = site_place(0x1234, 100, 128, 0);
	struct lt_channel_cpu *c = site_cpu();

	site_put_kmalloc(0, p);
	atomic_long_set(&c->stamp, -1);
	c->sites[lt_site_slot(&p)].stamp = 1;
	site_close_packet();
	KUNIT_EXPECT_NE(test, atomic_long_read(&c->stamp), 0L);
	site_put_kmalloc(1, p);
	site_put_kmalloc(2, p);
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC), LT_EV_TASK,
			LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC), LT_EV_BRIEF(KMALLOC));
}

/* Pages of a bulk allocation have their caller also where no entry is free for their site. */
static void bulk_pages_keep_their_caller(struct kunit *test)
{
	static const struct lt_forms forms = {
		.layout = LT_LAYOUT_PAGE, .class = LT_CLASS_PAGE_BULK,
		.brief = LT_EV_PAGE_BULK_SHORT, .narrow = LT_EV_PAGE_BULK,
		.wide = LT_EV_PAGE_BULK_WIDE,
	};
	struct lt_place p = {
		lt_text_base() + 0x1000, lt_what_pages(0, 1), lt_how(GFP_KERNEL, NUMA_NO_NODE),
	};
	unsigned int slot = lt_site_slot(&p), i;
	const struct lt_rec_PAGE_BULK_WIDE *r;

	/* The entry and the one beside it are taken by callers that have the same entry. */
	for (i = 0; i < 3; p.call_site++) {
		if (lt_site_slot(&p) != slot)
			continue;
		lt_object_slow(&forms, (void *)(0x12345678UL + i++), NULL, p.call_site, p.what,
			       p.how);
	}
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_SITE_NARROW, LT_EV_PAGE_BULK_SHORT,
			LT_EV_SITE_NARROW,
			LT_EV_PAGE_BULK_SHORT, LT_EV_PAGE_BULK_WIDE);
	r = site_records[5].payload;
	KUNIT_EXPECT_EQ(test, get_unaligned(&r->pfn), 0x1234567aULL);
	KUNIT_EXPECT_EQ(test, get_unaligned(&r->call_site), (u64)p.call_site - 1);
	KUNIT_EXPECT_EQ(test, get_unaligned(&r->gfp_flags), (__force u32)GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, (int)r->order, 0);
	KUNIT_EXPECT_EQ(test, (int)r->single, 1);
}

/* The number of a task is enough only where the packet has said the same of it. */
static void task_is_announced_whole_where_it_differs(struct kunit *test)
{
	struct lt_place p = site_place(0x1234, 100, 128, NUMA_NO_NODE);
	struct lt_channel_cpu *c = site_cpu();
	const struct lt_rec_TASK *first, *r;
	struct lt_rec_TASK *seen;
	unsigned int i;

	site_put_kmalloc(0, p);
	seen = &c->tasks[current->pid % LT_TASKS].rec;
	KUNIT_ASSERT_EQ(test, seen->tid, (u32)current->pid);
	for (i = 0; i < 4; i++) {
		seen->tid += i == 0;
		seen->start += i == 1;
		seen->comm[15] += i == 2;
		seen->tgid += i == 3;
		c->task = NULL;
		site_put_kmalloc(i, p);
	}
	/* Of another packet it does not count. */
	site_close_packet();
	site_put_kmalloc(0, p);
	c->task = NULL;
	site_put_kmalloc(0, p);
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC),
			LT_EV_TASK, LT_EV_BRIEF(KMALLOC), LT_EV_TASK, LT_EV_BRIEF(KMALLOC),
			LT_EV_TASK, LT_EV_BRIEF(KMALLOC), LT_EV_TASK, LT_EV_BRIEF(KMALLOC),
			LT_EV_TASK, LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC),
			LT_EV_TASK_AGAIN, LT_EV_BRIEF(KMALLOC));
	first = site_records[0].payload;
	for (i = 3; i <= 9; i += 2) {
		r = site_records[i].payload;
		KUNIT_EXPECT_EQ(test, memcmp(r, first, sizeof(*r)), 0);
	}
}

static struct kunit_case site_cases[] = {
	KUNIT_CASE(place_is_announced_once_a_packet),
	KUNIT_CASE(neighbour_is_taken_and_no_other),
	KUNIT_CASE(kinds_of_events_never_share),
	KUNIT_CASE(what_never_collides),
	KUNIT_CASE(parts_of_a_place_count),
	KUNIT_CASE(forgotten_cache_is_announced_again),
	KUNIT_CASE(cache_without_id_has_no_site),
	KUNIT_CASE(a_trampoline_has_no_site),
	KUNIT_CASE(sizes_that_vary_are_written_in_full),
	KUNIT_CASE(stamps_may_wrap),
	KUNIT_CASE(bulk_pages_keep_their_caller),
	KUNIT_CASE(task_is_announced_whole_where_it_differs),
	{}
};

struct kunit_suite lt_site_suite = {
	.name = "lifetrace_site",
	.init = site_test_init,
	.exit = site_test_exit,
	.test_cases = site_cases,
};

// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks: announced once a packet, one number for one stack, trimmed where they must be.
 */
#include "kmem/site_kunit.h"
#include "kmem/unwind.h"

#define DEPTH		32
#define SUBBUF_SIZE	(128 << 10)

static unsigned long frames[LT_STACK_FRAMES + 8];

static int stack_test_init(struct kunit *test)
{
	static const struct lt_stack_options options = { .one_in = 1, .depth = DEPTH };
	int err = site_test_init(test);

	if (err)
		return err;
	lt_channel_close(&lt_channel_kmem);
	err = lt_channel_open(&lt_channel_kmem, NULL, SUBBUF_SIZE, SITE_N_SUBBUFS, 5) ?:
	      lt_stacks_open(&options);
	if (err)
		site_test_exit(test);
	return err;
}

static void stack_test_exit(struct kunit *test)
{
	lt_stacks_close();
	site_test_exit(test);
}

/* Frame @i of the stack with this number. */
static unsigned long frame(unsigned int stack, unsigned int i)
{
	return lt_text_base() + 0x100000 + 0x40 * stack + 0x100000 * i;
}

static struct lt_stack stack_of(unsigned int stack, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		frames[i] = frame(stack, i);
	return (struct lt_stack) { frames, n, 0 };
}

static void put_stacked(unsigned int i, struct lt_place place, unsigned int stack,
			unsigned int n)
{
	struct lt_stack s = stack_of(stack, n);

	lt_object_stacked(&site_kmalloc, site_object(i), NULL, place, &s);
}

/* The record that announced the stack of a short form, or NULL. */
static const struct lt_test_record *stack_record(size_t i)
{
	const struct lt_rec_SITE *site = site_of(i);
	const struct lt_packet_header *packet = site_records[i].packet;

	if (!site || !site->stack)
		return NULL;
	/* A number is announced once: the search need not begin at the site. */
	while (i-- && site_records[i].packet == packet) {
		const struct lt_rec_STACK *r = site_records[i].payload;

		if (site_records[i].id >= LT_EV_STACK && site_records[i].id <= LT_EV_STACK_WIDE &&
		    r->stack == site->stack)
			return &site_records[i];
	}
	return NULL;
}

/* Record @i is a short form with this stack. */
static void expect_stack(struct kunit *test, size_t i, unsigned int stack, unsigned int n,
			 unsigned int flags)
{
	const struct lt_test_record *found = stack_record(i);
	const struct lt_rec_STACK *r;
	unsigned int k;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, found);
	r = found->payload;
	KUNIT_EXPECT_EQ(test, r->n_frames, n);
	KUNIT_EXPECT_EQ(test, r->flags, flags);
	for (k = 0; k < n; k++)
		KUNIT_EXPECT_EQ(test, ((const struct lt_rec_STACK_32 *)r)->frames[k],
				lt_code(frame(stack, k)));
	for (; k < (found->size - sizeof(*r) + sizeof(r->frames)) / 4; k++)
		KUNIT_EXPECT_EQ(test, ((const struct lt_rec_STACK_32 *)r)->frames[k], 0);
}

static void stack_is_announced_once_a_packet(struct kunit *test)
{
	struct lt_place p = site_place(0x1234, 100, 128, NUMA_NO_NODE);

	put_stacked(1, p, 1, 5);
	put_stacked(2, p, 1, 5);
	put_stacked(3, p, 2, 5);
	put_stacked(4, p, 1, 5);
	site_close_packet();
	put_stacked(5, p, 2, 5);
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_STACK, LT_EV_SITE, LT_EV_BRIEF(KMALLOC),
			LT_EV_BRIEF(KMALLOC), LT_EV_STACK, LT_EV_SITE, LT_EV_BRIEF(KMALLOC),
			LT_EV_BRIEF(KMALLOC), LT_EV_TASK, LT_EV_STACK, LT_EV_SITE,
			LT_EV_BRIEF(KMALLOC));
	expect_stack(test, 3, 1, 5, 0);
	expect_stack(test, 4, 1, 5, 0);
	expect_stack(test, 7, 2, 5, 0);
	expect_stack(test, 8, 1, 5, 0);
	expect_stack(test, 12, 2, 5, 0);
	/* All else of the place is as without a stack. */
	site_expect(test, 3, 1, p, 0);
	site_expect(test, 7, 3, p, 0);
	site_expect(test, 12, 5, p, 0);
	KUNIT_EXPECT_EQ(test, site_of(12)->stack, 1);
	site_expect_sum(test, LT_CLASS_KMALLOC, 5);
}

/* An event without a stack must not get that of another event of its place. */
static void place_without_stack_is_another_site(struct kunit *test)
{
	int nodes[] = { NUMA_NO_NODE, 0, 3, S16_MAX, S16_MIN };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nodes); i++) {
		struct lt_place p = site_place(0x1234, 100, 128, nodes[i]);

		site_put_kmalloc(4 * i, p);
		put_stacked(4 * i + 1, p, 1, 5);
		site_put_kmalloc(4 * i + 2, p);
		put_stacked(4 * i + 3, p, 1, 5);
	}
	site_read_all(test);
	for (i = 0; i < site_n_records; i++) {
		unsigned int object;

		if (site_records[i].id != LT_EV_BRIEF(KMALLOC))
			continue;
		object = (site_object_of(i) - site_object(0)) / 64;
		site_expect(test, i, object, site_place(0x1234, 100, 128, nodes[object / 4]), 0);
		KUNIT_EXPECT_EQ(test, !!site_of(i)->stack, object % 2);
		if (object % 2)
			expect_stack(test, i, 1, 5, 0);
	}
	KUNIT_EXPECT_EQ(test, site_count(LT_EV_BRIEF(KMALLOC)), 20ULL);
	/* A node that does not fit the narrow form takes the other one without a stack, too. */
	KUNIT_EXPECT_EQ(test, site_count(LT_EV_SITE) + site_count(LT_EV_SITE_NARROW), 10ULL);
	KUNIT_EXPECT_EQ(test, site_count(LT_EV_STACK), 1ULL);
}

/* Nor a free: of its place the fast path compares the call site and @what alone. */
static void fast_path_compares_stacks(struct kunit *test)
{
	const struct lt_forms *forms[] = {
		&site_kmalloc, &site_cache_alloc, &site_kfree, &site_cache_free,
	};
	struct lt_place p = site_place(0x1234, 100, 128, NUMA_NO_NODE), with, other;
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		bool alloc = i < 2;

		with = lt_place_with_stack(forms[i], p, 0);
		KUNIT_EXPECT_TRUE(test, with.what == p.what && with.how == p.how);
		for (n = 1; n <= U16_MAX; n += 0x1235) {
			with = lt_place_with_stack(forms[i], p, n);
			other = lt_place_with_stack(forms[i], p, n - 1);
			KUNIT_EXPECT_TRUE(test, with.call_site == p.call_site);
			KUNIT_EXPECT_TRUE(test, with.what != p.what ||
					  (alloc && with.how != p.how));
			KUNIT_EXPECT_TRUE(test, with.what != other.what ||
					  (alloc && with.how != other.how));
		}
	}
}

static void frees_have_stacks(struct kunit *test)
{
	struct lt_place p = { lt_text_base() + 0x1234, LT_WHAT_FREED, 0 };
	struct lt_stack s = stack_of(1, 3);

	lt_object_stacked(&site_kfree, site_object(1), NULL, p, &s);
	site_put(&site_kfree, site_object(2), NULL, p);
	lt_object_stacked(&site_kfree, site_object(3), NULL, p, &s);
	site_put(&site_kfree, site_object(4), NULL, p);
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_STACK, LT_EV_SITE, LT_EV_BRIEF(KFREE),
			LT_EV_SITE_FREE, LT_EV_BRIEF(KFREE), LT_EV_BRIEF(KFREE),
			LT_EV_BRIEF(KFREE));
	expect_stack(test, 3, 1, 3, 0);
	expect_stack(test, 6, 1, 3, 0);
	KUNIT_EXPECT_EQ(test, site_of(5)->stack, 0);
	KUNIT_EXPECT_EQ(test, site_of(7)->stack, 0);
	KUNIT_EXPECT_EQ(test, site_of(3)->call_site, lt_code(p.call_site));
}

/* Blocks of pages, in the short form beside the plain one. */
static void pages_have_stacks(struct kunit *test)
{
	static const struct lt_forms forms = {
		.layout = LT_LAYOUT_PAGE, .class = LT_CLASS_PAGE_ALLOC,
		.brief = LT_EV_PAGE_ALLOC_SHORT, .narrow = LT_EV_PAGE_ALLOC,
		.wide = LT_EV_PAGE_ALLOC,
	};
	struct lt_place p = {
		lt_text_base() + 0x1234, lt_what_pages(3, 2), lt_how(GFP_KERNEL, NUMA_NO_NODE),
	};
	const struct lt_rec_PAGE_ALLOC_SHORT *r;
	struct lt_stack s = stack_of(1, 3);
	unsigned int i;

	lt_object_stacked(&forms, (void *)0x12345678UL, NULL, p, &s);
	put_stacked(1, site_place(0x1234, 100, 128, NUMA_NO_NODE), 1, 3);
	lt_object_stacked(&forms, (void *)0x9abcdef0UL, NULL, p, &s);
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_STACK, LT_EV_SITE, LT_EV_PAGE_ALLOC_SHORT,
			LT_EV_SITE, LT_EV_BRIEF(KMALLOC), LT_EV_PAGE_ALLOC_SHORT);
	for (i = 3; i < 7; i += 3) {
		r = site_records[i].payload;
		expect_stack(test, i, 1, 3, 0);
		KUNIT_EXPECT_EQ(test, site_u40(r->pfn), i == 3 ? 0x12345678ULL : 0x9abcdef0ULL);
		KUNIT_EXPECT_EQ(test, (int)r->order, 3);
		KUNIT_EXPECT_EQ(test, (int)r->migratetype, 2);
		KUNIT_EXPECT_EQ(test, site_of(i)->gfp_flags, (__force u32)GFP_KERNEL);
		KUNIT_EXPECT_EQ(test, site_of(i)->call_site, lt_code(p.call_site));
	}
}

/* Where two stacks want one entry, each event has its own stack nevertheless. */
static void collision_replaces(struct kunit *test)
{
	struct lt_place p = site_place(0x1234, 100, 128, NUMA_NO_NODE);
	const unsigned int n = 300;
	unsigned int i;

	for (i = 0; i < 2 * n; i++)
		put_stacked(i, p, i % n, 3);
	site_read_all(test);
	for (i = 0; i < site_n_records; i++)
		if (site_records[i].id == LT_EV_BRIEF(KMALLOC))
			expect_stack(test, i, (site_object_of(i) - site_object(0)) / 64 % n, 3, 0);
	KUNIT_EXPECT_EQ(test, site_count(LT_EV_BRIEF(KMALLOC)), 2ULL * n);
	KUNIT_EXPECT_EQ(test, lt_test_packets(&lt_channel_kmem), (size_t)num_possible_cpus());
	/* There were such, and not many. */
	KUNIT_EXPECT_GT(test, site_count(LT_EV_STACK), (u64)n);
	KUNIT_EXPECT_LT(test, site_count(LT_EV_STACK), n * 5ULL / 4);
	site_expect_sum(test, LT_CLASS_KMALLOC, 2 * n);
}

/* Sizes that vary, and more places than entries: no form without a site is written. */
static void every_event_has_its_stack(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 400; i++)
		put_stacked(i, site_place(0x1234, 100 + i, 1024, NUMA_NO_NODE), i % 7, 4);
	site_read_all(test);
	KUNIT_EXPECT_EQ(test, site_count(LT_EV_BRIEF(KMALLOC)), 400ULL);
	KUNIT_EXPECT_EQ(test, site_count(LT_EV_STACK), 7ULL);
	for (i = 0; i < site_n_records; i++) {
		unsigned int object;

		if (site_records[i].id != LT_EV_BRIEF(KMALLOC))
			continue;
		object = (site_object_of(i) - site_object(0)) / 64;
		expect_stack(test, i, object % 7, 4, 0);
		KUNIT_EXPECT_EQ(test, site_of(i)->bytes_req, 100 + object);
	}
}

static void form_fits_the_frames(struct kunit *test)
{
	static const unsigned int depths[] = { 1, 8, 9, 16, 17, 32 };
	struct lt_place p = site_place(0x1234, 100, 128, NUMA_NO_NODE);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(depths); i++)
		put_stacked(i, p, i, depths[i]);
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK,
			LT_EV_STACK, LT_EV_SITE, LT_EV_BRIEF(KMALLOC),
			LT_EV_STACK, LT_EV_SITE, LT_EV_BRIEF(KMALLOC),
			LT_EV_STACK_16, LT_EV_SITE, LT_EV_BRIEF(KMALLOC),
			LT_EV_STACK_16, LT_EV_SITE, LT_EV_BRIEF(KMALLOC),
			LT_EV_STACK_32, LT_EV_SITE, LT_EV_BRIEF(KMALLOC),
			LT_EV_STACK_32, LT_EV_SITE, LT_EV_BRIEF(KMALLOC));
	for (i = 0; i < ARRAY_SIZE(depths); i++)
		expect_stack(test, 3 + 3 * i, i, depths[i], 0);
}

static void far_frames_are_absolute(struct kunit *test)
{
	struct lt_place p = site_place(0x1234, 100, 128, NUMA_NO_NODE);
	struct lt_stack s = stack_of(1, 3);
	const struct lt_rec_STACK_WIDE *r;
	unsigned int i;

	if (!IS_ENABLED(CONFIG_64BIT))
		return;
	frames[2] = lt_text_base() - 8;
	lt_object_stacked(&site_kmalloc, site_object(1), NULL, p, &s);
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_STACK_WIDE, LT_EV_SITE, LT_EV_BRIEF(KMALLOC));
	r = site_records[1].payload;
	KUNIT_EXPECT_EQ(test, r->n_frames, 3);
	for (i = 0; i < LT_STACK_FRAMES; i++)
		KUNIT_EXPECT_EQ(test, r->frames[i], i < 3 ? (u64)frames[i] : 0);
}

/* The site has no room for a caller that is too far: it is the first frame. */
static void far_caller_is_in_the_stack(struct kunit *test)
{
	struct lt_place p = site_place(-8UL, 100, 128, NUMA_NO_NODE);
	struct lt_stack s = stack_of(1, 3);
	const struct lt_rec_STACK_WIDE *r;

	if (!IS_ENABLED(CONFIG_64BIT))
		return;
	frames[0] = p.call_site;
	lt_object_stacked(&site_kmalloc, site_object(1), NULL, p, &s);
	lt_object_stacked(&site_kmalloc, site_object(2), NULL, p, &s);
	site_put_kmalloc(3, p);
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_STACK_WIDE, LT_EV_SITE, LT_EV_BRIEF(KMALLOC),
			LT_EV_BRIEF(KMALLOC), LT_EV_KMALLOC_WIDE);
	r = site_records[1].payload;
	KUNIT_EXPECT_EQ(test, r->frames[0], (u64)p.call_site);
	KUNIT_EXPECT_EQ(test, site_of(3)->call_site, 0);
	KUNIT_EXPECT_EQ(test, site_of(3)->stack, r->stack);
	KUNIT_EXPECT_EQ(test, site_of(4)->stack, r->stack);
}

/* What an unwinder with room for @asked frames found, trimmed to @depth. */
static struct lt_stack trimmed(unsigned int n, unsigned int caller, unsigned int asked,
			       unsigned int depth, unsigned int flags, bool *found)
{
	struct lt_stack s = stack_of(0, n);

	s.flags = flags;
	*found = lt_stack_trim(frame(0, caller), asked, depth, &s);
	return s;
}

static void stack_begins_at_the_caller(struct kunit *test)
{
	struct lt_stack s;
	bool found;

	s = trimmed(10, 4, 16, 8, 0, &found);
	KUNIT_EXPECT_TRUE(test, found);
	KUNIT_EXPECT_PTR_EQ(test, s.frames, (const unsigned long *)&frames[4]);
	KUNIT_EXPECT_EQ(test, s.n, 6U);
	KUNIT_EXPECT_EQ(test, s.flags, 0U);
	/* Too many, and exactly as many as are kept. */
	s = trimmed(13, 4, 16, 8, 0, &found);
	KUNIT_EXPECT_EQ(test, s.n, 8U);
	KUNIT_EXPECT_EQ(test, s.flags, (unsigned int)LT_STACK_CUT);
	s = trimmed(12, 4, 16, 8, 0, &found);
	KUNIT_EXPECT_EQ(test, s.n, 8U);
	KUNIT_EXPECT_EQ(test, s.flags, 0U);
	/* The unwinder had no more room: there may have been more. */
	s = trimmed(16, 8, 16, 8, 0, &found);
	KUNIT_EXPECT_EQ(test, s.n, 8U);
	KUNIT_EXPECT_EQ(test, s.flags, (unsigned int)LT_STACK_CUT);
	s = trimmed(16, 12, 16, 8, 0, &found);
	KUNIT_EXPECT_EQ(test, s.n, 4U);
	KUNIT_EXPECT_EQ(test, s.flags, (unsigned int)LT_STACK_CUT);
	/* At an interrupt's entry the stack is whole, unless that is cut off, too. */
	s = trimmed(16, 12, 16, 8, LT_STACK_IRQ, &found);
	KUNIT_EXPECT_EQ(test, s.flags, (unsigned int)LT_STACK_IRQ);
	s = trimmed(16, 2, 16, 8, LT_STACK_IRQ, &found);
	KUNIT_EXPECT_EQ(test, s.flags, (unsigned int)LT_STACK_CUT);
	trimmed(10, 11, 16, 8, 0, &found);
	KUNIT_EXPECT_FALSE(test, found);
	/* An address of 0 is none. */
	s = stack_of(0, 16);
	frames[15] = 0;
	KUNIT_EXPECT_TRUE(test, lt_stack_trim(frame(0, 10), 16, 8, &s));
	KUNIT_EXPECT_EQ(test, s.n, 5U);
	KUNIT_EXPECT_EQ(test, s.flags, 0U);
	trimmed(0, 0, 16, 8, 0, &found);
	KUNIT_EXPECT_FALSE(test, found);
}

/* Where the caller is not in the stack, the event is written, without it, and counted. */
static void unknown_caller_has_no_stack(struct kunit *test)
{
	struct lt_place p = site_place(0x1234, 100, 128, NUMA_NO_NODE);

	lt_object_stacked(&site_kmalloc, site_object(1), NULL, p, NULL);
	lt_object_stacked(&site_kmalloc, site_object(2), NULL, p, NULL);
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC),
			LT_EV_BRIEF(KMALLOC));
	KUNIT_EXPECT_EQ(test, site_of(3)->stack, 0);
	KUNIT_EXPECT_EQ(test, lt_stacks_missed(), 2ULL);
	lt_stacks_close();
	KUNIT_EXPECT_EQ(test, lt_stacks_missed(), 2ULL);
}

static void full_buffer_is_counted(struct kunit *test)
{
	struct lt_place p = site_place(0x1234, 100, 128, NUMA_NO_NODE);
	const unsigned int n = 2 * SITE_N_SUBBUFS * SUBBUF_SIZE / sizeof(struct lt_rec_STACK_32);
	struct lt_class_counts counts[LT_N_CLASSES];
	unsigned int i;

	for (i = 0; i < n; i++)
		put_stacked(i, p, i, 32);
	lt_channel_counts(&lt_channel_kmem, raw_smp_processor_id(), counts);
	KUNIT_EXPECT_EQ(test, counts[LT_CLASS_INDEX(LT_CLASS_KMALLOC)].seen, (u64)n);
	KUNIT_EXPECT_GT(test, counts[LT_CLASS_INDEX(LT_CLASS_KMALLOC)].lost_full, n / 3ULL);
	KUNIT_EXPECT_LT(test, counts[LT_CLASS_INDEX(LT_CLASS_KMALLOC)].lost_full, n * 3ULL / 4);
}

/* Of births one in so many, whatever share of the addresses is recorded at all. */
static void choice_has_its_share(struct kunit *test)
{
	struct lt_stack_options o = { .depth = 8 };
	unsigned int n, i, kept, chosen;

	for (n = 1; n <= 64; n *= 2) {
		o.one_in = n;
		KUNIT_ASSERT_EQ(test, lt_stacks_open(&o), 0);
		lt_set_sample(4);
		for (i = 0, kept = 0, chosen = 0; i < 262144; i++) {
			void *ptr = (void *)(unsigned long)(0x40000000UL + 192UL * i);

			if (lt_sampled_out((unsigned long)ptr))
				continue;
			kept++;
			chosen += lt_stack_wanted(ptr, 100);
		}
		KUNIT_EXPECT_GE(test, chosen, kept / n * 3 / 4);
		KUNIT_EXPECT_LE(test, chosen, kept / n * 5 / 4);
	}
	lt_set_sample(0);
	o.one_in = 0;
	o.min = 4096;
	KUNIT_ASSERT_EQ(test, lt_stacks_open(&o), 0);
	KUNIT_EXPECT_EQ(test, lt_variant_of_session(), LT_STACKED);
	KUNIT_EXPECT_FALSE(test, lt_stack_wanted(NULL, 4095));
	KUNIT_EXPECT_TRUE(test, lt_stack_wanted(NULL, 4096));
	KUNIT_EXPECT_FALSE(test, lt_free_stack_wanted(NULL));
	o.min = 0;
	KUNIT_ASSERT_EQ(test, lt_stacks_open(&o), 0);
	KUNIT_EXPECT_FALSE(test, lt_stacks_on());
	KUNIT_EXPECT_FALSE(test, lt_stack_wanted(NULL, SIZE_MAX - 1));
}

static struct kunit_case stack_cases[] = {
	KUNIT_CASE(stack_is_announced_once_a_packet),
	KUNIT_CASE(place_without_stack_is_another_site),
	KUNIT_CASE(fast_path_compares_stacks),
	KUNIT_CASE(frees_have_stacks),
	KUNIT_CASE(pages_have_stacks),
	KUNIT_CASE(collision_replaces),
	KUNIT_CASE(every_event_has_its_stack),
	KUNIT_CASE(form_fits_the_frames),
	KUNIT_CASE(far_frames_are_absolute),
	KUNIT_CASE(far_caller_is_in_the_stack),
	KUNIT_CASE(stack_begins_at_the_caller),
	KUNIT_CASE(unknown_caller_has_no_stack),
	KUNIT_CASE(full_buffer_is_counted),
	KUNIT_CASE(choice_has_its_share),
	{}
};

struct kunit_suite lt_stack_suite = {
	.name = "lifetrace_stack",
	.init = stack_test_init,
	.exit = stack_test_exit,
	.test_cases = stack_cases,
};

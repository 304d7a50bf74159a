// SPDX-License-Identifier: GPL-2.0
/*
 * Which form an event of an object takes, and the announcement of its site.
 */
#include "kmem/site_kunit.h"

static void far_addresses_are_written_in_full(struct kunit *test)
{
	struct lt_place p = site_place(0x1234, 100, 128, NUMA_NO_NODE), far_code = p;
	struct lt_place freed = { p.call_site, LT_WHAT_FREED, 0 };
	const struct lt_rec_KMALLOC_WIDE *k;
	const struct lt_rec_KFREE_WIDE *f;

	if (!IS_ENABLED(CONFIG_64BIT))
		return;
	far_code.call_site = lt_text_base() - 1;
	site_put(&site_kmalloc, SITE_FAR, NULL, p);
	site_put(&site_kfree, SITE_FAR, NULL, freed);
	site_put(&site_kmalloc, site_object(7), NULL, far_code);
	site_put(&site_kmalloc, site_object(8), NULL, p);
	KUNIT_EXPECT_FALSE(test, site_put_fast(SITE_FAR, p, site_cpu()->last));
	/* The caller is not known: that is no far one. */
	freed.call_site = 0;
	site_put(&site_kfree, site_object(9), NULL, freed);
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_KMALLOC_WIDE, LT_EV_KFREE_WIDE,
			LT_EV_KMALLOC_WIDE, LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC),
			LT_EV_SITE_FREE,
			LT_EV_BRIEF(KFREE));
	k = site_records[1].payload;
	KUNIT_EXPECT_EQ(test, k->ptr, (u64)(unsigned long)SITE_FAR);
	KUNIT_EXPECT_EQ(test, k->call_site, (u64)p.call_site);
	KUNIT_EXPECT_EQ(test, k->bytes_req, 100ULL);
	KUNIT_EXPECT_EQ(test, k->bytes_alloc, 128ULL);
	KUNIT_EXPECT_EQ(test, k->gfp_flags, (__force u32)GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, k->node, NUMA_NO_NODE);
	f = site_records[2].payload;
	KUNIT_EXPECT_EQ(test, f->ptr, (u64)(unsigned long)SITE_FAR);
	KUNIT_EXPECT_EQ(test, f->call_site, (u64)p.call_site);
	k = site_records[3].payload;
	KUNIT_EXPECT_EQ(test, k->ptr, (u64)(unsigned long)site_object(7));
	KUNIT_EXPECT_EQ(test, k->call_site, (u64)far_code.call_site);
	site_expect(test, 5, 8, p, 0);
	KUNIT_EXPECT_EQ(test, site_of(7)->call_site, 0U);
	site_expect_sum(test, LT_CLASS_KMALLOC, 3);
	site_expect_sum(test, LT_CLASS_KFREE, 2);
}

static void large_values_find_a_form(struct kunit *test)
{
	struct lt_place sizes = site_place(0x10, 100000, 131072, NUMA_NO_NODE);
	struct lt_place node = site_place(0x20, 100, 128, 200);
	struct lt_place far_node = site_place(0x30, 100, 128, 40000);
	const struct lt_rec_KMALLOC_WIDE *k;

	site_put_kmalloc(1, sizes);
	site_put_kmalloc(2, node);
	site_put_kmalloc(3, far_node);
	/* Written in full, as if both entries were taken by other places. */
	site_close_packet();
	site_put_kmalloc(0, site_place(0x40, 1, 8, 0));
	memset(site_cpu()->sites, 0xff, LT_SITES * sizeof(struct lt_site));
	atomic_long_set(&site_cpu()->stamp, -1);
	site_put_kmalloc(4, sizes);
	site_put_kmalloc(5, node);
	site_put_kmalloc(6, site_place(0x10, 65535, 65535, -1));
	site_put_kmalloc(7, site_place(0x10, 65535, 65536, 127));
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_SITE, LT_EV_BRIEF(KMALLOC), LT_EV_SITE,
			LT_EV_BRIEF(KMALLOC), LT_EV_KMALLOC_WIDE, LT_EV_TASK, LT_EV_SITE_NARROW,
			LT_EV_BRIEF(KMALLOC), LT_EV_KMALLOC_WIDE, LT_EV_KMALLOC_WIDE,
			LT_EV_KMALLOC, LT_EV_KMALLOC_WIDE);
	site_expect(test, 2, 1, sizes, 0);
	site_expect(test, 4, 2, node, 0);
	k = site_records[5].payload;
	KUNIT_EXPECT_EQ(test, k->node, 40000);
	KUNIT_EXPECT_EQ(test, k->bytes_alloc, 128ULL);
	k = site_records[9].payload;
	KUNIT_EXPECT_EQ(test, k->bytes_req, 100000ULL);
	KUNIT_EXPECT_EQ(test, k->bytes_alloc, 131072ULL);
	k = site_records[10].payload;
	KUNIT_EXPECT_EQ(test, k->node, 200);
}

/* The narrow form of a site has what fits it, and no more. */
static void sites_have_the_smallest_form(struct kunit *test)
{
	static const struct {
		size_t req, alloc;
		int node;
		unsigned int id;
	} all[] = {
		{ 65535, 65535, 127, LT_EV_SITE_NARROW }, { 1, 8, -128, LT_EV_SITE_NARROW },
		{ 65535, 65536, 0, LT_EV_SITE }, { 65536, 65536, 0, LT_EV_SITE },
		{ 1, 8, 128, LT_EV_SITE }, { 1, 8, -129, LT_EV_SITE },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		site_put_kmalloc(i, site_place(0x10 * i, all[i].req, all[i].alloc, all[i].node));
	site_read_all(test);
	KUNIT_ASSERT_EQ(test, site_n_records, 1 + 2 * ARRAY_SIZE(all));
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		KUNIT_EXPECT_EQ(test, site_records[1 + 2 * i].id, all[i].id);
		site_expect(test, 2 + 2 * i, i,
			    site_place(0x10 * i, all[i].req, all[i].alloc, all[i].node), 0);
	}
}

static struct kunit_case form_cases[] = {
	KUNIT_CASE(far_addresses_are_written_in_full),
	KUNIT_CASE(large_values_find_a_form),
	KUNIT_CASE(sites_have_the_smallest_form),
	{}
};

struct kunit_suite lt_form_suite = {
	.name = "lifetrace_form",
	.init = site_test_init,
	.exit = site_test_exit,
	.test_cases = form_cases,
};

// SPDX-License-Identifier: GPL-2.0
/* The lifetime engine: page blocks, freed as they were allocated or in other sizes. */
#include "lifetime_test.h"
#include "scenario.h"

static const struct scenario scenarios[] = {
	{ "blocks of any order, from page 0 on",
	  "c0 100 page_alloc 0/0 | c0 110 page_alloc 8/3 | c0 120 page_alloc 1024/10 |"
	  "c1 130 page_free 0/0 | c1 140 page_free 8/3 |"
	  "c1 150 page_free 1024/10 -> P1 exact 130; P2 exact 140; P3 exact 150" },

	{ "blocks whose allocation was not seen",
	  "c0 100 page_free 8/2 |"
	  "c0 110 page_free 1024/9 -> P0:8+4 before 100; P0:1024+512 before 110" },

	/* 10, 11 and 12 are still there; 10 and 11 stayed together. */
	{ "alloc_pages_exact() of 5 pages: 3 go back at once, the rest in parts",
	  "c0 100 page_alloc 8/3 |"
	  "c0 110 page_free 13/0 | c0 111 page_free 14/0 | c0 112 page_free 15/0 ->"
	  "P1:13+1 exact 110; P1:14+1 exact 111; P1:15+1 exact 112 |"
	  "c0 200 page_free 8/1 -> P1:8+2 exact 200 |"
	  "end 300 -> P1:10+2 open; P1:12+1 open | check page_splits 1" },

	{ "blocks that are freed as one larger block, a part of which is unknown",
	  "c0 100 page_alloc 16/0 | c0 110 page_alloc 18/1 | c0 200 page_free 16/2 ->"
	  "P1:16+1 exact 200; P2:18+2 exact 200; P0:16+1/split before 200" },

	{ "blocks that are freed as one larger block",
	  "c0 300 page_alloc 16/0 | c0 310 page_alloc 17/0 |"
	  "c0 400 page_free 16/1 -> P1:16+1 exact 400; P2:17+1 exact 400" },

	{ "large blocks that are freed as a larger one, a part of which is unknown",
	  "c0 100 page_alloc 4096/8 | c0 110 page_alloc 4352/7 | c0 120 page_alloc 4607/0 |"
	  "c0 200 page_free 4096/9 -> P1:4096+256 exact 200; P2:4352+128 exact 200;"
	  "P3:4607+1 exact 200; P0:4096+127/split before 200" },

	{ "a block that is allocated again",
	  "c0 100 page_alloc 16/2 | c0 5000 page_alloc 16/2 |"
	  "c0 9000 page_free 16/2 -> P1 bounded 5000; P2 exact 9000" },

	{ "a part of a block that is allocated again, then a block around both",
	  "c0 10us page_alloc 16/2 | c0 11us page_alloc 17/0 -> P1:17+1 bounded 11us |"
	  "c0 20us page_alloc 16/3 ->"
	  "P1:16+1 bounded 20us; P2 bounded 20us; P1:18+2 bounded 20us |"
	  "c0 21us page_free 16/3 -> P3 exact 21us" },

	{ "a block of 256 pages in the second half of what is freed",
	  "c0 100 page_alloc 4352/8 | c0 200 page_free 4096/9 ->"
	  "P1:4352+256 exact 200; P0:4096+256/split before 200" },

	{ "a gap in the life of a block that is allocated again within a larger one",
	  "c0 100 page_alloc 16/0 | lost all 150 |"
	  "c0 10us page_alloc 16/1 -> P1 uncertain reborn 10us | end -> P2 open" },

	{ "a block in doubt that is freed in parts: the doubt is decided first",
	  "c0 100 page_alloc 16/1 | c0 200 page_alloc 16/1 by ? |"
	  "c0 300 page_free 16/0 by ? | c0 400 page_free 17/0 by ? ->"
	  "P1 bounded 200; P2:16+1 exact 300; P2:17+1 exact 400" },

	{ "a block in doubt that is freed within a larger one",
	  "c0 500 page_alloc 16/1 by ? | c0 600 page_alloc 16/1 by ? |"
	  "c1 610 page_free 16/1 by ? | c0 700 page_free 16/2 by ? ->"
	  "P1 uncertain 610@600; P2:16+2 uncertain 700; P0:16+2/split before 700" },

	{ "P1 P2 F1 F2: the clocks are 10 ns apart",
	  "c0 100 page_alloc 16/1 | c1 200 page_alloc 16/1 by ? | c0 210 page_free 16/1 by ? |"
	  "c1 300 page_free 16/1 by ? -> P1 exact 210@200; P2 exact 300" },

	{ "a gap",
	  "c0 100 page_alloc 16/1 | lost all 150 | c0 200 page_free 16/0 |"
	  "c0 200 page_free 64/0 -> P1:16+1 uncertain 200; P0:64+1 uncertain 200 |"
	  "end 300 -> P1:17+1 uncertain alive" },
};

/* Every page of every order, from either end, large blocks included. */
static void test_split_all(void **state)
{
	(void)state;
	for (uint8_t order = 1; order <= 10; order++) {
		uint64_t n = 1ULL << order;
		struct run r;

		run_start_plain(&r, false);
		run_page(&r, LT_CLASS_PAGE_ALLOC, 0, 100, 1ULL << 20, order);
		for (uint64_t i = 0; i < n; i++) {
			uint64_t page = (1ULL << 20) + (order & 1 ? i : n - 1 - i);

			run_page(&r, LT_CLASS_PAGE_FREE, 0, 200 + i, page, 0);
			assert_int_equal(run_last(&r)->ptr, page);
			assert_int_equal(run_last(&r)->birth.time, 100);
			assert_int_equal(run_last(&r)->certainty, LT_EXACT);
			assert_true(run_last(&r)->split);
		}
		run_finish(&r, 5000);
		assert_int_equal(r.n, n);
		assert_int_equal(r.stats.live[LT_SPACE_PAGE], 0);
	}
}

/* Any mix of orders: pages of lifetimes add up to pages allocated. */
static void test_conservation(void **state)
{
	uint64_t x = 88172645463325252ULL;
	struct run r;

	(void)state;
	run_start_plain(&r, false);
	for (uint64_t i = 0; i < 50000; i++) {
		uint8_t order;
		uint64_t pfn;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		order = (x >> 8) % 11;
		if ((x >> 40) & 3)
			order %= 3;
		pfn = (x >> 16) % 4096 & ~((1ULL << order) - 1);
		if (x & 1)
			run_page(&r, LT_CLASS_PAGE_ALLOC, 0, i * 2000, pfn, order);
		else
			run_page(&r, LT_CLASS_PAGE_FREE, x >> 60 & 1, i * 2000, pfn, order);
	}
	run_finish(&r, 200000000);
	assert_int_equal(r.stats.bad, 0);
	assert_int_equal(r.pages_died + r.pages_open, r.pages_born);
	assert_true(r.pages_open <= 4096 + 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split_all), cmocka_unit_test(test_conservation),
	};

	return scenarios_main("lifetime_page", scenarios,
			      sizeof(scenarios) / sizeof(scenarios[0]), tests, 2);
}

// SPDX-License-Identifier: GPL-2.0
/* Histories of addresses, in traces of which each lifetime is known. */
#include "uapi/lifetrace_file.h"
#include "lifetimes/history.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000100000ULL
#define LINEAR	0xffff888000000000ULL
#define MAKE	0xffffffff81000100ULL
#define DROP	0xffffffff81000900ULL
#define KERNEL	0xcc0U

static struct lt_history *history(struct tg *g, const char *info, uint64_t at, size_t most,
				  const uint64_t *addr, size_t n)
{
	struct lt_history *h;
	struct lt_trace *t;
	char text[2048];

	snprintf(text, sizeof(text), "%s%s", info, tg_info_text(g));
	tg_text(g, LT_BLOCK_INFO, text);
	tg_finish(g, 100000);
	assert_int_equal(tg_write(g, test_path("h.lt"), 0), 0);
	tg_free(g);
	t = lt_trace_open(test_path("h.lt"));
	assert_non_null(t);
	if (at)
		lt_trace_stop_at(t, at);
	h = lt_history_new(t, most);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(lt_history_add(h, addr[i], false), i);
	assert_int_equal(lt_history_add(h, addr[0], false), 0);
	lt_history_read(h);
	return h;
}

static void end(struct lt_history *h)
{
	struct lt_trace *t = h->t;

	lt_history_free(h);
	lt_trace_close(t);
}

/* Nine lives of one object; each third is freed elsewhere. An object beside it is alive. */
static struct tg *lives(void)
{
	struct tg *g = tg_new(NULL);

	TG_TASK(g, 0, 500, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
	TG_KMALLOC(g, 0, 900, .ptr = PTR + 128, .call_site = MAKE, .bytes_req = 64,
		   .bytes_alloc = 64, .gfp = KERNEL, .node = -1);
	for (uint64_t i = 0; i < 9; i++) {
		TG_KMALLOC(g, 0, 1000 + 1000 * i, .ptr = PTR, .call_site = MAKE + i,
			   .bytes_req = 60, .bytes_alloc = 64, .gfp = KERNEL, .node = -1);
		tg_kfree(g, 0, 1500 + 1000 * i, PTR, DROP + i);
	}
	return g;
}

static void test_newest_first(void **state)
{
	static const uint64_t addr[] = { PTR + 8, PTR, PTR + 63, PTR + 64, PTR + 300 };
	struct lt_history *h = history(lives(), "", 0, 0, addr, 5);

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		const struct lt_place_history *at = &h->at[k];

		assert_int_equal(at->n, 9);
		assert_int_equal(at->total, 9);
		for (uint64_t i = 0; i < 9; i++) {
			assert_int_equal(at->lifetimes[i].death.time, 9500 - 1000 * i);
			assert_int_equal(at->lifetimes[i].death.call_site, DROP + 8 - i);
			assert_int_equal(at->lifetimes[i].birth.call_site, MAKE + 8 - i);
		}
		assert_int_equal(lt_history_offset(h, at, &at->lifetimes[0]), addr[k] - PTR);
		assert_ptr_equal(lt_history_last_free(at), &at->lifetimes[0]);
		/* That beside it is an explanation only where nothing was at the address. */
		assert_true(at->has_after);
	}
	/* Between the two: behind what was freed, before what is alive. */
	assert_int_equal(h->at[3].n, 0);
	assert_false(h->at[3].has_before);
	assert_true(h->at[3].has_after);
	assert_int_equal(h->at[3].after.ptr, PTR + 128);
	assert_null(lt_history_last_free(&h->at[3]));
	assert_int_equal(h->at[4].n, 0);
	assert_true(h->at[4].has_before);
	assert_int_equal(h->at[4].before.ptr, PTR + 128);
	assert_int_equal(lt_history_extent(h, &h->at[4].before), 64);
	end(h);
}

/* Only the newest are kept, whatever their number; all are counted. */
static void test_most(void **state)
{
	static const uint64_t addr[] = { PTR + 8 };

	(void)state;
	for (size_t most = 1; most < 10; most++) {
		struct lt_history *h = history(lives(), "", 0, most, addr, 1);

		assert_int_equal(h->at[0].n, most);
		assert_int_equal(h->at[0].total, 9);
		for (uint64_t i = 0; i < most; i++)
			assert_int_equal(h->at[0].lifetimes[i].death.time, 9500 - 1000 * i);
		end(h);
	}
}

/* As of a time: what comes after it has not happened. */
static void test_at(void **state)
{
	static const uint64_t addr[] = { PTR + 8 };
	struct lt_history *h = history(lives(), "", 3200, 0, addr, 1);
	const struct lt_lifetime *l = h->at[0].lifetimes;

	(void)state;
	assert_int_equal(h->end, 3200);
	assert_int_equal(h->at[0].n, 3);
	assert_int_equal(l->ending, LT_END_ALIVE);
	assert_int_equal(l->birth.time, 3000);
	assert_ptr_equal(lt_history_last_free(&h->at[0]), l + 1);
	assert_int_equal(l[1].death.time, 2500);
	end(h);
}

static struct tg *pages(void)
{
	struct tg *g = tg_new(NULL);

	TG_TASK(g, 0, 500, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
	tg_page_alloc(g, 0, 1000, 0x100, KERNEL, 2, 0);
	tg_page_free(g, 0, 2000, 0x100, 2);
	tg_page_alloc(g, 0, 3000, 0x102, KERNEL, 0, 0);
	return g;
}

static void test_pages(void **state)
{
	/* In frame 0x102; in 0x103; behind the block. */
	static const uint64_t addr[] = { LINEAR + 0x102010, LINEAR + 0x103fff, LINEAR + 0x104000 };
	struct lt_history *h = history(pages(), "linear_base=0xffff888000000000\n", 0, 0, addr, 3);

	(void)state;
	assert_true(h->linear);
	assert_int_equal(h->at[0].n, 2);
	assert_int_equal(h->at[0].lifetimes[0].birth.time, 3000);
	assert_int_equal(lt_history_offset(h, &h->at[0], &h->at[0].lifetimes[0]), 0x10);
	assert_int_equal(lt_history_offset(h, &h->at[0], &h->at[0].lifetimes[1]), 0x2010);
	assert_int_equal(lt_history_extent(h, &h->at[0].lifetimes[1]), 0x4000);
	assert_ptr_equal(lt_history_last_free(&h->at[0]), &h->at[0].lifetimes[1]);
	assert_int_equal(h->at[1].n, 1);
	assert_int_equal(h->at[2].n, 0);
	end(h);
	/* Without it no address is one of a page, but a page frame number is. */
	h = history(pages(), "", 0, 0, addr, 3);
	assert_false(h->linear);
	assert_int_equal(h->at[0].n, 0);
	end(h);
	h = history(pages(), "linear_base=nonsense\n", 0, 0, addr, 3);
	assert_false(h->linear);
	end(h);
}

/* A page that is alive takes no place of the object that was freed in it. */
static void test_object_first(void **state)
{
	static const uint64_t addr[] = { PTR + 8 };
	struct tg *g = lives();
	struct lt_history *h;

	(void)state;
	tg_page_alloc(g, 0, 9900, (PTR - LINEAR) >> 12, KERNEL, 0, 0);
	h = history(g, "linear_base=0xffff888000000000\n", 0, 1, addr, 1);
	assert_int_equal(h->at[0].total, 10);
	assert_int_equal(h->at[0].n, 1);
	assert_int_equal(h->at[0].lifetimes->space, LT_SPACE_SLAB);
	assert_int_equal(lt_history_last_free(&h->at[0])->death.call_site, DROP + 8);
	end(h);
}

static void test_pfn(void **state)
{
	struct tg *g = pages();
	struct lt_history *h;
	struct lt_trace *t;

	(void)state;
	tg_finish(g, 100000);
	assert_int_equal(tg_write(g, test_path("h.lt"), 0), 0);
	tg_free(g);
	t = lt_trace_open(test_path("h.lt"));
	h = lt_history_new(t, 0);
	lt_history_add(h, 0x103, true);
	lt_history_add(h, 0x103, false);
	lt_history_read(h);
	assert_int_equal(h->at[0].n, 1);
	assert_int_equal(lt_history_offset(h, &h->at[0], h->at[0].lifetimes), 0x3000);
	assert_int_equal(h->at[1].n, 0);
	end(h);
}

/* The free of an object of which nothing else is known, and one of a cache, which has its size. */
static void test_before(void **state)
{
	static const uint64_t addr[] = { PTR, PTR + 8, PTR + 0x1100 };
	struct tg *g = tg_new(NULL);
	struct lt_history *h;

	(void)state;
	TG_TASK(g, 0, 500, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
	TG_CACHE(g, 0, 900, .id = 3, .ptr = 0xffff888000900000ULL, .object_size = 192, .size = 256,
		 .name = "dentry");
	tg_kfree(g, 0, 1000, PTR, DROP);
	tg_cache_free(g, 0, 2000, PTR + 0x1080, DROP + 1, 3);
	h = history(g, "", 0, 0, addr, 3);
	assert_int_equal(h->at[0].n, 1);
	assert_int_equal(h->at[0].lifetimes->certainty, LT_BEFORE);
	assert_int_equal(h->at[1].n, 0);
	assert_int_equal(h->at[2].n, 1);
	assert_int_equal(lt_history_last_free(&h->at[2])->death.call_site, DROP + 1);
	end(h);
}

/* Tags of arm64 are no part of an address. */
static void test_tags(void **state)
{
	static const uint64_t addr[] = { 0xf6ff888000100008ULL };
	struct lt_history *h = history(lives(), "machine=aarch64\n", 0, 0, addr, 1);

	(void)state;
	assert_int_equal(h->at[0].n, 9);
	assert_int_equal(lt_history_offset(h, &h->at[0], h->at[0].lifetimes), 8);
	end(h);
	h = history(lives(), "machine=x86_64\n", 0, 0, addr, 1);
	assert_int_equal(h->at[0].n, 0);
	end(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_newest_first), cmocka_unit_test(test_most),
		cmocka_unit_test(test_at), cmocka_unit_test(test_object_first),
		cmocka_unit_test(test_pages), cmocka_unit_test(test_pfn),
		cmocka_unit_test(test_before), cmocka_unit_test(test_tags),
	};

	return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/* The names of kmalloc's caches. */
#include "lifetimes/kmalloc.h"
#include "testlib.h"
#include "tracegen.h"

#define KERNEL		0xcc0U
#define DMA		0x01U
#define RECLAIMABLE	0x10U
#define ACCOUNT		0x400000U

static const char all_flags[] = "gfp 0x1 __GFP_DMA\ngfp 0x10 __GFP_RECLAIMABLE\n";
static const char old_name[] = "gfp 0x1 GFP_DMA\ngfp 0x10 __GFP_RECLAIMABLE\n";

/* A trace of a kernel: its release (10 characters), gfp lines of SCHEMA, lines of INFO. */
static struct lt_trace *kernel_with(const char *release, const char *flags,
				    unsigned int page_shift, const char *more)
{
	struct tg *g = tg_new(&(struct tg_options){ .page_shift = page_shift });
	char info[2048], schema[65536], *at;
	struct lt_trace *t;

	snprintf(info, sizeof(info), "%s%s", tg_info_text(g), more);
	snprintf(schema, sizeof(schema), "%s%s", tg_schema_text(g), flags);
	at = strstr(info, "6.1.0-test");
	assert_non_null(at);
	memcpy(at, release, 10);
	t = lt_trace_live(info, schema);
	assert_non_null(t);
	tg_free(g);
	return t;
}

static struct lt_trace *kernel(const char *release, const char *flags, unsigned int page_shift)
{
	return kernel_with(release, flags, page_shift, "");
}

static void check_slot(const struct lt_trace *t, uint64_t req, uint64_t bytes, uint32_t gfp,
		       const char *expected)
{
	struct lt_kmalloc k;
	uint64_t key;
	char buf[64];

	lt_kmalloc_init(&k, t);
	key = lt_cache_key(&k, LT_CLASS_KMALLOC, 0, req, bytes, KERNEL | gfp);
	assert_string_equal(lt_cache_key_name(t, key, buf, sizeof(buf)), expected);
	assert_int_equal(lt_cache_key_large(key), !strcmp(expected, "kmalloc (large)"));
}

static void check_name(const struct lt_trace *t, uint64_t bytes, uint32_t gfp,
		       const char *expected)
{
	check_slot(t, bytes, bytes, gfp, expected);
}

static void test_kmalloc_names(void **state)
{
	struct lt_trace *t = kernel("5.14.0-000", all_flags, 12);

	(void)state;
	check_name(t, 8, 0, "kmalloc-8");
	check_name(t, 96, 0, "kmalloc-96");
	check_name(t, 192, ACCOUNT, "kmalloc-cg-192");
	check_name(t, 512, RECLAIMABLE, "kmalloc-rcl-512");
	check_name(t, 512, DMA, "dma-kmalloc-512");
	check_name(t, 1024, 0, "kmalloc-1k");
	check_name(t, 2048, ACCOUNT, "kmalloc-cg-2k");
	check_name(t, 4096, RECLAIMABLE, "kmalloc-rcl-4k");
	check_name(t, 8192, DMA, "dma-kmalloc-8k");
	check_name(t, 12288, 0, "kmalloc (large)");
	check_name(t, 16384, ACCOUNT | DMA, "kmalloc (large)");
	/* DMA before reclaimable before accounted. */
	check_name(t, 64, DMA | RECLAIMABLE | ACCOUNT, "dma-kmalloc-64");
	check_name(t, 64, RECLAIMABLE | ACCOUNT, "kmalloc-rcl-64");
	lt_trace_close(t);

	t = kernel("5.13.19-00", all_flags, 12);
	check_name(t, 192, ACCOUNT, "kmalloc-192");
	check_name(t, 192, RECLAIMABLE | ACCOUNT, "kmalloc-rcl-192");
	lt_trace_close(t);
	t = kernel("4.19.300-0", old_name, 12);
	check_name(t, 192, ACCOUNT, "kmalloc-192");
	check_name(t, 64, DMA, "dma-kmalloc-64");
	lt_trace_close(t);
	t = kernel("6.1.0-test", "", 12);
	check_name(t, 192, ACCOUNT, "kmalloc-cg-192");
	check_name(t, 192, DMA | RECLAIMABLE, "kmalloc-192");
	lt_trace_close(t);
	t = kernel("notanumber", all_flags, 12);
	check_name(t, 192, ACCOUNT, "kmalloc-cg-192");
	lt_trace_close(t);
}

/* Slots with room for more than the object; two caches may have slots of one size. */
static void test_kmalloc_slots(void **state)
{
	struct lt_trace *t = kernel_with("6.1.0-test", all_flags, 12,
					 "kmalloc_slots=4096:8192 64:128 0:128 96:128 128:64 "
					 "999999999999999999:32 8192:16384 256:512 7\n");

	(void)state;
	check_slot(t, 200, 512, 0, "kmalloc-256");
	check_slot(t, 256, 512, ACCOUNT, "kmalloc-cg-256");
	check_slot(t, 64, 128, 0, "kmalloc-64");
	check_slot(t, 65, 128, 0, "kmalloc-96");
	check_slot(t, 4000, 8192, 0, "kmalloc-4k");
	check_slot(t, 8192, 16384, RECLAIMABLE, "kmalloc-rcl-8k");
	check_slot(t, 8193, 16384, 0, "kmalloc (large)");
	/* The cache of this slot is not in the list. */
	check_slot(t, 30, 40, 0, "kmalloc-40");
	lt_trace_close(t);
}

/* The largest cache has objects of two pages, of any page size. */
static void test_kmalloc_large_pages(void **state)
{
	struct lt_trace *t = kernel("6.1.0-test", all_flags, 16);

	(void)state;
	check_name(t, 16384, 0, "kmalloc-16k");
	check_name(t, 131072, ACCOUNT, "kmalloc-cg-128k");
	check_name(t, 262144, 0, "kmalloc (large)");
	check_name(t, UINT64_MAX, 0, "kmalloc (large)");
	lt_trace_close(t);
}

static void test_keys(void **state)
{
	struct lt_trace *t = kernel("6.1.0-test", all_flags, 12);
	struct lt_kmalloc k;
	char buf[64], tiny[4];

	(void)state;
	lt_kmalloc_init(&k, t);
	assert_int_equal(lt_cache_key(&k, LT_CLASS_NONE, 0, 64, 0, 0), 0);
	assert_int_equal(lt_cache_key(&k, LT_CLASS_CACHE_ALLOC, 0, 64, 0, 0), 0);
	assert_int_equal(lt_cache_key(&k, LT_CLASS_PAGE_ALLOC, 0, 4096, 0, 0), 0);
	assert_int_equal(lt_cache_key(&k, LT_CLASS_CACHE_ALLOC, 65535, 0, 0, 0), 65535);
	assert_string_equal(lt_cache_key_name(t, 0, buf, sizeof(buf)), "(unknown)");
	assert_string_equal(lt_cache_key_name(t, 65535, buf, sizeof(buf)), "cache #65535");
	/* A buffer that is too small cuts the name and nothing else. */
	assert_string_equal(lt_cache_key_name(t, 65535, tiny, sizeof(tiny)), "cac");
	lt_trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kmalloc_names), cmocka_unit_test(test_kmalloc_slots),
		cmocka_unit_test(test_kmalloc_large_pages), cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests_name("kmalloc", tests, NULL, NULL);
}

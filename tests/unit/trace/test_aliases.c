// SPDX-License-Identifier: GPL-2.0
/*
 * Names of merged slab caches.
 */
#include "uapi/lifetrace_file.h"
#include "lifetimes/kmalloc.h"
#include "sums/filter.h"
#include "trace/trace.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000001000ULL
#define SITE	0xffffffff81000100ULL

static struct lt_trace *open_one(void)
{
	struct tg *g = tg_new(NULL);
	struct lt_trace *t;

	tg_text(g, LT_BLOCK_SLAB, "when=start clock=1000\nalias pid :0000128\nalias alone :0000192\n"
		"alias Acpi-Operand :0000072\nalias security_inode :0000072\nalias x\n"
		"alias file_lock_ctx :0000072\n");
	/* A cache that came meanwhile, and one that is known already. */
	tg_text(g, LT_BLOCK_SLAB, "when=end clock=9000\nalias late :0000128\nalias pid :0000128\n");
	TG_CACHE(g, 0, 1000, .id = 5, .ptr = PTR + 0x10000, .object_size = 72, .size = 72,
		 .name = "Acpi-Operand");
	TG_CACHE_ALLOC(g, 0, 1010, .ptr = PTR, .call_site = SITE, .gfp = 0, .cache = 5, .node = -1);
	tg_finish(g, 9000);
	assert_int_equal(tg_write(g, test_path("aliases.lt"), 0), 0);
	tg_free(g);
	t = lt_trace_open(test_path("aliases.lt"));
	assert_non_null(t);
	return t;
}

static void test_names(void **state)
{
	struct lt_trace *t = open_one();

	(void)state;
	assert_int_equal(lt_trace_merged(t, "Acpi-Operand"), 2);
	assert_int_equal(lt_trace_merged(t, "pid"), 1);
	assert_int_equal(lt_trace_merged(t, "alone"), 0);
	assert_int_equal(lt_trace_merged(t, "unknown"), 0);
	assert_true(lt_trace_is_merged(t, "Acpi-Operand", "security_inode"));
	assert_false(lt_trace_is_merged(t, "Acpi-Operand", "pid"));
	assert_false(lt_trace_is_merged(t, "unknown", "pid"));
	assert_false(lt_trace_is_merged(t, "unknown", "unknown"));
	lt_trace_close(t);
}

static void test_shown(void **state)
{
	struct lt_trace *t = open_one();
	struct lt_event ev;
	char buf[64];

	(void)state;
	while (lt_trace_next(t, &ev) > 0)
		;
	assert_string_equal(lt_cache_key_shown(t, 5, buf, sizeof(buf)), "Acpi-Operand (+2)");
	assert_string_equal(lt_cache_key_name(t, 5, buf, sizeof(buf)), "Acpi-Operand");
	assert_string_equal(lt_cache_key_shown(t, 0, buf, sizeof(buf)), "(unknown)");
	lt_trace_close(t);
}

/* Whether a filter on the cache keeps the only event. */
static bool keeps(const char *cache)
{
	struct lt_trace *t = open_one();
	struct lt_filter *f = lt_filter_new(&(struct lt_filter_spec){ .cache = cache },
					    test_path("aliases.lt"));
	bool found = false;
	struct lt_event ev;

	assert_non_null(f);
	while (lt_trace_next(t, &ev) > 0)
		found |= ev.class == LT_CLASS_CACHE_ALLOC && lt_filter_event(f, t, &ev);
	lt_filter_free(f);
	lt_trace_close(t);
	return found;
}

/* Any of the names stands for the merged cache. */
static void test_filter(void **state)
{
	(void)state;
	assert_true(keeps("Acpi-Operand"));
	assert_true(keeps("security_inode"));
	assert_true(keeps("file_lock_ctx"));
	assert_false(keeps("pid"));
	assert_false(keeps("late"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_shown),
		cmocka_unit_test(test_filter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/* Leaks of other memory than slab objects. */
#include <stdio.h>

#include "sums/leaks.h"
#include "testlib.h"
#include "tracegen.h"

#define BEGIN	1000ULL
#define SITE	0xffffffff81000040ULL

/* Per-CPU memory, of which some is never freed; and one slab object, which is none of it. */
static void write_trace(const char *path)
{
	struct tg *g = tg_new(NULL);

	TG_TASK(g, 0, BEGIN, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
	TG_KMALLOC(g, 0, BEGIN, .ptr = 0xffff888000001000ULL, .call_site = SITE + 64,
		   .bytes_req = 64, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	TG_TASK(g, TG_AREA(0), BEGIN, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
	for (uint64_t i = 0; i < 20; i++)
		TG_PUT(g, TG_AREA(0), BEGIN + 10 * i, PERCPU_ALLOC, .ptr = 0x60fe00001000ULL + 64 * i,
		       .call_site = SITE, .bytes_req = 8, .bytes_alloc = 16);
	for (uint64_t i = 0; i < 15; i++)
		TG_PUT(g, TG_AREA(0), BEGIN + 1000 + 10 * i, PERCPU_FREE, .ptr = 0x60fe00001000ULL + 64 * i);
	tg_finish(g, 100000);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
}

static struct lt_leak_row only_row(const char *path, enum lt_space space)
{
	const struct lt_leak_options o = { .space = space, .older_ns = 10000 };
	struct lt_trace *t = lt_trace_open(path);
	struct lt_leak_row row;
	struct lt_leaks *l;

	assert_non_null(t);
	l = lt_leaks_make(t, &o);
	assert_non_null(l);
	assert_int_equal(l->n_rows, 1);
	row = l->rows[0];
	lt_leaks_free(l);
	lt_trace_close(t);
	return row;
}

static void test_space(void **state)
{
	char path[256];
	struct lt_leak_row row;

	(void)state;
	snprintf(path, sizeof(path), "%s", test_path("space.lt"));
	write_trace(path);
	row = only_row(path, LT_SPACE_PERCPU);
	assert_int_equal(row.site, SITE);
	assert_int_equal(row.births, 20);
	assert_int_equal(row.old, 5);
	row = only_row(path, LT_SPACE_NONE);
	assert_int_equal(row.site, SITE + 64);
	assert_int_equal(row.births, 1);
	row = only_row(path, LT_SPACE_SLAB);
	assert_int_equal(row.births, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_space) };

	return cmocka_run_group_tests_name("leaks_space", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/* Reports without the allocations of the program that recorded the trace. */
#include "reporttest.h"

#define RECORDER	"recorder_tid=16\nrecorder_tgid=17\nrecorder_pid_ns="

/* The task 17 of CPU 0 made two objects, an interrupt of it one, and a task of CPU 1 two. */
static struct tg *trace(const char *info)
{
	struct tg *g = tg_new(&(struct tg_options){ .info = info });

	TG_TASK(g, 0, 100, .tid = 17, .tgid = 17, .start = 50, .comm = "lifetrace");
	TG_TASK(g, 1, 100, .tid = 18, .tgid = 18, .start = 60, .comm = "dog");
	born(g, 1010, 1, A, 1024);
	born(g, 1020, 2, A, 1024);
	freed(g, 1030, 1);
	tg_context(g, 0, LT_CTX_SOFTIRQ);
	born(g, 1040, 3, A, 64);
	TG_KMALLOC(g, 1, 1050, .ptr = PTR + 0x40000, .call_site = B, .bytes_req = 256,
		   .bytes_alloc = 256, .gfp = KERNEL, .node = -1);
	TG_KMALLOC(g, 1, 1060, .ptr = PTR + 0x50000, .call_site = B, .bytes_req = 256,
		   .bytes_alloc = 256, .gfp = KERNEL, .node = -1);
	/* The recorder frees what another task made. */
	tg_context(g, 0, LT_CTX_TASK);
	freed(g, 1070, 5);
	tg_finish(g, 2000);
	return g;
}

static void test_without(void **state)
{
	struct lt_report_options o = usual;
	struct tg *g = trace(RECORDER "4026531836\n");
	struct lt_report *r;

	(void)state;
	o.no_recorder = true;
	r = report_with(g, &o);
	assert_int_equal(lt_trace_recorder(r->trace), 17);
	assert_int_equal(r->own_births, 2);
	assert_int_equal(r->own_bytes, 2048);
	assert_int_equal(r->own_live_bytes, 1024);
	assert_int_equal(at(r, A)->births, 1);
	assert_int_equal(at(r, A)->live_bytes, 64);
	assert_int_equal(at(r, B)->births, 2);
	assert_int_equal(at(r, B)->live, 1);
	assert_int_equal(r->peak_bytes, 64 + 256 + 256);
	assert_int_equal(r->peak_time, 1060);
	assert_int_equal(r->stats.births[LT_SPACE_SLAB], 3);
	assert_int_equal(r->stats.live[LT_SPACE_SLAB], 2);
	assert_int_equal(r->stats.certainty[LT_SPACE_SLAB][LT_EXACT], 1);
	assert_int_equal(r->stats.certainty[LT_SPACE_SLAB][LT_OPEN], 2);
	assert_int_equal(count_rows(r), 2);
	done(r, g);
	/* All of it, if the report is to have it. */
	g = trace(RECORDER "4026531836\n");
	r = report_with(g, &usual);
	assert_int_equal(at(r, A)->births, 3);
	assert_int_equal(r->own_births, 0);
	assert_int_equal(r->stats.births[LT_SPACE_SLAB], 5);
	done(r, g);
}

/* In another pid namespace the recorder's number is that of some other task in the trace. */
static void test_namespace(void **state)
{
	static const char *const infos[] = {
		RECORDER "4026532000\n", "recorder_tid=17\nrecorder_tgid=17\n", "",
		"recorder_pid_ns=4026531836\n", "recorder_tgid=x\nrecorder_pid_ns=4026531836\n",
	};
	struct lt_report_options o = usual;

	(void)state;
	o.no_recorder = true;
	for (size_t i = 0; i < sizeof(infos) / sizeof(infos[0]); i++) {
		struct tg *g = trace(infos[i]);
		struct lt_report *r = report_with(g, &o);

		assert_int_equal(lt_trace_recorder(r->trace), 0);
		assert_int_equal(at(r, A)->births, 3);
		assert_int_equal(r->own_births, 0);
		done(r, g);
	}
}

/*
 * What the module allocates in the tasks that it watches is left out, in a softirq, too; what the
 * kernel allocates at the same time is not.
 */
static void test_module(void **state)
{
	static const char symbols[] = "ffffffff81000100 t get\t[lifetrace]\n"
				      "ffffffff81000180 t other\t[lifetracer]\n"
				      "ffffffff81000200 T kernel\n";
	struct lt_filter_spec spec = { .site = "get" };
	struct lt_report_options o = usual;
	struct lt_report *r;
	struct tg *g;

	(void)state;
	for (int filtered = 0; filtered < 2; filtered++) {
		g = tg_new(NULL);
		tg_text(g, LT_BLOCK_SYMBOLS, symbols);
		TG_TASK(g, 0, 900, .tid = 40, .tgid = 40, .start = 50, .comm = "cat");
		TG_KMALLOC(g, 0, 1000, .ptr = PTR, .call_site = A, .bytes_req = 1000,
			   .bytes_alloc = 1024, .gfp = KERNEL, .node = -1);
		TG_KMALLOC(g, 0, 1010, .ptr = PTR + 1024, .call_site = B, .bytes_req = 1000,
			   .bytes_alloc = 1024, .gfp = KERNEL, .node = -1);
		TG_KMALLOC(g, 0, 1020, .ptr = PTR + 2048, .call_site = A + 0x90, .bytes_req = 1000,
			   .bytes_alloc = 1024, .gfp = KERNEL, .node = -1);
		tg_context(g, 0, LT_CTX_SOFTIRQ);
		TG_KMALLOC(g, 0, 1030, .ptr = PTR + 4096, .call_site = A + 8, .bytes_req = 500,
			   .bytes_alloc = 512, .gfp = KERNEL, .node = -1);
		tg_kfree(g, 0, 1040, PTR + 4096, F);
		tg_finish(g, 5000);
		o.no_recorder = true;
		o.filter = filtered ? lt_filter_new(&spec, NULL) : NULL;
		r = report_with(g, &o);
		assert_int_equal(r->all.births, filtered ? 0 : 2);
		assert_int_equal(r->own_births, 2);
		assert_int_equal(r->own_bytes, 1024 + 512);
		assert_int_equal(r->own_live_bytes, 1024);
		assert_int_equal(r->peak_bytes, filtered ? 0 : 2048);
		done(r, g);
		lt_filter_free(o.filter);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without), cmocka_unit_test(test_namespace),
		cmocka_unit_test(test_module),
	};

	return cmocka_run_group_tests_name("report_own", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/* Cgroups: that of a task at a time, the paths in the text CGROUPS, filters and reports. */
#include "tasks/cgroups.h"
#include "reporttest.h"

#define P0	TG_PID(0)
#define BORN	1000
#define ID_A	5001
#define ID_B	5002
#define ID_NO	5003	/* it was made and removed during the recording */

/*
 * The task 17 is born in /a/b, is moved to /c, and at last to one that has no path; each time it
 * makes an object. Task 18, of which the channel pid knows nothing, makes one, too.
 */
static void save(const char *names)
{
	struct tg *g = tg_new(&(struct tg_options){ .tasks = true });

	if (names)
		tg_text(g, LT_BLOCK_CGROUPS, names);
	TG_TASK(g, 0, 100, .tid = 17, .tgid = 17, .start = BORN, .comm = "cat");
	TG_TASK(g, 1, 100, .tid = 18, .tgid = 18, .start = 60, .comm = "dog");
	TG_PUT(g, P0, 1000, SNAP_BEGIN, .epoch = 1);
	TG_PUT(g, P0, 1001, SNAP_END, .epoch = 1, .complete = 1);
	TG_PUT(g, P0, 1100, TASK_NEW, .tid = 17, .tgid = 17, .start = BORN, .cgroup = ID_A);
	born(g, 1200, 1, A, 64);
	TG_PUT(g, P0, 1300, CGROUP, .tid = 17, .start = BORN, .cgroup = ID_B);
	/* A move in a hierarchy of version 1 is another matter. */
	TG_PUT(g, P0, 1310, CGROUP, .tid = 17, .start = BORN, .cgroup = 77, .hierarchy = 3);
	born(g, 1400, 2, A, 64);
	born(g, 1410, 3, A, 64);
	TG_PUT(g, P0, 1500, CGROUP, .tid = 17, .start = BORN, .cgroup = ID_NO, .group = 1);
	TG_KMALLOC(g, 1, 1550, .ptr = PTR + 0x900000, .call_site = B, .bytes_req = 64,
		   .bytes_alloc = 64, .gfp = KERNEL, .node = -1);
	TG_PUT(g, P0, 1560, EXIT, .tid = 17, .tgid = 17, .start = BORN);
	/* While it exits, it still allocates. */
	born(g, 1600, 4, A, 64);
	tg_context(g, 0, LT_CTX_SOFTIRQ);
	born(g, 1700, 5, A, 64);
	tg_finish(g, 3000);
	assert_int_equal(tg_write(g, test_path("r.lt"), 0), 0);
	tg_free(g);
}

static const char *const names = "5001 /a/b\n5002 /c\n";

static void test_at(void **state)
{
	struct lt_task cat = { .tid = 17, .start = BORN }, dog = { .tid = 18, .start = 60 };
	struct lt_cgroups *c;

	(void)state;
	save(names);
	c = lt_cgroups_read(test_path("r.lt"));
	assert_non_null(c);
	assert_int_equal(lt_cgroups_at(c, &cat, 1200), ID_A);
	assert_int_equal(lt_cgroups_at(c, &cat, 1299), ID_A);
	assert_int_equal(lt_cgroups_at(c, &cat, 1300), ID_B);
	assert_int_equal(lt_cgroups_at(c, &cat, 1499), ID_B);
	assert_int_equal(lt_cgroups_at(c, &cat, 1600), ID_NO);
	assert_int_equal(lt_cgroups_at(c, &dog, 1600), 0);
	lt_cgroups_free(c);
}

/* Users choose the names of cgroups, and a hostile file has any lines. */
static void test_names(void **state)
{
	static const struct {
		uint64_t id;
		const char *path;
	} expected[] = {
		{ 1, "/" }, { 2, "/two words\n" }, { 3, "/\\x4" }, { 4, "/later" },
		{ 5, "/\xff\\" }, { 6, NULL }, { 7, NULL }, { 8, NULL }, { 9, "/\\xzz" },
		{ UINT64_MAX, "/max" }, { 0, NULL },
	};
	struct lt_cgroups *c;
	char buf[64];

	(void)state;
	save("1 /\n2 /two\\x20words\\x0a\n3 /\\x4\n4 /first\n\n \nleft_out 7\n4 /later\n"
	     "5 /\\xff\\x5c\n6\n7 relative\n8x /no\n9 /\\xzz\n18446744073709551615 /max\n0 /zero\n"
	     "18446744073709551616 /more\n-1 /minus\n");
	c = lt_cgroups_read(test_path("r.lt"));
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const char *path = lt_cgroups_path(c, expected[i].id);

		if (!expected[i].path)
			assert_null(path);
		else
			assert_string_equal(path, expected[i].path);
	}
	assert_string_equal(lt_cgroups_label(c, 1, buf, sizeof(buf)), "/");
	assert_string_equal(lt_cgroups_label(c, 99, buf, sizeof(buf)), "id:99");
	lt_cgroups_free(c);
}

/* A path means what is below it, too; what has no path is chosen by its id. */
static void test_choose(void **state)
{
	static const struct {
		const char *text;
		bool a, b, none;
	} cases[] = {
		{ "/", true, true, false }, { "/a", true, false, false },
		{ "/a/", true, false, false }, { "/a/b", true, false, false },
		{ "/c", false, true, false }, { "id:5003", false, false, true },
		{ "id:5001", true, false, false },
	};
	static const char *const wrong[] = { "/a/b/c", "/x", "a", "id:", "id:0", "id:x", "" };
	struct lt_cgroups *c;

	(void)state;
	save(names);
	c = lt_cgroups_read(test_path("r.lt"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(lt_cgroups_choose(c, cases[i].text), 0);
		assert_int_equal(lt_cgroups_chosen(c, ID_A), cases[i].a);
		assert_int_equal(lt_cgroups_chosen(c, ID_B), cases[i].b);
		assert_int_equal(lt_cgroups_chosen(c, ID_NO), cases[i].none);
		assert_false(lt_cgroups_chosen(c, 0));
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		test_stderr_begin();
		assert_int_equal(lt_cgroups_choose(c, wrong[i]), -1);
		assert_non_null(strstr(test_stderr_end(), "--cgroup: "));
	}
	test_stderr_begin();
	lt_cgroups_choose(c, "/b");
	assert_non_null(strstr(test_stderr_end(), "did you mean '/c'"));
	lt_cgroups_free(c);
	/* An older trace has no paths. */
	save(NULL);
	c = lt_cgroups_read(test_path("r.lt"));
	test_stderr_begin();
	assert_int_equal(lt_cgroups_choose(c, "/a"), -1);
	assert_non_null(strstr(test_stderr_end(), "only their ids"));
	assert_int_equal(lt_cgroups_choose(c, "id:5001"), 0);
	lt_cgroups_free(c);
}

static uint64_t at_time(const void *arg, const struct lt_task *task, uint64_t time)
{
	return lt_cgroups_at(arg, task, time);
}

static const char *label(const void *arg, uint64_t id, char *buf, size_t size)
{
	return lt_cgroups_label(arg, id, buf, size);
}

static bool is_member(void *arg, const struct lt_task *task, uint64_t time)
{
	return lt_cgroups_chosen(arg, lt_cgroups_at(arg, task, time));
}

static void test_report(void **state)
{
	struct lt_report_options o = usual;
	struct lt_filter_spec spec = { .cgroup = "/c", .member = is_member };
	struct lt_cgroups *c;
	struct lt_report *r;

	(void)state;
	save(names);
	c = lt_cgroups_read(test_path("r.lt"));
	o.by = LT_BY_CGROUP;
	o.group = at_time;
	o.group_name = label;
	o.groups = c;
	r = lt_report_make(test_path("r.lt"), &o);
	assert_int_equal(named(r, "/a/b")->births, 1);
	assert_int_equal(named(r, "/a/b")->live, 1);
	assert_int_equal(named(r, "/a/b")->group, ID_A);
	assert_int_equal(named(r, "/c")->births, 2);
	assert_int_equal(named(r, "id:5003")->births, 1);
	assert_int_equal(named(r, "(unknown)")->births, 1);
	assert_int_equal(named(r, "[softirq]")->births, 1);
	assert_int_equal(named(r, "[softirq]")->group, 0);
	assert_int_equal(count_rows(r), 5);
	lt_report_free(r);

	assert_int_equal(lt_cgroups_choose(c, spec.cgroup), 0);
	spec.arg = c;
	o.filter = lt_filter_new(&spec, test_path("r.lt"));
	r = lt_report_make(test_path("r.lt"), &o);
	assert_int_equal(r->all.births, 2);
	assert_int_equal(named(r, "/c")->births, 2);
	lt_report_free(r);
	lt_filter_free(o.filter);
	lt_cgroups_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at), cmocka_unit_test(test_names),
		cmocka_unit_test(test_choose), cmocka_unit_test(test_report),
	};

	return cmocka_run_group_tests_name("cgroups", tests, NULL, NULL);
}

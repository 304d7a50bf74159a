// SPDX-License-Identifier: GPL-2.0
/*
 * The forest of tasks, and the hazards of numbers.
 */
#include "print/tree.h"
#include "tasks/hazard.h"
#include "tasktest.h"

/* ------------------------------------------------------------------------
 * The forest
 */

/*
 * init - sh 100 - make 200 - cc 300 (exit 1), orphan 301 (its parent dies first)
 *                          - thread 201, which makes 400
 *               - 500 by 200, with CLONE_PARENT
 */
static struct lt_tasks *family(void)
{
	struct lt_tasks *tb = world(NULL);

	born(tb, 1000000, 200, 100, 4);
	ev(tb, RENAME, 1001000, .tid = 200, .start = 1000000, .old_comm = T("sh"),
	   .comm = T("make"));
	ev(tb, EXEC, 1002000, .tid = 200, .start = 1000000, .old_tid = 200, .old_start = 1000000,
	   .file = T("/usr/bin/make"));
	thread_born(tb, 1100000, 201, 200, 1000000);
	born(tb, 1200000, 300, 200, 1000000);
	born(tb, 1300000, 301, 300, 1200000);
	ev(tb, EXIT, 1400000, .tid = 300, .tgid = 300, .start = 1200000, .group_dead = 1,
	   .code = 0x100, .parent = 200, .parent_start = 1000000, .runtime = 300000,
	   .comm = T("cc"));
	ev(tb, TASK_NEW, 1500000, .tid = 400, .tgid = 400, .start = 1500000, .creator = 201,
	   .creator_start = 1100000, .parent = 200, .parent_start = 1000000,
	   .comm = T("by thread"));
	ev(tb, TASK_NEW, 1600000, .tid = 500, .tgid = 500, .start = 1600000, .creator = 200,
	   .creator_start = 1000000, .parent = 100, .parent_start = 4, .clone_flags = 0x8000,
	   .comm = T("sibling"));
	ev(tb, EXIT, 1700000, .tid = 301, .tgid = 301, .start = 1300000, .group_dead = 1, INIT,
	   .code = 9, .runtime = 70000, .comm = T("orphan"));
	ev(tb, EXIT, 1800000, .tid = 201, .tgid = 200, .start = 1100000, INIT, .runtime = 40000,
	   .comm = T("thread"));
	ev(tb, EXIT, 1900000, .tid = 200, .tgid = 200, .start = 1000000, .group_dead = 1,
	   .parent = 100, .parent_start = 4, .runtime = 1000000, .comm = T("make"));
	lt_tasks_finish(tb, 5000000);
	return tb;
}

static const struct lt_task_node *node(const struct lt_task_tree *tree, uint32_t tid,
				       uint64_t start)
{
	uint32_t inst = lt_tasks_find(tree->tb, tid, start);

	assert_int_not_equal(inst, 0);
	return &tree->nodes[inst];
}

static uint32_t up(const struct lt_task_tree *tree, uint32_t tid, uint64_t start)
{
	uint32_t inst = node(tree, tid, start)->up;

	return inst ? lt_tasks_get(tree->tb, inst)->tid : 0;
}

static void test_edges(void **state)
{
	struct lt_tasks *tb = family();
	struct lt_task_tree tree;

	(void)state;
	lt_task_tree_make(&tree, tb, LT_BY_PARENT);
	assert_int_equal(up(&tree, 301, 1300000), 300);
	assert_int_equal(up(&tree, 201, 1100000), 200);
	assert_int_equal(up(&tree, 400, 1500000), 200);
	assert_int_equal(up(&tree, 500, 1600000), 100);
	assert_int_equal(up(&tree, 1, 1), 0);
	assert_int_equal(tree.roots, 2);
	assert_int_equal(tree.cycles, 0);
	assert_int_equal(tree.processes, lt_tasks_totals(tb)->processes);
	assert_int_equal(tree.threads, 1);
	lt_task_tree_free(&tree);

	lt_task_tree_make(&tree, tb, LT_BY_CREATOR);
	assert_int_equal(up(&tree, 400, 1500000), 200);
	assert_int_equal(up(&tree, 500, 1600000), 200);
	/* Of tasks from before the trace only the parent is known. */
	assert_int_equal(up(&tree, 100, 4), 1);
	lt_task_tree_free(&tree);

	lt_task_tree_make(&tree, tb, LT_BY_CREATOR_THREAD);
	assert_int_equal(up(&tree, 400, 1500000), 201);
	lt_task_tree_free(&tree);
	lt_tasks_free(tb);
}

static void test_sums(void **state)
{
	struct lt_tasks *tb = family();
	const struct lt_task_node *n;
	struct lt_task_tree tree;

	(void)state;
	lt_task_tree_make(&tree, tb, LT_BY_PARENT);
	n = node(&tree, 200, 1000000);
	assert_int_equal(n->processes, 4);
	assert_int_equal(n->threads, 1);
	assert_int_equal(n->cpu, 1000000 + 300000 + 70000 + 40000);
	assert_int_equal(n->begin, 1000000);
	assert_int_equal(n->end, 5000000);		/* 400 is alive */
	n = node(&tree, 300, 1200000);
	assert_int_equal(n->processes, 2);
	assert_int_equal(n->cpu, 370000);
	/* The subtree's span reaches to the end of the child that outlived the process. */
	assert_int_equal(n->begin, 1200000);
	assert_int_equal(n->end, 1700000);
	lt_task_tree_free(&tree);
	lt_tasks_free(tb);
}

static char *print(struct lt_tasks *tb, struct lt_tree_view *p,
		   enum lt_task_edges edges, uint64_t trees)
{
	struct lt_out out = captured_begin();
	struct lt_task_tree tree;

	lt_task_tree_make(&tree, tb, edges);
	p->out = &out;
	p->tree = &tree;
	if (!p->depth)
		p->depth = UINT32_MAX;
	assert_int_equal(lt_tree_print(p), trees);
	lt_task_tree_free(&tree);
	return captured_end(&out);
}

static size_t lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

#define has(text, what)		assert_non_null(strstr(text, what))
#define has_not(text, what)	assert_null(strstr(text, what))

static void test_text(void **state)
{
	struct lt_tasks *tb = family();
	struct lt_tree_view p = { .threads = true };
	char *text = print(tb, &p, LT_BY_PARENT, 2);

	(void)state;
	has(text, "\n[1] init /sbin/init ");
	has(text, "\n  [100] sh /bin/sh ");
	has(text, "\n    [200] make /usr/bin/make start=0.001000 end=0.001900 elapsed=0.000900 "
	    "cpu=0.001000 exit 0 {4 processes, 1 threads, 4.0 ms, cpu 0.001410}\n");
	has(text, "\n      (201) thread /usr/bin/make ");
	has(text, "\n      [300] cc /usr/bin/make ");
	has(text, " exit 1 {2 processes, 0 threads, 500.0 us, cpu 0.000370}\n");
	has(text, "\n        [301] orphan ");
	has(text, " signal 9 -- reparented\n");
	has(text, " alive -- not made by its parent\n");
	has(text, " alive {");
	has(text, "[2] kthreadd ");
	has(text, "-- before, kernel thread");
	has(text, "10 instances: 9 processes, 1 threads; 2 roots, 0 placeholders, 0 orphans, "
	    "0 links refused\n");
	has(text, "acyclic by construction: 0 edges against the order of starts, 5 levels\n");
	free(text);

	/* Without threads their time is their process's. */
	p = (struct lt_tree_view){ 0 };
	text = print(tb, &p, LT_BY_PARENT, 2);
	has_not(text, "(201)");
	has(text, " cpu=0.001040 exit 0 {4 processes, 1 threads, 4.0 ms, cpu 0.001410}\n");
	free(text);

	p = (struct lt_tree_view){ .format = LT_FORMAT_JSON };
	text = print(tb, &p, LT_BY_PARENT, 2);
	has(text, "{\"depth\":3,\"tid\":300,\"start_ns\":1200000,\"tgid\":300,\"up_tid\":200,"
	    "\"up_start_ns\":1000000,\"comm\":\"cc\",\"file\":\"/usr/bin/make\","
	    "\"begin_ns\":1200000,\"end_ns\":1400000,\"elapsed_ns\":200000,\"cpu_ns\":300000,"
	    "\"exit_code\":1,\"exit_signal\":0,\"birth_certainty\":\"exact\","
	    "\"end_certainty\":\"exact\",\"ended_by\":\"exit\",\"remarks\":\"\","
	    "\"processes\":2,\"threads\":0,\"span_ns\":500000,\"tree_cpu_ns\":370000}\n");
	has(text, "\"exit_code\":0,\"exit_signal\":9,\"birth_certainty\":\"exact\","
	    "\"end_certainty\":\"exact\",\"ended_by\":\"exit\",\"remarks\":\"reparented\",");
	has(text, "\"elapsed_ns\":3500000,\"birth_certainty\":\"exact\","
	    "\"end_certainty\":\"open\",\"ended_by\":\"alive\",");
	has(text, "{\"totals\":{\"instances\":10,\"processes\":9,\"threads\":1,\"roots\":2,"
	    "\"placeholders\":0,\"orphans\":0,\"refused\":0,\"births\":6,\"deaths\":4,"
	    "\"became_leaders\":0,\"alive\":6,\"reused\":0,\"generations\":0,\"wraps\":0,"
	    "\"cycles\":0,\"levels\":5}}\n");
	free(text);

	p = (struct lt_tree_view){ .depth = 1 };
	text = print(tb, &p, LT_BY_PARENT, 2);
	has(text, "[100]");
	has_not(text, "[200]");
	free(text);
	lt_tasks_free(tb);
}

static void test_roots(void **state)
{
	struct lt_tasks *tb = family();
	struct lt_tree_view p = { .root = "make" };
	char *text = print(tb, &p, LT_BY_PARENT, 2);

	(void)state;
	has(text, "\n[200] make ");
	has(text, "\n  [300] ");
	/* Its creator's program is its own until it executes another. */
	has(text, "\n[500] sibling /usr/bin/make ");
	has_not(text, "[100]");
	free(text);

	/* A root can be chosen by the last part of the program's path. */
	p = (struct lt_tree_view){ .root = "sh" };
	text = print(tb, &p, LT_BY_PARENT, 1);
	has(text, "\n[100] sh ");
	free(text);

	p = (struct lt_tree_view){ .root = "none" };
	text = print(tb, &p, LT_BY_PARENT, 0);
	free(text);
	lt_tasks_free(tb);

	/* A root that is a number: all its instances. */
	tb = world(NULL);
	born(tb, 1000, 200, 100, 4);
	born(tb, 1001, 300, 200, 1000);
	died(tb, 1002, 200, 1000);
	born(tb, 1003, 200, 100, 4);
	born(tb, 1004, 301, 200, 1003);
	lt_tasks_finish(tb, 5000);
	p = (struct lt_tree_view){ .root = "200", .format = LT_FORMAT_JSON };
	text = print(tb, &p, LT_BY_PARENT, 2);
	assert_int_equal(lines(text), 5);
	has(text, "{\"depth\":0,\"tid\":200,\"start_ns\":1000,");
	has(text, "{\"depth\":1,\"tid\":300,\"start_ns\":1001,\"tgid\":300,\"up_tid\":200,"
	    "\"up_start_ns\":1000,");
	has(text, "{\"depth\":0,\"tid\":200,\"start_ns\":1003,");
	has(text, "\"up_tid\":200,\"up_start_ns\":1003,");
	has(text, "{\"totals\":{\"instances\":8,");
	free(text);
	lt_tasks_free(tb);
}

/* Placeholders and ends that were not seen are marked. */
static void test_marks(void **state)
{
	struct lt_tasks *tb = world(NULL);
	struct lt_tree_view p = { 0 };
	char *text;

	(void)state;
	born(tb, 1000, 300, 250, 900);
	born(tb, 1010, 200, 100, 4);
	born(tb, 1020, 200, 100, 4);
	ev(tb, TASK_NEW, 1030, .tid = 201, .tgid = 201, .start = 1030, .creator = 9,
	   .creator_start = 5000, .parent = 9, .parent_start = 5000, .comm = T("future"));
	lt_tasks_finish(tb, 5000);
	text = print(tb, &p, LT_BY_PARENT, 4);
	has(text, "\n[250] \"\" start=");
	has(text, " -- placeholder\n  [300] sh ");
	has(text, "end<=0.000001 ");
	has(text, " -- end not seen\n");
	has(text, " -- orphan\n");
	has(text, "1 placeholders, 2 orphans, 2 links refused");
	free(text);
	lt_tasks_free(tb);
}

/* A chain as long as a trace: neither the stack nor the indentation grows with it. */
static void test_deep(void **state)
{
	const uint32_t n = 200000;
	struct lt_tasks *tb = lt_tasks_new(NULL);
	struct lt_tree_view p = { 0 };
	char *text;

	(void)state;
	for (uint32_t i = 1; i <= n; i++)
		born(tb, i, i, i - 1, i - 1);
	lt_tasks_finish(tb, n + 1);
	text = print(tb, &p, LT_BY_PARENT, 1);
	assert_int_equal(lines(text), n + 8);
	assert_true(strlen(text) < (size_t)n * 400);
	has(text, " +199959 [200000] ");
	has(text, " {200000 processes, 0 threads, ");
	has(text, "200000 levels\n");
	free(text);
	lt_tasks_free(tb);
}

/* Times of tasks from before the trace, where both clocks are known. */
static void test_begin_times(void **state)
{
	struct lt_tasks_config config = { .begin = 1000, .begin_boot = 6000 };
	struct lt_tasks *tb = lt_tasks_new(&config);
	const struct lt_task_inst *t;

	(void)state;
	ev(tb, SNAP_BEGIN, 1010, .epoch = 1);
	ev(tb, STATE, 1011, .epoch = 1, .tid = 5, .tgid = 5, .start = 2000, .comm = T("old"));
	ev(tb, STATE, 1012, .epoch = 1, .tid = 6, .tgid = 6, .start = UINT64_MAX, .comm = T("odd"));
	ev(tb, STATE, 1013, .epoch = 1, .tid = 7, .tgid = 7, .start = 0, .comm = T("unknown"));
	ev(tb, SNAP_END, 1020, .epoch = 1, .complete = 1);
	ev(tb, EXIT, 1500, .tid = 5, .tgid = 5, .start = 2000, .group_dead = 1);
	lt_tasks_finish(tb, 3000);
	t = inst_of(tb, 5, 2000);
	assert_true(lt_task_begin_time(tb, t) == -3000);
	assert_int_equal(lt_task_lifetime(tb, t), 4500);
	assert_int_equal(t->birth_is, LT_BEFORE);
	t = inst_of(tb, 6, UINT64_MAX);
	assert_true(lt_task_begin_time(tb, t) == 1012);
	/* Not since the machine has started: its start is not known. */
	t = inst_of(tb, 7, 0);
	assert_int_equal(t->birth_is, LT_BEFORE);
	assert_true(lt_task_begin_time(tb, t) == 1013);
	assert_int_equal(lt_task_lifetime(tb, t), 1987);
	lt_tasks_free(tb);
}

/* Any difference between trace time and boot time is handled. */
static void test_begin_long_ago(void **state)
{
	struct lt_tasks_config config = { .begin = 1000, .begin_boot = 1ULL << 63 };
	struct lt_tasks *tb = lt_tasks_new(&config);
	struct lt_tree_view p = { .times.begin = 1000, .format = LT_FORMAT_JSON };
	char *text;

	(void)state;
	ev(tb, SNAP_BEGIN, 1010, .epoch = 1);
	ev(tb, STATE, 1011, .epoch = 1, .tid = 5, .tgid = 5, .start = 2000, .comm = T("old"));
	ev(tb, SNAP_END, 1020, .epoch = 1, .complete = 1);
	ev(tb, EXIT, 1ULL << 40, .tid = 5, .tgid = 5, .start = 2000, .group_dead = 1);
	lt_tasks_finish(tb, 1ULL << 41);
	text = print(tb, &p, LT_BY_PARENT, 1);
	has(text, "old");
	free(text);
	lt_tasks_free(tb);
}

/* ------------------------------------------------------------------------
 * Hazards
 */

static uint64_t count(const struct lt_hazards *h, enum lt_hazard_id id)
{
	return lt_hazards_get(h, id)->count;
}

static void hazardous_events(struct lt_tasks *tb)
{
	world_events(tb);
	/* Reused 15 ns after its exit, with a child alive; released when the next lives. */
	born(tb, 1000, 200, 100, 4);
	born(tb, 1001, 300, 200, 1000);
	died(tb, 1010, 200, 1000);
	born(tb, 1025, 200, 100, 4);
	ev(tb, RELEASE, 1030, .tid = 200, .start = 1000);
	/* No hazard: late reuse, no child left (one died twice), released in time. */
	born(tb, 1031, 350, 300, 1001);
	thread_born(tb, 1032, 351, 300, 1001);
	died(tb, 1033, 350, 1031);
	died(tb, 1034, 350, 1031);
	died(tb, 1040, 300, 1001);
	ev(tb, RELEASE, 1041, .tid = 300, .start = 1001);
	born(tb, 1060, 300, 100, 4);
	/* Created by a thread: the thread's process is the parent. */
	thread_born(tb, 1062, 206, 200, 1025);
	ev(tb, TASK_NEW, 1063, .tid = 207, .tgid = 207, .start = 1063, .creator = 206,
	   .creator_start = 1062, .parent = 200, .parent_start = 1025);
	ev(tb, EXIT, 1064, .tid = 206, .tgid = 200, .start = 1062);
	/* A thread becomes the leader; the old one is released by the thread's number. */
	thread_born(tb, 1070, 201, 200, 1025);
	ev(tb, EXIT, 1080, .tid = 200, .tgid = 200, .start = 1025, INIT);
	ev(tb, EXEC, 1081, .tid = 200, .start = 1025, .old_tid = 201, .old_start = 1070,
	   .file = T("/x"));
	ev(tb, RELEASE, 1090, .tid = 201, .start = 1025);
	/* A leader that exits before its thread. */
	thread_born(tb, 1100, 301, 300, 1060);
	ev(tb, EXIT, 1110, .tid = 300, .tgid = 300, .start = 1060, INIT);
	/* CLONE_PARENT; an I/O worker; a number without a wrap; burned ones. */
	ev(tb, TASK_NEW, 1120, .tid = 400, .tgid = 400, .start = 1120, .creator = 200,
	   .creator_start = 1025, .parent = 100, .parent_start = 4, .clone_flags = 0x8000);
	ev(tb, TASK_NEW, 1121, .tid = 401, .tgid = 200, .start = 1121, .creator = 200,
	   .creator_start = 1025, INIT, .clone_flags = 0x10000, .flags = 2);
	ev(tb, WRAP, 1130, .ns = 1, .generation = 8, .why = 2, .nr = 55);
	ev(tb, WRAP, 1131, .ns = 1, .generation = 9, .why = 1, .nr = 300);
	ev(tb, PID_NS, 1140, .ns = 1, .generation = 9, .allocated = 30, .born = 9, .burned = 12);
	ev(tb, PID_NS, 1141, .ns = 2, .level = 1, .allocated = 30, .born = 9, .burned = 5);
}

static void test_hazards(void **state)
{
	struct lt_tasks *tb = lt_tasks_new(NULL);
	struct lt_hazards *h = lt_hazards_new(tb, 2, 20);
	const struct lt_hazard_example *e;

	(void)state;
	hazardous_events(tb);
	lt_tasks_finish(tb, 5000);
	lt_hazards_finish(h);
	assert_int_equal(count(h, LT_HAZARD_LATE_RELEASE), 1);
	assert_int_equal(count(h, LT_HAZARD_EXIT_BEFORE_EXEC), 1);
	assert_int_equal(count(h, LT_HAZARD_THREAD_EXEC), 1);
	assert_int_equal(count(h, LT_HAZARD_QUICK_REUSE), 1);
	assert_int_equal(count(h, LT_HAZARD_REUSED_PARENT), 1);
	assert_int_equal(count(h, LT_HAZARD_NO_WRAP), 1);
	assert_int_equal(count(h, LT_HAZARD_LEADER_FIRST), 1);
	assert_int_equal(count(h, LT_HAZARD_BURNED), 17);
	assert_int_equal(count(h, LT_HAZARD_NOT_PARENT), 1);
	assert_int_equal(count(h, LT_HAZARD_NO_FORK), 1);
	e = &lt_hazards_get(h, LT_HAZARD_LATE_RELEASE)->examples[0];
	assert_int_equal(lt_tasks_get(tb, e->inst)->start, 1000);
	assert_int_equal(lt_tasks_get(tb, e->other)->start, 1025);
	assert_int_equal(e->value, 5);
	assert_int_equal(lt_hazards_get(h, LT_HAZARD_QUICK_REUSE)->examples[0].value, 15);
	assert_int_equal(lt_hazards_get(h, LT_HAZARD_REUSED_PARENT)->examples[0].value, 1);
	assert_int_equal(lt_hazards_get(h, LT_HAZARD_NO_WRAP)->examples[0].value, 55);
	assert_int_equal(lt_hazards_get(h, LT_HAZARD_BURNED)->n, 2);
	assert_int_equal(lt_hazards_get(h, LT_HAZARD_BURNED)->examples[1].value, 5);
	lt_hazards_free(h);
	lt_tasks_free(tb);
}

/* A snapshot met a child with its new parent, before its birth named the first one. */
static void test_hazard_of_parents(void **state)
{
	struct lt_tasks *tb = lt_tasks_new(NULL);
	struct lt_hazards *h = lt_hazards_new(tb, 2, 20);

	(void)state;
	world_events(tb);
	born(tb, 100, 200, 100, 4);
	ev(tb, SNAP_BEGIN, 110, .epoch = 5, .purpose = 1);
	ev(tb, STATE, 111, .epoch = 5, .tid = 300, .tgid = 300, .start = 105, .parent = 200,
	   .parent_start = 100);
	ev(tb, TASK_NEW, 112, .tid = 300, .tgid = 300, .start = 105, .creator = 100,
	   .creator_start = 4, .parent = 100, .parent_start = 4);
	died(tb, 120, 200, 100);
	born(tb, 130, 200, 100, 4);
	assert_int_equal(count(h, LT_HAZARD_REUSED_PARENT), 0);
	/* The end of a child that was not counted changes no count. */
	died(tb, 140, 100, 4);
	born(tb, 150, 100, 1, 1);
	assert_int_equal(count(h, LT_HAZARD_REUSED_PARENT), 1);
	lt_tasks_finish(tb, 5000);
	lt_hazards_finish(h);
	assert_int_equal(lt_hazards_get(h, LT_HAZARD_REUSED_PARENT)->examples[0].value, 2);
	lt_hazards_free(h);
	lt_tasks_free(tb);
}

/* The limit of examples is kept, also 0. */
static void test_hazard_limit(void **state)
{
	(void)state;
	for (size_t limit = 0; limit < 4; limit += 3) {
		struct lt_tasks *tb = lt_tasks_new(NULL);
		struct lt_hazards *h = lt_hazards_new(tb, limit, 20);

		for (uint64_t at = 1000; at < 1100; at += 2) {
			born(tb, at, 200, 100, 4);
			died(tb, at + 1, 200, at);
		}
		lt_tasks_finish(tb, 5000);
		lt_hazards_finish(h);
		assert_int_equal(count(h, LT_HAZARD_QUICK_REUSE), 49);
		assert_int_equal(lt_hazards_get(h, LT_HAZARD_QUICK_REUSE)->n, limit);
		lt_hazards_free(h);
		lt_tasks_free(tb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_roots),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_begin_times),
		cmocka_unit_test(test_begin_long_ago),
		cmocka_unit_test(test_hazards),
		cmocka_unit_test(test_hazard_of_parents),
		cmocka_unit_test(test_hazard_limit),
	};

	return cmocka_run_group_tests_name("task_tree", tests, NULL, NULL);
}

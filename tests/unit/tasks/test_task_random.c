// SPDX-License-Identifier: GPL-2.0
/*
 * Random events: tasks form a forest, each is in it once, and sums agree, whatever a trace
 * contains. There are few identities, so that all combinations occur.
 */
#include <fcntl.h>
#include <unistd.h>

#include "verify/tasks.h"
#include "print/tree.h"
#include "tasks/hazard.h"
#include "print/tasks.h"
#include "tasktest.h"

#define ROUNDS	600
#define EVENTS	1500

static uint64_t seed;

static uint32_t rnd(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

static struct lt_task_text some_name(void)
{
	static const char *const names[] = { "", "a", "b\n", "\xff\\", "\"," };
	const char *s = names[rnd(5)];

	return (struct lt_task_text){ s, strlen(s) };
}

static void some_event(struct lt_task_event *e, uint64_t time)
{
	static const uint16_t ids[] = {
		LT_EV_TASK_NEW, LT_EV_TASK_NEW, LT_EV_TASK_NUMBER, LT_EV_NUMBER_REUSED,
		LT_EV_WRAP, LT_EV_PID_NS, LT_EV_PID_NS_GONE, LT_EV_EXEC, LT_EV_EXEC, LT_EV_RENAME,
		LT_EV_OOM, LT_EV_CRED, LT_EV_CGROUP, LT_EV_EXIT, LT_EV_EXIT, LT_EV_RELEASE,
		LT_EV_SNAP_BEGIN, LT_EV_STATE, LT_EV_STATE, LT_EV_STATE, LT_EV_SNAP_END, LT_EV_COUNTER,
		0x1fe,
	};
	uint32_t n = 4 + rnd(20), starts = 1 + rnd(12);

	*e = (struct lt_task_event){
		.time = time, .id = ids[rnd(sizeof(ids) / sizeof(ids[0]))],
		.tid = rnd(n), .tgid = rnd(n), .start = rnd(starts), .creator = rnd(n),
		.creator_start = rnd(starts), .parent = rnd(n), .parent_start = rnd(starts),
		.clone_flags = (uint64_t)rnd(8) << 14, .flags = (uint8_t)rnd(16),
		.ns = (uint16_t)rnd(4), .nr = rnd(n), .generation = rnd(4), .uid = rnd(3),
		.old_uid = rnd(3), .gid = rnd(3), .old_gid = rnd(3), .cgroup = rnd(3),
		.oom_score_adj = (int16_t)rnd(3), .old = (int16_t)rnd(3), .comm = some_name(),
		.old_comm = some_name(), .file = some_name(), .old_tid = rnd(n),
		.old_start = rnd(starts), .why = (uint8_t)rnd(3), .level = (uint8_t)rnd(2),
		.exact = 1, .allocated = rnd(100), .born = rnd(50), .burned = rnd(50),
		.group = (uint8_t)rnd(2), .group_dead = (uint8_t)rnd(2), .code = rnd(0x10000),
		.epoch = rnd(3), .purpose = (uint8_t)rnd(3), .complete = (uint8_t)rnd(2),
		.hierarchy = rnd(4) / 3, .runtime = rnd(100),
		.counter = (uint8_t)rnd(LT_N_COUNTERS + 2), .user = (uint8_t)rnd(2), .value = rnd(100),
		.enabled = rnd(3), .running = rnd(3),
	};
	if (!rnd(500))
		e->start = UINT64_MAX - rnd(2);
	if (!rnd(500))
		e->tid = UINT32_MAX;
}

static void check_tree(const struct lt_tasks *tb, enum lt_task_edges edges)
{
	uint32_t n = lt_tasks_count(tb), at, visited = 0;
	bool *seen = calloc(n + 1, sizeof(*seen));
	struct lt_task_tree tree;

	assert_non_null(seen);
	lt_task_tree_make(&tree, tb, edges);
	assert_int_equal(tree.cycles, 0);
	assert_int_equal(tree.processes + tree.threads, n);
	for (at = tree.nodes[0].first; at; at = lt_task_tree_next(&tree, 0, at, true)) {
		assert_true(at <= n);
		assert_false(seen[at]);
		seen[at] = true;
		visited++;
	}
	assert_int_equal(visited, n);
	lt_task_tree_free(&tree);
	free(seen);
}

static void print_all(struct lt_tasks *tb)
{
	struct lt_out out = LT_OUT_INIT(open("/dev/null", O_WRONLY));
	struct lt_tasks_view p = { .out = &out, .tb = tb, .times.begin = 10 };
	struct lt_tree_view f = { .out = &out, .times.begin = 10, .depth = rnd(20) };
	struct lt_task_tree tree;

	for (int format = LT_FORMAT_TEXT; format <= LT_FORMAT_JSON; format++) {
		p.format = (enum lt_format)format;
		lt_tasks_print(&p);
	}
	p.format = LT_FORMAT_CSV;
	p.wspy = true;
	lt_tasks_print(&p);
	lt_task_tree_make(&tree, tb, LT_BY_CREATOR);
	f.tree = &tree;
	f.root = rnd(2) ? "a" : "3";
	lt_tree_print(&f);
	f.root = NULL;
	f.format = LT_FORMAT_JSON;
	lt_tree_print(&f);
	lt_task_tree_free(&tree);
	assert_int_equal(lt_out_close(&out), 0);
	close(out.fd);
}

/* All values at once are those that each has alone. */
static void check_quiet(const struct lt_tasks *tb, uint32_t inst)
{
	struct lt_task_value all[LT_N_TASK_ATTRS], one;
	uint64_t from = rnd(EVENTS), to = from + rnd(30);

	if (!lt_tasks_quiet(tb, inst, from, to))
		return;
	lt_tasks_over_quiet(tb, inst, from, to, all);
	for (int a = 0; a < LT_N_TASK_ATTRS; a++) {
		if (a == LT_ATTR_OOM || a == LT_ATTR_UID || a == LT_ATTR_GID)
			continue;
		one = lt_tasks_over(tb, inst, (enum lt_task_attr)a, from, to, true);
		assert_int_equal(all[a].known, one.known);
		assert_int_equal(all[a].known && all[a].certain, one.known && one.certain);
		if (one.known)
			assert_int_equal(all[a].u, one.u);
	}
}

static void check_table(struct lt_tasks *tb, uint64_t end)
{
	const struct lt_task_totals *s = lt_tasks_totals(tb);
	const uint32_t *order = lt_tasks_order(tb);

	check_acyclic(tb);
	for (uint32_t i = 1; i < lt_tasks_count(tb); i++) {
		const struct lt_task_inst *a = lt_tasks_get(tb, order[i - 1]);
		const struct lt_task_inst *b = lt_tasks_get(tb, order[i]);

		assert_true(a->start < b->start || (a->start == b->start && a->tid < b->tid));
	}
	for (uint32_t i = 1; i <= lt_tasks_count(tb); i++) {
		const struct lt_task_inst *t = lt_tasks_get(tb, i);

		assert_int_equal(lt_tasks_find(tb, t->tid, t->start), i);
		assert_true(t->birth <= t->end && t->end <= end);
		assert_true(lt_task_last_seen(t) <= t->end);
		assert_int_equal(lt_task_ended(t), t->death_is == LT_EXACT ||
				 t->death_is == LT_BOUNDED);
		for (int a = 0; a < LT_N_TASK_ATTRS; a++)
			lt_tasks_at(tb, i, (enum lt_task_attr)a, rnd(EVENTS));
		check_quiet(tb, i);
	}
	assert_int_equal(s->processes + s->threads, s->instances);
	assert_int_equal(s->instances, lt_tasks_count(tb));
	check_tree(tb, LT_BY_PARENT);
	check_tree(tb, LT_BY_CREATOR);
	check_tree(tb, LT_BY_CREATOR_THREAD);
}

static void one_round(uint32_t n)
{
	struct lt_tasks_config config = { .history = n & 1, .max_placeholders = n % 7 };
	struct lt_tasks *tb;
	struct lt_task_checker *c;
	struct lt_task_proofs v;
	struct lt_task_event e;
	struct lt_hazards *h;
	uint64_t time = 10;

	seed = 0x9e3779b97f4a7c15ULL * (n + 1);
	if (n & 2) {
		config.begin = 10;
		config.begin_boot = 10;
	}
	tb = lt_tasks_new(&config);
	c = lt_task_checker_new(tb);
	h = lt_hazards_new(tb, 5, 20);
	for (unsigned int i = 0; i < EVENTS; i++) {
		time += rnd(3);
		some_event(&e, time);
		lt_tasks_event(tb, &e);
		if (!rnd(300))
			lt_tasks_gap(tb, &(struct lt_task_gap){
				.begin = time - rnd(10), .end = time + rnd(10), .what = rnd(16),
				.births = rnd(3), .ends = rnd(3), .unknown = !rnd(3) });
	}
	lt_tasks_finish(tb, time + 10);
	check_table(tb, time + 10);
	lt_hazards_finish(h);
	lt_task_checker_finish(c, NULL, &v);
	if (v.snapshots > 1)
		assert_int_equal(v.initial + v.births - v.deaths, v.alive);
	if (n % 10 == 0)
		print_all(tb);
	lt_task_proofs_destroy(&v);
	lt_hazards_free(h);
	lt_tasks_free(tb);
}

static void test_random(void **state)
{
	(void)state;
	for (uint32_t n = 0; n < ROUNDS; n++)
		one_round(n);
}

/* ------------------------------------------------------------------------
 * Forgetting
 */

#define TIMES	3	/* at which cgroups are asked for */

/* Of an instance, before tasks are forgotten. */
struct before {
	struct lt_task_inst inst;
	struct lt_task_value cgroup[TIMES];
	bool leads;		/* one that must be kept */
};

struct asked {
	uint32_t salt;
};

static bool is_used(const void *arg, uint32_t tid, uint64_t start)
{
	const struct asked *a = arg;

	return (tid * 7 + start + a->salt) % 5 == 0;
}

static bool must_be_kept(const struct before *b, const struct lt_task_use *use)
{
	return !lt_task_ended(&b->inst) || b->inst.end >= use->before ||
	       is_used(use->arg, b->inst.tid, b->inst.start);
}

static void assert_same_name(const struct lt_tasks *tb, uint32_t name, const char *expected)
{
	size_t len;
	const char *s = lt_tasks_name(tb, name, &len);

	assert_int_equal(len, strlen(expected));
	assert_memory_equal(s, expected, len);
}

static char *name_of(const struct lt_tasks *tb, uint32_t name)
{
	size_t len;
	const char *s = lt_tasks_name(tb, name, &len);

	return strndup(s, len);
}

/* What is kept is as before; what is not had no use. Return: how many were forgotten. */
static uint32_t forget(struct lt_tasks *tb, uint64_t now)
{
	struct asked asked = { rnd(5) };
	struct lt_task_use use = { now - rnd(300), is_used, &asked };
	uint32_t n = lt_tasks_count(tb), kept = 0;
	struct before *all = calloc(n + 1, sizeof(*all));
	char **names = calloc(n + 1, sizeof(*names));
	uint64_t times[TIMES];

	for (int k = 0; k < TIMES; k++)
		times[k] = rnd((uint32_t)now);
	for (uint32_t i = 1; i <= n; i++) {
		all[i].inst = *lt_tasks_get(tb, i);
		names[i] = name_of(tb, all[i].inst.comm);
		for (int k = 0; k < TIMES; k++)
			all[i].cgroup[k] = lt_tasks_at(tb, i, LT_ATTR_CGROUP, times[k]);
	}
	for (uint32_t i = 1; i <= n; i++) {
		for (uint32_t k = i; k && must_be_kept(&all[i], &use); k = all[k].inst.leader)
			all[all[k].inst.leader].leads = true;
	}
	lt_tasks_forget(tb, &use);
	for (uint32_t i = 1; i <= n; i++) {
		const struct before *b = &all[i];
		uint32_t inst = lt_tasks_find(tb, b->inst.tid, b->inst.start);
		struct lt_task_value v;

		assert_int_equal(inst != 0, must_be_kept(b, &use) || b->leads);
		if (inst) {
			assert_int_equal(inst, ++kept);
			assert_same_name(tb, lt_tasks_get(tb, inst)->comm, names[i]);
			assert_int_equal(lt_tasks_get(tb, inst)->end, b->inst.end);
		}
		for (int k = 0; inst && k < TIMES; k++) {
			v = lt_tasks_at(tb, inst, LT_ATTR_CGROUP, times[k]);
			assert_int_equal(v.known, b->cgroup[k].known);
			assert_int_equal(v.certain, b->cgroup[k].certain);
			assert_int_equal(v.u, b->cgroup[k].u);
		}
		free(names[i]);
	}
	assert_int_equal(lt_tasks_count(tb), kept);
	free(names);
	free(all);
	return n - kept;
}

/* It goes on as if the forgotten ones had never been. */
static void test_forget(void **state)
{
	uint32_t forgotten = 0;

	(void)state;
	for (uint32_t n = 0; n < ROUNDS; n++) {
		struct lt_tasks_config config = { .history = true };
		struct lt_tasks *tb = lt_tasks_new(&config);
		struct lt_task_event e;
		uint64_t time = 1000;

		seed = 0x9e3779b97f4a7c15ULL * (n + 1);
		for (unsigned int i = 0; i < EVENTS / 3; i++) {
			time += rnd(3);
			some_event(&e, time);
			lt_tasks_event(tb, &e);
			if (!rnd(60))
				forgotten += forget(tb, time);
		}
		lt_tasks_finish(tb, time + 10);
		check_table(tb, time + 10);
		lt_tasks_free(tb);
	}
	assert_true(forgotten > ROUNDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random), cmocka_unit_test(test_forget),
	};

	return cmocka_run_group_tests_name("task_random", tests, NULL, NULL);
}

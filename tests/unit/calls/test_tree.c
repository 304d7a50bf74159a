// SPDX-License-Identifier: GPL-2.0
/* Trees of calls, compared with those that a generator has made. */
#include "base/mem.h"
#include "calls/losses.h"
#include "calls/tree.h"
#include "testlib.h"
#include "tracegen.h"

/* ------------------------------------------------------------------------
 * A machine that calls functions
 */

#define MOST	4096

static uint64_t seed;

static unsigned int below(unsigned int n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)(seed >> 33) % n;
}

/**
 * struct made - a call that was made
 * @call: its number is that of a function
 * @up: number of the one that made it; -1: none
 * @at: its group
 */
struct made {
	struct lt_call call;
	int up;
	bool tail;
	unsigned int group;
};

/**
 * struct machine - calls of one group
 * @now: ns
 * @stop: the session ends then: what is open stays so
 * @n: calls so far, of all groups
 */
struct machine {
	struct made made[MOST];
	size_t n;
	struct lt_call like;
	unsigned int group;
	uint64_t now;
	uint64_t stop;
	size_t most;
};

static void pass(struct machine *m)
{
	/* Often no time passes between two calls. */
	m->now += below(3) ? 0 : below(20);
}

static int begin_call(struct machine *m, int up, uint16_t depth)
{
	struct made *made = &m->made[m->n];

	*made = (struct made){ .call = m->like, .up = up, .group = m->group };
	made->call.number = (uint16_t)m->n;
	made->call.begin = m->now;
	made->call.has_begin = true;
	made->call.depth = depth;
	return (int)m->n++;
}

static void end_call(struct machine *m, int i)
{
	struct made *made = &m->made[i];

	made->call.end = m->now;
	made->call.cpu = m->like.cpu;
	/* Those that are open are seen so some time later. */
	if (m->now >= m->stop) {
		made->call.why = LT_CALL_AT_END;
		made->call.end = m->stop + below(10);
	}
}

/*
 * A call with all that it makes, and perhaps ends with.
 * Frames are as large as a compiler makes them.
 */
static void run(struct machine *m, int up, uint16_t depth, unsigned int level, bool tail)
{
	int self = begin_call(m, up, depth);
	uint16_t frame = (uint16_t)(depth + 1 + below(40));
	uint64_t last = m->now;

	m->made[self].tail = tail;
	pass(m);
	for (unsigned int i = below(4); i && level < 12 && m->n + 16 < m->most; i--) {
		/* What is between the two moves the frame; not in no time at all. */
		if (m->now > last)
			frame = (uint16_t)(depth + 1 + below(40));
		last = m->now;
		run(m, self, frame, level + 1, false);
		pass(m);
		if (m->now >= m->stop)
			break;
	}
	if (m->now < m->stop && !below(6) && level < 12 && m->n + 16 < m->most) {
		m->now += 1 + below(3);
		run(m, self, depth, level + 1, true);
	}
	/* A thread may come to another CPU while it sleeps, an interrupt may not. */
	if (m->like.context == LT_CTX_TASK && m->like.tid && !below(20))
		m->like.cpu = below(4);
	end_call(m, self);
}

static void run_group(struct machine *m, const struct lt_call *like, size_t most, bool stops)
{
	m->like = *like;
	m->most = m->n + most;
	m->now = 1000 + below(100);
	m->stop = stops ? m->now + 300 : UINT64_MAX;
	for (unsigned int i = 0; i < 20 && m->n + 16 < m->most && m->now < m->stop; i++) {
		run(m, -1, (uint16_t)below(65536), 0, false);
		m->now++;
	}
	m->group++;
}

static int by_end(const void *a, const void *b)
{
	const struct made *x = *(struct made *const *)a, *y = *(struct made *const *)b;

	if (x->call.why || y->call.why)
		return (x->call.why != 0) - (y->call.why != 0);
	if (x->call.end != y->call.end)
		return x->call.end < y->call.end ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	/* In one group, what is within ends first: it was begun later, or is within what was. */
	for (const struct made *up = x; up->up >= 0; up = up - (up->call.number - up->up)) {
		if (up->up == y->call.number)
			return -1;
	}
	for (const struct made *up = y; up->up >= 0; up = up - (up->call.number - up->up)) {
		if (up->up == x->call.number)
			return 1;
	}
	return x->call.number < y->call.number ? -1 : 1;
}

/* Records in the order in which a trace has them; open calls of a group in any one. */
static void sort_records(const struct machine *m, const struct made **records)
{
	size_t n_open = 0;

	for (size_t i = 0; i < m->n; i++) {
		records[i] = &m->made[i];
		n_open += m->made[i].call.why != 0;
	}
	qsort(records, m->n, sizeof(*records), by_end);
	for (size_t i = 1; i < n_open; i++) {
		size_t at = m->n - n_open + i, other = m->n - n_open + below((unsigned int)i + 1);
		const struct made *swap = records[at];

		records[at] = records[other];
		records[other] = swap;
	}
}

/* ------------------------------------------------------------------------
 * Comparison
 */

static void check_node(const struct machine *m, const struct lt_call_node *node, bool *seen)
{
	const struct made *made = &m->made[node->call.number];
	int up = node->up ? (int)node->up->call.number : -1;
	uint64_t within = 0;

	assert_false(seen[node->call.number]);
	seen[node->call.number] = true;
	if (up != made->up)
		fail_msg("call %u, begun at %llu: expected it in %d, found it in %d",
			 node->call.number, (unsigned long long)node->call.begin, made->up, up);
	assert_int_equal(node->tail, made->tail);
	for (uint32_t i = 0; i < node->n; i++) {
		assert_int_equal(node->calls[i]->index, i);
		within += lt_call_duration(&node->calls[i]->call);
	}
	assert_int_equal(node->within, within);
}

static void check_trees(const struct machine *m, const struct lt_call_trees *trees)
{
	const struct lt_call_group *const *groups;
	size_t n = lt_call_trees_groups(trees, &groups), found = 0;
	bool *seen = lt_alloc(m->n);

	assert_int_equal(n, m->group);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < groups[i]->n; k++) {
			const struct lt_call_node *root = groups[i]->roots[k], *node = root;
			uint32_t left;

			assert_null(root->up);
			for (; node; node = lt_call_node_next(root, node, &left)) {
				check_node(m, node, seen);
				found++;
			}
		}
	}
	assert_int_equal(found, m->n);
	free(seen);
}

/* Times without nodes: what a call took by itself is known when it ends. */
static void check_times(const struct machine *m, const struct made *const *records)
{
	struct lt_call_trees *trees = lt_call_trees_new(false);

	for (size_t i = 0; i < m->n; i++) {
		const struct lt_call_node *node = lt_call_trees_add(trees, &records[i]->call);
		uint64_t self = lt_call_duration(&records[i]->call);

		if (!node)
			continue;
		for (size_t k = 0; k < m->n; k++) {
			if (m->made[k].up == records[i]->call.number)
				self -= lt_call_duration(&m->made[k].call);
		}
		assert_int_equal(lt_call_node_self(node), self);
	}
	lt_call_trees_free(trees);
}

/*
 * Recursion, tail calls, calls within one ns, wrapped frames, other CPUs, interrupts, open calls.
 */
static void test_random(void **state)
{
	uint64_t rounds = test_number("LT_TEST_ROUNDS", 60);
	struct machine *m = lt_alloc(sizeof(*m));
	const struct made **records = lt_alloc_array(MOST, sizeof(*records));

	(void)state;
	for (uint64_t round = 0; round < rounds; round++) {
		struct lt_call_trees *trees = lt_call_trees_new(true);

		seed = round;
		m->n = 0;
		m->group = 0;
		for (uint32_t i = 0; i < 4; i++)
			run_group(m, &(struct lt_call){ .tid = 17 + i / 2, .start = 500 + i,
							.cpu = i }, 200, i == 2);
		/* The idle threads have one number, and interrupts one thread. */
		for (uint32_t i = 0; i < 2; i++)
			run_group(m, &(struct lt_call){ .cpu = i }, 100, false);
		for (uint32_t i = 0; i < 4; i++)
			run_group(m, &(struct lt_call){ .tid = 17, .start = 500, .cpu = i / 2,
							.context = i & 1 ? LT_CTX_SOFTIRQ :
									   LT_CTX_HARDIRQ },
				  100, false);
		sort_records(m, records);
		for (size_t i = 0; i < m->n; i++)
			lt_call_trees_add(trees, &records[i]->call);
		lt_call_trees_finish(trees);
		check_trees(m, trees);
		check_times(m, records);
		lt_call_trees_free(trees);
	}
	free(records);
	free(m);
}

/* ------------------------------------------------------------------------
 * By hand
 */

static struct lt_call call_of(uint16_t number, uint64_t begin, uint64_t end, uint16_t depth)
{
	return (struct lt_call){ .number = number, .tid = 17, .start = 500, .begin = begin,
				 .end = end, .has_begin = true, .depth = depth };
}

static void add(struct lt_call_trees *trees, struct lt_call call)
{
	lt_call_trees_add(trees, &call);
}

/* Without the record of the middle one, which is lost, its calls are those of the outer one. */
static void test_lost(void **state)
{
	struct lt_call_trees *trees = lt_call_trees_new(true);
	const struct lt_call_group *const *groups;

	(void)state;
	add(trees, call_of(3, 120, 130, 300));
	add(trees, call_of(4, 140, 150, 300));
	add(trees, call_of(1, 100, 200, 100));
	/* The outer one is lost. */
	add(trees, call_of(5, 220, 230, 200));
	add(trees, call_of(6, 220, 250, 200));
	assert_int_equal(lt_call_trees_groups(trees, &groups), 1);
	assert_int_equal(groups[0]->n, 2);
	assert_int_equal(groups[0]->roots[0]->n, 2);
	assert_int_equal(groups[0]->roots[1]->call.number, 6);
	/* It ended with a jump: both have one frame. */
	assert_true(groups[0]->roots[1]->calls[0]->tail);
	lt_call_trees_free(trees);
}

static void test_group_at(void **state)
{
	struct lt_call_trees *trees = lt_call_trees_new(true);
	const struct lt_call_group *const *groups;
	const struct lt_call_group *g;
	struct lt_call irq = call_of(9, 125, 128, 50), idle = call_of(8, 5, 6, 50);

	(void)state;
	irq.context = LT_CTX_HARDIRQ;
	irq.cpu = 3;
	idle.tid = 0;
	add(trees, irq);
	add(trees, call_of(3, 120, 130, 300));
	add(trees, call_of(4, 140, 150, 300));
	add(trees, call_of(1, 100, 200, 100));
	add(trees, call_of(2, 300, 400, 100));
	add(trees, idle);
	assert_int_equal(lt_call_trees_groups(trees, &groups), 3);
	g = lt_call_group_below(trees, groups[0]);
	assert_ptr_equal(g, groups[1]);
	assert_null(lt_call_group_below(trees, g));
	assert_int_equal(lt_call_group_at(g, 125)->call.number, 3);
	assert_int_equal(lt_call_group_at(g, 135)->call.number, 1);
	assert_int_equal(lt_call_group_at(g, 399)->call.number, 2);
	assert_null(lt_call_group_at(g, 250));
	assert_null(lt_call_group_at(g, 99));
	assert_null(lt_call_group_at(g, 500));
	lt_call_trees_free(trees);
}

static struct lt_call system_of(uint64_t begin, uint64_t end)
{
	static const char texts[] = "sys_read\0003, 0x1000, 64\00064";
	struct lt_call call = call_of(0, begin, end, 0);

	call.system = true;
	call.values = (const uint8_t *)texts;
	call.size = sizeof(texts);
	return call;
}

/*
 * System calls stand around the calls in them, also if they come late, and within those that
 * enclose the kernel's whole path; those without calls are no nodes.
 */
static void test_system(void **state)
{
	struct lt_call_trees *trees = lt_call_trees_new(true);
	const struct lt_call_group *const *groups;
	struct lt_call open = system_of(900, 1000);
	const struct lt_call_node *node;
	char label[LT_CALL_LABEL];

	(void)state;
	add(trees, system_of(10, 20));
	add(trees, call_of(1, 110, 120, 65000));
	add(trees, call_of(2, 130, 140, 40000));
	add(trees, system_of(100, 150));
	add(trees, call_of(3, 210, 220, 300));
	/* It comes when the next one has begun. */
	add(trees, call_of(4, 260, 270, 300));
	add(trees, system_of(200, 250));
	add(trees, system_of(255, 280));
	add(trees, call_of(5, 310, 320, 300));
	add(trees, system_of(305, 330));
	add(trees, call_of(6, 304, 331, 100));
	add(trees, call_of(7, 910, 920, 300));
	open.why = LT_CALL_AT_END;
	add(trees, open);
	lt_call_trees_finish(trees);
	assert_int_equal(lt_call_trees_groups(trees, &groups), 1);
	assert_int_equal(groups[0]->n, 5);
	node = groups[0]->roots[0];
	assert_string_equal(lt_call_label(&node->call, label), "sys_read");
	assert_int_equal(node->n, 2);
	assert_false(node->calls[0]->tail);
	assert_int_equal(groups[0]->roots[1]->call.begin, 200);
	assert_int_equal(groups[0]->roots[1]->n, 1);
	assert_int_equal(groups[0]->roots[1]->calls[0]->call.number, 3);
	assert_int_equal(groups[0]->roots[2]->calls[0]->call.number, 4);
	node = groups[0]->roots[3];
	assert_int_equal(node->call.number, 6);
	assert_true(node->calls[0]->call.system);
	assert_int_equal(node->calls[0]->calls[0]->call.number, 5);
	assert_int_equal(groups[0]->roots[4]->calls[0]->call.number, 7);
	for (size_t i = 0; i < groups[0]->n; i++)
		assert_false(groups[0]->roots[i]->crosses);
	lt_call_trees_free(trees);
}

/* What was released is missing in the calls around it, and they say so. */
static void test_release(void **state)
{
	struct lt_call_trees *trees = lt_call_trees_new(true);
	const struct lt_call_group *const *groups;

	(void)state;
	add(trees, call_of(3, 120, 130, 300));
	assert_int_equal(lt_call_trees_kept(trees), 1);
	lt_call_trees_release(trees);
	assert_int_equal(lt_call_trees_kept(trees), 0);
	add(trees, call_of(4, 140, 150, 300));
	add(trees, call_of(1, 100, 200, 100));
	lt_call_trees_groups(trees, &groups);
	assert_int_equal(groups[0]->n, 1);
	assert_true(groups[0]->roots[0]->partial);
	assert_false(groups[0]->roots[0]->calls[0]->partial);
	lt_call_trees_free(trees);
}

/* A nest of any depth takes no stack. */
static void test_deep(void **state)
{
	struct lt_call_trees *trees = lt_call_trees_new(true);
	const struct lt_call_group *const *groups;
	const struct lt_call_node *node;
	uint32_t left, n = 0;

	(void)state;
	for (uint32_t i = 0; i < 300000; i++)
		add(trees, call_of(1, 1000000 - i, 1000000 + i, (uint16_t)-i));
	assert_int_equal(lt_call_trees_groups(trees, &groups), 1);
	assert_int_equal(groups[0]->n, 1);
	for (node = groups[0]->roots[0]; node; node = lt_call_node_next(groups[0]->roots[0], node, &left))
		n++;
	assert_int_equal(n, 300000);
	assert_int_equal(left, 300000);
	lt_call_trees_free(trees);
}

/*
 * A frame on another stack, as of functions that __switch_to() calls: by the times alone, and not
 * in what begins when it ended.
 */
static void test_other_stack(void **state)
{
	static const uint16_t other[] = { 43207, 60000, 8000 };

	(void)state;
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		struct lt_call_trees *trees = lt_call_trees_new(true);
		const struct lt_call_group *const *groups;
		const struct lt_call_node *node;

		add(trees, call_of(1, 2100, 2200, other[i]));
		add(trees, call_of(2, 2300, 2400, other[i]));
		add(trees, call_of(3, 2200, 2500, 2101));
		assert_int_equal(lt_call_trees_groups(trees, &groups), 1);
		assert_int_equal(groups[0]->n, 2);
		assert_int_equal(groups[0]->roots[0]->call.number, 1);
		node = groups[0]->roots[1];
		assert_int_equal(node->call.number, 3);
		assert_int_equal(node->n, 1);
		assert_int_equal(node->calls[0]->call.number, 2);
		assert_false(node->crosses);
		lt_call_trees_free(trees);
	}
}

/* Losses of the CPU of a call, or of what it made; not those of others, nor of other times. */
static void test_losses(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_call_node inner = { .call = call_of(2, 2400, 2500, 9) };
	struct lt_call_node *calls[] = { &inner };
	struct lt_call_node node = { .call = call_of(1, 2300, 2600, 1), .calls = calls, .n = 1 };
	struct lt_call_losses *l;
	struct lt_event ev;
	struct lt_trace *t;

	(void)state;
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		TG_TASK(g, TG_CALL(cpu), 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
		tg_call(g, TG_CALL(cpu), 2000, &(struct tg_call){ .function = 1, .duration = 10 });
		tg_close(g, TG_CALL(cpu), 2100);
		if (cpu)
			tg_lost(g, TG_CALL(cpu), LT_CLASS_CALL, TG_FULL, 3);
		TG_TASK(g, TG_CALL(cpu), 3000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
		tg_call(g, TG_CALL(cpu), 4000, &(struct tg_call){ .function = 1, .duration = 10 });
		tg_close(g, TG_CALL(cpu), 4100);
		tg_call(g, TG_CALL(cpu), 5000, &(struct tg_call){ .function = 1, .duration = 10 });
	}
	tg_finish(g, 6000);
	assert_int_equal(tg_write(g, test_path("losses.lt"), 0), 0);
	tg_free(g);
	t = lt_trace_open(test_path("losses.lt"));
	while (lt_trace_next(t, &ev) > 0)
		;
	l = lt_call_losses_new(t);
	assert_true(lt_call_losses_over(l, 1, 1990, 4500));
	assert_true(lt_call_losses_over(l, 1, 2900, 3000));
	assert_false(lt_call_losses_over(l, 0, 1990, 4500));
	assert_false(lt_call_losses_over(l, 1, 1500, 1900));
	assert_false(lt_call_losses_over(l, 1, 4500, 4900));
	assert_false(lt_call_node_uncertain(l, &node));
	inner.call.cpu = 1;
	assert_true(lt_call_node_uncertain(l, &node));
	node.n = 0;
	assert_false(lt_call_node_uncertain(l, &node));
	node.partial = true;
	assert_true(lt_call_node_uncertain(l, &node));
	lt_call_losses_free(l);
	lt_trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_group_at),
		cmocka_unit_test(test_release),
		cmocka_unit_test(test_system),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_other_stack),
		cmocka_unit_test(test_losses),
	};

	return cmocka_run_group_tests_name("trees of calls", tests, NULL, NULL);
}

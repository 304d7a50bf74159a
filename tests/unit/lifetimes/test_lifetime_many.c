// SPDX-License-Identifier: GPL-2.0
/* The lifetime engine with many objects, or with one address that is used over and over. */
#include "lifetime_test.h"

#define A	0xffff888000100000ULL

static void test_reuse(void **state)
{
	struct run r;

	(void)state;
	run_start_plain(&r, false);
	for (uint64_t i = 0; i < 1000; i++) {
		run_kmalloc(&r, i & 1, 100 + i * 10, A);
		run_kfree(&r, i & 1, 105 + i * 10, A);
		assert_int_equal(run_last(&r)->certainty, LT_EXACT);
		assert_int_equal(lt_lifetime_ns(run_last(&r)), 5);
	}
	run_finish(&r, 100000);
	assert_int_equal(r.n, 1000);
	assert_int_equal(r.stats.certainty[LT_SPACE_SLAB][LT_EXACT], 1000);
}

/* A task or a call site has one number, however often it is met. */
static void test_interned(void **state)
{
	const struct lt_moment *birth, *death;
	uint32_t task;
	struct run r;

	(void)state;
	run_start_plain(&r, false);
	run_kmalloc(&r, 0, 100, A);
	run_kfree(&r, 0, 110, A);
	birth = &run_last(&r)->birth;
	death = &run_last(&r)->death;
	task = birth->task_id;
	assert_int_equal(death->task_id, task);
	assert_int_equal(death->site_id, birth->site_id);
	assert_ptr_equal(lt_lifetimes_task(r.lf, task), &run_tasks[0]);
	/* This task has the tid of the other, but is another one. */
	run_event(&r, &(struct lt_event){ .time = 120, .ptr = A, .class = LT_CLASS_KFREE,
					  .task = &run_tasks[1], .call_site = 1 });
	assert_int_not_equal(run_last(&r)->death.task_id, task);
	assert_int_not_equal(run_last(&r)->death.site_id, birth->site_id);
	run_finish(&r, 1000);
}

/* Each allocation says that the object before it has ended. */
static void test_reborn_often(void **state)
{
	struct run r;

	(void)state;
	run_start_plain(&r, false);
	for (uint64_t i = 0; i < 300; i++)
		run_kmalloc(&r, 0, 100 + i, A);
	run_finish(&r, 1000);
	assert_int_equal(r.stats.certainty[LT_SPACE_SLAB][LT_BOUNDED], 299);
	assert_int_equal(r.stats.certainty[LT_SPACE_SLAB][LT_OPEN], 1);
}

static void event_of(struct run *r, uint32_t cpu, uint64_t time, enum lt_class class,
		     const struct lt_task *task)
{
	run_event(r, &(struct lt_event){ .time = time, .cpu = cpu, .ptr = A, .task = task,
					 .class = (uint8_t)class, .node = -1 });
}

/*
 * A1 A2 F1 A3 F2 ...: each free is late, and none is missing, so no free may be left
 * without an object. Only of the last object is it proven which free is its own.
 */
static void test_always_late(void **state)
{
	const struct lt_task *other = &run_tasks[2];
	struct run r;

	(void)state;
	run_start_plain(&r, false);
	event_of(&r, 1, 100, LT_CLASS_KMALLOC, &run_tasks[0]);
	for (uint64_t i = 1; i < 20; i++) {
		event_of(&r, 0, i * 1000, LT_CLASS_KMALLOC, i & 1 ? other : NULL);
		event_of(&r, 1, i * 1000 + 50, LT_CLASS_KFREE, i & 1 ? NULL : other);
	}
	event_of(&r, 0, 50000, LT_CLASS_KFREE, other);
	run_finish(&r, 90000);
	assert_int_equal(r.n, 20);
	assert_int_equal(r.stats.certainty[LT_SPACE_SLAB][LT_BEFORE], 0);
	assert_int_equal(r.stats.certainty[LT_SPACE_SLAB][LT_OPEN], 0);
	assert_int_equal(r.stats.certainty[LT_SPACE_SLAB][LT_EXACT], 1);
	assert_int_equal(r.stats.certainty[LT_SPACE_SLAB][LT_UNCERTAIN], 19);
}

/* A doubt at one address does not delay another, and ends when time has passed. */
static void test_doubts_end_in_order(void **state)
{
	struct run r;

	(void)state;
	run_start_plain(&r, false);
	for (uint64_t i = 0; i < 200; i++)
		run_kmalloc(&r, 0, 100, A + i * 64);
	for (uint64_t i = 0; i < 200; i++)
		run_kmalloc(&r, 0, 1000 + i * 10, A + i * 64);
	assert_int_equal(r.n, 99);	/* those that are older than 1000 ns */
	for (uint64_t i = 0; i < 200; i++)
		run_kfree(&r, 0, 9000, A + i * 64);
	assert_int_equal(r.n, 400);
	run_finish(&r, 9000);
	assert_int_equal(r.stats.certainty[LT_SPACE_SLAB][LT_BOUNDED], 200);
	assert_int_equal(r.stats.certainty[LT_SPACE_SLAB][LT_EXACT], 200);
}

/* Objects come and go in no order: the housekeeping of the table of live objects. */
static void test_many(void **state)
{
	uint64_t time = 1, x = 88172645463325252ULL;
	enum { N = 20000 };
	uint64_t *born = calloc(N, sizeof(*born));
	struct run r;

	(void)state;
	run_start_plain(&r, false);
	for (int i = 0; i < 400000; i++) {
		uint64_t which;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		which = x % N;
		time++;
		if (!born[which]) {
			run_kmalloc(&r, 0, time, A + which * 32);
			born[which] = time;
			continue;
		}
		run_kfree(&r, 0, time, A + which * 32);
		assert_int_equal(run_last(&r)->ptr, A + which * 32);
		assert_int_equal(run_last(&r)->birth.time, born[which]);
		born[which] = 0;
	}
	run_finish(&r, time);
	assert_int_equal(r.stats.certainty[LT_SPACE_SLAB][LT_BEFORE], 0);
	free(born);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reuse),
		cmocka_unit_test(test_interned),
		cmocka_unit_test(test_reborn_often),
		cmocka_unit_test(test_always_late),
		cmocka_unit_test(test_doubts_end_in_order),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests_name("lifetime_many", tests, NULL, NULL);
}

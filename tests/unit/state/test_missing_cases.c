// SPDX-License-Identifier: GPL-2.0
/*
 * Recordings of which parts are missing, one case after the other; see test_missing.c.
 */
#include "cuttest.h"
#include "format/set.h"

#define PTR(n)	(0xffff888000001000ULL + 64 * (n))
#define AREA	0xffffc90000001000ULL
#define SITE	0xffffffff81000100ULL
#define PFN	64ULL

enum object { SURVIVES, STAYS, DIES, BORN, REUSED, WAITS, REQUESTED, WITHIN };

static void make(struct tg *g, uint64_t time, unsigned int n)
{
	TG_KMALLOC(g, 0, time, .ptr = PTR(n), .call_site = SITE, .bytes_req = 60, .bytes_alloc = 64,
		   .gfp = 0xcc0, .node = -1);
}

static void destroy(struct tg *g, uint64_t time, unsigned int n)
{
	tg_kfree(g, 0, time, PTR(n), SITE + n);
}

/* Parts begin at 2000 and 3000; between them each kind of object has what may happen to it. */
static struct tg *begin_cases(void)
{
	struct tg *g = tg_new(&(struct tg_options){ .info = "channels=kmem,area\n" });

	tg_auto_task(g, true);
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	make(g, 1001, SURVIVES);
	make(g, 1002, STAYS);
	make(g, 1003, DIES);
	make(g, 1004, REUSED);
	make(g, 1005, WAITS);
	make(g, 1006, REQUESTED);
	tg_page_alloc(g, 0, 1007, PFN, 0xcc0, 2, 0);
	tg_rcu_free(g, 0, 1100, PTR(WAITS), SITE);
	TG_PUT(g, TG_AREA(0), 1200, VMALLOC, .ptr = AREA, .call_site = SITE, .gfp_flags = 0xcc0,
	       .bytes_req = 5000, .bytes_alloc = 8192, .node = -1);
	tg_close(g, 0, 1900);
	destroy(g, 2100, DIES);
	destroy(g, 2200, REUSED);
	make(g, 2201, REUSED);
	make(g, 2300, BORN);
	destroy(g, 2301, WAITS);
	tg_rcu_free(g, 0, 2400, PTR(REQUESTED), SITE);
	tg_page_free(g, 0, 2500, PFN, 0);
	make(g, 2600, WITHIN);
	destroy(g, 2700, WITHIN);
	TG_PUT(g, TG_AREA(0), 2800, VFREE, .ptr = AREA);
	tg_close(g, 0, 2900);
	destroy(g, 3100, SURVIVES);
	destroy(g, 3200, BORN);
	destroy(g, 3300, REUSED);
	destroy(g, 3400, REQUESTED);
	tg_page_free(g, 0, 3500, PFN + 2, 1);
	return g;
}

static struct tg *make_cases(uint64_t until)
{
	struct tg *g = begin_cases();

	tg_finish(g, until);
	return g;
}

static void test_cases(void **state)
{
	uint64_t cuts[] = { 2000, 3000 };
	struct cut_lives lives = { 0 };
	struct tg *g = make_cases(4000);

	(void)state;
	cut_only(g, cuts, 2);
	cut_read(cut_set(5, "set"), &lives, NULL, NULL);
	cut_life_ends(&lives, PTR(SURVIVES), 1001, LT_EXACT, LT_END_KFREE, 3100);
	cut_life_ends(&lives, PTR(STAYS), 1002, LT_OPEN, LT_END_ALIVE, 4000);
	cut_life_ends(&lives, PTR(DIES), 1003, LT_UNCERTAIN, LT_END_LOST, 3000);
	cut_life_ends(&lives, PTR(REUSED), 1004, LT_UNCERTAIN, LT_END_LOST, 3000);
	cut_life_ends(&lives, PTR(REUSED), 2201, LT_EXACT, LT_END_KFREE, 3300);
	cut_life_ends(&lives, PTR(BORN), 2300, LT_EXACT, LT_END_KFREE, 3200);
	/* The call of kfree_rcu is known; when the memory was released is not. */
	cut_life_ends(&lives, PTR(WAITS), 1005, LT_EXACT, LT_END_RCU, 1100);
	assert_int_equal(cut_life_of(&lives, PTR(WAITS), 1005)->rcu_confirmed, 0);
	cut_life_ends(&lives, PTR(REQUESTED), 1006, LT_EXACT, LT_END_RCU, 2400);
	assert_int_equal(cut_life_of(&lives, PTR(REQUESTED), 1006)->rcu_confirmed, 3400);
	assert_null(cut_life_of(&lives, PTR(WITHIN), 2600));
	/* A part of the block was freed meanwhile. */
	cut_life_ends(&lives, PFN, 1007, LT_UNCERTAIN, LT_END_LOST, 3000);
	cut_life_ends(&lives, PFN + 1, 1007, LT_OPEN, LT_END_ALIVE, 4000);
	cut_life_ends(&lives, PFN + 2, 1007, LT_EXACT, LT_END_PAGE, 3500);
	/* Of this channel no packet is missing. */
	cut_life_ends(&lives, AREA, 1200, LT_EXACT, LT_END_VFREE, 2800);
	assert_int_equal(lives.n, 12);
	cut_lives_free(&lives);
	cut_remove(3);
	tg_free(g);
}

/* Nothing follows: what was alive behind the gap is alive at the end; or nobody knows. */
static void test_ends(void **state)
{
	uint64_t cuts[] = { 2000, 3000, 3050 };
	struct cut_lives lives = { 0 };
	struct tg *g = make_cases(4000);

	(void)state;
	cut_only(g, cuts, 3);
	cut_read(cut_set(5, "set"), &lives, NULL, NULL);
	cut_life_ends(&lives, PTR(SURVIVES), 1001, LT_OPEN, LT_END_ALIVE, 3050);
	cut_life_ends(&lives, PTR(DIES), 1003, LT_UNCERTAIN, LT_END_LOST, 3000);
	cut_life_ends(&lives, PTR(BORN), 2300, LT_OPEN, LT_END_ALIVE, 3050);
	cut_lives_free(&lives);
	/* The last parts are missing, and the first ones. */
	cut_read(cut_set(3, "set"), &lives, NULL, NULL);
	cut_life_ends(&lives, PTR(SURVIVES), 1001, LT_OPEN, LT_END_ALIVE, 3000);
	cut_life_ends(&lives, PTR(DIES), 1003, LT_EXACT, LT_END_KFREE, 2100);
	cut_lives_free(&lives);
	cut_read(cut_set(014, "set"), &lives, NULL, NULL);
	cut_life_ends(&lives, PTR(SURVIVES), 1001, LT_EXACT, LT_END_KFREE, 3100);
	cut_life_ends(&lives, PTR(BORN), 2300, LT_EXACT, LT_END_KFREE, 3200);
	assert_null(cut_life_of(&lives, PTR(DIES), 1003));
	cut_lives_free(&lives);
	cut_remove(4);
	tg_free(g);
}

/* Two gaps: what lived on over the first may end in the second, and what was born in it. */
static void test_two(void **state)
{
	uint64_t cuts[] = { 2000, 3000, 3050, 4000 };
	struct cut_lives lives = { 0 };
	struct tg *g = begin_cases();
	const struct lt_gap *gaps;
	size_t idle = 0;
	struct lt_event ev;
	struct lt_trace *t;

	(void)state;
	/* A CPU whose only packet stands in the first gap, and lacks none in the second. */
	TG_KMALLOC(g, 1, 2100, .ptr = PTR(20), .call_site = SITE, .bytes_req = 60,
		   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	tg_close(g, 1, 2200);
	tg_close(g, 0, 3900);
	destroy(g, 4100, STAYS);
	destroy(g, 4200, 20);
	tg_finish(g, 5000);
	cut_only(g, cuts, 4);
	t = lt_trace_open(cut_set(025, "set"));
	assert_int_equal(lt_trace_missing_parts(t, 0)->to, 3000);
	assert_int_equal(lt_trace_missing_parts(t, 3000)->to, 4000);
	while (lt_trace_next(t, &ev) > 0)
		;
	for (size_t n = lt_trace_gaps(t, &gaps); n--;)
		idle += gaps[n].cpu == 1 && gaps[n].end != UINT64_MAX;
	assert_int_equal(idle, 1);
	lt_trace_close(t);
	cut_read(cut_set(025, "set"), &lives, NULL, NULL);
	cut_life_ends(&lives, PTR(STAYS), 1002, LT_EXACT, LT_END_KFREE, 4100);
	cut_life_ends(&lives, PTR(DIES), 1003, LT_UNCERTAIN, LT_END_LOST, 3000);
	cut_life_ends(&lives, PTR(SURVIVES), 1001, LT_UNCERTAIN, LT_END_LOST, 4000);
	cut_life_ends(&lives, PTR(BORN), 2300, LT_UNCERTAIN, LT_END_LOST, 4000);
	cut_life_ends(&lives, PTR(20), 2100, LT_EXACT, LT_END_KFREE, 4200);
	cut_life_ends(&lives, PFN + 1, 1007, LT_OPEN, LT_END_ALIVE, 5000);
	cut_life_ends(&lives, PFN + 2, 1007, LT_UNCERTAIN, LT_END_LOST, 4000);
	cut_lives_free(&lives);
	cut_remove(5);
	tg_free(g);
}

/* How many allocations were made meanwhile is not known if some of them are missing. */
static void test_further(void **state)
{
	uint64_t cuts[] = { 2000, 3000 };
	struct cut_lives lives = { 0 };
	struct tg *g = begin_cases();

	(void)state;
	make(g, 3600, 30);
	make(g, 3601, 31);
	destroy(g, 3700, 30);
	tg_finish(g, 4000);
	cut_only(g, cuts, 2);
	cut_read(cut_set(5, "set"), &lives, NULL, NULL);
	assert_int_equal(cut_life_of(&lives, PTR(SURVIVES), 1001)->further, LT_FURTHER_UNKNOWN);
	assert_int_equal(cut_life_of(&lives, PTR(BORN), 2300)->further, LT_FURTHER_UNKNOWN);
	assert_int_equal(cut_life_of(&lives, PTR(REQUESTED), 1006)->further, LT_FURTHER_UNKNOWN);
	/* Its end is the call of kfree_rcu, before the gap. */
	assert_int_equal(cut_life_of(&lives, PTR(WAITS), 1005)->further, 1);
	assert_int_equal(cut_life_of(&lives, PTR(30), 3600)->further, 1);
	cut_lives_free(&lives);
	cut_remove(3);
	tg_free(g);
}

/* A byte of STATE is another one: what was alive is not known. */
static void damage_state(size_t part)
{
	struct lt_trace *t;
	const struct lt_text_ref *state;
	char name[32];

	snprintf(name, sizeof(name), "part.%zu", part);
	t = lt_trace_open(test_path(name));
	state = lt_dir_text(lt_trace_dir(t), LT_BLOCK_STATE, SIZE_MAX);
	assert_non_null(state);
	cut_damage(part, state->offset + 200);
	lt_trace_close(t);
}

static void test_damaged(void **state)
{
	uint64_t cuts[] = { 2000, 3000 };
	struct cut_lives lives = { 0 };
	struct tg *g = make_cases(4000);

	(void)state;
	cut_only(g, cuts, 2);
	damage_state(2);
	test_stderr_begin();
	cut_read(cut_set(5, "set"), &lives, NULL, NULL);
	assert_non_null(strstr(test_stderr_end(), "no lifetime over its time is certain"));
	cut_life_ends(&lives, PTR(SURVIVES), 1001, LT_UNCERTAIN, LT_END_KFREE, 3100);
	cut_life_ends(&lives, PTR(STAYS), 1002, LT_UNCERTAIN, LT_END_ALIVE, 4000);
	cut_life_ends(&lives, PTR(DIES), 1003, LT_UNCERTAIN, LT_END_ALIVE, 4000);
	cut_lives_free(&lives);
	cut_remove(3);
	tg_free(g);
}

/* A CPU of which only the missing part has packets; and one that loses events behind it. */
static void test_streams(void **state)
{
	uint64_t cuts[] = { 2000, 3000, 3800 };
	struct cut_lives lives = { 0 };
	struct tg *g = make_cases(4000);
	const struct lt_gap *gaps;
	struct lt_event ev;
	struct lt_trace *t;
	bool quiet = false;
	const char *path;

	(void)state;
	TG_KMALLOC(g, 1, 2100, .ptr = PTR(20), .call_site = SITE, .bytes_req = 60,
		   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	tg_close(g, 1, 2200);
	TG_KMALLOC(g, 2, 2100, .ptr = PTR(21), .call_site = SITE, .bytes_req = 60,
		   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	tg_close(g, 2, 2200);
	tg_lost(g, 2, LT_CLASS_KFREE, TG_FULL, 1);
	TG_KMALLOC(g, 2, 3600, .ptr = PTR(22), .call_site = SITE, .bytes_req = 60,
		   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	tg_kfree(g, 2, 3610, PTR(22), SITE);
	tg_close(g, 2, 3700);
	TG_KMALLOC(g, 3, 3050, .ptr = PTR(23), .call_site = SITE, .bytes_req = 60,
		   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	tg_kfree(g, 3, 3750, PTR(23), SITE);
	tg_finish(g, 4000);
	cut_only(g, cuts, 3);
	path = cut_set(5, "set");
	t = lt_trace_open(path);
	while (lt_trace_next(t, &ev) > 0)
		;
	for (size_t n = lt_trace_gaps(t, &gaps); n--;)
		quiet |= gaps[n].cpu == 1 && gaps[n].begin == 1999 && gaps[n].end == 3000;
	assert_true(quiet);
	lt_trace_close(t);
	cut_read(path, &lives, NULL, NULL);
	cut_life_ends(&lives, PTR(20), 2100, LT_UNCERTAIN, LT_END_ALIVE, 3800);
	cut_life_ends(&lives, PTR(23), 3050, LT_UNCERTAIN, LT_END_KFREE, 3750);
	cut_life_ends(&lives, PTR(22), 3600, LT_EXACT, LT_END_KFREE, 3610);
	cut_lives_free(&lives);
	cut_remove(4);
	tg_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases), cmocka_unit_test(test_ends),
		cmocka_unit_test(test_two), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_streams), cmocka_unit_test(test_further),
	};

	return cmocka_run_group_tests_name("missing_cases", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The proof of the population: it holds where it must, and names each task that
 * contradicts.
 */
#include "task_script.h"
#include "taskproof.h"

/*
 * Births, deaths, a reuse, a thread that becomes leader: all proofs hold. The group of 200 and the
 * process 301 are alive then.
 */
#define LIVE								\
	"100 born 200 of 100/4 | 110 died 200/100 | 120 born 200 of 100/4 |" \
	"120 number_reused ns 1 nr 200 holders 2 old_task 200/100 task 200/120 generation 7 |" \
	"130 thread 201 of 200/120 |" \
	"140 exit task 200/120 tgid 200 parent 1/1 comm sh oom_score_adj 200 |" \
	"141 exec task 200/120 old_task 201/130 file /x | 150 born 300 of 100/4 |" \
	"160 died 300/150 | 170 born 301 of 100/4"

static const struct task_scenario scenarios[] = {
	{ .name = "good", .proof = true, .text =
	  "world |" LIVE "| 180 wrap ns 1 generation 8 why 1 | 500 final | 502 alive 200/120 |"
	  "503 alive 301/170 | 505 born 302 of 100/4 | 510 final_end |"
	  "511 pid_ns ns 1 exact 1 generation 8 wraps 1 allocated 10 born 6 burned 3 |"
	  "end 1000 -> good; notes 0; initial 4; births 6; deaths 3; became_leaders 1; alive 7; "
	  "snapshot 6; meanwhile 1; "
	  "population says `initial 4 + births 6 - deaths 3 (1 threads became leaders) = 7; "
	  "final 6 + 1 born meanwhile`; "
	  "reuse says `1 numbers given again, 1 reported`; "
	  "generations says `1 began in 1 namespaces`; "
	  "numbers says `allocated 10 = born 6 + burned 3 + in flight 1`; population made; "
	  "reuse made; generations made; numbers made" },
	/* A task that is alive and not in the final snapshot. */
	{ .name = "missing", .proof = true, .text =
	  "world |" LIVE "| 500 final | 502 alive 200/120 | 510 final_end |"
	  "end 1000 -> bad; population fails 1; notes 1; "
	  "note `task 301 (started 170 ns after boot, 'sh') is not in snapshot 9`; "
	  "population says `= 6; final 5; 1 do not fit`" },
	/* A task of the final snapshot has no earlier record. */
	{ .name = "unborn", .proof = true, .text =
	  "world |" LIVE "| 500 final | 502 alive 200/120 | 503 alive 301/170 | 504 alive 777/400 |"
	  "510 final_end | end 1000 -> population fails 1; "
	  "note `task 777 (started 400 ns after boot, '') is in no snapshot before`" },
	/*
	 * A task without a birth exits before a snapshot can meet it. The sum contains neither its
	 * birth nor its death.
	 */
	{ .name = "unborn and gone", .proof = true, .text =
	  "world |" LIVE "| 300 died 778/290 | 500 final | 502 alive 200/120 | 503 alive 301/170 |"
	  "510 final_end |"
	  "end 1000 -> population fails 1; note `task 778`; initial 4; births 5; deaths 3; "
	  "alive 6" },
	/* A task is alive in a snapshot after its exit. */
	{ .name = "after end", .proof = true, .text =
	  "world |" LIVE "| 500 final | 502 alive 200/120 | 503 alive 301/170 | 504 alive 300/150 |"
	  "505 died 301/170 | 510 final_end | end 1000 -> population fails 1; note `task 300`" },
	/* A zombie in a snapshot is no contradiction: it is exiting. */
	{ .name = "exiting", .proof = true, .text =
	  "world |" LIVE "| 500 final | 502 alive 200/120 | 503 alive 301/170 |"
	  "504 state epoch 9 task 300/150 tgid 300 flags 8 | 510 final_end |"
	  "end 1000 -> good; snapshot 6" },
	/*
	 * Events while the first snapshot is taken belong to it: the leader 50 exits, since its
	 * thread executes a program; the exec comes later. The snapshot has not come to 60, which
	 * stands behind the last one.
	 */
	{ .name = "during initial", .proof = true, .text =
	  "8 exit task 50/2 tgid 50 comm x | 10 snap_begin epoch 1 |"
	  "11 state epoch 1 task 1/1 tgid 1 | 12 state epoch 1 task 51/3 tgid 50 | 13 died 60/2 |"
	  "20 snap_end epoch 1 complete 1 | 30 exec task 50/2 old_task 51/3 file /x |"
	  "100 snap_begin epoch 2 purpose 2 | 101 state epoch 2 task 1/1 tgid 1 |"
	  "102 state epoch 2 task 50/2 tgid 50 | 110 snap_end epoch 2 complete 1 |"
	  "120 state epoch 2 task 60/2 tgid 60 | end 1000 -> good; initial 3; deaths 1; alive 2" },
	/*
	 * A lost event explains one contradiction, and no more: 200 and 301 are gone, 777 to 779
	 * unborn.
	 */
	{ .name = "losses", .proof = true, .text =
	  "world |" LIVE "| lost births 2 200..300 | lost ends 1 200..300 | 500 final |"
	  "503 alive 777/250 | 503 alive 778/260 | 503 alive 779/270 | 510 final_end |"
	  "end 1000 -> population excused 3; population fails 2; "
	  "population says `2 do not fit; 3 uncertain, for events were lost (2 births, 1 ends)`" },
	/* It explains nothing at another time; what has no birth is counted as born. */
	{ .name = "a loss at another time", .proof = true, .text =
	  "world | lost births 2 600..700 | 500 final | 503 alive 777/250 | 510 final_end |"
	  "end 1000 -> population fails 1; initial 4; births 1; alive 5" },
	/* A fork that had not reached its tracepoint when recording ended. */
	{ .name = "in flight", .proof = true, .begin = 1, .text =
	  "world | 2000000000 final | 2000000002 alive 777/1999999000 |"
	  "2000000002 alive 778/1000000000 | 2000000010 final_end |"
	  "end 2000000100 -> population fails 1; note `task 778`; population says `1 being born`" },
	/*
	 * The machine slept for an hour, which starts include and the trace's clock does not: a
	 * task that was started half an hour ago, without a birth, is not in the middle of its
	 * fork.
	 */
	{ .name = "in flight behind sleep", .proof = true, .begin = 1, .text =
	  "world | 1800000000000 final | 1800000000002 alive 300/3660000000000 |"
	  "1800000000010 final_end | end 1860000000000 -> population fails 1; note `task 300`" },
	/* After the final snapshot, while probes are detached, nothing can be proven. */
	{ .name = "behind final", .proof = true, .text =
	  "world | 500 final | 510 final_end | 520 rename task 888/515 old_comm a comm b |"
	  "530 died 888/515 | end 1000 -> good" },
	/* After a requested snapshot the probes stay attached. */
	{ .name = "behind a requested snapshot", .proof = true, .text =
	  "world | 500 snap_begin epoch 9 purpose 1 | 501 alive 1/1 | 501 alive 2/2 |"
	  "501 alive 3/3 | 501 alive 100/4 | 510 final_end | 530 died 888/515 |"
	  "end 1000 -> population fails 1" },
	/* A proof that cannot be made gives the reason, and does not fail. */
	{ .name = "no snapshot", .proof = true, .text =
	  "100 born 200 of 100/4 | end 1000 -> population absent; generations absent; "
	  "numbers absent; reuse made; population says `there is no snapshot`" },
	{ .name = "no second snapshot", .proof = true, .text =
	  "world |" LIVE "| end 1000 -> good; population absent; "
	  "population says `no second complete snapshot`" },
	{ .name = "no complete second snapshot", .proof = true, .text =
	  "world | 500 final | 510 snap_end epoch 9 complete 0 | end 1000 -> good; "
	  "population absent; population says `no second complete snapshot`" },
	{ .name = "no complete snapshot", .proof = true, .text =
	  "10 snap_begin epoch 1 | end 1000 -> good; population absent; "
	  "population says `there is no complete snapshot`" },
	{ .name = "not watched", .proof = true, .unwatched = "the event exit was not watched",
	  .text =
	  "world | 500 final | 503 alive 777/250 | 510 final_end | end 1000 -> good; "
	  "population absent; population says `was not watched`" },
};

/* With missing packets the number of lost events is unknown. */
static void test_missing_packets(void **state)
{
	struct lt_task_gap gap = {
		.begin = 200, .end = 300, .what = LT_N_LOSSES - 1, .unknown = true,
	};
	struct proof p;

	(void)state;
	begin(&p, NULL);
	lt_tasks_gap(p.tb, &gap);
	final_begin(p.tb, 500);
	for (uint32_t tid = 700; tid < 800; tid++)
		final_state(p.tb, 503, tid, 250);
	final_end(p.tb, 510);
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_POPULATION), 0);
	assert_int_equal(p.v.excused[LT_TASK_CHECK_POPULATION], 100);
	says(&p, POPULATION, "100 uncertain, for events were lost (not known how many)");
	end(&p);
}

/* A slow fork is in flight, too, if the last count has a number for it. */
static void test_in_flight_for_long(void **state)
{
	struct lt_tasks_config config = { .begin = 1, .begin_boot = 1 };
	const uint64_t s = 1000000000;

	(void)state;
	for (unsigned int given = 0; given < 3; given++) {
		struct proof p;

		begin(&p, &config);
		final_begin(p.tb, 2 * s);
		final_state(p.tb, 2 * s + 2, 777, s);
		final_state(p.tb, 2 * s + 2, 778, s);
		final_end(p.tb, 2 * s + 10);
		ev(p.tb, PID_NS, 2 * s + 11, .ns = 1, .exact = 1, .generation = 7,
		   .allocated = 10 + given, .born = 8, .burned = 2);
		finish(&p, 2 * s + 100);
		assert_int_equal(failures(&p, LT_TASK_CHECK_POPULATION), 2 - given);
		end(&p);
	}
}

/* The first 40 contradictions have notes, the others are counted. */
static void test_many(void **state)
{
	struct proof p;

	(void)state;
	begin(&p, NULL);
	final_begin(p.tb, 500);
	for (uint32_t tid = 700; tid < 800; tid++)
		final_state(p.tb, 503, tid, 250);
	final_end(p.tb, 510);
	finish(&p, 1000);
	assert_int_equal(failures(&p, LT_TASK_CHECK_POPULATION), 100);
	assert_int_equal(p.v.n_notes, LT_TASK_NOTES);
	assert_int_equal(p.v.more_notes, 60);
	end(&p);
}

/* Proofs that are not as expected. */
static void test_planted(void **state)
{
#define ONE	"world | 500 final | 503 alive 777/250 | 510 final_end | end 1000 -> "
	static const struct {
		const char *text;
		const char *error;
	} planted[] = {
		{ ONE "bad; population fails 1; note `task 777`; notes 1; alive 5", NULL },
		{ ONE "good", "expected: good\nfound:    bad\n" },
		{ ONE "population fails 0", "found:    population fails 1\n" },
		{ ONE "population excused 1", "found:    population excused 0\n" },
		{ ONE "population absent", "found:    population made\n" },
		{ ONE "population says `final 4;`", "found:    population says initial 4" },
		{ ONE "note `task 778`", "found:    note task 777" },
		{ ONE "alive 4", "found:    alive 5\n" },
		{ ONE "note task", "no text between backquotes" },
		{ ONE "population lacks 1", "no result of a check: 'lacks'" },
		{ "world -> good", "a number is missing in 'good'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(planted) / sizeof(planted[0]); i++) {
		const char *error = task_scenario_error(&(struct task_scenario){
			.text = planted[i].text, .proof = true });

		if (planted[i].error ? !error || !strstr(error, planted[i].error) : error != NULL)
			fail_msg("%s\n%s", planted[i].text, error ? error : "no error");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_missing_packets), cmocka_unit_test(test_in_flight_for_long),
		cmocka_unit_test(test_many), cmocka_unit_test(test_planted),
	};

	return task_scenarios_main("task_check", scenarios,
				   sizeof(scenarios) / sizeof(scenarios[0]), tests,
				   sizeof(tests) / sizeof(tests[0]));
}

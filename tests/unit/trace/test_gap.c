// SPDX-License-Identifier: GPL-2.0
/*
 * Gaps: where loss counters and packet numbers say that events are missing, and
 * when the reader knows.
 */
#include "uapi/lifetrace_file.h"
#include "gap_script.h"
#include "trace/trace.h"
#include "tracegen.h"

#define PTR	0xffff888000001000ULL
#define SITE	0xffffffff81000100ULL

/* A loss that may have happened within the packet whose counters show it. */
#define WITHIN(reason)									\
	"c0 1000 page_free | c0 close 1100 | c0 1200 page_free |"			\
	"c0 lost page_alloc " reason " 1 | c0 close 1300 | c0 1400 page_free | end 1500 ->" \
	"at 1000 page 0; at 1200 page 1300; at 1400 page 1300 slab 0;"			\
	"gap c0 1100..1300 page_alloc 1"

static const struct gap_scenario scenarios[] = {
	{ .name = "losses for want of room lie between the packets", .text =
	  "c0 1000 kfree | c0 close 1100 | c0 lost kmalloc full 7 | c0 lost kfree nobuf 2 |"
	  "c0 open 2000 | c0 2050 kfree | c1 1050 kfree | c1 1100 kfree | c1 1500 kfree |"
	  "end 3000 ->"
	  "at 1000 slab 0; at 1050 slab 0; at 1100 slab 0; at 1500 slab 2000 page 0;"
	  "at 2050 slab 2000; gap c0 1100..2000 kmalloc 7 kfree 2" },
	{ .name = "a loss in an NMI lies anywhere in the packet", .text = WITHIN("nmi") },
	{ .name = "so does a loss in a nested probe", .text = WITHIN("nested") },
	{ .name = "so does one for want of room, if the packet says so", .text = WITHIN("within") },
	{ .name = "losses of classes that are in no space concern no object", .text =
	  "c0 1000 kfree | c0 close 1100 | c0 lost marker full 1 | c0 lost task_exit full 1 |"
	  "c0 lost alloc_failed full 1 | c0 2000 kfree | end 3000 ->"
	  "gap c0 1100..2000 alloc_failed 1 task_exit 1 marker 1; then slab 0 page 0 none 2000" },
	{ .name = "what says that a module came or went is of no space", .text =
	  "c0 1000 kfree | c0 close 1100 | c0 lost module full 1 | c0 2000 kfree | end 3000 ->"
	  "gap c0 1100..2000 module 1; then slab 0 page 0 none 2000" },
	/*
	 * Of a missing packet nothing is known but its place; a loss in it has none. Then a number
	 * is left out, and nothing is lost by the counters.
	 */
	{ .name = "packets are missing", .flags = TG_NO_STATS, .text =
	  "c0 1000 kfree | c0 close 1100 | c0 1200 kfree | c0 lost kfree nmi 3 | c0 drop 1300 |"
	  "c0 1400 kfree | c0 close 1500 | c0 skip 2 | c0 1600 kfree | end 1700 ->"
	  "gap c0 1100..1500; gap c0 1500..1600; then page 1600" },
	/* Known from the first event on. */
	{ .name = "the first packet of a stream is missing", .flags = TG_NO_STATS, .text =
	  "c0 500 kfree | c1 skip 1 | c1 1000 kfree | end 2000 ->"
	  "at 500 slab 1000; gap c1 0..1000" },
	/*
	 * No packet came from CPU 3. The last packet of CPU 1 is there, but not when the probes
	 * were detached.
	 */
	{ .name = "the last packet of a stream is missing", .flags = TG_NO_TRAILER,
	  .info = "cpus_online=0-1,3\n", .text =
	  "c0 1000 kfree | c0 close 1100 | c1 1200 kfree | c1 last 2000 ->"
	  "at 1000 slab ever; gap c3 0..ever; gap c1 1200..ever; gap c0 1100..ever" },
	/* What came before the damage need not be right, either. */
	{ .name = "of a damaged packet the rest is a gap", .message = "the rest of the packet",
	  .text =
	  "c0 1000 kfree | c0 1050 damaged | c0 1100 kfree | c0 close 1200 | c0 1300 kfree |"
	  "end 1400 ->"
	  "at 1000 slab 1300; at 1300 slab 1300; gap c0 0..1300" },
};

/* Gaps that are not as expected, and texts that are none. */
static void test_planted(void **state)
{
#define GAP	"c0 1000 kfree | c0 close 1100 | c0 lost kfree full 3 | c0 2000 kfree |" \
		"end 3000 -> "
	static const struct {
		const char *text;
		const char *error;
	} planted[] = {
		{ GAP "gap c0 1100..2000 kfree 3; then slab 2000", NULL },
		{ GAP "then slab 2000", "found:\ngap c0 1100..2000 kfree 3\nthen" },
		{ GAP "gap c0 1100..2000 kfree 2", "found:\ngap c0 1100..2000 kfree 3\n" },
		{ GAP "gap c0 1101..2000 kfree 3", "found:\ngap c0 1100..2000" },
		{ GAP "gap c1 1100..2000 kfree 3", "found:\ngap c0 1100..2000" },
		{ GAP "gap c0 1100..2000 kfree 3; gap c0 1100..2000 kfree 3", "expected:\ngap c0" },
		{ GAP "at 1000 slab 1; gap c0 1100..2000 kfree 3", "found:\nat 1000 slab 0\n" },
		{ GAP "gap c0 1100..2000 kfree 3; then slab 2000 page 1",
		  "then slab 2000 page 0\n" },
		{ GAP "gap c0 1100..2000 kfree 3; at 1000 slab 0", "all was read before" },
		{ GAP "at 1001 slab 0", "no event is read of the time" },
		{ GAP "gaps", "no result: 'gaps'" },
		{ "c0 1000 kalloc -> then slab 0", "no event: 'kalloc'" },
		{ "c0 lost kfrees full 1 -> then slab 0", "no class of events: 'kfrees'" },
		{ "c0 lost kfree away 1 -> then slab 0", "no reason of a loss: 'away'" },
		{ "c0 begin 1 -> then slab 0", "neither a time nor a word of packets: 'begin'" },
		{ "c0 1000 kfree", "neither | nor -> behind" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(planted) / sizeof(planted[0]); i++) {
		const char *error = gap_scenario_error(&(struct gap_scenario){
			.text = planted[i].text });

		if (planted[i].error ? !error || !strstr(error, planted[i].error) : error != NULL)
			fail_msg("%s\n%s", planted[i].text, error ? error : "no error");
	}
}

static struct lt_trace *open_trace(struct tg *g, unsigned int flags)
{
	struct lt_trace *t;

	assert_int_equal(tg_write(g, test_path("gap.lt"), flags), 0);
	test_stderr_begin();
	t = lt_trace_open(test_path("gap.lt"));
	test_stderr_end();
	assert_non_null(t);
	tg_free(g);
	return t;
}

static size_t drain(struct lt_trace *t, const struct lt_gap **gaps)
{
	struct lt_event ev;

	test_stderr_begin();
	while (lt_trace_next(t, &ev) > 0)
		;
	test_stderr_end();
	return lt_trace_gaps(t, gaps);
}

/* Lists that are meant to keep the reader busy. */
static void test_hostile_list(void **state)
{
	static const char *const lists[] = {
		"cpus_online=0-4294967295,0-4294967295,0-4294967295\n",
		"cpus_online=99999999999999999999-5,-,,7-\n", "cpus_online=\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct tg *g = tg_new(&(struct tg_options){ .info = lists[i] });
		const struct lt_gap *gaps;
		struct lt_trace *t;

		tg_kfree(g, 0, 1000, PTR, SITE);
		tg_finish(g, 1100);
		t = open_trace(g, TG_NO_TRAILER);
		/* And one for the time of the stop, which is not in the file. */
		assert_true(drain(t, &gaps) <= 65536 * LT_N_CHANNELS + 1);
		lt_trace_close(t);
	}
}

/* While recording, too, nothing is a gap before it is known to be one. */
static void test_live(void **state)
{
	struct tg *g = tg_new(NULL);
	const struct lt_gap *gaps;
	struct tg_packet *p;
	struct lt_trace *t;
	struct lt_event ev;
	size_t n;

	(void)state;
	tg_kfree(g, 0, 1000, PTR, SITE);
	tg_close(g, 0, 1100);
	tg_lost(g, 0, LT_CLASS_KFREE, TG_FULL, 4);
	tg_kfree(g, 0, 1200, PTR, SITE);
	tg_close(g, 0, 1300);
	t = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	p = tg_packets(g, &n);
	assert_int_equal(lt_trace_push(t, p[0].data, p[0].size), 0);
	assert_int_equal(lt_trace_next(t, &ev), 0);	/* no promise yet */
	lt_trace_watermark(t, 1100);
	assert_int_equal(lt_trace_next(t, &ev), 1);
	assert_int_equal(lt_trace_next(t, &ev), 0);
	assert_int_equal(lt_trace_gaps(t, &gaps), 0);
	assert_int_equal(lt_trace_push(t, p[1].data, p[1].size), 0);
	lt_trace_watermark(t, 1250);
	assert_int_equal(lt_trace_next(t, &ev), 1);
	assert_int_equal(ev.time, 1200);
	assert_int_equal(lt_trace_gap_end(t, LT_SPACE_SLAB), 1200);
	assert_int_equal(lt_trace_next(t, &ev), 0);
	assert_int_equal(lt_trace_gaps(t, &gaps), 1);
	/* That was all, although the last packet did not say so. */
	lt_trace_watermark(t, UINT64_MAX);
	assert_int_equal(lt_trace_next(t, &ev), 0);
	assert_int_equal(lt_trace_gaps(t, &gaps), 2);
	assert_int_equal(gaps[1].end, UINT64_MAX);
	lt_trace_close(t);
	tg_free(g);
}

/* A trace that never ends keeps none of the gaps that it has passed. */
static void test_forgotten(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_trace *t = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	struct lt_trace *all = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	const struct lt_gap *gaps;
	struct lt_event ev;
	struct tg_packet *p;
	size_t n, most = 0;

	(void)state;
	for (uint64_t i = 0; i < 5000; i++) {
		for (uint32_t cpu = 0; cpu < 2; cpu++) {
			tg_lost(g, cpu, LT_CLASS_KFREE, TG_FULL, 1);
			tg_kfree(g, cpu, 1000 * (i + 1) + cpu, PTR, SITE);
			tg_close(g, cpu, 1000 * (i + 1) + 100 + cpu);
		}
	}
	p = tg_packets(g, &n);
	lt_trace_forget_gaps(t);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(lt_trace_push(t, p[i].data, p[i].size), 0);
		assert_int_equal(lt_trace_push(all, p[i].data, p[i].size), 0);
		if (i % 50 != 49)
			continue;
		lt_trace_watermark(t, p[i].begin - 1);
		lt_trace_watermark(all, p[i].begin - 1);
		while (lt_trace_next(t, &ev) > 0) {
			uint64_t time = ev.time;

			assert_int_equal(lt_trace_next(all, &ev), 1);
			assert_int_equal(ev.time, time);
			assert_int_equal(lt_trace_gap_end(t, LT_SPACE_SLAB),
					 lt_trace_gap_end(all, LT_SPACE_SLAB));
		}
		most = lt_trace_gaps(t, &gaps) > most ? lt_trace_gaps(t, &gaps) : most;
	}
	assert_true(lt_trace_gaps(all, &gaps) > 9000);
	assert_true(most <= 1024);
	lt_trace_close(t);
	lt_trace_close(all);
	tg_free(g);
}

/* They are handed out once each, in the order of their discovery, before they are forgotten. */
static void test_taken(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_trace *t = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	struct lt_trace *all = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	const struct lt_gap *gaps, *expected;
	struct lt_event ev;
	struct tg_packet *p;
	size_t n, most = 0, taken = 0;

	(void)state;
	for (uint64_t i = 0; i < 10000; i++) {
		tg_lost(g, i % 2, LT_CLASS_KFREE, TG_FULL, 1 + (unsigned int)i % 5);
		tg_kfree(g, i % 2, 1000 * (i + 1), PTR, SITE);
		tg_close(g, i % 2, 1000 * (i + 1) + 100);
	}
	p = tg_packets(g, &n);
	lt_trace_forget_gaps(t);
	assert_int_equal(lt_trace_new_gaps(t, &gaps), 0);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(lt_trace_push(t, p[i].data, p[i].size), 0);
		assert_int_equal(lt_trace_push(all, p[i].data, p[i].size), 0);
		lt_trace_watermark(t, p[i].begin - 1);
		lt_trace_watermark(all, p[i].begin - 1);
		while (lt_trace_next(t, &ev) > 0)
			assert_int_equal(lt_trace_next(all, &ev), 1);
		most = lt_trace_gaps(t, &gaps) > most ? lt_trace_gaps(t, &gaps) : most;
		/* Once no one has asked for so long that there are more than are kept. */
		if (i % 100 != 99 || (i > 3000 && i < 6000))
			continue;
		for (size_t k = lt_trace_new_gaps(t, &gaps); k; k--, gaps++) {
			assert_true(lt_trace_gaps(all, &expected) > taken);
			assert_memory_equal(gaps, &expected[taken++], sizeof(*gaps));
		}
		assert_int_equal(lt_trace_gaps(all, &expected), taken);
		assert_int_equal(lt_trace_n_gaps(t), taken);
	}
	assert_true(taken > 9000);
	assert_in_range(most, 3000, 7000);
	assert_true(lt_trace_gaps(t, &gaps) < 1100);
	assert_int_equal(lt_trace_gap_end(t, LT_SPACE_SLAB), lt_trace_gap_end(all, LT_SPACE_SLAB));
	lt_trace_close(t);
	lt_trace_close(all);
	tg_free(g);
}

/*
 * Times that go round, to before the end of the packet: behind a late one, or as the packet ends so
 * late.
 */
static void test_time_goes_round(void **state)
{
	static const struct {
		uint64_t first, late, end, next;
	} cases[] = {
		{ 1000, UINT64_MAX, 1200, 1300 },
		{ UINT64_MAX - 2000, UINT64_MAX - 20, UINT64_MAX - 10, UINT64_MAX - 5 },
	};
	static const uint8_t kfree[9];

	(void)state;
	for (int i = 0; i < 4; i++) {
		const uint64_t late = cases[i / 2].late;
		struct tg *g = tg_new(&(struct tg_options){ .big_endian = i % 2 });
		struct lt_trace *t;
		struct lt_event ev;

		tg_kfree(g, 0, cases[i / 2].first, PTR, SITE);
		tg_raw(g, 0, late, LT_EV_KFREE, LT_CLASS_KFREE, kfree, sizeof(kfree));
		tg_raw(g, 0, late + 1100, LT_EV_KFREE, LT_CLASS_KFREE, kfree, sizeof(kfree));
		tg_close(g, 0, cases[i / 2].end);
		tg_kfree(g, 0, cases[i / 2].next, PTR, SITE);
		tg_finish(g, cases[i / 2].next);
		t = open_trace(g, 0);
		/* Known before the first record is handed out. */
		assert_int_equal(lt_trace_next(t, &ev), 1);
		assert_int_equal(ev.time, cases[i / 2].first);
		assert_int_equal(lt_trace_gap_end(t, LT_SPACE_SLAB), cases[i / 2].next);
		test_stderr_begin();
		do {
			assert_int_equal(lt_trace_next(t, &ev), 1);
		} while (ev.time < cases[i / 2].next);
		assert_non_null(strstr(test_stderr_end(), "the rest of the packet is left out"));
		lt_trace_close(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_planted), cmocka_unit_test(test_hostile_list),
		cmocka_unit_test(test_live), cmocka_unit_test(test_forgotten),
		cmocka_unit_test(test_taken), cmocka_unit_test(test_time_goes_round),
	};

	return gap_scenarios_main("gap", scenarios, sizeof(scenarios) / sizeof(scenarios[0]), tests,
				  sizeof(tests) / sizeof(tests[0]));
}

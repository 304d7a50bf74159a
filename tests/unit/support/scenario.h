/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scenarios: tests of the lifetime engine as text.
 *
 *	{ "A1 A2 F1 F2: the clocks are 50 ns apart",
 *	  "c1 100 kmalloc A | c0 1000 kmalloc A by b | c1 1050 kfree A by ? -> nothing |"
 *	  "c0 3000 kfree A by b -> A1 exact 1050@1000; A2 exact 3000 | check inversions 1" },
 *
 * A scenario is a list of steps, separated by "|". Most steps are events:
 *
 *	cCPU TIME EVENT OBJECT [by TASK] [in CONTEXT] [DETAIL N]...
 *
 *	TIME	ns, or with a unit, or a sum: 1500, 10ms, 1s+500
 *	EVENT	kmalloc cache_alloc bulk_alloc page_alloc
 *		kfree cache_free bulk_free rcu_free page_free; alloc_failed (no OBJECT)
 *	OBJECT	the address A, B … H; V, where vmalloc's memory is; NULL; ZERO, which is
 *		ZERO_SIZE_PTR; of page events FIRST/ORDER, the first page frame's number
 *	TASK	a (default); b, another task with the tid of a; c; ?: not known
 *	CONTEXT	task (default) softirq hardirq
 *	DETAIL	size REQ/GIVEN of kmalloc (default 8/8); cache of cache_alloc, bulk_alloc and
 *		cache_free (default 5); site (default: each event has its own); gfp; node
 *
 * Other steps:
 *
 *	late_free, sampled, min_size BYTES, unwatched slab|page|kmalloc|cache
 *			before the first event: see struct lt_lifetime_config
 *	lost slab|page|all TIME	events of this space were lost in a gap up to TIME, or "ever"
 *	caches unknown|known	the description of the caches is not (is) read yet
 *	end [TIME]	the end of the trace; else it ends after the last step
 *	check NAME N	a count of struct lt_lifetime_stats (births, alive: of slab objects), or
 *			live, held: bytes as in struct run
 *
 * A step can end with "-> LIFETIMES": all that came out since the last "->", in their
 * order, separated by ";", or "nothing". After the last "->" nothing else may come out.
 *
 *	NAME CERTAINTY [DEATH] [+NS] [cache ID] [further N]
 *
 *	NAME	A1, A2: the object of the first, second allocation of A; A0: its allocation
 *		was not seen; A2@100: with the call site of A2, but born at 100; P1: the page
 *		block of the first page_alloc; P1:13+2: a part of that block, the 2 pages from
 *		13 on; P0:8+4: pages whose allocation was not seen; P0:8+4/split: and not all
 *		pages of their free
 *	DEATH	the TIME of the free that ended it; TIME@TIME, where the time of death is not
 *		that of the free; reborn TIME; alive. Not given after open, which is alive;
 *		after bounded the time alone, as it is always reborn
 *	+NS	of rcu_free: the memory was given back NS later
 *	cache	of A0: what its free said
 *	further	compared only where it is given
 *
 * What else a lifetime holds (kind, ending, sizes, CPU, context, task and call site of birth
 * and death) must be that of the events which NAME and DEATH stand for.
 */
#ifndef SCENARIO_H
#define SCENARIO_H

#include "testlib.h"

struct scenario {
	const char *name;
	const char *text;
};

/**
 * struct trace_scenario - a scenario that is written as a trace and read again
 * @name, @text: as in struct scenario
 * @info: further lines of INFO
 * @stopped: STATS says that the session was stopped at this time; 0: it does not
 * @stats: further lines of STATS
 * @stats_again: STATS stands in the file once more
 * @events: text of EVENTS
 * @damage: a bit is flipped where this text stands for the last time in the file
 * @close: a packet of every CPU ends at this time; 0: only at the end of the trace
 * @live: the trace is read as while recording, with @info and @stats alone; STATS comes last
 * @torn: the file ends after the last packet, without STATS
 *
 * These texts take the place of the steps "unwatched", "lost" and "check". Lifetimes can
 * stand after the last step only. "cCPU TIME filtered EVENT" is an event that a filter left
 * out.
 */
struct trace_scenario {
	const char *name;
	const char *text;
	const char *info;
	uint64_t stopped;
	const char *stats;
	bool stats_again;
	const char *events;
	const char *damage;
	uint64_t close;
	bool live;
	bool torn;
};

/*
 * Runs a scenario. Return: NULL if all is as expected, or what is wrong, as text that is
 * valid until the next call.
 */
const char *scenario_error(const char *text);
const char *trace_scenario_error(const struct trace_scenario *ts);

/* Runs a table of scenarios, and C tests. Return: the exit status for main(). */
int scenarios_main(const char *group, const struct scenario *scenarios, size_t n_scenarios,
		   const struct CMUnitTest *tests, size_t n_tests);
int trace_scenarios_main(const char *group, const struct trace_scenario *scenarios, size_t n);

#endif /* SCENARIO_H */

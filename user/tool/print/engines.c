// SPDX-License-Identifier: GPL-2.0
/*
 * Engines side by side: a row for each, and a row for each difference.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "forms/screen.h"
#include "print/engines.h"
#include "rows/counters.h"

/* ------------------------------------------------------------------------
 * Engines
 */

#define SIDE		(r->side)
#define WHAT(NAME)	SIDE, r->side->what[LT_ENGINE_##NAME]
#define MEMORY		(SIDE && r->memory)
#define OBJECT(NAME)	MEMORY, r->side->what[LT_ENGINE_##NAME]
#define TIMED		(r->alone_ns && r->bare_ns)

static double slowdown(const struct lt_engine_row *r)
{
	return 100.0 * ((double)r->alone_ns / (double)r->bare_ns - 1);
}

/* What the command takes longer, by event that was recorded. */
static double per_event(const struct lt_engine_row *r)
{
	return ((double)r->alone_ns - (double)r->bare_ns) / (double)r->side->events;
}

/* Of a performance counter. */
#define SUM(C, id, name, which, TYPE, meaning)	\
	C(sum_##id, "sum_" name, name, TYPE, A, SIDE && SIDE->counters_known & 1U << LT_COUNTER_##which, \
	  SIDE->counters[LT_COUNTER_##which], "of all tasks that were counted: " meaning)

#define ENGINES(C)	\
	C(engine, "engine", "engine", TEXT, A, true, r->engine, "which; all: what any of them saw")	\
	C(reason, "reason", "reason", TEXT, A, r->reason, r->reason, "why it could not record")	\
	C(processes, "processes", "processes", COUNT, A, SIDE, SIDE->processes, "that it saw: the command, and what it created") \
	C(threads, "threads", "threads", COUNT, A, SIDE, SIDE->threads, "that it saw, without leaders")	\
	C(execs, "execs", "execs", COUNT, A, SIDE, SIDE->execs, "programs that they executed")	\
	C(exits, "exits", "exits", COUNT, A, SIDE, SIDE->exits, "ends that it saw")	\
	C(no_process, "missed_processes", "no process", COUNT, A, WHAT(NO_PROCESS), "processes that another one saw") \
	C(no_thread, "missed_threads", "no thread", COUNT, A, WHAT(NO_THREAD), "threads that another one saw")	\
	C(no_exec, "missed_execs", "no exec", COUNT, A, WHAT(NO_EXEC), "programs that another one saw")	\
	C(no_exit, "missed_exits", "no exit", COUNT, A, WHAT(NO_EXIT), "ends that another one saw")	\
	C(orphans, "orphans", "orphans", COUNT, A, WHAT(ORPHAN), "whose parent, or process, another one knows") \
	C(cycles, "cycles", "cycles", COUNT, A, SIDE, SIDE->cycles, "parents that lead in a circle")	\
	C(parents, "wrong_parents", "wrong parents", COUNT, A, WHAT(PARENT), "other parents than the first one that knows them has") \
	C(codes, "wrong_exit_codes", "wrong codes", COUNT, A, WHAT(CODE), "other exit codes than the first one that knows them has") \
	C(usages, "usages", "usages", COUNT, A, SIDE && SIDE->usages, SIDE->usages, "tasks of which it knows what they used") \
	C(usage, "wrong_usages", "wrong usages", COUNT, A, SIDE && SIDE->usages, SIDE->what[LT_ENGINE_USAGE], \
	  "that used something else than the first one that knows it has") \
	C(allocations, "allocations", "allocations", COUNT, A, MEMORY, SIDE->allocations, "slab objects that it saw these tasks allocate") \
	C(frees, "frees", "frees", COUNT, A, MEMORY, SIDE->frees, "of these, ends that it saw")	\
	C(lifetimes, "lifetimes", "lifetimes", COUNT, A, MEMORY, SIDE->lifetimes, "of these, those that are exact")	\
	C(no_alloc, "missed_allocations", "no allocation", COUNT, A, OBJECT(NO_ALLOC), "objects that another one saw") \
	C(no_free, "missed_frees", "no free", COUNT, A, OBJECT(NO_FREE), "ends of its objects that another one saw") \
	C(wrong_object, "wrong_objects", "wrong objects", COUNT, A, OBJECT(OBJECT), "of another size or call site than the first one that knows it has") \
	C(wrong_end, "wrong_ends", "wrong ends", COUNT, A, OBJECT(END), "that ended otherwise than the first one that knows it has") \
	C(lost, "lost", "lost", COUNT, A, SIDE, SIDE->lost, "events that it says are lost, of all kinds and tasks") \
	C(counted, "counted", "counted", COUNT, A, SIDE && SIDE->counted, SIDE->counted, "tasks whose performance counters were read") \
	LT_COUNTER_COLUMNS(SUM, C)	\
	C(events, "events", "events", COUNT, A, SIDE && SIDE->events, SIDE->events, "in its trace, of all tasks that it watches") \
	C(bytes, "bytes", "bytes", BYTES, A, SIDE && SIDE->bytes, SIDE->bytes, "of its trace")	\
	C(alone, "command_ns", "command", NS, A, r->alone_ns, r->alone_ns, "how long the command took with it alone; of all: with none") \
	C(slowdown, "slowdown_percent", "slower %", NUMBER, A, TIMED, slowdown(r), "by so much longer than with none") \
	C(per_event, "ns_per_event", "ns/event", NUMBER, A, TIMED && SIDE && SIDE->events, per_event(r), \
	  "so much longer for each event in its trace")

#define ENGINE_GETTER(id, name, head, TYPE, marks, known, value, meaning)	\
	LT_ROW_GETTER(id, struct lt_engine_row, r, void, c, TYPE, known, value)

/* WHAT() is two arguments. */
#define ENGINE_GETTER_OF(...)	ENGINE_GETTER(__VA_ARGS__)
#define ENGINE_COLUMN_OF(...)	LT_SCREEN_COLUMN(__VA_ARGS__)

ENGINES(ENGINE_GETTER_OF)
static const struct lt_column engines_columns[] = { ENGINES(ENGINE_COLUMN_OF) };
LT_SCREEN_KIND(engines, "engines", NULL, "an engine, and what it saw of a command");

/* For people: without what nobody has asked for. */
#define SEEN	"engine,processes,threads,execs,exits,missed_processes,missed_threads,missed_execs,missed_exits,"	\
		"orphans,cycles,wrong_parents,wrong_exit_codes,wrong_usages,lost,events,bytes"
#define OBJECTS	",allocations,frees,lifetimes,missed_allocations,missed_frees,wrong_objects,wrong_ends"
#define COSTS	",command_ns,slowdown_percent,ns_per_event"

/* ------------------------------------------------------------------------
 * Differences
 */

/* Where the object was allocated that it is about. Valid until the next one. */
static const char *site_of(const struct lt_engines *e, const struct lt_engine_difference *d)
{
	static char text[256];

	return d->site ? lt_trace_symbol(e->sides[d->by].memory, d->site, true, text, sizeof(text)) : NULL;
}

static const struct lt_engine_life *life_of(const struct lt_engines *e,
					    const struct lt_engine_difference *d)
{
	return &e->lives[d->life];
}

/* Valid until the next one. */
static const char *name_of(const struct lt_engines *e, const struct lt_engine_difference *d)
{
	static char text[64];
	char *name = lt_engines_name(e, life_of(e, d));

	snprintf(text, sizeof(text), "%s", name);
	free(name);
	return *text ? text : NULL;
}

#define DIFFERENCES(C)	\
	C(side, "engine", "engine", TEXT, A, true, e->sides[d->side].name, "which one says something else")	\
	C(what, "difference", "difference", TEXT, A, true, lt_engine_what_name(d->what), "what it lacks, or has otherwise") \
	C(cause, "cause", "cause", TEXT, A, true, lt_engine_cause_name(d->cause), "why") \
	C(tid, "tid", "tid", COUNT, A, true, life_of(e, d)->tid, "number of the task")	\
	C(begin, "begin_ns", "begin", TIME, A, true, life_of(e, d)->begin, "its birth, on the clock of the traces") \
	C(end, "end_ns", "end", TIME, A, true, life_of(e, d)->end, "its end")	\
	C(comm, "comm", "name", NAME, A, true, name_of(e, d), "its name")	\
	C(expected, "expected", "expected", SIGNED, A, d->expected >= 0, d->expected, \
	  "parent, number of programs, exit code as wait() has it, what it used, bytes of an object, or ns that it lived")	\
	C(found, "found", "found", SIGNED, A, d->found >= 0, d->found, "what the engine has instead")	\
	C(by, "expected_by", "expected by", TEXT, A, true, e->sides[d->by].name, "the engine whose word that is")	\
	C(address, "address", "address", HEX, A, d->ptr, d->ptr, "of the object that the task allocated")	\
	C(birth, "birth_ns", "allocated", TIME, A, d->ptr, d->birth, "when, on the clock of the traces")	\
	C(site, "birth_site", "call site", TEXT, A, d->site, site_of(e, d), "where")

#define DIFFERENCE_GETTER(id, name, head, TYPE, marks, known, value, meaning)	\
	LT_ROW_GETTER(id, struct lt_engine_difference, d, const struct lt_engines, e, TYPE, known, value)

DIFFERENCES(DIFFERENCE_GETTER)
static const struct lt_column engine_differences_columns[] = { DIFFERENCES(LT_SCREEN_COLUMN) };
LT_SCREEN_KIND(engine_differences, "engine_differences", NULL,
	       "where an engine differs from the first one that knows");

static void print_differences(const struct lt_engines_view *v, size_t n)
{
	struct lt_table t = {
		.out = v->out, .format = v->format, .ctx = (void *)(uintptr_t)v->e,
	};

	lt_table_columns(&t, &lt_rows_of_engine_differences, 0, v->differences ? v->columns : NULL);
	lt_table_begin(&t);
	for (size_t i = 0; i < n; i++)
		lt_table_row(&t, &v->e->differences[i]);
	lt_table_end(&t);
}

/* How many there are of each engine, kind and cause. */
static void print_sums(const struct lt_engines_view *v)
{
	const struct lt_engines *e = v->e;
	struct lt_engines_sums sums;
	char line[160];

	lt_engines_sum(e, &sums);
	for (unsigned int s = 0; s < e->n_sides; s++) {
		for (unsigned int k = 0; k < LT_N_ENGINE_WHATS * LT_N_ENGINE_CAUSES; k++) {
			unsigned int what = k / LT_N_ENGINE_CAUSES, why = k % LT_N_ENGINE_CAUSES;
			uint64_t n = sums.n[s][what][why];

			if (!n)
				continue;
			snprintf(line, sizeof(line), "  %-16s %9" PRIu64 "  %-16s  %s\n",
				 e->sides[s].name, n,
				 lt_engine_what_name((enum lt_engine_what)what),
				 lt_engine_cause_name((enum lt_engine_cause)why));
			lt_out_str(v->out, line);
		}
	}
}

/* Below the table of engines, for people. */
static void print_rest(const struct lt_engines_view *v)
{
	size_t n = v->e ? v->e->n_differences : 0;
	char line[64];

	for (size_t i = 0; i < v->n; i++) {
		if (!v->rows[i].reason)
			continue;
		lt_out_str(v->out, v->rows[i].engine);
		lt_out_str(v->out, " cannot record here: ");
		lt_out_text(v->out, v->rows[i].reason, strlen(v->rows[i].reason));
		lt_out_char(v->out, '\n');
	}
	snprintf(line, sizeof(line), "\n%zu differences%s\n", n, n ? ":" : "");
	lt_out_str(v->out, line);
	if (!n)
		return;
	print_sums(v);
	lt_out_char(v->out, '\n');
	print_differences(v, n < v->top ? n : v->top);
	if (n > v->top)
		lt_out_str(v->out, "--differences prints all of them\n");
}

/* With the costs and counters that are known, to be freed. */
static char *columns_of(const struct lt_engines_view *v)
{
#define SUM_NAME(arg, id, name, which, TYPE, meaning)	[LT_COUNTER_##which] = "sum_" name,
	static const char *const counters[LT_N_COUNTERS] = { LT_COUNTER_COLUMNS(SUM_NAME, 0) };
	struct lt_str text = { .n = 0 };
	unsigned int known = 0;

	for (unsigned int i = 0; v->e && i < v->e->n_sides; i++)
		known |= v->e->sides[i].counters_known;
	lt_str_add(&text, "%s", v->e && v->e->memory ? SEEN OBJECTS : SEEN);
	for (unsigned int i = 1; i < LT_N_COUNTERS; i++) {
		if (known & 1U << i)
			lt_str_add(&text, ",%s", counters[i]);
	}
	if (v->n && v->rows[0].alone_ns)
		lt_str_add(&text, "%s", COSTS);
	return text.s;
}

void lt_engines_print(const struct lt_engines_view *v)
{
	struct lt_table t = { .out = v->out, .format = v->format };
	const char *columns = v->columns;
	char *chosen = NULL;

	if (v->differences) {
		print_differences(v, v->e ? v->e->n_differences : 0);
		return;
	}
	if (v->format == LT_FORMAT_TEXT && !columns)
		columns = chosen = columns_of(v);
	lt_table_columns(&t, &lt_rows_of_engines, 0, columns);
	lt_table_begin(&t);
	for (size_t i = 0; i < v->n; i++)
		lt_table_row(&t, &v->rows[i]);
	lt_table_end(&t);
	free(chosen);
	if (v->format == LT_FORMAT_TEXT && !v->columns)
		print_rest(v);
}

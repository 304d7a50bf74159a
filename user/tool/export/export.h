/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exporters: a trace in the format of another program. A format is one struct
 * lt_exporter and one row of formats.h.
 *
 * An exporter has callbacks for what it needs of the trace: packets, events, lifetimes,
 * tasks, sums, a profile. export.c reads the trace as often as the callbacks of an exporter
 * require, opens and closes the output, and reports what could not be exported.
 */
#ifndef LT_EXPORT_EXPORT_H
#define LT_EXPORT_EXPORT_H

#include <stdio.h>

#include "export/formats.h"
#include "format/packet.h"
#include "format/schema.h"
#include "lifetimes/lifetime.h"
#include "rows/column.h"
#include "rows/kinds.h"
#include "sums/profile.h"
#include "sums/report.h"
#include "tasks/tasks.h"
#include "trace/trace.h"

/* What is measured, for formats with one number a path; the words are those of report's lists. */
enum lt_metric {
	LT_METRIC_ALIVE,		/* bytes alive at the instant */
	LT_METRIC_ALIVE_OBJECTS,
	LT_METRIC_PEAK,			/* alive, and the instant is the peak */
	LT_METRIC_CHURN,		/* allocations */
	LT_METRIC_BYTES,		/* of these */
	LT_METRIC_SLACK,		/* bytes given but not asked for */
	LT_METRIC_LIFETIME,		/* ns, the sum of the exact lifetimes */
	LT_N_METRICS,
};

struct lt_cgroups;

/* Tables of a fleet that users choose; see fleet.h. */
enum lt_fleet_table {
#define LT_FLEET_ID(name, ...)	LT_FLEET_##name,
	LT_ROW_KINDS(LT_FLEET_ID)
	LT_N_FLEET_TABLES,
};

_Static_assert(LT_FLEET_TRACE == LT_N_FLEET_TABLES - 1, "the table trace is the last one");
_Static_assert(LT_N_FLEET_TABLES <= 32, "a bit for each table");

/**
 * struct lt_export_options - what users choose
 * @version: version of the format (--ctf-version); NULL: the default
 * @profile: for exporters with @profile; without levels: task, cache, and the stack or the site
 * @metric: the number, if the format has one only
 * @tables: for exporters with @tables: bit n: the enum lt_fleet_table n; 0: those that are small
 * @host: for these: the name of the machine; NULL: that of the trace
 * @addresses: for exporters with @has_secrets: with addresses of objects, of functions without a
 *	name, and of programs
 */
struct lt_export_options {
	const char *version;
	struct lt_profile_options profile;
	enum lt_metric metric;
	unsigned int tables;
	const char *host;
	bool addresses;
};

/**
 * struct lt_export - one export under way
 * @file: name of the trace file; NULL: it is being recorded, see totals.h
 * @path: name of the output
 * @out: the output file; NULL: the format is a directory, which is new or was empty
 * @opts: what users choose
 * @trace: texts, clock and symbols; in @event and @lifetime of an exporter the trace
 *	that is being read. Every trace of an export stays open until @end has returned,
 *	so that what a callback was given by reference stays valid.
 * @schema: the schema of the packets
 * @tasks: the tasks, from the first @task call on until @end has returned; NULL: the
 *	exporter has no @task, or the trace has no channel pid
 * @no_events: set by @begin of an exporter: it needs no @event of this trace, which makes the pass
 *	over it faster
 * @rows: set by @begin of an exporter with @row: bit n: it takes rows of the enum lt_fleet_table n
 * @cgroups: set by such a @begin: for rows of tasks; NULL: not known
 * @failed: for @end: a callback has failed, or the trace could not be read
 * @priv: the exporter's own; @end frees it
 */
struct lt_export {
	const char *file;
	const char *path;
	FILE *out;
	const struct lt_export_options *opts;
	struct lt_trace *trace;
	const struct lt_schema *schema;
	struct lt_tasks *tasks;
	bool no_events;
	unsigned int rows;
	const struct lt_cgroups *cgroups;
	bool failed;
	void *priv;
};

/**
 * struct lt_exporter - one format
 * @name: name in --format
 * @help: what the format is for, in one line of the help
 * @directory: the output is a directory, not a file
 * @tables: it is one of tables, which has those of other traces, too
 * @has_secrets: it leaves addresses out where users do not ask for them
 * @sums_of: how @sums adds up the lifetimes
 * @begin: first call; the output is open
 * @look: a packet, before the first call of @packet, in the same order; its records may be damaged
 * @packet: a packet; the packets of a stream come in order, one stream after the
 *	other. Returns 1 with @why filled in, and has written nothing then, if the packet
 *	is damaged.
 * @task: a task, in order of births; @inst is its number in @e->tasks
 * @event: an event, in order of time
 * @lifetime: a lifetime, when it is decided: in order of the ends of lifetimes, those
 *	that are open last. In the pass of @event.
 * @row: a row of a kind in @e->rows, from row_source.c, when it is decided: first tasks in order of
 *	births, then the others in the pass of @event. @time: its end, ns; @ctx: for the getters of
 *	its columns
 * @sums: the lifetimes added up; called once
 * @step: a birth or an end, in order of time; of the pass that makes @p for @profile
 * @profiled: a lifetime that @p adds up, when it is decided; @cache is its lt_cache_key(). Of
 *	that pass
 * @marker: a marker, in order of time. Of that pass
 * @profile: the lifetimes added up by several levels; called once
 * @one_metric: the format has one number a path
 * @all_instants: the format has the peak and the end, and takes no other instant
 * @most: it has how much of each path was alive at most
 * @end: last call, also after a callback but @begin has failed
 *
 * The calls come in the order of the members. Every callback may be NULL. Each but @step,
 * @profiled and @marker, of which the argument @e is the export, returns 0, or -1 after printing
 * what is wrong, which ends the export.
 */
struct lt_exporter {
	const char *name;
	const char *help;
	bool directory;
	bool tables;
	bool has_secrets;
	bool one_metric;
	bool all_instants;
	bool most;
	struct lt_report_options sums_of;
	int (*begin)(struct lt_export *e);
	void (*look)(struct lt_export *e, const struct lt_packet *p);
	int (*packet)(struct lt_export *e, const struct lt_packet *p, struct lt_why *why);
	int (*task)(struct lt_export *e, uint32_t inst, const struct lt_task_inst *t);
	int (*event)(struct lt_export *e, const struct lt_event *ev);
	int (*lifetime)(struct lt_export *e, const struct lt_lifetime *l);
	int (*row)(struct lt_export *e, enum lt_fleet_table table, uint64_t time, const void *row,
		   void *ctx);
	int (*sums)(struct lt_export *e, struct lt_report *sums);
	void (*step)(void *e, const struct lt_profile *p, const struct lt_profile_step *step);
	void (*profiled)(void *e, const struct lt_profile *p, const struct lt_lifetime *l,
			 uint64_t cache);
	void (*marker)(void *e, const struct lt_profile *p, uint64_t time, const char *text);
	int (*profile)(struct lt_export *e, const struct lt_profile *p);
	int (*end)(struct lt_export *e);
};

#define LT_EXPORT_DECLARE(name)	extern const struct lt_exporter lt_export_##name;
LT_EXPORT_FORMATS(LT_EXPORT_DECLARE)

/**
 * lt_export_run() - convert a trace
 * @x: the format
 * @file: name of the trace file
 * @path: name of the output; "-" is standard output if the format is a file
 * @opts: what users choose; NULL: the defaults
 *
 * Return: LT_EXIT_OK; LT_EXIT_NO: done, but damaged packets were left out, each with a
 * message; LT_EXIT_BAD: not done, after printing why.
 */
int lt_export_run(const struct lt_exporter *x, const char *file, const char *path,
		  const struct lt_export_options *opts);

/**
 * lt_export_make_dir() - the directory for an export
 * @add: it may have something in it already
 * Return: 0, or -1 after printing what is wrong.
 */
int lt_export_make_dir(const char *path, bool add);

#endif /* LT_EXPORT_EXPORT_H */

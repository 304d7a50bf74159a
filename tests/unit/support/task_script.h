/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks as text: events of the channel pid in the notation of scenarios (scenario.h), and what is
 * known of the tasks.
 *
 *	{ .name = "a snapshot reads the path in the middle of an exec", .text =
 *	  "world -> 100/4 file 50 /bin/sh |"
 *	  "150 exec task 100/4 old_task 100/4 file /bin/sh -> 100/4 file 50 unknown" },
 *
 * A task is TID/START. Steps, separated by "|":
 *
 *	world				the tasks of tasktest.h, in a snapshot from 10 to 20
 *	TIME EVENT [MEMBER VALUE]...	an event by its name in the schema; MEMBER is one of struct
 *					lt_task_event, or stands for two of them: task, old_task,
 *					parent, creator TID/START
 *	TIME born TID of TASK, TIME thread TID of TASK, TIME died TASK	see tasktest.h
 *	lost WHAT [N] FROM..UNTIL	changes, births, ends, or all: packets are missing
 *	TIME final, TIME alive TASK, TIME final_end	a last snapshot: of the world; of one more
 *	end TIME			of the trace
 *
 * Each step may end with "->" and what is known then, separated by ";":
 *
 *	TASK ATTRIBUTE TIME VALUE	comm, oom, uid, gid, cgroup, file or parent, at a time;
 *					unknown; with a ? behind it: not certain
 *	TASK ATTRIBUTE now VALUE	oom, comm, or cgroup, the latest
 *	silent|unseen ATTRIBUTE N	changes without an event; all: of each attribute but parent
 *	reparented N
 *	TASK is MEMBER VALUE		of struct lt_task_inst: its numbers and names; creator
 *					TID/START; birth_is, death_is, ending by their words
 *	TASK is birth_why|end_why `TEXT`	why they are not known for certain
 *	TASK is birth_cause|end_cause WORD	none, lost, before, alive
 *	tasks N				how many there are
 *	boot_time TIME N		a time of the trace, since boot
 *
 * With @proof, behind "end":
 *
 *	good, bad			whether all proofs hold
 *	CHECK fails|excused N		population, reuse, generations, numbers
 *	CHECK says `TEXT`, CHECK is `TEXT`	a part of its sentence; the whole
 *	CHECK made, CHECK absent	whether there is what it needs
 *	note `TEXT`, notes N		a part of a note; how many there are
 *	SUM N				initial, births, deaths, became_leaders, alive, snapshot or
 *					meanwhile, of struct lt_task_proofs
 *
 * By way of a trace the steps are these, and one "->" stands behind the last one:
 *
 *	cCPU TIME [wide] EVENT [MEMBER VALUE]...	a record of the channel pid; wide: of
 *					that form; MEMBER by its name in the schema
 *	cCPU TIME kmalloc|kfree		of the channel kmem
 *	cCPU close|drop TIME		a packet of the channel pid ends; is lost
 *	cCPU lost CLASS N		for want of room
 *	clock TIME BOOT			a reading of the clocks: the trace's, and since boot
 *	end TIME			of the trace
 */
#ifndef TASK_SCRIPT_H
#define TASK_SCRIPT_H

#include "tasktest.h"

/**
 * struct task_scenario - events and what is known of their tasks
 * @name: of the test
 * @text: the notation
 * @latest: no histories are kept
 * @proof: what the tasks must fulfil is proven
 * @unwatched: why the events that proofs need are not in the trace; NULL: they are
 * @begin: when the trace begins, on its clock and since boot
 */
struct task_scenario {
	const char *name;
	const char *text;
	bool latest;
	bool proof;
	const char *unwatched;
	uint64_t begin;
};

/* Return: NULL if all is as expected, or what is wrong, valid until the next call. */
const char *task_scenario_error(const struct task_scenario *ts);

/* Runs a table of them, and C tests. Return: the exit status for main(). */
int task_scenarios_main(const char *group, const struct task_scenario *scenarios, size_t n,
			const struct CMUnitTest *tests, size_t n_tests);

/**
 * struct task_trace_scenario - a trace and what is known of its tasks
 * @name: of the test
 * @text: the notation
 * @big_endian: byte order of the traced machine
 * @no_tasks: the channel pid was not recorded, and there are proofs alone
 * @events: text of the EVENTS block; NULL: there is none
 * @stats: text of a STATS block; NULL: that of a whole recording
 */
struct task_trace_scenario {
	const char *name;
	const char *text;
	bool big_endian;
	bool no_tasks;
	const char *events;
	const char *stats;
};

const char *task_trace_scenario_error(const struct task_trace_scenario *ts);

int task_trace_scenarios_main(const char *group, const struct task_trace_scenario *scenarios,
			      size_t n, const struct CMUnitTest *tests, size_t n_tests);

#endif /* TASK_SCRIPT_H */

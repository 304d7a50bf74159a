/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gaps as text: the packets of a trace in the notation of scenarios (scenario.h), and where its
 * reader finds that events are missing.
 *
 *	{ "for want of room",
 *	  "c0 1000 kfree | c0 close 1100 | c0 lost kmalloc full 7 | c0 2000 kfree | end 3000 ->"
 *	  "at 1000 slab 0; gap c0 1100..2000 kmalloc 7; then slab 2000 page 0" },
 *
 * Steps, separated by "|":
 *
 *	cCPU TIME kfree|page_free|damaged	an event; damaged: a record that cannot be read
 *	cCPU open|close|drop|last TIME		a packet begins, ends; is lost; is the last one
 *	cCPU lost CLASS full|nmi|nested|nobuf|within N	in the open packet, or between two
 *	cCPU skip N				numbers of packets that are left out
 *	end TIME				of all streams, which have an end then
 *
 * After "->" all that is found, separated by ";":
 *
 *	at TIME SPACE UNTIL...	when the event of this time was read: up to when events of a space
 *				(slab, page, none) are known to be missing; 0: never;
 *				ever: to the end
 *	gap cCPU FROM..UNTIL [CLASS N]...	each gap, in the order of their discovery
 *	then SPACE UNTIL...	the same as "at", at the end
 */
#ifndef GAP_SCRIPT_H
#define GAP_SCRIPT_H

#include "testlib.h"

/**
 * struct gap_scenario - a trace and its gaps
 * @name: of the test
 * @text: the notation
 * @info: further lines of INFO
 * @flags: enum tg_write_flags
 * @message: is a part of what is written to standard error meanwhile; NULL: nothing is compared
 */
struct gap_scenario {
	const char *name;
	const char *text;
	const char *info;
	unsigned int flags;
	const char *message;
};

/* Return: NULL if all is as expected, or what is wrong, valid until the next call. */
const char *gap_scenario_error(const struct gap_scenario *gs);

/* Runs a table of them, and C tests. Return: the exit status for main(). */
int gap_scenarios_main(const char *group, const struct gap_scenario *scenarios, size_t n,
		       const struct CMUnitTest *tests, size_t n_tests);

#endif /* GAP_SCRIPT_H */

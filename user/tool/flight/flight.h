/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The flight recorder: a recording that keeps the last seconds in memory, and writes them to a
 * file of their own when something has happened.
 */
#ifndef LT_FLIGHT_FLIGHT_H
#define LT_FLIGHT_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "record/recorder.h"

#define LT_FLIGHT_SOCKET	"/run/lifetrace.flight"
#define LT_FLIGHT_TEXT		256	/* bytes of a request's text, with a zero byte */

struct lt_triggers;

/**
 * struct lt_flight_options - when to write what
 * @prefix: files are named PREFIX.000001.lt, and so on; names in answers, and for --exec, are
 *	absolute
 * @window_ns: how much a snapshot is to hold, of which
 * @after_ns: this much is from after its cause
 * @interval_ns: at least so long between two of them
 * @memory: bytes for packets and table; 0: a default by the machine's memory
 * @max_snapshots: end with that one; 0: never
 * @zstd: compress packets, in memory, too
 * @triggers: causes, beside requests
 * @exec: command for the shell after each one; NULL: none
 * @control: the socket for requests
 * @stuck_ns: how long the process that writes a snapshot may do nothing; 0: two minutes
 */
struct lt_flight_options {
	const char *prefix;
	uint64_t window_ns;
	uint64_t after_ns;
	uint64_t interval_ns;
	uint64_t memory;
	uint64_t max_snapshots;
	bool zstd;
	struct lt_triggers *triggers;
	const char *exec;
	const char *control;
	uint64_t stuck_ns;
};

/* Return: an exit status, as lt_record_run(). The triggers are freed. */
int lt_flight_run(const struct lt_record_options *record, struct lt_flight_options *opts);

/* client.c */

/**
 * lt_flight_request() - let the flight recorder of this machine write a snapshot, and wait for it
 * @control: its socket
 * @text: why, for the file
 * @file: result, to be freed: the name of the file
 * Return: 0; 1: it takes none now, which was printed; -1 after printing why that failed.
 */
int lt_flight_request(const char *control, const char *text, char **file);

#endif /* LT_FLIGHT_FLIGHT_H */

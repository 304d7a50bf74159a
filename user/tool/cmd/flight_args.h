/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_CMD_FLIGHT_ARGS_H
#define LT_CMD_FLIGHT_ARGS_H

#include <argp.h>

#include "cmd/args.h"
#include "flight/flight.h"
#include "flight/window.h"

/**
 * struct lt_flight_args - what lt_argp_flight parses
 * @opts: its @window_ns is 0 if there is to be no flight recorder
 * @first: the first option but --flight; NULL: none
 * @has_after: --after was given
 */
struct lt_flight_args {
	struct lt_flight_options opts;
	const char *first;
	bool has_after;
};

/* Its input is a struct lt_flight_args. It has lt_args_help. */
extern const struct argp lt_argp_flight;

/*
 * What a flight recorder does not do, and which clock it takes. @other: an option that was given;
 * NULL: none.
 */
void lt_flight_args_check(struct argp_state *state, const struct lt_flight_args *a,
			  struct lt_record_options *r, const char *other);

#endif /* LT_CMD_FLIGHT_ARGS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The command line of lifetrace record. */
#ifndef LT_CMD_RECORD_ARGS_H
#define LT_CMD_RECORD_ARGS_H

#include "cmd/flight_args.h"
#include "export/export.h"
#include "record/recorder.h"

/**
 * struct lt_record_args - what was asked for
 * @record: the recording
 * @flight: the flight recorder; without a window there is none
 * @lifetimes: the file of --lifetimes; NULL: there is none
 * @html: the page of --html; NULL: there is none
 * @totals: the directory of --totals; NULL: there is none
 * @totals_format: of these tables; NULL: the default
 */
struct lt_record_args {
	struct lt_record_options record;
	struct lt_flight_args flight;
	const char *lifetimes;
	const char *html;
	const char *totals;
	const struct lt_exporter *totals_format;
};

/* Parses the command line into @args; what is wrong ends the program. */
void lt_record_args_parse(int argc, char **argv, struct lt_record_args *args);

#endif /* LT_CMD_RECORD_ARGS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions that a command line names, of `record` and of `boot enable`.
 */
#ifndef LT_CMD_FUNCTION_ARGS_H
#define LT_CMD_FUNCTION_ARGS_H

#include <argp.h>

#include "cmd/help.h"
#include "record/recorder.h"

enum {
	LT_KEY_CALL = 0x2200, LT_KEY_CALL_FILE, LT_KEY_CALL_DEPTH,
};

/*
 * Rows of a table of options, in the group @g: what --call is for is @text, and the others have
 * the flags @more.
 */
#define LT_FUNCTION_OPTIONS(text, more, g)							\
	{ "call", LT_KEY_CALL, "SPEC", 0, text, g },						\
	{ "call-file", LT_KEY_CALL_FILE, "FILE", more,						\
	  "Record those that the SPECs in FILE name, one a line", g },				\
	{ "call-depth", LT_KEY_CALL_DEPTH, "N", more,						\
	  "Record only calls that are in fewer than N recorded ones of their thread", g }

/*
 * Takes one of these; a wrong argument ends the program, as a file that cannot be read does. @arg
 * lives as long as the program. False: it is another option.
 */
bool lt_args_functions(int key, const char *arg, struct argp_state *state,
		       struct lt_record_options *r);

#endif /* LT_CMD_FUNCTION_ARGS_H */

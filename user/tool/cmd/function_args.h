/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions that a command line names, of `record` and of `boot enable`.
 */
#ifndef LT_CMD_FUNCTION_ARGS_H
#define LT_CMD_FUNCTION_ARGS_H

#include "record/recorder.h"

/* Adds a spec (fetch/spec.h), which lives as long as the program. */
void lt_args_function(struct lt_record_options *r, const char *spec);

/* Adds those in a file, one a line. Ends the program if it cannot be read. */
void lt_args_functions_of(struct lt_record_options *r, const char *path);

#endif /* LT_CMD_FUNCTION_ARGS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The option --budget of lifetrace record. */
#ifndef LT_CMD_BUDGET_ARGS_H
#define LT_CMD_BUDGET_ARGS_H

#include <argp.h>

#include "record/recorder.h"

/* Takes the argument, as "2%"; a wrong one ends the program. */
void lt_args_budget(struct argp_state *state, const char *arg, struct lt_record_options *r);

/*
 * Whether the options go together, and the sample that the recording begins with. @live: the option
 * by which events are taken while they are recorded; NULL: there is none.
 */
void lt_args_check_budget(struct argp_state *state, struct lt_record_options *r, const char *live);

#endif /* LT_CMD_BUDGET_ARGS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands. One file a command, named like it; arguments.c is for what several
 * of them take.
 */
#ifndef LT_CMD_H
#define LT_CMD_H

#include <argp.h>

/*
 * Each takes its own argv: argv[0] is "lifetrace NAME", so that argp's usage
 * text and messages name the whole command. Returns the exit status (enum
 * lt_exit).
 *
 * Weak, so that a file can be left out of a build: the command table passes
 * over it.
 */
typedef int lt_cmd_fn(int argc, char **argv);

lt_cmd_fn lt_cmd_record __attribute__((weak));
lt_cmd_fn lt_cmd_info __attribute__((weak));
lt_cmd_fn lt_cmd_dump __attribute__((weak));
lt_cmd_fn lt_cmd_lifetimes __attribute__((weak));
lt_cmd_fn lt_cmd_report __attribute__((weak));
lt_cmd_fn lt_cmd_tasks __attribute__((weak));
lt_cmd_fn lt_cmd_tree __attribute__((weak));
lt_cmd_fn lt_cmd_ps __attribute__((weak));
lt_cmd_fn lt_cmd_hazards __attribute__((weak));
lt_cmd_fn lt_cmd_verify __attribute__((weak));
lt_cmd_fn lt_cmd_export __attribute__((weak));
lt_cmd_fn lt_cmd_doctor __attribute__((weak));

/**
 * lt_cmd_file_argument() - a parser for those who take just one trace file
 * @file: NULL until it was found; of what argp gives no copy is made
 * Return: ARGP_ERR_UNKNOWN for what is no argument. argp ends the program, with status
 * LT_EXIT_BAD, when there is none or another one.
 */
error_t lt_cmd_file_argument(int key, char *arg, struct argp_state *state, const char **file);

#endif /* LT_CMD_H */

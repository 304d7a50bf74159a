/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The help of a command: --help lists the options that most people need, --help=all every one.
 */
#ifndef LT_CMD_HELP_H
#define LT_CMD_HELP_H

#include <argp.h>

/*
 * In the flags of an option: it is listed by --help=all alone. argp ignores the bit.
 */
#define LT_MORE		0x1000

/*
 * Rows of the options that every command has. A parser gives the keys of these options to
 * lt_help_key().
 */
#define LT_HELP_OPTIONS									\
	{ "help", '?', "all", OPTION_ARG_OPTIONAL, "This list; all: every option", -1 },	\
	{ NULL, 'h', NULL, OPTION_HIDDEN, NULL, -1 },						\
	{ "usage", LT_KEY_USAGE, NULL, LT_MORE, "A short usage message", -1 },		\
	{ "version", 'V', NULL, LT_MORE, "The version of the program", -1 }

enum { LT_KEY_USAGE = 0x3000 };

/**
 * lt_help_parse() - parse a command line
 *
 * As argp_parse(), which would list its own options for help beside those of LT_HELP_OPTIONS. What
 * is wrong ends the program.
 */
void lt_help_parse(const struct argp *argp, int argc, char **argv, unsigned int flags, void *input);

/**
 * lt_help_ask() - let lt_help_parse() hand its options out instead
 * @answer: gets them, and returns an argument to be parsed; NULL: none
 *
 * The program ends then. With lt_words_ask() the argument's words are given before.
 */
void lt_help_ask(char *(*answer)(void *arg, const struct argp *argp), void *arg);

/* Prints what a key of LT_HELP_OPTIONS asks for, and ends the program; other keys are unknown. */
error_t lt_help_key(int key, const char *arg, struct argp_state *state);

#endif /* LT_CMD_HELP_H */

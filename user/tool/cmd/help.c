// SPDX-License-Identifier: GPL-2.0
/*
 * The help of a command. argp prints the options of a tree of tables; for the short help it is
 * given a copy of this tree without the options that have LT_MORE.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/help.h"
#include "forms/words.h"

/* The options that the copies lack. */
static size_t left_out;

static bool ends(const struct argp_option *o)
{
	return !o->key && !o->name && !o->doc && !o->group;
}

static bool is_header(const struct argp_option *o)
{
	return !o->key && !o->name;
}

/* The group of an option: argp counts on from the option before it. */
static int group_of(const struct argp_option *options, size_t i)
{
	int group = 0;

	for (size_t n = 0; n <= i; n++) {
		if (options[n].group)
			group = options[n].group;
		else if (is_header(&options[n]))
			group++;
	}
	return group;
}

/* A header without options below it is not printed. */
static bool has_options(const struct argp_option *options, size_t header)
{
	for (size_t i = 0; !ends(&options[i]); i++) {
		if (!is_header(&options[i]) && !(options[i].flags & (LT_MORE | OPTION_HIDDEN)) &&
		    group_of(options, i) == group_of(options, header))
			return true;
	}
	return false;
}

static struct argp_option *short_options(const struct argp_option *options)
{
	struct argp_option *copy;
	size_t n = 0, used = 0;

	while (!ends(&options[n]))
		n++;
	copy = lt_alloc((n + 1) * sizeof(*copy));
	for (size_t i = 0; i < n; i++) {
		if (is_header(&options[i]) ? !has_options(options, i) :
					     options[i].flags & LT_MORE) {
			left_out += !is_header(&options[i]);
			continue;
		}
		copy[used] = options[i];
		copy[used++].group = group_of(options, i);
	}
	return copy;
}

/* The program ends when the copy is printed: it is not freed. */
static struct argp *short_argp(const struct argp *argp)
{
	struct argp *copy = lt_alloc(sizeof(*copy));
	struct argp_child *children;
	size_t n = 0;

	*copy = *argp;
	if (argp->options)
		copy->options = short_options(argp->options);
	while (argp->children && argp->children[n].argp)
		n++;
	children = lt_alloc((n + 1) * sizeof(*children));
	for (size_t i = 0; i < n; i++) {
		children[i] = argp->children[i];
		children[i].argp = short_argp(children[i].argp);
		if (!children[i].argp->options[0].name && !children[i].argp->children[0].argp)
			children[i].header = NULL;
	}
	copy->children = children;
	return copy;
}

static const char *command;

/* What follows the help: how to see the rest of it. */
static char *say_rest(int key, const char *text, void *input)
{
	(void)input;
	if (key != ARGP_KEY_HELP_EXTRA || !left_out)
		return (char *)text;
	return lt_format("%zu more: %s --help=all, or the manual page.", left_out, command);
}

static void print_help(const struct argp_state *state, bool all)
{
	struct argp *argp;

	if (all) {
		argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
		return;
	}
	argp = short_argp(state->root_argp);
	command = state->name;
	argp->help_filter = say_rest;
	argp_help(argp, state->out_stream, ARGP_HELP_STD_HELP, state->name);
}

error_t lt_help_key(int key, const char *arg, struct argp_state *state)
{
	static const char *const all[] = { "all", NULL };

	switch (key) {
	case '?':
	case 'h':
		if (arg)
			lt_words_offer(all, false);
		if (arg && strcmp(arg, *all))
			argp_error(state, "--help: expected nothing, or all, found '%s'", arg);
		print_help(state, arg != NULL);
		break;
	case LT_KEY_USAGE:
		argp_state_help(state, state->out_stream, ARGP_HELP_USAGE);
		break;
	case 'V':
		fprintf(state->out_stream, "%s\n", argp_program_version);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	fflush(state->out_stream);
	exit(EXIT_SUCCESS);
}

static char *(*answer_options)(void *arg, const struct argp *argp);
static void *answer_arg;

void lt_help_ask(char *(*answer)(void *arg, const struct argp *argp), void *arg)
{
	answer_options = answer;
	answer_arg = arg;
}

void lt_help_parse(const struct argp *argp, int argc, char **argv, unsigned int flags, void *input)
{
	/* Without the two lines about long and short options. */
	setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
	if (answer_options) {
		char *asked[] = { argv[0], answer_options(answer_arg, argp), NULL };

		if (asked[1])
			argp_parse(argp, 2, asked, flags | ARGP_NO_HELP, NULL, input);
		exit(EXIT_SUCCESS);
	}
	argp_parse(argp, argc, argv, flags | ARGP_NO_HELP, NULL, input);
}

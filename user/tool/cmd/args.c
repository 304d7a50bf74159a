// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments and options that several commands take.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/quantity.h"
#include "base/text.h"
#include "cmd/args.h"
#include "cmd/help.h"
#include "format/set.h"
#include "forms/words.h"
#include "out/log.h"
#include "out/terminal.h"

enum { KEY_ABSOLUTE = 0x1000, KEY_TIME };

static const struct argp_option help_option[] = {
	LT_HELP_OPTIONS, { 0 }
};

static const struct argp_option width_option[] = {
	LT_WIDTH_OPTION, { 0 }
};

static const struct argp_option times_options[] = {
	{ "absolute", KEY_ABSOLUTE, NULL, 0,
	  "Times are those of the trace's clock, not since the trace began", 6 },
	{ "time", KEY_TIME, "BASE", 0,
	  "Times are since the trace began (begin), those of its clock (clock), or of the wall "
	  "clock (wall)", 6 },
	{ 0 }
};

void lt_args_width(struct argp_state *state, const char *arg)
{
	uint64_t n = lt_args_count(state, "width", arg, 0, LT_WIDTH_MAX);

	if (n && n < LT_WIDTH_MIN)
		argp_error(state, "--width: a line has %d characters or more, or any number (0), found "
			   "'%s'", LT_WIDTH_MIN, arg);
	lt_terminal_choose_width((unsigned int)n);
}

static error_t parse_help(int key, char *arg, struct argp_state *state)
{
	return lt_help_key(key, arg, state);
}

static void set_times(struct argp_state *state, enum lt_times_base times)
{
	struct lt_args *a = state->input;

	if (a->times_given && a->times != times)
		argp_error(state, "--absolute and --time: only one base of times is possible");
	a->times = times;
	a->times_given = true;
}

static error_t parse_times(int key, char *arg, struct argp_state *state)
{
	static const char *const bases[] = { "begin", "clock", "wall", NULL };

	switch (key) {
	case KEY_ABSOLUTE:
		set_times(state, LT_TIMES_CLOCK);
		return 0;
	case KEY_TIME:
		set_times(state, (enum lt_times_base)lt_args_word(state, "time", arg, bases));
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

bool lt_args_command(struct argp_state *state, char ***command)
{
	if (!state->quoted || state->next <= state->quoted)
		return false;
	*command = state->argv + state->next - 1;
	state->next = state->argc;
	return true;
}

void lt_args_add_file(struct lt_args *a, const char *file)
{
	a->files = lt_grow(a->files, &a->cap_files, a->n_files, sizeof(*a->files));
	a->files[a->n_files++] = file;
}

void lt_args_take_files(struct lt_args *a)
{
	if (!a->n_files)
		return;
	a->file = lt_set_name(a->files, a->n_files);
	if (!a->file)
		exit(LT_EXIT_BAD);
	free(a->files);
	a->files = NULL;
	a->n_files = 0;
}

bool lt_args_list_columns(const struct lt_args *a)
{
	return a->columns && !strcmp(a->columns, "help");
}

void lt_args_default_file(struct argp_state *state, struct lt_args *a)
{
	lt_args_take_files(a);
	if (a->file || lt_args_list_columns(a))
		return;
	a->file = LT_DEFAULT_FILE;
	if (access(a->file, F_OK))
		argp_error(state, "expected a trace file; there is no %s in this directory",
			   LT_DEFAULT_FILE);
}

error_t lt_args_file_key(int key, char *arg, struct argp_state *state)
{
	struct lt_args *a = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		lt_args_add_file(a, arg);
		return 0;
	case ARGP_KEY_END:
		lt_args_default_file(state, a);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_file(int key, char *arg, struct argp_state *state)
{
	error_t err = lt_args_file_key(key, arg, state);

	return err == ARGP_ERR_UNKNOWN ? parse_help(key, arg, state) : err;
}

error_t lt_args_no_argument(int key, char *arg, struct argp_state *state)
{
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	argp_error(state, "expected no arguments, found '%s'", arg);
	return 0;
}

static error_t parse_nothing(int key, char *arg, struct argp_state *state)
{
	error_t err = lt_args_no_argument(key, arg, state);

	return err == ARGP_ERR_UNKNOWN ? parse_help(key, arg, state) : err;
}

static error_t parse_width(int key, char *arg, struct argp_state *state)
{
	if (key != LT_KEY_WIDTH)
		return ARGP_ERR_UNKNOWN;
	lt_args_width(state, arg);
	return 0;
}

static const struct argp width = { .options = width_option, .parser = parse_width };
static const struct argp help = { .options = help_option, .parser = parse_help };
static const struct argp nothing = { .options = help_option, .parser = parse_nothing };
const struct argp lt_argp_file = { .options = help_option, .parser = parse_file };
const struct argp lt_argp_times = { .options = times_options, .parser = parse_times };

const struct argp_child lt_args_help[] = { { .argp = &help }, { 0 } };
const struct argp_child lt_args_help_width[] = { { .argp = &help }, { .argp = &width }, { 0 } };
const struct argp_child lt_args_nothing[] = { { .argp = &nothing }, { 0 } };
const struct argp_child lt_args_nothing_width[] = {
	{ .argp = &nothing }, { .argp = &width }, { 0 }
};
const struct argp_child lt_args_file_width[] = {
	{ .argp = &lt_argp_file }, { .argp = &width }, { 0 }
};
const struct argp_child lt_args_file[] = { { .argp = &lt_argp_file }, { 0 } };
uint64_t lt_args_count(struct argp_state *state, const char *name, const char *arg, uint64_t least,
		       uint64_t most)
{
	uint64_t v;

	if (!lt_number(arg, 10, &v) || v < least || v > most)
		argp_error(state, "--%s: expected a whole number from %llu to %llu, found '%s'",
			   name, (unsigned long long)least, (unsigned long long)most, arg);
	return v;
}

uint64_t lt_args_duration(struct argp_state *state, const char *name, const char *arg,
			  uint64_t least)
{
	uint64_t ns;

	if (!lt_parse_duration(arg, &ns))
		argp_error(state, "--%s: expected a time such as 10 or 10s (seconds), 1.5ms, 500us, "
			   "20ns, 1m or 2h, found '%s'", name, arg);
	else if (ns < least)
		argp_error(state, "--%s: expected a time above 0, found '%s'", name, arg);
	return ns;
}

uint64_t lt_args_size(struct argp_state *state, const char *name, const char *arg, uint64_t least)
{
	uint64_t bytes;

	if (!lt_parse_size(arg, &bytes))
		argp_error(state, "--%s: expected bytes such as 65536, 64K or 1.5G, found '%s'",
			   name, arg);
	else if (bytes < least)
		argp_error(state, "--%s: expected a size above 0, found '%s'", name, arg);
	return bytes;
}

/* Joins words as in "a, b or c". */
static void join(const char *const words[], char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = 0;
	for (size_t i = 0; words[i] && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s",
				      !i ? "" : words[i + 1] ? ", " : " or ", words[i]);
}

static unsigned int find_word(struct argp_state *state, const char *name, const char *arg,
			      const char *const words[])
{
	char list[256], hint[2 * LT_NEAREST_SIZE];
	struct lt_nearest nearest;

	lt_nearest_init(&nearest, arg);
	for (unsigned int i = 0; words[i]; i++) {
		if (!strcmp(arg, words[i]))
			return i;
		lt_nearest_try(&nearest, words[i]);
	}
	join(words, list, sizeof(list));
	argp_error(state, "--%s: expected %s, found '%s'%s", name, list, arg,
		   lt_nearest_hint(&nearest, "", hint, sizeof(hint)));
	return 0;
}

unsigned int lt_args_word(struct argp_state *state, const char *name, const char *arg,
			  const char *const words[])
{
	lt_words_offer(words, false);
	return find_word(state, name, arg, words);
}

bool lt_args_next_word(struct argp_state *state, const char *name, char **rest,
		       const char *const words[], unsigned int *n)
{
	const char *word;

	lt_words_offer(words, true);
	word = strsep(rest, ",");
	if (word)
		*n = find_word(state, name, word, words);
	return word;
}

/* The value of --space, but for @without; 0: any. */
static enum lt_space find_space(struct argp_state *state, const char *arg, enum lt_space without)
{
	const char *names[LT_N_MEMORY + 1] = { NULL };
	enum lt_space spaces[LT_N_MEMORY + 1];
	unsigned int n = 0;

	for (enum lt_space space = LT_SPACE_SLAB; space < LT_N_MEMORY; space++) {
		if (space == without)
			continue;
		spaces[n] = space;
		names[n++] = lt_space_words(space)->name;
	}
	return spaces[lt_args_word(state, "space", arg, names)];
}

enum lt_report_by lt_args_by(struct argp_state *state, const char *arg,
			     const struct lt_row_kind *(*kind_of)(enum lt_report_by by))
{
	const char *names[LT_BY_PIECE + 1] = { NULL };
	enum lt_report_by values[LT_BY_PIECE];
	unsigned int n = 0;

	for (enum lt_report_by by = 0; by < LT_BY_PIECE; by++) {
		if (!kind_of(by))
			continue;
		values[n] = by;
		names[n++] = kind_of(by)->name;
	}
	return values[lt_args_word(state, "by", arg, names)];
}

enum lt_space lt_args_space(struct argp_state *state, const char *arg)
{
	return find_space(state, arg, 0);
}

enum lt_space lt_args_space_of_sites(struct argp_state *state, const char *arg,
				     const char *instead)
{
	if (!strcmp(arg, lt_space_words(LT_SPACE_PAGE)->name))
		argp_error(state, "--space=pages: most pages have no call site in the trace; use "
			   "%s --space=pages", instead);
	return find_space(state, arg, LT_SPACE_PAGE);
}

unsigned int lt_args_words(struct argp_state *state, const char *name, const char *arg,
			   const char *(*name_of)(unsigned int), unsigned int first,
			   unsigned int n)
{
	const char *names[33] = { NULL };
	char *copy = lt_strdup(arg), *rest = copy;
	unsigned int mask = 0, word;

	for (unsigned int i = first; i < n; i++)
		names[i - first] = name_of(i);
	while (lt_args_next_word(state, name, &rest, names, &word))
		mask |= 1U << (first + word);
	free(copy);
	return mask;
}

void lt_args_add_word(char **text, const char *arg)
{
	char *longer = *text ? lt_format("%s %s", *text, arg) : lt_strdup(arg);

	free(*text);
	*text = longer;
}

void lt_args_check_line(struct argp_state *state, const char *name, const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ')
			argp_error(state, "%s is one line, without control characters", name);
	}
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arguments and options that several commands take, as children of their argps, and
 * the values of options. All of these end the program with LT_EXIT_BAD, after a message,
 * if an argument is not valid.
 */
#ifndef LT_CMD_ARGS_H
#define LT_CMD_ARGS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "forms/columns.h"
#include "lines/lines.h"
#include "print/times.h"
#include "sums/filter.h"
#include "sums/report.h"

/* Where record writes to, and what the other commands read, if no file is given. */
#define LT_DEFAULT_FILE	"lifetrace.lt"

/**
 * struct lt_args - what the children below parse
 * @file: the trace: a file, or the name of several as one, see lt_set_name(); NULL: none was given
 * @files: what was given, until @file is known
 * @format: --format, --json, --csv; LT_FORMAT_TEXT by default
 * @format_given: one of these was given
 * @columns: of --columns; NULL: it was not given
 * @kind: the rows that the command prints, for the completion of --columns; set by the command
 * @times: --absolute, --time, from where printed times count; @times_given: one of these was
 */
struct lt_args {
	const char *file;
	const char **files;
	size_t n_files;
	size_t cap_files;
	enum lt_format format;
	bool format_given;
	const char *columns;
	const struct lt_row_kind *kind;
	enum lt_times_base times;
	bool times_given;
};

/*
 * The children of a command's argp, by what the command takes. Their input is a struct
 * lt_args: the command's parser sets state->child_inputs[0] to it at ARGP_KEY_INIT. (A
 * command without a parser hands its own input on.)
 */
extern const struct argp_child lt_args_help[];		/* arguments stay; no input */
extern const struct argp_child lt_args_help_width[];	/* arguments stay; --width */
extern const struct argp_child lt_args_nothing[];	/* no argument */
extern const struct argp_child lt_args_nothing_width[];	/* no argument; --width */
extern const struct argp_child lt_args_file_width[];	/* [FILE...], --width */
extern const struct argp_child lt_args_file[];		/* [FILE...] */

/* All that have --json have --width, too; a table: also --csv, --format and --columns. */
extern const struct argp_child lt_args_nothing_table[];	/* no argument */
extern const struct argp_child lt_args_table[];		/* arguments stay */
extern const struct argp_child lt_args_file_table[];	/* [FILE...] */

/* With --absolute and --time: the command also sets state->child_inputs[1] to that. */
extern const struct argp_child lt_args_file_json_times[];	/* no table */
extern const struct argp_child lt_args_file_csv_json_times[];	/* no table */
extern const struct argp_child lt_args_file_table_times[];

/*
 * Also the filters and source lines: the command sets state->child_inputs[1] to a
 * struct lt_filter_spec, and [2] to a struct lt_lines_args; those with times also [3] to the
 * struct lt_args.
 */
extern const struct argp_child lt_args_file_filter[];	/* without source lines */
extern const struct argp_child lt_args_file_json_filter[];	/* no table; times, too */
extern const struct argp_child lt_args_file_table_filter[];
extern const struct argp_child lt_args_file_table_filter_times[];
extern const struct argp_child lt_args_table_filter[];	/* times, too; arguments stay */

/* With the filters that any event has, without source lines; with times, [2]. */
extern const struct argp_child lt_args_table_event[];	/* arguments stay */

/* What args.c parses of them. */
extern const struct argp lt_argp_file;
extern const struct argp lt_argp_times;
/* What format_args.c does. */
extern const struct argp lt_argp_file_json;	/* no table */
extern const struct argp lt_argp_file_own_csv;	/* without --csv, which the command has */
extern const struct argp lt_argp_file_table;
extern const struct argp lt_argp_table;
/* What lines_args.c does. */
extern const struct argp lt_argp_lines;

#define LT_KEY_WIDTH	0x1080
#define LT_WIDTH_OPTION									\
	{ "width", LT_KEY_WIDTH, "N", LT_MORE, "Lines of text of at most N characters; 0: of any length " \
	  "[on a terminal: as wide as that]", -1 }

#define LT_LINES_PATHS	64

/**
 * struct lt_lines_args - the options of source lines
 * @wanted: lines were asked for
 * @paths: of --debuginfo
 */
struct lt_lines_args {
	bool wanted;
	const char *paths[LT_LINES_PATHS];
	size_t n_paths;
};

/**
 * lt_args_lines() - the source lines that a command line asks for
 * @l: NULL: it asks for none
 * Return: 0, or -1 after printing what is wrong.
 */
int lt_args_lines(const struct lt_lines_args *a, const struct lt_trace *t, struct lt_lines **l);

/* Keeps the lines in the cache, prints which are missing, and frees. @l may be NULL. */
void lt_args_lines_end(struct lt_lines *l);

/**
 * lt_args_filter() - the filter of a command line
 * @file: NULL: a live trace
 * @f: NULL: there is no filter
 * Return: 0, or -1 after printing what is wrong.
 */
int lt_args_filter(const struct lt_filter_spec *spec, const char *file, struct lt_filter **f);

struct lt_cgroups;

/**
 * lt_args_cgroups() - give a report the cgroups of tasks, by a pass over the trace
 * @cgroups: must live as long as the report, then lt_cgroups_free()
 * Return: 0, or -1 after printing what is wrong.
 */
int lt_args_cgroups(const char *file, struct lt_report_options *r, struct lt_cgroups **cgroups);

struct lt_syscall_places;

/* As lt_args_cgroups(), the system calls; then lt_syscall_places_free(). */
int lt_args_syscalls(const char *file, struct lt_report_options *r,
		     struct lt_syscall_places **calls);

struct lt_call_places;

/* As lt_args_cgroups(), the function calls; then lt_call_places_free(). */
int lt_args_calls(const char *file, struct lt_report_options *r, struct lt_call_places **calls);

/**
 * lt_args_command() - at ARGP_KEY_ARG: take what stands behind "--", which is a command, whether it
 *	is recorded or not
 * @command: it ends where the arguments end
 * Return: whether the argument stood there. The program's parser must be called with ARGP_IN_ORDER.
 */
bool lt_args_command(struct argp_state *state, char ***command);

/* format_args.c */

/* Sets @a->format; two different ones are an error. */
void lt_args_format(struct argp_state *state, struct lt_args *a, enum lt_format format);

#define LT_FORMAT_OPTION	24

/* The option by which users choose a format: "--csv", "--format=sql". Return: @buf. */
const char *lt_args_format_option(enum lt_format format, char buf[LT_FORMAT_OPTION]);

/* Whether --columns=help asks for the columns: then nothing is read, and no file is needed. */
bool lt_args_list_columns(const struct lt_args *a);

/**
 * lt_args_rows() - the rows that a command prints in the form that was asked for
 * @kind: what they are
 * @conditions: those of LT_COLUMN_CONDITIONS that hold
 * @output: the file that the command writes; NULL: standard output, which cannot be a terminal for
 *	every form
 *
 * Ends the program after --columns=help, or after a message if --columns names what is no column.
 */
void lt_args_rows(const struct lt_args *a, const struct lt_row_kind *kind, unsigned int conditions,
		  const char *output);

/* The column of --sort, or a message and the end of the program. */
const struct lt_column *lt_args_sort(const struct lt_row_kind *kind, const char *name);

/* args.c */

/* Parsers of files, and of no argument; other keys are unknown. */
error_t lt_args_file_key(int key, char *arg, struct argp_state *state);
error_t lt_args_no_argument(int key, char *arg, struct argp_state *state);

/* Adds a file to those of the trace. */
void lt_args_add_file(struct lt_args *a, const char *file);

/*
 * Sets @a->file to the trace that the files are, if there are any. That these are parts of one
 * recording is an error otherwise.
 */
void lt_args_take_files(struct lt_args *a);

/* As that; LT_DEFAULT_FILE if no file was given, and an error if that does not exist. */
void lt_args_default_file(struct argp_state *state, struct lt_args *a);

/* Takes the value of --width. */
void lt_args_width(struct argp_state *state, const char *arg);

/* Values of the option --@name: a whole number; ns; bytes. Not less than @least. */
uint64_t lt_args_count(struct argp_state *state, const char *name, const char *arg, uint64_t least,
		       uint64_t most);
uint64_t lt_args_duration(struct argp_state *state, const char *name, const char *arg,
			  uint64_t least);
uint64_t lt_args_size(struct argp_state *state, const char *name, const char *arg, uint64_t least);

/* The index in @words, which ends with NULL, of the word @arg. */
unsigned int lt_args_word(struct argp_state *state, const char *name, const char *arg,
			  const char *const words[]);

/*
 * The next of words that commas separate: takes it off @rest, which strsep() cuts, and sets @n to
 * its index in @words. Return: false: there is none left.
 */
bool lt_args_next_word(struct argp_state *state, const char *name, char **rest,
		       const char *const words[], unsigned int *n);

/* The value of --by: the name of a kind of row; @kind_of: NULL: there are no rows by that. */
enum lt_report_by lt_args_by(struct argp_state *state, const char *arg,
			     const struct lt_row_kind *(*kind_of)(enum lt_report_by by));

#define LT_SPACE_HELP		"Of which memory: slab (default), pages, percpu, vmalloc, dma"
#define LT_SPACE_HELP_SITES	"Of which memory: slab (default), percpu, vmalloc, dma"

/* The value of --space: a space of memory. */
enum lt_space lt_args_space(struct argp_state *state, const char *arg);
/* As that, of one whose births have call sites; @instead: the command for pages. */
enum lt_space lt_args_space_of_sites(struct argp_state *state, const char *arg,
				     const char *instead);

/**
 * lt_args_words() - words separated by commas
 * @name_of: of the words @first to @n - 1; @n is at most 32
 * Return: bit n for the word n.
 */
unsigned int lt_args_words(struct argp_state *state, const char *name, const char *arg,
			   const char *(*name_of)(unsigned int), unsigned int first,
			   unsigned int n);

/*
 * Adds " --name=arg" to options that are printed for a user to type, quoted for a shell; @arg NULL:
 * it has none. They are " OPTIONS" if they cannot be printed whole.
 */
void lt_args_option(char *words, size_t size, const char *name, const char *arg);

/* Adds a word to a text of words with a blank between; @text is NULL before the first one. */
void lt_args_add_word(char **text, const char *arg);

/* A text of one line, or an error, in which it is called @name. */
void lt_args_check_line(struct argp_state *state, const char *name, const char *text);

#endif /* LT_CMD_ARGS_H */

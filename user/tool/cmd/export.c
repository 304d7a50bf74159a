// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace export: a trace in the format of another program.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/formats.h"
#include "cmd/help.h"
#include "export/profile.h"
#include "forms/files.h"
#include "forms/words.h"
#include "out/log.h"
#include "out/progress.h"
#include "sums/moment.h"
#include "tasks/cgroups.h"

enum { KEY_FORMAT = 256, KEY_CTF, KEY_CTF_VERSION, KEY_LEVELS, KEY_AT, KEY_METRIC, KEY_SPACE,
       KEY_SELF, KEY_TABLES, KEY_HOST, KEY_ADDRESSES };

static const struct argp_option argp_options[] = {
	{ "format", KEY_FORMAT, "NAME", 0, "The format, see below", 0 },
	{ "output", 'o', "PATH", 0,
	  "Where to: a file, - for standard output, or a directory that is new or empty", 0 },
	{ "quiet", 'q', NULL, 0, "No progress", 0 },
	{ "ctf", KEY_CTF, "DIR", 0, "Short for --format=ctf --output=DIR", 1 },
	{ "ctf-version", KEY_CTF_VERSION, "VERSION", 0, "1.8 (the default) or 2", 1 },
	{ "levels", KEY_LEVELS, "LIST", 0, "For a profile: its frames from the root to the leaf, "
					   "some of task, cgroup, module, cache, site and stack, "
					   "separated by commas [task,cache,stack; without "
					   "stacks task,cache,site]", 2 },
	{ "at", KEY_AT, "WHEN", 0, "For a profile: what was alive at the end (default), at the "
				   "peak, or at a time: 2.5 or 500ms after the beginning, -5s "
				   "before the end, @TIME on the trace's clock, 10:03:21 by the wall clock, marker:TEXT", 2 },
	{ "metric", KEY_METRIC, "WHAT", 0, "For a profile with one number a path: alive (bytes; "
					   "default), alive-objects, peak (bytes), churn "
					   "(allocations), bytes, slack (bytes) or lifetime (ns, "
					   "the sum)", 2 },
	{ "space", KEY_SPACE, "SPACE", 0, LT_SPACE_HELP, 2 },
	{ "self", KEY_SELF, NULL, 0, "With what the recorder itself allocated", 2 },
	{ "tables", KEY_TABLES, "LIST", 0, "Of parquet and clickhouse: which tables, separated by "
	  "commas; help: lists all of them [site_minute,task]", 3 },
	{ "host", KEY_HOST, "NAME", 0, "Of these: the name of the machine [that of the trace]", 3 },
	{ "addresses", KEY_ADDRESSES, NULL, 0, "Of parquet, clickhouse, sqlite and perfetto: with "
	  "addresses of the kernel and of programs, which are secrets", 3 },
	{ 0 }
};

struct options {
	struct lt_args args;
	const struct lt_exporter *exporter;
	const char *path;
	const char *at;
	const char *profiles;	/* the last option that is for profiles only */
	const char *tables;	/* the last option that is for tables only */
	bool metric;
	bool quiet;
	struct lt_filter_spec filter;
	struct lt_export_options export;
};

/* All formats: their names, or a line of help for each. To be freed. */
static char *list_formats(bool help)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		lt_die("out of memory");
	for (size_t i = 0; lt_exporters[i]; i++) {
		if (help)
			fprintf(out, "  %-11s%s\n", lt_exporters[i]->name, lt_exporters[i]->help);
		else
			fprintf(out, "%s%s", i ? ", " : "", lt_exporters[i]->name);
	}
	fclose(out);
	return text;
}

static const struct lt_exporter *find_format(struct argp_state *state, const char *name)
{
	if (lt_words_asked()) {
		for (size_t i = 0; lt_exporters[i]; i++)
			lt_words_give(lt_exporters[i]->name, false);
		lt_words_end();
	}
	for (size_t i = 0; lt_exporters[i]; i++) {
		if (!strcmp(lt_exporters[i]->name, name))
			return lt_exporters[i];
	}
	argp_error(state, "--format: there is no format '%s'; there are: %s", name,
		   list_formats(false));
	return NULL;
}

static void check_tables(struct argp_state *state, const struct options *o)
{
	const struct lt_profile_options *p = &o->export.profile;

	for (unsigned int i = 0; i < p->n_levels; i++) {
		if (p->levels[i] == LT_LEVEL_MODULE || p->levels[i] == LT_LEVEL_STACK)
			argp_error(state, "--levels: the table site_minute has task, cgroup, cache and site");
	}
	if (o->profiles && strcmp(o->profiles, "--levels"))
		argp_error(state, "%s: is for profiles, and the format '%s' has tables",
			   o->profiles, o->exporter->name);
}

static void check(struct argp_state *state, const struct options *o)
{
	if (!o->exporter)
		argp_error(state, "expected --format=NAME; the formats are: %s",
			   list_formats(false));
	else if (!o->path)
		argp_error(state, "expected --output=PATH, the %s to write to",
			   o->exporter->directory ? "directory" : "file");
	else if (o->export.version && o->exporter != &lt_export_ctf)
		argp_error(state, "--ctf-version: the format '%s' has no versions",
			   o->exporter->name);
	else if (o->tables && !o->exporter->tables)
		argp_error(state, "%s: the format '%s' has no tables of a fleet", o->tables,
			   o->exporter->name);
	else if (o->export.addresses && !o->exporter->has_secrets)
		argp_error(state, "--addresses: the format '%s' is the same without it",
			   o->exporter->name);
	else if (o->exporter->tables && o->profiles)
		check_tables(state, o);
	else if (o->profiles && !o->exporter->profile)
		argp_error(state, "%s: the format '%s' is not a profile, and has all of the trace",
			   o->profiles, o->exporter->name);
	else if (o->at && o->exporter->all_instants)
		argp_error(state, "--at: the format '%s' has the peak and the end",
			   o->exporter->name);
	else if (!o->exporter->profile && !lt_filter_is_empty(&o->filter))
		argp_error(state, "the format '%s' has all of the trace; filters are for profiles",
			   o->exporter->name);
	else if (o->metric && !o->exporter->one_metric)
		argp_error(state, "--metric: the format '%s' has all of them", o->exporter->name);
	else if (o->export.metric == LT_METRIC_PEAK && o->at && strcmp(o->at, "peak"))
		argp_error(state, "--metric=peak: is --metric=alive --at=peak; leave --at=%s out",
			   o->at);
}

static void parse_levels(struct argp_state *state, const char *arg,
			 struct lt_profile_options *p)
{
	const char *names[LT_N_LEVELS + 1] = { NULL };
	char *copy = lt_strdup(arg), *rest = copy;
	unsigned int seen = 0, level;

	for (unsigned int i = 0; i < LT_N_LEVELS; i++)
		names[i] = lt_level_name(i);
	p->n_levels = 0;
	while (lt_args_next_word(state, "levels", &rest, names, &level)) {
		if (seen & 1U << level)
			argp_error(state, "--levels: '%s' stands there twice", names[level]);
		seen |= 1U << level;
		p->levels[p->n_levels++] = level;
	}
	if (seen & 1U << LT_LEVEL_SITE && seen & 1U << LT_LEVEL_STACK)
		argp_error(state, "--levels: a stack has the site; leave one of them out");
	free(copy);
}

/* Those that users choose. */
static void list_tables(void)
{
	for (int i = 0; i < LT_FLEET_TRACE; i++) {
		const struct lt_row_kind *kind = lt_row_kinds[i].kind;

		printf("%-12s a row is %s\n", kind->name, kind->meaning);
	}
	exit(LT_EXIT_OK);
}

static void parse_tables(struct argp_state *state, const char *arg, unsigned int *tables)
{
	const char *names[LT_FLEET_TRACE + 1] = { NULL };
	char *copy, *rest;
	unsigned int table;

	if (!strcmp(arg, "help"))
		list_tables();
	copy = rest = lt_strdup(arg);
	for (int i = 0; i < LT_FLEET_TRACE; i++)
		names[i] = lt_row_kinds[i].kind->name;
	while (lt_args_next_word(state, "tables", &rest, names, &table))
		*tables |= 1U << table;
	free(copy);
}

/* The options of tables. */
static error_t parse_fleet(int key, char *arg, struct options *o, struct argp_state *state)
{
	switch (key) {
	case KEY_TABLES:
		parse_tables(state, arg, &o->export.tables);
		o->tables = "--tables";
		return 0;
	case KEY_HOST:
		if (!*arg)
			argp_error(state, "--host: expected a name");
		if (strlen(arg) > LT_ROWS_HOST)
			argp_error(state, "--host: expected a name of at most %d bytes, found %zu, of which "
				   "a folder could not be named", LT_ROWS_HOST, strlen(arg));
		o->export.host = arg;
		o->tables = "--host";
		return 0;
	case KEY_ADDRESSES:
		o->export.addresses = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The options of profiles. */
static error_t parse_profile(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct lt_profile_options *p = &o->export.profile;

	switch (key) {
	case KEY_LEVELS:
		parse_levels(state, arg, p);
		o->profiles = "--levels";
		return 0;
	case KEY_AT:
		o->at = arg;
		o->profiles = "--at";
		return 0;
	case KEY_METRIC:
		o->export.metric = lt_args_word(state, "metric", arg, lt_metric_names);
		o->metric = true;
		o->profiles = "--metric";
		return 0;
	case KEY_SPACE:
		p->report.space = lt_args_space(state, arg);
		o->profiles = "--space";
		return 0;
	case KEY_SELF:
		p->report.no_recorder = false;
		o->profiles = "--self";
		return 0;
	default:
		return parse_fleet(key, arg, o, state);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const versions[] = { "1.8", "2", NULL };
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		state->child_inputs[1] = &o->filter;
		return 0;
	case KEY_FORMAT:
		o->exporter = find_format(state, arg);
		return 0;
	case 'o':
		o->path = arg;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case KEY_CTF:
		o->exporter = &lt_export_ctf;
		o->path = arg;
		return 0;
	case KEY_CTF_VERSION:
		o->export.version = versions[lt_args_word(state, "ctf-version", arg, versions)];
		return 0;
	case ARGP_KEY_SUCCESS:
		check(state, o);
		return 0;
	default:
		return parse_profile(key, arg, state);
	}
}

/* Puts the list of formats behind the description. */
static char *add_formats(int key, const char *text, void *input)
{
	char *list, *all;

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)(uintptr_t)text;
	list = list_formats(true);
	if (asprintf(&all, "Formats:\n%s\n%s", list, text) < 0)
		lt_die("out of memory");
	free(list);
	return all;
}

static const struct argp argp = {
	argp_options, parse, "[FILE...]",
	"Convert a trace into the format of another program.\vA profile adds lifetimes up by "
	"several levels. It says how sure the figures are, or if its format cannot, a note on "
	"standard error does. A damaged packet is left out, with a message.\n"
	"\n"
	"Exit status: 0 done, 1 done but packets were left out, 2 not done.",
	lt_args_file_filter, add_formats, NULL
};

/* Return: 0, or -1 after printing what is wrong. */
static int set_instant(struct options *o)
{
	struct lt_profile_options *p = &o->export.profile;

	if (o->export.metric == LT_METRIC_PEAK || (o->at && !strcmp(o->at, "peak")))
		p->at = LT_AT_PEAK;
	else if (o->at && strcmp(o->at, "end"))
		p->at = LT_AT_TIME;
	return p->at == LT_AT_TIME ? lt_moment(o->args.file, "at", o->at, &p->time) : 0;
}

/* Return: 0, or -1 after printing what is wrong. */
static int set_cgroups(struct options *o, struct lt_cgroups **cgroups)
{
	struct lt_profile_options *p = &o->export.profile;

	for (unsigned int i = 0; i < p->n_levels && !o->exporter->tables; i++) {
		if (p->levels[i] == LT_LEVEL_CGROUP)
			return lt_args_cgroups(o->args.file, &p->report, cgroups);
	}
	return 0;
}

int lt_cmd_export(int argc, char **argv)
{
	struct options o = {
		.export.profile.report = { .no_recorder = true, .short_ns = 1000000,
					   .within = 16, .long_ns = 1000000000 },
	};
	struct lt_report_options *r = &o.export.profile.report;
	struct lt_cgroups *cgroups = NULL;
	int status = LT_EXIT_BAD;

	lt_help_parse(&argp, argc, argv, 0, &o);
	lt_progress_show(o.quiet || !strcmp(o.path, "-"));
	if (!lt_args_filter(&o.filter, o.args.file, &r->filter) && !set_instant(&o) &&
	    !set_cgroups(&o, &cgroups))
		status = lt_export_run(o.exporter, o.args.file, o.path, &o.export);
	lt_progress_hide();
	lt_cgroups_free(cgroups);
	lt_filter_free(r->filter);
	return status;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace export: a trace in the format of another program.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "export/export.h"
#include "print/log.h"

enum { KEY_FORMAT = 256, KEY_CTF, KEY_CTF_VERSION };

static const struct argp_option argp_options[] = {
	{ "format", KEY_FORMAT, "NAME", 0, "The format, see below", 0 },
	{ "output", 'o', "PATH", 0,
	  "Where to: a file, - for standard output, or a directory that is new or empty", 0 },
	{ "ctf", KEY_CTF, "DIR", 0, "Short for --format=ctf --output=DIR", 1 },
	{ "ctf-version", KEY_CTF_VERSION, "VERSION", 0, "1.8 (the default) or 2", 1 },
	{ 0 }
};

struct options {
	struct lt_args args;
	const struct lt_exporter *exporter;
	const char *path;
	const char *version;
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
	for (size_t i = 0; lt_exporters[i]; i++) {
		if (!strcmp(lt_exporters[i]->name, name))
			return lt_exporters[i];
	}
	argp_error(state, "--format: there is no format '%s'; there are: %s", name,
		   list_formats(false));
	return NULL;
}

static void check(struct argp_state *state, const struct options *o)
{
	if (!o->exporter)
		argp_error(state, "expected --format=NAME; the formats are: %s",
			   list_formats(false));
	else if (!o->path)
		argp_error(state, "expected --output=PATH, the %s to write to",
			   o->exporter->directory ? "directory" : "file");
	else if (o->version && o->exporter != &lt_export_ctf)
		argp_error(state, "--ctf-version: the format '%s' has no versions",
			   o->exporter->name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		return 0;
	case KEY_FORMAT:
		o->exporter = find_format(state, arg);
		return 0;
	case 'o':
		o->path = arg;
		return 0;
	case KEY_CTF:
		o->exporter = &lt_export_ctf;
		o->path = arg;
		return 0;
	case KEY_CTF_VERSION:
		o->version = arg;
		return 0;
	case ARGP_KEY_SUCCESS:
		check(state, o);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
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
	argp_options, parse, "[FILE]",
	"Convert a trace into the format of another program.\v"
	"A packet that is damaged is left out, with a message.\n\n"
	"Exit status: 0 done, 1 done but packets were left out, 2 not done.",
	lt_args_file, add_formats, NULL
};

int lt_cmd_export(int argc, char **argv)
{
	struct options o = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	return lt_export_run(o.exporter, o.args.file, o.path, o.version);
}

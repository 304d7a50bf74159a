// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace export: the same packets for other tools.
 */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "format/dir.h"
#include "print/log.h"
#include "export/export.h"
#include "cmd/cmd.h"

enum { OPT_CTF = 1000, OPT_VERSION };

static const struct argp_option options[] = {
	{ "ctf", OPT_CTF, "DIR", 0, "write a CTF trace into the new or empty directory DIR", 0 },
	{ "ctf-version", OPT_VERSION, "VERSION", 0, "1.8 (the default) or 2", 0 },
	{ 0 }
};

struct arguments {
	const struct lt_exporter *exporter;
	const char *dir;
	const char *version;
	const char *file;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case OPT_CTF:
		a->exporter = &lt_export_ctf;
		a->dir = arg;
		return 0;
	case OPT_VERSION:
		a->version = arg;
		return 0;
	case ARGP_KEY_END:
		if (a->file && !a->exporter)
			argp_error(state, "to what? --ctf DIR is what there is");
		break;
	}
	return lt_cmd_file_argument(key, arg, state, &a->file);
}

static const struct argp argp = {
	options, parse, "FILE",
	"Exports a trace.\v"
	"The packets are copied, with short forms of events completed; metadata is written next "
	"to them. A packet that is damaged is left out, and the reader of the export sees its "
	"number missing.",
	NULL, NULL, NULL
};

static bool is_empty(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *entry;
	bool empty = true;

	if (!d)
		return false;
	while (empty && (entry = readdir(d)))
		empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
	closedir(d);
	return empty;
}

static int make_dir(const char *path)
{
	if (!mkdir(path, 0700) || (errno == EEXIST && is_empty(path)))
		return 0;
	if (errno == EEXIST)
		lt_error("%s: exists and is not an empty directory; choose another", path);
	else
		lt_error("%s: cannot make the directory: %s", path, strerror(errno));
	return -1;
}

static void note(void *arg, uint64_t offset, const char *text)
{
	lt_warn("%s: offset %" PRIu64 ": %s", (const char *)arg, offset, text);
}

static int export_stream(struct lt_export *e, const struct arguments *a, const struct lt_dir *d,
			 const struct lt_file *f, const struct lt_stream_dir *s,
			 struct lt_buf buf[2], uint64_t *damaged)
{
	for (size_t i = 0; i < s->n; i++) {
		struct lt_packet p;
		struct lt_why why;
		int ret = lt_dir_load(d, f, s, &s->refs[i], &buf[0], &buf[1], &p, &why);

		if (!ret) {
			ret = a->exporter->packet(e, &p, &why);
			if (ret < 0)
				return -1;
		}
		if (ret) {
			lt_warn("%s: offset %" PRIu64 ": packet left out: %s", a->file,
				s->refs[i].offset, why.text);
			++*damaged;
		}
	}
	return 0;
}

static int export_packets(struct lt_export *e, const struct arguments *a, const struct lt_file *f,
			  uint64_t *damaged)
{
	struct lt_buf buf[2] = { { 0 }, { 0 } };
	struct lt_dir d = { 0 };
	int err = 0;

	lt_dir_read(&d, f, false, note, (void *)a->file);
	for (size_t i = 0; i < d.n_streams && !err; i++) {
		if (d.streams[i])
			err = export_stream(e, a, &d, f, d.streams[i], buf, damaged);
	}
	lt_buf_free(&buf[0]);
	lt_buf_free(&buf[1]);
	lt_dir_free(&d);
	return err;
}

static int export(struct lt_export *e, const struct arguments *a, const struct lt_file *f)
{
	uint64_t damaged = 0;
	int err;

	if (a->exporter->begin(e))
		return LT_EXIT_BAD;
	err = export_packets(e, a, f, &damaged);
	if (a->exporter->end(e) || err)
		return LT_EXIT_BAD;
	return damaged ? LT_EXIT_NO : LT_EXIT_OK;
}

int lt_cmd_export(int argc, char **argv)
{
	struct arguments a = { 0 };
	struct lt_schema *schema = NULL;
	struct lt_trace *trace;
	struct lt_file *file;
	int status = LT_EXIT_BAD;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	trace = lt_trace_open(a.file);
	if (!trace)
		return LT_EXIT_BAD;
	file = lt_file_open(a.file);
	if (file && lt_trace_text(trace, LT_BLOCK_SCHEMA, 0))
		schema = lt_schema_parse(lt_trace_text(trace, LT_BLOCK_SCHEMA, 0), a.file);
	if (schema && !make_dir(a.dir)) {
		struct lt_export e = { .trace = trace, .schema = schema, .dir = a.dir,
				       .version = a.version };

		status = export(&e, &a, file);
	}
	lt_schema_free(schema);
	if (file)
		lt_file_close(file);
	lt_trace_close(trace);
	return status;
}

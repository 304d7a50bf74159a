// SPDX-License-Identifier: GPL-2.0
/*
 * pprof: the message Profile of profile.proto, not compressed, which all its readers take.
 *
 * Functions are frames; task, cgroup and cache are labels, by which pprof filters and groups
 * (-tagfocus, -tagroot). Without a level that gives a function, these are frames as well, since
 * pprof shows nothing of a sample without one.
 *
 * The address of a location is its offset in its function: the same in each trace of one
 * kernel, and no secret, as the place of the kernel in memory is one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "export/pb.h"
#include "export/profile.h"

/* Fields of profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3, PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5, PROFILE_STRING = 6, PROFILE_TIME = 9, PROFILE_DURATION = 10,
	PROFILE_COMMENT = 13, PROFILE_DEFAULT_TYPE = 14,
	TYPE_TYPE = 1, TYPE_UNIT = 2,
	SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3,
	LABEL_KEY = 1, LABEL_STR = 2,
	MAPPING_ID = 1, MAPPING_LIMIT = 3, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7,
	LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	FUNCTION_ID = 1, FUNCTION_NAME = 2,
};

#define MAPPING		1	/* the only one */

/**
 * struct pprof - a profile in the making
 * @out: the output
 * @strings: the string table: the number of a name is its index
 * @functions: numbers of functions, by the index of their name
 * @locations: numbers of locations, by function and offset
 * @text: a text in the making
 * @message, @part, @line: messages in the making
 * @ids: of the locations of a sample
 */
struct pprof {
	FILE *out;
	struct lt_names strings;
	struct lt_intern functions;
	struct lt_intern locations;
	struct lt_out text;
	struct lt_pb message;
	struct lt_pb part;
	struct lt_pb line;
	struct lt_pb ids;
};

/* The first one counts what the last one sums up: pprof -mean divides by it. */
static const struct {
	const char *type;
	const char *unit;
} types[] = {
	{ "ended_objects", "count" }, { "alloc_objects", "count" }, { "alloc_space", "bytes" },
	{ "inuse_objects", "count" }, { "inuse_space", "bytes" }, { "lifetime", "nanoseconds" },
};

#define N_TYPES		(sizeof(types) / sizeof(types[0]))
#define DEFAULT_TYPE	"inuse_space"

static uint32_t string(struct pprof *pp, const char *s)
{
	return lt_names_add(&pp->strings, s, strlen(s));
}

/* Writes a field of the profile that is the message of pp->message. */
static void put(struct pprof *pp, unsigned int field)
{
	lt_pb_message(&pp->part, field, &pp->message);
	fwrite(pp->part.data, 1, pp->part.n, pp->out);
	pp->part.n = 0;
}

static void put_uint(struct pprof *pp, unsigned int field, uint64_t v)
{
	lt_pb_uint(&pp->part, field, v);
	fwrite(pp->part.data, 1, pp->part.n, pp->out);
	pp->part.n = 0;
}

/* ------------------------------------------------------------------------
 * Functions and locations
 */

/* Without a system_name, since pprof takes a name that equals it for a mangled one of C++. */
static uint32_t function(struct pprof *pp, const struct lt_path_frame *f)
{
	struct lt_path_frame plain = *f;
	uint32_t name, id, n = pp->functions.n;

	if (f->kind == LT_FRAME_SITE)
		plain.kind = LT_FRAME_CALLER;	/* without the offset */
	pp->text.used = 0;
	lt_frame_text(&pp->text, &plain, NULL);
	name = lt_names_add(&pp->strings, pp->text.buf, pp->text.used);
	id = lt_intern_number(&pp->functions, name);
	if (pp->functions.n == n)
		return id;
	lt_pb_uint(&pp->message, FUNCTION_ID, id);
	lt_pb_uint(&pp->message, FUNCTION_NAME, name);
	put(pp, PROFILE_FUNCTION);
	return id;
}

/* Offsets of 32 bits are enough for functions; of a larger one the rest is left out. */
static uint32_t location(struct pprof *pp, const struct lt_path_frame *f)
{
	uint32_t id, n = pp->locations.n, func = function(pp, f);
	uint32_t offset = f->name ? (uint32_t)f->offset : 0;

	id = lt_intern_number(&pp->locations, (uint64_t)func << 32 | offset);
	if (pp->locations.n == n)
		return id;
	lt_pb_uint(&pp->message, LOCATION_ID, id);
	lt_pb_uint(&pp->message, LOCATION_MAPPING, MAPPING);
	lt_pb_uint(&pp->message, LOCATION_ADDRESS, offset);
	lt_pb_uint(&pp->line, LINE_FUNCTION, func);
	lt_pb_message(&pp->message, LOCATION_LINE, &pp->line);
	put(pp, PROFILE_LOCATION);
	return id;
}

/* ------------------------------------------------------------------------
 * Samples
 */

/* The key of the label that a frame is; NULL: it is a frame only. */
static const char *label_key(const struct lt_path_frame *f)
{
	switch (f->kind) {
	case LT_FRAME_TASK:
		return "comm";
	case LT_FRAME_INTERRUPT:
		return "interrupt";
	case LT_FRAME_CGROUP:
		return "cgroup";
	case LT_FRAME_CACHE:
		return "cache";
	default:
		return NULL;
	}
}

static bool has_functions(const struct lt_path *path)
{
	for (unsigned int i = 0; i < path->n; i++) {
		if (!label_key(&path->frames[i]))
			return true;
	}
	return false;
}

/* An interrupt may be two levels at once: that of the task and that of the cgroup. */
static void add_label(struct pprof *pp, const struct lt_path *path, unsigned int i)
{
	const struct lt_path_frame *f = &path->frames[i];
	const char *text;

	for (unsigned int j = 0; j < i; j++) {
		if (path->frames[j].kind == f->kind)
			return;
	}
	/* The text of the frame, behind the word in front of the name. */
	pp->text.used = 0;
	lt_frame_text(&pp->text, f, NULL);
	lt_out_char(&pp->text, 0);
	text = strchr(pp->text.buf, ' ') + 1;
	lt_pb_uint(&pp->line, LABEL_KEY, string(pp, label_key(f)));
	lt_pb_uint(&pp->line, LABEL_STR, string(pp, text));
	lt_pb_message(&pp->message, SAMPLE_LABEL, &pp->line);
}

/* Locations, the leaf first; their messages are written before that of the sample. */
static void put_sample(struct pprof *pp, const struct lt_profile_row *row,
		       const struct lt_path *path)
{
	const uint64_t values[N_TYPES] = {
		row->exact, row->births, row->bytes, row->at, row->at_bytes, row->exact_ns,
	};
	bool functions = has_functions(path);

	for (unsigned int i = path->n; i--;) {
		if (!functions || !label_key(&path->frames[i]))
			lt_pb_varint(&pp->ids, location(pp, &path->frames[i]));
	}
	lt_pb_message(&pp->message, SAMPLE_LOCATION, &pp->ids);
	for (size_t i = 0; i < N_TYPES; i++)
		lt_pb_varint(&pp->line, lt_pb_limited(values[i]));
	lt_pb_message(&pp->message, SAMPLE_VALUE, &pp->line);
	for (unsigned int i = 0; i < path->n; i++) {
		if (label_key(&path->frames[i]))
			add_label(pp, path, i);
	}
	put(pp, PROFILE_SAMPLE);
}

/* ------------------------------------------------------------------------
 * The profile
 */

static void put_head(struct pprof *pp, const struct lt_profile *p)
{
	uint64_t begin = p->report->watched, end = lt_trace_end(p->trace);

	for (size_t i = 0; i < N_TYPES; i++) {
		lt_pb_uint(&pp->message, TYPE_TYPE, string(pp, types[i].type));
		lt_pb_uint(&pp->message, TYPE_UNIT, string(pp, types[i].unit));
		put(pp, PROFILE_SAMPLE_TYPE);
	}
	put_uint(pp, PROFILE_DEFAULT_TYPE, string(pp, DEFAULT_TYPE));
	lt_pb_uint(&pp->message, MAPPING_ID, MAPPING);
	lt_pb_uint(&pp->message, MAPPING_LIMIT, UINT32_MAX);
	lt_pb_uint(&pp->message, MAPPING_FILE, string(pp, "[kernel]"));
	lt_pb_uint(&pp->message, MAPPING_HAS_FUNCTIONS, 1);
	put(pp, PROFILE_MAPPING);
	if (lt_clock_has_wall(lt_trace_clock(p->trace)))
		put_uint(pp, PROFILE_TIME, lt_pb_limited(lt_trace_realtime(p->trace, begin)));
	put_uint(pp, PROFILE_DURATION, end > begin ? lt_pb_limited(end - begin) : 0);
}

static void put_comments(struct pprof *pp, const struct lt_profile *p)
{
	struct lt_para t = { .n = 0 };
	char *line, *rest = t.s;

	lt_profile_notes(p, &t);
	while ((line = strsep(&rest, "\n")))
		put_uint(pp, PROFILE_COMMENT, string(pp, line));
}

/* Last: all other messages may add a string. */
static void put_strings(struct pprof *pp)
{
	for (uint32_t i = 0; i < pp->strings.n; i++) {
		size_t len;
		const char *s = lt_names_get(&pp->strings, i, &len);

		lt_pb_bytes(&pp->part, PROFILE_STRING, s, len);
		fwrite(pp->part.data, 1, pp->part.n, pp->out);
		pp->part.n = 0;
	}
}

static bool counts(const struct lt_profile_row *row)
{
	return row->births || row->at;
}

static int profile(struct lt_export *e, const struct lt_profile *p)
{
	struct pprof pp = { .out = e->out, .text = LT_OUT_INIT(-1) };
	struct lt_path *path = lt_alloc(sizeof(*path));

	lt_names_init(&pp.strings);
	lt_intern_init(&pp.functions);
	lt_intern_init(&pp.locations);
	put_head(&pp, p);
	for (size_t i = 0; i <= p->n_rows; i++) {
		const struct lt_profile_row *row = i < p->n_rows ? &p->rows[i] : &p->other;

		if (!counts(row))
			continue;
		lt_profile_path(p, row, path);
		put_sample(&pp, row, path);
	}
	put_comments(&pp, p);
	put_strings(&pp);
	lt_intern_destroy(&pp.locations);
	lt_intern_destroy(&pp.functions);
	lt_names_destroy(&pp.strings);
	lt_pb_free(&pp.message);
	lt_pb_free(&pp.part);
	lt_pb_free(&pp.line);
	lt_pb_free(&pp.ids);
	free(pp.text.buf);
	free(path);
	return 0;
}

const struct lt_exporter lt_export_pprof = {
	.name = "pprof",
	.help = "For go tool pprof and what stores such profiles: allocated, in use, lifetimes",
	.profile = profile,
};

// SPDX-License-Identifier: GPL-2.0
/*
 * DHAT, version 2: the JSON of valgrind's tool, for its dh_view.html and the Firefox Profiler.
 *
 * Its tree begins at the allocation, so the leaf of a path comes first. A caller has its offset,
 * as DHAT's frames have their address: paths must differ. Where two rows still have one path
 * (caches of one name, for example) they are one program point; the maximum of that is the sum
 * of theirs, which is no less than what was alive at once.
 *
 * DHAT ends all lifetimes with the program, and its reader divides their sum by all blocks. So
 * what is certainly alive at the end counts with its age.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "export/profile.h"

/* The numbers of JavaScript are exact up to here. */
#define EXACT_MAX	(1ULL << 53)

/* A program point. */
struct point {
	uint64_t bytes, blocks, ns;
	uint64_t max_bytes, max_blocks;
	uint64_t peak_bytes, peak_blocks;
	uint64_t end_bytes, end_blocks;
};

/**
 * struct dhat - a file in the making
 * @out: the output
 * @text: a text in the making
 * @frames: texts of frames; their number is the index in the file
 * @paths: the frames of each point, as an array of uint32_t
 * @points: by number in @paths, less one
 * @cap: room in @points
 */
struct dhat {
	struct lt_out out;
	struct lt_out text;
	struct lt_names frames;
	struct lt_names paths;
	struct point *points;
	size_t cap;
};

/* Units of time, from the finest; the last one is for all that is left. */
static const struct unit {
	const char *name;
	const char *million;
	uint64_t ns;
} units[] = {
	{ "ns", "ms", 1 }, { "us", "s", 1000 }, { "ms", "1000 s", 1000000 },
};

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* ------------------------------------------------------------------------
 * Program points
 */

static uint32_t frame_number(struct dhat *d, const struct lt_path_frame *f)
{
	struct lt_path_frame with_offset = *f;

	if (f->kind == LT_FRAME_CALLER)
		with_offset.kind = LT_FRAME_SITE;
	d->text.used = 0;
	lt_frame_text(&d->text, &with_offset, NULL);
	return lt_names_add(&d->frames, d->text.buf, d->text.used);
}

static struct point *point_of(struct dhat *d, const struct lt_path *path)
{
	uint32_t numbers[sizeof(path->frames) / sizeof(path->frames[0])], n, known = d->paths.n;

	for (unsigned int i = 0; i < path->n; i++)
		numbers[i] = frame_number(d, &path->frames[path->n - 1 - i]);
	n = lt_names_add(&d->paths, (const char *)numbers, path->n * sizeof(numbers[0]));
	d->points = lt_grow(d->points, &d->cap, n - 1, sizeof(*d->points));
	if (d->paths.n != known)
		d->points[n - 1] = (struct point){ .bytes = 0 };
	return &d->points[n - 1];
}

static void add_row(struct dhat *d, const struct lt_profile_row *row, const struct lt_path *path)
{
	struct point *p = point_of(d, path);

	p->bytes += row->bytes;
	p->blocks += row->births;
	p->ns = sum(p->ns, sum(row->exact_ns, row->open_ns));
	p->max_bytes += row->max_bytes;
	p->max_blocks += row->max;
	p->peak_bytes += row->peak_bytes;
	p->peak_blocks += row->peak;
	p->end_bytes += row->at_bytes;
	p->end_blocks += row->at;
}

static void add_rows(struct dhat *d, const struct lt_profile *p)
{
	struct lt_path *path = lt_alloc(sizeof(*path));

	for (size_t i = 0; i <= p->n_rows; i++) {
		const struct lt_profile_row *row = i < p->n_rows ? &p->rows[i] : &p->other;

		if (!row->births && !row->max)
			continue;
		lt_profile_path(p, row, path);
		add_row(d, row, path);
	}
	free(path);
}

/* ------------------------------------------------------------------------
 * The file
 */

/* The finest unit in which all sums of times are exact numbers of JavaScript. */
static const struct unit *choose_unit(const struct dhat *d, uint64_t duration)
{
	const struct unit *unit = units;
	uint64_t all = 0;

	for (uint32_t i = 0; i + 1 < d->paths.n; i++)
		all = sum(all, d->points[i].ns);
	if (all < duration)
		all = duration;
	while (unit < &units[sizeof(units) / sizeof(units[0]) - 1] && all / unit->ns > EXACT_MAX)
		unit++;
	return unit;
}

/*
 * A string of JSON. Unlike lt_out_json() this keeps the text what it is: that of a frame has its
 * backslashes and bad bytes escaped already.
 */
static void put_string(struct lt_json *j, const char *name, const char *text, size_t len)
{
	struct lt_out *o = lt_json_value(j, name);

	lt_out_char(o, '"');
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\n') {
			lt_out_str(o, "\\n");
			continue;
		}
		if (text[i] == '"' || text[i] == '\\')
			lt_out_char(o, '\\');
		lt_out_char(o, text[i]);
	}
	lt_out_char(o, '"');
}

/* The next member begins a line. */
static void put_text(struct lt_json *j, const char *name, const char *text)
{
	put_string(j, name, text, strlen(text));
	lt_json_break(j);
}

/* What DHAT has no field for; the mode is any text. */
static void put_mode(struct lt_json *j, const struct lt_profile *p)
{
	struct lt_para t = { .n = 0 };
	uint64_t sure = p->all.exact + p->all.open;	/* a block freed in parts has several */

	lt_profile_notes(p, &t);
	lt_para_add(&t, "\nWhat is alive at the end adds its age to the lifetimes.");
	if (p->all.births > sure)
		lt_para_add(&t, "\nMean lifetimes are too short: they are divided by all blocks, but of %"
			    PRIu64 " allocations the lifetime is not sure, and counts as 0.",
			    p->all.births - sure);
	put_text(j, "mode", t.s);
}

static void put_head(struct lt_json *j, const struct lt_profile *p, const struct unit *unit,
		     uint64_t begin)
{
	enum lt_space space = p->report->opts.space;

	lt_json_u64(j, "dhatFileVersion", 2);
	lt_json_break(j);
	put_mode(j, p);
	put_text(j, "verb", "Allocated");
	lt_json_bool(j, "bklt", true);
	lt_json_bool(j, "bkacc", false);
	lt_json_break(j);
	put_text(j, "tu", unit->name);
	put_text(j, "Mtu", unit->million);
	put_text(j, "cmd", lt_space_words(space ? space : LT_SPACE_SLAB)->objects);
	lt_json_u64(j, "tuth", p->opts.report.short_ns / unit->ns);
	lt_json_u64(j, "pid", 0);
	lt_json_u64(j, "te", (lt_trace_end(p->trace) - begin) / unit->ns);
	lt_json_u64(j, "tg", (p->peak > begin ? p->peak - begin : 0) / unit->ns);
}

static void put_point(struct lt_json *j, const struct dhat *d, uint32_t number,
		      const struct unit *unit)
{
	const struct point *p = &d->points[number - 1];
	const char *path;
	size_t size;

	lt_json_break(j);
	lt_json_object(j, NULL);
	lt_json_u64(j, "tb", p->bytes);
	lt_json_u64(j, "tbk", p->blocks);
	lt_json_u64(j, "tl", p->ns / unit->ns);
	lt_json_u64(j, "mb", p->max_bytes);
	lt_json_u64(j, "mbk", p->max_blocks);
	lt_json_u64(j, "gb", p->peak_bytes);
	lt_json_u64(j, "gbk", p->peak_blocks);
	lt_json_u64(j, "eb", p->end_bytes);
	lt_json_u64(j, "ebk", p->end_blocks);
	lt_json_array(j, "fs");
	path = lt_names_get(&d->paths, number, &size);
	for (size_t i = 0; i < size; i += sizeof(uint32_t)) {
		uint32_t frame;

		memcpy(&frame, path + i, sizeof(frame));
		lt_json_u64(j, NULL, frame);
	}
	lt_json_end(j);
	lt_json_end(j);
}

static void put_frames(struct lt_json *j, const struct lt_names *frames)
{
	lt_json_break(j);
	lt_json_array(j, "ftbl");
	put_string(j, NULL, "[root]", strlen("[root]"));
	for (uint32_t i = 1; i < frames->n; i++) {
		size_t len;
		const char *text = lt_names_get(frames, i, &len);

		lt_json_break(j);
		put_string(j, NULL, text, len);
	}
	lt_json_end(j);
}

static void put_file(const struct dhat *d, const struct lt_profile *p, struct lt_out *o,
		     uint64_t begin, uint64_t end)
{
	const struct unit *unit = choose_unit(d, end - begin);
	struct lt_json j = LT_JSON_INIT(o);

	lt_json_object(&j, NULL);
	put_head(&j, p, unit, begin);
	lt_json_break(&j);
	lt_json_array(&j, "pps");
	for (uint32_t i = 1; i < d->paths.n; i++)
		put_point(&j, d, i, unit);
	lt_json_end(&j);
	put_frames(&j, &d->frames);
	lt_json_line(&j);
}

static int profile(struct lt_export *e, const struct lt_profile *p)
{
	struct dhat d = { .out = LT_OUT_NAMED(fileno(e->out), e->path), .text = LT_OUT_INIT(-1) };
	uint64_t begin = p->report->watched, end = lt_trace_end(p->trace);

	if (begin > end)
		begin = end;	/* nothing was born */
	lt_names_init(&d.frames);
	lt_names_init(&d.paths);
	add_rows(&d, p);
	put_file(&d, p, &d.out, begin, end);
	free(d.points);
	lt_names_destroy(&d.paths);
	lt_names_destroy(&d.frames);
	free(d.text.buf);
	return lt_out_close(&d.out);
}

const struct lt_exporter lt_export_dhat = {
	.name = "dhat",
	.help = "For valgrind's dh_view.html: lifetimes, alive at the peak and the end",
	.all_instants = true,
	.most = true,
	.profile = profile,
};

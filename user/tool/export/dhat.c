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
static void put_string(struct dhat *d, const char *text, size_t len)
{
	lt_out_char(&d->out, '"');
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\n') {
			lt_out_str(&d->out, "\\n");
			continue;
		}
		if (text[i] == '"' || text[i] == '\\')
			lt_out_char(&d->out, '\\');
		lt_out_char(&d->out, text[i]);
	}
	lt_out_char(&d->out, '"');
}

static void put_number(struct dhat *d, const char *name, uint64_t v)
{
	lt_out_char(&d->out, '"');
	lt_out_str(&d->out, name);
	lt_out_str(&d->out, "\":");
	lt_out_u64(&d->out, v);
	lt_out_char(&d->out, ',');
}

static void put_text(struct dhat *d, const char *name, const char *text)
{
	lt_out_char(&d->out, '"');
	lt_out_str(&d->out, name);
	lt_out_str(&d->out, "\":");
	put_string(d, text, strlen(text));
	lt_out_str(&d->out, ",\n");
}

/* What DHAT has no field for; the mode is any text. */
static void put_mode(struct dhat *d, const struct lt_profile *p)
{
	struct lt_para t = { .n = 0 };
	uint64_t sure = p->all.exact + p->all.open;	/* a block freed in parts has several */

	lt_profile_notes(p, &t);
	lt_para_add(&t, "\nWhat is alive at the end adds its age to the lifetimes.");
	if (p->all.births > sure)
		lt_para_add(&t, "\nMean lifetimes are too short: they are divided by all blocks, but of %"
			    PRIu64 " allocations the lifetime is not sure, and counts as 0.",
			    p->all.births - sure);
	put_text(d, "mode", t.s);
}

static void put_head(struct dhat *d, const struct lt_profile *p, const struct unit *unit,
		     uint64_t begin)
{
	enum lt_space space = p->report->opts.space;

	lt_out_str(&d->out, "{\"dhatFileVersion\":2,\n");
	put_mode(d, p);
	put_text(d, "verb", "Allocated");
	lt_out_str(&d->out, "\"bklt\":true,\"bkacc\":false,\n");
	put_text(d, "tu", unit->name);
	put_text(d, "Mtu", unit->million);
	put_text(d, "cmd", lt_space_words(space ? space : LT_SPACE_SLAB)->objects);
	put_number(d, "tuth", p->opts.report.short_ns / unit->ns);
	put_number(d, "pid", 0);
	put_number(d, "te", (lt_trace_end(p->trace) - begin) / unit->ns);
	put_number(d, "tg", (p->peak > begin ? p->peak - begin : 0) / unit->ns);
}

static void put_point(struct dhat *d, uint32_t number, const struct unit *unit)
{
	const struct point *p = &d->points[number - 1];
	const char *path;
	size_t size;

	lt_out_str(&d->out, number > 1 ? ",\n{" : "\n{");
	put_number(d, "tb", p->bytes);
	put_number(d, "tbk", p->blocks);
	put_number(d, "tl", p->ns / unit->ns);
	put_number(d, "mb", p->max_bytes);
	put_number(d, "mbk", p->max_blocks);
	put_number(d, "gb", p->peak_bytes);
	put_number(d, "gbk", p->peak_blocks);
	put_number(d, "eb", p->end_bytes);
	put_number(d, "ebk", p->end_blocks);
	lt_out_str(&d->out, "\"fs\":");
	path = lt_names_get(&d->paths, number, &size);
	for (size_t i = 0; i < size; i += sizeof(uint32_t)) {
		uint32_t frame;

		memcpy(&frame, path + i, sizeof(frame));
		lt_out_char(&d->out, i ? ',' : '[');
		lt_out_u64(&d->out, frame);
	}
	lt_out_str(&d->out, "]}");
}

static void put_frames(struct dhat *d)
{
	lt_out_str(&d->out, "],\n\"ftbl\":[\"[root]\"");
	for (uint32_t i = 1; i < d->frames.n; i++) {
		size_t len;
		const char *text = lt_names_get(&d->frames, i, &len);

		lt_out_str(&d->out, ",\n");
		put_string(d, text, len);
	}
	lt_out_str(&d->out, "]}\n");
}

static int profile(struct lt_export *e, const struct lt_profile *p)
{
	struct dhat d = { .out = LT_OUT_NAMED(fileno(e->out), e->path), .text = LT_OUT_INIT(-1) };
	uint64_t begin = p->report->watched, end = lt_trace_end(p->trace);
	const struct unit *unit;

	if (begin > end)
		begin = end;	/* nothing was born */
	lt_names_init(&d.frames);
	lt_names_init(&d.paths);
	add_rows(&d, p);
	unit = choose_unit(&d, end - begin);
	put_head(&d, p, unit, begin);
	lt_out_str(&d.out, "\n\"pps\":[");
	for (uint32_t i = 1; i < d.paths.n; i++)
		put_point(&d, i, unit);
	put_frames(&d);
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
	.profile = profile,
};

// SPDX-License-Identifier: GPL-2.0
/*
 * Memory: the change of /proc/meminfo's figures, and what of it the trace explains.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lifetimes/coverage.h"
#include "lifetimes/meminfo.h"
#include "print/log.h"
#include "print/memory.h"
#include "print/units.h"

/* The figures of meminfo that are printed for people, in this order. */
static const char *const shown[] = {
	"MemAvailable", "Slab", "SReclaimable", "SUnreclaim", "KernelStack", "PageTables",
	"SecPageTables", "VmallocUsed", "Percpu", "Buffers", "Cached", "AnonPages", "Shmem",
};

/**
 * struct slab_change - the change of slab memory between the readings, bytes
 *
 * Exact below 8 PiB; the sums of a damaged text do not overflow.
 *
 * @real: of objects, by the kernel's counters
 * @traced: of objects, by the trace
 * @apart: sum of the differences of both, cache by cache
 * @moved: sum of the changes by the counters, cache by cache
 * @free: of places in slabs that hold no object
 */
struct slab_change {
	double real;
	double traced;
	double apart;
	double moved;
	double free;
};

static struct slab_change slab_change(const struct lt_coverage_row *rows, size_t n)
{
	struct slab_change s = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct lt_coverage_row *c = &rows[i];
		double size = (double)c->size, real = (double)c->real * size;
		double traced = (double)c->traced * size;

		s.real += real;
		/* A cache that no reading has is of no known size, and counts nothing. */
		s.traced += traced;
		s.apart += fabs(real - traced);
		s.moved += fabs(real);
		s.free += (double)c->places * size - real;
	}
	return s;
}

static const struct lt_meminfo_row *find(const struct lt_meminfo_row *rows, size_t n,
					 const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	}
	return NULL;
}

static double change_of(const struct lt_meminfo_row *row)
{
	return (double)row->bytes[1] - (double)row->bytes[0];
}

static const char *signed_bytes(double bytes, char *buf, size_t size)
{
	char number[32];

	lt_human_bytes((uint64_t)fmin(fabs(bytes), 1e18), number, sizeof(number));
	snprintf(buf, size, "%s%s", bytes < 0 ? "-" : bytes > 0 ? "+" : "", number);
	return buf;
}

/* ------------------------------------------------------------------------
 * For people
 */

static void part(struct lt_out *out, const char *what, double bytes, const char *note)
{
	char line[160], change[40];

	snprintf(line, sizeof(line), "    %-38s%12s%s%s\n", what,
		 signed_bytes(bytes, change, sizeof(change)), *note ? "  " : "", note);
	lt_out_str(out, line);
}

static void put_slab(struct lt_out *out, const struct slab_change *s,
		     const struct lt_meminfo_row *slab)
{
	char note[80] = "", apart[32];

	part(out, "objects, by the kernel's counters", s->real, "");
	if (s->moved > 0 || s->apart > 0)
		snprintf(note, sizeof(note), "caches differ by %s",
			 lt_human_bytes((uint64_t)fmin(s->apart, 1e18), apart, sizeof(apart)));
	part(out, "objects, by the trace", s->traced, note);
	part(out, "places in slabs without an object", s->free, "");
	if (slab)
		part(out, "what slabs add to their places",
		     change_of(slab) - s->real - s->free, "");
}

/*
 * What was made since the start and is still there, as far as that is certain. What was there
 * before and went has no size in a trace: it is the difference.
 */
static void put_area(struct lt_out *out, const struct lt_report *area,
		     const struct lt_meminfo_row *row, bool by_difference)
{
	double made;

	if (!area)
		return;
	made = (double)area->all.live_bytes;
	part(out, "made since, and still there", made, "");
	if (by_difference && row)
		part(out, "from before and gone, and rounding", change_of(row) - made,
		     "by difference");
}

static void put_parts(struct lt_out *out, const char *name, const struct lt_meminfo_row *row,
		      struct lt_report *const areas[LT_N_MEMORY])
{
	if (!strcmp(name, "VmallocUsed"))
		put_area(out, areas[LT_SPACE_VMALLOC], row, true);
	else if (!strcmp(name, "Percpu"))
		put_area(out, areas[LT_SPACE_PERCPU], row, false);
}

static void put_end(struct lt_out *out, struct lt_report *const areas[LT_N_MEMORY])
{
	if (areas[LT_SPACE_PERCPU])
		lt_out_str(out, "Percpu is that of whole chunks, of which a part is in use.\n");
	if (!areas[LT_SPACE_PERCPU] && !areas[LT_SPACE_VMALLOC])
		lt_out_str(out, "vmalloc and per-CPU memory were not recorded: record "
				"-e all, or -e slab,percpu,vmalloc.\n");
	lt_out_str(out, "What pages are used for has no events here.\n");
}

static void put_text(struct lt_out *out, const struct slab_change *s,
		     struct lt_report *const areas[LT_N_MEMORY],
		     const struct lt_meminfo_row *rows, size_t n)
{
	char line[160], start[32], end[32], change[40];

	if (n)
		lt_out_str(out, "/proc/meminfo       at start      at end      change\n");
	else
		lt_out_str(out, "The trace has no /proc/meminfo. Slab memory:\n");
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		const struct lt_meminfo_row *row = find(rows, n, shown[i]);

		if (row) {
			snprintf(line, sizeof(line), "  %-14s%12s%12s%14s\n", row->name,
				 lt_human_bytes(row->bytes[0], start, sizeof(start)),
				 lt_human_bytes(row->bytes[1], end, sizeof(end)),
				 signed_bytes(change_of(row), change, sizeof(change)));
			lt_out_str(out, line);
		}
		if (!strcmp(shown[i], "Slab"))
			put_slab(out, s, row);
		put_parts(out, shown[i], row, areas);
	}
	put_end(out, areas);
}

/* ------------------------------------------------------------------------
 * JSON
 */

static void json_number(struct lt_out *out, const char *name, double value)
{
	char text[96];

	snprintf(text, sizeof(text), ",\"%s\":%.0f", name, value);
	lt_out_str(out, text);
}

static void put_json(struct lt_out *out, const struct slab_change *s,
		     struct lt_report *const areas[LT_N_MEMORY], const struct lt_meminfo_row *rows, size_t n, const char *file)
{
	lt_out_str(out, "{\"file\":");
	lt_out_json(out, file, strlen(file));
	json_number(out, "schema_version", LT_SCHEMA_VERSION);
	json_number(out, "slab_objects_change_bytes", s->real);
	json_number(out, "traced_objects_change_bytes", s->traced);
	json_number(out, "slab_objects_moved_bytes", s->moved);
	json_number(out, "apart_bytes", s->apart);
	json_number(out, "free_places_change_bytes", s->free);
	if (areas[LT_SPACE_VMALLOC])
		json_number(out, "vmalloc_made_bytes",
			    (double)areas[LT_SPACE_VMALLOC]->all.live_bytes);
	if (areas[LT_SPACE_PERCPU])
		json_number(out, "percpu_made_bytes",
			    (double)areas[LT_SPACE_PERCPU]->all.live_bytes);
	json_number(out, "total_rows", (double)n);
	lt_out_str(out, ",\"rows\":[");
	for (size_t i = 0; i < n; i++) {
		lt_out_str(out, i ? ",\n{\"name\":" : "\n{\"name\":");
		lt_out_json(out, rows[i].name, strlen(rows[i].name));
		json_number(out, "start_bytes", (double)rows[i].bytes[0]);
		json_number(out, "end_bytes", (double)rows[i].bytes[1]);
		json_number(out, "change_bytes", change_of(&rows[i]));
		lt_out_char(out, '}');
	}
	lt_out_str(out, "]}\n");
}

int lt_memory_print(struct lt_report *r, struct lt_report *const areas[LT_N_MEMORY],
		    const char *file, enum lt_format format, struct lt_out *out)
{
	const struct lt_coverage_row *caches;
	struct lt_meminfo_row *rows;
	struct lt_coverage_sum sum;
	struct slab_change s;
	const char *why;
	size_t n;

	caches = lt_coverage_rows(r->coverage, &n, &sum, &why);
	if (!caches) {
		lt_error("%s: %s; record without --no-coverage", file, why);
		return -1;
	}
	s = slab_change(caches, n);
	n = lt_meminfo_read(r->trace, &rows);
	if (format == LT_FORMAT_JSON)
		put_json(out, &s, areas, rows, n, file);
	else
		put_text(out, &s, areas, rows, n);
	free(rows);
	return 0;
}

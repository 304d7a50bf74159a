// SPDX-License-Identifier: GPL-2.0
/*
 * Memory: the change of /proc/meminfo's figures, and what of it the trace explains.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "forms/screen.h"
#include "forms/sort.h"
#include "out/log.h"
#include "out/units.h"
#include "print/memory.h"
#include "sums/coverage.h"
#include "sums/meminfo.h"
#include "sums/pagekinds.h"

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
 * @watched: the trace has slab objects; otherwise it says nothing of @traced
 */
struct slab_change {
	double real;
	double traced;
	double apart;
	double moved;
	double free;
	bool watched;
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

/**
 * struct figure - a row: a figure at both readings
 * @source: what has it
 * @bytes: at start and end
 * @of: the row of /proc/meminfo that it is; NULL: another one
 */
struct figure {
	const char *source;
	const char *name;
	double bytes[2];
	const struct lt_meminfo_row *of;
};

/* Sums of a damaged text may be of any size. */
static uint64_t whole(double bytes)
{
	return (uint64_t)fmin(fmax(bytes, 0), 1e19);
}

static int64_t change(const struct figure *r)
{
	return (int64_t)fmin(fmax(r->bytes[1] - r->bytes[0], -9e18), 9e18);
}

#define FIGURE(C)	\
	C(source, "source", "source", TEXT, A, true, r->source, "meminfo or page_kinds")	\
	C(name, "name", "name", TEXT, A, true, r->name, "name of the figure")	\
	C(start, "start_bytes", "at start", BYTES, A, true, whole(r->bytes[0]),	\
	  "when the recording began")	\
	C(end, "end_bytes", "at end", BYTES, A, true, whole(r->bytes[1]), "when it ended")	\
	C(change, "change_bytes", "change", SIGNED, A, true, change(r),	\
	  "how much more it was at the end")

#define GETTER(id, name, head, TYPE, marks, known, value, meaning)	\
	LT_ROW_GETTER(id, struct figure, r, void, ctx, TYPE, known, value)

FIGURE(GETTER)
static const struct lt_column memory_columns[] = { FIGURE(LT_SCREEN_COLUMN) };
LT_SCREEN_KIND(memory, "memory", NULL, "a figure of the kernel's memory");

static struct figure figure_of(const struct lt_meminfo_row *row)
{
	return (struct figure){
		.source = "meminfo", .name = row->name, .of = row,
		.bytes = { (double)row->bytes[0], (double)row->bytes[1] },
	};
}

/* Puts the rows into the order of a column; what changed most upwards comes first. */
static void sort_rows(struct lt_meminfo_row *rows, size_t n, const struct lt_column *by)
{
	const void **order = lt_alloc_array(n + 1, sizeof(*order));
	struct lt_meminfo_row *copy = lt_alloc_array(n + 1, sizeof(*copy));
	struct figure *figures = lt_alloc_array(n + 1, sizeof(*figures));

	for (size_t i = 0; i < n; i++) {
		copy[i] = rows[i];
		figures[i] = figure_of(&copy[i]);
		order[i] = &figures[i];
	}
	lt_sort_rows(order, n, by, NULL);
	for (size_t i = 0; i < n; i++)
		rows[i] = *((const struct figure *)order[i])->of;
	free(figures);
	free(order);
	free(copy);
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

/**
 * struct pages - the pages of memory at both readings
 * @known: the trace has the readings
 * @kinds: at the start and at the end
 * @size: bytes of a page
 */
struct pages {
	bool known;
	struct lt_page_kinds kinds[2];
	double size;
};

/* Bytes of a kind at a reading; those that CPUs keep free are free. */
static double kind_bytes(const struct pages *p, unsigned int reading, unsigned int kind)
{
	const struct lt_page_kinds *k = &p->kinds[reading];
	uint64_t pages = k->pages[kind];

	if (kind == LT_PAGE_OTHER)
		pages -= k->cpu_free;
	else if (kind == LT_PAGE_FREE)
		pages += k->cpu_free;
	return (double)pages * p->size;
}

/* What the page allocator has given away, at a reading. */
static double given_away(const struct pages *p, unsigned int reading)
{
	double sum = 0;

	for (unsigned int kind = 0; kind < LT_PAGE_FREE; kind++)
		sum += kind_bytes(p, reading, kind);
	return sum;
}

static void read_pages(const struct lt_trace *t, const char *file, struct pages *p)
{
	const char *why;

	p->size = (double)(1ULL << lt_trace_page_shift(t));
	p->known = lt_page_kinds_read(t, p->kinds, &why);
	if (why)
		lt_warn("%s: %s; they are left out", file, why);
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
	if (s->watched)
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

static void put_row(struct lt_out *out, const char *name, double start, double end)
{
	char line[160], numbers[2][32], change[40];

	snprintf(line, sizeof(line), "  %-14s%12s%12s%14s\n", name,
		 lt_human_bytes((uint64_t)start, numbers[0], sizeof(numbers[0])),
		 lt_human_bytes((uint64_t)end, numbers[1], sizeof(numbers[1])),
		 signed_bytes(end - start, change, sizeof(change)));
	lt_out_str(out, line);
}

/* The kinds from @kind on and before @end that there are. */
static void put_kinds(struct lt_out *out, const struct pages *p, unsigned int kind,
		      unsigned int end)
{
	static const char *const labels[LT_N_PAGE_KINDS] = {
		[LT_PAGE_ANON] = "anonymous", [LT_PAGE_CACHE] = "page cache",
		[LT_PAGE_SHMEM] = "shared memory", [LT_PAGE_HUGETLB] = "huge pages",
		[LT_PAGE_SLAB] = "slab", [LT_PAGE_TABLE] = "page tables",
		[LT_PAGE_OTHER] = "other kernel", [LT_PAGE_FREE] = "free",
		[LT_PAGE_RESERVED] = "reserved", [LT_PAGE_OFFLINE] = "offline",
	};

	for (; kind < end; kind++) {
		if (kind_bytes(p, 0, kind) > 0 || kind_bytes(p, 1, kind) > 0)
			put_row(out, labels[kind], kind_bytes(p, 0, kind), kind_bytes(p, 1, kind));
	}
}

static void put_pages(struct lt_out *out, const struct pages *p, const struct lt_report *blocks)
{
	double start = given_away(p, 0), end = given_away(p, 1), made;
	char line[160], count[LT_HUMAN], ns[LT_HUMAN];

	lt_out_str(out, "\n/proc/kpageflags    at start      at end      change\n");
	put_kinds(out, p, 0, LT_PAGE_FREE);
	put_row(out, "given away", start, end);
	if (blocks) {
		made = (double)blocks->all.live_bytes;
		part(out, "made since, and still there", made, "by the trace");
		part(out, "from before and gone", end - start - made, "by difference");
	}
	put_kinds(out, p, LT_PAGE_FREE, LT_PAGE_HOLE);
	snprintf(line, sizeof(line), "%s pages were looked at, in %s.\n",
		 lt_human_count(p->kinds[1].read, count, sizeof(count)),
		 lt_human_ns(p->kinds[1].ns, ns, sizeof(ns)));
	lt_out_str(out, line);
}

/* What the recording was asked to leave out is not in its figures. */
static void put_left_out(struct lt_out *out, const struct lt_trace *t)
{
	unsigned int sample = lt_trace_sample(t);
	const char *value;
	char line[160];

	if (sample > 1) {
		snprintf(line, sizeof(line), "What is by the trace is of one address in %u, a sample.\n",
			 sample);
		lt_out_str(out, line);
	}
	value = lt_trace_info(t, "min_size");
	if (value && strcmp(value, "0")) {
		snprintf(line, sizeof(line), "What is by the trace is without allocations of less than "
			 "%.20s bytes.\n", value);
		lt_out_str(out, line);
	}
}

static void put_end(struct lt_out *out, const struct lt_trace *t,
		    struct lt_report *const areas[LT_N_MEMORY], const struct pages *pages)
{
	put_left_out(out, t);
	if (!lt_space_watched(t, LT_SPACE_SLAB))
		lt_out_str(out, "Slab objects were not recorded: record -e slab.\n");
	if (areas[LT_SPACE_PERCPU])
		lt_out_str(out, "Percpu is that of whole chunks, of which a part is in use.\n");
	if (!areas[LT_SPACE_PERCPU] && !areas[LT_SPACE_VMALLOC])
		lt_out_str(out, "vmalloc and per-CPU memory were not recorded: record "
				"-e all, or -e slab,percpu,vmalloc.\n");
	if (!pages->known)
		lt_out_str(out, "What pages are used for was not recorded: record --page-kinds.\n");
	else if (!areas[LT_SPACE_PAGE])
		lt_out_str(out, "Blocks of pages were not recorded: record -e slab,tasks,pages, and "
				"--stacks-pages for who takes them.\n");
}

static bool is_shown(const char *name)
{
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		if (!strcmp(shown[i], name))
			return true;
	}
	return false;
}

static void put_meminfo(struct lt_out *out, const struct lt_meminfo_row *row, const char *name,
			const struct slab_change *s, struct lt_report *const areas[LT_N_MEMORY])
{
	if (row)
		put_row(out, row->name, (double)row->bytes[0], (double)row->bytes[1]);
	if (!strcmp(name, "Slab"))
		put_slab(out, s, row);
	put_parts(out, name, row, areas);
}

static void put_text(struct lt_out *out, const struct lt_trace *t, const struct slab_change *s,
		     struct lt_report *const areas[LT_N_MEMORY], const struct lt_meminfo_row *rows,
		     size_t n, bool sorted, const struct pages *pages)
{
	if (n)
		lt_out_str(out, "/proc/meminfo       at start      at end      change\n");
	else
		lt_out_str(out, "The trace has no /proc/meminfo. Slab memory:\n");
	for (size_t i = 0; sorted && i < n; i++) {
		if (is_shown(rows[i].name))
			put_meminfo(out, &rows[i], rows[i].name, s, areas);
	}
	/* What has no row has its parts. */
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		const struct lt_meminfo_row *row = find(rows, n, shown[i]);

		if (!sorted || !row)
			put_meminfo(out, row, shown[i], s, areas);
	}
	if (pages->known)
		put_pages(out, pages, areas[LT_SPACE_PAGE]);
	put_end(out, t, areas, pages);
}

/* ------------------------------------------------------------------------
 * The rows: of /proc/meminfo, and of kinds of pages
 */

static void put_meminfo_rows(struct lt_table *t, const struct lt_meminfo_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct figure row = figure_of(&rows[i]);

		lt_table_row(t, &row);
	}
}

static void put_page_rows(struct lt_table *t, const struct pages *p)
{
	for (unsigned int kind = 0; p->known && kind < LT_N_PAGE_KINDS; kind++) {
		const struct figure row = {
			.source = "page_kinds", .name = lt_page_kind_name(kind),
			.bytes = { kind_bytes(p, 0, kind), kind_bytes(p, 1, kind) },
		};

		lt_table_row(t, &row);
	}
}

/* In JSON the two are arrays of their own, which say what the source is. */
static void put_json_rows(struct lt_json *j, const char *name, const struct lt_meminfo_row *rows,
			  size_t n, const struct pages *pages, const char *columns)
{
	struct lt_table table = { .out = j->o, .format = LT_FORMAT_JSON, .json = j };

	lt_json_array(j, name);
	lt_table_columns(&table, &lt_rows_of_memory, 0,
			 columns ? columns : "name,start_bytes,end_bytes,change_bytes");
	lt_table_begin(&table);
	put_meminfo_rows(&table, rows, n);
	if (pages)
		put_page_rows(&table, pages);
	lt_table_end(&table);
	lt_json_end(j);
}

static void put_table(struct lt_out *out, enum lt_format format, const struct lt_meminfo_row *rows,
		      size_t n, const struct pages *pages, const char *columns)
{
	struct lt_table table = { .out = out, .format = format };

	lt_table_columns(&table, &lt_rows_of_memory, 0, columns);
	lt_table_begin(&table);
	put_meminfo_rows(&table, rows, n);
	put_page_rows(&table, pages);
	lt_table_end(&table);
}

/* ------------------------------------------------------------------------
 * JSON
 */

static void json_made(struct lt_json *j, struct lt_report *const areas[LT_N_MEMORY])
{
	static const struct {
		enum lt_space space;
		const char *name;
	} made[] = {
		{ LT_SPACE_VMALLOC, "vmalloc_made_bytes" },
		{ LT_SPACE_PERCPU, "percpu_made_bytes" },
		{ LT_SPACE_PAGE, "pages_made_bytes" },
	};

	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		if (areas[made[i].space])
			lt_json_u64(j, made[i].name, areas[made[i].space]->all.live_bytes);
	}
}

static void json_pages(struct lt_json *j, const struct pages *p, const char *columns)
{
	lt_json_fixed(j, "pages_given_away_change_bytes", given_away(p, 1) - given_away(p, 0), 0);
	lt_json_u64(j, "pages_read", p->kinds[1].read);
	lt_json_u64(j, "pages_read_ns", p->kinds[1].ns);
	put_json_rows(j, "page_kinds", NULL, 0, p, columns);
}

static void put_json(struct lt_out *out, const struct slab_change *s,
		     struct lt_report *const areas[LT_N_MEMORY],
		     const struct lt_meminfo_row *rows, size_t n, const struct pages *pages,
		     const char *file, const char *columns)
{
	struct lt_json j = LT_JSON_INIT(out);

	lt_json_object(&j, NULL);
	lt_json_str(&j, "file", file);
	lt_json_u64(&j, "schema_version", LT_SCHEMA_VERSION);
	lt_json_fixed(&j, "slab_objects_change_bytes", s->real, 0);
	lt_json_fixed(&j, "traced_objects_change_bytes", s->traced, 0);
	lt_json_fixed(&j, "slab_objects_moved_bytes", s->moved, 0);
	lt_json_fixed(&j, "apart_bytes", s->apart, 0);
	lt_json_fixed(&j, "free_places_change_bytes", s->free, 0);
	json_made(&j, areas);
	if (pages->known)
		json_pages(&j, pages, columns);
	lt_json_u64(&j, "total_rows", n);
	put_json_rows(&j, "rows", rows, n, NULL, columns);
	lt_json_line(&j);
}

int lt_memory_print(struct lt_report *r, struct lt_report *const areas[LT_N_MEMORY],
		    const char *file, enum lt_format format, const struct lt_column *sort,
		    const char *columns, struct lt_out *out)
{
	const struct lt_coverage_row *caches;
	struct lt_meminfo_row *rows;
	struct lt_coverage_sum sum;
	struct slab_change s;
	struct pages pages;
	const char *why;
	size_t n;

	caches = lt_coverage_rows(r->coverage, &n, &sum, &why);
	if (!caches) {
		lt_error("%s: %s; record without --no-coverage, filters of allocations and --overwrite; "
			 "of --rotate name the directory", file, why);
		return -1;
	}
	s = slab_change(caches, n);
	s.watched = lt_space_watched(r->trace, LT_SPACE_SLAB);
	n = lt_meminfo_read(r->trace, &rows);
	if (sort)
		sort_rows(rows, n, sort);
	read_pages(r->trace, file, &pages);
	if (format == LT_FORMAT_JSON)
		put_json(out, &s, areas, rows, n, &pages, file, columns);
	else if (format == LT_FORMAT_TEXT && !columns)
		put_text(out, r->trace, &s, areas, rows, n, sort, &pages);
	else
		put_table(out, format, rows, n, &pages, columns);
	free(rows);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Figures of lifetrace top for node_exporter's textfile collector.
 *
 * The format is that of Prometheus (0.0.4), which the collector reads, and not OpenMetrics, in
 * which counters are declared by another name. The last line is a comment in the one and the end in
 * the other.
 *
 * Of call sites and caches there are many, and each label is a time series for years: so only so
 * many have figures of their own, and what all others hold is one figure. They have no counters
 * together, since one that leaves them would let these go back.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/out.h"
#include "base/utf8.h"
#include "out/log.h"
#include "out/output.h"
#include "top/metrics.h"

#define OTHERS	"(others)"

/* A kind of rows. */
struct kind {
	enum lt_report_by by;
	const char *name;
};

static const struct kind kinds[2] = {
	{ LT_BY_CACHE, "cache" },
	{ LT_BY_SITE, "site" },
};

void lt_top_metrics_destroy(struct lt_top_metrics *m)
{
	for (size_t i = 0; i < 2; i++)
		free(m->picked[i].keys);
}

/* ------------------------------------------------------------------------
 * Which rows
 */

static uint64_t held(const struct lt_live_row *row)
{
	return row->alive_bytes + row->maybe_bytes;
}

/* By what is alive, then by allocations; the key makes the order one. */
static int by_size(const void *a, const void *b)
{
	const struct lt_live_row *x = *(struct lt_live_row *const *)a;
	const struct lt_live_row *y = *(struct lt_live_row *const *)b;

	if (held(x) != held(y))
		return held(x) < held(y) ? 1 : -1;
	if (x->count.births != y->count.births)
		return x->count.births < y->count.births ? 1 : -1;
	return x->key < y->key ? -1 : x->key > y->key;
}

static bool is_picked(const struct lt_top_picked *p, uint64_t key)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->keys[i] == key)
			return true;
	}
	return false;
}

/* Whether a row has a name of its own. Addresses are secrets, and new ones after each boot. */
static bool has_name(const struct lt_live *l, const struct lt_live_row *row, enum lt_report_by by)
{
	char buf[512];

	return row->key && strncmp(lt_live_label(l, row, by, buf, sizeof(buf)), "0x", 2);
}

static void pick(struct lt_top_picked *p, size_t most, const struct lt_live *l,
		 const struct lt_live_table *t)
{
	struct lt_live_row **rows;

	if (p->n == most)
		return;
	if (!p->keys)
		p->keys = lt_alloc_array(most, sizeof(*p->keys));
	rows = lt_alloc_array(t->n + 1, sizeof(*rows));
	memcpy(rows, t->rows, t->n * sizeof(*rows));
	qsort(rows, t->n, sizeof(*rows), by_size);
	for (size_t i = 0; i < t->n && p->n < most; i++) {
		if (!is_picked(p, rows[i]->key) && has_name(l, rows[i], t->by))
			p->keys[p->n++] = rows[i]->key;
	}
	free(rows);
}

/* ------------------------------------------------------------------------
 * Lines
 */

static void put_head(struct lt_out *o, const char *name, const char *type, const char *help)
{
	lt_outf(o, "# HELP lifetrace_%s %s\n# TYPE lifetrace_%s %s\n", name, help, name, type);
}

static void put_label(struct lt_out *o, const char *name, const char *text)
{
	size_t len = strlen(text);

	lt_outf(o, "{%s=\"", name);
	while (len) {
		char buf[5], *c = buf;
		size_t n = lt_utf8_escape(text, len, false, buf);

		for (; *c; c++) {
			if (*c == '\\' || *c == '"')
				lt_out_char(o, '\\');
			lt_out_char(o, *c);
		}
		text += n;
		len -= n;
	}
	lt_out_str(o, "\"}");
}

static void put_figure(struct lt_out *o, const char *name, const char *type, const char *help,
		       uint64_t value)
{
	put_head(o, name, type, help);
	lt_outf(o, "lifetrace_%s %" PRIu64 "\n", name, value);
}

/* Values of rows; those of gauges have a sum of the others. */
enum figure { LIVE_BYTES, LIVE, UNSURE_BYTES, BIRTHS, BORN, FREES, N_FIGURES };

static const struct {
	const char *name;
	const char *type;
	const char *help;
} figures[N_FIGURES] = {
	[LIVE_BYTES] = { "live_bytes", "gauge", "Bytes that are certainly alive; those of unsure_bytes perhaps, too." },
	[LIVE] = { "live_objects", "gauge", "Objects that are certainly alive." },
	[UNSURE_BYTES] = { "unsure_bytes", "gauge", "Bytes of objects whose free may have been lost, or is not watched." },
	[BIRTHS] = { "allocations_total", "counter", "Objects that were allocated." },
	[BORN] = { "allocated_bytes_total", "counter", "Bytes that were allocated." },
	[FREES] = { "frees_total", "counter", "Frees of objects whose allocation was seen." },
};

static uint64_t value(const struct lt_live_row *row, enum figure figure)
{
	switch (figure) {
	case LIVE_BYTES:
		return row->alive_bytes;
	case LIVE:
		return row->alive;
	case UNSURE_BYTES:
		return row->maybe_bytes;
	case BIRTHS:
		return row->count.births;
	case BORN:
		return row->count.born;
	default:
		return row->count.frees;
	}
}

/* A row that has figures of its own. */
struct shown {
	const struct lt_live_row *row;
	char *label;
};

/* The rows that have; of two with one label, as of a cache that was made again, the first alone. */
static size_t find_shown(const struct lt_live *l, const struct lt_live_table *t,
			 const struct lt_top_picked *p, struct shown *shown)
{
	char buf[512];
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		const char *label;
		size_t k = 0;

		if (!is_picked(p, t->rows[i]->key))
			continue;
		label = lt_live_label(l, t->rows[i], t->by, buf, sizeof(buf));
		while (k < n && strcmp(shown[k].label, label))
			k++;
		if (k == n && strcmp(label, OTHERS))
			shown[n++] = (struct shown){ t->rows[i], lt_strdup(label) };
	}
	return n;
}

static void put_family(struct lt_out *o, const struct lt_live_table *t, const struct kind *kind,
		       enum figure f, const struct shown *shown, size_t n)
{
	char *name = lt_format("%s_%s", kind->name, figures[f].name);
	uint64_t others = 0;

	for (size_t i = 0; i < t->n; i++)
		others += value(t->rows[i], f);
	put_head(o, name, figures[f].type, figures[f].help);
	for (size_t i = 0; i < n; i++) {
		lt_outf(o, "lifetrace_%s", name);
		put_label(o, kind->name, shown[i].label);
		lt_outf(o, " %" PRIu64 "\n", value(shown[i].row, f));
		others -= value(shown[i].row, f);
	}
	if (f < BIRTHS) {
		lt_outf(o, "lifetrace_%s", name);
		put_label(o, kind->name, OTHERS);
		lt_outf(o, " %" PRIu64 "\n", others);
	}
	free(name);
}

static void put_rows(struct lt_out *o, const struct lt_live *l, const struct lt_live_table *t,
		     const struct lt_top_picked *p, const struct kind *kind)
{
	struct shown *shown = lt_alloc_array(p->n + 1, sizeof(*shown));
	size_t n = find_shown(l, t, p, shown);

	for (enum figure f = 0; f < N_FIGURES; f++)
		put_family(o, t, kind, f, shown, n);
	for (size_t i = 0; i < n; i++)
		free(shown[i].label);
	free(shown);
}

static void put_all(struct lt_out *o, const struct lt_live_table *t, const struct lt_top_cost *cost)
{
	for (enum figure f = 0; f < N_FIGURES; f++)
		put_figure(o, figures[f].name, figures[f].type, figures[f].help, value(t->all, f));
	put_figure(o, "events_total", "counter", "Events of the allocators.", t->loss.seen);
	put_figure(o, "events_lost_total", "counter", "Of these, events that were lost.",
		   t->loss.lost);
	put_figure(o, "events_filtered_total", "counter", "Of these, events left out on request.",
		   t->loss.filtered);
	if (!cost)
		return;
	put_head(o, "cpu_seconds_total", "counter", "Time of CPUs that the recorder used.");
	lt_outf(o, "lifetrace_cpu_seconds_total %.3f\n", (double)cost->cpu_ns / 1e9);
	put_figure(o, "resident_bytes", "gauge", "Memory of the recorder.", cost->memory);
}

int lt_top_metrics_write(struct lt_top_metrics *m, const char *path, size_t most, struct lt_live *l,
			 bool caches, bool sites, const struct lt_top_cost *cost)
{
	const bool wanted[2] = { caches, sites };
	const struct lt_live_table *t = NULL;
	int fd = lt_output_open_public(path), ret;
	struct lt_out o = LT_OUT_NAMED(fd, path);

	if (fd < 0)
		return -1;
	for (size_t i = 0; i < 2; i++) {
		if (!wanted[i])
			continue;
		t = lt_live_table(l, kinds[i].by);
		pick(&m->picked[i], most, l, t);
		put_rows(&o, l, t, &m->picked[i], &kinds[i]);
	}
	if (t)
		put_all(&o, t, cost);
	lt_out_str(&o, "# EOF\n");
	ret = lt_out_close(&o);
	return lt_output_close(fd, !ret) || ret ? -1 : 0;
}

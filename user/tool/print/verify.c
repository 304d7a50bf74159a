// SPDX-License-Identifier: GPL-2.0
/*
 * What a trace proves, and what it does not.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "format/packet.h"
#include "out/units.h"
#include "print/class_table.h"
#include "print/verify.h"
#include "verify/state.h"
#include "verify/tasks.h"

/* The counters of the streams @from to @to - 1, added up by class. */
static void print_table(struct lt_out *out, const struct lt_verify_result *v, size_t from,
			size_t to)
{
	struct lt_class_row rows[LT_MAX_CLASSES];
	size_t used = 0;

	for (unsigned int i = 0; i < LT_MAX_CLASSES; i++) {
		unsigned int channel = LT_CLASS_CHANNEL(i), k = LT_CLASS_INDEX(i);
		struct lt_class_counts sum = { 0 };
		uint64_t records = 0, overwritten = 0, open = 0;

		for (size_t n = from; n < to; n++) {
			const struct lt_check_stream *s = v->streams[n];

			if (!s || s->channel != channel)
				continue;
			lt_add_counts(&sum, &s->counts[k]);
			records += s->records[k];
			overwritten += s->overwritten[k];
			open += (uint64_t)s->unaccounted[k];
		}
		if (!sum.seen && !records)
			continue;
		lt_class_row_set(&rows[used], &sum);
		rows[used].name = v->class_names[i];
		rows[used].n[LT_CLASS_RECORDS] = (int64_t)records;
		rows[used].n[LT_CLASS_OVERWRITTEN] = (int64_t)overwritten;
		rows[used++].n[LT_CLASS_OPEN] = (int64_t)open;
	}
	lt_class_table(out, rows, used, ((1U << LT_N_CLASS_COLUMNS) - 1) &
		       ~(v->flight ? 0 : 1U << LT_CLASS_OVERWRITTEN));
	lt_outf(out, "\n");
}

static void print_notes(struct lt_out *out, const struct lt_verify_result *v)
{
	if (!v->n_notes)
		return;
	lt_outf(out, "Found:\n");
	for (size_t i = 0; i < v->n_notes; i++) {
		const struct lt_verify_note *n = &v->notes[i];

		if (n->offset == UINT64_MAX)
			lt_outf(out, "  %s\n", n->text);
		else
			lt_outf(out, "  %s%soffset %" PRIu64 ": %s\n", n->file ? n->file : "",
				n->file ? ": " : "", n->offset, n->text);
	}
	if (v->more_notes)
		lt_outf(out, "  … and %" PRIu64 " more\n", v->more_notes);
	lt_outf(out, "\n");
}

static void print_missed(struct lt_out *out, const char *missed, bool quiet)
{
	uint64_t total = 0;

	for (const char *p = missed; p && *p; p = strchr(p, '\n') + 1) {
		char name[64], safe[LT_ESCAPED_SIZE(64)];
		uint64_t n;

		if (sscanf(p, "missed %63s %" SCNu64, name, &n) == 2 && n) {
			lt_outf(out, "missed  %s: %" PRIu64 " times the kernel did not run its "
				"probe; when is not known\n", lt_escape_text(name, safe), n);
			total += n;
		}
		if (!strchr(p, '\n'))
			break;
	}
	if (missed && *missed && !total && !quiet)
		lt_outf(out, "missed  0 probes left out by the kernel\n");
}

static void print_checks(struct lt_out *out, const struct lt_check *checks, unsigned int n,
			 bool quiet)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct lt_check *c = &checks[i];
		const char *word = c->limited ? "LIMIT" : "PASS ";
		char safe[LT_ESCAPED_SIZE(sizeof(c->text))];

		if (!*c->text)
			continue;
		if (c->failures || c->absent)
			word = c->failures ? "FAIL " : "none ";

		if (!quiet || c->failures)
			lt_outf(out, "%s %-13s %s\n", word, c->name, lt_escape_text(c->text, safe));
	}
}

static void print_end(struct lt_out *out, const char *name, const char *where, uint64_t part,
		      const char *does, uint64_t ns)
{
	lt_outf(out, "GAP   %-13s missing %s part %" PRIu64 ", which %s at %" PRIu64 ".%06" PRIu64
		" s\n", name, where, part, does, ns / 1000000000, ns % 1000000000 / 1000);
}

static void print_window_end(struct lt_out *out, const char *where, const char *does, uint64_t ns)
{
	lt_outf(out, "GAP   window        %s at %" PRIu64 ".%06" PRIu64 " s; the rest of the trace %s "
		"that was not read\n", does, ns / 1000000000, ns % 1000000000 / 1000, where);
}

/* Parts before the first one, and behind the last one. */
static void print_ends(struct lt_out *out, const struct lt_verify_ends *e)
{
	char name[64];

	if (e->window) {
		if (e->before)
			print_window_end(out, "before", "begins", e->begin_ns);
		if (e->behind)
			print_window_end(out, "behind", "ends", e->end_ns);
		return;
	}
	if (e->before && e->first > 1)
		snprintf(name, sizeof(name), "parts 0-%" PRIu64, e->first - 1);
	else
		snprintf(name, sizeof(name), "part 0");
	if (e->before)
		print_end(out, name, "before", e->first, "begins", e->begin_ns);
	snprintf(name, sizeof(name), "part %" PRIu64 " on", e->last + 1);
	if (e->behind)
		print_end(out, name, "behind", e->last, "ends", e->end_ns);
}

/* Where parts are missing: the sums close without them. */
static void print_holes(struct lt_out *out, const struct lt_verify_result *v)
{
	for (size_t i = 0; i < v->n_holes; i++) {
		const struct lt_verify_hole *h = &v->holes[i];
		char name[64];

		if (h->behind - h->before > 2)
			snprintf(name, sizeof(name), "parts %" PRIu64 "-%" PRIu64, h->before + 1,
				 h->behind - 1);
		else if (h->behind - h->before == 2)
			snprintf(name, sizeof(name), "part %" PRIu64, h->before + 1);
		else
			snprintf(name, sizeof(name), "not written");
		lt_outf(out, "GAP   %-13s missing between part %" PRIu64 ", until %" PRIu64 ".%06"
			PRIu64 " s, and part %" PRIu64 ", from %" PRIu64 ".%06" PRIu64 " s\n", name,
			h->before, h->from_ns / 1000000000, h->from_ns % 1000000000 / 1000,
			   h->behind, h->to_ns / 1000000000, h->to_ns % 1000000000 / 1000);
	}
}

static bool has_tasks(const struct lt_verify_result *v)
{
	for (size_t i = 0; i < v->n_streams; i++) {
		const struct lt_check_stream *s = v->streams[i];

		if (s && s->present && s->channel == LT_CHANNEL_PID)
			return true;
	}
	return false;
}

/* Prints what the trace proves of tasks and pid numbers. Return: whether all of it holds. */
static bool verify_tasks(struct lt_out *out, const struct lt_verify_view *p)
{
	struct lt_task_proofs t;
	bool good;

	if (lt_verify_tasks(p->file, &t)) {
		lt_outf(out, "FAIL  %-13s the events cannot be read to their end\n", "tasks");
		return false;
	}
	good = lt_task_proofs_good(&t);
	print_checks(out, t.checks, LT_N_TASK_CHECKS, p->quiet);
	for (size_t i = 0; i < t.n_notes; i++)
		lt_outf(out, "  %s\n", t.notes[i]);
	if (t.more_notes)
		lt_outf(out, "  … and %" PRIu64 " more\n", t.more_notes);
	lt_task_proofs_destroy(&t);
	return good;
}

static void print_cut(struct lt_out *out, const struct lt_state_proof *r, bool quiet)
{
	char safe[LT_ESCAPED_SIZE(256)], name[32], alone[80];
	bool good = !r->alone && !r->joined;

	if (r->not_alone)
		snprintf(alone, sizeof(alone), "not compared with the part before it alone");
	else
		snprintf(alone, sizeof(alone), "by the part before it %" PRIu64 " differ",
			 r->alone);
	snprintf(name, sizeof(name), "part %" PRIu64, r->part);
	if (!quiet || !good)
		lt_outf(out, "%s %-13s begins at %" PRIu64 ".%06" PRIu64 " s; its STATE has %"
			PRIu64 " entries: %s, by all parts before it %" PRIu64 " differ\n",
			good ? "PASS " : "FAIL ", name, r->cut_ns / 1000000000,
			r->cut_ns % 1000000000 / 1000, r->objects, alone, r->joined);
	if (r->first && strlen(r->first) < 256)
		lt_outf(out, "  the first difference: %s\n", lt_escape_text(r->first, safe));
}

/* Prints that each part begins with what the parts before it lead to. Return: whether all do. */
static bool verify_state(struct lt_out *out, const struct lt_verify_view *p)
{
	struct lt_state_proofs v;
	bool good = !lt_verify_state(p->file, &v);

	if (!good)
		lt_outf(out, "FAIL  %-13s the events cannot be read to their end\n", "parts");
	good &= lt_state_proofs_good(&v);
	for (size_t i = 0; i < v.n; i++)
		print_cut(out, &v.rows[i], p->quiet);
	lt_state_proofs_destroy(&v);
	return good;
}

bool lt_verify_print(struct lt_out *out, const struct lt_verify_view *p,
		     const struct lt_verify_result *v)
{
	const char *name = lt_file_name(p->file);
	bool good = lt_verify_result_good(v);

	if (!p->quiet)
		lt_outf(out, "%s: %" PRIu64 " bytes, %" PRIu64 " packets, %" PRIu64 " records\n\n",
			name, v->file_size, v->packets, v->records);
	print_checks(out, v->checks, LT_N_CHECKS, p->quiet);
	if (has_tasks(v))
		good &= verify_tasks(out, p);
	print_holes(out, v);
	print_ends(out, &v->ends);
	good &= verify_state(out, p);
	print_missed(out, v->missed, p->quiet);
	if (!p->quiet) {
		lt_outf(out, "\n");
		print_table(out, v, 0, v->n_streams);
		for (size_t n = 0; p->cpus && n < v->n_streams; n++) {
			if (!v->streams[n] || !v->streams[n]->present)
				continue;
			lt_outf(out, "cpu %u%s:\n", v->streams[n]->cpu,
				lt_of_channel(v->streams[n]->channel));
			print_table(out, v, n, n + 1);
		}
	}
	print_notes(out, v);
	if (!p->quiet || !good)
		lt_outf(out, "%s: %s%s%s\n", name, good ? "every invariant holds" :
			   "NOT every invariant holds",
			   v->n_holes || v->ends.before || v->ends.behind ?
			   ", of the parts that are there" : "",
			   v->left_out.packets ? ", up to the limit of --max-size" : "");
	return good;
}

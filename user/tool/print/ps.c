// SPDX-License-Identifier: GPL-2.0
/*
 * The running tasks, and whether the list is proven.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "out/units.h"
#include "print/ps.h"

static void json_row(struct lt_json *j, const struct lt_ps *ps, const struct lt_ps_row *r)
{
	lt_json_object(j, NULL);
	lt_json_u64(j, "pid", r->pid);
	if (ps->threads)
		lt_json_u64(j, "tid", r->tid);
	lt_json_u64(j, "ppid", r->ppid);
	lt_json_u64(j, "uid", r->uid);
	lt_json_text(j, "state", &r->state, 1);
	lt_json_u64(j, "start_ns", r->start_ns);
	lt_json_u64(j, "rss_bytes", r->rss);
	lt_json_str(j, "comm", r->comm);
	lt_json_str(j, "exe", r->exe ? r->exe : "");
	lt_json_bool(j, "proven", ps->proven);
	if (ps->proven)
		lt_json_u64(j, "generation", ps->generation);
	lt_json_line(j);
}

/* A right-aligned text of at least @width characters. */
static void column(struct lt_out *o, const char *text, size_t width)
{
	size_t len = strlen(text);

	while (len++ < width)
		lt_out_char(o, ' ');
	lt_out_str(o, text);
	lt_out_char(o, ' ');
}

static void number(struct lt_out *o, uint64_t v, size_t width)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, v);
	column(o, text, width);
}

static void text_head(struct lt_out *o, bool threads)
{
	column(o, "PID", 7);
	if (threads)
		column(o, "TID", 7);
	column(o, "PPID", 7);
	column(o, "UID", 6);
	column(o, "S", 1);
	column(o, "START", 12);
	column(o, "RSS", 10);
	lt_out_str(o, "COMM             EXE\n");
}

static void text_row(struct lt_out *o, const struct lt_ps *ps, const struct lt_ps_row *r)
{
	char text[32];
	size_t width;

	number(o, r->pid, 7);
	if (ps->threads)
		number(o, r->tid, 7);
	number(o, r->ppid, 7);
	number(o, r->uid, 6);
	lt_out_text(o, &r->state, 1);
	lt_out_char(o, ' ');
	snprintf(text, sizeof(text), "%" PRIu64 ".%02" PRIu64 "s", r->start_ns / 1000000000,
		 r->start_ns / 10000000 % 100);
	column(o, text, 12);
	column(o, lt_human_bytes(r->rss, text, sizeof(text)), 10);
	lt_out_text(o, r->comm, strlen(r->comm));
	if (r->exe) {
		for (width = strlen(r->comm); width < 16; width++)
			lt_out_char(o, ' ');
		lt_out_char(o, ' ');
		lt_out_text(o, r->exe, strlen(r->exe));
	}
	lt_out_char(o, '\n');
}

/* The last line: whether the list is proven. */
static void text_sum(struct lt_out *o, const struct lt_ps *ps)
{
	lt_out_char(o, '\n');
	lt_out_u64(o, ps->n);
	lt_out_str(o, ps->threads ? " threads; " : " processes; ");
	if (ps->proven) {
		lt_out_str(o, "proven: each number is one task (generation ");
		lt_out_u64(o, ps->generation);
		lt_out_str(o, ", ");
		lt_out_u64(o, ps->scans);
		lt_out_str(o, ps->scans == 1 ? " scan)" : " scans)");
	} else {
		lt_out_str(o, "NOT PROVEN: a number may stand for two tasks");
	}
	if (ps->vanished) {
		lt_out_str(o, "; ");
		lt_out_u64(o, ps->vanished);
		lt_out_str(o, " ended while they were read");
	}
	lt_out_str(o, ".\n");
}

void lt_ps_json(struct lt_out *o, const struct lt_ps *ps, const void *const *rows)
{
	struct lt_json j = LT_JSON_INIT(o);

	for (size_t i = 0; i < ps->n; i++)
		json_row(&j, ps, rows[i]);
}

void lt_ps_text(struct lt_out *o, const struct lt_ps *ps, const void *const *rows)
{
	/* A line is a row: the end of a long path is cut. */
	o->cut = true;
	text_head(o, ps->threads);
	for (size_t i = 0; i < ps->n; i++)
		text_row(o, ps, rows[i]);
	lt_out_flush(o);
	o->cut = false;
	text_sum(o, ps);
}

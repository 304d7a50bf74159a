// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks as text for people, one on each line. A line that has too little room lacks columns, which
 * are named below, and the end of its names is cut.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "out/units.h"
#include "out/width.h"
#include "print/tasks.h"
#include "tasks/tree.h"

#define NAMES_LEAST	16	/* characters that names have before a column is left out */

enum column { TASK_START, TASK_TID, TASK_TGID, TASK_PARENT, TASK_LIFETIME, TASK_BIRTH, TASK_END,
	      TASK_CPU, TASK_STATUS, TASK_NAMES, N_COLUMNS };

static const struct {
	const char *header;
	unsigned int width;
	bool left;
} columns[N_COLUMNS] = {
	{ "start [s]", 0, false }, { "tid", 7, false }, { "tgid", 7, false },
	{ "parent", 7, false }, { "lifetime", 10, false }, { "birth", 9, true }, { "end", 9, true },
	{ "cpu", 10, false }, { "status", 14, true }, { "name  program", 0, true },
};

/* What has no room first. */
static const enum column order[] = {
	TASK_BIRTH, TASK_END, TASK_TGID, TASK_CPU, TASK_PARENT, TASK_STATUS, TASK_LIFETIME,
};

/* "  births: lost 3, not watched 1"; nothing for those that the counts of certainties explain. */
static const char *put_causes(struct lt_out *o, const char *what, const uint64_t *n,
			      const char *before)
{
	char line[128];

	for (int i = LT_TASK_WHY_NONE + 1; i < LT_TASK_WHY_NO_EXIT; i++) {
		if (!n[i])
			continue;
		snprintf(line, sizeof(line), "%s%s %s %" PRIu64, before, what,
			 lt_task_cause_text((enum lt_task_cause)i), n[i]);
		lt_out_str(o, line);
		before = ", ";
	}
	return before;
}

/* Why births and ends are uncertain, if some are. */
static void put_reasons(struct lt_out *o, const struct lt_tasks *tb)
{
	uint64_t births[LT_N_TASK_WHYS] = { 0 }, ends[LT_N_TASK_WHYS] = { 0 };
	const char *before = "why:    ";

	for (uint32_t i = 1; i <= lt_tasks_count(tb); i++) {
		births[lt_task_birth_cause(tb, lt_tasks_get(tb, i))]++;
		ends[lt_task_end_cause(tb, lt_tasks_get(tb, i))]++;
	}
	before = put_causes(o, "births", births, before);
	before = put_causes(o, "ends", ends, before);
	if (*before == ',')
		lt_out_char(o, '\n');
}

void lt_tasks_summary(struct lt_out *o, const struct lt_tasks *tb)
{
	const struct lt_task_totals *s = lt_tasks_totals(tb);
	char line[512], a[32], b[32], c[32];

	snprintf(line, sizeof(line), "%s tasks: %s processes, %s threads; %" PRIu64
		 " alive at the end\n",
		 lt_human_count(s->instances, a, sizeof(a)),
		 lt_human_count(s->processes, b, sizeof(b)),
		 lt_human_count(s->threads, c, sizeof(c)), s->alive);
	lt_out_str(o, line);
	snprintf(line, sizeof(line), "births: %" PRIu64 " exact, %" PRIu64 " before, %" PRIu64
		 " uncertain (%" PRIu64 " placeholders)\n", s->birth_is[LT_EXACT],
		 s->birth_is[LT_BEFORE], s->birth_is[LT_UNCERTAIN], s->placeholders);
	lt_out_str(o, line);
	snprintf(line, sizeof(line), "ends:   %" PRIu64 " exact, %" PRIu64 " open, %" PRIu64
		 " bounded, %" PRIu64 " uncertain\n", s->death_is[LT_EXACT],
		 s->death_is[LT_OPEN], s->death_is[LT_BOUNDED], s->death_is[LT_UNCERTAIN]);
	lt_out_str(o, line);
	put_reasons(o, tb);
}

/* Which columns have room: bit n for the column n. */
static unsigned int fit(const struct lt_tasks_view *p)
{
	unsigned int shown = (1U << N_COLUMNS) - 1, used = lt_times_width(&p->times, 6);

	for (unsigned int i = TASK_TID; i < TASK_NAMES; i++)
		used += 2 + columns[i].width;
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (!p->out->width || used + 2 + NAMES_LEAST <= p->out->width)
			break;
		used -= 2 + columns[order[i]].width;
		shown &= ~(1U << order[i]);
	}
	return shown;
}

static void put_cell(const struct lt_tasks_view *p, enum column column, const char *text)
{
	unsigned int width = column == TASK_START ? lt_times_width(&p->times, 6) :
						    columns[column].width;
	size_t len = strlen(text);

	if (column)
		lt_out_str(p->out, "  ");
	if (columns[column].left)
		lt_out_str(p->out, text);
	for (; len < width; len++)
		lt_out_char(p->out, ' ');
	if (!columns[column].left)
		lt_out_str(p->out, text);
}

static void put_names(const struct lt_tasks_view *p, const struct lt_task_inst *t)
{
	char buf[256];
	size_t len;
	const char *s = lt_tasks_name(p->tb, t->comm, &len);

	lt_out_str(p->out, "  ");
	lt_task_out_name(p->out, s, len);
	if (t->file) {
		lt_out_str(p->out, "  ");
		s = lt_tasks_name(p->tb, t->file, &len);
		lt_task_out_name(p->out, s, len);
	}
	if (*lt_task_remarks(t, buf, sizeof(buf))) {
		lt_out_str(p->out, "  (");
		lt_out_str(p->out, buf);
		lt_out_char(p->out, ')');
	}
	lt_out_char(p->out, '\n');
}

static void print_line(const struct lt_tasks_view *p, const struct lt_task_inst *t,
		       unsigned int shown)
{
	const struct lt_task_inst *last = lt_tasks_last(p->tb, t);
	uint64_t lifetime = lt_task_lifetime(p->tb, t) + (last->end - t->end);
	char at[LT_TIME_TEXT], life[32], cpu[32], status[32], tid[16], tgid[16], parent[16] = "-";
	const char *cells[TASK_NAMES];

	snprintf(tid, sizeof(tid), "%u", t->tid);
	snprintf(tgid, sizeof(tgid), "%u", t->tgid);
	if (t->parent)
		snprintf(parent, sizeof(parent), "%u", lt_tasks_get(p->tb, t->parent)->tid);
	cells[TASK_START] = lt_times_text(&p->times, (uint64_t)lt_task_begin_time(p->tb, t), 6, at);
	cells[TASK_TID] = tid;
	cells[TASK_TGID] = tgid;
	cells[TASK_PARENT] = parent;
	cells[TASK_LIFETIME] = lt_human_ns(lifetime, life, sizeof(life));
	cells[TASK_BIRTH] = lt_certainty_name((enum lt_certainty)t->birth_is);
	cells[TASK_END] = lt_certainty_name((enum lt_certainty)last->death_is);
	cells[TASK_CPU] = lt_task_has_usage(t) ?
			  lt_human_ns(lt_task_cpu_time(t), cpu, sizeof(cpu)) : "-";
	cells[TASK_STATUS] = *lt_task_process_status(p->tb, t, status, sizeof(status)) ? status :
			     lt_task_ending_name((enum lt_task_ending)t->ending);
	for (unsigned int i = TASK_START; i < TASK_NAMES; i++) {
		if (shown & 1U << i)
			put_cell(p, (enum column)i, cells[i]);
	}
	put_names(p, t);
}

void lt_tasks_lines(const struct lt_tasks_view *p, const void *const *rows, size_t n)
{
	unsigned int shown = fit(p);
	const char *names[N_COLUMNS];
	size_t left = 0;

	lt_tasks_summary(p->out, p->tb);
	lt_out_char(p->out, '\n');
	/* From here on a line is a row. */
	lt_out_flush(p->out);
	p->out->cut = true;
	for (unsigned int i = TASK_START; i < N_COLUMNS; i++) {
		if (shown & 1U << i)
			put_cell(p, (enum column)i, !i && p->times.base == LT_TIMES_WALL ?
				 "start [UTC]" : columns[i].header);
		else
			names[left++] = columns[i].header;
	}
	lt_out_char(p->out, '\n');
	for (size_t i = 0; i < n; i++)
		print_line(p, rows[i], shown);
	lt_no_room(p->out, 0, p->out->width, names, left);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The columns of lifetrace top, and cells of few characters.
 */
#include <math.h>
#include <stdio.h>

#include "top/columns.h"

/* In the order of enum lt_top_column. */
static const struct {
	const char *name;
	const char *header;
	unsigned int width;
	char key;
} columns[LT_TOP_COLUMNS] = {
	{ "alive_bytes", "ALIVE", 6, 'a' },
	{ "alive", "OBJS", 6, 'o' },
	{ "growth_per_s", "GROW/s", 7, 'g' },
	{ "allocations_per_s", "NEW/s", 5, 'w' },
	{ "frees_per_s", "FREE/s", 6, 'f' },
	{ "p50_ns", "P50", 6, 'm' },
	{ "p99_ns", "P99", 6, 'l' },
	{ "oldest_ns", "OLDEST", 6, 't' },
	{ "name", "", 0, 'e' },
};

/* Those that give way last come first. */
static const enum lt_top_column by_weight[] = {
	LT_TOP_ALIVE, LT_TOP_GROWTH, LT_TOP_NEW, LT_TOP_OLDEST, LT_TOP_P50, LT_TOP_OBJECTS,
	LT_TOP_FREED, LT_TOP_P99,
};

#define NAME_LEAST	13	/* characters, in a narrow terminal … */
#define NAME_WIDE	22	/* … and in one of WIDE characters or more */
#define WIDE		60

const char *lt_top_column_name(unsigned int column)
{
	return columns[column].name;
}

const char *lt_top_column_header(enum lt_top_column column)
{
	return columns[column].header;
}

unsigned int lt_top_column_width(enum lt_top_column column)
{
	return columns[column].width;
}

char lt_top_column_key(enum lt_top_column column)
{
	return columns[column].key;
}

unsigned int lt_top_fit(unsigned int width, unsigned int *name)
{
	unsigned int least = width < WIDE ? NAME_LEAST : NAME_WIDE, used = 0, fit = 0;

	for (size_t i = 0; i < sizeof(by_weight) / sizeof(by_weight[0]); i++) {
		unsigned int more = columns[by_weight[i]].width + 1;

		if (used + more + least > width)
			break;
		used += more;
		fit |= 1U << by_weight[i];
	}
	*name = width - used;
	return fit;
}

/* ------------------------------------------------------------------------
 * Values
 */

static struct lt_top_cell known(double v)
{
	return (struct lt_top_cell){ .v = v, .known = true };
}

static struct lt_top_cell percentile(const struct lt_live *l, const struct lt_live_row *row,
				     double percent)
{
	uint64_t ns;
	bool reached = lt_live_percentile(l, row, percent, &ns);

	return (struct lt_top_cell){ .v = (double)ns, .known = reached || ns, .over = !reached };
}

struct lt_top_cell lt_top_cell(const struct lt_live *l, const struct lt_live_table *t,
			       const struct lt_live_row *row, enum lt_top_column column)
{
	struct lt_top_cell cell = { 0 };

	switch (column) {
	case LT_TOP_ALIVE:
		cell = known((double)(row->alive_bytes + row->maybe_bytes));
		cell.unsure = row->maybe;
		return cell;
	case LT_TOP_OBJECTS:
		cell = known((double)(row->alive + row->maybe));
		cell.unsure = row->maybe;
		return cell;
	case LT_TOP_GROWTH:
		return known(lt_live_growth(t, row));
	case LT_TOP_NEW:
		return known(lt_live_births(t, row));
	case LT_TOP_FREED:
		return known(lt_live_frees(t, row));
	case LT_TOP_P50:
		return percentile(l, row, 50);
	case LT_TOP_P99:
		return percentile(l, row, 99);
	case LT_TOP_OLDEST:
		if (row->oldest <= t->time)
			cell = known((double)(t->time - row->oldest));
		return cell;
	default:
		return cell;
	}
}

/* ------------------------------------------------------------------------
 * Text
 */

/* With a unit of one character, in steps of @step; below the first step whole. */
static const char *scaled(double v, double step, const char *units, char *buf)
{
	size_t unit = 0;

	if (v < 999.5) {
		snprintf(buf, LT_TOP_CELL, "%.0f", v);
		return buf;
	}
	while (v >= 999.5 && units[unit + 1]) {
		v /= step;
		unit++;
	}
	snprintf(buf, LT_TOP_CELL, v < 99.95 ? "%.1f%c" : "%.0f%c", v, units[unit]);
	return buf;
}

const char *lt_top_short_bytes(double bytes, char buf[LT_TOP_CELL])
{
	return scaled(bytes, 1024, " KMGTPE", buf);
}

const char *lt_top_short_count(double n, char buf[LT_TOP_CELL])
{
	return scaled(n, 1000, " kMGTPE", buf);
}

/* Minutes, hours and days with the smaller unit beside them: "2m34s". */
static const char *long_time(double s, char *buf)
{
	static const struct {
		double unit;
		double sub;
		const char *form;
	} forms[] = {
		{ 60, 1, "%.0fm%02.0fs" }, { 3600, 60, "%.0fh%02.0fm" },
		{ 86400, 3600, "%.0fd%02.0fh" },
	};
	size_t i = s < 600 ? 0 : s < 36000 ? 1 : 2;

	if (s >= 600 && s < 3600)
		snprintf(buf, LT_TOP_CELL, "%.0fm", floor(s / 60));
	else if (s >= 36000 && s < 86400)
		snprintf(buf, LT_TOP_CELL, "%.0fh", floor(s / 3600));
	else if (s >= 864000)
		snprintf(buf, LT_TOP_CELL, "%.0fd", floor(s / 86400));
	else
		snprintf(buf, LT_TOP_CELL, forms[i].form, floor(s / forms[i].unit),
			 floor(fmod(s, forms[i].unit) / forms[i].sub));
	return buf;
}

const char *lt_top_short_ns(double ns, char buf[LT_TOP_CELL])
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t unit = 0;

	if (ns >= 99.95e9)
		return long_time(ns / 1e9, buf);
	while (unit < 3 && ns >= 999.5) {
		ns /= 1000;
		unit++;
	}
	snprintf(buf, LT_TOP_CELL, unit && (ns < 9.95 || unit == 3) ? "%.1f%s" : "%.0f%s", ns,
		 units[unit]);
	return buf;
}

const char *lt_top_cell_text(const struct lt_top_cell *cell, enum lt_top_column column,
			     char buf[LT_TOP_CELL])
{
	char text[LT_TOP_CELL];

	if (!cell->known) {
		snprintf(buf, LT_TOP_CELL, "-");
		return buf;
	}
	switch (column) {
	case LT_TOP_ALIVE:
	case LT_TOP_OBJECTS:
		if (column == LT_TOP_ALIVE)
			lt_top_short_bytes(cell->v, text);
		else
			lt_top_short_count(cell->v, text);
		snprintf(buf, LT_TOP_CELL, "%.13s%s", text, cell->unsure ? "~" : "");
		return buf;
	case LT_TOP_GROWTH:
		snprintf(buf, LT_TOP_CELL, "%s%.13s",
			 cell->v >= 0.5 ? "+" : cell->v <= -0.5 ? "-" : "",
			 lt_top_short_bytes(fabs(cell->v), text));
		return buf;
	case LT_TOP_NEW:
	case LT_TOP_FREED:
		return lt_top_short_count(cell->v, buf);
	default:
		snprintf(buf, LT_TOP_CELL, "%s%.13s", cell->over ? ">" : "",
			 lt_top_short_ns(cell->v, text));
		return buf;
	}
}

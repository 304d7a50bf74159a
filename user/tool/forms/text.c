// SPDX-License-Identifier: GPL-2.0
/*
 * The form for people: columns as wide as needed, or, where rows are printed as they come, of fixed
 * width.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "forms/table.h"
#include "out/units.h"
#include "out/width.h"

#define NARROW	28	/* characters to which the first column may be cut */
#define KEPT	3	/* columns that are always printed */

/* A line below a row; the header is the first row. */
struct note {
	size_t row;
	char *text;
};

/* What is kept until the end: the cells of all rows, and the notes. */
struct kept {
	char **cells;
	size_t n_cells;
	size_t cap_cells;
	struct note *notes;
	size_t n_notes;
	size_t cap_notes;
};

static void pad(struct lt_out *o, size_t n)
{
	while (n--)
		lt_out_char(o, ' ');
}

static void print_cell(struct lt_table *t, size_t column, const char *cell, size_t width)
{
	bool left = t->columns[column]->left;
	size_t used = lt_text_width(cell);
	size_t fill = used < width ? width - used : 0;

	pad(t->out, column ? 2 : t->indent);
	if (!left)
		pad(t->out, fill);
	lt_out_str(t->out, cell);
	/* The last column is not padded. */
	if (left && column + 1 < t->n_columns)
		pad(t->out, fill);
}

static void keep(struct lt_table *t, const char *cell)
{
	struct kept *k = t->state;

	k->cells = lt_grow(k->cells, &k->cap_cells, k->n_cells, sizeof(*k->cells));
	k->cells[k->n_cells++] = lt_strdup(cell);
}

/* Of a column that is printed as rows come. */
static size_t width_of(const struct lt_column *c)
{
	size_t header = lt_text_width(c->header), least;

	if (c->width)
		return c->width;
	least = c->type == LT_VALUE_HEX ? 18 : c->left || c->type == LT_VALUE_TIME ||
		c->type == LT_VALUE_INSTANT ? 16 : 10;
	return header > least ? header : least;
}

static void put(struct lt_table *t, size_t column, const char *cell)
{
	if (t->streaming)
		print_cell(t, column, cell, width_of(t->columns[column]));
	else
		keep(t, cell);
}

static void end_row(struct lt_table *t)
{
	if (t->streaming)
		lt_out_char(t->out, '\n');
}

static void begin(struct lt_table *t)
{
	t->state = lt_alloc(sizeof(struct kept));
	for (size_t i = 0; i < t->n_columns; i++)
		put(t, i, t->columns[i]->header);
	end_row(t);
}

static void value(struct lt_table *t, size_t column, const struct lt_value *v)
{
	char cell[LT_VALUE_CELL];

	lt_value_human(v, cell);
	put(t, column, cell);
}

static void note(struct lt_table *t, const char *text)
{
	struct kept *k = t->state;

	if (t->streaming)
		return;
	k->notes = lt_grow(k->notes, &k->cap_notes, k->n_notes, sizeof(*k->notes));
	k->notes[k->n_notes++] = (struct note){
		.row = k->n_cells / t->n_columns - 1, .text = lt_strdup(text),
	};
}

/* Prints the notes of a row, from the note @n on. Return: the first note of a later row. */
static size_t print_notes(struct lt_table *t, size_t row, size_t n)
{
	const struct kept *k = t->state;

	for (; n < k->n_notes && k->notes[n].row == row; n++) {
		char *cut = lt_cut_text(k->notes[n].text, t->max_width && t->cut ?
					t->max_width - t->indent - 2 : SIZE_MAX);

		pad(t->out, t->indent + 2);
		lt_out_text(t->out, cut, strlen(cut));
		lt_out_char(t->out, '\n');
		free(cut);
		free(k->notes[n].text);
	}
	return n;
}

/* Narrows the second column, if it is a name, where the first columns have too little room. */
static void narrow_second(const struct lt_table *t, size_t first, size_t *width)
{
	size_t used = t->indent + first;

	if (!t->cut || t->n_columns < 2 || !t->columns[1]->left)
		return;
	for (size_t i = 1; i < t->n_columns && i < KEPT; i++)
		used += 2 + width[i];
	if (used <= t->max_width)
		return;
	used -= t->max_width;
	width[1] = width[1] > used + NARROW / 2 ? width[1] - used :
		   width[1] < NARROW / 2 ? width[1] : NARROW / 2;
}

/*
 * How many columns are printed. Narrows the first one, if its cells may be cut, down to NARROW
 * before a column is left out.
 */
static size_t fit(const struct lt_table *t, size_t *width)
{
	size_t first = t->cut && width[0] > NARROW ? NARROW : width[0];
	size_t used = t->indent + first, n;

	if (!t->max_width)
		return t->n_columns;
	narrow_second(t, first, width);
	for (n = 1; n < t->n_columns; n++) {
		if (n >= KEPT && used + 2 + width[n] > t->max_width)
			break;
		used += 2 + width[n];
	}
	if (used < t->max_width)
		first += t->max_width - used;
	if (t->cut && width[0] > first)
		width[0] = first;
	return n;
}

/* Which columns have no room, as a last line of the width that there is. */
static void name_left_out(const struct lt_table *t, size_t shown)
{
	const char **names = lt_alloc_array(t->n_columns + 1, sizeof(*names));

	for (size_t i = shown; i < t->n_columns; i++)
		names[i - shown] = t->columns[i]->name[0] ? t->columns[i]->name :
				   t->columns[i]->header;
	lt_no_room(t->out, t->indent, t->max_width, names, t->n_columns - shown);
	free(names);
}

/* Prints the kept cells, and frees them. @width: room for the width of each column, 0 */
static void print_cells(struct lt_table *t, size_t *width)
{
	const struct kept *k = t->state;
	size_t shown, next = 0;

	for (size_t i = 0; i < k->n_cells; i++) {
		size_t n = lt_text_width(k->cells[i]);

		if (n > width[i % t->n_columns])
			width[i % t->n_columns] = n;
	}
	if (t->out->width && !t->max_width) {
		t->max_width = t->out->width;
		t->cut = true;
	}
	shown = fit(t, width);
	for (size_t i = 0; i < k->n_cells; i++) {
		size_t column = i % t->n_columns;
		char *cell = lt_cut_text(k->cells[i], column < 2 ? width[column] : SIZE_MAX);

		if (column < shown)
			print_cell(t, column, cell, width[column]);
		if (column == t->n_columns - 1) {
			lt_out_char(t->out, '\n');
			next = print_notes(t, i / t->n_columns, next);
		}
		free(cell);
		free(k->cells[i]);
	}
	name_left_out(t, shown);
}

static void end(struct lt_table *t)
{
	size_t *width = lt_alloc_array(t->n_columns, sizeof(*width));
	struct kept *k = t->state;

	if (!t->streaming)
		print_cells(t, width);
	free(width);
	free(k->cells);
	free(k->notes);
	free(k);
}

const struct lt_form lt_form_text = {
	.name = "text", .begin = begin, .value = value, .row = end_row, .note = note, .end = end,
};

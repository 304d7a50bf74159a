// SPDX-License-Identifier: GPL-2.0
/*
 * Tables for people, CSV and JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "forms/table.h"
#include "out/log.h"
#include "out/units.h"
#include "out/width.h"

#define CELL	512	/* bytes of a cell for people; longer text is cut */
#define NARROW	28	/* characters to which the first column may be cut */
#define KEPT	3	/* columns that are always printed */

/*
 * Writes the next character of @text to @buf, escaped if necessary. Return: the bytes of @text
 * that it took.
 */
static size_t escape(const char *text, size_t len, bool backslash, char buf[5])
{
	unsigned char c = (unsigned char)*text;
	size_t n = lt_utf8_length((const unsigned char *)text, len);

	if (!n || lt_utf8_control((const unsigned char *)text, len)) {
		snprintf(buf, 5, "\\x%02x", c);
		return 1;
	}
	if (c == '\\' && backslash) {
		strcpy(buf, "\\\\");
		return 1;
	}
	memcpy(buf, text, n);
	buf[n] = 0;
	return n;
}

static bool is_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < 0x20 || c >= 0x7f || c == '"' || c == ',' || c == '\\')
			return false;
	}
	return true;
}

void lt_csv_text(struct lt_out *o, const char *text, size_t len)
{
	char buf[5];

	if (is_plain(text, len)) {
		lt_out_bytes(o, text, len);
		return;
	}
	lt_out_char(o, '"');
	while (len) {
		size_t n = escape(text, len, true, buf);

		if (*text == '"')
			lt_out_char(o, '"');
		lt_out_str(o, buf);
		text += n;
		len -= n;
	}
	lt_out_char(o, '"');
}

struct lt_table_note {
	size_t row;		/* below this one; the header is the first */
	char *text;
};

/* The items of a list: each up to a newline. Return: false: there is none left. */
static bool next_item(const struct lt_value *list, size_t *at, struct lt_value *item)
{
	const char *end;

	if (*at >= list->len)
		return false;
	end = memchr(list->text + *at, '\n', list->len - *at);
	lt_value_text(item, list->text + *at, end ? (size_t)(end - list->text) - *at :
						    list->len - *at);
	*at += item->len + 1;
	return true;
}

/* In JSON an array; else one text, to be freed. */
static char *join_list(const struct lt_value *list, size_t *len)
{
	struct lt_value item;
	size_t at = 0;
	char *text;
	FILE *out = open_memstream(&text, len);

	if (!out)
		lt_die("out of memory");
	while (next_item(list, &at, &item))
		fprintf(out, "%s%.*s", item.text == list->text ? "" : " < ",
			(int)item.len, item.text);
	if (fclose(out))
		lt_die("out of memory");
	return text;
}

static void print_list(struct lt_out *o, enum lt_format format, const struct lt_value *v)
{
	struct lt_value item;
	size_t at = 0, len;
	char *text;

	if (format != LT_FORMAT_JSON) {
		text = join_list(v, &len);
		lt_csv_text(o, text, len);
		free(text);
		return;
	}
	lt_out_char(o, '[');
	while (next_item(v, &at, &item)) {
		if (item.text != v->text)
			lt_out_char(o, ',');
		lt_out_json(o, item.text, item.len);
	}
	lt_out_char(o, ']');
}

static void human_text(const struct lt_value *v, char *cell)
{
	const char *text = v->text;
	size_t len = v->len, at = 0;

	while (len && at < CELL - 5) {
		size_t n = escape(text, len, false, cell + at);

		at += strlen(cell + at);
		text += n;
		len -= n;
	}
	cell[at] = 0;
}

static void human_counts(const struct lt_value *v, char *cell)
{
	char *p = cell;

	for (size_t i = 0; i < v->len && p < cell + CELL - 24; i++)
		p = lt_put_u64(i ? stpcpy(p, ",") : p, v->counts[i]);
	*p = 0;
}

static void human(const struct lt_value *v, char *cell)
{
	switch (v->type) {
	case LT_VALUE_NONE:
		strcpy(cell, "-");
		break;
	case LT_VALUE_COUNT:
		lt_human_count(v->u, cell, CELL);
		break;
	case LT_VALUE_SIGNED:
		*lt_put_s64(cell, v->i) = 0;
		break;
	case LT_VALUE_BYTES:
		lt_human_bytes(v->u, cell, CELL);
		break;
	case LT_VALUE_NS:
		lt_human_ns(v->u, cell, CELL);
		break;
	case LT_VALUE_OVER_NS:
		*lt_put_human_ns(stpcpy(cell, "> "), v->u) = 0;
		break;
	case LT_VALUE_TIME:
		*lt_put_time(cell, v->u) = 0;
		break;
	case LT_VALUE_HEX:
		*lt_put_hex(cell, v->u) = 0;
		break;
	case LT_VALUE_RATE:
		snprintf(cell, CELL, v->d < 100 ? "%.1f/s" : "%.0f/s", v->d);
		break;
	case LT_VALUE_PERCENT:
		snprintf(cell, CELL, "%.1f %%", v->d);
		break;
	case LT_VALUE_TEXT:
	case LT_VALUE_NAME:
	case LT_VALUE_LIST:
		human_text(v, cell);
		break;
	case LT_VALUE_COUNTS:
		human_counts(v, cell);
		break;
	default:
		/* The others were made texts or times, see struct lt_table. */
		snprintf(cell, CELL, "%" PRIu64, v->u);
	}
}

static void number(struct lt_out *o, enum lt_format format, const struct lt_value *v)
{
	char buf[64];

	switch (v->type) {
	case LT_VALUE_SIGNED:
		lt_out_s64(o, v->i);
		break;
	case LT_VALUE_HEX:
		/* Many readers of JSON take numbers as doubles, which cannot hold an address. */
		if (format == LT_FORMAT_JSON)
			lt_out_char(o, '"');
		lt_out_hex(o, v->u);
		if (format == LT_FORMAT_JSON)
			lt_out_char(o, '"');
		break;
	case LT_VALUE_RATE:
	case LT_VALUE_PERCENT:
		snprintf(buf, sizeof(buf), "%.3f", v->d);
		lt_out_str(o, buf);
		break;
	default:
		lt_out_u64(o, v->u);
	}
}

void lt_value_print(struct lt_out *o, enum lt_format format, const struct lt_value *v)
{
	char cell[CELL];

	if (format == LT_FORMAT_TEXT) {
		human(v, cell);
		lt_out_str(o, cell);
	} else if (v->type == LT_VALUE_TEXT) {
		if (format == LT_FORMAT_JSON)
			lt_out_json(o, v->text, v->len);
		else
			lt_csv_text(o, v->text, v->len);
	} else if (v->type == LT_VALUE_LIST) {
		print_list(o, format, v);
	} else if (v->type == LT_VALUE_NONE || v->type == LT_VALUE_OVER_NS) {
		if (format == LT_FORMAT_JSON)
			lt_out_str(o, "null");
	} else {
		number(o, format, v);
	}
}

int lt_value_compare(const struct lt_value *a, const struct lt_value *b)
{
	size_t n;
	int c;

	if (a->type == LT_VALUE_NONE || b->type == LT_VALUE_NONE)
		return (a->type != LT_VALUE_NONE) - (b->type != LT_VALUE_NONE);
	if ((a->type == LT_VALUE_OVER_NS) != (b->type == LT_VALUE_OVER_NS))
		return a->type == LT_VALUE_OVER_NS ? 1 : -1;
	switch (a->type) {
	case LT_VALUE_SIGNED:
		return (a->i > b->i) - (a->i < b->i);
	case LT_VALUE_RATE:
	case LT_VALUE_PERCENT:
		return (a->d > b->d) - (a->d < b->d);
	case LT_VALUE_TEXT:
	case LT_VALUE_LIST:
		n = a->len < b->len ? a->len : b->len;
		c = memcmp(a->text, b->text, n);
		if (c)
			return c < 0 ? -1 : 1;
		return (a->len > b->len) - (a->len < b->len);
	default:
		return (a->u > b->u) - (a->u < b->u);
	}
}

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
	t->cells = lt_grow(t->cells, &t->cap_cells, t->n_cells, sizeof(*t->cells));
	t->cells[t->n_cells++] = lt_strdup(cell);
}

void lt_table_begin(struct lt_table *t)
{
	for (size_t i = 0; i < t->n_columns && t->format != LT_FORMAT_JSON; i++) {
		const struct lt_column *c = t->columns[i];

		if (t->format == LT_FORMAT_CSV) {
			if (i)
				lt_out_char(t->out, ',');
			lt_out_str(t->out, c->name);
		} else if (t->streaming) {
			print_cell(t, i, c->header, c->width);
		} else {
			keep(t, c->header);
		}
	}
	if (t->format == LT_FORMAT_CSV || (t->format == LT_FORMAT_TEXT && t->streaming))
		lt_out_char(t->out, '\n');
}

static void get(const struct lt_table *t, size_t i, const void *row, struct lt_value *v)
{
	if (!t->resolve) {
		v->type = LT_VALUE_NONE;
		t->columns[i]->get(row, t->ctx, v);
		return;
	}
	lt_row_get(t->columns[i], row, t->ctx, v);
	t->resolve(t->resolve_arg, v);
}

void lt_table_json(struct lt_table *t, const void *row)
{
	struct lt_value v;

	for (size_t i = 0; i < t->n_columns; i++) {
		lt_out_str(t->out, i ? ",\"" : "{\"");
		lt_out_str(t->out, t->columns[i]->name);
		lt_out_str(t->out, "\":");
		get(t, i, row, &v);
		lt_value_print(t->out, LT_FORMAT_JSON, &v);
	}
	lt_out_char(t->out, '}');
}

void lt_table_row(struct lt_table *t, const void *row)
{
	struct lt_value v;
	char cell[CELL];

	if (t->format == LT_FORMAT_JSON) {
		lt_table_json(t, row);
		lt_out_char(t->out, '\n');
		return;
	}
	for (size_t i = 0; i < t->n_columns; i++) {
		get(t, i, row, &v);
		if (t->format == LT_FORMAT_CSV) {
			if (i)
				lt_out_char(t->out, ',');
			lt_value_print(t->out, LT_FORMAT_CSV, &v);
			continue;
		}
		human(&v, cell);
		if (t->streaming)
			print_cell(t, i, cell, t->columns[i]->width);
		else
			keep(t, cell);
	}
	if (t->format == LT_FORMAT_CSV || t->streaming)
		lt_out_char(t->out, '\n');
}

void lt_table_note(struct lt_table *t, const char *text)
{
	if (t->format != LT_FORMAT_TEXT || t->streaming)
		return;
	t->notes = lt_grow(t->notes, &t->cap_notes, t->n_notes, sizeof(*t->notes));
	t->notes[t->n_notes++] = (struct lt_table_note){
		.row = t->n_cells / t->n_columns - 1, .text = lt_strdup(text),
	};
}

/* Prints the notes of a row, from the note @n on. Return: the first note of a later row. */
static size_t print_notes(struct lt_table *t, size_t row, size_t n)
{
	for (; n < t->n_notes && t->notes[n].row == row; n++) {
		char *cut = lt_cut_text(t->notes[n].text, t->max_width && t->cut ?
					t->max_width - t->indent - 2 : SIZE_MAX);

		pad(t->out, t->indent + 2);
		lt_out_text(t->out, cut, strlen(cut));
		lt_out_char(t->out, '\n');
		free(cut);
		free(t->notes[n].text);
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
	size_t shown, note = 0;

	for (size_t i = 0; i < t->n_cells; i++) {
		size_t n = lt_text_width(t->cells[i]);

		if (n > width[i % t->n_columns])
			width[i % t->n_columns] = n;
	}
	if (t->out->width && !t->max_width) {
		t->max_width = t->out->width;
		t->cut = true;
	}
	shown = fit(t, width);
	for (size_t i = 0; i < t->n_cells; i++) {
		size_t column = i % t->n_columns;
		char *cell = lt_cut_text(t->cells[i], column < 2 ? width[column] : SIZE_MAX);

		if (column < shown)
			print_cell(t, column, cell, width[column]);
		if (column == t->n_columns - 1) {
			lt_out_char(t->out, '\n');
			note = print_notes(t, i / t->n_columns, note);
		}
		free(cell);
		free(t->cells[i]);
	}
	name_left_out(t, shown);
	free(t->cells);
	free(t->notes);
	t->cells = NULL;
	t->notes = NULL;
	t->n_notes = t->cap_notes = 0;
	t->n_cells = t->cap_cells = 0;
}

void lt_table_end(struct lt_table *t)
{
	size_t *width;

	if (t->format == LT_FORMAT_TEXT && !t->streaming) {
		width = lt_alloc_array(t->n_columns, sizeof(*width));
		print_cells(t, width);
		free(width);
	}
	free(t->owned);
	t->owned = NULL;
}

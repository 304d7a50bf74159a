// SPDX-License-Identifier: GPL-2.0
/*
 * Values as text for people, and as fields of CSV and JSON.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "forms/form.h"
#include "out/log.h"
#include "out/units.h"

#define CELL	LT_VALUE_CELL

static bool is_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < 0x20 || c >= 0x7f || c == '"' || c == ',' || c == '\\')
			return false;
	}
	return true;
}

void lt_value_escaped(struct lt_out *o, const char *text, size_t len, char quote)
{
	char buf[5];

	while (len) {
		size_t n = lt_utf8_escape(text, len, true, buf);

		if (*text == quote)
			lt_out_char(o, quote);
		lt_out_str(o, buf);
		text += n;
		len -= n;
	}
}

char *lt_value_escaped_copy(const char *text, size_t len, size_t *size)
{
	char *copy = lt_alloc(4 * len + 5);

	*size = 0;
	while (len) {
		size_t n = lt_utf8_escape(text, len, true, copy + *size);

		*size += strlen(copy + *size);
		text += n;
		len -= n;
	}
	return copy;
}

void lt_csv_text(struct lt_out *o, const char *text, size_t len)
{
	if (is_plain(text, len)) {
		lt_out_bytes(o, text, len);
		return;
	}
	lt_out_char(o, '"');
	lt_value_escaped(o, text, len, '"');
	lt_out_char(o, '"');
}

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
		size_t n = lt_utf8_escape(text, len, false, cell + at);

		at += strlen(cell + at);
		text += n;
		len -= n;
	}
	cell[at] = 0;
}

static void human_list(const struct lt_value *v, char *cell)
{
	struct lt_value joined;
	size_t len;
	char *text = join_list(v, &len);

	lt_value_text(&joined, text, len);
	human_text(&joined, cell);
	free(text);
}

static void human_counts(const struct lt_value *v, char *cell)
{
	char *p = cell;

	for (size_t i = 0; i < v->len && p < cell + CELL - 24; i++)
		p = lt_put_u64(i ? stpcpy(p, ",") : p, v->counts[i]);
	*p = 0;
}

static bool is_sample(enum lt_value_type type)
{
	return type >= LT_VALUE_NUMBER && type <= LT_VALUE_CHANCE;
}

static void human_sample(const struct lt_value *v, char *cell)
{
	bool is_change = v->type == LT_VALUE_CHANGE || v->type == LT_VALUE_SIZE_CHANGE;
	const char *sign = v->d < 0 ? "-" : is_change && v->d > 0 ? "+" : "";
	double n = fabs(v->d);
	char number[LT_HUMAN];

	if (isnan(n))
		strcpy(number, "-");
	else if (n > 1e18)
		snprintf(number, sizeof(number), "%.3g", n);
	else if (v->type == LT_VALUE_SIZE || v->type == LT_VALUE_SIZE_CHANGE)
		lt_human_bytes((uint64_t)(n + 0.5), number, sizeof(number));
	else if (n < 100 && n != floor(n))
		snprintf(number, sizeof(number), "%.2f", n);
	else
		lt_human_count((uint64_t)(n + 0.5), number, sizeof(number));
	snprintf(cell, CELL, "%s%s", sign, number);
}

static void human_chance(double p, char *cell)
{
	if (isnan(p))
		strcpy(cell, "not tested");
	else
		snprintf(cell, CELL, p < 0.0001 ? "<0.0001 *" :
			 p < LT_SIGNIFICANT ? "%.4f *" : "%.2f  ", p);
}

void lt_value_human(const struct lt_value *v, char cell[LT_VALUE_CELL])
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
	case LT_VALUE_NUMBER:
	case LT_VALUE_CHANGE:
	case LT_VALUE_SIZE:
	case LT_VALUE_SIZE_CHANGE:
		human_sample(v, cell);
		break;
	case LT_VALUE_CHANCE:
		human_chance(v->d, cell);
		break;
	case LT_VALUE_BOOL:
		strcpy(cell, v->u ? "yes" : "no");
		break;
	case LT_VALUE_TEXT:
	case LT_VALUE_NAME:
		human_text(v, cell);
		break;
	case LT_VALUE_LIST:
		human_list(v, cell);
		break;
	case LT_VALUE_COUNTS:
		human_counts(v, cell);
		break;
	default:
		/* The others were made texts or times, see struct lt_table. */
		snprintf(cell, CELL, "%" PRIu64, v->u);
	}
}

void lt_value_number(struct lt_out *o, double d)
{
	char buf[64];

	if (fabs(d) < 1e15 && d == floor(d))
		snprintf(buf, sizeof(buf), "%.0f", d + 0.0);
	else
		snprintf(buf, sizeof(buf), "%.6g", d);
	lt_out_str(o, buf);
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
	case LT_VALUE_NUMBER:
	case LT_VALUE_CHANGE:
	case LT_VALUE_SIZE:
	case LT_VALUE_SIZE_CHANGE:
	case LT_VALUE_CHANCE:
		lt_value_number(o, v->d);
		break;
	case LT_VALUE_BOOL:
		lt_out_str(o, format != LT_FORMAT_JSON ? v->u ? "1" : "0" :
			   v->u ? "true" : "false");
		break;
	default:
		lt_out_u64(o, v->u);
	}
}

void lt_value_print(struct lt_out *o, enum lt_format format, const struct lt_value *v)
{
	char cell[CELL];

	if (format == LT_FORMAT_TEXT) {
		lt_value_human(v, cell);
		lt_out_str(o, cell);
	} else if (v->type == LT_VALUE_TEXT || v->type == LT_VALUE_NAME) {
		if (format == LT_FORMAT_JSON)
			lt_out_json(o, v->text, v->len);
		else
			lt_csv_text(o, v->text, v->len);
	} else if (v->type == LT_VALUE_LIST) {
		print_list(o, format, v);
	} else if (!lt_value_is_known(v)) {
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
	case LT_VALUE_NUMBER:
	case LT_VALUE_CHANGE:
	case LT_VALUE_SIZE:
	case LT_VALUE_SIZE_CHANGE:
	case LT_VALUE_CHANCE:
		return (a->d > b->d) - (a->d < b->d);
	case LT_VALUE_TEXT:
	case LT_VALUE_NAME:
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


enum lt_storage lt_value_storage(enum lt_value_type type)
{
	switch (type) {
	case LT_VALUE_RATE:
	case LT_VALUE_PERCENT:
	case LT_VALUE_NUMBER:
	case LT_VALUE_CHANGE:
	case LT_VALUE_SIZE:
	case LT_VALUE_SIZE_CHANGE:
	case LT_VALUE_CHANCE:
		return LT_STORAGE_REAL;
	case LT_VALUE_HEX:
	case LT_VALUE_SITE:
	case LT_VALUE_FUNCTION:
	case LT_VALUE_CACHE:
	case LT_VALUE_GFP:
	case LT_VALUE_STACK:
	case LT_VALUE_TASK:
	case LT_VALUE_TEXT:
	case LT_VALUE_NAME:
	case LT_VALUE_LIST:
	case LT_VALUE_COUNTS:
		return LT_STORAGE_TEXT;
	default:
		return LT_STORAGE_INT;
	}
}

bool lt_value_is_known(const struct lt_value *v)
{
	return v->type != LT_VALUE_NONE && v->type != LT_VALUE_OVER_NS &&
	       (!is_sample(v->type) || isfinite(v->d));
}

int64_t lt_value_int(const struct lt_value *v)
{
	if (v->type == LT_VALUE_SIGNED)
		return v->i;
	return v->u < INT64_MAX ? (int64_t)v->u : INT64_MAX;
}

void lt_value_string(const struct lt_value *v, struct lt_value_text *t)
{
	char *p;

	t->to_free = NULL;
	switch (v->type) {
	case LT_VALUE_LIST:
		t->to_free = join_list(v, &t->len);
		t->text = t->to_free;
		return;
	case LT_VALUE_HEX:
		*lt_put_hex(t->buf, v->u) = 0;
		break;
	case LT_VALUE_COUNTS:
		t->to_free = lt_alloc(v->len * 21 + 1);
		p = t->to_free;
		for (size_t i = 0; i < v->len; i++)
			p = lt_put_u64(i ? stpcpy(p, ",") : p, v->counts[i]);
		*p = 0;
		t->text = t->to_free;
		t->len = strlen(t->text);
		return;
	default:
		t->text = v->text;
		t->len = v->len;
		return;
	}
	t->text = t->buf;
	t->len = strlen(t->buf);
}

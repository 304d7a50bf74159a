// SPDX-License-Identifier: GPL-2.0
/*
 * The forms JSON and JSON Lines: an object for each row. JSON is one object a line, too, unless the
 * rows stand in an object of the command, as an array.
 */
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "forms/table.h"

/* @j: the writer; @own: that, if it is not the command's. */
struct state {
	struct lt_json *j;
	struct lt_json own;
};

static void begin_lines(struct lt_table *t)
{
	struct state *s = lt_alloc(sizeof(*s));

	s->own = (struct lt_json)LT_JSON_INIT(t->out);
	s->j = &s->own;
	t->state = s;
}

static void begin(struct lt_table *t)
{
	begin_lines(t);
	if (t->json)
		((struct state *)t->state)->j = t->json;
}

static void value(struct lt_table *t, size_t column, const struct lt_value *v)
{
	struct state *s = t->state;

	if (!column && s->j != &s->own)
		lt_json_break(s->j);
	if (!column)
		lt_json_object(s->j, NULL);
	if (!t->leave_out || lt_value_is_known(v))
		lt_value_print(lt_json_value(s->j, t->columns[column]->name), LT_FORMAT_JSON, v);
}

static void row(struct lt_table *t)
{
	struct state *s = t->state;

	if (s->j == &s->own)
		lt_json_line(s->j);
	else
		lt_json_end(s->j);
}

static void end(struct lt_table *t)
{
	free(t->state);
}

const struct lt_form lt_form_json = {
	.name = "json", .begin = begin, .value = value, .row = row, .end = end,
};

const struct lt_form lt_form_jsonl = {
	.name = "jsonl", .begin = begin_lines, .value = value, .row = row, .end = end,
};

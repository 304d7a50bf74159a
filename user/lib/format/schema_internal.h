/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Within the parser of schemas. */
#ifndef LT_FORMAT_SCHEMA_INTERNAL_H
#define LT_FORMAT_SCHEMA_INTERNAL_H

#include "format/schema.h"

/* State of one lt_schema_parse(). */
struct lt_schema_parser {
	struct lt_schema *s;
	struct lt_event_desc *event;	/* the event of the field lines that follow, or NULL */
	const char *where;
	unsigned int line;
};

/* plan.c */

/* Says what is wrong. Return: false. */
bool lt_schema_bad(const struct lt_schema_parser *p, const char *what);

/* Adds the step that decodes a field into its member of struct lt_event, if it has one. */
void lt_schema_add_step(struct lt_event_desc *d, const struct lt_field *f);

/* Plans how records are read, when all lines are parsed. Return: false: it was said why not. */
bool lt_schema_plan(struct lt_schema_parser *p);

#endif /* LT_FORMAT_SCHEMA_INTERNAL_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the tables of format-tables.rst from the schema. `make -C Documentation
 * tables` runs it; the tests check that the file in the tree is what it prints.
 */
#include <stddef.h>
#include <stdio.h>

#include "uapi/lifetrace.h"

static void heading(const char *text, char line)
{
	const char *p;

	printf("\n%s\n", text);
	for (p = text; *p; p++)
		putchar(line);
	printf("\n\n");
}

static void list_table(const char *widths, const char *columns)
{
	printf(".. list-table::\n   :header-rows: 1\n   :widths: %s\n\n   %s\n", widths, columns);
}

static void row(const char *first)
{
	printf("   * - %s\n", first);
}

static void cell(const char *text)
{
	printf("     - %s\n", *text ? text : "\\ ");
}

static void number_cell(size_t n)
{
	printf("     - %zu\n", n);
}

static void print_classes(void)
{
	const char *channel;
	char number[16];

	heading("Classes", '-');
	list_table("10 10 25 55",
		   "* - number\n     - channel\n     - name\n     - what is counted");
#define PRINT_CLASS(num, NAME, name, text)		\
	snprintf(number, sizeof(number), "%d", num);	\
	row(number);					\
	cell(channel);					\
	cell(#name);					\
	cell(text);
#define PRINT_CLASSES(channel_number, NAME, name)	\
	channel = #name;				\
	LT_##NAME##_CLASSES(PRINT_CLASS)
	LT_CHANNELS(PRINT_CLASSES)
}

static const char *class_name(unsigned int class)
{
	static const char *const names[] = {
#define CLASS_NAME(num, NAME, name, text)	[num] = #name,
		LT_CLASSES(CLASS_NAME)
	};

	return class < sizeof(names) / sizeof(names[0]) ? names[class] : "\\-";
}

#define PRINT_EVENT(CHANNEL, id, NAME, name, CLASS, text)	\
	snprintf(number, sizeof(number), "%d", id);		\
	row(number);						\
	cell(#name);						\
	number_cell(sizeof(struct lt_rec_##NAME));		\
	cell(class_name(LT_CLASS_##CLASS));			\
	cell(text);

static void overview_begin(const char *channel)
{
	char title[80];

	snprintf(title, sizeof(title), "Events of the channel %s", channel);
	heading(title, '-');
	list_table("8 25 12 20 35",
		   "* - id\n     - name\n     - payload, bytes\n     - class\n     - meaning");
}

static void print_overviews(void)
{
	char number[16];

#define PRINT_OVERVIEW(channel_number, NAME, name)	\
	overview_begin(#name);				\
	LT_##NAME##_EVENTS(PRINT_EVENT)
	LT_CHANNELS(PRINT_OVERVIEW)
}

static void fields_begin(const char *channel)
{
	char title[80];

	snprintf(title, sizeof(title), "Fields, channel %s", channel);
	heading(title, '-');
	printf("Offsets are in bytes from the start of the payload.\n");
}

/* Titles are the anchors of the document: those of channels after the first name theirs. */
static void event_begin(unsigned int channel, const char *channel_name, unsigned int id,
			const char *name)
{
	char title[80];

	if (channel == 1)
		snprintf(title, sizeof(title), "Event %u: %s", id, name);
	else
		snprintf(title, sizeof(title), "Event of %s %u: %s", channel_name, id, name);
	heading(title, '~');
}

static void print_fields(void)
{
	const char *channel;

#define PRINT_FIELD(type, name, kind, text)			\
	row(#name);						\
	cell(#type);						\
	cell(#kind);						\
	number_cell(offsetof(__typeof__(*rec), name));		\
	cell(text);
#define PRINT_FIELDS(CHANNEL, id, NAME, name, CLASS, text)		\
	do {								\
		const struct lt_rec_##NAME *rec = NULL;			\
									\
		(void)rec;						\
		event_begin(LT_CHANNEL_##CHANNEL, channel, id, #name);	\
		printf("%s.\n\n", text);				\
		list_table("20 12 12 10 46", "* - field\n     - type\n     - kind\n" \
			   "     - offset\n     - meaning");		\
		LT_FIELDS_##NAME(PRINT_FIELD)				\
	} while (0);
#define PRINT_CHANNEL(channel_number, NAME, name)			\
	channel = #name;						\
	fields_begin(channel);						\
	LT_##NAME##_EVENTS(PRINT_FIELDS)
	LT_CHANNELS(PRINT_CHANNEL)
}

int main(void)
{
	printf(".. SPDX-License-Identifier: GPL-2.0\n"
	       ".. Generated from uapi/lifetrace_schema.h by tables.c; do not edit.\n");
	print_classes();
	print_overviews();
	print_fields();
	return 0;
}

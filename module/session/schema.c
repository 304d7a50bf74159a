// SPDX-License-Identifier: GPL-2.0
/*
 * The text of the file "schema", generated from the tables of uapi/.
 */
#include <linux/seq_file.h>
#include <linux/stddef.h>
#include <linux/tracepoint.h>
#include <trace/events/mmflags.h>

#include "uapi/lifetrace.h"
#include "session/schema.h"

/* Names of allocation flags; which bit is which differs between kernels. */
static const struct trace_print_flags gfp_names[] = {
	__def_gfpflag_names
};

#define SHOW_CLASS(num, NAME, name, text)				\
	seq_printf(m, "class %u %s %s\n", num, #name, text);

#define SHOW_EVENT(CHANNEL, id, NAME, name, CLASS, text)		\
	seq_printf(m, "event %u %u %s %s %zu %s\n", LT_CHANNEL_##CHANNEL, id, #name, \
		   class_name(LT_CLASS_##CLASS), sizeof(struct lt_rec_##NAME), text); \
	show_fields_##NAME(m);

#define DEFINE_CLASS_NAME(num, NAME, name, text)	[num] = #name,

static const char *class_name(unsigned int class)
{
	static const char * const names[] = { LT_CLASSES(DEFINE_CLASS_NAME) };

	return class < ARRAY_SIZE(names) && names[class] ? names[class] : "-";
}

/* One function an event: the field macro needs a pointer to the event's struct. */
#define SHOW_FIELD(type, name, kind, text)				\
	seq_printf(m, "field %s %s %s %zu %s\n", #name, #type, #kind,	\
		   offsetof(typeof(*rec), name), text);
#define DEFINE_SHOW_FIELDS(CHANNEL, id, NAME, name, CLASS, text)	\
static void show_fields_##NAME(struct seq_file *m)			\
{									\
	const struct lt_rec_##NAME *rec = NULL;			\
									\
	LT_FIELDS_##NAME(SHOW_FIELD)					\
}
LT_EVENTS(DEFINE_SHOW_FIELDS)

/* One function a channel, so that none grows with the number of channels. */
#define DEFINE_SHOW_CHANNEL(number, NAME, name)				\
static void show_channel_##name(struct seq_file *m)			\
{									\
	seq_printf(m, "channel %u %s\n", number, #name);		\
	LT_##NAME##_CLASSES(SHOW_CLASS)					\
	LT_##NAME##_EVENTS(SHOW_EVENT)					\
}
LT_CHANNELS(DEFINE_SHOW_CHANNEL)

#define SHOW_CHANNEL(number, NAME, name)	show_channel_##name(m);

/**
 * lt_schema_show() - the text of the file "schema"
 * @m: where to
 *
 * Its format is in Documentation/format.rst.
 */
void lt_schema_show(struct seq_file *m)
{
	size_t i;

	seq_printf(m, "lifetrace-schema %u.%u\n", LT_VERSION_MAJOR, LT_VERSION_MINOR);
	LT_CHANNELS(SHOW_CHANNEL)
	for (i = 0; i < ARRAY_SIZE(gfp_names); i++)
		if (gfp_names[i].name)
			seq_printf(m, "gfp 0x%lx %s\n", gfp_names[i].mask, gfp_names[i].name);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The texts of a trace, as the module prints them: module/session/schema.c, show.c.
 */
#include <inttypes.h>

#include "encode/texts.h"
#include "format/channel.h"
#include "format/schema.h"

/* ------------------------------------------------------------------------
 * SCHEMA
 */

static const char *class_name(unsigned int class)
{
	const char *name = lt_class_id_name(class);

	return name ? name : "-";
}

#define CLASS_LINE(num, NAME, name, text)					\
	lt_str_add(t, "class %u %s %s\n", num, #name, text);

#define FIELD_LINE(type, name, kind, text)					\
	lt_str_add(t, "field %s %s %s %zu %s\n", #name, #type, #kind,		\
		   offsetof(rec, name), text);

/* One function an event: offsetof() needs its struct by one name. */
#define EVENT_FIELDS(CHANNEL, id, NAME, name, CLASS, text)			\
	static void fields_of_##NAME(struct lt_str *t)				\
	{									\
		typedef struct lt_rec_##NAME rec;				\
										\
		LT_FIELDS_##NAME(FIELD_LINE)					\
	}

LT_EVENTS(EVENT_FIELDS)

#define EVENT_LINES(CHANNEL, id, NAME, name, CLASS, text)			\
	lt_str_add(t, "event %u %u %s %s %zu %s\n", LT_CHANNEL_##CHANNEL, id, #name,	\
		   class_name(LT_CLASS_##CLASS), sizeof(struct lt_rec_##NAME), text);	\
	fields_of_##NAME(t);

#define CHANNEL_LINES(number, NAME, name)					\
	static void lines_of_##name(struct lt_str *t)				\
	{									\
		lt_str_add(t, "channel %u %s\n", number, #name);		\
		LT_##NAME##_CLASSES(CLASS_LINE)					\
		LT_##NAME##_EVENTS(EVENT_LINES)					\
	}

LT_CHANNELS(CHANNEL_LINES)

void lt_encode_schema(struct lt_str *t, unsigned int channels, const struct lt_encode_gfp *gfp,
		      size_t n)
{
#define CHANNEL(number, NAME, name)						\
	if (!channels || channels & 1U << (number))				\
		lines_of_##name(t);

	lt_str_add(t, "lifetrace-schema %u.%u\n", LT_VERSION_MAJOR, LT_VERSION_MINOR);
	LT_CHANNELS(CHANNEL)
#undef CHANNEL
	for (size_t i = 0; i < n; i++)
		lt_str_add(t, "gfp 0x%" PRIx64 " %s\n", gfp[i].mask, gfp[i].name);
}

/* ------------------------------------------------------------------------
 * INFO
 */

static void add_number(struct lt_str *t, const char *prefix, const char *key, uint64_t value)
{
	lt_str_add(t, "%s%s=%" PRIu64 "\n", prefix, key, value);
}

static void add_machine(struct lt_str *t, const struct lt_encode_info *i)
{
	const struct lt_encode_machine *m = i->machine;

	lt_str_add(t, "abi_version=%u.%u\n", LT_VERSION_MAJOR, LT_VERSION_MINOR);
	lt_str_add(t, "kernel_release=%s\n", i->kernel_release);
	lt_str_add(t, "kernel_version=%s\n", i->kernel_version);
	lt_str_add(t, "machine=%s\nbyte_order=%s\n", i->machine_name, m->big ? "big" : "little");
	add_number(t, "", "size_long", m->size_long);
	add_number(t, "", "size_ptr", m->size_ptr);
	add_number(t, "", "page_shift", m->page_shift);
	if (i->has_linear_base)
		lt_str_add(t, "linear_base=0x%" PRIx64 "\n", i->linear_base);
	lt_str_add(t, "clock=%s\n", i->clock);
	add_number(t, "", "clock_freq", i->clock_freq);
	lt_str_add(t, "text_base=0x%" PRIx64 "\nptr_base=0x%" PRIx64 "\n", m->text_base,
		   m->ptr_base);
}

static void add_buffers(struct lt_str *t, const struct lt_encode_info *i, unsigned int channel)
{
	const char *prefix = lt_channel_get(channel)->stats_prefix;

	add_number(t, prefix, "subbuf_size", i->packet_size[channel]);
	add_number(t, prefix, "n_subbufs", i->n_packets[channel]);
}

/* The keys of the first channel have no prefix, and stand before the others. */
static void add_channels(struct lt_str *t, const struct lt_encode_info *i)
{
	add_buffers(t, i, LT_CHANNEL_KMEM);
	lt_str_add(t, "channels=%s", lt_channel_name(LT_CHANNEL_KMEM));
	for (unsigned int c = LT_CHANNEL_KMEM + 1; c <= LT_N_CHANNELS; c++) {
		if (i->channels & 1U << c)
			lt_str_add(t, ",%s", lt_channel_name(c));
	}
	lt_str_put(t, "\n");
	for (unsigned int c = LT_CHANNEL_KMEM + 1; c <= LT_N_CHANNELS; c++) {
		if (i->channels & 1U << c)
			add_buffers(t, i, c);
	}
	if (i->channels & 1U << LT_CHANNEL_PID)
		add_number(t, "", "pid_gen_exact", i->pid_gen_exact);
	if (i->channels & 1U << LT_CHANNEL_SYSCALL)
		add_number(t, "", "call_texts", i->call_texts);
}

void lt_encode_info(struct lt_str *t, const struct lt_encode_info *i)
{
	add_machine(t, i);
	add_channels(t, i);
	lt_str_add(t, "mode=%s\n", i->mode);
	add_number(t, "", "min_size", i->min_size);
	add_number(t, "", "sample", i->sample);
	add_number(t, "", "flush_ms", i->flush_ms);
	add_number(t, "", "session", i->machine->session);
	add_number(t, "", "late_free", i->late_free);
	add_number(t, "", "cache_names", i->cache_names);
	add_number(t, "", "stacks", i->stacks);
	add_number(t, "", "stack_min", i->stack_min);
	add_number(t, "", "stack_depth", i->stack_depth);
	add_number(t, "", "stacks_free", i->stacks_free);
	add_number(t, "", "page_stacks", i->page_stacks);
}

/* ------------------------------------------------------------------------
 * EVENTS, CLOCK, STATS
 */

void lt_encode_event_line(struct lt_str *t, const char *name, const char *kind,
			  const char *reason)
{
	lt_str_add(t, "%s\t%s\t%s\t%s\n", name, kind, reason ? "not watched" : "watched",
		   reason ? reason : "-");
}

void lt_encode_clock(struct lt_str *t, const struct lt_encode_clocks *c)
{
	lt_str_add(t, "clock=%" PRIu64 " realtime=%" PRIu64 " boottime=%" PRIu64 " monotonic=%"
		   PRIu64 " raw=%" PRIu64 " took=%" PRIu64 " kept=0\n", c->clock, c->realtime,
		   c->boottime, c->monotonic, c->raw, c->took);
}

void lt_encode_stats(struct lt_str *t, const char *state, uint64_t stopped)
{
	lt_str_add(t, "state %s\n", state);
	if (stopped)
		lt_str_add(t, "stopped %" PRIu64 "\n", stopped);
}

void lt_encode_stream_stats(struct lt_str *t, const struct lt_encoder *e)
{
	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		const struct lt_class_counts *c = &e->counts[i];

		if (c->seen)
			lt_str_add(t, "cpu %u class %s seen %" PRIu64 " lost_full %" PRIu64
				   " lost_nmi %" PRIu64 " lost_nested %" PRIu64 " lost_nobuf %"
				   PRIu64 " filtered %" PRIu64 "\n", e->cpu,
				   class_name(LT_CLASS(e->channel, i)), (uint64_t)c->seen,
				   (uint64_t)c->lost_full, (uint64_t)c->lost_nmi,
				   (uint64_t)c->lost_nested, (uint64_t)c->lost_nobuf,
				   (uint64_t)c->filtered);
	}
	lt_str_add(t, "cpu %u %spackets %" PRIu64 "\n", e->cpu,
		   lt_channel_get(e->channel)->stats_prefix, e->seq);
}

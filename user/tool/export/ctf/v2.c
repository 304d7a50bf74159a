// SPDX-License-Identifier: GPL-2.0
/*
 * The metadata of CTF 2: a sequence of JSON objects, each after a record separator.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "export/ctf/ctf.h"

#define SEPARATOR	0x1e

static void write_string(FILE *out, const char *text)
{
	putc('"', out);
	for (; text && *text; text++) {
		if (*text != '"' && *text != '\\' && (unsigned char)*text >= ' ' &&
		    (unsigned char)*text < 0x7f)
			putc(*text, out);
	}
	putc('"', out);
}

/**
 * struct member - a member of a structure field class
 * @bits: size in bits
 * @align: alignment in bits
 * @role: role of the field in CTF; NULL: none
 */
struct member {
	const char *name;
	unsigned int bits;
	unsigned int align;
	bool is_signed;
	const char *base;
	const char *role;
};

static void write_class(FILE *out, const struct lt_ctf_machine *mach, const struct member *m)
{
	fprintf(out, "{\"type\":\"fixed-length-%s-integer\",\"length\":%u,\"byte-order\":\"%s\",\"alignment\":%u",
		m->is_signed ? "signed" : "unsigned", m->bits,
		mach->big ? "big-endian" : "little-endian", m->align);
	if (m->base && !strcmp(m->base, "hexadecimal"))
		fprintf(out, ",\"preferred-display-base\":16");
	if (m->role)
		fprintf(out, ",\"roles\":[\"%s\"]", m->role);
	fprintf(out, "}");
}

static void write_members(FILE *out, const struct lt_ctf_machine *mach, const struct member *m,
			  size_t n)
{
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%s{\"name\":\"%s\",\"field-class\":", i ? "," : "", m[i].name);
		write_class(out, mach, &m[i]);
		fprintf(out, "}");
	}
}

#define N(array)	(sizeof(array) / sizeof((array)[0]))

static void write_trace_class(FILE *out, const struct lt_export *e,
			      const struct lt_ctf_machine *mach)
{
	static const struct member header[] = {
		{ "magic", 32, 8, false, "hexadecimal", "packet-magic-number" },
		{ "stream_id", 8, 8, false, NULL, "data-stream-class-id" },
	};

	fprintf(out, "%c{\"type\":\"trace-class\",\"environment\":{\"domain\":\"kernel\",\"sysname\":\"Linux\",\"tracer_name\":\"lifetrace\",\"hostname\":",
		SEPARATOR);
	write_string(out, lt_trace_info(e->trace, "hostname"));
	fprintf(out, ",\"kernel_release\":");
	write_string(out, lt_trace_info(e->trace, "kernel_release"));
	fprintf(out, ",\"text_base\":\"0x%" PRIx64 "\",\"ptr_base\":\"0x%" PRIx64 "\"",
		mach->text_base, mach->ptr_base);
	fprintf(out, "},\"packet-header-field-class\":{\"type\":\"structure\",\"member-classes\":[");
	write_members(out, mach, header, N(header));
	fprintf(out, "]}}\n");
}

static void write_clock_class(FILE *out, const struct lt_ctf_clock *c)
{
	fprintf(out, "%c{\"type\":\"clock-class\",\"id\":\"%s\",\"name\":\"%s\",\"frequency\":%"
		PRIu64 ",\"offset-from-origin\":{\"seconds\":%" PRIu64 ",\"cycles\":%" PRIu64
		"},\"origin\":\"unix-epoch\"}\n", SEPARATOR, c->name, c->name, c->freq,
		c->offset_s, c->offset);
}

/* The event with the counters of a packet. */
static void write_counters(FILE *out, const struct lt_export *e, unsigned int channel,
			   const struct lt_ctf_machine *mach)
{
	static const struct member counts[] = {
		{ "seen", 64, 8, false, NULL, NULL },
		{ "lost_full", 64, 8, false, NULL, NULL },
		{ "lost_nmi", 64, 8, false, NULL, NULL },
		{ "lost_nested", 64, 8, false, NULL, NULL },
		{ "lost_nobuf", 64, 8, false, NULL, NULL },
		{ "filtered", 64, 8, false, NULL, NULL },
	};
	static const struct member rest[] = {
		{ "version_major", 8, 8, false, NULL, NULL },
		{ "version_minor", 8, 8, false, NULL, NULL },
		{ "page_shift", 8, 8, false, NULL, NULL },
		{ "header_size", 16, 8, false, NULL, NULL },
		{ "flags", 16, 8, false, NULL, NULL },
		{ "size_long", 8, 8, false, NULL, NULL },
		{ "size_ptr", 8, 8, false, NULL, NULL },
		{ "size_pid", 8, 8, false, NULL, NULL },
		{ "size_gfp", 8, 8, false, NULL, NULL },
		{ "n_classes", 32, 8, false, NULL, NULL },
		{ "text_base", 64, 8, false, "hexadecimal", NULL },
		{ "ptr_base", 64, 8, false, "hexadecimal", NULL },
		{ "session", 64, 8, false, "hexadecimal", NULL },
	};
	char buf[32];

	fprintf(out, "%c{\"type\":\"event-record-class\",\"data-stream-class-id\":%u,\"id\":%u,"
		"\"name\":\"" LT_CTF_COUNTERS_NAME "\",\"payload-field-class\":{\"type\":\"structure\","
		"\"member-classes\":[", SEPARATOR, channel, LT_CTF_COUNTERS);
	write_members(out, mach, rest, N(rest));
	for (uint32_t i = 0; i < mach->counts; i++) {
		fprintf(out, ",{\"name\":\"%s\",\"field-class\":{\"type\":\"structure\","
			"\"member-classes\":[",
			lt_ctf_class_name(e->schema, channel, i, buf, sizeof(buf)));
		write_members(out, mach, counts, N(counts));
		fprintf(out, "]}}");
	}
	if (mach->extra)	/* bytes of a newer minor version */
		fprintf(out, ",{\"name\":\"newer\",\"field-class\":{\"type\":\"static-length-blob\",\"length\":%u}}",
			mach->extra);
	fprintf(out, "]}}\n");
}

/* The types that name callers and caches. */
static void write_aliases(FILE *out, const struct lt_ctf_machine *mach)
{
	for (int i = 0; i < LT_N_CTF_NAMINGS; i++) {
		const struct lt_ctf_name *name = mach->names.names[i];
		const char *between = "";

		if (mach->names.seen[i].n < 2)
			continue;
		fprintf(out, "%c{\"type\":\"field-class-alias\",\"name\":\"%s\",\"field-class\":"
			"{\"type\":\"fixed-length-unsigned-integer\",\"length\":%u,\"byte-order\":\"%s\","
			"\"alignment\":8,\"preferred-display-base\":%u,\"mappings\":{", SEPARATOR,
			lt_ctf_naming_type((enum lt_ctf_naming)i),
			lt_ctf_naming_bits((enum lt_ctf_naming)i),
			mach->big ? "big-endian" : "little-endian",
			i == LT_CTF_CACHE || i == LT_CTF_STACK ? 10 : 16);
		for (uint32_t k = 1; k < mach->names.seen[i].n; k++) {
			if (!name[k].label)
				continue;
			fputs(between, out);
			write_string(out, name[k].label);
			fprintf(out, ":[[%" PRIu64 ",%" PRIu64 "]]", name[k].raw, name[k].raw);
			between = ",";
		}
		fprintf(out, "}}}\n");
	}
}

static void write_packet_context(FILE *out, const struct lt_ctf_machine *mach)
{
	static const struct member context[] = {
		{ "cpu_id", 32, 8, false, NULL, NULL },
		{ "packet_seq_num", 64, 8, false, NULL, "packet-sequence-number" },
		{ "timestamp_begin", 64, 8, false, NULL, "default-clock-timestamp" },
		{ "timestamp_end", 64, 8, false, NULL, "packet-end-default-clock-timestamp" },
		{ "content_size", 64, 8, false, NULL, "packet-content-length" },
		{ "packet_size", 64, 8, false, NULL, "packet-total-length" },
		{ "events_discarded", 64, 8, false, NULL,
		  "discarded-event-record-counter-snapshot" },
	};
	fprintf(out, "\"packet-context-field-class\":{\"type\":\"structure\",\"member-classes\":[");
	write_members(out, mach, context, N(context));
	fprintf(out, "]}");
}

static void write_record_header(FILE *out, const struct lt_ctf_machine *mach)
{
	static const struct member compact[] = {
		{ "timestamp", 24, 1, false, NULL, "default-clock-timestamp" },
	};
	static const struct member extended[] = {
		{ "id", 16, 8, false, NULL, "event-record-class-id" },
		{ "timestamp", 64, 8, false, NULL, "default-clock-timestamp" },
	};
	static const struct member id = { "id", 6, 1, false, NULL, "event-record-class-id" };
	static const struct member context = { "context", 2, 1, false, NULL, NULL };

	fprintf(out, "\"event-record-header-field-class\":{\"type\":\"structure\",\"minimum-alignment\":8,\"member-classes\":[");
	write_members(out, mach, &id, 1);
	fprintf(out, ",{\"name\":\"v\",\"field-class\":{\"type\":\"variant\",\"selector-field-location\":{\"origin\":\"event-record-header\",\"path\":[\"id\"]},\"options\":[");
	fprintf(out, "{\"name\":\"compact\",\"selector-field-ranges\":[[0,62]],\"field-class\":{\"type\":\"structure\",\"member-classes\":[");
	write_members(out, mach, compact, N(compact));
	fprintf(out, "]}},{\"name\":\"extended\",\"selector-field-ranges\":[[63,63]],\"field-class\":{\"type\":\"structure\",\"member-classes\":[");
	write_members(out, mach, extended, N(extended));
	fprintf(out, "]}}]}}]},\"event-record-common-context-field-class\":{\"type\":\"structure\",\"member-classes\":[");
	write_members(out, mach, &context, 1);
	fprintf(out, "]}");
}

static void write_field(FILE *out, const struct lt_ctf_machine *mach, const struct lt_field *f)
{
	struct member m = { f->name, f->size * 8, 8, f->type == LT_TYPE_SINT, lt_ctf_base(f),
			    NULL };

	enum lt_ctf_naming naming = lt_ctf_naming(&mach->names, f);

	fprintf(out, "{\"name\":\"%s\",\"field-class\":", f->name);
	if (f->count > 1)
		fprintf(out, "{\"type\":\"static-length-array\",\"length\":%u,\"element-field-class\":",
			f->count);
	if (naming != LT_CTF_NO_NAMING)
		fprintf(out, "\"%s\"", lt_ctf_naming_type(naming));
	else if (f->type == LT_TYPE_CHARS)
		fprintf(out, "{\"type\":\"static-length-string\",\"length\":%u}", f->size);
	else
		write_class(out, mach, &m);
	fprintf(out, f->count > 1 ? "}}" : "}");
}

static void write_stack(FILE *out, const struct lt_ctf_machine *mach, bool others)
{
	static const struct member number = { LT_CTF_STACK_FIELD, 32, 8, false, NULL, NULL };

	if (others)
		putc(',', out);
	if (mach->names.seen[LT_CTF_STACK].n > 1)
		fprintf(out, "{\"name\":\"" LT_CTF_STACK_FIELD "\",\"field-class\":\"%s\"}",
			lt_ctf_naming_type(LT_CTF_STACK));
	else
		write_members(out, mach, &number, 1);
}

static void write_event(FILE *out, const struct lt_ctf_machine *mach,
			const struct lt_event_desc *d)
{
	uint32_t at = 0;

	fprintf(out, "%c{\"type\":\"event-record-class\",\"data-stream-class-id\":%u,\"id\":%u,\"name\":",
		SEPARATOR, d->channel, LT_EV_ID(d->id));
	write_string(out, lt_ctf_event_name(d->name));
	fprintf(out, ",\"payload-field-class\":{\"type\":\"structure\",\"member-classes\":[");
	for (unsigned int i = 0; i < d->n_fields; i++) {
		const struct lt_field *f = &d->fields[i];

		if (f->offset > at)
			fprintf(out, "{\"name\":\"unnamed_%u\",\"field-class\":{\"type\":\"static-length-blob\",\"length\":%u}},",
				at, f->offset - at);
		write_field(out, mach, f);
		at = f->offset + lt_field_bytes(f);
		if (i + 1 < d->n_fields)
			putc(',', out);
	}
	if (at < d->size)
		fprintf(out, "%s{\"name\":\"unnamed_%u\",\"field-class\":{\"type\":\"static-length-blob\",\"length\":%u}}",
			at ? "," : "", at, d->size - at);
	if (mach->stacked[d->id])
		write_stack(out, mach, d->size > 0);
	fprintf(out, "]}}\n");
}

static void write_stream(FILE *out, unsigned int channel, const struct lt_ctf_machine *m,
			 const char *clock)
{
	fprintf(out, "%c{\"type\":\"data-stream-class\",\"id\":%u,\"name\":\"%s\",\"default-clock-class-id\":\"%s\",",
		SEPARATOR, channel, lt_channel_name(channel), clock);
	write_packet_context(out, m);
	putc(',', out);
	write_record_header(out, m);
	fprintf(out, "}\n");
}

void lt_ctf_v2_write(FILE *out, const struct lt_export *e, const struct lt_ctf_machine *m)
{
	struct lt_ctf_clock clock;

	lt_ctf_read_clock(&clock, e->trace);
	fprintf(out, "%c{\"type\":\"preamble\",\"version\":2}\n", SEPARATOR);
	write_trace_class(out, e, m);
	write_clock_class(out, &clock);
	write_aliases(out, m);
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		if (lt_ctf_has_stream(e->schema, channel))
			write_stream(out, channel, m, clock.name);
	}
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		if (lt_ctf_has_stream(e->schema, channel))
			write_counters(out, e, channel, m);
	}
	for (unsigned int id = 0; id < LT_SCHEMA_IDS; id++) {
		const struct lt_event_desc *d = lt_schema_event(e->schema, id);

		if (d && !d->full)	/* short forms are not exported */
			write_event(out, m, d);
	}
}

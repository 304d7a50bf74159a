// SPDX-License-Identifier: GPL-2.0
/*
 * The metadata of CTF 1.8, in TSDL.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "export/ctf/describe.h"

/**
 * struct v1 - the metadata under way
 * @indent: of fields
 */
struct v1 {
	FILE *out;
	struct lt_ctf_clock clock;
	const char *indent;
};

/* A string literal, without the characters that could end it. */
static void write_string(FILE *out, const char *text)
{
	putc('"', out);
	for (; text && *text; text++) {
		if (*text != '"' && *text != '\\' && (unsigned char)*text >= ' ')
			putc(*text, out);
	}
	putc('"', out);
}

static void write_env(FILE *out, const struct lt_export *e, const struct lt_ctf_machine *m)
{
	static const char *const keys[] = {
		"kernel_release", "kernel_version", "machine",
	};

	/* babeltrace2 looks for the host and the domain, from the first line on, for each event. */
	fprintf(out, "env {\n\thostname = ");
	write_string(out, lt_trace_info(e->trace, "hostname"));
	fprintf(out, ";\n\tdomain = \"kernel\";\n\tsysname = \"Linux\";\n"
		"\ttracer_name = \"lifetrace\";\n\ttracer_major = %u;\n\ttracer_minor = %u;\n",
		e->schema->major, e->schema->minor);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		fprintf(out, "\t%s = ", keys[i]);
		write_string(out, lt_trace_info(e->trace, keys[i]));
		fprintf(out, ";\n");
	}
	fprintf(out, "\ttext_base = \"0x%" PRIx64 "\";\n\tptr_base = \"0x%" PRIx64 "\";\n",
		m->text_base, m->ptr_base);
	fprintf(out, "};\n\n");
}

/* Every field begins at a byte boundary. */
static void write_integer(FILE *out, uint32_t size, bool is_signed, const char *base)
{
	fprintf(out, "integer { size = %u; align = 8; signed = %s;", 8 * size,
		is_signed ? "true" : "false");
	if (base)
		fprintf(out, " base = %s;", base);
	fprintf(out, " }");
}

static void write_member(FILE *out, unsigned int bits, const char *base, const char *name)
{
	fprintf(out, "\t\t");
	write_integer(out, bits / 8, false, base);
	fprintf(out, " %s;\n", name);
}

static void write_trace(FILE *out, const struct lt_ctf_machine *m)
{
	fprintf(out, "trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = %s;\n"
		"\tpacket.header := struct {\n", m->big ? "be" : "le");
	write_member(out, 32, "hexadecimal", "magic");
	write_member(out, 8, "decimal", "stream_id");
	fprintf(out, "\t};\n};\n\n");
}

static void write_packet_context(FILE *out, const char *clock)
{
	fprintf(out, "\tpacket.context := struct {\n");
	write_member(out, 32, "decimal", "cpu_id");
	write_member(out, 64, "decimal", "packet_seq_num");
	fprintf(out, "\t\t%s timestamp_begin;\n\t\t%s timestamp_end;\n", clock, clock);
	write_member(out, 64, "decimal", "content_size");
	write_member(out, 64, "decimal", "packet_size");
	write_member(out, 64, "decimal", "events_discarded");
	fprintf(out, "\t};\n");
}

static void write_stream(void *w, unsigned int channel)
{
	const struct v1 *v = w;
	const char *clock = v->clock.name;
	FILE *out = v->out;

	fprintf(out, "stream {\n\tid = %u;\n\tevent.header := struct {\n"
		"\t\tenum : integer { size = 6; align = 1; signed = false; } {\n"
		"\t\t\tcompact = 0 ... 62, extended = 63\n\t\t} id;\n"
		"\t\tvariant <id> {\n\t\t\tstruct {\n", channel);
	fprintf(out, "\t\t\t\tinteger { size = 24; align = 1; signed = false; map = clock.%s.value; } timestamp;\n"
		"\t\t\t} compact;\n\t\t\tstruct {\n", clock);
	fprintf(out, "\t\t\t\tinteger { size = 16; align = 8; signed = false; } id;\n"
		"\t\t\t\tinteger { size = 64; align = 8; signed = false; map = clock.%s.value; } timestamp;\n"
		"\t\t\t} extended;\n\t\t} v;\n\t} align(8);\n", clock);
	fprintf(out, "\tevent.context := struct {\n\t\tstring { encoding = UTF8; } context;\n\t};\n");
	write_packet_context(out, "clock_t");
	fprintf(out, "};\n\n");
}

/* ------------------------------------------------------------------------
 * What lt_ctf_describe() declares
 */

/* An enumeration: the names of numbers. */
static void write_type(void *w, const struct lt_ctf_type *type)
{
	FILE *out = ((const struct v1 *)w)->out;
	const char *between = "";

	fprintf(out, "typealias enum : ");
	write_integer(out, type->size, type->is_signed, type->base);
	fprintf(out, " {");
	for (size_t i = 0; i < type->n; i++) {
		const struct lt_ctf_name *label = &type->labels[i];

		if (!label->label)
			continue;
		fprintf(out, "%s\n\t", between);
		write_string(out, label->label);
		if (type->is_signed)
			fprintf(out, " = %" PRId64, (int64_t)label->raw);
		else
			fprintf(out, " = %" PRIu64, label->raw);
		between = ",";
	}
	fprintf(out, "\n} := %s;\n\n", type->name);
}

static void begin_event(void *w, const char *name, unsigned int channel, unsigned int id)
{
	FILE *out = ((const struct v1 *)w)->out;

	fprintf(out, "event {\n\tname = ");
	write_string(out, name);
	fprintf(out, ";\n\tid = %u;\n\tstream_id = %u;\n\tfields := struct {\n", id, channel);
}

static void end_event(void *w)
{
	fprintf(((const struct v1 *)w)->out, "\t};\n};\n\n");
}

static void begin_group(void *w, const char *name)
{
	struct v1 *v = w;

	(void)name;
	fprintf(v->out, "\t\tstruct {\n");
	v->indent = "\t\t\t";
}

static void end_group(void *w, const char *name)
{
	struct v1 *v = w;

	fprintf(v->out, "\t\t} %s;\n", name);
	v->indent = "\t\t";
}

static void write_class(FILE *out, const struct lt_ctf_field *f)
{
	switch (f->shape) {
	case LT_CTF_NUMBER:
		write_integer(out, f->size, f->is_signed, f->base);
		break;
	case LT_CTF_NAMED:
		fprintf(out, "%s", f->type);
		break;
	case LT_CTF_COUNTS:
		fprintf(out, "struct counters");
		break;
	case LT_CTF_CHARS:
		fprintf(out, "integer { size = 8; align = 8; signed = false; encoding = UTF8; }");
		break;
	case LT_CTF_TEXT:
		fprintf(out, "string { encoding = UTF8; }");
		break;
	case LT_CTF_BLOB:
		write_integer(out, 1, false, f->base);
		break;
	}
}

/* A name that may be anything has an underscore more than viewers show. */
static void write_field(void *w, const struct lt_ctf_field *f)
{
	const struct v1 *v = w;
	FILE *out = v->out;

	fprintf(out, "%s", v->indent);
	write_class(out, f);
	fprintf(out, " %s%s", f->any_name ? "_" : "", f->name);
	if (f->shape == LT_CTF_CHARS || f->shape == LT_CTF_BLOB)
		fprintf(out, "[%u]", f->size);
	else if (f->times)
		fprintf(out, "[%u]", f->times);
	else if (f->count)
		fprintf(out, "[%s]", f->count);
	fprintf(out, ";\n");
}

static const struct lt_ctf_writer writer = {
	.type = write_type, .stream = write_stream, .event = begin_event, .field = write_field,
	.group = begin_group, .group_end = end_group, .event_end = end_event,
};

static void write_counters(FILE *out)
{
	fprintf(out, "struct counters {\n");
	for (size_t i = 0; i < LT_CTF_N_COUNTS; i++)
		write_member(out, 64, "decimal", lt_ctf_counts[i]);
	fprintf(out, "};\n\n");
}

/* What labels stand for, in a comment: nothing else has both. No name ends it. */
static void write_labels(FILE *out, const struct lt_ctf_names *n, enum lt_ctf_naming naming,
			 const char *title)
{
	if (n->seen[naming].n < 2)
		return;
	fprintf(out, "/*\n * %s:\n", title);
	for (uint32_t i = 1; i < n->seen[naming].n; i++) {
		const struct lt_ctf_name *name = &n->names[naming][i];

		fprintf(out, naming == LT_CTF_SITE ? " * 0x%" PRIx64 " " : " * %" PRIu64 " ",
			name->raw);
		for (const char *p = name->label; *p; p++) {
			if ((unsigned char)*p >= ' ' && *p != '*')
				fputc(*p, out);
		}
		fputc('\n', out);
	}
	fprintf(out, " */\n\n");
}

void lt_ctf_v1_write(FILE *out, const struct lt_export *e, const struct lt_ctf_machine *m)
{
	struct v1 v = { .out = out, .indent = "\t\t" };

	lt_ctf_read_clock(&v.clock, e->trace);
	fprintf(out, "/* CTF 1.8 */\n\n");
	write_trace(out, m);
	write_env(out, e, m);
	write_labels(out, &m->names, LT_CTF_SITE, "The addresses of callers");
	write_labels(out, &m->names, LT_CTF_CACHE, "The ids of caches");
	fprintf(out, "clock {\n\tname = %s;\n\tfreq = %" PRIu64 ";\n\toffset_s = %" PRIu64
		";\n\toffset = %" PRIu64 ";\n};\n\n", v.clock.name, v.clock.freq, v.clock.offset_s,
		v.clock.offset);
	fprintf(out, "typealias integer { size = 64; align = 8; signed = false; map = clock.%s.value; } := clock_t;\n\n",
		v.clock.name);
	write_counters(out);
	lt_ctf_describe(&writer, &v, e, m);
}

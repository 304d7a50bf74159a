// SPDX-License-Identifier: GPL-2.0
/*
 * The metadata of CTF 1.8, in TSDL.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "export/ctf/ctf.h"

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
	static const char *const keys[][2] = {
		{ "hostname", "hostname" }, { "kernel_release", "kernel_release" },
		{ "kernel_version", "kernel_version" }, { "machine", "machine" },
	};

	fprintf(out, "env {\n\tdomain = \"kernel\";\n\tsysname = \"Linux\";\n"
		"\ttracer_name = \"lifetrace\";\n\ttracer_major = %u;\n\ttracer_minor = %u;\n",
		e->schema->major, e->schema->minor);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		fprintf(out, "\t%s = ", keys[i][0]);
		write_string(out, lt_trace_info(e->trace, keys[i][1]));
		fprintf(out, ";\n");
	}
	fprintf(out, "\ttext_base = \"0x%" PRIx64 "\";\n\tptr_base = \"0x%" PRIx64 "\";\n",
		m->text_base, m->ptr_base);
	fprintf(out, "};\n\n");
}

static void write_integer(FILE *out, unsigned int bits, unsigned int align, bool is_signed,
			  const char *base, const char *more)
{
	fprintf(out, "integer { size = %u; align = %u; signed = %s; base = %s;%s }", bits, align,
		is_signed ? "true" : "false", base, more);
}

/* Every field begins at a byte boundary. */
static void write_member(FILE *out, unsigned int bits, const char *base, const char *name)
{
	fprintf(out, "\t\t");
	write_integer(out, bits, 8, false, base, "");
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

static void write_stream(FILE *out, unsigned int channel, const char *clock)
{
	fprintf(out, "stream {\n\tid = %u;\n\tevent.header := struct {\n"
		"\t\tenum : integer { size = 6; align = 1; signed = false; } {\n"
		"\t\t\tcompact = 0 ... 62, extended = 63\n\t\t} id;\n"
		"\t\tvariant <id> {\n\t\t\tstruct {\n", channel);
	fprintf(out, "\t\t\t\tinteger { size = 24; align = 1; signed = false; map = clock.%s.value; } timestamp;\n"
		"\t\t\t} compact;\n\t\t\tstruct {\n", clock);
	fprintf(out, "\t\t\t\tinteger { size = 16; align = 8; signed = false; } id;\n"
		"\t\t\t\tinteger { size = 64; align = 8; signed = false; map = clock.%s.value; } timestamp;\n"
		"\t\t\t} extended;\n\t\t} v;\n\t} align(8);\n", clock);
	fprintf(out, "\tevent.context := struct {\n"
		"\t\tenum : integer { size = 2; align = 1; signed = false; } {\n"
		"\t\t\ttask = 0, softirq = 1, hardirq = 2, nmi = 3\n\t\t} context;\n\t};\n");
	write_packet_context(out, "clock_t");
	fprintf(out, "};\n\n");
}

static void write_field(FILE *out, const struct lt_ctf_machine *m, const struct lt_event_desc *d,
			const struct lt_field *f)
{
	enum lt_ctf_naming naming = lt_ctf_naming(&m->names, f);
	char times[16] = "";

	if (lt_ctf_is_function(&m->calls, d, f)) {
		fprintf(out, "\t\t" LT_CTF_FUNCTION_TYPE " " LT_CTF_FUNCTION_FIELD ";\n");
		return;
	}
	if (f->count > 1)
		snprintf(times, sizeof(times), "[%u]", f->count);
	if (naming != LT_CTF_NO_NAMING) {
		fprintf(out, "\t\t%s %s%s;\n", lt_ctf_naming_type(naming), f->name, times);
		return;
	}
	if (f->type == LT_TYPE_CHARS) {
		fprintf(out, "\t\tinteger { size = 8; align = 8; signed = false; encoding = UTF8; } %s[%u];\n",
			f->name, f->size);
		return;
	}
	fprintf(out, "\t\t");
	write_integer(out, f->size * 8, 8, f->type == LT_TYPE_SINT, lt_ctf_base(f), "");
	fprintf(out, " %s%s;\n", f->name, times);
}

/* Bytes that the schema gives no field; version 1.0 has none. */
static void write_padding(FILE *out, uint32_t from, uint32_t to)
{
	if (from < to)
		fprintf(out, "\t\tinteger { size = 8; align = 8; signed = false; } unnamed_%u[%u];\n",
			from, to - from);
}

static void write_event(FILE *out, const struct lt_ctf_machine *m, const struct lt_event_desc *d)
{
	uint32_t at = 0;

	fprintf(out, "event {\n\tname = ");
	write_string(out, lt_ctf_event_name(d->name));
	fprintf(out, ";\n\tid = %u;\n\tstream_id = %u;\n\tfields := struct {\n",
		LT_EV_ID(d->id), d->channel);
	for (unsigned int i = 0; i < d->n_fields; i++) {
		write_padding(out, at, d->fields[i].offset);
		write_field(out, m, d, &d->fields[i]);
		at = d->fields[i].offset + lt_field_bytes(&d->fields[i]);
	}
	write_padding(out, at, d->size);
	if (m->stacked[d->id] && m->names.seen[LT_CTF_STACK].n > 1)
		fprintf(out, "\t\tstack_t " LT_CTF_STACK_FIELD ";\n");
	else if (m->stacked[d->id])
		write_member(out, 32, "decimal", LT_CTF_STACK_FIELD);
	fprintf(out, "\t};\n};\n\n");
}

static void write_counters(FILE *out, const struct lt_export *e, unsigned int channel,
			   const struct lt_ctf_machine *m)
{
	char buf[32];

	fprintf(out, "event {\n\tname = \"" LT_CTF_COUNTERS_NAME "\";\n\tid = %u;\n\tstream_id = %u;\n"
		"\tfields := struct {\n", LT_CTF_COUNTERS, channel);
	write_member(out, 8, "decimal", "version_major");
	write_member(out, 8, "decimal", "version_minor");
	write_member(out, 8, "decimal", "page_shift");
	write_member(out, 16, "decimal", "header_size");
	write_member(out, 16, "decimal", "flags");
	write_member(out, 8, "decimal", "size_long");
	write_member(out, 8, "decimal", "size_ptr");
	write_member(out, 8, "decimal", "size_pid");
	write_member(out, 8, "decimal", "size_gfp");
	write_member(out, 32, "decimal", "n_classes");
	write_member(out, 64, "hexadecimal", "text_base");
	write_member(out, 64, "hexadecimal", "ptr_base");
	write_member(out, 64, "hexadecimal", "session");
	for (uint32_t i = 0; i < m->counts; i++)
		fprintf(out, "\t\tstruct counters %s;\n",
			lt_ctf_class_name(e->schema, channel, i, buf, sizeof(buf)));
	if (m->extra) {	/* bytes of a newer minor version */
		fprintf(out, "\t\t");
		write_integer(out, 8, 8, false, "hexadecimal", "");
		fprintf(out, " newer[%u];\n", m->extra);
	}
	fprintf(out, "\t};\n};\n\n");
}

/* An enumeration: the names of @n numbers, of which each has one, or none. */
static void write_enum(FILE *out, unsigned int bits, bool is_signed, const char *base,
		       const struct lt_ctf_name *labels, size_t n)
{
	const char *between = "";

	fprintf(out, "enum : ");
	write_integer(out, bits, 8, is_signed, base, "");
	fprintf(out, " {");
	for (size_t i = 0; i < n; i++) {
		if (!labels[i].label)
			continue;
		fprintf(out, "%s\n\t", between);
		write_string(out, labels[i].label);
		if (is_signed)
			fprintf(out, " = %" PRId64, (int64_t)labels[i].raw);
		else
			fprintf(out, " = %" PRIu64, labels[i].raw);
		between = ",";
	}
	fprintf(out, "\n}");
}

/* The types that the fields of events have. */
static void write_types(FILE *out, const struct lt_ctf_machine *m)
{
	static const char *const counters[] = {
		"seen", "lost_full", "lost_nmi", "lost_nested", "lost_nobuf", "filtered",
	};
	struct lt_ctf_name *labels;
	size_t n;

	fprintf(out, "struct counters {\n");
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		write_member(out, 64, "decimal", counters[i]);
	fprintf(out, "};\n\n");
	for (int i = 0; i < LT_N_CTF_NAMINGS; i++) {
		if (m->names.seen[i].n < 2)
			continue;
		fprintf(out, "typealias ");
		write_enum(out, lt_ctf_naming_bits((enum lt_ctf_naming)i), false,
			   i == LT_CTF_CACHE || i == LT_CTF_STACK ? "decimal" : "hexadecimal",
			   m->names.names[i] + 1, m->names.seen[i].n - 1);
		fprintf(out, " := %s;\n\n", lt_ctf_naming_type((enum lt_ctf_naming)i));
	}
	labels = lt_ctf_call_functions(&m->calls, &n);
	if (n) {
		fprintf(out, "typealias ");
		write_enum(out, LT_CTF_FUNCTION_BITS, false, "decimal", labels, n);
		fprintf(out, " := " LT_CTF_FUNCTION_TYPE ";\n\n");
	}
	lt_ctf_labels_free(labels, n);
}

/*
 * The name of a value has an underscore more than viewers show: without it, it could be a keyword,
 * or begin with a digit.
 */
static void write_value(FILE *out, const char *indent, const struct lt_ctf_call_field *field)
{
	const struct lt_call_form *form = field->form;
	const char *base = lt_ctf_call_base(form->kind);
	struct lt_ctf_name *labels;
	size_t n;

	fprintf(out, "%s", indent);
	if (form->kind == LT_CALL_OF_TEXT) {
		fprintf(out, "string { encoding = UTF8; } _%s;\n", field->name);
		return;
	}
	if (form->kind == LT_CALL_OF_BYTES) {
		write_integer(out, 8, 8, false, base, "");
		fprintf(out, " _%s[%u];\n", field->name, form->size);
		return;
	}
	labels = lt_ctf_call_enum(form, &n);
	if (n)
		write_enum(out, 8 * form->size, true, base, labels, n);
	else
		write_integer(out, 8 * form->size, 8, lt_call_has_sign(form->kind), base, "");
	fprintf(out, " _%s;\n", field->name);
	lt_ctf_labels_free(labels, n);
}

static void write_values(FILE *out, const struct lt_function *f, enum lt_call_when when)
{
	const char *group = lt_ctf_call_group(when);
	struct lt_ctf_call_field fields[LT_CALL_VALUES];
	unsigned int n = lt_ctf_call_fields(f, when, fields);

	if (group && n)
		fprintf(out, "\t\tstruct {\n");
	for (unsigned int i = 0; i < n; i++)
		write_value(out, group ? "\t\t\t" : "\t\t", &fields[i]);
	if (group && n)
		fprintf(out, "\t\t} %s;\n", group);
}

static void write_call_members(FILE *out)
{
	for (unsigned int i = 0; i < LT_CTF_CALL_MEMBERS; i++)
		write_member(out, lt_ctf_call_members[i].bits, lt_ctf_call_members[i].base,
			     lt_ctf_call_members[i].name);
}

static void write_call_begin(FILE *out, const char *prefix, const char *name, unsigned int id)
{
	char *text = lt_format("%s%s", prefix, name);

	fprintf(out, "event {\n\tname = ");
	write_string(out, text);
	free(text);
	fprintf(out, ";\n\tid = %u;\n\tstream_id = %u;\n\tfields := struct {\n", id,
		LT_CHANNEL_CALL);
}

/* The events of function calls. */
static void write_calls(FILE *out, const struct lt_ctf_machine *m)
{
	const struct lt_function *f = NULL;

	while ((f = lt_ctf_call_next(&m->calls, f))) {
		write_call_begin(out, LT_CTF_CALL_PREFIX, f->name, LT_CTF_FIRST_CALL + f->number);
		write_call_members(out);
		write_values(out, f, LT_CALL_AT_ENTRY);
		write_values(out, f, LT_CALL_AT_RETURN);
		write_values(out, f, LT_CALL_THE_RESULT);
		fprintf(out, "\t};\n};\n\n");
	}
	write_call_begin(out, "", "call", LT_CTF_CALL);
	if (lt_function_next(m->calls.functions, NULL))
		fprintf(out, "\t\t" LT_CTF_FUNCTION_TYPE " " LT_CTF_FUNCTION_FIELD ";\n");
	else
		write_member(out, LT_CTF_FUNCTION_BITS, "decimal", LT_CTF_FUNCTION_FIELD);
	write_call_members(out);
	write_member(out, 16, "decimal", "n_bytes");
	fprintf(out, "\t\t");
	write_integer(out, 8, 8, false, "hexadecimal", "");
	fprintf(out, " bytes[n_bytes];\n\t};\n};\n\n");
}

void lt_ctf_v1_write(FILE *out, const struct lt_export *e, const struct lt_ctf_machine *m)
{
	struct lt_ctf_clock clock;

	lt_ctf_read_clock(&clock, e->trace);
	fprintf(out, "/* CTF 1.8 */\n\n");
	write_trace(out, m);
	write_env(out, e, m);
	fprintf(out, "clock {\n\tname = %s;\n\tfreq = %" PRIu64 ";\n\toffset_s = %" PRIu64
		";\n\toffset = %" PRIu64 ";\n};\n\n", clock.name, clock.freq, clock.offset_s,
		clock.offset);
	fprintf(out, "typealias integer { size = 64; align = 8; signed = false; map = clock.%s.value; } := clock_t;\n\n",
		clock.name);
	write_types(out, m);
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		if (lt_ctf_has_stream(e->schema, channel))
			write_stream(out, channel, clock.name);
	}
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		if (lt_ctf_has_stream(e->schema, channel))
			write_counters(out, e, channel, m);
	}
	for (unsigned int id = 0; id < LT_SCHEMA_IDS; id++) {
		const struct lt_event_desc *d = lt_schema_event(e->schema, id);

		if (lt_ctf_has_event(m, d))
			write_event(out, m, d);
	}
	if (m->calls.calls && lt_ctf_has_stream(e->schema, LT_CHANNEL_CALL))
		write_calls(out, m);
}

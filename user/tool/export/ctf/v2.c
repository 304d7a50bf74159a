// SPDX-License-Identifier: GPL-2.0
/*
 * The metadata of CTF 2: a sequence of JSON objects, each after a record separator.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "export/ctf/ctf.h"

#define SEPARATOR	0x1e

/* A name as other tools of CTF read it: what JSON would escape is left out. */
static void put_plain(struct lt_json *j, const char *name, const char *text)
{
	struct lt_out *o = lt_json_value(j, name);

	lt_out_char(o, '"');
	for (; text && *text; text++) {
		if (lt_ctf_is_plain(*text))
			lt_out_char(o, *text);
	}
	lt_out_char(o, '"');
}

/* Begins an object of the sequence; lt_json_line() ends it. */
static void put_object(struct lt_json *j, const char *type)
{
	lt_out_char(j->o, SEPARATOR);
	lt_json_object(j, NULL);
	lt_json_word(j, "type", type);
}

/* Begins a structure; end_structure() ends it. */
static void begin_structure(struct lt_json *j, const char *name)
{
	lt_json_object(j, name);
	lt_json_word(j, "type", "structure");
	lt_json_array(j, "member-classes");
}

static void end_structure(struct lt_json *j)
{
	lt_json_end(j);
	lt_json_end(j);
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

static const char *byte_order(const struct lt_ctf_machine *mach)
{
	return mach->big ? "big-endian" : "little-endian";
}

static void put_class(struct lt_json *j, const char *name, const struct lt_ctf_machine *mach,
		      const struct member *m)
{
	lt_json_object(j, name);
	lt_json_word(j, "type", m->is_signed ? "fixed-length-signed-integer" :
					       "fixed-length-unsigned-integer");
	lt_json_u64(j, "length", m->bits);
	lt_json_word(j, "byte-order", byte_order(mach));
	lt_json_u64(j, "alignment", m->align);
	if (m->base && !strcmp(m->base, "hexadecimal"))
		lt_json_u64(j, "preferred-display-base", 16);
	if (m->role) {
		lt_json_array(j, "roles");
		lt_json_word(j, NULL, m->role);
		lt_json_end(j);
	}
	lt_json_end(j);
}

static void put_member(struct lt_json *j, const struct lt_ctf_machine *mach,
		       const struct member *m)
{
	lt_json_object(j, NULL);
	lt_json_word(j, "name", m->name);
	put_class(j, "field-class", mach, m);
	lt_json_end(j);
}

static void put_members(struct lt_json *j, const struct lt_ctf_machine *mach,
			const struct member *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_member(j, mach, &m[i]);
}

/* A member whose bytes have no name. */
static void put_blob(struct lt_json *j, const char *name, unsigned int bytes)
{
	lt_json_object(j, NULL);
	lt_json_word(j, "name", name);
	lt_json_object(j, "field-class");
	lt_json_word(j, "type", "static-length-blob");
	lt_json_u64(j, "length", bytes);
	lt_json_end(j);
	lt_json_end(j);
}

#define N(array)	(sizeof(array) / sizeof((array)[0]))

static void put_trace_class(struct lt_json *j, const struct lt_export *e,
			    const struct lt_ctf_machine *mach)
{
	static const struct member header[] = {
		{ "magic", 32, 8, false, "hexadecimal", "packet-magic-number" },
		{ "stream_id", 8, 8, false, NULL, "data-stream-class-id" },
	};

	put_object(j, "trace-class");
	lt_json_object(j, "environment");
	lt_json_word(j, "domain", "kernel");
	lt_json_word(j, "sysname", "Linux");
	lt_json_word(j, "tracer_name", "lifetrace");
	put_plain(j, "hostname", lt_trace_info(e->trace, "hostname"));
	put_plain(j, "kernel_release", lt_trace_info(e->trace, "kernel_release"));
	lt_json_hex(j, "text_base", mach->text_base);
	lt_json_hex(j, "ptr_base", mach->ptr_base);
	lt_json_end(j);
	begin_structure(j, "packet-header-field-class");
	put_members(j, mach, header, N(header));
	lt_json_line(j);
}

static void put_clock_class(struct lt_json *j, const struct lt_ctf_clock *c)
{
	put_object(j, "clock-class");
	lt_json_word(j, "id", c->name);
	lt_json_word(j, "name", c->name);
	lt_json_u64(j, "frequency", c->freq);
	lt_json_object(j, "offset-from-origin");
	lt_json_u64(j, "seconds", c->offset_s);
	lt_json_u64(j, "cycles", c->offset);
	lt_json_end(j);
	lt_json_word(j, "origin", "unix-epoch");
	lt_json_line(j);
}

/* The event with the counters of a packet. */
static void put_counters(struct lt_json *j, const struct lt_export *e, unsigned int channel,
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

	put_object(j, "event-record-class");
	lt_json_u64(j, "data-stream-class-id", channel);
	lt_json_u64(j, "id", LT_CTF_COUNTERS);
	lt_json_word(j, "name", LT_CTF_COUNTERS_NAME);
	begin_structure(j, "payload-field-class");
	put_members(j, mach, rest, N(rest));
	for (uint32_t i = 0; i < mach->counts; i++) {
		lt_json_object(j, NULL);
		lt_json_word(j, "name",
			     lt_ctf_class_name(e->schema, channel, i, buf, sizeof(buf)));
		begin_structure(j, "field-class");
		put_members(j, mach, counts, N(counts));
		end_structure(j);
		lt_json_end(j);
	}
	if (mach->extra)	/* bytes of a newer minor version */
		put_blob(j, "newer", mach->extra);
	lt_json_line(j);
}

/* The numbers that a label stands for: one range of one number. */
static void put_label(struct lt_json *j, const struct lt_ctf_name *name, bool is_signed)
{
	put_plain(j, NULL, name->label);
	lt_out_char(j->o, ':');
	lt_json_named(j);
	lt_json_array(j, NULL);
	lt_json_array(j, NULL);
	for (int i = 0; i < 2; i++) {
		if (is_signed)
			lt_json_s64(j, NULL, (int64_t)name->raw);
		else
			lt_json_u64(j, NULL, name->raw);
	}
	lt_json_end(j);
	lt_json_end(j);
}

/* An enumeration: the names of @n numbers, of which each has one, or none. */
static void put_enum(struct lt_json *j, const char *member, const struct lt_ctf_machine *mach,
		     unsigned int bits, bool is_signed, bool decimal,
		     const struct lt_ctf_name *labels, size_t n)
{
	lt_json_object(j, member);
	lt_json_word(j, "type", is_signed ? "fixed-length-signed-integer" :
					    "fixed-length-unsigned-integer");
	lt_json_u64(j, "length", bits);
	lt_json_word(j, "byte-order", byte_order(mach));
	lt_json_u64(j, "alignment", 8);
	lt_json_u64(j, "preferred-display-base", decimal ? 10 : 16);
	lt_json_object(j, "mappings");
	for (size_t i = 0; i < n; i++) {
		if (labels[i].label)
			put_label(j, &labels[i], is_signed);
	}
	lt_json_end(j);
	lt_json_end(j);
}

static void put_alias(struct lt_json *j, const struct lt_ctf_machine *mach, const char *name,
		      unsigned int bits, bool decimal, const struct lt_ctf_name *labels, size_t n)
{
	put_object(j, "field-class-alias");
	lt_json_word(j, "name", name);
	put_enum(j, "field-class", mach, bits, false, decimal, labels, n);
	lt_json_line(j);
}

/* The types that name callers, caches, stacks and functions. */
static void put_aliases(struct lt_json *j, const struct lt_ctf_machine *mach)
{
	struct lt_ctf_name *labels;
	size_t n;

	for (int i = 0; i < LT_N_CTF_NAMINGS; i++) {
		if (mach->names.seen[i].n >= 2)
			put_alias(j, mach, lt_ctf_naming_type((enum lt_ctf_naming)i),
				  lt_ctf_naming_bits((enum lt_ctf_naming)i),
				  i == LT_CTF_CACHE || i == LT_CTF_STACK,
				  mach->names.names[i] + 1, mach->names.seen[i].n - 1);
	}
	labels = lt_ctf_call_functions(&mach->calls, &n);
	if (n)
		put_alias(j, mach, LT_CTF_FUNCTION_TYPE, LT_CTF_FUNCTION_BITS, true, labels, n);
	lt_ctf_labels_free(labels, n);
}

static void put_packet_context(struct lt_json *j, const struct lt_ctf_machine *mach)
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

	begin_structure(j, "packet-context-field-class");
	put_members(j, mach, context, N(context));
	end_structure(j);
}

/* One of the two forms of a record's header, by the number that @id has in it. */
static void put_header_form(struct lt_json *j, const struct lt_ctf_machine *mach, const char *name,
			    unsigned int from, unsigned int to, const struct member *m, size_t n)
{
	lt_json_object(j, NULL);
	lt_json_word(j, "name", name);
	lt_json_array(j, "selector-field-ranges");
	lt_json_array(j, NULL);
	lt_json_u64(j, NULL, from);
	lt_json_u64(j, NULL, to);
	lt_json_end(j);
	lt_json_end(j);
	begin_structure(j, "field-class");
	put_members(j, mach, m, n);
	end_structure(j);
	lt_json_end(j);
}

static void put_record_header(struct lt_json *j, const struct lt_ctf_machine *mach)
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

	lt_json_object(j, "event-record-header-field-class");
	lt_json_word(j, "type", "structure");
	lt_json_u64(j, "minimum-alignment", 8);
	lt_json_array(j, "member-classes");
	put_member(j, mach, &id);
	lt_json_object(j, NULL);
	lt_json_word(j, "name", "v");
	lt_json_object(j, "field-class");
	lt_json_word(j, "type", "variant");
	lt_json_object(j, "selector-field-location");
	lt_json_word(j, "origin", "event-record-header");
	lt_json_array(j, "path");
	lt_json_word(j, NULL, "id");
	lt_json_end(j);
	lt_json_end(j);
	lt_json_array(j, "options");
	put_header_form(j, mach, "compact", 0, 62, compact, N(compact));
	put_header_form(j, mach, "extended", 63, 63, extended, N(extended));
	lt_json_end(j);
	lt_json_end(j);
	lt_json_end(j);
	end_structure(j);
	begin_structure(j, "event-record-common-context-field-class");
	put_member(j, mach, &context);
	end_structure(j);
}

/* A member of a type that has a name. */
static void put_of_type(struct lt_json *j, const char *name, const char *type)
{
	lt_json_object(j, NULL);
	lt_json_word(j, "name", name);
	lt_json_word(j, "field-class", type);
	lt_json_end(j);
}

static void put_field(struct lt_json *j, const struct lt_ctf_machine *mach,
		      const struct lt_event_desc *d, const struct lt_field *f)
{
	struct member m = { f->name, f->size * 8, 8, f->type == LT_TYPE_SINT, lt_ctf_base(f),
			    NULL };
	enum lt_ctf_naming naming = lt_ctf_naming(&mach->names, f);
	const char *name = "field-class";

	if (lt_ctf_is_function(&mach->calls, d, f)) {
		put_of_type(j, f->name, LT_CTF_FUNCTION_TYPE);
		return;
	}
	lt_json_object(j, NULL);
	lt_json_word(j, "name", f->name);
	if (f->count > 1) {
		lt_json_object(j, name);
		lt_json_word(j, "type", "static-length-array");
		lt_json_u64(j, "length", f->count);
		name = "element-field-class";
	}
	if (naming != LT_CTF_NO_NAMING) {
		lt_json_word(j, name, lt_ctf_naming_type(naming));
	} else if (f->type == LT_TYPE_CHARS) {
		lt_json_object(j, name);
		lt_json_word(j, "type", "static-length-string");
		lt_json_u64(j, "length", f->size);
		lt_json_end(j);
	} else {
		put_class(j, name, mach, &m);
	}
	if (f->count > 1)
		lt_json_end(j);
	lt_json_end(j);
}

static void put_stack(struct lt_json *j, const struct lt_ctf_machine *mach)
{
	static const struct member number = { LT_CTF_STACK_FIELD, 32, 8, false, NULL, NULL };

	if (mach->names.seen[LT_CTF_STACK].n < 2) {
		put_member(j, mach, &number);
		return;
	}
	put_of_type(j, LT_CTF_STACK_FIELD, lt_ctf_naming_type(LT_CTF_STACK));
}

/* The bytes from @at to @end, which no field names. */
static void put_unnamed(struct lt_json *j, uint32_t at, uint32_t end)
{
	char name[32];

	if (end <= at)
		return;
	snprintf(name, sizeof(name), "unnamed_%u", at);
	put_blob(j, name, end - at);
}

static void put_event(struct lt_json *j, const struct lt_ctf_machine *mach,
		      const struct lt_event_desc *d)
{
	uint32_t at = 0;

	put_object(j, "event-record-class");
	lt_json_u64(j, "data-stream-class-id", d->channel);
	lt_json_u64(j, "id", LT_EV_ID(d->id));
	put_plain(j, "name", lt_ctf_event_name(d->name));
	begin_structure(j, "payload-field-class");
	for (unsigned int i = 0; i < d->n_fields; i++) {
		const struct lt_field *f = &d->fields[i];

		put_unnamed(j, at, f->offset);
		put_field(j, mach, d, f);
		at = f->offset + lt_field_bytes(f);
	}
	put_unnamed(j, at, d->size);
	if (mach->stacked[d->id])
		put_stack(j, mach);
	lt_json_line(j);
}

static void put_value(struct lt_json *j, const struct lt_ctf_machine *mach,
		      const struct lt_ctf_call_field *field)
{
	static const struct member byte = { NULL, 8, 8, false, "hexadecimal", NULL };
	const struct lt_call_form *form = field->form;
	const struct member number = { NULL, 8 * form->size, 8, lt_call_has_sign(form->kind),
				       lt_ctf_call_base(form->kind), NULL };
	struct lt_ctf_name *labels;
	size_t n;

	lt_json_object(j, NULL);
	lt_json_word(j, "name", field->name);
	if (form->kind == LT_CALL_OF_TEXT) {
		lt_json_object(j, "field-class");
		lt_json_word(j, "type", "null-terminated-string");
		lt_json_end(j);
	} else if (form->kind == LT_CALL_OF_BYTES) {
		lt_json_object(j, "field-class");
		lt_json_word(j, "type", "static-length-array");
		lt_json_u64(j, "length", form->size);
		put_class(j, "element-field-class", mach, &byte);
		lt_json_end(j);
	} else {
		labels = lt_ctf_call_enum(form, &n);
		if (n)
			put_enum(j, "field-class", mach, number.bits, true, true, labels, n);
		else
			put_class(j, "field-class", mach, &number);
		lt_ctf_labels_free(labels, n);
	}
	lt_json_end(j);
}

static void put_values(struct lt_json *j, const struct lt_ctf_machine *mach,
		       const struct lt_function *f, enum lt_call_when when)
{
	const char *group = lt_ctf_call_group(when);
	struct lt_ctf_call_field fields[LT_CALL_VALUES];
	unsigned int n = lt_ctf_call_fields(f, when, fields);

	if (group && n) {
		lt_json_object(j, NULL);
		lt_json_word(j, "name", group);
		begin_structure(j, "field-class");
	}
	for (unsigned int i = 0; i < n; i++)
		put_value(j, mach, &fields[i]);
	if (group && n) {
		end_structure(j);
		lt_json_end(j);
	}
}

static void put_call_members(struct lt_json *j, const struct lt_ctf_machine *mach)
{
	for (unsigned int i = 0; i < LT_CTF_CALL_MEMBERS; i++) {
		const struct lt_ctf_call_member *m = &lt_ctf_call_members[i];

		put_member(j, mach, &(struct member){ m->name, m->bits, 8, false, m->base, NULL });
	}
}

static void put_call_begin(struct lt_json *j, const char *prefix, const char *name, unsigned int id)
{
	char *text = lt_format("%s%s", prefix, name);

	put_object(j, "event-record-class");
	lt_json_u64(j, "data-stream-class-id", LT_CHANNEL_CALL);
	lt_json_u64(j, "id", id);
	put_plain(j, "name", text);
	free(text);
	begin_structure(j, "payload-field-class");
}

/* Calls whose values nothing describes. */
static void put_call_of_bytes(struct lt_json *j, const struct lt_ctf_machine *mach)
{
	static const struct member number = { LT_CTF_FUNCTION_FIELD, LT_CTF_FUNCTION_BITS, 8, false,
					      NULL, NULL };
	static const struct member size = { "n_bytes", 16, 8, false, NULL, NULL };
	static const struct member byte = { NULL, 8, 8, false, "hexadecimal", NULL };

	put_call_begin(j, "", "call", LT_CTF_CALL);
	if (lt_function_next(mach->calls.functions, NULL))
		put_of_type(j, LT_CTF_FUNCTION_FIELD, LT_CTF_FUNCTION_TYPE);
	else
		put_member(j, mach, &number);
	put_call_members(j, mach);
	put_member(j, mach, &size);
	lt_json_object(j, NULL);
	lt_json_word(j, "name", "bytes");
	lt_json_object(j, "field-class");
	lt_json_word(j, "type", "dynamic-length-array");
	lt_json_object(j, "length-field-location");
	lt_json_word(j, "origin", "event-record-payload");
	lt_json_array(j, "path");
	lt_json_word(j, NULL, size.name);
	lt_json_end(j);
	lt_json_end(j);
	put_class(j, "element-field-class", mach, &byte);
	lt_json_line(j);
}

/* The events of function calls. */
static void put_calls(struct lt_json *j, const struct lt_ctf_machine *mach)
{
	const struct lt_function *f = NULL;

	while ((f = lt_ctf_call_next(&mach->calls, f))) {
		put_call_begin(j, LT_CTF_CALL_PREFIX, f->name, LT_CTF_FIRST_CALL + f->number);
		put_call_members(j, mach);
		put_values(j, mach, f, LT_CALL_AT_ENTRY);
		put_values(j, mach, f, LT_CALL_AT_RETURN);
		put_values(j, mach, f, LT_CALL_THE_RESULT);
		lt_json_line(j);
	}
	put_call_of_bytes(j, mach);
}

static void put_stream(struct lt_json *j, unsigned int channel, const struct lt_ctf_machine *m,
		       const char *clock)
{
	put_object(j, "data-stream-class");
	lt_json_u64(j, "id", channel);
	lt_json_word(j, "name", lt_channel_name(channel));
	lt_json_word(j, "default-clock-class-id", clock);
	put_packet_context(j, m);
	put_record_header(j, m);
	lt_json_line(j);
}

void lt_ctf_v2_write(struct lt_out *o, const struct lt_export *e, const struct lt_ctf_machine *m)
{
	struct lt_json j = LT_JSON_INIT(o);
	struct lt_ctf_clock clock;

	lt_ctf_read_clock(&clock, e->trace);
	put_object(&j, "preamble");
	lt_json_u64(&j, "version", 2);
	lt_json_line(&j);
	put_trace_class(&j, e, m);
	put_clock_class(&j, &clock);
	put_aliases(&j, m);
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		if (lt_ctf_has_stream(e->schema, channel))
			put_stream(&j, channel, m, clock.name);
	}
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		if (lt_ctf_has_stream(e->schema, channel))
			put_counters(&j, e, channel, m);
	}
	for (unsigned int id = 0; id < LT_SCHEMA_IDS; id++) {
		const struct lt_event_desc *d = lt_schema_event(e->schema, id);

		if (lt_ctf_has_event(m, d))
			put_event(&j, m, d);
	}
	if (m->calls.calls && lt_ctf_has_stream(e->schema, LT_CHANNEL_CALL))
		put_calls(&j, m);
}

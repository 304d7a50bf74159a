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
#include "export/ctf/describe.h"

#define SEPARATOR	0x1e

struct v2 {
	struct lt_json j;
	const struct lt_ctf_machine *mach;
	struct lt_ctf_clock clock;
};

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

static const char *integer_type(bool is_signed)
{
	return is_signed ? "fixed-length-signed-integer" : "fixed-length-unsigned-integer";
}

static void put_class(struct lt_json *j, const char *name, const struct lt_ctf_machine *mach,
		      const struct member *m)
{
	lt_json_object(j, name);
	lt_json_word(j, "type", integer_type(m->is_signed));
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

#define N(array)	(sizeof(array) / sizeof((array)[0]))

static void put_labels(struct lt_json *j, const char *title, const struct lt_ctf_names *n,
		       enum lt_ctf_naming naming)
{
	if (n->seen[naming].n < 2)
		return;
	lt_json_object(j, title);
	for (uint32_t i = 1; i < n->seen[naming].n; i++) {
		const struct lt_ctf_name *name = &n->names[naming][i];

		lt_json_str(j, NULL, name->label);
		lt_out_char(j->o, ':');
		lt_json_named(j);
		if (naming == LT_CTF_SITE)
			lt_json_hex(j, NULL, name->raw);
		else
			lt_json_u64(j, NULL, name->raw);
	}
	lt_json_end(j);
}

/* What labels stand for, as an attribute of lifetrace: nothing else has both. */
static void put_attributes(struct lt_json *j, const struct lt_ctf_names *n)
{
	if (n->seen[LT_CTF_SITE].n < 2 && n->seen[LT_CTF_CACHE].n < 2)
		return;
	lt_json_object(j, "attributes");
	lt_json_object(j, "lifetrace");
	put_labels(j, "callers", n, LT_CTF_SITE);
	put_labels(j, "caches", n, LT_CTF_CACHE);
	lt_json_end(j);
	lt_json_end(j);
}

static void put_trace_class(struct lt_json *j, const struct lt_export *e,
			    const struct lt_ctf_machine *mach)
{
	static const struct member header[] = {
		{ "magic", 32, 8, false, "hexadecimal", "packet-magic-number" },
		{ "stream_id", 8, 8, false, NULL, "data-stream-class-id" },
	};

	put_object(j, "trace-class");
	put_attributes(j, &mach->names);
	lt_json_object(j, "environment");
	put_plain(j, "hostname", lt_trace_info(e->trace, "hostname"));
	lt_json_word(j, "domain", "kernel");
	lt_json_word(j, "sysname", "Linux");
	lt_json_word(j, "tracer_name", "lifetrace");
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

/* An enumeration: the names of numbers. */
static void put_enum(struct lt_json *j, const struct lt_ctf_machine *mach,
		     const struct lt_ctf_type *type)
{
	lt_json_object(j, "field-class");
	lt_json_word(j, "type", integer_type(type->is_signed));
	lt_json_u64(j, "length", 8 * type->size);
	lt_json_word(j, "byte-order", byte_order(mach));
	lt_json_u64(j, "alignment", 8);
	lt_json_u64(j, "preferred-display-base", strcmp(type->base, "decimal") ? 16 : 10);
	lt_json_object(j, "mappings");
	for (size_t i = 0; i < type->n; i++) {
		if (type->labels[i].label)
			put_label(j, &type->labels[i], type->is_signed);
	}
	lt_json_end(j);
	lt_json_end(j);
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

/* A class that has a size at most. */
static void put_sized(struct lt_json *j, const char *name, const char *type, uint32_t size)
{
	lt_json_object(j, name);
	lt_json_word(j, "type", type);
	if (size)
		lt_json_u64(j, "length", size);
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
	lt_json_object(j, NULL);
	lt_json_word(j, "name", "context");
	put_sized(j, "field-class", "null-terminated-string", 0);
	lt_json_end(j);
	end_structure(j);
}

/* ------------------------------------------------------------------------
 * What lt_ctf_describe() declares
 */

static void put_type(void *w, const struct lt_ctf_type *type)
{
	struct v2 *v = w;
	struct lt_json *j = &v->j;

	put_object(j, "field-class-alias");
	lt_json_word(j, "name", type->name);
	put_enum(j, v->mach, type);
	lt_json_line(j);
}

static void put_stream(void *w, unsigned int channel)
{
	struct v2 *v = w;
	struct lt_json *j = &v->j;

	put_object(j, "data-stream-class");
	lt_json_u64(j, "id", channel);
	lt_json_word(j, "name", lt_channel_name(channel));
	lt_json_word(j, "default-clock-class-id", v->clock.name);
	put_packet_context(j, v->mach);
	put_record_header(j, v->mach);
	lt_json_line(j);
}

static void begin_event(void *w, const char *name, unsigned int channel, unsigned int id)
{
	struct v2 *v = w;
	struct lt_json *j = &v->j;

	put_object(j, "event-record-class");
	lt_json_u64(j, "data-stream-class-id", channel);
	lt_json_u64(j, "id", id);
	put_plain(j, "name", name);
	begin_structure(j, "payload-field-class");
}

static void end_event(void *w)
{
	struct v2 *v = w;

	lt_json_line(&v->j);
}

static void begin_group(void *w, const char *name)
{
	struct v2 *v = w;

	lt_json_object(&v->j, NULL);
	lt_json_word(&v->j, "name", name);
	begin_structure(&v->j, "field-class");
}

static void end_group(void *w, const char *name)
{
	struct v2 *v = w;

	(void)name;
	end_structure(&v->j);
	lt_json_end(&v->j);
}

static void put_counts(struct lt_json *j, const char *name, const struct lt_ctf_machine *mach)
{
	begin_structure(j, name);
	for (size_t i = 0; i < LT_CTF_N_COUNTS; i++)
		put_member(j, mach, &(struct member){ lt_ctf_counts[i], 64, 8, false, NULL, NULL });
	end_structure(j);
}

/* The class of a field, or of the elements of an array. */
static void put_class_of(struct v2 *v, const char *name, const struct lt_ctf_field *f)
{
	struct lt_json *j = &v->j;

	switch (f->shape) {
	case LT_CTF_NUMBER:
		put_class(j, name, v->mach,
			  &(struct member){ NULL, 8 * f->size, 8, f->is_signed, f->base, NULL });
		break;
	case LT_CTF_NAMED:
		lt_json_word(j, name, f->type);
		break;
	case LT_CTF_COUNTS:
		put_counts(j, name, v->mach);
		break;
	case LT_CTF_CHARS:
		put_sized(j, name, "static-length-string", f->size);
		break;
	case LT_CTF_TEXT:
		put_sized(j, name, "null-terminated-string", 0);
		break;
	case LT_CTF_BLOB:
		put_sized(j, name, "static-length-blob", f->size);
		break;
	}
}

static void begin_array(struct lt_json *j, const struct lt_ctf_field *f)
{
	lt_json_object(j, "field-class");
	if (f->times) {
		lt_json_word(j, "type", "static-length-array");
		lt_json_u64(j, "length", f->times);
		return;
	}
	lt_json_word(j, "type", "dynamic-length-array");
	lt_json_object(j, "length-field-location");
	lt_json_word(j, "origin", "event-record-payload");
	lt_json_array(j, "path");
	lt_json_word(j, NULL, f->count);
	lt_json_end(j);
	lt_json_end(j);
}

static void put_field(void *w, const struct lt_ctf_field *f)
{
	struct v2 *v = w;
	struct lt_json *j = &v->j;

	lt_json_object(j, NULL);
	lt_json_word(j, "name", f->name);
	if (f->times || f->count) {
		begin_array(j, f);
		put_class_of(v, "element-field-class", f);
		lt_json_end(j);
	} else {
		put_class_of(v, "field-class", f);
	}
	lt_json_end(j);
}

static const struct lt_ctf_writer writer = {
	.type = put_type, .stream = put_stream, .event = begin_event, .field = put_field,
	.group = begin_group, .group_end = end_group, .event_end = end_event,
};

void lt_ctf_v2_write(struct lt_out *o, const struct lt_export *e, const struct lt_ctf_machine *m)
{
	struct v2 v = { .j = LT_JSON_INIT(o), .mach = m };

	lt_ctf_read_clock(&v.clock, e->trace);
	put_object(&v.j, "preamble");
	lt_json_u64(&v.j, "version", 2);
	lt_json_line(&v.j);
	put_trace_class(&v.j, e, m);
	put_clock_class(&v.j, &v.clock);
	lt_ctf_describe(&writer, &v, e, m);
}

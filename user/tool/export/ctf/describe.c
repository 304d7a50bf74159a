// SPDX-License-Identifier: GPL-2.0
/*
 * CTF: what the metadata declares, see describe.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "export/ctf/describe.h"

const char *const lt_ctf_counts[LT_CTF_N_COUNTS] = {
	"seen", "lost_full", "lost_nmi", "lost_nested", "lost_nobuf", "filtered",
};

/**
 * struct walk - the metadata under way
 * @enums: the enums of values, each with their size
 * @is_type: by their numbers in @enums: these have labels, and are types
 */
struct walk {
	const struct lt_ctf_writer *writer;
	void *w;
	const struct lt_export *e;
	const struct lt_ctf_machine *m;
	struct lt_names enums;
	bool *is_type;
	size_t cap;
};

static void put_field(const struct walk *k, const struct lt_ctf_field *f)
{
	k->writer->field(k->w, f);
}

static void put_number(const struct walk *k, const char *name, uint32_t size, const char *base)
{
	put_field(k, &(struct lt_ctf_field){ .name = name, .size = size, .base = base });
}

static void put_named(const struct walk *k, const char *name, const char *type)
{
	put_field(k, &(struct lt_ctf_field){ .name = name, .shape = LT_CTF_NAMED, .type = type });
}

/* ------------------------------------------------------------------------
 * Types
 */

static void put_type(const struct walk *k, const struct lt_ctf_type *type)
{
	k->writer->type(k->w, type);
}

#define ENUM_TYPE	24

static void enum_type(char name[ENUM_TYPE], uint32_t number)
{
	snprintf(name, ENUM_TYPE, "enum%u_t", number);
}

/* The number of the enum of a value, from 1 on; 0: it is of none. */
static uint32_t enum_of(struct walk *k, const struct lt_call_form *form)
{
	const uint64_t key[2] = { (uintptr_t)form->names, form->size };

	if (form->kind != LT_CALL_ENUM || !form->names)
		return 0;
	return lt_names_add(&k->enums, (const char *)key, sizeof(key));
}

/*
 * An enum is one type for each size of its values. Its labels at each value would make the metadata
 * grow with the product of both numbers.
 */
static void put_enum(struct walk *k, const struct lt_call_form *form)
{
	uint32_t known = k->enums.n, number = enum_of(k, form);
	struct lt_ctf_name *labels;
	char name[ENUM_TYPE];
	size_t n;

	if (number < known)
		return;
	labels = lt_ctf_call_enum(form, &n);
	k->is_type = lt_grow(k->is_type, &k->cap, number, sizeof(*k->is_type));
	k->is_type[number] = n;
	enum_type(name, number);
	if (n)
		put_type(k, &(struct lt_ctf_type){ name, form->size, true,
			 lt_ctf_call_base(form->kind), labels, n });
	lt_ctf_labels_free(labels, n);
}

static bool has_calls(const struct walk *k)
{
	return k->m->calls.calls && k->m->streams[LT_CHANNEL_CALL];
}

static void put_types(struct walk *k)
{
	const struct lt_ctf_machine *m = k->m;
	const struct lt_function *f = NULL;
	struct lt_ctf_name *labels;
	size_t n;

	if (m->names.seen[LT_CTF_STACK].n > 1)
		put_type(k, &(struct lt_ctf_type){
			.name = LT_CTF_STACK_TYPE, .size = LT_CTF_STACK_SIZE, .base = "decimal",
			.labels = m->names.names[LT_CTF_STACK] + 1,
			.n = m->names.seen[LT_CTF_STACK].n - 1,
		});
	labels = lt_ctf_call_functions(&m->calls, &n);
	if (n)
		put_type(k, &(struct lt_ctf_type){ LT_CTF_FUNCTION_TYPE, LT_CTF_FUNCTION_SIZE,
			 false, "decimal", labels, n });
	lt_ctf_labels_free(labels, n);
	while (has_calls(k) && (f = lt_ctf_call_next(&m->calls, f))) {
		for (unsigned int i = 0; i < f->n_values; i++)
			put_enum(k, &f->values[i]);
	}
}

/* ------------------------------------------------------------------------
 * Events
 */

/* The event with the counters of a packet. */
static void put_counters(const struct walk *k, unsigned int channel)
{
	static const struct {
		const char *name;
		uint32_t size;
		const char *base;
	} rest[] = {
		{ "version_major", 1, "decimal" }, { "version_minor", 1, "decimal" },
		{ "page_shift", 1, "decimal" }, { "header_size", 2, "decimal" },
		{ "flags", 2, "decimal" }, { "size_long", 1, "decimal" },
		{ "size_ptr", 1, "decimal" }, { "size_pid", 1, "decimal" },
		{ "size_gfp", 1, "decimal" }, { "n_classes", 4, "decimal" },
		{ "text_base", 8, "hexadecimal" }, { "ptr_base", 8, "hexadecimal" },
		{ "session", 8, "hexadecimal" },
	};
	char buf[32];

	k->writer->event(k->w, LT_CTF_COUNTERS_NAME, channel, LT_CTF_COUNTERS);
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		put_number(k, rest[i].name, rest[i].size, rest[i].base);
	for (uint32_t i = 0; i < k->m->counts; i++)
		put_field(k, &(struct lt_ctf_field){
			.name = lt_ctf_class_name(k->e->schema, channel, i, buf, sizeof(buf)),
			.shape = LT_CTF_COUNTS,
		});
	if (k->m->extra)	/* bytes of a newer minor version */
		put_field(k, &(struct lt_ctf_field){ .name = "newer", .shape = LT_CTF_BLOB,
			  .base = "hexadecimal", .size = k->m->extra });
	k->writer->event_end(k->w);
}

static void put_schema_field(const struct walk *k, const struct lt_event_desc *d,
			     const struct lt_field *f)
{
	struct lt_ctf_field field = {
		.name = f->name, .size = f->size, .is_signed = f->type == LT_TYPE_SINT,
		.base = lt_ctf_base(f), .times = f->count > 1 ? f->count : 0,
	};

	if (lt_ctf_is_function(&k->m->calls, d, f)) {
		put_named(k, LT_CTF_FUNCTION_FIELD, LT_CTF_FUNCTION_TYPE);
		return;
	}
	if (lt_ctf_is_label(&k->m->names, f))
		field.shape = LT_CTF_TEXT;
	else if (f->type == LT_TYPE_CHARS)
		field.shape = LT_CTF_CHARS;
	put_field(k, &field);
}

/* The bytes from @at to @end, which the schema gives no field; version 1.0 has none. */
static void put_unnamed(const struct walk *k, uint32_t at, uint32_t end)
{
	char name[32];

	if (end <= at)
		return;
	snprintf(name, sizeof(name), "unnamed_%u", at);
	put_field(k,
		  &(struct lt_ctf_field){ .name = name, .shape = LT_CTF_BLOB, .size = end - at });
}

static void put_event(const struct walk *k, const struct lt_event_desc *d)
{
	uint32_t at = 0;

	k->writer->event(k->w, lt_ctf_event_name(d->name), d->channel, LT_EV_ID(d->id));
	for (unsigned int i = 0; i < d->n_fields; i++) {
		put_unnamed(k, at, d->fields[i].offset);
		put_schema_field(k, d, &d->fields[i]);
		at = d->fields[i].offset + lt_field_bytes(&d->fields[i]);
	}
	put_unnamed(k, at, d->size);
	if (k->m->stacked[d->id] && k->m->names.seen[LT_CTF_STACK].n > 1)
		put_named(k, LT_CTF_STACK_FIELD, LT_CTF_STACK_TYPE);
	else if (k->m->stacked[d->id])
		put_number(k, LT_CTF_STACK_FIELD, LT_CTF_STACK_SIZE, "decimal");
	k->writer->event_end(k->w);
}

/* ------------------------------------------------------------------------
 * Function calls
 */

static void put_value(struct walk *k, const struct lt_ctf_call_field *value)
{
	const struct lt_call_form *form = value->form;
	uint32_t number = enum_of(k, form);
	struct lt_ctf_field field = {
		.name = value->name, .any_name = true, .size = form->size,
		.is_signed = lt_call_has_sign(form->kind), .base = lt_ctf_call_base(form->kind),
	};
	char type[ENUM_TYPE];

	if (form->kind == LT_CALL_OF_TEXT) {
		field.shape = LT_CTF_TEXT;
	} else if (form->kind == LT_CALL_OF_BYTES) {
		field.size = 1;
		field.times = form->size;
	} else if (number && k->is_type[number]) {
		enum_type(type, number);
		field.shape = LT_CTF_NAMED;
		field.type = type;
	}
	put_field(k, &field);
}

static void put_values(struct walk *k, const struct lt_function *f, enum lt_call_when when)
{
	const char *group = lt_ctf_call_group(when);
	struct lt_ctf_call_field fields[LT_CALL_VALUES];
	unsigned int n = lt_ctf_call_fields(f, when, fields);

	if (group && n)
		k->writer->group(k->w, group);
	for (unsigned int i = 0; i < n; i++)
		put_value(k, &fields[i]);
	if (group && n)
		k->writer->group_end(k->w, group);
}

static void put_call_members(const struct walk *k)
{
	for (unsigned int i = 0; i < LT_CTF_CALL_MEMBERS; i++)
		put_number(k, lt_ctf_call_members[i].name, lt_ctf_call_members[i].size,
			   lt_ctf_call_members[i].base);
}

static void put_call(struct walk *k, const struct lt_function *f)
{
	char *name = lt_format("%s%s", LT_CTF_CALL_PREFIX, f->name);

	k->writer->event(k->w, name, LT_CHANNEL_CALL, LT_CTF_FIRST_CALL + f->number);
	free(name);
	put_call_members(k);
	put_values(k, f, LT_CALL_AT_ENTRY);
	put_values(k, f, LT_CALL_AT_RETURN);
	put_values(k, f, LT_CALL_THE_RESULT);
	k->writer->event_end(k->w);
}

/* Calls whose values nothing describes. */
static void put_call_of_bytes(const struct walk *k)
{
	static const char size[] = "n_bytes";

	k->writer->event(k->w, "call", LT_CHANNEL_CALL, LT_CTF_CALL);
	if (lt_function_next(k->m->calls.functions, NULL))
		put_named(k, LT_CTF_FUNCTION_FIELD, LT_CTF_FUNCTION_TYPE);
	else
		put_number(k, LT_CTF_FUNCTION_FIELD, LT_CTF_FUNCTION_SIZE, "decimal");
	put_call_members(k);
	put_number(k, size, 2, "decimal");
	put_field(k, &(struct lt_ctf_field){ .name = "bytes", .size = 1, .base = "hexadecimal",
		  .count = size });
	k->writer->event_end(k->w);
}

/* ------------------------------------------------------------------------
 * All of it
 */

static void put_streams(const struct walk *k)
{
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		if (k->m->streams[channel])
			k->writer->stream(k->w, channel);
	}
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		if (k->m->streams[channel])
			put_counters(k, channel);
	}
}

void lt_ctf_describe(const struct lt_ctf_writer *writer, void *w, const struct lt_export *e,
		     const struct lt_ctf_machine *m)
{
	struct walk k = { .writer = writer, .w = w, .e = e, .m = m };
	const struct lt_function *f = NULL;

	lt_names_init(&k.enums);
	put_types(&k);
	put_streams(&k);
	for (unsigned int id = 0; id < LT_SCHEMA_IDS; id++) {
		const struct lt_event_desc *d = lt_schema_event(e->schema, id);

		if (lt_ctf_has_event(m, d))
			put_event(&k, d);
	}
	while (has_calls(&k) && (f = lt_ctf_call_next(&m->calls, f)))
		put_call(&k, f);
	if (has_calls(&k))
		put_call_of_bytes(&k);
	free(k.is_type);
	lt_names_destroy(&k.enums);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * CTF: function calls, see calls.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/mem.h"
#include "base/names.h"
#include "export/ctf/calls.h"

/* As put_members() writes them. */
const struct lt_ctf_call_member lt_ctf_call_members[LT_CTF_CALL_MEMBERS] = {
	{ "depth", 2, "decimal" }, { "duration", 8, "decimal" }, { "tid", 4, "decimal" },
	{ "tgid", 4, "decimal" }, { "unread", 4, "hexadecimal" }, { "cut", 4, "hexadecimal" },
};

/* The order of the values in an event. */
static const enum lt_call_when groups[] = {
	LT_CALL_AT_ENTRY, LT_CALL_AT_RETURN, LT_CALL_THE_RESULT,
};

#define N_GROUPS	(sizeof(groups) / sizeof(groups[0]))

int lt_ctf_calls_init(struct lt_ctf_calls *c, const struct lt_trace *t)
{
	memset(c, 0, sizeof(*c));
	c->calls = lt_calls_new(t);
	if (!c->calls)
		return -1;
	c->functions = lt_calls_functions(c->calls);
	return 0;
}

void lt_ctf_calls_destroy(struct lt_ctf_calls *c)
{
	lt_calls_free(c->calls);
	free(c->payload.s);
	memset(c, 0, sizeof(*c));
}

bool lt_ctf_is_call(const struct lt_event_desc *d)
{
	return d->channel == LT_CHANNEL_CALL && d->class == LT_CLASS_CALL;
}

/* ------------------------------------------------------------------------
 * Events
 */

void lt_ctf_calls_packet(struct lt_ctf_calls *c)
{
	c->tid = 0;
	c->tgid = 0;
}

static uint32_t number_in(const struct lt_packet *p, const struct lt_record *r, const char *name)
{
	const struct lt_field *f = lt_schema_field(r->desc, name);

	return f && f->type != LT_TYPE_CHARS ? (uint32_t)lt_field_raw(p, f, r->payload) : 0;
}

void lt_ctf_calls_task(struct lt_ctf_calls *c, const struct lt_packet *p, const struct lt_record *r)
{
	if (r->desc->event != LT_EV_CALL_TASK)
		return;
	c->tid = number_in(p, r, "tid");
	c->tgid = number_in(p, r, "tgid");
}

static void put(struct lt_ctf_calls *c, unsigned int size, uint64_t v, bool big)
{
	uint8_t bytes[8];

	lt_put_uint(bytes, size, v, big);
	lt_str_bytes(&c->payload, (const char *)bytes, size);
}

/* Those of lt_ctf_call_members[]. */
static void put_members(struct lt_ctf_calls *c, const struct lt_call *call, uint64_t units,
			uint32_t unread, uint32_t cut)
{
	put(c, 2, call->depth, call->big);
	put(c, 8, units, call->big);
	put(c, 4, c->tid, call->big);
	put(c, 4, c->tgid, call->big);
	put(c, 4, unread, call->big);
	put(c, 4, cut, call->big);
}

/*
 * babeltrace2 2.0 prints, in place of a text without a character, that of an earlier event. So
 * one that could not be read is a word.
 */
static void put_text(struct lt_ctf_calls *c, const struct lt_call_value *v, bool big)
{
	if (v->null)
		lt_str_put(&c->payload, "NULL");
	else if (v->unread && !v->len)
		lt_str_put(&c->payload, "<unread>");
	else
		lt_str_bytes(&c->payload, (const char *)v->bytes, v->len);
	put(c, 1, 0, big);
}

static void put_value(struct lt_ctf_calls *c, const struct lt_call *call,
		      const struct lt_call_value *v)
{
	switch (v->form->kind) {
	case LT_CALL_OF_TEXT:
		put_text(c, v, call->big);
		break;
	case LT_CALL_OF_BYTES:
		lt_str_bytes(&c->payload, (const char *)v->bytes, v->len);
		break;
	default:
		put(c, v->form->size, v->number, call->big);
	}
}

/* The marks of values, which have one bit each, for the order of an event. */
static uint32_t reordered(const struct lt_call *call, uint32_t marks)
{
	const struct lt_function *f = call->function;
	uint32_t bits = 0;
	unsigned int at = 0;

	for (size_t g = 0; g < N_GROUPS && marks; g++) {
		for (unsigned int i = 0; i < f->n_values; i++) {
			if (f->values[i].when == groups[g])
				bits |= (marks >> i & 1) << at++;
		}
	}
	return bits;
}

static bool all_there(const struct lt_call_value *values, unsigned int n)
{
	unsigned int i = 0;

	while (i < n && values[i].there)
		i++;
	return i == n;
}

/* The values as they were recorded; of the short form in the sizes of the function. */
static unsigned int put_bytes(struct lt_ctf_calls *c, const struct lt_call *call, uint64_t units)
{
	put(c, 2, call->number, call->big);
	put_members(c, call, units, call->unread, call->cut);
	put(c, 2, call->size, call->big);
	if (call->size)
		lt_str_bytes(&c->payload, (const char *)call->values, call->size);
	return LT_CTF_CALL;
}

unsigned int lt_ctf_calls_event(struct lt_ctf_calls *c, const struct lt_packet *p,
				const struct lt_record *r)
{
	struct lt_call_value values[LT_CALL_VALUES];
	struct lt_call call;
	unsigned int n;
	uint64_t units;

	lt_calls_record(c->calls, p, r->desc, r->payload, &call, &units);
	n = lt_call_values(&call, values);
	c->payload.n = 0;
	if (!call.function || LT_CTF_FIRST_CALL + call.number > LT_CTF_LAST_CALL ||
	    !all_there(values, n))
		return put_bytes(c, &call, units);
	put_members(c, &call, units, reordered(&call, call.unread), reordered(&call, call.cut));
	for (size_t g = 0; g < N_GROUPS; g++) {
		for (unsigned int i = 0; i < n; i++) {
			if (values[i].form->when == groups[g])
				put_value(c, &call, &values[i]);
		}
	}
	return LT_CTF_FIRST_CALL + call.number;
}

/* ------------------------------------------------------------------------
 * Metadata
 */

const char *lt_ctf_call_group(enum lt_call_when when)
{
	switch (when) {
	case LT_CALL_AT_ENTRY:
		return "args";
	case LT_CALL_AT_RETURN:
		return "at_return";
	default:
		return NULL;
	}
}

/*
 * "p->in.numbers[3]" becomes "p_in_numbers_3", as identifiers of CTF 1.8 have no other characters.
 */
static void make_name(char to[LT_CTF_CALL_NAME], const char *name)
{
	size_t n = 0;

	for (; *name && n + 1 < LT_CTF_CALL_NAME; name++) {
		bool plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
			     (*name >= '0' && *name <= '9') || *name == '_';

		if (plain)
			to[n++] = *name;
		else if (n && to[n - 1] != '_')
			to[n++] = '_';
	}
	while (n && to[n - 1] == '_')
		n--;
	to[n] = 0;
	if (!n)
		strcpy(to, "value");
}

/*
 * babeltrace2 drops the first '_' of a name that it has read: "_x" takes away "x" behind it, too.
 */
static bool takes(const char *earlier, const char *name)
{
	return !strcmp(earlier, name) || (*earlier == '_' && !strcmp(earlier + 1, name));
}

static bool is_taken(const struct lt_ctf_call_field *fields, unsigned int n, const char *name)
{
	while (n && !takes(fields[n - 1].name, name))
		n--;
	return n;
}

/* A name that another value of the group has gets a number. */
static void make_unique(const struct lt_ctf_call_field *fields, unsigned int n,
			char name[LT_CTF_CALL_NAME])
{
	char unique[LT_CTF_CALL_NAME];
	int most = LT_CTF_CALL_NAME - 5;

	snprintf(unique, sizeof(unique), "%s", name);
	for (unsigned int i = 2; is_taken(fields, n, unique); i++)
		snprintf(unique, sizeof(unique), "%.*s_%u", most, name, i);
	strcpy(name, unique);
}

unsigned int lt_ctf_call_fields(const struct lt_function *f, enum lt_call_when when,
				struct lt_ctf_call_field fields[LT_CALL_VALUES])
{
	bool result = when == LT_CALL_THE_RESULT;
	unsigned int n = 0;

	for (unsigned int i = 0; i < f->n_values; i++) {
		if (f->values[i].when != when)
			continue;
		make_name(fields[n].name, result ? "result" : f->values[i].name);
		make_unique(fields, n, fields[n].name);
		fields[n++].form = &f->values[i];
	}
	return n;
}

const struct lt_function *lt_ctf_call_next(const struct lt_ctf_calls *c,
					   const struct lt_function *after)
{
	const struct lt_function *f = c->functions ? lt_function_next(c->functions, after) : NULL;

	return f && LT_CTF_FIRST_CALL + f->number <= LT_CTF_LAST_CALL ? f : NULL;
}

const char *lt_ctf_call_base(enum lt_call_kind kind)
{
	switch (kind) {
	case LT_CALL_HEX:
	case LT_CALL_POINTER:
	case LT_CALL_FLAGS:
	case LT_CALL_OF_BYTES:
		return "hexadecimal";
	default:
		return "decimal";
	}
}

/* Labels that differ shall still differ when they are written, without these characters. */
static char *plain(char *label)
{
	char *to = label;

	for (const char *from = label; *from; from++) {
		if (lt_ctf_is_plain(*from))
			*to++ = *from;
	}
	*to = 0;
	return label;
}

/*
 * Whether `calls` gives a value this name: one that does not fit the value has none, and of two
 * that are equal there one is chosen.
 */
static bool is_used(const struct lt_call_form *form, const struct lt_call_name *name)
{
	return lt_call_enum_name(form->names, name->value, form->size) == name->name;
}

struct lt_ctf_name *lt_ctf_call_enum(const struct lt_call_form *form, size_t *n)
{
	const struct lt_call_enum *e = form->names;
	struct lt_ctf_name *labels;
	struct lt_names seen;

	*n = 0;
	if (form->kind != LT_CALL_ENUM || !e || !e->n)
		return NULL;
	labels = lt_alloc_array(e->n, sizeof(*labels));
	lt_names_init(&seen);
	for (size_t i = 0; i < e->n; i++) {
		char *label = plain(lt_strdup(e->sorted[i].name));
		uint32_t known = seen.n;

		/* The end of @sorted may repeat a name. */
		if (*label && is_used(form, &e->sorted[i]) &&
		    lt_names_add(&seen, label, strlen(label)) == known)
			labels[(*n)++] = (struct lt_ctf_name){
				.raw = lt_call_extended(e->sorted[i].value, form->size),
				.label = label,
			};
		else
			free(label);
	}
	lt_names_destroy(&seen);
	if (*n)
		return labels;
	free(labels);
	return NULL;
}

struct lt_ctf_name *lt_ctf_call_functions(const struct lt_ctf_calls *c, size_t *n)
{
	const struct lt_function *f = NULL;
	struct lt_ctf_name *labels = NULL;
	struct lt_names seen;
	size_t cap = 0;

	*n = 0;
	lt_names_init(&seen);
	while (c->functions && (f = lt_function_next(c->functions, f))) {
		uint32_t known = seen.n;
		char *label = plain(f->module ? lt_format("%s [%s]", f->name, f->module) :
						lt_strdup(f->name));

		if (lt_names_add(&seen, label, strlen(label)) != known) {
			free(label);
			label = plain(lt_format("%s #%u", f->name, f->number));
			known = seen.n;
			if (lt_names_add(&seen, label, strlen(label)) != known) {
				free(label);
				continue;
			}
		}
		labels = lt_grow(labels, &cap, *n, sizeof(*labels));
		labels[(*n)++] = (struct lt_ctf_name){ .raw = f->number, .label = label };
	}
	lt_names_destroy(&seen);
	return labels;
}

void lt_ctf_labels_free(struct lt_ctf_name *labels, size_t n)
{
	while (n)
		free(labels[--n].label);
	free(labels);
}

bool lt_ctf_is_function(const struct lt_ctf_calls *c, const struct lt_event_desc *d,
			const struct lt_field *f)
{
	return c->functions && lt_function_next(c->functions, NULL) &&
	       d->channel == LT_CHANNEL_CALL && !strcmp(f->name, LT_CTF_FUNCTION_FIELD) &&
	       f->type == LT_TYPE_UINT && f->count == 1 && f->size == LT_CTF_FUNCTION_SIZE;
}

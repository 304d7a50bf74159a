// SPDX-License-Identifier: GPL-2.0
/*
 * CTF: names for callers, caches and stacks, see names.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/names.h"
#include "export/ctf/names.h"

#define NO_KIND		UINT32_MAX	/* no field of the schema */

/* In the order of enum lt_ctf_naming. */
static const struct {
	const char *type;
	unsigned int kind;	/* LT_KIND_ */
	unsigned int size;	/* of the field, bytes */
} namings[LT_N_CTF_NAMINGS] = {
	{ "site32_t", LT_KIND_CODE, 4 }, { "site64_t", LT_KIND_CODE, 8 },
	{ "cache_t", LT_KIND_CACHE, 2 }, { "stack_t", NO_KIND, 4 },
};

void lt_ctf_names_init(struct lt_ctf_names *n)
{
	memset(n, 0, sizeof(*n));
	for (int i = 0; i < LT_N_CTF_NAMINGS; i++)
		lt_intern_init(&n->seen[i]);
	lt_stacks_init(&n->stacks);
}

void lt_ctf_names_destroy(struct lt_ctf_names *n)
{
	for (int i = 0; i < LT_N_CTF_NAMINGS; i++) {
		for (uint32_t k = 1; k < n->seen[i].n; k++)
			free(n->names[i][k].label);
		free(n->names[i]);
		lt_intern_destroy(&n->seen[i]);
	}
	lt_stacks_destroy(&n->stacks);
}

static enum lt_ctf_naming naming_of(const struct lt_field *f)
{
	unsigned int i = 0;

	while (i < LT_N_CTF_NAMINGS && (f->kind != namings[i].kind || f->size != namings[i].size ||
					f->type == LT_TYPE_SINT))
		i++;
	return (enum lt_ctf_naming)i;
}

/* The entry of a number other than 0, a new one if the number is. */
static struct lt_ctf_name *name_of(struct lt_ctf_names *n, enum lt_ctf_naming naming, uint64_t raw,
				   bool *is_new)
{
	uint32_t before = n->seen[naming].n, number = lt_intern_number(&n->seen[naming], raw);

	*is_new = number == before;
	if (*is_new) {
		n->names[naming] = lt_grow(n->names[naming], &n->cap[naming], number,
					   sizeof(struct lt_ctf_name));
		n->names[naming][number] = (struct lt_ctf_name){ .raw = raw };
	}
	return &n->names[naming][number];
}

/* Bytes of the names of all caches that an id has meant; of more of them there is "...". */
#define MOST_LABEL	200
#define ELLIPSIS	"..."

/* An enumeration knows no time: of an id that is used again the label has all names. */
static void add_name(struct lt_ctf_name *name, const char *text, int size)
{
	char *new = lt_format("%.*s", size, text), *all;
	size_t len = name->label ? strlen(name->label) : 0;

	if (!name->label) {
		name->label = new;
		return;
	}
	if (len < MOST_LABEL && !strstr(name->label, new) &&
	    !strstr(name->label, ELLIPSIS)) {
		all = lt_format("%s or %s", name->label,
				len + strlen(new) < MOST_LABEL ? new : ELLIPSIS);
		free(name->label);
		name->label = all;
	}
	free(new);
}

/* A record that names a cache. */
static void take_cache(struct lt_ctf_names *n, const struct lt_packet *p,
		       const struct lt_event_desc *d, const uint8_t *payload)
{
	const struct lt_field *id = lt_schema_field(d, "cache"), *text = lt_schema_field(d, "name");
	struct lt_ctf_name *name;
	const char *label;
	bool is_new;
	uint64_t raw;

	if (!id || !text || text->type != LT_TYPE_CHARS || naming_of(id) != LT_CTF_CACHE)
		return;
	raw = lt_field_raw(p, id, payload);
	label = (const char *)payload + text->offset;
	if (!raw || !*label)
		return;
	name = name_of(n, LT_CTF_CACHE, raw, &is_new);
	add_name(name, label, (int)text->size);
}

/* A code address in a record. */
static void take_code(struct lt_ctf_names *n, const struct lt_packet *p, const struct lt_field *f,
		      const uint8_t *payload, unsigned int i)
{
	uint64_t addr = lt_field_element(p, f, payload, i), raw = addr;
	struct lt_ctf_name *name;
	bool is_new;

	if (!addr)
		return;
	/* The enumeration is of what stands in the record. */
	if (lt_field_base(f) == LT_BASE_TEXT)
		raw -= p->text_base;
	name = name_of(n, naming_of(f), raw, &is_new);
	if (is_new)
		name->addr = addr;
}

void lt_ctf_names_record(struct lt_ctf_names *n, const struct lt_packet *p,
			 const struct lt_event_desc *d, const uint8_t *payload)
{
	if (d->event == LT_EV_CACHE)
		take_cache(n, p, d, payload);
	for (unsigned int i = 0; i < d->n_fields; i++) {
		const struct lt_field *f = &d->fields[i];

		if (f->kind != LT_KIND_CODE || naming_of(f) == LT_CTF_NO_NAMING)
			continue;
		for (unsigned int k = 0; k < f->count; k++)
			take_code(n, p, f, payload, k);
	}
}

void lt_ctf_names_stack(struct lt_ctf_names *n, uint32_t number)
{
	bool is_new;

	if (number)
		name_of(n, LT_CTF_STACK, number, &is_new);
}

/* "a+0x1 <- b+0x2 <- ...", to be freed; without the page allocator's own, as dump shows it. */
static char *stack_label(const struct lt_trace *t, const struct lt_stack *stack)
{
	unsigned int first = lt_trace_own_frames(t, stack);
	char *text, buf[256];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		lt_fatal("out of memory");
	for (unsigned int i = first; i < stack->n; i++)
		fprintf(out, "%s%s", i > first ? " <- " : "",
			lt_trace_symbol(t, stack->frames[i], true, buf, sizeof(buf)));
	if (stack->flags & LT_STACK_IRQ)
		fprintf(out, " <- (interrupt)");
	if (stack->flags & LT_STACK_CUT)
		fprintf(out, " <- ...");
	fclose(out);
	return text;
}

/* NULL: a cache whose name is not known; others have it already. */
static char *label_of(const struct lt_ctf_names *n, enum lt_ctf_naming naming,
		      const struct lt_ctf_name *name, const struct lt_trace *t)
{
	struct lt_stack stack;
	char buf[256];

	switch (naming) {
	case LT_CTF_CACHE:
		return name->label;
	case LT_CTF_STACK:
		stack = lt_stacks_get(&n->stacks, (uint32_t)name->raw);
		return stack_label(t, &stack);
	default:
		return lt_strdup(lt_trace_symbol(t, name->addr, true, buf, sizeof(buf)));
	}
}

static void add_labels(struct lt_ctf_names *n, enum lt_ctf_naming naming, const struct lt_trace *t)
{
	struct lt_names labels;

	lt_names_init(&labels);
	for (uint32_t k = 1; k < n->seen[naming].n; k++) {
		struct lt_ctf_name *name = &n->names[naming][k];
		uint32_t known = labels.n;

		name->label = label_of(n, naming, name, t);
		/* A cache that was destroyed may have the name of another one. */
		if (name->label &&
		    lt_names_add(&labels, name->label, strlen(name->label)) != known) {
			char *unique = lt_format("%s #%llu", name->label,
						 (unsigned long long)name->raw);

			free(name->label);
			name->label = unique;
			lt_names_add(&labels, unique, strlen(unique));
		}
	}
	lt_names_destroy(&labels);
}

void lt_ctf_names_finish(struct lt_ctf_names *n, const struct lt_trace *t)
{
	for (int i = 0; i < LT_N_CTF_NAMINGS; i++)
		add_labels(n, (enum lt_ctf_naming)i, t);
}

enum lt_ctf_naming lt_ctf_naming(const struct lt_ctf_names *n, const struct lt_field *f)
{
	enum lt_ctf_naming naming = naming_of(f);

	/* An enumeration without a name is not valid. */
	if (naming == LT_CTF_NO_NAMING || n->seen[naming].n < 2)
		return LT_CTF_NO_NAMING;
	return naming;
}

const char *lt_ctf_naming_type(enum lt_ctf_naming naming)
{
	return namings[naming].type;
}

uint32_t lt_ctf_naming_size(enum lt_ctf_naming naming)
{
	return namings[naming].size;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * CTF: names of callers, caches and stacks, see names.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace.h"
#include "base/log.h"
#include "base/mem.h"
#include "export/ctf/names.h"

#define NO_KIND		UINT32_MAX	/* no field of the schema */

/* In the order of enum lt_ctf_naming. */
static const struct {
	const char *type;
	unsigned int kind;	/* LT_KIND_ */
	unsigned int size;	/* of the field, bytes */
} namings[LT_N_CTF_NAMINGS] = {
	{ NULL, NO_KIND, 0 }, { "cache_t", LT_KIND_CACHE, 2 }, { "stack_t", NO_KIND, 4 },
};

void lt_ctf_names_init(struct lt_ctf_names *n, const struct lt_trace *t)
{
	memset(n, 0, sizeof(*n));
	n->t = t;
	lt_names_init(&n->labels);
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
	lt_names_destroy(&n->labels);
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

/* Gives a name its label, if there is one: another one than all in @labels. */
static void set_label(struct lt_ctf_name *name, char *label, struct lt_names *labels)
{
	uint32_t known = labels->n;

	name->label = label;
	/* A cache that was destroyed may have the name of another one. */
	if (!label || lt_names_add(labels, label, strlen(label)) == known)
		return;
	name->label = lt_format("%s #%llu", label, (unsigned long long)name->raw);
	free(label);
	lt_names_add(labels, name->label, strlen(name->label));
}

const char *lt_ctf_label(struct lt_ctf_names *n, const struct lt_packet *p,
			 const struct lt_field *f, const uint8_t *payload, unsigned int i)
{
	uint64_t addr = lt_field_element(p, f, payload, i);
	struct lt_ctf_name *name;
	char buf[256];
	bool is_new;

	if (!addr)
		return LT_CTF_NO_SITE;
	name = name_of(n, LT_CTF_SITE, addr, &is_new);
	if (is_new)
		set_label(name, lt_strdup(lt_trace_symbol(n->t, addr, true, buf, sizeof(buf))),
			  &n->labels);
	return name->label;
}

void lt_ctf_names_record(struct lt_ctf_names *n, const struct lt_packet *p,
			 const struct lt_event_desc *d, const uint8_t *payload)
{
	if (d->event == LT_EV_CACHE)
		take_cache(n, p, d, payload);
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

void lt_ctf_names_finish(struct lt_ctf_names *n)
{
	struct lt_names labels;

	for (int i = LT_CTF_FIRST_TYPE; i < LT_N_CTF_NAMINGS; i++) {
		lt_names_init(&labels);
		for (uint32_t k = 1; k < n->seen[i].n; k++) {
			struct lt_ctf_name *name = &n->names[i][k];
			struct lt_stack stack;

			if (i == LT_CTF_STACK) {
				stack = lt_stacks_get(&n->stacks, (uint32_t)name->raw);
				name->label = stack_label(n->t, &stack);
			}
			/* NULL: a cache whose name is not known. */
			set_label(name, name->label, &labels);
		}
		lt_names_destroy(&labels);
	}
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

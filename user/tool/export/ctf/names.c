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

void lt_ctf_names_init(struct lt_ctf_names *n, const struct lt_trace *t)
{
	memset(n, 0, sizeof(*n));
	n->t = t;
	for (int i = 0; i < LT_N_CTF_NAMINGS; i++) {
		lt_intern_init(&n->seen[i]);
		lt_names_init(&n->labels[i]);
	}
	lt_stacks_init(&n->stacks);
}

void lt_ctf_names_destroy(struct lt_ctf_names *n)
{
	for (int i = 0; i < LT_N_CTF_NAMINGS; i++) {
		for (uint32_t k = 1; k < n->seen[i].n; k++)
			free(n->names[i][k].label);
		free(n->names[i]);
		lt_intern_destroy(&n->seen[i]);
		lt_names_destroy(&n->labels[i]);
	}
	lt_stacks_destroy(&n->stacks);
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
#define OR		" or "

/* Whether a label has a name, whole. */
static bool has_name(const char *label, const char *text)
{
	const size_t len = strlen(text);

	for (const char *at = label; (at = strstr(at, text)); at++) {
		const char *end = at + len;
		bool begins = at == label || ((size_t)(at - label) >= strlen(OR) &&
					      !strncmp(at - strlen(OR), OR, strlen(OR)));

		if (begins && (!*end || !strncmp(end, OR, strlen(OR))))
			return true;
	}
	return false;
}

/* A label is that of an id in the whole trace: of one that is used again it has all names. */
static void add_name(struct lt_ctf_name *name, const char *text, int size)
{
	char *new = lt_format("%.*s", size, text), *all;
	size_t len = name->label ? strlen(name->label) : 0;

	if (!name->label) {
		name->label = new;
		return;
	}
	if (len < MOST_LABEL && !has_name(name->label, new) && !has_name(name->label, ELLIPSIS)) {
		all = lt_format("%s" OR "%s", name->label,
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

	if (!id || !text || text->type != LT_TYPE_CHARS || !lt_ctf_is_label(n, id))
		return;
	raw = lt_field_raw(p, id, payload);
	label = (const char *)payload + text->offset;
	if (!raw || !*label)
		return;
	name = name_of(n, LT_CTF_CACHE, raw, &is_new);
	add_name(name, label, (int)text->size);
}

/* Gives a name its label: another one than all that are taken. */
static void set_label(struct lt_ctf_names *n, enum lt_ctf_naming naming, struct lt_ctf_name *name,
		      char *label)
{
	struct lt_names *labels = &n->labels[naming];
	const uint32_t known = labels->n;

	/* A cache that was destroyed may have the name of another one. */
	while (lt_names_add(labels, label, strlen(label)) != known) {
		char *longer = lt_format("%s #%llu", label, (unsigned long long)name->raw);

		free(label);
		label = longer;
	}
	name->label = label;
}

const char *lt_ctf_label(struct lt_ctf_names *n, const struct lt_packet *p,
			 const struct lt_field *f, const uint8_t *payload, unsigned int i)
{
	enum lt_ctf_naming naming = f->kind == LT_KIND_CACHE ? LT_CTF_CACHE : LT_CTF_SITE;
	uint64_t raw = lt_field_element(p, f, payload, i);
	struct lt_ctf_name *name;
	char buf[256], *label;
	bool is_new;

	if (!raw)
		return LT_CTF_NONE;
	name = name_of(n, naming, raw, &is_new);
	if (!is_new)
		return name->label;
	/* The trace names no cache with this id. */
	if (naming == LT_CTF_CACHE)
		label = lt_format("#%llu", (unsigned long long)raw);
	else
		label = lt_strdup(lt_trace_symbol(n->t, raw, true, buf, sizeof(buf)));
	set_label(n, naming, name, label);
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

void lt_ctf_names_caches(struct lt_ctf_names *n)
{
	struct lt_ctf_name *caches = n->names[LT_CTF_CACHE];

	for (uint32_t k = 1; k < n->seen[LT_CTF_CACHE].n; k++)
		set_label(n, LT_CTF_CACHE, &caches[k], caches[k].label);
}

void lt_ctf_names_finish(struct lt_ctf_names *n)
{
	for (uint32_t k = 1; k < n->seen[LT_CTF_STACK].n; k++) {
		struct lt_ctf_name *name = &n->names[LT_CTF_STACK][k];
		struct lt_stack stack = lt_stacks_get(&n->stacks, (uint32_t)name->raw);

		set_label(n, LT_CTF_STACK, name, stack_label(n->t, &stack));
	}
}

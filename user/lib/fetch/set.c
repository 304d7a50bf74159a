// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sets of functions: which ones specs select, and what is written of them.
 */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/quantity.h"
#include "base/str.h"
#include "base/text.h"
#include "fetch/build.h"

#define MAX_SPECS	(16U << 20)	/* bytes of a file */

#define NO_SPEC		UINT32_MAX

static bool matches_module(const struct lt_fetch *f, const struct lt_spec *s, uint16_t module)
{
	if (!*s->module)
		return true;
	if (!module)
		return !strcmp(s->module, "vmlinux");
	return !fnmatch(s->module, f->modules[module].name, 0);
}

/* The entries that a spec names: their number of the spec is set. Return: how many. */
static size_t choose(const struct lt_fetch *f, const struct lt_spec *s, uint32_t number,
		     uint32_t *chosen)
{
	size_t n = 0;
	uint32_t at;

	if (!strpbrk(s->name, "*?[")) {
		lt_map_for_each(at, slot, &f->by_name, lt_fetch_hash(s->name)) {
			const struct lt_fetch_entry *e = &f->entries[at - 1];

			if (strcmp(e->name, s->name) || !matches_module(f, s, e->module))
				continue;
			chosen[at - 1] = number;
			n++;
		}
		return n;
	}
	for (size_t i = 0; i < f->n; i++) {
		const struct lt_fetch_entry *e = &f->entries[i];

		if (!matches_module(f, s, e->module) || fnmatch(s->name, e->name, 0))
			continue;
		chosen[i] = number;
		n++;
	}
	return n;
}

/* Why a spec names nothing. */
static void names_nothing(const struct lt_fetch *f, const struct lt_spec *s, struct lt_why *why)
{
	char hint[2 * LT_NEAREST_SIZE];
	struct lt_nearest near;
	bool module = !*s->module;

	for (size_t i = 0; i < f->n_modules && !module; i++)
		module = matches_module(f, s, (uint16_t)i);
	if (!module) {
		lt_nearest_init(&near, s->module);
		for (size_t i = 1; i < f->n_modules; i++)
			lt_nearest_try(&near, f->modules[i].name);
		lt_why_set(why, "no module '%s' is loaded, and its types are not known%s",
			   s->module, lt_nearest_hint(&near, "", hint, sizeof(hint)));
		return;
	}
	lt_nearest_init(&near, s->name);
	for (size_t i = 0; i < f->n; i++) {
		if (matches_module(f, s, f->entries[i].module))
			lt_nearest_try(&near, f->entries[i].name);
	}
	lt_why_set(why, "there is no function '%s'%s%s%s", s->name, *s->module ? " in " : "",
		   s->module, lt_nearest_hint(&near, "", hint, sizeof(hint)));
}

struct order {
	const struct lt_fetch *f;
	uint32_t entry;
};

static int by_place(const void *a, const void *b)
{
	const struct order *x = a, *y = b;
	const struct lt_fetch_entry *ex = &x->f->entries[x->entry], *ey = &y->f->entries[y->entry];
	int order = strcmp(x->f->modules[ex->module].name, y->f->modules[ey->module].name);

	return order ? order : strcmp(ex->name, ey->name);
}

static void compile_chosen(const struct lt_fetch *f, struct lt_spec *const *specs,
			   const uint32_t *chosen, struct lt_fetch_set *set)
{
	struct order *order = lt_alloc_array(f->n + 1, sizeof(*order));
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (chosen[i] != NO_SPEC)
			order[n++] = (struct order){ f, (uint32_t)i };
	}
	qsort(order, n, sizeof(*order), by_place);
	set->functions = lt_alloc_array(n + 1, sizeof(*set->functions));
	set->n = n;
	for (size_t i = 0; i < n; i++) {
		const struct lt_fetch_entry *e = &f->entries[order[i].entry];
		struct lt_fetch_function *out = &set->functions[i];
		struct lt_compile c = {
			.f = f, .set = set, .entry = e, .spec = specs[chosen[order[i].entry]],
			.out = out,
		};

		out->name = e->name;
		out->module = f->modules[e->module].name;
		out->address = e->address;
		out->spec = chosen[order[i].entry];
		lt_fetch_compile_one(&c);
		set->n_taken += !out->refused;
	}
	free(order);
}

static struct lt_fetch_set *compile(const struct lt_fetch *f, const char *const *texts, size_t n,
				    struct lt_spec **specs, uint32_t *chosen, size_t *bad,
				    struct lt_why *why)
{
	struct lt_fetch_set *set;

	for (size_t i = 0; i < f->n; i++)
		chosen[i] = NO_SPEC;
	for (*bad = 0; *bad < n; ++*bad) {
		specs[*bad] = lt_spec_parse(texts[*bad], why);
		if (!specs[*bad])
			return NULL;
		if (!choose(f, specs[*bad], (uint32_t)*bad, chosen)) {
			names_nothing(f, specs[*bad], why);
			return NULL;
		}
	}
	set = lt_alloc(sizeof(*set));
	compile_chosen(f, specs, chosen, set);
	return set;
}

struct lt_fetch_set *lt_fetch_compile(const struct lt_fetch *f, const char *const *specs, size_t n,
				      size_t *bad, struct lt_why *why)
{
	struct lt_spec **parsed = lt_alloc_array(n + 1, sizeof(struct lt_spec *));
	uint32_t *chosen = lt_alloc_array(f->n + 1, sizeof(*chosen));
	struct lt_fetch_set *set = compile(f, specs, n, parsed, chosen, bad, why);

	for (size_t i = 0; i < n; i++)
		lt_spec_free(parsed[i]);
	free(parsed);
	free(chosen);
	return set;
}

void lt_fetch_set_free(struct lt_fetch_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->n; i++) {
		struct lt_fetch_function *fn = &set->functions[i];

		for (unsigned int k = 0; k < fn->n_values; k++) {
			free(fn->values[k].name);
			free(fn->values[k].type);
		}
		free(fn->values);
		free(fn->steps);
		free(fn->prototype);
		free(fn->detail);
	}
	free(set->functions);
	free(set->enums);
	free(set);
}

static void put_function(const struct lt_fetch_function *fn, uint64_t min_duration, uint8_t **p)
{
	struct lt_call_function h = {
		.address = *fn->module ? 0 : fn->address, .min_duration = min_duration,
		.flags = fn->flags, .n_entry = (uint16_t)fn->n_entry,
		.n_return = (uint16_t)fn->n_return,
	};
	size_t bytes = (fn->n_entry + fn->n_return) * sizeof(*fn->steps);

	snprintf(h.module, sizeof(h.module), "%s", fn->module);
	snprintf(h.name, sizeof(h.name), "%s", fn->name);
	memcpy(*p, &h, sizeof(h));
	if (bytes)
		memcpy(*p + sizeof(h), fn->steps, bytes);
	*p += sizeof(h) + bytes;
}

void *lt_fetch_set_bytes(const struct lt_fetch_set *set, uint64_t min_duration,
			 uint16_t depth, size_t *size, struct lt_why *why)
{
	struct lt_call_set head = {
		.magic = LT_CALL_MAGIC, .version = LT_CALL_VERSION, .depth = depth,
	};
	uint8_t *bytes, *p;

	if (set->n_taken > LT_CALL_MAX_FUNCTIONS) {
		lt_why_set(why, "%zu functions; a session records %d at most", set->n_taken,
			   LT_CALL_MAX_FUNCTIONS);
		return NULL;
	}
	*size = sizeof(head);
	for (size_t i = 0; i < set->n; i++) {
		const struct lt_fetch_function *fn = &set->functions[i];

		if (!fn->refused)
			*size += sizeof(struct lt_call_function) +
				 (fn->n_entry + fn->n_return) * sizeof(*fn->steps);
	}
	head.functions = (uint32_t)set->n_taken;
	head.bytes = (uint32_t)(*size - sizeof(head));
	bytes = lt_alloc(*size);
	memcpy(bytes, &head, sizeof(head));
	p = bytes + sizeof(head);
	for (size_t i = 0; i < set->n; i++) {
		if (!set->functions[i].refused)
			put_function(&set->functions[i], min_duration, &p);
	}
	return bytes;
}

bool lt_fetch_read_specs(const char *path, char ***specs, size_t *n, struct lt_why *why)
{
	char *text = lt_read_text_file(path, MAX_SPECS, NULL);
	const char *pos = text, *line;
	size_t len;

	if (!text) {
		lt_why_set(why, "%s", strerror(errno));
		return false;
	}
	while (lt_line(&pos, &line, &len)) {
		while (len && (*line == ' ' || *line == '\t')) {
			line++;
			len--;
		}
		while (len && strchr(" \t\r", line[len - 1]))
			len--;
		if (!len || *line == '#')
			continue;
		*specs = lt_realloc_array(*specs, *n + 1, sizeof(**specs));
		(*specs)[(*n)++] = lt_strndup(line, len);
	}
	free(text);
	return true;
}

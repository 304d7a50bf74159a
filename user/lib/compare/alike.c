// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Whether traces can be compared: what was watched, left out, and where.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text.h"
#include "compare/diff.h"
#include "lines/builds.h"

static char *info(const struct lt_trace *t, const char *key, const char *otherwise)
{
	const char *value = lt_trace_info(t, key);

	return lt_strdup(value ? value : otherwise);
}

static int by_name(const void *a, const void *b)
{
	const struct lt_build *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Modules may be loaded in any order. A module without a build id may be any one. */
static char *builds_of(const struct lt_trace *t)
{
	struct lt_builds b = { .n = 0 };
	struct lt_str text = { 0 };
	bool known = false;

	for (size_t i = 0; i < lt_trace_n_texts(t); i++) {
		const char *block = lt_trace_text(t, LT_BLOCK_BUILDS, i);

		if (!block)
			break;
		lt_builds_add(&b, block);
	}
	if (b.n)
		qsort(b.builds, b.n, sizeof(*b.builds), by_name);
	for (size_t i = 0; i < b.n; i++) {
		if (i && !strcmp(b.builds[i].name, b.builds[i - 1].name))
			continue;
		known |= !b.builds[i].name[0] && b.builds[i].id[0];
		lt_str_add(&text, "%s %s\n", b.builds[i].name, b.builds[i].id);
	}
	lt_builds_destroy(&b);
	if (known)
		return text.s;
	free(text.s);
	return lt_strdup("");
}

/* The events of memory that were not watched, as EVENTS lists them. */
static char *unwatched_of(const struct lt_trace *t)
{
	static const char *const names[] = {
		"kmalloc", "kmalloc_node", "kmem_cache_alloc", "kmem_cache_alloc_node",
		"bulk_alloc", "kfree", "kmem_cache_free", "bulk_free", "rcu_free", "page_alloc", "page_free",
		"percpu_alloc", "percpu_free", "vmalloc", "vfree",
		"dma_alloc", "dma_free",
	};
	struct lt_str text = { 0 };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *events = lt_trace_text(t, LT_BLOCK_EVENTS, SIZE_MAX), *line;
		char why[32];
		size_t len;

		while (events && lt_line(&events, &line, &len)) {
			if (!lt_line_unwatched(line, len, names[i], why, sizeof(why)))
				continue;
			lt_str_add(&text, "%s%s", text.n ? ", " : "", names[i]);
			break;
		}
	}
	return text.s ? text.s : lt_strdup("");
}

static char *births_of(const struct lt_trace *t)
{
	struct lt_str text = { 0 };

	/* The process of a command has another number in each recording. */
	lt_births_describe(&text, t, false);
	return text.s ? text.s : lt_strdup("");
}

void lt_alike_init(struct lt_alike *a, const struct lt_trace *t)
{
	struct lt_str sample = { 0 };

	a->builds = builds_of(t);
	a->unwatched = unwatched_of(t);
	a->min_size = info(t, "min_size", "0");
	lt_str_add(&sample, "%u", lt_trace_sample(t));
	a->sample = sample.s;
	a->births = births_of(t);
	a->release = info(t, "kernel_release", "");
	a->machine = info(t, "machine", "");
}

void lt_alike_destroy(struct lt_alike *a)
{
	free(a->builds);
	free(a->unwatched);
	free(a->min_size);
	free(a->sample);
	free(a->births);
	free(a->release);
	free(a->machine);
}

/* @empty: what an empty text means. */
static bool equal(const char *what, const char *a, const char *b, const char *empty,
		  struct lt_str *notes)
{
	if (!strcmp(a, b))
		return true;
	lt_str_add(notes, "%s: %s and %s\n", what, *a ? a : empty, *b ? b : empty);
	return false;
}

bool lt_alike_compare(const struct lt_alike *a, const struct lt_alike *b, struct lt_str *notes)
{
	bool alike = equal("not watched", a->unwatched, b->unwatched, "none", notes);

	alike &= equal("a sample of one address in", a->sample, b->sample, "none", notes);
	alike &= equal("left out below bytes", a->min_size, b->min_size, "none", notes);
	alike &= equal("only births", a->births, b->births, "none", notes);
	equal("kernels", a->release, b->release, "not known", notes);
	equal("machines", a->machine, b->machine, "not known", notes);
	return alike;
}

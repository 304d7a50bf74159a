// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The names of merged slab caches, from the readings of the kernel's counters.
 *
 * SLUB gives caches of one size and kind the same slabs. The merged cache has the name of the one
 * that was made first; the others are links to its directory in sysfs, as that name is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "trace/internal.h"

#define MAX_NAME	72

/* A name, and the directory that it is a link to. */
struct alias {
	char name[MAX_NAME];
	char dir[MAX_NAME];
};

struct lt_aliases {
	struct alias *list;		/* by name */
	size_t n;
	size_t cap;
};

static int by_name(const void *a, const void *b)
{
	const struct alias *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* "alias NAME DIR" */
static void add_line(struct lt_aliases *a, const char *line, size_t len)
{
	struct alias alias = { 0 };
	char word[8];

	if (!lt_word(&line, &len, word, sizeof(word)) || strcmp(word, "alias") ||
	    !lt_word(&line, &len, alias.name, sizeof(alias.name)) ||
	    !lt_word(&line, &len, alias.dir, sizeof(alias.dir)))
		return;
	a->list = lt_grow(a->list, &a->cap, a->n, sizeof(*a->list));
	a->list[a->n++] = alias;
}

static struct lt_aliases *read_aliases(const struct lt_trace *t)
{
	struct lt_aliases *a = lt_alloc(sizeof(*a));
	const char *text, *line;
	size_t kept = 0, len;

	for (size_t i = 0; (text = lt_trace_text(t, LT_BLOCK_SLAB, i)); i++) {
		while (lt_line(&text, &line, &len))
			add_line(a, line, len);
	}
	if (a->n)
		qsort(a->list, a->n, sizeof(*a->list), by_name);
	/* The reading of the end repeats most of that of the start. */
	for (size_t i = 0; i < a->n; i++) {
		if (!kept || strcmp(a->list[i].name, a->list[kept - 1].name))
			a->list[kept++] = a->list[i];
	}
	a->n = kept;
	return a;
}

static const struct lt_aliases *aliases_of(const struct lt_trace *t)
{
	struct lt_trace *kept = (struct lt_trace *)(uintptr_t)t;

	/* What can be found out again is no state of the trace. */
	if (!t->aliases)
		kept->aliases = read_aliases(t);
	return t->aliases;
}

/* The directory of a name; NULL: it is no link, or not known. */
static const char *dir_of(const struct lt_aliases *a, const char *name)
{
	struct alias key;
	const struct alias *found;

	if (!a->n || strlen(name) >= sizeof(key.name))
		return NULL;
	strcpy(key.name, name);
	found = bsearch(&key, a->list, a->n, sizeof(*a->list), by_name);
	return found ? found->dir : NULL;
}

size_t lt_trace_merged(const struct lt_trace *t, const char *cache)
{
	const struct lt_aliases *a = aliases_of(t);
	const char *dir = dir_of(a, cache);
	size_t n = 0;

	for (size_t i = 0; dir && i < a->n; i++)
		n += !strcmp(a->list[i].dir, dir);
	return n ? n - 1 : 0;
}

bool lt_trace_is_merged(const struct lt_trace *t, const char *cache, const char *other)
{
	const struct lt_aliases *a = aliases_of(t);
	const char *dir = dir_of(a, cache), *of_other = dir_of(a, other);

	return dir && of_other && !strcmp(dir, of_other);
}

void lt_trace_forget_aliases(struct lt_trace *t)
{
	if (t->aliases)
		free(t->aliases->list);
	free(t->aliases);
	t->aliases = NULL;
}

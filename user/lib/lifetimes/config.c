// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the texts of a trace say about the lifetimes in it: which probes were attached,
 * what was filtered, how the kernel traces a free.
 */
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "base/log.h"
#include "base/str.h"
#include "base/text.h"
#include "format/whose.h"
#include "lifetimes/lifetime.h"
#include "trace/part.h"
#include "trace/trace.h"

static uint64_t info_number(const struct lt_trace *t, const char *key, uint64_t otherwise)
{
	const char *value = lt_trace_info(t, key);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

/*
 * Whether one of the events in @names, which NULL ends, is not watched, or may not be. @which:
 * its name, NULL: not known.
 */
static bool one_unwatched(const struct lt_trace *t, const char *const names[], const char **which)
{
	const char *events = lt_trace_text(t, LT_BLOCK_EVENTS, SIZE_MAX), *line;
	char why[32];
	size_t len;

	*which = NULL;
	if (lt_text_is_damaged(t, LT_BLOCK_EVENTS))
		return true;
	while (events && lt_line(&events, &line, &len)) {
		for (size_t i = 0; names[i]; i++) {
			if (lt_line_unwatched(line, len, names[i], why, sizeof(why))) {
				*which = names[i];
				return true;
			}
		}
	}
	return false;
}

/*
 * Ways to free that a lifetime may end by. kfree_nolock() takes only what kmalloc_nolock() has
 * made, since checks were left out at its birth: where neither is watched, it frees no object whose
 * birth is in the trace.
 */
static struct lt_space_events ways_to_free(const struct lt_trace *t, enum lt_space space)
{
	static const char *const made[] = { "kmalloc_nolock", NULL };
	struct lt_space_events ways = *lt_space_events(space);
	const char *name;
	size_t n = 0;

	if (space != LT_SPACE_SLAB || !one_unwatched(t, made, &name))
		return ways;
	for (size_t i = 0; ways.deaths[i]; i++) {
		if (strcmp(ways.deaths[i], "kfree_nolock"))
			ways.deaths[n++] = ways.deaths[i];
	}
	ways.deaths[n] = NULL;
	return ways;
}

void lt_lifetime_config_init(struct lt_lifetime_config *c, const struct lt_trace *t)
{
	/* The list of a trace has no tracepoint that its kernel lacks; it has all functions. */
	static const char *const kmalloc[] = {
		"kmalloc", "kmalloc_node", "kmalloc_nolock", NULL
	};
	static const char *const cache[] = {
		"kmem_cache_alloc", "kmem_cache_alloc_node", "bulk_alloc", NULL
	};
	bool no_info = lt_text_is_damaged(t, LT_BLOCK_INFO);
	char *whose;

	memset(c, 0, sizeof(*c));
	c->page_shift = lt_trace_page_shift(t);
	/* Without the text every unfavourable value is possible. */
	c->late_free = no_info || info_number(t, "late_free", 0);
	c->min_size = no_info ? UINT64_MAX : info_number(t, "min_size", 0);
	/* What was left out then had any size. */
	if (info_number(t, "births_filtered", 0))
		c->min_size = UINT64_MAX;
	c->sampled = no_info || lt_trace_sample(t) > 1;
	whose = lt_trace_file(t) ? lt_part_whose(lt_trace_file(t)) : NULL;
	c->some_tasks = whose;
	free(whose);
	c->unordered_until = lt_trace_unordered_until(t);
	for (int space = LT_SPACE_SLAB; space < LT_N_MEMORY; space++) {
		struct lt_space_events ways = ways_to_free(t, (enum lt_space)space);

		c->unwatched_free[space] = one_unwatched(t, ways.deaths, &c->free_name[space]);
	}
	c->unwatched_kmalloc = one_unwatched(t, kmalloc, &c->kmalloc_name);
	c->unwatched_cache = one_unwatched(t, cache, &c->cache_name);
}

void lt_births_describe(struct lt_str *s, const struct lt_trace *t, bool numbers)
{
	static const char *const texts[][2] = {
		{ "max_size", "%sup to %s bytes" }, { "only_caches", "%sin the caches %s" },
		{ "only_code", "%sby callers at %s" },
		{ "only_pid", "%sby process %s and what it created" },
		{ "only_cgroup", "%sby tasks of the cgroup %s" },
	};
	const char *value;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		value = lt_trace_info(t, texts[i][0]);
		if (!value || !*value)
			continue;
		if (!numbers && !strcmp(texts[i][0], "only_pid"))
			value = "N";
		lt_str_add(s, texts[i][1], s->n ? ", " : "", value);
	}
}

bool lt_space_listed(const char *events, enum lt_space space)
{
	const char *const *names = lt_space_events(space)->births;
	const char *line;
	bool listed = false;
	char why[32];
	size_t len;

	while (events && lt_line(&events, &line, &len)) {
		listed = true;
		for (size_t i = 0; names[i]; i++) {
			size_t n = strlen(names[i]);

			if (len > n && !memcmp(line, names[i], n) && line[n] == '\t' &&
			    !lt_line_unwatched(line, len, names[i], why, sizeof(why)))
				return true;
		}
	}
	return !listed;
}

bool lt_space_watched(const struct lt_trace *t, enum lt_space space)
{
	return lt_text_is_damaged(t, LT_BLOCK_EVENTS) ||
	       lt_space_listed(lt_trace_text(t, LT_BLOCK_EVENTS, SIZE_MAX), space);
}

bool lt_space_recorded(const struct lt_trace *t, enum lt_space space)
{
	const struct lt_space_words *words;

	space = lt_space_chosen(space);
	if (lt_space_watched(t, space))
		return true;
	words = lt_space_words(space);
	lt_error("%s: was recorded without %s; use lifetrace record -e %s", lt_trace_path(t),
		 words->objects, words->name);
	return false;
}

bool lt_births_unwatched(const struct lt_trace *t, enum lt_space space)
{
	const char *which;

	return one_unwatched(t, lt_space_events(space)->births, &which);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The rows of a profile as paths, and their order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sums/profile.h"

static struct lt_path_frame *add_frame(struct lt_path *path, enum lt_frame_kind kind,
				       const char *name)
{
	struct lt_path_frame *f = &path->frames[path->n++];

	*f = (struct lt_path_frame){ .kind = kind, .name = name };
	return f;
}

/* A copy of an interned name, with a zero at its end; NULL: it is the empty one. */
static const char *copy_name(const struct lt_profile *p, uint32_t number, char *buf, size_t size)
{
	size_t len;
	const char *name = lt_names_get(&p->names, number, &len);

	if (!len)
		return NULL;
	snprintf(buf, size, "%.*s", (int)(len < size ? len : size - 1), name);
	return buf;
}

static void add_stack(const struct lt_profile *p, const struct lt_profile_key *key,
		      struct lt_path *path)
{
	struct lt_stack stack = lt_stacks_get(&p->stacks->stacks, key->stack);

	if (!stack.n)
		add_frame(path, LT_FRAME_SITE, NULL);
	if (stack.flags & LT_STACK_CUT)
		add_frame(path, LT_FRAME_CUT, NULL);
	for (unsigned int i = stack.n; i--;) {
		struct lt_path_frame *f = add_frame(path, i ? LT_FRAME_CALLER : LT_FRAME_SITE,
						    NULL);

		f->addr = stack.frames[i];
		f->name = lt_trace_function(p->trace, f->addr, &f->offset, &f->module);
		if (!f->name)
			f->addr = lt_trace_code_address(p->trace, f->addr);
	}
}

static void add_level(const struct lt_profile *p, const struct lt_profile_key *key,
		      enum lt_level level, struct lt_path *path)
{
	const struct lt_report_options *opts = &p->opts.report;
	const char *name;

	switch (level) {
	case LT_LEVEL_TASK:
		if (key->context != LT_CTX_TASK)
			add_frame(path, LT_FRAME_INTERRUPT, lt_context_name(key->context));
		else
			add_frame(path, LT_FRAME_TASK,
				  copy_name(p, key->task, path->task, sizeof(path->task)));
		return;
	case LT_LEVEL_CGROUP:
		name = key->cgroup ? opts->group_name(opts->groups, key->cgroup, path->cgroup,
						       sizeof(path->cgroup)) : NULL;
		if (key->context != LT_CTX_TASK)
			add_frame(path, LT_FRAME_INTERRUPT, lt_context_name(key->context));
		else
			add_frame(path, LT_FRAME_CGROUP, name);
		return;
	case LT_LEVEL_MODULE:
		name = copy_name(p, key->module, path->module, sizeof(path->module));
		add_frame(path, LT_FRAME_MODULE, name ? name : "kernel");
		return;
	case LT_LEVEL_CACHE:
		name = key->cache ? lt_cache_key_name(p->report->trace, key->cache, path->cache,
						      sizeof(path->cache)) : NULL;
		add_frame(path, LT_FRAME_CACHE, name);
		return;
	case LT_LEVEL_SITE:
	case LT_LEVEL_STACK:
		add_stack(p, key, path);
		return;
	case LT_N_LEVELS:
		return;
	}
}

void lt_profile_path(const struct lt_profile *p, const struct lt_profile_row *row,
		     struct lt_path *path)
{
	path->n = 0;
	for (unsigned int i = 0; row != &p->other && i < p->opts.n_levels; i++)
		add_level(p, &row->key, p->opts.levels[i], path);
	if (!path->n)
		add_frame(path, LT_FRAME_OTHER, NULL);
}

/* ------------------------------------------------------------------------
 * The order
 */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_names(const struct lt_names *names, uint32_t a, uint32_t b)
{
	size_t len[2];
	const char *x = lt_names_get(names, a, &len[0]), *y = lt_names_get(names, b, &len[1]);
	int diff = memcmp(x, y, len[0] < len[1] ? len[0] : len[1]);

	return diff ? diff : compare_numbers(len[0], len[1]);
}

/* By the outermost caller first, as the frames of the path. */
static int compare_stacks(const struct lt_stacks *stacks, uint32_t a, uint32_t b)
{
	struct lt_stack x = lt_stacks_get(stacks, a), y = lt_stacks_get(stacks, b);
	unsigned int n = x.n < y.n ? x.n : y.n;

	for (unsigned int i = 1; i <= n; i++) {
		int diff = compare_numbers(x.frames[x.n - i], y.frames[y.n - i]);

		if (diff)
			return diff;
	}
	return x.n != y.n ? compare_numbers(x.n, y.n) : compare_numbers(x.flags, y.flags);
}

static int compare_level(const struct lt_profile *p, enum lt_level level,
			 const struct lt_profile_key *a, const struct lt_profile_key *b)
{
	switch (level) {
	case LT_LEVEL_TASK:
		if (a->context != b->context)
			return compare_numbers(a->context, b->context);
		return compare_names(&p->names, a->task, b->task);
	case LT_LEVEL_CGROUP:
		if (a->context != b->context)
			return compare_numbers(a->context, b->context);
		return compare_numbers(a->cgroup, b->cgroup);
	case LT_LEVEL_MODULE:
		return compare_names(&p->names, a->module, b->module);
	case LT_LEVEL_CACHE:
		return compare_numbers(a->cache, b->cache);
	case LT_LEVEL_SITE:
	case LT_LEVEL_STACK:
		return compare_stacks(&p->stacks->stacks, a->stack, b->stack);
	case LT_N_LEVELS:
		break;
	}
	return 0;
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct lt_profile_row *x = a, *y = b;
	const struct lt_profile *p = arg;

	for (unsigned int i = 0; i < p->opts.n_levels; i++) {
		int diff = compare_level(p, p->opts.levels[i], &x->key, &y->key);

		if (diff)
			return diff;
	}
	return 0;
}

void lt_profile_sort(struct lt_profile *p)
{
	if (p->n_rows)
		qsort_r(p->rows, p->n_rows, sizeof(*p->rows), compare, p);
}

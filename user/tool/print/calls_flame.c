// SPDX-License-Identifier: GPL-2.0
/*
 * Calls as collapsed stacks: a line "FRAME;FRAME;FRAME NS" for each path, as speedscope,
 * flamegraph.pl and inferno read it. The number is what the last call took by itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/names.h"
#include "lifetimes/lifetime.h"
#include "print/calls.h"

/* A path: that of @up, and a frame behind it. Number N is at N - 1; 0: nothing. */
struct path {
	uint32_t up;
	uint32_t name;
	uint64_t ns;
};

struct lt_calls_flame {
	struct path *paths;
	size_t n;
	size_t cap;
	struct lt_map map;
	uint64_t seed;
	struct lt_names names;
};

struct lt_calls_flame *lt_calls_flame_new(void)
{
	struct lt_calls_flame *f = lt_alloc(sizeof(*f));

	lt_map_init(&f->map);
	f->seed = lt_hash_seed();
	lt_names_init(&f->names);
	return f;
}

void lt_calls_flame_free(struct lt_calls_flame *f)
{
	if (!f)
		return;
	lt_map_destroy(&f->map);
	lt_names_destroy(&f->names);
	free(f->paths);
	free(f);
}

static uint32_t path_of(struct lt_calls_flame *f, uint32_t up, const char *text)
{
	uint32_t name = lt_names_add(&f->names, text, strlen(text));
	uint32_t hash = (uint32_t)lt_hash64(up | (uint64_t)name << 32, f->seed), number;

	lt_map_for_each(number, at, &f->map, hash) {
		if (f->paths[number - 1].up == up && f->paths[number - 1].name == name)
			return number;
	}
	f->paths = lt_grow(f->paths, &f->cap, f->n, sizeof(*f->paths));
	f->paths[f->n++] = (struct path){ .up = up, .name = name };
	lt_map_add(&f->map, hash, (uint32_t)f->n);
	return (uint32_t)f->n;
}

/* What a group begins with: the name of its task, or which interrupt it is. */
static uint32_t first_of(struct lt_calls_flame *f, const struct lt_call_group *g)
{
	char text[32];

	if (g->context != LT_CTX_TASK)
		snprintf(text, sizeof(text), "(%s)", lt_context_name(g->context));
	else if (g->task)
		snprintf(text, sizeof(text), "%s",
			 lt_task_comm_at(g->task, g->roots[0]->call.begin));
	else
		snprintf(text, sizeof(text), "(unknown)");
	return path_of(f, 0, text);
}

static void add_tree(struct lt_calls_flame *f, uint32_t path, const struct lt_call_node *root)
{
	const struct lt_call_node *node = root;
	char label[LT_CALL_LABEL];
	uint32_t left = 0;

	while (node) {
		path = path_of(f, path, lt_call_label(&node->call, label));
		f->paths[path - 1].ns += lt_call_node_self(node);
		node = lt_call_node_next(root, node, &left);
		for (; left; left--)
			path = f->paths[path - 1].up;
	}
}

/* Of a tree those calls that are wanted, with all in them. */
static void add_chosen(struct lt_calls_flame *f, uint32_t first, const struct lt_call_node *root,
		       const struct lt_call_choice *choice)
{
	const struct lt_call_node *node = root;
	bool behind = false;

	while ((node = lt_call_node_chosen(root, node, behind, choice))) {
		add_tree(f, first, node);
		behind = true;
	}
}

void lt_calls_flame_add(struct lt_calls_flame *f, const struct lt_call_trees *c,
			const struct lt_call_choice *choice)
{
	const struct lt_call_group *const *groups;
	size_t n = lt_call_trees_groups(c, &groups);

	for (size_t i = 0; i < n; i++) {
		uint32_t first = groups[i]->n ? first_of(f, groups[i]) : 0;

		for (size_t k = 0; k < groups[i]->n; k++)
			add_chosen(f, first, groups[i]->roots[k], choice);
	}
}

/* A frame ends at a semicolon, so one in a name is written as other bytes are that cannot stand. */
static void put_frame(const struct lt_calls_flame *f, uint32_t name, struct lt_out *out)
{
	size_t len, begin = 0;
	const char *s = lt_names_get(&f->names, name, &len);

	for (size_t i = 0; i <= len; i++) {
		if (i < len && s[i] != ';')
			continue;
		lt_out_text(out, s + begin, i - begin);
		begin = i + 1;
		if (i < len)
			lt_out_str(out, "\\x3b");
	}
}

void lt_calls_flame_print(const struct lt_calls_flame *f, struct lt_out *out)
{
	uint32_t *stack = lt_alloc_array(f->n + 1, sizeof(*stack));

	for (size_t i = 0; i < f->n; i++) {
		size_t n = 0;

		if (!f->paths[i].ns)
			continue;
		for (uint32_t at = (uint32_t)i + 1; at; at = f->paths[at - 1].up)
			stack[n++] = f->paths[at - 1].name;
		while (n--) {
			put_frame(f, stack[n], out);
			if (n)
				lt_out_char(out, ';');
		}
		lt_out_char(out, ' ');
		lt_out_u64(out, f->paths[i].ns);
		lt_out_char(out, '\n');
	}
	free(stack);
}

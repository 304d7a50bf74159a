// SPDX-License-Identifier: GPL-2.0
/*
 * The tree of a flame graph.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "export/flame/tree.h"

void lt_flame_init(struct lt_flame *f)
{
	*f = (struct lt_flame){ .n_order = 0 };
	lt_names_init(&f->texts);
	lt_intern_init(&f->numbers);
	f->nodes = lt_grow(f->nodes, &f->cap, 0, sizeof(*f->nodes));
	f->nodes[0] = (struct lt_flame_node){ .kind = LT_FRAME_OTHER };
}

void lt_flame_destroy(struct lt_flame *f)
{
	lt_names_destroy(&f->texts);
	lt_intern_destroy(&f->numbers);
	free(f->nodes);
	free(f->order);
}

static void add_value(struct lt_flame_node *node, uint64_t value)
{
	node->value = node->value + value < value ? UINT64_MAX : node->value + value;
}

/* Return: the node; 0: there is no room for another one. */
static uint32_t child(struct lt_flame *f, uint32_t parent, uint32_t text, enum lt_frame_kind kind)
{
	uint64_t key = (uint64_t)parent << 32 | text;
	uint32_t known = f->numbers.n, number;

	number = known < LT_FLAME_NODES ? lt_intern_number(&f->numbers, key) :
		lt_intern_find(&f->numbers, key);
	if (f->numbers.n != known) {
		f->nodes = lt_grow(f->nodes, &f->cap, number, sizeof(*f->nodes));
		f->nodes[number] = (struct lt_flame_node){
			.parent = parent, .text = text, .kind = kind,
		};
	}
	return number;
}

static void add_path(struct lt_flame *f, const struct lt_path *path, struct lt_out *text,
		     uint64_t value)
{
	uint32_t number = 0;

	add_value(&f->nodes[0], value);
	for (unsigned int i = 0; i < path->n; i++) {
		text->used = 0;
		lt_frame_text(text, &path->frames[i], NULL);
		number = child(f, number, lt_names_add(&f->texts, text->buf, text->used),
			       path->frames[i].kind);
		if (!number) {
			f->cut++;
			return;
		}
		add_value(&f->nodes[number], value);
	}
}

static uint32_t count_from(const struct lt_flame *f, uint64_t value)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < f->numbers.n; i++)
		n += f->nodes[i].value >= value;
	return n;
}

/* The largest child comes first; of several that are equal, by text. */
static int compare(const void *a, const void *b, void *arg)
{
	const struct lt_flame *f = arg;
	const struct lt_flame_node *x = &f->nodes[*(const uint32_t *)a];
	const struct lt_flame_node *y = &f->nodes[*(const uint32_t *)b];
	size_t n, m;
	const char *s, *t;
	int diff;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	s = lt_names_get(&f->texts, x->text, &n);
	t = lt_names_get(&f->texts, y->text, &m);
	diff = memcmp(s, t, n < m ? n : m);
	return diff ? diff : (n > m) - (n < m);
}

/* A child has no more than its parent, so that no node is drawn without its parent. */
static void choose(struct lt_flame *f, uint32_t parts)
{
	uint32_t n;

	f->smallest = f->nodes[0].value / parts;
	if (!f->smallest)
		f->smallest = 1;
	while ((n = count_from(f, f->smallest)) > LT_FLAME_DRAWN)
		f->smallest *= 2;
	f->left_out = f->numbers.n - 1 - n;
	f->order = lt_alloc((n + 1) * sizeof(*f->order));
	for (uint32_t i = 1; i < f->numbers.n; i++) {
		if (f->nodes[i].value >= f->smallest)
			f->order[f->n_order++] = i;
	}
	qsort_r(f->order, f->n_order, sizeof(*f->order), compare, f);
	for (uint32_t i = f->n_order; i--;) {
		struct lt_flame_node *parent = &f->nodes[f->nodes[f->order[i]].parent];

		parent->children = i;
		parent->n_children++;
	}
}

void lt_flame_fill(struct lt_flame *f, const struct lt_profile *p, enum lt_metric metric,
		   uint32_t parts)
{
	struct lt_path *path = lt_alloc(sizeof(*path));
	struct lt_out text = LT_OUT_INIT(-1);

	for (size_t i = 0; i <= p->n_rows; i++) {
		const struct lt_profile_row *row = i < p->n_rows ? &p->rows[i] : &p->other;
		uint64_t value = lt_metric_of(row, metric);

		if (!value)
			continue;
		lt_profile_path(p, row, path);
		add_path(f, path, &text, value);
	}
	free(path);
	free(text.buf);
	choose(f, parts);
}

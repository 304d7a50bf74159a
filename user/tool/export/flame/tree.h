/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tree of a flame graph: the paths of a profile, frame by frame, with one number each. Frames
 * of one text with one caller are one node, whose number is that of all paths through it.
 */
#ifndef LT_EXPORT_FLAME_TREE_H
#define LT_EXPORT_FLAME_TREE_H

#include "base/intern.h"
#include "export/profile.h"

/* Beyond so many nodes a path ends at its last frame that is one. */
#define LT_FLAME_NODES	(1U << 20)

/* Of these the largest are drawn, no more than so many. */
#define LT_FLAME_DRAWN	20000

/**
 * struct lt_flame_node - a node; number 0 is the root
 * @value: the number of all paths through it; UINT64_MAX: that, or more
 * @parent: the caller
 * @text: of the frame, in lt_flame.texts
 * @kind: enum lt_frame_kind
 * @children: where those that are drawn begin in lt_flame.order
 * @n_children: their number
 */
struct lt_flame_node {
	uint64_t value;
	uint32_t parent;
	uint32_t text;
	uint32_t kind;
	uint32_t children;
	uint32_t n_children;
};

/**
 * struct lt_flame - a tree
 * @texts: the texts of frames
 * @numbers: numbers of nodes, by parent and text
 * @nodes: by number
 * @cap: room in @nodes
 * @order: the nodes that are drawn, but the root: by parent, and the largest first
 * @n_order: their number
 * @smallest: the least value of a node that is drawn
 * @left_out: nodes that are too small to be drawn
 * @cut: paths that ended early
 */
struct lt_flame {
	struct lt_names texts;
	struct lt_intern numbers;
	struct lt_flame_node *nodes;
	size_t cap;
	uint32_t *order;
	uint32_t n_order;
	uint64_t smallest;
	uint32_t left_out;
	uint32_t cut;
};

void lt_flame_init(struct lt_flame *f);
void lt_flame_destroy(struct lt_flame *f);

/* Adds the paths of a profile. @parts: less than one in so many of the sum is not drawn. */
void lt_flame_fill(struct lt_flame *f, const struct lt_profile *p, enum lt_metric metric,
		   uint32_t parts);

#endif /* LT_EXPORT_FLAME_TREE_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * The pid namespaces that open files of /proc/pid_gen show.
 */
#include <linux/slab.h>

#include "pid/internal.h"

/**
 * lt_view_open() - show the generation of a namespace
 * @ns: kept by the file, as long as it is open
 *
 * Context: process, between lt_pidgen_show() and lt_pidgen_unshow().
 * Return: for lt_view_close(); NULL: no memory.
 */
struct lt_view *lt_view_open(struct pid_namespace *ns)
{
	struct lt_view *new = lt_view_new(), *v = NULL;
	unsigned long flags;
	struct lt_pidns *n;

	if (!new)
		return NULL;
	spin_lock_irqsave(&lt_pid_lock, flags);
	n = lt_pidns_get(ns, ns->level);
	if (n && !n->view) {
		n->view = new;
		new->n = n;
		new = NULL;
	}
	if (n) {
		v = n->view;
		lt_view_hold(v);
	}
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	kfree(new);
	return v;
}

/* Undo lt_view_open(); the file still keeps the namespace. Context: process. */
void lt_view_close(struct lt_view *v)
{
	unsigned long flags;

	spin_lock_irqsave(&lt_pid_lock, flags);
	if (!--v->files) {
		struct lt_pidns *n = v->n;

		list_del_init(&v->list);
		v->n = NULL;
		if (n) {
			n->view = NULL;
			lt_pidns_unshown(n);
		}
	}
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	lt_view_put(v);
}

/* The generation now. Context: process, after lt_view_open(). */
u64 lt_view_generation(struct lt_view *v)
{
	unsigned long flags;
	u64 generation;

	spin_lock_irqsave(&lt_pid_lock, flags);
	/*
	 * The cursor has moved before a number that was given again can be visible.
	 * Where numbers are watched, that has been noted, but for numbers that
	 * alloc_pid() gave and took back itself. The file keeps the namespace.
	 */
	if (v->n)
		lt_pidns_sample(v->n);
	generation = v->n ? v->n->generation : v->generation;
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	return generation;
}

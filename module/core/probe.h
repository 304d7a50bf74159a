/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes: each attached, and failing, on its own.
 */
#ifndef LT_PROBE_H
#define LT_PROBE_H

#include <linux/kprobes.h>
#include <linux/tracepoint.h>

#include "core/compat.h"

struct seq_file;

enum lt_probe_kind {
	LT_TRACEPOINT,
	LT_FUNCTION,
	LT_KRETPROBE,
};

/* What the parameter "events" chooses by. */
enum lt_probe_group {
	LT_GROUP_SLAB,		/* on by default */
	LT_GROUP_PAGES,		/* off by default */
	LT_GROUP_TASKS,		/* the channel pid; on by default */
	LT_GROUP_ALWAYS,	/* context: names and exits of tasks */
};

#define LT_PROBE_SYMBOLS	3

/**
 * struct lt_probe - something to attach to
 * @name: of the event, as users know it
 * @kind: how
 * @group: which switch turns it on
 * @symbols: of the tracepoint or function; the first that exists is taken
 * @fn: tracepoint: the probe, and
 * @variants: if not NULL where it is taken from, by enum lt_variant, at each start
 * @function: function: with the handler that is called at its entry
 * @rp: kretprobe: with its handlers set
 *
 * The rest is the state, under the session's lock:
 *
 * @tp: the tracepoint, NULL: this kernel has none
 * @wanted: chosen for the session
 * @attached: it works
 * @symbol: which of @symbols was taken
 * @error: errno of the attempt, 0: none made, or it works
 * @missed: hits that the kernel missed in this session, as of its end
 */
struct lt_probe {
	const char *name;
	enum lt_probe_kind kind;
	enum lt_probe_group group;
	const char *symbols[LT_PROBE_SYMBOLS];
	void *fn;
	void * const *variants;
	struct lt_function *function;
	struct kretprobe *rp;

	struct tracepoint *tp;
	bool wanted;
	bool attached;
	const char *symbol;
	int error;
	unsigned long missed;
};

/* The tables: task.c, kmem.c. */
extern struct lt_probe lt_task_probes[], lt_kmem_probes[];
extern const unsigned int lt_n_task_probes, lt_n_kmem_probes;

#define LT_N_PROBES	(lt_n_task_probes + lt_n_kmem_probes)

/* All probes, in the order of attaching. */
static inline struct lt_probe *lt_probe(unsigned int i)
{
	return i < lt_n_task_probes ? &lt_task_probes[i] :
				      &lt_kmem_probes[i - lt_n_task_probes];
}

bool lt_probes_want(enum lt_probe_group group);
int lt_probes_select(const char *list);
void lt_probes_find(void);
unsigned int lt_probes_attach(void);
void lt_probes_detach(void);
unsigned long lt_probe_missed(const struct lt_probe *p);
void lt_probes_show(struct seq_file *m);

#endif /* LT_PROBE_H */

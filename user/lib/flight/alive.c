// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Triggers on what is alive now.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "flight/alive.h"
#include "lifetimes/kmalloc.h"
#include "lifetimes/lifetime.h"
#include "lifetimes/read.h"
#include "state/forget.h"
#include "sums/pieces.h"
#include "tasks/cgroups.h"

/**
 * struct lt_alive_watch - the table, and which triggers choose what
 * @tasks, @in_cgroups: rules need the names of tasks, and their cgroups
 * @pieces: combinations of cache, call site, and what rules need of the task
 * @chosen: by piece: bit n for the trigger n; KNOWN: it was found out
 * @sums: of the walk over what is alive
 * @forget: of tasks
 */
struct lt_alive_watch {
	struct lt_trace *t;
	const struct lt_triggers *triggers;
	struct lt_lifetimes *lf;
	struct lt_kmalloc kmalloc;
	struct lt_cgroups *cgroups;
	bool tasks;
	bool in_cgroups;
	struct lt_pieces *pieces;
	uint64_t *chosen;
	size_t n_chosen;
	struct lt_alive_sum *sums;
	struct lt_forget forget;
};

#define KNOWN	(1ULL << 63)

struct lt_alive_watch *lt_alive_watch_new(struct lt_trace *t, const struct lt_triggers *triggers)
{
	struct lt_alive_watch *w = lt_alloc(sizeof(*w));

	w->t = t;
	w->triggers = triggers;
	for (size_t i = 0; i < triggers->n; i++) {
		w->tasks |= lt_budget_has_label(&triggers->list[i].rule, LT_LABEL_COMM);
		w->in_cgroups |= lt_budget_has_label(&triggers->list[i].rule, LT_LABEL_CGROUP);
	}
	if (w->in_cgroups)
		w->cgroups = lt_cgroups_live(t);
	w->pieces = lt_pieces_new();
	lt_kmalloc_init(&w->kmalloc, t);
	w->lf = lt_lifetimes_of(t, &(struct lt_lifetime_ops){ 0 });
	return w;
}

void lt_alive_watch_free(struct lt_alive_watch *w)
{
	if (!w)
		return;
	lt_lifetimes_free(w->lf);
	lt_cgroups_free(w->cgroups);
	lt_pieces_free(w->pieces);
	free(w->chosen);
	free(w);
}

void lt_alive_watch_event(struct lt_alive_watch *w, const struct lt_event *ev)
{
	if (w->cgroups)
		lt_cgroups_event(w->cgroups, w->t, ev);
	lt_lifetimes_take(w->lf, w->t, ev);
	/* Pieces have the names of tasks, and not the tasks. */
	lt_forget_tasks(&w->forget, w->t, w->lf, NULL, w->cgroups, ev->time);
}

void lt_alive_watch_names(struct lt_alive_watch *w, const char *cgroups)
{
	if (!w->cgroups)
		return;
	lt_cgroups_names(w->cgroups, cgroups);
	if (w->n_chosen)
		memset(w->chosen, 0, w->n_chosen * sizeof(*w->chosen));
}

/* What rules can select an object by. */
struct traits {
	uint64_t cache;
	uint64_t site;
	const char *comm;
	uint64_t cgroup;
};

static struct traits traits_of(const struct lt_alive_watch *w, const struct lt_obj *o)
{
	const struct lt_task *task = NULL;
	struct traits t = {
		.cache = lt_obj_cache_key(&w->kmalloc, o),
		.site = lt_lifetimes_site(w->lf, o->site), .comm = "",
	};

	if ((w->tasks || w->in_cgroups) && o->context == LT_CTX_TASK)
		task = lt_lifetimes_task(w->lf, o->task);
	if (task && w->tasks)
		t.comm = lt_task_comm_at(task, o->time);
	if (task && w->cgroups)
		t.cgroup = lt_cgroups_at(w->cgroups, task, o->time);
	return t;
}

/* The triggers whose rules choose such objects. */
static uint64_t choose(const struct lt_alive_watch *w, const struct traits *t)
{
	char cache_buf[256], cgroup_buf[64];
	const char *by_label[LT_N_LABELS], *module;
	uint64_t set = KNOWN, offset;

	by_label[LT_LABEL_CACHE] = t->cache ? lt_cache_key_name(w->t, t->cache, cache_buf,
								 sizeof(cache_buf)) : "";
	by_label[LT_LABEL_SITE] = t->site ? lt_trace_function(w->t, t->site, &offset, &module) : "";
	by_label[LT_LABEL_COMM] = t->comm;
	by_label[LT_LABEL_CGROUP] = t->cgroup ? lt_cgroups_label(w->cgroups, t->cgroup, cgroup_buf,
								  sizeof(cgroup_buf)) : "";
	for (size_t i = 0; i < w->triggers->n; i++) {
		const struct lt_trigger *trigger = &w->triggers->list[i];
		const struct lt_rule *r = trigger->rule.rules;
		bool all = trigger->kind == LT_ON_LIVE;

		for (unsigned int k = 0; all && k < r->n_matchers; k++) {
			const char *name = by_label[r->matchers[k].label];

			all = lt_matches(&r->matchers[k], name ? name : "");
		}
		set |= all ? 1ULL << i : 0;
	}
	return set;
}

static uint64_t chosen_by(struct lt_alive_watch *w, const struct lt_obj *o)
{
	struct traits t = traits_of(w, o);
	char key[64];
	uint32_t n;

	snprintf(key, sizeof(key), "%s\n%" PRIx64, t.comm, t.cgroup);
	n = lt_pieces_number(w->pieces, t.cache, t.site, w->tasks || w->in_cgroups ? key : NULL);
	/* There are too many combinations to remember, or nothing is known of it. */
	if (!n)
		return choose(w, &t);
	if (n >= w->n_chosen)
		w->chosen = lt_extend(w->chosen, &w->n_chosen, n * 2, sizeof(*w->chosen));
	if (!w->chosen[n])
		w->chosen[n] = choose(w, &t);
	return w->chosen[n];
}

static void add(void *arg, const struct lt_obj *o, enum lt_certainty certainty)
{
	struct lt_alive_watch *w = arg;
	double bytes = (double)(o->bytes_alloc ? o->bytes_alloc : o->bytes_req);
	uint64_t set = chosen_by(w, o) & ~KNOWN;

	for (unsigned int i = 0; set; i++, set >>= 1) {
		double value = 1;

		if (!(set & 1))
			continue;
		if (w->triggers->list[i].rule.rules[0].metric == LT_METRIC_ALIVE_BYTES)
			value = bytes;
		w->sums[i].value += value;
		if (certainty != LT_OPEN)
			w->sums[i].unsure += value;
	}
}

void lt_alive_watch_sums(struct lt_alive_watch *w, struct lt_alive_sum *sums)
{
	memset(sums, 0, LT_TRIGGERS * sizeof(*sums));
	w->sums = sums;
	lt_lifetimes_alive(w->lf, LT_SPACE_SLAB, lt_trace_gap_end(w->t, LT_SPACE_SLAB), add, w);
}

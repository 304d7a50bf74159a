// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which advice follows from what was counted.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "sums/advice.h"

struct judge {
	struct lt_advisor *a;
	size_t cap;
};

static double part_of(double n, double all)
{
	return all > 0 ? n / all : 0;
}

/* Adds advice, unless it concerns too little. */
static void put(struct judge *j, const struct lt_advice *advice)
{
	struct lt_advisor *a = j->a;

	if (advice->kind != LT_ADVICE_LEAK && advice->part < LT_ADVICE_LEAST_PART)
		return;
	a->rows = lt_grow(a->rows, &j->cap, a->n_rows, sizeof(*a->rows));
	a->rows[a->n_rows++] = *advice;
}

static void judge_at_once(struct judge *j, const struct lt_advice_site *s)
{
	bool small = j->a->space == LT_SPACE_SLAB && s->largest <= LT_ADVICE_STACK_BYTES;
	bool same = (double)s->same_function >= LT_ADVICE_AT_ONCE * (double)s->births;

	if (s->births < LT_ADVICE_LEAST_OBJECTS ||
	    (double)s->at_once < LT_ADVICE_AT_ONCE * (double)s->births)
		return;
	put(j, &(struct lt_advice){
		.kind = small && same ? LT_ADVICE_ON_STACK : LT_ADVICE_AT_ONCE_FREED, .site = s,
		.part = part_of((double)s->at_once, (double)j->a->all.births),
		.objects = s->at_once, .of = s->births, .ns = s->at_once_ns / s->at_once,
		.bytes = (uint64_t)((double)s->bytes * (double)s->at_once / (double)s->births),
	});
}

/* Bytes that are there on average, of a sum of bytes by ns. */
static uint64_t mean(const struct judge *j, double byte_ns)
{
	return j->a->length ? (uint64_t)(byte_ns / (double)j->a->length) : 0;
}

static void judge_slack(struct judge *j, const struct lt_advice_site *s)
{
	uint64_t bytes = mean(j, s->slack_ns);

	if (s->births < LT_ADVICE_LEAST_OBJECTS || s->slack <= s->bytes / 3 ||
	    s->slack_ns * 3 <= s->byte_ns || bytes < LT_ADVICE_LEAST_BYTES)
		return;
	put(j, &(struct lt_advice){
		.kind = LT_ADVICE_SLACK, .site = s, .objects = s->births, .of = s->births,
		.bytes = bytes, .part = part_of(s->slack_ns, j->a->all.byte_ns),
	});
}

static void judge_place(struct judge *j, const struct lt_advice_site *s)
{
	if (s->frees < LT_ADVICE_LEAST_OBJECTS || s->other_cpu <= s->frees / 2)
		return;
	put(j, &(struct lt_advice){
		.kind = LT_ADVICE_OTHER_CPU, .site = s, .objects = s->other_cpu, .of = s->frees,
		.part = part_of((double)s->other_cpu, (double)j->a->all.frees),
		.bytes = (uint64_t)((double)s->bytes * (double)s->other_cpu / (double)s->births),
	});
}

/* Keeps the sites whose objects hold the most while they wait. */
static void keep_waiting(struct lt_advisor *a, const struct lt_advice_site *s)
{
	size_t i;

	if (!s->rcu)
		return;
	a->n_waiting_all++;
	if (a->n_waiting < LT_ADVICE_WAITING)
		a->waiting[a->n_waiting++] = NULL;
	for (i = a->n_waiting; i--;) {
		if (a->waiting[i] && a->waiting[i]->rcu_byte_ns >= s->rcu_byte_ns)
			break;
		if (i + 1 < a->n_waiting)
			a->waiting[i + 1] = a->waiting[i];
		a->waiting[i] = s;
	}
}

static void judge_rcu(struct judge *j)
{
	const struct lt_advice_site *all = &j->a->all;
	uint64_t bytes = mean(j, all->rcu_byte_ns);

	if (all->rcu < LT_ADVICE_LEAST_OBJECTS || bytes < LT_ADVICE_LEAST_BYTES)
		return;
	put(j, &(struct lt_advice){
		.kind = LT_ADVICE_RCU, .site = j->a->waiting[0], .objects = all->rcu,
		.of = all->frees, .bytes = bytes,
		.part = part_of(all->rcu_byte_ns, all->byte_ns + all->rcu_byte_ns),
		.ns = all->rcu_ns / all->rcu,
	});
}

static void judge_orphans(struct judge *j, const struct lt_advice_site *s)
{
	if (s->of_files || s->orphans < LT_ADVICE_LEAST_OBJECTS || s->orphans <= s->live / 2 ||
	    s->orphan_bytes < LT_ADVICE_LEAST_BYTES)
		return;
	put(j, &(struct lt_advice){
		.kind = LT_ADVICE_OUTLIVES, .site = s, .objects = s->orphans, .of = s->live,
		.bytes = s->orphan_bytes,
		.part = part_of((double)s->orphan_bytes, (double)j->a->all.live_bytes),
	});
}

static const struct lt_advice_site *find(const struct lt_advisor *a, uint64_t site)
{
	for (size_t i = 0; i < a->n_sites; i++)
		if (a->sites[i].site == site)
			return &a->sites[i];
	return NULL;
}

static void judge_growth(struct judge *j, const struct lt_leak_row *row)
{
	const struct lt_advice_site *s = find(j->a, row->site);
	bool leak = row->doubt == LT_LEAK_SURE;

	/* Growth that has ended, or that a few frees made up for, is no trend. */
	if (!s || (!leak && (!lt_leak_grows(row) || row->doubt == LT_LEAK_NOT_STEADY)))
		return;
	if (!leak && (row->old < LT_ADVICE_LEAST_OBJECTS || row->old_bytes < LT_ADVICE_LEAST_BYTES))
		return;
	put(j, &(struct lt_advice){
		.kind = leak ? LT_ADVICE_LEAK : LT_ADVICE_GROWS, .site = s, .leak = row,
		.objects = row->old, .of = row->births, .bytes = row->old_bytes,
		.part = part_of((double)row->old_bytes, (double)j->a->all.live_bytes),
	});
}

static int compare(const void *a, const void *b)
{
	const struct lt_advice *x = a, *y = b;
	bool leaks[2] = { x->kind == LT_ADVICE_LEAK, y->kind == LT_ADVICE_LEAK };

	if (leaks[0] != leaks[1])
		return leaks[0] ? -1 : 1;
	if (x->part > y->part || x->part < y->part)
		return x->part > y->part ? -1 : 1;
	if (x->site->site != y->site->site)
		return x->site->site < y->site->site ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

void lt_advisor_judge(struct lt_advisor *a)
{
	struct judge j = { .a = a };

	for (size_t i = 0; i < a->n_sites; i++) {
		const struct lt_advice_site *s = &a->sites[i];

		judge_at_once(&j, s);
		if (a->space == LT_SPACE_SLAB) {
			judge_slack(&j, s);
			judge_place(&j, s);
		}
		judge_orphans(&j, s);
		keep_waiting(a, s);
	}
	judge_rcu(&j);
	for (size_t i = 0; i < a->leaks->n_rows; i++)
		judge_growth(&j, &a->leaks->rows[i]);
	if (a->n_rows)
		qsort(a->rows, a->n_rows, sizeof(*a->rows), compare);
}

static const struct {
	const char *name, *whole, *text;
} kinds[LT_N_ADVICE] = {
	[LT_ADVICE_LEAK] = { "leak", "alive_bytes", "bytes alive" },
	[LT_ADVICE_ON_STACK] = { "on_stack", "allocations", "allocations" },
	[LT_ADVICE_AT_ONCE_FREED] = { "freed_at_once", "allocations", "allocations" },
	[LT_ADVICE_SLACK] = { "slack", "mean_bytes", "bytes alive on average" },
	[LT_ADVICE_OTHER_CPU] = { "other_cpu", "frees", "frees" },
	[LT_ADVICE_RCU] = { "rcu_wait", "held_bytes", "bytes alive or waiting, on average" },
	[LT_ADVICE_OUTLIVES] = { "outlives", "alive_bytes", "bytes alive" },
	[LT_ADVICE_GROWS] = { "grows", "alive_bytes", "bytes alive" },
};

const char *lt_advice_name(enum lt_advice_kind kind)
{
	return kinds[kind].name;
}

const char *lt_advice_whole_name(enum lt_advice_kind kind)
{
	return kinds[kind].whole;
}

const char *lt_advice_whole_text(enum lt_advice_kind kind)
{
	return kinds[kind].text;
}

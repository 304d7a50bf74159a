// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What performance counters have of tasks.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "tasks/internal.h"

const char *lt_counter_name(unsigned int counter)
{
	static const char *const names[LT_N_COUNTERS] = {
		[LT_COUNTER_INSTRUCTIONS] = "instructions",
		[LT_COUNTER_CYCLES] = "cycles",
		[LT_COUNTER_CACHE_REFERENCES] = "cache-references",
		[LT_COUNTER_CACHE_MISSES] = "cache-misses",
		[LT_COUNTER_BRANCHES] = "branches",
		[LT_COUNTER_BRANCH_MISSES] = "branch-misses",
		[LT_COUNTER_TASK_CLOCK] = "task-clock",
		[LT_COUNTER_PAGE_FAULTS] = "page-faults",
		[LT_COUNTER_CONTEXT_SWITCHES] = "context-switches",
		[LT_COUNTER_CPU_MIGRATIONS] = "cpu-migrations",
	};

	return counter < LT_N_COUNTERS ? names[counter] : NULL;
}

uint64_t lt_task_count(const struct lt_task_counts *c, unsigned int counter)
{
	uint64_t running = c->running[counter], enabled = c->enabled[counter];
	double scaled;

	if (!running || running >= enabled)
		return c->value[counter];
	scaled = (double)c->value[counter] * ((double)enabled / (double)running);
	/* Of a trace that nobody recorded so, it may be more than there are numbers. */
	return scaled < (double)UINT64_MAX ? (uint64_t)scaled : UINT64_MAX;
}

double lt_task_counted_percent(const struct lt_task_counts *c)
{
	double least = c && c->known ? 100 : 0;

	for (unsigned int i = 1; c && i < LT_N_COUNTERS; i++) {
		double part;

		if (!lt_task_counted(c, i) || c->running[i] >= c->enabled[i])
			continue;
		part = 100.0 * (double)c->running[i] / (double)c->enabled[i];
		if (part < least)
			least = part;
	}
	return least;
}

const struct lt_task_counts *lt_tasks_counts(const struct lt_tasks *tb,
					     const struct lt_task_inst *t)
{
	uint32_t inst = tb->counts ? lt_tasks_find(tb, t->tid, t->start) : 0;

	if (inst >= tb->n_counts_of || !tb->counts_of[inst])
		return NULL;
	return &tb->counts[tb->counts_of[inst] - 1];
}

static struct lt_task_counts *counts_for(struct lt_tasks *tb, uint32_t inst)
{
	if (inst >= tb->n_counts_of)
		tb->counts_of = lt_extend(tb->counts_of, &tb->n_counts_of,
					  (size_t)inst + inst / 2 + 64, sizeof(*tb->counts_of));
	if (!tb->counts_of[inst]) {
		tb->counts = lt_grow(tb->counts, &tb->cap_counts, tb->n_counts,
				     sizeof(*tb->counts));
		tb->counts[tb->n_counts] = (struct lt_task_counts){ 0 };
		tb->counts_of[inst] = (uint32_t)(++tb->n_counts);
	}
	return &tb->counts[tb->counts_of[inst] - 1];
}

/* It may have ended long before, and have been forgotten; then nothing is known of it but this. */
void lt_on_counter(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	uint32_t inst = lt_tasks_find(tb, ev->tid, ev->start);
	struct lt_task_counts *c;

	if (!inst || !lt_counter_name(ev->counter) || (ev->enabled && !ev->running))
		return;
	c = counts_for(tb, inst);
	c->known |= (uint16_t)(1U << ev->counter);
	if (ev->user)
		c->user |= (uint16_t)(1U << ev->counter);
	c->value[ev->counter] += ev->value;
	c->enabled[ev->counter] += ev->enabled;
	c->running[ev->counter] += ev->running;
}

void lt_counts_copy(struct lt_tasks *tb, uint32_t inst, const struct lt_task_counts *old,
		    uint32_t from)
{
	if (from)
		*counts_for(tb, inst) = old[from - 1];
}

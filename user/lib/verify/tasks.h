/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Proofs about tasks and numbers, from a trace alone:
 *
 * - Population: the tasks of the first complete snapshot, plus births, minus deaths, are the
 *   tasks of each later complete snapshot, task by task.
 * - Reuse: no number was given to a task while its holder was alive.
 * - Generations of a namespace only grow, by one at a time.
 * - Numbers: each number that was given is born, burned or in flight.
 *
 * A contradiction fails a proof, unless an event was lost that explains it; a lost event
 * explains one contradiction.
 */
#ifndef LT_VERIFY_TASKS_H
#define LT_VERIFY_TASKS_H

#include "verify/check.h"
#include "tasks/tasks.h"

enum lt_task_check_id {
	LT_TASK_CHECK_POPULATION,
	LT_TASK_CHECK_REUSE,
	LT_TASK_CHECK_GENERATIONS,
	LT_TASK_CHECK_NUMBERS,
	LT_N_TASK_CHECKS,
};

#define LT_TASK_NOTES	40	/* kept for each proof; the rest is counted */

/**
 * struct lt_task_proofs - results of the proofs
 * @checks: by enum lt_task_check_id
 * @excused: contradictions that lost events explain
 * @notes: sentences without a newline: which task, and why
 * @more_notes: how many contradictions have no note
 * @snapshots: complete snapshots
 * @initial, @births, @deaths, @became_leaders: from the first complete snapshot to the last
 * @alive: the sum of these: tasks alive at the end of the last snapshot
 * @snapshot: of @alive, those that are in the last snapshot
 * @meanwhile: of @alive, those that were born while it was taken
 */
struct lt_task_proofs {
	struct lt_check checks[LT_N_TASK_CHECKS];
	uint64_t excused[LT_N_TASK_CHECKS];
	char **notes;
	size_t n_notes;
	uint64_t more_notes;
	uint64_t snapshots;
	uint64_t initial, births, deaths, became_leaders;
	uint64_t alive, snapshot, meanwhile;
};

/**
 * lt_task_checker_new() - observe all events for the proofs
 * @tb: has taken in no event yet
 */
struct lt_task_checker *lt_task_checker_new(struct lt_tasks *tb);

/**
 * lt_task_checker_finish() - decide the proofs, and free the checker
 * @unwatched: why the needed events are not in the trace at all, NULL: they are
 * @v: result; to be released with lt_task_proofs_destroy()
 *
 * After lt_tasks_finish().
 */
void lt_task_checker_finish(struct lt_task_checker *c, const char *unwatched,
			    struct lt_task_proofs *v);

void lt_task_proofs_destroy(struct lt_task_proofs *v);

/* Whether each proof that could be made holds. */
bool lt_task_proofs_good(const struct lt_task_proofs *v);

struct lt_trace;

/**
 * lt_verify_tasks() - open a trace file, and run the proofs over it
 * @v: result; to be released with lt_task_proofs_destroy()
 * Return: 0; -1: the file cannot be read to its end, which was reported, and @v is empty.
 */
int lt_verify_tasks(const char *path, struct lt_task_proofs *v);

#endif /* LT_VERIFY_TASKS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Proofs about tasks and numbers, from a trace alone:
 *
 * - Population: the first complete snapshot, and all births, and no deaths since
 *   then, are the tasks of each later complete snapshot, task by task.
 * - Numbers: none was given while its holder was alive.
 * - Generations of a namespace only grow, by one at a time.
 * - Of all numbers given, each is accounted for: born, burned or in flight.
 *
 * What does not hold fails, unless events were lost that explain it; each lost
 * event explains one.
 */
#ifndef LT_LIB_TASK_CHECK_H
#define LT_LIB_TASK_CHECK_H

#include "verify/check.h"
#include "tasks/tasks.h"

enum lt_task_check_id {
	LT_TASK_CHECK_POPULATION,
	LT_TASK_CHECK_REUSE,
	LT_TASK_CHECK_GENERATIONS,
	LT_TASK_CHECK_NUMBERS,
	LT_N_TASK_CHECKS,
};

#define LT_TASK_NOTES	40	/* kept of each proof; the rest is counted */

/**
 * struct lt_task_proofs - how the proofs turned out
 * @checks: as those of struct lt_verify_result
 * @excused: what would have failed, but for events that were lost
 * @notes: which task, and why; for people, without a newline
 * @more_notes: how many there are no notes of
 * @initial, @births, @deaths, @became_leaders: the sum, from the first complete
 *	snapshot to the last one
 * @alive: their result; @snapshot: the tasks of the last one that are alive at its
 *	end, @meanwhile: of those that were born while it was taken and are not in it
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
 * struct lt_task_checker - the proofs, while events go by
 * Made before the first event, with a table that is read to its end then.
 */
struct lt_task_checker *lt_task_checker_new(struct lt_tasks *tb);

/**
 * lt_task_checker_finish() - judge, and free the checker
 * @v: filled in; to be released with lt_task_proofs_destroy()
 * @unwatched: why the events needed are not in the trace at all, NULL: they are
 * After lt_tasks_finish().
 */
void lt_task_checker_finish(struct lt_task_checker *c, const char *unwatched,
			    struct lt_task_proofs *v);

void lt_task_proofs_destroy(struct lt_task_proofs *v);

/* Whether all that could be checked holds. */
bool lt_task_proofs_good(const struct lt_task_proofs *v);

struct lt_trace;

/**
 * lt_verify_tasks() - the proofs for a trace file
 * Opens and reads it by itself. Return: 0; -1: it cannot be read to its end, and that
 * was printed; @v is not to be released then.
 */
int lt_verify_tasks(const char *path, struct lt_task_proofs *v);

#endif /* LT_LIB_TASK_CHECK_H */

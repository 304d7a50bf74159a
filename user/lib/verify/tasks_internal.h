/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Suspects: tasks.c collects them, tasks_review.c decides about them. */
#ifndef LT_VERIFY_TASKS_INTERNAL_H
#define LT_VERIFY_TASKS_INTERNAL_H

#include "verify/tasks.h"

enum lt_suspect_kind {
	LT_SUSPECT_UNBORN,	/* met after the first snapshot, without a birth */
	LT_SUSPECT_GONE,	/* alive, but not in a snapshot */
	LT_SUSPECT_AFTER_END,	/* in a snapshot, after its end */
	LT_SUSPECT_HELD,	/* the holder of its number was alive */
	LT_SUSPECT_HOLDER,	/* number_reused names another holder than there was */
	LT_SUSPECT_GENERATION,	/* of a namespace: it does not follow the last one */
	LT_SUSPECT_NOT_BEGUN,	/* born in a generation that had not begun */
	LT_SUSPECT_COUNTS,	/* of a namespace: more born and burned than given */
	LT_SUSPECT_BACK,	/* of a namespace: its counts are lower than before */
};

/**
 * struct lt_suspect - a contradiction, as it was found
 * @inst: the task, or the id of a namespace
 * @other: the other task, 0: none
 * @epoch: number of the snapshot
 * @from, @until: an event that was lost between these times may explain it
 *
 * Later events may explain it, too: it is decided when the whole trace was read.
 */
struct lt_suspect {
	uint8_t kind;
	uint32_t inst;
	uint32_t other;
	uint32_t epoch;
	uint64_t from;
	uint64_t until;
	uint64_t expected, found;
};

#define LT_LATEST_SEEN	256

struct lt_task_checker {
	struct lt_tasks *tb;
	struct lt_suspect *suspects;
	size_t n;
	size_t cap;
	/* Of the snapshot whose records come */
	bool open;
	uint32_t epoch;
	uint8_t purpose;
	uint64_t begin;
	/* Of complete snapshots; base: the first, last: the last one */
	uint64_t snapshots;
	bool any;		/* one that need not be complete */
	bool base_initial;
	bool last_final;
	uint32_t last_epoch;
	uint64_t base_end;
	uint64_t last_begin;
	uint64_t last_end;
	uint64_t initial;	/* alive at the end of the first one; then: */
	uint64_t births, deaths, became_leaders;
	struct lt_task_proofs sum;	/* at the end of the last one */
	/* The latest new tasks, and the holders of their numbers before. */
	struct {
		uint32_t inst;
		uint32_t other;
	} latest[LT_LATEST_SEEN];
	uint64_t n_seen;
	uint64_t reused;
	/* Namespaces, by id */
	struct lt_check_ns {
		bool known;
		bool counted;
		bool exact;
		bool gone;
		uint64_t generation;
		uint64_t time;		/* of the last record */
		uint64_t allocated, born, burned;
		uint64_t wraps;
		uint64_t untracked;
	} *namespaces;
	size_t n_namespaces;
	/* Those whose ids mean others now: how many, and their sums */
	uint64_t earlier_namespaces, earlier_wraps, earlier_untracked, earlier_incomplete;
	uint32_t level0;	/* id of the initial namespace, 0: not known */
	/* Since the initial namespace's last record in the first snapshot */
	uint64_t first_born;	/* its count of numbers given to tasks */
	uint64_t births_now;	/* births seen */
	/* At its latest record */
	uint64_t born;		/* numbers given to tasks since @first_born */
	uint64_t born_since;	/* births seen since then */
	uint64_t born_time;
};

#endif /* LT_VERIFY_TASKS_INTERNAL_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by task_check.c, which collects, and task_verdict.c, which judges. */
#ifndef LT_LIB_TASK_CHECK_PRIVATE_H
#define LT_LIB_TASK_CHECK_PRIVATE_H

#include "verify/tasks.h"

enum lt_suspect_kind {
	LT_SUSPECT_UNBORN,	/* known after the first snapshot, and never born */
	LT_SUSPECT_GONE,	/* alive, but not in a snapshot */
	LT_SUSPECT_AFTER_END,	/* in a snapshot, but it had ended before */
	LT_SUSPECT_HELD,	/* its number was held by another that was alive */
	LT_SUSPECT_HOLDER,	/* number_reused names another holder than there was */
	LT_SUSPECT_GENERATION,	/* of a namespace: not the one after the last */
	LT_SUSPECT_NOT_BEGUN,	/* born in a generation that had not begun */
	LT_SUSPECT_COUNTS,	/* of a namespace: more born and burned than given */
	LT_SUSPECT_BACK,	/* of a namespace: its counts are lower than before */
};

/*
 * What looks wrong when it is met. Later events may explain it, so it is judged
 * when all were seen.
 */
struct lt_suspect {
	uint8_t kind;
	uint32_t inst;		/* or the id of a namespace */
	uint32_t other;
	uint32_t epoch;
	uint64_t from;		/* if an event was lost between these two times */
	uint64_t until;		/* it is explained */
	uint64_t expected, found;
};

#define LT_LATEST_SEEN	256

struct lt_task_checker {
	struct lt_tasks *tb;
	struct lt_suspect *suspects;
	size_t n;
	size_t cap;
	/* Of the open snapshot */
	bool open;
	uint32_t epoch;
	uint8_t purpose;
	uint64_t begin;
	/* Of complete ones */
	uint64_t snapshots;
	bool any;		/* also those that are not complete */
	bool base_initial;
	bool last_final;
	uint32_t last_epoch;
	uint64_t base_end;
	uint64_t last_begin;
	uint64_t last_end;
	uint64_t initial;	/* alive at the end of the first one, and since then */
	uint64_t births, deaths, became_leaders;
	struct lt_task_proofs sum;	/* as of the last one */
	/* Births of the latest numbers, and who held them before. */
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
		uint64_t generation;
		uint64_t time;		/* of the last record */
		uint64_t allocated, born, burned;
		uint64_t wraps;
	} *namespaces;
	size_t n_namespaces;
	uint32_t level0;	/* id of the initial one, 0: not known */
	uint64_t births_now;	/* since its record of the first snapshot */
	uint64_t first_born;	/* as that record says */
	uint64_t born;		/* as of its last record: numbers given to tasks, and */
	uint64_t born_since;	/* births seen, since then */
	uint64_t born_time;
};

void lt_suspect_add(struct lt_task_checker *c, const struct lt_suspect *s);

#endif /* LT_LIB_TASK_CHECK_PRIVATE_H */

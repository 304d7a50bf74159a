/* SPDX-License-Identifier: GPL-2.0 */
/* A table with its proofs, for tests. */
#ifndef TASKPROOF_H
#define TASKPROOF_H

#include "verify/tasks.h"
#include "tasktest.h"

struct proof {
	struct lt_tasks *tb;
	struct lt_task_checker *c;
	struct lt_task_proofs v;
};

/* With nothing in it. */
static inline void begin_bare(struct proof *p, const struct lt_tasks_config *config)
{
	p->tb = lt_tasks_new(config);
	p->c = lt_task_checker_new(p->tb);
}

static inline void begin(struct proof *p, const struct lt_tasks_config *config)
{
	begin_bare(p, config);
	world_events(p->tb);
}

/* The group of 200, with a thread 201. */
static inline void begin_group(struct proof *p)
{
	begin(p, NULL);
	born(p->tb, 100, 200, 100, 4);
	thread_born(p->tb, 130, 201, 200, 100);
}

/* Its threads live on. */
static inline void leader_exits(struct proof *p, uint64_t at, uint32_t tid, uint64_t start)
{
	ev(p->tb, EXIT, at, .tid = tid, .tgid = tid, .start = start, INIT, .comm = T("sh"),
	   .oom_score_adj = 200);
}

static inline void finish(struct proof *p, uint64_t end)
{
	lt_tasks_finish(p->tb, end);
	lt_task_checker_finish(p->c, NULL, &p->v);
}

static inline void end(struct proof *p)
{
	lt_task_proofs_destroy(&p->v);
	lt_tasks_free(p->tb);
}

static inline uint64_t failures(const struct proof *p, enum lt_task_check_id id)
{
	return p->v.checks[id].failures;
}

static inline bool has_note(const struct proof *p, const char *text)
{
	for (size_t i = 0; i < p->v.n_notes; i++) {
		if (strstr(p->v.notes[i], text))
			return true;
	}
	return false;
}

#define says(p, id, words) \
	assert_non_null(strstr((p)->v.checks[LT_TASK_CHECK_##id].text, words))

#endif /* TASKPROOF_H */

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Hazards of identifying a task by its number.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tasks/hazard.h"

const struct lt_hazard_kind lt_hazard_kinds[LT_N_HAZARDS] = {
	[LT_HAZARD_LATE_RELEASE] = {
		"late_release",
		"release of a task after the birth of the next one with its number",
		"ends the new task", "released", "holder", "after the birth", true,
	},
	[LT_HAZARD_EXIT_BEFORE_EXEC] = {
		"exit_before_exec",
		"exit by the number of a process that lives on, since a thread executes a program",
		"ends a process that goes on", "process", "thread", NULL, false,
	},
	[LT_HAZARD_THREAD_EXEC] = {
		"thread_became_leader",
		"a thread that took its leader's number by exec; it never exits by its own",
		"keeps a thread for ever", "process", "thread", NULL, false,
	},
	[LT_HAZARD_QUICK_REUSE] = {
		"quick_reuse",
		"a number given again before a grace period after the exit was over",
		"adds late events of the old task to the new one", "new", "old", "after the exit",
		true,
	},
	[LT_HAZARD_REUSED_PARENT] = {
		"reused_parent",
		"a number given again while children of its last holder live",
		"hangs children below a stranger", "new", "old", "children alive", false,
	},
	[LT_HAZARD_NO_WRAP] = {
		"reuse_without_wrap",
		"a number given again though the cursor had not gone round",
		"counts on wraps to distinguish holders", NULL, NULL, "number", false,
	},
	[LT_HAZARD_LEADER_FIRST] = {
		"leader_first",
		"the leader of a thread group that exited before its threads",
		"ends a process whose threads go on", "leader", NULL, NULL, false,
	},
	[LT_HAZARD_BURNED] = {
		"burned",
		"numbers given to no task, since fork failed later",
		"misses wraps when it counts births", NULL, NULL, "numbers", false,
	},
	[LT_HAZARD_NOT_PARENT] = {
		"creator_not_parent",
		"a process whose creator is not its parent",
		"hangs it below its creator, or the fork below its parent",
		"child", "creator", NULL, false,
	},
	[LT_HAZARD_NO_FORK] = {
		"no_fork_event",
		"an I/O or user worker: it has no sched_process_fork",
		"meets an unknown thread", "worker", "creator", NULL, false,
	},
};

struct lt_hazards {
	struct lt_tasks *tb;
	size_t limit;
	uint64_t grace;
	struct lt_hazard hazards[LT_N_HAZARDS];
	/* By instance */
	struct family {
		uint32_t children;	/* alive, by their parents at birth */
		uint32_t counted;	/* the parent that has this one in @children, or 0 */
	} *families;
	size_t n_families;
};

static void add(struct lt_hazards *h, enum lt_hazard_id id, uint64_t time, uint32_t inst,
		uint32_t other, uint64_t value)
{
	struct lt_hazard *z = &h->hazards[id];

	z->count++;
	if (z->n == h->limit)
		return;
	z->examples = lt_grow(z->examples, &z->cap, z->n, sizeof(*z->examples));
	z->examples[z->n++] = (struct lt_hazard_example){ time, inst, other, value };
}

static struct family *family(struct lt_hazards *h, uint32_t inst)
{
	if (inst >= h->n_families)
		h->families = lt_extend(h->families, &h->n_families, (size_t)inst + inst / 2 + 1024,
					sizeof(*h->families));
	return &h->families[inst];
}

/* Counts a child at its parent while it lives. A birth may name another parent. */
static void count_child(struct lt_hazards *h, uint32_t inst, bool alive)
{
	uint32_t parent = lt_tasks_get(h->tb, inst)->parent;
	uint32_t before = family(h, inst)->counted;

	if (lt_task_is_thread(lt_tasks_get(h->tb, inst)) || !alive)
		parent = 0;
	if (before == parent)
		return;
	if (before)
		family(h, before)->children--;
	if (parent)
		family(h, parent)->children++;
	family(h, inst)->counted = parent;
}

/* A number has a new holder. */
static void on_seen(struct lt_hazards *h, const struct lt_task_event *ev, uint32_t inst,
		    uint32_t old)
{
	const struct lt_task_inst *t;
	uint32_t children;

	if (!old)
		return;
	t = lt_tasks_get(h->tb, old);
	/* A late record: the task that is met now held the number before @old. */
	if (lt_tasks_get(h->tb, inst)->start < t->start)
		return;
	if (t->ending == LT_TASK_END_EXITED && ev->time - t->end < h->grace)
		add(h, LT_HAZARD_QUICK_REUSE, ev->time, inst, old, ev->time - t->end);
	children = family(h, old)->children;
	if (children)
		add(h, LT_HAZARD_REUSED_PARENT, ev->time, inst, old, children);
}

static void on_released(struct lt_hazards *h, const struct lt_task_event *ev, uint32_t inst,
			uint32_t holder)
{
	const struct lt_task_inst *t;

	if (!inst || !holder || holder == inst)
		return;
	t = lt_tasks_get(h->tb, holder);
	if (t->start > lt_tasks_get(h->tb, inst)->start)
		add(h, LT_HAZARD_LATE_RELEASE, ev->time, inst, holder, ev->time - t->birth);
}

static void on_thread_exec(struct lt_hazards *h, const struct lt_task_event *ev,
			   uint32_t inst, uint32_t thread)
{
	if (thread)
		add(h, LT_HAZARD_THREAD_EXEC, ev->time, inst, thread, 0);
	if (lt_tasks_get(h->tb, inst)->marks & LT_TASK_MARK_LIVES_ON)
		add(h, LT_HAZARD_EXIT_BEFORE_EXEC, ev->time, inst, thread, 0);
}

static void notice(void *arg, enum lt_task_notice what, const struct lt_task_event *ev,
		   uint32_t inst, uint32_t other)
{
	struct lt_hazards *h = arg;

	switch (what) {
	case LT_NOTICE_SEEN:
		on_seen(h, ev, inst, other);
		break;
	case LT_NOTICE_BORN:
	case LT_NOTICE_STATE:
		count_child(h, inst, !lt_task_ended(lt_tasks_get(h->tb, inst)));
		break;
	case LT_NOTICE_ENDED:
		count_child(h, inst, false);
		break;
	case LT_NOTICE_UNDONE:
		count_child(h, inst, true);
		break;
	case LT_NOTICE_EXEC_THREAD:
		on_thread_exec(h, ev, inst, other);
		break;
	case LT_NOTICE_RELEASED:
		on_released(h, ev, inst, other);
		break;
	case LT_NOTICE_REUSED:
		break;
	case LT_NOTICE_OTHER:
		if (ev->id == LT_EV_WRAP && ev->why == 2)
			add(h, LT_HAZARD_NO_WRAP, ev->time, 0, 0, ev->nr);
		break;
	}
}

struct lt_hazards *lt_hazards_new(struct lt_tasks *tb, size_t limit, uint64_t grace)
{
	struct lt_hazards *h = lt_alloc(sizeof(*h));

	h->tb = tb;
	h->limit = limit;
	h->grace = grace;
	lt_tasks_observe(tb, notice, h);
	return h;
}

void lt_hazards_free(struct lt_hazards *h)
{
	if (!h)
		return;
	for (unsigned int i = 0; i < LT_N_HAZARDS; i++)
		free(h->hazards[i].examples);
	free(h->families);
	free(h);
}

/* Whether the process that called fork is another one than the parent. */
static bool not_parent(const struct lt_tasks *tb, const struct lt_task_inst *t)
{
	const struct lt_task_inst *c;
	uint32_t process;

	if (!(t->marks & LT_TASK_MARK_BORN) || lt_task_is_thread(t))
		return false;
	if (t->marks & LT_TASK_MARK_BY_OTHER || !t->creator || !t->parent)
		return t->marks & LT_TASK_MARK_BY_OTHER;
	c = lt_tasks_get(tb, t->creator);
	process = c->leader ? c->leader : t->creator;
	return c->tgid && lt_tasks_get(tb, process)->tid == c->tgid && process != t->parent;
}

void lt_hazards_finish(struct lt_hazards *h)
{
	const struct lt_tasks *tb = h->tb;
	const uint32_t *order = lt_tasks_order(tb);

	for (uint32_t i = 0; i < lt_tasks_count(tb); i++) {
		const struct lt_task_inst *t = lt_tasks_get(tb, order[i]);

		if (t->marks & LT_TASK_MARK_LEADER_FIRST)
			add(h, LT_HAZARD_LEADER_FIRST, t->end, order[i], 0, 0);
		if (not_parent(tb, t))
			add(h, LT_HAZARD_NOT_PARENT, t->birth, order[i], t->creator, 0);
		if (t->flags & (LT_TASK_FLAG_IO_WORKER | LT_TASK_FLAG_USER_WORKER))
			add(h, LT_HAZARD_NO_FORK, t->birth, order[i], t->creator, 0);
	}
	for (uint32_t i = 0; i < lt_tasks_n_namespaces(tb); i++) {
		const struct lt_task_ns *n = lt_tasks_namespace(tb, i);

		if (!n || !n->burned)
			continue;
		add(h, LT_HAZARD_BURNED, 0, 0, i, n->burned);
		h->hazards[LT_HAZARD_BURNED].count += n->burned - 1;
	}
}

const struct lt_hazard *lt_hazards_get(const struct lt_hazards *h, enum lt_hazard_id id)
{
	return &h->hazards[id];
}

// SPDX-License-Identifier: GPL-2.0
/* Gives the events of a text to the engine of tasks, and compares what is known with the text. */
#include "task_run.h"
#include "task_script.h"

struct task_name task_next(struct parser *p)
{
	const char *c = script_next(p);
	struct task_name task = { .tid = (uint32_t)script_integer(p, &c) };

	if (*c++ != '/')
		script_fail(p, "TID/START is missing in");
	task.start = script_integer(p, &c);
	script_end_of_word(p, c);
	return task;
}

static int64_t next_signed(struct parser *p)
{
	return script_accept(p, "-") ? -(int64_t)script_next_integer(p) :
				       (int64_t)script_next_integer(p);
}

/* ------------------------------------------------------------------------
 * Events
 */

#define AT(member)	offsetof(struct lt_task_event, member)
#define SIZE(member)	sizeof(((struct lt_task_event *)0)->member)
#define NUMBER(member)	{ #member, AT(member), SIZE(member), 0 }
#define TEXT(member)	{ #member, AT(member), 0, 0 }
#define TASK(name, t, s)	{ name, AT(t), SIZE(t), AT(s) }

/* A number of @size bytes; a text, if that is 0; a task, if @start is not 0. */
static const struct {
	const char *name;
	size_t at, size, start;
} members[] = {
	NUMBER(tid), NUMBER(tgid), NUMBER(start), NUMBER(clone_flags), NUMBER(flags), NUMBER(ns),
	NUMBER(nr), NUMBER(generation), NUMBER(wraps), NUMBER(uid), NUMBER(gid), NUMBER(old_uid),
	NUMBER(old_gid), NUMBER(cgroup), NUMBER(oom_score_adj), NUMBER(old), NUMBER(by),
	NUMBER(holders), NUMBER(why), NUMBER(exact), NUMBER(cursor), NUMBER(allocated),
	NUMBER(born), NUMBER(burned), NUMBER(group), NUMBER(hierarchy), NUMBER(group_dead),
	NUMBER(code),
	NUMBER(epoch), NUMBER(tasks), NUMBER(purpose), NUMBER(complete),
	TEXT(comm), TEXT(old_comm), TEXT(file), TEXT(state),
	TASK("task", tid, start), TASK("old_task", old_tid, old_start),
	TASK("parent", parent, parent_start), TASK("creator", creator, creator_start),
};

#define EVENT_ROW(CHANNEL, id, NAME, name, CLASS, text)	{ #name, LT_EV_##NAME },

static const struct {
	const char *name;
	uint16_t id;
} events[] = { LT_PID_EVENTS(EVENT_ROW) };

/* In this machine's byte order. */
static void put_number(uint8_t *to, size_t size, int64_t n)
{
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	for (size_t i = 0; i < size; i++)
		to[big ? size - 1 - i : i] = (uint8_t)((uint64_t)n >> 8 * i);
}

static void set_member(struct parser *p, struct lt_task_event *e)
{
	struct task_name task;
	size_t i = 0;

	script_next(p);
	while (i < sizeof(members) / sizeof(members[0]) && strcmp(members[i].name, p->word))
		i++;
	if (i == sizeof(members) / sizeof(members[0]))
		script_fail(p, "no member of an event:");
	if (members[i].start) {
		task = task_next(p);
		memcpy((char *)e + members[i].at, &task.tid, sizeof(task.tid));
		memcpy((char *)e + members[i].start, &task.start, sizeof(task.start));
	} else if (members[i].size) {
		put_number((uint8_t *)e + members[i].at, members[i].size, next_signed(p));
	} else {
		script_next(p);
		*(struct lt_task_text *)((char *)e + members[i].at) =
			(struct lt_task_text){ p->at, strlen(p->word) };
	}
}

static void put_event(struct task_run *r, uint64_t time)
{
	struct lt_task_event e = { .time = time };

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]) && !e.id; i++) {
		if (!strcmp(events[i].name, r->p.word))
			e.id = events[i].id;
	}
	if (!e.id)
		script_fail(&r->p, "no event:");
	while (script_more(&r->p))
		set_member(&r->p, &e);
	lt_tasks_event(r->tb, &e);
}

static void put_birth(struct task_run *r, uint64_t time, bool thread)
{
	uint32_t tid = (uint32_t)script_next_integer(&r->p);
	struct task_name of;

	if (!script_accept(&r->p, "of"))
		script_fail(&r->p, "'of' is missing behind");
	of = task_next(&r->p);
	(thread ? thread_born : born)(r->tb, time, tid, of.tid, of.start);
}

static void put_timed(struct task_run *r)
{
	uint64_t time = script_next_time(&r->p);
	struct task_name task;

	if (script_accept(&r->p, "born")) {
		put_birth(r, time, false);
	} else if (script_accept(&r->p, "thread")) {
		put_birth(r, time, true);
	} else if (script_accept(&r->p, "died")) {
		task = task_next(&r->p);
		died(r->tb, time, task.tid, task.start);
	} else if (script_accept(&r->p, "final")) {
		final_begin(r->tb, time);
	} else if (script_accept(&r->p, "alive")) {
		task = task_next(&r->p);
		final_state(r->tb, time, task.tid, task.start);
	} else if (script_accept(&r->p, "final_end")) {
		final_end(r->tb, time);
	} else {
		script_next(&r->p);
		put_event(r, time);
	}
}

static void put_loss(struct task_run *r)
{
	static const char *const words[] = { "changes", "births", "ends", "all", NULL };
	static const unsigned int what[] = {
		LT_LOST_CHANGES, LT_LOST_BIRTHS, LT_LOST_ENDS, LT_N_LOSSES - 1,
	};
	unsigned int word = script_choice(&r->p, words, "no events to be lost:");
	struct lt_task_gap gap = { .what = what[word], .unknown = word == 3 };
	const char *c;

	if (word == 1)
		gap.births = script_next_integer(&r->p);
	if (word == 2)
		gap.ends = script_next_integer(&r->p);
	c = script_next(&r->p);
	gap.begin = script_integer(&r->p, &c);
	if (strncmp(c, "..", 2))
		script_fail(&r->p, "FROM..UNTIL is missing in");
	c += 2;
	gap.end = script_integer(&r->p, &c);
	script_end_of_word(&r->p, c);
	lt_tasks_gap(r->tb, &gap);
}

static void finish_tasks(struct task_run *r, uint64_t time)
{
	lt_tasks_finish(r->tb, time);
	if (!r->c)
		return;
	lt_task_checker_finish(r->c, r->unwatched, &r->v);
	r->c = NULL;
	r->proven = true;
}

static void put_step(struct task_run *r)
{
	if (script_accept(&r->p, "world"))
		world_events(r->tb);
	else if (script_accept(&r->p, "lost"))
		put_loss(r);
	else if (script_accept(&r->p, "end"))
		finish_tasks(r, script_next_time(&r->p));
	else
		put_timed(r);
}

/* ------------------------------------------------------------------------
 * What is known
 */

static const char *const attributes[] = {
	[LT_ATTR_COMM] = "comm", [LT_ATTR_OOM] = "oom", [LT_ATTR_UID] = "uid",
	[LT_ATTR_GID] = "gid", [LT_ATTR_CGROUP] = "cgroup", [LT_ATTR_FILE] = "file",
	[LT_ATTR_PARENT] = "parent", "all", NULL
};

void task_add_name(const struct task_run *r, char *text, size_t size, uint32_t name)
{
	size_t len;
	const char *s = lt_tasks_name(r->tb, name, &len);

	text_add(text, size, "%.*s", (int)len, s);
}

static void add_value(struct task_run *r, enum lt_task_attr a, const struct lt_task_value *v)
{
	char *found = r->found;
	const size_t size = sizeof(r->found);

	if (!v->known)
		text_add(found, size, "unknown");
	else if (a == LT_ATTR_PARENT)
		text_add(found, size, "%u/%llu", lt_tasks_get(r->tb, (uint32_t)v->u)->tid,
			 (unsigned long long)lt_tasks_get(r->tb, (uint32_t)v->u)->start);
	else if (a == LT_ATTR_COMM || a == LT_ATTR_FILE)
		task_add_name(r, found, size, (uint32_t)v->u);
	else
		text_add(found, size, "%lld", (long long)v->i);
	text_add(found, size, v->known && !v->certain ? "?\n" : "\n");
}

static void add_latest(struct task_run *r, enum lt_task_attr a, const struct task_name *task)
{
	const struct lt_task_inst *t = lt_tasks_get(r->tb, lt_tasks_find(r->tb, task->tid,
									 task->start));
	const size_t size = sizeof(r->found);

	if (a == LT_ATTR_COMM)
		task_add_name(r, r->found, size, t->comm);
	else if (a == LT_ATTR_OOM)
		text_add(r->found, size, "%d", t->oom_score_adj);
	else if (a == LT_ATTR_CGROUP)
		text_add(r->found, size, "%llu", (unsigned long long)lt_tasks_cgroup(r->tb, t));
	else
		script_fail(&r->p, "not an attribute with a latest value, before");
	text_add(r->found, size, "\n");
}

void task_expect(struct task_run *r)
{
	while (script_more(&r->p))
		text_add(r->expected, sizeof(r->expected), "%s", script_next(&r->p));
	text_add(r->expected, sizeof(r->expected), "\n");
}

static void compare_attribute(struct task_run *r, struct task_name task)
{
	enum lt_task_attr a = (enum lt_task_attr)script_choice(&r->p, attributes, "no attribute:");
	struct lt_task_value v;
	uint64_t time;

	BOTH(r, "%u/%llu %s ", task.tid, (unsigned long long)task.start, attributes[a]);
	if (!lt_tasks_find(r->tb, task.tid, task.start))
		script_fail(&r->p, "the task is not known, before");
	if (script_accept(&r->p, "now")) {
		BOTH(r, "now ");
		add_latest(r, a, &task);
	} else {
		time = script_next_time(&r->p);
		v = lt_tasks_at(r->tb, lt_tasks_find(r->tb, task.tid, task.start), a, time);
		BOTH(r, "%llu ", (unsigned long long)time);
		add_value(r, a, &v);
	}
	task_expect(r);
}

static void compare_total(struct task_run *r, bool unseen)
{
	const struct lt_task_totals *all = lt_tasks_totals(r->tb);
	unsigned int a = script_choice(&r->p, attributes, "no attribute:");
	uint64_t wanted = script_next_integer(&r->p);

	for (unsigned int i = 0; i < LT_ATTR_PARENT + (a == LT_ATTR_PARENT); i++) {
		if (a != LT_N_TASK_ATTRS && i != a)
			continue;
		BOTH(r, "%s %s ", unseen ? "unseen" : "silent", attributes[i]);
		text_add(r->expected, sizeof(r->expected), "%llu\n", (unsigned long long)wanted);
		text_add(r->found, sizeof(r->found), "%llu\n",
			 (unsigned long long)(unseen ? all->unseen[i] : all->silent[i]));
	}
}

/* ------------------------------------------------------------------------
 * Proofs
 */

/* @all is found to have a text, or it is what was found instead. */
static void compare_text(struct task_run *r, const char *all)
{
	char text[256];

	script_quoted(&r->p, text, sizeof(text));
	text_add(r->expected, sizeof(r->expected), "%s\n", text);
	text_add(r->found, sizeof(r->found), "%s\n", strstr(all, text) ? text : all);
}

void task_compare_number(struct task_run *r, uint64_t n)
{
	text_add(r->expected, sizeof(r->expected), "%llu\n",
		 (unsigned long long)script_next_integer(&r->p));
	text_add(r->found, sizeof(r->found), "%llu\n", (unsigned long long)n);
}

static const char *const checks[] = {
	[LT_TASK_CHECK_POPULATION] = "population", [LT_TASK_CHECK_REUSE] = "reuse",
	[LT_TASK_CHECK_GENERATIONS] = "generations", [LT_TASK_CHECK_NUMBERS] = "numbers",
};

static void compare_check(struct task_run *r, unsigned int check)
{
	static const char *const words[] = { "fails", "excused", "says", "is", "made", "absent",
					     NULL };
	unsigned int word = script_choice(&r->p, words, "no result of a check:");

	BOTH(r, "%s ", checks[check]);
	if (word < 4)
		BOTH(r, "%s ", words[word]);
	if (word == 0)
		task_compare_number(r, r->v.checks[check].failures);
	else if (word == 1)
		task_compare_number(r, r->v.excused[check]);
	else if (word == 2)
		compare_text(r, r->v.checks[check].text);
	else if (word == 3)
		task_compare_whole(r, r->v.checks[check].text);
	if (word < 4)
		return;
	text_add(r->expected, sizeof(r->expected), "%s\n", words[word]);
	text_add(r->found, sizeof(r->found), "%s\n", r->v.checks[check].absent ? "absent" : "made");
}

static void compare_note(struct task_run *r)
{
	char all[4096] = "";

	for (size_t i = 0; i < r->v.n_notes; i++)
		text_add(all, sizeof(all), "%s / ", r->v.notes[i]);
	BOTH(r, "note ");
	compare_text(r, all);
}

/* Return: false: it is no word of proofs. */
static bool compare_proof(struct task_run *r)
{
	const struct {
		const char *name;
		uint64_t n;
	} sums[] = {
		{ "notes", r->v.n_notes }, { "initial", r->v.initial }, { "births", r->v.births },
		{ "deaths", r->v.deaths }, { "became_leaders", r->v.became_leaders },
		{ "alive", r->v.alive }, { "snapshot", r->v.snapshot },
		{ "meanwhile", r->v.meanwhile },
	};

	if (!r->proven)
		return false;
	if (script_accept(&r->p, "good") || script_accept(&r->p, "bad")) {
		text_add(r->expected, sizeof(r->expected), "%s\n", r->p.word);
		text_add(r->found, sizeof(r->found), "%s\n",
			 lt_task_proofs_good(&r->v) ? "good" : "bad");
		return true;
	}
	if (script_accept(&r->p, "note")) {
		compare_note(r);
		return true;
	}
	for (unsigned int i = 0; i < LT_N_TASK_CHECKS; i++) {
		if (script_accept(&r->p, checks[i])) {
			compare_check(r, i);
			return true;
		}
	}
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		if (script_accept(&r->p, sums[i].name)) {
			BOTH(r, "%s ", sums[i].name);
			task_compare_number(r, sums[i].n);
			return true;
		}
	}
	return false;
}

static void compare_task(struct task_run *r)
{
	struct task_name task = task_next(&r->p);
	uint32_t inst = lt_tasks_find(r->tb, task.tid, task.start);

	if (script_accept(&r->p, "is")) {
		if (!inst)
			script_fail(&r->p, "the task is not known, before");
		BOTH(r, "%u/%llu is ", task.tid, (unsigned long long)task.start);
		task_compare_inst(r, lt_tasks_get(r->tb, inst));
	} else {
		compare_attribute(r, task);
	}
}

void task_compare(struct task_run *r)
{
	do {
		if (compare_proof(r))
			continue;
		if (script_accept(&r->p, "silent")) {
			compare_total(r, false);
		} else if (script_accept(&r->p, "unseen")) {
			compare_total(r, true);
		} else if (script_accept(&r->p, "reparented")) {
			BOTH(r, "reparented ");
			text_add(r->found, sizeof(r->found), "%llu\n",
				 (unsigned long long)lt_tasks_totals(r->tb)->reparented);
			task_expect(r);
		} else if (!task_compare_total(r)) {
			compare_task(r);
		}
	} while (script_accept(&r->p, ";"));
}

void task_differ(struct script *s, const char *expected, const char *found)
{
	while (*expected) {
		size_t e = strcspn(expected, "\n"), f = strcspn(found, "\n");

		if (e != f || memcmp(expected, found, e))
			text_add(s->error, sizeof(s->error), "expected: %.*s\nfound:    %.*s\n",
				 (int)e, expected, (int)f, found);
		expected += e + 1;
		found += f + 1;
	}
}

const char *task_scenario_error(const struct task_scenario *ts)
{
	static struct script s;
	static struct task_run r;

	memset(&s, 0, sizeof(s));
	memset(&r, 0, sizeof(r));
	r.p = (struct parser){ .s = &s, .text = ts->text, .pos = ts->text };
	r.tb = lt_tasks_new(&(struct lt_tasks_config){
		.history = !ts->latest, .begin = ts->begin, .begin_boot = ts->begin });
	r.unwatched = ts->unwatched;
	if (ts->proof)
		r.c = lt_task_checker_new(r.tb);
	if (!setjmp(r.p.failed)) {
		do {
			put_step(&r);
			if (script_accept(&r.p, "->"))
				task_compare(&r);
		} while (script_accept(&r.p, "|"));
		if (script_next(&r.p)[0])
			script_fail(&r.p, "neither | nor -> before");
	}
	if (r.c)
		finish_tasks(&r, 0);
	lt_task_proofs_destroy(&r.v);
	lt_tasks_free(r.tb);
	if (!s.error[0] && !r.expected[0])
		text_add(s.error, sizeof(s.error), "nothing is expected\n");
	if (!s.error[0])
		task_differ(&s, r.expected, r.found);
	return s.error[0] ? s.error : NULL;
}

static void test_task_scenario(void **state)
{
	const struct task_scenario *ts = *state;
	const char *error = task_scenario_error(ts);

	if (error)
		fail_msg("%s\n%s", ts->text, error);
}

int task_scenarios_main(const char *group, const struct task_scenario *scenarios, size_t n,
			const struct CMUnitTest *tests, size_t n_tests)
{
	return test_table_main(group, test_task_scenario, scenarios, n, sizeof(*scenarios), tests,
			       n_tests);
}

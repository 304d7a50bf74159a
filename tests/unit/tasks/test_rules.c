// SPDX-License-Identifier: GPL-2.0
/*
 * The rules of the life of a task, as tables: a row is a case, with what is known, and the
 * verdict and its reason. At the end each act and each reason must have been reached.
 */
#include "tasks/rules.h"
#include "testlib.h"

#define N(rows)	(sizeof(rows) / sizeof((rows)[0]))

/* A task by its members; the marks and the ending by their last words. */
#define TASK(...)	(&(const struct lt_task_inst){ __VA_ARGS__ })
#define MARK(m)		LT_TASK_MARK_##m
#define END(e)		LT_TASK_END_##e

/* Expected: an act and a reason. */
#define V(a, r)		{ LT_ACT_##a, LT_REASON_##r }

static bool acts[LT_ACT_REFUSE + 1], reasons[LT_N_TASK_REASONS];

static void check(const char *rule, const char *row, struct lt_task_verdict is,
		  struct lt_task_verdict expected)
{
	if (is.act != expected.act || is.why != expected.why)
		fail_msg("%s: %s: act %d, reason %d, expected %d, %d", rule, row, is.act, is.why,
			 expected.act, expected.why);
	acts[is.act] = true;
	reasons[is.why] = true;
}

static void test_of_number(void **state)
{
	static const struct {
		const char *row;
		struct lt_task_inst t, holder;
		bool held;
		struct lt_task_verdict v;
	} rows[] = {
		{ "first holder", { .tid = 5, .start = 10 }, { 0 }, false, V(TAKE, NO_HOLDER) },
		{ "the last holder has exited", { .tid = 5, .start = 10 },
		  { .tid = 5, .start = 3, .ending = END(EXITED) }, true, V(TAKE, HOLDER_ENDED) },
		{ "the last holder was not seen to end", { .tid = 5, .start = 10 },
		  { .tid = 5, .start = 3 }, true, V(TAKE_AND_END, HOLDER_ALIVE) },
		{ "a late record of an earlier holder", { .tid = 5, .start = 2 },
		  { .tid = 5, .start = 3 }, true, V(END, NOT_OLDER) },
		{ "a late record, and the later holder has ended", { .tid = 5, .start = 2 },
		  { .tid = 5, .start = 3, .ending = END(EXITED) }, true, V(END, NOT_OLDER) },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		check("number", rows[i].row,
		      lt_rule_number(&rows[i].t, rows[i].held ? &rows[i].holder : NULL), rows[i].v);
}

static void test_sight(void **state)
{
	static const struct {
		const char *row;
		struct lt_task_inst t;
		bool rename;
		struct lt_task_verdict v;
	} rows[] = {
		{ "alive", { 0 }, false, V(LIVE, ALIVE) },
		{ "alive, renamed", { 0 }, true, V(LIVE, ALIVE) },
		{ "dead leader acts: a thread in its place",
		  { .ending = END(EXITED), .marks = MARK(LEADER_FIRST) }, false,
		  V(DOUBT, EXCHANGED) },
		{ "dead leader is renamed: any of its threads can do that",
		  { .ending = END(EXITED), .marks = MARK(LEADER_FIRST) }, true,
		  V(NONE, BY_THREAD) },
		{ "found exiting, and acts", { .ending = END(FOUND_EXITING) }, false,
		  V(REVIVE, FOUND_EXITING) },
		{ "found exiting, and is renamed", { .ending = END(FOUND_EXITING) }, true,
		  V(REVIVE, RENAMED) },
		{ "missing in a snapshot, and acts", { .ending = END(MISSING) }, false,
		  V(REVIVE, MISSING) },
		{ "missing in a snapshot, and is renamed", { .ending = END(MISSING) }, true,
		  V(REVIVE, MISSING) },
		{ "acts after its exit", { .ending = END(EXITED) }, false, V(NONE, ENDED) },
		{ "acts after its release", { .ending = END(RELEASED) }, false, V(NONE, ENDED) },
		{ "acts after its number was reused", { .ending = END(NUMBER_REUSED) }, false,
		  V(NONE, ENDED) },
		{ "acts after it became leader", { .ending = END(BECAME_LEADER) }, true,
		  V(NONE, ENDED) },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		check("sight", rows[i].row, lt_rule_sight(&rows[i].t, rows[i].rename), rows[i].v);
}

static void test_link(void **state)
{
	const struct lt_task_inst *t = TASK(.tid = 50, .start = 100);
	static const struct {
		const char *row;
		uint32_t tid;
		uint64_t start;
		bool known, full;
		struct lt_task_verdict v;
	} rows[] = {
		{ "no parent", 0, 0, false, false, V(NONE, NO_TASK) },
		{ "no parent, whatever the start", 0, 200, false, false, V(NONE, NO_TASK) },
		{ "known, older", 7, 99, true, false, V(TAKE, KNOWN) },
		{ "known, older, and no room: none is needed", 7, 99, true, true, V(TAKE, KNOWN) },
		{ "same start, lower tid: older", 49, 100, true, false, V(TAKE, KNOWN) },
		{ "itself", 50, 100, true, false, V(REFUSE, NOT_OLDER) },
		{ "same start, higher tid", 51, 100, true, false, V(REFUSE, NOT_OLDER) },
		{ "younger, lower tid", 7, 101, true, false, V(REFUSE, NOT_OLDER) },
		{ "younger and unknown: no placeholder", 7, 101, false, false,
		  V(REFUSE, NOT_OLDER) },
		{ "unknown, older", 7, 99, false, false, V(MAKE, UNKNOWN) },
		{ "unknown, too many placeholders", 7, 99, false, true, V(NONE, FULL) },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		check("link", rows[i].row, lt_rule_link(t, rows[i].tid, rows[i].start,
							rows[i].known, rows[i].full), rows[i].v);
}

static void test_leader(void **state)
{
	static const struct {
		const char *row;
		struct lt_task_inst t, holder;
		bool held;
		struct lt_task_verdict v;
	} rows[] = {
		{ "no task holds the number", { .tid = 6, .start = 10, .birth = 10 }, { 0 }, false,
		  V(NONE, NO_HOLDER) },
		{ "alive", { .tid = 6, .start = 10, .birth = 10 }, { .tid = 5, .start = 3 }, true,
		  V(TAKE, KNOWN) },
		{ "dead, its threads live", { .tid = 6, .start = 10, .birth = 10 },
		  { .tid = 5, .start = 3, .ending = END(EXITED), .end = 8,
		    .marks = MARK(LEADER_FIRST) }, true, V(TAKE, KNOWN) },
		{ "younger", { .tid = 6, .start = 10, .birth = 10 }, { .tid = 5, .start = 11 },
		  true, V(NONE, NOT_OLDER) },
		{ "its group ended before", { .tid = 6, .start = 10, .birth = 10 },
		  { .tid = 5, .start = 3, .ending = END(EXITED), .end = 9, .marks = MARK(LAST) },
		  true, V(NONE, GROUP_ENDED) },
		{ "its group ended with the birth", { .tid = 6, .start = 10, .birth = 10 },
		  { .tid = 5, .start = 3, .ending = END(EXITED), .end = 10, .marks = MARK(LAST) },
		  true, V(TAKE, KNOWN) },
		{ "released before the birth",
		  { .tid = 6, .start = 10, .birth = 10, .marks = MARK(BORN) },
		  { .tid = 5, .start = 3, .ending = END(EXITED), .release = 9,
		    .marks = MARK(WAS_RELEASED) }, true, V(NONE, RELEASED) },
		{ "released before the birth, exit not seen",
		  { .tid = 6, .start = 10, .birth = 10, .marks = MARK(BORN) },
		  { .tid = 5, .start = 3, .ending = END(RELEASED), .end = 9 }, true,
		  V(NONE, RELEASED) },
		{ "released with the birth",
		  { .tid = 6, .start = 10, .birth = 10, .marks = MARK(BORN) },
		  { .tid = 5, .start = 3, .ending = END(EXITED), .release = 10,
		    .marks = MARK(WAS_RELEASED) }, true, V(TAKE, KNOWN) },
		{ "released with the birth, exit not seen",
		  { .tid = 6, .start = 10, .birth = 10, .marks = MARK(BORN) },
		  { .tid = 5, .start = 3, .ending = END(RELEASED), .end = 10 }, true,
		  V(TAKE, KNOWN) },
		{ "dead before the birth, not released",
		  { .tid = 6, .start = 10, .birth = 10, .marks = MARK(BORN) },
		  { .tid = 5, .start = 3, .ending = END(EXITED), .end = 9,
		    .marks = MARK(LEADER_FIRST) }, true, V(TAKE, KNOWN) },
		{ "released before the first sight, birth not seen",
		  { .tid = 6, .start = 10, .birth = 20 },
		  { .tid = 5, .start = 3, .ending = END(EXITED), .release = 15,
		    .marks = MARK(WAS_RELEASED) }, true, V(TAKE, KNOWN) },
		{ "released after the birth",
		  { .tid = 6, .start = 10, .birth = 10, .marks = MARK(BORN) },
		  { .tid = 5, .start = 3, .ending = END(EXITED), .release = 11,
		    .marks = MARK(WAS_RELEASED) }, true, V(TAKE, KNOWN) },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		check("leader", rows[i].row,
		      lt_rule_leader(&rows[i].t, rows[i].held ? &rows[i].holder : NULL), rows[i].v);
}

static void test_birth(void **state)
{
	(void)state;
	check("birth", "first", lt_rule_birth(TASK(.marks = MARK(SEEN))),
	      (struct lt_task_verdict)V(BEGIN, ALIVE));
	check("birth", "after its end", lt_rule_birth(TASK(.ending = END(NUMBER_REUSED))),
	      (struct lt_task_verdict)V(BEGIN, ENDED));
	check("birth", "second", lt_rule_birth(TASK(.marks = MARK(BORN))),
	      (struct lt_task_verdict)V(NONE, BORN_TWICE));
	check("birth", "second, after its end",
	      lt_rule_birth(TASK(.marks = MARK(BORN), .ending = END(EXITED))),
	      (struct lt_task_verdict)V(NONE, BORN_TWICE));
}

static void test_exec(void **state)
{
	const struct lt_task_inst *dead = TASK(.ending = END(EXITED));

	(void)state;
	check("exec", "the leader's own", lt_rule_exec(TASK(.tid = 5), false),
	      (struct lt_task_verdict)V(NONE, BY_ITSELF));
	check("exec", "a dead leader's own", lt_rule_exec(dead, false),
	      (struct lt_task_verdict)V(NONE, BY_ITSELF));
	check("exec", "by a thread, the leader unknown", lt_rule_exec(NULL, true),
	      (struct lt_task_verdict)V(NONE, UNKNOWN));
	check("exec", "by a thread, the leader's exit not seen", lt_rule_exec(TASK(.tid = 5), true),
	      (struct lt_task_verdict)V(NONE, ALIVE));
	check("exec", "by a thread, the leader dead", lt_rule_exec(dead, true),
	      (struct lt_task_verdict)V(REVIVE, EXCHANGED));
}

static void test_exec_thread(void **state)
{
	static const struct lt_task_inst same = { .tgid = 5 }, other = { .tgid = 6 }, open = { 0 };
	static const struct {
		const char *row;
		bool named;
		const struct lt_task_inst *found, *earlier;
		struct lt_task_verdict v;
	} rows[] = {
		{ "named and known", true, &same, NULL, V(TAKE, KNOWN) },
		{ "holds the number, not named", false, &same, NULL, V(TAKE, KNOWN) },
		{ "its group is not known", true, &open, NULL, V(TAKE, KNOWN) },
		{ "known: an earlier holder does not matter", true, &same, &same, V(TAKE, KNOWN) },
		{ "the number was given again", false, &other, &same,
		  V(TAKE_EARLIER, HOLDER_ALIVE) },
		{ "given again, group of the earlier one unknown", false, &other, &open,
		  V(TAKE_EARLIER, HOLDER_ALIVE) },
		{ "both holders of other groups", false, &other, &other, V(NONE, OTHER_GROUP) },
		{ "of another group, no earlier holder", true, &other, NULL, V(NONE, OTHER_GROUP) },
		{ "named, never seen", true, NULL, NULL, V(MAKE, UNKNOWN) },
		{ "not named, number never seen", false, NULL, NULL, V(NONE, NO_HOLDER) },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		check("exec_thread", rows[i].row,
		      lt_rule_exec_thread(5, rows[i].named, rows[i].found, rows[i].earlier),
		      rows[i].v);
}

static void test_become_leader(void **state)
{
	const struct lt_task_inst *leader = TASK(.tid = 5, .start = 10);
	static const struct {
		const char *row;
		struct lt_task_inst t;
		struct lt_task_verdict v;
	} rows[] = {
		{ "alive", { .tid = 6, .start = 11 }, V(END, EXCHANGED) },
		{ "same start, higher tid", { .tid = 6, .start = 10 }, V(END, EXCHANGED) },
		{ "its number was given again", { .tid = 6, .start = 11,
		  .ending = END(NUMBER_REUSED) }, V(END, EXCHANGED) },
		{ "has exited", { .tid = 6, .start = 11, .ending = END(EXITED) }, V(NONE, ENDED) },
		{ "became leader before", { .tid = 6, .start = 11, .ending = END(BECAME_LEADER) },
		  V(NONE, ENDED) },
		{ "older than its leader", { .tid = 6, .start = 9 }, V(NONE, NOT_OLDER) },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		check("become_leader", rows[i].row, lt_rule_become_leader(&rows[i].t, leader),
		      rows[i].v);
	check("become_leader", "itself", lt_rule_become_leader(leader, leader),
	      (struct lt_task_verdict)V(NONE, IS_LEADER));
}

/* The initial snapshot ended at 20, which is 1020 ns after boot. */
static void test_met_as_leader(void **state)
{
	static const struct {
		const char *row;
		struct lt_task_inst leader;
		bool led;
		uint64_t start, boot;
		struct lt_task_verdict v;
	} rows[] = {
		{ "the leader is not in the snapshot", { .end = 5 }, false, 1010, 1020,
		  V(NONE, NOT_MET) },
		{ "the leader was dead", { .end = 5, .marks = MARK(INITIAL) }, false, 1010, 1020,
		  V(TAKE, EXCHANGED) },
		{ "the leader died as it ended", { .end = 20, .marks = MARK(INITIAL) }, false, 1010,
		  1020, V(TAKE, EXCHANGED) },
		{ "the leader died later", { .end = 21, .marks = MARK(INITIAL) }, false, 1010, 1020,
		  V(NONE, LEADER_LIVED) },
		{ "the leader's exit was not seen", { .end = 21, .marks = MARK(INITIAL) }, true,
		  1020, 1020, V(TAKE, EXCHANGED) },
		{ "the thread was started later", { .marks = MARK(INITIAL) }, true, 1021, 1020,
		  V(NONE, STARTED_LATER) },
		{ "the time since boot is not known", { .marks = MARK(INITIAL) }, true, 1021, 0,
		  V(TAKE, EXCHANGED) },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		check("met_as_leader", rows[i].row,
		      lt_rule_met_as_leader(&rows[i].leader, rows[i].led, rows[i].start, 20,
					    rows[i].boot), rows[i].v);
}

static void test_exit(void **state)
{
	static const struct {
		const char *row;
		struct lt_task_inst t;
		struct lt_task_verdict v;
	} rows[] = {
		{ "alive", { 0 }, V(END, ALIVE) },
		{ "released before: the exit is late", { .ending = END(RELEASED) },
		  V(END, END_UNSEEN) },
		{ "missing before", { .ending = END(MISSING) }, V(END, END_UNSEEN) },
		{ "found exiting before", { .ending = END(FOUND_EXITING) }, V(END, END_UNSEEN) },
		{ "number reused before", { .ending = END(NUMBER_REUSED) }, V(END, END_UNSEEN) },
		{ "second exit", { .ending = END(EXITED) }, V(NONE, ENDED) },
		{ "became leader before", { .ending = END(BECAME_LEADER) }, V(NONE, ENDED) },
		{ "second exit of a leader: a thread's",
		  { .ending = END(EXITED), .marks = MARK(LEADER_FIRST) }, V(REVIVE, EXCHANGED) },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		check("exit", rows[i].row, lt_rule_exit(&rows[i].t), rows[i].v);
}

static void test_release(void **state)
{
	static const struct {
		const char *row;
		struct lt_task_inst t;
		struct lt_task_verdict v;
	} rows[] = {
		{ "alive: its exit was lost", { 0 }, V(END, ALIVE) },
		{ "exited", { .ending = END(EXITED) }, V(RELEASE, ENDED) },
		{ "second release", { .ending = END(EXITED), .marks = MARK(WAS_RELEASED) },
		  V(NONE, RELEASED) },
		{ "missing before", { .ending = END(MISSING) }, V(NONE, END_UNSEEN) },
		{ "became leader before", { .ending = END(BECAME_LEADER) }, V(NONE, END_UNSEEN) },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		check("release", rows[i].row, lt_rule_release(&rows[i].t), rows[i].v);
	check("release", "unknown", lt_rule_release(NULL),
	      (struct lt_task_verdict)V(NONE, UNKNOWN));
}

static void test_state(void **state)
{
	static const struct lt_task_inst alive = { 0 }, dead = { .ending = END(EXITED) },
		missing = { .ending = END(MISSING) }, exiting = { .ending = END(FOUND_EXITING) },
		led = { .ending = END(BECAME_LEADER) };
	static const struct {
		const char *row;
		const struct lt_task_inst *t;
		bool exiting, old_leader, exec_since;
		struct lt_task_verdict v;
	} rows[] = {
		{ "new", NULL, false, false, false, V(LIVE, UNKNOWN) },
		{ "new, exiting", NULL, true, false, false, V(END, FOUND_EXITING) },
		{ "the old leader in an exec", NULL, true, true, false, V(NONE, OLD_LEADER) },
		{ "called like an old leader, but alive", NULL, false, true, false,
		  V(LIVE, UNKNOWN) },
		{ "called like an old leader, but known", &alive, true, true, false,
		  V(END, FOUND_EXITING) },
		{ "alive", &alive, false, false, false, V(LIVE, KNOWN) },
		{ "exiting", &alive, true, false, false, V(END, FOUND_EXITING) },
		{ "was exiting, and has had an exec since", &alive, true, false, true,
		  V(LIVE, EXCHANGED) },
		{ "was exiting, had an exec since, and has ended", &dead, true, false, true,
		  V(END, FOUND_EXITING) },
		{ "missing before", &missing, false, false, false, V(LIVE, KNOWN) },
		{ "found exiting before, alive now", &exiting, false, false, false,
		  V(LIVE, KNOWN) },
		{ "found exiting twice", &exiting, true, false, false, V(END, FOUND_EXITING) },
		{ "exited since", &dead, false, false, false, V(DOUBT, ENDED_SINCE) },
		{ "became leader since", &led, false, false, false, V(DOUBT, ENDED_SINCE) },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		check("state", rows[i].row,
		      lt_rule_state(rows[i].t, rows[i].exiting, rows[i].old_leader,
				    rows[i].exec_since), rows[i].v);
}

/* The snapshot began at 100. */
static void test_missing(void **state)
{
	static const struct {
		const char *row;
		uint64_t seen;
		bool in_snapshot;
		struct lt_task_verdict v;
	} rows[] = {
		{ "not in it", 99, false, V(END, MISSING) },
		{ "in it", 99, true, V(NONE, IN_SNAPSHOT) },
		{ "seen as it began", 100, false, V(NONE, SEEN_SINCE) },
		{ "seen since, and in it", 105, true, V(NONE, SEEN_SINCE) },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		check("missing", rows[i].row,
		      lt_rule_missing(TASK(.seen = rows[i].seen), 100, rows[i].in_snapshot),
		      rows[i].v);
}

static void test_dumped_value(void **state)
{
	static const struct {
		const char *row;
		bool ended, at_once, event_since, before_event;
		struct lt_task_verdict v;
	} rows[] = {
		{ "no event explains it", false, false, false, false, V(TAKE, SILENT) },
		{ "changed since the snapshot began", false, false, true, false,
		  V(NONE, EVENT_SINCE) },
		{ "changed since, and it is the value before", false, false, true, true,
		  V(NONE, EVENT_SINCE) },
		{ "the event came ahead of its change", false, false, false, true,
		  V(NONE, VALUE_BEFORE) },
		{ "at the exit", false, true, false, false, V(TAKE, AT_ONCE) },
		{ "at the exit, events do not outrank it", false, true, true, true,
		  V(TAKE, AT_ONCE) },
		{ "after the end", true, false, false, false, V(NONE, ENDED) },
		{ "at a second exit", true, true, false, false, V(NONE, ENDED) },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		check("dumped_value", rows[i].row,
		      lt_rule_dumped_value(rows[i].ended, rows[i].at_once, rows[i].event_since,
					   rows[i].before_event), rows[i].v);
}

static void test_value_before(void **state)
{
	enum { NOT_KNOWN = -1 };
	static const struct {
		const char *row;
		enum lt_task_attr a;
		int now, old, value;
		bool ended;
		struct lt_task_verdict v;
	} rows[] = {
		{ "first event, says what was before", LT_ATTR_UID, NOT_KNOWN, 1, 2, false,
		  V(TAKE, FIRST_VALUE) },
		{ "first event, does not say", LT_ATTR_CGROUP, NOT_KNOWN, NOT_KNOWN, 2, false,
		  V(NONE, UNKNOWN) },
		{ "as expected", LT_ATTR_UID, 1, 1, 2, false, V(NONE, KNOWN) },
		{ "does not say, another value", LT_ATTR_CGROUP, 1, NOT_KNOWN, 2, false,
		  V(NONE, KNOWN) },
		{ "does not say, has the value already", LT_ATTR_CGROUP, 2, NOT_KNOWN, 2, false,
		  V(DOUBT, DURING_CHANGE) },
		{ "oom_score_adj has the new value already", LT_ATTR_OOM, 2, 1, 2, false,
		  V(DOUBT, DURING_CHANGE) },
		{ "oom_score_adj is set to its value", LT_ATTR_OOM, 2, 2, 2, false,
		  V(NONE, KNOWN) },
		{ "oom_score_adj was another: others write it, too", LT_ATTR_OOM, 3, 1, 2, false,
		  V(NONE, KNOWN) },
		{ "the user was another", LT_ATTR_UID, 3, 1, 2, false, V(TAKE, SILENT) },
		{ "the user has the new value already", LT_ATTR_UID, 2, 1, 2, false,
		  V(TAKE, SILENT) },
		{ "the name of a dead leader was another: a thread's", LT_ATTR_COMM, 3, 1, 2, true,
		  V(NONE, ENDED) },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		uint64_t now = (uint64_t)rows[i].now, old = (uint64_t)rows[i].old;

		check("value_before", rows[i].row,
		      lt_rule_value_before(rows[i].a, rows[i].now < 0 ? NULL : &now,
					   (uint64_t)rows[i].value,
					   rows[i].old < 0 ? NULL : &old, rows[i].ended),
		      rows[i].v);
	}
}

static void test_reopen(void **state)
{
	static const struct {
		const char *row;
		struct lt_task_inst t;
		bool lost;
		struct lt_task_verdict v;
	} rows[] = {
		{ "exited", { .ending = END(EXITED) }, true, V(NONE, KNOWN) },
		{ "dead leader", { .ending = END(EXITED), .marks = MARK(LEADER_FIRST) }, false,
		  V(NONE, KNOWN) },
		{ "dead leader that was alive later", { .ending = END(EXITED),
		  .marks = MARK(LEADER_FIRST) | MARK(SEEN_LATER) }, false, V(REVIVE, EXCHANGED) },
		{ "dead leader that was alive later, released", { .ending = END(EXITED), .marks =
		  MARK(LEADER_FIRST) | MARK(SEEN_LATER) | MARK(WAS_RELEASED) }, false,
		  V(RELEASE, EXCHANGED) },
		{ "missing", { .ending = END(MISSING) }, false, V(NONE, KNOWN) },
		{ "missing, records were lost", { .ending = END(MISSING) }, true,
		  V(REVIVE, STATES_LOST) },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		check("reopen", rows[i].row, lt_rule_reopen(&rows[i].t, rows[i].lost), rows[i].v);
}

static void test_group_end(void **state)
{
	static const struct {
		const char *row;
		struct lt_task_inst t;
		uint64_t end;
		struct lt_task_verdict v;
	} rows[] = {
		{ "no last exit", { .seen = 5 }, 0, V(NONE, ALIVE) },
		{ "seen before", { .seen = 5 }, 10, V(END, GROUP_ENDED) },
		{ "seen with it", { .seen = 10 }, 10, V(END, GROUP_ENDED) },
		{ "seen later", { .seen = 11 }, 10, V(NONE, SEEN_SINCE) },
		{ "ended by itself", { .seen = 5, .ending = END(EXITED) }, 10, V(NONE, ENDED) },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		check("group_end", rows[i].row, lt_rule_group_end(&rows[i].t, rows[i].end),
		      rows[i].v);
}

/* Runs last. */
static void test_all_reached(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(acts); i++) {
		if (!acts[i])
			fail_msg("act %zu is in no row", i);
	}
	for (size_t i = 0; i < N(reasons); i++) {
		if (!reasons[i])
			fail_msg("reason %zu is in no row", i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_number),
		cmocka_unit_test(test_sight),
		cmocka_unit_test(test_link),
		cmocka_unit_test(test_leader),
		cmocka_unit_test(test_birth),
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_exec_thread),
		cmocka_unit_test(test_become_leader),
		cmocka_unit_test(test_met_as_leader),
		cmocka_unit_test(test_exit),
		cmocka_unit_test(test_release),
		cmocka_unit_test(test_state),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_dumped_value),
		cmocka_unit_test(test_value_before),
		cmocka_unit_test(test_reopen),
		cmocka_unit_test(test_group_end),
		cmocka_unit_test(test_all_reached),
	};

	return cmocka_run_group_tests_name("task_rules", tests, NULL, NULL);
}

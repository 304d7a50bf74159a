// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Columns of tasks. All may be unknown: a trace can have a task of which it says little.
 */
#include "rows/counters.h"
#include "rows/internal.h"
#include "rows/task.h"
#include "tasks/tree.h"
#include "tasks/words.h"

#define USED		lt_task_has_usage(t)
#define SEEN		(t->marks & LT_TASK_MARK_SEEN)
#define MARKED(m)	(!!(t->marks & LT_TASK_MARK_##m))
#define KNOWS(a)	(t->marks & LT_TASK_MARK_KNOWN << LT_ATTR_##a)
#define EXITED		lt_task_has_code(t)

static void put_name(struct lt_value *v, const struct lt_task_ctx *c, uint32_t id)
{
	v->text = lt_tasks_name(c->tb, id, &v->len);
	v->type = LT_VALUE_NAME;
}

static const char *cgroup_path(const struct lt_task_ctx *c, const struct lt_task_inst *t)
{
	return c->cgroups ? lt_cgroups_path(c->cgroups, lt_tasks_cgroup(c->tb, t)) : NULL;
}

static const char *or_null(const char *s)
{
	return *s ? s : NULL;
}

/* Of a process, with its last thread, which is not the leader where that exited first. */
static bool process_ended(const struct lt_task_ctx *c, const struct lt_task_inst *t)
{
	return !lt_task_is_thread(t) && lt_task_ended(lt_tasks_last(c->tb, t));
}

/* The status of a process as wait() has it; -1: not known. */
static int process_code(const struct lt_task_ctx *c, const struct lt_task_inst *t)
{
	uint16_t code;

	return !lt_task_is_thread(t) && lt_tasks_process_code(c->tb, t, &code) ? code : -1;
}

/* oom_score_adj belongs to the thread group, so a thread has its leader's. */
static const struct lt_task_inst *group_of(const struct lt_task_ctx *c,
					   const struct lt_task_inst *t)
{
	return t->leader ? lt_tasks_get(c->tb, t->leader) : t;
}

#define GETTER(id, name, TYPE, marks, known, value, meaning)			\
	LT_ROW_GETTER(id, struct lt_task_inst, t, struct lt_task_ctx, c, TYPE, known, value)

/* A name that is kept as a number. */
#define LT_VALUE_NUMBERED	LT_VALUE_NAME
#define LT_ROW_SET_NUMBERED(v, x)	put_name(v, c, x)

#define ALL	(L | F | N)
#define LINK(C, link, text)	\
	C(link##_tid, #link "_tid", COUNT, ALL, t->link, lt_tasks_get(c->tb, t->link)->tid, text)	\
	C(link##_start, #link "_start_ns", TIME, ALL, t->link, lt_tasks_get(c->tb, t->link)->start, \
	  "when that was born, since boot")
#define HAS_COUNTS	lt_tasks_counts(c->tb, t)
#define COUNTED(C, id, name, which, TYPE, text)					\
	C(id, name, TYPE, L | N, lt_task_counted(HAS_COUNTS, LT_COUNTER_##which), \
	  lt_task_count(HAS_COUNTS, LT_COUNTER_##which), text)
#define USAGE(C, id, name, TYPE, text)	C(id, name, TYPE, ALL, USED, t->id, text)

#define WHO(C)	\
	C(tid, "tid", COUNT, ALL, true, t->tid, "number in the first namespace of pids")	\
	C(start, "start_ns", TIME, ALL, true, t->start, "when it was born, since boot")	\
	C(tgid, "tgid", COUNT, ALL, t->tgid, t->tgid, "its process")	\
	C(kind, "kind", TEXT, ALL, t->tgid, lt_task_is_thread(t) ? "thread" : "process", "process or thread") \
	C(ns, "pid_namespace", COUNT, ALL, t->ns, t->ns, "its namespace of pids")	\
	C(nr, "nr", COUNT, ALL, t->ns, t->nr, "number in that")	\
	C(generation, "generation", COUNT, ALL, MARKED(BORN), t->generation, \
	  "how often the number had been used")	\
	C(ino, "ino", COUNT, ALL, t->ino, t->ino, "inode of its pidfd")	\
	C(kthread, "kthread", COUNT, ALL, SEEN, !!(t->flags & LT_TASK_FLAG_KTHREAD), \
	  "a thread of the kernel")	\
	C(io_worker, "io_worker", COUNT, ALL, SEEN, !!(t->flags & LT_TASK_FLAG_IO_WORKER), \
	  "a worker of io_uring")	\
	C(user_worker, "user_worker", COUNT, ALL, SEEN, !!(t->flags & LT_TASK_FLAG_USER_WORKER), \
	  "a worker of the kernel in a process")	\
	LINK(C, creator, "who made it")	\
	LINK(C, parent, "its parent at the birth")	\
	LINK(C, last_parent, "its parent at the end")	\
	LINK(C, leader, "the leader of its process")	\
	C(birth_comm, "birth_comm", NUMBERED, ALL, t->birth_comm || \
	  (KNOWS(COMM) && (MARKED(BORN) || !t->comm)), t->birth_comm, "name at the birth")	\
	C(comm, "comm", NUMBERED, ALL, t->comm || KNOWS(COMM), t->comm, "last name")	\
	C(first_file, "first_file", NUMBERED, ALL, t->first_file, t->first_file, "first program that it executed") \
	C(file, "file", NUMBERED, ALL, t->file, t->file, "last program that it executed")	\
	C(execs, "execs", COUNT, ALL, SEEN, t->n_exec, "how often it called exec")

#define WHEN(C)	\
	C(birth, "birth_ns", INSTANT, ALL, t->birth_is == LT_EXACT, t->birth, "when it was born")	\
	C(end, "end_ns", INSTANT, ALL, lt_task_ended(t), t->end, "when it exited")	\
	C(lifetime, "lifetime_ns", NS, ALL, true, lt_task_lifetime(c->tb, t), "how long it lived")	\
	C(birth_is, "birth_certainty", TEXT, ALL, true, lt_certainty_name((enum lt_certainty)t->birth_is), \
	  "how sure the birth is")	\
	C(death_is, "end_certainty", TEXT, ALL, true, lt_certainty_name((enum lt_certainty)t->death_is), \
	  "how sure the end is")	\
	C(ending, "ended_by", TEXT, ALL, true, lt_task_ending_name((enum lt_task_ending)t->ending), \
	  "how it ended")	\
	C(seen, "last_seen_ns", INSTANT, ALL, t->death_is != LT_EXACT, lt_task_last_seen(t), \
	  "when it was seen last, if the end is not exact")	\
	C(release, "release_ns", INSTANT, ALL, MARKED(WAS_RELEASED), t->release, \
	  "when its number became free")	\
	C(exit_code, "exit_code", COUNT, ALL, EXITED && !lt_task_signal(t), t->code >> 8, "exit status")	\
	C(signal, "exit_signal", COUNT, ALL, EXITED, lt_task_signal(t), "signal that ended it; 0: none")	\
	C(core, "core", COUNT, ALL, EXITED, !!(t->code & 0x80), "it dumped core")

#define USES(C)	\
	USAGE(C, utime, "utime_ns", NS, "time in the program")	\
	USAGE(C, stime, "stime_ns", NS, "time in the kernel")	\
	USAGE(C, runtime, "runtime_ns", NS, "time on CPUs")	\
	USAGE(C, maxrss, "maxrss_bytes", BYTES, "most memory")	\
	USAGE(C, min_flt, "min_flt", COUNT, "minor faults")	\
	USAGE(C, maj_flt, "maj_flt", COUNT, "major faults")	\
	USAGE(C, nvcsw, "nvcsw", COUNT, "voluntary context switches")	\
	USAGE(C, nivcsw, "nivcsw", COUNT, "involuntary context switches")	\
	USAGE(C, rchar, "rchar_bytes", BYTES, "bytes that its calls read")	\
	USAGE(C, wchar, "wchar_bytes", BYTES, "bytes that its calls wrote")	\
	USAGE(C, read_bytes, "read_bytes", BYTES, "bytes read from disks")	\
	USAGE(C, write_bytes, "write_bytes", BYTES, "bytes written to disks")	\
	LT_COUNTER_COLUMNS(COUNTED, C)	\
	C(counted, "counted_percent", PERCENT, L | N, HAS_COUNTS, \
	  lt_task_counted_percent(lt_tasks_counts(c->tb, t)), \
	  "part of the time in which all counters counted; below 100 they are estimates")	\
	C(user_only, "counted_user", COUNT, L | N, HAS_COUNTS, \
	  !!lt_tasks_counts(c->tb, t)->user, "some counters count user mode alone")	\
	C(uid, "uid", COUNT, ALL, KNOWS(UID), t->uid, "user")	\
	C(gid, "gid", COUNT, ALL, KNOWS(GID), t->gid, "group")	\
	C(cgroup, "cgroup", COUNT, ALL, KNOWS(CGROUP), lt_tasks_cgroup(c->tb, t), "number of its last cgroup") \
	C(cgroup_path, "cgroup_path", NAME, ALL, KNOWS(CGROUP), cgroup_path(c, t), "path of that")	\
	C(oom, "oom_score_adj", SIGNED, ALL, group_of(c, t)->marks & LT_TASK_MARK_KNOWN << LT_ATTR_OOM, \
	  group_of(c, t)->oom_score_adj, "oom_score_adj of its process")	\
	C(placeholder, "placeholder", COUNT, ALL, true, !SEEN, "nothing is known but that it was there")	\
	C(reparented, "reparented", COUNT, ALL, SEEN, MARKED(REPARENTED), "it got another parent")	\
	C(reused, "number_reused", COUNT, ALL, SEEN, MARKED(REUSED), "another task got its number later")	\
	C(lives_on, "lives_on", COUNT, ALL, SEEN, MARKED(LIVES_ON), "another thread of it called exec")	\
	C(leader_first, "leader_first", COUNT, ALL, SEEN, MARKED(LEADER_FIRST), \
	  "the leader exited before other threads")	\
	C(birth_why, "birth_why", NAME, ALL, true, \
	  or_null(lt_task_birth_why(c->tb, t, c->text, sizeof(c->text))), "why the birth is not exact")	\
	C(end_why, "end_why", NAME, ALL, true, \
	  or_null(lt_task_end_why(c->tb, t, c->text, sizeof(c->text))), "why the end is not exact")	\
	C(process_end, "process_end_ns", INSTANT, ALL, process_ended(c, t), lt_tasks_last(c->tb, t)->end, \
	  "end of a process, with its last thread")	\
	C(process_exit_code, "process_exit_code", COUNT, ALL, \
	  process_code(c, t) >= 0 && !(process_code(c, t) & 0x7f), (uint64_t)process_code(c, t) >> 8, \
	  "exit status of a process")	\
	C(process_signal, "process_exit_signal", COUNT, ALL, process_code(c, t) >= 0, \
	  (uint64_t)process_code(c, t) & 0x7f, "signal that ended a process; 0: none")

#define TASK(C)	WHO(C) WHEN(C) USES(C)

TASK(GETTER)

static const struct lt_column task_columns[] = { TASK(LT_ROW_COLUMN) };

LT_ROW_KIND(task, "task", "a process or a thread");

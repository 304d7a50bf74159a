/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * The schema of the channel pid: tasks, and the numbers that they hold.
 *
 * A task is identified by (tid, start). A thread that executes a program takes over
 * tid and start of its group's leader: see the event "exec". A holder of a number is
 * identified by (namespace, number, generation).
 *
 * No event of this channel depends on the task that runs: each names the task that it
 * is about, and the task that caused it where that is another one.
 *
 * lifetrace_schema.h includes this file and describes the macros C, F and E.
 */
#ifndef LIFETRACE_SCHEMA_PID_H
#define LIFETRACE_SCHEMA_PID_H

#define LT_PID_CLASSES(C)						\
	C(16, BIRTH,		birth,		"tasks born")			\
	C(17, NUMBER,		number,		"numbers of new tasks in inner pid namespaces") \
	C(18, REUSE,		reuse,		"numbers that got another holder") \
	C(19, WRAP,		wrap,		"pid namespaces and their generations")	\
	C(20, EXEC,		exec,		"programs executed")		\
	C(21, RENAME,		rename,		"tasks that changed their names") \
	C(22, OOM,		oom,		"changes of oom_score_adj")	\
	C(23, CRED,		cred,		"changes of user or group")	\
	C(24, CGROUP,		cgroup,		"tasks that moved to another cgroup") \
	C(25, EXIT,		exit,		"exits of tasks")		\
	C(26, RELEASE,		release,	"tasks released")		\
	C(27, STATE,		state,		"tasks of snapshots; wait for room, are never lost")

#define LT_FIELDS_TASK_NEW(F)						\
	F(u32,	  tid,		tid,	"the new task")			\
	F(u32,	  tgid,		tgid,	"its thread group")		\
	F(u64,	  start,	nsec,	"when it was started")		\
	F(u32,	  creator,	tid,	"task that called fork or clone")	\
	F(u64,	  creator_start, nsec,	"when that was started")	\
	F(u32,	  parent,	tgid,	"thread group of its parent")	\
	F(u64,	  parent_start, nsec,	"when the leader of that group was started") \
	F(u64,	  clone_flags,	bits,	"of the call")			\
	F(u8,	  flags,	bits,	"1: kernel thread, 2: I/O worker, 4: user worker") \
	F(u16,	  ns,		pidns,	"its own pid namespace")	\
	F(u32,	  nr,		num,	"its number there")		\
	F(u64,	  generation,	num,	"of the initial namespace, when the number was given") \
	F(u64,	  ino,		num,	"inode of its pidfd; 0: this kernel has none") \
	F(u32,	  uid,		uid,	"its real user")		\
	F(u32,	  gid,		uid,	"its real group")		\
	F(u64,	  cgroup,	num,	"id of its cgroup (version 2)")	\
	F(s16,	  oom_score_adj, num,	"when it was born")		\
	F(char16, comm,		text,	"its name, that of its creator")

#define LT_FIELDS_TASK_NUMBER(F)					\
	F(u32,	  tid,		tid,	"a new task; its task_new follows") \
	F(u64,	  start,	nsec,	"when it was started")		\
	F(u16,	  ns,		pidns,	"a namespace that it is in")	\
	F(u32,	  nr,		num,	"its number there")		\
	F(u64,	  generation,	num,	"of that namespace, when the number was given")

#define LT_FIELDS_NUMBER_REUSED(F)					\
	F(u16,	  ns,		pidns,	"namespace of the number")	\
	F(u32,	  nr,		num,	"the number")			\
	F(u64,	  generation,	num,	"when it was given this time")	\
	F(u32,	  holders,	num,	"tasks known to have held it, the new one included") \
	F(u32,	  old_tid,	tid,	"the task that held it before")	\
	F(u64,	  old_start,	nsec,	"when that was started")	\
	F(u64,	  old_death,	nsec,	"when that exited, or, of a thread that became the leader by exec, when the number was free; 0: not seen")	\
	F(u32,	  tid,		tid,	"the new task; its task_new came before") \
	F(u64,	  start,	nsec,	"when it was started")

#define LT_FIELDS_WRAP(F)						\
	F(u16,	  ns,		pidns,	"namespace")			\
	F(u64,	  generation,	num,	"that begins")			\
	F(u64,	  wraps,	num,	"how often the cursor went back so far")	\
	F(u8,	  why,		num,	"1: the cursor went back, 2: a number that was held in the last generation is given again without that, 3: it may be, memory was short") \
	F(u32,	  nr,		num,	"number that was given; 0: to no task, fork failed")	\
	F(u32,	  old_cursor,	num,	"number to be tried next, before")	\
	F(u32,	  cursor,	num,	"number to be tried next, now")	\
	F(u64,	  allocated,	num,	"numbers given so far")		\
	F(u64,	  burned,	num,	"of those, given to no task, since fork failed later")

#define LT_FIELDS_PID_NS(F)						\
	F(u16,	  ns,		pidns,	"id that events use from here on") \
	F(u16,	  parent,	pidns,	"the namespace around it; 0: none")	\
	F(u8,	  level,	num,	"0: the initial one")		\
	F(u8,	  exact,	num,	"1: each number given is seen, 0: the cursor is sampled") \
	F(u32,	  inum,		num,	"inode number of /proc/PID/ns/pid; used again later") \
	F(u64,	  ns_id,	num,	"id that is never used again; 0: this kernel has none") \
	F(u32,	  init_tid,	tid,	"its first task; 0: not known yet")	\
	F(u64,	  init_start,	nsec,	"when that was started")	\
	F(u32,	  cursor,	num,	"number to be tried next")	\
	F(u64,	  generation,	num,	"now")				\
	F(u64,	  wraps,	num,	"how often the cursor went back since it is watched")	\
	F(u64,	  allocated,	num,	"numbers given since it is watched")	\
	F(u64,	  born,		num,	"of those, given to tasks")	\
	F(u64,	  burned,	num,	"of those, given to no task, since fork failed later") \
	F(u64,	  untracked,	num,	"tasks of whose numbers it is not known whether they were held before")

#define LT_FIELDS_PID_NS_GONE(F)					\
	F(u16,	  ns,		pidns,	"id of a namespace whose last number was freed") \
	F(u64,	  generation,	num,	"at its end")			\
	F(u64,	  wraps,	num,	"how often the cursor went back since it was watched")	\
	F(u64,	  allocated,	num,	"numbers given since it was watched")	\
	F(u64,	  born,		num,	"of those, given to tasks")	\
	F(u64,	  burned,	num,	"of those, given to no task, since fork failed later") \
	F(u64,	  untracked,	num,	"tasks of whose numbers it is not known whether they were held before")

/* The text comes last, so that the forms differ in its size alone. */
#define LT_HEAD_EXEC(F)							\
	F(u32,	  tid,		tid,	"task, as it is called from here on")	\
	F(u64,	  start,	nsec,	"when its group's leader was started")	\
	F(u32,	  old_tid,	tid,	"tid of the task before; another one: a thread became the leader") \
	F(u64,	  old_start,	nsec,	"when old_tid was started; 0: not known")

#define LT_FIELDS_EXEC(F)	LT_HEAD_EXEC(F)				\
	F(char56, file,		text,	"path of the program")
#define LT_FIELDS_EXEC_WIDE(F)	LT_HEAD_EXEC(F)				\
	F(char256, file,	text,	"path of the program")
#define LT_FIELDS_EXEC_HUGE(F)	LT_HEAD_EXEC(F)				\
	F(char4096, file,	text,	"path of the program")

#define LT_FIELDS_RENAME(F)						\
	F(u32,	  tid,		tid,	"task that changes its name")	\
	F(u64,	  start,	nsec,	"when it was started")		\
	F(char16, old,		text,	"name before")			\
	F(char16, comm,		text,	"name from here on")

#define LT_FIELDS_OOM(F)						\
	F(u32,	  tgid,		tgid,	"thread group")			\
	F(u64,	  start,	nsec,	"when its leader was started")	\
	F(s16,	  old,		num,	"oom_score_adj before, as far as known")	\
	F(s16,	  oom_score_adj, num,	"from here on")			\
	F(u32,	  by,		tid,	"task that wrote it")			\
	F(u64,	  by_start,	nsec,	"when that was started")

#define LT_FIELDS_CRED(F)						\
	F(u32,	  tid,		tid,	"task that changes its user or group")	\
	F(u64,	  start,	nsec,	"when it was started")		\
	F(u32,	  old_uid,	uid,	"real user before")		\
	F(u32,	  uid,		uid,	"from here on")			\
	F(u32,	  old_euid,	uid,	"effective user before")	\
	F(u32,	  euid,		uid,	"from here on")			\
	F(u32,	  old_gid,	uid,	"real group before")		\
	F(u32,	  gid,		uid,	"from here on")			\
	F(u32,	  old_egid,	uid,	"effective group before")	\
	F(u32,	  egid,		uid,	"from here on")

#define LT_FIELDS_CGROUP(F)						\
	F(u32,	  tid,		tid,	"task that was moved")		\
	F(u64,	  start,	nsec,	"when it was started")		\
	F(u8,	  group,	num,	"1: with all threads of its group") \
	F(u32,	  hierarchy,	num,	"0: that of version 2")		\
	F(u64,	  cgroup,	num,	"id of the cgroup that it is in now")

#define LT_FIELDS_EXIT(F)						\
	F(u32,	  tid,		tid,	"task that exits")		\
	F(u32,	  tgid,		tgid,	"its thread group")		\
	F(u64,	  start,	nsec,	"when it was started")		\
	F(u8,	  group_dead,	num,	"1: no thread of its group was left (before 6.16 perhaps in two records)") \
	F(u32,	  code,		num,	"its own: signal in bits 0-6, 0x80: core, exit code in bits 8-15; of a group that exits or is killed as one, all have one code") \
	F(u32,	  parent,	tgid,	"thread group of its parent at the end") \
	F(u64,	  parent_start,	nsec,	"when the leader of that group was started") \
	F(u64,	  utime,	num,	"time in user mode, ns")	\
	F(u64,	  stime,	num,	"time in the kernel, ns; both are sampled by the tick as a rule")	\
	F(u64,	  runtime,	num,	"time on a CPU, ns, as the scheduler counts it")	\
	F(u64,	  maxrss,	bytes,	"high-water mark of the group's resident memory; complete when the group is dead") \
	F(u32,	  min_flt,	num,	"minor faults")			\
	F(u32,	  maj_flt,	num,	"major faults")			\
	F(u32,	  nvcsw,	num,	"voluntary context switches")	\
	F(u32,	  nivcsw,	num,	"involuntary context switches")	\
	F(u64,	  rchar,	bytes,	"read by system calls")		\
	F(u64,	  wchar,	bytes,	"written by system calls")	\
	F(u64,	  read_bytes,	bytes,	"read from storage")		\
	F(u64,	  write_bytes,	bytes,	"caused to be written to storage")	\
	F(s16,	  oom_score_adj, num,	"at the end")			\
	F(char16, comm,		text,	"name at the end")

#define LT_FIELDS_RELEASE(F)						\
	F(u32,	  tid,		tid,	"a dead task that was waited for; its number may be in use again") \
	F(u64,	  start,	nsec,	"when it was started; after exec by a thread: the old leader has the thread's tid") \
	F(u64,	  utime,	num,	"all its time in user mode, ns") \
	F(u64,	  stime,	num,	"all its time in the kernel, ns") \
	F(u64,	  runtime,	num,	"all its time on a CPU, ns, as the scheduler counts it")

#define LT_FIELDS_COUNTER(F)						\
	F(u32,	  tid,		tid,	"a task that is gone, or still there when the recording ends") \
	F(u64,	  start,	nsec,	"when it was started")		\
	F(u8,	  counter,	num,	"1: instructions, 2: cycles, 3: cache-references, 4: cache-misses, 5: branches, 6: branch-misses, 7: task-clock, in ns, 8: page-faults, 9: context-switches, 10: cpu-migrations") \
	F(u8,	  user,		num,	"1: in user mode alone")	\
	F(u64,	  value,	num,	"what was counted, not scaled")	\
	F(u64,	  enabled,	num,	"time in which it was to be counted, ns") \
	F(u64,	  running,	num,	"time in which it was counted, ns; less than that where counters took turns")

#define LT_FIELDS_SNAP_BEGIN(F)						\
	F(u32,	  epoch,	num,	"number of the snapshot, from 1 on")	\
	F(u8,	  purpose,	num,	"0: initial state, 1: on demand, 2: final state") \
	F(u32,	  cursor,	num,	"of the initial namespace: number to be tried next") \
	F(u64,	  generation,	num,	"of the initial namespace")	\
	F(u64,	  lost,		num,	"events of this channel lost so far, on all CPUs")

#define LT_FIELDS_SNAP_END(F)						\
	F(u32,	  epoch,	num,	"number of the snapshot")	\
	F(u8,	  complete,	num,	"1: every task was written; 0: the session ended first") \
	F(u32,	  tasks,	num,	"records of tasks written")	\
	F(u32,	  cursor,	num,	"of the initial namespace: number to be tried next") \
	F(u64,	  generation,	num,	"of the initial namespace")	\
	F(u64,	  lost,		num,	"events of this channel lost so far, on all CPUs")

#define LT_HEAD_STATE(F)						\
	F(u32,	  epoch,	num,	"number of the snapshot")	\
	F(u32,	  tid,		tid,	"a task")			\
	F(u32,	  tgid,		tgid,	"its thread group")		\
	F(u64,	  start,	nsec,	"when it was started")		\
	F(u32,	  parent,	tgid,	"thread group of its parent")	\
	F(u64,	  parent_start, nsec,	"when the leader of that group was started") \
	F(u8,	  flags,	bits,	"1: kernel thread, 2: I/O worker, 4: user worker, 8: exiting: its exit event is before this or, before 6.16 perhaps seconds, after; 16: executes a program: comm and file may change with or without an event to come") \
	F(char1,  state,	text,	"a letter as in /proc/PID/stat")	\
	F(u16,	  ns,		pidns,	"its own pid namespace")	\
	F(u32,	  nr,		num,	"its number there")		\
	F(u32,	  pgid,		num,	"process group")		\
	F(u32,	  sid,		num,	"session")			\
	F(u64,	  ino,		num,	"inode of its pidfd; 0: this kernel has none") \
	F(u32,	  uid,		uid,	"its real user")		\
	F(u32,	  gid,		uid,	"its real group")		\
	F(u64,	  cgroup,	num,	"id of its cgroup (version 2)")	\
	F(s16,	  oom_score_adj, num,	"of its group")			\
	F(char16, comm,		text,	"its name")

#define LT_FIELDS_STATE(F)	LT_HEAD_STATE(F)			\
	F(char56, file,		text,	"path of its program, seen from the root; empty: none, or not known")
#define LT_FIELDS_STATE_WIDE(F)	LT_HEAD_STATE(F)			\
	F(char256, file,	text,	"path of its program")
#define LT_FIELDS_STATE_HUGE(F)	LT_HEAD_STATE(F)			\
	F(char4096, file,	text,	"path of its program")

#define LT_PID_EVENTS(E)						\
	E(PID, 1,  TASK_NEW,		task_new,	BIRTH,		"a task was born") \
	E(PID, 2,  TASK_NUMBER,	task_number,	NUMBER,		"what a new task is called in an inner namespace") \
	E(PID, 3,  NUMBER_REUSED,	number_reused,	REUSE,		"a number has another holder") \
	E(PID, 4,  WRAP,		wrap,		WRAP,		"numbers may be given again from here on") \
	E(PID, 5,  PID_NS,		pid_ns,		WRAP,		"what a namespace id means, and its counts") \
	E(PID, 6,  PID_NS_GONE,	pid_ns_gone,	WRAP,		"a namespace id is free for another one") \
	E(PID, 7,  EXEC,		exec,		EXEC,		"a program was executed") \
	E(PID, 8,  EXEC_WIDE,	exec,		EXEC,		"form for long paths") \
	E(PID, 9,  EXEC_HUGE,	exec,		EXEC,		"form for the longest paths") \
	E(PID, 10, RENAME,		rename,		RENAME,		"a task changes its name") \
	E(PID, 11, OOM,		oom_score_adj,	OOM,		"a process is more or less likely to be killed") \
	E(PID, 12, CRED,		cred,		CRED,		"a task changes its user or group") \
	E(PID, 13, CGROUP,		cgroup,		CGROUP,		"a task was moved to another cgroup") \
	E(PID, 14, EXIT,		exit,		EXIT,		"a task exits, and what it leaves") \
	E(PID, 15, RELEASE,		release,	RELEASE,	"a dead task is gone") \
	E(PID, 16, SNAP_BEGIN,	snap_begin,	NONE,		"a snapshot of all tasks begins") \
	E(PID, 17, STATE,		state,		STATE,		"a task in a snapshot") \
	E(PID, 18, STATE_WIDE,	state,		STATE,		"form for long paths") \
	E(PID, 19, STATE_HUGE,	state,		STATE,		"form for the longest paths") \
	E(PID, 20, SNAP_END,		snap_end,	NONE,		"a snapshot ends") \
	E(PID, 21, COUNTER,		counter,	NONE,		"what a performance counter has of a task")

#endif /* LIFETRACE_SCHEMA_PID_H */

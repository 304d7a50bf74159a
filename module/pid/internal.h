/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the channel pid share: generations of pid namespaces, holders of
 * numbers, records of tasks.
 */
#ifndef LT_PID_INTERNAL_H
#define LT_PID_INTERNAL_H

#include <linux/list.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include "core/write.h"
#include "pid/pid.h"

struct lt_pidns;

/**
 * struct lt_view - a namespace that files show
 * @queue: of the pollers
 * @rcu: to free it
 * @list: views to be woken, or, without a file, those whose queue is not empty
 * @n: NULL: the namespace is gone
 * @generation: the last one, of a namespace that is gone
 * @files: that are open
 * @refs: files, and the worker that wakes; all but @queue under lt_pid_lock
 */
struct lt_view {
	struct wait_queue_head queue;
	struct rcu_head rcu;
	struct list_head list;
	struct lt_pidns *n;
	u64 generation;
	unsigned int files;
	unsigned int refs;
};

/* What is shared out: memory, of which each has a part of the machine's; and ids. */
enum lt_budget {
	LT_BUDGET_USED,		/* numbers that were visible in a generation */
	LT_BUDGET_HOLDERS,
	LT_BUDGET_IDS,		/* of namespaces, in a session */
	LT_N_BUDGETS
};

/* Ids are from 1 to this. A test may have the module built with fewer. */
#ifndef LT_PIDNS_LAST_ID
#define LT_PIDNS_LAST_ID	U16_MAX
#endif

/**
 * struct lt_share - what the namespaces of one user take; all under lt_pid_lock
 * @user: in the initial user namespace, or none: see share.c
 * @refs: namespaces that count for it
 * @weight: how many times what is left it may take
 * @taken: bytes, or ids
 */
struct lt_share {
	unsigned long user;
	unsigned int refs;
	unsigned int weight;
	unsigned long taken[LT_N_BUDGETS];
};

/**
 * struct lt_pidns - a pid namespace; all under lt_pid_lock
 * @dead: in the list of structs to be freed, or of those whose ids rest
 * @since: when it got into the latter, jiffies
 * @ns: address of the namespace; compared, and followed only by callers for which the
 *	namespace is alive, and as long as files show it
 * @parent: the namespace around it, perhaps gone: a reference, so that the struct exists
 * @refs: the table, or the list of structs to be freed; and inner namespaces
 * @share: that it counts for
 * @view: of the open files that show it
 * @gone: its last number was freed, or another namespace has its address now
 * @announced: in this session
 * @again: @id has meant another namespace in this session
 * @incomplete: there was a number without a place in @holders, in this session
 * @freed: a number was taken back, since the session's start
 * @session: in which @id and the counts are; see lt_pidns_touch()
 * @id: as in records; 0: none was free for its user
 * @ids_freed: when that was: see ids.c
 * @level: 0: the initial namespace
 * @inum: inode number of the namespace
 * @ns_id: id of the namespace that is never used again; 0: this kernel has none
 * @init_tid: tid of its first task; 0: not known
 * @init_start: when that task was started
 * @cursor: number to be tried next, as of the last time it was read
 * @generation: see pidns.c
 * @wraps: times the cursor went back, since the session's start
 * @allocated: numbers given, since the session's start
 * @born: numbers of @allocated given to tasks
 * @burned: numbers of @allocated freed before there was a task
 * @untracked: tasks that got a number without a place in @holders, in this session: whether
 *	the number was held before is not known
 * @used: chunks of bits: numbers that were visible in this generation
 * @holders: chunks of struct lt_number; of the running session
 */
struct lt_pidns {
	struct list_head dead;
	unsigned long since;
	struct pid_namespace *ns;
	struct lt_pidns *parent;
	unsigned int refs;
	struct lt_share *share;
	struct lt_view *view;
	bool gone;
	bool announced;
	bool again;
	bool incomplete;
	bool freed;
	u32 session;
	u16 id;
	u8 level;
	u32 ids_freed;
	u32 inum;
	u64 ns_id;
	u32 init_tid;
	u64 init_start;
	u32 cursor;
	u64 generation;
	u64 wraps;
	u64 allocated;
	u64 born;
	u64 burned;
	u64 untracked;
	struct xarray used;
	struct xarray holders;
};

/**
 * struct lt_number - the holder of a number
 * @start: when the task was started, ns since boot
 * @from: tid of a thread that is about to take over this number of its leader
 * @from_start: when that thread was started
 * @death: when the task exited, 0: not yet
 * @generation: of the namespace when the number was given
 * @tid: the task, in the initial namespace
 * @holders: tasks known to have held it in this session
 * @oom_score_adj: of the thread group, as far as known; in the initial
 *	namespace, for the number of the leader
 * @held: the number was given, and not taken back
 * @pending: the number was given, and no birth was seen since
 */
struct lt_number {
	u64 start;
	u64 from_start;
	u64 death;
	u64 generation;
	u32 tid;
	u32 holders;
	u32 from;
	s16 oom_score_adj;
	bool held;
	bool pending;
};

/*
 * Protects namespaces and holders. Taken with interrupts off, inside of the kernel's
 * tasklist_lock and siglock, and in process context; no function that is called
 * under it takes either.
 */
extern spinlock_t lt_pid_lock;

/*
 * Events of the channel pid are written. Changed under lt_pid_lock; probes that
 * do not take the lock read it once.
 */
extern bool lt_pid_recording;

/* Records of a snapshot may follow. snapshot.c changes it, under a lock of its own. */
extern bool lt_pid_snapshot;

/*
 * Each number that is given is seen, not only the cursor. Changed under lt_pid_lock, and not
 * while a session records.
 */
extern bool lt_pid_exact;

/* Number of the session that records, or will. Changed under lt_pid_lock. */
extern u32 lt_pid_session;

/* Bytes of the longest path, with its zero. */
#define LT_PATH_MAX	4096

/**
 * struct lt_task_number - the number of a task
 * @ns: id of its own namespace
 * @nr: its number in that namespace
 * @generation: of the initial namespace
 */
struct lt_task_number {
	u16 ns;
	u32 nr;
	u64 generation;
};

/**
 * struct lt_task_attr - what births, exits and snapshots record of a task
 *
 * The fields are those of the records.
 */
struct lt_task_attr {
	u32 parent;
	u64 parent_start;
	u8 flags;
	u64 ino;
	u32 uid;
	u32 gid;
	u64 cgroup;
	s16 oom_score_adj;
};

/* Copy a text to a field; the rest of the field is zeros. */
static inline void lt_put_text(char *field, size_t size, const char *text, size_t len)
{
	if (len > size)
		len = size;
	memcpy(field, text, len);
	memset(field + len, 0, size - len);
}

/* record.c */
size_t lt_path_len(const struct file *file, const char *path);
void lt_task_read_attr(struct task_struct *p, struct pid *pid, struct lt_task_attr *a);
void lt_task_write_new(struct task_struct *p, u64 clone_flags,
		       const struct lt_task_number *number);

/* task.c */
extern struct lt_function lt_on_commit_creds;

int lt_task_init(void);
void lt_task_exit(void);

/* ns_record.c: under lt_pid_lock */
void lt_pid_count_lost(unsigned int class);
void lt_pidns_write(struct lt_pidns *n);
bool lt_pidns_write_if_room(struct lt_pidns *n);
void lt_pidns_write_wrap(const struct lt_pidns *n, u8 why, u32 nr, u32 old_cursor);
void lt_pidns_write_gone(const struct lt_pidns *n);

/* share.c */
extern unsigned long lt_budget_part[LT_N_BUDGETS];

struct lt_share *lt_share_get(const struct pid_namespace *ns, const struct lt_pidns *parent);
void lt_share_put(struct lt_share *s);
bool lt_share_take(struct lt_share *s, enum lt_budget budget, size_t bytes);
void lt_share_give_back(struct lt_share *s, enum lt_budget budget, size_t bytes);
unsigned long lt_shares_taken(enum lt_budget budget);

/* pidns.c: namespaces and generations; under lt_pid_lock, but for two that sleep */
#define LT_PIDNS_BATCH		64	/* steps of a walk with interrupts off */
#define LT_HOLDERS_CHUNK	1024	/* bytes */

void lt_pidns_touch(struct lt_pidns *n);
struct lt_pidns *lt_pidns_find(const struct pid_namespace *ns);
struct lt_pidns *lt_pidns_next(unsigned long *index);
struct lt_pidns *lt_pidns_get(struct pid_namespace *ns, unsigned int level);
void lt_pidns_begins(struct pid_namespace *ns, unsigned int level, u32 nr);
void lt_pidns_retire(struct lt_pidns *n);
void lt_pidns_new_base(void);
void lt_pidns_unshown(struct lt_pidns *n);
void lt_pidns_begin_session(void);
unsigned long lt_pidns_known(void);
struct lt_pidns *lt_pidns_given(struct pid_namespace *ns, unsigned int level, u32 nr);
void lt_pidns_freed(struct lt_pidns *n, unsigned int level, u32 nr);
void lt_pidns_sample(struct lt_pidns *n);
void lt_pidns_forget(void);
void lt_pidns_flush(void);

/* ids.c */
void lt_pidns_first_id(struct lt_pidns *n);
bool lt_pidns_late_id(struct lt_pidns *n);
void lt_pidns_drop_id(struct lt_pidns *n);
void lt_pidns_clear_ids(void);
void lt_pidns_begin_ids(void);
u64 lt_pidns_without_id(void);
void lt_pidns_exit(void);

/* view.c: hold, wake, detach and opened under lt_pid_lock */
struct lt_view *lt_view_new(void);
void lt_view_put(struct lt_view *v);
void lt_view_hold(struct lt_view *v);
void lt_view_wake(struct lt_view *v);
void lt_views_init(void);
void lt_views_exit(void);
bool lt_views_opened(void);
void lt_view_detach(struct lt_view *v);
struct wait_queue_head *lt_view_queue(struct lt_view *v);

/* shown.c */
struct lt_view *lt_view_open(struct pid_namespace *ns);
void lt_view_close(struct lt_view *v);
u64 lt_view_generation(struct lt_view *v);

/* numbers.c: the holders of numbers */
void lt_numbers_given(struct lt_pidns *n, u32 nr);
void lt_numbers_freed(struct lt_pidns *n, u32 nr);
void lt_numbers_hold(void);
void lt_numbers_born(struct task_struct *p, u64 clone_flags);
void lt_numbers_seed(struct task_struct *p, struct pid *pid, u32 tid, u64 start, u16 *ns,
		     u32 *nr);
void lt_numbers_died(struct task_struct *p);
void lt_number_exchanged(u32 tid, u32 old_tid);
u64 lt_number_passed_on(u32 tid, u32 old_tid);
s16 lt_number_oom(u32 tgid, u64 start, s16 now);
void lt_numbers_forget(void);
u64 lt_numbers_untracked(void);
void lt_numbers_reset(void);
void lt_numbers_untrack(void);

/* pidgen.c: watching numbers */
extern struct lt_function lt_on_number_given, lt_on_number_freed;
extern struct lt_function lt_on_thread_joins, lt_on_exchange, lt_on_new_exec, lt_on_sysctl;

int lt_pidgen_show(void);
void lt_pidgen_unshow(void);
void lt_pidgen_unwatch(void);
void lt_pidgen_given(struct pid_namespace *ns, unsigned int level, u32 nr);
void lt_pidgen_freed(struct pid_namespace *ns, unsigned int level, u32 nr);

/* recording.c: namespaces in a session */
void lt_pidgen_record(void);
void lt_pidgen_pause(void);
bool lt_pidgen_announce(unsigned long *index);
void lt_pidgen_cursor(u32 *cursor, u64 *generation);

/* snapshot.c */
int lt_snapshot_init(void);
void lt_snapshot_exit(void);
void lt_snapshot_begin_session(void);
void lt_snapshot_end_session(void);

#endif /* LT_PID_INTERNAL_H */

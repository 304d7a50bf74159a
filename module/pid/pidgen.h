/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Generations of pid namespaces, and who holds which number.
 */
#ifndef LT_PIDGEN_H
#define LT_PIDGEN_H

#include <linux/hashtable.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include "core/channel.h"

struct seq_file;

/**
 * struct lt_pidns - a pid namespace; all under lt_pid_lock
 * @node: in the table of namespaces, or in the list of those to be freed
 * @ns: its address; a reference only if @files: else it is compared, and
 *	followed by who knows that it is alive
 * @outer: address of the one around it, to be compared
 * @files: open files that show it; they keep this struct
 * @gone: its last number was freed, or its address has become another one
 * @id: as in records; 0: there were too many
 * @parent: id of the one around it
 * @level: 0: the initial one
 * @cursor: number to be tried next, as of the last look
 * @generation: see pidns.c
 * @wraps: times the cursor went back, since the session's start
 * @allocated: numbers given, likewise
 * @born: of those, given to tasks
 * @burned: of those, freed before there was a task
 * @used: chunks of bits: numbers that were visible in this generation
 * @holders: chunks of struct lt_number; of the running session
 * @chunks: how many of those
 */
struct lt_pidns {
	union {
		struct hlist_node node;
		struct llist_node dead;
	};
	struct pid_namespace *ns;
	const struct pid_namespace *outer;
	unsigned int files;
	bool gone;
	u16 id;
	u16 parent;
	u8 level;
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
	struct xarray used;
	struct xarray holders;
	unsigned long chunks;
};

/**
 * struct lt_number - the holder of a number
 * @start: when the task was started, ns since boot
 * @from: a thread that is about to take over this number of its leader, and
 * @from_start: when it was started
 * @death: when it exited, 0: not yet
 * @generation: of the namespace when the number was given
 * @tid: the task, in the initial namespace
 * @holders: tasks known to have held it in this session
 * @oom_score_adj: of the thread group, as far as known; in the initial
 *	namespace, for the number of the leader
 * @held: it was given, and not taken back
 * @pending: it was given, and no birth was told yet
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
 * Protects everything here. Taken with interrupts off, inside of the kernel's
 * tasklist_lock and siglock, and in process context; nothing that is called
 * under it takes either.
 */
extern spinlock_t lt_pid_lock;

/*
 * Events of the channel pid are written. Changed under lt_pid_lock; probes that
 * do not take it look once.
 */
extern bool lt_pid_recording;

/* Numbers are seen, not only the cursor. Changed while nobody watches. */
extern bool lt_pid_exact;

/* pidns.c: namespaces, all under lt_pid_lock */
#define LT_PIDNS_TABLE_BITS	6
extern unsigned long lt_pidns_memory_share;
extern struct hlist_head lt_pidns_table[1 << LT_PIDNS_TABLE_BITS];

struct lt_pidns *lt_pidns_find(const struct pid_namespace *ns);
struct lt_pidns *lt_pidns_get(struct pid_namespace *ns, unsigned int level);
void lt_pidns_begins(struct pid_namespace *ns, unsigned int level, u32 nr);
void lt_pidns_retire(struct lt_pidns *n);
void lt_pidns_renumber(void);
void lt_pidns_write(const struct lt_pidns *n);
void lt_pidns_given(struct pid_namespace *ns, unsigned int level, u32 nr);
void lt_pidns_freed(struct pid_namespace *ns, unsigned int level, u32 nr);
void lt_pidns_sample(struct lt_pidns *n);
void lt_pidns_bury(struct lt_pidns *n);
void lt_pidns_flush(void);

/* pidgen.c */
extern struct lt_function lt_on_number_given, lt_on_number_freed;
extern struct lt_function lt_on_thread_joins, lt_on_exchange, lt_on_new_exec;

int lt_pidgen_watch(void);
void lt_pidgen_unwatch(void);
void lt_pidgen_record(void);
void lt_pidgen_pause(void);
void lt_pidgen_show_events(struct seq_file *m, bool wanted);
void lt_pidgen_show_stats(struct seq_file *m);
void lt_pidgen_announce_all(void);
struct lt_pidns *lt_pidns_open(struct pid_namespace *ns);
void lt_pidns_close(struct lt_pidns *n);
u64 lt_pidns_generation(struct lt_pidns *n);
bool lt_pidgen_works(bool births);
void lt_pidgen_cursor(u32 *cursor, u64 *generation);

/* numbers.c: who holds them */
void lt_numbers_given(struct lt_pidns *n, u32 nr);
void lt_numbers_freed(struct lt_pidns *n, u32 nr);
void lt_numbers_retire(struct lt_pidns *n);
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

/* pidgen_proc.c */
void lt_pidgen_proc_init(void);
void lt_pidgen_proc_exit(void);
void lt_pidgen_wake(void);

#endif /* LT_PIDGEN_H */

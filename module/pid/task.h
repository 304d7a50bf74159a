/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The channel pid: tasks.
 */
#ifndef LT_TASK_H
#define LT_TASK_H

#include "core/channel.h"

extern struct lt_channel lt_pid;

/* What a path may be at the most, with its zero. */
#define LT_PATH_MAX	4096

/* The smallest sub-buffer: the longest path must fit. */
#define LT_MIN_PID_SUBBUF_SIZE	16384

/**
 * struct lt_task_number - what a task is called
 * @ns: id of its own namespace, and
 * @nr: its number there
 * @generation: of the initial namespace
 */
struct lt_task_number {
	u16 ns;
	u32 nr;
	u64 generation;
};

/**
 * struct lt_task_attr - what both births and snapshots say of a task
 * All as in the records.
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

size_t lt_path_len(const struct file *file, const char *path);
void lt_task_attr(struct task_struct *p, struct pid *pid, struct lt_task_attr *a);
void lt_task_write_new(struct task_struct *p, u64 clone_flags,
		       const struct lt_task_number *number);

/* Copies a text to a field; the rest of the field is zeros. */
static inline void lt_put_text(char *field, size_t size, const char *text, size_t len)
{
	if (len > size)
		len = size;
	memcpy(field, text, len);
	memset(field + len, 0, size - len);
}

extern struct lt_function lt_on_commit_creds;

int lt_task_init(void);
void lt_task_exit(void);

/* snapshot.c */
int lt_snapshot_init(void);
void lt_snapshot_exit(void);
void lt_snapshot_begin_session(void);
void lt_snapshot_end_session(void);
int lt_snapshot_take(enum lt_snapshot_purpose purpose);
void lt_snapshot_show(struct seq_file *m);

#endif /* LT_TASK_H */

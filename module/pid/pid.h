/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The channel pid: tasks, the numbers that they hold, and snapshots.
 */
#ifndef LT_PID_H
#define LT_PID_H

#include "core/channel.h"
#include "core/probe.h"

struct seq_file;

/* The smallest sub-buffer: the longest path must fit. */
#define LT_MIN_PID_SUBBUF_SIZE	16384

extern struct lt_channel lt_channel_pid;
extern const struct lt_probes lt_pid_probes;	/* task.c */

/* pid.c: the life of the channel */
int lt_pid_init(void);
void lt_pid_exit(void);
void lt_pid_started(bool selftest);
void lt_pid_stopping(void);
void lt_pid_close(void);
void lt_pid_show_info(struct seq_file *m);

/* pidgen.c */
int lt_pidgen_watch(void);
bool lt_pidgen_works(bool births);
bool lt_pidgen_frees(void);
void lt_pidgen_show_events(struct seq_file *m, bool wanted);
void lt_pidgen_show_stats(struct seq_file *m);

/* snapshot.c */
int lt_snapshot_take(enum lt_snapshot_purpose why);
void lt_snapshot_show(struct seq_file *m);

/* proc.c */
void lt_pid_proc_init(void);
void lt_pid_proc_exit(void);

#endif /* LT_PID_H */

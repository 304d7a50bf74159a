/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The session: idle → recording → draining → idle.
 */
#ifndef LT_SESSION_H
#define LT_SESSION_H

#include <linux/types.h>

#include "uapi/lifetrace.h"

struct dentry;
struct seq_file;

enum lt_state {
	LT_IDLE,	/* no buffers */
	LT_RECORDING,	/* probes attached, buffers filling */
	LT_DRAINING,	/* probes gone, buffers still to be read */
};

/* The two may overlap: one begins while /dev/snapshot is open for the other. */
enum lt_suspend {
	LT_SUSPEND = 1,
	LT_HIBERNATION = 2,
};

void lt_session_exit(void);
void lt_session_set_dir(unsigned int i, struct dentry *dir);

int lt_session_own(void);
void lt_session_disown(void);
int lt_session_start(void);
void lt_session_stop(void);
bool lt_session_suspend(enum lt_suspend what);
void lt_session_resume(enum lt_suspend what);
int lt_session_flush(u64 *until);
int lt_session_thaw(void);
int lt_session_snapshot(enum lt_snapshot_purpose why);
int lt_session_mark(const char *text, size_t len);
int lt_session_resample(unsigned int one_in);
int lt_session_trigger(const char *text);
const char *lt_session_state_name(void);

void lt_session_show_info(struct seq_file *m);
void lt_session_show_caches(struct seq_file *m);
void lt_session_show_code(struct seq_file *m);
void lt_session_show_mode(struct seq_file *m);
void lt_session_show_stats(struct seq_file *m);
void lt_session_show_events(struct seq_file *m);
void lt_session_show_clock(struct seq_file *m);
void lt_session_show_snapshot(struct seq_file *m);

void lt_session_show_caches_now(struct seq_file *m);
void lt_session_show_last_stats(struct seq_file *m);

int lt_session_selftest(void);

/* suspend.c */
int lt_suspend_init(void);
void lt_suspend_exit(void);

/* panic.c */
void lt_panic_init(void);
void lt_panic_exit(void);

#endif /* LT_SESSION_H */

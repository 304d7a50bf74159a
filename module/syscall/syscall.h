/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The channel syscall: one record for each system call, written when it returns.
 */
#ifndef LT_SYSCALL_H
#define LT_SYSCALL_H

#include "core/channel.h"
#include "core/probe.h"
#include "syscall/filter.h"

struct seq_file;

extern struct lt_channel lt_channel_syscall;
extern const struct lt_probes lt_syscall_probes;

/* syscall.c: the life of the channel */
int lt_syscall_open(const struct lt_syscall_filter *filter);
void lt_syscall_started(bool selftest);
void lt_syscall_stopping(void);
void lt_syscall_close(void);

/* slot.c */
void lt_syscall_show_stats(struct seq_file *m);

#endif /* LT_SYSCALL_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The channel call: one record for each call of a function that the session watches, written when
 * it returns.
 */
#ifndef LT_CALL_H
#define LT_CALL_H

#include "core/channel.h"
#include "core/probe.h"

struct seq_file;

extern struct lt_channel lt_channel_call;
extern const struct lt_probes lt_call_probes;

/* channel.c: the life of the channel */
int lt_call_open(void);
void lt_call_stopping(void);
void lt_call_close(void);

/* file.c */
extern const struct file_operations lt_call_fops;
void lt_call_exit(void);

/* boot.c: the functions of a session that starts when the module is loaded */
void lt_call_boot_load(void);
void lt_call_boot_end(void);

/* show.c */
void lt_call_show_text(struct seq_file *m);
void lt_call_show_info(struct seq_file *m);
void lt_call_show_stats(struct seq_file *m);

#endif /* LT_CALL_H */

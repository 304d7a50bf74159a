// SPDX-License-Identifier: GPL-2.0
/*
 * The life of the channel pid: what a session does with it, in this order:
 *
 *	lt_pidgen_watch()	numbers are watched, nothing is written
 *				(all probes are attached)
 *	lt_pid_started()	events are written, all at once; initial snapshot
 *	lt_pid_stopping()	last of the snapshots; events are not written any more
 *				(all probes are detached)
 *	lt_pid_close()		holders are forgotten, numbers are not watched
 *
 * Everything here runs in process context under the session's lock.
 */
#include <linux/seq_file.h>

#include "pid/internal.h"

/**
 * lt_pid_init() - prepare the channel, once at load
 * Return: 0 or -ENOMEM.
 */
int lt_pid_init(void)
{
	int err = lt_task_init();

	if (err)
		return err;
	err = lt_snapshot_init();
	if (err)
		lt_task_exit();
	return err;
}

void lt_pid_exit(void)
{
	lt_snapshot_exit();
	lt_task_exit();
	lt_pidns_exit();
}

/**
 * lt_pid_started() - begin to write events
 * @selftest: without a snapshot, which the self-test does not need
 *
 * Context: sleeps; the channel is open, its probes are attached, numbers are watched.
 */
void lt_pid_started(bool selftest)
{
	lt_pidgen_record();
	/* A task that this walk does not find has its birth in the trace: see snapshot.c. */
	if (!selftest)
		lt_snapshot_begin_session();
}

/**
 * lt_pid_stopping() - write the last events
 *
 * The snapshot ends first: births and changes that happen while it reads tasks must be
 * in the trace.
 *
 * Context: sleeps; the probes are still attached.
 */
void lt_pid_stopping(void)
{
	lt_snapshot_end_session();
	lt_pidgen_pause();
}

/**
 * lt_pid_close() - undo lt_pidgen_watch(), and free what is known of holders
 *
 * Probes of the table look holders up, and are detached. The functions of pidgen.c are
 * still attached, also afterwards if /proc/pid_gen was opened; since lt_pidgen_pause()
 * these do not look holders up.
 *
 * Context: sleeps; no probe of the table is attached, events are not written.
 */
void lt_pid_close(void)
{
	lt_numbers_forget();
	lt_pidgen_unwatch();
}

/* The channel's lines in the file "info", behind those of its parameters. */
void lt_pid_show_info(struct seq_file *m)
{
	seq_printf(m, "pid_gen_exact=%d\n", lt_pid_exact);
}

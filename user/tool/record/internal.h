/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside of a recording; for recorder.c and record_*.c.
 */
#ifndef LT_LIB_RECORD_PRIVATE_H
#define LT_LIB_RECORD_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "record/drain.h"
#include "format/block.h"
#include "record/module.h"
#include "record/recorder.h"

/* A reading of the slab counters in a thread of its own: the buffers must be
 * drained meanwhile.
 */
struct lt_slab_job {
	pthread_t thread;
	bool running;
	bool start;		/* else the end */
	bool later;		/* at the usual priority, which the recorder's is not */
	atomic_bool done;
	atomic_bool cancel;
	const struct lt_module *module;
	char *text;
};

/* Why the recording stops. */
enum lt_stop {
	LT_STOP_NOT,
	LT_STOP_SIGNAL,
	LT_STOP_COMMAND,	/* has ended */
	LT_STOP_TIME,
	LT_STOP_SIZE,
	LT_STOP_OUTPUT,		/* cannot be written */
	LT_STOP_SINK,
	LT_STOP_FLUSH,		/* does not work, so that the sink would get nothing more */
	LT_STOP_MODULE,		/* has stopped the session by itself */
};

struct lt_recording {
	const struct lt_record_options *opts;
	struct lt_sink *sink;
	bool sink_begun;
	bool sink_failed;
	bool module_stopped;		/* the module has stopped the session by itself */
	bool flush_failed;		/* told; the sink still gets what there is at the end */
	struct lt_trace *trace;		/* for the sink */
	struct lt_module module;
	bool attached;			/* to a session that was recording already */
	bool first;			/* has given itself a higher priority */
	struct lt_writer *w;		/* NULL: no file */
	int write_error;		/* errno of the first write that failed */
	struct lt_drain drain;
	char kmem_dir[PATH_MAX + 16];
	char pid_dir[PATH_MAX + 16];
	char *info;
	char *schema;
	char *events;			/* as last written */
	char *modules;			/* likewise */
	char *symbols;
	char *stats;			/* at the end */
	struct lt_slab_job slab;
	int signal_fd;
	pid_t child;			/* 0: none (any more) */
	int child_go;			/* written to when the command may begin */
	int child_exec;			/* tells errno when it could not be run */
	bool child_started;
	bool child_failed;		/* it could not be started */
	int child_status;
	unsigned int signals;
	enum lt_stop stop;
	uint64_t started_ns;		/* CLOCK_MONOTONIC */
	uint64_t deadline_ns;
	uint64_t next_scan_ns;
	uint64_t flushed;		/* clock of the last flush, 0: none */
	uint64_t next_flush_ns;
	uint64_t next_snapshot_ns;	/* 0: none is to be asked for */
	uint64_t poll_ns;		/* a turn takes no longer; 0: as it likes */
	uint64_t next_progress_ns;
	uint64_t last_events;		/* as of the last progress line */
	uint64_t last_progress_ns;
	bool progress;			/* a line is on the terminal */
};

#define NSEC_PER_MSEC	1000000ULL

uint64_t lt_now_ns(void);

/* recorder.c: one turn of the loop: wait a little, take what is there. */
void lt_record_turn(struct lt_recording *r);

/* record_snapshot.c */
void lt_record_snapshot_due(struct lt_recording *r, uint64_t now);
void lt_record_final_snapshot(struct lt_recording *r);

/* record_texts.c: the blocks that are not packets. */
int lt_record_first_texts(struct lt_recording *r);
void lt_record_last_texts(struct lt_recording *r);
int lt_record_text(struct lt_recording *r, unsigned int type, bool zstd, const char *text);
void lt_record_read_symbols(struct lt_recording *r);

/* record_child.c: the command, and signals. */
int lt_record_signals(struct lt_recording *r);
int lt_record_fork(struct lt_recording *r);
void lt_record_go(struct lt_recording *r);
void lt_record_on_signal(struct lt_recording *r);
void lt_record_reap(struct lt_recording *r);

/* record_summary.c */
void lt_record_progress(struct lt_recording *r, uint64_t now);
void lt_record_progress_end(struct lt_recording *r);
void lt_record_summary(struct lt_recording *r);

#endif /* LT_LIB_RECORD_PRIVATE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a recording, for the files of this folder.
 */
#ifndef LT_RECORD_INTERNAL_H
#define LT_RECORD_INTERNAL_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "record/drain.h"
#include "format/block.h"
#include "format/channel.h"
#include "format/clock.h"
#include "record/ksymbol.h"
#include "record/made.h"
#include "engine/engine.h"
#include "record/allowance.h"
#include "record/recorder.h"

/* A thread that reads the slab counters while the recorder goes on draining. */
struct lt_slab_job {
	pthread_t thread;
	bool running;
	bool start;		/* at the start of the recording; false: at its end */
	bool normal_priority;	/* the thread gives up the raised priority of the recorder */
	atomic_bool done;
	atomic_bool cancel;
	atomic_bool cancel_pages;	/* the counting of pages, which may take long */
	bool shrink;
	int page_flags;		/* of lt_page_kinds_open(); -1: not read */
	const struct lt_slab_counters *counters;
	const struct lt_engine *engine;
	char *text;
};

#define LT_N_PARAMETERS	27

/* Why the recording stops. */
enum lt_stop {
	LT_STOP_NOT,
	LT_STOP_SIGNAL,
	LT_STOP_COMMAND,	/* the command has ended */
	LT_STOP_TIME,		/* limit of --duration */
	LT_STOP_SIZE,		/* limit of --max-size */
	LT_STOP_OUTPUT,		/* the file cannot be written */
	LT_STOP_SINK,		/* the sink, or the tap, cannot go on */
	LT_STOP_ENOUGH,		/* the sink, or the tap, has seen enough */
	LT_STOP_FLUSH,		/* the module cannot flush: the sink would get no more events */
	LT_STOP_TRIGGER,	/* a trigger has frozen the buffers */
	LT_STOP_BUDGET,		/* what is left out costs more than --budget */
	LT_STOP_MODULE,		/* the module has stopped the session on its own */
};

struct lt_recording;
struct lt_rotation;

struct lt_next;

/**
 * struct lt_rotate_ops - what a recording in many files does (rotate.c)
 * @text: a text of the end of the recording
 * @packet: a packet was drained
 * @event: an event of the sink's trace, in its order
 * @step: cuts if that is due. Return: 0, or -1 after lt_error(): the module cannot flush
 * @summary: prints files, bytes, and what was left out; @has: in the parts
 */
struct lt_rotate_ops {
	void (*text)(struct lt_rotation *x, unsigned int type, bool zstd, const char *text);
	void (*packet)(struct lt_rotation *x, const struct lt_packet *p);
	void (*event)(struct lt_rotation *x, const struct lt_trace *t, const struct lt_event *ev);
	int (*step)(struct lt_recording *r, uint64_t now);
	void (*summary)(const struct lt_rotation *x, const struct lt_record_options *o,
			const struct lt_next *has);
};

/**
 * struct lt_record_session - the session, and what starting it has changed
 * @engine: whose session it is
 * @attached: it was recording already
 * @flight: the module overwrites; packets are read at the end
 * @begun: it has begun, FILE has its name
 * @stopped: the module has stopped it on its own
 * @parameters: to be restored; NULL: not changed
 * @used_events: the parameter events
 * @only_code: the parameter, of the names that were asked for
 * @only_pid: of the command
 * @default_stacks: the parameter, without an option for it; NULL: none
 */
struct lt_record_session {
	struct lt_engine *engine;
	bool attached;
	bool flight;
	bool begun;
	bool stopped;
	bool raised_priority;
	char *parameters[LT_N_PARAMETERS];
	char *used_events;
	char *only_code;
	char *only_pid;
	const char *default_stacks;
};

/**
 * struct lt_record_file - what the recording is written to
 * @w: the one file; NULL: there is none
 * @rotate: many files, @rotation; NULL: none or one
 * @error: errno of the first write that failed
 * @size: when it was closed
 * @left_out: packets for which --max-size has no room
 * @window_ns: end of the current period of --max-size
 * @window_begin: bytes of the file at its begin
 * @window_bytes: that the period before has added
 * @kept_old: the previous trace has the name FILE.old
 */
struct lt_record_file {
	struct lt_writer *w;
	const struct lt_rotate_ops *rotate;
	struct lt_rotation *rotation;
	int error;
	uint64_t size;
	uint64_t left_out;
	uint64_t left_out_bytes;
	uint64_t window_ns;
	uint64_t window_begin;
	uint64_t window_bytes;
	bool kept_old;
};

/**
 * struct lt_record_command - the command that is recorded
 * @pid: 0: no command, or it has ended
 * @number: that it has, or had
 * @go: pipe: a byte in it starts the command
 * @exec: pipe: errno of the child if it cannot execute
 * @failed: it could not be executed
 */
struct lt_record_command {
	pid_t pid;
	pid_t number;
	int go;
	int exec;
	bool started;
	bool failed;
	int status;
};

/**
 * struct lt_record_sink - who gets the events while they are recorded
 * @to: NULL: nobody
 * @trace: what the events are read from
 * @done: it gets no more events: it failed, or has seen enough
 * @flush_failed: was reported; the sink gets the rest at the end
 */
struct lt_record_sink {
	struct lt_sink *to;
	struct lt_trace *trace;
	bool tap_begun;
	bool begun;
	bool failed;
	bool done;
	bool flush_failed;
};

/**
 * struct lt_record_texts - the blocks that are not packets
 * @clock: as first written
 * @events: as last written
 * @modules, @symbols, @builds, @cgroups, @code: as last read; NULL: there are none
 * @functions: those whose calls are recorded, without counts; NULL: there are none
 * @n_functions: how many they are
 * @unwritten: bits of types of these: only the sink has them
 * @made_first: for the times in @made
 * @unloaded: for the sink; NULL: nothing was renewed yet
 * @stats: at the end
 */
struct lt_record_texts {
	char *info;
	char *schema;
	char *clock;
	char *events;
	char *modules;
	char *symbols;
	char *builds;
	char *cgroups;
	char *code;
	char *functions;
	size_t n_functions;
	unsigned int unwritten;
	struct lt_ksymbols ksymbols;
	struct lt_made made;
	struct lt_clock_reading made_first;
	struct lt_unloaded *unloaded;
	char *stats;
};

/**
 * struct lt_record_clocks - readings of the clocks
 * @thin: which of them the file gets
 * @next_ns: when they are read again
 * @wait_ns: how long after the last time
 * @left: the module reads the CPU's counter no more
 */
struct lt_record_clocks {
	struct lt_clock_thin thin;
	uint64_t next_ns;
	uint64_t wait_ns;
	bool left;
};

/**
 * struct lt_record_counters - the kernel's own counters
 * @slab: NULL: not read
 * @page_flags: of lt_page_kinds_open(); -1: not read
 */
struct lt_record_counters {
	struct lt_slab_job job;
	struct lt_slab_counters *slab;
	int page_flags;
};

/**
 * struct lt_record_shown - the progress
 * @events, @at_ns: as of the last progress line
 * @line: a progress line is on the terminal
 */
struct lt_record_shown {
	uint64_t next_ns;
	uint64_t events;
	uint64_t at_ns;
	bool line;
};

/**
 * struct lt_recording - all of it, and the loop that runs it
 * @started_ns: CLOCK_MONOTONIC, as all times but @flushed
 * @flushed: clock of the last flush, 0: none
 * @next_code_ns: when lt_record_code_if_due() reads again
 * @next_snapshot_ns: 0: no periodic snapshots
 * @next_meanwhile_ns: of lt_record_meanwhile()
 * @meanwhile_bytes: that it has drained in this step
 * @poll_ns: longest wait of a step; 0: the default
 */
/**
 * struct lt_spending - what the recording costs, with --budget
 * @b: the budget, and the sample that keeps it
 * @in_use: the sample of the session
 * @least, @most, @changes: of @in_use so far
 * @begin_ns: when measuring began
 * @since_ns: begin of the present period; 0: there is no budget
 * @seen, @written, @cpu_ns: at that time
 * @spent: sum of cost times ns
 */
struct lt_spending {
	struct lt_allowance b;
	unsigned int in_use;
	unsigned int least;
	unsigned int most;
	unsigned int changes;
	uint64_t begin_ns;
	uint64_t since_ns;
	uint64_t seen;
	uint64_t written;
	uint64_t cpu_ns;
	double spent;
};

struct lt_recording {
	const struct lt_record_options *opts;
	struct lt_record_session session;
	struct lt_record_file file;
	struct lt_record_sink sink;
	struct lt_record_texts texts;
	struct lt_record_clocks clocks;
	struct lt_record_counters counters;
	struct lt_record_command command;
	struct lt_record_shown shown;
	struct lt_drain drain;
	struct lt_spending spending;
	int signal_fd;
	unsigned int signals;
	enum lt_stop stop;
	uint64_t started_ns;
	uint64_t deadline_ns;
	uint64_t next_scan_ns;
	uint64_t next_code_ns;
	uint64_t flushed;
	uint64_t next_flush_ns;
	uint64_t next_snapshot_ns;
	uint64_t next_meanwhile_ns;
	int64_t meanwhile_bytes;
	uint64_t poll_ns;
};

#define NSEC_PER_MSEC	1000000ULL

/* only.c */
char *lt_record_code_ranges(const char *names);

/* params.c: the parameters of the module */
/* @pid: of the command */
int lt_record_set_parameters(struct lt_record_session *s, const struct lt_record_options *o,
			     pid_t pid);
void lt_record_restore_parameters(struct lt_record_session *s);
/* A number of the text INFO; 0: it is not there. */
unsigned long long lt_record_info_number(const char *info, const char *key);
/*
 * @info: the text; @events: the parameter, NULL: not known; @n_functions: whose calls are recorded
 */
void lt_record_print_parameters(const char *info, const char *events, size_t n_functions);

/* spend.c */
void lt_spending_begin(struct lt_recording *r);
void lt_spending_step(struct lt_recording *r, uint64_t now);
void lt_spending_say(const struct lt_recording *r);

/* step.c */
void lt_record_step(struct lt_recording *r);
/* Takes a packet from the drain; @arg is the recording. */
lt_packet_fn lt_record_packet;
/*
 * Drains, if that was not done for 10 ms: called again and again by what takes long, so that the
 * buffers do not run full. Not from what draining calls. What is drained waits in memory, so in one
 * step that is only so much: where more is recorded than can be taken, events are lost.
 */
void lt_record_meanwhile(struct lt_recording *r);
/* Gives the sink all events before @watermark, a time in clock units. */
void lt_record_feed_sink(struct lt_recording *r, uint64_t watermark);

/* flush.c */

/**
 * lt_record_flush() - close all open packets, and read everything up to that
 * @clock: when that was, clock units
 * Return: 0; the errno of the module, nothing is printed; -1: they could not be read, which is.
 */
int lt_record_flush(struct lt_engine *e, struct lt_drain *d, uint64_t *clock);
/* Prints it if the module could not. Return: -1. */
int lt_record_flush_failed(const struct lt_engine *e, int err);

/* limit.c: --max-size */
void lt_record_next_window(struct lt_record_file *f, uint64_t now);
/* Whether the file has room for the packet and the index of all. @max: bytes, 0: no limit. */
bool lt_record_has_room(const struct lt_record_file *f, uint64_t max, const struct lt_packet *p);
/* Whether the recording must stop, so that there is room for what the buffers hold. */
bool lt_record_is_full(const struct lt_record_file *f, uint64_t max);
/* Whether the texts leave no room for packets, which is printed. */
bool lt_record_no_room(const struct lt_writer *w, uint64_t max);
/* Counts a packet that has no room; called by the drain's function. */
void lt_record_leave_out(struct lt_record_file *f, struct lt_drain *d, const struct lt_packet *p);
/* The text STATS with lines for what was left out; @stats is freed if it is not returned. */
char *lt_record_left_out(const struct lt_recording *r, char *stats);

/*
 * panic_texts.c: gives the module what the file has so far, if it keeps packets over a panic.
 * What prevents that is printed, and the recording goes on.
 */
void lt_record_keep_texts(const struct lt_record_session *s, const char *info,
			  const struct lt_writer *w);

/* clocks.c: readings of the clocks */
/* Reads the clocks, for file and sink. Return: 0; -1: a message was printed, or the file fails. */
int lt_record_clock(struct lt_recording *r);
/* Return: 0; -1 after lt_error(): the clock is not one of ns, and @option needs one. */
int lt_record_need_ns(const struct lt_trace *t, const char *option);
/* lt_record_clock(), if it is time, and for the file only if it is needed. */
void lt_record_clock_if_due(struct lt_recording *r, uint64_t now);

/* snapshot.c */
void lt_record_final_snapshot(struct lt_recording *r);

/* texts.c: the blocks that are not packets */
int lt_record_first_texts(struct lt_recording *r);
void lt_record_last_texts(struct lt_recording *r);
/* The lines of INFO that no engine writes, to be freed: this machine, the command, its process. */
char *lt_record_own_info(const char *command_line, pid_t command);

/* block.c */
/* For file and sink. */
int lt_record_text(struct lt_record_file *f, struct lt_trace *sink, unsigned int type, bool zstd,
		   const char *text);
/* For the file alone. An error is kept there, and ends the recording. */
int lt_record_file_text(struct lt_record_file *f, unsigned int type, bool zstd, const char *text);
void lt_record_read_symbols(struct lt_record_texts *t);
/* Writes those of modules, symbols and cgroups that have changed since they were written last. */
void lt_record_changed_texts(struct lt_recording *r);
/* Gives the sink those that have changed; the file gets them later. @arg is the recording. */
void lt_record_renew_texts(void *arg);

/* functions.c: the functions whose calls are recorded */
/* Compiles them and hands them to the module. Return: 0, or -1 after printing why not. */
int lt_record_functions(struct lt_record_texts *t, const struct lt_record_session *session,
			const struct lt_record_options *o);
/* The session has its functions: later ones get none. */
void lt_record_functions_started(const struct lt_record_texts *t,
				 const struct lt_record_session *session);
/* What the module has counted of each until now, to be freed; NULL: none, or lt_error(). */
char *lt_record_function_counts(const struct lt_recording *r);
/* Writes what the module has counted of each. */
void lt_record_last_functions(struct lt_recording *r);

/* code.c: code that came and went */
/* Reads it if it may have changed; the file gets what is new, the sink all. */
void lt_record_code(struct lt_recording *r);
/* lt_record_code(), if a second has passed. */
void lt_record_code_if_due(struct lt_recording *r, uint64_t now);
/* lt_record_code() behind the end of the session: nothing comes any more. */
void lt_record_last_code(struct lt_recording *r);
/* Begins to watch the code that the kernel makes. */
void lt_record_watch_code(struct lt_record_texts *t);
void lt_record_code_end(struct lt_record_texts *t);
/* The text EVENTS with a line of it; @events is freed. */
char *lt_record_watched(const struct lt_record_texts *t, char *events);
/* The text STATS with a line of what was lost of it, if anything was; then @stats is freed. */
char *lt_record_code_lost(const struct lt_record_texts *t, char *stats);

/* unloaded.c: what the sink calls the code of modules that were unloaded */

struct lt_unloaded;

/**
 * lt_unloaded_add() - take what the next texts will not have any more
 * @u: what was taken before; NULL: nothing
 * @symbols, @modules: the texts so far
 * @symbols_now, @modules_now: the next ones
 *
 * Of modules whose place another one has now, nothing is kept; of the others, what a limit allows,
 * of the latest ones.
 */
struct lt_unloaded *lt_unloaded_add(struct lt_unloaded *u, const char *symbols,
				    const char *modules, const char *symbols_now,
				    const char *modules_now);
void lt_unloaded_free(struct lt_unloaded *u);
/* The texts with those of what was unloaded behind them, to be freed. */
char *lt_unloaded_symbols(const struct lt_unloaded *u, const char *symbols);
char *lt_unloaded_modules(const struct lt_unloaded *u, const char *modules);

/*
 * cgroups.c: the text CGROUPS, to be freed; NULL: there is no hierarchy of version 2.
 */
char *lt_record_cgroups(void);

/* child.c: the command, and signals */
int lt_record_find_command(const struct lt_record_options *o);
/* Those that stop a recording, and that of children; lt_record_signals() blocks them. */
void lt_record_stop_set(sigset_t *set);
/* @tap: it takes SIGUSR2. Return: a descriptor of signals, or -1 after lt_error(). */
int lt_record_signals(bool tap);
int lt_record_fork(struct lt_record_command *c, const struct lt_record_options *o);
/* @name: of the command */
void lt_record_go(struct lt_record_command *c, const char *name);
/* The two halves of it: to start it, and to wait until it is known whether it can be executed. */
void lt_record_let_go(struct lt_record_command *c, const char *name);
void lt_record_started(struct lt_record_command *c, const char *name);
void lt_record_on_signal(struct lt_recording *r);
/* Return: the command has ended just now. */
bool lt_record_reap(struct lt_record_command *c);
/* Ends a command that is still running by SIGTERM. */
void lt_record_end_command(struct lt_record_command *c, const struct lt_record_options *o);
/* The exit status of one that has ended, as a shell says it. */
int lt_record_command_status(const struct lt_record_command *c);

/* summary.c */
void lt_record_progress(struct lt_recording *r, uint64_t now);
void lt_record_progress_end(struct lt_record_shown *shown);
void lt_record_summary(const struct lt_recording *r);
const char *lt_record_stop_reason(enum lt_stop stop);
/* How the command ended. */
void lt_record_say_command(const struct lt_record_command *c, const struct lt_record_options *o);
void lt_record_next(const struct lt_record_file *f, const struct lt_record_texts *t,
		    const struct lt_record_options *o);

#endif /* LT_RECORD_INTERNAL_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a flight recorder, for the files of this folder.
 */
#ifndef LT_FLIGHT_INTERNAL_H
#define LT_FLIGHT_INTERNAL_H

#include <sys/types.h>

#include "flight/alive.h"
#include "flight/flight.h"
#include "flight/window.h"
#include "record/internal.h"

#define LT_FLIGHT_CLIENTS	16
#define LT_FLIGHT_EXECS		8

enum lt_flight_state {
	LT_FLIGHT_WAITING,	/* for a trigger */
	LT_FLIGHT_AFTER,	/* what follows the trigger is still to come */
	LT_FLIGHT_WRITING,	/* the child is */
};

/* Who has asked for a snapshot. */
struct lt_flight_client {
	int fd;			/* -1: none */
	bool waits;		/* for the snapshot that is being made */
};

/**
 * struct lt_flight - the recorder
 * @tap, @sink: what the recording calls; the sink only for triggers on what is alive
 * @watch: of the sink
 * @window: packets and table
 * @readings: of the clocks, which the window needs: the latest one before it, and those since
 * @schema: of the packets
 * @epoll: has all descriptors below but @pressure
 * @listener: the socket for requests; -1: none
 * @reports: the module's file trigger; -1: it has none
 * @reported: number of the latest trigger there
 * @log, @pressure: /dev/kmsg, and a trigger of /proc/pressure/memory by number; -1: not needed
 * @number: of the next file
 * @written: snapshots so far
 * @cause: why the present one is made
 * @cause_clock: when, in clock units; 0: not known
 * @also: causes that came while it was made ready: lines of its text PART
 * @marker: a cause in a packet that is being read; empty: none
 * @marker_clock: its time, clock units
 * @missed: triggers since the latest snapshot that caused none
 * @missed_in_file: those before, which are counted in the file that is being written
 * @deadline_ns: when "after" ends
 * @ready_ns: no snapshot before this time
 * @tasks_ns: a snapshot of all tasks is awaited up to this time; 0: it is not
 * @until: everything before this time is in the snapshot, clock units
 * @path: of the file that is being written
 * @writer: the child that writes it; 0: none
 * @work, @work_ns: what it had done, and when that was seen to change
 * @execs: commands that run; 0: none
 * @next_flush_ns, @flush_ns: when, how often
 * @next_second_ns, @next_look_ns: when rates, and what is alive, are looked at
 * @names_ns: when the paths of cgroups were read
 * @second_ns: when rates were looked at; at first, when the session began
 * @looked: they were
 * @seen, @lost, @failed: counters then
 * @oom_score_adj: of the recorder before it was protected
 * @said_short, @said_full: were printed
 * @flush_error: errno with which the module has refused a flush; 0: none
 * @flush_failed_ns: when that was
 */
struct lt_flight {
	struct lt_record_tap tap;
	struct lt_sink sink;
	struct lt_alive_watch *watch;
	struct lt_flight_options *opts;
	struct lt_recording *r;
	struct lt_window window;
	struct lt_clock_reading *readings;
	size_t n_readings;
	size_t cap_readings;
	struct lt_schema *schema;
	enum lt_flight_state state;
	int epoll;
	int listener;
	int reports;
	uint64_t reported;
	int log;
	int pressure[LT_TRIGGERS];
	struct lt_flight_client clients[LT_FLIGHT_CLIENTS];
	unsigned int number;
	uint64_t written;
	char cause[LT_FLIGHT_TEXT + 64];
	uint64_t cause_clock;
	char also[4096];
	char marker[LT_FLIGHT_TEXT];
	uint64_t marker_clock;
	uint64_t missed;
	uint64_t missed_in_file;
	uint64_t deadline_ns;
	uint64_t ready_ns;
	uint64_t tasks_ns;
	uint64_t until;
	char *path;
	pid_t writer;
	uint64_t work;
	uint64_t work_ns;
	pid_t execs[LT_FLIGHT_EXECS];
	uint64_t next_flush_ns;
	uint64_t flush_ns;
	uint64_t next_second_ns;
	uint64_t next_look_ns;
	uint64_t names_ns;
	uint64_t second_ns;
	bool looked;
	uint64_t seen;
	uint64_t lost;
	uint64_t failed;
	char oom_score_adj[16];
	bool said_short;
	bool said_full;
	int flush_error;
	uint64_t flush_failed_ns;
};

/* Which descriptor is ready: the data of its epoll entry. */
enum {
	LT_FLIGHT_FD_LISTENER,
	LT_FLIGHT_FD_REPORTS,
	LT_FLIGHT_FD_LOG,
	LT_FLIGHT_FD_CLIENT,	/* and the number of it */
};

/* fire.c */

/*
 * Something has happened. @clock: when, in clock units; 0: just now. Return: whether the present
 * snapshot, or a new one, is about it.
 */
bool lt_flight_fire(struct lt_flight *f, uint64_t now, uint64_t clock, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Adds a descriptor to the epoll. */
int lt_flight_poll(struct lt_flight *f, int fd, uint32_t events, unsigned int what);

/* file.c */

/* Takes a reading of the clocks, and forgets those that the window has left behind. */
void lt_flight_reading(struct lt_flight *f, const struct lt_clock_reading *reading);

/* snapshot.c */

/* Whether "after" is over. */
bool lt_flight_is_due(struct lt_flight *f, uint64_t now);
/*
 * Why the process must not be forked, to be freed: it has other threads. NULL: it may be. The
 * recorder starts no thread; a preloaded library may.
 */
char *lt_flight_cannot_fork(void);
/* Forks the child that writes the window to a file. A process with other threads is not forked. */
void lt_flight_write(struct lt_flight *f, uint64_t now);
/*
 * Finds out whether the child has written it; @wait: waits for that, as long as the child does
 * anything. One that does nothing for two minutes is killed, and the snapshot given up.
 */
void lt_flight_reap(struct lt_flight *f, bool wait);
/* Closes all open packets, and reads them. Return: 0 or -1. */
int lt_flight_flush(struct lt_flight *f);
/* The number behind the greatest one that a file with the prefix has. */
unsigned int lt_flight_next_number(const char *prefix);

/* file.c */

/**
 * struct lt_flight_texts - what the module says when a snapshot ends
 * @clock, @stats: its files
 * @counts: calls of each function until then
 *
 * NULL: it says nothing.
 */
struct lt_flight_texts {
	char *clock;
	char *stats;
	char *counts;
};

/* In the child: writes the file. Return: 0, or -1 after lt_error(). */
int lt_flight_file(struct lt_flight *f, const struct lt_flight_texts *texts);

/* exec.c: the command after a snapshot */
void lt_flight_exec(struct lt_flight *f);
void lt_flight_reap_execs(struct lt_flight *f);
/*
 * After the recording, which has blocked the signals: waits for the commands that still run, until
 * one of the signals comes.
 */
void lt_flight_end_execs(struct lt_flight *f, uint64_t limit_ns, bool quiet);

/* sense.c: triggers that come from elsewhere than a descriptor of the control socket */
int lt_flight_sense_begin(struct lt_flight *f);
void lt_flight_sense(struct lt_flight *f, uint64_t now);
void lt_flight_sense_end(struct lt_flight *f);
/* The packet's markers. */
void lt_flight_sense_packet(struct lt_flight *f, const struct lt_packet *p);

/* kernel.c: what the kernel reports, by the module or in its log */
int lt_flight_kernel_begin(struct lt_flight *f);
void lt_flight_take_reports(struct lt_flight *f, uint64_t now);
void lt_flight_take_log(struct lt_flight *f, uint64_t now);
void lt_flight_kernel_end(struct lt_flight *f);

/* control.c: the socket for requests */
void lt_flight_control_begin(struct lt_flight *f);
void lt_flight_control_end(struct lt_flight *f);
void lt_flight_accept(struct lt_flight *f);
void lt_flight_read_client(struct lt_flight *f, unsigned int i, uint64_t now);
/* Answers all that wait. */
void lt_flight_answer(struct lt_flight *f, const char *answer);

#endif /* LT_FLIGHT_INTERNAL_H */

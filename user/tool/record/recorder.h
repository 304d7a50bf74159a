/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recording: runs a session of the module, drains its packets to a file, feeds a sink.
 */
#ifndef LT_RECORD_RECORDER_H
#define LT_RECORD_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/sink.h"

/* --stacks, where the module says that a stack costs little. */
#define LT_DEFAULT_STACKS	"64"

struct lt_clock_reading;
struct lt_packet;
struct lt_recording;

/**
 * struct lt_record_tap - gets the packets of a recording as they are read
 * @begin: before the first packet; the recording is in record/internal.h
 * @packet: a packet, before the counts of its stream are those of the packet
 * @reading: NULL, or: a reading of the clocks that a file needs, the first one before @begin
 * @step: called often, at least every 100 ms
 * @signal: SIGUSR2 has come
 * @stop: the session will be stopped; it is still recording unless the module has stopped it
 * @end: the last call, once for each @begin that was called
 * @fd: @step is called soon when this can be read; -1: none
 *
 * @begin and @step return 0, or -1 after lt_error(): then the recording is stopped; so it is if
 * @step returns 1, which is no failure.
 */
struct lt_record_tap {
	int (*begin)(struct lt_record_tap *tap, struct lt_recording *r);
	void (*packet)(struct lt_record_tap *tap, const struct lt_packet *p);
	void (*reading)(struct lt_record_tap *tap, const struct lt_clock_reading *reading);
	int (*step)(struct lt_record_tap *tap, uint64_t now);
	void (*signal)(struct lt_record_tap *tap);
	void (*stop)(struct lt_record_tap *tap);
	void (*end)(struct lt_record_tap *tap);
	int fd;
};

/**
 * struct lt_record_options - what and how to record; all zero is a valid default
 * @engine: what records, of lt_record_engines (record/choose.h); NULL: the module
 * @any_engine: with that: another one where there is no module
 * @says_engine: that it is another one is said also if @quiet
 * @output: trace file, NULL: none; "-": standard output, which the command does not get then
 * @force: replace a file that is not a trace
 * @zstd: compress packets
 * @events, @clock, @subbuf_size, @n_subbufs, @pid_subbuf_size, @pid_n_subbufs,
 *	@min_size, @sample, @stacks, @stack_min, @stack_depth, @stacks_free, @stacks_pages,
 *	@calls, @calls32, @call_errors, @call_min, @call_texts, @call_texts32:
 *	parameters of the module, as text; NULL: the default, of the buffers what the module
 *	has. Refused if a session is already recording.
 * @budget: part of the time of all CPUs that the recording may cost; @sample is that at the begin.
 *	0: any
 * @no_stacks: record no stacks, also where LT_DEFAULT_STACKS would be recorded without @stacks
 * @max_alloc, @only_caches, @only_pid, @only_cgroup: which births to keep; parameters, too
 * @only_code: names of functions and modules, whose births to keep; NULL: of all
 * @only_command: keep the births of the command and of what it creates only
 * @counters: bit N: read the performance counter N of each task (enum lt_counter);
 *	@counters_user: in user mode alone
 * @functions: @n_functions specs of functions whose calls are recorded (fetch/spec.h); @events has
 *	"call" then
 * @function_min_ns: only calls that take at least this time; 0: all
 * @function_depth: only calls in fewer than so many others of their thread; 0: all
 * @duration_ns: stop after this time, 0: no limit
 * @snapshot_ns: take a snapshot of all tasks this often, 0: at start and end only
 * @rotate_ns, @rotate_bytes: begin a new file after this time, or when the present one has so many
 *	bytes; 0 both: @output is one file. Otherwise it is a directory.
 * @keep: with these, bytes of all files at the most; 0: any
 * @keep_free: with these, percent of the file system that stay free; 0: any
 * @max_size: stop before the file has more bytes than this, but for texts, 0: no limit
 * @overwrite: let the module overwrite the oldest packets, and read what is left at the end
 * @freeze: with @overwrite: stop when a trigger comes
 * @coverage: read the slab counters at start and end
 * @shrink: shrink all slab caches before each reading
 * @page_kinds: count the pages by kind at each reading, too
 * @quiet: no progress line, no summary
 * @command: run this command and stop when it ends; NULL: record until a signal
 * @dir: the module's directory, NULL: below /sys/kernel/debug
 * @command_line: as typed, for the INFO block; NULL: left out
 * @tap: gets the packets; NULL: none
 * @recorded: NULL, or whether @output is this recording now, whatever failed later
 */
struct lt_record_options {
	const char *engine;
	bool any_engine;
	bool says_engine;
	const char *output;
	bool force;
	bool zstd;
	const char *events;
	const char *clock;
	const char *subbuf_size;
	const char *n_subbufs;
	const char *pid_subbuf_size;
	const char *pid_n_subbufs;
	const char *min_size;
	const char *sample;
	double budget;
	const char *stacks;
	bool no_stacks;
	const char *stack_min;
	const char *stack_depth;
	const char *stacks_free;
	const char *stacks_pages;
	const char *max_alloc;
	const char *only_caches;
	const char *only_code;
	const char *only_pid;
	const char *only_cgroup;
	bool only_command;
	unsigned int counters;
	unsigned int counters_user;
	const char *calls;
	const char *calls32;
	const char *call_errors;
	const char *call_min;
	const char *call_texts;
	const char *call_texts32;
	const char **functions;
	size_t n_functions;
	uint64_t function_min_ns;
	uint16_t function_depth;
	uint64_t duration_ns;
	uint64_t snapshot_ns;
	uint64_t rotate_ns;
	uint64_t rotate_bytes;
	uint64_t keep;
	unsigned int keep_free;
	uint64_t max_size;
	bool overwrite;
	bool freeze;
	bool coverage;
	bool shrink;
	bool page_kinds;
	bool quiet;
	char **command;
	const char *dir;
	const char *command_line;
	struct lt_record_tap *tap;
	bool *recorded;
};

/**
 * lt_record_run() - make a recording, from start to end
 * @sink: gets the events while they are recorded; NULL: none
 * Return: an exit status: LT_EXIT_BAD, after printing why, if anything failed (the file has
 * everything that could be saved then); otherwise that of the command, 128 plus the number of
 * a signal that ended it, or LT_EXIT_OK if the recording ended first.
 */
int lt_record_run(const struct lt_record_options *opts, struct lt_sink *sink);

/**
 * lt_record_functions_of_boot() - the functions of the options, for the module of the next boots
 * Return: what LT_CALL_BOOT_FILE of the running kernel holds, to be freed; NULL after lt_error().
 */
void *lt_record_functions_of_boot(const struct lt_record_options *o, size_t *size);

#endif /* LT_RECORD_RECORDER_H */

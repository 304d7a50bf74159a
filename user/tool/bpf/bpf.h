/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The BPF programs that record where no module may be loaded: loading, attaching, reading their
 * records (bpf/raw.h), and what they lost.
 *
 *	b = lt_bpf_open(&options, &why);		loads; nothing is recorded yet
 *	lt_bpf_attach(b, &why);			frees first, then births
 *	while (...) {				each 10 to 50 ms
 *		lt_bpf_poll(b);
 *		for each channel and CPU:
 *			lt_bpf_lost(b, channel, cpu, &lost);
 *			lt_bpf_read(b, channel, cpu, take, arg);
 *	}
 *	lt_bpf_detach(b);			then the same once more: the rest, and exact counts
 *	lt_bpf_close(b);
 *
 * All that is recorded hangs on descriptors of this process: when it dies, the kernel detaches and
 * frees everything. Nothing here prints. One thread uses a struct lt_bpf at a time.
 */
#ifndef LT_BPF_BPF_H
#define LT_BPF_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/lifetrace.h"
#include "base/why.h"
#include "bpf/asked.h"
#include "bpf/raw.h"

struct lt_bpf;

/* Was this program built with libbpf? */
bool lt_bpf_built(void);

/**
 * struct lt_bpf_options - what to record
 * @channels: bit N: channel N; kmem, pid, syscall and area are known
 * @wanted: asked for each event of a channel, by its name; NULL: all
 * @arg: of @wanted
 * @sample: keep one address in so many; 0, 1: all
 * @min_size, @max_size: bytes of births that are kept; 0: all
 * @only_pid: keep the births of a process and of what it creates; 0: all
 * @only_cgroup: path of a cgroup of version 2 whose births are kept; NULL: all
 * @stacks: one address in so many has a stack; 0: none
 * @stack_min: bytes of births with stacks
 * @stack_depth: frames, at most LT_RAW_STACK_FRAMES
 * @by_number: keep system calls whose bit is set in @chosen, of the machine's ABI and of that of 32
 *	bits
 * @call_errors: keep those that fail
 * @call_min: keep those that take so many ns; 0: all
 * @ring_bytes: of a CPU, by channel; 0: 4 MiB, of pid and area 1 MiB. Rounded up to a power of two
 * @copies: of each program; 0: as many as this kernel needs
 * @notes_by_key: copies leave their notes as where tracepoints are preemptible; for tests
 */
struct lt_bpf_options {
	unsigned int channels;
	bool (*wanted)(void *arg, unsigned int channel, const char *event);
	void *arg;
	unsigned int sample;
	uint64_t min_size;
	uint64_t max_size;
	uint32_t only_pid;
	const char *only_cgroup;
	unsigned int stacks;
	uint64_t stack_min;
	unsigned int stack_depth;
	bool by_number;
	uint64_t chosen[2][512 / 64];
	bool call_errors;
	uint64_t call_min;
	size_t ring_bytes[LT_N_CHANNELS + 1];
	unsigned int copies;
	bool notes_by_key;
};

/**
 * struct lt_bpf_event - an event, for the text EVENTS and for doctor
 * @channel: enum lt_channel_id
 * @name: as the module calls it
 * @kind: "tracepoint", or "function"
 * @symbol: where its program is attached
 * @watched: its programs are loaded; after lt_bpf_attach(): attached
 * @reason: why not, with the verifier's words where it refuses; "": it is
 */
struct lt_bpf_event {
	unsigned int channel;
	const char *name;
	const char *kind;
	const char *symbol;
	bool watched;
	char reason[200];
};

/**
 * lt_bpf_open() - load the programs
 * @o: what to record
 * @why: set on failure: nothing can be recorded here
 *
 * An event whose programs this kernel does not take is not watched; its reason says why.
 * Return: NULL on failure.
 */
struct lt_bpf *lt_bpf_open(const struct lt_bpf_options *o, struct lt_why *why);

/**
 * struct lt_bpf_proof - an event in the self-test
 * @event: its name
 * @asked: the self-test has an action that makes such events; else the rest is of no use
 * @expected: so many, or more
 * @seen: records of them
 * @good: it is so
 */
struct lt_bpf_proof {
	const char *event;
	bool asked;
	uint64_t expected;
	uint64_t seen;
	bool good;
};

/**
 * lt_bpf_selftest() - prove the programs by known actions of a child, in a session of their own
 * @o: which are meant
 * @proofs: result, of each event that is watched
 * @n: room in @proofs; becomes their number
 * @why: set on failure
 *
 * Return: false: the self-test could not be made, or not wholly.
 */
bool lt_bpf_selftest(const struct lt_bpf_options *o, struct lt_bpf_proof *proofs, size_t *n,
		     struct lt_why *why);

/* Attaches. Return: false after setting @why, with nothing attached. */
bool lt_bpf_attach(struct lt_bpf *b, struct lt_why *why);

/* Detaches, and waits until no program runs. The next poll gives the rest. */
void lt_bpf_detach(struct lt_bpf *b);

/* NULL is none. */
void lt_bpf_close(struct lt_bpf *b);

/* All events of the channels, watched or not. */
size_t lt_bpf_n_events(const struct lt_bpf *b);
const struct lt_bpf_event *lt_bpf_event(const struct lt_bpf *b, size_t i);

/* Has the kernel this function, by its types? */
bool lt_bpf_has_function(const struct lt_bpf *b, const char *name);

/* Rings there are for all CPUs that may come. */
unsigned int lt_bpf_n_cpus(const struct lt_bpf *b);

/* Copies of each program, and whether each record says in which context it was written. */
unsigned int lt_bpf_copies(const struct lt_bpf *b);
bool lt_bpf_has_context(const struct lt_bpf *b);

/* ------------------------------------------------------------------------
 * Reading
 */

/*
 * Looks where the rings end, and how many events were lost. What lt_bpf_read() gives then, and what
 * lt_bpf_lost() says, is as of the poll before: a copy of a program may still be about to write
 * what the first one missed. After lt_bpf_detach(), it is as of now.
 *
 * Return: false: a copy has not written yet what the first one missed, and nothing new is given.
 * This lasts for half a second at the most; then it is lost.
 */
bool lt_bpf_poll(struct lt_bpf *b);

/* Takes a record. It is valid during the call. */
typedef void lt_bpf_take(void *arg, const struct lt_raw *r);

/**
 * lt_bpf_read() - the records of a ring, in their order
 * @b: polled
 * @channel: enum lt_channel_id
 * @cpu: below lt_bpf_n_cpus()
 * @take: gets each record
 * @arg: of @take
 *
 * Return: how many records there were; -1: the ring is damaged.
 */
long lt_bpf_read(struct lt_bpf *b, unsigned int channel, uint32_t cpu, lt_bpf_take *take,
		 void *arg);

/* Has a ring more records than lt_bpf_read() gave, the next of which is not whole yet? */
bool lt_bpf_is_held(struct lt_bpf *b, unsigned int channel, uint32_t cpu);

/**
 * lt_bpf_counts() - cumulative counts of a ring
 * @b: polled
 * @channel: enum lt_channel_id
 * @cpu: below lt_bpf_n_cpus()
 * @counts: by LT_CLASS_INDEX(); seen = written + lost_full + lost_nested + filtered
 *
 * Where the kernel does not show on which CPU programs were skipped, @lost_nested is 0 here, and
 * lt_bpf_skipped() has it.
 */
void lt_bpf_counts(struct lt_bpf *b, unsigned int channel, uint32_t cpu,
		   struct lt_class_counts counts[LT_N_CLASSES]);

/* Events of a class that no copy has seen, on all CPUs; see lt_bpf_poll(). */
uint64_t lt_bpf_skipped(const struct lt_bpf *b, unsigned int class);

/*
 * Events that have no class: how many are lost, on all CPUs, now. One that is just between two
 * copies is counted too much. @event: its name
 */
uint64_t lt_bpf_unclassed(const struct lt_bpf *b, const char *event);

/**
 * struct lt_bpf_copies - how an event's copies did
 * @runs: events that each copy took
 * @missed: calls that the kernel skipped, of each copy
 * @passed: events that copy 0 left to the others, or that came before it was attached
 */
struct lt_bpf_copies {
	uint64_t runs[3];
	uint64_t missed[3];
	uint64_t passed;
};

/* Of event @i, on all CPUs, now. */
void lt_bpf_event_copies(struct lt_bpf *b, size_t i, struct lt_bpf_copies *c);

/* ------------------------------------------------------------------------
 * What records refer to
 */

/*
 * Calls @row for each task that there is, thread by thread: those of this process's pid namespace.
 * It is no atomic look. Return: how many; -1 after setting @why.
 */
typedef void lt_bpf_task_row(void *arg, const struct lt_bpf_task *task);

long lt_bpf_tasks(struct lt_bpf *b, lt_bpf_task_row *row, void *arg, struct lt_why *why);

/* Calls @row for each number that a task has in a namespace within the initial one. */
typedef void lt_bpf_number_row(void *arg, const struct lt_bpf_task_number *number);

long lt_bpf_task_numbers(struct lt_bpf *b, lt_bpf_number_row *row, void *arg, struct lt_why *why);

/* The letter of its state, as in /proc/PID/stat. */
char lt_bpf_state_letter(const struct lt_bpf_task *task);

/* The system calls that were open when the programs were detached. */
const struct lt_raw_sys_open *lt_bpf_open_calls(const struct lt_bpf *b, size_t *n);

/* Calls @row for each slab cache that there is. Return: -1: this kernel does not list them. */
typedef void lt_bpf_cache_row(void *arg, const struct lt_bpf_asked_cache *cache);

long lt_bpf_caches(struct lt_bpf *b, lt_bpf_cache_row *row, void *arg, struct lt_why *why);

/*
 * A slab cache, by its address. Return: false: there is no such cache any more, as far as that can
 * be seen: ask soon.
 */
bool lt_bpf_cache(struct lt_bpf *b, uint64_t addr, struct lt_bpf_asked_cache *cache);

/*
 * The page frame of a struct page, by its address. Return: false: that is not known here; then
 * events of pages are not watched.
 */
bool lt_bpf_pfn(const struct lt_bpf *b, uint64_t page, uint64_t *pfn);

#endif /* LT_BPF_BPF_H */

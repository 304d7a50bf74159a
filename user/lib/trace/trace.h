/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace, as a sequence of events in time order over all CPUs.
 *
 * A trace is read from a file, or its packets are pushed in while they are recorded; both
 * give one sequence of events. Memory is proportional to the numbers of streams, tasks and
 * caches and stacks, not to the length of the trace, but for 48 bytes a packet of a file.
 */
#ifndef LT_LIB_TRACE_H
#define LT_LIB_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/lifetrace.h"
#include "uapi/lifetrace_file.h"
#include "format/clock.h"
#include "format/dir.h"
#include "format/event.h"
#include "format/packet.h"
#include "format/schema.h"
#include "format/stack.h"
#include "trace/gaps.h"
#include "trace/sample.h"
#include "trace/where.h"

struct lt_trace;

/**
 * struct lt_cache - what a cache id means: a slab cache, or a device with coherent memory
 * @id: its number, as in struct lt_event: in records it has the id lt_trace_cache_id()
 * @ptr: address of the kernel's struct kmem_cache; of a device 0
 * @object_size: bytes, 0: not known
 * @size: bytes of a slot, 0: not known
 * @name: not necessarily UTF-8
 */
struct lt_cache {
	uint32_t id;
	uint64_t ptr;
	uint32_t object_size;
	uint32_t size;
	char name[65];
};

/**
 * lt_trace_open() - open a trace file
 * @path: the file
 *
 * Reads the texts and the directory of the packets (from the index, or by scanning the
 * file), no event yet.
 * Return: NULL if the file cannot be read, after lt_error().
 */
struct lt_trace *lt_trace_open(const char *path);

/**
 * lt_trace_live() - a trace whose packets are pushed in
 * @info: text of the INFO block
 * @schema: text of the SCHEMA block
 */
struct lt_trace *lt_trace_live(const char *info, const char *schema);

/**
 * lt_trace_add_text() - give a live trace another text
 * @type: enum lt_block_type: CLOCK and EVENTS at the start; SYMBOLS, MODULES and
 * SLAB when they are read
 * @text: is copied
 */
void lt_trace_add_text(struct lt_trace *t, unsigned int type, const char *text);

/**
 * lt_trace_replace_text() - give a trace a text in place of its last one of that type
 * @type: as for lt_trace_add_text(); if there is none of this type, the text is added
 * @text: is copied
 *
 * For texts that are read again and again: a recording of days would keep ever more of them. What
 * only the old text had is not known any more.
 */
void lt_trace_replace_text(struct lt_trace *t, unsigned int type, const char *text);

/**
 * lt_trace_push() - add one packet to a live trace
 * @t: the trace
 * @packet: @size bytes, which are copied; the packets of one stream must come in order
 * Return: 0, or -1 if it is not a valid packet, after lt_error().
 */
int lt_trace_push(struct lt_trace *t, const void *packet, size_t size);

/**
 * lt_trace_watermark() - declare that all events up to a time have been pushed
 * @clock: in clock units of the trace; UINT64_MAX: that was all
 */
void lt_trace_watermark(struct lt_trace *t, uint64_t clock);

/* As lt_trace_watermark(), with the time in ns on the trace's clock; later events will come. */
void lt_trace_watermark_ns(struct lt_trace *t, uint64_t ns);

/* Events of a live trace that came after later ones had been read; their times were changed. */
uint64_t lt_trace_late(const struct lt_trace *t);

/**
 * lt_trace_next() - the next event in time order, for lt_trace_pass()
 * Every record is an event, also those of class LT_CLASS_NONE, which describe a task or a
 * cache (LT_EV_TASK, LT_EV_CACHE, LT_EV_CACHE_GONE).
 * Events of equal time come in order of (cpu, channel, seq). @ev is valid until
 * the next call; ev->task until lt_trace_close(). Time never decreases.
 * Return: 1; 0 at the end (live: at the watermark).
 */
int lt_trace_next(struct lt_trace *t, struct lt_event *ev);

/**
 * lt_trace_next_some() - the next events, for lt_trace_pass()
 * @evs: room for @max events; @raw is valid only of a marker, which is always the last
 * @n: their number, perhaps 0
 *
 * Equivalent to @n calls of lt_trace_next(), for callers that look ahead. The other state
 * of the trace (gaps, caches, names of tasks) does not change between these events, which
 * is why their number varies.
 *
 * Return: what the last lt_trace_next() returned.
 */
int lt_trace_next_some(struct lt_trace *t, struct lt_event *evs, size_t max, size_t *n);

struct lt_plain_event;

/**
 * lt_trace_next_plain() - the next events, as far as they are in a short form, or else have a form
 * @evs: room for @max of them
 * @sites: also those that announce a site
 *
 * As lt_trace_next_some(), in place of which it may be called; but it returns nothing if the next
 * event is another one, or the last. Return: their number.
 */
size_t lt_trace_next_plain(struct lt_trace *t, struct lt_plain_event *evs, size_t max, bool sites);

/*
 * One of these events, as lt_trace_next_some() has it, but without a number; before others are
 * taken.
 */
void lt_trace_whole_event(struct lt_trace *t, const struct lt_plain_event *plain,
			  struct lt_event *ev);

/*
 * Numbers that change whenever a cache is described, or is about to be destroyed, and whenever a
 * task gets another name or process: until then, what lt_trace_form() says of a form, and who a
 * task is, hold.
 */
uint64_t lt_trace_cache_changes(const struct lt_trace *t);
uint64_t lt_trace_task_changes(const struct lt_trace *t);

/*
 * What all events of a form have in common, with the cache that its id means from @time on; what an
 * event has of its own is not set. Return: false: the id means different caches at different times.
 */
bool lt_trace_form(const struct lt_trace *t, uint32_t form, uint64_t time, struct lt_event *ev);

/*
 * A form as it was recorded, with the id of its cache.
 * @desc: NULL, or gets the event that its records are completed to
 */
const struct lt_event *lt_trace_form_recorded(const struct lt_trace *t, uint32_t form,
					      const struct lt_event_desc **desc);

/**
 * struct lt_trace_carried - what is known of an event from before the trace
 * @why: enum lt_state_why: why it is not certain that its object was alive
 * @split: the page block is a part of a larger one
 */
struct lt_trace_carried {
	uint8_t why;
	bool split;
};

/**
 * lt_trace_carried() - an event from before the trace: what was alive at its begin
 * @ev, @carried: the event, valid until the next call
 *
 * Before the first lt_trace_next(). Events come in order of time, all before lt_trace_cut(): births
 * of what was alive, and what was undecided about it. Of a recording that was cut, each file but
 * the first carries them (block STATE). They are no events of the trace, and count nowhere.
 * Return: 1; 0: that was all, or the trace begins with the session.
 */
int lt_trace_carried(struct lt_trace *t, struct lt_event *ev, struct lt_trace_carried *carried);

/**
 * struct lt_missing - parts of a recording that are not among the files
 * @from, @to: their time, ns
 * @part: of the directory: index of the part behind them
 * @lost: by channel: packets are missing
 * @healed: allocations are lost, but the part behind says what was alive
 */
struct lt_missing {
	uint64_t from;
	uint64_t to;
	size_t part;
	bool lost[LT_N_CHANNELS + 1];
	bool healed;
};

/* The first missing parts that end after @time and are @healed; NULL: there are none. */
const struct lt_missing *lt_trace_missing_parts(const struct lt_trace *t, uint64_t time);

/**
 * lt_trace_state_begin() - take what was alive behind missing parts
 * @m: the parts
 *
 * When the first event behind them was taken, or all events were. After it lt_trace_carried() hands
 * out what was alive then, to its end, and lt_trace_gap_end() of each space of memory is as if the
 * trace began there: missing parts are no gap to who knows what was alive behind them.
 */
void lt_trace_state_begin(struct lt_trace *t, const struct lt_missing *m);

/* All was taken. Return: false: it is damaged, and the missing parts are a gap as before. */
bool lt_trace_state_end(struct lt_trace *t);

/* Where a trace begins that was cut off what was before it, ns; 0: at the start of the session. */
uint64_t lt_trace_cut(const struct lt_trace *t);

/*
 * Before the first lt_trace_next(): events come stream by stream, each in its own
 * order, instead of in order of time. Gaps have no meaning then. Of a file, all caches are
 * known from the first event on, wherever they are announced.
 */
void lt_trace_raw_order(struct lt_trace *t);

/**
 * lt_trace_incomplete() - what the trace lacks for want of an id or a place, in sentences
 * @i: 0 at first; the next call gives the next sentence
 * Return: @buf, or NULL: that was all.
 */
const char *lt_trace_incomplete(const struct lt_trace *t, unsigned int *i, char *buf, size_t size);
/* lt_trace_incomplete() of a text STATS; NULL: there is none. */
const char *lt_stats_incomplete(const char *stats, unsigned int *i, char *buf, size_t size);

/* The packet, and the event in the schema, of the event that was handed out last. */
const struct lt_packet *lt_trace_packet(const struct lt_trace *t);
const struct lt_event_desc *lt_trace_desc(const struct lt_trace *t);

void lt_trace_close(struct lt_trace *t);

/* The name of the file; of a live trace a word for messages. */
const char *lt_trace_path(const struct lt_trace *t);

/* Bytes of the file, and the directory of its packets; of a live trace 0 and empty. */
uint64_t lt_trace_size(const struct lt_trace *t);
const struct lt_dir *lt_trace_dir(const struct lt_trace *t);

/**
 * lt_trace_before() - the packet of a stream before the first one that a part has
 * @seq: its number
 * @counts: its counters
 * Return: false if there is none, or the trace does not begin with a part.
 */
bool lt_trace_before(const struct lt_trace *t, unsigned int channel, uint32_t cpu, uint64_t *seq,
		     struct lt_class_counts counts[LT_N_CLASSES]);

/* The name of the file that an offset of the directory is in. */
const char *lt_trace_place(const struct lt_trace *t, uint64_t offset);

bool lt_trace_is_live(const struct lt_trace *t);
const struct lt_clock *lt_trace_clock(const struct lt_trace *t);
/*
 * Until when, ns, times of different CPUs may be apart, since the kernel then declared the CPU's
 * counter unstable by which they are; 0: never. A file that is cut off lacks the text that says why
 * the counter was given up; then it counts that it was.
 */
uint64_t lt_trace_unordered_until(const struct lt_trace *t);
/* How many readings of the clocks were left out, because they contradict those before. */
uint64_t lt_trace_clocks_refused(const struct lt_trace *t);
/* The time of the last event, in units of the clock. */
uint64_t lt_trace_event_units(const struct lt_trace *t);

/*
 * The stack of that number, from struct lt_event. Equal stacks have one number in the trace.
 * That of an allocation of pages begins behind the page allocator's own functions.
 * Its frames are valid until lt_trace_close(). Without frames if there is none.
 */
struct lt_stack lt_trace_stack(const struct lt_trace *t, uint32_t number);

/* How many frames of the page allocator a stack begins with; its last frame is no such one. */
unsigned int lt_trace_own_frames(const struct lt_trace *t, const struct lt_stack *stack);

/*
 * The task (@tid, @start), as far as the records so far describe it; NULL: they do not. Where
 * system calls or calls of functions were recorded, also tasks that snapshots and births alone
 * describe.
 */
const struct lt_task *lt_trace_task(const struct lt_trace *t, uint32_t tid, uint64_t start);

/*
 * The number of a cache is its id in the records. Where that meant another cache before, the reader
 * gives it a number from LT_FIRST_LATER_CACHE on. Those from LT_FIRST_DEVICE on are of devices,
 * whose names the reader numbers as they occur; they have no sizes.
 */
#define LT_FIRST_LATER_CACHE	65536U
#define LT_FIRST_DEVICE		(1U << 28)

const struct lt_cache *lt_trace_cache(const struct lt_trace *t, uint32_t number);
size_t lt_trace_n_caches(const struct lt_trace *t);	/* slab caches: numbers are below this */

/* What an id of the records means at a time, ns; NULL: not known. */
const struct lt_cache *lt_trace_cache_at(const struct lt_trace *t, uint64_t id, uint64_t time);

/* The id of a cache in the records. */
uint32_t lt_trace_cache_id(const struct lt_trace *t, uint32_t number);

/* From when on its id means the cache, 0: from the begin; and when it went, UINT64_MAX: not yet. */
uint64_t lt_trace_cache_begin(const struct lt_trace *t, uint32_t number, uint64_t *gone);

/*
 * Texts: of blocks of a type, NULL: there is none. n counts from 0, SIZE_MAX:
 * the last. Zero-terminated; may hold bytes that are not UTF-8.
 */
const char *lt_trace_text(const struct lt_trace *t, unsigned int block_type, size_t n);
size_t lt_trace_n_texts(const struct lt_trace *t);	/* of all types */
/* Becomes another one when a live trace is given a text. */
uint64_t lt_trace_text_changes(const struct lt_trace *t);

/* The value of a key in the INFO block, or NULL. Valid until the next call. */
const char *lt_trace_info(const struct lt_trace *t, const char *key);

/* Whether it was recorded with stacks, or with those of pages, as far as INFO says. */
bool lt_trace_has_stacks(const struct lt_trace *t);
bool lt_trace_has_page_stacks(const struct lt_trace *t);

/*
 * The thread group of the program that recorded the trace, by INFO; 0: not known. Its events
 * are in the trace like those of any other task.
 */
uint32_t lt_trace_recorder(const struct lt_trace *t);

/*
 * Whether a text of the trace is damaged, or may have stood in a damaged part of the file.
 * A whole file without the text never had it.
 */
bool lt_text_is_damaged(const struct lt_trace *t, unsigned int block_type);

/*
 * Whether, by a line of EVENTS, the event @name was not watched during the session; @why is
 * the reason then, or empty.
 */
bool lt_line_unwatched(const char *line, size_t len, const char *name, char *why, size_t size);

/* log2 of the page size: by INFO, else by the headers of packets, else 12. */
unsigned int lt_trace_page_shift(const struct lt_trace *t);

/*
 * The number of the streams whose events are of no CPU, such as markers; LT_ANY_CPU: there are
 * none.
 */
uint32_t lt_trace_no_cpu(const struct lt_trace *t);

/* Time in ns of the first packet's begin. */
uint64_t lt_trace_begin(const struct lt_trace *t);

/* ns from there to @time, as in --from and in what is printed; 0 if it was before. */
uint64_t lt_trace_since(const struct lt_trace *t, uint64_t time);

/**
 * lt_trace_end() - the end of a trace, ns: of its time span, its lifetimes and its tasks
 *
 * It is when the session was stopped. Where that is not known, or packets from before are
 * missing, it is the earliest of the ends of the streams, as far as they are in the file: what
 * is alive then is known, but for gaps. Events after the end may be in the trace, but say
 * nothing any more: others of that time are missing. Of a live trace, the end so far.
 */
uint64_t lt_trace_end(const struct lt_trace *t);

/*
 * Before the first lt_trace_next(): lt_trace_end() is this time, if the trace does not end before.
 * The events behind it come all the same, as those behind the end of any trace.
 */
void lt_trace_stop_at(struct lt_trace *t, uint64_t time);

/* lt_trace_end() without that. */
uint64_t lt_trace_whole_end(const struct lt_trace *t);

/*
 * Finds the time at which the first probe was detached in the counters of the module, in clock
 * units. The probes of a session are detached one after the other, those of allocations first.
 * Events after this time are recorded and counted, but a free among them may be of an object whose
 * birth is missing. False: the counters lack it, as the session was not stopped in order.
 */
bool lt_stats_stopped(const char *stats, uint64_t *clock);

/**
 * struct lt_left_out - what the recorder left out, because the file had its largest size
 * @max_size: bytes, the size that its user had allowed
 * @packets, @bytes: packets behind the last one of the file, and their contents
 */
struct lt_left_out {
	uint64_t max_size;
	uint64_t packets;
	uint64_t bytes;
};

/* Finds it in a line of the module's counters, where the recorder puts it. False: another line. */
bool lt_line_left_out(const char *line, size_t len, struct lt_left_out *left_out);

/* Sets that time of a live trace, in clock units, before its last events are taken. */
void lt_trace_set_stopped(struct lt_trace *t, uint64_t clock);

/* What the recorder left out of the trace's file; all 0: nothing. */
struct lt_left_out lt_trace_left_out(const struct lt_trace *t);

/* Wall-clock time, ns since 1970, of a trace time. */
uint64_t lt_trace_realtime(const struct lt_trace *t, uint64_t time);

/*
 * Whether a channel was recorded: INFO lists it, or there are packets of it. Frees the
 * value that lt_trace_info() returned last.
 */
bool lt_trace_has_channel(const struct lt_trace *t, unsigned int channel);

/* Counters of a class as of the last packet, summed over CPUs. */
struct lt_class_counts lt_trace_counts(const struct lt_trace *t, unsigned int class);

/*
 * Whether the oldest packets of a full buffer were overwritten (mode=flight): then numbers that
 * are missing before the first packet of a stream are no damage.
 */
bool lt_trace_overwrites(const struct lt_trace *t);

/* Events of a class that were in these packets, summed over CPUs. */
uint64_t lt_trace_overwritten(const struct lt_trace *t, unsigned int class);

/* Time in ns from which on nothing was overwritten in any stream. */
uint64_t lt_trace_window_begin(const struct lt_trace *t);

/*
 * Events of a class that were recorded, by the counters, but are in no packet that can be read:
 * they were lost behind the module (and not overwritten there). Valid when the trace was read to
 * its end.
 */
uint64_t lt_trace_class_missing(const struct lt_trace *t, unsigned int class);
/* The sum over all classes. */
uint64_t lt_trace_missing(const struct lt_trace *t);

/* Records of a class decoded so far, over all CPUs. */
uint64_t lt_trace_records(const struct lt_trace *t, unsigned int class);

/* Names, or NULL where the number is not in the trace's schema. */
const char *lt_trace_event_name(const struct lt_trace *t, unsigned int id);
const char *lt_trace_class_name(const struct lt_trace *t, unsigned int class);

/*
 * How many other caches were merged with one, as far as the trace says; and whether two names are
 * of caches that were.
 */
size_t lt_trace_merged(const struct lt_trace *t, const char *cache);
bool lt_trace_is_merged(const struct lt_trace *t, const char *cache, const char *other);

/* gfp flags by the names in the trace: "GFP_KERNEL|__GFP_ZERO". */
const char *lt_trace_gfp(const struct lt_trace *t, uint32_t gfp, char *buf, size_t size);

#endif /* LT_LIB_TRACE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Perfetto: the parts of the exporter. Private to this folder.
 *
 *	perfetto.c	the exporter; counters, markers and gaps
 *	heap.c		the heap profile
 *	long.c		the longest lifetimes as slices
 *	tasks.c		processes and threads
 *	syscalls.c	system calls
 *	requests.c	requests of io_uring
 *	calls.c		function calls
 *	packet.c	the messages that all of them write
 */
#ifndef LT_EXPORT_PERFETTO_H
#define LT_EXPORT_PERFETTO_H

#include "base/intern.h"
#include "export/pb.h"
#include "export/profile.h"

/* ------------------------------------------------------------------------
 * packet.c
 */

/* The unit of a counter, as Perfetto numbers them. */
enum lt_pf_unit { LT_PF_NOT_COUNTED = 0, LT_PF_COUNT = 2, LT_PF_BYTES = 3 };

/* What happens on a track, as Perfetto numbers it. */
enum lt_pf_type { LT_PF_BEGIN = 1, LT_PF_END = 2, LT_PF_INSTANT = 3, LT_PF_COUNTER = 4 };

/* Kinds of tracks, for LT_PF_TRACK(). */
enum lt_pf_kind {
	LT_PF_ROOT = 1,		/* n: enum lt_pf_root */
	LT_PF_PROCESS,		/* n: of the instance, as for threads */
	LT_PF_THREAD,
	LT_PF_CACHE,		/* n: number of its key */
	LT_PF_LONG,		/* the slices of a cache; n: as for the cache */
	LT_PF_LANE,		/* n: counted over all */
	LT_PF_GAPS,		/* n: of the lane */
	LT_PF_SYSCALLS,		/* n: as for the thread */
	LT_PF_REQUESTS,		/* n: counted over all lanes */
	LT_PF_CALLS,		/* n: of a group of calls */
};

enum lt_pf_root {
	LT_PF_MEMORY,		/* a process of its own, number 0 */
	LT_PF_COUNTERS,
	LT_PF_BYTES_ALIVE,
	LT_PF_OBJECTS_ALIVE,
	LT_PF_SLICES,
	LT_PF_MARKERS,
	LT_PF_LOST,
	LT_PF_STRAY_THREADS,
	LT_PF_ABOUT,
	LT_PF_OTHER_CALLS,
};

/* The number of a track: no two are alike, and none is 0. */
#define LT_PF_TRACK(kind, n)	((uint64_t)(n) << 4 | (kind))

/**
 * struct lt_pf_out - the file
 * @out: the output
 * @packet, @message, @part, @note: messages in the making
 * @text: a text in the making
 * @packets: how many were written
 */
struct lt_pf_out {
	struct lt_out out;
	struct lt_out text;
	struct lt_pb packet;
	struct lt_pb message;
	struct lt_pb part;
	struct lt_pb note;
	uint64_t packets;
};

void lt_pf_init(struct lt_pf_out *o, int fd, const char *name);
/* Return: as lt_out_close(). */
int lt_pf_close(struct lt_pf_out *o);

/* The first packet: how the clock of the trace relates to others. */
void lt_pf_clocks(struct lt_pf_out *o, const struct lt_trace *t);

/**
 * struct lt_pf_track - a track
 * @id: LT_PF_TRACK()
 * @parent: the track above; 0: none
 * @name: NULL: none of its own
 * @about: shown on request; NULL: nothing
 * @unit: what it counts, if it is a counter
 * @rank: its place among those of one parent; 0: any
 * @by_name: those below it are in the order of their names, not ranks
 * @process: it is a process: the name of it; NULL: it is none
 * @thread: it is a thread: the name of it; NULL: it is none
 * @pid: of a process, or of that of a thread
 * @tid: of a thread
 * @start: ns, of a process or a thread
 */
struct lt_pf_track {
	uint64_t id;
	uint64_t parent;
	const char *name;
	const char *about;
	enum lt_pf_unit unit;
	uint32_t rank;
	bool by_name;
	const char *process;
	const char *thread;
	uint32_t pid;
	uint32_t tid;
	uint64_t start;
};

/* Texts of it that are not UTF-8 are escaped. */
void lt_pf_track(struct lt_pf_out *o, const struct lt_pf_track *track);

/*
 * What the next event says besides its name; @name is a constant. A text of the trace is escaped;
 * one that is printable, such as the arguments of a call, may stay as it is.
 */
void lt_pf_note_printable(struct lt_pf_out *o, const char *name, const char *text);
void lt_pf_note(struct lt_pf_out *o, const char *name, const char *text);
void lt_pf_note_number(struct lt_pf_out *o, const char *name, uint64_t v);

/* Something happens on a track; @name: NULL: at its end. */
void lt_pf_event(struct lt_pf_out *o, enum lt_pf_type type, uint64_t track, uint64_t time,
		 const char *name);
void lt_pf_count(struct lt_pf_out *o, uint64_t track, uint64_t time, uint64_t value);

/* Of the message @o->message: to the interned data, or the profile, of a sequence. */
void lt_pf_interned(struct lt_pf_out *o);
void lt_pf_samples(struct lt_pf_out *o, uint64_t time);

/* A text as all of the file have it: in @o->text, without a zero behind it. */
void lt_pf_text(struct lt_pf_out *o, const char *s);

/**
 * struct lt_pf_lanes - tracks side by side, on each of which no two slices overlap
 * @ends: by lane: when its last slice ends
 * @n: their number
 * @cap: room
 */
struct lt_pf_lanes {
	uint64_t *ends;
	size_t n;
	size_t cap;
};

/*
 * The lane of a slice, which may be a new one: @n grows by one then. Slices come in the order of
 * their beginnings.
 */
size_t lt_pf_lane(struct lt_pf_lanes *lanes, uint64_t begin, uint64_t end);

/* ------------------------------------------------------------------------
 * heap.c
 */

/**
 * struct lt_pf_sum - what was allocated and ended with one stack
 * @bytes, @freed_bytes, @births, @ends: since the beginning
 * @changed: since it was written last
 */
struct lt_pf_sum {
	uint64_t bytes;
	uint64_t freed_bytes;
	uint64_t births;
	uint64_t ends;
	bool changed;
};

/**
 * struct lt_pf_heap - the heap profile
 * @functions, @modules: numbers of their names
 * @function_of: by the numbers of function and module
 * @frames: by function of a module, and offset
 * @stacks: by frame and the number of the caller's stack
 * @sums: by stack
 * @n_sums: length of @sums
 * @stack_of: numbers of the stacks of rows
 * @path: of a row
 * @ids: of the frames of a stack
 * @written: packets of samples
 */
struct lt_pf_heap {
	struct lt_names functions;
	struct lt_names modules;
	struct lt_intern function_of;
	struct lt_intern frames;
	struct lt_intern stacks;
	struct lt_pf_sum *sums;
	size_t n_sums;
	struct lt_row_numbers stack_of;
	struct lt_path path;
	uint32_t ids[LT_STACK_MAX + 1 + LT_N_LEVELS];
	uint64_t written;
};

void lt_pf_heap_init(struct lt_pf_heap *h);
void lt_pf_heap_destroy(struct lt_pf_heap *h);
void lt_pf_heap_step(struct lt_pf_heap *h, struct lt_pf_out *o, const struct lt_profile *p,
		     const struct lt_profile_step *s);
/* Writes what has changed since the last time. @name: what the heap is of. */
void lt_pf_heap_write(struct lt_pf_heap *h, struct lt_pf_out *o, uint64_t time, const char *name);

/* ------------------------------------------------------------------------
 * long.c
 */

struct lt_pf_kept;

/**
 * struct lt_pf_long - the longest lifetimes of each cache
 * @kept: by number of the cache
 * @n: length of @kept
 * @all: lifetimes that were looked at
 * @written: slices
 */
struct lt_pf_long {
	struct lt_pf_kept *kept;
	size_t n;
	uint64_t all;
	uint64_t written;
};

/* The name of the cache of a key, or of memory that has none; perhaps in @buf. */
const char *lt_pf_cache_name(const struct lt_profile *p, uint64_t key, char *buf, size_t size);

void lt_pf_long_destroy(struct lt_pf_long *l);
/* @cache: a small number. */
void lt_pf_long_add(struct lt_pf_long *l, uint32_t cache, const struct lt_lifetime *life);
/* All slices; @caches: by number the key of the cache. */
void lt_pf_long_write(struct lt_pf_long *l, struct lt_pf_out *o, const struct lt_profile *p,
		      const struct lt_intern *caches);

/* ------------------------------------------------------------------------
 * tasks.c
 */

/* Processes with their threads, and the life of each as a slice. */
void lt_pf_tasks_write(struct lt_pf_out *o, const struct lt_tasks *tb);

/* ------------------------------------------------------------------------
 * syscalls.c
 */

struct lt_pf_syscalls;

/* The tracks of the tasks have been written. */
struct lt_pf_syscalls *lt_pf_syscalls_new(struct lt_pf_out *o, const struct lt_export *e);
void lt_pf_syscalls_event(struct lt_pf_syscalls *c, const struct lt_event *ev);
/* Writes what is left, and frees; @c may be NULL. */
void lt_pf_syscalls_finish(struct lt_pf_syscalls *c);

/* ------------------------------------------------------------------------
 * requests.c
 */

struct lt_pf_requests;

/* As of calls. */
struct lt_pf_requests *lt_pf_requests_new(struct lt_pf_out *o, const struct lt_export *e);
void lt_pf_requests_event(struct lt_pf_requests *r, const struct lt_event *ev);
void lt_pf_requests_finish(struct lt_pf_requests *r);

/* ------------------------------------------------------------------------
 * calls.c
 */

struct lt_pf_calls;

/*
 * The tracks of the tasks have been written, if the trace has tasks. Return: NULL after lt_error():
 * a block FUNCTIONS is not valid.
 */
struct lt_pf_calls *lt_pf_calls_new(struct lt_pf_out *o, const struct lt_export *e);
/* All events of the trace: what calls allocated is in others. */
void lt_pf_calls_event(struct lt_pf_calls *c, const struct lt_event *ev);
void lt_pf_calls_finish(struct lt_pf_calls *c);

#endif /* LT_EXPORT_PERFETTO_H */

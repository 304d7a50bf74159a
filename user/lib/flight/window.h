/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The window of a flight recorder: the packets of the last seconds, and behind them what was
 * alive at their beginning.
 *
 * One time divides both, T0, for all streams. What happened before T0 is in the table of what
 * is alive; a packet with anything at T0 or behind it is kept. T0 moves forward as time
 * passes, and earlier where the packets would need more memory than they may have.
 *
 * T0 moves only as far as everything that happened before it was read, see
 * lt_window_complete(); events that a CPU had lost by then are known then, too.
 *
 * A flight recorder has no end: tasks and stacks that nothing in the window refers to any more are
 * forgotten from time to time. So a pointer to its trace, or to what is in it, is valid until the
 * next lt_window_tidy().
 */
#ifndef LT_FLIGHT_WINDOW_H
#define LT_FLIGHT_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flight/kept.h"
#include "lifetimes/lifetime.h"
#include "trace/trace.h"

#define LT_WINDOW_MIN	(4U << 20)	/* bytes of memory, at least */

/**
 * struct lt_window - the window; its members are read only outside of window.c
 * @trace: what has left the window, decoded
 * @lf: what of it is alive
 * @kept: the packets
 * @memory: bytes that packets and table may take
 * @length: how long it is to be, in clock units
 * @begin: of the first packet, clock units; 0: there was none
 * @t0: its beginning, in clock units; 0: the beginning of the session
 * @read: everything before this time was read, clock units
 * @read_before: the @read before
 * @alive: objects in the table
 * @most: the most of them since it was made, for which it has memory
 * @passed_packets, @passed_bytes: of the packets that have left the window
 * @bad: packets that could not be handed to the table
 * @known: tasks and stacks in @trace when what is dead was forgotten
 * @forgotten: how often that was
 * @held: T0 moves, or it is being done: no packet that comes moves T0
 * @busy: is called again and again meanwhile, which may be seconds; it may give packets, and is not
 *	called while an eighth of @memory is taken on top for them. NULL: nothing
 * @busy_arg: its argument
 */
struct lt_window {
	struct lt_trace *trace;
	struct lt_lifetimes *lf;
	struct lt_kept kept;
	size_t memory;
	uint64_t length;
	uint64_t begin;
	uint64_t t0;
	uint64_t read;
	uint64_t read_before;
	uint64_t alive;
	uint64_t most;
	uint64_t passed_packets;
	uint64_t passed_bytes;
	uint64_t bad;
	size_t known;
	uint64_t forgotten;
	bool held;
	void (*busy)(void *arg);
	void *busy_arg;
};

/**
 * lt_window_init() - an empty window
 * @info, @schema: texts of the session
 * @length_ns: how long it is to be
 * @memory: bytes, at least LT_WINDOW_MIN
 * @zstd: compress packets
 * Return: 0, or -1 after lt_error().
 */
int lt_window_init(struct lt_window *w, const char *info, const char *schema, uint64_t length_ns,
		   size_t memory, bool zstd);
void lt_window_destroy(struct lt_window *w);

/* All texts were added to @w->trace by lt_trace_add_text(). Before the first packet. */
void lt_window_begin(struct lt_window *w);

/*
 * Takes a packet, in the order of its stream. Where there is no room T0 moves on, if it may, and
 * @busy is not called: this may be the callback of what @busy does.
 */
void lt_window_packet(struct lt_window *w, const struct lt_packet *p);

/* Everything before @clock was read: a flush that ended then was drained. Moves T0. Calls @busy. */
void lt_window_complete(struct lt_window *w, uint64_t clock);

/**
 * lt_window_tidy() - forget what is dead, if that is due, and use memory that became free
 *
 * May take as long as a snapshot takes to be written, in which time goes on: not between a trigger
 * and its snapshot. Calls @busy.
 */
void lt_window_tidy(struct lt_window *w);

/* Whether packets and table take more than they may, so that a flush is due. */
bool lt_window_is_full(const struct lt_window *w);

/* Whether T0 had to move on for lack of memory: the window is shorter than it is to be. */
static inline bool lt_window_is_short(const struct lt_window *w)
{
	return w->t0 && w->t0 + w->length > w->read;
}

/* Of clock units, ns. */
uint64_t lt_window_ns(const struct lt_window *w, uint64_t units);

/* The memory of packets and table together. */
uint64_t lt_window_memory(const struct lt_window *w);

#endif /* LT_FLIGHT_WINDOW_H */

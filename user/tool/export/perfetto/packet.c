// SPDX-License-Identifier: GPL-2.0
/*
 * Perfetto: messages. A trace is a sequence of packets, each of which is complete: a file that is
 * cut off can be read up to there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "export/perfetto/perfetto.h"

/* Fields of the messages of Perfetto's protos/perfetto/trace. */
enum {
	TRACE_PACKET = 1,
	PACKET_CLOCKS = 6, PACKET_TIME = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11,
	PACKET_INTERNED = 12, PACKET_FLAGS = 13, PACKET_PROFILE = 37, PACKET_TRACK = 60,
	CLOCKS_CLOCK = 1, CLOCKS_PRIMARY = 2, CLOCK_ID = 1, CLOCK_TIME = 2,
	TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5,
	TRACK_COUNTER = 8, TRACK_ORDERING = 11, TRACK_RANK = 12, TRACK_ABOUT = 14,
	PROCESS_PID = 1, PROCESS_NAME = 6, PROCESS_START = 7,
	THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5,
	COUNTER_UNIT = 3,
	EVENT_NOTE = 4, EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_NAME = 23, EVENT_VALUE = 30,
	NOTE_UINT = 3, NOTE_STRING = 6, NOTE_NAME = 10,
};

/* Clocks. Times of packets are BOOTTIME, unless they say another one. */
enum { REALTIME = 1, MONOTONIC = 3, MONOTONIC_COARSE = 4, BOOTTIME = 6 };

/*
 * Sequences of packets. The reader takes an event for one of the thread that its sequence has
 * announced last, as well, which would create that thread at the time of the event. So tracks
 * are announced in a sequence without events.
 */
enum { SEQUENCE = 1, SEQUENCE_OF_TRACKS = 2 };

#define STATE_CLEARED	1	/* no interned data before this packet */
#define STATE_NEEDED	2
enum { BY_NAME = 1, BY_RANK = 3 };	/* orders of the tracks below one */

void lt_pf_init(struct lt_pf_out *o, int fd, const char *name)
{
	*o = (struct lt_pf_out){ .out = LT_OUT_NAMED(fd, name), .text = LT_OUT_INIT(-1) };
}

int lt_pf_close(struct lt_pf_out *o)
{
	lt_pb_free(&o->packet);
	lt_pb_free(&o->message);
	lt_pb_free(&o->part);
	lt_pb_free(&o->note);
	free(o->text.buf);
	return lt_out_close(&o->out);
}

void lt_pf_text(struct lt_pf_out *o, const char *s)
{
	o->text.used = 0;
	lt_out_room(&o->text, 1);
	lt_name_text(&o->text, s, NULL);
}

static void add_text(struct lt_pf_out *o, struct lt_pb *m, unsigned int field, const char *s)
{
	if (!s)
		return;
	lt_pf_text(o, s);
	lt_pb_bytes(m, field, o->text.buf, o->text.used);
}

/* Writes a packet with the message that was made. */
static void put(struct lt_pf_out *o, unsigned int field)
{
	uint8_t head[16];
	size_t n = 0;

	if (field == PACKET_TRACK) {
		lt_pb_uint(&o->packet, PACKET_SEQUENCE, SEQUENCE_OF_TRACKS);
	} else {
		lt_pb_uint(&o->packet, PACKET_SEQUENCE, SEQUENCE);
		lt_pb_uint(&o->packet, PACKET_FLAGS, o->packets ? STATE_NEEDED : STATE_CLEARED);
	}
	lt_pb_message(&o->packet, field, &o->message);
	head[n++] = TRACE_PACKET << 3 | 2;
	for (uint64_t v = o->packet.n; ; v >>= 7) {
		head[n++] = (uint8_t)(v & 0x7f) | (v > 0x7f ? 0x80 : 0);
		if (v <= 0x7f)
			break;
	}
	lt_out_bytes(&o->out, head, n);
	lt_out_bytes(&o->out, o->packet.data, o->packet.n);
	o->packet.n = 0;
	o->packets++;
}

static void add_clock(struct lt_pf_out *o, unsigned int id, uint64_t time)
{
	lt_pb_number(&o->part, CLOCK_ID, id);
	lt_pb_number(&o->part, CLOCK_TIME, lt_pb_limited(time));
	lt_pb_message(&o->message, CLOCKS_CLOCK, &o->part);
}

/*
 * The time of the trace, whichever clock it is of, is that of the file. Heap profiles are of
 * another clock, which is set to equal it.
 */
void lt_pf_clocks(struct lt_pf_out *o, const struct lt_trace *t)
{
	uint64_t begin = lt_trace_begin(t);

	add_clock(o, BOOTTIME, begin);
	add_clock(o, MONOTONIC, begin);
	add_clock(o, MONOTONIC_COARSE, begin);
	if (lt_clock_has_wall(lt_trace_clock(t)))
		add_clock(o, REALTIME, lt_trace_realtime(t, begin));
	lt_pb_uint(&o->message, CLOCKS_PRIMARY, BOOTTIME);
	lt_pb_number(&o->packet, PACKET_TIME, lt_pb_limited(begin));
	put(o, PACKET_CLOCKS);
}

/* ------------------------------------------------------------------------
 * Tracks
 */

/* Texts of our own have lines, which names have not. */
static void add_lines(struct lt_pb *m, unsigned int field, const char *s)
{
	if (s)
		lt_pb_bytes(m, field, s, strlen(s));
}

/*
 * The reader takes packets in the order of their times, and events before all others of their time.
 * It takes a process for a new one when it comes to its announcement, which must be before that of
 * the first event of its threads.
 */
static uint64_t announced(const struct lt_pf_track *track)
{
	uint64_t time = lt_pb_limited(track->start);

	return track->process && time ? time - 1 : time;
}

void lt_pf_track(struct lt_pf_out *o, const struct lt_pf_track *track)
{
	lt_pb_number(&o->message, TRACK_UUID, track->id);
	add_text(o, &o->message, TRACK_NAME, track->name);
	if (track->process) {
		lt_pb_number(&o->part, PROCESS_PID, track->pid);
		add_text(o, &o->part, PROCESS_NAME, track->process);
		lt_pb_uint(&o->part, PROCESS_START, lt_pb_limited(track->start));
		lt_pb_message(&o->message, TRACK_PROCESS, &o->part);
	}
	if (track->thread) {
		lt_pb_number(&o->part, THREAD_PID, track->pid);
		lt_pb_number(&o->part, THREAD_TID, track->tid);
		add_text(o, &o->part, THREAD_NAME, track->thread);
		lt_pb_message(&o->message, TRACK_THREAD, &o->part);
	}
	lt_pb_uint(&o->message, TRACK_PARENT, track->parent);
	if (track->unit != LT_PF_NOT_COUNTED) {
		lt_pb_uint(&o->part, COUNTER_UNIT, track->unit);
		lt_pb_message(&o->message, TRACK_COUNTER, &o->part);
	}
	lt_pb_uint(&o->message, TRACK_ORDERING, track->by_name ? BY_NAME : BY_RANK);
	lt_pb_uint(&o->message, TRACK_RANK, track->rank);
	add_lines(&o->message, TRACK_ABOUT, track->about);
	if (track->process || track->thread)
		lt_pb_number(&o->packet, PACKET_TIME, announced(track));
	put(o, PACKET_TRACK);
}

size_t lt_pf_lane(struct lt_pf_lanes *lanes, uint64_t begin, uint64_t end)
{
	size_t i = 0;

	while (i < lanes->n && lanes->ends[i] > begin)
		i++;
	if (i == lanes->n) {
		lanes->ends = lt_grow(lanes->ends, &lanes->cap, lanes->n, sizeof(*lanes->ends));
		lanes->n++;
	}
	lanes->ends[i] = end;
	return i;
}

/* ------------------------------------------------------------------------
 * Events
 */

static void add_note(struct lt_pf_out *o)
{
	lt_pb_message(&o->note, EVENT_NOTE, &o->part);
}

void lt_pf_note_printable(struct lt_pf_out *o, const char *name, const char *text)
{
	lt_pb_bytes(&o->part, NOTE_STRING, text, strlen(text));
	lt_pb_bytes(&o->part, NOTE_NAME, name, strlen(name));
	add_note(o);
}

void lt_pf_note(struct lt_pf_out *o, const char *name, const char *text)
{
	if (!text)
		return;
	add_text(o, &o->part, NOTE_STRING, text);
	lt_pb_bytes(&o->part, NOTE_NAME, name, strlen(name));
	add_note(o);
}

void lt_pf_note_number(struct lt_pf_out *o, const char *name, uint64_t v)
{
	lt_pb_number(&o->part, NOTE_UINT, v);
	lt_pb_bytes(&o->part, NOTE_NAME, name, strlen(name));
	add_note(o);
}

static void begin_event(struct lt_pf_out *o, enum lt_pf_type type, uint64_t track, uint64_t time)
{
	lt_pb_number(&o->packet, PACKET_TIME, lt_pb_limited(time));
	lt_pb_uint(&o->message, EVENT_TYPE, type);
	lt_pb_uint(&o->message, EVENT_TRACK, track);
}

void lt_pf_event(struct lt_pf_out *o, enum lt_pf_type type, uint64_t track, uint64_t time,
		 const char *name)
{
	begin_event(o, type, track, time);
	add_text(o, &o->message, EVENT_NAME, name);
	lt_pb_join(&o->message, &o->note);
	put(o, PACKET_EVENT);
}

void lt_pf_count(struct lt_pf_out *o, uint64_t track, uint64_t time, uint64_t value)
{
	begin_event(o, LT_PF_COUNTER, track, time);
	lt_pb_number(&o->message, EVENT_VALUE, lt_pb_limited(value));
	put(o, PACKET_EVENT);
}

void lt_pf_interned(struct lt_pf_out *o)
{
	put(o, PACKET_INTERNED);
}

void lt_pf_samples(struct lt_pf_out *o, uint64_t time)
{
	lt_pb_number(&o->packet, PACKET_TIME, lt_pb_limited(time));
	put(o, PACKET_PROFILE);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A stream, being read; for the files of this room.
 */
#ifndef LT_TRACE_STREAM_H
#define LT_TRACE_STREAM_H

#include "format/dir.h"
#include "format/plain.h"
#include "format/record.h"
#include "trace/heads.h"

struct lt_trace;

/* A packet pushed into a live trace, waiting. */
struct lt_queued {
	struct lt_queued *next;
	size_t size;
	uint8_t data[];
};

/**
 * struct lt_mark - a place in a stream, between two packets
 * @any: there is a packet before it
 * @seq: of that packet, as
 * @end: its end, clock units
 * @counts: its counters
 */
struct lt_mark {
	bool any;
	uint64_t seq;
	uint64_t end;
	struct lt_class_counts counts[LT_N_CLASSES];
};

/* How many packets of a stream may have begun behind a cut that no record of the cut precedes. */
#define LT_MARKS	4

/**
 * struct lt_stream - the packets of one channel and CPU, being read
 * @rec: the next record, if @in_heads
 * @ahead: plain records that follow; of the first one @rec has only the time and the event
 * @plain: of the packet plain records are passed so; @clipped: perhaps not all of them are wanted
 * @rec_ns: its time, ns
 * @key: order of the streams
 * @rank: order of records with one key
 * @n_records: records handed out
 * @loaded: file: @packet is that of @next_ref already, and @buf has its content
 * @tallied: of the packet that begins next @tally is known: its records by class; or it is
 *	@uncounted
 * @doubtful: the gap that a damage of the packet makes was added when the packet began
 * @gap_from: end of the packet before this one, clock units
 * @prev_*: of the last packet
 * @before: where the packet of @prev_seq begins, and the ones before it
 * @base: where a file begins that is a part of a recording
 * @lacks: packets are missing before part @behind that earlier missing parts did not have
 * @unread: file: packets behind that of @prev_seq could not be read
 * @behind: the latest part behind missing ones that names a packet of the stream before
 *	its own ones, @behind_seq; 0: none
 * @skims: of the packet only records are taken that were @found, from @next_found on; before it
 *	the stream had @skimmed_from records
 * @finished: no packet follows
 * @ends: file: the last packet that can be read has the flag LAST
 * @final: number of the last packet that can be read
 * @latest: counters of that packet, and @latest_end its end
 * @pushed: live: has had a packet; @pushed_seq, @pushed_end: of the last one
 */
struct lt_stream {
	uint32_t cpu;
	unsigned int channel;
	bool have_packet;
	bool in_heads;
	bool started;
	bool last;		/* has had its packet with the flag LAST */
	bool finished;
	bool waiting;		/* in t->waiting */
	bool doubtful;
	bool ends;
	bool pushed;
	bool lacks;
	bool unread;
	bool skims;
	bool plain;
	bool clipped;
	bool loaded;
	bool tallied;
	bool uncounted;
	struct lt_packet packet;
	struct lt_records it;
	struct lt_sites sites;
	struct lt_record rec;
	struct lt_ahead ahead;
	uint64_t rec_ns;
	uint64_t key;
	uint64_t rank;
	uint64_t n_records;
	struct lt_found found;
	size_t next_found;
	uint64_t skimmed_from;
	uint64_t gap_from;
	uint64_t prev_seq;
	uint64_t prev_end;	/* clock units */
	struct lt_class_counts prev_counts[LT_N_CLASSES];
	uint64_t tally[LT_N_CLASSES];
	struct lt_mark before[LT_MARKS];
	struct lt_mark base;
	size_t behind;
	uint64_t behind_seq;
	struct lt_task *task;
	const struct lt_stream_dir *dir;	/* file */
	size_t next_ref;
	struct lt_buf buf;
	struct lt_queued *head;			/* live */
	struct lt_queued **tail;
	struct lt_queued *current;
	uint64_t pushed_seq;
	uint64_t pushed_end;
	uint64_t final;
	uint64_t latest_end;
	struct lt_class_counts latest[LT_N_CLASSES];
};

struct lt_stream *lt_stream_get(struct lt_trace *t, unsigned int channel, uint32_t cpu);
void lt_stream_free(struct lt_stream *s);
/* Finds the next record. Return: false if there is none, or not yet. */
bool lt_stream_fill(struct lt_trace *t, struct lt_stream *s);

_Static_assert(LT_CLASS_PAGE_FREE < 64 && LT_CLASS_RCU_FREE < 64 && LT_CLASS_BULK_FREE < 64,
	       "the classes of frees are bits of a number");

/* Without a jump: which records are frees cannot be guessed. */
static inline bool lt_is_free(unsigned int class)
{
	const uint64_t frees = 1ULL << LT_CLASS_KFREE | 1ULL << LT_CLASS_CACHE_FREE |
			       1ULL << LT_CLASS_BULK_FREE | 1ULL << LT_CLASS_RCU_FREE |
			       1ULL << LT_CLASS_PAGE_FREE;

	return (frees >> class % 64 & 1) & (class < 64);
}

/* The order of a record of a stream among those of one time. */
static inline uint64_t lt_stream_rank(const struct lt_stream *s, unsigned int class)
{
	return (uint64_t)s->cpu << 32 | s->channel | (lt_is_free(class) ? LT_FREES_LAST : 0);
}

/* The next record, if it is plain; else NULL. */
static inline const struct lt_passed *lt_stream_ahead(const struct lt_stream *s)
{
	return s->ahead.next < s->ahead.end ? s->ahead.next : NULL;
}

/* It is the first one of its trace. */
static inline void lt_stream_set_ahead(struct lt_stream *s)
{
	const struct lt_passed *next = s->ahead.next;

	s->rec.time = next->time;
	s->rec.desc = lt_passed_desc(&s->it, next);
	s->rec_ns = next->ev.time;
	s->key = s->rec_ns;
	s->rank = lt_stream_rank(s, s->rec.desc->class);
}

/* Decodes the next records, if none is decoded and they are plain. Return: whether one is. */
bool lt_stream_look(struct lt_trace *t, struct lt_stream *s);

/* Makes s->rec the next record as a whole, whatever is to be done with it. */
void lt_stream_unpack(struct lt_stream *s);

#endif /* LT_TRACE_STREAM_H */

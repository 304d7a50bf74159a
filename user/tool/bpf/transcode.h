/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From raw records (bpf/raw.h) to packets: what the BPF programs wrote, given to the encoder.
 *
 *	t = lt_transcode_new(&config);
 *	for each poll, for each ring:
 *		r = lt_transcode_ring(t, channel, cpu);
 *		lt_transcode_begin(r, counts);		as of the poll
 *		lt_transcode_record(r, raw);		each
 *		lt_transcode_end(r, now);
 *	now and then: lt_transcode_flush(t, now);
 *	lt_transcode_last(t, now);
 *
 * Packets go to a function of the caller when they are full, and when they are flushed. In each
 * header seen is written and lost and filtered together, for each class: what was written is
 * counted here, and what was not comes with the counts of the poll.
 *
 * Where. A poll says how many events were lost since the one before, and not when. So where there
 * are such, all records of the poll go into one packet, which begins behind the poll before, and
 * has the losses: a reader takes them to be anywhere in it.
 *
 * Rings of the channel pid. What a number means depends on who held it before, on another CPU: so
 * the records of all rings are given in the order of their times.
 *
 * No I/O, no message. One thread uses a struct lt_transcode at a time.
 */
#ifndef LT_BPF_TRANSCODE_H
#define LT_BPF_TRANSCODE_H

#include "base/str.h"
#include "bpf/raw.h"
#include "encode/encode.h"

struct lt_transcode;
struct lt_transcode_ring;

/**
 * struct lt_transcode_config - what is the same in a whole session
 * @machine: sizes, bases and number of the session
 * @machine_name: as uname -m gives it: by that the arguments of system calls are known
 * @packet_size: bytes of a packet, by channel; 0: 256 KiB of kmem, 64 KiB of the others
 * @take: gets the packets
 * @arg: of @take
 * @pfn: the number of a page, by the address of its struct page; false: it is not known
 * @cache: the fields of a slab cache but @cache, by its address; false: there is no such cache any
 *	more. NULL: only records say what caches are
 * @source: first argument of these two
 */
struct lt_transcode_config {
	struct lt_encode_machine machine;
	const char *machine_name;
	size_t packet_size[LT_N_CHANNELS + 1];
	lt_encode_take *take;
	void *arg;
	bool (*pfn)(void *source, uint64_t page, uint64_t *pfn);
	bool (*cache)(void *source, uint64_t addr, struct lt_rec_CACHE *rec);
	void *source;
};

struct lt_transcode *lt_transcode_new(const struct lt_transcode_config *config);
/* NULL is none. Packets that are open are lost. */
void lt_transcode_free(struct lt_transcode *t);

/* The ring of a channel and CPU; stays where it is until lt_transcode_free(). */
struct lt_transcode_ring *lt_transcode_ring(struct lt_transcode *t, unsigned int channel,
					    uint32_t cpu);

/**
 * lt_transcode_begin() - the records of a poll follow
 * @r: the ring
 * @counts: cumulative, by LT_CLASS_INDEX(), as of the poll: of @seen nothing is used, it is checked
 *	by lt_transcode_end(). NULL: nothing was lost since the poll before
 */
void lt_transcode_begin(struct lt_transcode_ring *r, const struct lt_class_counts *counts);

/* Takes in a record; the next one in the ring. @arg is the ring. For lt_bpf_read(). */
void lt_transcode_record(void *arg, const struct lt_raw *raw);

/**
 * lt_transcode_end() - the records of a poll are taken in
 * @r: the ring
 * @now: clock units: all that the counts say had happened then, in the trace's clock
 *
 * Return: by how much seen of the counts and of the packets differ, summed over all classes: 0, if
 * the records of the poll were all there are.
 */
uint64_t lt_transcode_end(struct lt_transcode_ring *r, uint64_t now);

/* The encoder of a ring, for what has no raw record: markers, snapshots, modules. */
struct lt_encoder *lt_transcode_encoder(struct lt_transcode_ring *r);

/*
 * The id of a pid namespace by its inode number, for snapshots. The first time it is announced in
 * the stream of @r. 0: there are too many.
 */
uint16_t lt_transcode_namespace(struct lt_transcode_ring *r, uint64_t time, uint32_t inum,
				unsigned int level, uint32_t parent_inum);

/* The initial namespace has one inode number on all machines: PROC_PID_INIT_INO. */
#define LT_TRANSCODE_INITIAL	4026531836U

/*
 * A process has an oom_score_adj: by its birth or a change. Return: the one before; @now: that is
 * not known.
 */
int16_t lt_transcode_oom(struct lt_transcode *t, uint32_t tgid, uint64_t start, int16_t now);

/*
 * By a snapshot. Changes of before may be in rings that are read later: where it is another one
 * than was known, the one before the next change is not known.
 */
void lt_transcode_found_oom(struct lt_transcode *t, uint32_t tgid, uint64_t start, int16_t now);

/**
 * struct lt_transcode_found - a task that a snapshot has found
 * @time, @boot: a moment behind that: clock, and ns since boot
 * @tid, @start: the task
 */
struct lt_transcode_found {
	uint64_t time;
	uint64_t boot;
	uint32_t tid;
	uint64_t start;
};

/**
 * lt_transcode_seed() - a task of a snapshot holds a number
 * @t: the transcoder
 * @ns: id of the namespace
 * @nr: the number
 * @found: the task. Its number may have been taken back, and given again, before @found->time
 */
void lt_transcode_seed(struct lt_transcode *t, uint16_t ns, uint32_t nr,
		       const struct lt_transcode_found *found);

/* Each number that is given or taken back is seen, from now on. */
void lt_transcode_exact(struct lt_transcode *t);

/* By @now the end of a cache may be in no record: what is at its address is asked for again. */
void lt_transcode_doubt_caches(struct lt_transcode *t, uint64_t now);

/* Ends the open packets that have a record; or all streams. */
void lt_transcode_flush(struct lt_transcode *t, uint64_t now);
void lt_transcode_last(struct lt_transcode *t, uint64_t now);

/*
 * Adds the lines of all streams, "cache_overflow" and "pid_ns_without_id", to the text STATS.
 */
void lt_transcode_stats(const struct lt_transcode *t, struct lt_str *text);

/**
 * struct lt_transcode_odd - what should not be
 * @unknown: records of a kind that the channel does not have
 * @late: times that were before that of the record before
 * @pages: pages whose numbers are not known: lost_nested
 * @stacks: stacks in which the caller was not found: their events have none
 * @caches: caches for which no id was left
 * @ret: the first result of @take that was not 0
 */
struct lt_transcode_odd {
	uint64_t unknown;
	uint64_t late;
	uint64_t pages;
	uint64_t stacks;
	uint64_t caches;
	int ret;
};

struct lt_transcode_odd lt_transcode_odd(const struct lt_transcode *t);

#endif /* LT_BPF_TRANSCODE_H */

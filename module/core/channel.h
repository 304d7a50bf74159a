/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A channel: one relay channel, and the packets in its sub-buffers.
 */
#ifndef LT_CHANNEL_H
#define LT_CHANNEL_H

#include <linux/cpu.h>
#include <linux/hardirq.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include "core/clock.h"
#include "core/compat.h"

struct dentry;
struct lt_site;
struct lt_seen_task;

/* Counters of sizes, see lt_sites_admit(). */
#define LT_SIZES_BITS	7
#define LT_SIZES	BIT(LT_SIZES_BITS)

/**
 * struct lt_channel_cpu - a channel's state on one CPU
 *
 * The first part belongs to the CPU: it is read and written on that CPU with
 * interrupts off, or anywhere once the CPU cannot write any more. The fields that every
 * event reads are one cache line.
 *
 * @task: task that was announced last; NULL: none in this packet
 * @task_start: start time of @task when it was announced
 * @task_tid: tid of @task when it was announced. A struct task_struct is used again, and
 *	exec by a thread changes a task's tid, so the pointer alone is no identity
 * @busy: an event is being written; an event that comes now is caused by the tracer
 * @finishing: the session has stopped; the next packet to be closed is the last
 * @finished: the last packet has been closed
 * @last: time of the latest record; no record of this stream gets an earlier time
 * @buf: relay's buffer of this CPU; NULL: there is none
 * @limit: bytes of a sub-buffer; 0 as long as @busy, and where there is no buffer
 * @sites: table of sites of this CPU, see site.h; NULL: the channel has none
 * @tasks: tasks that the open packet may have announced, see context.c; where @sites are
 * @stamp: an entry of @sites with this stamp is announced in the open packet. This CPU
 *	increments it for each packet; another CPU may increment it at any time, to make
 *	all entries invalid
 * @now: time of the event for which a packet is being opened or closed
 * @open: header of the open packet, NULL: none
 * @seq: of the next packet to be opened
 * @size: bytes of a sub-buffer; 0: there is no buffer
 * @fast_limit: what @limit is while no event is being written: 0 after lt_channel_no_fast()
 * @open_stamp: @stamp when the packet was opened
 * @tried: events that came as far as a reservation
 * @full: events of @tried for which there was no room
 * @nobuf: events of @tried for which the CPU had no buffer
 *
 * Written by this_cpu_inc(), from any context:
 *
 * @nested: events refused because of @busy
 * @nmi: events refused because they happened in NMI context
 * @filtered: events left out on purpose
 *
 * Written when a site is announced:
 *
 * @sizes: entries of @sites that this packet gave to sizes of a call site, by a hash of it
 * @more_sizes: entries that this packet may give to sizes beyond LT_SIZES_EACH
 *
 * For the reader. Fields before @read_lock are cleared for a new session.
 *
 * @ready: packets closed since the start; published with release semantics
 *	after the packet's last byte, read with acquire semantics before the packet's
 *	first. Relay's own count is advanced before the packet's header is
 *	complete, so a reader cannot use it.
 * @opened: with @overwrite of the channel, packets opened since the start, see read.c
 * @consumed: packets read, for pollers: relay's own count goes with the buffer. With
 *	@overwrite of the channel: number of the packet to be read next
 * @read_lock: serialises reading, and closing the last packet; protects @session, @reader
 * @session: number of the session whose packets can be read; 0: there are none. As long as
 *	it stays the channel is open, and so the buffers are there
 * @reader: number of the session whose reader has the file open, or 0
 * @wait: pollers of the file
 * @wakeup: wakes @wait from a context in which that is allowed
 */
struct lt_channel_cpu {
	struct task_struct *task;
	u64 task_start;
	pid_t task_tid;
	bool busy;
	bool finishing;
	bool finished;
	u64 last;
	struct rchan_buf *buf;
	size_t limit;
	struct lt_site *sites;
	atomic_long_t stamp;

	struct lt_seen_task *tasks;
	u64 now;
	struct lt_packet_header *open;
	u64 seq;
	size_t size;
	size_t fast_limit;
	unsigned long open_stamp;
	u64 tried[LT_N_CLASSES];
	u64 full[LT_N_CLASSES];
	u64 nobuf[LT_N_CLASSES];

	u64 nested[LT_N_CLASSES];
	u64 nmi[LT_N_CLASSES];
	u64 filtered[LT_N_CLASSES];

	u8 sizes[LT_SIZES];
	unsigned int more_sizes;

	size_t ready;
	size_t opened;
	size_t consumed;
	struct mutex read_lock;	/* reading, closing the last packet; session, reader */
	u64 session;
	u64 reader;
	wait_queue_head_t wait;
	struct irq_work wakeup;
} ____cacheline_aligned;

/**
 * struct lt_channel - a channel
 * @id: enum lt_channel_id
 * @no_task: its packets announce neither the task that runs nor sites; set before the
 *	channel is opened
 * @overwrite: where a buffer is full, its oldest packet makes room; set before the channel
 *	is opened
 * @rchan: relay's part; NULL: closed. Set before the first probe is attached
 *	and cleared after the last one is gone, so probes use it without a check.
 * @cpu: state of each possible CPU; lives as long as the module
 * @session: number of the session, never 0
 * @dir: directory of the packet files; NULL: there are none
 * @waiting: records that are put into packets when the session has stopped, as readers make
 *	room; see lt_write_later()
 * @n_waiting: of them; after lt_channel_close() those that were dropped
 * @waiting_lock: protects both from lt_channel_finish() on; taken under a CPU's @read_lock
 */
struct lt_channel {
	unsigned int id;
	bool no_task;
	bool overwrite;
	struct rchan *rchan;
	struct lt_channel_cpu __percpu *cpu;
	u64 session;
	struct dentry *dir;
	struct list_head waiting;
	size_t n_waiting;
	struct mutex waiting_lock;	/* waiting, n_waiting, once the session has stopped */
};

/* The smallest sub-buffer: a header, and some of the largest records. */
#define LT_MIN_SUBBUF_SIZE	4096

/* With overwrite: the fewest packets of a buffer of which a reader gets any while it is written. */
#define LT_MIN_OVERWRITTEN	8

/* channel.c */
extern bool lt_channels_frozen;

/**
 * lt_channel_buf() - the buffer of a CPU
 * @ch: channel, open
 * @cpu: any possible CPU
 *
 * Relay publishes the pointer of a CPU that comes up by a plain store, under the write side
 * of this lock: without the lock, a weakly ordered CPU may see the pointer before what it
 * points to.
 *
 * Context: process, may sleep.
 * Return: the buffer, or NULL: the CPU has not been online since the channel was opened.
 */
static inline struct rchan_buf *lt_channel_buf(struct lt_channel *ch, unsigned int cpu)
{
	struct rchan_buf *buf;

	cpus_read_lock();
	buf = *per_cpu_ptr(ch->rchan->buf, cpu);
	cpus_read_unlock();
	return buf;
}

int lt_channel_init(struct lt_channel *ch, unsigned int id);
void lt_channel_destroy(struct lt_channel *ch);
int lt_channel_open(struct lt_channel *ch, struct dentry *dir, size_t subbuf_size,
		    size_t n_subbufs, u64 session);
void lt_channel_add_files(struct lt_channel *ch, struct dentry *dir);
void lt_channel_close(struct lt_channel *ch);
void lt_channel_no_fast(struct lt_channel *ch);
void lt_channel_flush(struct lt_channel *ch, bool quiet);
void lt_channel_finish(struct lt_channel *ch);

/* read.c */
extern const struct file_operations lt_packet_fops;
int lt_packets_open(struct lt_channel *ch, unsigned int cpu, struct file *file);
bool lt_packets_exist(struct lt_channel *ch, unsigned int cpu);
void lt_packets_finish(struct lt_channel_cpu *c, struct rchan_buf *buf);
ssize_t lt_packet_save(struct lt_channel *ch, unsigned int cpu, size_t age, void *to,
		       size_t room);
size_t lt_packets_saved(struct lt_channel *ch, unsigned int cpu);

/* counts.c */
void lt_channel_counts(struct lt_channel *ch, unsigned int cpu,
		       struct lt_class_counts *counts);
u64 lt_channel_lost(struct lt_channel *ch);
void lt_packet_end(struct lt_channel *ch, unsigned int cpu, struct lt_packet_header *h, u64 time,
		   size_t content);

#endif /* LT_CHANNEL_H */

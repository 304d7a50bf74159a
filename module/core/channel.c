// SPDX-License-Identifier: GPL-2.0
/*
 * Packets in relay sub-buffers: opening, closing, flushing. Reading them is in read.c.
 */
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/smp.h>

#include "core/channel.h"
#include "core/site.h"
#include "core/write.h"

static void packet_open(struct lt_channel *ch, struct lt_channel_cpu *c,
			unsigned int cpu, struct lt_packet_header *h)
{
	memset(h, 0, sizeof(*h));
	h->magic = LT_PACKET_MAGIC;
	h->version_major = LT_VERSION_MAJOR;
	h->version_minor = LT_VERSION_MINOR;
	h->header_size = sizeof(*h);
	h->channel = ch->id;
	h->size_long = sizeof(long);
	h->size_ptr = sizeof(void *);
	h->size_pid = sizeof(pid_t);
	h->size_gfp = sizeof(gfp_t);
	h->page_shift = PAGE_SHIFT;
	h->cpu = cpu;
	h->n_classes = LT_N_CLASSES;
	h->seq = c->seq++;
	h->timestamp_begin = c->now;
	h->text_base = lt_text_base();
	h->ptr_base = lt_ptr_base();
	h->session = ch->session;

	/* A packet decodes alone: task and sites must be announced again. */
	c->task = NULL;
	lt_sites_new_packet(c);
	c->last = c->now;
	c->open = h;
}

/* Return: whether it is the stream's last packet. */
static bool packet_close(struct lt_channel *ch, struct lt_channel_cpu *c,
			 unsigned int cpu, size_t content)
{
	struct lt_packet_header *h = c->open;

	lt_packet_end(ch, cpu, h, c->now, content);
	c->last = c->now;	/* the next packet does not begin earlier */
	/*
	 * A record that waits is put into a packet that comes later; where packets are overwritten
	 * none is begun for it: see lt_write_waiting().
	 */
	if (READ_ONCE(c->finishing) && (ch->overwrite || list_empty(&ch->waiting)))
		h->flags |= LT_PACKET_LAST;
	c->open = NULL;
	return h->flags & LT_PACKET_LAST;
}

/*
 * Make the file of a new buffer. Relay's create_buf_file() comes before buf->cpu is
 * set: if it failed, relay would undo the buffer of CPU 0, which may be in use. So the
 * file is made in subbuf_start(), where a failure means a CPU without a buffer.
 *
 * Context: process.
 */
static bool make_file(struct lt_channel *ch, struct rchan_buf *buf)
{
	struct dentry *file;
	char name[16];

	if (!ch->dir)
		return true;
	snprintf(name, sizeof(name), "cpu%u", buf->cpu);
	file = debugfs_create_file(name, 0400, ch->dir, buf, &lt_packet_fops);
	if (IS_ERR(file))
		return false;
	buf->dentry = file;	/* for remove_buf_file() */
	return true;
}

/* With channels that overwrite: their buffers refuse as if they were full. */
bool lt_channels_frozen;

/*
 * May the packet be opened that comes next? With overwriting always; the packet n before it,
 * which has its place, is then declared gone before a byte of it changes: see read.c.
 *
 * Relay's count of packets that were read follows that of packets produced. So for lt_full() and
 * lt_half_full() the buffer is empty, and no event has to ask for the mode.
 *
 * The first packet of a buffer is always opened: relay does not look whether a new buffer was
 * refused, and records would be written before any header.
 */
static bool make_room(struct lt_channel *ch, struct lt_channel_cpu *c, struct rchan_buf *buf)
{
	if (!ch->overwrite)
		return !lt_full(buf);
	/* A CPU that sees it late has written a packet more. */
	if (READ_ONCE(lt_channels_frozen) && c->opened)
		return false;
	/* The size_t may wrap: all that compares it does so by the difference. */
	WRITE_ONCE(buf->subbufs_consumed, buf->subbufs_produced);
	WRITE_ONCE(c->opened, buf->subbufs_produced + 1);
	/* Pairs with smp_rmb() in copy_unless_gone(): a copy with a new byte sees @opened, too. */
	smp_wmb();
	return true;
}

/*
 * Relay calls this on a switch of sub-buffers: on the writing CPU with
 * interrupts off, and for a new buffer in process context before its first
 * write. While a buffer is full, every reservation calls it again.
 *
 * Return: 1 to go on in @subbuf, 0 to refuse.
 */
static int LT_SUBBUF_START(subbuf_start, buf, subbuf, prev)
{
	struct lt_channel *ch = buf->chan->private_data;
	struct lt_channel_cpu *c = per_cpu_ptr(ch->cpu, buf->cpu);

	if (!prev) {	/* a new buffer, no event */
		if (!make_file(ch, buf))
			return 0;
		c->now = lt_clock();
		c->size = buf->chan->subbuf_size;
		/* A buffer that comes later, with its CPU, is as the others are. */
		c->fast_limit = lt_clock_used == LT_CLOCK_KEPT ? 0 : c->size;
		c->limit = c->fast_limit;
		c->buf = buf;
	}
	if (c->open) {
		size_t closed = buf->subbufs_produced - 1;
		bool last = packet_close(ch, c, buf->cpu, buf->chan->subbuf_size -
					 buf->padding[closed % buf->chan->n_subbufs]);

		/*
		 * Everything in the packet was stored by this CPU before, so one
		 * release makes all of it visible to a reader that acquires @ready.
		 */
		smp_store_release(&c->ready, buf->subbufs_produced);
		/* After @ready: packet_poll() that sees the flag sees the last packet. */
		if (last)
			smp_store_release(&c->finished, true);	/* packet_poll() */
		/*
		 * Pairs with the barrier in packet_poll(): either the waiter is seen
		 * here, or the waiter sees @ready.
		 */
		smp_mb();
		/* Without the queue's lock: the barrier above replaces it. */
		if (waitqueue_active(&c->wait))
			irq_work_queue(&c->wakeup);
	}
	if (!c->buf || c->finished || !make_room(ch, c, buf))
		return 0;
	subbuf_start_reserve(buf, sizeof(struct lt_packet_header));
	packet_open(ch, c, buf->cpu, subbuf);
	return 1;
}

static void wake_readers(struct irq_work *work)
{
	struct lt_channel_cpu *c = container_of(work, struct lt_channel_cpu, wakeup);

	wake_up_interruptible(&c->wait);
}

/* ------------------------------------------------------------------------
 * Files
 */

/* Relay gets no name for files, and this cannot fail: see make_file(). */
static struct dentry *create_buf_file(const char *name, struct dentry *parent,
				      umode_t mode, struct rchan_buf *buf, int *is_global)
{
	return ZERO_SIZE_PTR;
}

static int remove_buf_file(struct dentry *dentry)
{
	debugfs_remove(dentry);
	return 0;
}

static LT_RELAY_CALLBACKS callbacks = {
	.subbuf_start = subbuf_start,
	.create_buf_file = create_buf_file,
	.remove_buf_file = remove_buf_file,
};

/* ------------------------------------------------------------------------
 * Life
 */

u64 lt_objects_from __read_mostly;

/*
 * Half of what 40 bits reach lies below a page of the machine, half above it. An address
 * outside is written in full.
 */
static int find_objects(void)
{
	unsigned long page;

	if (!IS_ENABLED(CONFIG_ARM64) || lt_objects_from)
		return 0;
	page = __get_free_page(GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	lt_objects_from = max_t(u64, PAGE_OFFSET, page - (1ULL << 39));
	free_page(page);
	return 0;
}

/**
 * lt_channel_init() - allocate the state that lives as long as the module
 * @ch: channel
 * @id: enum lt_channel_id
 *
 * Return: 0 or -ENOMEM.
 */
int lt_channel_init(struct lt_channel *ch, unsigned int id)
{
	unsigned int cpu;
	int err = find_objects();

	if (err)
		return err;
	ch->id = id;
	INIT_LIST_HEAD(&ch->waiting);
	mutex_init(&ch->waiting_lock);
	ch->cpu = alloc_percpu(struct lt_channel_cpu);
	if (!ch->cpu)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct lt_channel_cpu *c = per_cpu_ptr(ch->cpu, cpu);

		mutex_init(&c->read_lock);
		init_waitqueue_head(&c->wait);
		init_irq_work(&c->wakeup, wake_readers);
	}
	return 0;
}

void lt_channel_destroy(struct lt_channel *ch)
{
	free_percpu(ch->cpu);
}

/* @session: whose packets can be read from now on; 0: none. Context: process, sleeps. */
static void let_readers(struct lt_channel *ch, u64 session)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct lt_channel_cpu *c = per_cpu_ptr(ch->cpu, cpu);

		mutex_lock(&c->read_lock);
		WRITE_ONCE(c->session, session);	/* packet_poll() */
		mutex_unlock(&c->read_lock);
	}
}

/**
 * lt_channel_open() - make the buffers, empty, with a packet open in each
 * @ch: channel, closed
 * @dir: where the files cpu0, cpu1, … go; NULL: there are none
 * @subbuf_size: bytes of a packet at the most
 * @n_subbufs: packets a CPU holds
 * @session: not 0
 *
 * Context: process, before any probe is attached.
 * Return: 0, -EINVAL for impossible sizes, -ENOMEM.
 */
int lt_channel_open(struct lt_channel *ch, struct dentry *dir, size_t subbuf_size,
		    size_t n_subbufs, u64 session)
{
	bool complete = true;
	unsigned int cpu;

	if (subbuf_size < LT_MIN_SUBBUF_SIZE || n_subbufs < 2 ||
	    (ch->overwrite && n_subbufs < LT_MIN_OVERWRITTEN) ||
	    subbuf_size > INT_MAX / n_subbufs)
		return -EINVAL;
	for_each_possible_cpu(cpu) {
		struct lt_channel_cpu *c = per_cpu_ptr(ch->cpu, cpu);

		/* A reader of the last session may still close its file. */
		mutex_lock(&c->read_lock);
		memset(c, 0, offsetof(struct lt_channel_cpu, read_lock));
		mutex_unlock(&c->read_lock);
	}
	ch->session = session;
	ch->dir = dir;
	ch->n_waiting = 0;
	if (!ch->no_task && lt_sites_alloc(ch))
		return -ENOMEM;
	/*
	 * relay_open() walks the online CPUs without holding them: one that
	 * comes up at the wrong moment would get no buffer. If one does slip
	 * through, lt_reserve() counts its events as lost.
	 */
	cpus_read_lock();
	ch->rchan = relay_open(NULL, NULL, subbuf_size, n_subbufs, &callbacks, ch);
	for_each_online_cpu(cpu)
		complete &= !!per_cpu_ptr(ch->cpu, cpu)->buf;
	cpus_read_unlock();
	if (!ch->rchan)
		lt_sites_free(ch);
	else if (!complete)
		lt_channel_close(ch);
	if (!ch->rchan)
		return -ENOMEM;
	let_readers(ch, session);
	return 0;
}

/**
 * lt_channel_add_files() - make the files of a channel that was opened without
 * @ch: channel, open
 * @dir: where the files cpu0, cpu1, … go
 *
 * A CPU whose file cannot be made goes on recording; its packets are read by the device.
 *
 * Context: process, sleeps. Probes may be attached: they do not look at files.
 */
void lt_channel_add_files(struct lt_channel *ch, struct dentry *dir)
{
	unsigned int cpu;

	/* A CPU that comes up makes its file by itself if it sees @dir, see subbuf_start(). */
	cpus_read_lock();
	ch->dir = dir;
	for_each_possible_cpu(cpu) {
		struct rchan_buf *buf = *per_cpu_ptr(ch->rchan->buf, cpu);

		if (buf && !make_file(ch, buf))
			pr_warn("lifetrace: no file for the packets of CPU %u\n", cpu);
	}
	cpus_read_unlock();
}

/**
 * lt_channel_close() - free the buffers with all that was not read
 * @ch: channel; nothing happens if it is closed
 *
 * Context: process, after the last probe is gone.
 */
void lt_channel_close(struct lt_channel *ch)
{
	unsigned int cpu;

	if (!ch->rchan)
		return;
	/* Waits for those that read: after it none touches the buffers. */
	let_readers(ch, 0);
	lt_drop_waiting(ch);
	relay_close(ch->rchan);
	ch->rchan = NULL;
	lt_sites_free(ch);
	for_each_possible_cpu(cpu) {
		struct lt_channel_cpu *c = per_cpu_ptr(ch->cpu, cpu);

		irq_work_sync(&c->wakeup);
		/*
		 * A reader that was woken for the last packet may wait again by now.
		 * Its file is gone: this is its last wakeup.
		 */
		wake_up_interruptible(&c->wait);
	}
}

/*
 * Held by a flusher. cpus_read_lock() keeps a CPU that is offline from coming up, not
 * another flusher, that of the period beside that of the command, from its buffer. (An
 * online CPU runs one flush after the other.) finish() needs it not: it begins when both
 * have ended, and its callers exclude each other by c->read_lock.
 */
static DEFINE_MUTEX(flush_lock);

/* Context: on the buffer's CPU with interrupts off; or the CPU is offline, flush_lock held. */
static void flush_buf(struct lt_channel *ch, unsigned int cpu)
{
	struct rchan_buf *buf = *per_cpu_ptr(ch->rchan->buf, cpu);
	struct lt_channel_cpu *c = per_cpu_ptr(ch->cpu, cpu);
	u64 now;

	if (!buf || c->finished)
		return;
	now = lt_clock();
	c->now = (s64)(now - c->last) < 0 ? c->last : now;
	if (c->open) {
		if (buf->offset > sizeof(struct lt_packet_header))
			relay_switch_subbuf(buf, 0);
		return;
	}
	/*
	 * The buffer was full. If there is room by now, an empty packet reports what was
	 * lost meanwhile, also if no further event happens on this CPU.
	 */
	if (lt_full(buf))
		return;
	relay_switch_subbuf(buf, 0);	/* opens one */
	if (c->open)
		relay_switch_subbuf(buf, 0);
}

/* While relay switches, its offset is 0 in the packet that is being closed. */
static void flush_this_cpu(void *arg)
{
	struct lt_channel *ch = arg;
	struct lt_channel_cpu *c = this_cpu_ptr(ch->cpu);

	lt_claim(c);
	flush_buf(ch, smp_processor_id());
	lt_unclaim(c);
}

/*
 * Does a CPU seem to hold a record that its reader should get? Read from another CPU, so
 * that idle and isolated CPUs are not interrupted for nothing; flush_buf() checks again.
 * A reader that is behind has enough to read: closing a packet in each period would
 * use up the sub-buffers.
 */
static bool worth_flushing(struct lt_channel *ch, unsigned int cpu)
{
	struct rchan_buf *buf = *per_cpu_ptr(ch->rchan->buf, cpu);

	/* Its CPU may be writing: the next period flushes what this one misses. */
	return buf && data_race(READ_ONCE(buf->offset)) > sizeof(struct lt_packet_header) &&
	       READ_ONCE(per_cpu_ptr(ch->cpu, cpu)->ready) == READ_ONCE(buf->subbufs_consumed);
}

/**
 * lt_channel_flush() - close every packet that holds a record
 * @ch: channel
 * @quiet: skip CPUs that seem to have none, or whose last packets are not read yet;
 *	nothing is promised for them
 *
 * Each on its own CPU, between two events: an event is written with interrupts off, so
 * the interrupt that flushes cannot come into it. Events that happened before the call
 * can be read after it; and so can the counts of events lost before it, if the buffer
 * has room for a packet.
 *
 * Context: process, may sleep, the channel is open, lt_channel_finish() is called later.
 * Several may call it at a time.
 */
void lt_channel_flush(struct lt_channel *ch, bool quiet)
{
	unsigned int cpu;

	mutex_lock(&flush_lock);
	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		if (quiet && !worth_flushing(ch, cpu))
			continue;
		if (cpu_online(cpu))
			smp_call_function_single(cpu, flush_this_cpu, ch, 1);
		else
			flush_buf(ch, cpu);	/* held offline: it does not write */
	}
	cpus_read_unlock();
	mutex_unlock(&flush_lock);
}

static void no_fast_here(void *channel)
{
	struct lt_channel *ch = channel;

	/* No event is being written here: that is done with interrupts off. */
	this_cpu_ptr(ch->cpu)->limit = 0;
}

/**
 * lt_channel_no_fast() - let all events take the general path, for the rest of the session
 * @ch: channel
 *
 * The other path has the session's clock compiled in, see lt_object_fast().
 *
 * Context: process, may sleep, the channel is open, lt_clock_keep() was called.
 */
void lt_channel_no_fast(struct lt_channel *ch)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		struct lt_channel_cpu *c = per_cpu_ptr(ch->cpu, cpu);

		WRITE_ONCE(c->fast_limit, 0);
		if (!cpu_online(cpu))
			c->limit = 0;	/* held offline: it does not write */
	}
	on_each_cpu(no_fast_here, ch, 1);
	cpus_read_unlock();
}

/**
 * lt_channel_finish() - end each stream with a packet that is marked as the last
 * @ch: channel
 *
 * A buffer that is full gets its last packet, and those with the records that wait, when the
 * reader has made room: see packet_read().
 *
 * Context: process, after the last probe is gone, the channel is open, nobody flushes it.
 */
void lt_channel_finish(struct lt_channel *ch)
{
	unsigned int cpu;

	/*
	 * A CPU that comes up later makes a buffer, too: it finds the flag set, and
	 * packet_read() closes its only packet. Buffers are made under the write side of
	 * this lock. c->read_lock is not taken under it: its holders may wait for a page
	 * of user memory.
	 */
	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		struct lt_channel_cpu *c = per_cpu_ptr(ch->cpu, cpu);

		/* Pairs with the acquire in packet_read(), before which probes have written. */
		smp_store_release(&c->finishing, true);
	}
	cpus_read_unlock();

	for_each_possible_cpu(cpu) {
		struct rchan_buf *buf = lt_channel_buf(ch, cpu);
		struct lt_channel_cpu *c = per_cpu_ptr(ch->cpu, cpu);

		if (!buf)
			continue;
		mutex_lock(&c->read_lock);
		lt_packets_finish(c, buf);
		mutex_unlock(&c->read_lock);
	}
}

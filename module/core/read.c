// SPDX-License-Identifier: GPL-2.0
/*
 * Reading packets.
 *
 * Relay's own file operations are not used. They look at the buffer's state
 * field by field while the writer changes it, and hand out stale sub-buffers
 * or skip unread ones. Here a reader gets whole, closed packets only: those in
 * [subbufs_consumed, ready). In no-overwrite mode the writer does not touch
 * them.
 *
 * With overwriting the writer never waits for a reader. A packet is copied, and the copy counts
 * if it was not overwritten meanwhile. n are the sub-buffers, k is the number of a packet:
 *
 *	writer, in subbuf_start()		reader, of packet k
 *
 *	close the packet before			acquire ready; nothing if k is not below it
 *	release ready				gone if opened > k + n
 *	store opened = number + 1		length from the header; smp_rmb()
 *	smp_wmb()				gone if opened > k + n, else the length is right
 *	header; later the records		copy; smp_rmb()
 *						gone if opened > k + n, else the copy is right
 *
 * Packet k is overwritten by the opening of packet k + n only, which stores opened = k + n + 1
 * before its first byte. A reader that has copied a byte of it sees that, behind smp_rmb(). One
 * that does not see it has copied nothing newer than packet k; and nothing older, since it
 * acquired ready > k. All are compared by their difference, since they may wrap (32-bit
 * machines). The copy may go to user memory, and so wait for a page: that makes it more likely
 * to be gone, not wrong. A CPU that is offline stores in the same order from another one.
 *
 * While the kernel is locked down so that tracefs is closed, these files are, too: debugfs
 * itself lets root open files that can only be read.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/uaccess.h>

#include "core/channel.h"
#include "core/write.h"

/**
 * struct packet_reader - an open packet file
 * @c: its CPU's state, which outlives the buffer
 * @buf: its buffer; only used under @c->read_lock, while @c->session is @session
 * @session: number of the session that it was opened in
 */
struct packet_reader {
	struct lt_channel_cpu *c;
	struct rchan_buf *buf;
	u64 session;
};

/**
 * lt_packets_open() - open the packets of a CPU
 * @ch: channel; open or not
 * @cpu: a possible CPU
 * @file: with lt_packet_fops; gets its state
 *
 * Reading consumes packets, so only one file may be open.
 *
 * Context: process, sleeps.
 * Return: 0, -ENOENT: the CPU has no buffer now, -EBUSY, -ENOMEM, -EPERM: lockdown.
 */
int lt_packets_open(struct lt_channel *ch, unsigned int cpu, struct file *file)
{
	struct lt_channel_cpu *c = per_cpu_ptr(ch->cpu, cpu);
	int err = security_locked_down(LOCKDOWN_TRACEFS);
	struct packet_reader *r;

	if (err)
		return err;
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	r->c = c;

	mutex_lock(&c->read_lock);
	/* While it is not 0 the channel stays open: see lt_channel_close(). */
	r->session = c->session;
	/*
	 * Waits for a CPU that comes up. relay_close(), which that CPU may wait for, and which
	 * waits for openers of its files, is not called before this lock was free and the
	 * session 0.
	 */
	if (r->session)
		r->buf = lt_channel_buf(ch, cpu);
	if (!r->buf)
		err = -ENOENT;
	else if (c->reader == r->session)
		err = -EBUSY;
	else
		c->reader = r->session;
	mutex_unlock(&c->read_lock);
	if (err) {
		kfree(r);
		return err;
	}
	file->private_data = r;
	return stream_open(file_inode(file), file);
}

/* Has the CPU packets that can be opened? Without a lock: the answer may be old. */
bool lt_packets_exist(struct lt_channel *ch, unsigned int cpu)
{
	struct lt_channel_cpu *c = per_cpu_ptr(ch->cpu, cpu);

	return READ_ONCE(c->session) && READ_ONCE(c->buf);
}

/* The file of a buffer is made before the buffer can be read: the opener must retry. */
static int packet_file_open(struct inode *inode, struct file *file)
{
	struct rchan_buf *buf = inode->i_private;
	int err = lt_packets_open(buf->chan->private_data, buf->cpu, file);

	return err == -ENOENT ? -EAGAIN : err;
}

static int packet_file_release(struct inode *inode, struct file *file)
{
	struct packet_reader *r = file->private_data;

	if (!r)		/* it could not be opened */
		return 0;
	mutex_lock(&r->c->read_lock);
	if (r->c->reader == r->session)
		r->c->reader = 0;
	mutex_unlock(&r->c->read_lock);
	kfree(r);
	return 0;
}

/**
 * lt_packets_finish() - close the last packet of a buffer to which no probe writes any more
 * @c: the CPU's state
 * @buf: its buffer
 *
 * Records that wait come before it. If no packet is open because the buffer was full, the
 * losses since then are in no packet yet: an empty packet is made for them as soon as there is
 * room.
 *
 * Context: process, c->read_lock held, c->finishing set.
 */
void lt_packets_finish(struct lt_channel_cpu *c, struct rchan_buf *buf)
{
	u64 now;

	if (!c->finished)
		lt_write_waiting(buf->chan->private_data, c);
	now = lt_clock();
	c->now = (s64)(now - c->last) < 0 ? c->last : now;
	if (!c->open && !lt_full(buf))
		relay_switch_subbuf(buf, 0);	/* opens one */
	if (c->open)
		relay_switch_subbuf(buf, 0);	/* closes it, and opens none */
}

/* See the beginning of the file. @k: number of a packet that was ready. */
static bool is_gone(const struct lt_channel_cpu *c, const struct rchan_buf *buf, size_t k)
{
	return (ssize_t)(READ_ONCE(c->opened) - (k + buf->chan->n_subbufs)) > 0;
}

static struct lt_packet_header *packet_at(const struct rchan_buf *buf, size_t k)
{
	return buf->start + k % buf->chan->n_subbufs * buf->chan->subbuf_size;
}

/*
 * Copy a packet that may be overwritten meanwhile. Return: its bytes, 0: it is gone, -EFAULT,
 * -EMSGSIZE: @room is too small.
 */
static ssize_t copy_unless_gone(const struct lt_channel_cpu *c, const struct rchan_buf *buf,
				size_t k, char __user *to, size_t room)
{
	const struct lt_packet_header *h = packet_at(buf, k);
	unsigned long left;
	size_t len;

	/* Its CPU may write another header over it: then it is gone. */
	len = data_race(h->content_bits) / 8;

	smp_rmb();	/* pairs with smp_wmb() in make_room() */
	if (is_gone(c, buf, k))
		return 0;
	if (WARN_ON_ONCE(len < sizeof(*h) || len > buf->chan->subbuf_size))
		return 0;
	if (len > room)
		return -EMSGSIZE;
	/* Its CPU may write another packet over it: then it is gone. */
	left = data_race(copy_to_user(to, h, len));
	if (left)
		return -EFAULT;
	smp_rmb();	/* pairs with smp_wmb() in make_room() */
	return is_gone(c, buf, k) ? 0 : len;
}

/*
 * The next packet of a buffer that is overwritten. While its CPU writes, the reader begins one
 * behind the oldest packet, which is the next one to go.
 *
 * Return: as copy_unless_gone(); 0: none is ready, or none could be had.
 */
static ssize_t take_overwritten(struct lt_channel_cpu *c, struct rchan_buf *buf,
				char __user *to, size_t room)
{
	size_t n = buf->chan->n_subbufs, tries;

	for (tries = 0; tries < n; tries++) {
		size_t k = c->consumed;
		ssize_t len;

		if (is_gone(c, buf, k))
			k = READ_ONCE(c->opened) - n + !c->finished;
		/* Acquire: pairs with the release in subbuf_start(). */
		if ((ssize_t)(smp_load_acquire(&c->ready) - k) <= 0)
			return 0;
		len = copy_unless_gone(c, buf, k, to, room);
		if (len > 0)
			k++;
		WRITE_ONCE(c->consumed, k);
		if (len)
			return len;
		if (fatal_signal_pending(current))
			return 0;
		cond_resched();
	}
	return 0;
}

/* The next packet of a buffer that is not. Return: as copy_unless_gone(); 0: none is ready. */
static ssize_t take_next(struct lt_channel_cpu *c, struct rchan_buf *buf, char __user *to,
			 size_t room)
{
	const struct lt_packet_header *h = packet_at(buf, buf->subbufs_consumed);
	size_t len;

	/* Acquire: pairs with the release in subbuf_start(). */
	if (smp_load_acquire(&c->ready) == buf->subbufs_consumed)
		return 0;
	len = h->content_bits / 8;
	if (WARN_ON_ONCE(len < sizeof(*h) || len > buf->chan->subbuf_size))
		return 0;
	if (len > room)
		return -EMSGSIZE;
	if (copy_to_user(to, h, len))
		return -EFAULT;
	/*
	 * The copy is complete before the writer may use the space: it
	 * reads subbufs_consumed and writes only if there is room.
	 */
	smp_mb();
	WRITE_ONCE(buf->subbufs_consumed, buf->subbufs_consumed + 1);
	WRITE_ONCE(c->consumed, buf->subbufs_consumed);
	return len;
}

/*
 * Bytes of the open packet; 0: there is none that is whole. In the middle of an event the last
 * record is not, and where that begins is not known. While relay switches packets, the offset
 * is below that of the first record.
 */
static size_t open_bytes(const struct lt_channel_cpu *c)
{
	/* Its CPU may still write: then it is not whole, or has a record more. */
	size_t len = data_race(READ_ONCE(c->buf->offset));

	if (!READ_ONCE(c->open) || READ_ONCE(c->busy))
		return 0;
	return len < sizeof(struct lt_packet_header) || len > c->size ? 0 : len;
}

/* The open packet, with a header as if it were closed now, as the last one. */
static ssize_t save_open(struct lt_channel *ch, unsigned int cpu, void *to, size_t room)
{
	const struct lt_channel_cpu *c = per_cpu_ptr(ch->cpu, cpu);
	const struct lt_packet_header *h = READ_ONCE(c->open);
	struct lt_packet_header *copy = to;
	size_t len = open_bytes(c);

	/* A CPU that could not be stopped may have opened one since @h was read. */
	if (!len || !h)
		return 0;
	if (len > room)
		return -ENOSPC;
	memcpy(copy, h, len);
	/*
	 * It has all until now, as the last packet of a session that is stopped. Its CPU may still
	 * write: a time behind that of the last record is right, too.
	 */
	lt_packet_end(ch, cpu, copy, max_t(u64, data_race(c->last), lt_clock()), len);
	copy->flags |= LT_PACKET_LAST;
	return READ_ONCE(c->open) == h && !READ_ONCE(c->busy) ? len : 0;
}

/**
 * lt_packets_saved() - packets of a CPU since the start, as lt_packet_save() sees them
 * @ch: channel, open
 * @cpu: a possible CPU
 *
 * Context: any, NMI included.
 */
size_t lt_packets_saved(struct lt_channel *ch, unsigned int cpu)
{
	const struct lt_channel_cpu *c = per_cpu_ptr(ch->cpu, cpu);

	return READ_ONCE(c->ready) + (READ_ONCE(c->buf) && open_bytes(c));
}

/**
 * lt_packet_save() - copy one of the newest packets of a CPU while the kernel dies
 * @ch: channel, open; it overwrites packets
 * @cpu: a possible CPU
 * @age: 0: the packet that is open; n: the n-th before it
 * @to: where to
 * @room: bytes that are there
 *
 * No lock is taken: its holder may never run again. A CPU that still writes, because it could not
 * be stopped, may overwrite the packet: then it is gone, as for a reader.
 *
 * Context: any, NMI included.
 * Return: bytes; 0: there is no such packet; -ENOSPC.
 */
ssize_t lt_packet_save(struct lt_channel *ch, unsigned int cpu, size_t age, void *to,
		       size_t room)
{
	const struct lt_channel_cpu *c = per_cpu_ptr(ch->cpu, cpu);
	const struct rchan_buf *buf = READ_ONCE(c->buf);
	const struct lt_packet_header *h;
	size_t ready, len;

	if (!buf)
		return 0;
	if (!age)
		return save_open(ch, cpu, to, room);
	/* Acquire: pairs with the release in subbuf_start(). */
	ready = smp_load_acquire(&c->ready);
	if (age > ready || age > buf->chan->n_subbufs)
		return 0;
	h = packet_at(buf, ready - age);
	/* Its CPU may write another header over it: then it is gone. */
	len = data_race(h->content_bits) / 8;
	smp_rmb();	/* pairs with smp_wmb() in make_room() */
	if (is_gone(c, buf, ready - age) || len < sizeof(*h) || len > buf->chan->subbuf_size)
		return 0;
	if (len > room)
		return -ENOSPC;
	memcpy(to, h, len);
	smp_rmb();	/* pairs with smp_wmb() in make_room() */
	return is_gone(c, buf, ready - age) ? 0 : len;
}

static ssize_t take_packet(struct lt_channel_cpu *c, struct rchan_buf *buf, char __user *to,
			   size_t room)
{
	const struct lt_channel *ch = buf->chan->private_data;

	return ch->overwrite ? take_overwritten(c, buf, to, room) : take_next(c, buf, to, room);
}

static ssize_t packet_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	struct packet_reader *r = file->private_data;
	struct lt_channel_cpu *c = r->c;
	struct rchan_buf *buf = r->buf;
	ssize_t done = security_locked_down(LOCKDOWN_TRACEFS);

	/* It may have come since the file was opened. */
	if (done)
		return done;
	if (mutex_lock_interruptible(&c->read_lock))
		return -ERESTARTSYS;
	if (c->session != r->session)
		done = -EIO;	/* the buffer is gone */
	while (done >= 0) {
		ssize_t len = take_packet(c, buf, to + done, count - done);

		if (!len) {
			/* Acquire: all that was written before the flag is seen. */
			if (!smp_load_acquire(&c->finishing) || c->finished)
				break;
			lt_packets_finish(c, buf);
			if (!c->finished)
				break;
			continue;
		}
		if (len < 0) {
			if (!done)
				done = len;
			break;
		}
		done += len;
		if (fatal_signal_pending(current))
			break;
		cond_resched();
	}
	mutex_unlock(&c->read_lock);
	return done;
}

static __poll_t packet_poll(struct file *file, poll_table *wait)
{
	struct packet_reader *r = file->private_data;
	struct lt_channel_cpu *c = r->c;
	bool finished;

	poll_wait(file, &c->wait, wait);
	/* Its buffer may be gone: only what outlives the session is looked at. */
	if (READ_ONCE(c->session) != r->session)
		return EPOLLHUP;
	smp_mb();	/* pairs with smp_mb() in subbuf_start() */
	/* Acquire: read before @ready; subbuf_start() sets it after @ready. */
	finished = smp_load_acquire(&c->finished);
	/* Acquire: pairs with the release in subbuf_start(). */
	if (smp_load_acquire(&c->ready) != READ_ONCE(c->consumed) ||
	    (READ_ONCE(c->finishing) && !finished))
		return EPOLLIN | EPOLLRDNORM;
	return finished ? EPOLLHUP : 0;
}

/* No mmap and no ioctl: lockdown refuses debugfs files that have them. */
const struct file_operations lt_packet_fops = {
	.owner = THIS_MODULE,
	.open = packet_file_open,
	.read = packet_read,
	.poll = packet_poll,
	.release = packet_file_release,
};

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
 * If no packet is open because the buffer was full, the losses since then are in no packet
 * yet: an empty packet is made for them as soon as there is room.
 *
 * Context: process, c->read_lock held, c->finishing set.
 */
void lt_packets_finish(struct lt_channel_cpu *c, struct rchan_buf *buf)
{
	u64 now = lt_clock();

	c->now = (s64)(now - c->last) < 0 ? c->last : now;
	if (!c->open && !lt_full(buf))
		relay_switch_subbuf(buf, 0);	/* opens one */
	if (c->open)
		relay_switch_subbuf(buf, 0);	/* closes it, and opens none */
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
		struct lt_packet_header *h;
		size_t len;

		/* Acquire: pairs with the release in subbuf_start(). */
		if (smp_load_acquire(&c->ready) == buf->subbufs_consumed) {
			/* Acquire: all that was written before the flag is seen. */
			if (!smp_load_acquire(&c->finishing) || c->finished)
				break;
			lt_packets_finish(c, buf);
			if (!c->finished)
				break;
			continue;
		}
		h = buf->start + buf->subbufs_consumed % buf->chan->n_subbufs *
		    buf->chan->subbuf_size;
		len = h->content_bits / 8;
		if (WARN_ON_ONCE(len < sizeof(*h) || len > buf->chan->subbuf_size))
			break;
		if (len > count - done) {
			if (!done)
				done = -EMSGSIZE;
			break;
		}
		if (copy_to_user(to + done, h, len)) {
			if (!done)
				done = -EFAULT;
			break;
		}
		done += len;
		/*
		 * The copy is complete before the writer may use the space: it
		 * reads subbufs_consumed and writes only if there is room.
		 */
		smp_mb();
		WRITE_ONCE(buf->subbufs_consumed, buf->subbufs_consumed + 1);
		WRITE_ONCE(c->consumed, buf->subbufs_consumed);
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

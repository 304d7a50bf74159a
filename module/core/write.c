// SPDX-License-Identifier: GPL-2.0
/*
 * Reserving a record, out of line: with the records that must stand before it in the
 * packet, and for callers that retry; and records that wait for room after the session.
 */
#include <linux/slab.h>

#include "core/context.h"
#include "core/write.h"

/*
 * relay_reserve() in the buffer of any CPU. Context: as lt_reserve_with_site().
 * Return: NULL: it is full.
 */
static void *reserve_in(struct rchan_buf *buf, size_t size)
{
	void *at;

	if (buf->offset + size > buf->chan->subbuf_size && !relay_switch_subbuf(buf, size))
		return NULL;
	at = buf->data + buf->offset;
	buf->offset += size;
	return at;
}

static const struct {
	unsigned int id;
	size_t size;
} task_records[] = {
	[LT_TASK_AGAIN] = { LT_EV_TASK_AGAIN, sizeof(struct lt_rec_TASK_AGAIN) },
	[LT_TASK_NARROW] = { LT_EV_TASK_NARROW, sizeof(struct lt_rec_TASK_NARROW) },
	[LT_TASK_WHOLE] = { LT_EV_TASK, sizeof(struct lt_rec_TASK) },
};

/* Bytes of the records that must stand before a record, and of a long beginning. */
static size_t size_before(enum lt_task_form task, const struct lt_site_form *site, bool longer)
{
	return (task ? LT_REC_WORD + task_records[task].size : 0) +
	       (site ? LT_REC_WORD + site->size : 0) +
	       (longer ? LT_REC_LONG - LT_REC_WORD : 0);
}

/**
 * lt_reserve_with_site() - reserve a record, and announce its task and site
 * @ch: channel
 * @c: state of this CPU, which has a buffer
 * @id: enum lt_event_id
 * @size: bytes of the payload
 * @form: how its site is announced; NULL: the event has none
 * @announced: its site is announced in the open packet
 * @site: result, if there is a @form: where the payload of the site's record goes, to be filled in
 *	by the caller; NULL: none was reserved
 *
 * To be called where the running task has changed, the time does not fit the short form,
 * the packet is full, or the site is not announced. One reservation holds all records;
 * the record of the task is written here. c->now is the time of the event.
 *
 * Context: between lt_enter() and lt_leave(); or no event is written any more, and the buffer is
 * of any CPU: see lt_write_waiting().
 * Return: where the payload goes; NULL: the buffer is full.
 */
void *lt_reserve_with_site(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int id,
			   size_t size, const struct lt_site_form *form, bool announced,
			   void **site)
{
	const struct lt_site_form *due = announced ? NULL : form;
	enum lt_task_form task = LT_NO_TASK;
	struct lt_rec_TASK running;
	bool longer = (c->now - c->last) >> LT_TIME_BITS;
	size_t need;
	void *rec;

	if (!ch->no_task && lt_context_changed(c))
		task = lt_context_read(c, &running, false);
	need = LT_REC_WORD + size + size_before(task, due, longer);
	if (c->buf->offset + need > c->size) {
		/* A new packet begins now, in which nothing is announced. */
		if (!ch->no_task)
			task = lt_context_read(c, &running, true);
		due = form;
		longer = false;
		need = LT_REC_WORD + size + size_before(task, due, longer);
		/*
		 * Without the long beginning the record may fit into the old packet, and
		 * relay would begin none.
		 */
		if (c->buf->offset + need <= c->size)
			relay_switch_subbuf(c->buf, need);
	}
	rec = reserve_in(c->buf, need);
	if (!rec)
		return NULL;

	if (task) {
		rec = lt_put_word(rec, task_records[task].id, c->now, longer);
		longer = false;
		lt_context_write(c, rec, &running, task);
		rec += task_records[task].size;
	}
	if (form)
		*site = NULL;
	if (due) {
		rec = lt_put_word(rec, due->id, c->now, longer);
		longer = false;
		*site = rec;
		rec += due->size;
	}
	c->last = c->now;
	return lt_put_word(rec, id, c->now, longer);
}

/**
 * lt_reserve_slow() - lt_reserve_with_site() of an event without a site
 * @ch: channel
 * @c: state of this CPU, which has a buffer
 * @id: enum lt_event_id
 * @size: bytes of the payload
 *
 * Context: between lt_enter() and lt_leave().
 * Return: where the payload goes; NULL: the buffer is full.
 */
void *lt_reserve_slow(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int id,
		      size_t size)
{
	return lt_reserve_with_site(ch, c, id, size, NULL, true, NULL);
}

/**
 * lt_reserve_uncounted() - reserve, and count nothing when there is no room
 * @ch: channel
 * @c: state of this CPU
 * @id: enum lt_event_id
 * @size: bytes of the payload
 *
 * For callers that call lt_cancel() and try again later.
 *
 * Context: between lt_enter() and lt_leave() or lt_cancel().
 * Return: where the payload goes; NULL: no room, or no buffer.
 */
void *lt_reserve_uncounted(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int id,
			   size_t size)
{
	u64 now = lt_clock();

	if (!c->buf)
		return NULL;
	c->now = (s64)(now - c->last) < 0 ? c->last : now;
	return lt_reserve_slow(ch, c, id, size);
}

/**
 * lt_half_full() - is half of this CPU's buffer waiting for the reader?
 * @ch: channel
 *
 * Snapshot records may fill half of the buffer; events cannot be retried and get the
 * rest.
 *
 * Context: between lt_enter() and lt_leave() or lt_cancel().
 * Return: true if it is, also when there is no buffer.
 */
bool lt_half_full(struct lt_channel *ch)
{
	struct rchan_buf *buf = this_cpu_ptr(ch->cpu)->buf;

	return !buf || (buf->subbufs_produced - READ_ONCE(buf->subbufs_consumed)) * 2 >=
		       ch->rchan->n_subbufs;
}

/**
 * lt_reserve_no_task() - lt_reserve() for a channel that announces no tasks
 * @ch: channel
 * @c: state of this CPU
 * @class: enum lt_class
 * @id: enum lt_event_id
 * @size: bytes of the payload
 *
 * Out of line: the events of such a channel are rare.
 *
 * Context: between lt_enter() and lt_leave().
 * Return: where the payload goes; NULL: refused, and counted.
 */
void *lt_reserve_no_task(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int class,
			 unsigned int id, size_t size)
{
	void *rec = lt_reserve_uncounted(ch, c, id, size);

	if (rec)
		return rec;
	if (c->buf)
		c->full[LT_CLASS_INDEX(class)]++;
	else
		c->nobuf[LT_CLASS_INDEX(class)]++;
	return NULL;
}

/* ------------------------------------------------------------------------
 * Records that wait for room after the session
 *
 * What the stop of a session writes must not be lost because the buffers are full, and the stop
 * cannot wait for a reader: it may be called by the one that reads, or there may be none. So such
 * records are kept in memory, and go into the packets when the session has stopped, before the
 * last packet of a buffer: as many as there is room for at once, and the others when a reader
 * has emptied a buffer. What is never read is dropped with the buffers.
 */

/**
 * struct waiting - such a record
 * @node: in the channel's list
 * @class: enum lt_class
 * @id: enum lt_event_id
 * @size: bytes of the payload
 * @time: clock units
 * @payload: its fields
 */
struct waiting {
	struct list_head node;
	unsigned int class;
	unsigned int id;
	size_t size;
	u64 time;
	u8 payload[];
};

/**
 * lt_write_later() - keep a record until the session has stopped and there is room
 * @ch: channel
 * @class: enum lt_class
 * @id: enum lt_event_id
 * @payload: its fields, which are copied
 * @size: bytes of them
 *
 * It is counted when it is in a packet. Its time is that of this call.
 *
 * Context: any but interrupts; the session stops, and lt_channel_finish() comes later. One at a
 * time.
 * Return: false: no memory.
 */
bool lt_write_later(struct lt_channel *ch, unsigned int class, unsigned int id,
		    const void *payload, size_t size)
{
	struct waiting *w = kmalloc(sizeof(*w) + size, GFP_NOWAIT | __GFP_NOWARN);

	if (!w)
		return false;
	w->class = class;
	w->id = id;
	w->size = size;
	w->time = lt_clock();
	memcpy(w->payload, payload, size);
	list_add_tail(&w->node, &ch->waiting);
	ch->n_waiting++;
	return true;
}

/* Whether a record fits into the open packet, whatever must stand before it. */
static bool fits_open(const struct lt_channel *ch, const struct lt_channel_cpu *c,
		      const struct waiting *w)
{
	return c->open && c->buf->offset + LT_REC_WORD + w->size +
	       size_before(ch->no_task ? LT_NO_TASK : LT_TASK_WHOLE, NULL, true) <= c->size;
}

/**
 * lt_write_waiting() - put records that wait into the packets of a CPU
 * @ch: channel
 * @c: state of the CPU, any, which has a buffer
 *
 * Where all found room, the caller closes the last packet. If not, the buffer is full; or it is
 * overwritten: these records are not worth the packets that would go for them, which nobody has
 * read, so each CPU takes what its open packet has room for, and lt_n_waiting() says how many are
 * left.
 *
 * Context: process, @c->read_lock held, @c->finishing set.
 */
void lt_write_waiting(struct lt_channel *ch, struct lt_channel_cpu *c)
{
	struct waiting *w;
	void *to;

	mutex_lock(&ch->waiting_lock);
	while ((w = list_first_entry_or_null(&ch->waiting, struct waiting, node)) != NULL) {
		if (ch->overwrite && !fits_open(ch, c, w))
			break;
		c->now = (s64)(w->time - c->last) < 0 ? c->last : w->time;
		/* Still in the list: a packet that is closed for it is not the last. */
		to = lt_reserve_slow(ch, c, w->id, w->size);
		if (!to)
			break;
		memcpy(to, w->payload, w->size);
		c->tried[LT_CLASS_INDEX(w->class)]++;
		list_del(&w->node);
		ch->n_waiting--;
		kfree(w);
	}
	mutex_unlock(&ch->waiting_lock);
}

/* How many wait, or were dropped at the end of the session. Context: process. */
size_t lt_n_waiting(struct lt_channel *ch)
{
	size_t n;

	mutex_lock(&ch->waiting_lock);
	n = ch->n_waiting;
	mutex_unlock(&ch->waiting_lock);
	return n;
}

/* Free those that wait, but keep their number. Context: process; no reader is left. */
void lt_drop_waiting(struct lt_channel *ch)
{
	struct waiting *w, *next;

	list_for_each_entry_safe(w, next, &ch->waiting, node) {
		list_del(&w->node);
		kfree(w);
	}
}

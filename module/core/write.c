// SPDX-License-Identifier: GPL-2.0
/*
 * Reserving a record, out of line: with the records that must stand before it in the
 * packet, and for callers that retry.
 */
#include "core/context.h"
#include "core/write.h"

/* Bytes of the records that must stand before a record, and of a long beginning. */
static size_t size_before(bool task, bool announced, bool longer)
{
	return (task ? LT_REC_WORD + sizeof(struct lt_rec_TASK) : 0) +
	       (announced ? 0 : LT_REC_WORD + sizeof(struct lt_rec_SITE)) +
	       (longer ? LT_REC_LONG - LT_REC_WORD : 0);
}

/**
 * lt_reserve_with_site() - reserve a record, and announce its task and site
 * @ch: channel
 * @c: state of this CPU, which has a buffer
 * @id: enum lt_event_id
 * @size: bytes of the payload
 * @announced: the event has no site, or one that is announced in the open packet
 * @site: result: where the payload of the site's record goes, to be filled in by the
 *	caller; NULL: none was reserved. If @site itself is NULL the event has no site
 *
 * To be called where the running task has changed, the time does not fit the short form,
 * the packet is full, or the site is not announced. One reservation holds all records;
 * the record of the task is written here. c->now is the time of the event.
 *
 * Context: between lt_enter() and lt_leave().
 * Return: where the payload goes; NULL: the buffer is full.
 */
void *lt_reserve_with_site(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int id,
			   size_t size, bool announced, struct lt_rec_SITE **site)
{
	bool task = !ch->no_task && lt_context_changed(c);
	bool longer = (c->now - c->last) >> LT_TIME_BITS;
	size_t need = LT_REC_WORD + size + size_before(task, announced, longer);
	void *rec;

	if (c->buf->offset + need > c->size) {
		/* A new packet begins now, in which nothing is announced. */
		task = !ch->no_task;
		announced = !site;
		longer = false;
		need = LT_REC_WORD + size + size_before(task, announced, longer);
		/*
		 * Without the long beginning the record may fit into the old packet, and
		 * relay would begin none.
		 */
		if (c->buf->offset + need <= c->size)
			relay_switch_subbuf(c->buf, need);
	}
	rec = relay_reserve(ch->rchan, need);
	if (!rec)
		return NULL;

	if (task) {
		rec = lt_put_word(rec, LT_EV_TASK, c->now, longer);
		longer = false;
		lt_context_write(c, rec);
		rec += sizeof(struct lt_rec_TASK);
	}
	if (site)
		*site = NULL;
	if (!announced) {
		rec = lt_put_word(rec, LT_EV_SITE, c->now, longer);
		longer = false;
		*site = rec;
		rec += sizeof(struct lt_rec_SITE);
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
	return lt_reserve_with_site(ch, c, id, size, true, NULL);
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

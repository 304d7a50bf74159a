// SPDX-License-Identifier: GPL-2.0
/*
 * Reserving a record, out of line: where more than the record is written, and
 * for who can wait.
 */
#include "core/channel.h"
#include "core/context.h"

/* Bytes of what must stand before a record, and of a long form on top. */
static size_t size_before(bool task, bool told, bool longer)
{
	return (task ? LT_REC_WORD + sizeof(struct lt_rec_TASK) : 0) +
	       (told ? 0 : LT_REC_WORD + sizeof(struct lt_rec_SITE)) +
	       (longer ? LT_REC_LONG - LT_REC_WORD : 0);
}

/**
 * lt_reserve_told() - reserve when more than the record must be written
 * @ch: channel
 * @c: state of this CPU, which has a buffer
 * @id: enum lt_event_id
 * @size: bytes of the payload
 * @told: the event needs no site, or one that was told in the packet that is open
 * @site: where the payload of the site's record goes, NULL in it: none was reserved;
 *	itself NULL: the event has no site
 *
 * The running task has changed, or the time does not fit the short form, or
 * the packet is full, or the site is to be told. One reservation for all of it;
 * writes the context record where it is due. c->now is the time of the event.
 *
 * Return: as lt_put().
 */
void *lt_reserve_told(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int id,
		      size_t size, bool told, struct lt_rec_SITE **site)
{
	bool task = !ch->plain && lt_context_changed(c);
	bool longer = (c->now - c->last) >> LT_TIME_BITS;
	size_t need = LT_REC_WORD + size + size_before(task, told, longer);
	void *rec;

	if (c->buf->offset + need > c->size) {
		/* A new packet begins now, in which nothing has been told. */
		task = !ch->plain;
		told = !site;
		longer = false;
		need = LT_REC_WORD + size + size_before(task, told, longer);
		/* Would it fit without the long form, no packet began: see to it. */
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
	if (!told) {
		rec = lt_put_word(rec, LT_EV_SITE, c->now, longer);
		longer = false;
		*site = rec;
		rec += sizeof(struct lt_rec_SITE);
	}
	c->last = c->now;
	return lt_put_word(rec, id, c->now, longer);
}

/* As lt_reserve_told(), of an event without a site. */
void *lt_reserve_slow(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int id,
		      size_t size)
{
	return lt_reserve_told(ch, c, id, size, true, NULL);
}

/**
 * lt_reserve_quiet() - reserve, and count nothing when there is no room
 * @ch: channel
 * @c: state of this CPU
 * @id: enum lt_event_id
 * @size: bytes of the payload
 *
 * For who can wait and try again, after lt_cancel(); and for the channel of
 * rare events, in which no record says who is running.
 *
 * Context: between lt_enter() and lt_leave() or lt_cancel().
 * Return: where the payload goes; NULL: no room, or no buffer.
 */
void *lt_reserve_quiet(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int id,
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
 * Who can wait leaves the rest to those who cannot.
 *
 * Context: between lt_enter() and lt_leave() or lt_cancel().
 * Return: yes, also when there is no buffer.
 */
bool lt_half_full(struct lt_channel *ch)
{
	struct rchan_buf *buf = this_cpu_ptr(ch->cpu)->buf;

	return !buf || (buf->subbufs_produced - READ_ONCE(buf->subbufs_consumed)) * 2 >=
		       ch->rchan->n_subbufs;
}

/* As lt_reserve(), out of line, for a channel whose records do not say who runs. */
void *lt_reserve_plain(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int class,
		       unsigned int id, size_t size)
{
	void *rec = lt_reserve_quiet(ch, c, id, size);

	if (rec)
		return rec;
	if (c->buf)
		c->full[LT_CLASS_INDEX(class)]++;
	else
		c->nobuf[LT_CLASS_INDEX(class)]++;
	return NULL;
}

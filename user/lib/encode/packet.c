// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Packets of a stream: begun, ended, handed out; and the running task in them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/mem.h"
#include "encode/internal.h"
#include "format/channel.h"

/* A tight form is stored as 12 bytes, of which the last two are not its own. */
#define SPARE	16U

struct lt_encode_machine lt_encode_this_machine(void)
{
	return (struct lt_encode_machine){
		.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.version_minor = LT_VERSION_MINOR, .size_long = sizeof(long),
		.size_ptr = sizeof(void *), .size_pid = 4, .size_gfp = 4, .page_shift = 12,
	};
}

static bool has_tight(struct lt_encoder *e)
{
	static const unsigned int tight[] = {
		LT_EV_KMALLOC_TIGHT, LT_EV_CACHE_ALLOC_TIGHT, LT_EV_KFREE_TIGHT,
		LT_EV_CACHE_FREE_TIGHT, LT_EV_BULK_ALLOC_TIGHT, LT_EV_BULK_FREE_TIGHT,
		LT_EV_RCU_FREE_TIGHT,
	};
	size_t i = 0;

	while (i < sizeof(tight) / sizeof(tight[0]) && lt_encode_has(e, tight[i]))
		i++;
	return i == sizeof(tight) / sizeof(tight[0]);
}

void lt_encoder_init(struct lt_encoder *e, const struct lt_encode_machine *machine,
		     unsigned int channel, uint32_t cpu, size_t packet_size,
		     lt_encode_take *take, void *arg)
{
	memset(e, 0, sizeof(*e));
	e->machine = *machine;
	if (!e->machine.header_size)
		e->machine.header_size = sizeof(struct lt_packet_header);
	if (!e->machine.n_classes)
		e->machine.n_classes = LT_N_CLASSES;
	e->channel = channel;
	e->cpu = cpu;
	e->take = take;
	e->arg = arg;
	e->limit = packet_size < LT_ENCODE_MIN_PACKET ? LT_ENCODE_MIN_PACKET : packet_size;
	e->room = e->limit;
	e->buf = lt_alloc(e->room + SPARE);
	e->has_tight = has_tight(e);
}

void lt_encoder_restart(struct lt_encoder *e, unsigned int channel, uint32_t cpu)
{
	e->channel = channel;
	e->cpu = cpu;
	memset(e->counts, 0, sizeof(e->counts));
	e->len = 0;
	e->whole = false;
	e->within = false;
	e->fast_limit = 0;
	e->last = 0;
	e->seq = 0;
	e->reported = 0;
	e->has_task = false;
	e->task_due = false;
}

void lt_encoder_destroy(struct lt_encoder *e)
{
	free(e->buf);
	free(e->sites);
	free(e->stacks);
	free(e->tasks);
	memset(e, 0, sizeof(*e));
}

/* ------------------------------------------------------------------------
 * Begin and end
 */

static uint64_t not_before(struct lt_encoder *e, uint64_t time)
{
	if (time >= e->last)
		return time;
	e->clamped++;
	return e->last;
}

/* The tight form takes the fast path in this byte order, while nothing must be announced. */
static void set_fast(struct lt_encoder *e)
{
	size_t limit = e->whole ? e->room : e->limit;

	e->fast_limit = e->len && !e->task_due && !e->plain && e->sites &&
			e->has_tight && lt_encode_same_order(e) ? limit : 0;
}

static void begin(struct lt_encoder *e, uint64_t time)
{
	if (!e->sites && e->channel == LT_CHANNEL_KMEM)
		e->sites = lt_alloc(sizeof(*e->sites));
	e->len = e->machine.header_size;
	e->begin = time;
	e->last = time;
	e->announced = false;
	e->task_due = e->has_task;
	lt_encode_sites_begin(e);
	set_fast(e);
}

void lt_encode_begin(struct lt_encoder *e, uint64_t time)
{
	if (!e->len)
		begin(e, not_before(e, time));
}

static uint8_t *put(const struct lt_encoder *e, uint8_t *p, unsigned int size, uint64_t v)
{
	lt_put_uint(p, size, v, e->machine.big);
	return p + size;
}

static uint64_t sum_of_lost(const struct lt_class_counts *c)
{
	return c->lost_full + c->lost_nmi + c->lost_nested + c->lost_nobuf;
}

/* A trace with fewer classes than this version has fewer counters. */
static void put_counts(const struct lt_encoder *e, uint8_t *p)
{
	for (unsigned int i = 0; i < LT_N_CLASSES && i < e->machine.n_classes; i++) {
		p = put(e, p, 8, e->counts[i].seen);
		p = put(e, p, 8, e->counts[i].lost_full);
		p = put(e, p, 8, e->counts[i].lost_nmi);
		p = put(e, p, 8, e->counts[i].lost_nested);
		p = put(e, p, 8, e->counts[i].lost_nobuf);
		p = put(e, p, 8, e->counts[i].filtered);
	}
}

static void put_header(struct lt_encoder *e, uint64_t end, unsigned int flags)
{
	const struct lt_encode_machine *m = &e->machine;
	uint64_t discarded = 0;
	uint8_t *p = e->buf;

	memset(p, 0, m->header_size);
	for (unsigned int i = 0; i < LT_N_CLASSES; i++)
		discarded += sum_of_lost(&e->counts[i]);
	p = put(e, p, 4, LT_PACKET_MAGIC);
	p = put(e, p, 1, e->channel);
	p = put(e, p, 1, LT_VERSION_MAJOR);
	p = put(e, p, 1, m->version_minor);
	p = put(e, p, 1, m->page_shift);
	p = put(e, p, 2, m->header_size);
	p = put(e, p, 2, flags);
	p = put(e, p, 1, m->size_long);
	p = put(e, p, 1, m->size_ptr);
	p = put(e, p, 1, m->size_pid);
	p = put(e, p, 1, m->size_gfp);
	p = put(e, p, 4, e->cpu);
	p = put(e, p, 4, m->n_classes);
	p = put(e, p, 8, e->seq);
	p = put(e, p, 8, e->begin);
	p = put(e, p, 8, end);
	p = put(e, p, 8, e->len * 8);
	p = put(e, p, 8, e->len * 8);
	p = put(e, p, 8, discarded);
	p = put(e, p, 8, m->text_base);
	p = put(e, p, 8, m->ptr_base);
	p = put(e, p, 8, m->session);
	/* What was alive at a cut is no event of the stream. */
	if (!(flags & LT_PACKET_STATE))
		put_counts(e, p);
}

/* What a header would say that the one before did not: events that have no record. */
static uint64_t left_out(const struct lt_encoder *e)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < LT_N_CLASSES; i++)
		n += sum_of_lost(&e->counts[i]) + e->counts[i].filtered;
	return n;
}

static void end(struct lt_encoder *e, uint64_t time, unsigned int flags)
{
	const struct lt_encode_packet packet = {
		.data = e->buf, .size = e->len, .channel = e->channel, .cpu = e->cpu,
		.seq = e->seq, .begin = e->begin,
		.end = e->packet_flags & LT_PACKET_STATE ? e->cut : time,
	};

	if (e->within)
		flags |= LT_PACKET_WITHIN;
	put_header(e, packet.end, flags | e->packet_flags);
	if (!e->ret)
		e->ret = e->take(e->arg, &packet);
	e->reported = left_out(e);
	e->seq++;
	e->len = 0;
	e->last = time;
	e->fast_limit = 0;
	e->whole = false;
	e->within = false;
}

void lt_encode_end(struct lt_encoder *e, uint64_t time)
{
	if (e->len)
		end(e, not_before(e, time), 0);
}

static bool has_record(const struct lt_encoder *e)
{
	return e->len > e->machine.header_size;
}

void lt_encode_flush(struct lt_encoder *e, uint64_t time)
{
	if (!has_record(e) && left_out(e) == e->reported)
		return;
	lt_encode_begin(e, time);
	lt_encode_end(e, time);
}

void lt_encode_last(struct lt_encoder *e, uint64_t time)
{
	lt_encode_begin(e, time);
	end(e, not_before(e, time), LT_PACKET_LAST);
}

void lt_encode_lost(struct lt_encoder *e, unsigned int class, enum lt_encode_reason reason,
		    uint64_t n)
{
	struct lt_class_counts *c = &e->counts[LT_CLASS_INDEX(class)];

	if (!n)
		return;
	if ((reason == LT_ENCODE_FULL || reason == LT_ENCODE_NOBUF) && has_record(e))
		end(e, e->last, 0);
	c->seen += n;
	switch (reason) {
	case LT_ENCODE_FULL_WITHIN:
		e->within = true;
		c->lost_full += n;
		break;
	case LT_ENCODE_FULL:
		c->lost_full += n;
		break;
	case LT_ENCODE_NMI:
		c->lost_nmi += n;
		break;
	case LT_ENCODE_NESTED:
		c->lost_nested += n;
		break;
	case LT_ENCODE_NOBUF:
		c->lost_nobuf += n;
		break;
	case LT_ENCODE_FILTERED:
		c->filtered += n;
		break;
	}
}

/* ------------------------------------------------------------------------
 * Events, and the running task
 */

static unsigned int task_event(const struct lt_encoder *e)
{
	switch (e->channel) {
	case LT_CHANNEL_AREA:
		return LT_EV_AREA_TASK;
	case LT_CHANNEL_SYSCALL:
		return LT_EV_SYSCALL_TASK;
	case LT_CHANNEL_CALL:
		return LT_EV_CALL_TASK;
	default:
		return LT_EV_TASK;
	}
}

void lt_encode_whole(struct lt_encoder *e)
{
	e->whole = true;
	set_fast(e);
}

/* Makes room in the open packet, or the one that begins next. */
static void grow(struct lt_encoder *e, size_t size)
{
	size_t need = (e->len ? e->len : e->machine.header_size) + size;

	if (need <= e->room)
		return;
	e->room = 2 * need;
	e->buf = lt_realloc(e->buf, e->room + SPARE);
	set_fast(e);
}

static bool same_task(const struct lt_encode_task *a, const struct lt_encode_task *b)
{
	return a->tid == b->tid && a->start == b->start && a->tgid == b->tgid &&
	       a->flags == b->flags && !memcmp(a->comm, b->comm, sizeof(a->comm));
}

static uint8_t number_of(uint32_t tid)
{
	return (uint8_t)(tid * 0x9e3779b1U >> (32 - LT_ENCODE_TASK_BITS));
}

/*
 * The number of the running task in the open packet. Return: whether it stands for that task
 * already. Another one may have had the number before.
 */
static bool number_task(struct lt_encoder *e, uint8_t *number)
{
	struct lt_encode_seen_task *seen;

	if (!e->tasks)
		e->tasks = lt_alloc_array(LT_ENCODE_TASKS, sizeof(*e->tasks));
	*number = number_of(e->task.tid);
	seen = &e->tasks[*number];
	if (seen->stamp == e->stamp && same_task(&seen->task, &e->task))
		return true;
	seen->task = e->task;
	seen->stamp = e->stamp;
	return false;
}

bool lt_encode_is_running(const struct lt_encoder *e, const struct lt_encode_task *task,
			  uint8_t *number)
{
	const struct lt_encode_seen_task *seen;

	*number = number_of(task->tid);
	if (!e->tasks || !e->announced || !e->has_task || e->task.tid != task->tid ||
	    e->task.tgid != task->tgid || e->task.start != task->start)
		return false;
	seen = &e->tasks[*number];
	return seen->stamp == e->stamp && same_task(&seen->task, &e->task);
}

static bool task_is_narrow(const struct lt_encode_task *t)
{
	const struct lt_rec_TASK_NARROW rec;

	return !(t->tid >> 8 * sizeof(rec.tid)) && !(t->tgid >> 8 * sizeof(rec.tgid)) &&
	       !(t->start >> 8 * sizeof(rec.start)) &&
	       strnlen(t->comm, sizeof(t->comm)) <= sizeof(rec.comm);
}

static void put_narrow_task(struct lt_encoder *e, uint64_t time, unsigned int context,
			    unsigned int event, uint8_t number)
{
	const struct lt_encode_task *t = &e->task;
	struct lt_rec_TASK_NARROW rec = { .flags = t->flags, .number = number };

	lt_put_uint(rec.tid, sizeof(rec.tid), t->tid, LT_BIG_ENDIAN);
	lt_put_uint(rec.tgid, sizeof(rec.tgid), t->tgid, LT_BIG_ENDIAN);
	lt_put_uint(rec.start, sizeof(rec.start), t->start, LT_BIG_ENDIAN);
	memcpy(rec.comm, t->comm, sizeof(rec.comm));
	lt_encode_put(e, time, context, event, &rec);
}

static void announce_task(struct lt_encoder *e, uint64_t time, unsigned int context)
{
	const struct lt_encode_task *t = &e->task;
	unsigned int event = task_event(e), again = LT_EV(e->channel, LT_EV_ID(LT_EV_TASK_AGAIN));
	unsigned int narrow = LT_EV(e->channel, LT_EV_ID(LT_EV_TASK_NARROW));
	struct lt_rec_TASK rec = {
		.tid = t->tid, .tgid = t->tgid, .start = t->start, .flags = t->flags,
	};
	struct lt_rec_TASK_AGAIN same;

	memcpy(rec.comm, t->comm, sizeof(rec.comm));
	/* The trace may be of an earlier version, without numbers, or without the narrow form. */
	if (lt_encode_has(e, again) && number_task(e, &rec.number)) {
		same.number = rec.number;
		lt_encode_put(e, time, context, again, &same);
	} else if (!e->plain && task_is_narrow(t) && lt_encode_has(e, narrow)) {
		put_narrow_task(e, time, context, narrow, rec.number);
	} else {
		lt_encode_put(e, time, context, event, &rec);
	}
	e->announced = true;
	e->task_due = false;
	set_fast(e);
}

uint64_t lt_encode_ready(struct lt_encoder *e, uint64_t time, unsigned int context, size_t size)
{
	size += LT_REC_LONG - LT_REC_WORD;
	if (e->has_task)
		size += lt_encode_room(e, 1, sizeof(struct lt_rec_TASK));
	time = not_before(e, time);
	if (e->whole)
		grow(e, size);
	else if (has_record(e) && e->len + size > e->limit)
		end(e, time, 0);
	if (!e->len)
		begin(e, time);
	if (e->task_due)
		announce_task(e, time, context);
	return time;
}

void lt_encode_run(struct lt_encoder *e, const struct lt_encode_task *task)
{
	const struct lt_channel *channel = lt_channel_get(e->channel);

	if (!channel || !channel->announces_task)
		return;
	if (!task) {
		/* No record says that the task is not known, but the begin of a packet does. */
		if (e->announced && has_record(e))
			end(e, e->last, 0);
		e->has_task = false;
		e->task_due = false;
	} else if (!e->has_task || !same_task(&e->task, task)) {
		e->task = *task;
		e->has_task = true;
		e->task_due = true;
	}
	set_fast(e);
}

void lt_encode_run_again(struct lt_encoder *e)
{
	e->task_due = e->has_task;
	set_fast(e);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Reading back what the self-test recorded.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "core/channel.h"
#include "core/context.h"
#include "kmem/object.h"
#include "selftest/selftest.h"

static size_t payload_size(unsigned int id)
{
	switch (id) {
#define PAYLOAD_SIZE(CHANNEL, id, NAME, name, CLASS, text)	\
	case LT_EV_##NAME:					\
		return sizeof(struct lt_rec_##NAME);
	LT_EVENTS(PAYLOAD_SIZE)
	}
	return 0;
}

/* The inverse of LT_LONG_CONTEXT(). */
static unsigned int long_context(u8 byte)
{
#ifdef __BIG_ENDIAN
	return byte >> 6;
#else
	return byte & 3;
#endif
}

/**
 * struct said - what a packet has announced, by the numbers
 * @tasks: the tasks
 * @sites: the call sites
 * @has_site: that there is an entry in @sites
 */
struct said {
	struct lt_rec_TASK tasks[LT_TASKS];
	struct lt_rec_SITE sites[LT_SITES];
	bool has_site[LT_SITES];
};

/* Whether a record announces the task that runs; it is f->task then. */
static bool take_task(struct lt_found *f, const void *payload, struct said *said)
{
	const struct lt_rec_TASK_NARROW *narrow = payload;
	const struct lt_rec_TASK *whole = payload;
	struct lt_rec_TASK *task;

	switch (f->id) {
	case LT_EV_TASK:
		task = &said->tasks[whole->number % LT_TASKS];
		*task = *whole;
		break;
	case LT_EV_TASK_NARROW:
		task = &said->tasks[narrow->number % LT_TASKS];
		*task = (struct lt_rec_TASK){
			.tid = lt_get_first(narrow->tid, sizeof(narrow->tid)),
			.tgid = lt_get_first(narrow->tgid, sizeof(narrow->tgid)),
			.start = lt_get_first(narrow->start, sizeof(narrow->start)),
			.flags = narrow->flags, .number = narrow->number,
		};
		memcpy(task->comm, narrow->comm, sizeof(narrow->comm));
		break;
	case LT_EV_TASK_AGAIN:
		task = &said->tasks[((struct lt_rec_TASK_AGAIN *)payload)->number % LT_TASKS];
		break;
	default:
		return false;
	}
	f->task = task;
	return true;
}

static void take_site(struct lt_found *f, const void *payload, struct said *said)
{
	struct lt_rec_SITE site;
	unsigned int i;

	f->site = NULL;
	if (lt_site_said(f->id, payload, &site)) {
		if (site.site < LT_SITES) {
			said->sites[site.site] = site;
			said->has_site[site.site] = true;
		}
	} else if (lt_is_brief(f->id)) {
		i = lt_brief_site(payload);
		if (i < LT_SITES && said->has_site[i])
			f->site = &said->sites[i];
	}
}

/* Decode the records of a packet. */
static int walk_packet(const struct lt_packet_header *h, struct said *said,
		       void (*fn)(const struct lt_found *f, const void *payload))
{
	const void *p = (void *)h + h->header_size, *end = (void *)h + h->content_bits / 8;
	struct lt_found f = { .time = h->timestamp_begin };

	memset(said, 0, sizeof(*said));
	while (p < end) {
		u32 word = get_unaligned((u32 *)p);

		f.id = LT_WORD_ID(word);
		f.context = LT_WORD_CONTEXT(word);
		if (f.id == LT_EV_LONG) {
			f.id = get_unaligned((u16 *)(p + LT_LONG_ID));
			f.time = get_unaligned((u64 *)(p + LT_LONG_TIME));
			f.context = long_context(*(u8 *)(p + LT_LONG_CTX));
			p += LT_REC_LONG;
		} else {
			f.time += (LT_WORD_LOW(word) - (u32)f.time) & LT_TIME_MASK;
			p += LT_REC_WORD;
		}
		f.id = LT_EV(h->channel, f.id);
		if (!payload_size(f.id)) {
			pr_err("lifetrace: self-test: a packet holds a record with id %u; not loading\n",
			       f.id);
			return -EPROTO;
		}
		if (!take_task(&f, p, said))
			take_site(&f, p, said);
		fn(&f, p);
		p += payload_size(f.id);
	}
	return 0;
}

/**
 * lt_selftest_walk() - walk over all records that were written
 * @ch: channel; stopped, open, and no packet was read from it
 * @fn: called for each record
 *
 * Context: process, may sleep.
 * Return: 0, -ENOMEM, -EPROTO: there is something that is no record, said in the log.
 */
int lt_selftest_walk(struct lt_channel *ch,
		     void (*fn)(const struct lt_found *f, const void *payload))
{
	struct said *said;
	unsigned int cpu;
	int err = 0;

	said = kvzalloc(sizeof(*said), GFP_KERNEL);
	if (!said)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct lt_channel_cpu *c = per_cpu_ptr(ch->cpu, cpu);
		struct rchan_buf *buf = *per_cpu_ptr(ch->rchan->buf, cpu);
		size_t i;

		for (i = 0; buf && i < c->ready && !err; i++)
			err = walk_packet(buf->start + i * ch->rchan->subbuf_size, said, fn);
	}
	kvfree(said);
	return err;
}

/**
 * lt_selftest_lost() - did a buffer overflow, so that a record may be missing?
 * @ch: channel
 *
 * Context: process; the session has stopped.
 */
bool lt_selftest_lost(struct lt_channel *ch)
{
	struct lt_class_counts counts[LT_N_CLASSES];
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		lt_channel_counts(ch, cpu, counts);
		for (i = 0; i < LT_N_CLASSES; i++)
			if (counts[i].lost_full || counts[i].lost_nobuf)
				return true;
	}
	return false;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Rings of raw records, and the streams of packets that they become.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bpf/transcode_internal.h"
#include "encode/texts.h"
#include "syscalls/names.h"

#define KMEM_PACKET	(256U << 10)
#define OTHER_PACKET	(64U << 10)

struct lt_transcode *lt_transcode_new(const struct lt_transcode_config *config)
{
	struct lt_transcode *t = lt_alloc(sizeof(*t));

	t->config = *config;
	t->abi = lt_abi_of(config->machine_name, false);
	t->compat_abi = lt_abi_of(config->machine_name, true);
	return t;
}

void lt_transcode_free(struct lt_transcode *t)
{
	if (!t)
		return;
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		for (size_t cpu = 0; cpu < t->n_rings[channel]; cpu++) {
			struct lt_transcode_ring *r = t->rings[channel][cpu];

			if (r)
				lt_encoder_destroy(&r->e);
			free(r);
		}
		free(t->rings[channel]);
	}
	lt_transcode_refs_free(t);
	lt_transcode_numbers_free(t);
	free(t);
}

struct lt_transcode_ring *lt_transcode_ring(struct lt_transcode *t, unsigned int channel,
					    uint32_t cpu)
{
	struct lt_transcode_ring **rings = t->rings[channel], *r;
	size_t size = t->config.packet_size[channel];

	if (cpu >= t->n_rings[channel]) {
		rings = lt_extend(rings, &t->n_rings[channel], cpu + 1, sizeof(*rings));
		t->rings[channel] = rings;
	}
	if (rings[cpu])
		return rings[cpu];
	r = lt_alloc(sizeof(*r));
	r->t = t;
	if (!size)
		size = channel == LT_CHANNEL_KMEM ? KMEM_PACKET : OTHER_PACKET;
	lt_encoder_init(&r->e, &t->config.machine, channel, cpu, size, t->config.take,
			t->config.arg);
	rings[cpu] = r;
	return r;
}

void lt_transcode_exact(struct lt_transcode *t)
{
	t->exact = true;
}

struct lt_encoder *lt_transcode_encoder(struct lt_transcode_ring *r)
{
	return &r->e;
}

/* ------------------------------------------------------------------------
 * Polls
 */

static uint64_t more(uint64_t now, uint64_t before)
{
	/* Counts that go back are none. */
	return now > before ? now - before : 0;
}

static uint64_t sum_of_losses(const struct lt_class_counts *c)
{
	return c->lost_full + c->lost_nmi + c->lost_nested + c->lost_nobuf;
}

/*
 * A packet with events before this poll ends, so that the losses lie behind it. What was filtered
 * has no place, and needs none.
 */
static void begin_losses(struct lt_transcode_ring *r, const struct lt_class_counts *counts)
{
	r->losses = false;
	for (unsigned int i = 0; i < LT_N_CLASSES; i++)
		r->losses |= sum_of_losses(&counts[i]) > sum_of_losses(&r->counts[i]);
	if (!r->losses)
		return;
	lt_encode_end(&r->e, r->e.last);
	lt_encode_whole(&r->e);
}

/* How many more of a class were lost than as of the poll before. */
static uint64_t lost_more(const struct lt_transcode_ring *r, const struct lt_class_counts *counts,
			  unsigned int class)
{
	unsigned int i = LT_CLASS_INDEX(class);

	return more(sum_of_losses(&counts[i]), sum_of_losses(&r->counts[i]));
}

void lt_transcode_begin(struct lt_transcode_ring *r, const struct lt_class_counts *counts)
{
	r->checked = counts;
	r->losses = false;
	if (!counts)
		return;
	begin_losses(r, counts);
	if (r->e.channel == LT_CHANNEL_PID)
		lt_transcode_lost_births(r, lost_more(r, counts, LT_CLASS_BIRTH),
					 lost_more(r, counts, LT_CLASS_NUMBER));
	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		const struct lt_class_counts *c = &counts[i], *old = &r->counts[i];
		unsigned int class = LT_CLASS(r->e.channel, i);

		lt_encode_lost(&r->e, class, LT_ENCODE_FULL_WITHIN,
			       more(c->lost_full + c->lost_nobuf,
				    old->lost_full + old->lost_nobuf));
		lt_encode_lost(&r->e, class, LT_ENCODE_NMI, more(c->lost_nmi, old->lost_nmi));
		lt_encode_lost(&r->e, class, LT_ENCODE_NESTED,
			       more(c->lost_nested, old->lost_nested));
		lt_encode_lost(&r->e, class, LT_ENCODE_FILTERED,
			       more(c->filtered, old->filtered));
		r->counts[i] = *c;
	}
}

static bool take_task(struct lt_transcode_ring *r, const struct lt_raw_task *raw)
{
	struct lt_encode_task task = {
		.tid = raw->tid, .tgid = raw->tgid, .start = raw->start,
		.flags = (uint8_t)raw->flags,
	};

	memcpy(task.comm, raw->comm, strnlen(raw->comm, sizeof(task.comm)));
	lt_encode_run(&r->e, &task);
	return true;
}

/* Out of line: the other way needs no room on the stack. */
static __attribute__((noinline)) void take_rest(struct lt_transcode_ring *r,
						const struct lt_raw *raw)
{
	bool known = false;

	if (raw->kind == LT_RAW_TASK)
		known = take_task(r, (const struct lt_raw_task *)raw);
	else if (r->e.channel == LT_CHANNEL_KMEM)
		known = lt_transcode_kmem(r, raw);
	else if (r->e.channel == LT_CHANNEL_SYSCALL)
		known = lt_transcode_sys(r, raw);
	else if (r->e.channel == LT_CHANNEL_PID)
		known = lt_transcode_pid(r, raw);
	else if (r->e.channel == LT_CHANNEL_AREA)
		known = lt_transcode_area(r, raw);
	r->t->odd.unknown += !known;
}

void lt_transcode_record(void *arg, const struct lt_raw *raw)
{
	struct lt_transcode_ring *r = arg;

	if (r->e.channel != LT_CHANNEL_KMEM || !lt_transcode_fast(r, raw))
		take_rest(r, raw);
}

uint64_t lt_transcode_end(struct lt_transcode_ring *r, uint64_t now)
{
	uint64_t off = 0;

	if (r->losses)
		lt_encode_flush(&r->e, now > r->e.last ? now : r->e.last);
	for (unsigned int i = 0; i < LT_N_CLASSES && r->checked; i++)
		off += r->counts[i].seen + r->own[i] > r->e.counts[i].seen ?
		       r->counts[i].seen + r->own[i] - r->e.counts[i].seen :
		       r->e.counts[i].seen - r->counts[i].seen - r->own[i];
	r->checked = false;
	r->losses = false;
	return off;
}

/* ------------------------------------------------------------------------
 * All rings
 */

static void for_each_ring(const struct lt_transcode *t,
			  void (*act)(struct lt_transcode_ring *r, void *arg), void *arg)
{
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		for (size_t cpu = 0; cpu < t->n_rings[channel]; cpu++) {
			if (t->rings[channel][cpu])
				act(t->rings[channel][cpu], arg);
		}
	}
}

static uint64_t not_before(const struct lt_transcode_ring *r, uint64_t now)
{
	return now > r->e.last ? now : r->e.last;
}

static void flush(struct lt_transcode_ring *r, void *arg)
{
	lt_encode_flush(&r->e, not_before(r, *(const uint64_t *)arg));
}

void lt_transcode_flush(struct lt_transcode *t, uint64_t now)
{
	for_each_ring(t, flush, &now);
}

static void end_stream(struct lt_transcode_ring *r, void *arg)
{
	lt_encode_last(&r->e, not_before(r, *(const uint64_t *)arg));
}

void lt_transcode_last(struct lt_transcode *t, uint64_t now)
{
	for_each_ring(t, end_stream, &now);
}

static void add_stats(struct lt_transcode_ring *r, void *arg)
{
	lt_encode_stream_stats(arg, &r->e);
}

void lt_transcode_stats(const struct lt_transcode *t, struct lt_str *text)
{
	for_each_ring(t, add_stats, text);
	lt_str_add(text, "cache_overflow %llu\n", (unsigned long long)t->caches.overflow);
	lt_str_add(text, "pid_ns_without_id %llu\n", (unsigned long long)t->without_id);
	if (t->odd.stacks)
		lt_str_add(text, "stacks_without_caller %llu\n",
			   (unsigned long long)t->odd.stacks);
}

static void add_odd(struct lt_transcode_ring *r, void *arg)
{
	struct lt_transcode_odd *odd = arg;

	odd->late += r->e.clamped;
	if (!odd->ret)
		odd->ret = r->e.ret;
}

struct lt_transcode_odd lt_transcode_odd(const struct lt_transcode *t)
{
	struct lt_transcode_odd odd = t->odd;

	odd.caches = t->caches.overflow;
	for_each_ring(t, add_odd, &odd);
	return odd;
}

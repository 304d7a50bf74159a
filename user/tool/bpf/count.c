// SPDX-License-Identifier: GPL-2.0
/*
 * What was seen, written and lost.
 *
 * The kernel counts how often it skipped each program. What copy 0 missed, or left to the others,
 * and no other copy took, is lost:
 *
 *	skipped = missed(0) + passed - runs(1) - runs(2)
 *
 * The counts are not read at one moment. They are read again until those of the copies stand still
 * around those of the kernel; an event that is between two copies at that moment is counted too
 * much. Where tracepoints are preemptible, it may stay there for as long as its task does not run:
 * see lt_bpf_poll().
 */
#ifdef LT_HAVE_LIBBPF

#include <string.h>

#include "bpf/internal.h"

#define TRIES	8

uint64_t lt_bpf_missed(const struct lt_bpf *b, const struct lt_bpf_probe *p, unsigned int copy)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);

	if (!p->programs[copy])
		return 0;
	if (b->lib->bpf_obj_get_info_by_fd(b->lib->bpf_program__fd(p->programs[copy]), &info, &len))
		return 0;
	return info.recursion_misses;
}

static uint64_t load(const __u64 *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static void runs_of(const struct lt_bpf *b, const struct lt_bpf_channel *c, unsigned int event,
		    struct lt_bpf_copies *to)
{
	memset(to->runs, 0, sizeof(to->runs));
	to->passed = 0;
	for (unsigned int cpu = 0; cpu < b->n_cpus; cpu++) {
		const struct lt_bpf_cpu *s = lt_bpf_state(&c->ring, cpu);

		for (unsigned int copy = 0; copy < LT_BPF_COPIES; copy++)
			to->runs[copy] += load(&s->runs[copy][event]);
		to->passed += load(&s->passed[event]);
	}
}

uint64_t lt_bpf_taken_by_others(const struct lt_bpf *b, const struct lt_bpf_channel *c,
				const struct lt_bpf_probe *p)
{
	struct lt_bpf_copies copies;

	runs_of(b, c, p->def->event, &copies);
	return copies.runs[1] + copies.runs[2];
}

static void copies_of(const struct lt_bpf *b, const struct lt_bpf_channel *c,
		      const struct lt_bpf_probe *p, struct lt_bpf_copies *to)
{
	struct lt_bpf_copies before;

	for (unsigned int i = 0; i < TRIES; i++) {
		runs_of(b, c, p->def->event, &before);
		for (unsigned int copy = 0; copy < LT_BPF_COPIES; copy++)
			to->missed[copy] = lt_bpf_missed(b, p, copy);
		runs_of(b, c, p->def->event, to);
		if (before.runs[1] == to->runs[1] && before.runs[2] == to->runs[2] &&
		    before.passed == to->passed)
			break;
		/* Too much rather than too little. */
		if (i == TRIES - 1)
			memcpy(to->runs, before.runs, sizeof(to->runs));
	}
	to->passed += p->early;
}

static uint64_t skipped_of(const struct lt_bpf_copies *c)
{
	uint64_t to_others = c->missed[0] + c->passed, taken = c->runs[1] + c->runs[2];

	return to_others > taken ? to_others - taken : 0;
}

/* Of what its losses are lost records. */
static unsigned int lost_class(const struct lt_bpf_def *d)
{
	return d->class != LT_CLASS_NONE ? d->class : d->lost;
}

/*
 * What was skipped up to the look before, and is not yet written. Return: more than is known to be
 * lost.
 */
bool lt_bpf_look_skipped(struct lt_bpf *b, struct lt_bpf_channel *c)
{
	bool more = false;

	memset(c->skipped_now, 0, sizeof(c->skipped_now));
	for (size_t i = 0; i < c->n_probes; i++) {
		const struct lt_bpf_probe *p = &c->probes[i];
		struct lt_bpf_copies copies = { 0 };

		if (lost_class(p->def) == LT_CLASS_NONE || !p->ever)
			continue;
		copies_of(b, c, p, &copies);
		c->skipped_now[LT_CLASS_INDEX(lost_class(p->def))] += skipped_of(&copies);
	}
	for (size_t i = 0; i < LT_N_CLASSES; i++) {
		if (b->detached || c->skipped_now[i] < c->skipped_next[i])
			c->skipped_next[i] = c->skipped_now[i];
		more |= c->skipped_next[i] > c->skipped[i];
	}
	return more;
}

/* What was skipped up to the look before, and is not written now, is lost. */
void lt_bpf_take_skipped(struct lt_bpf_channel *c)
{
	for (size_t i = 0; i < LT_N_CLASSES; i++) {
		if (c->skipped_next[i] > c->skipped[i])
			c->skipped[i] = c->skipped_next[i];
		c->skipped_next[i] = c->skipped_now[i];
	}
}

uint64_t lt_bpf_skipped(const struct lt_bpf *b, unsigned int class)
{
	struct lt_bpf_channel *c = lt_bpf_find((struct lt_bpf *)b, LT_CLASS_CHANNEL(class));

	return c ? c->skipped[LT_CLASS_INDEX(class)] : 0;
}

static uint64_t unclassed(const struct lt_bpf *b, const struct lt_bpf_channel *c,
			  const struct lt_bpf_probe *p)
{
	struct lt_bpf_copies copies = { 0 };
	uint64_t n = 0;

	if (!c->object || !p->ever)
		return 0;
	for (unsigned int cpu = 0; cpu < b->n_cpus; cpu++)
		n += load(&lt_bpf_state(&c->ring, cpu)->full[p->def->event]);
	copies_of(b, c, p, &copies);
	return n + skipped_of(&copies);
}

uint64_t lt_bpf_unclassed(const struct lt_bpf *b, const char *event)
{
	uint64_t n = 0;

	for (size_t part = 0; part < LT_BPF_N_PARTS; part++) {
		const struct lt_bpf_channel *c = &b->channels[part];

		for (size_t i = 0; i < c->n_probes; i++) {
			const struct lt_bpf_probe *p = &c->probes[i];

			if (p->def->class == LT_CLASS_NONE && !strcmp(p->def->name, event))
				n += unclassed(b, c, p);
		}
	}
	return n;
}

void lt_bpf_counts(struct lt_bpf *b, unsigned int channel, uint32_t cpu,
		   struct lt_class_counts counts[LT_N_CLASSES])
{
	struct lt_bpf_channel *c = lt_bpf_find(b, channel);

	memset(counts, 0, LT_N_CLASSES * sizeof(*counts));
	if (!c || cpu >= b->n_cpus)
		return;
	for (size_t i = 0; i < c->n_probes; i++) {
		const struct lt_bpf_def *d = c->probes[i].def;
		const struct lt_bpf_cpu *s = lt_bpf_state(&c->ring, cpu);
		struct lt_class_counts *k, *failed;
		uint64_t fails;

		fails = load(&s->failed[d->event]);
		if (d->failed != LT_CLASS_NONE) {
			failed = &counts[LT_CLASS_INDEX(d->failed)];
			failed->seen += fails;
			failed->lost_full += load(&s->failed_full[d->event]);
		}
		if (lost_class(d) == LT_CLASS_NONE)
			continue;
		k = &counts[LT_CLASS_INDEX(lost_class(d))];
		if (d->class == LT_CLASS_NONE) {
			k->seen += load(&s->full[d->event]);
			k->lost_full += load(&s->full[d->event]);
			continue;
		}
		k->seen += load(&s->more[d->event]) - fails;
		for (unsigned int copy = 0; copy < LT_BPF_COPIES; copy++)
			k->seen += load(&s->runs[copy][d->event]);
		k->lost_full += load(&s->full[d->event]);
		k->filtered += load(&s->filtered[d->event]);
	}
}

/* Event @i among the events that users know. */
static const struct lt_bpf_probe *probe_at(const struct lt_bpf *b, size_t i,
					   const struct lt_bpf_channel **channel)
{
	for (size_t part = 0; part < LT_BPF_N_PARTS; part++) {
		*channel = &b->channels[part];
		for (size_t k = 0; k < (*channel)->n_probes; k++) {
			if (!(*channel)->probes[k].hidden && !i--)
				return &(*channel)->probes[k];
		}
	}
	return NULL;
}

size_t lt_bpf_n_events(const struct lt_bpf *b)
{
	const struct lt_bpf_channel *channel;
	size_t n = 0;

	while (probe_at(b, n, &channel))
		n++;
	return n;
}

const struct lt_bpf_event *lt_bpf_event(const struct lt_bpf *b, size_t i)
{
	const struct lt_bpf_channel *channel;
	const struct lt_bpf_probe *p = probe_at(b, i, &channel);

	return p ? &p->shown : NULL;
}

void lt_bpf_event_copies(struct lt_bpf *b, size_t i, struct lt_bpf_copies *c)
{
	const struct lt_bpf_channel *channel;
	const struct lt_bpf_probe *p = probe_at(b, i, &channel);

	*c = (struct lt_bpf_copies){ 0 };
	if (p && channel->object)
		copies_of(b, channel, p, c);
}

#endif /* LT_HAVE_LIBBPF */

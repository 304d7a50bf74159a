// SPDX-License-Identifier: GPL-2.0
/*
 * The rings, from the side of the reader; see prog/ring.h.
 *
 * A record is read when the word with its kind is there. What was read is zeroed before its room is
 * given back, so that the next record there is not there before it is written.
 */
#ifdef LT_HAVE_LIBBPF

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "bpf/internal.h"

/* Room is given back in such steps, so that a slow reader does not make the ring full. */
#define STEP	(64U << 10)

static void *map(const struct lt_bpf *b, const struct bpf_map *m, size_t entries, size_t *size,
		 struct lt_why *why)
{
	void *at;

	*size = ((size_t)b->lib->bpf_map__value_size(m) + 7) / 8 * 8 * entries;
	*size = (*size + 4095) / 4096 * 4096;
	at = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, b->lib->bpf_map__fd(m), 0);
	if (at != MAP_FAILED)
		return at;
	lt_why_set(why, "the map %.32s cannot be mapped: %s", b->lib->bpf_map__name(m),
		   strerror(errno));
	return NULL;
}

bool lt_bpf_ring_map(struct lt_bpf *b, struct lt_bpf_channel *c, struct lt_why *why)
{
	struct bpf_map *ring = b->lib->bpf_object__find_map_by_name(c->object, "ring");
	struct bpf_map *cpus = b->lib->bpf_object__find_map_by_name(c->object, "cpus");
	struct lt_bpf_ring *r = &c->ring;

	r->element = (b->lib->bpf_map__value_size(ring) + 7) / 8 * 8;
	r->cpus = map(b, cpus, b->n_cpus, &r->mapped_cpus, why);
	if (!r->cpus)
		return false;
	r->bytes = map(b, ring, (size_t)b->n_cpus * r->packets, &r->mapped_bytes, why);
	if (!r->bytes)
		return false;
	r->read = lt_alloc_array(b->n_cpus, sizeof(*r->read));
	r->until = lt_alloc_array(b->n_cpus, sizeof(*r->until));
	r->next = lt_alloc_array(b->n_cpus, sizeof(*r->next));
	r->now = lt_alloc_array(b->n_cpus, sizeof(*r->now));
	for (unsigned int i = 0; i < b->n_cpus; i++)
		r->cpus[i].word = UINT64_MAX;
	return true;
}

void lt_bpf_ring_unmap(struct lt_bpf *b, struct lt_bpf_ring *r)
{
	(void)b;
	if (r->cpus)
		munmap(r->cpus, r->mapped_cpus);
	if (r->bytes)
		munmap(r->bytes, r->mapped_bytes);
	free(r->read);
	free(r->until);
	free(r->next);
	free(r->now);
	*r = (struct lt_bpf_ring){ 0 };
}

/* Where the rings end now. */
void lt_bpf_ring_look(const struct lt_bpf *b, struct lt_bpf_ring *r)
{
	for (unsigned int cpu = 0; cpu < b->n_cpus; cpu++)
		r->now[cpu] = __atomic_load_n(&r->cpus[cpu].pos, __ATOMIC_ACQUIRE);
}

/* Gives the records up to where the rings ended at the look before. */
void lt_bpf_ring_take(const struct lt_bpf *b, struct lt_bpf_ring *r)
{
	for (unsigned int cpu = 0; cpu < b->n_cpus; cpu++) {
		r->until[cpu] = b->detached ? r->now[cpu] : r->next[cpu];
		r->next[cpu] = r->now[cpu];
	}
}

/* Is the ring of a CPU half full? */
bool lt_bpf_ring_is_filling(const struct lt_bpf *b, const struct lt_bpf_ring *r)
{
	for (unsigned int cpu = 0; cpu < b->n_cpus; cpu++) {
		if (r->now[cpu] - r->read[cpu] > (uint64_t)r->packets * LT_BPF_ELEMENT / 2)
			return true;
	}
	return false;
}

struct lt_bpf_channel *lt_bpf_find(struct lt_bpf *b, unsigned int channel)
{
	for (size_t i = 0; i < LT_BPF_N_PARTS; i++) {
		if (b->channels[i].object && b->channels[i].channel == channel)
			return &b->channels[i];
	}
	return NULL;
}

static uint8_t *record_at(const struct lt_bpf_ring *r, uint32_t cpu, uint64_t pos)
{
	size_t at = (size_t)cpu * r->packets +
		    ((pos >> LT_BPF_ELEMENT_SHIFT) & (r->packets - 1));

	return r->bytes + at * r->element + (pos & (LT_BPF_ELEMENT - 1));
}

static void give_back(struct lt_bpf_ring *r, uint32_t cpu)
{
	__atomic_store_n(&r->cpus[cpu].consumer, r->read[cpu], __ATOMIC_RELEASE);
}

/* Bytes of the record, whose word with the kind is there; 0: damaged. */
static uint32_t size_of(const struct lt_bpf_ring *r, const struct lt_raw *raw)
{
	uint32_t size = lt_raw_size(raw);

	return size <= r->element - LT_BPF_ELEMENT ? size : 0;
}

static bool is_writing(const struct lt_bpf_ring *r, uint32_t cpu)
{
	uint64_t end = __atomic_load_n(&r->cpus[cpu].pos, __ATOMIC_ACQUIRE), at = r->read[cpu];

	while (at < end) {
		const uint8_t *rec = record_at(r, cpu, at);
		uint32_t size = 0;

		if (__atomic_load_n((const uint64_t *)rec + 1, __ATOMIC_ACQUIRE))
			size = size_of(r, (const void *)rec);
		if (!size)
			return true;
		at += size;
	}
	return false;
}

/* Is there a record that was reserved, and is not there yet? */
bool lt_bpf_is_writing(const struct lt_bpf *b)
{
	for (size_t i = 0; i < LT_BPF_N_PARTS; i++) {
		for (unsigned int cpu = 0; b->channels[i].object && cpu < b->n_cpus; cpu++) {
			if (is_writing(&b->channels[i].ring, cpu))
				return true;
		}
	}
	return false;
}

long lt_bpf_read(struct lt_bpf *b, unsigned int channel, uint32_t cpu, lt_bpf_take *take,
		 void *arg)
{
	struct lt_bpf_channel *c = lt_bpf_find(b, channel);
	struct lt_bpf_ring *r = c ? &c->ring : NULL;
	uint64_t given;
	long n = 0;

	if (!c || cpu >= b->n_cpus)
		return 0;
	given = r->read[cpu];
	while (r->read[cpu] < r->until[cpu]) {
		uint8_t *at = record_at(r, cpu, r->read[cpu]);
		uint32_t size;

		if (!__atomic_load_n((uint64_t *)at + 1, __ATOMIC_ACQUIRE))
			break;
		size = size_of(r, (const void *)at);
		if (!size)
			return -1;
		take(arg, (const void *)at);
		memset(at, 0, size);
		r->read[cpu] += size;
		n++;
		if (r->read[cpu] - given >= STEP) {
			give_back(r, cpu);
			given = r->read[cpu];
		}
	}
	give_back(r, cpu);
	return n;
}

bool lt_bpf_is_held(struct lt_bpf *b, unsigned int channel, uint32_t cpu)
{
	const struct lt_bpf_channel *c = lt_bpf_find(b, channel);

	return c && cpu < b->n_cpus && c->ring.read[cpu] < c->ring.until[cpu];
}

#endif /* LT_HAVE_LIBBPF */

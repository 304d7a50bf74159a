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
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "bpf/internal.h"

/* Room is given back in such steps, so that a slow reader does not make the ring full. */
#define STEP	(64U << 10)

static int make_map(const struct lt_bpf *b, size_t size)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);

	return b->lib->bpf_map_create(BPF_MAP_TYPE_ARRAY, "lt_rings", 4, (__u32)size, 1, &options);
}

/* Lets the programs have a map of this size as @m. Return: the error. */
static int give_map(const struct lt_bpf *b, struct bpf_map *m, size_t size, uint8_t **mapped)
{
	int fd = make_map(b, size), err = fd < 0 ? errno : 0;
	void *at = MAP_FAILED;

	if (!err && mapped) {
		at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		err = at == MAP_FAILED ? errno : 0;
	}
	if (!err && b->lib->bpf_map__reuse_fd(m, fd))
		err = errno;
	if (at != MAP_FAILED && !err)
		*mapped = at;
	else if (at != MAP_FAILED)
		munmap(at, size);
	if (fd >= 0)
		close(fd);
	return err;
}

static struct bpf_map *find_map(const struct lt_bpf *b, const struct lt_bpf_channel *c)
{
	return b->lib->bpf_object__find_map_by_name(c->object, ".data.cpus");
}

static void begin_states(const struct lt_bpf *b, struct lt_bpf_ring *r)
{
	for (unsigned int i = 0; i < b->n_cpus; i++) {
		struct lt_bpf_cpu *s = lt_bpf_state(r, i);

		s->word = UINT64_MAX;
		s->limit = r->bytes;
		memset(s->note, 0xff, sizeof(s->note));
	}
}

/*
 * The programs know a map of one CPU without its ring. What they get instead has the rings of all
 * CPUs. Before the first one is loaded.
 */
bool lt_bpf_ring_make(struct lt_bpf *b, struct lt_bpf_channel *c, struct lt_why *why)
{
	struct bpf_map *m = find_map(b, c);
	struct lt_bpf_ring *r = &c->ring;
	size_t known = b->lib->bpf_map__value_size(m);
	int err;

	r->known = known;
	r->slack = known - sizeof(struct lt_bpf_cpu);
	if (b->n_cpus * (known + r->bytes) > LT_BPF_RINGS_MAX) {
		while (b->n_cpus * (known + r->bytes) > LT_BPF_RINGS_MAX)
			r->bytes /= 2;
		lt_warn("the engine bpf has %zu KiB for each of %u CPUs: its programs can have 512 MiB "
			"in all", r->bytes >> 10, b->n_cpus);
	}
	r->stride = known + r->bytes;
	r->mapped = (b->n_cpus * r->stride + 4095) / 4096 * 4096;
	err = give_map(b, m, r->mapped, &r->at);
	if (err) {
		lt_why_set(why, "the map of the rings, %zu bytes, cannot be made: %s%s", r->mapped,
			   strerror(err), lt_bpf_needs(err));
		return false;
	}
	r->read = lt_alloc_array(b->n_cpus, sizeof(*r->read));
	r->until = lt_alloc_array(b->n_cpus, sizeof(*r->until));
	r->next = lt_alloc_array(b->n_cpus, sizeof(*r->next));
	r->now = lt_alloc_array(b->n_cpus, sizeof(*r->now));
	begin_states(b, r);
	return true;
}

/*
 * libbpf has its own copy of what it knew, and unmaps as much memory there as its map has, in the
 * end: so it gets a map again that is as long. After loading, before the object is closed. False:
 * it must not be closed.
 */
bool lt_bpf_ring_loaded(const struct lt_bpf *b, const struct lt_bpf_channel *c)
{
	return !give_map(b, find_map(b, c), c->ring.known, NULL);
}

/* The size of the ring stays. */
void lt_bpf_ring_unmap(struct lt_bpf_ring *r)
{
	if (r->at)
		munmap(r->at, r->mapped);
	free(r->read);
	free(r->until);
	free(r->next);
	free(r->now);
	*r = (struct lt_bpf_ring){ .bytes = r->bytes };
}

/* Where the rings end now. */
void lt_bpf_ring_look(const struct lt_bpf *b, struct lt_bpf_ring *r)
{
	for (unsigned int cpu = 0; cpu < b->n_cpus; cpu++)
		r->now[cpu] = __atomic_load_n(&lt_bpf_state(r, cpu)->pos, __ATOMIC_ACQUIRE);
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
		if (r->now[cpu] - r->read[cpu] > r->bytes / 2)
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
	return (uint8_t *)(lt_bpf_state(r, cpu) + 1) + (pos & (r->bytes - 1));
}

static void give_back(struct lt_bpf_ring *r, uint32_t cpu)
{
	__atomic_store_n(&lt_bpf_state(r, cpu)->limit, r->read[cpu] + r->bytes, __ATOMIC_RELEASE);
}

/* Bytes of the record, whose word with the kind is there; 0: damaged. */
static uint32_t size_of(const struct lt_bpf_ring *r, const struct lt_raw *raw)
{
	uint32_t size = lt_raw_size(raw);

	return size <= r->slack ? size : 0;
}

static bool is_writing(const struct lt_bpf_ring *r, uint32_t cpu)
{
	uint64_t end = __atomic_load_n(&lt_bpf_state(r, cpu)->pos, __ATOMIC_ACQUIRE),
		at = r->read[cpu];

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

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The packets of the last seconds, in memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "base/log.h"
#include "base/mem.h"
#include "flight/kept.h"
#include "format/pack.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23
#endif

#define ZSTD_LEVEL	1	/* the recorder must keep up with the kernel */
#define STEPS		64	/* in which the room is given back and taken */
#define STEPS_AT_ONCE	8	/* taken: that takes time, and nothing is read meanwhile */

/* Memory that is there, not only promised. Return: 0, -1: there is none. */
static int populate(uint8_t *at, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!madvise(at, size, MADV_POPULATE_WRITE))
		return 0;
	if (errno != EINVAL)
		return -1;
	/* Linux before 5.14 */
	for (size_t i = 0; i < size; i += page)
		at[i] = 0;
	return 0;
}

/*
 * In huge pages, where there are any: the process forks for each snapshot, which takes time by the
 * number of pages.
 */
static uint8_t *take_memory(size_t size)
{
	uint8_t *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);

	if (room == MAP_FAILED)
		return NULL;
	madvise(room, size, MADV_HUGEPAGE);
	if (!populate(room, size))
		return room;
	munmap(room, size);
	return NULL;
}

int lt_kept_init(struct lt_kept *k, size_t size, const struct lt_schema *schema)
{
	memset(k, 0, sizeof(*k));
	k->room = take_memory(size);
	if (!k->room)
		return -1;
	k->size = k->limit = k->backed = size;
	k->cap = 1024;
	k->packets = lt_alloc_array(k->cap, sizeof(*k->packets));
	if (!schema)
		return 0;
	k->pack = lt_pack_new(schema);
	k->cctx = ZSTD_createCCtx();
	k->dctx = ZSTD_createDCtx();
	if (!k->cctx || !k->dctx)
		lt_fatal("out of memory");
	return 0;
}

void lt_kept_destroy(struct lt_kept *k)
{
	while (k->n)
		lt_kept_pop(k);
	if (k->room)
		munmap(k->room, k->size);
	free(k->packets);
	lt_pack_free(k->pack);
	ZSTD_freeCCtx(k->cctx);
	ZSTD_freeDCtx(k->dctx);
	lt_buf_free(&k->packed);
	lt_buf_free(&k->columns);
	lt_buf_free(&k->plain);
	memset(k, 0, sizeof(*k));
}

struct lt_kept_packet lt_kept_pack(struct lt_kept *k, const struct lt_packet *p)
{
	struct lt_kept_packet e = {
		.data = (uint8_t *)(uintptr_t)p->data, .stored = (uint32_t)p->size,
		.size = (uint32_t)p->size, .cpu = p->cpu, .channel = p->channel, .seq = p->seq,
		.begin = p->begin, .end = p->end,
	};
	const uint8_t *from = p->data;
	size_t size = p->size, n;

	if (!k->cctx)
		return e;
	e.form = LT_KEPT_ZSTD;
	if (lt_pack_packet(k->pack, p->data, p->size)) {
		e.form = LT_KEPT_COLUMNS;
		from = k->pack->out.data;
		size = k->pack->out.size;
	}
	lt_buf_reserve(&k->packed, ZSTD_compressBound(size));
	n = ZSTD_compressCCtx(k->cctx, k->packed.data, k->packed.cap, from, size, ZSTD_LEVEL);
	if (ZSTD_isError(n) || n >= p->size) {
		e.form = LT_KEPT_PLAIN;
		return e;
	}
	e.data = k->packed.data;
	e.stored = (uint32_t)n;
	return e;
}

/* The oldest packet in the room. */
static const struct lt_kept_packet *first_in_room(const struct lt_kept *k)
{
	size_t i = 0;

	while (lt_kept_at(k, i)->own)
		i++;
	return lt_kept_at(k, i);
}

/*
 * Packets are in the room in their order, each in one piece, and the room is used in a circle:
 * what is behind the tail is free up to the oldest packet.
 */
static uint8_t *find_room(struct lt_kept *k, size_t size)
{
	size_t head = 0;
	bool fits;

	if (!k->in_room)
		k->tail = 0;
	else
		head = (size_t)(first_in_room(k)->data - k->room);
	fits = k->tail <= k->limit && k->limit - k->tail >= size;
	if (!k->in_room || k->tail > head) {
		if (fits)
			return k->room + k->tail;
		/* One byte stays free: tail and head are equal only if nothing is in the room. */
		return k->in_room && head > size && k->limit >= size ? k->room : NULL;
	}
	return fits && head - k->tail > size ? k->room + k->tail : NULL;
}

/* Behind all packets in the room. */
static size_t used_end(const struct lt_kept *k)
{
	size_t head;

	if (!k->in_room)
		return 0;
	head = (size_t)(first_in_room(k)->data - k->room);
	return k->tail > head ? k->tail : k->top;
}

void lt_kept_limit(struct lt_kept *k, size_t limit)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), step = k->size / STEPS / page * page;
	size_t end = used_end(k);

	if (!step)
		return;
	limit = limit < k->size ? limit / step * step : k->size;
	/* A table that is a little larger now, and a little smaller then, must not cost much. */
	if (limit > k->limit && limit < k->limit + 2 * step && limit < k->size)
		limit = k->limit;
	if (limit > k->backed + STEPS_AT_ONCE * step)
		limit = k->backed + STEPS_AT_ONCE * step;
	if (limit > k->backed) {
		if (populate(k->room + k->backed, limit - k->backed))
			return;
		/* Without effect where the recorder may not lock memory, as it has said. */
		(void)mlock(k->room + k->backed, limit - k->backed);
		k->backed = limit;
	}
	k->limit = limit;
	end = (end > limit ? end + page - 1 : limit) / page * page;
	if (end >= k->backed)
		return;
	/* Locked memory cannot be given back. */
	munlock(k->room + end, k->backed - end);
	if (!madvise(k->room + end, k->backed - end, MADV_DONTNEED))
		k->backed = end;
}

static void grow(struct lt_kept *k)
{
	struct lt_kept_packet *bigger = lt_alloc_array(k->cap * 2, sizeof(*bigger));

	for (size_t i = 0; i < k->n; i++)
		bigger[i] = *lt_kept_at(k, i);
	free(k->packets);
	k->packets = bigger;
	k->cap *= 2;
	k->first = 0;
}

bool lt_kept_put(struct lt_kept *k, const struct lt_kept_packet *entry, bool must)
{
	uint8_t *to = find_room(k, entry->stored);
	struct lt_kept_packet *e;

	if (!to && !must)
		return false;
	if (k->n == k->cap)
		grow(k);
	e = lt_kept_at(k, k->n++);
	*e = *entry;
	e->own = !to;
	e->data = to ? to : lt_alloc(entry->stored ? entry->stored : 1);
	memcpy(e->data, entry->data, entry->stored);
	if (to) {
		if (to == k->room && k->in_room)
			k->top = k->tail;
		k->tail = (size_t)(to - k->room) + entry->stored;
		k->in_room++;
		k->bytes += entry->stored;
		return true;
	}
	k->own_bytes += entry->stored;
	if (k->own_bytes > k->own_max)
		k->own_max = k->own_bytes;
	return true;
}

void lt_kept_pop(struct lt_kept *k)
{
	struct lt_kept_packet *e = lt_kept_at(k, 0);

	if (e->own) {
		free(e->data);
		k->own_bytes -= e->stored;
	} else {
		k->in_room--;
		k->bytes -= e->stored;
	}
	k->first = (k->first + 1) & (k->cap - 1);
	k->n--;
}

const uint8_t *lt_kept_bytes(struct lt_kept *k, const struct lt_kept_packet *e)
{
	struct lt_buf *to = e->form == LT_KEPT_COLUMNS ? &k->columns : &k->plain;
	struct lt_why why;
	size_t n;

	lt_buf_reserve(&k->plain, e->size);
	if (e->form == LT_KEPT_PLAIN) {
		memcpy(k->plain.data, e->data, e->stored);
		return k->plain.data;
	}
	if (e->form == LT_KEPT_COLUMNS)
		lt_buf_reserve(&k->columns, (size_t)lt_pack_max(e->size));
	n = ZSTD_decompressDCtx(k->dctx, to->data, to->cap, e->data, e->stored);
	if (ZSTD_isError(n))
		return NULL;
	if (e->form == LT_KEPT_COLUMNS &&
	    lt_pack_restore(k->columns.data, n, k->plain.data, e->size, &why))
		return NULL;
	return k->plain.data;
}

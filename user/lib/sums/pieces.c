// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The rows of a report by piece.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "sums/pieces.h"

struct lt_pieces *lt_pieces_new(void)
{
	struct lt_pieces *p = lt_alloc(sizeof(*p));

	lt_map_init(&p->numbers);
	lt_names_init(&p->names);
	p->seed = lt_hash_seed();
	p->list = lt_grow(p->list, &p->cap, p->n, sizeof(*p->list));
	p->list[p->n++] = (struct lt_piece){ .cache = 0 };
	return p;
}

void lt_pieces_free(struct lt_pieces *p)
{
	if (!p)
		return;
	lt_map_destroy(&p->numbers);
	lt_names_destroy(&p->names);
	free(p->list);
	free(p);
}

uint32_t lt_pieces_number(struct lt_pieces *p, uint64_t cache, uint64_t site, const char *comm)
{
	struct lt_piece piece = { .cache = cache, .site = site };
	uint32_t hash, number;

	/* A task may call itself anything, so that there is no bound for names either. */
	if (comm && p->names.n <= LT_PIECES_MOST)
		piece.comm = lt_names_add(&p->names, comm, strlen(comm));
	else if (comm)
		p->full = true;
	if (!memcmp(&piece, &p->list[0], sizeof(piece)))
		return 0;
	hash = (uint32_t)lt_hash64(lt_hash64(cache, p->seed) ^ site ^ (uint64_t)piece.comm << 40,
				   p->seed);
	lt_map_for_each(number, at, &p->numbers, hash) {
		if (!memcmp(&piece, &p->list[number], sizeof(piece)))
			return number;
	}
	if (p->n > LT_PIECES_MOST) {
		p->full = true;
		return 0;
	}
	p->list = lt_grow(p->list, &p->cap, p->n, sizeof(*p->list));
	p->list[p->n] = piece;
	lt_map_add(&p->numbers, hash, (uint32_t)p->n);
	return (uint32_t)p->n++;
}

const char *lt_pieces_comm(const struct lt_pieces *p, uint32_t number, char *buf, size_t size)
{
	size_t len;
	const char *name = lt_names_get(&p->names, p->list[number].comm, &len);

	snprintf(buf, size, "%.*s", (int)(len < size ? len : size - 1), name);
	return buf;
}

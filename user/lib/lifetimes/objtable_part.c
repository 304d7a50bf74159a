// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The parts of the table of live objects: groups of places, with tags.
 */
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "base/mem.h"
#include "lifetimes/objtable_internal.h"

#define PAGE		4096
#define GROWTH		10	/* by a part of so many */

/*
 * Parts are mapped, not taken from the heap: they grow by little each time, and in a heap
 * each old one would leave a hole that is too small for the next ones. The tags come first. The
 * objects of a group take three lines of the processor's cache.
 */
static void map_part(struct lt_objtable_part *part, uint32_t n_pages)
{
	const size_t size = (size_t)n_pages * PAGE;
	const size_t group = sizeof(*part->tags) + GROUP * sizeof(*part->objs);
	char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		lt_fatal("out of memory (%zu bytes)", size);
	part->n_pages = n_pages;
	part->n = 0;
	part->n_groups = (uint32_t)((size - LT_LINE) / group);
	part->full = (uint32_t)(part->n_groups * (uint64_t)GROUP * 9 / 10);
	part->tags = (uint64_t *)map;
	part->objs = (struct lt_packed *)(map +
					  (part->n_groups * sizeof(*part->tags) + LT_LINE - 1) /
					  LT_LINE * LT_LINE);
}

void lt_objtable_part_init(struct lt_objtable_part *part)
{
	map_part(part, 1);
}

void lt_objtable_part_destroy(struct lt_objtable_part *part)
{
	if (part->tags)
		munmap(part->tags, (size_t)part->n_pages * PAGE);
	part->tags = NULL;
}

/* The other one of the two groups in which an object may be. */
static uint32_t other_group(const struct lt_objtable_part *part, const struct lt_packed *p,
			    uint32_t group)
{
	uint32_t first = first_group(part, p->key);

	return first == group ? second_group(part, p->key) : first;
}

static void move(struct lt_objtable_part *part, uint32_t from, uint32_t to)
{
	part->objs[to] = part->objs[from];
	*tag_at(part, to) = *tag_at(part, from);
	*tag_at(part, from) = 0;
}

/*
 * Moves an object of a full group to its other one; where that is full, too, @depth times one of
 * that.
 */
static bool make_room(struct lt_objtable_part *part, uint32_t group, unsigned int depth,
		      uint32_t *place)
{
	for (uint32_t i = group * GROUP; i < (group + 1) * GROUP; i++) {
		uint32_t other = other_group(part, &part->objs[i], group);
		uint64_t bits = zero_bytes(part->tags[other]);
		uint32_t to;

		if (other == group)
			continue;
		if (bits)
			to = place_in(other, bits);
		else if (!depth || !make_room(part, other, depth - 1, &to))
			continue;
		move(part, i, to);
		*place = i;
		return true;
	}
	return false;
}

/* Return: false: there is no place in it, nor is there one near. */
static bool find_room(struct lt_objtable_part *part, uint64_t mixed, uint32_t *place)
{
	const uint32_t first = first_group(part, mixed), second = second_group(part, mixed);

	return make_room(part, first, 0, place) || make_room(part, second, 0, place) ||
	       make_room(part, first, 2, place) || make_room(part, second, 2, place);
}

/* Return: false: a group is too full, though others are not. */
static bool take_over(struct lt_objtable_part *part, const struct lt_objtable_part *old)
{
	for (uint32_t i = 0; i < old->n_groups * GROUP; i++) {
		const struct lt_packed *p = &old->objs[i];
		uint32_t place;

		if (!*tag_at(old, i))
			continue;
		if (!free_place(part, p->key, &place) && !find_room(part, p->key, &place))
			return false;
		part->objs[place] = *p;
		*tag_at(part, place) = *tag_at(old, i);
	}
	part->n = old->n;
	return true;
}

void lt_objtable_grow(struct lt_objtable *t, struct lt_objtable_part *part)
{
	struct lt_objtable_part old = *part;
	uint32_t n_pages = old.n_pages;
	bool done;

	do {
		n_pages += (n_pages + GROWTH - 1) / GROWTH;
		if ((uint64_t)n_pages * PAGE / (sizeof(*part->objs) + 1) > MAX_PLACES)
			lt_fatal("more than %u objects at the same time", UINT32_MAX);
		map_part(part, n_pages);
		done = take_over(part, &old);
		if (!done)
			lt_objtable_part_destroy(part);
	} while (!done);
	lt_objtable_part_destroy(&old);
	t->growths++;
}

uint32_t lt_objtable_make_room(struct lt_objtable *t, struct lt_objtable_part *part,
			       uint64_t mixed)
{
	uint32_t place;

	while (!find_room(part, mixed, &place)) {
		lt_objtable_grow(t, part);
		if (free_place(part, mixed, &place))
			break;
	}
	return place;
}

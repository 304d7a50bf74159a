// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The objects that are alive, found by address.
 *
 * The address is mixed by a function that can be undone. Half of the result stands in the
 * slot, whose place it determines, half with the object: together they are the address.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "lifetimes/objtable_internal.h"

#define SLOTS_AT_FIRST	512	/* a page */
#define MAX_TRAITS	(1U << 20)
#define MAX_CPU		(1U << 24)
#define SPARE_MIN	65536	/* actors, or traits, that may be there for nothing: 2 MB */
#define SPARE_SHARE	8	/* and by so many objects one more */

/*
 * Slots are mapped, not taken from the heap: they grow by little each time, and in a heap
 * each old array would leave a hole that is too small for the next ones.
 */
static uint64_t *map_slots(uint32_t n)
{
	size_t size = (size_t)n * sizeof(uint64_t);
	void *slots = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (slots == MAP_FAILED)
		lt_fatal("out of memory (%zu bytes)", size);
	return slots;
}

static void unmap_slots(uint64_t *slots, uint32_t n)
{
	munmap(slots, (size_t)n * sizeof(uint64_t));
}

/* Linear probing stays short while three of ten slots are free. */
static void set_slots(struct lt_objtable_part *part, uint32_t n)
{
	part->n_slots = n;
	part->full = (uint32_t)(n * 7ULL / 10);
	part->slots = map_slots(n);
}

void lt_objtable_init(struct lt_objtable *t)
{
	memset(t, 0, sizeof(*t));
	for (size_t i = 0; i < LT_OBJTABLE_PARTS; i++)
		set_slots(&t->parts[i], SLOTS_AT_FIRST);
	t->seed = lt_hash_seed();
	t->unmix_seed = lt_unmix_seed(t->seed);
	lt_pool_init(&t->pool, sizeof(struct packed));
	lt_pool_init(&t->whole, sizeof(struct lt_obj));
	lt_intern_init(&t->actors);
	t->renew_at = t->renew_traits_at = SPARE_MIN;
	lt_map_init(&t->traits_map);
	t->traits = lt_grow(NULL, &t->cap_traits, 0, sizeof(*t->traits));
	memset(t->traits, 0, sizeof(*t->traits));
	t->n_traits = 1;
}

void lt_objtable_destroy(struct lt_objtable *t)
{
	for (size_t i = 0; i < LT_OBJTABLE_PARTS; i++) {
		if (t->parts[i].slots)
			unmap_slots(t->parts[i].slots, t->parts[i].n_slots);
	}
	lt_pool_destroy(&t->pool);
	lt_pool_destroy(&t->whole);
	lt_intern_destroy(&t->actors);
	lt_map_destroy(&t->traits_map);
	free(t->traits);
	memset(t, 0, sizeof(*t));
}

/* ------------------------------------------------------------------------
 * What objects have in common
 */

static bool is_equal(const struct lt_traits *a, const struct lt_traits *b)
{
	return !memcmp(a, b, sizeof(*a));
}

_Static_assert(sizeof(struct lt_traits) == 24, "compared and mixed as a whole");

static uint32_t hash_of(const struct lt_objtable *t, const struct lt_traits *traits)
{
	uint64_t part[3];

	memcpy(part, traits, sizeof(part));
	return (uint32_t)lt_hash64(part[0] ^ lt_hash64(part[1] ^ lt_hash64(part[2], t->seed),
						       t->seed), t->seed);
}

static uint32_t add_traits(struct lt_objtable *t, const struct lt_traits *traits, uint32_t hash)
{
	if (t->n_traits == MAX_TRAITS)
		return 0;
	t->traits = lt_grow(t->traits, &t->cap_traits, t->n_traits, sizeof(*t->traits));
	t->traits[t->n_traits] = *traits;
	lt_map_add(&t->traits_map, hash, (uint32_t)t->n_traits);
	return (uint32_t)t->n_traits++;
}

static uint32_t look_up(struct lt_objtable *t, uint32_t *memo, const struct lt_traits *traits)
{
	uint32_t hash = hash_of(t, traits), number;

	lt_map_for_each(number, at, &t->traits_map, hash) {
		if (is_equal(&t->traits[number], traits))
			break;
	}
	if (!number)
		number = add_traits(t, traits, hash);
	if (number)
		*memo = number;
	return number;
}

/* The number of traits, 0: there are too many. */
static inline uint32_t number_of(struct lt_objtable *t, const struct lt_traits *traits)
{
	uint32_t *memo = &t->memo[traits->site % LT_OBJTABLE_MEMO];

	return *memo && is_equal(&t->traits[*memo], traits) ? *memo : look_up(t, memo, traits);
}

uint32_t lt_objtable_traits(struct lt_objtable *t, const struct lt_traits *traits)
{
	return number_of(t, traits);
}

/* ------------------------------------------------------------------------
 * Objects as they are kept
 */

static inline bool pack_small(struct lt_objtable *t, struct packed *p, const struct lt_obj *obj)
{
	const struct lt_traits traits = {
		.site = obj->site, .bytes_req = (uint32_t)obj->bytes_req,
		.bytes_alloc = (uint32_t)obj->bytes_alloc, .gfp = obj->gfp, .node = obj->node,
		.cache = (uint16_t)obj->cache, .kind = obj->kind, .order = obj->order,
	};
	uint64_t time;

	if (!t->have_base) {
		t->base = obj->time;
		t->have_base = true;
	}
	time = obj->time - t->base;
	if ((obj->bytes_req | obj->bytes_alloc) >> 32 | obj->extra | time >> TIME_BITS |
	    obj->cpu / MAX_CPU | obj->cache >> 16)
		return false;
	p->traits = number_of(t, &traits);
	if (!p->traits)
		return false;
	p->time_flags = time | (uint64_t)obj->flags << TIME_BITS;
	p->actor = lt_intern_number(&t->actors,
				    (uint64_t)obj->task << 32 | obj->cpu << 8 | obj->context);
	p->count = obj->count;
	return true;
}

static inline void pack(struct lt_objtable *t, struct packed *p, const struct lt_obj *obj)
{
	if (pack_small(t, p, obj))
		return;
	p->time_flags = (uint64_t)WHOLE << TIME_BITS;
	p->traits = lt_pool_get(&t->whole);
	*(struct lt_obj *)lt_pool_at(&t->whole, p->traits) = *obj;
}

/* ------------------------------------------------------------------------
 * The table
 */

void lt_objtable_prefetch_slot(const struct lt_objtable *t, uint64_t mixed)
{
	prefetch_slot(t, mixed);
}

void lt_objtable_prefetch_object(const struct lt_objtable *t, uint64_t mixed)
{
	prefetch_object(t, mixed);
}

bool lt_objtable_seek(struct lt_objtable *t, uint64_t ptr, struct lt_objtable_at *at,
		      struct lt_obj *obj)
{
	const struct packed *p = seek_packed(t, lt_objtable_mix(t, ptr), at);

	if (p)
		unpack(t, p, ptr, SLOT_ID(at->part->slots[at->slot]), obj);
	return p;
}

bool lt_objtable_find(const struct lt_objtable *t, uint64_t ptr, struct lt_obj *obj)
{
	struct lt_objtable_at at;

	return lt_objtable_seek((struct lt_objtable *)(uintptr_t)t, ptr, &at, obj);
}

static uint32_t free_slot(const struct lt_objtable_part *part, uint32_t h)
{
	uint32_t i = home_of(part, h);

	while (part->slots[i])
		i = after(part, i);
	return i;
}

uint32_t lt_objtable_grow(struct lt_objtable_part *part, uint64_t mixed)
{
	uint64_t *old = part->slots;
	uint32_t n_old = part->n_slots;

	if (n_old > UINT32_MAX / 2)
		lt_fatal("more than %u objects at the same time", UINT32_MAX);
	/* By an eighth, and by whole pages. */
	set_slots(part, n_old + (n_old / 8 + SLOTS_AT_FIRST - 1) / SLOTS_AT_FIRST * SLOTS_AT_FIRST);
	for (uint32_t i = 0; i < n_old; i++) {
		if (old[i])
			part->slots[free_slot(part, SLOT_HASH(old[i]))] = old[i];
	}
	unmap_slots(old, n_old);
	return free_slot(part, hash_of_mixed(mixed));
}

/*
 * What objects refer to by numbers, while they get others. @actor_numbers, @traits_numbers: by the
 * old number: the new one, 0: it has none yet
 */
struct renewal {
	struct lt_intern actors;
	struct lt_traits *traits;
	uint32_t *actor_numbers;
	uint32_t *traits_numbers;
};

static void renew_object(struct lt_objtable *t, const struct renewal *old, struct packed *p)
{
	uint32_t *actor = &old->actor_numbers[p->actor], *traits = &old->traits_numbers[p->traits];

	if (!*actor)
		*actor = lt_intern_lookup(&t->actors, lt_intern_value(&old->actors, p->actor));
	if (!*traits)
		*traits = number_of(t, &old->traits[p->traits]);
	p->actor = *actor;
	p->traits = *traits;
}

static void forget_numbers(struct lt_objtable *t)
{
	lt_intern_init(&t->actors);
	lt_map_clear(&t->traits_map);
	memset(t->memo, 0, sizeof(t->memo));
	t->cap_traits = 0;
	t->traits = lt_grow(NULL, &t->cap_traits, 0, sizeof(*t->traits));
	memset(t->traits, 0, sizeof(*t->traits));
	t->n_traits = 1;
	t->renewals++;
}

/*
 * Tasks come and go, on all CPUs, and ask for memory of all sizes; only what objects that are there
 * refer to stays.
 */
static void renew(struct lt_objtable *t)
{
	struct renewal old = {
		.actors = t->actors, .traits = t->traits,
		.actor_numbers = lt_alloc_array(t->actors.n, sizeof(uint32_t)),
		.traits_numbers = lt_alloc_array(t->n_traits, sizeof(uint32_t)),
	};

	forget_numbers(t);
	for (size_t i = 0; i < LT_OBJTABLE_PARTS; i++) {
		const struct lt_objtable_part *part = &t->parts[i];

		for (uint32_t k = 0; k < part->n_slots; k++) {
			struct packed *p = part->slots[k] ?
				packed_at(t, SLOT_ID(part->slots[k])) : NULL;

			if (p && !is_whole(p))
				renew_object(t, &old, p);
		}
	}
	lt_intern_destroy(&old.actors);
	free(old.traits);
	free(old.actor_numbers);
	free(old.traits_numbers);
	t->renew_at = 2 * (size_t)t->actors.n + t->n / SPARE_SHARE + SPARE_MIN;
	t->renew_traits_at = 2 * t->n_traits + t->n / SPARE_SHARE + SPARE_MIN;
}

void lt_objtable_add_at(struct lt_objtable *t, const struct lt_objtable_at *at,
			struct lt_obj *obj)
{
	if (t->actors.n >= t->renew_at || t->n_traits >= t->renew_traits_at)
		renew(t);
	pack(t, new_at(t, at, &obj->id), obj);
}

void lt_objtable_add(struct lt_objtable *t, struct lt_obj *obj)
{
	struct lt_objtable_at at = { .mixed = lt_objtable_mix(t, obj->ptr) };

	at.part = part_of(t, hash_of_mixed(at.mixed));
	at.slot = free_slot(at.part, hash_of_mixed(at.mixed));
	lt_objtable_add_at(t, &at, obj);
}

void lt_objtable_put(struct lt_objtable *t, const struct lt_obj *obj)
{
	struct packed *p = packed_at(t, obj->id);

	if (is_whole(p))
		lt_pool_put(&t->whole, p->traits);
	pack(t, p, obj);
}

/* An object that is removed while all are walked over keeps its place. */
static void mark_removed(struct lt_objtable *t, struct packed *p)
{
	if (is_whole(p))
		((struct lt_obj *)lt_pool_at(&t->whole, p->traits))->flags |= REMOVED;
	else
		p->time_flags |= (uint64_t)REMOVED << TIME_BITS;
}

void lt_objtable_remove_at(struct lt_objtable *t, const struct lt_objtable_at *at,
			   const struct lt_obj *obj)
{
	const struct packed *p = packed_at(t, obj->id);

	if (is_whole(p))
		lt_pool_put(&t->whole, p->traits);
	drop_at(t, at, obj->id);
}

void lt_objtable_remove(struct lt_objtable *t, const struct lt_obj *obj)
{
	struct lt_objtable_at at = { .mixed = lt_objtable_mix(t, obj->ptr) };

	if (t->closed) {
		t->n--;
		mark_removed(t, packed_at(t, obj->id));
		return;
	}
	at.part = part_of(t, hash_of_mixed(at.mixed));
	at.slot = home_of(at.part, hash_of_mixed(at.mixed));
	while (SLOT_ID(at.part->slots[at.slot]) != obj->id)
		at.slot = after(at.part, at.slot);
	lt_objtable_remove_at(t, &at, obj);
}

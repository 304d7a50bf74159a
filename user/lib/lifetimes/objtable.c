// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The objects that are alive, found by address.
 *
 * The address is mixed by a function that can be undone. The result determines a part of the table,
 * and two groups of it. The object is in one of them; a byte for each object, the tag, says which
 * it may be. The number of the part and the object's key are together the address.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "lifetimes/objtable_internal.h"

#define MAX_TRAITS	(1U << TRAITS_BITS)
#define MAX_ACTORS	(1U << ACTOR_BITS)
#define MAX_CPU		(1U << 24)
#define SPARE_MIN	65536	/* actors, or traits, that may be there for nothing: 2 MB */
#define SPARE_SHARE	8	/* and by so many objects one more */

void lt_objtable_init(struct lt_objtable *t)
{
	memset(t, 0, sizeof(*t));
	for (size_t i = 0; i < LT_OBJTABLE_PARTS; i++)
		lt_objtable_part_init(&t->parts[i]);
	t->seed = lt_hash_seed();
	t->unmix_seed = lt_unmix_seed(t->seed);
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
	for (size_t i = 0; i < LT_OBJTABLE_PARTS; i++)
		lt_objtable_part_destroy(&t->parts[i]);
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

static inline bool pack_small(struct lt_objtable *t, struct lt_packed *p, const struct lt_obj *obj)
{
	const struct lt_traits traits = {
		.site = obj->site, .bytes_req = (uint32_t)obj->bytes_req,
		.bytes_alloc = (uint32_t)obj->bytes_alloc, .gfp = obj->gfp, .node = obj->node,
		.cache = (uint16_t)obj->cache, .kind = obj->kind, .order = obj->order,
	};
	uint32_t number, actor;
	uint64_t time;

	if (!t->have_base) {
		t->base = obj->time;
		t->have_base = true;
	}
	time = obj->time - t->base;
	if ((obj->bytes_req | obj->bytes_alloc) >> 32 | obj->extra | time >> TIME_BITS |
	    obj->cpu / MAX_CPU | obj->cache >> 16)
		return false;
	number = number_of(t, &traits);
	actor = lt_intern_number(&t->actors,
				 (uint64_t)obj->task << 32 | obj->cpu << 8 | obj->context);
	if (!number || actor >= MAX_ACTORS)
		return false;
	set_packed(p, time, actor_low(actor), actor_high(actor), number, obj->count);
	p->key |= obj->flags;
	return true;
}

static void pack_whole(struct lt_objtable *t, struct lt_packed *p, const struct lt_obj *obj)
{
	p->key = key_of(p->key);
	p->traits_actor = 0;
	p->count = lt_pool_get(&t->whole);
	*(struct lt_obj *)lt_pool_at(&t->whole, p->count) = *obj;
}

static inline void pack(struct lt_objtable *t, struct lt_packed *p, const struct lt_obj *obj)
{
	p->key = key_of(p->key);
	if (!pack_small(t, p, obj))
		pack_whole(t, p, obj);
}

/* ------------------------------------------------------------------------
 * The table
 */

void lt_objtable_prefetch_tags(const struct lt_objtable *t, uint64_t mixed)
{
	prefetch_tags(t, mixed);
}

void lt_objtable_prefetch_object(const struct lt_objtable *t, uint64_t mixed)
{
	prefetch_object(t, mixed);
}

struct lt_packed *lt_objtable_seek_anew(const struct lt_objtable *t, uint64_t mixed)
{
	return seek_packed(t, mixed);
}

struct lt_packed *lt_objtable_new_anew(struct lt_objtable *t, uint64_t mixed)
{
	return new_packed(t, mixed);
}

bool lt_objtable_seek(struct lt_objtable *t, uint64_t ptr, struct lt_objtable_at *at,
		      struct lt_obj *obj)
{
	at->mixed = lt_objtable_mix(t, ptr);
	at->known = true;
	at->place = seek_packed(t, at->mixed);
	if (at->place)
		unpack(t, at->place, ptr, id_of(t, part_of(t, at->mixed), at->place), obj);
	return at->place;
}

bool lt_objtable_find(const struct lt_objtable *t, uint64_t ptr, struct lt_obj *obj)
{
	struct lt_objtable_at at;

	return lt_objtable_seek((struct lt_objtable *)(uintptr_t)t, ptr, &at, obj);
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

static void renew_object(struct lt_objtable *t, const struct renewal *old, struct lt_packed *p)
{
	uint32_t old_actor = actor_of_packed(p), old_traits = traits_of_packed(p);
	uint32_t *actor = &old->actor_numbers[old_actor];
	uint32_t *traits = &old->traits_numbers[old_traits];

	if (!*actor)
		*actor = lt_intern_lookup(&t->actors, lt_intern_value(&old->actors, old_actor));
	if (!*traits)
		*traits = number_of(t, &old->traits[old_traits]);
	set_packed(p, p->time_actor >> TIME_SHIFT, actor_low(*actor), actor_high(*actor), *traits,
		   p->count);
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

		for (uint32_t k = 0; k < part->n_groups * GROUP; k++) {
			if (*tag_at(part, k) && !is_whole(&part->objs[k]))
				renew_object(t, &old, &part->objs[k]);
		}
	}
	lt_intern_destroy(&old.actors);
	free(old.traits);
	free(old.actor_numbers);
	free(old.traits_numbers);
	t->renew_at = 2 * (size_t)t->actors.n + t->n / SPARE_SHARE + SPARE_MIN;
	t->renew_traits_at = 2 * t->n_traits + t->n / SPARE_SHARE + SPARE_MIN;
}

/* Times are kept from @base on. Few objects are older: it is weeks ago. */
static void rebase(struct lt_objtable *t, uint64_t base)
{
	const uint64_t by = (base - t->base) << TIME_SHIFT;
	struct lt_obj obj;

	for (uint32_t i = 0; i < LT_OBJTABLE_PARTS; i++) {
		const struct lt_objtable_part *part = &t->parts[i];

		for (uint32_t k = 0; k < part->n_groups * GROUP; k++) {
			struct lt_packed *p = &part->objs[k];

			if (!*tag_at(part, k) || is_whole(p))
				continue;
			if (time_of_packed(t, p) >= base) {
				p->time_actor -= by;
				continue;
			}
			unpack_id(t, i << PLACE_BITS | k, &obj);
			pack_whole(t, p, &obj);
		}
	}
	t->base = base;
}

void lt_objtable_add_at(struct lt_objtable *t, const struct lt_objtable_at *at,
			struct lt_obj *obj)
{
	struct lt_packed *p;

	if (t->actors.n >= t->renew_at || t->n_traits >= t->renew_traits_at)
		renew(t);
	if (t->have_base && obj->time > t->base && (obj->time - t->base) >> TIME_BITS)
		rebase(t, obj->time - (1ULL << (TIME_BITS - 1)));
	p = new_packed(t, at->mixed);
	obj->id = id_of(t, part_of(t, at->mixed), p);
	pack(t, p, obj);
}

void lt_objtable_add(struct lt_objtable *t, struct lt_obj *obj)
{
	const struct lt_objtable_at at = { .mixed = lt_objtable_mix(t, obj->ptr) };

	lt_objtable_add_at(t, &at, obj);
}

/* An object that is in the table. */
static struct lt_packed *packed_of(const struct lt_objtable *t, const struct lt_obj *obj)
{
	return t->closed ? packed_at(t, obj->id) : seek_packed(t, lt_objtable_mix(t, obj->ptr));
}

void lt_objtable_put(struct lt_objtable *t, const struct lt_obj *obj)
{
	struct lt_packed *p = packed_of(t, obj);

	if (is_whole(p))
		lt_pool_put(&t->whole, p->count);
	pack(t, p, obj);
}

static void remove_packed(struct lt_objtable *t, uint64_t mixed, struct lt_packed *p)
{
	if (is_whole(p))
		lt_pool_put(&t->whole, p->count);
	if (!t->closed) {
		drop_packed(t, mixed, p);
		return;
	}
	t->n--;
	p->traits_actor = 0;
	p->count = LT_POOL_NONE;
}

void lt_objtable_remove_at(struct lt_objtable *t, const struct lt_objtable_at *at)
{
	remove_packed(t, at->mixed, at->place);
}

void lt_objtable_remove(struct lt_objtable *t, const struct lt_obj *obj)
{
	remove_packed(t, lt_objtable_mix(t, obj->ptr), packed_of(t, obj));
}

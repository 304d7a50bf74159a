// SPDX-License-Identifier: GPL-2.0
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
#include "base/heap.h"
#include "base/log.h"
#include "base/mem.h"
#include "lifetimes/objtable.h"

#define SLOTS_AT_FIRST	512	/* a page */
#define MAX_TRAITS	(1U << 20)
#define TIME_BITS	56
#define TIME_MASK	((1ULL << TIME_BITS) - 1)
#define MAX_CPU		(1U << 24)
#define ACTORS_MIN	65536	/* that may be there for nothing: 2 MB */
#define ACTORS_SHARE	8	/* and by so many objects one more */

/* Flags that only the table has. */
#define REMOVED		LT_OBJ_FLAGS_END	/* after lt_objtable_close() */
#define WHOLE		(LT_OBJ_FLAGS_END << 1)	/* site is the number in t->whole */

#define SLOT_HASH(slot)	((uint32_t)((slot) >> 32))
#define SLOT_ID(slot)	((uint32_t)(slot))

/* An object as it is kept. */
struct packed {
	uint64_t time_flags;	/* the flags in the upper 8 bits */
	uint32_t high;		/* the mixed address's upper half */
	uint32_t site;
	uint32_t actor;
	uint32_t traits;
	uint32_t bytes_req;
	uint32_t count;
};

_Static_assert(sizeof(struct packed) == 32, "one for every live object: keep it small");

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

void lt_objtable_init(struct lt_objtable *t)
{
	memset(t, 0, sizeof(*t));
	for (size_t i = 0; i < LT_OBJTABLE_PARTS; i++) {
		t->parts[i].n_slots = SLOTS_AT_FIRST;
		t->parts[i].slots = map_slots(SLOTS_AT_FIRST);
	}
	t->seed = lt_hash_seed();
	lt_pool_init(&t->pool, sizeof(struct packed));
	lt_pool_init(&t->whole, sizeof(struct lt_obj));
	lt_intern_init(&t->actors);
	t->renew_at = ACTORS_MIN;
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

_Static_assert(sizeof(struct lt_traits) == 16, "compared and mixed as a whole");

static uint32_t hash_of(const struct lt_objtable *t, const struct lt_traits *traits)
{
	uint64_t half[2];

	memcpy(half, traits, sizeof(half));
	return (uint32_t)lt_hash64(half[0] ^ lt_hash64(half[1], t->seed), t->seed);
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

/* The number of traits, 0: there are too many. */
static uint32_t number_of(struct lt_objtable *t, uint32_t site, const struct lt_traits *traits)
{
	uint32_t *memo = &t->memo[site % LT_OBJTABLE_MEMO], hash, number;

	if (*memo && is_equal(&t->traits[*memo], traits))
		return *memo;
	hash = hash_of(t, traits);
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

/* ------------------------------------------------------------------------
 * Objects as they are kept
 */

static bool pack_small(struct lt_objtable *t, struct packed *p, const struct lt_obj *obj)
{
	const struct lt_traits traits = {
		.gfp = obj->gfp, .node = obj->node, .bytes_alloc = (uint32_t)obj->bytes_alloc,
		.cache = (uint16_t)obj->cache, .kind = obj->kind, .order = obj->order,
	};

	if (!t->have_base) {
		t->base = obj->time;
		t->have_base = true;
	}
	if (obj->extra || obj->bytes_req > UINT32_MAX || obj->bytes_alloc > UINT32_MAX ||
	    (obj->time - t->base) >> TIME_BITS || obj->cpu >= MAX_CPU ||
	    obj->cache > UINT16_MAX)
		return false;
	p->traits = number_of(t, obj->site, &traits);
	if (!p->traits)
		return false;
	p->time_flags = (obj->time - t->base) | (uint64_t)obj->flags << TIME_BITS;
	p->site = obj->site;
	p->actor = lt_intern_number(&t->actors,
				    (uint64_t)obj->task << 32 | obj->cpu << 8 | obj->context);
	p->bytes_req = (uint32_t)obj->bytes_req;
	p->count = obj->count;
	return true;
}

static bool is_whole(const struct packed *p)
{
	return p->time_flags >> TIME_BITS & WHOLE;
}

static void pack(struct lt_objtable *t, struct packed *p, const struct lt_obj *obj)
{
	if (pack_small(t, p, obj))
		return;
	p->time_flags = (uint64_t)WHOLE << TIME_BITS;
	p->site = lt_pool_get(&t->whole);
	*(struct lt_obj *)lt_pool_at(&t->whole, p->site) = *obj;
}

static void unpack(const struct lt_objtable *t, const struct packed *p, uint64_t ptr, uint32_t id,
		   struct lt_obj *obj)
{
	const struct lt_traits *traits = &t->traits[p->traits];
	uint64_t actor;

	if (is_whole(p)) {
		*obj = *(const struct lt_obj *)lt_pool_at(&t->whole, p->site);
		obj->id = id;
		return;
	}
	actor = lt_intern_value(&t->actors, p->actor);
	obj->ptr = ptr;
	obj->time = t->base + (p->time_flags & TIME_MASK);
	obj->bytes_req = p->bytes_req;
	obj->bytes_alloc = traits->bytes_alloc;
	obj->site = p->site;
	obj->task = (uint32_t)(actor >> 32);
	obj->gfp = traits->gfp;
	obj->count = p->count;
	obj->cpu = (uint32_t)actor >> 8;
	obj->node = traits->node;
	obj->extra = 0;
	obj->id = id;
	obj->cache = traits->cache;
	obj->kind = traits->kind;
	obj->context = (uint8_t)actor;
	obj->order = traits->order;
	obj->flags = (uint8_t)(p->time_flags >> TIME_BITS);
}

/* ------------------------------------------------------------------------
 * The table
 */

static inline struct lt_objtable_part *part_of(const struct lt_objtable *t, uint32_t h)
{
	return (struct lt_objtable_part *)(uintptr_t)&t->parts[h % LT_OBJTABLE_PARTS];
}

/* The number of slots is no power of two, so that it can grow by little. */
static inline uint32_t home_of(const struct lt_objtable_part *part, uint32_t h)
{
	return (uint32_t)((uint64_t)h * part->n_slots >> 32);
}

static inline uint32_t after(const struct lt_objtable_part *part, uint32_t i)
{
	return i + 1 == part->n_slots ? 0 : i + 1;
}

void lt_objtable_prefetch_slot(const struct lt_objtable *t, uint64_t ptr)
{
	uint32_t h = (uint32_t)lt_hash64(ptr, t->seed);
	const struct lt_objtable_part *part = part_of(t, h);

	__builtin_prefetch(&part->slots[home_of(part, h)]);
}

void lt_objtable_prefetch_object(const struct lt_objtable *t, uint64_t ptr)
{
	uint32_t h = (uint32_t)lt_hash64(ptr, t->seed);
	const struct lt_objtable_part *part = part_of(t, h);

	for (uint32_t i = home_of(part, h); part->slots[i]; i = after(part, i)) {
		if (SLOT_HASH(part->slots[i]) == h) {
			__builtin_prefetch(lt_pool_at(&t->pool, SLOT_ID(part->slots[i])));
			return;
		}
	}
}

bool lt_objtable_find(const struct lt_objtable *t, uint64_t ptr, struct lt_obj *obj)
{
	uint64_t mixed = lt_hash64(ptr, t->seed);
	uint32_t h = (uint32_t)mixed;
	const struct lt_objtable_part *part = part_of(t, h);

	for (uint32_t i = home_of(part, h); part->slots[i]; i = after(part, i)) {
		const struct packed *p;

		if (SLOT_HASH(part->slots[i]) != h)
			continue;
		p = lt_pool_at(&t->pool, SLOT_ID(part->slots[i]));
		if (p->high == mixed >> 32) {
			unpack(t, p, ptr, SLOT_ID(part->slots[i]), obj);
			return true;
		}
	}
	return false;
}

static void insert_slot(struct lt_objtable_part *part, uint64_t slot)
{
	uint32_t i = home_of(part, SLOT_HASH(slot));

	while (part->slots[i])
		i = after(part, i);
	part->slots[i] = slot;
}

static void grow(struct lt_objtable_part *part)
{
	uint64_t *old = part->slots;
	uint32_t n_old = part->n_slots;

	if (n_old > UINT32_MAX / 2)
		lt_fatal("more than %u objects at the same time", UINT32_MAX);
	/* By an eighth, and by whole pages. */
	part->n_slots += (part->n_slots / 8 + SLOTS_AT_FIRST - 1) / SLOTS_AT_FIRST * SLOTS_AT_FIRST;
	part->slots = map_slots(part->n_slots);
	for (uint32_t i = 0; i < n_old; i++) {
		if (old[i])
			insert_slot(part, old[i]);
	}
	unmap_slots(old, n_old);
}

/* @numbers: by old number: the new one, 0: it has none yet */
static void renew_actor(struct lt_objtable *t, const struct lt_intern *old, uint32_t *numbers,
			struct packed *p)
{
	uint32_t *number = &numbers[p->actor];

	if (!*number)
		*number = lt_intern_lookup(&t->actors, lt_intern_value(old, p->actor));
	p->actor = *number;
}

/* Tasks come and go, on all CPUs; only the actors of objects that are there stay. */
static void renew_actors(struct lt_objtable *t)
{
	uint32_t *numbers = lt_alloc_array(t->actors.n, sizeof(*numbers));
	struct lt_intern old = t->actors;

	lt_intern_init(&t->actors);
	for (size_t i = 0; i < LT_OBJTABLE_PARTS; i++) {
		const struct lt_objtable_part *part = &t->parts[i];

		for (uint32_t k = 0; k < part->n_slots; k++) {
			struct packed *p = part->slots[k] ?
				lt_pool_at(&t->pool, SLOT_ID(part->slots[k])) : NULL;

			if (p && !is_whole(p))
				renew_actor(t, &old, numbers, p);
		}
	}
	free(numbers);
	lt_intern_destroy(&old);
	t->renew_at = 2 * (size_t)t->actors.n + t->n / ACTORS_SHARE + ACTORS_MIN;
}

void lt_objtable_add(struct lt_objtable *t, struct lt_obj *obj)
{
	uint64_t mixed = lt_hash64(obj->ptr, t->seed);
	struct lt_objtable_part *part = part_of(t, (uint32_t)mixed);
	struct packed *p;

	if (t->actors.n >= t->renew_at)
		renew_actors(t);
	/* Linear probing stays short while three of ten slots are free. */
	if ((part->n + 1) * 10ULL > part->n_slots * 7ULL)
		grow(part);
	obj->id = lt_pool_get(&t->pool);
	insert_slot(part, mixed << 32 | obj->id);
	part->n++;
	t->n++;
	p = lt_pool_at(&t->pool, obj->id);
	p->high = (uint32_t)(mixed >> 32);
	pack(t, p, obj);
}

void lt_objtable_put(struct lt_objtable *t, const struct lt_obj *obj)
{
	struct packed *p = lt_pool_at(&t->pool, obj->id);

	if (is_whole(p))
		lt_pool_put(&t->whole, p->site);
	pack(t, p, obj);
}

/* An object that is removed while all are walked over keeps its place. */
static void mark_removed(struct lt_objtable *t, struct packed *p)
{
	if (is_whole(p))
		((struct lt_obj *)lt_pool_at(&t->whole, p->site))->flags |= REMOVED;
	else
		p->time_flags |= (uint64_t)REMOVED << TIME_BITS;
}

void lt_objtable_remove(struct lt_objtable *t, const struct lt_obj *obj)
{
	uint32_t h = (uint32_t)lt_hash64(obj->ptr, t->seed);
	struct lt_objtable_part *part = part_of(t, h);
	struct packed *p = lt_pool_at(&t->pool, obj->id);
	uint32_t hole = home_of(part, h);

	t->n--;
	if (t->closed) {
		mark_removed(t, p);
		return;
	}
	if (is_whole(p))
		lt_pool_put(&t->whole, p->site);
	lt_pool_put(&t->pool, obj->id);
	while (SLOT_ID(part->slots[hole]) != obj->id)
		hole = after(part, hole);

	/*
	 * No tombstones: each of the following slots whose home is not between the
	 * hole (exclusive) and its place moves into the hole.
	 */
	for (uint32_t i = after(part, hole); part->slots[i]; i = after(part, i)) {
		uint32_t home = home_of(part, SLOT_HASH(part->slots[i]));
		bool between = hole <= i ? home > hole && home <= i : home > hole || home <= i;

		if (between)
			continue;
		part->slots[hole] = part->slots[i];
		hole = i;
	}
	part->slots[hole] = 0;
	part->n--;
}

/* ------------------------------------------------------------------------
 * The walk over all objects
 */

static void unpack_slot(const struct lt_objtable *t, uint64_t slot, struct lt_obj *obj)
{
	const struct packed *p = lt_pool_at(&t->pool, SLOT_ID(slot));
	uint64_t mixed = (uint64_t)p->high << 32 | SLOT_HASH(slot);

	unpack(t, p, lt_unhash64(mixed, t->seed), SLOT_ID(slot), obj);
}

void lt_objtable_each(const struct lt_objtable *t, lt_objtable_fn *fn, void *arg)
{
	struct lt_obj obj;

	for (size_t i = 0; i < LT_OBJTABLE_PARTS; i++) {
		const struct lt_objtable_part *part = &t->parts[i];

		for (uint32_t k = 0; k < part->n_slots; k++) {
			if (!part->slots[k])
				continue;
			unpack_slot(t, part->slots[k], &obj);
			fn(arg, &obj);
		}
	}
}

static void birth_of(const struct lt_objtable *t, uint64_t slot, uint64_t *time,
		     uint32_t *count)
{
	const struct packed *p = lt_pool_at(&t->pool, SLOT_ID(slot));
	const struct lt_obj *obj;

	if (is_whole(p)) {
		obj = lt_pool_at(&t->whole, p->site);
		*time = obj->time;
		*count = obj->count;
		return;
	}
	*time = t->base + (p->time_flags & TIME_MASK);
	*count = p->count;
}

static unsigned int flags_of(const struct lt_objtable *t, uint64_t slot)
{
	const struct packed *p = lt_pool_at(&t->pool, SLOT_ID(slot));

	if (is_whole(p))
		return ((const struct lt_obj *)lt_pool_at(&t->whole, p->site))->flags;
	return (unsigned int)(p->time_flags >> TIME_BITS);
}

static int by_birth(const struct lt_objtable *t, uint64_t x, uint64_t y)
{
	uint64_t time_x, time_y;
	uint32_t count_x, count_y;
	struct lt_obj a, b;

	birth_of(t, x, &time_x, &count_x);
	birth_of(t, y, &time_y, &count_y);
	if (time_x != time_y)
		return time_x < time_y ? -1 : 1;
	/* Objects of one time cannot be 2^31 births apart. */
	if (count_x != count_y)
		return (int32_t)(count_x - count_y) < 0 ? -1 : 1;
	/* Parts of one page block. */
	unpack_slot(t, x, &a);
	unpack_slot(t, y, &b);
	return a.ptr < b.ptr ? -1 : a.ptr > b.ptr;
}

static int compare_slots(const void *a, const void *b, void *arg)
{
	return by_birth(arg, *(const uint64_t *)a, *(const uint64_t *)b);
}

/* Calls @fn for the objects with one of the flags; they are few. */
static void close_flagged(struct lt_objtable *t, unsigned int flags, lt_objtable_fn *fn, void *arg)
{
	uint64_t *found = NULL;
	size_t n = 0, cap = 0;
	struct lt_obj obj;

	for (size_t i = 0; i < LT_OBJTABLE_PARTS; i++) {
		for (uint32_t k = 0; k < t->parts[i].n; k++) {
			uint64_t slot = t->parts[i].slots[k];

			if (!(flags_of(t, slot) & flags))
				continue;
			found = lt_grow(found, &cap, n, sizeof(*found));
			found[n++] = slot;
		}
	}
	if (n)
		qsort_r(found, n, sizeof(*found), compare_slots, t);
	for (size_t i = 0; i < n; i++) {
		unpack_slot(t, found[i], &obj);
		fn(arg, &obj);
	}
	free(found);
}

void lt_objtable_close(struct lt_objtable *t, unsigned int flags, lt_objtable_fn *fn, void *arg)
{
	t->closed = true;
	for (size_t i = 0; i < LT_OBJTABLE_PARTS; i++) {
		struct lt_objtable_part *part = &t->parts[i];
		uint32_t n = 0;

		for (uint32_t k = 0; k < part->n_slots; k++) {
			if (part->slots[k])
				part->slots[n++] = part->slots[k];
		}
		qsort_r(part->slots, n, sizeof(*part->slots), compare_slots, t);
	}
	close_flagged(t, flags, fn, arg);
}

/* The parts that are not yet walked over: a heap, the earliest object first. */
struct walk {
	const struct lt_objtable *t;
	size_t n;
	struct walk_part {
		uint64_t time;		/* of the object at @slot */
		const uint64_t *slot, *end;
	} heap[LT_OBJTABLE_PARTS];
};

static bool is_earlier(const void *a, const void *b, const void *arg)
{
	const struct walk_part *x = a, *y = b;
	const struct walk *w = arg;

	if (x->time != y->time)
		return x->time < y->time;
	return by_birth(w->t, *x->slot, *y->slot) < 0;
}

static void sift_down(struct walk *w, size_t i)
{
	lt_heap_down(w->heap, w->n, sizeof(w->heap[0]), i, is_earlier, w);
}

static void set_time(const struct walk *w, struct walk_part *p)
{
	uint32_t count;

	birth_of(w->t, *p->slot, &p->time, &count);
}

void lt_objtable_walk(struct lt_objtable *t, lt_objtable_fn *fn, void *arg)
{
	struct walk w = { .t = t };

	for (size_t i = 0; i < LT_OBJTABLE_PARTS; i++) {
		const struct lt_objtable_part *part = &t->parts[i];

		if (!part->n)
			continue;
		w.heap[w.n].slot = part->slots;
		w.heap[w.n].end = part->slots + part->n;
		set_time(&w, &w.heap[w.n++]);
	}
	for (size_t i = w.n / 2; i--;)
		sift_down(&w, i);
	while (w.n) {
		struct walk_part *first = &w.heap[0];
		struct lt_obj obj;

		unpack_slot(t, *first->slot, &obj);
		if (!(obj.flags & REMOVED))
			fn(arg, &obj);
		if (++first->slot == first->end)
			*first = w.heap[--w.n];
		else
			set_time(&w, first);
		sift_down(&w, 0);
	}
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Pid namespaces and the generations of their numbers, as in the module (module/pid/pidns.c).
 *
 * Births, exits and snapshots say who holds a number. Where functions are watched, records say
 * besides when a number is given and when it is taken back: then numbers are exact. A birth without
 * the record that its number was given says the same by itself, and so does an exit without the
 * record that it was taken back. What these do not show, numbers that no task got and the ends of
 * namespaces, is why records of that kind that are lost count as generations that are.
 *
 * A generation ends when the cursor went back, and when a number is given that was visible in it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "bpf/transcode_internal.h"

#define MAX_NAMESPACES	65535U
#define REST_NS		1000000000U	/* for which an id means nothing before it is used again */

/* ------------------------------------------------------------------------
 * Holders
 */

static uint32_t hash_of(uint32_t nr)
{
	return (uint32_t)lt_hash64(nr, 0);
}

struct lt_transcode_holder *lt_transcode_find(const struct lt_transcode_ns *ns, uint32_t nr)
{
	uint32_t number;

	if (!ns->by_nr.slots)
		return NULL;
	lt_map_for_each(number, at, &ns->by_nr, hash_of(nr)) {
		if (ns->holders[number - 1].nr == nr)
			return &ns->holders[number - 1];
	}
	return NULL;
}

struct lt_transcode_holder *lt_transcode_get(struct lt_transcode_ns *ns, uint32_t nr)
{
	struct lt_transcode_holder *h = lt_transcode_find(ns, nr);

	if (h)
		return h;
	if (!ns->by_nr.slots)
		lt_map_init(&ns->by_nr);
	ns->holders = lt_grow(ns->holders, &ns->cap_holders, ns->n_holders, sizeof(*h));
	h = &ns->holders[ns->n_holders++];
	*h = (struct lt_transcode_holder){ .nr = nr };
	lt_map_add(&ns->by_nr, hash_of(nr), (uint32_t)ns->n_holders);
	return h;
}

static void forget(struct lt_transcode_ns *ns)
{
	free(ns->holders);
	if (ns->by_nr.slots)
		lt_map_destroy(&ns->by_nr);
	ns->holders = NULL;
	ns->by_nr = (struct lt_map){ 0 };
	ns->n_holders = ns->cap_holders = 0;
}

bool lt_transcode_is_holder(const struct lt_transcode_holder *h, uint32_t tid, uint64_t start)
{
	return h && h->holders && h->tid == tid && h->start == start;
}

/* ------------------------------------------------------------------------
 * Namespaces
 */

struct lt_transcode_ns *lt_transcode_ns_by_id(const struct lt_transcode *t, uint16_t id)
{
	return id ? &t->namespaces[id - 1] : NULL;
}

struct lt_transcode_ns *lt_transcode_find_ns(struct lt_transcode *t, uint32_t inum)
{
	uint32_t number;

	if (!t->by_inum.slots)
		return NULL;
	/* Of several with that inode number the last one alone is in the table. */
	lt_map_for_each(number, at, &t->by_inum, inum) {
		if (t->namespaces[number - 1].inum == inum)
			return &t->namespaces[number - 1];
	}
	return NULL;
}

/* What the programs do not count themselves. */
void lt_transcode_counted(struct lt_transcode_ring *r, unsigned int class)
{
	r->own[LT_CLASS_INDEX(class)]++;
}

void lt_transcode_lose(struct lt_transcode_ring *r, unsigned int class, uint64_t n)
{
	r->own[LT_CLASS_INDEX(class)] += n;
	lt_encode_lost(&r->e, class, LT_ENCODE_NESTED, n);
}

/* Where it is not seen when a number is given, those of births are all that are known. */
static uint64_t allocated(const struct lt_transcode_ring *r, const struct lt_transcode_ns *ns)
{
	return r->t->exact ? ns->allocated : ns->born;
}

static void announce(struct lt_transcode_ring *r, const struct lt_transcode_ns *ns, uint64_t time)
{
	lt_transcode_counted(r, LT_CLASS_WRAP);
	LT_ENCODE(&r->e, time, LT_CTX_TASK, PID_NS, .ns = ns->id, .parent = ns->parent,
		  .level = (uint8_t)ns->level, .exact = r->t->exact, .inum = ns->inum,
		  .init_tid = ns->init_tid, .init_start = ns->init_start, .cursor = ns->cursor,
		  .generation = ns->generation, .wraps = ns->wraps, .allocated = allocated(r, ns),
		  .born = ns->born, .burned = ns->burned);
}

/* A namespace is gone, and its id may be used again after a while. */
static void retire(struct lt_transcode_ring *r, struct lt_transcode_ns *ns, uint64_t time)
{
	struct lt_transcode *t = r->t;

	lt_transcode_counted(r, LT_CLASS_WRAP);
	LT_ENCODE(&r->e, time, LT_CTX_TASK, PID_NS_GONE, .ns = ns->id,
		  .generation = ns->generation, .wraps = ns->wraps,
		  .allocated = allocated(r, ns), .born = ns->born, .burned = ns->burned);
	lt_map_remove(&t->by_inum, ns->inum, ns->id);
	forget(ns);
	ns->ended = time;
	if (t->last_rests)
		lt_transcode_ns_by_id(t, t->last_rests)->rests = ns->id;
	else
		t->rests = ns->id;
	t->last_rests = ns->id;
}

/* Each id once; then again, the longest gone first. 0: there is none. */
static uint16_t take_id(struct lt_transcode *t, uint64_t time)
{
	uint16_t id = t->rests;

	if (t->n_namespaces < MAX_NAMESPACES) {
		t->namespaces = lt_grow(t->namespaces, &t->cap_namespaces, t->n_namespaces,
					sizeof(*t->namespaces));
		t->n_namespaces++;
		return (uint16_t)t->n_namespaces;
	}
	if (!id || time < lt_transcode_ns_by_id(t, id)->ended + REST_NS)
		return 0;
	t->rests = lt_transcode_ns_by_id(t, id)->rests;
	if (!t->rests)
		t->last_rests = 0;
	return id;
}

static struct lt_transcode_ns *new_ns(struct lt_transcode_ring *r,
				      const struct lt_transcode_place *p)
{
	struct lt_transcode *t = r->t;
	struct lt_transcode_ns *old = lt_transcode_find_ns(t, p->inum), *ns;
	const struct lt_transcode_ns *parent;
	uint16_t id;

	if (!t->by_inum.slots)
		lt_map_init(&t->by_inum);
	/* Its end was not seen: its inode number is used again. */
	if (old)
		retire(r, old, p->time);
	id = take_id(t, p->time);
	if (!id)
		return NULL;
	parent = p->parent_inum ? lt_transcode_find_ns(t, p->parent_inum) : NULL;
	ns = lt_transcode_ns_by_id(t, id);
	*ns = (struct lt_transcode_ns){
		.inum = p->inum, .id = id, .level = (uint16_t)p->level,
		.parent = parent ? parent->id : 0, .first = p->time, .generation = 1,
	};
	lt_map_add(&t->by_inum, p->inum, id);
	return ns;
}

/*
 * All ids are used: what is in the namespace is not known. It is counted with its first number, as
 * a record that is lost.
 */
static void without_id(struct lt_transcode_ring *r, const struct lt_transcode_place *p)
{
	if (p->nr != 1 || (r->t->exact && p->tid))
		return;
	r->t->without_id++;
	lt_transcode_lose(r, LT_CLASS_WRAP, 1);
}

/*
 * A ring that was held up may have records which are older than what is known: that a number was
 * given may follow its birth, its end, or a snapshot that found its task.
 */
static bool is_known(const struct lt_transcode_holder *h, uint64_t time)
{
	return h->ended ? time < h->ended : time <= h->since;
}

/*
 * An inode number is used again. The first task of a namespace has the number 1 there, and is born
 * before all others; their records may be in rings that were read before.
 */
static bool is_another(const struct lt_transcode_ns *ns, const struct lt_transcode_place *p)
{
	const struct lt_transcode_holder *first;

	if (!p->level || p->nr != 1 || ns->begins)
		return false;
	first = lt_transcode_find(ns, 1);
	if (first && (lt_transcode_is_holder(first, p->tid, p->start) || is_known(first, p->time)))
		return false;
	return ns->init_tid || ns->first < p->time;
}

struct lt_transcode_ns *lt_transcode_ns(struct lt_transcode_ring *r,
					const struct lt_transcode_place *p)
{
	struct lt_transcode *t = r->t;
	struct lt_transcode_ns *ns = lt_transcode_find_ns(t, p->inum);

	if (ns && !is_another(ns, p)) {
		if (ns->begins && p->tid && p->nr == 1) {
			ns->begins = false;
			ns->init_tid = p->tid;
			ns->init_start = p->start;
		}
		return ns;
	}
	ns = new_ns(r, p);
	if (!ns) {
		without_id(r, p);
		return NULL;
	}
	if (p->nr == 1 && p->level) {
		ns->begins = !p->tid;
		ns->init_tid = p->tid;
		ns->init_start = p->start;
	}
	ns->cursor = p->cursor;
	announce(r, ns, p->time);
	return ns;
}

uint16_t lt_transcode_namespace(struct lt_transcode_ring *r, uint64_t time, uint32_t inum,
				unsigned int level, uint32_t parent_inum)
{
	const struct lt_transcode_place p = {
		.time = time, .inum = inum, .level = level, .parent_inum = parent_inum,
	};
	const struct lt_transcode_ns *ns = lt_transcode_ns(r, &p);

	return ns ? ns->id : 0;
}

/* ------------------------------------------------------------------------
 * Generations
 */

/* The lowest number that is given again; none of the kernel's first tasks. */
#define RESERVED_PIDS	300U

/* From its clock to its cursor a program may be interrupted, not longer than this. */
#define CURSOR_NS	1000000000ULL

/*
 * The cursor is read a little behind the clock, so on two CPUs it may seem to go back by some
 * numbers that were given at that moment. When numbers are given again it goes back to the first
 * ones. Where it did so unnoticed, a number shows it that is given a second time.
 */
static bool went_back(uint32_t old, uint32_t cursor)
{
	return old > RESERVED_PIDS && cursor < old / 2;
}

static void next_generation(struct lt_transcode_ring *r, struct lt_transcode_ns *ns,
			    const struct lt_transcode_place *p, enum lt_wrap_why why)
{
	ns->generation++;
	ns->wraps += why == LT_WRAP_CURSOR;
	if (why == LT_WRAP_CURSOR)
		ns->wrapped_from = ns->cursor;
	ns->wrapped = p->time;
	lt_transcode_counted(r, LT_CLASS_WRAP);
	LT_ENCODE(&r->e, p->time, LT_CTX_TASK, WRAP, .ns = ns->id, .generation = ns->generation,
		  .wraps = ns->wraps, .why = (uint8_t)why, .nr = p->nr, .old_cursor = ns->cursor,
		  .cursor = p->cursor, .allocated = allocated(r, ns),
		  .burned = ns->burned);
}

static void sample(struct lt_transcode_ring *r, struct lt_transcode_ns *ns,
		   const struct lt_transcode_place *p)
{
	/* Or it was read before the wrap that is known, behind a clock after that of the one. */
	if (p->time < ns->time ||
	    (went_back(p->cursor, ns->cursor) && p->cursor > ns->wrapped_from / 2 &&
	     ns->wrapped_from && p->time - ns->wrapped < CURSOR_NS))
		return;
	if (went_back(ns->cursor, p->cursor))
		next_generation(r, ns, p, LT_WRAP_CURSOR);
	ns->cursor = p->cursor;
	ns->time = p->time;
}

static uint64_t generation_at(const struct lt_transcode_ns *ns, uint64_t time)
{
	return time < ns->wrapped ? ns->generation - 1 : ns->generation;
}

/* A number is given; to no task yet. */
static void given(struct lt_transcode_ring *r, struct lt_transcode_ns *ns,
		  const struct lt_transcode_place *p)
{
	struct lt_transcode_holder *h = lt_transcode_get(ns, p->nr);
	bool known = is_known(h, p->time);

	ns->allocated += !known || !h->counted;
	sample(r, ns, p);
	if (known) {
		if (!h->counted)
			h->generation = generation_at(ns, p->time);
		h->counted = true;
		return;
	}
	/* One of the generation before may have been given then. */
	if (h->used == ns->generation && p->time >= ns->wrapped)
		next_generation(r, ns, p, LT_WRAP_AGAIN);
	h->generation = generation_at(ns, p->time);
	if (h->used < h->generation)
		h->used = h->generation;
	h->since = p->time;
	h->ended = 0;
	h->counted = true;
	h->freed = false;
	h->pending = true;
}

void lt_transcode_given(struct lt_transcode_ring *r, const struct lt_transcode_place *p)
{
	struct lt_transcode_ns *ns = lt_transcode_ns(r, p);

	if (ns)
		given(r, ns, p);
}

/*
 * A number is taken back: from a task, or from a fork that failed. The first task of a namespace
 * waits for all others, so that is empty when its number is taken back.
 */
void lt_transcode_freed(struct lt_transcode_ring *r, const struct lt_transcode_place *p,
			uint64_t boot)
{
	struct lt_transcode_ns *ns = lt_transcode_find_ns(r->t, p->inum);
	struct lt_transcode_holder *h;

	if (!ns)
		return;
	h = lt_transcode_get(ns, p->nr);
	sample(r, ns, p);
	if (p->time < h->since)
		return;
	h->used = ns->generation;
	ns->burned += h->pending;
	h->unseen |= !h->pending && !h->holders;
	/* A thread that became its group's leader by exec never exits by its old number. */
	if (!h->pending && h->holders && !h->death)
		h->death = boot;
	h->pending = false;
	/* That it was given since it was taken back before is not known yet. */
	h->counted &= !h->freed;
	h->freed = true;
	h->ended = p->time;
	if (p->level && p->nr == 1)
		retire(r, ns, p->time);
}

uint64_t lt_transcode_number(struct lt_transcode_ring *r, struct lt_transcode_ns *ns,
			     const struct lt_transcode_place *p)
{
	struct lt_transcode_holder *h;

	ns->born++;
	if (r->t->exact) {
		h = lt_transcode_get(ns, p->nr);
		if (!h->pending && !lt_transcode_is_holder(h, p->tid, p->start)) {
			given(r, ns, p);
		} else if (!h->counted) {
			/* A snapshot has found it, and it was given before that was watched. */
			h->counted = true;
			ns->allocated++;
		}
		return h->generation;
	}
	if (p->time < ns->time)	/* of a ring that was not read before */
		return generation_at(ns, p->time);
	sample(r, ns, p);
	return ns->generation;
}

void lt_transcode_numbers_free(struct lt_transcode *t)
{
	for (size_t i = 0; i < t->n_namespaces; i++)
		forget(&t->namespaces[i]);
	free(t->namespaces);
	if (t->by_inum.slots)
		lt_map_destroy(&t->by_inum);
}

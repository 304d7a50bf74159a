// SPDX-License-Identifier: GPL-2.0
/*
 * Who holds the numbers of tasks, and who held them before, as in the module
 * (module/pid/numbers.c).
 */
#include "bpf/transcode_internal.h"

static void take(struct lt_transcode_holder *h, uint32_t tid, uint64_t start)
{
	h->pending = false;
	h->freed = false;
	h->unseen = false;
	h->tid = tid;
	h->start = start;
	h->death = 0;
	h->next_ns = 0;
	h->knows_oom = false;
	h->holders++;
}

static void lose_reuse(struct lt_transcode_ring *r)
{
	lt_transcode_lose(r, LT_CLASS_REUSE, 1);
}

/* Each may have had a number that another had before. */
void lt_transcode_lost_births(struct lt_transcode_ring *r, uint64_t births, uint64_t numbers)
{
	r->t->unborn += births;
	lt_transcode_lose(r, LT_CLASS_REUSE, births + numbers);
}

/* Numbers whose birth is in no record: whether others held them before is not in the trace. */
static void drop_new(struct lt_transcode_ring *r)
{
	for (unsigned int i = 0; i < r->n_new; i++) {
		if (r->new[i].old.holders)
			lose_reuse(r);
	}
	r->n_new = 0;
}

/* Its birth follows, and what is to be written behind that is kept until then. */
void lt_transcode_holds(struct lt_transcode_ring *r, const struct lt_transcode_ns *known,
			const struct lt_transcode_place *p, uint64_t generation)
{
	struct lt_transcode_new *n = &r->new[r->n_new];
	struct lt_transcode_ns *ns = lt_transcode_ns_by_id(r->t, known ? known->id : 0);
	struct lt_transcode_holder *h;

	if (r->n_new && (r->new[0].tid != p->tid || r->new[0].start != p->start)) {
		drop_new(r);
		n = &r->new[0];
	}
	if (!ns)
		lose_reuse(r);
	if (!ns || r->n_new == LT_TRANSCODE_LEVELS)
		return;
	h = lt_transcode_get(ns, p->nr);
	/* Who had it is not known, so it is not in the trace that it was given again. */
	if (h->unseen && !h->holders)
		lose_reuse(r);
	*n = (struct lt_transcode_new){
		.ns = ns->id, .nr = p->nr, .generation = generation, .tid = p->tid,
		.start = p->start,
	};
	r->n_new++;
	/*
	 * A snapshot may have found it, or one that was born later; or the recorder was held up
	 * between its looks at two rings. That the later one has its number is in no record then.
	 */
	if (h->holders && h->start > p->start)
		lose_reuse(r);
	if (h->holders && h->start >= p->start)
		return;
	n->old = *h;
	take(h, p->tid, p->start);
	/* Its end may have been read before its birth. */
	if (h->ended < p->time) {
		h->ended = 0;
		h->since = p->time;
	}
}

/* The initial namespace first, whose number the birth itself has; then inwards. */
static const struct lt_transcode_new *new_at(const struct lt_transcode_ring *r, unsigned int i)
{
	return &r->new[i ? i - 1 : r->n_new - 1];
}

/* The birth is written: the earlier holders follow. */
void lt_transcode_born(struct lt_transcode_ring *r, uint64_t time)
{
	for (unsigned int i = 0; i < r->n_new; i++) {
		const struct lt_transcode_new *n = new_at(r, i);
		const struct lt_transcode_ns *ns = lt_transcode_ns_by_id(r->t, n->ns);
		struct lt_transcode_holder *h = lt_transcode_find(ns, n->nr);

		if (i + 1 < r->n_new && lt_transcode_is_holder(h, n->tid, n->start)) {
			h->next_ns = new_at(r, i + 1)->ns;
			h->next_nr = new_at(r, i + 1)->nr;
		}
		if (!n->old.holders)
			continue;
		lt_transcode_counted(r, LT_CLASS_REUSE);
		LT_ENCODE(&r->e, time, LT_CTX_TASK, NUMBER_REUSED, .ns = n->ns, .nr = n->nr,
			  .generation = n->generation, .holders = n->old.holders + 1,
			  .old_tid = n->old.tid, .old_start = n->old.start,
			  .old_death = n->old.death, .tid = n->tid, .start = n->start);
	}
	r->n_new = 0;
}

/*
 * When a task was started, by the clock. Fork takes a number before that, and shows it later: so
 * records of before are about earlier holders, and those behind it about this one or later ones. A
 * suspend since then makes it earlier than it was.
 */
static uint64_t started(const struct lt_transcode_found *f)
{
	uint64_t age = f->boot > f->start ? f->boot - f->start : 0;

	return f->time > age ? f->time - age : 0;
}

/* What a task is called further in, from the initial namespace on: in the order of their levels. */
static void link_inner(struct lt_transcode *t, const struct lt_transcode_ns *ns,
		       struct lt_transcode_holder *inner)
{
	const struct lt_transcode_ns *at = lt_transcode_find_ns(t, LT_TRANSCODE_INITIAL);
	struct lt_transcode_holder *h = at ? lt_transcode_find(at, inner->tid) : NULL;

	while (lt_transcode_is_holder(h, inner->tid, inner->start) && h != inner) {
		at = lt_transcode_ns_by_id(t, h->next_ns);
		if (!at || at->level > ns->level) {
			inner->next_ns = h->next_ns;
			inner->next_nr = h->next_nr;
			h->next_ns = ns->id;
			h->next_nr = inner->nr;
			return;
		}
		h = lt_transcode_find(at, h->next_nr);
	}
}

/* A snapshot has found a task. */
void lt_transcode_seed(struct lt_transcode *t, uint16_t id, uint32_t nr,
		       const struct lt_transcode_found *found)
{
	struct lt_transcode_ns *ns = lt_transcode_ns_by_id(t, id);
	struct lt_transcode_holder *h = ns ? lt_transcode_get(ns, nr) : NULL;

	if (!h || h->holders || h->pending)
		return;
	take(h, found->tid, found->start);
	h->used = h->generation = ns->generation;
	h->since = started(found);
	h->ended = 0;
	h->counted = false;
	if (ns->level)
		link_inner(t, ns, h);
	/* A namespace is not younger than its tasks. */
	if (h->since < ns->first)
		ns->first = h->since;
}

/*
 * The birth of a task that exits is lost: it holds the number all the same. That another held it
 * before was counted with the loss, if there was one.
 */
static void take_unborn(struct lt_transcode_ring *r, struct lt_transcode_holder *h, uint32_t tid,
			uint64_t start)
{
	if (r->t->unborn)
		r->t->unborn--;
	else if (h->holders)
		lose_reuse(r);
	h->counted &= h->pending;
	take(h, tid, start);
}

/* A task exits: in each namespace. */
void lt_transcode_died(struct lt_transcode_ring *r, uint64_t time, uint32_t tid, uint64_t start,
		       uint64_t boot)
{
	struct lt_transcode *t = r->t;
	struct lt_transcode_ns *ns = lt_transcode_find_ns(t, LT_TRANSCODE_INITIAL);
	uint32_t nr = tid;

	for (unsigned int i = 0; ns && i < LT_TRANSCODE_LEVELS; i++) {
		struct lt_transcode_holder *h = i ? lt_transcode_find(ns, nr) :
						    lt_transcode_get(ns, nr);

		if (!i && (!h->holders || h->start < start))
			take_unborn(r, h, tid, start);
		if (!lt_transcode_is_holder(h, tid, start))
			return;
		h->death = boot;
		h->used = ns->generation;
		if (h->ended < time)
			h->ended = time;
		ns = lt_transcode_ns_by_id(t, h->next_ns);
		nr = h->next_nr;
	}
}

/*
 * A thread has taken over its leader's numbers, by exec: the exit by them does not count.
 * Return: when the thread was started; 0: not known.
 */
uint64_t lt_transcode_passed_on(struct lt_transcode *t, const struct lt_transcode_exchange *x)
{
	struct lt_transcode_ns *ns = lt_transcode_find_ns(t, LT_TRANSCODE_INITIAL);
	const struct lt_transcode_holder *thread = ns ? lt_transcode_find(ns, x->old_tid) : NULL;
	uint32_t nr = x->tid;

	for (unsigned int i = 0; ns && i < LT_TRANSCODE_LEVELS; i++) {
		struct lt_transcode_holder *h = lt_transcode_find(ns, nr);

		/* An end that is later was read before. */
		if (!lt_transcode_is_holder(h, x->tid, x->start) || h->ended > x->time)
			break;
		h->death = 0;
		h->ended = 0;
		ns = lt_transcode_ns_by_id(t, h->next_ns);
		nr = h->next_nr;
	}
	return thread && thread->holders ? thread->start : 0;
}

void lt_transcode_found_oom(struct lt_transcode *t, uint32_t tgid, uint64_t start, int16_t now)
{
	struct lt_transcode_ns *ns = lt_transcode_find_ns(t, LT_TRANSCODE_INITIAL);
	struct lt_transcode_holder *h = ns ? lt_transcode_find(ns, tgid) : NULL;

	if (!lt_transcode_is_holder(h, tgid, start))
		return;
	h->knows_oom = !h->knows_oom || h->oom == now;
	h->oom = now;
}

int16_t lt_transcode_oom(struct lt_transcode *t, uint32_t tgid, uint64_t start, int16_t now)
{
	struct lt_transcode_ns *ns = lt_transcode_find_ns(t, LT_TRANSCODE_INITIAL);
	struct lt_transcode_holder *h = ns ? lt_transcode_find(ns, tgid) : NULL;
	int16_t old = now;

	if (!lt_transcode_is_holder(h, tgid, start))
		return now;
	if (h->knows_oom)
		old = h->oom;
	h->knows_oom = true;
	h->oom = now;
	return old;
}

// SPDX-License-Identifier: GPL-2.0
#include "lifetime_test.h"

const struct lt_cache run_cache = { .object_size = 50, .size = 56, .name = "things" };

const struct lt_task run_tasks[3] = {
	{ .tid = 10, .tgid = 10, .start = 1, .comm = "a", .exit = UINT64_MAX },
	{ .tid = 10, .tgid = 10, .start = 2, .comm = "b", .exit = UINT64_MAX },
	{ .tid = 12, .tgid = 12, .start = 3, .comm = "c", .exit = UINT64_MAX },
};

static void ended(void *arg, const struct lt_lifetime *l)
{
	struct run *r = arg;

	r->ended[r->n++ % RUN_KEPT] = *l;
	if (l->space != LT_SPACE_PAGE || !l->birth.known)
		return;
	if (l->ending == LT_END_ALIVE)
		r->pages_open += l->bytes_alloc >> 12;
	else
		r->pages_died += l->bytes_alloc >> 12;
}

static void born(void *arg, enum lt_space space, const struct lt_obj *obj)
{
	struct run *r = arg;

	if (space == LT_SPACE_PAGE) {
		r->pages_born += obj->bytes_alloc >> 12;
		return;
	}
	r->live += (int64_t)obj->bytes_alloc;
	r->held += (int64_t)obj->bytes_alloc;
}

static void gone(void *arg, enum lt_space space, const struct lt_obj *obj,
		 enum lt_ending ending, uint64_t time)
{
	struct run *r = arg;

	(void)ending;
	(void)time;
	if (space == LT_SPACE_SLAB && obj->kind != LT_CLASS_NONE)
		r->live -= (int64_t)obj->bytes_alloc;
	assert_true(r->live >= 0);
}

static void released(void *arg, enum lt_space space, const struct lt_obj *obj,
		     enum lt_ending ending, uint64_t time, bool rcu)
{
	struct run *r = arg;

	(void)ending;
	(void)time;
	(void)rcu;
	if (space == LT_SPACE_SLAB && obj->kind != LT_CLASS_NONE)
		r->held -= (int64_t)obj->bytes_alloc;
	assert_true(r->held >= 0);
}

static const struct lt_cache *cache(void *arg, uint32_t id)
{
	const struct run *r = arg;

	(void)id;
	return r->caches_unknown ? NULL : &run_cache;
}

void run_start(struct run *r, const struct lt_lifetime_config *config)
{
	const struct lt_lifetime_ops ops = {
		.ended = ended, .born = born, .gone = gone, .released = released,
		.cache = cache, .arg = r,
	};

	memset(r, 0, sizeof(*r));
	r->lf = lt_lifetimes_new(config, &ops);
}

void run_start_plain(struct run *r, bool late_free)
{
	run_start(r, &(struct lt_lifetime_config){ .page_shift = 12, .late_free = late_free });
}

void run_event(struct run *r, const struct lt_event *ev)
{
	lt_lifetimes_event(r->lf, ev, r->gap_end[lt_event_space(ev)]);
}

void run_finish(struct run *r, uint64_t end)
{
	lt_lifetimes_finish(r->lf, end, r->gap_end);
	r->stats = *lt_lifetimes_stats(r->lf);
	lt_lifetimes_free(r->lf);
	r->lf = NULL;
}

void run_kmalloc(struct run *r, uint32_t cpu, uint64_t time, uint64_t ptr)
{
	const struct lt_event ev = {
		.time = time, .cpu = cpu, .ptr = ptr, .task = &run_tasks[0], .node = -1,
		.class = LT_CLASS_KMALLOC, .bytes_req = 8, .bytes_alloc = 8,
	};

	run_event(r, &ev);
}

void run_kfree(struct run *r, uint32_t cpu, uint64_t time, uint64_t ptr)
{
	const struct lt_event ev = {
		.time = time, .cpu = cpu, .ptr = ptr, .task = &run_tasks[0], .node = -1,
		.class = LT_CLASS_KFREE,
	};

	run_event(r, &ev);
}

void run_page(struct run *r, enum lt_class class, uint32_t cpu, uint64_t time, uint64_t pfn,
	      uint8_t order)
{
	const struct lt_event ev = {
		.time = time, .cpu = cpu, .ptr = pfn, .task = &run_tasks[0], .node = -1,
		.class = (uint8_t)class, .order = order,
	};

	run_event(r, &ev);
}

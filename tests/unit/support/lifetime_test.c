// SPDX-License-Identifier: GPL-2.0
/*
 * For tests of the lifetime engine: events made by hand, lifetimes as text.
 */
#include "lifetime_test.h"

/* Runs are handed out by value, the engine's callbacks need a place that stays. */
static struct run *current;

static struct lt_task default_task = { .tid = 10, .tgid = 10, .start = 1, .comm = "a",
				       .exit = UINT64_MAX };

/* What came out since the last expect(); only small scripts look at it. */
static char text[8192];

static void ended(void *arg, const struct lt_lifetime *l)
{
	size_t n = strlen(text);

	(void)arg;
	current->last = *l;
	current->n++;
	if (l->space == LT_SPACE_PAGE && l->birth.known) {
		if (l->ending == LT_END_ALIVE)
			current->pages_open += l->bytes_alloc >> 12;
		else
			current->pages_died += l->bytes_alloc >> 12;
	}
	n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %llx %llu-%llu %s %s",
			      n ? "\n" : "", lt_kind_name(l), (unsigned long long)l->ptr,
			      (unsigned long long)l->birth.time,
			      (unsigned long long)l->death.time,
			      lt_certainty_name(l->certainty), lt_ending_name(l->ending));
	if (l->rcu_confirmed && n < sizeof(text))
		snprintf(text + n, sizeof(text) - n, " +%llu",
			 (unsigned long long)(l->rcu_confirmed - l->death.time));
}

static void born(void *arg, enum lt_space space, const struct lt_obj *obj)
{
	(void)arg;
	if (space == LT_SPACE_PAGE) {
		current->pages_born += obj->bytes_alloc >> 12;
		return;
	}
	current->live += (int64_t)obj->bytes_alloc;
	current->held += (int64_t)obj->bytes_alloc;
}

static void gone(void *arg, enum lt_space space, const struct lt_obj *obj,
		 enum lt_ending ending, uint64_t time)
{
	(void)arg;
	(void)ending;
	(void)time;
	if (space == LT_SPACE_SLAB && obj->kind != LT_CLASS_NONE)
		current->live -= (int64_t)obj->bytes_alloc;
	assert_true(current->live >= 0);
}

static void released(void *arg, enum lt_space space, const struct lt_obj *obj,
		     enum lt_ending ending, uint64_t time, bool rcu)
{
	(void)arg;
	(void)ending;
	(void)time;
	(void)rcu;
	if (space == LT_SPACE_SLAB && obj->kind != LT_CLASS_NONE)
		current->held -= (int64_t)obj->bytes_alloc;
	assert_true(current->held >= 0);
}

static const struct lt_cache *cache(void *arg, uint32_t id)
{
	static struct lt_cache c = { .object_size = 50, .size = 56, .name = "things" };

	(void)arg;
	(void)id;
	return current->cache_hidden ? NULL : &c;
}

struct run run_new(bool late_free)
{
	const struct lt_lifetime_config config = { .page_shift = 12, .late_free = late_free };
	const struct lt_lifetime_ops ops = {
		.ended = ended, .born = born, .gone = gone, .released = released,
		.cache = cache,
	};
	struct run r = { .task = &default_task };

	text[0] = 0;
	r.lf = lt_lifetimes_new(&config, &ops);
	return r;
}

void finish(struct run *r, uint64_t end, uint64_t gap_end)
{
	const uint64_t gaps[LT_SPACE_PAGE + 1] = { 0, gap_end, gap_end };

	current = r;
	lt_lifetimes_finish(r->lf, end, gaps);
	r->stats = *lt_lifetimes_stats(r->lf);
	lt_lifetimes_free(r->lf);
	r->lf = NULL;
}

const struct lt_lifetime_stats *stats(struct run *r)
{
	return r->lf ? lt_lifetimes_stats(r->lf) : &r->stats;
}

void expect_at(struct run *r, const char *expected, const char *file, int line)
{
	(void)r;
	if (strcmp(text, expected))
		print_error("expected:\n%s\nfound:\n%s\n", expected, text);
	_assert_string_equal(text, expected, file, line);
	text[0] = 0;
}

static void event(struct run *r, unsigned int class, uint32_t cpu, uint64_t time,
		  uint64_t ptr, uint16_t cache_id, uint64_t req, uint64_t alloc, uint8_t order)
{
	bool birth = class == LT_CLASS_KMALLOC || class == LT_CLASS_CACHE_ALLOC ||
		     class == LT_CLASS_BULK_ALLOC;
	struct lt_event ev = {
		.time = time, .seq = r->seq++, .task = r->task, .ptr = ptr, .cpu = cpu,
		.call_site = birth ? SITE_ALLOC : SITE_FREE,
		.bytes_req = req, .bytes_alloc = alloc, .node = -1, .cache = cache_id,
		.class = (uint8_t)class, .context = r->context, .order = order,
	};

	current = r;
	lt_lifetimes_event(r->lf, &ev, r->gap_end);
}

void kmalloc(struct run *r, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t req,
	     uint64_t alloc)
{
	event(r, LT_CLASS_KMALLOC, cpu, time, ptr, 0, req, alloc, 0);
}

void kfree(struct run *r, uint32_t cpu, uint64_t time, uint64_t ptr)
{
	event(r, LT_CLASS_KFREE, cpu, time, ptr, 0, 0, 0, 0);
}

void cache_alloc(struct run *r, uint32_t cpu, uint64_t time, uint64_t ptr, uint16_t id)
{
	event(r, LT_CLASS_CACHE_ALLOC, cpu, time, ptr, id, 0, 0, 0);
}

void cache_free(struct run *r, uint32_t cpu, uint64_t time, uint64_t ptr, uint16_t id)
{
	event(r, LT_CLASS_CACHE_FREE, cpu, time, ptr, id, 0, 0, 0);
}

void bulk_alloc(struct run *r, uint32_t cpu, uint64_t time, uint64_t ptr, uint16_t id)
{
	event(r, LT_CLASS_BULK_ALLOC, cpu, time, ptr, id, 0, 0, 0);
}

void bulk_free(struct run *r, uint32_t cpu, uint64_t time, uint64_t ptr, uint16_t id)
{
	event(r, LT_CLASS_BULK_FREE, cpu, time, ptr, id, 0, 0, 0);
}

void rcu_free(struct run *r, uint32_t cpu, uint64_t time, uint64_t ptr)
{
	event(r, LT_CLASS_RCU_FREE, cpu, time, ptr, 0, 0, 0, 0);
}

void page_alloc(struct run *r, uint32_t cpu, uint64_t time, uint64_t pfn, uint8_t order)
{
	event(r, LT_CLASS_PAGE_ALLOC, cpu, time, pfn, 0, 0, 0, order);
}

void page_free(struct run *r, uint32_t cpu, uint64_t time, uint64_t pfn, uint8_t order)
{
	event(r, LT_CLASS_PAGE_FREE, cpu, time, pfn, 0, 0, 0, order);
}

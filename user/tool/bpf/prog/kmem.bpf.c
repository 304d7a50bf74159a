// SPDX-License-Identifier: GPL-2.0
/*
 * The channel kmem: objects of slabs, and pages.
 *
 * Tracepoints of objects are attached as raw ones, whose arguments are numbers: 6.1 lets no typed
 * one read a "const void *". The prototypes are those of 6.1 and later: kernel.c checks them.
 */
#ifndef LEVEL_BY_SYMBOL
#define LEVEL_BY_CAST
#endif

#include "shared.h"

#define FUNCTION_EVENTS	(1 << LT_BPF_BULK_ALLOC | 1 << LT_BPF_BULK_FREE | 1 << LT_BPF_RCU_FREE |	\
			 1 << LT_BPF_RESIZE | 1 << LT_BPF_CACHE_GONE)

#include "prog/filter.h"
#include "prog/quick.h"
#include "prog/task.h"

/* ------------------------------------------------------------------------
 * Stacks
 */

struct stack {
	u64 frames[LT_RAW_STACK_FRAMES];
};

/* For each CPU, copy and event: a program does not interrupt itself. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct stack);
} stacks SEC(".maps");

struct trace {
	struct stack *stack;	/* NULL: there is none */
	u32 n;
};

AI bool stack_wanted(u64 ptr, u64 bytes)
{
	return config.stack_below && bytes >= config.stack_min &&
	       (u32)((u32)(ptr >> 3) * 0x85ebca6bU) < config.stack_below;
}

AI void take_stack(struct run *r, u64 *ctx, u32 event, u32 copy, struct trace *t)
{
	u32 at = (this_cpu() * LT_BPF_COPIES + copy) * LT_BPF_EVENTS + event;
	u32 size = config.stack_depth * 8;
	long got;

	t->stack = bpf_map_lookup_elem(&stacks, &at);
	if (!t->stack)
		return;
	if (size > sizeof(t->stack->frames))
		size = sizeof(t->stack->frames);
	got = bpf_get_stack(ctx, t->stack->frames, size, config.stack_skip & 0xff);
	if (got <= 0)
		t->stack = 0;
	else
		t->n = (u32)got / 8;
}

/* ------------------------------------------------------------------------
 * Objects
 */

struct birth {
	u64 ptr;
	u64 site;
	u64 what;	/* sizes, or the cache */
	u32 gfp;
	s32 node;
	u32 kind;
};

AI void fill_object(struct run *r, struct lt_raw_object *o, const struct birth *b, u64 time,
		    u32 copy)
{
	o->time = time;
	o->ptr = b->ptr;
	o->site = b->site;
	o->cache = b->what;
	commit(r, o, b->kind, copy, b->node, b->gfp);
}

AI void write_object(struct run *r, const struct birth *b, u32 event, u32 copy)
{
	u64 pos, time;
	struct lt_raw_object *o = reserve(r, sizeof(*o), true, event, &r->s->full[event], &pos,
					  &time);

	if (o)
		fill_object(r, o, b, time, copy);
}

/* Apart from the above, so that events without a stack have not to know how long it is. */
AI void write_with_stack(struct run *r, const struct birth *b, u32 event, u32 copy,
			 struct trace *t)
{
	u32 n = t->n & 63, bytes;
	struct lt_raw_stack *s;
	u64 pos, time;

	if (n > LT_RAW_STACK_FRAMES)
		n = LT_RAW_STACK_FRAMES;
	bytes = n * 8;
	s = reserve(r, sizeof(*s) + bytes + sizeof(struct lt_raw_object), true, event,
		    &r->s->full[event], &pos, &time);
	if (!s)
		return;
	s->time = time;
	bpf_probe_read_kernel(s->frames, bytes, t->stack->frames);
	commit(r, s, LT_RAW_STACK, copy, n, n == config.stack_depth ? 1 : 0);
	pos += sizeof(*s) + bytes;
	fill_object(r, ring_at(r->s, pos), b, time, copy);
}

AI void write_failed(struct run *r, const struct birth *b, u64 bytes, u64 cache, u32 event,
		     u32 copy)
{
	struct lt_raw_failed *f;
	u64 pos, time;

	add(&r->s->failed[event], 1);
	f = reserve(r, sizeof(*f), true, event, &r->s->failed_full[event], &pos, &time);
	if (!f)
		return;
	f->time = time;
	f->site = b->site;
	f->bytes_req = bytes;
	f->cache = cache;
	f->what = b->kind;
	commit(r, f, LT_RAW_FAILED, copy, b->node, b->gfp);
}

AI void on_birth(u64 *ctx, struct birth *b, u64 bytes, u64 cache, u32 event, u32 copy)
{
	struct trace t = {};
	struct run r;

	if (!run_begin(&r) || !mine(&r, event, is_object(b->ptr) ? b->ptr : task_key(&r), copy))
		return;
	if (!b->ptr) {
		write_failed(&r, b, bytes, cache, event, copy);
		return;
	}
	if (!size_kept(bytes) || sampled_out(b->ptr) || !task_kept(&r)) {
		add(&r.s->filtered[event], 1);
		return;
	}
	if (stack_wanted(b->ptr, bytes))
		take_stack(&r, ctx, event, copy, &t);
	if (t.stack)
		write_with_stack(&r, b, event, copy, &t);
	else
		write_object(&r, b, event, copy);
}

static __noinline int any_kmalloc(u64 *ctx, u32 copy)
{
	struct birth b = { .site = ctx[0], .ptr = ctx[1], .gfp = ctx[4], .node = ctx[5],
			   .kind = LT_RAW_KMALLOC };
	u64 req = ctx[2], alloc = ctx[3];

	b.what = (req >> 32 ? ~0U : (u32)req) | alloc << 32;
	on_birth(ctx, &b, req, 0, LT_BPF_KMALLOC, copy);
	return 0;
}

AI bool write_kmalloc(struct quick *q, u64 *ctx, u32 level)
{
	struct lt_raw_object *o;
	u64 ptr;

	if (!quick_reserve(q, sizeof(*o)))
		return false;
	ptr = ctx[1];
	quick_take(q, LT_BPF_KMALLOC, ptr, level);
	o = ring_at(q->s, q->pos);
	o->time = q->time;
	o->ptr = ptr;
	o->site = ctx[0];
	/* What was allocated has no more bytes than these can count. */
	o->bytes_req = ctx[2];
	o->bytes_alloc = ctx[3];
	quick_commit(o, LT_RAW_KMALLOC, level, ctx[5], ctx[4]);
	return true;
}

AI bool quick_kmalloc(u64 *ctx)
{
	struct quick q;

	return is_object(ctx[1]) && !stack_wanted(ctx[1], ctx[2]) && QUICK(&q, write_kmalloc, ctx);
}

/* kmalloc(call_site, ptr, bytes_req, bytes_alloc, gfp, node) */
AI void on_kmalloc(u64 *ctx, u32 copy)
{
	if (UNLIKELY(copy ? !quick_taken(LT_BPF_KMALLOC, ctx + 1) : !quick_kmalloc(ctx)))
		any_kmalloc(ctx, copy);
}

AI u32 object_size(const struct kmem_cache *s)
{
	return BPF_CORE_READ(s, object_size);
}

static __noinline int any_cache_alloc(u64 *ctx, u32 copy)
{
	struct birth b = { .site = ctx[0], .ptr = ctx[1], .what = ctx[2], .gfp = ctx[3],
			   .node = ctx[4], .kind = LT_RAW_CACHE_ALLOC };
	u64 bytes = 0;

	if (config.min_size || config.max_size || config.stack_min || !b.ptr)
		bytes = object_size((struct kmem_cache *)b.what);
	on_birth(ctx, &b, bytes, b.what, LT_BPF_CACHE_ALLOC, copy);
	return 0;
}

AI bool write_cache(struct quick *q, u64 *ctx, u32 event, u32 kind, u64 more, u64 low, u32 level)
{
	struct lt_raw_object *o;
	u64 ptr;

	if (!quick_reserve(q, sizeof(*o)))
		return false;
	ptr = ctx[1];
	quick_take(q, event, ptr, level);
	o = ring_at(q->s, q->pos);
	o->time = q->time;
	o->ptr = ptr;
	o->site = ctx[0];
	o->cache = ctx[2];
	quick_commit(o, kind, level, more, low);
	return true;
}

/* How long an object is is not looked at: any may have a stack whose hash is low enough. */
AI bool quick_cache_alloc(u64 *ctx)
{
	struct quick q;

	return is_object(ctx[1]) && !stack_wanted(ctx[1], ~0ULL) &&
	       QUICK(&q, write_cache, ctx, LT_BPF_CACHE_ALLOC, LT_RAW_CACHE_ALLOC, ctx[4], ctx[3]);
}

/* kmem_cache_alloc(call_site, ptr, cache, gfp, node) */
AI void on_cache_alloc(u64 *ctx, u32 copy)
{
	if (UNLIKELY(copy ? !quick_taken(LT_BPF_CACHE_ALLOC, ctx + 1) : !quick_cache_alloc(ctx)))
		any_cache_alloc(ctx, copy);
}

static __noinline int any_kfree(u64 *ctx, u32 copy)
{
	u64 ptr = ctx[1], pos, time;
	struct lt_raw_free *f;
	struct run r;

	if (!run_begin(&r) ||
	    !mine(&r, LT_BPF_KFREE, is_object(ptr) ? ptr : task_key(&r), copy))
		return 0;
	if (!is_object(ptr) || sampled_out(ptr)) {
		add(&r.s->filtered[LT_BPF_KFREE], 1);
		return 0;
	}
	f = reserve(&r, sizeof(*f), true, LT_BPF_KFREE, &r.s->full[LT_BPF_KFREE], &pos, &time);
	if (!f)
		return 0;
	f->time = time;
	f->ptr = ptr;
	f->site = ctx[0];
	commit(&r, f, LT_RAW_KFREE, copy, 0, 0);
	return 0;
}

AI bool write_kfree(struct quick *q, u64 *ctx, u32 level)
{
	struct lt_raw_free *f;
	u64 ptr;

	if (!quick_reserve(q, sizeof(*f)))
		return false;
	ptr = ctx[1];
	quick_take(q, LT_BPF_KFREE, ptr, level);
	f = ring_at(q->s, q->pos);
	f->time = q->time;
	f->ptr = ptr;
	f->site = ctx[0];
	quick_commit(f, LT_RAW_KFREE, level, 0, 0);
	return true;
}

AI bool quick_kfree(u64 *ctx)
{
	struct quick q;

	return is_object(ctx[1]) && QUICK(&q, write_kfree, ctx);
}

/* kfree(call_site, ptr); NULL is an event, too */
AI void on_kfree(u64 *ctx, u32 copy)
{
	if (UNLIKELY(copy ? !quick_taken(LT_BPF_KFREE, ctx + 1) : !quick_kfree(ctx)))
		any_kfree(ctx, copy);
}

static __noinline int any_cache_free(u64 *ctx, u32 copy)
{
	struct birth b = { .site = ctx[0], .ptr = ctx[1], .what = ctx[2],
			   .kind = LT_RAW_CACHE_FREE };
	struct run r;

	if (!run_begin(&r) ||
	    !mine(&r, LT_BPF_CACHE_FREE, is_object(b.ptr) ? b.ptr : task_key(&r), copy))
		return 0;
	if (!is_object(b.ptr) || sampled_out(b.ptr)) {
		add(&r.s->filtered[LT_BPF_CACHE_FREE], 1);
		return 0;
	}
	write_object(&r, &b, LT_BPF_CACHE_FREE, copy);
	return 0;
}

AI bool quick_cache_free(u64 *ctx)
{
	struct quick q;

	return is_object(ctx[1]) &&
	       QUICK(&q, write_cache, ctx, LT_BPF_CACHE_FREE, LT_RAW_CACHE_FREE, 0, 0);
}

/* kmem_cache_free(call_site, ptr, cache) */
AI void on_cache_free(u64 *ctx, u32 copy)
{
	if (UNLIKELY(copy ? !quick_taken(LT_BPF_CACHE_FREE, ctx + 1) : !quick_cache_free(ctx)))
		any_cache_free(ctx, copy);
}

COPIES("raw_tp/kfree", kfree, on_kfree)
COPIES("raw_tp/kmem_cache_free", cache_free, on_cache_free)
COPIES("raw_tp/kmem_cache_alloc", cache_alloc, on_cache_alloc)
COPIES("raw_tp/kmalloc", kmalloc, on_kmalloc)

/* ------------------------------------------------------------------------
 * Pages
 */

AI void write_page(struct run *r, u64 page, u32 kind, u32 event, u32 more, u32 gfp, u32 copy)
{
	struct lt_raw_page *p;
	u64 pos, time;

	p = reserve(r, sizeof(*p), true, event, &r->s->full[event], &pos, &time);
	if (!p)
		return;
	p->time = time;
	p->page = page;
	commit(r, p, kind, copy, more, gfp);
}

/* mm_page_alloc(page, order, gfp, migratetype) */
AI void on_page_alloc(u64 *ctx, u32 copy)
{
	struct birth b = { .gfp = ctx[2], .node = -1, .kind = LT_RAW_PAGE_ALLOC };
	u64 page = ctx[0], bytes = (u64)1 << config.page_shift << (ctx[1] & 31);
	struct run r;

	if (!run_begin(&r) || !mine(&r, LT_BPF_PAGE_ALLOC, page ? page : task_key(&r), copy))
		return;
	if (!page) {
		write_failed(&r, &b, bytes, 0, LT_BPF_PAGE_ALLOC, copy);
		return;
	}
	if (sampled_out(page_addr(page)) || (config.max_size && bytes > config.max_size) ||
	    !task_kept(&r)) {
		add(&r.s->filtered[LT_BPF_PAGE_ALLOC], 1);
		return;
	}
	write_page(&r, page, LT_RAW_PAGE_ALLOC, LT_BPF_PAGE_ALLOC,
		   (ctx[1] & 0xff) | (ctx[3] & 0xff) << 8, ctx[2], copy);
}

AI void on_page_death(u64 *ctx, u32 kind, u32 event, u32 order, u32 copy)
{
	u64 page = ctx[0];
	struct run r;

	if (!run_begin(&r) || !mine(&r, event, page, copy))
		return;
	if (sampled_out(page_addr(page))) {
		add(&r.s->filtered[event], 1);
		return;
	}
	write_page(&r, page, kind, event, order, 0, copy);
}

/* mm_page_free(page, order), mm_page_free_batched(page) */
AI void on_page_free(u64 *ctx, u32 copy)
{
	on_page_death(ctx, LT_RAW_PAGE_FREE, LT_BPF_PAGE_FREE, ctx[1] & 0xff, copy);
}

AI void on_page_batched(u64 *ctx, u32 copy)
{
	on_page_death(ctx, LT_RAW_PAGE_BATCHED, LT_BPF_PAGE_BATCHED, 0, copy);
}

COPIES("raw_tp/mm_page_free", page_free, on_page_free)
COPIES("raw_tp/mm_page_free_batched", page_batched, on_page_batched)
COPIES("raw_tp/mm_page_alloc", page_alloc, on_page_alloc)

#include "prog/paths.h"

/* ------------------------------------------------------------------------
 * Tasks, as far as lifetimes of allocations need them
 */

/* sched_process_exit(task), since 6.16 (task, group_dead); the task is the running one. */
AI void on_task_exit(u64 *ctx, u32 copy)
{
	struct lt_raw_gone *g;
	u64 pos, time;
	struct run r;

	if (!run_begin(&r) || !mine(&r, LT_BPF_TASK_EXIT, task_key(&r), copy))
		return;
	g = reserve(&r, sizeof(*g), true, LT_BPF_TASK_EXIT, &r.s->full[LT_BPF_TASK_EXIT], &pos,
		    &time);
	if (!g)
		return;
	g->time = time;
	g->start = r.cur->start_boottime;
	g->tgid = r.cur->tgid;
	commit(&r, g, LT_RAW_TASK_EXIT, copy, is_group_dead(ctx, r.cur, config.exit_says_dead),
	       r.cur->pid);
}

COPIES("raw_tp/sched_process_exit", task_exit, on_task_exit)

/* task_newtask(task, clone_flags), for the filter by a tree of tasks */
SEC("tp_btf/task_newtask") int tree_newtask(u64 *ctx)
{
	struct task_struct *p = (struct task_struct *)ctx[0];
	struct task_struct *cur = bpf_get_current_task_btf();

	tree_birth(cur->pid, p->pid);
	return 0;
}

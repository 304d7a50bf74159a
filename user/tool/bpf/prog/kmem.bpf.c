// SPDX-License-Identifier: GPL-2.0
/*
 * The channel kmem: objects of slabs, and pages.
 *
 * Tracepoints of objects are attached as raw ones, whose arguments are numbers: 6.1 lets no typed
 * one read a "const void *". The prototypes are those of 6.1 and later: kernel.c checks them.
 */
#include "shared.h"

#define FUNCTION_EVENTS	(1 << LT_BPF_BULK_ALLOC | 1 << LT_BPF_BULK_FREE | 1 << LT_BPF_RCU_FREE |	\
			 1 << LT_BPF_RESIZE | 1 << LT_BPF_CACHE_GONE)

#include "prog/filter.h"
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
	u32 at = (r->cpu * LT_BPF_COPIES + copy) * LT_BPF_EVENTS + event;
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
	struct lt_raw_object *o = ring_at(r->cpu, pos);

	if (o)
		fill_object(r, o, b, time, copy);
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

/* kmalloc(call_site, ptr, bytes_req, bytes_alloc, gfp, node) */
AI void on_kmalloc(u64 *ctx, u32 copy)
{
	struct birth b = { .site = ctx[0], .ptr = ctx[1], .gfp = ctx[4], .node = ctx[5],
			   .kind = LT_RAW_KMALLOC };
	u64 req = ctx[2], alloc = ctx[3];

	b.what = (req >> 32 ? ~0U : (u32)req) | alloc << 32;
	on_birth(ctx, &b, req, 0, LT_BPF_KMALLOC, copy);
}

AI u32 object_size(const struct kmem_cache *s)
{
	return BPF_CORE_READ(s, object_size);
}

/* kmem_cache_alloc(call_site, ptr, cache, gfp, node) */
AI void on_cache_alloc(u64 *ctx, u32 copy)
{
	struct birth b = { .site = ctx[0], .ptr = ctx[1], .what = ctx[2], .gfp = ctx[3],
			   .node = ctx[4], .kind = LT_RAW_CACHE_ALLOC };
	u64 bytes = 0;

	if (config.min_size || config.max_size || config.stack_min || !b.ptr)
		bytes = object_size((struct kmem_cache *)b.what);
	on_birth(ctx, &b, bytes, b.what, LT_BPF_CACHE_ALLOC, copy);
}

/* kfree(call_site, ptr); NULL is an event, too */
AI void on_kfree(u64 *ctx, u32 copy)
{
	u64 ptr = ctx[1], pos, time;
	struct lt_raw_free *f;
	struct run r;

	if (!run_begin(&r) ||
	    !mine(&r, LT_BPF_KFREE, is_object(ptr) ? ptr : task_key(&r), copy))
		return;
	if (!is_object(ptr) || sampled_out(ptr)) {
		add(&r.s->filtered[LT_BPF_KFREE], 1);
		return;
	}
	f = reserve(&r, sizeof(*f), true, LT_BPF_KFREE, &r.s->full[LT_BPF_KFREE], &pos, &time);
	if (!f)
		return;
	f->time = time;
	f->ptr = ptr;
	f->site = ctx[0];
	commit(&r, f, LT_RAW_KFREE, copy, 0, 0);
}

/* kmem_cache_free(call_site, ptr, cache) */
AI void on_cache_free(u64 *ctx, u32 copy)
{
	struct birth b = { .site = ctx[0], .ptr = ctx[1], .what = ctx[2],
			   .kind = LT_RAW_CACHE_FREE };
	struct run r;

	if (!run_begin(&r) ||
	    !mine(&r, LT_BPF_CACHE_FREE, is_object(b.ptr) ? b.ptr : task_key(&r), copy))
		return;
	if (!is_object(b.ptr) || sampled_out(b.ptr)) {
		add(&r.s->filtered[LT_BPF_CACHE_FREE], 1);
		return;
	}
	write_object(&r, &b, LT_BPF_CACHE_FREE, copy);
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

/* ------------------------------------------------------------------------
 * Functions, for what has no tracepoint; see module/kmem/paths.c. Their callers are not known.
 */

/* 6.1 lets no program read a "void *" from its context itself. */
AI u64 arg(u64 *ctx, u32 i)
{
	u64 value = 0;

	bpf_get_func_arg(ctx, i, &value);
	return value;
}

AI u64 result(u64 *ctx)
{
	u64 value = 0;

	bpf_get_func_ret(ctx, &value);
	return value;
}

struct bulk {
	struct birth b;
	void **objects;
	u32 event;
	u32 copy;
	bool births;
};

static long write_one(u32 i, void *arg)
{
	struct bulk *w = arg;
	struct birth b = w->b;
	struct run r;

	if (!run_begin(&r))
		return 1;
	bpf_probe_read_kernel(&b.ptr, sizeof(b.ptr), w->objects + i);
	if (!is_object(b.ptr) || sampled_out(b.ptr) || (w->births && !task_kept(&r))) {
		add(&r.s->filtered[w->event & (LT_BPF_EVENTS - 1)], 1);
		return 0;
	}
	if (w->births)
		write_object(&r, &b, LT_BPF_BULK_ALLOC, w->copy);
	else
		write_object(&r, &b, LT_BPF_BULK_FREE, w->copy);
	return 0;
}

#define MAX_BULK	(1U << 20)

/*
 * A record of each object: the call is counted already, and the others besides. @event: a constant,
 * for the verifier of 6.1 loses the bound of what was stored before a loop.
 */
AI void on_bulk(struct bulk *w, u32 event, u64 n, u64 key)
{
	struct run r;

	if (!run_begin(&r) || !mine(&r, event, key ? key : task_key(&r), w->copy))
		return;
	if (n > MAX_BULK)
		n = MAX_BULK;
	add(&r.s->more[event], n - 1);
	bpf_loop(n, write_one, w, 0);
}

/* kmem_cache_free_bulk(cache or NULL, n, objects) */
AI void on_bulk_free(u64 *ctx, u32 copy)
{
	struct bulk w = { .b = { .what = arg(ctx, 0), .kind = LT_RAW_BULK_FREE },
			  .objects = (void **)arg(ctx, 2), .event = LT_BPF_BULK_FREE,
			  .copy = copy };

	on_bulk(&w, LT_BPF_BULK_FREE, arg(ctx, 1), arg(ctx, 2));
}

/* kmem_cache_alloc_bulk(cache, gfp, n, objects): how many, or all or none */
AI void on_bulk_alloc(u64 *ctx, u32 copy)
{
	struct bulk w = { .b = { .what = arg(ctx, 0), .gfp = arg(ctx, 1), .node = -1,
				 .kind = LT_RAW_BULK_ALLOC },
			  .objects = (void **)arg(ctx, 3), .event = LT_BPF_BULK_ALLOC, .copy = copy,
			  .births = true };
	u64 n = config.bulk_says_all ? (result(ctx) & 0xff ? arg(ctx, 2) : 0) : (u32)result(ctx);

	on_bulk(&w, LT_BPF_BULK_ALLOC, n, arg(ctx, 3));
}

/* kvfree_call_rcu(head, object); before 6.3 (head, offset of the head), or (NULL, object) */
AI void on_rcu_free(u64 *ctx, u32 copy)
{
	u64 ptr = arg(ctx, 1), head = arg(ctx, 0), pos, time;
	struct lt_raw_free *f;
	struct run r;

	if (config.rcu_by_offset && head)
		ptr = head - ptr;
	if (!run_begin(&r) ||
	    !mine(&r, LT_BPF_RCU_FREE, is_object(ptr) ? ptr : task_key(&r), copy))
		return;
	if (!is_object(ptr) || sampled_out(ptr)) {
		add(&r.s->filtered[LT_BPF_RCU_FREE], 1);
		return;
	}
	f = reserve(&r, sizeof(*f), true, LT_BPF_RCU_FREE, &r.s->full[LT_BPF_RCU_FREE], &pos,
		    &time);
	if (!f)
		return;
	f->time = time;
	f->ptr = ptr;
	commit(&r, f, LT_RAW_RCU_FREE, copy, 0, 0);
}

/* krealloc(object, size, ...): the object, where it stayed in its place */
AI void on_resize(u64 *ctx, u32 copy)
{
	u64 ptr = arg(ctx, 0), pos, time;
	struct lt_raw_resize *z;
	struct run r;

	if (!is_object(ptr) || result(ctx) != ptr || !run_begin(&r) ||
	    !mine(&r, LT_BPF_RESIZE, ptr, copy))
		return;
	if (sampled_out(ptr)) {
		add(&r.s->filtered[LT_BPF_RESIZE], 1);
		return;
	}
	z = reserve(&r, sizeof(*z), true, LT_BPF_RESIZE, &r.s->full[LT_BPF_RESIZE], &pos, &time);
	if (!z)
		return;
	z->time = time;
	z->ptr = ptr;
	z->bytes_req = arg(ctx, 1);
	commit(&r, z, LT_RAW_RESIZE, copy, 0, 0);
}

/* kmem_cache_destroy(cache): its name is there for the last time */
AI void on_cache_gone(u64 *ctx, u32 copy)
{
	struct kmem_cache *s = (struct kmem_cache *)arg(ctx, 0);
	struct lt_raw_cache *c;
	struct run r;
	u64 pos, time;

	if (!s || !run_begin(&r) || !mine(&r, LT_BPF_CACHE_GONE, (u64)s, copy))
		return;
	c = reserve(&r, sizeof(*c), true, LT_BPF_CACHE_GONE, &r.s->full[LT_BPF_CACHE_GONE], &pos,
		    &time);
	if (!c)
		return;
	c->time = time;
	c->cache = (u64)s;
	c->size = BPF_CORE_READ(s, size);
	bpf_probe_read_kernel_str(c->name, sizeof(c->name), BPF_CORE_READ(s, name));
	commit(&r, c, LT_RAW_CACHE_GONE, copy, 0, BPF_CORE_READ(s, object_size));
}

COPIES("fentry", bulk_free, on_bulk_free)
COPIES("fentry", rcu_free, on_rcu_free)
COPIES("fentry", cache_gone, on_cache_gone)
COPIES("fexit", resize, on_resize)
COPIES("fexit", bulk_alloc, on_bulk_alloc)

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

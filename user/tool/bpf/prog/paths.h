/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions, for what has no tracepoint; see module/kmem/paths.c. Their callers are not known.
 * A part of kmem.bpf.c.
 */
#ifndef LT_BPF_PATHS_H
#define LT_BPF_PATHS_H


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

#endif /* LT_BPF_PATHS_H */

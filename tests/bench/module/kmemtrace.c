// SPDX-License-Identifier: GPL-2.0
/*
 * kmemtrace's layouts of 2008, filled on the stack and copied with relay_write().
 *
 * 56: the same record for both, with the time. 48-24: no time, but a number that
 * all CPUs take from one counter.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/relay.h>
#include <linux/slab.h>

#include <trace/events/kmem.h>

#include "cost.h"

enum { EVENT_ALLOC = 1, EVENT_FREE = 2 };
enum { TYPE_KMALLOC, TYPE_CACHE };

struct record_56 {
	u8 event_id;
	u8 type_id;
	u16 event_size;
	s32 node;
	u64 call_site;
	u64 ptr;
	u64 bytes_req;
	u64 bytes_alloc;
	u64 gfp_flags;
	s64 timestamp;
} __packed;

struct record_24 {
	u8 event_id;
	u8 type_id;
	u16 event_size;
	s32 seq_num;
	u64 call_site;
	u64 ptr;
} __packed;

struct record_48 {
	struct record_24 event;
	u64 bytes_req;
	u64 bytes_alloc;
	u32 gfp_flags;
	s32 node;
} __packed;

static_assert(sizeof(struct record_56) == 56);
static_assert(sizeof(struct record_24) == 24);
static_assert(sizeof(struct record_48) == 48);

static struct rchan *chan;
static atomic_t sequence;

static void write_record(const void *record, size_t bytes)
{
	unsigned long flags;

	local_irq_save(flags);
	relay_write(chan, record, bytes);
	local_irq_restore(flags);
}

static __always_inline void
write_56(unsigned int event, unsigned int type, unsigned long call_site, const void *ptr,
	 size_t bytes_req, size_t bytes_alloc, gfp_t gfp, int node)
{
	struct record_56 record = {
		.event_id = event,
		.type_id = type,
		.event_size = sizeof(record),
		.node = node,
		.call_site = call_site,
		.ptr = (unsigned long)ptr,
		.bytes_req = bytes_req,
		.bytes_alloc = bytes_alloc,
		.gfp_flags = (__force u32)gfp,
		.timestamp = ktime_to_ns(ktime_get()),
	};

	write_record(&record, sizeof(record));
}

static __always_inline void
write_48(unsigned int type, unsigned long call_site, const void *ptr, size_t bytes_req,
	 size_t bytes_alloc, gfp_t gfp, int node)
{
	struct record_48 record = {
		.event.event_id = EVENT_ALLOC,
		.event.type_id = type,
		.event.event_size = sizeof(record),
		.event.seq_num = atomic_inc_return(&sequence),
		.event.call_site = call_site,
		.event.ptr = (unsigned long)ptr,
		.bytes_req = bytes_req,
		.bytes_alloc = bytes_alloc,
		.gfp_flags = (__force u32)gfp,
		.node = node,
	};

	write_record(&record, sizeof(record));
}

static __always_inline void
write_24(unsigned int type, unsigned long call_site, const void *ptr)
{
	struct record_24 record = {
		.event_id = EVENT_FREE,
		.type_id = type,
		.event_size = sizeof(record),
		.seq_num = atomic_inc_return(&sequence),
		.call_site = call_site,
		.ptr = (unsigned long)ptr,
	};

	write_record(&record, sizeof(record));
}

static void kmalloc_56(void *data, unsigned long call_site, const void *ptr, size_t bytes_req,
		       size_t bytes_alloc, gfp_t gfp, int node)
{
	write_56(EVENT_ALLOC, TYPE_KMALLOC, call_site, ptr, bytes_req, bytes_alloc, gfp, node);
}

static void kfree_56(void *data, unsigned long call_site, const void *ptr)
{
	write_56(EVENT_FREE, TYPE_KMALLOC, call_site, ptr, 0, 0, 0, 0);
}

static void cache_alloc_56(void *data, unsigned long call_site, const void *ptr,
			   struct kmem_cache *s, gfp_t gfp, int node)
{
	size_t bytes = kmem_cache_size(s);

	write_56(EVENT_ALLOC, TYPE_CACHE, call_site, ptr, bytes, bytes, gfp, node);
}

static void cache_free_56(void *data, unsigned long call_site, const void *ptr,
			  const struct kmem_cache *s)
{
	write_56(EVENT_FREE, TYPE_CACHE, call_site, ptr, 0, 0, 0, 0);
}

static void kmalloc_48(void *data, unsigned long call_site, const void *ptr, size_t bytes_req,
		       size_t bytes_alloc, gfp_t gfp, int node)
{
	write_48(TYPE_KMALLOC, call_site, ptr, bytes_req, bytes_alloc, gfp, node);
}

static void kfree_24(void *data, unsigned long call_site, const void *ptr)
{
	write_24(TYPE_KMALLOC, call_site, ptr);
}

static void cache_alloc_48(void *data, unsigned long call_site, const void *ptr,
			   struct kmem_cache *s, gfp_t gfp, int node)
{
	size_t bytes = kmem_cache_size(s);

	write_48(TYPE_CACHE, call_site, ptr, bytes, bytes, gfp, node);
}

static void cache_free_24(void *data, unsigned long call_site, const void *ptr,
			  const struct kmem_cache *s)
{
	write_24(TYPE_CACHE, call_site, ptr);
}

/* Never called: breaks the build where a tracepoint has another prototype. */
static void __maybe_unused check_prototypes(void)
{
	check_trace_callback_type_kmalloc(kmalloc_56);
	check_trace_callback_type_kfree(kfree_56);
	check_trace_callback_type_kmem_cache_alloc(cache_alloc_56);
	check_trace_callback_type_kmem_cache_free(cache_free_56);
}

static void *probe_56(enum point point, void **data)
{
	static void * const probes[N_POINTS] = {
		[POINT_KMALLOC] = kmalloc_56,
		[POINT_KFREE] = kfree_56,
		[POINT_CACHE_ALLOC] = cache_alloc_56,
		[POINT_CACHE_FREE] = cache_free_56,
	};

	return probes[point];
}

static void *probe_48_24(enum point point, void **data)
{
	static void * const probes[N_POINTS] = {
		[POINT_KMALLOC] = kmalloc_48,
		[POINT_KFREE] = kfree_24,
		[POINT_CACHE_ALLOC] = cache_alloc_48,
		[POINT_CACHE_FREE] = cache_free_24,
	};

	return probes[point];
}

/* The oldest is overwritten: nobody reads. */
static int subbuf_start(struct rchan_buf *buf, void *subbuf, void *prev, size_t prev_padding)
{
	return 1;
}

static struct dentry *create_buf_file(const char *filename, struct dentry *parent, umode_t mode,
				      struct rchan_buf *buf, int *is_global)
{
	return debugfs_create_file(filename, mode, parent, buf, &relay_file_operations);
}

static int remove_buf_file(struct dentry *dentry)
{
	debugfs_remove(dentry);
	return 0;
}

static const struct rchan_callbacks callbacks = {
	.subbuf_start = subbuf_start,
	.create_buf_file = create_buf_file,
	.remove_buf_file = remove_buf_file,
};

#define SUBBUFS	8

static int kmemtrace_open(void)
{
	chan = relay_open("lt_cost_kmemtrace", NULL, ((size_t)buffer_mb << 20) / SUBBUFS, SUBBUFS,
			  &callbacks, NULL);
	return chan ? 0 : -ENOMEM;
}

static void kmemtrace_close(void)
{
	relay_close(chan);
	chan = NULL;
}

const struct mode kmemtrace_56 = {
	.name = "kmemtrace-56",
	.open = kmemtrace_open,
	.close = kmemtrace_close,
	.probe = probe_56,
};

const struct mode kmemtrace_48_24 = {
	.name = "kmemtrace-48-24",
	.open = kmemtrace_open,
	.close = kmemtrace_close,
	.probe = probe_48_24,
};

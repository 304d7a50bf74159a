// SPDX-License-Identifier: GPL-2.0
/*
 * The self-test of the channel kmem, at load: allocate and free known objects with the
 * probes attached, then find their records and compare every field.
 *
 * A kernel may pass a probe other arguments than its headers promise: a
 * backport, a vendor's change. Such a trace would be wrong without a sign. So
 * the module does not load if a field is not what it must be.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "kmem/kmem.h"
#include "selftest/selftest.h"

#define TEST_BYTES	173
#define TEST_GFP	(GFP_KERNEL | __GFP_ZERO)
#define TEST_NODE	NUMA_NO_NODE

/* A call stands at most so many bytes behind the start of its function, which is small. */
#define TEST_FN_BYTES	1024

enum { KMALLOC, KFREE, CACHE_ALLOC, CACHE_FREE, N_TESTS };

static const char * const test_names[] = { "kmalloc", "kfree", "kmem_cache_alloc",
					    "kmem_cache_free" };

/* What act() did, and what check() found of it. */
static struct {
	void *ptr, *object;
	size_t bytes_alloc;
	struct kmem_cache *cache;
	u64 from, to;
	bool seen[N_TESTS];
	bool cache_announced;
	bool broken;
} t;

/* Not inlined, so that the call sites lie in these functions. */
static noinline void *test_kmalloc(size_t bytes)
{
	void *ptr = kmalloc(bytes, TEST_GFP);

	barrier();	/* no tail call: the return address must be in here */
	return ptr;
}

static noinline void test_kfree(void *ptr)
{
	kfree(ptr);
	barrier();
}

static noinline void *test_cache_alloc(struct kmem_cache *s)
{
	void *object = kmem_cache_alloc(s, TEST_GFP);

	barrier();
	return object;
}

static noinline void test_cache_free(struct kmem_cache *s, void *object)
{
	kmem_cache_free(s, object);
	barrier();
}

/* Do what check() looks for. */
static int act(void)
{
	size_t bytes = TEST_BYTES;

	OPTIMIZER_HIDE_VAR(bytes);	/* a constant size takes another path */
	memset(&t, 0, sizeof(t));
	t.cache = kmem_cache_create("lifetrace_selftest", 217, 0, 0, NULL);
	if (!t.cache)
		return -ENOMEM;
	t.from = lt_clock();
	/* Twice: a site that is new to a packet is written in another way. */
	test_kfree(test_kmalloc(bytes));
	t.object = test_cache_alloc(t.cache);
	if (t.object)
		test_cache_free(t.cache, t.object);
	t.ptr = test_kmalloc(bytes);
	t.object = test_cache_alloc(t.cache);
	if (t.ptr)
		t.bytes_alloc = ksize(t.ptr);
	if (t.object)
		test_cache_free(t.cache, t.object);
	if (t.ptr)
		test_kfree(t.ptr);
	t.to = lt_clock();
	return 0;
}

static void expect(unsigned int test, const char *field, u64 found, u64 low, u64 high)
{
	if (found >= low && found <= high)
		return;
	pr_err("lifetrace: self-test: %s: field %s is 0x%llx, expected 0x%llx to 0x%llx; not loading: a trace would be wrong\n",
	       test_names[test], field, found, low, high);
	t.broken = true;
}

/* The message has no address: the log may be public, addresses are not. */
static void expect_site(unsigned int test, u64 site, void *fn)
{
	unsigned long start = (unsigned long)dereference_function_descriptor(fn);

	OPTIMIZER_HIDE_VAR(start);	/* objtool: no code address but fn itself */
	if (site < start || site > start + TEST_FN_BYTES)
		expect(test, "call_site", 0, 1, 1);
}

static void expect_common(unsigned int test, const struct lt_found *f)
{
	t.seen[test] = true;
	expect(test, "tgid", f->task->tgid, current->tgid, current->tgid);
	expect(test, "start", f->task->start, current->start_boottime,
	       current->start_boottime);
	if (memcmp(f->task->comm, current->comm, sizeof(f->task->comm)))
		expect(test, "comm", f->task->comm[0], 256, 256);
}

static u64 get_u40(const u8 *p)
{
#ifdef __BIG_ENDIAN
	return (u64)p[0] << 32 | get_unaligned((u32 *)(p + 1));
#else
	return (u64)p[4] << 32 | get_unaligned((u32 *)p);
#endif
}

/*
 * Addresses are used again, before and after the test and in interrupts: the records of
 * the test are those of this task, in task context, between from and to. If the kernel
 * gets one of these wrong, no record is found, and the test fails for that.
 */
static bool is_ours(const struct lt_found *f, u64 found, const void *ptr)
{
	return ptr && found == (unsigned long)ptr && f->task &&
	       f->task->tid == current->pid && f->context == LT_CTX_TASK &&
	       f->time >= t.from && f->time <= t.to;
}

static void check_kmalloc(const struct lt_found *f, u64 ptr, u64 site, u64 req, u64 alloc,
			  u32 gfp, int node)
{
	u32 expected = (__force u32)TEST_GFP;

	if (!is_ours(f, ptr, t.ptr))
		return;
	expect_common(KMALLOC, f);
	expect_site(KMALLOC, site, test_kmalloc);
	expect(KMALLOC, "bytes_req", req, TEST_BYTES, TEST_BYTES);
	/* With debugging on, the slot is larger than ksize(). */
	expect(KMALLOC, "bytes_alloc", alloc, max_t(u64, TEST_BYTES, t.bytes_alloc),
	       PAGE_SIZE);
	expect(KMALLOC, "gfp_flags", gfp, expected, expected);
	expect(KMALLOC, "node", node, TEST_NODE, TEST_NODE);
}

static void check_cache_alloc(const struct lt_found *f, u64 ptr, u64 site, u32 gfp, int node)
{
	u32 expected = (__force u32)TEST_GFP;

	if (!is_ours(f, ptr, t.object))
		return;
	expect_common(CACHE_ALLOC, f);
	expect_site(CACHE_ALLOC, site, test_cache_alloc);
	expect(CACHE_ALLOC, "gfp_flags", gfp, expected, expected);
	expect(CACHE_ALLOC, "node", node, TEST_NODE, TEST_NODE);
}

static void check_free(unsigned int test, const struct lt_found *f, u64 ptr, u64 site)
{
	if (!is_ours(f, ptr, test == KFREE ? t.ptr : t.object))
		return;
	expect_common(test, f);
	expect_site(test, site, test == KFREE ? (void *)test_kfree : (void *)test_cache_free);
}

static void check_cache(const struct lt_rec_CACHE *r)
{
	if (r->ptr != (unsigned long)t.cache)
		return;
	t.cache_announced = true;
	if (lt_cache_proven() && strcmp(r->name, "lifetrace_selftest"))
		pr_info("lifetrace: self-test: the cache was merged into '%.64s'\n", r->name);
}

#define ADDR(r)		(lt_ptr_base() + get_u40((r)->ptr))
#define CODE(r)		(lt_text_base() + (r)->call_site)

static void check_brief(const struct lt_found *f, const void *payload)
{
	const struct lt_rec_SITE *site = f->site;
	u64 ptr = lt_brief_ptr(payload);

	if (!site) {
		expect(KMALLOC, "site", lt_brief_site(payload), LT_SITES, LT_SITES);
		return;
	}
	switch (f->id) {
	case LT_EV_BRIEF(KMALLOC):
		check_kmalloc(f, ptr, CODE(site), site->bytes_req, site->bytes_alloc,
			      site->gfp_flags, site->node);
		break;
	case LT_EV_BRIEF(CACHE_ALLOC):
		check_cache_alloc(f, ptr, CODE(site), site->gfp_flags, site->node);
		break;
	case LT_EV_BRIEF(KFREE):
		check_free(KFREE, f, ptr, CODE(site));
		break;
	case LT_EV_BRIEF(CACHE_FREE):
		check_free(CACHE_FREE, f, ptr, CODE(site));
		break;
	}
}

static void check_record(const struct lt_found *f, const void *payload)
{
	const struct lt_rec_KMALLOC *k = payload;
	const struct lt_rec_KMALLOC_WIDE *kw = payload;
	const struct lt_rec_CACHE_ALLOC *c = payload;
	const struct lt_rec_CACHE_ALLOC_WIDE *cw = payload;
	const struct lt_rec_KFREE *r = payload;
	const struct lt_rec_KFREE_WIDE *rw = payload;

	switch (f->id) {
	case LT_EV_BRIEF(KMALLOC):
	case LT_EV_BRIEF(CACHE_ALLOC):
	case LT_EV_BRIEF(KFREE):
	case LT_EV_BRIEF(CACHE_FREE):
		check_brief(f, payload);
		break;
	case LT_EV_KMALLOC:
		check_kmalloc(f, ADDR(k), CODE(k), k->bytes_req, k->bytes_alloc,
			      k->gfp_flags, k->node);
		break;
	case LT_EV_KMALLOC_WIDE:
		check_kmalloc(f, kw->ptr, kw->call_site, kw->bytes_req, kw->bytes_alloc,
			      kw->gfp_flags, kw->node);
		break;
	case LT_EV_CACHE_ALLOC:
		check_cache_alloc(f, ADDR(c), CODE(c), c->gfp_flags, c->node);
		break;
	case LT_EV_CACHE_ALLOC_WIDE:
		check_cache_alloc(f, cw->ptr, cw->call_site, cw->gfp_flags, cw->node);
		break;
	case LT_EV_KFREE:
		check_free(KFREE, f, ADDR(r), CODE(r));
		break;
	case LT_EV_KFREE_WIDE:
		check_free(KFREE, f, rw->ptr, rw->call_site);
		break;
	case LT_EV_CACHE_FREE:	/* begins as a kfree does */
		check_free(CACHE_FREE, f, ADDR(r), CODE(r));
		break;
	case LT_EV_CACHE_FREE_WIDE:
		check_free(CACHE_FREE, f, rw->ptr, rw->call_site);
		break;
	case LT_EV_CACHE:
		check_cache(payload);
		break;
	}
}

static int check(void)
{
	struct lt_channel *ch = &lt_channel_kmem;
	unsigned int i;
	int err;

	err = lt_selftest_walk(ch, check_record);
	if (err)
		return err;
	for (i = 0; i < N_TESTS; i++) {
		if (t.seen[i] || !lt_probes_watched(&lt_kmem_probes, test_names[i]))
			continue;
		if (i < CACHE_ALLOC ? !t.ptr : !t.object)
			continue;
		if (lt_selftest_lost(ch)) {
			pr_notice("lifetrace: self-test: no record of %s, the buffers were full\n",
				  test_names[i]);
			continue;
		}
		expect(i, "record", 0, 1, 1);
	}
	if (t.seen[CACHE_FREE] && !LT_LATE_FREE && !t.cache_announced && !lt_selftest_lost(ch))
		expect(CACHE_FREE, "cache", 0, 1, 1);
	return t.broken ? -EPROTO : 0;
}

static void end(void)
{
	kmem_cache_destroy(t.cache);
	t.cache = NULL;
}

const struct lt_selftest lt_selftest_kmem = { .act = act, .check = check, .end = end };

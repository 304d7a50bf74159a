/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The channel kmem: events of the allocators.
 */
#ifndef LT_KMEM_H
#define LT_KMEM_H

#include "core/probe.h"
#include "kmem/cache.h"
#include "kmem/code.h"
#include "kmem/filter.h"
#include "kmem/object.h"
#include "kmem/stack.h"

struct page;
struct seq_file;

extern struct lt_channel lt_channel_kmem;

/* Filters of the session; set before probes are attached. 0: off. */
extern size_t lt_min_size;	/* bytes; smaller requests are left out */
extern u32 lt_sample;		/* keep addresses whose hash is below this; lt_kmem_resample() */
extern unsigned int lt_sample_one_in;	/* N, where it keeps one address in N */
extern bool lt_sample_changes;	/* it may change under the session */

/* record.c */
void lt_set_sample(unsigned int one_in);
enum lt_variant lt_variant_of_session(void);
enum lt_variant lt_variant_of_pages(void);
void lt_alloc_failed(unsigned int what, unsigned long call_site, size_t bytes_req,
		     gfp_t gfp, int node, const struct kmem_cache *s);
int lt_kmem_mark(const char *text, size_t len);

/* resample.c */
int lt_kmem_resample(unsigned int one_in);

/* trigger.c */
extern const struct lt_notifier lt_oops_notifier, lt_panic_notifier;
void lt_probe_oom_kill_task(void *data, struct task_struct *task, uid_t uid);
void lt_probe_oom_kill_pid(void *data, int tid);
void lt_probe_hung_task(void *data, struct task_struct *task);
int lt_kmem_trigger(const char *text);

/* kmem.c */
extern const struct lt_probes lt_kmem_probes;

int lt_kmem_init(void);
void lt_kmem_exit(void);
bool lt_kmem_pages_wanted(void);
int lt_kmem_open(size_t min_size, unsigned int sample, bool sample_changes,
		 const struct lt_stack_options *stacks, const struct lt_birth_filter *births);
void lt_kmem_close(void);
void lt_kmem_show_info(struct seq_file *m);
void lt_kmem_show_stats(struct seq_file *m);

/*
 * lt_sampled_out() - is this address left out?
 *
 * Depends on the address alone, so that whole lifetimes are kept or left out. The low
 * bits are shifted out: they are equal in all objects of a cache. The sample is read once: it may
 * change meanwhile, and no address that both the old and the new one keep may be left out.
 */
static __always_inline bool lt_sampled_out(u64 addr)
{
	u32 below = READ_ONCE(lt_sample);

	return unlikely(below) && hash_64(addr >> 3, 32) >= below;
}

/* ------------------------------------------------------------------------
 * Writing the events of objects. Forms are constants where these are called.
 */

/* @stacked: with its stack; a constant false where the version of the probe has none. */
static __always_inline void
lt_write_object(const struct lt_forms *forms, enum lt_variant v, const void *ptr,
		const struct kmem_cache *s, struct lt_place place, bool stacked)
{
	if (stacked)
		lt_object_stacked(forms, ptr, s, place, NULL);
	else
		lt_object_event(&lt_channel_kmem, forms, v, ptr, s, place);
}

static __always_inline void
lt_write_cache_alloc(const struct lt_forms *forms, enum lt_variant v, unsigned long call_site,
		     const void *ptr, const struct kmem_cache *s, gfp_t gfp, int node)
{
	if (lt_filters(v) && ((unlikely(lt_min_size) && s &&
			       kmem_cache_size((struct kmem_cache *)s) < lt_min_size) ||
			      lt_sampled_out((unsigned long)ptr) ||
			      (lt_filters_more(v) && unlikely(lt_births_on) &&
			       lt_object_left_out(&call_site, s, s ?
						  kmem_cache_size((struct kmem_cache *)s) : 0,
						  0)))) {
		lt_filtered(&lt_channel_kmem, forms->class);
		return;
	}
	lt_write_object(forms, v, ptr, s, (struct lt_place) {
		call_site, lt_what_cache(s, false), lt_how(gfp, node),
	}, v == LT_STACKED &&
	   lt_stack_wanted(ptr, s ? kmem_cache_size((struct kmem_cache *)s) : 0));
}

static __always_inline void
lt_write_cache_free(const struct lt_forms *forms, enum lt_variant v, unsigned long call_site,
		    const void *ptr, const struct kmem_cache *s)
{
	if (unlikely(ZERO_OR_NULL_PTR(ptr)) ||
	    (lt_filters(v) && lt_sampled_out((unsigned long)ptr))) {
		lt_filtered(&lt_channel_kmem, forms->class);
		return;
	}
	lt_write_object(forms, v, ptr, s, (struct lt_place) {
		call_site, lt_what_cache(s, true), 0,
	}, v == LT_STACKED && lt_free_stack_wanted(ptr));
}

static __always_inline void
lt_write_free(const struct lt_forms *forms, enum lt_variant v, unsigned long call_site,
	      const void *ptr)
{
	/* kfree(NULL) is frequent, and ends no lifetime. */
	if (ZERO_OR_NULL_PTR(ptr) || (lt_filters(v) && lt_sampled_out((unsigned long)ptr))) {
		lt_filtered(&lt_channel_kmem, forms->class);
		return;
	}
	lt_write_object(forms, v, ptr, NULL, (struct lt_place) {
		call_site, LT_WHAT_FREED, 0,
	}, v == LT_STACKED && lt_free_stack_wanted(ptr));
}

/* page.c */
extern void * const lt_page_alloc_probes[LT_N_VARIANTS];

void lt_probe_page_free(void *data, struct page *page, unsigned int order);
void lt_probe_page_free_batched(void *data, struct page *page);

/* Probes of paths that have no tracepoint, in paths.c and page_paths.c. */
extern struct lt_function lt_on_bulk_free, lt_on_rcu_free, lt_on_cache_destroy;
extern struct lt_function lt_on_nolock_free;
extern struct kretprobe lt_rp_bulk_alloc, lt_rp_resize, lt_rp_nolock;
extern struct kretprobe lt_rp_page_bulk, lt_rp_page_contig, lt_rp_page_isolate;
void lt_contig_calls_clear(void);

#endif /* LT_KMEM_H */

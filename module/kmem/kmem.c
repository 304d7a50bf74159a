// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on the allocators' tracepoints.
 *
 * Each may be called in task, softirq, hardirq or NMI context, on 7.x with preemption
 * on. lt_enter() deals with that; until it returns, a probe uses its arguments only.
 */
#include <linux/kprobes.h>
#include <linux/seq_file.h>
#include <linux/slab.h>	/* kmem.h does not declare struct kmem_cache */

#include <trace/events/kmem.h>
#include <trace/events/oom.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>
#include <linux/stringify.h>

#include "core/context.h"
#include "kmem/caller.h"
#include "kmem/compat.h"
#include "kmem/kmem.h"
#include "kmem/step.h"

static const struct lt_forms kmalloc_forms = LT_FORMS(KMALLOC, KMALLOC);
static const struct lt_forms cache_alloc_forms = LT_FORMS(CACHE_ALLOC, CACHE_ALLOC);
static const struct lt_forms kfree_forms = LT_FORMS(FREE, KFREE);
static const struct lt_forms cache_free_forms = LT_FORMS(CACHE_FREE, CACHE_FREE);

static __always_inline void
on_kmalloc(enum lt_variant v, unsigned long call_site, const void *ptr, size_t bytes_req,
	   size_t bytes_alloc, gfp_t gfp, int node)
{
	if (unlikely(!ptr)) {
		lt_alloc_failed(LT_CLASS_KMALLOC, call_site, bytes_req, gfp, node, NULL);
		return;
	}
	if (lt_filters(v) && (unlikely(bytes_req < lt_min_size) ||
			      lt_sampled_out((unsigned long)ptr) ||
			      (lt_filters_more(v) && unlikely(lt_births_on) &&
			       lt_object_left_out(&call_site, NULL, bytes_req, bytes_alloc)))) {
		lt_filtered(&lt_channel_kmem, LT_CLASS_KMALLOC);
		return;
	}
	lt_write_object(&kmalloc_forms, v, ptr, NULL, (struct lt_place) {
		call_site, lt_what_sizes(bytes_req, bytes_alloc), lt_how(gfp, node),
	}, v == LT_STACKED && lt_stack_wanted(ptr, bytes_req));
}

static __always_inline void
on_cache_alloc(enum lt_variant v, unsigned long call_site, const void *ptr,
	       const struct kmem_cache *s, gfp_t gfp, int node)
{
	if (unlikely(!ptr)) {
		lt_alloc_failed(LT_CLASS_CACHE_ALLOC, call_site,
				s ? kmem_cache_size((struct kmem_cache *)s) : 0, gfp, node, s);
		return;
	}
	lt_write_cache_alloc(&cache_alloc_forms, v, call_site, ptr, s, gfp, node);
}

static __always_inline void
on_cache_free(enum lt_variant v, unsigned long call_site, const void *ptr,
	      const struct kmem_cache *s)
{
	lt_write_cache_free(&cache_free_forms, v, call_site, ptr, s);
}

/* Each probe in all its versions, and their table. */
#define PROBES(name, V)							\
	LT_PROBE_KMALLOC(probe_kmalloc_##name, V, on_kmalloc)		\
	LT_PROBE_KMALLOC_NODE(probe_kmalloc_node_##name, V, on_kmalloc)	\
	LT_PROBE_CACHE_ALLOC(probe_cache_alloc_##name, V, on_cache_alloc) \
	LT_PROBE_CACHE_ALLOC_NODE(probe_cache_alloc_node_##name, V, on_cache_alloc) \
	LT_PROBE_CACHE_FREE(probe_cache_free_##name, V, on_cache_free)	\
	static void __kprobes probe_kfree_##name(void *data, unsigned long call_site, \
						 const void *ptr)	\
	{								\
		lt_write_free(&kfree_forms, V, call_site, ptr);		\
	}

PROBES(any, LT_ANY)
PROBES(counter, LT_COUNTER)
PROBES(mono, LT_MONO)
PROBES(stacked, LT_STACKED)
PROBES(filtered, LT_FILTERED)

#define VARIANTS(probe) {						\
	[LT_ANY] = probe##_any,						\
	[LT_COUNTER] = probe##_counter,					\
	[LT_MONO] = probe##_mono,					\
	[LT_STACKED] = probe##_stacked,					\
	[LT_FILTERED] = probe##_filtered,				\
}

static void * const kmalloc_probes[] = VARIANTS(probe_kmalloc);
LT_IF_NODE_EVENTS(static void * const kmalloc_node_probes[] = VARIANTS(probe_kmalloc_node);)
static void * const cache_alloc_probes[] = VARIANTS(probe_cache_alloc);
LT_IF_NODE_EVENTS(static void * const cache_alloc_node_probes[] =
	VARIANTS(probe_cache_alloc_node);)
static void * const kfree_probes[] = VARIANTS(probe_kfree);
static void * const cache_free_probes[] = VARIANTS(probe_cache_free);

/* ------------------------------------------------------------------------
 * Tasks, as far as lifetimes of allocations need them
 */

static void put_exit(struct lt_channel_cpu *c, const struct task_struct *p, bool group_dead)
{
	struct lt_rec_TASK_EXIT *rec;

	rec = lt_reserve(&lt_channel_kmem, c, LT_CLASS_TASK_EXIT, LT_EV_TASK_EXIT, sizeof(*rec));
	if (!rec)
		return;
	rec->tid = p->pid;
	rec->tgid = p->tgid;
	rec->start = p->start_boottime;
	rec->group_dead = group_dead;
}

/*
 * Of the running task, which is announced before the record, the number is enough. Interrupts are
 * off since lt_enter(): nothing announces another task in between. If the reservation begins a
 * packet, the task is announced there.
 */
static void put_own_exit(struct lt_channel_cpu *c, bool group_dead)
{
	struct lt_rec_TASK_EXIT_SHORT *rec;

	rec = lt_reserve(&lt_channel_kmem, c, LT_CLASS_TASK_EXIT, LT_EV_TASK_EXIT_SHORT,
			 sizeof(*rec));
	if (!rec)
		return;
	rec->number = lt_context_number(c);
	rec->group_dead = group_dead;
}

static void on_task_exit(struct task_struct *p, bool group_dead)
{
	struct lt_channel_cpu *c;
	unsigned long flags;

	c = lt_enter(&lt_channel_kmem, LT_CLASS_TASK_EXIT, &flags);
	if (!c)
		return;
	/* The kernel calls this in the task that exits. */
	if (likely(p == current))
		put_own_exit(c, group_dead);
	else
		put_exit(c, p, group_dead);
	lt_leave(c, LT_CLASS_TASK_EXIT, flags);
}

LT_PROBE_TASK_EXIT(probe_task_exit, on_task_exit)

static void probe_task_rename(void *data, struct task_struct *task, const char *comm)
{
	lt_context_renamed(&lt_channel_kmem, task);
}

LT_CHECK_TRACEPOINT(kmalloc, probe_kmalloc_any);
LT_IF_NODE_EVENTS(LT_CHECK_TRACEPOINT(kmalloc_node, probe_kmalloc_node_any);)
LT_CHECK_TRACEPOINT(kmem_cache_alloc, probe_cache_alloc_any);
LT_IF_NODE_EVENTS(LT_CHECK_TRACEPOINT(kmem_cache_alloc_node, probe_cache_alloc_node_any);)
LT_CHECK_TRACEPOINT(kfree, probe_kfree_any);
LT_CHECK_TRACEPOINT(kmem_cache_free, probe_cache_free_any);
LT_CHECK_TRACEPOINT(sched_process_exit, LT_TASK_EXIT_PROBE(probe_task_exit));
LT_CHECK_TRACEPOINT(task_rename, probe_task_rename);
LT_CHECK_TRACEPOINT(mark_victim, LT_MARK_VICTIM_PROBE(lt_probe_oom_kill));
#ifdef CONFIG_DETECT_HUNG_TASK
LT_CHECK_TRACEPOINT(sched_process_hang, lt_probe_hung_task);
#endif

#define TRACEPOINT(event, grp, tracepoint, probe) \
	{ .name = event, .kind = LT_TRACEPOINT, .group = grp, \
	  .symbols = { tracepoint }, .fn = probe }

/* A probe of which all versions were made. */
#define OBJECTS(event, tracepoint, probes) \
	{ .name = event, .kind = LT_TRACEPOINT, .group = "slab", \
	  .symbols = { tracepoint }, .variants = probes }

#define FUNCTION(event, grp, symbol, probe) \
	{ .name = event, .kind = LT_FUNCTION, .group = grp, \
	  .symbols = { symbol }, .function = &(probe) }

/* The first of these functions that the kernel has. */
#define RETURN_OF(event, grp, probe, ...) \
	{ .name = event, .kind = LT_KRETPROBE, .group = grp, \
	  .symbols = { __VA_ARGS__ }, .rp = &(probe) }

#define NOTIFIER(event, grp, symbol, n) \
	{ .name = event, .kind = LT_NOTIFIER, .group = grp, \
	  .symbols = { symbol }, .notifier = &(n) }

/*
 * Frees first: as soon as a birth can be recorded, so can its death. A death without a
 * recorded birth is that of an object born before the session.
 */
static struct lt_probe probes[] = {
	TRACEPOINT("task_rename", NULL, "task_rename", probe_task_rename),
	TRACEPOINT("task_exit", NULL, "sched_process_exit", LT_TASK_EXIT_PROBE(probe_task_exit)),
	TRACEPOINT("oom_kill", "triggers", "mark_victim",
		   LT_MARK_VICTIM_PROBE(lt_probe_oom_kill)),
	TRACEPOINT("hung_task", "triggers", "sched_process_hang", lt_probe_hung_task),
	NOTIFIER("oops", "triggers", "die_chain", lt_oops_notifier),
	NOTIFIER("panic", "triggers", "panic_notifier_list", lt_panic_notifier),
	LT_MODULE_ROW(NOTIFIER("module", NULL, "module_notify_list", lt_module_notifier))
	FUNCTION("cache_gone", NULL, "kmem_cache_destroy", lt_on_cache_destroy),

	OBJECTS("kfree", "kfree", kfree_probes),
	OBJECTS("kmem_cache_free", "kmem_cache_free", cache_free_probes),
	FUNCTION("bulk_free", "slab", "kmem_cache_free_bulk", lt_on_bulk_free),
	FUNCTION("rcu_free", "slab", "kvfree_call_rcu", lt_on_rcu_free),
	LT_NOLOCK_ROW(FUNCTION("kfree_nolock", "slab", "kfree_nolock", lt_on_nolock_free))
	TRACEPOINT("page_free", "pages", "mm_page_free", lt_probe_page_free),
	TRACEPOINT("page_free_batched", "pages", "mm_page_free_batched",
		   lt_probe_page_free_batched),

	{ .name = "page_alloc", .kind = LT_TRACEPOINT, .group = "pages",
	  .symbols = { "mm_page_alloc" }, .variants = lt_page_alloc_probes },
	RETURN_OF("bulk_alloc", "slab", lt_rp_bulk_alloc, __stringify(LT_BULK_ALLOC_FN)),
	LT_PAGE_BULK_ROW(RETURN_OF("page_bulk", "pages", lt_rp_page_bulk,
				   __stringify(LT_PAGE_BULK_FN)))
	/* Where there is the first one, the others call it. */
	LT_PAGE_CONTIG_ROW(RETURN_OF("page_contig", "pages", lt_rp_page_contig,
				     "alloc_contig_frozen_range_noprof",
				     "alloc_contig_range_noprof", "alloc_contig_range"))
	LT_PAGE_CONTIG_ROW(RETURN_OF("page_isolate", "pages", lt_rp_page_isolate,
				     "isolate_freepages_range"))
	RETURN_OF("resize", "slab", lt_rp_resize,
		  "krealloc_node_align_noprof", "krealloc_noprof", "krealloc"),
	LT_NOLOCK_ROW(RETURN_OF("kmalloc_nolock", "slab", lt_rp_nolock,
				"_kmalloc_nolock_noprof", "kmalloc_nolock_noprof"))
	OBJECTS("kmem_cache_alloc", "kmem_cache_alloc", cache_alloc_probes),
	LT_NODE_ROW(OBJECTS("kmem_cache_alloc_node", "kmem_cache_alloc_node",
			    cache_alloc_node_probes))
	OBJECTS("kmalloc", "kmalloc", kmalloc_probes),
	LT_NODE_ROW(OBJECTS("kmalloc_node", "kmalloc_node", kmalloc_node_probes))
};

const struct lt_probes lt_kmem_probes = { probes, ARRAY_SIZE(probes) };

/* ------------------------------------------------------------------------
 * The channel's life
 */

/**
 * lt_kmem_init() - prepare the channel, once at load
 *
 * Context: process, sleeps.
 * Return: 0 or -ENOMEM.
 */
int lt_kmem_init(void)
{
	int err = lt_cache_prove();

	if (!err && !lt_cache_proven())
		pr_notice("lifetrace: names of slab caches cannot be read on this kernel\n");
	return err;
}

/* Context: process, sleeps; unloading, so there is no session. */
void lt_kmem_exit(void)
{
	lt_code_reset();
	lt_cache_exit();
}

/* Context: process, sleeps; no probe of the channel runs. */
void lt_kmem_close(void)
{
	lt_steps_close();
	lt_stacks_close();
	lt_births_close();
}

/* Tables of stacks, and the notifier of modules that come and go. On an error the caller closes. */
static int open_stacks(const struct lt_stack_options *stacks)
{
	int err = lt_stacks_open(stacks);

	return err || !lt_stacks_on() ? err : lt_steps_open();
}

/**
 * lt_kmem_open() - prepare the channel for a session
 * @min_size: leave out allocations of fewer bytes
 * @sample: keep one address in so many
 * @sample_changes: lt_kmem_resample() may change that
 * @stacks: which stacks to record
 * @births: which births to keep
 *
 * Context: process, sleeps; the session's clock is chosen, no probe is attached. So no probe
 * sees a filter change, or runs as a version that does not fit the session.
 * Return: 0 or -ENOMEM; of lt_births_open(); of lt_steps_open().
 */
int lt_kmem_open(size_t min_size, unsigned int sample, bool sample_changes,
		 const struct lt_stack_options *stacks, const struct lt_birth_filter *births)
{
	enum lt_variant v;
	unsigned int i;
	int err = open_stacks(stacks) ?: lt_births_open(births) ?:
		  lt_cache_reset(lt_channel_kmem.overwrite);

	if (err) {
		lt_kmem_close();
		return err;
	}
	lt_callers_prepare();
	lt_code_reset();
	lt_contig_calls_clear();
	lt_min_size = min_size;
	lt_set_sample(sample);
	lt_sample_changes = sample_changes;
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (!probes[i].variants)
			continue;
		v = probes[i].variants == lt_page_alloc_probes ? lt_variant_of_pages() :
								 lt_variant_of_session();
		probes[i].fn = probes[i].variants[v];
	}
	return 0;
}

/* Are births of pages chosen? Context: under the session's lock. */
bool lt_kmem_pages_wanted(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (probes[i].wanted && (probes[i].variants == lt_page_alloc_probes ||
					 probes[i].rp == &lt_rp_page_bulk ||
					 probes[i].rp == &lt_rp_page_contig))
			return true;
	return false;
}

/* The channel's lines in the file "info". */
void lt_kmem_show_info(struct seq_file *m)
{
	seq_printf(m, "late_free=%d\n", LT_LATE_FREE);
	seq_printf(m, "cache_names=%d\n", lt_cache_proven());
	seq_printf(m, "stacks=%u\n", lt_stacks_of_session()->one_in);
	seq_printf(m, "stack_min=%lu\n", lt_stacks_of_session()->min);
	seq_printf(m, "stack_depth=%u\n", lt_stacks_of_session()->depth);
	seq_printf(m, "stacks_free=%d\n", lt_stacks_of_session()->frees);
	seq_printf(m, "page_stacks=%d\n", lt_page_stacks());
	seq_printf(m, "stack_steps=%d\n", LT_HAVE_ORC);
	lt_births_show_info(m);
}

/* The channel's lines in the file "stats". */
void lt_kmem_show_stats(struct seq_file *m)
{
	seq_printf(m, "cache_overflow %llu\n", lt_cache_overflow());
	if (lt_stacks_missed())
		seq_printf(m, "stacks_without_caller %llu\n", lt_stacks_missed());
	if (lt_stacks_unwound())
		seq_printf(m, "stacks_unwound %llu\nstacks_wrong %llu\n", lt_stacks_unwound(),
			   lt_stacks_wrong());
}

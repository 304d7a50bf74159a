// SPDX-License-Identifier: GPL-2.0
/*
 * The events, by the module's names, and the programs that record them. Frees come first.
 */
#ifdef LT_HAVE_LIBBPF

#include "bpf/internal.h"

#define TRACEPOINT(number, name_, program_, tracepoint, args_, CLASS, ...)		\
	{ .event = LT_BPF_##number, .name = name_, .program = program_, .section = "raw_tp",	\
	  .symbols = { tracepoint }, .args = args_, .class = LT_CLASS_##CLASS,			\
	  __VA_ARGS__ }

/* A function: the first of these that the kernel has. */
#define FUNCTION(number, name_, program_, section_, args_, CLASS, free_, ...)		\
	{ .event = LT_BPF_##number, .name = name_, .program = program_, .section = section_,	\
	  .symbols = { __VA_ARGS__ }, .args = args_, .class = LT_CLASS_##CLASS,		\
	  .failed = LT_CLASS_NONE, .lost = LT_CLASS_NONE, .free = free_ }

/*
 * A function that gives or takes back numbers: generations and ends of namespaces follow from it.
 */
#define NUMBER(number, name_, program_, section_, args_, free_, function)		\
	{ .event = LT_BPF_##number, .name = name_, .program = program_, .section = section_,	\
	  .symbols = { function }, .args = args_, .class = LT_CLASS_NONE,			\
	  .failed = LT_CLASS_NONE, .lost = LT_CLASS_WRAP, .free = free_ }

/* Programs that write nothing: one each, and no event that users know. */
#define HELPER(program_, section_, tracepoint)						\
	{ .name = program_, .program = program_, .section = section_,			\
	  .symbols = { tracepoint },							\
	  .class = LT_CLASS_NONE, .failed = LT_CLASS_NONE, .lost = LT_CLASS_NONE,		\
	  .free = true, .single = true }

static const struct lt_bpf_def kmem[] = {
	HELPER("tree_newtask", "tp_btf", "task_newtask"),
	TRACEPOINT(TASK_EXIT, "task_exit", "task_exit", "sched_process_exit", NULL, TASK_EXIT,
		   .failed = LT_CLASS_NONE, .free = true),
	TRACEPOINT(KFREE, "kfree", "kfree", "kfree", "np", KFREE, .failed = LT_CLASS_NONE,
		   .free = true),
	TRACEPOINT(CACHE_FREE, "kmem_cache_free", "cache_free", "kmem_cache_free", "npc",
		   CACHE_FREE, .failed = LT_CLASS_NONE, .free = true),
	TRACEPOINT(PAGE_FREE, "page_free", "page_free", "mm_page_free", "pn", PAGE_FREE,
		   .failed = LT_CLASS_NONE, .free = true),
	TRACEPOINT(PAGE_BATCHED, "page_free_batched", "page_batched", "mm_page_free_batched", "p",
		   PAGE_BATCHED, .failed = LT_CLASS_NONE, .free = true),
	FUNCTION(CACHE_GONE, "cache_gone", "cache_gone", "fentry", "c", NONE, true,
		 "kmem_cache_destroy"),
	FUNCTION(BULK_FREE, "bulk_free", "bulk_free", "fentry", "cnp", BULK_FREE, true,
		 "kmem_cache_free_bulk"),
	FUNCTION(RCU_FREE, "rcu_free", "rcu_free", "fentry", "pp", RCU_FREE, true,
		 "kvfree_call_rcu"),
	FUNCTION(BULK_ALLOC, "bulk_alloc", "bulk_alloc", "fexit", "cnnp", BULK_ALLOC, false,
		 "kmem_cache_alloc_bulk_noprof", "kmem_cache_alloc_bulk"),
	FUNCTION(RESIZE, "resize", "resize", "fexit", NULL, RESIZE, false,
		 "krealloc_node_align_noprof", "krealloc_noprof", "krealloc"),
	TRACEPOINT(PAGE_ALLOC, "page_alloc", "page_alloc", "mm_page_alloc", "pnnn", PAGE_ALLOC,
		   .failed = LT_CLASS_ALLOC_FAILED),
	TRACEPOINT(CACHE_ALLOC, "kmem_cache_alloc", "cache_alloc", "kmem_cache_alloc", "npcnn",
		   CACHE_ALLOC, .failed = LT_CLASS_ALLOC_FAILED),
	TRACEPOINT(KMALLOC, "kmalloc", "kmalloc", "kmalloc", "npnnnn", KMALLOC,
		   .failed = LT_CLASS_ALLOC_FAILED),
};

static const struct lt_bpf_def pid[] = {
	TRACEPOINT(RELEASE, "release", "release", "sched_process_free", "p", RELEASE,
		   .failed = LT_CLASS_NONE, .free = true),
	TRACEPOINT(EXIT, "exit", "exit", "sched_process_exit", NULL, EXIT,
		   .failed = LT_CLASS_NONE, .free = true),
	TRACEPOINT(EXEC, "exec", "exec", "sched_process_exec", "pnp", EXEC,
		   .failed = LT_CLASS_NONE),
	TRACEPOINT(RENAME, "rename", "rename", "task_rename", "pp", RENAME,
		   .failed = LT_CLASS_NONE),
	TRACEPOINT(OOM, "oom_score_adj", "oom", "oom_score_adj_update", "p", OOM,
		   .failed = LT_CLASS_NONE),
	NUMBER(FREED, "number_free", "freed", "fentry", "p", true, "free_pid"),
	NUMBER(GIVEN, "number", "given", "fexit", "ppn", false, "alloc_pid"),
	FUNCTION(CRED, "cred", "cred", "fentry", "p", CRED, false, "commit_creds"),
	TRACEPOINT(CGROUP, "cgroup", "cgroup", "cgroup_attach_task", "pppn", CGROUP,
		   .failed = LT_CLASS_NONE),
	TRACEPOINT(BIRTH, "task_new", "birth", "task_newtask", "pn", BIRTH,
		   .failed = LT_CLASS_NUMBER),
};

/* An end is attached before a begin: a call that began is one whose end will be seen. */
static const struct lt_bpf_def sys[] = {
	{ .event = LT_BPF_SYS_DIED, .name = "sys_death", .program = "sys_died", .section = "raw_tp",
	  .symbols = { "sched_process_exit" }, .class = LT_CLASS_SYS_OPEN,
	  .failed = LT_CLASS_NONE, .free = true },
	{ .event = LT_BPF_SYS_EXIT, .name = "sys_exit", .program = "sys_exit", .section = "tp_btf",
	  .symbols = { "sys_exit" }, .args = "pn", .class = LT_CLASS_SYS,
	  .failed = LT_CLASS_NONE, .free = true },
	{ .event = LT_BPF_SYS_ENTER, .name = "sys_enter", .program = "sys_enter",
	  .section = "tp_btf", .symbols = { "sys_enter" }, .args = "pn",
	  .class = LT_CLASS_NONE, .failed = LT_CLASS_SYS_BEGIN, .lost = LT_CLASS_NONE },
};

static const struct lt_bpf_def area[] = {
	TRACEPOINT(PERCPU_FREE, "percpu_free", "percpu_free", "percpu_free_percpu", "pnp",
		   PERCPU_FREE, .failed = LT_CLASS_NONE, .free = true),
	FUNCTION(VFREE, "vfree", "vfree", "fentry", "p", VFREE, true, "remove_vm_area"),
	TRACEPOINT(PERCPU_ALLOC, "percpu_alloc", "percpu_alloc", "percpu_alloc_percpu",
		   "nnnnnpnpnn", PERCPU_ALLOC, .failed = LT_CLASS_NONE),
	FUNCTION(VMALLOC, "vmalloc", "vmalloc", "fexit", "nnnnn*nnp", VMALLOC, false,
		 "__vmalloc_node_range_noprof", "__vmalloc_node_range"),
};

static const struct {
	const struct lt_bpf_def *defs;
	size_t n;
	unsigned int channel;
	const struct lt_bpf_image *image;
	const struct lt_bpf_image *by_symbol;
} parts[LT_BPF_N_PARTS] = {
	[LT_BPF_KMEM] = { kmem, sizeof(kmem) / sizeof(*kmem), LT_CHANNEL_KMEM, &lt_bpf_image_kmem,
			 &lt_bpf_image_kmem_symbol },
	[LT_BPF_PID] = { pid, sizeof(pid) / sizeof(*pid), LT_CHANNEL_PID, &lt_bpf_image_pid,
			NULL },
	[LT_BPF_SYS] = { sys, sizeof(sys) / sizeof(*sys), LT_CHANNEL_SYSCALL, &lt_bpf_image_sys,
			NULL },
	[LT_BPF_AREA] = { area, sizeof(area) / sizeof(*area), LT_CHANNEL_AREA, &lt_bpf_image_area,
			 NULL },
};

const struct lt_bpf_def *lt_bpf_defs(enum lt_bpf_part part, size_t *n)
{
	*n = parts[part].n;
	return parts[part].defs;
}

unsigned int lt_bpf_channel_of(enum lt_bpf_part part)
{
	return parts[part].channel;
}

/* @level: enum lt_bpf_level, in the way of which the programs learn it */
const struct lt_bpf_image *lt_bpf_image_of(enum lt_bpf_part part, unsigned int level)
{
	if (level == LT_BPF_LEVEL_SYMBOL && parts[part].by_symbol)
		return parts[part].by_symbol;
	return parts[part].image;
}

#endif /* LT_HAVE_LIBBPF */

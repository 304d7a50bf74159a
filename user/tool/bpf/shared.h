/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the BPF programs and the recorder share but records (raw.h): the state of a ring, and what
 * is set in the programs before they are loaded.
 *
 * Copies. The kernel skips a program that is entered while it runs on the same CPU, and counts
 * that. So each event has up to three copies of its program, attached one behind the other. Copy 0
 * leaves a note of the event; the others write it if there is none. What is lost follows from the
 * counts:
 *
 *	lost = misses of copy 0 + passed - runs of copies 1 and 2
 */
#ifndef LT_BPF_SHARED_H
#define LT_BPF_SHARED_H

#include <linux/types.h>

#define LT_BPF_RING_MIN		(1U << 16)	/* bytes of a ring, without its slack */
/* of all rings: the verifier knows no longer maps */
#define LT_BPF_RINGS_MAX	(1ULL << 29)

#define LT_BPF_COPIES		3
#define LT_BPF_EVENTS		16	/* of an object at the most */
#define LT_BPF_LEVELS		4	/* task, softirq, hardirq, NMI */

/* Programs of the channel kmem; each class of records has one, but failed allocations. */
enum lt_bpf_kmem_event {
	LT_BPF_KMALLOC,
	LT_BPF_CACHE_ALLOC,
	LT_BPF_KFREE,
	LT_BPF_CACHE_FREE,
	LT_BPF_PAGE_ALLOC,
	LT_BPF_PAGE_FREE,
	LT_BPF_PAGE_BATCHED,
	LT_BPF_TASK_EXIT,
	LT_BPF_BULK_ALLOC,
	LT_BPF_BULK_FREE,
	LT_BPF_RCU_FREE,
	LT_BPF_RESIZE,
	LT_BPF_CACHE_GONE,
	LT_BPF_N_KMEM,
};

enum lt_bpf_pid_event {
	LT_BPF_BIRTH,
	LT_BPF_EXEC,
	LT_BPF_EXIT,
	LT_BPF_RELEASE,
	LT_BPF_RENAME,
	LT_BPF_OOM,
	LT_BPF_CRED,
	LT_BPF_CGROUP,
	LT_BPF_GIVEN,
	LT_BPF_FREED,
	LT_BPF_N_PID,
};

enum lt_bpf_sys_event {
	LT_BPF_SYS_ENTER,
	LT_BPF_SYS_EXIT,
	LT_BPF_SYS_DIED,
	LT_BPF_N_SYS,
};

enum lt_bpf_area_event {
	LT_BPF_PERCPU_ALLOC,
	LT_BPF_PERCPU_FREE,
	LT_BPF_VMALLOC,
	LT_BPF_VFREE,
	LT_BPF_N_AREA,
};

#define LT_BPF_CALLS	512	/* above their numbers */

#define LT_BPF_DETACHING	(~0ULL)

#define LT_BPF_NO_NOTE		(~0ULL)

/*
 * struct lt_bpf_cpu - the state of a CPU's ring, which follows it; zeros at first, but for @word,
 *	@limit
 * and @note
 *
 * Programs of a CPU interrupt each other, and where tracepoints are preemptible, tasks are
 * preempted in them. A program never interrupts itself, so counts of one program are plain.
 *
 * @pos: bytes that were reserved; only grows
 * @word: who wrote the last record, and where it ends: see announced() in prog/ring.h; ~0: nobody
 * @start: when the task that was announced last was started
 * @name: its name then: a task may get another one at any time, and from another CPU
 * @watched: written by the recorder: since when all programs are attached, as start of tasks;
 *	    LT_BPF_DETACHING
 * @where: address of this CPU's preempt_count, found at its first event
 * @limit: up to where may be written: written by the reader, which leaves zeros behind
 * @runs: events that a copy took, by copy and event
 * @passed: events that copy 0 left to the others, since there was no place for a note
 * @full: records for which there was no room, by event
 * @filtered: events that were left out, by event
 * @failed: allocations that returned nothing, by event
 * @failed_full: their records for which there was no room, by event
 * @more: records of an event beyond the first: objects of a bulk call
 * @tries: events that gave up, since others came between all tries
 * @note: notes by level and event, where tracepoints are not preemptible; LT_BPF_NO_NOTE: none
 */
struct lt_bpf_cpu {
	__u64 pos;
	__u64 word;
	__u64 start;
	__u64 where;
	__u64 name[2];
	__u64 watched;
	__u64 pad;
	__u64 limit;
	__u64 pad2[7];
	__u64 runs[LT_BPF_COPIES][LT_BPF_EVENTS];
	__u64 passed[LT_BPF_EVENTS];
	__u64 full[LT_BPF_EVENTS];
	__u64 filtered[LT_BPF_EVENTS];
	__u64 failed[LT_BPF_EVENTS];
	__u64 failed_full[LT_BPF_EVENTS];
	__u64 more[LT_BPF_EVENTS];
	__u64 tries[LT_BPF_EVENTS];
	__u64 note[LT_BPF_LEVELS][LT_BPF_EVENTS];
} __attribute__((aligned(64)));

/* How a program learns in which context it runs. */
enum lt_bpf_level {
	LT_BPF_LEVEL_NONE,	/* it does not */
	LT_BPF_LEVEL_CAST,	/* of its CPU's preempt_count, by bpf_rdonly_cast() */
	LT_BPF_LEVEL_READ,	/* of preempt_count, by bpf_probe_read_kernel() */
	LT_BPF_LEVEL_TASK,	/* of thread_info, on arm64 */
	LT_BPF_LEVEL_SYMBOL,	/* of preempt_count, by its name: see kernel.c */
};


/**
 * struct lt_bpf_config - what is set in the programs; constant from loading on
 * @ring_mask: bytes of a ring, a power of two, less 8
 * @stride: bytes from one CPU's state to the next one's
 * @n_cpus: that have one
 * @quick_cpus: the same, if the short ways of prog/quick.h do all that is asked for; else 0
 * @copies: of each program
 * @notes_by_cpu: of tracepoints, since these run with preemption off, and levels are known
 * @level: enum lt_bpf_level
 * @level_delta: from the CPU's struct rq to its preempt_count
 * @strong: stores are not in order on this machine
 * @sample: addresses whose hash is below this are kept; 0: all
 * @page_mask: of the address of a struct page, what says which one it is; see kernel.c
 * @page_size: bytes of a struct page
 * @page_shift: log2 of the bytes of a page
 * @min_size, @max_size: of births that are kept; 0: all
 * @tree: births by tasks of the map "tree" alone
 * @cgroup: births by tasks in a cgroup of the map "cgroup" alone
 * @stack_below: addresses whose LT_STACK_HASH() is below this have stacks; 0: none
 * @stack_min: bytes of births with stacks
 * @stack_depth: frames
 * @stack_skip: frames of the tracing itself
 * @exit_says_dead: sched_process_exit says whether the group is dead
 * @bulk_says_all: kmem_cache_alloc_bulk() returns bool
 * @rcu_by_offset: kvfree_call_rcu() takes an offset
 * @possible: CPUs that may come
 * @by_number: of system calls those whose bit is set in @chosen alone: of the machine's ABI, and of
 *	that of 32 bits
 * @errors: those that fail alone
 * @call_min: ns; those that take so long alone
 */
struct lt_bpf_config {
	__u64 ring_mask;
	__u64 stride;
	__u32 n_cpus;
	__u32 quick_cpus;
	__u32 copies;
	__u32 notes_by_cpu;
	__u32 level;
	__s64 level_delta;
	__u32 strong;
	__u32 sample;
	__u64 page_mask;
	__u32 page_size;
	__u32 page_shift;
	__u64 min_size;
	__u64 max_size;
	__u32 tree;
	__u32 cgroup;
	__u64 stack_below;
	__u64 stack_min;
	__u32 stack_depth;
	__u32 stack_skip;
	__u32 exit_says_dead;
	__u32 bulk_says_all;
	__u32 rcu_by_offset;
	__u32 possible;
	__u64 call_min;
	__u32 by_number;
	__u32 errors;
	__u64 chosen[2][LT_BPF_CALLS / 64];
};

#define LT_BPF_NOTES_BITS	16

#endif /* LT_BPF_SHARED_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs must know of the running kernel, from its types (BTF).
 */
#ifndef LT_BPF_KERNEL_FACTS_H
#define LT_BPF_KERNEL_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/why.h"

struct lt_btf;

#define LT_BPF_PREEMPT_COUNT	"__preempt_count"

/**
 * struct lt_bpf_kernel - the running kernel
 * @btf: its types
 * @level: enum lt_bpf_level
 * @level_delta: see struct lt_bpf_config
 * @exit_says_dead: sched_process_exit has a second argument
 * @bulk_says_all, @rcu_by_offset: see struct lt_bpf_config
 * @max_args: of a function that programs watch
 * @preemptible: tracepoints run with preemption on
 * @strong: stores are not in order on this machine
 * @page_struct: bytes of struct page
 * @page_mask: see struct lt_bpf_config; 0: not known
 */
struct lt_bpf_kernel {
	struct lt_btf *btf;
	unsigned int level;
	int64_t level_delta;
	bool exit_says_dead;
	bool bulk_says_all;
	bool rcu_by_offset;
	unsigned int max_args;
	bool preemptible;
	bool strong;
	uint32_t page_struct;
	uint64_t page_mask;
};

/* Return: false after setting @why: programs cannot run here, or must not. */
bool lt_bpf_kernel_read(struct lt_bpf_kernel *k, struct lt_why *why);
void lt_bpf_kernel_free(struct lt_bpf_kernel *k);

/**
 * lt_bpf_tracepoint() - does the kernel have a tracepoint with these arguments?
 * @k: the kernel
 * @name: of the tracepoint
 * @args: a letter for each argument: n number, p pointer, c struct kmem_cache *, * any;
 *	NULL: any
 * @why: set if not
 */
bool lt_bpf_tracepoint(const struct lt_bpf_kernel *k, const char *name, const char *args,
		       struct lt_why *why);

/* Does the kernel have a function with these arguments? */
bool lt_bpf_function(const struct lt_bpf_kernel *k, const char *name, const char *args,
		     struct lt_why *why);

/* Has it a struct of that name? */
bool lt_bpf_has_type(const struct lt_bpf_kernel *k, const char *name);

#endif /* LT_BPF_KERNEL_FACTS_H */

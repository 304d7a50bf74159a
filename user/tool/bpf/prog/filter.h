/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which births are kept, and which addresses; as module/kmem/filter.c and module/core/only.c.
 */
#ifndef LT_BPF_FILTER_H
#define LT_BPF_FILTER_H

#include "prog/ring.h"

#define TREE_BITS	22	/* a bit for each number of a task that there may be */

/* The tasks of a tree; only made where it is asked for. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1U << (TREE_BITS - 6));
	__type(key, u32);
	__type(value, u64);
} tree SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} cgroup SEC(".maps");

AI u64 *tree_word(u32 tid)
{
	u32 at = tid >> 6 & ((1U << (TREE_BITS - 6)) - 1);

	return bpf_map_lookup_elem(&tree, &at);
}

AI bool in_tree(u32 tid)
{
	u64 *word = tree_word(tid);

	return word && once(word) >> (tid & 63) & 1;
}

/* A new task is in the tree if who creates it is. */
AI void tree_birth(u32 creator, u32 tid)
{
	u64 *word = tree_word(tid), bit = 1ULL << (tid & 63);

	if (!word)
		return;
	if (in_tree(creator))
		__sync_fetch_and_or(word, bit);
	else if (once(word) & bit)
		__sync_fetch_and_and(word, ~bit);
}

/* The work of a task that is kept? Not that of an interrupt, which serves anybody. */
AI bool task_kept(const struct run *r)
{
	if (!config.tree && !config.cgroup)
		return true;
	if (r->level & LT_RAW_CONTEXT)
		return false;
	if (config.tree && !in_tree(r->cur->pid))
		return false;
	return !config.cgroup || bpf_current_task_under_cgroup(&cgroup, 0) == 1;
}

/* Is an address left out by the sample? The module's hash. */
AI bool sampled_out(u64 addr)
{
	return config.sample &&
	       (u32)((addr >> 3) * 0x61c8864680b583ebULL >> 32) >= config.sample;
}

AI bool size_kept(u64 bytes)
{
	return bytes >= config.min_size && (!config.max_size || bytes <= config.max_size);
}

AI bool is_object(u64 ptr)
{
	return ptr > 16;	/* not NULL, not ZERO_SIZE_PTR */
}

AI u64 page_addr(u64 page)
{
	if (!config.sample)
		return 0;
	return (page & config.page_mask) / config.page_size << config.page_shift;
}

#endif /* LT_BPF_FILTER_H */

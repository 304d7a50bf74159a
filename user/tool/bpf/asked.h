/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What programs that run when they are asked give back: of tasks and slab caches.
 */
#ifndef LT_BPF_ASKED_H
#define LT_BPF_ASKED_H

#include <linux/types.h>

#include "raw.h"

/* A task that there is; iter/task gives one after the other. */
struct lt_bpf_task {
	struct lt_raw_id id;
	struct lt_raw_attr attr;	/* @flags: with LT_TASK_FLAG_EXITING and _IN_EXEC */
	__u32 pgid;
	__u32 sid;
	__u32 ns;			/* inode number of its own pid namespace */
	__u32 nr;			/* its number there */
	__u32 level;			/* of that namespace; 0: the initial one */
	__u32 state;			/* as in the kernel: 0 runs; see lt_bpf_state_letter() */
	__u32 exit_state;
	__u32 cursor;			/* of the initial namespace */
};

/*
 * A number of a task in a namespace within the initial one; of one task the outermost first.
 * iter/task gives them.
 */
struct lt_bpf_task_number {
	struct lt_raw_id id;
	__u32 ns;			/* inode number of the namespace */
	__u32 parent_ns;		/* and of that around it */
	__u32 nr;
	__u32 level;			/* of the namespace, 1 or more */
};

/* A slab cache. */
struct lt_bpf_asked_cache {
	__u64 addr;		/* of the struct kmem_cache */
	__u32 object_size;
	__u32 size;
	char name[64];
};

#endif /* LT_BPF_ASKED_H */

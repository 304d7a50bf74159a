/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is read of a task, as in module/pid/record.c. All pointers are followed by reads that cannot
 * fault, since what they lead to may be freed meanwhile; what cannot be read is 0.
 */
#ifndef LT_BPF_TASK_H
#define LT_BPF_TASK_H

#include "prog/base.h"

AI u32 task_flags(u32 flags)
{
	u32 f = flags & PF_KTHREAD ? 1 : 0;

	if (flags & PF_IO_WORKER)
		return f | 2;
	return flags & PF_USER_WORKER ? f | 4 : f;
}

AI void read_id(struct lt_raw_id *to, struct task_struct *p)
{
	to->tid = BPF_CORE_READ(p, pid);
	to->tgid = BPF_CORE_READ(p, tgid);
	to->start = BPF_CORE_READ(p, start_boottime);
}

AI void read_attr(struct lt_raw_attr *a, struct task_struct *p)
{
	struct pid *pid = BPF_CORE_READ(p, thread_pid);
	const struct cred *cred = BPF_CORE_READ(p, real_cred);

	a->flags = task_flags(BPF_CORE_READ(p, flags));
	a->parent = 0;
	a->parent_start = 0;
	/* A task that was released has no number, and its parent may be gone. */
	if (pid) {
		a->parent = BPF_CORE_READ(p, real_parent, tgid);
		a->parent_start = BPF_CORE_READ(p, real_parent, group_leader, start_boottime);
	}
	a->ino = 0;
	if (bpf_core_field_exists(pid->ino))
		a->ino = BPF_CORE_READ(pid, ino);
	a->uid = BPF_CORE_READ(cred, uid.val);
	a->gid = BPF_CORE_READ(cred, gid.val);
	a->cgroup = 0;
	if (bpf_core_field_exists(p->cgroups))
		a->cgroup = BPF_CORE_READ(p, cgroups, dfl_cgrp, kn, id);
	a->oom_score_adj = BPF_CORE_READ(p, signal, oom_score_adj);
	a->zero = 0;
	bpf_core_read(a->comm, sizeof(a->comm), &p->comm);
}

/*
 * Is a task that exits the last of its process? Since 6.16 the tracepoint says so, behind the task;
 * before, as the module does: nobody is left. Two that exit at once may both be called the last.
 */
AI u32 is_group_dead(u64 *ctx, struct task_struct *p, bool says)
{
	if (says)
		return ctx[1] & 1;
	return BPF_CORE_READ(p, signal, live.counter) == 0;
}

/* The number of a task in the namespace of a level, and that namespace. */
AI u32 number_at(struct pid *pid, u32 level, struct pid_namespace **ns)
{
	struct upid *u = (void *)((u64)pid + bpf_core_field_offset(struct pid, numbers) +
				  level * bpf_core_type_size(struct upid));

	*ns = BPF_CORE_READ(u, ns);
	return BPF_CORE_READ(u, nr);
}

#define MAX_LEVEL	32

AI u32 own_number(struct task_struct *p, u32 *level, struct pid_namespace **ns)
{
	struct pid *pid = BPF_CORE_READ(p, thread_pid);

	*level = 0;
	*ns = 0;
	if (!pid)
		return 0;
	*level = BPF_CORE_READ(pid, level);
	return *level > MAX_LEVEL ? 0 : number_at(pid, *level, ns);
}

#endif /* LT_BPF_TASK_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that run when they are asked: which tasks there are, what a slab cache is called, and
 * whether functions can be watched at all.
 */
#include "prog/task.h"
#include "asked.h"

struct bpf_iter_meta {
	struct seq_file *seq;
} __ksym_struct;

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} __ksym_struct;

struct bpf_iter__kmem_cache {
	struct bpf_iter_meta *meta;
	struct kmem_cache *s;
} __ksym_struct;

/* A program is called again for a task whose row did not fit: it has no other effect. */
SEC("iter/task") int each_task(struct bpf_iter__task *ctx)
{
	struct task_struct *p = ctx->task;
	struct lt_bpf_task t = {};
	struct pid_namespace *ns;
	struct pid *pid;

	if (!p)
		return 0;
	read_id(&t.id, p);
	read_attr(&t.attr, p);
	if (BPF_CORE_READ(p, flags) & PF_EXITING)
		t.attr.flags |= 8;
	if (BPF_CORE_READ_BITFIELD_PROBED(p, in_execve))
		t.attr.flags |= 16;
	pid = BPF_CORE_READ(p, signal, pids[2]);
	t.pgid = number_at(pid, 0, &ns);
	pid = BPF_CORE_READ(p, signal, pids[3]);
	t.sid = number_at(pid, 0, &ns);
	number_at(BPF_CORE_READ(p, thread_pid), 0, &ns);
	t.cursor = BPF_CORE_READ(ns, idr.idr_next);
	t.nr = own_number(p, &t.level, &ns);
	t.ns = BPF_CORE_READ(ns, ns.inum);
	t.state = BPF_CORE_READ(p, __state);
	t.exit_state = BPF_CORE_READ(p, exit_state);
	bpf_seq_write(ctx->meta->seq, &t, sizeof(t));
	return 0;
}

/* The numbers of a task in all namespaces but the initial one. */
SEC("iter/task") int each_number(struct bpf_iter__task *ctx)
{
	struct lt_bpf_task_number n = {};
	struct task_struct *p = ctx->task;
	struct pid_namespace *ns;
	struct pid *pid;
	u32 levels;

	if (!p)
		return 0;
	pid = BPF_CORE_READ(p, thread_pid);
	levels = pid ? BPF_CORE_READ(pid, level) : 0;
	if (!levels)
		return 0;
	read_id(&n.id, p);
	NO_UNROLL
	for (u32 level = 1; level <= MAX_LEVEL; level++) {
		if (level > levels)
			break;
		n.level = level;
		n.nr = number_at(pid, level, &ns);
		n.ns = BPF_CORE_READ(ns, ns.inum);
		n.parent_ns = BPF_CORE_READ(ns, parent, ns.inum);
		bpf_seq_write(ctx->meta->seq, &n, sizeof(n));
	}
	return 0;
}

AI void read_cache(struct lt_bpf_asked_cache *c, struct kmem_cache *s)
{
	c->addr = (u64)s;
	c->object_size = BPF_CORE_READ(s, object_size);
	c->size = BPF_CORE_READ(s, size);
	bpf_probe_read_kernel_str(c->name, sizeof(c->name), BPF_CORE_READ(s, name));
}

SEC("iter/kmem_cache") int each_cache(struct bpf_iter__kmem_cache *ctx)
{
	struct lt_bpf_asked_cache c = {};
	struct kmem_cache *s = ctx->s;

	/* The compiler must not read it twice: what was compared is not NULL. */
	asm volatile("" : "+r"(s));
	if (!s)
		return 0;
	read_cache(&c, s);
	bpf_seq_write(ctx->meta->seq, &c, sizeof(c));
	return 0;
}

/* The caller gives the address, and gets the rest. */
SEC("syscall") int one_cache(struct lt_bpf_asked_cache *ctx)
{
	struct lt_bpf_asked_cache c = {};

	read_cache(&c, (struct kmem_cache *)ctx->addr);
	ctx->object_size = c.object_size;
	ctx->size = c.size;
	__builtin_memcpy(ctx->name, c.name, sizeof(c.name));
	return 0;
}

SEC("fentry/kfree") int no_function(u64 *ctx)
{
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The channel pid: births, changes and deaths of tasks. These are rare, so what they record is read
 * without care for time.
 */
#include "shared.h"

#define RING_SLACK	4608	/* LT_RAW_MAX, and some */
#define FUNCTION_EVENTS	(1 << LT_BPF_CRED | 1 << LT_BPF_GIVEN | 1 << LT_BPF_FREED)

#include "prog/ring.h"
#include "prog/task.h"

/* A record of an event; NULL: another copy has it, or there is no room. */
AI void *begin(struct run *r, u32 event, u64 key, u32 copy, u32 size, u64 *time)
{
	u64 pos;

	if (!run_begin(r) || !mine(r, event, key, copy))
		return 0;
	return reserve(r, size, false, event, &r->s->full[event], &pos, time);
}

/* ------------------------------------------------------------------------
 * Births
 */

struct numbers {
	struct task_struct *p;
	struct pid *pid;
	u32 copy;
};

/*
 * The verifier looks at a function that bpf_loop() calls once, and at a loop for each of its
 * rounds.
 */
static long write_number(u32 i, void *arg)
{
	struct numbers *w = arg;
	struct task_struct *p = w->p;
	struct pid *pid = w->pid;
	struct pid_namespace *ns;
	struct lt_raw_number *n;
	u32 level = i + 1, nr;
	u64 pos, time;
	struct run r;

	/* Of the caller's, the verifier does not know what the pointers are. */
	if (!run_begin(&r))
		return 1;
	nr = number_at(pid, level, &ns);
	add(&r.s->failed[LT_BPF_BIRTH], 1);
	add(&r.s->more[LT_BPF_BIRTH], 1);
	n = reserve(&r, sizeof(*n), false, LT_BPF_BIRTH, &r.s->failed_full[LT_BPF_BIRTH], &pos,
		    &time);
	if (!n)
		return 0;
	n->time = time;
	read_id(&n->task, p);
	n->ns = BPF_CORE_READ(ns, ns.inum);
	n->parent_ns = BPF_CORE_READ(ns, parent, ns.inum);
	n->cursor = BPF_CORE_READ(ns, idr.idr_next);
	commit(&r, n, LT_RAW_NUMBER, w->copy, level, nr);
	return 0;
}

/* In each namespace but the initial one. Counted as records of a second class. */
AI void write_numbers(struct task_struct *p, u32 copy)
{
	struct pid *pid = BPF_CORE_READ(p, thread_pid);
	struct numbers w = { .p = p, .pid = pid, .copy = copy };
	u32 levels = pid ? BPF_CORE_READ(pid, level) : 0;

	if (levels && levels <= MAX_LEVEL)
		bpf_loop(levels, write_number, &w, 0);
}

/* task_newtask(task, clone_flags). The idle task of a CPU that comes up has no number. */
AI void on_birth(u64 *ctx, u32 copy)
{
	struct task_struct *p = (struct task_struct *)ctx[0];
	struct pid_namespace *ns;
	struct lt_raw_birth *b;
	u32 level, nr;
	u64 pos, time;
	struct run r;

	if (!BPF_CORE_READ(p, pid) || !run_begin(&r) || !mine(&r, LT_BPF_BIRTH, (u64)p, copy))
		return;
	write_numbers(p, copy);
	b = reserve(&r, sizeof(*b), false, LT_BPF_BIRTH, &r.s->full[LT_BPF_BIRTH], &pos, &time);
	if (!b)
		return;
	nr = own_number(p, &level, &ns);
	b->time = time;
	read_id(&b->task, p);
	read_id(&b->creator, r.cur);
	read_attr(&b->attr, p);
	b->clone_flags = ctx[1];
	b->ns = BPF_CORE_READ(ns, ns.inum);
	number_at(BPF_CORE_READ(p, thread_pid), 0, &ns);
	b->cursor = BPF_CORE_READ(ns, idr.idr_next);
	commit(&r, b, LT_RAW_BIRTH, copy, level, nr);
}

COPIES("raw_tp/task_newtask", birth, on_birth)

/* ------------------------------------------------------------------------
 * Numbers, of tasks or of forks that may still fail. One that is lost counts as a generation that
 * is: see events.c.
 */

struct given {
	struct pid *pid;
	u32 kind;
	u32 copy;
};

static long write_given(u32 level, void *arg)
{
	struct given *w = arg;
	struct pid_namespace *ns;
	struct lt_raw_given *g;
	u64 pos, time;
	struct run r;
	u32 nr;

	if (!run_begin(&r))
		return 1;
	nr = number_at(w->pid, level, &ns);
	g = reserve(&r, sizeof(*g), false, LT_BPF_GIVEN, &r.s->full[LT_BPF_GIVEN], &pos, &time);
	if (!g)
		return 0;
	g->time = time;
	g->ns = BPF_CORE_READ(ns, ns.inum);
	g->parent_ns = BPF_CORE_READ(ns, parent, ns.inum);
	g->cursor = BPF_CORE_READ(ns, idr.idr_next);
	g->zero = 0;
	g->boot = bpf_ktime_get_boot_ns();
	commit(&r, g, w->kind, w->copy, level, nr);
	return 0;
}

AI void on_numbers(u64 pid, u32 kind, u32 event, u32 copy)
{
	struct pid *p = (struct pid *)pid;
	struct given w = { .pid = p, .kind = kind, .copy = copy };
	struct run r;
	u32 level;

	if (!run_begin(&r) || !mine(&r, event, pid, copy))
		return;
	level = BPF_CORE_READ(p, level);
	if (level <= MAX_LEVEL)
		bpf_loop(level + 1, write_given, &w, 0);
}

/* alloc_pid(ns, set_tid, n): a struct pid, or an error */
AI void on_given(u64 *ctx, u32 copy)
{
	u64 pid = 0;

	bpf_get_func_ret(ctx, &pid);
	if (pid && pid < (u64)-4095)
		on_numbers(pid, LT_RAW_GIVEN, LT_BPF_GIVEN, copy);
}

/* free_pid(pid) */
AI void on_freed(u64 *ctx, u32 copy)
{
	u64 pid = 0;

	bpf_get_func_arg(ctx, 0, &pid);
	if (pid)
		on_numbers(pid, LT_RAW_FREED, LT_BPF_FREED, copy);
}

COPIES("fexit", given, on_given)
COPIES("fentry", freed, on_freed)

/* ------------------------------------------------------------------------
 * exec
 */

#define NAME		256
#define MAX_NAMES	64

struct text {
	char bytes[LT_RAW_EXEC_TEXT + NAME];
};

/* For each CPU and copy: a program does not interrupt itself. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct text);
} texts SEC(".maps");

AI u32 add_name(struct text *t, u32 len, const void *name)
{
	long n;

	len &= LT_RAW_EXEC_TEXT - 1;
	n = bpf_probe_read_kernel_str(t->bytes + len, NAME, name);
	return n > 0 ? len + n : len;
}

struct walk {
	struct mount *mnt;
	struct dentry *d;
	u32 at;		/* of the text */
	u32 len;
	u32 flags;
};

static long step(u32 i, void *arg)
{
	struct walk *w = arg;
	struct dentry *d = w->d, *parent = BPF_CORE_READ(d, d_parent);
	struct mount *mnt = w->mnt, *up;
	struct text *t;

	if (d == BPF_CORE_READ(mnt, mnt.mnt_root) || d == parent) {
		up = BPF_CORE_READ(mnt, mnt_parent);
		if (up == mnt || !up) {
			w->flags = 0;
			return 1;
		}
		w->d = BPF_CORE_READ(mnt, mnt_mountpoint);
		w->mnt = up;
		return 0;
	}
	t = bpf_map_lookup_elem(&texts, &w->at);
	if (!t || w->len >= LT_RAW_EXEC_TEXT - NAME)
		return 1;
	w->len = add_name(t, w->len, BPF_CORE_READ(d, d_name.name));
	w->d = parent;
	return 0;
}

/*
 * The path of a file as the kernel's d_path() makes it for a task whose root is that of the
 * machine: to the root of its mount, then on from where that is mounted. Without its locks: a
 * directory that is renamed at this moment may be named by its old or new name.
 */
AI u32 read_path(u32 at, struct file *file, u32 *flags)
{
	struct vfsmount *vfs = BPF_CORE_READ(file, f_path.mnt);
	struct walk w = {
		.mnt = (void *)((u64)vfs - bpf_core_field_offset(struct mount, mnt)),
		.d = BPF_CORE_READ(file, f_path.dentry), .at = at, .flags = LT_RAW_EXEC_CUT,
	};

	bpf_loop(MAX_NAMES, step, &w, 0);
	*flags = w.flags;
	return w.len;
}

/* sched_process_exec(task, old_pid, binprm), for the running task */
AI void on_exec(u64 *ctx, u32 copy)
{
	struct linux_binprm *bprm = (struct linux_binprm *)ctx[2];
	u32 at, len, size, flags = 0;
	struct lt_raw_exec *e;
	u64 pos, time;
	struct text *t;
	struct run r;

	if (!run_begin(&r) || !mine(&r, LT_BPF_EXEC, task_key(&r), copy))
		return;
	at = this_cpu() * LT_BPF_COPIES + copy;
	t = bpf_map_lookup_elem(&texts, &at);
	if (!t)
		return;
	len = read_path(at, BPF_CORE_READ(bprm, file), &flags);
	if (!len) {
		flags = LT_RAW_EXEC_GIVEN;
		len = add_name(t, 0, BPF_CORE_READ(bprm, filename));
	}
	asm volatile("" : "+r"(len));
	if (len > LT_RAW_EXEC_TEXT)
		return;
	size = sizeof(*e) + ((len + 7) & ~7U);
	e = reserve(&r, size, false, LT_BPF_EXEC, &r.s->full[LT_BPF_EXEC], &pos, &time);
	if (!e)
		return;
	e->time = time;
	read_id(&e->task, r.cur);
	e->old_tid = (u32)ctx[1];
	e->length = len;
	e->old_start = e->old_tid == e->task.tid ? e->task.start : 0;
	bpf_probe_read_kernel(e->text, len, t->bytes);
	commit(&r, e, LT_RAW_EXEC, copy, size, flags);
}

COPIES("raw_tp/sched_process_exec", exec, on_exec)

/* ------------------------------------------------------------------------
 * Changes
 */

/* task_rename(task, comm), before the change */
AI void on_rename(u64 *ctx, u32 copy)
{
	struct task_struct *p = (struct task_struct *)ctx[0];
	struct lt_raw_rename *n;
	struct run r;
	u64 time;

	n = begin(&r, LT_BPF_RENAME, (u64)p, copy, sizeof(*n), &time);
	if (!n)
		return;
	n->time = time;
	read_id(&n->task, p);
	bpf_core_read(n->old, sizeof(n->old), &p->comm);
	bpf_probe_read_kernel_str(n->comm, sizeof(n->comm), (void *)ctx[1]);
	commit(&r, n, LT_RAW_RENAME, copy, 0, 0);
}

/* oom_score_adj_update(task), after the change */
AI void on_oom(u64 *ctx, u32 copy)
{
	struct task_struct *p = (struct task_struct *)ctx[0];
	struct lt_raw_oom *o;
	struct run r;
	u64 time;

	o = begin(&r, LT_BPF_OOM, (u64)p, copy, sizeof(*o), &time);
	if (!o)
		return;
	o->time = time;
	o->task.tid = BPF_CORE_READ(p, tgid);
	o->task.tgid = o->task.tid;
	o->task.start = BPF_CORE_READ(p, group_leader, start_boottime);
	read_id(&o->by, r.cur);
	commit(&r, o, LT_RAW_OOM, copy, BPF_CORE_READ(p, signal, oom_score_adj), 0);
}

/* cgroup_attach_task(cgroup, path, task, threadgroup) */
AI void on_cgroup(u64 *ctx, u32 copy)
{
	struct cgroup *to = (struct cgroup *)ctx[0];
	struct task_struct *p = (struct task_struct *)ctx[2];
	struct lt_raw_cgroup *c;
	struct run r;
	u64 time;

	c = begin(&r, LT_BPF_CGROUP, (u64)p, copy, sizeof(*c), &time);
	if (!c)
		return;
	c->time = time;
	read_id(&c->task, p);
	c->cgroup = BPF_CORE_READ(to, kn, id);
	commit(&r, c, LT_RAW_CGROUP, copy, ctx[3] & 1, BPF_CORE_READ(to, root, hierarchy_id));
}

AI void read_cred(u32 *to, const struct cred *c)
{
	to[0] = BPF_CORE_READ(c, uid.val);
	to[1] = BPF_CORE_READ(c, euid.val);
	to[2] = BPF_CORE_READ(c, gid.val);
	to[3] = BPF_CORE_READ(c, egid.val);
}

/* commit_creds(new), for the running task; a call that changes none of the four is left out */
AI void on_cred(u64 *ctx, u32 copy)
{
	struct lt_raw_cred *c;
	u32 old[4], now[4];
	u64 pos, time;
	struct run r;

	if (!run_begin(&r) || !mine(&r, LT_BPF_CRED, task_key(&r), copy))
		return;
	read_cred(old, r.cur->real_cred);
	read_cred(now, (const struct cred *)ctx[0]);
	if (old[0] == now[0] && old[1] == now[1] && old[2] == now[2] && old[3] == now[3]) {
		r.s->runs[copy][LT_BPF_CRED]--;
		return;
	}
	c = reserve(&r, sizeof(*c), false, LT_BPF_CRED, &r.s->full[LT_BPF_CRED], &pos, &time);
	if (!c)
		return;
	c->time = time;
	read_id(&c->task, r.cur);
	__builtin_memcpy(c->old, old, sizeof(old));
	__builtin_memcpy(c->now, now, sizeof(now));
	commit(&r, c, LT_RAW_CRED, copy, 0, 0);
}

COPIES("raw_tp/task_rename", rename, on_rename)
COPIES("raw_tp/oom_score_adj_update", oom, on_oom)
COPIES("raw_tp/cgroup_attach_task", cgroup, on_cgroup)
COPIES("fentry", cred, on_cred)

/* ------------------------------------------------------------------------
 * Deaths
 */

AI void read_usage(struct lt_raw_exit *e, struct task_struct *p)
{
	e->utime = BPF_CORE_READ(p, utime);
	e->stime = BPF_CORE_READ(p, stime);
	e->runtime = BPF_CORE_READ(p, se.sum_exec_runtime);
	e->maxrss = BPF_CORE_READ(p, signal, maxrss);
	e->min_flt = BPF_CORE_READ(p, min_flt);
	e->maj_flt = BPF_CORE_READ(p, maj_flt);
	e->nvcsw = BPF_CORE_READ(p, nvcsw);
	e->nivcsw = BPF_CORE_READ(p, nivcsw);
	if (bpf_core_field_exists(p->ioac.rchar)) {
		e->rchar = BPF_CORE_READ(p, ioac.rchar);
		e->wchar = BPF_CORE_READ(p, ioac.wchar);
	}
	if (bpf_core_field_exists(p->ioac.read_bytes)) {
		e->read_bytes = BPF_CORE_READ(p, ioac.read_bytes);
		e->write_bytes = BPF_CORE_READ(p, ioac.write_bytes);
	}
}

/* sched_process_exit(task), since 6.16 (task, group_dead); the task is the running one */
AI void on_exit(u64 *ctx, u32 copy)
{
	struct lt_raw_exit *e;
	struct run r;
	u64 time;

	e = begin(&r, LT_BPF_EXIT, ctx[0], copy, sizeof(*e), &time);
	if (!e)
		return;
	e->time = time;
	read_id(&e->task, r.cur);
	read_attr(&e->attr, r.cur);
	read_usage(e, r.cur);
	e->boot = bpf_ktime_get_boot_ns();
	commit(&r, e, LT_RAW_EXIT, copy, is_group_dead(ctx, r.cur, config.exit_says_dead),
	       r.cur->exit_code);
}

/* sched_process_free(task), from RCU: the running task is another one */
AI void on_release(u64 *ctx, u32 copy)
{
	struct task_struct *p = (struct task_struct *)ctx[0];
	struct lt_raw_release *e;
	struct run r;
	u64 time;

	e = begin(&r, LT_BPF_RELEASE, (u64)p, copy, sizeof(*e), &time);
	if (!e)
		return;
	e->time = time;
	read_id(&e->task, p);
	e->utime = BPF_CORE_READ(p, utime);
	e->stime = BPF_CORE_READ(p, stime);
	e->runtime = BPF_CORE_READ(p, se.sum_exec_runtime);
	commit(&r, e, LT_RAW_RELEASE, copy, 0, 0);
}

COPIES("raw_tp/sched_process_exit", exit, on_exit)
COPIES("raw_tp/sched_process_free", release, on_release)

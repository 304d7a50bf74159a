// SPDX-License-Identifier: GPL-2.0
/*
 * The channel syscall: a record for each call, when it returns. When it began is kept with its task
 * meanwhile; its arguments still stand in the caller's registers then, but for exec.
 *
 * Copies need no notes but the task's own: see struct call.
 */
#include "prog/quick.h"

enum call_state {
	CALL_NONE,
	CALL_OPEN,	/* it began */
	CALL_DONE,	/* a copy has written its end, and the others have not yet run */
};

/*
 * The last call of a task; only programs that this task runs in change it.
 * @known: if the next call has no begin, it is not for having begun before all programs were
 *	attached
 */
struct call {
	u64 begin;
	s32 nr;
	u16 state;
	u16 known;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct call);
} calls SEC(".maps");

struct pt_regs;

struct pt_regs___x86 {
	unsigned long di, si, dx, r10, r8, r9, bx, cx, bp, orig_ax;
} __ksym_struct;

struct pt_regs___arm64 {
	u64 regs[31];
	u64 orig_x0;
	s32 syscallno;
} __ksym_struct;

#define TS_COMPAT	2
#define TIF_32BIT	22

#define IS_X86		bpf_core_field_exists(((struct pt_regs___x86 *)0)->orig_ax)

/* Of the ABI of 32 bits? */
AI bool is_compat(const struct task_struct *t)
{
	if (IS_X86)
		return t->thread_info.status & TS_COMPAT;
	return t->thread_info.flags >> TIF_32BIT & 1;
}

AI s32 number_of(struct pt_regs *regs)
{
	if (IS_X86)
		return ((struct pt_regs___x86 *)regs)->orig_ax;
	return ((struct pt_regs___arm64 *)regs)->syscallno;
}

AI void read_args(__u64 *args, struct pt_regs *regs, bool compat)
{
	struct pt_regs___x86 *x = (void *)regs;
	struct pt_regs___arm64 *a = (void *)regs;

	if (IS_X86 && compat) {
		args[0] = (u32)x->bx;
		args[1] = (u32)x->cx;
		args[2] = (u32)x->dx;
		args[3] = (u32)x->si;
		args[4] = (u32)x->di;
		args[5] = (u32)x->bp;
	} else if (IS_X86) {
		args[0] = x->di;
		args[1] = x->si;
		args[2] = x->dx;
		args[3] = x->r10;
		args[4] = x->r8;
		args[5] = x->r9;
	} else {
		args[0] = a->orig_x0;
		args[1] = a->regs[1];
		args[2] = a->regs[2];
		args[3] = a->regs[3];
		args[4] = a->regs[4];
		args[5] = a->regs[5];
	}
}

/* execve and execveat replace the registers. */
AI bool is_exec(s32 nr, bool compat)
{
	if (IS_X86)
		return compat ? nr == 11 || nr == 358 : nr == 59 || nr == 322;
	return compat ? nr == 11 || nr == 387 : nr == 221 || nr == 281;
}

/* ------------------------------------------------------------------------
 * Which calls are kept; see module/syscall/filter.c
 */

AI bool is_chosen(s32 nr, bool compat)
{
	u32 n = nr;

	if (!config.by_number)
		return true;
	if (n >= LT_BPF_CALLS)
		return false;
	/* The verifier knows no more than what it sees here. */
	asm volatile("" : "+r"(n));
	n &= LT_BPF_CALLS - 1;
	return (compat ? config.chosen[1][n >> 6] : config.chosen[0][n >> 6]) >> (n & 63) & 1;
}

/* A result that a program gets, and that is an error: none by which the kernel restarts a call. */
AI bool is_error(s64 result)
{
	return result < 0 && result >= -4095 && result != -512 && result != -513 &&
	       result != -514 && result != -516;
}

/* @flags: enum lt_sys_flag. How long a call took that began before is not known: it is kept. */
AI bool is_kept(s32 nr, bool compat, s64 result, u64 duration, u32 flags)
{
	return is_chosen(nr, compat) && (!config.errors || is_error(result)) &&
	       (duration >= config.call_min || flags & (1 | 8));
}

/* Of a call that does not return. */
AI bool is_open_kept(s32 nr, bool compat, u64 begin, u64 now)
{
	return is_chosen(nr, compat) && !config.errors &&
	       (!config.call_min || !begin || now - begin >= config.call_min);
}

/* ------------------------------------------------------------------------
 * Calls that return
 */

AI void write_begin(struct run *r, struct pt_regs *regs, s32 nr, bool compat, u32 copy)
{
	struct lt_raw_sys *s;
	u64 pos, time;

	add(&r->s->failed[LT_BPF_SYS_ENTER], 1);
	s = reserve(r, sizeof(*s), true, LT_BPF_SYS_ENTER, &r->s->failed_full[LT_BPF_SYS_ENTER],
		    &pos, &time);
	if (!s)
		return;
	s->time = time;
	s->duration = 0;
	s->result = 0;
	read_args(s->args, regs, compat);
	commit(r, s, LT_RAW_SYS_BEGIN, copy, compat ? 16 : 0, nr);
}

/* sys_enter(regs, id) */
AI void on_enter(u64 *ctx, u32 copy)
{
	struct pt_regs *regs = (struct pt_regs *)ctx[0];
	s32 nr = (s32)ctx[1];
	struct call *c;
	struct run r;
	bool compat;

	if (!run_begin_task(&r))
		return;
	c = bpf_task_storage_get(&calls, r.cur, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!c) {
		if (!copy)
			r.s->passed[LT_BPF_SYS_ENTER]++;
		return;
	}
	if (copy && c->state == CALL_OPEN)
		return;
	r.s->runs[copy][LT_BPF_SYS_ENTER]++;
	c->state = CALL_OPEN;
	c->known = 1;
	c->nr = nr;
	compat = is_compat(r.cur);
	if (is_exec(nr, compat) && is_chosen(nr, compat))
		write_begin(&r, regs, nr, compat, copy);
	c->begin = bpf_ktime_get_ns();
}

/*
 * A thread that is traced or filtered may have an end without a begin: of a call that seccomp
 * refused, or that its tracer skipped.
 */
AI bool may_skip(const struct task_struct *t)
{
	if (t->ptrace)
		return true;
	return bpf_core_field_exists(t->seccomp.mode) && t->seccomp.mode;
}

/*
 * Why is it not known when a call began? enum lt_sys_flag; of several flags one holds, and it is
 * not known which. @since: when all programs were attached, as start of tasks; 0: they are not yet.
 */
AI u32 no_begin(const struct run *r, bool known, u64 since, s64 result)
{
	u32 skipped = may_skip(r->cur) ? 4 : 0;

	/* Else the kernel has skipped this program. */
	if (known)
		return skipped | 8;
	if (!since || r->cur->start_boottime < since)
		return skipped | 1;
	return result ? skipped | 8 : 2;
}

static __noinline void *any_exit_record(struct run *r, u64 *time)
{
	u64 pos;

	return reserve(r, sizeof(struct lt_raw_sys), true, LT_BPF_SYS_EXIT,
		       &r->s->full[LT_BPF_SYS_EXIT], &pos, time);
}

AI struct lt_raw_sys *exit_record(struct run *r, u64 *time)
{
	struct quick q = { .s = r->s };

	if (UNLIKELY(!quick_reserve(&q, sizeof(struct lt_raw_sys))))
		return any_exit_record(r, time);
	*time = q.time;
	return ring_at(q.s, q.pos);
}

/* sys_exit(regs, result) */
AI void on_exit(u64 *ctx, u32 copy)
{
	struct pt_regs *regs = (struct pt_regs *)ctx[0];
	bool last = copy == config.copies - 1, known, begun, compat;
	struct lt_raw_sys *s;
	u64 time, begin, since;
	struct call *c;
	struct run r;
	u32 flags;
	s32 nr;

	if (!run_begin_task(&r))
		return;
	c = bpf_task_storage_get(&calls, r.cur, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!c) {
		if (!copy)
			r.s->passed[LT_BPF_SYS_EXIT]++;
		return;
	}
	if (copy && c->state == CALL_DONE) {
		if (last)
			c->state = CALL_NONE;
		return;
	}
	begun = c->state == CALL_OPEN;
	known = c->known;
	since = once(&r.s->watched);
	/* It began when begins were not seen any more. */
	if (!begun && since == LT_BPF_DETACHING)
		return;
	/* A call that begins after this end does so with all programs attached. */
	if (since)
		c->known = 1;
	begin = c->begin;
	nr = begun ? c->nr : number_of(regs);
	c->state = last ? CALL_NONE : CALL_DONE;
	r.s->runs[copy][LT_BPF_SYS_EXIT]++;
	compat = is_compat(r.cur);
	flags = (begun ? 0 : no_begin(&r, known, since, (s64)ctx[1])) | (compat ? 16 : 0) |
		(begun && is_exec(nr, compat) ? 32 : 0);
	if ((config.by_number || config.errors || config.call_min) &&
	    !is_kept(nr, compat, (s64)ctx[1], begun ? bpf_ktime_get_ns() - begin : 0, flags)) {
		add(&r.s->filtered[LT_BPF_SYS_EXIT], 1);
		return;
	}
	after_call(nr);
	s = exit_record(&r, &time);
	if (!s)
		return;
	s->time = time;
	s->duration = begun ? time - begin : 0;
	s->result = (__s64)ctx[1];
	read_args(s->args, regs, compat);
	commit(&r, s, LT_RAW_SYS, copy, flags, nr);
}

COPIES("tp_btf/sys_exit", sys_exit, on_exit)
COPIES("tp_btf/sys_enter", sys_enter, on_enter)

/* ------------------------------------------------------------------------
 * Calls that do not return
 */

AI void fill_open(struct lt_raw_sys_open *o, struct task_struct *p, const struct call *c)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(p);

	o->task.tid = p->pid;
	o->task.tgid = p->tgid;
	o->task.start = p->start_boottime;
	o->begin = c->begin;
	if (regs)
		read_args(o->args, regs, is_compat(p));
}

/* sched_process_exit(task, ...), for the running task */
AI void on_died(u64 *ctx, u32 copy)
{
	struct lt_raw_sys_open *o;
	u64 pos, time;
	struct call *c;
	struct run r;

	if (!run_begin_task(&r))
		return;
	c = bpf_task_storage_get(&calls, r.cur, 0, 0);
	if (!c || c->state != CALL_OPEN || !mine(&r, LT_BPF_SYS_DIED, task_key(&r), copy))
		return;
	if (!is_open_kept(c->nr, is_compat(r.cur), c->begin, bpf_ktime_get_ns())) {
		add(&r.s->filtered[LT_BPF_SYS_DIED], 1);
		return;
	}
	o = reserve(&r, sizeof(*o), true, LT_BPF_SYS_DIED, &r.s->full[LT_BPF_SYS_DIED], &pos,
		    &time);
	if (!o)
		return;
	o->time = time;
	fill_open(o, r.cur, c);
	commit(&r, o, LT_RAW_SYS_OPEN, copy, (is_compat(r.cur) ? 16 : 0) | 1 << 8, c->nr);
	if (copy == config.copies - 1)
		c->state = CALL_NONE;
}

COPIES("raw_tp/sched_process_exit", sys_died, on_died)

struct bpf_iter_meta {
	struct seq_file *seq;
} __ksym_struct;

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} __ksym_struct;

/* The calls that are open now. */
SEC("iter/task") int sys_open(struct bpf_iter__task *ctx)
{
	struct lt_raw_sys_open o = { .kind = LT_RAW_SYS_OPEN, .why = 2 };
	struct task_struct *p = ctx->task;
	struct call *c;

	asm volatile("" : "+r"(p));
	if (!p)
		return 0;
	c = bpf_task_storage_get(&calls, p, 0, 0);
	if (!c || c->state != CALL_OPEN ||
	    !is_open_kept(c->nr, is_compat(p), c->begin, bpf_ktime_get_ns()))
		return 0;
	fill_open(&o, p, c);
	o.flags = is_compat(p) ? 16 : 0;
	o.nr = c->nr;
	bpf_seq_write(ctx->meta->seq, &o, sizeof(o));
	return 0;
}

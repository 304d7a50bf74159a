// SPDX-License-Identifier: GPL-2.0
/*
 * System calls that do not return: their thread ended inside, or the session did.
 */
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include <asm/syscall.h>

#include "syscall/compat.h"
#include "syscall/internal.h"

#define N_LEAVES	DIV_ROUND_UP((size_t)PID_MAX_LIMIT, LT_LEAF_SLOTS)
#define MAX_ARGS	6

/**
 * struct open_call - a call that did not return
 * @tid, @tgid, @start: its thread; 0: not known
 * @nr: its number
 * @flags: enum lt_sys_flag
 * @begin: clock units; 0: before tracing
 * @args: registers
 */
struct open_call {
	u32 tid;
	u32 tgid;
	u64 start;
	s32 nr;
	unsigned int flags;
	u64 begin;
	unsigned long args[MAX_ARGS];
};

static void write_open(const struct open_call *call, enum lt_sys_why why)
{
	struct lt_rec_SYS_OPEN *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	c = lt_enter(&lt_channel_syscall, LT_CLASS_SYS_OPEN, &flags);
	if (!c)
		return;
	rec = lt_reserve(&lt_channel_syscall, c, LT_CLASS_SYS_OPEN, LT_EV_SYS_OPEN, sizeof(*rec));
	if (rec) {
		rec->tid = call->tid;
		rec->tgid = call->tgid;
		rec->start = call->start;
		rec->nr = call->nr;
		rec->flags = call->flags;
		rec->why = why;
		rec->begin = call->begin;
		rec->arg0 = call->args[0];
		rec->arg1 = call->args[1];
		rec->arg2 = call->args[2];
		rec->arg3 = call->args[3];
		rec->arg4 = call->args[4];
		rec->arg5 = call->args[5];
	}
	lt_leave(c, LT_CLASS_SYS_OPEN, flags);
}

/*
 * The registers with which another thread entered the kernel. Its stack may be freed at any
 * moment, and given to another thread: what was copied is that thread's if it had not begun to
 * exit afterwards. Return: false: it has.
 */
static bool copy_regs(struct task_struct *task, struct pt_regs *regs)
{
	if (!READ_ONCE(task->stack) ||
	    copy_from_kernel_nofault(regs, task_pt_regs(task), sizeof(*regs)))
		return false;
	smp_rmb();	/* the copy comes before the look at the flags */
	return !(READ_ONCE(task->flags) & PF_EXITING);
}

/* What the slot says of a call. */
static void take_slot(struct open_call *call, const struct lt_slot *s)
{
	call->nr = s->nr;
	call->begin = s->begin;
	call->flags = s->state & LT_SLOT_COMPAT ? LT_SYS_COMPAT : 0;
	/* A number that does not fit is known by the registers alone. */
	if (s->state & LT_SLOT_WIDE)
		call->nr = -1;
}

static void take_regs(struct open_call *call, const struct lt_slot *s, struct task_struct *task,
		      struct pt_regs *regs)
{
	int nr = (s32)syscall_get_nr(task, regs);

	if (s->state & LT_SLOT_WIDE)
		call->nr = nr;
	else if ((u16)nr != s->nr)
		goto unknown;
	syscall_get_arguments(task, regs, call->args);
	return;

unknown:
	call->flags |= LT_SYS_NO_ARGS;
}

static void take_task(struct open_call *call, const struct task_struct *task)
{
	call->tid = task->pid;
	call->tgid = task->tgid;
	call->start = task->start_boottime;
}

/**
 * lt_call_write_open() - write that the open call of the running thread does not return
 * @s: its slot
 * @task: the running thread
 * @why: not LT_SYS_AT_END
 *
 * Context: process; the thread is inside of the call, or, with LT_SYS_OVERTAKEN, in another.
 */
void lt_call_write_open(struct lt_slot *s, struct task_struct *task, enum lt_sys_why why)
{
	struct open_call call = { 0 };

	take_task(&call, task);
	take_slot(&call, s);
	if (why == LT_SYS_OVERTAKEN)
		call.flags |= LT_SYS_NO_ARGS;
	else
		take_regs(&call, s, task, task_pt_regs(task));
	write_open(&call, why);
	s->state &= ~LT_SLOT_OPEN;
}

/*
 * A thread that sleeps in a call since before the session: it had no event, and the registers
 * with which it entered the kernel are those of a call. Exceptions leave no number there.
 */
static void write_sleeper(struct task_struct *task, struct pt_regs *regs)
{
	struct open_call call = { .flags = LT_SYS_BEFORE };

	call.nr = (s32)syscall_get_nr(task, regs);
	if (call.nr < 0 || task_is_running(task))
		return;
	take_task(&call, task);
	syscall_get_arguments(task, regs, call.args);
	this_cpu_inc(lt_call_counts.unentered);
	write_open(&call, LT_SYS_AT_END);
}

/* Context: under the session's lock, RCU. */
static void write_of_thread(struct task_struct *task, u64 since)
{
	struct lt_slot *s = lt_slot_find(task->pid);
	/* Where it holds the state of the FPU, it is too large for the stack. */
	static struct pt_regs regs;
	struct open_call call = { 0 };
	bool known;

	if (s && !lt_slot_is_of(s, task))
		s = NULL;
	if (s && !(s->state & LT_SLOT_OPEN))
		return;
	if (!s && (task->start_boottime >= since || task->flags & (PF_KTHREAD | PF_IO_WORKER)))
		return;
	known = copy_regs(task, &regs);
	if (!s) {
		if (known)
			write_sleeper(task, &regs);
		return;
	}
	take_task(&call, task);
	take_slot(&call, s);
	if (known)
		take_regs(&call, s, task, &regs);
	else
		call.flags |= LT_SYS_NO_ARGS;
	write_open(&call, LT_SYS_AT_END);
	s->state = 0;
}

/* Slots of threads that ended after the probes were detached. */
static void write_of_leaf(u32 first, struct lt_slot *leaf)
{
	unsigned int i;

	for (i = 0; i < LT_LEAF_SLOTS; i++) {
		struct open_call call = { .tid = first + i };

		if (!(leaf[i].state & LT_SLOT_OPEN))
			continue;
		take_slot(&call, &leaf[i]);
		call.flags |= LT_SYS_NO_ARGS;
		write_open(&call, LT_SYS_AT_END);
	}
}

/**
 * lt_calls_write_open() - write the calls that are open at the end of the session
 * @since: when all calls began to be watched, ns since boot
 *
 * Calls of the last moment may have returned since: their ends are after the session's.
 *
 * Context: process, sleeps; the probes of the channel are gone, its packets still open.
 */
void lt_calls_write_open(u64 since)
{
	struct task_struct *group, *task;
	size_t i;

	rcu_read_lock();
	for_each_process_thread(group, task)
		write_of_thread(task, since);
	rcu_read_unlock();
	for (i = 0; i < N_LEAVES; i++) {
		if (lt_leaves[i])
			write_of_leaf(i * LT_LEAF_SLOTS, lt_leaves[i]);
		cond_resched();
	}
}

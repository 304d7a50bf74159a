// SPDX-License-Identifier: GPL-2.0
/*
 * System calls that do not return: their thread ended inside, or the session did.
 */
#include <linux/bsearch.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/seccomp.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>

#include <asm/syscall.h>

#include "core/threads.h"
#include "syscall/compat.h"
#include "syscall/internal.h"

#define N_LEAVES	DIV_ROUND_UP((size_t)PID_MAX_LIMIT, LT_LEAF_SLOTS)

/**
 * struct open_call - a call that did not return
 * @tid: of its thread; 0: not known
 * @tgid: the same
 * @start: when it was started; 0: not known
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
	unsigned long args[LT_SYSCALL_MAX_ARGS];
};

static void put_open(struct lt_rec_SYS_OPEN *rec, const struct open_call *call,
		     enum lt_sys_why why)
{
	rec->tid = call->tid;
	rec->tgid = call->tgid;
	rec->start = call->start;
	rec->nr = call->nr;
	rec->flags = call->flags;
	rec->why = why;
	rec->begin = call->begin;
	lt_put_registers(rec, call->args);
}

/* Return: false: no memory. */
static bool write_open_later(const struct open_call *call, enum lt_sys_why why)
{
	struct lt_rec_SYS_OPEN rec;

	put_open(&rec, call, why);
	return lt_write_later(&lt_channel_syscall, LT_CLASS_SYS_OPEN, LT_EV_SYS_OPEN, &rec,
			      sizeof(rec));
}

/* Those of the end of the session wait for room; others are events, and may be lost. */
static void write_open(const struct open_call *call, enum lt_sys_why why)
{
	struct lt_rec_SYS_OPEN *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	if (!lt_syscall_open_is_chosen(call->nr, call->flags & LT_SYS_COMPAT, call->begin)) {
		lt_filtered(&lt_channel_syscall, LT_CLASS_SYS_OPEN);
		return;
	}
	if (why == LT_SYS_AT_END && write_open_later(call, why))
		return;
	c = lt_enter(&lt_channel_syscall, LT_CLASS_SYS_OPEN, &flags);
	if (!c)
		return;
	rec = lt_reserve(&lt_channel_syscall, c, LT_CLASS_SYS_OPEN, LT_EV_SYS_OPEN, sizeof(*rec));
	if (rec)
		put_open(rec, call, why);
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
	if (s->state & LT_SLOT_COMPAT)
		lt_syscall_cut(call->args);
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
 * lt_syscall_write_open() - write that the open call of the running thread does not return
 * @s: its slot
 * @task: the running thread
 * @why: not LT_SYS_AT_END
 *
 * Context: process; the thread is inside of the call, or, with LT_SYS_OVERTAKEN, in another.
 */
void lt_syscall_write_open(struct lt_slot *s, struct task_struct *task, enum lt_sys_why why)
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
 * Has seccomp ended the running thread, which exits? A filter that kills the thread, and strict
 * mode, call do_exit() with a signal's number. A thread that a signal kills has PF_SIGNALED, and a
 * call of exit leaves the signal's bits zero.
 */
static bool is_ended_by_seccomp(struct task_struct *task)
{
	unsigned int signal = task->exit_code & 0x7f;

	return seccomp_mode(&task->seccomp) != SECCOMP_MODE_DISABLED &&
	       (signal == SIGSYS || signal == SIGKILL) && !(task->flags & PF_SIGNALED);
}

/**
 * lt_syscall_write_denied() - write the call at whose begin seccomp has ended the running thread
 * @task: the running thread, which exits, without an open call
 *
 * Neither begin nor end of such a call is seen; its registers are those of the last entry.
 *
 * Context: process, the probe on exits, while calls are watched.
 */
void lt_syscall_write_denied(struct task_struct *task)
{
	struct open_call call = { .flags = LT_SYS_SKIPPED };
	struct pt_regs *regs = task_pt_regs(task);

	if (!is_ended_by_seccomp(task))
		return;
	take_task(&call, task);
	call.nr = (s32)syscall_get_nr(task, regs);
	syscall_get_arguments(task, regs, call.args);
	if (lt_syscall_is_compat(task)) {
		call.flags |= LT_SYS_COMPAT;
		lt_syscall_cut(call.args);
	}
	this_cpu_inc(lt_syscall_counts.unentered);
	write_open(&call, LT_SYS_DIED);
}

/* An open call of which the slot alone is left. Of the thread 0: not known. */
static void write_left(const struct lt_slot *s, u32 tid, u32 tgid, u64 start)
{
	struct open_call call = { .tid = tid, .tgid = tgid, .start = start };

	take_slot(&call, s);
	call.flags |= LT_SYS_NO_ARGS;
	write_open(&call, LT_SYS_AT_END);
}

/* ------------------------------------------------------------------------
 * The end of the session
 *
 * The registers of a thread are those of its open call only while the probe on the end of
 * calls is attached, which clears the slot before the thread can begin another call. So they
 * are noted while it is, and believed if the same call is open after all probes are gone.
 */

/**
 * struct note - what the registers of a thread with an open call said
 * @slot: of the thread
 * @begin: of the call
 * @nr: its number
 * @args: registers
 */
struct note {
	const struct lt_slot *slot;
	u64 begin;
	s32 nr;
	unsigned long args[LT_SYSCALL_MAX_ARGS];
};

/* Calls that begin while notes are taken. */
#define MORE_NOTES	64

/* Under the session's lock. */
static struct note *notes;
static size_t n_notes, max_notes;

/* Where it holds the state of the FPU, it is too large for the stack. Under the lock, too. */
static struct pt_regs regs_of_thread;

static void note(struct task_struct *task, const struct lt_slot *s)
{
	struct note *n = &notes[n_notes];

	if (n_notes == max_notes)
		return;
	n->slot = s;
	/* What was read of a call that ends meanwhile is not used. */
	n->begin = data_race(READ_ONCE(s->begin));
	if (!copy_regs(task, &regs_of_thread))
		return;
	n->nr = (s32)syscall_get_nr(task, &regs_of_thread);
	syscall_get_arguments(task, &regs_of_thread, n->args);
	n_notes++;
}

/*
 * A thread that sleeps in a call since before the session: it had no event, and the registers
 * with which it entered the kernel are those of a call. Exceptions leave no number there. A thread
 * of the kernel in a process has those of the call that made it.
 */
static void write_sleeper(struct task_struct *task)
{
	struct open_call call = { .flags = LT_SYS_BEFORE };

	if (!copy_regs(task, &regs_of_thread))
		return;
	call.nr = (s32)syscall_get_nr(task, &regs_of_thread);
	if (call.nr < 0)
		return;
	take_task(&call, task);
	syscall_get_arguments(task, &regs_of_thread, call.args);
	if (lt_syscall_is_compat(task)) {
		call.flags |= LT_SYS_COMPAT;
		lt_syscall_cut(call.args);
	}
	this_cpu_inc(lt_syscall_counts.unentered);
	write_open(&call, LT_SYS_AT_END);
}

/*
 * @since: of lt_syscalls_note_open()
 *
 * Context: under the session's lock, RCU; probes are attached.
 */
static void note_thread(struct task_struct *task, void *since)
{
	bool sleeps = !task_is_running(task);
	const struct lt_slot *s;

	/* What the thread stored to its slot before it slept is read. */
	smp_rmb();
	s = lt_slot_find(task->pid);
	/* A running thread may write to its slot meanwhile: see struct note. */
	if (s && data_race(lt_slot_is_of(s, task))) {
		/* So may it to this. */
		if (data_race(READ_ONCE(s->state)) & LT_SLOT_OPEN)
			note(task, s);
	} else if (sleeps && task->start_boottime < *(u64 *)since &&
		   !(task->flags & (PF_KTHREAD | PF_IO_WORKER)) && !lt_is_user_worker(task) &&
		   lt_syscall_is_inside(task) && !lt_exec_is_aside(task)) {
		write_sleeper(task);
	}
}

static size_t count_open(void)
{
	size_t i, n = 0;
	unsigned int k;

	for (i = 0; i < N_LEAVES; i++) {
		const struct lt_slot *leaf = READ_ONCE(lt_leaves[i]);

		for (k = 0; leaf && k < LT_LEAF_SLOTS; k++)
			/* About: its thread may write to it. */
			n += !!(data_race(READ_ONCE(leaf[k].state)) & LT_SLOT_OPEN);
		cond_resched();
	}
	return n;
}

static int by_slot(const void *a, const void *b)
{
	const struct lt_slot *x = ((const struct note *)a)->slot;
	const struct lt_slot *y = ((const struct note *)b)->slot;

	return x < y ? -1 : x > y;
}

/**
 * lt_syscalls_note_open() - write the calls that sleep since before the session, and note others
 * @since: when all calls began to be watched, ns since boot
 *
 * Context: process, sleeps; the probes are attached, but ends without a begin are ignored.
 */
void lt_syscalls_note_open(u64 since)
{
	n_notes = 0;
	max_notes = count_open() + MORE_NOTES;
	/* Without memory the calls are written without arguments. */
	notes = kvmalloc_array(max_notes, sizeof(*notes), GFP_KERNEL | __GFP_NOWARN);
	if (!notes)
		max_notes = 0;
	lt_each_thread(note_thread, &since);
	sort(notes, n_notes, sizeof(*notes), by_slot, NULL);
}

/* Context: as lt_syscalls_write_open(). */
static void write_of_thread(struct task_struct *task, void *unused)
{
	struct lt_slot *s = lt_slot_find(task->pid);
	struct open_call call = { 0 };
	const struct note key = { .slot = s }, *found;

	if (!s || !lt_slot_is_of(s, task) || !(s->state & LT_SLOT_OPEN))
		return;
	take_task(&call, task);
	take_slot(&call, s);
	found = n_notes ? bsearch(&key, notes, n_notes, sizeof(*notes), by_slot) : NULL;
	if (found && found->begin == s->begin &&
	    (s->state & LT_SLOT_WIDE || (u16)found->nr == s->nr)) {
		call.nr = found->nr;
		memcpy(call.args, found->args, sizeof(call.args));
		if (s->state & LT_SLOT_COMPAT)
			lt_syscall_cut(call.args);
	} else {
		call.flags |= LT_SYS_NO_ARGS;
	}
	write_open(&call, LT_SYS_AT_END);
	s->state = 0;
}

/**
 * lt_syscalls_write_open() - write the calls that are open at the end of the session
 *
 * Their records wait for room, see lt_write_later().
 *
 * Calls of the last moment may have returned since: their ends are after the session's.
 *
 * Context: process, sleeps; the probes of the channel are gone, its packets still open.
 */
void lt_syscalls_write_open(void)
{
	unsigned int k;
	size_t i;

	lt_each_thread(write_of_thread, NULL);
	lt_execs_each(write_left);
	/* Slots of threads that ended after the probes were detached. */
	for (i = 0; i < N_LEAVES; i++) {
		for (k = 0; lt_leaves[i] && k < LT_LEAF_SLOTS; k++)
			if (lt_leaves[i][k].state & LT_SLOT_OPEN)
				write_left(&lt_leaves[i][k], i * LT_LEAF_SLOTS + k, 0, 0);
		cond_resched();
	}
	kvfree(notes);
	notes = NULL;
	n_notes = 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Is a thread that does not run inside of a system call? The registers with which it entered the
 * kernel are those of its last call, also where that has returned and the thread was stopped or
 * frozen on its way back: signals are looked at after the end of the call has been shown.
 */
#include <linux/freezer.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <linux/thread_info.h>
#include <linux/uaccess.h>

#include "syscall/compat.h"
#include "syscall/internal.h"

/*
 * A thread that its tracer has stopped. What it says of the stop lies on its stack, which may go
 * at any moment: it is believed if the thread is in the same stop afterwards.
 */
static bool stopped_inside(struct task_struct *task)
{
	const kernel_siginfo_t *info = READ_ONCE(task->last_siginfo);
	unsigned long message;
	int signal, code;

	/* Stopped with all threads of its process, by a signal. */
	if (!info)
		return false;
	if (copy_from_kernel_nofault(&signal, &info->si_signo, sizeof(signal)) ||
	    copy_from_kernel_nofault(&code, &info->si_code, sizeof(code)))
		return false;
	message = READ_ONCE(task->ptrace_message);
	smp_rmb();	/* what was read comes before the look at the stop */
	if (READ_ONCE(task->last_siginfo) != info || !task_is_traced(task))
		return false;
	/* A signal that is about to be delivered. */
	if (signal != SIGTRAP || (code & 0x7f) != SIGTRAP)
		return false;
	switch (code >> 8) {
	case 0:
		return message == PTRACE_EVENTMSG_SYSCALL_ENTRY;
	case PTRACE_EVENT_STOP:
		return false;
	case PTRACE_EVENT_EXIT:
		/* In the call that ends it; or on its way back, killed by a signal. */
		return !(data_race(task->flags) & PF_SIGNALED);
	default:
		return true;
	}
}

/**
 * lt_syscall_is_inside() - is a thread that does not run inside of a call, if it has made one?
 * @task: the thread
 *
 * One that waits for work which the kernel does for it on its way back, as the last close of a
 * file, counts as inside of the call that made the work: nothing distinguishes the two. One that
 * was frozen inside of a call, and was sent a signal afterwards, counts as outside.
 *
 * Context: RCU.
 */
bool lt_syscall_is_inside(struct task_struct *task)
{
	if (task_is_traced(task))
		return stopped_inside(task);
	if (task_is_stopped(task))
		return false;
	/*
	 * Some calls are frozen where they sleep. Other threads get a signal that is none, which
	 * stays pending while they are frozen, and return first.
	 */
	if (lt_task_is_frozen(task))
		return !test_tsk_thread_flag(task, TIF_SIGPENDING);
	/*
	 * A cgroup of version 2 has its threads return. One whose child has its memory counts as
	 * frozen, too, and sleeps in its call so that no signal but a fatal one wakes it.
	 */
	return !lt_task_is_trapped(task) || lt_task_state(task) & TASK_UNINTERRUPTIBLE;
}

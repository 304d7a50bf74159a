// SPDX-License-Identifier: GPL-2.0
/*
 * A walk over all threads of the system.
 */
#include <linux/compiler.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>

#include "core/threads.h"

/**
 * lt_each_thread() - call a function for each thread that is in the kernel's list
 * @fn: is called with the thread and @arg, in a section of RCU: does not sleep
 * @arg: for @fn
 *
 * A thread that is born or ends meanwhile may be left out.
 *
 * The kernel's macro makes, at the end of each process' list, a pointer to a task out of the
 * list's head. It is not used, but not aligned as one of a task: UBSAN's check of alignment would
 * report that.
 *
 * Context: any but NMI.
 */
__no_sanitize_undefined
void lt_each_thread(void (*fn)(struct task_struct *task, void *arg), void *arg)
{
	struct task_struct *group, *task;

	rcu_read_lock();
	for_each_process_thread(group, task)
		fn(task, arg);
	rcu_read_unlock();
}

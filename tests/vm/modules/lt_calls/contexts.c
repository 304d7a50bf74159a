// SPDX-License-Identifier: GPL-2.0
/*
 * Where functions run: in a task, a softirq, a hardirq, in themselves; asleep, by a jump, in a
 * flood.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>
#include <linux/version.h>

#include "calls.h"

static DEFINE_MUTEX(lock);
static DECLARE_COMPLETION(done);
static struct tasklet_struct tasklet;
static struct irq_work work;
static u64 number;

static void notrace in_softirq_context(struct tasklet_struct *unused)
{
	call_types(number);
	complete(&done);
}

static void notrace in_hardirq_context(struct irq_work *unused)
{
	call_types(number);
	complete(&done);
}

int notrace contexts_init(void)
{
	tasklet_setup(&tasklet, in_softirq_context);
	init_irq_work(&work, in_hardirq_context);
	return 0;
}

void notrace contexts_exit(void)
{
	tasklet_kill(&tasklet);
	irq_work_sync(&work);
}

void notrace call_contexts(u64 n)
{
	mutex_lock(&lock);
	number = n;
	call_types(n);
	tasklet_schedule(&tasklet);
	wait_for_completion(&done);
	irq_work_queue(&work);
	wait_for_completion(&done);
	mutex_unlock(&lock);
}

static WHOLE u64 ltc_deep(u32 depth, u64 n)
{
	u64 result = depth ? mixed(ltc_deep(depth - 1, n + 1), depth, n) : n;

	TRUTH("depth=%u n=%llu result=%llu", depth, n, result);
	return result;
}

void notrace call_deep(unsigned int depth, u64 n)
{
	ltc_deep(depth - 1, n);
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 17, 0)
#define kthread_complete_and_exit	complete_and_exit
#endif

/* A bit that the compiler does not know: the thread ends in the innermost call. */
static bool falls = true;

static WHOLE u64 ltc_falls(u32 depth, u64 n)
{
	if (!depth && READ_ONCE(falls))
		kthread_complete_and_exit(&done, 0);
	return depth ? mixed(ltc_falls(depth - 1, n + 1), depth, n) : n;
}

static int notrace fall(void *depth)
{
	return ltc_falls((unsigned long)depth - 1, 1);
}

/* A thread of its own dies in so many calls. */
int notrace call_falling(unsigned int depth)
{
	struct task_struct *task;

	mutex_lock(&lock);
	task = kthread_run(fall, (void *)(unsigned long)depth, "ltc_falls");
	if (!IS_ERR(task))
		wait_for_completion(&done);
	mutex_unlock(&lock);
	return PTR_ERR_OR_ZERO(task);
}

static WHOLE u32 ltc_sleep(u32 ms)
{
	msleep(ms);
	TRUTH("ms=%u result=%u", ms, ms * 3);
	return ms * 3;
}

void notrace call_sleeping(unsigned int ms)
{
	ltc_sleep(ms);
}

static WHOLE u64 ltc_jumped_to(u64 a, u32 b)
{
	u64 result = mixed(a, b, 1);

	TRUTH("a=%llu b=%u result=%llu", a, b, result);
	return result;
}

/* Ends with a jump. Its result is that of the other function. */
static WHOLE u64 ltc_jumps(u32 a)
{
	TRUTH("a=%u result=%llu", a, mixed((u64)a << 20, a + 1, 1));
	return ltc_jumped_to((u64)a << 20, a + 1);
}

void notrace call_jumps(u64 n)
{
	ltc_jumps(n);
}

/*
 * The result is made of the arguments. It is called at the time @then or later, and ended when the
 * thread calls it again: nothing is written to the log.
 */
static WHOLE u64 ltc_flood(u64 then, u32 n, u32 tid)
{
	return mixed(then, n, tid);
}

void notrace call_flood(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n && !signal_pending(current); i++) {
		ltc_flood(ktime_get_mono_fast_ns(), i, current->pid);
		if (!(i % 256))
			cond_resched();
	}
}

static WHOLE u32 ltc_in_init(u64 n)
{
	TRUTH("n=%llu result=%u", n, (u32)n + 1);
	return n + 1;
}

void notrace call_init(u64 n)
{
	ltc_in_init(n);
}

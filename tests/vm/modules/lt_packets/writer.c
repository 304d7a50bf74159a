// SPDX-License-Identifier: GPL-2.0
/*
 * Writers of consecutive numbers.
 *
 * Each record holds a number and its complement, so that a record that was
 * only reserved, or half filled in, is not taken for a whole one. The number
 * advances only when a record was stored: each must arrive exactly once.
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/smp.h>
#include <linux/version.h>

#include "writer.h"

/* How often the thread writes between two offers to be scheduled away. */
#define THREAD_BURST	256

static struct lt_channel *channel;
static struct writer_setup how;
/* Changed on one CPU only, with interrupts off. */
static struct writer_counts counts;
static struct task_struct *thread;
static struct hrtimer timer;
static bool timer_runs;

/* Return: was there room? */
static bool write_one(void)
{
	struct lt_rec_KFREE_WIDE *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	c = lt_enter(channel, LT_CLASS_KFREE, &flags);
	if (!c)
		return false;
	/* From here on interrupts are off, and the number is nobody else's. */
	rec = lt_reserve(channel, c, LT_CLASS_KFREE, LT_EV_KFREE_WIDE, sizeof(*rec));
	if (rec) {
		if (how.hold_ns)
			ndelay(how.hold_ns);
		rec->ptr = counts.stored;
		rec->call_site = ~counts.stored;
		counts.stored++;
		if (in_hardirq())
			counts.in_hardirq++;
	} else {
		counts.refused++;
	}
	lt_leave(c, LT_CLASS_KFREE, flags);
	return rec;
}

static int thread_fn(void *unused)
{
	while (!kthread_should_stop()) {
		bool room = true;
		int i;

		for (i = 0; i < THREAD_BURST && room; i++)
			room = write_one();
		if (!room && how.pause_us)
			usleep_range(how.pause_us, 2 * how.pause_us);
		cond_resched();
	}
	return 0;
}

static enum hrtimer_restart timer_fn(struct hrtimer *t)
{
	unsigned int i;

	for (i = 0; i < how.burst; i++)
		write_one();
	hrtimer_forward_now(t, ns_to_ktime(1000ULL * how.period_us));
	return HRTIMER_RESTART;
}

/* A pinned timer stays on the CPU that starts it. */
static void start_timer(void *unused)
{
	hrtimer_start(&timer, ns_to_ktime(1000ULL * how.period_us), HRTIMER_MODE_REL_PINNED_HARD);
}

static int make_thread(void)
{
	thread = kthread_create(thread_fn, NULL, "lt_writer/%u", how.cpu);
	if (IS_ERR(thread)) {
		int err = PTR_ERR(thread);

		thread = NULL;
		return err;
	}
	kthread_bind(thread, how.cpu);
	wake_up_process(thread);
	return 0;
}

/**
 * writer_start() - let them write
 * @ch: channel, open
 * @setup: how; copied
 *
 * Return: 0 or an errno, then nobody writes.
 */
int writer_start(struct lt_channel *ch, const struct writer_setup *setup)
{
	int err;

	channel = ch;
	how = *setup;
	counts = (struct writer_counts){};
	if (how.timer) {
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
		hrtimer_setup(&timer, timer_fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
		hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		timer.function = timer_fn;
#endif
		err = smp_call_function_single(how.cpu, start_timer, NULL, 1);
		if (err)
			return err;
		timer_runs = true;
	}
	err = how.thread ? make_thread() : 0;
	if (err)
		writer_stop();
	return err;
}

/* When it returns, nobody writes any more. */
void writer_stop(void)
{
	if (timer_runs)
		hrtimer_cancel(&timer);
	timer_runs = false;
	if (thread)
		kthread_stop(thread);
	thread = NULL;
}

/* Exact after writer_stop(), before that a moment's view. */
struct writer_counts writer_counts(void)
{
	struct writer_counts now = {
		.stored = READ_ONCE(counts.stored),
		.refused = READ_ONCE(counts.refused),
		.in_hardirq = READ_ONCE(counts.in_hardirq),
	};

	return now;
}

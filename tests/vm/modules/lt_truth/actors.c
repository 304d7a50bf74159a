// SPDX-License-Identifier: GPL-2.0
/*
 * The actors that make and free objects: tasks, softirqs and hardirqs, all with one set
 * of slots. The actor that empties a slot frees its object, so objects die on other
 * CPUs, in other contexts and by other tasks than they were born.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "truth.h"

#define N_SLOTS		1024
#define IRQ_PERIOD_NS	150000
#define MAX_KTHREADS	64

/* Row + 1 of an object, 0: empty. Taken and given by xchg(). */
static atomic_t slots[N_SLOTS];

struct irq_source {
	struct hrtimer timer;
	struct tasklet_struct tasklet;
	struct truth_actor hard;
	struct truth_actor soft;
};

static DEFINE_PER_CPU(struct irq_source, irq_sources);

static atomic_t *random_slot(struct truth_actor *a)
{
	return &slots[(truth_random(a) >> 4) % N_SLOTS];
}

static void put(struct truth_actor *a, u32 row)
{
	u32 old = atomic_xchg(random_slot(a), row + 1);

	if (old) {
		row = old - 1;
		truth_free(a, &row, 1);
	}
}

/* Make @n objects and keep as many of them as find a place. */
void truth_fill(struct truth_actor *a, unsigned int n)
{
	u32 rows[8];

	while (n--) {
		unsigned int i, made = truth_make(a, rows, ARRAY_SIZE(rows));

		for (i = 0; i < made; i++)
			put(a, rows[i]);
	}
}

/* One step: empty a slot, or fill one. Context: any. */
void truth_step(struct truth_actor *a)
{
	unsigned int i, n = 0, want = 1;
	u32 rows[8];

	if (!in_hardirq() && !in_serving_softirq() && (truth_random(a) >> 8) % 24 == 0)
		want = ARRAY_SIZE(rows);
	for (i = 0; i < want; i++) {
		u32 taken = atomic_xchg(random_slot(a), 0);

		if (taken)
			rows[n++] = taken - 1;
	}
	if (n)
		truth_free(a, rows, n);
	else
		truth_fill(a, 1);
}

/* Make @n objects, each to be freed after the next few. Context: task. */
void truth_pairs(struct truth_actor *a, unsigned int n, unsigned int sleep_us)
{
	u32 rows[8], pending[8];
	unsigned int i, at = 0, kept = 0;

	while (n--) {
		unsigned int made = truth_make(a, rows, 1);

		for (i = 0; i < made; i++) {
			if (kept == ARRAY_SIZE(pending))
				truth_free(a, &pending[at], 1);
			else
				kept++;
			pending[at] = rows[i];
			at = (at + 1) % ARRAY_SIZE(pending);
		}
		if (sleep_us)
			usleep_range(sleep_us, sleep_us + 50);
	}
	truth_free(a, pending, kept);
}

void truth_free_all(void)
{
	unsigned int i;

	for (i = 0; i < N_SLOTS; i++) {
		u32 taken = atomic_xchg(&slots[i], 0);
		struct truth_object *o;

		if (!taken)
			continue;
		o = truth_row_at(taken - 1);
		truth_free_one(o, o->kind == TRUTH_PAGES ? TRUTH_FREE_PAGES : TRUTH_KFREE);
	}
}

/* ------------------------------------------------------------------------
 * Interrupts
 */

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct irq_source *irq = container_of(timer, struct irq_source, timer);
	u64 next = IRQ_PERIOD_NS + (truth_random(&irq->hard) >> 8) % IRQ_PERIOD_NS;

	truth_step(&irq->hard);
	atomic_inc(&truth_counts.irq_steps);
	if (truth_random(&irq->hard) & 0x100)
		tasklet_schedule(&irq->tasklet);
	hrtimer_forward_now(timer, ns_to_ktime(next));
	return HRTIMER_RESTART;
}

static void on_tasklet(struct tasklet_struct *t)
{
	struct irq_source *irq = container_of(t, struct irq_source, tasklet);

	truth_step(&irq->soft);
	truth_step(&irq->soft);
	atomic_inc(&truth_counts.softirq_steps);
}

/* On the CPU of @irq, by a task that is bound to it. */
static void irq_start(struct irq_source *irq, u32 seed)
{
	irq->hard.rng = seed ^ 0x5bd1e995;
	irq->soft.rng = seed ^ 0x1b873593;
	tasklet_setup(&irq->tasklet, on_tasklet);
	hrtimer_setup(&irq->timer, on_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&irq->timer, ns_to_ktime(IRQ_PERIOD_NS), HRTIMER_MODE_REL_PINNED_HARD);
}

static void irq_stop(struct irq_source *irq)
{
	hrtimer_cancel(&irq->timer);
	tasklet_kill(&irq->tasklet);
}

/* ------------------------------------------------------------------------
 * Kernel threads
 */

struct worker {
	struct task_struct *task;
	struct completion done;
	unsigned int cpu;
	unsigned int steps;
	bool interrupts;
	struct truth_actor actor;
};

static int work(void *arg)
{
	struct worker *w = arg;
	struct irq_source *irq = per_cpu_ptr(&irq_sources, w->cpu);
	unsigned int i;

	if (w->interrupts)
		irq_start(irq, w->actor.rng);
	for (i = 0; i < w->steps; i++) {
		truth_step(&w->actor);
		cond_resched();
	}
	if (w->interrupts)
		irq_stop(irq);
	complete(&w->done);
	/* kthread_stop() wants it to be there still. */
	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	return 0;
}

static struct worker workers[MAX_KTHREADS];

/**
 * truth_run_kthreads() - steps in threads bound to each CPU
 * @steps: of each thread
 * @per_cpu: threads
 * @interrupts: with steps in hardirq and softirq on each CPU meanwhile
 *
 * Context: process, one at a time, until they are done.
 * Return: 0 or an error.
 */
int truth_run_kthreads(unsigned int steps, unsigned int per_cpu, bool interrupts)
{
	unsigned int cpu, i, n = 0;
	int err = 0;

	for_each_online_cpu(cpu) {
		for (i = 0; i < per_cpu && n < MAX_KTHREADS && !err; i++) {
			struct worker *w = &workers[n];

			w->cpu = cpu;
			w->steps = steps;
			w->interrupts = interrupts && !i;
			w->actor.rng = 0x9e3779b9 * (truth_n_objects() + n + 1) | 1;
			init_completion(&w->done);
			w->task = kthread_create(work, w, "lt_truth/%u:%u", cpu, i);
			if (IS_ERR(w->task)) {
				err = PTR_ERR(w->task);
				break;
			}
			kthread_bind(w->task, cpu);
			n++;
		}
	}
	for (i = 0; i < n; i++)
		wake_up_process(workers[i].task);
	for (i = 0; i < n; i++) {
		wait_for_completion(&workers[i].done);
		kthread_stop(workers[i].task);
	}
	return err;
}

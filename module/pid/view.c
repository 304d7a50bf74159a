// SPDX-License-Identifier: GPL-2.0
/*
 * Views: what the open files of /proc/pid_gen share, one for each pid namespace that is
 * shown: the queue of their pollers, and the last generation when the namespace is gone.
 *
 * A view is not kept by the namespace's entry in the table, nor keeps it: a namespace that
 * is gone leaves nothing behind but a number in the view.
 *
 * When the file under /proc is removed, procfs closes the open ones for the module, though
 * programs may go on waiting in poll(): the kernel takes such a program out of the queue
 * when it wakes up, which may be never (it is stopped, or it waits for a condition that the
 * removed file does not report). So the queue of a view is freed only when it is empty.
 * epoll, io_uring and aio leave the queue at once, as POLLFREE requests. The queue of a
 * program that does not leave stays allocated; nothing in it refers to the module.
 */
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "pid/internal.h"

#define DRAIN_TRIES	5	/* of 20 ms */

/* Under lt_pid_lock. */
static LIST_HEAD(to_wake);
static LIST_HEAD(orphans);
static bool opened;

/* ------------------------------------------------------------------------
 * Waking
 */

/* Does a program wait in the queue, or is one about to leave it? */
static bool is_waited_in(struct lt_view *v)
{
	unsigned long flags;
	bool waited;

	/* With its lock: a poller that leaves the queue has let go of it afterwards. */
	spin_lock_irqsave(&v->queue.lock, flags);
	waited = !list_empty(&v->queue.head);
	spin_unlock_irqrestore(&v->queue.lock, flags);
	return waited;
}

/* Give back what lt_view_hold() took. Context: process. */
void lt_view_put(struct lt_view *v)
{
	unsigned long flags;
	bool last;

	spin_lock_irqsave(&lt_pid_lock, flags);
	last = !--v->refs;
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	if (!last)
		return;
	/* A file that was closed by its last user has no poller: this is for procfs. */
	if (is_waited_in(v))
		__wake_up(&v->queue, TASK_NORMAL, 0, poll_to_key(EPOLLHUP | POLLFREE));
	if (!is_waited_in(v)) {
		kfree_rcu(v, rcu);	/* epoll may look at the queue under RCU */
		return;
	}
	spin_lock_irqsave(&lt_pid_lock, flags);
	list_add(&v->list, &orphans);
	spin_unlock_irqrestore(&lt_pid_lock, flags);
}

/*
 * Waking takes two steps: irq_work can be queued under any lock, and the work wakes any
 * number of pollers with interrupts on, but for those of one namespace.
 */
static void wake(struct work_struct *work)
{
	struct lt_view *v;

	do {
		unsigned long flags;

		spin_lock_irqsave(&lt_pid_lock, flags);
		v = list_first_entry_or_null(&to_wake, struct lt_view, list);
		if (v) {
			list_del_init(&v->list);
			v->refs++;
		}
		spin_unlock_irqrestore(&lt_pid_lock, flags);
		if (v) {
			wake_up_interruptible_all(&v->queue);
			lt_view_put(v);
		}
	} while (v);
}

static DECLARE_WORK(wake_work, wake);

static void wake_later(struct irq_work *work)
{
	schedule_work(&wake_work);
}

static struct irq_work wakeup;

/**
 * lt_view_wake() - there is a new generation
 * @v: of the namespace; NULL: no file shows it
 *
 * Context: lt_pid_lock held, perhaps tasklist_lock, too.
 */
void lt_view_wake(struct lt_view *v)
{
	/*
	 * Without the queue's lock: a poller is in the queue before it takes
	 * lt_pid_lock to read the generation. Either it had the lock before this call,
	 * and is seen in the queue; or it gets the lock later, and sees the generation.
	 */
	if (!v || !waitqueue_active(&v->queue) || !list_empty(&v->list))
		return;
	list_add_tail(&v->list, &to_wake);
	irq_work_queue(&wakeup);
}

/* Context: process; before a view is opened. */
void lt_views_init(void)
{
	init_irq_work(&wakeup, wake_later);
}

/*
 * End all that the views have begun. A session may still watch numbers: without a view,
 * nobody is woken. Context: process, sleeps; no file is open, none can be opened.
 */
void lt_views_exit(void)
{
	struct lt_view *v, *next;
	unsigned int left, tries = DRAIN_TRIES;

	irq_work_sync(&wakeup);
	cancel_work_sync(&wake_work);
	/* Nothing but this function uses the list now. */
	do {
		left = 0;
		list_for_each_entry_safe(v, next, &orphans, list) {
			if (is_waited_in(v)) {
				left++;
				continue;
			}
			list_del(&v->list);
			kfree_rcu(v, rcu);
		}
		if (left)
			msleep(20);
	} while (left && --tries);
	if (!left)
		return;
	list_for_each_entry_safe(v, next, &orphans, list)
		list_del_init(&v->list);
	pr_notice("lifetrace: programs still wait in poll() of /proc/pid_gen: %u queues of %zu bytes stay allocated\n",
		  left, sizeof(*v));
}

/* ------------------------------------------------------------------------
 * What a view shows
 */

/* Return: has a file been opened since the module was loaded? Context: lt_pid_lock held. */
bool lt_views_opened(void)
{
	return opened;
}

/**
 * lt_view_new() - a view of no namespace
 * Return: for kfree() as long as nothing holds it; NULL: no memory. Context: process.
 */
struct lt_view *lt_view_new(void)
{
	struct lt_view *v = kzalloc(sizeof(*v), GFP_KERNEL_ACCOUNT);

	if (!v)
		return NULL;
	init_waitqueue_head(&v->queue);
	INIT_LIST_HEAD(&v->list);
	return v;
}

/* A file shows the view. Undone by lt_view_put(), and @files - 1. Context: lt_pid_lock held. */
void lt_view_hold(struct lt_view *v)
{
	opened = true;
	v->files++;
	v->refs++;
}

/* The namespace is gone: keep its last generation. Context: lt_pid_lock held. */
void lt_view_detach(struct lt_view *v)
{
	v->generation = v->n->generation;
	v->n = NULL;
}

/* Where the pollers of a view wait. */
struct wait_queue_head *lt_view_queue(struct lt_view *v)
{
	return &v->queue;
}

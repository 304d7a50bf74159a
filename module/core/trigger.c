// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers: counting them, keeping the latest ones, waking who waits for one.
 *
 * A trigger may come in any context: a dying kernel, an NMI, the middle of this very file. There
 * nothing waits for a lock that may never be given back; what does not get it is counted, wakes
 * and freezes without it, and only its line is lost. All other triggers wait.
 */
#include <linux/atomic.h>
#include <linux/hardirq.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "core/channel.h"
#include "core/clock.h"
#include "core/trigger.h"

/*
 * Any user can have processes of a cgroup killed for memory, as often as is wanted. So triggers
 * of one kind wake who waits once in a second; the others are counted, and kept while there is
 * room. One kind does not use up the wakeups of another. One that freezes the buffers always wakes.
 */
#define WAKE_EVERY_NS	NSEC_PER_SEC

/* How often the lock is tried by what may not wait, some 100 us: its holders copy a line. */
#define TRIES		10000

DECLARE_WAIT_QUEUE_HEAD(lt_trigger_wait);

static DEFINE_RAW_SPINLOCK(lock);	/* taken with interrupts off; count, quiet_until, kept */
static u64 count;
static u64 quiet_until[LT_N_TRIGGERS];	/* CLOCK_MONOTONIC */
static struct lt_trigger kept[LT_TRIGGERS_KEPT];

/* Written without the lock, too. */
static atomic_long_t uncounted;		/* triggers without the lock, which @count lacks yet */
static atomic_long_t woken;
static unsigned int armed;		/* the next trigger freezes the buffers */

static const char * const names[LT_N_TRIGGERS] = {
	[LT_TRIGGER_OOM_KILL] = "oom_kill",
	[LT_TRIGGER_HUNG_TASK] = "hung_task",
	[LT_TRIGGER_OOPS] = "oops",
	[LT_TRIGGER_PANIC] = "panic",
	[LT_TRIGGER_USER] = "user",
};

const char *lt_trigger_name(unsigned int what)
{
	return what < LT_N_TRIGGERS && names[what] ? names[what] : "?";
}

static void wake(struct irq_work *work)
{
	wake_up_interruptible(&lt_trigger_wait);
}

static DEFINE_IRQ_WORK(wakeup, wake);

/*
 * The place for a new one: a free one, else that of the oldest which woke nobody, else the
 * oldest. So many of a kind, which wake once, do not push out what wakes the reader of another.
 */
static struct lt_trigger *place_for_new(void)
{
	struct lt_trigger *t, *oldest = kept;

	for (t = kept; t < kept + LT_TRIGGERS_KEPT; t++) {
		if (!t->number)
			return t;
		if (t->wakes != oldest->wakes ? oldest->wakes : t->number < oldest->number)
			oldest = t;
	}
	return oldest;
}

/*
 * May this trigger wait for the lock? Its holder is not what it has interrupted, and goes on: also
 * a CPU that a hypervisor has taken away comes back. A kernel that dies may have stopped it.
 */
static bool may_wait(unsigned int what)
{
	return what != LT_TRIGGER_OOPS && what != LT_TRIGGER_PANIC && !in_nmi();
}

/* Interrupts are off. Return: false: not in time, which is never where the trigger may wait. */
static bool get_lock(unsigned int what)
{
	unsigned int i;

	if (may_wait(what)) {
		raw_spin_lock(&lock);
		__release(&lock);	/* for sparse: the caller has it */
		return true;
	}
	for (i = 0; i < TRIES; i++) {
		if (raw_spin_trylock(&lock)) {
			__release(&lock);
			return true;
		}
		cpu_relax();
	}
	return false;
}

/* Under the lock: counts those that did not get it. */
static void count_others(void)
{
	count += atomic_long_xchg(&uncounted, 0);
}

/* Who waits must thaw the buffers: no other trigger freezes them again before that. */
static bool freezes(void)
{
	if (!READ_ONCE(armed) || !xchg(&armed, 0))
		return false;
	WRITE_ONCE(lt_channels_frozen, true);
	return true;
}

/* Under the lock. Return: does the trigger wake who waits? */
static bool keep(const struct lt_trigger *new)
{
	struct lt_trigger *t = place_for_new();
	u64 now = ktime_get_mono_fast_ns();

	count_others();
	*t = *new;
	t->number = ++count;
	t->time = lt_clock();
	/* Each is asked: one that need not freeze to wake freezes nevertheless. */
	t->wakes = freezes() | (now >= quiet_until[new->what]);
	if (t->wakes) {
		quiet_until[new->what] = now + WAKE_EVERY_NS;
		atomic_long_inc(&woken);
	}
	return t->wakes;
}

/**
 * lt_trigger_note() - count and keep a trigger, and wake who waits for one
 * @what: enum lt_trigger_what
 * @value: what it means depends on @what
 * @text: cut where it does not fit; each byte that is no printable ASCII becomes a '?'
 *
 * An oops, a panic, or what comes in an NMI is not kept if another trigger is just being kept.
 *
 * Context: any, NMI included.
 */
void lt_trigger_note(unsigned int what, u64 value, const char *text)
{
	struct lt_trigger new = { .value = value, .what = what };
	unsigned long flags;
	bool wakes;
	char *c;

	/* Not strscpy(): it may read words beyond the end of a text that is about to go. */
	memcpy(new.text, text, strnlen(text, sizeof(new.text) - 1));
	for (c = new.text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	local_irq_save(flags);
	if (get_lock(what)) {
		__acquire(&lock);
		wakes = keep(&new);
		raw_spin_unlock(&lock);
	} else {
		freezes();
		wakes = true;
		atomic_long_inc(&uncounted);
		smp_mb__before_atomic();	/* pairs with lt_triggers_view() */
		atomic_long_inc(&woken);
	}
	local_irq_restore(flags);
	if (wakes)
		irq_work_queue(&wakeup);
}

/**
 * lt_triggers_freeze() - say whether the next trigger freezes buffers that are overwritten
 * @on: it does
 *
 * Buffers that are frozen are overwritten again.
 *
 * Context: process.
 */
void lt_triggers_freeze(bool on)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	/* A trigger without the lock that comes now freezes before this, or after it. */
	xchg(&armed, 0);
	WRITE_ONCE(lt_channels_frozen, false);
	WRITE_ONCE(armed, on);
	raw_spin_unlock_irqrestore(&lock, flags);
}

/* How many triggers woke who waits, so far; to be compared for equality. Context: any. */
unsigned long lt_triggers_woken(void)
{
	return atomic_long_read(&woken);
}

/**
 * lt_triggers_view() - all triggers at this moment
 * @t: filled in
 *
 * Context: process.
 */
void lt_triggers_view(struct lt_triggers *t)
{
	unsigned long flags;
	unsigned int i, at;

	raw_spin_lock_irqsave(&lock, flags);
	t->woken = atomic_long_read(&woken);
	smp_rmb();	/* each that woke is in @count, also without the lock */
	count_others();
	t->count = count;
	t->n = 0;
	for (i = 0; i < LT_TRIGGERS_KEPT && kept[i].number; i++) {
		for (at = t->n++; at && t->latest[at - 1].number > kept[i].number; at--)
			t->latest[at] = t->latest[at - 1];
		t->latest[at] = kept[i];
	}
	raw_spin_unlock_irqrestore(&lock, flags);
}

/* Context: process, sleeps; unloading: nothing makes triggers any more. */
void lt_triggers_exit(void)
{
	irq_work_sync(&wakeup);
}

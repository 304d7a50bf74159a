// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers: counting them, keeping the latest ones, waking who waits for one.
 *
 * A trigger may come in any context: a dying kernel, an NMI, the middle of this very file.
 * So nothing here waits for a lock that may never be given back.
 */
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

/* How often the lock is tried, some 100 us: its holders copy a line. */
#define TRIES		10000

DECLARE_WAIT_QUEUE_HEAD(lt_trigger_wait);

/* All below are under the lock. */
static DEFINE_RAW_SPINLOCK(lock);
static u64 count;
static unsigned long woken;		/* also read without the lock */
static bool armed;		/* the next trigger freezes the buffers */
static u64 quiet_until[LT_N_TRIGGERS];	/* CLOCK_MONOTONIC */
static struct lt_trigger kept[LT_TRIGGERS_KEPT];

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

/* Fails where the holder was interrupted by the trigger, or has died. */
static bool try_to_lock(unsigned long *flags)
{
	unsigned int i;

	local_irq_save(*flags);
	for (i = 0; i < TRIES; i++) {
		if (raw_spin_trylock(&lock)) {
			__release(&lock);	/* for sparse: the caller has it */
			return true;
		}
		cpu_relax();
	}
	local_irq_restore(*flags);
	return false;
}

/**
 * lt_trigger_note() - count and keep a trigger, and wake who waits for one
 * @what: enum lt_trigger_what
 * @value: what it means depends on @what
 * @text: cut where it does not fit; each byte that is no printable ASCII becomes a '?'
 *
 * One that comes while this function runs on the same CPU is not counted here; its record in
 * the stream is.
 *
 * Context: any, NMI included.
 */
void lt_trigger_note(unsigned int what, u64 value, const char *text)
{
	u64 now = ktime_get_mono_fast_ns();
	struct lt_trigger *t;
	unsigned long flags;
	bool wakes;
	char *c;

	if (!try_to_lock(&flags))
		return;
	__acquire(&lock);
	t = place_for_new();
	t->number = ++count;
	t->time = lt_clock();
	t->value = value;
	t->what = what;
	/* Not strscpy(): it may read words beyond the end of a text that is about to go. */
	memset(t->text, 0, sizeof(t->text));
	memcpy(t->text, text, strnlen(text, sizeof(t->text) - 1));
	for (c = t->text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	/* Who waits must thaw the buffers: no other trigger freezes them again before that. */
	wakes = armed || now >= quiet_until[what];
	t->wakes = wakes;
	if (wakes) {
		quiet_until[what] = now + WAKE_EVERY_NS;
		WRITE_ONCE(woken, woken + 1);
	}
	if (armed) {
		armed = false;
		WRITE_ONCE(lt_channels_frozen, true);
	}
	raw_spin_unlock(&lock);
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
	armed = on;
	WRITE_ONCE(lt_channels_frozen, false);
	raw_spin_unlock_irqrestore(&lock, flags);
}

/* How many triggers woke who waits, so far; to be compared for equality. Context: any. */
unsigned long lt_triggers_woken(void)
{
	return READ_ONCE(woken);
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
	t->count = count;
	t->woken = woken;
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

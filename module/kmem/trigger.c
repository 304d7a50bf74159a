// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers that the kernel shows: a process killed for its memory, a task that hangs, an oops,
 * a panic; and those that a user makes. Each is a record, and wakes who waits for one.
 *
 * The record is written first: who is woken and flushes the buffers finds it.
 */
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/notifier.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "core/trigger.h"
#include "kmem/kmem.h"

/* Context: any, NMI included. Return: was there room for the record? */
static bool trigger(unsigned int what, u64 value, const char *text)
{
	struct lt_rec_TRIGGER *rec = NULL;
	struct lt_channel_cpu *c;
	unsigned long flags;

	/* An oops may have come while an event was being written: then it is counted as nested. */
	c = lt_enter(&lt_channel_kmem, LT_CLASS_MARKER, &flags);
	if (c) {
		rec = lt_reserve(&lt_channel_kmem, c, LT_CLASS_MARKER, LT_EV_TRIGGER, sizeof(*rec));
		if (rec) {
			rec->what = what;
			rec->value = value;
			memset(rec->text, 0, sizeof(rec->text));
			memcpy(rec->text, text, strnlen(text, sizeof(rec->text)));
		}
		lt_leave(c, LT_CLASS_MARKER, flags);
	}
	lt_trigger_note(what, value, text);
	return rec;
}

static void on_task(unsigned int what, struct task_struct *task)
{
	char comm[sizeof(task->comm) + 1];

	/* The task may change its name meanwhile: then it is a part of both, and still ends. */
	data_race(memcpy(comm, task->comm, sizeof(task->comm)));
	comm[sizeof(task->comm)] = 0;
	trigger(what, task->pid, comm);
}

/* Which of the two fits this kernel, the table of the probes says. */
void lt_probe_oom_kill_task(void *data, struct task_struct *task, uid_t uid)
{
	on_task(LT_TRIGGER_OOM_KILL, task);
}

void lt_probe_oom_kill_pid(void *data, int tid)
{
	trigger(LT_TRIGGER_OOM_KILL, tid, "");
}

void lt_probe_hung_task(void *data, struct task_struct *task)
{
	on_task(LT_TRIGGER_HUNG_TASK, task);
}

/* Called for breakpoints, too, which are no trigger: so it is closed to kprobes. */
static int __kprobes on_die(struct notifier_block *nb, unsigned long why, void *data)
{
	const struct die_args *args = data;

	if (why == DIE_OOPS)
		trigger(LT_TRIGGER_OOPS, args->trapnr, args->str ?: "");
	return NOTIFY_DONE;
}

/* The kernel's message; the other CPUs have been stopped. */
static int on_panic(struct notifier_block *nb, unsigned long why, void *data)
{
	trigger(LT_TRIGGER_PANIC, 0, data ?: "");
	return NOTIFY_DONE;
}

static struct notifier_block die_block = { .notifier_call = on_die };
static struct notifier_block panic_block = { .notifier_call = on_panic };

static int attach_oops(void)
{
	return register_die_notifier(&die_block);
}

/* Both chains wait for a grace period of RCU, under which they are called. */
static void detach_oops(void)
{
	unregister_die_notifier(&die_block);
}

static int attach_panic(void)
{
	return atomic_notifier_chain_register(&panic_notifier_list, &panic_block);
}

static void detach_panic(void)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_block);
}

const struct lt_notifier lt_oops_notifier = { attach_oops, detach_oops };
const struct lt_notifier lt_panic_notifier = { attach_panic, detach_panic };

/**
 * lt_kmem_trigger() - a trigger that a user makes
 * @text: ended by a zero
 *
 * Context: process; recording.
 * Return: 0, -ENOSPC: the record found no room; who waits was woken nevertheless.
 */
int lt_kmem_trigger(const char *text)
{
	return trigger(LT_TRIGGER_USER, 0, text) ? 0 : -ENOSPC;
}

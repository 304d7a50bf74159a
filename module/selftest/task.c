// SPDX-License-Identifier: GPL-2.0
/*
 * Part of the self-test at load: the life of a thread, field by field.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>
#include <linux/string.h>

#include "pid/pidgen.h"
#include "selftest/selftest.h"
#include "pid/task.h"

#define NAME		"lt_selftest"
#define EXIT_WAITS	100	/* of 20 ms */

static struct {
	u32 tid;
	u64 start;
	bool born;
	bool named;
	bool exited;
	bool gone;
	bool numbers;
	bool broken;
} t;

static DECLARE_COMPLETION(runs);

static int wait_for_stop(void *unused)
{
	complete(&runs);
	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	return 0;
}

/**
 * lt_selftest_task_act() - do what lt_selftest_task_check() looks for
 * Context: process, recording.
 * Return: 0 or an errno.
 */
int lt_selftest_task_act(void)
{
	struct task_struct *p;
	unsigned int i;

	memset(&t, 0, sizeof(t));
	reinit_completion(&runs);
	p = kthread_run(wait_for_stop, NULL, NAME);
	if (IS_ERR(p))
		return PTR_ERR(p);
	get_task_struct(p);
	/* One that is stopped before it runs has no name yet, and fails. */
	wait_for_completion(&runs);
	t.tid = p->pid;
	t.start = p->start_boottime;
	kthread_stop(p);
	/* Who waits for a thread may be told before it exits. */
	for (i = 0; i < EXIT_WAITS && !READ_ONCE(p->exit_state); i++)
		msleep(20);
	t.gone = READ_ONCE(p->exit_state);
	t.numbers = lt_pidgen_works(lt_selftest_watched("task_new"));
	put_task_struct(p);
	return 0;
}

static void expect(const char *event, const char *field, u64 found, u64 expected)
{
	if (found == expected)
		return;
	pr_err("lifetrace: self-test: %s: field %s is %llu, expected %llu; not loading: a trace would be wrong\n",
	       event, field, found, expected);
	t.broken = true;
}

static void check_birth(const struct lt_rec_TASK_NEW *r)
{
	if (r->tid != t.tid || r->start != t.start)
		return;
	t.born = true;
	/* Later kernels give a thread its name before it is born. */
	t.named |= !strncmp(r->comm, NAME, sizeof(r->comm));
	expect("task_new", "tgid", r->tgid, t.tid);
	expect("task_new", "flags", r->flags, LT_TASK_FLAG_KTHREAD);
	expect("task_new", "nr", r->nr, t.tid);
	expect("task_new", "uid", r->uid, 0);
	/* Threads of the kernel are made by one that does nothing else. */
	expect("task_new", "parent", r->parent, r->creator);
	expect("task_new", "parent_start", r->parent_start, r->creator_start);
}

static void check_rename(const struct lt_rec_RENAME *r)
{
	if (r->tid != t.tid || r->start != t.start)
		return;
	t.named = true;
	expect("rename", "comm", strncmp(r->comm, NAME, sizeof(r->comm)), 0);
}

static void check_exit(const struct lt_rec_EXIT *r)
{
	if (r->tid != t.tid || r->start != t.start)
		return;
	t.exited = true;
	expect("exit", "tgid", r->tgid, t.tid);
	expect("exit", "group_dead", r->group_dead, 1);
	expect("exit", "code", r->code, 0);
	expect("exit", "comm", strncmp(r->comm, NAME, sizeof(r->comm)), 0);
}

static void check_record(const struct lt_found *f, const void *payload)
{
	switch (f->id) {
	case LT_EV_TASK_NEW:
		check_birth(payload);
		break;
	case LT_EV_RENAME:
		check_rename(payload);
		break;
	case LT_EV_EXIT:
		check_exit(payload);
		break;
	}
}

/**
 * lt_selftest_task_check() - compare the records with what was done
 * @ch: channel
 *
 * Context: as lt_selftest_check().
 * Return: as lt_selftest_check().
 */
int lt_selftest_task_check(struct lt_channel *ch)
{
	int err = lt_selftest_walk(ch, check_record);

	if (err)
		return err;
	if (!lt_selftest_lost(ch)) {
		if (lt_selftest_watched("task_new"))
			expect("task_new", "record", t.born, 1);
		if (lt_selftest_watched("rename"))
			expect("rename", "record", t.named, 1);
		if (lt_selftest_watched("exit") && t.gone)
			expect("exit", "record", t.exited, 1);
		expect("number", "record", t.numbers, 1);
	}
	return t.broken ? -EPROTO : 0;
}

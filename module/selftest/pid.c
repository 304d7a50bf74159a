// SPDX-License-Identifier: GPL-2.0
/*
 * The self-test of the channel pid, at load: the life of a thread, field by field.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>
#include <linux/string.h>

#include "pid/pid.h"
#include "selftest/selftest.h"

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
	bool frees;
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

/* Do what check() looks for. */
static int act(void)
{
	struct task_struct *p;
	unsigned int i;

	memset(&t, 0, sizeof(t));
	reinit_completion(&runs);
	p = kthread_run(wait_for_stop, NULL, NAME);
	if (IS_ERR(p))
		return PTR_ERR(p);
	get_task_struct(p);
	/* A thread that is stopped before it runs has no name yet, and its exit fails. */
	wait_for_completion(&runs);
	t.tid = p->pid;
	t.start = p->start_boottime;
	kthread_stop(p);
	/* kthread_stop() may return before the thread exits. */
	for (i = 0; i < EXIT_WAITS && !READ_ONCE(p->exit_state); i++)
		msleep(20);
	t.gone = READ_ONCE(p->exit_state);
	t.numbers = lt_pidgen_works(lt_probes_watched(&lt_pid_probes, "task_new"));
	/* A thread whose exit shows may still have its number. */
	for (i = 0; i < EXIT_WAITS && t.gone && !lt_pidgen_frees(); i++)
		msleep(20);
	t.frees = !t.gone || lt_pidgen_frees();
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
	/* kthreadd creates all threads of the kernel, and is their parent. */
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

static int check(void)
{
	const struct lt_probes *probes = &lt_pid_probes;
	int err = lt_selftest_walk(&lt_channel_pid, check_record);

	if (err)
		return err;
	if (!lt_selftest_lost(&lt_channel_pid)) {
		if (lt_probes_watched(probes, "task_new"))
			expect("task_new", "record", t.born, 1);
		if (lt_probes_watched(probes, "rename"))
			expect("rename", "record", t.named, 1);
		if (lt_probes_watched(probes, "exit") && t.gone)
			expect("exit", "record", t.exited, 1);
		expect("number", "record", t.numbers, 1);
		expect("number_free", "record", t.frees, 1);
	}
	return t.broken ? -EPROTO : 0;
}

const struct lt_selftest lt_selftest_pid = { .act = act, .check = check };

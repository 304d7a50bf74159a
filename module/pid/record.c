// SPDX-License-Identifier: GPL-2.0
/*
 * The channel pid, and what several of its events read of a task.
 */
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>

#include "pid/internal.h"

struct lt_channel lt_channel_pid = { .no_task = true };

static u64 cgroup_of(struct task_struct *p)
{
	u64 id = 0;

#ifdef CONFIG_CGROUPS
	rcu_read_lock();
	id = cgroup_id(task_dfl_cgroup(p));
	rcu_read_unlock();
#endif
	return id;
}

/**
 * lt_task_read_attr() - read what several events record of a task
 * @p: the task
 * @pid: its struct pid
 * @a: filled in
 *
 * Context: any; @p and @pid do not go away.
 */
void lt_task_read_attr(struct task_struct *p, struct pid *pid, struct lt_task_attr *a)
{
	/* The task itself changes other bits of its flags while it runs. */
	unsigned int flags = data_race(READ_ONCE(p->flags));
	const struct task_struct *parent;
	const struct cred *cred;

	a->flags = 0;
	if (flags & PF_KTHREAD)
		a->flags |= LT_TASK_FLAG_KTHREAD;
	if (flags & PF_IO_WORKER)
		a->flags |= LT_TASK_FLAG_IO_WORKER;
	if (lt_is_user_worker(p))
		a->flags |= LT_TASK_FLAG_USER_WORKER;
	a->ino = lt_pid_ino(pid);
	a->cgroup = cgroup_of(p);
	a->oom_score_adj = READ_ONCE(p->signal->oom_score_adj);

	rcu_read_lock();
	cred = __task_cred(p);
	a->uid = from_kuid(&init_user_ns, cred->uid);
	a->gid = from_kgid(&init_user_ns, cred->gid);
	/*
	 * The parent of a task that was released may be freed. As long as the task was
	 * not released, the parent, and the parent's leader, live through this section.
	 * (exec may replace the leader: the successor has the leader's start.)
	 */
	a->parent = 0;
	a->parent_start = 0;
	if (pid_alive(p)) {
		parent = rcu_dereference(p->real_parent);
		a->parent = parent->tgid;
		a->parent_start = READ_ONCE(parent->group_leader)->start_boottime;
	}
	rcu_read_unlock();
}

/**
 * lt_task_write_new() - write the record of a birth; see lt_numbers_born()
 * @p: the new task
 * @clone_flags: of the call
 * @number: its number
 *
 * Context: any; lt_pid_lock may be held.
 */
void lt_task_write_new(struct task_struct *p, u64 clone_flags,
		       const struct lt_task_number *number)
{
	struct lt_rec_TASK_NEW *rec;
	struct lt_channel_cpu *c;
	struct lt_task_attr a;
	unsigned long flags;

	lt_task_read_attr(p, task_pid(p), &a);
	c = lt_enter(&lt_channel_pid, LT_CLASS_BIRTH, &flags);
	if (!c)
		return;
	rec = lt_reserve_no_task(&lt_channel_pid, c, LT_CLASS_BIRTH, LT_EV_TASK_NEW, sizeof(*rec));
	if (rec) {
		rec->tid = p->pid;
		rec->tgid = p->tgid;
		rec->start = p->start_boottime;
		rec->creator = current->pid;
		rec->creator_start = current->start_boottime;
		rec->parent = a.parent;
		rec->parent_start = a.parent_start;
		rec->clone_flags = clone_flags;
		rec->flags = a.flags;
		rec->ns = number->ns;
		rec->nr = number->nr;
		rec->generation = number->generation;
		rec->ino = a.ino;
		rec->uid = a.uid;
		rec->gid = a.gid;
		rec->cgroup = a.cgroup;
		rec->oom_score_adj = a.oom_score_adj;
		memcpy(rec->comm, p->comm, sizeof(rec->comm));
	}
	lt_leave(c, LT_CLASS_BIRTH, flags);
}

/**
 * lt_path_len() - length of a path, without " (deleted)" that d_path() appends
 * @file: may be unlinked at any time
 * @path: by d_path(), with a zero at its end
 *
 * Context: any.
 */
size_t lt_path_len(const struct file *file, const char *path)
{
	static const char deleted[] = " (deleted)";
	const size_t end = sizeof(deleted) - 1;
	size_t len = strlen(path);

	/* A name may end so by itself: the file must be unlinked, too. */
	if (len > end && !memcmp(path + len - end, deleted, end) &&
	    d_unlinked(file->f_path.dentry))
		len -= end;
	return len;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The channel pid: births, changes and deaths of tasks.
 *
 * A task is attached to its number, and can be seen in /proc, before
 * task_newtask says that it was born; it cannot have run by then. So every
 * task that does something, or that is not found by a walk over all tasks after
 * these probes are attached, has its birth in the trace. See snapshot.c.
 *
 * What all probes are attached for begins, and ends, for all of them in one
 * moment: lt_pid_recording.
 *
 * Nothing here is frequent, so unlike the allocators' these probes may take a
 * lock (lt_pid_lock, with interrupts off) and, once in a hundred numbers, a page.
 */
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/binfmts.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/task_io_accounting_ops.h>
#include <trace/events/cgroup.h>
#include <trace/events/oom.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "pid/pidgen.h"
#include "core/probe.h"
#include "pid/task.h"

struct lt_channel lt_pid = { .plain = true };

/* Where the path of a program is made: it does not fit a stack. */
struct path_buffer {
	char text[LT_PATH_MAX];
};

static struct path_buffer __percpu *path_buffers;

/* ------------------------------------------------------------------------
 * Births
 */

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
 * lt_task_attr() - read what is said of a task
 * @p: the task
 * @pid: its struct pid
 * @a: filled in
 *
 * Context: any; @p and @pid do not go away.
 */
void lt_task_attr(struct task_struct *p, struct pid *pid, struct lt_task_attr *a)
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
	 * Once a task was released nobody keeps its parent for it. As long as it
	 * was not, the parent, and its leader, live through this section. (exec
	 * may replace the leader: the successor has its start.)
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

/* The birth's own record; see lt_numbers_born(). Context: any. */
void lt_task_write_new(struct task_struct *p, u64 clone_flags,
		       const struct lt_task_number *number)
{
	struct lt_rec_TASK_NEW *rec;
	struct lt_channel_cpu *c;
	struct lt_task_attr a;
	unsigned long flags;

	lt_task_attr(p, task_pid(p), &a);
	c = lt_enter(&lt_pid, LT_CLASS_BIRTH, &flags);
	if (!c)
		return;
	rec = lt_reserve_plain(&lt_pid, c, LT_CLASS_BIRTH, LT_EV_TASK_NEW, sizeof(*rec));
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

/* An idle task of a CPU that comes up has no number. */
static void on_newtask(struct task_struct *p, u64 clone_flags)
{
	if (p->pid && READ_ONCE(lt_pid_recording))
		lt_numbers_born(p, clone_flags);
}

LT_PROBE_NEWTASK(probe_newtask, on_newtask)

/* ------------------------------------------------------------------------
 * exec
 */

/* All forms begin alike, and end with the text. */
#define put_exec(NAME, text, len)					\
	do {								\
		struct lt_rec_##NAME *rec_ = lt_reserve_plain(&lt_pid, c, \
			LT_CLASS_EXEC, LT_EV_##NAME, sizeof(*rec_));	\
									\
		if (rec_) {						\
			rec_->tid = p->pid;				\
			rec_->start = p->start_boottime;		\
			rec_->old_tid = old_tid;			\
			rec_->old_start = old_start;			\
			lt_put_text(rec_->file, sizeof(rec_->file), text, len); \
		}							\
	} while (0)

static void write_exec(const struct task_struct *p, u32 old_tid, u64 old_start,
		       const char *text)
{
	size_t len = strlen(text);
	struct lt_channel_cpu *c;
	unsigned long flags;

	c = lt_enter(&lt_pid, LT_CLASS_EXEC, &flags);
	if (!c)
		return;
	if (len <= sizeof(((struct lt_rec_EXEC *)0)->file))
		put_exec(EXEC, text, len);
	else if (len <= sizeof(((struct lt_rec_EXEC_WIDE *)0)->file))
		put_exec(EXEC_WIDE, text, len);
	else
		put_exec(EXEC_HUGE, text, len);
	lt_leave(c, LT_CLASS_EXEC, flags);
}

/**
 * lt_path_len() - of what d_path() made of a file, without what it appends when the
 *	file is gone
 * @file: may go at any time
 * @path: with a zero at its end
 *
 * Context: any.
 */
size_t lt_path_len(const struct file *file, const char *path)
{
	static const char deleted[] = " (deleted)";
	const size_t end = sizeof(deleted) - 1;
	size_t len = strlen(path);

	/* It may have gone since then: the text has to say so, too. */
	if (len > end && !memcmp(path + len - end, deleted, end) &&
	    d_unlinked(file->f_path.dentry))
		len -= end;
	return len;
}

/*
 * The path is that of the file as the task sees it. What was given to execve()
 * may be relative, and of a script it is the script; that stands in where there
 * is no path.
 *
 * d_path() takes no lock that exec would hold here, and does not sleep; the
 * buffer is this CPU's as long as preemption is off.
 */
static void probe_exec(void *data, struct task_struct *p, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	u64 old_start = p->start_boottime;
	struct path_buffer *b;
	char *path;

	if (!READ_ONCE(lt_pid_recording))
		return;
	if (old_pid != p->pid)
		old_start = lt_number_passed_on(p->pid, old_pid);
	preempt_disable();
	b = this_cpu_ptr(path_buffers);
	path = d_path(&bprm->file->f_path, b->text, sizeof(b->text));
	if (!IS_ERR(path))
		path[lt_path_len(bprm->file, path)] = 0;
	write_exec(p, old_pid, old_start, IS_ERR(path) ? bprm->filename : path);
	preempt_enable();
}

/* ------------------------------------------------------------------------
 * Changes
 */

/* Called before the change, under the lock of the name. */
static void probe_rename(void *data, struct task_struct *p, const char *comm)
{
	struct lt_rec_RENAME *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	if (!READ_ONCE(lt_pid_recording))
		return;
	c = lt_enter(&lt_pid, LT_CLASS_RENAME, &flags);
	if (!c)
		return;
	rec = lt_reserve_plain(&lt_pid, c, LT_CLASS_RENAME, LT_EV_RENAME, sizeof(*rec));
	if (rec) {
		rec->tid = p->pid;
		rec->start = p->start_boottime;
		memcpy(rec->old, p->comm, sizeof(rec->old));
		lt_put_text(rec->comm, sizeof(rec->comm), comm,
			    strnlen(comm, TASK_COMM_LEN - 1));
	}
	lt_leave(c, LT_CLASS_RENAME, flags);
}

/*
 * Called after the change; of the processes that share its memory nothing is
 * told. Who writes has waited for others: the task may have died meanwhile, and
 * its leader be gone. Then it matters to nobody.
 */
static void probe_oom(void *data, struct task_struct *p)
{
	struct lt_rec_OOM *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;
	u64 start = 0;
	s16 now, old;

	if (!READ_ONCE(lt_pid_recording))
		return;
	rcu_read_lock();
	if (pid_alive(p))
		start = READ_ONCE(p->group_leader)->start_boottime;
	rcu_read_unlock();
	if (!start)
		return;
	now = READ_ONCE(p->signal->oom_score_adj);
	old = lt_number_oom(p->tgid, start, now);
	c = lt_enter(&lt_pid, LT_CLASS_OOM, &flags);
	if (!c)
		return;
	rec = lt_reserve_plain(&lt_pid, c, LT_CLASS_OOM, LT_EV_OOM, sizeof(*rec));
	if (rec) {
		rec->tgid = p->tgid;
		rec->start = start;
		rec->old = old;
		rec->oom_score_adj = now;
		rec->by = current->pid;
		rec->by_start = current->start_boottime;
	}
	lt_leave(c, LT_CLASS_OOM, flags);
}

/* int commit_creds(struct cred *new), for the running task */
static void on_commit_creds(struct pt_regs *regs, unsigned long call_site)
{
	const struct cred *new = (void *)lt_arg(regs, 0), *old = current_real_cred();
	struct lt_rec_CRED *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	if (!READ_ONCE(lt_pid_recording))
		return;
	if (uid_eq(new->uid, old->uid) && uid_eq(new->euid, old->euid) &&
	    gid_eq(new->gid, old->gid) && gid_eq(new->egid, old->egid))
		return;
	c = lt_enter(&lt_pid, LT_CLASS_CRED, &flags);
	if (!c)
		return;
	rec = lt_reserve_plain(&lt_pid, c, LT_CLASS_CRED, LT_EV_CRED, sizeof(*rec));
	if (rec) {
		rec->tid = current->pid;
		rec->start = current->start_boottime;
		rec->old_uid = from_kuid(&init_user_ns, old->uid);
		rec->uid = from_kuid(&init_user_ns, new->uid);
		rec->old_euid = from_kuid(&init_user_ns, old->euid);
		rec->euid = from_kuid(&init_user_ns, new->euid);
		rec->old_gid = from_kgid(&init_user_ns, old->gid);
		rec->gid = from_kgid(&init_user_ns, new->gid);
		rec->old_egid = from_kgid(&init_user_ns, old->egid);
		rec->egid = from_kgid(&init_user_ns, new->egid);
	}
	lt_leave(c, LT_CLASS_CRED, flags);
}

LT_CHECK_FUNCTION(commit_creds, int (struct cred *));
LT_FUNCTION_PROBE(lt_on_commit_creds, on_commit_creds);

#ifdef CONFIG_CGROUPS
static void probe_cgroup(void *data, struct cgroup *to, const char *path,
			 struct task_struct *p, bool threadgroup)
{
	struct lt_rec_CGROUP *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	if (!READ_ONCE(lt_pid_recording))
		return;
	c = lt_enter(&lt_pid, LT_CLASS_CGROUP, &flags);
	if (!c)
		return;
	rec = lt_reserve_plain(&lt_pid, c, LT_CLASS_CGROUP, LT_EV_CGROUP, sizeof(*rec));
	if (rec) {
		rec->tid = p->pid;
		rec->start = p->start_boottime;
		rec->group = threadgroup;
		rec->hierarchy = to->root->hierarchy_id;
		rec->cgroup = cgroup_id(to);
	}
	lt_leave(c, LT_CLASS_CGROUP, flags);
}
#endif

/* ------------------------------------------------------------------------
 * Deaths
 */

static void put_usage(struct lt_rec_EXIT *rec, const struct task_struct *p)
{
	rec->utime = p->utime;
	rec->stime = p->stime;
	rec->runtime = p->se.sum_exec_runtime;
	rec->maxrss = (u64)p->signal->maxrss << PAGE_SHIFT;
	rec->min_flt = min_t(u64, p->min_flt, U32_MAX);
	rec->maj_flt = min_t(u64, p->maj_flt, U32_MAX);
	rec->nvcsw = min_t(u64, p->nvcsw, U32_MAX);
	rec->nivcsw = min_t(u64, p->nivcsw, U32_MAX);
	rec->rchar = 0;
	rec->wchar = 0;
	rec->read_bytes = 0;
	rec->write_bytes = 0;
#ifdef CONFIG_TASK_XACCT
	rec->rchar = p->ioac.rchar;
	rec->wchar = p->ioac.wchar;
#endif
#ifdef CONFIG_TASK_IO_ACCOUNTING
	rec->read_bytes = p->ioac.read_bytes;
	rec->write_bytes = p->ioac.write_bytes;
#endif
}

static void on_exit(struct task_struct *p, bool group_dead)
{
	struct lt_rec_EXIT *rec;
	struct lt_channel_cpu *c;
	struct lt_task_attr a;
	unsigned long flags;

	if (!READ_ONCE(lt_pid_recording))
		return;
	lt_task_attr(p, task_pid(p), &a);
	lt_numbers_died(p);
	c = lt_enter(&lt_pid, LT_CLASS_EXIT, &flags);
	if (!c)
		return;
	rec = lt_reserve_plain(&lt_pid, c, LT_CLASS_EXIT, LT_EV_EXIT, sizeof(*rec));
	if (rec) {
		rec->tid = p->pid;
		rec->tgid = p->tgid;
		rec->start = p->start_boottime;
		rec->group_dead = group_dead;
		rec->code = p->exit_code;
		rec->parent = a.parent;
		rec->parent_start = a.parent_start;
		put_usage(rec, p);
		rec->oom_score_adj = a.oom_score_adj;
		memcpy(rec->comm, p->comm, sizeof(rec->comm));
	}
	lt_leave(c, LT_CLASS_EXIT, flags);
}

LT_PROBE_TASK_EXIT(probe_exit, on_exit)

/*
 * From RCU: its number may have another holder, and current is no one of
 * interest. What it used is complete only now: at its exit it was still running,
 * and the scheduler counts when it stops.
 */
static void probe_release(void *data, struct task_struct *p)
{
	struct lt_rec_RELEASE *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	if (!READ_ONCE(lt_pid_recording))
		return;
	c = lt_enter(&lt_pid, LT_CLASS_RELEASE, &flags);
	if (!c)
		return;
	rec = lt_reserve_plain(&lt_pid, c, LT_CLASS_RELEASE, LT_EV_RELEASE, sizeof(*rec));
	if (rec) {
		rec->tid = p->pid;
		rec->start = p->start_boottime;
		rec->utime = p->utime;
		rec->stime = p->stime;
		rec->runtime = p->se.sum_exec_runtime;
	}
	lt_leave(c, LT_CLASS_RELEASE, flags);
}

/* ------------------------------------------------------------------------
 * The table
 */

LT_CHECK_TRACEPOINT(task_newtask, LT_NEWTASK_PROBE(probe_newtask));
LT_CHECK_TRACEPOINT(sched_process_exec, probe_exec);
LT_CHECK_TRACEPOINT(task_rename, probe_rename);
LT_CHECK_TRACEPOINT(oom_score_adj_update, probe_oom);
#ifdef CONFIG_CGROUPS
LT_CHECK_TRACEPOINT(cgroup_attach_task, probe_cgroup);
#endif
LT_CHECK_TRACEPOINT(sched_process_exit, LT_TASK_EXIT_PROBE(probe_exit));
LT_CHECK_TRACEPOINT(sched_process_free, probe_release);

#define TRACEPOINT(event, tracepoint, probe) \
	{ .name = event, .kind = LT_TRACEPOINT, .group = LT_GROUP_TASKS, \
	  .symbols = { tracepoint }, .fn = probe }

struct lt_probe lt_task_probes[] = {
	TRACEPOINT("release", "sched_process_free", probe_release),
	TRACEPOINT("exit", "sched_process_exit", LT_TASK_EXIT_PROBE(probe_exit)),
	TRACEPOINT("exec", "sched_process_exec", probe_exec),
	TRACEPOINT("rename", "task_rename", probe_rename),
	TRACEPOINT("oom_score_adj", "oom_score_adj_update", probe_oom),
	{ .name = "cred", .kind = LT_FUNCTION, .group = LT_GROUP_TASKS,
	  .symbols = { "commit_creds" }, .function = &lt_on_commit_creds },
#ifdef CONFIG_CGROUPS
	TRACEPOINT("cgroup", "cgroup_attach_task", probe_cgroup),
#endif
	TRACEPOINT("task_new", "task_newtask", LT_NEWTASK_PROBE(probe_newtask)),
};

const unsigned int lt_n_task_probes = ARRAY_SIZE(lt_task_probes);

int lt_task_init(void)
{
	int err;

	path_buffers = alloc_percpu(struct path_buffer);
	if (!path_buffers)
		return -ENOMEM;
	err = lt_channel_init(&lt_pid, LT_CHANNEL_PID);
	if (err)
		free_percpu(path_buffers);
	return err;
}

void lt_task_exit(void)
{
	lt_channel_destroy(&lt_pid);
	free_percpu(path_buffers);
}

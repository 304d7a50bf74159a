// SPDX-License-Identifier: GPL-2.0
/*
 * The channel pid: births, changes and deaths of tasks.
 *
 * A task is attached to its number, and can be seen in /proc, before
 * task_newtask reports its birth; it cannot have run by then. So every task that
 * causes an event, or that is not found by a walk over all tasks after these probes
 * are attached, has its birth in the trace. See snapshot.c.
 *
 * Probes are attached one by one; writing begins, and ends, for all of them at one
 * moment, by lt_pid_recording.
 *
 * These events are rare, so unlike those of the allocators their probes may take a
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

#include "pid/internal.h"

/* Room for the path of a program, which does not fit a stack. */
struct path_buffer {
	char text[LT_PATH_MAX];
};

static struct path_buffer __percpu *path_buffers;

/* ------------------------------------------------------------------------
 * Births
 */

/* The idle task of a CPU that comes up has no number, and is not recorded. */
static void on_newtask(struct task_struct *p, u64 clone_flags)
{
	if (p->pid && READ_ONCE(lt_pid_recording))
		lt_numbers_born(p, clone_flags);
}

LT_PROBE_NEWTASK(probe_newtask, on_newtask)

/* ------------------------------------------------------------------------
 * exec
 */

/* The forms differ in the size of their last field, the text, alone. */
#define put_exec(NAME, text, len)					\
	do {								\
		struct lt_rec_##NAME *rec_ = lt_reserve_no_task(&lt_channel_pid, c, \
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

	c = lt_enter(&lt_channel_pid, LT_CLASS_EXEC, &flags);
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

/*
 * Writes the path of the file as the task sees it. If there is none, the name that was
 * given to execve() stands in, which may be relative, or that of a script.
 *
 * d_path() takes no lock that exec holds here, and does not sleep; no other task uses
 * this CPU's buffer as long as preemption is off.
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

/* Called before the change, under the lock of the name (before 6.14). */
static void probe_rename(void *data, struct task_struct *p, const char *comm)
{
	struct lt_rec_RENAME *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	if (!READ_ONCE(lt_pid_recording))
		return;
	c = lt_enter(&lt_channel_pid, LT_CLASS_RENAME, &flags);
	if (!c)
		return;
	rec = lt_reserve_no_task(&lt_channel_pid, c, LT_CLASS_RENAME, LT_EV_RENAME, sizeof(*rec));
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
 * Called after the change; not for the processes that share its memory. The task that
 * writes oom_score_adj has waited for locks: the target may have died meanwhile, and its
 * leader be gone. Then the event is dropped.
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
	c = lt_enter(&lt_channel_pid, LT_CLASS_OOM, &flags);
	if (!c)
		return;
	rec = lt_reserve_no_task(&lt_channel_pid, c, LT_CLASS_OOM, LT_EV_OOM, sizeof(*rec));
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
static void on_commit_creds(struct lt_entry *entry, unsigned long call_site)
{
	const struct cred *new = (void *)lt_entry_arg(entry, 0), *old = current_real_cred();
	struct lt_rec_CRED *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	if (!READ_ONCE(lt_pid_recording))
		return;
	if (uid_eq(new->uid, old->uid) && uid_eq(new->euid, old->euid) &&
	    gid_eq(new->gid, old->gid) && gid_eq(new->egid, old->egid))
		return;
	c = lt_enter(&lt_channel_pid, LT_CLASS_CRED, &flags);
	if (!c)
		return;
	rec = lt_reserve_no_task(&lt_channel_pid, c, LT_CLASS_CRED, LT_EV_CRED, sizeof(*rec));
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
	c = lt_enter(&lt_channel_pid, LT_CLASS_CGROUP, &flags);
	if (!c)
		return;
	rec = lt_reserve_no_task(&lt_channel_pid, c, LT_CLASS_CGROUP, LT_EV_CGROUP, sizeof(*rec));
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
	lt_task_read_attr(p, task_pid(p), &a);
	lt_numbers_died(p);
	c = lt_enter(&lt_channel_pid, LT_CLASS_EXIT, &flags);
	if (!c)
		return;
	rec = lt_reserve_no_task(&lt_channel_pid, c, LT_CLASS_EXIT, LT_EV_EXIT, sizeof(*rec));
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
 * Called from RCU: its number may have another holder, and current is an unrelated
 * task. Its times are complete only now: at its exit it was still running, and the
 * scheduler counts when it stops.
 */
static void probe_release(void *data, struct task_struct *p)
{
	struct lt_rec_RELEASE *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	if (!READ_ONCE(lt_pid_recording))
		return;
	c = lt_enter(&lt_channel_pid, LT_CLASS_RELEASE, &flags);
	if (!c)
		return;
	rec = lt_reserve_no_task(&lt_channel_pid, c, LT_CLASS_RELEASE, LT_EV_RELEASE, sizeof(*rec));
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
 * The table of probes
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
	{ .name = event, .kind = LT_TRACEPOINT, .group = "tasks", \
	  .symbols = { tracepoint }, .fn = probe }

static struct lt_probe probes[] = {
	TRACEPOINT("release", "sched_process_free", probe_release),
	TRACEPOINT("exit", "sched_process_exit", LT_TASK_EXIT_PROBE(probe_exit)),
	TRACEPOINT("exec", "sched_process_exec", probe_exec),
	TRACEPOINT("rename", "task_rename", probe_rename),
	TRACEPOINT("oom_score_adj", "oom_score_adj_update", probe_oom),
	{ .name = "cred", .kind = LT_FUNCTION, .group = "tasks",
	  .symbols = { "commit_creds" }, .function = &lt_on_commit_creds },
#ifdef CONFIG_CGROUPS
	TRACEPOINT("cgroup", "cgroup_attach_task", probe_cgroup),
#endif
	/* The functions that watch numbers come with the tasks: see pidgen.c. */
	{ .name = "task_new", .kind = LT_TRACEPOINT, .group = "tasks",
	  .aliases = { "number", "number_free" }, .symbols = { "task_newtask" },
	  .fn = LT_NEWTASK_PROBE(probe_newtask) },
};

const struct lt_probes lt_pid_probes = { probes, ARRAY_SIZE(probes) };

int lt_task_init(void)
{
	path_buffers = alloc_percpu(struct path_buffer);
	return path_buffers ? 0 : -ENOMEM;
}

void lt_task_exit(void)
{
	free_percpu(path_buffers);
}

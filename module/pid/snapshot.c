// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots: every task of every namespace, written into the stream of events.
 *
 * One is taken when all probes are attached, one on demand, one before the
 * probes are detached.
 *
 * That none is missing: a task that is alive when the walk ends was attached to
 * its number before the walk began, then the walk over all numbers finds it; or
 * later, then task_newtask, which comes after, has written its birth: see
 * lt_pidgen_record(). A number's task is looked up just before it is written. If
 * meanwhile a thread takes its leader's place by exec, the process has the leader's
 * number before and after, and the thread's own number has no task.
 *
 * A snapshot is never lost: it is written by a kernel thread of its own, which
 * waits for room in the buffers. Events in between do no harm: for the reader an event
 * outranks a state record that was read before it. The thread waits for the recorder,
 * so nothing that the recorder may depend on waits for the thread.
 */
#include <linux/dcache.h>
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "pid/internal.h"

#define BATCH		32	/* numbers to which references are held at once */
#define WAIT_MS		20	/* when there is no room */

struct batch {
	unsigned int n;
	struct pid *pid[BATCH];
};

static void snapshot(struct work_struct *work);
static DECLARE_WORK(snapshot_work, snapshot);

static struct workqueue_struct *queue;
static char *path_buffer;	/* of the worker */

static DEFINE_SPINLOCK(lock);	/* the next five, and changes of lt_pid_snapshot */
static bool open;		/* a session is recording tasks */
static u32 epoch;		/* number of the latest snapshot */
static u32 tasks;		/* written for it */
static bool finished;
static enum lt_snapshot_purpose purpose;

static bool stopping;		/* the session ends: do not wait for room */

static const char * const purposes[] = {
	[LT_SNAPSHOT_INITIAL] = "initial",
	[LT_SNAPSHOT_DEMAND] = "demand",
	[LT_SNAPSHOT_FINAL] = "final",
};

/* ------------------------------------------------------------------------
 * Writing a record as soon as there is room
 */

/* A record that is being written: interrupts are off. */
struct writing {
	struct lt_channel_cpu *c;
	unsigned long flags;
};

/*
 * Reserve a record; sleeps until there is room. Return: where its payload goes, to be
 * followed by end_record(); NULL: the session ends.
 */
static void *begin_record(struct writing *w, unsigned int id, size_t size)
{
	for (;;) {
		void *rec;

		w->c = lt_enter(&lt_channel_pid, LT_CLASS_STATE, &w->flags);
		if (w->c) {
			/*
			 * Snapshot records may fill half of the buffer; events cannot
			 * be retried and get the rest. A lost event would make a gap.
			 */
			rec = lt_half_full(&lt_channel_pid) ? NULL :
			      lt_reserve_uncounted(&lt_channel_pid, w->c, id, size);
			if (rec)
				return rec;
			lt_cancel(w->c, w->flags);
		}
		if (READ_ONCE(stopping))
			return NULL;
		msleep(WAIT_MS);
	}
}

static void end_record(struct writing *w, bool counts)
{
	if (counts)
		lt_leave(w->c, LT_CLASS_STATE, w->flags);
	else
		lt_cancel(w->c, w->flags);
}

static bool write_begin(u32 number, enum lt_snapshot_purpose why)
{
	struct lt_rec_SNAP_BEGIN *rec;
	struct writing w;
	u64 generation;
	u32 cursor;

	rec = begin_record(&w, LT_EV_SNAP_BEGIN, sizeof(*rec));
	if (!rec)
		return false;
	lt_pidgen_cursor(&cursor, &generation);
	rec->epoch = number;
	rec->purpose = why;
	rec->cursor = cursor;
	rec->generation = generation;
	rec->lost = lt_channel_lost(&lt_channel_pid);
	end_record(&w, false);
	return true;
}

static bool write_end(u32 number, bool all, u32 written)
{
	struct lt_rec_SNAP_END *rec;
	struct writing w;
	u64 generation;
	u32 cursor;

	rec = begin_record(&w, LT_EV_SNAP_END, sizeof(*rec));
	if (!rec)
		return false;
	lt_pidgen_cursor(&cursor, &generation);
	rec->epoch = number;
	rec->complete = all;
	rec->tasks = written;
	rec->cursor = cursor;
	rec->generation = generation;
	rec->lost = lt_channel_lost(&lt_channel_pid);
	end_record(&w, false);
	return true;
}

/* ------------------------------------------------------------------------
 * One task
 */

/* A task, as it was read; the fields are those of the record. */
struct state {
	u32 epoch;
	u32 tid;
	u32 tgid;
	u64 start;
	struct lt_task_attr a;
	char letter;
	u16 ns;
	u32 nr;
	u32 pgid;
	u32 sid;
	char comm[TASK_COMM_LEN];
	const char *path;
	size_t path_len;
};

/*
 * The program's file, without a reference to the task's memory: dropping the last one means
 * to wait for I/O that the process began, which the process may keep from ever ending. exec
 * and exit take the memory from a task under this lock, before they drop its reference.
 *
 * The last reference to a file, a struct task_struct or a struct pid may be dropped here.
 * None waits: a kernel thread's fput() leaves the work to a workqueue of the kernel's.
 */
static struct file *exe_file(struct task_struct *p)
{
	struct file *file = NULL;

	task_lock(p);
	/* A kernel thread's memory is borrowed. The task may change its other flags. */
	if (p->mm && !(data_race(READ_ONCE(p->flags)) & PF_KTHREAD))
		file = lt_mm_exe_file(p->mm);
	task_unlock(p);
	return file;
}

/*
 * The program's path, as this thread of the kernel sees it: a task in a chroot
 * sees another one.
 */
static void read_path(struct task_struct *p, struct state *s)
{
	struct file *file = exe_file(p);
	const char *path;

	s->path = "";
	s->path_len = 0;
	if (!file)
		return;
	path = d_path(&file->f_path, path_buffer, LT_PATH_MAX);
	if (!IS_ERR(path)) {
		s->path = path;
		s->path_len = lt_path_len(file, path);
	}
	fput(file);
}

/*
 * The task that has the number now, and its identity. While a thread takes its leader's
 * number and start by exec, under a lock that modules cannot take, the fields that are read
 * may not belong together: they are checked and read again. The old leader, which
 * has the thread's number then, is no task any more: the process is found by the
 * leader's number.
 *
 * Return: the task, to be put; NULL: the number has none.
 */
static struct task_struct *get_task(struct pid *pid, struct state *s)
{
	struct task_struct *p, *leader;
	bool remains;

	rcu_read_lock();
	for (;;) {
		p = pid_task(pid, PIDTYPE_PID);
		if (!p)
			break;
		/* As long as a task has its number, its leader exists. */
		leader = READ_ONCE(p->group_leader);
		s->tid = READ_ONCE(p->pid);
		s->tgid = READ_ONCE(p->tgid);
		s->start = READ_ONCE(p->start_boottime);
		remains = p != leader && s->tid != s->tgid &&
			  s->start == READ_ONCE(leader->start_boottime) &&
			  (READ_ONCE(p->exit_state) || READ_ONCE(leader->exit_state));
		smp_rmb();	/* the reads above are before the checks below */
		if (pid_task(pid, PIDTYPE_PID) != p || READ_ONCE(p->group_leader) != leader ||
		    READ_ONCE(p->start_boottime) != s->start ||
		    s->tid != pid->numbers[0].nr)
			continue;
		if (remains)
			p = NULL;
		else
			get_task_struct(p);
		break;
	}
	rcu_read_unlock();
	return p;
}

/* A name may be changing, since 6.14 without a lock: read until two reads are equal. */
static void read_name(const struct task_struct *p, char *comm)
{
	char again[TASK_COMM_LEN];
	unsigned int tries = 10;

	do {
		/* A race gives a mixed name, which the second read detects. */
		data_race(memcpy(comm, p->comm, TASK_COMM_LEN));
		barrier();
		/* A race here is detected by the comparison. */
		data_race(memcpy(again, p->comm, TASK_COMM_LEN));
	} while (memcmp(comm, again, sizeof(again)) && --tries);
}

static void read_state(struct task_struct *p, struct pid *pid, struct state *s)
{
	lt_numbers_seed(p, pid, s->tid, s->start, &s->ns, &s->nr);
	lt_task_read_attr(p, pid, &s->a);
	/* The task may run: its state at this moment. */
	s->letter = data_race(task_state_to_char(p));
	rcu_read_lock();
	s->pgid = pid_nr(task_pgrp(p));
	s->sid = pid_nr(task_session(p));
	rcu_read_unlock();
	read_name(p, s->comm);
	/* The task may change its other flags at any time. */
	if (data_race(READ_ONCE(p->flags)) & PF_EXITING)
		s->a.flags |= LT_TASK_FLAG_EXITING;
	read_path(p, s);
	/*
	 * exec changes name and program, and its event comes at its end, perhaps after the
	 * session. in_execve is set before exec takes locks, and cleared after its event.
	 * So if the values read above are new, either the event was written before this
	 * record, or the flag is still set.
	 */
	smp_rmb();
	/* The task may write this bit, and its neighbours, at any time. */
	if (data_race(!!p->in_execve))
		s->a.flags |= LT_TASK_FLAG_IN_EXEC;
}

/* One function each form; they differ in the size of their last field, the text, alone. */
#define DEFINE_PUT_STATE(NAME)						\
static bool put_##NAME(const struct state *s)				\
{									\
	struct lt_rec_##NAME *rec;					\
	struct writing w;						\
									\
	rec = begin_record(&w, LT_EV_##NAME, sizeof(*rec));		\
	if (!rec)							\
		return false;						\
	rec->epoch = s->epoch;						\
	rec->tid = s->tid;						\
	rec->tgid = s->tgid;						\
	rec->start = s->start;						\
	rec->parent = s->a.parent;					\
	rec->parent_start = s->a.parent_start;				\
	rec->flags = s->a.flags;					\
	rec->state[0] = s->letter;					\
	rec->ns = s->ns;						\
	rec->nr = s->nr;						\
	rec->pgid = s->pgid;						\
	rec->sid = s->sid;						\
	rec->ino = s->a.ino;						\
	rec->uid = s->a.uid;						\
	rec->gid = s->a.gid;						\
	rec->cgroup = s->a.cgroup;					\
	rec->oom_score_adj = s->a.oom_score_adj;			\
	memcpy(rec->comm, s->comm, sizeof(rec->comm));			\
	lt_put_text(rec->file, sizeof(rec->file), s->path, s->path_len);	\
	end_record(&w, true);						\
	return true;							\
}

DEFINE_PUT_STATE(STATE)
DEFINE_PUT_STATE(STATE_WIDE)
DEFINE_PUT_STATE(STATE_HUGE)

static bool write_state(const struct state *s)
{
	if (s->path_len <= sizeof(((struct lt_rec_STATE *)0)->file))
		return put_STATE(s);
	if (s->path_len <= sizeof(((struct lt_rec_STATE_WIDE *)0)->file))
		return put_STATE_WIDE(s);
	return put_STATE_HUGE(s);
}

/* ------------------------------------------------------------------------
 * All tasks, by their numbers
 */

/* Take references to the next numbers in use, from @nr on. */
static void take_batch(struct batch *b, int *nr)
{
	struct pid *pid;

	b->n = 0;
	rcu_read_lock();
	while (b->n < BATCH && (pid = idr_get_next(&init_pid_ns.idr, nr)) != NULL) {
		b->pid[b->n++] = get_pid(pid);
		(*nr)++;
	}
	rcu_read_unlock();
}

/* The task of one number, if it has one. Return: false: the session ends. */
static bool write_task(struct pid *pid, struct state *s, u32 *written)
{
	struct task_struct *p = get_task(pid, s);
	bool ok;

	if (!p)
		return true;
	read_state(p, pid, s);
	put_task_struct(p);
	ok = write_state(s);
	*written += ok;
	return ok;
}

/* Return: were all written? */
static bool write_tasks(struct batch *b, u32 number, u32 *written)
{
	struct state s = { .epoch = number };
	bool ok = true;
	int nr = 1;

	do {
		unsigned int i;

		take_batch(b, &nr);
		for (i = 0; i < b->n; i++) {
			if (ok)
				ok = write_task(b->pid[i], &s, written);
			put_pid(b->pid[i]);
		}
		spin_lock(&lock);
		tasks = *written;
		spin_unlock(&lock);
		cond_resched();
	} while (ok && b->n);
	return ok;
}

/* Announce the namespaces as there is room. Return: were all announced? */
static bool write_namespaces(void)
{
	unsigned long index = 0;

	while (lt_pidgen_announce(&index)) {
		if (READ_ONCE(stopping))
			return false;
		msleep(WAIT_MS);
	}
	return true;
}

static void snapshot(struct work_struct *work)
{
	enum lt_snapshot_purpose why;
	struct batch *b;
	u32 number, written = 0;
	bool all = false;

	spin_lock(&lock);
	number = epoch;
	why = purpose;
	spin_unlock(&lock);

	b = kmalloc(sizeof(*b), GFP_KERNEL);
	if (b && write_begin(number, why)) {
		all = write_namespaces() && write_tasks(b, number, &written);
		/* Once more, with the counts of the end. */
		all = write_namespaces() && all;
		all = write_end(number, all, written) && all;
	}
	kfree(b);

	spin_lock(&lock);
	finished = all;
	/* Release: pairs with the acquire in is_rested(). Its records are written. */
	smp_store_release(&lt_pid_snapshot, false);
	spin_unlock(&lock);
}

/**
 * lt_snapshot_take() - begin a snapshot
 * @why: its purpose
 *
 * The worker writes it; lt_snapshot_show() reports its progress.
 *
 * Context: process.
 * Return: 0, -ENODATA: tasks are not recorded, -EBUSY: one is under way.
 */
int lt_snapshot_take(enum lt_snapshot_purpose why)
{
	int err = 0;

	spin_lock(&lock);
	if (!open) {
		err = -ENODATA;
	} else if (lt_pid_snapshot) {
		err = -EBUSY;
	} else {
		WRITE_ONCE(lt_pid_snapshot, true);
		finished = false;
		purpose = why;
		tasks = 0;
		epoch++;
		queue_work(queue, &snapshot_work);
	}
	spin_unlock(&lock);
	return err;
}

/* Allow snapshots, and begin the initial one. Context: process; all probes are attached. */
void lt_snapshot_begin_session(void)
{
	WRITE_ONCE(stopping, false);
	spin_lock(&lock);
	open = true;
	epoch = 0;
	spin_unlock(&lock);
	lt_snapshot_take(LT_SNAPSHOT_INITIAL);
}

/*
 * Forbid snapshots, and end the one under way. After this no snapshot writes to the
 * channel. Context: process, sleeps.
 */
void lt_snapshot_end_session(void)
{
	spin_lock(&lock);
	open = false;
	spin_unlock(&lock);
	WRITE_ONCE(stopping, true);
	flush_work(&snapshot_work);
}

/* The line of the file "snapshot". Context: process. */
void lt_snapshot_show(struct seq_file *m)
{
	spin_lock(&lock);
	if (epoch)
		seq_printf(m, "epoch %u %s %s tasks %u\n", epoch, purposes[purpose],
			   lt_pid_snapshot ? "running" : finished ? "done" : "aborted", tasks);
	spin_unlock(&lock);
}

int lt_snapshot_init(void)
{
	path_buffer = kmalloc(LT_PATH_MAX, GFP_KERNEL);
	/* Own workqueue: the worker may block until the reader drains. */
	queue = alloc_workqueue("lifetrace_snapshot", WQ_UNBOUND, 1);
	if (path_buffer && queue)
		return 0;
	lt_snapshot_exit();
	return -ENOMEM;
}

void lt_snapshot_exit(void)
{
	if (queue)
		destroy_workqueue(queue);
	queue = NULL;
	kfree(path_buffer);
	path_buffer = NULL;
}

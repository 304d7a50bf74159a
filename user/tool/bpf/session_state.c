// SPDX-License-Identifier: GPL-2.0
/*
 * What there is at the begin and at the end of a session: tasks, and system calls that are open.
 *
 * Tasks are walked while the programs record, as the module does it: a task that the walk misses
 * was born or has ended meanwhile, of which there are events.
 */
#ifdef LT_HAVE_LIBBPF

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "bpf/session.h"

struct snapshot {
	struct lt_bpf_session *s;
	struct lt_transcode_ring *ring;
	uint16_t initial;	/* id of the initial namespace */
	uint32_t tasks;
	uint32_t cursor;
	uint64_t ahead;		/* of the clock is the time since boot */
};

/* A thread may be preempted between the two clocks. */
static uint64_t boot_ahead(void)
{
	uint64_t ahead = UINT64_MAX;

	for (unsigned int i = 0; i < 5; i++) {
		uint64_t now = lt_now_ns();
		struct timespec boot;

		clock_gettime(CLOCK_BOOTTIME, &boot);
		now = (uint64_t)boot.tv_sec * 1000000000ULL + (uint64_t)boot.tv_nsec - now;
		if (now < ahead)
			ahead = now;
	}
	return ahead;
}

/* The program of a process, as seen from the root; kernel threads have none. */
static void path_of(const struct lt_bpf_task *task, char *path, size_t size)
{
	char name[64];
	ssize_t n = 0;

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/exe", (uint32_t)task->id.tid);
	if (!(task->attr.flags & LT_TASK_FLAG_KTHREAD))
		n = readlink(name, path, size - 1);
	path[n > 0 ? n : 0] = 0;
}

/*
 * A task in an inner namespace. Outer ones come first, so the namespace around each is known. Where
 * this kernel does not list these, the task's own number is known alone: add_task().
 */
static void add_number(void *arg, const struct lt_bpf_task_number *n)
{
	struct snapshot *x = arg;
	uint64_t now = lt_now_ns();
	const struct lt_transcode_found found = {
		.time = now, .boot = now + x->ahead, .tid = n->id.tid, .start = n->id.start,
	};
	uint16_t ns = lt_transcode_namespace(x->ring, now, n->ns, n->level, n->parent_ns);

	lt_transcode_seed(x->s->t, x->initial, n->id.tid, &found);
	lt_transcode_seed(x->s->t, ns, n->nr, &found);
}

static void add_task(void *arg, const struct lt_bpf_task *task)
{
	struct snapshot *x = arg;
	uint64_t now = lt_now_ns();
	const struct lt_transcode_found found = {
		.time = now, .boot = now + x->ahead, .tid = task->id.tid, .start = task->id.start,
	};
	char path[4096];
	struct lt_rec_STATE rec = {
		.epoch = x->s->epoch, .tid = task->id.tid, .tgid = task->id.tgid,
		.start = task->id.start, .parent = task->attr.parent,
		.parent_start = task->attr.parent_start, .flags = (uint8_t)task->attr.flags,
		.state = { lt_bpf_state_letter(task) }, .nr = task->nr, .pgid = task->pgid,
		.sid = task->sid, .ino = task->attr.ino, .uid = task->attr.uid,
		.gid = task->attr.gid, .cgroup = task->attr.cgroup,
		.oom_score_adj = (int16_t)task->attr.oom_score_adj,
	};

	/* Of a namespace that is not known, the one around it is not known either. */
	rec.ns = lt_transcode_namespace(x->ring, now, task->ns, task->level, 0);
	lt_transcode_seed(x->s->t, x->initial, task->id.tid, &found);
	if (task->level)
		lt_transcode_seed(x->s->t, rec.ns, task->nr, &found);
	lt_transcode_found_oom(x->s->t, task->id.tid, task->id.start, rec.oom_score_adj);
	memcpy(rec.comm, task->attr.comm, sizeof(rec.comm));
	path_of(task, path, sizeof(path));
	lt_encode_state(lt_transcode_encoder(x->ring), now, LT_CTX_TASK, &rec, path);
	x->tasks++;
	x->cursor = task->cursor;
}

void lt_bpf_session_snapshot(struct lt_bpf_session *s, enum lt_snapshot_purpose purpose)
{
	struct snapshot x = {
		.s = s, .ring = lt_transcode_ring(s->t, LT_CHANNEL_PID, s->n_cpus),
		.ahead = boot_ahead(),
	};
	struct lt_encoder *e = lt_transcode_encoder(x.ring);
	struct lt_why why;
	bool complete;

	s->epoch++;
	LT_ENCODE(e, lt_now_ns(), LT_CTX_TASK, SNAP_BEGIN, .epoch = s->epoch,
		  .purpose = (uint8_t)purpose);
	x.initial = lt_transcode_namespace(x.ring, lt_now_ns(), LT_TRANSCODE_INITIAL, 0, 0);
	lt_bpf_task_numbers(s->b, add_number, &x, &why);
	complete = lt_bpf_tasks(s->b, add_task, &x, &why) >= 0;
	LT_ENCODE(e, lt_now_ns(), LT_CTX_TASK, SNAP_END, .epoch = s->epoch,
		  .complete = complete, .tasks = x.tasks, .cursor = x.cursor);
	s->tasks = x.tasks;
}

void lt_bpf_session_open_calls(struct lt_bpf_session *s)
{
	struct lt_transcode_ring *r = lt_transcode_ring(s->t, LT_CHANNEL_SYSCALL, s->n_cpus);
	const struct lt_raw_sys_open *calls;
	size_t n;

	calls = lt_bpf_open_calls(s->b, &n);
	lt_transcode_begin(r, NULL);
	for (size_t i = 0; i < n; i++) {
		struct lt_raw_sys_open call = calls[i];

		call.time = s->stopped;
		lt_transcode_record(r, (const struct lt_raw *)&call);
	}
	lt_transcode_end(r, s->stopped);
}

#endif /* LT_HAVE_LIBBPF */

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * System calls: of two events, begin and end, one record.
 */
#include "import/internal.h"
#include "syscalls/names.h"

void lt_import_sys_open(struct lt_import *im, const struct lt_import_event *ev,
			struct lt_import_task *task, unsigned int why)
{
	struct lt_rec_SYS_OPEN rec = { 0 };
	struct lt_encoder *e;

	if (!task->called)
		return;
	task->called = false;
	e = lt_import_stream(im, LT_CHANNEL_SYSCALL, ev->cpu);
	rec.tid = task->tid;
	rec.tgid = task->tgid;
	rec.start = task->start;
	rec.nr = task->nr;
	rec.why = (uint8_t)why;
	rec.begin = task->begin;
	memcpy(&rec.arg0, task->args, sizeof(task->args));
	lt_encode_record(e, ev->time, ev->context, LT_EV_SYS_OPEN, &rec);
}

static void take_enter(struct lt_import *im, const struct lt_import_event *ev)
{
	struct lt_import_task *task = lt_import_alive(im, ev->pid, ev->time);

	if (!task) {
		im->counts.unusable++;
		return;
	}
	/* Its end is missing. */
	lt_import_sys_open(im, ev, task, LT_SYS_OVERTAKEN);
	task->called = true;
	task->has_called = true;
	task->nr = ev->nr;
	task->begin = ev->time;
	task->places = im->counts.places;
	memcpy(task->args, ev->args, sizeof(task->args));
}

/*
 * Whether the call that the task is in ends here. Where events are lost since its begin, its end
 * may be missing, and the begin of a later call with the same number.
 */
static bool ends_call(const struct lt_import *im, const struct lt_import_task *task,
		      const struct lt_import_event *ev)
{
	if (!task || !task->called || ev->time < task->begin)
		return false;
	if (im->missed || im->counts.late || task->places != im->counts.places)
		return false;
	/* Behind rt_sigreturn() the kernel has no number any more. */
	return task->nr == ev->nr || ev->nr == -1;
}

/* A call whose begin is missing began before the source, or where events are lost. */
static void take_exit(struct lt_import *im, const struct lt_import_event *ev)
{
	struct lt_encoder *e = lt_import_stream(im, LT_CHANNEL_SYSCALL, ev->cpu);
	struct lt_import_task *task = lt_import_alive(im, ev->pid, ev->time);
	struct lt_encode_sys sys = { .nr = ev->nr, .result = ev->result };
	bool same = ends_call(im, task, ev);

	if (task && !same)
		lt_import_sys_open(im, ev, task, LT_SYS_OVERTAKEN);
	lt_import_run(im, e, ev);
	if (same) {
		sys.nr = task->nr;
		sys.n = lt_syscall_n_args(lt_abi_of_syscall(im->abi, sys.nr), sys.nr);
		sys.duration = ev->time - task->begin;
		memcpy(sys.args, task->args, sizeof(sys.args));
		task->called = false;
	} else if (task && task->start && !task->unborn && !task->has_called) {
		/* A new task returns from the call of its creator. */
		task->has_called = true;
		sys.flags = LT_SYS_FIRST | LT_SYS_NO_ARGS;
	} else {
		sys.flags = LT_SYS_BEFORE | LT_SYS_NO_ARGS;
	}
	lt_encode_sys(e, ev->time, ev->context, &sys);
}

void lt_import_sys(struct lt_import *im, const struct lt_import_event *ev)
{
	if (ev->kind == LT_IMPORT_SYS_ENTER)
		take_enter(im, ev);
	else
		take_exit(im, ev);
}

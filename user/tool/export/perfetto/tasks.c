// SPDX-License-Identifier: GPL-2.0
/*
 * Perfetto: processes and threads, each of which has a slice: its life.
 *
 * A number may have several holders. The reader takes a second announcement of a number for a new
 * holder of it, and gives a thread to the holder of its process' number at the time of the thread's
 * announcement, or of its first event. So announcements have the times of births.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "export/perfetto/perfetto.h"

/**
 * struct family - the threads of each process
 * @first: by instance: the first thread of the process; 0: none
 * @last: the last one
 * @next: the next thread of the same process; 0: none
 */
struct family {
	uint32_t *first;
	uint32_t *last;
	uint32_t *next;
};

static const char *name_of(const struct lt_tasks *tb, uint32_t name, char *buf, size_t size)
{
	size_t len;
	const char *s = lt_tasks_name(tb, name, &len);

	if (len >= size)
		len = size - 1;
	memcpy(buf, s, len);
	buf[len] = 0;
	return len ? buf : "(unknown)";
}

static uint64_t parent_of(const struct lt_tasks *tb, const struct lt_task_inst *t)
{
	if (!lt_task_is_thread(t))
		return 0;
	return t->leader && lt_tasks_get(tb, t->leader)->tid == t->tgid ?
		       LT_PF_TRACK(LT_PF_PROCESS, t->leader) :
		       LT_PF_TRACK(LT_PF_ROOT, LT_PF_STRAY_THREADS);
}

static void put_life(struct lt_pf_out *o, const struct lt_tasks *tb, const struct lt_task_inst *t,
		     uint64_t track, const char *name)
{
	char buf[4096];

	lt_pf_note_number(o, "tid", t->tid);
	if (t->first_file)
		lt_pf_note(o, "first program", name_of(tb, t->first_file, buf, sizeof(buf)));
	if (t->file)
		lt_pf_note(o, "program", name_of(tb, t->file, buf, sizeof(buf)));
	lt_pf_note(o, "certainty of the birth", lt_certainty_name(t->birth_is));
	lt_pf_note(o, "why", t->birth_is == LT_EXACT ? NULL :
		   lt_task_birth_why(tb, t, buf, sizeof(buf)));
	lt_pf_note(o, "certainty of the end", lt_certainty_name(t->death_is));
	if (lt_task_ended(t)) {
		lt_pf_note(o, "ending", lt_task_ending_name(t->ending));
		if (!(t->marks & LT_TASK_MARK_NO_CODE))
			lt_pf_note_number(o, "exit code", t->code);
		if (!(t->marks & LT_TASK_MARK_NO_USAGE))
			lt_pf_note_number(o, "CPU time in ns", lt_task_cpu_time(t));
	}
	lt_pf_event(o, LT_PF_BEGIN, track, t->birth, name);
	if (lt_task_ended(t))
		lt_pf_event(o, LT_PF_END, track, t->end > t->birth ? t->end : t->birth, NULL);
}

static void put_task(struct lt_pf_out *o, const struct lt_tasks *tb, uint32_t inst)
{
	const struct lt_task_inst *t = lt_tasks_get(tb, inst);
	bool stray = parent_of(tb, t) == LT_PF_TRACK(LT_PF_ROOT, LT_PF_STRAY_THREADS);
	char name[64];
	struct lt_pf_track track = {
		.id = LT_PF_TRACK(LT_PF_THREAD, inst), .pid = t->tgid ? t->tgid : t->tid,
		.tid = t->tid, .start = t->birth,
	};

	if (stray) {
		track.parent = parent_of(tb, t);
		track.name = name_of(tb, t->comm, name, sizeof(name));
	} else {
		track.thread = name_of(tb, t->comm, name, sizeof(name));
	}
	lt_pf_track(o, &track);
	put_life(o, tb, t, track.id, track.thread ? track.thread : track.name);
}

static void put_process(struct lt_pf_out *o, const struct lt_tasks *tb, uint32_t inst,
			const struct family *f)
{
	const struct lt_task_inst *t = lt_tasks_get(tb, inst);
	char name[64];
	struct lt_pf_track track = {
		.id = LT_PF_TRACK(LT_PF_PROCESS, inst), .pid = t->tid, .start = t->birth,
		.process = name_of(tb, t->comm, name, sizeof(name)),
	};

	lt_pf_track(o, &track);
	put_task(o, tb, inst);
	for (uint32_t i = f->first[inst]; i; i = f->next[i])
		put_task(o, tb, i);
}

/* Return: whether there are threads of which the process is not known. */
static bool find_threads(struct family *f, const struct lt_tasks *tb)
{
	const uint32_t *order = lt_tasks_order(tb);
	uint32_t n = lt_tasks_count(tb);
	bool stray = false;

	f->first = lt_alloc_array(n + 1, sizeof(*f->first));
	f->last = lt_alloc_array(n + 1, sizeof(*f->last));
	f->next = lt_alloc_array(n + 1, sizeof(*f->next));
	for (uint32_t i = 0; i < n; i++) {
		const struct lt_task_inst *t = lt_tasks_get(tb, order[i]);
		uint64_t parent = parent_of(tb, t);

		if (parent == LT_PF_TRACK(LT_PF_ROOT, LT_PF_STRAY_THREADS)) {
			stray = true;
		} else if (parent) {
			if (f->first[t->leader])
				f->next[f->last[t->leader]] = order[i];
			else
				f->first[t->leader] = order[i];
			f->last[t->leader] = order[i];
		}
	}
	return stray;
}

/* Number 0 is that of no process here, but of the idle tasks, and of the memory of the kernel. */
void lt_pf_tasks_write(struct lt_pf_out *o, const struct lt_tasks *tb)
{
	static const struct lt_pf_track stray = {
		.id = LT_PF_TRACK(LT_PF_ROOT, LT_PF_STRAY_THREADS),
		.name = "Threads of processes that are not known",
	};
	const uint32_t *order = lt_tasks_order(tb);
	struct family f;

	if (find_threads(&f, tb))
		lt_pf_track(o, &stray);
	for (uint32_t i = 0; i < lt_tasks_count(tb); i++) {
		const struct lt_task_inst *t = lt_tasks_get(tb, order[i]);
		uint64_t parent = parent_of(tb, t);

		if (!parent && t->tid)
			put_process(o, tb, order[i], &f);
		else if (parent == stray.id)
			put_task(o, tb, order[i]);
	}
	free(f.first);
	free(f.last);
	free(f.next);
}

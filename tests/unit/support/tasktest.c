// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <unistd.h>

#include "tasktest.h"

void world_events(struct lt_tasks *tb)
{
	ev(tb, PID_NS, 5, .ns = 1, .exact = 1, .generation = 7, .cursor = 101);
	ev(tb, SNAP_BEGIN, 10, .epoch = 1, .purpose = 0);
	ev(tb, STATE, 11, .epoch = 1, .tid = 1, .tgid = 1, .start = 1, .comm = T("init"),
	   .file = T("/sbin/init"), .ns = 1, .nr = 1, .state = T("S"));
	ev(tb, STATE, 12, .epoch = 1, .tid = 2, .tgid = 2, .start = 2, .comm = T("kthreadd"),
	   .flags = 1, .ns = 1, .nr = 2, .state = T("S"));
	ev(tb, STATE, 13, .epoch = 1, .tid = 3, .tgid = 3, .start = 3, .parent = 2,
	   .parent_start = 2, .comm = T("kworker"), .flags = 1, .ns = 1, .nr = 3, .state = T("I"));
	ev(tb, STATE, 14, .epoch = 1, .tid = 100, .tgid = 100, .start = 4, INIT,
	   .comm = T("sh"), .file = T("/bin/sh"), .uid = 1000, .gid = 1000, .cgroup = 77,
	   .oom_score_adj = 200, .ns = 1, .nr = 100, .state = T("S"));
	ev(tb, SNAP_END, 20, .epoch = 1, .complete = 1, .tasks = 4);
}

struct lt_tasks *world(const struct lt_tasks_config *config)
{
	struct lt_tasks *tb = lt_tasks_new(config);

	world_events(tb);
	return tb;
}

void born(struct lt_tasks *tb, uint64_t at, uint32_t tid, uint32_t parent,
	  uint64_t parent_start)
{
	ev(tb, TASK_NEW, at, .tid = tid, .tgid = tid, .start = at, .creator = parent,
	   .creator_start = parent_start, .parent = parent, .parent_start = parent_start,
	   .ns = 1, .nr = tid, .generation = 7, .uid = 1000, .gid = 1000, .cgroup = 77,
	   .oom_score_adj = 200, .comm = T("sh"));
}

void thread_born(struct lt_tasks *tb, uint64_t at, uint32_t tid, uint32_t tgid,
		 uint64_t leader_start)
{
	ev(tb, TASK_NEW, at, .tid = tid, .tgid = tgid, .start = at, .creator = tgid,
	   .creator_start = leader_start, INIT, .clone_flags = 0x10000, .ns = 1, .nr = tid,
	   .generation = 7, .comm = T("thread"));
}

void died(struct lt_tasks *tb, uint64_t at, uint32_t tid, uint64_t start)
{
	ev(tb, EXIT, at, .tid = tid, .tgid = tid, .start = start, .group_dead = 1, INIT,
	   .utime = 10, .stime = 5, .runtime = 20, .comm = T("sh"), .oom_score_adj = 200);
}

struct lt_task_inst *inst_of(const struct lt_tasks *tb, uint32_t tid, uint64_t start)
{
	uint32_t inst = lt_tasks_find(tb, tid, start);

	assert_int_not_equal(inst, 0);
	return lt_tasks_get(tb, inst);
}

void final_begin(struct lt_tasks *tb, uint64_t at)
{
	ev(tb, SNAP_BEGIN, at, .epoch = 9, .purpose = 2);
	final_state(tb, at + 1, 1, 1);
	final_state(tb, at + 1, 2, 2);
	final_state(tb, at + 1, 3, 3);
	final_state(tb, at + 1, 100, 4);
}

void final_state(struct lt_tasks *tb, uint64_t at, uint32_t tid, uint64_t start)
{
	const struct lt_task_inst *t = NULL;
	uint32_t inst = lt_tasks_find(tb, tid, start);
	struct lt_task_event e = {
		.id = LT_EV_STATE, .time = at, .epoch = 9, .tid = tid, .tgid = tid,
		.start = start, .ns = 1, .nr = tid,
	};

	/* Nothing has changed. */
	if (inst) {
		t = lt_tasks_get(tb, inst);
		e.tgid = t->tgid;
		e.uid = t->uid;
		e.gid = t->gid;
		e.cgroup = lt_tasks_cgroup(tb, t);
		e.oom_score_adj = t->oom_score_adj;
		e.comm.s = lt_tasks_name(tb, t->comm, &e.comm.len);
		e.file.s = lt_tasks_name(tb, t->file, &e.file.len);
		if (t->last_parent) {
			e.parent = lt_tasks_get(tb, t->last_parent)->tid;
			e.parent_start = lt_tasks_get(tb, t->last_parent)->start;
		}
	}
	lt_tasks_event(tb, &e);
}

void final_end(struct lt_tasks *tb, uint64_t at)
{
	ev(tb, SNAP_END, at, .epoch = 9, .complete = 1);
}

static void check_older(const struct lt_tasks *tb, const struct lt_task_inst *t,
			uint32_t other)
{
	const struct lt_task_inst *o;

	if (!other)
		return;
	o = lt_tasks_get(tb, other);
	assert_true(o->start < t->start || (o->start == t->start && o->tid < t->tid));
}

void check_acyclic(const struct lt_tasks *tb)
{
	for (uint32_t i = 1; i <= lt_tasks_count(tb); i++) {
		const struct lt_task_inst *t = lt_tasks_get(tb, i);

		check_older(tb, t, t->creator);
		check_older(tb, t, t->parent);
		check_older(tb, t, t->last_parent);
		check_older(tb, t, t->leader);
	}
}

struct lt_out captured_begin(void)
{
	int fd = open(test_path("captured"), O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	return (struct lt_out)LT_OUT_INIT(fd);
}

char *captured_end(struct lt_out *o)
{
	off_t size;
	char *text;

	assert_int_equal(lt_out_close(o), 0);
	size = lseek(o->fd, 0, SEEK_END);
	assert_true(size >= 0);
	text = malloc((size_t)size + 1);
	assert_non_null(text);
	assert_int_equal(pread(o->fd, text, (size_t)size, 0), size);
	text[size] = 0;
	close(o->fd);
	return text;
}

bool name_is(const struct lt_tasks *tb, uint32_t name, const char *text)
{
	size_t len;
	const char *s = lt_tasks_name(tb, name, &len);

	return len == strlen(text) && !memcmp(s, text, len);
}

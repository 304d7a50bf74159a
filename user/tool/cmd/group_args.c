// SPDX-License-Identifier: GPL-2.0
/*
 * Reports and profiles by cgroup, by system call and by function call: what asks the cgroups, and
 * the calls, of a trace for them.
 */
#include "calls/where.h"
#include "syscalls/where.h"
#include "tasks/cgroups.h"
#include "cmd/args.h"

static uint64_t cgroup_at(const void *arg, const struct lt_task *task, uint64_t time)
{
	return lt_cgroups_at(arg, task, time);
}

static const char *cgroup_name(const void *arg, uint64_t id, char *buf, size_t size)
{
	return lt_cgroups_label(arg, id, buf, size);
}

int lt_args_cgroups(const char *file, struct lt_report_options *r, struct lt_cgroups **cgroups)
{
	*cgroups = lt_cgroups_read(file);
	if (!*cgroups)
		return -1;
	r->group = cgroup_at;
	r->group_name = cgroup_name;
	r->groups = *cgroups;
	return 0;
}

static uint64_t call_at(const void *arg, const struct lt_task *task, uint64_t time)
{
	return lt_syscall_places_at(arg, task, time);
}

static const char *call_name(const void *arg, uint64_t number, char *buf, size_t size)
{
	return lt_syscall_places_name(arg, number, buf, size);
}

int lt_args_syscalls(const char *file, struct lt_report_options *r,
		     struct lt_syscall_places **calls)
{
	*calls = lt_syscall_places_read(file);
	if (!*calls)
		return -1;
	r->group = call_at;
	r->group_name = call_name;
	r->groups = *calls;
	return 0;
}

static uint64_t function_at(const void *arg, const struct lt_task *task, uint64_t time)
{
	return lt_call_places_at(arg, task, time);
}

static const char *function_name(const void *arg, uint64_t number, char *buf, size_t size)
{
	return lt_call_places_name(arg, number, buf, size);
}

int lt_args_calls(const char *file, struct lt_report_options *r, struct lt_call_places **calls)
{
	*calls = lt_call_places_read(file);
	if (!*calls)
		return -1;
	r->group = function_at;
	r->group_name = function_name;
	r->groups = *calls;
	return 0;
}

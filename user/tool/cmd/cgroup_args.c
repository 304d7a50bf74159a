// SPDX-License-Identifier: GPL-2.0
/*
 * Reports and profiles by cgroup: what asks the cgroups of a trace for them.
 */
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
	r->cgroup = cgroup_at;
	r->cgroup_name = cgroup_name;
	r->cgroups = *cgroups;
	return 0;
}

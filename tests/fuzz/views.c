// SPDX-License-Identifier: GPL-2.0
/*
 * The ways in which a trace file is read.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "verify/check.h"
#include "fuzz.h"
#include "tasks/cgroups.h"
#include "tasks/hazard.h"
#include "tasks/read.h"
#include "trace/trace.h"
#include "views.h"

#define MAX_ARGS	6

struct view {
	lt_cmd_fn *fn;		/* a command … */
	const char *args[MAX_ARGS];
	void (*read)(const char *path);	/* … or this */
};

/* Number of records; -1: the file was refused. */
static int64_t read_all(const char *path)
{
	struct lt_trace *t = lt_trace_open(path);
	int64_t n = t ? fuzz_follow(t) : -1;

	lt_trace_close(t);
	return n;
}

/* A file that verify finds good must be readable to its end. */
static void verified(const char *path)
{
	struct lt_verify_result *v = lt_verify(path);
	int64_t records;

	if (v && lt_verify_result_good(v)) {
		/* -1 is right, too: a schema may lack what the reader needs. */
		records = read_all(path);
		if (records >= 0 && records != (int64_t)v->records)
			fuzz_wrong("a file that is said to be good is not read whole");
	}
	lt_verify_result_free(v);
}

/* Reads the tasks with the history of their attributes. */
static void history(const char *path)
{
	struct lt_trace *t = lt_trace_open(path);
	struct lt_tasks *tb = t ? lt_tasks_for(t, true) : NULL;
	struct lt_hazards *h = tb ? lt_hazards_new(tb, 3, 1000) : NULL;

	if (h && !lt_tasks_read(t, tb)) {
		lt_hazards_finish(h);
		for (uint32_t i = 0; i < lt_tasks_count(tb); i++) {
			for (int a = 0; a < LT_N_TASK_ATTRS; a++)
				lt_tasks_at(tb, i, (enum lt_task_attr)a, lt_trace_end(t) / 2);
		}
	}
	if (h)
		lt_hazards_free(h);
	lt_tasks_free(tb);
	lt_trace_close(t);
}

/* Finds the cgroups of tasks, and what they are called. */
static void cgroups(const char *path)
{
	const struct lt_task task = { .tid = 17, .start = 500 };
	struct lt_cgroups *c = lt_cgroups_read(path);
	char buf[32];

	if (!c)
		return;
	for (uint64_t id = 0; id < 8; id++)
		lt_cgroups_label(c, id, buf, sizeof(buf));
	if (!lt_cgroups_choose(c, "/a"))
		lt_cgroups_chosen(c, lt_cgroups_at(c, &task, 1000));
	lt_cgroups_free(c);
}

static void remove_dir(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		unlinkat(dirfd(dir), d->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(path);
}

/* Exports to a file system in memory, and removes the export. */
static void export(const char *path, const char *version)
{
	char dir[64], *args[] = { (char *)"lifetrace export", (char *)"--ctf", dir,
				  (char *)"--ctf-version", (char *)(uintptr_t)version,
				  (char *)(uintptr_t)path, NULL };

	snprintf(dir, sizeof(dir), "/dev/shm/lifetrace-fuzz-%d", (int)getpid());
	lt_cmd_export(6, args);
	remove_dir(dir);
}

static void export_1(const char *path)
{
	export(path, "1.8");
}

static void export_2(const char *path)
{
	export(path, "2");
}

static const struct view views[] = {
	{ .read = verified },
	{ .read = history },
	{ .read = cgroups },
	{ .read = export_1 },
	{ .read = export_2 },
	{ lt_cmd_dump, { "dump" }, NULL },
	{ lt_cmd_dump, { "dump", "--json" }, NULL },
	{ lt_cmd_dump, { "dump", "--raw-order", "--channel", "pid" }, NULL },
	{ lt_cmd_syscalls, { "syscalls" }, NULL },
	{ lt_cmd_syscalls, { "syscalls", "--raw", "--csv" }, NULL },
	{ lt_cmd_syscalls, { "syscalls", "--summary", "--json" }, NULL },
	{ lt_cmd_report, { "report", "--json", "--by", "syscall" }, NULL },
	{ lt_cmd_info, { "info" }, NULL },
	{ lt_cmd_info, { "info", "--json" }, NULL },
	{ lt_cmd_lifetimes, { "lifetimes" }, NULL },
	{ lt_cmd_lifetimes, { "lifetimes", "--csv" }, NULL },
	{ lt_cmd_lifetimes, { "lifetimes", "--json", "--min-lifetime", "5ns" }, NULL },
	{ lt_cmd_report, { "report", "--all", "--coverage" }, NULL },
	{ lt_cmd_report, { "report", "--json", "--by", "cache" }, NULL },
	{ lt_cmd_report, { "report", "--csv", "--by", "task", "--pages" }, NULL },
	{ lt_cmd_report, { "report" }, NULL },
	{ lt_cmd_report, { "report", "long", "--by", "process" }, NULL },
	{ lt_cmd_report, { "report", "--coverage", "--json" }, NULL },
	{ lt_cmd_tasks, { "tasks" }, NULL },
	{ lt_cmd_tasks, { "tasks", "--json" }, NULL },
	{ lt_cmd_tasks, { "tasks", "--csv=wspy" }, NULL },
	{ lt_cmd_tree, { "tree", "--threads" }, NULL },
	{ lt_cmd_tree, { "tree", "--by", "creator", "--json" }, NULL },
	{ lt_cmd_hazards, { "hazards" }, NULL },
	{ lt_cmd_hazards, { "hazards", "--json" }, NULL },
	{ lt_cmd_verify, { "verify", "--cpus" }, NULL },
	{ lt_cmd_lifetimes, { "lifetimes", "--site", "alloc", "--older", "1us" }, NULL },
	{ lt_cmd_lifetimes, { "lifetimes", "--cache", "kmalloc-64" }, NULL },
	{ lt_cmd_report, { "report", "--sort", "slack", "-n", "0" }, NULL },
	{ lt_cmd_report, { "report", "--by", "size", "--csv" }, NULL },
	{ lt_cmd_tree, { "tree", "--root", "cat", "--depth", "1" }, NULL },
	{ lt_cmd_dump, { "dump", "--event", "kmalloc", "--cpu", "0" }, NULL },
	{ lt_cmd_dump, { "dump", "--task=1", "--size=1..", "--from=0" }, NULL },
	{ lt_cmd_report, { "report", "--pages", "--size=..64K", "--to=-0" }, NULL },
	{ lt_cmd_report, { "report", "alive", "--stacks" }, NULL },
	{ lt_cmd_report, { "report", "alive", "--skip-wrappers" }, NULL },
	{ lt_cmd_memory, { "memory", "--json" }, NULL },
	{ lt_cmd_report, { "report", "--caller-depth", "2", "--json" }, NULL },
};

const unsigned int fuzz_n_views = sizeof(views) / sizeof(views[0]);

void fuzz_view(unsigned int view, const char *path)
{
	const struct view *v = &views[view];
	char *argv[MAX_ARGS + 2], name[64];
	int argc = 0;

	if (v->read) {
		v->read(path);
		return;
	}
	snprintf(name, sizeof(name), "lifetrace %s", v->args[0]);
	argv[argc++] = name;
	for (unsigned int i = 1; i < MAX_ARGS && v->args[i]; i++)
		argv[argc++] = (char *)(uintptr_t)v->args[i];
	argv[argc++] = (char *)(uintptr_t)path;
	argv[argc] = NULL;
	v->fn(argc, argv);
}

const char *fuzz_view_name(unsigned int view)
{
	static char text[128];

	if (views[view].read)
		return "of the library";
	text[0] = 0;
	for (unsigned int i = 0; i < MAX_ARGS && views[view].args[i]; i++) {
		strcat(text, i ? " " : "");
		strcat(text, views[view].args[i]);
	}
	return text;
}

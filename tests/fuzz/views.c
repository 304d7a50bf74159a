// SPDX-License-Identifier: GPL-2.0
/*
 * The ways in which a trace file is read.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "verify/check.h"
#include "fuzz.h"
#include "live/feed.h"
#include "tasks/cgroups.h"
#include "tasks/hazard.h"
#include "tasks/read.h"
#include "trace/trace.h"
#include "views.h"

#define MAX_ARGS	8

struct view {
	lt_cmd_fn *fn;		/* a command … */
	const char *args[MAX_ARGS];
	void (*read)(const char *path);	/* … or this */
};

/*
 * A file that verify finds good must be readable to its end. The packets at the cut of a recording
 * stand in both of its parts, whole, and each part reads the records that are its own.
 */
static void read_whole(const char *path, uint64_t expected)
{
	struct lt_trace *t = lt_trace_open(path);
	bool is_part;
	int64_t n;

	/* Refused: a schema may lack what the reader needs. */
	if (!t)
		return;
	is_part = lt_trace_dir(t)->parts[0].is_part;
	n = fuzz_follow(t);
	if (is_part ? n > (int64_t)expected : n != (int64_t)expected)
		fuzz_wrong("a file that is said to be good is not read whole");
	lt_trace_close(t);
}

static void verified(const char *path)
{
	struct lt_verify_result *v = lt_verify(path);

	if (v && lt_verify_result_good(v))
		read_whole(path, v->records);
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

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st;
	(void)type;
	(void)walk;
	return remove(path);
}

/* Exports to a file system in memory, and removes the export. */
static void export(const char *path, const char *format, const char *option, const char *value)
{
	char dir[64], *args[] = { (char *)"lifetrace export", (char *)"--format",
				  (char *)(uintptr_t)format, (char *)"-o", dir,
				  (char *)(uintptr_t)option, (char *)(uintptr_t)value,
				  (char *)(uintptr_t)path, NULL };

	snprintf(dir, sizeof(dir), "/dev/shm/lifetrace-fuzz-%d", (int)getpid());
	lt_cmd_export(8, args);
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void export_1(const char *path)
{
	export(path, "ctf", "--ctf-version", "1.8");
}

static void export_2(const char *path)
{
	export(path, "ctf", "--ctf-version", "2");
}

static void export_parquet(const char *path)
{
	export(path, "parquet", "--tables", "site_minute,task,lifetime,syscall,request");
}

static void export_clickhouse(const char *path)
{
	export(path, "clickhouse", "--tables", "site_minute,task,lifetime,syscall,request");
}

static void take(struct lt_trace *t)
{
	struct lt_event ev;

	while (t && lt_trace_next(t, &ev) > 0)
		;
}

/* As bytes that come through a pipe: `lifetrace top -`. */
static void feed(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct lt_feed *f = lt_feed_new(fd, "pipe");

	while (lt_feed_read(f) > 0)
		take(lt_feed_trace(f));
	if (!lt_feed_finish(f))
		take(lt_feed_trace(f));
	lt_feed_free(f);
	close(fd);
}

/* Compares a trace with itself. */
static void diff(const char *path)
{
	char *args[] = { (char *)"lifetrace diff", (char *)(uintptr_t)path, (char *)"--",
			 (char *)(uintptr_t)path, NULL };

	lt_cmd_diff(4, args);
}

static void check_base(const char *path)
{
	char *args[] = { (char *)"lifetrace check", (char *)"--base", (char *)(uintptr_t)path,
			 (char *)"-e", (char *)"peak_bytes{cache=~\"k.*\"} < base * 0.5; p99 < base; exact > 99%",
			 (char *)"--tap", (char *)(uintptr_t)path, NULL };

	lt_cmd_check(7, args);
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
	{ lt_cmd_syscalls, { "syscalls", "--tree" }, NULL },
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
	{ .read = export_parquet },
	{ .read = export_clickhouse },
	{ .read = feed },
	{ .read = diff },
	{ .read = check_base },
	{ lt_cmd_export, { "export", "--format=collapsed", "-o-", "--metric=lifetime" }, NULL },
	{ lt_cmd_export, { "export", "--format=dhat", "-o-" }, NULL },
	{ lt_cmd_export, { "export", "--format=flamegraph", "-o-", "--at=peak" }, NULL },
	{ lt_cmd_export, { "export", "--format=heaptrack", "-o-" }, NULL },
	{ lt_cmd_export, { "export", "--format=sql", "-o-" }, NULL },
	{ lt_cmd_export, { "export", "--format=perfetto", "-o/dev/null" }, NULL },
	{ lt_cmd_export, { "export", "--format=pprof", "-o/dev/null",
			   "--levels=task,cgroup,module,cache,stack" }, NULL },
	{ lt_cmd_export, { "export", "--format=collapsed", "-o-", "--space=pages" }, NULL },
	{ lt_cmd_html, { "html", "-o/dev/null" }, NULL },	/* its script has tabs */
	{ lt_cmd_top, { "top", "--once" }, NULL },
	{ lt_cmd_top, { "top", "--once", "--json", "--by=cgroup" }, NULL },
	{ lt_cmd_top, { "top", "--once", "--columns=comm,tid,oldest,name", "--by=task" }, NULL },
	{ lt_cmd_plot, { "plot" }, NULL },
	{ lt_cmd_plot, { "plot", "--csv", "--cache=kmalloc-64" }, NULL },
	{ lt_cmd_leaks, { "leaks" }, NULL },
	{ lt_cmd_leaks, { "leaks", "--json" }, NULL },
	{ lt_cmd_advice, { "advice" }, NULL },
	{ lt_cmd_history, { "history", "0xffff888000001040", "0xffffffff81000100" }, NULL },
	{ lt_cmd_syscalls, { "syscalls", "--paths" }, NULL },
	{ lt_cmd_calls, { "calls" }, NULL },
	{ lt_cmd_calls, { "calls", "--csv" }, NULL },
	{ lt_cmd_calls, { "calls", "--graph" }, NULL },
	{ lt_cmd_calls, { "calls", "--graph", "--failed" }, NULL },
	{ lt_cmd_calls, { "calls", "--summary", "--json" }, NULL },
	{ lt_cmd_calls, { "calls", "--summary" }, NULL },
	{ lt_cmd_calls, { "calls", "--flame" }, NULL },
	{ lt_cmd_report, { "report", "--json", "--by", "call" }, NULL },
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

// SPDX-License-Identifier: GPL-2.0
/*
 * What users of the module do: the operations of failnth.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failnth.h"

#define FILES		"/sys/kernel/debug/lifetrace/"
#define PARAMETERS	"/sys/module/lifetrace/parameters/"
#define CPU1		"/sys/devices/system/cpu/cpu1/online"
#define PID_GEN		"/proc/pid_gen"

static int control = -1, file = -1;
static pid_t child, init;

/* ------------------------------------------------------------------------
 * The module
 */

void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

bool module_loaded(void)
{
	return !access("/sys/module/lifetrace", F_OK);
}

bool module_idle(void)
{
	char text[64] = "";
	int fd = open(FILES "stats", O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	close(fd);
	/* A module that could not make the file has nothing that records. */
	return n < 0 || !strncmp(text, "state idle\n", 11);
}

unsigned long long read_number(const char *path, int base)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		die(path);
	close(fd);
	return strtoull(text, NULL, base);
}

long module_users(void)
{
	return (long)read_number("/sys/module/lifetrace/refcnt", 10);
}

void unload_module(void)
{
	if (syscall(SYS_delete_module, "lifetrace", O_NONBLOCK))
		die("rmmod");
}

static void open_module(const char *parameters)
{
	(void)parameters;
	/* Of failures that are done again others come before. */
	if (module_loaded())
		unload_module();
	file = open("lifetrace.ko", O_RDONLY);
	if (file < 0)
		die("lifetrace.ko");
}

static int load(const char *parameters)
{
	return (int)syscall(SYS_finit_module, file, parameters, 0);
}

void load_module(void)
{
	open_module("");
	if (load(""))
		die("insmod");
	close(file);
}

static void undo_load(const char *parameters, bool worked)
{
	(void)parameters;
	close(file);
	if (worked)
		unload_module();
}

/* ------------------------------------------------------------------------
 * Sessions
 */

static void own(const char *events)
{
	if (events)
		write_file(PARAMETERS "events", events);
	control = open(FILES "enable", O_RDWR);
	if (control < 0)
		die("enable");
}

static int command(const char *text)
{
	return write(control, text, strlen(text)) < 0 ? -1 : 0;
}

static int start(const char *events)
{
	(void)events;
	return command("1");
}

static void disown(const char *events, bool worked)
{
	(void)events;
	(void)worked;
	close(control);
	control = -1;
}

static void record(const char *events)
{
	own(events);
	if (command("1"))
		die("start");
}

static int stop(const char *events)
{
	(void)events;
	return command("0");
}

static int flush(const char *events)
{
	(void)events;
	return command("flush");
}

static int end(const char *events)
{
	(void)events;
	close(control);
	control = -1;
	return 0;
}

/* The snapshot at the start must be over before another one can begin. */
static void wait_for_snapshot(void)
{
	char text[64];
	int tries;

	for (tries = 0; tries < 1000; tries++) {
		int fd = open(FILES "snapshot", O_RDONLY);
		ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

		close(fd);
		text[n < 0 ? 0 : n] = 0;
		if (!strstr(text, "running"))
			return;
		usleep(20000);
	}
	die("the snapshot does not end");
}

static void record_quiet(const char *events)
{
	record("tasks");
	wait_for_snapshot();
	file = open(events, O_WRONLY);
	if (file < 0)
		die(events);
}

static int write_one(const char *path)
{
	(void)path;
	return write(file, "1", 1) < 0 ? -1 : 0;
}

static int write_and_wait(const char *path)
{
	if (write_one(path))
		return -1;
	wait_for_snapshot();
	return 0;
}

static void close_and_disown(const char *path, bool worked)
{
	close(file);
	disown(path, worked);
}

/* ------------------------------------------------------------------------
 * Files
 */

static int open_file(const char *path)
{
	/* What can only be written is in the file's mode, which root overrules. */
	file = open(path, strstr(path, "marker") ? O_WRONLY : O_RDONLY);
	return file < 0 ? -1 : 0;
}

static void close_file(const char *path, bool worked)
{
	(void)path;
	if (worked)
		close(file);
}

#define BUFFER	(1 << 18)

static char *buffer;

/* Whose first page comes only when the kernel copies to it. */
static void map_buffer(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (buffer)
		munmap(buffer, BUFFER);
	buffer = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer == MAP_FAILED)
		die("a buffer");
	/* Where there are no huge pages this is refused, and not needed. */
	madvise(buffer, BUFFER, MADV_NOHUGEPAGE);
	memset(buffer + page, 1, BUFFER - page);
}

static void must_open(const char *path)
{
	map_buffer();
	if (open_file(path))
		die(path);
}

static int read_file(const char *path)
{
	(void)path;
	return read(file, buffer, BUFFER) < 0 ? -1 : 0;
}

static void close_always(const char *path, bool worked)
{
	(void)worked;
	close_file(path, true);
}

static void record_all(const char *path)
{
	(void)path;
	record("slab,tasks");
	command("flush");
}

static void record_and_open(const char *path)
{
	record_all(path);
	must_open(path);
}

static void close_file_and_disown(const char *path, bool worked)
{
	close_file(path, worked);
	disown(path, worked);
}

static void load_fresh(const char *path)
{
	(void)path;
	load_module();
}

/* ------------------------------------------------------------------------
 * Tasks
 */

static void exit_child(void)
{
	_exit(0);
}

static void wait_for_kill(void)
{
	for (;;)
		pause();
}

static pid_t clone_with(unsigned long long flags, pid_t tid)
{
	struct clone_args args = {
		.flags = flags,
		.exit_signal = SIGCHLD,
		.set_tid = tid ? (uintptr_t)&tid : 0,
		.set_tid_size = tid ? 1 : 0,
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

static int fork_with(unsigned long long flags, pid_t tid)
{
	child = clone_with(flags, tid);
	if (!child)
		exit_child();
	return child;
}

static void record_tasks(const char *events)
{
	/* Small kernels have a tenth of that, in which fork_far() does not come far. */
	write_file("/proc/sys/kernel/pid_max", "32768");
	record(events);
	wait_for_snapshot();
}

/* One session for all attempts. */
static void record_once(const char *events)
{
	if (control < 0)
		record_tasks(events);
}

/* Each time where no number was used before, in a new namespace, or nowhere new. */
static int fork_far(const char *events)
{
	static pid_t tid = 1000;

	(void)events;
	tid = tid > 31000 ? 1000 : tid + 130;
	return fork_with(0, tid);
}

/* A namespace in which only the number 1 has been used. */
static void record_and_enter(const char *events)
{
	char path[32];
	int fd;

	record_tasks(events);
	init = clone_with(CLONE_NEWPID, 0);
	if (!init)
		wait_for_kill();
	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)init);
	fd = open(path, O_RDONLY);
	if (init < 0 || fd < 0 || setns(fd, CLONE_NEWPID))
		die("a namespace");
	close(fd);
}

/* The second page of bits of its used numbers, which the first one in it makes. */
static int fork_high(const char *events)
{
	(void)events;
	return fork_with(0, 32760);
}

static int fork_new_ns(const char *events)
{
	(void)events;
	return fork_with(CLONE_NEWPID, 0);
}

static void reap(const char *events, bool worked)
{
	(void)events;
	if (worked && waitpid(child, NULL, 0) != child)
		die("waitpid");
}

static void reap_and_leave(const char *events, bool worked)
{
	int fd = open("/proc/self/ns/pid", O_RDONLY);

	reap(events, worked);
	if (fd < 0 || setns(fd, CLONE_NEWPID) || kill(init, SIGKILL) ||
	    waitpid(init, NULL, 0) != init)
		die("leaving a namespace");
	close(fd);
	disown(events, worked);
}

/* Born before the session, dead in it: its number is first seen when it is freed. */
static void record_after_birth(const char *events)
{
	int gate[2];
	siginfo_t info;
	char byte;

	if (pipe(gate))
		die("pipe");
	child = fork();
	if (!child) {
		close(gate[1]);
		_exit((int)read(gate[0], &byte, 1));
	}
	close(gate[0]);
	record_tasks(events);
	close(gate[1]);
	if (child < 0 || waitid(P_PID, child, &info, WEXITED | WNOWAIT))
		die("a child");
}

static int wait_child(const char *events)
{
	(void)events;
	return waitpid(child, NULL, 0) == child ? 0 : -1;
}

static void undo_wait(const char *events, bool worked)
{
	if (!worked)
		waitpid(child, NULL, 0);
	disown(events, worked);
}

/* ------------------------------------------------------------------------
 * A CPU
 */

static void record_on_one(const char *events)
{
	write_file(CPU1, "0");
	record(events);
	file = open(CPU1, O_WRONLY);
	if (file < 0)
		die(CPU1);
}

static void undo_hotplug(const char *events, bool worked)
{
	close(file);
	disown(events, worked);
	if (!worked)
		write_file(CPU1, "1");
}

/* ------------------------------------------------------------------------
 * The table
 */

#define OPEN(name)	{ "open-" name, NULL, open_file, close_file, NULL, FILES name, false, 1, 1 }
#define READ(name)	{ "read-" name, must_open, read_file, close_always, NULL, FILES name, \
			  false, 1, 1 }
#define START(events)	{ "start-" events, own, start, disown, NULL, events, false, 64, 1 }

const struct op ops[] = {
	OPEN("abi_version"), OPEN("mode"), OPEN("schema"), OPEN("info"), OPEN("clock"),
	OPEN("events"), OPEN("stats"), OPEN("marker"), OPEN("snapshot"), OPEN("enable"),
	READ("abi_version"), READ("mode"), READ("schema"), READ("info"), READ("clock"),
	READ("events"), READ("stats"), READ("snapshot"), READ("enable"),
	{ "open-pid_gen-first", load_fresh, open_file, close_file, NULL, PID_GEN, false, 1, 1 },
	{ "open-pid_gen", NULL, open_file, close_file, NULL, PID_GEN, false, 1, 1 },
	{ "read-pid_gen", must_open, read_file, close_always, NULL, PID_GEN, false, 1, 1 },
	{ "open-kmem", record_all, open_file, close_file_and_disown, NULL,
	  FILES "kmem/cpu0", false, 1, 1 },
	{ "open-pid", record_all, open_file, close_file_and_disown, NULL,
	  FILES "pid/cpu0", false, 1, 1 },
	{ "read-kmem", record_and_open, read_file, close_and_disown, NULL,
	  FILES "kmem/cpu0", false, 1, 1 },
	{ "read-pid", record_and_open, read_file, close_and_disown, NULL,
	  FILES "pid/cpu0", false, 1, 1 },

	START("slab"), START("pages"), START("tasks"), START("all"),
	START("kmalloc"), START("kfree"), START("kmem_cache_alloc"), START("kmem_cache_free"),
	START("bulk_alloc"), START("bulk_free"), START("rcu_free"),
	START("page_alloc"), START("page_free"), START("page_free_batched"),
	START("task_new"), START("exit"), START("exec"), START("rename"), START("release"),
	START("oom_score_adj"), START("cred"), START("cgroup"),
	{ "stop", record, stop, disown, NULL, "all", false, 1, 1 },
	{ "flush", record, flush, disown, NULL, "all", false, 1, 1 },
	{ "end", record, end, NULL, NULL, "all", false, 1, 1 },
	{ "marker", record_quiet, write_one, close_and_disown, NULL,
	  FILES "marker", false, 1, 1 },
	{ "snapshot", record_quiet, write_one, close_and_disown, NULL,
	  FILES "snapshot", false, 1, 1 },
	{ "snapshot-worker", record_quiet, write_and_wait, close_and_disown, NULL,
	  FILES "snapshot",
	  true, 1, 1 },

	{ "fork", record_once, fork_far, reap, disown, "tasks", false, 1, 1 },
	{ "fork-high", record_and_enter, fork_high, reap_and_leave, NULL, "tasks", false, 1, 3 },
	{ "fork-namespace", record_once, fork_new_ns, reap, disown, "tasks", false, 1, 1 },
	{ "reap", record_after_birth, wait_child, undo_wait, NULL, "tasks", false, 1, 1 },
	{ "hotplug", record_on_one, write_one, undo_hotplug, NULL, "slab,tasks", false, 8, 1 },

	{ "load", open_module, load, undo_load, NULL, "", false, 8, 1 },
	{ "load-enable", open_module, load, undo_load, NULL, "enable=1 events=all subbuf_size=4096 "
	  "n_subbufs=2 pid_subbuf_size=16384 pid_n_subbufs=2", false, 64, 1 },
	{ NULL, NULL, NULL, NULL, NULL, NULL, false, 1, 1 },
};

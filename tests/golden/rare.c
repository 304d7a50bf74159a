// SPDX-License-Identifier: GPL-2.0
/*
 * usage: rare FILE DIR [small]
 *
 * Writes a golden trace of what a short recording seldom has: lost events of all channels, a
 * wrap of pid numbers, a number that is given again, a slab cache that is gone, changes of user and
 * cgroup, the paths of cgroups, system calls, what their arguments point to, requests of io_uring,
 * modules that come and go, stacks, areas, function calls. It has every kind of record that is
 * written, in each of its forms. With "small" the machine has 32 bits, big-endian. All invariants
 * hold: lost events are counted.
 *
 * Into DIR it writes the same as a recording in two parts; with "small" in three, which are packed.
 */
#include <stdio.h>
#include <string.h>

#include "rare.h"
#include "uapi/lifetrace_file.h"

#define OBJECTS		160U
#define LATER		5U
#define CGROUP_A	5001
#define CGROUP_B	5002
#define CGROUP_NO	5003

#define LONG	"/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef01"

#define STATE_OF(g, time, number, of_tid, of_start, ...)			\
	TG_PUT(g, TG_PID(0), time, STATE, .epoch = number, .tid = of_tid, .tgid = of_tid, \
	       .start = of_start, .parent = 1, .parent_start = 5, .state = "S", .ns = 1, \
	       .nr = of_tid, __VA_ARGS__)

/* The numbers 19 to 21 are given, then the cursor begins again, and 19 is given once more. */
static void put_births(struct tg *g, uint64_t t)
{
	TG_PUT(g, TG_PID(1), t, TASK_NEW, .tid = 19, .tgid = 19, .start = t, .creator = 17,
	       .creator_start = 500, .parent = 17, .parent_start = 500, .ns = 1, .nr = 19,
	       .generation = 1, .uid = 1000, .cgroup = CGROUP_A, .comm = "worker");
	TG_PUT(g, TG_PID(1), t + 2 * MS, CRED, .tid = 19, .start = t, .old_uid = 1000, .uid = 33,
	       .old_euid = 1000, .euid = 33, .old_gid = 0, .gid = 33, .old_egid = 0, .egid = 33);
	TG_PUT(g, TG_PID(1), t + 4 * MS, CGROUP, .tid = 19, .start = t, .group = 1,
	       .cgroup = CGROUP_B);
	TG_PUT(g, TG_PID(1), t + 40 * MS, CGROUP, .tid = 19, .start = t, .cgroup = CGROUP_NO);
	TG_PUT(g, TG_PID(1), t + 50 * MS, OOM, .tgid = 19, .start = t, .oom_score_adj = 500,
	       .by = 17, .by_start = 500);
	TG_PUT(g, TG_PID(1), t + 60 * MS, EXIT, .tid = 19, .tgid = 19, .start = t,
	       .group_dead = 1, .code = 9, .parent = 17, .parent_start = 500, .utime = 3 * MS,
	       .comm = "worker");
	TG_PUT(g, TG_PID(1), t + 61 * MS, RELEASE, .tid = 19, .start = t, .runtime = 4 * MS);
	TG_PUT(g, TG_PID(1), t + 62 * MS, COUNTER, .tid = 19, .start = t, .value = 123456789,
	       .counter = LT_COUNTER_INSTRUCTIONS, .enabled = 4 * MS, .running = 4 * MS);
	TG_PUT(g, TG_PID(1), t + 62 * MS, COUNTER, .tid = 19, .start = t, .value = 1000, .user = 1,
	       .counter = LT_COUNTER_CACHE_MISSES, .enabled = 4 * MS, .running = 1 * MS);
	TG_PUT(g, TG_PID(0), t + 70 * MS, WRAP, .ns = 1, .generation = 2, .wraps = 1, .why = 1,
	       .nr = 300, .old_cursor = 32768, .cursor = 301, .allocated = 1);
	TG_PUT(g, TG_PID(1), t + 80 * MS, TASK_NEW, .tid = 19, .tgid = 19, .start = t + 80 * MS,
	       .creator = 17, .creator_start = 500, .parent = 17, .parent_start = 500, .ns = 1,
	       .nr = 19, .generation = 2, .cgroup = CGROUP_A, .comm = "again");
	TG_PUT(g, TG_PID(1), t + 80 * MS, NUMBER_REUSED, .ns = 1, .nr = 19, .holders = 2,
	       .old_tid = 19, .old_start = t, .old_death = t + 60 * MS, .tid = 19,
	       .start = t + 80 * MS);
	/* What was lost is not known but for its number: the task 17 may have been renamed. */
	tg_lost(g, TG_PID(0), LT_CLASS_RENAME, TG_FULL, 2);
}

/* A task that is the first one of a namespace, which goes with it; and programs with long paths. */
static void put_namespace(struct tg *g)
{
	const uint64_t t = FIRST_TIME + 210 * MS;
	const uint32_t cpu = TG_PID(1);

	TG_PUT(g, cpu, t, PID_NS, .ns = 2, .parent = 1, .level = 1, .exact = 1, .inum = 8,
	       .init_tid = 21, .init_start = t, .cursor = 2, .generation = 1, .allocated = 1,
	       .born = 1);
	TG_PUT(g, cpu, t, TASK_NUMBER, .tid = 21, .start = t, .ns = 1, .nr = 21, .generation = 2);
	TG_PUT(g, cpu, t, TASK_NEW, .tid = 21, .tgid = 21, .start = t, .creator = 19,
	       .creator_start = AGAIN_START, .parent = 19, .parent_start = AGAIN_START, .ns = 2,
	       .nr = 1, .generation = 1, .clone_flags = 0x20000000, .cgroup = CGROUP_A,
	       .comm = "again");
	TG_PUT(g, cpu, t + MS, EXEC, .tid = 21, .start = t, .old_tid = 21, .old_start = t,
	       .file = "/bin/sh");
	TG_PUT(g, cpu, t + MS, EXEC_WIDE, .tid = 21, .start = t, .old_tid = 21, .old_start = t,
	       .file = "/srv" LONG);
	TG_PUT(g, cpu, t + MS, RENAME, .tid = 21, .start = t, .old = "again", .comm = "first");
	TG_PUT(g, cpu, t + 2 * MS, EXEC_HUGE, .tid = 19, .start = AGAIN_START, .old_tid = 19,
	       .old_start = AGAIN_START, .file = "/srv" LONG LONG LONG LONG);
	TG_PUT(g, cpu, t + 40 * MS, EXIT, .tid = 21, .tgid = 21, .start = t, .group_dead = 1,
	       .code = 0x100, .parent = 19, .parent_start = AGAIN_START, .comm = "first");
	TG_PUT(g, cpu, t + 41 * MS, RELEASE, .tid = 21, .start = t);
	TG_PUT(g, cpu, t + 41 * MS, PID_NS_GONE, .ns = 2, .generation = 1, .allocated = 1,
	       .born = 1);
}

static void put_tasks(struct tg *g)
{
	const uint64_t t = FIRST_TIME + 10 * MS;

	TG_PUT(g, TG_PID(0), FIRST_TIME, PID_NS, .ns = 1, .exact = 1, .inum = 7, .init_tid = 1,
	       .init_start = 5, .cursor = 19, .generation = 1);
	TG_PUT(g, TG_PID(0), FIRST_TIME + 1, SNAP_BEGIN, .epoch = 1, .cursor = 19, .generation = 1);
	STATE_OF(g, FIRST_TIME + 2, 1, 1, 5, .comm = "init", .file = "/sbin/init", .cgroup = 1);
	STATE_OF(g, FIRST_TIME + 3, 1, 17, 500, .comm = "cat", .cgroup = CGROUP_A);
	TG_PUT(g, TG_PID(0), FIRST_TIME + 4, STATE_WIDE, .epoch = 1, .tid = 18, .tgid = 18,
	       .start = 600, .parent = 2, .flags = 1, .state = "I", .ns = 1, .nr = 18,
	       .comm = "kworker");
	TG_PUT(g, TG_PID(0), FIRST_TIME + 5, SNAP_END, .epoch = 1, .complete = 1, .tasks = 3);
	put_births(g, t);
	put_namespace(g);
	TG_PUT(g, TG_PID(0), t + 300 * MS, SNAP_BEGIN, .epoch = 2, .purpose = 2);
	STATE_OF(g, t + 300 * MS, 2, 1, 5, .comm = "init", .file = "/sbin/init", .cgroup = 1);
	STATE_OF(g, t + 300 * MS, 2, 17, 500, .comm = "tac", .cgroup = CGROUP_A);
	STATE_OF(g, t + 300 * MS, 2, 18, 600, .comm = "kworker", .flags = 1);
	TG_PUT(g, TG_PID(0), t + 300 * MS, STATE_HUGE, .epoch = 2, .tid = 19, .tgid = 19,
	       .start = AGAIN_START, .parent = 1, .parent_start = 5, .state = "S", .ns = 1,
	       .nr = 19, .comm = "again", .cgroup = CGROUP_A, .file = "/srv" LONG LONG LONG LONG);
	TG_PUT(g, TG_PID(0), t + 300 * MS, SNAP_END, .epoch = 2, .complete = 1, .tasks = 4);
}

static uint64_t address(const struct machine *m, uint64_t i)
{
	return m->ptr + (i % 3 ? i * 64 : 0x10000 + i * 512);
}

static void make(struct tg *g, const struct machine *m, uint64_t i, uint64_t time)
{
	const uint64_t site = m->site + i % 7 * 0x10;

	if (i % 3)
		TG_KMALLOC(g, i & 1, time, .ptr = address(m, i), .call_site = site,
			   .bytes_req = 40 + i % 20, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	else
		TG_CACHE_ALLOC(g, i & 1, time, .ptr = address(m, i), .call_site = site,
			       .gfp = 0xcc0, .cache = i < 60 ? 3 : 4, .node = -1);
}

/* By the CPU that has not made it. */
static void end(struct tg *g, const struct machine *m, uint64_t i, uint64_t time)
{
	if (i % 3)
		tg_kfree(g, ~i & 1, time, address(m, i), m->site + 0x208);
	else
		tg_cache_free(g, ~i & 1, time, address(m, i), m->site + 0x208, i < 60 ? 3 : 4);
}

/*
 * Objects of kmalloc and of two caches, of which the first one is destroyed; each is freed some
 * objects later, but for some. Each packet has few of them, so that a loss concerns few, too.
 */
static void put_objects(struct tg *g, const struct machine *m)
{
	uint64_t time = FIRST_TIME + 20 * MS;

	TG_CACHE(g, 0, time, .id = 3, .ptr = m->ptr + 0x100000, .object_size = 192, .size = 200,
		 .name = "short_lived_cache");
	TG_CACHE(g, 1, time, .id = 4, .ptr = m->ptr + 0x100100, .object_size = 512, .size = 512,
		 .name = "caf\xc3\xa9");
	for (uint64_t i = 0; i < OBJECTS; i++) {
		time += MS;
		make(g, m, i, time);
		/* All objects of one call site are alive at the end, and some others. */
		if (i >= LATER && i % 12 != 5 && (i - LATER) % 7 != 6)
			end(g, m, i - LATER, time + MS / 2);
		if (i == 50)
			tg_lost(g, 0, LT_CLASS_KMALLOC, TG_NMI, 3);
		if (i == 70)
			tg_lost(g, 1, LT_CLASS_KFREE, TG_NESTED, 5);
		if (i % 16 == 7) {
			tg_close(g, 0, time + MS / 2);
			tg_close(g, 1, time + MS / 2);
		}
		/* There was no room for the next packet. */
		if (i == 103)
			tg_lost(g, 0, LT_CLASS_CACHE_FREE, TG_FULL, 7);
	}
	tg_cache_gone(g, 0, time + 2 * MS, 3);
	tg_marker(g, 0, time + 3 * MS, "the cache is gone");
}

#define CODE_SIZE	0x1000U
#define CODE_OF(m)	(((m)->site & ~0xfffULL) + 0x100000)

/* An event of a module with code at the same place as others. */
#define MODULE_IS(g, m, t, state, of)							\
	TG_PUT(g, 1, t, MODULE, .what = state, .code = CODE_OF(m), .code_bytes = CODE_SIZE, \
	       .name = of, .build = "0123abcd")

/* One module forgets an object and is unloaded, another gets its addresses. */
static void put_modules(struct tg *g, const struct machine *m)
{
	const uint64_t t = FIRST_TIME + 350 * MS;

	MODULE_IS(g, m, t, LT_MODULE_COMING, "driver");
	TG_KMALLOC(g, 1, t + MS, .ptr = m->ptr + 0x300000, .call_site = CODE_OF(m) + 0x50,
		   .bytes_req = 200, .bytes_alloc = 256, .gfp = 0xcc0, .node = -1);
	MODULE_IS(g, m, t + MS + 1, LT_MODULE_LIVE, "driver");
	MODULE_IS(g, m, t + 2 * MS, LT_MODULE_GOING, "driver");
	MODULE_IS(g, m, t + 3 * MS, LT_MODULE_COMING, "after");
	TG_KMALLOC(g, 1, t + 4 * MS, .ptr = m->ptr + 0x300100, .call_site = CODE_OF(m) + 0x50,
		   .bytes_req = 200, .bytes_alloc = 256, .gfp = 0xcc0, .node = -1);
}

/* A call of the task 17: an argument of 8 bytes each. */
#define CALL(g, t, form, number, took, value, ...)					\
	TG_PUT(g, TG_SYSCALL(0), t, SYS_WIDE_##form, .nr = number, .duration = took,	\
	       .result = value, __VA_ARGS__)

/* A text that an argument of the call before points to. */
#define STR(g, t, name, number, string, ...)						\
	TG_PUT(g, TG_SYSCALL(0), t, name, .arg = number, .size = sizeof(string) - 1,	\
	       .text = string, __VA_ARGS__)

/*
 * Calls that began before, fail, are restarted after a handler, replace the program, are of the ABI
 * of 32 bits, have no name; and one in which memory is allocated.
 */
static void put_calls(struct tg *g, bool small)
{
	const int read = small ? 3 : 0, openat = small ? 286 : 257, execve = small ? 11 : 59;
	const int sigreturn = small ? 172 : 15, mmap = small ? 90 : 9, getpid = small ? 20 : 39;
	const uint64_t t = FIRST_TIME + 20 * MS;

	CALL(g, t, 3, read, 0, 5, .flags = LT_SYS_BEFORE, .arg1 = 0x7000, .arg2 = 64);
	CALL(g, t + 2 * MS, 4, openat, MS, -2, .arg0 = 0xffffff9c, .arg1 = 0x7010, .arg2 = 0102,
	     .arg3 = 0644);
	/* The object that is made at t + 3 ms is of this call. */
	CALL(g, t + 3 * MS + MS / 2, 6, mmap, MS, 0x70001000, .arg1 = 8192, .arg2 = 3, .arg3 = 0x22,
	     .arg4 = 0xffffffff);
	CALL(g, t + 5 * MS, 3, read, MS, -512, .arg0 = 3, .arg1 = 0x7000, .arg2 = 64);
	TG_PUT(g, TG_SYSCALL(0), t + 6 * MS, SYS_0, .nr = (uint16_t)sigreturn, .duration = 10,
	       .result = -4);
	CALL(g, t + 9 * MS, 3, read, 2 * MS, 64, .arg0 = 3, .arg1 = 0x7000, .arg2 = 64);
	TG_PUT(g, TG_SYSCALL(0), t + 10 * MS, SYS_BEGIN, .nr = execve, .flags = LT_SYS_TEXTS,
	       .arg0 = 0x7020,
	       .arg1 = 0x7030, .arg2 = 0x7040);
	STR(g, t + 10 * MS, SYS_STR, 0, "/bin/tac", .flags = LT_SYS_TEXT_MORE);
	STR(g, t + 10 * MS, SYS_STR, 1, "tac", .flags = LT_SYS_TEXT_MORE);
	STR(g, t + 10 * MS, SYS_STR_32, 1, "-s, a='b'; -- \\ \"", .element = 1,
	    .flags = LT_SYS_TEXT_MORE);
	TG_PUT(g, TG_SYSCALL(0), t + 10 * MS, SYS_STR, .arg = 1, .element = LT_SYS_TEXT_REST,
	       .flags = LT_SYS_TEXT_CUT);
	TG_PUT(g, TG_SYSCALL(0), t + 12 * MS, SYS_0, .nr = (uint16_t)execve, .flags = LT_SYS_BEGUN,
	       .duration = 2 * MS);
	TG_PUT(g, TG_SYSCALL(0), t + 13 * MS, SYS_0, .nr = 20, .flags = small ? 0 : LT_SYS_COMPAT,
	       .duration = 900, .result = 17);
	CALL(g, t + 14 * MS, 2, 9999, 500, -38, .arg0 = 1, .arg1 = 1ULL << 40);
	TG_PUT(g, TG_SYSCALL(0), t + 15 * MS, SYS_0, .nr = (uint16_t)getpid,
	       .flags = LT_SYS_SKIPPED,
	       .result = -1);
}

/* An argument of six bytes, as the structs of records have it before their bytes are turned. */
#define S48(v)	{ (uint8_t)(v), (uint8_t)((v) >> 8), (uint8_t)((v) >> 16), (uint8_t)((v) >> 24), \
		  (uint8_t)((uint64_t)(v) >> 32), (uint8_t)((uint64_t)(v) >> 40) }

/* A call of the second task with the number 19, with values that the narrow form has room for. */
#define NARROW(g, t, form, number, value, ...)					\
	TG_PUT(g, TG_SYSCALL(2), t, SYS_##form, .nr = (uint16_t)(number), .duration = 1000, \
	       .result = value, __VA_ARGS__)
#define WIDE(g, t, form, number, value, ...)					\
	TG_PUT(g, TG_SYSCALL(2), t, SYS_WIDE_##form, .nr = number, .duration = 1000,	\
	       .result = value, __VA_ARGS__)

/* Narrow forms with each number of arguments, and those wide ones that no other call has. */
static void put_forms(struct tg *g, bool small)
{
	const uint64_t t = FIRST_TIME + 200 * MS;

	TG_TASK(g, TG_SYSCALL(2), t, .tid = 19, .tgid = 19, .start = AGAIN_START, .comm = "again");
	NARROW(g, t + MS, 1, small ? 6 : 3, 0, .arg0 = S48(3));
	NARROW(g, t + 2 * MS, 2, small ? 91 : 11, 0, .arg0 = S48(0x70001000), .arg1 = S48(8192));
	NARROW(g, t + 3 * MS, 3, small ? 4 : 1, -32, .arg0 = S48(1), .arg1 = S48(0x7000),
	       .arg2 = S48(64));
	NARROW(g, t + 4 * MS, 4, small ? 286 : 257, 3, .arg0 = S48(-100), .arg1 = S48(0x7010),
	       .arg2 = S48(0));
	NARROW(g, t + 5 * MS, 5, small ? 163 : 25, 0x70003000, .arg0 = S48(0x70001000),
	       .arg1 = S48(4096), .arg2 = S48(8192), .arg3 = S48(1));
	NARROW(g, t + 6 * MS, 6, small ? 90 : 9, 0x70002000, .arg1 = S48(4096), .arg2 = S48(3),
	       .arg3 = S48(0x22), .arg4 = S48(-1));
	/* A tracer has cancelled it. */
	WIDE(g, t + 7 * MS, 0, -1, -38, .flags = LT_SYS_SKIPPED);
	WIDE(g, t + 8 * MS, 1, small ? 45 : 12, small ? 0x70004000 : 0x550000004000,
	     .arg0 = small ? 0x70004000 : 0x550000004000);
	WIDE(g, t + 9 * MS, 5, small ? 171 : 157, -22, .arg0 = 0x53564d41, .arg1 = ~0ULL,
	     .arg2 = 0x70007010);
}

/* They do not return. */
static void put_open_calls(struct tg *g, bool small)
{
	const int read = small ? 3 : 0;
	const uint64_t t = FIRST_TIME + 20 * MS;

	TG_PUT(g, TG_SYSCALL(0), t + 290 * MS, SYS_OPEN, .tid = 17, .tgid = 17, .start = 500,
	       .nr = read, .why = LT_SYS_AT_END, .begin = t + 20 * MS, .arg0 = 4);
	TG_PUT(g, TG_SYSCALL(0), t + 291 * MS, SYS_OPEN, .tid = 18, .nr = read, .why = LT_SYS_DIED,
	       .flags = LT_SYS_NO_ARGS, .begin = t + 21 * MS);
}

/* Texts of all sizes and all kinds of bytes, one that could not be read, addresses of sockets. */
static void put_strings(struct tg *g, bool small)
{
	const int openat = small ? 286 : 257, rename = small ? 38 : 82, connect = small ? 328 : 42;
	const int sendto = small ? 335 : 44;
	const uint64_t t = FIRST_TIME + 120 * MS;

	CALL(g, t, 4, openat, MS, 3, .flags = LT_SYS_TEXTS, .arg0 = 0xffffff9c, .arg1 = 0x7010);
	STR(g, t, SYS_STR_32, 1, "/a \"b\" 'c' \\d\t, \0019\xc3\xa9\xff;\n", .element = 0);
	CALL(g, t + MS, 4, openat, MS, -36, .flags = LT_SYS_TEXTS, .arg0 = 0xffffff9c,
	     .arg1 = 0x7010);
	STR(g, t + MS, SYS_STR_256, 1, "/srv/" LONG LONG LONG, .flags = LT_SYS_TEXT_CUT);
	CALL(g, t + 2 * MS, 4, openat, MS, -14, .flags = LT_SYS_TEXTS, .arg0 = 0xffffff9c,
	     .arg1 = 0x10);
	TG_PUT(g, TG_SYSCALL(0), t + 2 * MS, SYS_STR, .arg = 1, .flags = LT_SYS_TEXT_FAULT);
	CALL(g, t + 3 * MS, 2, rename, MS, 0, .flags = LT_SYS_TEXTS, .arg0 = 0x7010,
	     .arg1 = 0x7020);
	STR(g, t + 3 * MS, SYS_STR_64, 0, "/tmp/a name of more than thirty-two bytes",
	    .flags = LT_SYS_TEXT_MORE);
	STR(g, t + 3 * MS, SYS_STR_128, 1,
	    "/tmp/a name of more than sixty-four bytes, which is what this one has, as is seen",
	    .element = 0);
	CALL(g, t + 4 * MS, 3, connect, MS, -111, .flags = LT_SYS_TEXTS, .arg0 = 4, .arg1 = 0x7010,
	     .arg2 = 16);
	TG_PUT(g, TG_SYSCALL(0), t + 4 * MS, SYS_ADDR, .arg = 1, .size = 16,
	       .bytes = { small ? 0 : 2, small ? 2 : 0, 0, 80, 192, 0, 2, 1 });
	CALL(g, t + 5 * MS, 6, sendto, MS, 64, .flags = LT_SYS_TEXTS, .arg0 = 4, .arg1 = 0x7010,
	     .arg2 = 64, .arg4 = 0x7020, .arg5 = 40);
	TG_PUT(g, TG_SYSCALL(0), t + 5 * MS, SYS_ADDR_128, .arg = 4, .size = 40,
	       .bytes = { small ? 0 : 1, small ? 1 : 0, 0, 'a', 'b', 's', 't', 'r', 'a', 'c', 't',
	       0, '\'' });
	CALL(g, t + 6 * MS, 4, openat, MS, 3, .flags = LT_SYS_TEXTS, .arg0 = 0xffffff9c,
	     .arg1 = 0x7010);
	STR(g, t + 6 * MS, SYS_STR, 1, "/run/lock", .flags = LT_SYS_TEXT_LATE);
}

/* An event of io_uring on a CPU, of a request at an address. */
#define SUBMIT(g, cpu, t, at, data, what)						\
	TG_PUT(g, TG_SYSCALL(cpu), t, URING_SUBMIT, .ring = m->ptr + 0x200000, .request = at, \
	       .user_data = data, .opcode = what)
#define COMPLETE(g, cpu, t, at, data, value, ...)					\
	TG_PUT(g, TG_SYSCALL(cpu), t, URING_COMPLETE, .ring = m->ptr + 0x200000, .request = at, \
	       .user_data = data, .result = value, __VA_ARGS__)

/*
 * Requests that lie side by side, fail, go on after a completion, complete without being named, are
 * refused, have an opcode without a name, are open at the end; and one whose end was not seen.
 */
static void put_requests(struct tg *g, const struct machine *m)
{
	const uint64_t t = FIRST_TIME + 140 * MS, at = m->ptr + 0x201000;

	SUBMIT(g, 0, t, at, 1, 22);
	SUBMIT(g, 0, t + MS, at + 0x100, m->small ? 0x7fff0010 : 0x7fffffff0010, 23);
	TG_PUT(g, TG_SYSCALL(0), t + MS, URING_QUEUE, .request = at + 0x100);
	SUBMIT(g, 0, t + 2 * MS, at + 0x200, 3, 6);
	COMPLETE(g, 0, t + 3 * MS, at, 1, 4096, .flags = 0);
	COMPLETE(g, 0, t + 4 * MS, at + 0x200, 3, 1, .flags = LT_URING_MORE);
	COMPLETE(g, 1, t + 5 * MS, at + 0x100, m->small ? 0x7fff0010 : 0x7fffffff0010, -9,
		 .flags = 0);
	COMPLETE(g, 0, t + 6 * MS, at + 0x200, 3, 2, .flags = LT_URING_MORE);
	COMPLETE(g, 0, t + 7 * MS, at + 0x200, 3, -125, .flags = 0);
	SUBMIT(g, 0, t + 8 * MS, at, 5, 18);
	SUBMIT(g, 0, t + 9 * MS, at + 0x100, 5, 19);
	COMPLETE(g, 1, t + 10 * MS, 0, 5, 7, .flags = 0);
	COMPLETE(g, 0, t + 11 * MS, 0, 5, 0, .flags = 0);
	COMPLETE(g, 0, t + 12 * MS, at + 0x300, 6, -22, .flags = 0);
	SUBMIT(g, 0, t + 13 * MS, at, 7, 200);
	SUBMIT(g, 0, t + 14 * MS, at, ~0ULL, 0);
}

static void put_texts(struct tg *g, const struct machine *m)
{
	unsigned long long at = m->site & ~0xfffULL;
	unsigned long long t = FIRST_TIME + 350 * MS, code = CODE_OF(m);
	char text[512];

	snprintf(text, sizeof(text), "%llx T alloc_here\n%llx t free_here\n"
		 "%llx t after_alloc\t[after]\n%llx t far_alloc\t[far]\n", at, at + 0x200, code,
		 (unsigned long long)FAR_CODE(m));
	tg_text(g, LT_BLOCK_SYMBOLS, text);
	snprintf(text, sizeof(text), "changes 4 forgotten 0 nameless 0\n"
		 "code driver begin 0x%llx size %u from %llu to %llu build 0123abcd\n"
		 "0x%llx t driver_alloc\n"
		 "code after begin 0x%llx size %u from %llu to 0 build 0123abcd\n", code,
		 CODE_SIZE, t, t + 2 * MS, code + 0x40, code, CODE_SIZE, t + 3 * MS);
	tg_text(g, LT_BLOCK_CODE, text);
	snprintf(text, sizeof(text), "far 4096 0 - Live 0x%llx\nafter 4096 0 - Live 0x%llx\n",
		 (unsigned long long)FAR_CODE(m), code);
	tg_text(g, LT_BLOCK_MODULES, text);
	tg_text(g, LT_BLOCK_EVENTS, "kmalloc\ttracepoint\twatched\t-\n"
		"kfree\ttracepoint\twatched\t-\ntask_new\tkprobe\twatched\t-\n");
	snprintf(text, sizeof(text),
		 "cache 4 ptr 0x%llx object_size 512 size 512 gone 0 name caf\xc3\xa9\n"
		 "cache %u ptr 0x%llx object_size 64 size 72 gone 0 name of \\134 the text\n",
		 (unsigned long long)m->ptr + 0x100100, CACHE_OF_TEXT,
		 (unsigned long long)m->ptr + 0x100200);
	tg_text(g, LT_BLOCK_CACHES, text);
	snprintf(text, sizeof(text), "kernel 00112233445566778899aabbccddeeff00112233\n"
		 "module after 0123abcd .text=0x%llx\n", code);
	tg_text(g, LT_BLOCK_BUILDS, text);
	tg_text(g, LT_BLOCK_CGROUPS, "1 /\n5001 /jobs/a\\x20b\n5002 /jobs/caf\\xc3\\xa9\n");
}

/* All that the trace has, but for its texts. */
static void put_all(struct tg *g, const struct machine *m)
{
	tg_auto_task(g, true);
	TG_TASK(g, 0, FIRST_TIME, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	TG_TASK(g, 1, FIRST_TIME, .tid = 19, .tgid = 19, .start = FIRST_TIME + 10 * MS,
		.comm = "worker");
	TG_TASK(g, TG_SYSCALL(0), FIRST_TIME, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	TG_TASK(g, TG_SYSCALL(1), FIRST_TIME, .tid = 18, .tgid = 18, .start = 600,
		.comm = "kworker");
	TG_TASK(g, TG_CALL(0), FIRST_TIME, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
	TG_TASK(g, TG_CALL(1), FIRST_TIME, .tid = 18, .tgid = 18, .start = 600, .comm = "kworker");
	TG_PUT(g, TG_SYSCALL(0), FIRST_TIME, SYSCALL_TASK_NARROW, .tid = { 17 }, .tgid = { 17 },
	       .start = { 0xf4, 1 }, .number = 2, .comm = "cat");
	TG_PUT(g, TG_SYSCALL(0), FIRST_TIME, SYSCALL_TASK_AGAIN, .number = 0);
	TG_PUT(g, TG_CALL(0), FIRST_TIME, CALL_TASK_NARROW, .tid = { 17 }, .tgid = { 17 },
	       .start = { 0xf4, 1 }, .number = 2, .comm = "cat");
	TG_PUT(g, TG_CALL(0), FIRST_TIME, CALL_TASK_AGAIN, .number = 0);
	put_objects(g, m);
	put_modules(g, m);
	put_memory(g, m);
	put_areas(g, m);
	put_tasks(g);
	put_calls(g, m->small);
	put_strings(g, m->small);
	put_requests(g, m);
	put_forms(g, m->small);
	put_open_calls(g, m->small);
	put_function_calls(g, m);
	put_function_counts(g);
	tg_finish(g, FIRST_TIME + 400 * MS);
}

int main(int argc, char **argv)
{
	static const uint64_t cuts[] = { FIRST_TIME + 150 * MS, FIRST_TIME + 270 * MS };
	const bool small = argc == 4 && !strcmp(argv[3], "small");
	const struct machine m = {
		.ptr = small ? 0xc1001000 : 0xffff888000001000ULL,
		.site = small ? 0xc0000100 : 0xffffffff81000100ULL,
		.text = small ? 0xc0000000 : 0xffffffff80000000ULL, .small = small,
	};
	struct tg *g;
	int err;

	if (argc < 3 || (argc > 3 && !small)) {
		fprintf(stderr, "usage: rare FILE DIR [small]\n");
		return 2;
	}
	g = tg_new(&(struct tg_options){
		.big_endian = small, .size_long = small ? 4 : 8, .size_ptr = small ? 4 : 8,
		.text_base = m.text, .ptr_base = small ? 0xc0000000 : 0,
		.machine = small ? "ppc" : "x86_64", .subbuf_size = 4096, .tasks = true,
		.info = "channels=kmem,pid,area,syscall\ncpus_online=0-2\nstacks=1\n"
			"hostname=rare\n",
	});
	put_texts(g, &m);
	tg_clock(g, FIRST_TIME, 1700000000000000000ULL, FIRST_TIME, FIRST_TIME, FIRST_TIME);
	put_all(g, &m);
	tg_clock(g, FIRST_TIME + 400 * MS, 1700000000400000000ULL, FIRST_TIME + 400 * MS,
		 FIRST_TIME + 400 * MS, FIRST_TIME + 400 * MS);
	err = tg_write(g, argv[1], 0);
	if (!err)
		err = write_parts(g, argv[2], small, small ? cuts : cuts + 1, small ? 2 : 1);
	tg_free(g);
	return err ? 1 : 0;
}

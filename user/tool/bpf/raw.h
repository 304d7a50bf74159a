/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Raw records: what the BPF programs write into the rings, and the recorder transcodes into
 * packets. Programs and recorder run on one machine and come from one build, so this is no format:
 * no file has it.
 *
 * A ring is that of one channel and CPU. Its records are in the order of their times, which do not
 * decrease: a clock is read before each try to reserve room. Integers are little-endian; each
 * record begins at a multiple of 8 bytes, and its bytes are contiguous.
 *
 * A record begins with struct lt_raw; by its kind it has one of the structs below, which begin with
 * the same 16 bytes. lt_raw_size() says how long it is.
 *
 * Times are CLOCK_MONOTONIC in ns, of the trace's clock "mono". "start" of a task is what the
 * module writes: start_boottime, ns since boot with the time of suspension. A task is 0, 0 where it
 * is not known.
 *
 * Channels kmem and syscall announce the running task: a record LT_RAW_TASK holds for all records
 * of the ring behind it, until the next one. The first record of a ring is one, and so is the first
 * one behind a change of the task or of its name. (A change of the name by another thread may be
 * seen late.) Records of the channel pid name their tasks themselves.
 */
#ifndef LT_BPF_RAW_H
#define LT_BPF_RAW_H

#include <linux/types.h>

enum lt_raw_kind {
	LT_RAW_NONE = 0,		/* never written */
	LT_RAW_TASK = 1,		/* struct lt_raw_task; kmem and syscall */

	/* channel kmem */
	LT_RAW_KMALLOC = 2,		/* struct lt_raw_object */
	LT_RAW_CACHE_ALLOC = 3,		/* struct lt_raw_object */
	LT_RAW_KFREE = 4,		/* struct lt_raw_free */
	LT_RAW_CACHE_FREE = 5,		/* struct lt_raw_object; gfp and node are 0 */
	LT_RAW_PAGE_ALLOC = 6,		/* struct lt_raw_page */
	LT_RAW_PAGE_FREE = 7,		/* struct lt_raw_page */
	LT_RAW_PAGE_BATCHED = 8,	/* struct lt_raw_page */
	LT_RAW_BULK_ALLOC = 9,		/* struct lt_raw_object, one for each object */
	LT_RAW_BULK_FREE = 10,		/* struct lt_raw_object; cache 0: kfree_bulk */
	LT_RAW_RCU_FREE = 11,		/* struct lt_raw_free */
	LT_RAW_FAILED = 12,		/* struct lt_raw_failed */
	LT_RAW_RESIZE = 13,		/* struct lt_raw_resize */
	LT_RAW_TASK_EXIT = 14,		/* struct lt_raw_gone */
	LT_RAW_CACHE_GONE = 15,		/* struct lt_raw_cache: it is about to be destroyed */
	LT_RAW_PAGE_BULK = 16,		/* struct lt_raw_page_bulk */
	LT_RAW_STACK = 17,		/* struct lt_raw_stack; of the record behind it */
	LT_RAW_CACHE = 18,		/* struct lt_raw_cache: it is seen for the first time */

	/* channel pid */
	LT_RAW_BIRTH = 32,		/* struct lt_raw_birth */
	LT_RAW_NUMBER = 33,		/* struct lt_raw_number; before the birth of its task */
	LT_RAW_EXEC = 34,		/* struct lt_raw_exec */
	LT_RAW_RENAME = 35,		/* struct lt_raw_rename */
	LT_RAW_OOM = 36,		/* struct lt_raw_oom */
	LT_RAW_CRED = 37,		/* struct lt_raw_cred */
	LT_RAW_CGROUP = 38,		/* struct lt_raw_cgroup */
	LT_RAW_EXIT = 39,		/* struct lt_raw_exit */
	LT_RAW_RELEASE = 40,		/* struct lt_raw_release */
	LT_RAW_GIVEN = 41,		/* struct lt_raw_given: a number, before any task has it */
	LT_RAW_FREED = 42,		/* struct lt_raw_given: it is taken back */

	/* channel syscall */
	LT_RAW_SYS = 48,		/* struct lt_raw_sys */
	LT_RAW_SYS_BEGIN = 49,		/* struct lt_raw_sys; time is that of the begin */
	LT_RAW_SYS_OPEN = 50,		/* struct lt_raw_sys_open */

	/* channel area */
	LT_RAW_VMALLOC = 56,		/* struct lt_raw_area */
	LT_RAW_VFREE = 57,		/* struct lt_raw_area; only ptr */
	LT_RAW_PERCPU_ALLOC = 58,	/* struct lt_raw_area */
	LT_RAW_PERCPU_FREE = 59,	/* struct lt_raw_area; only ptr */
};

/* lt_raw.context */
#define LT_RAW_CONTEXT		0x03	/* enum lt_context */
#define LT_RAW_NO_CONTEXT	0x04	/* not known: the context is that of a task (0) */
#define LT_RAW_COPY		0x30	/* which copy of the program wrote it, from 0 on */
#define LT_RAW_COPY_SHIFT	4

/* What all records have. */
struct lt_raw {
	__u64 time;
	__u8 kind;		/* enum lt_raw_kind */
	__u8 context;
	__u16 more;		/* of the kind */
	__u32 low;		/* of the kind */
};

#define LT_RAW_HEAD		\
	__u64 time;		\
	__u8 kind;		\
	__u8 context;

/* The task that runs on this CPU from here on. */
struct lt_raw_task {
	LT_RAW_HEAD
	__u16 flags;		/* enum lt_task_flag: kernel thread, I/O worker */
	__u32 tid;
	__u64 start;
	__u32 tgid;
	__u32 zero;
	union {
		char comm[16];
		__u64 name[2];	/* @comm, as words */
	};
};

/* An object that is born; one of a cache that dies. */
struct lt_raw_object {
	LT_RAW_HEAD
	__s16 node;		/* of the request; -1: any */
	__u32 gfp;
	__u64 ptr;
	__u64 site;		/* the caller */
	union {
		struct {	/* LT_RAW_KMALLOC */
			__u32 bytes_req;
			__u32 bytes_alloc;
		};
		__u64 cache;	/* all others: address of the kernel's struct kmem_cache; 0: none */
	};
};

struct lt_raw_free {
	LT_RAW_HEAD
	__u16 zero;
	__u32 zero2;
	__u64 ptr;		/* never NULL, nor ZERO_SIZE_PTR */
	__u64 site;
};

/* Pages: @page is the address of the first one's struct page. See lt_bpf_pfn() in bpf.h. */
struct lt_raw_page {
	LT_RAW_HEAD
	__u8 order;
	__u8 migratetype;	/* LT_RAW_PAGE_ALLOC */
	__u32 gfp;		/* LT_RAW_PAGE_ALLOC */
	__u64 page;
};

struct lt_raw_page_bulk {
	LT_RAW_HEAD
	__u8 order;
	__u8 single;		/* 1: the only page of its call, which may have a record, too */
	__u32 gfp;
	__u64 page;
	__u64 site;
};

struct lt_raw_failed {
	LT_RAW_HEAD
	__s16 node;
	__u32 gfp;
	__u64 site;		/* 0: pages */
	__u64 bytes_req;	/* of an object of a cache: the size of its objects */
	__u64 cache;		/* 0: none */
	__u32 what;		/* enum lt_raw_kind of the event that failed */
	__u32 zero;
};

struct lt_raw_resize {
	LT_RAW_HEAD
	__u16 zero;
	__u32 zero2;
	__u64 ptr;
	__u64 site;
	__u64 bytes_req;
};

/* A task that exits, for the channel kmem. */
struct lt_raw_gone {
	LT_RAW_HEAD
	__u16 group_dead;	/* the last task of its process */
	__u32 tid;
	__u64 start;
	__u32 tgid;
	__u32 zero;
};

struct lt_raw_cache {
	LT_RAW_HEAD
	__u16 zero;
	__u32 object_size;	/* LT_RAW_CACHE; 0: not known */
	__u64 cache;		/* address of the kernel's struct kmem_cache */
	__u32 size;		/* LT_RAW_CACHE; of a slot */
	__u32 zero2;
	char name[64];		/* LT_RAW_CACHE; zeros behind it */
};

/*
 * How the event behind it was reached, the innermost frame first. The first frames may lie in the
 * kernel's tracing and in the allocator: of an object, those before the one that equals its site
 * are to be left out, where there is such a one.
 */
struct lt_raw_stack {
	LT_RAW_HEAD
	__u16 n;		/* frames */
	__u32 flags;		/* enum lt_stack_flag */
	__u64 frames[];
};

#define LT_RAW_STACK_FRAMES	48	/* at the most */

/* ------------------------------------------------------------------------
 * Channel pid
 */

/* A task. */
struct lt_raw_id {
	__u32 tid;
	__u32 tgid;
	__u64 start;
};

/* What births, exits and states have in common. */
struct lt_raw_attr {
	__u32 parent;		/* thread group of the parent; 0: not known */
	__u32 flags;		/* enum lt_task_flag */
	__u64 parent_start;	/* when the leader of that group was started */
	__u64 ino;		/* inode of its pidfd; 0: this kernel has none */
	__u32 uid;
	__u32 gid;
	__u64 cgroup;		/* id, version 2; 0: none */
	__s32 oom_score_adj;
	__u32 zero;
	char comm[16];
};

struct lt_raw_birth {
	LT_RAW_HEAD
	__u16 level;		/* of its own pid namespace; 0: the initial one */
	__u32 nr;		/* its number there */
	struct lt_raw_id task;
	struct lt_raw_id creator;
	struct lt_raw_attr attr;
	__u64 clone_flags;
	__u32 ns;		/* inode number of its own pid namespace */
	__u32 cursor;		/* of the initial one: number to be tried next, just now */
};

/* A number of a new task in an inner namespace; its birth follows in the same ring. */
struct lt_raw_number {
	LT_RAW_HEAD
	__u16 level;		/* of the namespace, 1 or more */
	__u32 nr;
	struct lt_raw_id task;
	__u32 ns;		/* inode number of the namespace */
	__u32 parent_ns;	/* and of that around it */
	__u32 cursor;		/* of the namespace, just now */
	__u32 zero;
};

/* A number in a namespace, of a task or of a fork that may still fail. */
struct lt_raw_given {
	LT_RAW_HEAD
	__u16 level;		/* of the namespace; 0: the initial one */
	__u32 nr;
	__u32 ns;		/* inode number of the namespace */
	__u32 parent_ns;	/* and of that around it */
	__u32 cursor;		/* of the namespace, just now */
	__u32 zero;
	__u64 boot;		/* LT_RAW_FREED: when, in ns since boot */
};

/*
 * A program is executed; @size bytes in all, a multiple of 8. The path stands in @text: the names
 * of its directories from the innermost on, the file's first, each with a zero behind it. So
 * "ls\0bin\0usr\0" is /usr/bin/ls. With LT_RAW_EXEC_GIVEN there is one text, which the program was
 * given and which may be relative; with LT_RAW_EXEC_CUT, the outer names are missing.
 */
struct lt_raw_exec {
	LT_RAW_HEAD
	__u16 size;
	__u32 flags;		/* enum lt_raw_exec_flag */
	struct lt_raw_id task;	/* as it is called from here on */
	__u32 old_tid;		/* before; another one: a thread became the leader */
	__u32 length;		/* bytes of @text that are used */
	__u64 old_start;	/* when old_tid was started; 0: not known */
	char text[];
};

enum lt_raw_exec_flag {
	LT_RAW_EXEC_GIVEN = 1,
	LT_RAW_EXEC_CUT = 2,
};

#define LT_RAW_EXEC_TEXT	4096	/* bytes of it at the most */

struct lt_raw_rename {
	LT_RAW_HEAD
	__u16 zero;
	__u32 zero2;
	struct lt_raw_id task;
	char old[16];
	char comm[16];
};

struct lt_raw_oom {
	LT_RAW_HEAD
	__s16 oom_score_adj;	/* from here on; before it is not known */
	__u32 zero;
	struct lt_raw_id task;	/* tid is its tgid, start that of the leader */
	struct lt_raw_id by;
};

struct lt_raw_cred {
	LT_RAW_HEAD
	__u16 zero;
	__u32 zero2;
	struct lt_raw_id task;
	__u32 old[4];		/* uid, euid, gid, egid */
	__u32 now[4];
};

struct lt_raw_cgroup {
	LT_RAW_HEAD
	__u16 group;		/* 1: with all threads of its group */
	__u32 hierarchy;
	struct lt_raw_id task;
	__u64 cgroup;
};

/* Times in ns, memory in bytes. */
struct lt_raw_exit {
	LT_RAW_HEAD
	__u16 group_dead;	/* as in struct lt_raw_gone */
	__u32 code;
	struct lt_raw_id task;
	struct lt_raw_attr attr;
	__u64 utime;
	__u64 stime;
	__u64 runtime;
	__u64 maxrss;		/* pages */
	__u64 min_flt;
	__u64 maj_flt;
	__u64 nvcsw;
	__u64 nivcsw;
	__u64 rchar;
	__u64 wchar;
	__u64 read_bytes;
	__u64 write_bytes;
	__u64 boot;		/* when, in ns since boot, as start */
};

struct lt_raw_release {
	LT_RAW_HEAD
	__u16 zero;
	__u32 zero2;
	struct lt_raw_id task;
	__u64 utime;
	__u64 stime;
	__u64 runtime;
};

/* ------------------------------------------------------------------------
 * Channel syscall
 */

/* A call that returned; with LT_RAW_SYS_BEGIN one that replaces the program, when it begins. */
struct lt_raw_sys {
	LT_RAW_HEAD
	__u16 flags;		/* enum lt_sys_flag */
	__s32 nr;		/* -1: a tracer has cancelled it */
	__u64 duration;		/* ns; 0: not known */
	__s64 result;
	__u64 args[6];		/* registers; as many as the call has are of use */
};

struct lt_raw_sys_open {
	LT_RAW_HEAD
	__u8 flags;		/* enum lt_sys_flag */
	__u8 why;		/* enum lt_sys_why */
	__s32 nr;
	struct lt_raw_id task;
	__u64 begin;		/* as time; 0: before tracing */
	__u64 args[6];
};

/* ------------------------------------------------------------------------
 * Channel area
 */

struct lt_raw_area {
	LT_RAW_HEAD
	__s16 node;
	__u32 gfp;
	__u64 ptr;
	__u64 site;
	__u64 bytes_req;
	__u64 bytes_alloc;
};

/* ------------------------------------------------------------------------ */

/* The longest record, and all that is written with it. */
#define LT_RAW_MAX	(sizeof(struct lt_raw_exec) + LT_RAW_EXEC_TEXT + 8)

#ifndef __bpf__
/* Bytes of a record; 0: there is no such kind, and the ring is damaged from here on. */
static inline __u32 lt_raw_size(const struct lt_raw *r)
{
	static const __u8 sizes[] = {
		[LT_RAW_TASK] = sizeof(struct lt_raw_task),
		[LT_RAW_KMALLOC] = sizeof(struct lt_raw_object),
		[LT_RAW_CACHE_ALLOC] = sizeof(struct lt_raw_object),
		[LT_RAW_KFREE] = sizeof(struct lt_raw_free),
		[LT_RAW_CACHE_FREE] = sizeof(struct lt_raw_object),
		[LT_RAW_PAGE_ALLOC] = sizeof(struct lt_raw_page),
		[LT_RAW_PAGE_FREE] = sizeof(struct lt_raw_page),
		[LT_RAW_PAGE_BATCHED] = sizeof(struct lt_raw_page),
		[LT_RAW_BULK_ALLOC] = sizeof(struct lt_raw_object),
		[LT_RAW_BULK_FREE] = sizeof(struct lt_raw_object),
		[LT_RAW_RCU_FREE] = sizeof(struct lt_raw_free),
		[LT_RAW_FAILED] = sizeof(struct lt_raw_failed),
		[LT_RAW_RESIZE] = sizeof(struct lt_raw_resize),
		[LT_RAW_TASK_EXIT] = sizeof(struct lt_raw_gone),
		[LT_RAW_CACHE_GONE] = sizeof(struct lt_raw_cache),
		[LT_RAW_PAGE_BULK] = sizeof(struct lt_raw_page_bulk),
		[LT_RAW_CACHE] = sizeof(struct lt_raw_cache),
		[LT_RAW_BIRTH] = sizeof(struct lt_raw_birth),
		[LT_RAW_NUMBER] = sizeof(struct lt_raw_number),
		[LT_RAW_RENAME] = sizeof(struct lt_raw_rename),
		[LT_RAW_OOM] = sizeof(struct lt_raw_oom),
		[LT_RAW_CRED] = sizeof(struct lt_raw_cred),
		[LT_RAW_CGROUP] = sizeof(struct lt_raw_cgroup),
		[LT_RAW_EXIT] = sizeof(struct lt_raw_exit),
		[LT_RAW_RELEASE] = sizeof(struct lt_raw_release),
		[LT_RAW_GIVEN] = sizeof(struct lt_raw_given),
		[LT_RAW_FREED] = sizeof(struct lt_raw_given),
		[LT_RAW_SYS] = sizeof(struct lt_raw_sys),
		[LT_RAW_SYS_BEGIN] = sizeof(struct lt_raw_sys),
		[LT_RAW_SYS_OPEN] = sizeof(struct lt_raw_sys_open),
		[LT_RAW_VMALLOC] = sizeof(struct lt_raw_area),
		[LT_RAW_VFREE] = sizeof(struct lt_raw_area),
		[LT_RAW_PERCPU_ALLOC] = sizeof(struct lt_raw_area),
		[LT_RAW_PERCPU_FREE] = sizeof(struct lt_raw_area),
	};

	if (r->kind == LT_RAW_STACK)
		return r->more > LT_RAW_STACK_FRAMES ? 0 :
		       sizeof(struct lt_raw_stack) + 8U * r->more;
	if (r->kind == LT_RAW_EXEC)
		return r->more < sizeof(struct lt_raw_exec) || r->more > LT_RAW_MAX || r->more % 8 ?
		       0 : r->more;
	return r->kind < sizeof(sizes) ? sizes[r->kind] : 0;
}
#endif

#define LT_RAW_IS(type, size)	_Static_assert(sizeof(struct type) == (size), #type)

LT_RAW_IS(lt_raw, 16);
LT_RAW_IS(lt_raw_task, 48);
LT_RAW_IS(lt_raw_object, 40);
LT_RAW_IS(lt_raw_free, 32);
LT_RAW_IS(lt_raw_page, 24);
LT_RAW_IS(lt_raw_page_bulk, 32);
LT_RAW_IS(lt_raw_failed, 48);
LT_RAW_IS(lt_raw_resize, 40);
LT_RAW_IS(lt_raw_gone, 32);
LT_RAW_IS(lt_raw_cache, 96);
LT_RAW_IS(lt_raw_stack, 16);
LT_RAW_IS(lt_raw_id, 16);
LT_RAW_IS(lt_raw_attr, 64);
LT_RAW_IS(lt_raw_birth, 128);
LT_RAW_IS(lt_raw_number, 48);
LT_RAW_IS(lt_raw_given, 40);
LT_RAW_IS(lt_raw_exec, 48);
LT_RAW_IS(lt_raw_rename, 64);
LT_RAW_IS(lt_raw_oom, 48);
LT_RAW_IS(lt_raw_cred, 64);
LT_RAW_IS(lt_raw_cgroup, 40);
LT_RAW_IS(lt_raw_exit, 200);
LT_RAW_IS(lt_raw_release, 56);
LT_RAW_IS(lt_raw_sys, 80);
LT_RAW_IS(lt_raw_sys_open, 88);
LT_RAW_IS(lt_raw_area, 48);

#endif /* LT_BPF_RAW_H */

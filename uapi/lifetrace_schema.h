/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * The schema: every event class, every event and every field, declared once.
 *
 * From these tables come the packed structs that the module fills in
 * (lifetrace.h), the text that the module serves in its file "schema", the
 * field tables of the reader, the metadata of a CTF export and the tables of
 * Documentation/format.rst. Nothing about an event is written down anywhere
 * else.
 *
 * Rules for changing it:
 *
 * - Ids are never reused. A new event takes the next free id of its channel.
 * - Within a minor version fields are only appended to an event, and events
 *   and classes only added. A reader takes the offsets and sizes from the
 *   schema in the file and skips what it does not know.
 * - The layout of a record does not depend on the machine, but for the byte
 *   order.
 */
#ifndef LIFETRACE_SCHEMA_H
#define LIFETRACE_SCHEMA_H

/*
 * Classes are what losses are counted by. Several events may share one (the
 * narrow and the wide form of the same thing do); an event that only describes
 * (the running task, a cache) has none. Each channel has room for 16 classes:
 * those of channel N have the numbers from 16 * (N - 1) on, and their counters
 * are in the packets of that channel only.
 *
 * LT_KMEM_CLASSES(C): C(number, NAME, name, description)
 */
#define LT_KMEM_CLASSES(C)						\
	C(0,  KMALLOC,		kmalloc,	"kmalloc and kmalloc_node") \
	C(1,  CACHE_ALLOC,	kmem_cache_alloc, "kmem_cache_alloc and its variants") \
	C(2,  KFREE,		kfree,		"kfree")		\
	C(3,  CACHE_FREE,	kmem_cache_free, "kmem_cache_free")	\
	C(4,  PAGE_ALLOC,	page_alloc,	"pages from the page allocator") \
	C(5,  PAGE_FREE,	page_free,	"pages back to the page allocator") \
	C(6,  PAGE_BATCHED,	page_free_batched, "a page of a batch free; comes in addition to page_free") \
	C(7,  BULK_ALLOC,	bulk_alloc,	"objects of kmem_cache_alloc_bulk") \
	C(8,  BULK_FREE,	bulk_free,	"objects of kmem_cache_free_bulk and kfree_bulk") \
	C(9,  RCU_FREE,		rcu_free,	"kfree_rcu and kvfree_rcu: free requested") \
	C(10, ALLOC_FAILED,	alloc_failed,	"allocations that returned nothing") \
	C(11, TASK_EXIT,	task_exit,	"exits of tasks")		\
	C(12, MARKER,		marker,		"lines written to the file marker")

#define LT_PID_CLASSES(C)						\
	C(16, BIRTH,		birth,		"tasks born")			\
	C(17, NUMBER,		number,		"numbers of new tasks in inner pid namespaces") \
	C(18, REUSE,		reuse,		"numbers that got another holder") \
	C(19, WRAP,		wrap,		"pid namespaces and their generations")	\
	C(20, EXEC,		exec,		"programs executed")		\
	C(21, RENAME,		rename,		"tasks that changed their names") \
	C(22, OOM,		oom,		"changes of oom_score_adj")	\
	C(23, CRED,		cred,		"changes of user or group")	\
	C(24, CGROUP,		cgroup,		"tasks that moved to another cgroup") \
	C(25, EXIT,		exit,		"exits of tasks")		\
	C(26, RELEASE,		release,	"tasks released")		\
	C(27, STATE,		state,		"tasks of snapshots; wait for room, are never lost")

#define LT_CLASSES(C)		LT_KMEM_CLASSES(C) LT_PID_CLASSES(C)

/*
 * Field types: what the bytes are. u40 is an unsigned integer of five bytes in
 * the byte order of the packet; charN is text of at most N bytes, ended by a
 * zero byte where it is shorter.
 *
 * Field kinds: what the value means.
 *   addr   address of an object; u40: relative to ptr_base of the packet
 *          header, u64: absolute
 *   code   address of an instruction; u32: relative to text_base of the packet
 *          header, u64: absolute; 0 in either: not known
 *   pfn    page frame number
 *   bytes  size in bytes
 *   gfp    allocation flags, bits as in the schema's gfp lines
 *   node   NUMA node asked for, -1: none in particular
 *   cache  id of a slab cache, see the event "cache"; 0: not known
 *   site   number of a site, see the event "site": in this packet alone
 *   order  log2 of the number of pages
 *   tid, tgid  number in the initial pid namespace
 *   pidns  id of a pid namespace, see the event "pid_ns"; 0: not known
 *   uid    user or group id, in the initial user namespace
 *   nsec   time in ns since boot, suspended time included
 *   class  number of a class
 *   bits   flags, see the field's description
 *   num    plain number
 *   text   bytes, not necessarily UTF-8
 *
 * F(type, name, kind, description)
 */
#define LT_FIELDS_KMALLOC(F)						\
	F(u40,	  ptr,		addr,	"object")			\
	F(u32,	  call_site,	code,	"caller")			\
	F(u32,	  gfp_flags,	gfp,	"flags of the request")		\
	F(u16,	  bytes_req,	bytes,	"requested")			\
	F(u16,	  bytes_alloc,	bytes,	"allocated")			\
	F(s8,	  node,		node,	"node of the request")

#define LT_FIELDS_KMALLOC_WIDE(F)					\
	F(u64,	  ptr,		addr,	"object")			\
	F(u64,	  call_site,	code,	"caller")			\
	F(u32,	  gfp_flags,	gfp,	"flags of the request")		\
	F(u64,	  bytes_req,	bytes,	"requested")			\
	F(u64,	  bytes_alloc,	bytes,	"allocated")			\
	F(s32,	  node,		node,	"node of the request")

#define LT_FIELDS_CACHE_ALLOC(F)					\
	F(u40,	  ptr,		addr,	"object")			\
	F(u32,	  call_site,	code,	"caller")			\
	F(u32,	  gfp_flags,	gfp,	"flags of the request")		\
	F(u16,	  cache,	cache,	"slab cache")			\
	F(s8,	  node,		node,	"node of the request")

#define LT_FIELDS_CACHE_ALLOC_WIDE(F)					\
	F(u64,	  ptr,		addr,	"object")			\
	F(u64,	  call_site,	code,	"caller")			\
	F(u32,	  gfp_flags,	gfp,	"flags of the request")		\
	F(u16,	  cache,	cache,	"slab cache")			\
	F(s32,	  node,		node,	"node of the request")

#define LT_FIELDS_KFREE(F)						\
	F(u40,	  ptr,		addr,	"object")			\
	F(u32,	  call_site,	code,	"caller")

#define LT_FIELDS_KFREE_WIDE(F)						\
	F(u64,	  ptr,		addr,	"object")			\
	F(u64,	  call_site,	code,	"caller")

#define LT_FIELDS_CACHE_FREE(F)						\
	F(u40,	  ptr,		addr,	"object")			\
	F(u32,	  call_site,	code,	"caller")			\
	F(u16,	  cache,	cache,	"slab cache")

#define LT_FIELDS_CACHE_FREE_WIDE(F)					\
	F(u64,	  ptr,		addr,	"object")			\
	F(u64,	  call_site,	code,	"caller")			\
	F(u16,	  cache,	cache,	"slab cache")

#define LT_FIELDS_SITE(F)						\
	F(u16,	  site,		site,	"number that events use from here on, in this packet") \
	F(u32,	  call_site,	code,	"caller")			\
	F(u32,	  gfp_flags,	gfp,	"flags of the request")		\
	F(u32,	  bytes_req,	bytes,	"requested")			\
	F(u32,	  bytes_alloc,	bytes,	"allocated")			\
	F(u16,	  cache,	cache,	"slab cache")			\
	F(s16,	  node,		node,	"node of the request")

#define LT_FIELDS_SHORT(F)						\
	F(u16,	  site,		site,	"what it has in common with others") \
	F(u40,	  ptr,		addr,	"object")

#define LT_FIELDS_KMALLOC_SHORT(F)	LT_FIELDS_SHORT(F)
#define LT_FIELDS_CACHE_ALLOC_SHORT(F)	LT_FIELDS_SHORT(F)
#define LT_FIELDS_KFREE_SHORT(F)	LT_FIELDS_SHORT(F)
#define LT_FIELDS_CACHE_FREE_SHORT(F)	LT_FIELDS_SHORT(F)
#define LT_FIELDS_BULK_ALLOC_SHORT(F)	LT_FIELDS_SHORT(F)
#define LT_FIELDS_BULK_FREE_SHORT(F)	LT_FIELDS_SHORT(F)
#define LT_FIELDS_RCU_FREE_SHORT(F)	LT_FIELDS_SHORT(F)

#define LT_FIELDS_PAGE_ALLOC(F)						\
	F(u40,	  pfn,		pfn,	"first page")			\
	F(u32,	  gfp_flags,	gfp,	"flags of the request")		\
	F(u8,	  order,	order,	"number of pages")		\
	F(u8,	  migratetype,	num,	"migrate type")

#define LT_FIELDS_PAGE_FREE(F)						\
	F(u40,	  pfn,		pfn,	"first page")			\
	F(u8,	  order,	order,	"number of pages")

#define LT_FIELDS_PAGE_BATCHED(F)					\
	F(u40,	  pfn,		pfn,	"page")

#define LT_FIELDS_BULK_ALLOC(F)		LT_FIELDS_CACHE_ALLOC(F)
#define LT_FIELDS_BULK_ALLOC_WIDE(F)	LT_FIELDS_CACHE_ALLOC_WIDE(F)
#define LT_FIELDS_BULK_FREE(F)		LT_FIELDS_CACHE_FREE(F)
#define LT_FIELDS_BULK_FREE_WIDE(F)	LT_FIELDS_CACHE_FREE_WIDE(F)
#define LT_FIELDS_RCU_FREE(F)		LT_FIELDS_KFREE(F)
#define LT_FIELDS_RCU_FREE_WIDE(F)	LT_FIELDS_KFREE_WIDE(F)

#define LT_FIELDS_ALLOC_FAILED(F)					\
	F(u64,	  call_site,	code,	"caller; 0 for pages")		\
	F(u64,	  bytes_req,	bytes,	"requested")			\
	F(u32,	  gfp_flags,	gfp,	"flags of the request")		\
	F(s32,	  node,		node,	"node of the request")		\
	F(u16,	  cache,	cache,	"slab cache")			\
	F(u8,	  what,		class,	"class of the event that failed")

#define LT_FIELDS_TASK_EXIT(F)						\
	F(u32,	  tid,		tid,	"task that exits")		\
	F(u32,	  tgid,		tgid,	"its thread group")		\
	F(u64,	  start,	nsec,	"when it was started")		\
	F(u8,	  group_dead,	num,	"1: no thread of its group was left (before 6.16 perhaps in two records)")

#define LT_FIELDS_MARKER(F)						\
	F(char120, text,	text,	"the line, without its newline")

#define LT_FIELDS_TASK(F)						\
	F(u32,	  tid,		tid,	"task now running on this CPU")	\
	F(u32,	  tgid,		tgid,	"its thread group")		\
	F(u64,	  start,	nsec,	"when it was started")		\
	F(u8,	  flags,	bits,	"1: kernel thread, 2: I/O worker") \
	F(char16, comm,		text,	"its name at this moment")

#define LT_FIELDS_CACHE(F)						\
	F(u16,	  cache,	cache,	"id that events use from here on") \
	F(u64,	  ptr,		addr,	"the kernel's struct kmem_cache") \
	F(u32,	  object_size,	bytes,	"size of an object; 0: not known") \
	F(u32,	  size,		bytes,	"size of its slot; 0: not known") \
	F(char64, name,		text,	"name; of merged caches the first one's")

#define LT_FIELDS_CACHE_GONE(F)						\
	F(u16,	  cache,	cache,	"id of a cache about to be destroyed")

/*
 * Events of the channel kmem.
 *
 * An event of an object is mostly written in its short form: the address, and the
 * number of a site, whose record before it in the same packet tells the rest. The
 * narrow form tells all by itself; the wide form does where a value does not fit
 * that. For every purpose but its size it is the same event, and has its name.
 *
 * E(id, NAME, name, CLASS, description)
 */
#define LT_KMEM_EVENTS(E)						\
	E(1,  KMALLOC,		kmalloc,	KMALLOC,	"memory from kmalloc") \
	E(2,  KMALLOC_WIDE,	kmalloc,	KMALLOC,	"wide form") \
	E(3,  CACHE_ALLOC,	kmem_cache_alloc, CACHE_ALLOC,	"object from a slab cache") \
	E(4,  CACHE_ALLOC_WIDE,	kmem_cache_alloc, CACHE_ALLOC,	"wide form") \
	E(5,  KFREE,		kfree,		KFREE,		"memory given back by kfree") \
	E(6,  KFREE_WIDE,	kfree,		KFREE,		"wide form") \
	E(7,  CACHE_FREE,	kmem_cache_free, CACHE_FREE,	"object given back to its slab cache") \
	E(8,  CACHE_FREE_WIDE,	kmem_cache_free, CACHE_FREE,	"wide form") \
	E(9,  PAGE_ALLOC,	page_alloc,	PAGE_ALLOC,	"pages allocated") \
	E(10, PAGE_FREE,	page_free,	PAGE_FREE,	"pages freed") \
	E(11, PAGE_BATCHED,	page_free_batched, PAGE_BATCHED, "page of a batch freed; a page_free tells the same") \
	E(12, BULK_ALLOC,	bulk_alloc,	BULK_ALLOC,	"one object of a bulk allocation") \
	E(13, BULK_ALLOC_WIDE,	bulk_alloc,	BULK_ALLOC,	"wide form") \
	E(14, BULK_FREE,	bulk_free,	BULK_FREE,	"one object of a bulk free; cache 0: freed by kfree_bulk") \
	E(15, BULK_FREE_WIDE,	bulk_free,	BULK_FREE,	"wide form") \
	E(16, RCU_FREE,		rcu_free,	RCU_FREE,	"free after a grace period requested") \
	E(17, RCU_FREE_WIDE,	rcu_free,	RCU_FREE,	"wide form") \
	E(18, ALLOC_FAILED,	alloc_failed,	ALLOC_FAILED,	"an allocation that returned nothing") \
	E(19, TASK_EXIT,	task_exit,	TASK_EXIT,	"the end of a task") \
	E(20, MARKER,		marker,		MARKER,		"a line written to the file marker") \
	E(21, TASK,		task,		NONE,		"who runs on this CPU from here on") \
	E(22, CACHE,		cache,		NONE,		"what a cache id means") \
	E(23, CACHE_GONE,	cache_gone,	NONE,		"a cache id is not used again") \
	E(24, SITE,		site,		NONE,		"what the events of one place have in common") \
	E(25, KMALLOC_SHORT,	kmalloc,	KMALLOC,	"short form") \
	E(26, CACHE_ALLOC_SHORT, kmem_cache_alloc, CACHE_ALLOC,	"short form") \
	E(27, KFREE_SHORT,	kfree,		KFREE,		"short form") \
	E(28, CACHE_FREE_SHORT,	kmem_cache_free, CACHE_FREE,	"short form") \
	E(29, BULK_ALLOC_SHORT,	bulk_alloc,	BULK_ALLOC,	"short form") \
	E(30, BULK_FREE_SHORT,	bulk_free,	BULK_FREE,	"short form") \
	E(31, RCU_FREE_SHORT,	rcu_free,	RCU_FREE,	"short form")

/* ------------------------------------------------------------------------
 * The channel pid: tasks, and the numbers that they hold.
 *
 * A task is (tid, start). A thread that executes a program takes over tid and
 * start of its group's leader: see the event "exec". What holds a number is
 * (namespace, number, generation).
 *
 * No event of this channel says who is running: each names whom it is about,
 * and who did it, where that is another.
 */
#define LT_FIELDS_TASK_NEW(F)						\
	F(u32,	  tid,		tid,	"the new task")			\
	F(u32,	  tgid,		tgid,	"its thread group")		\
	F(u64,	  start,	nsec,	"when it was started")		\
	F(u32,	  creator,	tid,	"task that called fork or clone")	\
	F(u64,	  creator_start, nsec,	"when that was started")	\
	F(u32,	  parent,	tgid,	"thread group of its parent")	\
	F(u64,	  parent_start, nsec,	"when the leader of that group was started") \
	F(u64,	  clone_flags,	bits,	"of the call")			\
	F(u8,	  flags,	bits,	"1: kernel thread, 2: I/O worker, 4: user worker") \
	F(u16,	  ns,		pidns,	"its own pid namespace")	\
	F(u32,	  nr,		num,	"its number there")		\
	F(u64,	  generation,	num,	"of the initial namespace, when the number was given") \
	F(u64,	  ino,		num,	"inode of its pidfd; 0: this kernel has none") \
	F(u32,	  uid,		uid,	"its real user")		\
	F(u32,	  gid,		uid,	"its real group")		\
	F(u64,	  cgroup,	num,	"id of its cgroup (version 2)")	\
	F(s16,	  oom_score_adj, num,	"when it was born")		\
	F(char16, comm,		text,	"its name, that of its creator")

#define LT_FIELDS_TASK_NUMBER(F)					\
	F(u32,	  tid,		tid,	"a new task; its task_new follows") \
	F(u64,	  start,	nsec,	"when it was started")		\
	F(u16,	  ns,		pidns,	"a namespace that it is in")	\
	F(u32,	  nr,		num,	"its number there")		\
	F(u64,	  generation,	num,	"of that namespace, when the number was given")

#define LT_FIELDS_NUMBER_REUSED(F)					\
	F(u16,	  ns,		pidns,	"namespace of the number")	\
	F(u32,	  nr,		num,	"the number")			\
	F(u64,	  generation,	num,	"when it was given this time")	\
	F(u32,	  holders,	num,	"tasks known to have held it, the new one included") \
	F(u32,	  old_tid,	tid,	"the task that held it before")	\
	F(u64,	  old_start,	nsec,	"when that was started")	\
	F(u64,	  old_death,	nsec,	"when that exited, or, of a thread that became the leader by exec, when the number was free; 0: not seen")	\
	F(u32,	  tid,		tid,	"the new task; its task_new came before") \
	F(u64,	  start,	nsec,	"when it was started")

#define LT_FIELDS_WRAP(F)						\
	F(u16,	  ns,		pidns,	"namespace")			\
	F(u64,	  generation,	num,	"that begins")			\
	F(u64,	  wraps,	num,	"how often the cursor went back so far")	\
	F(u8,	  why,		num,	"1: the cursor went back, 2: a number that was held in the last generation is given again without that, 3: it may be, memory was short") \
	F(u32,	  nr,		num,	"number that was given; 0: to no task, fork failed")	\
	F(u32,	  old_cursor,	num,	"number to be tried next, before")	\
	F(u32,	  cursor,	num,	"number to be tried next, now")	\
	F(u64,	  allocated,	num,	"numbers given so far")		\
	F(u64,	  burned,	num,	"of those, given to no task, since fork failed later")

#define LT_FIELDS_PID_NS(F)						\
	F(u16,	  ns,		pidns,	"id that events use from here on") \
	F(u16,	  parent,	pidns,	"the namespace around it; 0: none")	\
	F(u8,	  level,	num,	"0: the initial one")		\
	F(u8,	  exact,	num,	"1: each number given is seen, 0: the cursor is sampled") \
	F(u32,	  inum,		num,	"inode number of /proc/PID/ns/pid; used again later") \
	F(u64,	  ns_id,	num,	"id that is never used again; 0: this kernel has none") \
	F(u32,	  init_tid,	tid,	"its first task; 0: not known yet")	\
	F(u64,	  init_start,	nsec,	"when that was started")	\
	F(u32,	  cursor,	num,	"number to be tried next")	\
	F(u64,	  generation,	num,	"now")				\
	F(u64,	  wraps,	num,	"how often the cursor went back since it is watched")	\
	F(u64,	  allocated,	num,	"numbers given since it is watched")	\
	F(u64,	  born,		num,	"of those, given to tasks")	\
	F(u64,	  burned,	num,	"of those, given to no task, since fork failed later")

#define LT_FIELDS_PID_NS_GONE(F)					\
	F(u16,	  ns,		pidns,	"id of a namespace whose last number was freed") \
	F(u64,	  generation,	num,	"at its end")			\
	F(u64,	  wraps,	num,	"how often the cursor went back since it was watched")	\
	F(u64,	  allocated,	num,	"numbers given since it was watched")	\
	F(u64,	  born,		num,	"of those, given to tasks")	\
	F(u64,	  burned,	num,	"of those, given to no task, since fork failed later")

/* The text comes last, so that the forms differ in its size alone. */
#define LT_HEAD_EXEC(F)							\
	F(u32,	  tid,		tid,	"task, as it is called from here on")	\
	F(u64,	  start,	nsec,	"when its group's leader was started")	\
	F(u32,	  old_tid,	tid,	"what the task was called before; not the same: a thread became the leader") \
	F(u64,	  old_start,	nsec,	"when old_tid was started; 0: not known")

#define LT_FIELDS_EXEC(F)	LT_HEAD_EXEC(F)				\
	F(char56, file,		text,	"path of the program")
#define LT_FIELDS_EXEC_WIDE(F)	LT_HEAD_EXEC(F)				\
	F(char256, file,	text,	"path of the program")
#define LT_FIELDS_EXEC_HUGE(F)	LT_HEAD_EXEC(F)				\
	F(char4096, file,	text,	"path of the program")

#define LT_FIELDS_RENAME(F)						\
	F(u32,	  tid,		tid,	"task that changes its name")	\
	F(u64,	  start,	nsec,	"when it was started")		\
	F(char16, old,		text,	"name before")			\
	F(char16, comm,		text,	"name from here on")

#define LT_FIELDS_OOM(F)						\
	F(u32,	  tgid,		tgid,	"thread group")			\
	F(u64,	  start,	nsec,	"when its leader was started")	\
	F(s16,	  old,		num,	"oom_score_adj before, as far as known")	\
	F(s16,	  oom_score_adj, num,	"from here on")			\
	F(u32,	  by,		tid,	"who wrote it")			\
	F(u64,	  by_start,	nsec,	"when that was started")

#define LT_FIELDS_CRED(F)						\
	F(u32,	  tid,		tid,	"task that changes its user or group")	\
	F(u64,	  start,	nsec,	"when it was started")		\
	F(u32,	  old_uid,	uid,	"real user before")		\
	F(u32,	  uid,		uid,	"from here on")			\
	F(u32,	  old_euid,	uid,	"effective user before")	\
	F(u32,	  euid,		uid,	"from here on")			\
	F(u32,	  old_gid,	uid,	"real group before")		\
	F(u32,	  gid,		uid,	"from here on")			\
	F(u32,	  old_egid,	uid,	"effective group before")	\
	F(u32,	  egid,		uid,	"from here on")

#define LT_FIELDS_CGROUP(F)						\
	F(u32,	  tid,		tid,	"task that was moved")		\
	F(u64,	  start,	nsec,	"when it was started")		\
	F(u8,	  group,	num,	"1: with all threads of its group") \
	F(u32,	  hierarchy,	num,	"0: that of version 2")		\
	F(u64,	  cgroup,	num,	"id of the cgroup that it is in now")

#define LT_FIELDS_EXIT(F)						\
	F(u32,	  tid,		tid,	"task that exits")		\
	F(u32,	  tgid,		tgid,	"its thread group")		\
	F(u64,	  start,	nsec,	"when it was started")		\
	F(u8,	  group_dead,	num,	"1: no thread of its group was left (before 6.16 perhaps in two records)") \
	F(u32,	  code,		num,	"its own: signal in bits 0-6, 0x80: core, exit code in bits 8-15; of a group that exits or is killed as one, all have the same") \
	F(u32,	  parent,	tgid,	"thread group of its parent at the end") \
	F(u64,	  parent_start,	nsec,	"when the leader of that group was started") \
	F(u64,	  utime,	num,	"time in user mode, ns")	\
	F(u64,	  stime,	num,	"time in the kernel, ns; both are sampled by the tick as a rule")	\
	F(u64,	  runtime,	num,	"time on a CPU, ns, as the scheduler counts it")	\
	F(u64,	  maxrss,	bytes,	"high-water mark of the group's resident memory; complete when the group is dead") \
	F(u32,	  min_flt,	num,	"minor faults")			\
	F(u32,	  maj_flt,	num,	"major faults")			\
	F(u32,	  nvcsw,	num,	"voluntary context switches")	\
	F(u32,	  nivcsw,	num,	"involuntary context switches")	\
	F(u64,	  rchar,	bytes,	"read by system calls")		\
	F(u64,	  wchar,	bytes,	"written by system calls")	\
	F(u64,	  read_bytes,	bytes,	"read from storage")		\
	F(u64,	  write_bytes,	bytes,	"caused to be written to storage")	\
	F(s16,	  oom_score_adj, num,	"at the end")			\
	F(char16, comm,		text,	"name at the end")

#define LT_FIELDS_RELEASE(F)						\
	F(u32,	  tid,		tid,	"a dead task that was waited for; its number may be in use again") \
	F(u64,	  start,	nsec,	"when it was started; after exec by a thread: the old leader has the thread's tid") \
	F(u64,	  utime,	num,	"all its time in user mode, ns") \
	F(u64,	  stime,	num,	"all its time in the kernel, ns") \
	F(u64,	  runtime,	num,	"all its time on a CPU, ns, as the scheduler counts it")

#define LT_FIELDS_SNAP_BEGIN(F)						\
	F(u32,	  epoch,	num,	"number of the snapshot, from 1 on")	\
	F(u8,	  purpose,	num,	"0: initial state, 1: on demand, 2: final state") \
	F(u32,	  cursor,	num,	"of the initial namespace: number to be tried next") \
	F(u64,	  generation,	num,	"of the initial namespace")	\
	F(u64,	  lost,		num,	"events of this channel lost so far, on all CPUs")

#define LT_FIELDS_SNAP_END(F)						\
	F(u32,	  epoch,	num,	"number of the snapshot")	\
	F(u8,	  complete,	num,	"1: every task was written; 0: the session ended first") \
	F(u32,	  tasks,	num,	"records of tasks written")	\
	F(u32,	  cursor,	num,	"of the initial namespace: number to be tried next") \
	F(u64,	  generation,	num,	"of the initial namespace")	\
	F(u64,	  lost,		num,	"events of this channel lost so far, on all CPUs")

#define LT_HEAD_STATE(F)						\
	F(u32,	  epoch,	num,	"number of the snapshot")	\
	F(u32,	  tid,		tid,	"a task")			\
	F(u32,	  tgid,		tgid,	"its thread group")		\
	F(u64,	  start,	nsec,	"when it was started")		\
	F(u32,	  parent,	tgid,	"thread group of its parent")	\
	F(u64,	  parent_start, nsec,	"when the leader of that group was started") \
	F(u8,	  flags,	bits,	"1: kernel thread, 2: I/O worker, 4: user worker, 8: exiting: its exit event is before this or, before 6.16 perhaps seconds, after; 16: executes a program: comm and file may change with or without an event to come") \
	F(char1,  state,	text,	"a letter as in /proc/PID/stat")	\
	F(u16,	  ns,		pidns,	"its own pid namespace")	\
	F(u32,	  nr,		num,	"its number there")		\
	F(u32,	  pgid,		num,	"process group")		\
	F(u32,	  sid,		num,	"session")			\
	F(u64,	  ino,		num,	"inode of its pidfd; 0: this kernel has none") \
	F(u32,	  uid,		uid,	"its real user")		\
	F(u32,	  gid,		uid,	"its real group")		\
	F(u64,	  cgroup,	num,	"id of its cgroup (version 2)")	\
	F(s16,	  oom_score_adj, num,	"of its group")			\
	F(char16, comm,		text,	"its name")

#define LT_FIELDS_STATE(F)	LT_HEAD_STATE(F)			\
	F(char56, file,		text,	"path of its program, seen from the root; empty: none, or not known")
#define LT_FIELDS_STATE_WIDE(F)	LT_HEAD_STATE(F)			\
	F(char256, file,	text,	"path of its program")
#define LT_FIELDS_STATE_HUGE(F)	LT_HEAD_STATE(F)			\
	F(char4096, file,	text,	"path of its program")

/* Events of the channel pid, as LT_KMEM_EVENTS. */
#define LT_PID_EVENTS(E)						\
	E(1,  TASK_NEW,		task_new,	BIRTH,		"a task was born") \
	E(2,  TASK_NUMBER,	task_number,	NUMBER,		"what a new task is called in an inner namespace") \
	E(3,  NUMBER_REUSED,	number_reused,	REUSE,		"a number has another holder") \
	E(4,  WRAP,		wrap,		WRAP,		"numbers may be given again from here on") \
	E(5,  PID_NS,		pid_ns,		WRAP,		"what a namespace id means, and its counts") \
	E(6,  PID_NS_GONE,	pid_ns_gone,	WRAP,		"a namespace id is not used again") \
	E(7,  EXEC,		exec,		EXEC,		"a program was executed") \
	E(8,  EXEC_WIDE,	exec,		EXEC,		"form for long paths") \
	E(9,  EXEC_HUGE,	exec,		EXEC,		"form for the longest paths") \
	E(10, RENAME,		rename,		RENAME,		"a task changes its name") \
	E(11, OOM,		oom_score_adj,	OOM,		"a process is more or less likely to be killed") \
	E(12, CRED,		cred,		CRED,		"a task changes its user or group") \
	E(13, CGROUP,		cgroup,		CGROUP,		"a task was moved to another cgroup") \
	E(14, EXIT,		exit,		EXIT,		"a task exits, and what it leaves") \
	E(15, RELEASE,		release,	RELEASE,	"a dead task is gone") \
	E(16, SNAP_BEGIN,	snap_begin,	NONE,		"a snapshot of all tasks begins") \
	E(17, STATE,		state,		STATE,		"a task in a snapshot") \
	E(18, STATE_WIDE,	state,		STATE,		"form for long paths") \
	E(19, STATE_HUGE,	state,		STATE,		"form for the longest paths") \
	E(20, SNAP_END,		snap_end,	NONE,		"a snapshot ends")

#endif /* LIFETRACE_SCHEMA_H */

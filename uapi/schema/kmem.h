/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * The schema of the channel kmem: slab objects and page blocks.
 *
 * lifetrace_schema.h includes this file and describes the macros C, F and E.
 */
#ifndef LIFETRACE_SCHEMA_KMEM_H
#define LIFETRACE_SCHEMA_KMEM_H

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
	C(12, MARKER,		marker,		"lines written to the file marker, triggers, and changes of the sample") \
	C(13, RESIZE,		resize,		"krealloc that gave an object another size in its place") \
	C(14, PAGE_BULK,	page_bulk,	"pages of alloc_pages_bulk and alloc_contig_range") \
	C(15, MODULE,		module,		"modules that are loaded and unloaded")

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
	F(s16,	  node,		node,	"node of the request")		\
	F(u16,	  stack,	stack,	"how the caller was called; 0: not recorded")

/* Forms of a site whose fields fit, and which has no stack. */
#define LT_FIELDS_SITE_NARROW(F)					\
	F(u16,	  site,		site,	"number that events use from here on, in this packet") \
	F(u32,	  call_site,	code,	"caller")			\
	F(u32,	  gfp_flags,	gfp,	"flags of the request")		\
	F(u16,	  bytes_req,	bytes,	"requested")			\
	F(u16,	  bytes_alloc,	bytes,	"allocated")			\
	F(u16,	  cache,	cache,	"slab cache")			\
	F(s8,	  node,		node,	"node of the request")

#define LT_FIELDS_SITE_FREE(F)						\
	F(u16,	  site,		site,	"number that events use from here on, in this packet") \
	F(u32,	  call_site,	code,	"caller")			\
	F(u16,	  cache,	cache,	"slab cache")

#define LT_FIELDS_STACK_OF(F, frames_type)				\
	F(u16,	  stack,	stack,	"number that sites use from here on, in this packet") \
	F(u8,	  n_frames,	num,	"frames that are used, the innermost first") \
	F(u8,	  flags,	bits,	"1: there were more frames; 2: ends where an interrupt was entered") \
	F(frames_type, frames,	code,	"return addresses; the first is the caller of the allocator")

#define LT_FIELDS_STACK(F)		LT_FIELDS_STACK_OF(F, u32x8)
#define LT_FIELDS_STACK_16(F)		LT_FIELDS_STACK_OF(F, u32x16)
#define LT_FIELDS_STACK_32(F)		LT_FIELDS_STACK_OF(F, u32x32)
#define LT_FIELDS_STACK_WIDE(F)		LT_FIELDS_STACK_OF(F, u64x32)

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

#define LT_FIELDS_TIGHT(F)						\
	F(u48,	  site,		site,	"what it has in common with others, and the object")

#define LT_FIELDS_KMALLOC_TIGHT(F)	LT_FIELDS_TIGHT(F)
#define LT_FIELDS_CACHE_ALLOC_TIGHT(F)	LT_FIELDS_TIGHT(F)
#define LT_FIELDS_KFREE_TIGHT(F)	LT_FIELDS_TIGHT(F)
#define LT_FIELDS_CACHE_FREE_TIGHT(F)	LT_FIELDS_TIGHT(F)
#define LT_FIELDS_BULK_ALLOC_TIGHT(F)	LT_FIELDS_TIGHT(F)
#define LT_FIELDS_BULK_FREE_TIGHT(F)	LT_FIELDS_TIGHT(F)
#define LT_FIELDS_RCU_FREE_TIGHT(F)	LT_FIELDS_TIGHT(F)

#define LT_FIELDS_PAGE_ALLOC(F)						\
	F(u40,	  pfn,		pfn,	"first page")			\
	F(u32,	  gfp_flags,	gfp,	"flags of the request")		\
	F(u8,	  order,	order,	"number of pages")		\
	F(u8,	  migratetype,	num,	"migrate type")

#define LT_FIELDS_PAGE_ALLOC_WIDE(F)					\
	F(u64,	  pfn,		pfn,	"first page")			\
	F(u64,	  call_site,	code,	"caller, or a function of the page allocator that it called") \
	F(u32,	  gfp_flags,	gfp,	"flags of the request")		\
	F(u8,	  order,	order,	"number of pages")		\
	F(u8,	  migratetype,	num,	"migrate type")

#define LT_FIELDS_PAGE_ALLOC_SHORT(F)					\
	F(u16,	  site,		site,	"what it has in common with others") \
	F(u40,	  pfn,		pfn,	"first page")			\
	F(u8,	  order,	order,	"number of pages")		\
	F(u8,	  migratetype,	num,	"migrate type")

#define LT_FIELDS_PAGE_BULK(F)						\
	F(u40,	  pfn,		pfn,	"first page")			\
	F(u32,	  gfp_flags,	gfp,	"flags of the request")		\
	F(u8,	  order,	order,	"number of pages")		\
	F(u8,	  single,	num,	"1: the only page of its call, which may have a page_alloc, too")

#define LT_FIELDS_PAGE_BULK_WIDE(F)					\
	F(u64,	  pfn,		pfn,	"first page")			\
	F(u64,	  call_site,	code,	"caller")			\
	F(u32,	  gfp_flags,	gfp,	"flags of the request")		\
	F(u8,	  order,	order,	"number of pages")		\
	F(u8,	  single,	num,	"1: the only page of its call, which may have a page_alloc, too")

#define LT_FIELDS_PAGE_BULK_SHORT(F)					\
	F(u16,	  site,		site,	"what it has in common with others") \
	F(u40,	  pfn,		pfn,	"first page")			\
	F(u8,	  order,	order,	"number of pages")		\
	F(u8,	  single,	num,	"1: the only page of its call, which may have a page_alloc, too")

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

#define LT_FIELDS_RESIZE(F)						\
	F(u64,	  ptr,		addr,	"object, which stays where it is") \
	F(u64,	  call_site,	code,	"caller")			\
	F(u64,	  bytes_req,	bytes,	"requested from here on")

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

#define LT_FIELDS_TASK_EXIT_SHORT(F)					\
	F(u8,	  number,	task,	"number of the task that exits")	\
	F(u8,	  group_dead,	num,	"1: no thread of its group was left (before 6.16 perhaps in two records)")

#define LT_FIELDS_MARKER(F)						\
	F(char120, text,	text,	"the line, without its newline")

#define LT_FIELDS_TRIGGER(F)						\
	F(u8,	  what,		num,	"1: a process is killed for its memory, 2: a task hangs, 3: oops, 4: panic, 5: made by a user") \
	F(u64,	  value,	num,	"1, 2: tid of the task; 3: number of the trap; else 0") \
	F(char56, text,		text,	"1, 2: name of the task; 3, 4: the kernel's message; 5: the user's text")

#define LT_FIELDS_MODULE(F)						\
	F(u8,	  what,		num,	"1: before its code first runs, 2: its initialisation is over, 3: after its code last ran") \
	F(u64,	  code,		code,	"where its code begins")	\
	F(u64,	  code_bytes,	bytes,	"how long that is")		\
	F(u64,	  init,		code,	"where the code of its initialisation begins") \
	F(u64,	  init_bytes,	bytes,	"how long that is; 0: it is gone") \
	F(char64, name,		text,	"name of the module")		\
	F(char64, build,	text,	"its build id, hexadecimal; empty: the kernel does not keep it")

#define LT_FIELDS_SAMPLE(F)						\
	F(u32,	  one_in,	num,	"objects at one address in so many are recorded from here on; 1: at all") \
	F(u32,	  before,	num,	"until here")

#define LT_FIELDS_TASK(F)						\
	F(u32,	  tid,		tid,	"task now running on this CPU")	\
	F(u32,	  tgid,		tgid,	"its thread group")		\
	F(u64,	  start,	nsec,	"when it was started")		\
	F(u8,	  flags,	bits,	"1: kernel thread, 2: I/O worker") \
	F(char16, comm,		text,	"its name at this moment")		\
	F(u8,	  number,	task,	"number that stands for it from here on, in this packet")

#define LT_FIELDS_TASK_NARROW(F)					\
	F(u24,	  tid,		tid,	"task now running on this CPU")	\
	F(u24,	  tgid,		tgid,	"its thread group")		\
	F(u56,	  start,	nsec,	"when it was started")		\
	F(u8,	  flags,	bits,	"1: kernel thread, 2: I/O worker") \
	F(u8,	  number,	task,	"number that stands for it from here on, in this packet") \
	F(char8,  comm,		text,	"its name at this moment")

#define LT_FIELDS_TASK_AGAIN(F)						\
	F(u8,	  number,	task,	"number of the task now running on this CPU")

#define LT_FIELDS_CACHE(F)						\
	F(u16,	  cache,	cache,	"id that events use from here on") \
	F(u64,	  ptr,		addr,	"the kernel's struct kmem_cache") \
	F(u32,	  object_size,	bytes,	"size of an object; 0: not known") \
	F(u32,	  size,		bytes,	"size of its slot; 0: not known") \
	F(char64, name,		text,	"name; of merged caches the first one's")

#define LT_FIELDS_CACHE_GONE(F)						\
	F(u16,	  cache,	cache,	"id of a cache about to be destroyed")

/*
 * Most events of an object are written in the tight form: the address, and the
 * number of a site, whose record stands before it in the packet and holds the other
 * fields. The short form holds the same in one byte more, also for addresses that are no
 * multiple of 8; machines of 32 bits write it. The narrow form holds all fields itself. The
 * wide form holds values that the narrow form has no room for. The forms differ in nothing
 * but their size, and have the name of their event. So it is with what announces a task or a
 * site; and an exit is known by the number of its task, where the packet has announced that.
 */
#define LT_KMEM_EVENTS(E)						\
	E(KMEM, 1,  KMALLOC,		kmalloc,	KMALLOC,	"memory from kmalloc") \
	E(KMEM, 2,  KMALLOC_WIDE,	kmalloc,	KMALLOC,	"wide form") \
	E(KMEM, 3,  CACHE_ALLOC,	kmem_cache_alloc, CACHE_ALLOC,	"object from a slab cache") \
	E(KMEM, 4,  CACHE_ALLOC_WIDE,	kmem_cache_alloc, CACHE_ALLOC,	"wide form") \
	E(KMEM, 5,  KFREE,		kfree,		KFREE,		"memory given back by kfree") \
	E(KMEM, 6,  KFREE_WIDE,	kfree,		KFREE,		"wide form") \
	E(KMEM, 7,  CACHE_FREE,	kmem_cache_free, CACHE_FREE,	"object given back to its slab cache") \
	E(KMEM, 8,  CACHE_FREE_WIDE,	kmem_cache_free, CACHE_FREE,	"wide form") \
	E(KMEM, 9,  PAGE_ALLOC,	page_alloc,	PAGE_ALLOC,	"pages allocated") \
	E(KMEM, 10, PAGE_FREE,	page_free,	PAGE_FREE,	"pages freed") \
	E(KMEM, 11, PAGE_BATCHED,	page_free_batched, PAGE_BATCHED, "page of a batch freed; comes in addition to page_free") \
	E(KMEM, 12, BULK_ALLOC,	bulk_alloc,	BULK_ALLOC,	"one object of a bulk allocation") \
	E(KMEM, 13, BULK_ALLOC_WIDE,	bulk_alloc,	BULK_ALLOC,	"wide form") \
	E(KMEM, 14, BULK_FREE,	bulk_free,	BULK_FREE,	"one object of a bulk free; cache 0: freed by kfree_bulk") \
	E(KMEM, 15, BULK_FREE_WIDE,	bulk_free,	BULK_FREE,	"wide form") \
	E(KMEM, 16, RCU_FREE,		rcu_free,	RCU_FREE,	"free after a grace period requested") \
	E(KMEM, 17, RCU_FREE_WIDE,	rcu_free,	RCU_FREE,	"wide form") \
	E(KMEM, 18, ALLOC_FAILED,	alloc_failed,	ALLOC_FAILED,	"an allocation that returned nothing") \
	E(KMEM, 19, TASK_EXIT,	task_exit,	TASK_EXIT,	"the end of a task") \
	E(KMEM, 20, MARKER,		marker,		MARKER,		"a line written to the file marker") \
	E(KMEM, 21, TASK,		task,		NONE,		"task that runs on this CPU from here on") \
	E(KMEM, 22, CACHE,		cache,		NONE,		"what a cache id means") \
	E(KMEM, 23, CACHE_GONE,	cache_gone,	NONE,		"a cache id is free for another one") \
	E(KMEM, 24, SITE,		site,		NONE,		"what the events of one place have in common") \
	E(KMEM, 25, KMALLOC_SHORT,	kmalloc,	KMALLOC,	"short form") \
	E(KMEM, 26, CACHE_ALLOC_SHORT, kmem_cache_alloc, CACHE_ALLOC,	"short form") \
	E(KMEM, 27, KFREE_SHORT,	kfree,		KFREE,		"short form") \
	E(KMEM, 28, CACHE_FREE_SHORT,	kmem_cache_free, CACHE_FREE,	"short form") \
	E(KMEM, 29, BULK_ALLOC_SHORT,	bulk_alloc,	BULK_ALLOC,	"short form") \
	E(KMEM, 30, BULK_FREE_SHORT,	bulk_free,	BULK_FREE,	"short form") \
	E(KMEM, 31, RCU_FREE_SHORT,	rcu_free,	RCU_FREE,	"short form") \
	E(KMEM, 32, STACK,		stack,		NONE,		"how a place was reached, up to 8 frames") \
	E(KMEM, 33, STACK_16,		stack,		NONE,		"up to 16 frames") \
	E(KMEM, 34, STACK_32,		stack,		NONE,		"up to 32 frames") \
	E(KMEM, 35, STACK_WIDE,	stack,		NONE,		"wide form")	\
	E(KMEM, 36, PAGE_ALLOC_WIDE,	page_alloc,	PAGE_ALLOC,	"wide form; not written, short forms are completed to it") \
	E(KMEM, 37, PAGE_ALLOC_SHORT,	page_alloc,	PAGE_ALLOC,	"short form, where stacks of pages are recorded") \
	E(KMEM, 38, RESIZE,		resize,		RESIZE,		"an object has another size in its place") \
	E(KMEM, 39, PAGE_BULK,	page_bulk,	PAGE_BULK,	"pages of a bulk allocation, or of a range of page frames; not written, it has no caller") \
	E(KMEM, 40, PAGE_BULK_WIDE,	page_bulk,	PAGE_BULK,	"wide form, with the caller; short forms are completed to it") \
	E(KMEM, 41, PAGE_BULK_SHORT,	page_bulk,	PAGE_BULK,	"short form")	\
	E(KMEM, 42, TRIGGER,		trigger,	MARKER,		"something happened for which the last seconds are worth a look") \
	E(KMEM, 43, MODULE,		module,		MODULE,		"a module is loaded or unloaded") \
	E(KMEM, 44, SAMPLE,		sample,		MARKER,		"the sample of addresses changes, on all CPUs") \
	E(KMEM, 45, KMALLOC_TIGHT,	kmalloc,	KMALLOC,	"tight form")	\
	E(KMEM, 46, CACHE_ALLOC_TIGHT, kmem_cache_alloc, CACHE_ALLOC,	"tight form")	\
	E(KMEM, 47, KFREE_TIGHT,	kfree,		KFREE,		"tight form")	\
	E(KMEM, 48, CACHE_FREE_TIGHT,	kmem_cache_free, CACHE_FREE,	"tight form")	\
	E(KMEM, 49, BULK_ALLOC_TIGHT,	bulk_alloc,	BULK_ALLOC,	"tight form")	\
	E(KMEM, 50, BULK_FREE_TIGHT,	bulk_free,	BULK_FREE,	"tight form")	\
	E(KMEM, 51, RCU_FREE_TIGHT,	rcu_free,	RCU_FREE,	"tight form")	\
	E(KMEM, 52, SITE_NARROW,	site,		NONE,		"narrow form")	\
	E(KMEM, 53, SITE_FREE,	site,		NONE,		"form of frees") \
	E(KMEM, 54, TASK_EXIT_SHORT,	task_exit,	TASK_EXIT,	"the end of a task that the packet has announced") \
	E(KMEM, 60, TASK_AGAIN,	task,		NONE,		"a task that the packet has announced runs again") \
	E(KMEM, 61, TASK_NARROW,	task,		NONE,		"narrow form")

#endif /* LIFETRACE_SCHEMA_KMEM_H */

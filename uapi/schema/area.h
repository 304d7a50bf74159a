/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * The schema of the channel area: memory that is neither an object of a slab nor a block of
 * pages: vmalloc areas, memory of each CPU, and coherent memory of devices.
 *
 * lifetrace_schema.h includes this file and describes the macros C, F and E.
 */
#ifndef LIFETRACE_SCHEMA_AREA_H
#define LIFETRACE_SCHEMA_AREA_H

#define LT_AREA_CLASSES(C)						\
	C(32, VMALLOC,		vmalloc,	"vmalloc areas")	\
	C(33, VFREE,		vfree,		"areas of addresses removed, of vmalloc or others") \
	C(34, PERCPU_ALLOC,	percpu_alloc,	"per-CPU memory")	\
	C(35, PERCPU_FREE,	percpu_free,	"per-CPU memory given back")	\
	C(36, DMA_ALLOC,	dma_alloc,	"coherent memory of devices")	\
	C(37, DMA_FREE,		dma_free,	"coherent memory of devices given back") \
	C(38, VRESIZE,		vresize,	"vrealloc that gave an area another size in its place")

#define LT_FIELDS_VMALLOC(F)						\
	F(u64,	  ptr,		addr,	"first byte")			\
	F(u64,	  call_site,	code,	"caller")			\
	F(u32,	  gfp_flags,	gfp,	"flags of the request")		\
	F(u64,	  bytes_req,	bytes,	"requested")			\
	F(u64,	  bytes_alloc,	bytes,	"allocated: whole pages; where huge pages are mapped, more") \
	F(s32,	  node,		node,	"node of the request")

#define LT_FIELDS_VFREE(F)						\
	F(u64,	  ptr,		addr,	"first byte")

#define LT_FIELDS_PERCPU_ALLOC(F)					\
	F(u64,	  ptr,		addr,	"the pointer without the offset of a CPU") \
	F(u64,	  call_site,	code,	"caller; 0 before 5.19")	\
	F(u32,	  gfp_flags,	gfp,	"flags of the request; 0 before 5.19") \
	F(u64,	  bytes_req,	bytes,	"as the tracepoint passes them: for all possible CPUs, each a multiple of 4") \
	F(u64,	  bytes_alloc,	bytes,	"the same number")

#define LT_FIELDS_PERCPU_FREE(F)					\
	F(u64,	  ptr,		addr,	"the pointer without the offset of a CPU")

#define LT_FIELDS_DMA_ALLOC(F)						\
	F(u64,	  ptr,		addr,	"first byte, for the CPU; without a kernel mapping, a number in its place") \
	F(u64,	  call_site,	code,	"caller")			\
	F(u32,	  gfp_flags,	gfp,	"flags of the request")		\
	F(u64,	  bytes_req,	bytes,	"requested")			\
	F(u64,	  bytes_alloc,	bytes,	"the same in whole pages")	\
	F(char64, device,	text,	"name of the device; empty: none")

#define LT_FIELDS_DMA_FREE(F)						\
	F(u64,	  ptr,		addr,	"first byte, for the CPU")	\
	F(u64,	  call_site,	code,	"caller")

#define LT_FIELDS_VRESIZE(F)						\
	F(u64,	  ptr,		addr,	"first byte, which stays where it is") \
	F(u64,	  call_site,	code,	"caller")			\
	F(u64,	  bytes_req,	bytes,	"requested from here on")	\
	F(u64,	  bytes_alloc,	bytes,	"allocated from here on; 0: more, as before")

/* The announcement of the running task has one number in all channels that have it. */
#define LT_FIELDS_AREA_TASK(F)		LT_FIELDS_TASK(F)
#define LT_FIELDS_AREA_TASK_NARROW(F)	LT_FIELDS_TASK_NARROW(F)
#define LT_FIELDS_AREA_TASK_AGAIN(F)	LT_FIELDS_TASK_AGAIN(F)

#define LT_AREA_EVENTS(E)						\
	E(AREA, 1,  VMALLOC,		vmalloc,	VMALLOC,	"area of addresses and its pages from vmalloc") \
	E(AREA, 2,  VFREE,		vfree,		VFREE,		"area of addresses removed; of vmalloc if one is known there") \
	E(AREA, 3,  PERCPU_ALLOC,	percpu_alloc,	PERCPU_ALLOC,	"memory for each possible CPU") \
	E(AREA, 4,  PERCPU_FREE,	percpu_free,	PERCPU_FREE,	"memory of each CPU given back") \
	E(AREA, 5,  DMA_ALLOC,		dma_alloc,	DMA_ALLOC,	"coherent memory for a device, from dma_alloc_attrs()") \
	E(AREA, 6,  DMA_FREE,		dma_free,	DMA_FREE,	"coherent memory of a device given back") \
	E(AREA, 7,  VRESIZE,		vresize,	VRESIZE,	"an area of vmalloc has another size in its place") \
	E(AREA, 21, AREA_TASK,	area_task,	NONE,		"task that runs on this CPU from here on") \
	E(AREA, 60, AREA_TASK_AGAIN, area_task,	NONE,	"a task that the packet has announced runs again") \
	E(AREA, 61, AREA_TASK_NARROW, area_task,	NONE,	"narrow form")

#endif /* LIFETRACE_SCHEMA_AREA_H */

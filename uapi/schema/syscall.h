/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * The schema of the channel syscall: system calls, one record each, written when the call
 * returns.
 *
 * The record's time is the end of the call; begin is that less the duration. The calls of one
 * thread do not overlap. The running task is announced, as in the channel kmem.
 *
 * lifetrace_schema.h includes this file and describes the macros C, F and E.
 */
#ifndef LIFETRACE_SCHEMA_SYSCALL_H
#define LIFETRACE_SCHEMA_SYSCALL_H

#define LT_SYSCALL_CLASSES(C)						\
	C(48, SYS,		sys,		"system calls that returned") \
	C(49, SYS_BEGIN,	sys_begin,	"system calls that replace the program, when they begin") \
	C(50, SYS_OPEN,		sys_open,	"system calls that did not return") \
	C(51, SYS_STR,		sys_str,	"what arguments of system calls point to") \
	C(52, URING,		uring,		"requests of io_uring: submitted, queued, completed")

/*
 * The narrow form of a call with so many arguments. An argument is a register of the caller:
 * 48 bits, the highest of which is the sign, hold pointers, descriptors, sizes and -1.
 */
#define LT_FIELDS_SYS_0(F)						\
	F(u16,	  nr,		num,	"number of the call")		\
	F(u8,	  flags,	bits,	"1: began before tracing, 2: first return of a new thread, 4: the kernel skipped the call, 8: no memory for its begin, 16: of the ABI of 32 bits, 32: its arguments are in sys_begin, 128: sys_str or sys_addr follow") \
	F(u32,	  duration,	num,	"from begin to end, in units of the clock; 0: not known, or less than one") \
	F(s32,	  result,	num,	"what the call returned; -512, -513, -514, -516: is restarted")
#define LT_FIELDS_SYS_1(F)	LT_FIELDS_SYS_0(F)			\
	F(s48,	  arg0,		reg,	"first argument")
#define LT_FIELDS_SYS_2(F)	LT_FIELDS_SYS_1(F)			\
	F(s48,	  arg1,		reg,	"second argument")
#define LT_FIELDS_SYS_3(F)	LT_FIELDS_SYS_2(F)			\
	F(s48,	  arg2,		reg,	"third argument")
#define LT_FIELDS_SYS_4(F)	LT_FIELDS_SYS_3(F)			\
	F(s48,	  arg3,		reg,	"fourth argument")
#define LT_FIELDS_SYS_5(F)	LT_FIELDS_SYS_4(F)			\
	F(s48,	  arg4,		reg,	"fifth argument")
#define LT_FIELDS_SYS_6(F)	LT_FIELDS_SYS_5(F)			\
	F(s48,	  arg5,		reg,	"sixth argument")

/* The wide form: something does not fit the narrow one. */
#define LT_FIELDS_SYS_WIDE_0(F)						\
	F(s32,	  nr,		num,	"number of the call; -1: a tracer has cancelled it") \
	F(u8,	  flags,	bits,	"as in the narrow form")	\
	F(u64,	  duration,	num,	"from begin to end, in units of the clock; 0: not known, or less than one") \
	F(s64,	  result,	num,	"what the call returned")
#define LT_FIELDS_SYS_WIDE_1(F)	LT_FIELDS_SYS_WIDE_0(F)			\
	F(u64,	  arg0,		reg,	"first argument")
#define LT_FIELDS_SYS_WIDE_2(F)	LT_FIELDS_SYS_WIDE_1(F)			\
	F(u64,	  arg1,		reg,	"second argument")
#define LT_FIELDS_SYS_WIDE_3(F)	LT_FIELDS_SYS_WIDE_2(F)			\
	F(u64,	  arg2,		reg,	"third argument")
#define LT_FIELDS_SYS_WIDE_4(F)	LT_FIELDS_SYS_WIDE_3(F)			\
	F(u64,	  arg3,		reg,	"fourth argument")
#define LT_FIELDS_SYS_WIDE_5(F)	LT_FIELDS_SYS_WIDE_4(F)			\
	F(u64,	  arg4,		reg,	"fifth argument")
#define LT_FIELDS_SYS_WIDE_6(F)	LT_FIELDS_SYS_WIDE_5(F)			\
	F(u64,	  arg5,		reg,	"sixth argument")

#define LT_FIELDS_SYS_ARGS(F)						\
	F(u64,	  arg0,		reg,	"first argument")		\
	F(u64,	  arg1,		reg,	"second argument")		\
	F(u64,	  arg2,		reg,	"third argument")		\
	F(u64,	  arg3,		reg,	"fourth argument")		\
	F(u64,	  arg4,		reg,	"fifth argument")		\
	F(u64,	  arg5,		reg,	"sixth argument")

#define LT_FIELDS_SYS_BEGIN(F)						\
	F(s32,	  nr,		num,	"number of the call")		\
	F(u8,	  flags,	bits,	"16: of the ABI of 32 bits, 128: sys_str follow") \
	LT_FIELDS_SYS_ARGS(F)

#define LT_FIELDS_SYS_OPEN(F)						\
	F(u32,	  tid,		tid,	"the thread that called")	\
	F(u32,	  tgid,		tgid,	"its thread group; 0: not known, the thread is gone") \
	F(u64,	  start,	nsec,	"when the thread was started; 0: not known") \
	F(s32,	  nr,		num,	"number of the call")		\
	F(u8,	  flags,	bits,	"1: began before tracing, 4: seccomp ended the thread before the call began, 16: of the ABI of 32 bits, 64: its arguments are not known") \
	F(u8,	  why,		num,	"1: the thread ended inside, 2: open at the end of the session, 3: the thread began another call") \
	F(u64,	  begin,	num,	"when it began, in units of the clock; 0: before tracing, or never") \
	LT_FIELDS_SYS_ARGS(F)

/*
 * What an argument points to. These records stand directly behind that of their call, in the same
 * packet and with the same time: they are written together, or none of them is.
 */
#define LT_FIELDS_SYS_POINTED(F)					\
	F(u8,	  arg,		num,	"number of the argument, from 0 on") \
	F(u8,	  element,	num,	"of an array of texts: number of the element, from 0 on") \
	F(u8,	  flags,	bits,	"1: there is more, 2: the memory could not be read, 4: another one follows, 8: read when the call returned, although the call slept or may have written there") \
	F(u8,	  size,		bytes,	"bytes that are of use")

#define LT_FIELDS_SYS_STR(F)	LT_FIELDS_SYS_POINTED(F)		\
	F(char16, text,		text,	"the text, without the zero at its end")
#define LT_FIELDS_SYS_STR_32(F)	LT_FIELDS_SYS_POINTED(F)		\
	F(char32, text,		text,	"the text")
#define LT_FIELDS_SYS_STR_64(F)	LT_FIELDS_SYS_POINTED(F)		\
	F(char64, text,		text,	"the text")
#define LT_FIELDS_SYS_STR_128(F)	LT_FIELDS_SYS_POINTED(F)	\
	F(char128, text,	text,	"the text")
#define LT_FIELDS_SYS_STR_256(F)	LT_FIELDS_SYS_POINTED(F)	\
	F(char256, text,	text,	"the text")

#define LT_FIELDS_SYS_ADDR(F)	LT_FIELDS_SYS_POINTED(F)		\
	F(u8x32,  bytes,	num,	"the address of a socket, as in memory")
#define LT_FIELDS_SYS_ADDR_128(F)	LT_FIELDS_SYS_POINTED(F)	\
	F(u8x128, bytes,	num,	"the address of a socket")

/*
 * Requests of io_uring. A request has no place that is its own, and completes on any CPU, in any
 * task: it is two records, or three.
 */
#define LT_FIELDS_URING_SUBMIT(F)					\
	F(u64,	  ring,		addr,	"the ring")			\
	F(u64,	  request,	addr,	"the request, until it completes") \
	F(u64,	  user_data,	reg,	"the program's name for it")	\
	F(u8,	  opcode,	num,	"what to do")

#define LT_FIELDS_URING_QUEUE(F)					\
	F(u64,	  request,	addr,	"the request")

#define LT_FIELDS_URING_COMPLETE(F)					\
	F(u64,	  ring,		addr,	"the ring")			\
	F(u64,	  request,	addr,	"the request; 0: not known")	\
	F(u64,	  user_data,	reg,	"the program's name for it")	\
	F(s32,	  result,	num,	"as the program gets it")	\
	F(u32,	  flags,	bits,	"as the program gets them; 2: the request goes on")

/* The announcement of the running task has one number in all channels that have it. */
#define LT_FIELDS_SYSCALL_TASK(F)	LT_FIELDS_TASK(F)
#define LT_FIELDS_SYSCALL_TASK_NARROW(F)	LT_FIELDS_TASK_NARROW(F)
#define LT_FIELDS_SYSCALL_TASK_AGAIN(F)	LT_FIELDS_TASK_AGAIN(F)

#define LT_SYSCALL_EVENTS(E)						\
	E(SYSCALL, 1,  SYS_0,		sys,		SYS,	"system call that returned") \
	E(SYSCALL, 2,  SYS_1,		sys,		SYS,	"with one argument")	\
	E(SYSCALL, 3,  SYS_2,		sys,		SYS,	"with two arguments")	\
	E(SYSCALL, 4,  SYS_3,		sys,		SYS,	"with three arguments")	\
	E(SYSCALL, 5,  SYS_4,		sys,		SYS,	"with four arguments")	\
	E(SYSCALL, 6,  SYS_5,		sys,		SYS,	"with five arguments")	\
	E(SYSCALL, 7,  SYS_6,		sys,		SYS,	"with six arguments")	\
	E(SYSCALL, 8,  SYS_WIDE_0,	sys,		SYS,	"wide form")		\
	E(SYSCALL, 9,  SYS_WIDE_1,	sys,		SYS,	"wide form, with one argument") \
	E(SYSCALL, 10, SYS_WIDE_2,	sys,		SYS,	"wide form, with two arguments") \
	E(SYSCALL, 11, SYS_WIDE_3,	sys,		SYS,	"wide form, with three arguments") \
	E(SYSCALL, 12, SYS_WIDE_4,	sys,		SYS,	"wide form, with four arguments") \
	E(SYSCALL, 13, SYS_WIDE_5,	sys,		SYS,	"wide form, with five arguments") \
	E(SYSCALL, 14, SYS_WIDE_6,	sys,		SYS,	"wide form, with six arguments") \
	E(SYSCALL, 15, SYS_BEGIN,	sys_begin,	SYS_BEGIN, "system call that replaces the program, when it begins") \
	E(SYSCALL, 16, SYS_OPEN,	sys_open,	SYS_OPEN, "system call that did not return") \
	E(SYSCALL, 17, SYS_STR,		sys_str,	SYS_STR, "text that an argument of the call before points to") \
	E(SYSCALL, 18, SYS_STR_32,	sys_str,	SYS_STR, "of 17 to 32 bytes")	\
	E(SYSCALL, 19, SYS_STR_64,	sys_str,	SYS_STR, "of 33 to 64 bytes")	\
	E(SYSCALL, 20, SYS_STR_128,	sys_str,	SYS_STR, "of 65 to 128 bytes")	\
	E(SYSCALL, 21, SYSCALL_TASK,	syscall_task,	NONE,	"task that runs on this CPU from here on") \
	E(SYSCALL, 22, SYS_STR_256,	sys_str,	SYS_STR, "of 129 to 255 bytes")	\
	E(SYSCALL, 23, SYS_ADDR,	sys_addr,	SYS_STR, "address of a socket that an argument of the call before points to") \
	E(SYSCALL, 24, SYS_ADDR_128,	sys_addr,	SYS_STR, "of 33 to 128 bytes")	\
	E(SYSCALL, 25, URING_SUBMIT,	uring_submit,	URING,	"request of io_uring that is submitted") \
	E(SYSCALL, 26, URING_QUEUE,	uring_queue,	URING,	"request that is handed to a worker") \
	E(SYSCALL, 27, URING_COMPLETE,	uring_complete,	URING,	"request that completes, or goes on with a result") \
	E(SYSCALL, 60, SYSCALL_TASK_AGAIN, syscall_task,	NONE,	"a task that the packet has announced runs again") \
	E(SYSCALL, 61, SYSCALL_TASK_NARROW, syscall_task,	NONE,	"narrow form")

#endif /* LIFETRACE_SCHEMA_SYSCALL_H */

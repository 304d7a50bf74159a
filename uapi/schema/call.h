/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * The schema of the channel call: calls of functions of the kernel, one record each, written when
 * the function returns.
 *
 * The record's time is the end of the call; begin is that less the duration. What its values are
 * stands in the file, in the blocks FUNCTIONS, by the number of the function. The running task is
 * announced, as in the channel kmem.
 *
 * lifetrace_schema.h includes this file and describes the macros C, F and E.
 */
#ifndef LIFETRACE_SCHEMA_CALL_H
#define LIFETRACE_SCHEMA_CALL_H

#define LT_CALL_CLASSES(C)						\
	C(64, CALL,		call,		"function calls that returned") \
	C(65, CALL_OPEN,	call_open,	"function calls that did not return")

/*
 * The forms of a call differ in the bytes of its values: a record has the smallest form that holds
 * them. Bytes behind the values are zeros.
 */
#define LT_FIELDS_CALL_0(F)						\
	F(u16,	  function,	num,	"number of the function, see the block FUNCTIONS") \
	F(u16,	  depth,	num,	"of its frame in the stack: -(address of the frame / 8), the low 16 bits; a caller's is less") \
	F(u32,	  duration,	num,	"from begin to end, in units of the clock")
#define LT_FIELDS_CALL_N(F, type)	LT_FIELDS_CALL_0(F)		\
	F(type,	  values,	num,	"values, without padding, as the function's lines describe them")
#define LT_FIELDS_CALL_4(F)	LT_FIELDS_CALL_N(F, u8x4)
#define LT_FIELDS_CALL_8(F)	LT_FIELDS_CALL_N(F, u8x8)
#define LT_FIELDS_CALL_12(F)	LT_FIELDS_CALL_N(F, u8x12)
#define LT_FIELDS_CALL_16(F)	LT_FIELDS_CALL_N(F, u8x16)
#define LT_FIELDS_CALL_20(F)	LT_FIELDS_CALL_N(F, u8x20)
#define LT_FIELDS_CALL_24(F)	LT_FIELDS_CALL_N(F, u8x24)
#define LT_FIELDS_CALL_28(F)	LT_FIELDS_CALL_N(F, u8x28)
#define LT_FIELDS_CALL_32(F)	LT_FIELDS_CALL_N(F, u8x32)
#define LT_FIELDS_CALL_40(F)	LT_FIELDS_CALL_N(F, u8x40)
#define LT_FIELDS_CALL_48(F)	LT_FIELDS_CALL_N(F, u8x48)
#define LT_FIELDS_CALL_64(F)	LT_FIELDS_CALL_N(F, u8x64)
#define LT_FIELDS_CALL_80(F)	LT_FIELDS_CALL_N(F, u8x80)
#define LT_FIELDS_CALL_96(F)	LT_FIELDS_CALL_N(F, u8x96)
#define LT_FIELDS_CALL_128(F)	LT_FIELDS_CALL_N(F, u8x128)
#define LT_FIELDS_CALL_192(F)	LT_FIELDS_CALL_N(F, u8x192)
#define LT_FIELDS_CALL_256(F)	LT_FIELDS_CALL_N(F, u8x256)

/* The wide form: a value could not be read, a text is not whole, or the call took longer. */
#define LT_FIELDS_CALL_WIDE_0(F)					\
	F(u16,	  function,	num,	"number of the function")	\
	F(u16,	  depth,	num,	"as in the other forms")	\
	F(u64,	  duration,	num,	"from begin to end, in units of the clock") \
	F(u32,	  unread,	bits,	"bit n: value n could not be read: the memory is not there") \
	F(u32,	  cut,		bits,	"bit n: value n is a text, and there is more of it")
#define LT_FIELDS_CALL_WIDE_N(F, type)	LT_FIELDS_CALL_WIDE_0(F)	\
	F(type,	  values,	num,	"values, as in the other forms")
#define LT_FIELDS_CALL_WIDE_32(F)	LT_FIELDS_CALL_WIDE_N(F, u8x32)
#define LT_FIELDS_CALL_WIDE_64(F)	LT_FIELDS_CALL_WIDE_N(F, u8x64)
#define LT_FIELDS_CALL_WIDE_128(F)	LT_FIELDS_CALL_WIDE_N(F, u8x128)
#define LT_FIELDS_CALL_WIDE_256(F)	LT_FIELDS_CALL_WIDE_N(F, u8x256)

#define LT_FIELDS_CALL_OPEN(F)						\
	F(u32,	  tid,		tid,	"the thread that called")	\
	F(u32,	  tgid,		tgid,	"its thread group; 0: not known, the thread is gone") \
	F(u64,	  start,	nsec,	"when the thread was started")	\
	F(u16,	  function,	num,	"number of the function")	\
	F(u16,	  depth,	num,	"as in a call that returned")	\
	F(u8,	  why,		num,	"1: the thread ended inside, 2: open at the end of the session") \
	F(u64,	  begin,	num,	"when it began, in units of the clock")

/* The announcement of the running task has one number in all channels that have it. */
#define LT_FIELDS_CALL_TASK(F)	LT_FIELDS_TASK(F)

#define LT_CALL_EVENTS(E)						\
	E(CALL, 1,  CALL_0,	call,		CALL,	"function call that returned, without values") \
	E(CALL, 2,  CALL_4,	call,		CALL,	"with values of 1 to 4 bytes") \
	E(CALL, 3,  CALL_8,	call,		CALL,	"of 5 to 8 bytes")	\
	E(CALL, 4,  CALL_12,	call,		CALL,	"of 9 to 12 bytes")	\
	E(CALL, 5,  CALL_16,	call,		CALL,	"of 13 to 16 bytes")	\
	E(CALL, 6,  CALL_20,	call,		CALL,	"of 17 to 20 bytes")	\
	E(CALL, 7,  CALL_24,	call,		CALL,	"of 21 to 24 bytes")	\
	E(CALL, 8,  CALL_28,	call,		CALL,	"of 25 to 28 bytes")	\
	E(CALL, 9,  CALL_32,	call,		CALL,	"of 29 to 32 bytes")	\
	E(CALL, 10, CALL_40,	call,		CALL,	"of 33 to 40 bytes")	\
	E(CALL, 11, CALL_48,	call,		CALL,	"of 41 to 48 bytes")	\
	E(CALL, 12, CALL_64,	call,		CALL,	"of 49 to 64 bytes")	\
	E(CALL, 13, CALL_80,	call,		CALL,	"of 65 to 80 bytes")	\
	E(CALL, 14, CALL_96,	call,		CALL,	"of 81 to 96 bytes")	\
	E(CALL, 15, CALL_128,	call,		CALL,	"of 97 to 128 bytes")	\
	E(CALL, 16, CALL_192,	call,		CALL,	"of 129 to 192 bytes")	\
	E(CALL, 17, CALL_256,	call,		CALL,	"of 193 to 256 bytes")	\
	E(CALL, 21, CALL_TASK,	call_task,	NONE,	"task that runs on this CPU from here on") \
	E(CALL, 22, CALL_WIDE_0, call,		CALL,	"wide form")		\
	E(CALL, 23, CALL_WIDE_32, call,		CALL,	"wide form, with values of 1 to 32 bytes") \
	E(CALL, 24, CALL_WIDE_64, call,		CALL,	"wide form, with values of 33 to 64 bytes") \
	E(CALL, 25, CALL_WIDE_128, call,	CALL,	"wide form, with values of 65 to 128 bytes") \
	E(CALL, 26, CALL_WIDE_256, call,	CALL,	"wide form, with values of 129 to 256 bytes") \
	E(CALL, 27, CALL_OPEN,	call_open,	CALL_OPEN, "function call that did not return")

#endif /* LIFETRACE_SCHEMA_CALL_H */

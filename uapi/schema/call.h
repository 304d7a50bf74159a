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
 * them, the short one where it can. Bytes behind the values are zeros.
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

/*
 * The short form: the call took less than 2^16 units, and has 7 values at the most, each of which
 * is an integer that could be read. For each value there are 3 bits, which stand first: how many
 * bytes it has here, less one. The first value's are the highest ones; they are one integer, of 1
 * byte, of 2 for more than 2 values, of 3 for more than 5. Behind it stand the values,
 * without padding, each as an integer with a sign. The value as the function has it is this one
 * with its sign extended, cut to the function's size. A byte that is left is 0.
 */
#define LT_FIELDS_CALL_SHORT_0(F)					\
	F(u16,	  function,	num,	"number of the function")	\
	F(u16,	  depth,	num,	"as in the other forms")	\
	F(u16,	  duration,	num,	"from begin to end, in units of the clock")
#define LT_FIELDS_CALL_SHORT_N(F, type)	LT_FIELDS_CALL_SHORT_0(F)	\
	F(type,	  packed,	num,	"the values, each in as many bytes as it needs, behind 3 bits for each")
#define LT_FIELDS_CALL_SHORT_2(F)	LT_FIELDS_CALL_SHORT_N(F, u8x2)
#define LT_FIELDS_CALL_SHORT_4(F)	LT_FIELDS_CALL_SHORT_N(F, u8x4)
#define LT_FIELDS_CALL_SHORT_6(F)	LT_FIELDS_CALL_SHORT_N(F, u8x6)
#define LT_FIELDS_CALL_SHORT_8(F)	LT_FIELDS_CALL_SHORT_N(F, u8x8)
#define LT_FIELDS_CALL_SHORT_10(F)	LT_FIELDS_CALL_SHORT_N(F, u8x10)
#define LT_FIELDS_CALL_SHORT_12(F)	LT_FIELDS_CALL_SHORT_N(F, u8x12)
#define LT_FIELDS_CALL_SHORT_14(F)	LT_FIELDS_CALL_SHORT_N(F, u8x14)
#define LT_FIELDS_CALL_SHORT_16(F)	LT_FIELDS_CALL_SHORT_N(F, u8x16)
#define LT_FIELDS_CALL_SHORT_18(F)	LT_FIELDS_CALL_SHORT_N(F, u8x18)
#define LT_FIELDS_CALL_SHORT_20(F)	LT_FIELDS_CALL_SHORT_N(F, u8x20)
#define LT_FIELDS_CALL_SHORT_22(F)	LT_FIELDS_CALL_SHORT_N(F, u8x22)
#define LT_FIELDS_CALL_SHORT_24(F)	LT_FIELDS_CALL_SHORT_N(F, u8x24)
#define LT_FIELDS_CALL_SHORT_26(F)	LT_FIELDS_CALL_SHORT_N(F, u8x26)
#define LT_FIELDS_CALL_SHORT_28(F)	LT_FIELDS_CALL_SHORT_N(F, u8x28)
#define LT_FIELDS_CALL_SHORT_30(F)	LT_FIELDS_CALL_SHORT_N(F, u8x30)
#define LT_FIELDS_CALL_SHORT_32(F)	LT_FIELDS_CALL_SHORT_N(F, u8x32)
#define LT_FIELDS_CALL_SHORT_34(F)	LT_FIELDS_CALL_SHORT_N(F, u8x34)
#define LT_FIELDS_CALL_SHORT_36(F)	LT_FIELDS_CALL_SHORT_N(F, u8x36)
#define LT_FIELDS_CALL_SHORT_38(F)	LT_FIELDS_CALL_SHORT_N(F, u8x38)
#define LT_FIELDS_CALL_SHORT_40(F)	LT_FIELDS_CALL_SHORT_N(F, u8x40)
#define LT_FIELDS_CALL_SHORT_42(F)	LT_FIELDS_CALL_SHORT_N(F, u8x42)
#define LT_FIELDS_CALL_SHORT_44(F)	LT_FIELDS_CALL_SHORT_N(F, u8x44)
#define LT_FIELDS_CALL_SHORT_46(F)	LT_FIELDS_CALL_SHORT_N(F, u8x46)
#define LT_FIELDS_CALL_SHORT_48(F)	LT_FIELDS_CALL_SHORT_N(F, u8x48)
#define LT_FIELDS_CALL_SHORT_50(F)	LT_FIELDS_CALL_SHORT_N(F, u8x50)
#define LT_FIELDS_CALL_SHORT_52(F)	LT_FIELDS_CALL_SHORT_N(F, u8x52)
#define LT_FIELDS_CALL_SHORT_54(F)	LT_FIELDS_CALL_SHORT_N(F, u8x54)
#define LT_FIELDS_CALL_SHORT_56(F)	LT_FIELDS_CALL_SHORT_N(F, u8x56)
#define LT_FIELDS_CALL_SHORT_58(F)	LT_FIELDS_CALL_SHORT_N(F, u8x58)
#define LT_FIELDS_CALL_SHORT_60(F)	LT_FIELDS_CALL_SHORT_N(F, u8x60)

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
#define LT_FIELDS_CALL_TASK_NARROW(F)	LT_FIELDS_TASK_NARROW(F)
#define LT_FIELDS_CALL_TASK_AGAIN(F)	LT_FIELDS_TASK_AGAIN(F)

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
	E(CALL, 27, CALL_OPEN,	call_open,	CALL_OPEN, "function call that did not return") \
	E(CALL, 28, CALL_SHORT_0, call,	CALL,	"short form, without values") \
	E(CALL, 29, CALL_SHORT_2, call,	CALL,	"short form, with values of 1 to 2 bytes") \
	E(CALL, 30, CALL_SHORT_4, call,	CALL,	"short form, with values of 3 to 4 bytes") \
	E(CALL, 31, CALL_SHORT_6, call,	CALL,	"short form, with values of 5 to 6 bytes") \
	E(CALL, 32, CALL_SHORT_8, call,	CALL,	"short form, with values of 7 to 8 bytes") \
	E(CALL, 33, CALL_SHORT_10, call,	CALL,	"short form, with values of 9 to 10 bytes") \
	E(CALL, 34, CALL_SHORT_12, call,	CALL,	"short form, with values of 11 to 12 bytes") \
	E(CALL, 35, CALL_SHORT_14, call,	CALL,	"short form, with values of 13 to 14 bytes") \
	E(CALL, 36, CALL_SHORT_16, call,	CALL,	"short form, with values of 15 to 16 bytes") \
	E(CALL, 37, CALL_SHORT_18, call,	CALL,	"short form, with values of 17 to 18 bytes") \
	E(CALL, 38, CALL_SHORT_20, call,	CALL,	"short form, with values of 19 to 20 bytes") \
	E(CALL, 39, CALL_SHORT_22, call,	CALL,	"short form, with values of 21 to 22 bytes") \
	E(CALL, 40, CALL_SHORT_24, call,	CALL,	"short form, with values of 23 to 24 bytes") \
	E(CALL, 41, CALL_SHORT_26, call,	CALL,	"short form, with values of 25 to 26 bytes") \
	E(CALL, 42, CALL_SHORT_28, call,	CALL,	"short form, with values of 27 to 28 bytes") \
	E(CALL, 43, CALL_SHORT_30, call,	CALL,	"short form, with values of 29 to 30 bytes") \
	E(CALL, 44, CALL_SHORT_32, call,	CALL,	"short form, with values of 31 to 32 bytes") \
	E(CALL, 45, CALL_SHORT_34, call,	CALL,	"short form, with values of 33 to 34 bytes") \
	E(CALL, 46, CALL_SHORT_36, call,	CALL,	"short form, with values of 35 to 36 bytes") \
	E(CALL, 47, CALL_SHORT_38, call,	CALL,	"short form, with values of 37 to 38 bytes") \
	E(CALL, 48, CALL_SHORT_40, call,	CALL,	"short form, with values of 39 to 40 bytes") \
	E(CALL, 49, CALL_SHORT_42, call,	CALL,	"short form, with values of 41 to 42 bytes") \
	E(CALL, 50, CALL_SHORT_44, call,	CALL,	"short form, with values of 43 to 44 bytes") \
	E(CALL, 51, CALL_SHORT_46, call,	CALL,	"short form, with values of 45 to 46 bytes") \
	E(CALL, 52, CALL_SHORT_48, call,	CALL,	"short form, with values of 47 to 48 bytes") \
	E(CALL, 53, CALL_SHORT_50, call,	CALL,	"short form, with values of 49 to 50 bytes") \
	E(CALL, 54, CALL_SHORT_52, call,	CALL,	"short form, with values of 51 to 52 bytes") \
	E(CALL, 55, CALL_SHORT_54, call,	CALL,	"short form, with values of 53 to 54 bytes") \
	E(CALL, 56, CALL_SHORT_56, call,	CALL,	"short form, with values of 55 to 56 bytes") \
	E(CALL, 57, CALL_SHORT_58, call,	CALL,	"short form, with values of 57 to 58 bytes") \
	E(CALL, 58, CALL_SHORT_60, call,	CALL,	"short form, with values of 59 to 60 bytes") \
	E(CALL, 60, CALL_TASK_AGAIN, call_task,	NONE,	"a task that the packet has announced runs again") \
	E(CALL, 61, CALL_TASK_NARROW, call_task,	NONE,	"narrow form")

#endif /* LIFETRACE_SCHEMA_CALL_H */

/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * lifetrace: the functions whose calls a session records, and what it fetches of each call.
 *
 * One write to the file "calls" hands them all over, in the byte order of the machine: struct
 * lt_call_set, then for each function struct lt_call_function with its steps. They are used by the
 * next session that chooses the event "call". A write of 0 functions takes them back. The module
 * checks all of it before anything is taken over.
 *
 * Steps are run one after the other; there are no jumps. They work on one value of 64 bits, the
 * accumulator, which is 0 at the begin. The first n_entry steps run when the function is called,
 * the others when it returns. What STORE, BYTES and TEXT write are the values of the record, in
 * their order.
 *
 * Read, the file has a line for each function: see Documentation/abi.rst.
 */
#ifndef LIFETRACE_CALL_H
#define LIFETRACE_CALL_H

#include <linux/types.h>

#define LT_CALL_MAGIC		0x4c4c4143U	/* the bytes "CALL" on a little-endian machine */
#define LT_CALL_VERSION		1

#define LT_CALL_MAX_FUNCTIONS	8192	/* in a set */
#define LT_CALL_MAX_STEPS	128	/* of a function */
#define LT_CALL_MAX_VALUES	24	/* of a function */
#define LT_CALL_MAX_BYTES	256	/* of a record's values */
#define LT_CALL_MAX_ENTRY	80	/* bytes stored at the entry, with 8 for each word kept */
#define LT_CALL_MAX_KEPT	8	/* words that are kept from entry to return */
#define LT_CALL_MAX_TEXT	64	/* bytes of a text, with the zero at its end */

struct lt_call_set {
	__u32 magic;		/* LT_CALL_MAGIC */
	__u16 version;		/* LT_CALL_VERSION */
	__u16 depth;		/* calls in so many others of the thread are left out; 0: none */
	__u32 functions;	/* how many follow; the records number them from 0 on */
	__u32 bytes;		/* of all that follows */
} __attribute__((packed));

enum lt_call_flag {
	LT_CALL_NO_RETURN = 1,	/* the function does not return: written when it is called */
};

struct lt_call_function {
	__u64 address;		/* as in /proc/kallsyms; 0: by its name, as in any module */
	__u64 min_duration;	/* ns: shorter calls are left out; 0: none */
	__u32 flags;		/* enum lt_call_flag */
	__u16 n_entry;		/* steps that run at the entry */
	__u16 n_return;		/* steps that run at the return; both follow */
	char  module[56];	/* "": the kernel itself; else the module, which may come later */
	char  name[128];	/* of the function */
} __attribute__((packed));

struct lt_call_step {
	__u8  op;		/* enum lt_call_op */
	__u8  size;		/* bytes, or bits */
	__u8  arg;		/* a number, see the operation */
	__u8  reserved;		/* 0 */
	__s32 offset;
} __attribute__((packed));

/*
 * LT_CALL_OPS(O): O(number, NAME)
 *
 * Sources, from each of which a value may begin:
 *   ARG	accumulator = argument arg, as the calling convention counts registers from 0 on,
 *		and behind them words of the stack; at the entry alone. With size 8, on a machine of
 *		32 bits: arguments arg and arg + 1 as one of 64, in the order of the machine's bytes
 *   RESULT	= the result; arg 1: its second register; with size 8 as ARG; at the return alone
 *   CONST	= offset
 *   LOADK	= word arg that the entry kept; at the return alone
 *   TASK	= the address of the task_struct that runs
 * Changes:
 *   ADD	accumulator += offset
 *   READ	= size bytes (1, 2, 4, 8) at accumulator + offset in the kernel
 *   READU	the same, in user space
 *   BITS	= size bits (1 to 64) of it, from bit arg on
 *   SIGN	= its low size bits (1 to 64), sign-extended
 *   HIGH	accumulator |= (u64)offset << 32, to the low half that there is: for constants
 *   KEEP	word arg = accumulator; at the entry alone
 * Values:
 *   STORE	the low size bytes (1, 2, 4, 8) are a value of the record
 *   BYTES	size bytes (1 to 64) at accumulator + offset in the kernel are a value
 *   TEXT	the text of at most size bytes there, with the zero at its end, is a value, as long
 *		as it is; at the return alone, and only other texts may follow
 *   TEXTU	the same, in user space
 * Tests: if one does not hold, the call is left out
 *   LIMIT	limit = accumulator
 *   TEST	arg (enum lt_call_test): accumulator to limit
 *
 * What cannot be read is 0, and the value of which it is a part is marked as not read.
 */
#define LT_CALL_OPS(O)							\
	O(1, ARG)							\
	O(2, RESULT)							\
	O(3, CONST)							\
	O(4, LOADK)							\
	O(5, TASK)							\
	O(6, ADD)							\
	O(7, READ)							\
	O(8, READU)							\
	O(9, BITS)							\
	O(10, SIGN)							\
	O(11, HIGH)							\
	O(12, KEEP)							\
	O(13, STORE)							\
	O(14, BYTES)							\
	O(15, TEXT)							\
	O(16, TEXTU)							\
	O(17, LIMIT)							\
	O(18, TEST)

#define LT_ENUM_CALL_OP(number, NAME)	LT_CALL_##NAME = (number),
enum lt_call_op {
	LT_CALL_OPS(LT_ENUM_CALL_OP)
};
#undef LT_ENUM_CALL_OP

enum lt_call_test {
	LT_CALL_EQ,
	LT_CALL_NE,
	LT_CALL_LT,		/* with a sign */
	LT_CALL_LE,
	LT_CALL_GT,
	LT_CALL_GE,
	LT_CALL_BELOW,		/* without a sign */
	LT_CALL_ABOVE,
	LT_CALL_AND,		/* they have a bit in common */
	LT_CALL_N_TESTS,
};

/*
 * The file from which the module takes a set when it is loaded with enable=1, as the kernel loads
 * firmware: struct lt_call_boot, the set, and the text of the block FUNCTIONS that describes it.
 * The functions in it go by their names, since addresses differ in each boot. Offsets in structs
 * are those of one build of a kernel, which the file names.
 */
#define LT_CALL_BOOT_FILE	"lifetrace-calls"	/* in /lib/firmware/RELEASE */
#define LT_CALL_BOOT_MAGIC	0x424c4143U	/* the bytes "CALB" on a little-endian machine */
#define LT_CALL_BOOT_VERSION	1
#define LT_CALL_BOOT_MOST_TEXT	(64U << 20)	/* bytes */

struct lt_call_boot {
	__u32 magic;		/* LT_CALL_BOOT_MAGIC */
	__u16 version;		/* LT_CALL_BOOT_VERSION */
	__u16 reserved;		/* 0 */
	__u64 sum;		/* LT_CALL_BOOT_SUM of each byte behind it */
	__u32 set;		/* bytes of the set */
	__u32 text;		/* bytes of the text */
	char  release[72];	/* of the kernel, as uname(2) has it */
	char  build[72];	/* the version of this kernel */
} __attribute__((packed));

/* FNV-1a */
#define LT_CALL_BOOT_SUM_BEGIN		0xcbf29ce484222325ULL
#define LT_CALL_BOOT_SUM(sum, byte)	(((sum) ^ (__u8)(byte)) * 0x100000001b3ULL)

#endif /* LIFETRACE_CALL_H */

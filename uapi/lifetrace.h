/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * lifetrace: the binary interface between module, reader and third parties.
 *
 * A trace is a set of streams, one for each channel and CPU. A stream is a
 * sequence of packets; a packet is one sub-buffer of the kernel's relay
 * interface, cut at the end of its content. It begins with struct
 * lt_packet_header, which holds all that is needed to decode the packet alone, and goes
 * on with records until content_bits.
 *
 * All integers are in the byte order of the machine that was traced. The first
 * four bytes of a packet are LT_PACKET_MAGIC, from which a reader finds the order. All
 * records are packed, without padding between them or in them. A packet is also a valid
 * packet of CTF (https://diamon.org/ctf/).
 *
 * A record begins with one 32-bit word, made of three bit-fields. On a
 * little-endian machine the first stands in the least significant bits, on a
 * big-endian machine in the most significant bits:
 *
 *	6 bits	id of the event (1..62), or 63: long form
 *	24 bits	the low bits of the time
 *	2 bits	context: enum lt_context
 *
 * In the long form only the first byte is as in the word. A u16 with the id
 * follows, a u64 with the full time, and a byte whose first two bits are the
 * context. The short form is used when less than 2^24 clock units have passed
 * since the last record of the packet, or, for the first record, since
 * timestamp_begin. Then the payload follows, as lifetrace_schema.h describes
 * it. Time never decreases within a stream.
 *
 * Id 0 is never written: a record that begins with a zero id was never
 * completed, and the packet is damaged from there on.
 */
#ifndef LIFETRACE_H
#define LIFETRACE_H

#include <linux/types.h>

#include "lifetrace_schema.h"

#define LT_VERSION_MAJOR	1	/* a reader refuses another one */
#define LT_VERSION_MINOR	4	/* a reader reads a newer one, with a notice */

/* The magic number of CTF packets. */
#define LT_PACKET_MAGIC		0xc1fc1fc1U

/* LT_CHANNEL_KMEM and so on. */
#define LT_ENUM_CHANNEL(number, NAME, name)	LT_CHANNEL_##NAME = (number),
enum lt_channel_id {
	LT_CHANNELS(LT_ENUM_CHANNEL)
};
#undef LT_ENUM_CHANNEL

#define LT_PLUS_ONE(number, NAME, name)		+ 1
enum {
	LT_N_CHANNELS = 0 LT_CHANNELS(LT_PLUS_ONE),
};
#undef LT_PLUS_ONE

/* Where an event happened. Events in NMI are refused and counted, not written. */
enum lt_context {
	LT_CTX_TASK = 0,
	LT_CTX_SOFTIRQ = 1,
	LT_CTX_HARDIRQ = 2,
	LT_CTX_NMI = 3,
};

/* Flags of a task: births, snapshots, and (the first two alone) the record "task". */
enum lt_task_flag {
	LT_TASK_FLAG_KTHREAD = 1,	/* kernel thread */
	LT_TASK_FLAG_IO_WORKER = 2,	/* thread of io_uring, in a process */
	LT_TASK_FLAG_USER_WORKER = 4,	/* thread of the kernel in a process: vhost */
	LT_TASK_FLAG_EXITING = 8,	/* in snapshots: began to exit */
	LT_TASK_FLAG_IN_EXEC = 16,	/* in snapshots: executes a program at this moment */
};

/* Performance counters of tasks: the event "counter". The numbers never change. */
enum lt_counter {
	LT_COUNTER_INSTRUCTIONS = 1,
	LT_COUNTER_CYCLES = 2,
	LT_COUNTER_CACHE_REFERENCES = 3,
	LT_COUNTER_CACHE_MISSES = 4,
	LT_COUNTER_BRANCHES = 5,
	LT_COUNTER_BRANCH_MISSES = 6,
	LT_COUNTER_TASK_CLOCK = 7,	/* ns */
	LT_COUNTER_PAGE_FAULTS = 8,
	LT_COUNTER_CONTEXT_SWITCHES = 9,
	LT_COUNTER_CPU_MIGRATIONS = 10,
	LT_N_COUNTERS,
};

/* Flags of a stack. */
enum lt_stack_flag {
	LT_STACK_CUT = 1,	/* there were more frames than were asked for */
	LT_STACK_IRQ = 2,	/* ends where an interrupt was entered */
};

#define LT_STACK_FRAMES		32	/* frames of a stack at the most */

/*
 * Where one address in N gets its stack, it is those of which this is below 2^32 / N. It has
 * nothing in common with the hash of a sample of events: else such a sample would hold another
 * share of stacks than was asked for. The low bits are equal in all objects of a cache.
 */
#define LT_STACK_HASH(addr)	((__u32)((addr) >> 3) * 0x85ebca6bU)

/* Flags of a system call. */
enum lt_sys_flag {
	LT_SYS_BEFORE = 1,	/* began before the session watched calls */
	LT_SYS_FIRST = 2,	/* a new thread returns to user space: the call of its creator */
	LT_SYS_SKIPPED = 4,	/* the kernel did not begin it: seccomp, ptrace */
	LT_SYS_NO_SLOT = 8,	/* there was no memory to keep when it began */
	LT_SYS_COMPAT = 16,	/* of the ABI of 32 bits, on a machine of 64 */
	LT_SYS_BEGUN = 32,	/* an event sys_begin has its arguments */
	LT_SYS_NO_ARGS = 64,	/* its arguments are not known */
	LT_SYS_TEXTS = 128,	/* events sys_str or sys_addr follow */
};

/* Flags of what an argument of a system call points to. */
enum lt_sys_text_flag {
	LT_SYS_TEXT_CUT = 1,	/* there is more than the record has */
	LT_SYS_TEXT_FAULT = 2,	/* the memory could not be read, from there on */
	LT_SYS_TEXT_MORE = 4,	/* another record of this call follows */
	LT_SYS_TEXT_LATE = 8,	/* read at the return of a call that may have changed it */
};

/* The number of an element that stands for the rest of an array, which was not read. */
#define LT_SYS_TEXT_REST	255

/*
 * What the parameters call_texts and call_texts32 of the module say of an argument: a letter each.
 * LT_SYS_TEXT_KINDS(X): X(letter, NAME)
 */
#define LT_SYS_TEXT_KINDS(X)						\
	X('-', NONE)							\
	X('t', TEXT)		/* a text that ends with a zero */	\
	X('v', VECTOR)		/* an array of pointers to such, the last of which is NULL */ \
	X('k', ADDR)		/* the address of a socket, with its size in the next argument */ \
	X('g', ADDR_GOT)	/* such an address as a result, with a pointer to its size */ \
	X('r', RESULT)		/* a text as a result: what the call returns is its size */

/* Why a function call did not return: field "why" of the event "call_open". */
enum lt_call_why {
	LT_CALL_DIED = 1,	/* its thread ended inside */
	LT_CALL_AT_END = 2,	/* at the end of the session */
};

#define LT_URING_MORE	2	/* flag of a completion: the request goes on */

/* Why a system call did not return: field "why" of the event "sys_open". */
enum lt_sys_why {
	LT_SYS_DIED = 1,	/* its thread ended inside: exit, or the thread was killed */
	LT_SYS_AT_END = 2,	/* at the end of the session */
	LT_SYS_OVERTAKEN = 3,	/* its thread began another call: the kernel showed no return */
};

/* Why a generation of a pid namespace ended: field "why" of the event "wrap". */
enum lt_wrap_why {
	LT_WRAP_CURSOR = 1,	/* the cursor of the numbering went back */
	LT_WRAP_AGAIN = 2,	/* a number was given a second time in the generation */
	LT_WRAP_NOT_KNOWN = 3,	/* it may have been: there was no memory to note it */
};

/* Why a snapshot was taken: field "purpose" of the event "snap_begin". */
enum lt_snapshot_purpose {
	LT_SNAPSHOT_INITIAL = 0,	/* at the start of the session */
	LT_SNAPSHOT_DEMAND = 1,		/* requested */
	LT_SNAPSHOT_FINAL = 2,		/* requested before the stop */
};

/* What a trigger is: field "what" of the event "trigger". */
enum lt_trigger_what {
	LT_TRIGGER_OOM_KILL = 1,	/* the kernel kills a process for its memory */
	LT_TRIGGER_HUNG_TASK = 2,	/* a task has not run for long, by khungtaskd */
	LT_TRIGGER_OOPS = 3,
	LT_TRIGGER_PANIC = 4,
	LT_TRIGGER_USER = 5,		/* a text was written to the file trigger */
	LT_N_TRIGGERS = 6,
};

/* What becomes of a module: field "what" of the event "module". */
enum lt_module_what {
	LT_MODULE_COMING = 1,	/* its code is in its place, and has not run yet */
	LT_MODULE_LIVE = 2,	/* its initialisation is over, whose code goes */
	LT_MODULE_GOING = 3,	/* its code has run for the last time, and goes */
};

enum lt_clock_id {
	LT_CLOCK_MONO = 0,	/* CLOCK_MONOTONIC, ns */
	LT_CLOCK_RAW = 1,	/* CLOCK_MONOTONIC_RAW, ns */
	LT_CLOCK_BOOT = 2,	/* CLOCK_BOOTTIME, ns */
	LT_CLOCK_COUNTER = 3,	/* the CPU's own counter, clock_freq units a second */
};

#define LT_ENUM_CLASS(num, NAME, name, text)	LT_CLASS_##NAME = (num),
enum lt_class {
	LT_CLASSES(LT_ENUM_CLASS)
	LT_CLASS_NONE = 255,
};
#undef LT_ENUM_CLASS

/*
 * Room for a channel's classes in a packet header; those that are not declared
 * stay zero. Entry i is of the class with the number LT_CLASS(channel, i).
 */
#define LT_N_CLASSES		16
#define LT_CLASS(channel, i)	(((channel) - 1) * LT_N_CLASSES + (i))
#define LT_CLASS_CHANNEL(class)	((class) / LT_N_CLASSES + 1)
#define LT_CLASS_INDEX(class)	((class) % LT_N_CLASSES)

enum {
	LT_MAX_CLASSES = LT_N_CHANNELS * LT_N_CLASSES,
};

/*
 * Events are numbered channel by channel. The constants have the channel in
 * their upper bits, which makes them unique; a record holds the id alone.
 */
#define LT_EV(channel, id)	((((channel) - 1) << 8) | (id))
#define LT_EV_ID(event)		((event) & 0xff)

#define LT_ENUM_EVENT(CHANNEL, id, NAME, name, CLASS, text) \
	LT_EV_##NAME = LT_EV(LT_CHANNEL_##CHANNEL, id),
enum lt_event_id {
	LT_EV_NONE = 0,
	LT_EVENTS(LT_ENUM_EVENT)
	LT_EV_LONG = 63,	/* in each channel */
};
#undef LT_ENUM_EVENT

/*
 * Cumulative counts of one class on one CPU since the start of the session.
 * For each class:
 *
 *	seen = records in this stream so far
 *	       + lost_full + lost_nmi + lost_nested + lost_nobuf + filtered
 */
struct lt_class_counts {
	__u64 seen;		/* events that reached the probe */
	__u64 lost_full;	/* no room: the reader was too slow */
	__u64 lost_nmi;		/* happened in NMI context */
	__u64 lost_nested;	/* happened inside the tracer itself */
	__u64 lost_nobuf;	/* this CPU had no buffer */
	__u64 filtered;		/* left out on purpose: sample, min_size, NULL frees */
} __attribute__((packed));

enum lt_packet_flags {
	LT_PACKET_LAST = 1,	/* nothing follows in this stream */
	LT_PACKET_STATE = 2,	/* of a block STATE: what was alive at timestamp_end */
	LT_PACKET_SPLIT = 4,	/* with STATE: its page blocks are parts of larger ones */
	LT_PACKET_WITHIN = 8,	/* events lost for lack of room may have been lost within it */
};

/*
 * With LT_PACKET_STATE, in the upper 8 bits of the flags: why it is not certain that the objects
 * of the packet were alive.
 */
enum lt_state_why {
	LT_STATE_CERTAIN = 0,
	LT_STATE_LOST = 1,		/* events were lost during their lives */
	LT_STATE_NOT_WATCHED = 2,	/* a probe was missing */
	LT_STATE_SAMPLED = 3,		/* a sample may have left out their end */
	LT_STATE_LATE = 4,		/* a free of an earlier holder may still come */
	LT_STATE_ORDER = 5,		/* the order of events left open whose free it was */
	LT_STATE_GUESS = 6,		/* an earlier verdict about them was a guess */
	LT_N_STATE_WHYS,
};

#define LT_PACKET_WHY(flags)	((flags) >> 8)
#define LT_PACKET_WITH_WHY(why)	((why) << 8)

/*
 * At the start of each packet. Counts and timestamp_end are as of its end:
 * with the records of this packet and all before it, the sum above closes.
 */
struct lt_packet_header {
	__u32 magic;		/* LT_PACKET_MAGIC */
	__u8  channel;		/* enum lt_channel_id */
	__u8  version_major;
	__u8  version_minor;
	__u8  page_shift;	/* log2 of the page size */
	__u16 header_size;	/* bytes from the magic to the first record */
	__u16 flags;		/* enum lt_packet_flags */
	__u8  size_long;	/* sizeof(long), in bytes, of the traced kernel */
	__u8  size_ptr;		/* sizeof(void *) */
	__u8  size_pid;		/* sizeof(pid_t) */
	__u8  size_gfp;		/* sizeof(gfp_t) */
	__u32 cpu;
	__u32 n_classes;	/* entries in counts[] */
	__u64 seq;		/* 0, 1, 2, … within the stream */
	__u64 timestamp_begin;	/* in clock units; of the first record or earlier */
	__u64 timestamp_end;	/* of the last record or later */
	__u64 content_bits;	/* from the magic to the end of the last record */
	__u64 packet_bits;	/* content_bits: a packet is stored without padding */
	__u64 discarded;	/* sum of all lost_* of all classes */
	__u64 text_base;	/* add to a u32 of kind code */
	__u64 ptr_base;		/* add to a u40 of kind addr */
	__u64 session;		/* number of the session, equal in all its packets */
	struct lt_class_counts counts[LT_N_CLASSES];
} __attribute__((packed));

/* The C types of the field types. */
#define LT_DECL_u8(n)		__u8 n
#define LT_DECL_s8(n)		__s8 n
#define LT_DECL_u16(n)		__u16 n
#define LT_DECL_s16(n)		__s16 n
#define LT_DECL_u24(n)		__u8 n[3]
#define LT_DECL_u32(n)		__u32 n
#define LT_DECL_s32(n)		__s32 n
#define LT_DECL_u40(n)		__u8 n[5]
#define LT_DECL_u48(n)		__u8 n[6]
#define LT_DECL_s48(n)		__u8 n[6]
#define LT_DECL_u56(n)		__u8 n[7]
#define LT_DECL_u64(n)		__u64 n
#define LT_DECL_s64(n)		__s64 n
#define LT_DECL_u8x2(n)	__u8 n[2]
#define LT_DECL_u8x4(n)	__u8 n[4]
#define LT_DECL_u8x6(n)	__u8 n[6]
#define LT_DECL_u8x8(n)	__u8 n[8]
#define LT_DECL_u8x10(n)	__u8 n[10]
#define LT_DECL_u8x12(n)	__u8 n[12]
#define LT_DECL_u8x14(n)	__u8 n[14]
#define LT_DECL_u8x16(n)	__u8 n[16]
#define LT_DECL_u8x18(n)	__u8 n[18]
#define LT_DECL_u8x20(n)	__u8 n[20]
#define LT_DECL_u8x22(n)	__u8 n[22]
#define LT_DECL_u8x24(n)	__u8 n[24]
#define LT_DECL_u8x26(n)	__u8 n[26]
#define LT_DECL_u8x28(n)	__u8 n[28]
#define LT_DECL_u8x30(n)	__u8 n[30]
#define LT_DECL_u8x32(n)	__u8 n[32]
#define LT_DECL_u8x34(n)	__u8 n[34]
#define LT_DECL_u8x36(n)	__u8 n[36]
#define LT_DECL_u8x38(n)	__u8 n[38]
#define LT_DECL_u8x40(n)	__u8 n[40]
#define LT_DECL_u8x42(n)	__u8 n[42]
#define LT_DECL_u8x44(n)	__u8 n[44]
#define LT_DECL_u8x46(n)	__u8 n[46]
#define LT_DECL_u8x48(n)	__u8 n[48]
#define LT_DECL_u8x50(n)	__u8 n[50]
#define LT_DECL_u8x52(n)	__u8 n[52]
#define LT_DECL_u8x54(n)	__u8 n[54]
#define LT_DECL_u8x56(n)	__u8 n[56]
#define LT_DECL_u8x58(n)	__u8 n[58]
#define LT_DECL_u8x60(n)	__u8 n[60]
#define LT_DECL_u8x64(n)	__u8 n[64]
#define LT_DECL_u8x80(n)	__u8 n[80]
#define LT_DECL_u8x96(n)	__u8 n[96]
#define LT_DECL_u8x128(n)	__u8 n[128]
#define LT_DECL_u8x192(n)	__u8 n[192]
#define LT_DECL_u8x256(n)	__u8 n[256]
#define LT_DECL_u32x8(n)	__u32 n[8]
#define LT_DECL_u32x16(n)	__u32 n[16]
#define LT_DECL_u32x32(n)	__u32 n[32]
#define LT_DECL_u64x32(n)	__u64 n[32]
#define LT_DECL_char1(n)	char n[1]
#define LT_DECL_char8(n)	char n[8]
#define LT_DECL_char16(n)	char n[16]
#define LT_DECL_char32(n)	char n[32]
#define LT_DECL_char56(n)	char n[56]
#define LT_DECL_char64(n)	char n[64]
#define LT_DECL_char120(n)	char n[120]
#define LT_DECL_char128(n)	char n[128]
#define LT_DECL_char256(n)	char n[256]
#define LT_DECL_char4096(n)	char n[4096]

/* struct lt_rec_KMALLOC and so on: the payload of each record. */
#define LT_MEMBER(type, name, kind, text)	LT_DECL_##type(name);
#define LT_STRUCT(CHANNEL, id, NAME, name, CLASS, text)			\
	struct lt_rec_##NAME {						\
		LT_FIELDS_##NAME(LT_MEMBER)				\
	} __attribute__((packed));
LT_EVENTS(LT_STRUCT)
#undef LT_STRUCT
#undef LT_MEMBER

/*
 * A field u48 of kind site is (address - ptr_base) << LT_TIGHT_SHIFT | number of the site: the
 * address is a multiple of 8, so that the number takes the place of three bits that are 0.
 */
#define LT_TIGHT_SHIFT		8
#define LT_TIGHT_SITES		2048	/* numbers are below this */
#define LT_TIGHT_ADDRESS	0xfffffffff8ULL	/* bits of address - ptr_base */

#define LT_REC_WORD	4	/* bytes before the payload, short form */
#define LT_REC_LONG	12	/* bytes before the payload, long form, in which */
#define LT_LONG_ID	1	/* the id is here, */
#define LT_LONG_TIME	3	/* the time here, */
#define LT_LONG_CTX	11	/* and the context here */
#define LT_ID_BITS	6	/* of the id, and */
#define LT_TIME_BITS	24	/* of the time, in the short form */
#define LT_ID_MASK	((1U << LT_ID_BITS) - 1)
#define LT_TIME_MASK	((1U << LT_TIME_BITS) - 1)

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LT_WORD(id, ctx, low)	((__u32)(id) << 26 | (__u32)(ctx) | \
				 (__u32)((low) & LT_TIME_MASK) << 2)
#define LT_WORD_ID(word)	((word) >> 26)
#define LT_WORD_CONTEXT(word)	((word) & 3)
#define LT_WORD_LOW(word)	((word) >> 2 & LT_TIME_MASK)
#define LT_LONG_MARK		((__u8)(LT_EV_LONG << 2))
#define LT_LONG_CONTEXT(ctx)	((__u8)((ctx) << 6))
#else
#define LT_WORD(id, ctx, low)	(((__u32)(id) & LT_ID_MASK) | (__u32)(ctx) << 30 | \
				 (__u32)((low) & LT_TIME_MASK) << 6)
#define LT_WORD_ID(word)	((word) & LT_ID_MASK)
#define LT_WORD_CONTEXT(word)	((word) >> 30)
#define LT_WORD_LOW(word)	((word) >> 6 & LT_TIME_MASK)
#define LT_LONG_MARK		((__u8)LT_EV_LONG)
#define LT_LONG_CONTEXT(ctx)	((__u8)(ctx))
#endif

/* Sizes that outsiders build on: a change here is a change of the format. */
#define LT_ASSERT_SIZE(type, size) \
	_Static_assert(sizeof(type) == (size), #type " must have " #size " bytes")
#define LT_ASSERT_OFFSET(type, member, offset) \
	_Static_assert(__builtin_offsetof(type, member) == (offset), \
		       #member " must be at offset " #offset " of " #type)

LT_ASSERT_SIZE(struct lt_class_counts, 48);
LT_ASSERT_SIZE(struct lt_packet_header, 864);
LT_ASSERT_OFFSET(struct lt_packet_header, channel, 4);
LT_ASSERT_OFFSET(struct lt_packet_header, version_major, 5);
LT_ASSERT_OFFSET(struct lt_packet_header, page_shift, 7);
LT_ASSERT_OFFSET(struct lt_packet_header, header_size, 8);
LT_ASSERT_OFFSET(struct lt_packet_header, flags, 10);
LT_ASSERT_OFFSET(struct lt_packet_header, size_long, 12);
LT_ASSERT_OFFSET(struct lt_packet_header, size_gfp, 15);
LT_ASSERT_OFFSET(struct lt_packet_header, cpu, 16);
LT_ASSERT_OFFSET(struct lt_packet_header, n_classes, 20);
LT_ASSERT_OFFSET(struct lt_packet_header, seq, 24);
LT_ASSERT_OFFSET(struct lt_packet_header, timestamp_begin, 32);
LT_ASSERT_OFFSET(struct lt_packet_header, timestamp_end, 40);
LT_ASSERT_OFFSET(struct lt_packet_header, content_bits, 48);
LT_ASSERT_OFFSET(struct lt_packet_header, packet_bits, 56);
LT_ASSERT_OFFSET(struct lt_packet_header, discarded, 64);
LT_ASSERT_OFFSET(struct lt_packet_header, text_base, 72);
LT_ASSERT_OFFSET(struct lt_packet_header, ptr_base, 80);
LT_ASSERT_OFFSET(struct lt_packet_header, session, 88);
LT_ASSERT_OFFSET(struct lt_packet_header, counts, 96);
LT_ASSERT_SIZE(struct lt_rec_KMALLOC, 18);
LT_ASSERT_SIZE(struct lt_rec_KMALLOC_WIDE, 40);
LT_ASSERT_SIZE(struct lt_rec_CACHE_ALLOC, 16);
LT_ASSERT_SIZE(struct lt_rec_CACHE_ALLOC_WIDE, 26);
LT_ASSERT_SIZE(struct lt_rec_KFREE, 9);
LT_ASSERT_SIZE(struct lt_rec_KFREE_WIDE, 16);
LT_ASSERT_SIZE(struct lt_rec_CACHE_FREE, 11);
LT_ASSERT_SIZE(struct lt_rec_CACHE_FREE_WIDE, 18);
LT_ASSERT_SIZE(struct lt_rec_PAGE_ALLOC, 11);
LT_ASSERT_SIZE(struct lt_rec_PAGE_FREE, 6);
LT_ASSERT_SIZE(struct lt_rec_PAGE_BATCHED, 5);
LT_ASSERT_SIZE(struct lt_rec_BULK_ALLOC, 16);
LT_ASSERT_SIZE(struct lt_rec_BULK_ALLOC_WIDE, 26);
LT_ASSERT_SIZE(struct lt_rec_BULK_FREE, 11);
LT_ASSERT_SIZE(struct lt_rec_BULK_FREE_WIDE, 18);
LT_ASSERT_SIZE(struct lt_rec_RCU_FREE, 9);
LT_ASSERT_SIZE(struct lt_rec_RCU_FREE_WIDE, 16);
LT_ASSERT_SIZE(struct lt_rec_ALLOC_FAILED, 27);
LT_ASSERT_SIZE(struct lt_rec_TASK_EXIT, 17);
LT_ASSERT_SIZE(struct lt_rec_TASK_EXIT_SHORT, 2);
LT_ASSERT_SIZE(struct lt_rec_MARKER, 120);
LT_ASSERT_SIZE(struct lt_rec_TRIGGER, 65);
LT_ASSERT_SIZE(struct lt_rec_TASK, 34);
LT_ASSERT_SIZE(struct lt_rec_TASK_AGAIN, 1);
LT_ASSERT_SIZE(struct lt_rec_TASK_NARROW, 23);
LT_ASSERT_SIZE(struct lt_rec_CACHE, 82);
LT_ASSERT_SIZE(struct lt_rec_CACHE_GONE, 2);
LT_ASSERT_SIZE(struct lt_rec_SITE, 24);
LT_ASSERT_SIZE(struct lt_rec_SITE_NARROW, 17);
LT_ASSERT_SIZE(struct lt_rec_SITE_FREE, 8);
LT_ASSERT_SIZE(struct lt_rec_STACK, 36);
LT_ASSERT_SIZE(struct lt_rec_STACK_16, 68);
LT_ASSERT_SIZE(struct lt_rec_STACK_32, 132);
LT_ASSERT_SIZE(struct lt_rec_STACK_WIDE, 260);
LT_ASSERT_SIZE(struct lt_rec_KMALLOC_SHORT, 7);
LT_ASSERT_SIZE(struct lt_rec_CACHE_ALLOC_SHORT, 7);
LT_ASSERT_SIZE(struct lt_rec_KFREE_SHORT, 7);
LT_ASSERT_SIZE(struct lt_rec_CACHE_FREE_SHORT, 7);
LT_ASSERT_SIZE(struct lt_rec_BULK_ALLOC_SHORT, 7);
LT_ASSERT_SIZE(struct lt_rec_BULK_FREE_SHORT, 7);
LT_ASSERT_SIZE(struct lt_rec_RCU_FREE_SHORT, 7);
LT_ASSERT_SIZE(struct lt_rec_KMALLOC_TIGHT, 6);
LT_ASSERT_SIZE(struct lt_rec_CACHE_ALLOC_TIGHT, 6);
LT_ASSERT_SIZE(struct lt_rec_KFREE_TIGHT, 6);
LT_ASSERT_SIZE(struct lt_rec_CACHE_FREE_TIGHT, 6);
LT_ASSERT_SIZE(struct lt_rec_BULK_ALLOC_TIGHT, 6);
LT_ASSERT_SIZE(struct lt_rec_BULK_FREE_TIGHT, 6);
LT_ASSERT_SIZE(struct lt_rec_RCU_FREE_TIGHT, 6);
LT_ASSERT_SIZE(struct lt_rec_TASK_NEW, 105);
LT_ASSERT_SIZE(struct lt_rec_TASK_NUMBER, 26);
LT_ASSERT_SIZE(struct lt_rec_NUMBER_REUSED, 50);
LT_ASSERT_SIZE(struct lt_rec_WRAP, 47);
LT_ASSERT_SIZE(struct lt_rec_PID_NS, 82);
LT_ASSERT_SIZE(struct lt_rec_PID_NS_GONE, 50);
LT_ASSERT_SIZE(struct lt_rec_EXEC, 80);
LT_ASSERT_SIZE(struct lt_rec_EXEC_WIDE, 280);
LT_ASSERT_SIZE(struct lt_rec_EXEC_HUGE, 4120);
LT_ASSERT_SIZE(struct lt_rec_RENAME, 44);
LT_ASSERT_SIZE(struct lt_rec_OOM, 28);
LT_ASSERT_SIZE(struct lt_rec_CRED, 44);
LT_ASSERT_SIZE(struct lt_rec_CGROUP, 25);
LT_ASSERT_SIZE(struct lt_rec_EXIT, 131);
LT_ASSERT_SIZE(struct lt_rec_RELEASE, 36);
LT_ASSERT_SIZE(struct lt_rec_SNAP_BEGIN, 25);
LT_ASSERT_SIZE(struct lt_rec_STATE, 146);
LT_ASSERT_SIZE(struct lt_rec_STATE_WIDE, 346);
LT_ASSERT_SIZE(struct lt_rec_STATE_HUGE, 4186);
LT_ASSERT_SIZE(struct lt_rec_SNAP_END, 29);
LT_ASSERT_SIZE(struct lt_rec_COUNTER, 38);
LT_ASSERT_SIZE(struct lt_rec_SYS_0, 11);
LT_ASSERT_SIZE(struct lt_rec_SYS_3, 29);
LT_ASSERT_SIZE(struct lt_rec_SYS_6, 47);
LT_ASSERT_SIZE(struct lt_rec_SYS_WIDE_0, 21);
LT_ASSERT_SIZE(struct lt_rec_SYS_WIDE_6, 69);
LT_ASSERT_SIZE(struct lt_rec_SYS_BEGIN, 53);
LT_ASSERT_SIZE(struct lt_rec_SYS_OPEN, 78);
LT_ASSERT_SIZE(struct lt_rec_SYS_STR, 20);
LT_ASSERT_SIZE(struct lt_rec_SYS_STR_256, 260);
LT_ASSERT_SIZE(struct lt_rec_SYS_ADDR, 36);
LT_ASSERT_SIZE(struct lt_rec_SYS_ADDR_128, 132);
LT_ASSERT_SIZE(struct lt_rec_URING_SUBMIT, 25);
LT_ASSERT_SIZE(struct lt_rec_URING_QUEUE, 8);
LT_ASSERT_SIZE(struct lt_rec_URING_COMPLETE, 32);

#endif /* LIFETRACE_H */

/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * lifetrace: what a kernel that panics leaves in memory that outlives it, and what the next one
 * shows in the file "panic": this header, and the four parts in the order of their lengths.
 */
#ifndef LIFETRACE_PANIC_H
#define LIFETRACE_PANIC_H

#include <linux/types.h>

#define LT_PANIC_MAGIC		0x6c742d70616e6963ULL	/* "lt-panic" as a number */
#define LT_PANIC_VERSION	1

struct lt_panic_header {
	__u64 magic;		/* LT_PANIC_MAGIC */
	__u32 version;		/* LT_PANIC_VERSION */
	__u32 crc;		/* CRC-32, as zlib has it, of what follows this field */
	__u64 head;		/* bytes of the beginning of a trace file: its texts */
	__u64 caches;		/* of the file "caches" */
	__u64 stats;		/* of the file "stats" */
	__u64 packets;		/* of packets one behind the other, in any order */
};

#endif /* LIFETRACE_PANIC_H */

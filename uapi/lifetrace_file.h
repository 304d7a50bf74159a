/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * lifetrace: the trace file (".lt"), and the names under debugfs.
 *
 * A file is struct lt_file_header and then blocks, each a struct
 * lt_block_header with its payload. It is only ever appended to, so that it is
 * readable while it grows and up to its last whole block after a crash. All
 * integers of these two structs, of the index and of the trailer are
 * little-endian whatever wrote the file; packets are stored as the traced
 * machine wrote them.
 *
 * A reader skips a block of a type that it does not know.
 */
#ifndef LIFETRACE_FILE_H
#define LIFETRACE_FILE_H

#include <linux/types.h>

#define LT_FILE_MAGIC		"LIFETRAC"	/* 8 bytes, no terminating zero */
#define LT_FILE_MAJOR		1
#define LT_FILE_MINOR		4

struct lt_file_header {
	char   magic[8];
	__le16 version_major;
	__le16 version_minor;
	__le32 reserved;	/* 0 */
} __attribute__((packed));

#define LT_BLOCK_MAGIC		0x4b42544cU	/* the bytes "LTBK" */
#define LT_BLOCK_MAX		(64U << 20)	/* bytes of payload, stored or raw */
/* With LT_BLOCK_ZSTD raw_length is at most the first plus length times the second. */
#define LT_BLOCK_RAW_BASE	4096U
#define LT_BLOCK_RAW_FACTOR	256U

enum lt_block_type {
	LT_BLOCK_INFO = 1,	/* text, key=value: the machine, the session */
	LT_BLOCK_SCHEMA = 2,	/* text, as the module's file "schema" */
	LT_BLOCK_PACKET = 3,	/* one packet, cut at the end of its content */
	LT_BLOCK_EVENTS = 4,	/* text, as "events": what is watched, what not and why */
	LT_BLOCK_CLOCK = 5,	/* text, as "clock": one clock reading; any number */
	LT_BLOCK_SYMBOLS = 6,	/* text: /proc/kallsyms, code only; a later one adds */
	LT_BLOCK_MODULES = 7,	/* text: /proc/modules */
	LT_BLOCK_SLAB = 8,	/* text: slab counters; at start and end */
	LT_BLOCK_STATS = 9,	/* text, as "stats", after the stop */
	LT_BLOCK_INDEX = 10,	/* struct lt_index_entry[], one for each block before */
	LT_BLOCK_TRAILER = 11,	/* struct lt_trailer, the last block */
	LT_BLOCK_BUILDS = 12,	/* text: build ids, and where modules' code is; a later one adds */
	LT_BLOCK_CGROUPS = 13,	/* text: paths of cgroups by their ids; at start and end */
	LT_BLOCK_STATE = 14,	/* one packet: births of what was alive when a recording was cut */
	LT_BLOCK_PART = 15,	/* text, key=value: a part of a recording; at start and end */
	LT_BLOCK_CACHES = 16,	/* text, as "caches": caches of overwritten packets */
	LT_BLOCK_CODE = 17,	/* text, as "code": code that came and went; a later one adds */
	LT_BLOCK_CONTENTS = 18,	/* text: what the writer has put into the file; before the index */
	LT_BLOCK_FUNCTIONS = 19, /* text: the functions of the channel call; a later one adds */
	LT_N_BLOCK_TYPES,	/* one more than the last one */
};

enum lt_block_flags {
	LT_BLOCK_ZSTD = 1,	/* the payload is one zstd frame */
	LT_BLOCK_COLUMNS = 2,	/* of PACKET and STATE with LT_BLOCK_ZSTD: of its columns */
};

struct lt_block_header {
	__le32 magic;		/* LT_BLOCK_MAGIC */
	__le16 type;		/* enum lt_block_type */
	__le16 flags;		/* enum lt_block_flags */
	__le32 length;		/* bytes that follow this header */
	__le32 raw_length;	/* bytes of the payload when unpacked */
	__le32 payload_crc;	/* CRC-32C of the bytes that follow */
	__le32 header_crc;	/* CRC-32C of the 20 bytes before this one */
} __attribute__((packed));

/*
 * With LT_BLOCK_COLUMNS the frame holds a packet's bytes in another order, which
 * packs better; raw_length is that of the packet. First comes its header, of
 * header_size bytes, as it is; then struct lt_columns_header; for each event id
 * that occurs a struct lt_columns_event; then the columns, without gaps:
 *
 *	tags	a byte for each record: the id in bits 0 to 5, the context in bits
 *		6 and 7; or LT_EV_LONG alone for one with a long beginning
 *	lows	for each record with a word: (time - time of the record before) mod
 *		2^24, bits 0 to 7 of it
 *	highs	for each record of lows: bits 8 to 23, seven in a byte, least significant first;
 *		bit 7 of a byte: more follow
 *	sites	for each record with a word and in a short form: its first 2 bytes
 *		of payload; in the tight form: the number of its site, as a u16
 *	ptrs	for each record of sites: its other 5 bytes of payload; in the tight form:
 *		its address less ptr_base, as a u40
 *	rest	for each record with a long beginning: all of it; for each other
 *		one in neither form: the payload
 *
 * Values of the packet stay in the byte order of the packet.
 */
struct lt_columns_header {
	__le32 records;		/* bytes of tags */
	__le32 lows;		/* bytes */
	__le32 highs;		/* bytes */
	__le32 shorts;		/* records in sites and ptrs */
	__le32 rest;		/* bytes */
	__le32 events;
} __attribute__((packed));

enum lt_columns_form {
	LT_COLUMNS_SHORT = 1,	/* of 7 bytes: to sites and ptrs */
	LT_COLUMNS_TIGHT = 2,	/* of 6 bytes: to sites and ptrs */
};

struct lt_columns_event {
	__u8   id;		/* in the packet's channel */
	__u8   form;		/* enum lt_columns_form */
	__le16 size;		/* bytes of payload */
} __attribute__((packed));

/*
 * A block FUNCTIONS has lines of words that are separated by tabs; the first says what it is:
 *
 *	function NUMBER NAME MODULE ADDRESS PROTOTYPE
 *	value NUMBER NAME WHEN KIND SIZE TYPE [ENUM]
 *	enum ENUM NAME VALUE
 *	counts NUMBER STATE ENTERED RETURNED FILTERED MISSED DIED OPEN REASON
 *
 * NUMBER is that of the records. MODULE is "-" for the kernel itself, ADDRESS hexadecimal, 0 for a
 * module's. The values of a function stand in the order of its records; SIZE is in bytes, of a text
 * at the most, with the zero at its end. WHEN is entry, return or result. KIND is unsigned, signed,
 * hex, pointer, bool, char, enum, flags, bytes or text; enum and flags name the lines enum of their
 * names. TYPE is the type in C. The lines counts are the module's, of the end of the session: STATE
 * is watched, "not watched" or waits, for a module that did not come.
 */

struct lt_index_entry {
	__le64 offset;		/* of the block header, from the start of the file */
	__le64 seq;
	__le64 timestamp_begin;
	__le64 timestamp_end;
	__le32 cpu;
	__le32 channel;		/* 0: not a packet; then cpu is the block's type */
} __attribute__((packed));

struct lt_trailer {
	__le64 index_offset;	/* of the index's block header */
	__le64 blocks;		/* in the file, this one included */
	__le64 packets;
	__le64 packet_bytes;	/* sum of their contents */
} __attribute__((packed));

/*
 * Names below /sys/kernel/debug. Beside these files there is a directory for each
 * channel, with its name (see LT_CHANNELS), which holds the packet files cpu0, cpu1, …
 */
#define LT_DEBUGFS_DIR		"lifetrace"
#define LT_FILE_ENABLE		"enable"	/* control: see Documentation/abi.rst */
#define LT_FILE_MODE		"mode"
#define LT_FILE_EVENTS		"events"
#define LT_FILE_STATS		"stats"
#define LT_FILE_SCHEMA		"schema"
#define LT_FILE_INFO		"info"
#define LT_FILE_CLOCK		"clock"
#define LT_FILE_MARKER		"marker"
#define LT_FILE_ABI		"abi_version"
#define LT_FILE_SNAPSHOT	"snapshot"
#define LT_FILE_TRIGGER		"trigger"
#define LT_FILE_CACHES		"caches"
#define LT_FILE_CODE		"code"
#define LT_FILE_CALLS		"calls"		/* see lifetrace_call.h */
#define LT_FILE_FUNCTIONS	"functions"	/* of a set that came with the boot */
#define LT_FILE_PANIC		"panic"		/* see lifetrace_panic.h */

/* Below /proc. */
#define LT_PROC_PID_GEN		"pid_gen"

#endif /* LIFETRACE_FILE_H */

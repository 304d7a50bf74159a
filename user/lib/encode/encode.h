/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The encoder: packets of the format, made of events with full values.
 *
 * It does what the module does (module/core/write.c, module/kmem/object.c): a packet decodes
 * alone, the running task and the sites are announced in it before what uses them, and each event
 * has the smallest form that holds its values. An encoder makes the packets of one stream, that is
 * of one channel and CPU:
 *
 *	lt_encoder_init(&e, &machine, LT_CHANNEL_KMEM, cpu, 256 << 10, take, arg);
 *	lt_encode_run(&e, &task);
 *	lt_encode_object(&e, time, LT_CTX_TASK, &(struct lt_encode_object){
 *		.class = LT_CLASS_KMALLOC, .ptr = ptr, .call_site = site, .bytes_req = 60,
 *		.bytes_alloc = 64, .gfp = 0xcc0, .node = -1 });
 *	lt_encode_lost(&e, LT_CLASS_KFREE, LT_ENCODE_NESTED, 2);
 *	lt_encode_last(&e, time);
 *	lt_encoder_destroy(&e);
 *
 * Packets go to a function of the caller when they are full, and when they are ended. Memory is
 * the packet and some fixed tables. There is no I/O, and no message.
 *
 * Time. The times of a stream must not decrease: the caller merges what it has from several
 * sources. A time that is before that of the last record becomes that time, as in the module, and
 * is counted (@clamped): an event is worth more than the nanoseconds by which it is late, and a
 * caller whose order is wrong can see that it is.
 *
 * Counts. An event that is written is counted as seen in its class; lt_encode_lost() counts the
 * others. So in each header
 *
 *	seen = written + lost_full + lost_nmi + lost_nested + lost_nobuf + filtered
 *
 * A call writes an event and all that must stand before it into one packet.
 */
#ifndef LT_ENCODE_H
#define LT_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/lifetrace.h"

struct lt_schema;
struct lt_encode_sites;
struct lt_encode_stacks;
struct lt_encode_seen_task;

#define LT_ENCODE_MIN_PACKET	16384U	/* bytes: the longest record with all before it */

/**
 * struct lt_encode_machine - what all packets of a session have in common
 * @big: the traced machine is big-endian
 * @version_minor: of the format, in the headers; LT_VERSION_MINOR
 * @size_long, @size_ptr, @size_pid, @size_gfp: bytes of the kernel's types
 * @page_shift: log2 of the page size
 * @text_base: below the code of the kernel and its modules: 32 bits above it are narrow
 * @ptr_base: below the objects: 40 bits above it are narrow
 * @session: number of the session
 * @header_size, @n_classes: of the packets of an existing trace; 0: those of uapi/
 * @schema: whose sizes records have, of an existing trace; NULL: that of uapi/. Of an earlier
 *	version it may lack the last fields of an event, which must be 0 then
 */
struct lt_encode_machine {
	bool big;
	uint8_t version_minor;
	uint8_t size_long;
	uint8_t size_ptr;
	uint8_t size_pid;
	uint8_t size_gfp;
	uint8_t page_shift;
	uint64_t text_base;
	uint64_t ptr_base;
	uint64_t session;
	uint16_t header_size;
	uint32_t n_classes;
	const struct lt_schema *schema;
};

/* What the compiler says of this machine, for a session that traces it; the bases are 0. */
struct lt_encode_machine lt_encode_this_machine(void);

/**
 * struct lt_encode_packet - a packet that is ended
 * @data: the packet, @size bytes; valid during the call
 */
struct lt_encode_packet {
	const uint8_t *data;
	size_t size;
	unsigned int channel;
	uint32_t cpu;
	uint64_t seq;
	uint64_t begin;
	uint64_t end;
};

/* Takes a packet. Return: not 0: the encoder's @ret from then on, if that was 0. */
typedef int lt_encode_take(void *arg, const struct lt_encode_packet *packet);

/* The running task. @comm: 16 bytes, with zeros behind a shorter name. */
struct lt_encode_task {
	uint32_t tid;
	uint32_t tgid;
	uint64_t start;		/* ns since boot, suspended time included */
	uint8_t flags;		/* enum lt_task_flag, the first two */
	char comm[16];
};

/**
 * struct lt_encoder - the packets of a stream
 * @machine: a copy
 * @channel, @cpu: of the stream
 * @take, @arg: where packets go
 * @ret: the first result of @take that was not 0. Later packets are not handed out
 * @plain: write no short forms
 * @packet_flags: enum lt_packet_flags of all packets, with what LT_PACKET_WITH_WHY() adds. With
 *	LT_PACKET_STATE the headers have no counts, and all packets end at @cut
 * @counts: of the stream since its begin, by LT_CLASS_INDEX(). lt_encode_lost() changes them; a
 *	caller that does has to keep the sum
 * @clamped: times that were before that of the record before
 * @refused: an event that the schema of @machine lacks, has in another layout, or has no room for,
 *	and which is not written for that reason; 0: none
 *
 * All others are private.
 */
struct lt_encoder {
	struct lt_encode_machine machine;
	unsigned int channel;
	uint32_t cpu;
	lt_encode_take *take;
	void *arg;
	int ret;
	bool plain;
	uint16_t packet_flags;
	uint64_t cut;
	struct lt_class_counts counts[LT_N_CLASSES];
	uint64_t clamped;
	unsigned int refused;

	/* Of the schema of @machine: which events it has as this version has them. */
	uint8_t layouts[LT_N_CHANNELS][LT_ID_MASK];
	uint8_t *buf;
	size_t len;		/* 0: no packet is open */
	size_t room;		/* bytes of @buf for the packet */
	size_t limit;		/* bytes of a packet at the most */
	bool whole;		/* the open packet may be longer: see lt_encode_whole() */
	bool within;		/* it has losses LT_ENCODE_FULL_WITHIN */
	/* the schema of @machine has the tight forms as this version has them */
	bool has_tight;
	size_t fast_limit;	/* a tight form must end before it; 0: it takes the slow path */
	uint64_t begin;
	uint64_t last;		/* time of the last record, or of a begin or end behind it */
	uint64_t seq;		/* of the open packet, or the next one */
	uint64_t reported;	/* sum of losses in the header of the packet before */
	bool has_task;
	bool task_due;		/* the task must be announced before the next event */
	bool announced;		/* the open packet has announced a task */
	struct lt_encode_task task;
	struct lt_encode_seen_task *tasks;	/* by their numbers; NULL: none yet */
	uint32_t stamp;		/* of what the open packet has announced */
	uint32_t n_sites;	/* announced in the open packet */
	uint32_t n_stacks;
	uint32_t more_sizes;	/* sizes that may become sites beyond the share of their caller */
	struct lt_encode_sites *sites;		/* NULL: none yet */
	struct lt_encode_stacks *stacks;	/* NULL: none yet */
};

/**
 * lt_encoder_init() - begin a stream
 * @e: the encoder
 * @machine: is copied
 * @channel: enum lt_channel_id
 * @cpu: the CPU
 * @packet_size: bytes of a packet at the most, LT_ENCODE_MIN_PACKET or more
 * @take: gets the packets
 * @arg: its first argument
 */
void lt_encoder_init(struct lt_encoder *e, const struct lt_encode_machine *machine,
		     unsigned int channel, uint32_t cpu, size_t packet_size,
		     lt_encode_take *take, void *arg);

/* Another stream begins, in the same memory. A packet that is open is lost. */
void lt_encoder_restart(struct lt_encoder *e, unsigned int channel, uint32_t cpu);

/* Frees its memory. A packet that is open is lost: see lt_encode_last(). */
void lt_encoder_destroy(struct lt_encoder *e);

/* ------------------------------------------------------------------------
 * Packets. They begin and end by themselves: a call is needed for what must be read soon, and at
 * the end.
 */

/* Opens a packet that begins at a time, if none is open. */
void lt_encode_begin(struct lt_encoder *e, uint64_t time);

/* Ends the open packet, if there is one; @time: until when all events are in it. */
void lt_encode_end(struct lt_encoder *e, uint64_t time);

/*
 * Ends the open packet if it has a record. If there is none, and events were lost since the one
 * before, makes an empty one that reports them.
 */
void lt_encode_flush(struct lt_encoder *e, uint64_t time);

/*
 * Until the next lt_encode_end() or lt_encode_flush() the open packet is not ended for lack of
 * room, but grows. What is between the two calls is in one packet: a caller that only knows that
 * events were lost in a time has all of that in it.
 */
void lt_encode_whole(struct lt_encoder *e);

/* Ends the stream with a packet that is marked as the last, which may be empty. */
void lt_encode_last(struct lt_encoder *e, uint64_t time);

/* ------------------------------------------------------------------------
 * The running task, and losses
 */

/*
 * The task that runs from here on, in a channel that announces it; it is announced with the next
 * event, and in each packet. NULL: it is not known, and a packet in which one was announced ends.
 * Cheap where it is the same task.
 */
void lt_encode_run(struct lt_encoder *e, const struct lt_encode_task *task);

/*
 * Announce the running task again with the next event: it had another name meanwhile, in another
 * stream.
 */
void lt_encode_run_again(struct lt_encoder *e);

enum lt_encode_reason {
	LT_ENCODE_FULL,		/* the reader was too slow */
	LT_ENCODE_FULL_WITHIN,	/* as FULL, but when is not known */
	LT_ENCODE_NMI,
	LT_ENCODE_NESTED,	/* a probe did not run, or found no place for its event */
	LT_ENCODE_NOBUF,
	LT_ENCODE_FILTERED,	/* left out on purpose */
};

/*
 * Events of a class that are not in the stream. Those of FULL and NOBUF happened behind the last
 * record, and before the next one: an open packet that has a record ends, since a reader takes
 * them to be lost between two packets. All others may have happened anywhere since the end of the
 * packet before, see lt_encode_whole().
 */
void lt_encode_lost(struct lt_encoder *e, unsigned int class, enum lt_encode_reason reason,
		    uint64_t n);

/* ------------------------------------------------------------------------
 * Events. @context: enum lt_context
 */

/* How an allocation was reached: absolute addresses, the innermost first. */
struct lt_encode_stack {
	unsigned int n;		/* at most LT_STACK_FRAMES */
	unsigned int flags;	/* enum lt_stack_flag */
	const uint64_t *frames;
};

/**
 * struct lt_encode_object - an event of an object or of pages
 * @class: LT_CLASS_ KMALLOC, CACHE_ALLOC, BULK_ALLOC, KFREE, CACHE_FREE, BULK_FREE, RCU_FREE,
 *	PAGE_ALLOC, PAGE_BULK, PAGE_FREE or PAGE_BATCHED
 * @ptr: absolute address; of pages the number of the first one
 * @call_site: absolute address, 0: not known. Of page_free and page_free_batched it is not written
 * @bytes_req, @bytes_alloc: of kmalloc
 * @gfp, @node: of births; the node is -1: any
 * @cache: id, of events with a cache; 0: not known
 * @order: of pages
 * @last: migratetype of page_alloc, single of page_bulk
 * @stack: NULL: none. It is written if the event has a short form
 */
struct lt_encode_object {
	unsigned int class;
	uint64_t ptr;
	uint64_t call_site;
	uint64_t bytes_req;
	uint64_t bytes_alloc;
	uint32_t gfp;
	int32_t node;
	uint16_t cache;
	uint8_t order;
	uint8_t last;
	const struct lt_encode_stack *stack;
};

/* An event of another class is not written, and not counted. */
void lt_encode_object(struct lt_encoder *e, uint64_t time, unsigned int context,
		      const struct lt_encode_object *o);

/* What an argument of a system call points to. */
struct lt_encode_text {
	uint8_t arg;
	uint8_t element;
	uint8_t flags;		/* enum lt_sys_text_flag but MORE, which the encoder sets */
	bool addr;		/* the address of a socket, at most 128 bytes; else a text, 255 */
	uint8_t size;
	const void *bytes;
};

/* Bytes of the records of texts of a call. Texts that do not fit are left out, and counted so. */
#define LT_ENCODE_TEXT_BYTES	8192U

/**
 * struct lt_encode_sys - a system call that has returned
 * @nr: its number
 * @flags: enum lt_sys_flag, but LT_SYS_TEXTS, which the encoder sets
 * @duration: clock units from its begin, 0: not known
 * @result: what it returned
 * @n: arguments, at most 6
 * @args: registers
 * @texts: @n_texts of them
 */
struct lt_encode_sys {
	int32_t nr;
	uint8_t flags;
	uint64_t duration;
	int64_t result;
	unsigned int n;
	uint64_t args[6];
	const struct lt_encode_text *texts;
	size_t n_texts;
};

void lt_encode_sys(struct lt_encoder *e, uint64_t time, unsigned int context,
		   const struct lt_encode_sys *sys);

/* A call that replaces the program, when it begins, with what its arguments point to. */
void lt_encode_sys_begin(struct lt_encoder *e, uint64_t time, unsigned int context,
			 const struct lt_rec_SYS_BEGIN *begin, const struct lt_encode_text *texts,
			 size_t n_texts);

/* @path: at most 4096 bytes of it are written. The field @file of the record is not looked at. */
void lt_encode_exec(struct lt_encoder *e, uint64_t time, unsigned int context,
		    const struct lt_rec_EXEC *exec, const char *path);
void lt_encode_state(struct lt_encoder *e, uint64_t time, unsigned int context,
		     const struct lt_rec_STATE *state, const char *path);

/**
 * struct lt_encode_call - a function call that has returned
 * @bytes: the values, @size bytes of them in the byte order of the machine; at most
 *	LT_CALL_MAX_BYTES
 */
struct lt_encode_call {
	uint16_t function;
	uint16_t depth;
	uint64_t duration;
	uint32_t unread;
	uint32_t cut;
	const void *bytes;
	size_t size;
};

void lt_encode_call(struct lt_encoder *e, uint64_t time, unsigned int context,
		    const struct lt_encode_call *call);

/*
 * Any other event, from the struct of its record in the byte order of this machine:
 *
 *	LT_ENCODE(&e, time, LT_CTX_TASK, TASK_NEW, .tid = 17, .tgid = 17, .start = 500);
 *
 * For events that have one form, whose addresses are all absolute: of kmem RESIZE, ALLOC_FAILED,
 * TASK_EXIT, MARKER, TRIGGER, MODULE, CACHE, CACHE_GONE; of pid all but EXEC and STATE; of area
 * all; of syscall SYS_OPEN and URING_…; CALL_OPEN. Texts have zeros behind them.
 */
#define LT_ENCODE(e, time, context, NAME, ...)					\
	lt_encode_record(e, time, context, LT_EV_##NAME,			\
			 &(const struct lt_rec_##NAME){ __VA_ARGS__ })

void lt_encode_record(struct lt_encoder *e, uint64_t time, unsigned int context,
		      unsigned int event, const void *rec);

/* For messages: the name of the struct of an event's record. */
const char *lt_encode_event_name(unsigned int event);

#endif /* LT_ENCODE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracegen: traces made by C calls, for tests.
 *
 * Packets are made by the encoder (user/lib/encode/), which shares no code with the reader's
 * decoder, so that a mistake in one does not hide the same mistake in the other. tg_raw(),
 * tg_counts() and changes of packets make what the encoder would not: damaged ones.
 *
 *	struct tg *g = tg_new(NULL);
 *
 *	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "cat");
 *	TG_KMALLOC(g, 0, 1010, .ptr = 0xffff888000001000, .call_site = 0xffffffff81000100,
 *		   .bytes_req = 60, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
 *	tg_kfree(g, 1, 2000, 0xffff888000001000, 0xffffffff81000200);
 *	tg_finish(g, 3000);
 *	tg_write(g, "x.lt", 0);
 *	tg_free(g);
 *
 * Times are in clock units and must not decrease within one CPU, but for tg_raw(). A packet is
 * opened by the first event after tg_new() or tg_close(), with timestamp_begin
 * = the time of that event (tg_open() sets another one), and closed by
 * tg_close(), by tg_finish(), or when it is full; then it is stored, in order
 * of closing, and that is the order in the file and for tg_packets().
 *
 * Counting: each event adds 1 to "seen" of its class on its CPU. tg_lost() and
 * tg_filtered() add to "seen" and to the reason. The sums therefore close,
 * unless tg_counts() is used to falsify them.
 *
 * Everything that does not fit the narrow form of an event is written in the
 * wide form, as the module does. Task records are written only by TG_TASK(): a
 * real module restates the running task at the start of each packet; do the
 * same with tg_auto_task(g, true).
 *
 * With the option "brief" events of objects are written in the short form, as the
 * module does, and before the first one in a packet that needs it a record "site",
 * which is counted in no class. Without it there are no sites. A packet has some 4,000 sites at the
 * most, and of one call site some sizes: see lt_encode_site().
 */
#ifndef TRACEGEN_H
#define TRACEGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/lifetrace.h"

struct tg;
struct lt_encode_stack;

/*
 * Every function takes the number of a CPU, which means its stream of the channel
 * kmem; TG_PID(cpu) is its stream of the channel pid, TG_AREA(cpu) that of area,
 * TG_SYSCALL(cpu) that of syscall, TG_CALL(cpu) that of call.
 */
#define TG_PID(cpu)	((cpu) | 1U << 31)
#define TG_AREA(cpu)	((cpu) | 1U << 30)
#define TG_SYSCALL(cpu)	((cpu) | 1U << 29)
#define TG_CALL(cpu)	((cpu) | 1U << 28)

/* Zero in any member means the default, which stands in brackets. */
struct tg_options {
	bool big_endian;	/* byte order of the traced machine */
	unsigned int size_long;	/* [8] */
	unsigned int size_ptr;	/* [8] */
	unsigned int page_shift; /* [12] */
	uint64_t text_base;	/* [0xffffffff80000000] */
	uint64_t ptr_base;	/* [0xffff888000000000] */
	const char *machine;	/* ["test"] */
	const char *clock;	/* ["mono"] */
	uint64_t clock_freq;	/* [1000000000] */
	uint64_t session;	/* [0x5e55] */
	size_t subbuf_size;	/* [65536] a packet is closed before it gets longer */
	bool late_free;		/* info says late_free=1 */
	bool tasks;		/* info says that the channel pid is recorded */
	bool kmem_only;		/* as from a module that has no other channel */
	bool flight;		/* info says that packets are overwritten: see tg_drop() */
	bool brief;		/* short forms where the values fit them */
	unsigned int sample;	/* one address in so many was recorded, [1]; events must fit */
	const char *info;	/* more lines for the INFO block, [""] */
	const char *schema;	/* text of the SCHEMA block, [that of uapi/] */
};

struct tg *tg_new(const struct tg_options *o);	/* NULL: all defaults */
void tg_free(struct tg *g);

/* Context of the events that follow on this CPU, enum lt_context. */
void tg_context(struct tg *g, uint32_t cpu, unsigned int context);

/* Whether the last TG_TASK() is repeated at the start of each packet. */
void tg_auto_task(struct tg *g, bool on);

/* Events. @site 0: not known. */
void tg_kfree(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t site);
void tg_cache_gone(struct tg *g, uint32_t cpu, uint64_t time, uint16_t id);
void tg_cache_free(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t site,
		   uint16_t cache);
void tg_bulk_free(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t site,
		  uint16_t cache);
void tg_rcu_free(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t site);
void tg_page_alloc(struct tg *g, uint32_t cpu, uint64_t time, uint64_t pfn, uint32_t gfp,
		   uint8_t order, uint8_t migratetype);
/* One with a stack, which the option "brief" writes. */
void tg_page_alloc_by(struct tg *g, uint32_t cpu, uint64_t time, uint64_t pfn, uint8_t order,
		      const struct lt_encode_stack *stack);
void tg_page_free(struct tg *g, uint32_t cpu, uint64_t time, uint64_t pfn, uint8_t order);
void tg_page_batched(struct tg *g, uint32_t cpu, uint64_t time, uint64_t pfn);
void tg_task_exit(struct tg *g, uint32_t cpu, uint64_t time, uint32_t tid, uint32_t tgid,
		  uint64_t start, uint8_t group_dead);
void tg_marker(struct tg *g, uint32_t cpu, uint64_t time, const char *text);

/* A value of a function call: an integer of @size bytes, or @bytes as they are. */
struct tg_value {
	unsigned int size;
	uint64_t v;
	const char *bytes;
};

/*
 * A function call that returned at @time. The values end with one of size 0. The form is the one
 * that the module takes; @whole: as one did that had no short form.
 */
struct tg_call {
	uint16_t function;
	uint16_t depth;
	uint64_t duration;
	uint32_t unread;
	uint32_t cut;
	bool whole;
	struct tg_value values[25];
};

void tg_call(struct tg *g, uint32_t cpu, uint64_t time, const struct tg_call *call);

/*
 * Births, in the form that fits them:
 *
 *	TG_CACHE_ALLOC(g, 0, 1000, .ptr = PTR, .call_site = SITE, .gfp = 0xcc0, .cache = 3,
 *		       .node = -1);
 */
struct tg_birth {
	uint64_t ptr;
	uint64_t call_site;	/* 0: not known */
	uint64_t bytes_req;	/* of kmalloc, as the next one */
	uint64_t bytes_alloc;
	uint32_t gfp;
	uint16_t cache;		/* of the others */
	int32_t node;
	const struct lt_encode_stack *stack;	/* with the option "brief"; NULL: none */
};

#define TG_KMALLOC(g, cpu, time, ...)					\
	tg_kmalloc(g, cpu, time, &(const struct tg_birth){ __VA_ARGS__ })
#define TG_CACHE_ALLOC(g, cpu, time, ...)				\
	tg_cache_alloc(g, cpu, time, &(const struct tg_birth){ __VA_ARGS__ })
#define TG_BULK_ALLOC(g, cpu, time, ...)				\
	tg_bulk_alloc(g, cpu, time, &(const struct tg_birth){ __VA_ARGS__ })

void tg_kmalloc(struct tg *g, uint32_t cpu, uint64_t time, const struct tg_birth *b);
void tg_cache_alloc(struct tg *g, uint32_t cpu, uint64_t time, const struct tg_birth *b);
void tg_bulk_alloc(struct tg *g, uint32_t cpu, uint64_t time, const struct tg_birth *b);

/* The task that runs on a CPU from now on. */
struct tg_running {
	uint32_t tid;
	uint32_t tgid;
	uint64_t start;
	uint8_t flags;
	const char *comm;
};

#define TG_TASK(g, cpu, time, ...)					\
	tg_task(g, cpu, time, &(const struct tg_running){ __VA_ARGS__ })

void tg_task(struct tg *g, uint32_t cpu, uint64_t time, const struct tg_running *t);

/* A slab cache, by which its births and frees are named. */
struct tg_slab_cache {
	uint16_t id;
	uint64_t ptr;
	uint32_t object_size;
	uint32_t size;
	const char *name;
};

#define TG_CACHE(g, cpu, time, ...)					\
	tg_cache(g, cpu, time, &(const struct tg_slab_cache){ __VA_ARGS__ })

void tg_cache(struct tg *g, uint32_t cpu, uint64_t time, const struct tg_slab_cache *cache);

/*
 * Any event, from the struct of its record in this machine's byte order:
 *
 *	TG_PUT(g, TG_PID(0), 1000, EXIT, .tid = 17, .start = 500, .comm = "cat");
 */
#define TG_PUT(g, cpu, time, NAME, ...)					\
	tg_put(g, cpu, time, LT_EV_##NAME, &(const struct lt_rec_##NAME){ __VA_ARGS__ })

void tg_put(struct tg *g, uint32_t cpu, uint64_t time, unsigned int event, const void *rec);

/*
 * A record of any id (or event, LT_EV_…) with any payload; class LT_CLASS_NONE:
 * not counted.
 */
void tg_raw(struct tg *g, uint32_t cpu, uint64_t time, unsigned int id, unsigned int class,
	    const void *payload, size_t size);

/* TG_FULL_WITHIN: it may have been within the packet, see LT_PACKET_WITHIN. */
enum tg_reason { TG_FULL, TG_NMI, TG_NESTED, TG_NOBUF, TG_FULL_WITHIN };

/* Losses of the open packet, or, between two packets, of the next one. */
void tg_lost(struct tg *g, uint32_t cpu, unsigned int class, enum tg_reason reason,
	     uint64_t n);
void tg_filtered(struct tg *g, uint32_t cpu, unsigned int class, uint64_t n);

/*
 * Direct access to the counters of a stream (LT_N_CLASSES of them, by the number
 * of the class within its channel), to falsify.
 */
struct lt_class_counts *tg_counts(struct tg *g, uint32_t cpu);

/* Packets. */
void tg_open(struct tg *g, uint32_t cpu, uint64_t time);	/* timestamp_begin */
void tg_close(struct tg *g, uint32_t cpu, uint64_t time);	/* timestamp_end */
void tg_drop(struct tg *g, uint32_t cpu, uint64_t time);	/* close, but lose it */
void tg_skip_seq(struct tg *g, uint32_t cpu, uint64_t n);	/* leave out n numbers */
void tg_last(struct tg *g, uint32_t cpu, uint64_t time);	/* close with the flag LAST */

/* Closes the stream of every CPU that has had an event, with the flag LAST. */
void tg_finish(struct tg *g, uint64_t time);

struct tg_packet {
	uint8_t *data;
	size_t size;
	uint32_t cpu;
	unsigned int channel;
	uint64_t seq;
	uint64_t begin;
	uint64_t end;
};

/* The packets closed so far; may be changed, reordered, removed (set *n). */
struct tg_packet *tg_packets(struct tg *g, size_t *n);
void tg_set_n_packets(struct tg *g, size_t n);

/*
 * A block of text, enum lt_block_type. Those added before the first packet was
 * closed stand before the packets, the others after. Added by itself unless
 * there is one: INFO, SCHEMA.
 */
void tg_text(struct tg *g, unsigned int type, const char *text);

/* A CLOCK block: one reading. */
void tg_clock(struct tg *g, uint64_t clock, uint64_t realtime, uint64_t boottime,
	      uint64_t monotonic, uint64_t raw);

enum tg_write_flags {
	TG_NO_TRAILER = 1,	/* as after kill -9: neither STATS, INDEX nor trailer */
	TG_NO_INDEX = 2,
	TG_ZSTD = 4,		/* every block compressed */
	TG_NO_STATS = 8,
	TG_COLUMNS = 16,	/* with TG_ZSTD: of packets their columns */
};

/* The whole file in memory, to be freed; or into a file (0: done). */
uint8_t *tg_file(struct tg *g, unsigned int flags, size_t *size);
int tg_write(struct tg *g, const char *path, unsigned int flags);

/* One framed block appended to a buffer from malloc(). */
void tg_append_block(uint8_t **buf, size_t *size, unsigned int type, unsigned int flags,
		     const void *payload, size_t length);
/*
 * Whether a test that cuts or damages a file at each byte tries this one: all of block headers and
 * next to them, where the reader decides, and every seventh of what the blocks hold.
 */
bool tg_tried(const uint8_t *file, size_t size, size_t at);

int tg_save(const char *path, const void *data, size_t size);

/* The texts a live trace starts with; valid until tg_free(). */
const char *tg_info_text(struct tg *g);
const char *tg_schema_text(struct tg *g);
/* What STATS says of all packets so far; to be freed. */
char *tg_stats_text(const struct tg *g);

#endif /* TRACEGEN_H */

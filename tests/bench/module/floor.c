// SPDX-License-Identifier: GPL-2.0
/*
 * The floor: the least that an event can cost which is stored with its time.
 * Interrupts off, the clock, as many bytes as lifetrace's record has into a
 * plain buffer of this CPU, interrupts on. Nothing is counted, nobody reads.
 *
 * And what would be the floor without masking interrupts: one buffer into which an
 * interrupt writes between two instructions of the event that it interrupts. Room is
 * reserved by this_cpu_cmpxchg() on packet and offset, which are one number; the clock is
 * read before each try, or times would run backwards; and each packet counts the bytes
 * that are complete, since a reader must not take it before its last event is.
 */
#include <linux/build_bug.h>
#include <linux/irqflags.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>
#if __has_include(<linux/unaligned.h>)
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

#include "cost.h"

#define MIN_BYTES	8
#define MAX_BYTES	64	/* of the records of allocations */

#define PACKET_BITS	18	/* 256 KiB, as lifetrace's */
#define MAX_PACKETS	128	/* of a buffer */

/**
 * struct ring - the buffer of a CPU
 * @base: its bytes
 * @offset: of the next event, where interrupts are masked
 * @size: in bytes
 * @position: packet and offset of the next event, where they are not masked
 * @packets: how many the buffer has less 1; a power of 2 less 1
 * @complete: bytes of each packet that are written
 */
struct ring {
	void *base;
	size_t offset;
	size_t size;
	unsigned long position;
	unsigned long packets;
	unsigned long complete[MAX_PACKETS];
};

static DEFINE_PER_CPU(struct ring, rings);

static __always_inline void *take(size_t bytes)
{
	struct ring *ring = this_cpu_ptr(&rings);
	size_t offset = ring->offset;

	if (unlikely(offset + bytes > ring->size))
		offset = 0;
	ring->offset = offset + bytes;
	return ring->base + offset;
}

/* Straight-line stores: @bytes is a constant. */
static __always_inline void
store(void *p, size_t bytes, u64 now, unsigned long call_site, const void *ptr)
{
	void *end = p + (bytes & ~7UL);

	put_unaligned(now, (u64 *)p);
	if (bytes >= 16)
		put_unaligned((u64)(unsigned long)ptr, (u64 *)(p + 8));
	if (bytes >= 24)
		put_unaligned((u64)call_site, (u64 *)(p + 16));
	if (bytes >= 32)
		put_unaligned(now, (u64 *)(p + 24));
	if (bytes >= 40)
		put_unaligned(now, (u64 *)(p + 32));
	if (bytes >= 48)
		put_unaligned(now, (u64 *)(p + 40));
	if (bytes >= 56)
		put_unaligned(now, (u64 *)(p + 48));
	if (bytes >= 64)
		put_unaligned(now, (u64 *)(p + 56));
	if (bytes & 4) {
		put_unaligned((u32)call_site, (u32 *)end);
		end += 4;
	}
	if (bytes & 2) {
		put_unaligned((u16)call_site, (u16 *)end);
		end += 2;
	}
	if (bytes & 1)
		*(u8 *)end = call_site;
}

/*
 * One probe for each clock and size. It looks at the first arguments of the
 * allocators' tracepoints, which are the same in all of them; the others are in
 * registers that it ignores.
 */
#define clock_counter()	cost_counter()
#define clock_mono()	ktime_get_mono_fast_ns()

#define PROBE(clock, bytes)						\
static void floor_##clock##_##bytes(void *data, unsigned long call_site, const void *ptr) \
{									\
	unsigned long flags;						\
	u64 now;							\
									\
	local_irq_save(flags);						\
	now = clock_##clock();						\
	store(take(bytes), bytes, now, call_site, ptr);			\
	local_irq_restore(flags);					\
}
#define NAME(clock, bytes)	[(bytes) - MIN_BYTES] = floor_##clock##_##bytes,

#define EACH_SIZE(F, clock)						\
	F(clock, 8) F(clock, 9) F(clock, 10) F(clock, 11) F(clock, 12) F(clock, 13) \
	F(clock, 14) F(clock, 15) F(clock, 16) F(clock, 17) F(clock, 18) F(clock, 19) \
	F(clock, 20) F(clock, 21) F(clock, 22) F(clock, 23) F(clock, 24) F(clock, 25) \
	F(clock, 26) F(clock, 27) F(clock, 28) F(clock, 29) F(clock, 30) F(clock, 31) \
	F(clock, 32) F(clock, 33) F(clock, 34) F(clock, 35) F(clock, 36) F(clock, 37) \
	F(clock, 38) F(clock, 39) F(clock, 40) F(clock, 41) F(clock, 42) F(clock, 43) \
	F(clock, 44) F(clock, 45) F(clock, 46) F(clock, 47) F(clock, 48) F(clock, 49) \
	F(clock, 50) F(clock, 51) F(clock, 52) F(clock, 53) F(clock, 54) F(clock, 55) \
	F(clock, 56) F(clock, 57) F(clock, 58) F(clock, 59) F(clock, 60) F(clock, 61) \
	F(clock, 62) F(clock, 63) F(clock, 64)

EACH_SIZE(PROBE, counter)
EACH_SIZE(PROBE, mono)

static void * const counter_probes[] = { EACH_SIZE(NAME, counter) };
static void * const mono_probes[] = { EACH_SIZE(NAME, mono) };

/* Where an event of @bytes begins: at @position, or with the next packet. */
static __always_inline unsigned long place_for(unsigned long position, size_t bytes)
{
	if (unlikely((position & (BIT(PACKET_BITS) - 1)) + bytes > BIT(PACKET_BITS)))
		return ((position >> PACKET_BITS) + 1) << PACKET_BITS;
	return position;
}

/* On 7.x tracepoints call their probes with preemption on. */
#define CMPXCHG_PROBE(clock, bytes)					\
static void cmpxchg_##clock##_##bytes(void *data, unsigned long call_site, const void *ptr) \
{									\
	unsigned long old, at, packet;					\
	u64 now;							\
									\
	preempt_disable_notrace();					\
	do {								\
		old = this_cpu_read(rings.position);			\
		now = clock_##clock();					\
		at = place_for(old, bytes);				\
	} while (this_cpu_cmpxchg(rings.position, old, at + (bytes)) != old); \
	packet = at >> PACKET_BITS & this_cpu_read(rings.packets);	\
	store(this_cpu_read(rings.base) + (packet << PACKET_BITS) +	\
	      (at & (BIT(PACKET_BITS) - 1)), bytes, now, call_site, ptr); \
	barrier();							\
	this_cpu_add(rings.complete[packet], bytes);			\
	preempt_enable_notrace();					\
}
#define CMPXCHG_NAME(clock, bytes)	[(bytes) - MIN_BYTES] = cmpxchg_##clock##_##bytes,

EACH_SIZE(CMPXCHG_PROBE, counter)
EACH_SIZE(CMPXCHG_PROBE, mono)

static void * const cmpxchg_counter_probes[] = { EACH_SIZE(CMPXCHG_NAME, counter) };
static void * const cmpxchg_mono_probes[] = { EACH_SIZE(CMPXCHG_NAME, mono) };

/* A task's event: large, and rare enough for a loop. */
static __always_inline void store_task(size_t bytes, u64 now)
{
	void *p = take(bytes);
	size_t i;

	for (i = 0; i + 8 <= bytes; i += 8)
		put_unaligned(now, (u64 *)(p + i));
	for (; i < bytes; i++)
		*(u8 *)(p + i) = now;
}

static void task_counter(void *data)
{
	unsigned long flags;

	local_irq_save(flags);
	store_task((size_t)data, clock_counter());
	local_irq_restore(flags);
}

static void task_mono(void *data)
{
	unsigned long flags;

	local_irq_save(flags);
	store_task((size_t)data, clock_mono());
	local_irq_restore(flags);
}

static int floor_open(void)
{
	struct ring *ring;
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		ring = per_cpu_ptr(&rings, cpu);
		if (!ring->base)
			ring->base = vmalloc((size_t)buffer_mb << 20);
		if (!ring->base)
			return -ENOMEM;
		ring->size = (size_t)buffer_mb << 20;
		ring->packets = min_t(size_t, MAX_PACKETS,
				      rounddown_pow_of_two(ring->size >> PACKET_BITS)) - 1;
		/* Its pages are to be there when the loop begins. */
		memset(ring->base, 0, ring->size);
	}
	return 0;
}

static void floor_close(void)
{
	struct ring *ring;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		ring = per_cpu_ptr(&rings, cpu);
		vfree(ring->base);
		memset(ring, 0, sizeof(*ring));
	}
}

static void *choose(enum point point, void **data, void * const *probes, void *task)
{
	unsigned int bytes = record_bytes[point];

	if (point < POINT_BIRTH)
		return probes[clamp(bytes, MIN_BYTES, MAX_BYTES) - MIN_BYTES];
	*data = (void *)(size_t)bytes;
	return task;	/* NULL: this mode has none */
}

static void *counter_probe(enum point point, void **data)
{
	return choose(point, data, counter_probes, task_counter);
}

static void *mono_probe(enum point point, void **data)
{
	return choose(point, data, mono_probes, task_mono);
}

static void *cmpxchg_counter_probe(enum point point, void **data)
{
	return choose(point, data, cmpxchg_counter_probes, NULL);
}

static void *cmpxchg_mono_probe(enum point point, void **data)
{
	return choose(point, data, cmpxchg_mono_probes, NULL);
}

const struct mode floor_counter = {
	.name = "floor-counter",
	.open = floor_open,
	.close = floor_close,
	.probe = counter_probe,
};

const struct mode floor_mono = {
	.name = "floor-mono",
	.open = floor_open,
	.close = floor_close,
	.probe = mono_probe,
};

const struct mode cmpxchg_counter = {
	.name = "cmpxchg-counter",
	.open = floor_open,
	.close = floor_close,
	.probe = cmpxchg_counter_probe,
};

const struct mode cmpxchg_mono = {
	.name = "cmpxchg-mono",
	.open = floor_open,
	.close = floor_close,
	.probe = cmpxchg_mono_probe,
};

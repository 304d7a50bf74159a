/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The texts of a trace that are the format's own, as the module prints them: SCHEMA, INFO,
 * EVENTS, CLOCK, STATS. See "Texts" of Documentation/format.rst.
 */
#ifndef LT_ENCODE_TEXTS_H
#define LT_ENCODE_TEXTS_H

#include "base/str.h"
#include "encode/encode.h"

/* A name of allocation flags; the composite ones come first. */
struct lt_encode_gfp {
	uint64_t mask;
	const char *name;
};

/**
 * lt_encode_schema() - the text SCHEMA
 * @t: it is added to this
 * @channels: bit N: the channel N; 0: all
 * @gfp: @n names of flags
 */
void lt_encode_schema(struct lt_str *t, unsigned int channels, const struct lt_encode_gfp *gfp,
		      size_t n);

/**
 * struct lt_encode_info - what INFO says of machine and session
 * @machine: its sizes, bases and number
 * @kernel_release, @kernel_version, @machine_name: as uname() gives them
 * @linear_base: the kernel's address of the physical address 0; with @has_linear_base
 * @clock: "mono" and so on
 * @clock_freq: units a second
 * @channels: bit N: the channel N is recorded
 * @packet_size, @n_packets: of a CPU, by the number of the channel
 * @mode: "stream"
 * @pid_gen_exact: each number that is given is seen
 * @min_size, @sample: filters; 0 and 1: off
 * @flush_ms: how often packets are ended
 * @late_free: kmem_cache_free is traced after the object was released
 * @cache_names: records of caches have names
 * @stacks, @stack_min, @stack_depth, @stacks_free, @page_stacks: which events have stacks
 * @call_texts: with sys_str and sys_addr
 */
struct lt_encode_info {
	const struct lt_encode_machine *machine;
	const char *kernel_release;
	const char *kernel_version;
	const char *machine_name;
	bool has_linear_base;
	uint64_t linear_base;
	const char *clock;
	uint64_t clock_freq;
	unsigned int channels;
	uint64_t packet_size[LT_N_CHANNELS + 1];
	uint64_t n_packets[LT_N_CHANNELS + 1];
	const char *mode;
	bool pid_gen_exact;
	uint64_t min_size;
	uint64_t sample;
	uint64_t flush_ms;
	bool late_free;
	bool cache_names;
	uint64_t stacks;
	uint64_t stack_min;
	unsigned int stack_depth;
	bool stacks_free;
	bool page_stacks;
	bool call_texts;
};

/* INFO. Further keys may be added behind it: "engine=bpf". */
void lt_encode_info(struct lt_str *t, const struct lt_encode_info *info);

/* A line of EVENTS. @kind: "tracepoint" and so on; @reason: why it is not watched; NULL: it is. */
void lt_encode_event_line(struct lt_str *t, const char *name, const char *kind,
			  const char *reason);

/* All clocks, read together: ns, but for @clock. */
struct lt_encode_clocks {
	uint64_t clock;
	uint64_t realtime;
	uint64_t boottime;
	uint64_t monotonic;
	uint64_t raw;
	uint64_t took;
};

/* CLOCK, without the recorder's "gap". */
void lt_encode_clock(struct lt_str *t, const struct lt_encode_clocks *c);

/*
 * STATS: lt_encode_stats() begins it, lt_encode_stream_stats() is added for each stream, and then
 * the lines of the engine: "missed EVENT N", "cache_overflow N", "syscalls …".
 *
 * @state: "recording", "draining" or "idle"; @stopped: clock units until which all probes were
 * attached, 0: they are.
 */
void lt_encode_stats(struct lt_str *t, const char *state, uint64_t stopped);
void lt_encode_stream_stats(struct lt_str *t, const struct lt_encoder *e);

#endif /* LT_ENCODE_TEXTS_H */

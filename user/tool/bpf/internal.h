/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the room bpf share.
 */
#ifndef LT_BPF_INTERNAL_H
#define LT_BPF_INTERNAL_H

#include "bpf/bpf.h"
#include "bpf/image.h"
#include "bpf/kernel.h"
#include "bpf/lib.h"
#include "bpf/shared.h"

#define LT_SELFTEST_CPUS	1024	/* beyond these, a self-test sees nothing */

/* The objects of programs: of each channel one. asked.c has one more. */
enum lt_bpf_part {
	LT_BPF_KMEM,
	LT_BPF_PID,
	LT_BPF_SYS,
	LT_BPF_AREA,
	LT_BPF_N_PARTS,
};

/**
 * struct lt_bpf_def - an event: a row of the tables in events.c
 * @event: its number in the counts of its part
 * @name: as the module calls it
 * @program: "NAME_0" and so on are the copies of its program
 * @section: "raw_tp", "tp_btf", "fentry" or "fexit"
 * @symbols: a tracepoint, or functions of which the kernel has one
 * @args: see lt_bpf_tracepoint()
 * @class: of its records; LT_CLASS_NONE: of none
 * @failed: class of its records of failures; LT_CLASS_NONE: none
 * @lost: of one without a class: what is lost of it counts as lost records of this class;
 *	LT_CLASS_NONE: as none
 * @free: is attached before births
 * @single: it has one program, whose name is @program
 */
struct lt_bpf_def {
	unsigned int event;
	const char *name;
	const char *program;
	const char *section;
	const char *symbols[3];
	const char *args;
	unsigned int class;
	unsigned int failed;
	unsigned int lost;
	bool free;
	bool single;
};

/**
 * struct lt_bpf_probe - an event of a session
 * @def: its row
 * @shown: what users see
 * @programs: its copies; NULL: not loaded
 * @links: NULL: not attached
 * @ever: a program was attached
 * @early: events that other copies took before copy 0 was attached
 * @hidden: users do not know it
 */
struct lt_bpf_probe {
	const struct lt_bpf_def *def;
	struct lt_bpf_event shown;
	struct bpf_program *programs[LT_BPF_COPIES];
	struct bpf_link *links[LT_BPF_COPIES];
	bool ever;
	bool hidden;
	uint64_t early;
};

/**
 * struct lt_bpf_ring - a channel's rings, of all CPUs
 * @at: mapped: the state of each CPU, with its ring behind it, and @slack bytes behind that
 * @mapped: bytes
 * @stride: from one state to the next one
 * @bytes: of a ring, a power of two
 * @known: bytes of the map as the programs were compiled
 * @read: where the reader is, by CPU
 * @until: up to where records are given, by CPU
 * @next: where the ring ended at the poll before, which becomes @until; and at this one
 */
struct lt_bpf_ring {
	uint8_t *at;
	size_t mapped;
	size_t stride;
	size_t slack;
	size_t bytes;
	size_t known;
	uint64_t *read;
	uint64_t *until;
	uint64_t *next;
	uint64_t *now;
};

/**
 * struct lt_bpf_channel - a channel: an object of programs
 * @part: which one
 * @channel: enum lt_channel_id
 * @object: NULL: the channel is not recorded
 * @open_calls: the program that lists open system calls; NULL: none
 * @probes: its events
 * @skipped: by LT_CLASS_INDEX(): what is lost, up to where records are given
 * @skipped_next: what seems lost up to @ring.next, and at this poll
 */
struct lt_bpf_channel {
	enum lt_bpf_part part;
	unsigned int channel;
	struct bpf_object *object;
	struct bpf_program *open_calls;
	struct lt_bpf_probe *probes;
	size_t n_probes;
	struct lt_bpf_ring ring;
	uint64_t skipped[LT_N_CLASSES];
	uint64_t skipped_next[LT_N_CLASSES];
	uint64_t skipped_now[LT_N_CLASSES];
};

/**
 * struct lt_bpf_asked - programs that run when they are asked
 * @object: NULL: not loaded
 * @tasks, @numbers, @caches, @cache: NULL: this kernel cannot
 */
struct lt_bpf_asked {
	struct bpf_object *object;
	struct bpf_program *tasks;
	struct bpf_program *numbers;
	struct bpf_program *caches;
	struct bpf_program *cache;
};

/* System calls that were open at the end. */
struct lt_bpf_calls {
	struct lt_raw_sys_open *rows;
	size_t n;
};

/**
 * struct lt_bpf - a session
 * @lib: libbpf
 * @asked: programs that run when they are asked
 * @calls: that were open at the end
 * @only_pid, @only_cgroup: of the options
 * @functions: programs of functions can be loaded
 * @detached: no program runs any more
 * @waits_since: for copies that may yet write what seems lost; 0: it does not
 */
struct lt_bpf {
	const struct lt_libbpf *lib;
	struct lt_bpf_kernel kernel;
	struct lt_bpf_config config;
	unsigned int n_cpus;
	struct lt_bpf_channel channels[LT_BPF_N_PARTS];
	struct lt_bpf_asked asked;
	struct lt_bpf_calls calls;
	uint32_t only_pid;
	char *only_cgroup;
	bool functions;
	bool detached;
	uint64_t waits_since;
};

/* events.c */
const struct lt_bpf_def *lt_bpf_defs(enum lt_bpf_part part, size_t *n);
unsigned int lt_bpf_channel_of(enum lt_bpf_part part);
const struct lt_bpf_image *lt_bpf_image_of(enum lt_bpf_part part, unsigned int level);

/* load.c */
bool lt_bpf_load(struct lt_bpf *b, struct lt_bpf_channel *c, const struct lt_bpf_options *o,
		 struct lt_why *why);

/* ring.c */
bool lt_bpf_ring_make(struct lt_bpf *b, struct lt_bpf_channel *c, struct lt_why *why);
bool lt_bpf_ring_loaded(const struct lt_bpf *b, const struct lt_bpf_channel *c);
void lt_bpf_ring_unmap(struct lt_bpf_ring *r);
void lt_bpf_ring_look(const struct lt_bpf *b, struct lt_bpf_ring *r);
void lt_bpf_ring_take(const struct lt_bpf *b, struct lt_bpf_ring *r);
bool lt_bpf_ring_is_filling(const struct lt_bpf *b, const struct lt_bpf_ring *r);
bool lt_bpf_is_writing(const struct lt_bpf *b);
/* The state of a CPU. */
static inline struct lt_bpf_cpu *lt_bpf_state(const struct lt_bpf_ring *r, uint32_t cpu)
{
	return (struct lt_bpf_cpu *)(r->at + cpu * r->stride);
}

struct lt_bpf_channel *lt_bpf_find(struct lt_bpf *b, unsigned int channel);

/* filter.c: between the programs that follow births of tasks and those of all others */
bool lt_bpf_filter(struct lt_bpf *b, struct lt_why *why);

/* asked.c */
bool lt_bpf_functions_work(const struct lt_bpf *b, struct lt_why *why);
bool lt_bpf_asked_load(struct lt_bpf *b, struct lt_why *why);
void lt_bpf_asked_close(struct lt_bpf *b);
bool lt_bpf_iterate(const struct lt_bpf *b, struct bpf_program *p, size_t size,
		    void (*row)(void *arg, const void *row), void *arg, struct lt_why *why);

/* calls.c */
void lt_bpf_calls_before(struct lt_bpf *b);
void lt_bpf_calls_after(struct lt_bpf *b);
void lt_bpf_calls_free(struct lt_bpf *b);

/* count.c */
uint64_t lt_bpf_taken_by_others(const struct lt_bpf *b, const struct lt_bpf_channel *c,
				const struct lt_bpf_probe *p);
uint64_t lt_bpf_missed(const struct lt_bpf *b, const struct lt_bpf_probe *p, unsigned int copy);
bool lt_bpf_look_skipped(struct lt_bpf *b, struct lt_bpf_channel *c);
void lt_bpf_take_skipped(struct lt_bpf_channel *c);

#endif /* LT_BPF_INTERNAL_H */

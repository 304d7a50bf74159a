/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code that the kernel makes while it runs: BPF programs, and the trampolines of ftrace, of kprobes
 * and of BPF. A perf event of each CPU reports when such code gets its name and when it loses it.
 */
#ifndef LT_RECORD_KSYMBOL_H
#define LT_RECORD_KSYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes of a name, its zero included: KSYM_NAME_LEN of the newest kernels. */
#define LT_KSYMBOL_NAME	512

/**
 * struct lt_ksymbol - a name that came or went
 * @ns: when, CLOCK_MONOTONIC
 * @addr: where the code begins
 * @len: its bytes
 * @bpf: a BPF program, or a trampoline of BPF; false: a trampoline of ftrace or kprobes
 * @gone: the name went
 */
struct lt_ksymbol {
	uint64_t ns;
	uint64_t addr;
	uint32_t len;
	bool bpf;
	bool gone;
	char name[LT_KSYMBOL_NAME];
};

typedef void lt_ksymbol_fn(void *arg, const struct lt_ksymbol *s);

struct perf_event_mmap_page;

/* The event of a CPU, and the buffer that the kernel writes its records to. */
struct lt_ksymbol_ring {
	unsigned int cpu;
	int fd;
	struct perf_event_mmap_page *page;	/* the data are behind it */
	size_t page_size;			/* bytes of @page */
	size_t data_size;			/* a power of two */
};

/**
 * struct lt_ksymbols - the events of all CPUs
 * @rings: of the CPUs that are online
 * @kept: was read, and is given later: a record that is older may still come from another CPU
 * @why: nothing is watched, for this reason; empty: it is
 * @begun: @why is settled
 * @blind: of the CPUs that came later some could not be watched, the last one of number @blind - 1
 * @lost: records for which the kernel had no room
 * @owner: the process that has the buffers; a child does not
 */
struct lt_ksymbols {
	struct lt_ksymbol_ring *rings;
	size_t n;
	size_t cap;
	struct lt_ksymbol *kept;
	size_t n_kept;
	size_t cap_kept;
	char why[96];
	bool begun;
	unsigned int blind;
	uint64_t lost;
	pid_t owner;
};

/* Begins to watch; where the kernel has no such events, or refuses them, @why says so. */
void lt_ksymbols_open(struct lt_ksymbols *k);
void lt_ksymbols_close(struct lt_ksymbols *k);

/* Watches the CPUs that came online since. */
void lt_ksymbols_scan(struct lt_ksymbols *k);

/**
 * lt_ksymbols_read() - give what has come, in the order of its times
 * @k: the events
 * @all: also what is so new that something older may still come
 * @fn: called for each
 */
void lt_ksymbols_read(struct lt_ksymbols *k, bool all, lt_ksymbol_fn *fn, void *arg);

/* Takes the records out of one buffer; what they say is in @k->kept and @k->lost then. */
void lt_ksymbol_ring_read(struct lt_ksymbols *k, struct lt_ksymbol_ring *r);

#endif /* LT_RECORD_KSYMBOL_H */

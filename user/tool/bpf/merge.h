/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records of several rings, in the order of their times over all polls.
 *
 *	for each poll:
 *		for each CPU:
 *			m->cpu = cpu;
 *			lt_bpf_read(b, channel, cpu, lt_bpf_merge_keep, m);
 *			if (lt_bpf_is_held(b, channel, cpu))
 *				until = lt_bpf_merge_until(m, cpu, until);
 *		lt_bpf_merge_give(m, until, take, arg);
 *
 * Where rings end is looked at one after the other, and a record that is not whole holds up its
 * ring alone: so what is read in one poll may be later than what is read in the next one. What is
 * not before @until waits for that.
 */
#ifndef LT_BPF_MERGE_H
#define LT_BPF_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/raw.h"

struct lt_bpf_merge_row {
	uint64_t time;
	size_t at;	/* in @words */
	uint32_t cpu;
};

/**
 * struct lt_bpf_merge - records that wait; zeros at first
 * @rows: one each
 * @words: they, one behind the other
 * @last: the time of the last record of each CPU
 * @cpu: whose ring is read
 */
struct lt_bpf_merge {
	struct lt_bpf_merge_row *rows;
	size_t n;
	size_t cap;
	uint64_t *words;
	size_t n_words;
	size_t cap_words;
	uint64_t *last;
	size_t n_last;
	uint32_t cpu;
};

/* A record of the ring of @cpu. @arg is the struct lt_bpf_merge; for lt_bpf_read(). */
void lt_bpf_merge_keep(void *arg, const struct lt_raw *raw);

/* A ring has more than was read: the time before which all is known, @until or earlier. */
uint64_t lt_bpf_merge_until(const struct lt_bpf_merge *m, uint32_t cpu, uint64_t until);

/* A record that is not whole for so long may never be: the others wait no longer. */
#define LT_BPF_HELD_NS	1000000000ULL

/**
 * lt_bpf_merge_clock() - the time before which records are given
 * @until: by lt_bpf_merge_until(), over all CPUs: of one that is held it may be of long ago
 * @merged: as of the poll before: it does not go back. All that was before it was read: a ring that
 *	was not held then was read past the look behind it
 * @before: the clock before the look up to which the rings are read
 */
uint64_t lt_bpf_merge_clock(uint64_t until, uint64_t merged, uint64_t before);

/* Gives what is before @until, in order. UINT64_MAX: all. */
void lt_bpf_merge_give(struct lt_bpf_merge *m, uint64_t until,
		       void (*take)(void *arg, uint32_t cpu, const struct lt_raw *raw), void *arg);

void lt_bpf_merge_free(struct lt_bpf_merge *m);

#endif /* LT_BPF_MERGE_H */

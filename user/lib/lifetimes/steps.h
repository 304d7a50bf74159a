/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Births and ends of slab objects that leave no doubt, as the pairing hands them out: several at
 * once.
 */
#ifndef LT_LIFETIMES_STEPS_H
#define LT_LIFETIMES_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lt_plain_event;
struct lt_task;
struct lt_traits;

/**
 * struct lt_plain_step - the birth or the end of a slab object that leaves no doubt
 * @ns: of an end: how long the object lived; that lifetime is exact, unless it is @unsure. Of a
 *	birth 0.
 * @maker: the task that made the object; NULL: not known
 * @traits: what the object has in common with others, by their number
 * @further: of an end: allocations since its birth
 * @actor: who made the object, and where, by a number that is as long the same as those of traits
 * @event: index of its event
 * @cpu, @context: of its birth
 * @ending: enum lt_ending, of a birth LT_END_ALIVE. LT_END_REBORN: that is bounded, and the next
 *	step the birth there
 * @birth: it is one
 * @other_cpu, @other_context: of an end: than those of its birth
 * @unsure: the lifetime is uncertain for want of a probe, as are all with these traits whose end is
 *	seen
 */
struct lt_plain_step {
	uint64_t ns;
	const struct lt_task *maker;
	uint32_t traits;
	uint32_t further;
	uint32_t actor;
	uint32_t cpu;
	uint8_t event;
	uint8_t context;
	uint8_t ending;
	bool birth;
	bool other_cpu;
	bool other_context;
	bool unsure;
};

/**
 * struct lt_plain_steps - @n of them, in order
 * @all: the steps
 * @ends: the indices of those that are ends, @n_ends of them: a branch by @birth is mispredicted
 *	half of the time
 * @evs: their events
 * @traits: by number, as long as @renewals is the same; @n_traits of them
 * @n_actors: numbers of actors are less
 * @reborn: some are LT_END_REBORN
 * @bytes, @most: where lt_lifetime_ops.plain_bytes asks for them: how many more bytes are alive
 *	behind these steps, and behind that of them which has most, 0 at least
 */
struct lt_plain_steps {
	const struct lt_plain_step *all;
	size_t n, n_ends;
	const uint8_t *ends;
	const struct lt_plain_event *evs;
	const struct lt_traits *traits;
	size_t n_traits;
	size_t n_actors;
	uint32_t renewals;
	bool reborn;
	int64_t bytes, most;
};

/* Whether no more than @peak bytes are alive behind any of these steps, if before them @now are. */
static inline bool lt_steps_keep_below(const struct lt_plain_steps *steps, uint64_t now,
				       uint64_t peak)
{
	return now <= peak && (uint64_t)steps->most <= peak - now;
}

#endif /* LT_LIFETIMES_STEPS_H */

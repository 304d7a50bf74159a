/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The course of a profile: births, ends and markers one by one, in order, for profile.c.
 *
 * Where a kernel traces one allocation twice, the second event ends the object and bears it
 * again with another call site. So steps are held back for a while, and then it is the first
 * birth that is corrected: as in all sums, one allocation is one birth.
 */
#ifndef LT_SUMS_PROFILE_STEPS_H
#define LT_SUMS_PROFILE_STEPS_H

#include "sums/profile.h"

/* Steps that are held back. Between the two events lie those of the other CPUs only. */
#define LT_STEPS_HELD	(1U << 16)

/**
 * struct lt_steps - steps that are held back
 * @p: the profile, whose options say where they go
 * @ring: the steps; NULL: nobody wants them
 * @head: place of the first one
 * @n: their number
 */
struct lt_steps {
	const struct lt_profile *p;
	struct lt_profile_step *ring;
	size_t head;
	size_t n;
};

void lt_steps_init(struct lt_steps *s, const struct lt_profile *p);

/* Hands out a marker, at once. */
void lt_steps_marker(const struct lt_steps *s, const struct lt_event *ev);

/* Hands out all that are left. */
void lt_steps_finish(struct lt_steps *s);

void lt_steps_add(struct lt_steps *s, const struct lt_profile_step *step);

/*
 * The last step has ended the object at @ptr, but its birth is going to be corrected: removes
 * that end. Return: the birth, of no objects now, to be filled in again; NULL: neither of them is
 * held, and nothing was changed.
 */
struct lt_profile_step *lt_steps_undo(struct lt_steps *s, uint64_t ptr);

#endif /* LT_SUMS_PROFILE_STEPS_H */

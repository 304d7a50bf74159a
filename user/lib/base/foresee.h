/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers that are nearly always what they were before.
 */
#ifndef LT_BASE_FORESEE_H
#define LT_BASE_FORESEE_H

#include <stddef.h>

/*
 * Return: @value. Where that is @usual, what follows is computed from @usual, and need not wait
 * until @value was loaded: that they are equal is a jump, which the processor foresees.
 */
static inline size_t lt_foresee(size_t usual, size_t value)
{
	if (__builtin_expect(value != usual, 0)) {
		usual = value;
		/* Else a compiler finds out that the result is @value, and has no jump. */
		__asm__("" : "+r"(usual));
	}
	return usual;
}

#endif /* LT_BASE_FORESEE_H */

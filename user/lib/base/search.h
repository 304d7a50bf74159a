/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Searching what is sorted.
 */
#ifndef LT_BASE_SEARCH_H
#define LT_BASE_SEARCH_H

#include <stddef.h>

/**
 * lt_first_not() - the first of some elements that is not before what is searched
 * @n: how many elements there are, in order
 * @i: name of the index in the condition
 * @before: condition that holds for the first ones and for no others; evaluated for some of them
 *
 * Return: its index; @n: the condition holds for all.
 */
#define lt_first_not(n, i, before) ({				\
	size_t lt_low = 0, lt_high = (n);			\
								\
	while (lt_low < lt_high) {				\
		size_t i = lt_low + (lt_high - lt_low) / 2;	\
								\
		if (before)					\
			lt_low = i + 1;				\
		else						\
			lt_high = i;				\
	}							\
	lt_low;							\
})

#endif /* LT_BASE_SEARCH_H */

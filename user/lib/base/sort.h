/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sorting by merging. It is always inlined: with a size and an order that the compiler can see, it
 * becomes the loops that one would write by hand, where qsort() calls a function for each
 * comparison.
 */
#ifndef LT_BASE_SORT_H
#define LT_BASE_SORT_H

#include <stddef.h>
#include <string.h>

#include "base/heap.h"

/* Merges @from[0 … @half) and @from[@half … @n), each in order; equal ones keep their order. */
LT_HEAP_INLINE void lt_sort_merge(const char *from, size_t half, size_t n, size_t size, char *to,
				  lt_heap_before_fn *before, const void *arg)
{
	const char *a = from, *b = from + half * size;
	const char *const end_a = b, *const end_b = from + n * size;

	while (a < end_a && b < end_b) {
		const char **from_it = before(b, a, arg) ? &b : &a;

		memcpy(to, *from_it, size);
		*from_it += size;
		to += size;
	}
	memcpy(to, a, (size_t)(end_a - a));
	memcpy(to + (end_a - a), b, (size_t)(end_b - b));
}

/**
 * lt_sort() - sort an array; equal elements keep their order
 * @array: @n elements, with room for as many behind them
 * @size: of an element
 * @before: the order, with @arg
 * Return: where the sorted elements are: @array, or behind it.
 */
LT_HEAP_INLINE void *lt_sort(void *array, size_t n, size_t size, lt_heap_before_fn *before,
			     const void *arg)
{
	char *from = array, *to = from + n * size, *done;

	for (size_t half = 1; half < n; half *= 2) {
		for (size_t i = 0; i < n; i += 2 * half) {
			size_t left = n - i;

			lt_sort_merge(from + i * size, half < left ? half : left,
				      2 * half < left ? 2 * half : left, size, to + i * size,
				      before, arg);
		}
		done = to;
		to = from;
		from = done;
	}
	return from;
}

#endif /* LT_BASE_SORT_H */

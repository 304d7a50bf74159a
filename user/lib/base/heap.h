/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Binary heaps: arrays whose first element comes before all others.
 *
 * The array belongs to the caller, who adds an element at its end and calls lt_heap_up(),
 * or changes an element (puts the last one in place of the first) and calls lt_heap_down().
 * Both are always inlined: with a size and a comparison that the compiler can see, they
 * become the loops that one would write by hand.
 */
#ifndef LT_BASE_HEAP_H
#define LT_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define LT_HEAP_ELEMENT	32	/* bytes of an element at most */

/* Whether @a comes before @b. */
typedef bool lt_heap_before_fn(const void *a, const void *b, const void *arg);

#define LT_HEAP_INLINE	static inline __attribute__((always_inline))

/**
 * lt_heap_up() - move an element towards the beginning, up to its place
 * @heap: the array
 * @size: size of an element
 * @i: the element
 * @before: the order, with @arg
 */
LT_HEAP_INLINE void lt_heap_up(void *heap, size_t size, size_t i, lt_heap_before_fn *before,
			       const void *arg)
{
	char *at = heap, moving[LT_HEAP_ELEMENT];

	memcpy(moving, at + i * size, size);
	while (i && before(moving, at + (i - 1) / 2 * size, arg)) {
		memcpy(at + i * size, at + (i - 1) / 2 * size, size);
		i = (i - 1) / 2;
	}
	memcpy(at + i * size, moving, size);
}

/* Moves an element towards the end of @n elements; otherwise as lt_heap_up(). */
LT_HEAP_INLINE void lt_heap_down(void *heap, size_t n, size_t size, size_t i,
				 lt_heap_before_fn *before, const void *arg)
{
	char *at = heap, moving[LT_HEAP_ELEMENT];
	size_t child;

	memcpy(moving, at + i * size, size);
	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n)
			child += before(at + (child + 1) * size, at + child * size, arg);
		if (!before(at + child * size, moving, arg))
			break;
		memcpy(at + i * size, at + child * size, size);
		i = child;
	}
	memcpy(at + i * size, moving, size);
}

/*
 * lt_heap_down() of the first element, which is expected to go far: it goes to the end, past the
 * earlier one of two each time, and then up to its place.
 */
LT_HEAP_INLINE void lt_heap_sink(void *heap, size_t n, size_t size, lt_heap_before_fn *before,
				 const void *arg)
{
	char *at = heap, moving[LT_HEAP_ELEMENT];
	size_t i = 0, child;

	memcpy(moving, at, size);
	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n)
			child += before(at + (child + 1) * size, at + child * size, arg);
		memcpy(at + i * size, at + child * size, size);
		i = child;
	}
	memcpy(at + i * size, moving, size);
	lt_heap_up(heap, size, i, before, arg);
}

#endif /* LT_BASE_HEAP_H */

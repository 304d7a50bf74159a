/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Allocation of memory. None of these functions returns NULL: when memory is exhausted,
 * they call lt_fatal(). Sizes that are computed from input must have been bounded by the
 * caller. Everything is released by free().
 */
#ifndef LT_BASE_MEM_H
#define LT_BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>

/* Zeroed memory. */
void *lt_alloc(size_t size);
void *lt_alloc_array(size_t n, size_t size);

/* As realloc(): bytes beyond the old size are not zeroed. */
void *lt_realloc(void *p, size_t size);
void *lt_realloc_array(void *p, size_t n, size_t size);

char *lt_strdup(const char *s);
char *lt_strndup(const char *s, size_t n);

/* A text made as by sprintf(). */
char *lt_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *lt_vformat(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/**
 * lt_grow() - room for one more element in a growing array
 * @array: the array; NULL at first
 * @cap: how many elements fit into it; updated
 * @n: elements in use
 * @size: size of an element
 *
 * New elements are not zeroed.
 * Return: the array, perhaps moved, with room for at least @n + 1 elements.
 */
void *lt_grow(void *array, size_t *cap, size_t n, size_t size);

/**
 * lt_extend() - lengthen an array that is indexed by small numbers
 * @array: the array; NULL at first
 * @n: its number of elements; becomes @want
 * @want: the new number of elements, more than @n
 * @size: size of an element
 *
 * New elements are zeroed.
 * Return: the array, perhaps moved.
 */
void *lt_extend(void *array, size_t *n, size_t want, size_t size);

#define LT_LINE	64	/* bytes of a line of the processor's cache, or half of one */

/*
 * lt_alloc_array() and lt_extend() of elements that begin where such a line does: @size is a
 * multiple of LT_LINE. @n may become more than @want.
 */
void *lt_alloc_lines(size_t n, size_t size);
void *lt_extend_lines(void *array, size_t *n, size_t want, size_t size);

#endif /* LT_BASE_MEM_H */

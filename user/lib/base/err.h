/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages, exit statuses, and memory that is there or ends the program.
 */
#ifndef LT_LIB_ERR_H
#define LT_LIB_ERR_H

#include <stdarg.h>
#include <stddef.h>

enum lt_exit {
	LT_EXIT_OK = 0,
	LT_EXIT_NO = 1,		/* the answer is "no": verify failed, … */
	LT_EXIT_BAD = 2,	/* wrong usage or unusable input */
};

/*
 * One line on stderr, "lifetrace: " before and a newline after it. lt_die()
 * then ends the program with LT_EXIT_BAD.
 */
void lt_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void lt_verror(const char *fmt, va_list ap);
void lt_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void lt_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/*
 * Memory. Never NULL: without memory the program ends. lt_alloc() zeroes.
 * Sizes computed from input must have been bounded by the caller.
 */
void *lt_alloc(size_t size);
void *lt_alloc_array(size_t n, size_t size);
char *lt_strdup(const char *s);
char *lt_strndup(const char *s, size_t n);

/**
 * lt_grow() - room for one more element in a growing array
 * @array: the array, NULL at first
 * @cap: elements it has room for
 * @n: elements in use
 * @size: of an element
 * Return: the array, perhaps moved, with room for at least @n + 1 elements.
 */
void *lt_grow(void *array, size_t *cap, size_t n, size_t size);

#endif /* LT_LIB_ERR_H */

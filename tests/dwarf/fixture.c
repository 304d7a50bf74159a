// SPDX-License-Identifier: GPL-2.0
/*
 * A program for tests of source lines. It is never run: it has calls in inlined functions of
 * several depths, in static functions of one name, at the end of functions, and in cold parts.
 */
#include <stdio.h>
#include <stdlib.h>

#define INLINE	static inline __attribute__((always_inline))
#define ALONE	__attribute__((noinline))

extern void *volatile kept;
void *volatile kept;

INLINE void *innermost(size_t n)
{
	void *p = malloc(n);

	kept = p;
	return p;
}

INLINE void *middle(size_t n)
{
	void *p = innermost(n + 1);

	if (!p)
		p = innermost(n / 2);
	return p;
}

INLINE void *outer(size_t n)
{
	void *p;

	{
		size_t twice = 2 * n;

		p = middle(twice);
	}
	return p;
}

/* In kernels a symbol of this name is where the code begins. */
ALONE void *_stext(size_t n);
ALONE void *_stext(size_t n)
{
	void *p = outer(n);

	kept = middle(n);
	return p;
}

ALONE __attribute__((noreturn)) static void gone(const char *why)
{
	puts(why);
	exit(1);
}

__attribute__((cold, noinline)) static void unlikely(size_t n)
{
	kept = outer(n + 3);
	puts("cold");
}

/* Many functions, each with calls at other places. */
#define FUNCTION(name, k)				\
ALONE static void *name(size_t n)			\
{							\
	void *p = outer(n + (k));			\
							\
	if (n > (k))					\
		kept = realloc(p, n * (k));		\
	else						\
		unlikely(n);				\
	if (!kept)					\
		gone(#name);				\
	for (size_t i = 0; i < n; i++) {		\
		kept = middle(i + (k));			\
		puts(#name);				\
	}						\
	return innermost(n);				\
}

FUNCTION(f1, 11)
FUNCTION(f2, 22)
FUNCTION(f3, 33)
FUNCTION(f4, 44)
FUNCTION(f5, 55)
FUNCTION(f6, 66)
FUNCTION(f7, 77)
FUNCTION(f8, 88)
FUNCTION(f9, 99)
FUNCTION(f10, 110)

ALONE static void lines(size_t n)
{
	kept = f1(n);
	kept = f2(n + 1);
	kept = f3(n + 2);
	kept = f4(n + 3);
	kept = outer(n + 4);
	kept = f5(n + 5);
	kept = f6(n + 6);
	kept = f7(n + 7);
	kept = f8(n + 8);
	kept = f9(n + 9);
	kept = f10(n + 10);
	free(kept);
}

int main(int argc, char **argv)
{
	(void)argv;
	kept = _stext((size_t)argc);
	lines((size_t)argc);
	gone("end");
}

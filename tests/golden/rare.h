/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the files of the program rare. */
#ifndef RARE_H
#define RARE_H

#include <stdbool.h>
#include <stdint.h>

#include "tracegen.h"

#define MS		1000000ULL
#define FIRST_TIME	(5000 * MS)

/**
 * struct machine - the machine of the trace
 * @ptr: an address of an object that the narrow form has room for
 * @site: a call site of that kind
 * @text: the base of those: what is below it takes the wide form
 * @small: it has 32 bits, and is big-endian
 */
struct machine {
	uint64_t ptr, site, text;
	bool small;
};

/* A cache of which CACHES alone speaks. */
#define CACHE_OF_TEXT	5
/* The second task with the number 19. */
#define AGAIN_START	(FIRST_TIME + 90 * MS)

/* Where the code of the module "far" begins, which takes the wide form. */
#define FAR_CODE(m)	((m)->text - 0x10000)

/* rare_memory.c */

/* Objects with stacks, pages and areas, all by CPU 2. */
void put_memory(struct tg *g, const struct machine *m);
void put_areas(struct tg *g, const struct machine *m);

/* rare_calls.c */

/* Calls in calls and in system calls, in each form; and counts of their functions, which close. */
void put_function_calls(struct tg *g, const struct machine *m);
void put_function_counts(struct tg *g);

/* rare_parts.c */

/*
 * Writes the trace as a recording that is cut at these times, into an empty directory. Return: 0,
 * or -1 after a message.
 */
int write_parts(struct tg *g, const char *dir, bool zstd, const uint64_t *cuts, unsigned int n);

#endif /* RARE_H */

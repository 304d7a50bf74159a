/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * In which function's call a task was when it allocated: the outermost one that was recorded, to
 * which all belongs that was called in it.
 */
#ifndef LT_CALLS_WHERE_H
#define LT_CALLS_WHERE_H

#include <stddef.h>
#include <stdint.h>

#include "format/event.h"

struct lt_call_places;

/**
 * lt_call_places_read() - the calls of a trace in which its tasks had events of memory
 * @path: the file
 *
 * By a pass over it. Memory: 24 bytes for each outermost call with such an event.
 *
 * Return: NULL: function calls were not recorded, or the file cannot be read, which was reported.
 */
struct lt_call_places *lt_call_places_read(const char *path);

/* @c may be NULL. */
void lt_call_places_free(struct lt_call_places *c);

/*
 * The number of the function that a task was in at the time of an event of memory, and 1; 0: none.
 */
uint64_t lt_call_places_at(const struct lt_call_places *c, const struct lt_task *task,
			   uint64_t time);

/* The name of that function. Return: the name or @buf. */
const char *lt_call_places_name(const struct lt_call_places *c, uint64_t number, char *buf,
				size_t size);

#endif /* LT_CALLS_WHERE_H */

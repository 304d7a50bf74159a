/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What to type next, after a trace was written: commands that have an answer from it.
 */
#ifndef LT_OUT_NEXT_H
#define LT_OUT_NEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "lifetimes/lifetime.h"

/**
 * struct lt_next - what a trace has
 * @memory: allocations of @space
 * @space: slab, unless the trace has only others
 * @verify: the trace is new, and it may be asked for whether it is whole
 */
struct lt_next {
	bool memory;
	enum lt_space space;
	bool tasks;
	bool syscalls;
	bool calls;
	bool verify;
};

/**
 * lt_next_of() - what a trace has, by its texts
 * @events: the text EVENTS
 * @channels: their names, separated by commas; it ends at the end of a line; NULL: not known
 */
struct lt_next lt_next_of(const char *events, const char *channels);

/* "next: lifetrace report FILE   lifetrace verify FILE", and a newline. */
void lt_next_say(FILE *f, const char *file, const struct lt_next *has);

/* A text as one word for a shell, between quotes if it needs them; to be freed. */
char *lt_shell_word(const char *text);

#endif /* LT_OUT_NEXT_H */

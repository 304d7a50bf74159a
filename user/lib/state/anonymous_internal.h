/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Within anonymous*.c: names and distances. */
#ifndef LT_STATE_ANONYMOUS_INTERNAL_H
#define LT_STATE_ANONYMOUS_INTERNAL_H

#include <stdbool.h>

#include "base/names.h"
#include "format/packet.h"
#include "format/schema.h"
#include "state/anonymous.h"

#define LT_HIDDEN_SIZE	32U	/* bytes of a text that replaces another one, with its zero */

/**
 * struct lt_anonymous - what replaces what
 * @machine: a header of the trace
 * @data, @code: what is added to addresses
 * @boot: what replaces the id of the boot, and makes it another recording
 * @tasks, @paths, @groups, @texts: names that occurred, by the numbers that replace them
 */
struct lt_anonymous {
	const struct lt_schema *schema;
	struct lt_packet machine;
	uint64_t data;
	uint64_t code;
	uint64_t boot;
	struct lt_names tasks;
	struct lt_names paths;
	struct lt_names groups;
	struct lt_names texts;
};

/* Where an address is moved to. What is below the first page is none. */
static inline uint64_t lt_moved(const struct lt_anonymous *a, uint64_t addr, bool code)
{
	if (addr < 4096)
		return addr;
	addr += code ? a->code : a->data;
	return a->machine.size_ptr == 4 ? (uint32_t)addr : addr;
}

/* A base to which addresses are relative; without one they are moved themselves. */
static inline uint64_t lt_moved_base(const struct lt_anonymous *a, uint64_t base, bool code)
{
	return base ? base + (code ? a->code : a->data) : 0;
}

/* "WORD-N" for a name of @len bytes; empty for an empty one. */
void lt_hidden(struct lt_names *names, const char *word, const char *name, size_t len,
	       char hidden[LT_HIDDEN_SIZE]);

/*
 * That for the name of a task: it has at most 8 bytes, as many as the shortest field of such a
 * name.
 */
void lt_hidden_task(struct lt_anonymous *a, const char *name, size_t len,
		    char hidden[LT_HIDDEN_SIZE]);

#endif /* LT_STATE_ANONYMOUS_INTERNAL_H */

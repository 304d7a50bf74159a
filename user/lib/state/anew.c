// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Forgetting what is dead.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "state/anew.h"
#include "trace/part.h"

/* A packet of STATE that waits for the new trace. */
struct carried {
	struct carried *next;
	size_t size;
	uint8_t data[];
};

struct lt_anew {
	struct carried *first;
	struct carried **tail;
};

struct lt_anew *lt_anew_new(void)
{
	struct lt_anew *a = lt_alloc(sizeof(*a));

	a->tail = &a->first;
	return a;
}

void lt_anew_free(struct lt_anew *a)
{
	struct carried *next;

	for (struct carried *c = a ? a->first : NULL; c; c = next) {
		next = c->next;
		free(c);
	}
	free(a);
}

int lt_anew_carry(void *anew, const void *packet, size_t size)
{
	struct lt_anew *a = anew;
	struct carried *new = lt_alloc(sizeof(*new) + size + LT_SLACK);

	new->size = size;
	memcpy(new->data, packet, size);
	*a->tail = new;
	a->tail = &new->next;
	return 0;
}

/* With all that the new trace needs of the texts of @old. */
static struct lt_trace *begin_at(const struct lt_trace *old, uint64_t cut)
{
	static const unsigned int types[] = {
		LT_BLOCK_EVENTS, LT_BLOCK_CLOCK, LT_BLOCK_SYMBOLS, LT_BLOCK_MODULES,
		LT_BLOCK_CODE, LT_BLOCK_FUNCTIONS,
	};
	struct lt_trace *t = lt_trace_live(lt_trace_text(old, LT_BLOCK_INFO, 0),
					   lt_trace_text(old, LT_BLOCK_SCHEMA, 0));
	struct lt_str part = { 0 };

	if (!t)
		lt_fatal("the texts of the session cannot be read again");
	lt_trace_forget_gaps(t);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const char *text = lt_trace_text(old, types[i], 0);

		if (text)
			lt_trace_add_text(t, types[i], text);
	}
	lt_str_add(&part, "cut=%" PRIu64 "\n", cut);
	lt_trace_describe_cut(&part, old, cut);
	lt_trace_add_text(t, LT_BLOCK_PART, part.s);
	free(part.s);
	lt_trace_live_part(t);
	return t;
}

struct lt_trace *lt_anew_trace(struct lt_anew *a, const struct lt_trace *old, uint64_t cut,
			       void (*busy)(void *arg), void *arg)
{
	struct lt_trace *t = begin_at(old, cut);
	struct carried *c;

	while ((c = a->first)) {
		a->first = c->next;
		lt_trace_push_state(t, c->data, c->size);
		free(c);
		if (busy)
			busy(arg);
	}
	free(a);
	return t;
}

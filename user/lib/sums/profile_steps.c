// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The course of a profile.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/record.h"
#include "sums/profile_steps.h"

#define MARKER_SIZE	sizeof(((struct lt_rec_MARKER *)NULL)->text)

static struct lt_profile_step *step_at(const struct lt_steps *s, size_t i)
{
	return &s->ring[(s->head + i) & (LT_STEPS_HELD - 1)];
}

static void hand_out_first(struct lt_steps *s)
{
	const struct lt_profile_step *first = step_at(s, 0);

	if (first->objects)
		s->p->opts.step(s->p->opts.arg, s->p, first);
	s->head++;
	s->n--;
}

void lt_steps_init(struct lt_steps *s, const struct lt_profile *p)
{
	*s = (struct lt_steps){ .p = p };
	if (p->opts.step)
		s->ring = lt_alloc(LT_STEPS_HELD * sizeof(*s->ring));
}

void lt_steps_finish(struct lt_steps *s)
{
	while (s->n)
		hand_out_first(s);
	free(s->ring);
	s->ring = NULL;
}

void lt_steps_marker(const struct lt_steps *s, const struct lt_event *ev)
{
	const struct lt_profile_options *opts = &s->p->opts;
	char text[MARKER_SIZE + 1] = { 0 };

	if (!opts->marker || !ev->raw)
		return;
	memcpy(text, ev->raw, ev->raw_size < MARKER_SIZE ? ev->raw_size : MARKER_SIZE);
	opts->marker(opts->arg, s->p, ev->time, text);
}

void lt_steps_add(struct lt_steps *s, const struct lt_profile_step *step)
{
	if (!s->ring)
		return;
	if (s->n == LT_STEPS_HELD)
		hand_out_first(s);
	*step_at(s, s->n++) = *step;
}

struct lt_profile_step *lt_steps_undo(struct lt_steps *s, uint64_t ptr)
{
	const struct lt_profile_step *last = s->n ? step_at(s, s->n - 1) : NULL;

	if (!last || last->ptr != ptr || last->born)
		return NULL;
	for (size_t i = s->n - 1; i--;) {
		struct lt_profile_step *birth = step_at(s, i);

		if (birth->ptr != ptr || !birth->born)
			continue;
		birth->objects = 0;
		s->n--;
		return birth;
	}
	return NULL;
}

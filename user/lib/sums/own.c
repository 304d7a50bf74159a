// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the tracer itself has allocated.
 *
 * What the module keeps during the recording, as the holders of pid numbers or the open calls of
 * threads, it allocates in the tasks that it watches. It frees that after the last event, so that
 * it would be alive at the end of each trace.
 */
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "sums/own.h"

#define MODULE	"lifetrace"

enum verdict { NOT_LOOKED_UP, OWN, OTHERS };

/* By number, enum verdict. */
struct verdicts {
	uint8_t *of;
	size_t n;
};

/**
 * struct lt_own - the tracer in a trace
 * @recorder: its thread group; 0: not known
 * @numbers: of call sites
 * @sites: by these
 * @stacks: by number of the stack
 * @places: by the pairing's number of a call site; @origins: with its stack, LT_ORIGIN
 */
struct lt_own {
	const struct lt_trace *t;
	uint32_t recorder;
	struct lt_intern numbers;
	struct verdicts sites;
	struct verdicts stacks;
	struct verdicts places;
	struct verdicts origins;
};

struct lt_own *lt_own_new(const struct lt_trace *t)
{
	struct lt_own *own = lt_alloc(sizeof(*own));

	own->t = t;
	own->recorder = lt_trace_recorder(t);
	lt_intern_init(&own->numbers);
	return own;
}

void lt_own_free(struct lt_own *own)
{
	if (!own)
		return;
	lt_intern_destroy(&own->numbers);
	free(own->sites.of);
	free(own->stacks.of);
	free(own->places.of);
	free(own->origins.of);
	free(own);
}

static uint8_t *verdict_at(struct verdicts *v, uint32_t number)
{
	if (number >= v->n)
		v->of = lt_extend(v->of, &v->n, number + 1, sizeof(*v->of));
	return &v->of[number];
}

static bool is_in_module(const struct lt_trace *t, uint64_t addr)
{
	const char *module = NULL;
	uint64_t offset;

	return addr && lt_trace_function(t, addr, &offset, &module) && module &&
	       !strcmp(module, MODULE);
}

static bool is_own_site(struct lt_own *own, uint64_t site)
{
	uint8_t *v = verdict_at(&own->sites, lt_intern_number(&own->numbers, site));

	if (*v == NOT_LOOKED_UP)
		*v = is_in_module(own->t, site) ? OWN : OTHERS;
	return *v == OWN;
}

static bool is_own_stack(struct lt_own *own, uint32_t number)
{
	uint8_t *v = verdict_at(&own->stacks, number);

	if (*v == NOT_LOOKED_UP) {
		struct lt_stack stack = lt_trace_stack(own->t, number);

		*v = OTHERS;
		for (unsigned int i = 0; i < stack.n && *v == OTHERS; i++) {
			if (is_own_site(own, stack.frames[i]))
				*v = OWN;
		}
	}
	return *v == OWN;
}

static bool is_recorders(const struct lt_own *own, unsigned int context,
			 const struct lt_task *task)
{
	return own->recorder && context == LT_CTX_TASK && task && task->tgid == own->recorder;
}

static bool is_own_place(struct lt_own *own, uint64_t site, uint32_t stack)
{
	return is_own_site(own, site) || (stack && is_own_stack(own, stack));
}

/* Of a number of the pairing: it is asked for each event, so that it has a table of its own. */
static uint8_t *verdict_of(struct lt_own *own, uint32_t number)
{
	return verdict_at(number & LT_ORIGIN ? &own->origins : &own->places, number & ~LT_ORIGIN);
}

uint32_t lt_own_process(const struct lt_own *own)
{
	return own ? own->recorder : 0;
}

bool lt_own_site(struct lt_own *own, const struct lt_lifetimes *lf, uint32_t site)
{
	uint8_t *v;

	if (!own)
		return false;
	v = verdict_of(own, site);
	if (*v == NOT_LOOKED_UP)
		*v = is_own_place(own, lt_lifetimes_site(lf, site),
				  lt_lifetimes_stack(lf, site)) ? OWN : OTHERS;
	return *v == OWN;
}

bool lt_own_obj(struct lt_own *own, const struct lt_lifetimes *lf, const struct lt_obj *o)
{
	if (!own)
		return false;
	if (own->recorder && is_recorders(own, o->context, lt_lifetimes_task(lf, o->task)))
		return true;
	return lt_own_site(own, lf, o->site);
}

bool lt_own_lifetime(struct lt_own *own, const struct lt_lifetime *l)
{
	const struct lt_moment *m = &l->birth;
	uint8_t *v;

	if (!own)
		return false;
	if (is_recorders(own, m->context, m->task))
		return true;
	v = verdict_of(own, m->site_id);
	if (*v == NOT_LOOKED_UP)
		*v = is_own_place(own, m->call_site, m->stack) ? OWN : OTHERS;
	return *v == OWN;
}

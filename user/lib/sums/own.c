// SPDX-License-Identifier: GPL-2.0
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
 */
struct lt_own {
	const struct lt_trace *t;
	uint32_t recorder;
	struct lt_intern numbers;
	struct verdicts sites;
	struct verdicts stacks;
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

bool lt_own_object(struct lt_own *own, unsigned int context, const struct lt_task *task,
		   uint64_t site, uint32_t stack)
{
	if (!own)
		return false;
	return (own->recorder && context == LT_CTX_TASK && task && task->tgid == own->recorder) ||
	       is_own_site(own, site) || (stack && is_own_stack(own, stack));
}

bool lt_own_lifetime(struct lt_own *own, const struct lt_lifetime *l)
{
	return lt_own_object(own, l->birth.context, l->birth.task, l->birth.call_site,
			     l->birth.stack);
}

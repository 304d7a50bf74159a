/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the tracer itself has allocated: the recorder's tasks, and the code of the module.
 */
#ifndef LT_SUMS_OWN_H
#define LT_SUMS_OWN_H

#include <stdbool.h>
#include <stdint.h>

#include "lifetimes/lifetime.h"
#include "trace/trace.h"

struct lt_own;

/* @t: must stay open as long as the result. */
struct lt_own *lt_own_new(const struct lt_trace *t);
/* @own may be NULL. */
void lt_own_free(struct lt_own *own);

/**
 * lt_own_obj() - whether the tracer made an object
 * @own: NULL: nothing is
 * @lf: the pairing, one for all calls with @own
 * @o: an object of its tables
 * Return: true if a task of the recorder's process allocated it, not in an interrupt; or if the
 * module called the allocator, from whatever task: by the call site or, where there is a stack,
 * through others.
 */
bool lt_own_obj(struct lt_own *own, const struct lt_lifetimes *lf, const struct lt_obj *o);

/*
 * The two parts of lt_own_obj(): whether a task of the recorder made it, that is one of this
 * process, 0: it is not known; or the place decides it.
 */
uint32_t lt_own_process(const struct lt_own *own);
bool lt_own_site(struct lt_own *own, const struct lt_lifetimes *lf, uint32_t site);

/* Whether the tracer made the object of a lifetime, of that pairing. */
bool lt_own_lifetime(struct lt_own *own, const struct lt_lifetime *l);

/* Whether the object of a step was made by the recorder; @process: lt_own_process() */
static inline bool lt_own_step(uint32_t process, const struct lt_plain_step *s)
{
	return process && s->context == LT_CTX_TASK && s->maker && s->maker->tgid == process;
}

static inline bool lt_own_has_step(uint32_t process, const struct lt_plain_steps *steps)
{
	for (size_t i = 0; process && i < steps->n; i++) {
		if (lt_own_step(process, &steps->all[i]))
			return true;
	}
	return false;
}

#endif /* LT_SUMS_OWN_H */

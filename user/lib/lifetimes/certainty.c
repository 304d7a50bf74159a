// SPDX-License-Identifier: GPL-2.0
/*
 * How sure a lifetime is: from the reasons that were recorded during it, and from what
 * the trace cannot show at all.
 */
#include "lifetimes/internal.h"

/*
 * A sample keeps or leaves out the parts of a page block each for itself: the free of a
 * part, and what was born there since, may not be in the trace. So a block that seems
 * to be alive may have been freed but for its first page.
 */
static bool is_sampled_part(const struct lt_lifetime_config *config, const struct lt_lifetime *l)
{
	return config->sampled && l->space == LT_SPACE_PAGE &&
	       (l->split || (l->ending == LT_END_ALIVE && l->order));
}

/*
 * Whether birth and end may be of two objects, or the end that is missing may have
 * happened, for want of a probe. When only the births of caches' objects are missing, a
 * kmalloc that ends by kfree is not in doubt: kfree takes objects of caches, too, but
 * is hardly ever given one, and traces of such kernels would have no exact lifetimes.
 */
static bool is_unwatched(const struct lt_lifetime_config *config, const struct lt_lifetime *l)
{
	if (!l->birth.known || !config->unwatched_free[l->space])
		return false;
	if (!l->death.known)
		return l->ending == LT_END_ALIVE;
	if (l->space != LT_SPACE_SLAB)
		return false;
	return config->unwatched_kmalloc || (config->unwatched_cache &&
	       !(l->kind == LT_CLASS_KMALLOC && l->ending == LT_END_KFREE));
}

void lt_certainty_set(struct lt_lifetime *l, const struct lt_lifetime_config *config,
		      unsigned int unsure)
{
	if (is_unwatched(config, l))
		unsure |= LT_UNSURE_UNWATCHED;
	if (is_sampled_part(config, l))
		unsure |= LT_UNSURE_SAMPLED;
	l->lossy = unsure & LT_UNSURE_LOST;
	l->ambiguous = unsure & ~LT_UNSURE_LOST;
	if (unsure)
		l->certainty = LT_UNCERTAIN;
	else if (!l->birth.known)
		l->certainty = LT_BEFORE;
	else if (l->ending == LT_END_REBORN)
		l->certainty = LT_BOUNDED;
	else if (l->ending == LT_END_ALIVE)
		l->certainty = LT_OPEN;
	else
		l->certainty = LT_EXACT;
}

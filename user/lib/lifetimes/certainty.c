// SPDX-License-Identifier: LGPL-2.1-or-later
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
 * When only the births of caches' objects are missing, a kmalloc that ends by kfree is not in
 * doubt: kfree takes objects of caches, too, but is hardly ever given one. Otherwise such a
 * kernel's traces would have no exact lifetimes.
 */
bool lt_certainty_is_of_two(const struct lt_lifetime_config *config, unsigned int kind,
			    enum lt_ending ending, const char **which)
{
	if (!config->unwatched_free[LT_SPACE_SLAB])
		return false;
	if (config->unwatched_kmalloc) {
		*which = config->kmalloc_name;
		return true;
	}
	if (!config->unwatched_cache || (kind == LT_CLASS_KMALLOC && ending == LT_END_KFREE))
		return false;
	*which = config->cache_name;
	return true;
}

/*
 * Whether birth and end may be of two objects, or the end that is missing may have
 * happened, for want of a probe.
 */
static bool is_unwatched(const struct lt_lifetime_config *config, const struct lt_lifetime *l,
			 const char **which)
{
	if (!l->birth.known || !config->unwatched_free[l->space])
		return false;
	if (!l->death.known) {
		if (l->ending != LT_END_ALIVE)
			return false;
		*which = config->free_name[l->space];
		return true;
	}
	return l->space == LT_SPACE_SLAB &&
	       lt_certainty_is_of_two(config, l->kind, (enum lt_ending)l->ending, which);
}

/* Whether events of other CPUs, at the same address, may have come between. */
static bool is_unordered(const struct lt_lifetime_config *config, const struct lt_lifetime *l)
{
	return (l->birth.known ? l->birth.time : l->death.time) < config->unordered_until;
}

/* The reason that is given: what can be changed comes first. */
static enum lt_cause reason(unsigned int unsure)
{
	static const struct {
		enum lt_unsure unsure;
		enum lt_cause why;
	} order[] = {
		{ LT_UNSURE_LOST, LT_WHY_LOST }, { LT_UNSURE_UNWATCHED, LT_WHY_NOT_WATCHED },
		{ LT_UNSURE_SAMPLED, LT_WHY_SAMPLED }, { LT_UNSURE_LATE, LT_WHY_LATE },
		{ LT_UNSURE_ORDER, LT_WHY_ORDER }, { LT_UNSURE_TAINTED, LT_WHY_GUESS },
	};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (unsure & order[i].unsure)
			return order[i].why;
	}
	return LT_WHY_NONE;
}

static inline void set(struct lt_lifetime *l, enum lt_certainty certainty, enum lt_cause why)
{
	l->certainty = certainty;
	l->why = (uint8_t)why;
}

void lt_certainty_weigh(struct lt_lifetime *l, const struct lt_lifetime_config *config,
			unsigned int unsure)
{
	if (is_unwatched(config, l, &l->unwatched))
		unsure |= LT_UNSURE_UNWATCHED;
	if (is_sampled_part(config, l))
		unsure |= LT_UNSURE_SAMPLED;
	if (is_unordered(config, l))
		unsure |= LT_UNSURE_ORDER;
	l->lossy = unsure & LT_UNSURE_LOST;
	l->ambiguous = unsure & ~LT_UNSURE_LOST;
	if (unsure)
		set(l, LT_UNCERTAIN, reason(unsure));
	else if (!l->birth.known)
		set(l, LT_BEFORE, LT_WHY_NO_BIRTH);
	else if (l->ending == LT_END_REBORN || l->ending == LT_END_LOST)
		set(l, LT_BOUNDED, LT_WHY_NO_FREE);
	else if (l->ending == LT_END_ALIVE)
		set(l, LT_OPEN, LT_WHY_ALIVE);
	else
		set(l, LT_EXACT, LT_WHY_NONE);
}

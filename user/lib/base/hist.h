/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Histograms of 64-bit values: powers of two, each cut into 32 equal parts.
 *
 * A percentile is the middle of a part, and so at most 1/64 (1.6 %) off. Values below 64
 * are exact. Each power of two that occurs takes 256 bytes.
 */
#ifndef LT_LIB_HIST_H
#define LT_LIB_HIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LT_HIST_SUB_BITS	5
#define LT_HIST_SUB		(1U << LT_HIST_SUB_BITS)

struct lt_hist {
	uint64_t n;
	uint64_t min;		/* UINT64_MAX when n is 0 */
	uint64_t max;
	uint64_t (*sub)[LT_HIST_SUB];	/* of the groups that occur, in order */
	uint8_t places[64];	/* by group: the index of that array, plus 1; 0: it has none */
};

void lt_hist_init(struct lt_hist *h);
void lt_hist_destroy(struct lt_hist *h);
void lt_hist_add(struct lt_hist *h, uint64_t value);

/* Adds a value @n times, once at least. */
void lt_hist_add_many(struct lt_hist *h, uint64_t value, uint64_t n);

#define LT_HIST_LATER	128

/**
 * struct lt_hist_later - where values are still to be counted, of several histograms
 * @parts: @n of them
 */
struct lt_hist_later {
	uint64_t *parts[LT_HIST_LATER];
	unsigned int n;
};

/* The group of a value, and its part there; see hist.c. */
static inline unsigned int lt_hist_group(uint64_t value)
{
	if (value < LT_HIST_SUB)
		return 0;
	return 64 - LT_HIST_SUB_BITS - (unsigned int)__builtin_clzll(value);
}

static inline unsigned int lt_hist_part(uint64_t value, unsigned int group)
{
	if (!group)
		return (unsigned int)value;
	return (unsigned int)(value >> (group - 1)) - LT_HIST_SUB;
}

/* The group of a value has an array then. */
void lt_hist_need(struct lt_hist *h, unsigned int group);

/* lt_hist_add() of a value whose group and part are known. */
static inline void lt_hist_add_at(struct lt_hist *h, uint64_t value, unsigned int group,
				  unsigned int part)
{
	if (!h->places[group])
		lt_hist_need(h, group);
	h->sub[h->places[group] - 1][part]++;
	h->n++;
	if (value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
}

void lt_hist_settle(struct lt_hist_later *later);
/* Settles, and the group has an array then. */
void lt_hist_settle_for(struct lt_hist *h, unsigned int group, struct lt_hist_later *later);

/*
 * lt_hist_add() that only asks for the memory in which the value is counted. lt_hist_settle()
 * counts it: before the histogram is used otherwise.
 */
static inline void lt_hist_add_later(struct lt_hist *h, uint64_t value,
				     struct lt_hist_later *later)
{
	unsigned int group = lt_hist_group(value);
	uint64_t *part;

	if (later->n == LT_HIST_LATER || !h->places[group])
		lt_hist_settle_for(h, group, later);
	part = &h->sub[h->places[group] - 1][lt_hist_part(value, group)];
	__builtin_prefetch(part, 1);
	later->parts[later->n++] = part;
	h->n++;
	if (value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
}

/* Adds all values of @from. */
void lt_hist_merge(struct lt_hist *h, const struct lt_hist *from);

/*
 * The value that @percent % of the values do not exceed (nearest rank): 50 is the median.
 * 0 if there are no values.
 */
uint64_t lt_hist_percentile(const struct lt_hist *h, double percent);

#define LT_HIST_FOLLOWED	0.05

/**
 * lt_hist_survival() - a percentile of lifetimes, some of which have not ended yet
 * @ended: the lifetimes that have ended
 * @alive: the ages of what is still alive; each will end at a greater age
 * @percent: 50: the age at which half of all have ended
 * @value: that age; if it is not reached, the age up to which the estimate goes, 0: there is none
 *
 * The estimate of Kaplan and Meier: at each age at which some ended, the part that survives is
 * multiplied by the part of those that were followed up to that age and did not end at it.
 * With @alive empty it is lt_hist_percentile(). Values in one part of a power of two count as
 * one age, at which those that end are ahead of those that are alive; but if the greatest age
 * is one at which some ended, no part survives it. The estimate ends at the greatest lifetime or
 * age, or at the age from which on less than LT_HIST_FOLLOWED of the survivors were observed: few
 * objects that end at a great age cannot stand for many that were made too late to reach it.
 *
 * Return: whether the percentile is reached.
 */
bool lt_hist_survival(const struct lt_hist *ended, const struct lt_hist *alive, double percent,
		      uint64_t *value);
/*
 * lt_hist_survival() of several, in ascending order, in one walk. Return: how many are reached; the
 * next one of @values, if there is one, is what is known of those that are not.
 */
size_t lt_hist_survivals(const struct lt_hist *ended, const struct lt_hist *alive,
			 const double *percents, size_t n_percents, uint64_t *values);

/**
 * lt_hist_logrank() - whether two groups of lifetimes differ, some of which have not ended yet
 * @ended: by group: the lifetimes that have ended
 * @alive: by group: the ages of what is still alive
 *
 * The log-rank test: at each age at which some ended, those of the first group are compared with
 * their part of all that were followed up to that age. Values in one part of a power of two count
 * as one age, at which those that end are ahead of those that are alive.
 *
 * Return: the ends of the first group less those expected, by the standard error: about a standard
 * normal deviate if nothing differs, above 0 if the first group ends earlier. 0 if there is nothing
 * to compare.
 */
double lt_hist_logrank(const struct lt_hist *const ended[2], const struct lt_hist *const alive[2]);

/* How many values lie in [2^power, 2^(power+1)); zeros count for power 0. */
uint64_t lt_hist_log2(const struct lt_hist *h, unsigned int power);

#endif /* LT_LIB_HIST_H */

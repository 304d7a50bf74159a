// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Histograms of 64-bit values.
 *
 * Group 0 holds 0..31, one value a part; group g > 0 holds
 * [2^(g+4), 2^(g+5)), 2^(g-1) values a part. 60 groups hold all of 64 bits.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/hist.h"

static inline unsigned int place_of(const struct lt_hist *h, unsigned int group)
{
	return h->places[group] - 1U;
}

static uint64_t *add_group(struct lt_hist *h, unsigned int group)
{
	unsigned int place = 0, n = 0;

	for (unsigned int g = 0; g < 64; g++) {
		place += g < group && h->places[g];
		n += h->places[g] != 0;
		h->places[g] += g > group && h->places[g];
	}
	h->sub = lt_realloc_array(h->sub, n + 1, sizeof(*h->sub));
	memmove(h->sub + place + 1, h->sub + place, (n - place) * sizeof(*h->sub));
	memset(h->sub[place], 0, sizeof(*h->sub));
	h->places[group] = (uint8_t)(place + 1);
	return h->sub[place];
}

static inline uint64_t *need_group(struct lt_hist *h, unsigned int group)
{
	return h->places[group] ? h->sub[place_of(h, group)] : add_group(h, group);
}

void lt_hist_need(struct lt_hist *h, unsigned int group)
{
	need_group(h, group);
}

void lt_hist_init(struct lt_hist *h)
{
	memset(h, 0, sizeof(*h));
	h->min = UINT64_MAX;
}

void lt_hist_destroy(struct lt_hist *h)
{
	free(h->sub);
	lt_hist_init(h);
}

void lt_hist_add(struct lt_hist *h, uint64_t value)
{
	lt_hist_add_many(h, value, 1);
}

void lt_hist_add_many(struct lt_hist *h, uint64_t value, uint64_t n)
{
	unsigned int group = lt_hist_group(value);

	need_group(h, group)[lt_hist_part(value, group)] += n;
	h->n += n;
	if (value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
}

void lt_hist_settle(struct lt_hist_later *later)
{
	for (unsigned int i = 0; i < later->n; i++)
		++*later->parts[i];
	later->n = 0;
}

void lt_hist_settle_for(struct lt_hist *h, unsigned int group, struct lt_hist_later *later)
{
	/* A new group moves the others. */
	lt_hist_settle(later);
	need_group(h, group);
}

void lt_hist_merge(struct lt_hist *h, const struct lt_hist *from)
{
	for (unsigned int group = 0; group < 64; group++) {
		const uint64_t *src;
		uint64_t *dst;

		if (!from->places[group])
			continue;
		src = from->sub[place_of(from, group)];
		dst = need_group(h, group);
		for (unsigned int i = 0; i < LT_HIST_SUB; i++)
			dst[i] += src[i];
	}
	h->n += from->n;
	if (from->min < h->min)
		h->min = from->min;
	if (from->max > h->max)
		h->max = from->max;
}

/* The middle of a part, within the range of the values. */
static uint64_t middle(const struct lt_hist *h, unsigned int group, unsigned int part)
{
	uint64_t value = part;

	if (group) {
		value = (uint64_t)(part + LT_HIST_SUB) << (group - 1);
		value += (1ULL << (group - 1)) / 2;
	}
	if (value < h->min)
		return h->min;
	return value > h->max ? h->max : value;
}

uint64_t lt_hist_percentile(const struct lt_hist *h, double percent)
{
	uint64_t rank, before = 0;
	unsigned int place = 0;

	if (!h->n)
		return 0;
	rank = (uint64_t)ceil(percent * (double)h->n / 100);
	if (rank < 1)
		rank = 1;
	if (rank >= h->n)
		return h->max;
	for (unsigned int group = 0; group < 64; group++) {
		if (!h->places[group])
			continue;
		for (unsigned int i = 0; i < LT_HIST_SUB; i++) {
			before += h->sub[place][i];
			if (before >= rank)
				return middle(h, group, i);
		}
		place++;
	}
	return h->max;
}

/* The parts of a group; NULL: all are 0. */
static const uint64_t *parts_of(const struct lt_hist *h, unsigned int group)
{
	return h->places[group] ? h->sub[place_of(h, group)] : NULL;
}

/* More than the error of the product of all fractions. */
#define ROUNDING	0.000000001

/* Too few of those that live were followed up to this age; see lt_hist_survival(). */
static bool is_thin(uint64_t followed, double survive, uint64_t all)
{
	return (double)followed < LT_HIST_FOLLOWED * survive * (double)all * (1 - ROUNDING);
}

/**
 * struct walk - over the ages at which some ended
 * @survive: the part that survives what was passed, and @before: what was passed before the present
 *	age
 * @left: that end later
 */
struct walk {
	const struct lt_hist *ended;
	const struct lt_hist *alive;
	double survive;
	double before;
	uint64_t left;
};

/* @n of @at_risk end in a part. */
static void pass_ends(struct walk *w, uint64_t n, uint64_t at_risk)
{
	const bool thin = is_thin(n, w->survive, w->ended->n + w->alive->n);

	w->before = w->survive;
	w->survive *= 1 - (double)n / (double)at_risk;
	w->left -= n;
	/* None was followed up to the last end but those that had it. */
	if (!w->left && w->ended->max > w->alive->max && !thin)
		w->survive = 0;
}

/*
 * Whether all of @n that end are needed to leave no more than @enough: the percentile is the last
 * one of them.
 */
static bool takes_last(const struct walk *w, uint64_t n, uint64_t at_risk, double enough)
{
	return w->before * (1 - (double)(n - 1) / (double)at_risk) > enough;
}

static double enough_of(double percent)
{
	return (100 - percent) / 100 + ROUNDING;
}

size_t lt_hist_survivals(const struct lt_hist *ended, const struct lt_hist *alive,
			 const double *percents, size_t n_percents, uint64_t *values)
{
	struct walk w = { .ended = ended, .alive = alive, .survive = 1, .left = ended->n };
	uint64_t at_risk = ended->n + alive->n;
	size_t k = 0;

	for (unsigned int group = 0; group < 64 && w.left; group++) {
		const uint64_t *ends = parts_of(ended, group), *ages = parts_of(alive, group);

		for (unsigned int i = 0; i < LT_HIST_SUB && (ends || ages); i++) {
			uint64_t n = ends ? ends[i] : 0;

			if (n && is_thin(at_risk, w.survive, ended->n + alive->n)) {
				values[k] = middle(ended, group, i);
				return k;
			}
			if (n)
				pass_ends(&w, n, at_risk);
			while (n && w.survive <= enough_of(percents[k])) {
				values[k] = !w.left &&
					takes_last(&w, n, at_risk, enough_of(percents[k])) ?
					    ended->max : middle(ended, group, i);
				if (++k == n_percents)
					return k;
			}
			at_risk -= n + (ages ? ages[i] : 0);
		}
	}
	values[k] = ended->max > alive->max ? ended->max : alive->max;
	return k;
}

bool lt_hist_survival(const struct lt_hist *ended, const struct lt_hist *alive, double percent,
		      uint64_t *value)
{
	return lt_hist_survivals(ended, alive, &percent, 1, value);
}

static uint64_t part_at(const uint64_t *parts, unsigned int i)
{
	return parts ? parts[i] : 0;
}

double lt_hist_logrank(const struct lt_hist *const ended[2], const struct lt_hist *const alive[2])
{
	double risk[2], surplus = 0, variance = 0;

	for (int k = 0; k < 2; k++)
		risk[k] = (double)ended[k]->n + (double)alive[k]->n;
	for (unsigned int group = 0; group < 64; group++) {
		const uint64_t *ends[2], *ages[2];

		for (int k = 0; k < 2; k++) {
			ends[k] = parts_of(ended[k], group);
			ages[k] = parts_of(alive[k], group);
		}
		for (unsigned int i = 0; i < LT_HIST_SUB; i++) {
			double first = (double)part_at(ends[0], i);
			double n = first + (double)part_at(ends[1], i), all = risk[0] + risk[1];

			if (n > 0 && all > 1) {
				double part = risk[0] / all;

				surplus += first - n * part;
				variance += n * part * (1 - part) * (all - n) / (all - 1);
			}
			for (int k = 0; k < 2; k++)
				risk[k] -= (double)part_at(ends[k], i) +
					   (double)part_at(ages[k], i);
		}
	}
	return variance > 0 ? surplus / sqrt(variance) : 0;
}

uint64_t lt_hist_log2(const struct lt_hist *h, unsigned int power)
{
	unsigned int group = power < LT_HIST_SUB_BITS ? 0 : power - LT_HIST_SUB_BITS + 1;
	unsigned int first = 0, last = LT_HIST_SUB - 1;
	uint64_t n = 0;

	if (power > 63 || !h->places[group])
		return 0;
	if (!group) {
		first = power ? 1U << power : 0;
		last = (2U << power) - 1;
	}
	for (unsigned int i = first; i <= last; i++)
		n += h->sub[place_of(h, group)][i];
	return n;
}

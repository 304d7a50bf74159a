/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where only some births were recorded, or only some have their stack: how many a birth stands
 * for, and how far the sums of such births may be from those of all.
 *
 * A sample (record --sample=N) has the births at one address in N, chosen by a hash of the
 * address; of these, or of all, those at one address in M have their stack, by another hash. A
 * birth that was chosen with the probability 1 / w counts w times in its row, and the others do
 * not count: this expects the true sum (Horvitz and Thompson). Births at one address are chosen
 * together, so an address, not a birth, is what is drawn. The sets of different w are nested: two
 * births at one address, with a >= b, are both chosen with the probability 1 / a. With y_w the sum
 * of a row's births of weight w at an address, that address contributes to the variance
 *
 *	sum over all a, b of y_a * y_b * (a * b - max(a, b))
 *
 * which is N * (N - 1) * y * y where all have the weight N.
 */
#ifndef LT_SUMS_WEIGHTS_H
#define LT_SUMS_WEIGHTS_H

#include "base/map.h"
#include "lifetimes/lifetime.h"
#include "lifetimes/objtable.h"
#include "trace/trace.h"

struct lt_weight_address;

#define LT_WEIGHTS_ALL	UINT32_MAX	/* number of the row that is the sum of all rows */

/**
 * struct lt_weights - what the births of a trace stand for
 * @sample: N: births of slab objects and pages at one address in N were recorded; 1: all. Of a
 *	sample that changed: of the smallest one
 * @by_birth: a trace whose sample changed, and struct lt_lifetime_ops.left is set: births stand for
 *	as many as the sample of their time says; NULL: all stand for @sample
 * @one_in: M: of one address in M the stack is known; 0: each birth stands for itself by stack
 * @min: births of so many bytes or more have their stack besides
 * @seed: of the hashes in @by_hash
 * @by_hash: numbers of @addresses, counted from 1
 * @addresses: sums of what was chosen, by row, address and weight
 * @n: length of @addresses
 * @cap: its room
 * @most: above so many addresses several are one, which makes errors too large, never too
 *	small, and memory bounded
 */
struct lt_weights {
	unsigned int sample;
	const struct lt_trace *by_birth;
	unsigned int one_in;
	uint64_t min;
	uint64_t seed;
	struct lt_map by_hash;
	struct lt_weight_address *addresses;
	size_t n;
	size_t cap;
	size_t most;
};

/**
 * struct lt_spread - how far an estimated sum may be from the true one
 * @drawn: the part of the sum that is of births with a weight above 1
 * @recorded: the same, each birth once: the true sum is not less
 * @var: the variance of @drawn
 * @squares: the sum of the squares of what each address contributes to @var
 * @largest: of bytes: those of the largest birth
 * @unknown: nothing is known of how far the sum may be from the true one
 * @below: by so much at the least the true sum may be less, since the counters say that the sample
 *	has too much; see lt_spread_count()
 * @above: by so much at the least it may be more, since the sample has too little
 * @most: the part of the true sum that is @drawn is not more; 0: not known
 */
struct lt_spread {
	double drawn;
	double recorded;
	double var;
	double squares;
	double largest;
	double below;
	double above;
	double most;
	bool unknown;
};

/**
 * struct lt_counted - what is known of all births of a space, whatever a filter takes
 * @births: how many there were, by the counters of the classes; 0: not known
 * @recorded: how many of them the sample has
 * @drawn: of these, those that stand for more than themselves
 * @estimate: how many all of these stand for
 * @addresses: of as many that are used equally the estimate would be as certain
 */
struct lt_counted {
	uint64_t births;
	uint64_t recorded;
	uint64_t drawn;
	uint64_t estimate;
	double addresses;
};

/*
 * For how many others a lifetime stands: a birth for as many as the sample of its time says; what
 * is said of the time until its end for as many as the smallest sample of that time says, since it
 * is seen only if all samples have its address.
 */
struct lt_stands {
	uint64_t births;
	uint64_t lives;
};

/* Holds the true number in 95 of 100 cases. @known: there is one */
struct lt_interval {
	uint64_t low;
	uint64_t high;
	bool known;
};

/* The options of a trace as numbers: "sample", "stacks" and "stack_min" of its INFO. */
void lt_weights_init(struct lt_weights *w, const struct lt_trace *t);
void lt_weights_destroy(struct lt_weights *w);

/*
 * Return: for how many births of a space one stands by the sample. The other allocators are watched
 * as a whole.
 */
static inline unsigned int lt_weights_sample(const struct lt_weights *w, enum lt_space space)
{
	return space == LT_SPACE_SLAB || space == LT_SPACE_PAGE ? w->sample : 1;
}

/*
 * Births will stand for what the sample of their time says, if the one of @t changed: of callers
 * that set struct lt_lifetime_ops.left. Return: whether they will.
 */
bool lt_weights_by_birth(struct lt_weights *w, const struct lt_trace *t);

/* Of a space that is sampled, and a lifetime whose birth is known. */
struct lt_stands lt_weights_stand(const struct lt_weights *w, const struct lt_lifetime *l);

/* Adds a birth to the numbers of all, or takes it back. */
static inline void lt_counted_add(struct lt_counted *c, uint64_t weight)
{
	c->recorded++;
	c->drawn += weight > 1;
	c->estimate += weight;
}

/* @n births that stand for themselves. */
static inline void lt_counted_add_ones(struct lt_counted *c, uint64_t n)
{
	c->recorded += n;
	c->estimate += n;
}

static inline void lt_counted_take(struct lt_counted *c, uint64_t weight)
{
	c->recorded--;
	c->drawn -= weight > 1;
	c->estimate -= weight;
}

/* Whether births of this kind and size stand for themselves, whatever their address is. */
static inline bool lt_weights_by_size(const struct lt_weights *w, const struct lt_obj *o)
{
	return !w->one_in || o->kind == LT_CLASS_BULK_ALLOC || o->kind == LT_CLASS_PAGE_ALLOC ||
	       o->kind == LT_CLASS_PAGE_BULK || (w->min && o->bytes_req >= w->min);
}

/* Births of the others have a stack if LT_STACK_HASH() of their address is below this. */
static inline uint64_t lt_weights_limit(const struct lt_weights *w)
{
	return (1ULL << 32) / w->one_in;
}

/*
 * Return: for how many of those that have a stack, or have none, this birth stands: 1, M, or none.
 */
static inline unsigned int lt_weight(const struct lt_weights *w, const struct lt_obj *o)
{
	if (lt_weights_by_size(w, o))
		return 1;
	return LT_STACK_HASH(o->ptr) < lt_weights_limit(w) ? w->one_in : 0;
}

/*
 * Return: for how many births this one stands in rows, where each stands for @sample; those by
 * stack (@by_stack) have births with a stack alone.
 */
static inline uint64_t lt_weight_in_rows(const struct lt_weights *w, uint64_t sample,
					 bool by_stack, const struct lt_obj *o)
{
	return sample * (by_stack ? lt_weight(w, o) : 1);
}

/**
 * lt_weights_add() - add a birth of a weight above 1 to the sums of its address in a row
 * @row: number of the row
 * @ptr: the address
 * @bytes: of the birth
 */
void lt_weights_add(struct lt_weights *w, uint32_t row, uint64_t ptr, uint64_t weight,
		    uint64_t bytes);

/* Rows become one: @to has the new number of each. LT_WEIGHTS_ALL stays. */
void lt_weights_renumber(struct lt_weights *w, const uint32_t *to);

/*
 * Calls @fn for each address of each row, with what it contributes to the spreads of the number of
 * births and of their bytes.
 */
typedef void lt_weights_fn(void *arg, uint32_t row, const struct lt_spread *births,
			   const struct lt_spread *bytes);
void lt_weights_each(struct lt_weights *w, lt_weights_fn *fn, void *arg);

/* Return: of how many equal addresses a sum would be as certain. */
static inline double lt_spread_addresses(const struct lt_spread *s)
{
	return s->squares > 0 ? s->var * s->var / s->squares : 0;
}

/* Adds @value of the only birth at an address. */
void lt_spread_add(struct lt_spread *s, uint64_t weight, uint64_t value);
void lt_spread_merge(struct lt_spread *to, const struct lt_spread *from);

/*
 * Births of a space that the probes saw in the whole trace, recorded or left out by a sample, lost
 * or not. 0: not known, since filters left out others besides.
 */
uint64_t lt_births_counted(const struct lt_trace *t, enum lt_space space);

/**
 * lt_spread_count() - what the counters add to the spreads of a row
 * @births: of the number of its births, @n by the sample
 * @bytes: of their bytes
 *
 * An address that is used more than others and was not drawn is in no variance. The difference
 * between what the sample says of all births and what was counted shows that there are such, or
 * that one was drawn, but not in which row: that part of the difference may be in a row which is
 * LT_HOT times its share of all, at the most. If the difference is more than a quarter of all
 * births, or a few addresses have most of them, nothing is known of those of a row. This was found
 * by drawing 100 samples of recorded loads (test_sample_real).
 *
 * Bytes are not counted: those of a row are as uncertain as its births. If the row has births of
 * many sizes, others may be of a size that the sample has not even once, as buffers for paths are,
 * of which a CPU has two or three addresses: then no interval of bytes is known.
 */
#define LT_HOT	16
void lt_spread_count(struct lt_spread *births, struct lt_spread *bytes, const struct lt_counted *c,
		     uint64_t n);

/*
 * Whether the bytes of what is alive, as @objects and @bytes say, have an interval: a few objects
 * of many sizes have not, since one that was not drawn may be as large as all others.
 */
void lt_spread_judge_live(const struct lt_spread *objects, struct lt_spread *bytes);

/**
 * lt_spread_interval() - where the true sum is
 * @estimate: the sum
 *
 * The interval is that of the sums which the estimate does not contradict, with the variance that
 * each would have (as Wilson's of a share): it is not symmetric, and ends above 0. By few
 * addresses, or few that have most of the sum, the variance is known badly: therefore Student's
 * t, with as many degrees of freedom as equal addresses would give.
 */
struct lt_interval lt_spread_interval(const struct lt_spread *s, uint64_t estimate);

#endif /* LT_SUMS_WEIGHTS_H */

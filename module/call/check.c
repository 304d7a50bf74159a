// SPDX-License-Identifier: GPL-2.0
/*
 * Checking the steps of a function, once, before they are ever run.
 */
#include <linux/string.h>

#include "call/internal.h"

/**
 * struct checker - what is known at a step
 * @fn: the function, of which sizes are found
 * @at_return: the steps of the return
 * @source: the accumulator has a value
 * @limit: there is a limit to test against
 * @kept: a bit for each word that the entry kept
 * @bytes: of values so far
 * @values: so far
 */
struct checker {
	struct lt_call_fn *fn;
	bool at_return;
	bool source;
	bool limit;
	u32 kept;
	unsigned int bytes;
	unsigned int values;
};

static bool is_word(unsigned int size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool add_value(struct checker *c, unsigned int bytes)
{
	c->bytes += bytes;
	c->values++;
	return c->bytes <= LT_CALL_MAX_BYTES && c->values <= LT_CALL_MAX_VALUES;
}

/* A word, or two of 32 bits. */
static bool is_one_or_two(const struct lt_call_step *s)
{
	return !s->size || (s->size == 8 && sizeof(long) == 4);
}

static bool begins_value(const struct lt_call_step *s)
{
	return s->op == LT_CALL_ARG || s->op == LT_CALL_RESULT || s->op == LT_CALL_CONST ||
	       s->op == LT_CALL_LOADK || s->op == LT_CALL_TASK;
}

/* Steps that give the accumulator a value of their own. */
static bool check_source(struct checker *c, const struct lt_call_step *s)
{
	c->source = true;
	switch (s->op) {
	case LT_CALL_ARG:
		return !c->at_return && is_one_or_two(s) && !s->offset &&
		       s->arg + !!s->size < LT_CALL_ARGS;
	case LT_CALL_RESULT:
		return c->at_return && is_one_or_two(s) && !s->offset &&
		       s->arg + !!s->size < LT_CALL_RESULTS;
	case LT_CALL_CONST:
		return !s->size && !s->arg;
	case LT_CALL_LOADK:
		return c->at_return && !s->size && !s->offset && s->arg < LT_CALL_MAX_KEPT &&
		       c->kept & BIT(s->arg);
	default:	/* TASK */
		return !s->size && !s->offset && !s->arg;
	}
}

/* Steps that change the accumulator, or keep it. */
static bool check_change(struct checker *c, const struct lt_call_step *s)
{
	if (!c->source)
		return false;
	switch (s->op) {
	case LT_CALL_ADD:
	case LT_CALL_HIGH:
		return !s->size && !s->arg;
	case LT_CALL_READ:
	case LT_CALL_READU:
		return is_word(s->size) && !s->arg;
	case LT_CALL_BITS:
		return s->size && !s->offset && s->size + s->arg <= 64;
	case LT_CALL_SIGN:
		return s->size && s->size <= 64 && !s->arg && !s->offset;
	case LT_CALL_KEEP:
		if (c->at_return || s->size || s->offset || s->arg >= LT_CALL_MAX_KEPT)
			return false;
		c->kept |= BIT(s->arg);
		return true;
	case LT_CALL_LIMIT:
		c->limit = true;
		return !s->size && !s->arg && !s->offset;
	default:	/* TEST */
		return c->limit && s->arg < LT_CALL_N_TESTS && !s->size && !s->offset;
	}
}

/* Steps that write a value. */
static bool check_value(struct checker *c, const struct lt_call_step *s)
{
	if (!c->source || s->arg)
		return false;
	switch (s->op) {
	case LT_CALL_STORE:
		return is_word(s->size) && !s->offset && !c->fn->texts && add_value(c, s->size);
	case LT_CALL_BYTES:
		return s->size && s->size <= LT_CALL_MAX_TEXT && !c->fn->texts &&
		       add_value(c, s->size);
	default:	/* TEXT, TEXTU */
		c->fn->texts = true;
		return c->at_return && s->size > 1 && s->size <= LT_CALL_MAX_TEXT &&
		       add_value(c, s->size);
	}
}

static bool check_step(struct checker *c, const struct lt_call_step *s)
{
	if (s->reserved)
		return false;
	switch (s->op) {
	case LT_CALL_ARG:
	case LT_CALL_RESULT:
	case LT_CALL_CONST:
	case LT_CALL_LOADK:
	case LT_CALL_TASK:
		return check_source(c, s);
	case LT_CALL_ADD:
	case LT_CALL_READ:
	case LT_CALL_READU:
	case LT_CALL_BITS:
	case LT_CALL_SIGN:
	case LT_CALL_HIGH:
	case LT_CALL_KEEP:
	case LT_CALL_LIMIT:
	case LT_CALL_TEST:
		return check_change(c, s);
	case LT_CALL_STORE:
	case LT_CALL_BYTES:
	case LT_CALL_TEXT:
	case LT_CALL_TEXTU:
		return check_value(c, s);
	default:
		return false;
	}
}

static int offset_of(const struct lt_call_step *s)
{
	switch (s->op) {
	case LT_CALL_ARG:
		return s->size ? -1 : lt_call_arg_offset(s->arg);
	case LT_CALL_RESULT:
		return s->size ? -1 : lt_call_result_offset(s->arg);
	default:
		return -1;
	}
}

/*
 * Joins a source and the STORE behind it. The steps that are left begin at @from, from @to on.
 * Return: how many they are.
 */
static unsigned int join(struct lt_call_step *to, const struct lt_call_step *from, unsigned int n,
			 bool *plain)
{
	struct lt_call_step *begin = to;
	unsigned int i;

	for (i = 0; i < n; i++) {
		int offset = offset_of(&from[i]);

		*to = from[i];
		if (offset >= 0 && i + 1 < n && from[i + 1].op == LT_CALL_STORE &&
		    (i + 2 == n || begins_value(&from[i + 2]))) {
			to->op = LT_CALL_PUT;
			to->size = from[++i].size;
			to->offset = offset;
		} else {
			*plain = false;
		}
		to++;
	}
	return to - begin;
}

/* What is kept of a plain function's value. Return: false: it is no register that is kept. */
static bool keep_register(struct lt_call_fn *fn, struct lt_call_pack *pack,
			  const struct lt_call_step *put, bool at_return)
{
	unsigned int i;

	if (at_return) {
		pack->at = offsetof(struct lt_call_data, result);
		return put->offset == lt_call_result_offset(0);
	}
	for (i = 0; i < LT_CALL_MANY_ARGS; i++) {
		if (put->offset != lt_call_arg_offset(i))
			continue;
		pack->at = offsetof(struct lt_call_data, words) + i * sizeof(u64);
		fn->many |= i >= LT_CALL_FEW_ARGS;
		return true;
	}
	return false;
}

/* The values of a short record, where all values can be in one. */
static void find_packs(struct lt_call_fn *fn)
{
	unsigned int i, n = 0;

	fn->packs = false;
	fn->many = false;
	for (i = 0; i < fn->n_entry + fn->n_return; i++) {
		const struct lt_call_step *s = &fn->steps[i];

		if (s->op == LT_CALL_BYTES || s->op == LT_CALL_TEXT || s->op == LT_CALL_TEXTU)
			return;
		if (s->op != LT_CALL_STORE && s->op != LT_CALL_PUT)
			continue;
		if (n == LT_CALL_SHORT_VALUES)
			return;
		fn->pack[n].shift = 64 - 8 * s->size;
		if (fn->plain)
			fn->plain = keep_register(fn, &fn->pack[n], s, i >= fn->n_entry);
		n++;
	}
	fn->packs = true;
	fn->n_pack = n;
	fn->sizes = DIV_ROUND_UP(3 * n, 8);
}

static void join_all(struct lt_call_fn *fn, struct lt_call_step *steps)
{
	unsigned int n_entry = fn->n_entry, n_return = fn->n_return;

	fn->plain = lt_call_arg_offset(0) >= 0;
	fn->n_entry = join(steps, steps, n_entry, &fn->plain);
	fn->n_return = join(steps + fn->n_entry, steps + n_entry, n_return, &fn->plain);
	find_packs(fn);
	fn->plain &= fn->packs && !fn->n_kept && !fn->aside && !(fn->flags & LT_CALL_NO_RETURN);
}

/**
 * lt_call_check() - check the steps of a function
 * @fn: with @n_entry and @n_return; its sizes are filled in
 * @steps: that many, from user space; changed to the form in which they are run
 *
 * The steps have no jumps, so running them ends. After this each stays in its bounds: arguments
 * and words that there are, values within LT_CALL_MAX_BYTES.
 *
 * Return: 0, -EINVAL: a step is none, or at a wrong place; -E2BIG: too many of something.
 */
int lt_call_check(struct lt_call_fn *fn, struct lt_call_step *steps)
{
	struct checker c = { .fn = fn };
	unsigned int i;

	if (fn->n_entry + fn->n_return > LT_CALL_MAX_STEPS)
		return -E2BIG;
	for (i = 0; i < fn->n_entry + fn->n_return; i++) {
		if (i == fn->n_entry) {
			c.at_return = true;
			c.source = false;
			c.limit = false;
			fn->entry_bytes = c.bytes;
			fn->entry_values = c.values;
		}
		if (!check_step(&c, &steps[i]))
			return -EINVAL;
	}
	if (!fn->n_return) {
		fn->entry_bytes = c.bytes;
		fn->entry_values = c.values;
	}
	fn->most_bytes = c.bytes;
	fn->n_kept = fls(c.kept);
	if (fn->entry_bytes + fn->n_kept * sizeof(u64) > LT_CALL_MAX_ENTRY)
		return -E2BIG;
	if (fn->flags & LT_CALL_NO_RETURN && fn->n_return)
		return -EINVAL;
	fn->steps = steps;
	join_all(fn, steps);
	return 0;
}

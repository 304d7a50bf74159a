// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Several passes over the lifetimes of one trace, made as one.
 */
#include "lifetimes/fan.h"

#define EACH(p, fan) \
	(const struct lt_lifetime_pass *p = (fan)->all; p < (fan)->all + (fan)->n; p++)

static void ended(void *arg, const struct lt_lifetime *l)
{
	const struct lt_lifetime_fan *fan = arg;

	for EACH(p, fan) {
		if (p->ops.ended)
			p->ops.ended(p->ops.arg, l);
	}
}

static void born(void *arg, enum lt_space space, const struct lt_obj *obj)
{
	const struct lt_lifetime_fan *fan = arg;

	for EACH(p, fan) {
		if (p->ops.born)
			p->ops.born(p->ops.arg, space, obj);
	}
}

static void gone(void *arg, enum lt_space space, const struct lt_obj *obj, enum lt_ending ending,
		 uint64_t time)
{
	const struct lt_lifetime_fan *fan = arg;

	for EACH(p, fan) {
		if (p->ops.gone)
			p->ops.gone(p->ops.arg, space, obj, ending, time);
	}
}

static void released(void *arg, enum lt_space space, const struct lt_obj *obj,
		     enum lt_ending ending, uint64_t time, bool rcu)
{
	const struct lt_lifetime_fan *fan = arg;

	for EACH(p, fan) {
		if (p->ops.released)
			p->ops.released(p->ops.arg, space, obj, ending, time, rcu);
	}
}

static void halved(void *arg, const struct lt_obj *obj)
{
	const struct lt_lifetime_fan *fan = arg;

	for EACH(p, fan) {
		if (p->ops.halved)
			p->ops.halved(p->ops.arg, obj);
	}
}

static void plain(void *arg, const struct lt_plain_steps *steps)
{
	const struct lt_lifetime_fan *fan = arg;

	for EACH(p, fan)
		p->ops.plain(p->ops.arg, steps);
}

static bool plain_ready(void *arg)
{
	const struct lt_lifetime_fan *fan = arg;

	for EACH(p, fan) {
		if (p->ops.plain_ready && !p->ops.plain_ready(p->ops.arg))
			return false;
	}
	return true;
}

static bool plain_takes(void *arg, const struct lt_traits *traits)
{
	const struct lt_lifetime_fan *fan = arg;

	for EACH(p, fan) {
		if (p->ops.plain_takes && !p->ops.plain_takes(p->ops.arg, traits))
			return false;
	}
	return true;
}

static bool plain_reborn(void *arg, uint32_t traits, uint32_t renewals, uint64_t born)
{
	const struct lt_lifetime_fan *fan = arg;

	for EACH(p, fan) {
		if (!p->ops.plain_reborn(p->ops.arg, traits, renewals, born))
			return false;
	}
	return true;
}

static const struct lt_cache *cache(void *arg, uint32_t id)
{
	const struct lt_lifetime_ops *first = &((const struct lt_lifetime_fan *)arg)->all[0].ops;

	return first->cache(first->arg, id);
}

static void begin(void *arg, struct lt_lifetimes *lf)
{
	const struct lt_lifetime_fan *fan = arg;

	for EACH(p, fan) {
		if (p->begin)
			p->begin(p->ops.arg, lf);
	}
}

static int event(void *arg, const struct lt_event *ev)
{
	const struct lt_lifetime_fan *fan = arg;

	for EACH(p, fan) {
		int ret = p->event ? p->event(p->ops.arg, ev) : 0;

		if (ret)
			return ret;
	}
	return 0;
}

static void plain_events(void *arg, const struct lt_plain_event *evs, size_t n)
{
	const struct lt_lifetime_fan *fan = arg;

	for EACH(p, fan) {
		if (p->plain)
			p->plain(p->ops.arg, evs, n);
	}
}

static void end(void *arg)
{
	const struct lt_lifetime_fan *fan = arg;

	for EACH(p, fan) {
		if (p->end)
			p->end(p->ops.arg);
	}
}

void lt_lifetime_fan_pass(struct lt_lifetime_fan *fan, struct lt_lifetime_pass *pass)
{
	bool steps = true, unsure = true, events = true, unordered = true, bytes = false;
	bool reborn = true;

	for EACH(p, fan) {
		steps &= p->ops.plain != NULL;
		unsure &= p->ops.plain_unsure;
		bytes |= p->ops.plain_bytes;
		reborn &= p->ops.plain_reborn != NULL;
		events &= !p->event || p->plain;
		unordered &= p->ops.unordered;
	}
	*pass = (struct lt_lifetime_pass){
		.ops = {
			.ended = ended, .born = born, .gone = gone, .released = released,
			.halved = halved, .plain = steps ? plain : NULL, .plain_ready = plain_ready,
			.plain_unsure = unsure, .plain_bytes = bytes, .plain_takes = plain_takes,
			.plain_reborn = reborn ? plain_reborn : NULL,
			.cache = fan->all[0].ops.cache ? cache : NULL,
			.unordered = unordered, .arg = fan,
		},
		.begin = begin, .event = event, .plain = events ? plain_events : NULL, .end = end,
	};
}

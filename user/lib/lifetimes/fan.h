/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Several passes over the lifetimes of one trace, made as one: its events are read and paired once.
 */
#ifndef LT_LIFETIMES_FAN_H
#define LT_LIFETIMES_FAN_H

#include "lifetimes/read.h"

#define LT_FAN_MAX	4

/**
 * struct lt_lifetime_fan - passes that are made as one
 * @all: the passes, @n of them, without @stop and @bytes, and without @left, @weighs and @busy of
 *	their callbacks. The descriptions of caches are those of the first one.
 */
struct lt_lifetime_fan {
	struct lt_lifetime_pass all[LT_FAN_MAX];
	size_t n;
};

/* The pass that makes them all; @fan must stay. Steps are taken if each of them takes these. */
void lt_lifetime_fan_pass(struct lt_lifetime_fan *fan, struct lt_lifetime_pass *pass);

#endif /* LT_LIFETIMES_FAN_H */

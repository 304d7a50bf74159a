/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All lifetimes of a trace, for those who need nothing else of it.
 */
#ifndef LT_LIFETIMES_READ_H
#define LT_LIFETIMES_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lifetimes/kmalloc.h"
#include "lifetimes/lifetime.h"
#include "trace/trace.h"

/**
 * lt_lifetimes_read() - pair all events of a trace
 * @t: open, and no event of it was taken
 * @ops: the callbacks
 * Return: 0, or less after reporting the error.
 */
int lt_lifetimes_read(struct lt_trace *t, const struct lt_lifetime_ops *ops);

/* The name of the slab cache of an object, perhaps in @buf. NULL: not known. */
const char *lt_lifetime_cache_name(const struct lt_trace *t, const struct lt_kmalloc *k,
				   const struct lt_lifetime *l, char *buf, size_t size);

#endif /* LT_LIFETIMES_READ_H */

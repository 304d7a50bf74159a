/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace without names and addresses: each name is replaced by a number, and addresses are moved
 * by distances that nobody knows. Equal names stay equal, and addresses keep their distances, so
 * that all sums are the same.
 */
#ifndef LT_STATE_ANONYMOUS_H
#define LT_STATE_ANONYMOUS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

struct lt_anonymous;

/**
 * lt_anonymous_new() - choose the distances
 * @t: of a file
 * Return: NULL after lt_error(): it has system calls or function calls, whose values may be
 * anything.
 */
struct lt_anonymous *lt_anonymous_new(const struct lt_trace *t);
void lt_anonymous_free(struct lt_anonymous *a);

/**
 * lt_anonymous_packet() - replace what a packet has, in place
 * @data: with LT_SLACK behind it
 * Return: 0; -1: it is damaged, or an address cannot be moved; it must not be used.
 */
int lt_anonymous_packet(struct lt_anonymous *a, uint8_t *data, size_t size);

/* What a text, or PART, is replaced by; the caller frees it. */
char *lt_anonymous_text(struct lt_anonymous *a, unsigned int type, const char *text);

#endif /* LT_STATE_ANONYMOUS_H */

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Markers by their texts. */
#ifndef LT_SUMS_MARKER_H
#define LT_SUMS_MARKER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The time, ns, of the first marker with a text in a trace file, of the option "to" that of the
 * last one. Return: false after lt_error(), with the name of the option.
 */
bool lt_marker_time(const char *path, const char *option, const char *text, uint64_t *time);

#endif /* LT_SUMS_MARKER_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sizes, times and counts in text for people.
 */
#ifndef LT_OUT_UNITS_H
#define LT_OUT_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/digits.h"

#define LT_HUMAN	48	/* the maximum of bytes that lt_put_human_*() write */

/* "1.2 MiB"; "1.234 s", "56 ms". All write to buf and return it. */
const char *lt_human_bytes(uint64_t bytes, char *buf, size_t size);
const char *lt_human_ns(uint64_t ns, char *buf, size_t size);
/* "2025-03-01 12:34:56.123456 UTC"; @ns: since 1970. */
const char *lt_human_wall(uint64_t ns, char *buf, size_t size);
/* Digits in groups of three: "12,345,678". */
const char *lt_human_count(uint64_t n, char *buf, size_t size);

/* These write to @p and return the end, as the functions of digits.h; a zero byte may follow. */
char *lt_put_human_bytes(char *p, uint64_t bytes);
char *lt_put_human_ns(char *p, uint64_t ns);

#endif /* LT_OUT_UNITS_H */

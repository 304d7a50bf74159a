/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small pieces of text for people, shared by the commands.
 */
#ifndef LT_LIB_HUMAN_H
#define LT_LIB_HUMAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/digits.h"

#define LT_HUMAN	48	/* bytes that lt_put_human_*() write at the most */

/* "1.2 MiB"; "1.234 s", "56 ms"; all into buf, which is returned. */
const char *lt_human_bytes(uint64_t bytes, char *buf, size_t size);
const char *lt_human_ns(uint64_t ns, char *buf, size_t size);
/* "2025-03-01 12:34:56.123456 UTC" of ns since 1970. */
const char *lt_human_wall(uint64_t ns, char *buf, size_t size);
/* Digits in groups of three: "12,345,678". */
const char *lt_human_count(uint64_t n, char *buf, size_t size);

/* The same at @p, as digits.h does it; a zero may stand behind. */
char *lt_put_human_bytes(char *p, uint64_t bytes);
char *lt_put_human_ns(char *p, uint64_t ns);
char *lt_put_human_count(char *p, uint64_t n);

#endif /* LT_LIB_HUMAN_H */

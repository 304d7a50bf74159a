/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sentence about what the tracer itself did, which answers leave out.
 */
#ifndef LT_PRINT_SELF_H
#define LT_PRINT_SELF_H

#include <stddef.h>
#include <stdint.h>

/*
 * "4,150 objects made by lifetrace itself are left out (--self includes them)". @what: one of them,
 * as "object". Return: @buf.
 */
const char *lt_self_text(uint64_t n, const char *what, char *buf, size_t size);

#endif /* LT_PRINT_SELF_H */

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The time of now.
 */
#ifndef LT_BASE_NOW_H
#define LT_BASE_NOW_H

#include <stdint.h>

/* CLOCK_MONOTONIC, ns */
uint64_t lt_now_ns(void);

#endif /* LT_BASE_NOW_H */

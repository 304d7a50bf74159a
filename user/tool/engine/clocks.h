/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clocks, for engines whose clock is the monotonic one.
 */
#ifndef LT_ENGINE_CLOCKS_H
#define LT_ENGINE_CLOCKS_H

#include "base/str.h"

/* Adds a reading of all clocks, as a line of the text CLOCK. */
void lt_engine_clock_text(struct lt_str *text);

#endif /* LT_ENGINE_CLOCKS_H */

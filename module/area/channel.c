// SPDX-License-Identifier: GPL-2.0
/*
 * The channel area itself, to which the probes of each kind of memory write.
 */
#include "area/area.h"

struct lt_channel lt_channel_area __read_mostly;

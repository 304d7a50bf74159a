/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The channels of a trace.
 */
#ifndef LT_FORMAT_CHANNEL_H
#define LT_FORMAT_CHANNEL_H

#include <stdbool.h>

#include "uapi/lifetrace.h"

/* The name of a channel; NULL: this version does not know it. */
const char *lt_channel_name(unsigned int channel);

/* " of channel pid", for messages, behind the number of a CPU; "" for the first channel. */
const char *lt_of_channel(unsigned int channel);

#endif /* LT_FORMAT_CHANNEL_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * The channels of a trace.
 */
#include <stddef.h>

#include "format/channel.h"

const char *lt_channel_name(unsigned int channel)
{
	static const char *const names[] = {
		[LT_CHANNEL_KMEM] = "kmem", [LT_CHANNEL_PID] = "pid",
	};

	return channel < sizeof(names) / sizeof(names[0]) ? names[channel] : NULL;
}

const char *lt_of_channel(unsigned int channel)
{
	return channel == LT_CHANNEL_PID ? " of channel pid" : "";
}

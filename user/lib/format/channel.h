/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The channels of a trace, one row each: what differs between them outside of their own
 * rooms. A new channel is a row in channel.c; its number, name, classes and events are in
 * uapi/lifetrace_schema.h.
 */
#ifndef LT_FORMAT_CHANNEL_H
#define LT_FORMAT_CHANNEL_H

#include <stdbool.h>

#include "format/event.h"
#include "uapi/lifetrace.h"

/**
 * struct lt_channel - a channel; lt_channel_name() has its name
 * @stats_prefix: of the key that counts its packets in STATS
 * @required: every session has the channel, and messages about a packet do not name it
 * @rare: it has few events and small buffers, which are drained after each read of a
 *	channel that is not rare
 * @announces_task: its packets announce the running task
 * @lifetimes: its events allocate and free objects, and go by address. The space of a loss
 *	follows from the class of the lost events. Its probes are detached one by one,
 *	allocations first, so that the objects that are born meanwhile are missed.
 * @space, @last_space: the spaces of its events, from the one to the other
 */
struct lt_channel {
	const char *stats_prefix;
	bool required;
	bool rare;
	bool announces_task;
	bool lifetimes;
	enum lt_space space;
	enum lt_space last_space;
};

/* The row of a channel; NULL: this version does not know the channel. */
const struct lt_channel *lt_channel_get(unsigned int channel);

/* The channel whose events are about a space; 0: none. */
unsigned int lt_channel_of_space(enum lt_space space);

/* The name of a channel; NULL: this version does not know the channel. */
const char *lt_channel_name(unsigned int channel);
/* The channel of a name; 0: none. */
unsigned int lt_channel_of_name(const char *name);

/* For messages, behind the number of a CPU: " of channel pid"; "" if it is required. */
const char *lt_of_channel(unsigned int channel);

/* The channel whose packets a key of STATS counts ("pid_packets"); 0: none. */
unsigned int lt_channel_of_stats_key(const char *key);

/* The space of the objects that events of a class are about; of a channel with @lifetimes. */
enum lt_space lt_class_space(unsigned int class);

/* Whether events of a class are allocations, of any space. */
bool lt_class_is_birth(unsigned int class);

#endif /* LT_FORMAT_CHANNEL_H */

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The channels of a trace.
 */
#include <stddef.h>
#include <string.h>

#include "format/channel.h"

static const struct lt_channel channels[] = {
	[LT_CHANNEL_KMEM] = {
		.stats_prefix = "", .required = true, .announces_task = true, .lifetimes = true,
		.space = LT_SPACE_SLAB, .last_space = LT_SPACE_PAGE,
	},
	[LT_CHANNEL_PID] = {
		.stats_prefix = "pid_", .rare = true, .space = LT_SPACE_TASK,
		.last_space = LT_SPACE_TASK,
	},
	[LT_CHANNEL_AREA] = {
		.stats_prefix = "area_", .rare = true, .announces_task = true, .lifetimes = true,
		.space = LT_SPACE_PERCPU, .last_space = LT_SPACE_DMA,
	},
	[LT_CHANNEL_SYSCALL] = {
		.stats_prefix = "syscall_", .announces_task = true,
		.space = LT_SPACE_SYSCALL, .last_space = LT_SPACE_SYSCALL,
	},
	[LT_CHANNEL_CALL] = {
		.stats_prefix = "call_", .announces_task = true,
		.space = LT_SPACE_CALL, .last_space = LT_SPACE_CALL,
	},
};

_Static_assert(sizeof(channels) / sizeof(channels[0]) == LT_N_CHANNELS + 1, "a row is missing");

const struct lt_channel *lt_channel_get(unsigned int channel)
{
	return channel && channel <= LT_N_CHANNELS ? &channels[channel] : NULL;
}

unsigned int lt_channel_of_space(enum lt_space space)
{
	for (unsigned int i = 1; i <= LT_N_CHANNELS; i++) {
		const struct lt_channel *channel = lt_channel_get(i);

		if (space >= channel->space && space <= channel->last_space)
			return i;
	}
	return 0;
}

const char *lt_channel_name(unsigned int channel)
{
	static const char *const names[] = {
#define NAME(number, NAME, name) [number] = #name,
		LT_CHANNELS(NAME)
#undef NAME
	};

	return channel <= LT_N_CHANNELS ? names[channel] : NULL;
}

unsigned int lt_channel_of_name(const char *name)
{
	for (unsigned int i = 1; i <= LT_N_CHANNELS; i++) {
		if (!strcmp(lt_channel_name(i), name))
			return i;
	}
	return 0;
}

const char *lt_of_channel(unsigned int channel)
{
	static const char *const texts[] = {
#define TEXT(number, NAME, name) [number] = " of channel " #name,
		LT_CHANNELS(TEXT)
#undef TEXT
	};
	const struct lt_channel *c = lt_channel_get(channel);

	return c && !c->required ? texts[channel] : "";
}

unsigned int lt_channel_of_stats_key(const char *key)
{
	for (unsigned int i = 1; i <= LT_N_CHANNELS; i++) {
		size_t len = strlen(channels[i].stats_prefix);

		if (!strncmp(key, channels[i].stats_prefix, len) && !strcmp(key + len, "packets"))
			return i;
	}
	return 0;
}

enum lt_space lt_class_space(unsigned int class)
{
	switch (class) {
	case LT_CLASS_KMALLOC:
	case LT_CLASS_CACHE_ALLOC:
	case LT_CLASS_KFREE:
	case LT_CLASS_CACHE_FREE:
	case LT_CLASS_BULK_ALLOC:
	case LT_CLASS_BULK_FREE:
	case LT_CLASS_RCU_FREE:
		return LT_SPACE_SLAB;
	case LT_CLASS_PAGE_ALLOC:
	case LT_CLASS_PAGE_FREE:
	case LT_CLASS_PAGE_BATCHED:
	case LT_CLASS_PAGE_BULK:
		return LT_SPACE_PAGE;
	case LT_CLASS_PERCPU_ALLOC:
	case LT_CLASS_PERCPU_FREE:
		return LT_SPACE_PERCPU;
	case LT_CLASS_VMALLOC:
	case LT_CLASS_VFREE:
		return LT_SPACE_VMALLOC;
	case LT_CLASS_DMA_ALLOC:
	case LT_CLASS_DMA_FREE:
		return LT_SPACE_DMA;
	default:
		return LT_SPACE_NONE;
	}
}

bool lt_class_is_birth(unsigned int class)
{
	switch (class) {
	case LT_CLASS_KMALLOC:
	case LT_CLASS_CACHE_ALLOC:
	case LT_CLASS_BULK_ALLOC:
	case LT_CLASS_PAGE_ALLOC:
	case LT_CLASS_PAGE_BULK:
	case LT_CLASS_PERCPU_ALLOC:
	case LT_CLASS_VMALLOC:
	case LT_CLASS_DMA_ALLOC:
		return true;
	default:
		return false;
	}
}

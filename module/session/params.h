/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parameters of the module, and of a session.
 */
#ifndef LT_PARAMS_H
#define LT_PARAMS_H

#include <linux/compiler.h>
#include <linux/moduleparam.h>

#include "core/only.h"
#include "kmem/filter.h"
#include "kmem/stack.h"
#include "syscall/filter.h"
#include "uapi/lifetrace.h"

/**
 * struct lt_channel_params - the buffers of a channel
 * @subbuf_size: bytes of a packet at the most
 * @n_subbufs: packets that a CPU's buffer holds
 */
struct lt_channel_params {
	unsigned int subbuf_size;
	unsigned int n_subbufs;
};

/* Defines the parameters of the module for a channel: @size and @n, with defaults. */
#define LT_CHANNEL_PARAMS(variable, name, size, default_size, n, default_n) \
	static struct lt_channel_params variable = { default_size, default_n }; \
	module_param_named(size, variable.subbuf_size, uint, 0644);	\
	MODULE_PARM_DESC(size, "channel " #name ": bytes of a packet at the most (" \
			 #default_size ")");				\
	module_param_named(n, variable.n_subbufs, uint, 0644);		\
	MODULE_PARM_DESC(n, "channel " #name ": packets that a CPU's buffer holds (" \
			 #default_n ")")

/**
 * struct lt_params - what a session is started with
 * @min_size: allocations of fewer bytes are left out
 * @sample: one address in so many is kept; 0 and 1: all
 * @sample_changes: the owner may change that while the session runs
 * @stacks: which stacks are recorded
 * @births: which births are kept
 * @only: whose births and function calls are kept
 * @calls: which system calls are recorded
 * @flight: buffers that are full are overwritten
 * @freeze: a trigger ends that
 * @flush_ms: period after which a quiet CPU's packet is closed
 * @buffers: of each channel
 * @open: channels that the session records
 */
struct lt_params {
	unsigned int min_size;
	unsigned int sample;
	bool sample_changes;
	struct lt_stack_options stacks;
	struct lt_birth_filter births;
	struct lt_only only;
	struct lt_syscall_filter calls;
	bool flight;
	bool freeze;
	unsigned int flush_ms;
	struct lt_channel_params buffers[LT_N_CHANNELS];
	bool open[LT_N_CHANNELS];
};

extern bool lt_param_enable;

struct seq_file;

int lt_params_select(const char *events);
int lt_params_select_clock(const char *name, bool attended, bool suspends);
int lt_params_take(struct lt_params *p, bool attended, bool suspends);
int lt_params_take_selftest(struct lt_params *p);

__printf(1, 2) void lt_refused(const char *fmt, ...);
void lt_refused_show(struct seq_file *m);

#endif /* LT_PARAMS_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * The channels: a row each. No other file of the session names one.
 */
#include "area/area.h"
#include "call/call.h"
#include "kmem/kmem.h"
#include "pid/pid.h"
#include "selftest/selftest.h"
#include "session/channels.h"
#include "session/params.h"
#include "syscall/syscall.h"

/* The first channel's keys and parameters had no prefix, before there was a second. */
LT_CHANNEL_PARAMS(kmem_params, kmem, subbuf_size, 262144, n_subbufs, 32);
LT_CHANNEL_PARAMS(pid_params, pid, pid_subbuf_size, 65536, pid_n_subbufs, 16);
LT_CHANNEL_PARAMS(area_params, area, area_subbuf_size, 65536, area_n_subbufs, 8);

LT_CHANNEL_PARAMS(syscall_params, syscall, syscall_subbuf_size, 262144, syscall_n_subbufs, 16);

LT_CHANNEL_PARAMS(call_params, call, call_subbuf_size, 262144, call_n_subbufs, 16);

static int kmem_open(const struct lt_params *p)
{
	return lt_kmem_open(p->min_size, p->sample, p->sample_changes, &p->stacks,
			    &p->births);
}

static int pid_open(const struct lt_params *p)
{
	return lt_pidgen_watch();
}

static int call_open(const struct lt_params *p)
{
	return lt_call_open();
}

static int syscall_open(const struct lt_params *p)
{
	return lt_syscall_open(&p->calls);
}

#define CHANNEL(NAME, name_)						\
	.id = LT_CHANNEL_##NAME,					\
	.name = #name_,							\
	.channel = &lt_channel_##name_,					\
	.probes = &lt_##name_##_probes,					\
	.params = &name_##_params

const struct lt_channel_ops lt_channels[LT_N_CHANNELS] = {
	[LT_CHANNEL_KMEM - 1] = {
		CHANNEL(KMEM, kmem),
		.prefix = "",
		.least_subbuf = LT_MIN_SUBBUF_SIZE,
		.selftest = &lt_selftest_kmem,
		.init = lt_kmem_init,
		.exit = lt_kmem_exit,
		.open = kmem_open,
		.close = lt_kmem_close,
		.mark = lt_kmem_mark,
		.resample = lt_kmem_resample,
		.trigger = lt_kmem_trigger,
		.show_info = lt_kmem_show_info,
		.show_stats = lt_kmem_show_stats,
		.show_caches = lt_cache_show,
		.show_code = lt_code_show,
	},
	[LT_CHANNEL_PID - 1] = {
		CHANNEL(PID, pid),
		.prefix = "pid_",
		.least_subbuf = LT_MIN_PID_SUBBUF_SIZE,
		.selftest = &lt_selftest_pid,
		.init = lt_pid_init,
		.exit = lt_pid_exit,
		.add_files = lt_pid_proc_init,
		.remove_files = lt_pid_proc_exit,
		.open = pid_open,
		.started = lt_pid_started,
		.stopping = lt_pid_stopping,
		.close = lt_pid_close,
		.snapshot = lt_snapshot_take,
		.show_info = lt_pid_show_info,
		.show_events = lt_pidgen_show_events,
		.show_stats = lt_pidgen_show_stats,
		.show_snapshot = lt_snapshot_show,
	},
	[LT_CHANNEL_AREA - 1] = {
		CHANNEL(AREA, area),
		.prefix = "area_",
		.least_subbuf = LT_MIN_SUBBUF_SIZE,
	},
	[LT_CHANNEL_SYSCALL - 1] = {
		CHANNEL(SYSCALL, syscall),
		.prefix = "syscall_",
		.own_clock = true,
		.least_subbuf = LT_MIN_SUBBUF_SIZE,
		.open = syscall_open,
		.started = lt_syscall_started,
		.stopping = lt_syscall_stopping,
		.close = lt_syscall_close,
		.show_info = lt_syscall_filter_show,
		.show_stats = lt_syscall_show_stats,
	},
	[LT_CHANNEL_CALL - 1] = {
		CHANNEL(CALL, call),
		.prefix = "call_",
		.own_clock = true,
		.least_subbuf = LT_MIN_SUBBUF_SIZE,
		.exit = lt_call_exit,
		.open = call_open,
		.stopping = lt_call_stopping,
		.close = lt_call_close,
		.show_info = lt_call_show_info,
		.show_stats = lt_call_show_stats,
	},
};

static void exit_first(unsigned int n)
{
	while (n--) {
		if (lt_channels[n].exit)
			lt_channels[n].exit();
		lt_channel_destroy(lt_channels[n].channel);
	}
}

/**
 * lt_channels_init() - prepare all channels, once at load
 *
 * Context: process, sleeps.
 * Return: 0 or an errno, then none is prepared.
 */
int lt_channels_init(void)
{
	unsigned int i;
	int err;

	for_each_channel(i) {
		const struct lt_channel_ops *ops = &lt_channels[i];

		lt_probes_find(ops->probes);
		err = lt_channel_init(ops->channel, ops->id);
		if (err)
			goto undo;
		err = ops->init ? ops->init() : 0;
		if (err) {
			lt_channel_destroy(ops->channel);
			goto undo;
		}
	}
	return 0;

undo:
	exit_first(i);
	return err;
}

/* Context: process, sleeps; there is no session, and no file is open. */
void lt_channels_exit(void)
{
	exit_first(LT_N_CHANNELS);
}

/**
 * lt_channels_add_files() - add the channels' files that are not in debugfs
 *
 * An open file keeps the module: after this it must not fail to load any more.
 *
 * Context: process, sleeps.
 */
void lt_channels_add_files(void)
{
	unsigned int i;

	for_each_channel(i)
		if (lt_channels[i].add_files)
			lt_channels[i].add_files();
}

/* Context: process, sleeps; unloading, so no file is open. */
void lt_channels_remove_files(void)
{
	unsigned int i;

	for_each_channel_backward(i)
		if (lt_channels[i].remove_files)
			lt_channels[i].remove_files();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching the probes of a mode.
 */
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "cost.h"

static const char * const names[N_POINTS] = {
	[POINT_KMALLOC] = "kmalloc",
	[POINT_KFREE] = "kfree",
	[POINT_CACHE_ALLOC] = "kmem_cache_alloc",
	[POINT_CACHE_FREE] = "kmem_cache_free",
	[POINT_BIRTH] = "task_newtask",
	[POINT_EXIT] = "sched_process_exit",
	[POINT_RELEASE] = "sched_process_free",
	[POINT_SYS_ENTER] = "sys_enter",
	[POINT_SYS_EXIT] = "sys_exit",
};

static struct tracepoint *points[N_POINTS];
static void *attached[N_POINTS], *attached_data[N_POINTS];

/* The arguments are in registers, so one probe may ignore those of any tracepoint. */
static void probe_nothing(void *data)
{
}

static void *empty_probe(enum point point, void **data)
{
	return probe_nothing;
}

static const struct mode none = { .name = "none" };
static const struct mode empty = { .name = "empty", .probe = empty_probe };

static const struct mode * const modes[] = {
	&none, &empty, &floor_counter, &floor_mono, &cmpxchg_counter, &cmpxchg_mono,
#ifdef COST_KMEMTRACE
	&kmemtrace_56, &kmemtrace_48_24,
#endif
};

static const struct mode *current_mode = &none;

static void match(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < N_POINTS; i++)
		if (!strcmp(tp->name, names[i]))
			points[i] = tp;
}

static void detach(void)
{
	unsigned int i;

	for (i = 0; i < N_POINTS; i++) {
		if (attached[i])
			tracepoint_probe_unregister(points[i], attached[i], attached_data[i]);
		attached[i] = NULL;
	}
	tracepoint_synchronize_unregister();
	if (current_mode->close)
		current_mode->close();
	current_mode = &none;
}

static int attach(const struct mode *mode, unsigned int first, unsigned int last)
{
	unsigned int i;
	int err;

	for_each_kernel_tracepoint(match, NULL);
	err = mode->open ? mode->open() : 0;
	if (err)
		return err;
	current_mode = mode;
	for (i = first; i <= last && mode->probe; i++) {
		void *probe, *data = NULL;

		probe = mode->probe(i, &data);
		if (!probe)
			continue;
		err = points[i] ? tracepoint_probe_register(points[i], probe, data) : -ENOENT;
		if (err) {
			detach();
			return err;
		}
		attached[i] = probe;
		attached_data[i] = data;
	}
	return 0;
}

/**
 * probes_set() - detach what is attached, and attach the probes of a mode
 * @name: of the mode
 * @group: slab, tasks, both (all), or calls
 *
 * Return: 0, -EINVAL: no such mode or group, or another error; then nothing is
 * attached.
 */
int probes_set(const char *name, const char *group)
{
	unsigned int first = 0, last = POINT_RELEASE, i;

	detach();
	if (!strcmp(group, "slab"))
		last = POINT_BIRTH - 1;
	else if (!strcmp(group, "tasks"))
		first = POINT_BIRTH;
	else if (!strcmp(group, "calls"))
		first = POINT_SYS_ENTER, last = POINT_SYS_EXIT;
	else if (strcmp(group, "all"))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(modes); i++)
		if (!strcmp(name, modes[i]->name))
			return attach(modes[i], first, last);
	return -EINVAL;
}

const char *probes_name(void)
{
	return current_mode->name;
}

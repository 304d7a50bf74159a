// SPDX-License-Identifier: GPL-2.0
/*
 * What the module's files show of the session: key=value lines or words, see
 * Documentation/abi.rst.
 */
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/utsname.h>

#include "core/clock.h"
#include "core/only.h"
#include "session/channels.h"
#include "session/internal.h"
#include "session/params.h"

static const char * const state_names[] = {
	[LT_IDLE] = "idle",
	[LT_RECORDING] = "recording",
	[LT_DRAINING] = "draining",
};

/* Index of the first channel, which every session opens; its keys have no prefix. */
#define FIRST	0

const char *lt_session_state_name(void)
{
	const char *name;

	mutex_lock(&lt_session_lock);
	name = state_names[lt_session.state];
	mutex_unlock(&lt_session_lock);
	return name;
}

static void show_buffers(struct seq_file *m, unsigned int i)
{
	const char *prefix = lt_channels[i].prefix;

	seq_printf(m, "%ssubbuf_size=%u\n", prefix, lt_session.params.buffers[i].subbuf_size);
	seq_printf(m, "%sn_subbufs=%u\n", prefix, lt_session.params.buffers[i].n_subbufs);
}

/*
 * The keys of the first channel stand around those of the session: the order of the lines
 * is part of the interface.
 */
static void show_channels(struct seq_file *m)
{
	unsigned int i;

	show_buffers(m, FIRST);
	seq_printf(m, "channels=%s", lt_channels[FIRST].name);
	for_each_open(i)
		if (i != FIRST)
			seq_printf(m, ",%s", lt_channels[i].name);
	seq_puts(m, "\n");
	for_each_open(i) {
		if (i == FIRST)
			continue;
		show_buffers(m, i);
		if (lt_channels[i].show_info)
			lt_channels[i].show_info(m);
	}
}

/* Without the session's lock. Context: any; the session cannot change. */
void lt_session_show_caches_now(struct seq_file *m)
{
	unsigned int i;

	for_each_open(i)
		if (lt_channels[i].show_caches)
			lt_channels[i].show_caches(m);
}

/* Empty but in mode flight: records of the stream say it then. */
void lt_session_show_caches(struct seq_file *m)
{
	mutex_lock(&lt_session_lock);
	lt_session_show_caches_now(m);
	mutex_unlock(&lt_session_lock);
}

/* Code of modules that came or went since the session began. */
void lt_session_show_code(struct seq_file *m)
{
	unsigned int i;

	mutex_lock(&lt_session_lock);
	for_each_open(i)
		if (lt_channels[i].show_code)
			lt_channels[i].show_code(m);
	mutex_unlock(&lt_session_lock);
}

static const char *mode_name(void)
{
	return lt_session.params.flight ? "flight" : "stream";
}

/* The file "mode": that of the running or the last session. */
void lt_session_show_mode(struct seq_file *m)
{
	mutex_lock(&lt_session_lock);
	seq_printf(m, "%s\n", mode_name());
	mutex_unlock(&lt_session_lock);
}

void lt_session_show_info(struct seq_file *m)
{
	mutex_lock(&lt_session_lock);
	seq_printf(m, "abi_version=%u.%u\n", LT_VERSION_MAJOR, LT_VERSION_MINOR);
	seq_printf(m, "kernel_release=%s\n", init_utsname()->release);
	seq_printf(m, "kernel_version=%s\n", init_utsname()->version);
	seq_printf(m, "machine=%s\n", init_utsname()->machine);
#ifdef __BIG_ENDIAN
	seq_puts(m, "byte_order=big\n");
#else
	seq_puts(m, "byte_order=little\n");
#endif
	seq_printf(m, "size_long=%zu\n", sizeof(long));
	seq_printf(m, "size_ptr=%zu\n", sizeof(void *));
	seq_printf(m, "page_shift=%u\n", PAGE_SHIFT);
	/* A task is a slab object, so it is in the kernel's map of physical memory. */
	seq_printf(m, "linear_base=0x%lx\n",
		   (unsigned long)current - (unsigned long)virt_to_phys(current));
	seq_printf(m, "clock=%s\n", lt_clock_name());
	seq_printf(m, "clock_freq=%llu\n", lt_clock_freq());
	seq_printf(m, "text_base=0x%lx\n", lt_text_base());
	seq_printf(m, "ptr_base=0x%llx\n", lt_ptr_base());
	show_channels(m);
	seq_printf(m, "mode=%s\n", mode_name());
	if (lt_session.params.flight)
		seq_printf(m, "freeze=%d\n", lt_session.params.freeze);
	if (lt_session.params.flight && lt_session.panic_room)
		seq_printf(m, "panic_mem=%zu\n", lt_session.panic_room);
	seq_printf(m, "min_size=%u\n", lt_session.params.min_size);
	seq_printf(m, "sample=%u\n", lt_session.params.sample);
	if (lt_session.params.sample_changes)
		seq_puts(m, "sample_changes=1\n");
	seq_printf(m, "flush_ms=%u\n", lt_session.params.flush_ms);
	seq_printf(m, "session=%llu\n", lt_channels[FIRST].channel->session);
	lt_channels[FIRST].show_info(m);
	lt_only_show_info(m);
	mutex_unlock(&lt_session_lock);
}

void lt_session_show_clock(struct seq_file *m)
{
	struct lt_clock_reading r;
	bool kept;

	mutex_lock(&lt_session_lock);
	lt_clock_read(&r);
	kept = lt_clock_used == LT_CLOCK_KEPT;
	mutex_unlock(&lt_session_lock);
	seq_printf(m, "clock=%llu realtime=%llu boottime=%llu monotonic=%llu raw=%llu took=%llu kept=%d\n",
		   r.clock, r.real, r.boot, r.mono, r.raw, r.took, kept);
}

void lt_session_show_events(struct seq_file *m)
{
	unsigned int i;

	mutex_lock(&lt_session_lock);
	/* In the order of attaching: see attach_probes(). */
	for_each_channel_backward(i)
		lt_probes_show(m, lt_channels[i].probes);
	for_each_channel(i)
		if (lt_channels[i].show_events)
			lt_channels[i].show_events(m, lt_session.params.open[i]);
	mutex_unlock(&lt_session_lock);
}

/*
 * The state of the latest snapshot. Without the session's lock: a session that stops
 * holds it while it waits for the snapshot to end.
 */
void lt_session_show_snapshot(struct seq_file *m)
{
	unsigned int i;

	for_each_channel(i)
		if (lt_channels[i].show_snapshot)
			lt_channels[i].show_snapshot(m);
}

/* @in_panic: the open packet counts, which is saved, too. */
static void show_cpu(struct seq_file *m, const struct lt_channel_ops *ops, unsigned int cpu,
		     bool in_panic)
{
	static const char * const names[LT_MAX_CLASSES] = {
#define CLASS_NAME(num, NAME, name, text)	[num] = #name,
		LT_CLASSES(CLASS_NAME)
	};
	struct lt_class_counts counts[LT_N_CLASSES];
	struct lt_channel *ch = ops->channel;
	unsigned int i;

	lt_channel_counts(ch, cpu, counts);
	for (i = 0; i < LT_N_CLASSES; i++) {
		const struct lt_class_counts *n = &counts[i];

		if (!n->seen)
			continue;
		seq_printf(m, "cpu %u class %s seen %llu lost_full %llu lost_nmi %llu lost_nested %llu lost_nobuf %llu filtered %llu\n",
			   cpu, names[LT_CLASS(ch->id, i)], n->seen, n->lost_full,
			   n->lost_nmi, n->lost_nested, n->lost_nobuf, n->filtered);
	}
	seq_printf(m, "cpu %u %spackets %zu\n", cpu, ops->prefix, in_panic ?
		   lt_packets_saved(ch, cpu) : READ_ONCE(per_cpu_ptr(ch->cpu, cpu)->ready));
}

static void show_cpus(struct seq_file *m, bool in_panic)
{
	unsigned int i, cpu;

	for_each_channel(i)
		for_each_possible_cpu(cpu)
			if (i == FIRST || lt_session.params.open[i])
				show_cpu(m, &lt_channels[i], cpu, in_panic);
}

/*
 * What "stats" would show if the session were stopped now, but for what a lock would be needed
 * for. Context: a panic; the session cannot change any more.
 */
void lt_session_show_last_stats(struct seq_file *m)
{
	seq_printf(m, "state %s\nstopped %llu\n", state_names[LT_DRAINING], lt_clock());
	show_cpus(m, true);
}

static void show_waiting(struct seq_file *m, const struct lt_channel_ops *ops)
{
	size_t n = lt_n_waiting(ops->channel);

	if (n)
		seq_printf(m, "%swaiting %zu\n", ops->prefix, n);
}

/* The file "stats": counters of the running or the last session. */
void lt_session_show_stats(struct seq_file *m)
{
	unsigned int i;

	mutex_lock(&lt_session_lock);
	seq_printf(m, "state %s\n", state_names[lt_session.state]);
	lt_refused_show(m);
	if (lt_session.params.flight)
		seq_printf(m, "frozen %d\n", READ_ONCE(lt_channels_frozen));
	if (lt_session.state != LT_RECORDING)
		seq_printf(m, "stopped %llu\n", lt_session.stopped);
	if (lt_session.left_why)
		seq_printf(m, "left_counter %llu %s\n", lt_session.left_counter,
			   lt_session.left_why);
	show_cpus(m, false);
	for_each_channel_backward(i)
		lt_probes_show_missed(m, lt_channels[i].probes);
	for_each_channel(i)
		if ((i == FIRST || lt_session.params.open[i]) && lt_channels[i].show_stats)
			lt_channels[i].show_stats(m);
	for_each_channel(i)
		show_waiting(m, &lt_channels[i]);
	mutex_unlock(&lt_session_lock);
}

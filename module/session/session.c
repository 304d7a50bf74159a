// SPDX-License-Identifier: GPL-2.0
/*
 * The session's state machine.
 *
 * Start: parameters → buffers → probes → periodic flush.
 * Stop: periodic flush → probes, and wait for those that run → last packets.
 * End: buffers.
 *
 * Everything here runs in process context under lt_session_lock. What a probe
 * uses is set up before the first probe is attached and taken down after the
 * last one is gone, so probes need no lock and no flag. Packet files do not
 * take the lock either: removing them waits for their readers.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/seq_file.h>
#include <linux/utsname.h>
#include <linux/workqueue.h>

#include "kmem/kmem.h"
#include "pid/pidgen.h"
#include "core/probe.h"
#include "selftest/selftest.h"
#include "session/session.h"
#include "pid/task.h"

#define DEFAULT_SUBBUF_SIZE	(256 << 10)
#define DEFAULT_N_SUBBUFS	32
#define DEFAULT_FLUSH_MS	200
#define DEFAULT_PID_SUBBUF_SIZE	(64 << 10)
#define DEFAULT_PID_N_SUBBUFS	16

/* The self-test's buffers: what other CPUs do in some ms must fit. */
#define SELFTEST_SUBBUF_SIZE	(64 << 10)
#define SELFTEST_N_SUBBUFS	8

char lt_param_events[256] = "slab,tasks";
char lt_param_clock[16] = "mono";
unsigned int lt_param_subbuf_size = DEFAULT_SUBBUF_SIZE;
unsigned int lt_param_n_subbufs = DEFAULT_N_SUBBUFS;
unsigned int lt_param_pid_subbuf_size = DEFAULT_PID_SUBBUF_SIZE;
unsigned int lt_param_pid_n_subbufs = DEFAULT_PID_N_SUBBUFS;
unsigned int lt_param_min_size;
unsigned int lt_param_sample = 1;
unsigned int lt_param_flush_ms = DEFAULT_FLUSH_MS;

static DEFINE_MUTEX(lt_session_lock);

/* All under lt_session_lock. */
static enum lt_state state;
static bool owned;
static struct dentry *kmem_dir, *pid_dir;
/* What the running, or last, session was started with. */
static u64 stopped;	/* time in clock units; until then all probes were attached */
static unsigned int subbuf_size, n_subbufs, pid_subbuf_size, pid_n_subbufs;
static unsigned int min_size, sample, flush_ms;
static bool with_tasks;	/* the channel pid is open */

static const char * const state_names[] = {
	[LT_IDLE] = "idle",
	[LT_RECORDING] = "recording",
	[LT_DRAINING] = "draining",
};

static void flush_periodically(struct work_struct *work);
static DECLARE_DELAYED_WORK(periodic_flush, flush_periodically);

/*
 * A quiet CPU's packet would stay open for ever. Only channels are touched
 * here: lt_session_lock is held while this is waited for.
 */
static void flush_periodically(struct work_struct *work)
{
	lt_channel_flush(&lt_kmem, true);
	if (with_tasks)
		lt_channel_flush(&lt_pid, true);
	schedule_delayed_work(&periodic_flush, msecs_to_jiffies(flush_ms));
}

/*
 * Relay takes page after page, and the kernel would rather kill every process
 * than refuse one. So what cannot be had is not asked for.
 */
static int check_memory(void)
{
	u64 pid = with_tasks ? (u64)pid_subbuf_size * pid_n_subbufs : 0;
	u64 sites = (u64)LT_SITES * sizeof(struct lt_site) * num_possible_cpus();
	u64 want = ((u64)subbuf_size * n_subbufs + pid) * num_online_cpus() + sites;
	u64 free = (u64)max(si_mem_available(), 0L) << PAGE_SHIFT;

	if (want <= free / 2)
		return 0;
	pr_err("lifetrace: %u sub-buffers of %u bytes, and %u of %u, on %u CPUs are %llu MiB: more than half of the %llu MiB that are free\n",
	       n_subbufs, subbuf_size, pid_n_subbufs, pid_subbuf_size, num_online_cpus(),
	       want >> 20, free >> 20);
	return -ENOMEM;
}

static int check_size(const char *what, unsigned int size, unsigned int n, unsigned int least)
{
	if (size >= least && n >= 2 && size <= INT_MAX / n)
		return 0;
	pr_err("lifetrace: %s: %u sub-buffers of %u bytes are not possible: at least 2 of %u, less than 2 GiB in all\n",
	       what, n, size, least);
	return -EINVAL;
}

/* Take over the parameters. Return: 0 or -EINVAL, -ENODEV, said in the log. */
static int take_parameters(void)
{
	int err;

	kernel_param_lock(THIS_MODULE);
	err = lt_probes_select(lt_param_events);
	if (!err) {
		err = lt_clock_select(strim(lt_param_clock));
		if (err == -ENODEV)
			pr_err("lifetrace: clock: this machine has no counter that all CPUs agree on\n");
		else if (err)
			pr_err("lifetrace: clock: '%s' is not one of mono, raw, boot, counter\n",
			       lt_param_clock);
	}
	subbuf_size = lt_param_subbuf_size;
	n_subbufs = lt_param_n_subbufs;
	pid_subbuf_size = lt_param_pid_subbuf_size;
	pid_n_subbufs = lt_param_pid_n_subbufs;
	with_tasks = lt_probes_want(LT_GROUP_TASKS);
	min_size = lt_param_min_size;
	sample = lt_param_sample;
	flush_ms = lt_param_flush_ms;
	kernel_param_unlock(THIS_MODULE);
	if (err)
		return err;
	if (flush_ms < 1 || flush_ms > 60000) {
		pr_err("lifetrace: flush_ms: %u is not in 1..60000\n", flush_ms);
		return -EINVAL;
	}
	return check_size("kmem", subbuf_size, n_subbufs, LT_MIN_SUBBUF_SIZE) ?:
	       check_size("pid", pid_subbuf_size, pid_n_subbufs, LT_MIN_PID_SUBBUF_SIZE) ?:
	       check_memory();
}

/*
 * The self-test is about the probes: all that are on by default, small buffers,
 * no filter. It does not depend on what the parameters say, which may change
 * afterwards.
 */
static int take_selftest_parameters(void)
{
	subbuf_size = SELFTEST_SUBBUF_SIZE;
	n_subbufs = SELFTEST_N_SUBBUFS;
	pid_subbuf_size = SELFTEST_SUBBUF_SIZE;
	pid_n_subbufs = SELFTEST_N_SUBBUFS;
	with_tasks = true;
	min_size = 0;
	sample = 1;
	flush_ms = DEFAULT_FLUSH_MS;
	return lt_probes_select("slab,tasks") ?: lt_clock_select("mono");
}

static u64 new_session_number(void)
{
	u64 n;

	do {
		n = get_random_u64();
	} while (!n);
	return n;
}

static void stop(void)
{
	if (state != LT_RECORDING)
		return;
	stopped = lt_clock();
	cancel_delayed_work_sync(&periodic_flush);
	if (with_tasks) {
		lt_snapshot_end_session();
		lt_pidgen_pause();
	}
	lt_probes_detach();
	if (with_tasks) {
		lt_numbers_forget();
		lt_pidgen_unwatch();
		lt_channel_finish(&lt_pid);
	}
	lt_channel_finish(&lt_kmem);
	state = LT_DRAINING;
}

static void end(void)
{
	stop();
	lt_channel_close(&lt_pid);
	lt_channel_close(&lt_kmem);
	state = LT_IDLE;
}

/* Both channels are of one session, and have its number. */
static int open_channels(bool selftest)
{
	u64 session = new_session_number();
	int err;

	err = lt_channel_open(&lt_kmem, selftest ? NULL : kmem_dir, subbuf_size, n_subbufs,
			      session);
	if (err || !with_tasks)
		return err;
	err = lt_channel_open(&lt_pid, pid_dir, pid_subbuf_size, pid_n_subbufs, session);
	if (!err) {
		err = lt_pidgen_watch();
		if (err)
			lt_channel_close(&lt_pid);
	}
	if (err)
		lt_channel_close(&lt_kmem);
	return err;
}

static int start(bool selftest)
{
	int err;

	if (state != LT_IDLE)
		return -EBUSY;
	err = selftest ? take_selftest_parameters() : take_parameters();
	if (err)
		return err;
	lt_min_size = min_size;
	lt_set_sample(sample);
	lt_cache_reset();
	err = open_channels(selftest);
	if (err)
		return err;
	state = LT_RECORDING;
	if (!lt_probes_attach()) {
		pr_err("lifetrace: nothing can be watched on this kernel\n");
		end();
		return -ENODEV;
	}
	if (with_tasks)
		lt_pidgen_record();
	if (with_tasks && !selftest)
		lt_snapshot_begin_session();
	schedule_delayed_work(&periodic_flush, msecs_to_jiffies(flush_ms));
	return 0;
}

/**
 * lt_session_own() - become the owner
 *
 * Of the session to come, or of one that runs without owner.
 *
 * Return: 0, -EBUSY: somebody else is.
 */
int lt_session_own(void)
{
	int err = 0;

	mutex_lock(&lt_session_lock);
	if (owned)
		err = -EBUSY;
	else
		owned = true;
	mutex_unlock(&lt_session_lock);
	return err;
}

/* The owner has gone, dead or alive: the session ends, unread data is dropped. */
void lt_session_disown(void)
{
	mutex_lock(&lt_session_lock);
	end();
	owned = false;
	mutex_unlock(&lt_session_lock);
}

/**
 * lt_session_start() - begin to record
 * Return: 0, -EBUSY: a session is under way, -EINVAL: parameters, -ENOMEM,
 * -ENODEV.
 */
int lt_session_start(void)
{
	int err;

	mutex_lock(&lt_session_lock);
	err = start(false);
	mutex_unlock(&lt_session_lock);
	return err;
}

/* Stop recording; what the buffers hold can still be read. */
void lt_session_stop(void)
{
	mutex_lock(&lt_session_lock);
	stop();
	mutex_unlock(&lt_session_lock);
}

/* As above if it goes by the CPU's counter. Return: it did. */
bool lt_session_stop_counting(void)
{
	bool counts;

	mutex_lock(&lt_session_lock);
	counts = state == LT_RECORDING && lt_clock_id == LT_CLOCK_COUNTER;
	if (counts)
		stop();
	mutex_unlock(&lt_session_lock);
	return counts;
}

/**
 * lt_session_flush() - make all that happened until now readable
 * @until: time in clock units; no event before it is still to come
 *
 * The time is taken first: an event with an earlier time was written, or is
 * being written with interrupts off, when its CPU is asked to close its packet.
 *
 * Return: 0, -ENODATA: no session.
 */
int lt_session_flush(u64 *until)
{
	int err = 0;

	mutex_lock(&lt_session_lock);
	if (state == LT_IDLE) {
		err = -ENODATA;
	} else {
		*until = lt_clock();
		if (state == LT_RECORDING)
			lt_channel_flush(&lt_kmem, false);
		if (state == LT_RECORDING && with_tasks)
			lt_channel_flush(&lt_pid, false);
	}
	mutex_unlock(&lt_session_lock);
	return err;
}

/**
 * lt_session_snapshot() - begin a snapshot of all tasks
 * @why: enum lt_snapshot_purpose
 *
 * Return: 0, -ENODATA: tasks are not being recorded, -EBUSY: one is under way.
 */
int lt_session_snapshot(unsigned int why)
{
	int err = -ENODATA;

	mutex_lock(&lt_session_lock);
	if (state == LT_RECORDING && with_tasks)
		err = lt_snapshot_take(why);
	mutex_unlock(&lt_session_lock);
	return err;
}

/**
 * lt_session_mark() - write a marker into the stream of the current CPU
 * @text: bytes of the line
 * @len: not more than the marker's field holds
 *
 * Return: 0, -ENODATA: not recording, -ENOSPC: the buffer is full.
 */
int lt_session_mark(const char *text, size_t len)
{
	struct lt_rec_MARKER *rec = NULL;
	struct lt_channel_cpu *c;
	unsigned long flags;
	int err = -ENODATA;

	mutex_lock(&lt_session_lock);
	if (state != LT_RECORDING)
		goto out;
	err = -ENOSPC;
	c = lt_enter(&lt_kmem, LT_CLASS_MARKER, &flags);
	if (!c)
		goto out;
	rec = lt_reserve(&lt_kmem, c, LT_CLASS_MARKER, LT_EV_MARKER, sizeof(*rec));
	if (rec) {
		memset(rec->text, 0, sizeof(rec->text));
		memcpy(rec->text, text, len);
		err = 0;
	}
	lt_leave(c, LT_CLASS_MARKER, flags);
out:
	mutex_unlock(&lt_session_lock);
	return err;
}

const char *lt_session_state_name(void)
{
	const char *name;

	mutex_lock(&lt_session_lock);
	name = state_names[state];
	mutex_unlock(&lt_session_lock);
	return name;
}

/* ------------------------------------------------------------------------
 * Telling. All print key=value lines or words, see Documentation/abi.rst.
 */

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
	seq_printf(m, "clock=%s\n", lt_clock_name());
	seq_printf(m, "clock_freq=%llu\n", lt_clock_freq());
	seq_printf(m, "text_base=0x%lx\n", lt_text_base());
	seq_printf(m, "ptr_base=0x%llx\n", lt_ptr_base());
	seq_printf(m, "subbuf_size=%u\n", subbuf_size);
	seq_printf(m, "n_subbufs=%u\n", n_subbufs);
	seq_printf(m, "channels=kmem%s\n", with_tasks ? ",pid" : "");
	if (with_tasks) {
		seq_printf(m, "pid_subbuf_size=%u\n", pid_subbuf_size);
		seq_printf(m, "pid_n_subbufs=%u\n", pid_n_subbufs);
		seq_printf(m, "pid_gen_exact=%d\n", lt_pid_exact);
	}
	seq_puts(m, "mode=stream\n");
	seq_printf(m, "min_size=%u\n", min_size);
	seq_printf(m, "sample=%u\n", sample);
	seq_printf(m, "flush_ms=%u\n", flush_ms);
	seq_printf(m, "session=%llu\n", lt_kmem.session);
	seq_printf(m, "late_free=%d\n", LT_LATE_FREE);
	seq_printf(m, "cache_names=%d\n", lt_cache_proven());
	mutex_unlock(&lt_session_lock);
}

void lt_session_show_clock(struct seq_file *m)
{
	struct lt_clock_reading r;

	mutex_lock(&lt_session_lock);
	lt_clock_read(&r);
	mutex_unlock(&lt_session_lock);
	seq_printf(m, "clock=%llu realtime=%llu boottime=%llu monotonic=%llu raw=%llu\n",
		   r.clock, r.real, r.boot, r.mono, r.raw);
}

void lt_session_show_events(struct seq_file *m)
{
	mutex_lock(&lt_session_lock);
	lt_probes_show(m);
	lt_pidgen_show_events(m, with_tasks);
	mutex_unlock(&lt_session_lock);
}

static void show_cpu(struct seq_file *m, struct lt_channel *ch, unsigned int cpu)
{
	static const char * const names[LT_MAX_CLASSES] = {
#define CLASS_NAME(num, NAME, name, text)	[num] = #name,
		LT_CLASSES(CLASS_NAME)
	};
	struct lt_class_counts counts[LT_N_CLASSES];
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
	seq_printf(m, "cpu %u %s %zu\n", cpu,
		   ch->id == LT_CHANNEL_PID ? "pid_packets" : "packets",
		   READ_ONCE(per_cpu_ptr(ch->cpu, cpu)->ready));
}

/* Counters of the running or the last session. */
void lt_session_show_stats(struct seq_file *m)
{
	unsigned int i, cpu;

	mutex_lock(&lt_session_lock);
	seq_printf(m, "state %s\n", state_names[state]);
	if (state != LT_RECORDING)
		seq_printf(m, "stopped %llu\n", stopped);
	for_each_possible_cpu(cpu)
		show_cpu(m, &lt_kmem, cpu);
	for_each_possible_cpu(cpu)
		if (with_tasks)
			show_cpu(m, &lt_pid, cpu);
	for (i = 0; i < LT_N_PROBES; i++)
		if (lt_probe(i)->kind != LT_TRACEPOINT)
			seq_printf(m, "missed %s %lu\n", lt_probe(i)->name,
				   lt_probe_missed(lt_probe(i)));
	seq_printf(m, "cache_overflow %llu\n", lt_cache_overflow());
	if (with_tasks)
		lt_pidgen_show_stats(m);
	mutex_unlock(&lt_session_lock);
}

/* ------------------------------------------------------------------------
 * Life
 */

int lt_session_init(void)
{
	int err;

	lt_probes_find();
	err = lt_channel_init(&lt_kmem, LT_CHANNEL_KMEM);
	if (err)
		return err;
	err = lt_task_init();
	if (err)
		goto kmem;
	err = lt_snapshot_init();
	if (err)
		goto task;
	return 0;

task:
	lt_task_exit();
kmem:
	lt_channel_destroy(&lt_kmem);
	return err;
}

/* Where the packet files of sessions go. */
void lt_session_set_dirs(struct dentry *kmem, struct dentry *pid)
{
	kmem_dir = kmem;
	pid_dir = pid;
}

/* Ends a session that has no owner; no file of ours is open any more. */
void lt_session_exit(void)
{
	mutex_lock(&lt_session_lock);
	end();
	mutex_unlock(&lt_session_lock);
	lt_snapshot_exit();
	lt_task_exit();
	lt_channel_destroy(&lt_kmem);
}

/**
 * lt_session_selftest() - record known objects and check their records
 *
 * Return: 0, -EPROTO: a field is wrong (said in the log), or as
 * lt_session_start().
 */
int lt_session_selftest(void)
{
	int err;

	mutex_lock(&lt_session_lock);
	err = start(true);
	if (!err) {
		err = lt_selftest_act() ?: lt_selftest_task_act();
		stop();
		if (!err)
			err = lt_selftest_check(&lt_kmem);
		if (!err)
			err = lt_selftest_task_check(&lt_pid);
		lt_selftest_end();
		end();
	}
	mutex_unlock(&lt_session_lock);
	return err;
}

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
 *
 * Channels are started forward and stopped backward, in the order of lt_channels[].
 */
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/security.h>
#include <linux/workqueue.h>

#include "core/clock.h"
#include "core/only.h"
#include "core/trigger.h"
#include "selftest/selftest.h"
#include "session/channels.h"
#include "session/internal.h"

DEFINE_MUTEX(lt_session_lock);	/* lt_session, owned, dirs */
struct lt_session lt_session;

/* All under lt_session_lock. */
static bool owned;
static struct dentry *dirs[LT_N_CHANNELS];	/* of the packet files */

static void flush_periodically(struct work_struct *work);
static DECLARE_DELAYED_WORK(periodic_flush, flush_periodically);
static void distrust_counter(struct work_struct *work);
static DECLARE_WORK(distrust, distrust_counter);

/*
 * Without it the packet of a quiet CPU would stay open for ever. Does not take
 * lt_session_lock, under which stop() waits for it: so it uses only the channels, and
 * what does not change while it may run.
 */
static void flush_periodically(struct work_struct *work)
{
	unsigned int i;

	/* In mode flight a packet of each period would fill a quiet CPU's buffer with seconds. */
	if (!lt_session.params.flight)
		for_each_open(i)
			lt_channel_flush(lt_channels[i].channel, true);
	if (READ_ONCE(lt_clock_used) == LT_CLOCK_COUNTER && !lt_counter_usable())
		schedule_work(&distrust);
	schedule_delayed_work(&periodic_flush, msecs_to_jiffies(lt_session.params.flush_ms));
}

static u64 new_session_number(void)
{
	u64 n;

	do {
		n = get_random_u64();
	} while (!n);
	return n;
}

/* ------------------------------------------------------------------------
 * Start, stop, end
 */

static void close_channel(unsigned int i)
{
	const struct lt_channel_ops *ops = &lt_channels[i];

	if (ops->close)
		ops->close();
	lt_channel_close(ops->channel);
}

static int open_channel(unsigned int i, struct dentry *dir, u64 session)
{
	const struct lt_channel_ops *ops = &lt_channels[i];
	const struct lt_channel_params *b = &lt_session.params.buffers[i];
	int err;

	ops->channel->overwrite = lt_session.params.flight;
	err = lt_channel_open(ops->channel, dir, b->subbuf_size, b->n_subbufs, session);
	if (err || !ops->open)
		return err;
	/* With buffers: probes that @open attaches may write once the session records. */
	err = ops->open(&lt_session.params);
	if (err)
		lt_channel_close(ops->channel);
	return err;
}

/* All channels are of one session, and have its number. Return: all are open, or none. */
static int open_channels(bool selftest)
{
	u64 session = new_session_number();
	unsigned int i;
	int err = lt_only_open(&lt_session.params.only);

	if (err)
		return err;
	for_each_open(i) {
		err = open_channel(i, selftest ? NULL : dirs[i], session);
		if (err)
			goto undo;
	}
	return 0;

undo:
	while (i--)
		if (lt_session.params.open[i])
			close_channel(i);
	lt_only_close();
	return err;
}

/*
 * From the last channel to the first: the probes of the allocators, which fill the
 * buffers, come last. The lines of the file "events" have this order. Within a channel
 * the order is that of its table.
 *
 * Return: how many are attached.
 */
static unsigned int attach_probes(void)
{
	unsigned int i, n = 0;

	/* Also of channels that are not open, to forget the last session's errors. */
	for_each_channel_backward(i)
		n += lt_probes_attach(lt_channels[i].probes);
	return n;
}

/*
 * The inverse of attach_probes(). After it no probe of the tables runs. Those that a
 * channel's @open attached run until its @close, and do not write after its @stopping.
 */
static void detach_probes(void)
{
	unsigned int i;

	for_each_channel(i)
		lt_probes_detach(lt_channels[i].probes);
	lt_probes_wait();
}

static void stop(void)
{
	unsigned int i;

	if (lt_session.state != LT_RECORDING)
		return;
	/* Before any probe is detached: all events until this time were seen. */
	lt_session.stopped = lt_clock();
	/* The reader gets it all from here on; and a panic must find no buffer that is freed. */
	WRITE_ONCE(lt_session.armed, false);
	smp_mb();	/* before anything is freed, as a panic on another CPU sees it */
	/* It uses the buffers, which end() frees, and queues itself again. */
	cancel_delayed_work_sync(&periodic_flush);
	/* Probes are still attached: the last snapshot relies on births that they write. */
	for_each_open_backward(i)
		if (lt_channels[i].stopping)
			lt_channels[i].stopping();
	detach_probes();
	/* Only now: until here events would have overwritten what a trigger has kept. */
	lt_triggers_freeze(false);
	for_each_open_backward(i) {
		/*
		 * No probe of the tables runs any more, so what these look up can be
		 * freed. The last packets are closed when nothing writes to the channel.
		 */
		if (lt_channels[i].close)
			lt_channels[i].close();
		lt_channel_finish(lt_channels[i].channel);
	}
	lt_only_close();
	lt_session.state = LT_DRAINING;
}

static void end(void)
{
	unsigned int i;

	stop();
	/* lt_channel_close() does nothing for a channel that is not open. */
	for_each_channel_backward(i)
		lt_channel_close(lt_channels[i].channel);
	lt_session.state = LT_IDLE;
}

static int start(bool selftest)
{
	unsigned int i;
	int err;

	if (lt_session.state != LT_IDLE)
		return -EBUSY;
	err = selftest ? lt_params_take_selftest(&lt_session.params) :
			 lt_params_take(&lt_session.params, owned, lt_session.suspends);
	if (err)
		return err;
	lt_session.left_why = NULL;
	/* Probes use the buffers without a check, so these are there first. */
	err = open_channels(selftest);
	if (err)
		return err;
	/* From here on end() undoes everything. */
	lt_session.state = LT_RECORDING;
	if (!attach_probes()) {
		lt_refused("nothing can be watched on this kernel");
		end();
		return -ENODEV;
	}
	/* All probes are attached: a task that the snapshot misses has its birth written. */
	for_each_open(i)
		if (lt_channels[i].started)
			lt_channels[i].started(selftest);
	lt_triggers_freeze(lt_session.params.freeze);
	schedule_delayed_work(&periodic_flush, msecs_to_jiffies(lt_session.params.flush_ms));
	return 0;
}

/**
 * lt_session_own() - become the owner
 *
 * Of the session to come, or of one that runs without owner.
 *
 * Return: 0, -EBUSY: there is another owner.
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

/**
 * lt_session_disown() - the owner has closed the control file, or died
 *
 * The session ends; packets that were not read are dropped.
 */
void lt_session_disown(void)
{
	mutex_lock(&lt_session_lock);
	end();
	owned = false;
	mutex_unlock(&lt_session_lock);
}

/**
 * lt_session_start() - begin to record
 * Return: 0, -EBUSY: a session is under way, or the machine about to be suspended and the clock
 * its counter, -EAGAIN: the counter, while the kernel starts, -EINVAL: parameters, -ENOMEM,
 * -ENODEV, -EPERM: lockdown closes tracefs, so what is recorded could not be read.
 */
int lt_session_start(void)
{
	int err;

	mutex_lock(&lt_session_lock);
	err = security_locked_down(LOCKDOWN_TRACEFS) ?: start(false);
	mutex_unlock(&lt_session_lock);
	return err;
}

/**
 * lt_session_stop() - stop recording
 *
 * Packets in the buffers can still be read. Does nothing if no session records.
 */
void lt_session_stop(void)
{
	mutex_lock(&lt_session_lock);
	stop();
	mutex_unlock(&lt_session_lock);
}

/*
 * Let a session go on without the CPU's counter. @why is a word, for the file "stats" and the log.
 *
 * The counter's time goes on by CLOCK_MONOTONIC, which costs more. A session in which probes
 * read the counter also elsewhere is stopped. Under lt_session_lock.
 *
 * Return: true if it was stopped.
 */
static bool leave_counter(const char *why)
{
	bool stops = false;
	unsigned int i;

	if (lt_session.state != LT_RECORDING || lt_clock_used != LT_CLOCK_COUNTER)
		return false;
	lt_session.left_counter = lt_clock();
	lt_session.left_why = why;
	for_each_open(i)
		stops |= lt_channels[i].own_clock;
	if (stops) {
		stop();
		return true;
	}
	lt_clock_keep();
	for_each_open(i)
		lt_channel_no_fast(lt_channels[i].channel);
	pr_info("lifetrace: %s: the session goes on without the CPU's counter\n", why);
	return false;
}

/**
 * lt_session_suspend() - let no session have the CPU's counter over a suspend
 * @what: what begins
 *
 * Until lt_session_resume(). Tasks run on for a while, and may start a session: it must not
 * get what one that runs now has just given up.
 *
 * Context: process, sleeps; holding the lock of the kernel's suspend notifiers. That is never
 * taken under lt_session_lock.
 * Return: true if the session was stopped.
 */
bool lt_session_suspend(enum lt_suspend what)
{
	bool stopped;

	mutex_lock(&lt_session_lock);
	lt_session.suspends |= what;
	stopped = leave_counter("suspend");
	mutex_unlock(&lt_session_lock);
	return stopped;
}

/**
 * lt_session_resume() - let sessions that start have the CPU's counter again
 * @what: what has ended, or was given up
 *
 * Context: as lt_session_suspend().
 */
void lt_session_resume(enum lt_suspend what)
{
	mutex_lock(&lt_session_lock);
	lt_session.suspends &= ~what;
	mutex_unlock(&lt_session_lock);
}

/* Not from the periodic flush itself, for which stop() waits. */
static void distrust_counter(struct work_struct *work)
{
	bool stopped;

	mutex_lock(&lt_session_lock);
	stopped = leave_counter("unstable");
	mutex_unlock(&lt_session_lock);
	if (stopped)
		lt_refused("unstable: the session with the CPU's counter has been stopped");
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
	unsigned int i;
	int err = 0;

	mutex_lock(&lt_session_lock);
	if (lt_session.state == LT_IDLE) {
		err = -ENODATA;
	} else {
		*until = lt_clock();
		if (lt_session.state == LT_RECORDING)
			for_each_open(i)
				lt_channel_flush(lt_channels[i].channel, false);
	}
	mutex_unlock(&lt_session_lock);
	return err;
}

/**
 * lt_session_thaw() - overwrite buffers again that a trigger has frozen
 *
 * Return: 0, -ENODATA: not recording.
 */
int lt_session_thaw(void)
{
	int err = -ENODATA;

	mutex_lock(&lt_session_lock);
	if (lt_session.state == LT_RECORDING) {
		lt_triggers_freeze(lt_session.params.freeze);
		err = 0;
	}
	mutex_unlock(&lt_session_lock);
	return err;
}

/**
 * lt_session_snapshot() - begin a snapshot of all tasks
 * @why: what for
 *
 * Return: 0, -ENODATA: tasks are not being recorded, -EBUSY: one is under way.
 */
int lt_session_snapshot(enum lt_snapshot_purpose why)
{
	int err = -ENODATA;
	unsigned int i;

	mutex_lock(&lt_session_lock);
	if (lt_session.state == LT_RECORDING)
		for_each_open(i)
			if (lt_channels[i].snapshot)
				err = lt_channels[i].snapshot(why);
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
	int err = -ENODATA;
	unsigned int i;

	mutex_lock(&lt_session_lock);
	if (lt_session.state == LT_RECORDING)
		for_each_open(i)
			if (lt_channels[i].mark)
				err = lt_channels[i].mark(text, len);
	mutex_unlock(&lt_session_lock);
	return err;
}

/**
 * lt_session_resample() - change the sample of addresses
 * @one_in: keep one address in so many; 1: all
 *
 * Context: sleeps.
 * Return: 0, -ENODATA: not recording, -EPERM: the session began without sample_changes, -ENOSPC:
 * the buffer is full and nothing has changed.
 */
int lt_session_resample(unsigned int one_in)
{
	int err = -ENODATA;
	unsigned int i;

	mutex_lock(&lt_session_lock);
	if (lt_session.state == LT_RECORDING && !lt_session.params.sample_changes)
		err = -EPERM;
	else if (lt_session.state == LT_RECORDING)
		for_each_open(i)
			if (lt_channels[i].resample)
				err = lt_channels[i].resample(one_in);
	mutex_unlock(&lt_session_lock);
	return err;
}

/**
 * lt_session_trigger() - make a trigger
 * @text: ended by a zero
 *
 * Return: 0, -ENODATA: not recording, -ENOSPC: the buffer is full.
 */
int lt_session_trigger(const char *text)
{
	int err = -ENODATA;
	unsigned int i;

	mutex_lock(&lt_session_lock);
	if (lt_session.state == LT_RECORDING)
		for_each_open(i)
			if (lt_channels[i].trigger)
				err = lt_channels[i].trigger(text);
	mutex_unlock(&lt_session_lock);
	return err;
}

/* ------------------------------------------------------------------------
 * Load and unload
 */

/**
 * lt_session_set_dir() - say where the packet files of sessions go
 * @i: index in lt_channels
 * @dir: the directory; NULL: there is none
 *
 * Those of a session that was started before, without files, are made.
 *
 * Context: process, sleeps; loading.
 */
void lt_session_set_dir(unsigned int i, struct dentry *dir)
{
	mutex_lock(&lt_session_lock);
	dirs[i] = dir;
	if (dir && lt_session.state == LT_RECORDING && lt_session.params.open[i])
		lt_channel_add_files(lt_channels[i].channel, dir);
	mutex_unlock(&lt_session_lock);
}

/* End a session that has no owner. Context: unloading; no file of the module is open. */
void lt_session_exit(void)
{
	mutex_lock(&lt_session_lock);
	end();
	mutex_unlock(&lt_session_lock);
	/* Only the periodic flush, which has ended, queues it. */
	cancel_work_sync(&distrust);
}

static int selftest_act(void)
{
	unsigned int i;
	int err = 0;

	for_each_channel(i)
		if (lt_channels[i].selftest)
			err = err ?: lt_channels[i].selftest->act();
	return err;
}

static int selftest_check(void)
{
	unsigned int i;
	int err = 0;

	for_each_channel(i)
		if (lt_channels[i].selftest)
			err = err ?: lt_channels[i].selftest->check();
	return err;
}

/**
 * lt_session_selftest() - record known objects and tasks, and check their records
 *
 * Return: 0, -EPROTO: a field is wrong (said in the log), or as
 * lt_session_start().
 */
int lt_session_selftest(void)
{
	unsigned int i;
	int err;

	mutex_lock(&lt_session_lock);
	err = start(true);
	if (!err) {
		err = selftest_act();
		/* Closes the last packets, which the checks read. */
		stop();
		err = err ?: selftest_check();
		for_each_channel_backward(i)
			if (lt_channels[i].selftest && lt_channels[i].selftest->end)
				lt_channels[i].selftest->end();
		end();
	}
	mutex_unlock(&lt_session_lock);
	return err;
}

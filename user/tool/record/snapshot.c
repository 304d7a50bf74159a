// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots of all tasks: the module writes them into the channel pid by itself,
 * and waits for room there. Whoever waits for one must go on draining.
 */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "record/internal.h"

#define CHECK_NS	(20 * NSEC_PER_MSEC)
#define STUCK_NS	(30000 * NSEC_PER_MSEC)

/* On demand, now and then. */
void lt_record_snapshot_due(struct lt_recording *r, uint64_t now)
{
	int err;

	if (!r->next_snapshot_ns || now < r->next_snapshot_ns)
		return;
	r->next_snapshot_ns = now + r->opts->snapshot_ns;
	err = lt_module_snapshot(&r->module, "1");
	if (!err || err == EBUSY)
		return;		/* or the one before takes longer than that */
	r->next_snapshot_ns = 0;
	lt_warn("%s/%s: %s; no snapshots will be taken%s", r->module.dir, LT_FILE_SNAPSHOT,
		strerror(err), err == ENODATA ? ": tasks are not recorded (--events)" : "");
}

/*
 * Drains until the latest snapshot has ended, as long as it goes on. One that was
 * @asked for is not over before the module says so.
 */
static enum lt_snapshot_state wait_for_snapshot(struct lt_recording *r, bool asked)
{
	uint64_t tasks, before = UINT64_MAX, changed_ns = lt_now_ns(), next_ns = 0;
	enum lt_snapshot_state state = LT_SNAPSHOT_RUNNING;

	r->poll_ns = CHECK_NS;
	while (!r->write_error && r->signals < 2) {
		uint64_t now = lt_now_ns();

		if (now >= next_ns) {
			next_ns = now + CHECK_NS;
			state = lt_module_snapshot_state(&r->module, &tasks);
			if (state == LT_SNAPSHOT_NONE && asked)
				state = LT_SNAPSHOT_RUNNING;
			if (state != LT_SNAPSHOT_RUNNING)
				break;
			if (tasks != before)
				changed_ns = now;
			before = tasks;
			if (now - changed_ns > STUCK_NS)
				break;
		}
		lt_record_turn(r);
	}
	r->poll_ns = 0;
	return state;
}

/*
 * The first one may still be under way. The last state of all tasks comes after
 * it: with both, the trace proves that it has all births and deaths.
 */
void lt_record_final_snapshot(struct lt_recording *r)
{
	enum lt_snapshot_state state = wait_for_snapshot(r, false);
	int err;

	if (r->write_error || r->signals > 1)
		return;		/* who asks twice does not want to wait */
	if (state == LT_SNAPSHOT_RUNNING) {
		lt_warn("a snapshot of tasks does not go on; the recording ends without it");
		return;
	}
	err = lt_module_snapshot(&r->module, "final");
	/* Tasks are not recorded, or the module is older than they are. */
	if (err == ENODATA || err == ENOENT || err == EOPNOTSUPP)
		return;
	if (err) {
		lt_warn("%s/%s: %s; the recording ends without the last snapshot of tasks",
			r->module.dir, LT_FILE_SNAPSHOT, strerror(err));
		return;
	}
	state = wait_for_snapshot(r, true);
	if (state != LT_SNAPSHOT_DONE && !r->write_error && r->signals < 2)
		lt_warn("the last snapshot of tasks %s; the trace cannot prove that no birth or "
			"death is missing", state == LT_SNAPSHOT_RUNNING ? "does not go on" :
			"was not finished");
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The end of the snapshots of all tasks. The module writes a snapshot into the channel pid
 * from a work item of its own, and waits for room in the buffer: while the recorder waits for
 * a snapshot, it must go on draining.
 */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/now.h"
#include "record/internal.h"

#define CHECK_NS	(20 * NSEC_PER_MSEC)
#define STUCK_NS	(30000 * NSEC_PER_MSEC)

/*
 * Drains until the latest snapshot has ended, or until it has written nothing for STUCK_NS.
 * @requested: a snapshot was requested: it is running even if the module does not yet report
 * one.
 */
static enum lt_snapshot_state wait_for_snapshot(struct lt_recording *r, bool requested)
{
	uint64_t tasks, before = UINT64_MAX, changed_ns = lt_now_ns(), next_ns = 0;
	enum lt_snapshot_state state = LT_SNAPSHOT_RUNNING;

	r->poll_ns = CHECK_NS;
	while (!r->file.error && r->signals < 2) {
		uint64_t now = lt_now_ns();

		if (now >= next_ns) {
			next_ns = now + CHECK_NS;
			state = lt_engine_snapshot_state(r->session.engine, &tasks);
			if (state == LT_SNAPSHOT_NONE && requested)
				state = LT_SNAPSHOT_RUNNING;
			if (state != LT_SNAPSHOT_RUNNING)
				break;
			if (tasks != before)
				changed_ns = now;
			before = tasks;
			if (now - changed_ns > STUCK_NS)
				break;
		}
		lt_record_step(r);
	}
	r->poll_ns = 0;
	return state;
}

/*
 * The initial snapshot may still be running. The final one follows it: with both, the trace
 * proves that no birth or death is missing.
 */
void lt_record_final_snapshot(struct lt_recording *r)
{
	enum lt_snapshot_state state = wait_for_snapshot(r, false);
	int err;

	if (r->file.error || r->signals > 1)
		return;		/* second ^C: stop without a final snapshot */
	if (state == LT_SNAPSHOT_RUNNING) {
		lt_warn("a snapshot of tasks has made no progress for 30 s; the recording ends without it");
		return;
	}
	err = lt_engine_snapshot(r->session.engine, "final");
	/* Tasks are not recorded, or the module is too old to record them. */
	if (err == ENODATA || err == ENOENT || err == EOPNOTSUPP)
		return;
	if (err) {
		lt_warn("%s/%s: %s; the recording ends without the final snapshot of tasks",
			r->session.engine->dir, LT_FILE_SNAPSHOT, strerror(err));
		return;
	}
	state = wait_for_snapshot(r, true);
	if (state != LT_SNAPSHOT_DONE && !r->file.error && r->signals < 2)
		lt_warn("the final snapshot of tasks %s; the trace cannot prove that no birth or "
			"death is missing", state == LT_SNAPSHOT_RUNNING ?
			"has made no progress for 30 s" : "was not finished");
}

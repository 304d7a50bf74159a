// SPDX-License-Identifier: GPL-2.0
/*
 * Perfetto: requests of io_uring, as slices below the thread that submitted them. Requests of one
 * thread overlap, so they are on lanes. One that has many results has an instant for each but the
 * last.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "export/perfetto/perfetto.h"
#include "rows/syscall.h"
#include "syscalls/uring.h"

/**
 * struct lane - a track on which no two slices overlap
 * @end: when its last slice ends; UINT64_MAX: not in the trace
 * @track: its number
 */
struct lane {
	uint64_t end;
	uint64_t track;
};

struct thread {
	struct lane *lanes;
	size_t n;
	size_t cap;
};

/**
 * struct lt_pf_requests - the requests of a trace
 * @threads: by instance
 * @n: length of @threads
 * @lanes: of all threads
 */
struct lt_pf_requests {
	struct lt_syscall_ctx row;
	struct lt_pf_out *o;
	const struct lt_tasks *tb;
	struct lt_requests *requests;
	struct thread *threads;
	size_t n;
	uint64_t lanes;
};

static struct lane *new_lane(struct lt_pf_requests *r, uint32_t inst)
{
	struct thread *th = &r->threads[inst];
	struct lt_pf_track track = {
		.id = LT_PF_TRACK(LT_PF_REQUESTS, r->lanes++),
		.parent = LT_PF_TRACK(LT_PF_THREAD, inst), .name = "Requests of io_uring",
		.rank = (uint32_t)th->n + 1,
	};

	lt_pf_track(r->o, &track);
	th->lanes = lt_grow(th->lanes, &th->cap, th->n, sizeof(*th->lanes));
	th->lanes[th->n] = (struct lane){ .track = track.id };
	return &th->lanes[th->n++];
}

/*
 * Slices come in the order of their ends. The lane with the latest end that fits leaves those that
 * ended earlier for requests that take longer.
 */
static struct lane *lane_of(struct lt_pf_requests *r, uint32_t inst, uint64_t begin)
{
	struct lane *best = NULL;
	struct thread *th;

	if (inst >= r->n)
		r->threads = lt_extend(r->threads, &r->n, inst + 1, sizeof(*r->threads));
	th = &r->threads[inst];
	for (size_t i = 0; i < th->n; i++) {
		struct lane *lane = &th->lanes[i];

		if (lane->end <= begin && (!best || lane->end > best->end))
			best = lane;
	}
	return best ? best : new_lane(r, inst);
}

static void put_notes(struct lt_pf_requests *r, const struct lt_syscall *call)
{
	struct lt_pf_out *o = r->o;
	char buf[32];

	lt_pf_note(o, "user_data", lt_syscall_row_user_data(&r->row, call));
	if (call->how == LT_SYSCALL_RETURNED) {
		snprintf(buf, sizeof(buf), "%" PRId64, call->result);
		lt_pf_note(o, "result", buf);
	} else {
		lt_pf_note(o, "ended", lt_syscall_end_name(call->how));
	}
	lt_pf_note(o, "error", lt_error_name(lt_syscall_error(call)));
	if (!call->has_begin)
		lt_pf_note(o, "begin", "submission not seen");
	if (call->queued)
		lt_pf_note(o, "by", "a worker");
	if (call->goes_on)
		lt_pf_note(o, "goes on", "yes");
	if (call->uncertain)
		lt_pf_note(o, "uncertain", "perhaps the end of another one");
}

static void put_request(void *arg, const struct lt_syscall *call)
{
	struct lt_pf_requests *r = arg;
	uint32_t inst = lt_tasks_find(r->tb, call->tid, call->start);
	const struct lt_task_inst *t = inst ? lt_tasks_get(r->tb, inst) : NULL;
	bool slice = call->has_begin && !call->goes_on;
	uint64_t begin = slice ? call->begin : call->end;
	struct lane *lane;
	char buf[LT_SYSCALL_LABEL];

	if (!t || !t->tid)
		return;
	lane = lane_of(r, inst, begin);
	put_notes(r, call);
	lt_pf_event(r->o, slice ? LT_PF_BEGIN : LT_PF_INSTANT, lane->track, begin,
		    lt_syscall_label(call->abi, call->nr, buf));
	lane->end = call->how == LT_SYSCALL_AT_END ? UINT64_MAX : call->end;
	/* Without an end the slice is drawn up to the end of the trace. */
	if (slice && call->how != LT_SYSCALL_AT_END)
		lt_pf_event(r->o, LT_PF_END, lane->track, call->end, NULL);
}

struct lt_pf_requests *lt_pf_requests_new(struct lt_pf_out *o, const struct lt_export *e)
{
	struct lt_pf_requests *r = lt_alloc(sizeof(*r));

	r->row.common.addresses = e->opts->addresses;
	r->o = o;
	r->tb = e->tasks;
	r->requests = lt_requests_new(e->trace, put_request, r);
	return r;
}

void lt_pf_requests_event(struct lt_pf_requests *r, const struct lt_event *ev)
{
	lt_requests_event(r->requests, ev);
}

void lt_pf_requests_finish(struct lt_pf_requests *r)
{
	if (!r)
		return;
	lt_requests_finish(r->requests);
	lt_requests_free(r->requests);
	for (size_t i = 0; i < r->n; i++)
		free(r->threads[i].lanes);
	free(r->threads);
	free(r);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plain events that a second thread makes ahead of the one that takes them, in batches.
 */
#ifndef LT_TRACE_FEEDER_H
#define LT_TRACE_FEEDER_H

#include <stdbool.h>

#include "format/plain.h"
#include "trace/pass.h"

/**
 * struct lt_fed - a batch
 * @n: number of events
 * @packets: of the trace, that were read when they were made
 */
struct lt_fed {
	size_t n;
	uint64_t packets;
	struct lt_plain_event evs[LT_PASS_MAX];
};

struct lt_feeder;

/*
 * Makes the next events, at most LT_PASS_MAX. Called in the second thread. Return: whether it may
 * be called again.
 */
typedef bool lt_feed_fn(void *arg, struct lt_fed *batch);

/* NULL: there can be no second thread. It makes nothing yet. */
struct lt_feeder *lt_feeder_new(lt_feed_fn *make, void *arg);
void lt_feeder_free(struct lt_feeder *f);

/* The second thread, which makes nothing now, begins to do so. */
void lt_feeder_start(struct lt_feeder *f);

/*
 * The next batch, valid until the next call. NULL: the second thread makes nothing any more, and
 * all that it has made was taken: what it uses may be used by the caller.
 */
const struct lt_fed *lt_feeder_next(struct lt_feeder *f);

/* How often the caller slept since lt_feeder_start(), as nothing was made. */
size_t lt_feeder_sleeps(const struct lt_feeder *f);

/*
 * Whether the second thread has got less than three quarters of a CPU since the last call, or since
 * it was started. If so, the caller sleeps because others run; otherwise because to make a batch
 * takes longer than to take it. false, too, where less than 1 ms or more than 10 ms have passed:
 * call it again then.
 */
bool lt_feeder_lacks_cpu(struct lt_feeder *f);

/*
 * When it returns, the second thread makes nothing until lt_feeder_start(). Batches may be left.
 * Does nothing if it makes nothing.
 */
void lt_feeder_hold(struct lt_feeder *f);

#endif /* LT_TRACE_FEEDER_H */

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is missing in a trace.
 */
#ifndef LT_SUMS_LOSS_H
#define LT_SUMS_LOSS_H

#include "trace/trace.h"

/**
 * struct lt_loss - what is missing in a trace
 * @records: records that were read
 * @lost: the sum of @full, @nmi, @nested, @nobuf and @damaged
 * @damaged: in packets that are missing or damaged
 * @missed: probe hits that the kernel did not deliver; not in @lost
 * @filtered: events that were left out on purpose
 * @at_least: perhaps more than @lost: a tool whose file was imported does not say how many, or
 *	says nothing of losses
 */
struct lt_loss {
	uint64_t records;
	uint64_t lost;
	uint64_t full, nmi, nested, nobuf, damaged;
	uint64_t missed;
	uint64_t filtered;
	bool at_least;
};

struct lt_loss lt_trace_loss(const struct lt_trace *t);

#endif /* LT_SUMS_LOSS_H */

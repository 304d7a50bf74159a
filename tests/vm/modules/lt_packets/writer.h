/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writers of consecutive numbers, in a thread and in hardirq.
 */
#ifndef LT_PACKETS_WRITER_H
#define LT_PACKETS_WRITER_H

#include "module/core/write.h"

/**
 * struct writer_setup - how to write
 * @thread: a thread writes without a pause
 * @timer: a timer writes in hardirq context
 * @cpu: where both run
 * @period_us: of the timer
 * @burst: records at one firing of the timer
 * @hold_ns: time between reserving a record and filling it in
 * @pause_us: sleep of the thread when the buffer is full; 0: it tries again
 */
struct writer_setup {
	bool thread;
	bool timer;
	unsigned int cpu;
	unsigned int period_us;
	unsigned int burst;
	unsigned int hold_ns;
	unsigned int pause_us;
};

/**
 * struct writer_counts - what was written
 * @stored: records, numbered from 0
 * @refused: attempts that found the buffer full
 * @in_hardirq: of @stored, by the timer
 */
struct writer_counts {
	u64 stored;
	u64 refused;
	u64 in_hardirq;
};

int writer_start(struct lt_channel *ch, const struct writer_setup *setup);
void writer_stop(void);
struct writer_counts writer_counts(void);

#endif /* LT_PACKETS_WRITER_H */

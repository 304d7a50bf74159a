// SPDX-License-Identifier: GPL-2.0
/*
 * Flushing: all open packets are closed, and read.
 */
#include <string.h>

#include "base/log.h"
#include "record/internal.h"

int lt_record_flush(struct lt_engine *e, struct lt_drain *d, uint64_t *clock)
{
	int err;

	/* The flush must not pass by a CPU whose file is not open yet. */
	if (lt_drain_scan(d) < 0)
		return -1;
	err = lt_engine_flush(e, clock);
	if (err)
		return err;
	return lt_drain_until(d, *clock) ? -1 : 0;
}

int lt_record_flush_failed(const struct lt_engine *e, int err)
{
	if (err > 0)
		lt_error("%s/%s: flush: %s", e->dir, LT_FILE_ENABLE, strerror(err));
	return -1;
}

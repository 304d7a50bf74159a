/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing down what is alive when a recording is cut: the payloads of blocks STATE.
 */
#ifndef LT_STATE_WRITE_H
#define LT_STATE_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "lifetimes/lifetime.h"
#include "trace/trace.h"

/**
 * struct lt_state_out - where it goes
 * @emit: is called for each packet, which is valid until it returns; not 0: stop
 * @arg: of @emit
 * @busy: is called again and again while what is alive is listed, sorted and encoded, which
 *	may take a second for a million objects; NULL: nothing
 * @busy_arg: its argument
 *
 * Both may read packets that come meanwhile, but must not hand their events to trace and lifetimes.
 */
struct lt_state_out {
	int (*emit)(void *arg, const void *packet, size_t size);
	void *arg;
	void (*busy)(void *arg);
	void *busy_arg;
};

/**
 * lt_state_write() - encode what is alive
 * @t: of which all events before @t0 were taken, and none since
 * @lf: to which they were given
 * @t0: the cut, clock units: see lt_trace_cut_before()
 * @out: gets the packets
 *
 * Packets are of the byte order of the trace. The first ones announce all slab caches. Takes time
 * and, for as long as it runs, memory proportional to what is alive: 24 bytes an object.
 * Return: 0; -1 after lt_error(); what @out->emit has returned.
 */
int lt_state_write(const struct lt_trace *t, const struct lt_lifetimes *lf, uint64_t t0,
		   const struct lt_state_out *out);

#endif /* LT_STATE_WRITE_H */

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The streams of the trace.
 */
#include "base/mem.h"
#include "import/internal.h"

#define PACKET	(64U << 10)

struct lt_import_cpu *lt_import_cpu(struct lt_import *im, uint32_t cpu)
{
	if (cpu >= im->n_cpus)
		im->cpus = lt_extend(im->cpus, &im->n_cpus, cpu + 1, sizeof(*im->cpus));
	return &im->cpus[cpu];
}

struct lt_encoder *lt_import_stream(struct lt_import *im, unsigned int channel, uint32_t cpu)
{
	struct lt_import_cpu *c = lt_import_cpu(im, cpu);

	if (!c->e[channel]) {
		c->e[channel] = lt_alloc(sizeof(*c->e[channel]));
		lt_encoder_init(c->e[channel], &im->source.machine, channel, cpu, PACKET, im->take,
				im->arg);
	}
	return c->e[channel];
}

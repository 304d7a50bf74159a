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

/* Asked for behind each event: so it is not looked up in each stream. */
static int take(void *arg, const struct lt_encode_packet *packet)
{
	struct lt_import *im = arg;
	int ret = im->take(im->arg, packet);

	if (!im->ret)
		im->ret = ret;
	return ret;
}

struct lt_encoder *lt_import_stream(struct lt_import *im, unsigned int channel, uint32_t cpu)
{
	struct lt_import_cpu *c = lt_import_cpu(im, cpu);

	if (!c->e[channel]) {
		c->e[channel] = lt_alloc(sizeof(*c->e[channel]));
		lt_encoder_init(c->e[channel], &im->source.machine, channel, cpu, PACKET, take, im);
	}
	return c->e[channel];
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The Common Trace Format: a directory with the packets, one file for each stream, and
 * the metadata that describes them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/owner.h"
#include "export/ctf/ctf.h"
#include "export/ctf/packet.h"

/**
 * struct ctf - an export under way
 * @out: file of the current stream
 * @path: name of @out
 * @cpu, @channel: the current stream
 * @have_machine: a packet was seen
 * @machine: properties of the machine, from the first packet
 * @full: the current packet, with its short forms completed
 */
struct ctf {
	FILE *out;
	char path[4096];
	uint32_t cpu;
	unsigned int channel;
	bool have_machine;
	struct lt_ctf_machine machine;
	struct lt_ctf_packet full;
};

static int failed(const struct ctf *c)
{
	lt_error("%s: cannot write: %s", c->path, strerror(errno));
	return -1;
}

static int close_out(struct ctf *c)
{
	FILE *out = c->out;

	c->out = NULL;
	if (out && fclose(out))
		return failed(c);
	return 0;
}

static int open_out(struct ctf *c, const struct lt_export *e, const char *name)
{
	snprintf(c->path, sizeof(c->path), "%s/%s", e->path, name);
	c->out = fopen(c->path, "wbx");
	if (!c->out)
		return failed(c);
	lt_owner_give(fileno(c->out));
	return 0;
}

static int begin(struct lt_export *e)
{
	const struct lt_event_desc *d;
	struct ctf *c;

	c = lt_alloc(sizeof(*c));
	if (lt_ctf_calls_init(&c->machine.calls, e->trace)) {
		free(c);
		return -1;
	}
	lt_ctf_names_init(&c->machine.names, e->trace);
	c->machine.stacks = lt_trace_has_stacks(e->trace);
	c->full.sites.all = c->machine.stacks ? &c->machine.names.stacks : NULL;
	for (unsigned int id = 0; id < LT_SCHEMA_IDS; id++) {
		d = lt_schema_event(e->schema, id);
		if (d && d->event == LT_EV_CACHE)
			c->machine.caches[id] = true;
		if (c->machine.stacks && d && d->full && d->has_site)
			c->machine.stacked[d->full->id] = true;
	}
	e->priv = c;
	return 0;
}

static void look(struct lt_export *e, const struct lt_packet *p)
{
	struct ctf *c = e->priv;

	lt_ctf_packet_look(&c->full, e->schema, &c->machine, p);
}

static int packet(struct lt_export *e, const struct lt_packet *p, struct lt_why *why)
{
	struct ctf *c = e->priv;
	char name[32];

	if (!c->have_machine) {
		c->have_machine = true;
		lt_ctf_names_caches(&c->machine.names);
		c->machine.big = p->big;
		c->machine.header_size = p->header_size;
		c->machine.counts = (p->header_size - LT_PACKET_MIN) /
				    sizeof(struct lt_class_counts);
		c->machine.extra = (p->header_size - LT_PACKET_MIN) %
				   sizeof(struct lt_class_counts);
		c->machine.text_base = p->text_base;
		c->machine.ptr_base = p->ptr_base;
	}
	/* The bases are those of the whole trace in the metadata, and in names of callers. */
	if (p->big != c->machine.big || p->header_size != c->machine.header_size ||
	    p->text_base != c->machine.text_base || p->ptr_base != c->machine.ptr_base) {
		lt_error("%s: cpu %u, packet %" PRIu64 ": byte order, header size or bases differ from those of the first packet",
			 e->file, p->cpu, p->seq);
		return -1;
	}
	if (lt_ctf_packet_complete(&c->full, e->schema, &c->machine, p, why))
		return 1;
	if (!c->out || p->cpu != c->cpu || p->channel != c->channel) {
		if (close_out(c))
			return -1;
		snprintf(name, sizeof(name), "%s_%u", lt_channel_name(p->channel), p->cpu);
		if (open_out(c, e, name))
			return -1;
		c->cpu = p->cpu;
		c->channel = p->channel;
		c->machine.streams[p->channel] = true;
	}
	if (fwrite(c->full.data, 1, c->full.size, c->out) != c->full.size)
		return failed(c);
	return 0;
}

static int write_metadata(struct lt_export *e)
{
	struct ctf *c = e->priv;
	struct lt_out out;
	bool json = e->opts->version && !strcmp(e->opts->version, "2");
	int err;

	if (!c->have_machine) {
		lt_error("%s: holds no packet: there is nothing to export", e->file);
		return -1;
	}
	if (open_out(c, e, "metadata"))
		return -1;
	lt_ctf_names_finish(&c->machine.names);
	if (json) {
		out = (struct lt_out)LT_OUT_NAMED(fileno(c->out), c->path);
		lt_ctf_v2_write(&out, e, &c->machine);
		err = lt_out_close(&out);
	} else {
		lt_ctf_v1_write(c->out, e, &c->machine);
		err = ferror(c->out) ? failed(c) : 0;
	}
	if (!err && !close_out(c))
		return 0;
	unlink(c->path);
	return -1;
}

static int end(struct lt_export *e)
{
	struct ctf *c = e->priv;
	int err = close_out(c);

	/* Readers do not open a part of a trace if it has no metadata. */
	if (!err && !e->failed)
		err = write_metadata(e);
	if (c->out)
		fclose(c->out);
	lt_ctf_packet_destroy(&c->full);
	lt_ctf_names_destroy(&c->machine.names);
	lt_ctf_calls_destroy(&c->machine.calls);
	free(c);
	e->priv = NULL;
	return err;
}

const struct lt_exporter lt_export_ctf = {
	.name = "ctf",
	.help = "Common Trace Format, a directory: for babeltrace2, Trace Compass",
	.directory = true,
	.begin = begin,
	.look = look,
	.packet = packet,
	.end = end,
};

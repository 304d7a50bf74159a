// SPDX-License-Identifier: GPL-2.0
/*
 * Export to CTF: the packets, one file a stream, and metadata.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/ctf_packet.h"
#include "base/log.h"
#include "base/mem.h"
#include "export/export.h"
#include "base/wide.h"

/**
 * struct ctf - an export under way
 * @out: file of the current stream
 * @cpu, @channel: of the current stream
 * @machine: from the first packet; the same for all
 * @full: the packet, its short forms completed
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

bool lt_ctf_has_stream(const struct lt_schema *s, unsigned int channel)
{
	for (unsigned int id = 0; id < 256; id++) {
		if (lt_schema_event(s, LT_EV(channel, id)))
			return true;
	}
	return false;
}

/* Viewers know LTTng's names of the same events. */
const char *lt_ctf_event_name(const char *name)
{
	static const char *const names[][2] = {
		{ "kmalloc", "kmem_kmalloc" }, { "kfree", "kmem_kfree" },
		{ "page_alloc", "kmem_mm_page_alloc" },
		{ "page_free", "kmem_mm_page_free" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i][0]))
			return names[i][1];
	}
	return name;
}

/* How people want to see a field: "hexadecimal" or "decimal". */
const char *lt_ctf_base(const struct lt_field *f)
{
	switch (f->kind) {
	case LT_KIND_ADDR:
	case LT_KIND_CODE:
	case LT_KIND_PFN:
	case LT_KIND_GFP:
		return "hexadecimal";
	default:
		return "decimal";
	}
}

static uint64_t value_in(const char *text, const char *key)
{
	const char *p = text ? strstr(text, key) : NULL;

	return p ? strtoull(p + strlen(key), NULL, 10) : 0;
}

/* It becomes an identifier in the metadata, and comes from a file. */
static void clock_name(struct lt_ctf_clock *c, const char *name)
{
	size_t n = 0;

	for (; name && *name >= 'a' && *name <= 'z' && n + 1 < sizeof(c->name); name++)
		c->name[n++] = *name;
	c->name[n] = 0;
	if (!n || (name && *name))
		strcpy(c->name, "unknown");
}

void lt_ctf_clock(struct lt_ctf_clock *c, struct lt_trace *t)
{
	const char *reading = lt_trace_text(t, LT_BLOCK_CLOCK, 0);
	const char *freq = lt_trace_info(t, "clock_freq");
	uint64_t clock, real, zero_s, zero_ns;

	c->freq = freq ? strtoull(freq, NULL, 10) : 0;
	if (!c->freq)
		c->freq = 1000000000;
	clock_name(c, lt_trace_info(t, "clock"));
	c->offset_s = 0;
	c->offset = 0;
	clock = value_in(reading, "clock=");
	real = value_in(reading, "realtime=");
	/* A clock whose zero lies before 1970 cannot be said; then it has none. */
	if (!real || clock / c->freq >= real / 1000000000)
		return;
	zero_s = clock / c->freq;
	zero_ns = lt_mul_div(clock % c->freq, 1000000000, c->freq);
	real -= zero_s * 1000000000 + zero_ns;
	c->offset_s = real / 1000000000;
	c->offset = lt_mul_div(real % 1000000000, c->freq, 1000000000);
}

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
	snprintf(c->path, sizeof(c->path), "%s/%s", e->dir, name);
	c->out = fopen(c->path, "wbx");
	return c->out ? 0 : failed(c);
}

static int begin(struct lt_export *e)
{
	if (e->version && strcmp(e->version, "1.8") && strcmp(e->version, "2")) {
		lt_error("CTF has versions 1.8 and 2, not '%s'", e->version);
		return -1;
	}
	e->priv = lt_alloc(sizeof(struct ctf));
	return 0;
}

static int packet(struct lt_export *e, const struct lt_packet *p, struct lt_why *why)
{
	struct ctf *c = e->priv;
	char name[32];

	if (lt_ctf_packet(&c->full, e->schema, p, why))
		return 1;
	if (!c->have_machine) {
		c->have_machine = true;
		c->machine.big = p->big;
		c->machine.header_size = p->header_size;
		c->machine.counts = (p->header_size - LT_PACKET_MIN) /
				    sizeof(struct lt_class_counts);
	}
	if (p->big != c->machine.big || p->header_size != c->machine.header_size) {
		lt_error("cpu %u, packet %" PRIu64 ": byte order or header size differ from the first packet's",
			 p->cpu, p->seq);
		return -1;
	}
	if (!c->out || p->cpu != c->cpu || p->channel != c->channel) {
		if (close_out(c))
			return -1;
		snprintf(name, sizeof(name), "%s_%u", lt_channel_name(p->channel), p->cpu);
		if (open_out(c, e, name))
			return -1;
		c->cpu = p->cpu;
		c->channel = p->channel;
	}
	if (fwrite(c->full.data, 1, c->full.size, c->out) != c->full.size)
		return failed(c);
	return 0;
}

static int write_metadata(struct lt_export *e)
{
	struct ctf *c = e->priv;
	bool json = e->version && !strcmp(e->version, "2");

	if (!c->have_machine) {
		lt_error("the trace holds no packet: there is nothing to export");
		return -1;
	}
	if (open_out(c, e, "metadata"))
		return -1;
	if (json)
		lt_ctf_write_json(c->out, e, &c->machine);
	else
		lt_ctf_write_tsdl(c->out, e, &c->machine);
	if (ferror(c->out)) {
		failed(c);
		return -1;
	}
	return close_out(c);
}

static int end(struct lt_export *e)
{
	struct ctf *c = e->priv;
	int err;

	if (!c)
		return -1;
	err = close_out(c);
	if (!err)
		err = write_metadata(e);
	if (c->out)
		fclose(c->out);
	lt_ctf_packet_free(&c->full);
	free(c);
	e->priv = NULL;
	return err;
}

const struct lt_exporter lt_export_ctf = {
	.name = "ctf",
	.begin = begin,
	.packet = packet,
	.end = end,
};

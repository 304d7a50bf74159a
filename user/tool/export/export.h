/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exporters: the packets of a trace for another program. One struct each.
 */
#ifndef LT_LIB_EXPORT_H
#define LT_LIB_EXPORT_H

#include <stdio.h>

#include "format/packet.h"
#include "format/schema.h"
#include "trace/trace.h"

/**
 * struct lt_export - one export under way
 * @trace: texts and tables of the trace
 * @schema: of its packets
 * @dir: directory to write to; exists and was empty
 * @version: of the target format, as asked for, NULL: the default
 * @priv: the exporter's own
 */
struct lt_export {
	struct lt_trace *trace;
	const struct lt_schema *schema;
	const char *dir;
	const char *version;
	void *priv;
};

/**
 * struct lt_exporter - a target format
 * @name: as in --NAME
 * @begin: before the first packet
 * @packet: each packet, stream by stream, in order of its number; returns 1 with
 *	why filled in for one that is damaged, of which it has written nothing
 * @end: after the last packet; also frees what @begin made
 *
 * All return 0, or -1 after printing what is wrong.
 */
struct lt_exporter {
	const char *name;
	int (*begin)(struct lt_export *e);
	int (*packet)(struct lt_export *e, const struct lt_packet *p, struct lt_why *why);
	int (*end)(struct lt_export *e);
};

extern const struct lt_exporter lt_export_ctf;

/* The metadata alone, for the two versions of CTF. */
struct lt_ctf_machine {
	bool big;
	uint32_t counts;		/* entries in the packet header's table */
	uint16_t header_size;
};

void lt_ctf_write_tsdl(FILE *out, const struct lt_export *e, const struct lt_ctf_machine *m);
void lt_ctf_write_json(FILE *out, const struct lt_export *e, const struct lt_ctf_machine *m);

/* What both metadata texts are made from. */
bool lt_ctf_has_stream(const struct lt_schema *s, unsigned int channel);
const char *lt_ctf_event_name(const char *name);
const char *lt_ctf_base(const struct lt_field *f);

/**
 * struct lt_ctf_clock - the trace's clock as CTF wants it
 * @name: mono, raw, boot, counter; letters only
 * @freq: units a second
 * @offset_s: seconds since 1970 at the clock's zero, and
 * @offset: units in addition, less than @freq
 */
struct lt_ctf_clock {
	char name[16];
	uint64_t freq;
	uint64_t offset_s;
	uint64_t offset;
};

void lt_ctf_clock(struct lt_ctf_clock *c, struct lt_trace *t);

#endif /* LT_LIB_EXPORT_H */

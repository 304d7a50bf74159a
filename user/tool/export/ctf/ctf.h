/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The Common Trace Format: what its files share. ctf.c is the exporter, packet.c
 * completes packets, calls.c makes events of function calls, describe.c walks over what the
 * metadata declares, and v1.c and v2.c write that in the two versions.
 */
#ifndef LT_EXPORT_CTF_H
#define LT_EXPORT_CTF_H

#include "base/out.h"
#include "export/ctf/calls.h"
#include "export/ctf/names.h"
#include "export/export.h"

/*
 * The event, the last one of each packet, that has what stands in the header of the recorded
 * packet and not in that of the exported one, above all the counters: viewers print the packet
 * context with every event. No event of the schema has this id.
 */
#define LT_CTF_COUNTERS		256U
#define LT_CTF_COUNTERS_NAME	"lifetrace_packet"

/*
 * The last field of all events that a record "site" may complete, in traces with stacks: a u32,
 * the number of the stack in the whole export; 0: it was not recorded.
 */
#define LT_CTF_STACK_FIELD	"stack"

/**
 * struct lt_ctf_machine - what is equal in all packets
 * @big: byte order
 * @counts: entries in the header's table of counters
 * @header_size: of the packets as they were recorded
 * @text_base, @ptr_base: what numbers in the packets are relative to
 * @extra: bytes behind that table, of a newer minor version
 * @names: of callers, caches and stacks
 * @calls: of functions
 * @caches: by the schema's id: these name caches
 * @stacks: events have a field more, LT_CTF_STACK_FIELD
 * @stacked: by the schema's id: these do
 * @streams: by channel: there are packets. A reader would spend 10 ms on the events of all others
 */
struct lt_ctf_machine {
	bool big;
	uint32_t counts;
	uint16_t header_size;
	uint32_t extra;
	uint64_t text_base;
	uint64_t ptr_base;
	struct lt_ctf_names names;
	struct lt_ctf_calls calls;
	bool caches[LT_SCHEMA_IDS];
	bool stacks;
	bool stacked[LT_SCHEMA_IDS];
	bool streams[LT_N_CHANNELS + 1];
};

/**
 * struct lt_ctf_clock - the trace's clock in CTF's terms
 * @name: mono, raw, boot, counter; letters only
 * @freq: units a second
 * @offset_s: seconds from 1970 to the clock's zero, and
 * @offset: units in addition, less than @freq
 */
struct lt_ctf_clock {
	char name[16];
	uint64_t freq;
	uint64_t offset_s;
	uint64_t offset;
};

/* v1.c, v2.c: the metadata */
void lt_ctf_v1_write(FILE *out, const struct lt_export *e, const struct lt_ctf_machine *m);
void lt_ctf_v2_write(struct lt_out *o, const struct lt_export *e, const struct lt_ctf_machine *m);

/* common.c: what both versions of the metadata are made from */
/* Whether records of this event may be in the export, in the form that the schema gives them. */
bool lt_ctf_has_event(const struct lt_ctf_machine *m, const struct lt_event_desc *d);
const char *lt_ctf_event_name(const char *name);

/* The name of entry @i of the table of counters of a channel's packets. */
const char *lt_ctf_class_name(const struct lt_schema *s, unsigned int channel, uint32_t i,
			      char *buf, size_t size);
const char *lt_ctf_base(const struct lt_field *f);
void lt_ctf_read_clock(struct lt_ctf_clock *c, struct lt_trace *t);

#endif /* LT_EXPORT_CTF_H */

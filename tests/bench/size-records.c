// SPDX-License-Identifier: GPL-2.0
/*
 * size-records TRACE: what the bytes of a trace are. A line each: kind of record,
 * how many, bytes of their payloads; then "packets", their number and the bytes of
 * all; then "headers", in that form, and "file", its bytes.
 *
 * What the payloads and the packet headers leave of the packets are the records' own
 * beginnings: id, context and time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/internal.h"

#define MAX_ID	LT_EV(LT_N_CHANNELS + 1, 0)	/* ids of all channels */

struct kind {
	uint64_t n, bytes;
};

static struct kind kinds[MAX_ID];

static void print(const struct lt_trace *t)
{
	for (unsigned int id = 0; id < MAX_ID; id++) {
		const char *name = lt_trace_event_name(t, id);

		if (kinds[id].n)
			printf("%s %" PRIu64 " %" PRIu64 "\n", name ? name : "?", kinds[id].n,
			       kinds[id].bytes);
	}
	printf("packets %" PRIu64 " %" PRIu64 "\n", t->dir.packets, t->dir.packet_bytes);
	printf("headers %" PRIu64 " %" PRIu64 "\n", t->dir.packets,
	       t->dir.packets * (uint64_t)sizeof(struct lt_packet_header));
	printf("file 1 %" PRIu64 "\n", (uint64_t)t->file->size);
}

int main(int argc, char **argv)
{
	struct lt_trace *t = argc == 2 ? lt_trace_open(argv[1]) : NULL;
	const struct lt_record *rec;
	struct lt_event e;
	int err;

	if (!t) {
		fprintf(stderr, "usage: size-records TRACE\n");
		return 2;
	}
	while ((err = lt_trace_next(t, &e)) == 1) {
		if (e.id >= MAX_ID)
			continue;
		/* In the form in which it was written; e.raw is completed. */
		rec = &t->taken->rec;
		kinds[e.id].n++;
		kinds[e.id].bytes += (rec->site ? rec->brief : rec->desc)->size;
	}
	if (!err)
		print(t);
	lt_trace_close(t);
	return err ? 2 : 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A schema, and behind a zero byte packets that are decoded with it.
 */
#include <stdio.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/ctf/ctf.h"
#include "format/block.h"
#include "format/pack.h"
#include "fuzz.h"
#include "format/packet.h"
#include "format/schema.h"
#include "tasks/read.h"
#include "tasks/tasks.h"
#include "trace/internal.h"
#include "words.h"

/* Checks the properties of a schema that the decoder relies on without checking them. */
static void check_desc(const struct lt_event_desc *d)
{
	const struct lt_event_desc *full = d->full ? d->full : d;
	/* A narrow form is completed to another one, of which it is only known that it fits. */
	const uint32_t room = d->full ? full->size : LT_FULL_MAX;

	for (unsigned int i = 0; i < d->n_fields; i++) {
		if (d->fields[i].offset + lt_field_bytes(&d->fields[i]) > d->size ||
		    d->fields[i].offset_big + lt_field_bytes(&d->fields[i]) > d->size)
			fuzz_wrong("a field lies outside of its event");
		if (d->fields[i].type != LT_TYPE_CHARS && d->fields[i].size > 8)
			fuzz_wrong("an integer of more than 8 bytes");
	}
	for (unsigned int i = 0; i < d->n_steps; i++) {
		if (d->steps[i].target >= LT_N_TARGETS || d->steps[i].shift > 56 ||
		    d->steps[i].offset + (64U - d->steps[i].shift) / 8 > d->size)
			fuzz_wrong("a step lies outside of its event");
	}
	if (d->has_site && (d->site + 2U > d->size || d->site_big + 2U > d->size))
		fuzz_wrong("the number of a site lies outside of its event");
	if (d->has_task && d->site + 1U > d->size)
		fuzz_wrong("the number of a task lies outside of its event");
	if (d->n_steps && d->has_site && d->full &&
	    d->ptr_big + (64U - d->steps[0].shift) / 8 > d->size)
		fuzz_wrong("the address of a short form lies outside of its event");
	if (d->full && d->n_copies && full->size > LT_FULL_MAX)
		fuzz_wrong("a full form that does not fit");
	for (unsigned int i = 0; i < d->n_copies; i++) {
		if ((uint32_t)d->copies[i].to + d->copies[i].to_size > room ||
		    d->copies[i].to_size > 8 || !d->copies[i].from_size ||
		    d->copies[i].from_size > 8)
			fuzz_wrong("a field is copied to where it cannot be");
	}
}

static void read_packets(const char *text, const uint8_t *data, size_t size)
{
	struct lt_trace *t = lt_trace_live("clock=mono\n", text);
	struct lt_tasks *tb;
	struct lt_event ev;

	while (t && size) {
		size_t n = lt_packet_length(data, size);

		n = n ? n : size;
		lt_trace_push(t, data, n);
		data += n;
		size -= n;
	}
	if (!t)
		return;
	lt_trace_watermark(t, UINT64_MAX);
	tb = lt_tasks_for(t, false);
	if (tb)
		lt_tasks_read(t, tb);
	else
		while (lt_trace_next(t, &ev) > 0)
			;
	lt_tasks_free(tb);
	lt_trace_close(t);
}

static void write_metadata(struct lt_schema *s, const char *text)
{
	struct lt_ctf_machine m = { .counts = LT_N_CLASSES,
				    .header_size = sizeof(struct lt_packet_header) };
	struct lt_trace *t = lt_trace_live("clock=mono\n", text);
	struct lt_export e = { .trace = t, .schema = s, .path = "" };
	struct lt_out o = LT_OUT_INIT(-1);
	char *out;
	size_t size;
	FILE *f;

	if (!t)
		return;
	f = open_memstream(&out, &size);
	lt_ctf_v1_write(f, &e, &m);
	fclose(f);
	free(out);
	o.fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (o.fd < 0)
		abort();
	lt_ctf_v2_write(&o, &e, &m);
	lt_out_close(&o);
	close(o.fd);
	lt_trace_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t all = size;
	struct lt_schema *s;
	char *text;

	fuzz_memory_begin();
	text = fuzz_cut(&data, &size);
	s = lt_schema_parse(text, "fuzz");
	if (s) {
		for (unsigned int i = 0; i < LT_SCHEMA_IDS; i++) {
			if (lt_schema_event(s, i))
				check_desc(lt_schema_event(s, i));
		}
		lt_pack_free(lt_pack_new(s));
		if (all & 1)
			read_packets(text, data, size);
		else
			write_metadata(s, text);
	}
	lt_schema_free(s);
	free(text);
	fuzz_memory_end((8U << 20) + 512 * all);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return fuzz_text_mutate(data, size, max, seed);
}

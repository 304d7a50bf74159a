// SPDX-License-Identifier: GPL-2.0
/*
 * Perfetto: the heap profile. A packet of it has, of the stacks that have changed, what was
 * allocated and ended since the beginning; its reader takes the differences.
 *
 * Several rows may have one stack, such as those of two caches of one name. The reader finds
 * stacks by their frames, and would take the second row for a later state of the first. So rows are
 * added up by stack here.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "export/perfetto/perfetto.h"
#include "export/profile.h"

/* Fields of the messages of Perfetto's protos/perfetto/trace/profiling and interned_data. */
enum {
	INTERNED_FUNCTION = 5, INTERNED_FRAME = 6, INTERNED_STACK = 7, INTERNED_PATH = 17,
	INTERNED_MAPPING = 19,
	STRING_ID = 1, STRING_TEXT = 2,
	MAPPING_ID = 1, MAPPING_PATH = 7,
	FRAME_ID = 1, FRAME_FUNCTION = 2, FRAME_MAPPING = 3, FRAME_PC = 4,
	STACK_ID = 1, STACK_FRAME = 2,
	PROFILE_PROCESS = 5, PROFILE_CONTINUED = 6, PROFILE_INDEX = 7,
	PROCESS_PID = 1, PROCESS_SAMPLE = 2, PROCESS_TIME = 9, PROCESS_HEAP = 11,
	SAMPLE_STACK = 1, SAMPLE_BYTES = 2, SAMPLE_FREED = 3, SAMPLE_BIRTHS = 5, SAMPLE_ENDS = 6,
};

#define SAMPLES		1000	/* of one packet at most */
#define PID		0	/* of the memory of the kernel */

void lt_pf_heap_init(struct lt_pf_heap *h)
{
	memset(h, 0, sizeof(*h));
	lt_names_init(&h->functions);
	lt_names_init(&h->modules);
	lt_intern_init(&h->function_of);
	lt_intern_init(&h->frames);
	lt_intern_init(&h->stacks);
}

void lt_pf_heap_destroy(struct lt_pf_heap *h)
{
	lt_intern_destroy(&h->stacks);
	lt_intern_destroy(&h->frames);
	lt_intern_destroy(&h->function_of);
	lt_names_destroy(&h->modules);
	lt_names_destroy(&h->functions);
	free(h->stack_of.of);
	free(h->sums);
}

/* ------------------------------------------------------------------------
 * Stacks, each of which is written once, when it is first needed
 */

static void put_string(struct lt_pf_out *o, unsigned int field, uint32_t id, const char *s,
		       size_t len)
{
	lt_pb_uint(&o->part, STRING_ID, id);
	lt_pb_bytes(&o->part, STRING_TEXT, s, len);
	lt_pb_message(&o->message, field, &o->part);
}

static uint32_t function(struct lt_pf_heap *h, struct lt_pf_out *o, const struct lt_path_frame *f)
{
	uint32_t id, known = h->functions.n;

	o->text.used = 0;
	lt_frame_text(&o->text, f, NULL);
	id = lt_names_add(&h->functions, o->text.buf, o->text.used);
	if (h->functions.n != known)
		put_string(o, INTERNED_FUNCTION, id, o->text.buf, o->text.used);
	return id;
}

/* The binary of a frame, of one number with its path. */
static uint32_t mapping(struct lt_pf_heap *h, struct lt_pf_out *o, const struct lt_path_frame *f)
{
	uint32_t id, known = h->modules.n;

	lt_pf_text(o, lt_frame_module(f));
	id = lt_names_add(&h->modules, o->text.buf, o->text.used);
	if (h->modules.n != known) {
		put_string(o, INTERNED_PATH, id, o->text.buf, o->text.used);
		lt_pb_uint(&o->part, MAPPING_ID, id);
		lt_pb_uint(&o->part, MAPPING_PATH, id);
		lt_pb_message(&o->message, INTERNED_MAPPING, &o->part);
	}
	return id;
}

/* The address is the offset in the function: where the kernel lay in memory is a secret. */
static uint32_t frame(struct lt_pf_heap *h, struct lt_pf_out *o, const struct lt_path_frame *f)
{
	uint32_t of_function = function(h, o, f), of_mapping = mapping(h, o, f), id, known;
	uint64_t offset = f->name ? (uint32_t)f->offset : 0;

	id = lt_intern_number(&h->function_of, (uint64_t)of_function << 32 | of_mapping);
	known = h->frames.n;
	id = lt_intern_number(&h->frames, (uint64_t)id << 32 | offset);
	if (h->frames.n != known) {
		lt_pb_uint(&o->part, FRAME_ID, id);
		lt_pb_uint(&o->part, FRAME_FUNCTION, of_function);
		lt_pb_uint(&o->part, FRAME_MAPPING, of_mapping);
		lt_pb_number(&o->part, FRAME_PC, offset);
		lt_pb_message(&o->message, INTERNED_FRAME, &o->part);
	}
	return id;
}

/* The stack of a path; the parts of a stack, its callers, have numbers as well. */
static uint32_t stack(struct lt_pf_heap *h, struct lt_pf_out *o)
{
	uint32_t id = 0;

	for (unsigned int i = 0; i < h->path.n; i++) {
		h->ids[i] = frame(h, o, &h->path.frames[i]);
		id = lt_intern_number(&h->stacks, (uint64_t)h->ids[i] << 32 | id);
	}
	if (id >= h->n_sums)
		h->sums = lt_extend(h->sums, &h->n_sums, id + 1, sizeof(*h->sums));
	/* Of a stack that was written, births were counted at once. */
	if (!h->sums[id].births) {
		lt_pb_uint(&o->part, STACK_ID, id);
		for (unsigned int i = 0; i < h->path.n; i++)
			lt_pb_uint(&o->part, STACK_FRAME, h->ids[i]);
		lt_pb_message(&o->message, INTERNED_STACK, &o->part);
	}
	if (o->message.n)
		lt_pf_interned(o);
	return id;
}

static uint32_t stack_of_row(struct lt_pf_heap *h, struct lt_pf_out *o, const struct lt_profile *p,
			     uint32_t row)
{
	uint32_t *number = lt_row_number(&h->stack_of, row);

	if (!*number) {
		lt_profile_path(p, row == LT_PROFILE_OTHER ? &p->other : &p->rows[row], &h->path);
		*number = stack(h, o);
	}
	return *number;
}

/* ------------------------------------------------------------------------
 * Sums
 */

void lt_pf_heap_step(struct lt_pf_heap *h, struct lt_pf_out *o, const struct lt_profile *p,
		     const struct lt_profile_step *s)
{
	struct lt_pf_sum *sum;
	uint32_t number;

	if (!s->n)
		return;
	number = stack_of_row(h, o, p, s->row);
	sum = &h->sums[number];
	if (s->born) {
		sum->births += s->n;
		sum->bytes += s->n * s->bytes;
	} else {
		sum->ends += s->n;
		sum->freed_bytes += s->n * s->bytes;
	}
	sum->changed = true;
}

static void put_samples(struct lt_pf_heap *h, struct lt_pf_out *o, uint64_t time, const char *name,
			bool more)
{
	lt_pb_number(&o->note, PROCESS_PID, PID);
	lt_pb_number(&o->note, PROCESS_TIME, time < INT64_MAX ? time : INT64_MAX);
	lt_pb_bytes(&o->note, PROCESS_HEAP, name, strlen(name));
	lt_pb_message(&o->message, PROFILE_PROCESS, &o->note);
	lt_pb_uint(&o->message, PROFILE_CONTINUED, more);
	lt_pb_number(&o->message, PROFILE_INDEX, h->written++);
	lt_pf_samples(o, time);
}

void lt_pf_heap_write(struct lt_pf_heap *h, struct lt_pf_out *o, uint64_t time, const char *name)
{
	unsigned int n = 0;

	for (uint32_t i = 1; i < h->n_sums; i++) {
		struct lt_pf_sum *sum = &h->sums[i];

		if (!sum->changed)
			continue;
		if (n == SAMPLES) {
			put_samples(h, o, time, name, true);
			n = 0;
		}
		sum->changed = false;
		lt_pb_uint(&o->part, SAMPLE_STACK, i);
		lt_pb_uint(&o->part, SAMPLE_BYTES, sum->bytes);
		lt_pb_uint(&o->part, SAMPLE_FREED, sum->freed_bytes);
		lt_pb_uint(&o->part, SAMPLE_BIRTHS, sum->births);
		lt_pb_uint(&o->part, SAMPLE_ENDS, sum->ends);
		lt_pb_message(&o->note, PROCESS_SAMPLE, &o->part);
		n++;
	}
	if (n)
		put_samples(h, o, time, name, false);
}

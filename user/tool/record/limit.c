// SPDX-License-Identifier: GPL-2.0
/*
 * The limit of --max-size: when the recording must stop, and what has no room. The file
 * says so, which distinguishes a limit that the user has set from damage.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/schema.h"
#include "out/log.h"
#include "out/units.h"
#include "record/internal.h"

#define WINDOW_NS	(200 * NSEC_PER_MSEC)	/* period in which growth is measured */

/*
 * The bytes by which the file may still grow if the recording stops now: what the buffers
 * hold, and what is recorded until the counters are read and the tasks are written down. As
 * much as in the current or the latest period is assumed.
 */
static uint64_t expected(const struct lt_record_file *f)
{
	uint64_t now = f->w->offset - f->window_begin;

	return now > f->window_bytes ? now : f->window_bytes;
}

void lt_record_next_window(struct lt_record_file *f, uint64_t now)
{
	if (!f->w || now < f->window_ns)
		return;
	f->window_bytes = f->window_ns ? f->w->offset - f->window_begin : 0;
	f->window_begin = f->w->offset;
	f->window_ns = now + WINDOW_NS;
}

/*
 * Whether --max-size has room for a packet and the index of all. Nothing is written behind a
 * packet that had none: the streams all end about there.
 */
bool lt_record_has_room(const struct lt_record_file *f, uint64_t max, const struct lt_packet *p)
{
	uint64_t index = (f->w->n_index + 1) * sizeof(*f->w->index);

	if (!max)
		return true;
	return !f->left_out &&
	       f->w->offset + sizeof(struct lt_block_header) + p->size + index <= max;
}

bool lt_record_is_full(const struct lt_record_file *f, uint64_t max)
{
	return max && (f->left_out || f->w->offset + expected(f) >= max);
}

bool lt_record_no_room(const struct lt_writer *w, uint64_t max)
{
	char bytes[32];

	if (!max || w->offset < max)
		return false;
	lt_error("--max-size: the symbols and other texts of this machine take %s; nothing could be "
		 "recorded", lt_human_bytes(w->offset, bytes, sizeof(bytes)));
	return true;
}

void lt_record_leave_out(struct lt_record_file *f, struct lt_drain *d, const struct lt_packet *p)
{
	struct lt_drain_cpu *c = lt_drain_stream(d, p->channel, p->cpu);

	f->left_out++;
	f->left_out_bytes += p->size;
	if (c && !c->left_out++)
		memcpy(c->kept, c->counts, sizeof(c->kept));
}

/* What the counters of a stream count in the packets that were left out. */
static void print_stream(FILE *out, const struct lt_drain_cpu *c, const struct lt_schema *schema)
{
	fprintf(out, "left_out cpu %u %spackets %" PRIu64 "\n", c->cpu,
		lt_channel_get(c->channel)->stats_prefix, c->left_out);
	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		const struct lt_class_counts *a = &c->kept[i], *b = &c->counts[i];
		const char *name = schema->class_names[LT_CLASS(c->channel, i)];

		if (!memcmp(a, b, sizeof(*a)) || !*name)
			continue;
		fprintf(out, "left_out cpu %u class %s seen %" PRIu64 " lost_full %" PRIu64
			" lost_nmi %" PRIu64 " lost_nested %" PRIu64 " lost_nobuf %" PRIu64
			" filtered %" PRIu64 "\n", c->cpu, name, (uint64_t)(b->seen - a->seen),
			(uint64_t)(b->lost_full - a->lost_full),
			(uint64_t)(b->lost_nmi - a->lost_nmi),
			(uint64_t)(b->lost_nested - a->lost_nested),
			(uint64_t)(b->lost_nobuf - a->lost_nobuf),
			(uint64_t)(b->filtered - a->filtered));
	}
}

char *lt_record_left_out(const struct lt_recording *r, char *stats)
{
	struct lt_schema *schema;
	size_t size;
	char *text;
	FILE *out;

	if (!r->file.left_out || !stats)
		return stats;
	schema = lt_schema_parse(r->texts.schema, r->session.engine->dir);
	out = open_memstream(&text, &size);
	if (!out)
		lt_die("out of memory");
	fprintf(out, "%slimited max_size %" PRIu64 " packets %" PRIu64 " bytes %" PRIu64 "\n",
		stats, r->opts->max_size, r->file.left_out, r->file.left_out_bytes);
	for (size_t i = 0; schema && i < r->drain.n; i++) {
		if (r->drain.cpus[i].left_out)
			print_stream(out, &r->drain.cpus[i], schema);
	}
	fclose(out);
	lt_schema_free(schema);
	free(stats);
	return text;
}

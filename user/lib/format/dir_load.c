// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Loading what the directory of a file names: its texts and packets; and its notes.
 */
#include <stdarg.h>
#include <stdio.h>

#include "format/dir_internal.h"

void lt_dir_note(struct lt_dir_reader *r, uint64_t offset, const char *fmt, ...)
{
	char text[320];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	/* In a set, where one file ends the next one begins. */
	if (r->f->parts && offset == r->end)
		offset--;
	r->note_fn(r->arg, offset, text);
}

const struct lt_text_ref *lt_dir_text(const struct lt_dir *d, unsigned int type, size_t n)
{
	const struct lt_text_ref *found = NULL;

	for (size_t i = 0; i < d->n_texts; i++) {
		if (d->texts[i].type != type)
			continue;
		if (n != SIZE_MAX && !n--)
			return &d->texts[i];
		found = &d->texts[i];
	}
	return n == SIZE_MAX ? found : NULL;
}

/* Whether a packet is the one that the directory lists. */
static int check_packet(const struct lt_dir *d, const struct lt_stream_dir *s,
			const struct lt_packet_ref *ref, const struct lt_packet *p,
			struct lt_why *why)
{
	const char *what;

	if (p->channel != s->channel) {
		lt_why_set(why, "expected a packet of channel %u, found one of channel %u",
			   s->channel, p->channel);
		return -1;
	}
	if (p->cpu != s->cpu || p->seq != ref->seq ||
	    (d->have_session && p->session != d->session)) {
		lt_why_set(why, "expected packet %llu of cpu %u and session %llu, found packet %llu "
			   "of cpu %u and session %llu", (unsigned long long)ref->seq, s->cpu,
			   (unsigned long long)d->session, (unsigned long long)p->seq, p->cpu,
			   (unsigned long long)p->session);
		return -1;
	}
	if (p->begin != ref->begin || p->end != ref->end) {
		lt_why_set(why, "packet %llu of cpu %u: the index has the times %llu to %llu, its "
			   "header %llu to %llu", (unsigned long long)p->seq, p->cpu,
			   (unsigned long long)ref->begin, (unsigned long long)ref->end,
			   (unsigned long long)p->begin, (unsigned long long)p->end);
		return 1;
	}
	what = d->have_machine ? lt_packet_differs(p, &d->machine) : NULL;
	if (!what)
		return 0;
	lt_why_set(why, "packet %llu of cpu %u%s describes another machine than INFO or the other "
		   "packets: its %s differs", (unsigned long long)p->seq, p->cpu,
		   lt_of_channel(p->channel), what);
	return 1;
}

int lt_dir_load(const struct lt_dir *d, const struct lt_file *f,
		const struct lt_stream_dir *s, const struct lt_packet_ref *ref,
		struct lt_buf *buf, struct lt_buf *packed, struct lt_packet *p,
		struct lt_why *why)
{
	struct lt_block b;

	switch (lt_file_block(f, ref->offset, &b, why)) {
	case LT_BLOCK_OK:
		break;
	case LT_BLOCK_END:
		lt_why_set(why, "the index points behind the end of the file");
		return -1;
	default:
		return -1;
	}
	if (b.type != LT_BLOCK_PACKET) {
		lt_why_set(why, "the index points to a block of type %s, not to a packet",
			   lt_block_name(b.type));
		return -1;
	}
	if (lt_block_end(&b) - b.offset != ref->room) {
		lt_why_set(why, "the index gives the packet's block %llu bytes, it has %llu",
			   (unsigned long long)ref->room,
			   (unsigned long long)(lt_block_end(&b) - b.offset));
		return -1;
	}
	if (lt_file_payload(f, &b, buf, packed, why) ||
	    lt_packet_parse(p, buf->data, buf->size, why))
		return -1;
	return check_packet(d, s, ref, p, why);
}

/* Where the first packet of the file stands; UINT64_MAX: there is none. */
static uint64_t first_packet(const struct lt_dir *d)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < d->n_streams; i++) {
		for (size_t k = 0; d->streams[i] && k < d->streams[i]->n; k++) {
			if (d->streams[i]->refs[k].offset < first)
				first = d->streams[i]->refs[k].offset;
		}
	}
	return first;
}

bool lt_dir_odd_text(const struct lt_dir *d, uint64_t *at, struct lt_why *why)
{
	const unsigned int types[] = { LT_BLOCK_INFO, LT_BLOCK_SCHEMA };
	uint64_t packet = first_packet(d);

	if (d->odd) {
		*at = d->odd_at;
		*why = d->odd_why;
		return true;
	}
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct lt_text_ref *first = lt_dir_text(d, types[i], 0);
		const struct lt_text_ref *second = lt_dir_text(d, types[i], 1);

		if (second) {
			*at = second->offset;
			lt_why_set(why, "a second %s block, where a trace has one: the file holds "
				   "two traces, or parts of them; cut it there, and read each",
				   lt_block_name(types[i]));
			return true;
		}
		if (first && first->offset > packet) {
			*at = first->offset;
			lt_why_set(why, "the %s block stands behind packets, where it must stand "
				   "before the first one", lt_block_name(types[i]));
			return true;
		}
	}
	return false;
}

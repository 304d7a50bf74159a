// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What all packets of a trace have in common: byte order, sizes and bases of one machine. A
 * packet whose header has anything else is damaged there, and its records would decode to
 * wrong addresses.
 *
 * INFO has most of it. For the rest, and for files whose INFO lacks it, some packets are asked.
 */
#include <string.h>

#include "base/text.h"
#include "format/dir_internal.h"

#define ASKED	3U	/* packets: one of them may be damaged */

static bool is_equal(const struct lt_packet *a, const struct lt_packet *b)
{
	return !lt_packet_differs(a, b);
}

/* The headers of the first packets of the streams, then of the second ones. */
static unsigned int ask(struct lt_dir_reader *r, struct lt_packet *found)
{
	const struct lt_dir *d = r->d;
	unsigned int n = 0;
	struct lt_why why;
	bool more = true;

	for (size_t k = 0; more && n < ASKED && k < ASKED; k++) {
		more = false;
		for (size_t i = 0; n < ASKED && i < d->n_streams; i++) {
			const struct lt_stream_dir *s = d->streams[i];

			if (!s || k >= s->n)
				continue;
			more = true;
			n += !lt_dir_load(d, r->f, s, &s->refs[k], &r->buf, &r->packed, &found[n],
					  &why);
		}
	}
	return n;
}

/* Takes over what a line of INFO says. */
static void take_line(struct lt_packet *m, const char *line, size_t len)
{
	uint64_t v;

#define TAKE(key, member, type)				\
	do {						\
		if (lt_assigned(line, len, key, &v))	\
			m->member = (type)v;		\
	} while (0)
	TAKE("size_long", size_long, uint8_t);
	TAKE("size_ptr", size_ptr, uint8_t);
	TAKE("page_shift", page_shift, uint8_t);
	TAKE("text_base", text_base, uint64_t);
	TAKE("ptr_base", ptr_base, uint64_t);
#undef TAKE
	if (len == strlen("byte_order=big") && !memcmp(line, "byte_order=big", len))
		m->big = true;
	if (len == strlen("byte_order=little") && !memcmp(line, "byte_order=little", len))
		m->big = false;
}

static void take_info(struct lt_dir_reader *r)
{
	const struct lt_text_ref *info = lt_dir_text(r->d, LT_BLOCK_INFO, 0);
	const char *pos, *line;
	struct lt_block b;
	struct lt_why why;
	size_t len;

	if (!info || lt_file_block(r->f, info->offset, &b, &why) != LT_BLOCK_OK ||
	    lt_file_payload(r->f, &b, &r->buf, &r->packed, &why))
		return;
	pos = (const char *)r->buf.data;
	while (lt_line(&pos, &line, &len))
		take_line(&r->d->machine, line, len);
}

void lt_dir_find_machine(struct lt_dir_reader *r)
{
	struct lt_packet found[ASKED];
	unsigned int n = ask(r, found);

	if (!n)
		return;
	/* Two agree, or nothing can be said. */
	r->d->machine = n == ASKED && is_equal(&found[1], &found[2]) ? found[1] : found[0];
	take_info(r);
	r->d->machine.data = NULL;
	r->d->have_machine = true;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Cutting a window: loading packets and texts of the trace.
 */
#include <string.h>

#include "state/cut_internal.h"

bool lt_cut_load_packet(struct lt_cutter *c, const struct lt_stream_dir *s,
			const struct lt_packet_ref *ref, struct lt_packet *p)
{
	struct lt_why why;

	return !lt_dir_load(c->d, c->f, s, ref, &c->buf, &c->packed, p, &why);
}

bool lt_cut_load_kept(struct lt_cutter *c, const struct lt_stream_dir *s,
		      const struct lt_packet_ref *ref, struct lt_packet *p, bool count)
{
	struct lt_why why;

	if (!lt_cut_load_packet(c, s, ref, p))
		return false;
	return !c->keep || !lt_packet_parse(p, c->buf.data,
					    lt_keep_packet(c->keep, &c->buf, p->size, count), &why);
}

size_t lt_cut_keep_state(struct lt_cutter *c, const void *packet, size_t size)
{
	/* With LT_SLACK behind it. */
	lt_buf_reserve(&c->buf, size);
	memcpy(c->buf.data, packet, size);
	return c->keep ? lt_keep_packet(c->keep, &c->buf, size, false) : size;
}

const char *lt_cut_load_text(struct lt_cutter *c, const struct lt_text_ref *ref, bool *packed)
{
	struct lt_block b;
	struct lt_why why;

	if (lt_file_block(c->f, ref->offset, &b, &why) != LT_BLOCK_OK ||
	    lt_file_payload(c->f, &b, &c->buf, &c->packed, &why))
		return NULL;
	if (packed)
		*packed = b.flags & LT_BLOCK_ZSTD;
	/* lt_file_payload() has put zeros behind it. */
	return (const char *)c->buf.data;
}

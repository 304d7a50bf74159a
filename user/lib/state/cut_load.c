// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Cutting a window: loading packets and texts of the trace.
 */
#include "state/cut_internal.h"

bool lt_cut_load_packet(struct lt_cutter *c, const struct lt_stream_dir *s,
			const struct lt_packet_ref *ref, struct lt_packet *p)
{
	struct lt_why why;

	return !lt_dir_load(c->d, c->f, s, ref, &c->buf, &c->packed, p, &why);
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

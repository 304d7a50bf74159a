// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Verification of what a reader skips because it may be of a later version: in a file of this
 * version, or of an earlier one, it is damage.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/text.h"
#include "verify/internal.h"

/* Whether the file, or the module that made its packets, is of a later version than this one. */
bool lt_check_is_newer(const struct lt_checker *c)
{
	return c->f->minor > LT_FILE_MINOR || c->schema->minor > LT_VERSION_MINOR ||
	       (c->dir.have_machine && c->dir.machine.version_minor > LT_VERSION_MINOR);
}

void lt_check_flags(struct lt_checker *c, const struct lt_packet *p, uint64_t offset)
{
	const unsigned int known = LT_PACKET_LAST | LT_PACKET_WITHIN;

	if (c->newer || !(p->flags & ~known))
		return;
	lt_check_fail(c, LT_CHECK_HEADERS);
	lt_check_note(c, offset, "packet %" PRIu64 " of cpu %u%s: expected no flags but 0x%x, found 0x%x",
		      p->seq, p->cpu, lt_of_channel(p->channel), known, p->flags);
}

static void check_types(struct lt_checker *c)
{
	for (size_t i = 0; i < c->dir.n_texts; i++) {
		const struct lt_text_ref *t = &c->dir.texts[i];

		if (t->type && t->type < LT_N_BLOCK_TYPES)
			continue;
		lt_check_fail(c, LT_CHECK_BLOCKS);
		lt_check_note(c, t->offset, "expected a block of a type from 1 to %d, found type %u",
			      LT_N_BLOCK_TYPES - 1, t->type);
	}
}

/* The last bytes of the header of a file are 0. */
static void check_header(struct lt_checker *c, uint64_t base)
{
	struct lt_file_header h;
	uint64_t at = base + offsetof(struct lt_file_header, reserved);

	if (lt_file_pread(c->f, &h, sizeof(h), base) != sizeof(h))
		return;
	if (!lt_get32(&h.reserved, false))
		return;
	lt_check_fail(c, LT_CHECK_BLOCKS);
	lt_check_note(c, at, "expected 0 at the end of the file's header, found 0x%x",
		      lt_get32(&h.reserved, false));
}

void lt_check_unknown(struct lt_checker *c)
{
	uint64_t flags = c->dir.new_texts + c->dir.new_packets;

	if (c->newer)
		return;
	check_types(c);
	for (size_t i = 0; i < c->dir.n_parts; i++)
		check_header(c, c->dir.parts[i].base);
	/* The walk over the file has said where. */
	c->v->checks[LT_CHECK_BLOCKS].failures += flags;
	if (!c->dir.other_channel)
		return;
	lt_check_fail(c, LT_CHECK_HEADERS);
	lt_check_note(c, LT_NO_OFFSET, "%" PRIu64 " packets are of channels that version %d.%d of the "
		      "format does not have", c->dir.other_channel, LT_VERSION_MAJOR,
		      LT_VERSION_MINOR);
}

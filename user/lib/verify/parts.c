// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Verification of a recording that was cut: a part has the packets of its time and no others, a
 * packet that a cut divides is the same on both sides, and the parts are of one machine.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "verify/internal.h"

/* The part that has an offset; NULL: none has. */
static const struct lt_dir_part *part_at(const struct lt_dir *d, uint64_t offset)
{
	size_t behind = lt_first_not(d->n_parts, i, d->parts[i].base <= offset);

	/* The last part that begins at or before the offset. */
	return d->n_parts ? &d->parts[behind ? behind - 1 : 0] : NULL;
}

void lt_check_part_of(struct lt_checker *c, const struct lt_packet *p, uint64_t offset)
{
	const struct lt_dir_part *part = part_at(&c->dir, offset);

	if (!part)
		return;
	if (part->have_until && p->begin >= part->until) {
		lt_check_fail(c, LT_CHECK_TIME);
		lt_check_note(c, offset, "packet %" PRIu64 " of cpu %u%s: expected a begin before the end "
			      "of its part, %" PRIu64 ", found %" PRIu64, p->seq, p->cpu,
			      lt_of_channel(p->channel), part->until, p->begin);
	}
	if (part->have_cut && p->end < part->cut) {
		lt_check_fail(c, LT_CHECK_TIME);
		lt_check_note(c, offset, "packet %" PRIu64 " of cpu %u%s: expected an end at or after the "
			      "cut of its part, %" PRIu64 ", found %" PRIu64, p->seq, p->cpu,
			      lt_of_channel(p->channel), part->cut, p->end);
	}
}

/* The payload of the block at an offset, to be freed; NULL: it cannot be read. */
static uint8_t *load(struct lt_checker *c, uint64_t offset, size_t *size)
{
	struct lt_block b;
	struct lt_why why;
	uint8_t *copy;

	if (lt_file_block(c->f, offset, &b, &why) != LT_BLOCK_OK ||
	    lt_file_payload(c->f, &b, &c->buf, &c->packed, &why)) {
		lt_check_fail(c, LT_CHECK_BLOCKS);
		lt_check_note(c, offset, "%s", why.text);
		return NULL;
	}
	*size = c->buf.size;
	copy = lt_alloc(*size + 1);
	memcpy(copy, c->buf.data, *size);
	return copy;
}

/* The first byte in which the two differ. */
static size_t differs_at(const uint8_t *a, size_t n, const uint8_t *b, size_t m)
{
	size_t i = 0;

	while (i < n && i < m && a[i] == b[i])
		i++;
	return i;
}

/* One of the two is read. If the other one differs, one is damaged, and which is not known. */
static void check_copy(struct lt_checker *c, const struct lt_packet_copy *copy)
{
	size_t n, m = 0, at;
	uint8_t *a = load(c, copy->offset, &n), *b = a ? load(c, copy->other.offset, &m) : NULL;

	if (b && (n != m || memcmp(a, b, n))) {
		at = differs_at(a, n, b, m);
		lt_check_fail(c, LT_CHECK_SEQUENCE);
		lt_check_note(c, copy->other.offset, "this packet stands in two parts, and differs from the "
			      "one in the part before: expected %zu bytes and 0x%02x at byte %zu, "
			      "found %zu bytes and 0x%02x", n, at < n ? a[at] : 0, at, m,
			      at < m ? b[at] : 0);
	}
	free(a);
	free(b);
}

/* Lines that differ between the two, the first of them, for a message. */
static void check_text(struct lt_checker *c, const struct lt_dir_part *p, unsigned int type)
{
	struct lt_text_ref first = *lt_dir_text(&c->dir, type, 0);
	char *text = lt_check_load_text(c, &first), *other = NULL;
	uint64_t at = p->base + sizeof(struct lt_file_header);
	struct lt_block b = { .type = 0 };
	struct lt_why why;

	while (lt_file_block(c->f, at, &b, &why) == LT_BLOCK_OK && b.type != type &&
	       b.type != LT_BLOCK_PACKET)
		at = lt_block_end(&b);
	if (b.type == type)
		other = lt_check_load_text(c, &(struct lt_text_ref){ .offset = at });
	if (text && (!other || strcmp(text, other))) {
		lt_check_fail(c, LT_CHECK_BLOCKS);
		lt_check_note(c, at, "expected the text %s of the first part, found %s",
			      lt_block_name(type), other ? "another one" : "none");
	}
	free(text);
	free(other);
}

void lt_check_parts(struct lt_checker *c)
{
	for (size_t i = 0; i < c->dir.n_copies; i++)
		check_copy(c, &c->dir.copies[i]);
	for (size_t i = 1; i < c->dir.n_parts && lt_dir_text(&c->dir, LT_BLOCK_INFO, 0); i++)
		check_text(c, &c->dir.parts[i], LT_BLOCK_INFO);
}

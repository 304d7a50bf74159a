// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Packet headers: read in either byte order, and checked.
 */
#include <string.h>

#include "base/byteorder.h"
#include "format/packet.h"

#define AT(member)	(d + offsetof(struct lt_packet_header, member))

static int refuse(struct lt_why *why, const char *what, uint64_t found)
{
	lt_why_set(why, "packet header: %s, found %llu", what, (unsigned long long)found);
	return -1;
}

static void read_header(struct lt_packet *p, const uint8_t *d, bool big)
{
	p->big = big;
	p->version_minor = *AT(version_minor);
	p->header_size = lt_get16(AT(header_size), big);
	p->channel = *AT(channel);
	p->size_long = *AT(size_long);
	p->size_ptr = *AT(size_ptr);
	p->size_pid = *AT(size_pid);
	p->size_gfp = *AT(size_gfp);
	p->page_shift = *AT(page_shift);
	p->flags = lt_get16(AT(flags), big);
	p->cpu = lt_get32(AT(cpu), big);
	p->n_counts = lt_get32(AT(n_classes), big);
	p->seq = lt_get64(AT(seq), big);
	p->begin = lt_get64(AT(timestamp_begin), big);
	p->end = lt_get64(AT(timestamp_end), big);
	p->content_bits = lt_get64(AT(content_bits), big);
	p->discarded = lt_get64(AT(discarded), big);
	p->text_base = lt_get64(AT(text_base), big);
	p->ptr_base = lt_get64(AT(ptr_base), big);
	p->session = lt_get64(AT(session), big);
}

/* 1: big-endian, 0: little-endian, -1: not a packet. */
static int byte_order(const uint8_t *d)
{
	if (lt_get32(d, true) == LT_PACKET_MAGIC)
		return 1;
	return lt_get32(d, false) == LT_PACKET_MAGIC ? 0 : -1;
}

int lt_packet_header(struct lt_packet *p, const void *data, size_t avail, size_t size,
		     struct lt_why *why)
{
	const uint8_t *d = data;
	uint64_t bits;
	int order;

	if (avail < LT_PACKET_MIN || size < LT_PACKET_MIN)
		return refuse(why, "at least 96 bytes expected", avail < size ? avail : size);
	order = byte_order(d);
	if (order < 0) {
		lt_why_set(why, "packet header: expected the magic c1 fc 1f c1 in either byte order, "
			   "found %02x %02x %02x %02x", d[0], d[1], d[2], d[3]);
		return -1;
	}
	if (*AT(version_major) != LT_VERSION_MAJOR)
		return refuse(why, "format version 1.x expected", *AT(version_major));
	read_header(p, d, order);
	p->data = d;
	p->size = size;
	if (p->content_bits != (uint64_t)size * 8)
		return refuse(why, "content_bits that equals the packet's size expected",
			      p->content_bits);
	bits = lt_get64(AT(packet_bits), order);
	if (bits != p->content_bits)
		return refuse(why, "packet_bits equal to content_bits expected", bits);
	if (p->n_counts > UINT16_MAX / sizeof(struct lt_class_counts))
		return refuse(why, "a number of classes expected", p->n_counts);
	if (p->header_size < LT_PACKET_MIN + p->n_counts * sizeof(struct lt_class_counts) ||
	    p->header_size > size)
		return refuse(why, "a header_size that holds the counters and is within the "
			      "packet expected", p->header_size);
	if (p->cpu >= LT_MAX_CPU)
		return refuse(why, "a CPU number below 65536 expected", p->cpu);
	if (p->end < p->begin)
		return refuse(why, "timestamp_end at or after timestamp_begin expected", p->end);
	if (p->size_ptr != 4 && p->size_ptr != 8)
		return refuse(why, "a pointer of 4 or 8 bytes expected", p->size_ptr);
	if (p->size_long != 4 && p->size_long != 8)
		return refuse(why, "a long of 4 or 8 bytes expected", p->size_long);
	if (p->page_shift < 10 || p->page_shift > 24)
		return refuse(why, "a page_shift of 10 to 24 expected", p->page_shift);
	if (p->n_counts > LT_N_CLASSES)
		p->n_counts = LT_N_CLASSES;
	return 0;
}

int lt_packet_parse(struct lt_packet *p, const void *data, size_t size, struct lt_why *why)
{
	return lt_packet_header(p, data, size, size, why);
}

const char *lt_packet_differs(const struct lt_packet *a, const struct lt_packet *b)
{
#define BOTH(member)	a->member, b->member
	const struct {
		uint64_t a, b;
		const char *name;
	} members[] = {
		{ BOTH(big), "byte order" },
		{ BOTH(version_minor), "version" },
		{ BOTH(header_size), "header_size" },
		{ BOTH(n_counts), "n_classes" },
		{ BOTH(size_long), "size_long" },
		{ BOTH(size_ptr), "size_ptr" },
		{ BOTH(size_pid), "size_pid" },
		{ BOTH(size_gfp), "size_gfp" },
		{ BOTH(page_shift), "page_shift" },
		{ BOTH(text_base), "text_base" },
		{ BOTH(ptr_base), "ptr_base" },
	};
#undef BOTH

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (members[i].a != members[i].b)
			return members[i].name;
	}
	return NULL;
}

size_t lt_packet_length(const void *data, size_t avail)
{
	const uint8_t *d = data;
	uint64_t bits;
	int order;

	if (avail < LT_PACKET_MIN)
		return 0;
	order = byte_order(d);
	if (order < 0)
		return 0;
	bits = lt_get64(AT(content_bits), order);
	if (bits % 8 || bits / 8 < LT_PACKET_MIN || bits / 8 > avail)
		return 0;
	return (size_t)(bits / 8);
}

struct lt_class_counts lt_packet_counts(const struct lt_packet *p, unsigned int i)
{
	struct lt_class_counts c = { 0 };
	const uint8_t *d;

	if (i >= p->n_counts)
		return c;
	d = p->data + LT_PACKET_MIN + i * sizeof(c);
	c.seen = lt_get64(d, p->big);
	c.lost_full = lt_get64(d + 8, p->big);
	c.lost_nmi = lt_get64(d + 16, p->big);
	c.lost_nested = lt_get64(d + 24, p->big);
	c.lost_nobuf = lt_get64(d + 32, p->big);
	c.filtered = lt_get64(d + 40, p->big);
	return c;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Packed columns of a packet. The first byte of the input selects what follows: columns behind
 * the size of the packet (u32), a packet, or the payload of a compressed block. What can be
 * unpacked and packed again must come back unchanged.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "format/pack.h"
#include "base/crc32c.h"
#include "format/block.h"
#include "fuzz.h"
#include "format/schema.h"

#define MAX_PACKET	(1U << 18)

static struct lt_pack *columns;

static void round_trip(const uint8_t *packet, size_t size)
{
	struct lt_why why = { "" };
	uint8_t *back;

	if (!lt_pack_packet(columns, packet, size))
		return;
	if (columns->out.size > lt_pack_max((uint32_t)size))
		fuzz_wrong("more columns than there may be");
	if (columns->parts[0] + columns->parts[1] + columns->parts[2] != columns->out.size)
		fuzz_wrong("the parts are not the whole");
	back = malloc(size + LT_SLACK);
	if (lt_pack_restore(columns->out.data, columns->out.size, back, size, &why))
		fuzz_wrong("columns that were packed are refused: %s", why.text);
	if (memcmp(back, packet, size))
		fuzz_wrong("a packet comes back as another one");
	free(back);
}

static void unpack(const uint8_t *data, size_t size)
{
	struct lt_why why;
	uint8_t *packet;
	uint32_t raw;

	if (size < sizeof(raw))
		return;
	memcpy(&raw, data, sizeof(raw));
	raw = le32toh(raw);
	/* Small sizes are taken exactly, large ones are limited, so that a run stays fast. */
	raw = raw < MAX_PACKET ? raw : MAX_PACKET;
	packet = malloc(raw + 1UL);
	if (!lt_pack_restore(data + sizeof(raw), size - sizeof(raw), packet, raw, &why)) {
		uint8_t *copy = calloc(1, raw + LT_SLACK);

		memcpy(copy, packet, raw);
		round_trip(copy, raw);
		free(copy);
	}
	free(packet);
}

static void block(const uint8_t *data, size_t size)
{
	struct lt_file_header fh = { .version_major = htole16(LT_FILE_MAJOR) };
	struct lt_block_header h = { .magic = htole32(LT_BLOCK_MAGIC) };
	struct lt_buf payload = { 0 }, packed = { 0 };
	uint8_t *image;
	struct lt_file *f;
	struct lt_block b;
	struct lt_why why;

	if (size < 6)
		return;
	h.type = htole16(data[0] % 12);
	h.flags = htole16(data[1] & 7);
	memcpy(&h.raw_length, data + 2, 4);
	data += 6;
	size -= 6;
	h.length = htole32((uint32_t)size);
	h.payload_crc = htole32(lt_crc32c(0, data, size));
	h.header_crc = htole32(lt_crc32c(0, &h, 20));
	memcpy(fh.magic, LT_FILE_MAGIC, sizeof(fh.magic));
	image = malloc(sizeof(fh) + sizeof(h) + size);
	memcpy(image, &fh, sizeof(fh));
	memcpy(image + sizeof(fh), &h, sizeof(h));
	memcpy(image + sizeof(fh) + sizeof(h), data, size);
	f = lt_file_open(fuzz_file(image, sizeof(fh) + sizeof(h) + size));
	if (f && lt_file_block(f, LT_FILE_FIRST, &b, &why) == LT_BLOCK_OK &&
	    !lt_file_payload(f, &b, &payload, &packed, &why)) {
		if (payload.size != b.raw_length)
			fuzz_wrong("a payload of another size than the block says");
		if (b.type == LT_BLOCK_PACKET && payload.size <= MAX_PACKET)
			round_trip(payload.data, payload.size);
	}
	lt_buf_free(&payload);
	lt_buf_free(&packed);
	lt_file_close(f);
	free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!columns) {
		struct lt_schema *schema = lt_schema_parse(fuzz_schema_text(), "fuzz");

		columns = lt_pack_new(schema);
		lt_schema_free(schema);
	}
	if (!size)
		return 0;
	fuzz_memory_begin();
	switch (data[0] % 3) {
	case 0:
		unpack(data + 1, size - 1);
		break;
	case 1:
		round_trip(data + 1, size - 1);
		break;
	default:
		block(data + 1, size - 1);
	}
	lt_buf_free(&columns->out);
	lt_buf_free(&columns->scratch);
	fuzz_memory_end(4 * MAX_PACKET + (4U << 20) + 1024 * size);
	return 0;
}

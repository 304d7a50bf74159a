// SPDX-License-Identifier: GPL-2.0
/*
 * Golden files with one fault in what is around packets: what is still read, and
 * which invariant the verification says is broken.
 */
#include <unistd.h>

#include "goldentest.h"

/* One change to the bytes of a file. */
typedef void spoil_fn(uint8_t *data, size_t *size);

static void file_fault(const char *what, spoil_fn *spoil, unsigned int flags, struct expected e)
{
	struct tg *g = golden();
	size_t size;
	uint8_t *whole = tg_file(g, flags, &size), *data = malloc(size + 4096);

	memcpy(data, whole, size);
	free(whole);
	spoil(data, &size);
	expect(what, data, size, e);
	free(data);
	tg_free(g);
}

#define BLOCK_FAULT(name, n, code)					\
static void name(uint8_t *data, size_t *size)				\
{									\
	uint8_t *b = data + block(data, n);				\
									\
	(void)b, (void)size;						\
	code;								\
}

BLOCK_FAULT(bad_file_magic, INFO, data[0] = 'X')
BLOCK_FAULT(major, INFO, put(data + 8, 2, 2, false))
BLOCK_FAULT(newer_minor, INFO, put(data + 10, 2, 9, false))
BLOCK_FAULT(header_only, INFO, *size = FIRST)
BLOCK_FAULT(header_crc, P01, b[20] ^= 1)
BLOCK_FAULT(block_magic, P01, b[0] ^= 1)
BLOCK_FAULT(payload_crc, P01, b[HEADER + 870] ^= 1)
BLOCK_FAULT(schema_crc, SCHEMA, b[HEADER + 5] ^= 1)
BLOCK_FAULT(info_crc, INFO, b[HEADER + 5] ^= 1)
BLOCK_FAULT(beyond_file, P01, put(b + 8, 4, 1 << 20, false);
	    put(b + 12, 4, 1 << 20, false); fix_header(b))
BLOCK_FAULT(raw_differs, P01, put(b + 12, 4, 5, false); fix_header(b))
BLOCK_FAULT(too_long, P01, put(b + 8, 4, LT_BLOCK_MAX + 1, false);
	    put(b + 12, 4, LT_BLOCK_MAX + 1, false); fix_header(b))
BLOCK_FAULT(all_ones, P01, put(b + 8, 8, UINT64_MAX, false); fix_header(b))
BLOCK_FAULT(unknown_type, STATS, put(b + 4, 2, 99, false); fix_header(b))
BLOCK_FAULT(packet_to_unknown, P01, put(b + 4, 2, 99, false); fix_header(b))
BLOCK_FAULT(unknown_flags, P01, put(b + 6, 2, 0x80, false); fix_header(b))
BLOCK_FAULT(no_schema, SCHEMA, put(b + 4, 2, 99, false); fix_header(b))
BLOCK_FAULT(empty_packet, P10, put(b + 8, 8, 0, false); fix_block(b);
	    *size = (size_t)(b + HEADER - data))
BLOCK_FAULT(bad_frame, P01, b[HEADER + 6] ^= 0xff; memset(b + HEADER + 12, 0xff, 20); fix_block(b))
BLOCK_FAULT(not_a_frame, P01, b[HEADER] ^= 0xff; fix_block(b))
BLOCK_FAULT(raw_smaller, P01, put(b + 12, 4, 100, false); fix_header(b))
BLOCK_FAULT(raw_larger, P01, put(b + 12, 4, 20000, false); fix_header(b))
BLOCK_FAULT(raw_bomb, P01, put(b + 12, 4, LT_BLOCK_MAX, false); fix_header(b))
BLOCK_FAULT(raw_huge, P01, put(b + 12, 4, UINT32_MAX, false); fix_header(b))
BLOCK_FAULT(index_behind, INDEX, put(b + HEADER + 3 * 40, 8, 1 << 30, false); fix_block(b))
BLOCK_FAULT(index_order, INDEX, put(b + HEADER + 3 * 40, 8, FIRST, false); fix_block(b))
BLOCK_FAULT(index_seq, INDEX, put(b + HEADER + 3 * 40 + 8, 8, 7, false); fix_block(b))
BLOCK_FAULT(index_cpu, INDEX, put(b + HEADER + 3 * 40 + 32, 4, 1, false); fix_block(b))
BLOCK_FAULT(index_cpu_huge, INDEX, put(b + HEADER + 3 * 40 + 32, 4, UINT32_MAX, false);
	    fix_block(b))
BLOCK_FAULT(index_time, INDEX, put(b + HEADER + 3 * 40 + 16, 8, 0, false); fix_block(b))
BLOCK_FAULT(index_middle, INDEX,
	    put(b + HEADER + 3 * 40, 8, block(data, P01) + 1, false); fix_block(b))
BLOCK_FAULT(index_type, INDEX, put(b + HEADER + 6 * 40 + 36, 4, LT_CHANNEL_KMEM, false);
	    fix_block(b))
BLOCK_FAULT(index_crc, INDEX, b[HEADER] ^= 1)
BLOCK_FAULT(trailer_index, TRAILER, put(b + HEADER, 8, UINT64_MAX, false); fix_block(b))
BLOCK_FAULT(trailer_blocks, TRAILER, put(b + HEADER + 8, 8, 3, false); fix_block(b))
BLOCK_FAULT(trailer_packets, TRAILER, put(b + HEADER + 16, 8, 3, false); fix_block(b))
BLOCK_FAULT(trailer_packets_2, TRAILER - 1, put(b + HEADER + 16, 8, 3, false); fix_block(b))
BLOCK_FAULT(trailer_bytes, TRAILER, put(b + HEADER + 24, 8, 3, false); fix_block(b))
BLOCK_FAULT(trailer_crc, TRAILER, b[HEADER] ^= 1)
/* A zstd frame that is skipped: 32 bytes that unpack to none. */
BLOCK_FAULT(trailer_skippable, TRAILER, memcpy(b + HEADER, "\x50\x2a\x4d\x18\x18\0\0\0", 8);
	    put(b + 6, 2, LT_BLOCK_ZSTD, false); put(b + 12, 4, 0, false); fix_block(b))
BLOCK_FAULT(after_trailer, TRAILER, memcpy(data + *size, "rubbish, rubbish, rubbish", 25);
	    *size += 25)

static void test_file_header(void **state)
{
	const struct expected no = { UNUSABLE, 0, "unusable", "expected the magic" };

	(void)state;
	file_fault("file magic", bad_file_magic, 0, no);
	file_fault("major", major, 0, (struct expected){ UNUSABLE, 0, "unusable", "version" });
	file_fault("newer minor", newer_minor, 0, (struct expected){ 8, 0, "", "newer" });
	file_fault("header only", header_only, 0,
		   (struct expected){ UNUSABLE, 0, "unusable", "SCHEMA" });
	expect("15 bytes", LT_FILE_MAGIC "\1\0\0\0\0\0", 15,
	       (struct expected){ UNUSABLE, 0, "unusable", "only 15 bytes" });
	expect("empty", "", 0, (struct expected){ UNUSABLE, 0, "unusable", "only 0 bytes" });
}

struct file_case {
	const char *name;
	spoil_fn *spoil;
	unsigned int flags;
	struct expected e;
};

static const struct file_case file_cases[] = {
	{ "header crc", header_crc, 0,
	  { 6, 1400, UNFRAMED, "a block header's CRC: expected" } },
	{ "header crc, no index", header_crc, TG_NO_INDEX,
	  { 6, 1400, "blocks=1 trailer=1 sequence=1 conservation=3", "a block header's CRC: expected" } },
	{ "block magic, torn", block_magic, TG_NO_TRAILER,
	  { 6, UINT64_MAX, "blocks=1 trailer=1 sequence=1 conservation=3",
	    "expected a block's magic 'LTBK'" } },
	{ "payload crc", payload_crc, 0,
	  { 6, 1400, "blocks=1 sequence=1 conservation=3", "CRC of a block of type PACKET: expected" } },
	{ "payload crc, no index", payload_crc, TG_NO_INDEX,
	  { 6, 1400, "blocks=1 sequence=1 conservation=3", "CRC of a block of type PACKET: expected" } },
	{ "schema crc", schema_crc, 0,
	  { UNUSABLE, 0, "unusable", "CRC of a block of type SCHEMA: expected" } },
	{ "info crc", info_crc, 0,
	  { 8, 0, "blocks=1", "CRC of a block of type INFO: expected" } },
	{ "length beyond the file", beyond_file, 0,
	  { 6, 1400, UNFRAMED, "the file ends within a block of type PACKET" } },
	{ "raw length differs", raw_differs, 0,
	  { 6, 1400, UNFRAMED, "a block's lengths: expected at most" } },
	{ "too long", too_long, 0,
	  { 6, 1400, UNFRAMED, "a block's lengths: expected at most" } },
	{ "length of all ones", all_ones, 0,
	  { 6, 1400, UNFRAMED, "a block's lengths: expected at most" } },
	{ "unknown type", unknown_type, 0, { 8, 0, "blocks=1 index=1", NULL } },
	{ "unknown type, no index", unknown_type, TG_NO_INDEX, { 8, 0, "blocks=1", NULL } },
	{ "packet to unknown", packet_to_unknown, TG_NO_INDEX,
	  { 6, 1400, "blocks=1 trailer=1 sequence=1 conservation=3", NULL } },
	{ "unknown flags", unknown_flags, 0,
	  { 6, 1400, "blocks=1", "is known to this version" } },
	{ "no schema", no_schema, 0, { UNUSABLE, 0, "unusable", "expected a SCHEMA block" } },
	{ "empty packet", empty_packet, 0,
	  { 6, UINT64_MAX, "trailer=1 headers=1", "packet header: at least" } },
	{ "zstd damaged", bad_frame, TG_ZSTD,
	  { 6, 1400, REFUSED, "zstd: Data corruption detected" } },
	{ "zstd no frame", not_a_frame, TG_ZSTD,
	  { 6, 1400, REFUSED, "expected exactly one zstd frame in the block" } },
	{ "zstd bomb", raw_smaller, TG_ZSTD,
	  { 6, 1400, "trailer=1 index=1 headers=1 sequence=1 conservation=3", "buffer is too small" } },
	{ "zstd raw larger", raw_larger, TG_ZSTD,
	  { 6, 1400, "trailer=1 index=1 headers=1 sequence=1 conservation=3", "bytes unpacked" } },
	{ "zstd raw of a bomb", raw_bomb, TG_ZSTD,
	  { 6, 1400, "trailer=1 index=1 headers=1 sequence=1 conservation=3", "unpack to at most" } },
	{ "zstd raw huge", raw_huge, TG_ZSTD,
	  { 6, 1400, UNFRAMED, "a block's lengths: expected at most" } },
	{ "index behind", index_behind, 0, { 8, 0, "index=1", NULL } },
	{ "index order", index_order, 0, { 8, 0, "index=1", NULL } },
	{ "index seq", index_seq, 0, { 8, 0, "index=1", NULL } },
	{ "index cpu", index_cpu, 0, { 8, 0, "index=1", NULL } },
	{ "index cpu huge", index_cpu_huge, 0, { 8, 0, "index=1", NULL } },
	{ "index time", index_time, 0, { 8, 0, "index=1", NULL } },
	{ "index into a block", index_middle, 0,
	  { 4, 1400, "index=1", "expected a block's magic 'LTBK'" } },
	{ "index type", index_type, 0, { 8, 0, "index=1", NULL } },
	{ "index crc", index_crc, 0, { 8, 0, "index=1", NULL } },
	{ "trailer index", trailer_index, 0, { 8, 0, "index=1", NULL } },
	{ "trailer blocks", trailer_blocks, 0, { 8, 0, "trailer=1 index=1", NULL } },
	{ "trailer packets", trailer_packets, 0, { 8, 0, "trailer=1 index=1", NULL } },
	{ "trailer packets, no index", trailer_packets_2, TG_NO_INDEX,
	  { 8, 0, "trailer=1", NULL } },
	{ "trailer bytes", trailer_bytes, 0, { 8, 0, "trailer=1", NULL } },
	{ "trailer crc", trailer_crc, 0,
	  { 8, 0, "blocks=1 trailer=1", "the trailer is damaged" } },
	{ "trailer unpacks to nothing", trailer_skippable, 0,
	  { 8, 0, "blocks=1 trailer=1", "the trailer is damaged" } },
	{ "after the trailer", after_trailer, 0,
	  { 8, 0, "trailer=1 index=1", "expected a block's magic 'LTBK'" } },
};

static void test_blocks(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(file_cases) / sizeof(file_cases[0]); i++)
		file_fault(file_cases[i].name, file_cases[i].spoil, file_cases[i].flags,
			   file_cases[i].e);
}

/* Cut from the third packet on: what stands before is read. */
static void test_truncated(void **state)
{
	struct tg *g = golden();
	char path[512];
	size_t size, ends[3];
	uint8_t *data;

	(void)state;
	data = tg_file(g, 0, &size);
	ends[0] = block(data, P10);
	ends[1] = block(data, STATS);
	ends[2] = block(data, INDEX);
	strcpy(path, test_path("cut.lt"));
	assert_int_equal(tg_save(path, data, size), 0);
	for (size_t cut = size - 1; cut >= block(data, P02); cut--) {
		struct expected e = {
			4 + (cut >= ends[0]) * 2 + (cut >= ends[1]) * 2,
			/* With a last packet, but not when it was stopped. */
			cut >= ends[0] && cut < ends[2] ? UINT64_MAX : 0,
			cut < ends[0] ? "trailer=1 last packet=1" : "trailer=1", "the file ends",
		};

		if (!tg_tried(data, size, cut))
			continue;
		assert_int_equal(truncate(path, (off_t)cut), 0);
		expect_file("cut", path, &e);
	}
	free(data);
	tg_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_header),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_truncated),
	};

	return cmocka_run_group_tests_name("golden_file", tests, NULL, NULL);
}

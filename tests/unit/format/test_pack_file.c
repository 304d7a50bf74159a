// SPDX-License-Identifier: GPL-2.0
/*
 * Columns of packets in a file: what is written is read, what cannot be cut is stored as it is,
 * and of blocks that are damaged or not possible nothing bad is taken.
 */
#include <unistd.h>
#include <zstd.h>

#include "base/crc32c.h"
#include "packtest.h"
#include "verify/check.h"

#define HEADER	sizeof(struct lt_block_header)

static void write_file(const char *path, struct tg *g, bool zstd, size_t damaged)
{
	struct lt_writer *w = lt_writer_open(path, false);
	const char *info = tg_info_text(g), *text = tg_schema_text(g);
	struct lt_schema *schema = lt_schema_parse(text, "test");
	struct tg_packet *p;
	size_t n;

	assert_non_null(w);
	w->zstd = zstd;
	lt_writer_pack(w, schema);
	lt_schema_free(schema);
	assert_int_equal(lt_writer_text(w, LT_BLOCK_INFO, false, info, strlen(info)), 0);
	assert_int_equal(lt_writer_text(w, LT_BLOCK_SCHEMA, false, text, strlen(text)), 0);
	p = tg_packets(g, &n);
	for (size_t i = 0; i < n; i++) {
		if (i == damaged)	/* a record that was never completed */
			memset(p[i].data + sizeof(struct lt_packet_header), 0, 4);
		assert_int_equal(lt_writer_packet(w, p[i].data, p[i].size, p[i].cpu, p[i].channel,
						  p[i].seq, p[i].begin, p[i].end), 0);
	}
	assert_int_equal(lt_writer_finish(w), 0);
	assert_int_equal(lt_writer_close(w), 0);
}

/* Every packet of the file is the one that was written. */
static void expect_packets(const char *path, struct tg *g, bool zstd, size_t damaged)
{
	struct lt_file *f = lt_file_open(path);
	struct lt_buf payload = { 0 }, packed = { 0 };
	struct lt_block b;
	struct tg_packet *p;
	struct lt_why why;
	size_t n, k = 0;

	assert_non_null(f);
	p = tg_packets(g, &n);
	for (uint64_t at = LT_FILE_FIRST; lt_file_block(f, at, &b, &why) == LT_BLOCK_OK;
	     at = lt_block_end(&b)) {
		if (b.type != LT_BLOCK_PACKET) {
			assert_false(b.flags & LT_BLOCK_COLUMNS);
			continue;
		}
		assert_int_equal(b.flags, !zstd ? 0U : k == damaged ? LT_BLOCK_ZSTD :
				 LT_BLOCK_ZSTD | LT_BLOCK_COLUMNS);
		assert_int_equal(lt_file_payload(f, &b, &payload, &packed, &why), 0);
		assert_int_equal(payload.size, p[k].size);
		assert_memory_equal(payload.data, p[k].data, p[k].size);
		for (size_t i = 0; i < LT_SLACK; i++)
			assert_int_equal(payload.data[payload.size + i], 0);
		k++;
	}
	assert_int_equal(k, n);
	lt_buf_free(&payload);
	lt_buf_free(&packed);
	lt_file_close(f);
}

static void test_file(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		struct tg *g = some_trace(i & 1, i & 2, 4096, 2000);
		size_t damaged = i & 4 ? 3 : SIZE_MAX;
		struct lt_verify_result *v;

		write_file(test_path("z.lt"), g, true, damaged);
		expect_packets(test_path("z.lt"), g, true, damaged);
		if (damaged == SIZE_MAX) {
			v = lt_verify(test_path("z.lt"));
			assert_int_equal(v->checks[LT_CHECK_BLOCKS].failures, 0);
			assert_int_equal(v->checks[LT_CHECK_HEADERS].failures, 0);
			assert_true(v->records > 2000);
			lt_verify_result_free(v);
		}
		/* Without compression there are no columns. */
		write_file(test_path("p.lt"), g, false, SIZE_MAX);
		expect_packets(test_path("p.lt"), g, false, SIZE_MAX);
		tg_free(g);
	}
}

/* What the reader says of the only block of a file; NULL: it takes it. */
static const char *only_block(const uint8_t *data, size_t size, struct lt_buf *payload)
{
	static struct lt_why why;
	struct lt_buf packed = { 0 };
	struct lt_block b;
	struct lt_file *f;
	bool good;

	assert_int_equal(tg_save(test_path("b.lt"), data, size), 0);
	f = lt_file_open(test_path("b.lt"));
	assert_non_null(f);
	good = lt_file_block(f, LT_FILE_FIRST, &b, &why) == LT_BLOCK_OK &&
	       !lt_file_payload(f, &b, payload, &packed, &why);
	lt_buf_free(&packed);
	lt_file_close(f);
	return good ? NULL : why.text;
}

/* A file with one block, its flags and payload as they are given. */
static uint8_t *file_of(unsigned int type, unsigned int flags, uint32_t raw,
			const void *stored, size_t length, size_t *size)
{
	struct lt_block_header h = {
		.magic = htole32(LT_BLOCK_MAGIC), .type = htole16((uint16_t)type),
		.flags = htole16((uint16_t)flags), .length = htole32((uint32_t)length),
		.raw_length = htole32(raw), .payload_crc = htole32(lt_crc32c(0, stored, length)),
	};
	uint8_t *data;

	h.header_crc = htole32(lt_crc32c(0, &h, 20));
	*size = LT_FILE_FIRST + HEADER + length;
	data = calloc(1, *size);
	memcpy(data, "LIFETRAC\1", 9);
	memcpy(data + LT_FILE_FIRST, &h, HEADER);
	memcpy(data + LT_FILE_FIRST + HEADER, stored, length);
	return data;
}

static void expect_block(unsigned int type, unsigned int flags, uint32_t raw,
			 const void *stored, size_t length, const char *text)
{
	struct lt_buf payload = { 0 };
	const char *why;
	uint8_t *data;
	size_t size;

	data = file_of(type, flags, raw, stored, length, &size);
	why = only_block(data, size, &payload);
	if (text ? !why || !strstr(why, text) : why != NULL)
		fail_msg("expected '%s', found '%s'", text ? text : "", why ? why : "");
	lt_buf_free(&payload);
	free(data);
}

#define BOTH	(LT_BLOCK_ZSTD | LT_BLOCK_COLUMNS)

static size_t compress_unsized(void *to, size_t room, const void *from, size_t size)
{
	ZSTD_CCtx *cctx = ZSTD_createCCtx();
	size_t n;

	ZSTD_CCtx_setParameter(cctx, ZSTD_c_contentSizeFlag, 0);
	n = ZSTD_compress2(cctx, to, room, from, size);
	ZSTD_freeCCtx(cctx);
	assert_false(ZSTD_isError(n));
	return n;
}

static void test_refused_blocks(void **state)
{
	struct tg *g = some_trace(true, true, 4096, 200);
	struct lt_pack *c = columns_of(g);
	static uint8_t packed[1 << 18], zeros[3 << 16];
	struct tg_packet *p;
	uint32_t raw;
	size_t n;

	(void)state;
	p = tg_packets(g, &n);
	raw = (uint32_t)p[0].size;
	assert_true(lt_pack_packet(c, p[0].data, raw));
	n = ZSTD_compress(packed, sizeof(packed), c->out.data, c->out.size, 1);
	expect_block(LT_BLOCK_PACKET, BOTH, raw, packed, n, NULL);
	expect_block(LT_BLOCK_STATS, BOTH, raw, packed, n, "expected columns of a packet only");
	expect_block(LT_BLOCK_PACKET, LT_BLOCK_COLUMNS, (uint32_t)n, packed, n,
		     "expected columns of a packet only, and compressed");
	expect_block(LT_BLOCK_PACKET, 4 | BOTH, raw, packed, n, "only 0x3 is known");
	expect_block(LT_BLOCK_PACKET, LT_BLOCK_ZSTD, raw, packed, n, "bytes unpacked");
	expect_block(LT_BLOCK_PACKET, BOTH, raw + 1, packed, n, "bytes of the packet");
	expect_block(LT_BLOCK_PACKET, BOTH, 0, packed, n, "columns of a packet");
	expect_block(LT_BLOCK_PACKET, BOTH, raw, packed, 0, "expected that it says its size");
	n = compress_unsized(packed, sizeof(packed), c->out.data, c->out.size);
	expect_block(LT_BLOCK_PACKET, BOTH, raw, packed, n, "expected that it says its size");
	/* More than columns can have; and as much as they can, of nothing. */
	n = ZSTD_compress(packed, sizeof(packed), zeros, lt_pack_max(raw) + 1, 1);
	expect_block(LT_BLOCK_PACKET, BOTH, raw, packed, n, "of at most");
	n = ZSTD_compress(packed, sizeof(packed), zeros, lt_pack_max(raw), 1);
	expect_block(LT_BLOCK_PACKET, BOTH, raw, packed, n, "the packet's magic");
	lt_pack_free(c);
	tg_free(g);
}

/* Of a block that was changed nothing is taken; of one whose CRC fits, nothing bad. */
static void test_changed_block(void **state)
{
	struct tg *g = some_trace(false, true, 1500, 200);
	struct lt_pack *c = columns_of(g);
	struct lt_buf payload = { 0 };
	uint8_t packed[4096], *data;
	struct tg_packet *p;
	size_t n, size;

	(void)state;
	p = tg_packets(g, &n);
	assert_true(lt_pack_packet(c, p[0].data, p[0].size));
	n = ZSTD_compress(packed, sizeof(packed), c->out.data, c->out.size, 1);
	data = file_of(LT_BLOCK_PACKET, BOTH, (uint32_t)p[0].size, packed, n, &size);
	for (size_t bit = LT_FILE_FIRST * 8; bit < size * 8; bit += 1 + draw(15)) {
		data[bit / 8] ^= (uint8_t)(1U << bit % 8);
		assert_non_null(only_block(data, size, &payload));
		data[bit / 8] ^= (uint8_t)(1U << bit % 8);
	}
	for (size_t k = LT_FILE_FIRST + 1; k < size; k += 1 + draw(8))
		assert_non_null(only_block(data, k, &payload));
	free(data);
	for (size_t bit = 0; bit < n * 8; bit += 1 + draw(15)) {
		packed[bit / 8] ^= (uint8_t)(1U << bit % 8);
		data = file_of(LT_BLOCK_PACKET, BOTH, (uint32_t)p[0].size, packed, n, &size);
		if (!only_block(data, size, &payload))
			assert_int_equal(payload.size, p[0].size);
		free(data);
		packed[bit / 8] ^= (uint8_t)(1U << bit % 8);
	}
	lt_buf_free(&payload);
	lt_pack_free(c);
	tg_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file), cmocka_unit_test(test_refused_blocks),
		cmocka_unit_test(test_changed_block),
	};

	return cmocka_run_group_tests_name("columns in a file", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Packets cut into columns: they come back byte for byte, from columns that are
 * damaged nothing comes but an error or a packet of the right size, and what
 * cannot be cut is stored as it is.
 */
#include <unistd.h>
#include <zstd.h>

#include "verify/check.h"
#include "format/pack.h"
#include "base/crc32c.h"
#include "format/packet.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000000000ULL
#define SITE	0xffffffff81000100ULL
#define HEADER	sizeof(struct lt_block_header)

static uint64_t rng = 0x5eed;

static uint64_t draw(uint64_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng % n;
}

static void put_one(struct tg *g, uint32_t cpu, uint64_t time)
{
	uint64_t ptr = draw(50) ? PTR + draw(300) * 64 : 0xffffc90000001000ULL;
	uint64_t site = SITE + draw(20) * 16;

	switch (draw(20)) {
	case 0:
		tg_page_alloc(g, cpu, time, draw(9), 0xcc0, 0, 1);
		break;
	case 1:
		tg_task(g, cpu, time, (uint32_t)(100 + draw(3)), 100, 500, 0, "cat");
		break;
	case 3:
		TG_PUT(g, TG_PID(cpu), time, RELEASE, .tid = 19, .start = 8, .runtime = 77);
		break;
	case 4: case 5: case 6: case 7: case 8: case 9: case 10: case 11:
		tg_kmalloc(g, cpu, time, ptr, site, 60, 64, 0xcc0, -1);
		break;
	case 12: case 13:
		tg_cache_alloc(g, cpu, time, ptr, site, 0xcc0, 3, -1);
		break;
	default:
		tg_kfree(g, cpu, time, ptr, site);
	}
}

/* Of all kinds: both channels, all forms, all widths of times, long beginnings. */
static struct tg *some_trace(bool big, bool brief, size_t subbuf_size, unsigned int n)
{
	struct tg *g = tg_new(&(struct tg_options){
		.big_endian = big, .brief = brief, .subbuf_size = subbuf_size, .tasks = true,
	});
	uint64_t time = 1000;

	tg_auto_task(g, true);
	tg_task(g, 0, time, 17, 16, 500, 0, "cat");
	tg_task(g, 1, time, 18, 18, 600, 1, "kworker");
	for (unsigned int i = 0; i < n; i++) {
		uint32_t cpu = (uint32_t)draw(2);

		time += draw(1ULL << draw(draw(8) ? 12 : 26));
		tg_context(g, cpu, (unsigned int)draw(3));
		put_one(g, cpu, time);
	}
	tg_finish(g, time + 10);
	return g;
}

static struct lt_pack *columns_of(struct tg *g)
{
	struct lt_schema *schema = lt_schema_parse(tg_schema_text(g), "test");
	struct lt_pack *c;

	assert_non_null(schema);
	c = lt_pack_new(schema);
	lt_schema_free(schema);
	return c;
}

/* From a buffer that ends where the columns do, into one that ends with the packet. */
static int unpack(const uint8_t *columns, size_t n, uint8_t **packet, size_t size,
		  struct lt_why *why)
{
	uint8_t *from = malloc(n ? n : 1);
	int ret;

	*packet = malloc(size ? size : 1);
	if (n)
		memcpy(from, columns, n);
	why->text[0] = 0;
	ret = lt_pack_restore(from, n, *packet, size, why);
	assert_true(!ret || (ret == -1 && why->text[0]));
	free(from);
	return ret;
}

static void expect_refused(const uint8_t *columns, size_t n, size_t size, const char *text)
{
	struct lt_why why;
	uint8_t *packet;

	assert_int_equal(unpack(columns, n, &packet, size, &why), -1);
	if (text && !strstr(why.text, text))
		fail_msg("expected '%s', found '%s'", text, why.text);
	free(packet);
}

static void round_trip(struct lt_pack *c, const uint8_t *data, size_t size)
{
	struct lt_why why;
	uint8_t *packet;

	assert_true(lt_pack_packet(c, data, size));
	assert_true(c->out.size <= lt_pack_max((uint32_t)size));
	assert_int_equal(c->parts[0] + c->parts[1] + c->parts[2], c->out.size);
	assert_int_equal(unpack(c->out.data, c->out.size, &packet, size, &why), 0);
	assert_memory_equal(packet, data, size);
	free(packet);
}

static void test_round_trip(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 16; i++) {
		static const size_t sizes[] = { 1100, 4096, 30000, 1 << 16 };
		struct tg *g = some_trace(i & 1, i & 2, sizes[i / 4], 3000);
		struct lt_pack *c = columns_of(g);
		struct tg_packet *p;
		size_t n;

		p = tg_packets(g, &n);
		assert_true(n > 2);
		for (size_t k = 0; k < n; k++)
			round_trip(c, p[k].data, p[k].size);
		lt_pack_free(c);
		tg_free(g);
	}
}

/* A record of every event that there is, with bytes that mean nothing. */
static void test_every_event(void **state)
{
	static const uint32_t streams[] = {
		[LT_CHANNEL_PID] = TG_PID(0), [LT_CHANNEL_AREA] = TG_AREA(0),
		[LT_CHANNEL_SYSCALL] = TG_SYSCALL(0),
	};

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		struct tg *g = tg_new(&(struct tg_options){ .big_endian = i & 1, .tasks = true,
							    .subbuf_size = 1 << 16 });
		struct lt_schema *schema = lt_schema_parse(tg_schema_text(g), "test");
		struct lt_pack *c = lt_pack_new(schema);
		struct tg_packet *p;
		uint8_t payload[8192];
		uint64_t time = 2000;
		size_t n;

		for (unsigned int ev = 0; ev < LT_SCHEMA_IDS; ev++) {
			const struct lt_event_desc *d = lt_schema_event(schema, ev);

			if (!d)
				continue;
			for (unsigned int k = 0; k < d->size; k++)
				payload[k] = (uint8_t)draw(256);
			time += i & 2 ? 1 << 25 : 1 << 23;
			tg_raw(g, streams[d->channel], time, ev, d->class, payload, d->size);
		}
		tg_finish(g, time + 1);
		p = tg_packets(g, &n);
		assert_int_equal(n, LT_N_CHANNELS);
		for (size_t k = 0; k < n; k++)
			round_trip(c, p[k].data, p[k].size);
		lt_pack_free(c);
		lt_schema_free(schema);
		tg_free(g);
	}
}

/* ------------------------------------------------------------------------
 * Damaged columns
 */

static void test_truncated(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		struct tg *g = some_trace(i & 1, i & 2, 2048, 200);
		struct lt_pack *c = columns_of(g);
		struct tg_packet *p;
		size_t n;

		p = tg_packets(g, &n);
		assert_true(lt_pack_packet(c, p[0].data, p[0].size));
		for (size_t k = 0; k < c->out.size; k++)
			expect_refused(c->out.data, k, p[0].size, NULL);
		for (size_t k = 0; k < p[0].size + 100; k++) {
			if (k != p[0].size)
				expect_refused(c->out.data, c->out.size, k, NULL);
		}
		lt_pack_free(c);
		tg_free(g);
	}
}

/* Nothing else than an error or a packet; that it is another is for the CRC to see. */
static void test_bit_flips(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		struct tg *g = some_trace(i & 1, i & 2, 1500, 200);
		struct lt_pack *c = columns_of(g);
		struct tg_packet *p;
		struct lt_why why;
		uint8_t *packet;
		size_t n;

		p = tg_packets(g, &n);
		assert_true(lt_pack_packet(c, p[0].data, p[0].size));
		for (size_t bit = 0; bit < c->out.size * 8; bit++) {
			c->out.data[bit / 8] ^= (uint8_t)(1U << bit % 8);
			unpack(c->out.data, c->out.size, &packet, p[0].size, &why);
			free(packet);
			c->out.data[bit / 8] ^= (uint8_t)(1U << bit % 8);
		}
		lt_pack_free(c);
		tg_free(g);
	}
}

static void test_random_damage(void **state)
{
	struct tg *g = some_trace(false, true, 4096, 2000);
	struct lt_pack *c = columns_of(g);
	struct tg_packet *p;
	uint8_t *copy;
	size_t n;

	(void)state;
	p = tg_packets(g, &n);
	copy = malloc(2 * 4096 + 65536);
	for (unsigned int i = 0; i < 20000; i++) {
		const struct tg_packet *q = &p[draw(n)];
		struct lt_why why;
		uint8_t *packet;

		assert_true(lt_pack_packet(c, q->data, q->size));
		memcpy(copy, c->out.data, c->out.size);
		/* Mostly in the lengths and the events. */
		for (uint64_t k = 1 + draw(6); k; k--) {
			size_t at = draw(3) ? sizeof(struct lt_packet_header) + draw(80) :
					      draw(c->out.size);

			copy[at % c->out.size] = (uint8_t)(draw(2) ? draw(256) : draw(3) * 255 / 2);
		}
		unpack(copy, c->out.size, &packet, q->size, &why);
		free(packet);
	}
	free(copy);
	lt_pack_free(c);
	tg_free(g);
}

#define IN_HEADER(member) \
	(sizeof(struct lt_packet_header) + offsetof(struct lt_columns_header, member))
#define EVENTS	(sizeof(struct lt_packet_header) + sizeof(struct lt_columns_header))

static void test_messages(void **state)
{
	struct tg *g = some_trace(false, true, 4096, 200);
	struct lt_pack *c = columns_of(g);
	struct tg_packet *p;
	size_t n, size, len;
	uint8_t *d;

	(void)state;
	p = tg_packets(g, &n);
	size = p[0].size;
	assert_true(lt_pack_packet(c, p[0].data, size));
	d = c->out.data;
	len = c->out.size;
	expect_refused(d, 95, size, "bytes of a packet's header: expected 96, found 95");
	expect_refused(d, 870, size, "behind the packet's header");
	expect_refused(d, len - 1, size, "the sum of their lengths");
	expect_refused(d, len, size - 1, "records that fit the columns and the packet");
	expect_refused(d, len, size + 1, "bytes of the packet: expected");
	d[0] ^= 1;
	expect_refused(d, len, size, "the packet's magic");
	d[0] ^= 1;
	memcpy(d + 8, "\x5f\0", 2);
	expect_refused(d, len, size, "of at least: expected 96, found 95");
	memcpy(d + 8, "\xff\xff", 2);
	expect_refused(d, len, size, "of at least: expected 96, found 65535");
	memcpy(d + 8, p[0].data + 8, 2);
	d[IN_HEADER(shorts) + 3] = 0xff;
	expect_refused(d, len, size, "the sum of their lengths");
	d[IN_HEADER(shorts) + 3] = 0;
	d[EVENTS + 1] ^= 2;
	expect_refused(d, len, size, "the form of an event");
	d[EVENTS + 1] ^= 3;
	expect_refused(d, len, size, "bytes of a short form: expected 7");
	d[EVENTS + 1] ^= 1;
	d[EVENTS + 4] = d[EVENTS];
	expect_refused(d, len, size, "an event id");
	lt_pack_free(c);
	tg_free(g);
}

/* ------------------------------------------------------------------------
 * What cannot be cut
 */

static void test_not_whole(void **state)
{
	struct tg *g = some_trace(false, true, 4096, 100);
	struct lt_pack *c = columns_of(g);
	struct lt_packet_header h;
	struct tg_packet *p;
	uint8_t data[4096];
	size_t n, size;

	(void)state;
	p = tg_packets(g, &n);
	size = p[0].size;
	memcpy(data, p[0].data, size);
	assert_true(lt_pack_packet(c, data, size));
	/* Cut off anywhere, with lengths that say so: whole only between two records. */
	for (size_t k = sizeof(h); k < size; k++) {
		memcpy(&h, data, sizeof(h));
		h.content_bits = h.packet_bits = k * 8;
		memcpy(data, &h, sizeof(h));
		if (lt_pack_packet(c, data, k))
			round_trip(c, data, k);
	}
	memcpy(data, p[0].data, size);
	/* Ids that are none, were never written, are not known. */
	for (unsigned int id = 0; id < 64; id++) {
		data[sizeof(h)] = (uint8_t)((data[sizeof(h)] & 0xc0) | id);
		if (lt_pack_packet(c, data, size))
			round_trip(c, data, size);
		else
			assert_int_not_equal(id, p[0].data[sizeof(h)] & 63);
	}
	data[sizeof(h)] = 63;
	memset(data + sizeof(h) + 1, 0xff, 2);
	assert_false(lt_pack_packet(c, data, size));
	/* Not of a channel that is known; not a packet. */
	memcpy(data, p[0].data, size);
	data[4] = 3;
	assert_false(lt_pack_packet(c, data, size));
	assert_false(lt_pack_packet(c, p[0].data, 10));
	assert_false(lt_pack_packet(c, "", 0));
	lt_pack_free(c);
	tg_free(g);
}

/* ------------------------------------------------------------------------
 * In a file
 */

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
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_every_event),
		cmocka_unit_test(test_truncated), cmocka_unit_test(test_bit_flips),
		cmocka_unit_test(test_random_damage), cmocka_unit_test(test_messages),
		cmocka_unit_test(test_not_whole), cmocka_unit_test(test_file),
		cmocka_unit_test(test_refused_blocks), cmocka_unit_test(test_changed_block),
	};

	return cmocka_run_group_tests_name("columns", tests, NULL, NULL);
}

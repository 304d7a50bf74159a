// SPDX-License-Identifier: GPL-2.0
/*
 * Packets cut into columns: they come back byte for byte, from columns that are damaged nothing
 * comes but an error or a packet of the right size, and what cannot be cut is refused.
 */
#include "packtest.h"

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
		[LT_CHANNEL_SYSCALL] = TG_SYSCALL(0), [LT_CHANNEL_CALL] = TG_CALL(0),
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
	d[EVENTS + 1] = 3;
	expect_refused(d, len, size, "the form of an event");
	d[EVENTS + 1] = LT_COLUMNS_SHORT;
	expect_refused(d, len, size, "bytes of a short form: expected 7");
	d[EVENTS + 1] = LT_COLUMNS_TIGHT;
	expect_refused(d, len, size, "bytes of a tight form: expected 6");
	d[EVENTS + 1] = 0;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_every_event),
		cmocka_unit_test(test_truncated), cmocka_unit_test(test_bit_flips),
		cmocka_unit_test(test_random_damage), cmocka_unit_test(test_messages),
		cmocka_unit_test(test_not_whole),
	};

	return cmocka_run_group_tests_name("columns", tests, NULL, NULL);
}

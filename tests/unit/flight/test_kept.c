// SPDX-License-Identifier: GPL-2.0
/*
 * The packets in memory: they come out as they went in, in their order, whatever their sizes
 * are, and never more of them than there is room for.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "flight/kept.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000001000ULL

/* Bytes that name the packet: any packet is accepted that is not compressed. */
static struct lt_packet fake(uint8_t *data, size_t size, uint64_t seq)
{
	for (size_t i = 0; i < size; i++)
		data[i] = (uint8_t)(seq * 31 + i);
	return (struct lt_packet){ .data = data, .size = size, .seq = seq, .cpu = 3, .channel = 1,
				   .begin = seq, .end = seq + 1 };
}

static bool is_whole(struct lt_kept *k, const struct lt_kept_packet *e)
{
	const uint8_t *bytes = lt_kept_bytes(k, e);

	for (size_t i = 0; i < e->size; i++) {
		if (bytes[i] != (uint8_t)(e->seq * 31 + i))
			return false;
	}
	return e->begin == e->seq && e->end == e->seq + 1 && e->cpu == 3 && e->channel == 1;
}

/* Random sizes and removals, compared with a count of the bytes that are in use. */
static void test_order(void **state)
{
	uint8_t data[3000 + LT_SLACK];
	uint64_t next = 0, oldest = 0, refused = 0;
	size_t sizes[100000];
	struct lt_kept k;

	(void)state;
	srand(7);
	assert_int_equal(lt_kept_init(&k, 20000, NULL), 0);
	for (unsigned int step = 0; step < 100000; step++) {
		struct lt_packet p = fake(data, 1 + (size_t)(rand() % 3000), next);
		struct lt_kept_packet e = lt_kept_pack(&k, &p);

		if (lt_kept_put(&k, &e, false)) {
			sizes[next++] = p.size;
		} else {
			refused++;
			assert_true(k.bytes + 2 * 3000 > 20000 || k.n == 0);
			while (rand() % 4 && oldest < next) {
				assert_int_equal(lt_kept_at(&k, 0)->seq, oldest);
				assert_true(is_whole(&k, lt_kept_at(&k, 0)));
				oldest++;
				lt_kept_pop(&k);
			}
		}
		assert_int_equal(k.n, next - oldest);
		assert_true(k.bytes <= 20000);
		if (step % 100 == 0) {
			size_t sum = 0;

			for (size_t i = 0; i < k.n; i++) {
				assert_true(is_whole(&k, lt_kept_at(&k, i)));
				sum += sizes[oldest + i];
			}
			assert_int_equal(k.bytes, sum);
		}
	}
	assert_true(refused > 1000);
	assert_int_equal(k.own_max, 0);
	lt_kept_destroy(&k);
}

/* Pages of the room that have memory. */
static size_t pages_of(const struct lt_kept *k, size_t page)
{
	unsigned char there[256];
	size_t n = 0;

	assert_true(k->size / page <= sizeof(there));
	assert_int_equal(mincore(k->room, k->size, there), 0);
	for (size_t i = 0; i < k->size / page; i++)
		n += there[i] & 1;
	return n;
}

/*
 * A limit that changes at random: packets are whole all the same, what is above the limit is given
 * back once no packet is there, and can be used again.
 */
static void test_limit(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 128 * page, least = size, shrunk = 0;
	size_t before, backed;
	uint8_t *data = calloc(1, page + LT_SLACK);
	uint64_t next = 0, oldest = 0;
	struct lt_kept k;

	(void)state;
	srand(5);
	assert_int_equal(lt_kept_init(&k, size, NULL), 0);
	assert_int_equal(pages_of(&k, page), 128);
	for (unsigned int step = 0; step < 60000; step++) {
		struct lt_packet p = fake(data, 1 + (size_t)rand() % page, next);
		struct lt_kept_packet e = lt_kept_pack(&k, &p);

		if (step % 500 == 0)
			least = (size_t)(rand() % 128 + 1) * page;
		before = k.limit;
		backed = k.backed;
		lt_kept_limit(&k, least);
		/* It grows by an eighth at a time. */
		assert_true(k.limit <= least &&
			    (k.limit + 6 * page > least || (step % 500 < 8 && k.limit > before)));
		assert_true(k.limit <= before + size / 8 || k.limit <= backed + size / 8);
		assert_true(k.limit <= k.backed && pages_of(&k, page) == k.backed / page);
		if (lt_kept_put(&k, &e, false)) {
			e = *lt_kept_at(&k, k.n - 1);
			assert_true((size_t)(e.data - k.room) + e.stored <= k.limit);
			next++;
		} else if (oldest < next) {
			assert_int_equal(lt_kept_at(&k, 0)->seq, oldest);
			assert_true(is_whole(&k, lt_kept_at(&k, 0)));
			oldest++;
			lt_kept_pop(&k);
		}
		assert_int_equal(k.n, next - oldest);
		shrunk += step % 500 == 499 && k.backed == k.limit && k.limit < size;
	}
	while (oldest < next) {
		assert_true(is_whole(&k, lt_kept_at(&k, 0)));
		oldest++;
		lt_kept_pop(&k);
	}
	assert_true(shrunk > 60);
	for (int i = 0; i < 8; i++)
		lt_kept_limit(&k, size);
	assert_int_equal(pages_of(&k, page), 128);
	lt_kept_destroy(&k);
	free(data);
}

/* A packet that must be taken lies beside the room, which is counted. */
static void test_must(void **state)
{
	uint8_t data[3000 + LT_SLACK];
	struct lt_kept k;

	(void)state;
	assert_int_equal(lt_kept_init(&k, 8192, NULL), 0);
	for (uint64_t seq = 0; seq < 10; seq++) {
		struct lt_packet p = fake(data, 3000, seq);
		struct lt_kept_packet e = lt_kept_pack(&k, &p);

		assert_int_equal(lt_kept_put(&k, &e, false), seq < 2);
		if (seq >= 2)
			assert_true(lt_kept_put(&k, &e, true));
	}
	assert_int_equal(k.own_bytes, 8 * 3000);
	for (uint64_t seq = 0; seq < 10; seq++) {
		assert_true(is_whole(&k, lt_kept_at(&k, 0)));
		assert_int_equal(lt_kept_at(&k, 0)->seq, seq);
		lt_kept_pop(&k);
	}
	assert_int_equal(k.own_bytes, 0);
	assert_int_equal(k.own_max, 8 * 3000);
	lt_kept_destroy(&k);
}

/* Compressed packets have the bytes that they had, and are smaller. */
static void test_zstd(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .subbuf_size = 8192, .brief = true });
	struct lt_schema *schema = lt_schema_parse(tg_schema_text(g), "test");
	struct tg_packet *list;
	struct lt_packet p;
	struct lt_why why;
	struct lt_kept k;
	size_t n;

	(void)state;
	for (uint64_t i = 0; i < 20000; i++) {
		if (i % 2)
			tg_kfree(g, 0, 1000 + i, PTR + i / 2 * 64, 0xffffffff81000200);
		else
			TG_KMALLOC(g, 0, 1000 + i, .ptr = PTR + i / 2 * 64,
				   .call_site = 0xffffffff81000100, .bytes_req = 60,
				   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	}
	tg_finish(g, 30000);
	list = tg_packets(g, &n);
	assert_true(n > 10);
	assert_int_equal(lt_kept_init(&k, 1 << 20, schema), 0);
	for (size_t i = 0; i < n; i++) {
		uint8_t *data = calloc(1, list[i].size + LT_SLACK);
		struct lt_kept_packet e;

		memcpy(data, list[i].data, list[i].size);
		assert_int_equal(lt_packet_parse(&p, data, list[i].size, &why), 0);
		e = lt_kept_pack(&k, &p);
		assert_int_equal(e.form, LT_KEPT_COLUMNS);
		assert_true(e.stored * 2 < e.size);
		assert_true(lt_kept_put(&k, &e, false));
		free(data);
	}
	for (size_t i = 0; i < n; i++) {
		const uint8_t *bytes = lt_kept_bytes(&k, lt_kept_at(&k, i));

		assert_non_null(bytes);
		assert_int_equal(lt_kept_at(&k, i)->size, list[i].size);
		assert_memory_equal(bytes, list[i].data, list[i].size);
	}
	lt_kept_destroy(&k);
	lt_schema_free(schema);
	tg_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_must),
		cmocka_unit_test(test_zstd),
	};

	return cmocka_run_group_tests_name("kept", tests, NULL, NULL);
}

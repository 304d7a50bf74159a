// SPDX-License-Identifier: GPL-2.0
/*
 * Counting the records of a packet, and finding some of them, comes to what decoding each of them
 * does: in runs of records of one size and between others, and where times go round.
 */
#include <string.h>

#include "base/mem.h"
#include "cuttest.h"
#include "trace/internal.h"

#define BASE	0xffff888000000000ULL
#define TEXT	0xffffffff81000000ULL

static size_t n_packets;

/*
 * Of a packet: records of each class, of all, and those with the mark of their event, one by one.
 */
static void decode(const struct lt_packet *p, struct lt_trace *t, const bool *marks, uint64_t n[LT_N_CLASSES],
		   struct lt_found *found)
{
	struct lt_sites sites = { .all = &t->stacks };
	struct lt_records it;
	struct lt_record rec;
	struct lt_why why;
	size_t pos;
	int ret;

	lt_records_begin(&it, p, t->schema, &sites);
	for (pos = it.pos; (ret = lt_records_next(&it, &rec, &why)) > 0; pos = it.pos) {
		if (rec.desc->class != LT_CLASS_NONE)
			n[LT_CLASS_INDEX(rec.desc->class)]++;
		if (marks[rec.desc->id]) {
			found->list = lt_grow(found->list, &found->cap, found->n, sizeof(*found->list));
			found->list[found->n++] = (struct lt_found_record){ pos, rec.time, found->records };
		}
		found->records++;
	}
	assert_int_equal(ret, 0);
	lt_sites_free(&sites);
}

static void check_packet(const struct lt_packet *p, struct lt_trace *t, const bool *marks)
{
	uint64_t expected[LT_N_CLASSES] = { 0 }, counted[LT_N_CLASSES] = { 0 }, n[LT_N_CLASSES] = { 0 };
	struct lt_found each = { .n = 0 }, found = { .marks = marks };

	decode(p, t, marks, expected, &each);
	assert_true(lt_packet_tally(p, t->schema, counted));
	assert_memory_equal(counted, expected, sizeof(expected));
	assert_true(lt_packet_find(p, t->schema, n, &found));
	assert_memory_equal(n, expected, sizeof(expected));
	assert_int_equal(found.records, each.records);
	assert_int_equal(found.n, each.n);
	for (size_t i = 0; i < found.n; i++) {
		assert_int_equal(found.list[i].pos, each.list[i].pos);
		assert_int_equal(found.list[i].time, each.list[i].time);
		assert_int_equal(found.list[i].index, each.list[i].index);
	}
	free(each.list);
	free(found.list);
	n_packets++;
}

/* Whether a packet ends where a record does, by decoding them one by one. */
static bool is_whole(const struct lt_packet *p, struct lt_trace *t)
{
	struct lt_sites sites = { .all = &t->stacks };
	struct lt_records it;
	struct lt_record rec;
	struct lt_why why;
	int ret;

	lt_records_begin(&it, p, t->schema, &sites);
	while ((ret = lt_records_next(&it, &rec, &why)) > 0)
		;
	lt_sites_free(&sites);
	return !ret;
}

static void check_file(const char *name)
{
	struct lt_trace *t = lt_trace_open(name);
	struct lt_buf buf = { 0 };
	bool marks[LT_SCHEMA_IDS] = { false };
	struct lt_packet p;
	struct lt_why why;

	assert_non_null(t);
	for (unsigned int round = 0; round < 3; round++) {
		/* Nothing, what describes something, each third kind. */
		for (unsigned int id = 0; round && id < LT_SCHEMA_IDS; id++) {
			const struct lt_event_desc *d = lt_schema_event(t->schema, id);
			unsigned int full = d && d->full ? d->full->id : id;

			marks[id] = round == 1 ? t->entities.fields[full] != NULL : full % 3 == 0;
		}
		for (size_t k = 0; k < t->dir.n_streams; k++) {
			const struct lt_stream_dir *d = t->dir.streams[k];

			for (size_t i = 0; d && i < d->n; i++) {
				assert_int_equal(lt_dir_load(&t->dir, t->file, d, &d->refs[i], &buf, &t->packed,
							     &p, &why), 0);
				check_packet(&p, t, marks);
			}
		}
	}
	lt_buf_free(&buf);
	lt_trace_close(t);
}

static void test_random(void **state)
{
	(void)state;
	cut_random_files(8, check_file);
	assert_true(n_packets > 100);
}

/*
 * Runs of each length from 1 to 40 of records of one size, between which another one, or a long
 * gap, stands.
 */
static void test_runs(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct tg *g = tg_new(&(struct tg_options){ .brief = i & 1, .big_endian = i & 2 });
		uint64_t now = 1000;

		for (unsigned int length = 1; length <= 40; length++) {
			for (unsigned int k = 0; k < length; k++) {
				/* Nearly so long that only a long head can say it. */
				now += k % 7 == length % 5 ? LT_TIME_MASK : k % 3;
				if (length % 2 && k % 2)
					tg_kfree(g, 0, now, BASE + 64 * (uint64_t)k, TEXT);
				else
					TG_KMALLOC(g, 0, now, .ptr = BASE + 64 * (uint64_t)k, .call_site = TEXT + k % 4,
						   .bytes_req = 60, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
			}
			if (length % 3 == 0)
				now += LT_TIME_MASK + 1;
			if (length % 3 == 1)
				tg_page_free(g, 0, ++now, length, 0);
			else
				TG_TASK(g, 0, ++now, .tid = length, .tgid = length, .start = 9, .comm = "one");
		}
		tg_finish(g, now + 10);
		assert_int_equal(tg_write(g, test_path("runs.lt"), 0), 0);
		tg_free(g);
		check_file(test_path("runs.lt"));
	}
}

/*
 * Packets that end within a record, behind runs of each length. They are whole buffers, so that the
 * sanitizer finds what is read behind their slack.
 */
static void test_ends_within(void **state)
{
	(void)state;
	for (unsigned int length = 1; length <= 12; length++) {
		struct tg *g = tg_new(NULL);
		uint64_t n[LT_N_CLASSES] = { 0 }, now = 1000;
		struct lt_buf buf = { 0 };
		struct lt_packet p, less;
		struct lt_trace *t;
		struct lt_why why;

		for (unsigned int k = 0; k < length; k++)
			tg_page_free(g, 0, ++now, k, 0);
		tg_finish(g, now + 10);
		assert_int_equal(tg_write(g, test_path("short.lt"), 0), 0);
		tg_free(g);
		t = lt_trace_open(test_path("short.lt"));
		assert_non_null(t);
		for (size_t i = 0; i < t->dir.n_streams; i++) {
			const struct lt_stream_dir *d = t->dir.streams[i];

			if (!d || !d->n)
				continue;
			assert_int_equal(lt_dir_load(&t->dir, t->file, d, &d->refs[0], &buf, &t->packed, &p, &why), 0);
			for (size_t cut = 1; cut < p.size - p.header_size && cut < 40; cut++) {
				uint8_t *data = lt_alloc(p.size - cut + LT_SLACK);

				memcpy(data, p.data, p.size - cut);
				less = p;
				less.data = data;
				less.size = p.size - cut;
				assert_int_equal(lt_packet_tally(&less, t->schema, n), is_whole(&less, t));
				free(data);
			}
		}
		lt_buf_free(&buf);
		lt_trace_close(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_ends_within),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

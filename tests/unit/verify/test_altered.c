// SPDX-License-Identifier: GPL-2.0
/*
 * Files that were altered, with an index, a trailer and checksums that fit: each alteration is
 * found, and its place.
 */
#include <inttypes.h>

#include "base/mem.h"
#include "base/text.h"
#include "format/block.h"
#include "format/packet.h"
#include "format/set.h"
#include "cuttest.h"
#include "goldentest.h"

#define CUTS	3
#define GHZ	1000000000ULL

/*
 * What becomes of a block, given the number among those of its type. Return: how often it stands
 * in the new file.
 */
typedef unsigned int alter_fn(unsigned int type, unsigned int number, struct lt_buf *payload,
			      void *arg);

static void write_block(struct lt_writer *w, unsigned int type, const struct lt_buf *payload)
{
	struct lt_packet p;
	struct lt_why why;

	if (type != LT_BLOCK_PACKET) {
		assert_int_equal(lt_writer_text(w, type, false, payload->data, payload->size), 0);
		return;
	}
	if (lt_packet_header(&p, payload->data, payload->size, payload->size, &why))
		fail_msg("%s", why.text);
	assert_int_equal(lt_writer_packet(w, payload->data, payload->size, p.cpu, p.channel, p.seq,
					  p.begin, p.end), 0);
}

static const char *events;	/* a text that rewrite() adds; NULL: none */

/* Writes a file anew, with the blocks that @alter leaves. */
static void rewrite(const char *name, alter_fn *alter, void *arg)
{
	char *path = lt_strdup(test_path(name));
	struct lt_file *f = lt_file_open_one(path);
	struct lt_writer *w = lt_writer_open(path, true);
	struct lt_buf payload = { 0 }, packed = { 0 };
	unsigned int numbers[64] = { 0 };
	struct lt_block b;
	struct lt_why why;

	assert_non_null(f);
	assert_non_null(w);
	if (events)
		assert_int_equal(lt_writer_text(w, LT_BLOCK_EVENTS, false, events, strlen(events)), 0);
	for (uint64_t at = LT_FILE_FIRST; lt_file_block(f, at, &b, &why) == LT_BLOCK_OK;
	     at = lt_block_end(&b)) {
		if (b.type == LT_BLOCK_INDEX || b.type == LT_BLOCK_TRAILER ||
		    b.type == LT_BLOCK_CONTENTS)
			continue;
		assert_int_equal(lt_file_payload(f, &b, &payload, &packed, &why), 0);
		for (unsigned int n = alter(b.type, numbers[b.type & 63]++, &payload, arg); n; n--)
			write_block(w, b.type, &payload);
	}
	assert_int_equal(lt_writer_finish(w), 0);
	assert_int_equal(lt_writer_close(w), 0);
	lt_file_close(f);
	lt_buf_free(&payload);
	lt_buf_free(&packed);
	free(path);
}

/* As rewrite(), but with the CONTENTS that the file had. */
static void rewrite_behind(const char *name, alter_fn *alter, void *arg)
{
	char *path = lt_strdup(test_path(name));
	struct lt_file *f = lt_file_open_one(path);
	struct lt_trailer t = { .blocks = 0 };
	struct lt_buf payload = { 0 }, packed = { 0 };
	uint64_t blocks = 1, packets = 0, bytes = 0;
	unsigned int numbers[64] = { 0 };
	struct lt_block b;
	struct lt_why why;
	uint8_t *data = malloc(FIRST);
	size_t size = FIRST;

	assert_non_null(f);
	assert_non_null(data);
	assert_int_equal(lt_file_pread(f, data, FIRST, 0), FIRST);
	for (uint64_t at = LT_FILE_FIRST; lt_file_block(f, at, &b, &why) == LT_BLOCK_OK;
	     at = lt_block_end(&b)) {
		if (b.type == LT_BLOCK_INDEX || b.type == LT_BLOCK_TRAILER)
			continue;
		assert_int_equal(lt_file_payload(f, &b, &payload, &packed, &why), 0);
		if (!alter(b.type, numbers[b.type & 63]++, &payload, arg))
			continue;
		tg_append_block(&data, &size, b.type, 0, payload.data, payload.size);
		blocks++;
		packets += b.type == LT_BLOCK_PACKET;
		bytes += b.type == LT_BLOCK_PACKET ? payload.size : 0;
	}
	put((uint8_t *)&t.blocks, 8, blocks, false);
	put((uint8_t *)&t.packets, 8, packets, false);
	put((uint8_t *)&t.packet_bytes, 8, bytes, false);
	tg_append_block(&data, &size, LT_BLOCK_TRAILER, 0, &t, sizeof(t));
	assert_int_equal(tg_save(path, data, size), 0);
	free(data);
	lt_file_close(f);
	lt_buf_free(&payload);
	lt_buf_free(&packed);
	free(path);
}

/* One block less. */
struct loss {
	unsigned int type;
	unsigned int number;
	bool found;
};

static unsigned int lose_block(unsigned int type, unsigned int number, struct lt_buf *payload,
			       void *arg)
{
	struct loss *x = arg;
	bool it = type == x->type && number == x->number;

	(void)payload;
	x->found |= it;
	return !it;
}

/* Fails unless the check fails, and alone, with a note in @file that has the text. */
static void found(const char *path, enum lt_check_id id, const char *text)
{
	struct lt_verify_result *v = lt_verify(path);
	bool noted = false;

	assert_non_null(v);
	for (unsigned int i = 0; i < LT_N_CHECKS; i++) {
		if (v->checks[i].failures && i != id)
			fail_msg("%s: %s: %s", text, v->checks[i].name,
				 v->n_notes ? v->notes[0].text : v->checks[i].text);
	}
	for (size_t i = 0; i < v->n_notes; i++)
		noted |= v->notes[i].offset != UINT64_MAX && strstr(v->notes[i].text, text);
	if (!v->checks[id].failures || !noted)
		fail_msg("'%s' was not found, but: %s", text, v->n_notes ? v->notes[0].text : "nothing");
	lt_verify_result_free(v);
}

/* ------------------------------------------------------------------------
 * Parts
 */

static int by_time(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Parts of a recording, "part.0" and so on; part 2 begins with something that was alive. */
static void write_parts(void)
{
	struct cut_options o = { .seed = 7, .events = 300 };
	struct cut_table tables[CUTS] = { { 0 } };
	uint64_t cuts[CUTS], begin, end;
	struct tg *g = cut_make(&o, &begin, &end);

	for (size_t i = 0; i < CUTS; i++)
		cuts[i] = begin + (end - begin) * ((7 * 7919ULL + i * 104729) % 1000 + 1) / 1001;
	qsort(cuts, CUTS, sizeof(cuts[0]), by_time);
	cut_write(g, &o, cuts, CUTS, tables);
	for (size_t i = 0; i < CUTS; i++)
		cut_table_free(&tables[i]);
	tg_free(g);
}

static const char *set_of(unsigned int parts)
{
	char *paths[CUTS + 1];
	const char *name;
	char file[32];
	size_t n = 0;

	for (unsigned int i = 0; i <= CUTS; i++) {
		snprintf(file, sizeof(file), "part.%u", i);
		if (parts & 1U << i)
			paths[n++] = lt_strdup(test_path(file));
	}
	name = lt_set_name((const char *const *)paths, n);
	assert_non_null(name);
	if (n == 1)
		name = test_path(strrchr(name, '/') + 1);
	while (n)
		free(paths[--n]);
	return name;
}

static unsigned int drop_state(unsigned int type, unsigned int number, struct lt_buf *payload,
			       void *arg)
{
	(void)number;
	(void)payload;
	(void)arg;
	return type != LT_BLOCK_STATE;
}

/* Another number in the header of the first packet of STATE, or of one of the packets. */
struct change {
	unsigned int type;
	unsigned int number;
	size_t at;
	unsigned int size;
	uint64_t add;
};

static unsigned int change_header(unsigned int type, unsigned int number, struct lt_buf *payload,
				  void *arg)
{
	const struct change *x = arg;

	if (type == x->type && number == x->number)
		put(payload->data + x->at, x->size,
		    get_le(payload->data + x->at, x->size) + x->add, false);
	return 1;
}

static void test_no_state(void **state)
{
	(void)state;
	write_parts();
	rewrite("part.2", drop_state, NULL);
	found(test_path("part.2"), LT_CHECK_STATE, "expected blocks with what was alive");
}

/* Where nothing that is allocated was watched, nothing was alive. */
static void test_nothing_watched(void **state)
{
	struct lt_verify_result *v;

	(void)state;
	write_parts();
	events = "kfree\tkfree\twatched\nkmalloc\tkmalloc\tnot watched (not asked for)\n";
	rewrite("part.2", drop_state, NULL);
	v = lt_verify(test_path("part.2"));
	assert_non_null(v);
	assert_int_equal(v->checks[LT_CHECK_STATE].failures, 0);
	lt_verify_result_free(v);
	events = NULL;
}

static void test_state_header(void **state)
{
	static const struct {
		struct change change;
		const char *text;
	} rows[] = {
		{ { LT_BLOCK_STATE, 0, AT(seq), 3 }, "expected packet 0, found packet 3" },
		{ { LT_BLOCK_STATE, 0, AT(discarded), 5 }, "expected 'discarded' 0, found 5" },
		{ { LT_BLOCK_STATE, 0, LT_PACKET_MIN + 48, 8, 9 }, "expected counters of 0, found seen 9" },
		{ { LT_BLOCK_STATE, 0, LT_PACKET_MIN + 40, 8, 9 }, "filtered 9 of class 0" },
		{ { LT_BLOCK_STATE, 0, AT(flags), 8 }, "expected the flags of a packet of STATE" },
		{ { LT_BLOCK_STATE, 0, AT(flags), 0x7f00 }, "expected the flags of a packet of STATE" },
		{ { LT_BLOCK_STATE, 0, AT(timestamp_end), 1 }, "expected what was alive at" },
		{ { LT_BLOCK_STATE, 0, AT(session), 1 }, "expected session" },
		{ { LT_BLOCK_STATE, 0, AT(page_shift), 1 }, "its page_shift differs" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct change change = rows[i].change;

		write_parts();
		rewrite("part.2", change_header, &change);
		found(test_path("part.2"), LT_CHECK_STATE, rows[i].text);
	}
}

/* The last record, in the tight form, stands there twice. */
static unsigned int repeat_record(unsigned int type, unsigned int number, struct lt_buf *payload,
				  void *arg)
{
	const unsigned int *wanted = arg;
	size_t size = payload->size, n = LT_REC_WORD + sizeof(struct lt_rec_KMALLOC_TIGHT);

	if (type != LT_BLOCK_STATE || number != *wanted)
		return 1;
	lt_buf_reserve(payload, size + n);
	memcpy(payload->data + size, payload->data + size - n, n);
	payload->size = size + n;
	put(payload->data + AT(content_bits), (size + n) * 8, false);
	put(payload->data + AT(packet_bits), (size + n) * 8, false);
	return 1;
}

static void test_twice(void **state)
{
	unsigned int seen = 0;

	(void)state;
	for (unsigned int i = 0; i < 6; i++) {
		struct lt_verify_result *v;

		write_parts();
		rewrite("part.2", repeat_record, &i);
		v = lt_verify(test_path("part.2"));
		assert_non_null(v);
		/* Where it is no record in the tight form, it is a damaged one now. */
		assert_true(v->checks[LT_CHECK_STATE].failures);
		for (size_t k = 0; k < v->n_notes; k++)
			seen += v->notes[k].offset != UINT64_MAX && strstr(v->notes[k].text, " twice");
		lt_verify_result_free(v);
	}
	assert_true(seen >= 2);
}

/* A bit of the last record of each packet that stands in the part before, too. */
static unsigned int change_copy(unsigned int type, unsigned int number, struct lt_buf *payload,
				void *arg)
{
	const uint64_t *cut = arg;
	struct lt_packet p;
	struct lt_why why;

	(void)number;
	if (type != LT_BLOCK_PACKET ||
	    lt_packet_header(&p, payload->data, payload->size, payload->size, &why) ||
	    p.begin >= *cut || p.size == p.header_size)
		return 1;
	payload->data[payload->size - 4] ^= 0x10;
	return 1;
}

static uint64_t cut_of(const char *name)
{
	struct lt_trace *t = lt_trace_open(test_path(name));
	uint64_t cut;

	assert_non_null(t);
	cut = lt_trace_cut(t);
	lt_trace_close(t);
	return cut;
}

static void test_copy(void **state)
{
	uint64_t cut;

	(void)state;
	write_parts();
	cut = cut_of("part.2");
	rewrite("part.2", change_copy, &cut);
	found(set_of(15), LT_CHECK_SEQUENCE, "stands in two parts, and differs");
}

/* Another time in the text PART, a key with "=" and a number: packets lie outside of it. */
struct line {
	const char *key;
	uint64_t value;
};

static unsigned int change_line(unsigned int type, unsigned int number, struct lt_buf *payload,
				void *arg)
{
	const struct line *x = arg;
	char text[64], *at = type == LT_BLOCK_PART ?
			     memmem(payload->data, payload->size, x->key, strlen(x->key)) : NULL;
	size_t len;

	(void)number;
	if (!at)
		return 1;
	at += strlen(x->key);
	len = strcspn(at, "\n");
	snprintf(text, sizeof(text), "%0*" PRIu64, (int)len, x->value);
	memcpy(at, text, len);
	return 1;
}

static void test_bounds(void **state)
{
	struct line until = { "until=", 0 }, cut = { "cut=", 0 };
	struct lt_verify_result *v;

	(void)state;
	write_parts();
	until.value = cut_of("part.1") + 1;
	rewrite("part.1", change_line, &until);
	found(test_path("part.1"), LT_CHECK_TIME, "expected a begin before the end of its part");
	write_parts();
	cut.value = cut_of("part.3") - 1;
	rewrite("part.2", change_line, &cut);
	v = lt_verify(test_path("part.2"));
	assert_non_null(v);
	assert_true(v->checks[LT_CHECK_TIME].failures);
	assert_true(v->checks[LT_CHECK_STATE].failures);
	lt_verify_result_free(v);
}

static void test_ends(void **state)
{
	static const struct {
		unsigned int parts;
		bool before, behind;
		uint64_t first, last;
	} rows[] = {
		{ 15, false, false, 0, 3 }, { 7, false, true, 0, 2 }, { 14, true, false, 1, 3 },
		{ 4, true, true, 2, 2 }, { 9, false, false, 0, 3 },
	};

	(void)state;
	write_parts();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lt_verify_result *v = lt_verify(set_of(rows[i].parts));

		assert_non_null(v);
		assert_true(lt_verify_result_good(v));
		assert_int_equal(v->ends.before, rows[i].before);
		assert_int_equal(v->ends.behind, rows[i].behind);
		assert_int_equal(v->ends.first, rows[i].first);
		assert_int_equal(v->ends.last, rows[i].last);
		/* From the begin of what is there. */
		if (rows[i].before && rows[i].behind)
			assert_true(!v->ends.begin_ns && v->ends.end_ns &&
				    v->ends.end_ns < 200000000);
		lt_verify_result_free(v);
	}
}

/* A part says what has been put into it: each block that is lost is missed. */
static void test_lost(void **state)
{
	static const struct {
		unsigned int type;
		const char *text;
	} rows[] = {
		{ LT_BLOCK_STATE, "blocks STATE of" }, { LT_BLOCK_PACKET, "blocks PACKET of" },
		{ LT_BLOCK_PART, "blocks PART of" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (unsigned int n = 0;; n++) {
			struct lt_verify_result *v;
			struct loss loss = { rows[i].type, n, false };
			bool noted = false;

			write_parts();
			rewrite_behind("part.2", lose_block, &loss);
			if (!loss.found) {
				assert_string_equal(broken(test_path("part.2")), "");
				assert_true(n);
				break;
			}
			v = lt_verify(test_path("part.2"));
			assert_non_null(v);
			assert_true(v->checks[LT_CHECK_CONTENTS].failures);
			for (size_t k = 0; k < v->n_notes; k++)
				noted |= v->notes[k].offset != UINT64_MAX &&
					 strstr(v->notes[k].text, rows[i].text);
			assert_true(noted);
			lt_verify_result_free(v);
		}
	}
}

/* ------------------------------------------------------------------------
 * One file
 */

static void write_one(void)
{
	struct tg *g = golden();

	tg_clock(g, 900, 1700000000000000000, 900, 900, 900);
	tg_clock(g, 1600, 1700000000000000700, 1600, 1600, 1600);
	assert_int_equal(tg_write(g, test_path("one.lt"), 0), 0);
	tg_free(g);
}

static void test_header(void **state)
{
	struct change flags = { LT_BLOCK_PACKET, 1, AT(flags), 0x20 };
	struct change end = { LT_BLOCK_PACKET, 2, AT(timestamp_end), 1ULL << 47 };
	struct change begin = { LT_BLOCK_PACKET, 0, AT(timestamp_begin), 0 };

	(void)state;
	write_one();
	assert_string_equal(broken(test_path("one.lt")), "");
	rewrite("one.lt", change_header, &flags);
	found(test_path("one.lt"), LT_CHECK_HEADERS, "expected no flags but 0x9, found 0x20");
	write_one();
	rewrite("one.lt", change_header, &end);
	found(test_path("one.lt"), LT_CHECK_TIME,
	      "expected an end within 10 minutes of the last reading of the clocks, at 1600, found "
	      "140737488356828");
	write_one();
	rewrite("one.lt", change_header, &begin);
	assert_string_equal(broken(test_path("one.lt")), "");
}

static unsigned int keep_all(unsigned int type, unsigned int number, struct lt_buf *payload,
			     void *arg)
{
	(void)type;
	(void)number;
	(void)payload;
	(void)arg;
	return 1;
}

/* The last record of the first packet is left out. */
static unsigned int drop_record(unsigned int type, unsigned int number, struct lt_buf *payload,
				void *arg)
{
	(void)arg;
	if (type != LT_BLOCK_PACKET || number)
		return 1;
	payload->size -= 4 + sizeof(struct lt_rec_KMALLOC);
	put(payload->data + AT(content_bits), payload->size * 8, false);
	put(payload->data + AT(packet_bits), payload->size * 8, false);
	return 1;
}

/* What the first packet of a stream does not have counts as overwritten; its size is known. */
static void test_overwritten(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .flight = true });

	(void)state;
	TG_KMALLOC(g, 0, 1000, .ptr = PTR, .call_site = SITE, .bytes_req = 8, .bytes_alloc = 8,
		   .gfp = 0, .node = -1);
	tg_drop(g, 0, 1100);
	tg_kfree(g, 0, 1200, PTR, SITE);
	TG_KMALLOC(g, 0, 1210, .ptr = PTR + 64, .call_site = SITE, .bytes_req = 8, .bytes_alloc = 8,
		   .gfp = 0, .node = -1);
	tg_finish(g, 2000);
	assert_int_equal(tg_write(g, test_path("one.lt"), 0), 0);
	tg_free(g);
	rewrite("one.lt", keep_all, NULL);
	assert_string_equal(broken(test_path("one.lt")), "");
	rewrite_behind("one.lt", drop_record, NULL);
	found(test_path("one.lt"), LT_CHECK_CONTENTS, "expected 1 blocks PACKET of");
}

/* Bits that no version has, in the header of a block and of the file. */
static void test_unknown(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
		const char *failed;
	} rows[] = {
		{ 6, 0x10, "blocks=1" }, { 4, 99, "blocks=1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *path = lt_strdup(test_path("one.lt"));
		size_t size, at;
		uint8_t *data;

		write_one();
		data = (uint8_t *)lt_read_text_file(path, 1 << 24, &size);
		assert_non_null(data);
		for (at = FIRST; get_le(data + at + 4, 2) != LT_BLOCK_CLOCK;
		     at += HEADER + get_le(data + at + 8, 4))
			assert_true(at < size);
		data[at + rows[i].at] = rows[i].value;
		fix_header(data + at);
		assert_int_equal(tg_save(path, data, size), 0);
		assert_non_null(strstr(broken(path), rows[i].failed));
		write_one();
		free(data);
		data = (uint8_t *)lt_read_text_file(path, 1 << 24, &size);
		data[12 + i] = 1;
		assert_int_equal(tg_save(path, data, size), 0);
		assert_string_equal(broken(path), "blocks=1");
		free(data);
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_state), cmocka_unit_test(test_nothing_watched),
		cmocka_unit_test(test_state_header),
		cmocka_unit_test(test_twice), cmocka_unit_test(test_copy),
		cmocka_unit_test(test_bounds), cmocka_unit_test(test_lost),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_header), cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_overwritten),
	};

	return cmocka_run_group_tests_name("altered files", tests, NULL, NULL);
}

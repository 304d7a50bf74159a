// SPDX-License-Identifier: GPL-2.0
/*
 * Packets with impossible times or numbers, texts of two traces, blocks of a newer version;
 * and where a trace ends.
 */
#include "uapi/lifetrace_file.h"
#include "goldentest.h"

/* One CPU, packets 0 to 9 with a record each, from 1000 on every 100; an index lists them. */
static struct tg *ten(void)
{
	struct tg *g = tg_new(NULL);

	for (unsigned int i = 0; i < 10; i++) {
		tg_open(g, 0, 1000 + 100 * i);
		TG_KMALLOC(g, 0, 1000 + 100 * i, .ptr = PTR + 64 * i, .call_site = SITE,
			   .bytes_req = 60, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
		if (i < 9)
			tg_close(g, 0, 1050 + 100 * i);
	}
	tg_finish(g, 2000);
	return g;
}

/*
 * Sets a member of a packet's header, and of its entry in the index. Return: the number of
 * records that are read, and the gaps.
 */
static int spoil(size_t offset, unsigned int packet, uint64_t value, struct lt_gap *gap)
{
	struct tg *g = ten();
	struct tg_packet *p;
	struct lt_trace *t;
	struct lt_event ev;
	const struct lt_gap *gaps;
	int read = 0;
	size_t n;

	p = tg_packets(g, &n);
	put(p[packet].data + offset, 8, value, false);
	p[packet].seq = get_le(p[packet].data + offsetof(struct lt_packet_header, seq), 8);
	p[packet].begin = get_le(p[packet].data + offsetof(struct lt_packet_header,
							   timestamp_begin), 8);
	p[packet].end = get_le(p[packet].data + offsetof(struct lt_packet_header, timestamp_end),
			       8);
	assert_int_equal(tg_write(g, test_path("order.lt"), 0), 0);
	tg_free(g);
	test_stderr_begin();
	t = lt_trace_open(test_path("order.lt"));
	assert_non_null(t);
	while (lt_trace_next(t, &ev) > 0)
		read++;
	test_stderr_end();
	n = lt_trace_gaps(t, &gaps);
	*gap = (struct lt_gap){ .begin = UINT64_MAX };
	for (size_t i = 0; i < n; i++) {
		gap->begin = gaps[i].begin < gap->begin ? gaps[i].begin : gap->begin;
		gap->end = gaps[i].end > gap->end ? gaps[i].end : gap->end;
	}
	assert_int_equal(lt_trace_missing(t), 10 - read);
	lt_trace_close(t);
	return read;
}

#define END	offsetof(struct lt_packet_header, timestamp_end)
#define BEGIN	offsetof(struct lt_packet_header, timestamp_begin)
#define SEQ	offsetof(struct lt_packet_header, seq)

/* A packet that ends in a thousand years costs itself, and not all that follow. */
static void test_times(void **state)
{
	struct lt_gap gap;

	(void)state;
	assert_int_equal(spoil(END, 4, 1450 | 1ULL << 62, &gap), 9);
	assert_int_equal(gap.begin, 1350);
	assert_int_equal(gap.end, 1500);
	assert_int_equal(spoil(END, 0, 1050 | 1ULL << 62, &gap), 9);
	assert_int_equal(gap.begin, 0);
	assert_int_equal(gap.end, 1100);
	assert_int_equal(spoil(BEGIN, 4, 3, &gap), 9);
	assert_int_equal(gap.begin, 1350);
	assert_int_equal(gap.end, 1500);
	/* The last one: nothing contradicts, and it ends after all others anyway. */
	assert_int_equal(spoil(END, 9, 2000 | 1ULL << 62, &gap), 10);
	assert_int_equal(gap.end, 0);
}

static void test_numbers(void **state)
{
	struct lt_gap gap;

	(void)state;
	assert_int_equal(spoil(SEQ, 4, 4 | 1ULL << 40, &gap), 9);
	assert_int_equal(gap.begin, 1350);
	assert_int_equal(gap.end, 1500);
	/* Packet 4 says that it is 5: what is left out is 4, whichever of them is taken. */
	assert_int_equal(spoil(SEQ, 4, 5, &gap), 9);
	assert_int_equal(gap.begin, 1350);
	assert_true(gap.end >= 1500);
	assert_int_equal(spoil(SEQ, 5, 4, &gap), 9);
	assert_true(gap.begin <= 1450);
	assert_int_equal(gap.end, 1600);
}

/* The texts of a second trace are not those of the first one's packets. */
static void test_texts(void **state)
{
	struct tg *g = golden();
	const char *said;
	uint8_t *data, *twice;
	size_t size;

	(void)state;
	tg_text(g, LT_BLOCK_SCHEMA, tg_schema_text(g));
	expect_tg("schema behind packets", g, 0,
		  (struct expected){ UNUSABLE, 0, "blocks=1", "stands behind packets" });
	g = golden();
	tg_text(g, LT_BLOCK_STATS, "state idle\nstopped 5\n");
	data = tg_file(g, 0, &size);
	tg_free(g);
	/* As by cat: two files, one behind the other. */
	twice = malloc(2 * size);
	assert_non_null(twice);
	memcpy(twice, data, size);
	memcpy(twice + size, data, size);
	assert_int_equal(tg_save(test_path("two.lt"), twice, 2 * size), 0);
	free(twice);
	free(data);
	test_stderr_begin();
	assert_null(lt_trace_open(test_path("two.lt")));
	said = test_stderr_end();
	assert_non_null(strstr(said, "a second INFO block"));
	assert_non_null(strstr(said, "two traces"));
}

static void add_packet(struct tg *g, unsigned int channel)
{
	struct tg_packet *p;
	size_t n;

	tg_close(g, 70, 1300);
	p = tg_packets(g, &n);
	p[n - 1].channel = channel;
	p[n - 1].data[offsetof(struct lt_packet_header, channel)] = (uint8_t)channel;
}

/* A trace with a packet of a channel that is not known. */
static struct tg *with_channel(const char *schema)
{
	struct tg *g = golden_with((struct tg_options){ .schema = schema });

	tg_kfree(g, 70, 1200, PTR, SITE);
	add_packet(g, LT_N_CHANNELS + 1);
	tg_text(g, LT_BLOCK_STATS, "cpu 0 packets 3\ncpu 1 packets 1\ncpu 70 new_packets 1\n");
	return g;
}

/* What a newer version adds is skipped, and no fault of the file; in this version it is damage. */
static void test_newer(void **state)
{
	struct tg *g = golden();
	char *schema = strdup(tg_schema_text(g));

	(void)state;
	assert_non_null(schema);
	tg_free(g);
	expect_tg("channel of now", with_channel(NULL), 0,
		  (struct expected){ 8, 0, "headers=1", "packets of channel" });
	memcpy(schema, "lifetrace-schema 1.9", 20);
	expect_tg("channel", with_channel(schema), 0,
		  (struct expected){ 8, 0, "", "packets of channel" });
	free(schema);
}

/* The end of a file whose recorder was killed: until then all streams are complete. */
static void test_end(void **state)
{
	static const struct {
		uint64_t stopped;
		bool last;
		unsigned int flags;
		uint64_t end;
	} cases[] = {
		{ 0, true, 0, 3000 },			/* ended in order; no time of a stop */
		{ 2500, true, 0, 2500 },
		{ 0, false, TG_NO_TRAILER, 1100 },	/* of CPU 1 nothing is known after it */
		{ 2500, false, 0, 1100 },
		{ 1050, false, 0, 1050 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tg *g = tg_new(NULL);
		struct lt_trace *t;
		struct lt_event ev;
		char stats[64];

		TG_KMALLOC(g, 0, 1000, .ptr = PTR, .call_site = SITE, .bytes_req = 60,
			   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
		TG_KMALLOC(g, 1, 1000, .ptr = PTR + 64, .call_site = SITE, .bytes_req = 60,
			   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
		tg_close(g, 1, 1100);
		tg_close(g, 0, 1200);
		tg_kfree(g, 0, 2900, PTR, SITE);
		tg_last(g, 0, 3000);
		if (cases[i].last)
			tg_last(g, 1, 2990);
		strcpy(stats, "state idle\n");
		if (cases[i].stopped)
			snprintf(stats, sizeof(stats), "stopped %d\n", (int)cases[i].stopped);
		if (!(cases[i].flags & TG_NO_TRAILER))
			tg_text(g, LT_BLOCK_STATS, stats);
		assert_int_equal(tg_write(g, test_path("end.lt"), cases[i].flags), 0);
		tg_free(g);
		test_stderr_begin();
		t = lt_trace_open(test_path("end.lt"));
		test_stderr_end();
		assert_int_equal(lt_trace_end(t), cases[i].end);
		while (lt_trace_next(t, &ev) > 0)
			;
		/* What is missing behind the end concerns nothing. */
		assert_int_equal(lt_trace_gap_end(t, LT_SPACE_SLAB), 0);
		lt_trace_close(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times), cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_texts), cmocka_unit_test(test_newer),
		cmocka_unit_test(test_end),
	};

	return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}

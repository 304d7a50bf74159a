// SPDX-License-Identifier: GPL-2.0
/*
 * Golden traces with one fault in a packet or in the schema: what is still read,
 * and which invariant the verification says is broken.
 */
#include "goldentest.h"

static void test_good(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		big = i;
		expect_tg("good", golden(), 0, (struct expected){ 8, 0, "", NULL });
		expect_tg("good, zstd", golden(), TG_ZSTD, (struct expected){ 8, 0, "", NULL });
		expect_tg("good, columns", golden(), TG_ZSTD | TG_COLUMNS,
			  (struct expected){ 8, 0, "", NULL });
		expect_tg("no index", golden(), TG_NO_INDEX, (struct expected){ 8, 0, "", NULL });
		/* When it was stopped is not there: who was freed since need not be seen. */
		expect_tg("killed", golden(), TG_NO_TRAILER,
			  (struct expected){ 8, UINT64_MAX, "trailer=1", "ends without a trailer" });
	}
	big = false;
}

/* One member of one packet's header, in both byte orders, plain and packed. */
struct fault {
	const char *name;
	unsigned int packet;
	size_t offset;
	unsigned int size;
	uint64_t value;
	struct expected e;
};

static const struct fault header_faults[] = {
	{ "magic", 1, AT(magic), 0x12345678,
	  { 6, 1400, REFUSED, "packet header: expected the magic c1 fc 1f c1 in ei" } },
	{ "major version", 1, AT(version_major), 2,
	  { 6, 1400, REFUSED, "packet header: format version" } },
	{ "minor version", 1, AT(version_minor), 7,
	  { 6, 1400, CONTRADICTS, "describes another machine" } },
	{ "channel", 1, AT(channel), 9,
	  { 6, 1400, "index=1 headers=1 sequence=1 conservation=3", "expected a packet of channel" } },
	{ "page shift", 1, AT(page_shift), 64,
	  { 6, 1400, REFUSED, "packet header: a page_shift of" } },
	{ "header size 0", 1, AT(header_size), 0,
	  { 6, 1400, REFUSED, "packet header: a header_size that holds the co" } },
	{ "header size 95", 1, AT(header_size), 95,
	  { 6, 1400, REFUSED, "packet header: a header_size that holds the co" } },
	{ "header size short by 1", 1, AT(header_size), 863,
	  { 6, 1400, REFUSED, "packet header: a header_size that holds the co" } },
	{ "header size into a record", 1, AT(header_size), 866,
	  { 6, 1400, CONTRADICTS, "its header_size differs" } },
	{ "header size behind the end", 1, AT(header_size), 65535,
	  { 6, 1400, REFUSED, "packet header: a header_size that holds the co" } },
	{ "pointer size", 1, AT(size_ptr), 3,
	  { 6, 1400, REFUSED, "packet header: a pointer of" } },
	{ "long size", 1, AT(size_long), 16, { 6, 1400, REFUSED, "packet header: a long of" } },
	{ "cpu huge", 1, AT(cpu), 65536,
	  { 6, 1400, REFUSED, "packet header: a CPU number below" } },
	{ "cpu of another", 1, AT(cpu), 1,
	  { 6, 1400, "index=1 sequence=3 last packet=1 time=1 conservation=4 stats=2",
	    "expected packet" } },
	{ "no classes", 1, AT(n_classes), 0,
	  { 6, 1400, CONTRADICTS, "its n_classes differs" } },
	{ "classes huge", 1, AT(n_classes), 0xffffffff,
	  { 6, 1400, REFUSED, "packet header: a number of classes expected" } },
	{ "packet missing", 2, AT(seq), 3,
	  { 6, NEVER, "index=1 sequence=1 stats=1", "expected packet" } },
	{ "seq huge", 2, AT(seq), UINT64_MAX,
	  { 6, NEVER, "index=1 sequence=1 stats=1", "expected packet" } },
	{ "begin after end", 1, AT(timestamp_begin), 1301,
	  { 6, 1400, REFUSED, "packet header: timestamp_end at or after times" } },
	{ "begin before the last end", 1, AT(timestamp_begin), 1099,
	  { 6, 1400, "index=1 sequence=1 time=1 conservation=3", "the index has the times" } },
	{ "end before a record", 1, AT(timestamp_end), 1205,
	  { 6, 1400, "index=1 records=1 conservation=2", "the index has the times" } },
	{ "end after the next begin", 1, AT(timestamp_end), 1401,
	  { 6, 1400, "index=1 last packet=1 time=1 stats=2", "the index has the times" } },
	{ "content short", 1, AT(content_bits), 890 * 8,
	  { 6, 1400, REFUSED, "packet header: content_bits that equals the pa" } },
	{ "content long", 1, AT(content_bits), 900 * 8,
	  { 6, 1400, REFUSED, "packet header: content_bits that equals the pa" } },
	{ "content not bytes", 1, AT(content_bits), 899 * 8 + 1,
	  { 6, 1400, REFUSED, "packet header: content_bits that equals the pa" } },
	{ "content huge", 1, AT(content_bits), UINT64_MAX,
	  { 6, 1400, REFUSED, "packet header: content_bits that equals the pa" } },
	{ "packet bits", 1, AT(packet_bits), 65536 * 8,
	  { 6, 1400, REFUSED, "packet header: packet_bits equal to content_bi" } },
	{ "discarded", 1, AT(discarded), 1, { 8, 1400, "counters=1", "add up to" } },
	{ "session", 1, AT(session), 1,
	  { 6, 1400, "index=1 session=1 sequence=1 conservation=3", "expected packet" } },
	{ "text base", 1, AT(text_base), 1,
	  { 6, 1400, CONTRADICTS, "its text_base differs" } },
	/* One bit: the objects would be at other addresses. */
	{ "ptr base", 1, AT(ptr_base), 0xffff888000000040,
	  { 6, 1400, CONTRADICTS, "its ptr_base differs" } },
	{ "gfp_t", 1, AT(size_gfp), 8, { 6, 1400, CONTRADICTS, "its size_gfp differs" } },
	{ "page shift of another", 1, AT(page_shift), 14,
	  { 6, 1400, CONTRADICTS, "its page_shift differs" } },
	{ "last flag early", 1, AT(flags), 1, { 8, 1400, "last packet=1", NULL } },
	{ "last flag missing", 2, AT(flags), 0, { 8, 0, "last packet=1", NULL } },
	/* counts[0].seen, counts[0].lost_full and counts[2].filtered. */
	{ "seen too high", 1, 96, 8, 4,
	  { 8, 1500, "counters=1 conservation=2", "by its counters 2" } },
	{ "seen too low", 1, 96, 8, 2,
	  { 8, 1500, "conservation=2", "by its counters 0" } },
	{ "seen decreases", 1, 96, 8, 1,
	  { 8, 1500, "counters=1 conservation=2", "counters are lower" } },
	{ "loss that goes away", 1, 104, 8, 1,
	  { 8, 1500, "counters=2 conservation=2", "its counters are lower than before" } },
	{ "filtered uncounted", 2, 96 + 2 * 48 + 40, 8, 1,
	  { 8, NEVER, "conservation=2 stats=1", "STATS and the last packet" } },
};

static void test_headers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(header_faults) / sizeof(header_faults[0]); i++) {
		for (unsigned int way = 0; way < 6; way++) {
			static const unsigned int flags[] = { 0, TG_ZSTD, TG_ZSTD | TG_COLUMNS };
			const struct fault *f = &header_faults[i];
			struct tg *g;
			size_t n;

			big = way & 1;
			g = golden();
			put(tg_packets(g, &n)[f->packet].data + f->offset, f->size, f->value, big);
			expect_tg(f->name, g, flags[way / 2], f->e);
		}
	}
	big = false;
}

/* Overwrites the first word of a record of packet 1: its id and low time bits. */
static void spoil_word(const char *what, size_t offset, uint32_t id, uint32_t low,
		       struct expected e)
{
	for (int i = 0; i < 2; i++) {
		struct tg *g;
		size_t n;

		big = i;
		g = golden();
		put(tg_packets(g, &n)[1].data + offset, 4, big ? id << 26 | low << 2 : id | low << 6,
		    big);
		expect_tg(what, g, 0, e);
	}
	big = false;
}

static void test_records(void **state)
{
	const size_t one = sizeof(struct lt_packet_header);
	const size_t two = one + LT_REC_WORD + sizeof(struct lt_rec_KMALLOC);

	(void)state;
	spoil_word("zero id", two, 0, 1210,
		   (struct expected){ 7, 1400, ONE_LOST, "never completed" });
	spoil_word("zero id first", one, 0, 1200,
		   (struct expected){ 6, 1400, "records=1 conservation=3", "never completed" });
	spoil_word("unknown id", two, 62, 1210,
		   (struct expected){ 7, 1400, ONE_LOST, "an event id that the schema does not have" });
	spoil_word("time goes back", two, LT_EV_KFREE, 1199,
		   (struct expected){ 7, 1400, ONE_LOST, "lies after the packet's end" });
	spoil_word("time after the end", two, LT_EV_KFREE, 1301,
		   (struct expected){ 7, 1400, ONE_LOST, "lies after the packet's end" });
	spoil_word("longer than the packet", two, LT_EV_MARKER, 1210,
		   (struct expected){ 7, 1400, ONE_LOST, "the packet ends within a record" });
	spoil_word("long form", two, LT_EV_LONG, 0,
		   (struct expected){ 7, 1400, ONE_LOST, "lies after the packet's end" });
	spoil_word("shorter than the packet", two, LT_EV_CACHE_GONE, 1210,
		   (struct expected){ 8, 1400, ONE_LOST, "lies after the packet's end" });
}

/* Packets that are there, but not as they should be. */
static void test_packets(void **state)
{
	struct tg_packet *p, swap;
	struct tg *g;
	size_t n;

	(void)state;
	g = golden();
	p = tg_packets(g, &n);
	swap = p[0];
	p[0] = p[1];
	p[1] = swap;
	expect_tg("reordered", g, 0, (struct expected){ 8, 0, "sequence=1", "sorted" });

	g = golden();
	p = tg_packets(g, &n);
	free(p[1].data);
	memmove(p + 1, p + 2, 2 * sizeof(*p));
	tg_set_n_packets(g, 3);
	expect_tg("missing", g, 0,
		   (struct expected){ 6, 1400, "sequence=1 conservation=3", NULL });

	g = golden();
	p = tg_packets(g, &n);
	free(p[3].data);
	tg_set_n_packets(g, 3);
	expect_tg("cpu missing", g, 0,
		   (struct expected){ 6, NEVER, "stats=3", NULL });

	g = golden();
	p = tg_packets(g, &n);
	free(p[3].data);
	p[3] = p[1];
	p[3].data = malloc(p[1].size);
	memcpy(p[3].data, p[1].data, p[1].size);
	expect_tg("twice", g, TG_NO_STATS,
		   (struct expected){ 6, 1400, "index=1 sequence=2", "are not in the order of their numbers" });

	g = golden();
	p = tg_packets(g, &n);
	for (size_t i = 0; i < n; i++)
		free(p[i].data);
	tg_set_n_packets(g, 0);
	expect_tg("none", g, TG_NO_STATS,
		   (struct expected){ 0, 0, "stats=1", NULL });
}

/* A loss between two packets: in the counters, complete, and no failure. */
static void test_lost(void **state)
{
	struct tg *g = tg_new(NULL);

	(void)state;
	TG_KMALLOC(g, 0, 1000, .ptr = PTR, .call_site = SITE, .bytes_req = 60, .bytes_alloc = 64,
		   .gfp = 0xcc0, .node = -1);
	tg_close(g, 0, 1100);
	tg_lost(g, 0, LT_CLASS_KFREE, TG_FULL, 3);
	tg_kfree(g, 0, 1200, PTR, SITE);
	tg_finish(g, 1300);
	expect_tg("lost", g, 0, (struct expected){ 2, 1200, "", NULL });
}

/* Behind the last packet of a stream that has no end nothing is said any more. */
static void test_lost_at_end(void **state)
{
	struct tg_packet *p;
	struct tg *g = golden();
	size_t n;

	(void)state;
	p = tg_packets(g, &n);
	free(p[2].data);
	p[2] = p[3];
	tg_set_n_packets(g, 3);
	expect_tg("last packet lost", g, 0,
		  (struct expected){ 6, 0, "last packet=1 stats=2", NULL });
}

static void time_goes_back(uint64_t time, struct expected e)
{
	for (int i = 0; i < 2; i++) {
		/* A kfree of PTR at SITE: the encoder writes no record with an earlier time. */
		static const uint8_t payload[2][sizeof(struct lt_rec_KFREE)] = {
			{ 0, 0x10, 0, 0, 0, 0, 1, 0, 1 }, { 0, 0, 0, 0x10, 0, 1, 0, 1, 0 },
		};
		struct tg *g;

		big = i;
		g = tg_new(&(struct tg_options){ .big_endian = big });
		TG_KMALLOC(g, 0, 1000, .ptr = PTR, .call_site = SITE, .bytes_req = 60,
			   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
		tg_raw(g, 0, time, LT_EV_KFREE, LT_CLASS_KFREE, payload[i], sizeof(payload[i]));
		tg_finish(g, 1500);
		expect_tg("time back", g, 0, e);
	}
	big = false;
}

static void test_time(void **state)
{
	(void)state;
	time_goes_back(999, (struct expected){ 1, 1500, ONE_LOST, "goes back, to" });
	time_goes_back(0, (struct expected){ 1, 1500, ONE_LOST, "goes back, to" });
	time_goes_back(UINT64_MAX,
		       (struct expected){ 1, 1500, ONE_LOST, "packet's end" });
}

/* A schema with lines that cannot be, or that this version does not know. */
static void schema_fault(const char *name, const char *lines, struct expected e)
{
	struct tg *model = tg_new(NULL);
	char *schema;

	assert_true(asprintf(&schema, "%s%s", tg_schema_text(model), lines) > 0);
	expect_tg(name, golden_with((struct tg_options){ .schema = schema }), 0, e);
	free(schema);
	tg_free(model);
}

static void test_schema(void **state)
{
	static const char *const bad[] = {
		"event 1 55 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa - 4 name\n",
		"event 1 55 a;b - 4 name\n",
		"event 1 1 kmalloc kmalloc 18 twice\n",
		"event 1 63 novel - 4 id\n",
		"event 1 0 novel - 4 id\n",
		"event 1 256 novel - 4 id\n",
		"event 1 5000 novel - 4 id\n",
		"event 1 -1 novel - 4 id\n",
		"event 1 55 novel nosuch 4 class\n",
		"event 1 55 novel - 4294967296 size\n",
		"event 1 55 novel\n",
		"event 1 55 kfree - 9 class of a known one\n",
		"event 1 55 novel - 4 x\nfield y u32 num 1 beyond\n",
		"event 1 55 novel - 4 x\nfield y u32 num 18446744073709551615 beyond\n",
		"event 1 55 novel - 4 x\nfield y u32 num 18446744073709551616 no number\n",
		"event 1 55 novel - 4 x\nfield y char9 text 0 beyond\n",
		"event 1 55 novel - 4 x\nfield\n",
		"class 16 novel text\n",
		"class 0 novel text\n",
		"gfp 0x0 NOTHING\n",
		"gfp 0x100000000 MUCH\n",
		"lifetrace-schema 2.0\n",
		"lifetrace-schema x\n",
	};
	char *many = calloc(1, 4096);

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		schema_fault(bad[i], bad[i],
			     (struct expected){ UNUSABLE, 0, "unusable", "schema" });
	strcpy(many, "event 1 55 novel - 4 x\n");
	for (int i = 0; i < 65; i++)
		sprintf(many + strlen(many), "field f%d u8 num 0 x\n", i);
	schema_fault("65 fields", many, (struct expected){ UNUSABLE, 0, "unusable", "schema" });
	free(many);
	/* What a newer version may have: types, and other ids for known names and the reverse. */
	schema_fault("type", "event 1 55 novel - 4 x\nfield y u99 num 0 type\n"
		     "field y float32 num 0 type\n", (struct expected){ 8, 0, "", "shown by their fields only" });
	schema_fault("id", "event 1 55 kfree kfree 9 x\nfield ptr u40 addr 0 x\n"
		     "field call_site u32 code 5 x\n", (struct expected){ 8, 0, "", NULL });
	schema_fault("unknown line", "novelty 1 2 3\n", (struct expected){ 8, 0, "", NULL });
	schema_fault("other channel", "channel 6 x\nclass 80 y x\nevent 6 1 x y 4 x\n"
		     "field y u99 q 7 x\n",
		     (struct expected){ 8, 0, "", NULL });
	schema_fault("long id", "class 39 novel x\nevent 3 59 novel novel 4 x\n",
		     (struct expected){ 8, 0, "", "events of 1 unknown kind are" });
	schema_fault("unknown kind", "event 1 55 novel - 4 x\nfield y u32 furlong 0 x\n",
		     (struct expected){ 8, 0, "", "events of 1 unknown kind are" });
}

/* Makes a packet's header longer, as a newer module's may be. */
static void lengthen(struct tg_packet *p)
{
	const size_t old = sizeof(struct lt_packet_header), more = 16;

	p->data = realloc(p->data, p->size + more);
	memmove(p->data + old + more, p->data + old, p->size - old);
	memset(p->data + old, 0xff, more);
	p->size += more;
	put(p->data + offsetof(struct lt_packet_header, version_minor), 1, 3, big);
	put(p->data + offsetof(struct lt_packet_header, header_size), 2, old + more, big);
	put(p->data + offsetof(struct lt_packet_header, content_bits), 8, p->size * 8, big);
	put(p->data + offsetof(struct lt_packet_header, packet_bits), 8, p->size * 8, big);
}

/* kfree has a field more, and there is an event that nobody knows. */
static char *newer_schema(void)
{
	static const char line[] = "event 1 5 kfree kfree 9 ";
	struct tg *model = tg_new(NULL);
	const char *text = tg_schema_text(model), *at = strstr(text, line);
	char *schema;

	assert_non_null(at);
	assert_true(asprintf(&schema, "%.*sevent 1 5 kfree kfree 12 %sclass 39 novel x\n"
			     "event 1 55 novel - 4 x\nfield what u32 num 0 x\n"
			     "event 1 255 rare - 2 x\n", (int)(at - text), text,
			     at + strlen(line)) > 0);
	memcpy(strstr(schema, "-schema 1.") + 8, "1.3", 3);
	tg_free(model);
	return schema;
}

static void test_newer(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		char *schema = newer_schema();
		uint8_t kfree[12] = { 0 };
		struct tg *g;
		size_t n;

		big = i;
		put(kfree, 5, 0x1000, big);
		memset(kfree + 9, 0xff, 3);
		g = tg_new(&(struct tg_options){ .schema = schema, .big_endian = big });
		TG_KMALLOC(g, 0, 1000, .ptr = PTR, .call_site = SITE, .bytes_req = 60,
			   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
		tg_raw(g, 0, 1010, LT_EV_KFREE, LT_CLASS_KFREE, kfree, sizeof(kfree));
		tg_raw(g, 0, 1020, 55, LT_CLASS_NONE, "1234", 4);
		tg_raw(g, 0, 1030, 255, LT_CLASS_NONE, "12", 2);
		TG_KMALLOC(g, 0, 1040, .ptr = PTR, .call_site = SITE, .bytes_req = 60,
			   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
		tg_finish(g, 1500);
		lengthen(tg_packets(g, &n));
		expect_tg("newer", g, 0, (struct expected){ 5, 0, "",
			  "events of 2 unknown kinds are" });
		free(schema);
	}
	big = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_packets),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_lost_at_end),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_schema),
		cmocka_unit_test(test_newer),
	};

	return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Sites that are missing, announced twice, many, or of another schema.
 */
#include "cmd/cmd.h"
#include "export/ctf/packet.h"
#include "trace/internal.h"
#include "verify/check.h"
#include "nextevent.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000001000ULL
#define SITE	0xffffffff81000100ULL
#define N_SITES	5000

/* ------------------------------------------------------------------------
 * Sites, by hand
 */

static void put_short(struct tg *g, bool big, uint64_t time, unsigned int event,
		      unsigned int number, uint64_t ptr)
{
	uint64_t v = ptr - 0xffff888000000000ULL;
	uint8_t rec[7];

	for (unsigned int i = 0; i < 2; i++)
		rec[i] = (uint8_t)(number >> 8 * (big ? 1 - i : i));
	for (unsigned int i = 0; i < 5; i++)
		rec[2 + i] = (uint8_t)(v >> 8 * (big ? 4 - i : i));
	tg_raw(g, 0, time, event, LT_CLASS_KMALLOC, rec, sizeof(rec));
}

#define PUT_SITE(g, time, number, ...)						\
	TG_PUT(g, 0, time, SITE, .site = number, .call_site = 0x1000100, .node = -1, __VA_ARGS__)

static struct lt_trace *open_it(struct tg *g)
{
	struct lt_trace *t;

	assert_int_equal(tg_write(g, test_path("site.lt"), 0), 0);
	tg_free(g);
	t = lt_trace_open(test_path("site.lt"));
	return t;
}

static void expect_kmalloc(struct lt_trace *t, uint64_t ptr, uint64_t bytes)
{
	struct lt_event ev;

	assert_true(test_next_event(t, &ev));
	assert_int_equal(ev.id, LT_EV_KMALLOC);
	assert_int_equal(ev.ptr, ptr);
	assert_int_equal(ev.call_site, 0xffffffff81000100ULL);
	assert_int_equal(ev.bytes_req, bytes);
	assert_int_equal(ev.node, -1);
}

/* Of the file there are three packets, of which one cannot be exported. */
static void expect_exported_without_one(const char *name)
{
	char dir[128], path[128], text[300];
	char *argv[] = { (char *)"lifetrace", (char *)"--ctf", dir, path, NULL };

	strcpy(dir, test_path(name));
	strcpy(path, test_path("site.lt"));
	test_stderr_begin();
	assert_int_equal(lt_cmd_export(4, argv), 1);
	snprintf(text, sizeof(text), "%s", test_stderr_end());
	assert_non_null(strstr(text, "packet left out: packet 1 of cpu 0"));
}

/* A site that only another packet has announced: damage, behind good records. */
static void test_not_announced(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct tg *g = tg_new(&(struct tg_options){ .big_endian = big });
		struct lt_verify_result *v;
		struct lt_event ev;
		struct lt_trace *t;
		char text[300];

		PUT_SITE(g, 1000, 7, .bytes_req = 60, .bytes_alloc = 64);
		put_short(g, big, 1001, LT_EV_KMALLOC_SHORT, 7, PTR);
		tg_close(g, 0, 1100);
		tg_kfree(g, 0, 1200, PTR, SITE);
		put_short(g, big, 1201, LT_EV_KMALLOC_SHORT, 7, PTR);
		tg_kfree(g, 0, 1202, PTR, SITE);
		tg_close(g, 0, 1300);
		tg_kfree(g, 0, 1400, PTR + 64, SITE);
		tg_finish(g, 1500);
		test_stderr_begin();
		t = open_it(g);
		expect_kmalloc(t, PTR, 60);
		assert_true(test_next_event(t, &ev));
		assert_int_equal(ev.time, 1200);
		/* The next packet is read again. */
		assert_true(test_next_event(t, &ev));
		assert_int_equal(ev.time, 1400);
		assert_int_equal(ev.ptr, PTR + 64);
		assert_false(test_next_event(t, &ev));
		assert_int_equal(lt_trace_gap_end(t, LT_SPACE_SLAB), 1400);
		lt_trace_close(t);
		snprintf(text, sizeof(text), "%s", test_stderr_end());
		assert_non_null(strstr(text, "packet 1 of cpu 0, byte 877:"));
		assert_non_null(strstr(text, "the packet has not announced the site (7)"));
		v = lt_verify(test_path("site.lt"));
		assert_non_null(v);
		assert_false(lt_verify_result_good(v));
		lt_verify_result_free(v);
		expect_exported_without_one(big ? "ctf.big" : "ctf.little");
	}
}

static void test_announced_twice(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct tg *g = tg_new(&(struct tg_options){ .big_endian = big });
		struct lt_event ev;
		struct lt_trace *t;

		PUT_SITE(g, 1000, 7, .bytes_req = 60, .bytes_alloc = 64);
		PUT_SITE(g, 1000, 8, .bytes_req = 90, .cache = 3, .gfp_flags = 0xcc0);
		put_short(g, big, 1001, LT_EV_KMALLOC_SHORT, 7, PTR);
		put_short(g, big, 1002, LT_EV_KMALLOC_SHORT, 8, PTR + 64);
		PUT_SITE(g, 1003, 7, .bytes_req = 70, .bytes_alloc = 96);
		put_short(g, big, 1004, LT_EV_KMALLOC_SHORT, 7, PTR + 128);
		put_short(g, big, 1005, LT_EV_KMALLOC_SHORT, 8, PTR + 192);
		/* Events of two kinds may be of one site. */
		put_short(g, big, 1006, LT_EV_CACHE_ALLOC_SHORT, 8, PTR + 256);
		put_short(g, big, 1007, LT_EV_KMALLOC_SHORT, 8, PTR + 320);
		/* Announced and not used. */
		PUT_SITE(g, 1008, 9, .bytes_req = 1);
		tg_finish(g, 1100);
		t = open_it(g);
		expect_kmalloc(t, PTR, 60);
		expect_kmalloc(t, PTR + 64, 90);
		expect_kmalloc(t, PTR + 128, 70);
		expect_kmalloc(t, PTR + 192, 90);
		assert_true(test_next_event(t, &ev));
		assert_int_equal(ev.id, LT_EV_CACHE_ALLOC);
		assert_int_equal(ev.ptr, PTR + 256);
		assert_int_equal(ev.cache, 3);
		assert_int_equal(ev.gfp, 0xcc0);
		assert_int_equal(ev.bytes_req, 0);
		expect_kmalloc(t, PTR + 320, 90);
		assert_false(test_next_event(t, &ev));
		lt_trace_close(t);
	}
}

/* All numbers there are, in one packet, some of them used long after they were announced. */
static void test_many(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .subbuf_size = 8 << 20 });
	struct lt_event ev;
	struct lt_trace *t;

	(void)state;
	for (unsigned int i = 0; i < 65536; i++) {
		unsigned int number = i * 40503 & 0xffff;

		PUT_SITE(g, 1000 + i, number, .bytes_req = number);
		put_short(g, false, 1000 + i, LT_EV_KMALLOC_SHORT, number, PTR + number * 64);
	}
	for (unsigned int i = 0; i < 65536; i += 5)
		put_short(g, false, 70000 + i, LT_EV_KMALLOC_SHORT, i, PTR + i * 64);
	put_short(g, false, 140000, LT_EV_KMALLOC_SHORT, 65535, PTR);
	tg_finish(g, 140000);
	t = open_it(g);
	for (unsigned int i = 0; i < 65536; i++)
		expect_kmalloc(t, PTR + (i * 40503 & 0xffff) * 64, i * 40503 & 0xffff);
	for (unsigned int i = 0; i < 65536; i += 5)
		expect_kmalloc(t, PTR + i * 64, i);
	expect_kmalloc(t, PTR, 65535);
	assert_false(test_next_event(t, &ev));
	lt_trace_close(t);
}

/* A packet with many, then one with few, and all of them from TG_KMALLOC(). */
static void test_new_packet(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .subbuf_size = 1 << 20, .brief = true });
	unsigned int sites = 0, events = 0;
	struct lt_event ev;
	struct lt_trace *t;

	(void)state;
	/* More than the encoder announces. */
	for (unsigned int i = 0; i < N_SITES; i++) {
		TG_PUT(g, 0, 1000 + i, SITE, .site = (uint16_t)(7 * i),
		       .call_site = 0x1000100 + i * 16, .bytes_req = 60, .bytes_alloc = 64,
		       .gfp_flags = 0xcc0, .node = -1);
		put_short(g, false, 1000 + i, LT_EV_KMALLOC_SHORT, 7 * i, PTR + i * 64);
	}
	tg_close(g, 0, 9000);
	for (unsigned int i = 0; i < N_SITES; i++)
		tg_kfree(g, 0, 10000 + i, PTR + i * 64, SITE + i % 3 * 16);
	tg_finish(g, 20000);
	t = open_it(g);
	while (lt_trace_next(t, &ev) > 0) {
		if (ev.id == LT_EV_SITE) {
			sites++;
			continue;
		}
		assert_int_equal(ev.ptr, PTR + events % N_SITES * 64);
		assert_int_equal(ev.call_site,
				 SITE + (events < N_SITES ? events : events % N_SITES % 3) * 16);
		events++;
	}
	assert_int_equal(sites, N_SITES + 3);
	assert_int_equal(events, 2 * N_SITES);
	lt_trace_close(t);
}

/* ------------------------------------------------------------------------
 * Other schemas
 */

/* A schema with the event of a line taken out, and other lines in its place. */
static char *replace_event(char *text, const char *line, const char *instead)
{
	char *at = strstr(text, line), *end, *schema;

	assert_non_null(at);
	end = strchr(at, '\n') + 1;
	while (!strncmp(end, "field ", 6))
		end = strchr(end, '\n') + 1;
	assert_true(asprintf(&schema, "%.*s%s%s", (int)(at - text), text, instead, end) > 0);
	free(text);
	return schema;
}

/* The schema of this version, with one line replaced. */
static char *other_schema(const char *line, const char *instead)
{
	struct tg *model = tg_new(NULL);
	char *schema = replace_event(strdup(tg_schema_text(model)), line, instead);

	tg_free(model);
	return schema;
}

/* The short form has a node of its own, which goes before the site's, and more. */
static void test_newer(void **state)
{
	char *schema = other_schema("event 1 25 kmalloc ",
				    "event 1 25 kmalloc kmalloc 14 short form\n"
				    "field novel u32 num 0 x\nfield site u16 site 4 x\n"
				    "field node s8 node 6 x\nfield ptr u40 addr 7 x\n"
				    "field rest char2 text 12 x\n");

	(void)state;
	for (int big = 0; big < 2; big++) {
		static const uint8_t little_rec[] = { 1, 2, 3, 4, 9, 0, 0xff, 0, 0x10, 0, 0, 0,
						      'x', 'y' };
		static const uint8_t big_rec[] = { 1, 2, 3, 4, 0, 9, 0xff, 0, 0, 0, 0x10, 0,
						   'x', 'y' };
		struct tg *g = tg_new(&(struct tg_options){ .schema = schema, .big_endian = big });
		struct lt_event ev;
		struct lt_trace *t;

		TG_PUT(g, 0, 1000, SITE, .site = 9, .call_site = 0x1000100, .bytes_req = 60,
		       .node = 5);
		tg_raw(g, 0, 1001, LT_EV_KMALLOC_SHORT, LT_CLASS_KMALLOC,
		       big ? big_rec : little_rec, sizeof(big_rec));
		put_short(g, big, 1002, LT_EV_CACHE_ALLOC_SHORT, 9, PTR + 64);
		tg_finish(g, 1100);
		t = open_it(g);
		assert_non_null(t);
		expect_kmalloc(t, PTR, 60);
		assert_true(test_next_event(t, &ev));
		assert_int_equal(ev.id, LT_EV_CACHE_ALLOC);
		assert_int_equal(ev.node, 5);
		assert_false(test_next_event(t, &ev));
		lt_trace_close(t);
	}
	free(schema);
}

/* A full form as large as it may be, and a value at its very end. */
static void test_large_form(void **state)
{
	char *schema = other_schema("event 1 2 kmalloc ",
				    "event 1 2 kmalloc kmalloc 48 wide form\n"
				    "field ptr u64 addr 0 x\nfield call_site u64 code 8 x\n"
				    "field gfp_flags u32 gfp 16 x\nfield bytes_req u64 bytes 20 x\n"
				    "field bytes_alloc u64 bytes 28 x\nfield node s8 node 47 x\n");
	const struct lt_field *node;
	struct lt_event ev;
	struct lt_trace *t;
	struct tg *g;

	(void)state;
	schema = replace_event(schema, "event 1 25 kmalloc ",
			       "event 1 25 kmalloc kmalloc 8 short form\nfield site u16 site 0 x\n"
			       "field ptr u40 addr 2 x\nfield node s8 node 7 x\n");
	/* The node of a site has no room in this form. */
	schema = replace_event(schema, "event 1 45 kmalloc ", "");
	g = tg_new(&(struct tg_options){ .schema = schema });
	/* As many as there is room for at first: what lies behind is not ours. */
	for (unsigned int i = 0; i < 16; i++)
		PUT_SITE(g, 1000, i, .bytes_req = i);
	for (uint8_t i = 0; i < 16; i++)
		tg_raw(g, 0, 1001, LT_EV_KMALLOC_SHORT, LT_CLASS_KMALLOC,
		       (const uint8_t[]){ i, 0, 0, 0x10, 0, 0, 0, 0xff }, 8);
	tg_finish(g, 1100);
	t = open_it(g);
	for (unsigned int i = 0; i < 15; i++)
		expect_kmalloc(t, PTR, i);
	assert_true(test_next_event(t, &ev));
	assert_int_equal(ev.bytes_req, 15);
	/* As it is read to be printed. */
	node = lt_schema_field(lt_trace_desc(t), "node");
	assert_int_equal(node->offset, 47);
	assert_int_equal((int64_t)lt_field_value(lt_trace_packet(t), node, ev.raw), -1);
	assert_false(test_next_event(t, &ev));
	lt_trace_close(t);
	free(schema);
}

static void expect_record(struct lt_records *it, const struct lt_packet *p, uint64_t time,
			  uint64_t bytes)
{
	struct lt_record r;
	struct lt_event ev;
	struct lt_why why;

	assert_int_equal(lt_records_next(it, &r, &why), 1);
	assert_null(r.site);
	assert_int_equal(r.desc->id, bytes ? 200 : LT_EV_SITE);
	assert_int_equal(r.time, time);
	assert_int_equal(r.context, LT_CTX_SOFTIRQ);
	lt_decode(p, &r, &ev);
	if (!bytes)
		return;
	assert_int_equal(r.payload - p->data - (long)it->pos, -(long)r.desc->size);
	assert_int_equal(ev.ptr, PTR);
	assert_int_equal(ev.bytes_req, bytes);
}

/* The packet of @g, behind which there is room. */
static void one_packet(struct tg *g, struct lt_packet *p)
{
	struct tg_packet *packet;
	struct lt_why why;
	size_t n;

	packet = tg_packets(g, &n);
	packet->data = realloc(packet->data, packet->size + LT_SLACK);
	assert_int_equal(lt_packet_parse(p, packet->data, packet->size, &why), 0);
}

/* The export of the only packet of a trace, and a walk over it. */
struct exported {
	struct lt_packet p;
	struct lt_packet q;
	struct lt_ctf_packet c;
	struct lt_ctf_machine m;
	struct lt_sites sites;
	struct lt_records it;
	uint8_t *copy;
};

static void export_begin(struct exported *x, struct tg *g, const struct lt_schema *s)
{
	struct lt_why why;

	*x = (struct exported){ 0 };
	one_packet(g, &x->p);
	lt_ctf_names_init(&x->m.names, NULL);
	assert_int_equal(lt_ctf_packet_complete(&x->c, s, &x->m, &x->p, &why), 0);
	x->copy = test_recorded(&x->q, &x->c, &x->p, s);
	lt_records_begin(&x->it, &x->q, s, &x->sites);
}

/* That was all. */
static void export_end(struct exported *x)
{
	struct lt_record r;
	struct lt_why why;

	assert_int_equal(lt_records_next(&x->it, &r, &why), 0);
	lt_sites_free(&x->sites);
	lt_ctf_packet_destroy(&x->c);
	lt_ctf_names_destroy(&x->m.names);
	free(x->copy);
}

/* Export where the full form's id needs a long beginning, and where there is one. */
static void test_export_long(void **state)
{
	char *schema = other_schema("event 1 2 kmalloc ",
				    "event 1 200 kmalloc kmalloc 40 wide form\n"
				    "field ptr u64 addr 0 x\nfield call_site u64 code 8 x\n"
				    "field gfp_flags u32 gfp 16 x\nfield bytes_req u64 bytes 20 x\n"
				    "field bytes_alloc u64 bytes 28 x\nfield node s32 node 36 x\n");
	struct lt_schema *s = lt_schema_parse(schema, "test");

	(void)state;
	assert_non_null(s);
	for (int big = 0; big < 2; big++) {
		struct tg *g = tg_new(&(struct tg_options){ .big_endian = big });
		struct exported x;

		tg_context(g, 0, LT_CTX_SOFTIRQ);
		PUT_SITE(g, 1000, 7, .bytes_req = 60);
		put_short(g, big, 1001, LT_EV_KMALLOC_SHORT, 7, PTR);
		put_short(g, big, 1001 + (1 << 24), LT_EV_KMALLOC_SHORT, 7, PTR);
		tg_finish(g, 1002 + (1 << 24));
		export_begin(&x, g, s);
		/*
		 * Each event begins with 11 bytes and a text; the last one goes on with bytes of
		 * the header.
		 */
		assert_int_equal(x.c.size, x.p.header_size + 2 * (11 + sizeof("softirq") + 40) + 11 +
					   sizeof("task"));
		expect_record(&x.it, &x.q, 1001, 60);
		expect_record(&x.it, &x.q, 1001 + (1 << 24), 60);
		export_end(&x);
		tg_free(g);
	}
	lt_schema_free(s);
	free(schema);
}

/* Without the records of sites an event's time is further away from that of the one before it. */
static void test_export_times(void **state)
{
	static const uint64_t steps[][2] = {
		{ 0x1000000, 1 }, { 0xc00000, 0xc00000 }, { 0xffffff, 1 }, { 0x800000, 0x7fffff },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(steps) / sizeof(steps[0]); i++) {
		struct tg *g = tg_new(&(struct tg_options){ .big_endian = i & 1 });
		struct lt_schema *s = lt_schema_parse(tg_schema_text(g), "test");
		uint64_t site = 1001 + steps[i / 2][0], time = site + steps[i / 2][1];
		const uint64_t times[] = { 1001, time, time + 1 };
		struct exported x;

		PUT_SITE(g, 1000, 7, .bytes_req = 60);
		put_short(g, i & 1, 1001, LT_EV_KMALLOC_SHORT, 7, PTR);
		PUT_SITE(g, site, 8, .bytes_req = 70);
		put_short(g, i & 1, time, LT_EV_KMALLOC_SHORT, 8, PTR + 64);
		put_short(g, i & 1, time + 1, LT_EV_KMALLOC_SHORT, 7, PTR + 128);
		tg_finish(g, time + 2);
		export_begin(&x, g, s);
		for (size_t k = 0; k < sizeof(times) / sizeof(times[0]); k++) {
			struct lt_record r;
			struct lt_why why;

			assert_int_equal(lt_records_next(&x.it, &r, &why), 1);
			assert_int_equal(r.time, times[k]);
		}
		export_end(&x);
		lt_schema_free(s);
		tg_free(g);
	}
}

/* An event that this version does not know, in three forms: to be skipped. */
static void test_unknown_event(void **state)
{
	char *schema = other_schema("event 1 25 kmalloc ",
				    "event 1 55 novel kmalloc 8 x\nfield ptr u64 addr 0 x\n"
				    "event 1 56 novel kmalloc 7 x\nfield site u16 site 0 x\n"
				    "field ptr u40 addr 2 x\n");
	struct tg *g = tg_new(&(struct tg_options){ .schema = schema });
	struct lt_event ev;
	struct lt_trace *t;

	(void)state;
	PUT_SITE(g, 1000, 9, .bytes_req = 60);
	put_short(g, false, 1001, 56, 9, PTR);
	tg_kfree(g, 0, 1002, PTR, SITE);
	tg_finish(g, 1100);
	t = open_it(g);
	assert_non_null(t);
	assert_true(test_next_event(t, &ev));
	assert_int_equal(ev.ptr, PTR);
	assert_true(test_next_event(t, &ev));
	assert_int_equal(ev.id, LT_EV_KFREE);
	assert_false(test_next_event(t, &ev));
	lt_trace_close(t);
	free(schema);
}

static void expect_refused(char *schema, const char *why)
{
	struct tg *g = tg_new(&(struct tg_options){ .schema = schema });
	char path[128], text[300];
	char *argv[] = { (char *)"lifetrace", path, NULL };
	int status;

	tg_page_free(g, 0, 1000, 1, 0);
	tg_finish(g, 1100);
	strcpy(path, test_path("site.lt"));
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	test_stderr_begin();
	status = lt_cmd_dump(2, argv);
	snprintf(text, sizeof(text), "%s", test_stderr_end());
	if (status != 2 || !strstr(text, why))
		print_error("%d, expected 2 and '%s': %s\n", status, why, text);
	assert_int_equal(status, 2);
	assert_non_null(strstr(text, why));
	free(schema);
}

static void test_refused(void **state)
{
	char *schema;

	(void)state;
	schema = replace_event(other_schema("event 1 24 site ", ""), "event 1 52 site ", "");
	expect_refused(replace_event(schema, "event 1 53 site ", ""), "there is no event 'site'");
	expect_refused(other_schema("event 1 24 site ", "event 1 24 site - 4 x\n"),
		       "no number of a site");
	/* Neither the short form nor the site has "more". */
	expect_refused(other_schema("event 1 2 kmalloc ",
				    "event 1 2 kmalloc kmalloc 24 wide form\n"
				    "field ptr u64 addr 0 x\nfield more u64 num 8 x\n"),
		       "not in its site");
	/* Sizes of 32 bits do not fit a full form that has 16 for them. */
	expect_refused(other_schema("event 1 2 kmalloc ", ""), "does not fit");
	/* The wide form of another event; one without any other; one that is too large. */
	expect_refused(other_schema("event 1 25 kmalloc ",
				    "event 1 25 kmalloc kmalloc 7 x\nfield site u16 site 0 x\n"),
		       "not in its site");
	expect_refused(other_schema("event 1 25 kmalloc ",
				    "event 1 55 novel kmalloc 7 x\nfield site u16 site 0 x\n"),
		       "no form without one");
	expect_refused(other_schema("event 1 2 kmalloc ",
				    "event 1 2 kmalloc kmalloc 49 x\nfield ptr u64 addr 0 x\n"),
		       "no form without one");
	/* A number of another size would be taken for an event without a site. */
	expect_refused(other_schema("event 1 25 kmalloc ",
				    "event 1 25 kmalloc kmalloc 9 x\nfield site u32 site 0 x\n"
				    "field ptr u40 addr 4 x\n"),
		       "not one that this version can read");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_announced),
		cmocka_unit_test(test_announced_twice),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_new_packet),
		cmocka_unit_test(test_newer),
		cmocka_unit_test(test_large_form),
		cmocka_unit_test(test_export_long),
		cmocka_unit_test(test_export_times),
		cmocka_unit_test(test_unknown_event),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Short forms: the same events, whichever form they are written in.
 */
#include <fcntl.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "export/ctf/packet.h"
#include "trace/internal.h"
#include "verify/check.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000001000ULL

/* What may differ between machines. */
static const struct tg_options machines[] = {
	{ .big_endian = false },
	{ .big_endian = true },
	{ .big_endian = false, .size_long = 4, .size_ptr = 4, .text_base = 0xc0000000,
	  .ptr_base = 0xc0000000 },
	{ .big_endian = true, .size_long = 4, .size_ptr = 4, .text_base = 0xc0000000,
	  .ptr_base = 0xc0000000 },
};

#define N_MACHINES	(sizeof(machines) / sizeof(machines[0]))

static uint64_t rng;

static uint64_t draw(uint64_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng % n;
}

/* ------------------------------------------------------------------------
 * The same events in two ways
 */

/* Sometimes one that does not fit the short form, or not the narrow one. */
static uint64_t some_ptr(const struct tg_options *m)
{
	uint64_t base = m->ptr_base ? m->ptr_base : 0xffff888000000000ULL;

	return m->size_ptr != 4 && !draw(50) ? 0xffffc90000001000ULL : base + draw(300) * 64;
}

static uint64_t some_site(const struct tg_options *m)
{
	uint64_t base = m->text_base ? m->text_base : 0xffffffff80000000ULL;

	if (!draw(30))
		return 0;
	return m->size_ptr != 4 && !draw(50) ? 0x1234567890ULL : base + 0x1000 + draw(40) * 16;
}

static int32_t some_node(void)
{
	static const int32_t nodes[] = { -1, -1, 0, 3, 127, -128, 128, 300, 32767, -32768, 32768 };

	return nodes[draw(sizeof(nodes) / sizeof(nodes[0]))];
}

static uint64_t some_size(void)
{
	static const uint64_t sizes[] = { 1, 60, 64, 8192, 65535, 65536, 1 << 20, UINT32_MAX,
					  1ULL << 32 };

	return sizes[draw(sizeof(sizes) / sizeof(sizes[0]))];
}

static void put_object(struct tg *g, const struct tg_options *m, uint32_t cpu, uint64_t time)
{
	uint64_t ptr = some_ptr(m), site = some_site(m), req = some_size(), alloc = some_size();
	uint32_t gfp = draw(2) ? 0xcc0 : 0xdc0;
	uint16_t cache = (uint16_t)draw(4);
	int32_t node = some_node();

	switch (draw(7)) {
	case 0:
		TG_KMALLOC(g, cpu, time, .ptr = ptr, .call_site = site, .bytes_req = req,
			   .bytes_alloc = alloc, .gfp = gfp, .node = node);
		return;
	case 1:
		tg_kfree(g, cpu, time, ptr, site);
		return;
	case 2:
		TG_CACHE_ALLOC(g, cpu, time, .ptr = ptr, .call_site = site, .gfp = gfp,
			       .cache = cache, .node = node);
		return;
	case 3:
		tg_cache_free(g, cpu, time, ptr, site, cache);
		return;
	case 4:
		TG_BULK_ALLOC(g, cpu, time, .ptr = ptr, .call_site = site, .gfp = gfp,
			      .cache = cache, .node = node);
		return;
	case 5:
		tg_bulk_free(g, cpu, time, ptr, site, cache);
		return;
	default:
		tg_rcu_free(g, cpu, time, ptr, site);
	}
}

static void put_some(struct tg *g, const struct tg_options *m, uint64_t *time)
{
	uint32_t cpu = (uint32_t)draw(2);

	*time += draw(100) ? 1 + draw(500) : 1ULL << (20 + draw(8));
	tg_context(g, cpu, (unsigned int)draw(3));
	switch (draw(40)) {
	case 0:
		TG_TASK(g, cpu, *time, .tid = (uint32_t)(100 + draw(3)), .tgid = 100, .start = 500,
			.comm = "cat");
		return;
	case 1:
		tg_page_alloc(g, cpu, *time, draw(9), 0xcc0, 0, 1);
		return;
	case 2:
		tg_page_free(g, cpu, *time, draw(9), 0);
		return;
	case 3:
		tg_marker(g, cpu, *time, "here");
		return;
	default:
		put_object(g, m, cpu, *time);
	}
}

/* Always the same ones for a machine. */
static void write_events(const char *path, const struct tg_options *m, bool brief)
{
	struct tg_options o = *m;
	uint64_t time = 2000;
	struct tg *g;

	o.brief = brief;
	o.subbuf_size = 4096;
	o.info = "cpus_online=0-1\n";
	g = tg_new(&o);
	rng = 0x5eed;
	tg_auto_task(g, true);
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 16, .start = 500, .comm = "cat");
	TG_TASK(g, 1, 1000, .tid = 18, .tgid = 18, .start = 600, .flags = 1, .comm = "kworker");
	TG_CACHE(g, 0, 1001, .id = 1, .ptr = PTR + 0x100000, .object_size = 192, .size = 200,
		 .name = "dentry");
	TG_CACHE(g, 0, 1001, .id = 2, .ptr = PTR + 0x200000, .object_size = 64, .size = 64,
		 .name = "filp");
	TG_CACHE(g, 1, 1001, .id = 3, .ptr = PTR + 0x300000, .object_size = 32, .size = 32,
		 .name = "kmalloc-32");
	for (int i = 0; i < 4000; i++)
		put_some(g, m, &time);
	tg_finish(g, time + 10);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
}

/* The next event that is neither a "site" nor a "task": each packet has its own. */
static bool next_event(struct lt_trace *t, struct lt_event *ev)
{
	int ret;

	do {
		ret = lt_trace_next(t, ev);
		assert_true(ret >= 0);
	} while (ret && (ev->id == LT_EV_SITE || ev->id == LT_EV_TASK));
	return ret;
}

static bool same_task(const struct lt_task *a, const struct lt_task *b)
{
	return a && b ? a->tid == b->tid && a->start == b->start && !strcmp(a->comm, b->comm) :
			a == b;
}

static void expect_equal(const struct lt_event *a, const struct lt_event *b)
{
	assert_int_equal(a->time, b->time);
	assert_int_equal(a->cpu, b->cpu);
	assert_int_equal(a->id, b->id);
	assert_int_equal(a->channel, b->channel);
	assert_int_equal(a->class, b->class);
	assert_int_equal(a->context, b->context);
	assert_int_equal(a->ptr, b->ptr);
	assert_int_equal(a->call_site, b->call_site);
	assert_int_equal(a->bytes_req, b->bytes_req);
	assert_int_equal(a->bytes_alloc, b->bytes_alloc);
	assert_int_equal(a->gfp, b->gfp);
	assert_int_equal(a->node, b->node);
	assert_int_equal(a->cache, b->cache);
	assert_int_equal(a->order, b->order);
	assert_int_equal(a->migratetype, b->migratetype);
	assert_true(same_task(a->task, b->task));
}

/* Field by field as the schema has them, in whichever form. */
static void expect_equal_fields(const struct lt_trace *a, const struct lt_event *ea,
				const struct lt_trace *b, const struct lt_event *eb)
{
	const struct lt_event_desc *da = lt_trace_desc(a), *db = lt_trace_desc(b);

	assert_string_equal(da->name, db->name);
	assert_int_equal(da->n_fields, db->n_fields);
	for (unsigned int i = 0; i < da->n_fields; i++) {
		const struct lt_field *fa = &da->fields[i], *fb = &db->fields[i];

		assert_string_equal(fa->name, fb->name);
		if (fa->type != LT_TYPE_CHARS)
			assert_int_equal(lt_field_value(lt_trace_packet(a), fa, ea->raw),
					 lt_field_value(lt_trace_packet(b), fb, eb->raw));
	}
}

static void expect_good(const char *path)
{
	struct lt_verify_result *v = lt_verify(path);

	assert_non_null(v);
	assert_true(lt_verify_result_good(v));
	lt_verify_result_free(v);
}

static void test_events(void **state)
{
	char full[128], brief[128];

	(void)state;
	strcpy(full, test_path("full.lt"));
	strcpy(brief, test_path("brief.lt"));
	for (size_t i = 0; i < N_MACHINES; i++) {
		unsigned int n = 0, shorts = 0;
		struct lt_event ea, eb;
		struct lt_trace *a, *b;

		write_events(full, &machines[i], false);
		write_events(brief, &machines[i], true);
		expect_good(full);
		expect_good(brief);
		a = lt_trace_open(full);
		b = lt_trace_open(brief);
		assert_non_null(a);
		assert_non_null(b);
		for (; next_event(a, &ea); n++) {
			assert_true(next_event(b, &eb));
			expect_equal(&ea, &eb);
			expect_equal_fields(a, &ea, b, &eb);
			shorts += b->taken->rec.site != NULL;
		}
		assert_false(next_event(b, &eb));
		assert_in_range(n, 3800, 4100);
		assert_in_range(shorts, 2500, n);
		lt_trace_close(a);
		lt_trace_close(b);
	}
}

/* ------------------------------------------------------------------------
 * What commands print
 */

static char *read_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	assert_non_null(f);
	/* No line of a trace has a zero byte. */
	if (getdelim(&text, &size, 0, f) < 0)
		text[0] = 0;
	fclose(f);
	return text;
}

static int run(lt_cmd_fn *cmd, const char *out, const char *a, const char *b, const char *c)
{
	char *argv[] = { (char *)"lifetrace", (char *)a, (char *)b, (char *)c, NULL };
	int saved, fd, status;

	fflush(stdout);
	saved = dup(1);
	fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(saved >= 0 && fd >= 0 && dup2(fd, 1) == 1);
	close(fd);
	status = cmd(c ? 4 : 3, argv);
	fflush(stdout);
	dup2(saved, 1);
	close(saved);
	return status;
}

/* Without the lines of sites and tasks, and without the numbers, which count those. */
static void drop_sites(char *text)
{
	char *out = text, *line, *end, *seq;

	for (line = text; *line; line = end) {
		end = strchr(line, '\n') + 1;
		if (memmem(line, (size_t)(end - line), "\"event\":\"site\"", 14) ||
		    memmem(line, (size_t)(end - line), "\"event\":\"task\"", 14))
			continue;
		seq = memmem(line, (size_t)(end - line), "\"seq\":", 6);
		assert_non_null(seq);
		memmove(out, line, (size_t)(seq - line));
		out += seq - line;
		seq = strchr(seq, ',');
		memmove(out, seq, (size_t)(end - seq));
		out += end - seq;
	}
	*out = 0;
}

static void expect_same_output(const char *full, const char *brief, bool lifetimes)
{
	lt_cmd_fn *cmd = lifetimes ? lt_cmd_lifetimes : lt_cmd_dump;
	const char *how = lifetimes ? "--csv" : "--json";
	char a[128], b[128], *x, *y;

	strcpy(a, test_path("a.out"));
	strcpy(b, test_path("b.out"));
	assert_int_equal(run(cmd, a, how, full, NULL), 0);
	assert_int_equal(run(cmd, b, how, brief, NULL), 0);
	x = read_text(a);
	y = read_text(b);
	assert_true(strlen(x) > 50000);
	if (!lifetimes) {
		assert_non_null(strstr(y, "\"event\":\"site\",\"tid\":"));
		assert_non_null(strstr(y, "\"bytes_req\":65535,\"bytes_alloc\":"));
		drop_sites(x);
		drop_sites(y);
	}
	assert_true(!strcmp(x, y));
	free(x);
	free(y);
}

static void test_output(void **state)
{
	char full[128], brief[128];

	(void)state;
	strcpy(full, test_path("full.lt"));
	strcpy(brief, test_path("brief.lt"));
	for (size_t i = 0; i < N_MACHINES; i++) {
		write_events(full, &machines[i], false);
		write_events(brief, &machines[i], true);
		expect_same_output(full, brief, false);
		expect_same_output(full, brief, true);
	}
}

/* ------------------------------------------------------------------------
 * Export
 */

/* The records of a packet, and of the same one exported, which has no sites. */
static unsigned int compare_packets(const struct lt_packet *p, const struct lt_packet *q,
				    const struct lt_schema *s)
{
	struct lt_sites p_sites = { 0 }, q_sites = { 0 };
	struct lt_records a, b;
	struct lt_record x, y;
	struct lt_event ex, ey;
	struct lt_why why;
	unsigned int completed = 0;

	lt_records_begin(&a, p, s, &p_sites);
	lt_records_begin(&b, q, s, &q_sites);
	while (lt_records_next(&a, &x, &why) > 0) {
		if (x.desc->event == LT_EV_SITE)
			continue;
		assert_int_equal(lt_records_next(&b, &y, &why), 1);
		assert_null(y.site);
		assert_ptr_equal(x.desc, y.desc);
		assert_int_equal(x.time, y.time);
		assert_int_equal(x.context, y.context);
		completed += x.site != NULL;
		memset(&ex, 0, sizeof(ex));
		memset(&ey, 0, sizeof(ey));
		lt_decode(p, &x, &ex);
		lt_decode(q, &y, &ey);
		expect_equal(&ex, &ey);
		assert_int_equal(ex.raw_size, ey.raw_size);
		assert_memory_equal(ex.raw, ey.raw, ex.raw_size);
	}
	assert_int_equal(lt_records_next(&b, &y, &why), 0);
	lt_sites_free(&p_sites);
	lt_sites_free(&q_sites);
	return completed;
}

/* All but the lengths is as it was. */
static void compare_headers(const struct lt_packet *p, const struct lt_packet *q)
{
	size_t lengths = offsetof(struct lt_packet_header, content_bits);
	size_t behind = offsetof(struct lt_packet_header, discarded);

	assert_memory_equal(p->data, q->data, lengths);
	assert_memory_equal(p->data + behind, q->data + behind, p->header_size - behind);
}

static void check_exported(struct lt_ctf_packet *c, struct lt_ctf_machine *m,
			   const struct tg_packet *from, const struct lt_schema *s,
			   unsigned int *completed)
{
	uint8_t *data = calloc(1, from->size + LT_SLACK), *copy;
	struct lt_packet p, q;
	struct lt_why why;

	memcpy(data, from->data, from->size);
	assert_int_equal(lt_packet_parse(&p, data, from->size, &why), 0);
	assert_int_equal(lt_ctf_packet_complete(c, s, m, &p, &why), 0);
	copy = test_recorded(&q, c, &p, s);
	compare_headers(&p, &q);
	*completed += compare_packets(&p, &q, s);
	free(data);
	free(copy);
}

static void test_export(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_MACHINES; i++) {
		struct lt_ctf_packet c = { 0 };
		struct lt_ctf_machine m = { 0 };
		struct tg_options o = machines[i];
		unsigned int completed = 0;
		struct tg_packet *packets;
		struct lt_schema *s;
		uint64_t time = 2000;
		struct tg *g;
		size_t n;

		o.brief = true;
		g = tg_new(&o);
		lt_ctf_names_init(&m.names, NULL);
		rng = 0x5eed + i;
		for (int k = 0; k < 5000; k++)
			put_some(g, &machines[i], &time);
		tg_finish(g, time);
		packets = tg_packets(g, &n);
		s = lt_schema_parse(tg_schema_text(g), "test");
		assert_non_null(s);
		for (size_t k = 0; k < n; k++)
			check_exported(&c, &m, &packets[k], s, &completed);
		assert_in_range(completed, 3000, 5000);
		lt_ctf_packet_destroy(&c);
		lt_ctf_names_destroy(&m.names);
		lt_schema_free(s);
		tg_free(g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_output),
		cmocka_unit_test(test_export),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

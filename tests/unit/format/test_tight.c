// SPDX-License-Identifier: GPL-2.0
/*
 * The tight form, whose one field is the number of a site and an address; narrow forms of sites and
 * tasks; and tasks that are named by the number that their packet has given them, also in the event
 * of their exit.
 */
#include "cmd/cmd.h"
#include "format/pack.h"
#include "trace/internal.h"
#include "nextevent.h"
#include "testlib.h"
#include "tracegen.h"

#define BASE	0xffff888000000000ULL
#define HIGHEST	0xfffffffff8ULL
#define SITE	0xffffffff81000100ULL

static void put_tight(struct tg *g, bool big, uint64_t time, unsigned int event, uint64_t number,
		      uint64_t low)
{
	uint64_t v = low << 8 | number;
	uint8_t rec[6];

	for (unsigned int i = 0; i < 6; i++)
		rec[i] = (uint8_t)(v >> 8 * (big ? 5 - i : i));
	tg_raw(g, 0, time, event, event == LT_EV_KFREE_TIGHT ? LT_CLASS_KFREE : LT_CLASS_KMALLOC,
	       rec, sizeof(rec));
}

#define PUT_SITE(g, time, number, ...)						\
	TG_PUT(g, 0, time, SITE, .site = number, .call_site = 0x1000100, .node = -1, __VA_ARGS__)

static struct lt_trace *open_it(struct tg *g)
{
	assert_int_equal(tg_write(g, test_path("tight.lt"), 0), 0);
	tg_free(g);
	return lt_trace_open(test_path("tight.lt"));
}

/* Each bit of number and address comes back, in both byte orders, by both ways of reading. */
static void test_values(void **state)
{
	static const struct {
		uint64_t number, low;
	} values[] = { { 0, 0 }, { 2047, 0 }, { 0, HIGHEST }, { 2047, HIGHEST }, { 0x555, 0x1000 },
		       { 0x2aa, 0xa5a5a5a5a8ULL }, { 1, 8 }, { 0x400, 1ULL << 39 }, { 7, 0xf8 } };
	const size_t n = sizeof(values) / sizeof(values[0]);

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		struct tg *g = tg_new(&(struct tg_options){ .big_endian = i & 1 });
		struct lt_event ev;
		struct lt_trace *t;

		for (size_t k = 0; k < n; k++)
			PUT_SITE(g, 1000, (uint16_t)values[k].number, .bytes_req = (uint32_t)values[k].number,
				 .bytes_alloc = 4096);
		for (size_t k = 0; k < n; k++) {
			put_tight(g, i & 1, 1001 + k, LT_EV_KMALLOC_TIGHT, values[k].number,
				  values[k].low);
			put_tight(g, i & 1, 1001 + k, LT_EV_KFREE_TIGHT, values[k].number,
				  values[k].low);
		}
		tg_finish(g, 1100);
		t = open_it(g);
		assert_non_null(t);
		if (i & 2)
			lt_schema_not_plain(t->schema, LT_EV_KMALLOC_WIDE);
		for (size_t k = 0; k < n; k++) {
			assert_true(test_next_event(t, &ev));
			assert_int_equal(ev.id, LT_EV_KMALLOC);
			assert_int_equal(ev.ptr, BASE + values[k].low);
			assert_int_equal(ev.call_site, SITE);
			assert_int_equal(ev.bytes_req, values[k].number);
			assert_true(test_next_event(t, &ev));
			assert_int_equal(ev.id, LT_EV_KFREE);
			assert_int_equal(ev.ptr, BASE + values[k].low);
		}
		assert_false(test_next_event(t, &ev));
		lt_trace_close(t);
	}
}

/* Columns hold the number and the address apart, and each is checked when they are put together. */
static void test_columns(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct tg *g = tg_new(&(struct tg_options){ .big_endian = big });
		struct lt_schema *s = lt_schema_parse(tg_schema_text(g), "test");
		struct lt_pack *c = lt_pack_new(s);
		uint8_t *packet, *sites, *ptrs;
		struct tg_packet *p;
		struct lt_why why;
		size_t n;

		PUT_SITE(g, 1000, 0x6b3);
		put_tight(g, big, 1001, LT_EV_KMALLOC_TIGHT, 0x6b3, 0x123456789a8ULL & HIGHEST);
		tg_finish(g, 1100);
		p = tg_packets(g, &n);
		packet = malloc(p->size);
		assert_true(lt_pack_packet(c, p->data, p->size));
		assert_int_equal(lt_pack_restore(c->out.data, c->out.size, packet, p->size, &why), 0);
		assert_memory_equal(packet, p->data, p->size);
		/* What follows them is the payload of the site. */
		ptrs = c->out.data + c->out.size - sizeof(struct lt_rec_SITE) - 5;
		sites = ptrs - 2;
		assert_memory_equal(sites, big ? "\6\263" : "\263\6", 2);
		assert_memory_equal(ptrs, big ? "\43\105\147\211\250" : "\250\211\147\105\43", 5);
		sites[big ? 0 : 1] ^= 8;
		assert_int_equal(lt_pack_restore(c->out.data, c->out.size, packet, p->size, &why), -1);
		sites[big ? 0 : 1] ^= 8;
		ptrs[big ? 4 : 0] ^= 4;
		assert_int_equal(lt_pack_restore(c->out.data, c->out.size, packet, p->size, &why), -1);
		ptrs[big ? 4 : 0] ^= 4;
		assert_int_equal(lt_pack_restore(c->out.data, c->out.size, packet, p->size, &why), 0);
		free(packet);
		lt_pack_free(c);
		lt_schema_free(s);
		tg_free(g);
	}
}

static void put_task(struct tg *g, uint64_t time, uint8_t number, uint32_t tid)
{
	struct lt_rec_TASK rec = { .tid = tid, .tgid = tid, .start = 5 * tid, .number = number };

	tg_put(g, 0, time, LT_EV_TASK, &rec);
}

static void put_again(struct tg *g, uint64_t time, uint8_t number)
{
	tg_put(g, 0, time, LT_EV_TASK_AGAIN, &(struct lt_rec_TASK_AGAIN){ .number = number });
}

static void expect_task(struct lt_trace *t, uint32_t tid)
{
	struct lt_event ev;

	assert_true(test_next_event(t, &ev));
	assert_int_equal(ev.id, LT_EV_TASK);
	assert_int_equal(ev.task->tid, tid);
	/* As it is printed. */
	assert_int_equal(lt_field_value(lt_trace_packet(t), lt_schema_field(lt_trace_desc(t), "tid"),
					ev.raw), tid);
	assert_true(test_next_event(t, &ev));
	assert_int_equal(ev.id, LT_EV_KFREE);
	assert_int_equal(ev.task->tid, tid);
	assert_int_equal(ev.task->start, 5 * tid);
}

/* A number means what was announced last; in another packet it means nothing, which is damage. */
static void test_tasks(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct tg *g = tg_new(&(struct tg_options){ .big_endian = big });
		struct lt_event ev;
		struct lt_trace *t;

		for (unsigned int i = 0; i < 6; i++) {
			if (i < 2)
				put_task(g, 1000 + i, i ? 255 : 0, 17 + i);
			else if (i == 4)
				put_task(g, 1000 + i, 255, 30);
			else
				put_again(g, 1000 + i, i == 2 ? 0 : 255);
			tg_kfree(g, 0, 1000 + i, BASE + 4096, SITE);
		}
		tg_close(g, 0, 1100);
		put_again(g, 1200, 255);
		tg_kfree(g, 0, 1200, BASE + 4096, SITE);
		tg_finish(g, 1300);
		t = open_it(g);
		assert_non_null(t);
		expect_task(t, 17);
		expect_task(t, 18);
		expect_task(t, 17);
		expect_task(t, 18);
		expect_task(t, 30);
		expect_task(t, 30);
		test_stderr_begin();
		assert_false(test_next_event(t, &ev));
		lt_trace_close(t);
		assert_non_null(strstr(test_stderr_end(),
				       "the packet has not announced the task (255)"));
	}
}

static void put_bytes(uint8_t *to, size_t size, uint64_t v)
{
	for (size_t i = 0; i < size; i++)
		to[i] = (uint8_t)(v >> 8 * (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? size - 1 - i : i));
}

static void put_narrow_task(struct tg *g, uint64_t time, uint8_t number, uint32_t tid, uint64_t start)
{
	struct lt_rec_TASK_NARROW rec = { .flags = LT_TASK_FLAG_KTHREAD, .number = number,
					  .comm = "eight..8" };

	put_bytes(rec.tid, sizeof(rec.tid), tid);
	put_bytes(rec.tgid, sizeof(rec.tgid), tid - 1);
	put_bytes(rec.start, sizeof(rec.start), start);
	tg_put(g, 0, time, LT_EV_TASK_NARROW, &rec);
}

#define HIGHEST_TID	0xffffffU
#define HIGHEST_START	0xffffffffffffffULL

static void expect_narrow(struct lt_trace *t, uint32_t tid, uint64_t start)
{
	struct lt_event ev;

	assert_true(test_next_event(t, &ev));
	assert_int_equal(ev.id, LT_EV_TASK);
	assert_int_equal(ev.task->tid, tid);
	assert_int_equal(ev.task->tgid, tid - 1);
	assert_int_equal(ev.task->start, start);
	assert_int_equal(ev.task->flags, LT_TASK_FLAG_KTHREAD);
	assert_string_equal(ev.task->comm, "eight..8");
}

static uint64_t exit_field(struct lt_trace *t, const struct lt_event *ev, const char *name)
{
	return lt_field_value(lt_trace_packet(t), lt_schema_field(lt_trace_desc(t), name), ev->raw);
}

/* Each bit of a narrow task comes back, and of the exit that has its number. */
static void test_narrow_tasks(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct tg *g = tg_new(&(struct tg_options){ .big_endian = big });
		struct lt_event ev;
		struct lt_trace *t;

		put_narrow_task(g, 1000, 3, HIGHEST_TID, HIGHEST_START);
		put_task(g, 1001, 4, 17);
		put_narrow_task(g, 1002, 5, 0x123456, 0x123456789abcdeULL);
		put_again(g, 1003, 3);
		TG_PUT(g, 0, 1004, TASK_EXIT_SHORT, .number = 3, .group_dead = 1);
		TG_PUT(g, 0, 1005, TASK_EXIT_SHORT, .number = 4);
		tg_close(g, 0, 1100);
		TG_PUT(g, 0, 1200, TASK_EXIT_SHORT, .number = 3);
		tg_finish(g, 1300);
		t = open_it(g);
		assert_non_null(t);
		expect_narrow(t, HIGHEST_TID, HIGHEST_START);
		assert_true(test_next_event(t, &ev));
		expect_narrow(t, 0x123456, 0x123456789abcdeULL);
		expect_narrow(t, HIGHEST_TID, HIGHEST_START);
		for (unsigned int i = 0; i < 2; i++) {
			assert_true(test_next_event(t, &ev));
			assert_int_equal(ev.id, LT_EV_TASK_EXIT);
			assert_int_equal(ev.class, LT_CLASS_TASK_EXIT);
			assert_int_equal(exit_field(t, &ev, "tid"), i ? 17 : HIGHEST_TID);
			assert_int_equal(exit_field(t, &ev, "tgid"), i ? 17 : HIGHEST_TID - 1);
			assert_int_equal(exit_field(t, &ev, "start"), i ? 85 : HIGHEST_START);
			assert_int_equal(exit_field(t, &ev, "group_dead"), !i);
			assert_int_equal(lt_trace_task(t, i ? 17 : HIGHEST_TID,
						       i ? 85 : HIGHEST_START)->exit, 1004 + i);
		}
		test_stderr_begin();
		assert_false(test_next_event(t, &ev));
		lt_trace_close(t);
		assert_non_null(strstr(test_stderr_end(),
				       "the packet has not announced the task (3)"));
	}
}

static void expect_birth(struct lt_trace *t, bool whole)
{
	struct lt_event ev;

	assert_true(test_next_event(t, &ev));
	assert_int_equal(ev.id, LT_EV_KMALLOC);
	assert_int_equal(ev.call_site, SITE);
	assert_int_equal(ev.gfp, 0x80000cc0U);
	assert_int_equal(ev.bytes_req, whole ? 65536 : 65535);
	assert_int_equal(ev.bytes_alloc, whole ? 131072 : 65535);
	assert_int_equal(ev.node, whole ? 300 : -128);
}

/* A number means what was announced last, in whatever form; what a narrow form lacks is 0. */
static void test_narrow_sites(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const bool big = i & 1;
		struct tg *g = tg_new(&(struct tg_options){ .big_endian = big });
		struct lt_event ev;
		struct lt_trace *t;

		for (unsigned int k = 0; k < 4; k++) {
			if (k & 1)
				TG_PUT(g, 0, 1000 + k, SITE, .site = 7, .call_site = 0x1000100,
				       .gfp_flags = 0x80000cc0, .bytes_req = 65536,
				       .bytes_alloc = 131072, .node = 300);
			else
				TG_PUT(g, 0, 1000 + k, SITE_NARROW, .site = 7, .call_site = 0x1000100,
				       .gfp_flags = 0x80000cc0, .bytes_req = 65535,
				       .bytes_alloc = 65535, .node = -128);
			put_tight(g, big, 1000 + k, LT_EV_KMALLOC_TIGHT, 7, 8 * k);
		}
		TG_PUT(g, 0, 1010, SITE_NARROW, .site = 8, .call_site = 0x1000100, .cache = 65535);
		tg_raw(g, 0, 1010, LT_EV_CACHE_FREE_SHORT, LT_CLASS_CACHE_FREE,
		       big ? "\0\10\0\0\0\1\0" : "\10\0\0\1\0\0\0", 7);
		TG_PUT(g, 0, 1011, SITE_FREE, .site = 7, .call_site = 0x1000100, .cache = 4095);
		tg_raw(g, 0, 1011, LT_EV_CACHE_FREE_SHORT, LT_CLASS_CACHE_FREE,
		       big ? "\0\7\0\0\0\1\0" : "\7\0\0\1\0\0\0", 7);
		put_tight(g, big, 1011, LT_EV_KFREE_TIGHT, 7, 8);
		put_tight(g, big, 1012, LT_EV_KMALLOC_TIGHT, 7, 16);
		tg_finish(g, 1100);
		t = open_it(g);
		assert_non_null(t);
		if (i & 2)
			lt_schema_not_plain(t->schema, LT_EV_KMALLOC_WIDE);
		for (unsigned int k = 0; k < 4; k++)
			expect_birth(t, k & 1);
		for (unsigned int k = 0; k < 2; k++) {
			assert_true(test_next_event(t, &ev));
			assert_int_equal(ev.id, LT_EV_CACHE_FREE);
			assert_int_equal(ev.ptr, BASE + 256);
			assert_int_equal(ev.call_site, SITE);
			assert_int_equal(ev.cache, k ? 4095 : 65535);
		}
		assert_true(test_next_event(t, &ev));
		assert_int_equal(ev.id, LT_EV_KFREE);
		assert_int_equal(ev.call_site, SITE);
		assert_true(test_next_event(t, &ev));
		assert_int_equal(ev.id, LT_EV_KMALLOC);
		assert_int_equal(ev.gfp | ev.bytes_req | ev.bytes_alloc | (uint32_t)ev.node, 0);
		assert_false(test_next_event(t, &ev));
		lt_trace_close(t);
	}
}

/* A schema whose lines of an event are others. */
static struct lt_schema *parse_other(const char *line, const char *instead, const char **said)
{
	struct tg *model = tg_new(NULL);
	const char *text = tg_schema_text(model), *at = strstr(text, line), *end;
	struct lt_schema *s;
	char *schema;

	assert_non_null(at);
	end = strchr(at, '\n') + 1;
	while (!strncmp(end, "field ", 6))
		end = strchr(end, '\n') + 1;
	assert_true(asprintf(&schema, "%.*s%s%s", (int)(at - text), text, instead, end) > 0);
	test_stderr_begin();
	s = lt_schema_parse(schema, "test");
	*said = test_stderr_end();
	free(schema);
	tg_free(model);
	return s;
}

static void expect_refused(const char *line, const char *instead, const char *why)
{
	const char *said;

	assert_null(parse_other(line, instead, &said));
	if (!strstr(said, why))
		fail_msg("expected '%s', found '%s'", why, said);
}

static void test_refused(void **state)
{
	static const char bad[] = "not one that this version can read";
	const char *said;
	struct lt_schema *s;

	(void)state;
	expect_refused("event 1 45 kmalloc ", "event 1 45 kmalloc kmalloc 5 x\nfield site u40 site 0 x\n",
		       bad);
	expect_refused("event 1 45 kmalloc ", "event 1 45 kmalloc kmalloc 11 x\nfield site u48 site 0 x\n"
		       "field ptr u40 addr 6 x\n", bad);
	expect_refused("event 1 24 site ", "event 1 24 site - 6 x\nfield site u48 site 0 x\n", bad);
	expect_refused("event 1 60 task ", "event 1 60 task - 2 x\nfield number u16 task 0 x\n", bad);
	/* The narrow form describes it, too; of another channel there is none. */
	s = parse_other("event 1 21 task ", "", &said);
	assert_non_null(s);
	lt_schema_free(s);
	expect_refused("event 1 54 task_exit ", "event 1 54 task_exit task_exit 2 x\nfield number u16 task 0 x\n",
		       bad);
	expect_refused("event 1 54 task_exit ", "event 1 54 task_exit task_exit 1 x\nfield number u8 task 0 x\n",
		       "not in its task");
	expect_refused("event 1 19 task_exit ", "", "no form without one");
	expect_refused("event 2 1 task_new ", "event 2 1 task_new birth 1 x\nfield number u8 task 0 x\n",
		       "none describes the task");
	expect_refused("event 1 52 site ", "event 1 52 site - 14 x\nfield site u16 site 0 x\n"
		       "field call_site u32 code 2 x\nfield node s64 node 6 x\n", "does not fit the full form");
	expect_refused("event 1 52 site ", "event 1 52 site - 6 x\nfield site u48 site 0 x\n", bad);
	expect_refused("event 1 61 task ", "event 1 61 task - 9 x\nfield tid u64 tid 0 x\n"
		       "field number u8 task 8 x\n", "does not fit the full form");
	/* With fields of its own, somewhere. */
	s = parse_other("event 1 45 kmalloc ", "event 1 45 kmalloc kmalloc 9 x\nfield node s16 node 0 x\n"
			"field site u48 site 2 x\nfield novel u8 num 8 x\n", &said);
	assert_non_null(s);
	assert_true(lt_schema_event(s, LT_EV_KMALLOC_TIGHT)->is_tight);
	assert_int_equal(lt_schema_field(lt_schema_event(s, LT_EV_KMALLOC_TIGHT), "ptr")->offset, 3);
	lt_schema_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_narrow_tasks),
		cmocka_unit_test(test_narrow_sites),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

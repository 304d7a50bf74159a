// SPDX-License-Identifier: GPL-2.0
/*
 * Decoding and merging: both byte orders, both sources, every event.
 */
#include "uapi/lifetrace_file.h"
#include "lifetimes/lifetime.h"
#include "trace/trace.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000001000ULL
#define SITE	0xffffffff81000100ULL

/* Every kind of event once, narrow and wide, on two CPUs. */
static struct tg *every_event(const struct tg_options *o)
{
	struct tg *g = tg_new(o);

	tg_text(g, LT_BLOCK_SYMBOLS, "ffffffff81000000 T do_it\nffffffff81001000 t next\n"
		"ffffffffc0000000 t mod_fn\t[mod]\n");
	tg_text(g, LT_BLOCK_MODULES, "mod 4096 0 - Live 0xffffffffc0000000\n");
	tg_clock(g, 1000, 1700000000000000000ULL, 5000, 1000, 1000);
	tg_auto_task(g, true);
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 16, .start = 500, .comm = "cat");
	TG_CACHE(g, 0, 1001, .id = 3, .ptr = 0xffff888000100000ULL, .object_size = 192, .size = 200,
		 .name = "dentry");
	TG_KMALLOC(g, 0, 1010, .ptr = PTR, .call_site = SITE, .bytes_req = 60, .bytes_alloc = 64,
		   .gfp = 0xcc0, .node = -1);
	TG_KMALLOC(g, 0, 1011, .ptr = 0xffffc90000000000ULL, .call_site = 0xffffffffc0000010ULL,
		   .bytes_req = 70000, .bytes_alloc = 131072, .gfp = 0xdc0, .node = 300);
	tg_context(g, 0, LT_CTX_SOFTIRQ);
	TG_CACHE_ALLOC(g, 0, 1012, .ptr = PTR + 0x1000, .call_site = SITE, .gfp = 0xcc0, .cache = 3,
		       .node = 1);
	TG_CACHE_ALLOC(g, 0, 1013, .ptr = 5, .call_site = SITE, .gfp = 0xcc0, .cache = 3,
		       .node = -1);
	TG_TASK(g, 1, 1014, .tid = 18, .tgid = 18, .start = 600, .flags = 1, .comm = "kworker");
	tg_kfree(g, 1, 1015, PTR, SITE + 8);
	tg_kfree(g, 1, 1016, 7, 9);
	tg_context(g, 1, LT_CTX_HARDIRQ);
	tg_cache_free(g, 1, 1017, PTR + 0x1000, SITE, 3);
	tg_cache_free(g, 1, 1018, 5, SITE, 3);
	tg_page_alloc(g, 0, 1019, 0x123456789aULL, 0xcc0, 4, 2);
	tg_page_free(g, 0, 1020, 0x123456789aULL, 4);
	tg_page_batched(g, 0, 1021, 77);
	TG_BULK_ALLOC(g, 0, 1022, .ptr = PTR + 0x2000, .call_site = SITE, .gfp = 0xcc0, .cache = 3,
		      .node = -1);
	tg_bulk_free(g, 0, 1023, PTR + 0x2000, SITE, 3);
	tg_rcu_free(g, 0, 1024, PTR + 0x3000, SITE);
	TG_PUT(g, 0, 1025, ALLOC_FAILED, .call_site = SITE, .bytes_req = 1 << 20,
	       .gfp_flags = 0xcc0, .node = -1, .what = LT_CLASS_KMALLOC);
	tg_task_exit(g, 0, 1026, 17, 16, 500, 1);
	tg_marker(g, 0, 1027, "here");
	tg_cache_gone(g, 0, 1028, 3);
	/* More than 2^25 units later: the long form. */
	tg_kfree(g, 0, 1028 + (1ULL << 40), PTR + 1, 0);
	tg_finish(g, 1030 + (1ULL << 40));
	return g;
}

/* Where it happened: task, CPU, context. */
static void check_context(const struct lt_event *ev, unsigned int i)
{
	switch (i) {
	case 0:
		assert_string_equal(ev->task->comm, "cat");
		assert_int_equal(ev->task->tid, 17);
		assert_int_equal(ev->task->tgid, 16);
		assert_int_equal(ev->task->start, 500);
		assert_int_equal(ev->class, LT_CLASS_NONE);
		break;
	case 7:
		assert_int_equal(ev->cpu, 1);
		assert_int_equal(ev->task->flags, 1);
		break;
	case 9:
		assert_int_equal(ev->context, LT_CTX_HARDIRQ);
		break;
	case 18:
		assert_int_equal(ev->task->exit, 1026);
		break;
	}
}

/* What it says of memory. */
static void check_memory(struct lt_trace *t, const struct lt_event *ev, unsigned int i)
{
	switch (i) {
	case 2:
		assert_int_equal(ev->call_site, SITE);
		assert_int_equal(ev->bytes_req, 60);
		assert_int_equal(ev->bytes_alloc, 64);
		assert_int_equal(ev->gfp, 0xcc0);
		assert_int_equal(ev->node, -1);
		assert_int_equal(ev->class, LT_CLASS_KMALLOC);
		assert_int_equal(ev->context, LT_CTX_TASK);
		assert_int_equal(ev->raw_size, 18);
		break;
	case 3:
		assert_int_equal(ev->call_site, 0xffffffffc0000010ULL);
		assert_int_equal(ev->bytes_req, 70000);
		assert_int_equal(ev->bytes_alloc, 131072);
		assert_int_equal(ev->node, 300);
		break;
	case 4:
		assert_int_equal(ev->cache, 3);
		assert_int_equal(ev->node, 1);
		assert_int_equal(ev->context, LT_CTX_SOFTIRQ);
		assert_string_equal(lt_trace_cache(t, 3)->name, "dentry");
		assert_int_equal(lt_trace_cache(t, 3)->object_size, 192);
		break;
	case 8:
		assert_int_equal(ev->call_site, 9);
		break;
	case 11:
		assert_int_equal(ev->order, 4);
		assert_int_equal(ev->migratetype, 2);
		break;
	case 17:
		assert_int_equal(ev->bytes_req, 1 << 20);
		assert_int_equal(ev->call_site, SITE);
		break;
	case 21:
		assert_int_equal(ev->call_site, 0);
		break;
	}
}

/* Checks event *n, and counts it, unless it is a repeated task record. */
static void check_event(struct lt_trace *t, const struct lt_event *ev, unsigned int *n)
{
	unsigned int i = *n;
	static const struct {
		uint64_t time;
		uint16_t id;
		uint64_t ptr;
	} expected[] = {
		{ 1000, LT_EV_TASK, 0 }, { 1001, LT_EV_CACHE, 0xffff888000100000ULL },
		{ 1010, LT_EV_KMALLOC, PTR }, { 1011, LT_EV_KMALLOC, 0xffffc90000000000ULL },
		{ 1012, LT_EV_CACHE_ALLOC, PTR + 0x1000 }, { 1013, LT_EV_CACHE_ALLOC, 5 },
		{ 1014, LT_EV_TASK, 0 }, { 1015, LT_EV_KFREE, PTR }, { 1016, LT_EV_KFREE, 7 },
		{ 1017, LT_EV_CACHE_FREE, PTR + 0x1000 }, { 1018, LT_EV_CACHE_FREE, 5 },
		{ 1019, LT_EV_PAGE_ALLOC, 0x123456789aULL },
		{ 1020, LT_EV_PAGE_FREE, 0x123456789aULL },
		{ 1021, LT_EV_PAGE_BATCHED, 77 }, { 1022, LT_EV_BULK_ALLOC, PTR + 0x2000 },
		{ 1023, LT_EV_BULK_FREE, PTR + 0x2000 }, { 1024, LT_EV_RCU_FREE, PTR + 0x3000 },
		{ 1025, LT_EV_ALLOC_FAILED, 0 }, { 1026, LT_EV_TASK_EXIT, 0 },
		{ 1027, LT_EV_MARKER, 0 }, { 1028, LT_EV_CACHE_GONE, 0 },
		{ 1028 + (1ULL << 40), LT_EV_KFREE, PTR + 1 },
	};

	if (ev->id == LT_EV_TASK && i != 0 && i != 6)
		return;
	(*n)++;
	assert_true(i < sizeof(expected) / sizeof(expected[0]));
	assert_int_equal(ev->time, expected[i].time);
	assert_int_equal(ev->id, expected[i].id);
	assert_int_equal(ev->ptr, expected[i].ptr);
	assert_non_null(ev->task);
	check_context(ev, i);
	check_memory(t, ev, i);
}

static void check_all(struct lt_trace *t)
{
	struct lt_event ev;
	unsigned int n = 0;
	char buf[128];

	while (lt_trace_next(t, &ev) > 0)
		check_event(t, &ev, &n);
	assert_int_equal(n, 22);
	assert_int_equal(lt_trace_records(t, LT_CLASS_KMALLOC), 2);
	assert_int_equal(lt_trace_counts(t, LT_CLASS_KFREE).seen, 3);
	assert_int_equal(lt_trace_gap_end(t, LT_SPACE_SLAB), 0);
	assert_int_equal(lt_trace_n_caches(t), 4);
	assert_int_equal(lt_trace_begin(t), 1000);
	assert_int_equal(lt_trace_end(t), 1030 + (1ULL << 40));
	assert_int_equal(lt_trace_realtime(t, 1500), 1700000000000000500ULL);
	assert_string_equal(lt_trace_symbol(t, 0xffffffff81000100ULL, true, buf, sizeof(buf)),
			    "do_it+0x100");
	assert_string_equal(lt_trace_symbol(t, 0xffffffffc0000010ULL, true, buf, sizeof(buf)),
			    "mod_fn+0x10 [mod]");
	assert_string_equal(lt_trace_symbol(t, 0xffffffffc0002000ULL, true, buf, sizeof(buf)),
			    "0xffffffffc0002000 (code that is gone)");
	assert_string_equal(lt_trace_gfp(t, 0xdc0, buf, sizeof(buf)), "GFP_KERNEL|__GFP_ZERO");
	assert_string_equal(lt_trace_gfp(t, 0x1000cc0, buf, sizeof(buf)),
			    "GFP_KERNEL|0x1000000");
	assert_string_equal(lt_trace_gfp(t, 0, buf, sizeof(buf)), "0");
	assert_string_equal(lt_trace_info(t, "clock"), "mono");
	assert_null(lt_trace_info(t, "cloc"));
	assert_string_equal(lt_trace_event_name(t, LT_EV_KFREE), "kfree");
	assert_string_equal(lt_trace_class_name(t, LT_CLASS_RCU_FREE), "rcu_free");
}

static void from_file(const struct tg_options *o, unsigned int flags)
{
	struct tg *g = every_event(o);
	struct lt_trace *t;

	assert_int_equal(tg_write(g, test_path("x.lt"), flags), 0);
	t = lt_trace_open(test_path("x.lt"));
	assert_non_null(t);
	check_all(t);
	lt_trace_close(t);
	tg_free(g);
}

static void test_little(void **state)
{
	(void)state;
	from_file(NULL, 0);
}

static void test_big(void **state)
{
	(void)state;
	from_file(&(struct tg_options){ .big_endian = true }, 0);
}

static void test_zstd(void **state)
{
	(void)state;
	from_file(NULL, TG_ZSTD);
	from_file(NULL, TG_ZSTD | TG_COLUMNS);
}

/* A device has a number in the place of a cache, one for each name, beyond those of caches. */
static void test_devices(void **state)
{
	static const char *const expected[] = { "0000:00:04.0", "", "0000:00:04.0", "nvme" };
	struct tg *g = tg_new(NULL);
	struct lt_trace *t;
	struct lt_event ev;
	unsigned int n = 0;
	uint32_t first = 0;

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		struct lt_rec_DMA_ALLOC rec = { .ptr = 4096 * i + 4096, .bytes_req = 100 };

		memcpy(rec.device, expected[i], strlen(expected[i]));
		tg_put(g, TG_AREA(0), 1000 + i, LT_EV_DMA_ALLOC, &rec);
	}
	TG_CACHE(g, 0, 1010, .id = 3, .ptr = 0xffff888000009000, .object_size = 192, .size = 192,
		 .name = "dentry");
	tg_finish(g, 1100);
	assert_int_equal(tg_write(g, test_path("x.lt"), 0), 0);
	tg_free(g);
	t = lt_trace_open(test_path("x.lt"));
	assert_non_null(t);
	while (lt_trace_next(t, &ev) > 0) {
		const struct lt_cache *device = lt_trace_cache(t, ev.cache);

		if (ev.class != LT_CLASS_DMA_ALLOC)
			continue;
		assert_int_equal(ev.bytes_req, 100);
		if (!expected[n][0])
			assert_int_equal(ev.cache, 0);
		else
			assert_string_equal(device->name, expected[n]);
		if (!n)
			first = ev.cache;
		else if (n == 2)
			assert_int_equal(ev.cache, first);
		n++;
	}
	assert_int_equal(n, 4);
	assert_true(first >= LT_FIRST_DEVICE);
	assert_int_equal(lt_trace_n_caches(t), 4);
	assert_null(lt_trace_cache(t, LT_FIRST_DEVICE));
	assert_null(lt_trace_cache(t, first + 2));
	lt_trace_close(t);
}

static void test_many_packets(void **state)
{
	(void)state;
	from_file(&(struct tg_options){ .subbuf_size = 1100 }, 0);
	from_file(&(struct tg_options){ .subbuf_size = 1100, .big_endian = true }, TG_ZSTD);
	from_file(&(struct tg_options){ .subbuf_size = 1100, .big_endian = true },
		  TG_ZSTD | TG_COLUMNS);
}

static void test_no_index(void **state)
{
	(void)state;
	from_file(NULL, TG_NO_INDEX);
}

static void live(bool big_endian)
{
	struct tg *g = every_event(&(struct tg_options){ .subbuf_size = 1100,
							 .big_endian = big_endian });
	struct tg_packet *p;
	struct lt_trace *t;
	struct lt_event ev;
	unsigned int n = 0;
	uint64_t last = 0;
	size_t packets;

	t = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	assert_non_null(t);
	lt_trace_add_text(t, LT_BLOCK_CLOCK, "clock=1000 realtime=1700000000000000000 "
			  "boottime=5000 monotonic=1000 raw=1000\n");
	lt_trace_add_text(t, LT_BLOCK_SYMBOLS, "ffffffff81000000 T do_it\n"
			  "ffffffffc0000000 t mod_fn\t[mod]\n");
	lt_trace_add_text(t, LT_BLOCK_MODULES, "mod 4096 0 - Live 0xffffffffc0000000\n");
	p = tg_packets(g, &packets);
	/* As they come: with a promise up to their end of the other CPU's packets. */
	for (size_t i = 0; i < packets; i++) {
		assert_int_equal(lt_trace_push(t, p[i].data, p[i].size), 0);
		lt_trace_watermark(t, p[i].cpu ? 1013 : p[i].begin < 1013 ? p[i].begin : 1013);
		while (lt_trace_next(t, &ev) > 0) {
			assert_true(ev.time >= last && ev.time <= 1013);
			last = ev.time;
			check_event(t, &ev, &n);
		}
	}
	assert_true(n >= 5);
	lt_trace_watermark(t, UINT64_MAX);
	while (lt_trace_next(t, &ev) > 0)
		check_event(t, &ev, &n);
	assert_int_equal(n, 22);
	assert_int_equal(lt_trace_gap_end(t, LT_SPACE_SLAB), 0);
	assert_int_equal(lt_trace_counts(t, LT_CLASS_KFREE).seen, 3);
	lt_trace_close(t);
	tg_free(g);
}

static void test_live(void **state)
{
	(void)state;
	live(false);
	live(true);
}

static void test_live_refuses(void **state)
{
	struct tg *g = every_event(&(struct tg_options){ .subbuf_size = 1100 });
	struct tg_packet *p;
	struct lt_trace *t;
	size_t n;

	(void)state;
	t = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	p = tg_packets(g, &n);
	assert_int_equal(lt_trace_push(t, p[0].data, p[0].size), 0);
	test_stderr_begin();
	assert_int_equal(lt_trace_push(t, p[0].data, p[0].size), -1);
	assert_int_equal(lt_trace_push(t, p[0].data, p[0].size - 1), -1);
	assert_int_equal(lt_trace_push(t, p[0].data, 10), -1);
	p[1].data[88] ^= 1;
	assert_int_equal(lt_trace_push(t, p[1].data, p[1].size), -1);
	assert_non_null(strstr(test_stderr_end(), "session"));
	lt_trace_close(t);
	tg_free(g);
}

/* Events of one time come in order of the CPU, then of the record. */
static void test_ties(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_trace *t;
	struct lt_event ev;
	unsigned int n = 0;

	(void)state;
	for (uint64_t i = 0; i < 30; i++)
		tg_kfree(g, 2 - (uint32_t)(i % 3), 1000 + i / 15, PTR + i, SITE);
	tg_finish(g, 2000);
	tg_write(g, test_path("x.lt"), 0);
	t = lt_trace_open(test_path("x.lt"));
	while (lt_trace_next(t, &ev) > 0) {
		assert_int_equal(ev.cpu, n % 15 / 5);
		assert_int_equal(ev.seq, n % 5 + n / 15 * 5);
		assert_null(ev.task);
		n++;
	}
	assert_int_equal(n, 30);
	lt_trace_close(t);
	tg_free(g);
}

/* A counter's units become ns, by the frequency or, better, by readings. */
static void test_counter(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .clock = "counter",
						    .clock_freq = 2500000000ULL });
	const char *said;
	struct lt_trace *t;
	struct lt_event ev;

	(void)state;
	tg_clock(g, 1000000, 1700000000000000000ULL, 0, 5000000, 0);
	tg_kfree(g, 0, 1000000 + 2500, PTR, SITE);
	tg_kfree(g, 0, 1000000 + 2500000000ULL, PTR, SITE);
	tg_finish(g, 1000000 + 2500000001ULL);
	tg_write(g, test_path("x.lt"), 0);
	t = lt_trace_open(test_path("x.lt"));
	assert_int_equal(lt_trace_next(t, &ev), 1);
	assert_int_equal(ev.time, 5000000 + 1000);
	assert_int_equal(lt_trace_next(t, &ev), 1);
	assert_int_equal(ev.time, 5000000 + 1000000000);
	lt_trace_close(t);

	/* The second reading says that the frequency was 0.1 % lower. */
	tg_clock(g, 1000000 + 2500000000ULL, 1700000001001000000ULL, 0,
		 5000000 + 1001000000, 0);
	tg_write(g, test_path("x.lt"), 0);
	t = lt_trace_open(test_path("x.lt"));
	assert_int_equal(lt_trace_next(t, &ev), 1);
	assert_int_equal(ev.time, 5000000 + 1001);
	assert_int_equal(lt_trace_next(t, &ev), 1);
	assert_int_equal(ev.time, 5000000 + 1001000000);
	assert_int_equal(lt_trace_realtime(t, ev.time), 1700000001001000000ULL);
	lt_trace_close(t);

	/* A third one, by which it was as said from then on, and one that is nonsense. */
	tg_clock(g, 1000000 + 5000000000ULL, 1700000003501000000ULL, 0, 5000000 + 2001000000, 0);
	tg_clock(g, 999999, 1700000003501000000ULL, 0, 5000000 + 2001000000, 0);
	tg_write(g, test_path("x.lt"), 0);
	test_stderr_begin();
	t = lt_trace_open(test_path("x.lt"));
	said = test_stderr_end();
	assert_non_null(strstr(said, "the reading of the clocks at 999999 is left out: a clock has "
			       "gone back"));
	assert_int_equal(lt_trace_clocks_refused(t), 1);
	assert_int_equal(lt_clock_ns(lt_trace_clock(t), 1000000 + 1250000000ULL),
			 5000000 + 500500000);
	assert_int_equal(lt_clock_ns(lt_trace_clock(t), 1000000 + 3750000000ULL),
			 5000000 + 1501000000);
	assert_int_equal(lt_clock_ns(lt_trace_clock(t), 1000000 + 7500000000ULL),
			 5000000 + 3001000000);
	lt_trace_close(t);
	tg_free(g);
}

#define INFO	"abi_version=1.0\nclock=mono\nsession=24149\n"

/* What is found where INFO is @info, and every packet's header says 16. */
static unsigned int page_shift(const char *info, bool *read, const char **said)
{
	struct tg *g = tg_new(&(struct tg_options){ .page_shift = 16 });
	struct lt_lifetime_config config;
	struct lt_trace *t;
	struct lt_event ev;
	unsigned int shift;

	if (info)
		tg_text(g, LT_BLOCK_INFO, info);
	tg_page_alloc(g, 3, 1000, 0x100, 0xcc0, 0, 0);
	tg_finish(g, 3000);
	tg_write(g, test_path("x.lt"), 0);
	test_stderr_begin();
	t = lt_trace_open(test_path("x.lt"));
	assert_non_null(t);
	shift = lt_trace_page_shift(t);
	lt_lifetime_config_init(&config, t);
	assert_int_equal(config.page_shift, shift);
	*read = lt_trace_next(t, &ev) > 0;
	*said = test_stderr_end();
	lt_trace_close(t);
	tg_free(g);
	return shift;
}

/* INFO may lack the page size. A packet that has another one than INFO is damaged. */
static void test_page_shift(void **state)
{
	const char *said;
	struct tg *g;
	struct lt_trace *t;
	bool read;

	(void)state;
	assert_int_equal(page_shift(NULL, &read, &said), 16);
	assert_true(read);
	assert_string_equal(said, "");
	assert_int_equal(page_shift(INFO, &read, &said), 16);
	assert_true(read);
	assert_string_equal(said, "");
	assert_int_equal(page_shift(INFO "page_shift=x\n", &read, &said), 16);
	assert_true(read);
	assert_int_equal(page_shift(INFO "page_shift=12\n", &read, &said), 12);
	assert_false(read);
	assert_non_null(strstr(said, "its page_shift differs"));

	/* Before the first packet there is INFO alone. */
	g = tg_new(&(struct tg_options){ .page_shift = 14 });
	t = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	assert_int_equal(lt_trace_page_shift(t), 14);
	lt_trace_close(t);
	t = lt_trace_live(INFO, tg_schema_text(g));
	assert_int_equal(lt_trace_page_shift(t), 12);
	lt_trace_close(t);
	tg_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_little), cmocka_unit_test(test_big),
		cmocka_unit_test(test_zstd), cmocka_unit_test(test_devices), cmocka_unit_test(test_many_packets),
		cmocka_unit_test(test_no_index), cmocka_unit_test(test_live),
		cmocka_unit_test(test_live_refuses), cmocka_unit_test(test_ties),
		cmocka_unit_test(test_counter), cmocka_unit_test(test_page_shift),
	};

	return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}

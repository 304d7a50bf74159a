// SPDX-License-Identifier: GPL-2.0
/*
 * Lifetimes of whole traces in which something is missing that no packet tells, or
 * whose order is not known: what they must not be told as.
 */
#include <fcntl.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "print/lifetimes.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000100000ULL
#define A	0xffffffff81000100ULL
#define F	0xffffffff81000900ULL
#define KERNEL	0xcc0U

static const char head[] = "state draining\nstopped 80000\n";

static int out_fd(void)
{
	return open(test_path("out"), O_RDWR | O_CREAT | O_TRUNC, 0600);
}

static const char *read_out(void)
{
	static char output[1 << 16];
	int fd = open(test_path("out"), O_RDONLY);
	ssize_t n = read(fd, output, sizeof(output) - 1);

	assert_true(n >= 0);
	close(fd);
	output[n] = 0;
	return output;
}

/* All lifetimes that the trace tells, as CSV. */
static const char *lifetimes_of(struct lt_trace *t)
{
	struct lt_sink *sink = lt_lifetime_sink_new(out_fd(), true, LT_FORMAT_CSV, NULL);
	struct lt_event ev;

	assert_int_equal(sink->begin(sink, t), 0);
	while (lt_trace_next(t, &ev) > 0)
		assert_int_equal(sink->event(sink, &ev), 0);
	assert_int_equal(sink->end(sink), 0);
	lt_trace_close(t);
	return read_out();
}

static const char *from_file(struct tg *g)
{
	struct lt_trace *t;

	assert_int_equal(tg_write(g, test_path("x.lt"), 0), 0);
	t = lt_trace_open(test_path("x.lt"));
	assert_non_null(t);
	return lifetimes_of(t);
}

/* From a file that has a bit flipped where @text stands for the last time. */
static const char *from_damaged(struct tg *g, const char *text)
{
	uint8_t *file, *at = NULL, *p;
	const char *lifetimes;
	struct lt_trace *t;
	size_t size;

	file = tg_file(g, 0, &size);
	for (p = file; (p = memmem(p, size - (size_t)(p - file), text, strlen(text))); p++)
		at = p;
	assert_non_null(at);
	at[0] ^= 1;
	assert_int_equal(tg_save(test_path("x.lt"), file, size), 0);
	free(file);
	test_stderr_begin();
	t = lt_trace_open(test_path("x.lt"));
	assert_non_null(t);
	lifetimes = lifetimes_of(t);
	test_stderr_end();
	return lifetimes;
}

/* As if it were recorded now; @stats comes before the end. */
static const char *from_stream(struct tg *g, const char *stats)
{
	struct lt_trace *t = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	struct tg_packet *p;
	size_t n;

	assert_non_null(t);
	p = tg_packets(g, &n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(lt_trace_push(t, p[i].data, p[i].size), 0);
	lt_trace_add_text(t, LT_BLOCK_STATS, stats);
	lt_trace_watermark(t, UINT64_MAX);
	return lifetimes_of(t);
}

/* An object of a cache that is made and freed on CPU 0, and nothing else. */
static struct tg *one_object(const char *stats)
{
	struct tg *g = tg_new(NULL);
	char text[1024];

	tg_task(g, 0, 100, 17, 17, 50, 0, "cat");
	tg_cache(g, 0, 500, 5, PTR, 232, 256, "skbuff_head_cache");
	tg_cache_alloc(g, 0, 1000, PTR + 0x1000, A, KERNEL, 5, -1);
	tg_cache_free(g, 0, 5000, PTR + 0x1000, F, 5);
	tg_finish(g, 9000);
	snprintf(text, sizeof(text), "%s%s", head, stats);
	tg_text(g, LT_BLOCK_STATS, text);
	return g;
}

static void test_nothing_missing(void **state)
{
	struct tg *g = one_object("cpu 0 packets 1\nmissed bulk_free 0\nmissed cred 3\n"
				  "cpu 3 class kfree seen 0 lost_full 0 lost_nmi 0 "
				  "lost_nested 0 lost_nobuf 0 filtered 9\n");

	(void)state;
	assert_non_null(strstr(from_file(g), ",exact,"));
	tg_free(g);
}

/* CPU 7 came up at the wrong moment: it has no buffer, so no packet, and lost all. */
static void test_cpu_without_a_buffer(void **state)
{
	struct tg *g = one_object("cpu 0 packets 1\n"
				  "cpu 7 class kfree seen 70000 lost_full 0 lost_nmi 0 "
				  "lost_nested 0 lost_nobuf 70000 filtered 0\n"
				  "cpu 7 packets 0\n");

	(void)state;
	assert_non_null(strstr(from_file(g), ",uncertain,"));
	tg_free(g);
}

/* Pages have nothing to do with it. */
static void test_lost_of_another_kind(void **state)
{
	struct tg *g = one_object("cpu 0 packets 1\nmissed page_free 3\nmissed nonsense 4\n");

	(void)state;
	assert_non_null(strstr(from_file(g), ",exact,"));
	tg_free(g);
}

/* The kernel did not call the probe: the object may have been another one in between. */
static void test_missed(void **state)
{
	struct tg *g = one_object("cpu 0 packets 1\nmissed bulk_alloc 1\nmissed bulk_free 2\n");

	(void)state;
	assert_non_null(strstr(from_file(g), ",uncertain,"));
	tg_free(g);
}

static void events(struct tg *g, const char *bulk_alloc, const char *bulk_free)
{
	char text[512];

	snprintf(text, sizeof(text), "kmem_cache_alloc\ttracepoint\twatched\t-\n"
		 "bulk_alloc\tkretprobe\t%s\nbulk_free\tfunction\t%s\n", bulk_alloc, bulk_free);
	tg_text(g, LT_BLOCK_EVENTS, text);
}

/* Freed and made again where nobody looked: two lives look like one. */
static void test_both_ways_unwatched(void **state)
{
	struct tg *g = one_object("");

	(void)state;
	events(g, "not watched\tno kprobes", "not watched\tno ftrace");
	assert_non_null(strstr(from_file(g), ",uncertain,"));
	tg_free(g);

	/* One half is seen, and tells of the other. */
	g = one_object("");
	events(g, "watched\t-", "not watched\tno ftrace");
	assert_non_null(strstr(from_file(g), ",exact,"));
	tg_free(g);

	/* The list was read when the session had ended: it says nothing. */
	g = one_object("");
	events(g, "not watched\tnot recording", "not watched\tnot recording");
	assert_non_null(strstr(from_file(g), ",exact,"));
	tg_free(g);
}

/* What the counters alone tell comes too late for what was handed out, not for the rest. */
static void test_stream_with_a_cpu_unseen(void **state)
{
	static const char stats[] = "state draining\nstopped 80000\ncpu 0 packets 1\n"
				    "cpu 7 packets 5\n";
	struct tg *g = one_object("cpu 7 packets 5\n");
	char *live;

	(void)state;
	live = strdup(from_stream(g, stats));
	assert_non_null(strstr(live, ",uncertain,"));
	assert_string_equal(live, from_file(g));
	free(live);
	tg_free(g);
}

/* Made on one CPU, freed on another, at one time of a coarse clock. */
static void test_equal_times(void **state)
{
	(void)state;
	for (unsigned int cpu = 0; cpu < 2; cpu++) {
		struct tg *g = tg_new(NULL);

		tg_task(g, 0, 100, 17, 17, 50, 0, "cat");
		tg_task(g, 1, 100, 18, 18, 50, 0, "dog");
		tg_kmalloc(g, cpu, 1000, PTR, A, 64, 64, KERNEL, -1);
		tg_kfree(g, !cpu, 1000, PTR, F);
		tg_page_alloc(g, cpu, 2000, 0x100, KERNEL, 0, 0);
		tg_page_free(g, !cpu, 2000, 0x100, 0);
		tg_finish(g, 5000);
		from_file(g);
		assert_null(strstr(read_out(), ",before,"));
		assert_null(strstr(read_out(), ",open,"));
		tg_free(g);
	}
}

/*
 * After kfree_rcu the memory was released unseen and born again, which was filtered
 * for its size: the free is not the end of the grace period.
 */
static void test_confirmed_by_what_was_filtered(void **state)
{
	for (unsigned int i = 0; i < 2; i++) {
		struct tg *g = tg_new(&(struct tg_options){ .info = "" });
		char info[128];

		(void)state;
		snprintf(info, sizeof(info), "abi_version=1.0\nclock=mono\nsession=24149\n"
			 "page_shift=12\nmin_size=%u\n", i ? 0 : 100);
		tg_text(g, LT_BLOCK_INFO, info);
		tg_task(g, 0, 100, 17, 17, 50, 0, "cat");
		tg_kmalloc(g, 0, 1000, PTR, A, 120, 128, KERNEL, -1);
		tg_rcu_free(g, 0, 2000, PTR, F);
		tg_filtered(g, 0, LT_CLASS_KMALLOC, 1);
		tg_kfree(g, 0, 900000000, PTR, F);
		tg_finish(g, 1000000000);
		assert_int_equal(!!strstr(from_file(g), "899998000"), i);
		tg_free(g);
	}
}

/* What "record -e kmalloc,kfree" has in EVENTS. */
static const char kmalloc_kfree[] =
	"kfree\ttracepoint\twatched\t-\n"
	"kmem_cache_free\ttracepoint\tnot watched\tnot asked for\n"
	"bulk_free\tfunction\tnot watched\tnot asked for\n"
	"rcu_free\tfunction\tnot watched\tnot asked for\n"
	"bulk_alloc\tkretprobe\tnot watched\tnot asked for\n"
	"kmem_cache_alloc\ttracepoint\tnot watched\tnot asked for\n"
	"kmem_cache_alloc_node\ttracepoint\tnot watched\tnot asked for\n"
	"kmalloc\ttracepoint\twatched\t-\n"
	"kmalloc_node\ttracepoint\tnot watched\tnot asked for\n";

/* kfree_rcu at 2000, kmalloc_node of the same slot at 3000: neither is watched. */
static void test_kmalloc_unwatched(void **state)
{
	struct tg *g = tg_new(NULL);

	(void)state;
	tg_task(g, 0, 100, 17, 17, 50, 0, "cat");
	tg_kmalloc(g, 0, 1000, PTR, A, 64, 64, KERNEL, -1);
	tg_kfree(g, 0, 5000, PTR, F);
	tg_finish(g, 9000);
	tg_text(g, LT_BLOCK_EVENTS, kmalloc_kfree);
	assert_non_null(strstr(from_file(g), ",1000,5000,4000,uncertain,"));
	tg_free(g);
}

/* Given to kfree_rcu at 2000, which is not watched: nobody knows that it is alive. */
static void test_open_unwatched(void **state)
{
	static const char no_functions[] =
		"kfree\ttracepoint\twatched\t-\n"
		"kmem_cache_free\ttracepoint\twatched\t-\n"
		"bulk_free\tfunction\tnot watched\tthis kernel cannot probe functions\n"
		"rcu_free\tfunction\tnot watched\tthis kernel cannot probe functions\n"
		"bulk_alloc\tkretprobe\twatched\t-\n"
		"kmem_cache_alloc\ttracepoint\twatched\t-\n"
		"kmalloc\ttracepoint\twatched\t-\n";
	static const char *const events_of[] = { no_functions, kmalloc_kfree };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct tg *g = tg_new(NULL);

		tg_task(g, 0, 100, 17, 17, 50, 0, "cat");
		tg_kmalloc(g, 0, 1000, PTR, A, 64, 64, KERNEL, -1);
		tg_finish(g, 9000);
		tg_text(g, LT_BLOCK_EVENTS, events_of[i]);
		assert_non_null(strstr(from_file(g), ",uncertain,alive,"));
		assert_null(strstr(read_out(), ",open,"));
		tg_free(g);
	}
}

/*
 * The file is cut off behind the last packets, before STATS: so nobody knows since when
 * the probes were being detached, but that they were, the flag LAST says.
 */
static void test_torn_after_the_stop(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .info = "cpus_online=0\n" });
	struct lt_trace *t;

	(void)state;
	tg_task(g, 0, 100, 17, 17, 50, 0, "cat");
	tg_cache(g, 0, 500, 5, PTR, 232, 256, "skbuff_head_cache");
	tg_cache_alloc(g, 0, 1000, PTR + 0x1000, A, KERNEL, 5, -1);
	tg_kmalloc(g, 0, 1500, PTR, A, 64, 64, KERNEL, -1);
	/* 2000: stopped. Births are detached, 3000: bulk_free, too. */
	/* 3500: kmem_cache_free_bulk(PTR + 0x1000); 3600: it is born again. */
	tg_cache_free(g, 0, 4000, PTR + 0x1000, F, 5);
	/* 4500: kfree is detached; 5000: kfree(PTR). */
	tg_last(g, 0, 9000);
	assert_int_equal(tg_write(g, test_path("x.lt"), TG_NO_TRAILER), 0);
	test_stderr_begin();
	t = lt_trace_open(test_path("x.lt"));
	test_stderr_end();
	assert_non_null(t);
	lifetimes_of(t);
	assert_non_null(strstr(read_out(), ",1000,4000,3000,uncertain,"));
	assert_non_null(strstr(read_out(), ",uncertain,alive,"));
	tg_free(g);
}

/* One bit of INFO is wrong: that the kernel traces frees late is not known any more. */
static void test_info_damaged(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .late_free = true });

	(void)state;
	tg_task(g, 0, 50, 17, 17, 50, 0, "cat");
	tg_task(g, 1, 50, 18, 18, 50, 0, "dog");
	tg_cache_alloc(g, 1, 1000, PTR, A, KERNEL, 0, -1);	/* A1 */
	tg_cache_alloc(g, 0, 2000, PTR, A, KERNEL, 0, -1);	/* A2 */
	tg_cache_free(g, 1, 50000, PTR, F, 0);			/* F1, late */
	tg_cache_free(g, 0, 900000, PTR, F, 0);			/* F2 */
	tg_finish(g, 1000000);
	/* That frees are late is not known, but may be: it did not live until 50000. */
	assert_non_null(strstr(from_damaged(g, "machine="), ",2000,900000,898000,exact,"));
	tg_free(g);
}

/*
 * sample=2, which keeps page frame 0x1022 and leaves out 0x1020 and 0x1023. A part whose
 * free was left out looks "open", until somebody frees its frame within a block.
 */
static void test_sampled_parts(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .info = "" });

	(void)state;
	tg_text(g, LT_BLOCK_INFO, "abi_version=1.0\nclock=mono\nsession=24149\n"
		"page_shift=12\nsample=2\n");
	tg_task(g, 0, 100, 17, 17, 50, 0, "cat");
	tg_page_alloc(g, 0, 1000, 0x1022, KERNEL, 1, 0);
	tg_filtered(g, 0, LT_CLASS_PAGE_FREE, 1);	/* 2000: split, 0x1023 is freed */
	tg_page_free(g, 0, 2100, 0x1022, 0);
	/* 3000: 0x1020 to 0x1023, left out; __free_pages() gives it back in parts: */
	tg_filtered(g, 0, LT_CLASS_PAGE_ALLOC, 1);
	tg_page_free(g, 0, 900000, 0x1022, 1);
	tg_finish(g, 1000000);
	assert_non_null(strstr(from_file(g), ",1000,900000,899000,uncertain,"));
	tg_free(g);
}

/*
 * sample=2 as above. alloc_pages_exact() of one page from a block of two: 0x1023 is freed
 * at once, and left out. Half of the block is not alive, and nothing in the trace tells.
 */
static void test_sampled_whole(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .info = "" });

	(void)state;
	tg_text(g, LT_BLOCK_INFO, "abi_version=1.0\nclock=mono\nsession=24149\n"
		"page_shift=12\nsample=2\n");
	tg_task(g, 0, 100, 17, 17, 50, 0, "cat");
	tg_page_alloc(g, 0, 1000, 0x1022, KERNEL, 1, 0);
	tg_filtered(g, 0, LT_CLASS_PAGE_FREE, 1);	/* 1100: 0x1023 */
	tg_finish(g, 1000000);
	assert_non_null(strstr(from_file(g), ",uncertain,alive,"));
	tg_free(g);
}

/* kvfree_rcu is not watched, and the memory is taken again from somewhere else. */
static void test_not_traced_twice(void **state)
{
	struct tg *g = tg_new(NULL);

	(void)state;
	tg_task(g, 0, 100, 17, 17, 50, 0, "cat");
	tg_kmalloc(g, 0, 1000, PTR, A, 20000, 32768, KERNEL, -1);
	/* 2000: kvfree_rcu(PTR); some ms later it is given back. */
	tg_kmalloc(g, 0, 500000000, PTR, A + 0x1000, 20000, 32768, KERNEL, -1);
	tg_kfree(g, 0, 600000000, PTR, F);
	tg_finish(g, 900000000);
	tg_text(g, LT_BLOCK_EVENTS, "kfree\ttracepoint\twatched\t-\n"
		"kmem_cache_free\ttracepoint\twatched\t-\n"
		"bulk_free\tfunction\twatched\t-\n"
		"rcu_free\tfunction\tnot watched\tnot asked for\n"
		"bulk_alloc\tkretprobe\twatched\t-\n"
		"kmem_cache_alloc\ttracepoint\twatched\t-\n"
		"kmalloc\ttracepoint\twatched\t-\n");
	/* It did not live from 1000 to 600000000. */
	assert_non_null(strstr(from_file(g), ",1000,600000000,599999000,uncertain,"));
	tg_free(g);
}

/* The STATS behind the last packets is damaged, that before them is whole: it counts. */
static void test_second_stats_damaged(void **state)
{
	static const char stats[] = "state draining\nstopped 80000\ncpu 0 packets 2\n"
				    "missed bulk_alloc 1\nmissed bulk_free 2\n";
	struct tg *g = tg_new(NULL);

	(void)state;
	tg_task(g, 0, 100, 17, 17, 50, 0, "cat");
	tg_cache(g, 0, 500, 5, PTR, 232, 256, "skbuff_head_cache");
	tg_cache_alloc(g, 0, 1000, PTR + 0x1000, A, KERNEL, 5, -1);
	tg_cache_free(g, 0, 5000, PTR + 0x1000, F, 5);
	tg_close(g, 0, 6000);
	tg_last(g, 0, 9000);
	tg_text(g, LT_BLOCK_STATS, stats);
	tg_text(g, LT_BLOCK_STATS, stats);
	/* As they are, both say it. */
	assert_non_null(strstr(from_file(g), ",uncertain,"));
	assert_non_null(strstr(from_damaged(g, "missed bulk_free"),
			       ",1000,5000,4000,uncertain,"));
	tg_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_missing),
		cmocka_unit_test(test_cpu_without_a_buffer),
		cmocka_unit_test(test_lost_of_another_kind),
		cmocka_unit_test(test_missed),
		cmocka_unit_test(test_both_ways_unwatched),
		cmocka_unit_test(test_stream_with_a_cpu_unseen),
		cmocka_unit_test(test_equal_times),
		cmocka_unit_test(test_confirmed_by_what_was_filtered),
		cmocka_unit_test(test_kmalloc_unwatched),
		cmocka_unit_test(test_open_unwatched),
		cmocka_unit_test(test_torn_after_the_stop),
		cmocka_unit_test(test_info_damaged),
		cmocka_unit_test(test_sampled_parts),
		cmocka_unit_test(test_sampled_whole),
		cmocka_unit_test(test_not_traced_twice),
		cmocka_unit_test(test_second_stats_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Printed reports: the text, and the sums over the rows of CSV and JSON.
 */
#include <fcntl.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "print/report.h"
#include "reporttest.h"

/* The printed report, valid until the next call. */
static const char *printed_as(struct lt_report *r, struct lt_report_view p)
{
	static char text[1 << 16];
	int fd = open(test_path("out"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct lt_out out = LT_OUT_INIT(fd);
	ssize_t n;

	assert_true(fd >= 0);
	p.file = "r.lt";
	p.out = &out;
	lt_report_print(r, &p);
	assert_int_equal(lt_out_close(&out), 0);
	n = pread(fd, text, sizeof(text) - 1, 0);
	assert_true(n >= 0);
	text[n] = 0;
	close(fd);
	return text;
}

static const char *printed(struct lt_report *r, enum lt_format format, const char *sort)
{
	return printed_as(r, (struct lt_report_view){ .format = format, .sort = sort });
}

static const char *all_of(struct lt_report *r)
{
	return printed_as(r, (struct lt_report_view){ .all = true });
}

static const char *screen_of(struct lt_report *r)
{
	return printed_as(r, (struct lt_report_view){ .width = 80 });
}

static size_t count(const char *text, const char *word)
{
	size_t n = 0;

	while ((text = strstr(text, word))) {
		text += strlen(word);
		n++;
	}
	return n;
}

/* Objects of a cache without a record have no bytes, but their births are counted. */
static void test_rows_without_bytes(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	TG_CACHE_ALLOC(g, 0, 1010, .ptr = PTR, .call_site = A, .gfp = KERNEL, .cache = 0,
		       .node = -1);
	TG_CACHE_ALLOC(g, 0, 1020, .ptr = PTR + 64, .call_site = A, .gfp = KERNEL, .cache = 0,
		       .node = -1);
	born(g, 1030, 5, B, 64);
	tg_finish(g, 5000);
	r = report(g, LT_BY_SITE);
	assert_int_equal(r->all.births, 3);
	assert_int_equal(count(printed(r, LT_FORMAT_JSON, NULL), "\"allocations\":"), 2);
	assert_int_equal(count(printed(r, LT_FORMAT_JSON, "p50"), "\"allocations\":2"), 1);
	assert_int_equal(count(printed(r, LT_FORMAT_CSV, "outlives"), "\n"), 3);
	/* A list for people has only the rows with a value in its column. */
	assert_int_equal(count(printed(r, LT_FORMAT_TEXT, "bytes"), "0xffffffff81000"), 1);
	assert_int_equal(count(printed(r, LT_FORMAT_TEXT, "allocations"), "0xffffffff81000"), 2);
	done(r, g);
}

/* If no byte was ever live there is no time of the peak. */
static void test_no_births(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;
	const char *text;

	(void)state;
	tg_kfree(g, 0, 1000000, PTR, F);
	tg_finish(g, 3000000);
	r = report(g, LT_BY_SITE);
	text = all_of(r);
	assert_non_null(strstr(text, "  alive        at the end 0 with 0 B\n"));
	assert_null(strstr(text, "18446744"));
	text = screen_of(r);
	assert_non_null(strstr(text, "Alive at the end          0        0 B\n"));
	assert_null(strstr(text, "Peak"));
	assert_null(strstr(text, "Slack"));
	assert_null(strstr(text, "18446744"));
	text = printed(r, LT_FORMAT_JSON, NULL);
	assert_non_null(strstr(text, "\"peak_bytes\":0,\"peak_ns\":null,"));
	done(r, g);
}

/* Under a filter of births, all frees are recorded: of what was left out, too. */
static void test_births_chosen(void **state)
{
	static const char *const words[][2] = {
		{ "", "100 % older than" }, { "only_pid=17\n", "100 % with a birth" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct tg *g = tg_new(&(struct tg_options){ .info = words[i][0] });
		struct lt_report *r;

		TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 50, .comm = "cat");
		tg_kfree(g, 0, 2000, PTR, F);
		tg_finish(g, 3000);
		r = report(g, LT_BY_SITE);
		assert_non_null(strstr(screen_of(r), words[i][1]));
		done(r, g);
	}
}

/* Probe hits that the kernel did not deliver are not lost by the module, but are reported. */
static void test_missed(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;

	(void)state;
	born(g, 1010, 1, A, 64);
	tg_finish(g, 9000);
	tg_text(g, LT_BLOCK_STATS, "state draining\nmissed bulk_alloc 1200\nmissed cred 7\n"
		"missed bulk_free 34\n");
	r = report(g, LT_BY_SITE);
	assert_non_null(strstr(all_of(r), "  missed       1,234 hits of functions"));
	assert_non_null(strstr(screen_of(r), "1,234 calls"));
	assert_non_null(strstr(printed(r, LT_FORMAT_JSON, NULL), "\"lost\":0,\"missed\":1234,"));
	done(r, g);
}

/* JSON and CSV have all rows, and say how many there are if they are asked for fewer. */
static void test_all_rows(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;
	const char *text;

	(void)state;
	for (unsigned int i = 0; i < 30; i++)
		born(g, 1000 + i, i, A + 0x100 * i, 64);
	tg_finish(g, 5000);
	r = report(g, LT_BY_SITE);
	text = printed(r, LT_FORMAT_JSON, NULL);
	assert_int_equal(count(text, "{\"site\":"), 30);
	assert_non_null(strstr(text, "{\"schema_version\":2,"));
	assert_non_null(strstr(text, "\"total_rows\":30,"));
	assert_int_equal(count(printed(r, LT_FORMAT_CSV, NULL), "\n"), 31);
	text = printed_as(r, (struct lt_report_view){ .format = LT_FORMAT_JSON, .top = 2 });
	assert_int_equal(count(text, "{\"site\":"), 2);
	assert_non_null(strstr(text, "\"total_rows\":30,"));
	text = printed_as(r, (struct lt_report_view){ .list = "alive", .top = 2 });
	assert_int_equal(count(text, "  0xffffffff81"), 2);
	assert_non_null(strstr(text, "and 28 more"));
	done(r, g);
}

/* A percentile that is not reached: "> T" for people, null in JSON; and who is alive. */
static void test_not_reached(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;
	const char *text;

	(void)state;
	for (unsigned int i = 0; i < 10; i++)
		born(g, 1000, i, A, 64);
	freed(g, 1020, 0);
	tg_finish(g, 2000);
	r = report(g, LT_BY_SITE);
	text = printed(r, LT_FORMAT_TEXT, "p50");
	assert_non_null(strstr(text, "> 1.0 us"));
	text = printed(r, LT_FORMAT_JSON, NULL);
	assert_non_null(strstr(text, "\"exact\":1,\"censored\":9,\"p50_ns\":null,\"p90_ns\":null,"
			       "\"p99_ns\":null,\"longest_ns\":1000}"));
	assert_non_null(strstr(printed(r, LT_FORMAT_CSV, NULL), ",1,9,,,,1000\n"));
	text = screen_of(r);
	assert_non_null(strstr(text, "Lifetime     over 50 % above 1.0 us\n"));
	/* The histogram has both edges of a part, and the ages. */
	text = all_of(r);
	assert_non_null(strstr(text, "     16 ns ..    32 ns           1 100.0 %         0 ####"));
	assert_non_null(strstr(text, "    512 ns ..   1.0 us           0   0.0 %         9\n"));
	done(r, g);
}

static void test_names(void **state)
{
	static const char *const keys[] = {
		[LT_BY_SITE] = "{\"site\":\"0xffffffff81000100\",\"cache\":\"kmalloc-64\",\"alloc",
		[LT_BY_CACHE] = "{\"cache\":\"kmalloc-64\",\"alloc",
		[LT_BY_TASK] = "{\"context\":\"task\",\"tid\":17,\"start_ns\":50,\"comm\":\"cat\",\"alloc",
		[LT_BY_PROCESS] = "{\"context\":\"task\",\"comm\":\"cat\",\"tasks\":1,\"alloc",
		[LT_BY_SIZE] = "{\"size_max_bytes\":64,\"alloc",
	};

	(void)state;
	for (int by = LT_BY_SITE; by <= LT_BY_SIZE; by++) {
		struct tg *g = new_trace();
		struct lt_report *r;

		born(g, 1000, 1, A, 64);
		tg_finish(g, 2000);
		r = report(g, (enum lt_report_by)by);
		assert_non_null(strstr(printed(r, LT_FORMAT_JSON, NULL), keys[by]));
		done(r, g);
	}
	assert_non_null(lt_columns_sort(lt_report_kind(LT_BY_SITE), "alive"));
	assert_non_null(lt_columns_sort(lt_report_kind(LT_BY_SITE), "alive_bytes"));
	assert_non_null(lt_columns_sort(lt_report_kind(LT_BY_SITE), "rate"));
	assert_non_null(lt_columns_sort(lt_report_kind(LT_BY_SITE), "p99"));
	assert_true(lt_report_has_list("remote"));
	assert_false(lt_report_has_list("r.lt"));
	test_stderr_begin();
	assert_null(lt_columns_sort(lt_report_kind(LT_BY_SITE), "alive_"));
	assert_non_null(strstr(test_stderr_end(), "there is no column 'alive_'"));
}

/* The longest line, and the number of lines. */
static size_t longest(const char *text, size_t *lines)
{
	size_t most = 0;

	for (*lines = 0; *text; ++*lines) {
		size_t bytes = strcspn(text, "\n"), n = 0;

		for (size_t i = 0; i < bytes; i++)
			n += ((unsigned char)text[i] & 0xc0) != 0x80;
		most = n > most ? n : most;
		text += bytes + (text[bytes] != 0);
	}
	return most;
}

/* The first screen of a trace in which everything is missing that can be. */
static void test_screen(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;
	const char *text;
	size_t lines;

	(void)state;
	TG_TASK(g, 0, 100, .tid = 17, .tgid = 17, .start = 50, .comm = "a-rather-long-n");
	freed(g, 900, 99);
	for (unsigned int i = 0; i < 400; i++)
		TG_KMALLOC(g, 0, 1000 + i, .ptr = PTR + i * 0x10000ULL, .call_site = A + i % 7,
			   .bytes_req = 40, .bytes_alloc = 64, .gfp = KERNEL, .node = -1);
	for (unsigned int i = 0; i < 200; i++)
		tg_kfree(g, 1, 2000 + i, PTR + i * 0x10000ULL, F);
	born(g, 2400, 300, B, 64);	/* bounds the one before */
	tg_task_exit(g, 0, 2500, 17, 17, 50, 1);
	freed(g, 9000, 301);
	tg_close(g, 0, 9100);
	tg_lost(g, 0, LT_CLASS_KFREE, TG_FULL, 123456);
	tg_open(g, 0, 9200);
	freed(g, 9300, 302);
	tg_finish(g, 20000);
	tg_text(g, LT_BLOCK_EVENTS, "kfree\ttracepoint\twatched\t-\nbulk_free\tfunction\tnot watched\t"
		"the function is missing\n");
	tg_text(g, LT_BLOCK_STATS, "state draining\nmissed bulk_alloc 1200\n");
	r = report(g, LT_BY_SITE);
	text = screen_of(r);
	assert_true(longest(text, &lines) <= 80);
	assert_true(lines <= 22);
	assert_non_null(strstr(text, "How sure     of "));
	assert_non_null(strstr(text, "not watched: bulk_free"));
	assert_non_null(strstr(text, "123,456 events lost"));
	assert_non_null(strstr(text, "perhaps alive"));
	assert_non_null(strstr(text, "Slack"));
	assert_null(strstr(text, "\033"));
	text = printed_as(r, (struct lt_report_view){ .width = 80, .bold = true });
	assert_non_null(strstr(text, "\033[1mHow sure\033[m     of "));
	/* A narrow terminal: names are cut, columns are left out. */
	text = printed_as(r, (struct lt_report_view){ .list = "churn", .width = 60, .cut = true });
	assert_true(longest(strstr(text, "Most allocations"), &lines) <= 60);
	done(r, g);
}

/* All commands, and a trace of which everything is known. */
static void test_screen_commands(void **state)
{
	struct tg *g = new_trace();
	struct lt_report *r;
	const char *text;
	size_t lines;

	(void)state;
	freed(g, 900, 99);
	for (unsigned int i = 0; i < 20; i++)
		born(g, 1000 + i, i, A, 64);
	for (unsigned int i = 0; i < 8; i++)
		tg_kfree(g, 1, 1900, PTR + i * 0x10000ULL, F);
	tg_task_exit(g, 0, 2500, 17, 17, 50, 1);
	for (unsigned int i = 8; i < 10; i++)
		freed(g, 9000, i);
	tg_finish(g, 20000);
	r = report(g, LT_BY_SITE);
	text = screen_of(r);
	assert_true(longest(text, &lines) <= 80);
	assert_true(lines <= 22);
	assert_non_null(strstr(text, "How sure     of 21 lifetimes 48 % exact, 48 % alive at the end, "
			       "5 % older than\n             the trace; nothing lost\n"));
	assert_non_null(strstr(text, "Alive at the end         10      640 B 100 % 0xffff"));
	assert_non_null(strstr(text, "report short     r.lt  8 lived up to 1.0 us\n"));
	assert_non_null(strstr(text, "report long      r.lt  12 lived 5.0 us or longer\n"));
	assert_non_null(strstr(text, "report remote    r.lt  8 freed on another CPU\n"));
	assert_non_null(strstr(text, "report outlives  r.lt  10 outlived their maker\n"));
	text = printed_as(r, (struct lt_report_view){ .width = 80, .several = true });
	assert_non_null(strstr(text, "report outlives  FILE...  10 outlived their maker\n"));
	done(r, g);
}

#define SLAB(when, active)	"when=" when " clock=1000\nshrunk 1 of 1\ncache dentry active " \
				active " total 900 objsize 192 slots_per_slab 4\n" \
				"slabattr dentry cpu_slabs 2\n"

/* 100 dentries, of which the counters have 96; one in a slab of a CPU may count as active. */
static struct tg *slab_trace(void)
{
	struct tg *g = new_trace();

	tg_text(g, LT_BLOCK_SLAB, SLAB("start", "400"));
	TG_CACHE(g, 0, 1001, .id = 9, .ptr = 0xffff888000900000ULL, .object_size = 192, .size = 192,
		 .name = "dentry");
	tg_marker(g, 0, 1002, "lifetrace: slab start");
	tg_marker(g, 0, 1003, "lifetrace: slab start");
	for (unsigned int i = 0; i < 100; i++)
		TG_CACHE_ALLOC(g, 0, 1100 + i, .ptr = PTR + i * 192, .call_site = A, .gfp = KERNEL,
			       .cache = 9, .node = -1);
	return g;
}

static struct lt_report *slab_report(struct tg *g)
{
	tg_marker(g, 0, 4000, "lifetrace: slab end");
	tg_marker(g, 0, 4001, "lifetrace: slab end");
	tg_finish(g, 5000);
	tg_text(g, LT_BLOCK_SLAB, SLAB("end", "496"));
	return report(g, LT_BY_SITE);
}

/* What is within the error is not rounded up to 100 %, and the error stands beside it. */
static void test_coverage(void **state)
{
	struct tg *g = slab_trace();
	struct lt_report *r = slab_report(g);
	const char *text;

	(void)state;
	text = printed_as(r, (struct lt_report_view){ .width = 1000 });
	assert_non_null(strstr(text, "\nCross-check  allocations minus frees make up 95.8 ± 8.3 % of the change "
			       "that the kernel's own slab counters show\n"));
	text = all_of(r);
	assert_non_null(strstr(text, "  coverage     allocations minus frees make up 95.83 % ± 8.33 % of the "
			       "change in the\n               kernel's counters of the 1 of 1 slab caches"));
	text = printed(r, LT_FORMAT_JSON, NULL);
	assert_non_null(strstr(text, "\"explained_percent\":95.833,\"explained_percent_error\":8.333,"));
	assert_non_null(strstr(text, "\"no_percentage\":null"));
	done(r, g);

	/* Of what was lost, nobody knows which way it would have changed the sum. */
	g = slab_trace();
	tg_lost(g, 0, LT_CLASS_CACHE_FREE, TG_FULL, 7);
	r = slab_report(g);
	text = printed_as(r, (struct lt_report_view){ .width = 1000 });
	assert_non_null(strstr(text, "7 events lost"));
	assert_null(strstr(text, "Cross-check"));
	assert_non_null(strstr(all_of(r), "  coverage     no percentage: events of slab objects were lost"));
	text = printed(r, LT_FORMAT_JSON, NULL);
	assert_non_null(strstr(text, "\"explained_percent\":null"));
	assert_non_null(strstr(text, "\"no_percentage\":\"lost\""));
	done(r, g);
}

/* 20 objects of a sample of one address in 16, of which so many allocations were left out. */
static struct tg *sampled(uint64_t left_out)
{
	struct tg *g = tg_new(&(struct tg_options){ .sample = 16 });

	for (unsigned int i = 0; i < 20; i++)
		born(g, 1000 + i, i, A, 64);
	tg_filtered(g, 0, LT_CLASS_KMALLOC, left_out);
	tg_finish(g, 5000);
	return g;
}

static void test_sample(void **state)
{
	struct lt_report_view wide = { .width = 2000 }, list = { .width = 2000, .list = "alive" };
	struct lt_report_options o = usual;
	struct tg *g = sampled(300);
	struct lt_report *r;
	const char *text;

	(void)state;
	o.estimate = true;
	r = report_with(g, &o);
	text = printed_as(r, wide);
	assert_non_null(strstr(text, "only objects at 1 in 16 addresses were recorded, and each counts as 16"));
	assert_non_null(strstr(text, "95 of 100 intervals (from, to) hold the true number"));
	assert_non_null(strstr(text, "counted were 320 allocations, recorded or not\n"));
	assert_int_equal(count(text, "\n  95 %: "), 2);
	assert_non_null(strstr(printed_as(r, list), " alive bytes      from        to "));
	text = printed(r, LT_FORMAT_JSON, NULL);
	assert_non_null(strstr(text, "\"sample\":{\"one_in\":16,\"counted_allocations\":320,"
			       "\"allocations\":{\"estimate\":320,\"low\":"));
	assert_non_null(strstr(text, "\"allocations_low\":"));
	done(r, g);
	/* The addresses that were left out are used more often. */
	g = sampled(100000);
	r = report_with(g, &o);
	assert_non_null(strstr(printed_as(r, wide), "counted were 100,020 allocations, recorded or not "
			       "(320 by the sample: "));
	lt_report_free(r);
	/* Who does not make up for it says so. */
	r = report(g, LT_BY_SITE);
	assert_int_equal(r->all.births, 20);
	assert_non_null(strstr(printed_as(r, wide), "a sample, not scaled up"));
	assert_null(strstr(printed(r, LT_FORMAT_JSON, NULL), "_low"));
	done(r, g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_without_bytes),
		cmocka_unit_test(test_no_births),
		cmocka_unit_test(test_births_chosen),
		cmocka_unit_test(test_missed),
		cmocka_unit_test(test_all_rows),
		cmocka_unit_test(test_not_reached),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_screen),
		cmocka_unit_test(test_screen_commands),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_sample),
	};

	return cmocka_run_group_tests_name("report print", tests, NULL, NULL);
}

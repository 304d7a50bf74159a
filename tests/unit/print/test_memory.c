// SPDX-License-Identifier: GPL-2.0
/*
 * Memory: the readings of /proc/meminfo, and what a trace explains of the change of slabs.
 */
#include <fcntl.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "print/memory.h"
#include "sums/meminfo.h"
#include "sums/pagekinds.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000100000ULL
#define SITE	0xffffffff81000100ULL
#define KERNEL	0xcc0U

#define START	"when=start clock=1000\nshrunk 0 of 0\nmeminfo Slab 100\nmeminfo PageTables 7\n" \
		"cache dentry active 10 total 21 objsize 192 slots_per_slab 21\n"
#define END	"when=end clock=5000\nshrunk 0 of 0\nmeminfo PageTables 5\nmeminfo Slab 104\n" \
		"cache dentry active 13 total 42 objsize 192 slots_per_slab 21\n"

static const char *info = "";	/* lines before its others: of a key the first counts */
static const char *events;

/* Between the readings two dentries are born. */
static void some_trace(const char *start, const char *end)
{
	struct tg *g = tg_new(NULL);
	char text[1024];

	snprintf(text, sizeof(text), "%s%s", info, tg_info_text(g));
	tg_text(g, LT_BLOCK_INFO, text);
	if (events)
		tg_text(g, LT_BLOCK_EVENTS, events);
	if (start)
		tg_text(g, LT_BLOCK_SLAB, start);
	TG_CACHE(g, 0, 900, .id = 3, .ptr = 0xffff888000900000ULL, .object_size = 192, .size = 192,
		 .name = "dentry");
	tg_marker(g, 0, 1000, "lifetrace: slab start");
	tg_marker(g, 0, 1010, "lifetrace: slab start");
	TG_CACHE_ALLOC(g, 0, 2000, .ptr = PTR, .call_site = SITE, .gfp = KERNEL, .cache = 3,
		       .node = -1);
	TG_CACHE_ALLOC(g, 0, 2001, .ptr = PTR + 0x100, .call_site = SITE, .gfp = KERNEL, .cache = 3,
		       .node = -1);
	tg_marker(g, 0, 5000, "lifetrace: slab end");
	tg_marker(g, 0, 5010, "lifetrace: slab end");
	tg_finish(g, 6000);
	if (end)
		tg_text(g, LT_BLOCK_SLAB, end);
	assert_int_equal(tg_write(g, test_path("m.lt"), 0), 0);
	tg_free(g);
}

static bool with_areas;
static const struct lt_column *sort_by;

/* What is printed, valid until the next call; NULL: an error was. */
static const char *printed(enum lt_format format)
{
	static const struct lt_report_options o = { .by = LT_BY_CACHE };
	struct lt_report *areas[LT_N_MEMORY] = { NULL };
	static char text[1 << 16];
	struct lt_report *r = lt_report_make(test_path("m.lt"), &o);
	int fd = open(test_path("out"), O_RDWR | O_CREAT | O_TRUNC, 0600), err;
	struct lt_out out = LT_OUT_INIT(fd);
	ssize_t n;

	/* The rows of slab objects will do for the sums. */
	areas[LT_SPACE_VMALLOC] = with_areas ? r : NULL;
	areas[LT_SPACE_PAGE] = with_areas ? r : NULL;
	assert_non_null(r);
	assert_true(fd >= 0);
	err = lt_memory_print(r, areas, "m.lt", format, sort_by, NULL, &out);
	lt_report_free(r);
	assert_int_equal(lt_out_close(&out), 0);
	n = pread(fd, text, sizeof(text) - 1, 0);
	assert_true(n >= 0);
	text[n] = 0;
	close(fd);
	return err ? NULL : text;
}

static void test_print(void **state)
{
	const char *text;

	(void)state;
	some_trace(START, END);
	text = printed(LT_FORMAT_JSON);
	/* Three objects by the counters and two by the trace; of 21 more places 18 are free. */
	assert_non_null(strstr(text, "\"slab_objects_change_bytes\":576,"
			       "\"traced_objects_change_bytes\":384,"
			       "\"slab_objects_moved_bytes\":576,\"apart_bytes\":192,"
			       "\"free_places_change_bytes\":3456,\"total_rows\":2,\"rows\":["));
	assert_non_null(strstr(text, "{\"name\":\"Slab\",\"start_bytes\":102400,"
			       "\"end_bytes\":106496,\"change_bytes\":4096}"));
	assert_non_null(strstr(text, "{\"name\":\"PageTables\",\"start_bytes\":7168,"
			       "\"end_bytes\":5120,\"change_bytes\":-2048}"));
	text = printed(LT_FORMAT_TEXT);
	assert_non_null(strstr(text, "\n  Slab             100.0 KiB   104.0 KiB      +4.0 KiB\n"));
	assert_non_null(strstr(text, "\n  PageTables         7.0 KiB     5.0 KiB      -2.0 KiB\n"));
	assert_non_null(strstr(text, " +384 B  caches differ by 192 B\n"));
	/* 4096 bytes, less three objects and 18 places of 192 bytes. */
	assert_non_null(strstr(text, "what slabs add to their places               +64 B\n"));
}

/* A trace without slab objects says nothing of them, which is not that they are 0 bytes. */
static void test_no_slab(void **state)
{
	const char *text;

	(void)state;
	events = "kmalloc\ttracepoint\tnot watched\tnot chosen\n"
		 "kmem_cache_alloc\ttracepoint\tnot watched\tnot chosen\n";
	some_trace(START, END);
	text = printed(LT_FORMAT_TEXT);
	assert_non_null(strstr(text, "objects, by the kernel's counters "));
	assert_null(strstr(text, "objects, by the trace"));
	assert_non_null(strstr(text, "\nSlab objects were not recorded: record -e slab.\n"));
	events = NULL;
}

/* Rows in the order of a column; the lines below a row stay with it. */
static void test_sort(void **state)
{
	const char *text, *tables, *slab, *part;

	(void)state;
	some_trace(START, END);
	sort_by = lt_columns_sort(&lt_rows_of_memory, "name");
	text = printed(LT_FORMAT_TEXT);
	tables = strstr(text, "\n  PageTables ");
	slab = strstr(text, "\n  Slab ");
	part = strstr(text, "what slabs add to their places");
	assert_true(tables && slab && part && tables < slab && slab < part);
	text = printed(LT_FORMAT_JSON);
	assert_true(strstr(text, "{\"name\":\"PageTables\"") < strstr(text, "{\"name\":\"Slab\""));
	sort_by = lt_columns_sort(&lt_rows_of_memory, "change");
	text = printed(LT_FORMAT_CSV);
	assert_true(strstr(text, "meminfo,Slab,") < strstr(text, "meminfo,PageTables,"));
	assert_null(lt_columns_sort(&lt_rows_of_memory, "price"));
	sort_by = NULL;
}

/* What was made since the start, and the rest of the change of VmallocUsed. */
static void test_areas(void **state)
{
	const char *text;

	(void)state;
	some_trace(START "meminfo VmallocUsed 10\n", END "meminfo VmallocUsed 12\n");
	with_areas = true;
	text = printed(LT_FORMAT_JSON);
	assert_non_null(strstr(text, ",\"vmalloc_made_bytes\":384,\"pages_made_bytes\":384,\"total_rows\":"));
	assert_null(strstr(text, "percpu_made_bytes"));
	text = printed(LT_FORMAT_TEXT);
	assert_non_null(strstr(text, "made since, and still there                 +384 B\n"));
	assert_non_null(strstr(text, "+1.6 KiB  by difference\n"));
	assert_null(strstr(text, "were not recorded"));
	with_areas = false;
	assert_non_null(strstr(printed(LT_FORMAT_TEXT), "were not recorded"));
}

#define PAGES_START	"pages anon 256\npages cache 10\npages other 40\npages free 700\npages hole 18\n" \
			"pages_cpu_free 30\npages_read 1024 ns 100000\n"
#define PAGES_END	"pages anon 300\npages cache 0\npages other 45\npages free 661\npages hole 18\n" \
			"pages_cpu_free 5\npages_read 1024 ns 2000000\n"

/* Pages by kind: those that CPUs keep free are free, not the kernel's. */
static void test_kinds(void **state)
{
	const char *text;

	(void)state;
	some_trace(START PAGES_START, END PAGES_END);
	with_areas = true;
	text = printed(LT_FORMAT_JSON);
	/* 44 anonymous pages and 30 of the kernel's more, 10 of the cache less. */
	assert_non_null(strstr(text, ",\"pages_given_away_change_bytes\":262144,\"pages_read\":1024,"
			       "\"pages_read_ns\":2000000,\"page_kinds\":[\n"
			       "{\"name\":\"anon\",\"start_bytes\":1048576,\"end_bytes\":1228800,"
			       "\"change_bytes\":180224},\n{\"name\":\"cache\",\"start_bytes\":40960,"
			       "\"end_bytes\":0,\"change_bytes\":-40960},\n"));
	assert_non_null(strstr(text, "{\"name\":\"other\",\"start_bytes\":40960,"
			       "\"end_bytes\":163840,\"change_bytes\":122880}"));
	assert_non_null(strstr(text, "{\"name\":\"free\",\"start_bytes\":2990080,"
			       "\"end_bytes\":2727936,\"change_bytes\":-262144}"));
	text = printed(LT_FORMAT_CSV);
	assert_ptr_equal(strstr(text, "source,name,start_bytes,end_bytes,change_bytes\n"
				"meminfo,Slab,102400,106496,4096\nmeminfo,PageTables,7168,5120,-2048\n"
				"page_kinds,anon,1048576,1228800,180224\n"), text);
	assert_non_null(strstr(text, "\npage_kinds,hole,73728,73728,0\n"));
	text = printed(LT_FORMAT_TEXT);
	assert_non_null(strstr(text, "\n/proc/kpageflags    at start      at end      change\n"
			       "  anonymous          1.0 MiB     1.2 MiB    +176.0 KiB\n"
			       "  page cache        40.0 KiB         0 B     -40.0 KiB\n"
			       "  other kernel      40.0 KiB   160.0 KiB    +120.0 KiB\n"
			       "  given away         1.1 MiB     1.3 MiB    +256.0 KiB\n"
			       "    made since, and still there                 +384 B  by the trace\n"
			       "    from before and gone                    +255.6 KiB  by difference\n"
			       "  free               2.9 MiB     2.6 MiB    -256.0 KiB\n"
			       "1,024 pages were looked at, in 2.0 ms.\n"));
	assert_null(strstr(text, "not recorded"));
	with_areas = false;
	assert_non_null(strstr(printed(LT_FORMAT_TEXT), "Blocks of pages were not recorded"));
}

/* Readings that are no readings are left out, and that is said. */
static void test_kinds_hostile(void **state)
{
	static const struct {
		const char *start;
		const char *end;
		const char *said;	/* NULL: nothing */
	} cases[] = {
		{ "", "", NULL },
		{ PAGES_START, "", "read only once" },
		{ "", PAGES_END, "read only once" },
		/* The sum is another one, or there is none; numbers that cannot be. */
		{ PAGES_START, PAGES_END "pages anon 1\n", "do not add up" },
		{ PAGES_START, "pages anon 7\n", "do not add up" },
		{ PAGES_START, "pages anon -1\npages_read 0 ns 1\n", "do not add up" },
		{ PAGES_START, "pages anon 18446744073709551615\npages cache 1\npages_read 0 ns 1\n",
		  "do not add up" },
		{ PAGES_START, "pages_read 18446744073709551615 ns 1\n", "do not add up" },
	};
	static const struct {
		const char *start;
		const char *end;
	} fine[] = {
		/* A later version's kind is the kernel's; names that are no kinds; longer lists. */
		{ PAGES_START, "pages anon 1\npages zoned 2\npages_read 3 ns 0\n" },
		{ PAGES_START, "pages\npages anon\npages anon x\npages anon 3\npages_cpu_free 9\n"
		  "pages_read 3 ns 0\n" },
	};
	char start[1024], end[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *said;

		snprintf(start, sizeof(start), START "%s", cases[i].start);
		snprintf(end, sizeof(end), END "%s", cases[i].end);
		some_trace(start, end);
		test_stderr_begin();
		assert_non_null(strstr(printed(LT_FORMAT_TEXT), "record --page-kinds"));
		said = test_stderr_end();
		if (cases[i].said)
			assert_non_null(strstr(said, cases[i].said));
		else
			assert_string_equal(said, "");
		assert_null(strstr(printed(LT_FORMAT_JSON), "page_kinds"));
	}
	for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++) {
		snprintf(start, sizeof(start), START "%s", fine[i].start);
		snprintf(end, sizeof(end), END "%s", fine[i].end);
		some_trace(start, end);
		assert_non_null(strstr(printed(LT_FORMAT_TEXT), "3 pages were looked at"));
	}
}

/* What was left out on purpose is named. */
static void test_left_out(void **state)
{
	(void)state;
	info = "sample=1\nmin_size=0\n";
	some_trace(START, END);
	assert_null(strstr(printed(LT_FORMAT_TEXT), "What is by the trace"));
	info = "sample=16\nmin_size=100\n";
	some_trace(START, END);
	assert_non_null(strstr(printed(LT_FORMAT_TEXT),
			       "What is by the trace is of one address in 16, a sample.\n"
			       "What is by the trace is without allocations of less than 100 bytes.\n"));
	info = "";
}

static void test_missing(void **state)
{
	static const char *const cache = "cache dentry active 1 total 21 objsize 192 slots_per_slab 21\n";
	char start[256], end[256];

	(void)state;
	/* An older trace. */
	snprintf(start, sizeof(start), "when=start clock=1000\n%s", cache);
	snprintf(end, sizeof(end), "when=end clock=5000\n%s", cache);
	some_trace(start, end);
	assert_non_null(strstr(printed(LT_FORMAT_TEXT), "The trace has no /proc/meminfo."));
	assert_non_null(strstr(printed(LT_FORMAT_JSON), "\"total_rows\":0,\"rows\":[]}"));
	/* No second reading. */
	some_trace(START, NULL);
	test_stderr_begin();
	assert_null(printed(LT_FORMAT_TEXT));
	assert_non_null(strstr(test_stderr_end(), "the slab counters were not read"));
}

/* Lines that cannot be, names that come twice, and more lines than are taken. */
static void test_hostile(void **state)
{
	static const char *const odd = "meminfo\nmeminfo Slab\nmeminfo Slab x\nmeminfo Big 1125899906842625\n"
		"meminfo Slab 1\nmeminfo Slab 2\nmeminfo Neg -1\n"
		"meminfo ANameOfMoreThanSixtyThreeCharactersWhichTheKernelDoesNotHaveAtAll 3\n";
	struct lt_meminfo_row *rows;
	struct lt_trace *t;
	char *start, *end;
	size_t n;

	(void)state;
	start = calloc(1, 20000);
	end = calloc(1, 20000);
	assert_true(start && end);
	sprintf(start, "when=start clock=1\n%s", odd);
	sprintf(end, "when=end clock=2\n%smeminfo Other 4\n", odd);
	some_trace(start, end);
	t = lt_trace_open(test_path("m.lt"));
	n = lt_meminfo_read(t, &rows);
	assert_int_equal(n, 1);
	assert_string_equal(rows[0].name, "Slab");
	assert_int_equal(rows[0].bytes[0], 1024);
	assert_int_equal(rows[0].bytes[1], 1024);
	free(rows);
	lt_trace_close(t);
	sprintf(start, "when=start clock=1\n");
	sprintf(end, "when=end clock=2\n");
	for (unsigned int i = 0; i < 400; i++) {
		sprintf(start + strlen(start), "meminfo n%u 1\n", i);
		sprintf(end + strlen(end), "meminfo n%u 2\n", i);
	}
	some_trace(start, end);
	t = lt_trace_open(test_path("m.lt"));
	assert_int_equal(lt_meminfo_read(t, &rows), LT_MEMINFO_MAX);
	free(rows);
	lt_trace_close(t);
	/* Numbers whose sums no integer holds. */
	sprintf(start, "when=start clock=1\n");
	sprintf(end, "when=end clock=2\n");
	for (unsigned int i = 0; i < 100; i++) {
		sprintf(start + strlen(start), "cache c%u active 1 total 1 objsize 1 slots_per_slab 1\n", i);
		sprintf(end + strlen(end), "cache c%u active 1099511627776 total 1099511627776 "
			"objsize 1073741824 slots_per_slab 1\n", i);
	}
	some_trace(start, end);
	assert_non_null(printed(LT_FORMAT_TEXT));
	assert_non_null(strstr(printed(LT_FORMAT_JSON), "\"slab_objects_change_bytes\":1180591620"));
	free(start);
	free(end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_print), cmocka_unit_test(test_no_slab), cmocka_unit_test(test_sort),
		cmocka_unit_test(test_areas), cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_kinds_hostile), cmocka_unit_test(test_missing),
		cmocka_unit_test(test_hostile), cmocka_unit_test(test_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Lifetimes and reports as CSV, JSON and text, with names that must be quoted or escaped.
 */
#include <fcntl.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "print/lifetimes.h"
#include "print/report.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000100000ULL
#define SITE	0xffffffff81000100ULL
#define KERNEL	0xcc0U

/* ------------------------------------------------------------------------
 * Small parsers of CSV and JSON, which check the output
 */

/* Reads a line and its newline. Return: how many fields it has; 0: it is not CSV. */
static size_t csv_line(const char **pos)
{
	const char *p = *pos;
	size_t n = 1;

	for (;; p++, n++) {
		if (*p == '"') {
			for (p++; *p && (*p != '"' || p[1] == '"'); p++)
				p += *p == '"';
			if (*p++ != '"')
				return 0;
		} else {
			p += strcspn(p, ",\"\n");
		}
		if (*p != ',')
			break;
	}
	if (*p != '\n')
		return 0;
	*pos = p + 1;
	return n;
}

static void check_csv(const char *text, size_t lines)
{
	const char *pos = text;
	size_t fields = csv_line(&pos);

	assert_true(fields > 1);
	while (*pos) {
		assert_int_equal(csv_line(&pos), fields);
		lines--;
	}
	assert_int_equal(lines, 0);
	/* A record is one line, whatever the names are. */
	for (pos = text; *pos; pos++)
		assert_true(*pos == '\n' || (unsigned char)*pos >= 0x20);
}

static const char *json_value(const char *p);

/* Bytes of a well-formed character or escape; 0: it is neither. */
static size_t json_char(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t n = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;

	if (*p == '\\')
		return p[1] == 'u' ? (strspn(s + 2, "0123456789abcdef") >= 4 ? 6 : 0) :
		       p[1] && strchr("\"\\/bfnrt", p[1]) ? 2 : 0;
	if (*p < 0x20 || (*p >= 0x80 && *p < 0xc2) || *p > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	return n;
}

static const char *json_string(const char *p)
{
	size_t n;

	for (p++; *p != '"'; p += n) {
		n = json_char(p);
		if (!n)
			return NULL;
	}
	return p + 1;
}

/* Reads a list from its opening to its closing brace or bracket. */
static const char *json_list(const char *p, char close)
{
	if (*++p == close)
		return p + 1;
	for (;; p++) {
		if (close == '}') {
			p += strspn(p, " \n");
			p = *p == '"' ? json_string(p) : NULL;
			if (!p || *p++ != ':')
				return NULL;
		}
		p = json_value(p);
		if (p && *p == close)
			return p + 1;
		if (!p || *p != ',')
			return NULL;
	}
}

/* Reads a value. Return: the text after it; NULL: it is not JSON. */
static const char *json_value(const char *p)
{
	size_t n;

	p += strspn(p, " \n");
	if (*p == '{' || *p == '[')
		return json_list(p, *p == '{' ? '}' : ']');
	if (*p == '"')
		return json_string(p);
	if (!strncmp(p, "null", 4))
		return p + 4;
	p += *p == '-';
	n = strspn(p, "0123456789");
	if (!n || (n > 1 && *p == '0'))
		return NULL;
	p += n;
	if (*p == '.') {
		n = strspn(++p, "0123456789");
		if (!n)
			return NULL;
		p += n;
	}
	return p;
}

static void check_json(const char *p, size_t objects)
{
	for (; *p; objects--) {
		assert_int_equal(*p, '{');
		p = json_value(p);
		assert_non_null(p);
		assert_int_equal(*p++, '\n');
	}
	assert_int_equal(objects, 0);
}

/* ------------------------------------------------------------------------
 * Values of all types
 */

static char output[1 << 18];

static int out_fd(void)
{
	int fd = open(test_path("out"), O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	return fd;
}

static const char *read_out(void)
{
	FILE *f = fopen(test_path("out"), "rb");
	size_t n = fread(output, 1, sizeof(output) - 1, f);

	fclose(f);
	output[n] = 0;
	assert_int_equal(strlen(output), n);
	return output;
}

static const char *print(enum lt_format format, const struct lt_value *v)
{
	struct lt_out o = LT_OUT_INIT(out_fd());

	lt_value_print(&o, format, v);
	assert_int_equal(lt_out_close(&o), 0);
	close(o.fd);
	return read_out();
}

static void check_text(const char *text, size_t len, const char *csv, const char *json)
{
	struct lt_value v = { 0 };
	char *copy = malloc(len ? len : 1);	/* a read beyond its end is an error */

	memcpy(copy, text, len);
	lt_value_text(&v, copy, len);
	assert_string_equal(print(LT_FORMAT_CSV, &v), csv);
	assert_string_equal(print(LT_FORMAT_JSON, &v), json);
	print(LT_FORMAT_TEXT, &v);
	for (const char *p = output; *p; p++)
		assert_true((unsigned char)*p >= 0x20 && *p != 0x7f);
	free(copy);
}

#define CHECK(text, csv, json)	check_text(text, sizeof(text) - 1, csv, json)

static void test_text(void **state)
{
	(void)state;
	CHECK("", "", "\"\"");
	CHECK("plain name", "plain name", "\"plain name\"");
	CHECK("a,b", "\"a,b\"", "\"a,b\"");
	CHECK("a\"b", "\"a\"\"b\"", "\"a\\\"b\"");
	CHECK("\"", "\"\"\"\"", "\"\\\"\"");
	CHECK("a\nb", "\"a\\x0ab\"", "\"a\\u000ab\"");
	CHECK("a\r\tb", "\"a\\x0d\\x09b\"", "\"a\\u000d\\u0009b\"");
	CHECK("a\\b", "\"a\\\\b\"", "\"a\\\\\\\\b\"");
	CHECK("\\x0a", "\"\\\\x0a\"", "\"\\\\\\\\x0a\"");
	CHECK("a\0b", "\"a\\x00b\"", "\"a\\u0000b\"");
	CHECK("\x7f", "\"\\x7f\"", "\"\\u007f\"");
	CHECK("\xc3\xa4", "\"\xc3\xa4\"", "\"\xc3\xa4\"");
	CHECK("\xf0\x9f\x90\xa7", "\"\xf0\x9f\x90\xa7\"", "\"\xf0\x9f\x90\xa7\"");
	/* Not UTF-8: a lone byte, one that is cut off, too long a form, a surrogate. */
	CHECK("\xff", "\"\\xff\"", "\"\\\\xff\"");
	CHECK("a\xc3", "\"a\\xc3\"", "\"a\\\\xc3\"");
	CHECK("\xf0\x9f\x90", "\"\\xf0\\x9f\\x90\"", "\"\\\\xf0\\\\x9f\\\\x90\"");
	CHECK("\xc0\x80", "\"\\xc0\\x80\"", "\"\\\\xc0\\\\x80\"");
	CHECK("\xed\xa0\x80", "\"\\xed\\xa0\\x80\"", "\"\\\\xed\\\\xa0\\\\x80\"");
	CHECK("\xf4\x90\x80\x80", "\"\\xf4\\x90\\x80\\x80\"",
	      "\"\\\\xf4\\\\x90\\\\x80\\\\x80\"");
}

static void test_numbers(void **state)
{
	struct lt_value v = { 0 };

	(void)state;
	assert_string_equal(print(LT_FORMAT_CSV, &v), "");
	assert_string_equal(print(LT_FORMAT_JSON, &v), "null");
	assert_string_equal(print(LT_FORMAT_TEXT, &v), "-");
	lt_value_u(&v, LT_VALUE_HEX, UINT64_MAX);
	assert_string_equal(print(LT_FORMAT_CSV, &v), "0xffffffffffffffff");
	assert_string_equal(print(LT_FORMAT_JSON, &v), "\"0xffffffffffffffff\"");
	lt_value_u(&v, LT_VALUE_BYTES, UINT64_MAX);
	assert_string_equal(print(LT_FORMAT_CSV, &v), "18446744073709551615");
	assert_string_equal(print(LT_FORMAT_TEXT, &v), "16.0 EiB");
	v = (struct lt_value){ .type = LT_VALUE_SIGNED, .i = INT64_MIN };
	assert_string_equal(print(LT_FORMAT_JSON, &v), "-9223372036854775808");
	lt_value_d(&v, LT_VALUE_PERCENT, 99.5);
	assert_string_equal(print(LT_FORMAT_JSON, &v), "99.500");
}

/* A text for people is cut at the width of its buffer, also in the middle of an escape. */
static void test_long_text(void **state)
{
	char text[2000];
	struct lt_value v = { 0 };

	(void)state;
	for (size_t shift = 0; shift < 8; shift++) {
		memset(text, 'a', shift);
		memset(text + shift, shift % 2 ? 1 : 0xff, sizeof(text) - shift);
		lt_value_text(&v, text, sizeof(text));
		print(LT_FORMAT_TEXT, &v);
		assert_true(strlen(output) < 512);
		print(LT_FORMAT_CSV, &v);
		assert_int_equal(strlen(output), 2 + shift + 4 * (sizeof(text) - shift));
	}
}

static void test_compare(void **state)
{
	struct lt_value none = { 0 }, a = { 0 }, b = { 0 };

	(void)state;
	lt_value_u(&a, LT_VALUE_COUNT, 0);
	lt_value_u(&b, LT_VALUE_COUNT, UINT64_MAX);
	assert_int_equal(lt_value_compare(&none, &none), 0);
	assert_int_equal(lt_value_compare(&none, &a), -1);
	assert_int_equal(lt_value_compare(&a, &none), 1);
	assert_int_equal(lt_value_compare(&a, &b), -1);
	lt_value_text(&a, "ab", 2);
	lt_value_text(&b, "abc", 3);
	assert_int_equal(lt_value_compare(&a, &b), -1);
	assert_int_equal(lt_value_compare(&b, &a), 1);
	assert_int_equal(lt_value_compare(&b, &b), 0);
}

/* ------------------------------------------------------------------------
 * Lifetimes and reports of a trace with such names
 */

static const char *const names[] = {
	"a,b", "quo\"te", "new\nline", "back\\slash", "\xff\xfe", "tab\t", ",\",\n", "\xc3\xa4",
};

#define N_NAMES	(sizeof(names) / sizeof(names[0]))

static const char *bad_names(void)
{
	static char path[512];
	struct tg *g = tg_new(NULL);
	uint64_t time = 1000;

	tg_text(g, LT_BLOCK_SYMBOLS, "ffffffff81000000 T do,\"it\xff\nffffffff81001000 t next\n");
	for (unsigned int i = 0; i < N_NAMES; i++) {
		uint64_t ptr = PTR + i * 0x10000ULL;
		uint16_t id = (uint16_t)(i + 1);

		TG_TASK(g, 0, time++, .tid = 100 + i, .tgid = 100, .start = 1000 + i,
			.comm = names[i]);
		TG_CACHE(g, 0, time++, .id = id, .ptr = PTR + 0x8000000 + i, .object_size = 32,
			 .size = 40, .name = names[i]);
		TG_KMALLOC(g, 0, time++, .ptr = ptr, .call_site = SITE, .bytes_req = 60,
			   .bytes_alloc = 64, .gfp = KERNEL | 1U << 31, .node = -1);
		TG_CACHE_ALLOC(g, 0, time++, .ptr = ptr + 0x1000, .call_site = SITE, .gfp = KERNEL,
			       .cache = id, .node = 1);
		tg_kfree(g, 0, time++, ptr, SITE);
		tg_cache_free(g, 0, time++, ptr + 0x2000, 0, id);	/* before */
		tg_rcu_free(g, 0, time++, ptr + 0x1000, SITE);
	}
	tg_finish(g, time);
	snprintf(path, sizeof(path), "%s", test_path("names.lt"));
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	return path;
}

static const char *lifetimes(const char *path, enum lt_format format,
			     const struct lt_filter_spec *spec)
{
	struct lt_filter *filter = spec ? lt_filter_new(spec, path) : NULL;
	struct lt_trace *t = lt_trace_open(path);
	struct lt_sink *sink = lt_lifetime_sink_new(out_fd(), true, format, filter);
	struct lt_event ev;
	const char *err;
	int ret;

	assert_non_null(t);
	assert_int_equal(sink->begin(sink, t), 0);
	while (lt_trace_next(t, &ev) > 0)
		assert_int_equal(sink->event(sink, &ev), 0);
	test_stderr_begin();
	ret = sink->end(sink);
	err = test_stderr_end();
	/* A name that does not occur is reported at the end. */
	assert_int_equal(ret, *err ? -1 : 0);
	if (*err)
		assert_non_null(strstr(err, "--site: there is no allocation by a function like 'next'"));
	lt_filter_free(filter);
	lt_trace_close(t);
	return read_out();
}

static void test_lifetimes(void **state)
{
	const char *path = bad_names();

	(void)state;
	check_csv(lifetimes(path, LT_FORMAT_CSV, NULL), 3 * N_NAMES);
	assert_non_null(strstr(output, ",\"quo\"\"te\","));
	assert_non_null(strstr(output, ",\"new\\x0aline\","));
	assert_non_null(strstr(output, ",\"back\\\\slash\","));
	assert_non_null(strstr(output, ",\"\\xff\\xfe\","));
	check_json(lifetimes(path, LT_FORMAT_JSON, NULL), 3 * N_NAMES);
	assert_non_null(strstr(output, "\"cache\":\"\\\\xff\\\\xfe\""));
	assert_non_null(strstr(output, "\"cache\":\",\\\",\\u000a\""));
	lifetimes(path, LT_FORMAT_TEXT, NULL);
	for (const char *p = output; *p; p++)
		assert_true(*p == '\n' || (unsigned char)*p >= 0x20);
}

static size_t count_lines(const char *p)
{
	size_t n = 0;

	while ((p = strchr(p, '\n'))) {
		p++;
		n++;
	}
	return n;
}

static void test_filter(void **state)
{
	const char *path = bad_names();
	const struct {
		struct lt_filter_spec filter;
		size_t lines;
	} cases[] = {
		{ { .cache = "new\nline" }, 2 },
		/* An object that was born before the trace has no length, and no call site. */
		{ { .older_ns = 2 }, 2 * N_NAMES },
		{ { .older_ns = 3 }, N_NAMES },
		{ { .older_ns = 4 }, 0 },
		{ { .site = "do," }, 2 * N_NAMES },
		{ { .site = "next" }, 0 },
		{ { .certainty = 1U << LT_BEFORE }, N_NAMES },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(count_lines(lifetimes(path, LT_FORMAT_JSON, &cases[i].filter)),
				 cases[i].lines);
	assert_null(strstr(output, "exact"));
}

/* The trace has one lifetime: its line of CSV. Times count from the begin of its first packet. */
/* One lifetime. Columns that are added later follow those that are expected. */
static void expect_line(struct tg *g, const char *expected)
{
	size_t n = strlen(expected);
	char *line;

	assert_int_equal(tg_write(g, test_path("one.lt"), 0), 0);
	tg_free(g);
	lifetimes(test_path("one.lt"), LT_FORMAT_CSV, NULL);
	assert_int_equal(count_lines(output), 2);
	line = strchr(output, '\n') + 1;
	if (strlen(line) > n && strchr(",\n", line[n]))
		line[n] = 0;
	assert_string_equal(line, expected);
}

static void test_columns(void **state)
{
	struct tg *g = tg_new(NULL);

	(void)state;
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 16, .start = 500, .comm = "cat");
	TG_TASK(g, 1, 1000, .tid = 18, .tgid = 18, .start = 600, .comm = "dog");
	TG_KMALLOC(g, 0, 1010, .ptr = PTR, .call_site = SITE, .bytes_req = 60, .bytes_alloc = 64,
		   .gfp = KERNEL, .node = -1);
	tg_context(g, 1, LT_CTX_SOFTIRQ);
	tg_rcu_free(g, 1, 1110, PTR, SITE + 8);
	tg_kfree(g, 0, 1160, PTR, SITE);
	tg_finish(g, 2000);
	expect_line(g, "kmalloc,0xffff888000100000,kmalloc-64,60,64,GFP_KERNEL,-1,,10,110,100,"
		    "exact,rcu_free,110,50,0,task,0xffffffff81000100,17,16,500,cat,"
		    "1,softirq,0xffffffff81000108,18,18,600,dog,,");

	/* A free after the time of the stop does not end a lifetime. */
	g = tg_new(NULL);
	TG_KMALLOC(g, 0, 1010, .ptr = PTR, .call_site = 0, .bytes_req = 60, .bytes_alloc = 64,
		   .gfp = 0, .node = 1);
	tg_kfree(g, 0, 1501, PTR, SITE);
	tg_kfree(g, 0, 1502, PTR + 64, SITE);
	tg_finish(g, 2000);
	tg_text(g, LT_BLOCK_STATS, "state idle\nstopped 1500\n");
	expect_line(g, "kmalloc,0xffff888000100000,kmalloc-64,60,64,0,1,,0,,490,open,alive,,,"
		    "0,task,,,,,,,,,,,,,alive at the end,");

	g = tg_new(NULL);
	tg_cache_free(g, 3, 1501, PTR, SITE, 7);
	tg_finish(g, 2000);
	expect_line(g, "unknown,0xffff888000100000,cache #7,,,,,,,0,,before,kmem_cache_free,,,"
		    ",,,,,,,3,task,0xffffffff81000100,,,,,birth not seen,");

	g = tg_new(NULL);
	tg_page_alloc(g, 0, 1010, 0x100, KERNEL, 2, 0);
	tg_page_free(g, 0, 1020, 0x100, 2);
	tg_finish(g, 2000);
	expect_line(g, "page,0x100,,16384,16384,GFP_KERNEL,,2,0,10,10,exact,page_free,,,"
		    "0,task,,,,,,0,task,,,,,,,");
}

static void test_write_error(void **state)
{
	int fd = open("/dev/full", O_WRONLY);
	struct lt_sink *sink;
	struct lt_trace *t;
	struct lt_event ev;

	(void)state;
	assert_true(fd >= 0);
	sink = lt_lifetime_sink_new(fd, true, LT_FORMAT_CSV, NULL);
	t = lt_trace_open(bad_names());
	test_stderr_begin();
	assert_int_equal(sink->begin(sink, t), 0);
	while (lt_trace_next(t, &ev) > 0)
		sink->event(sink, &ev);
	assert_int_not_equal(sink->end(sink), 0);
	assert_non_null(strstr(test_stderr_end(), "No space left"));
	lt_trace_close(t);
}

/*
 * All rows with allocations, as "name=allocations" in the order of the first allocation; the
 * row of unknown names comes first.
 */
static void expect_rows(enum lt_report_by by, const char *expected)
{
	struct lt_report_options o = { .by = by };
	struct lt_report *r;
	char found[1024] = "";
	size_t n = 0;

	r = lt_report_make(test_path("by.lt"), &o);
	assert_non_null(r);
	for (size_t i = 0; i < r->n_rows; i++) {
		char buf[256];

		if (r->rows[i].births)
			n += (size_t)snprintf(found + n, sizeof(found) - n, "%s%s=%u", n ? " " : "",
					      lt_report_label(r, &r->rows[i], buf, sizeof(buf)),
					      (unsigned int)r->rows[i].births);
	}
	assert_string_equal(found, expected);
	lt_report_free(r);
}

static void test_by_size_and_cache(void **state)
{
	struct tg *g = tg_new(NULL);

	(void)state;
	TG_CACHE(g, 0, 1000, .id = 3, .ptr = 0xffff888000900000ULL, .object_size = 192, .size = 192,
		 .name = "dentry");
	TG_KMALLOC(g, 0, 1001, .ptr = PTR, .call_site = SITE, .bytes_req = 1, .bytes_alloc = 8,
		   .gfp = KERNEL, .node = -1);
	TG_KMALLOC(g, 0, 1002, .ptr = PTR + 0x100, .call_site = SITE, .bytes_req = 64,
		   .bytes_alloc = 64, .gfp = KERNEL, .node = -1);
	TG_KMALLOC(g, 0, 1003, .ptr = PTR + 0x200, .call_site = SITE, .bytes_req = 65,
		   .bytes_alloc = 96, .gfp = KERNEL, .node = -1);
	TG_KMALLOC(g, 0, 1004, .ptr = PTR + 0x10000, .call_site = SITE, .bytes_req = 8000,
		   .bytes_alloc = 8192, .gfp = KERNEL, .node = -1);
	TG_KMALLOC(g, 0, 1005, .ptr = PTR + 0x20000, .call_site = SITE, .bytes_req = 8193,
		   .bytes_alloc = 16384, .gfp = KERNEL, .node = -1);
	TG_CACHE_ALLOC(g, 0, 1006, .ptr = PTR + 0x1000, .call_site = SITE, .gfp = KERNEL,
		       .cache = 3, .node = -1);
	TG_CACHE_ALLOC(g, 0, 1007, .ptr = PTR + 0x2000, .call_site = SITE, .gfp = KERNEL,
		       .cache = 9, .node = -1);
	tg_finish(g, 3000);
	assert_int_equal(tg_write(g, test_path("by.lt"), 0), 0);
	tg_free(g);
	expect_rows(LT_BY_SIZE, "(unknown)=1 <= 8=1 <= 64=1 <= 128=1 <= 8192=1 <= 16384=1 "
		    "<= 256=1");
	expect_rows(LT_BY_CACHE, "kmalloc-8=1 kmalloc-64=1 kmalloc-96=1 kmalloc-8k=1 "
		    "kmalloc (large)=1 dentry=1 cache #9=1");
}

static void test_report(void **state)
{
	static const enum lt_report_by bys[] = { LT_BY_SITE, LT_BY_CACHE, LT_BY_TASK, LT_BY_SIZE };
	/* Objects of kmalloc and of the caches differ in cache and size, not in site and task. */
	static const size_t n_rows[] = { 1, N_NAMES + 1, N_NAMES, 2 };
	const char *path = bad_names();

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct lt_report_options o = { .by = bys[i] };
		struct lt_report_view p = { .file = path, .coverage = true, .top = 3 };
		struct lt_report *r = lt_report_make(path, &o);

		assert_non_null(r);
		for (int f = LT_FORMAT_TEXT; f <= LT_FORMAT_JSON; f++) {
			struct lt_out out = LT_OUT_INIT(out_fd());

			p.out = &out;
			p.format = (enum lt_format)f;
			p.top = f == LT_FORMAT_TEXT ? 3 : 0;
			lt_report_print(r, &p);
			assert_int_equal(lt_out_close(&out), 0);
			close(out.fd);
			read_out();
			if (f == LT_FORMAT_CSV)
				check_csv(output, n_rows[i]);
			else if (f == LT_FORMAT_JSON)
				check_json(output, 1);
		}
		lt_report_free(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text), cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_long_text), cmocka_unit_test(test_compare),
		cmocka_unit_test(test_lifetimes), cmocka_unit_test(test_filter),
		cmocka_unit_test(test_columns), cmocka_unit_test(test_write_error),
		cmocka_unit_test(test_by_size_and_cache), cmocka_unit_test(test_report),
	};

	return cmocka_run_group_tests_name("lifetime_out", tests, NULL, NULL);
}

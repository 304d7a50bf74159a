// SPDX-License-Identifier: GPL-2.0
/*
 * Texts of a trace without names and addresses. tests/windows has whole traces.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "format/block.h"
#include "state/anonymous.h"
#include "state/cut.h"
#include "goldentest.h"

static struct lt_anonymous *made(struct lt_trace **t)
{
	struct lt_anonymous *a;
	struct tg *g = golden();

	assert_int_equal(tg_write(g, test_path("anonymous.lt"), 0), 0);
	tg_free(g);
	*t = lt_trace_open(test_path("anonymous.lt"));
	assert_non_null(*t);
	a = lt_anonymous_new(*t);
	assert_non_null(a);
	return a;
}

static void is(struct lt_anonymous *a, unsigned int type, const char *text, const char *expected)
{
	char *hidden = lt_anonymous_text(a, type, text);

	assert_string_equal(hidden, expected);
	free(hidden);
}

/* By how much an address of code moves, or, by CACHES, one of data. */
static uint64_t distance(struct lt_anonymous *a, bool code)
{
	char *s = code ? lt_anonymous_text(a, LT_BLOCK_SYMBOLS, "ffffffff81000000 T _text\n") :
			 lt_anonymous_text(a, LT_BLOCK_CACHES, "cache 5 ptr 0xffffffff81000000 x\n");
	uint64_t moved = strtoull(code ? s : s + strlen("cache 5 ptr 0x"), NULL, 16);

	free(s);
	return moved - 0xffffffff81000000ULL;
}

static void test_names(void **state)
{
	struct lt_trace *t;
	struct lt_anonymous *a = made(&t);

	(void)state;
	is(a, LT_BLOCK_CGROUPS, "1 /\n7 /system.slice/one.service\n8 /system.slice\nleft_out 3\n",
	   "1 /\n7 /group-1/group-2\n8 /group-1\nleft_out 3\n");
	is(a, LT_BLOCK_INFO, "hostname=secret\ncommand=lifetrace record -- secret\nclock=mono\n"
	   "only_cgroup=/one.service\n", "hostname=host\nclock=mono\nonly_cgroup=/group-2\n");
	/* The kernel takes it without the slash. */
	is(a, LT_BLOCK_INFO, "only_cgroup=system.slice/secret\n", "only_cgroup=group-1/group-3\n");
	is(a, LT_BLOCK_EVENTS, "kmalloc\ttracepoint\twatched\t-\n",
	   "kmalloc\ttracepoint\twatched\t-\n");
	lt_anonymous_free(a);
	lt_trace_close(t);
}

static void test_addresses(void **state)
{
	struct lt_trace *t;
	struct lt_anonymous *a = made(&t);
	uint64_t code = distance(a, true), data = distance(a, false);
	char expected[256];

	(void)state;
	assert_true(code && data && code != data);
	snprintf(expected, sizeof(expected), "ext4 9 1 jbd2, Live 0x%016llx (E)\n",
		 0xffffffffc0200000ULL + code);
	is(a, LT_BLOCK_MODULES, "ext4 9 1 jbd2, Live 0xffffffffc0200000 (E)\n", expected);
	snprintf(expected, sizeof(expected), "module ext4 0123ab .text=0x%llx .init.text=0x%llx\n",
		 0xffffffffc0200000ULL + code, 0xffffffffc0300000ULL + code);
	is(a, LT_BLOCK_BUILDS, "module ext4 0123ab .text=0xffffffffc0200000 "
	   ".init.text=0xffffffffc0300000\n", expected);
	snprintf(expected, sizeof(expected), "code bpf begin 0x%llx size 64 from 1 to 0 build "
		 "-\n0x%llx t bpf_prog\n", 0xffffffffc0400000ULL + code,
		 0xffffffffc0400000ULL + code);
	is(a, LT_BLOCK_CODE, "code bpf begin 0xffffffffc0400000 size 64 from 1 to 0 build -\n"
	   "0xffffffffc0400000 t bpf_prog\n", expected);
	/* Where the kernel shows none, and what is none. */
	is(a, LT_BLOCK_SYMBOLS, "0000000000000000 T _text\nno symbol\n",
	   "0000000000000000 T _text\nno symbol\n");
	is(a, LT_BLOCK_MODULES, "ext4 9 1 jbd2, Live 0x0000000000000000\n",
	   "ext4 9 1 jbd2, Live 0x0000000000000000\n");
	snprintf(expected, sizeof(expected), "only_code=0x%llx-0x%llx,0x%llx-0x%llx\n",
		 0xffffffff81200000ULL + code, 0xffffffff81200080ULL + code,
		 0xffffffffc0400000ULL + code, 0xffffffffc0401000ULL + code);
	is(a, LT_BLOCK_INFO, "only_code=0xffffffff81200000-0xffffffff81200080,"
	   "0xffffffffc0400000-0xffffffffc0401000\n", expected);
	snprintf(expected, sizeof(expected), "linear_base=0x%llx\n",
		 0xffff888000000000ULL + data);
	is(a, LT_BLOCK_INFO, "linear_base=0xffff888000000000\n", expected);
	lt_anonymous_free(a);
	lt_trace_close(t);
}

/* Two have nothing in common, and are of different recordings. */
static void test_secret(void **state)
{
	const char *set = "set=0000000000005e55aaaaaaaaaaaaaaaa\npart=7\n";
	struct lt_trace *t, *u;
	struct lt_anonymous *a = made(&t), *b = made(&u);
	char *one = lt_anonymous_text(a, LT_BLOCK_PART, set);
	char *two = lt_anonymous_text(b, LT_BLOCK_PART, set);

	(void)state;
	assert_string_not_equal(one, two);
	assert_memory_equal(one, set, 20);
	assert_null(strstr(one, "aaaaaaaa"));
	assert_string_equal(strchr(one, '\n'), "\npart=7\n");
	assert_true(distance(a, true) != distance(b, true) ||
		    distance(a, false) != distance(b, false));
	free(one);
	free(two);
	lt_anonymous_free(a);
	lt_anonymous_free(b);
	lt_trace_close(t);
	lt_trace_close(u);
}

static bool has(const char *path, const char *text)
{
	static char bytes[1 << 20];
	FILE *f = fopen(path, "r");
	size_t n;

	assert_non_null(f);
	n = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	return memmem(bytes, n, text, strlen(text));
}

/* The whole of a trace, as hidden.lt. */
static void cut_anonymous(const char *name)
{
	struct lt_cut cut = { .until = UINT64_MAX, .anonymize = true };
	struct lt_trace *t = lt_trace_open(test_path(name));
	struct lt_writer *w = lt_writer_open(test_path("hidden.lt"), true);
	struct lt_cutter *c;

	assert_non_null(t);
	assert_non_null(w);
	c = lt_cut_begin(t, &cut, 1);
	assert_non_null(c);
	assert_int_equal(lt_cut_next(c, w), 0);
	lt_cut_end(c);
	assert_int_equal(lt_writer_finish(w), 0);
	assert_int_equal(lt_writer_close(w), 0);
	lt_trace_close(t);
}

/* Anybody can write a marker that begins as the tracer's own ones do. */
static void test_markers(void **state)
{
	struct tg *g = tg_new(NULL);

	(void)state;
	tg_marker(g, 0, 10000, "lifetrace: slab end");
	tg_marker(g, 0, 10001, "lifetrace: slab secret");
	tg_marker(g, 0, 10002, "lifetrace: secret");
	tg_close(g, 0, 11000);
	assert_int_equal(tg_write(g, test_path("markers.lt"), 0), 0);
	tg_free(g);
	assert_true(has(test_path("markers.lt"), "lifetrace: secret"));
	cut_anonymous("markers.lt");
	assert_true(has(test_path("hidden.lt"), "lifetrace: slab end"));
	assert_false(has(test_path("hidden.lt"), "secret"));
}

static void write_with(const char *name, const char *schema)
{
	const struct tg_options o = { .schema = schema };
	struct tg *g = tg_new(&o);

	tg_marker(g, 0, 10000, "text");
	tg_close(g, 0, 11000);
	assert_int_equal(tg_write(g, test_path(name), 0), 0);
	tg_free(g);
}

/* What a newer version calls an address this one does not find. */
static void test_newer(void **state)
{
	struct tg *g = tg_new(NULL);
	char *schema = lt_strdup(tg_schema_text(g)), *ptr = strstr(schema, " addr ");
	struct lt_trace *t;

	(void)state;
	tg_free(g);
	write_with("same.lt", schema);
	t = lt_trace_open(test_path("same.lt"));
	assert_non_null(t);
	lt_anonymous_free(lt_anonymous_new(t));
	lt_trace_close(t);
	memcpy(ptr, " xddr ", 6);
	write_with("newer.lt", schema);
	t = lt_trace_open(test_path("newer.lt"));
	assert_non_null(t);
	assert_null(lt_anonymous_new(t));
	lt_trace_close(t);
	free(schema);
}

#define MANY	1200

/* Of more names than three digits can number each stays another one, in short fields, too. */
static void test_many_names(void **state)
{
	struct tg *g = tg_new(NULL);
	struct lt_names names;
	struct lt_event ev;
	struct lt_trace *t;
	uint64_t now = 0;
	size_t events = 0;

	(void)state;
	for (uint32_t i = 1; i <= MANY; i++) {
		char name[16];

		/* Some are too long for the short field. */
		snprintf(name, sizeof(name), i % 7 ? "n%u" : "long-name-%u", i);
		TG_TASK(g, 0, now += 10, .tid = i, .tgid = i, .start = 9, .comm = name);
		tg_kfree(g, 0, now += 10, 0xffff888000000000ULL + 64 * (uint64_t)i, 0xffffffff81000000ULL);
	}
	tg_finish(g, now + 10);
	assert_int_equal(tg_write(g, test_path("many.lt"), 0), 0);
	tg_free(g);
	cut_anonymous("many.lt");
	t = lt_trace_open(test_path("hidden.lt"));
	assert_non_null(t);
	lt_names_init(&names);
	while (lt_trace_next(t, &ev) > 0) {
		if (ev.class != LT_CLASS_KFREE)
			continue;
		lt_names_add(&names, ev.task->comm, strlen(ev.task->comm));
		events++;
	}
	assert_int_equal(events, MANY);
	/* The empty name is one, too. */
	assert_int_equal(names.n, MANY + 1);
	lt_names_destroy(&names);
	lt_trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_secret),
		cmocka_unit_test(test_markers),
		cmocka_unit_test(test_newer),
		cmocka_unit_test(test_many_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

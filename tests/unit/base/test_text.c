// SPDX-License-Identifier: GPL-2.0
/*
 * The pieces that turn text into numbers and numbers into text: schema, symbols,
 * gfp flags, JSON, lines and words.
 */
#include <fcntl.h>
#include <unistd.h>

#include "base/out.h"
#include "base/str.h"
#include "base/text.h"
#include "base/utf8.h"
#include "format/schema.h"
#include "out/units.h"
#include "trace/symbols.h"
#include "testlib.h"
#include "tracegen.h"

#define HEAD	"lifetrace-schema 1.0\nchannel 1 kmem\nclass 2 kfree text\n"

static struct lt_schema *parse(const char *text, const char **err)
{
	struct lt_schema *s;

	test_stderr_begin();
	s = lt_schema_parse(text, "test");
	*err = test_stderr_end();
	return s;
}

static void test_schema(void **state)
{
	struct tg *g = tg_new(NULL);
	const struct lt_event_desc *d;
	struct lt_schema *s;
	const char *err;

	(void)state;
	s = parse(tg_schema_text(g), &err);
	assert_non_null(s);
	d = lt_schema_event(s, LT_EV_KMALLOC_WIDE);
	assert_string_equal(d->name, "kmalloc");
	assert_int_equal(d->event, LT_EV_KMALLOC);
	assert_int_equal(d->size, 40);
	assert_int_equal(d->n_fields, 6);
	assert_int_equal(lt_schema_field(d, "node")->offset, 36);
	assert_int_equal(lt_schema_event(s, LT_EV_TASK)->class, LT_CLASS_NONE);
	assert_null(lt_schema_event(s, 55));
	assert_null(lt_schema_event(s, 1U << 24));
	assert_int_equal(s->unknown_events, 0);
	lt_schema_free(s);
	tg_free(g);
}

/* A later minor version: what was appended is skipped, new events are kept. */
static void test_schema_newer(void **state)
{
	struct lt_schema *s;
	const char *err;

	(void)state;
	s = parse("lifetrace-schema 1.7\nchannel 1 kmem\nchannel 2 pid\nclass 2 kfree text\n"
		  "class 39 new_class text\nnewline 1 2 3\n"
		  "event 1 5 kfree kfree 12 text\nfield ptr u40 addr 0 x\n"
		  "field call_site u32 code 5 x\nfield more u24 odd_kind 9 x\n"
		  "class 99 other text\n"
		  "event 6 5 other other 900 text\nfield f u8 num 899 x\n"
		  "event 1 59 brand_new - 4 text\nfield x s32 num 0\n", &err);
	assert_non_null(s);
	assert_int_equal(s->minor, 7);
	assert_int_equal(lt_schema_event(s, 5)->size, 12);
	assert_int_equal(lt_schema_event(s, 5)->n_steps, 2);
	assert_int_equal(lt_schema_event(s, 59)->event, 59);
	assert_int_equal(lt_schema_event(s, 59)->class, LT_CLASS_NONE);
	assert_int_equal(s->unknown_events, 1);
	assert_int_equal(s->unknown_lines, 1);
	lt_schema_free(s);
}

static void test_schema_refused(void **state)
{
	static const char *const bad[][2] = {
		{ "", "no event" },
		{ "nonsense\n", "lifetrace-schema" },
		{ "lifetrace-schema 2.0\n", "version" },
		{ "lifetrace-schema x\n", "version" },
		{ HEAD, "no event" },
		{ HEAD "class 0 kfree y\n", "another name" },
		{ HEAD "event 1 5 kmalloc kfree 9 x\n", "another class" },
		{ HEAD "class 0 kmalloc x\nevent 1 5 kfree kmalloc 9 x\n", "another class" },
		{ HEAD "event 1 5 kfree kfree 99999 x\n", "too large" },
		{ HEAD "event 1 0 kfree kfree 9 x\n", "not possible" },
		{ HEAD "event 1 63 long - 9 x\n", "not possible" },
		{ HEAD "event 1 5 kfree kfree 9 x\nevent 1 5 kfree kfree 9 x\n", "twice" },
		{ HEAD "event 1 -5 kfree kfree 9 x\n", "expected" },
		{ HEAD "event 1 5 kfree lost 9 x\n", "not declared" },
		{ HEAD "event 1 5 kfree kfree 9 x\nfield p u40 addr 5 x\n", "within" },
		{ HEAD "event 1 5 kfree kfree 9 x\nfield p u40 addr 18446744073709551615 x\n",
		  "within" },
		{ HEAD "event 1 5 kfree kfree 9 x\nfield \"p u40 addr 0 x\n", "expected" },
		{ HEAD "event 1 5 kfree kfree 9 x\ngfp 0 NAME\n", "gfp" },
		{ HEAD "event 1 5 kfree kfree 9 x\ngfp 0x100000000 NAME\n", "gfp" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *err;

		assert_null(parse(bad[i][0], &err));
		if (!strstr(err, bad[i][1]))
			print_error("case %zu: expected '%s', found: %s\n", i, bad[i][1], err);
		assert_non_null(strstr(err, bad[i][1]));
	}
}

/* A field of a type that this version does not know is skipped, as if it were not there. */
static void test_schema_types(void **state)
{
	static const char *const types[] = { "u41", "u72", "u0", "char0", "float64", "s", "" };

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]) - 1; i++) {
		struct lt_schema *s;
		char text[256];
		const char *err;

		snprintf(text, sizeof(text), HEAD "event 1 5 kfree kfree 9 x\nfield p %s addr 0 x\n"
			 "field call_site u32 code 5 x\n", types[i]);
		s = parse(text, &err);
		assert_non_null(s);
		assert_int_equal(s->unknown_fields, 1);
		assert_int_equal(s->events[LT_EV_KFREE]->n_fields, 1);
		lt_schema_free(s);
	}
}

static void expect_symbol(struct lt_symbols *s, uint64_t addr, const char *name,
			  uint64_t offset, const char *module)
{
	const char *found_module = NULL, *found;
	uint64_t off = 0;

	lt_symbols_ready(s);
	found = lt_symbols_find(s, addr, &off, &found_module);
	if (!name) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_string_equal(found, name);
	assert_int_equal(off, offset);
	if (module)
		assert_string_equal(found_module, module);
	else
		assert_null(found_module);
}

static void test_symbols(void **state)
{
	struct lt_symbols *s = lt_symbols_new();

	(void)state;
	expect_symbol(s, 1, NULL, 0, NULL);
	lt_symbols_add(s, "ffffffff81000100 T second\nffffffff81000000 t first\n"
		       "ffffffff81000000 T alias_of_first\nffffffff81000200 D data\n"
		       "junk\n\nffffffff81000300 T \nffffffff8100040 \n"
		       "ffffffff81000240 t \t[nameless]\n"
		       "0000000000000000 T hidden\nffffffffc0000000 t in_mod\t[mod]\n"
		       "ffffffffc0000800 t two_words [mod]");
	lt_symbols_modules(s, "mod 4096 1 other, Live 0xffffffffc0000000 (OE)\nbroken\n"
			   "huge 18446744073709551615 0 - Live 0xffffffffc0010000\n");
	expect_symbol(s, 0xffffffff80ffffffULL, NULL, 0, NULL);
	expect_symbol(s, 0xffffffff81000000ULL, "first", 0, NULL);
	expect_symbol(s, 0xffffffff810000ffULL, "first", 0xff, NULL);
	expect_symbol(s, 0xffffffff81000250ULL, "second", 0x150, NULL);
	expect_symbol(s, 0xffffffff82000250ULL, NULL, 0, NULL);
	expect_symbol(s, 0xffffffffc0000900ULL, "two_words", 0x100, "mod");
	expect_symbol(s, 0xffffffffc0001000ULL, NULL, 0, NULL);
	expect_symbol(s, 5, NULL, 0, NULL);
	/* Of Arm's modules: marks of code are no functions. */
	lt_symbols_add(s, "ffffffffc0004800 t $a\t[late]\nffffffffc0004800 t of_arm\t[late]\n"
		       "ffffffffc0004840 t $x.7\t[late]\nffffffffc0004880 t $ab\t[late]\n");
	expect_symbol(s, 0xffffffffc0004804ULL, "of_arm", 4, "late");
	expect_symbol(s, 0xffffffffc0004844ULL, "of_arm", 0x44, "late");
	expect_symbol(s, 0xffffffffc0004881ULL, "$ab", 1, "late");
	/* A later text adds. */
	lt_symbols_add(s, "ffffffff81000000 t renamed\nffffffffc0004000 t later\t[late]\n");
	expect_symbol(s, 0xffffffffc0004010ULL, "later", 0x10, "late");
	expect_symbol(s, 0xffffffff81000000ULL, "first", 0, NULL);
	lt_symbols_free(s);
}

static void expect_json(const char *s, size_t len, const char *expected)
{
	struct lt_out o = LT_OUT_INIT(-1);

	lt_out_json(&o, s, len);
	assert_int_equal(o.used, strlen(expected));
	assert_memory_equal(o.buf, expected, o.used);
	o.used = 0;
	assert_int_equal(lt_out_close(&o), 0);
}

static void test_json(void **state)
{
	(void)state;
	expect_json("plain", 5, "\"plain\"");
	expect_json("a\"b\\c", 5, "\"a\\\"b\\\\\\\\c\"");
	expect_json("\n\x01\x7f", 3, "\"\\u000a\\u0001\\u007f\"");
	expect_json("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9,
		    "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
	/* Cut off, overlong, surrogate, too large, stray. */
	expect_json("\xc3", 1, "\"\\\\xc3\"");
	expect_json("\xc0\x80", 2, "\"\\\\xc0\\\\x80\"");
	expect_json("\xed\xa0\x80", 3, "\"\\\\xed\\\\xa0\\\\x80\"");
	expect_json("\xf4\x90\x80\x80", 4, "\"\\\\xf4\\\\x90\\\\x80\\\\x80\"");
	expect_json("\xff", 1, "\"\\\\xff\"");
	expect_json("x\xe2\x82", 3, "\"x\\\\xe2\\\\x82\"");
	/*
	 * What would change the order of the letters around it,
	 * or end the line; and what would not.
	 */
	expect_json("a\xe2\x80\xae" "b", 5, "\"a\\u202eb\"");
	expect_json("\xe2\x81\xa9\xe2\x80\x8f\xe2\x80\xa8", 9, "\"\\u2069\\u200f\\u2028\"");
	expect_json("\xd8\x9c\xef\xbb\xbf", 5, "\"\\u061c\\ufeff\"");
	expect_json("\xe2\x80\x8d\xe2\x81\xaa\xd8\x9d\xef\xbb\xbe", 11,
		    "\"\xe2\x80\x8d\xe2\x81\xaa\xd8\x9d\xef\xbb\xbe\"");
}

/* Each byte, at each place of what is looked at eight bytes at a time. */
static void test_printable(void **state)
{
	char text[] = "abcdefghijklmnopqrstuvw";
	size_t len = strlen(text);

	(void)state;
	for (size_t at = 0; at < len; at++) {
		char was = text[at];

		for (int c = 0; c < 256; c++) {
			bool plain = c >= 0x20 && c < 0x7f;

			text[at] = (char)c;
			assert_int_equal(lt_utf8_printable((const unsigned char *)text, len),
					 plain ? len : at);
			assert_int_equal(lt_utf8_printable((const unsigned char *)text, at), at);
		}
		text[at] = was;
	}
}

static void test_escape(void **state)
{
	static const char text[] = "a\xe2\x80\xae" "b\xc2\x9b\x1b[0m\xc3\xa9";
	char buf[LT_ESCAPED_SIZE(sizeof(text))];

	(void)state;
	assert_string_equal(lt_escape_text(text, buf),
			    "a\\xe2\\x80\\xaeb\\xc2\\x9b\\x1b[0m\xc3\xa9");
}

static void test_out(void **state)
{
	static const char expected[] = "0 18446744073709551615 -9223372036854775808 -1 "
				       "0x0 0xffffffffffffffff 007 a\\x0ab";
	struct lt_out o = LT_OUT_INIT(-1);
	char big[LT_OUT_SIZE + 100], *back;
	size_t size;
	int fd;

	(void)state;
	lt_out_u64(&o, 0);
	lt_out_char(&o, ' ');
	lt_out_u64(&o, UINT64_MAX);
	lt_out_char(&o, ' ');
	lt_out_s64(&o, INT64_MIN);
	lt_out_char(&o, ' ');
	lt_out_s64(&o, -1);
	lt_out_char(&o, ' ');
	lt_out_hex(&o, 0);
	lt_out_char(&o, ' ');
	lt_out_hex(&o, UINT64_MAX);
	lt_out_char(&o, ' ');
	lt_out_pad(&o, 7, 3);
	lt_out_char(&o, ' ');
	lt_out_text(&o, "a\nb", 3);
	assert_int_equal(o.used, strlen(expected));
	assert_memory_equal(o.buf, expected, o.used);
	o.used = 0;
	lt_out_close(&o);

	/* More than the buffer holds. */
	memset(big, 'x', sizeof(big));
	fd = open(test_path("out"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	o = (struct lt_out)LT_OUT_INIT(fd);
	lt_out_char(&o, 'y');
	lt_out_bytes(&o, big, sizeof(big));
	assert_int_equal(lt_out_close(&o), 0);
	close(fd);
	back = lt_read_text_file(test_path("out"), 1 << 24, &size);
	assert_int_equal(size, sizeof(big) + 1);
	assert_memory_equal(back + 1, big, sizeof(big));
	free(back);

	/* A write to a full disk is reported. */
	fd = open("/dev/full", O_WRONLY);
	o = (struct lt_out)LT_OUT_INIT(fd);
	lt_out_str(&o, "x");
	test_stderr_begin();
	assert_int_equal(lt_out_close(&o), -1);
	assert_non_null(strstr(test_stderr_end(), "No space"));
	close(fd);
}

static void test_words(void **state)
{
	const char *text = "one two\n\nkey=5 other=6\nlast", *pos = text, *line;
	char word[8];
	uint64_t v;
	size_t len;

	(void)state;
	assert_true(lt_line(&pos, &line, &len));
	assert_int_equal(len, 7);
	assert_true(lt_word(&line, &len, word, sizeof(word)));
	assert_string_equal(word, "one");
	assert_true(lt_word(&line, &len, word, sizeof(word)));
	assert_string_equal(word, "two");
	assert_false(lt_word(&line, &len, word, sizeof(word)));
	assert_true(lt_line(&pos, &line, &len));
	assert_int_equal(len, 0);
	assert_true(lt_line(&pos, &line, &len));
	assert_true(lt_pair(line, len, "other", &v));
	assert_int_equal(v, 6);
	assert_false(lt_pair(line, len, "oth", &v));
	assert_true(lt_line(&pos, &line, &len));
	assert_int_equal(len, 4);
	assert_false(lt_word(&line, &len, word, 4));	/* too long */
	assert_false(lt_line(&pos, &line, &len));
	pos = text;
	assert_true(lt_line_text(&pos, word, sizeof(word)));
	assert_string_equal(word, "one two");
	assert_true(lt_line_text(&pos, word, sizeof(word)));
	assert_string_equal(word, "");
	assert_true(lt_line_text(&pos, word, sizeof(word)));
	assert_string_equal(word, "key=5 o");	/* what fits */
	assert_true(lt_line_text(&pos, word, sizeof(word)));
	assert_string_equal(word, "last");
	assert_false(lt_line_text(&pos, word, sizeof(word)));
	pos = NULL;
	assert_false(lt_line_text(&pos, word, sizeof(word)));
	assert_true(lt_number("18446744073709551615", 10, &v));
	assert_false(lt_number("18446744073709551616", 10, &v));
	assert_false(lt_number("-1", 10, &v));
	assert_false(lt_number("", 10, &v));
	assert_false(lt_number(" 1", 10, &v));
	assert_false(lt_number("1x", 10, &v));
	assert_true(lt_number("fF", 16, &v));
	assert_int_equal(v, 255);
}

static void test_human(void **state)
{
	char buf[64];

	(void)state;
	assert_string_equal(lt_human_bytes(1023, buf, sizeof(buf)), "1023 B");
	assert_string_equal(lt_human_bytes(1536, buf, sizeof(buf)), "1.5 KiB");
	assert_string_equal(lt_human_bytes(UINT64_MAX, buf, sizeof(buf)), "16.0 EiB");
	assert_string_equal(lt_human_count(0, buf, sizeof(buf)), "0");
	assert_string_equal(lt_human_count(1234567, buf, sizeof(buf)), "1,234,567");
	assert_string_equal(lt_human_count(UINT64_MAX, buf, sizeof(buf)),
			    "18,446,744,073,709,551,615");
	assert_string_equal(lt_human_ns(999, buf, sizeof(buf)), "999 ns");
	assert_string_equal(lt_human_ns(1500000, buf, sizeof(buf)), "1.5 ms");
	assert_string_equal(lt_human_wall(1700000000123456789ULL, buf, sizeof(buf)),
			    "2023-11-14 22:13:20.123456 UTC");
}

/* Pieces of every length, so that one ends at each distance from the end of the room. */
static void test_str(void **state)
{
	struct lt_str t = { .n = 0 };
	char expected[20000] = "";
	size_t n = 0;

	(void)state;
	lt_str_add(&t, "%s", "");
	assert_string_equal(t.s, "");
	for (int i = 0; i < 150; i++) {
		lt_str_add(&t, "%*d|", i, i);
		n += (size_t)snprintf(expected + n, sizeof(expected) - n, "%*d|", i, i);
		assert_int_equal(t.n, n);
		assert_string_equal(t.s, expected);
	}
	free(t.s);
}

/* It is found before and after another look-up, and when more symbols follow. */
static void test_stext(void **state)
{
	struct lt_symbols *s = lt_symbols_new();
	uint64_t addr;

	(void)state;
	assert_false(lt_symbols_stext(s, &addr));
	lt_symbols_add(s, "ffffffff81000000 T _text\nffffffff81000000 T _stext\n"
		       "ffffffff81000100 t last\nffffffff81000200 T _etext\n");
	assert_true(lt_symbols_stext(s, &addr));
	assert_int_equal(addr, 0xffffffff81000000);
	expect_symbol(s, 0xffffffff81000110, "last", 0x10, NULL);
	assert_true(lt_symbols_stext(s, &addr));
	lt_symbols_add(s, "ffffffffc0000000 t in_module\t[m]\n");
	expect_symbol(s, 0xffffffff81000110, "last", 0x10, NULL);
	expect_symbol(s, 0xffffffff81000210, NULL, 0, NULL);
	lt_symbols_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schema), cmocka_unit_test(test_schema_newer),
		cmocka_unit_test(test_schema_refused), cmocka_unit_test(test_schema_types), cmocka_unit_test(test_stext),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_json), cmocka_unit_test(test_escape),
		cmocka_unit_test(test_printable), cmocka_unit_test(test_out),
		cmocka_unit_test(test_words), cmocka_unit_test(test_human),
		cmocka_unit_test(test_str),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}

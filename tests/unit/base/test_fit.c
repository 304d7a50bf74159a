// SPDX-License-Identifier: GPL-2.0
/*
 * Lines that are too long for their width: folded, or cut.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "testlib.h"

static char text[LT_OUT_SIZE * 3];

/* What the lines of @in are written as. */
static const char *fitted(const char *in, unsigned int width, bool cut)
{
	struct lt_out o = { .width = width, .cut = cut };
	char path[] = "/tmp/test_out_fit.XXXXXX";
	ssize_t n;

	o.fd = mkstemp(path);
	assert_true(o.fd >= 0);
	unlink(path);
	lt_out_long(&o, in, strlen(in));
	n = o.fd;
	assert_int_equal(lt_out_close(&o), 0);
	o.fd = (int)n;
	n = pread(o.fd, text, sizeof(text) - 1, 0);
	assert_true(n >= 0);
	text[n] = 0;
	close(o.fd);
	return text;
}

static void test_short(void **state)
{
	(void)state;
	assert_string_equal(fitted("", 20, false), "");
	assert_string_equal(fitted("\n\n", 20, false), "\n\n");
	assert_string_equal(fitted("12345678901234567890\nno newline", 20, false),
			    "12345678901234567890\nno newline");
	/* Characters, not bytes; what makes text bold has no width. */
	assert_string_equal(fitted("\033[1m→234567890123456789→\033[m\n", 20, true),
			    "\033[1m→234567890123456789→\033[m\n");
}

static void test_cut(void **state)
{
	(void)state;
	assert_string_equal(fitted("123456789012345678901\nshort\n", 20, true),
			    "1234567890123456789…\nshort\n");
	assert_string_equal(fitted("→→→→→→→→→→→→→→→→→→→→→\n", 20, true), "→→→→→→→→→→→→→→→→→→→…\n");
}

/* Later lines begin below the text of the first one; no blank stands at an end of a line. */
static void test_fold(void **state)
{
	(void)state;
	assert_string_equal(fitted("one two three four five\n", 20, false),
			    "one two three four\n    five\n");
	assert_string_equal(fitted("  one two three four five\n", 20, false),
			    "  one two three four\n      five\n");
	assert_string_equal(fitted("PASS  it  one two three four\n", 24, false),
			    "PASS  it  one two three\n          four\n");
	assert_string_equal(fitted("one two three four     five\n", 20, false),
			    "one two three four\n    five\n");
	/* A word that is too long is broken. */
	assert_string_equal(fitted("123456789012345678901234567890123456789\n", 20, false),
			    "12345678901234567890\n    1234567890123456\n    789\n");
	/* Blanks alone. */
	assert_string_equal(fitted("                              \n", 20, false), "\n");
}

static size_t longest(const char *s, size_t *lines)
{
	size_t most = 0;

	for (*lines = 0; *s; s += strcspn(s, "\n") + 1, ++*lines)
		most = strcspn(s, "\n") > most ? strcspn(s, "\n") : most;
	return most;
}

/* A line longer than the buffer, and lines that lie over the end of the buffer. */
static void test_buffer(void **state)
{
	static char in[LT_OUT_SIZE * 2 + 2];
	size_t lines, xs = 0;

	(void)state;
	memset(in, 'x', LT_OUT_SIZE * 2);
	in[LT_OUT_SIZE * 2] = '\n';
	assert_int_equal(longest(fitted(in, 100, false), &lines), 100);
	for (const char *p = text; *p; p++)
		xs += *p == 'x';
	assert_int_equal(xs, LT_OUT_SIZE * 2);
	for (size_t i = 49; i < LT_OUT_SIZE * 2; i += 50)
		in[i] = '\n';
	assert_string_equal(fitted(in, 60, true), in);
}

/* Text that is longer than any buffer on the way is whole. */
static void test_format(void **state)
{
	static char in[4001];
	struct lt_out o = LT_OUT_INIT(-1);

	(void)state;
	memset(in, 'x', sizeof(in) - 1);
	for (size_t len = 500; len < 530; len++) {
		lt_outf(&o, "%.*s|\n", (int)len, in);
		assert_int_equal(o.used, len + 2);
		assert_memory_equal(o.buf + len, "|\n", 2);
		o.used = 0;
	}
	lt_outf(&o, "%.*s%s", 4000, in, "|\n");
	assert_int_equal(o.used, 4002);
	free(o.buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_fold), cmocka_unit_test(test_buffer),
		cmocka_unit_test(test_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

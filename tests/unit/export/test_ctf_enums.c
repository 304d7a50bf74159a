// SPDX-License-Identifier: GPL-2.0
/*
 * CTF: how long the metadata is where many values are of one enum.
 */
#include <sys/stat.h>

#include "base/str.h"
#include "out/log.h"
#include "export/export.h"
#include "testlib.h"
#include "tracegen.h"

/* A trace with @n functions, of which each has a value of one enum with @n names. */
static const char *make_trace(unsigned int n)
{
	const char *path = test_path("enums.lt");
	struct tg *g = tg_new(NULL);
	struct lt_str text = { 0 };

	for (unsigned int i = 0; i < n; i++)
		lt_str_add(&text, "function\t%u\tf%04u\t-\t0\t\nvalue\t%u\tkind\tentry\tenum\t4\tenum kind\tkind\n"
			"enum\tkind\tNAME_%04u\t%u\n", i, i, i, i, i);
	if (text.n)
		tg_text(g, LT_BLOCK_FUNCTIONS, text.s);
	tg_kfree(g, 0, 1000, 0xffff888000001000, 0xffffffff81000200);
	tg_finish(g, 2000);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	free(text.s);
	return path;
}

static uint64_t metadata_size(unsigned int n, const char *version)
{
	const struct lt_export_options opts = { .version = version };
	char dir[512], path[600];
	struct stat st;

	snprintf(dir, sizeof(dir), "%s-%s-%u", test_path("ctf"), version, n);
	assert_int_equal(lt_export_run(&lt_export_ctf, make_trace(n), dir, &opts), LT_EXIT_OK);
	snprintf(path, sizeof(path), "%s/metadata", dir);
	assert_int_equal(stat(path, &st), 0);
	return (uint64_t)st.st_size;
}

/* As many functions more, with as many names more, add as many bytes. */
static void test_linear(void **state)
{
	static const char *const versions[] = { "1.8", "2" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		uint64_t none = metadata_size(0, versions[i]), some = metadata_size(100, versions[i]),
			 more = metadata_size(400, versions[i]);

		assert_in_range(more - none, 4 * (some - none) * 9 / 10, 4 * (some - none) * 11 / 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

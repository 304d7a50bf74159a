// SPDX-License-Identifier: GPL-2.0
/*
 * The block BUILDS, and the cache of lines: what damage, and files of others, do to it.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "lines/builds.h"
#include "lines/cache.h"
#include "out/log.h"
#include "testlib.h"

#define ID	"0123456789abcdef"

static char dir[400];

static void test_builds(void **state)
{
	struct lt_builds b = { .n = 0 };
	char *many;
	size_t n = 0;

	(void)state;
	lt_builds_add(&b, "kernel 0123ab\nmodule nf_nat 89ef01 .text=0xffffffffc0001000 "
			  ".init.text=0xffffffffc0008000\nmodule none -\nwords\n");
	assert_int_equal(b.n, 3);
	assert_string_equal(b.builds[0].name, "");
	assert_string_equal(b.builds[0].id, "0123ab");
	assert_string_equal(b.builds[1].name, "nf_nat");
	assert_string_equal(b.builds[1].id, "89ef01");
	assert_int_equal(b.builds[1].n_sections, 2);
	assert_string_equal(b.builds[1].sections[0].name, ".text");
	assert_int_equal(b.builds[1].sections[0].addr, 0xffffffffc0001000ULL);
	assert_string_equal(b.builds[2].id, "");
	/* A second kernel; names and ids that would lead to other files; no address. */
	lt_builds_add(&b, "kernel 4567\nmodule ../x 0123ab\nmodule a/b 0123ab\nmodule\nmodule c\n"
			  "module d ../../etc .text=0x0 .text= =0x1 .text=1\nmodule e 0123A0\n");
	assert_int_equal(b.n, 5);
	assert_string_equal(b.builds[3].name, "d");
	assert_string_equal(b.builds[3].id, "");
	assert_int_equal(b.builds[3].n_sections, 0);
	assert_string_equal(b.builds[4].id, "");
	lt_builds_destroy(&b);

	/* Any number of modules and sections: the memory is bounded. */
	many = lt_alloc(40000 * 16 + 1);
	for (size_t i = 0; i < 40000; i++)
		n += (size_t)sprintf(many + n, "module m%zu -\n", i);
	lt_builds_add(&b, many);
	assert_true(b.n <= 16384);
	lt_builds_destroy(&b);
	n = (size_t)sprintf(many, "module m -");
	for (size_t i = 0; i < 1000; i++)
		n += (size_t)sprintf(many + n, " .text.%zu=0x1", i);
	lt_builds_add(&b, many);
	assert_true(b.builds[0].n_sections <= 64);
	lt_builds_destroy(&b);
	free(many);
}

static struct lt_place *place(size_t n)
{
	struct lt_place *p = lt_alloc(sizeof(*p) + n * sizeof(p->frames[0]));

	p->n = n;
	for (size_t i = 0; i < n; i++) {
		p->frames[i].function = i == 2 ? NULL : lt_format("function%zu", i);
		p->frames[i].file = i == 1 ? NULL : lt_format("fs/file%zu.c", i);
		p->frames[i].line = (uint32_t)(100 + i);
	}
	return p;
}

static void fill(void)
{
	struct lt_line_cache c;

	lt_line_cache_init(&c, dir, ID);
	for (uint64_t i = 0; i < 40; i++)
		lt_line_cache_add(&c, i % 2 ? ".text" : "_stext", i * 0x1001 - 0x2000,
				  i % 5 ? place(i % 5) : NULL);
	lt_line_cache_save(&c);
	lt_line_cache_destroy(&c);
}

/* Whether the cache has all that fill() has put there, and nothing is in the way of that. */
static bool whole(const struct lt_line_cache *c)
{
	for (uint64_t i = 0; i < 40; i++) {
		const struct lt_cached *e = lt_line_cache_find(c, i % 2 ? ".text" : "_stext",
							      i * 0x1001 - 0x2000);
		struct lt_place *p = i % 5 ? place(i % 5) : NULL;
		bool same = e && !e->place == !p && (!p || e->place->n == p->n);

		for (size_t k = 0; same && p && k < p->n; k++) {
			const struct lt_frame *a = &e->place->frames[k], *b = &p->frames[k];

			same = a->line == b->line && !a->file == !b->file &&
			       !a->function == !b->function &&
			       (!a->file || !strcmp(a->file, b->file)) &&
			       (!a->function || !strcmp(a->function, b->function));
		}
		lt_place_free(p);
		if (!same)
			return false;
	}
	return c->n == 40;
}

static void make_dir(const char *name)
{
	snprintf(dir, sizeof(dir), "%s/deeper/lines", test_path(name));
}

static void test_keep(void **state)
{
	struct lt_line_cache c;
	struct stat st;
	char path[500];

	(void)state;
	make_dir("keep");
	snprintf(path, sizeof(path), "%s/" ID, dir);
	fill();
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	lt_line_cache_init(&c, dir, ID);
	assert_true(whole(&c));
	/* Nothing new: the file stays. */
	assert_int_equal(unlink(path), 0);
	lt_line_cache_save(&c);
	assert_int_not_equal(stat(path, &st), 0);
	lt_line_cache_add(&c, "_stext", 7, place(1));
	lt_line_cache_save(&c);
	lt_line_cache_destroy(&c);
	lt_line_cache_init(&c, dir, ID);
	assert_int_equal(c.n, 41);
	lt_line_cache_destroy(&c);
	/* Another build, no build, and what is no build id. */
	lt_line_cache_init(&c, dir, "0123456789abcdee");
	assert_int_equal(c.n, 0);
	lt_line_cache_destroy(&c);
	lt_line_cache_init(&c, dir, "");
	assert_null(c.path);
	lt_line_cache_destroy(&c);
	lt_line_cache_init(&c, dir, "../../../etc/passwd");
	assert_null(c.path);
	lt_line_cache_destroy(&c);
}

/* Whether a file that was begun with one entry is read with it. */
static bool begun_anew(struct lt_line_cache *c)
{
	lt_line_cache_add(c, "_stext", 1, place(1));
	lt_line_cache_save(c);
	lt_line_cache_destroy(c);
	lt_line_cache_init(c, dir, ID);
	return c->n == 1;
}

/* Each byte is changed, and the file is cut at each: it is never taken for something else. */
static void test_damage(void **state)
{
	struct lt_line_cache c;
	char path[500], *text;
	size_t size, said = 0;

	(void)state;
	make_dir("damage");
	snprintf(path, sizeof(path), "%s/" ID, dir);
	fill();
	text = lt_read_text_file(path, 1 << 20, &size);
	assert_non_null(text);
	for (size_t i = 0; i < 2 * size; i++) {
		char old = text[i / 2];

		text[i / 2] = (char)(old ^ 1 << i % 7);
		test_put(NULL, path, text, i % 2 ? size : i / 2);
		text[i / 2] = old;
		test_stderr_begin();
		lt_line_cache_init(&c, dir, ID);
		said += strstr(test_stderr_end(), "damaged") != NULL;
		assert_int_equal(c.n, 0);
		/* It is replaced by a good one. */
		if (i % 64 == 1)
			assert_true(begun_anew(&c));
		lt_line_cache_destroy(&c);
	}
	assert_int_equal(said, 2 * size);
	free(text);
}

/* A file that is not ours to read is none. */
static void test_others(void **state)
{
	struct lt_line_cache c;
	char path[500], other[500];

	(void)state;
	make_dir("others");
	snprintf(path, sizeof(path), "%s/" ID, dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	fill();
	assert_int_equal(rename(path, other), 0);
	assert_int_equal(symlink(other, path), 0);
	lt_line_cache_init(&c, dir, ID);
	assert_int_equal(c.n, 0);
	lt_line_cache_destroy(&c);
	assert_int_equal(unlink(path), 0);
	/* Nobody writes to the FIFO: reading it would wait forever. */
	assert_int_equal(mkfifo(path, 0600), 0);
	lt_line_cache_init(&c, dir, ID);
	assert_int_equal(c.n, 0);
	assert_true(begun_anew(&c));
	lt_line_cache_destroy(&c);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	lt_line_cache_init(&c, dir, ID);
	lt_line_cache_add(&c, "_stext", 1, place(1));
	test_stderr_begin();
	lt_line_cache_save(&c);
	assert_non_null(strstr(test_stderr_end(), "cannot be kept"));
	lt_line_cache_destroy(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builds),
		cmocka_unit_test(test_keep),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_others),
	};

	lt_log_to_stderr();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

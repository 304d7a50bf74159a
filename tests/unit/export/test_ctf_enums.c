// SPDX-License-Identifier: GPL-2.0
/*
 * CTF: how long the metadata is where many values are of one enum, and names of caches.
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

/* How often a file of an export has @text, with a byte @behind it. */
static unsigned int texts_before(const char *dir, const char *file, const char *text, char behind)
{
	size_t len = strlen(text);
	unsigned int n = 0;
	struct stat st;
	char path[600];
	size_t size;
	char *data;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	assert_int_equal(stat(path, &st), 0);
	size = (size_t)st.st_size;
	data = malloc(size);
	f = fopen(path, "rb");
	assert_true(data && f && fread(data, 1, size, f) == size);
	fclose(f);
	for (size_t i = 0; i + len < size; i++)
		n += !memcmp(data + i, text, len) && data[i + len] == behind;
	free(data);
	return n;
}

/* How often a stream has @text, without the zero behind it. */
static unsigned int texts(const char *dir, const char *stream, const char *text)
{
	return texts_before(dir, stream, text, 0);
}

#define CACHE_FREE(g, cpu, time, id)	\
	tg_cache_free(g, cpu, time, 0xffff888000001000 + 64 * (time), 0xffffffff81000200, id)

/*
 * Ends the trace at 2000, and exports it. Return: the directory with that name, until test_path()
 * is called.
 */
static const char *exported(struct tg *g, const char *name, const char *version)
{
	const struct lt_export_options opts = { .version = version };
	const char *dir;
	char path[512];

	tg_finish(g, 2000);
	snprintf(path, sizeof(path), "%s", test_path("exported.lt"));
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	dir = test_path(name);
	assert_int_equal(lt_export_run(&lt_export_ctf, path, dir, &opts), LT_EXIT_OK);
	return dir;
}

/*
 * Events have the names of caches that another CPU's packet has, or a later one; of an id that is
 * used again all of its names, in the order of the streams, and of one that nothing names the id.
 */
static void test_caches(void **state)
{
	struct tg *g = tg_new(NULL);
	const char *dir;

	(void)state;
	CACHE_FREE(g, 0, 1000, 3);
	CACHE_FREE(g, 0, 1001, 4);
	CACHE_FREE(g, 0, 1002, 5);
	CACHE_FREE(g, 0, 1003, 6);
	CACHE_FREE(g, 0, 1004, 0);
	tg_close(g, 0, 1100);
	TG_CACHE(g, 1, 1200, .id = 3, .object_size = 192, .size = 192, .name = "dentry");
	TG_CACHE(g, 1, 1201, .id = 4, .object_size = 192, .size = 192, .name = "first");
	TG_CACHE(g, 1, 1202, .id = 5, .object_size = 192, .size = 192, .name = "dentry");
	tg_close(g, 1, 1300);
	TG_CACHE(g, 0, 1400, .id = 4, .object_size = 192, .size = 192, .name = "second");
	CACHE_FREE(g, 0, 1401, 4);
	dir = exported(g, "ctf-caches", NULL);
	assert_int_equal(texts(dir, "kmem_0", "dentry"), 1);
	assert_int_equal(texts(dir, "kmem_0", "second or first"), 3);
	assert_int_equal(texts(dir, "kmem_0", "dentry #5"), 1);
	assert_int_equal(texts(dir, "kmem_0", "#6"), 1);
	assert_int_equal(texts(dir, "kmem_0", "-"), 1);
}

/*
 * No two caches have one name, also where the name of one looks like what another one got; and of
 * an id that is used again no name is left out because it is a part of another one.
 */
static void test_names(void **state)
{
	struct tg *g = tg_new(NULL);
	const char *dir;

	(void)state;
	TG_CACHE(g, 0, 1000, .id = 1, .object_size = 192, .size = 192, .name = "a #3");
	TG_CACHE(g, 0, 1001, .id = 2, .object_size = 192, .size = 192, .name = "a");
	TG_CACHE(g, 0, 1002, .id = 3, .object_size = 192, .size = 192, .name = "a");
	TG_CACHE(g, 0, 1003, .id = 4, .object_size = 192, .size = 192, .name = "ext4_inode_cache");
	TG_CACHE(g, 0, 1004, .id = 4, .object_size = 192, .size = 192, .name = "inode_cache");
	TG_CACHE(g, 0, 1005, .id = 4, .object_size = 192, .size = 192, .name = "ext4_inode_cache");
	CACHE_FREE(g, 1, 1100, 1);
	CACHE_FREE(g, 1, 1101, 3);
	CACHE_FREE(g, 1, 1102, 4);
	dir = exported(g, "ctf-names", NULL);
	assert_int_equal(texts(dir, "kmem_1", "a #3"), 1);
	assert_int_equal(texts(dir, "kmem_1", "a #3 #3"), 1);
	assert_int_equal(texts(dir, "kmem_1", "ext4_inode_cache or inode_cache"), 1);
}

/* In CTF 2 a name is the same in the events and in the metadata. */
static void test_letters(void **state)
{
	struct tg *g = tg_new(NULL);
	const char *dir;

	(void)state;
	TG_CACHE(g, 0, 1000, .id = 7, .object_size = 192, .size = 192, .name = "caf\xc3\xa9");
	TG_CACHE(g, 0, 1001, .id = 8, .object_size = 192, .size = 192, .name = "\xc3\xa9");
	CACHE_FREE(g, 1, 1100, 7);
	dir = exported(g, "ctf-letters", "2");
	assert_int_equal(texts(dir, "kmem_1", "caf\xc3\xa9"), 1);
	assert_int_equal(texts_before(dir, "metadata", "\"caf\xc3\xa9\":", '7'), 1);
	assert_int_equal(texts_before(dir, "metadata", "\"\xc3\xa9\":", '8'), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_linear),
		cmocka_unit_test(test_caches),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

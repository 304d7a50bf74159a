// SPDX-License-Identifier: GPL-2.0
/*
 * The kinds of pages: which flags of /proc/kpageflags mean which kind, of pages that are parts of
 * larger ones, too; and what is written into the block SLAB.
 */
#include <fcntl.h>
#include <linux/kernel-page-flags.h>
#include <stdlib.h>
#include <unistd.h>

#include "record/page_kinds.h"
#include "testlib.h"

#define F(name)		(1ULL << KPF_##name)
#define RESERVED	(1ULL << 32)
#define TAIL		F(COMPOUND_TAIL)

/* A file with the flags of @n pages, as /proc/kpageflags has them. */
static int flags_file(const uint64_t *flags, size_t n)
{
	int fd = open(test_path("kpageflags"), O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, flags, n * sizeof(*flags)), n * sizeof(*flags));
	return fd;
}

static void test_flags(void **state)
{
	static const struct {
		uint64_t flags;
		enum lt_page_kind kind;
	} pages[] = {
		{ F(ANON) | F(LRU) | F(MMAP) | F(SWAPBACKED) | F(UPTODATE), LT_PAGE_ANON },
		{ F(ANON) | F(SWAPCACHE) | F(SWAPBACKED) | F(UPTODATE), LT_PAGE_ANON },
		{ F(KSM) | F(LRU), LT_PAGE_ANON },
		{ F(LRU) | F(UPTODATE) | F(MMAP), LT_PAGE_CACHE },
		{ F(LRU) | F(UNEVICTABLE) | F(DIRTY) | F(UPTODATE), LT_PAGE_CACHE },
		{ F(UPTODATE) | F(REFERENCED), LT_PAGE_CACHE },	/* not yet in a list */
		{ F(LRU) | F(LOCKED), LT_PAGE_CACHE },		/* being read */
		{ F(LRU) | F(SWAPBACKED) | F(UPTODATE), LT_PAGE_SHMEM },
		{ F(HUGE) | F(COMPOUND_HEAD) | F(ANON), LT_PAGE_HUGETLB },
		{ F(SLAB), LT_PAGE_SLAB },
		/* Fields that mean something else there make these look anonymous. */
		{ F(SLAB) | F(ANON) | F(MMAP), LT_PAGE_SLAB },
		{ F(PGTABLE) | F(ANON), LT_PAGE_TABLE },
		{ F(BUDDY), LT_PAGE_FREE },
		{ RESERVED, LT_PAGE_RESERVED },
		{ RESERVED | F(ZERO_PAGE), LT_PAGE_RESERVED },
		{ F(ZERO_PAGE) | F(THP), LT_PAGE_RESERVED },
		{ F(OFFLINE), LT_PAGE_OFFLINE }, { F(HWPOISON) | F(LRU), LT_PAGE_OFFLINE },
		{ F(NOPAGE), LT_PAGE_HOLE },
		{ 0, LT_PAGE_OTHER }, { F(COMPOUND_HEAD), LT_PAGE_OTHER },
		{ F(LOCKED) | F(WRITEBACK), LT_PAGE_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		int fd = flags_file(&pages[i].flags, 1);
		struct lt_page_kinds k;

		assert_int_equal(lt_page_kinds_count(fd, &k, NULL), 0);
		assert_int_equal(k.read, 1);
		if (k.pages[pages[i].kind] != 1)
			fail_msg("flags %llx are of another kind than %s",
				 (unsigned long long)pages[i].flags,
				 lt_page_kind_name(pages[i].kind));
		close(fd);
	}
}

/* All pages of a larger one are what the flags of the first say; those of the others lack some. */
static void test_parts(void **state)
{
	static const uint64_t flags[] = {
		TAIL, F(SLAB) | F(COMPOUND_HEAD), TAIL | F(SLAB), TAIL, TAIL,
		F(LRU) | F(UPTODATE) | F(SWAPBACKED) | F(COMPOUND_HEAD), TAIL, TAIL | F(MMAP),
		F(BUDDY), F(BUDDY), F(COMPOUND_HEAD), TAIL, 0,
	};
	struct lt_page_kinds k;
	int fd = flags_file(flags, sizeof(flags) / sizeof(flags[0]));

	(void)state;
	assert_int_equal(lt_page_kinds_count(fd, &k, NULL), 0);
	assert_int_equal(k.read, 13);
	assert_int_equal(k.pages[LT_PAGE_SLAB], 4);
	assert_int_equal(k.pages[LT_PAGE_SHMEM], 3);
	assert_int_equal(k.pages[LT_PAGE_FREE], 2);
	/* A part without a beginning is nobody's; and two of the kernel's, and one alone. */
	assert_int_equal(k.pages[LT_PAGE_OTHER], 4);
	close(fd);
}

/* More pages than are read at once; the larger page in the middle goes on across the border. */
static void test_pieces(void **state)
{
	const size_t n = 100001;
	uint64_t *flags = calloc(n, sizeof(*flags));
	atomic_bool cancel = true;
	struct lt_page_kinds k;
	int fd;

	(void)state;
	assert_non_null(flags);
	for (size_t i = 0; i < n; i++)
		flags[i] = i < 30000 ? F(BUDDY) : i == 30000 ? F(ANON) | F(COMPOUND_HEAD) :
			   i < 40000 ? TAIL : F(LRU) | F(UPTODATE);
	fd = flags_file(flags, n);
	assert_int_equal(lt_page_kinds_count(fd, &k, NULL), 0);
	assert_int_equal(k.read, n);
	assert_int_equal(k.pages[LT_PAGE_FREE], 30000);
	assert_int_equal(k.pages[LT_PAGE_ANON], 10000);
	assert_int_equal(k.pages[LT_PAGE_CACHE], 60001);
	assert_int_equal(lt_page_kinds_count(fd, &k, &cancel), -1);
	assert_true(k.read < n);
	close(fd);
	free(flags);
}

static void test_errors(void **state)
{
	struct lt_page_kinds k;
	int fd = open("/", O_RDONLY | O_DIRECTORY);

	(void)state;
	test_stderr_begin();
	assert_int_equal(lt_page_kinds_count(fd, &k, NULL), -1);
	assert_non_null(strstr(test_stderr_end(), "/proc/kpageflags: Is a directory"));
	close(fd);
}

static void test_write(void **state)
{
	struct lt_page_kinds k = { .pages = { [LT_PAGE_ANON] = 3, [LT_PAGE_OTHER] = 9 },
				   .cpu_free = 4, .read = 12, .ns = 1234 };
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	lt_page_kinds_write(out, &k);
	fclose(out);
	assert_string_equal(text, "pages anon 3\npages cache 0\npages shmem 0\npages hugetlb 0\n"
			    "pages slab 0\npages pagetable 0\npages other 9\npages free 0\n"
			    "pages reserved 0\npages offline 0\npages hole 0\n"
			    "pages_cpu_free 4\npages_read 12 ns 1234\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flags), cmocka_unit_test(test_parts),
		cmocka_unit_test(test_pieces), cmocka_unit_test(test_errors),
		cmocka_unit_test(test_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

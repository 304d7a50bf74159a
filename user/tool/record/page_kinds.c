// SPDX-License-Identifier: GPL-2.0
/*
 * What each page of memory is used for, by /proc/kpageflags: 64 flags for each page, in the
 * order of their frames.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/kernel-page-flags.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/now.h"
#include "base/text.h"
#include "out/log.h"
#include "record/internal.h"
#include "record/page_kinds.h"

#define KPAGEFLAGS	"/proc/kpageflags"
#define ZONEINFO	"/proc/zoneinfo"
#define MAX_ZONEINFO	(16U << 20)
#define PIECE		32768U		/* pages that are read at once, 256 KiB */

/* The kernel's own number; its headers for programs do not have it. */
#define KPF_RESERVED	32

#define FLAG(name)	(1ULL << KPF_##name)

int lt_page_kinds_open(void)
{
	int fd = open(KPAGEFLAGS, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		lt_error(KPAGEFLAGS ": %s; the kinds of pages cannot be read: leave out --page-kinds",
			 strerror(errno));
	return fd;
}

/*
 * The flags of a page that is no part of a larger one, or is its first. Slabs and page tables
 * come before the others: they use fields of the page from which the kernel would else conclude
 * that it is anonymous. A page of a file that was just read is in no list yet, but up to date.
 */
static enum lt_page_kind kind_of(uint64_t flags)
{
	static const struct {
		uint64_t flags;
		enum lt_page_kind kind;
	} kinds[] = {
		{ FLAG(NOPAGE), LT_PAGE_HOLE },
		{ FLAG(HWPOISON) | FLAG(OFFLINE), LT_PAGE_OFFLINE },
		{ FLAG(RESERVED) | FLAG(ZERO_PAGE), LT_PAGE_RESERVED },
		{ FLAG(HUGE), LT_PAGE_HUGETLB },
		{ FLAG(SLAB), LT_PAGE_SLAB },
		{ FLAG(PGTABLE), LT_PAGE_TABLE },
		{ FLAG(BUDDY), LT_PAGE_FREE },
		{ FLAG(ANON) | FLAG(KSM), LT_PAGE_ANON },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (flags & kinds[i].flags)
			return kinds[i].kind;
	}
	if (!(flags & (FLAG(LRU) | FLAG(UPTODATE))))
		return LT_PAGE_OTHER;
	return (flags & FLAG(SWAPBACKED)) ? LT_PAGE_SHMEM : LT_PAGE_CACHE;
}

/* @head: the kind of the larger page that began last. */
static void count(struct lt_page_kinds *k, const uint64_t *flags, size_t n,
		  enum lt_page_kind *head)
{
	for (size_t i = 0; i < n; i++) {
		if (!(flags[i] & FLAG(COMPOUND_TAIL)))
			*head = kind_of(flags[i]);
		k->pages[*head]++;
	}
	k->read += n;
}

/* Pages in the lists of the CPUs look like others of the kernel's. */
static uint64_t cpu_free(void)
{
	char *text = lt_read_text_file(ZONEINFO, MAX_ZONEINFO, NULL);
	const char *pos = text;
	uint64_t sum = 0, n;
	char buf[64];

	while (lt_line_text(&pos, buf, sizeof(buf))) {
		if (sscanf(buf, " count: %" SCNu64, &n) == 1)
			sum += n;
	}
	free(text);
	return sum;
}

int lt_page_kinds_count(int fd, struct lt_page_kinds *k, const atomic_bool *cancel)
{
	enum lt_page_kind head = LT_PAGE_OTHER;
	uint64_t *flags = lt_alloc_array(PIECE, sizeof(*flags));
	uint64_t begin = lt_now_ns();
	ssize_t n;

	memset(k, 0, sizeof(*k));
	do {
		n = pread(fd, flags, PIECE * sizeof(*flags), (off_t)(k->read * sizeof(*flags)));
		if (n > 0)
			count(k, flags, (size_t)n / sizeof(*flags), &head);
	} while ((n >= (ssize_t)sizeof(*flags) || (n < 0 && errno == EINTR)) &&
		 !(cancel && atomic_load(cancel)));
	free(flags);
	if (n < 0)
		lt_warn(KPAGEFLAGS ": %s; the trace will not have the kinds of pages",
			strerror(errno));
	k->cpu_free = cpu_free();
	k->ns = lt_now_ns() - begin;
	return n ? -1 : 0;
}

void lt_page_kinds_write(FILE *out, const struct lt_page_kinds *k)
{
	for (unsigned int i = 0; i < LT_N_PAGE_KINDS; i++)
		fprintf(out, "pages %s %" PRIu64 "\n", lt_page_kind_name(i), k->pages[i]);
	fprintf(out, "pages_cpu_free %" PRIu64 "\npages_read %" PRIu64 " ns %" PRIu64 "\n",
		k->cpu_free, k->read, k->ns);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the pages of memory were used for, at the start and at the end.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "base/text.h"
#include "sums/pagekinds.h"

#define MAX_PAGES	(1ULL << 48)	/* a larger number is damaged */

static const char *const names[LT_N_PAGE_KINDS] = {
	[LT_PAGE_ANON] = "anon", [LT_PAGE_CACHE] = "cache", [LT_PAGE_SHMEM] = "shmem",
	[LT_PAGE_HUGETLB] = "hugetlb", [LT_PAGE_SLAB] = "slab", [LT_PAGE_TABLE] = "pagetable",
	[LT_PAGE_OTHER] = "other", [LT_PAGE_FREE] = "free", [LT_PAGE_RESERVED] = "reserved",
	[LT_PAGE_OFFLINE] = "offline", [LT_PAGE_HOLE] = "hole",
};

const char *lt_page_kind_name(unsigned int kind)
{
	return kind < LT_N_PAGE_KINDS ? names[kind] : NULL;
}

/* A kind that this version does not know is one of the kernel's. */
static enum lt_page_kind kind_of(const char *name)
{
	unsigned int kind = 0;

	while (kind < LT_N_PAGE_KINDS && strcmp(names[kind], name))
		kind++;
	return kind < LT_N_PAGE_KINDS ? (enum lt_page_kind)kind : LT_PAGE_OTHER;
}

/* Adds a line of the text. Return: whether it is one of the counts of pages. */
static bool add_line(struct lt_page_kinds *k, const char *line)
{
	char name[24];
	uint64_t n;

	if (sscanf(line, "pages_read %" SCNu64 " ns %" SCNu64, &k->read, &k->ns) == 2)
		return true;
	if (sscanf(line, "pages_cpu_free %" SCNu64, &k->cpu_free) == 1)
		return true;
	if (sscanf(line, "pages %23s %" SCNu64, name, &n) != 2 || n > MAX_PAGES)
		return false;
	k->pages[kind_of(name)] += n;
	return true;
}

/* Return: whether the text has a whole reading; @found: it has lines of one. */
static bool read_text(const char *text, const char *when, struct lt_page_kinds *k, bool *found)
{
	uint64_t sum = 0;
	char line[96];

	memset(k, 0, sizeof(*k));
	if (!text || strncmp(text, "when=", 5) || strncmp(text + 5, when, strlen(when)))
		return false;
	while (lt_line_text(&text, line, sizeof(line)))
		*found |= add_line(k, line);
	for (unsigned int i = 0; i < LT_N_PAGE_KINDS; i++)
		sum += k->pages[i];
	/* The lists of the CPUs were read later, when they may have become longer. */
	if (k->cpu_free > k->pages[LT_PAGE_OTHER])
		k->cpu_free = k->pages[LT_PAGE_OTHER];
	return k->read && k->read <= MAX_PAGES && sum == k->read;
}

bool lt_page_kinds_read(const struct lt_trace *t, struct lt_page_kinds k[2], const char **why)
{
	bool found[2] = { false, false }, whole[2];

	whole[0] = read_text(lt_trace_text(t, LT_BLOCK_SLAB, 0), "start", &k[0], &found[0]);
	whole[1] = read_text(lt_trace_text(t, LT_BLOCK_SLAB, SIZE_MAX), "end", &k[1], &found[1]);
	*why = NULL;
	if (whole[0] && whole[1])
		return true;
	if ((found[0] && !whole[0]) || (found[1] && !whole[1]))
		*why = "the counts of pages by kind do not add up";
	else if (found[0] || found[1])
		*why = "the kinds of pages were read only once";
	return false;
}

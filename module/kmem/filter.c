// SPDX-License-Identifier: GPL-2.0
/*
 * Filters of births. What is left out is counted as filtered.
 *
 * Deaths are not filtered: who frees an object, and from which cache, says nothing of whether
 * its birth was kept, and a table of what was kept would cost every event more than the record
 * of a free. So whole lifetimes are kept, and frees of what was left out besides; a reader
 * takes them for those of objects that are older than the session.
 *
 * Only a session with such a filter attaches versions of the probes that look here.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/only.h"
#include "kmem/cache.h"
#include "kmem/caller.h"
#include "kmem/compat.h"
#include "kmem/filter.h"

bool lt_births_on __read_mostly;

#define MAX_WORDS	32	/* of a list */

/**
 * struct lt_code_range - callers that are kept
 * @from: first address
 * @to: the one behind the last
 */
struct lt_code_range {
	unsigned long from;
	unsigned long to;
};

/* The filter of the session. It changes only while no probe is attached. */
static struct lt_birth_filter filter;
static char cache_text[LT_FILTER_TEXT];
static const char *cache_words[MAX_WORDS];
static unsigned int n_caches;
static struct lt_code_range ranges[MAX_WORDS];
static unsigned int n_ranges;

/* ------------------------------------------------------------------------
 * Caches
 */

/*
 * What was found of a cache: its address, and in the lowest bit whether it is kept. Caches
 * with one slot displace each other. A word is read and written whole, so that CPUs that meet
 * here need no lock; a cache that goes away is removed by lt_births_forget_cache() before
 * its address can become another's.
 */
#define KNOWN_BITS	10
static unsigned long known[1 << KNOWN_BITS];

/* Is a name that of a word, or does it begin like one that ends with a star? */
static bool matches(const char *word, const char *name)
{
	size_t len = strlen(word);

	if (len && word[len - 1] == '*')
		return !strncmp(word, name, len - 1);
	return !strcmp(word, name);
}

static bool any_matches(const char *name)
{
	unsigned int i;

	for (i = 0; i < n_caches; i++)
		if (matches(cache_words[i], name))
			return true;
	return false;
}

static noinline bool cache_is_kept(const struct kmem_cache *s)
{
	unsigned long *slot = &known[hash_ptr((void *)s, KNOWN_BITS)], found = READ_ONCE(*slot);
	struct lt_cache_desc d;

	if ((found & ~1UL) == (unsigned long)s)
		return found & 1;
	lt_cache_describe(s, &d);
	d.name[sizeof(d.name) - 1] = 0;
	found = (unsigned long)s | any_matches(d.name);
	WRITE_ONCE(*slot, found);
	return found & 1;
}

/**
 * lt_births_forget_cache() - a cache is about to be destroyed
 * @s: the cache; NULL: nothing
 *
 * Context: any.
 */
void lt_births_forget_cache(const struct kmem_cache *s)
{
	unsigned long *slot = &known[hash_ptr((void *)s, KNOWN_BITS)];

	if ((READ_ONCE(*slot) & ~1UL) == (unsigned long)s)
		WRITE_ONCE(*slot, 0);
}

/*
 * kmalloc's event has no cache, but the size of its objects: a power of two, 96 or 192. A bit for
 * each of these, whose cache is kept.
 */
static u64 kmalloc_sizes;

static u64 kmalloc_bit(size_t bytes)
{
	if (is_power_of_2(bytes))
		return BIT_ULL(ilog2(bytes));
	return bytes == 96 ? BIT_ULL(62) : bytes == 192 ? BIT_ULL(63) : 0;
}

/* The kernel's names: kmalloc-96, kmalloc-2k, kmalloc-1M. */
static void choose_kmalloc(size_t bytes)
{
	char name[32];

	if (bytes >= SZ_1M)
		snprintf(name, sizeof(name), "kmalloc-%zuM", bytes / SZ_1M);
	else if (bytes >= SZ_1K)
		snprintf(name, sizeof(name), "kmalloc-%zuk", bytes / SZ_1K);
	else
		snprintf(name, sizeof(name), "kmalloc-%zu", bytes);
	if (any_matches(name))
		kmalloc_sizes |= kmalloc_bit(bytes);
}

/* With slub_debug or KASAN a slot has more than its object, and another size than its name says. */
static bool sizes_are_plain(void)
{
	struct kmem_cache *s = kmem_cache_create("lifetrace_filter", SZ_1K, 0, 0, NULL);
	struct lt_cache_desc d;

	if (!s)
		return false;
	lt_cache_describe(s, &d);
	kmem_cache_destroy(s);
	return d.size == SZ_1K;
}

static void choose_kmallocs(void)
{
	unsigned int bit;

	kmalloc_sizes = 0;
	choose_kmalloc(96);
	choose_kmalloc(192);
	for (bit = 3; bit <= 30; bit++)
		choose_kmalloc(BIT(bit));
}

/* ------------------------------------------------------------------------
 * Births
 */

static bool task_is_kept(void)
{
	bool kept;

	if (!lt_only_on)
		return true;
	rcu_read_lock();
	kept = lt_only_kept();
	rcu_read_unlock();
	return kept;
}

/* A trampoline is replaced, so that who writes the event has not to unwind again. */
static bool caller_is_kept(unsigned long *call_site)
{
	unsigned int i;

	if (!n_ranges)
		return true;
	*call_site = lt_real_caller(*call_site, false);
	for (i = 0; i < n_ranges; i++)
		if (*call_site >= ranges[i].from && *call_site < ranges[i].to)
			return true;
	return false;
}

/**
 * lt_object_left_out() - is the birth of an object left out?
 * @call_site: its caller; replaced by that behind a trampoline if the filter asks for it
 * @s: its cache; NULL: an object of kmalloc()
 * @bytes_req: bytes requested
 * @bytes_alloc: kmalloc: bytes allocated
 *
 * The caller comes last: it may have to be unwound.
 *
 * Context: any, NMI included; lt_births_on.
 */
bool lt_object_left_out(unsigned long *call_site, const struct kmem_cache *s, size_t bytes_req,
			size_t bytes_alloc)
{
	return (filter.max_size && bytes_req > filter.max_size) ||
	       (n_caches && !(s ? cache_is_kept(s) : kmalloc_sizes & kmalloc_bit(bytes_alloc))) ||
	       !task_is_kept() || !caller_is_kept(call_site);
}

/* Is the birth of a block of pages left out? Context: any, NMI included; lt_births_on. */
bool lt_pages_left_out(unsigned int order)
{
	return (filter.max_size && PAGE_SIZE << order > filter.max_size) || !task_is_kept();
}

/* ------------------------------------------------------------------------
 * The parameters
 */

/* The words of @text, which is cut at the commas. Return: how many; negative: too many. */
static int cut(char *text, const char **words)
{
	char *word;
	int n = 0;

	while ((word = strsep(&text, ",")) != NULL) {
		word = strim(word);
		if (!*word)
			continue;
		if (n == MAX_WORDS)
			return -E2BIG;
		words[n++] = word;
	}
	return n;
}

static bool parse_range(const char *word, struct lt_code_range *r)
{
	const char *dash = strchr(word, '-');
	char from[24] = "";

	if (!dash || dash - word >= sizeof(from))
		return false;
	memcpy(from, word, dash - word);
	return !kstrtoul(from, 0, &r->from) && !kstrtoul(dash + 1, 0, &r->to) && r->from < r->to;
}

/* Fills in @ranges. Return: how many, negative: not understood. */
static int parse_ranges(const char *text)
{
	const char *words[MAX_WORDS];
	char copy[LT_FILTER_TEXT];
	int i, n;

	strscpy(copy, text, sizeof(copy));
	n = cut(copy, words);
	for (i = 0; i < n; i++)
		if (!parse_range(words[i], &ranges[i]))
			return -EINVAL;
	return n;
}

/* Does a filter leave anything out? */
bool lt_birth_filter_is_set(const struct lt_birth_filter *f)
{
	return f->max_size || !lt_text_is_empty(f->caches) || !lt_text_is_empty(f->code);
}

/**
 * lt_birth_filter_refused() - what is wrong with a filter
 * @f: the filter
 * @pages: births of pages are watched
 *
 * Context: process, sleeps; no session, under its lock: uses what a session uses.
 * Return: NULL: nothing.
 */
const char *lt_birth_filter_refused(const struct lt_birth_filter *f, bool pages)
{
	strscpy(cache_text, f->caches, sizeof(cache_text));
	if (cut(cache_text, cache_words) < 0)
		return "only_caches: more than 32 names";
	if (!lt_text_is_empty(f->caches) && (!LT_HAVE_OBJECT_CACHE || !lt_cache_proven()))
		return "only_caches: the names of slab caches cannot be read on this kernel";
	if (!lt_text_is_empty(f->caches) && !sizes_are_plain())
		return "only_caches: with debugging data in slabs kmalloc's sizes name no cache";
	if (parse_ranges(f->code) < 0)
		return "only_code: expected up to 32 ranges of addresses, FROM-TO, by commas";
	if (pages && (!lt_text_is_empty(f->caches) || !lt_text_is_empty(f->code)))
		return "only_caches, only_code: pages have no cache and no caller; watch no pages";
	return NULL;
}

static int open_filter(const struct lt_birth_filter *f)
{
	int n;

	filter = *f;
	strscpy(cache_text, f->caches, sizeof(cache_text));
	n = cut(cache_text, cache_words);
	if (n < 0)
		return n;
	n_caches = n;
	choose_kmallocs();
	memset(known, 0, sizeof(known));
	n = parse_ranges(f->code);
	if (n < 0)
		return n;
	n_ranges = n;
	return 0;
}

/**
 * lt_births_open() - prepare the filter of a session
 * @f: a filter that was not refused
 *
 * Context: process, sleeps; no probe of the channel is attached; after lt_only_open().
 * Return: 0 or an errno, then nothing is open.
 */
int lt_births_open(const struct lt_birth_filter *f)
{
	int err = open_filter(f);

	if (err)
		lt_births_close();
	else
		lt_births_on = lt_only_on || lt_birth_filter_is_set(&filter);
	return err;
}

static void show_text(struct seq_file *m, const char *key, const char *text)
{
	int len = strcspn(text, "\n");

	if (!lt_text_is_empty(text))
		seq_printf(m, "%s=%.*s\n", key, len, text);
}

/* The lines of the filter in the file "info"; none where there is no filter. */
void lt_births_show_info(struct seq_file *m)
{
	if (!lt_births_on)
		return;
	seq_puts(m, "births_filtered=1\n");
	if (filter.max_size)
		seq_printf(m, "max_size=%lu\n", filter.max_size);
	show_text(m, "only_caches", filter.caches);
	show_text(m, "only_code", filter.code);
}

/* Context: process, sleeps; no probe of the channel runs. */
void lt_births_close(void)
{
	lt_births_on = false;
	n_caches = 0;
	n_ranges = 0;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rules of lifetimes, as tables: what is known of an address, an event, and the verdict
 * that must follow.
 *
 * The holder of the address was born at the time 0 of a row, on CPU 0, by task a, in task
 * context, as an object of cache 1. Words of the first column:
 *
 *	held		there is a holder; implied by all words of holders
 *	kmalloc		the holder is a kmalloc of 4 pages
 *	cache=N irq order=N alloc=BYTES page
 *			other attributes of the holder (0: its cache is not known)
 *	late rcu unborn tainted split
 *			flags of the holder; rcu: it was given to kfree_rcu at 100 ns
 *	doubt		there is a former holder of cache 1, born 500 us before by task b on CPU 1
 *	kept		a free is kept that may be the former holder's
 *	awaited		the holder of the rows has ended; the free of the former one is awaited
 *	f:kmalloc f:cache=N f:late f:rcu
 *			attributes of the former holder
 *	late_free min_size unwatched
 *			configuration of the trace
 *	gap=TIME	events were lost until then
 *
 * The second column is the event: a class, a time since the birth of the holder, then
 * cpu=N, the task a, b or c (no word: not known), irq, cache=N, order=N, site=N. Of a
 * kmalloc all that is not named agrees with the holder. The third column is the verdict,
 * the fourth what becomes of the former holder, then the reason, and why it is unsure.
 */
#ifndef LT_TEST_RULES_ROWS_H
#define LT_TEST_RULES_ROWS_H

struct row {
	const char *known;
	const char *event;
	const char *verdict;
	const char *former;
	const char *reason;
	const char *unsure;
};

static const struct row births[] = {
	{ "", "cache_alloc +0", "begin", "-", "not_held", "" },
	{ "", "kmalloc +0 a", "begin", "-", "not_held", "" },
	{ "gap=+5", "cache_alloc +9", "begin", "-", "not_held", "" },

	/* Born again: the free was not seen yet. */
	{ "held", "cache_alloc +500 cpu=1 b", "replace", "-", "held", "" },
	{ "held gap=+300", "cache_alloc +500", "replace", "-", "held", "lost" },
	{ "held gap=-300", "cache_alloc +500", "replace", "-", "held", "" },
	{ "late", "bulk_alloc +500", "replace", "-", "held", "" },
	{ "rcu", "cache_alloc +500", "replace", "-", "held", "" },
	{ "rcu unborn", "cache_alloc +500", "replace", "-", "held", "" },
	{ "rcu unborn gap=-300", "cache_alloc +500", "replace", "-", "held", "lost" },

	/* Born again while the end of the former holder is in doubt. */
	{ "doubt", "cache_alloc +500", "replace", "unseen", "unseen", "" },
	{ "doubt late_free", "cache_alloc +500", "replace", "missed", "unseen", "" },
	{ "doubt late_free f:kmalloc", "cache_alloc +500", "replace", "unseen", "unseen", "" },
	{ "doubt late_free f:rcu", "cache_alloc +500", "replace", "unseen", "unseen", "" },
	{ "doubt late_free page", "page_alloc +500", "replace", "unseen", "unseen", "" },
	{ "doubt gap=+1", "cache_alloc +500", "replace", "unseen", "unseen", "lost" },
	{ "doubt kept", "cache_alloc +500", "replace", "guessed", "no_proof", "" },
	{ "doubt kept f:rcu", "cache_alloc +500", "begin", "requested", "rcu", "" },
	{ "awaited late_free", "cache_alloc +500", "begin", "missed", "unseen", "" },
};

static const struct row twice[] = {
	{ "kmalloc", "kmalloc +500 a site=2", "correct", "-", "twice", "" },
	{ "kmalloc late", "kmalloc +500 a site=2", "correct", "-", "twice", "" },
	{ "kmalloc doubt", "kmalloc +500 a site=2", "correct", "-", "twice", "" },
	{ "kmalloc tainted", "kmalloc +999ms a site=2", "correct", "-", "twice", "" },
	{ "kmalloc unwatched", "kmalloc +500 a site=2", "correct", "-", "twice", "unwatched" },
	{ "kmalloc gap=-1", "kmalloc +500 a site=2", "correct", "-", "twice", "" },

	/* Anything that differs makes it another allocation. */
	{ "kmalloc", "kmalloc +500 a", "replace", "-", "held", "" },
	{ "kmalloc", "kmalloc +500 b site=2", "replace", "-", "held", "" },
	{ "kmalloc", "kmalloc +500 site=2", "replace", "-", "held", "" },
	{ "kmalloc", "kmalloc +1s a site=2", "correct", "-", "twice", "" },
	{ "kmalloc", "kmalloc +1001ms a site=2", "replace", "-", "held", "" },
	{ "kmalloc", "kmalloc +500 a site=2 irq", "replace", "-", "held", "" },
	{ "kmalloc", "kmalloc +500 a site=2 req=9", "replace", "-", "held", "" },
	{ "kmalloc", "kmalloc +500 a site=2 alloc=32768", "replace", "-", "held", "" },
	{ "kmalloc", "kmalloc +500 a site=2 gfp=9", "replace", "-", "held", "" },
	{ "kmalloc", "kmalloc +500 a site=2 node=1", "replace", "-", "held", "" },
	{ "kmalloc", "cache_alloc +500 a site=2", "replace", "-", "held", "" },
	{ "held", "kmalloc +500 a site=2", "replace", "-", "held", "" },
	{ "kmalloc alloc=8192", "kmalloc +500 a site=2 alloc=8192", "replace", "-", "held", "" },
	{ "kmalloc alloc=8193", "kmalloc +500 a site=2 alloc=8193", "correct", "-", "twice", "" },
	{ "kmalloc rcu", "kmalloc +500 a site=2", "replace", "-", "held", "" },
	{ "kmalloc split", "kmalloc +500 a site=2", "replace", "-", "held", "" },
	{ "kmalloc gap=+1", "kmalloc +500 a site=2", "replace", "-", "held", "lost" },
	{ "kmalloc awaited late_free", "kmalloc +500 a site=2", "begin", "missed", "unseen", "" },
};

static const struct row frees[] = {
	{ "", "kfree +0", "end_unknown", "-", "not_held", "" },
	{ "gap=-9s", "cache_free +0", "end_unknown", "-", "not_held", "lost" },
	{ "held", "kfree +500", "end_holder", "-", "held", "" },
	{ "held late_free", "cache_free +500 cpu=1 b", "end_holder", "-", "held", "" },
	{ "split tainted", "bulk_free +500", "end_holder", "-", "held", "" },
	{ "held gap=+1", "kfree +500", "end_holder", "-", "held", "lost" },
	{ "held gap=-1", "kfree +500", "end_holder", "-", "held", "" },
	{ "held gap=+0", "kfree +500", "end_holder", "-", "held", "" },

	/* A free of a former holder may still come. */
	{ "late late_free", "cache_free +500 cpu=1 b", "end_holder", "-", "late", "late" },
	{ "late late_free", "cache_free +999ms cpu=1 b", "end_holder", "-", "late", "late" },
	{ "late late_free", "cache_free +1s cpu=1 b", "end_holder", "-", "late", "late" },
	{ "late late_free", "cache_free +500 b", "end_holder", "-", "late", "late" },
	{ "late late_free irq", "cache_free +500 b", "end_holder", "-", "late", "late" },
	{ "late late_free gap=+1", "cache_free +500 cpu=1",
	  "end_holder", "-", "late", "late lost" },
	{ "late late_free", "cache_free +1001ms cpu=1 b", "end_holder", "-", "held", "" },
	{ "late late_free", "cache_free +500 cpu=1 a", "end_holder", "-", "held", "" },
	{ "late late_free", "cache_free +500 b irq", "end_holder", "-", "held", "" },
	{ "late late_free", "kfree +500 cpu=1 b", "end_holder", "-", "held", "" },
	{ "late late_free", "bulk_free +500 cpu=1 b", "end_holder", "-", "held", "" },
	{ "late", "cache_free +500 cpu=1 b", "end_holder", "-", "held", "" },
};

/* Frees of an address that was given to kfree_rcu. */
static const struct row releases[] = {
	{ "rcu", "kfree +500", "confirm", "-", "release", "" },
	{ "rcu unborn", "cache_free +500", "confirm", "-", "release", "" },
	{ "rcu gap=+100", "kfree +500", "confirm", "-", "release", "" },
	{ "rcu gap=+101", "kfree +500", "release", "-", "lost", "" },
	{ "rcu min_size", "kfree +500", "release", "-", "filtered", "" },
	{ "rcu min_size gap=+101", "kfree +500", "release", "-", "lost", "" },

	{ "rcu late late_free", "cache_free +500 cpu=1 b", "end_unknown", "-", "rcu", "" },
	{ "rcu late late_free gap=-1", "cache_free +500 cpu=1", "end_unknown", "-", "rcu", "lost" },
	{ "rcu late late_free", "cache_free +500 a", "confirm", "-", "release", "" },
	{ "rcu late late_free", "kfree +500 cpu=1 b", "confirm", "-", "release", "" },
	{ "rcu late late_free", "cache_free +1001ms cpu=1 b", "confirm", "-", "release", "" },
	{ "rcu late_free", "cache_free +500 cpu=1 b", "confirm", "-", "release", "" },
	{ "rcu unborn late late_free", "cache_free +500 cpu=1", "confirm", "-", "release", "" },
};

/* The first free after the address was born again: A1 A2 F. */
static const struct row first_frees[] = {
	/* Clocks of two CPUs differ by little. */
	{ "doubt", "kfree +1us cpu=1 b", "keep_free", "-", "no_proof", "" },
	{ "doubt", "kfree +1us cpu=1", "keep_free", "-", "no_proof", "" },
	{ "doubt", "kfree +1us cpu=1 a irq", "keep_free", "-", "no_proof", "" },
	{ "doubt irq", "kfree +1us cpu=1 a", "keep_free", "-", "no_proof", "" },
	{ "doubt", "kfree +1001 cpu=1 b", "end_holder", "unseen", "age", "" },
	{ "doubt", "cache_free +1001 cpu=1 b", "end_holder", "unseen", "age", "" },
	{ "doubt", "kfree +500 cpu=1 a", "end_holder", "unseen", "task", "" },
	{ "doubt", "kfree +500 b", "end_holder", "unseen", "cpu", "" },
	{ "doubt", "cache_free +500 b", "end_holder", "unseen", "cpu", "" },
	{ "doubt gap=+1", "kfree +500 b", "end_holder", "unseen", "cpu", "lost" },

	/* kmem_cache_free is traced after the release, so the free may be late by much. */
	{ "doubt late_free", "cache_free +10ms cpu=1 b", "keep_free", "-", "no_proof", "" },
	{ "doubt late_free", "cache_free +500 b", "keep_free", "-", "no_proof", "" },
	{ "doubt late_free irq", "cache_free +500 a", "keep_free", "-", "no_proof", "" },
	{ "doubt late_free", "cache_free +11ms cpu=1 b", "end_holder", "awaited", "age", "" },
	{ "doubt late_free", "cache_free +500 cpu=1 a", "end_holder", "awaited", "task", "" },
	{ "doubt late_free", "cache_free +500 b irq", "end_holder", "awaited", "cpu", "" },
	{ "doubt late_free irq", "cache_free +500 b irq", "end_holder", "awaited", "cpu", "" },
	{ "doubt late_free gap=+1", "cache_free +500 a", "end_holder", "awaited", "task", "lost" },
	{ "doubt late_free", "kfree +1001 cpu=1 b", "end_holder", "awaited", "age", "" },
	{ "doubt late_free f:kmalloc", "cache_free +500 a", "end_holder", "unseen", "task", "" },
	{ "doubt late_free f:rcu", "cache_free +500 a", "end_holder", "unseen", "task", "" },
	{ "doubt late_free page", "page_free +500 a", "end_holder", "unseen", "task", "" },

	/* The caches of both are known, and differ. */
	{ "doubt cache=2", "cache_free +500 cpu=1 b cache=2", "end_holder", "unseen", "cache", "" },
	{ "doubt cache=2", "cache_free +500 cpu=1 b cache=1", "end_former", "freed", "cache", "" },
	{ "doubt cache=2 gap=+1", "cache_free +500 cpu=1 cache=1",
	  "end_former", "freed", "cache", "lost" },
	{ "doubt cache=2 gap=-1", "cache_free +500 cpu=1 cache=1",
	  "end_former", "freed", "cache", "" },
	{ "doubt cache=2", "cache_free +500 cpu=1 b cache=3", "keep_free", "-", "no_proof", "" },
	{ "doubt cache=2", "kfree +500 cpu=1 b", "keep_free", "-", "no_proof", "" },
	{ "doubt cache=0", "cache_free +500 cpu=1 b cache=1", "keep_free", "-", "no_proof", "" },
	{ "doubt f:cache=0", "cache_free +500 cpu=1 b cache=1", "keep_free", "-", "no_proof", "" },
	{ "doubt", "cache_free +500 cpu=1 b cache=1", "keep_free", "-", "no_proof", "" },
	/* Order is stronger than the cache. */
	{ "doubt cache=2", "cache_free +500 a cache=1", "end_holder", "unseen", "task", "" },

	/* It may be that of one before the former holder. */
	{ "doubt late_free f:late", "cache_free +500 cpu=2 c",
	  "keep_free", "-", "no_proof", "late" },
	{ "doubt late_free f:late", "cache_free +500 cpu=1 b", "keep_free", "-", "no_proof", "" },
	{ "doubt late_free", "cache_free +500 cpu=2 c", "keep_free", "-", "no_proof", "" },
	{ "doubt late_free f:late cache=2", "cache_free +500 cpu=2 cache=1",
	  "end_former", "freed", "cache", "late" },
	/* The former holder is of kmalloc, so only one before it can be late. */
	{ "doubt late late_free f:kmalloc cache=2", "cache_free +500 cpu=1 b cache=2",
	  "end_holder", "unseen", "late", "late" },
};

/* A free is kept, and a second one comes: A1 A2 F F'. */
static const struct row second_frees[] = {
	{ "doubt kept", "kfree +2us cpu=1 b", "end_holder", "freed", "age", "" },
	{ "doubt kept", "kfree +500 cpu=1 a", "end_holder", "freed", "task", "" },
	{ "doubt kept", "kfree +500 b", "end_holder", "freed", "cpu", "" },
	{ "doubt kept cache=2", "cache_free +500 cpu=1 cache=2",
	  "end_holder", "freed", "cache", "" },
	{ "doubt kept cache=2", "cache_free +500 cpu=1 cache=1",
	  "end_holder", "guessed", "cache", "" },
	{ "doubt kept", "kfree +500 cpu=1 b", "end_holder", "guessed", "no_proof", "" },
	{ "doubt kept gap=+1", "kfree +500 a", "end_holder", "guessed", "lost", "lost" },
	{ "doubt kept gap=+0", "kfree +500 a", "end_holder", "freed", "task", "" },
	{ "doubt kept gap=-1", "kfree +500 a", "end_holder", "freed", "task", "" },

	/* A late free proves that the kept one was another's only after a long time. */
	{ "doubt kept late_free", "cache_free +11ms cpu=1 b",
	  "end_holder", "guessed", "no_proof", "" },
	{ "doubt kept late_free", "cache_free +1001ms cpu=1 b", "end_holder", "freed", "age", "" },
	{ "doubt kept late_free", "cache_free +11ms a", "end_holder", "freed", "task", "" },
	{ "doubt kept late late_free cache=2", "cache_free +500 cpu=1 cache=2",
	  "end_holder", "freed", "late", "late" },
};

/* A1 A2 F2: A1 is awaited; what comes then is of A1, or of an object not known. */
static const struct row awaited[] = {
	{ "awaited late_free", "cache_free +500 cpu=1 b", "end_former", "freed", "awaited", "" },
	{ "awaited late_free", "cache_free +10ms cpu=1 b cache=1",
	  "end_former", "freed", "awaited", "" },
	{ "awaited late_free gap=+1", "cache_free +500 cpu=1",
	  "end_former", "freed", "awaited", "lost" },
	{ "awaited late_free f:late", "cache_free +500 cpu=2 c",
	  "end_former", "freed", "awaited", "late" },
	{ "awaited late_free cache=2", "cache_free +500 cpu=1 cache=1",
	  "end_former", "freed", "awaited", "" },
	{ "awaited late_free f:cache=0 cache=2", "cache_free +500 cpu=1 cache=3",
	  "end_former", "freed", "awaited", "" },
	{ "awaited late_free", "kfree +500 cpu=1 b", "end_former", "freed", "awaited", "" },

	{ "awaited late_free", "cache_free +11ms cpu=1 b", "end_unknown", "missed", "age", "" },
	{ "awaited late_free gap=-1", "cache_free +11ms cpu=1",
	  "end_unknown", "missed", "age", "lost" },
	{ "awaited late_free", "cache_free +500 a", "end_unknown", "missed", "task", "" },
	{ "awaited late_free", "kfree +500 b", "end_unknown", "missed", "cpu", "" },
	{ "awaited late_free cache=2", "cache_free +500 cpu=1 cache=2",
	  "end_unknown", "missed", "cache", "" },
	{ "awaited late_free", "cache_free +500 cpu=1 cache=3",
	  "end_unknown", "missed", "other_cache", "" },
};

static const struct row requests[] = {
	{ "", "rcu_free +0", "request_unknown", "-", "not_held", "" },
	{ "gap=-1", "rcu_free +0", "request_unknown", "-", "not_held", "lost" },
	{ "held", "rcu_free +500", "request", "-", "held", "" },
	{ "late late_free", "rcu_free +500 cpu=1 b", "request", "-", "held", "" },
	{ "held gap=+1", "rcu_free +500", "request", "-", "held", "lost" },
	{ "held gap=-1", "rcu_free +500", "request", "-", "held", "" },
	{ "rcu", "rcu_free +500", "request_again", "-", "held", "" },
	{ "rcu unborn gap=-1", "rcu_free +500", "request_again", "-", "held", "lost" },

	{ "doubt", "rcu_free +500 cpu=1 b", "request", "unseen", "rcu", "" },
	{ "doubt late_free", "rcu_free +500 cpu=1 b", "request", "missed", "rcu", "" },
	{ "doubt gap=+1", "rcu_free +500 cpu=1 b", "request", "unseen", "rcu", "lost order" },
	{ "doubt gap=-1", "rcu_free +500 cpu=1 b", "request", "unseen", "rcu", "" },
	{ "doubt kept", "rcu_free +500", "request", "freed", "rcu", "" },
	{ "doubt kept gap=+1", "rcu_free +500", "request", "guessed", "rcu", "lost order" },
	{ "awaited late_free", "rcu_free +500", "request_unknown", "missed", "rcu", "" },
	{ "awaited late_free gap=-1", "rcu_free +500", "request_unknown", "missed", "rcu", "lost" },
};

/* Page blocks; those of the event's size are in the tables above. */
static const struct row blocks[] = {
	{ "page order=2", "overlap_free +500 order=0", "cut", "-", "larger", "" },
	{ "page order=2", "overlap_alloc +500 order=1", "cut", "-", "larger", "" },
	{ "page order=1", "overlap_free +500 order=3", "join", "-", "smaller", "" },
	{ "page order=1", "overlap_alloc +500 order=3", "stay", "-", "smaller", "" },
	/* Parts cannot share a doubt. */
	{ "page order=2 doubt", "overlap_free +500 order=0", "cut", "unseen", "larger", "" },
	{ "page order=2 doubt late_free", "overlap_free +500 order=0",
	  "cut", "unseen", "larger", "" },
	{ "page order=2 doubt kept", "overlap_free +500 order=0", "cut", "guessed", "larger", "" },
	{ "page order=1 doubt", "overlap_free +500 order=3", "join", "unseen", "smaller", "" },
	{ "page order=1 doubt kept", "overlap_alloc +500 order=3",
	  "stay", "guessed", "smaller", "" },

	{ "page", "replaced +500", "end_replaced", "-", "held", "" },
	{ "page gap=+1", "replaced +500", "end_replaced", "-", "held", "lost" },
	{ "page gap=-1", "replaced +500", "end_replaced", "-", "held", "" },
};

static const struct row times[] = {
	{ "doubt", "time +1us", "stay", "-", "early", "" },
	{ "doubt", "time +1001", "stay", "unseen", "age", "" },
	{ "doubt kept", "time +1us", "stay", "-", "early", "" },
	{ "doubt kept", "time +9s", "stay", "-", "kept", "" },
	{ "doubt late_free", "time +10ms", "stay", "-", "early", "" },
	{ "doubt late_free", "time +11ms", "stay", "missed", "age", "" },
	{ "doubt late_free f:kmalloc", "time +10ms", "stay", "-", "early", "" },
	{ "doubt late_free f:kmalloc", "time +11ms", "stay", "unseen", "age", "" },
};

static const struct row ends[] = {
	{ "doubt", "end +500", "stay", "unseen", "unseen", "" },
	{ "doubt late_free", "end +500", "stay", "missed", "unseen", "" },
	{ "doubt kept", "end +500", "stay", "guessed", "no_proof", "" },
	{ "doubt kept f:rcu", "end +500", "stay", "requested", "rcu", "" },
	{ "awaited late_free", "end +500", "stay", "missed", "unseen", "" },
	{ "rcu", "end +500", "end_request", "-", "end", "" },
	{ "rcu unborn", "end +500", "end_request", "-", "end", "" },
	{ "held", "end +500", "stay", "-", "end", "" },

	{ "held", "open +500", "end_open", "-", "end", "" },
	{ "late tainted", "open +500", "end_open", "-", "end", "" },
	{ "held gap=+1", "open +500", "end_open", "-", "end", "lost" },
	{ "held gap=-1", "open +500", "end_open", "-", "end", "" },
	{ "rcu", "open +500", "stay", "-", "end", "" },
};

#define TABLE(t)	{ t, sizeof(t) / sizeof((t)[0]), #t }

static const struct {
	const struct row *rows;
	size_t n;
	const char *name;
} tables[] = {
	TABLE(births), TABLE(twice), TABLE(frees), TABLE(releases), TABLE(first_frees),
	TABLE(second_frees), TABLE(awaited), TABLE(requests), TABLE(blocks), TABLE(times),
	TABLE(ends),
};

#define N_TABLES	(sizeof(tables) / sizeof(tables[0]))

#endif /* LT_TEST_RULES_ROWS_H */

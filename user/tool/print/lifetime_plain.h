/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of lifetimes that leave no doubt (struct lt_plain_step). What many of them have in common is
 * kept once, and so is its text: such a row has pointers to it, and a few numbers of its own.
 */
#ifndef LT_PRINT_LIFETIME_PLAIN_H
#define LT_PRINT_LIFETIME_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "lifetimes/lifetime.h"
#include "out/handoff.h"

#define LT_KEPT_WORDS	5
#define LT_KEPT_PIECES	3

/**
 * struct lt_kept - what rows have in common: traits, a call site, a task, or a stack
 * @words: all that its texts depend on, see the functions lt_kept_*()
 * @pieces: its texts, made by the thread that prints, with LT_PIECE readable bytes behind;
 *	NULL: not yet
 * @stack: of traits and call sites, if rows show stacks: theirs, which may have no frames
 */
struct lt_kept {
	struct {
		uint32_t len;
		char *text;
	} pieces[LT_KEPT_PIECES];
	struct lt_kept *stack;
	uint64_t words[LT_KEPT_WORDS];
};

/**
 * struct lt_plain_row - a lifetime of a slab object that is exact, unsure (struct lt_plain_step),
 *	or open
 * @traits: NULL: it is another one
 * @site: where it was freed; NULL: it is alive
 * @tasks, @cpus, @contexts: of birth and, unless it is alive, death
 * @ptr, @born, @died, @ending: as in struct lt_lifetime
 * @unsure: as in struct lt_plain_step
 */
struct lt_plain_row {
	struct lt_kept *traits;
	struct lt_kept *site;
	struct lt_kept *tasks[2];
	uint64_t ptr;
	uint64_t born;
	uint64_t died;
	uint16_t cpus[2];
	uint8_t contexts[2];
	uint8_t ending;
	bool unsure;
} __attribute__((aligned(LT_HANDOFF_ELEMENT)));

_Static_assert(sizeof(struct lt_plain_row) == LT_HANDOFF_ELEMENT, "an element");

/* What words mean. @name: of the cache, which does not move; NULL: none, or one of kmalloc's */
struct lt_kept_traits {
	uint64_t call_site;
	uint32_t bytes_req;
	uint32_t bytes_alloc;
	uint32_t gfp;
	int32_t node;
	uint32_t cache;
	uint8_t kind;
	uint8_t order;
	const char *name;
};

static inline struct lt_kept_traits lt_kept_traits(const struct lt_kept *k)
{
	return (struct lt_kept_traits){
		.call_site = k->words[0], .bytes_req = (uint32_t)k->words[1],
		.bytes_alloc = (uint32_t)(k->words[1] >> 32), .gfp = (uint32_t)k->words[2],
		.node = (int32_t)(k->words[2] >> 32), .cache = (uint16_t)k->words[3],
		.kind = (uint8_t)(k->words[3] >> 16), .order = (uint8_t)(k->words[3] >> 24),
		.name = (const char *)(uintptr_t)k->words[4],
	};
}

static inline uint64_t lt_kept_site(const struct lt_kept *k)
{
	return k->words[0];
}

/* A stack with frames that stay. */
static inline struct lt_stack lt_kept_stack(const struct lt_kept *k)
{
	return (struct lt_stack){
		.frames = (const uint64_t *)(uintptr_t)k->words[0], .n = (uint32_t)k->words[1],
		.flags = (unsigned int)(k->words[1] >> 32),
	};
}

/* Whether the lifetime that ends there, or by that task, is unsure. */
bool lt_kept_is_unsure(const struct lt_kept *k);

/* Return: false: the task is not known. */
bool lt_kept_task(const struct lt_kept *k, struct lt_task *task);

#define LT_PLAIN_TASKS	256

/**
 * struct lt_plain_task - a task that was met lately
 * @stamp: lt_trace_task_changes()
 * @from, @span: it has had this name from @from on for @span ns
 */
struct lt_plain_task {
	const struct lt_task *task;
	struct lt_kept *kept;
	uint64_t from;
	uint64_t span;
	uint64_t stamp;
};

#define LT_PLAIN_LATEST	256

/**
 * struct lt_plain_rows - what rows refer to
 * @lf: the pairing
 * @cache_name: with @arg: the name of a cache as struct lt_kept_traits has it
 * @stacks: rows show stacks
 * The rest is private.
 * @all: @n_all of them, from 1 on; found by @by_hash
 * @traits: by number, until @renewals of the table of objects, and lt_trace_cache_changes(), change
 * @sites: by form, of lifetimes that are exact and of those that are unsure
 * @latest: traits of objects that are alive at the end, by a part of the number of their site
 * @tasks: of those that ended what is exact, and what is unsure
 * @task_stamp: as it is now
 */
struct lt_plain_rows {
	const struct lt_trace *t;
	const struct lt_lifetimes *lf;
	const char *(*cache_name)(void *arg, uint32_t id);
	void *arg;
	bool stacks;
	struct lt_kept **all;
	size_t n_all;
	size_t cap_all;
	struct lt_map by_hash;
	uint64_t seed;
	uint64_t stamp;
	struct lt_kept **traits;
	size_t n_traits;
	struct lt_kept **sites;
	size_t n_sites;
	struct lt_kept *latest[LT_PLAIN_LATEST];
	struct lt_plain_task tasks[2][LT_PLAIN_TASKS];
	uint64_t task_stamp;
};

/* @r: with its first members set, and zeros behind them. */
void lt_plain_rows_init(struct lt_plain_rows *r);
void lt_plain_rows_destroy(struct lt_plain_rows *r);

/* Hands over the rows of objects that have ended. */
void lt_plain_rows_take(struct lt_plain_rows *r, const struct lt_plain_steps *steps,
			struct lt_handoff *to);

/* Hands over that of one that is alive at the end. Return: false: the row is no short one. */
bool lt_plain_rows_open(struct lt_plain_rows *r, const struct lt_lifetime *l,
			struct lt_handoff *to);

#endif /* LT_PRINT_LIFETIME_PLAIN_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of lifetimes that leave no doubt, as they are handed to the thread that prints.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/past_cache.h"
#include "format/packet.h"
#include "format/plain.h"
#include "print/lifetime_plain.h"
#include "trace/trace.h"

_Static_assert(LT_MAX_CPU <= 65536, "members of 16 bits");
_Static_assert(LT_PLAIN_MAX <= UINT8_MAX + 1, "indexes of 8 bits");

/*
 * In words[4] of tasks: below are a byte of the name, and what is not. Pointers are even or larger.
 */
#define IS_TASK		(1ULL << 63)
#define IS_SITE		(1ULL << 62)
#define IS_UNSURE	(1ULL << 61)	/* of a life that is not exact for want of a probe */
#define IS_STACK	(1ULL << 60)

#define SELDOM	__attribute__((noinline, cold))

void lt_plain_rows_init(struct lt_plain_rows *r)
{
	lt_map_init(&r->by_hash);
	r->seed = lt_hash_seed();
	r->all = lt_grow(NULL, &r->cap_all, 0, sizeof(struct lt_kept *));
	r->n_all = 1;
}

void lt_plain_rows_destroy(struct lt_plain_rows *r)
{
	for (size_t i = 1; i < r->n_all; i++) {
		for (size_t k = 0; k < LT_KEPT_PIECES; k++)
			free(r->all[i]->pieces[k].text);
		free(r->all[i]);
	}
	free(r->all);
	free(r->traits);
	free(r->sites);
	if (r->by_hash.slots)
		lt_map_destroy(&r->by_hash);
}

/* What a line takes of it is in one line of the processor's cache. */
static struct lt_kept *new_kept(void)
{
	return lt_alloc_lines((sizeof(struct lt_kept) + LT_LINE - 1) / LT_LINE, LT_LINE);
}

static struct lt_kept *keep(struct lt_plain_rows *r, const uint64_t words[LT_KEPT_WORDS])
{
	struct lt_kept *k;
	uint64_t h = r->seed;
	uint32_t number;

	for (size_t i = 0; i < LT_KEPT_WORDS; i++)
		h = lt_hash64(h ^ words[i], r->seed);
	lt_map_for_each(number, at, &r->by_hash, (uint32_t)h) {
		if (!memcmp(r->all[number]->words, words, sizeof(r->all[number]->words)))
			return r->all[number];
	}
	r->all = lt_grow(r->all, &r->cap_all, r->n_all, sizeof(struct lt_kept *));
	k = new_kept();
	memcpy(k->words, words, sizeof(k->words));
	r->all[r->n_all] = k;
	lt_map_add(&r->by_hash, (uint32_t)h, (uint32_t)r->n_all++);
	return k;
}

/* Of a trace stacks stay where they are. */
static struct lt_kept *keep_stack(struct lt_plain_rows *r, uint32_t number)
{
	const struct lt_stack stack = lt_trace_stack(r->t, number);
	const uint64_t words[LT_KEPT_WORDS] = {
		stack.n ? (uintptr_t)stack.frames : 0, stack.n | (uint64_t)stack.flags << 32, 0, 0,
			IS_STACK,
	};

	return keep(r, words);
}

/* Those of one stack are alike where that is not shown. */
static inline uint32_t shown_stack(const struct lt_plain_rows *r, uint32_t number)
{
	return r->stacks ? number : 0;
}

/* As keep(), of what has a stack. */
static struct lt_kept *keep_with_stack(struct lt_plain_rows *r, const uint64_t words[LT_KEPT_WORDS],
				       uint32_t number)
{
	struct lt_kept *k = keep(r, words);

	if (r->stacks && !k->stack)
		k->stack = keep_stack(r, number);
	return k;
}

/* ------------------------------------------------------------------------
 * Traits
 */

static struct lt_kept *keep_traits(struct lt_plain_rows *r, const struct lt_traits *t)
{
	const char *name = t->cache ? r->cache_name(r->arg, t->cache) : NULL;
	const uint32_t stack = shown_stack(r, lt_lifetimes_stack(r->lf, t->site));
	const uint64_t words[LT_KEPT_WORDS] = {
		lt_lifetimes_site(r->lf, t->site),
		t->bytes_req | (uint64_t)t->bytes_alloc << 32,
		t->gfp | (uint64_t)(uint32_t)t->node << 32,
		t->cache | (uint64_t)t->kind << 16 | (uint64_t)t->order << 24 |
		(uint64_t)stack << 32, (uintptr_t)name,
	};

	return keep_with_stack(r, words, stack);
}

static void begin(struct lt_plain_rows *r, const struct lt_plain_steps *steps)
{
	const uint64_t stamp = (uint64_t)steps->renewals << 32 |
			       (uint32_t)lt_trace_cache_changes(r->t);

	if (stamp != r->stamp && r->n_traits)
		memset(r->traits, 0, r->n_traits * sizeof(struct lt_kept *));
	r->stamp = stamp;
	r->task_stamp = lt_trace_task_changes(r->t);
	if (steps->n_traits > r->n_traits)
		r->traits = lt_extend(r->traits, &r->n_traits, steps->n_traits,
				      sizeof(struct lt_kept *));
}

static SELDOM struct lt_kept *find_traits(struct lt_plain_rows *r,
					  const struct lt_plain_steps *steps, uint32_t number)
{
	r->traits[number] = keep_traits(r, &steps->traits[number]);
	return r->traits[number];
}

static inline struct lt_kept *traits_of(struct lt_plain_rows *r, const struct lt_plain_steps *steps,
					uint32_t number)
{
	struct lt_kept *k = r->traits[number];

	return k ? k : find_traits(r, steps, number);
}

/* ------------------------------------------------------------------------
 * Call sites and tasks
 */

bool lt_kept_is_unsure(const struct lt_kept *k)
{
	return k->words[4] & IS_UNSURE;
}

static struct lt_kept *keep_site(struct lt_plain_rows *r, const struct lt_plain_event *ev,
				 bool unsure)
{
	const struct lt_event *form = lt_trace_form_recorded(r->t, ev->form, NULL);
	const uint32_t stack = shown_stack(r, form->stack);
	const uint64_t words[LT_KEPT_WORDS] = {
		form->call_site, stack, 0, 0, IS_SITE | (unsure ? IS_UNSURE : 0),
	};

	return keep_with_stack(r, words, stack);
}

static SELDOM struct lt_kept *find_site(struct lt_plain_rows *r, const struct lt_plain_event *ev,
					bool unsure)
{
	const size_t at = 2 * (size_t)ev->form + unsure;

	if (at >= r->n_sites)
		r->sites = lt_extend(r->sites, &r->n_sites, at + 1, sizeof(struct lt_kept *));
	r->sites[at] = keep_site(r, ev, unsure);
	return r->sites[at];
}

static inline struct lt_kept *site_of(struct lt_plain_rows *r, const struct lt_plain_event *ev,
				      bool unsure)
{
	const size_t at = 2 * (size_t)ev->form + unsure;
	struct lt_kept *k = at < r->n_sites ? r->sites[at] : NULL;

	return k ? k : find_site(r, ev, unsure);
}

bool lt_kept_task(const struct lt_kept *k, struct lt_task *task)
{
	*task = (struct lt_task){
		.tid = (uint32_t)k->words[0], .tgid = (uint32_t)(k->words[0] >> 32),
		.start = k->words[1],
	};
	memcpy(task->comm, &k->words[2], 16);
	return k->words[4] & 1;
}

static struct lt_kept *keep_task(struct lt_plain_rows *r, const struct lt_task *task, uint64_t time,
				 bool unsure)
{
	uint64_t words[LT_KEPT_WORDS] = { 0, 0, 0, 0, IS_TASK | (unsure ? IS_UNSURE : 0) };

	if (task) {
		words[0] = task->tid | (uint64_t)task->tgid << 32;
		words[1] = task->start;
		memcpy(&words[2], lt_task_comm_at(task, time), 16);
		words[4] |= 1;
	}
	return keep(r, words);
}

static SELDOM struct lt_kept *find_task(struct lt_plain_rows *r, struct lt_plain_task *at,
					const struct lt_task *task, uint64_t time, bool unsure)
{
	size_t i = task ? task->n_names : 0;

	at->task = task;
	at->kept = keep_task(r, task, time, unsure);
	at->stamp = r->task_stamp;
	while (i && task->names[i - 1].until > time)
		i--;
	at->from = i ? task->names[i - 1].until : 0;
	at->span = (task && i < task->n_names ? task->names[i].until : UINT64_MAX) - at->from;
	return at->kept;
}

static inline struct lt_kept *task_of(struct lt_plain_rows *r, const struct lt_task *task,
				      uint64_t time, bool unsure)
{
	struct lt_plain_task *at = &r->tasks[unsure][(uintptr_t)task / 64 % LT_PLAIN_TASKS];

	return at->task == task && time - at->from < at->span && at->stamp == r->task_stamp ?
	       at->kept : find_task(r, at, task, time, unsure);
}

/* ------------------------------------------------------------------------
 * Rows
 */

/* @past: past the cache */
static inline __attribute__((always_inline)) void
put_row(struct lt_plain_row *to, const struct lt_plain_row *row, bool past)
{
#if LT_PAST_CACHE_WORDS
	/* As these members stand in memory. */
	const uint64_t rest = row->cpus[0] | (uint64_t)row->cpus[1] << 16 |
			      (uint64_t)row->contexts[0] << 32 | (uint64_t)row->contexts[1] << 40 |
			      (uint64_t)row->ending << 48 | (uint64_t)row->unsure << 56;

	if (past) {
		lt_store_past_cache(&to->traits, (uintptr_t)row->traits);
		lt_store_past_cache(&to->site, (uintptr_t)row->site);
		lt_store_past_cache(&to->tasks[0], (uintptr_t)row->tasks[0]);
		lt_store_past_cache(&to->tasks[1], (uintptr_t)row->tasks[1]);
		lt_store_past_cache(&to->ptr, row->ptr);
		lt_store_past_cache(&to->born, row->born);
		lt_store_past_cache(&to->died, row->died);
		lt_store_past_cache(&to->cpus, rest);
		return;
	}
#else
	(void)past;
#endif
	*to = *row;
}

static struct lt_kept *traits_of_life(struct lt_plain_rows *r, const struct lt_lifetime *l)
{
	const char *name = l->cache ? r->cache_name(r->arg, l->cache) : NULL;
	struct lt_kept **k = &r->latest[l->birth.site_id % LT_PLAIN_LATEST];
	const uint32_t stack = shown_stack(r, l->birth.stack);
	const uint64_t words[LT_KEPT_WORDS] = {
		l->birth.call_site,
		(uint32_t)l->bytes_req | l->bytes_alloc << 32,
		l->gfp | (uint64_t)(uint32_t)l->node << 32,
		l->cache | (uint64_t)l->kind << 16 | (uint64_t)l->order << 24 |
		(uint64_t)stack << 32, (uintptr_t)name,
	};

	if (!*k || memcmp((*k)->words, words, sizeof(words)))
		*k = keep_with_stack(r, words, stack);
	return *k;
}

bool lt_plain_rows_open(struct lt_plain_rows *r, const struct lt_lifetime *l, struct lt_handoff *to)
{
	struct lt_plain_row row;

	if (l->certainty != LT_OPEN || l->space != LT_SPACE_SLAB || l->resized ||
	    !l->bytes_alloc || (l->bytes_req | l->bytes_alloc) >> 32 || l->cache >> 16 ||
	    l->death.time < l->birth.time)
		return false;
	r->task_stamp = lt_trace_task_changes(r->t);
	row = (struct lt_plain_row){
		.traits = traits_of_life(r, l),
		.tasks = { task_of(r, l->birth.task, l->birth.time, false) },
		.ptr = l->ptr, .born = l->birth.time, .died = l->death.time,
		.cpus = { (uint16_t)l->birth.cpu }, .contexts = { l->birth.context },
		.ending = LT_END_ALIVE,
	};
	put_row(lt_handoff_next(to), &row, lt_handoff_leaves(to));
	lt_handoff_push(to);
	return true;
}

static inline void put_end(struct lt_plain_rows *r, const struct lt_plain_steps *steps,
			   const struct lt_plain_step *step, struct lt_plain_row *to, bool past)
{
	const struct lt_plain_event *ev = &steps->evs[step->event];
	const uint64_t born = ev->time - step->ns;
	const struct lt_plain_row row = {
		.traits = traits_of(r, steps, step->traits),
		.site = site_of(r, ev, step->unsure),
		.tasks = {
			task_of(r, step->maker, born, false),
			task_of(r, ev->task, ev->time, step->unsure),
		},
		.ptr = ev->ptr, .born = born, .died = ev->time,
		.cpus = { (uint16_t)step->cpu, ev->cpu },
		.contexts = { step->context, ev->context },
		.ending = step->ending, .unsure = step->unsure,
	};

	put_row(to, &row, past);
}

void lt_plain_rows_take(struct lt_plain_rows *r, const struct lt_plain_steps *steps,
			struct lt_handoff *to)
{
	const bool past = lt_handoff_leaves(to);

	begin(r, steps);
	for (size_t i = 0; i < steps->n_ends; i++) {
		put_end(r, steps, &steps->all[steps->ends[i]], lt_handoff_next(to), past);
		lt_handoff_push(to);
	}
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Advice: what is counted of each call site, in one pass over the trace.
 */
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "format/plain.h"
#include "lifetimes/read.h"
#include "sums/advice.h"
#include "sums/own.h"
#include "sums/plain_numbers.h"

/**
 * struct lt_advisor_maker - advice in the making
 * @opts: what is counted
 * @leaks: leaks in the making
 * @keys: numbers of the sites' keys
 * @places: numbers of call sites, of births and frees
 * @out: whose objects are left out; NULL: nobody's
 * @functions: by these numbers: where the function begins; 1: not known, 0: not looked up
 * @lf: the pairing
 * @numbers: of sites, by traits
 */
struct lt_advisor_maker {
	struct lt_advisor *a;
	struct lt_leak_options opts;
	struct lt_leak_finder *leaks;
	struct lt_trace *t;
	struct lt_kmalloc kmalloc;
	struct lt_intern keys;
	struct lt_intern places;
	uint64_t *functions;
	size_t n_functions;
	size_t cap_functions;
	size_t cap_sites;
	struct lt_own *out;
	struct lt_lifetimes *lf;
	struct lt_plain_numbers numbers;
};

/*
 * The caches that a shrinker empties: names and inodes of files, and the trees of the page cache.
 * The trace does not have the flag SLAB_RECLAIM_ACCOUNT of a cache, so its name must do; and that
 * of the function, since a cache may be merged with another one, whose name it has then.
 */
static bool is_of_files(const struct lt_advisor_maker *c, const struct lt_lifetime *l)
{
	char buf[128];
	const char *name = lt_lifetime_cache_name(c->t, &c->kmalloc, l, buf, sizeof(buf)), *module;
	const char *function;
	uint64_t offset;

	function = lt_trace_function(c->t, l->birth.call_site, &offset, &module);
	if (function && strstr(function, "inode"))
		return true;
	return name && (strstr(name, "inode") || !strcmp(name, "dentry") ||
			!strcmp(name, "radix_tree_node") || !strcmp(name, "buffer_head"));
}

static struct lt_advice_site *site_of(struct lt_advisor_maker *c, const struct lt_lifetime *l)
{
	uint32_t id = lt_intern_number(&c->keys, l->birth.call_site);
	struct lt_advisor *a = c->a;

	while (a->n_sites <= id) {
		if (a->n_sites == c->cap_sites)
			a->sites = lt_extend_lines(a->sites, &c->cap_sites, a->n_sites + 1,
						   sizeof(*a->sites));
		a->sites[a->n_sites++] = (struct lt_advice_site){ 0 };
	}
	if (!a->sites[id].births) {
		a->sites[id].site = l->birth.call_site;
		a->sites[id].cache = lt_lifetime_cache_key(&c->kmalloc, l);
		a->sites[id].of_files = is_of_files(c, l);
	}
	return &a->sites[id];
}

/* The first address of the function of a call site, 1: not known. */
static uint64_t function_of(struct lt_advisor_maker *c, uint64_t site)
{
	uint32_t id = lt_intern_number(&c->places, site);
	uint64_t offset;
	const char *module;

	while (c->n_functions <= id) {
		c->functions = lt_grow(c->functions, &c->cap_functions, c->n_functions,
				       sizeof(*c->functions));
		c->functions[c->n_functions++] = 0;
	}
	if (!c->functions[id])
		c->functions[id] = site && lt_trace_function(c->t, site, &offset, &module) ?
				   site - offset : 1;
	return c->functions[id];
}

static bool is_same_function(struct lt_advisor_maker *c, uint64_t birth_site, uint64_t death_site)
{
	uint64_t birth = function_of(c, birth_site);

	return birth > 1 && birth == function_of(c, death_site);
}

static bool is_at_once(const struct lt_lifetime *l)
{
	return l->ending != LT_END_RCU && l->further <= LT_ADVICE_WITHIN &&
	       lt_lifetime_ns(l) <= LT_ADVICE_SHORT_NS && l->birth.task &&
	       l->birth.task == l->death.task && l->birth.context == l->death.context;
}

static void add_free(struct lt_advisor_maker *c, struct lt_advice_site *s,
		     const struct lt_lifetime *l, uint64_t bytes)
{
	s->frees++;
	s->other_cpu += l->death.cpu != l->birth.cpu;
	if (is_at_once(l)) {
		s->at_once++;
		s->at_once_ns += lt_lifetime_ns(l);
		s->same_function += is_same_function(c, l->birth.call_site, l->death.call_site);
	}
	if (l->ending == LT_END_RCU && l->rcu_confirmed >= l->death.time && l->rcu_confirmed) {
		uint64_t ns = l->rcu_confirmed - l->death.time;

		s->rcu++;
		s->rcu_ns += ns;
		s->rcu_byte_ns += (double)bytes * (double)ns;
	}
}

static bool is_orphan(const struct lt_lifetime *l)
{
	const struct lt_task *maker = l->birth.task;

	return maker && l->birth.context == LT_CTX_TASK && maker->exit != UINT64_MAX &&
	       maker->exit >= l->birth.time && maker->exit < l->death.time;
}

static void add(struct lt_advisor_maker *c, const struct lt_lifetime *l)
{
	uint64_t bytes = lt_lifetime_bytes(l), slack = lt_lifetime_slack(l);
	struct lt_advice_site *s = site_of(c, l);
	double ns = (double)lt_lifetime_ns(l);

	s->births++;
	s->bytes += bytes;
	s->slack += slack;
	s->largest = bytes > s->largest ? bytes : s->largest;
	if (l->certainty != LT_EXACT && l->certainty != LT_OPEN)
		return;
	s->byte_ns += (double)bytes * ns;
	s->slack_ns += (double)slack * ns;
	if (l->certainty == LT_EXACT) {
		add_free(c, s, l, bytes);
		return;
	}
	s->live++;
	s->live_bytes += bytes;
	if (is_orphan(l)) {
		s->orphans++;
		s->orphan_bytes += bytes;
	}
}

static void ended(void *arg, const struct lt_lifetime *l)
{
	struct lt_advisor_maker *c = arg;
	const struct lt_leak_options *o = &c->opts;
	char buf[128];

	lt_leaks_add(c->leaks, l);
	if (l->space != c->a->space || lt_own_lifetime(c->out, l))
		return;
	if (o->filter && !lt_filter_lifetime(o->filter, c->t, l,
					     lt_lifetime_cache_name(c->t, &c->kmalloc, l, buf,
								    sizeof(buf))))
		return;
	c->a->uncertain += l->certainty == LT_UNCERTAIN;
	if (l->birth.known)
		add(c, l);
}

static void born(void *arg, enum lt_space space, const struct lt_obj *o)
{
	struct lt_advisor_maker *c = arg;

	lt_leaks_born(c->leaks, space, o);
}

/* ------------------------------------------------------------------------
 * Births and ends that leave no doubt
 */

/* Return: its number, plus 1. */
static uint32_t look_up(struct lt_advisor_maker *c, const struct lt_traits *traits)
{
	const struct lt_lifetime l = {
		.space = LT_SPACE_SLAB, .kind = traits->kind, .cache = traits->cache,
		.bytes_req = traits->bytes_req, .bytes_alloc = traits->bytes_alloc,
		.gfp = traits->gfp, .birth.call_site = lt_lifetimes_site(c->lf, traits->site),
	};

	return (uint32_t)(site_of(c, &l) - c->a->sites) + 1;
}

/* is_at_once(); it is not freed by kfree_rcu(). */
static inline bool step_is_at_once(const struct lt_plain_step *s, const struct lt_plain_event *ev)
{
	return s->further <= LT_ADVICE_WITHIN && s->ns <= LT_ADVICE_SHORT_NS && s->maker &&
	       s->maker == ev->task && !s->other_context;
}

/* add() of a lifetime that is exact, or unsure. */
static inline void add_end(struct lt_advisor_maker *c, struct lt_advice_site *site,
			   const struct lt_traits *traits, const struct lt_plain_step *s,
			   const struct lt_plain_event *ev)
{
	const uint64_t bytes = traits->bytes_alloc, slack = lt_traits_slack(traits);
	const double ns = (double)s->ns;

	site->births++;
	site->bytes += bytes;
	site->largest = bytes > site->largest ? bytes : site->largest;
	site->slack += slack;
	if (!lt_step_is_exact(s)) {
		c->a->uncertain += s->ending != LT_END_REBORN;
		return;
	}
	site->byte_ns += (double)bytes * ns;
	site->slack_ns += (double)slack * ns;
	site->frees++;
	site->other_cpu += s->other_cpu;
	if (!step_is_at_once(s, ev))
		return;
	site->at_once++;
	site->at_once_ns += s->ns;
	site->same_function += is_same_function(c, site->site, lt_lifetimes_end_site(c->lf, ev));
}

static void plain(void *arg, const struct lt_plain_steps *steps)
{
	struct lt_advisor_maker *c = arg;
	const uint32_t process = lt_own_process(c->out);

	lt_leaks_plain(c->leaks, steps);
	if (c->a->space != LT_SPACE_SLAB)
		return;
	lt_plain_numbers_prepare(&c->numbers, steps, steps->n_traits);
	for (size_t i = 0; i < steps->n_ends; i++) {
		const struct lt_plain_step *s = &steps->all[steps->ends[i]];
		const struct lt_traits *traits = &steps->traits[s->traits];
		uint32_t *number = &c->numbers.of[s->traits];

		if (lt_own_step(process, s))
			continue;
		/* From its first end on a site is known. */
		if (!*number)
			*number = look_up(c, traits);
		add_end(c, &c->a->sites[*number - 1], traits, s, &steps->evs[s->event]);
	}
}

static bool takes(void *arg, const struct lt_traits *traits)
{
	struct lt_advisor_maker *c = arg;

	return lt_leaks_takes(c->leaks, traits);
}

/* What its rows are about is known. */
static bool take_reborn(void *arg, uint32_t traits, uint32_t renewals, uint64_t born)
{
	const struct lt_advisor_maker *c = arg;
	const struct lt_plain_numbers *known = &c->numbers;

	(void)born;
	if (c->a->space != LT_SPACE_SLAB)
		return true;
	return lt_leaks_take_reborn(c->leaks, traits, renewals) && known->renewals == renewals &&
	       traits < known->n && known->of[traits];
}

static void begin(void *arg, struct lt_lifetimes *lf)
{
	struct lt_advisor_maker *c = arg;

	c->lf = lf;
	lt_leaks_pair(c->leaks, lf);
}

/* ------------------------------------------------------------------------
 * The whole
 */

static void add_up(struct lt_advisor *a)
{
	for (size_t i = 0; i < a->n_sites; i++) {
		const struct lt_advice_site *s = &a->sites[i];

		a->all.births += s->births;
		a->all.frees += s->frees;
		a->all.live += s->live;
		a->all.live_bytes += s->live_bytes;
		a->all.byte_ns += s->byte_ns;
		a->all.rcu += s->rcu;
		a->all.rcu_ns += s->rcu_ns;
		a->all.rcu_byte_ns += s->rcu_byte_ns;
	}
}

struct lt_advisor_maker *lt_advisor_begin(struct lt_trace *t, const struct lt_leak_options *opts,
					  struct lt_lifetime_pass *pass)
{
	struct lt_advisor_maker *c = lt_alloc(sizeof(*c));

	c->a = lt_alloc_lines(1, sizeof(*c->a));
	c->t = t;
	c->opts = *opts;
	c->leaks = lt_leaks_begin(t, opts);
	c->a->space = lt_space_chosen(opts->space);
	c->out = opts->no_recorder ? lt_own_new(t) : NULL;
	lt_intern_init(&c->keys);
	lt_intern_init(&c->places);
	lt_kmalloc_init(&c->kmalloc, t);
	*pass = (struct lt_lifetime_pass){
		.ops = {
			.ended = ended, .born = born, .plain_takes = takes, .plain_unsure = true,
			.plain = lt_leaks_take_steps(c->leaks) ? plain : NULL,
			.plain_reborn = lt_leaks_take_steps(c->leaks) ? take_reborn : NULL,
			.arg = c,
		},
		.begin = begin,
	};
	return c;
}

struct lt_advisor *lt_advisor_end(struct lt_advisor_maker *c)
{
	struct lt_advisor *a = c->a;

	lt_intern_destroy(&c->keys);
	lt_intern_destroy(&c->places);
	free(c->functions);
	free(c->numbers.of);
	lt_own_free(c->out);
	a->leaks = lt_leaks_end(c->leaks);
	free(c);
	if (!a->leaks) {
		lt_advisor_free(a);
		return NULL;
	}
	a->length = a->leaks->watched_ns;
	add_up(a);
	lt_advisor_judge(a);
	return a;
}

struct lt_advisor *lt_advisor_make(struct lt_trace *t, const struct lt_leak_options *opts)
{
	struct lt_lifetime_pass pass;
	struct lt_advisor_maker *c = lt_advisor_begin(t, opts, &pass);

	lt_lifetimes_pass(t, &pass);
	return lt_advisor_end(c);
}

void lt_advisor_free(struct lt_advisor *a)
{
	if (a->leaks)
		lt_leaks_free(a->leaks);
	free(a->rows);
	free(a->sites);
	free(a);
}

// SPDX-License-Identifier: GPL-2.0
/* Runs scenarios, and compares the lifetimes that come out with those that are expected. */
#include "script.h"

/* ------------------------------------------------------------------------
 * What came out, in terms of the notation
 */

/*
 * The allocation (@birth) or free with the call site of @m; of several that of its time, or
 * the first. NULL: none.
 */
static const struct step *step_of(const struct script *s, enum lt_space space, bool birth,
				  const struct lt_moment *m)
{
	const struct step *found = NULL;

	for (size_t i = 0; i < s->n_steps; i++) {
		const struct step *step = &s->steps[i];

		if (step->kind != STEP_EVENT || lt_event_space(&step->ev) != space ||
		    step->ev.call_site != m->call_site || birth != (step->number != 0))
			continue;
		if (step->ev.time == m->time)
			return step;
		if (!found)
			found = step;
	}
	return found;
}

/* An allocation of this object at this time. */
static const struct step *birth_at(const struct script *s, char letter, uint64_t time)
{
	const struct step *birth;

	for (unsigned int i = 1; (birth = script_birth(s, letter, i)); i++) {
		if (birth->ev.time == time)
			return birth;
	}
	return NULL;
}

static void check(struct script *s, const struct life *life, bool holds, const char *what)
{
	if (holds)
		return;
	script_print(s, life, s->error, sizeof(s->error));
	text_add(s->error, sizeof(s->error), ": wrong %s\n", what);
}

#define CHECK(condition)	check(s, life, condition, #condition)

/* Birth or death @m is that of an event in all but its time and call site. */
static void check_moment(struct script *s, const struct life *life, const struct run *r,
			 const struct lt_moment *m, const struct lt_event *ev)
{
	CHECK(m->cpu == ev->cpu);
	CHECK(m->context == ev->context);
	CHECK(m->task == ev->task);
	CHECK(!r->lf || lt_lifetimes_task(r->lf, m->task_id) == m->task);
	CHECK(!r->lf || lt_lifetimes_site(r->lf, m->site_id) == m->call_site);
}

static enum lt_ending ending_of(const struct lt_event *ev)
{
	static const uint8_t endings[] = {
		[LT_CLASS_KFREE] = LT_END_KFREE, [LT_CLASS_CACHE_FREE] = LT_END_CACHE_FREE,
		[LT_CLASS_BULK_FREE] = LT_END_BULK, [LT_CLASS_RCU_FREE] = LT_END_RCU,
		[LT_CLASS_PAGE_FREE] = LT_END_PAGE,
	};

	return ev->class < sizeof(endings) ? (enum lt_ending)endings[ev->class] : LT_END_ALIVE;
}

static void check_sizes(struct script *s, const struct life *life, const struct run *r,
			const struct lt_lifetime *l, const struct lt_event *birth)
{
	const struct lt_cache none = { 0 };
	const struct lt_cache *cache = l->cache && !r->caches_unknown ? &run_cache : &none;

	if (l->space == LT_SPACE_PAGE) {
		CHECK(l->bytes_alloc == (life->pages ? life->pages : 1ULL << l->order) << 12);
		CHECK(l->bytes_req == l->bytes_alloc);
		CHECK(!birth || life->pages || l->order == birth->order);
		return;
	}
	if (birth && birth->class == LT_CLASS_KMALLOC) {
		CHECK(l->bytes_req == birth->bytes_req);
		CHECK(l->bytes_alloc == birth->bytes_alloc);
		return;
	}
	CHECK(l->bytes_req == cache->object_size);
	CHECK(l->bytes_alloc == cache->size);
}

static void name_birth(struct script *s, struct life *life, const struct run *r,
		       const struct lt_lifetime *l)
{
	const struct step *birth = step_of(s, l->space, true, &l->birth), *at;

	life->letter = l->space == LT_SPACE_PAGE ? 'P' : '?';
	for (size_t i = 0; i < s->n_steps; i++) {
		const struct step *step = &s->steps[i];

		if (l->space == LT_SPACE_SLAB && step->letter != 'P' && step->ev.ptr == l->ptr)
			life->letter = step->letter;
	}
	life->born = l->birth.time;
	life->split = l->split;
	if (l->space == LT_SPACE_PAGE && (l->split || !l->birth.known)) {
		life->first = l->ptr;
		life->pages = l->bytes_alloc >> 12;
	}
	if (!l->birth.known) {
		CHECK(l->kind == LT_CLASS_NONE);
		CHECK(l->further == 0);
		CHECK(lt_lifetime_ns(l) == 0);
		life->cache = l->cache;
		check_sizes(s, life, r, l, NULL);
		return;
	}
	CHECK(birth != NULL);
	if (!birth)
		return;
	life->number = birth->number;
	life->split = false;
	at = birth_at(s, life->letter, l->birth.time);
	CHECK(at != NULL);
	if (at)
		check_moment(s, life, r, &l->birth, &at->ev);
	CHECK(l->kind == birth->ev.class);
	CHECK(l->cache == birth->ev.cache);
	CHECK(l->gfp == birth->ev.gfp);
	CHECK(l->node == birth->ev.node);
	CHECK(life->pages || l->ptr == birth->ev.ptr);
	CHECK(lt_lifetime_ns(l) == l->death.time - l->birth.time);
	check_sizes(s, life, r, l, &birth->ev);
}

static void name_death(struct script *s, struct life *life, const struct run *r,
		       const struct lt_lifetime *l)
{
	const struct step *death;

	life->died = life->freed = l->death.time;
	CHECK(!l->rcu_confirmed || l->ending == LT_END_RCU);
	if (l->rcu_confirmed)
		life->limbo = l->rcu_confirmed - l->death.time;
	if (l->ending == LT_END_ALIVE || l->ending == LT_END_REBORN) {
		life->death = l->ending == LT_END_ALIVE ? DEATH_ALIVE : DEATH_REBORN;
		CHECK(!l->death.known);
		CHECK(l->ending != LT_END_ALIVE || l->death.time == s->end);
		return;
	}
	life->death = DEATH_FREED;
	death = step_of(s, l->space, false, &l->death);
	CHECK(l->death.known);
	CHECK(death != NULL);
	if (!death)
		return;
	life->freed = death->ev.time;
	CHECK(l->ending == ending_of(&death->ev));
	check_moment(s, life, r, &l->death, &death->ev);
}

/* ------------------------------------------------------------------------
 * Comparison
 */

void script_compare(struct script *s, const struct run *r, unsigned int *seen,
		    const struct step *step)
{
	char expected[2048] = "", found[2048] = "";

	for (size_t i = 0; step && i < step->n; i++) {
		text_add(expected, sizeof(expected), i ? "; " : "");
		script_print(s, &s->lives[step->first + i], expected, sizeof(expected));
	}
	for (size_t i = 0; *seen < r->n; i++, ++*seen) {
		const struct lt_lifetime *l = &r->ended[*seen % RUN_KEPT];
		struct life life = { .certainty = l->certainty, .further = UINT64_MAX };

		name_birth(s, &life, r, l);
		name_death(s, &life, r, l);
		if (step && i < step->n && s->lives[step->first + i].further != UINT64_MAX)
			life.further = l->further;
		text_add(found, sizeof(found), i ? "; " : "");
		script_print(s, &life, found, sizeof(found));
	}
	if (strcmp(expected, found))
		text_add(s->error, sizeof(s->error), "expected: %s\nfound:    %s\n",
			 step ? step->n ? expected : "nothing" : "nothing more",
			 found[0] ? found : "nothing");
}

static void check_count(struct script *s, const struct run *r, const struct step *step)
{
	const struct lt_lifetime_stats *st = r->lf ? lt_lifetimes_stats(r->lf) : &r->stats;
	const struct { const char *name; uint64_t n; } counts[] = {
		{ "births", st->births[LT_SPACE_SLAB] }, { "alive", st->live[LT_SPACE_SLAB] },
		{ "lossy", st->lossy }, { "ambiguous", st->ambiguous },
		{ "inversions", st->inversions }, { "failed", st->failed },
		{ "rcu_requests", st->rcu_requests }, { "rcu_confirmed", st->rcu_confirmed },
		{ "rcu_unknown", st->rcu_unknown }, { "page_splits", st->page_splits },
		{ "bad", st->bad }, { "live", (uint64_t)r->live }, { "held", (uint64_t)r->held },
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		if (strcmp(counts[i].name, step->count))
			continue;
		if (counts[i].n != step->value)
			text_add(s->error, sizeof(s->error), "%s: expected %llu, found %llu\n",
				 step->count, (unsigned long long)step->value,
				 (unsigned long long)counts[i].n);
		return;
	}
	text_add(s->error, sizeof(s->error), "there is no count '%s'\n", step->count);
}

void script_check_sums(struct script *s, const struct run *r)
{
	uint64_t by_certainty[LT_N_MEMORY][LT_N_CERTAINTIES] = { 0 };
	uint64_t by_ending[LT_N_ENDINGS] = { 0 }, alive[LT_N_MEMORY] = { 0 };

	for (unsigned int i = 0; i < r->n && r->n <= RUN_KEPT; i++) {
		const struct lt_lifetime *l = &r->ended[i];

		by_certainty[l->space][l->certainty]++;
		by_ending[l->ending]++;
		alive[l->space] += l->ending == LT_END_ALIVE;
	}
	if (memcmp(by_certainty, r->stats.certainty, sizeof(by_certainty)) ||
	    memcmp(by_ending, r->stats.ending, sizeof(by_ending)) ||
	    memcmp(alive, r->stats.live, sizeof(alive)) ||
	    r->stats.lossy + r->stats.ambiguous !=
	    by_certainty[LT_SPACE_SLAB][LT_UNCERTAIN] + by_certainty[LT_SPACE_PAGE][LT_UNCERTAIN])
		text_add(s->error, sizeof(s->error), "the counts are not those of the lifetimes\n");
	if (r->pages_born != r->pages_died + r->pages_open)
		text_add(s->error, sizeof(s->error), "%llu pages born, %llu died, %llu alive\n",
			 (unsigned long long)r->pages_born, (unsigned long long)r->pages_died,
			 (unsigned long long)r->pages_open);
}

/* ------------------------------------------------------------------------
 * Runs
 */

static void run_step(struct script *s, struct run *r, const struct step *step)
{
	switch (step->kind) {
	case STEP_EVENT:
		run_event(r, &step->ev);
		break;
	case STEP_LOST:
		for (int i = LT_SPACE_SLAB; i < LT_N_MEMORY; i++) {
			if (step->space == LT_SPACE_NONE || (int)step->space == i)
				r->gap_end[i] = step->value;
		}
		break;
	case STEP_CACHES:
		r->caches_unknown = !step->value;
		break;
	case STEP_END:
		run_finish(r, s->end);
		break;
	case STEP_CHECK:
		check_count(s, r, step);
		break;
	case STEP_FILTERED:
		text_add(s->error, sizeof(s->error), "filtered events are in traces only\n");
		break;
	case STEP_CONFIG:
		break;
	}
}

static void run_engine(struct script *s, struct run *r)
{
	unsigned int seen = 0;

	run_start(r, &s->config);
	for (size_t i = 0; i < s->n_steps && !s->error[0]; i++) {
		run_step(s, r, &s->steps[i]);
		if (s->steps[i].expects)
			script_compare(s, r, &seen, &s->steps[i]);
	}
	if (r->lf)
		run_finish(r, s->end);
	if (s->error[0])
		return;
	script_compare(s, r, &seen, NULL);
	script_check_sums(s, r);
}

const char *scenario_error(const char *text)
{
	static struct script script;
	struct script *s = &script;
	struct run r;

	if (!script_parse(s, text))
		return s->error;
	run_engine(s, &r);
	return s->error[0] ? s->error : NULL;
}

static void test_scenario(void **state)
{
	const struct scenario *s = *state;
	const char *error = scenario_error(s->text);

	if (error)
		fail_msg("%s\n%s", s->text, error);
}

int scenarios_main(const char *group, const struct scenario *scenarios, size_t n_scenarios,
		   const struct CMUnitTest *tests, size_t n_tests)
{
	return test_table_main(group, test_scenario, scenarios, n_scenarios, sizeof(*scenarios),
			       tests, n_tests);
}

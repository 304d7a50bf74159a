// SPDX-License-Identifier: GPL-2.0
/* Lifetimes in the notation of scenarios: text to struct life, and back. */
#include "script.h"

static void parse_name(struct parser *p, struct life *life)
{
	const char *c = script_next(p);
	const struct step *birth;

	life->letter = *c;
	if (!strchr("ABCDEFGHPV", *c))
		script_fail(p, "no object:");
	c++;
	life->number = (unsigned int)script_integer(p, &c);
	birth = script_birth(p->s, life->letter, life->number);
	if (life->number && !birth)
		script_fail(p, "no such allocation before:");
	life->born = birth ? birth->ev.time : 0;
	if (*c == '@' && birth) {
		c++;
		life->born = script_duration(p, &c);
	}
	if (*c == ':' && life->letter == 'P') {
		c++;
		life->first = script_integer(p, &c);
		if (*c++ != '+')
			script_fail(p, "FIRST+PAGES is missing in");
		life->pages = script_integer(p, &c);
		if (!life->pages)
			script_fail(p, "no pages in");
	}
	if (life->letter == 'P' && !life->number) {
		if (!life->pages)
			script_fail(p, "which pages is missing in");
		life->split = !strcmp(c, "/split");
		c += life->split ? strlen("/split") : 0;
	}
	script_end_of_word(p, c);
}

static void parse_death(struct parser *p, struct life *life)
{
	const char *c;

	if (life->certainty == LT_OPEN || script_accept(p, "alive")) {
		life->death = DEATH_ALIVE;
	} else if (life->certainty == LT_BOUNDED || script_accept(p, "reborn")) {
		life->death = DEATH_REBORN;
		life->died = script_next_time(p);
	} else {
		life->death = DEATH_FREED;
		c = script_next(p);
		life->freed = life->died = script_duration(p, &c);
		if (*c == '@') {
			c++;
			life->died = script_duration(p, &c);
		}
		script_end_of_word(p, c);
	}
}

static void parse_life(struct parser *p, struct life *life)
{
	static const char *const certainties[] = {
		"exact", "open", "before", "bounded", "uncertain", NULL
	};

	parse_name(p, life);
	life->certainty = (enum lt_certainty)script_choice(p, certainties, "no certainty:");
	parse_death(p, life);
	life->further = UINT64_MAX;
	while (script_more(p)) {
		const char *c = script_next(p);

		if (*c == '+') {
			c++;
			life->limbo = script_duration(p, &c);
			script_end_of_word(p, c);
		} else if (!strcmp(c, "cache") && !life->number) {
			life->cache = (unsigned int)script_next_integer(p);
		} else if (!strcmp(c, "further")) {
			life->further = script_next_integer(p);
		} else {
			script_fail(p, "no part of a lifetime:");
		}
	}
}

void script_lives(struct parser *p, struct step *step)
{
	struct script *s = p->s;

	step->expects = true;
	step->first = s->n_lives;
	if (script_accept(p, "nothing"))
		return;
	do {
		if (s->n_lives == SCRIPT_LIVES)
			script_fail(p, "too many lifetimes at");
		parse_life(p, &s->lives[s->n_lives++]);
		step->n++;
	} while (script_accept(p, ";"));
}

void script_print(const struct script *s, const struct life *life, char *buf, size_t size)
{
	const struct step *birth = script_birth(s, life->letter, life->number);

	text_add(buf, size, "%c%u", life->letter, life->number);
	if (birth && birth->ev.time != life->born)
		text_add(buf, size, "@%llu", (unsigned long long)life->born);
	if (life->pages)
		text_add(buf, size, ":%llu+%llu%s", (unsigned long long)life->first,
			 (unsigned long long)life->pages, life->split ? "/split" : "");
	text_add(buf, size, " %s", lt_certainty_name(life->certainty));
	if (life->death == DEATH_FREED)
		text_add(buf, size, " %llu", (unsigned long long)life->freed);
	if (life->death == DEATH_FREED && life->died != life->freed)
		text_add(buf, size, "@%llu", (unsigned long long)life->died);
	if (life->death == DEATH_REBORN)
		text_add(buf, size, "%s %llu", life->certainty == LT_BOUNDED ? "" : " reborn",
			 (unsigned long long)life->died);
	if (life->death == DEATH_ALIVE && life->certainty != LT_OPEN)
		text_add(buf, size, " alive");
	if (life->limbo)
		text_add(buf, size, " +%llu", (unsigned long long)life->limbo);
	if (life->cache)
		text_add(buf, size, " cache %u", life->cache);
	if (life->further != UINT64_MAX)
		text_add(buf, size, " further %llu", (unsigned long long)life->further);
}

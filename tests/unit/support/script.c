// SPDX-License-Identifier: GPL-2.0
/* The steps of a scenario. */
#include "script.h"

#define SITE		0xffffffff81000000ULL

static const char *const class_words[] = {
	"kmalloc", "cache_alloc", "bulk_alloc", "page_alloc", "kfree", "cache_free",
	"bulk_free", "rcu_free", "page_free", "alloc_failed", NULL
};

static const uint8_t classes[] = {
	LT_CLASS_KMALLOC, LT_CLASS_CACHE_ALLOC, LT_CLASS_BULK_ALLOC, LT_CLASS_PAGE_ALLOC,
	LT_CLASS_KFREE, LT_CLASS_CACHE_FREE, LT_CLASS_BULK_FREE, LT_CLASS_RCU_FREE,
	LT_CLASS_PAGE_FREE, LT_CLASS_ALLOC_FAILED,
};

static bool is_birth(const struct lt_event *ev)
{
	return ev->class == LT_CLASS_KMALLOC || ev->class == LT_CLASS_CACHE_ALLOC ||
	       ev->class == LT_CLASS_BULK_ALLOC || ev->class == LT_CLASS_PAGE_ALLOC;
}

static void parse_page(struct parser *p, struct step *step)
{
	const char *c = script_next(p);

	step->letter = 'P';
	step->ev.ptr = script_integer(p, &c);
	if (*c++ != '/')
		script_fail(p, "FIRST/ORDER is missing in");
	step->ev.order = (uint8_t)script_integer(p, &c);
	script_end_of_word(p, c);
}

static void parse_object(struct parser *p, struct step *step)
{
	const char *c = script_next(p);

	if (!strcmp(c, "NULL")) {
		step->ev.ptr = 0;
	} else if (!strcmp(c, "ZERO")) {
		step->ev.ptr = 16;
	} else if (!strcmp(c, "V")) {
		step->letter = 'V';
		step->ev.ptr = 0xffffc90000000000ULL;
	} else if (c[0] >= 'A' && c[0] <= 'H' && !c[1]) {
		step->letter = c[0];
		step->ev.ptr = 0xffff888000100000ULL + 0x1000ULL * (uint64_t)(c[0] - 'A');
	} else {
		script_fail(p, "no object:");
	}
}

static void parse_details(struct parser *p, struct lt_event *ev)
{
	static const char *const tasks[] = { "a", "b", "c", "?", NULL };
	static const char *const contexts[] = { "task", "softirq", "hardirq", NULL };
	static const char *const details[] = {
		"by", "in", "size", "cache", "site", "gfp", "node", NULL
	};
	unsigned int task;
	const char *c;

	while (script_more(p)) {
		switch (script_choice(p, details, "no detail of an event:")) {
		case 0:
			task = script_choice(p, tasks, "no task:");
			ev->task = task < 3 ? &run_tasks[task] : NULL;
			break;
		case 1:
			ev->context = (uint8_t)script_choice(p, contexts, "no context:");
			break;
		case 2:
			c = script_next(p);
			ev->bytes_req = script_integer(p, &c);
			if (*c++ != '/')
				script_fail(p, "REQ/GIVEN is missing in");
			ev->bytes_alloc = script_integer(p, &c);
			script_end_of_word(p, c);
			break;
		case 3:
			ev->cache = (uint16_t)script_next_integer(p);
			break;
		case 4:
			ev->call_site = SITE + 0x10000 + script_next_integer(p);
			break;
		case 5:
			ev->gfp = (uint32_t)script_next_integer(p);
			break;
		case 6:
			ev->node = (int32_t)script_next_integer(p);
			break;
		}
	}
}

static void parse_event(struct parser *p, struct step *step)
{
	struct script *s = p->s;
	struct lt_event *ev = &step->ev;
	const char *c = p->word + 1;

	ev->cpu = (uint32_t)script_integer(p, &c);
	script_end_of_word(p, c);
	ev->time = script_next_time(p);
	ev->seq = s->n_steps;
	ev->call_site = SITE + 0x100 * s->n_steps;
	ev->task = &run_tasks[0];
	ev->node = -1;
	step->kind = script_accept(p, "filtered") ? STEP_FILTERED : STEP_EVENT;
	ev->class = classes[script_choice(p, class_words, "no event:")];
	if (step->kind == STEP_FILTERED || ev->class == LT_CLASS_ALLOC_FAILED)
		return;
	s->end = ev->time;
	if (lt_event_space(ev) == LT_SPACE_PAGE)
		parse_page(p, step);
	else
		parse_object(p, step);
	if (ev->class == LT_CLASS_KMALLOC)
		ev->bytes_req = ev->bytes_alloc = 8;
	if (ev->class == LT_CLASS_CACHE_ALLOC || ev->class == LT_CLASS_CACHE_FREE ||
	    ev->class == LT_CLASS_BULK_ALLOC)
		ev->cache = 5;
	parse_details(p, ev);
	if (is_birth(ev)) {
		for (step->number = 1; script_birth(s, step->letter, step->number); )
			step->number++;
	}
}

static void parse_config(struct parser *p, struct lt_lifetime_config *config, unsigned int word)
{
	static const char *const ways[] = { "slab", "page", "kmalloc", "cache", NULL };

	switch (word) {
	case 0:
		config->late_free = true;
		return;
	case 1:
		config->sampled = true;
		return;
	case 2:
		config->min_size = script_next_integer(p);
		return;
	}
	switch (script_choice(p, ways, "not a thing to be unwatched:")) {
	case 0:
		config->unwatched_free[LT_SPACE_SLAB] = true;
		break;
	case 1:
		config->unwatched_free[LT_SPACE_PAGE] = true;
		break;
	case 2:
		config->unwatched_kmalloc = true;
		break;
	case 3:
		config->unwatched_cache = true;
		break;
	}
}

static void parse_step(struct parser *p, struct step *step)
{
	static const char *const words[] = {
		"late_free", "sampled", "min_size", "unwatched", "lost", "caches", "end", "check",
		NULL
	};
	static const char *const spaces[] = { "all", "slab", "page", NULL };
	static const char *const known[] = { "unknown", "known", NULL };
	unsigned int word;

	if (script_next(p)[0] == 'c' && p->word[1] >= '0' && p->word[1] <= '9') {
		parse_event(p, step);
		return;
	}
	p->pos = p->at;
	word = script_choice(p, words, "no step:");
	switch (word) {
	case 4:
		step->kind = STEP_LOST;
		step->space = (enum lt_space)script_choice(p, spaces, "no events to be lost:");
		step->value = script_next_time(p);
		break;
	case 5:
		step->kind = STEP_CACHES;
		step->value = script_choice(p, known, "known or unknown, not");
		break;
	case 6:
		step->kind = STEP_END;
		if (script_more(p))
			p->s->end = script_next_time(p);
		break;
	case 7:
		step->kind = STEP_CHECK;
		snprintf(step->count, sizeof(step->count), "%.31s", script_next(p));
		step->value = script_next_integer(p);
		break;
	default:
		step->kind = STEP_CONFIG;
		for (size_t i = 0; i < p->s->n_steps; i++) {
			if (p->s->steps[i].kind == STEP_EVENT)
				script_fail(p, "too late for");
		}
		parse_config(p, &p->s->config, word);
	}
}

bool script_parse(struct script *s, const char *text)
{
	struct parser p = { .s = s, .text = text, .pos = text };

	memset(s, 0, sizeof(*s));
	s->config.page_shift = 12;
	if (setjmp(p.failed))
		return false;
	do {
		struct step *step = &s->steps[s->n_steps];

		if (s->n_steps == SCRIPT_STEPS)
			script_fail(&p, "too many steps at");
		parse_step(&p, step);
		s->n_steps++;
		if (script_accept(&p, "->"))
			script_lives(&p, step);
	} while (script_accept(&p, "|"));
	if (script_next(&p)[0])
		script_fail(&p, "neither | nor -> before");
	return true;
}

const struct step *script_birth(const struct script *s, char letter, unsigned int number)
{
	for (size_t i = 0; number && i < s->n_steps; i++) {
		const struct step *step = &s->steps[i];

		if (step->kind == STEP_EVENT && step->letter == letter && step->number == number)
			return step;
	}
	return NULL;
}

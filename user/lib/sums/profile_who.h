/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who makes the objects of steps, as far as the rows of a profile depend on it: the name that a
 * task had then, or the kind of interrupt.
 *
 * Objects that were born by a step are not kept: which name the maker had follows from the time of
 * the birth, since the names under which a task has made objects are kept, each with the time of
 * its last birth. Where that does not decide it, the object has to be kept nevertheless.
 */
#ifndef LT_SUMS_PROFILE_WHO_H
#define LT_SUMS_PROFILE_WHO_H

#include "sums/profile_maker.h"

#define LT_WHO_CONTEXT	(1U << 31)	/* in place of a name: the maker was no task */

/**
 * struct lt_who - the maker of objects that were born at @since or later
 * @since: UINT64_MAX: it is not known
 * @n_names: as long as the task has so many earlier names
 * @name: the number of its name
 * @task: by lt_lifetimes_maker()
 */
struct lt_who {
	uint64_t since;
	size_t n_names;
	uint32_t name;
	uint32_t task;
};

/* A name under which a task has made objects: up to @until, or since then if it is the last one. */
struct lt_who_name {
	uint64_t until;
	char comm[sizeof(((struct lt_task *)NULL)->comm)];
	uint32_t number;
};

/* Those of a task, in order; the last one is the present one. @last: of the latest birth */
struct lt_who_names {
	struct lt_who_name *all;
	size_t n;
	size_t cap;
	uint64_t last;
};

/**
 * struct lt_whos - makers
 * @by_name: rows depend on the name of the maker
 * @full: so many names that those to come are one: lt_profile_name() has to be asked for each
 * @tasks: names, by lt_lifetimes_maker()
 * @by_actor: by lt_plain_step.actor; @n_actors of them
 */
struct lt_whos {
	bool by_name;
	bool full;
	struct lt_who_names *tasks;
	size_t n_tasks;
	struct lt_who *by_actor;
	size_t n_actors;
};

/* For these steps. @renewed: numbers mean others than before */
void lt_whos_prepare(struct lt_whos *w, const struct lt_plain_steps *steps, bool renewed);
void lt_whos_destroy(struct lt_whos *w);
/* Behind what may have added a name. */
void lt_whos_look_whether_full(struct lt_whos *w, const struct lt_profile *p);

/*
 * The number of the name under which a task has made an object by a step; 0: it has made none so.
 */
uint32_t lt_who_was(const struct lt_whos *w, uint32_t task, uint64_t time);

/* lt_who_at_birth() and lt_who_at_end() of a task that has to be looked at. */
uint32_t lt_who_look_at_birth(struct lt_whos *w, struct lt_profile_maker *m,
			      const struct lt_plain_step *s, uint64_t time, bool *keep);
void lt_who_look_at_end(struct lt_whos *w, struct lt_profile_maker *m,
			const struct lt_plain_step *s, uint64_t time, uint32_t *born,
			uint32_t *ended);

/* Whether a name says who made an object; otherwise @who does. */
static inline bool lt_who_has_name(const struct lt_whos *w, const struct lt_plain_step *s,
				   uint32_t *who)
{
	*who = w->by_name && s->context != LT_CTX_TASK ? LT_WHO_CONTEXT | s->context : 0;
	return w->by_name && s->context == LT_CTX_TASK && s->maker;
}

/*
 * The number of the name under which a task makes an object, or LT_WHO_CONTEXT and the context.
 * @keep: the object is to be kept, since its time is not later than that of objects of another
 *	name.
 */
static inline uint32_t lt_who_at_birth(struct lt_whos *w, struct lt_profile_maker *m,
				       const struct lt_plain_step *s, uint64_t time, bool *keep)
{
	uint32_t who;

	return lt_who_has_name(w, s, &who) ? lt_who_look_at_birth(w, m, s, time, keep) : who;
}

/*
 * Who made an object that was born at @time; and under the name that it had then by what is known
 * now.
 */
static inline void lt_who_at_end(struct lt_whos *w, struct lt_profile_maker *m,
				 const struct lt_plain_step *s, uint64_t time, uint32_t *born,
				 uint32_t *ended)
{
	if (lt_who_has_name(w, s, born))
		lt_who_look_at_end(w, m, s, time, born, ended);
	else
		*ended = *born;
}

/*
 * Who made the object of a step, as lt_who_at_birth() and lt_who_at_end() say, without looking.
 * @time: of its birth. Return: false: it has to be looked at.
 */
static inline bool lt_who_knows(struct lt_whos *w, const struct lt_plain_step *s, uint64_t time,
				uint32_t *who)
{
	const struct lt_who *known = &w->by_actor[s->actor];
	struct lt_who_names *names;
	const uint64_t born = time & -(uint64_t)s->birth;

	if (!lt_who_has_name(w, s, who))
		return true;
	if (time < known->since || known->n_names != s->maker->n_names)
		return false;
	names = &w->tasks[known->task];
	names->last = born > names->last ? born : names->last;
	*who = known->name;
	return true;
}

#endif /* LT_SUMS_PROFILE_WHO_H */

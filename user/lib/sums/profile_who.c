// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Who makes the objects of steps: names of tasks.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "format/event.h"
#include "sums/profile_who.h"

static void forget(struct lt_whos *w, size_t from)
{
	for (size_t i = from; i < w->n_actors; i++)
		w->by_actor[i].since = UINT64_MAX;
}

void lt_whos_prepare(struct lt_whos *w, const struct lt_plain_steps *steps, bool renewed)
{
	const size_t had = w->n_actors;

	if (renewed)
		forget(w, 0);
	if (steps->n_actors <= had)
		return;
	w->by_actor = lt_extend(w->by_actor, &w->n_actors, steps->n_actors, sizeof(*w->by_actor));
	forget(w, had);
}

void lt_whos_destroy(struct lt_whos *w)
{
	for (size_t i = 0; i < w->n_tasks; i++)
		free(w->tasks[i].all);
	free(w->tasks);
	free(w->by_actor);
}

void lt_whos_look_whether_full(struct lt_whos *w, const struct lt_profile *p)
{
	if (w->full || p->names.n <= p->opts.max_rows)
		return;
	w->full = true;
	forget(w, 0);
}

static uint32_t number_of(struct lt_whos *w, struct lt_profile_maker *m, const char *comm)
{
	const uint32_t number = lt_profile_name(m, comm);

	lt_whos_look_whether_full(w, m->p);
	return number;
}

static struct lt_who_names *names_of(struct lt_whos *w, const struct lt_profile_maker *m,
				     const struct lt_plain_step *s)
{
	const uint32_t task = lt_lifetimes_maker(m->lf, s);

	w->by_actor[s->actor].task = task;
	if (task >= w->n_tasks)
		w->tasks = lt_extend(w->tasks, &w->n_tasks, (size_t)task + 1, sizeof(*w->tasks));
	return &w->tasks[task];
}

static bool is_named(const struct lt_who_name *name, const char *comm)
{
	return !memcmp(name->comm, comm, sizeof(name->comm));
}

static struct lt_who_name *add_name(struct lt_who_names *names, const char *comm, uint32_t number)
{
	struct lt_who_name *name;

	if (names->n)
		names->all[names->n - 1].until = names->last;
	names->all = lt_grow(names->all, &names->cap, names->n, sizeof(*names->all));
	name = &names->all[names->n++];
	*name = (struct lt_who_name){ .until = UINT64_MAX, .number = number };
	memcpy(name->comm, comm, sizeof(name->comm));
	return name;
}

/* Which one an object has that was made at @time. */
static const struct lt_who_name *name_at(const struct lt_who_names *names, uint64_t time)
{
	return &names->all[lt_first_not(names->n - 1, i, names->all[i].until < time)];
}

uint32_t lt_who_was(const struct lt_whos *w, uint32_t task, uint64_t time)
{
	return task < w->n_tasks && w->tasks[task].n ? name_at(&w->tasks[task], time)->number : 0;
}

/*
 * From its latest name on a task needs not be looked at again until it has another one: then it has
 * one more earlier name.
 */
static void note(struct lt_whos *w, const struct lt_plain_step *s, const struct lt_who_names *names)
{
	const struct lt_task *task = s->maker;
	const struct lt_who_name *name = &names->all[names->n - 1];
	struct lt_who *who = &w->by_actor[s->actor];
	uint64_t since = task->n_names ? task->names[task->n_names - 1].until : 0;

	if (w->full || !task->comm[0] || !is_named(name, task->comm))
		return;
	if (names->n > 1 && name[-1].until >= since)
		since = name[-1].until + 1;
	who->since = since;
	who->n_names = task->n_names;
	who->name = name->number;
}

uint32_t lt_who_look_at_birth(struct lt_whos *w, struct lt_profile_maker *m,
			      const struct lt_plain_step *s, uint64_t time, bool *keep)
{
	const char *comm = lt_task_comm_at(s->maker, time);
	struct lt_who_names *names = names_of(w, m, s);
	const struct lt_who_name *name = names->n ? &names->all[names->n - 1] : NULL;

	if (!name || !is_named(name, comm) || w->full) {
		const uint32_t number = number_of(w, m, comm);

		if (!name || !is_named(name, comm) || name->number != number)
			name = add_name(names, comm, number);
	}
	*keep = names->n > 1 && time <= names->all[names->n - 2].until;
	if (time > names->last)
		names->last = time;
	note(w, s, names);
	return name->number;
}

void lt_who_look_at_end(struct lt_whos *w, struct lt_profile_maker *m,
			const struct lt_plain_step *s, uint64_t time, uint32_t *born,
			uint32_t *ended)
{
	const char *comm = lt_task_comm_at(s->maker, time);
	const struct lt_who_names *names = names_of(w, m, s);
	const struct lt_who_name *name;

	if (!names->n) {
		/* It was not born by a step. */
		*born = *ended = number_of(w, m, comm);
		return;
	}
	name = names->n == 1 ? names->all : name_at(names, time);
	*born = name->number;
	*ended = is_named(name, comm) && !w->full ? name->number : number_of(w, m, comm);
	note(w, s, names);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Who had a number when.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tasks/holders.h"

/* A fork takes less, from the start of the task to the record of its birth. */
#define FORK_NS		1000000000ULL
/* Numbers up to pid_max of any kernel are looked up in a table. */
#define MAX_DIRECT	(1U << 22)

struct lt_holders {
	const struct lt_tasks *tb;
	struct lt_holder *all;		/* by number and start */
	size_t n;
	uint32_t *first;		/* by number: of @all; behind the last one @n */
	uint32_t *hint;			/* by number: where the search of it ended last */
	uint32_t n_direct;
	uint64_t begin;
	uint64_t end;
};

/* Until when it may have had the number, by what is known of its end alone. */
static uint64_t until_of(const struct lt_task_inst *t)
{
	if (!lt_task_ended(t))
		return UINT64_MAX;
	/* The release is recorded after a grace period, in which the number may go on. */
	if (t->marks & LT_TASK_MARK_WAS_RELEASED)
		return t->release > t->end ? t->release : t->end;
	switch (t->ending) {
	case LT_TASK_END_BECAME_LEADER:
	case LT_TASK_END_NUMBER_REUSED:
	case LT_TASK_END_MISSING:
	case LT_TASK_END_RELEASED:
		return t->end;
	default:
		return UINT64_MAX;
	}
}

static uint64_t sure_until_of(const struct lt_task_inst *t, uint64_t end)
{
	if (t->ending == LT_TASK_END_EXITED)
		return t->end;
	if (!lt_task_ended(t) && t->death_is == LT_OPEN)
		return end;
	return t->marks & LT_TASK_MARK_WAS_RELEASED ? 0 : t->seen;
}

/* @start: when it was started, if that is @known; otherwise not later. */
static struct lt_holder make(const struct lt_holders *h, uint32_t inst, uint64_t start, bool known)
{
	const struct lt_task_inst *t = lt_tasks_get(h->tb, inst);
	struct lt_holder x = { .inst = inst, .tid = t->tid, .start = t->start };

	x.from = start < t->birth ? start : t->birth;
	x.sure_from = t->birth;
	/* One that was met later has had its number since soon after its start. */
	if (known && !(t->marks & LT_TASK_MARK_BORN) && t->birth - x.from > FORK_NS)
		x.sure_from = x.from + FORK_NS;
	x.until = until_of(t);
	x.sure_until = sure_until_of(t, h->end);
	/* Of one that only others name, nothing is certain but that it was. */
	if (!(t->marks & LT_TASK_MARK_SEEN)) {
		x.sure_from = UINT64_MAX;
		x.sure_until = 0;
	}
	return x;
}

static int by_number(const void *a, const void *b)
{
	const struct lt_holder *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

/*
 * A number has one holder at a time: who had it before the next one certainly has it, does not
 * then.
 */
static void cut(struct lt_holders *h)
{
	for (size_t i = h->n; i-- > 1;) {
		struct lt_holder *x = &h->all[i - 1];
		const struct lt_holder *next = &h->all[i];

		if (x->tid != next->tid)
			continue;
		if (next->sure_from <= next->sure_until && x->until > next->sure_from)
			x->until = next->sure_from;
		if (x->until > next->until)
			x->until = next->until;
		if (x->from > next->from)
			x->from = next->from;
	}
}

static void index_numbers(struct lt_holders *h)
{
	uint32_t most = h->n ? h->all[h->n - 1].tid : 0;
	size_t i = 0;

	h->n_direct = most < MAX_DIRECT ? most + 1 : MAX_DIRECT;
	h->first = lt_alloc_array((size_t)h->n_direct + 1, sizeof(*h->first));
	for (uint32_t nr = 0; nr <= h->n_direct; nr++) {
		while (i < h->n && h->all[i].tid < nr)
			i++;
		h->first[nr] = (uint32_t)i;
	}
	h->hint = lt_alloc_array((size_t)h->n_direct + 1, sizeof(*h->hint));
	memcpy(h->hint, h->first, ((size_t)h->n_direct + 1) * sizeof(*h->hint));
}

struct lt_holders *lt_holders_new(const struct lt_tasks *tb, uint64_t begin, uint64_t end,
				  uint64_t (*time_of)(void *arg, uint64_t boot), void *arg)
{
	struct lt_holders *h = lt_alloc(sizeof(*h));

	*h = (struct lt_holders){ .tb = tb, .n = lt_tasks_count(tb), .begin = begin, .end = end };
	h->all = lt_alloc_array(h->n + 1, sizeof(*h->all));
	for (size_t i = 0; i < h->n; i++) {
		const struct lt_task_inst *t = lt_tasks_get(tb, (uint32_t)i + 1);
		uint64_t start = 0;

		if (time_of)
			start = time_of(arg, t->start);
		else if (t->marks & LT_TASK_MARK_BORN && t->birth > FORK_NS)
			start = t->birth - FORK_NS;
		h->all[i] = make(h, (uint32_t)i + 1, start, time_of);
	}
	qsort(h->all, h->n, sizeof(*h->all), by_number);
	cut(h);
	index_numbers(h);
	return h;
}

void lt_holders_free(struct lt_holders *h)
{
	if (!h)
		return;
	free(h->all);
	free(h->first);
	free(h->hint);
	free(h);
}

/* The first entry whose number is not below @tid. */
static size_t at_number(const struct lt_holders *h, uint32_t tid)
{
	size_t low, high = h->n;

	if (tid <= h->n_direct)
		return h->first[tid];
	low = h->first[h->n_direct];
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (h->all[mid].tid < tid)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* By when the birth of a task is recorded that has its number at @to. */
static uint64_t recorded_by(uint64_t to)
{
	return to + FORK_NS < to ? to : to + FORK_NS;
}

/*
 * Whether one of which nothing is recorded may have had the number, beside the one that was
 * found.
 */
static enum lt_holder_doubt hidden(const struct lt_holders *h, const struct lt_holder *x,
				   const struct lt_holder *before, uint64_t from, uint64_t to)
{
	bool sure = x->sure_from <= x->sure_until;
	uint64_t then;

	if (!sure || from < x->sure_from) {
		/* It would have ended before the one that was found had the number. */
		if (from < h->begin)
			return LT_HOLDER_BEFORE;
		then = before ? before->sure_until : 0;
		if (lt_tasks_lost_between(h->tb, LT_LOST_ENDS, then, sure ? x->sure_from : to))
			return LT_HOLDER_LOST;
	}
	if (sure && to <= x->sure_until)
		return LT_HOLDER_KNOWN;
	/* It would have been born after the one that was found had the number. */
	if (to > h->end)
		return LT_HOLDER_AFTER;
	then = sure ? x->sure_until : x->from;
	if (lt_tasks_lost_between(h->tb, LT_LOST_BIRTHS, then, recorded_by(to)))
		return LT_HOLDER_LOST;
	return LT_HOLDER_KNOWN;
}

/* No task of the trace may have had the number; @before: the last one that had it before. */
static enum lt_holder_doubt nobody(const struct lt_holders *h, const struct lt_holder *before,
				   uint64_t from, uint64_t to)
{
	uint64_t then = before ? before->sure_until : 0, late = recorded_by(to);

	if (from < h->begin)
		return LT_HOLDER_BEFORE;
	if (to > h->end)
		return LT_HOLDER_AFTER;
	return lt_tasks_lost_between(h->tb, LT_LOST_BIRTHS, then, late) ||
	       lt_tasks_lost_between(h->tb, LT_LOST_STATES, then, late) ? LT_HOLDER_LOST :
									  LT_HOLDER_NONE;
}

/* Behind the last holder from @begin to @end that may have had the number by @to. */
static size_t behind_last(const struct lt_holders *h, size_t begin, size_t end, uint64_t to)
{
	while (begin < end) {
		size_t mid = begin + (end - begin) / 2;

		if (h->all[mid].from <= to)
			begin = mid + 1;
		else
			end = mid;
	}
	return begin;
}

/* As that. Lines come in the order of their times, so it is where it was, or the next one. */
static size_t behind_last_near(struct lt_holders *h, uint32_t tid, size_t begin, size_t end,
			       uint64_t to)
{
	size_t at = h->hint[tid];

	if (at < end && h->all[at].from <= to)
		at++;
	if ((at < end && h->all[at].from <= to) || (at > begin && h->all[at - 1].from > to))
		at = behind_last(h, begin, end, to);
	h->hint[tid] = (uint32_t)at;
	return at;
}

enum lt_holder_doubt lt_holders_find(struct lt_holders *h, uint32_t tid, uint64_t from, uint64_t to,
				     const struct lt_holder **found, size_t *n)
{
	size_t begin = at_number(h, tid), end = at_number(h, tid + 1), low, last;

	last = tid < h->n_direct ? behind_last_near(h, tid, begin, end, to) :
				   behind_last(h, begin, end, to);
	/* Of these the last ones that had it long enough. */
	low = last;
	while (low > begin && h->all[low - 1].until >= from)
		low--;
	*found = &h->all[low];
	*n = last - low;
	if (!*n)
		return nobody(h, low > begin ? &h->all[low - 1] : NULL, from, to);
	if (*n > 1)
		return LT_HOLDER_SEVERAL;
	return hidden(h, *found, low > begin ? *found - 1 : NULL, from, to);
}

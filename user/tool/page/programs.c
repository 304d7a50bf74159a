// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of the tree of processes. Processes of one name whose parents are one row are one row,
 * with their sum: what a script calls 400 times is one line. Nothing here is recursive: a tree may
 * be as deep as a trace is long.
 */
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "page/internal.h"
#include "tasks/tasks.h"

enum { BIRTHS, BYTES, ALIVE, ALIVE_BYTES, N_SUMS };

/* A row in the making. */
struct program {
	uint32_t number;	/* from 1 on, in the order of the first process */
	uint32_t up;		/* number of the row above; 0: none */
	uint32_t depth;
	uint32_t name;
	uint64_t count;
	uint64_t own[N_SUMS];
	uint64_t sum[N_SUMS];
	uint32_t first;		/* below it: the first one, by number */
	uint32_t next;		/* beside it */
	size_t members;		/* where its processes begin */
};

/* A process, and the row that it is part of. */
struct member {
	uint32_t program;
	uint32_t process;
	uint64_t bytes;
};

/**
 * struct merger - the tree in the making
 * @list: processes, @n of them
 * @programs: by number, [0] is above all; @n_programs with it
 * @members: all processes, those of one row together
 * @order: numbers of the rows, in the order of the tree
 */
struct merger {
	const struct lt_page_process *list;
	size_t n;
	struct program *programs;
	size_t n_programs;
	struct member *members;
	uint32_t *order;
};

static void add(uint64_t to[N_SUMS], const uint64_t more[N_SUMS])
{
	for (int i = 0; i < N_SUMS; i++)
		to[i] += more[i];
}

/* A parent stands before its children. */
static void merge(struct merger *m)
{
	struct lt_intern keys;

	lt_intern_init(&keys);
	for (size_t i = 0; i < m->n; i++) {
		const struct lt_page_process *p = &m->list[i];
		uint32_t up = p->up ? m->members[p->up - 1].program : 0;
		uint32_t number = lt_intern_number(&keys, (up + 1ULL) << 32 | p->name);
		struct program *row = &m->programs[number];

		if (!row->count++) {
			row->number = number;
			row->up = up;
			row->name = p->name;
			row->depth = up ? m->programs[up].depth + 1 : 0;
			m->n_programs++;
		}
		add(row->own, p->own);
		add(row->sum, p->sum);
		m->members[i] = (struct member){ number, (uint32_t)i, p->sum[BYTES] };
	}
	lt_intern_destroy(&keys);
}

static int by_bytes(const void *a, const void *b)
{
	const struct program *const *x = a, *const *y = b;

	if ((*x)->sum[BYTES] != (*y)->sum[BYTES])
		return (*x)->sum[BYTES] < (*y)->sum[BYTES] ? 1 : -1;
	return (*x)->number < (*y)->number ? -1 : (*x)->number > (*y)->number;
}

/* Links each row to those below it, the one with most bytes first, and walks over all. */
static void order(struct merger *m)
{
	struct program **sorted = lt_alloc_array(m->n_programs, sizeof(struct program *));
	size_t n = m->n_programs - 1, done = 0;
	uint32_t at;

	for (size_t i = 0; i < n; i++)
		sorted[i] = &m->programs[i + 1];
	qsort(sorted, n, sizeof(struct program *), by_bytes);
	for (size_t i = n; i--;) {
		sorted[i]->next = m->programs[sorted[i]->up].first;
		m->programs[sorted[i]->up].first = sorted[i]->number;
	}
	free(sorted);
	for (at = m->programs[0].first; at;) {
		m->order[done++] = at;
		if (m->programs[at].first) {
			at = m->programs[at].first;
			continue;
		}
		while (at && !m->programs[at].next)
			at = m->programs[at].up;
		at = m->programs[at].next;
	}
}

static int by_program(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return x->process < y->process ? -1 : x->process > y->process;
}

static void sort_members(struct merger *m)
{
	qsort(m->members, m->n, sizeof(*m->members), by_program);
	for (size_t i = m->n; i--;)
		m->programs[m->members[i].program].members = i;
}

static int greater(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? 1 : -(x > y);
}

/* The bytes that the trees of shown rows have at least; ties may make them a few more. */
static uint64_t least_bytes(const struct merger *m)
{
	uint64_t *bytes = lt_alloc_array(m->n_programs, sizeof(*bytes)), least = 0;

	for (size_t i = 1; i < m->n_programs; i++)
		bytes[i - 1] = m->programs[i].sum[BYTES];
	qsort(bytes, m->n_programs - 1, sizeof(*bytes), greater);
	if (m->n_programs - 1 > LT_PAGE_TASKS)
		least = bytes[LT_PAGE_TASKS - 1];
	free(bytes);
	return least;
}

static void fill(const struct merger *m, const struct program *p, struct lt_page_task *row,
		 const struct lt_tasks *tb)
{
	const struct member *members = &m->members[p->members];

	row->depth = p->depth;
	row->count = p->count;
	row->tid = m->list[members[0].process].tid;
	row->name = lt_tasks_name(tb, p->name, &row->len);
	memcpy(row->own, p->own, sizeof(row->own));
	memcpy(row->sum, p->sum, sizeof(row->sum));
	if (p->count == 1)
		return;
	row->n_members = p->count < LT_PAGE_MEMBERS ? p->count : LT_PAGE_MEMBERS;
	row->members = lt_alloc_array(row->n_members, sizeof(*row->members));
	for (size_t i = 0; i < row->n_members; i++) {
		const struct lt_page_process *process = &m->list[members[i].process];

		row->members[i].tid = process->tid;
		memcpy(row->members[i].own, process->own, sizeof(process->own));
		memcpy(row->members[i].sum, process->sum, sizeof(process->sum));
	}
}

/*
 * A tree has at least the bytes of each tree in it, and stands before it: so what is shown is a
 * tree, too.
 */
static void choose(const struct merger *m, struct lt_page_tasks *t)
{
	static const uint64_t nothing[N_SUMS];
	uint64_t least = least_bytes(m);

	t->rows = lt_alloc_array(LT_PAGE_TASKS, sizeof(*t->rows));
	for (size_t i = 0; i < m->n_programs - 1; i++) {
		const struct program *p = &m->programs[m->order[i]];

		if (!memcmp(p->sum, nothing, sizeof(nothing))) {
			t->idle += p->count;
			continue;
		}
		t->total++;
		if (t->n == LT_PAGE_TASKS || p->sum[BYTES] < least)
			add(t->rest, p->own);
		else
			fill(m, p, &t->rows[t->n++], t->tb);
	}
}

void lt_page_programs(struct lt_page_tasks *t, const struct lt_page_process *list, size_t n)
{
	struct merger m = {
		.list = list, .n = n, .n_programs = 1,
		.programs = lt_alloc_array(n + 1, sizeof(struct program)),
		.members = lt_alloc_array(n + 1, sizeof(struct member)),
		.order = lt_alloc_array(n + 1, sizeof(uint32_t)),
	};

	t->processes = n;
	merge(&m);
	order(&m);
	sort_members(&m);
	choose(&m, t);
	free(m.programs);
	free(m.members);
	free(m.order);
}

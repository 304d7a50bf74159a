// SPDX-License-Identifier: GPL-2.0
/*
 * Sums of system calls by process, as a tree: a process below its parent.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "out/log.h"
#include "print/syscalls.h"
#include "tasks/read.h"
#include "tasks/tree.h"

#define MAX_INDENT	40	/* levels; a chain of a million tasks must not fill a disk */

struct sums {
	uint64_t calls;
	uint64_t errors;
	uint64_t time;
};

/* The calls of a thread. */
struct thread {
	uint32_t tid;
	uint64_t start;
	struct sums sums;
};

struct lt_syscalls_tree {
	struct thread *threads;		/* number N is at N - 1 */
	size_t n;
	size_t cap;
	struct lt_map map;
	uint64_t seed;
};

/* A process: @own with its threads, @all with what is below it, too. */
struct node {
	struct sums own;
	struct sums all;
};

/* What the columns are made of. */
struct row {
	const struct lt_tasks *tb;
	const struct lt_task_inst *task;
	const struct node *node;
	uint32_t level;
};

struct lt_syscalls_tree *lt_syscalls_tree_new(void)
{
	struct lt_syscalls_tree *c = lt_alloc(sizeof(*c));

	lt_map_init(&c->map);
	c->seed = lt_hash_seed();
	return c;
}

void lt_syscalls_tree_free(struct lt_syscalls_tree *c)
{
	if (!c)
		return;
	lt_map_destroy(&c->map);
	free(c->threads);
	free(c);
}

static struct thread *thread_of(struct lt_syscalls_tree *c, uint32_t tid, uint64_t start)
{
	uint32_t hash = (uint32_t)lt_hash64(tid ^ start << 22, c->seed), number;

	lt_map_for_each(number, at, &c->map, hash) {
		struct thread *th = &c->threads[number - 1];

		if (th->tid == tid && th->start == start)
			return th;
	}
	c->threads = lt_grow(c->threads, &c->cap, c->n, sizeof(*c->threads));
	c->threads[c->n++] = (struct thread){ .tid = tid, .start = start };
	lt_map_add(&c->map, hash, (uint32_t)c->n);
	return &c->threads[c->n - 1];
}

void lt_syscalls_tree_add(struct lt_syscalls_tree *c, const struct lt_syscall *call)
{
	struct sums *sums;

	/* It is the call of the thread that made this one. */
	if (call->flags & LT_SYS_FIRST && call->abi != lt_abi_of_requests())
		return;
	sums = &thread_of(c, call->tid, call->start)->sums;
	sums->calls++;
	sums->errors += lt_syscall_error(call) != 0;
	if (call->how <= LT_SYSCALL_INTERRUPTED)
		sums->time += lt_syscall_duration(call);
}

static void add(struct sums *to, const struct sums *what)
{
	to->calls += what->calls;
	to->errors += what->errors;
	to->time += what->time;
}

/* ------------------------------------------------------------------------
 * Columns
 */

#define COLUMN(column)	static void get_##column(const void *r, void *ctx, struct lt_value *value)
#define ROW	const struct row *row = r; (void)ctx

COLUMN(process)
{
	static struct lt_str s;
	const char *comm;
	uint32_t level;
	size_t len;
	ROW;

	level = row->level < MAX_INDENT ? row->level : MAX_INDENT;
	free(s.s);
	s = (struct lt_str){ .n = 0 };
	comm = lt_tasks_name(row->tb, row->task->comm, &len);
	lt_str_add(&s, "%*s[%u] %.*s", (int)(2 * level), "", row->task->tid, (int)len, comm);
	lt_value_text(value, s.s, s.n);
}

COLUMN(depth)
{
	ROW;
	lt_value_u(value, LT_VALUE_COUNT, row->level);
}

COLUMN(tid)
{
	ROW;
	lt_value_u(value, LT_VALUE_COUNT, row->task->tid);
}

COLUMN(start)
{
	ROW;
	lt_value_u(value, LT_VALUE_TIME, row->task->start);
}

COLUMN(comm)
{
	const char *comm;
	size_t len;
	ROW;

	comm = lt_tasks_name(row->tb, row->task->comm, &len);
	lt_value_text(value, comm, len);
}

#define SUM(name, type, of, member)							\
COLUMN(name)										\
{											\
	ROW;										\
	lt_value_u(value, type, row->node->of.member);					\
}
SUM(calls, LT_VALUE_COUNT, own, calls)
SUM(errors, LT_VALUE_COUNT, own, errors)
SUM(time, LT_VALUE_NS, own, time)
SUM(tree_calls, LT_VALUE_COUNT, all, calls)
SUM(tree_errors, LT_VALUE_COUNT, all, errors)
SUM(tree_time, LT_VALUE_NS, all, time)

#define C(id, key, text)	{ .name = key, .header = text, .get = get_##id }
#define SUMS	C(calls, "calls", "calls"), C(errors, "errors", "errors"),	\
	C(time, "time_ns", "time"), C(tree_calls, "tree_calls", "with below"),	\
	C(tree_errors, "tree_errors", "errors"), C(tree_time, "tree_time_ns", "time")

static const struct lt_column for_people[] = {
	{ .name = "process", .header = "process", .left = true, .get = get_process }, SUMS
};

static const struct lt_column for_programs[] = {
	C(depth, "depth", "depth"), C(tid, "tid", "tid"), C(start, "start_ns", "start"),
	C(comm, "comm", "comm"), SUMS
};

#define MOST_COLUMNS	(sizeof(for_programs) / sizeof(for_programs[0]))

/* ------------------------------------------------------------------------
 * The tree
 */

/* Threads that the trace does not describe. Return: their calls. */
static uint64_t place(const struct lt_syscalls_tree *c, const struct lt_tasks *tb,
		      struct node *nodes)
{
	uint64_t unknown = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct thread *th = &c->threads[i];
		uint32_t inst = lt_tasks_find(tb, th->tid, th->start), leader;

		if (!inst) {
			unknown += th->sums.calls;
			continue;
		}
		leader = lt_tasks_get(tb, inst)->leader;
		add(&nodes[leader ? leader : inst].own, &th->sums);
	}
	return unknown;
}

static void sum_up(const struct lt_task_tree *tree, struct node *nodes)
{
	const uint32_t *order = lt_tasks_order(tree->tb);

	for (uint32_t i = lt_tasks_count(tree->tb); i--;) {
		uint32_t inst = order[i], up = tree->nodes[inst].up;

		add(&nodes[inst].all, &nodes[inst].own);
		if (up)
			add(&nodes[up].all, &nodes[inst].all);
	}
}

static void print_rows(const struct lt_task_tree *tree, const struct node *nodes,
		       struct lt_table *table)
{
	uint32_t at = tree->nodes[0].first;

	while (at) {
		const struct row row = {
			tree->tb, lt_tasks_get(tree->tb, at), &nodes[at], tree->nodes[at].depth,
		};

		/* Without calls below it nothing is worth a line. */
		if (nodes[at].all.calls)
			lt_table_row(table, &row);
		at = lt_task_tree_next(tree, 0, at, nodes[at].all.calls);
	}
}

static void print(const struct lt_syscalls_tree *c, const struct lt_tasks *tb, struct lt_out *out,
		  enum lt_format format)
{
	const bool people = format == LT_FORMAT_TEXT;
	const struct lt_column *columns = people ? for_people : for_programs;
	const struct lt_column *pointers[MOST_COLUMNS];
	size_t n = people ? sizeof(for_people) / sizeof(for_people[0]) : MOST_COLUMNS;
	struct node *nodes = lt_alloc((lt_tasks_count(tb) + 1U) * sizeof(*nodes));
	struct lt_table table = {
		.out = out, .format = format, .columns = pointers, .n_columns = n,
	};
	struct lt_task_tree tree;
	uint64_t unknown;
	char note[96];

	for (size_t i = 0; i < n; i++)
		pointers[i] = &columns[i];
	lt_task_tree_make(&tree, tb, LT_BY_PARENT);
	unknown = place(c, tb, nodes);
	sum_up(&tree, nodes);
	lt_table_begin(&table);
	print_rows(&tree, nodes, &table);
	if (unknown) {
		snprintf(note, sizeof(note), "%llu calls of tasks that the trace does not describe",
			 (unsigned long long)unknown);
		lt_table_note(&table, note);
	}
	lt_table_end(&table);
	lt_task_tree_free(&tree);
	free(nodes);
}

int lt_syscalls_tree_print(const struct lt_syscalls_tree *c, const char *path, struct lt_out *out,
			   enum lt_format format)
{
	struct lt_trace *t = lt_trace_open(path);
	struct lt_tasks *tb = t ? lt_tasks_for(t, false) : NULL;
	int err = -1;

	if (tb) {
		err = lt_tasks_read(t, tb);
		print(c, tb, out, format);
	}
	lt_tasks_free(tb);
	lt_trace_close(t);
	return err;
}

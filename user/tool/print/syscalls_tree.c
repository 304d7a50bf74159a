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
#include "forms/columns.h"
#include "forms/screen.h"
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
	struct lt_str *text;		/* of the first column */
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

static void get_text(const struct row *row, struct lt_value *v)
{
	uint32_t level = row->level < MAX_INDENT ? row->level : MAX_INDENT;
	struct lt_str *s = row->text;
	const char *comm;
	size_t len;

	s->n = 0;
	comm = lt_tasks_name(row->tb, row->task->comm, &len);
	lt_str_add(s, "%*s[%u] %.*s", (int)(2 * level), "", row->task->tid, (int)len, comm);
	lt_value_text(v, s->s, s->n);
}

static void get_name(const struct row *row, struct lt_value *v)
{
	size_t len;
	const char *comm = lt_tasks_name(row->tb, row->task->comm, &len);

	lt_value_text(v, comm, len);
}

#define OWN	row->node->own
#define ALL	row->node->all

#define TREE(C, G)	\
	G(process, "process", "process", TEXT, S, get_text(row, v), "number and name, indented by depth")	\
	C(depth, "depth", "depth", COUNT, A, true, row->level, "processes above it")	\
	C(tid, "tid", "tid", COUNT, A, true, row->task->tid, "number of the process")	\
	C(start, "start_ns", "start", TIME, A, true, row->task->start, "when it was born, since boot")	\
	G(comm, "comm", "comm", TEXT, A, get_name(row, v), "its name")	\
	C(calls, "calls", "calls", COUNT, A, true, OWN.calls, "its calls")	\
	C(errors, "errors", "errors", COUNT, A, true, OWN.errors, "those that failed")	\
	C(time, "time_ns", "time", NS, A, true, OWN.time, "how long they took")	\
	C(tree_calls, "tree_calls", "with below", COUNT, A, true, ALL.calls, "calls of it and all below it") \
	C(tree_errors, "tree_errors", "errors", COUNT, A, true, ALL.errors, "those of these that failed")	\
	C(tree_time, "tree_time_ns", "time", NS, A, true, ALL.time, "how long these took")

#define GETTER(id, name, head, TYPE, marks, known, value, meaning)	\
	LT_ROW_GETTER(id, struct row, row, void, ctx, TYPE, known, value)
#define FILLER(id, name, head, TYPE, marks, call, meaning)	\
	LT_ROW_FILLER(id, struct row, row, void, ctx, v, call)

TREE(GETTER, FILLER)
static const struct lt_column syscall_tree_columns[] = { TREE(LT_SCREEN_COLUMN, LT_SCREEN_FILLED) };
LT_SCREEN_KIND(syscall_tree, "syscall_tree",
	       "process,calls,errors,time_ns,tree_calls,tree_errors,tree_time_ns",
	       "a process and its system calls");

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
	struct lt_str text = { .n = 0 };

	while (at) {
		const struct row row = {
			tree->tb, lt_tasks_get(tree->tb, at), &nodes[at], tree->nodes[at].depth,
			&text,
		};

		/* Without calls below it nothing is worth a line. */
		if (nodes[at].all.calls)
			lt_table_row(table, &row);
		at = lt_task_tree_next(tree, 0, at, nodes[at].all.calls);
	}
	free(text.s);
}

static void print(const struct lt_syscalls_tree *c, const struct lt_tasks *tb, const char *columns,
		  struct lt_out *out, enum lt_format format)
{
	struct node *nodes = lt_alloc((lt_tasks_count(tb) + 1U) * sizeof(*nodes));
	struct lt_table table = { .out = out, .format = format };
	struct lt_task_tree tree;
	uint64_t unknown;
	char note[96];

	lt_table_columns(&table, &lt_rows_of_syscall_tree, 0, columns);
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

int lt_syscalls_tree_print(const struct lt_syscalls_tree *c, const char *path, const char *columns,
			   struct lt_out *out, enum lt_format format)
{
	struct lt_trace *t = lt_trace_open(path);
	struct lt_tasks *tb = t ? lt_tasks_for(t, false) : NULL;
	int err = -1;

	if (tb) {
		err = lt_tasks_read(t, tb);
		print(c, tb, columns, out, format);
	}
	lt_tasks_free(tb);
	lt_trace_close(t);
	return err;
}

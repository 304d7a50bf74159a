// SPDX-License-Identifier: GPL-2.0
/*
 * The tree of processes, with what each allocated; the processes whose trees allocated most.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "page/internal.h"
#include "tasks/read.h"
#include "tasks/tree.h"

enum { BIRTHS, BYTES, ALIVE, ALIVE_BYTES, N_SUMS };

/* What an instance allocated, and its tree. */
struct sums {
	uint64_t own[N_SUMS];
	uint64_t sum[N_SUMS];
};

/**
 * struct maker - the tree in the making
 * @order: instances in the order of the tree
 * @n: their number
 * @sums: by instance
 * @by_id: instances in the order of their identities
 */
struct maker {
	const struct lt_tasks *tb;
	struct lt_task_tree tree;
	uint32_t *order;
	size_t n;
	struct sums *sums;
	struct id {
		uint64_t start;
		uint32_t tid;
		uint32_t inst;
	} *by_id;
};

static void add(uint64_t to[N_SUMS], const uint64_t more[N_SUMS])
{
	for (int i = 0; i < N_SUMS; i++)
		to[i] += more[i];
}

static void add_row(uint64_t to[N_SUMS], const struct lt_report_row *row)
{
	to[BIRTHS] += row->births;
	to[BYTES] += row->bytes;
	to[ALIVE] += row->live;
	to[ALIVE_BYTES] += row->live_bytes;
}

static int compare_ids(const void *a, const void *b)
{
	const struct id *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static void list_instances(struct maker *m)
{
	uint32_t count = lt_tasks_count(m->tb);

	m->order = lt_alloc_array(count + 1ULL, sizeof(*m->order));
	m->sums = lt_alloc_array(count + 1ULL, sizeof(*m->sums));
	m->by_id = lt_alloc_array(count + 1ULL, sizeof(*m->by_id));
	for (uint32_t at = m->tree.nodes[0].first; at && m->n < count;
	     at = lt_task_tree_next(&m->tree, 0, at, true))
		m->order[m->n++] = at;
	for (uint32_t i = 0; i < count; i++) {
		const struct lt_task_inst *t = lt_tasks_get(m->tb, i + 1);

		m->by_id[i] = (struct id){ .start = t->start, .tid = t->tid, .inst = i + 1 };
	}
	qsort(m->by_id, count, sizeof(*m->by_id), compare_ids);
}

/* 0: the task is not in the tree. */
static uint32_t find(const struct maker *m, const struct lt_task *task)
{
	struct id key = { .start = task->start, .tid = task->tid };
	const struct id *found = bsearch(&key, m->by_id, lt_tasks_count(m->tb),
					 sizeof(*m->by_id), compare_ids);

	return found ? found->inst : 0;
}

static bool is_row(const struct maker *m, uint32_t inst)
{
	return !lt_task_is_thread(lt_tasks_get(m->tb, inst)) || !m->tree.nodes[inst].up;
}

static void add_up(struct maker *m, struct lt_page_tasks *t, const struct lt_report *r)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		const struct lt_report_row *row = &r->rows[i];
		uint32_t inst = row->task ? find(m, row->task) : 0;

		add_row(inst ? m->sums[inst].own : t->none, row);
	}
	/* What stands below comes later in the order of the tree. */
	for (size_t i = m->n; i--;) {
		uint32_t inst = m->order[i], up = m->tree.nodes[inst].up;

		add(m->sums[inst].sum, m->sums[inst].own);
		if (up)
			add(m->sums[up].sum, m->sums[inst].sum);
	}
	for (size_t i = 0; i < m->n; i++) {
		if (!is_row(m, m->order[i]))
			add(m->sums[m->tree.nodes[m->order[i]].up].own, m->sums[m->order[i]].own);
	}
}

/* The processes in the order of the tree, each with the number of the one above it. */
static struct lt_page_process *list_processes(const struct maker *m, size_t *n)
{
	struct lt_page_process *list = lt_alloc_array(m->n + 1, sizeof(*list));
	uint32_t *number = lt_alloc_array(lt_tasks_count(m->tb) + 1ULL, sizeof(*number));

	*n = 0;
	for (size_t i = 0; i < m->n; i++) {
		uint32_t inst = m->order[i], up = m->tree.nodes[inst].up;
		const struct lt_task_inst *task = lt_tasks_get(m->tb, inst);
		struct lt_page_process *p = &list[*n];

		/* A thread stands for its process. */
		if (!is_row(m, inst)) {
			number[inst] = number[up];
			continue;
		}
		*p = (struct lt_page_process){
			.up = number[up], .tid = task->tid, .name = task->comm,
		};
		memcpy(p->own, m->sums[inst].own, sizeof(p->own));
		memcpy(p->sum, m->sums[inst].sum, sizeof(p->sum));
		number[inst] = (uint32_t)++*n;
	}
	free(number);
	return list;
}

int lt_page_tasks_read(struct lt_page_tasks *t, const char *file, const struct lt_report *r)
{
	struct maker m = { .n = 0 };
	struct lt_page_process *list;
	size_t n;
	int err;

	*t = (struct lt_page_tasks){ .trace = lt_trace_open(file) };
	if (!t->trace)
		return -1;
	if (!lt_trace_has_channel(t->trace, LT_CHANNEL_PID))
		return 0;
	t->tb = lt_tasks_for(t->trace, false);
	if (!t->tb)
		return -1;
	m.tb = t->tb;
	err = lt_tasks_read(t->trace, t->tb);
	lt_task_tree_make(&m.tree, t->tb, LT_BY_PARENT);
	list_instances(&m);
	add_up(&m, t, r);
	list = list_processes(&m, &n);
	lt_page_programs(t, list, n);
	free(list);
	free(m.order);
	free(m.sums);
	free(m.by_id);
	lt_task_tree_free(&m.tree);
	return err;
}

void lt_page_tasks_free(struct lt_page_tasks *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->rows[i].members);
	free(t->rows);
	if (t->tb)
		lt_tasks_free(t->tb);
	lt_trace_close(t->trace);
}

static void put_sums(struct lt_json *j, const char *name, const uint64_t sums[N_SUMS])
{
	lt_json_array(j, name);
	for (int i = 0; i < N_SUMS; i++)
		lt_json_u64(j, NULL, sums[i]);
	lt_json_end(j);
}

static void put_row(struct lt_json *j, const struct lt_page_task *row)
{
	lt_json_break(j);
	lt_json_array(j, NULL);
	lt_json_u64(j, NULL, row->depth);
	lt_json_u64(j, NULL, row->tid);
	lt_json_text(j, NULL, row->name, row->len);
	put_sums(j, NULL, row->own);
	put_sums(j, NULL, row->sum);
	lt_json_u64(j, NULL, row->count);
	lt_json_array(j, NULL);
	for (size_t i = 0; i < row->n_members; i++) {
		lt_json_array(j, NULL);
		lt_json_u64(j, NULL, row->members[i].tid);
		put_sums(j, NULL, row->members[i].own);
		put_sums(j, NULL, row->members[i].sum);
		lt_json_end(j);
	}
	lt_json_end(j);
	lt_json_end(j);
}

void lt_page_tasks_json(struct lt_json *j, const char *name, const struct lt_page_tasks *t)
{
	static const char *const sums[N_SUMS] = {
		[BIRTHS] = "allocations", [BYTES] = "bytes", [ALIVE] = "alive",
		[ALIVE_BYTES] = "alive_bytes",
	};

	lt_json_object(j, name);
	lt_json_array(j, "sums");
	for (int i = 0; i < N_SUMS; i++)
		lt_json_word(j, NULL, sums[i]);
	lt_json_end(j);
	lt_json_u64(j, "total_rows", t->total);
	lt_json_u64(j, "processes", t->processes);
	lt_json_u64(j, "idle", t->idle);
	put_sums(j, "rest", t->rest);
	put_sums(j, "none", t->none);
	lt_json_array(j, "rows");
	for (size_t i = 0; i < t->n; i++)
		put_row(j, &t->rows[i]);
	lt_json_end(j);
	lt_json_end(j);
}

static void put_cells(struct lt_out *o, const uint64_t sums[N_SUMS])
{
	for (int i = 0; i < N_SUMS; i++) {
		bool bytes = i == BYTES || i == ALIVE_BYTES;
		struct lt_value v = {
			.type = bytes ? LT_VALUE_BYTES : LT_VALUE_COUNT, .u = sums[i],
		};

		lt_out_str(o, "<td>");
		lt_html_value(o, &v);
		lt_out_str(o, "</td>");
	}
	lt_out_str(o, "</tr>\n");
}

static void put_other(struct lt_out *o, const char *what, const uint64_t sums[N_SUMS])
{
	static const uint64_t nothing[N_SUMS];

	if (!memcmp(sums, nothing, sizeof(nothing)))
		return;
	lt_out_str(o, "<tr><td class=\"name\">");
	lt_out_str(o, what);
	lt_out_str(o, "</td>");
	put_cells(o, sums);
}

/* Deeper levels are not indented any further: a chain may be as long as a trace. */
static void put_name(struct lt_out *o, const struct lt_page_task *row)
{
	bool many = row->count > 1;
	struct lt_value n = { .type = LT_VALUE_COUNT, .u = many ? row->count : row->tid };

	lt_out_str(o, "<tr><td class=\"name\">");
	for (uint32_t i = 0; i < row->depth && i < 12; i++)
		lt_out_str(o, "\xc2\xb7 ");
	lt_html_text(o, row->name, row->len);
	lt_out_str(o, many ? " \xc3\x97 " : " [");
	lt_value_print(o, many ? LT_FORMAT_TEXT : LT_FORMAT_JSON, &n);
	lt_out_str(o, many ? "</td>" : "]</td>");
}

static void put_count(struct lt_out *o, const char *before, uint64_t n)
{
	struct lt_value v = { .type = LT_VALUE_COUNT, .u = n };

	lt_out_str(o, before);
	lt_html_value(o, &v);
}

static void put_intro(struct lt_out *o, const struct lt_page_tasks *t)
{
	lt_out_str(o, "<p>Each process with its threads and all processes below it. Processes with the same "
		   "name below the same row share one row, with their number.");
	if (t->n < t->total) {
		put_count(o, " These are the ", t->n);
		put_count(o, " of ", t->total);
		lt_out_str(o, " rows whose trees allocated most bytes.");
	}
	if (t->idle) {
		put_count(o, " ", t->idle);
		put_count(o, " of ", t->processes);
		lt_out_str(o, " processes allocated nothing and are left out.");
	}
	lt_out_str(o, "</p>\n");
}

void lt_page_tasks_html(struct lt_out *o, const struct lt_page_tasks *t)
{
	if (!t->processes) {
		lt_out_str(o, "<p>The trace was recorded without tasks.</p>\n");
		return;
	}
	put_intro(o, t);
	lt_out_str(o, "<div class=\"scroll\"><table>"
		   "<caption>Process tree</caption><thead><tr><th scope=\"col\">process</th>"
		   "<th scope=\"col\">allocations</th><th scope=\"col\">bytes</th>"
		   "<th scope=\"col\">alive</th><th scope=\"col\">alive bytes</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < t->n; i++) {
		put_name(o, &t->rows[i]);
		put_cells(o, t->rows[i].sum);
	}
	put_other(o, "(of these, the processes without a row)", t->rest);
	put_other(o, "(interrupts, and tasks that are not in the tree)", t->none);
	lt_out_str(o, "</tbody></table></div>\n");
}

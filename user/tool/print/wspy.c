// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks as the text that wspy --tree writes: a line for each event, "SECONDS TASK EVENT …", in
 * the order of their times.
 *
 * Who reads it knows a task by its number alone, and takes one process for the root. So a number
 * that is used again becomes one that no task has, and where there are several trees a task that
 * was never there is above them. A name ends at a line's end, and in the text of /proc/PID/stat at
 * a blank.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "print/wspy.h"
#include "tasks/words.h"

#define MORE_THAN_ANY	(1U << 22)	/* PID_MAX_LIMIT of the kernel */
#define TICK_NS		10000000U	/* of times in /proc/PID/stat */
#define PAGE		4096U

enum event { BORN, ENDED, ALIVE };

struct line {
	uint64_t time;
	enum event event;
	uint32_t n;		/* of the task that was added */
};

struct lt_wspy {
	const struct lt_task_tree *tree;
	const struct lt_trace *trace;
	uint32_t *insts;
	size_t n;
	size_t cap;
	uint32_t *numbers;	/* by instance; 0: it was not added */
	uint32_t root;		/* the number above all trees; 0: there is one tree */
};

struct lt_wspy *lt_wspy_new(const struct lt_task_tree *tree, const struct lt_trace *t)
{
	struct lt_wspy *w = lt_alloc(sizeof(*w));

	w->tree = tree;
	w->trace = t;
	return w;
}

void lt_wspy_free(struct lt_wspy *w)
{
	free(w->insts);
	free(w->numbers);
	free(w);
}

void lt_wspy_add(void *arg, uint32_t inst)
{
	struct lt_wspy *w = arg;

	w->insts = lt_grow(w->insts, &w->cap, w->n, sizeof(*w->insts));
	w->insts[w->n++] = inst;
}

/* ------------------------------------------------------------------------
 * Numbers
 */

static const struct lt_task_inst *task(const struct lt_wspy *w, uint32_t inst)
{
	return lt_tasks_get(w->tree->tb, inst);
}

/* In the order of births the first task with a number keeps it. */
static void give_numbers(struct lt_wspy *w)
{
	uint32_t n = lt_tasks_count(w->tree->tb), next = MORE_THAN_ANY;
	const uint32_t *order = lt_tasks_order(w->tree->tb);
	bool *added = lt_alloc_array((size_t)n + 1, sizeof(*added));
	bool *used = lt_alloc_array(MORE_THAN_ANY + 1, sizeof(*used));

	w->numbers = lt_alloc_array((size_t)n + 1, sizeof(*w->numbers));
	for (size_t i = 0; i < w->n; i++)
		added[w->insts[i]] = true;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t tid = task(w, order[i])->tid;

		if (!added[order[i]])
			continue;
		/* Who reads it takes 0 for none. */
		if (!tid || tid > MORE_THAN_ANY || used[tid])
			tid = ++next;
		else
			used[tid] = true;
		w->numbers[order[i]] = tid;
	}
	w->root = ++next;
	free(added);
	free(used);
}

/* The number above; 0: there is none that was added. */
static uint32_t above(const struct lt_wspy *w, uint32_t inst)
{
	uint32_t up = w->tree->nodes[inst].up;

	return up && w->numbers[up] ? w->numbers[up] : 0;
}

/* ------------------------------------------------------------------------
 * Lines
 */

static int by_time(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	/* What is above is added first. */
	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return x->n < y->n ? -1 : x->n > y->n;
}

/* A task is there from when what is above is, and at the trace's begin, at the earliest. */
static struct line *make_lines(const struct lt_wspy *w, size_t *n)
{
	struct line *lines = lt_alloc_array(2 * w->n + 1, sizeof(*lines));
	uint64_t begin = lt_trace_begin(w->trace);

	*n = 0;
	for (size_t i = 0; i < w->n; i++) {
		const struct lt_task_inst *t = task(w, w->insts[i]);
		uint64_t birth = t->marks & LT_TASK_MARK_BORN &&
			t->birth > begin ? t->birth : begin;
		bool ended = t->death_is != LT_OPEN;

		lines[(*n)++] = (struct line){ birth, BORN, (uint32_t)i };
		lines[(*n)++] = (struct line){ t->end > birth ? t->end : birth,
					       ended ? ENDED : ALIVE, (uint32_t)i };
	}
	qsort(lines, *n, sizeof(*lines), by_time);
	return lines;
}

/* @blank: what stands for a blank. Return: whether there is a name. */
static bool put_name(const struct lt_wspy *w, struct lt_out *out, uint32_t name, char blank)
{
	size_t len;
	const char *s = lt_tasks_name(w->tree->tb, name, &len);

	for (size_t i = 0; i < len; i++)
		lt_outf(out, "%c", (unsigned char)s[i] < ' ' || s[i] == 127 ? '?' :
			s[i] == ' ' ? blank : s[i]);
	return len;
}

static void begin_line(const struct lt_wspy *w, struct lt_out *out, uint64_t time, uint32_t number)
{
	uint64_t ns = time - lt_trace_begin(w->trace);

	lt_outf(out, "%" PRIu64 ".%06" PRIu64 " %" PRIu32 " ", ns / 1000000000,
		ns % 1000000000 / 1000, number);
}

static void put_birth(const struct lt_wspy *w, struct lt_out *out, const struct line *l)
{
	uint32_t inst = w->insts[l->n], up = above(w, inst);

	if (!up && !w->root) {
		begin_line(w, out, l->time, w->numbers[inst]);
		lt_out_str(out, "root\n");
		return;
	}
	begin_line(w, out, l->time, up ? up : w->root);
	lt_outf(out, "fork %" PRIu32 "\n", w->numbers[inst]);
}

/* As /proc/PID/stat has it, in the order of proc(5); 0: not known. */
static void put_stat(const struct lt_wspy *w, struct lt_out *out, uint32_t inst)
{
	const struct lt_task_inst *t = task(w, inst);
	bool used = lt_task_has_usage(t);

	lt_outf(out, "%" PRIu32 " (", w->numbers[inst]);
	put_name(w, out, t->comm, '_');
	/* To field 9, flags; then minor and major faults, each with those of children. */
	lt_outf(out, ") X %" PRIu32 " 0 0 0 -1 0 %" PRIu32 " 0 %" PRIu32 " 0 ", above(w, inst),
		used ? t->min_flt : 0, used ? t->maj_flt : 0);
	/*
	 * utime, stime, those of children, priority, nice, threads, itrealvalue, start, vsize, rss
	 */
	lt_outf(out, "%" PRIu64 " %" PRIu64 " 0 0 20 0 1 0 %" PRIu64 " 0 %" PRIu64,
		used ? t->utime / TICK_NS : 0, used ? t->stime / TICK_NS : 0, t->start / TICK_NS,
		used ? t->maxrss / PAGE : 0);
	/* Fields 25 to 51, and the exit code. */
	for (unsigned int i = 25; i <= 51; i++)
		lt_out_str(out, " 0");
	lt_outf(out, " %u\n", lt_task_has_code(t) ? t->code : 0U);
}

static void put_end(const struct lt_wspy *w, struct lt_out *out, const struct line *l)
{
	uint32_t inst = w->insts[l->n], number = w->numbers[inst];
	const struct lt_task_inst *t = task(w, inst);

	begin_line(w, out, l->time, number);
	lt_out_str(out, "comm ");
	if (!put_name(w, out, t->comm, ' '))
		lt_out_str(out, "?");
	lt_out_str(out, "\n");
	if (t->file) {
		begin_line(w, out, l->time, number);
		lt_out_str(out, "cmdline ");
		put_name(w, out, t->file, ' ');
		lt_out_str(out, "\n");
	}
	if (l->event == ALIVE)
		return;
	begin_line(w, out, l->time, number);
	lt_out_str(out, "exit ");
	put_stat(w, out, inst);
	begin_line(w, out, l->time, number);
	lt_out_str(out, "exited\n");
}

void lt_wspy_print(struct lt_wspy *w, struct lt_out *out)
{
	size_t n, trees = 0;
	struct line *lines = make_lines(w, &n);

	give_numbers(w);
	for (size_t i = 0; i < w->n; i++)
		trees += !above(w, w->insts[i]);
	if (trees == 1)
		w->root = 0;
	if (w->root) {
		begin_line(w, out, lt_trace_begin(w->trace), w->root);
		lt_out_str(out, "root\n");
	}
	for (size_t i = 0; i < n; i++) {
		if (lines[i].event == BORN)
			put_birth(w, out, &lines[i]);
		else
			put_end(w, out, &lines[i]);
	}
	free(lines);
}

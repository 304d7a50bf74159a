// SPDX-License-Identifier: GPL-2.0
/*
 * The forest of tasks, printed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "out/units.h"
#include "print/tasks.h"
#include "print/tree.h"
#include "print/tree_rows.h"

#define MAX_INDENT	40	/* levels; a chain of a million tasks must not fill a disk */

/* ------------------------------------------------------------------------
 * Text for people
 */

/* What a line consists of, in its order. */
enum part { PART_NAME, PART_PROGRAM, PART_START, PART_END, PART_ELAPSED, PART_CPU, PART_STATUS,
	    PART_SUMS, PART_REMARKS, N_PARTS };

static const char *const part_names[N_PARTS] = {
	"name", "program", "start", "end", "elapsed", "cpu", "status", "sums", "remarks",
};

/* What a line that is too long lacks first. */
static const enum part order[] = {
	PART_PROGRAM, PART_START, PART_END, PART_REMARKS, PART_ELAPSED, PART_CPU,
};

/* A line in the making; @left_out: bit n: some lines lack the part n. */
struct lt_tree_line {
	struct lt_out text;
	size_t ends[N_PARTS];
	unsigned int left_out;
};

/* A chain of many levels leaves room for the names. */
static void put_indent(struct lt_out *o, uint32_t level, unsigned int width)
{
	uint32_t most = width && width / 4 < MAX_INDENT ? width / 4 : MAX_INDENT;

	for (uint32_t i = 0; i < level && i < most; i++)
		lt_out_str(o, "  ");
	if (level > most)
		lt_outf(o, "+%u ", level - most);
}

static void put_name(const struct lt_tree_view *p, const struct lt_task_inst *t, struct lt_out *o)
{
	bool thread = lt_task_is_thread(t);
	size_t len;
	const char *s = lt_tasks_name(p->tree->tb, t->comm, &len);

	lt_outf(o, "%c%u%c ", thread ? '(' : '[', t->tid, thread ? ')' : ']');
	lt_task_out_name(o, s, len);
}

static void put_program(const struct lt_tree_view *p, const struct lt_task_inst *t,
			struct lt_out *o)
{
	size_t len;
	const char *s = lt_tasks_name(p->tree->tb, t->file, &len);

	if (!t->file)
		return;
	lt_out_char(o, ' ');
	lt_task_out_name(o, s, len);
}

static void put_part(const struct lt_tree_view *p, uint32_t inst, enum part part, struct lt_out *o)
{
	const struct lt_tasks *tb = p->tree->tb;
	const struct lt_task_inst *t = lt_tasks_get(tb, inst), *last = lt_tasks_last(tb, t);
	const struct lt_task_node *n = &p->tree->nodes[inst];
	char a[32], buf[256];

	switch (part) {
	case PART_NAME:
		put_name(p, t, o);
		return;
	case PART_PROGRAM:
		put_program(p, t, o);
		return;
	case PART_START:
		lt_outf(o, " start=%s",
			lt_times_text(&p->times, (uint64_t)lt_task_begin_time(tb, t), 6, buf));
		return;
	case PART_END:
		if (lt_task_ended(last))
			lt_outf(o, "%s%s", last->death_is == LT_BOUNDED ? " end<=" : " end=",
				lt_times_text(&p->times, last->end, 6, buf));
		return;
	case PART_ELAPSED:
		lt_outf(o, " elapsed=%s", lt_task_time((int64_t)(lt_task_lifetime(tb, t) +
					 (last->end - t->end)), buf, sizeof(buf)));
		return;
	case PART_CPU:
		if (lt_task_has_usage(t))
			lt_outf(o, " cpu=%s",
				lt_task_time((int64_t)lt_tree_cpu(p, inst), buf, sizeof(buf)));
		return;
	case PART_STATUS:
		if (*lt_task_process_status(tb, t, buf, sizeof(buf)))
			lt_outf(o, " %s", buf);
		else if (!lt_task_ended(t))
			lt_out_str(o, " alive");
		return;
	case PART_SUMS:
		if (n->processes + n->threads > 1)
			lt_outf(o, " {%u processes, %u threads, %s, cpu %s}", n->processes,
				n->threads, lt_human_ns(lt_tree_span(n), a, sizeof(a)),
				lt_task_time((int64_t)n->cpu, buf, sizeof(buf)));
		return;
	default:
		if (*lt_task_remarks(t, buf, sizeof(buf)))
			lt_outf(o, " -- %s", buf);
	}
}

/* Bytes and characters of a part. */
static size_t part_size(const struct lt_tree_line *l, unsigned int part, size_t *begin)
{
	*begin = part ? l->ends[part - 1] : 0;
	return l->ends[part] - *begin;
}

static size_t part_width(const struct lt_tree_line *l, unsigned int part)
{
	size_t begin, size = part_size(l, part, &begin), n = 0;

	for (size_t i = begin; i < begin + size; i++)
		n += ((unsigned char)l->text.buf[i] & 0xc0) != 0x80;
	return n;
}

/* Return: the parts that the line has room for. */
static unsigned int fit(struct lt_tree_line *l, unsigned int width)
{
	unsigned int shown = (1U << N_PARTS) - 1;
	size_t used = 0;

	for (unsigned int i = 0; i < N_PARTS; i++)
		used += part_width(l, i);
	for (size_t i = 0; width && used > width && i < sizeof(order) / sizeof(order[0]); i++) {
		size_t n = part_width(l, order[i]);

		used -= n;
		shown &= ~(1U << order[i]);
		l->left_out |= n ? 1U << order[i] : 0;
	}
	return shown;
}

static void print_node(const struct lt_tree_view *p, uint32_t inst, uint32_t level)
{
	struct lt_tree_line *l = p->line;
	unsigned int shown;
	size_t begin;

	l->text.used = 0;
	put_indent(&l->text, level, p->out->width);
	for (unsigned int i = 0; i < N_PARTS; i++) {
		put_part(p, inst, (enum part)i, &l->text);
		l->ends[i] = l->text.used;
	}
	shown = fit(l, p->out->width);
	for (unsigned int i = 0; i < N_PARTS; i++) {
		size_t n = part_size(l, i, &begin);

		if (shown & 1U << i)
			lt_out_long(p->out, l->text.buf + begin, n);
	}
	lt_out_char(p->out, '\n');
}

static void print_left_out(const struct lt_tree_view *p)
{
	const char *before = "\nno room in some lines for: ";

	for (unsigned int i = 0; i < N_PARTS; i++) {
		if (!(p->line->left_out & 1U << i))
			continue;
		lt_out_str(p->out, before);
		lt_out_str(p->out, part_names[i]);
		before = ", ";
	}
	if (p->line->left_out)
		lt_out_char(p->out, '\n');
}

static void print_totals(const struct lt_tree_view *p)
{
	const struct lt_task_totals *s = lt_tasks_totals(p->tree->tb);

	lt_outf(p->out, "\n%" PRIu64 " instances: %" PRIu64 " processes, %" PRIu64 " threads; ",
		s->instances, s->processes, s->threads);
	lt_outf(p->out, "%" PRIu64 " roots, %" PRIu64 " placeholders, %" PRIu64 " orphans, %" PRIu64
		" links refused\n", p->tree->roots, s->placeholders, s->orphans, s->refused);
	lt_outf(p->out, "%" PRIu64 " births and %" PRIu64 " deaths seen, %" PRIu64
		" threads became leaders, %" PRIu64 " alive at the end; ", s->births, s->deaths,
		s->became_leaders, s->alive);
	lt_outf(p->out, "ends: %" PRIu64 " exact, %" PRIu64 " open, %" PRIu64 " bounded, %" PRIu64
		" uncertain\n", s->death_is[LT_EXACT], s->death_is[LT_OPEN],
		s->death_is[LT_BOUNDED], s->death_is[LT_UNCERTAIN]);
	lt_outf(p->out, "%" PRIu64 " numbers used again, %" PRIu64 " generations began (%" PRIu64
		" wraps); ", s->again, s->wraps, s->cursor_wraps);
	lt_outf(p->out, "acyclic by construction: %" PRIu64 " edges against the order of starts, "
		"%u levels\n", p->tree->cycles, s->instances ? p->tree->deepest + 1 : 0);
}

/* ------------------------------------------------------------------------
 * JSON
 */

static void json_totals(const struct lt_tree_view *p)
{
	const struct lt_task_totals *s = lt_tasks_totals(p->tree->tb);
	struct lt_json j = LT_JSON_INIT(p->out);

	lt_json_object(&j, NULL);
	lt_json_object(&j, "totals");
	lt_json_u64(&j, "instances", s->instances);
	lt_json_u64(&j, "processes", s->processes);
	lt_json_u64(&j, "threads", s->threads);
	lt_json_u64(&j, "roots", p->tree->roots);
	lt_json_u64(&j, "placeholders", s->placeholders);
	lt_json_u64(&j, "orphans", s->orphans);
	lt_json_u64(&j, "refused", s->refused);
	lt_json_u64(&j, "births", s->births);
	lt_json_u64(&j, "deaths", s->deaths);
	lt_json_u64(&j, "became_leaders", s->became_leaders);
	lt_json_u64(&j, "alive", s->alive);
	lt_json_u64(&j, "reused", s->again);
	lt_json_u64(&j, "generations", s->wraps);
	lt_json_u64(&j, "wraps", s->cursor_wraps);
	lt_json_u64(&j, "cycles", p->tree->cycles);
	lt_json_u64(&j, "levels", s->instances ? p->tree->deepest + 1ULL : 0);
	lt_json_line(&j);
}

/* ------------------------------------------------------------------------
 * Walking
 */

/*
 * The tasks that are picked and what is above them, by instance; NULL: all tasks. A walk upwards
 * ends at the first one that has been there.
 */
static bool *keep_picked(const struct lt_tree_view *p)
{
	const struct lt_task_tree *tree = p->tree;
	uint32_t n = lt_tasks_count(tree->tb);
	bool *kept;

	if (lt_task_pick_is_empty(&p->pick))
		return NULL;
	kept = lt_alloc_array(n + 1, sizeof(*kept));
	for (uint32_t i = 1; i <= n; i++) {
		if (!lt_task_is_picked(tree->tb, lt_tasks_get(tree->tb, i), &p->pick))
			continue;
		for (uint32_t at = i; at && !kept[at]; at = tree->nodes[at].up)
			kept[at] = true;
	}
	return kept;
}

/* Prints the tree below @top; 0: all trees. @kept: the tasks of it to print; NULL: all. */
static void print_tree(const struct lt_tree_view *p, uint32_t top, const bool *kept)
{
	const struct lt_task_tree *tree = p->tree;
	uint32_t base = top ? tree->nodes[top].depth : 0;
	uint32_t at = top ? top : tree->nodes[0].first;

	if (p->table)
		((struct lt_tree_ctx *)p->table->ctx)->base = base;
	while (at) {
		const struct lt_task_inst *t = lt_tasks_get(tree->tb, at);
		uint32_t level = tree->nodes[at].depth - base;
		bool wanted = !kept || kept[at];
		bool shown = p->threads || at == top || !lt_task_is_thread(t) ||
			     !tree->nodes[at].up;

		if (wanted && shown && p->node)
			p->node(p->node_arg, at);
		else if (wanted && shown && p->table)
			lt_table_row(p->table, &tree->nodes[at]);
		else if (wanted && shown)
			print_node(p, at, level);
		at = lt_task_tree_next(tree, top, at, wanted && level < p->depth);
	}
}

static bool is_wanted(const struct lt_tree_view *p, const struct lt_task_inst *t)
{
	if (lt_task_is_thread(t) && !p->threads && p->root[strspn(p->root, "0123456789")])
		return false;
	return lt_task_is_called(p->tree->tb, t, p->root);
}

/* Prints the trees of the tasks that match p->root; a match below another is in its tree. */
static uint64_t print_wanted(const struct lt_tree_view *p, const bool *kept)
{
	const struct lt_task_tree *tree = p->tree;
	uint32_t at = tree->nodes[0].first;
	uint64_t n = 0;

	while (at) {
		bool wanted = is_wanted(p, lt_tasks_get(tree->tb, at));

		if (wanted)
			print_tree(p, at, kept);
		n += wanted;
		at = lt_task_tree_next(tree, 0, at, !wanted);
	}
	return n;
}

static uint64_t print_all(const struct lt_tree_view *p)
{
	uint64_t n = p->tree->roots;
	bool *kept = keep_picked(p);

	if (p->root)
		n = print_wanted(p, kept);
	else
		print_tree(p, 0, kept);
	free(kept);
	return n;
}

static uint64_t print_table(struct lt_tree_view *p)
{
	struct lt_tree_ctx ctx = { .p = p };
	struct lt_table table = {
		.out = p->out, .format = p->format, .ctx = &ctx, .streaming = true,
		.leave_out = true,
	};
	uint64_t n;

	lt_table_columns(&table, &lt_rows_of_tree, 0, p->columns);
	lt_table_begin(&table);
	p->table = &table;
	n = print_all(p);
	p->table = NULL;
	lt_table_end(&table);
	if (p->format == LT_FORMAT_JSON)
		json_totals(p);
	return n;
}

static uint64_t print_lines(struct lt_tree_view *p)
{
	struct lt_tree_line line = { .text = LT_OUT_INIT(-1) };
	uint64_t n;

	p->line = &line;
	lt_tasks_summary(p->out, p->tree->tb);
	lt_out_char(p->out, '\n');
	/* A node is a line, also where its sums are too long. */
	lt_out_flush(p->out);
	p->out->cut = true;
	n = print_all(p);
	lt_out_flush(p->out);
	p->out->cut = false;
	print_left_out(p);
	print_totals(p);
	free(line.text.buf);
	p->line = NULL;
	return n;
}

uint64_t lt_tree_print(struct lt_tree_view *p)
{
	if (p->node)
		return print_all(p);
	return p->format == LT_FORMAT_TEXT && !p->columns ? print_lines(p) : print_table(p);
}

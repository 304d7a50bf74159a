// SPDX-License-Identifier: GPL-2.0
/*
 * Sums of function calls, by function; and what the module counted of each.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hist.h"
#include "base/mem.h"
#include "forms/columns.h"
#include "forms/screen.h"
#include "forms/sort.h"
#include "print/calls.h"

/* Calls of one number. @fn: NULL: the trace does not describe it */
struct sum {
	uint16_t number;
	const struct lt_function *fn;
	uint64_t calls;
	uint64_t errors;
	uint64_t open;
	uint64_t total;
	uint64_t self;
	bool has_memory;
	struct lt_call_allocated allocated;
	struct lt_hist times;
};

struct lt_calls_sums {
	const struct lt_functions *functions;
	struct sum *sums[UINT16_MAX + 1];
	char name[LT_CALL_LABEL];		/* of the latest row */
};

struct lt_calls_sums *lt_calls_sums_new(const struct lt_functions *f)
{
	struct lt_calls_sums *s = lt_alloc(sizeof(*s));

	s->functions = f;
	return s;
}

void lt_calls_sums_free(struct lt_calls_sums *s)
{
	if (!s)
		return;
	for (size_t i = 0; i <= UINT16_MAX; i++) {
		if (s->sums[i])
			lt_hist_destroy(&s->sums[i]->times);
		free(s->sums[i]);
	}
	free(s);
}

static struct sum *sum_of(struct lt_calls_sums *s, uint16_t number)
{
	struct sum *sum = s->sums[number];

	if (sum)
		return sum;
	sum = s->sums[number] = lt_alloc(sizeof(*sum));
	sum->number = number;
	sum->fn = lt_function_get(s->functions, number);
	lt_hist_init(&sum->times);
	return sum;
}

void lt_calls_sums_add(struct lt_calls_sums *s, const struct lt_call *call, uint64_t self)
{
	struct sum *sum = sum_of(s, call->number);

	sum->calls++;
	sum->errors += lt_call_error(call) != 0;
	sum->open += call->why != 0;
	sum->has_memory |= call->has_memory;
	sum->allocated.objects += call->allocated.objects;
	sum->allocated.bytes += call->allocated.bytes;
	if (!call->has_begin || call->why)
		return;
	sum->total += lt_call_duration(call);
	sum->self += self;
	lt_hist_add(&sum->times, lt_call_duration(call));
}

static const char *name_of(struct lt_calls_sums *s, const struct sum *sum)
{
	return lt_call_label(&(struct lt_call){ .number = sum->number, .function = sum->fn },
			     s->name);
}

#define COUNTS		sum->fn && sum->fn->counts.known
#define PERCENTILE(percent)	lt_hist_percentile(&sum->times, percent)

#define SUM(C)	\
	C(name, "function", "function", NAME, A, true, name_of(s, sum), "the function")	\
	C(module, "module", "module", NAME, A, sum->fn, sum->fn->module, "its module; none: the kernel itself")	\
	C(calls, "calls", "calls", COUNT, A, true, sum->calls, "calls in the trace, with those that did not return")	\
	C(total, "total_ns", "total", NS, A, true, sum->total, "how long they took, with what they called")	\
	C(self, "self_ns", "self", NS, A, true, sum->self, "that without the calls in them that are in the trace")	\
	C(p50, "p50_ns", "p50", NS, A, sum->times.n, PERCENTILE(50), "half of them took at most that")	\
	C(p99, "p99_ns", "p99", NS, A, sum->times.n, PERCENTILE(99), "99 % of them took at most that")	\
	C(max, "max_ns", "max", NS, A, sum->times.n, sum->times.max, "how long the longest took")	\
	C(errors, "errors", "errors", COUNT, A, true, sum->errors, "calls that returned an error")	\
	C(objects, "objects", "objects", COUNT, A, sum->has_memory, sum->allocated.objects, "slab objects that their tasks allocated in them, and in all that they called")	\
	C(bytes, "bytes", "bytes", BYTES, A, sum->has_memory, sum->allocated.bytes, "bytes given for these")	\
	C(open, "open", "open", COUNT, A, true, sum->open, "calls in the trace that did not return")	\
	C(entered, "entered", "entered", COUNT, A, COUNTS, sum->fn->counts.entered, "by the module: calls that began")	\
	C(returned, "returned", "returned", COUNT, A, COUNTS, sum->fn->counts.returned, "those of them that returned")	\
	C(filtered, "filtered", "filtered", COUNT, A, COUNTS, sum->fn->counts.filtered, "calls that were left out as asked")	\
	C(died, "died", "died", COUNT, A, COUNTS, sum->fn->counts.died, "those whose thread ended inside")	\
	C(still, "open_at_end", "open at end", COUNT, A, COUNTS, sum->fn->counts.open, "those that were open at the end")	\
	C(missed, "missed", "missed", COUNT, A, COUNTS, sum->fn->counts.missed, "calls that the kernel did not show")

#define GETTER(id, name, head, TYPE, marks, known, value, meaning)	\
	LT_ROW_GETTER(id, struct sum, sum, struct lt_calls_sums, s, TYPE, known, value)

SUM(GETTER)
static const struct lt_column call_sum_columns[] = { SUM(LT_SCREEN_COLUMN) };
LT_SCREEN_KIND(call_sum, "call_sum", "function,calls,total_ns,self_ns,p50_ns,p99_ns,max_ns,errors",
	       "all calls of one function");

static int compare(const void *a, const void *b)
{
	const struct sum *x = *(struct sum *const *)a, *y = *(struct sum *const *)b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void add_count(char *text, size_t size, uint64_t n, const char *word, const char **between)
{
	size_t used = strlen(text);

	if (!n)
		return;
	snprintf(text + used, size - used, "%s%" PRIu64 " %s", *between, n, word);
	*between = ", ";
}

/* What the calls in the trace are not, and whether the module's sum closes. */
static void note_counts(struct lt_table *table, const struct lt_function *fn)
{
	const struct lt_function_counts *c = &fn->counts;
	const char *between = ": ";
	char text[512];

	snprintf(text, sizeof(text), "%.128s", fn->name);
	if (strcmp(c->state, "watched")) {
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%.32s%s%.200s",
			 between, c->state, c->reason[0] ? ": " : "", c->reason);
		between = "; ";
	}
	add_count(text, sizeof(text), c->missed, "missed", &between);
	add_count(text, sizeof(text), c->filtered, "filtered", &between);
	add_count(text, sizeof(text), c->open, "open at the end", &between);
	add_count(text, sizeof(text), c->died, "whose thread ended inside", &between);
	if (!lt_function_closes(c))
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%sthe sum does not close: %" PRIu64 " entered, %" PRIu64 " returned + %"
			 PRIu64 " open + %" PRIu64 " ended", between[0] == ':' ? between : "; ",
			 c->entered, c->returned, c->open, c->died);
	else if (between[0] == ':')
		return;
	lt_table_note(table, text);
}

/* Of functions without calls only those that the module has something to say of. */
static size_t collect(struct lt_calls_sums *s, bool whole, const void **rows)
{
	const struct lt_function *fn = NULL;
	size_t n = 0;

	while (whole && (fn = lt_function_next(s->functions, fn))) {
		const struct lt_function_counts *c = &fn->counts;

		if (c->known && (c->entered || c->missed || c->filtered))
			sum_of(s, fn->number);
	}
	for (size_t i = 0; i <= UINT16_MAX; i++) {
		if (s->sums[i])
			rows[n++] = s->sums[i];
	}
	if (n)
		qsort(rows, n, sizeof(*rows), compare);
	return n;
}

void lt_calls_sums_print(struct lt_calls_sums *s, const struct lt_column *sort,
			 const char *columns, bool whole, struct lt_out *out,
			 enum lt_format format)
{
	const void **rows = lt_alloc_array(UINT16_MAX + 1, sizeof(*rows));
	struct lt_table table = { .out = out, .format = format, .ctx = s };
	const struct lt_function *fn = NULL;
	size_t n = collect(s, whole, rows);

	if (sort)
		lt_sort_rows(rows, n, sort, s);
	lt_table_columns(&table, &lt_rows_of_call_sum, 0, columns);
	lt_table_begin(&table);
	for (size_t i = 0; i < n; i++)
		lt_table_row(&table, rows[i]);
	while (whole && (fn = lt_function_next(s->functions, fn))) {
		if (fn->counts.known)
			note_counts(&table, fn);
	}
	lt_table_end(&table);
	free(rows);
}

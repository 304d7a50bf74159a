// SPDX-License-Identifier: GPL-2.0
/*
 * Sums of system calls, by call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hist.h"
#include "base/mem.h"
#include "print/calls.h"

/* Calls of one name, or number, of one ABI. */
struct sum {
	const struct lt_abi *abi;
	int32_t nr;
	bool compat;
	uint64_t calls;
	uint64_t errors;
	uint64_t open;
	uint64_t time;
	struct lt_hist times;
};

struct lt_calls_sums {
	struct sum *sums;
	size_t n;
	size_t cap;
	uint64_t time;
};

struct lt_calls_sums *lt_calls_sums_new(void)
{
	return lt_alloc(sizeof(struct lt_calls_sums));
}

void lt_calls_sums_free(struct lt_calls_sums *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		lt_hist_destroy(&s->sums[i].times);
	free(s->sums);
	free(s);
}

/* There are a few hundred at the most, but for numbers that mean nothing. */
static struct sum *sum_of(struct lt_calls_sums *s, const struct lt_call *call)
{
	bool named = lt_call_name(call->abi, call->nr);
	int32_t nr = named ? call->nr : -1;
	struct sum *sum;

	for (size_t i = 0; i < s->n; i++) {
		if (s->sums[i].nr == nr && s->sums[i].compat == call->compat &&
		    (s->sums[i].abi == lt_abi_of_requests()) == (call->abi == lt_abi_of_requests()))
			return &s->sums[i];
	}
	s->sums = lt_grow(s->sums, &s->cap, s->n, sizeof(*s->sums));
	sum = &s->sums[s->n++];
	*sum = (struct sum){ .abi = call->abi, .nr = nr, .compat = call->compat };
	lt_hist_init(&sum->times);
	return sum;
}

void lt_calls_sums_add(struct lt_calls_sums *s, const struct lt_call *call)
{
	struct sum *sum;

	/* It is the call of the thread that made this one. */
	if (call->flags & LT_SYS_FIRST)
		return;
	sum = sum_of(s, call);
	sum->calls++;
	sum->errors += lt_call_error(call) != 0;
	sum->open += call->how > LT_CALL_INTERRUPTED;
	if (!call->has_begin || call->how > LT_CALL_INTERRUPTED)
		return;
	sum->time += lt_call_duration(call);
	s->time += lt_call_duration(call);
	lt_hist_add(&sum->times, lt_call_duration(call));
}

#define COLUMN(column)	static void get_##column(const void *row, void *ctx, struct lt_value *value)
#define SUM	const struct sum *sum = row; (void)ctx

COLUMN(name)
{
	static char buf[64];
	SUM;

	snprintf(buf, sizeof(buf), "%s%s", lt_call_name(sum->abi, sum->nr) ?:
		 sum->abi == lt_abi_of_requests() ? "other requests" : "others",
		 sum->compat ? " [32 bits]" : "");
	lt_value_text(value, buf, strlen(buf));
}

COLUMN(percent)
{
	const struct lt_calls_sums *s = ctx;
	const struct sum *sum = row;

	lt_value_d(value, LT_VALUE_PERCENT,
		   s->time ? 100.0 * (double)sum->time / (double)s->time : 0);
}

COLUMN(time)
{
	SUM;
	lt_value_u(value, LT_VALUE_NS, sum->time);
}

COLUMN(calls)
{
	SUM;
	lt_value_u(value, LT_VALUE_COUNT, sum->calls);
}

COLUMN(errors)
{
	SUM;
	lt_value_u(value, LT_VALUE_COUNT, sum->errors);
}

COLUMN(open)
{
	SUM;
	lt_value_u(value, LT_VALUE_COUNT, sum->open);
}

static void get_percentile(const struct sum *sum, double percent, struct lt_value *value)
{
	if (sum->times.n)
		lt_value_u(value, LT_VALUE_NS, lt_hist_percentile(&sum->times, percent));
}

COLUMN(mean)
{
	SUM;
	if (sum->times.n)
		lt_value_u(value, LT_VALUE_NS, sum->time / sum->times.n);
}

COLUMN(p50)
{
	SUM;
	get_percentile(sum, 50, value);
}

COLUMN(p90)
{
	SUM;
	get_percentile(sum, 90, value);
}

COLUMN(p99)
{
	SUM;
	get_percentile(sum, 99, value);
}

COLUMN(max)
{
	SUM;
	if (sum->times.n)
		lt_value_u(value, LT_VALUE_NS, sum->times.max);
}

#define C(id, key, text)							\
	&(const struct lt_table_column){ .name = key, .header = text, .get = get_##id }

static int compare(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	if (x->nr != y->nr)
		return x->nr > y->nr ? 1 : -1;
	if (x->compat != y->compat)
		return x->compat - y->compat;
	return (x->abi == lt_abi_of_requests()) - (y->abi == lt_abi_of_requests());
}

void lt_calls_sums_print(struct lt_calls_sums *s, struct lt_out *out, enum lt_format format)
{
	static const struct lt_table_column name = {
		.name = "name", .header = "call", .left = true, .get = get_name,
	};
	const struct lt_table_column *const columns[] = {
		&name, C(percent, "percent", "% time"), C(time, "time_ns", "time"),
		C(calls, "calls", "calls"), C(errors, "errors", "errors"), C(open, "open", "open"),
		C(mean, "mean_ns", "mean"), C(p50, "p50_ns", "p50"), C(p90, "p90_ns", "p90"),
		C(p99, "p99_ns", "p99"), C(max, "max_ns", "max"),
	};
	struct lt_table table = {
		.out = out, .format = format, .columns = columns,
		.n_columns = sizeof(columns) / sizeof(columns[0]), .ctx = s,
	};

	if (s->n)
		qsort(s->sums, s->n, sizeof(*s->sums), compare);
	lt_table_begin(&table);
	for (size_t i = 0; i < s->n; i++)
		lt_table_row(&table, &s->sums[i]);
	lt_table_end(&table);
}

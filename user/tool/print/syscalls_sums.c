// SPDX-License-Identifier: GPL-2.0
/*
 * Sums of system calls, by call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hist.h"
#include "base/map.h"
#include "base/mem.h"
#include "forms/sort.h"
#include "print/syscalls.h"

/* Numbers without a name that have a row of their own: a program may try all there are. */
#define MOST_UNNAMED	1000

/* Calls of one number of one ABI. @others: of all numbers without a name beyond MOST_UNNAMED. */
struct sum {
	const struct lt_abi *abi;
	int32_t nr;
	bool compat;
	bool others;
	uint64_t calls;
	uint64_t errors;
	uint64_t open;
	uint64_t time;
	struct lt_hist times;
};

struct lt_syscalls_sums {
	struct sum *sums;
	size_t n;
	size_t cap;
	size_t n_unnamed;
	struct lt_map map;
	uint64_t seed;
	uint64_t time;
};

struct lt_syscalls_sums *lt_syscalls_sums_new(void)
{
	struct lt_syscalls_sums *s = lt_alloc(sizeof(*s));

	lt_map_init(&s->map);
	s->seed = lt_hash_seed();
	return s;
}

void lt_syscalls_sums_free(struct lt_syscalls_sums *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		lt_hist_destroy(&s->sums[i].times);
	lt_map_destroy(&s->map);
	free(s->sums);
	free(s);
}

static struct sum *find(struct lt_syscalls_sums *s, uint32_t hash, const struct sum *key)
{
	uint32_t number;

	lt_map_for_each(number, at, &s->map, hash) {
		struct sum *sum = &s->sums[number - 1];

		if (sum->nr == key->nr && sum->compat == key->compat &&
		    sum->others == key->others && sum->abi == key->abi)
			return sum;
	}
	return NULL;
}

static struct sum *find_or_add(struct lt_syscalls_sums *s, const struct sum *key, bool may_add)
{
	uint32_t hash = (uint32_t)lt_hash64((uint32_t)key->nr | (uint64_t)key->compat << 32 |
					    (uint64_t)key->others << 33, s->seed);
	struct sum *sum = find(s, hash, key);

	if (sum || !may_add)
		return sum;
	s->sums = lt_grow(s->sums, &s->cap, s->n, sizeof(*s->sums));
	sum = &s->sums[s->n++];
	*sum = *key;
	lt_hist_init(&sum->times);
	lt_map_add(&s->map, hash, (uint32_t)s->n);
	return sum;
}

static struct sum *sum_of(struct lt_syscalls_sums *s, const struct lt_syscall *call)
{
	struct sum key = { .abi = call->abi, .nr = call->nr, .compat = call->compat };
	bool named = lt_syscall_name(call->abi, call->nr);
	bool own = named || s->n_unnamed < MOST_UNNAMED;
	size_t n = s->n;
	struct sum *sum = find_or_add(s, &key, own);

	s->n_unnamed += !named && s->n > n;
	if (sum)
		return sum;
	key.nr = -1;
	key.others = true;
	return find_or_add(s, &key, true);
}

void lt_syscalls_sums_add(struct lt_syscalls_sums *s, const struct lt_syscall *call)
{
	struct sum *sum;

	/* It is the call of the thread that made this one. */
	if (call->flags & LT_SYS_FIRST)
		return;
	sum = sum_of(s, call);
	sum->calls++;
	sum->errors += lt_syscall_error(call) != 0;
	sum->open += call->how > LT_SYSCALL_INTERRUPTED;
	if (!call->has_begin || call->how > LT_SYSCALL_INTERRUPTED)
		return;
	sum->time += lt_syscall_duration(call);
	s->time += lt_syscall_duration(call);
	lt_hist_add(&sum->times, lt_syscall_duration(call));
}

#define COLUMN(column)	static void get_##column(const void *row, void *ctx, struct lt_value *value)
#define SUM	const struct sum *sum = row; (void)ctx

COLUMN(name)
{
	static char buf[64];
	char label[LT_SYSCALL_LABEL];
	const char *name;
	SUM;

	name = lt_syscall_label(sum->abi, sum->nr, label);
	if (sum->others)
		name = sum->abi == lt_abi_of_requests() ? "other requests" : "others";
	snprintf(buf, sizeof(buf), "%s%s", name, sum->compat ? " [32 bits]" :
		 lt_abi_is_x32(sum->abi) ? " [x32]" : "");
	lt_value_text(value, buf, strlen(buf));
}

COLUMN(percent)
{
	const struct lt_syscalls_sums *s = ctx;
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
	&(const struct lt_column){ .name = key, .header = text, .get = get_##id }

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
	if (x->others != y->others)
		return x->others - y->others;
	return (x->abi == lt_abi_of_requests()) - (y->abi == lt_abi_of_requests());
}

static const struct lt_column name_column = {
	.name = "name", .header = "call", .left = true, .get = get_name,
};

static const struct lt_column *const columns[] = {
	&name_column, C(percent, "percent", "% time"), C(time, "time_ns", "time"),
	C(calls, "calls", "calls"), C(errors, "errors", "errors"), C(open, "open", "open"),
	C(mean, "mean_ns", "mean"), C(p50, "p50_ns", "p50"), C(p90, "p90_ns", "p90"),
	C(p99, "p99_ns", "p99"), C(max, "max_ns", "max"),
};

#define N_COLUMNS	(sizeof(columns) / sizeof(columns[0]))

const struct lt_column *lt_syscalls_sums_sort(const char *name)
{
	return lt_sort_column(columns, N_COLUMNS, name);
}

void lt_syscalls_sums_print(struct lt_syscalls_sums *s, const struct lt_column *sort,
			    struct lt_out *out, enum lt_format format)
{
	struct lt_table table = {
		.out = out, .format = format, .columns = columns, .n_columns = N_COLUMNS, .ctx = s,
	};
	const void **rows = lt_alloc_array(s->n + 1, sizeof(*rows));

	if (s->n)
		qsort(s->sums, s->n, sizeof(*s->sums), compare);
	for (size_t i = 0; i < s->n; i++)
		rows[i] = &s->sums[i];
	if (sort)
		lt_sort_rows(rows, s->n, sort, s);
	lt_table_begin(&table);
	for (size_t i = 0; i < s->n; i++)
		lt_table_row(&table, rows[i]);
	lt_table_end(&table);
	free(rows);
}

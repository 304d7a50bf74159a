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
#include "forms/columns.h"
#include "forms/screen.h"
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
	char name[64];		/* of the latest row */
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

static const char *name_of(const struct sum *sum, char *buf, size_t size)
{
	char label[LT_SYSCALL_LABEL];
	const char *name = lt_syscall_label(sum->abi, sum->nr, label);

	if (sum->others)
		name = sum->abi == lt_abi_of_requests() ? "other requests" : "others";
	snprintf(buf, size, "%s%s", name, sum->compat ? " [32 bits]" :
		 lt_abi_is_x32(sum->abi) ? " [x32]" : "");
	return buf;
}

static double percent_of(const struct lt_syscalls_sums *s, const struct sum *sum)
{
	return s->time ? 100.0 * (double)sum->time / (double)s->time : 0;
}

#define PERCENTILE(percent)	lt_hist_percentile(&sum->times, percent)

#define SUM(C)	\
	C(name, "name", "call", TEXT, A, true, name_of(sum, s->name, sizeof(s->name)), "name of the call")	\
	C(percent, "percent", "% time", PERCENT, A, true, percent_of(s, sum), "its part of the time of all calls")	\
	C(time, "time_ns", "time", NS, A, true, sum->time, "how long all of them took")	\
	C(calls, "calls", "calls", COUNT, A, true, sum->calls, "calls")	\
	C(errors, "errors", "errors", COUNT, A, true, sum->errors, "calls that failed")	\
	C(open, "open", "open", COUNT, A, true, sum->open, "calls that did not return")	\
	C(mean, "mean_ns", "mean", NS, A, sum->times.n, sum->time / sum->times.n, "how long one took on average")	\
	C(p50, "p50_ns", "p50", NS, A, sum->times.n, PERCENTILE(50), "half of them took at most that")	\
	C(p90, "p90_ns", "p90", NS, A, sum->times.n, PERCENTILE(90), "90 % of them took at most that")	\
	C(p99, "p99_ns", "p99", NS, A, sum->times.n, PERCENTILE(99), "99 % of them took at most that")	\
	C(max, "max_ns", "max", NS, A, sum->times.n, sum->times.max, "how long the longest took")

#define GETTER(id, name, head, TYPE, marks, known, value, meaning)	\
	LT_ROW_GETTER(id, struct sum, sum, struct lt_syscalls_sums, s, TYPE, known, value)

SUM(GETTER)
static const struct lt_column syscall_sum_columns[] = { SUM(LT_SCREEN_COLUMN) };
LT_SCREEN_KIND(syscall_sum, "syscall_sum", NULL, "all calls of one name");

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

void lt_syscalls_sums_print(struct lt_syscalls_sums *s, const struct lt_column *sort,
			    const char *columns, struct lt_out *out, enum lt_format format)
{
	struct lt_table table = { .out = out, .format = format, .ctx = s };
	const void **rows = lt_alloc_array(s->n + 1, sizeof(*rows));

	if (s->n)
		qsort(s->sums, s->n, sizeof(*s->sums), compare);
	for (size_t i = 0; i < s->n; i++)
		rows[i] = &s->sums[i];
	if (sort)
		lt_sort_rows(rows, s->n, sort, s);
	lt_table_columns(&table, &lt_rows_of_syscall_sum, 0, columns);
	lt_table_begin(&table);
	for (size_t i = 0; i < s->n; i++)
		lt_table_row(&table, rows[i]);
	lt_table_end(&table);
	free(rows);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The rows of a report, when all is counted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "sums/report_maker.h"
#include "sums/wrappers.h"

void lt_report_row_init(struct lt_report_row *row)
{
	memset(row, 0, sizeof(*row));
	lt_hist_init(&row->life);
	lt_hist_init(&row->ages);
}

void lt_report_row_destroy(struct lt_report_row *row)
{
	lt_hist_destroy(&row->life);
	lt_hist_destroy(&row->ages);
}

void lt_report_row_merge(struct lt_report_row *to, const struct lt_report_row *from)
{
	to->tasks += from->tasks;
	to->births += from->births;
	to->bytes += from->bytes;
	to->waste += from->waste;
	to->lifetimes += from->lifetimes;
	to->live += from->live;
	to->live_bytes += from->live_bytes;
	to->maybe += from->maybe;
	to->maybe_bytes += from->maybe_bytes;
	to->unsure_bytes += from->unsure_bytes;
	to->peak += from->peak;
	to->peak_bytes += from->peak_bytes;
	LT_ADD_KINDS(to, from);
	lt_hist_merge(&to->life, &from->life);
	lt_hist_merge(&to->ages, &from->ages);
	lt_spread_merge(&to->live_off, &from->live_off);
	lt_spread_merge(&to->live_bytes_off, &from->live_bytes_off);
}

void lt_report_merge_instances(struct lt_report *r, struct lt_weights *weights)
{
	uint32_t *to = lt_alloc_array(r->n_rows + 1, sizeof(*to));
	size_t *row_of_name = NULL, n_known = 0, n = 0;
	struct lt_names names;

	lt_names_init(&names);
	for (size_t i = 0; i < r->n_rows; i++) {
		struct lt_report_row *row = &r->rows[i];
		uint32_t name;

		to[i] = (uint32_t)n;
		if (!row->task) {
			r->rows[n++] = *row;
			continue;
		}
		row->tasks = lt_report_row_counts(row);
		name = lt_names_add(&names, row->task->comm, strlen(row->task->comm));
		if (name >= n_known)
			row_of_name = lt_extend(row_of_name, &n_known, name + 1,
						sizeof(*row_of_name));
		if (row_of_name[name]) {
			to[i] = (uint32_t)row_of_name[name] - 1;
			lt_report_row_merge(&r->rows[row_of_name[name] - 1], row);
			lt_report_row_destroy(row);
			continue;
		}
		r->rows[n++] = *row;
		row_of_name[name] = n;
	}
	r->n_rows = n;
	lt_weights_renumber(weights, to);
	free(to);
	lt_names_destroy(&names);
	free(row_of_name);
}

bool lt_report_percentile(const struct lt_report_row *row, double percent, uint64_t *ns)
{
	return lt_hist_survival(&row->life, &row->ages, percent, ns);
}

size_t lt_report_percentiles(const struct lt_report_row *row, const double *percents, size_t n,
			     uint64_t *ns)
{
	return lt_hist_survivals(&row->life, &row->ages, percents, n, ns);
}

struct lt_stack lt_report_stack(const struct lt_report *r, const struct lt_report_row *row)
{
	return lt_stacks_get(&r->stacks->stacks, row->stack);
}

/* "a+0x1", or with a depth of 2 "a+0x1 ← b+0x2"; whether that is all that is known. */
static const char *stack_label(const struct lt_report *r, const struct lt_report_row *row,
			       char *buf, size_t size)
{
	struct lt_stack stack = lt_report_stack(r, row);
	size_t at = 0;

	for (unsigned int i = 0; i < stack.n && i < (r->opts.depth ? r->opts.depth : 1); i++) {
		if (at < size)
			at += (size_t)snprintf(buf + at, size - at, "%s", i ? " ← " : "");
		if (at >= size)
			break;
		lt_trace_symbol(r->trace, stack.frames[i], true, buf + at, size - at);
		at += strlen(buf + at);
	}
	if (at < size && stack.n && r->opts.skip_wrappers &&
	    lt_in_wrapper(r->trace, stack.frames[0]))
		snprintf(buf + at, size - at, " (wrapper)");
	else if (at < size && stack.flags & LT_STACK_UNKNOWN)
		snprintf(buf + at, size - at, " (no stack)");
	return stack.n ? buf : "(unknown)";
}

const char *lt_report_label(const struct lt_report *r, const struct lt_report_row *row, char *buf,
			    size_t size)
{
	switch (r->opts.by) {
	case LT_BY_SITE:
		return row->site ? lt_trace_symbol(r->trace, row->site, true, buf, size) :
				   "(unknown)";
	case LT_BY_CACHE:
		return lt_cache_key_name(r->trace, row->key, buf, size);
	case LT_BY_TASK:
	case LT_BY_PROCESS:
		if (row->context != LT_CTX_TASK)
			snprintf(buf, size, "[%s]", lt_context_name(row->context));
		else if (!row->task)
			return "(unknown)";
		else if (r->opts.by == LT_BY_PROCESS)
			snprintf(buf, size, "%s", row->task->comm);
		else
			snprintf(buf, size, "%u@%" PRIu64 " %s", row->task->tid, row->task->start,
				 row->task->comm);
		return buf;
	case LT_BY_CGROUP:
	case LT_BY_SYSCALL:
	case LT_BY_CALL:
		if (row->context != LT_CTX_TASK)
			snprintf(buf, size, "[%s]", lt_context_name(row->context));
		else if (!row->group)
			return r->opts.by == LT_BY_CGROUP ? "(unknown)" : "(no call)";
		else
			return r->opts.group_name(r->opts.groups, row->group, buf, size);
		return buf;
	case LT_BY_STACK:
		return stack_label(r, row, buf, size);
	case LT_BY_PIECE:
		return lt_trace_symbol(r->trace, row->site, true, buf, size);
	case LT_BY_SIZE:
		if (!row->key)
			return "(unknown)";
		snprintf(buf, size, "<= %" PRIu64, row->size);
		return buf;
	}
	return "";
}

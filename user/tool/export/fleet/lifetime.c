// SPDX-License-Identifier: GPL-2.0
/*
 * The table lifetime: a row for each, with the columns of `lifetimes --csv`.
 */
#include <stdio.h>

#include "export/fleet/fleet.h"
#include "lifetimes/read.h"

#define MOMENT(which)								\
	{ which "_cpu", LT_ROWS_INT, true }, { which "_ctx", LT_ROWS_TEXT, true },	\
	{ which "_site", LT_ROWS_TEXT, true }, { which "_tid", LT_ROWS_INT, true },	\
	{ which "_tgid", LT_ROWS_INT, true },					\
	{ which "_task_start_ns", LT_ROWS_INT, true },				\
	{ which "_comm", LT_ROWS_TEXT, true }, { which "_stack", LT_ROWS_TEXT, true }

static const struct lt_rows_column columns[] = {
	{ "session", LT_ROWS_TEXT, false }, { "boot_id", LT_ROWS_TEXT, false },
	{ "kernel", LT_ROWS_TEXT, false }, { "machine", LT_ROWS_TEXT, false },
	{ "minute", LT_ROWS_INT, false },
	{ "space", LT_ROWS_TEXT, false }, { "kind", LT_ROWS_TEXT, false },
	{ "address", LT_ROWS_INT, true },
	{ "cache", LT_ROWS_TEXT, true },
	{ "bytes_req", LT_ROWS_INT, true }, { "bytes_alloc", LT_ROWS_INT, true },
	{ "gfp", LT_ROWS_TEXT, true }, { "node", LT_ROWS_INT, true },
	{ "page_order", LT_ROWS_INT, true },
	{ "birth_ns", LT_ROWS_INT, true }, { "death_ns", LT_ROWS_INT, true },
	{ "lifetime_ns", LT_ROWS_INT, true }, { "certainty", LT_ROWS_TEXT, false },
	{ "ended_by", LT_ROWS_TEXT, false }, { "rcu_request_ns", LT_ROWS_INT, true },
	{ "rcu_limbo_ns", LT_ROWS_INT, true }, { "recorder", LT_ROWS_INT, false },
	MOMENT("birth"), MOMENT("death"),
	{ "why", LT_ROWS_TEXT, true }, { "bytes_last", LT_ROWS_INT, true },
};

const struct lt_rows_table lt_fleet_lifetimes = {
	"lifetime", columns, sizeof(columns) / sizeof(columns[0]),
};

static void put_object(struct lt_fleet *f, const struct lt_lifetime *l)
{
	bool born = l->birth.known, page = l->space == LT_SPACE_PAGE;
	uint64_t key = lt_cache_key(&f->kmalloc, l->kind, l->cache, l->bytes_req, l->bytes_alloc,
				    l->gfp);

	lt_fleet_word(f, lt_space_words(l->space)->name);
	lt_fleet_word(f, lt_kind_name(lt_lifetime_kind(l)));
	/* The bits of the address: readers differ in what they make of an unsigned number. */
	if (f->e->opts->addresses)
		lt_rows_int(f->rows, (int64_t)l->ptr);
	else
		lt_rows_null(f->rows);
	if (key)
		lt_fleet_cache(f, key);
	else
		lt_rows_null(f->rows);
	lt_fleet_number(f, born && l->bytes_req, l->bytes_req);
	lt_fleet_number(f, born && l->bytes_alloc, l->bytes_alloc);
	if (born)
		lt_fleet_gfp(f, l->gfp);
	else
		lt_rows_null(f->rows);
	if (lt_lifetime_has_node(l))
		lt_rows_int(f->rows, l->node);
	else
		lt_rows_null(f->rows);
	lt_fleet_number(f, page, l->order);
}

static void put_times(struct lt_fleet *f, const struct lt_lifetime *l)
{
	bool rcu = l->ending == LT_END_RCU;

	lt_fleet_number(f, l->birth.known, l->birth.time);
	lt_fleet_number(f, l->ending != LT_END_ALIVE, l->death.time);
	lt_fleet_number(f, l->birth.known, lt_lifetime_ns(l));
	lt_fleet_word(f, lt_certainty_name((enum lt_certainty)l->certainty));
	lt_fleet_word(f, lt_ending_name((enum lt_ending)l->ending));
	lt_fleet_number(f, rcu, l->death.time);
	lt_fleet_number(f, rcu && l->rcu_confirmed >= l->death.time,
			l->rcu_confirmed - l->death.time);
	lt_rows_int(f->rows, lt_own_lifetime(f->own, l));
}

static void put_moment(struct lt_fleet *f, const struct lt_moment *m)
{
	const struct lt_task *task = m->known ? m->task : NULL;

	lt_fleet_number(f, m->known, m->cpu);
	lt_fleet_word(f, m->known ? lt_context_name(m->context) : NULL);
	if (m->known && m->call_site)
		lt_fleet_site(f, m->call_site, true);
	else
		lt_rows_null(f->rows);
	lt_fleet_number(f, task, task ? task->tid : 0);
	lt_fleet_number(f, task, task ? task->tgid : 0);
	lt_fleet_number(f, task, task ? task->start : 0);
	lt_fleet_name(f, task ? lt_task_comm_at(task, m->time) : NULL);
	lt_fleet_stack(f, m->known && lt_trace_stack(f->e->trace, m->stack).n ? m->stack : 0);
}

int lt_fleet_put_lifetime(struct lt_fleet *f, const struct lt_lifetime *l)
{
	uint64_t minute = lt_minute_of(f->e->trace, l->death.time);
	char why[96];

	if (lt_fleet_row(f, &lt_fleet_lifetimes, minute))
		return -1;
	lt_rows_count(f->rows, minute * 60);
	put_object(f, l);
	put_times(f, l);
	put_moment(f, &l->birth);
	put_moment(f, &l->death);
	snprintf(why, sizeof(why), "%s%s%s", lt_cause_text((enum lt_cause)l->why),
		 l->unwatched ? ": " : "", l->unwatched ? l->unwatched : "");
	lt_fleet_name(f, l->why ? why : NULL);
	lt_fleet_number(f, l->resized, l->bytes_last);
	return lt_rows_end(f->rows);
}

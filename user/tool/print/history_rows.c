// SPDX-License-Identifier: GPL-2.0
/*
 * The history of addresses as CSV and JSON: a row for each lifetime of each value, and one for a
 * value that has none.
 */
#include <string.h>

#include "print/history.h"
#include "print/stack.h"

/* @l: NULL: a value without a lifetime */
struct row {
	const struct lt_oops_value *value;
	const struct lt_place_history *at;
	const struct lt_lifetime *l;
	const char *what;
	const char *note;
};

#define GET(column)	static void get_##column(const void *row, void *ctx, struct lt_value *v)
#define ROW		const struct row *r = row; const struct lt_history_view *w = ctx; (void)r; (void)w

static void text(struct lt_value *v, const char *s)
{
	if (s)
		lt_value_text(v, s, strlen(s));
}

GET(report)
{
	ROW;
	if (w->oops->n_reports)
		lt_value_u(v, LT_VALUE_COUNT, r->value->report + 1);
}

GET(line)
{
	ROW;
	if (w->oops->n_reports)
		lt_value_u(v, LT_VALUE_COUNT, r->value->line);
}

GET(name)
{
	ROW;
	if (r->value->name[0])
		text(v, r->value->name);
}

GET(value)
{
	ROW;
	lt_value_u(v, LT_VALUE_HEX, r->value->value);
}

GET(what)
{
	ROW;
	text(v, r->what);
}

GET(note)
{
	ROW;
	text(v, r->note);
}

GET(offset)
{
	ROW;
	if (!r->l)
		return;
	v->type = LT_VALUE_SIGNED;
	v->i = (int64_t)lt_history_offset(w->h, r->at, r->l);
}

GET(kind)
{
	ROW;
	if (r->l)
		text(v, lt_kind_name(lt_lifetime_kind(r->l)));
}

GET(address)
{
	ROW;
	if (r->l)
		lt_value_u(v, LT_VALUE_HEX, r->l->ptr);
}

GET(cache)
{
	static char buf[128];
	ROW;

	if (r->l && lt_space_has_caches(r->l->space))
		text(v, lt_lifetime_cache_name(w->h->t, &w->kmalloc, r->l, buf, sizeof(buf)));
}

GET(bytes_req)
{
	ROW;
	if (r->l && r->l->birth.known && r->l->bytes_req)
		lt_value_u(v, LT_VALUE_BYTES, r->l->bytes_req);
}

GET(bytes_alloc)
{
	ROW;
	if (r->l && r->l->birth.known && r->l->bytes_alloc)
		lt_value_u(v, LT_VALUE_BYTES, r->l->bytes_alloc);
}

GET(birth)
{
	ROW;
	if (!r->l || !r->l->birth.known)
		return;
	v->type = LT_VALUE_SIGNED;
	v->i = lt_times_ns(&w->times, r->l->birth.time);
}

GET(death)
{
	ROW;
	if (!r->l || r->l->ending == LT_END_ALIVE)
		return;
	v->type = LT_VALUE_SIGNED;
	v->i = lt_times_ns(&w->times, r->l->death.time);
}

GET(ago)
{
	ROW;
	if (r->l && r->l->ending != LT_END_ALIVE && r->l->death.time <= w->h->end)
		lt_value_u(v, LT_VALUE_NS, w->h->end - r->l->death.time);
}

GET(lifetime)
{
	ROW;
	if (r->l && r->l->birth.known)
		lt_value_u(v, LT_VALUE_NS, lt_lifetime_ns(r->l));
}

GET(certainty)
{
	ROW;
	if (r->l)
		text(v, lt_certainty_name((enum lt_certainty)r->l->certainty));
}

GET(why)
{
	ROW;
	if (r->l && r->l->why)
		text(v, lt_cause_text((enum lt_cause)r->l->why));
}

GET(ended_by)
{
	ROW;
	if (r->l)
		text(v, lt_ending_name((enum lt_ending)r->l->ending));
}

static void site_of(const struct lt_history_view *w, const struct lt_moment *m, struct lt_value *v)
{
	static char buf[512];

	if (m->known && m->call_site)
		text(v, lt_trace_symbol(w->h->t, m->call_site, true, buf, sizeof(buf)));
}

static void stack_of(const struct lt_history_view *w, const struct lt_moment *m, struct lt_value *v)
{
	struct lt_stack stack = lt_trace_stack(w->h->t, m->known ? m->stack : 0);

	lt_stack_frames(w->h->t, w->lines, &stack, (struct lt_out *)(uintptr_t)&w->frames, v);
}

#define MOMENT(m)									\
GET(m##_cpu)										\
{											\
	ROW;										\
	if (r->l && r->l->m.known)							\
		lt_value_u(v, LT_VALUE_COUNT, r->l->m.cpu);				\
}											\
GET(m##_ctx)										\
{											\
	ROW;										\
	if (r->l && r->l->m.known)							\
		text(v, lt_context_name(r->l->m.context));				\
}											\
GET(m##_site)										\
{											\
	ROW;										\
	if (r->l)									\
		site_of(w, &r->l->m, v);						\
}											\
GET(m##_tid)										\
{											\
	ROW;										\
	if (r->l && r->l->m.task)							\
		lt_value_u(v, LT_VALUE_COUNT, r->l->m.task->tid);			\
}											\
GET(m##_start)										\
{											\
	ROW;										\
	if (r->l && r->l->m.task)							\
		lt_value_u(v, LT_VALUE_COUNT, r->l->m.task->start);			\
}											\
GET(m##_comm)										\
{											\
	ROW;										\
	if (r->l && r->l->m.task)							\
		text(v, lt_task_comm_at(r->l->m.task, r->l->m.time));			\
}											\
GET(m##_stack)										\
{											\
	ROW;										\
	if (r->l)									\
		stack_of(w, &r->l->m, v);						\
}
MOMENT(birth)
MOMENT(death)

#define C(id, key)	static const struct lt_column col_##id = { .name = key, .get = get_##id }
#define CM(m)	C(m##_cpu, #m "_cpu"); C(m##_ctx, #m "_ctx"); C(m##_site, #m "_site");		\
		C(m##_tid, #m "_tid"); C(m##_start, #m "_task_start_ns"); C(m##_comm, #m "_comm");	\
		C(m##_stack, #m "_stack")

C(report, "report"); C(line, "line"); C(name, "name"); C(value, "value"); C(what, "what");
C(note, "note"); C(offset, "offset_bytes"); C(kind, "kind"); C(address, "address");
C(cache, "cache"); C(bytes_req, "bytes_req"); C(bytes_alloc, "bytes_alloc"); C(birth, "birth_ns");
C(death, "death_ns"); C(ago, "ago_ns"); C(lifetime, "lifetime_ns"); C(certainty, "certainty");
C(why, "why"); C(ended_by, "ended_by");
CM(birth);
CM(death);

#define COLS(m)	&col_##m##_cpu, &col_##m##_ctx, &col_##m##_site, &col_##m##_tid,	\
		&col_##m##_start, &col_##m##_comm, &col_##m##_stack

static const struct lt_column *const columns[] = {
	&col_report, &col_line, &col_name, &col_value, &col_what, &col_note, &col_offset, &col_kind,
	&col_address, &col_cache, &col_bytes_req, &col_bytes_alloc, &col_birth, &col_death, &col_ago,
	&col_lifetime, &col_certainty, &col_ended_by, COLS(birth), COLS(death), &col_why,
};

static void print_value(struct lt_table *table, const struct lt_oops_value *value)
{
	const struct lt_history_view *v = table->ctx;
	struct row r = { .value = value };
	enum lt_meaning m;
	char buf[512];

	m = lt_history_meaning(v, value, &r.at, &r.note, buf, sizeof(buf));
	r.what = lt_meaning_name(m);
	if (m != LT_MEANING_MEMORY)
		lt_table_row(table, &r);
	for (size_t i = 0; m == LT_MEANING_MEMORY && i < r.at->n; i++) {
		r.l = &r.at->lifetimes[i];
		r.what = lt_space_words(r.l->space)->name;
		lt_table_row(table, &r);
	}
	r.note = NULL;
	if (m == LT_MEANING_UNKNOWN && r.at && r.at->has_before) {
		r.l = &r.at->before;
		r.what = "near_before";
		lt_table_row(table, &r);
	}
	if (m == LT_MEANING_UNKNOWN && r.at && r.at->has_after) {
		r.l = &r.at->after;
		r.what = "near_after";
		lt_table_row(table, &r);
	}
}

void lt_history_rows(struct lt_history_view *v)
{
	struct lt_table table = {
		.out = v->out, .format = v->format, .columns = columns, .ctx = v,
		.n_columns = sizeof(columns) / sizeof(columns[0]), .streaming = true,
	};

	lt_table_begin(&table);
	for (size_t i = 0; i < v->oops->n_values; i++)
		print_value(&table, &v->oops->values[i]);
	lt_table_end(&table);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The history of addresses as CSV and JSON: a row for each lifetime of each value, and one for a
 * value that has none.
 */
#include <string.h>

#include "forms/columns.h"
#include "forms/screen.h"
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

static const char *cache_of(struct lt_history_view *w, const struct lt_lifetime *l)
{
	return lt_lifetime_cache_name(w->h->t, &w->kmalloc, l, w->text, sizeof(w->text));
}

static void stack_of(struct lt_history_view *w, const struct lt_moment *m, struct lt_value *v)
{
	struct lt_stack stack = lt_trace_stack(w->h->t, m->known ? m->stack : 0);

	lt_stack_frames(w->h->t, w->lines, &stack, &w->frames, v);
}

static const char *site_of(struct lt_history_view *w, const struct lt_moment *m)
{
	return lt_trace_symbol(w->h->t, m->call_site, true, w->text, sizeof(w->text));
}

/* What is known of a row: it has a lifetime, the birth of that is known, or it has ended. */
#define LIVED	(l != NULL)
#define BORN	(l && l->birth.known)
#define ENDED	(l && l->ending != LT_END_ALIVE)
#define OOPS	w->oops->n_reports

#define MOMENT(C, G, m, text)	\
	C(m##_cpu, #m "_cpu", #m " cpu", COUNT, A, l && l->m.known, l->m.cpu, "CPU " text)	\
	C(m##_ctx, #m "_ctx", #m " ctx", TEXT, A, l && l->m.known, lt_context_name(l->m.context),	\
	  "context " text)	\
	C(m##_site, #m "_site", #m " site", TEXT, A, l && l->m.known && l->m.call_site,	\
	  site_of(w, &l->m), "call site " text)	\
	C(m##_tid, #m "_tid", #m " tid", COUNT, A, l && l->m.task, l->m.task->tid, "thread " text)	\
	C(m##_start, #m "_task_start_ns", #m " start", TIME, A, l && l->m.task, l->m.task->start,	\
	  "when that was born, since boot")	\
	C(m##_comm, #m "_comm", #m " comm", TEXT, A, l && l->m.task,	\
	  lt_task_comm_at(l->m.task, l->m.time), "its name then")	\
	G(m##_stack, #m "_stack", #m " stack", LIST, A, if (l) stack_of(w, &l->m, v), "callers " text)

#define HISTORY(C, G)	\
	C(report, "report", "report", COUNT, A, OOPS, r->value->report + 1, "which report has the value")	\
	C(line, "line", "line", COUNT, A, OOPS, r->value->line, "line in it")	\
	C(name, "name", "name", TEXT, A, r->value->name[0], r->value->name, "register or word with the value") \
	C(value, "value", "value", HEX, A, true, r->value->value, "the value")	\
	C(what, "what", "what", TEXT, A, true, r->what, "what it is")	\
	C(note, "note", "note", TEXT, A, true, r->note, "more about that")	\
	C(offset, "offset_bytes", "offset", SIGNED, A, LIVED, lt_history_offset(w->h, r->at, l),	\
	  "how far it is behind the begin of the object")	\
	C(kind, "kind", "kind", TEXT, A, LIVED, lt_kind_name(lt_lifetime_kind(l)), "kind of object")	\
	C(address, "address", "address", HEX, A, LIVED, l->ptr, "where the object is")	\
	C(cache, "cache", "cache", TEXT, A, LIVED && lt_space_has_caches(l->space), cache_of(w, l),	\
	  "slab cache, or device")	\
	C(bytes_req, "bytes_req", "requested", BYTES, A, BORN && l->bytes_req, l->bytes_req,	\
	  "size that was asked for")	\
	C(bytes_alloc, "bytes_alloc", "given", BYTES, A, BORN && l->bytes_alloc, l->bytes_alloc,	\
	  "size that was given")	\
	C(birth, "birth_ns", "birth", SIGNED, A, BORN, lt_times_ns(&w->times, l->birth.time),	\
	  "when it was allocated")	\
	C(death, "death_ns", "death", SIGNED, A, ENDED, lt_times_ns(&w->times, l->death.time),	\
	  "when it was freed")	\
	C(ago, "ago_ns", "ago", NS, A, ENDED && l->death.time <= w->h->end, w->h->end - l->death.time,	\
	  "how long before the end")	\
	C(lifetime, "lifetime_ns", "lifetime", NS, A, BORN, lt_lifetime_ns(l), "how long it lived")	\
	C(certainty, "certainty", "certainty", TEXT, A, LIVED,	\
	  lt_certainty_name((enum lt_certainty)l->certainty), "how certain that is")	\
	C(ended_by, "ended_by", "ended by", TEXT, A, LIVED, lt_ending_name((enum lt_ending)l->ending),	\
	  "what ended it")	\
	MOMENT(C, G, birth, "of the allocation")	\
	MOMENT(C, G, death, "of the free")	\
	C(why, "why", "why", TEXT, A, l && l->why, lt_cause_text((enum lt_cause)l->why),	\
	  "why it is not exact")

#define GETTER(id, name, head, TYPE, marks, known, value, meaning)			\
static void get_##id(const void *row, void *ctx, struct lt_value *v)			\
{											\
	const struct row *r = row;							\
	const struct lt_lifetime *l = r->l;						\
	struct lt_history_view *w = ctx;						\
											\
	(void)l;									\
	(void)w;									\
	if (known)									\
		LT_ROW_SET_##TYPE(v, value);						\
}
#define FILLER(id, name, head, TYPE, marks, call, meaning)				\
static void get_##id(const void *row, void *ctx, struct lt_value *v)			\
{											\
	const struct lt_lifetime *l = ((const struct row *)row)->l;			\
	struct lt_history_view *w = ctx;						\
											\
	call;										\
}

HISTORY(GETTER, FILLER)
static const struct lt_column history_columns[] = { HISTORY(LT_SCREEN_COLUMN, LT_SCREEN_FILLED) };
LT_SCREEN_KIND(history, "history", NULL, "a lifetime at an address");

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
	struct lt_table table = { .out = v->out, .format = v->format, .ctx = v, .streaming = true };

	lt_table_columns(&table, &lt_rows_of_history, 0, v->columns);
	lt_table_begin(&table);
	for (size_t i = 0; i < v->oops->n_values; i++)
		print_value(&table, &v->oops->values[i]);
	lt_table_end(&table);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A lifetime as a line. There are millions of lines with few names: a name is looked up and
 * escaped once, so that a line consists of copied bytes and digits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "out/units.h"
#include "print/lifetime_names.h"
#include "print/lifetime_row.h"
#include "print/resolve.h"
#include "print/site.h"
#include "rows/lost.h"

#define ROW_MAX		32768	/* bytes of the longest line: names are bounded */

/* Numbers of the columns of a lifetime. */
#define NUMBER(id, ...)	C_##id,
enum column { LT_ROW_LIFETIME(NUMBER) N_COLUMNS };

_Static_assert(N_COLUMNS <= LT_ROW_COLUMNS, "room for all columns");

/* The columns of a birth or death, counted from the first of them. */
enum { M_CPU, M_CTX, M_SITE, M_TASK, M_TID, M_TGID, M_START, M_COMM };

/* Those of a birth that CSV and JSON always have, in their order; a death has the same. */
static const unsigned char moment[] = { M_CPU, M_CTX, M_SITE, M_TID, M_TGID, M_START, M_COMM };

static size_t number_of(const struct lt_column *c)
{
	return (size_t)(c - lt_rows_of_lifetime.columns);
}

/* ------------------------------------------------------------------------
 * Pieces
 */

static inline char *put(char *p, const struct lt_piece *piece)
{
	/* Copies the whole buffer: a constant size is faster than the size of the text. */
	memcpy(p, piece->text, sizeof(piece->text));
	return p + piece->len;
}

static inline char *put_cell(char *p, const struct lt_cell *cell)
{
	memcpy(p, cell->text, cell->len);
	return p + cell->len;
}

static void set_piece(struct lt_piece *piece, const char *before, const char *text,
		      const char *behind)
{
	piece->len = (uint32_t)(stpcpy(stpcpy(stpcpy(piece->text, before), text), behind) -
				piece->text);
}

/* A constant that is a whole cell. */
static void set_constant(const struct lt_row_writer *w, struct lt_piece *piece, const char *text)
{
	const char *quote = w->format == LT_FORMAT_JSON ? "\"" : "";

	set_piece(piece, quote, text, quote);
}

/* A text in the format of the writer, in w->scratch. */
static const struct lt_out *render(struct lt_row_writer *w, const char *text)
{
	struct lt_value v = { 0 };

	w->scratch.used = 0;
	lt_value_text(&v, text, strlen(text));
	lt_value_print(&w->scratch, w->format, &v);
	return &w->scratch;
}

/* ------------------------------------------------------------------------
 * Names
 */

static const struct lt_cell *make_cell(struct lt_row_writer *w, struct lt_cells *cells,
				       uint64_t key, const char *text)
{
	const struct lt_out *made = render(w, text);

	return lt_cells_add(cells, key, made->buf, made->used);
}

static const struct lt_cell *site_cell(struct lt_row_writer *w, uint64_t site)
{
	const struct lt_cell *cell = lt_cells_find(&w->sites, site);
	const struct lt_place *place = NULL;
	char buf[LT_SITE_TEXT];

	if (cell)
		return cell;
	/* CSV and JSON have columns for that. */
	if (w->lines && w->format == LT_FORMAT_TEXT)
		place = lt_lines_find(w->lines, site);
	return make_cell(w, &w->sites, site, lt_site_chain(w->trace, site, place, buf,
							   sizeof(buf)));
}

static const struct lt_cell *gfp_cell(struct lt_row_writer *w, uint32_t gfp)
{
	const struct lt_cell *cell = lt_cells_find(&w->gfps, gfp);
	char buf[256];

	if (cell)
		return cell;
	return make_cell(w, &w->gfps, gfp, lt_trace_gfp(w->trace, gfp, buf, sizeof(buf)));
}

/* "lost on cpu 1 at 3.200000000 s"; NULL: there is nothing more to say than the reason. */
const char *lt_row_lost(const struct lt_row_writer *w, const struct lt_row *row, char *buf,
			size_t size)
{
	const struct lt_gap gap = {
		.cpu = row->gap_cpu, .begin = row->gap_begin, .end = row->gap_end,
	};
	char time[LT_TIME_TEXT + 2] = "";

	if (!row->gap)
		return NULL;
	if (lt_lost_at(&gap) != UINT64_MAX) {
		lt_times_text(&w->times, lt_lost_at(&gap), 9, time);
		if (w->times.base != LT_TIMES_WALL)
			strcat(time, " s");
	}
	return lt_lost_text(&gap, time, buf, size);
}

static const struct lt_cell *lost_cell(struct lt_row_writer *w, const struct lt_row *row)
{
	const struct lt_cell *cell = lt_cells_find(&w->losts, row->gap);
	char buf[128];

	if (cell || !lt_row_lost(w, row, buf, sizeof(buf)))
		return cell;
	return make_cell(w, &w->losts, row->gap, buf);
}

/* Why a lifetime is not exact. */
static const struct lt_cell *why_cell(struct lt_row_writer *w, const struct lt_row *row)
{
	const struct lt_lifetime *l = &row->l;
	uint64_t key = l->unwatched ? (uintptr_t)l->unwatched : l->why;
	const struct lt_cell *cell = l->why == LT_WHY_LOST ? lost_cell(w, row) : NULL;
	char buf[96];

	if (!cell)
		cell = lt_cells_find(&w->whys, key);
	if (cell)
		return cell;
	snprintf(buf, sizeof(buf), "%s%s%s", lt_cause_text((enum lt_cause)l->why),
		 l->unwatched ? ": " : "", l->unwatched ? l->unwatched : "");
	return make_cell(w, &w->whys, key, buf);
}

const char *lt_row_cache(const struct lt_row_writer *w, const struct lt_row *row, char *buf,
			 size_t size)
{
	uint64_t key = lt_lifetime_cache_key(&w->kmalloc, &row->l);

	if (row->cache || !key)
		return row->cache;
	if (key & LT_KEY_KMALLOC)
		return lt_cache_key_name(w->trace, key, buf, size);
	snprintf(buf, size, "cache #%u", row->l.cache);
	return buf;
}

/* NULL: not known. */
static const struct lt_cell *cache_cell(struct lt_row_writer *w, const struct lt_row *row)
{
	/* Names do not move, so the pointer is the key; cache ids are smaller than pointers. */
	uint64_t key = row->cache ? (uintptr_t)row->cache :
		       lt_lifetime_cache_key(&w->kmalloc, &row->l);
	const struct lt_cell *cell;
	char buf[128];

	if (!key)
		return NULL;
	cell = lt_cells_find(&w->caches, key);
	if (cell)
		return cell;
	return make_cell(w, &w->caches, key, lt_row_cache(w, row, buf, sizeof(buf)));
}

/* The four columns of a task, or two in text for people. */
static void render_task(struct lt_row_writer *w, struct lt_row_task *rt, unsigned int which)
{
	const struct lt_piece *keys = &w->keys[which ? C_death_cpu : C_birth_cpu];
	const struct lt_out *name = render(w, rt->task.comm);
	char *p = rt->text[which];
	char tid[LT_HUMAN];

	if (w->format == LT_FORMAT_TEXT) {
		size_t n = (size_t)(lt_put_human_count(tid, rt->task.tid) - tid), width = 0;

		for (size_t i = 0; i < name->used; i++)
			width += ((unsigned char)name->buf[i] & 0xc0) != 0x80;
		p = lt_text_cell(&w->text, p, T_TID, tid, n, n);
		p = lt_text_cell(&w->text, p, T_COMM, name->buf, name->used, width);
	} else {
		p = lt_put_u64(put(p, &keys[M_TID]), rt->task.tid);
		p = lt_put_u64(put(p, &keys[M_TGID]), rt->task.tgid);
		p = lt_put_u64(put(p, &keys[M_START]), rt->task.start);
		p = put(p, &keys[M_COMM]);
		memcpy(p, name->buf, name->used);
		p += name->used;
	}
	rt->len[which] = (uint32_t)(p - rt->text[which]);
}

static char *put_task(struct lt_row_writer *w, char *p, const struct lt_task *task,
		      unsigned int which)
{
	struct lt_row_task *rt = &w->tasks[(task->tid ^ task->tid >> 8) % LT_ROW_TASKS];

	if (rt->task.tid != task->tid || rt->task.start != task->start ||
	    rt->task.tgid != task->tgid ||
	    memcmp(rt->task.comm, task->comm, sizeof(task->comm)) || !rt->len[0]) {
		rt->task = *task;
		render_task(w, rt, 0);
		render_task(w, rt, 1);
	}
	memcpy(p, rt->text[which], rt->len[which]);
	return p + rt->len[which];
}

/* ------------------------------------------------------------------------
 * CSV and JSON
 */

static inline char *key(const struct lt_row_writer *w, char *p, unsigned int col)
{
	return put(p, &w->keys[col]);
}

static inline char *none(const struct lt_row_writer *w, char *p, unsigned int col)
{
	return put(key(w, p, col), &w->none);
}

static inline char *number(const struct lt_row_writer *w, char *p, unsigned int col, bool known,
			   uint64_t v)
{
	p = key(w, p, col);
	return known ? lt_put_u64(p, v) : put(p, &w->none);
}

static inline char *time_at(const struct lt_row_writer *w, char *p, unsigned int col, bool known,
			    uint64_t time)
{
	p = key(w, p, col);
	return known ? lt_put_s64(p, lt_times_ns(&w->times, time)) : put(p, &w->none);
}

static inline char *cell(const struct lt_row_writer *w, char *p, unsigned int col,
			 const struct lt_cell *text)
{
	p = key(w, p, col);
	return text ? put_cell(p, text) : put(p, &w->none);
}

static char *put_moment(struct lt_row_writer *w, char *p, const struct lt_moment *m,
			const struct lt_task *task, unsigned int which)
{
	unsigned int first = which ? C_death_cpu : C_birth_cpu;

	if (!m->known) {
		for (unsigned int i = 0; i < sizeof(moment); i++)
			p = none(w, p, first + moment[i]);
		return p;
	}
	p = number(w, p, first + M_CPU, true, m->cpu);
	p = put(key(w, p, first + M_CTX), &w->contexts[m->context & 3]);
	p = cell(w, p, first + M_SITE, m->call_site ? site_cell(w, m->call_site) : NULL);
	if (task)
		return put_task(w, p, task, which);
	for (unsigned int i = M_TID; i <= M_COMM; i++)
		p = none(w, p, first + i);
	return p;
}

static char *put_address(const struct lt_row_writer *w, char *p, uint64_t ptr)
{
	p = key(w, p, C_address);
	if (w->format == LT_FORMAT_JSON)
		*p++ = '"';
	p = lt_put_hex(p, ptr);
	if (w->format == LT_FORMAT_JSON)
		*p++ = '"';
	return p;
}

static char *put_resolved(struct lt_row_writer *w, char *p, unsigned int col,
			  const struct lt_lifetime *l)
{
	struct lt_resolver resolver = {
		.times = &w->times, .trace = w->trace, .lines = w->lines,
	};
	struct lt_value v;

	lt_row_get(&lt_rows_of_lifetime.columns[col], l, &w->ctx, &v);
	lt_resolve(&resolver, &v);
	w->scratch.used = 0;
	lt_value_print(&w->scratch, w->format, &v);
	lt_resolver_destroy(&resolver);
	p = key(w, p, col);
	memcpy(p, w->scratch.buf, w->scratch.used);
	return p + w->scratch.used;
}

/* The columns that are newer than this writer, see LT_ROW_LIFETIME(). */
static char *put_later(struct lt_row_writer *w, char *p, const struct lt_lifetime *l)
{
	for (unsigned int i = C_bytes_last + 1; i < N_COLUMNS; i++)
		if (lt_rows_of_lifetime.columns[i].marks & LT_COLUMN_LINES)
			p = put_resolved(w, p, i, l);
	return p;
}

/* @stacks: the columns of stacks, NULL: none */
static char *put_fields(struct lt_row_writer *w, char *p, const struct lt_row *row,
			const struct lt_cell *const stacks[2])
{
	const struct lt_lifetime *l = &row->l;
	bool born = l->birth.known, rcu = l->ending == LT_END_RCU;

	p = put(key(w, p, C_kind), &w->kinds[lt_lifetime_kind(l)]);
	p = put_address(w, p, l->ptr);
	p = cell(w, p, C_cache, cache_cell(w, row));
	p = number(w, p, C_bytes_req, born && l->bytes_req, l->bytes_req);
	p = number(w, p, C_bytes_alloc, born && l->bytes_alloc, l->bytes_alloc);
	p = cell(w, p, C_gfp, born ? gfp_cell(w, l->gfp) : NULL);
	p = key(w, p, C_node);
	p = lt_lifetime_has_node(l) ? lt_put_s64(p, l->node) : put(p, &w->none);
	p = number(w, p, C_order, l->space == LT_SPACE_PAGE, l->order);
	p = time_at(w, p, C_birth, born, l->birth.time);
	p = time_at(w, p, C_death, l->ending != LT_END_ALIVE, l->death.time);
	p = number(w, p, C_lifetime, born, lt_lifetime_ns(l));
	p = put(key(w, p, C_certainty), &w->certainties[l->certainty]);
	p = put(key(w, p, C_ended_by), &w->endings[l->ending]);
	p = time_at(w, p, C_rcu_request, rcu, l->death.time);
	p = number(w, p, C_rcu_limbo, rcu && l->rcu_confirmed >= l->death.time,
		   l->rcu_confirmed - l->death.time);
	p = put_moment(w, p, &l->birth, l->birth.task ? &row->tasks[0] : NULL, 0);
	p = put_moment(w, p, &l->death, l->death.task ? &row->tasks[1] : NULL, 1);
	p = cell(w, p, C_why, l->why ? why_cell(w, row) : NULL);
	p = number(w, p, C_bytes_last, l->resized, l->bytes_last);
	p = put_later(w, p, l);
	if (w->lines) {
		p = put_cell(p, lt_row_source(w, &w->keys[C_birth_file], &l->birth, 0));
		p = put_cell(p, lt_row_source(w, &w->keys[C_death_file], &l->death, 1));
	}
	for (unsigned int i = 0; i < 2 && stacks[i]; i++)
		p = put_cell(p, stacks[i]);
	if (w->format == LT_FORMAT_JSON)
		*p++ = '}';
	*p++ = '\n';
	return p;
}

/* ------------------------------------------------------------------------
 * For people
 */

static char *text_none(const struct lt_row_writer *w, char *p, enum lt_text_column col)
{
	return lt_text_cell(&w->text, p, col, "-", 1, 1);
}

static char *text_piece(const struct lt_row_writer *w, char *p, enum lt_text_column col,
			const struct lt_piece *piece)
{
	return lt_text_cell(&w->text, p, col, piece->text, piece->len, piece->len);
}

static char *text_bytes(const struct lt_row_writer *w, char *p, enum lt_text_column col,
			const struct lt_lifetime *l, uint64_t bytes)
{
	char tmp[LT_HUMAN];
	size_t n;

	if (!l->birth.known || !bytes)
		return text_none(w, p, col);
	n = (size_t)(lt_put_human_bytes(tmp, bytes) - tmp);
	return lt_text_cell(&w->text, p, col, tmp, n, n);
}

static char *text_cell(const struct lt_row_writer *w, char *p, enum lt_text_column col,
		       const struct lt_cell *text)
{
	if (!text)
		return text_none(w, p, col);
	return lt_text_cell(&w->text, p, col, text->text, text->len, text->width);
}

static char *text_site(struct lt_row_writer *w, char *p, enum lt_text_column col,
		       const struct lt_moment *m)
{
	return text_cell(w, p, col, m->known && m->call_site ? site_cell(w, m->call_site) : NULL);
}

static char *text_times(const struct lt_row_writer *w, char *p, const struct lt_lifetime *l)
{
	char tmp[LT_TIME_TEXT];
	size_t n;

	if (!l->birth.known)
		return text_none(w, lt_text_cell(&w->text, p, T_BIRTH, "-", 1, 1), T_LIFETIME);
	n = (size_t)(lt_times_put(&w->times, tmp, l->birth.time, 9) - tmp);
	p = lt_text_cell(&w->text, p, T_BIRTH, tmp, n, n);
	n = (size_t)(lt_put_human_ns(tmp, lt_lifetime_ns(l)) - tmp);
	return lt_text_cell(&w->text, p, T_LIFETIME, tmp, n, n);
}

/* The line ends with its last word. */
static char *without_padding(char *p)
{
	while (p[-1] == ' ')
		p--;
	return p;
}

static char *put_text(struct lt_row_writer *w, char *p, const struct lt_row *row)
{
	const struct lt_lifetime *l = &row->l;
	char tmp[LT_HUMAN];
	size_t n;

	p = text_times(w, p, l);
	p = text_piece(w, p, T_CERTAINTY, &w->certainties[l->certainty]);
	p = text_piece(w, p, T_ENDED_BY, &w->endings[l->ending]);
	n = (size_t)(lt_put_hex(tmp, l->ptr) - tmp);
	p = lt_text_cell(&w->text, p, T_ADDRESS, tmp, n, n);
	p = text_cell(w, p, T_CACHE, cache_cell(w, row));
	p = text_bytes(w, p, T_BYTES_REQ, l, l->bytes_req);
	p = text_bytes(w, p, T_BYTES_ALLOC, l, l->bytes_alloc);
	p = text_site(w, p, T_BIRTH_SITE, &l->birth);
	if (l->birth.known && l->birth.task)
		p = put_task(w, p, &row->tasks[0], 0);
	else
		p = text_none(w, text_none(w, p, T_TID), T_COMM);
	p = text_site(w, p, T_DEATH_SITE, &l->death);
	if (l->why)
		p = text_cell(w, p, T_WHY, why_cell(w, row));
	if (!l->why || w->text.hidden & 1U << T_WHY)
		p = without_padding(p);
	*p++ = '\n';
	return p;
}

/* ------------------------------------------------------------------------
 * Lines
 */

void lt_row_header(struct lt_row_writer *w, struct lt_out *o)
{
	char *p = lt_out_room(o, ROW_MAX);

	lt_text_columns_init(&w->text, lt_times_width(&w->times, 9), o->width);
	if (w->format == LT_FORMAT_JSON)
		return;
	if (w->format == LT_FORMAT_CSV) {
		for (size_t i = 0; i < w->n_columns; i++)
			p = stpcpy(put(p, &w->keys[number_of(w->columns[i])]), w->columns[i]->name);
	} else {
		p = lt_text_heads(&w->text, p,
				  w->times.base == LT_TIMES_WALL ? "birth [UTC]" : NULL);
	}
	*p++ = '\n';
	lt_out_done(o, p);
}

void lt_row_end(const struct lt_row_writer *w, struct lt_out *o)
{
	if (w->format == LT_FORMAT_TEXT)
		lt_text_no_room(&w->text, o);
}

void lt_row_write(struct lt_row_writer *w, struct lt_out *o, const struct lt_row *row)
{
	const struct lt_cell *stacks[2] = { NULL };
	size_t room = ROW_MAX;
	char *p;

	for (unsigned int i = 0; i < 2 && w->stacks && w->format != LT_FORMAT_TEXT; i++) {
		stacks[i] = lt_row_stack(w, &w->keys[i ? C_death_stack : C_birth_stack],
					 &row->stacks[i], i);
		room += stacks[i]->len;
	}
	p = lt_out_room(o, room);
	lt_out_done(o, w->format == LT_FORMAT_TEXT ? put_text(w, p, row) :
		       put_fields(w, p, row, stacks));
}

void lt_row_new_symbols(struct lt_row_writer *w)
{
	lt_cells_destroy(&w->sites);
	lt_cells_init(&w->sites);
	for (unsigned int i = 0; i < 2; i++) {
		lt_cells_destroy(&w->sources[i]);
		lt_cells_init(&w->sources[i]);
		lt_cells_destroy(&w->stack_cells[i]);
		lt_cells_init(&w->stack_cells[i]);
	}
}

static void init_constants(struct lt_row_writer *w)
{
	for (unsigned int i = 0; i < LT_N_LIFETIME_KINDS; i++)
		set_constant(w, &w->kinds[i], lt_kind_name((enum lt_lifetime_kind)i));
	for (unsigned int i = 0; i < LT_N_CERTAINTIES; i++)
		set_constant(w, &w->certainties[i], lt_certainty_name((enum lt_certainty)i));
	for (unsigned int i = 0; i < LT_N_ENDINGS; i++)
		set_constant(w, &w->endings[i], lt_ending_name((enum lt_ending)i));
	for (unsigned int i = 0; i < 4; i++)
		set_constant(w, &w->contexts[i], lt_context_name(i));
}

void lt_row_writer_init(struct lt_row_writer *w)
{
	bool json = w->format == LT_FORMAT_JSON;

	w->ctx.common.addresses = true;
	w->ctx.trace = w->trace;
	w->ctx.kmalloc = &w->kmalloc;
	w->n_columns = lt_row_columns(&lt_rows_of_lifetime, LT_COLUMN_LINES |
				      (w->lines ? LT_COLUMN_IF_LINES : 0) |
				      (w->stacks ? LT_COLUMN_IF_STACKS : 0), &w->columns);
	for (size_t i = 0; i < w->n_columns; i++) {
		struct lt_piece *piece = &w->keys[number_of(w->columns[i])];

		if (json)
			set_piece(piece, i ? ",\"" : "{\"", w->columns[i]->name, "\":");
		else
			set_piece(piece, i ? "," : "", "", "");
	}
	set_piece(&w->none, json ? "null" : "", "", "");
	init_constants(w);
	lt_cells_init(&w->sites);
	for (unsigned int i = 0; i < 2; i++) {
		lt_cells_init(&w->sources[i]);
		lt_cells_init(&w->stack_cells[i]);
	}
	lt_cells_init(&w->gfps);
	lt_cells_init(&w->caches);
	lt_cells_init(&w->whys);
	lt_cells_init(&w->losts);
	w->scratch = (struct lt_out)LT_OUT_INIT(-1);
	w->frames = (struct lt_out)LT_OUT_INIT(-1);
	w->tasks = lt_alloc_array(LT_ROW_TASKS, sizeof(*w->tasks));
}

void lt_row_writer_destroy(struct lt_row_writer *w)
{
	lt_cells_destroy(&w->sites);
	for (unsigned int i = 0; i < 2; i++) {
		lt_cells_destroy(&w->sources[i]);
		lt_cells_destroy(&w->stack_cells[i]);
	}
	lt_cells_destroy(&w->gfps);
	lt_cells_destroy(&w->caches);
	lt_cells_destroy(&w->whys);
	lt_cells_destroy(&w->losts);
	free(w->columns);
	free(w->tasks);
	free(w->scratch.buf);
	free(w->frames.buf);
}

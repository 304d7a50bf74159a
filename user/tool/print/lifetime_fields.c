// SPDX-License-Identifier: GPL-2.0
/*
 * A lifetime as a line of CSV or JSON. Columns that stand side by side and depend on little, such
 * as those of an allocation, are one piece.
 */
#include <stdio.h>
#include <string.h>

#include "print/lifetime_names.h"
#include "print/resolve.h"

/* The columns of a birth or death, counted from the first of them. */
enum { M_CPU, M_CTX, M_SITE, M_TASK, M_TID, M_TGID, M_START, M_COMM };

/* ------------------------------------------------------------------------
 * Columns
 */

static inline char *key(const struct lt_row_writer *w, char *p, unsigned int col)
{
	return lt_piece_put(p, &w->keys[col]);
}

static inline char *none(const struct lt_row_writer *w, char *p, unsigned int col)
{
	return lt_piece_put(key(w, p, col), &w->none);
}

static inline char *number(const struct lt_row_writer *w, char *p, unsigned int col, bool known,
			   uint64_t v)
{
	p = key(w, p, col);
	return known ? lt_put_u64(p, v) : lt_piece_put(p, &w->none);
}

static inline char *time_at(const struct lt_row_writer *w, char *p, unsigned int col, bool known,
			    uint64_t time)
{
	p = key(w, p, col);
	return known ? lt_put_s64(p, lt_times_ns(&w->times, time)) : lt_piece_put(p, &w->none);
}

static inline char *cell(const struct lt_row_writer *w, char *p, unsigned int col,
			 const struct lt_cell *text)
{
	p = key(w, p, col);
	return text ? lt_cell_put(p, text) : lt_piece_put(p, &w->none);
}

/* What stands around an address and is no part of the column before. */
static inline char *quote(const struct lt_row_writer *w, char *p)
{
	if (w->format == LT_FORMAT_JSON)
		*p++ = '"';
	return p;
}

static char *put_address(const struct lt_row_writer *w, char *p, uint64_t ptr)
{
	return quote(w, lt_put_hex(quote(w, key(w, p, C_address)), ptr));
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

/* ------------------------------------------------------------------------
 * Pieces
 */

static char *render_task(struct lt_row_writer *w, char *p, const struct lt_task *task,
			 unsigned int first)
{
	const struct lt_out *name = lt_row_render(w, task->comm);

	p = lt_put_u64(key(w, p, first + M_TID), task->tid);
	p = lt_put_u64(key(w, p, first + M_TGID), task->tgid);
	p = lt_put_u64(key(w, p, first + M_START), task->start);
	p = key(w, p, first + M_COMM);
	memcpy(p, name->buf, name->used);
	return p + name->used;
}

/* The four columns of a task. */
static char *put_task(struct lt_row_writer *w, char *p, const struct lt_task *task,
		      unsigned int which)
{
	uint64_t words[5] = { task->tid | (uint64_t)task->tgid << 32, task->start };
	struct lt_memo_text *known;

	lt_memo_name(words + 2, task->comm, which);
	known = lt_memo_find(&w->tasks, words, 5);
	if (known->len)
		return lt_memo_put(p, known);
	return lt_memo_keep(known, p, render_task(w, p, task, which ? C_death_cpu : C_birth_cpu));
}

static char *render_moment(struct lt_row_writer *w, char *p, const struct lt_moment *m,
			   unsigned int first, bool has_task)
{
	p = number(w, p, first + M_CPU, m->known, m->cpu);
	p = key(w, p, first + M_CTX);
	p = lt_piece_put(p, m->known ? &w->contexts[m->context & 3] : &w->none);
	p = cell(w, p, first + M_SITE, m->known && m->call_site ? lt_row_site(w, m->call_site) :
								  NULL);
	for (unsigned int i = M_TID; !has_task && i <= M_COMM; i++)
		p = none(w, p, first + i);
	return p;
}

static char *put_moment(struct lt_row_writer *w, char *p, const struct lt_moment *m,
			const struct lt_task *task, unsigned int which)
{
	bool has_task = m->known && task;
	uint64_t words[2] = { which | (uint64_t)has_task << 1 };
	struct lt_memo_text *known;

	if (m->known) {
		words[0] |= 4 | (uint64_t)m->context << 8 | (uint64_t)m->cpu << 16;
		words[1] = m->call_site;
	}
	known = lt_memo_find(&w->moments, words, 2);
	if (known->len)
		p = lt_memo_put(p, known);
	else
		p = lt_memo_keep(known, p, render_moment(w, p, m, which ? C_death_cpu :
							 C_birth_cpu, has_task));
	return has_task ? put_task(w, p, task, which) : p;
}

static char *render_object(struct lt_row_writer *w, char *p, const struct lt_row *row)
{
	const struct lt_lifetime *l = &row->l;
	bool born = l->birth.known;

	p = cell(w, p, C_cache, lt_row_cache_cell(w, row));
	p = number(w, p, C_bytes_req, born && l->bytes_req, l->bytes_req);
	p = number(w, p, C_bytes_alloc, born && l->bytes_alloc, l->bytes_alloc);
	p = cell(w, p, C_gfp, born ? lt_row_gfp(w, l->gfp) : NULL);
	p = key(w, p, C_node);
	p = lt_lifetime_has_node(l) ? lt_put_s64(p, l->node) : lt_piece_put(p, &w->none);
	return number(w, p, C_order, l->space == LT_SPACE_PAGE, l->order);
}

/* From the cache to the order of pages. */
static char *put_object(struct lt_row_writer *w, char *p, const struct lt_row *row)
{
	const struct lt_lifetime *l = &row->l;
	/* Names do not move, so the pointer is the key; cache ids are smaller than pointers. */
	const uint64_t words[5] = {
		l->kind | (uint64_t)l->space << 8 | (uint64_t)l->order << 16 |
		(uint64_t)l->birth.known << 24,
		l->gfp | (uint64_t)(uint32_t)l->node << 32, l->bytes_req, l->bytes_alloc,
		row->cache ? (uintptr_t)row->cache : l->cache,
	};
	struct lt_memo_text *known = lt_memo_find(&w->objects, words, 5);

	return known->len ? lt_memo_put(p, known) :
		lt_memo_keep(known, p, render_object(w, p, row));
}

static char *render_end(const struct lt_row_writer *w, char *p, const struct lt_lifetime *l)
{
	bool rcu = l->ending == LT_END_RCU;

	p = lt_piece_put(key(w, p, C_certainty), &w->certainties[l->certainty]);
	p = lt_piece_put(key(w, p, C_ended_by), &w->endings[l->ending]);
	p = time_at(w, p, C_rcu_request, rcu, l->death.time);
	return number(w, p, C_rcu_limbo, rcu && l->rcu_confirmed >= l->death.time,
		      l->rcu_confirmed - l->death.time);
}

/* From the certainty on; the times of RCU belong to it. */
static inline char *put_end(struct lt_row_writer *w, char *p, const struct lt_lifetime *l)
{
	const uint64_t words[1] = { l->certainty | (uint64_t)l->ending << 8 };
	struct lt_memo_text *known;

	if (l->ending == LT_END_RCU)
		return render_end(w, p, l);
	known = lt_memo_find(&w->ends, words, 1);
	return known->len ? lt_memo_put(p, known) : lt_memo_keep(known, p, render_end(w, p, l));
}

/* ------------------------------------------------------------------------
 * The line
 */

static char *end_line(const struct lt_row_writer *w, char *p)
{
	if (w->format == LT_FORMAT_JSON)
		*p++ = '}';
	*p++ = '\n';
	return p;
}

static char *put_last(struct lt_row_writer *w, char *p, const struct lt_row *row)
{
	const struct lt_lifetime *l = &row->l;

	p = cell(w, p, C_why, l->why ? lt_row_why_cell(w, row) : NULL);
	p = number(w, p, C_bytes_last, l->resized, l->bytes_last);
	p = put_later(w, p, l);
	if (w->lines) {
		p = lt_cell_put(p, lt_row_source(w, &w->keys[C_birth_file], &l->birth, 0));
		p = lt_cell_put(p, lt_row_source(w, &w->keys[C_death_file], &l->death, 1));
	}
	return p;
}

char *lt_row_fields(struct lt_row_writer *w, char *p, const struct lt_row *row,
		    const struct lt_cell *const stacks[2])
{
	const struct lt_lifetime *l = &row->l;
	bool born = l->birth.known;

	p = lt_piece_put(key(w, p, C_kind), &w->kinds[lt_lifetime_kind(l)]);
	p = put_address(w, p, l->ptr);
	p = put_object(w, p, row);
	p = time_at(w, p, C_birth, born, l->birth.time);
	p = time_at(w, p, C_death, l->ending != LT_END_ALIVE, l->death.time);
	p = number(w, p, C_lifetime, born, lt_lifetime_ns(l));
	p = put_end(w, p, l);
	p = put_moment(w, p, &l->birth, l->birth.task ? &row->tasks[0] : NULL, 0);
	p = put_moment(w, p, &l->death, l->death.task ? &row->tasks[1] : NULL, 1);
	p = put_last(w, p, row);
	for (unsigned int i = 0; i < 2 && stacks[i]; i++)
		p = lt_cell_put(p, stacks[i]);
	return end_line(w, p);
}

/* ------------------------------------------------------------------------
 * The line of a short row: constant pieces, in which also the names of the columns of numbers are,
 * and four numbers
 */

/*
 * Texts of traits; others have their first one alone, tasks one of the birth and one of the death.
 */
enum { K_KIND, K_OBJECT, K_SITE };

static char *render_traits(struct lt_row_writer *w, char *p, const struct lt_kept *k,
			   unsigned int i)
{
	struct lt_row row;

	lt_kept_row(k, &row);
	if (i == K_KIND) {
		p = lt_piece_put(key(w, p, C_kind), &w->kinds[lt_lifetime_kind(&row.l)]);
		return quote(w, key(w, p, C_address));
	}
	if (i == K_OBJECT)
		return key(w, render_object(w, quote(w, p), &row), C_birth);
	return cell(w, p, C_birth_site, row.l.birth.call_site ?
		    lt_row_site(w, row.l.birth.call_site) : NULL);
}

static inline char *put_traits(struct lt_row_writer *w, char *p, struct lt_kept *k, unsigned int i)
{
	return k->pieces[i].text ? lt_kept_put(p, k, i) :
	       lt_kept_keep(k, i, p, render_traits(w, p, k, i));
}

static char *render_death_site(struct lt_row_writer *w, char *p, struct lt_kept *k)
{
	const uint64_t site = lt_kept_site(k);

	return lt_kept_keep(k, 0, p, cell(w, p, C_death_site, site ? lt_row_site(w, site) : NULL));
}

static inline char *put_death_site(struct lt_row_writer *w, char *p, struct lt_kept *k)
{
	return k->pieces[0].text ? lt_kept_put(p, k, 0) : render_death_site(w, p, k);
}

/* Stacks are the last columns, if there are any. */
static char *end_fields(const struct lt_row_writer *w, char *p)
{
	return w->stacks ? p : end_line(w, p);
}

/* The task of the death is the last that lines differ in, but for stacks. */
static char *render_kept_task(struct lt_row_writer *w, char *p, const struct lt_kept *k,
			      unsigned int which)
{
	const unsigned int first = which ? C_death_cpu : C_birth_cpu;
	struct lt_task task;

	if (lt_kept_task(k, &task)) {
		p = render_task(w, p, &task, first);
	} else {
		for (unsigned int i = M_TID; i <= M_COMM; i++)
			p = none(w, p, first + i);
	}
	if (!which)
		return p;
	p = cell(w, p, C_why, lt_kept_is_unsure(k) ? lt_row_why_cell(w, &w->unsure) : NULL);
	return end_fields(w, none(w, p, C_bytes_last));
}

static inline char *put_kept_task(struct lt_row_writer *w, char *p, struct lt_kept *k,
				  unsigned int which)
{
	return k->pieces[which].text ? lt_kept_put(p, k, which) :
	       lt_kept_keep(k, which, p, render_kept_task(w, p, k, which));
}

_Static_assert(LT_N_ENDINGS < 16, "four bits of a word of wheres");

#define UNSURE	16U	/* the fifth one */

static char *render_where(const struct lt_row_writer *w, char *p, uint32_t cpu,
			  unsigned int context, unsigned int end)
{
	const unsigned int first = end ? C_birth_cpu : C_death_cpu;

	if (end) {
		const uint8_t ending = (uint8_t)((end & ~UNSURE) - 1);
		const struct lt_lifetime l = {
			.certainty = end & UNSURE ? LT_UNCERTAIN :
				     ending == LT_END_ALIVE ? LT_OPEN : LT_EXACT,
			.ending = ending,
		};

		p = render_end(w, p, &l);
	}
	p = key(w, number(w, p, first + M_CPU, true, cpu), first + M_CTX);
	return lt_piece_put(p, &w->contexts[context & 3]);
}

/*
 * The CPU and context of the birth, and before them the end. @end: 1 more than enum lt_ending, and
 * UNSURE if it is that; 0: those of the death
 */
static inline __attribute__((always_inline)) char *
put_where(const struct lt_row_writer *w, char *p, uint32_t cpu, unsigned int context,
	  unsigned int end)
{
	const uint64_t word = (uint64_t)cpu << 7 | (context & 3) << 5 | end;
	struct lt_memo_text *known = lt_memo_at(&w->wheres, word % LT_ROW_WHERES, &word, 1);

	return known->len ? lt_memo_put(p, known) :
	       lt_memo_keep(known, p, render_where(w, p, cpu, context, end));
}

static char *render_alive(struct lt_row_writer *w, char *p)
{
	const struct lt_row row = { .l.why = LT_WHY_ALIVE };

	p = render_moment(w, p, &row.l.death, C_death_cpu, false);
	p = cell(w, p, C_why, lt_row_why_cell(w, &row));
	return end_fields(w, none(w, p, C_bytes_last));
}

/* No death, and why. */
static inline char *put_alive(struct lt_row_writer *w, char *p)
{
	return w->alive.pieces[0].text ? lt_kept_put(p, &w->alive, 0) :
	       lt_kept_keep(&w->alive, 0, p, render_alive(w, p));
}

/* What is seldom called must not take registers of what is called for each line. */
#define SELDOM	__attribute__((noinline))

/* Most numbers have eight digits at most. */
static inline __attribute__((always_inline)) char *put_number(char *p, uint64_t v)
{
	return v < 100000000 ? lt_put_small(p, (uint32_t)v) : lt_put_u64(p, v);
}

#define MILLI	1000000
#define TENTH	100000000

/*
 * A time of another span than that before, which begins with what stands at @p. Keeps what stands
 * before the last digits, @n of them, which are those below @span.
 */
static SELDOM char *put_other_time(struct lt_row_span *s, char *p, char *number, int64_t ns,
				   int64_t span, unsigned int n)
{
	char *end = lt_put_s64(number, ns);

	s->len = 0;
	if (ns >= span && (size_t)(end - p) <= sizeof(s->text)) {
		s->begin = (uint64_t)(ns - ns % span);
		s->len = (uint32_t)(end - n - p);
		memcpy(s->text, p, s->len);
	}
	return end;
}

static inline char *put_birth(struct lt_row_writer *w, char *p, uint64_t time)
{
	const int64_t ns = lt_times_ns(&w->times, time);
	const uint64_t low = (uint64_t)ns - w->tenth.begin;

	if ((uint64_t)ns < TENTH)
		return lt_put_small(p, (uint32_t)ns);
	if (!w->tenth.len || low >= TENTH)
		return put_other_time(&w->tenth, p, p, ns, TENTH, 8);
	memcpy(p, w->tenth.text, sizeof(w->tenth.text));
	p = lt_put_pair(p + w->tenth.len, (uint32_t)low / MILLI);
	return lt_put_6(p, (uint32_t)low % MILLI);
}

static inline char *put_death(struct lt_row_writer *w, char *p, uint64_t time)
{
	const int64_t ns = lt_times_ns(&w->times, time);
	const uint64_t low = (uint64_t)ns - w->milli.begin;

	if (!w->milli.len || low >= MILLI)
		return put_other_time(&w->milli, p, key(w, p, C_death), ns, MILLI, 6);
	memcpy(p, w->milli.text, sizeof(w->milli.text));
	return lt_put_6(p + w->milli.len, (uint32_t)low);
}

/* The stacks of birth and death. */
static inline void stacks_of(struct lt_row_writer *w, const struct lt_plain_row *row,
			     struct lt_kept *stacks[2])
{
	stacks[0] = row->traits->stack;
	stacks[1] = row->site ? row->site->stack : w->alive.stack;
}

size_t lt_row_plain_stacks(struct lt_row_writer *w, const struct lt_plain_row *row)
{
	struct lt_kept *stacks[2];
	size_t sum = 0;

	stacks_of(w, row, stacks);
	for (unsigned int i = 0; i < 2; i++) {
		if (!stacks[i]->pieces[i].text)
			lt_kept_make_stack(w, stacks[i], i);
		sum += stacks[i]->pieces[i].len;
	}
	return sum;
}

static inline char *put_stacks(struct lt_row_writer *w, char *p, const struct lt_plain_row *row)
{
	struct lt_kept *stacks[2];

	stacks_of(w, row, stacks);
	p = lt_kept_put(lt_kept_put(p, stacks[0], 0), stacks[1], 1);
	return end_line(w, p);
}

static inline __attribute__((always_inline)) char *
put_plain(struct lt_row_writer *w, char *p, const struct lt_plain_row *row)
{
	p = put_traits(w, p, row->traits, K_KIND);
	p = lt_address_put(&w->address, p, row->ptr);
	p = put_traits(w, p, row->traits, K_OBJECT);
	p = put_birth(w, p, row->born);
	p = row->site ? put_death(w, p, row->died) : none(w, p, C_death);
	p = put_number(key(w, p, C_lifetime), row->died - row->born);
	p = put_where(w, p, row->cpus[0], row->contexts[0],
		      (row->ending + 1U) | (row->unsure ? UNSURE : 0));
	p = put_traits(w, p, row->traits, K_SITE);
	p = put_kept_task(w, p, row->tasks[0], 0);
	if (!row->site)
		return put_alive(w, p);
	p = put_where(w, p, row->cpus[1], row->contexts[1], 0);
	p = put_death_site(w, p, row->site);
	return put_kept_task(w, p, row->tasks[1], 1);
}

char *lt_row_plain_fields(struct lt_row_writer *w, char *p, const struct lt_plain_row *row)
{
	p = put_plain(w, p, row);
	return w->stacks ? put_stacks(w, p, row) : p;
}

char *lt_row_many_fields(struct lt_row_writer *w, char *p, const char *last,
			 const struct lt_plain_row **rows, const struct lt_plain_row *end)
{
	const struct lt_plain_row *row = *rows;

	while (row < end && row->traits && p <= last) {
		const struct lt_plain_row *later = end - row > 4 ? row + 4 : row;

		/* Those of many traits and call sites have no room in the nearest cache. */
		__builtin_prefetch(later->traits);
		__builtin_prefetch(later->site);
		p = put_plain(w, p, row++);
	}
	*rows = row;
	return p;
}

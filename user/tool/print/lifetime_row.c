// SPDX-License-Identifier: GPL-2.0
/*
 * A lifetime as a line. There are millions of lines with few names: a name is looked up and
 * escaped once, so that a line consists of copied bytes and digits.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "out/units.h"
#include "print/lifetime_names.h"
#include "print/lifetime_row.h"

#define ROW_MAX		32768	/* bytes of the longest line: names are bounded */

static size_t number_of(const struct lt_column *c)
{
	return (size_t)(c - lt_rows_of_lifetime.columns);
}

/* ------------------------------------------------------------------------
 * Constants
 */

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
	return text_cell(w, p, col, m->known && m->call_site ? lt_row_site(w, m->call_site) : NULL);
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

static char *render_object(struct lt_row_writer *w, char *p, const struct lt_row *row)
{
	const struct lt_lifetime *l = &row->l;

	p = text_cell(w, p, T_CACHE, lt_row_cache_cell(w, row));
	p = text_bytes(w, p, T_BYTES_REQ, l, l->bytes_req);
	return text_bytes(w, p, T_BYTES_ALLOC, l, l->bytes_alloc);
}

/* From the cache to the site of the birth. */
static char *put_object(struct lt_row_writer *w, char *p, const struct lt_row *row)
{
	const struct lt_lifetime *l = &row->l;
	const struct lt_moment *m = &l->birth;
	/* Names do not move, so the pointer is the key; cache ids are smaller than pointers. */
	const uint64_t words[5] = {
		l->gfp | (uint64_t)l->kind << 32 | (uint64_t)m->known << 40, l->bytes_req,
		l->bytes_alloc, row->cache ? (uintptr_t)row->cache : l->cache,
		m->known ? m->call_site : 0,
	};
	struct lt_memo_text *known = lt_memo_find(&w->moments, words, 5);

	if (known->len)
		return lt_memo_put(p, known);
	return lt_memo_keep(known, p,
			    text_site(w, render_object(w, p, row), T_BIRTH_SITE, m));
}

static char *put_death_site(struct lt_row_writer *w, char *p, const struct lt_moment *m)
{
	/* No birth has the first one. */
	const uint64_t words[5] = { UINT64_MAX, m->known ? m->call_site : 0 };
	struct lt_memo_text *known = lt_memo_find(&w->moments, words, 5);

	return known->len ? lt_memo_put(p, known) :
	       lt_memo_keep(known, p, text_site(w, p, T_DEATH_SITE, m));
}

static char *render_task(struct lt_row_writer *w, char *p, const struct lt_task *task)
{
	const struct lt_out *name = lt_row_render(w, task->comm);
	char tid[LT_HUMAN];
	size_t n = (size_t)(lt_put_u64(tid, task->tid) - tid), width = 0;

	for (size_t i = 0; i < name->used; i++)
		width += ((unsigned char)name->buf[i] & 0xc0) != 0x80;
	p = lt_text_cell(&w->text, p, T_TID, tid, n, n);
	return lt_text_cell(&w->text, p, T_COMM, name->buf, name->used, width);
}

static char *put_task(struct lt_row_writer *w, char *p, const struct lt_task *task)
{
	struct lt_memo_text *known;
	uint64_t words[3];

	lt_memo_name(words, task->comm, task->tid);
	known = lt_memo_find(&w->tasks, words, 3);
	/* Both columns may be hidden. */
	return known->len ? lt_memo_put(p, known) : lt_memo_keep(known, p, render_task(w, p, task));
}

static char *render_end(const struct lt_row_writer *w, char *p, unsigned int certainty,
			unsigned int ending)
{
	return text_piece(w, text_piece(w, p, T_CERTAINTY, &w->certainties[certainty]), T_ENDED_BY,
			  &w->endings[ending]);
}

static char *put_end(struct lt_row_writer *w, char *p, unsigned int certainty, unsigned int ending)
{
	const uint64_t words[1] = { certainty | (uint64_t)ending << 8 };
	struct lt_memo_text *known = lt_memo_find(&w->ends, words, 1);

	return known->len ? lt_memo_put(p, known) :
	       lt_memo_keep(known, p, render_end(w, p, certainty, ending));
}

static char *put_text(struct lt_row_writer *w, char *p, const struct lt_row *row)
{
	const struct lt_lifetime *l = &row->l;
	char tmp[LT_HUMAN];
	size_t n;

	p = text_times(w, p, l);
	p = put_end(w, p, l->certainty, l->ending);
	n = (size_t)(lt_put_hex(tmp, l->ptr) - tmp);
	p = lt_text_cell(&w->text, p, T_ADDRESS, tmp, n, n);
	p = put_object(w, p, row);
	if (l->birth.known && l->birth.task)
		p = put_task(w, p, &row->tasks[0]);
	else
		p = text_none(w, text_none(w, p, T_TID), T_COMM);
	p = put_death_site(w, p, &l->death);
	if (l->why)
		p = text_cell(w, p, T_WHY, lt_row_why_cell(w, row));
	if (!l->why || w->text.hidden & 1U << T_WHY)
		p = without_padding(p);
	*p++ = '\n';
	return p;
}

/* From the cache to the site of the birth, and the site of the death. */
static char *render_traits(struct lt_row_writer *w, char *p, const struct lt_kept *k)
{
	struct lt_row row;

	lt_kept_row(k, &row);
	return text_site(w, render_object(w, p, &row), T_BIRTH_SITE, &row.l.birth);
}

static inline char *put_traits(struct lt_row_writer *w, char *p, struct lt_kept *k)
{
	return k->pieces[0].text ? lt_kept_put(p, k, 0) :
	       lt_kept_keep(k, 0, p, render_traits(w, p, k));
}

static char *render_kept_task(struct lt_row_writer *w, char *p, const struct lt_kept *k)
{
	struct lt_task task;

	return lt_kept_task(k, &task) ? render_task(w, p, &task) :
	       text_none(w, text_none(w, p, T_TID), T_COMM);
}

static inline char *put_kept_task(struct lt_row_writer *w, char *p, struct lt_kept *k)
{
	return k->pieces[0].text ? lt_kept_put(p, k, 0) :
	       lt_kept_keep(k, 0, p, render_kept_task(w, p, k));
}

/* The site of the death, without what pads its column, and the end of the line. */
static char *render_kept_site(struct lt_row_writer *w, char *p, struct lt_kept *k)
{
	const bool alive = k == &w->alive, unsure = lt_kept_is_unsure(k);
	const struct lt_row row = unsure ? w->unsure :
				  (struct lt_row){ .l.why = alive ? LT_WHY_ALIVE : LT_WHY_NONE };
	const struct lt_moment m = { .known = !alive, .call_site = lt_kept_site(k) };
	char *end = text_site(w, p, T_DEATH_SITE, &m);

	if (row.l.why)
		end = text_cell(w, end, T_WHY, lt_row_why_cell(w, &row));
	while (end > p && end[-1] == ' ')
		end--;
	if (end > p)
		*end++ = '\n';
	return lt_kept_keep(k, 0, p, end);
}

static inline char *put_kept_site(struct lt_row_writer *w, char *p, struct lt_kept *k)
{
	p = k->pieces[0].text ? lt_kept_put(p, k, 0) : render_kept_site(w, p, k);
	/* If the column is hidden, what pads the column before goes as well. */
	if (!k->pieces[0].len) {
		p = without_padding(p);
		*p++ = '\n';
	}
	return p;
}

#define SECOND	1000000000
#define MILLI	1000000

/* Keeps what stands before the nine last digits, if all times of that second have it. */
static char *put_other_birth(struct lt_row_writer *w, char *p, uint64_t time)
{
	const int64_t ns = lt_times_ns(&w->times, time);
	struct lt_row_span *s = &w->second;
	char tmp[LT_TIME_TEXT];
	size_t n = (size_t)(lt_times_put(&w->times, tmp, time, 9) - tmp);
	char *end = lt_text_cell(&w->text, p, T_BIRTH, tmp, n, n);

	s->len = 0;
	if (ns >= 0 && w->times.base != LT_TIMES_WALL && (size_t)(end - p) <= sizeof(s->text)) {
		s->begin = (uint64_t)ns - (uint64_t)ns % SECOND;
		s->len = (uint32_t)(end - 9 - p);
		memcpy(s->text, p, s->len);
	}
	return end;
}

static inline char *put_birth(struct lt_row_writer *w, char *p, uint64_t time)
{
	const uint64_t ns = (uint64_t)lt_times_ns(&w->times, time) - w->second.begin;

	if (!w->second.len || ns >= SECOND)
		return put_other_birth(w, p, time);
	memcpy(p, w->second.text, sizeof(w->second.text));
	return lt_put_9(p + w->second.len, (uint32_t)ns);
}

/* A number below 1000 in its column: "  123.4 us", or @unit in place of us. */
static inline char *put_tenths(char *p, uint32_t tenths, char unit)
{
	const uint32_t whole = tenths / 10;

	memset(p, ' ', 4);
	memcpy(p + 4, &lt_digits_of_three[4 * (size_t)whole], 4);
	p[7] = '.';
	p[8] = (char)('0' + tenths % 10);
	p[9] = ' ';
	p[10] = unit;
	p[11] = 's';
	return p + 2 + LT_TEXT_LIFETIME;
}

_Static_assert(LT_TEXT_LIFETIME == 10, "put_tenths()");

static char *put_other_lifetime(char *p, uint64_t ns)
{
	char tmp[LT_HUMAN] = "";
	size_t n = (size_t)(lt_put_human_ns(tmp, ns) - tmp);

	memset(p, ' ', 2 + LT_TEXT_LIFETIME);
	p += 2 + (n < LT_TEXT_LIFETIME ? LT_TEXT_LIFETIME - n : 0);
	memcpy(p, tmp, sizeof(tmp));
	return p + n;
}

/* As lt_put_human_ns() in its column. That decides where a tie is rounded to. */
static inline char *put_lifetime(char *p, uint64_t ns)
{
	const uint32_t tenths = (uint32_t)(ns < MILLI ? (ns + 50) / 100 : (ns + 50000) / 100000);

	if (ns < MILLI && ns >= 1000 && tenths < 10000 && tenths * 100 != ns + 50)
		return put_tenths(p, tenths, 'u');
	if (ns >= MILLI && ns < SECOND && tenths < 10000 && tenths * 100000ULL != ns + 50000)
		return put_tenths(p, tenths, 'm');
	return put_other_lifetime(p, ns);
}

/* Of one with another upper half, or if the column is hidden. */
static char *put_other_address(struct lt_row_writer *w, char *p, uint64_t ptr)
{
	char tmp[LT_DIGITS];
	size_t n;

	if (ptr >> 60 && !(w->text.hidden & 1U << T_ADDRESS)) {
		memset(p, ' ', 2);
		return lt_address_put(&w->address, p + 2, ptr);
	}
	n = (size_t)(lt_put_hex(tmp, ptr) - tmp);
	return lt_text_cell(&w->text, p, T_ADDRESS, tmp, n, n);
}

static inline char *put_address(struct lt_row_writer *w, char *p, uint64_t ptr)
{
	if (!lt_address_has(&w->address, ptr) || w->text.hidden & 1U << T_ADDRESS)
		return put_other_address(w, p, ptr);
	memset(p, ' ', 2);
	return lt_address_put_low(&w->address, p + 2, ptr);
}

/* The end of an object that is plainly alive, or freed. */
static inline char *put_plain_end(struct lt_row_writer *w, char *p, const struct lt_plain_row *row)
{
	const uint64_t word = row->ending | (row->unsure ? LT_ROW_ENDS / 2 : 0);
	struct lt_memo_text *known = lt_memo_at(&w->plain_ends, (uint32_t)word, &word, 1);

	return known->len ? lt_memo_put(p, known) :
	       lt_memo_keep(known, p, render_end(w, p, row->unsure ? LT_UNCERTAIN :
						 row->site ? LT_EXACT : LT_OPEN, row->ending));
}

static char *put_plain_text(struct lt_row_writer *w, char *p, const struct lt_plain_row *row)
{
	p = put_birth(w, p, row->born);
	p = put_lifetime(p, row->died - row->born);
	p = put_plain_end(w, p, row);
	p = put_address(w, p, row->ptr);
	p = put_traits(w, p, row->traits);
	p = put_kept_task(w, p, row->tasks[0]);
	return put_kept_site(w, p, row->site ? row->site : &w->alive);
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
			p = stpcpy(lt_piece_put(p, &w->keys[number_of(w->columns[i])]),
				   w->columns[i]->name);
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
		       lt_row_fields(w, p, row, stacks));
}

bool lt_row_takes_plain(const struct lt_row_writer *w)
{
	if (w->format == LT_FORMAT_TEXT)
		return true;
	for (unsigned int i = C_bytes_last + 1; i < N_COLUMNS; i++) {
		if (lt_rows_of_lifetime.columns[i].marks & LT_COLUMN_LINES)
			return false;
	}
	return !w->lines;
}

/* Rows to come whose traits are fetched, whose texts are, and whose stacks are. */
#define EXPECT_TRAITS	12
#define EXPECT_TEXTS	8
#define EXPECT_STACK	4

/*
 * Brings what the lines of further rows are made of into the cache, in which those of many stacks
 * have no room.
 */
static void expect(const struct lt_plain_row *rows, size_t n)
{
	const struct lt_kept *k;

	if (n <= EXPECT_TRAITS)
		return;
	__builtin_prefetch(rows[EXPECT_TRAITS].traits);
	k = rows[EXPECT_TEXTS].traits;
	if (k) {
		for (unsigned int i = 0; i < LT_KEPT_PIECES; i++)
			__builtin_prefetch(k->pieces[i].text);
		__builtin_prefetch(k->stack);
	}
	k = rows[EXPECT_STACK].traits;
	if (k) {
		for (size_t at = 0; at < k->stack->pieces[0].len; at += LT_LINE)
			__builtin_prefetch(k->stack->pieces[0].text + at);
	}
}

static char *put_many(struct lt_row_writer *w, char *p, const char *last,
		      const struct lt_plain_row **rows, const struct lt_plain_row *end)
{
	const struct lt_plain_row *row = *rows;

	while (row < end && row->traits && p <= last)
		p = put_plain_text(w, p, row++);
	*rows = row;
	return p;
}

static size_t write_with_stacks(struct lt_row_writer *w, struct lt_out *o,
				const struct lt_plain_row *rows, size_t n)
{
	size_t i = 0;

	for (; i < n && rows[i].traits; i++) {
		char *p;

		expect(rows + i, n - i);
		p = lt_out_room(o, ROW_MAX + lt_row_plain_stacks(w, &rows[i]));
		lt_out_done(o, lt_row_plain_fields(w, p, &rows[i]));
	}
	return i;
}

size_t lt_row_write_plain(struct lt_row_writer *w, struct lt_out *o,
			  const struct lt_plain_row *rows, size_t n)
{
	const struct lt_plain_row *row = rows, *const end = rows + n;

	if (lt_row_shows_stacks(w))
		return write_with_stacks(w, o, rows, n);
	while (row < end && row->traits) {
		char *p = lt_out_room(o, ROW_MAX);
		const char *const last = o->buf + LT_OUT_SIZE - ROW_MAX;

		lt_out_done(o, w->format == LT_FORMAT_TEXT ? put_many(w, p, last, &row, end) :
			       lt_row_many_fields(w, p, last, &row, end));
	}
	return (size_t)(row - rows);
}

void lt_row_new_symbols(struct lt_row_writer *w)
{
	lt_memo_clear(&w->moments);
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
	lt_memo_init(&w->objects, 1024);
	lt_memo_init(&w->moments, 4096);
	lt_memo_init(&w->tasks, 1024);
	lt_memo_init(&w->ends, 64);
	lt_memo_init(&w->plain_ends, LT_ROW_ENDS);
	lt_memo_init(&w->wheres, LT_ROW_WHERES);
	lt_address_init(&w->address);
	if (w->stacks && w->format != LT_FORMAT_TEXT)
		w->alive.stack = &w->no_stack;
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
	lt_memo_destroy(&w->objects);
	lt_memo_destroy(&w->moments);
	lt_memo_destroy(&w->tasks);
	lt_memo_destroy(&w->ends);
	lt_memo_destroy(&w->plain_ends);
	lt_memo_destroy(&w->wheres);
	free(w->alive.pieces[0].text);
	free(w->no_stack.pieces[1].text);
	free(w->scratch.buf);
	free(w->frames.buf);
}

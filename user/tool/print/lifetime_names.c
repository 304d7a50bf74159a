// SPDX-License-Identifier: GPL-2.0
/*
 * Names, source lines and stacks in the line of a lifetime: rendered once, and copied into each
 * line.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "print/lifetime_names.h"
#include "print/site.h"
#include "print/stack.h"
#include "rows/lost.h"

#define N_SOURCE	3	/* columns of a call site's source line */

/* A text in the format of the writer, in w->scratch. */
const struct lt_out *lt_row_render(struct lt_row_writer *w, const char *text)
{
	struct lt_value v = { 0 };

	w->scratch.used = 0;
	lt_value_text(&v, text, strlen(text));
	lt_value_print(&w->scratch, w->format, &v);
	return &w->scratch;
}

static const struct lt_cell *make_cell(struct lt_row_writer *w, struct lt_cells *cells,
				       uint64_t key, const char *text)
{
	const struct lt_out *made = lt_row_render(w, text);

	return lt_cells_add(cells, key, made->buf, made->used);
}

const struct lt_cell *lt_row_site(struct lt_row_writer *w, uint64_t site)
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

const struct lt_cell *lt_row_gfp(struct lt_row_writer *w, uint32_t gfp)
{
	const struct lt_cell *cell = lt_cells_find(&w->gfps, gfp);
	char buf[256];

	if (cell)
		return cell;
	return make_cell(w, &w->gfps, gfp, lt_trace_gfp(w->trace, gfp, buf, sizeof(buf)));
}

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

const struct lt_cell *lt_row_why_cell(struct lt_row_writer *w, const struct lt_row *row)
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

const struct lt_cell *lt_row_cache_cell(struct lt_row_writer *w, const struct lt_row *row)
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

const struct lt_cell *lt_row_source(struct lt_row_writer *w, const struct lt_piece *keys,
				    const struct lt_moment *m, unsigned int which)
{
	uint64_t site = m->known ? m->call_site : 0;
	const struct lt_cell *cell = lt_cells_find(&w->sources[which], site);
	const struct lt_place *place;
	struct lt_value v[N_SOURCE] = { { 0 } };
	char buf[LT_SITE_TEXT];

	if (cell)
		return cell;
	place = site ? lt_lines_find(w->lines, site) : NULL;
	lt_site_file(place, &v[0]);
	lt_site_line(place, &v[1]);
	lt_site_list(place, &v[2], buf, sizeof(buf));
	w->scratch.used = 0;
	for (unsigned int i = 0; i < N_SOURCE; i++) {
		lt_out_bytes(&w->scratch, keys[i].text, keys[i].len);
		lt_value_print(&w->scratch, w->format, &v[i]);
	}
	return lt_cells_add(&w->sources[which], site, w->scratch.buf, w->scratch.used);
}

/* The column of a stack, in w->scratch. */
static void render_stack(struct lt_row_writer *w, const struct lt_piece *before,
			 const struct lt_stack *stack)
{
	struct lt_value v = { 0 };

	w->scratch.used = 0;
	lt_out_bytes(&w->scratch, before->text, before->len);
	lt_stack_frames(w->trace, w->lines, stack, &w->frames, &v);
	lt_value_print(&w->scratch, w->format, &v);
}

const struct lt_cell *lt_row_stack(struct lt_row_writer *w, const struct lt_piece *before,
				   const struct lt_stack *stack, unsigned int which)
{
	uint64_t key = stack->n ? (uintptr_t)stack->frames : 0;
	const struct lt_cell *cell = lt_cells_find(&w->stack_cells[which], key);

	if (cell)
		return cell;
	render_stack(w, before, stack);
	return lt_cells_add(&w->stack_cells[which], key, w->scratch.buf, w->scratch.used);
}

char *lt_kept_keep(struct lt_kept *k, unsigned int i, const char *from, char *end)
{
	size_t len = (size_t)(end - from);

	k->pieces[i].text = lt_alloc(len + LT_PIECE);
	memcpy(k->pieces[i].text, from, len);
	k->pieces[i].len = (uint32_t)len;
	return end;
}

void lt_kept_make_stack(struct lt_row_writer *w, struct lt_kept *stack, unsigned int which)
{
	const struct lt_stack frames = lt_kept_stack(stack);

	render_stack(w, &w->keys[which ? C_death_stack : C_birth_stack], &frames);
	lt_kept_keep(stack, which, w->scratch.buf, w->scratch.buf + w->scratch.used);
}

void lt_kept_row(const struct lt_kept *k, struct lt_row *row)
{
	const struct lt_kept_traits t = lt_kept_traits(k);

	*row = (struct lt_row){
		.l = {
			.space = LT_SPACE_SLAB, .kind = t.kind, .certainty = LT_EXACT,
			.order = t.order, .cache = t.cache, .bytes_req = t.bytes_req,
			.bytes_alloc = t.bytes_alloc, .bytes_last = t.bytes_req, .gfp = t.gfp,
			.node = t.node, .birth = { .known = true, .call_site = t.call_site },
		},
		.cache = t.name,
	};
}

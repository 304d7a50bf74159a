// SPDX-License-Identifier: GPL-2.0
/*
 * Texts in the tables of a fleet: names are rendered once, and written often.
 */
#include "export/fleet/fleet.h"
#include "export/profile.h"

/* A text needs a buffer also when it is empty. */
static struct lt_out *begin(struct lt_fleet *f)
{
	f->text.used = 0;
	lt_out_make_room(&f->text);
	f->text.used = 0;
	return &f->text;
}

static void put(struct lt_fleet *f)
{
	lt_rows_text(f->rows, f->text.buf, f->text.used);
}

/* Writes the cell of a key. Return: false: there is none yet, and the text is begun. */
static bool written(struct lt_fleet *f, struct lt_cells *cells, uint64_t key)
{
	const struct lt_cell *cell = lt_cells_find(cells, key);

	if (cell)
		lt_rows_text(f->rows, cell->text, cell->len);
	else
		begin(f);
	return cell;
}

static void keep(struct lt_fleet *f, struct lt_cells *cells, uint64_t key)
{
	lt_cells_add(cells, key, f->text.buf, f->text.used);
	put(f);
}

static void put_name(struct lt_fleet *f, const char *s, size_t len)
{
	lt_name_bytes(begin(f), s, len, NULL);
	put(f);
}

/* Where the kernel lies in memory is a secret, so an address without a symbol is not written. */
static void render_site(struct lt_fleet *f, uint64_t site, bool offset)
{
	struct lt_path_frame frame = {
		.kind = offset ? LT_FRAME_SITE : LT_FRAME_CALLER, .addr = site,
	};

	frame.name = lt_trace_function(f->e->trace, site, &frame.offset, &frame.module);
	frame.addr = lt_trace_code_address(f->e->trace, site);
	if (site && !frame.name && !f->e->opts->addresses)
		lt_out_str(&f->text, "(no symbol)");
	else
		lt_frame_text(&f->text, &frame, NULL);
}

static void put_site(struct lt_fleet *f, uint64_t site, bool offset)
{
	struct lt_cells *cells = offset ? &f->sites : &f->functions;

	if (written(f, cells, site))
		return;
	render_site(f, site, offset);
	keep(f, cells, site);
}

static void put_cache(struct lt_fleet *f, uint64_t key)
{
	char buf[128];

	if (written(f, &f->caches, key))
		return;
	lt_name_text(&f->text, lt_cache_key_name(f->e->trace, key, buf, sizeof(buf)), NULL);
	keep(f, &f->caches, key);
}

static void put_gfp(struct lt_fleet *f, uint32_t gfp)
{
	char buf[256];

	if (written(f, &f->gfps, gfp))
		return;
	lt_name_text(&f->text, lt_trace_gfp(f->e->trace, gfp, buf, sizeof(buf)), NULL);
	keep(f, &f->gfps, gfp);
}

static void put_stack(struct lt_fleet *f, uint32_t stack)
{
	struct lt_stack s;

	if (written(f, &f->stacks, stack))
		return;
	s = lt_trace_stack(f->e->trace, stack);
	for (unsigned int i = 0; i < s.n; i++) {
		if (i)
			lt_out_str(&f->text, " < ");
		render_site(f, s.frames[i], true);
	}
	if (s.flags & LT_STACK_CUT)
		lt_out_str(&f->text, " < ...");
	keep(f, &f->stacks, stack);
}

static void put_counts(struct lt_fleet *f, const struct lt_value *v)
{
	int64_t counts[LT_MINUTE_POWERS];
	size_t n = v->len < LT_MINUTE_POWERS ? v->len : LT_MINUTE_POWERS;

	for (size_t i = 0; i < n; i++)
		counts[i] = (int64_t)v->counts[i];
	lt_rows_ints(f->rows, counts, n);
}

void lt_fleet_value(struct lt_fleet *f, const struct lt_value *v)
{
	switch (v->type) {
	case LT_VALUE_NONE:
		lt_rows_null(f->rows);
		break;
	case LT_VALUE_SIGNED:
		lt_rows_int(f->rows, v->i);
		break;
	case LT_VALUE_HEX:
		/* The bits of an address: readers differ in what they make of an unsigned number. */
		lt_rows_int(f->rows, (int64_t)v->u);
		break;
	case LT_VALUE_TEXT:
		lt_rows_text(f->rows, v->text, v->len);
		break;
	case LT_VALUE_NAME:
		put_name(f, v->text, v->len);
		break;
	case LT_VALUE_COUNTS:
		put_counts(f, v);
		break;
	case LT_VALUE_SITE:
	case LT_VALUE_FUNCTION:
		put_site(f, v->u, v->type == LT_VALUE_SITE);
		break;
	case LT_VALUE_CACHE:
		put_cache(f, v->u);
		break;
	case LT_VALUE_GFP:
		put_gfp(f, (uint32_t)v->u);
		break;
	case LT_VALUE_STACK:
		put_stack(f, (uint32_t)v->u);
		break;
	default:
		lt_rows_count(f->rows, v->u);
	}
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Texts in the tables of a fleet: names are rendered once, and written often.
 */
#include <string.h>

#include "export/fleet/fleet.h"
#include "export/profile.h"

#define MINUTES_A_DAY	1440

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

void lt_fleet_name(struct lt_fleet *f, const char *s)
{
	if (!s) {
		lt_rows_null(f->rows);
		return;
	}
	lt_name_text(begin(f), s, NULL);
	put(f);
}

void lt_fleet_word(struct lt_fleet *f, const char *s)
{
	if (s)
		lt_rows_text(f->rows, s, strlen(s));
	else
		lt_rows_null(f->rows);
}

void lt_fleet_number(struct lt_fleet *f, bool known, uint64_t v)
{
	if (known)
		lt_rows_count(f->rows, v);
	else
		lt_rows_null(f->rows);
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

void lt_fleet_site(struct lt_fleet *f, uint64_t site, bool offset)
{
	struct lt_cells *cells = offset ? &f->sites : &f->functions;

	if (written(f, cells, site))
		return;
	render_site(f, site, offset);
	keep(f, cells, site);
}

void lt_fleet_cache(struct lt_fleet *f, uint64_t key)
{
	char buf[128];

	if (written(f, &f->caches, key))
		return;
	lt_name_text(&f->text, lt_cache_key_name(f->e->trace, key, buf, sizeof(buf)), NULL);
	keep(f, &f->caches, key);
}

void lt_fleet_gfp(struct lt_fleet *f, uint32_t gfp)
{
	char buf[256];

	if (written(f, &f->gfps, gfp))
		return;
	lt_name_text(&f->text, lt_trace_gfp(f->e->trace, gfp, buf, sizeof(buf)), NULL);
	keep(f, &f->gfps, gfp);
}

void lt_fleet_stack(struct lt_fleet *f, uint32_t stack)
{
	struct lt_stack s;

	if (!stack) {
		lt_rows_null(f->rows);
		return;
	}
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

int lt_fleet_row(struct lt_fleet *f, const struct lt_rows_table *table, uint64_t minute)
{
	if (lt_rows_begin(f->rows, table, minute / MINUTES_A_DAY))
		return -1;
	lt_fleet_word(f, f->session);
	lt_fleet_word(f, f->boot);
	lt_fleet_word(f, f->kernel);
	lt_fleet_word(f, f->machine);
	return 0;
}

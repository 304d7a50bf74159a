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

static void take(struct lt_fleet *f, struct lt_value *v)
{
	lt_value_text(v, f->text.buf, f->text.used);
}

/* Takes the cell of a key. Return: false: there is none yet, and the text is begun. */
static bool taken(struct lt_fleet *f, struct lt_cells *cells, struct lt_value *v)
{
	const struct lt_cell *cell = lt_cells_find(cells, v->u);

	if (cell)
		lt_value_text(v, cell->text, cell->len);
	else
		begin(f);
	return cell;
}

static void keep(struct lt_fleet *f, struct lt_cells *cells, struct lt_value *v)
{
	lt_cells_add(cells, v->u, f->text.buf, f->text.used);
	take(f, v);
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

static void render_stack(struct lt_fleet *f, uint32_t stack)
{
	struct lt_stack s = lt_trace_stack(f->e->trace, stack);

	for (unsigned int i = 0; i < s.n; i++) {
		if (i)
			lt_out_str(&f->text, " < ");
		render_site(f, s.frames[i], true);
	}
	if (s.flags & LT_STACK_CUT)
		lt_out_str(&f->text, " < ...");
}

static void resolve_site(struct lt_fleet *f, struct lt_value *v)
{
	bool offset = v->type == LT_VALUE_SITE;
	struct lt_cells *cells = offset ? &f->sites : &f->functions;

	if (taken(f, cells, v))
		return;
	render_site(f, v->u, offset);
	keep(f, cells, v);
}

/* What has a name, or several. */
static void resolve_name(struct lt_fleet *f, struct lt_cells *cells, struct lt_value *v)
{
	const struct lt_trace *t = f->e->trace;
	enum lt_value_type type = v->type;
	char buf[256];

	if (taken(f, cells, v))
		return;
	if (type == LT_VALUE_STACK)
		render_stack(f, (uint32_t)v->u);
	else
		lt_name_text(&f->text, type == LT_VALUE_CACHE ?
			     lt_cache_key_name(t, v->u, buf, sizeof(buf)) :
			     lt_trace_gfp(t, (uint32_t)v->u, buf, sizeof(buf)), NULL);
	keep(f, cells, v);
}

void lt_fleet_resolve(struct lt_fleet *f, struct lt_value *v)
{
	switch (v->type) {
	case LT_VALUE_NONE:
	case LT_VALUE_SIGNED:
	case LT_VALUE_TEXT:
	case LT_VALUE_COUNTS:
		break;
	case LT_VALUE_HEX:
		/* The bits of an address: readers differ in what they make of an unsigned number. */
		lt_value_i(v, (int64_t)v->u);
		break;
	case LT_VALUE_NAME:
		lt_name_bytes(begin(f), v->text, v->len, NULL);
		take(f, v);
		break;
	case LT_VALUE_SITE:
	case LT_VALUE_FUNCTION:
		resolve_site(f, v);
		break;
	case LT_VALUE_CACHE:
		resolve_name(f, &f->caches, v);
		break;
	case LT_VALUE_GFP:
		resolve_name(f, &f->gfps, v);
		break;
	case LT_VALUE_STACK:
		resolve_name(f, &f->stacks, v);
		break;
	default:
		lt_value_i(v, v->u < INT64_MAX ? (int64_t)v->u : INT64_MAX);
	}
}

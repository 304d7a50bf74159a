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

/* A name that is not in @cells yet. */
static __attribute__((noinline)) void render(struct lt_fleet *f, struct lt_cells *cells,
					     struct lt_value *v)
{
	const struct lt_trace *t = f->e->trace;
	char buf[256];

	begin(f);
	if (v->type == LT_VALUE_STACK)
		render_stack(f, (uint32_t)v->u);
	else if (v->type == LT_VALUE_CACHE)
		lt_name_text(&f->text, lt_cache_key_name(t, v->u, buf, sizeof(buf)), NULL);
	else if (v->type == LT_VALUE_GFP)
		lt_name_text(&f->text, lt_trace_gfp(t, (uint32_t)v->u, buf, sizeof(buf)), NULL);
	else
		render_site(f, v->u, v->type == LT_VALUE_SITE);
	lt_cells_add(cells, v->u, f->text.buf, f->text.used);
	take(f, v);
}

/* What has a name, or several. */
static __attribute__((noinline)) void resolve_name(struct lt_fleet *f, struct lt_cells *cells,
						   struct lt_value *v)
{
	const struct lt_cell *cell = lt_cells_find(cells, v->u);

	if (cell)
		lt_value_text(v, cell->text, cell->len);
	else
		render(f, cells, v);
}

static __attribute__((noinline)) void resolve_bytes(struct lt_fleet *f, struct lt_value *v)
{
	lt_name_bytes(begin(f), v->text, v->len, NULL);
	take(f, v);
}

/* Of millions of values most are numbers or texts as they are: these cost no call, and no stack. */
void lt_fleet_resolve(struct lt_fleet *f, struct lt_value *v)
{
	switch (v->type) {
	case LT_VALUE_NONE:
	case LT_VALUE_SIGNED:
	case LT_VALUE_TEXT:
	case LT_VALUE_COUNTS:
		break;
	case LT_VALUE_HEX:
		/*
		 * The bits of an address: readers differ in what they make of an unsigned number.
		 */
		lt_value_i(v, (int64_t)v->u);
		break;
	case LT_VALUE_NAME:
		resolve_bytes(f, v);
		break;
	case LT_VALUE_SITE:
		resolve_name(f, &f->sites, v);
		break;
	case LT_VALUE_FUNCTION:
		resolve_name(f, &f->functions, v);
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

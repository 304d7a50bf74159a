// SPDX-License-Identifier: GPL-2.0
/*
 * Source lines and stacks in the line of a lifetime: rendered once, and copied into each line.
 */
#include <string.h>

#include "print/lifetime_names.h"
#include "print/site.h"
#include "print/stack.h"

#define N_SOURCE	3	/* columns of a call site's source line */

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

const struct lt_cell *lt_row_stack(struct lt_row_writer *w, const struct lt_piece *before,
				   const struct lt_stack *stack, unsigned int which)
{
	uint64_t key = stack->n ? (uintptr_t)stack->frames : 0;
	const struct lt_cell *cell = lt_cells_find(&w->stack_cells[which], key);
	struct lt_value v = { 0 };

	if (cell)
		return cell;
	w->scratch.used = 0;
	lt_out_bytes(&w->scratch, before->text, before->len);
	lt_stack_frames(w->trace, w->lines, stack, &w->frames, &v);
	lt_value_print(&w->scratch, w->format, &v);
	return lt_cells_add(&w->stack_cells[which], key, w->scratch.buf, w->scratch.used);
}

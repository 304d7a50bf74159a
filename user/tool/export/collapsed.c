// SPDX-License-Identifier: GPL-2.0
/*
 * Collapsed stacks: a line "FRAME;FRAME;FRAME NUMBER" for each path, from the root to the leaf,
 * as speedscope, flamegraph.pl and inferno read it. The format has neither units nor
 * comments; what the numbers are is said on standard error.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "export/profile.h"

/* A line ends with a blank and the number, so the text of a frame may contain blanks. */
#define SEPARATOR	";"

static void put_line(struct lt_out *o, const struct lt_path *path, uint64_t number)
{
	for (unsigned int i = 0; i < path->n; i++) {
		if (i)
			lt_out_str(o, SEPARATOR);
		lt_frame_text(o, &path->frames[i], SEPARATOR);
	}
	lt_out_char(o, ' ');
	lt_out_u64(o, number);
	lt_out_char(o, '\n');
}

static int profile(struct lt_export *e, const struct lt_profile *p)
{
	struct lt_path *path = lt_alloc(sizeof(*path));
	struct lt_out o = LT_OUT_NAMED(fileno(e->out), e->path);

	for (size_t i = 0; i <= p->n_rows; i++) {
		const struct lt_profile_row *row = i < p->n_rows ? &p->rows[i] : &p->other;
		uint64_t number = lt_metric_of(row, e->opts->metric);

		if (!number)
			continue;
		lt_profile_path(p, row, path);
		put_line(&o, path, number);
	}
	free(path);
	lt_profile_warn(p);
	return lt_out_close(&o);
}

const struct lt_exporter lt_export_collapsed = {
	.name = "collapsed",
	.help = "A line of text a stack: for speedscope, flamegraph.pl",
	.one_metric = true,
	.profile = profile,
};

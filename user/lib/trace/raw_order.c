// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events stream by stream, as recorded.
 */
#include "trace/internal.h"
#include "trace/pass.h"

static int pass_over(void *arg, const struct lt_event *ev)
{
	(void)arg;
	(void)ev;
	return 0;
}

/* Reads the file once for the caches that its records announce. */
static void find_caches(struct lt_trace *t)
{
	struct lt_trace *all = lt_trace_open_mute(t->file->path);

	if (!all)
		return;
	lt_trace_pass(all, &(struct lt_pass){ .event = pass_over });
	lt_entities_take_caches(t, all);
	lt_trace_close(all);
}

void lt_trace_raw_order(struct lt_trace *t)
{
	t->raw_order = true;
	if (t->file)
		find_caches(t);
}

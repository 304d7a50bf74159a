// SPDX-License-Identifier: GPL-2.0
/*
 * The history of addresses, as text, CSV or JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "print/history.h"

void lt_history_print(struct lt_history_view *v)
{
	const char *machine = lt_trace_info(v->h->t, "machine"), *size;
	uint64_t n;

	snprintf(v->machine, sizeof(v->machine), "%s", machine ? machine : "");
	size = lt_trace_info(v->h->t, "size_ptr");
	v->ptr_size = size && lt_number(size, 10, &n) && n == 4 ? 4 : 8;
	lt_kmalloc_init(&v->kmalloc, v->h->t);
	v->frames = (struct lt_out)LT_OUT_INIT(-1);
	lt_times_begin(&v->times);
	if (v->format == LT_FORMAT_TEXT && !v->columns)
		lt_history_text(v);
	else
		lt_history_rows(v);
	free(v->frames.buf);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Events, one on each line: what text and JSON share.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "print/dump.h"

void lt_dump_init(struct lt_dump *d)
{
	d->j = (struct lt_json)LT_JSON_INIT(d->o);
	d->scratch = (struct lt_out)LT_OUT_INIT(-1);
	lt_cells_init(&d->sites);
	lt_cells_init(&d->gfps);
	lt_memo_init(&d->tasks, 1024);
	lt_dump_tails_init(d);
	d->line = (struct lt_out)LT_OUT_INIT(-1);
	lt_memo_init(&d->wheres, LT_DUMP_WHERES);
	lt_address_init(&d->address);
	lt_dump_announced_init(d);
	d->latest = lt_alloc_array(LT_DUMP_WHERES, sizeof(*d->latest));
}

void lt_dump_destroy(struct lt_dump *d)
{
	for (size_t i = 0; i < LT_SCHEMA_IDS; i++)
		free(d->plans[i]);
	lt_cells_destroy(&d->sites);
	lt_cells_destroy(&d->gfps);
	free(d->scratch.buf);
	lt_memo_destroy(&d->tasks);
	lt_dump_tails_destroy(d);
	lt_dump_plain_destroy(d);
	lt_dump_announced_destroy(d);
}

void lt_dump_event(struct lt_dump *d, const struct lt_event *ev)
{
	if (d->json)
		lt_dump_json(d, ev);
	else
		lt_dump_text(d, ev);
}

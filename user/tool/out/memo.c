// SPDX-License-Identifier: GPL-2.0
/*
 * Pieces of lines that are alike.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "out/memo.h"

void lt_memo_init(struct lt_memo *m, uint32_t n)
{
	m->texts = lt_alloc_array(n, sizeof(*m->texts));
	m->n = n;
}

void lt_memo_destroy(struct lt_memo *m)
{
	free(m->texts);
	m->texts = NULL;
}

void lt_memo_clear(struct lt_memo *m)
{
	for (uint32_t i = 0; i < m->n; i++)
		m->texts[i].len = 0;
}

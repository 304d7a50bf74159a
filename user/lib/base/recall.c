// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What was found out lately.
 */
#include <stdlib.h>

#include "base/log.h"
#include "base/recall.h"

#define MIN	1024
#define EACH	4	/* lines for each key: with fewer, too many take the place of others */

void lt_recall_destroy(struct lt_recall *m)
{
	free(m->lines);
	*m = (struct lt_recall){ 0 };
}

void lt_recall_enlarge(struct lt_recall *m, size_t keys)
{
	size_t n = m->n ? m->n : MIN, size;

	while (n < LT_RECALL_MAX && n < keys * EACH)
		n *= 2;
	size = n * sizeof(*m->lines);
	free(m->lines);
	m->n = n;
	m->lines = aligned_alloc(sizeof(*m->lines), size);
	if (!m->lines)
		lt_fatal("out of memory (%zu bytes)", size);
	memset(m->lines, 0, size);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The text CONTENTS, which says what its writer has put into a file: so many blocks of each type,
 * so many packets of each stream. What somebody has taken out of the file since is missed by it,
 * although index and trailer fit what is left.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/mem.h"
#include "base/str.h"
#include "format/block.h"
#include "format/channel.h"

static uint64_t number_of(const struct lt_index_entry *e)
{
	return (uint64_t)lt_get32(&e->channel, false) << 32 | lt_get32(&e->cpu, false);
}

/* By stream, then in the order of the file. */
static int by_stream(const void *a, const void *b)
{
	const struct lt_index_entry *x = a, *y = b;
	uint64_t m = number_of(x), n = number_of(y);
	uint64_t at = lt_get64(&x->offset, false), behind = lt_get64(&y->offset, false);

	if (m != n)
		return m < n ? -1 : 1;
	return at < behind ? -1 : at > behind;
}

static void add_stream(struct lt_str *s, const struct lt_index_entry *e, size_t n)
{
	const char *channel = lt_channel_name(lt_get32(&e->channel, false));

	if (channel)
		lt_str_add(s, "stream %s %u packets %zu first %" PRIu64 " last %" PRIu64 " begin %"
			   PRIu64 " end %" PRIu64 "\n", channel, lt_get32(&e->cpu, false), n,
			   lt_get64(&e->seq, false), lt_get64(&e[n - 1].seq, false),
			   lt_get64(&e->timestamp_begin, false),
			   lt_get64(&e[n - 1].timestamp_end, false));
}

char *lt_contents_text(const struct lt_index_entry *index, size_t n,
		       const struct lt_block_count counts[LT_N_BLOCK_TYPES])
{
	struct lt_index_entry *sorted = lt_alloc_array(n + 1, sizeof(*sorted));
	struct lt_str s = { .n = 0 };
	size_t first = 0;

	for (unsigned int i = 1; i < LT_N_BLOCK_TYPES; i++) {
		if (counts[i].blocks)
			lt_str_add(&s, "blocks %s %" PRIu64 " bytes %" PRIu64 "\n",
				   lt_block_name(i), counts[i].blocks, counts[i].bytes);
	}
	if (n)
		memcpy(sorted, index, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_stream);
	for (size_t i = 1; i <= n; i++) {
		if (i < n && number_of(&sorted[i]) == number_of(&sorted[first]))
			continue;
		if (lt_get32(&sorted[first].channel, false))
			add_stream(&s, &sorted[first], i - first);
		first = i;
	}
	free(sorted);
	return s.s ? s.s : lt_strdup("");
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Of which tasks a file is: see whose.h.
 */
#include <string.h>

#include "base/str.h"
#include "base/text.h"
#include "format/whose.h"

#define FIRST_BLOCKS	4	/* PART is among them: a window has it behind INFO and SCHEMA */

static void take_lines(struct lt_str *whose, const char *text)
{
	const char *line;
	size_t len;

	while (lt_line(&text, &line, &len)) {
		if (len > 5 && (!memcmp(line, "task=", 5) || !memcmp(line, "root=", 5)))
			lt_str_add(whose, "%.*s\n", (int)len, line);
	}
}

char *lt_part_whose(const struct lt_file *f)
{
	struct lt_buf payload = { 0 }, packed = { 0 };
	struct lt_str whose = { .n = 0 };
	uint64_t at = LT_FILE_FIRST;
	struct lt_block b;
	struct lt_why why;

	for (int i = 0; i < FIRST_BLOCKS; i++, at = lt_block_end(&b)) {
		if (lt_file_block(f, at, &b, &why) != LT_BLOCK_OK || b.type == LT_BLOCK_PACKET)
			break;
		if (b.type == LT_BLOCK_PART && !lt_file_payload(f, &b, &payload, &packed, &why)) {
			take_lines(&whose, (const char *)payload.data);
			break;
		}
	}
	lt_buf_free(&payload);
	lt_buf_free(&packed);
	return whose.s;
}

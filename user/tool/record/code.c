// SPDX-License-Identifier: GPL-2.0
/*
 * The code of modules that come and go, from the module's file "code". The module keeps the symbols
 * of what is gone, so nothing is missed between two readings.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/text.h"
#include "record/internal.h"

#define EVERY_NS	(1000 * NSEC_PER_MSEC)

static bool is_head(const char *line, size_t len)
{
	return len > 5 && !memcmp(line, "code ", 5);
}

/* The line that begins a range says all of it: its symbols do not change. */
struct heads {
	const char **lines;
	size_t *lens;
	size_t n;
	size_t cap;
	size_t cap_lens;
	struct lt_map map;
	uint64_t seed;
};

static uint32_t hash_of(const struct heads *h, const char *line, size_t len)
{
	uint64_t hash = h->seed;

	for (size_t i = 0; i < len; i++)
		hash = lt_hash64(hash + (uint8_t)line[i], h->seed);
	return (uint32_t)hash;
}

static bool has(const struct heads *h, const char *line, size_t len)
{
	uint32_t number;

	lt_map_for_each(number, at, &h->map, hash_of(h, line, len)) {
		if (h->lens[number - 1] == len && !memcmp(h->lines[number - 1], line, len))
			return true;
	}
	return false;
}

static void read_heads(struct heads *h, const char *text)
{
	const char *line;
	size_t len;

	*h = (struct heads){ .seed = lt_hash_seed() };
	lt_map_init(&h->map);
	while (text && lt_line(&text, &line, &len)) {
		if (!is_head(line, len))
			continue;
		h->lines = lt_grow(h->lines, &h->cap, h->n, sizeof(*h->lines));
		h->lens = lt_grow(h->lens, &h->cap_lens, h->n, sizeof(*h->lens));
		h->lines[h->n] = line;
		h->lens[h->n++] = len;
		lt_map_add(&h->map, hash_of(h, line, len), (uint32_t)h->n);
	}
}

/* What a text has that the one before did not have. */
static char *what_is_new(const char *before, const char *now)
{
	struct lt_str new = { 0 };
	struct heads heads;
	bool taken = false;
	const char *line;
	size_t len;

	read_heads(&heads, before);
	while (lt_line(&now, &line, &len)) {
		if (is_head(line, len))
			taken = !has(&heads, line, len);
		else if (memcmp(line, "0x", len < 2 ? len : 2) != 0)
			taken = true;
		if (taken)
			lt_str_add(&new, "%.*s\n", (int)len, line);
	}
	lt_map_destroy(&heads.map);
	free(heads.lines);
	free(heads.lens);
	return new.s;
}

void lt_record_code(struct lt_recording *r)
{
	char *now = lt_module_text(&r->module, LT_FILE_CODE), *new;

	/* A module of an older version does not have it; a session begins with the first line. */
	if (!now || (r->code ? !strcmp(now, r->code) : !strstr(now, "\ncode "))) {
		free(now);
		return;
	}
	new = what_is_new(r->code, now);
	free(r->code);
	r->code = now;
	lt_record_file_text(r, LT_BLOCK_CODE, true, new);
	if (r->trace)
		lt_trace_replace_text(r->trace, LT_BLOCK_CODE, now);
	free(new);
}

void lt_record_code_if_due(struct lt_recording *r, uint64_t now)
{
	if (now < r->next_code_ns)
		return;
	r->next_code_ns = now + EVERY_NS;
	lt_record_code(r);
}

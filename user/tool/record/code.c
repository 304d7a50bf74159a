// SPDX-License-Identifier: GPL-2.0
/*
 * Code that comes and goes: that of modules, from the module's file "code", and what the kernel
 * makes while it runs, from perf. Both keep what is gone, so that no change is missed.
 */
#include <fcntl.h>
#include <inttypes.h>
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

/* ------------------------------------------------------------------------
 * Code that the kernel makes
 */

/* Names that came or went, of one reading. */
struct taking {
	const struct lt_engine *engine;
	struct lt_record_texts *texts;
	bool asked;			/* the clocks were read, for the times of all of them */
	bool have;
	struct lt_clock_reading now;
};

static bool read_clocks(struct taking *t)
{
	char *text;

	if (t->asked)
		return t->have;
	text = lt_engine_text(t->engine, LT_FILE_CLOCK);
	t->have = text && lt_clock_parse(text, &t->now);
	free(text);
	if (t->have && !t->texts->made_first.monotonic)
		t->texts->made_first = t->now;
	t->asked = true;
	return t->have;
}

static void take(void *arg, const struct lt_ksymbol *s)
{
	struct taking *t = arg;
	struct lt_record_texts *texts = t->texts;
	uint64_t units = 0, freq = 0;
	const char *at;

	if (strstr(texts->info, "\nclock=mono\n")) {
		units = s->ns;
	} else if (read_clocks(t)) {
		at = strstr(texts->info, "\nclock_freq=");
		if (at)
			lt_assigned(at + 1, strcspn(at + 1, "\n"), "clock_freq", &freq);
		units = lt_made_units(&texts->made_first, &t->now, freq, s->ns);
	}
	if (units)
		lt_made_take(&texts->made, s, units);
	else
		texts->ksymbols.lost++;
}

void lt_record_watch_code(struct lt_record_texts *t)
{
	lt_ksymbols_open(&t->ksymbols);
}

char *lt_record_watched(const struct lt_record_texts *t, char *events)
{
	const char *why = t->ksymbols.why;
	char *all;

	if (!events)
		return NULL;
	all = lt_format("%sksymbol\tperf\t%s\t%s\n", events, *why ? "not watched" : "watched",
			*why ? why : "-");
	free(events);
	return all;
}

char *lt_record_code_lost(const struct lt_record_texts *t, char *stats)
{
	const struct lt_ksymbols *k = &t->ksymbols;
	const struct lt_made *made = &t->made;
	char *all;

	if (!stats || !(k->lost || made->forgotten || k->blind))
		return stats;
	all = lt_format("%sksymbol lost %" PRIu64 " forgotten %" PRIu64 " blind %u\n", stats,
			k->lost, made->forgotten, k->blind);
	free(stats);
	return all;
}

void lt_record_code_end(struct lt_record_texts *t)
{
	lt_ksymbols_close(&t->ksymbols);
	lt_made_destroy(&t->made);
}

/* ------------------------------------------------------------------------
 * The text
 */

/* The module's lines, and behind them those of what the kernel made; NULL: there are none. */
static char *code_now(const struct lt_engine *e, struct lt_record_texts *texts, bool all)
{
	char *module = lt_engine_text(e, LT_FILE_CODE), *now;
	struct taking t = { .engine = e, .texts = texts };
	const char *made;

	lt_ksymbols_read(&texts->ksymbols, all, take, &t);
	made = lt_made_text(&texts->made);
	if (!*made)
		return module;
	/* A module of an older version has no such file. */
	now = lt_format("%s%s", module ? module : "changes 0 forgotten 0 nameless 0\n", made);
	free(module);
	return now;
}

static void renew(struct lt_recording *r, bool all)
{
	char *now = code_now(r->session.engine, &r->texts, all), *new;

	/* A session begins with the first line. */
	if (!now || (r->texts.code ? !strcmp(now, r->texts.code) : !strstr(now, "\ncode "))) {
		free(now);
		return;
	}
	new = what_is_new(r->texts.code, now);
	free(r->texts.code);
	r->texts.code = now;
	lt_record_file_text(&r->file, LT_BLOCK_CODE, true, new);
	if (r->sink.trace)
		lt_trace_replace_text(r->sink.trace, LT_BLOCK_CODE, now);
	free(new);
}

void lt_record_code(struct lt_recording *r)
{
	renew(r, false);
}

void lt_record_last_code(struct lt_recording *r)
{
	renew(r, true);
}

void lt_record_code_if_due(struct lt_recording *r, uint64_t now)
{
	struct taking t = { .engine = r->session.engine, .texts = &r->texts };

	if (now < r->next_code_ns) {
		/* The kernel's buffers are small. */
		lt_ksymbols_read(&r->texts.ksymbols, false, take, &t);
		return;
	}
	r->next_code_ns = now + EVERY_NS;
	lt_ksymbols_scan(&r->texts.ksymbols);
	lt_record_code(r);
}

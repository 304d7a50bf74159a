// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Cutting a window: the texts of the new file. What a text says of the begin or the end of the
 * trace is left out where the window has none of it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "state/cut_internal.h"
#include "trace/part.h"

static bool begins_with(const char *line, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && !memcmp(line, word, n) &&
	       (len == n || line[n] == ' ' || line[n] == '\t');
}

/* The lines of STATS and FUNCTIONS that count events up to the end of the trace. */
static bool is_of_the_end(unsigned int type, const char *line, size_t len)
{
	static const char * const stats[] = {
		"state", "error", "stopped", "cpu", "limited", "left_out",
	};

	if (type == LT_BLOCK_FUNCTIONS)
		return begins_with(line, len, "counts");
	for (size_t i = 0; i < sizeof(stats) / sizeof(stats[0]); i++) {
		if (begins_with(line, len, stats[i]))
			return true;
	}
	return false;
}

/* Of a reading of the kernel's counters: what is true at any time. */
static bool is_lasting(const char *line, size_t len)
{
	return begins_with(line, len, "alias") ||
	       (begins_with(line, len, "slabattr") && memmem(line, len, " sheaf_capacity ", 16));
}

/* Whether the window has the time of a reading. */
static bool has_reading(const struct lt_cutter *c, const char *text)
{
	/* What the whole machine has. */
	if (c->keep)
		return false;
	if (!strncmp(text, "when=start", 10))
		return !c->begin;
	return strncmp(text, "when=end", 8) || c->until == UINT64_MAX;
}

/*
 * A line of STATS with the counters of a class of a CPU, the last of which is of what was left out.
 * Return: false: it is another one.
 */
static bool put_counts(const struct lt_cutter *c, struct lt_str *s, const char *line, size_t len)
{
	const struct lt_schema *schema = lt_trace_schema(c->t);
	unsigned int cpu, class = 0;
	uint64_t filtered;
	char name[64];
	size_t n;

	for (n = len; n && line[n - 1] != ' '; n--)
		;
	if (sscanf(line, "cpu %u class %63s", &cpu, name) != 2 || n < 10 ||
	    memcmp(line + n - 10, " filtered ", 10) || cpu >= LT_MAX_CPU ||
	    sscanf(line + n, "%" SCNu64, &filtered) != 1)
		return false;
	while (class < LT_MAX_CLASSES && strcmp(schema->class_names[class], name))
		class++;
	if (class < LT_MAX_CLASSES)
		filtered += lt_keep_left_out(c->keep, class, cpu);
	lt_str_add(s, "%.*s%" PRIu64 "\n", (int)n, line, filtered);
	return true;
}

static bool is_left_out(const struct lt_cutter *c, unsigned int type, const char *line, size_t len)
{
	if (type == LT_BLOCK_SYMBOLS)
		return !lt_cut_has_symbol(c, line, len);
	if (type == LT_BLOCK_SLAB)
		return !is_lasting(line, len);
	return c->until != UINT64_MAX && is_of_the_end(type, line, len);
}

/* Whether a text holds for the window as it is. */
static bool holds(const struct lt_cutter *c, unsigned int type, const char *text)
{
	if (type == LT_BLOCK_SLAB)
		return has_reading(c, text);
	if (type == LT_BLOCK_SYMBOLS || (c->keep && type == LT_BLOCK_STATS))
		return false;
	return c->until == UINT64_MAX || (type != LT_BLOCK_STATS && type != LT_BLOCK_FUNCTIONS);
}

static int write_text(struct lt_cutter *c, unsigned int type, bool zstd, const char *text,
		      size_t size)
{
	char *hidden;
	int err;

	if (!c->hide)
		return lt_writer_text(c->w, type, zstd, text, size);
	hidden = lt_anonymous_text(c->hide, type, text);
	err = lt_writer_text(c->w, type, zstd, hidden, strlen(hidden));
	free(hidden);
	return err;
}

static int put(struct lt_cutter *c, unsigned int type, bool zstd, const char *text, size_t size)
{
	struct lt_str s = { .n = 0 };
	const char *line;
	int err = 0;
	size_t len;

	if (holds(c, type, text))
		return write_text(c, type, zstd, text, size);
	if (type == LT_BLOCK_STATS && c->until != UINT64_MAX)
		lt_str_add(&s, "state recording\n");
	while (lt_line(&text, &line, &len)) {
		if (is_left_out(c, type, line, len))
			continue;
		if (type != LT_BLOCK_STATS || !c->keep || !put_counts(c, &s, line, len))
			lt_str_add(&s, "%.*s\n", (int)len, line);
	}
	if (s.n)
		err = write_text(c, type, zstd, s.s, s.n);
	free(s.s);
	return err;
}

static int put_text(struct lt_cutter *c, const struct lt_text_ref *ref)
{
	bool packed;
	const char *text = lt_cut_load_text(c, ref, &packed);

	return !text ? -1 : put(c, ref->type, packed, text, c->buf.size);
}

/*
 * What a text says that cannot be read may make answers uncertain: a window without it would be
 * surer than the trace.
 */
int lt_cut_check_texts(struct lt_cutter *c)
{
	if (c->d->bad_blocks) {
		lt_error("%s: the trace is damaged, and what is missing is not known ('lifetrace verify' "
			 "says where); no window is cut out of it", lt_trace_path(c->t));
		return -1;
	}
	for (size_t i = 0; i < c->d->n_texts; i++) {
		const struct lt_text_ref *ref = &c->d->texts[i];

		if (ref->type == LT_BLOCK_STATE || lt_cut_load_text(c, ref, NULL))
			continue;
		lt_error("%s: a block of type %s cannot be read; no window is cut out of this trace",
			 lt_trace_path(c->t), lt_block_name(ref->type));
		return -1;
	}
	return 0;
}

static bool is_first(const struct lt_text_ref *ref)
{
	return ref->type == LT_BLOCK_INFO || ref->type == LT_BLOCK_SCHEMA;
}

int lt_cut_put_first(struct lt_cutter *c)
{
	int err = 0;

	for (size_t i = 0; i < c->d->n_texts && !err; i++)
		err = is_first(&c->d->texts[i]) ? put_text(c, &c->d->texts[i]) : 0;
	return err;
}

/* What each file has of its own. */
static bool is_own(const struct lt_text_ref *ref)
{
	return ref->type == LT_BLOCK_PART || ref->type == LT_BLOCK_STATE ||
	       ref->type == LT_BLOCK_CONTENTS;
}

int lt_cut_put_texts(struct lt_cutter *c)
{
	int err = 0;

	for (size_t i = 0; i < c->d->n_texts && !err; i++) {
		const struct lt_text_ref *ref = &c->d->texts[i];

		if (!is_first(ref) && !is_own(ref) && !(c->keep && ref->type == LT_BLOCK_STATS))
			err = put_text(c, ref);
	}
	return err;
}

int lt_cut_put_last(struct lt_cutter *c)
{
	int err = 0;

	for (size_t i = 0; c->keep && i < c->d->n_texts && !err; i++) {
		if (c->d->texts[i].type == LT_BLOCK_STATS)
			err = put_text(c, &c->d->texts[i]);
	}
	return err;
}

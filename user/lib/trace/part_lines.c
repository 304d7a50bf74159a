// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The texts PART: lines of what a file is about that is a part of a recording, and of what was
 * before.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "trace/internal.h"
#include "trace/part_lines.h"

#define LINE_MAX_SIZE	512

static const char *const spaces[LT_N_SPACES] = {
	[LT_SPACE_SLAB] = "slab", [LT_SPACE_PAGE] = "page", [LT_SPACE_PERCPU] = "percpu",
	[LT_SPACE_VMALLOC] = "vmalloc", [LT_SPACE_DMA] = "dma", [LT_SPACE_TASK] = "task",
	[LT_SPACE_SYSCALL] = "call",
	[LT_SPACE_CALL] = "function",
};

const char *lt_part_space(enum lt_space space)
{
	return spaces[space];
}

struct lt_part_texts lt_part_texts(const struct lt_trace *t, size_t first, size_t last)
{
	/* Of a trace that is one file, or that is not in a file, all are. */
	if (t->dir.n_parts < 2)
		return (struct lt_part_texts){ 0, t->n_texts };
	return (struct lt_part_texts){
		t->dir.parts[first].first_text, t->dir.parts[last].end_text,
	};
}

size_t lt_part_last(const struct lt_trace *t)
{
	return t->dir.n_parts ? t->dir.n_parts - 1 : 0;
}

void lt_part_each_line(struct lt_trace *t, size_t first, size_t last, lt_part_line_fn *fn,
		       void *arg)
{
	struct lt_part_texts texts = lt_part_texts(t, first, last);

	for (size_t i = texts.begin; i < texts.end; i++) {
		const char *text, *line;
		char buf[LINE_MAX_SIZE];
		size_t len;

		if (t->texts[i].type != LT_BLOCK_PART)
			continue;
		text = lt_load_text(t, &t->texts[i]);
		while (text && lt_line(&text, &line, &len)) {
			if (len >= sizeof(buf))
				continue;
			memcpy(buf, line, len);
			buf[len] = 0;
			fn(t, buf, arg);
		}
	}
}

bool lt_part_parse_stream(const char *line, struct lt_part_mark *m)
{
	char channel[32];

	if (sscanf(line, "stream=%31s %u %" SCNu64 " %" SCNu64, channel, &m->cpu, &m->seq,
		   &m->end) != 4)
		return false;
	m->channel = lt_channel_of_name(channel);
	return m->channel && m->cpu < LT_MAX_CPU;
}

bool lt_part_parse_unseen(const char *line, struct lt_part_mark *m)
{
	char channel[32];

	if (sscanf(line, "unseen=%31s %u %" SCNu64, channel, &m->cpu, &m->end) != 3)
		return false;
	m->channel = lt_channel_of_name(channel);
	return m->channel && m->cpu < LT_MAX_CPU;
}

bool lt_part_parse_counts(const struct lt_trace *t, const char *line, struct lt_part_mark *m)
{
	char channel[32], name[LT_NAME_SIZE];
	uint64_t v[6];

	if (sscanf(line, "counts=%31s %u %31s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64, channel, &m->cpu, name, &v[0], &v[1], &v[2], &v[3],
		   &v[4], &v[5]) != 9)
		return false;
	m->channel = lt_channel_of_name(channel);
	if (!m->channel || m->cpu >= LT_MAX_CPU)
		return false;
	m->counts = (struct lt_class_counts){ v[0], v[1], v[2], v[3], v[4], v[5] };
	for (m->class = 0; m->class < LT_N_CLASSES; m->class++) {
		if (!strcmp(t->schema->class_names[LT_CLASS(m->channel, m->class)], name))
			return true;
	}
	return false;
}

enum lt_space lt_part_parse_lost(const char *line, uint64_t *to)
{
	char name[32];

	if (sscanf(line, "lost=%31s %" SCNu64, name, to) != 2)
		return LT_SPACE_NONE;
	for (int i = LT_SPACE_SLAB; i < LT_N_SPACES; i++) {
		if (spaces[i] && !strcmp(spaces[i], name))
			return (enum lt_space)i;
	}
	return LT_SPACE_NONE;
}

bool lt_part_parse_gap(const char *line, uint64_t *from, uint64_t *to)
{
	return sscanf(line, "gap=%" SCNu64 " %" SCNu64, from, to) == 2;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a trace contains apart from its events: texts, names, counters, times.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "trace/ahead.h"

#define MAX_TEXT_BYTES	(512U << 20)	/* of all texts together */

const char *lt_trace_path(const struct lt_trace *t)
{
	return t->path;
}

uint64_t lt_trace_size(const struct lt_trace *t)
{
	return t->file ? t->file->size : 0;
}

const struct lt_dir *lt_trace_dir(const struct lt_trace *t)
{
	return &t->dir;
}

const char *lt_trace_place(const struct lt_trace *t, uint64_t offset)
{
	return t->file ? lt_file_place(t->file, offset, &offset) : t->path;
}

bool lt_trace_is_live(const struct lt_trace *t)
{
	return !t->file;
}

const struct lt_clock *lt_trace_clock(const struct lt_trace *t)
{
	return &t->clock;
}

static bool has_one_cpu(const struct lt_trace *t)
{
	const char *online = lt_trace_info(t, "cpus_online");

	return online && *online && !strpbrk(online, ",-");
}

uint64_t lt_trace_unordered_until(const struct lt_trace *t)
{
	const char *stats = lt_trace_text(t, LT_BLOCK_STATS, SIZE_MAX);
	uint64_t units;
	char why[32];

	if (!t->clock.counter || has_one_cpu(t))
		return 0;
	if (stats && lt_clock_left(stats, &units, why))
		return strcmp(why, "unstable") ? 0 : lt_trace_ns(t, units);
	for (size_t i = 0; i < t->clock.n_points; i++) {
		if (t->clock.points[i].r.kept)
			return t->clock.points[i].ns;
	}
	return 0;
}

uint64_t lt_trace_clocks_refused(const struct lt_trace *t)
{
	return t->clocks_refused;
}

size_t lt_trace_n_texts(const struct lt_trace *t)
{
	return t->n_texts;
}

uint64_t lt_trace_text_changes(const struct lt_trace *t)
{
	return t->text_changes;
}

const char *lt_load_text(const struct lt_trace *t, struct lt_trace_text *x)
{
	struct lt_trace *m = (struct lt_trace *)(uintptr_t)t;
	struct lt_buf payload = { 0 }, packed = { 0 };
	struct lt_block b;
	struct lt_why why;

	if (x->text || x->bad)
		return x->text;
	x->bad = true;
	if (lt_file_block(t->file, x->offset, &b, &why) != LT_BLOCK_OK ||
	    lt_file_payload(t->file, &b, &payload, &packed, &why)) {
		lt_trace_note(m, x->offset, "%s; the block is left out", why.text);
	} else if (payload.size > MAX_TEXT_BYTES - t->text_bytes) {
		lt_trace_note(m, x->offset, "more than %u bytes of text are expected in no trace; "
			      "the block is left out", MAX_TEXT_BYTES);
	} else {
		/* lt_file_payload() has put zeros behind the text. */
		x->text = (char *)payload.data;
		payload.data = NULL;
		m->text_bytes += payload.size;
	}
	lt_buf_free(&payload);
	lt_buf_free(&packed);
	return x->text;
}

const char *lt_trace_text(const struct lt_trace *t, unsigned int block_type, size_t n)
{
	struct lt_trace_text *found = NULL;

	for (size_t i = 0; i < t->n_texts; i++) {
		if (t->texts[i].type != block_type)
			continue;
		found = &t->texts[i];
		if (n != SIZE_MAX && !n--)
			return lt_load_text(t, found);
	}
	return n == SIZE_MAX && found ? lt_load_text(t, found) : NULL;
}

const char *lt_trace_stats(const struct lt_trace *t)
{
	const char *text;

	for (size_t i = t->n_texts; i--;) {
		text = t->texts[i].type == LT_BLOCK_STATS ? lt_load_text(t, &t->texts[i]) : NULL;
		if (text)
			return text;
	}
	return NULL;
}

bool lt_text_is_damaged(const struct lt_trace *t, unsigned int block_type)
{
	if (!t->file || lt_trace_text(t, block_type, SIZE_MAX))
		return false;
	for (size_t i = 0; i < t->n_texts; i++) {
		if (t->texts[i].type == block_type)
			return true;
	}
	return t->dir.bad_blocks;
}

const char *lt_trace_info(const struct lt_trace *t, const char *key)
{
	const char *text = lt_trace_text(t, LT_BLOCK_INFO, 0), *line;
	size_t len, key_len = strlen(key);

	while (text && lt_line(&text, &line, &len)) {
		if (len <= key_len || memcmp(line, key, key_len) || line[key_len] != '=')
			continue;
		free(t->value);
		((struct lt_trace *)(uintptr_t)t)->value =
			lt_strndup(line + key_len + 1, len - key_len - 1);
		return t->value;
	}
	return NULL;
}

static bool is_set(const struct lt_trace *t, const char *key)
{
	const char *value = lt_trace_info(t, key);

	return value && strcmp(value, "0");
}

bool lt_trace_has_page_stacks(const struct lt_trace *t)
{
	return is_set(t, "page_stacks") ||
	       (lt_trace_info(t, "page_stacks") && is_set(t, "stack_min"));
}

bool lt_trace_has_stacks(const struct lt_trace *t)
{
	return is_set(t, "stacks") || is_set(t, "stack_min") || is_set(t, "page_stacks");
}

/* The inode of the initial pid namespace, in which the trace numbers tasks. */
#define INIT_PID_NS	0xeffffffcU

uint32_t lt_trace_recorder(const struct lt_trace *t)
{
	const char *value = lt_trace_info(t, "recorder_pid_ns");
	uint64_t n;

	if (!value || !lt_number(value, 10, &n) || n != INIT_PID_NS)
		return 0;
	value = lt_trace_info(t, "recorder_tgid");
	return value && lt_number(value, 10, &n) && n <= UINT32_MAX ? (uint32_t)n : 0;
}

uint64_t lt_trace_begin(const struct lt_trace *t)
{
	return t->begin;
}

uint64_t lt_trace_since(const struct lt_trace *t, uint64_t time)
{
	return time > t->begin ? time - t->begin : 0;
}

uint64_t lt_trace_end(const struct lt_trace *t)
{
	return t->last < t->end ? t->last : t->end;
}

void lt_trace_stop_at(struct lt_trace *t, uint64_t time)
{
	if (!t->have_stop_at)
		t->whole_last = t->last;
	t->have_stop_at = true;
	if (time < t->last)
		t->last = time;
}

uint64_t lt_trace_whole_end(const struct lt_trace *t)
{
	uint64_t last = t->have_stop_at ? t->whole_last : t->last;

	return last < t->end ? last : t->end;
}

uint64_t lt_trace_code_lost(const struct lt_trace *t)
{
	const char *text = lt_trace_text(t, LT_BLOCK_STATS, SIZE_MAX);
	uint64_t lost, forgotten;
	char buf[128];

	while (lt_line_text(&text, buf, sizeof(buf))) {
		if (sscanf(buf, "ksymbol lost %" SCNu64 " forgotten %" SCNu64, &lost,
			   &forgotten) == 2)
			return lost + forgotten;
	}
	return 0;
}

bool lt_stats_stopped(const char *stats, uint64_t *clock)
{
	const char *line;
	bool found = false;
	size_t len;

	while (stats && lt_line(&stats, &line, &len)) {
		char number[32];
		uint64_t value;

		if (len < 9 || len - 8 >= sizeof(number) || strncmp(line, "stopped ", 8))
			continue;
		snprintf(number, sizeof(number), "%.*s", (int)len - 8, line + 8);
		if (lt_number(number, 10, &value)) {
			*clock = value;
			found = true;
		}
	}
	return found;
}

bool lt_line_left_out(const char *line, size_t len, struct lt_left_out *left_out)
{
	struct lt_left_out found;
	char buf[128];

	snprintf(buf, sizeof(buf), "%.*s", (int)(len < 100 ? len : 100), line);
	if (sscanf(buf, "limited max_size %" SCNu64 " packets %" SCNu64 " bytes %" SCNu64,
		   &found.max_size, &found.packets, &found.bytes) != 3)
		return false;
	*left_out = found;
	return true;
}

struct lt_left_out lt_trace_left_out(const struct lt_trace *t)
{
	const char *stats = lt_trace_stats(t), *line;
	struct lt_left_out left_out = { 0 };
	size_t len;

	while (stats && lt_line(&stats, &line, &len))
		lt_line_left_out(line, len, &left_out);
	return left_out;
}

void lt_trace_set_stopped(struct lt_trace *t, uint64_t clock)
{
	t->stopped = lt_trace_ns(t, clock);
	t->have_stopped = true;
	t->last = t->stopped;
}

uint64_t lt_trace_realtime(const struct lt_trace *t, uint64_t time)
{
	return lt_clock_realtime(&t->clock, time);
}

struct lt_class_counts lt_trace_counts(const struct lt_trace *t, unsigned int class)
{
	struct lt_class_counts sum = { 0 };

	if (class >= LT_MAX_CLASSES)
		return sum;
	for (size_t i = 0; i < t->n_streams; i++) {
		if (t->streams[i] && t->streams[i]->channel == LT_CLASS_CHANNEL(class))
			lt_add_counts(&sum, &t->streams[i]->latest[LT_CLASS_INDEX(class)]);
	}
	return sum;
}

bool lt_line_unwatched(const char *line, size_t len, const char *name, char *why, size_t size)
{
	size_t n = strlen(name);
	const char *state;

	if (len <= n || memcmp(line, name, n) || line[n] != '\t')
		return false;
	state = memchr(line + n + 1, '\t', len - n - 1);
	if (!state)
		return false;
	state++;
	len -= (size_t)(state - line);
	if (len < 11 || memcmp(state, "not watched", 11))
		return false;
	snprintf(why, size, "%.*s", len > 12 ? (int)(len - 12) : 0, len > 12 ? state + 12 : "");
	/* After the session no event is watched, with this reason. */
	return strncmp(why, "not recording", 13);
}

unsigned int lt_trace_page_shift(const struct lt_trace *t)
{
	const char *value = lt_trace_info(t, "page_shift");
	uint64_t info;

	if (t->dir.have_machine)
		return t->dir.machine.page_shift;
	if (!value || !lt_number(value, 10, &info) || info < 10 || info > 24)
		return 12;
	return (unsigned int)info;
}

uint32_t lt_trace_no_cpu(const struct lt_trace *t)
{
	const char *value = lt_trace_info(t, "no_cpu");
	uint64_t cpu;

	return value && lt_number(value, 10, &cpu) && cpu < LT_ANY_CPU ? (uint32_t)cpu : LT_ANY_CPU;
}

/* "kmem,pid" */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	while (*list) {
		size_t n = strcspn(list, ",");

		if (n == len && !memcmp(list, word, len))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

bool lt_trace_has_channel(const struct lt_trace *t, unsigned int channel)
{
	const char *list = lt_trace_info(t, "channels"), *name = lt_channel_name(channel);

	/* INFO of the first versions did not list the only channel. */
	if (name && (list ? has_word(list, name) : lt_channel_get(channel)->required))
		return true;
	for (size_t i = 0; i < t->n_streams; i++) {
		if (t->streams[i] && t->streams[i]->channel == channel)
			return true;
	}
	return false;
}

/* Events of a class in the packets that stand in earlier parts of the recording only. */
static uint64_t written_before(const struct lt_trace *t, unsigned int class)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->n_streams; i++) {
		const struct lt_class_counts *c;

		if (!t->streams[i] || t->streams[i]->channel != LT_CLASS_CHANNEL(class))
			continue;
		c = &t->streams[i]->base.counts[LT_CLASS_INDEX(class)];
		sum += c->seen - lt_lost(c) - c->filtered;
	}
	return sum;
}

uint64_t lt_trace_class_missing(const struct lt_trace *t, unsigned int class)
{
	struct lt_class_counts c = lt_trace_counts(t, class);
	uint64_t written = c.seen - lt_lost(&c) - c.filtered - written_before(t, class);
	uint64_t overwritten = lt_trace_overwritten(t, class), records = lt_trace_records(t, class);

	return written > overwritten && written - overwritten > records ?
	       written - overwritten - records : 0;
}

uint64_t lt_trace_missing(const struct lt_trace *t)
{
	uint64_t missing = 0;

	for (unsigned int i = 0; i < LT_MAX_CLASSES; i++)
		missing += lt_trace_class_missing(t, i);
	return missing;
}

uint64_t lt_trace_records(const struct lt_trace *t, unsigned int class)
{
	lt_trace_hold(t);
	return class < LT_MAX_CLASSES ? t->records[class] : 0;
}

const char *lt_trace_event_name(const struct lt_trace *t, unsigned int id)
{
	const struct lt_event_desc *d = lt_schema_event(t->schema, id);

	return d ? d->name : NULL;
}

const char *lt_trace_class_name(const struct lt_trace *t, unsigned int class)
{
	if (class >= LT_MAX_CLASSES || !t->schema->class_names[class][0])
		return NULL;
	return t->schema->class_names[class];
}

/*
 * Composite flags come first, the largest ones before the others. Bits without a name are
 * written as a number.
 */
const char *lt_trace_gfp(const struct lt_trace *t, uint32_t gfp, char *buf, size_t size)
{
	const struct lt_schema *s = t->schema;
	size_t used = 0;

	if (!size)
		return buf;
	buf[0] = 0;
	for (size_t i = 0; i <= s->n_gfp && gfp; i++) {
		char number[16];
		const char *name = number;
		size_t len;

		if (i == s->n_gfp)
			snprintf(number, sizeof(number), "0x%x", gfp);
		else if ((gfp & s->gfp[i].mask) != s->gfp[i].mask)
			continue;
		else
			name = s->gfp[i].name;
		gfp &= i == s->n_gfp ? 0 : ~s->gfp[i].mask;
		len = strlen(name);
		if (used + len + 2 > size)
			break;
		if (used)
			buf[used++] = '|';
		memcpy(buf + used, name, len + 1);
		used += len;
	}
	if (!used)
		snprintf(buf, size, "0");
	return buf;
}

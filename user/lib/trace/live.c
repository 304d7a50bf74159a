// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A trace whose packets are pushed in while they are recorded.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "trace/caches.h"
#include "trace/internal.h"

struct lt_trace *lt_trace_live(const char *info, const char *schema)
{
	struct lt_trace *t = lt_trace_new("the module");
	const char *session;

	lt_trace_add_text(t, LT_BLOCK_INFO, info);
	lt_trace_add_text(t, LT_BLOCK_SCHEMA, schema);
	if (!lt_trace_set_up(t)) {
		lt_trace_close(t);
		return NULL;
	}
	session = lt_trace_info(t, "session");
	t->have_session = session && lt_number(session, 10, &t->session);
	return t;
}

/* What was found by the texts of a type is looked up anew. */
static void forget_names(struct lt_trace *t, unsigned int type)
{
	t->text_changes++;
	if (type == LT_BLOCK_SLAB)
		lt_trace_forget_aliases(t);
	if (type == LT_BLOCK_SYMBOLS || type == LT_BLOCK_MODULES || type == LT_BLOCK_CODE)
		lt_trace_forget_symbols(t);
}

void lt_trace_add_text(struct lt_trace *t, unsigned int type, const char *text)
{
	if (type == LT_BLOCK_CLOCK) {
		lt_trace_reading(t, text, LT_NO_OFFSET);
		/* There is no end of them: only the first one is kept as a text. */
		if (lt_trace_text(t, LT_BLOCK_CLOCK, 0))
			return;
	}
	if (type == LT_BLOCK_CODE)
		lt_trace_take_code(t, text, LT_NO_OFFSET);
	if (type == LT_BLOCK_CACHES)
		lt_entities_text(t, text);
	t->texts = lt_grow(t->texts, &t->cap_texts, t->n_texts, sizeof(*t->texts));
	t->texts[t->n_texts++] = (struct lt_trace_text){ .type = type, .text = lt_strdup(text) };
	forget_names(t, type);
}

void lt_trace_replace_text(struct lt_trace *t, unsigned int type, const char *text)
{
	for (size_t i = t->n_texts; i--;) {
		if (t->texts[i].type != type)
			continue;
		if (type == LT_BLOCK_CODE)
			lt_trace_take_code(t, text, LT_NO_OFFSET);
		free(t->texts[i].text);
		t->texts[i].text = lt_strdup(text);
		forget_names(t, type);
		return;
	}
	lt_trace_add_text(t, type, text);
}

/* Whether a packet continues its stream. */
static bool check(struct lt_trace *t, const struct lt_packet *p, const struct lt_stream *s,
		  struct lt_why *why)
{
	if (t->have_session && p->session != t->session) {
		lt_why_set(why, "expected a packet of session %llu, found one of %llu",
			   (unsigned long long)t->session, (unsigned long long)p->session);
		return false;
	}
	if (s->pushed && (p->seq <= s->pushed_seq || p->begin < s->pushed_end)) {
		lt_why_set(why, "expected one after packet %llu of cpu %u%s, which ends at %llu; "
			   "found packet %llu, which begins at %llu",
			   (unsigned long long)s->pushed_seq, p->cpu, lt_of_channel(p->channel),
			   (unsigned long long)s->pushed_end, (unsigned long long)p->seq,
			   (unsigned long long)p->begin);
		return false;
	}
	return true;
}

int lt_trace_push(struct lt_trace *t, const void *packet, size_t size)
{
	struct lt_queued *q = lt_alloc(sizeof(*q) + size + LT_SLACK);
	struct lt_stream *s = NULL;
	struct lt_packet p;
	struct lt_why why;

	q->size = size;
	memcpy(q->data, packet, size);
	if (!lt_packet_parse(&p, q->data, size, &why)) {
		if (p.channel && p.channel <= LT_N_CHANNELS)
			s = lt_stream_get(t, p.channel, p.cpu);
		else
			lt_why_set(&why, "its channel, %u, is unknown to this version", p.channel);
	}
	if (!s || !check(t, &p, s, &why)) {
		lt_error("%s: a packet could not be taken: %s", t->path, why.text);
		free(q);
		return -1;
	}
	t->session = p.session;
	t->have_session = true;
	s->pushed = true;
	s->pushed_seq = p.seq;
	s->pushed_end = p.end;
	for (unsigned int i = 0; i < LT_N_CLASSES; i++)
		s->latest[i] = lt_packet_counts(&p, i);
	s->latest_end = p.end;
	lt_trace_bounds(t, p.begin, p.end);
	if (!t->dir.have_machine) {
		t->dir.machine = p;
		t->dir.machine.data = NULL;
		t->dir.have_machine = true;
	}
	*s->tail = q;
	s->tail = &q->next;
	lt_trace_wait(t, s);
	return 0;
}

void lt_trace_watermark_ns(struct lt_trace *t, uint64_t ns)
{
	t->watermark = ns;
	t->have_watermark = true;
}

uint64_t lt_trace_late(const struct lt_trace *t)
{
	return t->late;
}

void lt_trace_watermark(struct lt_trace *t, uint64_t clock)
{
	t->watermark = lt_trace_ns(t, clock);
	t->have_watermark = true;
	if (clock != UINT64_MAX)
		return;
	/*
	 * The losses that only the counters of the module show are known only now. They make
	 * uncertain what was not handed out yet; when the file is read, all events.
	 */
	if (!t->end_reported)
		lt_gap_unseen_cpus(t);
	t->end_reported = true;
	/* Find the streams that end without their last packet. */
	for (size_t i = 0; i < t->n_streams; i++) {
		if (t->streams[i])
			lt_trace_wait(t, t->streams[i]);
	}
}

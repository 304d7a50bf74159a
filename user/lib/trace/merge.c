// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The streams of a trace, merged into one sequence in order of time.
 */
#include "base/mem.h"
#include "trace/caches.h"
#include "trace/internal.h"

/*
 * The streams are ordered by the time of their next record, then CPU and channel. The keys are
 * copied into the tree, so that a comparison does not load the stream.
 *
 * Of records at one time frees come last: on machines with a coarse clock an object that is
 * allocated on one CPU and freed on another can have one time for both. For memory that is
 * freed and allocated again the reverse order is right; the rules of lifetimes/ allow for
 * that.
 */

/* What is known of the first record while only its key is passed along. */
static inline void set_first(struct lt_trace *t)
{
	struct lt_stream *s = lt_heads_first(&t->heads);

	if (lt_stream_ahead(s))
		lt_stream_set_ahead(s);
}

/* The first stream has another plain record. */
static inline void go_on(struct lt_trace *t)
{
	const struct lt_stream *s = lt_heads_first(&t->heads);
	const struct lt_ahead *a = &s->ahead[s->at];

	lt_heads_replace(&t->heads, a->ns, lt_stream_rank(s, a->plain->desc->class));
}

/* Goes on to the next record of the first stream, whose current record was handed out. */
static void advance(struct lt_trace *t)
{
	struct lt_stream *s = lt_heads_first(&t->heads);

	if (!lt_stream_fill(t, s)) {
		s->in_heads = false;
		lt_heads_leave(&t->heads);
		if (!t->heads.n)
			return;
	} else {
		lt_heads_replace(&t->heads, s->key, s->rank);
	}
	set_first(t);
}

void lt_trace_wait(struct lt_trace *t, struct lt_stream *s)
{
	if (s->in_heads || s->waiting)
		return;
	t->waiting = lt_grow(t->waiting, &t->cap_waiting, t->n_waiting,
			     sizeof(struct lt_stream *));
	t->waiting[t->n_waiting++] = s;
	s->waiting = true;
}

static void join_waiting(struct lt_trace *t)
{
	for (size_t i = 0; i < t->n_waiting; i++) {
		struct lt_stream *s = t->waiting[i];

		s->waiting = false;
		if (!lt_stream_fill(t, s))
			continue;
		lt_heads_add(&t->heads, s, s->key, s->rank);
		s->in_heads = true;
	}
	t->n_waiting = 0;
	lt_heads_build(&t->heads);
}

/* A gap that begins after the last event concerns what is alive at the end. */
static void reach_end(struct lt_trace *t)
{
	uint64_t end = lt_trace_end(t);

	if (!t->file && !(t->have_watermark && t->watermark == UINT64_MAX))
		return;
	if (t->have_bounds)
		lt_gap_close(t, end);
}

/* Whether the next record, if there is one, is of the part that the file is. */
static bool next_is_outside(const struct lt_trace *t)
{
	return t->heads.n && !t->raw_order && !lt_part_has(&t->part, lt_heads_first(&t->heads)->rec.time);
}

/* Whether the next record, if there is one, is not wanted, but may describe a task or a cache. */
static bool next_is_unwanted(const struct lt_trace *t)
{
	return t->narrowed && t->heads.n && lt_heads_first(&t->heads)->rec_ns < t->narrowed->to &&
	       !lt_narrowed_has(t->narrowed, lt_heads_first(&t->heads));
}

/* Whether all that is wanted was handed out. */
static bool is_behind(const struct lt_trace *t)
{
	return t->narrowed && t->heads.n && lt_heads_first(&t->heads)->rec_ns >= t->narrowed->to;
}

/* The record is not handed out, but may describe a task or a cache. */
static void pass_over(struct lt_trace *t)
{
	struct lt_stream *s = lt_heads_first(&t->heads);
	struct lt_event ev;

	/* In a file that is a part of a recording others have no number. */
	if (lt_part_has(&t->part, s->rec.time))
		s->n_records++;
	lt_stream_unpack(s);
	lt_decode(&s->packet, &s->rec, &ev);
	if (ev.class < LT_MAX_CLASSES)
		t->records[ev.class]++;
	if (t->entities.fields[s->rec.desc->id])
		lt_entities_record(t, s, &ev);
	advance(t);
}

/* Finds the next record, that of the first stream. */
static void find_next(struct lt_trace *t)
{
	/* Not earlier: the bytes of the last event are valid until this call. */
	if (t->taken) {
		t->taken = NULL;
		advance(t);
	}
	if (t->n_waiting)
		join_waiting(t);
}

/* @bytes: those of the event are wanted, too. */
static inline void decode(struct lt_stream *s, bool bytes, struct lt_event *ev)
{
	const struct lt_ahead *a = lt_stream_ahead(s);

	if (!a && bytes)
		lt_decode(&s->packet, &s->rec, ev);
	else if (!a)
		lt_decode_members(&s->packet, &s->rec, ev);
	else if (bytes)
		lt_ahead_whole_event(&s->it, a, ev);
	else
		lt_ahead_event(&s->it, a, ev);
	if (a)
		s->rec.site = a->form ? &s->sites.sites[a->place] : NULL;
	s->at += a != NULL;
}

/* What the trace knows of the event, but its record does not have. @brief: that has a short form. */
static inline void complete(struct lt_trace *t, bool brief, struct lt_event *ev)
{
	if (ev->cache && t->cache_ids_again)
		ev->cache = lt_entities_cache_at(t, ev->cache, ev->time);
	if (ev->class == LT_CLASS_PAGE_ALLOC && brief)
		ev->call_site = lt_page_caller(t, ev);
}

static inline void count_record(struct lt_trace *t, unsigned int class)
{
	if (class < LT_MAX_CLASSES)
		t->records[class]++;
}

/* @bytes: as for decode() */
static inline int next(struct lt_trace *t, bool bytes, struct lt_event *ev)
{
	struct lt_trace_carried carried;
	struct lt_stream *s;

	/* Tasks and caches that only older events describe. */
	while (!t->carried)
		lt_trace_carried(t, ev, &carried);
	find_next(t);
	while (next_is_outside(t) || next_is_unwanted(t))
		pass_over(t);
	if (is_behind(t))
		return 0;
	if (!t->heads.n) {
		reach_end(t);
		return 0;
	}
	s = lt_heads_first(&t->heads);
	if (!t->file && (!t->have_watermark || s->rec_ns > t->watermark))
		return 0;
	if (s->rec_ns < t->now && !t->raw_order) {
		/* Only in a live trace whose lt_trace_watermark() was wrong. */
		if (!t->late++)
			lt_trace_note(t, LT_NO_OFFSET, "an event of cpu %u came after later ones "
				      "had been read; its time is taken for theirs", s->cpu);
		s->rec_ns = t->now;
	}
	decode(s, bytes, ev);
	ev->time = s->rec_ns;
	ev->seq = s->n_records++;
	if (s->rec_ns > t->last)
		lt_gap_close(t, t->last);
	t->now = s->rec_ns;
	lt_gap_advance(t);
	if (t->entities.fields[s->rec.desc->id])
		lt_entities_record(t, s, ev);
	count_record(t, ev->class);
	ev->task = s->task;
	lt_trace_sites(t, ev, s->rec.time);
	complete(t, s->rec.site, ev);
	t->taken = s;
	return 1;
}

int lt_trace_next(struct lt_trace *t, struct lt_event *ev)
{
	return next(t, true, ev);
}

/* Whether the next event begins a gap, or describes a task or a cache. */
static bool next_changes(struct lt_trace *t)
{
	const struct lt_stream *s;

	find_next(t);
	if (!t->heads.n || next_is_outside(t) || t->narrowed)
		return true;
	s = lt_heads_first(&t->heads);
	return s->rec_ns > t->gap.next_begin || (s->rec_ns > t->last && !t->gap.closed) ||
	       t->entities.fields[s->rec.desc->id];
}

static inline uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Whether records may be taken so, and the last time at which no gap begins and none is too early. */
static bool can_run(const struct lt_trace *t, uint64_t *end)
{
	*end = t->gap.next_begin;
	if (!t->gap.closed)
		*end = least(*end, t->last);
	if (!t->file)
		*end = least(*end, t->watermark);
	return t->heads.n && lt_heads_key(&t->heads) >= t->now &&
	       (t->file || t->have_watermark);
}

/*
 * Takes plain records, which describe nothing, up to and with a time: neither they nor the trace need
 * a look at each. Return: their number.
 */
static size_t take_run(struct lt_trace *t, uint64_t end, struct lt_event *evs, size_t max)
{
	struct lt_stream *s = lt_heads_first(&t->heads);
	const struct lt_ahead *a;
	size_t n = 0;

	while (n < max && (a = lt_stream_ahead(s)) && a->ns <= end) {
		struct lt_event *ev = &evs[n++];

		lt_ahead_event(&s->it, a, ev);
		if (!a->form)
			lt_trace_sites(t, ev, a->time);
		ev->seq = s->n_records++;
		ev->task = s->task;
		count_record(t, ev->class);
		complete(t, a->form, ev);
		t->now = ev->time;
		s->at++;
		if (!lt_stream_look(t, s)) {
			t->taken = s;
			break;
		}
		go_on(t);
		s = lt_heads_first(&t->heads);
	}
	if (!t->taken)
		set_first(t);
	return n;
}

/* Of more streams, runs of records of one are too short to be looked for. */
#define RUNS	4

/* Up to which time records of the first stream may be taken, at the least the first of them. */
static inline uint64_t end_of_run(const struct lt_trace *t, uint64_t end)
{
	return t->heads.n > RUNS ? 0 : least(lt_heads_second(&t->heads), end);
}

/*
 * Takes records of the first stream, in a short form, before a time: the first of them has its time.
 * Return: their number.
 */
static inline size_t take_short(struct lt_trace *t, struct lt_stream *s, uint64_t before, bool sites,
				struct lt_plain_event *evs, size_t max)
{
	const size_t left = s->n_ahead - s->at, most = left < max ? left : max;
	const struct lt_ahead *a = &s->ahead[s->at];
	const struct lt_task *task = s->task;
	const uint32_t cpu = s->cpu;
	size_t n = 0;

	do {
		const struct lt_event_desc *desc = a->plain->desc;
		struct lt_plain_event *ev = &evs[n];

		if (!a->form && !(sites && desc->has_site))
			break;
		ev->time = a->ns;
		ev->ptr = a->ptr;
		ev->task = task;
		ev->form = a->form;
		ev->cpu = cpu;
		ev->context = a->context;
		ev->class = desc->class;
		count_record(t, desc->class);
		n++;
		a++;
	} while (n < most && a->ns < before);
	s->n_records += n;
	s->at += n;
	return n;
}

/* Whether the first stream has a plain record up to and with a time. */
static inline bool first_is_plain(const struct lt_trace *t, uint64_t end)
{
	const struct lt_ahead *a = lt_stream_ahead(lt_heads_first(&t->heads));

	return a && a->ns <= end;
}

size_t lt_trace_next_plain(struct lt_trace *t, struct lt_plain_event *evs, size_t max, bool sites)
{
	size_t n = 0, more;
	uint64_t end;

	if (!t->carried)
		return 0;
	find_next(t);
	if (!can_run(t, &end))
		return 0;
	while (n < max && first_is_plain(t, end)) {
		struct lt_stream *s = lt_heads_first(&t->heads);

		more = take_short(t, s, end_of_run(t, end), sites, evs + n, max - n);
		if (!more)
			break;
		n += more;
		if (t->heads.n > RUNS && s->at + 1 == s->n_ahead)
			lt_records_expect(&s->it);
		if (!lt_stream_ahead(s) && !lt_stream_look(t, s)) {
			t->taken = s;
			break;
		}
		go_on(t);
	}
	if (!t->taken)
		set_first(t);
	if (n)
		t->now = evs[n - 1].time;
	return n;
}

void lt_trace_whole_event(struct lt_trace *t, const struct lt_plain_event *plain,
			  struct lt_event *ev)
{
	lt_common_event(&t->forms.all[plain->form], plain->ptr, ev);
	/* One that announces a site has no form, and is of no class. */
	ev->id = plain->form ? ev->id : LT_EV_SITE;
	ev->class = plain->class;
	ev->time = plain->time;
	ev->seq = 0;
	ev->task = plain->task;
	ev->cpu = plain->cpu;
	ev->context = plain->context;
	complete(t, plain->form, ev);
}

int lt_trace_next_some(struct lt_trace *t, struct lt_event *evs, size_t max, size_t *n)
{
	int ret = 1;
	uint64_t end;
	size_t run;

	*n = 0;
	while (*n < max && !(*n && next_changes(t))) {
		run = *n && can_run(t, &end) ? take_run(t, end, evs + *n, max - *n) : 0;
		*n += run;
		if (run)
			continue;
		ret = next(t, false, &evs[*n]);
		if (ret <= 0)
			break;
		if (evs[(*n)++].id == LT_EV_MARKER)
			break;
	}
	return ret;
}

const struct lt_packet *lt_trace_packet(const struct lt_trace *t)
{
	return t->taken ? &t->taken->packet : NULL;
}

uint64_t lt_trace_event_units(const struct lt_trace *t)
{
	return t->taken ? t->taken->rec.time : 0;
}

const struct lt_event_desc *lt_trace_desc(const struct lt_trace *t)
{
	return t->taken ? t->taken->rec.desc : NULL;
}

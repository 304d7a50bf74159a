// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The streams of a trace, merged into one sequence in order of time.
 */
#include "base/mem.h"
#include "trace/ahead.h"
#include "trace/caches.h"
#include "trace/internal.h"
#include "trace/pass.h"

_Static_assert(LT_MAX_STREAMS <= 1U << LT_LEAF_BITS, "a leaf has room in a match");

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
	const struct lt_plain_event *ev = &lt_heads_first(&t->heads)->ahead.next->ev;

	lt_heads_replace(&t->heads, ev->time, lt_is_free(ev->class));
}

/* The first stream has ended. */
static void leave(struct lt_trace *t)
{
	lt_heads_first(&t->heads)->in_heads = false;
	lt_heads_leave(&t->heads);
	if (t->heads.n)
		set_first(t);
}

/* Goes on to the next record of the first stream, whose current record was handed out. */
static void advance(struct lt_trace *t)
{
	struct lt_stream *s = lt_heads_first(&t->heads);

	if (!lt_stream_fill(t, s)) {
		leave(t);
		return;
	}
	lt_heads_replace(&t->heads, s->key, s->rank & LT_FREES_LAST);
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
	return t->heads.n && !t->raw_order &&
		!lt_part_has(&t->part, lt_heads_first(&t->heads)->rec.time);
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
	const struct lt_passed *passed = lt_stream_ahead(s);

	if (!passed && bytes)
		lt_decode(&s->packet, &s->rec, ev);
	else if (!passed)
		lt_decode_members(&s->packet, &s->rec, ev);
	else if (bytes)
		lt_passed_whole_event(&s->it, passed, ev);
	else
		lt_passed_event(&s->it, passed, ev);
	if (!passed)
		return;
	s->rec.site = passed->ev.form ? lt_passed_site(&s->it, passed) : NULL;
	s->ahead.next++;
}

/* What the trace knows of an event, but its record does not have; @brief: in a short form. */
static inline void complete(struct lt_trace *t, bool brief, struct lt_event *ev)
{
	if (ev->cache && t->cache_ids_again)
		ev->cache = lt_entities_cache_at(t, ev->cache, ev->time);
	if (ev->class == LT_CLASS_PAGE_ALLOC && brief)
		ev->call_site = lt_page_caller(t, ev);
}

static inline void count_record(struct lt_trace *t, uint8_t class)
{
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

/* Whether records may be taken so, and up to when: no gap begins, and none is too early. */
static bool can_run(const struct lt_trace *t, uint64_t *end)
{
	*end = t->gap.next_begin;
	if (!t->gap.closed)
		*end = least(*end, t->last);
	if (!t->file)
		*end = least(*end, t->watermark);
	if (t->narrowed)
		*end = least(*end, t->narrowed->to - 1);
	return t->heads.n && lt_heads_key(&t->heads) >= t->now &&
	       (t->file || t->have_watermark);
}

/*
 * Takes plain records, which describe nothing, up to and with a time: neither they nor the trace
 * need a look at each. Return: their number.
 */
static size_t take_run(struct lt_trace *t, uint64_t end, struct lt_event *evs, size_t max)
{
	struct lt_stream *s = lt_heads_first(&t->heads);
	const struct lt_passed *passed;
	size_t n = 0;

	while (n < max && (passed = lt_stream_ahead(s)) && passed->ev.time <= end) {
		struct lt_event *ev = &evs[n++];

		lt_passed_event(&s->it, passed, ev);
		if (!passed->ev.form)
			lt_trace_sites(t, ev, passed->time);
		s->ahead.next++;
		ev->seq = s->n_records++;
		count_record(t, ev->class);
		complete(t, passed->ev.form, ev);
		t->now = ev->time;
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

/* Whether a plain record is one for lt_trace_next_plain(). @sites: those that announce one are. */
static inline bool is_taken(const struct lt_plain_event *ev, bool sites)
{
	return ev->form || (sites && ev->class == LT_CLASS_NONE);
}

/* Of more streams, what is known of the next records' sites is not in the cache. */
#define FEW	4

/*
 * Takes plain records up to and with a time, one after the other. Return: their number. It ends at
 * a record that is not plain, or not to be taken.
 */
static size_t take_each(struct lt_trace *t, uint64_t end, bool sites, struct lt_plain_event *evs,
			size_t max)
{
	struct lt_heads *h = &t->heads;
	uint64_t *const records = t->records;
	size_t n = 0;

	while (n < max) {
		const size_t leaf = lt_heads_leaf(h->matches[0]);
		const struct lt_heads_behind behind = h->behind[leaf];
		struct lt_stream *s = h->leaves[leaf].s;
		const struct lt_passed *passed = s->ahead.next, *last = s->ahead.end;

		if (passed == last || passed->ev.time > end || !is_taken(&passed->ev, sites))
			break;
		evs[n++] = passed->ev;
		records[passed->ev.class]++;
		s->n_records++;
		s->ahead.next = ++passed;
		if (passed + 1 == last && h->n > FEW)
			lt_records_expect(&s->it);
		if (passed == last) {
			if (!lt_stream_look(t, s)) {
				t->taken = s;
				break;
			}
			passed = s->ahead.next;
			last = s->ahead.end;
		}
		if (passed + 1 < last)
			lt_heads_follow(h, leaf, passed[1].ev.time, lt_is_free(passed[1].ev.class),
					s->n_records + 1);
		else
			h->behind[leaf].match = 0;
		/* The next round begins with its result: it waits for no load from above. */
		if (behind.match && behind.serial == s->n_records)
			lt_heads_play(h, leaf, behind.match);
		else
			lt_heads_replace(h, passed->ev.time, lt_is_free(passed->ev.class));
	}
	return n;
}

/* Records @from … @end are in order. Return: the first one at @before or later, or @end. */
static inline const struct lt_passed *end_before(const struct lt_passed *from,
						 const struct lt_passed *end, uint64_t before)
{
	while (end > from && end[-1].ev.time >= before)
		end--;
	return end;
}

/* How many of the next records of both streams are decoded for sure, whichever come first. */
static inline size_t count_of_two(const struct lt_passed *x, const struct lt_passed *x_end,
				  const struct lt_passed *y, const struct lt_passed *y_end)
{
	const uint64_t x_last = x_end[-1].ev.time, y_last = y_end[-1].ev.time;

	if (x_last == y_last)
		return x_end - x < y_end - y ? (size_t)(x_end - x) : (size_t)(y_end - y);
	if (x_last < y_last)
		y_end = end_before(y, y_end, x_last);
	else
		x_end = end_before(x, x_end, y_last);
	return (size_t)(x_end - x) + (size_t)(y_end - y);
}

/*
 * Takes records of two streams, in a short form and before a time, while both have decoded ones. Of
 * one time, those of @a come first, but frees last. No jump depends on which stream has the next
 * record.
 */
static inline size_t take_of_two(struct lt_trace *t, struct lt_ahead *a, struct lt_ahead *b,
				 uint64_t before, bool sites, struct lt_plain_event *evs,
				 size_t max)
{
	const struct lt_passed *x = a->next, *y = b->next;
	const struct lt_passed *const x_end = end_before(x, a->end, before);
	const struct lt_passed *const y_end = end_before(y, b->end, before);
	uint64_t *const records = t->records;
	size_t n, most;

	if (x == x_end || y == y_end)
		return 0;
	most = count_of_two(x, x_end, y, y_end);
	most = most < max ? most : max;
	for (n = 0; n < most; n++) {
		uintptr_t second = y->ev.time < x->ev.time, from = (uintptr_t)x;

		if (__builtin_expect(y->ev.time == x->ev.time, 0))
			second = lt_is_free(x->ev.class) && !lt_is_free(y->ev.class);
		from ^= (from ^ (uintptr_t)y) & -second;
		evs[n] = ((const struct lt_passed *)from)->ev;
		if (!is_taken(&evs[n], sites))
			break;
		records[evs[n].class]++;
		y += second;
		x += 1 - second;
	}
	a->next = x;
	b->next = y;
	return n;
}

/*
 * The place of a stream in the order, of which decoded records were taken: that of the next one,
 * or, if that is not plain, of the last one.
 */
static void place(struct lt_trace *t, struct lt_stream *s, uint64_t *key, bool *is_free)
{
	const struct lt_passed *next = lt_stream_ahead(s), *last = next ? next : s->ahead.end - 1;

	*key = last->ev.time;
	*is_free = lt_is_free(last->ev.class);
	if (next)
		return;
	if (!lt_stream_look(t, s)) {
		t->taken = s;
		return;
	}
	*key = s->ahead.next->ev.time;
	*is_free = lt_is_free(s->ahead.next->ev.class);
}

/*
 * Takes records of the only two streams, as long as both have plain ones. Return: their number; 0:
 * one of them is at another record, or the first one is not to be taken.
 */
static size_t take_both(struct lt_trace *t, uint64_t end, bool sites, struct lt_plain_event *evs,
			size_t max)
{
	struct lt_stream *s[2] = { t->heads.leaves[0].s, t->heads.leaves[1].s };
	uint64_t keys[2];
	bool are_free[2];
	size_t n = 0, more = 1;

	while (more && n < max && lt_stream_ahead(s[0]) && lt_stream_ahead(s[1])) {
		const struct lt_passed *from[2] = { s[0]->ahead.next, s[1]->ahead.next };

		more = take_of_two(t, &s[0]->ahead, &s[1]->ahead, end, sites, evs + n, max - n);
		n += more;
		for (unsigned int i = 0; i < 2; i++) {
			s[i]->n_records += (size_t)(s[i]->ahead.next - from[i]);
			place(t, s[i], &keys[i], &are_free[i]);
		}
	}
	if (n)
		lt_heads_replace_both(&t->heads, keys, are_free);
	return n;
}

size_t lt_trace_next_plain(struct lt_trace *t, struct lt_plain_event *evs, size_t max, bool sites)
{
	size_t n = 0, more = 1;
	uint64_t end;

	if (!t->carried)
		return 0;
	find_next(t);
	if (!can_run(t, &end))
		return 0;
	while (more && n < max && !t->taken) {
		more = 0;
		if (t->heads.n == 2 && t->heads.n_leaves == 2)
			more = take_both(t, end, sites, evs + n, max - n);
		/* Those that leave one of two streams without a decoded record. */
		if (!more)
			more = take_each(t, end, sites, evs + n, max - n);
		n += more;
	}
	if (!t->taken)
		set_first(t);
	if (n)
		t->now = evs[n - 1].time;
	return n;
}

bool lt_trace_go_on(struct lt_trace *t)
{
	struct lt_stream *s = t->taken;

	if (!s || t->n_waiting)
		return false;
	if (lt_stream_go_on(t, s)) {
		t->taken = NULL;
		lt_heads_replace(&t->heads, s->key, s->rank & LT_FREES_LAST);
		set_first(t);
		return true;
	}
	/* The end of the last stream is that of the trace. */
	if (t->heads.n == 1 || !lt_stream_leave(t, s))
		return false;
	t->taken = NULL;
	leave(t);
	return true;
}

bool lt_trace_take_task(struct lt_trace *t, struct lt_plain_event *ev)
{
	struct lt_stream *s;
	uint64_t end;

	if (t->taken || t->n_waiting || !can_run(t, &end))
		return false;
	s = lt_heads_first(&t->heads);
	/* Of a packet that a window cuts, it may be before that. */
	if (s->clipped)
		return false;
	/* Whether it counts depends on its channel, which it does not have in the short form. */
	if (t->n_missing && s->rec_ns < t->missing[t->n_missing - 1].to)
		return false;
	if (lt_stream_ahead(s) || !s->plain || s->rec_ns > end ||
	    !lt_is_about_task(s->rec.desc->event) || !lt_entities_take_known(t, s))
		return false;
	*ev = (struct lt_plain_event){
		.time = s->rec_ns, .task = s->task, .cpu = (uint16_t)s->cpu,
		.context = (uint8_t)s->rec.context, .class = LT_CLASS_NONE,
	};
	s->n_records++;
	count_record(t, s->rec.desc->class);
	t->now = ev->time;
	t->taken = s;
	return true;
}

const struct lt_packet *lt_trace_announced(const struct lt_trace *t,
					   const struct lt_plain_event *ev,
					   const struct lt_event_desc **desc,
					   const uint8_t **payload)
{
	/* No other channel has sites. */
	const struct lt_packet *p = &t->streams[lt_stream_number(LT_CHANNEL_KMEM, ev->cpu)]->packet;
	const uint8_t *rec = (const uint8_t *)(uintptr_t)ev->ptr;
	const uint32_t word = lt_get32(rec, p->big);

	*desc = t->schema->plain[p->channel - 1][p->big ? word >> 26 : word & LT_ID_MASK].desc;
	*payload = rec + LT_REC_WORD;
	return p;
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
	lt_trace_hold(t);
	return t->taken ? &t->taken->packet : NULL;
}

uint64_t lt_trace_event_units(const struct lt_trace *t)
{
	lt_trace_hold(t);
	return t->taken ? t->taken->rec.time : 0;
}

const struct lt_event_desc *lt_trace_desc(const struct lt_trace *t)
{
	lt_trace_hold(t);
	return t->taken ? t->taken->rec.desc : NULL;
}
